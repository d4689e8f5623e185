"""The blend space of a library: made once, read the next time, never another's."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.blending import space as spaces
from footfall.blending.build import SpaceSettings
from footfall.blending.space import space_of
from footfall.errors import InputError
from footfall.library.library import library_of, open_library


@pytest.fixture
def cuts(monkeypatch, tmp_path):
    """How often strides were cut, with a cache of its own."""
    counted = []
    monkeypatch.setattr(spaces._KEPT, "_folder", tmp_path / "kept")
    build = spaces.build_space

    def count(*given, **named):
        counted.append(1)
        return build(*given, **named)

    monkeypatch.setattr(spaces, "build_space", count)
    return counted


@pytest.fixture
def few():
    """Five of the default walks, with addresses to keep their space by."""
    library = open_library("default:park")
    return library.only(library.names[:5])


def arrays_of(space):
    return [space.middle, space.reference, space.vectors, space.stand_turns, space.stand_place,
            space.seconds, space.contacts, space.landings, *space.basis.arrays]  # fmt: skip


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_kept_space_is_the_same_to_the_last_bit(cuts, few, mirrored):
    settings = SpaceSettings(mirrored=mirrored, most=40)
    made, kept = space_of(few, settings), space_of(few, settings)
    assert any(e.mirrored for e in kept.examples) == mirrored
    assert len(cuts) == 1
    for one, other in zip(arrays_of(made), arrays_of(kept), strict=True):
        assert np.array_equal(one, other)
    for one, other in zip(made.examples, kept.examples, strict=True):
        assert (one.name, one.clip.name, one.begin_s, one.mirrored, dict(one.own)) == (
            other.name, other.clip.name, other.begin_s, other.mirrored, dict(other.own),
        )  # fmt: skip
        assert np.array_equal(one.clip.rotations, other.clip.rotations)


def test_other_settings_and_other_clips_are_other_spaces(cuts, few):
    space_of(few)
    space_of(few, SpaceSettings(mirrored=True))
    space_of(few.only(few.names[:4]))
    assert len(cuts) == 3


@pytest.mark.parametrize("harm", ["cut off", "of another shape", "nothing"])
def test_what_is_damaged_is_made_again(cuts, few, harm, tmp_path):
    made = space_of(few)
    (file,) = (tmp_path / "kept").iterdir()
    if harm == "of another shape":
        arrays, facts = spaces._flatten(made)
        arrays["rotations"] = arrays["rotations"][:, :50]
        spaces._KEPT.keep(file.stem, arrays, facts)
    else:
        file.write_bytes(file.read_bytes()[:1000] if harm == "cut off" else b"")
    again = space_of(few)
    assert len(cuts) == 2
    assert np.array_equal(made.vectors, again.vectors)


def test_clips_in_memory_are_not_kept(cuts, park, tmp_path):
    space_of(library_of(park[:3]))
    assert not (tmp_path / "kept").exists()


def test_a_library_that_does_not_walk_is_refused_with_what_it_shows(park):
    jumps = library_of([park[0].tagged(("jump",))])
    with pytest.raises(InputError, match=r"none of the library's 1 clips shows walking .*jump"):
        space_of(jumps)


def test_a_library_of_stands_is_refused(park):
    from footfall.adapt.steps.standing import stand_like

    still = stand_like(park[0]).named("still").tagged(("walk",))
    with pytest.raises(InputError, match="none of 1 clips has a stride to blend"):
        space_of(library_of([still]))
