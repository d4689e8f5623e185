"""What going costs a person: one model of effort for planners, in joules per kilogram of body mass.

Effort grows with time, with the square of the speed and of turning, and with work against weight
and inertia. A metre costs least at 1.5 m/s, `LEAST_J_KG_M`. A stop of a second costs as much as two
and a half metres: the second, and the speed that is lost and gained again. So people do not stop,
turn, go sideways or crouch without need, and no table of behaviours is necessary.

Steady walking and turning: Brown, Seethapathi & Srinivasan 2021. Sideways: Handford & Srinivasan
2014, where two fifths of the usual speed are cheapest and a metre costs more than twice as much.
Running: Margaria 1963, 3.9 J/kg/m beside standing. Changes of speed and height: mechanical work at
the efficiencies of muscles that shorten and lengthen, Margaria 1968, as Seethapathi & Srinivasan
2015 found for changes of speed. A flight of t seconds takes off with g² t² / 8 and lands with it.
"""

from __future__ import annotations

import math
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footfall.body.clip import Clip
from footfall.body.mass import centre_of_mass
from footfall.gait.flow import pelvis_yaw
from footfall.maths.arrays import Bools, Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.filters import smooth_gaussian
from footfall.maths.rounding import round_to_grid
from footfall.maths.runs import runs as find_runs

STANDING_W_KG = 2.204 + 0.6
"""A second of standing: the cost curve of walking at speed 0, and a preference for what time is
worth to a person on the way."""
AHEAD, ASIDE = 1.213, 6.0
"""The square of speed ahead, and to a side, W/kg per (m/s)²."""
BACKWARD, UNSEEN_W_KG = 2.4, 2.0
"""The same for going backward, and a preference: a second of going where one does not look."""
TURNING = 0.966
"""The square of turning, W/kg per (rad/s)²."""
RUNNING_W_KG, RUNNING_J_KG_M, _FAST_M_S = 1.2, 3.9, 2.0
"""Running, which is cheaper than walking fast; it is faster than the third."""
SHORTENS, LENGTHENS = 0.25, 1.2
"""Efficiencies of work done on the body and taken from it."""
RISING_J_KG_M = GRAVITY / SHORTENS
"""A metre of height gained."""
LEAST_J_KG_M = 2.0 * math.sqrt(STANDING_W_KG * AHEAD)
"""A metre at the speed at which it is cheapest."""
STOPPING_J_KG = 0.5 * STANDING_W_KG / AHEAD * (1.0 / SHORTENS + 1.0 / LENGTHENS) + STANDING_W_KG
"""A stop of a second: the second, and the usual speed lost and gained."""
_SMOOTH_S, _SLOW_M_S, _RUN_FLIGHT_S = 0.2, 0.15, 0.15
"""The sway of steps is smoothed away; slower than the second there is no direction; the price of
running has flights as long as the third."""


class EffortTrack(NamedTuple):
    """The effort of a clip from its first frame up to each (T,), J/kg, in two parts.

    steady  what stays as it is where steps are stretched       pace  what grows with their square
    """

    steady: Floats
    pace: Floats


_known: WeakKeyDictionary[Clip, EffortTrack] = WeakKeyDictionary()


def effort_of(clip: Clip) -> EffortTrack:
    """Return the effort of a humanoid clip; found once."""
    if clip not in _known:
        _known[clip] = _find_effort(clip)
    return _known[clip]


def _find_effort(clip: Clip) -> EffortTrack:
    count, step_s = len(clip), 1.0 / clip.fps
    if count < 2:
        return EffortTrack(np.zeros(count), np.zeros(count))
    rates = np.gradient(centre_of_mass(clip), step_s, axis=0)
    velocity = smooth_gaussian(rates, _SMOOTH_S * clip.fps)
    yaw = pelvis_yaw(clip, clip.world.positions)
    turning = np.gradient(yaw, step_s)
    speed = np.hypot(velocity[:, 0], velocity[:, 2])
    ahead = velocity[:, 0] * np.sin(yaw) + velocity[:, 2] * np.cos(yaw)
    share = np.where(speed > _SLOW_M_S, ahead / np.maximum(speed, _SLOW_M_S), 1.0)
    factor = ASIDE + share**2 * (np.where(share > 0.0, AHEAD, BACKWARD) - ASIDE)
    pace = factor * speed**2
    steady = STANDING_W_KG + TURNING * turning**2 + UNSEEN_W_KG * np.maximum(-share, 0.0)
    fast = (share > 0.0) & (speed > _FAST_M_S)
    runs = fast & (RUNNING_W_KG + RUNNING_J_KG_M * speed < STANDING_W_KG + pace)
    half = 0.5 * RUNNING_J_KG_M * speed
    steady = np.where(runs, steady + RUNNING_W_KG - STANDING_W_KG + half, steady)
    pace = np.where(runs, half, pace)
    work = np.diff(0.5 * speed**2), GRAVITY * step_s * 0.5 * (velocity[1:, 1] + velocity[:-1, 1])
    paid = [np.where(w > 0.0, w / SHORTENS, -w / LENGTHENS) for w in work]
    sums = [np.cumsum(0.5 * (rate[1:] + rate[:-1]) * step_s) for rate in (steady, pace)]
    rising = paid[1] if clip.contacts is None else paid[1] + _price_flights(clip, fast)[1:]
    tracks = sums[0] + np.cumsum(rising), sums[1] + np.cumsum(paid[0])
    return EffortTrack(*(round_to_grid(np.concatenate([[0.0], t])) for t in tracks))


def _price_flights(clip: Clip, fast: Bools) -> Floats:
    """Return what taking off and landing cost at the first frame of each flight (T,), J/kg."""
    price = np.zeros(len(clip))
    for first, stop in find_runs(np.asarray(~np.any(np.asarray(clip.contacts), axis=1), np.bool_)):
        free_s = _RUN_FLIGHT_S if fast[first:stop].any() else 0.0
        work = max(((stop - first) / clip.fps) ** 2 - free_s**2, 0.0) * GRAVITY**2 / 8.0
        price[first] = work * (1.0 / SHORTENS + 1.0 / LENGTHENS)
    return price
