"""Joint roles: every naming family, unknown names, overrides and the errors they give."""

from __future__ import annotations

import os

import numpy as np
import pytest

from footfall.body.roles import (
    ROLES,
    find_roles,
    identify_roles,
    load_role_overrides,
    mirrored_role,
    missing_roles,
)
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError, MissingJointError
from tests.body.skeletons import FAMILIES, family_skeleton


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_gets_exactly_its_roles(family: str) -> None:
    skeleton, wanted = family_skeleton(family)
    found = {role: skeleton.names[j] for role, j in find_roles(skeleton).items()}
    assert found == wanted


def _renamed(skeleton: Skeleton, names: list[str]) -> Skeleton:
    return Skeleton(tuple(names), skeleton.parents, skeleton.offsets, skeleton.end_joints,
                    skeleton.end_offsets)  # fmt: skip


@pytest.mark.parametrize("family", ["cmu_bvh", "lafan1", "smpl", "bandai", "old_bvh", "rigify"])
def test_without_any_known_name_shape_alone_finds_the_limbs(family: str) -> None:
    skeleton, wanted = family_skeleton(family)
    blind = _renamed(skeleton, [f"n{k}" for k in range(len(skeleton))])
    found = identify_roles(blind)
    limbs = ("shoulder", "elbow", "wrist", "hip", "knee", "ankle")
    for role, joint in wanted.items():
        if role.partition("_")[2] in limbs or role in ("hips", "chest"):
            assert skeleton.names[found.joints[role]] == joint, role
    assert any("shape" in note for note in found.notes)


def test_the_geometry_decides_left_and_right_when_names_do_not() -> None:
    skeleton, _ = family_skeleton("lafan1")
    blind = [f"n{k}" for k in range(len(skeleton))]
    mirrored = Skeleton(tuple(blind), skeleton.parents, skeleton.offsets * [-1.0, 1.0, 1.0],
                        skeleton.end_joints, skeleton.end_offsets * [-1.0, 1.0, 1.0])  # fmt: skip
    ours, theirs = find_roles(_renamed(skeleton, blind)), find_roles(mirrored)
    assert ours["left_knee"] == theirs["right_knee"]
    assert ours["left_wrist"] == theirs["right_wrist"]


def test_the_same_word_means_different_joints_in_different_families() -> None:
    smpl, _ = family_skeleton("smpl")
    builder, _ = family_skeleton("lafan1")
    assert smpl.names[find_roles(smpl)["left_shoulder"]] == "left_shoulder"
    assert builder.names[find_roles(builder)["left_clavicle"]] == "LeftShoulder"
    assert smpl.names[find_roles(smpl)["left_toe"]] == "left_foot"
    assert builder.names[find_roles(builder)["left_ankle"]] == "LeftFoot"


def test_a_snake_is_no_humanoid_and_the_note_says_what_is_missing() -> None:
    snake = Skeleton(("a", "b", "c", "d"), np.array([-1, 0, 1, 2]), np.ones((4, 3)))
    found = identify_roles(snake)
    assert found.joints == {}
    assert "left_hip" in found.notes[-1]
    assert "not recognised as a humanoid" in found.notes[-1]


def test_a_body_without_arms_is_no_humanoid() -> None:
    skeleton, _ = family_skeleton("lafan1")
    legs = [j for j, n in enumerate(skeleton.names) if "Arm" not in n and "Hand" not in n]
    index = {j: k for k, j in enumerate(legs)}
    parents = np.array([-1, *(index[int(skeleton.parents[j])] for j in legs[1:])])
    short = Skeleton(tuple(skeleton.names[j] for j in legs), parents, skeleton.offsets[legs])
    assert find_roles(short) == {}
    assert "left_elbow" in identify_roles(short).notes[-1]


def test_an_override_wins_over_names() -> None:
    skeleton, _ = family_skeleton("lafan1")
    roles = find_roles(skeleton, {"chest": "Spine1", "head": "Neck"})
    assert skeleton.names[roles["chest"]] == "Spine1"
    assert skeleton.names[roles["head"]] == "Neck"


