"""Compiled beam search over walks. Import lazily: brings in numba. Arrays: `branch_kernels`."""

from __future__ import annotations

import numpy as np

from footfall.maths.array_kernels import copy_rows, reverse
from footfall.maths.jit_kernels import kernel, lean_kernel
from footfall.search.branch_kernels import COARSE, rest_bound, stretch_cost

COST, KEY, PLACE_X, PLACE_Z, COSINE, SINE, WAY = range(7)
PARENT, EDGE, NODE, NEXT, FIRST, BEGAN, CLOSED = range(7)
SEGMENT_FIRST, SEGMENT_STOP, SEGMENT_END, BEFORE = range(4)
LEAVES, OPENS, ENTERS = range(3)
MOST_ADMITTED = 4096
"""Beams wider than this keep all walks and sort them out later."""


@lean_kernel
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


@lean_kernel
def _is_before(numbers, a, b):  # type: ignore[no-untyped-def]
    """Whether state a is better than b; of equal ones it is the older."""
    return numbers[a, KEY] < numbers[b, KEY] or (numbers[a, KEY] == numbers[b, KEY] and a < b)


@lean_kernel
def _sink(numbers, states, i, count):  # type: ignore[no-untyped-def]
    """Let entry i of a heap of `count` states, the best one first, go down to its place."""
    state, child = states[i], 2 * i + 1
    while child < count:
        if child + 1 < count and _is_before(numbers, states[child + 1], states[child]):
            child += 1
        if not _is_before(numbers, states[child], state):
            break
        states[i] = states[child]
        i, child = child, 2 * child + 1
    states[i] = state


