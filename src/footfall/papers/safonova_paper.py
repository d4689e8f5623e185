"""What Safonova & Hodgins (2007) printed: Tables 1 to 4, with the labels of Table 1 put right."""

from __future__ import annotations

from dataclasses import dataclass

TOLERANCES_M = (0.025, 0.05, 0.10)
TARGETS, STRIDES = 179, 10
"""Sampled places of what is picked, for either of two problems; sampled lengths of a walk cycle."""
SECONDS = 120.0
"""An experiment of Table 1 is a success if the search finds a solution in so many."""
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


SUCCESS = (
    PrintedSuccess("pick", "start here, pick up there", (99, 100, 100), (31, 70, 99)),
    PrintedSuccess("pick from a place", "the same, and stand at a place while picking",
                   (96, 99.5, 100), (16, 45, 87)),
    PrintedSuccess("one walk cycle", "walk there with one walk cycle",
                   (100, 100, 100), (40, 75, 100)),
)  # fmt: skip


@dataclass(frozen=True)
class PrintedMotion:
    """A part of Table 2: seconds and costs at the bounds of `EPSILONS`, and what changed."""

    name: str
    seconds: tuple[float, float, float]
    costs: tuple[float, float, float]
    said: str


EPSILONS = (10.0, 2.0, 1.0)
MOTIONS = (
    PrintedMotion("walk", (0.67, 3.42, 50.0), (2.7e6, 1.8e6, 1.6e6),
                  "steps become smaller and even"),
    PrintedMotion("three rivers", (0.016, 0.032, 0.844), (10.7e6, 8.2e6, 6.25e6),
                  "two-legged jumps become a one-legged jump, then a step over the last"),
    PrintedMotion("pick", (0.70, 9.10, 20.10), (1.2e6, 0.65e6, 0.55e6),
                  "an unnatural reach becomes one from the side, then a natural one"),
)  # fmt: skip


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


DATABASES = (
    PrintedDatabase("walk, jump, duck, sit, beam",
                    ("walk", "stand", "jump", "duck", "sit", "sit_down", "stand_up", "beam"),
                    (6_000, 90_000), (350, 12_500), (130, 700), 30.0),
    PrintedDatabase("walk and pick", ("walk", "stand", "pick"),
                    (12_000, 250_000), (700, 60_000), (300, 5_000), 60.0),
    PrintedDatabase("walk", ("walk", "stand"), (2_000, 25_000), (173, 3_700), (50, 300), 2.0),
)  # fmt: skip
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
HEURISTICS = (
    PrintedHeuristic("Euclidean distance", "euclid", (8.0, 17.1, 100.2),
                     (185_813, 481_321, 1_832_347), (1.0, 1.0, 0.2)),
    PrintedHeuristic("H_2D", "pos", (8.1, 16.8, 97.8),
                     (160_718, 406_149, 1_748_620), (1.0, 1.0, 0.2)),
    PrintedHeuristic("H_mg", "img", (11.6, 15.1, 48.1),
                     (72_004, 103_000, 270_812), (1.0, 1.0, 0.8)),
    PrintedHeuristic("H_combined", "chain", (0.8, 1.6, 49.5),
                     (9_332, 16_068, 275_712), (1.0, 1.0, 0.8)),
)  # fmt: skip
PLAIN_SUM = "sum"
"""The paper's combination is a plain sum over the constraints; it may be too high."""
STATES = ((1e17, "with interpolation"), (1e15, "of them inside the corridor"),
          (1e10, "in the corridor without interpolation"))  # fmt: skip
"""Section 5's estimates for 10,000 poses, 10 weights, 1000 by 1000 places and 100 headings."""
