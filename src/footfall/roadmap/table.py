"""Moves listed by where they lead, so that those that fit between two footholds are at hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.moves import Moves
from footfall.roadmap.twists import twist_limits
from footfall.task.effort import LEAST_J_KG_M, effort_of

Longs = NDArray[np.int64]

STEP_M, ANGLES = 0.05, 24
"""Bins in which moves that may fit are listed."""
_ALIKE = 4
"""Of moves that are alike so many are listed in a bin: obstacles need higher and wider ones."""


@dataclass(frozen=True)
class RoadmapSettings:
    """How a roadmap is made.

    nodes, more   footholds sampled at first, and added where connections are few
    neighbours    how many of the nearest each is tried with
    scale, turn   how far moves may be stretched, and feet turned, radians
    rise_m        how much higher or lower than in the clip a step of the mean body may lead
    out_degree    how many moves are kept from one foothold in one posture
    alike         of them, how many that lead the same way to the same posture
    change_weight what a radian, or a stretch of 100 %, costs (Eq. 6), J/kg; see `task.effort`
    climb_weight  what a metre costs that the clip does not climb itself, J/kg
    gap_weight    what a metre costs that a step leads over a wide gap without a leap, J/kg
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
    change_weight: float = 2.0
    climb_weight: float = 90.0
    seed: int = 0
    passages: float = 0.2
    gap_weight: float = 30.0


MOVE = np.dtype([
    ("chord", "f8"), ("turn_first", "f8"), ("turn_last", "f8"), ("end_x", "f8"), ("end_z", "f8"),
    ("steady", "f8"), ("pace", "f8"), ("dear", "f8"), ("twists", "f8", (4,)), ("begins", "i8"),
    ("ends", "i8"), ("leaps", "i8"), ("print_first", "i8"), ("print_stop", "i8"),
    ("box_first", "i8"), ("box_stop", "i8"), ("row_first", "i8"), ("row_stop", "i8"),
    ("radius", "f8"), ("bearing", "f8"), ("origin", "f8", (3,)),
])  # fmt: skip
"""A move as kernels take it; see `Moves`, `Sweep` and `MoveTable`."""
PRINT = np.dtype([("x", "f8"), ("rise", "f8"), ("z", "f8"), ("turn", "f8"), ("share", "f8")])
"""A footprint of a move, seen from its first, and how far along the move it is."""
ROW = np.dtype([("weights", "f8", (3,)), ("moment", "i4"), ("between", "i2", (3, 2))], align=True)
MOMENT = np.dtype([("extent", "f8"), ("hips", "f4", (3,))], align=True)
CAPSULE = np.dtype([("radius", "f8"), ("soft", "f8"), ("ties", "f8", (2,))])
"""Rows, moments and capsules of a `Sweep`."""
LIMITS = np.dtype([
    *((name, "f8") for name in (
        "stretch", "turn", "rise", "short", "lift", "swept", "gap", "deep", "above",
        "change_weight", "climb_weight", "gap_weight", "per_metre", "core", "step_m",
    )),
    ("distances", "i8"), ("angles", "i8"), ("postures", "i8"), ("parts", "i8", (4,)),
])  # fmt: skip
"""How far moves are stretched and feet turned; `BodySize` has the next seven; weights; what a metre
costs; how thick the pelvis is; the bins and postures; the first capsules of trunk and legs."""


class TableArrays(NamedTuple):
    """A table as kernels take it.

    boxes  (B, 17) what moves sweep, see `sweep_columns`      ends  (F, B, 2, 3) of capsules
    bins   where the moves of each bin begin in the same array, and then the moves
    limits a `LIMITS` record
    """

    moves: Any
    prints: Any
    boxes: Floats
    rows: Any
    moments: Any
    ends: NDArray[np.float32]
    capsules: Any
    bins: Ints
    limits: Any


