"""A scene's ground and solids, worked out again from its description alone.

Nothing here calls the code that planners ask about scenes: heights come from scipy's B-splines,
areas from shapely, distances to boxes and cylinders from a few lines of numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.spatial.transform import Rotation

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FLAT, GRID, PATCHES = 0, 1, 2


@dataclass(frozen=True)
class Solid:
    """A box or an upright cylinder: its middle, its axes as columns, its half sizes."""

    name: str
    is_round: bool
    centre: Floats
    axes: Floats
    half: Floats
    walkable: bool

    @property
    def reach(self) -> Floats:
        """(3,) half the size of the upright box around it."""
        if self.is_round:
            return self.half
        return np.asarray(np.abs(self.axes) @ self.half)

    def outline(self) -> Any:
        """What it covers seen from above, as a shapely polygon in (x, z)."""
        if self.is_round:
            middle = shapely.Point(self.centre[0], self.centre[2])
            return middle.buffer(self.half[0], quad_segs=24)
        signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        corners = (signs * self.half) @ self.axes.T + self.centre
        return shapely.MultiPoint(corners[:, [0, 2]]).convex_hull

    def distance(self, points: Floats) -> Floats:
        """(N,) signed distance of points (N, 3): negative inside."""
        local = (points - self.centre) @ self.axes
        if self.is_round:
            away = np.column_stack([np.hypot(local[:, 0], local[:, 2]), np.abs(local[:, 1])])
            beyond = away - self.half[[0, 1]]
        else:
            beyond = np.abs(local) - self.half
        outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
        return np.asarray(outside + np.minimum(beyond.max(axis=1), 0.0))

    def top(self, at: Floats) -> Floats:
        """(N,) the height of its upper side at points (N, 2); NaN beside it."""
        if self.is_round:
            inside = np.hypot(*(at - self.centre[[0, 2]]).T) <= self.half[0]
            return np.where(inside, self.centre[1] + self.half[1], np.nan)
        up = int(np.argmax(np.abs(self.axes[1])))
        normal = self.axes[:, up] * np.sign(self.axes[1, up])
        middle = self.centre + self.half[up] * normal
        d = at - middle[[0, 2]]
        y = middle[1] - (d[:, 0] * normal[0] + d[:, 1] * normal[2]) / normal[1]
        local = (np.column_stack([at[:, 0], y, at[:, 1]]) - self.centre) @ self.axes
        fits = (np.abs(local) <= self.half + 1e-9).all(axis=1)
        return np.where(fits, y, np.nan)


@dataclass(frozen=True, eq=False)
class World:
    """A scene in plain shapes; obstacles that move are where they are at first."""

    scene: Any
    solids: tuple[Solid, ...]
    outline: Any
    hole: Any

    def bare_height(self, at: Floats) -> Floats:
        """(N,) the ground's height at (N, 2); NaN over holes and beyond the outline."""
        found = self._field(at)
        found[~shapely.contains_xy(self.outline, at)] = np.nan
        if not self.hole.is_empty:
            found[shapely.contains_xy(self.hole, at)] = np.nan
        return found

    def _field(self, at: Floats) -> Floats:
        ground = self.scene.ground
        if ground.kind == FLAT:
            return np.full(len(at), float(ground.level))
        assert ground.kind == PATCHES, "no built-in scene has another ground"
        control = np.asarray(ground.heights)
        weights = np.asarray(ground.control_weights)
        share = (at - np.array(ground.origin)) / np.array(ground.size)
        rows = [_basis(share[:, k], control.shape[1 - k]) for k in (0, 1)]

        def blend(table: Floats) -> Floats:
            return np.asarray(((rows[1] @ table) * rows[0].toarray()).sum(axis=1))

        whole = blend(control * weights) / blend(weights) if weights.size else blend(control)
        return np.where(((share < 0.0) | (share > 1.0)).any(axis=1), np.nan, whole)

    def water_level(self, at: Floats) -> Floats:
        """(N,) how high water stands at (N, 2); -inf where there is none."""
        level = np.full(len(at), -np.inf)
        for water in self.scene.waters:
            here = np.ones(len(at), np.bool_)
            if water.polygon is not None:
                here = shapely.contains_xy(shapely.Polygon(water.polygon), at)
            level[here] = np.maximum(level[here], water.level)
        return level

    def surface(self, at: Floats, below: Floats | float = np.inf) -> Floats:
        """(N,) the highest surface at (N, 2) that is no higher than `below`; NaN for none."""
        limit = np.broadcast_to(below, len(at))
        best = self.bare_height(at)
        best[best > limit] = np.nan
        for solid in self.solids:
            if solid.walkable:
                top = solid.top(at)
                top[top > limit] = np.nan
                best = np.fmax(best, top)
        return best


def _basis(share: Floats, count: int) -> Any:
    """(N, count) the clamped uniform cubic B-splines at shares of their range, as sparse rows."""
    inner = np.arange(count - 2, dtype=np.float64)
    knots = np.concatenate([np.zeros(3), inner, np.full(3, count - 3.0)])
    at = np.clip(share, 0.0, 1.0) * (count - 3.0)
    return BSpline.design_matrix(at, knots, 3)


def world_of(scene: Any) -> World:
    """The plain shapes of a scene."""
    solids = []
    for number, obstacle in enumerate(scene.obstacles):
        position, rotation = obstacle.pose()
        own = _turn(rotation)
        for part in obstacle.parts:
            if not part.solid:
                continue
            assert part.kind in ("box", "cylinder"), "no built-in scene has meshes"
            axes = own * _turn(part.rotation) if part.kind == "box" else own
            solids.append(
                Solid(
                    obstacle.name or f"{obstacle.kind} {number}",
                    part.kind == "cylinder",
                    np.asarray(position) + own.apply(np.array(part.centre)),
                    axes.as_matrix(),
                    np.asarray(part.half),
                    bool(part.walkable),
                )
            )
    holes = shapely.union_all([shapely.Polygon(h.polygon) for h in scene.holes])
    return World(scene, tuple(solids), shapely.Polygon(scene.outline), holes)


def _turn(wxyz: Any) -> Rotation:
    w, x, y, z = np.asarray(wxyz)
    return Rotation.from_quat([x, y, z, w])
