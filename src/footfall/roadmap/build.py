"""A roadmap over footholds: sampled, connected by moves, made denser where it is thin.

Nodes are footholds on valid ground. An edge says that some move leads from one foothold to
another in this scene: its footprints have ground to stand on, and no part of the body sweeps
through an obstacle. Of all moves between two footholds that begin and end in the same postures
only the cheapest is kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.roadmap.moves import SHORT_M, Moves
from footfall.world.collision.queries import FootBox, body_clearance, foot_placements
from footfall.world.scene import Scene
from footfall.world.snapshot import scratch

Longs = NDArray[np.int64]

STEP_M, ANGLES = 0.05, 24
"""Bins in which moves that may fit are listed."""
_LIFT_M = 0.06
"""Obstacles that are no higher above the highest footprint are stepped on, not walked into."""
_YAW_M = 0.3
"""So far apart is as far as a radian of turning, when neighbours are looked for."""
_NEAR_M, _NEAR_TURN = 0.5, np.radians(30.0)
"""How far from a thinly connected node more are tried."""
_SECTORS = 8
_CELL_M, _MOST_CELLS = 0.1, 200_000


@dataclass(frozen=True)
class RoadmapSettings:
    """How a roadmap is made.

    nodes, more   footholds sampled at first, and added where connections are few
    neighbours    how many of the nearest each is tried with
    scale, turn   how far moves may be stretched, and feet turned, radians
    rise_m        how much higher or lower than in the clip a step may lead
    out_degree    how many moves are kept from one foothold in one posture
    alike         of them, how many that lead the same way to the same posture
    time_weight, change_weight   of Eqs. 4 and 6
    climb_weight  what a metre a step costs that the clip does not climb itself
    """

    nodes: int = 2000
    more: int = 1000
    neighbours: int = 100
    scale: float = 0.25
    turn: float = float(np.radians(45.0))
    rise_m: float = 0.2
    out_degree: int = 8
    alike: int = 1
    time_weight: float = 0.5
    change_weight: float = 10.0
    climb_weight: float = 200.0
    seed: int = 0


@dataclass(frozen=True, eq=False)
class MoveTable:
    """Moves listed by how far they lead and how they turn, so that those that fit are at hand."""

    moves: Moves
    settings: RoadmapSettings
    pair: Longs
    own_cost: Floats
    end_x: Floats
    end_z: Floats
    starts: Longs
    items: NDArray[np.int32]
    distances: int

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What the kernels are told of moves."""
        m = self.moves
        return (m.chord, m.turn_first, m.turn_last, self.end_x, self.end_z, m.print_start,
                m.places, m.turns, m.share, m.box_start, m.boxes, m.radius, m.begins,
                m.ends)  # fmt: skip


    @property
    def costs(self) -> tuple[Any, ...]:
        """What the kernels are told of costs."""
        settings, moves = self.settings, self.moves
        weights = settings.change_weight, settings.climb_weight
        return (self.own_cost, moves.dearness, *weights, moves.postures)

    @property
    def bins(self) -> tuple[Any, ...]:
        """How moves are listed."""
        return STEP_M, self.distances, ANGLES

    @property
    def limits(self) -> Floats:
        """What the kernels are told of limits."""
        settings, box = self.settings, self.moves.foot_box
        return np.array([
            settings.scale, settings.turn, settings.rise_m, np.tan(box.max_slope), box.roughness,
            SHORT_M, _LIFT_M,
        ])  # fmt: skip

    @property
    def sole(self) -> Floats:
        """Half length, half width and height of a foot's box, and how far ahead its middle is."""
        box = self.moves.foot_box
        return np.array([0.5 * box.length, 0.5 * box.width, box.height, self.moves.sole_ahead])


