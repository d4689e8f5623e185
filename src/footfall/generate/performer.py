"""Who performs: a person's body and manner, from which all that the generator needs follows.

    Performer(age=70, energy=0.4)          # one's own
    draw_performer(7)                      # somebody of the population, always the same

The mean performer is the mean of the population gait model, thirty years old; whatever differs
from it changes bodies (proportions, girth) and how they go (`style`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from footfall.errors import InputError, check_range, check_whole, choices
from footfall.generate.style import Style, style_of
from footfall.maths.constants import MEAN_LEG_M

MEAN_STATURE_M = MEAN_LEG_M / 0.491
"""With the mean legs (Drillis & Contini)."""
MEAN_BUILD = 23.0
RANGES: Mapping[str, tuple[float, float]] = {
    "age": (18.0, 90.0), "stature_m": (0.6, 3.1), "build": (17.0, 36.0), "legs": (-2.0, 2.0),
    "arms": (-2.0, 2.0), "shoulders": (-2.0, 2.0), "hips": (-2.0, 2.0), "energy": (0.0, 1.0),
    "stiffness": (0.0, 1.0), "mood": (-1.0, 1.0),
}  # fmt: skip
"""What a performer's figures can be."""
_SPREADS = {"legs": 0.027, "arms": 0.028, "shoulders": 0.045, "hips": 0.045}
"""How much people of one stature differ in lengths and widths: standard deviations, as shares."""
_ANKLE, _UPPER = 0.0893, 2.0367 - 1.0893
"""Leg lengths of the mean performer from the sole to the ankle, and from the hips to the crown."""
_ODD = 1.6
"""Nobody is further off the mean than this, standard deviations, in what is drawn."""


@dataclass(frozen=True)
class Performer:
    """A person.

    age        years, 18 to 90: steps get shorter and wider, the back rounds, all goes slower
    stature_m  1.45 to 2.05 of nearly all adults; others are scaled likewise
    build      body mass over stature squared, kg/m², 17 to 36
    legs, arms, shoulders, hips   how long or wide they are for the stature: standard deviations
    energy     0 weary, 0.5, 1 brisk: pace, arms, bounce, jumps
    stiffness  0 loose, 0.5, 1 stiff: how far pelvis and trunk turn and arms swing
    mood       -1 downcast, 0, 1 elated: posture, gaze, arms, bounce
    manner     a whole number: everything else in which people differ; 0 is the mean of all
    shown      how much of the style shows: less where it would be beyond what joints do
    """

    age: float = 30.0
    stature_m: float = MEAN_STATURE_M
    build: float = MEAN_BUILD
    legs: float = 0.0
    arms: float = 0.0
    shoulders: float = 0.0
    hips: float = 0.0
    energy: float = 0.5
    stiffness: float = 0.5
    mood: float = 0.0
    manner: int = 0
    shown: float = field(default=1.0, repr=False)

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            number = check_range(f"a performer's {name}", getattr(self, name), low, high)
            object.__setattr__(self, name, number)
        check_whole("a performer's manner", self.manner, 0, 2**31 - 1)

    @classmethod
    def with_legs(cls, leg_m: float) -> Performer:
        """The mean performer with legs (thigh plus shank) of so many metres."""
        return cls(stature_m=MEAN_STATURE_M * leg_m / MEAN_LEG_M)

    @property
    def leg_m(self) -> float:
        """Thigh plus shank, metres."""
        return MEAN_LEG_M * (self.stature_m / MEAN_STATURE_M) * self._wider("legs")

    @property
    def size(self) -> float:
        """How long the legs are against the mean performer's."""
        return self.leg_m / MEAN_LEG_M

    @property
    def tallness(self) -> float:
        """How tall the body stands against the mean performer's."""
        return (
            self.size
            * (1.0 + _ANKLE + _UPPER * self.proportions["trunk"])
            / (1.0 + _ANKLE + _UPPER)
        )

    @property
    def tempo(self) -> float:
        """How fast things are done that are not flown, against the mean performer."""
        return min(max(self.style.tempo / math.sqrt(self.size), 0.75), 1.0)

    @property
    def mass_kg(self) -> float:
        return self.build * self.stature_m**2

    @property
    def girth(self) -> float:
        """How thick the body is against the mean performer's of the same proportions."""
        return math.sqrt(self.build / MEAN_BUILD)

    @property
    def proportions(self) -> dict[str, float]:
        """Trunk, arms, shoulders and hips: how long or wide they are for the legs, 1 is usual."""
        legs = self._wider("legs")
        trunk = (2.0367 / legs - 1.0 - _ANKLE) / _UPPER
        wide = {part: self._wider(part) / legs for part in ("arms", "shoulders", "hips")}
        return {"trunk": trunk if legs != 1.0 else 1.0, **wide}

    def _wider(self, part: str) -> float:
        return 1.0 + _SPREADS[part] * float(getattr(self, part))

    @cached_property
    def style(self) -> Style:
        """How this performer goes, against the mean performer."""
        return style_of(self).fade(self.shown)

    def modes(self, gait: str) -> tuple[float, ...]:
        """The weights of the gait model's modes; walking backwards has none."""
        return {"walk": self.style.walk, "run": self.style.run}.get(gait, ())

    def facts(self) -> dict[str, float | int]:
        """The figures as plain values, from which `performer_from` makes the performer again."""
        return {name: getattr(self, name) for name in _FIGURES}


