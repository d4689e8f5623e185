"""AMASS and SMPL files: layouts, axes, body models; checked against SMPL's own equations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.transform import Rotation

from footfall.errors import InputError
from footfall.files.formats import load
from footfall.files.npz.amass import BODY_NAMES, BODY_PARENTS, STATURE_M, average_positions
from footfall.files.npz.footfall_npz import read
from footfall.files.options import ReadOptions
from tests.files.binary_samples import raw_positions

STANDING = [np.pi / 2, 0.0, 0.0]
"""The root orientation that stands SMPL's Y-up character up in AMASS's Z-up world."""


def motion(
    path: Path, width: int, rng: np.random.Generator, **changes: object
) -> dict[str, object]:
    arrays: dict[str, object] = {
        "poses": 0.2 * rng.normal(size=(15, width)), "trans": rng.normal(size=(15, 3)),
        "betas": rng.normal(size=16), "gender": "female", "mocap_framerate": 120.0,
        "dmpls": np.zeros((15, 8)),
    } | changes  # fmt: skip
    arrays = {key: value for key, value in arrays.items() if value is not None}
    np.savez(path, **arrays)
    return arrays


def smpl_joints(poses: np.ndarray, trans: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """(T, 22, 3) by SMPL's own chain: bones turned by all above them, then moved by trans."""
    turns = Rotation.from_rotvec(poses[:, :66].reshape(-1, 3)).as_matrix()
    turns = turns.reshape(len(poses), 22, 3, 3)
    world, places = turns.copy(), np.empty((len(poses), 22, 3))
    places[:, 0] = rest[0] + trans
    for joint in range(1, 22):
        parent = BODY_PARENTS[joint]
        world[:, joint] = world[:, parent] @ turns[:, joint]
        bone = rest[joint] - rest[parent]
        places[:, joint] = places[:, parent] + world[:, parent] @ bone
    return places


@pytest.mark.parametrize(("width", "joints"), [(66, 22), (72, 24), (156, 52), (165, 52)])
def test_every_layout_is_read(tmp_path, rng, width, joints):
    arrays = motion(tmp_path / "x.npz", width, rng)
    raw = read(tmp_path / "x.npz", ReadOptions())
    assert len(raw.names) == joints
    assert raw.names[:22] == BODY_NAMES[:22]
    assert (raw.fps, raw.up, raw.unit_m) == (120.0, "z", 1.0)
    assert any("average character" in note for note in raw.notes)
    rest = np.array([average_positions()[name] for name in BODY_NAMES[:22]])
    expected = smpl_joints(arrays["poses"], arrays["trans"], rest)
    assert np.abs(raw_positions(raw)[:, :22] - expected).max() < 1e-9


def test_fingers_follow_the_layout(tmp_path, rng):
    """The right index finger is joint 37 of SMPL+H and joint 40 of SMPL-X."""
    for width, column in ((156, 37), (165, 40)):
        poses = np.zeros((5, width))
        poses[:, 3 * column + 2] = np.linspace(0, 1, 5)
        motion(tmp_path / "x.npz", width, rng, poses=poses, trans=np.zeros((5, 3)))
        raw = read(tmp_path / "x.npz", ReadOptions())
        moving = np.flatnonzero(np.ptp(raw.rotations, axis=0).max(axis=1) > 1e-6)
        assert [raw.names[j] for j in moving] == ["right_index1"]
        assert raw.names[raw.parents[moving[0]]] == "right_wrist"


def test_still_hands_are_left_out(tmp_path, rng):
    poses = 0.2 * rng.normal(size=(15, 156))
    poses[:, 66:] = 0.3
    motion(tmp_path / "x.npz", 156, rng, poses=poses)
    assert len(read(tmp_path / "x.npz", ReadOptions()).names) == 22


def test_poses_in_parts_are_joined(tmp_path, rng):
    poses = 0.2 * rng.normal(size=(15, 165))
    parts = {
        "root_orient": poses[:, :3], "pose_body": poses[:, 3:66], "pose_jaw": poses[:, 66:69],
        "pose_eye": poses[:, 69:75], "pose_hand": poses[:, 75:],
    }  # fmt: skip
    motion(tmp_path / "whole.npz", 165, rng, poses=poses, trans=np.zeros((15, 3)))
    motion(
        tmp_path / "parts.npz", 165, rng, poses=None, trans=np.zeros((15, 3)),
        mocap_framerate=None, mocap_frame_rate=120.0, **parts,
    )  # fmt: skip
    whole, parted = (read(tmp_path / f"{n}.npz", ReadOptions()) for n in ("whole", "parts"))
    assert np.array_equal(whole.rotations, parted.rotations)
    assert parted.fps == 120.0


def test_a_standing_character_stands_up(tmp_path, rng):
    """Z up becomes Y up: head over hips over feet, and a way along -y becomes a way along +z."""
    poses = np.zeros((30, 156))
    poses[:, :3] = STANDING
    way = np.zeros((30, 3))
    way[:, 1], way[:, 2] = -np.linspace(0, 1, 30), 0.9
    motion(tmp_path / "x.npz", 156, rng, poses=poses, trans=way)
    clip = load(tmp_path / "x.npz")
    places = clip.positions
    head, hips, foot = (places[:, clip.skeleton.index(n)] for n in ("head", "pelvis", "left_ankle"))
    assert (head[:, 1] > hips[:, 1] + 0.4).all()
    assert (hips[:, 1] > foot[:, 1] + 0.6).all()
    assert np.abs(hips[-1] - hips[0] - [0, 0, 1]).max() < 1e-9
    left = places[:, clip.skeleton.index("left_wrist")]
    assert (left[:, 0] > hips[:, 0] + 0.5).all()
    assert (clip.skeleton.roles["left_ankle"], clip.source.up) == (7, "z")