def list_moves(moves: Moves, settings: RoadmapSettings) -> MoveTable:
    """The moves, listed for `connect`."""
    from footfall.roadmap.kernels import fill_bins

    last = moves.print_start[1:] - 1
    fps = moves.clips[0].fps
    own_cost = 100.0 * moves.length + settings.time_weight * moves.frames * (30.0 / fps)
    ids: dict[tuple[int, int], int] = {}
    both = zip(moves.begins.tolist(), moves.ends.tolist(), strict=True)
    pair = np.array([ids.setdefault(p, len(ids)) for p in both], np.int64)
    distances = int(np.ceil(moves.chord.max(initial=0.0) * (1.0 + settings.scale) / STEP_M)) + 1
    starts = np.zeros(distances * ANGLES * ANGLES + 1, np.int64)
    made = MoveTable(
        moves, settings, pair, own_cost, moves.places[last, 0].copy(), moves.places[last, 2].copy(),
        starts, np.zeros(0, np.int32), distances,
    )  # fmt: skip
    items = np.zeros(1 << 20, np.int32)
    while True:
        count = fill_bins(
            *made.arrays[:5], own_cost, moves.dearness, pair, len(ids), STEP_M, distances, ANGLES, 2, settings.scale,
            settings.turn, SHORT_M, settings.change_weight, starts, items,
        )  # fmt: skip
        if count <= len(items):
            return replace(made, items=items[:count].copy())
        items = np.zeros(count, np.int32)


@dataclass(frozen=True, eq=False)
class Edges:
    """E edges: which foothold they leave and reach, by which move, at what cost."""

    tail: Longs
    head: Longs
    move: NDArray[np.int32]
    cost: Floats

    def __len__(self) -> int:
        return len(self.tail)

    def only(self, rows: Any) -> Edges:
        return Edges(self.tail[rows], self.head[rows], self.move[rows], self.cost[rows])


@dataclass(frozen=True, eq=False)
class Roadmap:
    """Footholds (N, 4: x, height, z, yaw) and the moves between them, sorted by tail and posture.

    out_start  (N * postures + 1,) the first edge of each foothold in each posture
    """

    table: MoveTable
    nodes: Floats
    edges: Edges
    out_start: Longs = field(repr=False)
    sure: SureGround = field(repr=False)

    @property
    def moves(self) -> Moves:
        return self.table.moves

    @cached_property
    def states(self) -> int:
        """Footholds times postures."""
        return len(self.nodes) * self.moves.postures


def build_roadmap(
    table: MoveTable, scene: Scene, progress: Callable[[float], None] = lambda share: None
) -> Roadmap:
    """A roadmap of a scene."""
    settings = table.settings
    rng = np.random.default_rng(settings.seed)
    nodes = sample_footholds(table, scene, settings.nodes, rng)
    if not len(nodes):
        raise InputError("the scene has no foothold that is valid", remedy="it needs free ground")
    progress(0.05)
    sure = sure_ground(scene, table.moves.foot_box)
    pairs = neighbour_pairs(nodes, settings.neighbours)
    edges = connect(table, scene, nodes, nodes, pairs, sure=sure)
    progress(0.6)
    if settings.more:
        degree = np.bincount(edges.tail, minlength=len(nodes)).astype(np.float64)
        degree += np.bincount(edges.head, minlength=len(nodes))
        extra = sample_near(table, scene, nodes, degree, settings.more, rng)
        whole = np.concatenate([nodes, extra])
        pairs = neighbour_pairs(whole, settings.neighbours, since=len(nodes))
        added = connect(table, scene, whole, whole, pairs, sure=sure)
        nodes = whole
        edges = join_edges([edges, added])
    progress(0.95)
    return assemble(table, nodes, edges, sure)


def assemble(table: MoveTable, nodes: Floats, edges: Edges, sure: SureGround) -> Roadmap:
    """A roadmap of footholds and edges, sorted."""
    postures = table.moves.postures
    state = edges.tail * postures + table.moves.begins[edges.move]
    order = np.lexsort((edges.cost, state))
    out_start = np.searchsorted(state[order], np.arange(len(nodes) * postures + 1))
    return Roadmap(table, nodes, edges.only(order), out_start.astype(np.int64), sure)


# ---- footholds ------------------------------------------------------------------------------


def stand(table: MoveTable, scene: Scene, at: Floats, below: Any = None) -> tuple[Floats, Bools]:
    """Footholds (N, 4) at x, z, yaw (N, 3), on the ground; and whether each is valid."""
    moves = table.moves
    ahead = moves.sole_ahead
    soles = np.array(at)
    soles[:, 0] += ahead * np.sin(at[:, 2])
    soles[:, 1] += ahead * np.cos(at[:, 2])
    found = foot_placements(scene, soles, moves.foot_box, below=below)
    height = np.where(np.isfinite(found.height), found.height, 0.0)
    return np.column_stack([at[:, 0], height, at[:, 1], at[:, 2]]), found.valid


