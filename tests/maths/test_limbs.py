"""Two-bone limbs: exact where they reach, smooth where they cannot, true to what they did."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.maths import quaternions as quat
from footfall.maths.limb_kernels import soft_reach
from tests.body.limbs import LimbPose, reach

UPPER, LOWER = 0.45, 0.42
DOWN = np.array([0.0, -1.0, 0.0])
X = np.array([1.0, 0.0, 0.0])


def limb(rng: np.random.Generator, count: int = 1, bend: float | None = None) -> LimbPose:
    """Random legs: thigh anywhere, knee bent about its +X, with some twist in the shank."""
    upper = quat.random_rotations(rng, count)
    bends = rng.uniform(0.0, 2.4, count) if bend is None else np.full(count, bend)
    twist = quat.from_axis_angle(DOWN, rng.normal(0.0, 0.2, count))
    lower = quat.multiply(upper, quat.multiply(quat.from_axis_angle(X, bends), twist))
    root = rng.normal(size=(count, 3))
    middle = root + quat.rotate(upper, DOWN * UPPER)
    end = middle + quat.rotate(lower, DOWN * LOWER)
    return LimbPose(root, middle, end, upper, lower, quat.rotate(upper, X))


def solved_end(pose: LimbPose, upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    return np.asarray(
        pose.root + quat.rotate(upper, DOWN * UPPER) + quat.rotate(lower, DOWN * LOWER)
    )


def targets(rng: np.random.Generator, pose: LimbPose, low: float, high: float) -> np.ndarray:
    direction = rng.normal(size=pose.root.shape)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return np.asarray(pose.root + direction * rng.uniform(low, high, (len(direction), 1)))


def test_the_end_meets_every_reachable_target_to_1e_9(rng: np.random.Generator) -> None:
    pose = limb(rng, 1000)
    goal = targets(rng, pose, 0.05, UPPER + LOWER - 1e-6)
    found = reach(pose, goal)
    assert np.abs(solved_end(pose, found.upper, found.lower) - goal).max() < 1e-9
    assert found.shortfall.max() < 1e-9


def test_a_target_where_the_end_already_is_changes_nothing(rng: np.random.Generator) -> None:
    pose = limb(rng, 500)
    found = reach(pose, pose.end)
    assert quat.angle_between(found.upper, pose.upper).max() < 1e-6
    assert quat.angle_between(found.lower, pose.lower).max() < 1e-6


def test_an_unreachable_target_is_met_in_direction(rng: np.random.Generator) -> None:
    pose = limb(rng, 500)
    goal = targets(rng, pose, 1.0, 3.0)
    found = reach(pose, goal)
    end = solved_end(pose, found.upper, found.lower) - pose.root
    assert np.linalg.norm(end, axis=1) == pytest.approx(UPPER + LOWER, abs=1e-9)
    line = goal - pose.root
    assert np.linalg.norm(np.cross(end, line), axis=1).max() < 1e-8
    distance = np.linalg.norm(line, axis=1)
    assert found.shortfall == pytest.approx(distance - UPPER - LOWER, abs=1e-12)


def test_the_place_on_the_swivel_circle_is_carried_along(rng: np.random.Generator) -> None:
    pose = limb(rng, 500, bend=0.7)
    goal = targets(rng, pose, 0.3, 0.8)
    found = reach(pose, goal)
    plane = np.cross(pose.middle - pose.root, pose.end - pose.middle)
    shank = quat.rotate(found.lower, DOWN * LOWER)
    new_plane = np.cross(quat.rotate(found.upper, DOWN * UPPER), shank)
    new_plane /= np.linalg.norm(new_plane, axis=1, keepdims=True)
    # The plane turns with the shortest turn from the old line to the new one, up to the little
    # that bending changes the old line's direction within the plane.
    carried = quat.rotate(quat.between(pose.end - pose.root, goal - pose.root), plane)
    carried /= np.linalg.norm(carried, axis=1, keepdims=True)
    turn = quat.angle_between(
        quat.between(pose.end - pose.root, goal - pose.root), np.array([1.0, 0.0, 0.0, 0.0])
    )
    gentle = turn < 1.0
    assert gentle.sum() > 50
    assert np.einsum("ti,ti->t", carried, new_plane)[gentle].min() > 0.9


def test_a_target_far_in_front_of_a_slightly_bent_leg_keeps_the_knee_in_front() -> None:
    bend = 0.25
    upper = quat.from_axis_angle(X, np.array([0.3]))
    lower = quat.multiply(upper, quat.from_axis_angle(X, np.array([bend])))
    root = np.zeros((1, 3))
    middle = quat.rotate(upper, DOWN * UPPER)
    pose = LimbPose(root, middle, middle + quat.rotate(lower, DOWN * LOWER), upper, lower, X[None])
    goal = np.array([[0.0, -0.82, 0.1]])
    knee = quat.rotate(reach(pose, goal).upper, DOWN * UPPER)[0]
    assert knee[2] > 0.1 * 0.45 / 0.82


def test_the_knee_does_not_flip_as_the_target_moves_smoothly(rng: np.random.Generator) -> None:
    pose = limb(rng, 1, bend=0.6)
    steps = np.linspace(0.0, 1.0, 400)[:, None]
    way = pose.end + steps * np.array([0.15, 0.12, -0.2])
    many = LimbPose(*(np.repeat(a, 400, axis=0) for a in vars(pose).values()))
    found = reach(many, way, soft=0.03)
    assert np.diff(found.upper, axis=0).max() < 0.02
    turn = quat.angle_between(found.upper[1:], found.upper[:-1])
    assert turn.max() < 0.02


def test_a_straight_leg_bends_about_its_hinge(rng: np.random.Generator) -> None:
    pose = limb(rng, 300, bend=0.0)
    goal = pose.root + 0.9 * (pose.end - pose.root)
    found = reach(pose, goal)
    knee = quat.rotate(found.upper, DOWN * UPPER)
    backward = np.cross(pose.hinge, goal - pose.root)
    assert (np.einsum("ti,ti->t", knee, backward) < 0.0).all()
    assert np.abs(np.einsum("ti,ti->t", knee, pose.hinge)).max() < 1e-6


def test_a_knee_overstretched_in_the_source_still_bends_forwards(rng: np.random.Generator) -> None:
    pose = limb(rng, 300, bend=-0.08)
    goal = pose.root + 0.85 * (pose.end - pose.root)
    knee = quat.rotate(reach(pose, goal).upper, DOWN * UPPER)
    backward = np.cross(pose.hinge, goal - pose.root)
    assert (np.einsum("ti,ti->t", knee, backward) < 0.0).all()


@given(st.floats(0.1, 2.0), st.floats(0.005, 0.1))
def test_the_soft_reach_is_smooth_monotone_and_never_longer(longest: float, soft: float) -> None:
    distance = np.linspace(0.0, 3.0 * longest, 401)
    found = np.array([soft_reach(far, longest, soft) for far in distance.tolist()])
    assert found.max() <= longest
    assert (np.diff(found) >= 0.0).all()
    below = distance <= longest * (1.0 - soft)
    assert np.array_equal(found[below], distance[below])
    assert np.abs(np.diff(found, 2)).max() < (3 * longest / 400) ** 2 / (soft * longest) + 1e-12


def test_a_limb_moved_rigidly_is_solved_rigidly(rng: np.random.Generator) -> None:
    pose = limb(rng, 100)
    goal = targets(rng, pose, 0.3, 0.8)
    turn = Rotation.random(random_state=3)
    q = turn.as_quat(scalar_first=True)
    moved = LimbPose(
        turn.apply(pose.root), turn.apply(pose.middle), turn.apply(pose.end),
        quat.multiply(q, pose.upper), quat.multiply(q, pose.lower), turn.apply(pose.hinge),
    )  # fmt: skip
    here, there = reach(pose, goal), reach(moved, turn.apply(goal))
    assert quat.angle_between(there.upper, quat.multiply(q, here.upper)).max() < 1e-6
    assert quat.angle_between(there.lower, quat.multiply(q, here.lower)).max() < 1e-6
