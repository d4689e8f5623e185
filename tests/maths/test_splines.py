"""Uniform cubic B-splines against scipy's, and what their fit promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline

from footfall.errors import InputError
from footfall.maths import splines


@given(st.floats(0.0, 1.0))
def test_bases_sum_to_one_and_their_derivatives_to_zero(u):
    assert splines.basis(u).sum() == pytest.approx(1.0, abs=1e-15)
    assert np.all(splines.basis(u) >= 0.0)
    for derivative in (1, 2, 3):
        assert splines.basis(u, derivative).sum() == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("derivative", [0, 1, 2, 3])
def test_values_and_derivatives_agree_with_scipy(derivative, rng):
    spline = splines.Spline(-1.0, 0.25, rng.normal(size=(11, 2)))
    knots = -1.0 + 0.25 * np.arange(-3, 12)
    times = np.sort(rng.uniform(-1.0, 1.0, 200))
    expected = BSpline(knots, spline.control, 3)(times, derivative)
    np.testing.assert_allclose(spline.at(times, derivative), expected, atol=1e-10)


def test_times_outside_are_clamped_to_the_ends(rng):
    spline = splines.Spline(0.0, 0.5, rng.normal(size=6))
    assert spline.end == 1.5
    np.testing.assert_array_equal(spline.at([-3.0, 9.0]), spline.at([0.0, 1.5]))


@given(st.tuples(*[st.floats(-3.0, 3.0)] * 4), st.floats(0.1, 1.0))
def test_least_squares_reproduces_every_cubic(coefficients, spacing):
    times = np.linspace(0.0, 2.0, 200)
    values = np.polynomial.polynomial.polyval(times, coefficients)
    spline = splines.fit_least_squares(times, values, 0.0, 2.0, spacing)
    np.testing.assert_allclose(spline.at(times), values, atol=1e-9)
    slope = np.polynomial.polynomial.polyval(times, np.polynomial.polynomial.polyder(coefficients))
    np.testing.assert_allclose(spline.at(times, 1), slope, atol=1e-7)


def test_least_squares_is_the_best_fit_of_all(rng):
    times, values = np.sort(rng.uniform(0.0, 2.0, 100)), rng.normal(size=(100, 2))
    spline = splines.fit_least_squares(times, values, 0.0, 2.0, 0.25, smoothing=0.0)
    design = np.stack(
        [splines.Spline(0.0, 0.25, row).at(times) for row in np.eye(len(spline.control))], axis=1
    )
    expected = np.linalg.lstsq(design, values, rcond=None)[0]
    np.testing.assert_allclose(design @ spline.control, design @ expected, atol=1e-9)


def test_least_squares_with_little_data_still_passes_through_it():
    one = splines.fit_least_squares([0.5], [3.0], 0.0, 2.0, 0.1)
    assert one.at([0.5])[0] == pytest.approx(3.0, abs=1e-4)
    two = splines.fit_least_squares([0.0, 2.0], [1.0, 2.0], 0.0, 2.0, 0.1)
    np.testing.assert_allclose(two.at([0.0, 2.0]), [1.0, 2.0], atol=1e-4)


@pytest.mark.parametrize(
    ("start", "end", "spacing"),
    [(0, 1, 0), (0, 1, -1), (1, 0, 1), (0, float("nan"), 1), (0, 1e12, 1e-6), (0, 1, float("inf"))],
)
def test_impossible_knots_are_refused(start, end, spacing):
    with pytest.raises(InputError, match="spline"):
        splines.zero_spline(start, end, spacing)


def test_data_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match="one time"):
        splines.fit_least_squares([0.5, 1.0], [1.0], 0.0, 1.0, 0.5)
    with pytest.raises(InputError, match="finite"):
        splines.fit_least_squares([0.5], [np.nan], 0.0, 1.0, 0.5)
