"""The body's way over moved footprints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapt.edit.body_path import placed, reference
from footfall.gait.contacts import find_contacts
from footfall.gait.footprints import Footprint, footprints
from footfall.maths import quaternions as quat
from tests.adapt.moved_footprints import follow_footprints
from tests.clips import steady

WALK = steady(seconds=3.0, fps=60.0)
PRINTS = footprints(find_contacts(WALK))
ASIDE = np.array([1.0, 0.2, 0.0])


def by_hand(foot: int, x: float, z: float, t: float, yaw: float = 0.0) -> Footprint:
    return Footprint(foot, np.array([x, 0.0, z]), quat.from_yaw(yaw), t, 0.3, 0)


def test_footprints_that_stay_leave_the_body_where_it_is() -> None:
    same = follow_footprints(WALK, PRINTS, PRINTS)
    assert same.root == pytest.approx(WALK.root, abs=1e-12)
    assert quat.angle_between(same.rotations[:, 0], WALK.rotations[:, 0]).max() < 1e-7


@given(st.floats(-3, 3), st.floats(-5, 5), st.floats(-5, 5), st.floats(-1, 1), st.floats(-0.3, 0.3))
def test_footprints_moved_rigidly_move_the_body_rigidly(
    yaw: float, x: float, z: float, y: float, pitch: float
) -> None:
    turn = quat.multiply(quat.from_yaw(yaw), quat.from_axis_angle([1.0, 0.0, 0.0], pitch))
    shift = np.array([x, y, z])
    targets = [
        replace(f, p=shift + quat.rotate(turn, f.p), q=quat.multiply(turn, f.q)) for f in PRINTS
    ]
    moved = follow_footprints(WALK, PRINTS, targets)
    assert moved.root == pytest.approx(shift + quat.rotate(turn, WALK.root), abs=1e-9)
    wanted = quat.multiply(turn, WALK.rotations[:, 0])
    assert quat.angle_between(moved.rotations[:, 0], wanted).max() < 1e-7


def test_longer_steps_on_flat_ground_keep_the_pelvis_at_its_height() -> None:
    targets = [replace(f, p=f.p * np.array([1.3, 1.0, 1.3])) for f in PRINTS]
    moved = follow_footprints(WALK, PRINTS, targets)
    assert moved.root[:, 1] == pytest.approx(WALK.root[:, 1], abs=1e-12)
    times = [f.t * WALK.fps for f in PRINTS]
    short, long = (reference(times, placed(p), len(WALK)) for p in (PRINTS, targets))
    assert long.places[:, [0, 2]] == pytest.approx(1.3 * short.places[:, [0, 2]], abs=1e-12)


def test_the_reference_goes_through_the_middles_at_their_floored_times() -> None:
    prints = [by_hand(0, 0.1, 0.0, 0.0), by_hand(1, -0.1, 0.7, 1.0), by_hand(0, 0.1, 1.4, 2.1, 0.4)]
    ref = reference([0.0, 30.0, 63.0], placed(prints), 70)
    assert ref.places[15] == pytest.approx([0.0, 0.0, 0.35])
    assert ref.places[46] == pytest.approx([0.0, 0.0, 1.05])
    assert quat.angle_between(ref.turns[46], quat.from_yaw(0.2)) == pytest.approx(0.0, abs=1e-7)


def test_the_reference_has_no_jump_of_speed() -> None:
    feet = [by_hand(n % 2, 0.1 - 0.2 * (n % 2), n**1.5, 0.5 * n, 0.3 * n) for n in range(6)]
    ref = reference([100.0 * n for n in range(6)], placed(feet), 600)
    speed = np.diff(ref.places, axis=0)
    assert np.abs(np.diff(speed, axis=0)).max() < 0.05 * np.abs(speed).max()
    turn = quat.to_rotation_vector(quat.multiply(quat.conjugate(ref.turns[:-1]), ref.turns[1:]))
    assert np.abs(np.diff(turn, axis=0)).max() < 0.1 * np.abs(turn).max()


def test_feet_that_land_at_once_are_one_middle() -> None:
    prints = [by_hand(0, 0.1, 0, 0.5), by_hand(1, -0.1, 0, 0.5), by_hand(0, 0.1, 1, 0.5)]
    prints += [by_hand(1, -0.1, 1.0, 1.5)]
    clip = steady(seconds=2.0, fps=30.0)
    moved = follow_footprints(clip, prints, [replace(f, p=f.p + ASIDE) for f in prints])
    assert moved.root == pytest.approx(clip.root + ASIDE, abs=1e-9)


def test_one_footprint_carries_the_whole_clip_and_none_leaves_it() -> None:
    one = PRINTS[:1]
    target = [replace(one[0], p=one[0].p + ASIDE)]
    assert follow_footprints(WALK, one, target).root == pytest.approx(WALK.root + ASIDE)
    assert follow_footprints(WALK, [], []) is WALK
