"""Weights of examples: cardinal, never negative, of sum one, and true to the parameters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from footfall.blending.weight_kernels import cardinal_weights
from footfall.blending.weights import bspline_bell, make_basis
from footfall.errors import InputError
from tests.sweeps import examples


def scattered(rng, count=20, many=3):
    values = rng.uniform(-1.0, 1.0, (count, many)) * [3.0, 1.0, 0.5][:many] + 1.0
    return make_basis(("speed", "turn", "style")[:many], values)


def plain_weights(basis, asked):
    """Park's weights, written down from the paper with numpy alone."""
    p = (np.asarray(asked) - basis.low) / basis.span
    ones = np.column_stack([np.ones(len(basis)), basis.points])
    linear = np.linalg.lstsq(ones, np.eye(len(basis)), rcond=None)[0]
    apart = np.linalg.norm(basis.points[:, None] - basis.points[None], axis=-1)
    alpha = np.where(apart > 0, apart, np.inf).min(axis=1)
    rest = np.eye(len(basis)) - ones @ linear
    bells = bspline_bell(apart / alpha[None, :])
    radial = np.linalg.solve(bells, rest)
    return np.concatenate([[1.0], p]) @ linear + (
        bspline_bell(np.linalg.norm(p - basis.points, axis=1) / alpha) @ radial
    )


def test_the_basis_functions_are_those_of_the_paper(rng):
    basis = scattered(rng)
    out = np.empty(len(basis))
    for _ in range(50):
        asked = rng.uniform(-1.0, 3.0, 3)
        cardinal_weights(asked, basis.arrays, out)
        assert out == pytest.approx(plain_weights(basis, asked), abs=1e-8)


def test_at_an_example_the_weight_is_its_own(rng):
    basis = scattered(rng)
    for n, row in enumerate(basis.values):
        weights, given_back = basis.weights(row)
        assert weights == pytest.approx(np.eye(len(basis))[n], abs=1e-6)
        assert given_back == pytest.approx(row, abs=1e-6)


@examples(60)
@given(seed=st.integers(0, 10_000), count=st.integers(2, 30), many=st.integers(1, 3))
def test_inside_the_hull_the_weights_give_what_was_asked_for(seed, count, many):
    rng = np.random.default_rng(seed)
    basis = scattered(rng, count, many)
    asked = rng.dirichlet(np.full(count, 0.4)) @ basis.values
    weights, given_back = basis.weights(asked)
    assert weights.min() >= 0.0
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert (given_back - asked) / basis.span == pytest.approx(np.zeros(many), abs=1e-5)


def test_outside_of_it_they_go_to_the_nearest_point(rng):
    basis = scattered(rng)
    for _ in range(40):
        asked = basis.values.mean(axis=0) + rng.normal(size=3) * basis.span * 2.0
        p = (asked - basis.low) / basis.span
        rows = np.vstack([basis.points.T, np.full(len(basis), 1e5)])
        best, _ = nnls(rows, np.append(p, 1e5))
        weights, _ = basis.weights(asked)
        near, found = best @ basis.points, weights @ basis.points
        assert np.linalg.norm(found - p) <= np.linalg.norm(near - p) * 1.02 + 1e-4


def test_they_say_whether_a_blend_has_what_is_asked_for(rng):
    basis = scattered(rng)
    for _ in range(40):
        inside = rng.dirichlet(np.ones(len(basis))) @ basis.values
        assert basis.covers(inside)
        outside = basis.values.max(axis=0) + rng.uniform(0.05, 2.0, 3) * basis.span
        assert not basis.covers(outside)


@pytest.mark.parametrize("asked", [[np.nan, 0, 0], [np.inf, 0, 0], [1.0, 2.0], [[1.0, 0.0, 0.0]]])
def test_parameters_that_are_none_are_refused(rng, asked):
    with pytest.raises(InputError, match="finite numbers for speed, turn, style"):
        scattered(rng).weights(np.array(asked))


@pytest.mark.parametrize("far", [10.0, 1e9, 1e300])
def test_what_is_absurdly_far_goes_to_an_end(rng, far):
    basis = scattered(rng)
    asked = basis.values.mean(axis=0) + np.array([far, 0.0, 0.0])
    _, found = basis.weights(asked)
    assert found[0] > basis.values[:, 0].max() - 0.2 * basis.span[0]


def test_they_do_not_jump_between_neighbouring_wishes(rng):
    basis = scattered(rng)
    a, b = basis.values[3], basis.values[11]
    share = np.linspace(0.0, 1.0, 2001)[:, None]
    found = np.array([basis.weights(p)[0] for p in a + share * (b - a)])
    assert np.abs(np.diff(found, axis=0)).max() < 0.05


@pytest.mark.parametrize(
    "values",
    [
        [[1.2, 0.0, 0.0]],
        [[1.2, 0.0, 0.0], [1.2, 0.0, 0.0]],
        [[0.8, 0.0, 0.0], [1.2, 0.0, 0.0], [1.7, 0.0, 0.0]],
        [[0.8, 0.1, 0.0], [1.2, 0.2, 0.0], [1.6, 0.3, 0.0]],
    ],
    ids=["one", "two alike", "one parameter varies", "on a line"],
)
def test_degenerate_sets_work(values):
    basis = make_basis(("speed", "turn", "style"), np.array(values))
    for asked in ([1.2, 0.0, 0.0], [5.0, 2.0, 1.0], [-3.0, 0.0, 0.0]):
        weights, given_back = basis.weights(np.array(asked))
        assert np.isfinite(weights).all()
        assert weights.sum() == pytest.approx(1.0)
        low, high = basis.values.min(axis=0), basis.values.max(axis=0)
        assert (given_back >= low - 1e-9).all()
        assert (given_back <= high + 1e-9).all()


@pytest.mark.parametrize("values", [np.zeros((0, 3)), np.full((2, 3), np.nan)])
def test_no_examples_or_nothing_finite_is_refused(values):
    with pytest.raises(InputError, match="at least one example"):
        make_basis(("speed", "turn", "style"), values)
