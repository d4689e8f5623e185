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
def lane_of(lanes, estimate):  # type: ignore[no-untyped-def]
    """The lane of a state with so much left."""
    last = lanes.roots.shape[0] - 1
    return max(last - int(estimate * lanes.per_cost), 0)


@spliced_kernel
def _meld(lanes, a, b):  # type: ignore[no-untyped-def]
    """The root of two trees."""
    if lanes.keys[b] < lanes.keys[a]:
        a, b = b, a
    lanes.sibling[b] = lanes.child[a]
    lanes.child[a] = b
    return a


@spliced_kernel
def put_in_lane(lanes, state, key, estimate):  # type: ignore[no-untyped-def]
    """Let a state wait in its lane."""
    entry = lanes.counts[USED]
    lanes.counts[USED] += 1
    lanes.keys[entry], lanes.items[entry] = key, state
    lanes.child[entry], lanes.sibling[entry] = -1, -1
    lane = lane_of(lanes, estimate)
    root = lanes.roots[lane]
    lanes.roots[lane] = entry if root < 0 else _meld(lanes, root, entry)


@spliced_kernel
def _take_first(lanes, lane):  # type: ignore[no-untyped-def]
    """Take the state of least key off a lane that has any."""
    child, sibling = lanes.child, lanes.sibling
    root = lanes.roots[lane]
    pairs, at = -1, child[root]
    while at >= 0:  # two by two, the pairs listed backward
        other = sibling[at]
        after = -1
        sibling[at] = -1
        if other >= 0:
            after = sibling[other]
            sibling[other] = -1
            at = _meld(lanes, at, other)
        sibling[at] = pairs
        pairs, at = at, after
    whole = -1
    while pairs >= 0:
        after = sibling[pairs]
        sibling[pairs] = -1
        whole = pairs if whole < 0 else _meld(lanes, whole, pairs)
        pairs = after
    lanes.roots[lane] = whole
    return lanes.items[root]


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
                state = _take_first(lanes, lane)
                if states.mark[state] & (WAITING | CLOSED) == WAITING:  # else it is out of date
                    states.mark[state] = CLOSED | EXPANDED
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
