"""Clips and skeletons: world poses are computed once, and trees are asked, not walked."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.kinematics import forward_kinematics
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from tests.clips import steady

WALK = steady(seconds=2.0)


def test_world_poses_are_computed_once_and_cannot_be_written():
    assert WALK.world is WALK.world
    assert WALK.positions is WALK.world.positions
    for array in (WALK.world.positions, WALK.world.rotations):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


@pytest.mark.parametrize("frames", [slice(10, 40), slice(None, None, -1), slice(3, None, 4)])
def test_a_slice_has_the_frames_labels_and_world_poses_of_its_clip(frames):
    part = WALK[frames]
    np.testing.assert_array_equal(part.root, WALK.root[frames])
    np.testing.assert_array_equal(part.rotations, WALK.rotations[frames])
    np.testing.assert_array_equal(part.contacts, WALK.contacts[frames])
    np.testing.assert_array_equal(part.touches, WALK.touches[frames])
    fresh = forward_kinematics(part.skeleton, part.root, part.rotations)
    np.testing.assert_array_equal(part.positions, fresh.positions)
    np.testing.assert_array_equal(part.world.rotations, fresh.rotations)


def test_consecutive_frames_of_a_clip_share_its_memory():
    assert WALK.world is not None
    part = WALK[5:20]
    assert np.shares_memory(part.root, WALK.root)
    assert np.shares_memory(part.positions, WALK.positions)
    with pytest.raises(InputError, match="no frames"):
        WALK[20:20]
    with pytest.raises(TypeError, match="sliced"):
        WALK[5]


def test_world_poses_are_kept_exactly_where_the_motion_stays():
    assert WALK.named("other").world is WALK.world
    assert WALK.with_contacts(None).world is WALK.world
    moved = WALK.with_root(WALK.root + 1.0)
    np.testing.assert_allclose(moved.positions, WALK.positions + 1.0, atol=1e-12)
    turned = WALK.with_rotations(WALK.rotations[::-1])
    np.testing.assert_allclose(
        turned.positions - turned.root[:, None],
        (WALK.positions - WALK.root[:, None])[::-1],
        atol=1e-12,
    )


def test_a_derived_clip_has_arrays_of_the_right_shape_only():
    with pytest.raises(InputError, match="root has shape"):
        WALK.with_root(WALK.root[:, :2])
    with pytest.raises(InputError, match="rotations"):
        WALK.with_root(WALK.root[:5])
    with pytest.raises(TypeError, match="no field"):
        WALK.derive(speed=1.0)


def test_ancestors_lead_to_the_root_and_chains_from_joint_to_joint():
    tree = Skeleton(tuple("abcde"), np.array([-1, 0, 1, 1, 3]), np.zeros((5, 3)))
    assert tree.ancestors(4) == [3, 1, 0]
    assert tree.ancestors(0) == []
    assert tree.chain(1, 4) == [1, 3, 4]
    assert tree.chain(2, 2) == [2]
    with pytest.raises(InputError, match="e does not descend from c"):
        tree.chain(2, 4)