def test_overrides_complete_a_limb_with_an_odd_name() -> None:
    skeleton, wanted = family_skeleton("lafan1")
    names = ["Flipper" if n == "LeftFoot" else n for n in skeleton.names]
    odd = _renamed(skeleton, names)
    assert odd.names[find_roles(odd, {"left_ankle": "Flipper"})["left_ankle"]] == "Flipper"
    assert odd.names[find_roles(odd)["left_ankle"]] == "Flipper", "shape completes it, too"
    assert find_roles(odd)["right_ankle"] == skeleton.names.index(wanted["right_ankle"])


def test_an_override_with_an_unknown_role_names_the_choices() -> None:
    skeleton, _ = family_skeleton("lafan1")
    with pytest.raises(InputError, match="did you mean left_ankle"):
        find_roles(skeleton, {"left_ankel": "LeftFoot"})


def test_an_override_with_an_unknown_joint_names_the_nearest() -> None:
    skeleton, _ = family_skeleton("lafan1")
    with pytest.raises(InputError, match="LeftFoot"):
        find_roles(skeleton, {"left_ankle": "LeftFot"})


def test_overrides_are_read_from_toml(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "roles.toml"
    file.write_text('[roles]\nleft_ankle = "LFoot"\nhips = "Pelvis"\n')
    assert load_role_overrides(file) == {"left_ankle": "LFoot", "hips": "Pelvis"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[roles]\nleft_ankel = 'x'\n", "left_ankle"),
        ("left_ankle = 'x'\n", r"\[roles\]"),
        ("[roles]\nleft_ankle = 3\n", "joint's name"),
        ("[roles\n", "TOML|nested|UTF-8"),
        ("roles = " + "[" * 5000, "TOML|nested|UTF-8"),
    ],
)
def test_a_wrong_role_file_is_one_clear_sentence(tmp_path, text: str, says: str) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "roles.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=says):
        load_role_overrides(file)


def test_an_absent_role_file_or_a_folder_is_an_input_error(tmp_path) -> None:  # type: ignore[no-untyped-def]
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(InputError, match=r"no such file|this is a folder"):
            load_role_overrides(path)


def test_the_error_for_a_missing_joint_names_role_and_candidates() -> None:
    skeleton, _ = family_skeleton("old_bvh")
    with_roles = skeleton.with_roles(find_roles(skeleton))
    with pytest.raises(MissingJointError, match=r"left toe.*LeftAnkle"):
        with_roles.role("left_toe")
    with pytest.raises(MissingJointError, match="did you mean left_ankle"):
        with_roles.role("left_ancle")


def test_mirroring_a_role_twice_gives_it_back() -> None:
    for role in ROLES:
        assert mirrored_role(mirrored_role(role)) == role
        assert ("left" in role) == ("right" in mirrored_role(role))


def test_missing_roles_accepts_neck_or_head() -> None:
    every = dict.fromkeys(ROLES, 0)
    assert missing_roles(every) == []
    assert missing_roles({r: 0 for r in every if r != "head"}) == []
    assert missing_roles({r: 0 for r in every if r not in ("head", "neck")}) == ["head"]


@pytest.mark.parametrize(
    ("role", "joint", "says"),
    [
        ("hips", "LeftFoot", "does not hang below LeftFoot"),
        ("left_knee", "RightLeg", "left knee"),
        ("left_ankle", "LeftLeg", "left ankle"),
        ("chest", "LeftUpLeg", "Head cannot be the head"),
    ],
)
def test_overrides_that_make_no_body_are_told(role: str, joint: str, says: str) -> None:
    skeleton, _ = family_skeleton("lafan1")
    with pytest.raises(InputError, match=says):
        find_roles(skeleton, {role: joint})


def test_a_bush_of_thousands_of_like_branches_is_looked_at_and_refused() -> None:
    branches, joints = 1000, 4
    parents = [-1]
    for _ in range(branches):
        parents += [0, *range(len(parents), len(parents) + joints - 1)]
    offsets = np.tile([0.0, 1.0, 0.0], (len(parents), 1))
    names = tuple(f"n{k}" for k in range(len(parents)))
    found = identify_roles(Skeleton(names, np.array(parents, np.int32), offsets))
    assert not found.joints
    assert "not recognised as a humanoid" in found.notes[-1]


def test_a_role_file_that_never_ends_is_refused(tmp_path) -> None:
    os.mkfifo(tmp_path / "roles.toml")
    with pytest.raises(InputError, match="this is a pipe, not a regular file"):
        load_role_overrides(tmp_path / "roles.toml")
