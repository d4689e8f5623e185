"""Grounds: flat, height grid, bicubic B-spline or NURBS height field, mesh.

Heights are `[iz, ix]`: rows run along z, columns along x, like a map seen from above. A mesh
ground has no field of its own: its triangles are walkable primitives of the scene, so that it
may have several storeys.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints, frozen_floats, frozen_ints

FLAT, GRID, PATCHES, NONE = 0, 1, 2, 3
MAX_GRID_HEIGHTS = 16_000_000
MAX_CONTROL_POINTS = 262_144
_RECORD = np.dtype([
    ("kind", "i8"), ("level", "f8"), ("x", "f8"), ("z", "f8"), ("width", "f8"), ("depth", "f8"),
    ("columns", "i8"), ("rows", "i8"), ("weights", "i8"), ("per_x", "f8"), ("per_z", "f8"),
])  # fmt: skip
"""What kernels are told of a ground: its kind, level, corner, size and cells, where the weights of
a NURBS begin (or -1), and the cells per metre."""
_EMPTY2, _EMPTY4 = np.zeros((0, 0)), np.zeros((0, 0, 4, 4))
_EMPTY3, _EMPTY_TRIANGLES = np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Ground:
    """One height field over a rectangle, y = h(x, z); or a mesh.

    kind      FLAT, GRID (bilinear), PATCHES (bicubic) or NONE (a mesh, or nothing at all)
    origin    (x, z) of the corner with the smallest coordinates, metres
    size      (along x, along z) metres; infinite for flat ground
    level     the height of flat ground
    heights   (nz, nx) heights of a grid, or the control heights of a spline
    patches   (mz, mx, 4, 4) coefficients [p, q] of s^p r^q, s along x and r along z in [0, 1]
    weights   (mz, mx, 4, 4) the same for the NURBS denominator; empty where all weights are 1
    control_weights  (nz, nx) the weights of the control heights; empty likewise
    vertices, triangles  (V, 3) and (F, 3) of a mesh
    """

    kind: int = FLAT
    origin: tuple[float, float] = (0.0, 0.0)
    size: tuple[float, float] = (np.inf, np.inf)
    level: float = 0.0
    heights: Floats = field(default_factory=lambda: _EMPTY2)
    patches: Floats = field(default_factory=lambda: _EMPTY4)
    weights: Floats = field(default_factory=lambda: _EMPTY4)
    control_weights: Floats = field(default_factory=lambda: _EMPTY2)
    vertices: Floats = field(default_factory=lambda: _EMPTY3)
    triangles: Ints = field(default_factory=lambda: _EMPTY_TRIANGLES)

    def height(self, points: ArrayLike) -> Floats:
        """Return (N,) heights at `points` (N, 2); NaN where there is no ground."""
        return np.ascontiguousarray(self._slopes(points)[:, 0])

    def normal(self, points: ArrayLike) -> Floats:
        """Return (N, 3) unit normals at `points` (N, 2); NaN where there is no ground."""
        height, along_x, along_z = self._slopes(points).T
        up = np.where(np.isnan(height), np.nan, 1.0)
        up = up / np.sqrt(1.0 + along_x * along_x + along_z * along_z)
        return np.stack([-along_x * up, up, -along_z * up], axis=1)

    def _slopes(self, points: ArrayLike) -> Floats:
        """Return (N, 3) height and slopes along x and z at `points` (N, 2)."""
        from footfall.world.surface_kernels import field_slopes

        points = as_points(points)
        out = np.empty((len(points), 3))
        field_slopes(*pack_ground(self), points, out)
        return out


def as_points(points: ArrayLike, width: int = 2) -> Floats:
    """Return `points` as a contiguous (N, width) array; a single point counts as one row."""
    array = np.ascontiguousarray(points, dtype=np.float64)
    if array.ndim == 1 and array.shape == (width,):
        array = array[None, :]
    if array.ndim != 2 or array.shape[1] != width:
        raise InputError(f"points have shape {array.shape}", remedy=f"they are (N, {width})")
    rows: Floats = sealed(array)
    return rows


def sealed(array: Any) -> Any:
    """Return a read-only contiguous view: kernels are compiled once, for read-only input."""
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view


def flat_ground(level: float = 0.0) -> Ground:
    """Level ground without end."""
    if not np.isfinite(level):
        raise InputError(f"the ground level is {level}", remedy="it must be finite")
    return Ground(FLAT, level=float(level))


def grid_ground(heights: ArrayLike, origin: ArrayLike, size: ArrayLike) -> Ground:
    """Bilinear between `heights` (nz, nx), which lie evenly over the rectangle."""
    array = np.asarray(heights, dtype=np.float64)
    if array.ndim != 2 or min(array.shape) < 2:
        raise InputError(
            f"a height grid has shape {array.shape}", remedy="give at least 2 x 2 heights"
        )
    if array.size > MAX_GRID_HEIGHTS:
        raise InputError(
            f"a height grid has {array.size} heights",
            remedy=f"at most {MAX_GRID_HEIGHTS} are allowed",
        )
    array = frozen_floats(array, (None, None), "heights")
    return Ground(GRID, *_rectangle(origin, size), heights=array)


def spline_ground(
    control: ArrayLike, origin: ArrayLike, size: ArrayLike, weights: ArrayLike | None = None
) -> Ground:
    """Return a clamped bicubic B-spline (or NURBS, with `weights`) of control heights (nz, nx).

    The knots are uniform with ends repeated four times and the control points lie at the
    Greville abscissae, so x and z are exactly the parameters and y is a true height field
    (linear precision). The spline is kept as one bicubic polynomial for each span, which a
    kernel evaluates in a few nanoseconds.
    """
    array = np.asarray(control, dtype=np.float64)
    if array.ndim != 2 or min(array.shape) < 4:
        raise InputError(
            f"spline control heights have shape {array.shape}", remedy="give at least 4 x 4"
        )
    if array.size > MAX_CONTROL_POINTS:
        raise InputError(
            f"a spline ground has {array.size} control heights",
            remedy=f"at most {MAX_CONTROL_POINTS} are allowed",
        )
    array = frozen_floats(array, (None, None), "control heights")
    rectangle = _rectangle(origin, size)
    if weights is None:
        return Ground(PATCHES, *rectangle, heights=array, patches=_patches(array))
    scale = frozen_floats(weights, array.shape, "weights")
    if scale.min() <= 0.0:
        raise InputError(f"a NURBS weight is {scale.min()}", remedy="weights must be > 0")
    return Ground(
        PATCHES,
        *rectangle,
        heights=array,
        patches=_patches(array * scale),
        weights=_patches(scale),
        control_weights=scale,
    )


def mesh_ground(vertices: ArrayLike, triangles: ArrayLike) -> Ground:
    """Triangles (F, 3) over vertices (V, 3) to walk on."""
    points = frozen_floats(vertices, (None, 3), "vertices")
    faces = frozen_ints(triangles, (None, 3), "triangles")
    if faces.size and (faces.min() < 0 or faces.max() >= len(points)):
        raise InputError("a triangle names a vertex that is not there")
    return Ground(NONE, size=(0.0, 0.0), vertices=points, triangles=faces)


def greville(count: int, origin: float, size: float) -> Floats:
    """Return (count,) Greville abscissae of a clamped cubic's control points, metres."""
    knots = _knots(count)
    inner = (knots[1:-3] + knots[2:-2] + knots[3:-1]) / 3.0
    out: Floats = origin + size * inner / (count - 3)
    return out


