"""Layouts of others: AMASS, HumanML3D and LeRobot, read back with numpy and pyarrow alone."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from footfall import InputError, load
from footfall.batch.body_joints import NAMES, PARENTS, body_positions, body_rotations
from footfall.batch.dataset import write_dataset
from footfall.batch.dataset_motion import DatasetMotion, frame_sources
from footfall.batch.layouts import LAYOUTS, caption_line
from footfall.batch.lerobot_layout import episode_columns
from footfall.batch.run import BatchSummary, batch
from footfall.batch.store import read_results
from footfall.body.clip import Clip
from footfall.generate.gait.steady import steady
from tests.batch.conftest import MIXED, PROJECT
from tests.batch.test_dataset import with_licence

parquet = pytest.importorskip("pyarrow.parquet")
safetensors = pytest.importorskip("safetensors.numpy")
Sequential = tuple[BatchSummary, Path]
Json = dict[str, Any]
SHARD_MB = 0.2


@pytest.fixture(scope="module")
def data(sequential: Sequential, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("layouts")
    write_dataset(sequential[1], folder, shard_mb=SHARD_MB, layout=LAYOUTS)
    return folder


@pytest.fixture(scope="module")
def clips(sequential: Sequential) -> dict[str, Clip]:
    """The motions of the batch by key."""
    rows = [r for r in read_results(sequential[1] / "results.jsonl") if r["status"] == "found"]
    return {r["key"]: load(sequential[1] / r["files"]["npz"]["name"]) for r in rows}


def turn_matrices(vectors: np.ndarray) -> np.ndarray:
    """Return rotation vectors (..., 3) as matrices (..., 3, 3), by Rodrigues' formula."""
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    x, y, z = np.moveaxis(vectors / np.maximum(angle[..., 0], 1e-12), -1, 0)
    nil = np.zeros_like(x)
    cross = np.stack([nil, -z, y, z, nil, -x, -y, x, nil], -1).reshape(*x.shape, 3, 3)
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)


