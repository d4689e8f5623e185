"""Easing and curves through keys, beside scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BPoly, CubicSpline, PchipInterpolator

from footfall.errors import InputError
from footfall.maths.easing import (
    cubic_spline,
    fading_slope,
    monotone_cubic,
    quintic_through,
    smootherstep,
    smoothstep,
    through_keys,
)

AT = np.array([0.0, 0.4, 0.5, 1.3, 2.0, 2.2])
TIMES = np.linspace(0.0, 2.2, 201)


@pytest.mark.parametrize(("step", "order"), [(smoothstep, 1), (smootherstep, 2)])
def test_steps_go_from_0_to_1_and_are_level_beyond(step: object, order: int) -> None:
    u = np.linspace(-0.5, 1.5, 20_001)
    found = step(u)  # type: ignore[operator]
    assert found[0] == 0.0
    assert found[-1] == 1.0
    assert (np.diff(found) >= 0.0).all()
    slope = np.gradient(found, u)
    curve = slope if order == 1 else np.gradient(slope, u)
    ends = (np.abs(u) < 1e-9) | (np.abs(u - 1.0) < 1e-9)
    assert np.abs(curve[ends]).max() < 6e-3


def test_a_fading_slope_leaves_with_slope_1_and_comes_back_to_0() -> None:
    u = np.linspace(0.0, 1.2, 12_001)
    found = fading_slope(u)
    slope = np.gradient(found, u)
    assert slope[0] == pytest.approx(1.0, abs=1e-3)
    assert np.abs(found[u >= 1.0]).max() < 1e-12
    assert abs(slope[np.searchsorted(u, 1.0)]) < 1e-3


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("count", [2, 3, 6])
def test_monotone_cubics_are_those_of_scipy(seed: int, count: int) -> None:
    values = np.random.default_rng(seed).normal(size=count)
    keys = list(zip(AT[:count].tolist(), values.tolist(), strict=True))
    times = np.linspace(-1.0, 3.0, 301)
    inside = np.clip(times, AT[0], AT[count - 1])
    expected = PchipInterpolator(AT[:count], values)(inside)
    assert np.abs(monotone_cubic(keys, times) - expected).max() < 1e-12


def test_a_monotone_cubic_with_level_ends_stays_between_its_keys() -> None:
    keys = [(0.0, 1.0), (0.5, 3.0), (0.7, 3.0), (2.0, -1.0)]
    found = monotone_cubic(keys, TIMES, level_ends=True)
    assert (found.min(), found.max()) == pytest.approx((-1.0, 3.0))
    fine = monotone_cubic(keys, np.array([0.0, 1e-4]), level_ends=True)
    assert abs(np.diff(fine)[0]) < 1e-6
    assert monotone_cubic([(0.3, 2.0)], TIMES).tolist() == [2.0] * len(TIMES)


@pytest.mark.parametrize("count", [4, 5, 6])
def test_cubic_splines_are_those_of_scipy(count: int) -> None:
    rows = np.random.default_rng(count).normal(size=(count, 3))
    found = cubic_spline(AT[:count], rows, TIMES)
    assert np.abs(found - CubicSpline(AT[:count], rows)(TIMES)).max() < 1e-10
    slopes = (np.array([1.0, 0.0, -2.0]), np.array([0.5, 3.0, 0.0]))
    found = cubic_spline(AT[:count], rows, TIMES, slopes)
    ends = ((1, slopes[0]), (1, slopes[1]))
    expected = CubicSpline(AT[:count], rows, bc_type=ends)(TIMES)
    assert np.abs(found - expected).max() < 1e-10


def test_quintics_meet_places_speeds_and_accelerations_like_scipy() -> None:
    rng = np.random.default_rng(5)
    places, speeds, pushes = rng.normal(size=(3, len(AT), 3))
    rows = [[p, v, a] for p, v, a in zip(places, speeds, pushes, strict=True)]
    expected = BPoly.from_derivatives(AT, rows)(TIMES)
    assert np.abs(quintic_through(AT, places, speeds, pushes, TIMES) - expected).max() < 1e-12


def test_curves_through_keys_are_exactly_level_where_keys_agree() -> None:
    keys = [(0.2, 0.0), (0.6, 1.0), (1.5, 1.0), (1.9, 0.0)]
    found = through_keys(keys, TIMES)
    assert (found[(TIMES >= 0.6) & (TIMES <= 1.5)] == 1.0).all()
    assert (found[TIMES <= 0.2] == 0.0).all()
    assert (found[TIMES >= 1.9] == 0.0).all()


def test_keys_out_of_order_are_refused() -> None:
    with pytest.raises(InputError, match="not in order"):
        monotone_cubic([(1.0, 0.0), (0.5, 1.0)], TIMES)
