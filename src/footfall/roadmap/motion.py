"""A path over footholds as a motion: moves joined at shared footprints, the body fitted to them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from footfall.adapt.displace.body_path import carry_body
from footfall.adapt.flights import keep_free_falls
from footfall.adapt.foot_lock import follow_holds, holds_of
from footfall.adapt.foot_track import LockOptions
from footfall.adapt.holds import Foot, Holds, lie_on_ground
from footfall.body.clip import Clip
from footfall.body.kinematics import world_poses
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.join import Stances, join_moves
from footfall.roadmap.moves import Moves
from footfall.roadmap.search import FootholdPath
from footfall.roadmap.table import Longs
from footfall.world.scene import Scene


@dataclass(frozen=True, eq=False)
class JoinedMotion:
    """A motion, and the frames (W,) at which its moves begin.

    stances  where feet stand in it
    """

    clip: Clip
    starts: Ints
    stances: Stances


def make_motion(
    moves: Moves, path: FootholdPath, prints: Floats, starts: Longs, scene: Scene | None
) -> JoinedMotion:
    """The motion of a path whose footprints are (P, 4), x, height, z, yaw."""
    chain = join_moves(moves, path, prints, starts)
    stances = chain.stances
    clip = carry_body(chain.clip, stances.times, *map(_upright, (stances.source, stances.target)))
    poses = world_poses(clip)
    feet, holds = holds_of(clip, poses)
    planned = [
        _hold_as_planned(foot, held, stances.only(stances.foot == k), scene)
        for k, (foot, held) in enumerate(zip(feet, holds, strict=True))
    ]
    fitted = follow_holds(clip, poses, feet, planned, scene, LockOptions())
    fitted = keep_free_falls(fitted, world_poses(fitted))
    return JoinedMotion(fitted, chain.starts, stances)


def _upright(prints: Floats) -> tuple[Floats, Floats]:
    """Footprints (K, 4) as places and turns; on slopes people stay upright, and lean from there."""
    return prints[:, :3], quat.from_yaw(prints[:, 3])


def _hold_as_planned(foot: Foot, holds: Holds, stances: Stances, scene: Scene | None) -> Holds:
    """The holds of a foot exactly where its stances are to be, along the ground there."""
    if len(holds) == 0:
        return holds
    target = stances.target
    flat = quat.from_yaw(target[:, 3] + stances.turned)
    spots = target[:, :3] + quat.rotate(quat.from_yaw(target[:, 3]), stances.balls)
    if scene is not None:
        flat, spots = lie_on_ground(foot, flat, spots, scene)
    tilt = quat.multiply(flat, quat.conjugate(holds.flat))
    turns = quat.multiply(tilt[holds.owner], holds.turns)
    return replace(holds, flat=flat, spots=spots, turns=turns)