def sample_footholds(
    table: MoveTable, scene: Scene, count: int, rng: np.random.Generator
) -> Floats:
    """(N, 4) valid footholds, evenly spread over the scene; fewer where there is hardly ground."""
    low, high = scene.outline.min(axis=0), scene.outline.max(axis=0)
    found: list[Floats] = []
    have = tried = 0
    while have < count and tried < 200 * count + 10_000:
        some = max(256, 2 * (count - have))
        at = rng.uniform([*low, -np.pi], [*high, np.pi], (some, 3))
        footholds, valid = stand(table, scene, at)
        found.append(footholds[valid])
        have += int(valid.sum())
        tried += some
    return np.concatenate([*found, np.zeros((0, 4))])[:count]


def sample_near(
    table: MoveTable, scene: Scene, nodes: Floats, degree: Floats, count: int,
    rng: np.random.Generator,
) -> Floats:  # fmt: skip
    """(N, 4) more footholds near those that have few edges (Eq. 7)."""
    chance = 1.0 / (degree + 1.0)
    chance /= chance.sum()
    found: list[Floats] = []
    have = tried = 0
    while have < count and tried < 100 * count:
        some = max(256, 2 * (count - have))
        about = nodes[rng.choice(len(nodes), some, p=chance)]
        at = about[:, [0, 2, 3]] + rng.normal(size=(some, 3)) * [_NEAR_M, _NEAR_M, _NEAR_TURN]
        at[:, 2] = (at[:, 2] + np.pi) % (2.0 * np.pi) - np.pi
        footholds, valid = stand(table, scene, at)
        found.append(footholds[valid])
        have += int(valid.sum())
        tried += some
    return np.concatenate([*found, np.zeros((0, 4))])[:count]


def _keys(nodes: Floats) -> Floats:
    return np.column_stack(
        [nodes[:, 0], nodes[:, 2], _YAW_M * np.cos(nodes[:, 3]), _YAW_M * np.sin(nodes[:, 3])]
    )


def neighbour_pairs(nodes: Floats, count: int, since: int = 0) -> tuple[Longs, Longs]:
    """Pairs of footholds that are near each other, both ways; of which one is from `since` on."""
    from scipy.spatial import cKDTree

    many = len(nodes)
    keys = _keys(nodes)
    _, near = cKDTree(keys).query(keys[since:], min(count + 1, many))
    near = near.reshape(many - since, -1)
    tails = np.repeat(np.arange(since, many), near.shape[1])
    heads = near.ravel()
    fine = tails != heads
    tails, heads = tails[fine], heads[fine]
    both = np.unique(np.concatenate([tails * many + heads, heads * many + tails]))
    return both // many, both % many


# ---- edges ----------------------------------------------------------------------------------


def connect(
    table: MoveTable, scene: Scene, footholds: Floats, targets: Floats,
    pairs: tuple[Longs, Longs], many: bool = False, begins: Ints | None = None,
    ends: Ints | None = None, sure: SureGround | None = None,
) -> Edges:  # fmt: skip
    """What leads from footholds to targets, by pairs of their numbers, in this scene.

    many          all there is, not only what is worth keeping
    begins, ends  only what begins, or ends, in one of these postures
    sure          where any foot stands well, if that is known
    """
    from footfall.roadmap import kernels

    settings, moves = table.settings, table.moves
    tails, heads = pairs
    start = np.searchsorted(tails, np.arange(len(footholds) + 1))
    per_state, per_group = (1 << 30, 1 << 20) if many else (settings.out_degree, settings.alike)
    moment = scene.snapshot()
    sole, limits = table.sole, table.limits
    clear = _clearances(table, scene, footholds)
    sure = sure or no_sure_ground()
    allowed = [np.ones(moves.postures, np.bool_) if some is None
               else np.isin(np.arange(moves.postures), some) for some in (begins, ends)]  # fmt: skip
    costs = table.costs

    def work(span: tuple[int, int]) -> Edges:
        first, stop = span
        room = 64 * (stop - first) + (len(heads) if many else 0) + 1024
        while True:
            out = Edges(
                np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int32),
                np.empty(room),
            )  # fmt: skip
            count = kernels.connect(
                first, stop, start, heads, footholds, targets, table.arrays, costs,
                table.bins, table.starts, table.items, limits,
                (per_state, per_group, _SECTORS), sole, clear, moment.world, moment.has_closed,
                scratch(), np.empty(max(len(moment.solids), 1), np.int32), sure.heights,
                sure.level, *allowed, out.tail, out.head, out.move, out.cost,
            )  # fmt: skip
            if count >= 0:
                return out.only(slice(0, count))
            room *= 2

    spans = _spans(len(footholds))
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        parts = list(pool.map(work, spans)) if len(spans) > 1 else [work(s) for s in spans]
    return join_edges(parts)


