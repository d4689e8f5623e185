"""Turn a file's contents into a clip: units, axes, sides, rest pose and roles.

The steps, each of which leaves a sentence in `Clip.source.notes` when it repaired, dropped or
suspects something:

1. roles: which joint is what (`footfall.body.roles`)
2. root: the hips become joint 0; what is above is folded into them, what is beside is dropped
3. units and axes: metres, y up
4. an inserted T-pose at the start is dropped
5. rest pose: a T-pose facing +z, every joint staying where it is at every frame
6. a frame rate that contradicts free fall is said
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.body.axes import AXES, detect_unit, nearest_axis, other_unit, to_y_up
from footfall.body.clip import Clip, Source
from footfall.body.feet import foot_points
from footfall.body.rest import (
    ReferencePose,
    canonical_turns,
    facing,
    pelvis_frame,
    pose_reference,
    stance_problem,
    turned,
)
from footfall.body.size import stature
from footfall.body.skeleton import Skeleton
from footfall.errors import FileFormatError, InputError, choices
from footfall.files.intake.orientation import check_sides, find_up
from footfall.files.intake.raw import RawMotion
from footfall.files.intake.rooting import RootedBody, find_rooted_body, wobble_notes
from footfall.files.intake.sampling import mean_reference
from footfall.files.intake.suspicions import begins_with_t_pose, rate_suspicion
from footfall.files.options import ReadOptions
from footfall.maths.arrays import Floats, Ints
from footfall.maths.quaternions import from_matrix

_BLOCK = 1 << 13
_LARGEST_PART = 1.001  # of a unit quaternion, with rounding
_USUAL_STATURE_M = (1.2, 2.2)
_FARTHEST = 1e9  # file units; anything beyond is damage, and would overflow


def clip_from_raw(raw: RawMotion, options: ReadOptions = ReadOptions()) -> Clip:  # noqa: B008
    """Return the clip that a file's content means.

    Takes ownership of `raw`: its rotations and translations are rewritten in place, so that
    even very long clips need little more memory than their arrays.
    """
    _check(raw, options)
    body, wobbles = find_rooted_body(raw, options.roles)
    canonical = bool(body.skeleton.roles) and options.rest == "t-pose"
    unit = _unit(body, options.unit_m or raw.unit_m)
    check_sides(body, by_hand=bool(options.roles))
    guess = find_up(
        body, options.up or raw.up, options.fps or raw.fps, _leg_length(body.skeleton), unit
    )
    up = guess.axis
    body.notes += wobble_notes(wobbles, unit)
    first = _first_frame(body, options, up)
    root, rotations = body.root[first:], body.rotations[first:]
    contacts = None if raw.contacts is None else raw.contacts[first:]
    forward = "z"
    turns = np.tile(np.eye(3), (len(body.keep), 1, 1))
    skeleton = body.skeleton
    if canonical:
        reference, turn, forward = _reference(body, first, up)
        turns = canonical_turns(skeleton, reference, turn)
        skeleton = _stand_on_floor(turned(skeleton, turns, unit), raw.offsets[0] * unit)
    elif unit != 1.0:
        skeleton = skeleton.scaled(unit)
    rotations = _rewrite_rotations(rotations, body.keep, skeleton.parents, to_y_up(up), turns)
    root = _place_root(root, unit, up)
    fps = options.fps or raw.fps
    if options.unit_m is None:
        body.notes += _stature_notes(skeleton)
    if canonical:
        body.notes += rate_suspicion(skeleton, root, rotations, fps)
    source = Source(
        format=raw.format, unit_m=unit, up=up, forward=forward, stated_fps=raw.fps,
        licence=raw.licence, notes=tuple(body.notes), up_sure=guess.sure,
    )  # fmt: skip
    return Clip(
        skeleton,
        fps,
        root,
        rotations,
        name=raw.name,
        contacts=contacts,
        touches=None if raw.touches is None else raw.touches[first:],
        tags=raw.tags,
        source=source,
    )


def _check(raw: RawMotion, options: ReadOptions) -> None:
    for name, value, valid in (
        ("rest", options.rest, ("t-pose", "file")),
        ("first_frame", options.first_frame, ("auto", "keep", "drop")),
        ("up", options.up, (None, *AXES)),
    ):
        if value not in valid:
            words = [v for v in valid if v]
            raise InputError(f"{name} is {value!r}", remedy=choices(words, str(value)))
    for name, number in (("unit_m", options.unit_m), ("fps", options.fps)):
        if number is not None and not (np.isfinite(number) and number > 0.0):
            raise InputError(f"{name} is {number}", remedy="it must be a positive number")
    if raw.rotations.ndim != 3 or raw.rotations.shape[1:] != (len(raw.names), 4):
        raise FileFormatError(
            f"the rotations have shape {raw.rotations.shape}",
            remedy=f"{len(raw.names)} joints need (frames, {len(raw.names)}, 4)",
        )
    if len(raw.rotations) == 0:
        raise FileFormatError("the file holds no frames", remedy="a clip needs at least one")
    _check_numbers(raw)


def _check_numbers(raw: RawMotion) -> None:
    """Check that numbers are finite, rotations of unit length and distances reasonable."""
    turns = raw.rotations
    if not (turns.min() >= -_LARGEST_PART and turns.max() <= _LARGEST_PART):  # NaN fails, too
        for frame, parts in enumerate(turns):
            fine = (np.abs(parts) <= _LARGEST_PART).all(1)
            if not fine.all():
                name = raw.names[int(np.argmin(fine))]
                raise FileFormatError(
                    f"the rotation of joint {name} is no number that a rotation can have",
                    where=f"frame {frame}",
                )
    tracks = [("offsets", raw.offsets), ("end sites", raw.end_offsets)]
    tracks += [(f"joint {raw.names[joint]}", track) for joint, track in raw.translations.items()]
    for where, track in tracks:
        for start in range(0, len(track), _BLOCK):
            if not np.abs(track[start : start + _BLOCK]).max(initial=0.0) < _FARTHEST:
                raise FileFormatError(
                    f"a translation is not a number below {_FARTHEST:g}", where=where
                )


def _unit(body: RootedBody, stated: float | None) -> float:
    """Metres per unit of the file: as stated, else from the length of the legs."""
    if not body.skeleton.roles:
        if stated is None:
            body.notes.append("its scale is not known from its shape; 1 unit was taken as 1 m.")
        return stated or 1.0
    leg = _leg_length(body.skeleton)
    if stated is not None:
        if not 0.1 < leg * stated < 4.0:
            likely = detect_unit(leg)[0]
            body.notes.append(
                f"at {stated:g} m per unit the legs are {leg * stated:.3g} m long; "
                f"a scale of {likely:g} would make them human."
            )
        return stated
    unit, sure = detect_unit(leg)
    if not sure:
        body.notes.append(
            f"no usual unit makes the legs ({leg:.4g} units long) human; {unit:g} m per unit was "
            "taken, state the scale if that is wrong."
        )
    other = other_unit(leg, unit)
    if sure and other is not None:
        body.notes.append(
            f"1 unit was taken as {unit:g} m, which makes the legs {leg * unit:.2f} m long; "
            f"--source-scale {other:g} would make them {leg * other:.2f} m."
        )
    return unit


def _stature_notes(skeleton: Skeleton) -> list[str]:
    """Return a note if the body is not as tall as grown people are."""
    tall = stature(skeleton) if skeleton.roles else 0.5 * sum(_USUAL_STATURE_M)
    if _USUAL_STATURE_M[0] <= tall <= _USUAL_STATURE_M[1]:
        return []
    return [
        f"the body is {tall:.2f} m tall; if that is wrong, state how many metres one unit of the "
        "file is with --source-scale."
    ]


def _leg_length(skeleton: Skeleton) -> float:
    """Hip to knee to ankle along the bones, the mean of both sides, in the skeleton's units."""
    if not skeleton.roles:
        return 0.0
    length = np.linalg.norm(skeleton.offsets, axis=1)
    total = 0.0
    for side in ("left", "right"):
        leg = skeleton.chain(skeleton.roles[f"{side}_hip"], skeleton.roles[f"{side}_ankle"])
        total += float(length[leg[1:]].sum())
    return total / 2.0


