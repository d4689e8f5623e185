"""Which method `auto` takes: the graph where one can simply walk, the roadmap where one cannot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.files.scene.read import load_scene
from footfall.task import Follow, GoTo, Place, Query
from footfall.task.method import Refusal, rank_methods
from footfall.world.moving import KeyedMotion
from footfall.world.scene import Scene, rectangle
from tests.world.scenes import upright_box

CHOICES = [
    ("room", "to the window", "graph"),
    ("plaza", "corner to corner", "graph"),
    ("hills", "over", "graph"),
    ("crevice", "over", "roadmap"),
    ("rivers", "stones", "roadmap"),
    ("columns", "three", "roadmap"),
    ("dungeon", "narrow passage", "roadmap"),
    ("dungeon", "hurdle", "roadmap"),
]


def chosen(query: Query) -> tuple[str, str]:
    found = rank_methods(query, None)
    assert not isinstance(found, Refusal)
    return found[0][0].name, found[0][1]


@pytest.mark.parametrize(("scene", "name", "method"), CHOICES)
def test_roadmaps_are_taken_where_nobody_can_simply_walk(scene: str, name: str, method: str):
    world = load_scene(scene)
    asked = world.query(name)
    start = Place(asked.start.x, asked.start.z, asked.start.yaw)
    goal = GoTo(asked.goal.x, asked.goal.z, asked.goal.yaw)
    found, why = chosen(Query(start, goal, world))
    assert found == method
    assert why


def test_roadmaps_are_taken_where_something_moves():
    cart = replace(upright_box(1.5, 1.5, (0.6, 1.0, 0.6)), motion=KeyedMotion(
        np.array([0.0, 4.0]), np.array([[1.5, 0.0, 1.5], [-1.5, 0.0, 1.5]]),
        np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))))  # fmt: skip
    yard = Scene("yard", rectangle([-4, -4], [4, 4]), obstacles=(cart,))
    assert chosen(Query(Place(0, -3), GoTo(0, 3), yard))[0] == "roadmap"


def test_a_path_is_followed_by_the_graph_even_in_a_scene():
    room = load_scene("room")
    line = Follow([[-2.4, -2.6], [0.0, 0.0], [2.8, 2.2]])
    assert chosen(Query(stages=line, scene=room))[0] == "graph"


def test_without_a_scene_the_graph_walks():
    assert chosen(Query(Place(0, 0), GoTo(0, 6)))[0] == "graph"
