"""Pictures of a character in a scene leave out walls that hide it, and show what it ducks under."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.files.scene.read import load_scene
from footfall.render.in_scene import describe_exit, scene_items
from footfall.world.shapes import scene_shapes
from tests.render.clips import walk


@pytest.fixture(scope="module")
def course():
    return load_scene("course")


def body_at(x, z):
    """Points of a body that stands at a place."""
    across, up = np.meshgrid([-0.25, -0.1, 0.1, 0.25], np.linspace(0.05, 1.7, 12))
    points = np.stack([np.full(across.size, x), up.ravel(), z + across.ravel()], axis=1)
    return np.asarray(points)


def kept(scene, eye, points):
    """The names of the scene's shapes that are drawn."""
    shapes = {tuple(s.vertices[0]): s.name for s in scene_shapes(scene)}
    items = scene_items(scene, [(eye, points)])
    return [shapes[tuple(item.vertices[0])] for item in items]


def test_a_bar_before_the_body_is_drawn_and_a_wall_is_not(course):
    number = next(n for n, o in enumerate(course.obstacles) if o.kind == "bar")
    bar = course.obstacles[number]
    at = bar.pose(None)[0]
    eye = np.array([8.0, 1.2, at[2]])
    names = kept(course, eye, body_at(0.0, at[2]))
    walls = [o.name or f"wall {n + 1}" for n, o in enumerate(course.obstacles) if o.kind == "wall"]
    assert (bar.name or f"bar {number + 1}") in names
    assert len(set(walls) & set(names)) == len(walls) - 1


def test_nothing_is_left_out_where_nothing_is_between(course):
    eye = np.array([0.0, 12.0, 3.0])
    assert len(kept(course, eye, body_at(0.0, 3.0))) == len(scene_shapes(course))


def test_a_clip_that_leaves_its_scene_is_named_with_time_and_distance(course):
    from dataclasses import replace

    clip = walk()
    x0, z0, x1, z1 = course.bounds.bounds
    inside = replace(clip, root=clip.root * [0, 1, 0] + [0.5 * (x0 + x1), 0, 0.5 * (z0 + z1)])
    assert describe_exit(inside, course) == ""
    root = inside.root.copy()
    root[len(root) // 2 :, 2] = z1 + 1.25
    left = replace(inside, root=root, name="walk")
    seconds = (len(root) // 2) / clip.fps
    assert describe_exit(left, course) == (
        f"walk leaves course after {seconds:.1f} s, by up to 1.2 m"
    )
