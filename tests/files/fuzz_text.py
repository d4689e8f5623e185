"""Fuzz targets for the text formats: valid files made here, damaged as text and as bytes."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.files import bvh
from footfall.files.acclaim import motion as acclaim
from footfall.files.intake.raw import RawMotion
from footfall.files.options import ReadOptions, WriteOptions
from tests.fuzz import Target, check_outcome, damaged

_WORDS = (
    "nan", "-inf", "1.#QNAN", "-1.#IND", "1e999", "1e-999", "-1e308", "0,5", "1_0", "٣", "--1", "+",
    ".", "1e", "0x10", "999999999999", "-1", "0", "1", "2", "9", "100000000", "1" * 400, "{", "}",
    "ROOT", "JOINT", "End", "Site", "OFFSET", "CHANNELS", "MOTION", "Frames:", "Frame", "Time:",
    "Xposition", "Zrotation", "Xscale", "HIERARCHY", ":root", ":bonedata", "begin", "end", "root",
    "axis", "XYZ", "ZZX", "dof", "rx", "tx", "l", "length", "direction", ":DEGREES", ":RADIANS",
    "bone1", "é", "\u2028", "\x00", "#", "(", '"', "a b",
)  # fmt: skip
_ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp500")
_SPACES = (" ", "\t", "  ", "\r\n", "\r", "\n\n", "\v", "\f", "\u00a0")


def random_clip(rng: random.Random) -> Clip:
    """A small tree with random offsets, end sites and motion."""
    numbers = np.random.default_rng(rng.randrange(2**32))
    joints, frames = rng.randint(1, 8), rng.randint(1, 12)
    parents = [-1, *(rng.randrange(j) for j in range(1, joints))]
    ends = [j for j in range(joints) if rng.random() < 0.4]
    rotations = numbers.normal(size=(frames, joints, 4))
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    names = [
        f"{rng.choice(('Hips', 'mixamorig:Leg', 'arm.L', 'a b', 'é'))}{j}" for j in range(joints)
    ]
    skeleton = Skeleton(
        tuple(names), parents, numbers.normal(size=(joints, 3)), ends,
        numbers.normal(size=(len(ends), 3)),
    )  # fmt: skip
    return Clip(
        skeleton, rng.choice((24, 30, 59.94, 120)), numbers.normal(size=(frames, 3)), rotations
    )


def bvh_text(rng: random.Random, folder: Path) -> str:
    """A valid BVH: by our own writer, at times with the channels told differently."""
    path = folder / "valid.bvh"
    bvh.write(random_clip(rng), path, WriteOptions(up=rng.choice("yz")))
    text = path.read_text(encoding="utf-8")
    path.unlink()
    if rng.random() < 0.3:
        text = text.replace("Zrotation Xrotation", "Xrotation Zrotation")
    if rng.random() < 0.2:
        text = text.upper()
    if rng.random() < 0.1:
        text = text.replace("\n", " ", text[: text.find("MOTION")].count("\n") - 1)
    return text


def asf_and_amc(rng: random.Random) -> tuple[str, str]:
    """A valid skeleton and a motion for it."""
    count = rng.randint(1, 6)
    dofs = {
        f"bone{i}": rng.sample(("rx", "ry", "rz", "tx", "l"), rng.randint(0, 3))
        for i in range(count)
    }
    lines = [
        ":version 1.10", ":name character", ":units", "  mass 1.0",
        f"  length {rng.choice((0.45, 1.0))}",
        f"  angle {rng.choice(('deg', 'rad'))}", ":documentation", "  a body: made to be broken",
        ":root", "  order TX TY TZ RX RY RZ", "  axis XYZ", "  position 0 0 0",
        "  orientation 0 0 0", ":bonedata",
    ]  # fmt: skip
    for index, (name, dof) in enumerate(dofs.items()):
        x, y, z = (round(rng.gauss(0, 1), 4) for _ in range(3))
        lines += [
            "  begin",
            f"    id {index + 1}",
            f"    name {name}",
            f"    direction {x} {y} {z}",
        ]
        lines += [
            f"    length {rng.random():.5f}",
            f"    axis {x} {y} {z} {rng.choice(('XYZ', 'ZYX'))}",
        ]
        lines += [f"    dof {' '.join(dof)}", "    limits (-160.0 20.0)"] if dof else []
        lines += ["  end"]
    lines += [":hierarchy", "  begin", "    root bone0"]
    lines += [f"    bone{rng.randrange(i)} bone{i}" for i in range(1, count)] + ["  end"]
    motion = ["# motion", ":FULLY-SPECIFIED", rng.choice((":DEGREES", ":RADIANS"))]
    for frame in range(1, rng.randint(2, 8)):
        motion += [str(frame), "root " + " ".join(f"{rng.gauss(0, 9):.4f}" for _ in range(6))]
        motion += [
            f"{name} " + " ".join(f"{rng.gauss(0, 9):.4f}" for _ in dof)
            for name, dof in dofs.items() if dof
        ]  # fmt: skip
    return "\n".join(lines) + "\n", "\n".join(motion) + "\n"


def damaged_text(text: str, rng: random.Random) -> bytes:
    """Lines and words deleted, doubled, swapped, replaced; other white space and encodings."""
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 8))):
        lines = text.split("\n")
        a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
        kind = rng.randrange(9)
        if kind == 0:
            del lines[a]
        elif kind == 1:
            lines.insert(a, lines[b])
        elif kind == 2:
            lines[a], lines[b] = lines[b], lines[a]
        elif kind in (3, 4, 5):
            words = lines[a].split(" ")
            place = rng.randrange(len(words))
            if kind == 3:
                words[place] = rng.choice(_WORDS)
            elif kind == 4:
                words.insert(place, rng.choice(_WORDS))
            else:
                del words[place]
            lines[a] = " ".join(words)
        elif kind == 6 and len(text) < 1 << 18:
            lines[a : a + 1] = [lines[a]] * rng.choice((2, 50, 3000))
        elif kind == 7:
            lines = lines[: a + 1]
            lines[a] = lines[a][: rng.randrange(len(lines[a]) + 1)]
        text = "\n".join(lines)
        if kind == 8:
            text = text.replace(rng.choice((" ", "\n", "\t", ":", "{")), rng.choice(_SPACES))
    encoding = rng.choice(_ENCODINGS) if rng.random() < 0.2 else "utf-8"
    data = text.encode(encoding, "replace")
    return damaged(data, rng) if rng.random() < 0.4 else data


def check_raw(value: object) -> None:
    """A reader's result is whole: shapes agree, numbers are finite, rotations are unit."""
    assert isinstance(value, RawMotion)
    frames, joints = value.rotations.shape[:2]
    assert frames >= 1
    assert joints == len(value.names) == len(set(value.names))
    assert all(name and name.isprintable() for name in value.names)
    assert value.parents[0] == -1
    assert all(0 <= parent < joint for joint, parent in enumerate(value.parents) if joint)
    assert value.offsets.shape == (joints, 3)
    assert value.end_offsets.shape == (len(value.end_joints), 3)
    assert all(0 <= joint < joints for joint in value.end_joints)
    assert all(t.shape == (frames, 3) for t in value.translations.values())
    for array in (value.offsets, value.end_offsets, *value.translations.values()):
        assert np.isfinite(array).all()
    assert np.abs(np.linalg.norm(value.rotations, axis=-1) - 1.0).max() < 1e-9
    assert np.isfinite(value.fps)
    assert value.fps > 0.0
    assert len(value.notes) < 40
    assert all(len(note) < 400 and "\n" not in note for note in value.notes)


