"""Heel, ball and toe tip on skeletons with toes, with toe ends, and with neither."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.feet import foot_points, leg_length, sole_height
from footfall.body.roles import find_roles
from footfall.body.skeleton import Skeleton
from footfall.errors import MissingJointError
from tests.body.skeletons import FAMILIES, family_skeleton


def with_roles(name: str) -> Skeleton:
    skeleton, _ = family_skeleton(name)
    return skeleton.with_roles(find_roles(skeleton))


def bare_ankles() -> Skeleton:
    """The old BVH character without its toe end sites: feet must come from proportions."""
    full = with_roles("old_bvh")
    ankles = (full.roles["left_ankle"], full.roles["right_ankle"])
    keep = [e for e, joint in enumerate(full.end_joints) if int(joint) not in ankles]
    return Skeleton(full.names, full.parents, full.offsets, full.end_joints[keep],
                    full.end_offsets[keep], full.roles)  # fmt: skip


def _skeletons() -> dict[str, Skeleton]:
    return {**{name: with_roles(name) for name in FAMILIES}, "no toes at all": bare_ankles()}


@pytest.mark.parametrize("name", [*FAMILIES, "no toes at all"])
def test_all_six_points_lie_on_one_plane_under_the_ankles(name: str) -> None:
    skeleton = _skeletons()[name]
    feet = foot_points(skeleton)
    for side in ("left", "right"):
        for point in feet.side(side):
            height = skeleton.rest_positions[point.joint, 1] + point.offset[1]
            assert height == pytest.approx(feet.sole_height, abs=1e-12)
            assert height < skeleton.rest_positions[skeleton.roles[f"{side}_ankle"], 1] - 0.04
    assert sole_height(skeleton) == feet.sole_height


@pytest.mark.parametrize("name", [*FAMILIES, "no toes at all"])
def test_the_foot_has_human_size_and_order(name: str) -> None:
    skeleton = _skeletons()[name]
    for side in ("left", "right"):
        heel, ball, tip = (
            skeleton.rest_positions[p.joint] + p.offset for p in foot_points(skeleton).side(side)
        )
        assert heel[2] < skeleton.rest_positions[skeleton.roles[f"{side}_ankle"], 2] < ball[2]
        assert ball[2] < tip[2]
        assert 0.18 < tip[2] - heel[2] < 0.34
        assert (heel[0] > 0.0) == (side == "left")


def test_with_toes_ball_and_tip_are_at_the_skeletons_own_places() -> None:
    skeleton = with_roles("lafan1")
    _, ball, tip = foot_points(skeleton).side("left")
    assert ball.joint == tip.joint == skeleton.roles["left_toe"]
    assert ball.offset[2] == pytest.approx(0.0)
    assert tip.offset[2] == pytest.approx(0.07)


def test_without_toes_the_ankle_carries_all_points() -> None:
    skeleton = bare_ankles()
    ankle = skeleton.roles["left_ankle"]
    assert {p.joint for p in foot_points(skeleton).side("left")} == {ankle}
    leg = leg_length(skeleton, "left")
    heel, ball, tip = foot_points(skeleton).side("left")
    assert tip.offset[2] == pytest.approx(0.208 * leg)
    assert ball.offset[2] == pytest.approx(0.137 * leg)
    assert heel.offset[1] == pytest.approx(-0.089 * leg)


def test_points_scale_with_the_body() -> None:
    small, large = with_roles("smpl"), with_roles("smpl").scaled(2.0)
    for a, b in zip(
        foot_points(small).side("right"), foot_points(large).side("right"), strict=True
    ):
        np.testing.assert_allclose(2.0 * a.offset, b.offset, atol=1e-12)


def test_a_skeleton_without_roles_says_which_joint_is_missing() -> None:
    skeleton, _ = family_skeleton("smpl")
    with pytest.raises(MissingJointError, match="left ankle"):
        foot_points(skeleton)
