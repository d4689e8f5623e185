"""Roadmaps on trial: an independent flood fill and plain measures judge their answers.

A few queries in each scene, with few nodes; `python -m bench.trials run` asks 200 of the whole.
"""

from __future__ import annotations

import numpy as np
import pytest
from bench.trials import checks
from bench.trials.oracle import (
    BAD_GOAL,
    BAD_START,
    IMPOSSIBLE,
    LEAP,
    NARROW,
    STEP,
    WALK,
    Oracle,
)
from bench.trials.run import LIBRARY, Asked, judge_answer, queries

from footfall import load_scene, open_library, planner
from footfall.task import FOUND, GOAL_NOT_VALID, NO_CLIP, START_NOT_VALID, Plan
from footfall.world.obstacles import Obstacle, ObstaclePart
from footfall.world.scene import Hole, Scene, rectangle

SMALL = {"nodes": 500, "more": 300, "neighbours": 60}
ASKED = {
    "room": 8, "paths": 5, "island": 8, "stairs": 6, "columns": 6, "crevice": 4, "dungeon": 6,
    "course": 4, "rivers": 5, "zigzag": 4,
}  # fmt: skip
SURE = ("start_mm", "goal_mm", "prints", "inside_cm", "drift_mm", "rest_m_s", "repeats_s")
"""The limits that hold for every plan, whatever the ground."""


@pytest.fixture(scope="module")
def sources() -> checks.Sources:
    return checks.Sources(open_library(LIBRARY))


# ---- the flood fill itself --------------------------------------------------------------------


def box(x: float, z: float, size: tuple[float, float, float]) -> Obstacle:
    half = 0.5 * np.array(size)
    part = ObstaclePart("box", np.array([0.0, half[1], 0.0]), half)
    return Obstacle("box", (part,), np.array([x, 0.0, z]))


def grades(*obstacles: Obstacle, holes: tuple[Hole, ...] = ()) -> str:
    """What the flood fill says of a way across 8 m of floor with something in the middle."""
    scene = Scene("s", rectangle([-3.0, -4.0], [3.0, 4.0]), obstacles=obstacles, holes=holes)
    return Oracle(scene).grade(np.array([0.0, -3.0]), np.array([0.0, 3.0]))


@pytest.mark.parametrize(
    ("gap", "grade"), [(1.2, WALK), (0.72, STEP), (0.5, NARROW), (0.3, LEAP), (0.0, IMPOSSIBLE)]
)
def test_the_flood_fill_tells_wide_doors_from_narrow_ones(gap, grade):
    side = 3.0 - 0.5 * gap
    walls = [box(s * (0.5 * gap + 0.5 * side), 0.0, (side, 2.5, 0.3)) for s in (-1.0, 1.0)]
    assert grades(*walls) == grade


@pytest.mark.parametrize(("width", "grade"), [(0.8, LEAP), (2.0, LEAP), (4.0, IMPOSSIBLE)])
def test_the_flood_fill_leaps_gaps_but_not_every_gap(width, grade):
    pit = Hole(rectangle([-3.0, -0.5 * width], [3.0, 0.5 * width]))
    assert grades(holes=(pit,)) == grade


def test_the_flood_fill_knows_where_nobody_can_stand():
    assert grades(box(0.0, -3.0, (1.0, 2.0, 1.0))) == BAD_START
    assert grades(holes=(Hole(rectangle([-1.0, 2.0], [1.0, 4.0])),)) == BAD_GOAL


@pytest.mark.parametrize(
    ("status", "start", "verdict"),
    [
        (START_NOT_VALID, (0.0, -3.0), "refused rightly"),
        (NO_CLIP, (0.0, -3.0), "wrong reason"),
        (GOAL_NOT_VALID, (0.0, -3.0), "wrong reason"),
        (NO_CLIP, (2.0, -3.0), "solvable, but refused"),
    ],
)
def test_a_refusal_is_held_to_its_reason(status, start, verdict):
    scene = Scene(
        "s", rectangle([-3.0, -4.0], [3.0, 4.0]), obstacles=(box(0.0, -3.0, (1.0, 2.0, 1.0)),)
    )
    asked = Asked("s", 0, (*start, np.nan), (0.0, 3.0, np.nan))
    assert judge_answer(Oracle(scene), asked, Plan(status, "for some reason"))[1] == verdict


# ---- the trial --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ASKED)
def test_random_queries_are_solved_or_refused_with_a_right_reason(name, sources):
    scene = load_scene(name)
    oracle = Oracle(scene)
    stays = planner("roadmap", library=LIBRARY, scene=scene, **SMALL)
    figures = []
    for asked in queries(scene, name, ASKED[name], seed=1):
        made = stays.plan(asked.query(scene))
        grade, verdict = judge_answer(oracle, asked, made)
        assert verdict in ("solved", "refused rightly", "refused"), (asked, grade, made.reason)
        if made.status == FOUND:
            figures.append(checks.measure(made, oracle.world, sources, asked.start, asked.goal))
    for one in checks.settle_ends(figures):
        assert not set(one.beyond()) & set(SURE), (one.beyond(), one.notes)
