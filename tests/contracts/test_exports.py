"""What `footfall` exports: every name is there, and operations take a clip or its file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall.generate.gait.steady import steady
from footfall.generate.skeleton import default_skeleton

OPERATIONS = {
    "clean": lambda clip: footfall.clean(clip).clip,
    "lock_feet": footfall.lock_feet,
    "mirror": footfall.mirror,
    "resample": lambda clip: footfall.resample(clip, 15.0),
    "join": lambda clip: footfall.join([clip, clip], align=True),
    "retarget": lambda clip: footfall.retarget(clip, default_skeleton(0.7)),
    "find_contacts": lambda clip: footfall.find_contacts(clip).with_contacts(footfall.mirror(clip)),
}


@pytest.mark.parametrize("name", footfall.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    assert getattr(footfall, name) is not None


def test_the_folder_render_does_not_take_the_place_of_the_function() -> None:
    import footfall.render.raster

    assert callable(footfall.render)
    assert footfall.render.__module__ == "footfall.verbs.render"


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_does_the_same_to_a_clip_and_to_its_file(name: str, tmp_path: Path) -> None:
    file = footfall.save(steady(seconds=1.5, fps=30.0), tmp_path / "walk.npz")
    ours, theirs = (OPERATIONS[name](given) for given in (footfall.load(file), str(file)))
    np.testing.assert_array_equal(ours.root, theirs.root)
    np.testing.assert_array_equal(ours.rotations, theirs.rotations)
    np.testing.assert_array_equal(ours.contacts, theirs.contacts)


def test_footprints_and_measures_are_the_same_of_a_clip_and_of_its_file(tmp_path: Path) -> None:
    file = footfall.save(steady(seconds=2.0, fps=30.0), tmp_path / "walk.npz")
    ours, theirs = footfall.footprints(footfall.load(file)), footfall.footprints(file)
    assert [f.t for f in ours] == [f.t for f in theirs]
    assert footfall.measure(file).values() == pytest.approx(
        footfall.measure(footfall.load(file)).values(), nan_ok=True
    )


@pytest.mark.parametrize("name", ["mirror", "lock_feet", "find_contacts", "footprints", "clean"])
def test_what_is_neither_clip_nor_file_is_refused_by_what_it_is(name: str) -> None:
    with pytest.raises(footfall.InputError, match="this is no clip: '7'"):
        getattr(footfall, name)(7)


def test_every_command_has_a_function_of_its_name() -> None:
    from footfall.cli.app import app

    commands = {command.name for command in app.registered_commands}
    assert commands <= set(footfall.__all__)
