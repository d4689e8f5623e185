"""Rounding to grids: what is near stays together, and products become exact."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

from footfall.body.edit import round_clip
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.rounding import (
    FINE,
    POSITION_M,
    ROTATION,
    exact_factors,
    round_fields,
    round_rotations,
    round_to_grid,
)
from tests.clips import steady

STEPS = (FINE, POSITION_M, ROTATION)


@pytest.mark.parametrize("step", STEPS)
def test_values_move_by_about_half_a_step_at_most(step: float, rng: np.random.Generator) -> None:
    values = rng.normal(size=10_000)
    assert np.abs(round_to_grid(values, step) - values).max() < 0.55 * step


@pytest.mark.parametrize("step", STEPS)
def test_grid_points_and_infinities_stay(step: float, rng: np.random.Generator) -> None:
    grid = rng.integers(-(2**20), 2**20, 1000) * step
    np.testing.assert_array_equal(round_to_grid(grid, step), grid)
    np.testing.assert_array_equal(round_to_grid([np.inf, -np.inf], step), [np.inf, -np.inf])


def test_both_signs_are_rounded_alike_and_zero_has_none(rng: np.random.Generator) -> None:
    values = rng.normal(size=1000)
    np.testing.assert_array_equal(round_to_grid(-values), -round_to_grid(values))
    assert not np.signbit(round_to_grid([-0.0, -1e-12])).any()


def test_errors_at_means_of_grid_points_change_nothing(rng: np.random.Generator) -> None:
    grid = rng.integers(-(2**20), 2**20, (1000, 2)) * POSITION_M
    means = grid.mean(axis=1)
    for error in (1e-15, -1e-15):
        np.testing.assert_array_equal(
            round_to_grid(means + error, POSITION_M), round_to_grid(means, POSITION_M)
        )


def test_errors_of_other_cpus_rarely_change_a_clip(rng: np.random.Generator) -> None:
    clip = steady("walk", 1.3, seconds=2.0, fps=30.0)
    noise = rng.normal(scale=1e-14, size=clip.rotations.shape)
    changed = round_to_grid(clip.rotations, ROTATION) != round_to_grid(
        clip.rotations + noise, ROTATION
    )
    assert changed.sum() <= 1


def test_rounded_clips_have_unit_rotations_and_are_hardly_moved() -> None:
    clip = steady("walk", 1.3, seconds=1.0, fps=30.0)
    rounded = round_clip(clip)
    assert np.abs(rounded.root - clip.root).max() < POSITION_M
    assert quat.angle_between(rounded.rotations, clip.rotations).max() < 6.0 * ROTATION
    np.testing.assert_allclose(np.linalg.norm(rounded.rotations, axis=-1), 1.0, atol=1e-15)


def test_stored_rotations_are_exact_in_32_bits(rng: np.random.Generator) -> None:
    turns = round_to_grid(quat.normalise(rng.normal(size=(1000, 4))), ROTATION)
    np.testing.assert_array_equal(turns.astype(np.float32).astype(np.float64), turns)
    np.testing.assert_array_equal(round_rotations(turns), quat.normalise(turns))


def test_products_of_exact_factors_do_not_depend_on_the_order(rng: np.random.Generator) -> None:
    rows = exact_factors(rng.normal(size=(60, 40)) * rng.uniform(0.01, 3.0, 40))
    wanted = rows @ rows.T
    for _ in range(5):
        order = rng.permutation(40)
        np.testing.assert_array_equal(rows[:, order] @ rows[:, order].T, wanted)
    one_by_one = sum(np.outer(column, column) for column in rows.T)
    np.testing.assert_array_equal(one_by_one, wanted)


def test_exact_factors_keep_seven_digits(rng: np.random.Generator) -> None:
    for scale, rows in itertools.product((1e-6, 1.0, 1e6), (1, 30)):
        values = rng.normal(size=(rows, 20)) * scale
        longest = np.linalg.norm(values, axis=1).max()
        assert np.abs(exact_factors(values) - values).max() < 2e-8 * longest
    assert not exact_factors(np.zeros((3, 2))).any()


def test_fields_of_a_model_are_rounded_by_name() -> None:
    @dataclass(frozen=True)
    class Model:
        cost: float
        places: Floats
        name: str = "kept"

    rounded = round_fields(Model(0.1, np.array([0.2, 0.3])), cost=0.25, places=0.5)
    assert (rounded.cost, rounded.places.tolist(), rounded.name) == (0.0, [0.0, 0.5], "kept")
