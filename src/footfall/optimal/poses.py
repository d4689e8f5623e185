"""Poses as seen from what stands: of frames inside a contact phase, and of states.

While something stands, the body is told from there: from the foot that stands, from the middle of
both feet, or in the air from the ground below. Feet that stand are told from their own holds, so
that a blend of two poses keeps them exactly where they are: the sole is turned, and the ankle
follows from that, about the heel or about the ball.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.adapt.feet.legs import solve_leg
from footfall.body.feet import Foot, foot_of
from footfall.body.kinematics import WorldPoses, forward_kinematics
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.ground_frames import (
    compose_frames,
    frame_points,
    frame_turns,
    invert_frames,
    middle_frames,
    relative_frames,
)
from footfall.maths.rounding import ANGLE, POSITION_M, round_rotations, round_to_grid
from footfall.optimal.footing import Footing
from footfall.optimal.phases import Phases


@dataclass(frozen=True, eq=False)
class Poses:
    """N poses, seen from what stands.

    root       (N, 3)
    rotations  (N, J, 4) that of the root as seen from what stands
    sole       (N, 2, 4) how the feet are turned, each seen from its `base`
    ankle      (N, 2, 3) where the ankles are, seen from there; of feet that stand only how far
               they are from where a sole that is turned like that has them
    base       (N, 2, 4) the holds of feet that stand, else where all is seen from
    held       (N, 2) which feet stand
    """

    root: Floats
    rotations: Floats
    sole: Floats
    ankle: Floats
    base: Floats
    held: Bools

    def __len__(self) -> int:
        return len(self.root)

    def __getitem__(self, which: Ints) -> Poses:
        return Poses(
            self.root[which], self.rotations[which], self.sole[which], self.ankle[which],
            self.base[which], self.held[which],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class StatePoses:
    """The poses of S states in their ground frames, feet exactly where their stances have them.

    root       (S, 3)
    rotations  (S, J, 4)
    feet       (S, 2, 4) the holds of the feet that stand before or after it, else nan
    """

    root: Floats
    rotations: Floats
    feet: Floats


def frame_poses(phases: Phases, footing: Footing, frames: Ints, context: Ints) -> Poses:
    """Frames (N,) as seen from what stands in phases (N,)."""
    hold, stance = footing.hold[context], footing.stance[context]
    held = hold >= 0
    raw = footing.frames[np.maximum(hold, 0)]
    seen_from = _seen_from(phases, context, raw, held)
    base = np.zeros_like(raw)
    both = np.flatnonzero(stance >= 0)
    base[both] = stance_frames(footing.stances[stance[both]])
    everything = phases.frames
    root, rotations = everything.root[frames], np.array(everything.rotations[frames])
    world = forward_kinematics(everything.skeleton, root, rotations)
    back = invert_frames(seen_from)
    rotations[:, 0] = frame_turns(back, rotations[:, 0])
    # A foot that swings is told from where all is; one that stands from its own hold.
    own = np.where(held[..., None], raw, seen_from[:, None])
    sole, ankle = np.empty((len(frames), 2, 4)), np.empty((len(frames), 2, 3))
    for side, foot in enumerate(_feet(everything.skeleton)):
        inverse = invert_frames(own[:, side])
        sole[:, side] = frame_turns(inverse, world.rotations[:, foot.ankle])
        ankle[:, side] = frame_points(inverse, world.positions[:, foot.ankle])
        stands = held[:, side]
        ankle[stands, side] -= rolled_ankles(foot, sole[stands, side])
    return Poses(frame_points(back, root), rotations, sole, ankle, base, held)


def stance_frames(stances: Floats) -> Floats:
    """(N, 2, 4) both feet of stances (N, 4), seen from the middle of them."""
    left = np.zeros_like(stances)
    back = invert_frames(middle_frames(left, stances))
    return np.stack([back, compose_frames(back, stances)], axis=1)


def rolled_ankles(foot: Foot, sole: Floats) -> Floats:
    """(N, 3) where ankles are, from the hold, of feet that are turned by (N, 4) as they stand.

    A foot whose toes are up stands on its heel, one whose heel is up on its ball.
    """
    toes_up = quat.rotate(sole, np.array([0.0, 0.0, 1.0]))[:, 1] > 0.0
    arm = np.where(toes_up[:, None], foot.heel, foot.ball_joint)
    return np.asarray(arm - foot.ball - quat.rotate(sole, arm))


def put_together(skeleton: Skeleton, poses: Poses) -> tuple[Floats, Floats, Floats]:
    """Root (N, 3) and rotations (N, J, 4) with the legs solved, and (N,) by how much they fail."""
    rotations = np.array(poses.rotations)
    world = forward_kinematics(skeleton, poses.root, rotations)
    wanted = []
    for side, foot in enumerate(_feet(skeleton)):
        ankle = np.array(poses.ankle[:, side])
        stands = poses.held[:, side]
        ankle[stands] += rolled_ankles(foot, poses.sole[stands, side])
        wanted.append(frame_points(poses.base[:, side], ankle))
        sole = frame_turns(poses.base[:, side], poses.sole[:, side])
        solve_leg(skeleton, world, rotations, foot, wanted[side], sole, soft=0.0)
    solved = forward_kinematics(skeleton, poses.root, rotations)
    off = [
        np.linalg.norm(solved.positions[:, foot.ankle] - place, axis=1)
        for foot, place in zip(_feet(skeleton), wanted, strict=True)
    ]
    return poses.root, rotations, np.maximum(*off)


def state_poses(phases: Phases, footing: Footing, states: Ints) -> StatePoses:
    """The poses of states, by their numbers, each in its ground frame."""
    at = phases.states[states]
    now = phases.phase[at]
    before = np.where(phases.rest[states], now, phases.phase[np.maximum(at - 1, 0)])
    # What stands before or after: both feet, if they stand together on either side.
    context = np.where((footing.stance[now] < 0) & (footing.stance[before] >= 0), before, now)
    in_air = (footing.hold[context] < 0).all(axis=1)
    context = np.where(in_air, before, context)
    poses = frame_poses(phases, footing, at, context)
    root, rotations, _ = put_together(phases.frames.skeleton, poses)
    feet = np.where(poses.held[..., None], poses.base, np.nan)
    for side in range(2):
        # From one foot to the other without a time on both: each is where it was seen.
        other = np.flatnonzero(
            (footing.hold[context, side] < 0) & (footing.hold[before, side] >= 0)
        )
        raw = footing.frames[footing.hold[before[other], side]]
        hold = footing.frames[np.maximum(footing.hold[context[other]], 0)]
        feet[other, side] = relative_frames(
            _seen_from(phases, context[other], hold, footing.hold[context[other]] >= 0), raw
        )
    ground = planar.pose_of(root, rotations[:, 0])
    carries = np.where((footing.hold[now] >= 0).any(axis=1), now, before)
    standing = np.where(footing.hold[carries] >= 0, feet[..., 1], np.inf).min(axis=1)
    level = np.where(np.isfinite(standing), standing, 0.0)
    back = invert_frames(np.stack([ground[:, 0], level, ground[:, 1], ground[:, 2]], axis=1))
    rotations[:, 0] = frame_turns(back, rotations[:, 0])
    return StatePoses(
        round_to_grid(frame_points(back, root), POSITION_M), round_rotations(rotations),
        round_to_grid(compose_frames(back[:, None], feet), ANGLE),
    )  # fmt: skip


def poses_of_states(
    skeleton: Skeleton, states: StatePoses, which: Ints, seen_from: Floats, like: Poses
) -> Poses:
    """States (N,) as seen from frames (N, 4) in their ground frames, feet told as in `like`."""
    back = invert_frames(seen_from)
    root = frame_points(back, states.root[which])
    rotations = np.array(states.rotations[which])
    rotations[:, 0] = frame_turns(back, rotations[:, 0])
    world: WorldPoses = forward_kinematics(skeleton, root, rotations)
    sole, ankle = np.empty_like(like.sole), np.empty_like(like.ankle)
    for side, foot in enumerate(_feet(skeleton)):
        inverse = invert_frames(like.base[:, side])
        sole[:, side] = frame_turns(inverse, world.rotations[:, foot.ankle])
        ankle[:, side] = frame_points(inverse, world.positions[:, foot.ankle])
        stands = like.held[:, side]
        ankle[stands, side] -= rolled_ankles(foot, sole[stands, side])
    return Poses(root, rotations, sole, ankle, like.base, like.held)


def _seen_from(phases: Phases, context: Ints, raw: Floats, held: Bools) -> Floats:
    """(N, 4) where phases (N,) are seen from: feet (N, 2, 4) that stand, or where they begin."""
    frames = phases.first[context]
    pose = planar.pose_of(phases.frames.root[frames], phases.frames.rotations[frames, 0])
    out = np.stack([pose[:, 0], phases.ground[frames], pose[:, 1], pose[:, 2]], axis=1)
    for side in range(2):
        alone = held[:, side] & ~held[:, 1 - side]
        out[alone] = raw[alone, side]
    both = held.all(axis=1)
    out[both] = middle_frames(raw[both, 0], raw[both, 1])
    return out


def _feet(skeleton: Skeleton) -> list[Foot]:
    return [foot_of(skeleton, side) for side in SIDES]
