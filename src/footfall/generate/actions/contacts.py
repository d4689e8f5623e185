"""Contacts with the ground and flights between them: how the centre of mass goes over both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY

Knot = tuple[float, Floats, Floats, Floats]


@dataclass(frozen=True)
class Contact:
    """A time on the ground, and the flight after it.

    on_s, off_s   touch-down and take-off
    z             of the ankle
    low, high     heights of the centre of mass at both against quiet stance, metres
    flight_s      how long the flight lasts;  speed  over the ground in it, m/s
    brake         how hard the ground pushes soon after the touch-down, m/s², if that is to be said
    """

    on_s: float
    off_s: float
    z: float
    low: float
    high: float
    flight_s: float
    speed: float
    brake: float = 0.0


def landing_knot(
    on_s: float, place: Floats, speed: Floats, brake: float, soon_s: float = 0.033
) -> Knot:
    """The knot shortly after a landing with `speed` (3,) at `place` (3,), when the ground pushes
    up by `brake`, m/s²: the sooner it does, the slower knees bend."""
    gain = np.array([0.0, 0.5 * (brake - GRAVITY), -2.0 * speed[2]])
    after = speed + gain * soon_s
    where = place + 0.5 * (speed + after) * soon_s
    return on_s + soon_s, where, after, np.array([0.0, brake, -4.0 * speed[2]])


def flight_knots(
    contacts: Sequence[Contact], x: Sequence[float], places: Sequence[tuple[float, float]],
    before: float,
) -> list[Knot]:  # fmt: skip
    """Knots of the centre of mass over contacts; places (z at touch-down, z at take-off).

    before  seconds of flight before the first contact, or 0 if it begins on the ground
    """
    knots: list[Knot] = []
    free = np.array([0.0, -GRAVITY, 0.0])
    fall, speed, side = -GRAVITY * 0.5 * before, contacts[0].speed, 0.0
    for n, c in enumerate(contacts):
        on = np.array([x[n], c.low, places[n][0]])
        coming = np.array([side, fall, speed])
        knots.append((c.on_s, on, coming, free))
        if c.brake:
            knots.append(landing_knot(c.on_s, on, coming, c.brake))
        land = contacts[n + 1].low if n + 1 < len(contacts) else c.low
        up = (land - c.high) / c.flight_s + 0.5 * GRAVITY * c.flight_s
        off = np.array([x[n], c.high, places[n][1]])
        side = (x[n + 1] - x[n]) / c.flight_s if n + 1 < len(x) else 0.0
        knots.append((c.off_s, off, np.array([side, up, c.speed]), free))
        fall, speed = up - GRAVITY * c.flight_s, c.speed
    return knots
