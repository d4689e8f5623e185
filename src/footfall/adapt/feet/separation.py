"""A last look at a finished clip: legs keep apart.

Locking feet, blending and retargeting move each leg by itself. Where shanks or feet come closer to
each other than people's do, knees swivel a little and feet in the air go round; feet that stand
stay where they are. Nothing else is touched, and frames in which the legs are apart cost next to
nothing.

The gap is the least distance between the axes of both legs from knee to ankle to ball. Recorded
people of the default size keep more than 5 cm; their legs are thinner where they come so close.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from footfall.adapt.feet import constants
from footfall.adapt.feet.holds import GroundSurface
from footfall.adapt.feet.legs import solve_leg
from footfall.adapt.feet.swing import sole_depths
from footfall.adapt.feet.toes import against
from footfall.adapt.feet.track import ease, lengths
from footfall.body.clip import Clip
from footfall.body.feet import foot_of, mean_leg
from footfall.body.kinematics import forward_kinematics
from footfall.body.posture import segment_shares
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.gait.contacts import find_contacts
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.runs import runs

_ROOM = 1.06
_ROUNDS = 4
_FREE, _UNSEEN_M = 1e-6, 1e-6
_STEEPEST_RAD = 0.3
"""A knee swivels no farther than this about the line from hip to ankle."""
_LITTLE_M = 0.03
"""A knee nearer than this to that line swivels the less, the nearer it is."""
_PAIRS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
"""Which parts of left and right leg are compared: 0 shank, 1 foot."""
_SPREAD_S, _FREE_S = 0.16, 0.12
"""How long before and after a foot goes round, and how long after its contact it is free to."""


def keep_legs_apart(
    clip: Clip, ground: GroundSurface | None = None,
    gap: float | None = None,
) -> Clip:  # fmt: skip
    """Return a clip whose legs come no closer to each other than a gap, in leg lengths.

    The contacts of the clip say which feet must stay.

    ground  what feet must not go into on their way round; where they would, they stay on theirs
    """
    poses = clip.world
    gaps = find_gaps(clip.skeleton, poses.positions)
    least_m = (constants.FEET.leg_gap if gap is None else gap) * mean_leg(clip.skeleton)
    if gaps.metres.min() >= least_m:
        return clip
    parted = clip.with_rotations(_part_legs(clip, gaps, least_m))
    return parted if ground is None else _stay_above(clip, parted, ground)


def _stay_above(clip: Clip, parted: Clip, ground: GroundSurface) -> Clip:
    """Return `parted`, but as `clip` is wherever parting took a foot into the ground."""
    changed = (parted.rotations != clip.rotations).any(axis=(1, 2))
    if not changed.any():
        return clip
    rotations = np.array(parted.rotations)
    after = forward_kinematics(clip.skeleton, parted.root[changed], rotations[changed])
    before, deeper = clip.world.at(changed), np.zeros(len(clip), np.bool_)
    depths = (sole_depths(clip.skeleton, p, ground).max(axis=0) for p in (after, before))
    deep, deep_before = depths
    brush_m = constants.FEET.brush * mean_leg(clip.skeleton)
    deeper[changed] = deep > np.maximum(deep_before, 0.0) + brush_m
    for first, stop in runs(changed).tolist():
        if deeper[first:stop].any():
            rotations[first:stop] = clip.rotations[first:stop]
    return parted.with_rotations(rotations)


@dataclass(frozen=True, eq=False)
class LegGaps:
    """How close the legs are to each other in T frames.

    metres  (T,) the least distance     apart  (T, 3) from there on the right leg to the left one
    along   (T, 2) where on each leg that is: 0 at the knee, 1 at the ankle, 2 at the ball
    """

    metres: Floats
    apart: Floats
    along: Floats


def find_gaps(skeleton: Skeleton, places: Floats) -> LegGaps:
    """Return the gaps between the legs of a humanoid, from the places (T, J, 3) of its joints."""
    left, right = (places[:, list(leg[1:])].swapaxes(0, 1) for leg in _leg_joints(skeleton))
    # Shank and foot of one leg against both of the other: (4 T, 3).
    a, b = (np.repeat(left[i : i + 2], 2, axis=0).reshape(-1, 3) for i in (0, 1))
    c, d = (np.tile(right[i : i + 2], (2, 1, 1)).reshape(-1, 3) for i in (0, 1))
    s, t = segment_shares(a, b, c, d)
    apart = (a + s[:, None] * (b - a) - c - t[:, None] * (d - c)).reshape(4, -1, 3)
    metres = np.sqrt(np.einsum("pti,pti->pt", apart, apart))
    best, frames = np.argmin(metres, axis=0), np.arange(len(places))
    along = np.stack([s.reshape(4, -1) + _PAIRS[:, :1], t.reshape(4, -1) + _PAIRS[:, 1:]], axis=-1)
    return LegGaps(metres[best, frames], apart[best, frames], along[best, frames])


def _part_legs(clip: Clip, gaps: LegGaps, limit: float) -> Floats:
    """Return (T, J, 4) the clip's rotations with legs that are `limit` metres apart."""
    frames, free = len(clip), _freedom(clip)
    wide = max(1, round(_SPREAD_S * clip.fps))
    places, rotations = np.array(clip.positions), np.array(clip.rotations)
    pushes, swivels = np.zeros((2, 2, frames, 2))
    for _ in range(_ROUNDS):
        close = runs(gaps.metres < limit)
        if len(close) == 0:
            break
        needs = np.zeros((2, 2, frames, 2))
        for first, stop in close.tolist():
            _find_needs(gaps, first, stop, _ROOM * limit, free, *needs)
        moved = np.zeros(frames, np.bool_)
        for first, stop in _windows(close, 2 * wide, frames):
            for need, out in zip(needs, (pushes, swivels), strict=True):
                out[:, first:stop] += _spread_needs(need, first, stop, wide)
            moved[first:stop] = True
        for side in range(2):
            _move_leg(
                clip, side, moved, free[side, :, None] * pushes[side], swivels[side], rotations
            )
        at = np.flatnonzero(moved)
        places[at] = forward_kinematics(clip.skeleton, clip.root[at], rotations[at]).positions
        gaps = find_gaps(clip.skeleton, places)
    return rotations


