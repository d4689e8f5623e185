"""Path deviation: known shifts come back, and the nearest point is the nearest."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.measures.deviation import deviation_of, nearest_distances, path_deviation
from tests.measures.motions import walk

LINE = np.stack([np.zeros(301), np.linspace(0.0, 10.0, 301)], axis=1)


def test_a_way_on_the_path_does_not_deviate():
    found = deviation_of(LINE, 30.0, LINE[[0, -1]])
    assert found.sum_cm2 == pytest.approx(0.0, abs=1e-9)
    assert found.nearest_max_cm == pytest.approx(0.0, abs=1e-9)
    assert found.end_error_cm == pytest.approx(0.0, abs=1e-9)
    assert found.travelled_m == pytest.approx(found.path_m)


@given(st.floats(0.01, 2.0))
def test_a_shift_to_the_side_is_the_deviation(shift):
    found = deviation_of(LINE + np.array([shift, 0.0]), 30.0, LINE)
    for value in (found.rms_cm, found.max_cm, found.nearest_rms_cm, found.nearest_max_cm):
        assert value == pytest.approx(100.0 * shift)
    assert found.sum_cm2 == pytest.approx(len(LINE) * (100.0 * shift) ** 2)
    assert found.end_error_cm == pytest.approx(100.0 * shift)


def test_stopping_short_shows_at_the_end_alone():
    found = deviation_of(LINE[:151], 30.0, LINE)
    assert found.rms_cm == pytest.approx(0.0, abs=1e-9)
    assert found.end_error_cm == pytest.approx(500.0)


def test_the_sum_does_not_depend_on_the_frame_rate():
    slow = deviation_of(LINE + np.array([0.1, 0.0]), 30.0, LINE)
    twice = np.stack([np.zeros(601), np.linspace(0.0, 10.0, 601)], axis=1)
    fast = deviation_of(twice + np.array([0.1, 0.0]), 60.0, LINE)
    assert fast.sum_cm2 == pytest.approx(slow.sum_cm2)


def test_the_nearest_distance_is_that_of_a_search_of_all_points():
    rng = np.random.default_rng(4)
    path, points = np.cumsum(rng.normal(size=(40, 2)), axis=0), 5.0 * rng.normal(size=(60, 2))
    dense = np.concatenate([np.linspace(a, b, 2001) for a, b in pairwise(path)])
    brute = np.linalg.norm(points[:, None] - dense[None], axis=2).min(axis=1)
    assert nearest_distances(points, path) == pytest.approx(brute, abs=2e-3)
    assert (nearest_distances(points, path) <= brute + 1e-12).all()


def test_a_walk_without_its_sway_is_nearer_to_a_straight_path():
    clip = walk(seconds=6.0)
    path = np.array([[0.0, -1.0], [0.0, 12.0]])
    sway = path_deviation(clip, path).nearest_rms_cm
    assert path_deviation(clip, path, "gaussian").nearest_rms_cm < 0.4 * sway


def test_a_path_of_one_point_or_repeated_points_is_fine():
    assert np.isfinite(deviation_of(LINE, 30.0, [[1.0, 2.0]]).nearest_rms_cm)
    doubled = np.repeat(LINE[::50], 3, axis=0)
    assert deviation_of(LINE, 30.0, doubled).rms_cm == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("path", [[[np.nan, 0.0]], np.zeros((0, 2)), np.zeros((3, 3)), [1.0, 2.0]])
def test_a_bad_path_is_said_in_one_sentence(path):
    with pytest.raises(InputError, match="the path"):
        deviation_of(LINE, 30.0, path)
