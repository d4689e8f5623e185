"""A last look at a finished clip: legs keep apart.

Locking feet, blending and retargeting move each leg by itself. Where shanks or feet come closer to
each other than people's do, knees swivel a little and feet in the air go round; feet that stand
stay where they are. Nothing else is touched, and frames in which the legs are apart cost next to
nothing.

The gap is the least distance between the axes of both legs from knee to ankle to ball. Recorded
people of the default size keep more than 5 cm; their legs are thinner where they come so close.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from footfall.adapt.feet.holds import GroundSurface
from footfall.adapt.feet.swing import sole_depths
from footfall.adapt.feet.track import LEAST_GAP, ease
from footfall.body.clip import Clip
from footfall.body.feet import mean_leg
from footfall.body.kinematics import forward_kinematics
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.gait.contacts import find_contacts
from footfall.maths.arrays import Floats, Ints
from footfall.maths.runs import runs

_ROOM = 1.06
_BRUSH_M = 0.01
_ROUNDS = 4
_SPREAD_S, _FREE_S = 0.16, 0.12
"""How long before and after a foot goes round, and how long after its contact it is free to."""


def keep_legs_apart(
    clip: Clip, ground: GroundSurface | None = None,
    gap: float = LEAST_GAP,
) -> Clip:  # fmt: skip
    """Return a clip whose legs come no closer to each other than a gap, in leg lengths.

    The contacts of the clip say which feet must stay.

    ground  what feet must not go into on their way round; where they would, they stay on theirs
    """
    poses = clip.world
    gaps = find_gaps(clip.skeleton, poses.positions)
    least_m = gap * mean_leg(clip.skeleton)
    if gaps.metres.min() >= least_m:
        return clip
    parted = clip.with_rotations(_part_legs(clip, gaps, least_m))
    return parted if ground is None else _stay_above(clip, parted, ground)


def _stay_above(clip: Clip, parted: Clip, ground: GroundSurface) -> Clip:
    """`parted`, but as `clip` is wherever parting took a foot into the ground."""
    changed = (parted.rotations != clip.rotations).any(axis=(1, 2))
    if not changed.any():
        return clip
    rotations = np.array(parted.rotations)
    after = forward_kinematics(clip.skeleton, parted.root[changed], rotations[changed])
    before, deeper = clip.world.at(changed), np.zeros(len(clip), np.bool_)
    depths = (sole_depths(clip.skeleton, p, ground).max(axis=0) for p in (after, before))
    deep, deep_before = depths
    deeper[changed] = deep > np.maximum(deep_before, 0.0) + _BRUSH_M
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
    """The gaps between the legs of a humanoid, from the places (T, J, 3) of its joints."""
    from footfall.adapt.feet.separation_kernels import leg_gaps

    frames = len(places)
    found = LegGaps(np.empty(frames), np.empty((frames, 3)), np.empty((frames, 2)))
    leg_gaps(places, _leg_joints(skeleton)[0], found.metres, found.apart, found.along)
    return found


def _part_legs(clip: Clip, gaps: LegGaps, limit: float) -> Floats:
    """(T, J, 4) the clip's rotations with legs that are `limit` metres apart."""
    from footfall.adapt.feet.separation_kernels import find_needs, move_legs, spread_needs

    skeleton, frames = clip.skeleton, len(clip)
    (legs, lower), free = _leg_joints(skeleton), _freedom(clip)
    wide = max(1, round(_SPREAD_S * clip.fps))
    places, rotations = np.array(clip.positions), np.array(clip.rotations)
    moves, more = np.zeros((2, 2, 2, frames)), np.empty((2, 2, 2, frames))
    scratch, world, solved = np.empty(frames), np.empty((len(skeleton), 4)), np.empty((3, 4))
    for _ in range(_ROUNDS):
        close = runs(gaps.metres < limit)
        if len(close) == 0:
            break
        more[:] = 0.0
        for first, stop in close.tolist():
            find_needs(
                gaps.metres, gaps.apart, gaps.along, first, stop, _ROOM * limit, free, more[0],
                more[1],
            )  # fmt: skip
        for first, stop in _windows(close, 2 * wide, frames):
            for needs, out in zip(more.reshape(-1, frames), moves.reshape(-1, frames), strict=True):
                spread_needs(needs, first, stop, wide, out, scratch)
            move_legs(
                first, stop, skeleton.parents, skeleton.offsets, legs, lower, clip.positions,
                clip.world.rotations, free, moves[0], moves[1], places, world, rotations, solved,
            )  # fmt: skip
        gaps = find_gaps(skeleton, places)
    return rotations


@lru_cache(maxsize=64)
def _leg_joints(skeleton: Skeleton) -> tuple[Ints, Ints]:
    """Hip, knee, ankle and ball (2, 4); all joints below the hip on the way there (2, L), or -1.

    A foot without a toe joint ends at its ankle.
    """
    legs, ways = [], []
    for side in SIDES:
        hip, knee, ankle = (skeleton.role(f"{side}_{part}") for part in ("hip", "knee", "ankle"))
        ball = skeleton.roles.get(f"{side}_toe", ankle)
        legs.append([hip, knee, ankle, ball])
        ways.append(skeleton.chain(hip, ball)[1:])
    longest = max(map(len, ways))
    lower = [way + [-1] * (longest - len(way)) for way in ways]
    return np.array(legs, np.int32), np.array(lower, np.int32)


def _freedom(clip: Clip) -> Floats:
    """(2, T) how far each foot may leave its way: 0 while it touches, soon after 1."""
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