def _find_needs(
    gaps: LegGaps, first: int, stop: int, limit: float, free: Floats, pushes: Floats,
    swivels: Floats,
) -> None:  # fmt: skip
    """Fill how far feet must be pushed and knees swivelled in frames first to stop.

    Legs part along the level direction in which they are apart before and after, turned evenly
    from the one to the other: one passes the other on the side it comes and goes.

    free             (2, T) how far a foot may leave its way, 0 to 1
    pushes, swivels  (2, T, 2) metres along x and z for each foot, and likewise for each knee
    """
    apart = gaps.apart
    ends = apart[[max(first - 1, 0), min(stop, len(apart) - 1)]]
    start, end = np.arctan2(ends[:, 0], ends[:, 2]).tolist()
    turn = math.remainder(end - start, math.tau)
    t = np.arange(first, stop)
    angle = start + turn * (t - first + 1) / (stop - first + 1)
    way = np.stack([np.sin(angle), np.cos(angle)], axis=1)
    level = np.sqrt(np.maximum(limit**2 - apart[t, 1] ** 2, 0.0))
    need = np.maximum(level - np.einsum("ti,ti->t", apart[t][:, [0, 2]], way), 0.0)
    both = free[:, t].sum(axis=0)
    share = np.where(both > _FREE, 0.5, 1.0)
    for side, sign in ((0, 1.0), (1, -1.0)):
        low = np.minimum(gaps.along[t, side], 1.0)
        knee = np.minimum((1.0 - low) * need * share, limit)
        foot = free[side, t] / np.maximum(both, _FREE) * need / (0.5 + 0.5 * low)
        foot = np.where(both > _FREE, np.minimum(foot, 2.0 * limit), 0.0)
        swivels[side, t] = (sign * knee)[:, None] * way
        pushes[side, t] = (sign * foot)[:, None] * way