def quaternion_matrices(q: np.ndarray) -> np.ndarray:
    """Return quaternions w x y z (..., 4) as matrices (..., 3, 3)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]  # fmt: skip
    return np.stack(rows, -1).reshape(*w.shape, 3, 3)


def world_matrices(local: np.ndarray) -> np.ndarray:
    """Return rotations in the world, from those along the tree of the 22 joints."""
    world = local.copy()
    for joint in range(1, len(PARENTS)):
        world[:, joint] = world[:, PARENTS[joint]] @ local[:, joint]
    return world


def same_world_rotations(clip: Clip, local: np.ndarray, up: np.ndarray) -> bool:
    """Return whether joints of the clip turn in the world as matrices (T, 22, 3, 3) state."""
    world, roles = world_matrices(local), clip.skeleton.roles
    pairs = {"pelvis": "hips", "spine3": "chest", "left_foot": "left_toe", "head": "head",
             "right_collar": "right_clavicle", "left_wrist": "left_wrist",
             "right_knee": "right_knee"}  # fmt: skip
    return all(
        np.allclose(
            world[:, NAMES.index(name)],
            up @ quaternion_matrices(clip.world.rotations[:, roles[role]]),
            atol=1e-5,
        )
        for name, role in pairs.items()
    )


Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def test_amass_poses_turn_every_joint_as_the_clip_does(data: Path, clips: dict[str, Clip]) -> None:
    files = sorted((data / "amass" / "footfall").glob("*/*_poses.npz"))
    assert {f.stem.removesuffix("_poses") for f in files} == set(clips)
    for file in files:
        clip = clips[file.stem.removesuffix("_poses")]
        motion = np.load(file)  # without pickle
        assert (str(motion["gender"]), float(motion["mocap_framerate"])) == ("neutral", clip.fps)
        assert "betas" not in motion
        poses = motion["poses"].astype(float).reshape(len(clip), 52, 3)
        assert not poses[:, 22:].any()
        assert same_world_rotations(clip, turn_matrices(poses[:, :22]), Z_UP)
        hips = clip.positions[:, clip.skeleton.roles["hips"]]
        np.testing.assert_allclose(motion["trans"], hips @ Z_UP.T, atol=1e-5)
        assert motion["source"].shape == (len(clip), 2)
        assert motion["source"].min() >= 0


def test_amass_files_are_read_as_the_same_motion(data: Path, clips: dict[str, Clip]) -> None:
    file = next((data / "amass" / "footfall").glob("*/*_poses.npz"))
    ours, back = clips[file.stem.removesuffix("_poses")], load(file)
    assert (back.fps, len(back)) == (ours.fps, len(ours))
    for top, bottom in (("left_shoulder", "left_elbow"), ("right_hip", "right_knee")):
        bones = [
            c.positions[:, c.skeleton.roles[bottom]] - c.positions[:, c.skeleton.roles[top]]
            for c in (ours, back)
        ]
        along = [bone / np.linalg.norm(bone, axis=1, keepdims=True) for bone in bones]
        np.testing.assert_allclose(along[0], along[1], atol=1e-4)


def test_humanml3d_joints_are_where_the_clip_has_them(data: Path, clips: dict[str, Clip]) -> None:
    folder = data / "humanml3d"
    assert sorted((folder / "all.txt").read_text().split()) == sorted(clips)
    parts = [(folder / f"{split}.txt").read_text().split() for split in ("train", "test")]
    assert sorted(parts[0] + parts[1]) == sorted(clips)
    for key, clip in clips.items():
        joints = np.load(folder / "joints" / f"{key}.npy")
        assert clip.fps == 30.0
        assert joints.shape == (math.floor(clip.seconds * 20.0 + 1e-6) + 1, 22, 3)
        frame = 1.5 * np.arange(len(joints))  # every other one lies between two of the clip
        before, after = np.floor(frame).astype(int), np.ceil(frame).astype(int)
        for name, role in (("pelvis", "hips"), ("left_foot", "left_toe"), ("spine3", "chest"),
                           ("right_collar", "right_clavicle"), ("right_wrist",) * 2):  # fmt: skip
            own = clip.positions[:, clip.skeleton.roles[role]]
            off = np.abs(joints[:, NAMES.index(name)] - 0.5 * (own[before] + own[after]))
            assert off[::2].max() < 1e-5
            assert off[1::2].max() < 0.01


def test_humanml3d_texts_have_captions_and_words() -> None:
    line = caption_line("A person walks 3.0 metres, in the scene #2.")
    caption, words, first, last = line.strip().split("#")
    assert caption == "A person walks 3.0 metres, in the scene  2."
    assert words.split(" ")[:4] == ["a/OTHER", "person/OTHER", "walks/OTHER", "3.0/OTHER"]
    assert (float(first), float(last)) == (0.0, 0.0)


def lerobot_rows(data: Path) -> Iterator[tuple[Json, Json]]:
    """Yield each episode and the columns of its frames, as arrays."""
    info = json.loads((data / "lerobot/meta/info.json").read_text())
    table = parquet.read_table(data / "lerobot/meta/episodes/chunk-000/file-000.parquet")
    for episode in table.to_pylist():
        place = info["data_path"].format(
            chunk_index=episode["data/chunk_index"], file_index=episode["data/file_index"]
        )
        rows = parquet.read_table(data / "lerobot" / place).to_pylist()
        mine = [row for row in rows if row["episode_index"] == episode["episode_index"]]
        yield episode, {name: np.array([row[name] for row in mine]) for name in mine[0]}


def test_lerobot_states_are_the_clips_and_actions_the_next_states(
    data: Path, clips: dict[str, Clip]
) -> None:
    frames = 0
    for episode, rows in lerobot_rows(data):
        clip, state = clips[episode["key"]], rows["observation.state"]
        assert len(state) == episode["length"] == len(clip)
        np.testing.assert_allclose(
            state[:, :3], clip.positions[:, clip.skeleton.roles["hips"]], atol=1e-5
        )
        turns = state[:, 3:].reshape(len(clip), 22, 4)
        assert same_world_rotations(clip, quaternion_matrices(turns), np.eye(3))
        assert np.abs(np.diff(turns, axis=0)).max() < 0.5  # no jump to the other hemisphere
        np.testing.assert_array_equal(rows["action"][:-1], state[1:])
        np.testing.assert_array_equal(rows["action"][-1], state[-1])
        np.testing.assert_allclose(rows["timestamp"], np.arange(len(clip)) / 30.0, atol=1e-5)
        np.testing.assert_array_equal(rows["frame_index"], np.arange(len(clip)))
        np.testing.assert_array_equal(rows["index"], frames + np.arange(len(clip)))
        frames += len(clip)
        assert (episode["dataset_from_index"], episode["dataset_to_index"]) == (
            frames - len(clip), frames,
        )  # fmt: skip
        assert rows["source"].min() >= 0


def test_lerobot_frames_of_faster_clips_name_the_frames_that_they_show(
    sequential: Sequential,
) -> None:
    row = next(read_results(sequential[1] / "results.jsonl"))
    origin = json.loads((sequential[1] / row["files"]["plan"]["name"]).read_text())
    clip = load(sequential[1] / row["files"]["npz"]["name"]).derive(fps=60.0)
    columns = episode_columns(DatasetMotion(row, origin, clip), 5, 1000, 2)
    hips = clip.positions[::2, clip.skeleton.roles["hips"]]
    np.testing.assert_allclose(columns["observation.state"][:, :3], hips, atol=1e-5)
    np.testing.assert_array_equal(columns["source"], frame_sources(origin, len(clip))[::2])
    assert columns["index"][0] == 1000
    assert set(columns["episode_index"]) == {5}


def test_lerobot_metadata_fits_the_data(data: Path, clips: dict[str, Clip]) -> None:
    meta = data / "lerobot" / "meta"
    info, stats = (json.loads((meta / f"{n}.json").read_text()) for n in ("info", "stats"))
    episodes = list(lerobot_rows(data))
    assert info["codebase_version"] == "v3.0"
    assert (info["total_episodes"], info["fps"]) == (len(clips), 30)
    assert info["total_frames"] == sum(len(clip) for clip in clips.values())
    assert set(info["features"]) == set(stats) == set(episodes[0][1])
    for name, feature in info["features"].items():
        values = np.concatenate([rows[name] for _, rows in episodes])
        values = values.reshape(len(values), -1).astype(float)
        assert feature["shape"] == [values.shape[1]]
        assert feature["names"] is None or len(feature["names"]) == values.shape[1]
        assert stats[name]["count"] == [len(values)]
        for statistic in ("min", "max", "mean", "std"):
            expected = getattr(np, statistic)(values, axis=0)
            np.testing.assert_allclose(stats[name][statistic], expected, atol=1e-6)
    tasks = parquet.read_table(meta / "tasks.parquet")
    assert json.loads(tasks.schema.metadata[b"pandas"])["index_columns"] == ["task"]
    names = {row["task_index"]: row["task"] for row in tasks.to_pylist()}
    assert len(names) == info["total_tasks"]
    for episode, rows in episodes:
        assert [names[n] for n in set(rows["task_index"].tolist())] == episode["tasks"]


def test_lerobot_files_are_bounded_with_a_row_group_for_each_episode(data: Path) -> None:
    files = sorted((data / "lerobot/data/chunk-000").iterdir())
    assert [file.name for file in files] == [f"file-{n:03d}.parquet" for n in range(len(files))]
    assert len(files) > 1
    assert all(file.stat().st_size < 1.1e6 * SHARD_MB for file in files)
    groups = sum(parquet.read_metadata(file).num_row_groups for file in files)
    assert groups == len(MIXED)


@pytest.mark.parametrize("name", ["amass", "humanml3d", "lerobot"])
def test_every_layout_states_the_sources_and_licences_of_its_motions(
    name: str, data: Path, clips: dict[str, Clip]
) -> None:
    rows = [json.loads(line) for line in (data / name / "sources.jsonl").read_text().splitlines()]
    assert {row["key"] for row in rows} == set(clips)
    for row in rows:
        assert row["caption"].startswith("A person walks")
        assert row["frames"] == row["segments"][-1]["stop"] == len(clips[row["key"]])
        assert {source["file"] for source in row["sources"]} == {"walk.bvh"}
        assert all("licence" in source for source in row["sources"])
        if "file" in row:
            assert (data / name / row["file"]).exists()
    text = (data / name / "README.md").read_text()
    assert f"{len(clips)} motions" in text
    assert "licence is not known" in text


def test_layouts_leave_out_what_may_not_be_passed_on_and_remove_it(
    sequential: Sequential, data: Path, tmp_path: Path
) -> None:
    others = [name for name in LAYOUTS if name != "safetensors"]
    place = tmp_path / "data"
    write_dataset(sequential[1], place, shard_mb=0.01, layout=others)
    assert not (place / "shards").exists()
    copy = with_licence(sequential[1], tmp_path / "batch", "CC BY-NC-ND 4.0")
    write_dataset(copy, place, shard_mb=SHARD_MB, layout=others)
    assert len(list(place.rglob("*_poses.npz"))) == len(MIXED) - 1
    assert len(list(place.rglob("joints/*.npy"))) == len(MIXED) - 1
    assert len(list(lerobot_rows(place))) == len(MIXED) - 1
    assert "| CC BY-NC-ND 4.0 | 1 |" in (place / "lerobot" / "README.md").read_text()
    write_dataset(sequential[1], place, shard_mb=SHARD_MB, layout=others)
    ours = {str(f.relative_to(place)): f.read_bytes() for f in place.rglob("*.*") if f.is_file()}
    for name, content in ours.items():
        assert (data / name).read_bytes() == content, name


def test_joints_that_a_skeleton_lacks_lie_between_others_and_do_not_turn() -> None:
    walk = steady(seconds=1.0, fps=30.0)
    roles = {role: joint for role, joint in walk.skeleton.roles.items()
             if role not in ("spine", "neck", "left_clavicle", "left_toe")}  # fmt: skip
    clip = walk.derive(skeleton=replace(walk.skeleton, roles=roles))
    places, turns = body_positions(clip), body_rotations(clip)
    at = {name: places[:, NAMES.index(name)] for name in NAMES}
    np.testing.assert_allclose(at["neck"], 0.5 * (at["spine3"] + at["head"]))
    np.testing.assert_allclose(at["spine2"], 0.5 * (at["spine1"] + at["spine3"]))
    np.testing.assert_allclose(at["left_collar"], 0.5 * (at["spine3"] + at["left_shoulder"]))
    for name in ("spine1", "spine2", "neck", "left_collar", "left_foot"):
        np.testing.assert_allclose(np.abs(turns[:, NAMES.index(name), 0]), 1.0, atol=1e-12)
    assert same_world_rotations(walk, quaternion_matrices(body_rotations(walk)), np.eye(3))


@pytest.mark.parametrize(
    ("layout", "more", "message"),
    [
        (["zip"], {"dataset": "data"}, "the layout is 'zip'"),
        (["amass"], {}, "a layout is given without a dataset"),
    ],
)
def test_wrong_layouts_are_refused_before_anything_is_planned(
    layout: list[str], more: Json, message: str, mixed: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        batch(mixed, tmp_path / "out", layout=layout, **more)
    assert not (tmp_path / "out").exists()


def run_block(kind: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> Json:
    """Run a reader of the docs on the dataset; return its names."""
    page = (PROJECT / "docs" / "howto" / "batch.md").read_text()
    (code,) = re.findall(rf"```text {kind}\n(.*?)```", page, re.S)
    monkeypatch.chdir(data.parent)
    names: Json = {}
    exec(code.replace("DIR", data.name), names)
    return names


def import_torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return PyTorch, or what the reader uses of it, with numpy's arrays for tensors."""
    try:
        import torch  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        torch = ModuleType("torch")
        kit = SimpleNamespace(IterableDataset=object, get_worker_info=lambda: None)
        torch.utils = SimpleNamespace(data=kit)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "torch", torch)
        monkeypatch.setitem(sys.modules, "safetensors.torch", safetensors)
    return torch


def test_the_torch_reader_of_the_docs_gives_every_motion_once(
    data: Path, clips: dict[str, Clip], monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = import_torch(monkeypatch)
    motions = run_block("torch", data, monkeypatch)["Motions"]()
    in_order = [clips[key] for key in sorted(clips)]
    for motion, clip in zip(motions, in_order, strict=True):
        np.testing.assert_allclose(np.asarray(motion["root"]), clip.root, atol=1e-5)
        assert motion["rotations"].shape == clip.rotations.shape
    parts = []
    for number in range(2):
        worker = SimpleNamespace(id=number, num_workers=2)
        monkeypatch.setattr(torch.utils.data, "get_worker_info", lambda worker=worker: worker)
        parts.append([len(motion["root"]) for motion in motions])
    assert all(parts)
    assert sorted(parts[0] + parts[1]) == sorted(map(len, in_order))


def test_the_reader_of_layouts_in_the_docs_works(
    data: Path, clips: dict[str, Clip], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = run_block("layouts", data, monkeypatch)
    last = clips[max(clips)]
    assert names["turns"].shape == (len(last), 22, 3)
    assert names["joints"].shape[1:] == (22, 3)
    assert names["caption"].startswith("A person walks")
