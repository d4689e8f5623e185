"""Flow: stops, turning, crabwise steps, rhythm and duration, where they can be counted by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.body.edit import mirror, move, reverse
from footfall.gait.flow import Flow, flow, inner_stops, needed_seconds, preferred_speed
from footfall.library.generate.actions.ducking import duck
from footfall.library.generate.gait.steady import steady
from footfall.library.generate.gait.stepping import stand, turn_in_place

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


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_body_that_leans_as_a_bend_asks_for_has_a_ratio_of_one(sign: float) -> None:
    """A stiff body goes round a circle, tilted by v·ω/g towards its middle."""
    from footfall.maths import quaternions as quat

    still = stand(seconds=4.0, fps=FPS)
    speed, rate = 2.0, 0.8 * sign
    lean = math.atan(speed * rate / 9.81)
    yaw = rate * still.times
    pose = quat.multiply(quat.from_yaw(yaw), quat.from_axis_angle([0.0, 0.0, 1.0], -lean))
    radius = speed / rate
    root = np.stack([radius * (1 - np.cos(yaw)), np.full(len(yaw), 0.9), radius * np.sin(yaw)], 1)
    upright = np.zeros_like(still.rotations)
    upright[..., 0] = 1.0
    upright[:, 0] = pose
    clip = replace(still, root=root, rotations=quat.continuous(upright), contacts=None)
    assert flow(clip).bend_lean_ratio == pytest.approx(1.0, abs=0.1)


def test_a_jolt_counts_at_seams_alone(walk: Clip) -> None:
    from footfall.maths import quaternions as quat

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
