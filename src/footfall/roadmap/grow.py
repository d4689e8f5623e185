"""A roadmap made denser: between what the start reaches and what reaches the goal, where it failed,
and about a path that is not direct, so that another fits better.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from weakref import WeakKeyDictionary

import numpy as np

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.roadmap.connect import connect
from footfall.roadmap.footholds import neighbour_pairs, stand
from footfall.roadmap.joins import Ends
from footfall.roadmap.model import Edges, Roadmap, assemble, join_edges
from footfall.roadmap.paths import FootholdPath, path_prints
from footfall.roadmap.table import Longs
from footfall.search.shortest_path import SparseGraph, search_all
from footfall.world.scene import Scene

ADDED, _MOST_TIMES = 300, 3
"""So many footholds are added at once; and so many times those of the beginning there may be."""
_BLOCK = 1024
"""So many footholds are connected at a time."""
_NEAR_M, _NEAR_TURN = 0.35, np.radians(30.0)
"""How far from a line footholds are tried, and how far they turn from its direction."""
_ABOUT_M, _ABOUT_TURN, _ABOUT_ANYWHERE, _ABOUT_NEIGHBOURS = 0.2, np.radians(20.0), 0.3, 50
"""How far from a path's footprints others are tried, how far they turn, which share points
anywhere, and how many of the nearest each is tried with."""
_REACHED_M = 0.8
"""A line is reached where a foothold that counts is so near."""
_denser: WeakKeyDictionary[Roadmap, deque[tuple[object, Scene, Roadmap]]] = WeakKeyDictionary()
"""The last few denser copies of each roadmap, by what they were made for."""


def grow_roadmap(
    roadmap: Roadmap, scene: Scene, starts: Ends, goals: Ends, line: Floats, seed: int = 0,
    check: Callable[[], None] = lambda: None,
) -> Roadmap:  # fmt: skip
    """The roadmap with more footholds where a path from the starts to the goals is missing.

    line   (L, 2) over the ground from start to goal
    check  is called now and then, and may raise
    """
    given = (starts.footholds, starts.postures, goals.footholds, goals.postures, line)
    key = (seed, *(array.tobytes() for array in given))
    kept = _denser.setdefault(roadmap, deque(maxlen=4))
    for known, where, denser in kept:
        if known == key and where is scene:
            return denser
    kept.append((key, scene, _grow(roadmap, scene, starts, goals, line, seed, check)))
    return kept[-1][2]


def _grow(
    roadmap: Roadmap, scene: Scene, starts: Ends, goals: Ends, line: Floats, seed: int,
    check: Callable[[], None],
) -> Roadmap:  # fmt: skip
    """Return the roadmap with more footholds, whatever was asked before."""
    rng = np.random.default_rng([seed, len(roadmap.nodes)])
    outs, ins = _joins(roadmap, scene, starts, goals)
    check()
    ahead = _reached(roadmap, outs.head, roadmap.moves.ends[outs.move], forward=True)
    behind = _reached(roadmap, ins.tail, roadmap.moves.begins[ins.move], forward=False)
    first = np.concatenate([roadmap.nodes[ahead], starts.footholds])
    last = np.concatenate([roadmap.nodes[behind], goals.footholds])
    line = _missing_part(line, first, last)
    return add_footholds(roadmap, scene, _sample_along(roadmap, scene, line, rng), check)


def may_grow(roadmap: Roadmap) -> bool:
    """Whether a roadmap is not yet several times what it was built as."""
    settings = roadmap.table.settings
    return len(roadmap.nodes) + ADDED <= max(_MOST_TIMES * (settings.nodes + settings.more), 3000)


def add_footholds(
    roadmap: Roadmap, scene: Scene, extra: Floats, check: Callable[[], None] = lambda: None,
    neighbours: int | None = None,
) -> Roadmap:  # fmt: skip
    """The roadmap with more footholds (N, 4), connected to it; None: to as many as usual."""
    if not len(extra):
        return roadmap
    table, nodes = roadmap.table, np.concatenate([roadmap.nodes, extra])
    tails, heads = neighbour_pairs(
        nodes, neighbours or table.settings.neighbours, since=len(roadmap.nodes),
        size=roadmap.moves.size,
    )  # fmt: skip
    parts = [roadmap.edges]
    for first in range(0, len(nodes), _BLOCK):
        check()
        rows = slice(*np.searchsorted(tails, [first, first + _BLOCK]))
        pairs = tails[rows], heads[rows]
        parts.append(connect(table, scene, nodes, nodes, pairs, sure=roadmap.sure))
    return assemble(table, nodes, join_edges(parts), roadmap.sure)


def _joins(roadmap: Roadmap, scene: Scene, starts: Ends, goals: Ends) -> tuple[Edges, Edges]:
    """What leads from the starts to the roadmap, and from it to the goals."""
    table, nodes, rest = roadmap.table, roadmap.nodes, roadmap.moves.standing
    reach = roadmap.moves.size.furthest_m * (1.0 + table.settings.scale)

    def near(a: Floats, b: Floats) -> tuple[Longs, Longs]:
        away = np.hypot(a[:, None, 0] - b[None, :, 0], a[:, None, 2] - b[None, :, 2])
        tails, heads = np.nonzero(away <= reach)
        return tails, heads

    a, b, sure = starts.footholds, goals.footholds, roadmap.sure
    outs = connect(table, scene, a, nodes, near(a, nodes), True, rest, None, sure)
    ins = connect(table, scene, nodes, b, near(nodes, b), True, None, rest, sure)
    fits = roadmap.moves.begins[outs.move] == starts.postures[outs.tail]
    suits = roadmap.moves.ends[ins.move] == goals.postures[ins.head]
    return outs.only(fits), ins.only(suits)


def _reached(roadmap: Roadmap, feet: Longs, postures: Ints, forward: bool) -> Bools:
    """(N,) the footholds that paths from footholds in postures reach; or that reach them."""
    edges, moves, count = roadmap.edges, roadmap.moves, roadmap.moves.postures
    tail = edges.tail * count + moves.begins[edges.move]
    head = edges.head * count + moves.ends[edges.move]
    if not forward:
        tail, head = head, tail
    order = np.argsort(tail, kind="stable")
    starts = np.searchsorted(tail[order], np.arange(roadmap.states + 1))
    graph = SparseGraph(starts, head[order], np.zeros(len(edges)))
    seeds = np.unique(feet * count + postures)
    cost = search_all(graph, seeds.tolist()).costs
    return np.asarray(np.isfinite(cost).reshape(-1, count).any(axis=1))


def _missing_part(line: Floats, ahead: Floats, behind: Floats) -> Floats:
    """The part of a line between what the start reaches and what reaches the goal."""
    near = []
    for nodes in (ahead, behind):
        away = np.hypot(*(line[:, None] - nodes[None, :, [0, 2]]).transpose(2, 0, 1))
        near.append(np.flatnonzero(away.min(axis=1, initial=np.inf) <= _REACHED_M))
    first = int(near[0][-1]) if len(near[0]) else 0
    last = int(near[1][0]) if len(near[1]) else len(line) - 1
    first, last = min(first, last), max(first, last)
    spare = max(2, round(1.0 / max(float(np.hypot(*(line[1] - line[0]))), 1e-6)))
    return line[max(first - spare, 0) : last + spare + 1]


def _sample_along(roadmap: Roadmap, scene: Scene, line: Floats, rng: np.random.Generator) -> Floats:
    """(N, 4) footholds near a line (L, 2), half of them along it, half pointing anywhere."""
    if len(line) < 2:
        return np.zeros((0, 4))
    step = np.diff(line, axis=0)
    part = rng.integers(0, len(step), 4 * ADDED)
    at = line[part] + rng.uniform(size=(len(part), 1)) * step[part]
    about = np.column_stack([at, np.arctan2(step[part, 0], step[part, 1])])
    return _sample_about(roadmap, scene, about, (_NEAR_M, _NEAR_TURN, 0.5), rng)


def _sample_about(
    roadmap: Roadmap, scene: Scene, about: Floats, spread: tuple[float, float, float],
    rng: np.random.Generator,
) -> Floats:  # fmt: skip
    """(N, 4) footholds near x, z, yaw (K, 3).

    spread  standard deviations, metres and radians, and the share that points anywhere
    """
    found: list[Floats] = []
    have = 0
    for _ in range(20):
        at = about[rng.integers(len(about), size=2 * ADDED)]
        at = at + rng.normal(size=at.shape) * [spread[0], spread[0], spread[1]]
        anywhere = rng.random(len(at)) < spread[2]
        at[anywhere, 2] = rng.uniform(-np.pi, np.pi, int(anywhere.sum()))
        at[:, 2] = (at[:, 2] + np.pi) % (2.0 * np.pi) - np.pi
        feet, valid = stand(roadmap.table, scene, at)
        found.append(feet[valid])
        have += int(valid.sum())
        if have >= ADDED:
            break
    return np.concatenate(found)[:ADDED]


def grow_about(
    roadmap: Roadmap, scene: Scene, path: FootholdPath, seed: int, check: Callable[[], None]
) -> Roadmap:
    """The roadmap with more footholds about those of a path, for a path that fits better."""
    rng = np.random.default_rng([seed, len(roadmap.nodes), len(path)])
    prints, _ = path_prints(roadmap.table, scene, path)
    spread = roadmap.moves.size.in_proportion(_ABOUT_M), _ABOUT_TURN, _ABOUT_ANYWHERE
    extra = _sample_about(roadmap, scene, prints[:, [0, 2, 3]], spread, rng)
    return add_footholds(roadmap, scene, extra, check, _ABOUT_NEIGHBOURS)
