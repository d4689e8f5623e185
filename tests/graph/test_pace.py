"""A walk is played a little faster or slower to keep its pace; what begins and ends it is not."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from footfall import plan
from footfall.body.clip import Clip
from footfall.gait.speed import ground_speeds
from footfall.graph.made_ends import Motion
from footfall.graph.pace import keep_pace
from footfall.library.library import library_of
from footfall.maths import quaternions as quat
from footfall.maths.polyline import Polyline
from footfall.task import GoTo, Place, Query, Segment, SourceClip
from tests.clips import steady

MOST = 0.15


def motion_of(clip: Clip, *whys: str) -> Motion:
    """A motion in parts of equal length, there for these reasons."""
    ends = np.linspace(0, len(clip), len(whys) + 1).astype(int).tolist()
    segments = tuple(
        Segment(first, stop, why, (SourceClip(clip.name, first),))
        for why, (first, stop) in zip(whys, itertools.pairwise(ends), strict=True)
    )
    gone = np.hypot(*np.diff(clip.root[:, [0, 2]], axis=0, prepend=clip.root[:1, [0, 2]]).T)
    return Motion(clip, segments, np.cumsum(gone))


def walking_speed(motion: Motion) -> float:
    """Return the median speed of a motion, m/s."""
    return float(np.median(ground_speeds(motion.clip)))


@pytest.fixture(scope="module")
def walk() -> Motion:
    return motion_of(steady("walk", 1.2, seconds=9.0, fps=30.0), "clip", "transition", "clip")


@pytest.mark.parametrize("speed", [1.1, 1.2, 1.32])
def test_a_walk_goes_at_the_pace_that_is_wished_for(walk: Motion, speed: float) -> None:
    kept = keep_pace(walk, speed, MOST)
    assert walking_speed(kept) == pytest.approx(speed, rel=0.02)
    assert len(kept.clip) / len(walk.clip) == pytest.approx(1.2 / speed, rel=0.03)


@pytest.mark.parametrize("speed", [0.5, 3.0])
def test_it_is_never_played_much_faster_or_slower(walk: Motion, speed: float) -> None:
    kept = keep_pace(walk, speed, MOST)
    share = walking_speed(kept) / walking_speed(walk)
    assert 1.0 / (1.02 + MOST) < share < 1.02 + MOST
    before, after = (
        quat.angle_between(clip.rotations[1:], clip.rotations[:-1]).max()
        for clip in (walk.clip, kept.clip)
    )
    assert after < (1.05 + MOST) * before


def test_the_path_stays_and_everything_belongs_together(walk: Motion) -> None:
    kept = keep_pace(walk, 1.35, MOST)
    assert Polyline(walk.clip.root[:, [0, 2]]).gaps(kept.clip.root[:, [0, 2]]).max() < 0.002
    np.testing.assert_allclose(kept.clip.root[[0, -1]], walk.clip.root[[0, -1]], atol=1e-9)
    assert len(kept.distances) == len(kept.clip)
    assert np.all(np.diff(kept.distances) > 0.0)
    assert kept.segments[0].first == 0
    assert kept.segments[-1].stop == len(kept.clip)
    assert all(a.stop == b.first for a, b in itertools.pairwise(kept.segments))


def test_what_begins_and_ends_a_walk_keeps_its_time(walk: Motion) -> None:
    whole = motion_of(walk.clip, "start", "clip", "stop")
    kept = keep_pace(whole, 1.35, MOST)
    assert len(kept.clip) < len(walk.clip)
    np.testing.assert_allclose(kept.clip.root[:40], walk.clip.root[:40], atol=1e-3)
    from_end = kept.clip.root[-40:], walk.clip.root[-40:]
    np.testing.assert_allclose(*from_end, atol=2e-2)
    assert keep_pace(motion_of(walk.clip, "steps"), 1.35, MOST).clip is walk.clip
    assert keep_pace(walk, 1.35, 0.0) is walk


def test_bends_stay_slower() -> None:
    tight = motion_of(steady("walk", 1.0, turn_rad_s=1.2, seconds=8.0, fps=30.0), "clip")
    kept = keep_pace(tight, 1.3, MOST)
    assert walking_speed(kept) < 1.15


def test_a_speed_that_no_clip_has_is_said() -> None:
    clips = [
        steady("walk", v, seconds=4.0, fps=30.0).named(f"{v}").tagged(("walk",))
        for v in (1.0, 1.05)
    ]
    library = library_of(clips)
    for speed, said in ((1.0, False), (1.12, False), (1.45, True)):
        made = plan(Query(Place(0, 0), GoTo(0, 8), speed=speed), library=library, percentile=20.0)
        assert made.found
        assert any("m/s" in note for note in made.notes) == said, (speed, made.notes)
