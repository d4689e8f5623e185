"""Slow, independent answers to compare the kernels with."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog, minimize_scalar


def box_rows(centre, frame, half):
    """A x <= b for the points of an oriented box."""
    axes = frame.T
    return np.concatenate([axes, -axes]), np.concatenate(
        [half + axes @ centre, half - axes @ centre]
    )


def convex_sets_meet(first, second) -> bool:
    """Whether two polytopes A x <= b share a point, by linear programming."""
    a, b = np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1]])
    return linprog(np.zeros(3), a, b, bounds=[(None, None)] * 3).status == 0


def prism_rows(x, z, radius, low, high, sides):
    """A x <= b for a regular prism around a circle of this radius."""
    turn = np.arange(sides) * 2.0 * np.pi / sides
    walls = np.column_stack([np.cos(turn), np.zeros(sides), np.sin(turn)])
    reach = radius + walls @ np.array([x, 0.0, z])
    caps = np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])
    return np.concatenate([walls, caps]), np.concatenate([reach, [high, -low]])


def box_meets_triangle(centre, frame, half, corners) -> bool:
    """Whether a convex combination of the corners lies in the box."""
    a, b = box_rows(centre, frame, half)
    found = linprog(np.zeros(3), a @ corners.T, b, np.ones((1, 3)), [1.0], bounds=[(0, 1)] * 3)
    return found.status == 0


def first_fraction(a, b, start, end) -> float:
    """The least t in [0, 1] for which start + t (end - start) has A x <= b; infinite for none."""
    found = linprog([1.0], (a @ (end - start))[:, None], b - a @ start, bounds=[(0, 1)])
    return float(found.x[0]) if found.status == 0 else np.inf


def triangle_fraction(corners, start, end) -> float:
    """Where a segment meets a triangle: start + t d = sum w_i corner_i."""
    equal = np.column_stack([end - start, -corners.T])
    equal = np.concatenate([equal, [[0.0, 1.0, 1.0, 1.0]]])
    right = np.concatenate([-start, [1.0]])
    found = linprog([1.0, 0, 0, 0], A_eq=equal, b_eq=right, bounds=[(0, 1)] * 4)
    return float(found.x[0]) if found.status == 0 else np.inf


def point_box(points, centre, frame, half):
    """Signed distances of points (N, 3)."""
    local = np.abs((points - centre) @ frame) - half
    inside = np.minimum(local.max(axis=1), 0.0)
    return np.linalg.norm(np.maximum(local, 0.0), axis=1) + inside


def point_cylinder(points, centre, radius, half_height):
    """Signed distances of points (N, 3)."""
    local = np.stack(
        [
            np.hypot(*(points - centre)[:, [0, 2]].T) - radius,
            np.abs((points - centre)[:, 1]) - half_height,
        ],
        axis=1,
    )
    return np.linalg.norm(np.maximum(local, 0.0), axis=1) + np.minimum(local.max(axis=1), 0.0)


def point_triangles(points, corners):
    """Distances of points (N, 3) from the nearest of triangles (F, 3, 3)."""
    from trimesh.triangles import closest_point

    best = np.full(len(points), np.inf)
    for triangle in corners:
        near = closest_point(np.broadcast_to(triangle, (len(points), 3, 3)), points)
        best = np.minimum(best, np.linalg.norm(near - points, axis=1))
    return best


def winding(points, corners):
    """Winding numbers of points (N, 3) by solid angles (van Oosterom and Strackee)."""
    total = np.zeros(len(points))
    for triangle in corners:
        a, b, c = (triangle[k] - points for k in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        top = np.einsum("ni,ni->n", a, np.cross(b, c))
        under = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
        total += 2.0 * np.arctan2(top, under)
    return total / (4.0 * np.pi)


def least_along(distance, start, end) -> float:
    """The least of a convex distance of points along a segment."""

    def at(t):
        return float(distance((start + t * (end - start))[None])[0])

    found = minimize_scalar(at, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-12})
    return min(at(0.0), at(1.0), float(found.fun))
