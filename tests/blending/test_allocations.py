"""Steady live control takes no memory: kernels allocate nothing, Python keeps nothing."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from footfall.blending.control import Crowd
from footfall.files.scene.read import load_scene
from tests.sweeps import THOROUGH, cover

STEPS = 1000 if THOROUGH else 300


@pytest.fixture
def kernel_allocations():
    """Counts what compiled code has allocated so far."""
    from numba.core.runtime import _nrt_python as runtime
    from numba.core.runtime import rtsys

    before = runtime.memsys_stats_enabled()
    runtime.memsys_enable_stats()
    yield lambda: rtsys.get_allocation_stats().alloc
    if not before:
        runtime.memsys_disable_stats()


@pytest.mark.parametrize(("scene", "count"), cover((None, "hills"), (1, 20)))
def test_hundreds_of_steps_allocate_nothing(space, scene, count, kernel_allocations, rng):
    world = None if scene is None else load_scene(scene)
    crowd = Crowd(space, space.skeleton, count, world)
    crowd.put(np.zeros((count, 3)))
    speeds, turns = rng.uniform(0.0, 3.5, (50, count)), rng.uniform(-1.0, 1.0, (50, count))

    def walk(steps: int) -> None:
        for n in range(steps):
            crowd.step(1 / 60, speeds[n % 50], turns[n % 50])

    walk(100)
    gc.collect()
    before = kernel_allocations()
    walk(STEPS)
    assert kernel_allocations() == before
    tracemalloc.start()
    try:
        walk(100)
        # What is kept in every round is kept by the steps; the rest is of other threads.
        grown = min(_growth(walk) for _ in range(3))
    finally:
        tracemalloc.stop()
    assert grown < 8 * STEPS  # less than one object a step: what is seen are caches of Python


def _growth(walk: Callable[[int], None]) -> int:
    """By how many bytes memory grows in all steps."""
    gc.collect()
    first = tracemalloc.get_traced_memory()[0]
    walk(STEPS)
    gc.collect()
    return tracemalloc.get_traced_memory()[0] - first


def test_what_a_kernel_allocates_would_be_counted(kernel_allocations):
    import numba

    @numba.njit
    def make() -> float:
        return float(np.ones(10).sum())

    make()
    before = kernel_allocations()
    make()
    assert kernel_allocations() == before + 1
