"""Roadmaps as a whole: where footholds are sampled, and what joins them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from footfall.body.size import MEAN_BODY
from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.roadmap.build import build_roadmap
from footfall.roadmap.footholds import neighbour_pairs, node_chances, sample_footholds
from footfall.roadmap.passages import find_passages, sample_at_crossings
from footfall.roadmap.table import MoveTable
from footfall.world.scene import Scene, rectangle
from tests.roadmap.small_world import small_table, yard
from tests.world.scenes import upright_box


def _with(**settings: object) -> MoveTable:
    table = small_table()
    return replace(table, settings=replace(table.settings, **settings))


def _corridor(wide: float = 0.55) -> Scene:
    """Two halves of a yard, joined by one narrow passage."""
    half = 0.5 * wide
    walls = tuple(upright_box(s * (half + 1.4), 0.0, (2.8, 2.0, 1.2)) for s in (-1.0, 1.0))
    return Scene("corridor", rectangle([-3.0, -3.0], [3.0, 3.0]), obstacles=walls)


def test_chances_sum_to_one_and_the_loneliest_node_is_the_likeliest() -> None:
    chances = node_chances(np.array([3.0, 0.0, 27.0, 1.0]))
    assert chances.sum() == pytest.approx(1.0)
    assert chances.argmax() == 1
    np.testing.assert_allclose(chances[0] / chances[2], 28.0 / 4.0)


def test_the_same_seed_gives_the_same_roadmap_and_another_seed_another() -> None:
    one, two, other = (build_roadmap(_with(nodes=150, more=50, seed=s), yard()) for s in (0, 0, 1))
    np.testing.assert_array_equal(one.nodes, two.nodes)
    np.testing.assert_array_equal(one.edges.move, two.edges.move)
    np.testing.assert_array_equal(one.edges.cost, two.edges.cost)
    assert not np.array_equal(one.nodes, other.nodes)


def test_more_neighbours_than_there_are_nodes_are_all_of_them() -> None:
    nodes = build_roadmap(_with(nodes=30, more=0, neighbours=1000), yard()).nodes
    tails, heads = neighbour_pairs(nodes, 1000)
    assert len(tails) == len(nodes) * (len(nodes) - 1)
    assert (tails != heads).all()


def test_a_scene_without_a_foothold_is_refused_in_a_sentence() -> None:
    full = Scene("full", rectangle([-1, -1], [1, 1]), obstacles=(upright_box(0, 0, (3, 2, 3)),))
    with pytest.raises(InputError, match="no foothold"):
        build_roadmap(small_table(), full)


def test_narrow_passages_are_found_with_their_middle_and_direction() -> None:
    rng = np.random.default_rng(0)
    middle, width, yaw = find_passages(_corridor(), rng.uniform(-3.0, 3.0, (4000, 2)))
    assert len(middle) > 10
    inside = np.abs(middle[:, 1]) < 0.5
    np.testing.assert_allclose(middle[inside, 0], 0.0, atol=0.02)
    np.testing.assert_allclose(width[inside], 0.55, atol=0.04)
    np.testing.assert_allclose(np.abs(np.sin(yaw[inside])), 0.0, atol=0.05)


def test_feet_are_looked_for_on_every_column_pointing_to_the_next() -> None:
    row = np.array([[-1.97, -1.60], [-0.66, -1.50], [0.65, -1.68], [1.96, -1.55]])
    rng = np.random.default_rng(0)
    at = sample_at_crossings(load_scene("dungeon"), 900, rng, MEAN_BODY)
    for here, there in (*pairwise(row), *pairwise(row[::-1])):
        line = there - here
        off = at[:, 2] - np.arctan2(line[0], line[1])
        points = np.abs((off + np.pi) % (2.0 * np.pi) - np.pi) < np.radians(25.0)
        assert (points & (np.hypot(*(at[:, :2] - here).T) < 0.28)).any()


def test_a_share_of_the_footholds_is_looked_for_in_narrow_passages() -> None:
    scene = _corridor()
    counts = []
    for share in (0.0, 0.2):
        nodes = sample_footholds(_with(passages=share), scene, 400, np.random.default_rng(0))
        assert len(nodes) == 400
        counts.append(int((np.abs(nodes[:, 2]) < 0.6).sum()))
    assert counts[1] > 4 * counts[0]


def test_enhancing_opens_a_narrow_passage_more_than_as_many_even_samples() -> None:
    """Over several seeds: footholds in the passage that lead on and are led to."""
    scene = _corridor(1.0)
    opened = {}
    for name, nodes, more in (("even", 360, 0), ("enhanced", 240, 120)):
        opened[name] = 0
        for seed in range(4):
            made = build_roadmap(
                _with(nodes=nodes, more=more, neighbours=40, seed=seed, passages=0.0), scene
            )
            inside = np.flatnonzero(np.abs(made.nodes[:, 2]) < 0.6)
            both = np.intersect1d(made.edges.tail, made.edges.head)
            opened[name] += len(np.intersect1d(inside, both))
    assert opened["enhanced"] > opened["even"]
