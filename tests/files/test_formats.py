"""`load` and `save`: the table of formats, and what is said before a parser even starts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footfall import load, save
from footfall.errors import InputError
from footfall.files.formats import FORMATS, readable_suffixes, writable_suffixes
from tests.clips import steady


@pytest.mark.parametrize("suffix", writable_suffixes())
def test_what_is_written_reads_back_equal(suffix: str, tmp_path: Path) -> None:
    walk = steady(seconds=0.5, fps=30)
    again = load(save(walk, tmp_path / f"walk{suffix}"))
    assert again.skeleton.names == walk.skeleton.names
    assert dict(again.skeleton.roles) == dict(walk.skeleton.roles)
    assert again.fps == walk.fps
    assert again.positions == pytest.approx(walk.positions, abs=1e-5)
    assert again.skeleton.rest_end_positions == pytest.approx(
        walk.skeleton.rest_end_positions, abs=1e-5
    )


@pytest.mark.parametrize("suffix", [".glb", ".gltf", ".npz"])
def test_contacts_touches_and_tags_survive_where_the_format_can_hold_them(
    suffix: str, tmp_path: Path
) -> None:
    walk = steady(seconds=0.5, fps=30)
    touches = np.arange(3 * len(walk)).reshape(-1, 3) % [2, 3, 5] == 0
    walk = walk.derive(touches=touches)
    again = load(save(walk, tmp_path / f"walk{suffix}"))
    assert again.contacts is not None
    assert walk.contacts is not None
    assert np.array_equal(again.contacts, walk.contacts)
    assert again.touches is not None
    assert np.array_equal(again.touches, touches)
    assert again.tags == walk.tags


@pytest.mark.parametrize("suffix", writable_suffixes())
def test_writing_twice_gives_a_file_that_reads_the_same(suffix: str, tmp_path: Path) -> None:
    walk = steady(seconds=0.3, fps=30)
    once = load(save(walk, tmp_path / f"one{suffix}"))
    twice = load(save(once, tmp_path / f"two{suffix}"))
    assert twice.positions == pytest.approx(once.positions, abs=1e-6)
    assert twice.skeleton.offsets == pytest.approx(once.skeleton.offsets, abs=1e-6)


@pytest.mark.parametrize("suffix", readable_suffixes())
@pytest.mark.parametrize("kind", ["folder", "empty", "missing", "noise", "text"])
def test_what_is_no_clip_gets_one_sentence(suffix: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"bad{suffix}"
    if kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.touch()
    elif kind == "noise":
        path.write_bytes(np.random.default_rng(1).bytes(4096))
    elif kind == "text":
        path.write_text("once upon a time\n" * 50)
    with pytest.raises(InputError) as caught:
        load(path)
    sentence = str(caught.value)
    assert path.name in sentence
    assert "\n" not in sentence
    assert len(sentence) < 400


def test_an_unknown_suffix_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"choose one of \.bvh"):
        load(tmp_path / "walk.fbx")
    with pytest.raises(InputError, match=r"\.glb"):
        save(steady(seconds=0.2), tmp_path / "walk.fbx")


def test_every_format_of_the_table_has_what_it_promises() -> None:
    from importlib import import_module

    for form in FORMATS.values():
        module = import_module(form.module)
        assert callable(module.read) == form.reads
        assert hasattr(module, "write") == form.writes


def test_a_file_where_a_folder_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(InputError, match="cannot be written"):
        save(steady(seconds=0.2), tmp_path / "taken" / "walk.bvh")
