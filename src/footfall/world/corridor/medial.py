"""The medial axis of free space with its clearance: the corridor map's graph.

The outlines are sampled; the circle through the three samples of a Delaunay triangle is empty,
so its centre is a point of the axis, and triangles that share an edge are joined. Clearances are
exact distances to the outlines, not to the samples (Geraerts & Overmars 2007 take samples).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.world.corridor.build import Outlines

_FINEST, _ABOUT_SAMPLES = 0.1, 6000
_STRAIGHT = 1.25
"""A branch between two samples that this times their distance of outline joins leads nowhere."""


@dataclass(frozen=True, eq=False)
class MedialAxis:
    """Graph of the points that are equally far from two obstacles or more.

    nodes (N, 2): x, z in metres; clearances (N,): metres to the nearest obstacle; edges (E, 2):
    node indices.
    """

    nodes: Floats
    clearances: Floats
    edges: Ints


@dataclass(frozen=True, eq=False)
class Samples:
    """Points (M, 2) on the outlines and their Delaunay triangles (T, 3).

    ring (M,) and along (M,): which outline, and how many metres along it; around (M,): how long
    that outline is.
    """

    points: Floats
    ring: Ints
    along: Floats
    around: Floats
    triangles: Ints


def sample_spacing(outlines: Outlines) -> float:
    """Metres between samples: finer for small scenes, in powers of two."""
    ends = outlines.segments
    around = float(np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1]).sum())
    return float(_FINEST * 2.0 ** np.ceil(np.log2(max(1.0, around / _ABOUT_SAMPLES / _FINEST))))


def sample(outlines: Outlines, spacing: float) -> Samples:
    """Samples on the outlines at most `spacing` metres apart: ends of edges and points between."""
    ends = outlines.segments
    step = ends[:, 2:] - ends[:, :2]
    size = np.hypot(step[:, 0], step[:, 1])
    offset = np.cumsum(size) - size
    first = np.concatenate([[True], np.diff(outlines.rings) != 0])
    offset = offset - offset[first][outlines.rings]
    around = np.bincount(outlines.rings, size)[outlines.rings]
    count = np.maximum(1, np.ceil(size / spacing - 1e-9)).astype(np.int64)
    edge = np.repeat(np.arange(len(ends)), count)
    part = (np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)) / count[edge]
    points = ends[edge, :2] + part[:, None] * step[edge]
    along = offset[edge] + np.hypot(*(points - ends[edge, :2]).T)
    _, once = np.unique(np.round(points, 7), axis=0, return_index=True)
    return Samples(
        points[once], outlines.rings[edge[once]], along[once],
        around[edge[once]].astype(np.float64), _delaunay(points[once]),
    )  # fmt: skip


def _delaunay(points: Floats) -> Ints:
    from scipy.spatial import Delaunay

    return np.asarray(Delaunay(points - points.mean(axis=0)).simplices, dtype=np.int32)


def circles(points: Floats, triangles: Ints) -> tuple[Floats, Floats]:
    """Centres (T, 2) and radii (T,) of the circles through triangles; far away for flat ones."""
    a, b, c = points[triangles].transpose(1, 0, 2)
    u, v = b - a, c - a
    area = 2.0 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
    area = np.where(np.abs(area) < 1e-12, 1e-12, area)
    uu, vv = (u * u).sum(axis=1), (v * v).sum(axis=1)
    x = (v[:, 1] * uu - u[:, 1] * vv) / area
    z = (u[:, 0] * vv - v[:, 0] * uu) / area
    return a + np.stack([x, z], axis=1), np.hypot(x, z)


def medial_axis(outlines: Outlines) -> MedialAxis:
    """Return the graph of the circle centres in free space, without branches that lead nowhere."""
    samples = sample(outlines, sample_spacing(outlines))
    centres, _ = circles(samples.points, samples.triangles)
    low, high = outlines.segments[:, :2].min(axis=0), outlines.segments[:, :2].max(axis=0)
    inside = np.nonzero(((centres > low) & (centres < high)).all(axis=1))[0]
    clearance = np.full(len(centres), -1.0)
    clearance[inside] = outlines.clearances(centres[inside])
    joined = _joined(samples, clearance > 0.0)
    _, index, back = np.unique(
        np.round(centres[joined.ravel()], 6), axis=0, return_index=True, return_inverse=True
    )
    chosen = joined.ravel()[index]
    pairs = np.sort(back.reshape(-1, 2), axis=1)
    apart = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    edges: Ints = apart.astype(np.int32).reshape(-1, 2)
    nodes, room = centres[chosen], clearance[chosen]
    ends = nodes[edges].reshape(-1, 4)
    least = outlines.stretch_clearances(ends, room[edges].min(axis=1, initial=1e9) + 1e-9)
    return _compact(nodes, room, edges[least > 1e-9])


def _joined(samples: Samples, free: Any) -> Ints:
    """Pairs (E, 2) of free triangles that share an edge whose samples face each other."""
    triangles = np.nonzero(free)[0]
    corners = samples.triangles[triangles]
    sides = np.sort(corners[:, [[0, 1], [1, 2], [2, 0]]], axis=2).reshape(-1, 2)
    owner = np.repeat(triangles, 3)
    order = np.lexsort((sides[:, 1], sides[:, 0]))
    sides, owner = sides[order], owner[order]
    same = np.nonzero((sides[1:] == sides[:-1]).all(axis=1))[0]
    a, b = sides[same].T
    apart = np.linalg.norm(samples.points[a] - samples.points[b], axis=1)
    outline = np.abs(samples.along[a] - samples.along[b])
    outline = np.minimum(outline, samples.around[a] - outline)
    nowhere = (samples.ring[a] == samples.ring[b]) & (outline <= _STRAIGHT * apart + 1e-9)
    pairs: Ints = np.stack([owner[same], owner[same + 1]], axis=1)[~nowhere].astype(np.int32)
    return pairs


def _compact(nodes: Floats, room: Floats, edges: Ints) -> MedialAxis:
    """Return the axis with only the nodes that its edges use, read-only."""
    used, back = np.unique(edges, return_inverse=True)
    arrays = nodes[used], room[used], back.reshape(-1, 2).astype(np.int32)
    for array in arrays:
        array.setflags(write=False)
    return MedialAxis(*arrays)
