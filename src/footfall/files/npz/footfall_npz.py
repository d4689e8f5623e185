"""NPZ: the arrays of a motion as NumPy keeps them; also the door to AMASS and SMPL files.

Keys (T frames, J joints, E end sites; metres, Y up unless `unit_m` and `up` say otherwise):

    posed_joints    (T, J, 3) joint positions in the world
    local_rot_mats  (T, J, 3, 3) joint rotations against their parents
    root_positions  (T, 3) position of joint 0
    foot_contacts   (T, 4) left heel, left toe, right heel, right toe (only if known)
    touches         (T, 3) left hand, right hand, seat (only if known)
    fps             frames per second
    names, parents, offsets, end_joints, end_offsets   the skeleton (see `Skeleton`)
    name, tags, unit_m, up
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.body.clip import CONTACT_POINTS, TOUCH_PARTS, Clip
from footfall.errors import FileFormatError, choices
from footfall.files.atomic import atomic_file
from footfall.files.axes import in_file_axes
from footfall.files.intake.raw import RawMotion, printable
from footfall.files.npz.amass import BODY_NAMES, BODY_PARENTS, is_amass, read_amass
from footfall.files.npz.archive import NpzArchive, name_list
from footfall.files.options import ReadOptions, WriteOptions
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.quaternions import continuous, dot, from_matrix, to_matrix

MAX_JOINTS = 4096

_BLOCK = 1 << 16
_SKEW = 1e-2
_MISFIT_M = 0.02


def write(clip: Clip, path: Path, options: WriteOptions) -> None:
    """Write a clip as arrays: frames in float32, the skeleton in float64."""
    unit_m = options.unit_m or 1.0
    clip = in_file_axes(clip, unit_m, options.up)
    skeleton = clip.skeleton
    matrices = np.empty((*clip.rotations.shape[:2], 3, 3), np.float32)
    size = max(1, _BLOCK // len(skeleton))
    for start in range(0, len(clip), size):
        matrices[start : start + size] = to_matrix(clip.rotations[start : start + size])
    arrays = {
        "posed_joints": clip.positions.astype(np.float32),
        "local_rot_mats": matrices,
        "root_positions": clip.root.astype(np.float32),
        "fps": np.float64(clip.fps),
        "names": np.array(skeleton.names, dtype=np.str_),
        "parents": skeleton.parents,
        "offsets": skeleton.offsets,
        "end_joints": skeleton.end_joints,
        "end_offsets": skeleton.end_offsets,
        "name": np.array(clip.name, dtype=np.str_),
        "tags": np.array(clip.tags, dtype=np.str_),
        "unit_m": np.float64(unit_m),
        "up": np.array(options.up, dtype=np.str_),
    }
    if clip.contacts is not None:
        arrays["foot_contacts"] = clip.contacts
    if clip.touches is not None:
        arrays["touches"] = clip.touches
    with atomic_file(path) as temporary, temporary.open("wb") as out:
        np.savez(out, allow_pickle=False, **arrays)  # type: ignore[arg-type]


def read(path: Path, options: ReadOptions) -> RawMotion:
    """Read a motion from an `.npz` file; its keys say whether it is ours or one of AMASS."""
    with NpzArchive(path) as archive:
        if "local_rot_mats" in archive:
            return _read_own(archive)
        if is_amass(archive):
            return read_amass(archive, options)
        if "v_template" in archive:
            raise FileFormatError(
                "it is a body model, not a motion",
                remedy="give it as the body model of an AMASS file",
            )
        raise FileFormatError(
            f"it holds no motion Footfall knows (arrays: {name_list(archive.keys)})",
            remedy="it needs local_rot_mats and root_positions, or the poses and trans of AMASS",
        )


def _read_own(archive: NpzArchive) -> RawMotion:
    matrices = archive.numbers("local_rot_mats", None, None, 3, 3)
    frames, joints = matrices.shape[:2]
    if not frames or not joints:
        raise FileFormatError("it holds no frames or no joints", where="array 'local_rot_mats'")
    if joints > MAX_JOINTS:
        raise FileFormatError(f"it has {joints} joints", remedy=f"at most {MAX_JOINTS}")
    rotations = _rotations(matrices)
    del matrices
    notes: list[str] = []
    root = _root(archive, frames)
    names, parents = _tree(archive, joints, notes)
    if "offsets" in archive:
        offsets = archive.floats("offsets", joints, 3)
    else:
        offsets = _fitted_offsets(archive, parents, rotations, names, notes)
    ends = "end_joints" in archive and "end_offsets" in archive
    end_joints = _indices(archive, "end_joints", joints) if ends else np.zeros(0, np.int32)
    return RawMotion(
        format="NPZ",
        names=names,
        parents=parents,
        offsets=offsets,
        end_joints=end_joints,
        end_offsets=archive.floats("end_offsets", len(end_joints), 3) if ends else np.zeros((0, 3)),
        rotations=rotations,
        translations={0: root},
        fps=archive.fps(notes),
        unit_m=_unit(archive),
        up=_up(archive),
        contacts=_labels(archive, "foot_contacts", (frames, len(CONTACT_POINTS)), notes),
        touches=_labels(archive, "touches", (frames, len(TOUCH_PARTS)), notes),
        tags=archive.texts("tags") if "tags" in archive else (),
        name=_one_text(archive, "name") or "",
        notes=tuple(notes),
    )


def _rotations(matrices: NDArray[Any]) -> Floats:
    """Return (T, J, 4) of (T, J, 3, 3), which must be rotations; block by block to spare memory."""
    rotations = np.empty((*matrices.shape[:2], 4))
    size = max(1, _BLOCK // matrices.shape[1])
    for start in range(0, len(matrices), size):
        with np.errstate(invalid="ignore", over="ignore"):
            block = np.clip(matrices[start : start + size].astype(np.float64), -9.0, 9.0)
        x, y, z = block[..., 0], block[..., 1], block[..., 2]
        products = (dot(x, x) - 1, dot(y, y) - 1, dot(z, z) - 1, dot(x, y), dot(y, z), dot(z, x))
        volume = dot(np.cross(x, y), z)
        fine = volume > 0.0  # False for NaN, as all comparisons are
        for product in products:
            fine &= np.abs(product) <= _SKEW
        if not fine.all():
            frame, column = np.unravel_index(int(np.argmin(fine)), fine.shape)
            raise FileFormatError(
                f"frame {start + int(frame)}, joint {int(column)} is no rotation matrix",
                where="array 'local_rot_mats'",
            )
        rotations[start : start + size] = from_matrix(block)
    for joint in range(rotations.shape[1]):
        rotations[:, joint] = continuous(rotations[:, joint])
    return rotations


def _root(archive: NpzArchive, frames: int) -> Floats:
    if "root_positions" in archive:
        return archive.floats("root_positions", frames, 3)
    if "posed_joints" in archive:
        return archive.floats("posed_joints", frames, None, 3)[:, 0]
    raise FileFormatError("it says nowhere where the root is", remedy="it needs root_positions")


def _tree(archive: NpzArchive, joints: int, notes: list[str]) -> tuple[tuple[str, ...], Ints]:
    """Names and parents as stated, or those of SMPL where the number of joints is SMPL's."""
    names = tuple(printable(n) for n in archive.texts("names")) if "names" in archive else None
    if names is not None and len(names) != joints:
        raise FileFormatError(f"it holds {len(names)} names for {joints} joints")
    if "parents" in archive:
        parents = _indices(archive, "parents", joints, lowest=-1)
        if len(parents) != joints:
            raise FileFormatError(f"it holds {len(parents)} parents for {joints} joints")
        late = np.flatnonzero(parents[1:] >= np.arange(1, joints))
        if parents[0] != -1 or (parents[1:] < 0).any() or late.size:
            raise FileFormatError(
                "its tree is not in order", where="array 'parents'",
                remedy="joint 0 has parent -1, all others a parent before them",
            )  # fmt: skip
        if names is None:
            notes.append("its joints have no names; they were numbered.")
            names = tuple(f"joint_{j}" for j in range(joints))
        return names, parents
    if joints in (22, 24):
        notes.append(f"its {joints} joints have no tree; they fit the order of SMPL.")
        smpl = tuple(BODY_NAMES[:joints])
        return names or smpl, np.array(BODY_PARENTS[:joints], np.int32)
    raise FileFormatError(
        f"it has {joints} joints but no tree", remedy="it needs the arrays names and parents"
    )


