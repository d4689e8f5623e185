"""NPZ: motions as arrays, and archives that must not be trusted."""

from __future__ import annotations

import io
import pickle
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.errors import InputError
from footfall.files.formats import load, save
from footfall.files.npz.amass import BODY_NAMES, BODY_PARENTS, average_positions
from footfall.files.npz.archive import MAX_RATIO, SMALL
from footfall.files.npz.footfall_npz import read, write
from footfall.files.options import ReadOptions, WriteOptions
from footfall.maths.quaternions import angle_between, from_rotation_vector, to_matrix
from tests.files.binary_samples import raw_positions, small_clip


def told(path: Path) -> str:
    with pytest.raises(InputError) as error:
        load(path)
    said = str(error.value)
    assert said
    assert "\n" not in said
    assert len(said) < 400
    return said


def arrays_of(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as archive:
        return dict(archive)


@pytest.mark.parametrize("frames", [1, 30])
def test_a_written_clip_reads_back(tmp_path, frames):
    clip = small_clip(frames, fps=59.94)
    write(clip, tmp_path / "clip.npz", WriteOptions())
    raw = read(tmp_path / "clip.npz", ReadOptions())
    skeleton = clip.skeleton
    assert (raw.names, raw.fps, raw.name) == (skeleton.names, clip.fps, clip.name)
    assert (raw.tags, raw.up, raw.unit_m, raw.notes) == (clip.tags, "y", 1.0, ())
    assert np.array_equal(raw.offsets, skeleton.offsets)
    assert np.array_equal(raw.end_offsets, skeleton.end_offsets)
    assert raw.end_joints.tolist() == skeleton.end_joints.tolist()
    assert np.array_equal(raw.contacts, clip.contacts)
    assert np.abs(raw_positions(raw) - clip.positions).max() < 1e-5


def test_touches_of_hands_and_seat_read_back(tmp_path, rng):
    clip = replace(small_clip(9), touches=rng.integers(0, 2, (9, 3)).astype(bool))
    save(clip, tmp_path / "clip.npz")
    assert np.array_equal(load(tmp_path / "clip.npz").touches, clip.touches)
    save(small_clip(9), tmp_path / "bare.npz")
    assert load(tmp_path / "bare.npz").touches is None


def test_the_arrays_say_what_the_clip_does(tmp_path):
    clip = small_clip(9)
    write(clip, tmp_path / "clip.npz", WriteOptions())
    arrays = arrays_of(tmp_path / "clip.npz")
    assert np.abs(arrays["posed_joints"] - clip.positions).max() < 1e-5
    assert np.abs(arrays["local_rot_mats"] - to_matrix(clip.rotations)).max() < 1e-6
    assert arrays["root_positions"].shape == (9, 3)
    assert arrays["foot_contacts"].dtype == np.bool_
    assert float(arrays["fps"]) == clip.fps


def test_no_contacts_and_no_tags_read_back_as_none(tmp_path):
    clip = small_clip(3)
    bare = type(clip)(clip.skeleton, 30.0, clip.root, clip.rotations)
    write(bare, tmp_path / "clip.npz", WriteOptions())
    raw = read(tmp_path / "clip.npz", ReadOptions())
    assert raw.contacts is None
    assert raw.tags == ()


@pytest.mark.mocap
def test_real_clips_read_back_in_any_axes_and_unit(mocap, tmp_path):
    clip = load(mocap / "cmu" / "16_34.bvh").tagged(["real"])
    for options in ({}, {"up": "z"}, {"unit_m": 0.01}, {"up": "z", "unit_m": 0.0254}):
        save(clip, tmp_path / "clip.npz", **options)
        again = load(tmp_path / "clip.npz")
        assert again.skeleton.names == clip.skeleton.names
        assert (again.fps, again.tags) == (clip.fps, clip.tags)
        assert np.abs(again.positions - clip.positions).max() < 1e-5
        assert np.max(angle_between(again.rotations, clip.rotations)) < 1e-5


# --- files of others ----------------------------------------------------------------------------


def foreign(joints: int, **changes: object) -> dict[str, object]:
    """A motion of SMPL's character as bare arrays, without names, tree or bone lengths."""
    from footfall.body.clip import Clip
    from footfall.body.skeleton import Skeleton

    rng = np.random.default_rng(8)
    character = average_positions()
    places = np.array([character[name] for name in BODY_NAMES[:joints]])
    parents = np.array(BODY_PARENTS[:joints])
    offsets = places - np.where(parents[:, None] >= 0, places[parents], 0)
    skeleton = Skeleton(BODY_NAMES[:joints], parents, offsets)
    turns = from_rotation_vector(0.3 * rng.normal(size=(20, joints, 3)))
    clip = Clip(skeleton, 30.0, rng.normal(size=(20, 3)), turns)
    arrays: dict[str, object] = {
        "posed_joints": clip.positions, "local_rot_mats": to_matrix(turns),
        "root_positions": clip.root, "fps": 20,
    }  # fmt: skip
    return {k: v for k, v in (arrays | changes).items() if v is not None}


@pytest.mark.parametrize("joints", [22, 24])
def test_bare_arrays_of_smpl_joints_get_their_tree_and_bone_lengths(tmp_path, joints):
    arrays = foreign(joints)
    np.savez(tmp_path / "x.npz", **arrays)
    raw = read(tmp_path / "x.npz", ReadOptions())
    assert raw.names == BODY_NAMES[:joints]
    assert raw.fps == 20.0
    assert np.abs(raw_positions(raw) - arrays["posed_joints"]).max() < 1e-5


def test_a_missing_frame_rate_is_assumed_and_said(tmp_path):
    np.savez(tmp_path / "x.npz", **foreign(22, fps=None))
    raw = read(tmp_path / "x.npz", ReadOptions())
    assert raw.fps == 30.0
    assert any("no frame rate" in note for note in raw.notes)


def test_unknown_joint_counts_need_a_tree(tmp_path):
    turns = np.tile(np.eye(3), (4, 30, 1, 1))
    np.savez(tmp_path / "x.npz", local_rot_mats=turns, root_positions=np.zeros((4, 3)))
    assert "30 joints but no tree" in told(tmp_path / "x.npz")


def test_a_tree_that_does_not_fit_the_positions_is_refused(tmp_path, rng):
    np.savez(tmp_path / "x.npz", **foreign(22, posed_joints=rng.normal(size=(20, 22, 3))))
    assert "do not fit" in told(tmp_path / "x.npz")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"root_positions": np.zeros((7, 3))}, "shape"),
        ({"root_positions": np.full((20, 3), np.nan)}, "nan"),
        ({"local_rot_mats": np.zeros((20, 22, 3, 3))}, "no rotation matrix"),
        ({"local_rot_mats": -np.tile(np.eye(3), (20, 22, 1, 1))}, "no rotation matrix"),
        ({"local_rot_mats": np.zeros((0, 22, 3, 3))}, "no frames"),
        ({"local_rot_mats": np.zeros((3, 3))}, "shape"),
        ({"local_rot_mats": np.full((20, 22, 3, 3), "x")}, "numbers"),
        ({"fps": 0.0}, "frame rate"),
        ({"fps": [1, 2]}, "one number"),
        ({"fps": np.nan}, "frame rate"),
        ({"parents": np.arange(22)}, "not in order"),
        ({"parents": np.arange(21) - 1}, "21 parents"),
        ({"parents": np.arange(22) / 2}, "whole numbers"),
        ({"names": ["a"] * 3}, "3 names"),
        ({"names": np.arange(22)}, "text"),
        ({"parents": np.arange(22) - 1, "names": ["a"] * 22}, "twice|fit"),
        ({"unit_m": -1.0}, "unit"),
        ({"up": "w"}, "up axis"),
        ({"posed_joints": None}, "bone lengths"),
    ],
)
def test_wrong_arrays_are_told(tmp_path, changes, said):
    import re

    np.savez(tmp_path / "x.npz", **foreign(22, **changes))
    assert re.search(said, told(tmp_path / "x.npz"))


