"""Motion put on another character: bones point where they pointed, feet stay near the floor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.adapt.retarget.transfer import transfer
from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.errors import MissingJointError
from footfall.generate.skeleton import default_skeleton
from tests.clips import real_clip, steady

LIMBS = [("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle")]


def bone_directions(clip: Clip) -> np.ndarray:
    positions = clip.positions
    bones = [
        positions[:, clip.skeleton.role(f"{side}_{b}")]
        - positions[:, clip.skeleton.role(f"{side}_{a}")]
        for side in ("left", "right")
        for a, b in LIMBS
    ]
    stacked = np.stack(bones, axis=1)
    return np.asarray(stacked / np.linalg.norm(stacked, axis=-1, keepdims=True))


def test_transfer_to_the_same_character_changes_nothing() -> None:
    walk = steady(seconds=1.0)
    moved = transfer(walk, walk.skeleton)
    assert moved.positions == pytest.approx(walk.positions, abs=1e-9)


def test_limbs_point_where_they_pointed() -> None:
    walk = steady(seconds=1.0)
    stretched = np.array(walk.skeleton.offsets)
    stretched[walk.skeleton.role("left_elbow")] *= 1.3
    stretched[walk.skeleton.role("right_knee")] *= 0.8
    other = replace(walk.skeleton, offsets=stretched)
    assert bone_directions(transfer(walk, other)) == pytest.approx(bone_directions(walk), abs=1e-9)


def test_a_character_twice_as_large_goes_twice_as_far() -> None:
    walk = steady(seconds=1.0)
    moved = transfer(walk, default_skeleton(2 * 0.824))
    assert moved.positions == pytest.approx(2.0 * walk.positions, abs=1e-6)


def test_a_character_without_an_elbow_is_refused_by_name() -> None:
    character = default_skeleton()
    roles = {role: joint for role, joint in character.roles.items() if role != "left_elbow"}
    with pytest.raises(MissingJointError, match="left_elbow"):
        transfer(steady(seconds=0.5), character.with_roles(roles))


@pytest.mark.mocap
def test_real_clips_go_to_another_performer_and_back(mocap: Path) -> None:
    there = real_clip(mocap / "cmu" / "16_16.bvh")
    here = real_clip(mocap / "accad_male1" / "Male1_B3_Walk.bvh")
    for clip, character in ((there, here.skeleton), (here, there.skeleton)):
        moved = transfer(clip, character)
        assert bone_directions(moved) == pytest.approx(bone_directions(clip), abs=1e-6)
        back = transfer(moved, clip.skeleton)
        assert bone_directions(back) == pytest.approx(bone_directions(clip), abs=1e-6)
        assert back.root == pytest.approx(clip.root, abs=0.05)
        lowest = _lowest_ankle(moved)
        assert 0.0 < lowest < 0.2


def _lowest_ankle(clip: Clip) -> float:
    skeleton: Skeleton = clip.skeleton
    ankles = [skeleton.role("left_ankle"), skeleton.role("right_ankle")]
    return float(clip.positions[:, ankles, 1].min())
