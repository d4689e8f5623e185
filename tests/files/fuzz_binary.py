"""Fuzz targets for the binary formats: valid files made here, damaged as bytes and as fields."""

from __future__ import annotations

import json
import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from footfall.files import gltf
from footfall.files.gltf.writer import write_glb
from footfall.files.intake.clip import clip_from_raw
from footfall.files.intake.raw import RawMotion
from footfall.files.npz import footfall_npz as npz
from footfall.files.options import ReadOptions, WriteOptions
from tests.files.binary_samples import raw_positions, skinned_box, small_clip
from tests.fuzz import Target, check_outcome, damaged

_NUMBERS = (
    0, -1, 1, 2, 3, 5, 255, 256, 65535, 2**31 - 1, 2**31, 2**32, 2**53, 2**63, 10**30, 0.5, -0.5,
    1e-30, 1e30, 1e300, -1e300, 5120, 5126,
)  # fmt: skip
_OTHERS = (None, True, "", "abc", "SCALAR", "VEC3", "MAT4", [], {}, [0], [[]], "../x.bin", "\u0000")


def check_motion(value: object) -> None:
    """A reader's motion is whole: shapes agree, all is finite, parents come first."""
    assert isinstance(value, RawMotion)
    frames, joints = value.rotations.shape[:2]
    assert frames >= 1
    assert value.rotations.shape == (frames, joints, 4)
    assert len(value.names) == len(value.parents) == len(value.offsets) == joints
    assert value.parents[0] == -1
    assert all(0 <= p < j for j, p in enumerate(value.parents[1:].tolist(), start=1))
    assert len(value.end_joints) == len(value.end_offsets)
    assert np.allclose(np.linalg.norm(value.rotations, axis=-1), 1.0, atol=1e-6)
    assert all(t.shape == (frames, 3) for t in value.translations.values())
    assert np.isfinite(raw_positions(value)).all()
    assert all("\n" not in note and len(note) < 400 for note in value.notes)
    if value.contacts is not None:
        assert value.contacts.shape == (frames, 4)


def check_reading(read: Callable[[Path, ReadOptions], RawMotion], path: Path) -> None:
    """Read a file; then let the intake make a clip of whatever came out of it."""
    found: list[RawMotion] = []

    def reading() -> RawMotion:
        found.append(read(path, ReadOptions()))
        return found[0]

    check_outcome(reading, check_motion)
    if found:
        check_outcome(lambda: clip_from_raw(found[0], ReadOptions()), lambda clip: None)


