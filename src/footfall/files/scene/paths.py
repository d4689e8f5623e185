"""The paths of a scene file as points close together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import InputError
from footfall.files.scene.origins import remember
from footfall.maths.arrays import Floats
from footfall.world.scene import ScenePath

if TYPE_CHECKING:
    from footfall.files.scene import schema

_PATH_STEP_M = 0.02
_MAX_PATH_POINTS = 1_000_000


def build_paths(specs: Sequence[schema.PathSpec]) -> tuple[ScenePath, ...]:
    """Return the paths of a scene file, curves as points a few centimetres apart."""
    out = []
    for spec in specs:
        try:
            out.append(remember(ScenePath(spec.name, _path_points(spec)), spec))
        except InputError as error:
            raise error.at(f"path {spec.name!r}") from error
    return tuple(out)


def _path_points(spec: schema.PathSpec) -> Floats:
    points = np.array(spec.points, dtype=np.float64)
    if np.linalg.norm(np.diff(points, axis=0), axis=1).min() <= 0.0:
        raise InputError("two points of the path are the same", remedy="leave one out")
    return curve_points(points, spec.curve, spec.radius)


def curve_points(points: Floats, curve: str, radius: float = 0.0, closed: bool = False) -> Floats:
    """Return (P, 2) the curve through points (N, 2) that differ from one to the next.

    curve   "straight", "round" with corners of `radius` metres, or "spline"
    closed  the first point is also the last; a round one begins in the middle of a leg
    """
    if closed:
        ends = 0.5 * (points[:1] + points[-1:]) if curve == "round" else points[:1]
        points = np.concatenate([ends if curve == "round" else points[:0], points, ends])
    legs = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if legs.sum() / _PATH_STEP_M > _MAX_PATH_POINTS:
        raise InputError(f"the path is {legs.sum():.0f} m long", remedy="at most 20 km are allowed")
    if curve == "straight":
        return points
    if curve == "spline":
        from scipy.interpolate import CubicSpline

        at = np.concatenate([[0.0], np.cumsum(legs)])
        count = max(2, int(np.ceil(at[-1] / _PATH_STEP_M)) + 1)
        ends_are: Any = "periodic" if closed else "not-a-knot"
        smooth: Floats = CubicSpline(at, points, bc_type=ends_are)(np.linspace(0.0, at[-1], count))
        return smooth
    return _round_corners(points, legs, radius)


def _round_corners(points: Floats, legs: Floats, radius: float) -> Floats:
    """Straight legs with their corners rounded by arcs of `radius`."""
    out = [points[:1]]
    for k in range(1, len(points) - 1):
        a, b = (points[k] - points[k - 1]) / legs[k - 1], (points[k + 1] - points[k]) / legs[k]
        turn = float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))
        cut = radius * np.tan(0.5 * abs(turn))
        room = 0.5 * min(legs[k - 1], legs[k])
        if cut > room + 1e-9:
            raise InputError(
                f"radius {radius:g} is too large for the corner at {points[k].tolist()}",
                remedy=f"use at most {room / np.tan(0.5 * abs(turn)):.2f}",
            )
        count = max(2, int(np.ceil(radius * abs(turn) / _PATH_STEP_M)) + 1)
        angles = np.linspace(0.0, turn, count)
        left = np.array([-a[1], a[0]]) * np.sign(turn)
        start = points[k] - a * cut
        along = np.sin(np.abs(angles))[:, None] * a + (1.0 - np.cos(angles))[:, None] * left
        out.append(start + radius * along)
    out.append(points[-1:])
    curve = np.concatenate(out)
    # Two arcs may meet in a point, which then is there twice.
    apart = np.linalg.norm(np.diff(curve, axis=0), axis=1) > 1e-9
    return np.asarray(curve[np.concatenate([[True], apart])])
