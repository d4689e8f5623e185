"""Strides: cycles of two steps that begin when the right foot comes down, or the left one.

Speed and turn are those of the circular arc that fits the way of the hips (Park, Shin & Shin
2002, Eq. 1). Where we differ: hips sway, and an arc fitted to one stride of a straight walk reads
turns of 0.3 rad/s from that. So the way is first averaged over the length of one stride, which
takes away everything that repeats with the stride, whatever its phase; the arc's shrinking by
that is known and undone.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from footfall.body.roles import SIDES
from footfall.gait.arc import Arcs, fit_arcs
from footfall.gait.contacts import Contacts, Stance
from footfall.gait.footprints import Footprint, footprints
from footfall.gait.steps import as_faced
from footfall.maths.arrays import Floats
from footfall.maths.signals import sample

WALK_KEYS: tuple[str, ...] = (
    "right_strike",
    "left_lift_off",
    "left_strike",
    "right_lift_off",
    "right_strike",
)
RUN_KEYS: tuple[str, ...] = (
    "right_strike",
    "right_lift_off",
    "left_strike",
    "left_lift_off",
    "right_strike",
)
RUN_DUTY = 0.5
"""Feet that stand for less than half of the time leave the body in the air."""
_SAMPLES = 17


@dataclass(frozen=True)
class Stride:
    """Two steps, from a strike of a foot to its next, of the right foot unless it says otherwise.

    style          "walk" or "run"
    key_times_s    strikes and lift-offs in order of time, named by `keys`
    speed_m_s      of the arc that fits the way of the hips
    turn_rad_s     turn rate of that arc, positive to the left
    facing_turn    how far the body turns in the stride, radians
    drift          direction of travel against facing: 0 forward, pi/2 to the left, ±pi back
    step_lengths   (left, right) how far each foot comes down ahead of the other along the way
    step_width_m   how far the feet are apart across the way
    duty           share of the stride for which a foot stands, the mean of both
    flight         share of the stride in the air
    error_m        root mean square distance of the hips from the arc
    """

    style: str
    key_times_s: tuple[float, ...]
    keys: tuple[str, ...]
    speed_m_s: float
    turn_rad_s: float
    facing_turn: float
    drift: float
    step_lengths_m: tuple[float, float]
    step_width_m: float
    duty: float
    flight: float
    error_m: float

    @property
    def begin_s(self) -> float:
        return self.key_times_s[0]

    @property
    def end_s(self) -> float:
        return self.key_times_s[-1]

    @property
    def seconds(self) -> float:
        return self.end_s - self.begin_s

    @property
    def length_m(self) -> float:
        """The way of two steps along the arc."""
        return self.speed_m_s * self.seconds

    @property
    def cadence(self) -> float:
        """Steps per minute."""
        return 120.0 / self.seconds


@dataclass(frozen=True)
class _Cycle:
    """The stances of a stride: a foot's, the other's, its next; and the other's before."""

    one: Stance
    other: Stance
    again: Stance
    other_before: Stance | None
    prints: tuple[Footprint, Footprint, Footprint]


def find_strides(
    contacts: Contacts, prints: tuple[Footprint, ...] | None = None, *, first: str = "right"
) -> tuple[Stride, ...]:
    """Return the strides of a clip: right, left, right, with no foot coming down twice in between.

    first  "left" for those that are left, right, left
    """
    prints = footprints(contacts) if prints is None else prints
    cycles = _cycles(contacts, prints, SIDES.index(first))
    if not cycles:
        return ()
    begin = np.array([c.one.begin_s for c in cycles])
    end = np.array([c.again.begin_s for c in cycles])
    times = begin[:, None] + (end - begin)[:, None] * np.linspace(0.0, 1.0, _SAMPLES)
    facing = sample(contacts.motion.facing, contacts.fps, times.reshape(-1)).reshape(times.shape)
    way = _way_without_sway(contacts, begin, end, facing[:, -1] - facing[:, 0])
    arcs = fit_arcs(times, way)
    shrunk = np.sinc(0.5 * arcs.turn * (end - begin) / np.pi)
    arcs = replace(arcs, speed=arcs.speed / np.maximum(shrunk, 0.1))
    return tuple(_stride(c, arcs, n, facing[n]) for n, c in enumerate(cycles))


