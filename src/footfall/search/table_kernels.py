"""A table that finds states by keys, in one array of slots. Import lazily: it brings in numba.

A slot is 0 if it is empty. Else it holds half of a key's hash, and the number of a state plus 1. A
key has the slot that this half gives when it is shifted, or the next one that is empty.
"""

from __future__ import annotations

import numpy as np

from footfall.maths.jit_kernels import lean_kernel, spliced_kernel

LOW = (1 << 31) - 1
"""The bits of a slot that hold the number of a state."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


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