# --- archives that must not be trusted ----------------------------------------------------------


def put_member(path: Path, name: str, data: bytes, method: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(path, "a", method) as archive:
        archive.writestr(name, data)


def npy_header(shape: tuple[int, ...], descr: str = "<f8") -> bytes:
    out = io.BytesIO()
    head = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(out, head)
    return out.getvalue()


class Trap:
    """Unpickling this would leave a mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (Path.touch, (self.mark,))


def test_pickled_objects_are_refused_and_never_run(tmp_path):
    mark = tmp_path / "ran"
    trap = np.empty(1, dtype=object)
    trap[0] = Trap(mark)
    np.savez(tmp_path / "x.npz", local_rot_mats=trap, root_positions=np.zeros((1, 3)))
    assert "pickled" in told(tmp_path / "x.npz")
    (tmp_path / "y.npz").write_bytes(pickle.dumps(Trap(mark)))
    assert "pickle" in told(tmp_path / "y.npz")
    assert not mark.exists()


def test_objects_that_are_not_needed_do_no_harm(tmp_path):
    strange = np.empty(1, dtype=object)
    strange[0] = {"a": 1}
    np.savez(tmp_path / "x.npz", **foreign(22), strange=strange)
    assert len(read(tmp_path / "x.npz", ReadOptions()).rotations) == 20


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    shape = (SMALL // 72 + 1, 1, 3, 3)
    zeros = npy_header(shape) + bytes(72 * shape[0])
    put_member(tmp_path / "x.npz", "local_rot_mats.npy", zeros, zipfile.ZIP_DEFLATED)
    assert (tmp_path / "x.npz").stat().st_size < SMALL / MAX_RATIO
    assert "would unpack to" in told(tmp_path / "x.npz")


@pytest.mark.parametrize(
    "shape", [(10**15, 22, 3, 3), (2**62, 2**62, 3, 3), (2, 22, 3, 3), (-1, 3)]
)
def test_a_header_that_asks_for_more_than_is_there_is_refused(tmp_path, shape):
    put_member(tmp_path / "x.npz", "local_rot_mats.npy", npy_header(shape) + bytes(72 * 22))
    assert "local_rot_mats" in told(tmp_path / "x.npz")


def test_a_member_that_lies_about_its_size_is_refused(tmp_path):
    """The zip declares more than the packed stream holds."""
    data = npy_header((4, 22, 3, 3)) + bytes(8 * 4 * 22 * 9)
    put_member(tmp_path / "x.npz", "local_rot_mats.npy", data, zipfile.ZIP_DEFLATED)
    whole = (tmp_path / "x.npz").read_bytes()
    short = npy_header((8, 22, 3, 3)) + bytes(8 * 4 * 22 * 9)
    put_member(tmp_path / "y.npz", "local_rot_mats.npy", short, zipfile.ZIP_DEFLATED)
    lie = len(data) + 8 * 4 * 22 * 9
    told_size = len(short).to_bytes(4, "little")
    lied = (tmp_path / "y.npz").read_bytes().replace(told_size, lie.to_bytes(4, "little"))
    (tmp_path / "y.npz").write_bytes(lied)
    assert "local_rot_mats" in told(tmp_path / "y.npz")
    assert whole


def test_a_file_cut_anywhere_is_told_in_one_sentence(tmp_path):
    write(small_clip(3), tmp_path / "whole.npz", WriteOptions())
    data = (tmp_path / "whole.npz").read_bytes()
    for length in [1, 2, 3, 4, 10, 30, 31, *range(32, len(data), 211), len(data) - 1]:
        (tmp_path / "cut.npz").write_bytes(data[:length])
        told(tmp_path / "cut.npz")


def test_headers_of_python_2_are_read_without_a_warning(tmp_path, recwarn):
    """Older AMASS files have shapes of long integers, written as (20L, 22L)."""
    arrays = foreign(22)
    turns = arrays.pop("local_rot_mats")
    np.savez(tmp_path / "x.npz", **arrays)
    out = io.BytesIO()
    np.lib.format.write_array(out, turns)
    data = out.getvalue().replace(b"(20, 22, 3, 3), }   ", b"(20L, 22L, 3, 3), } ")
    assert b"22L" in data
    put_member(tmp_path / "x.npz", "local_rot_mats.npy", data)
    assert len(read(tmp_path / "x.npz", ReadOptions()).rotations) == 20
    assert not recwarn.list


def test_files_that_are_no_archives_are_told(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros(3))
    (tmp_path / "x.npy").rename(tmp_path / "x.npz")
    assert "single NumPy array" in told(tmp_path / "x.npz")
    (tmp_path / "y.npz").write_bytes(b"PK" + bytes(100))
    assert "not an .npz archive" in told(tmp_path / "y.npz")
    np.savez(tmp_path / "z.npz", a=np.zeros(3), b=np.zeros(3))
    assert "arrays: a, b" in told(tmp_path / "z.npz")
    np.savez(tmp_path / "m.npz", v_template=np.zeros((3, 3)))
    assert "body model" in told(tmp_path / "m.npz")
    with zipfile.ZipFile(tmp_path / "many.npz", "w") as archive:
        for number in range(1100):
            archive.writestr(f"{number}.npy", b"")
    assert "1100 members" in told(tmp_path / "many.npz")
