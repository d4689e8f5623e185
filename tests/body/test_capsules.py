"""The body as capsules holds the mannequin, moves with the joints and is no thicker than it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.body.capsules import body_capsules
from footfall.body.mannequin import mannequin
from footfall.body.mannequin.proportions import is_humanoid
from footfall.body.mesh import skin_vertices
from footfall.body.skeleton import Skeleton
from tests.body.skeletons import FAMILIES, family_skeleton
from tests.clips import steady


@pytest.fixture(scope="module")
def clip():
    return steady(seconds=1.0, fps=30)


def distances(points, ends, radii):
    """(P,) how far points are outside the nearest capsule; by an own formula."""
    a, b = ends[:, 0], ends[:, 1]
    along = b - a
    share = np.einsum("pbi,bi->pb", points[:, None] - a, along)
    share = np.clip(share / np.maximum(np.einsum("bi,bi->b", along, along), 1e-12), 0, 1)
    nearest = a + share[..., None] * along
    return (np.linalg.norm(points[:, None] - nearest, axis=2) - radii).min(axis=1)


def test_nearly_all_of_the_mannequin_lies_in_the_capsules_whatever_the_pose(clip):
    body = mannequin(clip.skeleton)
    capsules = body_capsules(clip.skeleton)
    poses = clip.world
    ends = capsules.placed(poses)
    surface, _ = skin_vertices(body, poses, clip.skeleton)
    for frame in (0, 11, 23):
        points = surface[frame]
        outside = distances(points, ends[frame], capsules.radii)
        assert np.mean(outside < 0.01) > 0.95
        assert outside.max() < 0.08


def test_the_capsules_are_no_wider_than_the_body_by_more_than_some_centimetres(clip):
    capsules = body_capsules(clip.skeleton)
    poses = clip.world
    ends = capsules.placed(poses)[0]
    points = skin_vertices(mannequin(clip.skeleton), poses, clip.skeleton)[0][0]
    low = (ends - capsules.radii[:, None, None]).min(axis=(0, 1))
    high = (ends + capsules.radii[:, None, None]).max(axis=(0, 1))
    assert (points.min(axis=0) - low < 0.06).all()
    assert (high - points.max(axis=0) < 0.06).all()


def test_left_and_right_are_alike(clip):
    capsules = body_capsules(clip.skeleton)
    names = [clip.skeleton.names[j] for j in capsules.joints]
    radii = dict(zip(names, capsules.radii, strict=True))
    for name in names:
        if name.startswith("Left"):
            assert radii[name] == pytest.approx(radii[name.replace("Left", "Right")], abs=1e-3)


def test_feet_are_what_hangs_on_the_ankles(clip):
    capsules = body_capsules(clip.skeleton)
    feet = {clip.skeleton.names[j] for j in capsules.joints[capsules.feet]}
    assert feet == {"LeftFoot", "LeftToeBase", "RightFoot", "RightToeBase"}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("humanoid", [True, False])
def test_capsules_hold_the_mannequin_of_any_family_of_skeletons(family, humanoid):
    bare, wanted = family_skeleton(family)
    roles = {role: bare.names.index(joint) for role, joint in wanted.items()} if humanoid else {}
    skeleton = replace(bare, roles=roles)
    assert is_humanoid(skeleton) == humanoid
    capsules = body_capsules(skeleton)
    ends = capsules.ends + skeleton.rest_positions[capsules.joints][:, None]
    points = mannequin(skeleton).mesh.vertices
    outside = distances(points, ends, capsules.radii)
    assert np.mean(outside < 0.01) > 0.94
    assert outside.max() < 0.06
    low = (ends - capsules.radii[:, None, None]).min(axis=(0, 1))
    high = (ends + capsules.radii[:, None, None]).max(axis=(0, 1))
    assert max((points.min(axis=0) - low).max(), (high - points.max(axis=0)).max()) < 0.08


@pytest.mark.parametrize("bones", [0, 1])
def test_a_skeleton_of_hardly_any_bones_has_a_body(bones):
    one = Skeleton(("a",), np.array([-1]), np.zeros((1, 3)), np.zeros(bones, np.int32),
                   np.full((bones, 3), 0.2))  # fmt: skip
    capsules = body_capsules(one)
    assert len(capsules) == 1
    assert capsules.radii[0] > 0.0
