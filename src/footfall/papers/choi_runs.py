"""Choi's experiments run: roadmaps built, queries answered, paths refined, sampling compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from footfall.files.scene.read import load_scene
from footfall.library.library import open_library
from footfall.maths.arrays import Floats
from footfall.papers.choi_paper import Experiment, PrintedQuery
from footfall.roadmap.build import build_roadmap
from footfall.roadmap.connect import connect, edge_prints
from footfall.roadmap.footholds import neighbour_pairs, stand, sure_ground
from footfall.roadmap.method import plan_on_roadmap
from footfall.roadmap.model import Roadmap, assemble
from footfall.roadmap.moves import Moves, find_moves
from footfall.roadmap.options import RoadmapOptions
from footfall.roadmap.paths import FootholdPath, NoPath, find_path
from footfall.roadmap.refine import path_changes, straighten_path, zigzag
from footfall.roadmap.table import RoadmapSettings, list_moves
from footfall.task import GoTo, Place, Plan, Query
from footfall.world.props import wall
from footfall.world.scene import Scene, rectangle

ITERATIONS = tuple(range(9))
_QUICK = 5
"""The factor by which a quick run has fewer footholds."""
_AGAIN = 4
"""So often a query is answered again, for its time."""
_PASSAGE_M = 0.85
"""How wide the passage between two halls is."""
_SIZES, _SEEDS = (200, 400, 800), 40
"""How many footholds roadmaps have whose sampling is compared, and how many there are of each."""
_AIMS = 24
"""The number of random queries that are added where paths are refined."""


@dataclass(frozen=True, eq=False)
class Answered:
    """What came of one query: its plan, its path as it was found, the tags of its clips."""

    printed: PrintedQuery
    plan: Plan
    path: FootholdPath | NoPath
    tags: frozenset[str]
    moves: int


@dataclass(frozen=True, eq=False)
class Refined:
    """Over iterations (I,), of paths (P,): how much they turn, and how much moves are changed.

    valid  whether the local planner, asked anew, has every move after four iterations
    """

    turning: Floats
    change: Floats
    valid: bool


@dataclass(frozen=True, eq=False)
class ExperimentRun:
    """One experiment.

    build_s      seconds that the roadmap took
    misses_m     the furthest that the first or last footprint of a move is from its foothold
    most_change  the most that any edge is stretched, and turned (radians)
    same_cost    whether A* and Dijkstra found paths of the same cost
    """

    experiment: Experiment
    scene: Scene
    roadmap: Roadmap
    build_s: float
    answers: tuple[Answered, ...]
    refined: Refined
    misses_m: float
    most_change: tuple[float, float]
    same_cost: bool


@lru_cache(maxsize=8)
def moves_of(names: tuple[str, ...], dearness: tuple[tuple[str, float], ...] = ()) -> Moves:
    """Return the moves of default clips by their names.

    dearness  how dear some behaviours are, by tag, where that is not as usual
    """
    clips = {clip.name: clip for clip in open_library("default:choi")}
    chosen = tuple(clips[name] for name in names)
    return find_moves(chosen, RoadmapOptions().posture_m, dict(dearness))


def run_experiment(
    experiment: Experiment, quick: bool, seed: int, step: Callable[[], None]
) -> ExperimentRun:
    """Build the roadmap of an experiment, answer its queries, refine their paths and others."""
    scene = load_scene(experiment.scene)
    moves = moves_of(experiment.clips, experiment.dearness)
    less = _QUICK if quick else 1
    settings = RoadmapOptions(
        nodes=experiment.nodes // less, more=experiment.more // less,
        neighbours=experiment.neighbours,
    ).settings(seed)  # fmt: skip
    table = list_moves(moves, settings)
    # Once small, so that what is timed is not the compiling.
    build_roadmap(list_moves(moves, replace(settings, nodes=40, more=20)), scene)
    began = time.perf_counter()
    roadmap = build_roadmap(table, scene)
    build_s = time.perf_counter() - began
    step()
    answers = tuple(_answer(roadmap, scene, printed, seed) for printed in experiment.queries)
    step()
    paths = [a.path for a in answers if isinstance(a.path, FootholdPath)]
    some = _random_paths(roadmap, scene, 6 if quick else _AIMS, seed)
    refined = refine(roadmap, scene, [*((p, None, None) for p in paths), *some])
    step()
    return ExperimentRun(
        experiment, scene, roadmap, build_s, answers, refined, *_fit_of_edges(roadmap),
        _same_cost(roadmap, scene, experiment),
    )  # fmt: skip


def _answer(roadmap: Roadmap, scene: Scene, printed: PrintedQuery, seed: int) -> Answered:
    named = next(q for q in scene.queries if q.name == printed.query)
    start = Place(named.start.x, named.start.z, named.start.yaw)
    goal = GoTo(named.goal.x, named.goal.z, named.goal.yaw)
    query = Query(start, goal, scene, seed=seed)
    path = find_path(roadmap, scene, start, goal.place)
    plan = plan_on_roadmap(roadmap, query)
    for _ in range(_AGAIN if plan.found else 0):
        # The first time is no measure, nor is one at which the machine was busy with others.
        other = plan_on_roadmap(roadmap, query)
        least = {name: min(s, other.timings.get(name, s)) for name, s in plan.timings.items()}
        plan = replace(plan, timings=least)
    if plan.found:
        motion = plan.timings["motion"] + plan.timings["finish"]
        plan = replace(plan, timings={**plan.timings, "motion": motion})
    tags = {clip.name: clip.tags for clip in roadmap.moves.clips}
    seen = {t for s in plan.segments for source in s.sources for t in tags.get(source.clip, ())}
    return Answered(printed, plan, path, frozenset(seen), len(plan.segments))


def _random_paths(
    roadmap: Roadmap, scene: Scene, count: int, seed: int
) -> list[tuple[FootholdPath, Place | None, Place | None]]:
    """Paths between random footholds whose headings are left open, of three moves at least."""
    rng = np.random.default_rng(seed)
    found: list[tuple[FootholdPath, Place | None, Place | None]] = []
    for _ in range(4 * count):
        a, b = roadmap.nodes[rng.integers(len(roadmap.nodes), size=2)]
        ends = Place(float(a[0]), float(a[2])), Place(float(b[0]), float(b[2]))
        path = find_path(roadmap, scene, *ends)
        if isinstance(path, FootholdPath) and len(path) >= 3:
            found.append((path, *ends))
        if len(found) == count:
            break
    return found


def refine(
    roadmap: Roadmap, scene: Scene,
    paths: Sequence[tuple[FootholdPath, Place | None, Place | None]],
) -> Refined:  # fmt: skip
    """Paths refined by more and more iterations."""
    turning, change = np.zeros((2, len(ITERATIONS), len(paths)))
    valid = True
    for n, sweeps in enumerate(ITERATIONS):
        for k, (path, start, goal) in enumerate(paths):
            made = straighten_path(roadmap, scene, path, sweeps, start=start, goal=goal)
            turning[n, k] = zigzag(made)
            change[n, k] = path_changes(roadmap.table, made).mean()
            if sweeps == 4:
                valid = valid and is_path_valid(roadmap, scene, made)
    return Refined(turning, change, valid)


def is_path_valid(roadmap: Roadmap, scene: Scene, path: FootholdPath) -> bool:
    """Return whether the local planner would make every move of a path."""
    count = np.arange(len(path))
    feet = np.ascontiguousarray(path.footholds)
    edges = connect(
        roadmap.table, scene, feet[:-1].copy(), feet[1:].copy(), (count, count), many=True,
        sure=roadmap.sure,
    )  # fmt: skip
    made = set(zip(edges.tail.tolist(), edges.move.tolist(), strict=True))
    return all((n, m) in made for n, m in enumerate(path.moves.tolist()))


def _fit_of_edges(roadmap: Roadmap, most: int = 20_000) -> tuple[float, tuple[float, float]]:
    """Return how far footprints miss footholds, metres, and the most that edges are changed."""
    edges, nodes, moves = roadmap.edges, roadmap.nodes, roadmap.moves
    rows = np.linspace(0, len(edges) - 1, min(most, len(edges))).astype(int)
    some = edges.only(rows)
    prints, starts = edge_prints(roadmap.table, nodes, nodes, some)
    first, last = prints[starts[:-1]], prints[starts[1:] - 1]
    a, b = nodes[some.tail], nodes[some.head]
    axes = [0, 2]
    off = [np.abs(p[:, axes] - f[:, axes]).max(initial=0.0) for p, f in ((first, a), (last, b))]
    chord = moves.chord[some.move]
    far = chord >= 0.45
    step = (b - a)[:, axes]
    stretch = np.abs(1.0 - np.hypot(*step[far].T) / chord[far]).max(initial=0.0)
    bearing = np.arctan2(*step[far].T)
    turns = [
        _wrap(f[far, 3] - bearing - t[some.move][far])
        for f, t in ((a, moves.turn_first), (b, moves.turn_last))
    ]
    return float(max(off)), (float(stretch), float(np.abs(turns).max(initial=0.0)))


def _wrap(angle: Floats) -> Floats:
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


def _same_cost(roadmap: Roadmap, scene: Scene, experiment: Experiment) -> bool:
    """Return whether A* and Dijkstra agree on every query."""
    for printed in experiment.queries:
        named = next(q for q in scene.queries if q.name == printed.query)
        start, goal = (Place(e.x, e.z, e.yaw) for e in (named.start, named.goal))
        found = [find_path(roadmap, scene, start, goal, search=how) for how in ("a*", "dijkstra")]
        costs = [p.cost if isinstance(p, FootholdPath) else np.inf for p in found]
        if not (costs[0] == costs[1] or np.isclose(costs[0], costs[1], rtol=1e-9)):
            return False
    return True


@dataclass(frozen=True, eq=False)
class SamplingRun:
    """How many of the queries are solved, by how footholds are sampled and by their number.

    solved  (ways, sizes, seeds) shares of the queries
    """

    scene: str
    ways: tuple[str, ...]
    sizes: tuple[int, ...]
    queries: int
    solved: Floats


WAYS = ("random, enhanced", "random, uniform", "regular grid")


def compare_sampling(
    experiment: Experiment, quick: bool, seed: int, step: Callable[[], None]
) -> SamplingRun:
    """Solve the same queries on roadmaps of the same size whose footholds are sampled otherwise.

    The queries lead from hall to hall through a narrow passage.
    """
    scene, moves = two_halls(), moves_of(experiment.clips)
    sizes, seeds, aims = _SIZES, 2 if quick else _SEEDS, 4
    base = RoadmapOptions(neighbours=experiment.neighbours).settings()
    places = _places_in_halls(2 * aims, seed)
    solved = np.zeros((len(WAYS), len(sizes), seeds))
    for i, size in enumerate(sizes):
        for k in range(seeds):
            settings = replace(base, nodes=size, more=0, seed=seed + k)
            enhanced = replace(settings, nodes=size - size // 3, more=size // 3)
            maps = (
                build_roadmap(list_moves(moves, enhanced), scene),
                build_roadmap(list_moves(moves, settings), scene),
                grid_roadmap(moves, settings, scene),
            )
            for w, roadmap in enumerate(maps):
                solved[w, i, k] = np.mean([
                    isinstance(find_path(roadmap, scene, a, b), FootholdPath)
                    for a, b in zip(places[::2], places[1::2], strict=True)
                ])  # fmt: skip
            step()
    return SamplingRun(scene.name, WAYS, sizes, aims, solved)


def sampling_steps(quick: bool) -> int:
    """Return how many steps `compare_sampling` reports."""
    return len(_SIZES) * (2 if quick else _SEEDS)


def two_halls() -> Scene:
    """Return two halls of 5 by 6 m, and between them a passage 2 m long and 0.85 m wide."""
    half = 0.5 * _PASSAGE_M
    walls = [
        wall([0.0, side * half], [0.0, side * 3.0], 2.0, 2.5, name=name)
        for side, name in ((-1.0, "right wall"), (1.0, "left wall"))
    ]
    return Scene("two halls", rectangle([-6.0, -3.0], [6.0, 3.0]), obstacles=tuple(walls))


def _places_in_halls(count: int, seed: int) -> list[Place]:
    """Places in the one hall and in the other by turns, any heading."""
    rng = np.random.default_rng(1000 + seed)
    at = rng.uniform([1.8, -2.3], [5.3, 2.3], (count, 2))
    at[::2, 0] *= -1.0
    return [Place(float(x), float(z)) for x, z in at]


def grid_roadmap(moves: Moves, settings: RoadmapSettings, scene: Scene) -> Roadmap:
    """Return a roadmap whose footholds lie on a regular grid of places and eight headings.

    The grid is as fine as gives about as many valid footholds as the settings name; its corner
    depends on their seed.
    """
    table = list_moves(moves, settings)
    low, high = scene.outline.min(axis=0), scene.outline.max(axis=0)
    shift = np.random.default_rng(settings.seed).uniform(size=2)
    side = float(np.sqrt((high - low).prod() * 8 / settings.nodes))
    for _ in range(12):
        x, z = (np.arange(low[k] + shift[k] * side, high[k], side) for k in range(2))
        yaw = np.arange(8) * np.pi / 4.0 - np.pi
        at = np.stack(np.meshgrid(x, z, yaw, indexing="ij"), axis=-1).reshape(-1, 3)
        nodes, valid = stand(table, scene, at)
        share = valid.sum() / settings.nodes
        if 0.95 <= share <= 1.05:
            break
        side *= float(np.sqrt(max(share, 0.25)))
    nodes = nodes[valid]
    sure = sure_ground(scene, moves.foot_box)
    pairs = neighbour_pairs(nodes, settings.neighbours)
    return assemble(table, nodes, connect(table, scene, nodes, nodes, pairs, sure=sure), sure)
