"""Every real clip: units, axes, roles and rates are right, and it goes out and comes back."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall import inspect, load, save
from footfall.body.role_names import ROLES
from footfall.body.skeleton import Skeleton
from tests.clips import real_clip
from tests.conftest import mocap_folder
from tests.sweeps import sample

pytestmark = pytest.mark.mocap

FOLDER = mocap_folder()


def index() -> list[dict[str, str]]:
    if FOLDER is None:
        return []
    with (FOLDER / "INDEX.csv").open() as file:
        return list(csv.DictReader(file))


def trials() -> list[str]:
    if FOLDER is None:
        return ["none"]
    listed = [row["file"] for row in index()]
    return listed + sorted(str(p.relative_to(FOLDER)) for p in FOLDER.glob("cmu_asfamc/*.amc"))


def test_the_index_lists_every_clip(mocap: Path) -> None:
    assert {p.name for p in mocap.rglob("*.bvh")} == {Path(r["file"]).name for r in index()}
    assert len(trials()) == 82


@pytest.mark.parametrize("folder", sorted({Path(row["file"]).parent.name for row in index()}))
def test_size_rate_and_travel_are_those_of_the_index(folder: str, mocap: Path) -> None:
    for row in (row for row in index() if Path(row["file"]).parent.name == folder):
        file = row["file"]
        found = inspect(replace(real_clip(mocap / file), tags=("known",)))
        assert found.fps == float(row["fps"]), file
        assert found.frames in (int(row["frames"]), int(row["frames"]) - 1), file
        assert found.leg_m == pytest.approx(float(row["leg_m"]), abs=0.02), file
        assert found.up == "y", file
        # The index measures speed between smoothed points, we along the swaying pelvis.
        speed = float(row["mean_speed_m_s"])
        assert found.mean_speed_m_s == pytest.approx(speed, abs=0.15, rel=0.2), file


def test_every_role_is_found_and_the_rest_is_a_t_pose(mocap: Path) -> None:
    for trial in trials():
        clip = real_clip(mocap / trial)
        assert set(clip.skeleton.roles) == set(ROLES), trial
        assert_t_pose(clip.skeleton, trial)
        assert clip.source is not None
        assert not [n for n in clip.source.notes if "free fall" in n], trial


def assert_t_pose(skeleton: Skeleton, trial: str) -> None:
    rest = skeleton.rest_positions
    for side, out in (("left", 1.0), ("right", -1.0)):
        shoulder, wrist = (rest[skeleton.role(f"{side}_{r}")] for r in ("shoulder", "wrist"))
        arm = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
        assert arm == pytest.approx([out, 0.0, 0.0], abs=0.02), trial
        hip, ankle = (rest[skeleton.role(f"{side}_{r}")] for r in ("hip", "ankle"))
        leg = (ankle - hip) / np.linalg.norm(ankle - hip)
        assert leg == pytest.approx([0.0, -1.0, 0.0], abs=0.02), trial
        toe = rest[skeleton.role(f"{side}_toe")] - ankle
        assert toe[2] > 0.05, trial
        assert abs(toe[0]) < 0.02, trial


@pytest.mark.parametrize("trial", sample(trials(), 0.2, kind=lambda trial: trial.split("/")[0]))
def test_a_clip_goes_out_and_comes_back(trial: str, mocap: Path, tmp_path: Path) -> None:
    clip = real_clip(mocap / trial)
    for suffix in (".bvh", ".glb", ".npz"):
        again = load(save(clip, tmp_path / f"clip{suffix}"))
        assert again.fps == clip.fps
        assert again.skeleton.names == clip.skeleton.names
        assert np.abs(again.positions - clip.positions).max() < 2e-5, suffix
        assert np.abs(again.skeleton.offsets - clip.skeleton.offsets).max() < 2e-5, suffix
