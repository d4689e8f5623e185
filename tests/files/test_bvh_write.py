"""Writing BVH: what is written comes back, in any tool's reading of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.files import bvh
from footfall.files.options import ReadOptions, WriteOptions


def random_clip(seed: int, frames: int = 40, joints: int = 12, fps: float = 30.0) -> Clip:
    rng = np.random.default_rng(seed)
    parents = [-1, *(int(rng.integers(max(0, j - 3), j)) for j in range(1, joints))]
    order = _depth_first(parents)
    parents = [-1 if parents[j] < 0 else order.index(parents[j]) for j in order]
    turns = rng.normal(size=(frames, joints, 3)).cumsum(axis=0) * 0.3
    rotations = Rotation.from_rotvec(turns.reshape(-1, 3)).as_quat(scalar_first=True)
    leaves = sorted(set(range(joints)) - set(parents))
    skeleton = Skeleton(
        tuple(f"joint {j}" for j in range(joints)), parents,
        np.vstack([np.zeros(3), rng.normal(0, 0.3, size=(joints - 1, 3))]),
        leaves[1:] + leaves[1:2], rng.normal(0, 0.1, size=(len(leaves), 3)),
    )  # fmt: skip
    root = rng.normal(size=(frames, 3)).cumsum(axis=0)
    return Clip(skeleton, fps, root, rotations.reshape(frames, joints, 4))


def _depth_first(parents: list[int]) -> list[int]:
    order, stack = [], [0]
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(c for c in range(len(parents) - 1, 0, -1) if parents[c] == joint)
    return order


def back(path: Path, unit_m: float) -> Clip:
    """The file as a clip in metres, its axes as they are."""
    raw = bvh.read(path, ReadOptions())
    skeleton = Skeleton(
        raw.names, raw.parents, raw.offsets * unit_m, raw.end_joints, raw.end_offsets * unit_m
    )
    assert raw.notes == ()
    return Clip(skeleton, raw.fps, raw.translations[0] * unit_m, raw.rotations)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("unit_m", [None, 1.0, 0.0254])
def test_what_is_written_is_read_back(tmp_path: Path, seed: int, unit_m: float | None) -> None:
    clip = random_clip(seed, fps=(24.0, 30.0, 119.88, 33.1)[seed])
    path = tmp_path / "out" / "clip.bvh"
    bvh.write(clip, path, WriteOptions(unit_m=unit_m))
    again = back(path, unit_m or 0.01)
    assert again.skeleton.names == clip.skeleton.names
    assert_array_equal(again.skeleton.parents, clip.skeleton.parents)
    assert_allclose(again.skeleton.offsets, clip.skeleton.offsets, atol=1e-12)
    order = np.argsort(clip.skeleton.end_joints, kind="stable")
    assert_array_equal(again.skeleton.end_joints, clip.skeleton.end_joints[order])
    assert_allclose(again.skeleton.end_offsets, clip.skeleton.end_offsets[order], atol=1e-12)
    assert again.fps == pytest.approx(clip.fps, rel=1e-12)
    poses, expected = again.world, clip.world
    assert_allclose(poses.positions, expected.positions, atol=1e-6)
    turn = Rotation.from_quat(again.rotations.reshape(-1, 4), scalar_first=True).inv()
    turn *= Rotation.from_quat(clip.rotations.reshape(-1, 4), scalar_first=True)
    assert turn.magnitude().max() < 1e-6


def test_a_file_with_z_up_is_the_same_motion_turned(tmp_path: Path) -> None:
    clip = random_clip(9)
    bvh.write(clip, tmp_path / "z.bvh", WriteOptions(up="z"))
    positions = back(tmp_path / "z.bvh", 0.01).positions
    places = np.array(clip.positions).reshape(-1, 3)
    expected = Rotation.from_euler("x", 90, degrees=True).apply(places)
    assert_allclose(positions.reshape(-1, 3), expected, atol=1e-6)


def test_written_angles_run_on_without_jumps(tmp_path: Path) -> None:
    times = np.linspace(0.0, 4.0 * np.pi, 400)
    half = 0.5 * times[:, None]
    zero = np.zeros_like(half)
    # Three joints turning twice round their own axis, through gimbal lock where there is one.
    rotations = np.stack(
        [
            np.hstack([np.cos(half), np.sin(half), zero, zero]),
            np.hstack([np.cos(half), zero, np.sin(half), zero]),
            np.hstack([np.cos(half), zero, zero, np.sin(half)]),
        ],
        axis=1,
    )
    skeleton = Skeleton(("a", "b", "c"), [-1, 0, 1], np.zeros((3, 3)))
    clip = Clip(skeleton, 30.0, np.zeros((400, 3)), rotations)
    bvh.write(clip, tmp_path / "turns.bvh", WriteOptions())
    lines = (tmp_path / "turns.bvh").read_text().partition("Frame Time")[2].splitlines()[1:]
    values = np.array([line.split() for line in lines], np.float64)
    assert np.abs(np.diff(values, axis=0)).max() < 2.0
    again = back(tmp_path / "turns.bvh", 0.01).rotations
    assert_allclose(np.abs(np.einsum("tji,tji->tj", again, rotations)), 1.0, atol=1e-12)


def test_the_root_is_written_so_that_adding_and_replacing_agree(tmp_path: Path) -> None:
    clip = random_clip(2)
    moved = Skeleton(clip.skeleton.names, clip.skeleton.parents, clip.skeleton.offsets + 1.0)
    bvh.write(Clip(moved, 30.0, clip.root, clip.rotations), tmp_path / "a.bvh", WriteOptions())
    assert (
        "OFFSET 0.000000 0.000000 0.000000" in (tmp_path / "a.bvh").read_text().split("CHANNELS")[0]
    )


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "clip.bvh"
    path.write_text("old")
    for options in (WriteOptions(unit_m=-1.0), WriteOptions(up="x")):
        with pytest.raises(InputError):
            bvh.write(random_clip(1), path, options)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["clip.bvh"]


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_gimbal_lock_keeps_the_rotation(tmp_path: Path, sign: float) -> None:
    lean = np.full(60, sign * 90.0) + np.where(np.arange(60) % 3 == 0, 0.0, 1e-7)
    angles = np.stack([np.linspace(0, 300, 60), lean, np.linspace(-70, 40, 60)], axis=-1)
    rotations = Rotation.from_euler("ZXY", angles, degrees=True)
    skeleton = Skeleton(("only",), [-1], np.zeros((1, 3)))
    wxyz = rotations.as_quat(scalar_first=True)[:, None]
    bvh.write(Clip(skeleton, 30.0, np.zeros((60, 3)), wxyz), tmp_path / "g.bvh", WriteOptions())
    again = Rotation.from_quat(back(tmp_path / "g.bvh", 0.01).rotations[:, 0], scalar_first=True)
    assert (again.inv() * rotations).magnitude().max() < 1e-7


def test_names_and_very_deep_chains_survive(tmp_path: Path) -> None:
    names = ("hip {L}", "arm\n.L", "mixamorig:Spine", *(f"j{i}" for i in range(300)))
    parents = [-1, *range(len(names) - 1)]
    skeleton = Skeleton(names, parents, np.ones((len(names), 3)))
    turns = np.zeros((1, len(names), 4))
    turns[..., 0] = 1.0
    bvh.write(Clip(skeleton, 30.0, np.zeros((1, 3)), turns), tmp_path / "n.bvh", WriteOptions())
    again = back(tmp_path / "n.bvh", 0.01)
    assert again.skeleton.names == ("hip _L_", "arm .L", *names[2:])
    assert_array_equal(again.skeleton.parents, parents)
