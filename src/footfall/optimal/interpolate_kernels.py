"""Compiled interpolation of two segments of one contact phase. Import lazily: it brings in numba.

Frames of segments are rows of numbers, mixed pose by pose (`blend_kernels`). `known` is an
`interpolate.SegmentRows`, `work` an `interpolate.BlendWork`.
"""

from __future__ import annotations

import math

from footfall.gait.signatures import FEET, LEFT_FOOT, RIGHT_FOOT, SEAT
from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.maths.vector_kernels import about, multiply, put, quaternion, smooth
from footfall.optimal.blend_kernels import (
    AIR,
    FRAME,
    MASS,
    SOLE,
    WORLD,
    blend,
    centre_of_mass,
    compose,
    heading,
    mix,
    pose_body,
    relative,
    row_anchor,
    sample,
    triple,
)

ORIGIN = (0.0, 0.0, 0.0)


@inner_kernel
def _placing(u, bit, edge):  # type: ignore[no-untyped-def]
    """How much a part is placed at share `u` of a segment: all where it touches, or has or will."""
    if edge.touching & bit:
        return 1.0
    share = 0.0
    if edge.around_start & bit:
        share = 1.0 - smooth(2.0 * u)
    if edge.around_end & bit:
        share = max(share, smooth(2.0 * u - 1.0))
    return share


@inner_kernel
def anchor_of_row(row, touching, body):  # type: ignore[no-untyped-def]
    """What stays where it is along a segment, in the segment's frame."""
    feet = touching & FEET
    if feet == FEET:
        return triple(row, FRAME)
    return row_anchor(row, 0 if feet == LEFT_FOOT else 1 if feet == RIGHT_FOOT else -1, body)


@inner_kernel
def _anchor_of_pose(touching, root, work):  # type: ignore[no-untyped-def]
    """The same of an interpolated pose, in its feet frame."""
    feet = touching & FEET
    if feet == FEET:
        return ORIGIN
    if feet:
        sole = work.feet[0 if feet == LEFT_FOOT else 1]
        return (sole[SOLE], sole[SOLE + 2], sole[SOLE + 3])
    return (root[0], root[2], heading(quaternion(work.local[0], 0)))


@inner_kernel
def flown(row, start):  # type: ignore[no-untyped-def]
    """How far a centre of mass has flown since `start`, and turned, in the feet frame of then."""
    there = (row[WORLD], row[WORLD + 2], row[FRAME + 2])
    way = relative((start[WORLD], start[WORLD + 2], start[FRAME + 2]), there)
    return (way[0], row[WORLD + 1] - start[WORLD + 1], way[1], way[2])


@inner_kernel
def _fly(base, k, w, root, body, work):  # type: ignore[no-untyped-def]
    """Where the feet frame of a flying pose is, and how much higher its root has to be.

    base  where the feet frame was at the start;  k  which of the samples the pose is made of
    """
    pose_body(root, body, work)
    here = centre_of_mass(ORIGIN, (0.0, 0.0, 0.0, 0.0), body, work)
    a, b = work.samples[0], work.samples[1]
    start = mix(triple(a[0], MASS), triple(b[0], MASS), w)
    one, other = flown(a[k], a[0]), flown(b[k], b[0])
    way = mix(one, other, w)
    turned = base[2] + w * one[3] + (1.0 - w) * other[3]
    goal = compose(base, (start[0] + way[0], start[2] + way[2], turned - base[2]))
    return compose(goal, (-here[0], -here[2], 0.0)), start[1] + way[1] - here[1]


@lean_kernel
def fill_segment(known, a, b, w, shares, count, work, roots, rotations):  # type: ignore[no-untyped-def]
    """Write the frames at `shares` (K,) of the segment between two, in the frame of its start.

    a, b   edges;  w  the share of the first;  count  how many of the shares are wanted
    roots  (K, 3), rotations (K, J, 4) filled
    `work.samples` is filled with both segments at the start, and then at each share.
    """
    one, other, body = known.edges[a], known.edges[b], known.body
    touching, local = one.touching, work.local[0]
    flies = (touching & (FEET | SEAT)) == 0
    base = here = from_a = from_b = ORIGIN
    for k in range(count + 1):
        u = shares[k - 1] if k > 0 else 0.0
        row_a, row_b = work.samples[0, k], work.samples[1, k]
        sample(known.rows, known.slopes, one.first, one.count, u, row_a)
        sample(known.rows, known.slopes, other.first, other.count, u, row_b)
        placed = (
            _placing(u, LEFT_FOOT, one), _placing(u, RIGHT_FOOT, one), _placing(u, SEAT, one),
            _placing(u, AIR, one),
        )  # fmt: skip
        root = blend(row_a, row_b, w, placed, body, work)
        at_a, at_b = anchor_of_row(row_a, touching, body), anchor_of_row(row_b, touching, body)
        own = _anchor_of_pose(touching, root, work)
        if k == 0:
            base = relative((root[0], root[2], heading(quaternion(local, 0))), ORIGIN)
            here, from_a, from_b = compose(base, own), at_a, at_b
            continue
        lift = 0.0
        if flies:
            pose, lift = _fly(base, k, w, root, body, work)
        else:
            drift = mix(relative(from_a, at_a), relative(from_b, at_b), w)
            pose = compose(compose(here, drift), relative(own, ORIGIN))
        c, s = math.cos(pose[2]), math.sin(pose[2])
        put(
            roots, k - 1,
            (pose[0] + c * root[0] + s * root[2], root[1] + lift,
             pose[1] + c * root[2] - s * root[0]),
        )  # fmt: skip
        turn = multiply(about((0.0, 1.0, 0.0), pose[2]), quaternion(local, 0))
        put(rotations[k - 1], 0, turn)
        for j in range(1, local.shape[0]):
            put(rotations[k - 1], j, quaternion(local, j))
