"""Uniform cubic B-splines against scipy's, and what the three fits promise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline

from footfall.errors import InputError
from footfall.maths import splines

seeds = st.integers(0, 2**32 - 1)


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


@given(seeds)
def test_refining_does_not_change_the_curve(seed):
    rng = np.random.default_rng(seed)
    spline = splines.Spline(2.0, 0.7, rng.normal(size=(rng.integers(4, 12), 3)))
    times = np.linspace(2.0, spline.end, 97)
    fine = spline.refined()
    assert fine.end == pytest.approx(spline.end)
    np.testing.assert_allclose(fine.at(times), spline.at(times), atol=1e-14)


@given(st.floats(0.0, 4.0), st.floats(-5.0, 5.0), st.floats(0.1, 3.0))
def test_the_local_fit_meets_a_single_datum_exactly(time, value, spacing):
    spline = splines.fit_local([time], [value], 0.0, 4.0, spacing)
    assert spline.at([time])[0] == pytest.approx(value, abs=1e-12)


def test_the_local_fit_is_zero_where_there_is_no_data():
    spline = splines.fit_local([5.0], [[1.0, -2.0]], 0.0, 10.0, 0.5)
    np.testing.assert_array_equal(spline.at([0.0, 2.9, 7.1, 10.0]), np.zeros((4, 2)))
    nothing = splines.fit_local([], np.zeros((0, 2)), 0.0, 10.0, 0.5)
    np.testing.assert_array_equal(nothing.control, 0.0)


def test_the_local_fit_follows_the_published_formula(rng):
    times, values = rng.uniform(0.0, 3.0, 20), rng.normal(size=20)
    spline = splines.fit_local(times, values, 0.0, 3.0, 0.5)
    expected = np.zeros(9)
    for point in range(9):
        above = below = 0.0
        for t, d in zip(times, values, strict=True):
            span = min(int(t / 0.5), 5)
            weights = splines.basis(t / 0.5 - span)
            if 0 <= point - span <= 3:
                b = weights[point - span]
                above += b**2 * b * d / (weights**2).sum()
                below += b**2
        expected[point] = above / below if below > 0.0 else 0.0
    np.testing.assert_allclose(spline.control, expected, atol=1e-13)


@given(seeds)
def test_what_the_multilevel_fit_leaves_over_falls_with_every_level(seed):
    rng = np.random.default_rng(seed)
    times = np.arange(61) / 30.0
    phase, rate = rng.uniform(0, 6, 3), rng.uniform(1, 8, 3)
    values = np.sin(times[:, None] * rate + phase)
    left = [
        np.sqrt(
            (
                (splines.fit_multilevel(times, values, 0.0, 2.0, 1.0, n).at(times) - values) ** 2
            ).mean()
        )
        for n in range(1, 8)
    ]
    assert all(later < earlier for earlier, later in itertools.pairwise(left))
    assert left[-1] < 1e-2 * left[0]


def test_the_multilevel_fit_meets_interval_constraints_within_a_millimetre():
    times = np.r_[20:35, 90:105, 150:165].astype(float)
    values = np.repeat([0.04, -0.03, 0.02], 15)
    spline = splines.fit_multilevel(times, values, 0.0, 199.0, 40.0, levels=7)
    assert np.abs(spline.at(times) - values).max() < 1e-4


def test_the_multilevel_fit_stops_at_its_tolerance(rng):
    times, values = np.linspace(0.0, 2.0, 40), rng.normal(size=40)
    rough = splines.fit_multilevel(times, values, 0.0, 2.0, 1.0, levels=12, tolerance=0.1)
    assert np.abs(rough.at(times) - values).max() <= 0.1
    assert len(rough.control) < 1000
    exact = splines.fit_multilevel(times, values, 0.0, 2.0, 1.0, levels=1, tolerance=9.0)
    assert exact.spacing == 1.0


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
        splines.fit_local([0.5], [1.0], start, end, spacing)


def test_data_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match="one time"):
        splines.fit_local([0.5, 1.0], [1.0], 0.0, 1.0, 0.5)
    with pytest.raises(InputError, match="finite"):
        splines.fit_least_squares([0.5], [np.nan], 0.0, 1.0, 0.5)
