"""Compiled parts of building the interpolated graph. Import lazily: it brings in numba.

`known` is an `interpolate.SegmentRows`, `body` its body, `work` an `interpolate.BlendWork`; `jobs`
are records (`interpolate.MIX`) of what is to be mixed.
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
    HIP,
    KNEE,
    LENGTHS,
    MASS,
    PALM,
    PELVIS,
    SOLE,
    TURNS,
    WRIST,
    blend,
    compose,
    heading,
    mix,
    pose_body,
    relative,
    triple,
)
from footfall.optimal.interpolate_kernels import ORIGIN, anchor_of_row, fill_segment, flown
from footfall.optimal.model import ARM_DISCS, FOOT_DISCS, SLOW, TRUNK_DISCS

TRUNK = 16
"""The bit of the trunk among groups of balls; feet and hands have those of signatures."""
FEET_AT, HANDS_AT, SEAT_AT, BASE_AT, SOLES_AT, MASS_AT, NODE_COLUMNS = 0, 8, 14, 18, 21, 27, 30
"""Where things begin in a row of a node: both feet (x, height, z, yaw), both hands, the seat (x,
height, z, yaw), all in its ground frame; that frame, both soles (x, z, yaw) and the centre of mass
in the feet frame."""


@kernel
def fill_nodes(rows, jobs, body, work, out):  # type: ignore[no-untyped-def]
    """Fill rows (N, 30) of what nodes between states look like.

    rows  (S, C) of the states;  jobs (N,) whose `tail` says what touches before or after
    """
    places, turns = work.places[0], work.turns[0]
    for n in range(len(jobs)):
        job = jobs[n]
        a, b, sign, node = rows[job.one], rows[job.other], job.tail, out[n]
        placed = (
            1.0 if sign & LEFT_FOOT else 0.0, 1.0 if sign & RIGHT_FOOT else 0.0,
            1.0 if sign & SEAT else 0.0, 1.0 if sign & AIR else 0.0,
        )  # fmt: skip
        root = blend(a, b, job.weight, placed, body, work)
        pose_body(root, body, work)
        front = (root[0], root[2], heading(quaternion(work.local[0], 0)))
        _write(node, BASE_AT, relative(front, ORIGIN))
        _write(node, MASS_AT, mix(triple(a, MASS), triple(b, MASS), job.weight))
        for side in range(2):
            limb, points, foot = body.limbs[side], body.points[side], work.feet[side]
            stands = (foot[SOLE], foot[SOLE + 2], foot[SOLE + 3])
            _write(node, SOLES_AT + 3 * side, stands)
            x, z, yaw = relative(front, stands)
            ahead = points[LENGTHS, 1]
            at = FEET_AT + 4 * side
            _write(node, at, (x + ahead * math.sin(yaw), foot[SOLE + 1], z + ahead * math.cos(yaw)))
            node[at + 3] = yaw
            palm = rotate(quaternion(turns, limb[WRIST]), vector(points, PALM))
            hand = add(vector(places, limb[WRIST]), palm)
            there = relative(front, (hand[0], hand[2], 0.0))
            _write(node, HANDS_AT + 3 * side, (there[0], hand[1], there[1]))
        hips = mix(vector(places, body.limbs[0, HIP]), vector(places, body.limbs[1, HIP]), 0.5)
        there = relative(front, (hips[0], hips[2], 0.0))
        _write(node, SEAT_AT, (there[0], hips[1], there[1]))
        node[SEAT_AT + 3] = heading(quaternion(turns, body.limbs[0, PELVIS])) - front[2]


@inner_kernel
def _write(row, at, values):  # type: ignore[no-untyped-def]
    for i in range(3):
        row[at + i] = values[i]


@kernel
def fill_moves(known, jobs, nodes, moves):  # type: ignore[no-untyped-def]
    """Fill the moves (E, 3) of edges between nodes, by what stays where it is along them.

    jobs  (E,) edges of the phase graph, and the nodes that they leave and reach: rows of `nodes`
    """
    rows, body = known.rows, known.body
    for e in range(len(jobs)):
        job = jobs[e]
        one, other, w = known.edges[job.one], known.edges[job.other], job.weight
        tail, head = nodes[job.tail], nodes[job.head]
        touching = one.touching
        first_a, last_a = rows[one.first], rows[one.first + one.count - 1]
        first_b, last_b = rows[other.first], rows[other.first + other.count - 1]
        start, back = triple(tail, BASE_AT), relative(triple(head, BASE_AT), ORIGIN)
        if touching & (FEET | SEAT):
            from_a, from_b = (
                anchor_of_row(first_a, touching, body), anchor_of_row(first_b, touching, body),
            )  # fmt: skip
            to_a, to_b = (
                anchor_of_row(last_a, touching, body), anchor_of_row(last_b, touching, body),
            )  # fmt: skip
            drift = mix(relative(from_a, to_a), relative(from_b, to_b), w)
            there = compose(compose(start, _node_anchor(touching, tail)), drift)
            end = compose(there, relative(_node_anchor(touching, head), ORIGIN))
        else:
            way_a, way_b = flown(last_a, first_a), flown(last_b, first_b)
            way = mix(way_a, way_b, w)
            turned = w * way_a[3] + (1.0 - w) * way_b[3]
            goal = compose(start, (tail[MASS_AT] + way[0], tail[MASS_AT + 2] + way[2], turned))
            end = compose(goal, (-head[MASS_AT], -head[MASS_AT + 2], 0.0))
        put(moves, e, compose(end, back))


@inner_kernel
def _node_anchor(touching, node):  # type: ignore[no-untyped-def]
    """What of a node stays where it is, in its feet frame."""
    feet = touching & FEET
    if feet == FEET:
        return ORIGIN
    if feet:
        return triple(node, SOLES_AT + (0 if feet == LEFT_FOOT else 3))
    return relative(triple(node, BASE_AT), ORIGIN)


# ---- what an edge sweeps and costs -----------------------------------------------------------


@inner_kernel
def _sweep(spots, balls, begin, end, group, disc):  # type: ignore[no-untyped-def]
    """Fill the upright cylinder (5,) around the balls of a group in frames `begin` to `end`."""
    low, high = (1e9, 1e9, 1e9), (-1e9, -1e9, -1e9)
    for k in range(begin, end + 1):
        for p in range(len(balls)):
            if balls[p].group & group:
                at, r = vector(spots[k], p), balls[p].size
                low = (min(low[0], at[0] - r), min(low[1], at[1] - r), min(low[2], at[2] - r))
                high = (max(high[0], at[0] + r), max(high[1], at[1] + r), max(high[2], at[2] + r))
    x, z, widest = 0.5 * (low[0] + high[0]), 0.5 * (low[2] + high[2]), 0.0
    for k in range(begin, end + 1):
        for p in range(len(balls)):
            if balls[p].group & group:
                away = math.hypot(spots[k, p, 0] - x, spots[k, p, 2] - z)
                widest = max(widest, away + balls[p].size)
    disc[0], disc[1], disc[2], disc[3], disc[4] = x, z, widest, low[1], high[1]


@inner_kernel
def _sweep_all(places, turns, frames, touching, body, spots, discs):  # type: ignore[no-untyped-def]
    """Fill the discs (8, 5) of a segment: trunk and feet that swing by thirds, both arms."""
    balls = body.balls
    for k in range(frames):
        for p in range(len(balls)):
            ball = balls[p]
            arm = rotate(quaternion(turns[k], ball.joint), (ball.x, ball.y, ball.z))
            put(spots[k], p, add(vector(places[k], ball.joint), arm))
    swinging = (~touching) & FEET
    shank, near = body.points[0, LENGTHS, 2], body.points[1, LENGTHS, 2]
    for third in range(TRUNK_DISCS):
        begin = third * (frames - 1) // TRUNK_DISCS
        end = (third + 1) * (frames - 1) // TRUNK_DISCS
        _sweep(spots, balls, begin, end, TRUNK, discs[third])
        disc = discs[TRUNK_DISCS + third]
        disc[2] = 0.0
        if swinging:
            _sweep(spots, balls, begin, end, swinging, disc)
            disc[4] += shank
    for arm in range(ARM_DISCS):
        disc = discs[TRUNK_DISCS + FOOT_DISCS + arm]
        disc[2] = 0.0
        begin, end = frames, -1
        wrist, palm = body.limbs[arm, WRIST], vector(body.points[arm], PALM)
        for k in range(frames):
            hand = add(vector(places[k], wrist), rotate(quaternion(turns[k], wrist), palm))
            if math.hypot(hand[0] - places[k, 0, 0], hand[2] - places[k, 0, 2]) > near:
                begin, end = min(begin, k), k
        if end >= 0:
            _sweep(spots, balls, begin, end, LEFT_HAND << arm, disc)


@inner_kernel
def _compare(samples, frames, seconds, rotations, limbs, least):  # type: ignore[no-untyped-def]
    """How much more knees bend than in both of two segments (radians), and joints turn (times).

    Joints that are slower than `SLOW` may be so much faster.

    samples  (2, K + 1, C) both segments (`fill_segment`);  seconds  of them, and the one between
    least    (J, 3) memory: cosines of half of the most that each joint turns in a frame
    """
    joints, bend = least.shape[0], 0.0
    for j in range(joints):
        for n in range(3):
            least[j, n] = 1.0
    for k in range(frames):
        one, other = samples[0, k + 1], samples[1, k + 1]
        for leg in range(2):
            knee = limbs[leg, KNEE]
            at = TURNS + 4 * knee
            most = min(abs(one[at]), abs(other[at]), 1.0)
            now = 2.0 * math.acos(min(abs(rotations[k, knee, 0]), 1.0))
            bend = max(bend, now - 2.0 * math.acos(most))
        if k == 0:
            continue
        for j in range(joints):
            at, a, b, now = TURNS + 4 * j, 0.0, 0.0, 0.0
            for n in range(4):
                a += one[at + n] * samples[0, k, at + n]
                b += other[at + n] * samples[1, k, at + n]
                now += rotations[k, j, n] * rotations[k - 1, j, n]
            least[j, 0], least[j, 1] = min(least[j, 0], abs(a)), min(least[j, 1], abs(b))
            least[j, 2] = min(least[j, 2], abs(now))
    faster = 0.0
    for j in range(1, joints):
        a, b = 2.0 * math.acos(least[j, 0]) / seconds[0], 2.0 * math.acos(least[j, 1]) / seconds[1]
        now = 2.0 * math.acos(least[j, 2]) / seconds[2]
        faster = max(faster, now / max(a, b, SLOW / (frames - 1.0)))
    return bend, faster


@kernel
def measure_segments(known, jobs, dynamics, work, values, discs):  # type: ignore[no-untyped-def]
    """Fill what segments between two edges cost, sweep, and how sound they are.

    jobs      (P,) edges, the share of the first, frames to look at and seconds between them
    dynamics  a `dynamics.DynamicBody`
    values    (P, 9) metres that the root goes in the plane; effort; checks: see `segment_effort`,
              then `_compare`
    discs     (P, 8, 5)
    """
    body, most = known.body, work.samples.shape[1] - 1
    joints = len(body.parents)
    root, rotations = np.empty((most, 3)), np.empty((most, joints, 4))
    places, turns = np.empty((most, joints, 3)), np.empty((most, joints, 4))
    shares, bits = np.empty(most), np.empty(most, np.uint8)
    spots, least = np.empty((most, len(body.balls), 3)), np.empty((joints, 3))
    for p in range(len(jobs)):
        job = jobs[p]
        one, other, frames = known.edges[job.one], known.edges[job.other], job.frames
        for k in range(frames):
            shares[k], bits[k] = k / (frames - 1.0), one.touching
        if one.touching & FEET == FEET:  # who comes onto both feet shifts from one to the other
            bits[0], bits[frames - 1] = one.before | (one.touching & SEAT), one.after
        fill_segment(known, job.one, job.other, job.weight, shares, frames, work, root, rotations)
        values[p, 0] = 0.0
        for k in range(1, frames):
            values[p, 0] += math.hypot(root[k, 0] - root[k - 1, 0], root[k, 2] - root[k - 1, 2])
        world_poses(
            body.parents, body.offsets, root[:frames], rotations[:frames], places[:frames],
            turns[:frames],
        )  # fmt: skip
        _sweep_all(places, turns, frames, one.touching, body, spots, discs[p])
        values[p, 1] = segment_effort(
            dynamics, root, rotations, bits, 0, frames, 0, 0, job.step, values[p, 2:7]
        )
        if job.one != job.other:
            times = (one.seconds, other.seconds, job.step * (frames - 1))
            values[p, 7], values[p, 8] = _compare(
                work.samples, frames, times, rotations, body.limbs, least
            )
