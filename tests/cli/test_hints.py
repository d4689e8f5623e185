"""Commands that lack something say what, and name the option that gives it."""

from __future__ import annotations

import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from footfall import load, save
from footfall.cli.main import main
from footfall.cli.task_options import TaskOptions
from footfall.verbs.inspect import inspect
from tests.library.folders import folder_of_walks
from tests.render.clips import walk


@pytest.fixture
def footfall(tmp_path, monkeypatch, capsys):
    """Runs the program in an empty folder; (exit code, output, errors)."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["footfall", *words])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run


def test_without_a_scene_a_goal_alone_begins_at_the_origin():
    assert TaskOptions(goal="3,4").table(None) == {"from": [0.0, 0.0], "to": [3.0, 4.0]}
    assert TaskOptions(goal="3,4", start="1,1").table(None)["from"] == [1.0, 1.0]
    assert TaskOptions(goal="3,4", via=["1,1"]).table(None)["from"] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--scene", "room", "--to", "1,1"], ["--from", "--query"]),
        (["--scene", "room"], ["'to the window'", "--query", "--from and --to"]),
        (["room"], ["room is a scene", "--scene room"]),
        (["zigzag"], ["--scene zigzag", "--path zigzag"]),
        (["straight"], ["straight is a path", "--path straight"]),
        ([], ["nowhere to go", "--to"]),
    ],
)
def test_a_plan_without_a_goal_or_a_start_names_what_is_missing(footfall, words, parts):
    code, out, err = footfall("plan", *words)
    assert (code, out) == (2, "")
    assert err.startswith("footfall: ")
    assert err.count("\n") == 1
    for part in parts:
        assert part in err


@pytest.mark.parametrize("group", ["library", "graph", "roadmap", "scene"])
def test_a_group_without_a_command_prints_its_help(footfall, group):
    code, _, err = footfall(group)
    assert code == 2
    assert err.startswith("Usage: ")
    assert f"footfall {group} [OPTIONS] COMMAND" in err
    assert len(err.splitlines()) > 6


def test_a_library_is_built_from_an_archive(footfall, tmp_path):
    clips = folder_of_walks(tmp_path / "clips", 2)
    with zipfile.ZipFile(tmp_path / "takes.zip", "w") as archive:
        for file in clips.iterdir():
            archive.write(file, f"inner/{file.name}")
    code, out, err = footfall("library", "build", "takes.zip")
    assert code == 0, err
    assert "2 clips" in out
    assert (tmp_path / "out" / "takes" / "sources" / "takes" / "inner").is_dir()
    code, out, _ = footfall("library", "build", "out/takes")
    assert code == 0
    assert "0 made, 2 kept" in out


@pytest.mark.parametrize("what", ["no clip.zip", "empty.zip", "broken.bvh", "folder", "text.txt"])
def test_a_failed_build_leaves_nothing_behind(footfall, tmp_path, what):
    (tmp_path / "folder").mkdir()
    for name in ("broken.bvh", "text.txt", "folder/broken.bvh"):
        (tmp_path / name).write_text("no motion")
    with zipfile.ZipFile(tmp_path / "no clip.zip", "w") as archive:
        archive.writestr("readme.txt", "nothing")
    (tmp_path / "empty.zip").write_bytes(b"")
    before = sorted(tmp_path.rglob("*"))
    code, _, err = footfall("library", "build", what, "-o", "out/new/library")
    assert code == 2
    assert err.startswith("footfall: ")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_failed_build_keeps_the_library_that_was_there(footfall, tmp_path):
    folder_of_walks(tmp_path / "clips", 1)
    assert footfall("library", "build", "clips", "-o", "out/takes")[0] == 0
    assert footfall("library", "build", "nothing", "-o", "out/takes")[0] == 2
    code, out, _ = footfall("library", "list", "out/takes")
    assert code == 0
    assert "walk0" in out


def scaled_walk(file: Path, factor: float) -> Path:
    """A walk whose numbers in the file are those of centimetres times a factor."""
    clip = walk(1.0)
    save(replace(clip, skeleton=clip.skeleton.scaled(factor), root=clip.root * factor), file,
         mesh=False)  # fmt: skip
    return file


def test_a_file_in_inches_is_read_as_such_with_a_note(tmp_path):
    clip = load(scaled_walk(tmp_path / "inches.bvh", 1.0 / 2.54))
    assert clip.source.unit_m == 0.0254
    assert 1.6 < inspect(clip).stature_m < 1.9
    centimetres = load(scaled_walk(tmp_path / "cm.bvh", 1.0))
    assert centimetres.source.unit_m == 0.01
    assert centimetres.source.notes == ()


@pytest.mark.parametrize("factor", [0.6, 1.45])
def test_an_unusual_stature_is_noted_with_the_option_that_mends_it(tmp_path, factor):
    file = scaled_walk(tmp_path / "walk.bvh", factor)
    clip = load(file)
    assert clip.source.unit_m == 0.01
    assert any("m tall" in n and "--source-scale" in n for n in clip.source.notes)
    assert not any("m tall" in n for n in load(file, unit_m=0.01).source.notes)


def test_a_leg_that_two_units_would_fit_is_noted(tmp_path):
    clip = load(scaled_walk(tmp_path / "tall.bvh", 1.1 / 2.54))
    assert clip.source.unit_m == 0.0254
    assert any("--source-scale 0.01" in n for n in clip.source.notes)


def test_inspect_lists_the_tags_that_a_library_would_give(tmp_path):
    plain = replace(walk(3.0), tags=(), contacts=None)
    save(plain, tmp_path / "walk.bvh", mesh=False)
    assert "walk" in inspect(tmp_path / "walk.bvh").as_dict()["tags"]