def fuzz_bvh(rng: random.Random, folder: Path) -> None:
    path = folder / "case.bvh"
    path.write_bytes(damaged_text(bvh_text(rng, folder), rng))
    check_outcome(lambda: bvh.read(path, ReadOptions()), check_raw)


def fuzz_acclaim(rng: random.Random, folder: Path) -> None:
    asf, amc = asf_and_amc(rng)
    which = rng.randrange(3)
    skeleton, motion = folder / "case.asf", folder / "case_01.amc"
    skeleton.write_bytes(damaged_text(asf, rng) if which != 1 else asf.encode())
    motion.write_bytes(damaged_text(amc, rng) if which != 0 else amc.encode())
    check_outcome(lambda: acclaim.read(motion, ReadOptions()), check_raw)
    check_outcome(lambda: acclaim.read(skeleton, ReadOptions()), check_raw)


def undamaged_is_read(rng: random.Random, folder: Path) -> None:
    """What the generators make is valid, so that damage is what the readers are tried with."""
    asf, amc = asf_and_amc(rng)
    for name, text in {"a.asf": asf, "a_1.amc": amc, "a.bvh": bvh_text(rng, folder)}.items():
        (folder / name).write_text(text, encoding="utf-8")
    try:
        check_raw(acclaim.read(folder / "a_1.amc", ReadOptions()))
        check_raw(bvh.read(folder / "a.bvh", ReadOptions()))
    except InputError as error:
        raise AssertionError(f"a valid file was refused: {error}") from error


TARGETS: dict[str, Target] = {
    "bvh": fuzz_bvh, "acclaim": fuzz_acclaim, "valid-text": undamaged_is_read
}  # fmt: skip
