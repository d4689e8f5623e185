"""Drivers: along paths at any profile of speed, through waypoints, after a pointer, once more."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.adapt.retarget.retarget import retarget
from footfall.blending.build import build_space
from footfall.blending.control import Controller
from footfall.blending.drive import Chase, FollowPath, turn_limits
from footfall.blending.track import Track
from footfall.errors import InputError
from footfall.maths.polyline import Polyline, rounded_corners
from tests.blending.replay import Replay
from tests.clips import real_clip

BEND = np.array([[0.0, 0.0], [0.0, 4.0], [2.0, 7.0], [5.0, 8.0]])
STRAIGHT = np.array([[0.0, 0.0], [0.0, 40.0]])


def drive(space, driver, seconds, start=(0.0, 0.0, 0.0)):
    """(T, 3) places and (T,) seconds of a walker until the driver is done."""
    walker = Controller(space)
    walker.put([start])
    rows = []
    for _ in range(round(60 * seconds)):
        walker.step(1 / 60, *driver.steer(walker.places[0], walker.achieved[0], 1 / 60))
        rows.append(walker.places[0].copy())
        if driver.done:
            break
    return walker, np.array(rows)


def test_a_path_is_done_when_who_follows_it_stands_at_its_end(space):
    driver = FollowPath(BEND, 1.3, turn_limits(space))
    walker, way = drive(space, driver, 60.0)
    assert driver.done
    assert walker.resting[0]
    assert np.hypot(*(way[-1, :2] - BEND[-1])) < 0.08
    assert driver.along == pytest.approx(driver.length_m, abs=0.2)


def test_the_speed_follows_its_profile_along_the_path(space):
    profile = np.array([[0.0, 1.0], [15.0, 1.0], [18.0, 2.8], [30.0, 2.8], [34.0, 1.2]])
    _, way = drive(space, FollowPath(STRAIGHT, profile, turn_limits(space)), 60.0)
    speed = np.gradient(way[:, 1]) * 60.0
    for low, high, wished in ((6.0, 14.0, 1.0), (23.0, 29.0, 2.8), (36.0, 38.0, 1.2)):
        inside = (way[:, 1] > low) & (way[:, 1] < high)
        assert speed[inside].mean() == pytest.approx(wished, rel=0.05)


@pytest.mark.parametrize(
    "speed", [0.0, -1.0, np.nan, np.inf, [[0.0, 0.0]], [[5.0, 1.0], [2.0, 1.0]], [1.0, 2.0], []]
)
def test_speeds_that_are_none_are_refused(space, speed):
    with pytest.raises(InputError, match="speed"):
        FollowPath(BEND, speed, turn_limits(space))


def test_waypoints_are_passed_one_after_the_other(space):
    points = [[0.0, 0.0], [0.0, 5.0], [5.0, 5.0], [5.0, 0.0], [0.0, 0.0]]
    driver = FollowPath(np.array(points), 1.2, turn_limits(space))
    _, way = drive(space, driver, 90.0)
    assert driver.done
    passed = [int(np.hypot(*(way[:, :2] - p).T).argmin()) for p in points[1:-1]]
    assert passed == sorted(passed)
    for frame, point in zip(passed, points[1:-1], strict=True):
        assert np.hypot(*(way[frame, :2] - point)) < 0.35
    assert np.hypot(*way[-1, :2]) < 0.1


def test_a_path_that_crosses_itself_is_not_cut_short(space):
    loop = np.array([[0.0, 0.0], [0.0, 6.0], [4.0, 6.0], [4.0, 3.0], [-4.0, 3.0]])
    driver = FollowPath(loop, 1.2, turn_limits(space))
    _, way = drive(space, driver, 90.0)
    assert Polyline(way[:, :2]).gaps(loop).max() < 0.5
    assert np.hypot(*(way[-1, :2] - loop[-1])) < 0.1


def test_turns_that_the_limits_promise_are_achieved(space):
    limits = turn_limits(space)
    for style, found in ((None, limits), (1.0, turn_limits(space, style=1.0))):
        for speed, turn in zip(found.speeds[4::5], found.turns[4::5], strict=True):
            for side in (1.0, -1.0):
                walker = Controller(space)
                for _ in range(240):
                    walker.step(1 / 60, speed, side * turn, style)
                assert walker.achieved[0, :2] == pytest.approx([speed, side * turn], abs=0.08)


@pytest.mark.mocap
def test_who_cannot_run_round_a_bend_slows_down_and_keeps_to_it(mocap):
    """ACCAD's Male 1 runs straight alone."""
    names = ("B3_Walk", "B10_WalkTurnLeft45", "B13_WalkTurnRight45", "C03_Run")
    clips = [real_clip(mocap / "accad_male1" / f"Male1_{name}.bvh") for name in names]
    people = build_space([clips[0], *(retarget(c, clips[0].skeleton) for c in clips[1:])])
    bend = np.array([[0.0, 0.0], [0.0, 15.0], [3.0, 20.0], [8.0, 22.0], [25.0, 22.0]])
    line = rounded_corners(bend, 3.0)
    driver = FollowPath(line, 3.6, turn_limits(people))
    _, way = drive(people, driver, 90.0)
    assert driver.done
    assert Polyline(line).gaps(way[:, :2]).max() < 0.35
    assert np.hypot(*np.diff(way[:, :2], axis=0).T).max() * 60.0 > 2.5


