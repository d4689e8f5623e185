"""A path over footholds as a motion: moves joined at shared footprints, the body fitted to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.adapt.displace.body_path import carry_body
from footfall.adapt.flights import keep_free_falls
from footfall.adapt.foot_lock import follow_holds
from footfall.adapt.foot_track import LockOptions
from footfall.adapt.holds import Foot, foot_of, hold_at, lie_on_ground
from footfall.adapt.linger import linger
from footfall.adapt.variation import vary_strides
from footfall.body.clip import Clip
from footfall.body.kinematics import world_poses
from footfall.body.roles import SIDES
from footfall.gait.footprints import Footprint
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.beside import stand_beside
from footfall.roadmap.chain import Stances, join_moves
from footfall.roadmap.moves import Moves
from footfall.roadmap.search import FootholdPath
from footfall.roadmap.table import Longs
from footfall.world.scene import Scene

_LOCK = LockOptions(reach=0.99, soft=0.006)
"""Steps are longer and higher than in their clips: legs that stay short of straight do not snap."""


@dataclass(frozen=True, eq=False)
class JoinedMotion:
    """A motion, and the frames (W,) at which its moves begin.

    stances     where feet stand in it      footprints  the same, along the ground
    """

    clip: Clip
    starts: Ints
    stances: Stances
    footprints: tuple[Footprint, ...]


def make_motion(
    moves: Moves,
    path: FootholdPath,
    prints: Floats,
    starts: Longs,
    scene: Scene | None,
    seed: int = 0,
) -> JoinedMotion:
    """The motion of a path whose footprints are (P, 4), x, height, z, yaw.

    seed  of how strides differ from each other where a move is played more than once
    """
    chain = join_moves(moves, path, prints, starts)
    stances = stand_beside(moves, chain.stances, scene)
    clip = carry_body(chain.clip, stances.times, *map(_upright, (stances.source, stances.target)))
    clip = vary_strides(clip, seed, move_feet=False)
    poses = world_poses(clip)
    feet = [foot_of(clip.skeleton, side) for side in SIDES]
    flat, spots = _plan_soles(feet, stances, scene)
    holds = []
    assert clip.contacts is not None
    for k, foot in enumerate(feet):
        own, heel, toe = stances.foot == k, clip.contacts[:, 2 * k], clip.contacts[:, 2 * k + 1]
        holds.append(hold_at(foot, poses, heel, toe, flat[own], spots[own]))
    holds = linger(feet, poses, holds, clip.fps)
    fitted = follow_holds(clip, poses, feet, holds, scene, _LOCK)
    fitted = keep_free_falls(fitted)
    return JoinedMotion(fitted, chain.starts, stances, _footprints(stances, flat, spots, fitted))


def _upright(prints: Floats) -> tuple[Floats, Floats]:
    """Footprints (K, 4) as places and turns; on slopes people stay upright, and lean from there."""
    return prints[:, :3], quat.from_yaw(prints[:, 3])


def _plan_soles(feet: list[Foot], stances: Stances, scene: Scene | None) -> tuple[Floats, Floats]:
    """How flat soles are turned (K, 4), and where their balls are (K, 3): as planned."""
    target = stances.target
    flat = quat.from_yaw(target[:, 3] + stances.turned)
    spots = target[:, :3] + quat.rotate(quat.from_yaw(target[:, 3]), stances.balls)
    # Both feet are of one length.
    return (flat, spots) if scene is None else lie_on_ground(feet[0], flat, spots, scene)


def _footprints(stances: Stances, flat: Floats, spots: Floats, clip: Clip) -> tuple[Footprint, ...]:
    """The footprints of the stances, as their soles lie on the ground."""
    yaw = quat.from_yaw(quat.yaw_of(flat))
    tilt = quat.multiply(flat, quat.conjugate(yaw))
    target = stances.target
    q = quat.multiply(tilt, quat.from_yaw(target[:, 3]))
    balls = quat.rotate(q, stances.balls)
    p = np.array(target[:, :3])
    p[:, 1] = (spots - balls)[:, 1]
    times = np.clip((stances.spans - 0.5) / clip.fps, 0.0, clip.seconds)
    return tuple(
        Footprint(int(foot), p[k], q[k], 0.5 * (begin + end), 0.5 * (end - begin), k)
        for k, (foot, (begin, end)) in enumerate(
            zip(stances.foot.tolist(), times.tolist(), strict=True)
        )
    )
