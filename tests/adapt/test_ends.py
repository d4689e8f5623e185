"""Starts and stops joined to walks: at rest at the ends, true to the walk between them."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.adapt.ends import (
    REST_S,
    UNLIKE_M,
    EndClips,
    Joined,
    prepare_starts,
    prepare_stops,
    start_standing,
    stop_standing,
)
from footfall.body.clip import Clip
from footfall.body.edit import change_speed, move, slice_frames
from footfall.body.kinematics import joint_positions
from footfall.errors import InputError
from footfall.gait.contacts import find_contacts
from footfall.library.generate.gait.journeys import start, stop
from footfall.library.generate.gait.steady import steady
from footfall.maths import planar
from footfall.maths.arrays import Floats

FPS, WINDOW = 30.0, 10
SLOW, QUICK = 0.9, 1.2


def with_contacts(clip: Clip) -> Clip:
    return find_contacts(clip).with_contacts(clip)


@pytest.fixture(scope="module")
def walk() -> Clip:
    return with_contacts(move(steady("walk", QUICK, seconds=8.0, fps=FPS), 40.0, -7.0, 0.7))


@pytest.fixture(scope="module")
def starts() -> EndClips:
    given = [with_contacts(start(speed, fps=2.0 * FPS)) for speed in (SLOW, QUICK)]
    return prepare_starts(given, FPS, WINDOW)


@pytest.fixture(scope="module")
def stops() -> EndClips:
    given = [with_contacts(stop(speed, fps=2.0 * FPS)) for speed in (SLOW, QUICK)]
    return prepare_stops(given, FPS, WINDOW)


def distances(clip: Clip) -> Floats:
    ground = clip.root[:, [0, 2]]
    return np.cumsum(np.hypot(*np.diff(ground, axis=0, prepend=ground[:1]).T))


def speeds(clip: Clip) -> Floats:
    return np.asarray(np.hypot(*np.diff(clip.root[:, [0, 2]], axis=0).T) * clip.fps)


def stopped(walk: Clip, stops: EndClips, goal: Floats) -> Joined:
    found = stop_standing(walk, distances(walk), stops, goal)
    assert found is not None
    return found


def begun(walk: Clip, starts: EndClips, begin: Floats) -> Joined:
    found = start_standing(walk, distances(walk), starts, begin)
    assert found is not None
    return found


def test_a_stop_ends_at_rest_near_its_goal_and_leaves_the_walk_as_it_was(
    walk: Clip, stops: EndClips
) -> None:
    goal = walk.root[-30, [0, 2]]
    found = stopped(walk, stops, goal)
    leave = found.join.leave
    assert speeds(found.clip)[-5:].max() < 0.15
    assert np.hypot(*(found.clip.root[-1, [0, 2]] - goal)) < 0.3
    assert np.hypot(*(found.clip.root[-1, [0, 2]] - goal)) == pytest.approx(found.join.off_m)
    np.testing.assert_array_equal(found.clip.root[:leave], walk.root[:leave])
    np.testing.assert_array_equal(found.clip.rotations[:leave], walk.rotations[:leave])


def test_a_start_begins_at_rest_and_leaves_the_walk_where_it_was(
    walk: Clip, starts: EndClips
) -> None:
    begin = walk.root[20, [0, 2]]
    found = begun(walk, starts, begin)
    after = len(walk) - found.join.enter - 1
    assert speeds(found.clip)[:5].max() < 0.15
    assert np.hypot(*(found.clip.root[0, [0, 2]] - begin)) == pytest.approx(found.join.off_m)
    assert found.join.off_m < 0.3
    np.testing.assert_array_equal(found.clip.root[-after:], walk.root[-after:])


def test_the_clip_of_the_walks_own_speed_is_chosen(
    walk: Clip, starts: EndClips, stops: EndClips
) -> None:
    for found, ends in (
        (stopped(walk, stops, walk.root[-20, [0, 2]]), stops),
        (begun(walk, starts, walk.root[20, [0, 2]]), starts),
    ):
        assert ends.sources[found.join.clip] == 1
        assert found.join.unlike_m < 0.03


@pytest.mark.parametrize("which", ["start", "stop"])
def test_no_other_pair_of_windows_joins_better(
    walk: Clip, starts: EndClips, stops: EndClips, which: str
) -> None:
    """The shared sums are held to aligning every pair of windows on its own."""
    ends = starts if which == "start" else stops
    frame = 20 if which == "start" else -50
    goal = walk.root[frame, [0, 2]]
    found = begun(walk, ends, goal) if which == "start" else stopped(walk, ends, goal)
    join, clip = found.join, ends.clips[found.join.clip]
    walk_first = join.enter - WINDOW + 1 if which == "start" else join.leave
    clip_first = join.leave if which == "start" else join.enter - WINDOW + 1

    def cloud(of: Clip, first: int) -> Floats:
        return joint_positions(slice_frames(of, first, first + WINDOW)).reshape(-1, 3)

    rest = clip.root[0 if which == "start" else -1, [0, 2]]
    best = join.unlike_m / 0.04 + join.off_m / 0.25
    for moved_walk in range(-6, 7, 2):
        for moved_clip in range(-6, 7, 2):
            here, there = walk_first + moved_walk, clip_first + moved_clip
            if here < 0 or there < WINDOW or here + WINDOW > len(walk):
                continue
            fit = planar.align(cloud(walk, here), cloud(clip, there))
            unlike = np.sqrt(float(fit.distance) / (WINDOW * len(walk.skeleton)))
            off = np.hypot(*(planar.apply_to_ground(fit.pose, rest) - goal))
            assert unlike / 0.04 + off / 0.25 >= best - 1e-6
            if moved_walk == moved_clip == 0:
                assert unlike == pytest.approx(join.unlike_m, abs=1e-6)
                assert off == pytest.approx(join.off_m, abs=1e-6)
                np.testing.assert_allclose(fit.pose, join.pose, atol=1e-6)


def test_nothing_jumps_and_contacts_go_on(walk: Clip, starts: EndClips, stops: EndClips) -> None:
    found = stopped(walk, stops, walk.root[-40, [0, 2]])
    whole = begun(found.clip, starts, walk.root[30, [0, 2]])
    assert whole.clip.contacts is not None
    step = np.abs(np.diff(joint_positions(whole.clip), axis=0)).max()
    assert step < 1.2 * np.abs(np.diff(joint_positions(walk), axis=0)).max()
    assert whole.clip.name == walk.name


def test_distances_along_go_on_over_the_join(walk: Clip, starts: EndClips, stops: EndClips) -> None:
    found = stopped(walk, stops, walk.root[-40, [0, 2]])
    assert len(found.distances) == len(found.clip)
    whole = start_standing(found.clip, found.distances, starts, walk.root[30, [0, 2]])
    assert whole is not None
    assert len(whole.distances) == len(whole.clip)
    assert (np.diff(whole.distances) >= 0.0).all()
    assert np.diff(whole.distances).max() < 2.0 * QUICK / FPS
    after = len(walk) - whole.join.enter - 1
    assert whole.distances[-1] == pytest.approx(found.distances[-1])
    assert after > 0


def test_prepared_clips_stand_for_a_moment_only(starts: EndClips, stops: EndClips) -> None:
    for clip in starts.clips:
        resting = int(np.argmax(speeds(clip) > 0.08))
        assert resting <= round(REST_S * FPS) + 2
    for clip in stops.clips:
        resting = int(np.argmax(speeds(clip)[::-1] > 0.08))
        assert resting <= round(REST_S * FPS) + 2
    assert all(clip.fps == FPS for clip in (*starts.clips, *stops.clips))


def test_what_does_not_fit_is_not_joined(walk: Clip, stops: EndClips) -> None:
    goal = walk.root[-1, [0, 2]]
    assert stop_standing(walk, distances(walk), prepare_stops([], FPS, WINDOW), goal) is None
    short = slice_frames(walk, 0, WINDOW - 1)
    assert stop_standing(short, distances(short), stops, goal) is None
    running = steady("run", 4.5, seconds=3.0, fps=FPS)
    slow = prepare_stops([change_speed(stop(0.6, fps=FPS), 0.5)], FPS, WINDOW)
    found = stop_standing(running, distances(running), slow, goal)
    assert found is None or found.join.unlike_m <= UNLIKE_M


def test_a_walk_at_another_rate_is_refused(stops: EndClips) -> None:
    other = steady("walk", QUICK, seconds=4.0, fps=2.0 * FPS)
    with pytest.raises(InputError, match="frame rate"):
        stop_standing(other, distances(other), stops, np.zeros(2))
