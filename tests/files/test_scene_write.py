"""Scenes written down and read again are the same, to the last digit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

import footfall
from footfall.errors import InputError
from footfall.files.scene.read import builtin_scenes, import_level, load_scene
from footfall.files.scene.write import degrees_of, same_values, save_scene, scene_text
from footfall.world.ground import flat_ground, grid_ground, mesh_ground, spline_ground
from footfall.world.moving import KeyedMotion
from footfall.world.obstacles import yaw_rotation
from footfall.world.scene import Hole, QueryEnd, Scene, ScenePath, SceneQuery, Water, rectangle
from tests.sweeps import examples
from tests.world.scenes import blob, mixed_scene, upright_box


def saved_and_loaded(scene: Scene, tmp_path, name: str = "again.toml") -> Scene:
    return load_scene(footfall.save_scene(scene, tmp_path / name))


@pytest.mark.parametrize("name", builtin_scenes())
def test_the_built_in_scenes_stay_what_they_are(name, tmp_path):
    scene = load_scene(name)
    again = saved_and_loaded(scene, tmp_path)
    assert same_values(again, scene)
    third = saved_and_loaded(again, tmp_path, "third.toml")
    assert same_values(third, scene)


def test_a_chair_is_written_as_a_chair():
    scene = load_scene("room")
    text = scene_text(scene)
    assert 'kind = "chair"' in text
    assert 'kind = "parts"' not in text


def _made_scene(seed: int) -> Scene:
    """A scene made in Python, with everything that a scene can hold."""
    rng = np.random.default_rng(seed)
    things = list(mixed_scene(rng, 6).obstacles)
    keys = KeyedMotion(
        np.cumsum(rng.uniform(0.1, 1.0, 3)), rng.normal(size=(3, 3)),
        [yaw_rotation(a) for a in rng.uniform(-3, 3, 3)], bool(rng.integers(2)),
    )  # fmt: skip
    things[0] = replace(things[0], motion=keys, name="cart", points={"top": rng.normal(size=3)})
    things[1] = replace(things[1], duck=float(rng.uniform(0.5, 1.5)), kind="bar")
    things.append(blob(rng, rng.normal(size=3)))
    field = rng.normal(size=(5, 6)), rng.uniform(-9, -8, 2), rng.uniform(16, 18, 2)
    grounds = (
        flat_ground(float(rng.normal())), grid_ground(*field), spline_ground(*field),
        spline_ground(*field, rng.uniform(0.5, 2.0, (5, 6))),
        mesh_ground([[-9, 0, -9], [9, 0.1, -9], [0, 0.2, 9.0]], [[0, 2, 1]]),
    )  # fmt: skip
    corner = rng.uniform(5, 6, 2)
    return Scene(
        f"made {seed}", rectangle(-rng.uniform(7, 8, 2), rng.uniform(7, 8, 2)),
        grounds[seed % len(grounds)], tuple(things),
        (Hole(rectangle(corner, corner + rng.uniform(0.1, 1.0, 2)), float(rng.uniform(0.1, 2))),),
        (Water(-4.0), Water(float(rng.uniform(-9, -5)), rectangle([-6, -6], [-5, -5]), "pond")),
        (), (ScenePath("p", rng.normal(size=(4, 2))),), 'has "quotes", \\ and\nlines',
    )  # fmt: skip


@examples(40)
@given(seed=st.integers(0, 10_000))
def test_scenes_made_in_python_stay_what_they_are(seed, tmp_path_factory):
    scene = _made_scene(seed)
    again = saved_and_loaded(scene, tmp_path_factory.mktemp("scene"))
    assert same_values(again, scene)


def test_what_was_changed_after_it_was_read_is_written_as_it_is_now(tmp_path):
    scene = load_scene("room")
    higher = replace(scene, ground=flat_ground(0.3))
    again = saved_and_loaded(higher, tmp_path)
    assert same_values(again.obstacles, scene.obstacles)
    assert again.ground.level == 0.3
    moved = replace(scene.obstacles[0], position=scene.obstacles[0].position + 0.123)
    other = replace(scene, obstacles=(moved, *scene.obstacles[2:]))
    assert same_values(saved_and_loaded(other, tmp_path), other)


@pytest.fixture
def level(tmp_path):
    floor = trimesh.creation.box((8.0, 0.2, 8.0))
    there = trimesh.transformations.translation_matrix([2, 0.6, 2])
    block = trimesh.creation.box((1.0, 1.0, 1.0), there)
    trimesh.util.concatenate([floor, block]).export(tmp_path / "level.obj")
    return tmp_path / "level.obj"


def test_meshes_stay_in_their_own_files(level, tmp_path):
    text = 'size = [8.0, 8.0]\n[[obstacle]]\nkind = "mesh"\nfile = "level.obj"\nat = [0, 0]\n'
    (tmp_path / "s.toml").write_text(text)
    scene = load_scene(tmp_path / "s.toml")
    file = save_scene(scene, tmp_path / "t.toml")
    assert 'file = "level.obj"' in file.read_text()
    assert same_values(load_scene(file).obstacles, scene.obstacles)
    with pytest.raises(InputError, match=r"level\.obj, which lies in another folder"):
        save_scene(scene, tmp_path / "deeper" / "t.toml")


def test_an_imported_level_stays_in_its_file(level, tmp_path):
    scene = import_level(level, max_slope_deg=30.0)
    again = saved_and_loaded(scene, tmp_path)
    assert same_values(again, scene)
    assert "vertices" not in (tmp_path / "again.toml").read_text()
    without = replace(scene, obstacles=(upright_box(0, 0, (0.3, 0.3, 0.3)),))
    assert same_values(saved_and_loaded(without, tmp_path), without)


def test_headings_of_queries_are_read_as_they_were(rng):
    for yaw in np.radians(rng.integers(-360, 360, 50) * 0.5):
        assert np.radians(degrees_of(yaw)) == yaw
    for yaw in rng.uniform(-3, 3, 50):
        assert np.radians(degrees_of(yaw)) == pytest.approx(yaw, rel=1e-15)


def test_queries_are_written(tmp_path):
    query = SceneQuery("q", QueryEnd(-1.0, 0.25, np.radians(30.0)), QueryEnd(2.0, 2.0), "why")
    scene = Scene("s", rectangle([-3, -3], [3, 3]), queries=(query,))
    assert saved_and_loaded(scene, tmp_path).queries == (query,)


@pytest.mark.parametrize(
    ("what", "name", "words"),
    [("scene", "s.glb", "toml file"), ("no scene", "s.toml", "the scene is 'room'")],
)
def test_misuse_is_refused(what, name, words, tmp_path):
    scene = load_scene("room") if what == "scene" else "room"
    with pytest.raises(InputError, match=words):
        save_scene(scene, tmp_path / name)
