"""Compiled parts of building the interpolated graph. Import lazily: it brings in numba.

`body` is what `interpolate.body_arrays` gives, `points` what `product_measure.body_points` gives.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.body.dynamics_kernels import segment_effort
from footfall.body.kernels import world_poses
from footfall.gait.signatures import FEET, LEFT_FOOT, LEFT_HAND, RIGHT_FOOT, SEAT
from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.maths.vector_kernels import add, put, quaternion, rotate, vector
from footfall.optimal.blend_kernels import (
    AIR,
    MASS,
    TURNS,
    blend,
    compose,
    heading,
    inverse,
    mix,
    pose_joints,
    relative,
    sample,
    triple,
)
from footfall.optimal.interpolate_kernels import anchor_of_row, fill_segment, flown
from footfall.optimal.model import ARM_DISCS, FOOT_DISCS, TRUNK_DISCS
from footfall.optimal.transitions import SLOW

TRUNK = 16
"""The bit of the trunk among groups of balls; feet and hands have those of signatures."""


@inner_kernel
def _point(places, turns, joint, offset, k):  # type: ignore[no-untyped-def]
    return add(vector(places, joint[k]), rotate(quaternion(turns, joint[k]), vector(offset, k)))


@inner_kernel
def _to_ground(frame, at):  # type: ignore[no-untyped-def]
    """A point as seen from a planar pose; its height stays."""
    there = relative(frame, (at[0], at[2], 0.0))
    return (there[0], at[1], there[1])


@kernel
def fill_nodes(  # type: ignore[no-untyped-def]
    rows, a, b, weights, around, body, points, feet, hands, seat, base, soles, mass
):
    """Fill what nodes between states look like, in their ground frames.

    rows     (S, C) of the states;  a, b (N,) states and weights (N,) shares of a
    around   (N,) what touches before or after (`interpolate.around_states`)
    feet, hands, seat  see `InterpolatedGraph`
    base     (N, 3) the feet frame;  soles (N, 2, 3) x, z, yaw in it;  mass (N, 3) in it
    """
    joints = len(body[0])
    memory = (
        np.empty((joints, 3)), np.empty((joints, 4)), np.empty((joints, 3)),
        np.empty((joints, 4)), np.empty((3, 4)), np.empty((2, 11)),
    )  # fmt: skip
    places, turns, local, stands = memory[0], memory[1], np.empty((joints, 4)), np.empty((2, 4))
    hand_joint, hand_offset, hips = points[0], points[1], points[2]
    pelvis, middle = points[3][0], points[4]
    for n in range(len(a)):
        sign = around[n]
        root = blend(
            rows[a[n]], rows[b[n]], weights[n], 1.0 if sign & LEFT_FOOT else 0.0,
            1.0 if sign & RIGHT_FOOT else 0.0, 1.0 if sign & SEAT else 0.0,
            1.0 if sign & AIR else 0.0, body, memory, local, stands,
        )  # fmt: skip
        pose_joints(body, root, local, places, turns)
        front = (root[0], root[2], heading(quaternion(local, 0)))
        put(base, n, inverse(front))
        put(mass, n, mix(triple(rows[a[n]], MASS), triple(rows[b[n]], MASS), weights[n]))
        for foot in range(2):
            put(soles[n], foot, (stands[foot, 0], stands[foot, 2], stands[foot, 3]))
            sole = relative(front, (stands[foot, 0], stands[foot, 2], stands[foot, 3]))
            ahead = middle[foot]
            put(
                feet[n], foot,
                (sole[0] + ahead * math.sin(sole[2]), stands[foot, 1],
                 sole[1] + ahead * math.cos(sole[2]), sole[2]),
            )  # fmt: skip
            hand = _point(places, turns, hand_joint, hand_offset, foot)
            put(hands[n], foot, _to_ground(front, hand))
        left, right = vector(places, hips[0]), vector(places, hips[1])
        sits = _to_ground(front, mix(left, right, 0.5))
        yaw = heading(quaternion(turns, pelvis)) - front[2]
        put(seat, n, (sits[0], sits[1], sits[2], yaw))


@kernel
def fill_moves(  # type: ignore[no-untyped-def]
    rows, spans, signs, one, other, weights, tails, heads, base, soles, mass, body, moves
):
    """Fill the moves (E, 3) of edges between nodes, by what stays where it is along them.

    one, other  (E,) edges of the phase graph, weights (E,) the share of the first
    tails, heads  (E,) nodes;  base, soles, mass  of the nodes, see `fill_nodes`
    """
    for e in range(len(one)):
        a, b, w, n, m = one[e], other[e], weights[e], tails[e], heads[e]
        touching = signs[a, 0]
        first_a, last_a = rows[spans[a, 0]], rows[spans[a, 0] + spans[a, 1] - 1]
        first_b, last_b = rows[spans[b, 0]], rows[spans[b, 0] + spans[b, 1] - 1]
        start, back = vector(base, n), inverse(vector(base, m))
        if touching & (FEET | SEAT):
            from_a, from_b = (
                anchor_of_row(first_a, touching, body), anchor_of_row(first_b, touching, body),
            )  # fmt: skip
            to_a, to_b = (
                anchor_of_row(last_a, touching, body), anchor_of_row(last_b, touching, body),
            )  # fmt: skip
            drift = mix(relative(from_a, to_a), relative(from_b, to_b), w)
            there = compose(compose(start, _node_anchor(touching, soles[n], start)), drift)
            end = compose(there, inverse(_node_anchor(touching, soles[m], vector(base, m))))
        else:
            way_a, way_b = flown(last_a, first_a), flown(last_b, first_b)
            way = mix(way_a, way_b, w)
            turned = w * way_a[3] + (1.0 - w) * way_b[3]
            goal = compose(start, (mass[n, 0] + way[0], mass[n, 2] + way[2], turned))
            end = compose(goal, (-mass[m, 0], -mass[m, 2], 0.0))
        put(moves, e, compose(end, back))


@inner_kernel
def _node_anchor(touching, soles, base):  # type: ignore[no-untyped-def]
    """What of a node stays where it is, in its feet frame."""
    feet = touching & FEET
    if feet == FEET:
        return (0.0, 0.0, 0.0)
    if feet:
        foot = 0 if feet == LEFT_FOOT else 1
        return (soles[foot, 0], soles[foot, 1], soles[foot, 2])
    return inverse(base)


# ---- what an edge sweeps and costs -----------------------------------------------------------


@inner_kernel
def _sweep(places, turns, begin, end, group, points, disc):  # type: ignore[no-untyped-def]
    """Fill the upright cylinder (5,) around the balls of a group in frames `begin` to `end`."""
    joint, offset, radius, member = points[5], points[6], points[7], points[8]
    low, high = (1e9, 1e9, 1e9), (-1e9, -1e9, -1e9)
    for k in range(begin, end + 1):
        for p in range(len(joint)):
            if member[p] & group:
                at, r = _point(places[k], turns[k], joint, offset, p), radius[p]
                low = (min(low[0], at[0] - r), min(low[1], at[1] - r), min(low[2], at[2] - r))
                high = (max(high[0], at[0] + r), max(high[1], at[1] + r), max(high[2], at[2] + r))
    x, z, widest = 0.5 * (low[0] + high[0]), 0.5 * (low[2] + high[2]), 0.0
    for k in range(begin, end + 1):
        for p in range(len(joint)):
            if member[p] & group:
                at = _point(places[k], turns[k], joint, offset, p)
                widest = max(widest, math.hypot(at[0] - x, at[2] - z) + radius[p])
    disc[0], disc[1], disc[2], disc[3], disc[4] = x, z, widest, low[1], high[1]


@inner_kernel
def _sweep_all(places, turns, frames, touching, points, discs):  # type: ignore[no-untyped-def]
    """Fill the discs (8, 5) of a segment: trunk and feet that swing by thirds, both arms."""
    swinging, shank, near = (~touching) & FEET, points[9][0], points[9][1]
    for third in range(TRUNK_DISCS):
        begin = third * (frames - 1) // TRUNK_DISCS
        end = (third + 1) * (frames - 1) // TRUNK_DISCS
        _sweep(places, turns, begin, end, TRUNK, points, discs[third])
        disc = discs[TRUNK_DISCS + third]
        disc[2] = 0.0
        if swinging:
            _sweep(places, turns, begin, end, swinging, points, disc)
            disc[4] += shank
    for arm in range(ARM_DISCS):
        disc = discs[TRUNK_DISCS + FOOT_DISCS + arm]
        disc[2] = 0.0
        begin, end = frames, -1
        for k in range(frames):
            hand = _point(places[k], turns[k], points[0], points[1], arm)
            if math.hypot(hand[0] - places[k, 0, 0], hand[2] - places[k, 0, 2]) > near:
                begin, end = min(begin, k), k
        if end >= 0:
            _sweep(places, turns, begin, end, LEFT_HAND << arm, points, disc)


@inner_kernel
def _angle(a, i, b, j):  # type: ignore[no-untyped-def]
    """The angle between the rotation at a[i:] and that at b[j:]."""
    dot = 0.0
    for n in range(4):
        dot += a[i + n] * b[j + n]
    return 2.0 * math.acos(min(abs(dot), 1.0))


@inner_kernel
def _compare(rows, slopes, a, b, frames, seconds, rotations, limbs, four, speeds):  # type: ignore[no-untyped-def]
    """How much more knees bend than in both of two segments (radians), and joints turn (times).

    Joints that are slower than `SLOW` may be so much faster.

    a, b      first row and number of rows of each;  seconds  of a, b, and the one between
    limbs     (2, 3) the knee is the middle joint
    four      rows (4, C) to work in;  speeds (J, 3) too
    """
    flat = rotations.reshape(rotations.shape[0], -1)
    joints, bend = speeds.shape[0], 0.0
    for j in range(joints):
        for n in range(3):
            speeds[j, n] = 0.0
    for k in range(frames):
        one, other = four[2 * (k % 2)], four[2 * (k % 2) + 1]
        last_one, last_other = four[2 - 2 * (k % 2)], four[3 - 2 * (k % 2)]
        sample(rows, slopes, a[0], a[1], k / (frames - 1.0), one)
        sample(rows, slopes, b[0], b[1], k / (frames - 1.0), other)
        for leg in range(2):
            at = 4 * limbs[leg, 1]
            own = max(_bend(one, TURNS + at), _bend(other, TURNS + at))
            bend = max(bend, _bend(flat[k], at) - own)
        if k == 0:
            continue
        for j in range(joints):
            at = TURNS + 4 * j
            speeds[j, 0] = max(speeds[j, 0], _angle(one, at, last_one, at) / seconds[0])
            speeds[j, 1] = max(speeds[j, 1], _angle(other, at, last_other, at) / seconds[1])
            now = _angle(flat[k], 4 * j, flat[k - 1], 4 * j) / seconds[2]
            speeds[j, 2] = max(speeds[j, 2], now)
    faster = 0.0
    for j in range(1, joints):
        own = max(speeds[j, 0], speeds[j, 1], SLOW / (frames - 1.0))
        faster = max(faster, speeds[j, 2] / own)
    return bend, faster


@inner_kernel
def _bend(row, at):  # type: ignore[no-untyped-def]
    """The angle of the rotation at row[at:]."""
    return 2.0 * math.acos(min(abs(row[at]), 1.0))


@kernel
def measure_segments(  # type: ignore[no-untyped-def]
    rows, slopes, spans, signs, ends, seconds, one, other, weights, counts, steps, body, points,
    dynamics, lengths, efforts, checks, discs,
):  # fmt: skip
    """Fill what segments between two edges cost, sweep, and how sound they are.

    one, other, weights  (P,) edges of the phase graph and the share of the first
    ends      (E, 2) what touches before and after each edge;  seconds (E,)
    counts    (P,) frames to look at; steps (P,) seconds between them
    dynamics  a `dynamics.DynamicBody`
    lengths   (P,) metres that the root goes in the plane
    efforts   (P,);  discs (P, 8, 5)
    checks    (P, 7) see `segment_effort`; then `_compare`
    """
    joints, most = len(body[0]), 1
    for p in range(len(one)):
        most = max(most, counts[p])
    memory = (
        np.empty((joints, 3)), np.empty((joints, 4)), np.empty((joints, 3)),
        np.empty((joints, 4)), np.empty((3, 4)), np.empty((2, 11)),
    )  # fmt: skip
    scratch = (np.empty((4, rows.shape[1])), np.empty((joints, 4)), np.empty((2, 4)))
    root, rotations = np.empty((most, 3)), np.empty((most, joints, 4))
    places, turns = np.empty((most, joints, 3)), np.empty((most, joints, 4))
    shares, bits = np.empty(most), np.empty(most, np.uint8)
    speeds = np.empty((joints, 3))
    for p in range(len(one)):
        a, b, frames = one[p], other[p], counts[p]
        touching = signs[a, 0]
        for k in range(frames):
            shares[k], bits[k] = k / (frames - 1.0), touching
        if touching & FEET == FEET:  # who comes onto both feet shifts from one to the other
            bits[0], bits[frames - 1] = ends[a, 0] | (touching & SEAT), ends[a, 1]
        fill_segment(
            rows, slopes, (spans[a, 0], spans[a, 1]), (spans[b, 0], spans[b, 1]), weights[p],
            (signs[a, 0], signs[a, 1], signs[a, 2]), shares[:frames], body, memory, scratch,
            root, rotations,
        )  # fmt: skip
        lengths[p] = 0.0
        for k in range(1, frames):
            lengths[p] += math.hypot(root[k, 0] - root[k - 1, 0], root[k, 2] - root[k - 1, 2])
        world_poses(
            body[0], body[1], root[:frames], rotations[:frames], places[:frames], turns[:frames]
        )
        _sweep_all(places, turns, frames, touching, points, discs[p])
        efforts[p] = segment_effort(
            dynamics, root, rotations, bits, 0, frames, 0, 0, steps[p], checks[p, :5]
        )
        if a != b:
            times = (seconds[a], seconds[b], steps[p] * (frames - 1))
            checks[p, 5], checks[p, 6] = _compare(
                rows, slopes, (spans[a, 0], spans[a, 1]), (spans[b, 0], spans[b, 1]), frames,
                times, rotations, body[2], scratch[0], speeds,
            )  # fmt: skip
