"""Displacement mapping: constraints are met, smoothly, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapt.edit.constraints import Constraint, hold_constraints
from footfall.adapt.edit.displace import Displaced, DisplaceOptions, displace
from footfall.body.clip import Clip
from footfall.body.feet import foot_of
from footfall.errors import InputError
from footfall.gait.contacts import find_contacts
from footfall.gait.footprints import footprints
from footfall.maths import quaternions as quat
from tests.adapt.moved_footprints import (
    MOVES,
    follow_footprints,
    footprint_constraints,
    joint_acceleration,
    labelled,
    moved,
)
from tests.clips import steady

WALK = steady(seconds=3.0, fps=60.0)
PRINTS = footprints(find_contacts(WALK))
REAL = ("cmu/16_16.bvh", "cmu/69_31.bvh", "accad_male1/Male1_B10_WalkTurnLeft45.bvh")


def place_of(clip: Clip, role: str) -> np.ndarray:
    return clip.positions[:, clip.skeleton.role(role)]


def falls(bent: Displaced) -> bool:
    """Whether what is missing falls from each level to the next, at worst and in the mean."""
    worst = [bent.before.worst_m, *(level.missing.worst_m for level in bent.levels)]
    mean = [bent.before.all_in_all, *(level.missing.all_in_all for level in bent.levels)]
    return all(np.diff(worst) <= 0.0) and all(np.diff(mean) < 0.0)


def test_no_constraint_leaves_the_clip_as_it_was() -> None:
    assert displace(WALK, []).clip is WALK


def test_constraints_that_are_met_already_change_nothing() -> None:
    ankle, turned = place_of(WALK, "left_ankle"), WALK.world.rotations
    joint = WALK.skeleton.role("left_ankle")
    met = Constraint("left_ankle", 20, 50, ankle[20:50], turned[20:50, joint])
    bent = displace(WALK, [met])
    assert bent.levels == ()
    assert bent.clip.root == pytest.approx(WALK.root, abs=1e-9)
    assert quat.angle_between(bent.clip.rotations, WALK.rotations).max() < 1e-7


def test_frames_far_from_any_constraint_stay_to_the_last_bit() -> None:
    there = place_of(WALK, "left_ankle")[40] + [0.0, 0.05, 0.02]
    bent = displace(WALK, [Constraint("left_ankle", 40, 42, there)], DisplaceOptions(spacing_s=0.1))
    far = np.r_[0:10, 80 : len(WALK)]
    assert np.array_equal(bent.clip.root[far], WALK.root[far])
    assert np.array_equal(bent.clip.rotations[far], WALK.rotations[far])


@pytest.mark.parametrize("how", MOVES)
def test_moved_footprints_of_a_walk_are_met(how: str) -> None:
    targets = moved(PRINTS, how)
    start = follow_footprints(WALK, PRINTS, targets)
    constraints = footprint_constraints(WALK, PRINTS, targets)
    smooth = displace(start, constraints, DisplaceOptions(exact=False))
    assert falls(smooth)
    assert smooth.missing.worst_m <= 1e-3
    exact = displace(start, constraints).clip
    for c in constraints:
        off = place_of(exact, c.part)[c.first : c.stop] - c.position
        assert np.linalg.norm(off, axis=1).max() < 5e-4


@pytest.mark.mocap
@pytest.mark.parametrize("how", MOVES)
@pytest.mark.parametrize("name", REAL)
def test_moved_footprints_of_real_walks_are_met_and_motion_stays_smooth(
    mocap: Path, name: str, how: str
) -> None:
    clip, prints = labelled(mocap / name)
    targets = moved(prints, how)
    constraints = footprint_constraints(clip, prints, targets)
    plain = displace(clip, constraints)
    bent = displace(follow_footprints(clip, prints, targets), constraints)
    assert falls(bent)
    assert bent.missing.worst_m <= 1e-3
    turned, plain_turned = (
        np.sqrt(sum(level.turned_rad**2 for level in b.levels)) for b in (bent, plain)
    )
    assert turned < plain_turned
    assert len(bent.levels) <= len(plain.levels) + 1
    assert joint_acceleration(bent.clip) < 1.25 * joint_acceleration(clip)


@given(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4), st.floats(-0.3, 0.3), st.integers(5, 170))
def test_a_hand_is_brought_where_it_is_wanted(x: float, y: float, z: float, frame: int) -> None:
    wanted = place_of(WALK, "chest")[frame] + [0.2 + x, y, 0.3 + z]
    turned = quat.from_yaw(x + y)
    bent = displace(WALK, [Constraint("left_wrist", frame, frame + 5, wanted, turned)])
    now = bent.clip.world
    wrist = bent.clip.skeleton.role("left_wrist")
    assert np.linalg.norm(now.positions[frame, wrist] - wanted) < 1e-3
    assert quat.angle_between(now.rotations[frame, wrist], turned) < 0.01


def test_a_hand_out_of_reach_bends_the_spine_and_leaves_the_feet() -> None:
    shoulder = place_of(WALK, "right_shoulder")[60]
    wanted = shoulder + np.array([-0.2, -0.55, 0.6])
    feet = [c for c in hold_constraints(WALK) if c.first <= 60 < c.stop]
    bent = displace(WALK, [*feet, Constraint("right_wrist", 55, 65, wanted)])
    assert np.linalg.norm(place_of(bent.clip, "right_wrist")[60] - wanted) < 2e-3
    spine = WALK.skeleton.role("spine")
    assert quat.angle_between(bent.clip.rotations[60, spine], WALK.rotations[60, spine]) > 0.05
    for c in feet:
        off = place_of(bent.clip, c.part)[c.first : c.stop] - c.position
        assert np.linalg.norm(off, axis=1).max() < 1e-3


def test_the_pelvis_goes_where_it_is_wanted_and_feet_stay() -> None:
    lowered = WALK.root[60:80] - [0.0, 0.08, 0.0]
    turned = quat.multiply(quat.from_yaw(0.15), WALK.rotations[60:80, 0])
    feet = hold_constraints(WALK)
    bent = displace(WALK, [*feet, Constraint("hips", 60, 80, lowered, turned)])
    assert bent.clip.root[60:80] == pytest.approx(lowered, abs=1e-3)
    assert quat.angle_between(bent.clip.rotations[60:80, 0], turned).max() < 0.01
    assert bent.missing.worst_m < 1e-3


def test_a_point_of_the_sole_is_held_without_turning_the_foot() -> None:
    foot = foot_of(WALK.skeleton, "left")
    poses = WALK.world
    ankle = poses.positions[90, foot.ankle]
    spot = ankle + quat.rotate(poses.rotations[90, foot.ankle], foot.ball) + [0.03, 0.04, 0.05]
    bent = displace(WALK, [Constraint("left_ankle", 88, 94, spot, point=foot.ball)])
    now = bent.clip.world
    there = now.positions[88:94, foot.ankle]
    there = there + quat.rotate(now.rotations[88:94, foot.ankle], foot.ball)
    assert there == pytest.approx(np.broadcast_to(spot, (6, 3)), abs=1e-3)


def test_ends_stay_when_they_are_asked_to() -> None:
    targets = moved(PRINTS, "raised")
    inside = [
        c
        for c in footprint_constraints(WALK, PRINTS, targets)
        if c.first > 10 and c.stop < len(WALK) - 10
    ]
    bent = displace(WALK, inside, DisplaceOptions(keep_ends=True))
    assert bent.missing.worst_m <= 1e-3
    for end in (0, -1):
        assert bent.clip.root[end] == pytest.approx(WALK.root[end], abs=1e-12)
        angle = quat.angle_between(bent.clip.rotations[end], WALK.rotations[end])
        assert angle.max() < 1e-7


def test_what_is_out_of_reach_is_said() -> None:
    far = Constraint("hips", 0, len(WALK), WALK.root)
    foot = Constraint("left_ankle", 50, 60, WALK.root[50] + [0.0, 0.0, 3.0])
    assert displace(WALK, [far, foot]).missing.worst_m > 1.5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"part": "left_elbow"}, "choose left_ankle"),
        ({"first": 5, "stop": 5}, "at least one frame"),
        ({"stop": 10_000}, "at most"),
        ({"position": np.full(3, np.nan)}, "finite"),
        ({"orientation": np.array([2.0, 0.0, 0.0, 0.0])}, "unit quaternion"),
    ],
)
def test_wrong_constraints_are_refused_in_a_sentence(change: dict, said: str) -> None:  # type: ignore[type-arg]
    asked = {"part": "left_ankle", "first": 0, "stop": 10, "position": np.zeros(3)} | change
    with pytest.raises(InputError, match=said):
        displace(WALK, [Constraint(**asked)])


def test_two_constraints_on_one_foot_at_once_are_refused() -> None:
    twice = [Constraint("left_ankle", a, a + 10, np.zeros(3)) for a in (0, 5)]
    with pytest.raises(InputError, match="two constraints hold frame 5"):
        displace(WALK, twice)
