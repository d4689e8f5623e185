"""Foot locking: feet that touch stay exactly where they are, on any ground, and legs follow.

The body follows its feet, so that legs stay as straight or bent as they were (`body_follow`). The
feet's corrections are exact while a foot is held and travel smoothly (C¹), beside the body's own,
through each swing from one hold to the next. Where a leg would not reach, its heel rises a little
earlier (`heels`), and only for the rest the body sinks. Then each leg is solved in closed form, so
that only hips, knees, ankles and toes change their angles.

Kovar, Schreiner & Gleicher 2002 let bones stretch a little to avoid knees that pop; here heel and
body give way instead and the last share of the reach is soft.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.adapt.feet import constants
from footfall.adapt.feet.body_follow import follow_feet, sinking
from footfall.adapt.feet.constants import FeetConstants
from footfall.adapt.feet.heels import raise_heel, yield_to_reach
from footfall.adapt.feet.holds import FLAT, HEEL, GroundSurface, Holds, find_holds, on_ground
from footfall.adapt.feet.linger import linger
from footfall.adapt.feet.separation import keep_legs_apart
from footfall.adapt.feet.settle import lower_contacts, settle_holds
from footfall.adapt.feet.swing import clear_swings
from footfall.adapt.feet.toes import against, bend_toes
from footfall.adapt.feet.track import BodyMove, FootTrack, Leg, leg_of
from footfall.body.clip import Clip
from footfall.body.feet import Foot, foot_of
from footfall.body.kinematics import WorldPoses
from footfall.body.roles import SIDES
from footfall.gait.contacts import find_contacts
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.runs import runs


def lock_feet(
    clip: Clip, ground: GroundSurface | None = None, options: FeetConstants | None = None
) -> Clip:
    """Return `clip` with its feet held where its contacts say they touch.

    Contacts that the clip does not carry are found. Without `ground` every contact stays at
    its own height, level.
    """
    poses = clip.world
    found = clip.contacts is None
    clip = with_contacts(clip)
    feet, holds = holds_of(clip, settle=found)
    if ground is not None:
        holds = put_on_ground(feet, holds, ground)
    if not found:
        holds = linger(feet, poses, holds, clip.fps)
    return follow_holds(clip, feet, holds, ground, options)


def with_contacts(clip: Clip) -> Clip:
    """Return the clip with contacts: its own, or those that are found."""
    if clip.contacts is not None:
        return clip
    return lower_contacts(find_contacts(clip).with_contacts(clip))


def holds_of(clip: Clip, settle: bool = False) -> tuple[list[Foot], list[Holds]]:
    """Return both feet of a clip with contacts, and the holds of each, level at their own heights.

    settle  whether feet are on the way at the ends of the contacts, as of those that are found
    """
    assert clip.contacts is not None
    feet = [foot_of(clip.skeleton, side) for side in SIDES]
    return feet, holds_in(feet, clip.world, clip.contacts, clip.fps, settle)


def holds_in(
    feet: list[Foot], poses: WorldPoses, contacts: Bools, fps: float, settle: bool
) -> list[Holds]:
    """Return the holds of each foot in poses with contacts (T, 4); see `holds_of`."""
    holds = [
        find_holds(foot, poses, contacts[:, 2 * k], contacts[:, 2 * k + 1])
        for k, foot in enumerate(feet)
    ]
    if not settle:
        return holds
    return [
        settle_holds(foot, poses, held, fps, foot.leg_m)
        for foot, held in zip(feet, holds, strict=True)
    ]


def put_on_ground(feet: list[Foot], holds: list[Holds], ground: GroundSurface) -> list[Holds]:
    """Return the holds of each foot, put on the ground."""
    return [on_ground(held, foot, ground) for foot, held in zip(feet, holds, strict=True)]


def follow_holds(
    clip: Clip,
    feet: list[Foot],
    holds: list[Holds],
    ground: GroundSurface | None = None,
    options: FeetConstants | None = None,
    strides: float = 1.0,
) -> Clip:
    """Return `clip` moved so that its feet keep to the given holds.

    options  by what they move; None: `constants.FEET`
    strides  how long the holds' strides are against the clip's
    """
    aim = aim_feet(clip.world, clip.fps, feet, holds, ground, options, strides)
    return solve_aim(clip, feet, holds, aim, ground, options)


@dataclass(frozen=True, eq=False)
class FeetAim:
    """Where feet and hips are to be, before legs are solved: tracks, legs and the body's move."""

    tracks: list[FootTrack]
    legs: list[Leg]
    move: BodyMove

    def poses(self, source: WorldPoses, feet: list[Foot]) -> WorldPoses:
        """Return `source` with hips, feet and toes where they are to be, the rest moved along.

        Legs are not solved: knees are as far from their hips and ankles as they were.
        """
        places, turns = source.positions + self.move.shift[:, None], np.array(source.rotations)
        places[:, 0] += _root_shift(source, feet, self.move.tilt)
        for foot, track, hip in zip(feet, self.tracks, self.move.hips(self.legs), strict=True):
            places[:, foot.hip], places[:, foot.ankle] = hip, track.ankle
            turns[:, foot.ankle] = track.turned
            if foot.toe is not None:
                places[:, foot.toe] = track.ankle + quat.rotate(track.turned, foot.ball_joint)
                turns[:, foot.toe] = quat.multiply(track.turned, track.bend)
        return WorldPoses(places, turns)


