from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.body.edit import mirror, reverse
from footfall.body.mirror import swap_left_right
from footfall.gait.tags import TAGS, find_tags, look_at, tag_names
from footfall.gait.turns import find_turns
from footfall.maths import quaternions as quat
from tests.clips import steady


def names_of(clip: Clip) -> set[str]:
    return set(tag_names(find_tags(clip)))


@pytest.mark.parametrize(
    ("gait", "speed", "turn", "expected"),
    [
        ("walk", 0.8, 0.0, {"walk"}),
        ("walk", 1.5, 0.0, {"walk"}),
        ("walk", 1.2, 0.5, {"walk", "curve_left"}),
        ("walk", 1.2, -0.5, {"walk", "curve_right"}),
        ("run", 3.5, 0.0, {"run"}),
        ("run", 3.0, 0.4, {"run", "curve_left"}),
    ],
)
def test_generated_gaits_are_called_what_they_are(
    gait: str, speed: float, turn: float, expected: set[str]
) -> None:
    assert names_of(steady(gait, speed, turn, seconds=5.0)) == expected


def test_a_walk_played_backward_goes_backward() -> None:
    assert names_of(reverse(steady("walk", 1.2, seconds=5.0))) == {"backward"}


def test_tags_of_a_character_of_other_size_are_the_same() -> None:
    """A giant walks as a dwarf does, only slower: speeds go with the square root of the leg."""
    for leg in (0.45, 0.824, 1.3):
        scale = np.sqrt(leg / 0.824)
        assert names_of(steady("walk", 1.3 * scale, seconds=6.0, leg_m=leg)) == {"walk"}


def test_mirrored_clips_have_mirrored_tags() -> None:
    clip = steady("walk", 1.2, 0.6, seconds=5.0)
    assert names_of(mirror(clip)) == {swap_left_right(n) for n in names_of(clip)}


def test_somebody_who_only_stands_stands() -> None:
    character = steady("walk", 1.3, seconds=0.5).skeleton
    pose = np.zeros((90, len(character), 4))
    pose[..., 0] = 1.0
    root = np.repeat(character.rest_positions[:1], 90, axis=0)
    assert names_of(Clip(character, 30.0, root, pose)) == {"stand"}


def test_every_tag_has_its_time_and_says_why() -> None:
    clip = steady("walk", 1.2, 0.5, seconds=5.0)
    for tag in find_tags(clip):
        assert tag.name in TAGS
        assert 0.0 <= tag.begin_s < tag.end_s <= clip.seconds + 1e-9
        assert any(c.isdigit() for c in tag.evidence)


def test_clips_in_which_nothing_is_found_have_no_tags() -> None:
    walk = steady("walk", 1.3, seconds=2.0)
    short = walk[:4].with_contacts(None)
    assert find_tags(short) == ()
    over = quat.from_axis_angle([1.0, 0.0, 0.0], np.pi)
    rotations = walk.rotations.copy()
    rotations[:, 0] = quat.multiply(over, rotations[:, 0])
    handstand = replace(walk, root=quat.rotate(over, walk.root), rotations=rotations)
    assert find_tags(handstand) == ()


def test_turns_measure_angle_and_way() -> None:
    clip = steady("walk", 1.2, 0.5, seconds=6.0)
    turns = find_turns(look_at(clip).contacts.motion)
    assert len(turns) == 1
    assert turns[0].angle == pytest.approx(0.5 * turns[0].seconds, rel=0.05)
    assert turns[0].radius_m == pytest.approx(2.4, rel=0.05)
