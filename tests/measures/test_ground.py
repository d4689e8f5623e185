"""Ground: soles that are moved up and down by known amounts, bodies put into obstacles."""

from __future__ import annotations

from dataclasses import astuple, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.files.scene.read import parse_scene
from footfall.measures.ground import collisions, ground_contact
from tests.measures.motions import reversed_clip, standing, walk
from tests.sweeps import examples

BOX = """
name = "box"
size = [20.0, 20.0]
[ground]
kind = "flat"
level = 0.0
[[obstacle]]
kind = "column"
name = "pillar"
at = [0.0, 3.0]
radius = 0.5
height = 1.6
"""


def raised(clip, metres):
    return replace(clip, root=clip.root + np.array([0.0, metres, 0.0]))


def test_soles_on_the_floor_are_neither_in_it_nor_above_it():
    found = ground_contact(walk())
    assert found.penetration_max_mm == 0.0
    assert found.float_max_mm == 0.0


@examples(25)
@given(st.floats(0.006, 0.2))
def test_a_sunk_clip_is_as_deep_as_it_was_sunk(depth):
    found = ground_contact(raised(standing(0.5), -depth))
    assert found.penetration_mean_mm == pytest.approx(1000.0 * depth, abs=0.1)
    assert found.penetrating_share == 1.0
    assert found.floating_share == 0.0


@examples(25)
@given(st.floats(0.006, 0.2))
def test_a_raised_clip_floats_as_high_as_it_was_raised(height):
    found = ground_contact(raised(standing(0.5), height))
    assert found.float_mean_mm == pytest.approx(1000.0 * height, abs=0.1)
    assert found.floating_share == 1.0
    assert found.penetrating_share == 0.0


def test_within_five_millimetres_soles_are_on_the_floor():
    for height in (0.004, -0.004):
        found = ground_contact(raised(standing(0.5), height))
        assert (found.penetrating_share, found.floating_share) == (0.0, 0.0)


def test_feet_in_the_air_do_not_float():
    from tests.clips import steady

    run = steady("run", 3.5, seconds=3.0)
    assert ground_contact(run).float_max_mm == 0.0


def test_playing_a_clip_backwards_leaves_the_ground_as_it_was():
    clip = raised(walk(), 0.012)
    assert astuple(ground_contact(reversed_clip(clip))) == pytest.approx(
        astuple(ground_contact(clip))
    )


def test_a_scene_with_a_higher_floor_is_reached_into():
    scene = parse_scene(BOX.replace("level = 0.0", "level = 0.03"))
    clip = standing(0.5)
    assert ground_contact(clip, scene).penetration_mean_mm == pytest.approx(30.0, abs=0.2)


def test_walking_through_a_pillar_is_a_collision_and_beside_it_is_none():
    scene, clip = parse_scene(BOX), walk(seconds=4.0)
    found = collisions(clip, scene)
    assert found.obstacles == ("pillar",)
    # Five metres of way, of which the pillar takes one and the body's depth.
    assert 0.15 < found.colliding_share < 0.5
    assert found.depth_max_cm > 4.0
    beside = replace(clip, root=clip.root + np.array([2.0, 0.0, 0.0]))
    assert collisions(beside, scene) == type(found)(0.0, 0.0, 0.0, ())
