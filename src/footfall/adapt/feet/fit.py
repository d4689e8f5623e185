"""Fit a clip to a ground: flat capture on hills, stairs and stones with locked feet.

Where the ground rises more from footprint to footprint than a leg can take, the strides are
shortened along the way: on stairs people step from tread to tread, not from one to the fourth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from footfall.adapt.feet import constants
from footfall.adapt.feet.constants import FeetConstants
from footfall.adapt.feet.floors import level_floors
from footfall.adapt.feet.holds import GroundSurface, Holds
from footfall.adapt.feet.lean import lean_with_slope
from footfall.adapt.feet.lock import (
    aim_feet,
    holds_in,
    holds_of,
    put_on_ground,
    solve_aim,
    with_contacts,
)
from footfall.adapt.feet.swing import sole_depths
from footfall.adapt.feet.track import BodyMove
from footfall.body.clip import Clip
from footfall.body.edit import place
from footfall.body.feet import Foot, mean_leg
from footfall.body.kinematics import WorldPoses
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.signals import low_pass

MOST_RISE = 0.3
"""The most that one footprint lies above or below the one before, in leg lengths."""
MOST_RISE_BEYOND = 0.45
"""… and of the ground under a swing that the clip cuts off, whose foot carries nothing."""
_STRIDES = np.concatenate([[1.0], np.arange(0.95, 0.145, -0.05)])
_PATH_HZ = 0.7
"""The way of the body without its steps: what is slower than this."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A clip on a ground.

    strides     how long its strides are against the source's
    climb_m     from the lowest to the highest footprint
    rise_m      the most from one footprint to the next
    off_ground  how many footprints had no ground under them and kept their own height
    depth_m     how far the deepest point of a sole is in the ground, over all frames
    problem     why nothing could be fitted, or where a foot is in the ground, if so
    spots       (N, 3) the footprints, the balls of the feet
    """

    clip: Clip
    strides: float
    climb_m: float
    rise_m: float
    off_ground: int
    depth_m: float = 0.0
    problem: str = ""
    spots: Floats = field(default_factory=lambda: np.zeros((0, 3)))


def fit(
    clip: Clip,
    ground: GroundSurface,
    at: tuple[float, float, float] | None = None,
    strides: float | None = None,
    options: FeetConstants | None = None,
) -> Fitted:
    """Return `clip` on `ground`, starting at `at` (x, z, yaw), or where it is.

    strides  the length of strides against the source's; None shortens them where it must be

    Feet are aimed at level floors first, without skating and drift, so that heights mean what they
    say, and from there at the ground. Legs are solved once, in the end.
    """
    if at is not None:
        if not np.isfinite(at).all():
            raise InputError(f"the place is {at}", remedy="three finite numbers: x, z, yaw")
        clip = place(clip, at)
    if strides is not None and not 0.05 <= strides <= 2.0:
        raise InputError(f"strides is {strides}", remedy="between 0.05 and 2")
    settle = clip.contacts is None
    source = with_contacts(clip)
    assert source.contacts is not None
    feet, holds = holds_of(source, settle)
    floors = level_floors(feet, source.world, holds)
    if floors is None:
        return _report(source, _Strides(1.0, np.zeros((len(clip), 2)), holds, 0.0, 0.0), ground)
    level = aim_feet(source.world, clip.fps, feet, floors.holds, None, options)
    poses = level.poses(source.world, feet)
    holds = holds_in(feet, poses, source.contacts, clip.fps, settle)
    factors = _STRIDES if strides is None else [strides]
    found = _longest_that_fit(
        (_try_strides(poses, clip.fps, feet, holds, float(factor), ground) for factor in factors),
        mean_leg(clip.skeleton),
    )
    along = np.insert(found.shift, 1, 0.0, axis=1)
    aim = aim_feet(
        WorldPoses(poses.positions + along[:, None], poses.rotations), clip.fps, feet,
        found.holds, ground, options, found.factor, [leg.bones for leg in level.legs],
    )  # fmt: skip
    before = BodyMove(level.move.shift + along, level.move.tilt)
    fitted = solve_aim(source, feet, found.holds, aim, ground, options, before)
    return _report(lean_with_slope(fitted, found.holds), found, ground)


@dataclass(frozen=True, eq=False)
class _Strides:
    """Strides of a factor: their holds on the ground, and what these rise at most.

    shift   (T, 2) how far the body goes along
    beyond  what the ground rises or falls to where a foot swings at the clip's ends
    """

    factor: float
    shift: Floats
    holds: list[Holds]
    rise: float
    beyond: float


def _longest_that_fit(tries: Iterator[_Strides], leg_m: float) -> _Strides:
    """Return the longest strides, tried from long to short, that legs reach; else the shortest."""
    for tried in tries:
        if tried.rise <= MOST_RISE * leg_m and tried.beyond <= MOST_RISE_BEYOND * leg_m:
            break
    return tried


def _try_strides(
    poses: WorldPoses,
    fps: float,
    feet: list[Foot],
    holds: list[Holds],
    factor: float,
    ground: GroundSurface,
) -> _Strides:
    moved, spots = with_strides(poses.positions[:, 0], fps, holds, factor)
    standing = put_on_ground(feet, spots, ground)
    beyond = _rise_beyond(feet, holds, standing, poses, factor, ground)
    return _Strides(factor, moved, standing, _largest_rise(standing), beyond)


def with_strides(
    root: Floats, fps: float, holds: list[Holds], factor: float
) -> tuple[Floats, list[Holds]]:
    """Return the holds with strides `factor` times as long, as wide as they were.

    Also (T, 2) how far a body with its root at (T, 3) goes along.
    """
    if factor == 1.0:
        return np.zeros((len(root), 2)), holds
    path = low_pass(root[:, [0, 2]], fps, _PATH_HZ)
    shrunk = path[0] + factor * (path - path[0])
    travel = _directions(path, fps)

    def moved(held: Holds) -> Holds:
        at = held.middles
        offset = held.spots[:, [0, 2]] - path[at]
        along = travel[at] * np.einsum("ni,ni->n", travel[at], offset)[:, None]
        ground = shrunk[at] + offset + (factor - 1.0) * along
        return held.at(np.column_stack([ground[:, 0], held.spots[:, 1], ground[:, 1]]))

    return shrunk - path, [moved(held) for held in holds]


def _directions(path: Floats, fps: float) -> Floats:
    """Return (T, 2) the unit direction of travel; zero where the body hardly goes anywhere."""
    velocity = np.gradient(path, axis=0) * fps if len(path) > 1 else np.zeros_like(path)
    speed = np.linalg.norm(velocity, axis=1, keepdims=True)
    return np.where(speed > 0.1, velocity / np.maximum(speed, 1e-9), 0.0)


def _largest_rise(holds: list[Holds]) -> float:
    """Return the largest difference of height between footprints that follow each other, metres."""
    order = np.argsort(np.concatenate([held.spans[:, 0] for held in holds]), kind="stable")
    heights = np.concatenate([held.spots[:, 1] for held in holds])[order]
    return float(np.abs(np.diff(heights)).max()) if len(heights) > 1 else 0.0


def _rise_beyond(
    feet: list[Foot],
    source: list[Holds],
    holds: list[Holds],
    poses: WorldPoses,
    factor: float,
    ground: GroundSurface,
) -> float:
    """Return how much the ground under a foot that swings at an end of the clip differs in height
    from where the other stands, metres; `source` are the holds before strides and ground."""
    most = 0.0
    for foot, before, held, other in zip(feet, source, holds, holds[::-1], strict=True):
        for end in (0, -1):
            if len(held) == 0 or len(other) == 0 or held.held[end]:
                continue
            ball = quat.rotate(poses.rotations[end, foot.ankle], foot.ball)
            beyond = poses.positions[end, foot.ankle] + ball - before.spots[end]
            at = held.spots[end] + factor * beyond
            floor = float(ground.height(at[None, [0, 2]])[0])
            most = np.fmax(most, abs(floor - other.spots[end, 1]))
    return float(most)


def _report(clip: Clip, found: _Strides, ground: GroundSurface) -> Fitted:
    spots, strides = np.concatenate([held.spots for held in found.holds]), found.factor
    if len(spots) == 0:
        problem = "no foot was found to stand, so the clip keeps its own height"
        return Fitted(clip, strides, 0.0, 0.0, 0, problem=problem)
    known = np.isfinite(ground.height(spots[:, [0, 2]]))
    climb, off_ground = float(np.ptp(spots[:, 1])), int((~known).sum())
    depth, problem = _deepest(clip, ground)
    return Fitted(clip, strides, climb, found.rise, off_ground, depth, problem, spots)


def _deepest(clip: Clip, ground: GroundSurface) -> tuple[float, str]:
    """Return how deep a sole is in the ground at most, and a sentence if that is visible."""
    depths = sole_depths(clip.skeleton, clip.world, ground)
    side, frame = np.unravel_index(int(np.argmax(depths)), depths.shape)
    depth = max(float(depths[side, frame]), 0.0)
    if depth < constants.FEET.seen_depth * mean_leg(clip.skeleton):
        return depth, ""
    where = f"{100.0 * depth:.0f} cm in the ground at {frame / clip.fps:.1f} s"
    return depth, f"the {SIDES[side]} foot is {where}"