def _way_without_sway(contacts: Contacts, begin: Floats, end: Floats, turn: Floats) -> Floats:
    """Return (N, M, 2) the path of the hips over each stride, averaged over a stride.

    Beyond the clip's ends the stride is repeated, turned by `turn` (N,), as far as its facing
    turns within it.
    """
    half = (_SAMPLES - 1) // 2
    seconds = end - begin
    share = np.linspace(-0.5, 1.5, 2 * (_SAMPLES - 1) + 1)
    times = begin[:, None] + seconds[:, None] * share
    hips, fps = contacts.motion.hips[:, [0, 2]], contacts.fps
    last = (len(contacts) - 1) / fps

    def at(moments: Floats) -> NDArray[np.complex128]:
        points = sample(hips, fps, moments.reshape(-1)).reshape(*moments.shape, 2)
        return np.asarray(points[..., 1] + 1j * points[..., 0])

    start, stop = at(begin)[:, None], at(end)[:, None]
    forth = np.exp(1j * turn)[:, None]
    path = at(times)
    if times.min() < 0.0 or times.max() > last:
        earlier, later = times < 0.0, times > last
        path = np.where(earlier, start + (at(times + seconds[:, None]) - stop) / forth, path)
        path = np.where(later, stop + (at(times - seconds[:, None]) - start) * forth, path)
    # Over a whole period the mean of evenly spaced samples is exact; its two ends count half.
    total = np.cumsum(np.concatenate([np.zeros((len(path), 1)), path], axis=1), axis=1)
    sums = total[:, 2 * half + 1 :] - total[:, : -2 * half - 1]
    ends = 0.5 * (path[:, 2 * half :] + path[:, : -2 * half])
    mean = (sums - ends) / (2 * half)
    return np.stack([mean.imag, mean.real], axis=-1)


def _cycles(contacts: Contacts, prints: tuple[Footprint, ...], first: int) -> list[_Cycle]:
    stances = [s for s in contacts.stances if not s.open_begin]
    by_stance = {p.stance: p for p in prints}
    number = {id(s): n for n, s in enumerate(contacts.stances)}
    others = [s for s in contacts.stances if s.foot != first]
    before = {id(b): a for a, b in itertools.pairwise(others)}
    found = []
    for one, two, three in zip(stances, stances[1:], stances[2:], strict=False):
        if (one.foot, two.foot, three.foot) == (first, 1 - first, first):
            feet = (by_stance[number[id(one)]], by_stance[number[id(two)]])
            again = by_stance[number[id(three)]]
            found.append(_Cycle(one, two, three, before.get(id(two)), (*feet, again)))
    return found


def _stride(cycle: _Cycle, arcs: Arcs, n: int, facing: Floats) -> Stride:
    begin, strike, end = cycle.one.begin_s, cycle.other.begin_s, cycle.again.begin_s
    seconds = end - begin
    duty = 0.5 * (cycle.one.seconds + cycle.other.seconds) / seconds
    style = "run" if duty < RUN_DUTY else "walk"
    if style == "run":
        names, one_off = RUN_KEYS, min(cycle.one.end_s, strike)
        keys = (begin, one_off, strike, min(cycle.other.end_s, end), end)
    else:  # the foot that stood before the stride leaves first
        names, one_off = WALK_KEYS, min(max(cycle.one.end_s, strike), end)
        other_off = begin if cycle.other_before is None else cycle.other_before.end_s
        keys = (begin, min(max(other_off, begin), strike), strike, one_off, end)
    if cycle.one.foot == 0:
        names = tuple(_other_side(name) for name in names)
    turn, heading = float(arcs.turn[n]), float(arcs.heading[n])
    middle = heading + 0.5 * turn * seconds
    drift = math.remainder(middle - float(facing.mean()), math.tau)
    flight = max(strike - cycle.one.end_s, 0.0) + max(end - cycle.other.end_s, 0.0)
    lengths, width = _step_sizes(cycle, middle)
    return Stride(
        style=style,
        key_times_s=keys,
        keys=names,
        speed_m_s=float(arcs.speed[n]),
        turn_rad_s=turn,
        facing_turn=float(facing[-1] - facing[0]),
        drift=drift,
        step_lengths_m=lengths,
        step_width_m=width,
        duty=duty,
        flight=flight / seconds,
        error_m=float(arcs.error_m[n]),
    )


def _step_sizes(cycle: _Cycle, direction: float) -> tuple[tuple[float, float], float]:
    """Step lengths (left, right) along, and the width across, the direction of travel."""
    one, other, again = (p.p for p in cycle.prints)
    to_other, off_other = as_faced(other - one, direction)
    to_one, off_one = as_faced(again - other, direction)
    width = 0.5 * (off_other - off_one)
    return ((to_other, to_one), width) if cycle.one.foot == 1 else ((to_one, to_other), -width)


def _other_side(key: str) -> str:
    """Return a key's name for the other foot."""
    side, _, what = key.partition("_")
    return f"{'left' if side == 'right' else 'right'}_{what}"
