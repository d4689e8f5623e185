"""Rows of stones over a pit are crossed from stone to stone; measured from plain positions."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import GoTo, Place, Query, planner
from footfall.optimal.sketch import make_sketch
from footfall.optimal.stones import has_stones
from footfall.optimal.world import make_world
from footfall.task import StandOn
from footfall.verbs.planner import Planner
from footfall.world.scene import Hole, Scene, rectangle
from tests.optimal.soles import clip_slip
from tests.optimal.test_behaviours import standing
from tests.sweeps import THOROUGH, cover
from tests.world.scenes import upright_box, upright_cylinder

START = Place(0.0, 0.0, 0.0)
RADIUS_M = 0.28
HEIGHTS = (0.0, 0.12, 0.3) if THOROUGH else (0.0, 0.3)


@pytest.fixture(scope="module")
def ready() -> Planner:
    return planner("optimal", expansions=60_000)


def row(spacing_m: float, asides: list[float]) -> tuple[Scene, list[tuple[float, float]]]:
    """A pit from z 0 on, with a stone every so often, each so far aside of the middle."""
    places = [(x, spacing_m * (n + 1) - 0.15) for n, x in enumerate(asides)]
    beyond = places[-1][1] + spacing_m - 0.15
    stones = tuple(
        upright_cylinder(x, z, RADIUS_M, 1.0, base=-1.0, walkable=True) for x, z in places
    )
    pit = Hole(rectangle([-4.0, 0.0], [4.0, beyond]), depth=1.0)
    bounds = rectangle([-4.0, -4.0], [4.0, beyond + 4.0])
    return Scene("row", bounds, obstacles=stones, holes=(pit,)), places


def crossing(spacing_m: float, asides: list[float]) -> tuple[Query, list[tuple[float, float]]]:
    scene, places = row(spacing_m, asides)
    goal = GoTo(0.0, places[-1][1] + spacing_m + 1.0)
    return Query(Place(0.0, -1.6, 0.0), goal, scene), places


@pytest.mark.parametrize(
    ("spacing_m", "asides"),
    [
        (0.65, [-0.1, 0.1, -0.1, 0.1]),
        pytest.param(0.8, [-0.1, 0.08, -0.1], marks=pytest.mark.thorough),
        pytest.param(0.8, [0.0, 0.03, -0.03], marks=pytest.mark.thorough),
    ],
)
def test_stones_are_crossed_with_every_foot_on_one(
    ready: Planner, spacing_m: float, asides: list[float]
) -> None:
    query, places = crossing(spacing_m, asides)
    plan = next(iter(ready.plans(query)))
    assert plan.found, plan.reason
    assert plan.clip is not None
    assert clip_slip(plan.clip) < 1e-3
    beyond = places[-1][1] + spacing_m - 0.15
    over = [toe for toe, _ in standing(plan) if 0.1 < toe[2] < beyond - 0.1]
    assert over
    for toe in over:
        assert min(np.hypot(toe[0] - x, toe[2] - z) for x, z in places) < RADIUS_M
        assert -0.02 < toe[1] < 0.12


def test_steps_across_are_for_stones_alone(ready: Planner) -> None:
    plan = next(iter(ready.plans(Query(START, GoTo(0.0, 0.6)))))
    assert plan.found, plan.reason
    assert all(part.why != "steps across" for part in plan.segments)


def test_a_floor_and_a_wide_platform_are_no_stones() -> None:
    query, _ = crossing(0.65, [0.0, 0.0])
    assert has_stones(make_world(query.scene, make_sketch(query).points), query.points)
    top = upright_box(0.0, 2.0, (1.6, 0.2, 1.6), walkable=True)
    scene = Scene("platform", rectangle([-4.0, -4.0], [4.0, 6.0]), obstacles=(top,))
    assert not has_stones(make_world(scene, query.points), query.points)


@pytest.mark.parametrize(("height_m", "foot"), cover(HEIGHTS, ("left", "right")))
def test_the_foot_that_is_named_stands_on_the_place_in_the_open_and_on_platforms(
    ready: Planner, foot: str, height_m: float
) -> None:
    tops = (upright_box(0.1, 2.2, (1.2, height_m, 1.2), walkable=True),) if height_m else ()
    scene = Scene("top", rectangle([-4.0, -4.0], [4.0, 8.0]), obstacles=tops)
    plan = next(iter(ready.plans(Query(START, StandOn(0.1, 2.2, foot=foot), scene))))
    assert plan.found, plan.reason
    toe, _ = [s for s in standing(plan) if s[1] == ("left", "right").index(foot)][-1]
    # From the middle of a sole to the joint of its toes it is 4 to 10 cm.
    assert np.hypot(toe[0] - 0.1, toe[2] - 2.2) < 0.14
    assert abs(toe[1] - height_m) < 0.06
