"""Tags of real clips against their indexes, and of motions made from them that no index lists."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.body.edit import reverse
from footfall.gait.tags import find_tags, tag_names
from footfall.library.gaits import NOT_WALKING
from footfall.maths.arrays import Floats
from footfall.maths.quaternions import from_rotation_vector, multiply
from tests.clips import real_clip
from tests.gait.conftest import tags_of
from tests.gait.tag_scores import rows, score, total

pytestmark = pytest.mark.mocap


def names_of(clip: Clip) -> set[str]:
    return set(tag_names(find_tags(replace(clip, contacts=None))))


def turned(clip: Clip, role: str, axis: list[float], degrees: Floats | float) -> Clip:
    """The clip with a joint turned further at every frame, about an axis of its parent."""
    rotations = np.array(clip.rotations)
    turns = np.outer(np.radians(np.broadcast_to(degrees, len(clip))), axis)
    joint = clip.skeleton.roles[role]
    rotations[:, joint] = multiply(from_rotation_vector(turns), rotations[:, joint])
    return replace(clip, rotations=rotations, contacts=None)


def for_a_while(clip: Clip, begin_s: float, end_s: float, ramp_s: float = 0.6) -> Floats:
    """(T,) 0, smoothly to 1 between two times, and back."""
    share = np.minimum(clip.times - begin_s, end_s - clip.times) / ramp_s
    share = np.clip(share, 0.0, 1.0)
    return np.asarray(share**2 * (3.0 - 2.0 * share))


@pytest.fixture(scope="module")
def halves(mocap: Path, mocap_hard: Path) -> list[list[tuple[str, str, set[str]]]]:
    """The half that rules were tuned on, and the half that was held out."""
    found = [(file.name, b, set(tags_of(file))) for file, b in rows(mocap, mocap_hard)]
    return [found[0::2], found[1::2]]


@pytest.mark.parametrize("half", [0, 1], ids=["tuned on", "held out"])
def test_tags_are_right_on_both_halves(
    halves: list[list[tuple[str, str, set[str]]]], half: int
) -> None:
    scores = score(halves[half])
    whole = total(scores)
    assert whole.precision >= 0.95, {tag: s.extra for tag, s in scores.items() if s.extra}
    assert whole.recall >= 0.97, {tag: s.missed for tag, s in scores.items() if s.missed}
    assert not scores["walk"].extra
    assert not scores["run"].extra


def test_nothing_but_walking_is_planned_with_as_walking(
    halves: list[list[tuple[str, str, set[str]]]],
) -> None:
    """Whoever only walks among these is said to walk by its index."""
    for file, behaviour, found in (*halves[0], *halves[1]):
        if "walk" in found and not found & NOT_WALKING:
            assert behaviour.startswith(("walk", "sit_stand")), (file, found)


@pytest.mark.parametrize(
    "file", ["cmu/16_35", "cmu/16_45", "cmu/16_42", "accad_male1/Male1_C03_Run"]
)
def test_a_run_played_backward_goes_backward_and_runs_no_more(file: str, mocap: Path) -> None:
    names = names_of(reverse(real_clip(mocap / f"{file}.bvh")))
    assert "backward" in names
    assert not names & {"run", "walk"}


@pytest.mark.parametrize("file", ["cmu/113_01", "accad_male1/Male1_B6_WalkBackwards"])
def test_walking_backward_played_backward_is_a_walk(file: str, mocap: Path) -> None:
    names = names_of(reverse(real_clip(mocap / f"{file}.bvh")))
    assert "walk" in names
    assert not names & NOT_WALKING


@pytest.mark.parametrize("file", ["cmu/83_40", "cmu/118_20", "accad_male1/Male1_B1_StandToWalk"])
@pytest.mark.parametrize(
    ("role", "axis", "degrees"),
    [
        ("right_shoulder", [0.0, 1.0, 0.0], 80.0),
        ("left_shoulder", [0.0, 0.0, 1.0], 70.0),
        ("right_elbow", [0.0, 1.0, 0.0], 90.0),
        ("spine", [1.0, 0.0, 0.0], 40.0),
        ("head", [1.0, 0.0, 0.0], 40.0),
    ],
)
def test_gestures_and_bows_of_who_stands_are_standing(
    file: str, role: str, axis: list[float], degrees: float, mocap: Path
) -> None:
    clip = real_clip(mocap / f"{file}.bvh")
    clip = clip[: round((1.1 if "118" in file else 2.5) * clip.fps)]
    clip = replace(clip, fps=clip.fps * (0.5 if "118" in file else 1.0))
    gesture = turned(clip, role, axis, degrees * for_a_while(clip, 0.3, 2.0))
    assert names_of(gesture) == {"stand"}


def test_a_gesture_in_walking_is_walking_and_a_bow_is_a_duck(mocap: Path) -> None:
    walk = real_clip(mocap / "accad_male1" / "Male1_B3_Walk.bvh")
    while_ = for_a_while(walk, 1.5, 3.5)
    assert names_of(turned(walk, "right_shoulder", [0.0, 1.0, 0.0], 90.0 * while_)) == {"walk"}
    assert "duck" in names_of(turned(walk, "spine", [1.0, 0.0, 0.0], 55.0 * while_))


@pytest.mark.parametrize("lean", [15.0, 30.0])
def test_who_walks_with_a_bent_back_walks(lean: float, mocap: Path) -> None:
    for file in ("cmu/16_16", "accad_male1/Male1_B3_Walk"):
        clip = real_clip(mocap / f"{file}.bvh")
        assert names_of(turned(clip, "spine", [1.0, 0.0, 0.0], lean)) == {"walk"}


def test_pieces_of_plain_walks_show_nothing_odd(mocap: Path) -> None:
    plain = ("walk_straight", "walk_start", "walk_stop", "walk_curve_left", "walk_curve_right")
    fine = ("walk", "stand", "start", "stop", "curve_", "turn_")
    for file, behaviour in rows(mocap):
        if behaviour in plain:
            clip = real_clip(file)
            length = round(2.0 * clip.fps)
            for first in range(0, len(clip) - length, length // 2):
                names = names_of(clip[first : first + length])
                assert not [n for n in names if not n.startswith(fine)], (file.name, first)


@pytest.mark.parametrize("quicker", [0.6, 1.5, 2.0])
def test_turning_on_the_spot_is_that_at_any_pace(quicker: float, mocap: Path) -> None:
    for file, side in (("69_17", "left"), ("69_18", "right")):
        clip = real_clip(mocap / "cmu" / f"{file}.bvh")
        names = names_of(replace(clip, fps=clip.fps * quicker))
        assert names == {"stand", f"turn_in_place_{side}"}
