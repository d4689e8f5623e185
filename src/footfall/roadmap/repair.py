"""A roadmap brought up to date after obstacles were added, moved or removed.

Only what they touch, where they were and where they are, is looked at again: footholds under and
around them, moves that sweep through there, and pairs of footholds between which some would. Where
ground was freed, or can be stood on now, footholds are sampled as densely as elsewhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from footfall.maths.arrays import Bools, Floats
from footfall.roadmap.bodies import bodies_of
from footfall.roadmap.build import build_roadmap
from footfall.roadmap.connect import connect
from footfall.roadmap.footholds import SureGround, foothold_keys, stand
from footfall.roadmap.model import Edges, Roadmap, join_edges
from footfall.roadmap.table import ANGLES, Longs, MoveTable
from footfall.world.fields import Grid, sure_footing_field
from footfall.world.obstacles import Obstacle, place
from footfall.world.scene import Scene
from footfall.world.scene_edit import changed_obstacles, without_moving

_PAD_M = 0.4
"""What comes so near to a change is looked at again: bodies are turned where their feet are."""
_NEAR_M = 2.5
"""Pairs of footholds further from a change than this are too far apart to be joined across it."""
_MOST_BOXES = 16
"""An obstacle of more primitives counts as one box."""
_CELL_M = 0.5
"""How fine the floor is seen when the density of footholds is told."""
_known: WeakKeyDictionary[MoveTable, Floats] = WeakKeyDictionary()
_FULL = 2
"""So many times the usual number of moves may leave a foothold in one posture after repairs."""


def repair_roadmap(roadmap: Roadmap, old: Scene, new: Scene) -> Roadmap:
    """The roadmap of the old scene made one of the new scene.

    Obstacles that are the same objects in both count as unchanged (see `world.scene_edit`); those
    that move on their own are no part of a roadmap. Where more than obstacles differ it is built
    anew.
    """
    old, new = without_moving(old), without_moving(new)
    if any(getattr(old, n) is not getattr(new, n) for n in ("outline", "ground")) or any(
        a is not b for n in ("holes", "waters") for a, b in _zip(getattr(old, n), getattr(new, n))
    ):
        return build_roadmap(roadmap.table, new)
    was, now = (_boxes(some) for some in changed_obstacles(old, new))
    changed = np.concatenate([was, now])
    if not len(changed):
        return roadmap
    table, edges = roadmap.table, roadmap.edges
    sure = _repair_sure(roadmap.sure, new, table, changed)
    nodes, where = _repair_nodes(table, new, roadmap.nodes, changed)
    kept = len(nodes)
    lost = where < 0
    whole = np.concatenate([nodes, _fresh_footholds(table, old, new, nodes, changed)])
    moved = np.zeros(len(roadmap.nodes), np.bool_)
    moved[~lost] = np.abs(nodes[:, 1] - roadmap.nodes[~lost, 1]) > 1e-9
    touched = _touched(table, roadmap.nodes, edges, changed)
    if moved.any():
        touched |= moved[edges.tail] | moved[edges.head]
    gone = lost[edges.tail] | lost[edges.head]
    again = edges.only(touched & ~gone)
    stays = edges.only(~(touched | gone))
    stays = replace(stays, tail=where[stays.tail], head=where[stays.head])
    is_new = np.concatenate([moved[~lost], np.ones(len(whole) - kept, np.bool_)])
    # Where something went away moves may lead through now; where something came none can, but
    # those that did are tried again.
    tails, heads = _pairs(table, whole, was, now, is_new)
    both = np.unique(
        np.concatenate([tails * len(whole) + heads,
                        where[again.tail] * len(whole) + where[again.head]])
    )  # fmt: skip
    added = _connect(table, new, whole, (both // len(whole), both % len(whole)), sure)
    return _merge(roadmap, whole, stays, added, sure)


def _zip(a: tuple[Any, ...], b: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """Both side by side; what is missing in one is None."""
    many = max(len(a), len(b))
    return list(zip((*a, *[None] * (many - len(a))), (*b, *[None] * (many - len(b))), strict=True))


def _boxes(obstacles: list[Obstacle]) -> Floats:
    """(C, 6) least and largest x, y and z of the parts of obstacles."""
    found = [np.zeros((0, 6))]
    for obstacle in obstacles:
        solids = place([obstacle], [0], None)
        boxes = np.concatenate([solids.low, solids.high], axis=1)
        if len(boxes) > _MOST_BOXES:
            boxes = np.concatenate([boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)])[None]
        found.append(boxes)
    return np.concatenate(found)


def _distances(nodes: Floats, changed: Floats) -> Floats:
    """(N,) how far footholds are from the nearest box, seen from above; infinite without one."""
    away = np.full(len(nodes), np.inf)
    for box in changed:
        dx = np.maximum(np.maximum(box[0] - nodes[:, 0], nodes[:, 0] - box[3]), 0.0)
        dz = np.maximum(np.maximum(box[2] - nodes[:, 2], nodes[:, 2] - box[5]), 0.0)
        away = np.minimum(away, np.hypot(dx, dz))
    return away


def _sole_reach(table: MoveTable) -> float:
    """How far from a foothold's place its sole reaches."""
    box = table.moves.foot_box
    return abs(table.moves.sole_ahead) + 0.5 * float(np.hypot(box.length, box.width)) + 0.02


