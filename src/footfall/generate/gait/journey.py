"""Journeys: how fast, which way and in which gait to go, over time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.generate.gait.gait_model import scalar
from footfall.generate.gait.timeline import Timeline
from footfall.generate.performer import Performer
from footfall.maths.arrays import Bools, Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.easing import Keys, monotone_cubic
from footfall.maths.filters import smooth_gaussian

_SLOWEST = {"walk": 0.15, "run": 0.62, "back": 0.14}
_SHARP = (0.2, 0.3)
"""Turns are sharper than curves from so many √(g / leg) on, and wholly so by so much more."""
_SOON_S = 1.0
"""Who runs so soon after the first foot has left runs off, and does not walk first."""
RUNNERS = 0.6
"""How much less of their own runners' feet have than walkers': the run's modes say most of it."""


@dataclass(frozen=True, eq=False)
class Journey:
    """How to go, over the T frames of a timeline.

    speed      (T,) along the path, m/s; negative goes backwards
    turn       (T,) radians per second, positive to the left
    running    (T,) 0 walks, 1 runs
    going      (T,) 0 stands, 1 goes
    like       (T,) the speed of which the gait is taken, m/s
    rhythm     (T,) strides per second over what `like` asks for; 0 where nothing steps
    phase      in strides, at frame `anchor`
    standing   (T,) both feet stand, whatever the phase
    aside      (T,) how far the standing body leans over to the left, metres
    ahead      (T,) how far it leans ahead of its path
    first      the foot that steps off, 0 left or 1 right, and (T,) how far, 0 to 1, its leg goes
    spurts     how much, 0 to 1, who speeds up or slows down near running leans and sinks for it as
               runners do, and not as walkers
    last       the foot that steps last and the frame at which it strikes
    """

    timeline: Timeline
    speed: Floats
    turn: Floats
    running: Floats
    going: Floats
    like: Floats
    rhythm: Floats
    phase: float
    anchor: int
    standing: Bools
    aside: Floats
    ahead: Floats
    first: tuple[int, Floats] | None = None
    spurts: float = 1.0
    last: tuple[int, int] | None = None

    @property
    def rate(self) -> float:
        """Frames per second."""
        return self.timeline.rate

    @property
    def runs_off(self) -> bool:
        """Whether it starts to run from standing."""
        if self.first is None:
            return False
        soon = self.running[self.anchor : self.anchor + round(_SOON_S * self.rate)]
        return bool(soon.max(initial=0.0) > 0.5)

    @property
    def times(self) -> Floats:
        """(T,) seconds since the clip's first frame."""
        return self.timeline.times


def keep_going(
    timeline: Timeline, speed: Keys | float, *, turn: float = 0.0, running: float = 0.0,
    phase: float = 0.0,
) -> Journey:  # fmt: skip
    """A journey without a stop: speed from (time, m/s) keys or one number."""
    full = np.ones(timeline.frames)
    keys = [(0.0, speed)] if isinstance(speed, int | float) else speed
    fast = monotone_cubic(keys, timeline.times)
    return Journey(
        timeline, fast, turn * full, running * full, full, np.abs(fast), full, phase,
        timeline.zero, np.zeros(timeline.frames, np.bool_), 0.0 * full, 0.0 * full,
    )  # fmt: skip


def gait_of(journey: Journey) -> str:
    return "back" if float(journey.speed.mean()) < 0.0 else "walk"


def between(journey: Journey, of: tuple[float, float]) -> Floats:
    """(T,) what is one for walkers and another for runners."""
    return np.asarray(of[0] + journey.running * (of[1] - of[0]))


def relative(journey: Journey, gait: str, leg_m: float) -> Floats:
    """(T,) speeds in √(g leg), not below what the gait's curves know."""
    return np.maximum(journey.like / math.sqrt(GRAVITY * leg_m), _SLOWEST[gait])


def quantity(journey: Journey, gait: str, quantity: str, who: Performer) -> Floats:
    """(T,) a quantity of the gait, between those of walking and running where both mix."""
    found = scalar(gait, quantity, relative(journey, gait, who.leg_m), who.modes(gait))
    if not journey.running.any():
        return found
    other = scalar("run", quantity, relative(journey, "run", who.leg_m), who.modes("run"))
    return np.asarray((1.0 - journey.running) * found + journey.running * other)


def sharpness(journey: Journey, leg_m: float) -> Floats:
    """(T,) how much sharper than curves turns are, 0 to 1; in sharp ones people are all alike."""
    turn = np.abs(journey.turn) * math.sqrt(leg_m / GRAVITY)
    sharp = smooth_gaussian(turn, 0.2 * journey.rate)
    return np.asarray(np.clip((sharp - _SHARP[0]) / _SHARP[1], 0.0, 1.0))


def longer(share: Floats, sooner_s: float, later_s: float, rate: float) -> Floats:
    """(T,) a share that rises so many seconds sooner, and falls so many later."""
    frames = np.arange(len(share))
    moved = [np.interp(frames + s * rate, frames, share) for s in (sooner_s, -later_s)]
    return np.asarray(np.max([share, *moved], axis=0))


def integrate(values: Floats, rate: float, zero: int) -> Floats:
    """(T,) the integral over time, 0 at frame `zero`."""
    total = np.concatenate([[0.0], np.cumsum(values[:-1] + values[1:]) * (0.5 / rate)])
    return np.asarray(total - total[zero])
