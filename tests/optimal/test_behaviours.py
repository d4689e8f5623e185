"""What bodies do in scenes, measured from plain positions of their joints."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall import GoTo, Place, Query, Sit, load_scene, load_task, planner
from footfall.task import Plan

TASKS = Path(__file__).parents[2] / "examples" / "tasks"
SCENES = Path(footfall.__file__).parent / "scenes"
HIPS_ABOVE_SEAT_M = 0.09
"""A tenth of a leg: as high as the hip joints of who sits are above the seat."""


@pytest.fixture(scope="module")
def ready():
    return planner("optimal", expansions=60_000)


def first_plan(ready, query: Query) -> Plan:
    """The first motion that is found."""
    plan = next(iter(ready.plans(query)))
    assert plan.found, plan.reason
    return plan


def joints(plan: Plan, *roles: str) -> np.ndarray:
    """(T, R, 3) where some joints are."""
    clip = plan.clip
    places = clip.positions
    return places[:, [clip.skeleton.role(role) for role in roles]]


def sits_on_the_chair(plan: Plan) -> None:
    """That a motion ends on the chair of the course, at (0, 7.4), facing as it does."""
    left, right = joints(plan, "left_hip", "right_hip")[-1]
    middle = 0.5 * (left + right)
    assert math.hypot(middle[0], middle[2] - 7.4) < 0.06
    assert abs(middle[1] - (0.45 + HIPS_ABOVE_SEAT_M)) < 0.04
    across = right - left
    assert abs(math.degrees(math.atan2(across[2], across[0]))) < 20.0  # it faces -z
    ankles = joints(plan, "left_ankle", "right_ankle")
    assert ankles[..., 2].max() < 7.2  # nobody walks through the chair


def standing(plan: Plan) -> list[tuple[np.ndarray, int]]:
    """Toe joints (3,) in the middle of the time in which feet stand, and the foot."""
    clip, out = plan.clip, []
    toes = joints(plan, "left_toe", "right_toe")
    for foot in range(2):
        on = np.append(clip.contacts[:, 2 * foot : 2 * foot + 2].any(axis=1), False)
        begins = np.flatnonzero(on & ~np.append(False, on[:-1]))
        for first in begins:
            stop = first + int(np.argmin(on[first:]))
            out.append((toes[(first + stop) // 2, foot], foot))
    return out


LOW_M = 1.15
"""The bar of the course is 1.25 m high; here it is lower."""


def low_course(folder: Path) -> Query:
    """The obstacle course with a lower bar, from beside its middle."""
    text = (SCENES / "course.toml").read_text()
    assert "clearance = 1.25" in text
    (folder / "low.toml").write_text(text.replace("clearance = 1.25", f"clearance = {LOW_M}"))
    start = Place(-0.3, -8.0, math.radians(15.0))
    return Query(start, Sit(0.0, 7.4), load_scene(folder / "low.toml"))


@pytest.fixture(
    scope="module", params=["low", pytest.param("as it is", marks=pytest.mark.thorough)]
)
def course(ready, request, tmp_path_factory):
    """The whole obstacle course: beam, holes, bar and chair."""
    if request.param == "low":
        return first_plan(ready, low_course(tmp_path_factory.mktemp("course")))
    return first_plan(ready, load_task(TASKS / "course.toml").query)


def test_the_course_is_gone_to_its_end_on_the_seat_of_its_chair(course):
    sits_on_the_chair(course)


@pytest.mark.thorough
def test_the_course_up_to_its_chair_is_gone_to_its_end(ready):
    query = Query(Place(0.0, -8.0, 0.0), GoTo(0.0, 6.2), load_scene("course"))
    plan = first_plan(ready, query)
    root = plan.clip.root
    assert math.hypot(root[-1, 0] - 0.0, root[-1, 2] - 6.2) < 0.12
    assert plan.clip.touches is None or not plan.clip.touches.any()


def test_over_the_pit_feet_stand_on_the_beam(course):
    over = [spot for spot, _ in standing(course) if -5.8 < spot[2] < -3.4]
    assert len(over) >= 3
    for x, y, _ in over:
        assert abs(x) < 0.09
        assert 0.1 < y < 0.2


def test_no_foot_stands_in_a_hole(course):
    for (_, y, z), _ in standing(course):
        assert not -1.35 < z < -0.65
        assert not 0.5 < z < 1.3
        assert y > -0.01


def test_the_head_passes_below_the_bar(course, request):
    bar = LOW_M if "low" in request.node.name else 1.25
    head, hips = (joints(course, role)[:, 0] for role in ("head", "hips"))
    for part in (head, hips):
        below = np.abs(part[:, 2] - 3.6) < 0.1
        assert below.any()
        assert part[below, 1].max() < bar


def test_feet_that_stand_stay_where_they_are(course):
    clip = course.clip
    toes = joints(course, "left_toe", "right_toe")
    for foot in range(2):
        on = clip.contacts[:, 2 * foot + 1]
        both = on[1:] & on[:-1]
        moved = np.linalg.norm(np.diff(toes[:, foot], axis=0)[both][:, [0, 2]], axis=1)
        assert np.percentile(moved, 95) < 1e-3


@pytest.mark.thorough
def test_ducking_is_lower_than_walking(ready):
    plan = first_plan(ready, load_task(TASKS / "duck.toml").query)
    head = joints(plan, "head")[:, 0]
    near = np.abs(head[:, 2] - 3.6) < 0.05
    assert head[near, 1].max() < 1.25 < head[:, 1].max()


def test_who_sits_has_turned_as_the_seat_does(ready):
    task = load_task(TASKS / "sit.toml")
    query = Query(task.query.start, task.query.stages[:1])
    plan = first_plan(ready, query)
    left, right = joints(plan, "left_hip", "right_hip")[-1]
    middle = 0.5 * (left + right)
    assert math.hypot(middle[0], middle[2] - 3.0) < 0.06
    assert abs(middle[1] - (0.45 + HIPS_ABOVE_SEAT_M)) < 0.06
    assert left[0] < right[0]  # it faces back to where it came from


@pytest.mark.thorough
def test_who_sits_on_a_chair_sits_on_its_seat_and_leans_into_nothing(ready):
    plan = first_plan(ready, load_task(TASKS / "chair.toml").query)
    sits_on_the_chair(plan)
    sits_nowhere_else(plan)


def sits_nowhere_else(plan: Plan) -> None:
    """That nobody sits on air on the way to the chair of the course."""
    seat = plan.clip.touches[:, 2]
    hips = joints(plan, "left_hip", "right_hip").mean(axis=1)
    assert np.hypot(hips[seat, 0], hips[seat, 2] - 7.4).max() < 0.1
    assert hips[seat, 1].max() < 0.7


@pytest.mark.parametrize("name", sorted(path.stem for path in TASKS.glob("*.toml")))
def test_tasks_that_are_given_as_examples_can_be_read(name):
    task = load_task(TASKS / f"{name}.toml")
    assert task.method == "optimal"
    assert task.query.stages


def test_hands_and_seats_touch_nothing_that_no_stage_asks_for(course):
    assert not course.clip.touches[:, :2].any()
    sits_nowhere_else(course)
