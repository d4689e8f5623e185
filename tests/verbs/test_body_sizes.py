"""Bodies of every size are planned in proportion: what a child passes may stop a tall person."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from footfall import GoTo, Place, Plan, Query, planner
from footfall.body.size import MEAN_BODY, BodySize, body_size, stature
from footfall.body.skeleton import Skeleton
from footfall.verbs.planner import Planner
from footfall.world.scene import Hole, Scene, rectangle
from tests.world.scenes import upright_box

CHILD_M, TALL_M = 1.2, 2.0
OPTIONS = {
    "roadmap": {"nodes": 400, "more": 100, "neighbours": 60, "denser": 0},
    "optimal": {"expansions": 20_000, "near_enough": 1000.0},
}
METHODS = ("blending", "graph", "optimal", "roadmap")


def sized(skeleton: Skeleton, height_m: float) -> Skeleton:
    """Return the same body, as tall as asked."""
    return skeleton.scaled(height_m / stature(skeleton))


@pytest.fixture(scope="module")
def planner_of(walks):
    """Planners by method and stature; each is made once."""

    @cache
    def make(method: str, height_m: float) -> Planner:
        body = sized(walks.character, height_m)
        return planner(method, library=walks, character=body, **OPTIONS.get(method, {}))

    return make


def hall(*obstacles, holes=()) -> Scene:
    """5 m by 8 m, to be walked along z."""
    outline = rectangle([-2.5, -4.0], [2.5, 4.0])
    return Scene("hall", outline, obstacles=obstacles, holes=holes)


def slot(width_m: float) -> Scene:
    """A wall across the hall, with a slot in its middle."""
    side = 2.5 - 0.5 * width_m
    middle = 0.5 * (width_m + side)
    return hall(*(upright_box(x, 0.0, (side, 2.5, 0.3)) for x in (-middle, middle)))


def bar(height_m: float) -> Scene:
    """A beam across the hall whose lower edge is at a height."""
    return hall(upright_box(0.0, 0.0, (5.0, 0.2, 0.1), base=height_m))


def across(ready: Planner, scene: Scene) -> Plan:
    return ready.plan(Query(Place(0.0, -2.5, 0.0), GoTo(0.0, 2.5), scene=scene))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scene", [slot(0.62), bar(1.5)], ids=["slot", "bar"])
def test_what_a_child_walks_through_stops_a_tall_person(planner_of, method, scene):
    child = across(planner_of(method, CHILD_M), scene)
    assert child.found, child.reason
    head = child.clip.skeleton.role("head")
    heights = child.clip.positions[:, head, 1]
    assert np.ptp(heights) < 0.08 * CHILD_M  # it walks upright
    tall = across(planner_of(method, TALL_M), scene)
    assert not tall.found
    assert tall.reason


@pytest.mark.parametrize("factor", [CHILD_M / 1.7, TALL_M / 1.7])
def test_dimensions_are_in_proportion_to_the_skeleton(walks, factor):
    mean, other = (body_size(s) for s in (walks.character, walks.character.scaled(factor)))
    for name in dir(BodySize):
        if name.endswith("_m"):
            small, large = getattr(mean, name), getattr(other, name)
            assert large == pytest.approx(factor * small, abs=1.1e-3), name


def test_the_mean_body_is_that_of_the_default_clips(walks):
    own = body_size(walks.character)
    assert own.leg_m == pytest.approx(MEAN_BODY.leg_m, abs=1e-4)
    assert own.stature_m == pytest.approx(MEAN_BODY.stature_m, abs=1e-4)
    assert own.sole_m == pytest.approx(MEAN_BODY.sole_m, abs=1e-4)
    names = [name for name in dir(BodySize) if name.endswith("_m") and "sole" not in name]
    assert {n: getattr(own, n) for n in names} == {n: getattr(MEAN_BODY, n) for n in names}


def test_gaps_and_steps_are_crossed_in_proportion(walks):
    from footfall.library.characters import put_on_character
    from footfall.roadmap.failures import highest_step, longest_step
    from footfall.roadmap.moves import find_moves
    from footfall.roadmap.table import RoadmapSettings, list_moves

    reach = []
    for height in (CHILD_M, TALL_M):
        clips = tuple(put_on_character(walks, sized(walks.character, height)))
        table = list_moves(find_moves(clips, 0.28), RoadmapSettings())
        reach.append((longest_step(table), highest_step(table)))
    ratio = np.array(reach[1]) / np.array(reach[0])
    np.testing.assert_allclose(ratio, TALL_M / CHILD_M, rtol=0.05)


def test_a_child_is_told_of_a_gap_that_a_tall_person_steps_over(planner_of):
    scene = hall(holes=(Hole(rectangle([-2.5, -0.27], [2.5, 0.27])),))
    child = across(planner_of("roadmap", CHILD_M), scene)
    assert not child.found
    assert "gap" in child.reason
    assert across(planner_of("roadmap", TALL_M), scene).found
