"""Misuse in Python is an `InputError` that names what was given and what would be right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall import InputError
from footfall.generate.gait.steady import steady

WALK = steady("walk", 1.2, seconds=1.5, fps=30)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: footfall.save("walk.bvh", WALK), "this is no clip: 'walk.bvh'; load it first"),
        (lambda: footfall.save(WALK, None), "this is no file name: 'None'"),
        (lambda: footfall.save(WALK, "w.bvh", colour=1), "there is no option 'colour'; choose"),
        (lambda: footfall.load(None), "this is no file name: 'None'"),
        (lambda: footfall.load("walk.bvh", roles=3), "roles is '3'; give a dictionary"),
        (lambda: footfall.load("walk.bvh", roles="r.toml"), "r.toml"),
        (lambda: footfall.load("walk.bvh", unit=1.0), "did you mean unit_m"),
        (lambda: footfall.clean(3), "this is no clip: '3'"),
        (lambda: footfall.measure("nowhere.bvh"), "there is no such file"),
        (lambda: footfall.measure(WALK, path="nowhere"), "there is no path 'nowhere'"),
        (lambda: footfall.measure(WALK, scene="nowhere"), "choose one of"),
        (lambda: footfall.measure(WALK, sources=["walk.bvh"]), "this is no clip: 'walk.bvh'"),
        (lambda: footfall.render(3, "walk.png"), "this is no clip: '3'"),
        (lambda: footfall.render(WALK, "walk.png", width="wide"), "a whole number from 320"),
    ],
)
def test_misuse_is_named(call: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError) as refused:
        call()
    assert said in str(refused.value)


def test_measure_takes_a_path_and_a_scene_by_name() -> None:
    named = footfall.measure(WALK, path="straight", scene="hills")
    points = footfall.load_path("straight").points
    stated = footfall.measure(WALK, path=points, scene=footfall.load_scene("hills"))
    assert named.deviation == stated.deviation
    assert named.collisions == stated.collisions


def test_load_takes_a_file_of_roles(tmp_path: Path) -> None:
    file = footfall.save(WALK, tmp_path / "walk.bvh")
    (tmp_path / "roles.toml").write_text('[roles]\nhead = "Neck"\n')
    for roles in (tmp_path / "roles.toml", {"head": "Neck"}):
        clip = footfall.load(file, roles=roles)
        assert clip.skeleton.names[clip.skeleton.role("head")] == "Neck"
    assert np.isfinite(clip.root).all()
