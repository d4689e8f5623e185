"""`footfall scene` as a user types it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from footfall.cli.app import app
from footfall.errors import InputError

run = CliRunner()


def answer(*words: str) -> dict:
    result = run.invoke(app, ["scene", *words, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_list_names_the_built_in_scenes():
    scenes = answer("list")["scenes"]
    assert len(scenes) == 12
    assert all(s["description"] for s in scenes)


def test_check_tells_what_a_scene_holds():
    facts = answer("check", "dungeon", "zigzag")["scenes"]
    assert facts[0]["size"] == "24.3 x 12.3 m"
    assert "20 column" in facts[0]["obstacles"]
    assert facts[1]["paths"] == "sharp (33.0 m), round (33.0 m)"


def test_show_and_export_write_what_they_say(tmp_path):
    shown = answer("show", "course", "-o", str(tmp_path / "deep" / "course"))
    assert shown["map"].endswith("course.map.png")
    assert (tmp_path / "deep" / "course.view.png").stat().st_size > 5000
    answer("export", "course", "-o", str(tmp_path / "new" / "course.glb"))
    assert (tmp_path / "new" / "course.glb").read_bytes()[:4] == b"glTF"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["check", "dungean"], "did you mean dungeon"),
        (["export", "room", "-o", "room.fbx"], "choose one of .glb, .gltf"),
        (["show", "room", "--overlay", "heat"], "choose one of none, clearance, corridors"),
        (["check", "missing.glb", "--up", "w"], "up axis"),
    ],
)
def test_wrong_words_are_one_sentence(words, says):
    with pytest.raises(InputError) as caught:
        run.invoke(app, ["scene", *words], catch_exceptions=False)
    assert says in str(caught.value)
