"""Foot locking: feet that touch stay exactly where they are, on any ground, and legs follow.

The feet's corrections are exact while a foot is held and travel smoothly (C¹) through each swing
from one hold to the next. The body follows its feet: smoothly moved and lifted with the ground,
and lowered where a leg would not reach. Then each leg is solved in closed form, so that only
hips, knees, ankles and toes change their angles.

Kovar, Schreiner & Gleicher 2002 let bones stretch a little to avoid knees that pop; here the
body is lowered instead and the last share of the reach is soft.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from footfall.adapt.holds import FLAT, Foot, GroundSurface, Holds, find_holds, foot_of, on_ground
from footfall.adapt.swing import clear_swings
from footfall.body.clip import Clip
from footfall.body.ik import LimbPose, reach
from footfall.body.kinematics import WorldPoses, world_poses
from footfall.body.roles import SIDES
from footfall.gait.contacts import find_contacts
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.filters import running_max, smooth_gaussian
from footfall.maths.runs import runs

Frames = NDArray[np.intp]

_X_AXIS = np.array([1.0, 0.0, 0.0])
_ANTICIPATION_S = 0.3
"""How long before it lands a foot begins to draw the body along."""
_LOWER_FOOT_M = 0.05
"""A foot this much lower than the other draws the body e times as much."""


@dataclass(frozen=True)
class LockOptions:
    """How feet are locked.

    body_smoothing_s   how long the body takes to follow its feet
    reach              the share of a leg's length that a held foot may need before the body sinks
    soft               the last share of the reach in which the leg straightens softly
    clearance_m        how far a swinging foot stays above the ground at least
    most_lift_m        how far it is lifted for that at most; a leg folds only so far
    toe_ease_s         how long the toes take to lie down and to lift off
    """

    body_smoothing_s: float = 0.2
    reach: float = 0.995
    soft: float = 0.004
    clearance_m: float = 0.005
    most_lift_m: float = 0.25
    toe_ease_s: float = 0.14


@dataclass(frozen=True, eq=False)
class FootTrack:
    """Where a foot goes: ankle (T, 3), orientation (T, 4), how far its toes lie flat (T,), and
    the orientation (T, 4) that flat toes have."""

    ankle: Floats
    turned: Floats
    toes_flat: Floats
    toes: Floats


def lock_feet(
    clip: Clip,
    ground: GroundSurface | None = None,
    options: LockOptions = LockOptions(),  # noqa: B008
) -> Clip:
    """`clip` with its feet held where its contacts say they touch.

    Contacts that the clip does not carry are found. Without `ground` every contact stays at
    its own height, level.
    """
    poses = world_poses(clip)
    clip = with_contacts(clip, poses)
    feet, holds = holds_of(clip, poses)
    if ground is not None:
        holds = put_on_ground(feet, holds, ground)
    return follow_holds(clip, poses, feet, holds, ground, options)


def with_contacts(clip: Clip, poses: WorldPoses | None = None) -> Clip:
    """The clip with contacts: its own, or those that are found."""
    if clip.contacts is not None:
        return clip
    return find_contacts(clip, poses).with_contacts(clip)


def holds_of(clip: Clip, poses: WorldPoses) -> tuple[list[Foot], list[Holds]]:
    """Both feet of a clip with contacts, and the holds of each, level at their own heights."""
    assert clip.contacts is not None
    feet = [foot_of(clip.skeleton, side) for side in SIDES]
    holds = [
        find_holds(foot, poses, clip.contacts[:, 2 * k], clip.contacts[:, 2 * k + 1])
        for k, foot in enumerate(feet)
    ]
    return feet, holds


def put_on_ground(feet: list[Foot], holds: list[Holds], ground: GroundSurface) -> list[Holds]:
    """The holds of each foot, put on the ground."""
    return [on_ground(held, foot, ground) for foot, held in zip(feet, holds, strict=True)]


def follow_holds(
    clip: Clip,
    poses: WorldPoses,
    feet: list[Foot],
    holds: list[Holds],
    ground: GroundSurface | None,
    options: LockOptions,
    strides: float = 1.0,
) -> Clip:
    """`clip` (whose world poses are `poses`) moved so that its feet keep to the given holds.

    strides  how long the holds' strides are against the clip's
    """
    tracks = [
        _track(foot, poses, held, clip.fps, options) for foot, held in zip(feet, holds, strict=True)
    ]
    shift = _body_shift(poses, feet, holds, tracks, clip.fps, options)
    if ground is not None:
        tracks = [
            clear_swings(foot, poses, held, track, ground, clip.fps, options, strides)
            for foot, held, track in zip(feet, holds, tracks, strict=True)
        ]
    shift[:, 1] -= _lowering(poses, feet, tracks, shift, clip.fps, options)
    rotations = np.array(clip.rotations)
    _solve_legs(clip, poses, rotations, feet, tracks, shift, options)
    return replace(clip, root=clip.root + shift, rotations=quat.continuous(rotations))


def _track(
    foot: Foot,
    poses: WorldPoses,
    holds: Holds,
    fps: float,
    options: LockOptions,
) -> FootTrack:
    raw, turned = poses.positions[:, foot.ankle], poses.rotations[:, foot.ankle]
    if len(holds) == 0:
        return FootTrack(np.array(raw), np.array(turned), np.zeros(len(raw)), np.array(turned))
    held = holds.held
    ankle = np.where(held[:, None], holds.ankles(foot), raw)
    orientation = np.where(held[:, None], holds.turns, turned)
    _carry_through_swings(raw, turned, ankle, orientation, held)
    lying = _ease(holds.phases >= FLAT, options.toe_ease_s * fps)
    return FootTrack(ankle, orientation, lying, holds.flat[holds.owner])


def _carry_through_swings(
    raw: Floats, turned: Floats, ankle: Floats, orientation: Floats, held: Bools
) -> None:
    """Between holds the foot keeps its own way plus a correction that joins C¹ at both ends."""
    turn = quat.continuous(quat.multiply(orientation, quat.conjugate(turned)))
    change = np.concatenate([ankle - raw, quat.to_rotation_vector(turn)], axis=1)
    known, swing = np.flatnonzero(held), np.flatnonzero(~held)
    next_ = np.searchsorted(known, swing)
    before, after = known[np.maximum(next_ - 1, 0)], known[np.minimum(next_, known.size - 1)]
    alone = before >= swing, after <= swing
    before, after = np.where(alone[0], after, before), np.where(alone[1], before, after)
    change[swing] = _hermite(change, _edge_slopes(change, held), before, after, swing)
    ankle[swing] = raw[swing] + change[swing, :3]
    orientation[swing] = quat.multiply(quat.from_rotation_vector(change[swing, 3:]), turned[swing])


def _edge_slopes(change: Floats, held: Bools) -> Floats:
    """(T, D) how the correction grows per frame at the first and last frame of every hold.

    One-sided over the hold's own frames; halved, for the first and last frames of a contact are
    the least certain and a full slope would overshoot.
    """
    slopes = np.zeros_like(change)
    spans = runs(held)
    spans = spans[spans[:, 1] - spans[:, 0] > 2]
    first, last = spans[:, 0], spans[:, 1] - 1
    slopes[first] = 0.5 * (change[first + 1] - change[first])
    slopes[last] = 0.5 * (change[last] - change[last - 1])
    return slopes


def _hermite(values: Floats, slopes: Floats, start: Frames, stop: Frames, at: Frames) -> Floats:
    """Cubic Hermite interpolation of values (T, D) at frames `at` between known ones; constant
    where `start` equals `stop`."""
    span = np.maximum(stop - start, 1)[:, None].astype(np.float64)
    u = np.clip((at - start)[:, None] / span, 0.0, 1.0)
    bend = (1.0 - u) * u * span
    curve = bend * ((1.0 - u) * slopes[start] - u * slopes[stop])
    eased = u * u * (3.0 - 2.0 * u)
    mixed = (1.0 - eased) * values[start] + eased * values[stop] + curve
    return np.where((start == stop)[:, None], values[start], mixed)


def _body_shift(
    poses: WorldPoses,
    feet: list[Foot],
    holds: list[Holds],
    tracks: list[FootTrack],
    fps: float,
    options: LockOptions,
) -> Floats:
    """(T, 3) how the body moves along with its feet: their mean correction, the held one's most.

    In height the lower foot counts for more: who walks downhill sinks before the foot lands, and
    who climbs stays low until the weight has gone over.
    """
    moved, weights = [], []
    for foot, held, track in zip(feet, holds, tracks, strict=True):
        moved.append(track.ankle - poses.positions[:, foot.ankle])
        weights.append(0.05 + _ease(held.held, _ANTICIPATION_S * fps))
    change, weight = np.stack(moved), np.stack(weights)
    rise = change[..., 1]
    low = weight * np.exp(np.clip((rise.min(axis=0) - rise) / _LOWER_FOOT_M, -20.0, 0.0))
    shift = (weight[..., None] * change).sum(axis=0) / weight.sum(axis=0)[:, None]
    shift[:, 1] = (low * rise).sum(axis=0) / low.sum(axis=0)
    sigma = options.body_smoothing_s * fps
    return smooth_gaussian(shift, sigma)


def _lowering(
    poses: WorldPoses,
    feet: list[Foot],
    tracks: list[FootTrack],
    shift: Floats,
    fps: float,
    options: LockOptions,
) -> Floats:
    """(T,) how far the body must sink so that both legs reach, smooth and never too little."""
    need = np.zeros(len(shift))
    for foot, track in zip(feet, tracks, strict=True):
        hip, knee, ankle = (poses.positions[:, j] for j in (foot.hip, foot.knee, foot.ankle))
        leg = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(ankle - knee, axis=1)
        # Where the source itself stretches further than asked, that is what the performer did.
        own = np.linalg.norm(ankle - hip, axis=1)
        longest = np.maximum(options.reach * leg, np.minimum(own, 0.9995 * leg))
        line = track.ankle - (hip + shift)
        level = np.hypot(line[:, 0], line[:, 2])
        drop = np.sqrt(np.maximum(longest**2 - level**2, 0.0))
        need = np.maximum(need, -line[:, 1] - drop)
    width = max(1, round(options.body_smoothing_s * fps))
    return smooth_gaussian(running_max(need, width), 0.5 * width)


def _solve_legs(
    clip: Clip,
    poses: WorldPoses,
    rotations: Floats,
    feet: list[Foot],
    tracks: list[FootTrack],
    shift: Floats,
    options: LockOptions,
) -> None:
    """Write the legs' local rotations so that the feet follow their tracks, both legs at once."""
    parents, frames = clip.skeleton.parents, len(clip)
    world, places = poses.rotations, poses.positions

    def both(values: Floats, joints: list[int]) -> Floats:
        """(2T, ...) the values of one joint of each leg, one leg after the other."""
        return np.concatenate([values[:, joint] for joint in joints])

    hips, knees = [f.hip for f in feet], [f.knee for f in feet]
    ankles, moved = [f.ankle for f in feet], np.concatenate([shift] * len(feet))
    hip_turn, knee_turn = both(world, hips), both(world, knees)
    limb = LimbPose(
        both(places, hips) + moved, both(places, knees) + moved, both(places, ankles) + moved,
        hip_turn, knee_turn, quat.rotate(hip_turn, _X_AXIS),
    )  # fmt: skip
    turned = np.concatenate([track.turned for track in tracks])
    found = reach(limb, np.concatenate([track.ankle for track in tracks]), options.soft)
    # Joints between (twist bones) turn along with the bone above them.
    upper = quat.multiply(found.upper, quat.conjugate(hip_turn))
    lower = quat.multiply(found.lower, quat.conjugate(knee_turn))
    above_knee = quat.multiply(upper, both(world, [int(parents[j]) for j in knees]))
    above_ankle = quat.multiply(lower, both(world, [int(parents[j]) for j in ankles]))
    local = (
        (hips, _against(both(world, [int(parents[j]) for j in hips]), found.upper)),
        (knees, _against(above_knee, found.lower)),
        (ankles, _against(above_ankle, turned)),
    )
    for joints, turns in local:
        for n, joint in enumerate(joints):
            rotations[:, joint] = turns[n * frames : (n + 1) * frames]
    for foot, track in zip(feet, tracks, strict=True):
        if foot.toe is not None:
            flat = _against(track.turned, track.toes)
            rotations[:, foot.toe] = quat.slerp(rotations[:, foot.toe], flat, track.toes_flat)


def _against(parent: Floats, world: Floats) -> Floats:
    return quat.normalise(quat.multiply(quat.conjugate(parent), world))


def _ease(mask: Bools, frames: float) -> Floats:
    """(T,) 1 where true, easing to 0 within `frames` on either side."""
    gap = np.minimum(_since(mask), _since(mask[::-1])[::-1])
    u = np.clip(1.0 - gap / max(frames, 1.0), 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


def _since(mask: Bools) -> Floats:
    """(T,) how many frames ago the mask was last true; very many before the first time."""
    last = np.where(mask, np.arange(len(mask)), -(10**9))
    return (np.arange(len(mask)) - np.maximum.accumulate(last)).astype(np.float64)
