"""What a release promises: one version, steps that run locally, clips that are listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools import ci, dist, stamps, test_clips, version

PROJECT = Path(__file__).resolve().parents[2]


def test_every_place_states_the_same_version() -> None:
    assert len(set(version.stated_versions().values())) == 1


def test_a_release_has_notes_and_an_unknown_one_has_none() -> None:
    assert len(version.notes(version.stated_versions()["pyproject.toml"]).splitlines()) > 5
    assert version.notes("99.0.0") == ""


def test_workflows_run_only_modules_that_run_locally() -> None:
    for workflow in (PROJECT / ".github" / "workflows").glob("*.yml"):
        for module, words in re.findall(r"python -m (tools\.\w+)(.*)", workflow.read_text()):
            assert (PROJECT / f"{module.replace('.', '/')}.py").is_file()
            if module == "tools.ci":
                assert words.strip() in ci.STEPS


def test_a_step_that_does_not_exist_is_refused() -> None:
    assert ci.main(["nowhere"]) == 2


def test_the_clips_of_a_download_are_found_and_the_rest_is_explained(tmp_path: Path) -> None:
    (tmp_path / "download/deep").mkdir(parents=True)
    (tmp_path / "download/deep/16_16.bvh").write_text("a clip")
    folder = tmp_path / "clips"
    assert test_clips.collect([tmp_path / "download"], folder) == ["cmu/16_16.bvh"]
    assert (folder / "cmu/16_16.bvh").is_file()
    assert not (folder / "INDEX.csv").exists()  # not complete yet
    lines = "\n".join(test_clips.explain(folder))
    assert "accad.osu.edu" in lines
    assert "16_18.bvh" in lines
    assert " 16_16.bvh" not in lines


def test_a_complete_folder_of_clips_has_an_index(tmp_path: Path) -> None:
    for file in test_clips.needed_files():
        (tmp_path / "all" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "all" / file).touch()
    test_clips.collect([tmp_path / "all"], tmp_path / "clips")
    assert (tmp_path / "clips" / "INDEX.csv").read_text() == test_clips.LIST.read_text()
    assert len(list(test_clips.explain(tmp_path / "clips"))) == 1


@pytest.mark.parametrize("name", ["walk.bvh", "deep/run.AMC"])
def test_a_distribution_with_a_motion_clip_is_refused(name: str) -> None:
    (problem,) = dist._check(Path("footfall.whl"), {"a.py", name}, ("a.py",))
    assert name in problem


def test_the_lower_bound_of_every_requirement_has_an_upper_one_in_constraints() -> None:
    pinned = (PROJECT / "constraints.txt").read_text().lower()
    text = (PROJECT / "pyproject.toml").read_text()
    required = re.findall(r'^  "([\w-]+)(?:\[\w+\])?>=', text, re.M)
    assert len(required) > 20
    for name in required:
        assert re.search(rf"^{name.lower().replace('-', '[-_]')}==", pinned, re.M), name


def test_a_result_page_carries_one_stamp_under_its_title() -> None:
    page = stamps.stamped(stamps.stamped("# Title\n\nText.\n"))
    assert page.startswith("# Title\n\n*Measured on ")
    assert len(stamps.STAMP.findall(page)) == 1
    assert page.endswith("\n\nText.\n")


def test_every_result_page_and_each_of_its_inputs_is_there() -> None:
    for name, inputs in stamps.INPUTS.items():
        assert (PROJECT / "docs" / name).is_file()
        assert all((PROJECT / one).exists() for one in inputs)
