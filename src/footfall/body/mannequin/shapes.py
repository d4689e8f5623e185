"""Closed surfaces from which the mannequin is put together: lofts and balls.

A loft is a stack of rounded rings along an axis `w`, closed by a point at either end. Its
tables are written in a local right-handed frame (u, v, w) and carried into the world by
`Frame`. All surfaces are watertight and wound counter-clockwise seen from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Bools, Floats, Ints

BODY, JOINT = 0, 1
"""Material indices: the light shells, and the darker joints between them."""


@dataclass(frozen=True, eq=False)
class Part:
    """A closed surface, and the joints it moves with.

    vertices (n, 3) metres; triangles (m, 3); material: BODY or JOINT, of all or of each (m,);
    joints: k joint indices; weights (n, k), each row sums to 1
    """

    vertices: Floats
    triangles: Ints
    material: int | Ints
    joints: tuple[int, ...] = ()
    weights: Floats | None = None

    def bound(self, joints: Sequence[int], weights: Floats) -> Part:
        """The same surface bound to `joints` by `weights` (n, k)."""
        return replace(self, joints=tuple(joints), weights=weights)

    def rigid(self, joint: int) -> Part:
        """The same surface moving with one joint."""
        return self.bound((joint,), np.ones((len(self.vertices), 1)))

    def darkened(self, quads: Bools) -> Part:
        """The same loft with joint material where `quads` (rings - 1, segments) says."""
        tips = np.zeros(2 * quads.shape[1], np.int32)
        sheet = np.where(quads, JOINT, BODY).reshape(-1).astype(np.int32)
        return replace(self, material=np.concatenate([sheet, sheet, tips]))

    def mirrored(self) -> Part:
        """The surface seen in a mirror (x to -x), wound outward again."""
        return replace(
            self,
            vertices=self.vertices * np.array([-1.0, 1.0, 1.0]),
            triangles=np.ascontiguousarray(self.triangles[:, ::-1]),
        )


@dataclass(frozen=True, eq=False)
class Frame:
    """A place and three axes: rows of `axes` (3, 3) are u, v, w in world coordinates."""

    origin: Floats
    axes: Floats

    def place(self, local: Floats) -> Floats:
        """Points (n, 3) of this frame, in the world."""
        return np.asarray(self.origin + local @ self.axes)


def bone_frame(start: Floats, direction: Floats) -> Frame:
    """The frame of a limb that runs along `direction`: v as near to the front (+z) as can be.

    For a left leg (down) and a left arm (to the left), u then points to the outer side: away
    from the body for the leg, up for the arm, which is outside once the arm hangs down.
    """
    axis = unit(direction, np.array([0.0, -1.0, 0.0]))
    front = np.array([0.0, 0.0, 1.0])
    if abs(axis[2]) > 0.9:
        front = np.array([0.0, 1.0, 0.0])
    front = unit(front - axis * (front @ axis), front)
    return Frame(np.asarray(start), np.stack([np.cross(front, axis), front, axis]))


def unit(vector: Floats, otherwise: Floats) -> Floats:
    """`vector` at length 1, or `otherwise` if it has no direction."""
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length if length > 1e-9 else otherwise)


def smooth_rows(rows: Floats, count: int) -> Floats:
    """(count, c) rows read off a smooth curve through the given ones (n, c), evenly by row.

    Piecewise cubic with harmonic-mean slopes: it never swings beyond the rows it joins.
    """
    steps = np.diff(rows, axis=0)
    before, after = steps[:-1], steps[1:]
    product = before * after
    total = before + after
    inner = np.where(product > 0.0, 2.0 * product / np.where(total == 0.0, 1.0, total), 0.0)
    slopes = np.concatenate([steps[:1], inner, steps[-1:]])
    place = np.linspace(0.0, len(rows) - 1.0, count)
    first = np.minimum(place.astype(np.int64), len(rows) - 2)
    x = (place - first)[:, None]
    return np.asarray(
        rows[first] * (1.0 + 2.0 * x) * (1.0 - x) ** 2
        + rows[first + 1] * x * x * (3.0 - 2.0 * x)
        + slopes[first] * x * (1.0 - x) ** 2
        + slopes[first + 1] * x * x * (x - 1.0)
    )


@lru_cache(maxsize=64)
def _directions(segments: int, crowd: float) -> tuple[Floats, Floats]:
    """cos and sin of `segments` angles, mirror images of each other to the last bit.

    They are even for `crowd` 0 and stand the closer towards +u the nearer it is to 1.
    """
    angle = 2.0 * np.pi * np.arange(segments) / segments
    angle = angle - crowd * np.sin(angle)
    cos, sin = np.cos(angle), np.sin(angle)
    back = (segments - np.arange(segments)) % segments
    return 0.5 * (cos + cos[back]), 0.5 * (sin - sin[back])


@lru_cache(maxsize=64)
def _loft_triangles(rings: int, segments: int) -> Ints:
    """Triangles of a loft: ring r, segment s is vertex r * segments + s, then the two poles."""
    ring = np.arange(segments)
    after = (ring + 1) % segments
    low = (np.arange(rings - 1) * segments)[:, None]
    a, b, c, d = low + ring, low + after, low + segments + after, low + segments + ring
    # The diagonal alternates in mirror images, so that left and right are triangulated alike.
    flip = (ring >= segments // 2)[None, :]
    one = np.where(flip[..., None], np.stack([a, b, d], -1), np.stack([a, b, c], -1))
    two = np.where(flip[..., None], np.stack([b, c, d], -1), np.stack([a, c, d], -1))
    start, end, last = rings * segments, rings * segments + 1, (rings - 1) * segments
    bottom = np.stack([np.full(segments, start), after, ring], -1)
    top = np.stack([np.full(segments, end), last + ring, last + after], -1)
    return np.concatenate([one.reshape(-1, 3), two.reshape(-1, 3), bottom, top]).astype(np.int32)


def ring_points(
    stations: Floats, radii: Floats, segments: int, power: Floats | float = 2.0, crowd: float = 0.0
) -> Floats:
    """(rings, segments, 3) points of rounded rings around the w axis.

    stations (rings,) along w; radii (rings, 4) towards +u, -u, +v, -v; power: 2 is an ellipse,
    more is squarer; crowd: from 0 (points spread evenly) towards 1 (crowded towards +u).
    """
    cos, sin = _directions(segments, crowd)
    n = np.broadcast_to(np.asarray(power, dtype=np.float64), stations.shape)[:, None]
    size = (np.abs(cos) ** n + np.abs(sin) ** n) ** (-1.0 / n)
    u = np.where(cos >= 0.0, radii[:, 0:1], radii[:, 1:2]) * cos * size
    v = np.where(sin >= 0.0, radii[:, 2:3], radii[:, 3:4]) * sin * size
    return np.stack([u, v, np.broadcast_to(stations[:, None], u.shape)], axis=-1)


def close_rings(rings: Floats, frame: Frame, material: int, bulge: float = 0.0) -> Part:
    """The loft over `rings` (r, s, 3), its ends closed by points `bulge` of a ring beyond them."""
    count, segments = rings.shape[:2]
    centres = rings.mean(axis=1)
    ends = np.stack(
        [
            centres[0] + bulge * (centres[0] - centres[1]),
            centres[-1] + bulge * (centres[-1] - centres[-2]),
        ]
    )
    local = np.concatenate([rings.reshape(-1, 3), ends])
    return Part(frame.place(local), _loft_triangles(count, segments), material)


def ball(centre: Floats, radius: float, axis: Floats, segments: int, rings: int) -> Part:
    """A sphere of dark joint material, its poles along `axis`."""
    angle = np.pi * np.arange(1, rings + 1) / (rings + 1)
    across = radius * np.sin(angle)
    stack = ring_points(-radius * np.cos(angle), np.repeat(across[:, None], 4, 1), segments)
    part = close_rings(stack, bone_frame(centre, axis), JOINT)
    vertices = part.vertices.copy()
    pole = unit(axis, np.array([0.0, 1.0, 0.0])) * radius
    vertices[-2], vertices[-1] = centre - pole, centre + pole
    return replace(part, vertices=vertices)


# How the mannequin's surfaces hang on the joints.


def smoothstep(values: Floats, low: Floats | float, high: Floats | float) -> Floats:
    """0 up to `low`, 1 from `high`, smooth in between."""
    x = np.clip((values - low) / np.maximum(np.subtract(high, low), 1e-9), 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))


def chain(skeleton: Skeleton, top: int, bottom: int) -> list[int]:
    """The joints from `top` down to `bottom`, both included; [top] if it is not above it."""
    return skeleton.chain(top, bottom) if skeleton.descends(bottom, top) else [top]


def along(stations: Floats, starts: Sequence[float], reach: float) -> Floats:
    """(n, k) weights of k joints in a row for points at `stations` (n,) along that row.

    Joint i takes over from joint i - 1 at `starts[i]` (the first start is not used), within a
    smooth zone that reaches at most `reach` to either side and never past the middle of a
    bone. Joints that start at the same place fall together: only the last of them counts.
    """
    begin = np.maximum.accumulate(np.asarray(starts, dtype=np.float64))
    weights = np.zeros((len(stations), len(begin)))
    weights[:, 0] = 1.0
    different = np.unique(begin[1:])
    for i in range(1, len(begin)):
        near = np.abs(different - begin[i])
        near = near[near > 1e-9]
        half = min(reach, 0.5 * float(near.min())) if near.size else reach
        taken = smoothstep(stations, begin[i] - half, begin[i] + half)
        weights[:, i] = np.minimum(taken, weights[:, i - 1])
        weights[:, i - 1] -= weights[:, i]
    return weights


def strongest_four(
    parts_joints: Sequence[Sequence[int]], parts_weights: Sequence[Floats]
) -> tuple[Ints, Floats]:
    """(V, 4) joints and weights of all parts in a row, unused places joint 0 with weight 0."""
    all_joints, all_weights = [], []
    for joints, weights in zip(parts_joints, parts_weights, strict=True):
        width = max(4, len(joints))
        padded = np.zeros((len(weights), width))
        padded[:, : len(joints)] = weights
        index = np.zeros(width, dtype=np.int32)
        index[: len(joints)] = joints
        order = np.argsort(-padded, axis=1, kind="stable")[:, :4]
        best = np.take_along_axis(padded, order, axis=1)
        best[best < 1e-4] = 0.0
        all_weights.append(best / best.sum(axis=1, keepdims=True))
        all_joints.append(np.where(best > 0.0, index[order], 0))
    return np.concatenate(all_joints), np.concatenate(all_weights)
