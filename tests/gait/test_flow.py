"""Flow: stops, turning, crabwise steps, rhythm and duration, where they can be counted by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.body.edit import mirror, move, reverse
from footfall.gait.flow import Flow, flow, inner_stops, needed_seconds, preferred_speed
from footfall.generate.actions.ducking import duck
from footfall.generate.gait.stepping import stand, turn_in_place
from footfall.maths import quaternions as quat
from tests.clips import steady

FPS = 30.0


@pytest.fixture(scope="module")
def walk() -> Clip:
    return steady("walk", 1.2, seconds=6.0, fps=FPS)


@pytest.fixture(scope="module")
def measured(walk: Clip) -> Flow:
    return flow(walk)


def glide(clip: Clip, yaw: float) -> Clip:
    """The clip with its root going where it went, but turned by `yaw` on its way."""
    sin, cos = math.sin(yaw), math.cos(yaw)
    x, z = clip.root[:, 0], clip.root[:, 2]
    turned = np.stack([cos * x + sin * z, clip.root[:, 1], -sin * x + cos * z], axis=1)
    return replace(clip, root=turned)


def test_a_steady_walk_flows(measured: Flow) -> None:
    assert measured.inner_stops == 0
    assert measured.crabwise_share == 0.0
    assert measured.net_turn_deg < 10.0
    assert measured.turned_deg < 45.0
    assert measured.step_length_cv < 0.1
    assert measured.step_time_cv < 0.1
    assert math.isnan(measured.seam_jolt_ratio)


def test_stops_between_movements_are_counted_and_those_at_the_ends_are_not() -> None:
    speed = np.repeat([0.0, 1.0, 0.1, 1.0, 0.1, 1.0, 0.0], [30, 30, 30, 30, 6, 30, 30])
    assert inner_stops(speed, FPS) == [(60, 90)]


def test_going_aside_or_backward_is_crabwise(walk: Clip) -> None:
    assert flow(glide(walk, math.radians(80.0))).crabwise_share == pytest.approx(1.0, abs=0.1)
    assert flow(reverse(walk)).crabwise_share == pytest.approx(1.0, abs=0.1)
    assert flow(glide(walk, math.radians(20.0))).crabwise_share == pytest.approx(0.0, abs=0.05)


def test_turning_is_counted_in_both_directions() -> None:
    once = flow(turn_in_place(90.0, fps=FPS))
    assert once.net_turn_deg == pytest.approx(90.0, abs=8.0)
    assert once.turned_deg >= once.net_turn_deg - 1e-9


def carry(path: np.ndarray, yaw: np.ndarray, fps: float, lean: float = 0.0) -> Clip:
    """A stiff body that is carried along a path (T, 2), facing `yaw` (T,), tilted to the left."""
    still = stand(seconds=1.0, fps=fps)
    rotations = np.zeros((len(path), *still.rotations.shape[1:]))
    rotations[..., 0] = 1.0
    tilt = quat.from_axis_angle([0.0, 0.0, 1.0], -lean)
    rotations[:, 0] = quat.multiply(quat.from_yaw(yaw), tilt)
    root = np.stack([path[:, 0], np.full(len(path), 0.9), path[:, 1]], axis=1)
    return Clip(still.skeleton, fps, root, quat.continuous(rotations))


@pytest.mark.parametrize("fps", [30.0, 120.0])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("speed", "rate"), [(2.0, 0.8), (1.3, -0.65), (3.0, 0.6)])
def test_a_circle_has_its_turning_and_the_share_of_lean_that_balance_takes(
    fps: float, share: float, speed: float, rate: float
) -> None:
    yaw = rate * np.arange(0.0, 8.0, 1.0 / fps)
    path = speed / rate * np.stack([1.0 - np.cos(yaw), np.sin(yaw)], axis=1)
    found = flow(carry(path, yaw, fps, share * math.atan(speed * rate / 9.81)))
    assert found.bend_lean_ratio == pytest.approx(share, abs=0.06)
    assert found.net_turn_deg == pytest.approx(math.degrees(abs(yaw[-1])), rel=0.01)
    assert found.turned_deg == pytest.approx(found.net_turn_deg, rel=0.01)
    assert (found.inner_stops, found.crabwise_share) == (0, 0.0)


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_a_stop_of_a_second_lasts_a_second(fps: float) -> None:
    times = np.arange(0.0, 9.0, 1.0 / fps)
    speed = np.interp(times, [0.0, 3.0, 3.3, 4.3, 4.6, 9.0], [1.2, 1.2, 0.0, 0.0, 1.2, 1.2])
    path = np.stack([np.zeros(len(times)), np.cumsum(speed) / fps], axis=1)
    found = flow(carry(path, np.zeros(len(times)), fps))
    assert found.inner_stops == 1
    assert found.time_stopped_s == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(("degrees", "share"), [(30, 0.0), (60, 1.0), (-60, 1.0), (180, 1.0)])
def test_a_crab_walk_is_crabwise_by_its_angle(degrees: float, share: float) -> None:
    times, angle = np.arange(0.0, 5.0, 1.0 / FPS), math.radians(degrees)
    path = 1.2 * times[:, None] * np.array([math.sin(angle), math.cos(angle)])
    assert flow(carry(path, np.zeros(len(times)), FPS)).crabwise_share == share


def test_a_jolt_counts_at_seams_alone(walk: Clip) -> None:
    joint, rotations = walk.skeleton.role("chest"), np.array(walk.rotations)
    turn = quat.from_axis_angle([1.0, 0.0, 0.0], np.where(np.arange(len(walk)) >= 90, 0.5, 0.0))
    rotations[:, joint] = quat.multiply(walk.rotations[:, joint], turn)
    broken = replace(walk, rotations=quat.continuous(rotations))
    assert flow(broken, [90]).seam_jolt_ratio > 1.5 * flow(walk, [90]).seam_jolt_ratio
    assert flow(broken, [45]).seam_jolt_ratio == pytest.approx(
        flow(walk, [45]).seam_jolt_ratio, rel=0.1
    )


def test_what_a_person_needs_grows_with_the_way_and_shrinks_with_the_speed() -> None:
    leg = 0.824
    assert preferred_speed(leg) == pytest.approx(1.27, abs=0.01)
    near, far = needed_seconds(2.0, 0.0, leg), needed_seconds(8.0, 0.0, leg)
    assert far - near == pytest.approx(6.0 / preferred_speed(leg))
    assert needed_seconds(8.0, 0.0, leg, 2.5) < far
    assert needed_seconds(0.1, math.pi, leg) == pytest.approx(1.5)


def test_a_duck_takes_longer_than_a_walk_of_its_length() -> None:
    assert flow(duck(1.2)).duration_ratio > 1.0


def test_flow_is_the_same_mirrored_moved_and_turned(walk: Clip, measured: Flow) -> None:
    other = flow(move(mirror(walk), 3.0, -4.0, 1.3))
    for name, value in vars(measured).items():
        assert getattr(other, name) == pytest.approx(value, rel=1e-6, abs=1e-6, nan_ok=True), name