@dataclass(frozen=True, eq=False)
class MoveTable:
    """Moves listed by how far they lead and how they turn, so that those that fit are at hand.

    pair    (M,) which moves are alike: they begin and end in the same postures and show the same
    steady, pace  (M,) the effort of each, J/kg, see `EffortTrack`
    twists  (M, 4) how far each may be twisted without being dearer, and at all, radians
    """

    moves: Moves
    settings: RoadmapSettings
    pair: Longs
    pairs: int
    steady: Floats
    pace: Floats
    end_x: Floats
    end_z: Floats
    starts: Longs
    items: NDArray[np.int32]
    distances: int
    twists: Floats

    @cached_property
    def arrays(self) -> TableArrays:
        """The table as kernels take it."""
        m, sweep = self.moves, self.moves.sweep
        moves = fill_records(
            MOVE, len(m), chord=m.chord, turn_first=m.turn_first, turn_last=m.turn_last,
            end_x=self.end_x, end_z=self.end_z, steady=self.steady, pace=self.pace, dear=m.dearness,
            twists=self.twists, begins=m.begins, ends=m.ends, leaps=m.leaps,
            print_first=m.print_start[:-1], print_stop=m.print_start[1:],
            box_first=m.box_start[:-1], box_stop=m.box_start[1:], row_first=sweep.rows_of[:-1],
            row_stop=sweep.rows_of[1:], radius=m.radius, bearing=sweep.bearing,
            origin=sweep.origin,
        )  # fmt: skip
        prints = fill_records(
            PRINT, len(m.places), x=m.places[:, 0], rise=m.places[:, 1], z=m.places[:, 2],
            turn=m.turns, share=m.share,
        )  # fmt: skip
        rows = fill_records(
            ROW, len(sweep.row_ends), weights=sweep.weights, moment=sweep.row_ends,
            between=sweep.between,
        )  # fmt: skip
        moments = fill_records(
            MOMENT, len(sweep.extents), extent=sweep.extents, hips=sweep.anchors[:, 0]
        )
        capsules = fill_records(
            CAPSULE, len(sweep.radii), radius=sweep.radii, soft=sweep.soft, ties=sweep.ties
        )
        bins = np.concatenate([self.starts + len(self.starts), self.items]).astype(np.int32)
        return TableArrays(
            moves, prints, m.boxes, rows, moments, sweep.ends, capsules, bins, self._limits()
        )

    @property
    def rise_m(self) -> float:
        """How much higher or lower than in its clip a step may lead, metres."""
        return self.moves.size.in_proportion(self.settings.rise_m)

    @property
    def reach_m(self) -> float:
        """How far any part of the body gets from where a move begins, metres."""
        return (1.05 + self.settings.scale) * float(self.moves.radius.max(initial=1.0))

    def _limits(self) -> Any:
        """Return the `LIMITS` record."""
        settings, size, sweep = self.settings, self.moves.size, self.moves.sweep
        limits = np.zeros(1, LIMITS)
        limits[0] = (
            settings.scale, settings.turn, self.rise_m, size.short_m, size.lift_m, self.reach_m,
            size.gap_m, size.deep_m, size.above_m, settings.change_weight, settings.climb_weight,
            settings.gap_weight, LEAST_J_KG_M, sweep.core, STEP_M, self.distances, ANGLES,
            self.moves.postures, sweep.part_start,
        )  # fmt: skip
        return limits[0]


def fill_records(dtype: np.dtype[Any], count: int, **columns: Any) -> Any:
    """Return records of a structured type, with these columns."""
    records = np.zeros(count, dtype)
    for name, values in columns.items():
        records[name] = values
    return records


def list_moves(moves: Moves, settings: RoadmapSettings) -> MoveTable:
    """The moves, listed for `connect`."""
    from footfall.roadmap.kernels import fill_bins

    last = moves.print_start[1:] - 1
    steady, pace = np.zeros((2, len(moves)))
    for number, clip in enumerate(moves.clips):
        rows = np.flatnonzero(moves.clip == number)
        for out, track in zip((steady, pace), effort_of(clip), strict=True):
            out[rows] = track[moves.last[rows]] - track[moves.first[rows]]
    ids: dict[tuple[int, int, int], int] = {}
    sorts = zip(moves.begins.tolist(), moves.ends.tolist(), moves.kind.tolist(), strict=True)
    pair = np.array([ids.setdefault(p, len(ids)) for p in sorts], np.int64)
    distances = int(np.ceil(moves.chord.max(initial=0.0) * (1.0 + settings.scale) / STEP_M)) + 1
    starts = np.zeros(distances * ANGLES * ANGLES + 1, np.int64)
    made = MoveTable(
        moves, settings, pair, len(ids), steady, pace, moves.places[last, 0].copy(),
        moves.places[last, 2].copy(), starts, np.zeros(0, np.int32), distances,
        twist_limits(moves),
    )  # fmt: skip
    items = np.zeros(1 << 20, np.int32)
    alike = pair, len(ids), moves.usual, _ALIKE
    while True:
        count = fill_bins(made.arrays.moves, made.arrays.limits, *alike, starts, items)
        if count <= len(items):
            return replace(made, items=items[:count].copy())
        items = np.zeros(count, np.int32)
