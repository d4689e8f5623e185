"""The generated walk and run: feet stay put, speed and turn are what was asked for."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.body.feet import foot_points
from footfall.errors import InputError
from footfall.generate.gait.steady import steady
from footfall.maths import quaternions as quat

GAITS = [("walk", 0.8, 0.0), ("walk", 1.3, 0.0), ("walk", 1.3, 0.7), ("walk", 1.6, -0.5)]


def sole_points(clip: Clip, side: str) -> tuple[np.ndarray, np.ndarray]:
    """World positions of a foot's heel and of the tip of its toes, over which it rolls off."""
    poses = clip.world
    heel, _, tip = foot_points(clip.skeleton).side(side)
    return tuple(
        poses.positions[:, p.joint] + quat.rotate(poses.rotations[:, p.joint], p.offset)
        for p in (heel, tip)
    )


@pytest.mark.parametrize(("name", "speed", "turn"), GAITS)
def test_feet_in_contact_do_not_drift(name: str, speed: float, turn: float) -> None:
    clip = steady(name, speed, turn, fps=60)
    assert clip.contacts is not None
    for column, side in ((0, "left"), (2, "right")):
        on = clip.contacts[:, column : column + 2].T
        for contact, points in zip(on, sole_points(clip, side), strict=True):
            steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
            held = contact[1:] & contact[:-1]
            assert held.any()
            assert steps[held].max() < 1e-4


@pytest.mark.parametrize(("name", "speed", "turn"), GAITS)
def test_soles_never_sink_under_the_floor(name: str, speed: float, turn: float) -> None:
    clip = steady(name, speed, turn, fps=60)
    for side in ("left", "right"):
        heel, tip = sole_points(clip, side)
        assert heel[:, 1].min() > -1e-6
        assert tip[:, 1].min() > -1e-6


@pytest.mark.parametrize(("name", "speed", "turn"), GAITS)
def test_speed_and_turn_are_what_was_asked_for(name: str, speed: float, turn: float) -> None:
    clip = steady(name, speed, turn, seconds=8.0)
    first, last = clip.root[0], clip.root[-1]
    chord = np.hypot(*(last - first)[[0, 2]])
    half = abs(turn) * clip.seconds / 2.0
    wanted = speed * clip.seconds * (np.sin(half) / half if half else 1.0)
    assert chord == pytest.approx(abs(wanted), abs=0.08)


def test_knees_never_bend_backwards() -> None:
    clip = steady("walk", 1.3)
    for side in ("left", "right"):
        bend = quat.to_rotation_vector(clip.rotations[:, clip.skeleton.role(f"{side}_knee")])
        assert bend[:, 0].min() > 0.0
        assert np.abs(bend[:, 1:]).max() < 1e-6


def test_a_left_turn_is_the_mirror_of_a_right_turn() -> None:
    left, right = steady("walk", 1.2, 0.5), steady("walk", 1.2, -0.5)
    # Half a stride later and mirrored, the one is the other, so their pelvis heights agree.
    assert left.root[:, 1].mean() == pytest.approx(right.root[:, 1].mean(), abs=1e-3)
    assert left.root[-1, 0] == pytest.approx(-right.root[-1, 0], abs=0.08)


def test_the_same_request_gives_the_same_bytes() -> None:
    one, two = steady("walk", 1.3), steady("walk", 1.3)
    assert one.rotations.tobytes() == two.rotations.tobytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"name": "hop"}, "there is no gait 'hop'"),
        ({"speed_m_s": 9.0}, "the speed of a walk is 9; it takes a number from 0.426 to 2.104 m/s"),
        ({"turn_rad_s": 9.0}, "the turn of a walk is 9; it takes a number from -1.553 to 1.553"),
        ({"seconds": 0.0}, "the length is 0; it takes a number above 0 up to 3600 s"),
    ],
)
def test_what_people_do_not_do_is_refused_by_name(words: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        steady(**words)  # type: ignore[arg-type]
