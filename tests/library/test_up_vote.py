"""Clips of one skeleton settle which way is up for those that cannot tell."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from footfall.library.build.build import add_to_library, build_library
from footfall.library.library import open_library
from tests.files.turned import turn_bvh
from tests.library.folders import cache_files, rubbish

pytestmark = pytest.mark.mocap

LYING, WALK = "Male1_A9_LieDown.bvh", "Male1_B3_Walk.bvh"


@pytest.fixture
def takes(mocap: Path, mocap_hard: Path, tmp_path: Path) -> Path:
    """A folder with somebody who lies still, in a world whose up axis is -x; `walks` has a walk."""
    (tmp_path / "lying").mkdir()
    (tmp_path / "walks").mkdir()
    turn_bvh(mocap_hard / LYING, tmp_path / "lying" / LYING, "-x")
    turn_bvh(mocap / "accad_male1" / WALK, tmp_path / "walks" / WALK, "-x")
    return tmp_path


def head_heights(folder: Path, name: str) -> np.ndarray:
    clip = open_library(folder).clip(name)
    return clip.positions[:, clip.skeleton.roles["head"], 1]


def test_alone_it_is_doubtful_and_said(takes: Path) -> None:
    built = build_library(takes / "library", [takes / "lying"])
    (entry,) = built.library.entries
    assert [p.kind for p in entry.problems if p.kind == "doubtful up"] == ["doubtful up"]
    assert any("--source-up" in note for note in entry.notes)


def test_a_walk_with_the_same_joints_settles_it(takes: Path) -> None:
    built = build_library(takes / "library", [takes / "lying", takes / "walks"])
    lying, walk = (built.library.entry(Path(name).stem) for name in (LYING, WALK))
    assert (lying.up, walk.up) == ("-x", "")
    assert not [p for p in lying.problems if p.kind == "doubtful up"]
    assert any("other clips of its skeleton" in note for note in lying.notes)
    assert head_heights(takes / "library", lying.name).max() < 0.6
    assert rubbish(takes / "library") == []


def test_a_walk_that_comes_later_settles_it_then_and_only_once(takes: Path) -> None:
    folder = takes / "library"
    build_library(folder, [takes / "lying"])
    later = add_to_library(folder, [takes / "walks"])
    assert set(later.made) == {Path(LYING).stem, Path(WALK).stem}
    assert later.library.entry(Path(LYING).stem).up == "-x"
    again = build_library(folder)
    assert (again.made, again.kept) == ((), 2)


def test_a_lost_cache_is_made_again_with_the_same_axis(takes: Path) -> None:
    folder = takes / "library"
    build_library(folder, [takes / "lying", takes / "walks"])
    before = head_heights(folder, Path(LYING).stem)
    for file in cache_files(folder):
        file.unlink()
    np.testing.assert_allclose(head_heights(folder, Path(LYING).stem), before, atol=1e-6)


def test_what_a_person_states_is_not_voted_on(takes: Path) -> None:
    shutil.copy(takes / "walks" / WALK, takes / "lying" / WALK)
    built = build_library(takes / "library", [takes / "lying"], read={"up": "z"})
    assert [entry.up for entry in built.library.entries] == ["", ""]
