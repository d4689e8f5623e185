"""Scenes changed locally answer as scenes built anew do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.world import scene as scene_module
from footfall.world import scene_edit as changes_module
from footfall.world.collision.queries import (
    body_clearance,
    capsule_clearance,
    foot_placements,
    point_clearance,
)
from footfall.world.moving import KeyedMotion
from footfall.world.obstacles import Obstacle, place, yaw_rotation
from footfall.world.scene import Scene, rectangle
from footfall.world.scene_edit import (
    add_obstacle,
    change_obstacles,
    changed_obstacles,
    move_obstacle,
    remove_obstacle,
    without_moving,
)
from tests.sweeps import examples
from tests.world.scenes import blob, mixed_scene, turned_box, upright_box, upright_cylinder


def _anew(scene: Scene) -> Scene:
    """The same scene, with nothing packed."""
    return replace(scene)


def _some_obstacle(rng: np.random.Generator) -> Obstacle:
    x, z = rng.uniform(-6.0, 6.0, 2)
    kind = int(rng.integers(6))
    if kind == 0:
        return turned_box(rng, 4.0)
    if kind == 1:
        return upright_cylinder(x, z, 0.4, 1.0, solid=bool(rng.integers(2)))
    if kind == 2:
        return blob(rng, [x, 0.3, z])
    if kind == 3:
        return upright_box(x, z, (12.0, 0.3, 0.4), walkable=True)
    if kind == 4:
        two = upright_box(x, z, (0.6, 0.5, 0.6), walkable=True)
        return replace(two, parts=(*two.parts, blob(rng, np.zeros(3)).parts[0]))
    box = upright_box(x, z, (0.5, 0.5, 0.5))
    positions = np.array([[x, 0.0, z], [x + 2.0, 0.0, z]])
    turns = np.tile(yaw_rotation(0.0), (2, 1))
    return replace(box, motion=KeyedMotion(np.array([0.0, 2.0]), positions, turns, loop=True))


def _change(scene: Scene, rng: np.random.Generator) -> Scene:
    what = int(rng.integers(4))
    count = len(scene.obstacles)
    if what == 0 or not count:
        return add_obstacle(scene, _some_obstacle(rng))
    which = int(rng.integers(count))
    if what == 1:
        return remove_obstacle(scene, which)
    if what == 2:
        upright = bool((np.abs(scene.obstacles[which].pose()[1][[1, 3]]) < 1e-12).all())
        yaw = float(rng.uniform(-3.0, 3.0)) if upright else None
        far = 20.0 if rng.uniform() < 0.1 else 5.0
        x, z = rng.uniform(-far, far, 2)
        return move_obstacle(scene, which, [x, 0.0, z], yaw)
    some = rng.choice(count, min(3, count), replace=False).tolist()
    return change_obstacles(
        scene, {n: None if rng.uniform() < 0.5 else _some_obstacle(rng) for n in some},
        [_some_obstacle(rng) for _ in range(int(rng.integers(3)))],
    )  # fmt: skip


def _same_answers(changed: Scene, anew: Scene, rng: np.random.Generator) -> None:
    at = rng.uniform(-7.0, 7.0, (60, 2))
    when = rng.uniform(0.0, 5.0, 60)
    for moment in (None, 1.3, when):
        for a, b in zip(changed.surfaces(at, time=moment), anew.surfaces(at, time=moment),
                        strict=True):  # fmt: skip
            np.testing.assert_array_equal(a, b)
        feet = np.column_stack([at, rng.uniform(-3, 3, 60)])
        a, b = (foot_placements(s, feet, time=moment) for s in (changed, anew))
        np.testing.assert_array_equal(a.reason, b.reason)
        np.testing.assert_array_equal(a.height, b.height)
        points = rng.uniform(-6.0, 6.0, (60, 3))
        ends = np.stack([points, points + rng.normal(size=(60, 3))], axis=1)
        for ask in (
            lambda s, moment=moment: body_clearance(s, at, base=0.0, time=moment),
            lambda s, moment=moment, points=points: point_clearance(s, points, time=moment),
            lambda s, moment=moment, ends=ends: capsule_clearance(s, ends, 0.1, time=moment),
        ):
            mine, theirs = ask(changed), ask(anew)
            np.testing.assert_array_equal(mine[0], theirs[0])


@examples(30)
@given(st.integers(0, 2**31), st.integers(0, 25), st.integers(1, 8))
def test_a_changed_scene_answers_as_one_built_anew(seed: int, count: int, changes: int) -> None:
    rng = np.random.default_rng(seed)
    scene = mixed_scene(rng, count)
    if rng.uniform() < 0.8:
        scene.snapshot()
    for _ in range(changes):
        scene = _change(scene, rng)
    anew = _anew(scene)
    np.testing.assert_array_equal(scene.snapshot().world.table, anew.snapshot().world.table)
    _same_answers(scene, anew, rng)


def test_changing_a_scene_leaves_the_old_one_as_it_was() -> None:
    rng = np.random.default_rng(1)
    scene = mixed_scene(rng, 12)
    scene.snapshot()
    twin = _anew(scene)
    changed = move_obstacle(remove_obstacle(scene, 3), 1, [0.0, 0.0, 0.0])
    changed = add_obstacle(changed, upright_box(1.0, 1.0, (1.0, 1.0, 1.0)))
    changed.snapshot()
    _same_answers(scene, twin, rng)
    with pytest.raises(ValueError, match="read-only"):
        changed.snapshot().world.table[0] = 0.0


def test_changed_obstacles_are_told_by_what_they_are_not_by_their_numbers() -> None:
    rng = np.random.default_rng(2)
    scene = mixed_scene(rng, 6)
    changed = remove_obstacle(move_obstacle(scene, 4, [1.0, 0.0, 1.0]), 0)
    gone, new = changed_obstacles(scene, changed)
    assert gone == [scene.obstacles[0], scene.obstacles[4]]
    assert new == [changed.obstacles[3]]


def test_obstacles_are_found_by_name_and_unknown_ones_named() -> None:
    box = replace(upright_box(0.0, 0.0, (1.0, 1.0, 1.0)), name="crate")
    scene = Scene("yard", rectangle([-3.0, -3.0], [3.0, 3.0]), obstacles=(box,))
    moved = move_obstacle(scene, "crate", [1.0, 0.0, 2.0], 0.5)
    assert moved.obstacle("crate").position.tolist() == [1.0, 0.0, 2.0]
    assert not remove_obstacle(moved, "crate").obstacles
    with pytest.raises(InputError, match="no obstacle 'crane'"):
        remove_obstacle(scene, "crane")
    with pytest.raises(InputError, match="no obstacle 7"):
        remove_obstacle(scene, 7)


def test_what_moves_is_left_out_and_the_rest_is_packed_once() -> None:
    rng = np.random.default_rng(3)
    cart = _some_obstacle(rng)
    while cart.motion is None:
        cart = _some_obstacle(rng)
    scene = add_obstacle(mixed_scene(rng, 9), cart)
    still = without_moving(scene)
    assert not still.moves
    assert without_moving(scene) is still
    assert without_moving(still) is still
    a, b = scene.snapshot(0.5), scene.snapshot(1.5)
    assert a.still is b.still
    boxes = (a.moving, b.moving)
    assert all(s is not None for s in boxes)


def test_moving_one_obstacle_of_many_packs_that_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    side = 200.0
    many = tuple(upright_box(*rng.uniform(0, side, 2), rng.uniform(0.2, 1.0, 3))
                 for _ in range(10_000))  # fmt: skip
    scene = Scene("many", rectangle([-1.0, -1.0], [side + 1, side + 1]), obstacles=many)
    scene.snapshot()
    placed: list[int] = []
    for module in (changes_module, scene_module):
        monkeypatch.setattr(
            module, "place", lambda some, *rest: placed.append(len(some)) or place(some, *rest)
        )
    move_obstacle(scene, 77, [50.0, 0.0, 50.0]).snapshot()
    assert placed == [1]
    _anew(scene).snapshot()
    assert placed[1:] == [10_000]
