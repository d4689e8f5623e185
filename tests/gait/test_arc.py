from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.gait.arc import Arcs, fit_arcs
from footfall.maths.planar import wrap_angle

speeds = st.floats(0.1, 6.0)
turns = st.floats(-3.5, 3.5)
headings = st.floats(-3.0, 3.0)


def fit_arc(times: np.ndarray | list[float], points: np.ndarray | list[list[float]]) -> Arcs:
    """Return the arc nearest to one path."""
    return fit_arcs(np.asarray(times)[None], np.asarray(points)[None])


def arc(speed: float, turn: float, heading: float, times: np.ndarray) -> np.ndarray:
    """An arc integrated in small steps: an oracle that knows no closed form."""
    fine = np.linspace(times[0], times[-1], 20_001)
    angle = heading + turn * (fine - fine[0])
    velocity = speed * np.stack([np.sin(angle), np.cos(angle)], axis=1)
    steps = 0.5 * (velocity[1:] + velocity[:-1]) * np.diff(fine)[:, None]
    path = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    path = np.stack([np.interp(times, fine, path[:, k]) for k in range(2)], axis=1)
    return path + np.array([2.0, -1.0])


@given(speed=speeds, turn=turns, heading=headings, seconds=st.floats(0.4, 1.8))
def test_arcs_give_back_their_speed_turn_and_heading(
    speed: float, turn: float, heading: float, seconds: float
) -> None:
    times = 3.0 + np.linspace(0.0, seconds, 40)
    found = fit_arc(times, arc(speed, turn, heading, times))
    assert abs(found.speed[0] - speed) < 1e-5 * speed
    assert abs(found.turn[0] - turn) < 1e-4
    assert abs(wrap_angle(found.heading[0] - heading)) < 1e-4
    assert found.error_m[0] < 1e-6


@given(speed=speeds, heading=headings)
def test_straight_lines_do_not_turn(speed: float, heading: float) -> None:
    times = np.linspace(0.0, 1.2, 30)
    way = np.array([np.sin(heading), np.cos(heading)])
    found = fit_arc(times, speed * times[:, None] * way)
    assert abs(found.turn[0]) < 1e-6
    assert abs(found.speed[0] - speed) < 1e-9
    assert found.radius[0] > 1e5


def test_a_path_is_read_alike_alone_and_among_others(rng: np.random.Generator) -> None:
    times = np.sort(rng.uniform(0.0, 1.5, (5, 20)), axis=1)
    points = np.cumsum(rng.normal(0.05, 0.02, (5, 20, 2)), axis=1)
    together = fit_arcs(times, points)
    for n in range(5):
        alone = fit_arc(times[n], points[n])
        assert np.isclose(alone.speed[0], together.speed[n])
        assert np.isclose(alone.turn[0], together.turn[n], atol=1e-5)


def test_the_error_is_the_distance_from_the_arc(rng: np.random.Generator) -> None:
    times = np.linspace(0.0, 1.0, 25)
    points = arc(1.3, 0.6, 0.2, times) + rng.normal(0.0, 0.01, (25, 2))
    found = fit_arc(times, points)
    left = np.linalg.norm(found.at(times)[0] - points, axis=1)
    assert np.isclose(found.error_m[0], np.sqrt(np.mean(left**2)), rtol=1e-6)


def test_somebody_who_stands_has_no_speed() -> None:
    found = fit_arc(np.linspace(0.0, 1.0, 10), np.full((10, 2), 3.0))
    assert found.speed[0] == pytest.approx(0.0, abs=1e-12)
    assert found.turn[0] == 0.0


def test_too_few_points_are_an_error() -> None:
    with pytest.raises(InputError, match="three"):
        fit_arc([0.0, 1.0], [[0.0, 0.0], [1.0, 1.0]])
    with pytest.raises(InputError, match="shape"):
        fit_arcs(np.zeros((2, 5)), np.zeros((2, 4, 2)))
