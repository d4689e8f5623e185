"""Keep feet in place while they are low and slow, before and after they carry.

A contact says when a foot carries. Just before and after that a foot is on its way, but so low and
slow that whoever looks takes it to stand: if it moves over the ground then, it slides. So it stays
over its place for those frames, rising and falling as it does; the swing takes up the rest. A foot
that turns on its ball, or comes down on its heel, does so when the other end of the sole is off
the ground.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.adapt.feet import constants
from footfall.adapt.feet.holds import BALL, FLAT, HEEL, Holds
from footfall.body.feet import Foot
from footfall.body.kinematics import WorldPoses
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.easing import smoothstep

Frames = NDArray[np.integer[Any]]
_HEEL_END, _BALL_END = 0, 1

_BACK_RAD_S = 1.2
"""How fast it makes up for turning that was held back."""


def linger(feet: list[Foot], poses: WorldPoses, holds: list[Holds], fps: float) -> list[Holds]:
    """Return each foot's holds, extended by the frames in which it stays over its place."""
    return [_linger(foot, poses, held, fps) for foot, held in zip(feet, holds, strict=True)]


def _linger(foot: Foot, poses: WorldPoses, holds: Holds, fps: float) -> Holds:
    if len(holds) == 0 or len(holds.phases) < 3:
        return holds
    ends = _SoleEnds(foot, poses, fps)
    later = _lie_down_early(ends, _lengthen(ends, holds, int(constants.FEET.lingers_s * fps)))
    later = _limit_swivel(foot, later, _BACK_RAD_S / fps)
    return replace(later, lingers=later.held & ~holds.held)


class _SoleEnds:
    """Heel (0) and joint of the ball (1) of a foot in the source: where they are, how fast."""

    def __init__(self, foot: Foot, poses: WorldPoses, fps: float) -> None:
        self.foot, self.own = foot, poses.rotations[:, foot.ankle]
        self.at = np.stack([
            poses.points(foot.ankle, point) for point in (foot.heel, foot.ball_joint)
        ])  # fmt: skip
        self.speed = np.full(self.at.shape[:2], np.inf)
        self.speed[:, 1:-1] = 0.5 * fps * _lengths(self.at[:, 2:] - self.at[:, :-2])

    def stay(self, end: int | Frames, edge: Frames, t: Frames, slow: float, low: float) -> Bools:
        """Return whether ends are slow, low and near where they are at an edge, at frames t.

        slow, low  leg lengths a second, and leg lengths
        """
        leg_m, off = self.foot.leg_m, self.at[end, t] - self.at[end, edge]
        far = np.hypot(off[..., 0], off[..., 2])
        near = (off[..., 1] < low * leg_m) & (far < constants.FEET.far * leg_m)
        return np.asarray(near & (self.speed[end, t] < slow * leg_m))

    def turned_since(self, edge: Frames, t: Frames) -> Floats:
        """Return (N, 4) how the foot turned between an edge and frames t, in its own frame."""
        return quat.multiply(quat.conjugate(self.own[edge]), self.own[t])


