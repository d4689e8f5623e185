"""The parts of an anytime search (ARA*) that are the same for every domain, over plain arrays.

A domain's own loop takes states off OPEN (`take_state`) and relaxes their successors
(`offer_state`); between two improvements it calls `ara.rekey_states`. Import lazily: it brings in
numba.

States are records with a cost, an estimate and a mark: `WAITING` if its cost fell since it was
last expanded, `CLOSED` if it was expanded in this improvement, `EXPANDED` if it ever was. OPEN are
the states that wait and are not closed; they are on the heap, perhaps more than once. INCONS are
those that wait and are closed: they come back by `rekey_states`, so that no list of them is needed.
"""

from __future__ import annotations

from footfall.maths.jit_kernels import lean_kernel, spliced_kernel
from footfall.search.heap_kernels import wide_pop, wide_push

WAITING, CLOSED, EXPANDED = 1, 2, 4
FINISHED, PAUSED, CANCELLED, FULL = 0, 1, 2, 3
"""How a loop ends: the improvement is complete, or there is more to do, or no room for it."""
EQUAL = 1e-9
"""Costs that differ by no more than this share of them are the same."""
LOW = (1 << 31) - 1
"""The bits of a slot that hold the number of a state."""


@spliced_kernel
def take_state(states, keys, items, count, limit):  # type: ignore[no-untyped-def]
    """Take the state of least key off OPEN and close it: the state, -1 if its key is not below
    `limit`; and how many entries are left.
    """
    while count > 0:
        at, key = items[0], keys[0]
        is_open = states[at].mark & (WAITING | CLOSED) == WAITING  # else it is out of date
        if is_open and key >= limit:
            return -1, count
        wide_pop(keys, items, count)
        count -= 1
        if is_open:
            states[at].mark = CLOSED | EXPANDED
            return at, count
    return -1, 0


@spliced_kernel
def offer_state(at, key, states, keys, items, count, reopen):  # type: ignore[no-untyped-def]
    """Let a state whose cost just fell wait for its expansion; how many entries the heap has.

    If it is closed it waits for the next improvement, unless `reopen`.
    """
    state = states[at]
    if state.mark & CLOSED and not reopen:
        state.mark |= WAITING
        return count
    state.mark = (state.mark & EXPANDED) | WAITING
    wide_push(keys, items, count, key, at)
    return count + 1


@spliced_kernel
def key_of(cost, estimate, epsilon):  # type: ignore[no-untyped-def]
    """The key of a state on the heap: a trifle too low, so that the rounding of a heap of 32 bits
    never lets a search end too early.
    """
    return (cost + epsilon * estimate) * (1.0 - 2e-7)


# ---- a table that finds states by keys -------------------------------------------------------
# A slot is 0 if it is empty. Else it holds half of a key's hash, and the number of a state plus 1.
# A key has the slot that this half gives when it is shifted, or the next one that is empty.


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
