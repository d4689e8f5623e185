"""`footfall verify`: a verdict, a table, an exit code."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import footfall
from footfall import GoTo, Place, Query, save
from tests.program import run_program
from tests.task.verify import defects


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify")
    good = defects.ducks()
    angles = math.radians(56.0) * defects.between(good, 3.0, 3.1)
    bad = defects.turn_joint(good, "left_knee", angles, (1.0, 0.0, 0.0))
    for name, clip in (("good", good), ("bad", bad)):
        for suffix in ("bvh", "npz", "glb"):
            save(clip, folder / f"{name}.{suffix}")
    x, z = good.root[-1, [0, 2]].tolist()
    start = ", ".join(f"{v:.4f}" for v in good.root[0, [0, 2]].tolist())
    for name, goal in (("there", z), ("beyond", z + 2.0)):
        task = f'from = [{start}]\n\n[[stages]]\ndo = "go to"\nat = [{x:.4f}, {goal:.4f}]\n'
        (folder / f"{name}.toml").write_text(task)
    return folder


@pytest.mark.parametrize("suffix", ["bvh", "npz", "glb"])
def test_a_good_clip_of_any_format_passes_its_task(clips: Path, suffix: str) -> None:
    report = footfall.verify(clips / f"good.{suffix}", task=clips / "there.toml")
    assert report.failures == ()


@pytest.mark.parametrize("suffix", ["bvh", "npz", "glb"])
def test_a_popped_knee_fails_in_any_format(clips: Path, suffix: str) -> None:
    report = footfall.verify(str(clips / f"bad.{suffix}"))
    assert "left knee" in {f.what for f in report.failures}


def test_the_exit_code_tells_passed_failed_and_wrong_input(clips: Path) -> None:
    good = run_program("verify", clips / "good.bvh", "--task", clips / "there.toml")
    assert good.returncode == 0, good.stdout + good.stderr
    assert "passed" in good.stdout
    bad = run_program("verify", clips / "bad.bvh")
    assert bad.returncode == 1
    assert "left knee" in bad.stdout
    assert run_program("verify", clips / "nothing.bvh").returncode == 2


def test_json_holds_values_findings_and_the_verdict(clips: Path) -> None:
    done = run_program(
        "verify", str(clips / "good.npz"), "--task", str(clips / "beyond.toml"), "--json"
    )
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["passed"] is False
    (failure,) = found["failures"]
    assert failure["what"] == "stage 1, 'go to'"
    assert failure["value"] == pytest.approx(2.0, abs=0.01)
    assert failure["limit"] == pytest.approx(0.1)
    assert "knee jump" in found["values"]


def test_a_query_or_a_library_may_be_given_as_objects(clips: Path) -> None:
    clip = defects.ducks()
    x, z = clip.root[-1, [0, 2]].tolist()
    query = Query(Place(*clip.root[0, [0, 2]].tolist()), GoTo(x, z))
    report = footfall.verify(clip, task=query, library=(clip,), scene="paths")
    assert report.sources["knee jump"] > 0.0
    assert report.values["collision: m"] == 0.0
