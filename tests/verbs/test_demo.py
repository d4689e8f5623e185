"""The demo: every query of a scene answered or refused with its reason, and a clip's whole way."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pygltflib
import pytest
import trimesh
from PIL import Image

from footfall.errors import InputError
from footfall.files.formats import load, save
from footfall.files.scene.read import load_scene
from footfall.generate.gait.steady import steady
from footfall.render import together
from footfall.render.in_scene import _hides
from footfall.verbs.demo import Shown, demo, demo_files
from tests.documented import command
from tests.program import run_program
from tests.verifying import scene_failures

YARD = """
name = "yard"
size = [8, 8]

[[obstacle]]
kind = "wall"
from = [-4.0, 2.0]
to = [4.0, 2.0]
thickness = 0.2
height = 2.5

[[query]]
name = "across"
from = [-2.0, -2.0, 45.0]
to = [1.0, 1.0, 45.0]

[[query]]
name = "through the wall"
from = [-2.0, -2.0, 45.0]
to = [2.5, 3.2, 0.0]
"""


@contextmanager
def small_pictures() -> Iterator[None]:
    """Let pictures and films have few pixels: drawing them is most of the demo."""
    with ExitStack() as stack:
        for name in ("render_together", "render_strips", "film_together"):
            draw = getattr(together, name)
            wide, high = inspect.signature(draw).parameters["size"].default
            small = partial(draw, size=(wide // 3, high // 3))
            stack.enter_context(mock.patch.object(together, name, small))
        for name in ("render._SHEET_WIDTH", "demo._FILM_WIDTH"):
            stack.enter_context(mock.patch(f"footfall.verbs.{name}", 160))
        yield


@pytest.fixture(scope="module")
def in_the_dungeon(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Shown]:
    """The documented demo, as the program makes it, and where its files are."""
    folder, made = tmp_path_factory.mktemp("demo"), []

    def record(*given: Any, **named: Any) -> Shown:
        made.append(demo(*given, **named))
        return made[0]

    with mock.patch("footfall.verbs.demo.demo", record), small_pictures():
        done = run_program(*command("demo"), cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "6 of 6 queries answered" in done.stdout
    return folder / "out", made[0]


def test_the_demo_answers_every_query_of_the_dungeon_without_touching_anything(
    in_the_dungeon: tuple[Path, Shown],
) -> None:
    folder, shown = in_the_dungeon
    scene = load_scene("dungeon")
    assert [answer.query for answer in shown.answers] == [query.name for query in scene.queries]
    for answer, query in zip(shown.answers, scene.queries, strict=True):
        assert answer.plan.found, answer.plan
        assert scene_failures(answer.plan, scene) == ()
        assert answer.measures["drift_max_mm"] < 1.0
        assert answer.file is not None
        end = load(folder.parent / answer.file).root[-1, [0, 2]]
        assert np.hypot(*(end - [query.goal.x, query.goal.z])) < 0.15
    assert {folder.parent / file for file in shown.files} == set(folder.iterdir())
    assert set(shown.files) == set(demo_files(Path("out/demo"), scene="dungeon"))
    with Image.open(folder / "demo.gif") as film:
        assert getattr(film, "n_frames", 1) >= 30


def test_one_file_holds_the_scene_and_all_motions_which_play_together(
    in_the_dungeon: tuple[Path, Shown],
) -> None:
    folder, shown = in_the_dungeon
    file = pygltflib.GLTF2().load(str(folder / "demo.glb"))
    names = {node.name for node in file.nodes}
    assert {answer.query for answer in shown.answers} < names
    assert {obstacle.name for obstacle in load_scene("dungeon").obstacles if obstacle.name} < names
    assert len(file.skins) == len(shown.answers)
    (animation,) = file.animations
    moved = {channel.target.node for channel in animation.channels}
    assert all(moved & set(skin.joints) for skin in file.skins)
    longest = max(answer.plan.clip.seconds for answer in shown.answers if answer.plan.clip)
    clocks = {file.accessors[sampler.input].max[0] for sampler in animation.samplers}
    assert max(clocks) == pytest.approx(longest, abs=1e-4)


def test_a_query_that_cannot_be_answered_is_reported_and_the_rest_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = tmp_path / "yard.toml"
    scene.write_text(YARD)
    monkeypatch.setattr("footfall.verbs.demo._NODES", 400)
    monkeypatch.setattr("footfall.verbs.demo._MORE", 100)
    with small_pictures():
        shown = demo(tmp_path / "out" / "yard", scene=scene)
    across, through = shown.answers
    assert across.plan.found
    assert not through.plan.found
    assert through.plan.reason
    assert through.file is None
    assert shown.found == (across,)
    assert all(file.is_file() for file in shown.files)
    assert "yard.through_the_wall.bvh" not in {file.name for file in shown.files}


def test_a_scene_without_queries_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bare.toml").write_text('name = "bare"\nsize = [4, 4]\n')
    with pytest.raises(InputError, match="has no queries"):
        demo(tmp_path / "demo", scene=tmp_path / "bare.toml")


def test_the_demo_takes_a_clip_from_its_file_to_every_format(tmp_path: Path) -> None:
    clip = save(steady("walk", 1.2, seconds=1.0), tmp_path / "mine.bvh")
    with small_pictures():
        shown = demo(tmp_path / "out" / "mine", clip=clip)
    assert all(file.is_file() for file in shown.files)
    assert shown.answers == ()
    assert shown.inspection is not None


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
