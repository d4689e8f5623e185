"""Every example runs as it stands, in an empty folder, and leaves what it promises."""

from __future__ import annotations

import io
import runpy
import sys
from contextlib import chdir, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

from tests.sweeps import THOROUGH

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MADE = {
    "load_and_convert": ("converted.glb", "converted.bvh", "converted.npz"),
    "inspect_a_folder": ("takes/walk.bvh",),
    "retarget_to_another_character": ("scaled.glb", "exact.glb", "scaled.png"),
    "follow_a_path": ("route.glb", "route.bvh", "route.map.png"),
    "walk_through_a_room": ("to_the_window.glb", "to_the_window.map.png"),
    "cross_a_crevice": ("crevice.glb", "over.bvh", "over.map.png"),
    "naturalness_of_the_default_clips": ("naturalness.md",),
    "people_and_a_cart": ("person_1.glb", "person_2.glb", "person_1.map.png"),
    "walk_on_hills": ("on_hills.bvh", "on_hills.glb", "on_hills.png"),
}
PICTURES = "pictures_of_the_docs"


def run(name: str, folder: Path, *words: str) -> str:
    """Run an example in a folder as a script, in this process, and return what it prints."""
    file = EXAMPLES / f"{name}.py"
    out = io.StringIO()
    with (
        chdir(folder), redirect_stdout(out),
        mock.patch.object(sys, "argv", [str(file), *words]),
    ):  # fmt: skip
        runpy.run_path(str(file), run_name="__main__")
    return out.getvalue()


def test_every_example_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*MADE, PICTURES}


@pytest.mark.usefixtures("few_footholds")
@pytest.mark.parametrize("name", MADE)
def test_an_example_runs_and_writes_its_files(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not THOROUGH:
        monkeypatch.delenv("FOOTFALL_MOCAP", raising=False)  # naturalness with a few clips
    assert run(name, tmp_path).strip()
    for file in MADE[name]:
        assert (tmp_path / file).stat().st_size > 1000


def test_an_example_says_which_file_is_broken(tmp_path: Path) -> None:
    said = run("inspect_a_folder", tmp_path)
    assert "broken.bvh" in said
    assert "walk.bvh: bvh, 22 joints" in said


def test_the_pictures_of_the_docs_are_those_that_are_drawn_and_small(tmp_path: Path) -> None:
    run(PICTURES, tmp_path, str(tmp_path), "1080" if THOROUGH else "270")
    drawn = {path.name for path in tmp_path.glob("*.png")}
    folder = EXAMPLES.parent / "docs" / "images"
    kept = {path.name: path.stat().st_size for path in folder.glob("*.png")}
    assert drawn == set(kept)
    assert max(kept.values()) < 250_000
