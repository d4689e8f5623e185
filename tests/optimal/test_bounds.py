"""No bound is violated: thousands of small random problems against brute force.

Each problem is searched from several starts, as it is and turned and moved in its scene. States are
snapped to cells, so that the true least costs are those of the whole unrolled graph.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from footfall.maths import planar
from footfall.maths.arrays import Floats
from footfall.optimal.goals import Constraint
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.plan_windows import _met_stages
from footfall.optimal.problem import Goals, World
from footfall.optimal.search import Found, PathSearch, SearchOptions
from footfall.search.ara import EPSILONS
from tests.optimal.brute import layer_after, unroll
from tests.optimal.synthetic import STAND, block, make_goals, make_graph, make_plain
from tests.sweeps import THOROUGH

CELL_M, YAWS, SIDE_M = 0.08, 12, 1.8  # cells are no wider than the squares of the estimates
SNAPPED = SearchOptions(poses="snap", cell_m=CELL_M, yaws=YAWS, memory_mb=2.0)
BORDER_M = 0.25
STARTS = 10
"""How many searches are made of each graph, world and goals."""


def make_small(seed: int) -> tuple[InterpolatedGraph, World, Goals, np.random.Generator]:
    """A graph of a few steps, a small world with something in the way, and up to two goals."""
    rng = np.random.default_rng(seed)
    graph = make_graph(rng, speeds=1, turns=2, step_m=float(rng.uniform(0.25, 0.45)))
    world = make_plain((SIDE_M, SIDE_M), 0.05)
    # Feet stand anywhere, also beside where the root may be: brute force knows of no feet.
    world = replace(world, foothold_m=np.full(world.corridor.shape, 9.0))
    for low, high in ((0.0, BORDER_M), (SIDE_M - BORDER_M, SIDE_M + 0.1)):
        block(world, (low, high), (0.0, SIDE_M + 0.1))
        block(world, (0.0, SIDE_M + 0.1), (low, high))
    for _ in range(int(rng.integers(0, 3))):
        (a, b), (c, d) = rng.uniform(0.2, 1.5, 2), rng.uniform(0.1, 0.4, 2)
        block(world, (a, a + c), (b, b + d))
    kinds = ("be", "stand", "pick", "sit")
    asked = [
        (kinds[rng.integers(4)], *rng.uniform(0.4, SIDE_M - 0.4, 2).tolist())
        for _ in range(int(rng.integers(1, 3)))
    ]
    yaw = float(rng.uniform(-3.0, 3.0)) if rng.random() < 0.3 else math.nan
    goals = make_goals(graph, *asked, within_m=float(rng.uniform(0.12, 0.3)), yaw=yaw)
    return graph, world, goals, rng


def placed(world: World, goals: Goals, pose: Floats) -> tuple[World, Goals]:
    """The same world and goals, turned and moved in the scene by a pose."""
    place = planar.apply_to_points(pose, goals.place)
    return replace(world, pose=pose), replace(goals, place=place, yaw=goals.yaw + pose[2])


def searches(
    graph: InterpolatedGraph, world: World, goals: Goals, rng: np.random.Generator,
    options: SearchOptions,
) -> Iterator[tuple[Floats, list[Found]]]:  # fmt: skip
    """Starts in the world's own axes, and what is found from each, somewhere in a scene."""
    for _ in range(STARTS):
        start = np.array([*rng.uniform(0.4, SIDE_M - 0.4, 2), rng.uniform(-3.1, 3.1)])
        pose = np.array([*rng.uniform(-50.0, 50.0, 2), rng.uniform(-3.1, 3.1)])
        first = int(rng.integers(len(EPSILONS)))
        chosen = replace(options, epsilons=EPSILONS[first:], look=bool(rng.random() < 0.3))
        copies = []
        for there in (np.zeros(3), pose)[: 1 + (rng.random() < 0.5)]:
            at = planar.compose(there, start)[None]
            search = PathSearch(graph, *placed(world, goals, there), [STAND], at, chosen)
            search.anytime.most = float(rng.choice([30, 300, 1e9]))
            copies.append(search)
        copies[-1].anytime.most = copies[0].anytime.most
        found = [list(search) for search in copies]
        assert [one.cost for one in found[0]] == pytest.approx([one.cost for one in found[-1]])
        assert [one.bound for one in found[0]] == pytest.approx([one.bound for one in found[-1]])
        yield start, found[-1]


def check_snapped(seed: int) -> int:
    """Search one graph, world and goals; how many searches found something."""
    graph, world, goals, rng = make_small(seed)
    truth, met = unroll(graph, world, goals, CELL_M, YAWS), 0
    for start, found in searches(graph, world, goals, rng, SNAPPED):
        pose = [np.array([np.floor(n / CELL_M + 0.5) * CELL_M]) for n in start[:2]]
        wide = 2.0 * math.pi / YAWS
        yaw = np.array([np.floor(start[2] / wide + 0.5) * wide])
        layer = int(layer_after(goals, 0, STAND, *pose, yaw)[0])
        least = 0.0
        if layer < len(goals.place):
            least = float(truth.to_go[truth.at(layer, STAND, *start, CELL_M)])
        for one in found:
            assert least * (1.0 - 1e-9) <= one.cost <= least * one.bound * (1.0 + 1e-9)
        met += len(found) > 0
    return met


def test_no_bound_is_violated_in_hundreds_of_small_problems_or_thousands() -> None:
    groups = 1000 if THOROUGH else 16
    assert sum(check_snapped(seed) for seed in range(groups)) > 2 * groups


@pytest.mark.parametrize("kept", [2, 3, 4])
def test_windows_count_the_stages_that_are_met_and_not_gaps_or_their_end(kept: int) -> None:
    """A gap, a stage, a bar, a stage and the end of a window, each met at the next node."""
    made = [
        Constraint(stage, np.ones(1, np.bool_), np.zeros((1, 3)), np.zeros(3), 1.0, np.zeros(1))
        for stage in (-1, 0, -1, 1, -1)
    ]
    part = SimpleNamespace(constraints=made)
    found = SimpleNamespace(met=np.arange(1, 6, dtype=np.int32))
    met = _met_stages(part, found, kept)  # type: ignore[arg-type]
    assert met.tolist() == [at for at in (2, 4) if at <= kept]