def _spread_needs(needs: Floats, first: int, stop: int, wide: int) -> Floats:
    """Return (2, N, 2) needs (2, T, 2) of frames first to stop, smooth, and no less anywhere.

    That is the largest need within `wide` frames, averaged over half as many with weights that
    fall off to both sides.
    """
    half, frames = max(wide // 2, 1), needs.shape[1]
    longer = np.pad(needs, ((0, 0), (wide, wide), (0, 0)))
    around = sliding_window_view(longer, 2 * wide + 1, axis=1)[:, first:stop]
    most = np.take_along_axis(around, np.abs(around).argmax(axis=-1)[..., None], axis=-1)[..., 0]
    weights = half + 1.0 - np.abs(np.arange(-half, half + 1))
    total = np.convolve(np.ones(frames), weights)[half : half + frames]
    out = np.empty_like(most)
    for side, axis in np.ndindex(2, 2):
        smooth = np.convolve(most[side, :, axis], weights)
        out[side, :, axis] = smooth[half : half + stop - first]
    return out / total[first:stop, None]


def _move_leg(
    clip: Clip, side: int, moved: Bools, push: Floats, swivel: Floats, rotations: Floats
) -> None:
    """Write the rotations of a leg with its foot pushed and its knee swivelled by (T, 2), x and z.

    The foot stays turned as it is.
    """
    far = np.hypot(*push.T) + np.hypot(*swivel.T)
    at = np.flatnonzero(moved & (far >= _UNSEEN_M))
    if at.size == 0:
        return
    skeleton, foot, before = clip.skeleton, foot_of(clip.skeleton, SIDES[side]), clip.world.at(at)
    hip, ankle = before.positions[:, foot.hip], before.positions[:, foot.ankle]
    sole = before.rotations[:, foot.ankle]
    # Round the hip: a leg that had to reach farther would snap straight, or could not.
    line = ankle - hip
    aim = line + np.insert(push[at], 1, 0.0, axis=1)
    aim *= (lengths(line) / np.maximum(lengths(aim), 1e-12))[:, None]
    made = np.array(clip.rotations[at])
    solve_leg(skeleton, before, made, foot, hip + aim, sole, soft=0.0)
    out = np.insert(swivel[at], 1, 0.0, axis=1)
    size = lengths(out)
    poses = forward_kinematics(skeleton, clip.root[at], made)
    axis = aim / np.maximum(lengths(aim), 1e-12)[:, None]
    knee = poses.positions[:, foot.knee] - hip
    # A knee that is nearly straight hardly moves, and the less it moves the less it is turned.
    rate = quat.dot(quat.cross(axis, knee), out) / np.maximum(size, 1e-12)
    angle = size * rate / (rate**2 + _LITTLE_M**2)
    turn = quat.from_axis_angle(axis, _STEEPEST_RAD * np.tanh(angle / _STEEPEST_RAD))
    upper = quat.multiply(turn, poses.rotations[:, foot.hip])
    above = quat.multiply(turn, poses.rotations[:, int(skeleton.parents[foot.ankle])])
    made[:, foot.hip] = against(poses.rotations[:, int(skeleton.parents[foot.hip])], upper)
    made[:, foot.ankle] = against(above, sole)
    joints = [foot.hip, foot.knee, foot.ankle]
    at = at[:, None]
    rotations[at, joints] = quat.toward(made[:, joints], rotations[at, joints])


@lru_cache(maxsize=64)
def _leg_joints(skeleton: Skeleton) -> tuple[tuple[int, ...], ...]:
    """Hip, knee, ankle and ball of both legs; a foot without a toe joint ends at its ankle."""
    feet = (foot_of(skeleton, side) for side in SIDES)
    return tuple((f.hip, f.knee, f.ankle, f.ankle if f.toe is None else f.toe) for f in feet)


def _freedom(clip: Clip) -> Floats:
    """Return (2, T) how far each foot may leave its way: 0 while it touches, soon after 1."""
    contacts = clip.contacts if clip.contacts is not None else find_contacts(clip).points
    out = np.empty((2, len(clip)))
    for k in range(2):
        held = contacts[:, 2 * k] | contacts[:, 2 * k + 1]
        out[k] = 1.0 - ease(held, _FREE_S * clip.fps)
    return out


def _windows(close: Ints, wide: int, frames: int) -> list[tuple[int, int]]:
    """Runs (N, 2) with `wide` frames before and after, joined where they meet."""
    out: list[tuple[int, int]] = []
    for first, stop in close.tolist():
        begin, end = max(first - wide, 0), min(stop + wide, frames)
        if out and begin <= out[-1][1]:
            out[-1] = out[-1][0], end
        else:
            out.append((begin, end))
    return out
