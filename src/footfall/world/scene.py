"""A scene: ground, water, holes, obstacles, named start and goal places, test paths."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError, choices
from footfall.maths.arrays import Floats, Ints, frozen_floats
from footfall.world.collision.broadphase import Cells, build_cells
from footfall.world.ground import Ground, as_points, flat_ground, pack_ground, sealed
from footfall.world.obstacles import Obstacle, ObstaclePart, Solids, join, place, place_over_time
from footfall.world.snapshot import (
    Snapshot,
    World,
    empty_table,
    pack_cells,
    pack_rings,
    pack_solids,
)

if TYPE_CHECKING:
    from shapely.geometry import Polygon
    from shapely.geometry.base import BaseGeometry

_MOST_KEPT, _MOST_PLACED = 16, 100_000
_Made = TypeVar("_Made")
_Named = TypeVar("_Named", "SceneQuery", "ScenePath", "Obstacle")


@dataclass(frozen=True, eq=False)
class Hole:
    """A polygon (P, 2) where the ground is missing; `depth` is for pictures, metres."""

    polygon: Floats
    depth: float = 1.0
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "polygon", simple_polygon(self.polygon, "hole"))


@dataclass(frozen=True, eq=False)
class Water:
    """Ground below `level` metres is under water, inside `polygon` (P, 2) or everywhere (None)."""

    level: float
    polygon: Floats | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if not np.isfinite(self.level):
            raise InputError(f"the water level is {self.level}", remedy="it must be finite")
        if self.polygon is not None:
            object.__setattr__(self, "polygon", simple_polygon(self.polygon, "water"))


@dataclass(frozen=True)
class QueryEnd:
    """Where to stand and where to look: ground point x, z (metres) and yaw (radians, left +)."""

    x: float
    z: float
    yaw: float = 0.0

    @property
    def point(self) -> Floats:
        """(2,) x, z."""
        return np.array([self.x, self.z])


NEEDS = {
    "step": "stepping from foothold to foothold",
    "jump": "jumping",
    "hurdle": "going over a hurdle",
    "balance": "balancing",
    "duck": "ducking",
    "sit": "sitting down",
}
"""What a query may need beside walking, and the words for it."""


@dataclass(frozen=True)
class SceneQuery:
    """A named question: from where to where.

    needs  what is needed beside walking, of NEEDS
    """

    name: str
    start: QueryEnd
    goal: QueryEnd
    note: str = ""
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for need in self.needs:
            if need not in NEEDS:
                raise InputError(f"the query needs {need!r}", remedy=choices(NEEDS, need))

    @property
    def needed(self) -> str:
        """What is needed beside walking, in words; empty if nothing is."""
        return " and ".join(NEEDS[need] for need in self.needs)


@dataclass(frozen=True, eq=False)
class ScenePath:
    """A named path on the ground, (P, 2) points close together."""

    name: str
    points: Floats

    def __post_init__(self) -> None:
        points = frozen_floats(self.points, (None, 2), f"path {self.name}")
        if len(points) < 2:
            raise InputError(f"path {self.name} has {len(points)} points", remedy="it needs two")
        object.__setattr__(self, "points", points)

    @property
    def length(self) -> float:
        """Metres along the path."""
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())


@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """A frozen world. Every question takes an optional time, for obstacles that move.

    outline  (P, 2) polygon of the floor; nothing is ground outside of it
    """

    name: str
    outline: Floats
    ground: Ground = field(default_factory=flat_ground)
    obstacles: tuple[Obstacle, ...] = ()
    holes: tuple[Hole, ...] = ()
    waters: tuple[Water, ...] = ()
    queries: tuple[SceneQuery, ...] = ()
    paths: tuple[ScenePath, ...] = ()
    description: str = ""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "outline", simple_polygon(self.outline, "outline"))
        for name in ("obstacles", "holes", "waters", "queries", "paths"):
            put(self, name, tuple(getattr(self, name)))

    def __repr__(self) -> str:
        width, depth = (self.outline.max(axis=0) - self.outline.min(axis=0)).tolist()
        return (
            f"Scene({self.name!r}, {width:g} x {depth:g} m, {len(self.obstacles)} obstacles, "
            f"{len(self.queries)} queries)"
        )

    # ---- named things -------------------------------------------------------------------

    def query(self, name: str) -> SceneQuery:
        """Return the query of this name."""
        return self._named(self.queries, name, "query", "it has no queries")

    def path(self, name: str) -> ScenePath:
        """Return the path of this name."""
        return self._named(self.paths, name, "path", "it has no paths")

    def obstacle(self, name: str) -> Obstacle:
        """Return the obstacle of this name."""
        return self._named(self.obstacles, name, "obstacle", "none has a name")

    def _named(self, things: Sequence[_Named], name: str, what: str, none: str) -> _Named:
        for thing in things:
            if thing.name == name:
                return thing
        names = [thing.name for thing in things if thing.name]
        remedy = choices(names, name) if names else none
        raise InputError(f"scene {self.name} has no {what} {name!r}", remedy=remedy)

    # ---- geometry -----------------------------------------------------------------------

    @cached_property
    def moves(self) -> bool:
        """Whether any obstacle moves."""
        return any(o.motion is not None for o in self.obstacles)

    @cached_property
    def bounds(self) -> Polygon:
        """The outline as a shapely polygon in (x, z)."""
        from shapely.geometry import Polygon

        return Polygon(self.outline)

    def blocked_polygons(
        self,
        body_height: float = 1.8,
        step_height: float = 0.25,
        max_slope: float = float(np.radians(40.0)),
        duck_height: float | None = None,
        time: float | None = None,
    ) -> BaseGeometry:
        """Return the floor that a walking body cannot use, as a shapely (Multi)Polygon in (x, z).

        body_height  obstacles that begin higher above the floor than this do not block
        step_height  obstacles and edges lower than this do not block
        max_slope    steeper ground blocks, radians
        duck_height  bars with at least this free height do not block; None: every bar in the
                     body's height blocks
        """
        from footfall.world.floor import blocked_floor

        moment = None if time is None or not self.moves else float(time)
        limits = (body_height, step_height, max_slope, duck_height, moment)
        return self.keep(("blocked", *limits), lambda: blocked_floor(self, *limits))

    def height(
        self, points: ArrayLike, below: ArrayLike | None = None, time: ArrayLike | None = None
    ) -> Floats:
        """Return (N,) height of the highest surface to stand on at `points` (N, 2); NaN for none.

        below  only surfaces at or below this height, a number or (N,)
        """
        return self._surfaces(points, below, time, normals=False)[0]

    def normal(
        self, points: ArrayLike, below: ArrayLike | None = None, time: ArrayLike | None = None
    ) -> Floats:
        """Return (N, 3) unit normal of that surface; NaN where there is none."""
        return self._surfaces(points, below, time, normals=True)[1]

    def surfaces(
        self, points: ArrayLike, below: ArrayLike | None = None, time: ArrayLike | None = None
    ) -> tuple[Floats, Floats, Ints]:
        """Height (N,), unit normal (N, 3) and primitive (N,) to stand on; -1 is the bare ground."""
        return self._surfaces(points, below, time, normals=True)

    def _surfaces(
        self, points: ArrayLike, below: ArrayLike | None, time: ArrayLike | None, normals: bool
    ) -> tuple[Floats, Floats, Ints]:
        from footfall.world.surface_kernels import surface_heights

        at = as_points(points)
        limit = np.asarray(np.inf if below is None else below, dtype=np.float64).reshape(-1)
        if len(limit) not in (1, len(at)):
            raise InputError(f"below is {len(limit)} long", remedy=f"it is one or {len(at)} long")
        heights = np.empty(len(at))
        up = np.empty((len(at) if normals else 0, 3))
        found = np.empty(len(at) if normals else 0, dtype=np.int32)
        for world, rows in self.moments(time, len(at)):
            part = limit if len(limit) == 1 else limit[rows]
            high = heights[rows]
            normal, which = (up[rows], found[rows]) if normals else (up, found)
            surface_heights(world, sealed(at[rows]), sealed(part), high, normal, which)
            heights[rows] = high
            if normals:
                up[rows], found[rows] = normal, which
        return heights, up, found

    # ---- what is worked out once -------------------------------------------------------

    def keep(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what `make` gives, computed once per key; the last `_MOST_KEPT` are kept."""
        with self._lock:
            if key in self._kept:
                self._kept[key] = self._kept.pop(key)  # the last asked for comes last
                made: _Made = self._kept[key]
                return made
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > _MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
        return made

    @cached_property
    def _kept(self) -> dict[Hashable, Any]:
        return {}

    @cached_property
    def _lock(self) -> Lock:
        return Lock()

    # ---- the form that kernels read -----------------------------------------------------

    def snapshot(self, time: float | None = None) -> Snapshot:
        """Return the scene at `time` seconds (None: 0), packed for the kernels."""
        if time is None or not self.moves:
            return self._first_snapshot
        if not np.isfinite(time):
            raise InputError(f"the time is {time}", remedy="it must be finite")
        return self._pack(float(time))

    def moments(self, time: ArrayLike | None, count: int) -> Iterator[tuple[World, Any]]:
        """Yield the scene at each of the times asked for, with the rows of `count` that ask for it.

        time  one number for all, or (count,) seconds
        Each world is good until the next one is asked for: they share their memory.
        """
        if time is None or not self.moves or np.ndim(time) == 0:
            shot = self.snapshot(None if time is None else float(np.asarray(time).flat[0]))
            yield shot.world, slice(None)
            return
        times = np.asarray(time, dtype=np.float64)
        if times.shape != (count,):
            raise InputError(f"time has shape {times.shape}", remedy=f"use a number or ({count},)")
        if not np.isfinite(times).all():
            raise InputError("a time is not finite", remedy="use finite numbers")
        each, inverse = np.unique(times, return_inverse=True)
        order = np.argsort(inverse, kind="stable")
        cuts = np.searchsorted(inverse[order], np.arange(len(each) + 1))
        shot = self._first_snapshot
        still, moving = len(self._still), shot.count - len(self._still)
        table = empty_table(shot.count)
        table[:still] = shot.world.table[:still]
        world = shot.world._replace(table=sealed(table))
        together = max(1, _MOST_PLACED // max(moving, 1))
        for first in range(0, len(each), together):
            tails = pack_solids(place_over_time(*self._moving, each[first : first + together]))
            for n in range(first, min(first + together, len(each))):
                table[still:] = tails[(n - first) * moving : (n - first + 1) * moving]
                yield world, order[cuts[n] : cuts[n + 1]]

    @cached_property
    def _moving(self) -> tuple[list[Obstacle], list[int]]:
        """The obstacles that move, and their indices."""
        which = [i for i, o in enumerate(self.obstacles) if o.motion is not None]
        return [self.obstacles[i] for i in which], which

    @cached_property
    def _first_snapshot(self) -> Snapshot:
        return self._pack(0.0)

    @cached_property
    def _still(self) -> Solids:
        still = [i for i, o in enumerate(self.obstacles) if o.motion is None]
        solids = place([self.obstacles[i] for i in still], still, None)
        if len(self.ground.triangles) == 0:
            return solids
        part = ObstaclePart(
            "mesh", np.zeros(3), np.zeros(3), vertices=self.ground.vertices,
            triangles=self.ground.triangles, walkable=True, solid=False,
        )  # fmt: skip
        floor = place([Obstacle("ground", (part,), np.zeros(3))], [-1], None)
        return join([solids, floor])

    @cached_property
    def _still_table(self) -> Floats:
        """The primitives that stand still, packed."""
        return pack_solids(self._still)

    @cached_property
    def _cells(self) -> tuple[Cells, Cells]:
        """One broad phase over all primitives that stand still, one over the solid ones alone.

        The triangles of a mesh ground are not solid: they must not be in the way of a search
        for the nearest obstacle.
        """
        still = self._still
        every = np.arange(len(still), dtype=np.int32)
        solid = every[still.solid]
        whole = build_cells(still.low, still.high, every)
        return whole, whole if len(solid) == len(every) else build_cells(
            still.low, still.high, solid
        )

    @cached_property
    def _fixed(self) -> tuple[tuple[Any, Floats], tuple[Floats, Any]]:
        """The packed ground and polygons, which never change."""
        holes = [h.polygon for h in self.holes]
        waters = [(w.level, w.polygon) for w in self.waters]
        return pack_ground(self.ground), pack_rings(self.outline, holes, waters)

    @cached_property
    def _packed_cells(self) -> tuple[Any, Ints]:
        closed = bool(self._still.closed.any())
        if self.moves:
            closed |= bool(place(*self._moving, 0.0).closed.any())
        return pack_cells(self._cells, len(self._still), closed)

    def _pack(self, time: float) -> Snapshot:
        """Return what stands still, packed once, and what moves where it is at a time."""
        table, moving = self._still_table, None
        if self.moves:
            moving = place(*self._moving, time)
            table = empty_table(len(self._still) + len(moving))
            table[: len(self._still)] = self._still_table
            table[len(self._still) :] = pack_solids(moving)
            table = sealed(table)
        ground, rings = self._fixed
        return Snapshot(
            time, self._still, moving, World(*ground, table, *self._packed_cells, *rings)
        )


def rectangle(low: ArrayLike, high: ArrayLike) -> Floats:
    """Return (4, 2) outline of the rectangle between two corners (x, z)."""
    a = frozen_floats(low, (2,), "low corner")
    b = frozen_floats(high, (2,), "high corner")
    return np.array([[a[0], a[1]], [b[0], a[1]], [b[0], b[1]], [a[0], b[1]]])


def simple_polygon(points: ArrayLike, name: str) -> Floats:
    """Return `points` (P, 2) as a frozen polygon that does not cross itself."""
    from shapely.geometry import Polygon
    from shapely.validation import explain_validity

    polygon = frozen_floats(points, (None, 2), f"{name} polygon")
    if len(polygon) < 3:
        raise InputError(f"the {name} polygon has {len(polygon)} points", remedy="it needs three")
    shape = Polygon(polygon)
    if shape.convex_hull.area < 1e-9:
        raise InputError(f"the {name} polygon has no area", remedy="move its points apart")
    if not shape.is_valid:
        why = explain_validity(shape).replace("[", " at (").replace("]", ")").lower()
        raise InputError(f"the {name} polygon is not simple ({why})", remedy="untangle it")
    return polygon
