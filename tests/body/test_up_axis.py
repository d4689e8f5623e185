"""Which way is up: from standing, lying, rolling and falling bodies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.body.axes import AXES, to_y_up
from footfall.body.up_axis import PARTS, guess_up, settle_up
from tests.body.skeletons import PLACES

LEG, RATE = 0.83, 30.0


def body() -> np.ndarray:
    """(15, 3) a person of 1.75 m standing at the origin, y up, metres."""
    sides = [np.array(PLACES[part]) * [sign, 1.0, 1.0] for part in PARTS for sign in (1.0, -1.0)]
    return np.array([PLACES["head"], *sides])


def swaying(seconds: float = 4.0) -> np.ndarray:
    """(F, 15, 3) somebody who stands and shifts the weight from foot to foot."""
    time = np.arange(round(seconds * RATE)) / RATE
    still = body()
    sway = 0.06 * np.sin(2.0 * np.pi * 0.4 * time)
    return still + sway[:, None, None] * still[:, 1:2] * [1.0, 0.0, 0.3]


def turned(places: np.ndarray, up: str) -> np.ndarray:
    """The same in a file whose up axis is `up`."""
    return places @ to_y_up(up)


def guess(places: np.ndarray, rest: str = ""):
    return guess_up(places[None], RATE, LEG, LEG, rest)


@given(st.sampled_from(AXES), st.sampled_from(["", *AXES]), st.integers(0, 1000))
def test_who_stands_and_sways_tells_up_whatever_the_rest_pose(
    up: str, rest: str, seed: int
) -> None:
    noise = np.random.default_rng(seed).normal(0.0, 0.002, (120, 15, 3))
    assert guess(turned(swaying() + noise, up), rest).axis == up


@pytest.mark.parametrize("up", AXES)
def test_a_rest_pose_that_agrees_makes_it_sure(up: str) -> None:
    found = guess(turned(swaying(), up), up)
    assert (found.axis, found.sure) == (up, True)


@pytest.mark.parametrize("up", AXES)
def test_who_spins_on_the_floor_leaves_it_to_the_rest_pose(up: str) -> None:
    lying = Rotation.from_rotvec([np.pi / 2.0, 0.0, 0.0]).apply(body() - body().mean(0))
    spin = Rotation.from_rotvec(np.outer(np.linspace(0.0, 4.0 * np.pi, 120), [0.0, 1.0, 0.0]))
    places = np.stack([turn.apply(lying) for turn in spin]) + np.array([0.0, 0.1, 0.0])
    assert guess(turned(places, up), up).axis == up


@pytest.mark.parametrize("up", AXES)
def test_a_fall_tells_up_though_the_body_tumbles(up: str) -> None:
    time = np.arange(27) / RATE
    spin = Rotation.from_rotvec(np.outer(7.0 * time, [1.0, 0.0, 0.0]))
    places = np.stack([turn.apply(body() - body().mean(0)) for turn in spin])
    places[:, :, 1] += (4.4 * time - 0.5 * 9.81 * time**2)[:, None]
    places[:, :, 2] += (1.5 * time)[:, None]
    assert guess(turned(places + np.array([0.0, 3.0, 0.0]), up)).axis == up


def test_who_lies_still_is_doubtful_and_taken_to_lie_on_the_usual_floor() -> None:
    rng = np.random.default_rng(3)
    lying = Rotation.from_rotvec([-np.pi / 2.0, 0.0, 0.0]).apply(body() - body()[9])  # on the back
    places = np.repeat(lying[None], 120, axis=0) + np.array([0.4, 0.06, 0.9])
    places += rng.normal(0.0, 0.0002, places.shape)
    found = guess(places)
    assert (found.axis, found.sure) == ("y", False)


def test_a_handstand_is_doubtful_or_upright() -> None:
    upside_down = turned(swaying(), "-y") + np.array([0.0, 1.6, 0.0])
    found = guess(upside_down, "y")
    assert found.axis == "y" or not found.sure


def test_a_single_frame_is_enough_for_a_guess() -> None:
    assert guess(turned(body()[None], "z")).axis == "z"


def test_clips_of_one_skeleton_settle_its_axis_where_the_sure_ones_agree() -> None:
    clips = [("a", "y", True)] * 9 + [("a", "z", False)] * 5 + [("a", "-x", True)]
    clips += [("b", "y", True), ("b", "z", True), ("c", "z", False)]
    assert settle_up(clips) == {"a": "y"}
