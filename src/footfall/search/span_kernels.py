"""Compiled: best paths from contact change to contact change. Import lazily: brings in numba."""

from __future__ import annotations

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.search.heap_kernels import pop, push
from footfall.search.shortest_path import FAR

STATE, PATHS, PIECES = range(3)
"""What the counts of `best_spans` are: states that are done, paths and pieces that were found."""


@lean_kernel
def best_spans(  # type: ignore[no-untyped-def]
    frames, sources, out_start, switches, stays, most, keys, items, ends, spans, pieces, counts
):
    """Fill the best paths from S states, each inside its phase, to the states that end it.

    frames     (F,) records (`cull.FRAME`), whose memory is overwritten
    sources    (S,) the frame of each state
    out_start, switches   transitions (`cull.SWITCH`) by the frame that they leave
    stays      how many frames a transition takes;  most  paths of more pieces are left out
    keys, items  memory for a heap of as many entries as there are frames and transitions
    ends       (S,) records (`cull.END`) that cost `FAR`: memory
    spans      records (`cull.SPAN`), ordered by the first and the last state
    pieces     (N, 2) the first and the last frame of each piece of all paths
    counts     (3,) how far it came; it goes on from there

    Returns whether there was room for all paths.
    """
    for state in range(counts[STATE], len(sources)):
        counts[STATE] = state
        paths, used, room = counts[PATHS], counts[PIECES], len(ends) * most
        if paths + len(ends) > len(spans) or used + room > len(pieces):
            return False
        _search(frames, sources[state], state, out_start, switches, keys, items, ends)
        for to in range(len(ends)):
            end = ends[to]
            if end.cost == FAR:
                continue
            count = _trace(frames, end.via, sources[state], stays, most, used, pieces)
            if count <= most:
                span = spans[paths]
                span.first, span.last, span.via, span.pieces = state, to, end.via, count
                span.cost = end.cost
                paths, used = paths + 1, used + count
            end.cost = FAR
        counts[PATHS], counts[PIECES] = paths, used
    return True


@inner_kernel
def _search(frames, source, stamp, out_start, switches, keys, items, ends):  # type: ignore[no-untyped-def]
    """Fill the least costs from the frame `source` inside its phase.

    stamp  marks the frames whose memory is of this search
    ends   (S,) filled: the cost of each state that is reached, and from where: the frame before
           it, or the frame at rest
    """
    count = 1
    first = frames[source]
    first.cost, first.parent, first.seen = 0.0, -1, stamp
    push(keys, items, 0, 0.0, source)
    while count > 0:
        cost, at = pop(keys, items, count)
        count -= 1
        frame = frames[at]
        if cost > frame.cost:
            continue
        after = cost + frame.effort
        for at_rest in range(2):
            state, total = (frame.rests_at, cost) if at_rest else (frame.leads_to, after)
            if state >= 0 and total < ends[state].cost and not (at_rest and at == source):
                end = ends[state]
                end.cost, end.via = total, at
        begin = out_start[at]
        for e in range(begin - 1, out_start[at + 1]):
            if e < begin and not frame.goes_on:
                continue
            head, total = at + 1, after
            if e >= begin:
                head, total = switches[e].head, cost + switches[e].cost
            there = frames[head]
            if there.seen != stamp or total < there.cost:
                there.cost, there.parent, there.seen = total, at, stamp
                push(keys, items, count, total, head)
                count += 1


@inner_kernel
def _trace(frames, frame, source, stays, most, used, pieces):  # type: ignore[no-untyped-def]
    """Write the path from `source` to `frame` as pieces; return how many, which may be too many.

    stays   how many frames a transition takes
    pieces  (N, 2) filled from `used` on with the first and the last frame of each, at most `most`
    """
    count, last = 0, frame
    while True:
        before = frames[frame].parent
        if frame == source or before != frame - 1:
            if count < most:
                pieces[used + count, 0] = frame if frame == source else frame - stays
                pieces[used + count, 1] = last
            count += 1
            last = before
        if frame == source:
            break
        frame = before
    for k in range(count // 2 if count <= most else 0):
        one, other = used + k, used + count - 1 - k
        for side in range(2):
            pieces[one, side], pieces[other, side] = pieces[other, side], pieces[one, side]
    return count
