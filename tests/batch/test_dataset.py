"""Datasets of motions: shards, index, card; where every frame comes from, and what is left out."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from footfall import load
from footfall.batch.dataset import forbids_sharing, write_dataset
from footfall.batch.run import BatchSummary
from footfall.batch.store import read_results
from tests.batch.conftest import MIXED, PROJECT

parquet = pytest.importorskip("pyarrow.parquet")
safetensors = pytest.importorskip("safetensors.numpy")
Sequential = tuple[BatchSummary, Path]


def with_licence(batch_folder: Path, place: Path, licence: str) -> Path:
    """Return a copy of a batch whose first motion has a source under another licence."""
    copy = shutil.copytree(batch_folder, place)
    row = next(read_results(copy / "results.jsonl"))
    file = copy / row["files"]["plan"]["name"]
    origin = json.loads(file.read_text())
    next(iter(origin["sources"].values()))["licence"] = licence
    file.write_text(json.dumps(origin))
    return copy


@pytest.fixture(scope="module")
def dataset(sequential: Sequential, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dataset")
    write_dataset(sequential[1], folder, shard_mb=0.2)
    return folder


def test_every_motion_is_in_a_bounded_shard_as_it_was_planned(
    dataset: Path, sequential: Sequential
) -> None:
    index = parquet.read_table(dataset / "index.parquet").to_pylist()
    rows = {row["key"]: row for row in read_results(sequential[1] / "results.jsonl")}
    assert len(index) == len(MIXED)
    shards = sorted((dataset / "shards").iterdir())
    assert len(shards) > 1
    assert all(file.stat().st_size < 0.22e6 for file in shards)
    for one in index:
        tensors = safetensors.load_file(dataset / "shards" / f"{one['shard']:05d}.safetensors")
        clip = load(sequential[1] / rows[one["key"]]["files"]["npz"]["name"])
        np.testing.assert_allclose(tensors[f"{one['key']}/positions"], clip.positions, atol=1e-5)
        np.testing.assert_array_equal(tensors[f"{one['key']}/contacts"], clip.contacts)
        assert tensors[f"{one['key']}/footprints"].shape == (rows[one["key"]]["footprints"], 7)
        assert tensors[f"{one['key']}/path"].shape[1] == 2


def test_every_frame_is_traced_to_a_clip_and_its_licence(dataset: Path) -> None:
    for one in parquet.read_table(dataset / "index.parquet").to_pylist():
        tensors = safetensors.load_file(dataset / "shards" / f"{one['shard']:05d}.safetensors")
        source = tensors[f"{one['key']}/source"]
        assert source.shape == (one["frames"], 2)
        assert source.min() >= 0
        assert source[:, 0].max() < len(one["sources"])
        assert [s["file"] for s in one["sources"]] == ["walk.bvh"] * len(one["sources"])
        assert json.loads(one["segments"])


def test_captions_and_skeletons_tell_what_there_is(dataset: Path) -> None:
    index = parquet.read_table(dataset / "index.parquet").to_pylist()
    known = json.loads((dataset / "skeletons.json").read_text())
    for one in index:
        assert one["caption"].startswith("A person walks 3.")
        assert "walk" in one["tags"]
        assert "LeftFoot" in known[one["skeleton"]]["names"]


def test_the_same_batch_gives_the_same_bytes(
    dataset: Path, sequential: Sequential, tmp_path: Path
) -> None:
    write_dataset(sequential[1], tmp_path, shard_mb=0.05)
    write_dataset(sequential[1], tmp_path, shard_mb=0.2)  # shards of before are removed
    ours = {str(f.relative_to(tmp_path)): f.read_bytes() for f in tmp_path.rglob("*.*")}
    theirs = {str(f.relative_to(dataset)): f.read_bytes() for f in dataset.rglob("*.*")}
    assert ours == theirs


def test_motions_of_clips_that_may_not_be_passed_on_are_left_out_and_counted(
    sequential: Sequential, tmp_path: Path
) -> None:
    copy = with_licence(sequential[1], tmp_path / "batch", "CC BY-NC-ND 4.0")
    done = write_dataset(copy, tmp_path / "data")
    assert (done.motions, done.excluded) == (len(MIXED) - 1, {"CC BY-NC-ND 4.0": 1})
    assert "| CC BY-NC-ND 4.0 | 1 |" in (tmp_path / "data" / "README.md").read_text()


@pytest.mark.parametrize(
    ("licence", "forbids"),
    [
        ("CC BY 4.0", False), ("CMU mocap (free, not to be resold)", False), ("", False),
        ("CC BY-NC-ND 4.0", True), ("All rights reserved", True), ("no redistribution", True),
    ],
)  # fmt: skip
def test_licences_that_forbid_sharing_are_recognised(licence: str, forbids: bool) -> None:
    assert forbids_sharing(licence) is forbids


@pytest.mark.parametrize("kind", ["numpy", "mujoco"])
def test_the_readers_of_the_docs_work(
    kind: str, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "mujoco":
        pytest.importorskip("mujoco")
    page = (PROJECT / "docs" / "howto" / "batch.md").read_text()
    (code,) = re.findall(rf"```text {kind}\n(.*?)```", page, re.S)
    monkeypatch.chdir(dataset.parent)
    names: dict[str, object] = {}
    exec(code.replace("DIR", dataset.name), names)
    frames = sum(r["frames"] for r in parquet.read_table(dataset / "index.parquet").to_pylist())
    if kind == "numpy":
        assert sum(len(motion["root"]) for motion in names["motions"]()) == frames  # type: ignore
    else:
        assert names["shown"] > 0  # type: ignore[operator]
