"""A path along a rough sketch: what was drawn, led around what it ran into, and smooth."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Floats
from footfall.search.shortest_path import Flag
from footfall.world.corridor.build import Outlines
from footfall.world.corridor.query import (
    CorridorPath,
    Wishes,
    answer,
    blocked_end,
    free_runs,
    nothing,
    path_along,
)  # fmt: skip
from footfall.world.corridor.smooth import Elastic, even_points, smooth
from footfall.world.corridor.tangent_graph import TangentGraph

if TYPE_CHECKING:
    from shapely import MultiPolygon, Polygon

_STEP = 0.05
_MOST_POINTS = 200_000
_GENTLE = 0.5
"""The turning radius (m) that drawn corners are rounded to, where it can be had."""
_AS_DRAWN = Elastic(tension=0.02, stay=1.0)


def follow_sketch(
    tangents: TangentGraph,
    free: Polygon | MultiPolygon,
    sketch: Floats,
    wishes: Wishes,
    cancel: Flag | None = None,
) -> CorridorPath:
    """Return the path along a sketch (P, 2), its ends moved into free space."""
    outlines = tangents.outlines
    if len(sketch) < 2:
        raise InputError(f"the sketch has {len(sketch)} points", remedy="it needs two at least")
    drawn_m = float(np.linalg.norm(np.diff(sketch, axis=0), axis=1).sum())
    if drawn_m < 1e-6 or drawn_m > _STEP * _MOST_POINTS:
        raise InputError(
            f"the sketch is {drawn_m:g} m long", remedy=f"draw up to {_STEP * _MOST_POINTS:g} m"
        )
    points = even_points(sketch, _STEP)
    points[0], points[-1] = (
        _pulled_free(outlines, p, wishes.radius) for p in (points[0], points[-1])
    )
    refusal = blocked_end(outlines, points[[0, -1]], wishes.radius)
    if refusal is not None:
        return refusal
    direct = tangents.shortest(points[0], points[-1], wishes.radius, cancel)
    if direct is None:
        return nothing("no path", "the sketch leads where no passage is wide enough for the body")
    route = _around_obstacles(tangents, free, points, wishes.radius, cancel)
    if route is not None:
        curve = smooth(
            outlines, _smooth_sketch(outlines, route, wishes.radius), wishes.radius,
            prefer=wishes.prefer, turn_radius=wishes.turn_radius or _GENTLE, step=wishes.step,
            elastic=_AS_DRAWN,
        )  # fmt: skip
        if curve is not None:
            shortest = float(direct.ends[-1])
            if wishes.turn_radius is None or curve.turn_radius_m >= wishes.turn_radius * 0.999999:
                return answer(outlines, curve, shortest)
            return answer(
                outlines, curve, shortest, "too tight to turn",
                f"the widest turns found along the sketch have a radius of "
                f"{curve.turn_radius_m:.3f} m, {wishes.turn_radius:g} m was asked for",
            )  # fmt: skip
    return path_along(outlines, direct, wishes, lambda: None)


def _pulled_free(outlines: Outlines, point: Floats, radius: float) -> Floats:
    """Return the point moved off the nearest outline until `radius` clear, if possible."""
    point = np.array(point)
    for _ in range(8):
        clearance, edge = outlines.nearest(point[None])
        if clearance[0] >= radius:
            break
        a, b = outlines.segments[edge[0], :2], outlines.segments[edge[0], 2:]
        t = np.clip((point - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        foot = a + t * (b - a)
        away = (point - foot) / clearance[0] if abs(clearance[0]) > 1e-9 else _left(b - a)
        point = foot + away * radius * (1.0 + 1e-9)
    return point


def _left(along: Floats) -> Floats:
    return np.asarray(np.array([-along[1], along[0]]) / np.linalg.norm(along))


def _around_obstacles(
    tangents: TangentGraph,
    free: Polygon | MultiPolygon,
    points: Floats,
    radius: float,
    cancel: Flag | None,
) -> Floats | None:
    """Return the points (N, 2) with what is not clear replaced by the shortest detour: (M, 2)."""
    runs = free_runs(tangents.outlines.clearances(points) >= radius - 1e-9)
    route, first = [], runs[0][0]
    for (_, leave), (enter, end) in itertools.pairwise(runs):
        leave, enter = int(leave), int(enter)
        best = None
        # begin the detour earlier and end it later, while it passes all on the same side:
        # so it does not run up to a wall and along it
        for back in (0, 10, 20, 40, 60):
            a, b = max(int(first), leave - back), min(int(end), enter + back)
            detour = tangents.shortest(points[a], points[b], radius, cancel)
            if detour is None:
                return None
            around = detour.every(_STEP).points
            if best is not None:
                old = np.concatenate([points[a : best[0]], best[2], points[best[1] + 1 : b + 1]])
                if not _same_side(free, old, around):
                    break
            best = (a, b, around)
        assert best is not None
        route += [points[first : best[0]], best[2]]
        first = best[1] + 1
    route.append(points[first:])
    return np.concatenate(route)


def _same_side(free: Polygon | MultiPolygon, old: Floats, new: Floats) -> bool:
    """Return whether no obstacle lies between two routes with the same ends."""
    import shapely

    ring = shapely.linearrings(np.concatenate([old, new[::-1]]))
    between = shapely.make_valid(shapely.Polygon(ring))
    return bool(shapely.area(shapely.difference(between, free)) < 1e-9)


def _smooth_sketch(outlines: Outlines, route: Floats, radius: float) -> Floats:
    """Return the route (N, 2) without the shake of the hand, every point still clear."""
    step = min(0.1, radius / 3.0)
    points = even_points(route, step)
    # each round spreads a point over half a square step: together over about a third of a metre
    for _ in range(int(np.clip(0.2 / step**2, 10, 200))):
        points[1:-1] += 0.5 * (0.5 * (points[2:] + points[:-2]) - points[1:-1])
        points = outlines.push_clear(points, radius + 0.005)
    return points
