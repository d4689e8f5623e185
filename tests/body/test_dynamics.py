"""Inverse dynamics: against Pinocchio and MuJoCo, and against what is known of bodies."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.body.dynamics import dynamic_body, effort, inverse_dynamics, segment_efforts
from footfall.body.edit import resample
from footfall.body.mass import centre_of_mass
from footfall.body.skeleton import Skeleton
from footfall.body.touching import FEET, LEFT_FOOT, SEAT, touching_bits
from footfall.errors import InputError
from footfall.generate.skeleton import default_skeleton
from footfall.maths.arrays import Bytes, Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.quaternions import (
    conjugate,
    from_rotation_vector,
    multiply,
    random_rotations,
    rotate,
    to_matrix,
    to_rotation_vector,
)
from tests.body.skeletons import FAMILIES
from tests.body.test_mass import with_roles
from tests.clips import real_clip, steady

Oracle = Callable[..., tuple[Floats, Floats]]
WEIGHT = 70.0 * GRAVITY


@pytest.fixture(params=["pinocchio", "mujoco"])
def oracle(request: pytest.FixtureRequest) -> Oracle:
    pytest.importorskip(request.param, reason=f"{request.param} is not installed (group test)")
    from tests.body import dynamics_oracles

    found: Oracle = getattr(dynamics_oracles, f"{request.param}_torques")
    return found


def standing(skeleton: Skeleton, frames: int = 12, fps: float = 30.0) -> Clip:
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (frames, len(skeleton), 1))
    root = np.tile(skeleton.rest_positions[0], (frames, 1))
    return Clip(skeleton, fps, root, rotations, contacts=np.ones((frames, 4), np.bool_))


def bits(clip: Clip, value: int) -> Bytes:
    return np.full(len(clip), value, np.uint8)


def assert_same(found: tuple[Floats, Floats], known: tuple[Floats, Floats]) -> None:
    """To 1e-6 of the largest force and of the largest torque of the frame."""
    for ours, theirs in zip(found, known, strict=True):
        axes = tuple(range(1, theirs.ndim))
        scale = np.abs(theirs).max(axis=axes, keepdims=True)
        assert np.abs(ours - theirs).max() <= 1e-6 * np.abs(theirs).max()
        assert (np.abs(ours - theirs) <= 1e-6 * scale).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_torques_of_random_motions_are_those_of_other_engines(
    family: str, oracle: Oracle, rng: np.random.Generator
) -> None:
    skeleton = with_roles(family)
    steps = from_rotation_vector(0.3 * rng.normal(size=(21, len(skeleton), 3)))
    rotations = [random_rotations(rng, (len(skeleton),))]
    for step in steps:
        rotations.append(multiply(rotations[-1], step))
    clip = Clip(skeleton, 30.0, 0.02 * rng.normal(size=(22, 3)), np.array(rotations))
    assert_same(held_at_the_root(clip), oracle(skeleton, *rates_of(clip)))


@pytest.mark.parametrize("behaviour", ["walk_straight", "run_straight", "jump", "sit"])
def test_torques_of_real_motions_are_those_of_other_engines(
    behaviour: str, oracle: Oracle, mocap: Path
) -> None:
    with (mocap / "INDEX.csv").open() as rows:
        files = [r["file"] for r in csv.DictReader(rows) if r["behaviour"].startswith(behaviour)]
    for file in files[:2]:
        clip = real_clip(mocap / file)
        clip = clip[:150].with_contacts(None)
        assert_same(held_at_the_root(clip), oracle(clip.skeleton, *rates_of(clip)))
    assert files


def held_at_the_root(clip: Clip) -> tuple[Floats, Floats]:
    """Return force (T, 3) and torques (T, J, 3) of the inner frames of a body in the air.

    In flight the root would have to be held with all of the force and moment.
    """
    found = inverse_dynamics(clip, bits(clip, 0), cutoff_hz=0.0)
    force, moment = (
        rotate(conjugate(clip.rotations[:, 0]), part)
        for part in (found.residual[:, :3], found.residual[:, 3:])
    )
    torques = np.array(found.torques)
    torques[:, 0] = moment
    return force[1:-1], torques[1:-1]


def rates_of(clip: Clip) -> tuple[Floats, Floats, Floats, Floats]:
    """Rotations, root acceleration, rates and changes of the inner frames, by differences."""
    steps = multiply(conjugate(clip.rotations[:-1]), clip.rotations[1:])
    turns = to_rotation_vector(steps) * clip.fps
    drift = np.diff(clip.root, 2, axis=0) * clip.fps**2
    rates, changes = 0.5 * (turns[1:] + turns[:-1]), np.diff(turns, axis=0) * clip.fps
    return clip.rotations[1:-1], drift, rates, changes


def test_torques_on_the_ground_are_those_of_other_engines_under_the_same_forces(
    oracle: Oracle,
) -> None:
    walk = steady("walk", 1.3, seconds=3.0, fps=60.0)
    found = inverse_dynamics(walk, cutoff_hz=0.0)
    held = oracle(walk.skeleton, *rates_of(walk))[1]
    # What the ground took from the torques of each leg is a force through one point.
    poses = walk.world
    for foot, side in enumerate(("left", "right")):
        legs = [walk.skeleton.role(f"{side}_{r}") for r in ("hip", "knee", "ankle")]
        took = held[:, legs] - found.torques[1:-1][:, legs]
        took = rotate(poses.rotations[1:-1][:, legs], took)
        arms = poses.positions[1:-1][:, legs]
        force = found.forces[1:-1, foot]
        for above in (0, 1):
            between = np.cross(arms[:, above + 1] - arms[:, above], force)
            assert took[:, above] - took[:, above + 1] == pytest.approx(between, abs=1e-6)
    arms_and_trunk = [
        j for j in range(1, len(walk.skeleton))
        if not walk.skeleton.descends(j, walk.skeleton.role("left_hip"))
        and not walk.skeleton.descends(j, walk.skeleton.role("right_hip"))
    ]  # fmt: skip
    same = found.torques[1:-1][:, arms_and_trunk]
    assert same == pytest.approx(held[:, arms_and_trunk], abs=1e-6)


def test_the_ground_and_the_residual_together_are_what_moves_the_body() -> None:
    walk = steady("walk", 1.3, seconds=3.0, fps=60.0)
    found = inverse_dynamics(walk, cutoff_hz=0.0)
    given = found.forces.sum(axis=1) + found.residual[:, :3]
    centre = centre_of_mass(walk)
    fall = np.diff(centre, 2, axis=0) * walk.fps**2
    wanted = 70.0 * (fall + np.array([0.0, GRAVITY, 0.0]))
    # By differences of places here and of rotations there: not the same to the last digit.
    assert given[1:-1] == pytest.approx(wanted, abs=0.02 * WEIGHT)


def test_who_stands_still_is_carried_by_the_ground_alone() -> None:
    found = inverse_dynamics(standing(default_skeleton()))
    assert found.forces.sum(axis=1) == pytest.approx(
        np.tile([0.0, WEIGHT, 0.0], (12, 1)), abs=1e-6
    )  # fmt: skip
    assert found.forces[:, 0, 1] == pytest.approx(0.5 * WEIGHT, rel=0.01)
    assert np.abs(found.residual).max() < 1e-6
    assert found.outside.max() == 0.0


def test_one_foot_alone_carries_the_whole_body_and_the_moment_it_cannot_give_is_left() -> None:
    clip = standing(default_skeleton())
    found = inverse_dynamics(clip, bits(clip, LEFT_FOOT))
    assert found.forces[:, 0, 1] == pytest.approx(WEIGHT)
    assert found.forces[:, 1].max() == 0.0
    assert found.outside.min() > 0.02  # the centre of mass is between the feet
    lacking = np.linalg.norm(found.residual[:, 3:], axis=1)
    assert lacking == pytest.approx(WEIGHT * found.outside)


def test_a_foot_that_pulls_or_slips_leaves_a_residual() -> None:
    skeleton = default_skeleton()
    clip = standing(skeleton)
    time = clip.times[:, None]
    down = replace(clip, root=clip.root + 0.5 * time**2 * [0.0, -15.0, 0.0])
    found = inverse_dynamics(down, bits(clip, FEET), cutoff_hz=0.0)
    assert found.residual[:, 1] == pytest.approx(70.0 * (GRAVITY - 15.0))
    aside = replace(clip, root=clip.root + 0.5 * time**2 * [12.0, 0.0, 0.0])
    found = inverse_dynamics(aside, bits(clip, FEET), cutoff_hz=0.0)
    assert found.residual[:, 0] == pytest.approx(70.0 * (12.0 - GRAVITY))
    assert found.friction == pytest.approx(12.0 / GRAVITY)


def test_free_fall_needs_nothing_and_hovering_needs_its_weight() -> None:
    clip = standing(default_skeleton())
    fall = np.zeros((len(clip), 3))
    fall[:, 1] = 2.0 * clip.times - 0.5 * GRAVITY * clip.times**2
    found = inverse_dynamics(replace(clip, root=clip.root + fall), bits(clip, 0), cutoff_hz=0.0)
    assert np.abs(found.residual).max() < 1e-6
    assert np.abs(found.torques).max() < 1e-6
    found = inverse_dynamics(clip, bits(clip, 0))
    assert found.residual[:, 1] == pytest.approx(WEIGHT)


def test_a_seat_carries_the_body_and_the_legs_hardly_work() -> None:
    skeleton = default_skeleton()
    clip = standing(skeleton)
    turns = np.array(clip.rotations)
    for side in ("left", "right"):
        turns[:, skeleton.role(f"{side}_hip")] = from_rotation_vector([-np.pi / 2, 0.0, 0.0])
        turns[:, skeleton.role(f"{side}_knee")] = from_rotation_vector([np.pi / 2, 0.0, 0.0])
    seated = replace(clip, rotations=turns)
    on_seat = inverse_dynamics(seated, bits(clip, FEET | SEAT))
    assert on_seat.forces[:, 2, 1].min() > 0.6 * WEIGHT
    assert on_seat.forces.sum(axis=1)[:, 1] == pytest.approx(WEIGHT)
    assert np.abs(on_seat.residual).max() < 1e-6
    assert on_seat.squares.max() < 0.1 * inverse_dynamics(seated, bits(clip, FEET)).squares.min()


def test_hands_carry_nothing() -> None:
    clip = standing(default_skeleton())
    with_hand = inverse_dynamics(clip, bits(clip, FEET | 4))
    assert (with_hand.torques == inverse_dynamics(clip, bits(clip, FEET)).torques).all()


def test_over_double_support_the_load_passes_from_foot_to_foot() -> None:
    walk = steady("walk", 0.8, seconds=4.0, fps=60.0)
    found = inverse_dynamics(walk)
    assert walk.contacts is not None
    touching = touching_bits(walk.contacts)
    load_left = found.forces[:, 0, 1] / found.forces[:, :2, 1].sum(axis=1)
    changes = np.flatnonzero(np.diff(touching)) + 1
    seen = 0
    for a, b in pairwise(changes):
        if touching[a] == FEET:
            sign = 1.0 if touching[b] == LEFT_FOOT else -1.0
            assert (sign * np.diff(load_left[a - 1 : b + 1]) > -0.02).all()
            seen += 1
    assert seen >= 4


def least_squares_of_legs(walk: Clip, frame: int) -> float:
    """The least sum of squared leg torques with which both feet, pulling, twisting and sliding as
    they like, give what the body needs."""
    held = inverse_dynamics(walk, bits(walk, 0), cutoff_hz=0.0)
    poses, sides = walk.world, []
    needed = held.residual[frame]
    for side in ("left", "right"):
        rows, rest = [], []
        for role in ("hip", "knee", "ankle"):
            joint = walk.skeleton.role(f"{side}_{role}")
            arm = poses.positions[frame, 0] - poses.positions[frame, joint]
            lever = np.cross(arm, np.eye(3)).T
            turn = to_matrix(poses.rotations[frame, joint]).T
            rows.append(turn @ np.hstack([lever, np.eye(3)]))
            rest.append(held.torques[frame, joint])
        sides.append((np.vstack(rows), np.concatenate(rest)))
    (left, one), (right, other) = sides
    taken = np.vstack([left, -right])
    wanted = np.concatenate([one, other - right @ needed])
    given = np.linalg.lstsq(taken, wanted, rcond=None)[0]
    return float(((taken @ given - wanted) ** 2).sum())


def test_legs_never_work_less_than_any_ground_would_let_them() -> None:
    walk = steady("walk", 1.3, seconds=2.0, fps=60.0)
    found = inverse_dynamics(walk, cutoff_hz=0.0)
    legs = [walk.skeleton.role(f"{s}_{r}") for s in ("left", "right")
            for r in ("hip", "knee", "ankle")]  # fmt: skip
    assert walk.contacts is not None
    both = np.flatnonzero(touching_bits(walk.contacts) == FEET)
    for frame in both[(both > 3) & (both < len(walk) - 3)][::3].tolist():
        ours = float((found.torques[frame, legs] ** 2).sum())
        assert ours >= least_squares_of_legs(walk, frame) - 1e-6


@pytest.mark.parametrize("speed", [0.8, 1.3, 1.8])
def test_a_default_walk_can_be_done(speed: float) -> None:
    walk = steady("walk", speed, seconds=5.0, fps=60.0)
    found = inverse_dynamics(walk)
    inner = slice(30, -30)
    assert np.linalg.norm(found.residual[inner, :3], axis=1).max() < 0.02 * WEIGHT
    assert np.linalg.norm(found.residual[inner, 3:], axis=1).mean() < 0.05 * WEIGHT


def test_effort_does_not_depend_on_the_frame_rate() -> None:
    walk = steady("walk", 1.3, seconds=6.0, fps=120.0)
    whole = effort(walk).sum()
    for fps in (30.0, 60.0, 90.0):
        assert effort(resample(walk, fps)).sum() == pytest.approx(whole, rel=0.06)


def test_effort_per_metre_is_least_at_a_fast_walk() -> None:
    # From normative moments in the sagittal plane: 1.4, 1.17, 1.08, 1.04 e5 per metre.
    cost, across = [], []
    for speed in (0.84, 1.25, 1.63, 2.02):
        walk = steady("walk", speed, seconds=6.0, fps=60.0)
        found = inverse_dynamics(walk)
        legs = [walk.skeleton.role(f"{s}_{r}") for s in ("left", "right")
                for r in ("hip", "knee", "ankle")]  # fmt: skip
        inner = slice(60, -60)
        cost.append((found.torques[inner, legs] ** 2).sum((1, 2)).mean() * 30.0 / speed)
        across.append((found.torques[inner, legs, 0] ** 2).sum(1).mean() * 30.0 / speed)
    # Hips of made walks swing legs harder than people's do the faster they are.
    assert np.argmin(cost) == 2
    assert max(cost) < 1.1 * min(cost)
    assert (np.array(across) / [1.4e5, 1.17e5, 1.08e5, 1.04e5]).max() < 3.0


def test_efforts_of_segments_add_up_to_the_clips() -> None:
    walk = steady("walk", 1.3, seconds=6.0, fps=30.0)
    assert walk.contacts is not None
    touching = touching_bits(walk.contacts)
    whole = inverse_dynamics(walk, cutoff_hz=0.0)
    cuts = np.append(np.flatnonzero(np.diff(touching)) + 1, [])[2:-2].astype(np.int64)
    frames = [np.arange(a - 3, b + 4) for a, b in pairwise(cuts)]
    index = np.concatenate(frames)
    first = np.concatenate([[0], np.cumsum([len(f) for f in frames])])
    parts = segment_efforts(
        walk.skeleton, walk.root[index], walk.rotations[index], touching[index], first,
        np.full(len(frames), 1.0 / 30.0), before=3, after=3,
    )  # fmt: skip
    assert parts.effort.sum() == pytest.approx(
        whole.squares[cuts[0] : cuts[-1] + 1].sum()
        - 0.5 * (whole.squares[cuts[0]] + whole.squares[cuts[-1]]),
        rel=1e-3,
    )
    inside = slice(int(cuts[0]), int(cuts[-1]) + 1)
    assert parts.outside_m.max() == pytest.approx(whole.outside[inside].max(), abs=1e-3)


def test_a_segment_in_flight_tells_how_far_it_is_off_gravity() -> None:
    skeleton = default_skeleton()
    clip = standing(skeleton, 20)
    errors = []
    for pull in (GRAVITY, 1.1 * GRAVITY):
        fall = clip.root + np.outer(2.0 * clip.times - 0.5 * pull * clip.times**2, [0, 1, 0])
        found = segment_efforts(
            skeleton, fall, clip.rotations, np.zeros(20, np.uint8), np.array([0, 20]),
            np.array([1 / 30]),
        )  # fmt: skip
        errors.append(found.flight_error[0])
    assert errors == pytest.approx([0.0, 0.1], abs=1e-6)


def test_a_clip_that_does_not_say_what_touches_is_refused() -> None:
    clip = replace(standing(default_skeleton()), contacts=None)
    with pytest.raises(InputError, match="does not say what touches"):
        inverse_dynamics(clip)


def test_all_mass_is_in_the_kernels_body() -> None:
    for family in FAMILIES:
        joints = dynamic_body(with_roles(family), 1).joints
        assert joints["mass"].sum() == pytest.approx(70.0)
        assert joints["below"][0] == pytest.approx(70.0)