def _repair_sure(sure: SureGround, scene: Scene, table: MoveTable, changed: Floats) -> SureGround:
    """Where any foot stands well, looked at again near what changed."""
    if not sure.heights.size:
        return sure
    heights = np.array(sure.heights)
    low, side = sure.level[:2], float(sure.level[2])
    grid = Grid(float(low[0]), float(low[1]), side, (heights.shape[0], heights.shape[1]))
    pad = _sole_reach(table) + 2.0 * side + float(table.moves.foot_box.length)
    for box in changed:
        first = np.floor((box[[0, 2]] - pad - low) / side).astype(int).clip(0, heights.shape)
        stop = np.ceil((box[[3, 5]] + pad - low) / side).astype(int).clip(0, heights.shape)
        if (stop > first).all():
            part = sure_footing_field(scene, grid.part(first, stop), table.moves.foot_box)
            heights[first[0] : stop[0], first[1] : stop[1]] = part
    return replace(sure, heights=heights)


def _repair_nodes(
    table: MoveTable, scene: Scene, nodes: Floats, changed: Floats
) -> tuple[Floats, Longs]:
    """Footholds that are still valid, at the height they have now; and where each went, or -1."""
    near = np.flatnonzero(_distances(nodes, changed) <= _sole_reach(table))
    fresh = np.array(nodes)
    fine = np.ones(len(nodes), np.bool_)
    if len(near):
        fresh[near], fine[near] = stand(table, scene, nodes[near][:, [0, 2, 3]])
    where = np.where(fine, np.cumsum(fine) - 1, -1)
    return fresh[fine], where


def _fresh_footholds(
    table: MoveTable, old: Scene, new: Scene, nodes: Floats, changed: Floats
) -> Floats:
    """(N, 4) footholds where none could be before, as dense as the others are."""
    cells = np.unique(np.floor(nodes[:, [0, 2]] / _CELL_M), axis=0)
    density = len(nodes) / (max(len(cells), 1) * _CELL_M**2)
    if not len(nodes):
        density = table.settings.nodes / max(float(new.bounds.area), 1.0)
    rng = np.random.default_rng([table.settings.seed, len(nodes)])
    pad = _sole_reach(table)
    found = [np.zeros((0, 4))]
    for n, box in enumerate(changed):
        low, high = box[[0, 2]] - pad, box[[3, 5]] + pad
        count = int(rng.poisson(density * float((high - low).prod())))
        at = rng.uniform([*low, -np.pi], [*high, np.pi], (min(count, table.settings.nodes), 3))
        taken = _distances(np.insert(at, 1, 0.0, axis=1), changed[:n]) <= pad if n else None
        at = at if taken is None else at[~taken]
        if not len(at):
            continue
        before, was = stand(table, old, at)
        now, valid = stand(table, new, at)
        found.append(now[valid & ~(was & (np.abs(before[:, 1] - now[:, 1]) < 0.01))])
    return np.concatenate(found)


def _touched(table: MoveTable, nodes: Floats, edges: Edges, changed: Floats) -> Bools:
    """(E,) which edges sweep through what changed."""
    from footfall.roadmap.repair_kernels import touched_edges

    out = np.zeros(len(edges), np.bool_)
    away, bodies = _distances(nodes, changed), bodies_of(table.moves).packed
    touched_edges(edges.packed(), nodes, away, table.arrays, bodies, changed, _PAD_M, out)
    return out