MEAN_PERFORMER = Performer()
_FIGURES = (*RANGES, "manner")


def performer_from(values: Mapping[str, Any], base: Performer = MEAN_PERFORMER) -> Performer:
    """The performer with these figures, others as those of `base`."""
    for name in values:
        if name not in _FIGURES:
            remedy = choices(_FIGURES, str(name))
            raise InputError(f"performers have no {str(name)!r}", remedy=remedy)
    return replace(base, **values)


def performer_values(text: str) -> dict[str, float | int]:
    """The figures that a text like "age=70,energy=0.4" states."""
    found: dict[str, float | int] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, equals, number = (p.strip() for p in part.partition("="))
        try:
            found[name] = int(number) if name == "manner" else float(number)
        except ValueError:
            what = f"{name} is {number!r}" if equals else f"{part!r} states no figure"
            raise InputError(what, remedy="figures are stated like age=70,energy=0.4") from None
    performer_from(found)
    return found


def draw_performer(seed: int, **given: float | int) -> Performer:
    """Somebody of the adult population: the same seed is always the same person.

    given  figures that are not drawn, like age=70
    """
    check_whole("the seed", seed, 0, 2**31 - 2)
    draw = np.random.default_rng([seed, 31])
    z = np.clip(draw.normal(size=9), -_ODD, _ODD).tolist()
    age = float(draw.uniform(18.0, 82.0))
    old = max(0.0, (age - 30.0) / 50.0)
    drawn: dict[str, float | int] = {
        "age": age,
        "stature_m": MEAN_STATURE_M * (1.0 + 0.055 * z[0]) - 0.02 * old,
        # Few are thin, and more are stout; more so with the years.
        "build": 23.5 * math.exp(0.15 * z[1]) + 1.2 * old,
        "legs": z[2], "arms": z[3], "shoulders": z[4], "hips": z[5],
        "energy": min(max(0.52 - 0.1 * old + 0.2 * z[6], 0.0), 1.0),
        "stiffness": min(max(0.46 + 0.14 * old + 0.2 * z[7], 0.0), 1.0),
        "mood": 0.5 * z[8],
        "manner": seed + 1,
    }  # fmt: skip
    rounded = {k: v if k == "manner" else round(float(v), 3) for k, v in drawn.items()}
    return performer_from(rounded | given)


def draw_performers(count: int, seed: int = 0, **given: float | int) -> tuple[Performer, ...]:
    """So many people; more of them begin with the same ones."""
    check_whole("the number of performers", count, 1, 100_000)
    check_whole("the seed", seed, 0, 20_000)
    return tuple(draw_performer(100_000 * seed + n, **given) for n in range(count))
