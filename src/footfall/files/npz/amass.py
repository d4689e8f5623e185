"""AMASS and other SMPL-family motions: axis-angle poses over a body model's joints.

Layouts by joints per frame: 22 (body), 24 (SMPL), 52 (SMPL+H), 55 (SMPL-X). The body is always
taken; fingers where they move; jaw and eyes never. Bone lengths come from the user's body model
(`ReadOptions.body_model`) and the file's `betas`, or from the average character of `smpl_skeleton`.
Files that state a mocap frame rate are AMASS's own and have Z up; SMPL's rest pose is Y up in its
own frame, so the rest pose given out is turned to stand in the file's axes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footfall.errors import FileFormatError
from footfall.files.intake.raw import RawMotion
from footfall.files.npz.archive import NpzArchive
from footfall.files.options import ReadOptions
from footfall.maths.arrays import Floats
from footfall.maths.quaternions import continuous, from_rotation_vector

MAX_VERTICES = 200_000

_LAYOUTS = {22: "SMPL", 24: "SMPL", 52: "SMPL+H", 55: "SMPL-X"}
_FIRST_FINGER = {"SMPL+H": 22, "SMPL-X": 25}
_STANDING = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
"""The quarter turn about x that stands SMPL's Y-up rest pose up in a Z-up file."""
_BLOCK = 8192


def is_amass(archive: NpzArchive) -> bool:
    """Return whether an archive has the poses of a SMPL-family motion."""
    return archive.first_of("poses", "pose_body", "body_pose") is not None


def read_amass(archive: NpzArchive, options: ReadOptions) -> RawMotion:
    """Return the body (and moving fingers) of an AMASS or SMPL file."""
    notes: list[str] = []
    poses = _poses(archive)
    frames, count = poses.shape[:2]
    layout = _LAYOUTS[count]
    picked = _pick_joints(poses, layout)
    names = tuple(name for name, _ in picked)
    rotations = np.empty((frames, len(picked), 4))
    for joint, (_, column) in enumerate(picked):
        for start in range(0, frames, _BLOCK):
            block = poses[start : start + _BLOCK, column]
            rotations[start : start + _BLOCK, joint] = from_rotation_vector(block)
        rotations[:, joint] = continuous(rotations[:, joint])
    del poses
    positions = _positions(archive, options, layout, notes)
    parents = _parents(names)
    key = archive.first_of("trans", "transl", "translation")
    if key is None:
        notes.append("it has no trans array; the character stays in place.")
    moved = archive.floats(key, frames, 3) if key else np.zeros((frames, 3))
    places = np.array([positions[name] for name in names])
    offsets = places - places[parents]
    offsets[0] = places[0]
    ends = _ends(names, positions)
    z_up = archive.first_of("mocap_framerate", "mocap_frame_rate") is not None
    rest = np.tile([1.0, 0.0, 0.0, 0.0], (len(names), 1))
    if z_up:
        rest[0] = _STANDING
    return RawMotion(
        format=f"AMASS ({layout})",
        names=names,
        parents=np.array(parents, np.int32),
        offsets=offsets,
        end_joints=np.array([j for j, _ in ends], np.int32),
        end_offsets=np.array([o for _, o in ends]).reshape(-1, 3),
        rotations=rotations,
        # SMPL turns the body about its pelvis, then moves it by trans.
        translations={0: moved + positions["pelvis"]},
        rest_rotations=rest,
        fps=archive.fps(notes),
        unit_m=1.0,
        up="z" if z_up else None,
        notes=tuple(notes),
    )


