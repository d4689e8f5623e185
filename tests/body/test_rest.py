"""The canonical rest pose: a T-pose from any rest, and nothing else changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.body.rest import (
    canonical_turns,
    facing,
    pelvis_frame,
    pose_reference,
    stance_problem,
    turned,
)
from footfall.body.roles import find_roles
from footfall.body.skeleton import Skeleton, subtree
from tests.body.skeletons import FAMILIES, family_skeleton


def rooted(name: str) -> Skeleton:
    """A family's skeleton with roles, cut off above its hips."""
    full, _ = family_skeleton(name)
    roles = find_roles(full)
    keep = subtree(full, roles["hips"])
    index = {joint: k for k, joint in enumerate(keep)}
    ends = [e for e, j in enumerate(full.end_joints) if int(j) in index]
    return Skeleton(
        tuple(full.names[j] for j in keep),
        np.array([-1, *(index[int(full.parents[j])] for j in keep[1:])]),
        full.offsets[keep],
        np.array([index[int(full.end_joints[e])] for e in ends], dtype=np.int32),
        full.end_offsets[ends],
        {role: index[j] for role, j in roles.items()},
    )


def posed(skeleton: Skeleton, local: dict[str, Rotation]) -> Skeleton:
    """The skeleton that has as its zero pose the pose with these rotations at these roles."""
    quats = np.tile([1.0, 0.0, 0.0, 0.0], (len(skeleton), 1))
    for role, turn in local.items():
        x, y, z, w = turn.as_quat()
        quats[skeleton.roles[role]] = (w, x, y, z)
    pose = pose_reference(skeleton, quats)
    before = pose.positions[skeleton.parents]
    before[0] = 0.0
    return Skeleton(
        skeleton.names, skeleton.parents, pose.positions - before, skeleton.end_joints,
        pose.tips - pose.positions[skeleton.end_joints], skeleton.roles,
    )  # fmt: skip


def canonical(skeleton: Skeleton) -> Skeleton:
    reference = pose_reference(skeleton, None)
    turn = facing(skeleton, reference)
    assert stance_problem(skeleton, reference, turn) == ""
    return turned(skeleton, canonical_turns(skeleton, reference, turn))


def assert_t_pose(skeleton: Skeleton, tolerance: float = 1e-9) -> None:
    place, roles = skeleton.rest_positions, skeleton.roles

    def along(a: str, b: str) -> np.ndarray:
        bone = place[roles[b]] - place[roles[a]]
        return bone / np.linalg.norm(bone)

    for side, sign in (("left", 1.0), ("right", -1.0)):
        for a, b in (("hip", "knee"), ("knee", "ankle")):
            np.testing.assert_allclose(
                along(f"{side}_{a}", f"{side}_{b}"), [0, -1, 0], atol=tolerance
            )
        for a, b in (("shoulder", "elbow"), ("elbow", "wrist")):
            np.testing.assert_allclose(
                along(f"{side}_{a}", f"{side}_{b}"), [sign, 0, 0], atol=tolerance
            )
        if f"{side}_toe" in roles:
            foot = along(f"{side}_ankle", f"{side}_toe")
            assert abs(foot[0]) < tolerance
            assert foot[2] > 0.7
    assert place[roles["left_hip"], 0] > place[roles["right_hip"], 0]
    top = roles.get("head", roles.get("neck", -1))
    assert place[top, 1] > place[roles["left_shoulder"], 1]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_t_pose_of_any_family_stays_to_the_bit(family: str) -> None:
    skeleton = rooted(family)
    result = canonical(skeleton)
    np.testing.assert_array_equal(result.offsets[1:], skeleton.offsets[1:])
    np.testing.assert_array_equal(result.end_offsets, skeleton.end_offsets)


def _arms(degrees: float) -> dict[str, Rotation]:
    return {
        "left_shoulder": Rotation.from_euler("z", -degrees, degrees=True),
        "right_shoulder": Rotation.from_euler("z", degrees, degrees=True),
    }