def _indices(archive: NpzArchive, key: str, joints: int, lowest: int = 0) -> Ints:
    values = archive.array(key)
    wrong = values.ndim != 1 or values.dtype.kind not in "iu" or len(values) > 16 * MAX_JOINTS
    if wrong or (values.size and (values.min() < lowest or values.max() >= joints)):
        raise FileFormatError(
            f"it must hold whole numbers from {lowest} to {joints - 1}", where=f"array {key!r}"
        )
    return values.astype(np.int32)


def _fitted_offsets(
    archive: NpzArchive, parents: Ints, rotations: Floats, names: tuple[str, ...], notes: list[str]
) -> Floats:
    """Return (J, 3) offsets from posed joints; they must be constant if the tree is right."""
    from footfall.body.kinematics import forward_kinematics
    from footfall.body.skeleton import Skeleton
    from footfall.maths.quaternions import conjugate, rotate

    if "posed_joints" not in archive:
        raise FileFormatError("it has no bone lengths", remedy="it needs offsets or posed_joints")
    frames, joints = rotations.shape[:2]
    posed = archive.floats("posed_joints", frames, joints, 3)
    some = np.linspace(0, frames - 1, min(frames, 500)).astype(int)
    plain = Skeleton(tuple(f"{j}" for j in range(joints)), parents, np.zeros((joints, 3)))
    turns = forward_kinematics(plain, np.zeros((len(some), 3)), rotations[some]).rotations
    posed = posed[some]
    offsets = np.zeros((joints, 3))
    for joint in range(1, joints):
        parent = int(parents[joint])
        bone = rotate(conjugate(turns[:, parent]), posed[:, joint] - posed[:, parent])
        offsets[joint] = np.median(bone, axis=0)
        stray = float(np.abs(bone - offsets[joint]).max())
        size = max(1.0, float(np.abs(posed[:, joint] - posed[:, 0]).max()))
        if stray > _MISFIT_M * size:
            raise FileFormatError(
                f"its posed joints do not fit its rotations (bone to {names[joint][:40]} strays "
                f"by {stray:.3g})",
                remedy="give its own names and parents",
            )
    notes.append("its bone lengths were taken from the posed joints.")
    return offsets


def _labels(
    archive: NpzArchive, key: str, shape: tuple[int, int], notes: list[str]
) -> Bools | None:
    if key not in archive:
        return None
    values = archive.array(key)
    if values.shape != shape or values.dtype.kind not in "biuf":
        what = key.replace("_", " ")
        notes.append(f"the {what} have shape {values.shape} and were left out.")
        return None
    return np.asarray(values > 0.5) if values.dtype.kind == "f" else values.astype(np.bool_)


def _unit(archive: NpzArchive) -> float | None:
    if "unit_m" not in archive:
        return None
    unit_m = archive.number("unit_m")
    if not 1e-6 <= unit_m <= 1e6:
        raise FileFormatError(f"a unit of {unit_m} m cannot be", where="array 'unit_m'")
    return unit_m


def _up(archive: NpzArchive) -> str | None:
    up = _one_text(archive, "up")
    if up is not None and up not in ("x", "y", "z", "-x", "-y", "-z"):
        raise FileFormatError(f"the up axis is {up[:20]!r}", remedy=choices(("y", "z")))
    return up


def _one_text(archive: NpzArchive, key: str) -> str | None:
    return next(iter(archive.texts(key)), None) if key in archive else None