def aim_feet(
    poses: WorldPoses,
    fps: float,
    feet: list[Foot],
    holds: list[Holds],
    ground: GroundSurface | None = None,
    options: FeetConstants | None = None,
    strides: float = 1.0,
    bones: list[Floats] | None = None,
) -> FeetAim:
    """Find where feet and hips go so that the feet keep to the given holds.

    bones  (T,) how long each leg is, where the knees of `poses` do not tell it
    """
    options = constants.FEET if options is None else options
    tracks = [
        _track(foot, poses, held, fps, options) for foot, held in zip(feet, holds, strict=True)
    ]
    legs = [
        leg_of(poses, foot, options, None if bones is None else bones[k])
        for k, foot in enumerate(feet)
    ]
    ankles = [poses.positions[:, foot.ankle] for foot in feet]
    move = follow_feet(ankles, legs, holds, tracks, fps, options, ground is None)
    if ground is None:
        for ankle, held, track in zip(ankles, holds, tracks, strict=True):
            _swing_with_body(ankle, track.ankle, held, move.shift)
    hips = move.hips(legs)
    tracks = [
        raise_heel(foot, held, track, hip, leg.longest, fps, options)
        for foot, held, track, hip, leg in zip(feet, holds, tracks, hips, legs, strict=True)
    ]
    if ground is not None:
        tracks = [
            clear_swings(foot, poses, held, track, ground, fps, options, strides)
            for foot, held, track in zip(feet, holds, tracks, strict=True)
        ]
    move.shift[:, 1] -= sinking(legs, holds, tracks, hips, fps, options)
    tracks = [
        yield_to_reach(held, track, leg, hip, fps)
        for held, track, leg, hip in zip(holds, tracks, legs, move.hips(legs), strict=True)
    ]
    return FeetAim(tracks, legs, move)


def solve_aim(
    clip: Clip,
    feet: list[Foot],
    holds: list[Holds],
    aim: FeetAim,
    ground: GroundSurface | None = None,
    options: FeetConstants | None = None,
    before: BodyMove | None = None,
) -> Clip:
    """Return `clip` with its feet and hips where they are to be: the one place that solves legs.

    before  how the body was moved before it was aimed from there
    """
    options = constants.FEET if options is None else options
    move, rotations = aim.move, np.array(clip.rotations)
    root, tilt = clip.root + move.shift, move.tilt
    if before is not None:
        root, tilt = root + before.shift, before.tilt
    if tilt is not None:
        root += _root_shift(clip.world, feet, tilt)
        _tilt_pelvis(clip, rotations, feet, tilt)
    _solve_legs(clip, rotations, feet, aim, tilt, options)
    locked = clip.derive(
        root=root, rotations=quat.continuous(rotations), contacts=_contacts_of(holds, aim.tracks)
    )
    return keep_legs_apart(locked, ground=ground, gap=options.leg_gap)


def _track(
    foot: Foot, poses: WorldPoses, holds: Holds, fps: float, options: FeetConstants
) -> FootTrack:
    """Return where a foot goes: held exactly, and through swings with a C¹ correction."""
    raw, own = (np.array(a[:, foot.ankle]) for a in (poses.positions, poses.rotations))
    held = holds.held
    bend = bend_toes(foot, poses, holds, holds.turns, fps, options)
    if len(holds) == 0:
        return FootTrack(raw, own, bend, held)
    ankle, turned = holds.ankles(foot, bend), np.array(holds.turns)
    stance, swing = np.flatnonzero(held), np.flatnonzero(~held)
    turn = quat.multiply(turned[stance], quat.conjugate(own[stance]))
    change = np.concatenate([ankle - raw, np.zeros_like(raw)], axis=1)
    change[stance, 3:] = 0.5 * quat.to_rotation_vector(turn)
    _fill_swings(change, held, holds.on_way)
    ankle[swing] = raw[swing] + change[swing, :3]
    turned[swing] = quat.multiply(quat.exp_half_angle(change[swing, 3:]), own[swing])
    return FootTrack(ankle, turned, bend, np.zeros(len(raw), np.bool_))


