"""The parts of an anytime search (ARA*) that are the same for every domain, over plain arrays.

A domain's own loop takes states off OPEN (`take_state`), relaxes their successors
(`offer_state`), and between two improvements calls `rekey_states`. Import lazily: it brings in
numba.

Each state has a mark: `WAITING` if its cost fell since it was last expanded, `CLOSED` if it was
expanded in this improvement, `EXPANDED` if it ever was. OPEN are the states that wait and are
not closed; they are on the heap, perhaps more than once. INCONS are those that wait and are
closed: they come back by `rekey_states`, so that no list of them is needed.
"""

from __future__ import annotations

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, lean_kernel, spliced_kernel
from footfall.search.heap_kernels import wide_heapify, wide_pop, wide_push

WAITING, CLOSED, EXPANDED = 1, 2, 4
FINISHED, PAUSED, CANCELLED, FULL = 0, 1, 2, 3
"""How a loop ends: the improvement is complete, or there is more to do, or no room for it."""
EQUAL = 1e-9
"""Costs that differ by no more than this share of them are the same."""
LOW = (1 << 31) - 1
"""The bits of a slot that hold the number of a state."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@inner_kernel
def take_state(mark, keys, items, count, limit):  # type: ignore[no-untyped-def]
    """Take the state of least key off OPEN and close it: the state, -1 if its key is not below
    `limit`; and how many entries are left.
    """
    while count > 0:
        state = items[0]
        if mark[state] & (WAITING | CLOSED) != WAITING:  # an entry that is out of date
            wide_pop(keys, items, count)
            count -= 1
            continue
        if keys[0] >= limit:
            return -1, count
        wide_pop(keys, items, count)
        mark[state] = CLOSED | EXPANDED
        return state, count - 1
    return -1, 0


@inner_kernel
def offer_state(state, key, mark, keys, items, count, reopen):  # type: ignore[no-untyped-def]
    """Let a state whose cost just fell wait for its expansion; how many entries the heap has.

    If it is closed it waits for the next improvement, unless `reopen`.
    """
    if mark[state] & CLOSED and not reopen:
        mark[state] |= WAITING
        return count
    mark[state] = (mark[state] & EXPANDED) | WAITING
    wide_push(keys, items, count, key, state)
    return count + 1


@inner_kernel
def key_of(cost, estimate, epsilon):  # type: ignore[no-untyped-def]
    """The key of a state on the heap: a trifle too low, so that the rounding of a heap of 32 bits
    never lets a search end too early.
    """
    return (cost + epsilon * estimate) * (1.0 - 2e-7)


@inner_kernel
def rekey_states(costs, estimates, mark, states, epsilon, limit, keys, items):  # type: ignore[no-untyped-def]
    """Begin an improvement: nothing is closed, and OPEN is all that waits; its number.

    States that cannot lead to less than `limit` are let go.
    """
    for s in range(states):
        waits = mark[s] & WAITING and costs[s] + estimates[s] < limit
        mark[s] = (mark[s] & EXPANDED) | (WAITING if waits else 0)
    return sort_heap(costs, estimates, mark, states, epsilon, keys, items)


@inner_kernel
def sort_heap(costs, estimates, mark, states, epsilon, keys, items):  # type: ignore[no-untyped-def]
    """Make the heap anew, with one entry for each state that is OPEN; its number."""
    count = 0
    for s in range(states):
        if mark[s] & (WAITING | CLOSED) == WAITING:
            keys[count], items[count] = key_of(costs[s], estimates[s], epsilon), s
            count += 1
    wide_heapify(keys, items, count)
    return count


# ---- a table that finds states by keys -------------------------------------------------------
# A slot is 0 if it is empty. Else it holds half of a key's hash, and the number of a state plus 1.
# A key has the slot that this half gives when it is shifted, or the next one that is empty.


@spliced_kernel
def hash_of(key):  # type: ignore[no-untyped-def]
    """63 bits, each of which depends on all of the key."""
    mixed = np.uint64(key)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(29))) * _GOLDEN
    return np.int64(mixed >> np.uint64(1))


@lean_kernel
def fill_slots(old, slots, shift):  # type: ignore[no-untyped-def]
    """Put what is in a table into a larger one, that is empty; in the order of both."""
    last = slots.shape[0] - 1
    for n in range(old.shape[0]):
        if old[n] != 0:
            at = (old[n] >> 31) >> shift
            while slots[at] != 0:
                at = (at + 1) & last
            slots[at] = old[n]
