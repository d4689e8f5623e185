"""Repeated-measures statistics against independent ways to the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from footfall.errors import InputError
from footfall.papers.statistics import analyse, tukey
from tests.sweeps import THOROUGH


def made(seed: int, runs: int = 20, techniques: int = 5, effect: float = 0.5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(runs, 1)) * 3.0
        + effect * np.arange(techniques)
        + rng.normal(size=(runs, techniques))
    )


@pytest.mark.parametrize("seed", range(5))
def test_f_of_two_techniques_is_the_square_of_the_paired_t(seed: int) -> None:
    table = made(seed, techniques=2)
    t = stats.ttest_rel(table[:, 0], table[:, 1])
    found = analyse(table)
    assert found.f == pytest.approx(t.statistic**2)
    assert found.p == pytest.approx(t.pvalue)
    assert tukey(table)[0].p == pytest.approx(t.pvalue, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_f_equals_that_of_nested_linear_models(seed: int) -> None:
    table = made(seed)
    runs, techniques = table.shape
    who = np.kron(np.eye(runs), np.ones((techniques, 1)))
    which = np.kron(np.ones((runs, 1)), np.eye(techniques))
    left = [
        float(np.sum((table.ravel() - m @ np.linalg.lstsq(m, table.ravel(), rcond=None)[0]) ** 2))
        for m in (who, np.hstack([who, which]))
    ]
    found = analyse(table)
    expected = ((left[0] - left[1]) / found.between) / (left[1] / found.within)
    assert found.f == pytest.approx(expected)
    assert (found.between, found.within) == (4, 76)


def test_false_alarms_come_as_often_as_they_are_allowed() -> None:
    tables = [made(seed, runs=12, effect=0.0) for seed in range(400 if THOROUGH else 250)]
    share = np.mean([analyse(t).p < 0.05 for t in tables])
    family = np.mean(
        [min(pair.p for pair in tukey(t)) < 0.05 for t in tables[: 150 if THOROUGH else 40]]
    )
    assert 0.02 < share < 0.09
    assert family < 0.12


def test_what_differs_between_runs_does_not_count() -> None:
    table = made(1)
    moved = table + np.linspace(-50.0, 50.0, len(table))[:, None]
    assert analyse(moved).f == pytest.approx(analyse(table).f)


def test_equal_columns_have_no_effect_and_shifted_ones_a_sure_one() -> None:
    column = np.random.default_rng(0).normal(size=(9, 1))
    assert analyse(np.repeat(column, 3, axis=1)).f == 0.0
    assert analyse(column + np.arange(3.0)).p == 0.0


@pytest.mark.parametrize("epsilon_of", [0, 3])
def test_sphericity_is_one_for_equal_variances_and_less_for_unequal(epsilon_of: int) -> None:
    rng = np.random.default_rng(2)
    spread = 1.0 + epsilon_of * np.arange(4)
    table = rng.normal(size=(4000, 4)) * spread
    epsilon = analyse(table).epsilon
    assert epsilon == pytest.approx(1.0, abs=0.02) if epsilon_of == 0 else 0.3 < epsilon < 0.8


@pytest.mark.parametrize("values", [[[1.0, 2.0]], [[1.0], [2.0]], [[1.0, np.nan], [1.0, 2.0]]])
def test_tables_too_small_or_not_finite_are_refused(values: list[list[float]]) -> None:
    with pytest.raises(InputError):
        analyse(values)
