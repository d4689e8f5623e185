"""Feet over an edge, or in something, are moved onto ground that carries them freely."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import open_library
from footfall.adapt.feet.lock import holds_of
from footfall.optimal.world import SLACK_M
from footfall.task.finish import hold_feet
from footfall.task.footholds import put_on_footholds
from footfall.task.sole import sole_of
from footfall.world.obstacles import Obstacle
from footfall.world.props import WOOD, block
from footfall.world.scene import Hole, Scene, rectangle

BANK = rectangle(np.array([-4.0, -4.0]), np.array([4.0, 8.0]))


@pytest.fixture(scope="module")
def walk():
    return next(iter(open_library("default:park").only(["park_walk_1.1"])))


def with_hole_before(walk, over_m: float) -> tuple[Scene, int, int]:
    """A scene with a ditch beside the foot that stands in the middle of a walk, and which it is.

    over_m  how far the foot's outer edge is over the ditch
    """
    _, holds = holds_of(walk)
    hold = len(holds[0]) // 2
    x, _, z = holds[0].spots[hold]  # the left foot: its outer side is at higher x
    outer = float(x) + 0.5 * sole_of(walk.skeleton)[0].width
    ditch = rectangle(np.array([outer - over_m, z - 0.3]), np.array([outer + 1.0, z + 0.4]))
    return Scene("ditch", BANK, holes=(Hole(ditch, 1.0),)), 0, hold


def moved(walk, scene: Scene) -> list[np.ndarray]:
    """How far each hold of each foot is moved."""
    feet, holds = holds_of(walk)
    new = put_on_footholds(walk.skeleton, feet, holds, scene)
    return [np.hypot(*(n.spots - o.spots)[:, [0, 2]].T) for n, o in zip(new, holds, strict=True)]


def test_feet_that_stand_well_stay_where_they_are(walk) -> None:
    assert all((away == 0.0).all() for away in moved(walk, Scene("plain", BANK)))


@pytest.mark.parametrize("over_m", [0.01, 0.02, SLACK_M])
def test_a_foot_over_an_edge_is_moved_by_no_more_than_it_has_to_be(walk, over_m: float) -> None:
    scene, foot, hold = with_hole_before(walk, over_m)
    away = moved(walk, scene)
    # The sole is turned out a little, so its toes are farther over the edge than its middle.
    assert over_m <= away[foot][hold] < over_m + 0.03
    others = np.concatenate([np.delete(away[foot], hold), away[1 - foot]])
    assert (others == 0.0).all()


def test_the_motion_follows_feet_that_are_moved_and_they_stand(walk) -> None:
    scene, foot, hold = with_hole_before(walk, 0.03)
    made = hold_feet(walk, scene).clip
    poses = made.world
    _, holds = holds_of(made)
    first, stop = holds[foot].spans[hold]
    toe = poses.positions[first:stop, made.skeleton.role("left_toe")]
    flat = made.contacts[first:stop, 0] & made.contacts[first:stop, 1]
    assert np.ptp(toe[flat], axis=0).max() < 1e-3
    before = walk.positions[first:stop, walk.skeleton.role("left_toe")]
    assert (before - toe)[flat, 0].min() > 0.02  # away from the ditch
    hips = np.abs(made.root - walk.root).max()
    assert hips < 0.05


def test_a_foot_far_over_water_is_left_to_the_check(walk) -> None:
    scene, foot, hold = with_hole_before(walk, 0.2)
    assert moved(walk, scene)[foot][hold] == 0.0


def with_post_beside(walk, away_m: float) -> tuple[Scene, int]:
    """A scene with a thin post beside the left foot that stands in the middle of a walk.

    away_m  how far the ankle's joint is from the nearest side of the post
    """
    _, holds = holds_of(walk)
    hold = len(holds[0]) // 2
    first, stop = holds[0].spans[hold]
    x, _, z = walk.positions[(first + stop) // 2, walk.skeleton.role("left_ankle")]
    parts = (block([0.0, 0.2, 0.0], [0.04, 0.4, 0.04], WOOD),)
    post = Obstacle("box", parts, np.array([x + away_m + 0.02, 0.0, z]))
    return Scene("post", BANK, obstacles=(post,)), hold


@pytest.mark.parametrize("away_m", [0.05, 0.07])
def test_a_foot_too_near_to_a_post_is_moved_away_from_it_by_little(walk, away_m: float) -> None:
    scene, hold = with_post_beside(walk, away_m)
    away = moved(walk, scene)
    assert 0.0 < away[0][hold] < 0.09 - away_m + 0.02
    assert (np.concatenate([np.delete(away[0], hold), away[1]]) == 0.0).all()


def test_a_foot_that_is_clear_of_a_post_stays_where_it_is(walk) -> None:
    scene, _ = with_post_beside(walk, 0.12)
    assert all((away == 0.0).all() for away in moved(walk, scene))
