"""Query a scene, many points at once: footing, clearance, collisions.

Every function takes arrays of N questions and an optional time, one number or (N,) seconds,
for obstacles that move. Obstacles are told by their index in `scene.obstacles`, -1 for none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, Ints, first_not_finite
from footfall.world.ground import as_points, sealed
from footfall.world.scene import Scene
from footfall.world.snapshot import FOOT, scratch

REASONS = ("valid", "no ground", "water", "uneven", "too steep", "obstacle")
"""What the codes of `Placements.reason` mean."""


@dataclass(frozen=True)
class FootBox:
    """The sole and what it can stand on.

    length, width  of the sole, metres        height     of the free box it needs above, metres
    max_slope      steepest sole, radians     roughness  how far the floor may stray from the
                                              plane of the sole, metres
    """

    length: float = 0.26
    width: float = 0.10
    height: float = 0.12
    max_slope: float = float(np.radians(35.0))
    roughness: float = 0.03

    def __post_init__(self) -> None:
        for name in ("length", "width", "height", "max_slope", "roughness"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0.0):
                raise InputError(f"the foot's {name} is {value}", remedy="it must be > 0")
        if self.max_slope >= np.pi / 2:
            raise InputError("the foot's max_slope is a right angle or more", remedy="use less")

    @property
    def packed(self) -> Any:
        """The box as kernels take it, a `FOOT` record."""
        record, slope = np.zeros(1, FOOT), np.tan(self.max_slope)
        record[0] = 0.5 * self.length, 0.5 * self.width, self.height, slope, self.roughness
        return record[0]


@dataclass(frozen=True, eq=False)
class Placements:
    """What became of N foot placements.

    reason  (N,) 0 for valid, else an index into REASONS
    height  (N,) of the middle of the sole, metres; NaN without ground
    normal  (N, 3) of the plane under the sole; NaN without ground
    """

    reason: Ints
    height: Floats
    normal: Floats

    @property
    def valid(self) -> Bools:
        """(N,) whether a foot may stand there."""
        good: Bools = self.reason == 0
        return good


def foot_placements(
    scene: Scene,
    feet: ArrayLike,
    foot: FootBox | None = None,
    below: ArrayLike | None = None,
    time: ArrayLike | None = None,
) -> Placements:
    """Return whether soles at `feet` (N, 3: x, z, yaw of the middle of the sole) stand well.

    The whole sole must be on allowed ground, dry, flat enough, not too steep, and its box free
    of obstacles. `below` leaves out surfaces that are higher, one number or (N,) metres.
    """
    from footfall.world.collision.foot_kernels import foot_placements as kernel

    foot = foot or FootBox()
    at = _finite(as_points(feet, 3), "feet")
    limit = np.asarray(np.inf if below is None else below, dtype=np.float64).reshape(-1)
    if len(limit) not in (1, len(at)):
        raise InputError(f"below is {len(limit)} long", remedy=f"it must be 1 or {len(at)} long")
    out = Placements(np.zeros(len(at), dtype=np.int32), np.empty(len(at)), np.empty((len(at), 3)))
    for world, rows in scene.moments(time, len(at)):
        part = limit if len(limit) == 1 else limit[rows]
        reason, height, normal = out.reason[rows], out.height[rows], out.normal[rows]
        found = np.empty(len(world.table), dtype=np.int32)
        kernel(
            world, sealed(at[rows]), sealed(part), foot.packed, found, scratch(), reason, height,
            normal,
        )  # fmt: skip
        out.reason[rows], out.height[rows], out.normal[rows] = reason, height, normal
    return out


def body_clearance(
    scene: Scene,
    points: ArrayLike,
    body_height: float = 1.8,
    step_height: float = 0.25,
    base: ArrayLike | None = None,
    reach: float = np.inf,
    time: ArrayLike | None = None,
) -> tuple[Floats, Ints]:
    """Return how far an upright body at `points` (N, 2) is from obstacles, seen from above.

    Obstacles count where they are between `step_height` and `body_height` above `base`, the
    height of the floor at the point, or the floor there (N,). Gives the signed distance (N,)
    of the point (a disk of radius r has r less) and the nearest obstacle (N,). What is further
    than `reach` is not looked for: then the distance is `reach` and the obstacle -1.
    """
    at = _finite(as_points(points), "points")
    if not body_height > step_height:
        raise InputError(f"body_height {body_height} is not above step_height {step_height}")
    if base is None:
        floor = scene.height(at, time=time)
    else:
        floor = np.broadcast_to(np.asarray(base, dtype=np.float64), (len(at),))
    # Without a floor the body has no height: then every obstacle counts.
    known = np.isfinite(floor)
    probes = np.zeros((len(at), 6))
    probes[:, 0], probes[:, 2] = at[:, 0], at[:, 1]
    probes[:, 1] = np.where(known, floor + step_height, -1e9)
    probes[:, 4] = np.where(known, floor + body_height, 1e9)
    return _nearest(scene, 0, probes, reach, time)


def point_clearance(
    scene: Scene, points: ArrayLike, reach: float = np.inf, time: ArrayLike | None = None
) -> tuple[Floats, Ints]:
    """Signed distance (N,) of points in space (N, 3) from obstacles, and the nearest (N,)."""
    at = _finite(as_points(points, 3), "points")
    return _nearest(scene, 1, np.concatenate([at, np.zeros_like(at)], axis=1), reach, time)


def capsule_clearance(
    scene: Scene,
    ends: ArrayLike,
    radius: ArrayLike,
    reach: float = np.inf,
    time: ArrayLike | None = None,
) -> tuple[Floats, Ints]:
    """Distance (N,) of capsules from obstacles and the nearest obstacle (N,); below 0 is a hit.

    ends    (N, 2, 3) both ends of the axis      radius  a number or (N,) metres
    Where the axis itself passes through an obstacle the distance is -radius.
    """
    at = np.ascontiguousarray(ends, dtype=np.float64)
    if at.ndim != 3 or at.shape[1:] != (2, 3):
        raise InputError(f"capsule ends have shape {at.shape}", remedy="they are (N, 2, 3)")
    at = _finite(at.reshape(-1, 6), "capsule ends")
    thick = np.broadcast_to(np.asarray(radius, dtype=np.float64), (len(at),))
    if len(thick) and not (np.isfinite(thick).all() and thick.min() >= 0.0):
        raise InputError("a capsule's radius is negative or not finite", remedy="it must be >= 0")
    distance, which = _nearest(scene, 2, at, reach + thick, time)
    return distance - thick, which


def _nearest(
    scene: Scene, mode: int, probes: Floats, reach: ArrayLike, time: ArrayLike | None
) -> tuple[Floats, Ints]:
    from footfall.world.collision.query_kernels import nearest_all

    reaches = np.asarray(reach, np.float64).reshape(-1)
    if not (reaches > 0.0).all():
        raise InputError(f"reach is {reaches.min()}", remedy="it must be > 0")
    out, which = np.empty(len(probes)), np.full(len(probes), -1, dtype=np.int32)
    for world, rows in scene.moments(time, len(probes)):
        part, owner, limit = out[rows], which[rows], reaches if len(reaches) == 1 else reaches[rows]
        nearest_all(world, mode, sealed(probes[rows]), sealed(limit), scratch(), part, owner)
        out[rows], which[rows] = part, owner
    return out, which


def _finite(array: Floats, name: str) -> Floats:
    bad = first_not_finite(array)
    if bad is not None:
        raise InputError(
            f"{name} hold {array[bad]} at index {list(bad)}", remedy="use finite numbers"
        )
    return array


def is_under_water(scene: Scene, points: ArrayLike, time: ArrayLike | None = None) -> Bools:
    """Return (N,) whether the surface to stand on at `points` (N, 2) lies under water."""
    import shapely

    at = _finite(as_points(points), "points")
    heights = scene.height(at, time=time)
    out = np.zeros(len(at), dtype=np.bool_)
    for water in scene.waters:
        low = heights < water.level
        if water.polygon is not None:
            low &= shapely.contains_xy(shapely.Polygon(water.polygon), at)
        out |= low
    return out
