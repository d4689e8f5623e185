"""Moves listed by where they lead, so that those that fit between two footholds are at hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.roadmap.moves import Moves
from footfall.roadmap.sweep import SweepArrays
from footfall.roadmap.twists import twist_limits

Longs = NDArray[np.int64]

STEP_M, ANGLES = 0.05, 24
"""Bins in which moves that may fit are listed."""
_ALIKE = 4
"""Of moves that are alike so many are listed in a bin: obstacles need higher and wider ones."""
_USUAL_UP_TO = 1.16
"""Moves that are no dearer than the cheapest, times this, are usual."""


@dataclass(frozen=True)
class RoadmapSettings:
    """How a roadmap is made.

    nodes, more   footholds sampled at first, and added where connections are few
    neighbours    how many of the nearest each is tried with
    scale, turn   how far moves may be stretched, and feet turned, radians
    rise_m        how much higher or lower than in the clip a step of the mean body may lead
    out_degree    how many moves are kept from one foothold in one posture
    alike         of them, how many that lead the same way to the same posture
    time_weight, change_weight   of Eqs. 4 and 6
    climb_weight  what a metre a step costs that the clip does not climb itself
    gap_weight    what a metre costs that a step leads over a wide gap without a leap
    passages      the share of the first footholds that are looked for in narrow passages
    """

    nodes: int = 2000
    more: int = 1000
    neighbours: int = 100
    scale: float = 0.25
    turn: float = float(np.radians(45.0))
    rise_m: float = 0.2
    out_degree: int = 8
    alike: int = 1
    time_weight: float = 0.5
    change_weight: float = 10.0
    climb_weight: float = 200.0
    seed: int = 0
    passages: float = 0.2
    gap_weight: float = 900.0


class MoveArrays(NamedTuple):
    """What kernels are told of moves; see `Moves`, `Sweep` and `MoveTable`."""

    chord: Floats
    turn_first: Floats
    turn_last: Floats
    end_x: Floats
    end_z: Floats
    print_start: Ints
    places: Floats
    turns: Floats
    share: Floats
    box_start: Ints
    boxes: Floats
    radius: Floats
    begins: Ints
    ends: Ints
    sweep: SweepArrays
    leaps: Bools
    twists: Floats


class Costs(NamedTuple):
    """What moves cost by themselves and by dearness (M,), weights, and the number of postures."""

    own: Floats
    dear: Floats
    change_weight: float
    climb_weight: float
    postures: int
    gap_weight: float


class Bins(NamedTuple):
    """The moves by distance and by both directions: items[starts[bin] : starts[bin + 1]]."""

    step_m: float
    distances: int
    angles: int
    starts: Longs
    items: NDArray[np.int32]


class TableArrays(NamedTuple):
    """What kernels are told of a table; `lay_kernels` names the columns of limits."""

    moves: MoveArrays
    costs: Costs
    bins: Bins
    limits: Floats


@dataclass(frozen=True, eq=False)
class MoveTable:
    """Moves listed by how far they lead and how they turn, so that those that fit are at hand.

    pair    (M,) which moves are alike: they begin and end in the same postures and show the same
    twists  (M, 4) how far each may be twisted without being dearer, and at all, radians
    """

    moves: Moves
    settings: RoadmapSettings
    pair: Longs
    pairs: int
    own_cost: Floats
    end_x: Floats
    end_z: Floats
    starts: Longs
    items: NDArray[np.int32]
    distances: int
    twists: Floats

    @cached_property
    def arrays(self) -> TableArrays:
        """The table as kernels take it."""
        m, settings = self.moves, self.settings
        moves = MoveArrays(
            m.chord, m.turn_first, m.turn_last, self.end_x, self.end_z, m.print_start, m.places,
            m.turns, m.share, m.box_start, m.boxes, m.radius, m.begins, m.ends, m.sweep.arrays,
            m.leaps, self.twists,
        )  # fmt: skip
        costs = Costs(
            self.own_cost, m.dearness, settings.change_weight, settings.climb_weight, m.postures,
            settings.gap_weight,
        )  # fmt: skip
        bins = Bins(STEP_M, self.distances, ANGLES, self.starts, self.items)
        return TableArrays(moves, costs, bins, self._limits())

    @property
    def usual(self) -> Bools:
        """(M,) the moves that are looked at first; dearer ones are where these fail."""
        dear = self.moves.dearness
        usual: Bools = dear <= _USUAL_UP_TO * dear.min(initial=np.inf)
        return usual

    @property
    def rise_m(self) -> float:
        """How much higher or lower than in its clip a step may lead, metres."""
        return self.moves.size.in_proportion(self.settings.rise_m)

    @property
    def reach_m(self) -> float:
        """How far any part of the body gets from where a move begins, metres."""
        return (1.05 + self.settings.scale) * float(self.moves.radius.max(initial=1.0))

    def _limits(self) -> Floats:
        """Return the limits for the kernels, in the order of `lay_kernels`."""
        settings, box, size = self.settings, self.moves.foot_box, self.moves.size
        return np.array([
            settings.scale, settings.turn, self.rise_m, np.tan(box.max_slope), box.roughness,
            size.short_m, size.lift_m, self.reach_m, size.gap_m, size.deep_m, size.above_m,
        ])  # fmt: skip

    @property
    def sole(self) -> Floats:
        """Half length, half width and height of a foot's box, and how far ahead its middle is."""
        box = self.moves.foot_box
        return np.array([0.5 * box.length, 0.5 * box.width, box.height, self.moves.sole_ahead])


def list_moves(moves: Moves, settings: RoadmapSettings) -> MoveTable:
    """The moves, listed for `connect`."""
    from footfall.roadmap.kernels import fill_bins

    last = moves.print_start[1:] - 1
    fps = moves.clips[0].fps
    own_cost = 100.0 * moves.length + settings.time_weight * moves.frames * (30.0 / fps)
    ids: dict[tuple[int, int, int], int] = {}
    sorts = zip(moves.begins.tolist(), moves.ends.tolist(), moves.kind.tolist(), strict=True)
    pair = np.array([ids.setdefault(p, len(ids)) for p in sorts], np.int64)
    distances = int(np.ceil(moves.chord.max(initial=0.0) * (1.0 + settings.scale) / STEP_M)) + 1
    starts = np.zeros(distances * ANGLES * ANGLES + 1, np.int64)
    made = MoveTable(
        moves, settings, pair, len(ids), own_cost, moves.places[last, 0].copy(),
        moves.places[last, 2].copy(), starts, np.zeros(0, np.int32), distances,
        twist_limits(moves),
    )  # fmt: skip
    items = np.zeros(1 << 20, np.int32)
    while True:
        bins = made.arrays.bins._replace(items=items)
        count = fill_bins(made.arrays._replace(bins=bins), pair, len(ids), made.usual, _ALIKE)
        if count <= len(items):
            return replace(made, items=items[:count].copy())
        items = np.zeros(count, np.int32)
