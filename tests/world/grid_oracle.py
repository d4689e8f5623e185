"""Random scenes and two solvers that share nothing with the corridor map, used only in tests."""

from __future__ import annotations

import numpy as np
import shapely
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from shapely import Polygon, affinity, box

SIDE = 8.0
_MOVES = [(1, 0), (0, 1), (1, 1), (1, -1), (2, 1), (1, 2), (2, -1), (1, -2)]


def random_scene(seed: int) -> tuple[Polygon, shapely.Geometry]:
    """Bounds and obstacles: boxes, turned boxes, discs, thin walls, or a maze with narrow doors."""
    rng = np.random.default_rng(seed)
    bounds = box(0, 0, SIDE, SIDE)
    if rng.random() < 0.25:
        bounds = Polygon([(0, 0), (SIDE, 0), (SIDE, SIDE), (3, SIDE), (3, 5), (0, 5)])
    shapes = _maze(rng) if rng.random() < 0.3 else []
    for _ in range(rng.integers(0, 14)):
        shapes.append(_shape(rng))
    return bounds, shapely.unary_union(shapes) if shapes else Polygon()


def _shape(rng: np.random.Generator) -> Polygon:
    x, z = rng.uniform(0, SIDE, 2)
    kind = rng.integers(0, 5)
    if kind == 0:
        w, h = rng.uniform(0.2, 2.0, 2)
        return box(x - w / 2, z - h / 2, x + w / 2, z + h / 2)
    if kind == 1:
        w, h = rng.uniform(0.2, 2.0, 2)
        return affinity.rotate(box(x - w / 2, z - h / 2, x + w / 2, z + h / 2), rng.uniform(0, 90))
    if kind == 2:
        return shapely.Point(x, z).buffer(rng.uniform(0.05, 0.9), quad_segs=int(rng.integers(2, 9)))
    if kind == 3:
        wall = box(x - 2.0, z - 0.02, x + 2.0, z + 0.02)
        return affinity.rotate(wall, rng.choice([0.0, 90.0, rng.uniform(0, 180)]))
    points = rng.uniform(-1, 1, (3, 2)) + np.array([x, z])
    return Polygon(points) if Polygon(points).area > 0.02 else box(x, z, x + 0.3, z + 0.3)


def _maze(rng: np.random.Generator) -> list[Polygon]:
    walls = []
    for k in range(1, int(rng.integers(2, 5))):
        at, thick = 1.7 * k, rng.uniform(0.05, 0.3)
        door, width = rng.uniform(0.2, SIDE - 1.2), rng.uniform(0.3, 1.0)
        walls += [box(at, -1, at + thick, door), box(at, door + width, at + thick, SIDE + 1)]
    return (
        [affinity.rotate(w, 90, origin=(SIDE / 2, SIDE / 2)) for w in walls]
        if (rng.random() < 0.5)
        else walls
    )


def room_for(bounds: Polygon, blocked: shapely.Geometry, radius: float) -> shapely.Geometry:
    """Where the centre of a disc may be; arcs are cut by less than 1e-3 of the radius."""
    return bounds.difference(blocked).buffer(-radius, quad_segs=32)


def connected(room: shapely.Geometry, start: np.ndarray, goal: np.ndarray) -> bool:
    """Whether start and goal lie in one part of the room."""
    return any(
        part.intersects(shapely.Point(start)) and part.intersects(shapely.Point(goal))
        for part in shapely.get_parts(room)
    )


