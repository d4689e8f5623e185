"""No verb writes over what it reads, or over files of others unless told to."""

from __future__ import annotations

from pathlib import Path

import pytest

import footfall
from footfall.generate.gait.steady import steady
from tests.program import run_program


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    return footfall.save(steady("walk", 1.3, seconds=0.5), tmp_path / "walk.bvh")


@pytest.mark.parametrize(
    "words",
    [
        ["convert", "walk.bvh", "walk.bvh", "--fps", "30"],
        ["convert", "walk.bvh", "walk.bvh", "--force"],
        ["convert", "walk.bvh", "hero.glb", "--character", "hero.glb", "--force"],
        ["clean", "walk.bvh", "-o", "walk.bvh"],
        ["fit", "walk.bvh", "--scene", "hills", "-o", "walk", "--formats", "bvh"],
        ["demo", "--clip", "walk.bvh", "-o", "walk"],
    ],
)
def test_no_verb_overwrites_its_input(words: list[str], walk: Path) -> None:
    footfall.save(footfall.load(walk), walk.with_name("hero.glb"))
    kept = {file: file.read_bytes() for file in walk.parent.iterdir()}
    done = run_program(*[walk.parent / w if "walk" in w or "hero" in w else w for w in words])
    assert done.returncode == 2
    assert "would be overwritten" in done.stderr
    assert {file: file.read_bytes() for file in walk.parent.iterdir()} == kept


def test_earlier_results_are_replaced_and_files_of_others_only_by_force(walk: Path) -> None:
    target = walk.with_name("out.glb")
    for _ in range(2):
        assert run_program("convert", walk, target).returncode == 0
    target.write_bytes(b"modelled for weeks")
    refused = run_program("convert", walk, target)
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert target.read_bytes() == b"modelled for weeks"
    assert run_program("convert", walk, target, "--force").returncode == 0


def test_convert_in_python_refuses_its_own_source(walk: Path) -> None:
    with pytest.raises(footfall.InputError, match="overwritten"):
        footfall.convert(walk, walk)
