"""Plans by blending: along paths, at asked speeds, from standing to standing."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import plan
from footfall.blending.control import Controller
from footfall.blending.drive import Chase, FollowPath, turn_limits
from footfall.maths.filters import smooth_gaussian
from footfall.maths.polyline import Polyline
from footfall.measures.skating import skating
from footfall.task import Follow, GoTo, Place, Query
from footfall.world.ground import grid_ground
from footfall.world.scene import Scene, rectangle
from tests.blending.replay import Replay

BEND = np.array([[0.0, 0.0], [0.0, 4.0], [2.0, 7.0], [5.0, 8.0]])


@pytest.mark.parametrize(("speed", "style"), [(0.9, None), (1.5, "walk"), (2.6, "run")])
def test_a_path_is_followed_at_the_speed_that_is_asked_for(speed, style):
    straight = np.array([[0.0, 0.0], [0.0, 14.0]])
    found = plan(Query(stages=Follow(straight), speed=speed, style=style), method="blending")
    assert found.found, found.reason
    root = found.clip.root
    inner = (root[:, 2] > 5.0) & (root[:, 2] < 9.5)
    steady = np.flatnonzero(inner)
    achieved = (root[steady[-1], 2] - root[steady[0], 2]) / (
        (steady[-1] - steady[0]) / found.clip.fps
    )
    assert achieved == pytest.approx(speed, rel=0.05)


def test_who_runs_slower_than_any_example_still_goes_as_fast_as_asked_and_says_so():
    slight = np.array([[0.0, 0.0], [0.0, 8.0], [1.5, 16.0], [4.5, 23.0]])
    found = plan(Query(stages=Follow(slight), speed=1.4, style="run"), method="blending")
    assert found.found, found.reason
    assert any("run at 2.4 m/s or more" in note for note in found.notes)
    inner = found.clip.root[90:-90, [0, 2]]
    way = np.hypot(*(inner[-1] - inner[0]))
    assert way / (len(inner) - 1) * found.clip.fps == pytest.approx(1.4, rel=0.05)


def test_a_bend_is_followed_closely_and_ended_at():
    found = plan(Query(stages=Follow(BEND)), method="blending")
    assert found.found, found.reason
    off = Polyline(BEND).gaps(found.clip.root[:, [0, 2]])
    assert off.max() < 0.25
    assert np.hypot(*(found.clip.root[-1, [0, 2]] - BEND[-1])) < 0.1


def test_headings_at_both_ends_are_met():
    found = plan(Query(Place(0.0, 0.0, 1.5), GoTo(0.0, 4.0, -2.0)), method="blending")
    assert found.found, found.reason


@pytest.mark.parametrize(("speed", "style", "most_mm"), [(1.3, "walk", 0.5), (2.6, "run", 3.0)])
def test_points_that_are_said_to_touch_stand_still(speed, style, most_mm):
    """Who runs comes down on the ball, and bends the toes when it carries already."""
    found = plan(Query(stages=Follow(BEND), speed=speed, style=style), method="blending")
    feet = skating(found.clip)
    assert feet.contacts > 12
    assert feet.drift_max_mm < most_mm
    assert feet.drift_mean_mm < 0.2


def test_sources_are_named_with_their_weights():
    found = plan(Query(stages=Follow(BEND)), method="blending")
    for segment in found.segments:
        assert sum(s.weight for s in segment.sources) == pytest.approx(1.0)
    assert found.segments[0].first == 0
    assert found.segments[-1].stop == len(found.clip)


def test_a_recorded_steering_gives_the_same_motion_again(space, rng):
    wishes = np.column_stack([rng.uniform(0.0, 3.0, 40), rng.uniform(-1.0, 1.0, 40)]).repeat(15, 0)
    motions = []
    for _ in range(2):
        walker, driver = Controller(space), Replay(wishes, 1 / 60)
        walker.put([[0.0, 0.0, 0.0]])
        frames = []
        while not driver.done:
            walker.step(1 / 60, *driver.steer(walker.places[0], walker.achieved[0], 1 / 60))
            frames.append(walker.rotations[0].copy())
        motions.append(np.array(frames))
    assert (motions[0] == motions[1]).all()


def test_who_chases_a_point_comes_near_it_and_stands(space):
    walker = Controller(space)
    walker.put([[0.0, 0.0, 0.0]])
    driver = Chase(turn_limits(space), target=(-4.0, -3.0))
    for _ in range(60 * 12):
        walker.step(1 / 60, *driver.steer(walker.places[0], walker.achieved[0], 1 / 60))
    assert np.hypot(*(walker.places[0, :2] - [-4.0, -3.0])) < 0.6
    assert walker.resting[0]


def test_a_driver_ends_where_the_path_does(space):
    walker = Controller(space)
    walker.put([[0.0, 0.0, 0.0]])
    driver = FollowPath(BEND, 1.3, turn_limits(space))
    for _ in range(60 * 20):
        walker.step(1 / 60, *driver.steer(walker.places[0], walker.achieved[0], 1 / 60))
    assert np.hypot(*(walker.places[0, :2] - BEND[-1])) < 0.08


def test_a_circle_too_tight_for_its_speed_is_noted_with_the_speed_it_allows():
    angle = np.linspace(0.0, 1.8 * np.pi, 100)
    circle = 2.0 * np.stack([1.0 - np.cos(angle), np.sin(angle)], axis=1)
    found = plan(Query(stages=Follow(circle), speed=2.5), method="blending")
    assert found.found, found.reason
    assert any("the bends of the path allow" in note for note in found.notes)
    assert any("2.50 m/s was asked for" in note for note in found.notes)


def test_corners_are_taken_at_speed_and_leaning():
    corner = np.array([[0.0, 0.0], [0.0, 6.0], [6.0, 6.0]])
    found = plan(Query(stages=Follow(corner), speed=3.0), method="blending")
    assert found.found, found.reason
    places, roles, fps = found.clip.positions, found.clip.skeleton.roles, found.clip.fps
    feet, hips, top = (
        smooth_gaussian(places[:, [roles[f"left_{p}"], roles[f"right_{p}"]]].mean(axis=1), fps / 4)
        for p in ("ankle", "hip", "shoulder")
    )
    velocity = np.gradient(hips[:, [0, 2]], axis=0) * fps
    speed = np.hypot(*velocity.T)
    near = np.hypot(*(hips[:, [0, 2]] - corner[1]).T) < 1.0
    assert speed[near].min() > 1.2
    turn = np.gradient(np.unwrap(np.arctan2(*velocity.T))) * fps
    left = np.stack([velocity[:, 1], -velocity[:, 0]], axis=1) / np.maximum(speed, 0.1)[:, None]
    line = 0.5 * (hips + top) - feet
    lean = np.arctan2((line[:, [0, 2]] * left).sum(axis=1), line[:, 1])
    needs = np.arctan(speed * turn / 9.81)
    assert 0.6 < lean[near].mean() / needs[near].mean() < 1.2
    assert Polyline(corner).gaps(hips[:, [0, 2]]).max() < 0.55


@pytest.mark.parametrize(
    ("degrees", "least", "most"), [(0, 1.25, 1.35), (12, 0.7, 1.1), (-15, 0.8, 1.1)]
)
def test_steep_slopes_slow_people_down(space, degrees, least, most):
    rise = np.tan(np.radians(degrees)) * np.array([[-20.0, -20.0], [20.0, 20.0]])
    ground = grid_ground(rise, [-3.0, -20.0], [6.0, 40.0])
    walker = Controller(space, scene=Scene("slope", rectangle([-3, -20], [3, 20]), ground=ground))
    walker.put([[0.0, -10.0, 0.0]])
    for _ in range(240):
        walker.step(1 / 60, 1.3, 0.0)
    assert least < walker.achieved[0, 0] < most