@dataclass(frozen=True, eq=False)
class SureGround:
    """Heights (I, J) of cells where any foot stands well, whichever way it points; else NaN.

    level  x and z of its corner, and the side of a cell
    """

    heights: Floats
    level: Floats


def no_sure_ground() -> SureGround:
    """Nothing is known."""
    return SureGround(np.zeros((0, 0)), np.array([0.0, 0.0, 1.0]))


def sure_ground(scene: Scene, box: FootBox) -> SureGround:
    """Where any foot stands well: level ground around, dry, and nothing near."""
    low, high = scene.outline.min(axis=0), scene.outline.max(axis=0)
    side = max(_CELL_M, float(np.sqrt((high - low).prod() / _MOST_CELLS)))
    counts = np.maximum(np.ceil((high - low) / side).astype(int), 1)
    x, z = (low[k] + (np.arange(counts[k]) + 0.5) * side for k in range(2))
    at = np.stack(np.meshgrid(x, z, indexing="ij"), axis=-1).reshape(-1, 2)
    # A foot of twice the reach in every direction, laid both ways, stands for all of them.
    reach = float(np.hypot(box.length, box.width)) + 2.0 * side
    wide = FootBox(reach, reach, box.height, 0.05, 0.01)
    found = foot_placements(scene, np.column_stack([at, np.zeros(len(at))]), wide)
    heights = np.where(found.valid, found.height, np.nan).reshape(*counts)
    return SureGround(heights, np.array([*low, side]))


def _spans(count: int, most: int = 64) -> list[tuple[int, int]]:
    """Stretches of at most so many."""
    return [(n, min(n + most, count)) for n in range(0, count, most)]


def join_edges(parts: Iterable[Edges]) -> Edges:
    """All of them as one."""
    parts = list(parts)
    if not parts:
        return Edges(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32),
                     np.empty(0))  # fmt: skip
    return Edges(*(np.concatenate([getattr(p, name) for p in parts])
                   for name in ("tail", "head", "move", "cost")))  # fmt: skip


def _clearances(table: MoveTable, scene: Scene, footholds: Floats) -> Floats:
    """(F,) how far obstacles are from each foothold, as far as any move reaches."""
    reach = 1.3 * float(table.moves.radius.max(initial=1.0))
    if not len(scene.obstacles) or not len(footholds):
        return np.full(len(footholds), np.inf)
    clear, _ = body_clearance(
        scene, footholds[:, [0, 2]], base=footholds[:, 1], step_height=0.05, body_height=2.5,
        reach=reach,
    )  # fmt: skip
    return np.where(clear >= reach, np.inf, clear)


def edge_prints(
    table: MoveTable, footholds: Floats, targets: Floats, edges: Edges
) -> tuple[Floats, Longs]:
    """Where footprints come to be: (P, 4) x, rise, z, yaw, and (E + 1,) whose they are."""
    from footfall.roadmap.kernels import lay_prints

    counts = np.diff(table.moves.print_start)[edges.move]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    out = np.empty((int(starts[-1]), 4))
    lay_prints(
        edges.tail, edges.head, edges.move, footholds, targets, table.arrays, SHORT_M, starts, out
    )
    return out, starts
