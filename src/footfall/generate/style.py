"""How a performer goes against the mean one, as figures that gaits and actions take.

The directions of what age, energy, mood, stiffness and build do are those of the literature (age:
Winter et al. 1990, Hollman et al. 2011; mood: Michalak et al. 2009, Roether et al. 2009; build:
Browning & Kram 2007); their sizes, with what is everybody's own, are set so that people differ by
about as much as those of the population gait model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.generate.gait.gait_model import MODES
from footfall.maths.arrays import Floats

if TYPE_CHECKING:
    from footfall.generate.performer import Performer

WIDEST = 1.6
"""Performers and strides further off the mean than this are not made, standard deviations."""
_LEVELS = 8
"""People are spread evenly in rows of two to the power of this."""
_WALK_SIZE = 0.75
"""What modes say stands beside what else is people's own."""
_RUN_MODES, _RUN_SIZE = 3, 0.7
"""The run's modes rest on ten performers: the first few, and less than their full size."""
_OWN = {
    "step": 0.03, "width": 0.026, "stance": 0.018, "toe_out": math.radians(5.5),
    "swing": 0.2, "hang": math.radians(3.0), "elbow": math.radians(3.0),
    "rise": 0.15, "sway": 0.18, "turn": 0.17, "lean": math.radians(5.5), "nod": math.radians(3.5),
    "knee": math.radians(0.5), "out": math.radians(3.0),
}  # fmt: skip
"""In what else people differ, besides what the model's modes say: standard deviations."""
_SIDES = 4
_LEAST_OUT = math.radians(-3.0)
"""No arm hangs closer than a body leaves room for."""


@dataclass(frozen=True)
class Style:
    """Differences from the mean performer, who has these.

    tempo      how fast things are done and walked, against those of the same size; running
    run_tempo  the same of running;  vigour  how far and high somebody jumps
    walk, run  weights of the gait model's modes, N(0, 1) each
    sides      how left and right differ, N(0, 1) each: the pelvis' height, how far arms swing, how
               far the body faces off its way, how far one arm hangs ahead of the other
    step       of ln(step length) at the same speed;  width  of steps, leg lengths
    stance     by which share of a stride feet stay longer
    knee       how much further knees bend in swings, radians
    toe_out    radians;  push  how far ankles go against the mean
    swing      of the arms, how far against the mean;  hang  how far forward, radians
    elbow      how far more bent, radians;  out  how far off the body arms hang, radians
    rise, sway how far the body goes up and down and from side to side against the mean
    turn       how far pelvis and trunk turn and bend in a stride against the mean
    lean       of the trunk, forward;  stoop  how round the back is;  nod  of the head: radians
    lower      how much lower the body is, leg lengths
    """

    tempo: float = 1.0
    run_tempo: float = 1.0
    vigour: float = 1.0
    walk: tuple[float, ...] = ()
    run: tuple[float, ...] = ()
    sides: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    step: float = 0.0
    width: float = 0.0
    stance: float = 0.0
    knee: float = 0.0
    toe_out: float = 0.0
    push: float = 1.0
    swing: float = 1.0
    hang: float = 0.0
    elbow: float = 0.0
    out: float = 0.0
    rise: float = 1.0
    sway: float = 1.0
    turn: float = 1.0
    lean: float = 0.0
    stoop: float = 0.0
    nod: float = 0.0
    lower: float = 0.0

    @property
    def ahead(self) -> float:
        """Which foot is ahead in standing: 1 the left one, -1 the right one."""
        return -1.0 if self.sides[3] < 0.0 else 1.0

    def fade(self, share: float) -> Style:
        """This style with only a share of all but the tempo: 0 goes as the mean performer does."""
        if share == 1.0:
            return self
        usual, kept = vars(MEAN_STYLE), ("tempo", "run_tempo", "vigour")
        shown: dict[str, Any] = {}
        for name, value in vars(self).items():
            if isinstance(value, tuple):
                shown[name] = tuple(share * v for v in value)
            elif name not in kept:
                shown[name] = usual[name] + share * (value - usual[name])
        return replace(self, **shown)


MEAN_STYLE = Style()


