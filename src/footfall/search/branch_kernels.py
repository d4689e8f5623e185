"""Compiled branch and bound over walks. Import lazily: brings in numba.

Places on the ground are written as z + i x, turns as cos + i sin, each as two numbers. See
`branch_and_bound` for what the arrays hold; `per_metre` is how many points a line has on a metre.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.array_kernels import copy_rows, copy_values
from footfall.maths.jit_kernels import inline_kernel, kernel, lean_kernel

COST, PLACE_X, PLACE_Z, COSINE, SINE, WAY, KEY = range(7)
EDGE, FRAMES = range(2)
COARSE = 4
"""A beam looks at every so-many-th frame of what must follow: it is not exact anyway."""
_SAFE = 1.0 - 1e-12
"""A bound is lowered by this share, so that rounding never makes it larger than the truth."""


@inline_kernel
def _target(line, per_metre, way):  # type: ignore[no-untyped-def]
    """x and z of a line at `way` along it; beyond its ends it goes on straight."""
    place = way * per_metre
    k = min(max(int(place), 0), len(line) - 2)
    u = place - k
    x = line[k, 0] + u * (line[k + 1, 0] - line[k, 0])
    z = line[k, 1] + u * (line[k + 1, 1] - line[k, 1])
    return x, z


@lean_kernel
def stretch_cost(points, way, first, stop, done, px, pz, c, s, at, line, per_metre, most):  # type: ignore[no-untyped-def]
    """Sum of squared distances of the frames from `first` up to `stop` to the line.

    done  how far along the stretch it was before `first`; at  how far along the line.
    Gives infinity as soon as it reaches `most`.
    """
    total = 0.0
    for i in range(first, stop):
        x = px + s * points[i, 1] + c * points[i, 0]
        z = pz + c * points[i, 1] - s * points[i, 0]
        tx, tz = _target(line, per_metre, at + (way[i] - done))
        total += (x - tx) * (x - tx) + (z - tz) * (z - tz)
        if total >= most:
            return np.inf
    return total


@lean_kernel
def rest_bound(reach, node, left, px, pz, c, s, at, line, per_metre, most):  # type: ignore[no-untyped-def]
    """A lower bound of what the next `left` frames from a node on will cost, up to `most`.

    With the reach of every so-many-th frame alone, it is a bound of what these cost.
    """
    total = 0.0
    for k in range(min(left, reach.shape[1])):
        slack = reach[node, k, 3]
        if slack == np.inf:  # no walk is that long: nothing follows from here
            return np.inf
        x = px + s * reach[node, k, 1] + c * reach[node, k, 0]
        z = pz + c * reach[node, k, 1] - s * reach[node, k, 0]
        tx, tz = _target(line, per_metre, at + reach[node, k, 2])
        square = (x - tx) * (x - tx) + (z - tz) * (z - tz)
        if square > slack * slack:
            off = math.sqrt(square) - slack
            total += off * off
            if total >= most:
                break
    return total * _SAFE


@kernel
def _sort_kids(numbers, whole, low, high):  # type: ignore[no-untyped-def]
    """Order the kids low … high by their key, at equal keys by their edge; insertion sort."""
    for i in range(low + 1, high):
        j = i
        while j > low and (
            numbers[j - 1, KEY] > numbers[j, KEY]
            or (numbers[j - 1, KEY] == numbers[j, KEY] and whole[j - 1, EDGE] > whole[j, EDGE])
        ):
            for k in range(7):
                numbers[j - 1, k], numbers[j, k] = numbers[j, k], numbers[j - 1, k]
            for k in range(2):
                whole[j - 1, k], whole[j, k] = whole[j, k], whole[j - 1, k]
            j -= 1


@kernel
def best_walk(  # type: ignore[no-untyped-def]
    out_start, edge_to, edge_start, points, way, change, reach, line, per_metre,
    node, edge, inside, pose, at, frames, most, cap, flag, chosen,
):  # fmt: skip
    """The walk of `frames` frames from a place in the graph that costs least.

    node          where it begins; or, if `edge` is not -1, after `inside` frames of that edge
    pose, at      x, z, cos, sin of the world there; how far along the line it is
    most          only walks that cost less than this are looked for
    cap           how many nodes are opened at most
    flag          (1,) the search ends once this is not 0
    chosen        (frames,) gets the edges of the best walk

    Returns the cost (`most` if there is none), how many edges were chosen, how many nodes were
    opened, and whether the cap ended it.
    """
    room = 64
    numbers, whole = np.empty((room, 7)), np.empty((room, 2), np.int64)
    low, high = np.zeros(frames + 2, np.int64), np.zeros(frames + 2, np.int64)
    trail = np.zeros(frames + 2, np.int64)
    best, length, opened, depth = most, 0, 0, 0
    px, pz, c, s = pose[0], pose[1], pose[2], pose[3]
    cost, played = 0.0, 0
    while True:
        # Open a node: all the edges that leave it, or what is left of the edge it begins in.
        if opened >= cap or flag[0] != 0:
            return best, length, opened, True
        opened += 1
        held = edge >= 0 and opened == 1
        begin, stop = (edge, edge + 1) if held else (out_start[node], out_start[node + 1])
        base = high[depth - 1] if depth > 0 else 0
        if base + stop - begin > room:
            while base + stop - begin > room:
                room *= 2
            more, more_whole = np.empty((room, 7)), np.empty((room, 2), np.int64)
            copy_rows(numbers, more, base)
            copy_rows(whole, more_whole, base)
            numbers, whole = more, more_whole
        kids = base
        for e in range(begin, stop):
            first = edge_start[e] + (inside if held else 0)
            last = min(edge_start[e + 1], first + frames - played)
            done = way[first - 1] if first > edge_start[e] else 0.0
            g = cost + stretch_cost(
                points, way, first, last, done, px, pz, c, s, at, line, per_metre, best - cost
            )
            if not g < best:
                continue
            row, after = numbers[kids], played + last - first
            row[COST], row[KEY] = g, g
            row[WAY] = at + (way[last - 1] - done) if last > first else at
            row[PLACE_X] = px + s * change[e, 1] + c * change[e, 0]
            row[PLACE_Z] = pz + c * change[e, 1] - s * change[e, 0]
            row[COSINE] = c * change[e, 2] - s * change[e, 3]
            row[SINE] = s * change[e, 2] + c * change[e, 3]
            if after < frames:
                row[KEY] += rest_bound(
                    reach, edge_to[e], frames - after, row[PLACE_X], row[PLACE_Z], row[COSINE],
                    row[SINE], row[WAY], line, per_metre, best - g,
                )  # fmt: skip
                if row[KEY] >= best:
                    continue
            whole[kids, EDGE], whole[kids, FRAMES] = e, after
            kids += 1
        _sort_kids(numbers, whole, base, kids)
        low[depth], high[depth] = base, kids
        # Go to the next open place; the first of a level that cannot win ends the level.
        while depth >= 0:
            kid = low[depth]
            if kid == high[depth] or numbers[kid, KEY] >= best:
                depth -= 1
                continue
            low[depth] += 1
            trail[depth] = whole[kid, EDGE]
            cost, played = numbers[kid, COST], whole[kid, FRAMES]
            if played < frames:
                break
            best, length = cost, depth + 1
            copy_values(trail, chosen, length)
        if depth < 0:
            return best, length, opened, False
        node, edge = edge_to[trail[depth]], -1
        px, pz = numbers[kid, PLACE_X], numbers[kid, PLACE_Z]
        c, s, at = numbers[kid, COSINE], numbers[kid, SINE], numbers[kid, WAY]
        depth += 1


@kernel
def _join_disc(disc, x, z, way, slack):  # type: ignore[no-untyped-def]
    """Make a disc (x, z, radius) and a range of ways (from, to) hold another."""
    low, high, radius = way[0], way[1], slack
    if disc[2] < 0.0:
        disc[0], disc[1], disc[2], disc[3], disc[4] = x, z, radius, low, high
        return
    disc[3], disc[4] = min(disc[3], low), max(disc[4], high)
    apart = math.hypot(x - disc[0], z - disc[1])
    if apart + radius <= disc[2]:
        return
    if apart + disc[2] <= radius:
        disc[0], disc[1], disc[2] = x, z, radius
        return
    joint = 0.5 * (apart + radius + disc[2])
    share = (joint - disc[2]) / apart
    disc[0] += share * (x - disc[0])
    disc[1] += share * (z - disc[1])
    disc[2] = joint * (1.0 + 1e-12)


@kernel
def reach_discs(out_start, edge_to, edge_start, points, way, change, frames):  # type: ignore[no-untyped-def]
    """(N, frames, 4) where a walk from each node may be after 1, 2, … frames.

    A disc in the coordinates of the node holds every place; x, z, the middle of the ways along
    the line, and the disc's radius plus half the range of ways: as a line is no longer than its
    way, no walk is nearer to its target than the distance of the middles less this slack. It is
    infinite where no walk is that long.
    """
    nodes = len(out_start) - 1
    discs = np.empty((nodes, frames, 5))
    discs[:, :, 2] = -1.0
    span = np.empty(2)
    for k in range(frames):
        for node in range(nodes):
            disc = discs[node, k]
            for e in range(out_start[node], out_start[node + 1]):
                first, count = edge_start[e], edge_start[e + 1] - edge_start[e]
                if k < count:
                    span[0] = span[1] = way[first + k]
                    _join_disc(disc, points[first + k, 0], points[first + k, 1], span, 0.0)
                    continue
                other = discs[edge_to[e], k - count]
                if other[2] < 0.0:
                    continue
                span[0] = way[first + count - 1] + other[3]
                span[1] = way[first + count - 1] + other[4]
                x = change[e, 0] + change[e, 3] * other[1] + change[e, 2] * other[0]
                z = change[e, 1] + change[e, 2] * other[1] - change[e, 3] * other[0]
                _join_disc(disc, x, z, span, other[2])
    out = np.empty((nodes, frames, 4))
    for node in range(nodes):
        for k in range(frames):
            disc = discs[node, k]
            out[node, k, 0], out[node, k, 1] = disc[0], disc[1]
            out[node, k, 2] = 0.5 * (disc[3] + disc[4])
            out[node, k, 3] = np.inf
            if disc[2] >= 0.0:
                out[node, k, 3] = (disc[2] + 0.5 * (disc[4] - disc[3])) * (1.0 + 1e-9) + 1e-9
    return out