def test_the_average_character_has_human_proportions():
    character = average_positions()
    low = min(p[1] for p in character.values())
    assert character["head_tip"][1] - low == pytest.approx(STATURE_M, abs=0.02)
    span = character["left_hand_tip"][0] - character["right_hand_tip"][0]
    assert span == pytest.approx(STATURE_M, rel=0.1)
    for name, point in character.items():
        if name.startswith("left_"):
            assert np.allclose(character[name.replace("left", "right")], point * [-1, 1, 1])


# --- body models --------------------------------------------------------------------------------


def body_model(rng: np.random.Generator, joints: int = 52) -> dict[str, np.ndarray]:
    """A made-up body: few vertices, random regressor, the average body where it matters not."""
    vertices = rng.normal(size=(60, 3))
    regressor = rng.random((joints, 60)) * (rng.random((joints, 60)) < 0.2)
    regressor[:, 0] += 0.1
    regressor /= regressor.sum(axis=1, keepdims=True)
    return {
        "v_template": vertices, "J_regressor": regressor,
        "shapedirs": 0.1 * rng.normal(size=(60, 3, 10)),
    }  # fmt: skip


def as_parts(matrix: sparse.spmatrix | sparse.coo_matrix) -> dict[str, np.ndarray]:
    keys = ("row", "col") if matrix.format == "coo" else ("indices", "indptr")
    parts = {f"J_regressor_{key}": getattr(matrix, key) for key in ("data", *keys)}
    return parts | {"J_regressor_shape": np.array(matrix.shape)}


@pytest.mark.parametrize("kind", ["dense", "csr", "csc", "coo"])
@pytest.mark.parametrize("joints", [24, 52, 55])
def test_bone_lengths_come_from_the_body_model_and_betas(tmp_path, rng, kind, joints):
    model = body_model(rng, joints)
    arrays = motion(tmp_path / "x.npz", 156, rng)
    shaped = model["v_template"] + model["shapedirs"] @ arrays["betas"][:10]
    rest = model["J_regressor"] @ shaped
    if kind != "dense":
        model |= as_parts(sparse.csr_matrix(model.pop("J_regressor")).asformat(kind))
    np.savez(tmp_path / "model.npz", **model)
    raw = read(tmp_path / "x.npz", ReadOptions(body_model=str(tmp_path / "model.npz")))
    expected = smpl_joints(arrays["poses"], arrays["trans"], rest)
    assert np.abs(raw_positions(raw)[:, :22] - expected).max() < 1e-9
    assert raw.notes == ()


def test_a_model_of_joints_alone_is_enough(tmp_path, rng):
    rest = rng.normal(size=(24, 3))
    arrays = motion(tmp_path / "x.npz", 72, rng)
    np.savez(tmp_path / "model.npz", J=rest)
    raw = read(tmp_path / "x.npz", ReadOptions(body_model=str(tmp_path / "model.npz")))
    expected = smpl_joints(arrays["poses"], arrays["trans"], rest)
    assert np.abs(raw_positions(raw)[:, :22] - expected).max() < 1e-9
    assert "mean shape" in raw.notes[0]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("model.pkl", b"\x80\x04.", "pickle"),
        ("model.npz", b"\x80\x04.", "pickle"),
        ("none.npz", None, "no such body model"),
        ("model.npz", {"a": np.zeros(3)}, "no joints"),
        ("model.npz", {"J": np.zeros((7, 3))}, "7 joints"),
        ("model.npz", {"J": np.full((24, 3), np.nan)}, "nan"),
        ("model.npz", {"v_template": np.zeros((9, 3)), "J_regressor": np.zeros((24, 8))}, "shape"),
        ("model.npz", {"v_template": np.zeros((9, 2))}, "shape"),
        ("model.npz", {"v_template": np.zeros((9, 3)), "J_regressor_data": np.ones(1),
                       "J_regressor_shape": [24, 9], "J_regressor_row": [30],
                       "J_regressor_col": [0]}, "outside"),
        ("model.npz", {"v_template": np.zeros((9, 3)), "J_regressor_data": np.ones(1),
                       "J_regressor_shape": [24, 9], "J_regressor_indices": [0],
                       "J_regressor_indptr": [0, 5]}, "fit"),
    ],
)  # fmt: skip
def test_wrong_body_models_are_told(tmp_path, rng, name, content, said):
    motion(tmp_path / "x.npz", 72, rng)
    if isinstance(content, bytes):
        (tmp_path / name).write_bytes(content)
    elif content is not None:
        np.savez(tmp_path / name, **content)
    with pytest.raises(InputError, match=said) as error:
        load(tmp_path / "x.npz", body_model=str(tmp_path / name))
    assert name in str(error.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"poses": np.zeros((15, 100))}, "100 numbers a frame"),
        ({"poses": np.zeros((0, 72))}, "shape"),
        ({"poses": np.full((15, 72), np.nan)}, "not a rotation"),
        ({"poses": np.full((15, 72), 1e9)}, "not a rotation"),
        ({"poses": np.full((15, 72), "a")}, "poses are"),
        ({"trans": np.zeros((14, 3))}, "shape"),
        ({"mocap_framerate": -5}, "frame rate"),
        ({"poses": None, "pose_body": np.zeros((15, 63))}, "root_orient"),
        (
            {"poses": None, "pose_body": np.zeros((15, 63)), "root_orient": np.zeros((9, 3))},
            "differ",
        ),
    ],
)
def test_wrong_motions_are_told(tmp_path, rng, changes, said):
    motion(tmp_path / "x.npz", 72, rng, **changes)
    with pytest.raises(InputError, match=said):
        load(tmp_path / "x.npz")
