"""Starts and stops joined to walks: at rest at the ends, true to the walk between them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from footfall.adapt.edit.ends import (
    UNLIKE_M,
    EndClips,
    Joined,
    find_ends,
    prepare_starts,
    prepare_stops,
    start_standing,
    stop_standing,
)
from footfall.adapt.edit.rests import LONGEST_S, REST_S, resting_frames, start_spans, stop_spans
from footfall.body.clip import Clip
from footfall.body.edit import join, move, place, planar_pose, resample, retime, reverse
from footfall.errors import InputError
from footfall.gait.contacts import find_contacts
from footfall.generate.gait.journeys import start, stop
from footfall.maths import planar
from footfall.maths.arrays import Floats
from tests.clips import real_clip, steady

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


def stopped(walk: Clip, stops: EndClips, goal_m: float) -> Joined:
    along = distances(walk)
    _, found = find_ends(walk, along, None, stops, goal_m)
    assert found is not None
    return stop_standing(walk, along, stops, found)


def begun(walk: Clip, starts: EndClips, begin_m: float) -> Joined:
    along = distances(walk) - begin_m
    found, _ = find_ends(walk, along, starts, None, 100.0)
    assert found is not None
    return start_standing(walk, along, starts, found)


def way(a: Floats, b: Floats) -> float:
    return float(np.hypot(*(a[[0, 2]] - b[[0, 2]])))


def test_a_stop_ends_at_rest_near_its_goal_and_leaves_the_walk_as_it_was(
    walk: Clip, stops: EndClips
) -> None:
    goal_m = float(distances(walk)[-30])
    found = stopped(walk, stops, goal_m)
    leave = found.join.leave
    assert speeds(found.clip)[-5:].max() < 0.08
    assert way(found.clip.root[-1], walk.root[-30]) < 0.3
    assert found.join.stands_m == pytest.approx(goal_m, abs=0.3)
    assert found.distances[-1] == pytest.approx(found.join.stands_m, abs=0.07)
    np.testing.assert_array_equal(found.clip.root[:leave], walk.root[:leave])
    np.testing.assert_array_equal(found.clip.rotations[:leave], walk.rotations[:leave])


def test_a_start_begins_at_rest_and_leaves_the_walk_where_it_was(
    walk: Clip, starts: EndClips
) -> None:
    found = begun(walk, starts, float(distances(walk)[20]))
    after = len(walk) - found.join.enter - 1
    assert speeds(found.clip)[:5].max() < 0.08
    assert way(found.clip.root[0], walk.root[20]) < 0.3
    assert found.distances[0] == pytest.approx(found.join.stands_m, abs=0.05)
    np.testing.assert_array_equal(found.clip.root[-after:], walk.root[-after:])


def test_the_clip_of_the_walks_own_speed_is_chosen(
    walk: Clip, starts: EndClips, stops: EndClips
) -> None:
    for found, ends in (
        (stopped(walk, stops, float(distances(walk)[-20])), stops),
        (begun(walk, starts, float(distances(walk)[20])), starts),
    ):
        assert ends.clips[found.join.clip].name.endswith(f"{QUICK:g}")
        assert found.join.unlike_m < 0.03


@pytest.mark.parametrize("which", ["start", "stop"])
def test_no_other_pair_of_windows_that_stands_there_is_more_alike(
    walk: Clip, starts: EndClips, stops: EndClips, which: str
) -> None:
    """The shared sums are held to aligning every pair of windows on its own."""
    ends = starts if which == "start" else stops
    along = distances(walk)
    goal = float(along[20 if which == "start" else -50])
    found = begun(walk, ends, goal) if which == "start" else stopped(walk, ends, goal)
    join, clip = found.join, ends.clips[found.join.clip]
    walk_first = join.enter - WINDOW + 1 if which == "start" else join.leave
    clip_first = join.leave if which == "start" else join.enter - WINDOW + 1
    outer = WINDOW - 1 if which == "start" else 0

    def cloud(of: Clip, first: int) -> Floats:
        return of[first : first + WINDOW].positions.reshape(-1, 3)

    rest = clip.root[0 if which == "start" else -1]
    stands = join.stands_m + (goal if which == "start" else 0.0)
    for moved_walk in range(-6, 7, 2):
        for moved_clip in range(-6, 7, 2):
            here, there = walk_first + moved_walk, clip_first + moved_clip
            if here < 0 or there < WINDOW or here + WINDOW > len(walk):
                continue
            fit = planar.align(cloud(walk, here), cloud(clip, there))
            unlike = np.sqrt(float(fit.distance) / (WINDOW * len(walk.skeleton)))
            away = way(clip.root[there + outer], rest) * (-1.0 if which == "start" else 1.0)
            at = along[here + outer] + away
            # Those that stand within 5 cm of each other are held against each other.
            if abs(at - stands) < 0.001:
                assert unlike >= join.unlike_m - 2e-5
            if moved_walk == moved_clip == 0:
                assert unlike == pytest.approx(join.unlike_m, abs=1e-6)
                assert at == pytest.approx(stands, abs=1e-6)
                np.testing.assert_allclose(fit.pose, join.pose, atol=1e-6)


@pytest.mark.parametrize("length_m", [3.0, 4.2, 5.1, 6.0])
def test_start_and_stop_are_chosen_so_that_the_way_is_as_long_as_the_path(
    walk: Clip, starts: EndClips, stops: EndClips, length_m: float
) -> None:
    along = distances(walk)
    begin, end = find_ends(walk, along, starts, stops, length_m)
    assert begin is not None
    assert end is not None
    assert end.stands_m - begin.stands_m == pytest.approx(length_m, rel=0.07)
    assert begin.unlike_m + end.unlike_m < 0.1
    both = stop_standing(walk, along, stops, end)
    whole = start_standing(both.clip, both.distances, starts, begin)
    gone = way(whole.clip.root[-1], whole.clip.root[0])
    assert gone == pytest.approx(length_m, rel=0.09)


def test_nothing_jumps_and_contacts_go_on(walk: Clip, starts: EndClips, stops: EndClips) -> None:
    found = stopped(walk, stops, float(distances(walk)[-40]))
    whole = begun(found.clip, starts, float(distances(walk)[30]))
    assert whole.clip.contacts is not None
    step = np.abs(np.diff(whole.clip.positions, axis=0)).max()
    assert step < 1.2 * np.abs(np.diff(walk.positions, axis=0)).max()
    assert whole.clip.name == walk.name


def test_distances_along_go_on_over_the_join(walk: Clip, starts: EndClips, stops: EndClips) -> None:
    found = stopped(walk, stops, float(distances(walk)[-40]))
    assert len(found.distances) == len(found.clip)
    begin, _ = find_ends(found.clip, found.distances, starts, None, 100.0)
    assert begin is not None
    whole = start_standing(found.clip, found.distances, starts, begin)
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


def test_few_clips_are_joined_by_their_mirror_images(starts: EndClips) -> None:
    assert starts.mirrored == (False, False, True, True)
    assert starts.clips[2].contacts is not None
    given, image = starts.clips[0].contacts, starts.clips[2].contacts
    np.testing.assert_array_equal(given[:, [2, 3, 0, 1]], image)


def long_take() -> Clip:
    """Stands for 6 s, walks, stands for 2 s, walks again, stands: a clip of two starts and stops.

    Made of a start and a stop, as a performer does who goes on after a while.
    """
    first, last = start(QUICK, fps=FPS), stop(QUICK, fps=FPS)
    idle = first[:1]
    parts = [idle] * round(6.0 * FPS)
    for wait_s in (2.0, 1.0):
        parts.append(place(first, planar_pose(parts[-1], -1)))
        parts.append(place(last, planar_pose(parts[-1], -1)))
        still = parts[-1][len(last) - 1 : len(last)]
        parts += [still] * round(wait_s * FPS)
    return with_contacts(join(parts))


def test_a_long_take_gives_every_start_and_stop_cut_to_its_essence() -> None:
    clip = long_take()
    begins, ends = start_spans(clip), stop_spans(clip)
    assert len(begins) == len(ends) == 2
    resting = resting_frames(clip)
    for first, stop_ in begins:
        assert resting[first]
        assert stop_ - first <= round((LONGEST_S + REST_S) * FPS)
        assert (~resting[first:stop_]).sum() > FPS
    for first, stop_ in ends:
        assert resting[stop_ - 1]
        assert stop_ - first <= round((LONGEST_S + REST_S) * FPS)
    assert first > begins[0][0] > 5.0 * FPS


def test_a_stop_that_is_cut_while_it_walks_is_none() -> None:
    whole = with_contacts(stop(QUICK, fps=FPS))
    rests = int(np.argmax(resting_frames(whole)))
    cut = whole[: rests - round(0.5 * FPS)]
    assert stop_spans(whole)
    assert stop_spans(cut) == []
    assert len(prepare_stops([cut], FPS, WINDOW)) == 0


def test_somebody_who_walks_backward_out_of_standing_does_not_start() -> None:
    assert start_spans(reverse(with_contacts(stop(QUICK, fps=FPS)))) == []


def test_what_does_not_fit_is_not_joined(walk: Clip, stops: EndClips) -> None:
    along = distances(walk)
    none = prepare_stops([], FPS, WINDOW)
    assert find_ends(walk, along, None, none, 5.0) == (None, None)
    short = walk[: WINDOW - 1]
    assert find_ends(short, distances(short), None, stops, 1.0) == (None, None)
    running = steady("run", 4.5, seconds=3.0, fps=FPS)
    slower = stop(0.6, fps=FPS)
    slower = retime(slower, np.linspace(0.0, slower.seconds, 2 * len(slower) - 1))
    slow = prepare_stops([with_contacts(slower)], FPS, WINDOW)
    _, found = find_ends(running, distances(running), None, slow, 5.0)
    assert found is None or found.unlike_m <= UNLIKE_M


def test_a_walk_at_another_rate_is_refused(stops: EndClips) -> None:
    other = steady("walk", QUICK, seconds=4.0, fps=2.0 * FPS)
    with pytest.raises(InputError, match="frame rate"):
        find_ends(other, distances(other), None, stops, 4.0)


@pytest.mark.parametrize("name", ["69_13.bvh", "104_35.bvh"])
def test_starts_and_stops_of_long_recordings_are_a_few_seconds(name: str, mocap_hard: Path) -> None:
    clip = resample(real_clip(mocap_hard / name), FPS)
    begins, ends = start_spans(clip), stop_spans(clip)
    assert begins
    speed = np.hypot(*np.gradient(clip.root[:, [0, 2]], axis=0).T) * FPS
    for first, stop_ in (*begins, *ends):
        assert (stop_ - first) / FPS <= LONGEST_S + REST_S + 1.0 / FPS
    assert all(speed[first : first + 3].mean() < 0.1 for first, _ in begins)
    assert all(speed[stop_ - 3 : stop_].mean() < 0.1 for _, stop_ in ends)


@pytest.mark.parametrize("family", ["cmu", "accad_male1"])
def test_stops_of_real_clips_end_at_rest(family: str, mocap: Path) -> None:
    with (mocap / "INDEX.csv").open() as rows:
        files = [r["file"] for r in csv.DictReader(rows) if r["behaviour"] == "walk_stop"]
    clips = [resample(real_clip(mocap / f), FPS) for f in files if f.startswith(family)]
    assert clips
    for clip in clips:
        (_, stop_), *_ = stop_spans(clip)
        moves = np.linalg.norm(np.diff(clip.positions[stop_ - 4 : stop_], axis=0), axis=-1)
        assert float(moves.mean()) * FPS < 0.15