def test_a_track_tells_places_as_the_polyline_does(rng):
    line = Polyline(np.cumsum(rng.uniform(0.0, 1.0, (20, 2)), axis=0))
    track = Track(line.points)
    even = Polyline(track.points)
    for along in np.sort(rng.uniform(0.0, track.length_m, 50)):  # corners are cut
        near = even.at(along) + rng.normal(size=2) * 0.02
        assert np.hypot(*(np.array(track.at(along)) - even.at(along))) < 0.08
        wanted = even.nearest(near[None], near_m=[along], within_m=1.0)[0]
        assert track.advance(*near, 5.0) >= wanted - 0.08
        assert track.value_at(track.distances.tolist(), along) == pytest.approx(along, abs=0.08)


def test_who_chases_a_point_that_moves_stays_near_it(space):
    walker, driver = Controller(space), Chase(turn_limits(space))
    walker.put([[0.0, 0.0, 0.0]])
    away = []
    for n in range(60 * 30):
        angle = 0.25 * n / 60
        driver.target = (6.0 * np.sin(angle), 6.0 * np.cos(angle))
        walker.step(1 / 60, *driver.steer(walker.places[0], walker.achieved[0], 1 / 60))
        away.append(np.hypot(*(walker.places[0, :2] - driver.target)))
    assert max(away[60 * 8 :]) < 2.0


@pytest.mark.parametrize("target", [(np.nan, 0.0), (0.0, np.inf)])
def test_a_pointer_that_is_nowhere_is_waited_for(space, target):
    walker, driver = Controller(space), Chase(turn_limits(space), target=target)
    walker.put([[0.0, 0.0, 0.0]])
    for _ in range(60):
        walker.step(1 / 60, *driver.steer(walker.places[0], walker.achieved[0], 1 / 60))
    assert np.hypot(*walker.places[0, :2]) < 0.01


@pytest.mark.parametrize("rate", [60, 30, 144])
def test_a_recording_is_played_at_its_own_pace(rate):
    wishes = np.column_stack([np.arange(120.0), -np.arange(120.0)])
    driver, seen = Replay(wishes, 1 / 60), []
    while not driver.done:
        seen.append(driver.steer(np.zeros(3), np.zeros(3), 1 / rate))
    assert len(seen) == pytest.approx(2.0 * rate, abs=1)
    assert np.array(seen)[:, 0] == pytest.approx(np.arange(len(seen)) * 60 / rate, abs=1.0)
