"""The sketch that a task is searched along: where the root goes, roughly, and how far it may stray.

What the user draws is the sketch. Where only places are given, the corridor map leads from one to
the next; where nobody can simply walk, because water, gaps or bars are in between, it is the line
over the ground that crosses the least of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.body.size import MEAN_BODY, BodySize
from footfall.errors import InputError
from footfall.maths.arrays import Floats
from footfall.maths.polyline import distances_along
from footfall.optimal.world import CORRIDOR_M
from footfall.search.cell_path import SIXTEEN, find_cell_path, pull_straight
from footfall.task import Follow, GoTo, Query, Sit
from footfall.task.routes import walking_limits
from footfall.task.stages import Pick, PutDown
from footfall.world.collision.queries import FootBox
from footfall.world.corridor.free_floor import walking_corridors
from footfall.world.fields import Grid, clearance_field, footing_field, outside_distance, scene_grid
from footfall.world.scene import Scene

_PREFER_M = 0.3
_CELL_M, _MOST_CELLS = 0.1, 250_000
_TOES = FootBox(length=0.06, width=0.04)
"""The part of a sole that ground has to carry, for a rough line over it."""
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


def make_sketch(
    query: Query, corridor_m: float | None = None, size: BodySize = MEAN_BODY
) -> Sketch:
    """Return the sketch of a query: what it draws, and how its places are joined.

    corridor_m  overrules how far from the sketch the root may be
    size        of the body
    """
    legs, rooms, ends, gaps = [query.points[:1]], [], [], False
    given = [s.corridor_m for s in query.stages if isinstance(s, Follow)]
    for stage in query.stages:
        for stop in _stops(stage, size):
            here = legs[-1][-1]
            if isinstance(stage, Follow) and len(legs[-1]) > 0 and _is_drawn(stage, stop):
                legs.append(stop[None])
                continue
            leg, over = join_places(query.scene, here, stop, size)
            legs.append(leg)
            gaps |= over
        room = _room(stage, size)
        rooms += [] if room is None else [room]
        ends.append(len(np.concatenate(legs)) - 1)
    points = np.concatenate(legs)
    if len(points) == 1:  # who only stands up goes nowhere
        points = np.repeat(points, 2, axis=0)
    along = distances_along(points)
    usual = min(given) if given else CORRIDOR_M
    if query.start is not None:
        rooms.append((query.start.x, query.start.z, 0.6 * size.turn_room_m))
    return Sketch(
        points, usual if corridor_m is None else corridor_m,
        np.array(rooms).reshape(-1, 3), along[ends], gaps,
    )  # fmt: skip


def _is_drawn(stage: Follow, stop: Floats) -> bool:
    """Whether a point belongs to the drawn path, beyond its beginning."""
    return not np.array_equal(stop, stage.path[0])


def _stops(stage: object, size: BodySize) -> Sequence[Floats]:
    """The points that a stage leads through, one after the other."""
    if isinstance(stage, Sit):
        yaw = 0.0 if stage.yaw is None else stage.yaw
        seat = np.array([stage.x, stage.z])
        ahead = np.array([np.sin(yaw), np.cos(yaw)])
        return [seat + size.seat_front_m * ahead, seat] if stage.yaw is not None else [seat]
    points: Floats = stage.points  # type: ignore[attr-defined]
    return list(points)


def _room(stage: object, size: BodySize) -> tuple[float, float, float] | None:
    room_m = size.turn_room_m
    if isinstance(stage, Sit | Pick | PutDown):
        x, z = _stops(stage, size)[0]
        return float(x), float(z), room_m
    if isinstance(stage, GoTo):
        return stage.x, stage.z, room_m if stage.yaw is not None else 0.6 * room_m
    return None


def join_places(
    scene: Scene | None, start: Floats, goal: Floats, size: BodySize = MEAN_BODY
) -> tuple[Floats, bool]:
    """The path (P, 2) from one place to another, without its first point; whether it has gaps."""
    if scene is None or float(np.hypot(*(goal - start))) < 0.05:
        return goal[None], False
    try:
        corridors = walking_corridors(scene, walking_limits(size))
        free = float(corridors.clearances(np.array([start, goal])).min())
        radius = max(min(size.elbow_room_m, free), 0.05)
        path = corridors.path(start, goal, radius, prefer=_PREFER_M)
        if path:
            return path.points[1:], False
    except InputError:  # no floor is free
        pass
    return _over_ground(scene, start, goal, size), True


def _over_ground(scene: Scene, start: Floats, goal: Floats, size: BodySize) -> Floats:
    """The line over the ground that crosses the least of gaps, and no walls if it can help it."""
    ground = _ground_costs(scene, size)
    grid = ground.grid
    ends = [grid.cell(*map(float, p)) for p in (start, goal)]
    rows = find_cell_path(ground.dear, grid.cell_m, ends[0], ends[1], SIXTEEN)
    line = np.concatenate([start[None], grid.middle(rows)[1:-1], goal[None]])
    return pull_straight(line, ground.cost)[1:]


@dataclass(frozen=True, eq=False)
class _GroundCosts:
    """The ground of a scene in cells (I, J): what a metre costs in each."""

    grid: Grid
    dear: Floats

    def cost(self, a: Floats, b: Floats) -> float:
        """Return what the straight line from a to b costs."""
        length = float(np.hypot(*(b - a)))
        count = max(int(length / (0.5 * self.grid.cell_m)), 1)
        at = a + (np.arange(count) + 0.5)[:, None] / count * (b - a)
        i, j = self.grid.cells(at)
        return float(self.dear[i, j].mean()) * length


def _ground_costs(scene: Scene, size: BodySize) -> _GroundCosts:
    return scene.keep(("optimal ground", size), lambda: _find_ground_costs(scene, size))


def _find_ground_costs(scene: Scene, size: BodySize) -> _GroundCosts:
    grid = scene_grid(scene, _CELL_M, _MOST_CELLS)
    floor = footing_field(scene, grid, _TOES, (0.0,))
    stands = np.isfinite(floor)
    walls = size.wall_low_m, size.wall_high_m
    away, _ = clearance_field(scene, grid, _fill_gaps(floor), walls)
    gap = np.zeros(grid.shape) if not stands.any() else outside_distance(stands, grid.cell_m)
    over = np.where(stands, 1.0, _GAP * (1.0 + (gap / _EDGE) ** 2))
    return _GroundCosts(grid, np.where(away < size.wall_gap_m, 1000.0, over))


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
