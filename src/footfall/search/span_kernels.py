"""Compiled: best paths from contact change to contact change. Import lazily: brings in numba."""

from __future__ import annotations

import numpy as np

from footfall.maths.jit_kernels import kernel
from footfall.search.heap_kernels import pop, push


@kernel
def paths_from(  # type: ignore[no-untyped-def]
    source, goes_on, leads_to, rests_at, effort, out_start, heads, switch_costs,
    costs, parents, seen, stamp, best, via, reached,
):  # fmt: skip
    """Least costs from the frame `source` inside its phase, to every state that ends it.

    goes_on       (F,) whether the next frame is in the same phase
    leads_to      (F,) the state that the next frame is, or -1     rests_at  (F,) likewise the frame
    effort        (F,) from each frame to the next
    out_start, heads, switch_costs   transitions by the frame that they leave, to where they end
    costs, parents, seen  (F,) memory: valid where `seen` is `stamp`
    best, via     (S,) filled: cost of each state that is reached, inf elsewhere, and from where:
                  the frame before it, or the frame at rest
    reached       (S,) filled with these states, as many as are returned
    """
    room, count, found = 4096, 1, 0
    keys, nodes = np.empty(room), np.empty(room, np.int64)
    costs[source], parents[source], seen[source] = 0.0, -1, stamp
    push(keys, nodes, 0, 0.0, source)
    while count > 0:
        cost, frame = pop(keys, nodes, count)
        count -= 1
        if cost > costs[frame]:
            continue
        rest = rests_at[frame]
        if rest >= 0 and frame != source and cost < best[rest]:
            if best[rest] == np.inf:
                reached[found] = rest
                found += 1
            best[rest], via[rest] = cost, frame
        after = cost + effort[frame]
        state = leads_to[frame]
        if state >= 0 and after < best[state]:
            if best[state] == np.inf:
                reached[found] = state
                found += 1
            best[state], via[state] = after, frame
        first, last = out_start[frame], out_start[frame + 1]
        if count + last - first + 1 > room:
            more = room + last - first + 1
            keys = np.append(keys, np.empty(more))
            nodes = np.append(nodes, np.empty(more, np.int64))
            room += more
        if goes_on[frame]:
            head = frame + 1
            if seen[head] != stamp or after < costs[head]:
                costs[head], parents[head], seen[head] = after, frame, stamp
                push(keys, nodes, count, after, head)
                count += 1
        for e in range(first, last):
            head, now = heads[e], cost + switch_costs[e]
            if seen[head] != stamp or now < costs[head]:
                costs[head], parents[head], seen[head] = now, frame, stamp
                push(keys, nodes, count, now, head)
                count += 1
    return found


@kernel
def trace_pieces(parents, frame, source, stays, pieces):  # type: ignore[no-untyped-def]
    """Write the path from `source` to `frame` as runs of frames, last first; how many there are.

    stays   how many frames a transition takes
    pieces  (N, 2) filled with the first and the last frame of each; too few are not overrun
    """
    count, last = 0, frame
    while True:
        before = parents[frame]
        if frame == source or before != frame - 1:
            if count < len(pieces):
                pieces[count, 0] = frame if frame == source else frame - stays
                pieces[count, 1] = last
            count += 1
            last = before
        if frame == source:
            return count
        frame = before
