"""The demo: a walk through a room that keeps clear of the furniture, and a clip's whole way."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import trimesh
from PIL import Image

from footfall.files.formats import load, save
from footfall.files.scene.read import load_scene
from footfall.library.generate.gait.steady import steady
from footfall.report.demo import QUERY, SCENE, demo
from footfall.report.render.in_scene import _hides
from footfall.task.check import check_motion


def test_the_demo_walks_through_the_room_without_touching_anything(tmp_path: Path) -> None:
    shown = demo(tmp_path / "demo")
    assert {file.name for file in shown.files} == {
        "demo.glb", "demo.bvh", "demo.map.png", "demo.timeline.png", "demo.png",
        "demo.gif",
    }  # fmt: skip
    assert shown.plan is not None
    assert shown.measures is not None
    scene = load_scene(SCENE)
    assert check_motion(shown.plan, scene) == ()
    assert shown.measures["drift_max_mm"] < 1.0
    end = load(tmp_path / "demo.bvh").root[-1, [0, 2]]
    goal = scene.query(QUERY).goal
    assert np.hypot(*(end - [goal.x, goal.z])) < 0.15
    with Image.open(tmp_path / "demo.gif") as film:
        assert getattr(film, "n_frames", 1) > 50


def test_the_demo_takes_a_clip_from_its_file_to_every_format(tmp_path: Path) -> None:
    clip = save(steady("walk", 1.2, seconds=1.0), tmp_path / "mine.bvh")
    shown = demo(tmp_path / "out" / "mine", clip=clip)
    assert all(file.is_file() for file in shown.files)
    assert shown.plan is None


@pytest.mark.parametrize(
    ("box", "hides"),
    [
        ((-1.0, 0.0, 2.0, 1.0, 2.5, 2.1), True),  # a wall between
        ((-1.0, 0.0, 6.0, 1.0, 2.5, 6.1), False),  # behind the character
        ((2.0, 0.0, 2.0, 3.0, 2.5, 2.1), False),  # beside the view
        ((-1.0, 0.0, 2.0, 1.0, 0.7, 2.1), False),  # a low thing
    ],
)
def test_only_high_things_before_the_character_are_left_out(
    box: tuple[float, ...], hides: bool
) -> None:
    mesh = trimesh.creation.box(bounds=np.reshape(box, (2, 3)))
    shape = SimpleNamespace(vertices=np.array(mesh.vertices), triangles=np.array(mesh.faces))
    assert _hides(shape, np.array([0.0, 1.5, 0.0]), np.array([[0.0, 1.0, 5.0]])) is hides
