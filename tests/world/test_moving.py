"""Obstacles that move: poses against scipy, queries against scenes frozen at the time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from footfall.errors import InputError
from footfall.world.collision.queries import (
    body_clearance,
    capsule_clearance,
    foot_placements,
    point_clearance,
)
from footfall.world.moving import KeyedMotion
from footfall.world.scene import Scene, rectangle
from tests.world.scenes import mixed_scene, upright_box


def turns(rng, count):
    return Rotation.random(count, random_state=int(rng.integers(2**31)))


def test_poses_between_keys_are_linear_and_slerp(rng):
    times, rotations = np.array([0.0, 1.0, 2.5, 3.0]), turns(rng, 4)
    positions = rng.normal(size=(4, 3))
    motion = KeyedMotion(times, positions, rotations.as_quat(scalar_first=True))
    slerp = Slerp(times, rotations)
    for t in rng.uniform(0, 3, 50):
        position, rotation = motion.pose(t)
        assert position == pytest.approx([np.interp(t, times, p) for p in positions.T])
        expected = slerp(t).as_quat(scalar_first=True)
        assert abs(rotation @ expected) == pytest.approx(1.0)


def test_a_loop_starts_again_and_otherwise_the_ends_are_held():
    keys = {
        "times": [1.0, 3.0],
        "positions": [[0, 0, 0], [2, 0, 0]],
        "rotations": [[1, 0, 0, 0]] * 2,
    }
    assert [KeyedMotion(**keys).pose(t)[0][0] for t in (-5.0, 2.0, 9.0)] == [0.0, 1.0, 2.0]
    assert [KeyedMotion(**keys, loop=True).pose(t)[0][0] for t in (2.0, 3.5, 6.0)] == [
        1.0,
        0.5,
        1.0,
    ]


def test_queries_at_a_time_equal_queries_of_the_scene_frozen_then(rng):
    still = mixed_scene(rng, 9)
    lift = np.array([0.2, 0.3, -0.4])
    things = []
    for n, o in enumerate(still.obstacles):
        keys = KeyedMotion([0.0, 2.0], [o.position, o.position + lift * n], [o.rotation] * 2)
        things.append(replace(o, motion=keys) if n % 2 else o)
    scene = replace(still, obstacles=tuple(things))
    time = 1.3
    frozen = replace(still, obstacles=tuple(
        replace(o, position=o.pose(time)[0], rotation=o.pose(time)[1], motion=None) for o in things
    ))  # fmt: skip
    points = rng.uniform(-5, 5, (100, 3))
    ends = rng.uniform(-4, 4, (50, 2, 3))
    feet = rng.uniform(-4, 4, (100, 3))
    for ask in (
        lambda s, **t: point_clearance(s, points, **t)[0],
        lambda s, **t: capsule_clearance(s, ends, 0.2, **t)[0],
        lambda s, **t: body_clearance(s, points[:, [0, 2]], base=0.0, **t)[0],
        lambda s, **t: foot_placements(s, feet, **t).reason,
    ):
        assert ask(scene, time=time) == pytest.approx(ask(frozen))
        assert ask(scene, time=None) == pytest.approx(ask(still))


def test_each_question_may_have_its_own_time():
    cart = replace(
        upright_box(0, 0, [1, 1, 1], walkable=True),
        motion=KeyedMotion([0.0, 4.0], [[0, 0, 0], [4, 0, 0]], [[1, 0, 0, 0]] * 2),
    )
    scene = Scene("cart", rectangle([-9, -9], [9, 9]), obstacles=(cart,))
    times = np.array([0.0, 1.0, 2.0, 1.0])
    distance, _ = point_clearance(scene, np.tile([3.0, 0.5, 0.0], (4, 1)), time=times)
    assert distance == pytest.approx([2.5, 1.5, 0.5, 1.5])
    heights = scene.height([[2.0, 0.0]] * 3, time=[2.0, 0.0, 2.4])
    assert heights == pytest.approx([1.0, 0.0, 1.0])
    clear, _ = body_clearance(scene, [[3.0, 0.0]] * 2, time=[0.0, 1.0])
    assert clear == pytest.approx([2.5, 1.5])


@pytest.mark.parametrize("times", [[0.0, 0.0], [1.0, 0.0], [], [0.0, np.nan]])
def test_key_times_must_increase(times):
    count = len(times)
    with pytest.raises(InputError):
        KeyedMotion(times, np.zeros((count, 3)), np.tile([1.0, 0, 0, 0], (count, 1)))


def test_many_times_asked_at_once_give_what_each_gives_alone(rng):
    still = mixed_scene(rng, 9)
    things = []
    for n, o in enumerate(still.obstacles):
        keys = KeyedMotion([0.0, 1.0, 3.0], o.position + rng.normal(size=(3, 3)), [o.rotation] * 3)
        things.append(replace(o, motion=replace(keys, loop=n % 4 == 1)) if n % 2 else o)
    scene = replace(still, obstacles=tuple(things))
    points, times = rng.uniform(-5, 5, (60, 3)), rng.choice(rng.uniform(-1, 5, 12), 60)
    together, _ = point_clearance(scene, points, time=times)
    asked = list(zip(points, times, strict=True))
    alone = [point_clearance(scene, p[None], time=t)[0][0] for p, t in asked]
    assert together.tolist() == alone
    heights = scene.height(points[:, [0, 2]], time=times)
    one = [scene.height(p[None, [0, 2]], time=t)[0] for p, t in asked]
    np.testing.assert_array_equal(heights, one)
