"""Segment masses and the centre of mass."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.body.mass import centre_of_mass, mass_centres, segments
from footfall.body.roles import find_roles
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths.quaternions import from_rotation_vector, random_rotations
from tests.body.skeletons import FAMILIES, family_skeleton


def with_roles(name: str) -> Skeleton:
    skeleton, _ = family_skeleton(name)
    return skeleton.with_roles(find_roles(skeleton))


def standing(skeleton: Skeleton, frames: int = 2) -> Clip:
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (frames, len(skeleton), 1))
    return Clip(skeleton, 30.0, np.tile(skeleton.offsets[0], (frames, 1)), rotations)


@pytest.mark.parametrize("sex", ["male", "female"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_masses_add_up_to_the_body(family: str, sex: str) -> None:
    parts = segments(with_roles(family), 82.5, sex)
    assert sum(part.mass_kg for part in parts) == pytest.approx(82.5, abs=1e-12)
    assert len({part.name for part in parts}) == len(parts) == 16


def test_a_standing_persons_centre_of_mass_is_just_above_the_hips() -> None:
    # Men standing at ease have it at 56 to 57 % of their height (here 1.75 m); arms held out
    # to the sides raise it by about 2 %.
    height = centre_of_mass(standing(with_roles("lafan1")))[0, 1] / 1.75
    assert 0.555 < height < 0.60


def test_a_symmetric_body_has_its_centre_of_mass_in_the_middle() -> None:
    for sex in ("male", "female"):
        clip = standing(with_roles("smpl"))
        centre = mass_centres(clip.world, segments(clip.skeleton, sex=sex))
        assert centre[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_the_trunks_centre_is_where_de_leva_has_it() -> None:
    skeleton = with_roles("lafan1")
    rest = skeleton.rest_positions
    trunk = [p for p in segments(skeleton) if "trunk" in p.name]
    centre = sum(p.mass_kg * (rest[p.joint] + p.centre) for p in trunk) / sum(
        p.mass_kg for p in trunk
    )
    shoulders = rest[skeleton.roles["left_shoulder"], 1]
    hips = rest[skeleton.roles["left_hip"], 1]
    # Whole trunk, mid-shoulder to mid-hip: 43.10 % (his three parts add up to it within 1 %).
    assert (shoulders - centre[1]) / (shoulders - hips) == pytest.approx(0.4310, abs=0.015)


def test_inertias_are_positive_and_physical() -> None:
    for part in segments(with_roles("unreal")):
        values = np.linalg.eigvalsh(part.inertia)
        assert values[0] > 0.0
        assert values[0] + values[1] >= values[2] * (1.0 - 1e-12), part.name
    shank = next(p for p in segments(with_roles("unreal"), 70.0) if p.name == "left_shank")
    assert shank.inertia[0, 0] == pytest.approx(0.0433 * 70 * (0.246 * 0.42) ** 2)


def test_the_centre_of_mass_follows_the_segments(rng: np.random.Generator) -> None:
    skeleton = with_roles("cmu_bvh")
    clip = Clip(skeleton, 30.0, rng.normal(size=(5, 3)), random_rotations(rng, (5, len(skeleton))))
    poses = clip.world
    parts = segments(skeleton)
    total = np.zeros((5, 3))
    for part in parts:  # by rotation matrices, one frame at a time
        for t in range(5):
            w, x, y, z = poses.rotations[t, part.joint]
            from scipy.spatial.transform import Rotation

            place = Rotation.from_quat([x, y, z, w]).apply(part.centre)
            total[t] += part.mass_kg * (poses.positions[t, part.joint] + place)
    np.testing.assert_allclose(centre_of_mass(clip), total / 70.0, atol=1e-12)


def test_moving_the_root_moves_the_centre_of_mass_alike() -> None:
    skeleton = with_roles("rigify")
    clip = standing(skeleton)
    moved = Clip(skeleton, 30.0, clip.root + np.array([1.0, 2.0, 3.0]), clip.rotations)
    np.testing.assert_allclose(
        centre_of_mass(moved) - centre_of_mass(clip), [[1.0, 2.0, 3.0]] * 2, atol=1e-12
    )


def test_raising_an_arm_raises_the_centre_of_mass() -> None:
    skeleton = with_roles("vrm")
    clip = standing(skeleton)
    rotations = np.array(clip.rotations)
    rotations[1, skeleton.roles["left_shoulder"]] = from_rotation_vector([0.0, 0.0, np.pi / 2])
    heights = centre_of_mass(Clip(skeleton, 30.0, clip.root, rotations))[:, 1]
    assert heights[1] > heights[0] + 0.01


@pytest.mark.parametrize(("mass", "sex"), [(0.0, "male"), (float("nan"), "male"), (70.0, "cat")])
def test_wrong_masses_and_sexes_are_told(mass: float, sex: str) -> None:
    with pytest.raises(InputError):
        segments(with_roles("smpl"), mass, sex)