def mutate_json(tree: Any, rng: random.Random) -> None:
    """Change, drop or double some values deep inside a JSON tree."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        holder = tree
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = rng.choice(keys)
            inner = holder[key]
            if isinstance(inner, dict | list) and inner and rng.random() < 0.85:
                holder = inner
                continue
            kind = rng.randrange(6)
            if kind == 0:
                del holder[key]
            elif kind == 1 and isinstance(holder, list):
                holder.insert(key, inner)
            elif kind == 2:
                holder[key] = rng.choice(_OTHERS)
            elif kind == 3 and isinstance(inner, int):
                holder[key] = inner + rng.choice((-1, 1, 2))
            else:
                holder[key] = rng.choice(_NUMBERS)
            break


def _glb_parts(data: bytes) -> tuple[Any, bytes]:
    length = struct.unpack("<I", data[12:16])[0]
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def glb(rng: random.Random, folder: Path) -> None:
    """A GLB file with damaged bytes."""
    path = folder / "case.glb"
    clip = small_clip(rng.randint(1, 9), rng.randrange(99))
    write_glb(clip, path, skinned_box() if rng.random() < 0.3 else None)
    path.write_bytes(damaged(path.read_bytes(), rng))
    check_reading(gltf.read, path)


def gltf_fields(rng: random.Random, folder: Path) -> None:
    """A GLB file whose description is well-formed JSON with wrong values."""
    path = folder / "case.glb"
    write_glb(small_clip(rng.randint(1, 9), rng.randrange(99)), path)
    tree, binary = _glb_parts(path.read_bytes())
    if rng.random() < 0.5:
        for track in rng.sample(tree["animations"][0]["samplers"], 2):
            track["interpolation"] = rng.choice(("STEP", "CUBICSPLINE", "LINEAR"))
    if rng.random() < 0.5:
        node = rng.choice(tree["nodes"])
        node["scale"] = [rng.choice((1.0, 0.01, -1.0, 0.0, 2.0))] * 3
    if rng.random() < 0.3:
        tree["animations"][0].pop("extras", None)
    mutate_json(tree, rng)
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    total = 28 + len(text) + len(binary)
    head = struct.pack("<4sIII4s", b"glTF", 2, total, len(text), b"JSON")
    path.write_bytes(head + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary)
    check_reading(gltf.read, path)


def gltf_text(rng: random.Random, folder: Path) -> None:
    """A text glTF file with damaged bytes."""
    path = folder / "case.gltf"
    write_glb(small_clip(3, rng.randrange(99)), path)
    path.write_bytes(damaged(path.read_bytes(), rng))
    check_reading(gltf.read, path)


def npz_bytes(rng: random.Random, folder: Path) -> None:
    """An NPZ file (stored or packed) with damaged bytes."""
    path = folder / "case.npz"
    npz.write(small_clip(rng.randint(1, 9), rng.randrange(99)), path, WriteOptions())
    if rng.random() < 0.5:
        with np.load(path, allow_pickle=False) as arrays:
            kept = dict(arrays)
        np.savez_compressed(path, **kept)
    path.write_bytes(damaged(path.read_bytes(), rng))
    check_reading(npz.read, path)


def npz_members(rng: random.Random, folder: Path) -> None:
    """An intact zip whose members have damaged headers, shapes, types or values."""
    path = folder / "case.npz"
    if rng.random() < 0.5:
        npz.write(small_clip(rng.randint(1, 9), rng.randrange(99)), path, WriteOptions())
    else:
        _amass(rng, path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(rng.choice((1, 1, 2))):
        key = rng.choice(list(members))
        kind = rng.randrange(4)
        if kind == 0:
            del members[key]
            members = members or {"x.npy": b""}
        elif kind == 1:
            members[key] = damaged(members[key], rng)
        elif kind == 2:
            members[key] = members[rng.choice(list(members))]
        else:
            old, new = rng.choice(
                (("(", "(9,"), (", ", ",9"), ("<f8", "<i8"), ("<f4", "|O"), ("<f4", "<c8"),
                 ("<f4", "<U1"), ("False", "True"), ("}", " "), ("shape", "chape"), ("1", "9")),
            )  # fmt: skip
            members[key] = members[key].replace(old.encode(), new.encode(), 1)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    check_reading(npz.read, path)


def _amass(rng: random.Random, path: Path) -> None:
    numbers = np.random.default_rng(rng.randrange(2**32))
    frames = rng.randint(1, 9)
    width = rng.choice((66, 72, 156, 165))
    poses = 0.3 * numbers.normal(size=(frames, width))
    np.savez(
        path, poses=poses, trans=numbers.normal(size=(frames, 3)), betas=np.zeros(16),
        gender="male", mocap_framerate=120.0,
    )  # fmt: skip


def usda(rng: random.Random, folder: Path) -> None:
    """A text USD file with damaged bytes or words."""
    from footfall.files import usd
    from footfall.files.usd.writer import write_usd

    path = folder / "case.usda"
    write_usd(small_clip(rng.randint(1, 4), rng.randrange(99)), path)
    data = path.read_bytes()
    if rng.random() < 0.5:
        words = data.split(b" ")
        for _ in range(rng.choice((1, 1, 2, 4))):
            place = rng.randrange(len(words))
            words[place] = rng.choice(
                (b"nan,", b"inf,", b"1e300,", b"-1", b"0:", b"1e9:", b"None", b"[]", b"()", b'"x"',
                 b"</Character>", b"@../x.usda@", b"timeSamples", b"", b"(0, 0, 0, 0)",
                 *words[:40]),
            )  # fmt: skip
        data = b" ".join(words)
    else:
        data = damaged(data, rng)
    path.write_bytes(data)
    check_reading(usd.read, path)


TARGETS: dict[str, Target] = {
    "glb": glb, "gltf-fields": gltf_fields, "gltf-text": gltf_text,
    "npz": npz_bytes, "npz-members": npz_members, "usda": usda,
}  # fmt: skip