@kernel
def _keep_best(numbers, whole, head, width, per_node, counts, kept):  # type: ignore[no-untyped-def]
    """Write the states of a frame that go on into `kept`, best first; how many."""
    count, state = 0, head
    while state >= 0:
        count += 1
        state = whole[state, NEXT]
    states, state = np.empty(count, np.int64), head
    for n in range(count):
        states[n] = state
        state = whole[state, NEXT]
    for n in range(count // 2 - 1, -1, -1):
        _sink(numbers, states, n, count)
    found = 0
    while count > 0 and found < width:
        state = states[0]
        count -= 1
        states[0] = states[count]
        _sink(numbers, states, 0, count)
        node = whole[state, NODE]
        if counts[node] < per_node:
            counts[node] += 1
            kept[found] = state
            found += 1
    for n in range(found):
        counts[whole[kept[n], NODE]] = 0
    return found


@lean_kernel
def _played_again(sources, edge, own, closed, row, since):  # type: ignore[no-untyped-def]
    """How many source frames of an edge the walk has played already.

    own  the source frame at which the segment began that it is in
    row  the last of its segments in `closed`, -1 for none; those that ended after `since` count
    """
    opens, enters = sources[edge, OPENS], sources[edge, ENTERS]
    again = max(min(enters, sources[edge, LEAVES]) - max(opens, own), 0)
    while row >= 0 and closed[row, SEGMENT_END] > since:
        stop = min(enters, closed[row, SEGMENT_STOP])
        again += max(stop - max(opens, closed[row, SEGMENT_FIRST]), 0)
        row = closed[row, BEFORE]
    return again


@lean_kernel
def _cheapest(numbers, whole, state):  # type: ignore[no-untyped-def]
    """The cheapest of the states that follow each other from one on, the last of equals, or -1."""
    best = -1
    while state >= 0:
        if best < 0 or numbers[state, COST] <= numbers[best, COST]:
            best = state
        state = whole[state, NEXT]
    return best


@kernel
def beam_walk(  # type: ignore[no-untyped-def]
    out_start, edge_to, edge_start, points, way, change, reach, edge_cost, frame_cost, sources,
    again_cost, memory, short_cost, shortest, line, per_metre, begins, frames, width, per_node,
    flag, numbers, whole, chosen,
):  # fmt: skip
    """A walk of `frames` frames that costs little: of all that are under way at a frame only the
    `width` best go on, at most `per_node` at one node.

    begins               where it may begin, and what was played before: `beam.WalkBegins`
    reach                (N, K, 4) where a walk may be after every COARSE-th frame
    edge_cost            (E,) what taking each edge costs beside the distances
    frame_cost           (P,) what the frames of each edge cost, from its first up to each of them
    sources              (E, 3) source frames: a transition leaves a segment before LEAVES (-1: a
                         piece), opens one with OPENS, and ENTERS is the frame that follows
    again_cost, memory   what a source frame costs that was played within so many frames before
    short_cost, shortest what leaving a segment at once costs, falling to 0 after so many frames
    flag                 (1,) the search ends without a walk once this is not 0
    numbers, whole       (R, 7), (R, 7) memory to work in, R more than there are places to begin at

    Returns the cost, how many edges were chosen, which place it begins at, how many nodes were
    opened. There is no such walk if no edges were chosen.
    """
    nodes, edge, poses, history = begins.nodes, begins.edge, begins.poses, begins.history
    room = len(numbers)
    heads = np.full(frames + 1, -1, np.int64)
    counts = np.zeros(len(out_start) - 1, np.int64)
    kept = np.empty(max(width, len(nodes)), np.int64)
    made = len(nodes)
    for n in range(made):
        numbers[n, COST] = numbers[n, KEY] = 0.0
        numbers[n, PLACE_X], numbers[n, PLACE_Z] = poses[n, 0], poses[n, 1]
        numbers[n, COSINE], numbers[n, SINE] = poses[n, 2], poses[n, 3]
        numbers[n, WAY] = begins.ways[n]
        whole[n, PARENT], whole[n, EDGE], whole[n, NODE], whole[n, NEXT] = -1, -1, nodes[n], -1
        whole[n, FIRST], whole[n, BEGAN] = begins.first_played, begins.began
        whole[n, CLOSED] = len(history) - 1
    # Segments that ended: one at most for each walk that goes on.
    closed = np.empty((len(history) + width * frames + made, 4), np.int64)
    copy_rows(history, closed, len(history))
    ended = len(history)
    # The smallest keys of the walks that come to each frame: larger ones would not go on there.
    # Some more are admitted than go on, for not all of them may at one node.
    admitted = min(width + width // 2, MOST_ADMITTED)
    best_keys, admitted_counts = np.empty((frames + 1, admitted)), np.zeros(frames + 1, np.int64)
    opened = 0
    for frame in range(frames):
        if flag[0] != 0:
            return np.inf, 0, -1, opened
        if frame == 0:
            going = made
            for n in range(made):
                kept[n] = n
        else:
            going = _keep_best(numbers, whole, heads[frame], width, per_node, counts, kept)
        for k in range(going):
            state = kept[k]
            opened += 1
            held = frame == 0 and edge >= 0
            node = whole[state, NODE]
            begin, stop = (edge, edge + 1) if held else (out_start[node], out_start[node + 1])
            if made + stop - begin > room:
                while made + stop - begin > room:
                    room *= 2
                more, more_whole = np.empty((room, 7)), np.empty((room, 7), np.int32)
                copy_rows(numbers, more, made)
                copy_rows(whole, more_whole, made)
                numbers, whole = more, more_whole
            px, pz = numbers[state, PLACE_X], numbers[state, PLACE_Z]
            c, s, at = numbers[state, COSINE], numbers[state, SINE], numbers[state, WAY]
            own, ended_before = whole[state, FIRST], whole[state, CLOSED]
            young = max(shortest - (frame - whole[state, BEGAN]), 0) if own >= 0 else 0
            leaving_cost = short_cost * young / shortest
            segment = -1
            for e in range(begin, stop):
                first = edge_start[e] + (begins.inside if held else 0)
                last = min(edge_start[e + 1], first + frames - frame)
                after, node = frame + last - first, edge_to[e]
                most = np.inf
                if admitted_counts[after] == admitted and admitted >= width:
                    most = best_keys[after, 0]
                done = way[first - 1] if first > edge_start[e] else 0.0
                cost = numbers[state, COST] + frame_cost[last - 1]
                leaves, opens = sources[e, LEAVES], sources[e, OPENS]
                if held:
                    cost -= frame_cost[first - 1] if first > edge_start[e] else 0.0
                else:
                    cost += edge_cost[e]
                    if leaves >= 0:
                        cost += leaving_cost
                    if own >= 0 and again_cost > 0.0:
                        cost += again_cost * _played_again(
                            sources, e, own, closed, ended_before, frame - memory
                        )
                if cost >= most:
                    continue
                cost += stretch_cost(
                    points, way, first, last, done, px, pz, c, s, at, line, per_metre, most - cost
                )
                if cost >= most:
                    continue
                x = px + s * change[e, 1] + c * change[e, 0]
                z = pz + c * change[e, 1] - s * change[e, 0]
                cosine = c * change[e, 2] - s * change[e, 3]
                sine = s * change[e, 2] + c * change[e, 3]
                gone, key = at + (way[last - 1] - done), cost
                if after < frames:
                    key += COARSE * rest_bound(
                        reach, node, (frames - after) // COARSE, x, z, cosine, sine, gone,
                        line, per_metre, (most - cost) / COARSE,
                    )  # fmt: skip
                if key >= most:
                    continue
                admitted_counts[after] = _admit(best_keys, after, admitted_counts[after], key)
                numbers[made, COST], numbers[made, KEY], numbers[made, WAY] = cost, key, gone
                numbers[made, PLACE_X], numbers[made, PLACE_Z] = x, z
                numbers[made, COSINE], numbers[made, SINE] = cosine, sine
                whole[made, PARENT], whole[made, EDGE], whole[made, NODE] = state, e, edge_to[e]
                whole[made, FIRST], whole[made, BEGAN] = own, whole[state, BEGAN]
                whole[made, CLOSED] = ended_before
                if leaves >= 0:
                    whole[made, FIRST], whole[made, BEGAN] = opens, after
                    if not held and own >= 0:
                        if segment < 0:
                            segment = ended
                            ended += 1
                            closed[segment, SEGMENT_FIRST] = own
                            closed[segment, SEGMENT_STOP] = leaves
                            closed[segment, SEGMENT_END] = frame
                            closed[segment, BEFORE] = ended_before
                        whole[made, CLOSED] = segment
                elif own < 0:
                    whole[made, FIRST] = opens
                whole[made, NEXT] = heads[after]
                heads[after] = made
                made += 1
    best = _cheapest(numbers, whole, heads[frames])
    if best < 0:
        return np.inf, 0, -1, opened
    length, state = 0, best
    while whole[state, PARENT] >= 0:
        chosen[length] = whole[state, EDGE]
        length += 1
        state = whole[state, PARENT]
    reverse(chosen, length)
    return numbers[best, COST], length, state, opened