def _first_frame(body: RootedBody, options: ReadOptions, up: str) -> int:
    """Return how many frames to drop first: 1 for an inserted T-pose or on request."""
    enough = len(body.root) > 1
    if options.first_frame == "drop" and enough:
        return 1
    if options.first_frame != "auto" or not enough or not body.skeleton.roles:
        return 0
    if not begins_with_t_pose(body.skeleton, body.keep, body.root, body.rotations, to_y_up(up)):
        return 0
    body.notes.append("the first frame is an inserted T-pose and was left out.")
    return 1


def _reference(body: RootedBody, first: int, up: str) -> tuple[ReferencePose, Floats, str]:
    """Return the pose that the canonical rest is made from, its facing turn and forward axis."""
    skeleton, problem = body.skeleton, ""
    poses = [None] if body.rest_rotations is None else [body.rest_rotations, None]
    for local in poses:
        reference = pose_reference(skeleton, local)
        turn = facing(skeleton, reference)
        problem = stance_problem(skeleton, reference, turn)
        if not problem:
            return reference, turn, nearest_axis(turn[2])
    body.notes.append(
        f"the file's rest pose is no human stance ({problem}), so the rest pose was made from "
        "the motion's mean posture."
    )
    reference = mean_reference(
        skeleton, body.keep, body.root[first:], body.rotations[first:], to_y_up(up)
    )
    return reference, pelvis_frame(skeleton, reference), "z"


def _stand_on_floor(skeleton: Skeleton, stated: Floats) -> Skeleton:
    """Return the skeleton with soles at height 0; `stated` (3,) is the file's root offset."""
    offsets = np.array(skeleton.offsets)
    offsets[0] = 0.0, -foot_points(skeleton).sole_height, 0.0
    if np.abs(offsets[0] - stated).max() < 1e-4:  # already so: keep it to the bit
        offsets[0] = stated
    return replace(skeleton, offsets=offsets)


def _place_root(root: Floats, unit: float, up: str) -> Floats:
    """Return (T, 3) the root's way in metres, y up."""
    if up != "y":
        turn = to_y_up(up)
        for start in range(0, len(root), _BLOCK):
            root[start : start + _BLOCK] = root[start : start + _BLOCK] @ turn.T
    if unit != 1.0:
        root *= unit
    return root


def _rewrite_rotations(
    rotations: Floats, keep: Ints, parents: Ints, axes: Floats, turns: Floats
) -> Floats:
    """Return (T, K, 4) local rotations against the new rest pose, in the memory of the old ones."""
    from footfall.body.kernels import rewrite_rotations

    before = turns[parents]
    before[0] = axes
    left, right = from_matrix(before), from_matrix(np.swapaxes(turns, 1, 2))
    identity = np.array([1.0, 0.0, 0.0, 0.0])
    plain = (left == identity).all(1) & (right == identity).all(1)
    frames, count = len(rotations), len(keep)
    out = rotations.reshape(-1)[: frames * count * 4].reshape(frames, count, 4)
    rewrite_rotations(rotations, keep, left, right, plain, out)
    return out
