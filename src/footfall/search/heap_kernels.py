"""A compiled binary heap in two plain arrays. Import lazily: it brings in numba.

`keys` and `items` have room for more entries than the heap holds; the caller keeps the count.

Those with `wide` in their names are for heaps of millions of entries: each entry has four below it,
not two, which lie side by side, so that half as many places in memory are waited for.
"""

from __future__ import annotations

from footfall.maths.jit_kernels import lean_kernel


@lean_kernel
def push(keys, items, count, key, item):  # type: ignore[no-untyped-def]
    """Put one entry into a heap of `count` entries that has room for it; the caller counts up."""
    i = count
    while i > 0:
        up = (i - 1) >> 1
        if keys[up] <= key:
            break
        keys[i], items[i] = keys[up], items[up]
        i = up
    keys[i], items[i] = key, item


@lean_kernel
def pop(keys, items, count):  # type: ignore[no-untyped-def]
    """Take the entry of least key off a heap of `count` entries; the caller counts down."""
    key, item = keys[0], items[0]
    last_key, last_item = keys[count - 1], items[count - 1]
    i, child = 0, 1
    while child < count - 1:
        if child + 1 < count - 1 and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= last_key:
            break
        keys[i], items[i] = keys[child], items[child]
        i, child = child, 2 * child + 1
    keys[i], items[i] = last_key, last_item
    return key, item


@lean_kernel
def wide_push(keys, items, count, key, item):  # type: ignore[no-untyped-def]
    """`push` for a heap with four below each entry."""
    i = count
    while i > 0:
        up = (i - 1) >> 2
        if keys[up] <= key:
            break
        keys[i], items[i] = keys[up], items[up]
        i = up
    keys[i], items[i] = key, item


@lean_kernel
def wide_pop(keys, items, count):  # type: ignore[no-untyped-def]
    """`pop` for a heap with four below each entry."""
    key, item = keys[0], items[0]
    _wide_sink(keys, items, 0, count - 1, keys[count - 1], items[count - 1])
    return key, item


@lean_kernel
def wide_heapify(keys, items, count):  # type: ignore[no-untyped-def]
    """Make a heap with four below each entry of the first `count` entries, in whatever order."""
    for first in range((count + 2) >> 2, -1, -1):
        if first < count:
            _wide_sink(keys, items, first, count, keys[first], items[first])


@lean_kernel
def _wide_sink(keys, items, i, count, key, item):  # type: ignore[no-untyped-def]
    """Put an entry into the free place i, or below it, of a heap of `count` entries."""
    child = 4 * i + 1
    while child < count:
        least, lowest = child, keys[child]
        for other in range(child + 1, min(child + 4, count)):
            if keys[other] < lowest:
                least, lowest = other, keys[other]
        if lowest >= key:
            break
        keys[i], items[i] = lowest, items[least]
        i, child = least, 4 * least + 1
    keys[i], items[i] = key, item
