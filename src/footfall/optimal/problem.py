"""What the search of the interpolated graph is asked, and what it finds, as plain arrays.

A `World` holds what the scene allows, on a grid; a `Goals` holds the constraints to be met in
order, the last of them the goal. A constraint asks that a point that moves with the body (a hand,
the seat, a sole, the root) is near a place, in one of some nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from footfall.body.size import MEAN_BODY, BodySize
from footfall.maths import planar
from footfall.maths.arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class World:
    """A scene as grids of `cell_m` cells; cell [i, k] has its middle at origin + (i, k) cells.

    The grids have axes of their own, those of where a motion starts: a task that is turned or
    moved together with its scene has the same grids, and so the same answer.

    origin      (2,) x, z along these axes
    pose        (3,) x, z and yaw of these axes in the scene
    size        of the body
    corridor    (X, Z) whether the root may be there
    foothold    (X, Z) whether a point of a sole may stand there
    height      (X, Z) of the ground that feet stand on, metres
    clearance   (X, Z) metres to the nearest thing that is in the way of trunk and legs
    ceiling     (X, Z) height above the ground of the lowest thing overhead; inf where open
    foothold_m  (X, Z) metres to the nearest point where no sole may stand
    base_y      where the lowest band of heights begins; each is `band_m` high
    band_layer  (B,) the layer of each band; -1 where nothing is in it
    layers      (L, X, Z) metres to the nearest thing in a band
    seat_layer  (B,) the layer of each band for who sits, who may touch what is sat on
    seats       (K, 4) x, height and z, along its axes, of the hips of a body that sits on a seat
                (any height if that is nan), and how near; without any it may sit anywhere
    """

    cell_m: float
    origin: Floats
    corridor: Bools
    foothold: Bools
    height: Floats
    clearance: Floats
    ceiling: Floats
    foothold_m: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    base_y: float = 0.0
    band_m: float = 0.05
    band_layer: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    layers: Floats = field(default_factory=lambda: np.zeros((0, 0, 0)))
    seat_layer: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    seats: Floats = field(default_factory=lambda: np.zeros((0, 4)))
    pose: Floats = field(default_factory=lambda: np.zeros(3))
    size: BodySize = MEAN_BODY

    def cells(self, points: Floats) -> Ints:
        """(..., 2) the cells of places (..., 2: x, z) in the scene; some may be outside."""
        own = planar.apply_to_ground(planar.inverse(self.pose), points)
        return np.asarray(np.rint((own - self.origin) / self.cell_m), np.int32)

    def inner_cells(self, points: Floats) -> tuple[Ints, Ints]:
        """Return columns (...) and rows (...) of places in the scene, or the nearest inside."""
        last = np.array(self.corridor.shape) - 1
        i, k = np.moveaxis(np.clip(self.cells(points), 0, last), -1, 0)
        return i, k

    def places(self, cells: Ints | Floats) -> Floats:
        """(..., 2) x and z in the scene of the middles of cells (..., 2)."""
        return planar.apply_to_ground(
            self.pose, self.origin + self.cell_m * np.asarray(cells, np.float64)
        )


@dataclass(frozen=True, eq=False)
class Path:
    """A path of K edges through the interpolated graph.

    edges  (K,) of the interpolated graph     nodes  (K + 1,) that they join
    poses  (K + 1, 3) x, z and yaw of the root at each node
    met    (C,) at which of the nodes each constraint is met
    """

    edges: Ints
    nodes: Ints
    poses: Floats
    met: Ints


@dataclass(frozen=True, eq=False)
class Goals:
    """C constraints in order, the goal last.

    nodes       (C, N) the nodes of the interpolated graph that can meet each
    point       (C, N, 3) where its point is in the node's ground frame: x, height, z
    place       (C, 3) where it must be: x, y, z; y is nan if the height does not matter
    within_m    (C,) how near
    facing      (C, N) yaw of what must face somewhere, in the node's frame
    yaw         (C,) where it must face; nan for anywhere
    within_rad  (C,)
    by_s        (C,) seconds after the beginning by which it must be met; inf for no limit
    slab        (C, 4) x and z of a direction, and from where to where along it, seen from the
                place, the point must be as well; (0, 4) if that is asked of none
    """

    nodes: Bools
    point: Floats
    place: Floats
    within_m: Floats
    facing: Floats
    yaw: Floats
    within_rad: Floats
    by_s: Floats
    slab: Floats = field(default_factory=lambda: np.zeros((0, 4)))
