"""What a moving body touches and steps on is found, told in words, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.capsules import body_capsules
from footfall.body.clip import Clip
from footfall.body.feet import sole_height
from footfall.generate.skeleton import default_skeleton
from footfall.world.collision.motion_check import body_troubles
from footfall.world.moving import KeyedMotion
from footfall.world.obstacles import Obstacle, ObstaclePart, yaw_rotation
from footfall.world.scene import Scene, rectangle
from tests.world.scenes import upright_box, upright_cylinder

FPS = 30.0
FLOOR = rectangle([-5.0, -5.0], [5.0, 5.0])


def walking_pole(frames: int = 61) -> np.ndarray:
    """(T, 1, 2, 3) one upright capsule that goes from z = -2 to 2."""
    z = np.linspace(-2.0, 2.0, frames)
    ends = np.zeros((frames, 1, 2, 3))
    ends[..., 2] = z[:, None, None]
    ends[:, 0, 0, 1], ends[:, 0, 1, 1] = 0.3, 1.5
    return ends


def troubles(scene: Scene, radius: float = 0.2, **how):
    return body_troubles(scene, walking_pole(), np.array([radius]), np.array([False]), FPS, **how)


def test_the_deepest_place_at_each_obstacle_is_told():
    scene = Scene(
        "s", FLOOR,
        obstacles=(upright_cylinder(0.35, 1.0, 0.25, 1.0), upright_box(-0.5, -1.0, (0.7, 1, 0.2))),
    )  # fmt: skip
    first, second = troubles(scene)
    assert first.seconds < second.seconds
    assert (first.z, second.z) == (pytest.approx(-1.0, abs=0.12), pytest.approx(1.0, abs=0.04))
    assert second.depth_m == pytest.approx(0.1, abs=0.005)
    assert "box (obstacle 2)" in str(first)
    assert "cylinder (obstacle 1)" in str(second)


def test_each_time_an_obstacle_is_touched_is_told_with_its_frames_and_part():
    gap = upright_box(0.0, 0.0, (1.0, 2.0, 0.2))
    ends = np.concatenate([walking_pole(), walking_pole()[::-1]])
    ends = np.concatenate([ends + np.array([3.0, 0.0, 0.0]), ends], axis=1)
    there, back = body_troubles(
        Scene("s", FLOOR, obstacles=(gap,)), ends, np.array([0.2, 0.2]), np.zeros(2, bool), FPS
    )
    for found in (there, back):
        z = ends[found.first : found.stop, 1, 0, 2]
        assert np.abs(z).max() < 0.4  # it touches as near as its radius and the box's half
        assert found.first <= found.seconds * FPS < found.stop
        assert found.capsule == 1
    assert there.stop < back.first
    assert np.abs(ends[there.first - 1, 1, 0, 2]) >= 0.3 - 1e-9


def test_beside_and_above_an_obstacle_nothing_is_touched():
    low = upright_box(0.0, 0.0, (1.0, 0.05, 1.0))
    beside = upright_box(1.0, 0.0, (1.5, 2.0, 1.0))
    assert troubles(Scene("s", FLOOR, obstacles=(low, beside))) == []
    assert troubles(Scene("s", FLOOR)) == []


def test_what_is_allowed_is_no_trouble():
    scene = Scene("s", FLOOR, obstacles=(upright_box(0.69, 0.0, (1.0, 2.0, 1.0)),))
    assert len(troubles(scene)) == 1
    assert troubles(scene, allowed_m=0.02) == []


def test_a_moving_obstacle_counts_where_it_is_at_the_time():
    part = ObstaclePart("box", np.array([0.0, 1.0, 0.0]), np.array([0.3, 1.0, 0.3]))
    still = np.tile(yaw_rotation(0.0), (2, 1))

    def coming(x: tuple[float, float]) -> Scene:
        path = np.array([[x[0], 0.0, 0.0], [x[1], 0.0, 0.0]])
        motion = KeyedMotion(np.array([0.0, 2.0]), path, still, False)
        thing = Obstacle("box", (part,), path[0], yaw_rotation(0.0), "cart", motion)
        return Scene("s", FLOOR, obstacles=(thing,))

    assert len(troubles(coming((-2.0, 2.0)))) == 1  # both are in the middle after one second
    assert troubles(coming((0.0, 6.0))) == []  # it is gone by then
    assert "'cart'" in str(troubles(coming((0.0, 0.1)))[0])


def test_feet_may_touch_what_can_be_walked_on_but_legs_may_not():
    step = upright_box(0.0, 0.0, (2.0, 0.2, 2.0), walkable=True)
    scene = Scene("s", FLOOR, obstacles=(step,))
    sole = np.zeros((1, 1, 2, 3))
    sole[..., 1], sole[0, 0, 1, 2] = 0.235, 0.1
    for feet, count in ((True, 0), (False, 1)):
        found = body_troubles(scene, sole, np.array([0.04]), np.array([feet]), FPS)
        assert len(found) == count


def test_a_foot_of_any_character_stands_on_a_platform_as_on_the_ground():
    step = upright_box(0.0, 0.0, (2.0, 0.2, 2.0), walkable=True)
    scene = Scene("s", FLOOR, obstacles=(step,))
    for skeleton in (default_skeleton(), default_skeleton().scaled(0.7)):
        capsules = body_capsules(skeleton)
        for lift, count in ((0.2, 0), (0.15, 1)):  # on it; five centimetres in it
            root = np.add(skeleton.rest_positions[:1], [0.0, lift - sole_height(skeleton), 0.0])
            turns = np.tile([1.0, 0.0, 0.0, 0.0], (1, len(skeleton.names), 1))
            ends = capsules.placed(Clip(skeleton, FPS, root, turns).world)
            found = body_troubles(
                scene, ends, capsules.radii, capsules.feet, FPS, 0.01, soles=capsules.soles
            )
            assert (len(found) > 0) == (count > 0)