@pytest.mark.parametrize("degrees", [45.0, 80.0, 90.0, -20.0])
def test_an_a_pose_or_hanging_arms_become_a_t_pose(degrees: float) -> None:
    result = canonical(posed(rooted("lafan1"), _arms(degrees)))
    assert_t_pose(result)
    np.testing.assert_allclose(result.offsets[1:], rooted("lafan1").offsets[1:], atol=1e-9)


def test_splayed_legs_bring_their_feet_back_with_them() -> None:
    legs = {
        "left_hip": Rotation.from_euler("z", 20.0, degrees=True),
        "right_hip": Rotation.from_euler("z", -20.0, degrees=True),
    }
    result = canonical(posed(rooted("cmu_bvh"), legs))
    assert_t_pose(result)
    np.testing.assert_allclose(result.offsets, rooted("cmu_bvh").offsets * [1, 1, 1], atol=2.0)
    wanted = rooted("cmu_bvh")
    np.testing.assert_allclose(result.offsets[1:], wanted.offsets[1:], atol=1e-9)


def test_feet_that_turn_out_are_only_yawed() -> None:
    feet = {
        "left_ankle": Rotation.from_euler("y", 25.0, degrees=True),
        "right_ankle": Rotation.from_euler("y", -10.0, degrees=True),
    }
    result = canonical(posed(rooted("lafan1"), feet))
    np.testing.assert_allclose(result.offsets[1:], rooted("lafan1").offsets[1:], atol=1e-9)


def test_feet_that_hang_down_are_planted_at_the_usual_pitch() -> None:
    feet = {f"{s}_ankle": Rotation.from_euler("x", 65.0, degrees=True) for s in ("left", "right")}
    result = canonical(posed(rooted("lafan1"), feet))
    assert_t_pose(result)


@given(
    st.floats(-180.0, 180.0), st.sampled_from(["x", "y", "z", "-x", "-y", "-z"]),
    st.floats(-30.0, 80.0),
)  # fmt: skip
def test_any_heading_and_up_axis_ends_facing_forward(yaw: float, up: str, arms: float) -> None:
    from footfall.body.axes import to_y_up

    skeleton = posed(rooted("smpl"), _arms(arms))
    turn = to_y_up(up).T @ Rotation.from_euler("y", yaw, degrees=True).as_matrix()
    away = Skeleton(
        skeleton.names, skeleton.parents, skeleton.offsets @ turn.T, roles=skeleton.roles
    )
    assert_t_pose(canonical(away), 1e-3)  # within the angle that is left alone


@given(st.integers(0, 10_000))
def test_canonical_is_idempotent_to_the_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wobble = {
        role: Rotation.from_rotvec(rng.normal(0.0, 0.12, 3))
        for role in (
            "spine",
            "left_hip",
            "right_knee",
            "left_shoulder",
            "right_elbow",
            "left_ankle",
        )
    }
    once = canonical(posed(rooted("unreal"), wobble))
    twice = canonical(once)
    assert_t_pose(once, 1e-3)
    np.testing.assert_array_equal(once.offsets, twice.offsets)


@pytest.mark.parametrize(
    ("pose", "says"),
    [
        ({"spine": ("x", 100)}, "spine"),
        ({"left_hip": ("x", -90)}, "left leg"),
        ({"spine": ("y", 90)}, "hips and shoulders"),
        ({"left_ankle": ("y", 120)}, "left foot"),
    ],
)
def test_a_pose_nobody_stands_in_is_told_apart(pose: dict, says: str) -> None:  # type: ignore[type-arg]
    local = {r: Rotation.from_euler(a, d, degrees=True) for r, (a, d) in pose.items()}
    skeleton = posed(rooted("lafan1"), local)
    reference = pose_reference(skeleton, None)
    import re

    assert re.search(says, stance_problem(skeleton, reference, facing(skeleton, reference)))


def test_the_pelvis_frame_is_a_rotation_that_levels_the_hips() -> None:
    skeleton = rooted("lafan1")
    reference = pose_reference(skeleton, None)
    frame = pelvis_frame(skeleton, reference)
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    roles = skeleton.roles
    left = reference.positions[roles["left_hip"]] - reference.positions[roles["right_hip"]]
    np.testing.assert_allclose((frame @ left)[1:], 0.0, atol=1e-12)