def _pairs(
    table: MoveTable, nodes: Floats, freed: Floats, taken: Floats, is_new: Bools
) -> tuple[Longs, Longs]:
    """Pairs of neighbours that are new, or between which moves may lead through what was freed."""
    from scipy.spatial import cKDTree

    from footfall.roadmap.repair_kernels import touched_pairs

    near = np.flatnonzero((_distances(nodes, freed) <= _NEAR_M) | is_new)
    if not len(near):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    keys = foothold_keys(nodes, table.moves.size)
    many = min(table.settings.neighbours + 1, len(nodes))
    _, found = cKDTree(keys).query(keys[near], many)
    rows, heads = np.repeat(np.arange(len(near)), many), found.reshape(-1)
    # Each pair once: those that leave a near foothold, and those that reach one from elsewhere.
    leaves, reached = (np.zeros((len(near), len(nodes)), np.bool_) for _ in range(2))
    leaves[rows, heads] = True
    number = np.full(len(nodes), -1)
    number[near] = np.arange(len(near))
    inner = number[heads] >= 0
    leaves[number[heads[inner]], near[rows[inner]]] = True
    reached[rows[~inner], heads[~inner]] = True
    leaves[np.arange(len(near)), near] = False
    one, other = np.nonzero(leaves), np.nonzero(reached)
    tails = np.concatenate([near[one[0]], other[1]])
    heads = np.concatenate([one[1], near[other[0]]])
    out = np.zeros(len(tails), np.bool_)
    bodies, size = bodies_of(table.moves), table.moves.size
    touched_pairs(
        tails, heads, nodes, table.arrays, bodies.packed, bodies.discs, _reaches(table), freed,
        taken, size.leap_high_m, out,
    )  # fmt: skip
    if is_new.any():
        out |= is_new[tails] | is_new[heads]
    return tails[out], heads[out]


def _reaches(table: MoveTable) -> Floats:
    """(distances,) how far beside the line between two footholds, so far apart, bodies get."""
    found = _known.get(table)
    if found is None:
        whole, chord = bodies_of(table.moves).whole, table.moves.chord
        beside = np.maximum(np.maximum(-whole[:, 0], whole[:, 3]), -whole[:, 2])
        beside = np.maximum(beside, whole[:, 5] - chord) * (1.0 + table.settings.scale)
        beside += table.moves.size.short_m
        listed = np.concatenate([beside[table.items], [0.0]])
        first = table.starts[: -1 : ANGLES * ANGLES]
        found = np.maximum.reduceat(listed, np.minimum(first, len(listed) - 1))
        _known[table] = found
    return found


def _connect(
    table: MoveTable, scene: Scene, nodes: Floats, pairs: tuple[Longs, Longs], sure: SureGround
) -> Edges:
    """What leads from one of each pair to the other, told by the numbers of all footholds."""
    own, tails = np.unique(pairs[0], return_inverse=True)
    found = connect(table, scene, nodes[own], nodes, (tails, pairs[1]), sure=sure)
    return replace(found, tail=own[found.tail]) if len(own) else found


def _merge(roadmap: Roadmap, nodes: Floats, kept: Edges, added: Edges, sure: SureGround) -> Roadmap:
    """A roadmap of edges that are sorted and others, no move twice, none too many."""
    table = roadmap.table
    postures, begins = table.moves.postures, table.moves.begins
    added = added.only(~_are_known(table, len(nodes), kept, added))
    added = added.only(np.lexsort((added.cost, added.tail * postures + begins[added.move])))
    edges = join_edges([kept, added])
    state = edges.tail * postures + begins[edges.move]
    order = np.argsort(state, kind="stable")  # two sorted runs are merged
    edges, state = edges.only(order), state[order]
    counts = np.bincount(state, minlength=len(nodes) * postures)
    grown = np.zeros(len(counts), np.bool_)
    grown[added.tail * postures + begins[added.move]] = True
    drop = _surplus(edges, state, grown & (counts > _FULL * table.settings.out_degree), table)
    if drop.any():
        edges = edges.only(~drop)
        counts = np.bincount(state[~drop], minlength=len(nodes) * postures)
    out_start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return replace(roadmap, nodes=nodes, edges=edges, out_start=out_start, sure=sure)


def _are_known(table: MoveTable, nodes: int, kept: Edges, added: Edges) -> Bools:
    """Which edges lead from and to what another does, between the same postures."""
    moves = table.moves
    own = np.zeros(nodes, np.bool_)
    own[added.tail] = True
    near = kept.only(own[kept.tail])
    mine, theirs = (
        (e.tail * nodes + e.head) * moves.postures**2
        + moves.begins[e.move].astype(np.int64) * moves.postures + moves.ends[e.move]
        for e in (added, near)
    )  # fmt: skip
    return np.isin(mine, theirs)


def _surplus(edges: Edges, state: Longs, full: Bools, table: MoveTable) -> Bools:
    """The dearest edges (E,) of states that are full: as many as are too many."""
    drop = np.zeros(len(edges), np.bool_)
    if full.any():
        rows = np.flatnonzero(full[state])
        order = rows[np.lexsort((edges.cost[rows], state[rows]))]
        rank = np.arange(len(order)) - np.searchsorted(state[order], state[order])
        drop[order[rank >= _FULL * table.settings.out_degree]] = True
    return drop