def _knots(count: int) -> Floats:
    inside = np.arange(count - 2, dtype=np.float64)
    return np.concatenate([np.zeros(3), inside, np.full(3, count - 3.0)])


def _basis(count: int) -> Floats:
    """Return (spans, 4 powers, count) power coefficients of every basis function on every span."""
    from scipy.interpolate import BSpline

    spline = BSpline(_knots(count), np.eye(count), 3)
    starts = np.arange(count - 3, dtype=np.float64)
    powers = [spline(starts, nu=m) / (1.0, 1.0, 2.0, 6.0)[m] for m in range(4)]
    return np.stack(powers, axis=1)


def _patches(control: Floats) -> Floats:
    """Return (mz, mx, 4, 4) coefficients from control heights (nz, nx)."""
    from numpy.lib.stride_tricks import sliding_window_view

    bz, bx = _band(_basis(control.shape[0])), _band(_basis(control.shape[1]))
    along_z = sliding_window_view(control, 4, axis=0)  # (mz, nx, 4)
    rows = np.einsum("iqk,ixk->ixq", bz, along_z)  # powers q of r
    along_x = sliding_window_view(rows, 4, axis=1)  # (mz, mx, q, 4)
    out = np.ascontiguousarray(np.einsum("jpk,ijqk->ijpq", bx, along_x))
    out.setflags(write=False)
    return out


def _band(basis: Floats) -> Floats:
    """Return (spans, 4, 4) the four polynomials of (spans, 4, count) that meet each span."""
    spans = np.arange(len(basis))[:, None]
    picked: Floats = basis[spans, :, spans + np.arange(4)].transpose(0, 2, 1)
    return picked


def _rectangle(
    origin: ArrayLike, size: ArrayLike
) -> tuple[tuple[float, float], tuple[float, float]]:
    o = frozen_floats(origin, (2,), "ground origin")
    s = frozen_floats(size, (2,), "ground size")
    if s.min() <= 0.0:
        raise InputError(f"the ground size is {s.tolist()}", remedy="both sides must be > 0")
    return (float(o[0]), float(o[1])), (float(s[0]), float(s[1]))


def pack_ground(ground: Ground) -> tuple[Any, Floats]:
    """Return the ground as kernels take it: a record, and the numbers it needs.

    These are the heights row by row of a grid, or 16 coefficients for each patch, row by row.
    """
    cells, weights_from, data = (0, 0), -1, np.zeros(0)
    if ground.kind == GRID:
        cells, data = (ground.heights.shape[1] - 1, ground.heights.shape[0] - 1), ground.heights
    elif ground.kind == PATCHES:
        cells, data = (ground.patches.shape[1], ground.patches.shape[0]), ground.patches
        if ground.weights.size:
            weights_from, data = data.size, np.stack([ground.patches, ground.weights])
    (x, z), (w, d) = ground.origin, ground.size
    scale = (cells[0] / w, cells[1] / d) if cells[0] else (0.0, 0.0)
    record = np.zeros(1, _RECORD)
    record[0] = (ground.kind, ground.level, x, z, w, d, *cells, weights_from, *scale)
    return record[0], sealed(data.reshape(-1))
