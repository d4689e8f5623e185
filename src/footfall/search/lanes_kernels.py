"""Waiting states in lanes, by how much they seem to have left. Import lazily: it brings in numba.

One heap lets those wait that came far but got dear until all that is cheaper was tried, wherever it
is. With lanes the best of each is expanded in turn, from those that have the most left to those
that have the least: whatever place is hard to get through has its share, and no more than that.
The heaps are pairing heaps (Fredman et al. 1986) over entries that all lanes share.
"""

from __future__ import annotations

from footfall.maths.jit_kernels import spliced_kernel
from footfall.search.ara_kernels import CLOSED, EXPANDED, WAITING

USED, TURN, SWEEPS = 0, 1, 2
"""What the counts of lanes are: entries used; the lane whose turn it is; sweeps over lanes."""


@spliced_kernel
def _meld(entries, a, b):  # type: ignore[no-untyped-def]
    """The root of two trees."""
    if entries[b].key < entries[a].key:
        a, b = b, a
    entries[b].sibling = entries[a].child
    entries[a].child = b
    return a


@spliced_kernel
def put_in_lane(lanes, state, key, estimate):  # type: ignore[no-untyped-def]
    """Let a state that seems to have `estimate` left wait in its lane."""
    number = lanes.counts[USED]
    lanes.counts[USED] += 1
    entry = lanes.entries[number]
    entry.key, entry.item, entry.child, entry.sibling = key, state, -1, -1
    lane = max(lanes.roots.shape[0] - 1 - int(estimate * lanes.per_cost), 0)
    root = lanes.roots[lane]
    lanes.roots[lane] = number if root < 0 else _meld(lanes.entries, root, number)


@spliced_kernel
def _take_first(entries, roots, lane):  # type: ignore[no-untyped-def]
    """Take the state of least key off a lane that has any."""
    root = roots[lane]
    pairs, at = -1, entries[root].child
    while at >= 0:  # two by two, the pairs listed backward
        other, after = entries[at].sibling, -1
        entries[at].sibling = -1
        if other >= 0:
            after = entries[other].sibling
            entries[other].sibling = -1
            at = _meld(entries, at, other)
        entries[at].sibling = pairs
        pairs, at = at, after
    whole = -1
    while pairs >= 0:
        after = entries[pairs].sibling
        entries[pairs].sibling = -1
        whole = pairs if whole < 0 else _meld(entries, whole, pairs)
        pairs = after
    roots[lane] = whole
    return entries[root].item


@spliced_kernel
def take_from_lanes(lanes, states):  # type: ignore[no-untyped-def]
    """Take the next state, and close it; -1 if nothing waits.

    Sweeps go to the foremost lane, each from another one behind it: one, two, one, four, one, two,
    one, eight lanes and so on. So the front has most of the turns, and no lane is forgotten.
    """
    last = lanes.roots.shape[0] - 1
    while True:
        lane = lanes.counts[TURN]
        while lane <= last:
            while lanes.roots[lane] >= 0:
                state = _take_first(lanes.entries, lanes.roots, lane)
                if states[state].mark & (WAITING | CLOSED) == WAITING:  # else it is out of date
                    states[state].mark = CLOSED | EXPANDED
                    lanes.counts[TURN] = lane + 1
                    return state
            lane += 1
        front = last
        while front >= 0 and lanes.roots[front] < 0:
            front -= 1
        if front < 0:
            return -1
        lanes.counts[SWEEPS] += 1
        number = lanes.counts[SWEEPS]
        lanes.counts[TURN] = max(front + 1 - (number & -number), 0)
