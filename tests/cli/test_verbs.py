"""`inspect` and `convert` as a user types them: words, JSON, exit codes, names of all kinds."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import footfall
from footfall.cli.output import plain
from footfall.errors import InputError
from footfall.generate.gait.steady import steady
from footfall.verbs.convert import conversions
from tests.program import run_program


def run_apart(*words: object, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a process of its own, with environment variables of its own."""
    return subprocess.run(
        [sys.executable, "-m", "footfall.cli.main", *map(str, words)],
        capture_output=True, timeout=120, check=False, env={**os.environ, **settings},
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with one clip, `walk.bvh`."""
    place = tmp_path_factory.mktemp("takes")
    footfall.save(steady("walk", 1.3, seconds=0.5), place / "walk.bvh")
    return place


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["inspect"], "Missing argument"),
        (["inspect", "a.bvh", "--bogus"], "No such option"),
        (["inspec"], "Did you mean 'inspect'"),
        (["inspect", "a.bvh", "--source-fps", "fast"], "--source-fps"),
        (["inspect", "a.bvh"], "there is no such file"),
        (["inspect", "x" * 300 + ".bvh"], "cannot be read"),
        (["convert", "x" * 300 + ".bvh", "b.bvh"], "cannot be read"),
        (["convert", "a.bvh", "b.bvh", "--footprints", "big"], "footprints"),
    ],
)
def test_wrong_words_are_one_sentence_also_as_json(words, said, tmp_path):
    done = run_program(*words, "--json")
    assert done.returncode == 2
    errors = done.stderr.splitlines()
    assert len(errors) == 1
    assert said in errors[0]
    assert said in json.loads(done.stdout)["error"]


def test_inspect_looks_through_folders(folder):
    done = run_program("inspect", folder, "--json")
    assert done.returncode == 0
    (clip,) = json.loads(done.stdout)["clips"]
    assert clip["name"] == "walk"


@pytest.mark.skipif(sys.platform == "darwin", reason="its file names are always UTF-8")
def test_names_that_are_no_text_go_through(folder, tmp_path):
    name = tmp_path / os.fsdecode(b"bad\xff \n.bvh")
    name.write_bytes((folder / "walk.bvh").read_bytes())
    done = run_apart("convert", tmp_path, tmp_path / "out", "--to", "npz", PYTHONUTF8="1")
    assert done.returncode == 0, done.stderr
    inspected = run_apart("inspect", name, "--json", PYTHONUTF8="0", LC_ALL="C")
    told = json.loads(inspected.stdout)
    assert len(told["clips"]) == 1
    assert not told["errors"]


def test_a_reader_that_stops_listening_is_no_error(folder):
    words = [sys.executable, "-m", "footfall.cli.main", "inspect", str(folder), "--joints"]
    program = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    program.stdout.close()
    assert b"Traceback" not in program.stderr.read()
    program.wait(60)
    program.stderr.close()


def test_clips_of_one_name_become_two_files(tmp_path):
    for name in ("walk.bvh", "walk.npz", "run.bvh"):
        (tmp_path / name).write_bytes(b"x")
    targets = [there.name for _, there in conversions(tmp_path, tmp_path / "out", "glb")]
    assert targets == ["run.glb", "walk_bvh.glb", "walk_npz.glb"]


def test_results_inside_the_folder_are_no_sources_of_the_next_run(tmp_path):
    (tmp_path / "walk.bvh").write_bytes(b"x")
    first = conversions(tmp_path, tmp_path / "out", "glb")
    (tmp_path / "out").mkdir()
    first[0][1].write_bytes(b"x")
    assert conversions(tmp_path, tmp_path / "out", "glb") == first


def test_a_folder_is_not_converted_onto_itself(tmp_path):
    (tmp_path / "walk.bvh").write_bytes(b"x")
    with pytest.raises(InputError, match="overwritten"):
        conversions(tmp_path, tmp_path, "bvh")


@pytest.mark.parametrize("options", [["--up", "z"], ["--scale", "1"], ["--fps", "30"]])
@pytest.mark.parametrize("suffix", ["bvh", "npz"])
def test_scale_axis_and_rate_written_are_found_again(folder, tmp_path, suffix, options):
    target = tmp_path / f"other.{suffix}"
    assert run_program("convert", folder / "walk.bvh", target, "-q", *options).returncode == 0
    before, after = footfall.load(folder / "walk.bvh"), footfall.load(target)
    step = round(before.fps / after.fps)
    apart = before.positions[::step] - after.positions
    assert np.abs(apart).max() < 1e-5


def test_a_note_that_holds_for_many_clips_is_said_once_with_how_many(folder, tmp_path):
    text = (folder / "walk.bvh").read_text()
    shorter = text.replace("Frames: ", "Frames: 9")  # says more frames than there are
    for number in range(3):
        (tmp_path / f"{number}.bvh").write_text(shorter)
    for words in (["inspect", tmp_path], ["convert", tmp_path, tmp_path / "out", "--to", "npz"]):
        said = run_program(*words).stdout
        assert said.count("  note") == 1, said
        assert "note, for 3 clips: " in said


def test_numbers_for_people_are_rounded():
    assert [plain(v) for v in (6.066666666666666, 2.0, 31, "x", [0.1 + 0.2, 1.0])] == [
        "6.067", "2", "31", "x", "0.3, 1",
    ]  # fmt: skip


@pytest.mark.mocap
def test_a_doubtful_up_axis_is_said_with_the_option_that_settles_it(mocap_hard):
    lying, crawling = (
        mocap_hard / f"Male1_{name}.bvh" for name in ("A9_LieDown", "A11_CrawlForward")
    )
    (alone,) = json.loads(run_program("inspect", lying, "--json").stdout)["clips"]
    assert (alone["up"], alone["up_sure"]) == ("y", False)
    assert any("--source-up y" in note for note in alone["notes"])
    both = json.loads(run_program("inspect", lying, crawling, "--json").stdout)["clips"]
    assert "other clips here have y up: --source-up y" in " ".join(both[0]["notes"])
    (stated,) = json.loads(run_program("inspect", lying, "--source-up", "y", "--json").stdout)[
        "clips"
    ]
    assert stated["up_sure"]
    assert stated["roles"] == alone["roles"]
    assert not [note for note in stated["notes"] if "doubtful" in note]
