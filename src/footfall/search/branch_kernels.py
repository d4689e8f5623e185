"""Compiled branch and bound over walks. Import lazily: brings in numba.

Places on the ground are written as z + i x, turns as cos + i sin, each as two numbers. See
`branch_and_bound` for what the arrays hold: `tracks` are `TrackArrays`, `line` a `Line`, walks
records of `WALK`.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel, lean_kernel

COARSE = 4
"""A beam looks at every so-many-th frame of what must follow: it is not exact anyway."""
NEXT, HIGH, EDGE = range(3)
"""Columns of the levels of a search: the next walk to open, the end of them, the edge chosen."""
DONE, CAPPED, NO_ROOM = range(3)
"""How a search ends."""
_SAFE = 1.0 - 1e-12
"""A bound is lowered by this share, so that rounding never makes it larger than the truth."""


@inner_kernel
def _target(line, way):  # type: ignore[no-untyped-def]
    """x and z of a line at `way` along it; beyond its ends it goes on straight."""
    points, place = line.points, way * line.per_metre
    k = min(max(int(place), 0), len(points) - 2)
    u = place - k
    x = points[k, 0] + u * (points[k + 1, 0] - points[k, 0])
    z = points[k, 1] + u * (points[k + 1, 1] - points[k, 1])
    return x, z


@inner_kernel
def stretch_cost(tracks, edge, first, stop, walk, line, most):  # type: ignore[no-untyped-def]
    """Sum of squared distances to the line of the frames of an edge from `first` up to `stop`.

    Gives infinity as soon as it reaches `most`.
    """
    points, total = tracks.points, 0.0
    px, pz, c, s, at = walk.x, walk.z, walk.cosine, walk.sine, walk.way
    done = points[first - 1].way if first > tracks.edges[edge].first else 0.0
    for i in range(first, stop):
        x = px + s * points[i].z + c * points[i].x
        z = pz + c * points[i].z - s * points[i].x
        tx, tz = _target(line, at + (points[i].way - done))
        total += (x - tx) * (x - tx) + (z - tz) * (z - tz)
        if total >= most:
            return np.inf
    return total


@inner_kernel
def rest_bound(reach, node, left, walk, line, most):  # type: ignore[no-untyped-def]
    """A lower bound of what the next `left` frames from a node on will cost, up to `most`.

    With the reach of every so-many-th frame alone, it is a bound of what these cost.
    """
    total = 0.0
    px, pz, c, s, at = walk.x, walk.z, walk.cosine, walk.sine, walk.way
    for k in range(min(left, reach.shape[1])):
        slack = reach[node, k, 3]
        if slack == np.inf:  # no walk is that long: nothing follows from here
            return np.inf
        x = px + s * reach[node, k, 1] + c * reach[node, k, 0]
        z = pz + c * reach[node, k, 1] - s * reach[node, k, 0]
        tx, tz = _target(line, at + reach[node, k, 2])
        square = (x - tx) * (x - tx) + (z - tz) * (z - tz)
        if square > slack * slack:
            off = math.sqrt(square) - slack
            total += off * off
            if total >= most:
                break
    return total * _SAFE


@inner_kernel
def follow_edge(tracks, edge, first, stop, walk, out):  # type: ignore[no-untyped-def]
    """Write where a walk is after the points from `first` up to `stop` of an edge."""
    along, c, s = tracks.edges[edge], walk.cosine, walk.sine
    done = tracks.points[first - 1].way if first > along.first else 0.0
    out.way = walk.way + (tracks.points[stop - 1].way - done) if stop > first else walk.way
    out.x = walk.x + s * along.z + c * along.x
    out.z = walk.z + c * along.z - s * along.x
    out.cosine = c * along.cosine - s * along.sine
    out.sine = s * along.cosine + c * along.sine


@inner_kernel
def _sort_kids(walks, order, low, high):  # type: ignore[no-untyped-def]
    """Write the numbers of the walks low … high by their key, at equal keys by their edge."""
    for i in range(low, high):
        j, key, edge = i, walks[i].key, walks[i].edge
        while j > low:
            before = walks[order[j - 1]]
            if before.key < key or (before.key == key and before.edge <= edge):
                break
            order[j] = order[j - 1]
            j -= 1
        order[j] = i


@inner_kernel
def _open_node(tracks, line, frames, best, walks, at, played, edge, inside, kids):  # type: ignore[no-untyped-def]
    """Write the walks that go on from walk `at` and may cost less than `best`; where they stop.

    played        frames of the walk so far
    edge, inside  the edge that it is in, -1 for none, and how many frames of it were played
    kids          where to write; -1 is returned if there is no room for all edges
    """
    walk = walks[at]
    begin, stop = tracks.out_start[walk.node], tracks.out_start[walk.node + 1]
    if edge >= 0:
        begin, stop = edge, edge + 1
    if kids + stop - begin > len(walks):
        return -1
    for e in range(begin, stop):
        first = tracks.edges[e].first + inside
        last = min(tracks.edges[e + 1].first, first + frames - played)
        cost = walk.cost + stretch_cost(tracks, e, first, last, walk, line, best - walk.cost)
        if not cost < best:
            continue
        kid, after = walks[kids], played + last - first
        follow_edge(tracks, e, first, last, walk, kid)
        kid.cost, kid.key, kid.edge, kid.frames = cost, cost, e, after
        kid.node = tracks.edges[e].to
        if after < frames:
            kid.key += rest_bound(tracks.reach, kid.node, frames - after, kid, line, best - cost)
            if kid.key >= best:
                continue
        kids += 1
    return kids


@lean_kernel
def best_walk(tracks, line, frames, most, cap, flag, walks, order, levels, chosen):  # type: ignore[no-untyped-def]
    """The walk of `frames` frames from a place in the graph that costs least.

    most    only walks that cost less than this are looked for
    cap     how many nodes are opened at most
    flag    (1,) the search ends once this is not 0
    walks   (R,) memory that begins with the walk so far: its `node`; or, if `edge` is not -1,
            `frames` of that edge;  order (R,) and levels (frames + 2, 3) memory
    chosen  (frames + 1,) gets the edges of the best walk

    Returns the cost (`most` if there is none), how many edges were chosen, how many nodes were
    opened, and how it ended.
    """
    best, length, opened, depth, at, played = most, 0, 0, 0, 0, 0
    edge, inside = walks[0].edge, max(walks[0].frames, 0)
    while True:
        if opened >= cap or flag[0] != 0:
            return best, length, opened, CAPPED
        opened += 1
        base = levels[depth - 1, HIGH] if depth > 0 else 1
        kids = _open_node(tracks, line, frames, best, walks, at, played, edge, inside, base)
        if kids < 0:
            return best, length, opened, NO_ROOM
        _sort_kids(walks, order, base, kids)
        levels[depth, NEXT], levels[depth, HIGH] = base, kids
        # Go to the next open place; the first of a level that cannot win ends the level.
        while depth >= 0:
            at = order[levels[depth, NEXT]]
            if levels[depth, NEXT] == levels[depth, HIGH] or walks[at].key >= best:
                depth -= 1
                continue
            levels[depth, NEXT] += 1
            levels[depth, EDGE], played = walks[at].edge, walks[at].frames
            if played < frames:
                break
            best, length = walks[at].cost, depth + 1
            for n in range(length):
                chosen[n] = levels[n, EDGE]
        if depth < 0:
            return best, length, opened, DONE
        edge, inside, depth = -1, 0, depth + 1


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
def reach_discs(out_start, edges, points, frames):  # type: ignore[no-untyped-def]
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
                edge = edges[e]
                first, count = edge.first, edges[e + 1].first - edge.first
                if k < count:
                    span[0] = span[1] = points[first + k].way
                    _join_disc(disc, points[first + k].x, points[first + k].z, span, 0.0)
                    continue
                other = discs[edge.to, k - count]
                if other[2] < 0.0:
                    continue
                span[0] = points[first + count - 1].way + other[3]
                span[1] = points[first + count - 1].way + other[4]
                x = edge.x + edge.sine * other[1] + edge.cosine * other[0]
                z = edge.z + edge.cosine * other[1] - edge.sine * other[0]
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
