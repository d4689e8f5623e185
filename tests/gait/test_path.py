from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.gait.path import METHODS, abstract_path, path_abstraction
from tests.clips import steady
from tests.gait.conftest import Seen
from tests.sweeps import examples

Array = np.ndarray
DIRECTION = 0.6


def swaying_line(
    amplitude: float, stride: float, phase: float, length: float
) -> tuple[Array, Array]:
    """A pelvis and the mean of counter-swaying joints along a line through the origin."""
    along = np.arange(0.0, length, 0.012)
    sway = amplitude * np.sin(2.0 * np.pi * along / stride + phase)
    return on_line(along, sway), on_line(along, -0.6 * sway)


def on_line(along: Array, aside: Array) -> Array:
    sin, cos = np.sin(DIRECTION), np.cos(DIRECTION)
    return np.stack([along * sin + aside * cos, along * cos - aside * sin], axis=1)


def off_line(path: Array) -> Array:
    return path[:, 0] * np.cos(DIRECTION) - path[:, 1] * np.sin(DIRECTION)


@examples(15)
@given(
    amplitude=st.floats(0.015, 0.04),
    stride=st.floats(1.1, 1.4),
    phase=st.floats(0.0, 6.3),
    length=st.floats(8.0, 14.0),
)
def test_a_line_with_sway_is_read_as_the_line(
    amplitude: float, stride: float, phase: float, length: float
) -> None:
    pelvis, others = swaying_line(amplitude, stride, phase, length)
    for method in METHODS[1:]:
        off = np.abs(off_line(abstract_path(pelvis, method, others=others))).max()
        assert off < (0.001 if method == "gaussian" else 0.1 * amplitude), method


@pytest.mark.parametrize("radius", [1.2, 2.0, 5.0])
@pytest.mark.parametrize("sway", [0.0, 0.03])
@pytest.mark.parametrize("method", METHODS[1:])
def test_circles_keep_their_radius(radius: float, sway: float, method: str) -> None:
    angle = np.arange(0.0, 1.3 * 2.0 * np.pi, 0.012 / radius)
    wave = sway * np.sin(2.0 * np.pi * angle * radius / 1.3 + 0.4)
    circle = np.stack([np.sin(angle), np.cos(angle)], axis=1)
    pelvis, others = circle * (radius + wave)[:, None], circle * (radius - 0.5 * wave)[:, None]
    path = abstract_path(pelvis, method, others=others, knots=12)
    assert np.abs(np.hypot(*path.T) / radius - 1.0).max() < 0.01


def test_the_pelvis_is_read_as_it_is() -> None:
    pelvis, _ = swaying_line(0.03, 1.3, 0.0, 5.0)
    assert np.array_equal(abstract_path(pelvis, "pelvis"), pelvis)


@pytest.mark.parametrize("method", ["gaussian", "extrema", "bspline"])
def test_what_comes_before_and_after_counts(method: str) -> None:
    """A clip of one curve, cut out: with its context it is read as the whole is."""
    angle = np.linspace(0.0, 2.5, 800)
    whole = 3.0 * np.stack([np.sin(angle), np.cos(angle)], axis=1)
    whole = np.concatenate([whole, whole[-1] + np.linspace(0.0, 2.0, 200)[1:, None] * [0.3, -0.7]])
    cut = slice(500, 900)
    with_context = abstract_path(
        whole[cut], method, before=whole[: cut.start], after=whole[cut.stop :]
    )
    assert np.allclose(with_context, abstract_path(whole, method)[cut])
    assert with_context.shape == whole[cut].shape


@pytest.mark.parametrize("method", METHODS)
def test_frames_of_a_clip_are_read_with_the_rest_in_mind(method: str) -> None:
    clip = steady("walk", 1.3, 0.2, seconds=5.0)
    whole = path_abstraction(clip, method)
    assert whole.shape == (len(clip), 2)
    assert np.allclose(path_abstraction(clip, method, 60, 120), whole[60:120])


@pytest.mark.parametrize("method", METHODS[1:])
def test_the_path_of_a_walk_has_less_sway_than_its_pelvis(method: str) -> None:
    clip = steady("walk", 1.3, seconds=8.0)
    x = path_abstraction(clip, method, knots=6)[:, 0]
    assert np.ptp(x) < 0.35 * np.ptp(path_abstraction(clip, "pelvis")[:, 0])


@pytest.mark.parametrize("method", METHODS)
def test_who_stands_stays(method: str) -> None:
    points = np.full((50, 2), 1.5)
    assert np.allclose(abstract_path(points, method, others=points), points)
    assert np.allclose(abstract_path(points[:1], method, others=points[:1]), points[:1])


def test_misuse_is_told() -> None:
    points = np.zeros((10, 2))
    with pytest.raises(InputError, match="gaussian"):
        abstract_path(points, "gausian")
    with pytest.raises(InputError, match="sigma"):
        abstract_path(points, sigma_m=-1.0)
    with pytest.raises(InputError, match="others"):
        abstract_path(np.linspace(0.0, 5.0, 100)[:, None] * [1.0, 1.0], "joints")
    with pytest.raises(InputError, match="finite"):
        abstract_path([[0.0, np.nan]])
    with pytest.raises(InputError, match="frames"):
        path_abstraction(steady(seconds=1.0), "gaussian", 30, 20)


@pytest.mark.mocap
def test_real_straight_walks_lose_their_sway(seen: list[Seen]) -> None:
    for s in seen:
        if s.behaviour != "walk_straight" or s.clip.seconds > 6.5:
            continue
        for method in ("gaussian", "extrema"):
            path, pelvis = path_abstraction(s.clip, method), path_abstraction(s.clip, "pelvis")
            assert np.abs(path - pelvis).max() < 0.12, s.file
            inner = slice(len(path) // 6, -len(path) // 6)
            assert ripple(path[inner]) < 0.3 * ripple(pelvis[inner]), (s.file, method)


def ripple(path: Array) -> float:
    """Root mean square of what bends within about a stride: off the polynomial of degree 5."""
    middle = path - path.mean(axis=0)
    _, axes = np.linalg.eigh(middle.T @ middle)
    aside, along = middle @ axes[:, 0], middle @ axes[:, 1]
    return float(np.std(aside - np.polyval(np.polyfit(along, aside, 5), along)))
