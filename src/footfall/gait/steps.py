"""Steps: a foot leaves one stance for the next; how far, which way, how high."""

from __future__ import annotations

import math
from dataclasses import dataclass

from footfall.gait.contacts import Contacts
from footfall.gait.footprints import Footprint, footprints
from footfall.maths.arrays import Floats


@dataclass(frozen=True)
class Step:
    """The step of a foot from one stance to the next; lengths in metres.

    foot             0 left, 1 right
    begin_s, end_s   the toes leave, the foot comes down, seconds
    forward, left    how far the foot goes, as the body faces halfway
    rise             how much higher it comes down than it stood
    lift             how far its lowest point goes above the higher of both places
    turn             how far the foot turns, radians, positive to the left
    lead, spread     how far ahead of, and to the outside of, the other foot it comes down
    """

    foot: int
    begin_s: float
    end_s: float
    forward: float
    left: float
    rise: float
    lift: float
    turn: float
    lead: float
    spread: float

    @property
    def length(self) -> float:
        return math.hypot(self.forward, self.left)

    @property
    def seconds(self) -> float:
        return self.end_s - self.begin_s


def find_steps(contacts: Contacts, prints: tuple[Footprint, ...] | None = None) -> tuple[Step, ...]:
    """Return every step of a clip, in order of the foot's coming down."""
    prints = footprints(contacts) if prints is None else prints
    by_stance = {p.stance: p for p in prints}
    steps = []
    last: list[int | None] = [None, None]
    for number, stance in enumerate(contacts.stances):
        before, beside = last[stance.foot], last[1 - stance.foot]
        if before is not None:
            other = None if beside is None else by_stance[beside]
            steps.append(_step(contacts, by_stance[before], by_stance[number], other))
        last[stance.foot] = number
    return tuple(steps)


def _step(contacts: Contacts, a: Footprint, b: Footprint, other: Footprint | None) -> Step:
    motion = contacts.motion
    one, two = contacts.stances[a.stance], contacts.stances[b.stance]
    swing = slice(one.stop - 1, two.first + 1)
    middle = min((one.stop + two.first) // 2, len(motion) - 1)
    forward, left = as_faced(b.p - a.p, float(motion.facing[middle]))
    lead, spread = 0.0, 0.0
    if other is not None:
        facing = float(motion.facing[two.first])
        lead, spread = as_faced(b.p - other.p, facing)
        spread = spread if b.foot == 0 else -spread
    return Step(
        foot=b.foot,
        begin_s=one.end_s,
        end_s=two.begin_s,
        forward=forward,
        left=left,
        rise=two.level_m - one.level_m,
        lift=float(motion.lowest[swing, b.foot].max()) - max(one.level_m, two.level_m),
        turn=math.remainder(b.yaw - a.yaw, math.tau),
        lead=lead,
        spread=spread,
    )


def as_faced(way: Floats, facing: float) -> tuple[float, float]:
    """Return how far ahead and to the left a displacement (3,) goes, seen along `facing`."""
    sin, cos = math.sin(facing), math.cos(facing)
    return float(way[0] * sin + way[2] * cos), float(way[0] * cos - way[2] * sin)
