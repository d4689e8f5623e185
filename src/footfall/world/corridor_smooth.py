"""A path for people from the shortest way: room beside walls, gentle turns, even steps.

The shortest way hugs every corner it turns about. Here it becomes an elastic rod under tension,
bent sideways within what is free on either side: the body's radius holds as a limit, the
preferred distance from walls pulls softly, stiffness rounds the turns. It takes the place of the
attraction force of the Corridor Map Method (Geraerts & Overmars 2007), whose paths wiggle with
the backbone and whose curvature cannot be limited.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.maths.arrays import Floats
from footfall.world.corridor_build import Outlines

_MARGIN = 0.004
"""Clearance (m) kept beyond the radius where there is room: what a chord may cut off an arc."""
_STIFF_LENGTH = 0.35
"""Over about this length (m) the rod spreads a turn when no turning radius is asked for."""
_WALL_STIFFNESS = 3.0
_TINY = 1e-7


@dataclass(frozen=True, eq=False)
class Curve:
    """A path as even points: points (N, 2) in metres, directions (N, 2) unit, curvatures (N,) 1/m."""

    points: Floats
    directions: Floats
    curvatures: Floats

    @property
    def length_m(self) -> float:
        """Length of the polyline through the points."""
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())

    @property
    def turn_radius_m(self) -> float:
        """The smallest turning radius on the way."""
        return 1.0 / max(float(np.abs(self.curvatures).max(initial=0.0)), 1e-9)


def even_points(points: Floats, step: float) -> Floats:
    """The polyline (N, 2) at even steps of at most `step` metres, ends included: (M, 2)."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    count = max(2, int(np.ceil(along[-1] / step - 1e-9)) + 1)
    at = np.linspace(0.0, along[-1], count)
    return np.stack([np.interp(at, along, points[:, i]) for i in range(2)], axis=1)


def spline_through(knots: Floats, step: float) -> Curve:
    """The cubic spline through knots (N, 2), at even steps of arc length of at most `step`."""
    from scipy.interpolate import CubicSpline

    chord = np.linalg.norm(np.diff(knots, axis=0), axis=1)
    knots = knots[np.concatenate([[True], chord > 1e-9])]
    if len(knots) < 2:
        knots = np.stack([knots[0], knots[0]])
        return Curve(knots, np.array([[0.0, 1.0]] * 2), np.zeros(2))
    at = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(knots, axis=0), axis=1))])
    spline = CubicSpline(at, knots, bc_type="natural" if len(knots) > 2 else "not-a-knot")
    fine = np.linspace(0.0, at[-1], max(2, 4 * len(knots), int(np.ceil(2.0 * at[-1] / step))))
    speed = np.linalg.norm(spline(fine, 1), axis=1)
    along = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(fine))])
    count = max(2, int(np.ceil(along[-1] / step - 1e-9)) + 1)
    where = np.interp(np.linspace(0.0, along[-1], count), along, fine)
    first, second = spline(where, 1), spline(where, 2)
    size = np.maximum(np.linalg.norm(first, axis=1), 1e-12)
    cross = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    points = spline(where)
    points[0], points[-1] = knots[0], knots[-1]
    return Curve(points, first / size[:, None], cross / size**3)


def is_clear(outlines: Outlines, points: Floats, radius: float) -> tuple[bool, Floats, Floats]:
    """Whether the polyline keeps `radius` metres clear; the clearance of points and of stretches.

    Stretches that cannot come near are not measured: theirs is a lower bound.
    """
    at = outlines.clearances(points)
    step = np.linalg.norm(np.diff(points, axis=0), axis=1)
    between = np.minimum(at[1:], at[:-1]) - 0.5 * step
    near = np.nonzero(between < radius)[0]
    if len(near) and (at > 0).all():
        ends = np.hstack([points[near], points[near + 1]])
        between[near] = outlines.stretch_clearances(ends, np.full(len(near), radius + 1.0))
    clear = bool((at >= radius - _TINY).all() and (between >= radius - 2 * _TINY).all())
    return clear, at, between


