"""The sketch that a task is searched along: where the root goes, roughly, and how far it may stray.

What the user draws is the sketch. Where only places are given, the corridor map leads from one to
the next; where nobody can simply walk, because water, gaps or bars are in between, it is the line
over the ground that crosses the least of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats
from footfall.maths.polyline import distances_along
from footfall.optimal.world import CORRIDOR_M
from footfall.search.shortest_path import SparseGraph, find_path
from footfall.task import Follow, GoTo, Query, Sit
from footfall.task.stages import Pick, PutDown
from footfall.world.collision.queries import FootBox, body_clearance, foot_placements
from footfall.world.corridor.free_floor import RouteLimits, walking_corridors
from footfall.world.scene import Scene

ROOM_M = 1.1
"""How far around places where somebody turns, picks or sits the root may be."""
_FRONT_M = 0.45
"""One stands so far in front of the middle of a seat before one sits down."""
_BODY_M, _STEP_M, _PREFER_M = 0.3, 0.05, 0.3
_CELL_M, _MOST_CELLS = 0.1, 250_000
_WALL_M, _WALL_LOW_M, _WALL_HIGH_M = 0.15, 0.5, 0.9
_BESIDE_M = 2.0
_GAP, _EDGE = 6.0, 0.5
"""What a metre over a gap costs beside one over ground, and where ground is further than so many
metres, the square of how many times as far."""


@dataclass(frozen=True, eq=False)
class Sketch:
    """A path to search along.

    points      (P, 2) x, z
    corridor_m  how far from it the root may be
    rooms       (R, 3) x, z, radius: where it may be as well
    stages_m    (S,) how far along it each stage of the query is done
    gaps        whether it crosses what nobody walks over
    """

    points: Floats
    corridor_m: float
    rooms: Floats
    stages_m: Floats
    gaps: bool = False

    @property
    def length_m(self) -> float:
        return float(distances_along(self.points)[-1])

    @property
    def reach_m(self) -> float:
        """How far from it the root may be at most: in rooms, if there are any."""
        return max(self.corridor_m, float(self.rooms[:, 2].max(initial=0.0)))


def make_sketch(query: Query, corridor_m: float | None = None) -> Sketch:
    """The sketch of a query: what it draws, and how its places are joined.

    corridor_m  overrules how far from the sketch the root may be
    """
    legs, rooms, ends, gaps = [query.points[:1]], [], [], False
    given = [s.corridor_m for s in query.stages if isinstance(s, Follow)]
    for stage in query.stages:
        for stop in _stops(stage):
            here = legs[-1][-1]
            if isinstance(stage, Follow) and len(legs[-1]) > 0 and _is_drawn(stage, stop):
                legs.append(stop[None])
                continue
            leg, over = join_places(query.scene, here, stop)
            legs.append(leg)
            gaps |= over
        room = _room(stage)
        rooms += [] if room is None else [room]
        ends.append(len(np.concatenate(legs)) - 1)
    points = np.concatenate(legs)
    if len(points) == 1:  # who only stands up goes nowhere
        points = np.repeat(points, 2, axis=0)
    along = distances_along(points)
    usual = min(given) if given else CORRIDOR_M
    if query.start is not None:
        rooms.append((query.start.x, query.start.z, 0.6 * ROOM_M))
    return Sketch(
        points, usual if corridor_m is None else corridor_m,
        np.array(rooms).reshape(-1, 3), along[ends], gaps,
    )  # fmt: skip


def _is_drawn(stage: Follow, stop: Floats) -> bool:
    """Whether a point belongs to the drawn path, beyond its beginning."""
    return not np.array_equal(stop, stage.path[0])


def _stops(stage: object) -> Sequence[Floats]:
    """The points that a stage leads through, one after the other."""
    if isinstance(stage, Sit):
        yaw = 0.0 if stage.yaw is None else stage.yaw
        seat = np.array([stage.x, stage.z])
        ahead = np.array([np.sin(yaw), np.cos(yaw)])
        return [seat + _FRONT_M * ahead, seat] if stage.yaw is not None else [seat]
    points: Floats = stage.points  # type: ignore[attr-defined]
    return list(points)


def _room(stage: object) -> tuple[float, float, float] | None:
    if isinstance(stage, Sit | Pick | PutDown):
        x, z = _stops(stage)[0]
        return float(x), float(z), ROOM_M
    if isinstance(stage, GoTo):
        return stage.x, stage.z, ROOM_M if stage.yaw is not None else 0.6 * ROOM_M
    return None


def join_places(scene: Scene | None, start: Floats, goal: Floats) -> tuple[Floats, bool]:
    """The path (P, 2) from one place to another, without its first point; whether it has gaps."""
    if scene is None or float(np.hypot(*(goal - start))) < 0.05:
        return goal[None], False
    try:
        corridors = walking_corridors(scene, RouteLimits(step_height_m=_STEP_M))
        radius = max(min(_BODY_M, float(corridors.clearances(np.array([start, goal])).min())), 0.05)
        path = corridors.path(start, goal, radius, prefer=_PREFER_M)
        if path:
            return path.points[1:], False
    except InputError:  # no floor is free
        pass
    return _over_ground(scene, start, goal), True


def _over_ground(scene: Scene, start: Floats, goal: Floats) -> Floats:
    """The line over the ground that crosses the least of gaps, and no walls if it can help it."""
    grid = _ground_grid(scene)
    dear = grid.dear
    shape = dear.shape
    number = np.arange(dear.size).reshape(shape)
    tails, heads, costs = [], [], []
    for di, dj in ((0, 1), (1, 0), (1, 1), (1, -1), (1, 2), (2, 1), (1, -2), (2, -1)):
        a = slice(0, shape[0] - di), slice(max(-dj, 0), shape[1] - max(dj, 0))
        b = slice(di, shape[0]), slice(max(dj, 0), shape[1] + min(dj, 0))
        cost = 0.5 * (dear[a] + dear[b]) * grid.side * float(np.hypot(di, dj))
        for one, other in ((a, b), (b, a)):
            tails.append(number[one].ravel())
            heads.append(number[other].ravel())
            costs.append(cost.ravel())
    tail = np.concatenate(tails)
    order = np.argsort(tail, kind="stable")
    counts = np.bincount(tail, minlength=dear.size)
    graph = SparseGraph(
        np.concatenate([[0], np.cumsum(counts)]), np.concatenate(heads)[order],
        np.concatenate(costs)[order],
    )  # fmt: skip
    ends = [int(number[grid.cell(p)]) for p in (start, goal)]
    found = find_path(graph, ends[:1], ends[1:])
    rows = np.array([np.unravel_index(n, shape) for n in found.nodes]).reshape(-1, 2)
    points = grid.low + (rows + 0.5) * grid.side
    line = np.concatenate([start[None], points[1:-1], goal[None]])
    return _pull_straight(grid, line)[1:]


@dataclass(frozen=True, eq=False)
class _GroundGrid:
    """The ground of a scene in cells: what a metre costs in each."""

    low: Floats
    side: float
    dear: Floats

    def cell(self, point: Floats) -> tuple[int, int]:
        at = np.floor((point - self.low) / self.side).astype(int)
        i, j = np.clip(at, 0, np.array(self.dear.shape) - 1).tolist()
        return i, j

    def cost(self, a: Floats, b: Floats) -> float:
        """What the straight line from a to b costs."""
        length = float(np.hypot(*(b - a)))
        count = max(int(length / (0.5 * self.side)), 1)
        at = a + (np.arange(count) + 0.5)[:, None] / count * (b - a)
        cells = np.clip(
            np.floor((at - self.low) / self.side).astype(int), 0, np.array(self.dear.shape) - 1
        )
        return float(self.dear[cells[:, 0], cells[:, 1]].mean()) * length


def _ground_grid(scene: Scene) -> _GroundGrid:
    return scene.keep(("optimal ground",), lambda: _make_ground_grid(scene))


def _make_ground_grid(scene: Scene) -> _GroundGrid:
    from footfall.optimal.world_kernels import distances_to

    low, high = scene.outline.min(axis=0), scene.outline.max(axis=0)
    side = max(_CELL_M, float(np.sqrt(np.prod(high - low) / _MOST_CELLS)))
    shape = tuple(np.maximum(np.ceil((high - low) / side).astype(int), 1).tolist())
    rows = np.stack(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij"), axis=-1)
    points = low + side * (rows.reshape(-1, 2) + 0.5)
    box = FootBox(length=0.06, width=0.04)
    feet = foot_placements(scene, np.column_stack([points, np.zeros(len(points))]), box)
    stands: Bools = feet.valid.reshape(shape)
    floor = _fill_gaps(np.where(stands, feet.height.reshape(shape), np.nan)).ravel()
    away, _ = body_clearance(
        scene, points, body_height=_WALL_HIGH_M, step_height=_WALL_LOW_M, base=floor, reach=1.0
    )
    wall = (away < _WALL_M).reshape(shape)
    gap = np.empty(shape)
    distances_to(stands if stands.any() else np.ones(shape, np.bool_), gap)
    over = np.where(stands, 1.0, _GAP * (1.0 + (gap * side / _EDGE) ** 2))
    return _GroundGrid(low, side, np.where(wall, 1000.0, over))


def _fill_gaps(height: Floats) -> Floats:
    """Heights (X, Z) where gaps (NaN) are as high as the ground beside them."""
    out = height.copy()
    for _ in range(int(_BESIDE_M / _CELL_M)):
        padded = np.pad(out, 1, constant_values=np.nan)
        around = np.fmax(
            np.fmax(padded[:-2, 1:-1], padded[2:, 1:-1]),
            np.fmax(padded[1:-1, :-2], padded[1:-1, 2:]),
        )
        out = np.where(np.isnan(out), around, out)
    return np.where(np.isnan(out), 0.0 if np.isnan(height).all() else np.nanmedian(height), out)


def _pull_straight(grid: _GroundGrid, line: Floats) -> Floats:
    """The line with points left out wherever the straight line costs no more."""
    each = np.array([grid.cost(a, b) for a, b in pairwise(line)])
    total = np.concatenate([[0.0], np.cumsum(each)])
    kept, here = [0], 0
    while here < len(line) - 1:
        step = len(line) - 1
        while step > here + 1 and grid.cost(line[here], line[step]) > 1.02 * (
            total[step] - total[here]
        ):
            step = here + max((step - here) // 2, 1)
        kept.append(step)
        here = step
    return line[kept]
