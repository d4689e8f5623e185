"""`footfall verify`: a verdict, a table, an exit code."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall import GoTo, Pick, Place, Query, Via, save
from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.task.verify.motion import motion_of
from footfall.world.obstacles import Obstacle, yaw_rotation
from footfall.world.props import bar_parts
from footfall.world.scene import Scene, rectangle
from tests.program import run_program
from tests.task.verify import defects

FORMATS = ("bvh", "glb", "npz", "usda")
BAR = bar_parts(clearance=defects.HEAD_M, width=2.0)
BARRED = Scene(
    "barred", rectangle([-3.0, -3.0], [3.0, 6.0]),
    obstacles=(Obstacle("bar", BAR, np.array([0.0, 0.0, 1.8]), yaw_rotation(0.0)),),
)  # fmt: skip


def _reach_query() -> Query:
    """Return the task of picking where the hand of `picks` is slowest and farthest ahead."""
    clip = defects.picks()
    hands = motion_of(clip).hands
    side, at = divmod(int(hands[:, :, 2].T.argmax()), hands.shape[0])
    return Query(Place(*clip.root[0, [0, 2]].tolist()), Pick(*hands[at, side].tolist()))


def _walk_query() -> Query:
    """Return the task of passing the middle of `ducks` and standing at its end, beneath a bar."""
    clip = defects.ducks()
    ends = clip.root[[0, -1]][:, [0, 2]]
    stages = (Via(*ends.mean(axis=0).tolist(), within_m=0.3), GoTo(*ends[1].tolist()))
    return Query(Place(*ends[0].tolist()), stages, scene=BARRED)


def _turned_foot() -> Clip:
    return defects.turn_in_world(
        defects.ducks(), "right_ankle", np.full(len(defects.ducks()), -1.57), (0.0, 1.0, 0.0)
    )


def _popped_knee() -> Clip:
    clip = defects.ducks()
    angles = math.radians(56.0) * defects.between(clip, 3.0, 3.1)
    return defects.turn_joint(clip, "left_knee", angles, (1.0, 0.0, 0.0))


def _walk_around() -> Clip:
    clip = defects.ducks()
    middle = 0.5 * clip.seconds
    return defects.shift_root(clip, 0.8 * defects.bump(clip, middle - 2.0, middle + 2.0))


def _touched_bar() -> Clip:
    clip = defects.ducks()
    middle = 0.5 * clip.seconds
    up = 0.4 * defects.bump(clip, middle - 1.0, middle + 1.0)
    return replace(clip, root=clip.root + up[:, None] * np.array([0.0, 1.0, 0.0]))


def _missed_item() -> Clip:
    return replace(defects.picks(), root=defects.picks().root - np.array([0.0, 0.0, 0.05]))


BROKEN: dict[str, tuple[Callable[[], Clip], Callable[[], Query], set[str]]] = {
    "turned foot": (_turned_foot, _walk_query, {"foot yaw out", "foot twist out"}),
    "popped knee": (_popped_knee, _walk_query, {"knee jump", "joint pop"}),
    "skipped stage": (_walk_around, _walk_query, {"via"}),
    "touched bar": (_touched_bar, _walk_query, {"collision"}),
    "missed item": (_missed_item, _reach_query, {"pick"}),
}
"""Each broken motion, its task, and the checks of which at least one has to fail."""


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    ("whole", "task"), [(defects.ducks, _walk_query), (defects.picks, _reach_query)]
)
def test_a_good_clip_of_any_format_passes_its_task(
    tmp_path: Path, whole: Callable[[], Clip], task: Callable[[], Query], suffix: str
) -> None:
    report = footfall.verify(save(whole(), tmp_path / f"good.{suffix}"), task=task())
    assert report.failures == ()


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_clip_of_any_format_fails(tmp_path: Path, kind: str, suffix: str) -> None:
    broken, task, checks = BROKEN[kind]
    report = footfall.verify(save(broken(), tmp_path / f"bad.{suffix}"), task=task())
    assert checks & {finding.check for finding in report.failures}


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify")
    good = defects.ducks()
    save(_popped_knee(), folder / "bad.bvh")
    for suffix in ("bvh", "npz"):
        save(good, folder / f"good.{suffix}")
    x, z = good.root[-1, [0, 2]].tolist()
    start = ", ".join(f"{v:.4f}" for v in good.root[0, [0, 2]].tolist())
    for name, goal in (("there", z), ("beyond", z + 2.0)):
        task = f'from = [{start}]\n\n[[stages]]\ndo = "go to"\nat = [{x:.4f}, {goal:.4f}]\n'
        (folder / f"{name}.toml").write_text(task)
    return folder


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


def test_a_skeleton_that_is_no_humanoid_is_refused_with_the_joints_it_lacks() -> None:
    snake = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.ones((3, 3)))
    clip = Clip(snake, 30.0, np.zeros((9, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (9, 3, 1)))
    with pytest.raises(InputError, match="no joint was found for left_shoulder"):
        footfall.verify(clip)
