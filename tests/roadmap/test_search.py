"""The search of roadmaps, held against plain code over graphs that are written down."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footfall import Place
from footfall.roadmap.connect import connect
from footfall.roadmap.footholds import neighbour_pairs, sample_footholds, sure_ground
from footfall.roadmap.joins import Ends, stances_of, standing_ends
from footfall.roadmap.model import Roadmap, assemble
from footfall.roadmap.paths import (
    FootholdPath,
    NoPath,
    Passing,
    find_between,
    find_path,
    nothing_closed,
)
from footfall.world.scene import Scene, rectangle
from tests.roadmap.small_world import named_box, small_table, yard_roadmap

START, GOAL = Place(-1.5, -1.5, 0.3), Place(1.4, 1.5)
quick = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
State = tuple[int, int]
Steps = dict[State, list[tuple[float, State, int]]]


@lru_cache(maxsize=32)
def small_map(seed: int, nodes: int = 90) -> tuple[Scene, Roadmap]:
    """A few footholds around a box."""
    rng = np.random.default_rng(seed)
    x, z = rng.uniform(-0.8, 0.8, 2)
    scene = Scene("pen", rectangle([-2.5, -2.5], [2.5, 2.5]),
                  obstacles=(named_box("box", x, z, (0.5, 1.0, 0.5)),))  # fmt: skip
    table = small_table()
    feet = sample_footholds(table, scene, nodes, rng)
    sure = sure_ground(scene, table.moves.foot_box)
    edges = connect(table, scene, feet, feet, neighbour_pairs(feet, 40), sure=sure)
    return scene, assemble(table, feet, edges, sure)


def ends_of(scene: Scene, roadmap: Roadmap) -> tuple[Ends, Ends]:
    found = []
    for begins, place in ((True, START), (False, GOAL)):
        ends, valid = standing_ends(roadmap.table, scene, place, begins, (0.1, 0.1))
        found.append(ends.only(valid))
    return found[0], found[1]


def written_down(scene: Scene, roadmap: Roadmap) -> tuple[Steps, np.ndarray]:
    """All steps between footholds in postures; starts and goals are footholds of their own."""
    table, moves, nodes = roadmap.table, roadmap.moves, roadmap.nodes
    starts, goals = ends_of(scene, roadmap)
    feet = np.concatenate([nodes, starts.footholds, goals.footholds])
    a, b = len(nodes), len(nodes) + len(starts)
    steps: Steps = {}

    def add(tail: int, head: int, move: int, cost: float) -> None:
        begin, end = int(moves.begins[move]), int(moves.ends[move])
        if tail >= a and not (starts.postures[tail - a] == begin and starts.may_move[move]):
            return
        if head >= b and not (goals.postures[head - b] == end and goals.may_move[move]):
            return
        steps.setdefault((tail, begin), []).append((cost, (head, end), move))

    e = roadmap.edges
    for row in zip(*(v.tolist() for v in (e.tail, e.head, e.move, e.cost)), strict=True):
        add(*row)
    rest = moves.standing
    for tails, heads, begins, stops in (
        (np.arange(a, b), np.arange(a), rest, None), (np.arange(a), np.arange(b, len(feet)), None,
         rest), (np.arange(a, b), np.arange(b, len(feet)), rest, rest),
    ):  # fmt: skip
        pairs = (
            np.repeat(np.arange(len(tails)), len(heads)),
            np.tile(np.arange(len(heads)), len(tails)),
        )
        made = connect(table, scene, feet[tails], feet[heads], pairs, True, begins, stops,
                       roadmap.sure)  # fmt: skip
        for n in range(len(made)):
            add(int(tails[made.tail[n]]), int(heads[made.head[n]]), int(made.move[n]),
                float(made.cost[n]))  # fmt: skip
    return steps, feet


def plain_walks(
    roadmap: Roadmap, steps: Steps, count: int, prune: bool
) -> Iterator[tuple[float, list[int]]]:
    """Walks from start to goal, the cheapest first; with `prune` each state is reached once."""
    a = len(roadmap.nodes)
    heap: list[tuple[float, int, State, tuple[int, ...]]] = []
    for number, s in enumerate(sorted(s for s in steps if s[0] >= a)):
        heap.append((0.0, number, s, (s[0],)))
    number, done = len(heap), set()
    for _ in range(count):
        if not heap:
            return
        cost, _, s, walk = heapq.heappop(heap)
        if s[0] >= a and len(walk) > 1:
            yield cost, list(walk)
            continue
        if prune and s in done:
            continue
        done.add(s)
        for step, t, _ in steps.get(s, ()):
            number += 1
            heapq.heappush(heap, (cost + step, number, t, (*walk, t[0])))


@quick
@given(st.integers(0, 30))
def test_the_search_finds_what_dijkstra_finds_on_the_graph_written_down(seed):
    scene, roadmap = small_map(seed)
    steps, _ = written_down(scene, roadmap)
    plain = next(plain_walks(roadmap, steps, 10**6, prune=True), None)
    found = find_between(roadmap, scene, *ends_of(scene, roadmap))
    if plain is None:
        assert isinstance(found, NoPath)
    else:
        assert isinstance(found, FootholdPath)
        assert found.cost == pytest.approx(plain[0], rel=1e-9)


@quick
@given(st.integers(0, 30))
def test_both_searches_cost_the_same_and_the_guided_one_opens_no_more(seed):
    scene, roadmap = small_map(seed)
    ends = ends_of(scene, roadmap)
    one, two = (find_between(roadmap, scene, *ends, search=s) for s in ("a*", "dijkstra"))
    assert isinstance(one, NoPath) == isinstance(two, NoPath)
    if isinstance(one, FootholdPath) and isinstance(two, FootholdPath):
        assert one.cost == pytest.approx(two.cost, rel=1e-12)
        assert one.opened <= two.opened


@quick
@given(st.integers(0, 30))
def test_moves_of_a_path_meet_in_the_same_posture_and_begin_and_end_at_rest(seed):
    scene, roadmap = small_map(seed)
    found = find_between(roadmap, scene, *ends_of(scene, roadmap))
    if isinstance(found, NoPath):
        return
    moves = roadmap.moves
    for m, after in pairwise(found.moves.tolist()):
        assert moves.ends[m] == moves.begins[after]
    assert moves.begins[found.moves[0]] in moves.standing
    assert moves.ends[found.moves[-1]] in moves.standing
    assert found.cost == pytest.approx(found.costs.sum())
    for n, e in enumerate(found.edges.tolist()):
        if e >= 0:
            assert roadmap.edges.tail[e] == found.nodes[n]
            assert roadmap.edges.head[e] == found.nodes[n + 1]


def segment_distance(a: np.ndarray, b: np.ndarray, x: float, z: float) -> float:
    steps = np.linspace(0.0, 1.0, 401)
    line = a[[0, 2]] + steps[:, None] * (b - a)[[0, 2]]
    return float(np.hypot(line[:, 0] - x, line[:, 1] - z).min())


@quick
@given(st.integers(0, 15), st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
def test_a_path_past_a_place_is_the_cheapest_that_passes_it(seed, x, z):
    scene, roadmap = small_map(seed)
    place = Passing(x, z, 0.5)
    found = find_between(roadmap, scene, *ends_of(scene, roadmap), passing=[place])
    steps, feet = written_down(scene, roadmap)
    layered: Steps = {}
    many = len(feet)
    for (tail, posture), own in steps.items():
        for cost, (head, after), m in own:
            near = segment_distance(feet[tail], feet[head], x, z)
            if abs(near - place.reach) < 1e-3:
                return  # as good as undecided
            up = near < place.reach
            # Posture numbers of the second layer come after those of the first.
            layered.setdefault((tail, posture), []).append((cost, (head, after + 1000 * up), m))
            second = (head, after + 1000)
            layered.setdefault((tail, posture + 1000), []).append((cost, second, m))
    goals = set(range(many - len(ends_of(scene, roadmap)[1]), many))
    best = math.inf
    for cost, walk in dijkstra(layered, roadmap, len(ends_of(scene, roadmap)[0])):
        if walk[0] in goals and walk[1] >= 1000:
            best = min(best, cost)
    if math.isinf(best):
        assert isinstance(found, NoPath)
    else:
        assert isinstance(found, FootholdPath)
        assert found.cost == pytest.approx(best, rel=1e-9)
        n = found.passes[0]
        assert segment_distance(*found.footholds[n : n + 2], x, z) <= place.reach + 1e-6


def dijkstra(steps: Steps, roadmap: Roadmap, starts: int) -> Iterator[tuple[float, State]]:
    """What each state costs."""
    a = len(roadmap.nodes)
    heap = [(0.0, s) for s in steps if a <= s[0] < a + starts and s[1] < 1000]
    heapq.heapify(heap)
    done: set[State] = set()
    while heap:
        cost, s = heapq.heappop(heap)
        if s in done:
            continue
        done.add(s)
        yield cost, s
        for step, t, _ in steps.get(s, ()):
            heapq.heappush(heap, (cost + step, t))


def is_apart(feet: np.ndarray, walk: list[int], other: np.ndarray, apart: float) -> bool:
    """Whether some foothold between the ends is further from a line of footholds."""
    return any(
        min(segment_distance(a, b, *feet[n, [0, 2]]) for a, b in pairwise(other)) > apart
        for n in walk[1:-1]
    )


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_alternatives_are_the_cheapest_that_are_apart_from_those_before(seed):
    scene, roadmap = small_map(seed, 60)
    apart = 0.6
    found: list[FootholdPath] = []
    for _ in range(3):
        path = find_path(roadmap, scene, START, GOAL, unlike=found, apart_m=apart)
        if isinstance(path, FootholdPath):
            found.append(path)
    assert found
    costs = [p.cost for p in found]
    assert costs == sorted(costs)
    steps, feet = written_down(scene, roadmap)
    before: list[np.ndarray] = []
    for path in found:
        wanted = math.nan
        for cost, walk in plain_walks(roadmap, steps, 300_000, prune=False):
            if all(is_apart(feet, walk, other, apart) for other in before):
                wanted = cost
                break
        if not math.isnan(wanted):  # else it is too far down among all walks
            assert path.cost == pytest.approx(wanted, rel=1e-9)
        for other in before:
            row = list(range(len(path.footholds)))
            assert is_apart(path.footholds, row, other, apart - 1e-6)
        before.append(path.footholds)


def test_the_same_question_has_the_same_answer():
    scene, roadmap = yard_roadmap()
    start, goal = Place(-2.0, -2.5), Place(1.5, 2.0)
    one, two = (find_path(roadmap, scene, start, goal) for _ in range(2))
    assert isinstance(one, FootholdPath)
    assert isinstance(two, FootholdPath)
    np.testing.assert_array_equal(one.footholds, two.footholds)
    np.testing.assert_array_equal(one.moves, two.moves)


def test_what_is_closed_is_not_used_and_the_path_gets_no_cheaper():
    scene, roadmap = yard_roadmap()
    ends = [standing_ends(roadmap.table, scene, p, b, (0.1, 0.1))
            for p, b in ((Place(0.0, -2.5, 0.0), True), (Place(0.0, 2.5, 0.0), False))]  # fmt: skip
    starts, goals = (e.only(valid) for e, valid in ends)
    closed = nothing_closed(roadmap)
    used: set[tuple[int, ...]] = set()
    cost = 0.0
    for n in (0, 1, -1, 0, -1, 2):
        path = find_between(roadmap, scene, starts, goals, closed=closed)
        assert isinstance(path, FootholdPath)
        n %= len(path)
        own = {(int(path.nodes[k]), int(path.nodes[k + 1]), int(path.moves[k]))
               for k in range(len(path))}  # fmt: skip
        assert not own & used
        assert path.cost >= cost - 1e-9
        used.add((int(path.nodes[n]), int(path.nodes[n + 1]), int(path.moves[n])))
        closed, cost = closed.with_move(path, n), path.cost


def test_bodies_stand_where_moves_at_rest_have_their_root():
    moves = small_table().moves
    stances = stances_of(moves)
    assert (np.hypot(*stances.left[:, :2].T) < 0.5).all()
    for own, off in ((moves.begins, stances.begin), (moves.ends, stances.end)):
        rests = np.isin(own, moves.standing)
        assert np.isfinite(off[rests]).all()
        assert np.isnan(off[~rests]).all()
        assert (np.hypot(off[rests, 0], off[rests, 1]) < 0.3).all()
