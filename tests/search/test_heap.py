"""Heaps give back what was put into them, the least first."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.search.heap_kernels import pop, push, wide_heapify, wide_pop, wide_push

HEAPS = {"two": (push, pop), "four": (wide_push, wide_pop)}


@pytest.mark.parametrize("kind", HEAPS)
@pytest.mark.parametrize("count", [0, 1, 2, 4, 5, 6, 21, 22, 1000])
def test_entries_come_in_the_order_of_their_keys(kind, count):
    put, take = HEAPS[kind]
    rng = np.random.default_rng(count)
    given = rng.integers(0, max(count // 2, 1), count).astype(np.float64)
    keys, items = np.empty(count + 1), np.empty(count + 1, np.int64)
    for n, key in enumerate(given):
        put(keys, items, n, key, n)
    out = [take(keys, items, left) for left in range(count, 0, -1)]
    assert [key for key, _ in out] == sorted(given)
    assert sorted(item for _, item in out) == list(range(count))
    assert all(given[item] == key for key, item in out)


@pytest.mark.parametrize("count", [0, 1, 2, 4, 5, 6, 21, 22, 1000])
def test_a_heap_is_made_of_entries_in_any_order(count):
    given = np.random.default_rng(count).random(count)
    keys, items = np.append(given, 0.0), np.arange(count + 1)
    wide_heapify(keys, items, count)
    out = [wide_pop(keys, items, left) for left in range(count, 0, -1)]
    assert [key for key, _ in out] == sorted(given)
    assert all(given[item] == key for key, item in out)


def test_puts_and_takes_may_alternate():
    rng = np.random.default_rng(3)
    keys, items, held = np.empty(500), np.empty(500, np.int64), []
    for n in range(500):
        key = float(rng.random())
        wide_push(keys, items, len(held), key, n)
        held.append(key)
        if rng.random() < 0.4:
            least, _ = wide_pop(keys, items, len(held))
            assert least == min(held)
            held.remove(least)