def _swing_with_body(raw: Floats, ankle: Floats, holds: Holds, shift: Floats) -> None:
    """Let a swinging foot go along with the body, so that its leg stays as it was."""
    held = holds.held
    if held.any():
        change = ankle - raw - shift
        _fill_swings(change, held, holds.on_way)
        swing = np.flatnonzero(~held)
        ankle[swing] = raw[swing] + shift[swing] + change[swing]


def _fill_swings(change: Floats, held: Bools, on_way: Bools) -> None:
    """Overwrite corrections (T, D) between holds by what joins C¹ at both ends.

    At the ends of a hold the slope is one-sided over the hold's own frames, and halved: the first
    and last frames of a contact are the least certain and a full slope would overshoot. Of a
    foot that is `on_way` there the correction goes as the foot does, and has no slope.
    """
    spans = runs(held)
    change[: spans[0, 0]] = change[spans[0, 0]]
    change[spans[-1, 1] :] = change[spans[-1, 1] - 1]
    last, after = spans[:-1, 1] - 1, spans[1:, 0]
    if len(last) == 0:
        return
    sloped = spans[:, 1] - spans[:, 0] > 2
    leaves, comes = sloped[:-1] & ~on_way[last], sloped[1:] & ~on_way[after]
    wide, a, b = (after - last).astype(np.float64)[:, None], change[last], change[after]
    slope_a = np.where(leaves[:, None], 0.5 * (a - change[last - 1]), 0.0) * wide
    next_one = np.minimum(after + 1, len(change) - 1)
    slope_b = np.where(comes[:, None], 0.5 * (change[next_one] - b), 0.0) * wide
    frames = np.flatnonzero(~held)
    frames = frames[(frames > last[0]) & (frames < after[-1])]
    n = np.searchsorted(after, frames)
    u = (frames - last[n])[:, None] / wide[n]
    eased, bend = u * u * (3.0 - 2.0 * u), (1.0 - u) * u
    change[frames] = (1.0 - eased) * a[n] + eased * b[n]
    change[frames] += bend * ((1.0 - u) * slope_a[n] - u * slope_b[n])


def _root_shift(poses: WorldPoses, feet: list[Foot], tilt: Floats | None) -> Floats:
    """Return (T, 3) how far a pelvis that is tilted about the middle of its hips moves the root."""
    if tilt is None:
        return np.zeros((len(poses.positions), 3))
    middle = poses.positions[:, [foot.hip for foot in feet]].mean(axis=1)
    arm = poses.positions[:, 0] - middle
    return np.asarray(quat.rotate(tilt, arm) - arm)


def _tilt_pelvis(clip: Clip, rotations: Floats, feet: list[Foot], tilt: Floats) -> None:
    """Write the rotations of a pelvis that is tilted under a trunk that stays as it is."""
    parents = clip.skeleton.parents
    pelvis = {0}.union(*(clip.skeleton.ancestors(foot.hip) for foot in feet))
    rotations[:, 0] = quat.multiply(tilt, rotations[:, 0])
    hips = {foot.hip for foot in feet}
    for joint in range(1, len(parents)):
        above = int(parents[joint])
        if above in pelvis and joint not in pelvis and joint not in hips:
            turned = quat.multiply(tilt, clip.world.rotations[:, above])
            rotations[:, joint] = against(turned, clip.world.rotations[:, joint])


def _solve_legs(
    clip: Clip,
    rotations: Floats,
    feet: list[Foot],
    aim: FeetAim,
    tilt: Floats | None,
    options: FeetConstants,
) -> None:
    """Write the legs' local rotations so that the feet follow their tracks, both legs at once."""
    from footfall.adapt.feet.leg_kernels import solve_legs

    # A leg that is straighter than that in the source is so here.
    soft = [
        np.clip(1.0 - leg.reach / leg.bones, 1.0 - options.straightest, options.soft)
        for leg in aim.legs
    ]
    tracks = aim.tracks
    solve_legs(
        clip.skeleton.parents,
        np.array([[f.hip, f.knee, f.ankle, -1 if f.toe is None else f.toe] for f in feet]),
        clip.positions, clip.world.rotations, np.stack(aim.move.hips(aim.legs)),
        np.stack([track.ankle for track in tracks]), np.stack([track.turned for track in tracks]),
        np.stack([track.bend for track in tracks]),
        np.zeros((0, 4)) if tilt is None else tilt, np.stack(soft), rotations,
    )  # fmt: skip


def _contacts_of(holds: list[Holds], tracks: list[FootTrack]) -> Bools:
    """Return (T, 4) the contacts of the holds; a heel that was raised does not touch."""
    columns = []
    for held, track in zip(holds, tracks, strict=True):
        heel = (held.phases == HEEL) | ((held.phases == FLAT) & ~track.heel_up)
        columns += [heel & held.firm, (held.phases >= FLAT) & held.firm]
    return np.stack(columns, axis=1)
