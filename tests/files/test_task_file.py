"""Task files: what is to be done, or one sentence on what is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footfall.errors import InputError
from footfall.files.task.paths import PathData
from footfall.files.task.read import load_task, parse_task, path_of_task


def test_a_task_says_where_to_go_and_how():
    task = parse_task(
        'scene = "room"\nfrom = [-2.45, -2.6, 90]\nto = [2.9, 2.3]\nspeed = 1.2\nseed = 4\n'
        'method = "graph"\nlibrary = "default:basten"\n[options]\nmetric = "pca"\n'
    )
    assert task.start == pytest.approx((-2.45, -2.6, math.pi / 2))
    assert task.goal == (2.9, 2.3)
    assert (task.scene, task.speed, task.seed, task.method) == ("room", 1.2, 4, "graph")
    assert task.options == {"metric": "pca"}


def test_a_path_may_be_a_name_a_file_beside_the_task_or_a_table(tmp_path):
    (tmp_path / "way.csv").write_text("0,0\n0,5\n")
    (tmp_path / "a.toml").write_text('path = "way.csv"')
    (tmp_path / "b.toml").write_text('path = "zigzag"')
    (tmp_path / "c.toml").write_text("[path]\npoints = [[0, 0], [0, 7]]")
    paths = [path_of_task(load_task(tmp_path / f"{n}.toml")) for n in "abc"]
    assert [round(p.length, 2) for p in paths if p] == [5.0, 33.0, 7.0]
    assert isinstance(load_task(tmp_path / "c.toml").path, PathData)


def test_scene_character_and_library_are_looked_for_beside_the_task(tmp_path):
    (tmp_path / "takes").mkdir()
    (tmp_path / "t.toml").write_text(
        'scene = "yard.toml"\nfigure = "hero.glb"\nlibrary = "takes"\npath = "zigzag"'
    )
    task = load_task(tmp_path / "t.toml")
    assert task.scene == str(tmp_path / "yard.toml")
    assert task.character == str(tmp_path / "hero.glb")
    assert task.library == str(tmp_path / "takes")
    assert task.path == "zigzag"


def test_a_path_in_a_drawing_keeps_its_name(tmp_path):
    drawing = '<svg><path id="p" d="M0 0H9"/><path id="q" d="M0 0H5"/></svg>'
    (tmp_path / "d.svg").write_text(drawing)
    (tmp_path / "t.toml").write_text('path = "d.svg#q"\nscale = 1.0')
    path = path_of_task(load_task(tmp_path / "t.toml"))
    assert path is not None
    assert np.ptp(path.points[:, 0]) == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "nowhere to go"),
        ("from = [0, 0]", "nowhere to go"),
        ('query = "x"', "query is given without a scene"),
        ("from = [0]\nto = [1, 1]", "from has 1 entries; it needs at least 2"),
        ("from = [0, inf]\nto = [1, 1]", "from[1] is inf; it must be a finite number"),
        ('path = "zigzag"\nspeed = 0', "speed is 0; it must be > 0"),
        ('path = "zigzag"\nspeed = "fast"', "it must be a number"),
        ('pth = "zigzag"', "did you mean path?"),
        ("path = 3", "it must be text in quotes"),
        ("[path]\npoints = [[0, 0], [0, 0]]", "t.toml: path: the path has no length"),
        ("[path]\npoint = []", "t.toml: path: "),
        ("from = [", "this is not valid TOML"),
    ],
)
def test_a_wrong_task_is_one_sentence(text, says):
    with pytest.raises(InputError) as caught:
        parse_task(text, file="t.toml")
    assert says in str(caught.value)
    assert str(caught.value).startswith("t.toml")


def test_a_task_is_a_toml_file(tmp_path):
    with pytest.raises(InputError, match=r"a task is a \.toml file"):
        load_task(tmp_path / "task.json")
