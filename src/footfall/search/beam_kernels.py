"""Compiled beam search over walks. Import lazily: brings in numba. Arrays: `branch_kernels`."""

from __future__ import annotations

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.search.branch_kernels import COARSE, follow_edge, rest_bound, stretch_cost

SEGMENT_FIRST, SEGMENT_STOP, SEGMENT_END, BEFORE = range(4)
LEAVES, OPENS, ENTERS = range(3)
FRAME, GOING, AT, MADE, OPENED = range(5)
"""What `beam.progress` counts: the frame that walks go on from, how many of them do (-1 before that
is known) and how many did; walks that were made, nodes that were opened."""
DONE, STOPPED, NO_ROOM = range(3)
"""How a search ends."""


@inner_kernel
def _admit(keys, row, count, key):  # type: ignore[no-untyped-def]
    """Put a key on the heap of the smallest so far, the largest of them first; its new count.

    keys (F, K) holds a heap in each row.
    """
    if count < keys.shape[1]:
        k = count
        while k > 0 and keys[row, (k - 1) // 2] < key:
            keys[row, k] = keys[row, (k - 1) // 2]
            k = (k - 1) // 2
        keys[row, k] = key
        return count + 1
    k = 0
    while True:
        kid = 2 * k + 1
        if kid >= count:
            break
        if kid + 1 < count and keys[row, kid + 1] > keys[row, kid]:
            kid += 1
        if keys[row, kid] <= key:
            break
        keys[row, k] = keys[row, kid]
        k = kid
    keys[row, k] = key
    return count


@inner_kernel
def _sink(walks, states, i, count):  # type: ignore[no-untyped-def]
    """Let entry i of a heap of `count` walks go down to its place: the best one first, of equal
    ones the oldest."""
    state, child = states[i], 2 * i + 1
    while child < count:
        if child + 1 < count:
            key, other = walks[states[child]].key, walks[states[child + 1]].key
            child += other < key or (other == key and states[child + 1] < states[child])
        key, own = walks[states[child]].key, walks[state].key
        if not (key < own or (key == own and states[child] < state)):
            break
        states[i] = states[child]
        i, child = child, 2 * child + 1
    states[i] = state


@inner_kernel
def _keep_best(walks, head, beam):  # type: ignore[no-untyped-def]
    """Write the walks of a frame that go on into `beam.kept`, best first; how many."""
    states, counts, kept = beam.order, beam.counts, beam.kept
    count, state = 0, head
    while state >= 0:
        states[count] = state
        count += 1
        state = walks[state].next
    for n in range(count // 2 - 1, -1, -1):
        _sink(walks, states, n, count)
    found = 0
    while count > 0 and found < beam.width:
        state = states[0]
        count -= 1
        states[0] = states[count]
        _sink(walks, states, 0, count)
        node = walks[state].node
        if counts[node] < beam.per_node:
            counts[node] += 1
            kept[found] = state
            found += 1
    for n in range(found):
        counts[walks[kept[n]].node] = 0
    return found


@inner_kernel
def _add_wishes(total, costs, edge, walk, closed, frame):  # type: ignore[no-untyped-def]
    """A cost with what an edge costs a walk: itself, a short segment, what is played again."""
    total += costs.edge[edge]
    if walk.first < 0:
        return total
    if costs.sources[edge, LEAVES] >= 0:
        total += costs.short * max(costs.shortest - (frame - walk.began), 0) / costs.shortest
    if costs.again > 0.0:
        opens, enters = costs.sources[edge, OPENS], costs.sources[edge, ENTERS]
        again = max(min(enters, costs.sources[edge, LEAVES]) - max(opens, walk.first), 0)
        row = walk.closed
        while row >= 0 and closed[row, SEGMENT_END] > frame - costs.memory:
            stop = min(enters, closed[row, SEGMENT_STOP])
            again += max(stop - max(opens, closed[row, SEGMENT_FIRST]), 0)
            row = closed[row, BEFORE]
        total += costs.again * again
    return total


@inner_kernel
def _go_on(tracks, costs, line, beam, walks, state, frame, edge, inside, made):  # type: ignore[no-untyped-def]
    """Let a walk go on by every edge, or by the one that it is in; how many walks there are then.

    edge, inside  the edge that it is in, -1 for none, and how many frames of it were played
    """
    walk, frames = walks[state], len(beam.heads) - 1
    begin, stop = tracks.out_start[walk.node], tracks.out_start[walk.node + 1]
    if edge >= 0:
        begin, stop = edge, edge + 1
    segment, admitted = -1, beam.keys.shape[1]
    for e in range(begin, stop):
        first = tracks.edges[e].first + inside
        last = min(tracks.edges[e + 1].first, first + frames - frame)
        after, most = frame + last - first, np.inf
        if beam.admitted[after] == admitted and admitted >= beam.width:
            most = beam.keys[after, 0]
        cost = walk.cost + costs.frame[last - 1]
        if edge < 0:
            cost = _add_wishes(cost, costs, e, walk, beam.closed, frame)
        elif inside > 0:
            cost -= costs.frame[first - 1]
        if cost < most:
            cost += stretch_cost(tracks, e, first, last, walk, line, most - cost)
        if cost >= most:
            continue
        new = walks[made]
        follow_edge(tracks, e, first, last, walk, new)
        new.cost, new.key, new.node = cost, cost, tracks.edges[e].to
        if after < frames:
            left = (frames - after) // COARSE
            bound = rest_bound(tracks.reach, new.node, left, new, line, (most - cost) / COARSE)
            new.key += COARSE * bound
        if new.key >= most:
            continue
        beam.admitted[after] = _admit(beam.keys, after, beam.admitted[after], new.key)
        new.parent, new.edge, new.next, new.frames = state, e, beam.heads[after], after
        new.first, new.began, new.closed = walk.first, walk.began, walk.closed
        leaves, opens = costs.sources[e, LEAVES], costs.sources[e, OPENS]
        if leaves >= 0:
            new.first, new.began = opens, after
            if edge < 0 and walk.first >= 0:
                if segment < 0:  # one for all edges that leave it
                    segment = beam.ended[0]
                    beam.ended[0] += 1
                    row = beam.closed[segment]
                    row[SEGMENT_FIRST], row[SEGMENT_STOP] = walk.first, leaves
                    row[SEGMENT_END], row[BEFORE] = frame, walk.closed
                new.closed = segment
        elif walk.first < 0:
            new.first = opens
        beam.heads[after] = made
        made += 1
    return made


@lean_kernel
def search_beam(tracks, costs, line, beam, walks, flag):  # type: ignore[no-untyped-def]
    """Let walks go on frame by frame, of all at a frame only the best; return how it ended.

    tracks   `branch_and_bound.TrackArrays`, whose reach is of every COARSE-th frame
    costs    `beam.WalkCosts`;  beam  a `beam.Beam`
    walks    (R,) memory that begins with the walks to go on from; one alone may be in an edge,
             after so many of its `frames`
    flag     (1,) the search ends once this is not 0

    Without room it ends before a walk goes on, and goes on with it in larger memory.
    """
    progress = beam.progress
    for frame in range(progress[FRAME], len(beam.heads) - 1):
        if flag[0] != 0:
            return STOPPED
        edge, inside = -1, 0
        if frame == 0:
            edge, inside = walks[0].edge, walks[0].frames
        elif progress[GOING] < 0:
            progress[GOING] = _keep_best(walks, beam.heads[frame], beam)
        while progress[AT] < progress[GOING]:
            state = beam.kept[progress[AT]]
            node, made = walks[state].node, progress[MADE]
            if made + max(tracks.out_start[node + 1] - tracks.out_start[node], 1) > len(walks):
                return NO_ROOM
            progress[MADE] = _go_on(
                tracks, costs, line, beam, walks, state, frame, edge, inside, made
            )
            progress[OPENED] += 1
            progress[AT] += 1
        progress[FRAME], progress[GOING], progress[AT] = frame + 1, -1, 0
    return DONE
