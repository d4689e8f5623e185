"""`footfall graph build|info`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footfall import open_library, save
from tests.program import run_program as footfall


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("walks")
    for clip in list(open_library("default:basten"))[:2]:
        save(clip, folder / f"{clip.name}.bvh")
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))


def test_build_writes_a_graph_that_info_reads(walks: Path, tmp_path: Path) -> None:
    made = footfall("graph", "build", walks, "-o", "g.graph", "--percentile", "8", "--json",
                    cwd=tmp_path)  # fmt: skip
    built = json.loads(made.stdout)
    assert made.returncode == 0
    assert built["edges"] == built["pieces"] + built["transitions"]
    assert len(built["clips"]) == 2
    told = footfall("graph", "info", "g.graph", "--json", cwd=tmp_path)
    assert {**json.loads(told.stdout), "file": ""} == {**built, "file": ""}
    people = footfall("graph", "info", "g.graph", cwd=tmp_path).stdout
    assert f"{built['edges']}: {built['pieces']} pieces" in people


def test_several_clips_make_a_graph_with_a_picture_of_all_metrics(
    walks: Path, tmp_path: Path
) -> None:
    from PIL import Image

    clips = sorted(walks.glob("*.bvh"))
    how = ("--edges", "200", "--metric", "joint_angles", "--picture", "d.png", "--compare")
    done = footfall("graph", "build", *clips, "-o", "g.graph", *how, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with Image.open(tmp_path / "d.png") as picture:
        assert picture.width > 2 * picture.height


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--metric", "cloud"), "did you mean point_cloud"),
        (("--threshold", "1", "--edges", "10"), "exclude each other"),
        (("--threshold", "1e-9"), "raise the threshold"),
        (("--tag", "flying"), "no clip has the tags flying"),
        (("--window", "9"), "at most 2"),
    ],
)
def test_wrong_input_is_one_sentence(
    options: tuple[str, ...], said: str, walks: Path, tmp_path: Path
) -> None:
    clips = sorted(walks.glob("*.bvh"))
    done = footfall("graph", "build", *clips, "-o", "g.graph", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "g.graph").exists()


def test_info_refuses_what_is_no_graph(walks: Path, tmp_path: Path) -> None:
    (tmp_path / "g.graph").write_bytes(b"nonsense")
    for file, said in (("g.graph", "cannot be read"), ("none.graph", "no such file")):
        done = footfall("graph", "info", file, cwd=tmp_path)
        assert done.returncode == 2
        assert said in done.stderr


def test_an_endless_threshold_is_refused(walks, tmp_path):
    done = footfall("graph", "build", walks, "--threshold", "inf", "--json", cwd=tmp_path)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"].startswith("the threshold is inf; it must be above 0")


def test_clips_with_names_that_no_font_shows_are_drawn_without_a_word(walks, tmp_path):
    for number, file in enumerate(sorted(walks.glob("*.bvh"))):
        (tmp_path / f"\u8def{number}.bvh").write_bytes(file.read_bytes())
    names = sorted(tmp_path.glob("*.bvh"))
    done = footfall("graph", "build", *names, "--picture", "x.png", "-q", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "x.png").stat().st_size > 5_000