def _poses(archive: NpzArchive) -> Floats:
    """Return (T, N, 3) rotation vectors, from one array or from its parts."""
    if "poses" in archive:
        poses = archive.array("poses")
    else:
        parts = (
            ("root_orient", "global_orient"), ("pose_body", "body_pose"), ("pose_jaw", "jaw_pose"),
            ("pose_eye", "eye_pose"), ("pose_hand", "hand_pose"),
        )  # fmt: skip
        keys = [key for names in parts if (key := archive.first_of(*names))]
        if keys[0] not in parts[0]:
            raise FileFormatError("it has no root_orient array", remedy="AMASS files have one")
        arrays = [archive.array(key) for key in keys]
        if any(a.ndim < 2 or len(a) != len(arrays[0]) for a in arrays):
            raise FileFormatError("its pose arrays differ in their numbers of frames")
        poses = np.concatenate([a.reshape(len(a), -1) for a in arrays], axis=1)
    if poses.dtype.kind not in "iuf" or poses.ndim < 2 or not poses.size:
        raise FileFormatError(f"its poses are {poses.dtype} of shape {poses.shape}")
    width = poses.size // len(poses)
    if width % 3 or width // 3 not in _LAYOUTS:
        known = ", ".join(f"{3 * n} ({name})" for n, name in _LAYOUTS.items() if n != 22)
        raise FileFormatError(
            f"its poses have {width} numbers a frame", remedy=f"known are {known}"
        )
    with np.errstate(invalid="ignore", over="ignore"):
        flat = poses.reshape(len(poses), width // 3, 3).astype(np.float64)
        bad = ~(np.abs(flat) < 1e4)  # NaN as well
    if bad.any():
        frame, joint, _ = np.unravel_index(int(np.argmax(bad)), flat.shape)
        raise FileFormatError(f"frame {frame}, joint {joint} of its poses is not a rotation")
    return flat


def _pick_joints(poses: Floats, layout: str) -> list[tuple[str, int]]:
    """Return (name, column of `poses`) of each joint that is taken, parents first."""
    body = list(enumerate(BODY_NAMES[: 24 if poses.shape[1] == 24 else 22]))
    picked = [(name, column) for column, name in body]
    first = _FIRST_FINGER.get(layout)
    # Files without hand capture hold one fixed hand pose, or none.
    if first is not None and np.ptp(poses[:, first : first + 30], axis=0).max() > 1e-4:
        fingers = hand_names("left") + hand_names("right")
        picked += [(name, first + i) for i, name in enumerate(fingers)]
    return picked


def _parents(names: tuple[str, ...]) -> list[int]:
    place = {name: joint for joint, name in enumerate(names)}
    parents = []
    for name in names:
        if name in BODY_NAMES:
            parent = BODY_PARENTS[BODY_NAMES.index(name)]
            parents.append(place[BODY_NAMES[parent]] if parent >= 0 else -1)
        else:
            stem, number = name[:-1], int(name[-1])
            above = f"{stem}{number - 1}" if number > 1 else f"{name.split('_')[0]}_wrist"
            parents.append(place[above])
    return parents


def _ends(names: tuple[str, ...], positions: dict[str, Floats]) -> list[tuple[int, Floats]]:
    """Return (joint, offset) of the end sites that the character's tips give."""
    ends = []
    leaves = set(range(len(names))) - set(_parents(names))
    for joint in sorted(leaves):
        name = names[joint]
        stem = name.removesuffix("3") if name[-1] == "3" else name.replace("wrist", "hand")
        ends.append((joint, positions[f"{stem}_tip"] - positions[name]))
    return ends


def _positions(
    archive: NpzArchive, options: ReadOptions, layout: str, notes: list[str]
) -> dict[str, Floats]:
    """Rest position of each joint and tip by name, from the body model or the average character."""
    if options.body_model is None:
        notes.append("no body model was given; an average character of 1.70 m was taken.")
        return average_positions()
    path = Path(options.body_model)
    betas = archive.floats("betas", None) if "betas" in archive else np.zeros(0)
    if not path.is_file():
        raise FileFormatError("there is no such body model", where=str(path))
    if path.suffix.lower() != ".npz":
        raise FileFormatError(
            f"a body model of type {path.suffix!r} is a Python pickle, which can run code",
            where=path.name, remedy="download it as .npz, or save its arrays with numpy.savez",
        )  # fmt: skip
    try:
        with NpzArchive(path) as model:
            return _model_positions(model, betas, layout, notes)
    except FileFormatError as error:
        raise error.at(path.name) from None


def _model_positions(
    model: NpzArchive, betas: Floats, layout: str, notes: list[str]
) -> dict[str, Floats]:
    vertices: Floats | None = None
    if "v_template" in model:
        vertices = model.floats("v_template", None, 3)
        if not 3 <= len(vertices) <= MAX_VERTICES:
            raise FileFormatError(f"it has {len(vertices)} vertices", where="array 'v_template'")
        if "shapedirs" in model and betas.size:
            shapes = model.floats("shapedirs", len(vertices), 3, None)
            used = min(len(betas), shapes.shape[2])
            vertices = vertices + shapes[:, :, :used] @ betas[:used]
        regressor = _regressor(model, len(vertices))
    else:
        regressor = None
    if regressor is not None and vertices is not None:
        joints = regressor @ vertices
    elif "J" in model:
        joints = model.floats("J", None, 3)
        if betas.any():
            notes.append("the body model has no joint regressor; its mean shape was taken.")
    else:
        raise FileFormatError(
            "it gives no joints", remedy="it needs J, or J_regressor and v_template"
        )
    if len(joints) not in _LAYOUTS or not np.isfinite(joints).all():
        raise FileFormatError(f"it has {len(joints)} joints", remedy="it must have 24, 52 or 55")
    return _points_by_name(joints, vertices)


def _points_by_name(joints: Floats, vertices: Floats | None) -> dict[str, Floats]:
    """Positions by name; what the model lacks (fingers, tips) is added from the average character.

    Average fingers and tips are moved to the model's wrists, feet and head.
    """
    count = len(joints)
    body = 24 if count == 24 else 22
    names = BODY_NAMES[:body]
    known = dict(zip(names, joints, strict=False))
    first = _FIRST_FINGER.get(_LAYOUTS[count])
    if first is not None:
        fingers = hand_names("left") + hand_names("right")
        known |= dict(zip(fingers, joints[first : first + 30], strict=True))
    average = average_positions()
    for name, point in average.items():
        if name not in known and name not in BODY_NAMES[22:]:
            anchor = _anchor(name, known)
            known[name] = known[anchor] + point - average[anchor]
    for side in ("left", "right"):
        known.setdefault(f"{side}_hand", known[f"{side}_wrist"])
    if vertices is not None:
        known["head_tip"] = np.array([known["head"][0], vertices[:, 1].max(), known["head"][2]])
    return known


def _anchor(name: str, known: dict[str, Floats]) -> str:
    """Return the joint of the model that a missing finger or tip keeps its distance to."""
    side = name.split("_")[0]
    if name == "head_tip":
        return "head"
    if name.endswith("foot_tip"):
        return f"{side}_foot"
    last = name.replace("_tip", "3")
    return last if last in known and last != name else f"{side}_wrist"


def _regressor(model: NpzArchive, vertices: int) -> Floats | None:
    """Return (J, V) joints from vertices: dense, or sparse as the arrays of CSR, CSC or COO."""
    if "J_regressor" in model:
        dense = model.floats("J_regressor", None, None)
        if dense.shape[1] != vertices and dense.shape[0] == vertices:
            dense = dense.T
        if dense.shape[1] != vertices:
            raise FileFormatError(
                f"it has shape {dense.shape} for {vertices} vertices", where="array 'J_regressor'"
            )
        return dense
    if "J_regressor_data" not in model:
        return None
    rows, columns = (int(n) for n in model.floats("J_regressor_shape", 2))
    if columns != vertices or not 1 <= rows <= 256:
        raise FileFormatError(f"it is {rows} × {columns}", where="array 'J_regressor_shape'")
    values = model.floats("J_regressor_data", None)
    at_row, at_column = _sparse_places(model, rows, columns, len(values))
    if len(values) and not (
        at_row.min() >= 0 and at_row.max() < rows
        and at_column.min() >= 0 and at_column.max() < columns
    ):  # fmt: skip
        raise FileFormatError("an index lies outside", where="array 'J_regressor_indices'")
    dense = np.zeros((rows, columns))
    np.add.at(dense, (at_row, at_column), values)
    return dense


def _sparse_places(
    model: NpzArchive, rows: int, columns: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    if "J_regressor_row" in model:
        row = model.floats("J_regressor_row", count).astype(np.int64)
        return row, model.floats("J_regressor_col", count).astype(np.int64)
    inner = model.floats("J_regressor_indices", count).astype(np.int64)
    starts = model.floats("J_regressor_indptr", None).astype(np.int64)
    runs = np.diff(starts)
    whole = len(starts) and starts[0] == 0 and starts[-1] == count and (runs >= 0).all()
    if not whole or len(runs) not in (rows, columns):
        raise FileFormatError("it does not fit the data", where="array 'J_regressor_indptr'")
    outer = np.repeat(np.arange(len(runs)), runs)
    return (outer, inner) if len(runs) == rows else (inner, outer)


# SMPL's tree of joints, and an average character for it where no body model is given.
#
# Names and tree are those that SMPL, SMPL+H and SMPL-X files are laid out by. The character is not
# SMPL's: its lengths are the published proportions of Drillis & Contini (1966), as printed in
# Winter, *Biomechanics and Motor Control of Human Movement*, fig. 4.1, for a stature of 1.70 m;
# where they say nothing (spine, joint centres inside the trunk, fingers) the fractions are ours.
# It stands in a T-pose, Y up, facing +Z, left arm along +X, the pelvis at the origin.

BODY_NAMES = (
    "pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2",
    "left_ankle", "right_ankle", "spine3", "left_foot", "right_foot", "neck", "left_collar",
    "right_collar", "head", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow",
    "left_wrist", "right_wrist", "left_hand", "right_hand",
)  # fmt: skip
BODY_PARENTS = (
    -1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21,
)  # fmt: skip
FINGERS = ("index", "middle", "pinky", "ring", "thumb")

STATURE_M = 1.70
# Fractions of stature.
_HIP_HEIGHT, _KNEE_HEIGHT, _ANKLE_HEIGHT = 0.530, 0.285, 0.039
_SHOULDER_HEIGHT, _CHIN_HEIGHT = 0.818, 0.870
_HIP_HALF, _SHOULDER_HALF, _COLLAR_HALF = 0.050, 0.100, 0.045
_UPPER_ARM, _FOREARM, _HAND = 0.186, 0.146, 0.108
_FOOT = 0.152


def hand_names(side: str) -> tuple[str, ...]:
    """Return the 15 finger joints of a hand, in SMPL+H's order."""
    return tuple(f"{side}_{finger}{n}" for finger in FINGERS for n in (1, 2, 3))


def average_positions() -> dict[str, Floats]:
    """Joint and tip positions in metres, the pelvis at the origin: name -> (3,).

    Tips (`head_tip`, `left_foot_tip`, `left_hand_tip`, `left_index_tip`, …) end the chains.
    """
    pelvis = _HIP_HEIGHT + 0.010
    points: dict[str, tuple[float, float, float]] = {
        "pelvis": (0.0, 0.0, 0.0),
        "spine1": (0.0, 0.065, -0.005),
        "spine2": (0.0, 0.140, -0.005),
        "spine3": (0.0, 0.215, -0.005),
        "neck": (0.0, _SHOULDER_HEIGHT + 0.012 - pelvis, -0.015),
        "head": (0.0, _CHIN_HEIGHT + 0.012 - pelvis, 0.005),
        "head_tip": (0.0, 1.0 - pelvis, 0.005),
    }
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for name, point in {**_leg(pelvis), **_arm(pelvis)}.items():
            points[f"{side}_{name}"] = (sign * point[0], point[1], point[2])
    return {name: STATURE_M * np.array(point) for name, point in points.items()}


def _leg(pelvis: float) -> dict[str, tuple[float, float, float]]:
    heel_to_ankle = 0.25 * _FOOT
    ball = 0.70 * _FOOT - heel_to_ankle
    return {
        "hip": (_HIP_HALF, _HIP_HEIGHT - pelvis, 0.0),
        "knee": (_HIP_HALF, _KNEE_HEIGHT - pelvis, 0.0),
        "ankle": (_HIP_HALF, _ANKLE_HEIGHT - pelvis, -0.012),
        "foot": (_HIP_HALF + 0.004, 0.010 - pelvis, ball - 0.012),
        "foot_tip": (_HIP_HALF + 0.004, 0.005 - pelvis, 0.75 * _FOOT - 0.012),
    }


def _arm(pelvis: float) -> dict[str, tuple[float, float, float]]:
    height, depth = _SHOULDER_HEIGHT - pelvis, -0.010
    elbow = _SHOULDER_HALF + _UPPER_ARM
    wrist = elbow + _FOREARM
    points = {
        "collar": (_COLLAR_HALF, height - 0.010, depth),
        "shoulder": (_SHOULDER_HALF, height, depth),
        "elbow": (elbow, height, depth),
        "wrist": (wrist, height, depth),
        "hand": (wrist + 0.45 * _HAND, height, depth),
        "hand_tip": (wrist + _HAND, height, depth),
    }
    # Knuckles across the palm, then three phalanges; each finger: side step, start and length.
    rows = {
        "index": (0.013, 0.47, 0.46), "middle": (0.002, 0.48, 0.52), "ring": (-0.009, 0.46, 0.48),
        "pinky": (-0.019, 0.43, 0.38), "thumb": (0.022, 0.16, 0.38),
    }  # fmt: skip
    for finger, (across, start, length) in rows.items():
        for n, share in (("1", 0.0), ("2", 0.45), ("3", 0.75), ("_tip", 1.0)):
            reach = wrist + _HAND * (start + share * length)
            points[f"{finger}{n}"] = (reach, height, depth + across)
    return points
