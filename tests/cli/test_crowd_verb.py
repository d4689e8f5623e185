"""`footfall crowd TRAJECTORIES`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footfall import draw_performers, load, make_libraries, open_library
from footfall.body.feet import mean_leg
from footfall.library.default import default_names
from tests.program import run_program as footfall


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Two who pass each other, the second a second later."""
    rows = ["id,t,x,z"]
    for k in range(31):
        rows.append(f"ann,{0.1 * k:.1f},0,{0.12 * k:.3f}")
        rows.append(f"bob,{1.0 + 0.1 * k:.1f},1.5,{4.0 - 0.12 * k:.3f}")
    file = tmp_path / "people.csv"
    file.write_text("\n".join(rows))
    return file


def test_everybody_is_in_one_file_and_in_a_picture(people: Path, tmp_path: Path) -> None:
    made = footfall("crowd", people, "-o", "walk.glb", "--json", cwd=tmp_path)
    told = json.loads(made.stdout)
    assert made.returncode == 0
    assert told["names"] == ["ann", "bob"]
    assert told["spans_s"] == [[0.0, 3.0], [1.0, 4.0]]
    assert max(told["off_m"]) < 0.1
    assert {Path(f).name for f in told["files"]} == {"walk.glb", "walk.crowd.png"}
    assert all((tmp_path / f).stat().st_size > 1000 for f in told["files"])


def test_everybody_gets_a_file_of_their_own_if_asked_for(people: Path, tmp_path: Path) -> None:
    made = footfall("crowd", people, "-o", "walk", "--formats", "bvh", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert load(tmp_path / "walk.bob.bvh").seconds == pytest.approx(3.0, abs=0.1)
    assert (tmp_path / "walk.ann.bvh").is_file()


def test_people_of_a_folder_of_performers_differ_and_avoid_each_other(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = tuple(name for name in default_names("park") if "walk" in name)
    with monkeypatch.context() as patch:
        patch.setattr("footfall.library.default.default_names", lambda group: few)
        libraries = make_libraries(tmp_path / "people", draw_performers(2), group="park", jobs=1)
    assert [len(library) for library in libraries] == [len(few)] * 2
    words = ("crowd", people, "--library", "people", "-o", "walk", "--formats", "bvh", "--avoid")
    made = footfall(*words, "--json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    told = json.loads(made.stdout)
    assert max(told["off_m"]) < 0.15
    assert told["spans_s"] == [[0.0, 3.0], [1.0, 4.0]]
    ann, bob = (load(tmp_path / f"walk.{name}.bvh") for name in ("ann", "bob"))
    for clip, number in ((ann, "01"), (bob, "02")):
        own = open_library(tmp_path / "people" / number).character
        assert clip.skeleton.offsets[1:] == pytest.approx(own.offsets[1:], abs=1e-4)
    assert abs(mean_leg(ann.skeleton) - mean_leg(bob.skeleton)) > 0.005


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "empty"), ("a,b,c\n1,2,3", "time"), ("id,t,x,z\n1,0,0,0\n1,1,9000,0", "m/s"),
     ("id,t,x,z\n1,0,nan,0", "")],
)  # fmt: skip
def test_files_that_are_none_get_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(text)
    made = footfall("crowd", "bad.csv", "-o", "walk.glb", cwd=tmp_path)
    assert made.returncode == 2
    assert "Traceback" not in made.stderr
    assert said in made.stderr
    assert not (tmp_path / "walk.glb").exists()
