"""Compiled: best paths from contact change to contact change. Import lazily: brings in numba."""

from __future__ import annotations

import numpy as np

from footfall.maths.jit_kernels import kernel
from footfall.search.heap_kernels import pop, push


@kernel
def best_spans(frames, sources, out_start, heads, switch_costs, stays, most):  # type: ignore[no-untyped-def]
    """Return the best paths from S states, each inside its phase, to the states that end it.

    frames   (F,) records (`cull.FRAME`), whose memory is overwritten
    sources  (S,) the frame of each state
    out_start, heads, switch_costs   transitions by the frame that they leave, to where they end
    stays    how many frames a transition takes;  most  longer paths than these pieces are left out

    Rows are ordered by the first and the last state. Returns (P, 4) first and last state, the
    frame before the last, or the one at rest, and number of pieces; costs (P,); pieces (N, 2).
    """
    rows, costs = np.empty((1024, 4), np.int32), np.empty(1024)
    pieces = np.empty((1024, 2), np.int32)
    best, via = np.full(len(sources), np.inf), np.empty(len(sources), np.int32)
    reached = np.empty(len(sources), np.int32)
    paths = used = 0
    for state in range(len(sources)):
        found = _search(
            frames, sources[state], state, out_start, heads, switch_costs, best, via, reached
        )
        if paths + found > len(rows):
            rows = np.append(rows, np.empty((len(rows) + found, 4), np.int32), 0)
            costs = np.append(costs, np.empty(len(rows) - len(costs)))
        for to in np.sort(reached[:found]):
            if used + most > len(pieces):
                pieces = np.append(pieces, np.empty((len(pieces) + most, 2), np.int32), 0)
            count = _trace(frames, via[to], sources[state], stays, pieces[used : used + most])
            if count <= most:
                rows[paths, 0], rows[paths, 1] = state, to
                rows[paths, 2], rows[paths, 3] = via[to], count
                costs[paths] = best[to]
                paths, used = paths + 1, used + count
            best[to] = np.inf
    return rows[:paths], costs[:paths], pieces[:used]


@kernel
def _search(frames, source, stamp, out_start, heads, switch_costs, best, via, reached):  # type: ignore[no-untyped-def]
    """Fill the least costs from the frame `source` inside its phase; return how many states.

    stamp      marks the frames whose memory is of this search
    best, via  (S,) filled: cost of each state that is reached, inf elsewhere, and from where: the
               frame before it, or the frame at rest
    reached    (S,) filled with these states
    """
    room, count, found = 4096, 1, 0
    keys, nodes = np.empty(room), np.empty(room, np.int64)
    frames[source].cost, frames[source].parent, frames[source].seen = 0.0, -1, stamp
    push(keys, nodes, 0, 0.0, source)
    while count > 0:
        cost, at = pop(keys, nodes, count)
        count -= 1
        frame = frames[at]
        if cost > frame.cost:
            continue
        after = cost + frame.effort
        for at_rest in range(2):
            state, total = (frame.rests_at, cost) if at_rest else (frame.leads_to, after)
            if state >= 0 and total < best[state] and not (at_rest and at == source):
                if best[state] == np.inf:
                    reached[found] = state
                    found += 1
                best[state], via[state] = total, at
        first, last = out_start[at], out_start[at + 1]
        if count + last - first + 1 > room:
            more = room + last - first + 1
            keys = np.append(keys, np.empty(more))
            nodes = np.append(nodes, np.empty(more, np.int64))
            room += more
        for e in range(first - 1, last):
            if e < first and not frame.goes_on:
                continue
            head, total = (at + 1, after) if e < first else (heads[e], cost + switch_costs[e])
            there = frames[head]
            if there.seen != stamp or total < there.cost:
                there.cost, there.parent, there.seen = total, at, stamp
                push(keys, nodes, count, total, head)
                count += 1
    return found


@kernel
def _trace(frames, frame, source, stays, pieces):  # type: ignore[no-untyped-def]
    """Write the path from `source` to `frame` as pieces; return how many, which may be too many.

    stays   how many frames a transition takes
    pieces  (N, 2) filled with the first and the last frame of each; too few are not overrun
    """
    count, last = 0, frame
    while True:
        before = frames[frame].parent
        if frame == source or before != frame - 1:
            if count < len(pieces):
                pieces[count, 0] = frame if frame == source else frame - stays
                pieces[count, 1] = last
            count += 1
            last = before
        if frame == source:
            break
        frame = before
    for k in range(min(count, len(pieces)) // 2):
        for side in range(2):
            other = count - 1 - k
            pieces[k, side], pieces[other, side] = pieces[other, side], pieces[k, side]
    return count
