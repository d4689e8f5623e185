"""Printed figures of Safonova & Hodgins (2007): Tables 1 to 4, labels of Table 1 corrected."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.papers.printed import printed_figures

_PRINTED = printed_figures("safonova")

TOLERANCES_M = (0.025, 0.05, 0.10)
TARGETS, STRIDES = 179, 10
"""Sampled places of what is picked, for either of two problems; sampled lengths of a walk cycle."""
SECONDS = 120.0
"""The seconds in which a search of Table 1 must find a solution to succeed."""
COST_RATIO = 1.35
"""What solutions without interpolation cost, in times of those with it, in the second problem."""
COURSE_S = 15.0


@dataclass(frozen=True)
class PrintedSuccess:
    """A part of Table 1: how many of 100 targets are met, with interpolation and without.

    The row labels are swapped in print; the text says which is which.
    """

    name: str
    said: str
    interpolated: tuple[float, float, float]
    plain: tuple[float, float, float]


SUCCESS = tuple(PrintedSuccess(**row) for row in _PRINTED["success"])


@dataclass(frozen=True)
class PrintedMotion:
    """A part of Table 2: seconds and costs at the bounds of `EPSILONS`, and what changed."""

    name: str
    seconds: tuple[float, float, float]
    costs: tuple[float, float, float]
    said: str


EPSILONS = (10.0, 2.0, 1.0)
MOTIONS = tuple(PrintedMotion(**row) for row in _PRINTED["motions"])


@dataclass(frozen=True)
class PrintedDatabase:
    """A row of Table 3: states and transitions before, after culling, after merging.

    tags  of the default clips that stand for it; walking, standing and steps are in all
    """

    name: str
    tags: tuple[str, ...]
    before: tuple[int, int]
    culled: tuple[int, int]
    merged: tuple[int, int]
    minutes: float


DATABASES = tuple(PrintedDatabase(**row) for row in _PRINTED["databases"])
NOT_WALKS = ("jump", "duck", "sit", "sit_down", "stand_up", "beam", "pick", "step_over")
"""Clips with one of these tags do more than walk."""


@dataclass(frozen=True)
class PrintedHeuristic:
    """A column of Table 4: states expanded and shares solved at the bounds of `BOUNDS`.

    heuristic  what it is called here
    """

    name: str
    heuristic: str
    seconds: tuple[float, float, float]
    expansions: tuple[int, int, int]
    solved: tuple[float, float, float]


BOUNDS = (10.0, 3.0, 1.0)
HEURISTICS = tuple(PrintedHeuristic(**row) for row in _PRINTED["heuristics"])
PLAIN_SUM = "sum"
"""The paper's combination is a plain sum over the constraints; it may be too high."""
STATES = ((1e17, "with interpolation"), (1e15, "of them inside the corridor"),
          (1e10, "in the corridor without interpolation"))  # fmt: skip
"""Section 5's estimates for 10,000 poses, 10 weights, 1000 by 1000 places and 100 headings."""
