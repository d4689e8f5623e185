"""`footfall measure` as a user types it: a table, one JSON object, a picture."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

import footfall
from footfall.generate.gait.steady import steady
from footfall.verbs.measure_table import measure_rows
from tests.program import run_program


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two walks, `one.bvh` and `two.bvh`, and a straight path, `line.csv`."""
    place = tmp_path_factory.mktemp("takes")
    footfall.save(steady("walk", 1.3, seconds=3.0, fps=30.0), place / "one.bvh")
    footfall.save(steady("walk", 1.1, seconds=3.0, fps=30.0), place / "two.bvh")
    (place / "line.csv").write_text("x,z\n0,0\n0,4\n")
    return place


def test_the_table_has_values_units_and_the_sources_own(folder):
    done = run_program("measure", folder / "one.bvh", "--sources", folder / "two.bvh")
    assert done.returncode == 0, done.stderr
    text = done.stdout
    assert "sources: mean (range)" in text
    for words in ("feet that slide", "cm/frame", "amplitude", "jerk", "zmp outside max"):
        assert words in text


def test_json_is_one_object_with_the_same_numbers_as_in_python(folder):
    done = run_program("measure", folder / "one.bvh", "--path", folder / "line.csv", "--json")
    assert done.returncode == 0, done.stderr
    (told,) = json.loads(done.stdout)["clips"]
    clip = footfall.load(folder / "one.bvh")
    found = footfall.measure(clip, path=np.array([[0.0, 0.0], [0.0, 4.0]]))
    assert told == json.loads(json.dumps(found.as_dict()))
    assert told["deviation"]["nearest_rms_cm"] < 5.0


def test_a_picture_is_drawn(folder, tmp_path):
    file = tmp_path / "out" / "measures.png"
    done = run_program(
        "measure", folder / "one.bvh", "--path", folder / "line.csv", "--transitions", "30,60",
        "--plot", file, "--quiet",
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    with Image.open(file) as picture:
        drawn = np.asarray(picture.convert("L"))
    assert picture.width > 1000
    assert 0.02 < np.mean(drawn < 250) < 0.6


def test_a_folder_is_measured_clip_by_clip_and_bad_ones_are_told(folder, tmp_path):
    takes = tmp_path / "takes"
    takes.mkdir()
    (takes / "good.bvh").write_bytes((folder / "one.bvh").read_bytes())
    (takes / "bad.bvh").write_text("HIERARCHY nonsense")
    done = run_program("measure", takes, "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 2
    assert [clip["name"] for clip in told["clips"]] == ["good"]
    assert "bad.bvh" in told["errors"][0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--path", "nowhere"], "there is no path 'nowhere'"),
        (["--transitions", "a,b"], "it takes frames like"),
        (["--transitions", "9999"], "frames go from 0"),
        (["--abstraction", "guess"], "choose one of"),
        (["--plot", "picture.doc"], "the ending is .png"),
        (["--sources", "nowhere"], "there is no such library or folder"),
        (["--scene", "nowhere"], "choose one of"),
    ],
)
def test_wrong_words_are_one_sentence(folder, words, said):
    extra = ["--path", folder / "line.csv"] if "--abstraction" in words else []
    done = run_program("measure", folder / "one.bvh", *words, *extra)
    assert done.returncode == 2
    (error,) = done.stderr.splitlines()
    assert said in error


def test_a_reading_that_does_not_exist_is_refused_without_a_path_too(folder):
    done = run_program("measure", folder / "one.bvh", "--abstraction", "nose")
    assert done.returncode == 2
    assert "there is no path abstraction 'nose'" in done.stderr


def test_a_clip_that_is_its_own_source_is_marked_nowhere(mocap, tmp_path):
    recorded = sorted((mocap / "cmu").rglob("*.bvh"))[0] if (mocap / "cmu").is_dir() else None
    recorded = recorded or sorted(mocap.rglob("*.bvh"))[0]
    takes = tmp_path / "takes"
    takes.mkdir()
    (takes / "walk.bvh").write_bytes(recorded.read_bytes())
    for sources in (takes, takes / "walk.bvh"):
        done = run_program("measure", takes / "walk.bvh", "--sources", sources, "--json")
        assert done.returncode == 0, done.stderr
        (told,) = json.loads(done.stdout)["clips"]
        assert told["far_off"] == {}
        assert told["sources"]["skating.skate_cm"]["mean"] == told["skating"]["skate_cm"]


def test_every_row_of_the_table_has_a_name_of_its_own(folder):
    clip = footfall.load(folder / "one.bvh")
    found = footfall.measure(clip, path="straight", scene="hills")
    rows = [(row.group, row.name) for row in measure_rows(found)]
    assert len(rows) == len(set(rows))
