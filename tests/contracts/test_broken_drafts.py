"""Broken motions are never reported as found, whichever method made them.

Both the draft's own motion and what `finish` returns are broken, so that no step can repair it. The
same query without the breakage is found, so that each refusal is due to the breakage alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from footfall import Follow, GoTo, Pick, Place, Plan, Query, Via, planner
from footfall.body.clip import Clip
from footfall.gait.footprints import footprints_of
from footfall.library.library import Library
from footfall.maths import quaternions as quat
from footfall.task import pipeline
from footfall.task.draft import Draft
from footfall.task.finish import Finished
from footfall.task.method import find_method, method_names
from footfall.task.problem import Problem
from footfall.task.verify import Report
from footfall.task.verify.motion import motion_of
from footfall.task.watch import Watch
from footfall.verbs.planner import Planner
from footfall.world.scene import Scene, rectangle
from tests.sweeps import THOROUGH
from tests.world.scenes import upright_box

METHODS = tuple(name for name in method_names() if hasattr(find_method(name), "search"))
"""All methods whose drafts go through the pipeline."""
USUAL, ENOUGH = 3 if THOROUGH else 2, {"optimal": 1}
"""A search is cancelled after so many rejected drafts: those of optimal take long."""
AHEAD = Query(Place(0.0, 0.0), GoTo(0.0, 4.0))
PASS = Query(Place(0.0, 0.0), (Via(0.0, 2.0), GoTo(0.0, 4.0)))
BEND = Query(stages=Follow(np.array([[0.0, 0.0], [0.0, 3.0], [1.0, 5.0]]), corridor_m=0.4))
GATE = Scene(
    "gate", rectangle([-3.0, -2.0], [3.0, 7.0]),
    obstacles=(upright_box(0.0, 2.5, (6.0, 0.2, 0.2), base=2.1),),
)  # fmt: skip
THROUGH = replace(AHEAD, scene=GATE, stages=(GoTo(0.0, 5.0),))
ITEM = (0.3, 1.0, 2.0)
REACH = Query(Place(0.0, 0.0), (Pick(*ITEM), GoTo(0.0, 4.0)))
Break = Callable[[Clip], Clip]


def turn_foot(clip: Clip) -> Clip:
    """Turn the right foot by 90° outward."""
    ankle = clip.skeleton.role("right_ankle")
    above = clip.world.rotations[:, int(clip.skeleton.parents[ankle])]
    turn = quat.multiply(quat.conjugate(above), quat.multiply(quat.from_yaw(-0.5 * math.pi), above))
    rotations = np.array(clip.rotations)
    rotations[:, ankle] = quat.multiply(turn, rotations[:, ankle])
    return replace(clip, rotations=rotations)


def pop_leg(clip: Clip) -> Clip:
    """Bend the left knee by 60° more in one frame."""
    rotations, knee = np.array(clip.rotations), clip.skeleton.role("left_knee")
    half = math.radians(30.0)
    bend = np.array([math.cos(half), math.sin(half), 0.0, 0.0])
    middle = len(clip) // 2
    rotations[middle, knee] = quat.multiply(rotations[middle, knee], bend)
    return replace(clip, rotations=rotations)


def cut_end(clip: Clip) -> Clip:
    """Leave out the second half, with the goal in it."""
    return clip[: len(clip) // 2]


def skip_middle(clip: Clip) -> Clip:
    """Leave out the middle, so that the path is not walked there."""
    third = len(clip) // 3
    kept = np.r_[0:third, 2 * third : len(clip)]
    return replace(
        clip, root=clip.root[kept], rotations=clip.rotations[kept], **clip.labels_at(kept)
    )


def skip_stage(clip: Clip) -> Clip:
    """Go round the place to pass through, 0.8 m beside it."""
    near = int(np.hypot(clip.root[:, 0], clip.root[:, 2] - 2.0).argmin())
    return _bump(clip, near, (0.8, 0.0, 0.0))


def _bump(clip: Clip, at: int, offset: tuple[float, float, float]) -> Clip:
    """Move the body by an offset around a frame, smoothly."""
    share = np.exp(-0.5 * ((np.arange(len(clip)) - at) / (0.5 * clip.fps)) ** 2)
    return replace(clip, root=clip.root + share[:, None] * np.array(offset))


def leave_corridor(clip: Clip) -> Clip:
    """Move the body 0.8 m aside in the middle of its path."""
    return _bump(clip, len(clip) // 2, (0.8, 0.0, 0.0))


def touch_bar(clip: Clip) -> Clip:
    """Raise the body by 0.5 m while it is below the bar."""
    below = int(np.abs(clip.root[:, 2] - 2.5).argmin())
    return _bump(clip, below, (0.0, 0.5, 0.0))


def miss_by_hand(clip: Clip) -> Clip:
    """Move the whole motion by 5 cm, in the direction that keeps both hands off the point."""
    angles = np.linspace(0.0, 2.0 * math.pi, 16, endpoint=False)
    offsets = 0.05 * np.stack([np.sin(angles), np.zeros(16), np.cos(angles)], axis=1)
    away = motion_of(clip).hands[:, :, None] + offsets - ITEM
    nearest = np.linalg.norm(away, axis=-1).min(axis=(0, 1))
    return replace(clip, root=clip.root + offsets[int(nearest.argmax())])


FOUND_BY: dict[Break, tuple[str, ...]] = {
    turn_foot: ("foot yaw out", "foot twist out"),
    pop_leg: ("knee jump", "joint pop"),
    cut_end: ("go to",),
    leave_corridor: ("follow",),
    skip_middle: ("follow",),
    skip_stage: ("via",),
    touch_bar: ("collision",),
    miss_by_hand: ("pick",),
}
"""The checks of which at least one has to fail."""
CASES: list[tuple[str, Query, Break]] = [
    *((method, AHEAD, broken) for method in METHODS for broken in (turn_foot, pop_leg, cut_end)),
    *((method, THROUGH, touch_bar) for method in METHODS),
    *((method, PASS, skip_stage) for method in METHODS if Via in find_method(method).stages),
    *(
        (method, BEND, broken)
        for method in METHODS if Follow in find_method(method).stages
        for broken in (leave_corridor, skip_middle)
    ),
    *((method, REACH, miss_by_hand) for method in METHODS if Pick in find_method(method).stages),
]  # fmt: skip


@pytest.fixture(scope="module")
def ready(walks: Library) -> Callable[[str, Query], tuple[Planner, Plan]]:
    """Return a method's planner for a query and what it plans unbroken, each made once."""

    planners: dict[tuple[str, bool], Planner] = {}
    plans: dict[tuple[str, int], Plan] = {}

    def find(method: str, query: Query) -> tuple[Planner, Plan]:
        reaches = query is REACH
        if (method, reaches) not in planners:
            options = {"near_enough": 1000.0} if method == "optimal" else {}
            library = "default" if reaches else walks
            planners[method, reaches] = planner(method, library=library, **options)
        made = planners[method, reaches]
        if (method, id(query)) not in plans:
            plans[method, id(query)] = made.plan(query)
        return made, plans[method, id(query)]

    return find


@pytest.mark.parametrize(
    ("method", "query", "broken"), CASES, ids=[f"{c[0]}-{c[2].__name__}" for c in CASES]
)
def test_no_broken_motion_is_found(ready, monkeypatch, method: str, query: Query, broken: Break):
    plans, whole = ready(method, query)
    assert whole.found, whole.reason
    reports, watch = [], Watch()

    def spoil(whole: Callable[..., Finished]) -> Callable[..., Finished]:
        def make(*given, **named) -> Finished:
            clip = broken(whole(*given, **named).clip)
            return Finished(clip, footprints_of(clip))

        return make

    def record(problem: Problem, draft: Draft, report: Report) -> None:
        reports.append(report)
        avoid(problem, draft, report)
        if len(reports) == ENOUGH.get(method, USUAL):
            watch.cancel()

    avoid = Problem.avoid
    for step in ("finish", "plain_draft"):
        monkeypatch.setattr(pipeline, step, spoil(getattr(pipeline, step)))
    monkeypatch.setattr(Problem, "avoid", record)
    made = plans.plan(query, watch)
    assert not made.found
    assert made.reason
    assert reports, "no draft was rejected"
    checks = {finding.check for report in reports for finding in report.failures}
    assert checks & set(FOUND_BY[broken])
