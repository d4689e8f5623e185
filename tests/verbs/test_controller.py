"""The front door of live control."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall import InputError, Place, controller, save
from footfall.library.library import open_library


def test_a_controller_walks_from_where_it_is_put():
    walker = controller(start=Place(2.0, -1.0, 0.5))
    before = walker.places[0].copy()
    for _ in range(120):
        walker.step(1 / 60, speed=1.3, turn=0.0)
    moved = walker.places[0] - before
    assert before == pytest.approx([2.0, -1.0, 0.5])
    assert np.hypot(moved[0], moved[1]) == pytest.approx(1.3 * 2.0, abs=1.0)
    assert np.arctan2(moved[0], moved[1]) == pytest.approx(0.5, abs=0.1)


def test_a_controller_moves_a_character_from_a_file_in_a_scene(tmp_path: Path):
    clip = next(iter(open_library("default:park")))
    small = replace(clip, skeleton=clip.skeleton.scaled(0.7), root=0.7 * clip.root)
    save(small, tmp_path / "small.bvh")
    walker = controller(character=tmp_path / "small.bvh", scene="hills")
    root, rotations = walker.step(1 / 60, speed=1.0, turn=0.0)
    assert walker.character.names == small.skeleton.names
    assert root.shape == (3,)
    assert rotations.shape == (len(small.skeleton), 4)
    assert np.isfinite(root).all()


@pytest.mark.parametrize("name", ["default:nothing", "no/such/folder"])
def test_a_library_that_is_none_is_refused(name: str):
    with pytest.raises(InputError):
        controller(name)