def _lengthen(ends: _SoleEnds, holds: Holds, most: int) -> Holds:
    """Lengthen holds at both ends by frames in which what carries the foot is low and slow."""
    count, spans, table = len(holds.phases), holds.spans, constants.FEET
    # No further than to the middle of a swing.
    room = np.full((len(spans), 2), most)
    room[1:, 0] = room[:-1, 1] = np.minimum(most, (spans[1:, 0] - spans[:-1, 1]) // 2)
    edge = np.concatenate([spans[:, 0], spans[:, 1] - 1])
    ahead, owner = np.repeat([-1, 1], len(spans)), np.tile(np.arange(len(spans)), 2)
    beyond = edge[:, None] + ahead[:, None] * np.arange(1, most + 1)
    inside = (beyond >= 0) & (beyond < count)
    inside &= np.arange(most) < room.T.reshape(-1, 1)
    at = np.clip(beyond, 0, count - 1)
    lasts = []
    for point, other in ((_HEEL_END, BALL), (_BALL_END, HEEL)):
        stays = inside & ends.stay(point, edge[:, None], at, table.slow, table.low)
        frames = np.logical_and.accumulate(stays, axis=1).sum(axis=1)
        lasts.append(np.where(holds.phases[edge] == other, -1, frames))
    end = np.where(lasts[0] > lasts[1], _HEEL_END, _BALL_END)
    added = np.maximum(*lasts)
    row, k = np.nonzero(np.arange(most) < added[:, None])
    t, edges, carries = at[row, k], edge[row], end[row]
    phases, owners = np.array(holds.phases), np.array(holds.owner)
    turns, rise = np.array(holds.turns), np.array(holds.rise)
    phases[t] = np.where(carries == _HEEL_END, HEEL, BALL)
    turns[t] = quat.multiply(holds.turns[edges], ends.turned_since(edges, t))
    up = ends.at[carries, t, 1] - ends.at[carries, edges, 1]
    rise[t] = holds.rise[edges] + np.maximum(up, 0.0)
    owners[t] = owner[row]
    wider = spans + np.stack([-added[: len(spans)], added[len(spans) :]], axis=1).astype(np.int32)
    return replace(holds, phases=phases, spans=wider, turns=turns, rise=rise, owner=owners)


def _lie_down_early(ends: _SoleEnds, holds: Holds) -> Holds:
    """Let soles that come down lie flat as soon as their free end is low and slow.

    What is rolled before that is rolled from there.
    """
    frames, owner = np.arange(len(holds.phases)), holds.owner
    flat = np.flatnonzero(holds.phases == FLAT)
    lies = np.array(holds.spans[:, 0], np.intp)
    lies[owner[flat[::-1]]] = flat[::-1]  # the first of each hold
    rolls = np.flatnonzero(holds.held & (frames < lies[owner]))
    until, on_heel = lies[owner[rolls]], holds.phases[rolls] == HEEL
    free = np.where(on_heel, _BALL_END, _HEEL_END)
    table = constants.FEET
    stays = ends.stay(free, until, rolls, table.slow, table.end_low)
    stays |= on_heel & ends.stay(free, until, rolls, table.ball_slow, table.ball_low)
    early = np.array(holds.spans[:, 0], np.intp)
    np.maximum.at(early, owner[rolls[~stays]], rolls[~stays] + 1)
    down = rolls[rolls >= early[owner[rolls]]]
    phases, turns = np.array(holds.phases), np.array(holds.turns)
    phases[down], turns[down] = FLAT, holds.flat[owner[down]]
    rolls = rolls[(rolls < early[owner[rolls]]) & (early < lies)[owner[rolls]]]
    since = ends.turned_since(early[owner[rolls]], rolls)
    turns[rolls] = quat.multiply(holds.flat[owner[rolls]], since)
    return replace(holds, phases=phases, turns=turns)


def _limit_swivel(foot: Foot, holds: Holds, step: float) -> Holds:
    """Let feet turn over the ground only as far as the free end of their sole is up.

    step  what they make up for from frame to frame, radians
    """
    rolls = np.flatnonzero((holds.phases > 0) & (holds.phases != FLAT))
    lying, turn = holds.flat[holds.owner[rolls]], holds.turns[rolls]
    arm = foot.heel - foot.ball
    up = quat.rotate(turn, arm)[:, 1] - quat.rotate(lying, arm)[:, 1]
    up = np.where(holds.phases[rolls] == HEEL, -up, up)
    since = quat.multiply(turn, quat.conjugate(lying))
    angle = 2.0 * np.arctan2(since[:, 2], since[:, 0])
    angle -= 2.0 * np.pi * np.round(angle / (2.0 * np.pi))
    back = np.zeros(len(holds.phases))
    back[rolls] = (1.0 - smoothstep(up / (constants.FEET.free_end * foot.leg_m))) * angle
    # What was held back is made up for slowly, and beyond the hold where need be.
    for first, stop in holds.spans.tolist():
        if not back[first:stop].any():
            continue
        flat = first + np.flatnonzero(holds.phases[first:stop] == FLAT)
        begin = int(flat[-1]) if flat.size else first
        back[begin:stop] = _fade(back[begin:stop], step)
        if flat.size:
            part = slice(first, int(flat[0]) + 1)
            back[part] = _fade(back[part][::-1], step)[::-1]
    at = np.flatnonzero(back)
    turns = np.array(holds.turns)
    turns[at] = quat.multiply(quat.from_yaw(-back[at]), turns[at])
    return replace(holds, turns=turns)


def _fade(values: Floats, step: float) -> Floats:
    """Values (N,) whose size falls by at most `step` from one to the next."""
    sizes = np.abs(values)
    if not (sizes[:-1] - step > sizes[1:]).any():
        return values
    risen = sizes + step * np.arange(len(values))
    most = np.maximum.accumulate(risen)
    source = np.maximum.accumulate(np.where(risen >= most, np.arange(len(values)), 0))
    faded = most - step * np.arange(len(values))
    return np.where(faded > sizes, np.copysign(faded, values[source]), values)


def _lengths(v: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", v, v)))
