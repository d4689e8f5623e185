"""Plans begin and end at rest, where they were asked to, facing as asked; whatever the clips."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from footfall import Follow, GoTo, Place, Query
from footfall.adapt.feet.lock import lock_feet
from footfall.body.edit import move
from footfall.maths.polyline import Polyline
from footfall.task import FOUND, Plan
from footfall.verbs.planner import planner
from tests.sweeps import sample
from tests.verifying import stage_failures


@pytest.fixture(scope="module")
def walker(walks):
    return planner("graph", library=walks)


@pytest.fixture(scope="module")
def bare(walks):
    """The same walks with nothing that starts or stops."""
    names = [e.name for e in walks.entries if not {"start", "stop"} & set(e.tags)]
    return planner("graph", library=walks.only(names))


def facing(made: Plan, frame: int) -> float:
    at = made.clip.positions[frame]
    left, right = (at[made.clip.skeleton.role(f"{side}_hip")] for side in ("left", "right"))
    return math.atan2(right[2] - left[2], left[0] - right[0])


def off(a: float, b: float) -> float:
    return math.degrees(abs(math.remainder(a - b, math.tau)))


def joint_speeds(clip) -> np.ndarray:
    dots = np.abs(np.einsum("tji,tji->tj", clip.rotations[:-1], clip.rotations[1:]))
    return np.degrees(2.0 * np.arccos(np.clip(dots, 0.0, 1.0))) * clip.fps


def check_ends(made: Plan, begin, end) -> None:
    """At rest, there: by plain positions of the root."""
    assert made.status == FOUND, made.reason
    root = made.clip.root[:, [0, 2]]
    assert np.hypot(*(root[0] - begin)) < 0.1
    assert np.hypot(*(root[-1] - end)) < 0.1
    speeds = np.hypot(*np.diff(root, axis=0).T) * made.clip.fps
    assert speeds[:2].max() < 0.08
    assert speeds[-3:].max() < 0.08
    assert joint_speeds(made.clip)[-2:].max() < 60.0


LENGTHS = [0.2, 0.3, 0.5, 0.8, 1.0, 1.3, 1.5, 2.0, 2.5, 3.0, 4.5, 6.0, 14.0]


@pytest.mark.parametrize(
    ("which", "length_m"),
    sample(product(["walker", "bare"], LENGTHS), 0.5, kind=lambda c: str(c[1])),
)
def test_paths_of_any_length_are_walked_from_rest_to_rest(request, which, length_m):
    made = request.getfixturevalue(which).plan(Query(stages=Follow([[1, 2], [1, 2 + length_m]])))
    check_ends(made, [1, 2], [1, 2 + length_m])
    assert made.clip.seconds < 4.0 + length_m / 0.7


HEADINGS = [(0, 90), (90, 0), (180, 180), (20, -15), (-120, 60)]


@pytest.mark.parametrize(
    ("length_m", "headings"), sample(product([0.4, 0.9, 1.6, 4.0], HEADINGS), 0.5)
)
def test_headings_are_met_at_both_ends(walker, walks, length_m, headings):
    begin, end = headings
    query = Query(
        Place(0, 0, math.radians(begin)), GoTo(0, length_m, math.radians(end))
    )  # fmt: skip
    made = walker.plan(query)
    check_ends(made, [0, 0], [0, length_m])
    assert off(facing(made, 0), math.radians(begin)) < 5.0
    assert off(facing(made, -1), math.radians(end)) < 5.0
    held = [joint_speeds(lock_feet(clip)).max(axis=0) for clip in walks]
    assert (joint_speeds(made.clip).max(axis=0) < 1.5 * np.maximum(np.max(held, axis=0), 80)).all()


def test_a_path_around_a_circle_is_begun_and_ended_at_rest(bare):
    turns = np.linspace(0.0, math.tau, 90)
    circle = np.column_stack([3.0 - 3.0 * np.cos(turns), 3.0 * np.sin(turns)])
    check_ends(bare.plan(Query(stages=Follow(circle))), [0, 0], [0, 0])


def test_made_steps_are_told_from_clips(walker, bare):
    stepped = walker.plan(Query(stages=Follow([[0, 0], [0, 0.6]])))
    assert {segment.why for segment in stepped.segments} == {"steps"}
    made = bare.plan(Query(Place(0, 0, 2.0), GoTo(0, 6)))
    assert [made.segments[n].why for n in (0, 1, -1)] == ["turn", "start", "stop"]
    ends = [(s.first, s.stop) for s in made.segments]
    assert ends[0][0] == 0
    assert ends[-1][1] == len(made.clip)
    assert all(a[1] == b[0] for a, b in pairwise(ends))


@pytest.mark.parametrize(("begin", "end"), [(0, 90), (180, 0), (-30, -150), (10, 12)])
def test_somebody_may_turn_where_they_stand(walker, yard, begin, end):
    for scene in (None, yard):
        begins, ends = math.radians(begin), math.radians(end)
        made = walker.plan(Query(Place(2, -2, begins), GoTo(2, -2, ends), scene))
        check_ends(made, [2, -2], [2, -2])
        assert off(facing(made, 0), begins) < 5.0
        assert off(facing(made, -1), ends) < 5.0
        assert made.clip.seconds < 4.0


BENDS = {
    "corner": [[0, 0], [0, 0.5], [0.5, 0.5]],
    "long corner": [[0, 0], [0, 1.0], [1.0, 1.0]],
    "there and back": [[0, 0], [0, 0.5], [0, 0.05]],
    "snake": [[0, 0], [0.3, 0.4], [-0.3, 0.8], [0, 1.2]],
}


@pytest.mark.parametrize("name", BENDS)
@pytest.mark.parametrize("which", ["walker", "bare"])
def test_short_paths_that_bend_are_walked_to_their_ends(request, which, name):
    path = np.array(BENDS[name], float)
    made = request.getfixturevalue(which).plan(Query(stages=Follow(path)))
    check_ends(made, path[0], path[-1])
    assert Polyline(path).gaps(made.clip.root[:, [0, 2]]).max() < 0.35


@pytest.mark.parametrize(
    ("moved", "said"),
    [
        ((0.0, 0.15, 0.0), r"stage 1, 'go to': it stays away by 0\.1\d+ m"),
        ((0.3, -0.06, 0.0), "stage 1, 'go to': it stays away by"),
        ((0.0, 0.0, 0.02), ""),
    ],
)
def test_what_is_off_by_more_than_its_tolerance_is_not_found(walker, moved, said):
    query = Query(Place(0, 0, 0.0), GoTo(0, 3, 0.0))
    made = walker.plan(query)
    assert stage_failures(made, query) == ()
    wrong = stage_failures(replace(made, clip=move(made.clip, *moved)), query)
    assert re.search(said, " ".join(wrong)), wrong
    assert bool(said) == bool(wrong)


def test_a_heading_that_is_off_is_not_found(walker):
    made = walker.plan(Query(Place(0, 0, 0.0), GoTo(0, 3, 0.0)))
    for start, goal, says in (
        (0.2, 0.0, "it begins turned away by 11"),
        (0.0, 0.2, "it is there turned away by 11"),
    ):
        wrong = stage_failures(made, Query(Place(0, 0, start), GoTo(0, 3, goal)))
        assert any(says in sentence for sentence in wrong), wrong


def test_a_motion_that_begins_elsewhere_is_not_found(walker):
    query = Query(stages=Follow([[0, 0], [0, 3]]))
    made = walker.plan(query)
    assert stage_failures(made, query) == ()
    far = replace(made, clip=move(made.clip, 0.0, -0.2))
    assert any("it begins away from it by 0.2" in w for w in stage_failures(far, query))
    cut = replace(made, clip=replace(made.clip, root=made.clip.root * [1.0, 1.0, 0.9]))
    assert any("from the end of the path" in w for w in stage_failures(cut, query))
