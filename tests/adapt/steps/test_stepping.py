"""Made steps: planted feet, from pose to pose, no joint in a hurry, from and to walking too."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from footfall.adapt.edit.meet import meet_headings, meet_places
from footfall.adapt.edit.rests import facings, resting_frames
from footfall.adapt.feet.lock import lock_feet
from footfall.adapt.steps.footsteps import OPEN, Footing, plan_footsteps, way_to_rest
from footfall.adapt.steps.standing import plainest_stand, stand_at_origin, stand_like
from footfall.adapt.steps.stepping import make_steps
from footfall.body.clip import Clip
from footfall.body.edit import join, move
from footfall.body.feet import foot_points
from footfall.gait.contacts import find_contacts
from footfall.gait.footprints import footprints_of
from footfall.generate.gait.journeys import start
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from tests.clips import steady

FPS = 30.0
PLACES = [
    (0.0, 0.3, 0.0), (0.0, 0.5, 0.0), (0.0, 1.0, 0.0), (0.0, 2.0, 0.0), (0.3, 0.0, 0.0),
    (0.0, -0.3, 0.0), (0.0, 0.0, 30.0), (0.0, 0.0, -90.0), (0.0, 0.0, 180.0), (0.2, 0.4, 90.0),
]  # fmt: skip


@cache
def stand() -> Clip:
    return stand_at_origin(start(1.2, fps=FPS), 0)


@cache
def walk() -> Clip:
    clip = steady("walk", 1.2, seconds=5.0, fps=FPS)
    return find_contacts(clip).with_contacts(clip)


def at(x: float, z: float, degrees: float) -> Clip:
    return move(stand(), x, z, math.radians(degrees))


def joint_speeds(clip: Clip) -> Floats:
    """(T - 1, J) degrees a second that each joint turns against its parent."""
    a, b = clip.rotations[:-1], clip.rotations[1:]
    dots = np.clip(np.abs(np.einsum("tji,tji->tj", a, b)), 0.0, 1.0)
    return np.degrees(2.0 * np.arccos(dots)) * clip.fps


def soles(clip: Clip) -> Floats:
    """(T, 2, 2, 3) heel and ball of both feet, by plain kinematics."""
    poses, feet = clip.world, foot_points(clip.skeleton)
    points = [
        poses.positions[:, p.joint] + quat.rotate(poses.rotations[:, p.joint], p.offset)
        for side in ("left", "right")
        for p in feet.side(side)[:2]
    ]
    return np.stack(points, axis=1).reshape(len(clip), 2, 2, 3)


@pytest.mark.parametrize("place", PLACES)
def test_steps_lead_from_one_pose_to_the_other_exactly_and_rest_there(place) -> None:
    made = make_steps(stand(), at(*place))
    for frame, pose in ((0, stand()), (-1, at(*place))):
        np.testing.assert_allclose(made.root[frame], pose.root[0], atol=1e-3)
        there = made[frame % len(made) : frame % len(made) + 1].positions
        np.testing.assert_allclose(there, pose.positions, atol=2e-3)
    speeds = np.hypot(*np.diff(made.root[:, [0, 2]], axis=0).T) * FPS
    assert speeds[:2].max() < 0.08
    assert speeds[-3:].max() < 0.08
    assert resting_frames(made)[-1]


@pytest.mark.parametrize("place", PLACES)
def test_feet_that_touch_stay_and_those_that_swing_are_lifted(place) -> None:
    made = lock_feet(make_steps(stand(), at(*place)))
    assert made.contacts is not None
    points = soles(made)
    for foot in range(2):
        toe = made.contacts[:, 2 * foot + 1]
        ball = points[:, foot, 1]
        moves = np.linalg.norm(np.diff(ball, axis=0), axis=1)[toe[1:] & toe[:-1]]
        assert moves.max(initial=0.0) < 0.002
        swings = ~made.contacts[:, 2 * foot : 2 * foot + 2].any(axis=1)
        if swings.any():
            assert 0.03 < ball[swings, 1].max() < 0.15
        assert points[:, foot, :, 1].min() > -0.012


@pytest.mark.parametrize("place", PLACES)
def test_no_joint_is_faster_than_in_a_walk(place) -> None:
    most = np.maximum(joint_speeds(walk()).max(axis=0), 100.0)
    assert (joint_speeds(make_steps(stand(), at(*place))).max(axis=0) < 1.5 * most).all()


def test_few_steps_are_taken_and_they_fit() -> None:
    for place, most in (((0, 0.3, 0), 2), ((0, 1.0, 0), 3), ((0, 0, 45), 2), ((0, 0, 180), 6)):
        made = make_steps(stand(), at(*place))
        prints = footprints_of(made)
        assert 2 <= len(prints) - 2 <= most
        for foot in range(2):
            own = [p for p in prints if p.foot == foot]
            for a, b in pairwise(own):
                assert math.dist(a.p, b.p) < 1.2
                assert abs(math.remainder(a.yaw - b.yaw, math.tau)) < 2.0 * OPEN


def test_feet_do_not_cross_in_a_turn() -> None:
    for degrees in (90.0, 180.0, -135.0):
        made = make_steps(stand(), at(0, 0, degrees))
        facing, points = facings(made), soles(made).mean(axis=2)
        left = np.stack([np.cos(facing), -np.sin(facing)], axis=1)
        apart = np.einsum("ti,ti->t", (points[:, 0] - points[:, 1])[:, [0, 2]], left)
        assert apart.min() > 0.04


def test_the_head_turns_before_the_hips() -> None:
    made = make_steps(stand(), at(0, 0, 120))
    head = made.world.rotations[:, made.skeleton.role("head")]
    ahead = quat.rotate(head, np.array([0.0, 0.0, 1.0]))
    looks, faces = np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 2])), np.unwrap(facings(made))
    half = math.radians(60)
    assert 2 <= int(np.argmax(faces > half)) - int(np.argmax(looks > half)) <= 9


def made_stop() -> Clip:
    """A walk that nobody recorded the stop of, stopped."""
    clip = walk()
    feet = clip.contacts[:, :2].any(axis=1), clip.contacts[:, 2:].any(axis=1)
    alone = np.flatnonzero((feet[0] != feet[1])[1:] & (feet[0] & feet[1])[:-1]) + 1
    leave = int(alone[alone > 60][0])
    pose = at(0.0, float(clip.root[leave, 2]) + way_to_rest(1.2), 0.0)
    steps = make_steps(clip[leave - 1 : leave + 1], pose)
    return join([clip[:leave], steps])


def test_a_made_stop_brakes_evenly_to_rest() -> None:
    clip = lock_feet(made_stop())
    ahead = np.diff(clip.root[:, 2]) * FPS
    assert ahead.min() > -0.03
    assert np.abs(ahead[-5:]).max() < 0.03
    most = np.maximum(joint_speeds(lock_feet(walk())).max(axis=0), 60.0)
    assert (joint_speeds(clip).max(axis=0) < 1.5 * most).all()


def test_a_stand_made_from_a_walk_is_even_upright_and_flat() -> None:
    pose = stand_like(walk())
    at_, skeleton = pose.positions[0], pose.skeleton
    for part in ("hip", "knee", "ankle", "wrist"):
        left, right = (at_[skeleton.role(f"{side}_{part}")] for side in ("left", "right"))
        np.testing.assert_allclose(left * [-1.0, 1.0, 1.0], right, atol=0.01)
    assert np.abs(soles(pose)[..., 1]).max() < 0.01
    knee = at_[skeleton.role("left_knee")]
    hip, ankle = (at_[skeleton.role(f"left_{part}")] for part in ("hip", "ankle"))
    leg = np.linalg.norm(hip - knee) + np.linalg.norm(knee - ankle)
    assert np.linalg.norm(hip - ankle) > 0.98 * leg


def test_of_several_stands_the_upright_even_one_is_taken() -> None:
    upright, clip = stand(), walk()
    low = np.array(upright.rotations)
    for side in ("left", "right"):
        for part, bend in (("hip", -50.0), ("knee", 90.0), ("ankle", -40.0)):
            joint = upright.skeleton.role(f"{side}_{part}")
            low[:, joint] = quat.about_axis(0, math.radians(bend))
    crouch = Clip(upright.skeleton, FPS, upright.root - [0, 0.3, 0], low)
    assert plainest_stand([(crouch, 0), (clip, 10), (upright, 0), (clip, 20)]) == 2


def test_places_and_headings_are_met_and_the_middle_stays() -> None:
    begin = start(1.2, fps=FPS)
    clip = find_contacts(begin).with_contacts(begin)
    moved = meet_places(clip, [0.1, -0.05], None)
    np.testing.assert_allclose(moved.root[0, [0, 2]], [0.1, -0.05], atol=1e-9)
    np.testing.assert_allclose(moved.root[-10:], clip.root[-10:], atol=1e-6)
    turned = meet_headings(clip, 0.4, 0.0)
    assert facings(turned)[0] - facings(clip)[0] == pytest.approx(0.4, abs=0.02)
    np.testing.assert_allclose(turned.rotations[-10:], clip.rotations[-10:], atol=1e-6)


@given(
    half=st.floats(0.04, 0.1), aside=st.floats(-0.08, 0.08), ahead=st.floats(-0.08, 0.08),
    turn=st.floats(-1.6, 1.6),
)  # fmt: skip
@example(half=0.0403, aside=0.0059, ahead=0.0391, turn=1.406)
def test_no_foot_treads_on_the_other(half: float, aside: float, ahead: float, turn: float) -> None:
    def footing(body: Floats) -> Footing:
        feet = [planar.compose(body, np.array([s * half, 0.05, 0.1 * s])) for s in (1.0, -1.0)]
        return Footing(body, np.stack(feet))

    def sole(foot: Floats) -> Floats:
        along = np.array([math.sin(foot[2]), math.cos(foot[2])])
        return foot[:2] - np.linspace(0.0, 0.16, 9)[:, None] * along

    begin, end = footing(np.zeros(3)), footing(np.array([aside, ahead, turn]))
    feet = np.array(begin.feet)
    for step in plan_footsteps(begin, end, 0.82).steps:
        feet[step.foot] = step.place
        away = np.linalg.norm(sole(feet[0])[:, None] - sole(feet[1]), axis=-1)
        assert away.min() > 0.5 * half
    assert np.allclose(feet, end.feet, atol=0.04)