def smooth(
    outlines: Outlines,
    way: Floats,
    radius: float,
    *,
    prefer: float,
    turn_radius: float | None,
    step: float,
    stay: float = 0.0,
) -> Curve | None:
    """A smooth path near the polyline `way` (N, 2), `radius` metres clear; None if none came out.

    prefer: metres to keep beyond the radius where there is room. turn_radius: the path turns no
    tighter where that can be had. stay: how strongly (1/m^2) the path keeps to the way.
    """
    spacing = float(np.clip(radius / 3.0, 0.02, 0.1))
    knots = even_points(way, spacing)
    if len(knots) < 5:
        knots = even_points(way, float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum()) / 8)
    knots = _off_the_walls(outlines, knots, radius + _MARGIN)
    stiff = np.full(len(knots), _STIFF_LENGTH**2)
    limit = None if turn_radius is None else 0.97 / turn_radius
    best: Curve | None = None
    for turn in range(3 if limit is None else 14):
        knots = _bend(outlines, knots, radius, prefer, stiff, stay, turn_radius or 0.0)
        if turn == 0:
            continue
        curve = spline_through(knots, step)
        if not is_clear(outlines, curve.points, radius)[0]:
            curve = None
        elif limit is None:
            return curve
        if curve is not None and (best is None or curve.turn_radius_m > best.turn_radius_m):
            best = curve
            if limit is not None and 1.0 / curve.turn_radius_m <= limit / 0.98:
                return curve
        if limit is not None:
            stiff = _stiffer(knots, stiff, limit)
        count = len(knots)
        knots = even_points(knots, spacing)
        at = np.linspace(0.0, 1.0, len(knots))
        stiff = np.interp(at, np.linspace(0.0, 1.0, count), stiff)
    return best


def _off_the_walls(outlines: Outlines, knots: Floats, radius: float) -> Floats:
    """The knots moved to `radius` from the outlines, but for those that this brings no farther."""
    from footfall.world import corridor_kernels

    moved = knots.copy()
    corridor_kernels.push_clear(moved, radius, True, *outlines.grid)
    worse = outlines.clearances(moved) < np.minimum(outlines.clearances(knots), radius) - 1e-9
    moved[worse] = knots[worse]
    return moved


def _bend(
    outlines: Outlines, knots: Floats, radius: float, prefer: float, stiff: Floats, stay: float,
    turn_radius: float,
) -> Floats:  # fmt: skip
    """One round: the knots (N, 2) moved sideways to where the rod is at rest."""
    from footfall.world import corridor_kernels, corridor_smooth_kernels

    along = np.gradient(knots, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    normals = np.ascontiguousarray(np.stack([-along[:, 1], along[:, 0]], axis=1))
    farthest = max(prefer + 0.6, 1.5 * turn_radius)
    reach = np.empty((len(knots), 2))
    corridor_kernels.reach_sideways(
        knots, normals, radius + _MARGIN, farthest, *outlines.grid, reach
    )
    hard = np.stack([-reach[:, 1], reach[:, 0]], axis=1)
    room = np.minimum(prefer, 0.5 * (reach[:, 0] + reach[:, 1]))
    open_side = reach >= farthest - 1e-9
    soft = np.stack(
        [
            np.where(open_side[:, 1], -1e9, hard[:, 0] + room),
            np.where(open_side[:, 0], 1e9, hard[:, 1] - room),
        ],
        axis=1,
    )
    spacing = float(np.linalg.norm(np.diff(knots, axis=0), axis=1).mean())
    offsets = np.empty(len(knots))
    corridor_smooth_kernels.bend_sideways(
        knots, normals, stiff, stay, hard, soft, _WALL_STIFFNESS, max(spacing, 1e-6), offsets
    )
    return knots + offsets[:, None] * normals


def _stiffer(knots: Floats, stiff: Floats, limit: float) -> Floats:
    """Stiffness raised about the knots where the path turns tighter than `limit` (1/m)."""
    from scipy.ndimage import gaussian_filter1d, maximum_filter1d

    steps = np.diff(knots, axis=0)
    heading = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    size = np.linalg.norm(steps, axis=1)
    curvature = np.zeros(len(knots))
    curvature[1:-1] = np.abs(np.diff(heading)) / np.maximum(0.5 * (size[1:] + size[:-1]), 1e-9)
    excess = np.clip(curvature / limit, 0.0, 4.0)
    spread = max(1, int(0.5 / limit / max(float(size.mean()), 1e-6)))
    factor = np.maximum(1.0, maximum_filter1d(excess, 2 * spread + 1)) ** 2
    return np.asarray(stiff * gaussian_filter1d(factor, max(1.0, spread / 2)))
