"""Legs keep apart in whatever is made of clips, told from plain joint positions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.adapt.feet.clean import clean
from footfall.adapt.feet.separation import keep_legs_apart
from footfall.adapt.retarget.retarget import retarget
from footfall.body.clip import Clip
from footfall.generate.skeleton import default_skeleton
from footfall.maths import quaternions as quat
from tests.body.limbs import LimbPose, reach
from tests.body.test_rest import rooted
from tests.clips import real_clip, steady

REAL = (
    "cmu/16_14.bvh", "cmu/16_20.bvh", "cmu/16_45.bvh", "cmu/69_22.bvh", "cmu/69_25.bvh",
    "cmu/36_01.bvh", "cmu/89_06_cut.bvh", "cmu/113_18.bvh",
    "accad_male1/Male1_B14_WalkTurnRight135.bvh", "accad_male1/Male1_B3_Walk.bvh",
)  # fmt: skip
SHARES = np.linspace(0.0, 1.0, 21)


def least_gap_cm(clip: Clip) -> float:
    """The least distance of points along the shanks, centimetres of a body with legs of 0.824 m."""
    places, roles = clip.positions, clip.skeleton.roles
    at = {name: places[:, joint] for name, joint in roles.items()}
    leg = sum(
        float(np.linalg.norm(at[f"{side}_{a}"][0] - at[f"{side}_{b}"][0]))
        for side in ("left", "right")
        for a, b in (("hip", "knee"), ("knee", "ankle"))
    )
    left, right = (
        at[f"{side}_knee"][:, None]
        + SHARES[:, None] * (at[f"{side}_ankle"] - at[f"{side}_knee"])[:, None]
        for side in ("left", "right")
    )
    away = np.linalg.norm(left[:, :, None] - right[:, None], axis=-1)
    return float(away.min()) * 82.4 / (0.5 * leg)


def squeezed(metres: float) -> Clip:
    """A walk whose swinging feet are drawn inward by so much in the middle of every swing."""
    walk = steady("walk", 1.2, seconds=3.0, fps=60.0)
    assert walk.contacts is not None
    poses, rotations, roles = walk.world, np.array(walk.rotations), walk.skeleton.roles
    for k, side in enumerate(("left", "right")):
        hip, knee, ankle = (roles[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
        held = walk.contacts[:, 2 * k] | walk.contacts[:, 2 * k + 1]
        bump = np.zeros(len(walk))
        edges = np.flatnonzero(np.diff(np.concatenate([[1], held, [1]]).astype(int)))
        for first, stop in edges.reshape(-1, 2):
            bump[first:stop] = np.sin(np.linspace(0.0, np.pi, stop - first)) ** 2
        inward = np.outer(bump * metres, [-1.0 if side == "left" else 1.0, 0.0, 0.0])
        limb = LimbPose(
            poses.positions[:, hip], poses.positions[:, knee], poses.positions[:, ankle],
            poses.rotations[:, hip], poses.rotations[:, knee],
            quat.rotate(poses.rotations[:, hip], np.array([1.0, 0.0, 0.0])),
        )  # fmt: skip
        found = reach(limb, poses.positions[:, ankle] + inward)
        above = poses.rotations[:, walk.skeleton.parents[hip]]
        for joint, parent, turn in (
            (hip, above, found.upper), (knee, found.upper, found.lower),
            (ankle, found.lower, poses.rotations[:, ankle]),
        ):  # fmt: skip
            rotations[:, joint] = quat.multiply(quat.conjugate(parent), turn)
    return replace(walk, rotations=rotations)


def fastest(clip: Clip) -> float:
    joints = sorted(set(clip.skeleton.roles.values()))
    turns = clip.rotations[:, joints]
    return float(quat.angle_between(turns[1:], turns[:-1]).max()) * clip.fps


def test_a_clip_whose_legs_are_apart_is_left_alone() -> None:
    walk = steady("walk", 1.2, seconds=2.0)
    assert keep_legs_apart(walk) is walk


@pytest.mark.parametrize("metres", [0.06, 0.09, 0.12])
def test_legs_that_pass_through_each_other_are_parted(metres: float) -> None:
    before = squeezed(metres)
    assert least_gap_cm(before) < 4.5
    after = keep_legs_apart(before)
    assert least_gap_cm(after) > 4.9
    assert fastest(after) < 1.2 * fastest(before)


def test_feet_that_stand_stay_to_the_last_and_nothing_above_the_hips_moves() -> None:
    before = squeezed(0.1)
    after = keep_legs_apart(before)
    assert before.contacts is not None
    old, new, roles = before.positions, after.positions, before.skeleton.roles
    for k, side in enumerate(("left", "right")):
        held = before.contacts[:, 2 * k] | before.contacts[:, 2 * k + 1]
        for part in ("ankle", "toe"):
            joint = roles[f"{side}_{part}"]
            assert new[held, joint] == pytest.approx(old[held, joint], abs=1e-9)
    upper = [roles[r] for r in ("hips", "chest", "head", "left_wrist", "left_hip", "right_hip")]
    assert np.array_equal(new[:, upper], old[:, upper])


def test_parting_again_changes_nothing() -> None:
    once = keep_legs_apart(squeezed(0.09))
    assert keep_legs_apart(once) is once


@pytest.mark.parametrize("family", ["mixamo", "daz", "old_bvh", "unreal", "biped"])
def test_legs_part_on_any_skeleton(family: str) -> None:
    moved = retarget(squeezed(0.09), rooted(family))
    assert least_gap_cm(moved) > 4.5


@pytest.mark.mocap
@pytest.mark.parametrize("trial", REAL)
def test_real_legs_stay_apart_on_any_skeleton(trial: str, mocap: Path) -> None:
    source = real_clip(mocap / trial)
    enough = min(4.0, least_gap_cm(source))
    performer = real_clip(mocap / ("cmu/69_22.bvh" if "accad" in trial else REAL[9])).skeleton
    assert least_gap_cm(clean(source).clip) > enough - 0.1
    for skeleton in (default_skeleton(), performer, rooted("mixamo")):
        assert least_gap_cm(retarget(source, skeleton)) > enough - 0.1
