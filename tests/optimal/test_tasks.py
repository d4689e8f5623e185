"""Sketches, the order of stages, and what a scene asks for by itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.optimal.draft import Path, misses, spread_misses
from footfall.optimal.goals import Constraint
from footfall.optimal.options import OptimalOptions
from footfall.optimal.sketch import make_sketch
from footfall.optimal.starts import check_order, make_definite
from footfall.task import Follow, GoTo, Pick, Place, PutDown, Query, Sit, StandUp, Via
from footfall.world.collision.queries import foot_placements


def query_of(scene: str, name: str) -> Query:
    asked = load_scene(scene).query(name)
    start, goal = asked.start, asked.goal
    return Query(Place(start.x, start.z), GoTo(goal.x, goal.z), load_scene(scene))


def test_a_drawn_path_is_the_sketch_and_its_corridor():
    path = np.array([[0.0, 0.0], [0.0, 4.0], [2.0, 7.0]])
    sketch = make_sketch(Query(stages=Follow(path, corridor_m=0.7)))
    np.testing.assert_allclose(sketch.points[[0, -1]], path[[0, -1]])
    assert sketch.corridor_m == 0.7
    assert sketch.stages_m[-1] == pytest.approx(sketch.length_m)


def test_places_are_joined_around_what_stands_in_between():
    sketch = make_sketch(query_of("room", "to the armchair"))
    assert not sketch.gaps
    assert sketch.length_m > 6.2  # the straight line is 5.98 m, through the table


@pytest.mark.parametrize(("scene", "name"), [("rivers", "across"), ("rivers", "stones")])
def test_where_nobody_walks_the_sketch_crosses_the_least_of_gaps(scene, name):
    query = query_of(scene, name)
    sketch = make_sketch(query)
    assert sketch.gaps

    def share_of_ground(points):
        at = np.linspace(0.0, 1.0, 400)
        along = np.linspace(0.0, 1.0, len(points))
        where = np.stack([np.interp(at, along, points[:, k]) for k in range(2)], axis=1)
        return foot_placements(query.scene, np.column_stack([where, np.zeros(400)])).valid.mean()

    assert share_of_ground(sketch.points) > share_of_ground(query.points)


def test_stages_are_done_in_order_along_the_sketch():
    stages = (Via(0, 2), Pick(0.0, 0.8, 4.0), GoTo(3, 6))
    along = make_sketch(Query(Place(0, 0), stages)).stages_m
    assert list(along) == sorted(along)
    assert along[0] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("stages", "says"),
    [
        ((GoTo(0, 1), StandUp()), r"stages\[1\].*does not sit.*add a stage 'sit'"),
        ((Sit(0, 1, 0.0), GoTo(0, 3)), r"stages\[1\].*sits.*add a stage 'stand up'"),
        ((PutDown(0, 0.8, 1),), r"stages\[0\].*not picked.*add a stage 'pick'"),
        ((Pick(0, 0.8, 1), Pick(0, 0.8, 2), Pick(0, 0.8, 3)), r"stages\[2\].*hold.*'put down'"),
        ((Pick(0, 0.8, 1, "left"), Pick(0, 0.8, 2, "left")), r"stages\[1\].*hold.*other hand"),
        ((Pick(0, 0.8, 1, "left"), PutDown(0, 0.8, 2, "right")), r"stages\[1\].*not picked"),
        ((Via(0, 1, by_s=5.0), GoTo(0, 2, by_s=3.0)), r"stages\[1\].*by_s.*rise"),
    ],
)
def test_stages_that_contradict_each_other_are_refused_with_their_number(stages, says):
    with pytest.raises(InputError, match=says):
        check_order(Query(Place(0, 0), stages))


def test_stages_in_a_sensible_order_are_taken():
    stages = (Pick(0, 0.8, 1), PutDown(0, 0.8, 2), Sit(0, 3, 0.0), StandUp(), GoTo(0, 5))
    check_order(Query(Place(0, 0), stages))


@pytest.mark.parametrize(
    ("hands", "found"),
    [
        (("pick either", "pick either"), ("right", "left")),
        (("pick either", "pick right"), ("left", "right")),
        (("pick either", "put left"), ("left", "left")),
        (("pick left", "put either", "pick either"), ("left", "left", "right")),
        (("pick either", "pick left", "put right", "put either"),
         ("right", "left", "right", "left")),
    ],
)  # fmt: skip
def test_what_is_held_is_put_down_by_the_hand_that_holds_it(hands, found):
    kinds = {"pick": Pick, "put": PutDown}
    acts = [kinds[act.split()[0]](0.0, 0.8, 1.0, hand=act.split()[1]) for act in hands]
    definite = make_definite(Query(Place(0, 0), tuple(acts)))
    assert tuple(stage.hand for stage in definite.stages) == found


def test_who_sits_faces_as_the_chair_does():
    query = Query(Place(0, 5), Sit(0.0, 7.4), load_scene("course"))
    faced = make_definite(query).stages[0]
    assert abs(math.remainder(faced.yaw - math.pi, math.tau)) < 1e-6


def test_what_is_missed_is_made_up_for_in_the_steps_before():
    poses = np.column_stack([np.zeros(9), np.arange(9.0), np.zeros(9)])
    goal = Constraint(
        0, np.ones(9, np.bool_), np.zeros((9, 3)), np.array([0.06, np.nan, 8.03]), 0.1, np.zeros(9)
    )
    path = Path(np.arange(8), np.arange(9), poses, np.array([8]))
    moved = spread_misses(path, [goal], misses(path, [goal]))
    np.testing.assert_allclose(moved[-1], [0.06, 8.03, 0.0])
    np.testing.assert_allclose(moved[:5], poses[:5])
    assert (np.diff(moved[5:, 0]) > 0.0).all()


def test_epsilons_fall_from_the_first_to_what_is_near_enough():
    assert OptimalOptions(epsilon=4.0, near_enough=1.3).epsilons == (4.0, 3.0, 2.0, 1.5, 1.3)
    assert OptimalOptions(epsilon=1.0).epsilons == (1.0,)
