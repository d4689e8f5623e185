"""Compiled interpolation of two segments of one contact phase. Import lazily: it brings in numba.

Frames of segments are rows of numbers, mixed pose by pose (`blend_kernels`).
"""

from __future__ import annotations

import math

import numpy as np

from footfall.gait.signatures import FEET, LEFT_FOOT, RIGHT_FOOT, SEAT
from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.maths.vector_kernels import about, add, multiply, put, quaternion, smooth
from footfall.optimal.blend_kernels import (
    AIR,
    FRAME,
    MASS,
    WORLD,
    blend,
    compose,
    heading,
    inverse,
    mix,
    part_mass,
    pose_joints,
    relative,
    row_seat,
    row_sole,
    sample,
    triple,
)


@inner_kernel
def placing(u, bit, touching, before, after):  # type: ignore[no-untyped-def]
    """How much a part is placed at share `u` of a segment: all where it touches, or has or will.

    touching, before, after  signatures: along the segment, around its beginning and its end
    """
    if touching & bit:
        return 1.0
    share = 0.0
    if before & bit:
        share = 1.0 - smooth(2.0 * u)
    if after & bit:
        share = max(share, smooth(2.0 * u - 1.0))
    return share


@inner_kernel
def anchor_of_row(row, touching, body):  # type: ignore[no-untyped-def]
    """What stays where it is along a segment, in the segment's frame."""
    feet = touching & FEET
    if feet == FEET:
        return triple(row, FRAME)
    if feet == LEFT_FOOT:
        return row_sole(row, 0, body[5][0, 0, 3])
    if feet == RIGHT_FOOT:
        return row_sole(row, 1, body[5][1, 0, 3])
    return row_seat(row)


@inner_kernel
def anchor_of_pose(touching, soles, root, turn):  # type: ignore[no-untyped-def]
    """The same of an interpolated pose, in its feet frame."""
    feet = touching & FEET
    if feet == FEET:
        return (0.0, 0.0, 0.0)
    if feet == LEFT_FOOT:
        return (soles[0, 0], soles[0, 2], soles[0, 3])
    if feet == RIGHT_FOOT:
        return (soles[1, 0], soles[1, 2], soles[1, 3])
    return (root[0], root[2], heading(turn))


@inner_kernel
def flown(row, start):  # type: ignore[no-untyped-def]
    """How far a centre of mass has flown since `start`, and turned, in the feet frame of then."""
    there = (row[WORLD], row[WORLD + 2], row[FRAME + 2])
    way = relative((start[WORLD], start[WORLD + 2], start[FRAME + 2]), there)
    return (way[0], row[WORLD + 1] - start[WORLD + 1], way[1], way[2])


@inner_kernel
def _fly(base, a, b, a0, b0, w, local, root, body, memory, start):  # type: ignore[no-untyped-def]
    """Where the feet frame of a flying pose is, and how much higher its root has to be.

    base   where the feet frame was at the start      start  the centre of mass there, in it
    """
    places, turns = memory[0], memory[1]
    pose_joints(body, root, local, places, turns)
    here = (0.0, 0.0, 0.0)
    for part in range(-1, 2):
        here = add(here, part_mass(part, (0.0, 0.0, 0.0), body, places, turns))
    one, other = flown(a, a0), flown(b, b0)
    way = mix(one, other, w)
    turned = base[2] + w * one[3] + (1.0 - w) * other[3]
    goal = compose(base, (start[0] + way[0], start[2] + way[2], turned - base[2]))
    pose = compose(goal, (-here[0], -here[2], 0.0))
    return pose, start[1] + way[1] - here[1]


@inner_kernel
def _put_pose(k, pose, root, lift, local, out_root, out_rotations):  # type: ignore[no-untyped-def]
    """Write a pose whose feet frame is at `pose` as frame k."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    out_root[k, 0] = pose[0] + c * root[0] + s * root[2]
    out_root[k, 1] = root[1] + lift
    out_root[k, 2] = pose[1] + c * root[2] - s * root[0]
    put(out_rotations[k], 0, multiply(about((0.0, 1.0, 0.0), pose[2]), quaternion(local, 0)))
    for j in range(1, local.shape[0]):
        put(out_rotations[k], j, quaternion(local, j))


@inner_kernel
def fill_segment(  # type: ignore[no-untyped-def]
    rows, slopes, a, b, w, signs, shares, body, memory, scratch, out_root, out_rotations,
):  # fmt: skip
    """Write the frames at `shares` (K,) of the segment between two, in the frame of its start.

    a, b    first row and number of rows of each
    signs   signatures: along the segment, around its beginning, around its end
    scratch rows (4, C), rotations (J, 4) and soles (2, 4) to work in
    """
    four, local, soles = scratch
    row_a, row_b, start_a, start_b = four[0], four[1], four[2], four[3]
    touching, before, after = signs
    sample(rows, slopes, a[0], a[1], 0.0, start_a)
    sample(rows, slopes, b[0], b[1], 0.0, start_b)
    root = blend(
        start_a, start_b, w, placing(0.0, LEFT_FOOT, touching, before, after),
        placing(0.0, RIGHT_FOOT, touching, before, after),
        placing(0.0, SEAT, touching, before, after), placing(0.0, AIR, touching, before, after),
        body, memory, local, soles,
    )  # fmt: skip
    turn = quaternion(local, 0)
    base = inverse((root[0], root[2], heading(turn)))
    flies = (touching & (FEET | SEAT)) == 0
    here = compose(base, anchor_of_pose(touching, soles, root, turn))
    start_mass = mix(triple(start_a, MASS), triple(start_b, MASS), w)
    from_a, from_b = anchor_of_row(start_a, touching, body), anchor_of_row(start_b, touching, body)
    for k in range(len(shares)):
        u = shares[k]
        sample(rows, slopes, a[0], a[1], u, row_a)
        sample(rows, slopes, b[0], b[1], u, row_b)
        root = blend(
            row_a, row_b, w, placing(u, LEFT_FOOT, touching, before, after),
            placing(u, RIGHT_FOOT, touching, before, after),
            placing(u, SEAT, touching, before, after), placing(u, AIR, touching, before, after),
            body, memory, local, soles,
        )  # fmt: skip
        lift = 0.0
        if flies:
            pose, lift = _fly(
                base, row_a, row_b, start_a, start_b, w, local, root, body, memory, start_mass
            )
        else:
            drift = mix(
                relative(from_a, anchor_of_row(row_a, touching, body)),
                relative(from_b, anchor_of_row(row_b, touching, body)), w,
            )  # fmt: skip
            own = anchor_of_pose(touching, soles, root, quaternion(local, 0))
            pose = compose(compose(here, drift), inverse(own))
        _put_pose(k, pose, root, lift, local, out_root, out_rotations)


@kernel
def interpolate_segment(  # type: ignore[no-untyped-def]
    rows, slopes, a, b, w, signs, shares, body, out_root, out_rotations
):
    """Write the frames of one segment between two: see `fill_segment`.

    a, b, signs  (2,), (2,) and (3,) arrays
    """
    joints = out_rotations.shape[1]
    memory = (
        np.empty((joints, 3)), np.empty((joints, 4)), np.empty((joints, 3)),
        np.empty((joints, 4)), np.empty((3, 4)), np.empty((2, 11)),
    )  # fmt: skip
    scratch = (np.empty((4, rows.shape[1])), np.empty((joints, 4)), np.empty((2, 4)))
    fill_segment(
        rows, slopes, (a[0], a[1]), (b[0], b[1]), w, (signs[0], signs[1], signs[2]), shares,
        body, memory, scratch, out_root, out_rotations,
    )  # fmt: skip
