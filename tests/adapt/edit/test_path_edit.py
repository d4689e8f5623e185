"""Path editing: the walk goes along the path, and what it does beside its path stays."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.adapt.edit.path_edit import edit_path, find_path_edit
from footfall.body.clip import Clip
from footfall.body.edit import move
from footfall.gait.path import path_abstraction
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.polyline import Polyline, prepare_path
from tests.clips import steady


@pytest.fixture(scope="module")
def walk() -> Clip:
    return steady("walk", 1.3, seconds=9.0, fps=30.0)


def along(clip: Clip) -> Floats:
    own = path_abstraction(clip)
    return np.cumsum(np.hypot(*np.diff(own, axis=0, prepend=own[:1]).T))


def sway(clip: Clip) -> float:
    """Root mean square distance of the pelvis from its abstract path."""
    beside = path_abstraction(clip, "pelvis") - path_abstraction(clip, "gaussian")
    return float(np.sqrt((beside**2).sum(axis=1).mean()))


def bend(radius_m: float, length_m: float) -> Floats:
    """(N, 2) an arc to the left that begins at the origin along +z."""
    turn = np.linspace(0.0, length_m / radius_m, 200)
    return radius_m * np.stack([1.0 - np.cos(turn), np.sin(turn)], axis=1)


def test_a_straight_walk_is_laid_on_a_bend_and_keeps_its_sway(walk: Clip) -> None:
    distances = along(walk)
    path = prepare_path(bend(12.0, float(distances[-1])))
    edited = edit_path(walk, path, distances)
    before = Polyline(path.points).gaps(path_abstraction(walk))
    after = Polyline(path.points).gaps(path_abstraction(edited))
    assert before.max() > 1.0
    assert np.sqrt((after**2).mean()) < 0.05
    assert sway(edited) == pytest.approx(sway(walk), rel=0.15)


def test_the_body_turns_with_its_path(walk: Clip) -> None:
    distances = along(walk)
    path = prepare_path(bend(12.0, float(distances[-1])))
    edited = edit_path(walk, path, distances)
    turned = quat.yaw_of(edited.rotations[:, 0]) - quat.yaw_of(walk.rotations[:, 0])
    at = path.nearest(path_abstraction(edited), near_m=distances, within_m=5.0)
    ahead = np.array([path.heading(float(place)) for place in at])
    np.testing.assert_allclose(turned[40:-40], ahead[40:-40], atol=0.06)


def test_a_walk_on_its_own_path_stays_there(walk: Clip) -> None:
    moved = move(walk, 3.0, -8.0, 2.0)
    path = prepare_path(path_abstraction(moved))
    edited = edit_path(moved, path, along(moved))
    assert path.gaps(path_abstraction(edited))[5:-5].max() < 0.01
    assert np.abs(edited.root - moved.root).max() < 0.1
    np.testing.assert_allclose(edited.rotations, moved.rotations, atol=0.01)


def test_editing_turns_with_the_world(walk: Clip) -> None:
    distances = along(walk)
    corners = np.array([[0.0, 0.0], [0.3, 5.0], [-0.4, 12.0]])
    edited = edit_path(walk, prepare_path(corners), distances)
    turned = move(walk, 5.0, 6.0, 1.0)
    cosine, sine = np.cos(1.0), np.sin(1.0)
    there = corners @ np.array([[cosine, -sine], [sine, cosine]]) + [5.0, 6.0]
    same = edit_path(turned, prepare_path(there), distances)
    np.testing.assert_allclose(same.root, move(edited, 5.0, 6.0, 1.0).root, atol=1e-6)


def turn_rates(clip: Clip) -> Floats:
    """(T-1,) how quickly the root turns, radians a second."""
    return quat.angle_between(clip.rotations[1:, 0], clip.rotations[:-1, 0]) * clip.fps


@pytest.mark.parametrize(
    "corners",
    [
        [[0.0, 0.0], [0.0, 5.0], [0.05, 5.0], [0.05, 0.0]],
        [[0.0, 0.0], [0.0, 4.0], [4.0, 4.0], [4.0, 8.0]],
        [[0.0, 0.0], [0.3, 6.0], [0.0, 0.0]],
        [[0.0, 0.0], [0.0, 0.5], [0.0, 0.0], [0.0, 11.0]],
    ],
)
def test_no_path_makes_the_body_turn_much_more_quickly_than_it_does(
    walk: Clip, corners: list[list[float]]
) -> None:
    edited = edit_path(walk, prepare_path(corners), along(walk))
    assert turn_rates(edited).max() < 1.35 * turn_rates(walk).max()


def test_an_edit_says_where_it_was_held_back(walk: Clip) -> None:
    distances = along(walk)
    gentle = prepare_path(bend(12.0, float(distances[-1])))
    assert not find_path_edit(walk, gentle, distances).eased.any()
    hairpin = prepare_path([[0.0, 0.0], [0.0, 5.0], [0.05, 5.0], [0.05, 0.0]])
    eased = find_path_edit(walk, hairpin, distances).eased
    assert eased.any()
    assert abs(float(distances[np.flatnonzero(eased)].mean()) - 5.0) < 2.0
