"""What tasks ask for is done, stage by stage, with the default clips; measured from positions."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from footfall import Follow, GoTo, Place, Plan, Query, planner
from footfall.body.clip import Clip
from footfall.maths.arrays import Floats
from footfall.maths.runs import runs
from footfall.task import NO_CLIP, Pick, PutDown, StandOn, StandUp
from footfall.verbs.planner import Planner
from tests.optimal.soles import clip_slip
from tests.sweeps import THOROUGH

START = Place(0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def ready() -> Planner:
    """A planner that is content with the first motion that it finds."""
    return planner("optimal", near_enough=1000.0)


@cache
def found(ready: Planner, *stages: object) -> Plan:
    made = ready.plan(Query(START, stages))  # type: ignore[arg-type]
    assert made.found, made.reason
    assert made.clip is not None
    assert clip_slip(made.clip) < 1e-3
    return made


def nearest(clip: Clip, role: str, place: tuple[float, float, float]) -> tuple[int, float]:
    """The frame at which a joint is nearest to a place, and how near."""
    away = np.linalg.norm(clip.positions[:, clip.skeleton.role(role)] - place, axis=1)
    return int(away.argmin()), float(away.min())


def root_at(made: Plan, frame: int) -> Floats:
    assert made.clip is not None
    return np.asarray(made.clip.root[frame, [0, 2]])


def test_a_stage_is_done_by_its_time(ready: Planner) -> None:
    slow = found(ready, GoTo(0.0, 3.0))
    assert slow.clip is not None
    by_s = round(slow.clip.seconds - 0.2, 1)
    fast = found(ready, GoTo(0.0, 3.0, by_s=by_s))
    assert fast.clip is not None
    assert fast.clip.seconds <= by_s + 1.0 / fast.clip.fps


def test_what_nobody_can_do_in_time_is_refused_with_how_long_it_takes(ready: Planner) -> None:
    made = ready.plan(Query(START, GoTo(0.0, 4.0, by_s=1.0)))
    assert made.status == NO_CLIP
    assert "within 1 s" in made.reason
    assert "s at least" in made.reason


def test_a_little_less_than_the_fastest_is_refused_with_what_can_be_done(ready: Planner) -> None:
    made = ready.plan(Query(START, GoTo(0.0, 4.0, by_s=3.0)))
    assert made.status == NO_CLIP
    least, can = (float(s) for s in re.findall(r"([\d.]+) s (?:at least|it can)", made.reason))
    assert 3.0 < least <= can
    done = found(ready, GoTo(0.0, 4.0, by_s=can + 0.1))
    assert done.clip is not None
    assert done.clip.seconds <= can + 0.1 + 1.0 / done.clip.fps


def test_two_things_are_picked_one_with_each_hand(ready: Planner) -> None:
    things = (-0.25, 0.8, 2.0), (0.25, 0.8, 2.6)
    made = found(ready, Pick(*things[0], hand="left"), Pick(*things[1]), GoTo(0.0, 4.0))
    assert made.clip is not None
    at = [nearest(made.clip, f"{side}_wrist", place)
          for side, place in zip(("left", "right"), things, strict=True)]  # fmt: skip
    assert max(away for _, away in at) < 0.12
    assert at[0][0] < at[1][0]


def test_what_is_put_down_where_it_was_picked_is_touched_twice(ready: Planner) -> None:
    made = found(ready, Pick(0.2, 0.75, 2.0), PutDown(0.2, 0.75, 2.0))
    assert made.clip is not None
    assert made.clip.touches is not None
    assert len(runs(made.clip.touches[:, :2].any(axis=1))) == 2


def test_a_foot_stands_on_the_place_that_is_named(ready: Planner) -> None:
    made = found(ready, StandOn(0.2, 1.5), GoTo(0.0, 3.0))
    away = [np.hypot(p.p[0] - 0.2, p.p[2] - 1.5) for p in made.footprints]
    assert min(away) < 0.15


def test_a_hand_is_where_it_is_to_pick_from_where_one_is_to_stand(ready: Planner) -> None:
    stand = Place(0.0, 1.6)
    made = found(ready, Pick(0.0, 0.75, 2.0, stand=stand))
    assert made.clip is not None
    hands = [nearest(made.clip, f"{side}_wrist", (0.0, 0.75, 2.0)) for side in ("left", "right")]
    frame, away = min(hands, key=lambda hand: hand[1])
    assert away < 0.12  # from the wrist to the palm
    assert np.linalg.norm(root_at(made, frame) - stand.point) < 0.35


def test_what_is_picked_is_put_down_elsewhere(ready: Planner) -> None:
    made = found(ready, Pick(0.0, 0.75, 2.0), PutDown(0.0, 0.75, 4.5), GoTo(0.0, 6.0))
    assert made.clip is not None
    assert made.clip.touches is not None
    frames = [
        min((nearest(made.clip, f"{side}_wrist", (0.0, 0.75, z)) for side in ("left", "right")),
            key=lambda hand: hand[1])
        for z in (2.0, 4.5)
    ]  # fmt: skip
    assert max(away for _, away in frames) < 0.12
    assert frames[0][0] < frames[1][0]


def test_who_stands_up_sits_at_first(ready: Planner) -> None:
    made = found(ready, StandUp(), GoTo(0.0, 3.0))
    assert made.clip is not None
    assert made.clip.touches is not None
    assert made.clip.touches[0, 2]
    assert not made.clip.touches[-1, 2]
    hips = made.clip.positions[:, made.clip.skeleton.role("hips"), 1]
    assert hips[0] < 0.85 * hips[-1]


@pytest.mark.parametrize("most", [0, 3] if THOROUGH else [2])
def test_no_more_segments_are_interpolated_than_may_be(most: int) -> None:
    made = planner("optimal", near_enough=1000.0, most_interpolated=most).plan(
        Query(START, GoTo(0.0, 3.0))
    )
    assert made.found, made.reason
    assert made.clip is not None
    assert made.clip.contacts is not None
    # A phase may show more than one pair of clips, but is mixed as a whole.
    feet = made.clip.contacts.reshape(-1, 2, 2).any(axis=2)
    phase = np.cumsum(np.append(False, (feet[1:] != feet[:-1]).any(axis=1)))
    mixed = [part for part in made.segments if part.why == "interpolated"]
    assert len({int(phase[(part.first + part.stop - 1) // 2]) for part in mixed}) <= most


def test_long_paths_are_walked_window_by_window_and_each_bound_is_told() -> None:
    z = np.linspace(0.0, 15.0, 16)
    path = np.stack([1.5 * np.sin(z / 6.0), z], axis=1)
    ready = planner("optimal", near_enough=1000.0, window_m=6.0)
    made = ready.plan(Query(stages=Follow(path, corridor_m=0.5)))
    assert made.found, made.reason
    assert made.clip is not None
    bounds = [note for note in made.notes if "m: it costs at most" in note]
    assert len(bounds) >= 3
    assert np.isinf(made.bound)  # nothing is claimed of the whole
    dense = np.stack([1.5 * np.sin(np.linspace(0, 15, 801) / 6.0), np.linspace(0, 15, 801)], 1)
    roots = made.clip.root[:, [0, 2]]
    away = np.linalg.norm(roots[:, None] - dense[None, ::5], axis=2).min(axis=1)
    assert away.max() < 0.6
    assert np.linalg.norm(roots[-1] - path[-1]) < 0.3
    assert clip_slip(made.clip) < 1e-3


def test_sources_are_clips_of_the_library(ready: Planner) -> None:
    from footfall import open_library

    names = {entry.name for entry in open_library("default:safonova").entries}
    made = found(ready, Pick(0.0, 0.75, 2.0), PutDown(0.0, 0.75, 4.5), GoTo(0.0, 6.0))
    assert {source.clip for part in made.segments for source in part.sources} <= names
