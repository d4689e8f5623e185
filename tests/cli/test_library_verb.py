"""The library verb as a user meets it: build, add, list, check, show, export."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from footfall import load, save
from footfall.generate.gait.steady import steady
from tests.program import run_program


def footfall(*words: str | Path, cwd: Path) -> CompletedProcess[str]:
    return run_program(*words, cwd=cwd, FOOTFALL_CACHE=str(cwd / "cache"))


def told(*words: str | Path, cwd: Path) -> dict[str, Any]:
    done = footfall(*words, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert isinstance(said, dict)
    return said


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with takes, one of them bad, and the library that was built from them."""
    folder = tmp_path_factory.mktemp("place")
    for name, speed in (("one", 1.2), ("two.5", 1.5)):
        save(steady("walk", speed, seconds=2.4), folder / "takes" / f"{name}.bvh", mesh=False)
    (folder / "takes" / "bad.bvh").write_text("nonsense")
    done = footfall("library", "build", "takes", "--mirror", "--licence", "CC0", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "skipped bad.bvh" in done.stderr
    assert "4 clips" in done.stdout
    assert "2 made, 0 kept, 1 skipped" in done.stdout
    return folder


def test_building_again_keeps_all(place: Path) -> None:
    said = told("library", "build", "out/takes", cwd=place)
    assert (said["made"], said["kept"], said["clips"]) == ([], 2, 4)
    assert [Path(s["source"]).name for s in said["skipped"]] == ["bad.bvh"]


def test_list_names_what_there_is(place: Path) -> None:
    clips = told("library", "list", "out/takes", "--tag", "walk", cwd=place)["clips"]
    assert [c["name"] for c in clips] == ["one", "one_mirrored", "two.5", "two.5_mirrored"]
    assert {c["licence"] for c in clips} == {"CC0"}
    assert told("library", "list", "out/takes", "--tag", "sit", cwd=place)["clips"] == []
    assert "2.40 s" in footfall("library", "list", "out/takes", cwd=place).stdout


def test_list_takes_a_plain_folder_and_leaves_it_alone(place: Path) -> None:
    before = sorted(p.name for p in (place / "takes").iterdir())
    assert len(told("library", "list", "takes", cwd=place)["clips"]) == 2
    assert sorted(p.name for p in (place / "takes").iterdir()) == before


def test_check_counts_the_sound_clips_and_names_the_bad(place: Path) -> None:
    said = told("library", "check", "out/takes", cwd=place)
    assert said["fine"] == 2
    assert "bad.bvh" in said["skipped"][0]["problem"]
    assert "2 of 2 clips are fine" in footfall("library", "check", "out/takes", cwd=place).stdout


def test_check_puts_the_posture_of_every_clip_beside_its_source(place: Path) -> None:
    for clip in told("library", "check", "out/takes", cwd=place)["clips"]:
        built, source = clip["posture"]["built"], clip["posture"]["source"]
        assert built["trunk_lean_deg"] == pytest.approx(source["trunk_lean_deg"], abs=0.5)
        assert 5.0 < source["knee_flexion_deg"] < 40.0
        assert set(clip["posture"]["off"]) <= set(built) == set(source)
    said = footfall("library", "check", "out/takes", cwd=place).stdout
    assert "knee flexion (°)" in said


def test_show_prints_contacts_the_way_corrections_are_written(place: Path) -> None:
    import tomllib

    done = footfall("library", "show", "out/takes", "one", "-o", "one.png", cwd=place)
    lines = [line.strip() for line in done.stdout.splitlines() if " contacts." in line]
    spans = tomllib.loads("\n".join(lines))["contacts"]
    assert set(spans) == {"left_heel", "left_toe", "right_heel", "right_toe"}
    assert (place / "one.png").stat().st_size > 1000
    assert told("library", "show", "out/takes", cwd=place)["mirrored"] == 2


def test_export_writes_the_clips_that_were_asked_for(place: Path) -> None:
    said = told(
        "library", "export", "out/takes", "two.5", "one_mirrored", "--formats", "bvh,npz",
        "-o", "files", cwd=place,
    )  # fmt: skip
    assert sorted(p.name for p in (place / "files").iterdir()) == [
        "one_mirrored.bvh", "one_mirrored.npz", "two.5.bvh", "two.5.npz",
    ]  # fmt: skip
    assert len(said["files"]) == 4
    assert load(place / "files" / "two.5.npz").tags == ("walk",)


def test_add_puts_in_more(place: Path, tmp_path: Path) -> None:
    save(steady("run", 3.0, seconds=2.4), tmp_path / "jog.glb", mesh=False)
    assert footfall("library", "build", place / "takes", "-o", "lib", cwd=tmp_path).returncode == 0
    said = told("library", "add", "lib", "jog.glb", cwd=tmp_path)
    assert (said["made"], said["clips"]) == (["jog"], 3)


def test_the_default_library_is_taken_by_name(place: Path) -> None:
    clips = told("library", "list", "default:basten_test", cwd=place)["clips"]
    assert len(clips) == 3
    assert all(c["groups"] == ["basten_test"] and "walk" in c["tags"] for c in clips)
    name = clips[0]["name"]
    assert told("library", "check", "default:basten_test", cwd=place)["fine"] == 3
    assert told("library", "show", "default:basten_test", name, cwd=place)["contacts"]["left_toe"]
    files = told("library", "export", "default:basten_test", name, "-o", "own", cwd=place)["files"]
    assert [Path(f).name for f in files] == [f"{name}.bvh"]
    (place / "default").mkdir()
    done = footfall("library", "list", "./default", cwd=place)
    assert "there are no clips" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "takes", "takes/one.bvh"), "is no library"),
        (("show", "out/takes", "on"), "did you mean one"),
        (("show", "out/takes", "-o", "x.png"), "name one of the library"),
        (("build", "takes", "--fps", "0"), "fps is 0"),
        (("build", "empty"), "there are no clips"),
        (("build", "takes/bad.bvh", "-o", "none"), "skipped bad.bvh"),
        (("export", "out/takes", "one", "--formats", "abc"), "choose one of"),
        (("list", "default:parks"), "did you mean park"),
    ],
)
def test_wrong_words_are_one_sentence(words: tuple[str, ...], said: str, place: Path) -> None:
    (place / "empty").mkdir(exist_ok=True)
    done = footfall("library", *words, cwd=place)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_one_clip_is_written_as_the_file_that_is_named(place: Path) -> None:
    said = told("library", "export", "out/takes", "one", "-o", "single/walk.bvh", cwd=place)
    assert said["files"] == [str(Path("single/walk.bvh"))]
    assert len(load(place / "single/walk.bvh")) > 10
    done = footfall("library", "export", "out/takes", "-o", "single/all.bvh", cwd=place)
    assert done.returncode == 2
    assert "is one file for" in done.stderr
