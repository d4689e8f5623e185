"""The interpolated graph unrolled in a world: what the anytime search works on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.optimal.heuristics import ADMISSIBLE, HEURISTICS, Heuristic, make_guide, with_guess
from footfall.optimal.heuristics_nodes import facts_of
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import Goals, Path, World
from footfall.optimal.search_arrays import (
    AIM,
    CELLS,
    ENTRY_BYTES,
    ROUTE,
    SLOT_BYTES,
    STATE,
    Aims,
    BodyArrays,
    Cells,
    Guide,
    Routes,
    SearchSpace,
    WorldArrays,
    make_scratch,
    make_states,
    most_states,
    table_shift,
)
from footfall.optimal.world import pack_body, pack_world
from footfall.search.ara import EPSILONS, rekey_states, sort_heap
from footfall.search.lanes import make_lanes
from footfall.search.shortest_path import FAR, Flag

TICK_S = 0.01
_SPAN = 20
"""With exact poses so many ticks are told apart as one time."""
_KEY_BITS = 62
"""Bits of a key that say which state it is (`search_states_kernels`)."""
_FIRST_SLOTS = 1 << 16
_SPARE_M = 0.001
"""With exact poses constraints are met by so much more: poses are kept to a tenth of it."""


@dataclass(frozen=True)
class SearchOptions:
    """How to search.

    poses      "exact" or "snap"
    epsilons   falling; the last is what is near enough
    memory_mb  the search ends, with what it has, when its states need more
    most_interpolated  segments of a path that are interpolated at most; None for any number
    look       look coarsely for a first path
    reopen     expand states again at once when their cost falls, not in the next improvement
    cell_m, yaws       how fine states are told apart
    """

    poses: Literal["exact", "snap"] = "exact"
    heuristic: Heuristic = "chain"
    epsilons: tuple[float, ...] = EPSILONS
    memory_mb: float = 1000.0
    most_interpolated: int | None = None
    look: bool = True
    reopen: bool = False
    cell_m: float = 0.02
    yaws: int = 100

    def __post_init__(self) -> None:
        if self.poses not in ("exact", "snap"):
            raise InputError(f"poses is {self.poses!r}", remedy="choose from exact, snap")
        if self.heuristic not in HEURISTICS:
            choices = ", ".join(HEURISTICS)
            raise InputError(f"heuristic is {self.heuristic!r}", remedy=f"choose from {choices}")
        if not self.cell_m > 0.0 or self.yaws < 4:
            raise InputError("cells are no wider than nothing", remedy="use 0.02 m and 100 yaws")
        if self.most_interpolated is not None and self.most_interpolated < 0:
            raise InputError(
                f"most_interpolated is {self.most_interpolated}", remedy="let it be 0 or more"
            )


@dataclass(frozen=True, eq=False)
class Packed:
    """A problem as the arrays that kernels read.

    starts  nodes (S,) and poses (S, 3: x, z, yaw)
    guess   the guide of first looks
    """

    goals: Goals
    routes: Routes
    guide: Guide
    guess: Guide
    aims: Aims
    world: WorldArrays
    body: BodyArrays
    cells: Cells
    nodes: Any
    poses: Floats
    options: SearchOptions


def pack_problem(
    graph: InterpolatedGraph, world: World, goals: Goals, nodes: Any, poses: Any,
    options: SearchOptions,
) -> Packed:  # fmt: skip
    """All that a search needs, for any number of searches."""
    snap = options.poses == "snap"
    share = 1.0 if snap else 0.005  # kept poses are rounded a little, too
    slack_m, slack_rad = share * options.cell_m * math.sqrt(0.5), share * math.pi / options.yaws
    begin = np.atleast_1d(np.asarray(nodes, np.int64))
    at = np.asarray(poses, np.float64).reshape(-1, 3)
    if len(begin) != len(at) or not np.isfinite(at).all():
        raise InputError("the starts are not one pose (x, z, yaw) for each node")
    cells = _cells(graph, world, goals, options)
    routes = graph.keep("routes", lambda: _pack_routes(graph))
    body = graph.keep("body", lambda: pack_body(graph))
    guide = guess = make_guide(graph, world, goals, options.heuristic, slack_m, slack_rad)
    if options.look and options.heuristic == "chain":
        guess = with_guess(guide, graph, world, goals, slack_m, slack_rad)
    facts_of(graph, slack_m, slack_rad).keep()
    return Packed(
        goals, routes, guide, guess, _pack_aims(goals, guide, 0.0 if snap else _SPARE_M),
        pack_world(world), body, cells, begin, at, options,
    )  # fmt: skip


COARSE_MB = 250.0


@dataclass(frozen=True)
class Coarse:
    """How states are told apart in a first look: so many cells and yaws count as one.

    by      nodes count as one: 0 none, 1 those of one pair of states, 2 those nearest to one state
    """

    wide: int
    turn: int
    by: int


@dataclass(frozen=True, eq=False)
class Begin:
    """Where a search begins: nodes (K,) at poses (K, 3), once so many constraints are met."""

    nodes: Any
    poses: Floats
    met: int = 0


class Unrolled:
    """The domain of the search: states in arrays, and the kernels that work on them."""

    def __init__(
        self, packed: Packed, cancel: Flag, coarse: Coarse | None = None,
        begin: Begin | None = None,
    ) -> None:  # fmt: skip
        options = packed.options
        begin = begin or Begin(packed.nodes, packed.poses)
        self.first = begin.met
        self.packed, self.cancel, self.cells = packed, cancel, packed.cells
        self.admissible = options.heuristic in ADMISSIBLE
        # Estimates by place are linear between corners, so not quite consistent.
        self.sound = options.reopen
        memory_mb = options.memory_mb
        guide = packed.guide if coarse is None else packed.guess
        if coarse is not None:
            wide, turn = 1.0 / coarse.wide, 1.0 / coarse.turn
            self.cells = packed.cells._replace(coarse=True, per_wide=wide, per_turn=turn)
            memory_mb = min(memory_mb, COARSE_MB)
        group = packed.routes.group[0 if coarse is None else coarse.by]
        self.routes = packed.routes._replace(group=group)
        most = most_states(memory_mb)
        self.states, self.lanes = make_states(most, _FIRST_SLOTS), make_lanes(0, 0.0, 0)
        degree = int(np.diff(self.routes.start).max(initial=0))
        self.scratch = make_scratch(max(degree, len(begin.nodes), 1))
        self.counts = np.zeros(5, np.int64)
        self.counts[3:] = -1
        self.best = np.array([np.inf, np.inf])
        self.epsilon = 1.0
        self.known: tuple[Path, float] | None = None
        self.space = SearchSpace(
            self.routes, guide, packed.aims, packed.world, packed.body,
            np.array([tuple(self.cells)], CELLS),
        )  # fmt: skip
        self._add_starts(begin)

    def _add_starts(self, begin: Begin) -> None:
        """Make states of the starts that are in the world."""
        from footfall.optimal.search_kernels import add_starts

        cells, rows, count = self.cells, self.scratch.rows, 0
        for node, (x, z, yaw) in zip(begin.nodes.tolist(), begin.poses.tolist(), strict=True):
            u, v, w = (x - cells.x) / cells.cell_m, (z - cells.z) / cells.cell_m, yaw / cells.wide
            i, k, turn = (math.floor(n + 0.5) for n in (u, v, w))
            if not (0 <= i < cells.columns and 0 <= k < cells.rows):
                continue
            if cells.snap:
                x, z = cells.x + i * cells.cell_m, cells.z + k * cells.cell_m
                yaw = turn * cells.wide
            row = rows[count]
            row["to"], row["met"], row["x"], row["z"], row["yaw"] = node, begin.met, x, z, yaw
            row["cosine"], row["sine"] = math.cos(yaw), math.sin(yaw)
            row["i"], row["k"], row["turn"] = i, k, turn % cells.yaws
            row["u"], row["v"], row["w"] = u - i, v - k, w - turn
            count += 1
        add_starts(self.space, self.states, self.scratch, count, self.counts, self.best)

    def adopt(self, path: Path, cost: float) -> None:
        """Know a path from elsewhere: only cheaper ones are looked for."""
        if cost < self.best[0]:
            self.known, self.best[0] = (path, cost), cost
            self.counts[3] = -1

    def begin(self, epsilon: float) -> None:
        from footfall.search.ara_kernels import EQUAL

        self.epsilon = epsilon
        limit = float(self.best[0]) * (1.0 - EQUAL) if self.admissible else FAR
        states, heap = self.states, (self.states.heap_keys, self.states.heap_items)
        self.counts[1] = rekey_states(states.rows[: self.count], epsilon, limit, *heap)

    def begin_lanes(self, epsilon: float, count: int) -> None:
        """Let what waits be expanded lane by lane."""
        from footfall.search.ara_kernels import WAITING, key_of
        from footfall.search.lanes_kernels import put_in_lane

        self.epsilon = epsilon
        rows = self.states.rows[: self.count]
        least = float(rows["estimate"].min(initial=FAR))
        lanes = self.lanes = make_lanes(count, least, len(self.states.rows))
        entries = lanes._replace(entries=lanes.entries.view(np.recarray))
        for state in np.flatnonzero(rows["mark"] & WAITING).tolist():
            cost, estimate = float(rows["cost"][state]), float(rows["estimate"][state])
            put_in_lane(entries, state, key_of(cost, estimate, epsilon), estimate)

    def expand(self, most: int) -> tuple[int, int]:
        from footfall.optimal.search_kernels import CROWDED, ROOM, expand_states
        from footfall.search.ara_kernels import FULL

        end, expanded = expand_states(
            self.space, self.epsilon, self.packed.options.reopen, self.admissible, most,
            self.cancel, self.states, self.lanes, self.scratch, self.counts, self.best,
        )  # fmt: skip
        if end in (CROWDED, ROOM, FULL) and not len(self.lanes.roots):
            states, heap = self.states, (self.states.heap_keys, self.states.heap_items)
            self.counts[1] = sort_heap(states.rows[: self.count], self.epsilon, *heap)
        if end == ROOM:
            self.double_slots()
        if end in (CROWDED, ROOM):
            end, more = self.expand(most)
            expanded += more
        return end, expanded

    def double_slots(self) -> None:
        """Make the table of the states larger."""
        from footfall.search.ara_kernels import fill_slots

        old = self.states.slots
        slots, shift = np.zeros(2 * len(old), np.int64), table_shift(2 * len(old))
        fill_slots(old, slots, shift)
        self.states = self.states._replace(slots=slots, shift=shift)

    def goal_cost(self) -> float:
        return float(self.best[0])

    def least_estimate(self) -> float:
        from footfall.search.ara_kernels import WAITING

        rows = self.states.rows[: self.count]
        least = (rows["cost"] + rows["estimate"])[rows["mark"] & WAITING > 0]
        return float(least.min(initial=np.inf))

    def path(self) -> tuple[Path, float]:
        if self.counts[3] < 0:
            assert self.known is not None
            return self.known
        path = self._trace(int(self.counts[3]))
        return path, float(self.routes.edges["cost"][path.edges].sum())

    def closest(self) -> Path | None:
        state = int(self.counts[4])
        return None if state < 0 else self._trace(state)

    def _trace(self, state: int) -> Path:
        from footfall.optimal.search_states_kernels import parts_of, pose_of

        cells, rows, states = self.cells, self.states.rows.view(np.recarray), [state]
        while (parent := int(rows[states[-1]].parent)) >= 0:
            states.append(parent)
        states.reverse()
        parts = [parts_of(cells, int(rows[n].key)) for n in states]
        poses = np.array(
            [pose_of(rows[n], cells, *each[1:4]) for n, each in zip(states, parts, strict=True)]
        )
        nodes, passed = np.array(parts, np.int64)[:, [0, 4]].T
        edges = self.routes.start[nodes[:-1]] + rows["edge"][states[1:]]
        met = np.searchsorted(passed, np.arange(1, int(passed[-1]) + 1))
        if not cells.snap:
            poses = self._rebuilt(edges, nodes, poses, met)
        ints: Any = np.int32
        return Path(edges.astype(ints), nodes.astype(ints), poses, met.astype(ints))

    def _rebuilt(self, edges: Any, nodes: Any, poses: Floats, met: Any) -> Floats:
        """The poses that the edges lead to, if all is free and met there too.

        Kept poses are rounded to a tenth of a millimetre, so it nearly always is.
        """
        from footfall.optimal.search_kernels import path_is_good

        rebuilt = self.led_to(edges, poses[0])
        whole = len(met) == len(self.packed.goals.place)
        each = self.packed.aims.each.copy()
        each["within_m"] = self.packed.goals.within_m
        space = self.space._replace(aims=self.packed.aims._replace(each=each))
        good = path_is_good(edges, nodes, rebuilt, met, self.first, space, self.scratch)
        return rebuilt if good or not whole else poses

    def led_to(self, edges: Any, start: Floats) -> Floats:
        """(K + 1, 3) the poses that edges (K,) lead to from a start (3,)."""
        some = self.routes.edges[edges]
        moves = np.column_stack([some["x"], some["z"], some["yaw"]]).astype(np.float64)
        return integrate_moves(moves, start)

    def joined(self, before: Path, count: int, after: Path) -> Path | None:
        """The first `count` edges of a path and another that goes on from there; None if that does
        not do: poses are rounded, so that it ends a tenth of a millimetre beside.
        """
        from footfall.optimal.search_kernels import path_is_good

        edges = np.concatenate([before.edges[:count], after.edges])
        nodes = np.concatenate([before.nodes[:count], after.nodes])
        met = np.concatenate([before.met[before.met <= count], after.met[self.first :] + count])
        poses = self.led_to(edges, before.poses[0])
        good = path_is_good(
            edges.astype(np.int64), nodes.astype(np.int64), poses, met.astype(np.int64), 0,
            self.space, self.scratch,
        )  # fmt: skip
        return Path(edges, nodes, poses, met.astype(np.int32)) if good else None

    @property
    def count(self) -> int:
        return int(self.counts[0])

    @property
    def generated(self) -> int:
        return int(self.counts[2])

    @property
    def memory(self) -> int:
        entries = max(int(self.counts[1]), 1)
        table = SLOT_BYTES * len(self.states.slots)
        return STATE.itemsize * self.count + ENTRY_BYTES * entries + table


def integrate_moves(moves: Floats, start: Floats) -> Floats:
    """(K + 1, 3) the poses that moves (K, 3) lead to, one after the other, from a start."""
    poses = np.empty((len(moves) + 1, 3))
    poses[0] = start
    for n, (mx, mz, turn) in enumerate(moves):
        x, z, yaw = poses[n]
        c, s = math.cos(yaw), math.sin(yaw)
        poses[n + 1] = x + mx * c + mz * s, z - mx * s + mz * c, yaw + turn
    return poses


def _pack_routes(graph: InterpolatedGraph) -> Routes:
    start = np.ascontiguousarray(graph.edge_start, np.int64)
    if len(start) > 1 and int(np.diff(start).max()) > 65_535:
        raise InputError("a node has more than 65535 edges", remedy="build the graph with fewer")
    costs = np.ascontiguousarray(graph.edge_cost, np.float64)
    if not (costs > 0.0).all():
        raise InputError("an edge of the interpolated graph costs nothing")
    blend: Bools = np.asarray(graph.edge_a) != np.asarray(graph.edge_b)
    # Rounded up, so that what is to be met within a time is.
    ticks = np.ceil(np.asarray(graph.edge_seconds, np.float64) / TICK_S - 1e-6)
    edges = np.zeros(len(costs), ROUTE)
    edges["to"], edges["cost"] = graph.edge_to, costs
    edges["x"], edges["z"], edges["yaw"] = np.asarray(graph.edge_move).T
    yaw = edges["yaw"].astype(np.float64)
    edges["cosine"], edges["sine"] = np.cos(yaw), np.sin(yaw)
    edges["rise"], edges["blend"] = graph.edge_rise, blend
    edges["ticks"] = np.clip(ticks, 1, 65_535)
    return Routes(start, edges, _groups(graph))


def without_edges(routes: Routes, forbidden: Ints) -> Routes:
    """Return routes on which some edges cost so much that no path has them."""
    edges = routes.edges.copy()
    edges["cost"][forbidden] = FAR
    return routes._replace(edges=edges)


def _groups(graph: InterpolatedGraph) -> Any:
    """(3, N) the number of each node, of its pair of states, of the state it is nearest to."""
    nodes = np.arange(len(graph.node_a), dtype=np.int32)
    a, b = np.asarray(graph.node_a, np.int64), np.asarray(graph.node_b, np.int64)
    pairs = np.unique(a * (int(b.max(initial=0)) + 1) + b, return_inverse=True)[1]
    nearest = np.where(np.abs(np.asarray(graph.node_weight)) >= 0.5, a, b)
    nearest = np.where(a == b, a, nearest)
    single = np.unique(nearest, return_inverse=True)[1]
    return np.stack([nodes, pairs.astype(np.int32), single.astype(np.int32)])


def _slabs(goals: Goals) -> Floats:
    """(C, 4) the slabs of all constraints, those without one as wide as can be."""
    if len(goals.slab):
        return np.ascontiguousarray(goals.slab, np.float64)
    return np.tile([0.0, 0.0, -1.0, 1.0], (len(goals.place), 1))


def _pack_aims(goals: Goals, guide: Guide, spare_m: float) -> Aims:
    until = np.minimum.accumulate(np.asarray(goals.by_s, np.float64)[::-1])[::-1]
    within = np.asarray(goals.within_m, np.float64)
    each = np.zeros(len(within), AIM)
    each["x"], each["y"], each["z"] = np.asarray(goals.place).T
    each["within_m"] = np.maximum(within - spare_m, 0.5 * within)
    each["yaw"], each["within_rad"] = goals.yaw, goals.within_rad
    each["ahead_x"], each["ahead_z"], each["least"], each["most"] = _slabs(goals).T
    each["until"] = np.where(np.isfinite(until), np.floor(until / TICK_S + 1e-6), 2**40)
    points = np.empty((*goals.nodes.shape, 4), np.float32)
    points[..., :3], points[..., 3] = goals.point, goals.facing
    leads: Any = np.where(goals.nodes, 3, guide.table[:, :, 0] < FAR)
    return Aims(each, points, leads.astype(np.uint8))


def _cells(graph: InterpolatedGraph, world: World, goals: Goals, options: SearchOptions) -> Cells:
    """How places become numbers; refused where there would be too many."""
    sizes = np.floor((np.array(world.corridor.shape) - 1) * world.cell_m / options.cell_m + 0.5)
    timed = np.asarray(goals.by_s)[np.isfinite(goals.by_s)]
    snap = options.poses == "snap"
    span = 1 if snap else _SPAN
    times = int(timed.max() / TICK_S / span) + 2 if len(timed) else 1
    limited = options.most_interpolated is not None
    blends = (options.most_interpolated or 0) + 1
    columns, rows, met = int(sizes[0]) + 1, int(sizes[1]) + 1, len(goals.place) + 1
    numbers = (times, blends, met, options.yaws, rows, columns, len(graph.edge_start))
    bits = [max(number - 1, 0).bit_length() for number in numbers]
    begin, wide = np.cumsum(bits).tolist(), 2.0 * math.pi / options.yaws
    cells = Cells(
        float(world.origin[0]), float(world.origin[1]), float(options.cell_m),
        1.0 / options.cell_m, wide, 1.0 / wide, columns, rows, int(options.yaws), times,
        blends, span, limited, snap, False, 1.0, 1.0,
        *begin[:-1],
    )  # fmt: skip
    if begin[-1] > _KEY_BITS:
        raise InputError(
            "the place is too large for states of this kind to be told apart",
            remedy="use wider cells, fewer interpolated segments, or shorter times",
        )
    return cells
