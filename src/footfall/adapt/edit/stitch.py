"""Stitching: from one clip into another without a jump, in place and heading as well.

Two ways. *Blending* (Kovar et al. 2002, §3.2) mixes the frames of both clips over a window with
weights that are C¹ at both ends; the window starts at the frame where the first clip is left and
ends at the frame from which the second goes on. *Inertialisation* (Bollo 2018) switches at once
and lets the difference of pose and velocity die away: it needs no frames of the first clip
beyond the switch.
"""

from __future__ import annotations

import numpy as np

from footfall.body.clip import Clip, join_labels
from footfall.body.edit import join, move
from footfall.errors import InputError, choices
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

METHODS = ("blend", "inertialise")


def stitch(
    first: Clip,
    second: Clip,
    *,
    leave: int | None = None,
    enter: int | None = None,
    seconds: float = 1.0 / 3.0,
    method: str = "blend",
    align: bool = True,
) -> Clip:
    """Return `first` up to frame `leave`, a transition, then `second` from frame `enter` on.

    leave    the first frame of the transition in `first` (default: as late as it can be)
    enter    the last frame of the transition in `second` (default: as early as it can be)
    seconds  how long the transition is
    align    lay `second` on `first` so that the bodies coincide as well as they can
    """
    if method not in METHODS:
        raise InputError(f"the method is {method!r}", remedy=choices(METHODS, method))
    if first.skeleton != second.skeleton or first.fps != second.fps:
        raise InputError(
            "the clips differ in skeleton or frame rate", remedy="transfer or resample one"
        )
    window = max(2, round(seconds * first.fps))
    if method == "blend":
        return _blend(first, second, leave, enter, window, align)
    return _inertialise(first, second, leave, enter, window, align)


def blend_weights(window: int) -> Floats:
    """Return (window,) the weight of the first clip: from nearly 1 to 0, C¹ beyond both ends."""
    u = (np.arange(window) + 1.0) / window
    return 2.0 * u**3 - 3.0 * u**2 + 1.0


def _blend(
    first: Clip, second: Clip, leave: int | None, enter: int | None, window: int, align: bool
) -> Clip:
    leave = len(first) - window if leave is None else leave
    enter = window - 1 if enter is None else enter
    _check_window("the first clip", len(first), leave, leave + window - 1)
    _check_window("the second clip", len(second), enter - window + 1, enter)
    out, into = slice(leave, leave + window), slice(enter - window + 1, enter + 1)
    if align:
        here = first[out.start : out.stop].positions
        there = second[into.start : into.stop].positions
        second = _lay(second, planar.align(here.reshape(-1, 3), there.reshape(-1, 3)).pose)
    weight = blend_weights(window)
    share = 1.0 - weight
    bridge = weight[:, None] * first.root[out] + share[:, None] * second.root[into]
    turns = quat.slerp(first.rotations[out], second.rotations[into], share[:, None])
    handed = leave + int(np.count_nonzero(weight > 0.5))
    late = slice(enter + 1 - (leave + window - handed), None)
    labels = join_labels([first.labels_at(slice(handed)), second.labels_at(late)])
    # The frames before are already on the hemisphere of the first clip, and so is the bridge.
    flip = quat.dot(second.rotations[enter], turns[-1]) < 0.0
    after = np.where(flip[:, None], -second.rotations[enter + 1 :], second.rotations[enter + 1 :])
    return Clip(
        first.skeleton, first.fps,
        np.concatenate([first.root[:leave], bridge, second.root[enter + 1 :]]),
        np.concatenate([first.rotations[:leave], turns, after]),
        f"{first.name}+{second.name}", tags=tuple(dict.fromkeys(first.tags + second.tags)),
        **labels,
    )  # fmt: skip


def _inertialise(
    first: Clip, second: Clip, leave: int | None, enter: int | None, window: int, align: bool
) -> Clip:
    leave = len(first) - 1 if leave is None else leave
    enter = 0 if enter is None else enter
    _check_window("the first clip", len(first), leave - 1, leave)
    _check_window("the second clip", len(second), enter, enter + 1)
    if align:
        here = first[leave : leave + 1].positions[0]
        there = second[enter : enter + 1].positions[0]
        second = _lay(second, planar.align(here, there).pose)
    tail = second[enter:]
    offset = first.root[leave] - tail.root[0]
    root_before, rotations_before = _one_frame_before(second, enter)
    drift = (first.root[leave] - first.root[leave - 1]) - (tail.root[0] - root_before)
    turn = _difference(first.rotations[leave], tail.rotations[0])
    before = _difference(first.rotations[leave - 1], rotations_before)
    fade = _decay_curves(min(window, len(tail)), len(tail))
    root = tail.root + fade[0][:, None] * offset + fade[1][:, None] * drift
    vectors = fade[0][:, None, None] * turn + fade[1][:, None, None] * (turn - before)
    eased = tail.derive(
        root=root, rotations=quat.multiply(quat.from_rotation_vector(vectors), tail.rotations)
    )
    # Frame `leave` of the first clip and the first eased frame are the same pose.
    return _name_both(join([first[:leave], eased]), first, second)


def _decay_curves(window: int, frames: int) -> tuple[Floats, Floats]:
    """Return the decay of a unit offset and of a unit slope a frame, C² at the far end."""
    u = np.minimum(np.arange(frames) / max(window - 1, 1), 1.0)
    offset = 1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    growth = u * (1.0 - u) ** 3 * (1.0 + 3.0 * u) * max(window - 1, 1)
    return offset, growth


def _difference(a: Floats, b: Floats) -> Floats:
    """Return (J, 3) rotation vectors from `a` (J, 4) to `b` (J, 4), in the parents' frames."""
    return quat.to_rotation_vector(quat.multiply(a, quat.conjugate(quat.toward(b, a))))


def _one_frame_before(clip: Clip, frame: int) -> tuple[Floats, Floats]:
    """Root (3,) and rotations (J, 4) one frame earlier; before the first, going on as it starts."""
    if frame > 0:
        return clip.root[frame - 1], clip.rotations[frame - 1]
    first, second = clip.rotations[0], clip.rotations[1]
    rotations = quat.multiply(quat.multiply(first, quat.conjugate(second)), first)
    return 2.0 * clip.root[0] - clip.root[1], rotations


def _lay(clip: Clip, pose: Floats) -> Clip:
    return move(clip, float(pose[0]), float(pose[1]), float(pose[2]))


def _name_both(clip: Clip, first: Clip, second: Clip) -> Clip:
    tags = tuple(dict.fromkeys(first.tags + second.tags))
    return clip.derive(name=f"{first.name}+{second.name}", tags=tags, source=None)


def _check_window(whose: str, frames: int, start: int, end: int) -> None:
    if start < 0 or end >= frames:
        raise InputError(
            f"the transition needs frames {start} to {end} of {whose}",
            remedy=f"it has 0 to {frames - 1}; choose another frame or a shorter transition",
        )