def style_of(who: Performer) -> Style:
    """The style that a performer's figures amount to."""
    old = max(0.0, (who.age - 30.0) / 50.0)
    brisk, glad = 2.0 * who.energy - 1.0, who.mood
    stiff, stout = 2.0 * who.stiffness - 1.0, (who.build - 23.0) / 8.0
    z, sides, own = _own(who.manner)
    heavy = max(stout, 0.0)
    return Style(
        tempo=_within(1.0 - 0.17 * old + 0.1 * brisk + 0.06 * glad - 0.04 * heavy, 0.7, 1.12),
        run_tempo=_within(1.0 - 0.16 * old + 0.06 * brisk - 0.05 * heavy, 0.8, 1.05),
        vigour=_within(1.0 - 0.2 * old + 0.06 * brisk - 0.06 * heavy, 0.84, 1.05),
        walk=tuple((_WALK_SIZE * z[:MODES]).tolist()),
        run=tuple((_RUN_SIZE * z[MODES : MODES + _RUN_MODES]).tolist()),
        sides=tuple(sides.tolist()),
        step=-0.07 * old + 0.02 * brisk - 0.01 * heavy + own["step"],
        width=_within(0.025 * old + 0.02 * stout + own["width"], -0.05, 0.1),
        stance=0.012 * old - 0.004 * brisk + 0.008 * heavy + own["stance"],
        knee=own["knee"],
        toe_out=_within(math.radians(2.0 * old + 2.5 * stout) + own["toe_out"], -0.12, 0.2),
        push=_within(1.0 - 0.15 * old + 0.05 * brisk, 0.75, 1.1),
        swing=_scale(-0.18 * old + 0.22 * brisk + 0.16 * glad - 0.22 * stiff + own["swing"]),
        hang=own["hang"],
        elbow=math.radians(4.0 * brisk + 3.0 * stiff) + own["elbow"],
        out=math.radians(6.0 * heavy + 1.5 * max(who.hips - who.shoulders, 0.0))
        + max(own["out"], _LEAST_OUT),
        rise=_scale(-0.15 * old + 0.12 * brisk + 0.12 * glad + own["rise"]),
        sway=_scale(0.1 * old - 0.12 * glad - 0.08 * stiff + 0.1 * stout + own["sway"]),
        turn=_scale(-0.15 * old - 0.28 * stiff + own["turn"]),
        lean=math.radians(3.0 * old - 2.6 * glad - 0.8 * brisk) + own["lean"],
        stoop=math.radians(9.0 * old - 3.0 * glad),
        nod=math.radians(-4.0 * glad - 1.5 * brisk) + own["nod"],
        lower=0.008 * old,
    )  # fmt: skip


def _own(manner: int) -> tuple[Floats, Floats, dict[str, float]]:
    """Weights of modes, differences of the sides, and figures by the names of _OWN that are of a
    manner alone; the mean manner has nothing of its own."""
    if manner == 0:
        return np.zeros(0), np.zeros(_SIDES), dict.fromkeys(_OWN, 0.0)
    figures = _normal(manner, 7, len(_OWN)) * list(_OWN.values())
    own = dict(zip(_OWN, figures.tolist(), strict=True))
    return _normal(manner, 1, 2 * MODES), _normal(manner, 5, _SIDES), own


def _normal(manner: int, what: int, count: int) -> Floats:
    """Numbers of N(0, 1) that are a manner's own; those of manners in a row are spread evenly.

    Of four people one is in each quarter of the population, of eight in each eighth, and so on
    (van der Corput's sequence, scrambled as Owen 1995 does): few people are all kinds of people
    too, and their mean is the mean of all.
    """
    block, place = divmod(manner - 1, 1 << _LEVELS)
    flips = np.random.default_rng([block, what]).integers(0, 2, (count, 1 << _LEVELS))
    share = np.random.default_rng([manner, what]).random(count) / (1 << _LEVELS)
    node = 1
    for level in range(_LEVELS):
        half = place >> level & 1
        share += (half ^ flips[:, node]) / (2 << level)
        node = 2 * node + half
    normal = [NormalDist().inv_cdf(min(max(p, 1e-6), 1.0 - 1e-6)) for p in share.tolist()]
    return np.clip(normal, -WIDEST, WIDEST)


def _within(value: float, least: float, most: float) -> float:
    return min(max(float(value), least), most)


def _scale(change: float) -> float:
    """A factor for a change that may be large: never 0, and 1 for none."""
    return math.exp(_within(change, -0.8, 0.6))
