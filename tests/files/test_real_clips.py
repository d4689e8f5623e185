"""Every real clip: units, axes, roles and rates are right, and it goes out and comes back."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from footfall import inspect, load, save
from footfall.body.role_names import ROLES
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


@pytest.mark.parametrize("row", index(), ids=lambda r: r["file"])
def test_size_rate_and_travel_are_those_of_the_index(row: dict[str, str], mocap: Path) -> None:
    found = inspect(mocap / row["file"])
    assert found.fps == float(row["fps"])
    assert found.frames in (int(row["frames"]), int(row["frames"]) - 1)
    assert found.leg_m == pytest.approx(float(row["leg_m"]), abs=0.02)
    assert found.up == "y"
    # The index measures speed between smoothed points, we along the swaying pelvis.
    assert found.mean_speed_m_s == pytest.approx(float(row["mean_speed_m_s"]), abs=0.15, rel=0.2)


@pytest.mark.parametrize("trial", trials())
def test_every_role_is_found_and_the_rest_is_a_t_pose(trial: str, mocap: Path) -> None:
    clip = load(mocap / trial)
    skeleton = clip.skeleton
    assert set(skeleton.roles) == set(ROLES)
    rest = skeleton.rest_positions
    for side, out in (("left", 1.0), ("right", -1.0)):
        shoulder, wrist = (rest[skeleton.role(f"{side}_{r}")] for r in ("shoulder", "wrist"))
        arm = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
        assert arm == pytest.approx([out, 0.0, 0.0], abs=0.02)
        hip, ankle = (rest[skeleton.role(f"{side}_{r}")] for r in ("hip", "ankle"))
        leg = (ankle - hip) / np.linalg.norm(ankle - hip)
        assert leg == pytest.approx([0.0, -1.0, 0.0], abs=0.02)
        toe = rest[skeleton.role(f"{side}_toe")] - ankle
        assert toe[2] > 0.05
        assert abs(toe[0]) < 0.02
    assert clip.source is not None
    assert not [n for n in clip.source.notes if "free fall" in n]


@pytest.mark.parametrize("trial", sample(trials(), 0.33, kind=lambda trial: trial.split("/")[0]))
@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz"])
def test_a_clip_goes_out_and_comes_back(
    trial: str, suffix: str, mocap: Path, tmp_path: Path
) -> None:
    clip = load(mocap / trial)
    again = load(save(clip, tmp_path / f"clip{suffix}"))
    assert again.fps == clip.fps
    assert again.skeleton.names == clip.skeleton.names
    assert np.abs(again.positions - clip.positions).max() < 2e-5
    assert np.abs(again.skeleton.offsets - clip.skeleton.offsets).max() < 2e-5