def grid_length(
    room: shapely.Geometry, start: np.ndarray, goal: np.ndarray, cell: float = 0.125
) -> float:
    """Length of a short way in the room: Dijkstra on a 16-connected grid, then straightened."""
    low_x, low_z, high_x, high_z = room.bounds
    xs, zs = np.arange(low_x, high_x + cell, cell), np.arange(low_z, high_z + cell, cell)
    grid = np.stack(np.meshgrid(xs, zs, indexing="ij"), axis=-1)
    shapely.prepare(room)
    free = shapely.contains_xy(room, grid[..., 0], grid[..., 1])
    number = np.arange(free.size).reshape(free.shape)
    tails, heads = [], []
    for i, j in _MOVES:
        a = number[: free.shape[0] - i, max(0, -j) : free.shape[1] - max(0, j)]
        b = number[i:, max(0, j) : free.shape[1] + min(0, j)]
        both = free.ravel()[a] & free.ravel()[b]
        tails.append(a[both])
        heads.append(b[both])
    points = np.concatenate([grid.reshape(-1, 2), [start, goal]])
    tail, head = np.concatenate(tails), np.concatenate(heads)
    for end in (len(points) - 2, len(points) - 1):
        near = np.nonzero(
            free.ravel() & (np.abs(points[:-2] - points[end]).max(axis=1) < 2.5 * cell)
        )[0]
        tail, head = np.append(tail, np.full(len(near), end)), np.append(head, near)
    lines = points[np.stack([tail, head], axis=1)]
    risky = ~_far_from_edges(room, points, cell)[tail]
    keep = np.ones(len(tail), bool)
    keep[risky] = shapely.covers(room, shapely.linestrings(lines[risky]))
    length = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    graph = csr_array((length[keep], (tail[keep], head[keep])), shape=(len(points),) * 2)
    far, before = dijkstra(graph, False, len(points) - 2, return_predecessors=True)
    if not np.isfinite(far[-1]):
        return np.inf
    route = [len(points) - 1]
    while route[-1] != len(points) - 2:
        route.append(before[route[-1]])
    return _straightened(room, points[route])


def _far_from_edges(room: shapely.Geometry, points: np.ndarray, cell: float) -> np.ndarray:
    inner = room.buffer(-2.4 * cell, quad_segs=2)
    return shapely.contains_xy(inner, points[:, 0], points[:, 1])


def _straightened(room: shapely.Geometry, route: np.ndarray) -> float:
    """Length of the route with every cut from each kept point to the farthest one in sight."""
    total, at = 0.0, 0
    while at < len(route) - 1:
        ahead = np.arange(at + 1, len(route))
        pairs = np.stack([np.repeat(route[at][None], len(ahead), axis=0), route[ahead]], axis=1)
        seen = shapely.covers(room, shapely.linestrings(pairs))
        after = int(ahead[np.nonzero(seen)[0][-1]]) if seen.any() else at + 1
        total += float(np.linalg.norm(route[after] - route[at]))
        at = after
    return total


def exact_length(
    bounds: Polygon, blocked: shapely.Geometry, radius: float, start: np.ndarray, goal: np.ndarray
) -> float:
    """Length of the shortest way by the visibility graph of the room's corners, arcs included."""
    room = bounds.difference(blocked).buffer(-radius, quad_segs=10)
    inner = room.buffer(1e-7, join_style="mitre")
    shapely.prepare(inner)
    corners = [start, goal]
    for ring in shapely.get_rings(shapely.get_parts(room)):
        ring_points = shapely.get_coordinates(shapely.normalize(ring))[:-1]
        ring_points = (
            ring_points if _clockwise(ring_points) == _is_hole(ring, room) else ring_points[::-1]
        )
        before, after = np.roll(ring_points, 1, axis=0), np.roll(ring_points, -1, axis=0)
        u, v = ring_points - before, after - ring_points
        corners += list(ring_points[u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] < 1e-12])
    points = np.array(corners)
    a, b = np.triu_indices(len(points), 1)
    seen = shapely.covers(inner, shapely.linestrings(np.stack([points[a], points[b]], axis=1)))
    a, b = a[seen], b[seen]
    length = np.maximum(np.linalg.norm(points[a] - points[b], axis=1), 1e-12)
    graph = csr_array((length, (a, b)), shape=(len(points),) * 2)
    return float(dijkstra(graph, False, 0)[1])


def _clockwise(ring: np.ndarray) -> bool:
    x, z = ring.T
    return bool((x * np.roll(z, -1) - np.roll(x, -1) * z).sum() < 0)


def _is_hole(ring: shapely.Geometry, room: shapely.Geometry) -> bool:
    return not any(ring.equals(p.exterior) for p in shapely.get_parts(room))
