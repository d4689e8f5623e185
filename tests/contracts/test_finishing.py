"""Finishing never makes a checked value of a draft worse, whichever method made the draft.

A found motion has each value at most as bad as its draft had it, or below the limit above which
the value is noted. A draft counts with its feet locked, where it plans them or where they stand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from footfall import Follow, GoTo, Place, Plan, Query, Via, planner
from footfall.adapt.edit.variation import MOST_AMOUNT
from footfall.gait.footprints import footprints_of
from footfall.library.library import Library
from footfall.task import pipeline
from footfall.task.draft import Aim, Draft
from footfall.task.finish import Finished, plain_draft
from footfall.task.method import find_method, method_names
from footfall.task.problem import Problem
from footfall.task.verify import Report, verify
from footfall.verbs.planner import Planner
from footfall.world.scene import Scene, rectangle
from tests.sweeps import THOROUGH
from tests.task.verify.defects import bump, turn_in_world
from tests.world.scenes import upright_box

METHODS = tuple(name for name in method_names() if hasattr(find_method(name), "search"))
SEEDS = (7103, 7110, 7112, *(range(7200, 7220) if THOROUGH else ()))
"""Used by no other test."""
MOST_DRAFTS = 4
Judged = tuple[Draft, Problem, Plan]


def ask(seed: int, method: str) -> Query:
    """Return a query of random places, with a path or a scene for every other seed.

    The few walks of these tests let optimal go straight ahead only.
    """
    rng = np.random.default_rng([811, seed])
    if method == "optimal":
        ahead, yaw = rng.uniform([3.5, -3.0], [5.0, 3.0]).tolist()
        return Query(Place(0.0, 0.0, yaw), GoTo(ahead * math.sin(yaw), ahead * math.cos(yaw)))
    x, z = rng.uniform([-1.5, 3.5], [1.5, 5.0]).tolist()
    start, yaw = Place(0.0, 0.0, float(rng.uniform(-0.5, 0.5))), float(rng.uniform(-1.0, 1.0))
    if seed % 2:
        return Query(start, GoTo(x, z, yaw), seed=seed)
    if Follow in find_method(method).stages and seed % 4:
        return Query(stages=Follow(np.array([[0.0, 0.0], [0.4, 2.0], [x, z]])), seed=seed)
    box = upright_box(-math.copysign(0.7, x), float(rng.uniform(1.5, 2.5)), (0.4, 1.0, 0.4))
    scene = Scene("yard", rectangle([-4.0, -3.0], [4.0, 8.0]), obstacles=(box,))
    stages = (
        (Via(0.3 * x, 0.5 * z), GoTo(x, z)) if Via in find_method(method).stages else GoTo(x, z)
    )
    return Query(start, stages, scene=scene, seed=seed)


@pytest.fixture(scope="module")
def planners(walks: Library) -> Callable[[str], Planner]:
    made: dict[str, Planner] = {}

    def find(method: str) -> Planner:
        if method not in made:
            options = {"near_enough": 1000.0} if method == "optimal" else {}
            made[method] = planner(method, library=walks, **options)
        return made[method]

    return find


def judge_drafts(monkeypatch, plans: Planner, query: Query) -> list[Judged]:
    """Plan a query; return its first drafts, each with what the pipeline made of it."""
    judged: list[Judged] = []
    judge = pipeline.finish_and_verify

    def record(draft: Draft, problem: Problem) -> tuple[Plan, Report]:
        plan, report = judge(draft, problem)
        judged.append((draft, problem, plan))
        return plan, report

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "finish_and_verify", record)
        for _ in plans.plans(query):
            if len(judged) >= MOST_DRAFTS:
                break
    return judged


def strain(draft: Draft, rng: np.random.Generator) -> Iterator[Draft]:
    """Yield a draft with finishing steps that ask for too much."""
    yield replace(
        draft, finishing=replace(draft.finishing, variation=float(rng.uniform(2.0, MOST_AMOUNT)))
    )
    if draft.stances is not None:
        moved = np.array(draft.stances.target)
        moved[:, [0, 2]] += rng.normal(0.0, 0.06, (len(moved), 2))
        moved[:, 3] += rng.normal(0.0, 0.4, len(moved))
        yield replace(draft, stances=replace(draft.stances, target=moved))
    if draft.clip.touches is not None:
        frame, hand = len(draft.clip) // 2, draft.clip.root[len(draft.clip) // 2]
        yield replace(draft, aims=(Aim("right_hand", frame, hand + rng.normal(0.0, 0.5, 3)),))


ROUNDED = 1e-4
"""A share of a value by which rounding may change it."""


def assert_no_worse(draft: Draft, problem: Problem, plan: Plan) -> None:
    assert plan.clip is not None
    how = {
        "limits": problem.limits, "begins_s": problem.begins_s, "rests": (True, draft.complete),
    }  # fmt: skip
    query = problem.query if draft.complete else None
    before = verify(plain_draft(draft, problem.ground).clip, query, problem.scene, **how)
    after = verify(plan.clip, query, problem.scene, **how)
    for name, value in after.values.items():
        most = max(before.values.get(name, -np.inf), after.limits[name])
        assert value <= most + ROUNDED * abs(most), name


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("method", METHODS)
def test_no_value_of_a_found_motion_is_worse_than_its_draft(
    planners, monkeypatch, method: str, seed: int
) -> None:
    judged = judge_drafts(monkeypatch, planners(method), ask(seed, method))
    assert judged, "no draft was made"
    rng = np.random.default_rng([812, seed])
    for draft, problem, plan in judged:
        if plan.found:
            assert_no_worse(draft, problem, plan)
        for strained in strain(draft, rng):
            made, report = pipeline.finish_and_verify(strained, problem)
            assert made.found == (report.passed and draft.complete)
            if made.found:
                assert_no_worse(strained, problem, made)


@pytest.mark.parametrize("method", METHODS)
def test_a_finishing_step_that_turns_a_foot_is_taken_back(
    planners, monkeypatch, method: str
) -> None:
    """Turns beyond the limit of notes are taken back, before they are failures by themselves."""
    (draft, problem, plan), *_ = judge_drafts(monkeypatch, planners(method), ask(SEEDS[0], method))
    assert plan.found
    whole = pipeline.finish
    for degrees in range(10, 90, 10 if THOROUGH else 25):

        def turn_foot(*given, by: float = math.radians(degrees), **named) -> Finished:
            clip = whole(*given, **named).clip
            angles = by * bump(clip, 0.0, clip.seconds)
            turned = turn_in_world(clip, "left_ankle", angles, (0.0, 1.0, 0.0))
            return Finished(turned, footprints_of(turned))

        monkeypatch.setattr(pipeline, "finish", turn_foot)
        made, _ = pipeline.finish_and_verify(draft, problem)
        if made.found:
            assert_no_worse(draft, problem, made)


@pytest.mark.parametrize("method", METHODS)
def test_variation_that_spoils_a_motion_is_left_out(planners, monkeypatch, method: str) -> None:
    """The draft's motion with far too much variation is found still, for less of it is done."""
    (draft, problem, plan), *_ = judge_drafts(monkeypatch, planners(method), ask(SEEDS[0], method))
    assert plan.found
    spoilt = replace(draft, finishing=replace(draft.finishing, variation=MOST_AMOUNT))
    assert pipeline.finish_and_verify(spoilt, problem)[0].found
