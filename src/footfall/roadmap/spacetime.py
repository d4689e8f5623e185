"""Paths over a roadmap in time: around, before, after what moves, and waiting for it.

A path in time is a path over footholds with waits, at rest, before some of its moves. The search
is A* over footholds, postures and time; what it costs to the goal if nothing moved is what it
cannot cost less.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.roadmap.bodies import SLICE_S, bodies_of
from footfall.roadmap.connect import connect
from footfall.roadmap.joins import Ends
from footfall.roadmap.model import Edges, Roadmap, join_edges
from footfall.roadmap.movers import Movers
from footfall.roadmap.moves import Moves
from footfall.roadmap.paths import Closed, FootholdPath, NoPath, nothing_closed
from footfall.roadmap.table import Longs, MoveTable
from footfall.search.shortest_path import SparseGraph, graph_of_edges, search_all
from footfall.task import CANCELLED, NO_CLIP, NO_PATH
from footfall.task.effort import STANDING_W_KG
from footfall.world.scene import Scene

_MOST_LABELS, _SEEN_AT_FIRST = 400_000, 1 << 16
WAIT_S = 0.2
"""Waiting goes on by so long at a time, as `spacetime_kernels` has it."""
_GREEDS = (1.0, 2.0)
"""How much the bound counts: at first so that the path is the cheapest, then to find any."""
_SOONER_S, _LATER_S = 1.0, 4.0
"""How much shorter and longer waits may get where a path was made straight."""
_BEYOND_S = 60.0
"""So long after the last that is known of movers a path may end."""
_SLACK = 1.3
"""What costs more than so many times the cheapest path without movers is not told apart."""


@dataclass(frozen=True, eq=False)
class TimedPath:
    """A path over footholds, how long it waits (W,) before each of its moves, and its cost."""

    path: FootholdPath
    waits: Floats
    cost: float

    def seconds(self, moves: Moves) -> float:
        """How long it takes."""
        return float(self.waits.sum() + bodies_of(moves).seconds[self.path.moves].sum())


class TimedWorld(NamedTuple):
    """What moves, and the bodies that keep clear of it.

    movers   (K, M, 8), see `movers`, in cells of `cell_s` seconds
    bodies, discs   those of the moves, see `bodies`
    rests    (R, 5) the discs of bodies at rest; rest_of (postures,) which one, -1 for none
    wait_cost  what a second of waiting costs
    """

    movers: Floats
    bodies: Any
    discs: Floats
    rests: Floats
    rest_of: Longs
    cell_s: float
    wait_cost: float


class TimedGraph(NamedTuple):
    """The footholds of a roadmap, then those of starts and goals, and its edges.

    closed  (E,) edges that may not be used
    extra   edges from starts and to goals, as linked lists: the first of each state, and the next
    """

    nodes: Floats
    out_start: Longs
    edges: Any
    closed: Bools
    extra: Any
    extra_first: Longs
    extra_after: Longs


class TimedMemory(NamedTuple):
    """Memory of a search: what waits, what was seen, and the labels made."""

    keys: Floats
    items: Longs
    seen: Any
    labels: Any


_SEEN = np.dtype([("key", "i8"), ("cost", "f8")])
_LABEL = np.dtype([
    ("state", "i8"), ("time", "f8"), ("cost", "f8"), ("parent", "i8"), ("edge", "i8"),
])  # fmt: skip
"""A state reached at a time: cost, label before, and the edge that led there, -1 for waiting."""
_TIMING = np.dtype([("begin", "f8"), ("latest", "f8"), ("greed", "f8")])


@dataclass(frozen=True, eq=False)
class _Rests:
    """The upright disc (R, 5: x, z, radius, low, high) of a body at rest, seen from its foothold,
    and (postures,) which one a posture has; -1 where it is not at rest."""

    discs: Floats
    of_posture: Longs


_rests: WeakKeyDictionary[Moves, _Rests] = WeakKeyDictionary()
_backwards: WeakKeyDictionary[Roadmap, SparseGraph] = WeakKeyDictionary()


def find_path_in_time(
    roadmap: Roadmap, scene: Scene, starts: Ends, goals: Ends, movers: Movers,
    begin_s: float = 0.0, flag: np.ndarray | None = None, closed: Closed | None = None,
    stays: bool = True, reach_m: float | None = None,
) -> TimedPath | NoPath:  # fmt: skip
    """The cheapest path from one of the starts to one of the goals that keeps clear of movers.

    scene    what stands still        begin_s  when it begins, seconds since the movers' first cell
    closed   moves that may not be used      stays    whether it is to stay at the goal for good
    reach_m  how far starts and goals are joined to footholds; None: as the body's size has it
    """
    from footfall.roadmap import spacetime_kernels as kernels

    moves, nodes, postures = roadmap.moves, roadmap.nodes, roadmap.moves.postures
    count = len(nodes)
    closed = closed or nothing_closed(roadmap)
    extra = _joins(roadmap, scene, starts, goals, closed, reach_m or roadmap.moves.size.join_m)
    if not (extra.tail >= count).any():
        return NoPath(NO_CLIP, "no move leads away from the start")
    if not (extra.head >= count).any():
        return NoPath(NO_CLIP, "no move leads to the goal", True)
    whole = np.concatenate([nodes, starts.footholds, goals.footholds])
    guess = _guess(roadmap, extra, len(whole), count + len(starts), goals)
    first = np.arange(count, count + len(starts)) * postures + starts.postures
    if not np.isfinite(guess[first]).any():
        return NoPath(NO_CLIP, "the roadmap does not join the start to the goal", True, True)
    world = _world(roadmap.table, movers)
    goal_from = np.full(len(whole), np.inf)
    goal_from[count + len(starts) :] = _goal_times(goals, world, movers, stays)
    if not np.isfinite(goal_from).any():
        return NoPath(NO_PATH, "something that moves comes to stay at the goal", True, True)
    graph = TimedGraph(
        whole, roadmap.out_start, roadmap.packed, closed.edges, extra.packed(),
        *_chain(moves, extra, len(whole) * postures),
    )  # fmt: skip
    latest = begin_s + SLICE_S * len(movers.cells) + _BEYOND_S
    cancel = np.zeros(1, np.uint8) if flag is None else flag
    told, room = (graph, roadmap.table.arrays, world, guess, goal_from, first), _SEEN_AT_FIRST
    for greed in _GREEDS:
        timing = np.array([(begin_s, latest, greed)], _TIMING)[0]
        while True:
            memory = _memory(room)
            last = kernels.search_in_time(*told, timing, cancel, memory)
            if last != kernels.NO_ROOM:
                break
            room *= 4
        if last != kernels.TOO_MANY:
            break
    if last == kernels.CANCELLED:
        return NoPath(CANCELLED, "it was cancelled", True, True)
    if last < 0:
        return NoPath(NO_PATH, "what moves leaves no way to the goal", True, True)
    return _trace(roadmap, whole, extra, memory.labels, int(last))


def _memory(room: int) -> TimedMemory:
    """Return memory for a search that sees at most half as many states as there is room for."""
    seen = np.empty(room, _SEEN)
    seen["key"] = -1
    return TimedMemory(
        np.empty(_MOST_LABELS), np.empty(_MOST_LABELS, np.int64), seen,
        np.empty(_MOST_LABELS, _LABEL),
    )  # fmt: skip


def first_conflict(table: MoveTable, timed: TimedPath, movers: Movers, begin_s: float = 0.0) -> int:
    """The first move of a path that meets a mover, or the wait before it; -1 for none."""
    from footfall.roadmap.spacetime_kernels import check_path

    played = np.asarray(timed.path.moves, np.int64)
    told = table.arrays, _world(table, movers)
    return int(check_path(timed.path.footholds, played, timed.waits, float(begin_s), *told))


def time_path(table: MoveTable, timed: TimedPath, movers: Movers) -> TimedPath | None:
    """The path with waits, about as long as they were, that let it keep clear of movers.

    None where no such waits are found: they are made longer one by one, the last before a
    conflict first.
    """
    moves = table.moves
    may_wait = rests_of(moves).of_posture[moves.begins[timed.path.moves]] >= 0
    waits = np.where(may_wait, np.maximum(timed.waits - _SOONER_S, 0.0), 0.0)
    most = timed.waits + _LATER_S
    while True:
        now = replace(timed, waits=waits)
        bad = first_conflict(table, now, movers)
        if bad < 0:
            return now
        longer = np.flatnonzero(may_wait[: bad + 1] & (waits[: bad + 1] < most[: bad + 1]))
        if not len(longer):
            return None
        waits = waits.copy()
        waits[longer[-1]] += WAIT_S


def _world(table: MoveTable, movers: Movers) -> TimedWorld:
    moves = table.moves
    rests, bodies = rests_of(moves), bodies_of(moves)
    return TimedWorld(
        movers.cells, bodies.packed, bodies.discs, rests.discs, rests.of_posture, SLICE_S,
        STANDING_W_KG,
    )  # fmt: skip


def rests_of(moves: Moves) -> _Rests:
    """The discs of bodies at rest, by posture; found once."""
    found = _rests.get(moves)
    if found is None:
        found = _rests[moves] = _find_rests(moves)
    return found


def _find_rests(moves: Moves) -> _Rests:
    bodies = bodies_of(moves)
    discs: list[list[float]] = []
    of_posture = np.full(moves.postures, -1, np.int64)
    for posture in moves.standing.tolist():
        rows = []
        for m in np.flatnonzero((moves.ends == posture) | (moves.begins == posture)).tolist():
            ends = bool(moves.ends[m] == posture)
            at = bodies.first[m] + (bodies.seconds[m] if ends else 0.0)
            first, stop = bodies.starts[moves.clip[m]], bodies.starts[moves.clip[m] + 1]
            k = min(int(first + at / SLICE_S), int(stop) - 1)
            number = moves.last_print[m] if ends else moves.first_print[m]
            one = moves.prints[moves.clip[m]][number]
            c, s = np.cos(-one.yaw), np.sin(-one.yaw)
            d = bodies.discs[k]
            low, high = d[:, :2] - d[:, 2:3], d[:, :2] + d[:, 2:3]
            x, z = 0.5 * (low.min(axis=0) + high.max(axis=0))
            radius = float((np.hypot(d[:, 0] - x, d[:, 1] - z) + d[:, 2]).max())
            dx, dz = x - one.p[0], z - one.p[2]
            rows.append((c * dx + s * dz, c * dz - s * dx, radius, d[:, 3].min() - one.p[1],
                         d[:, 4].max() - one.p[1]))  # fmt: skip
        if rows:
            of_posture[posture] = len(discs)
            found = np.array(rows)
            middle = np.median(found, axis=0)
            discs.append([*middle[:3], found[:, 3].min(), found[:, 4].max()])
    return _Rests(np.array(discs).reshape(-1, 5), of_posture)


def _joins(
    roadmap: Roadmap, scene: Scene, starts: Ends, goals: Ends, closed: Closed, reach_m: float
) -> Edges:
    """Edges from the starts and to the goals, which are numbered after the footholds."""
    table, nodes, sure, moves = roadmap.table, roadmap.nodes, roadmap.sure, roadmap.moves
    count, after = len(nodes), len(nodes) + len(starts)

    def near(a: Floats, b: Floats) -> tuple[Longs, Longs]:
        away = np.hypot(a[:, None, 0] - b[None, :, 0], a[:, None, 2] - b[None, :, 2])
        tails, heads = np.nonzero(away <= reach_m)
        return tails, heads

    def join(a: Floats, b: Floats, begins: Ints | None, ends: Ints | None) -> Edges:
        tails, heads = near(a, b)
        own, rows = np.unique(tails, return_inverse=True)
        found = connect(table, scene, a[own], b, (rows, heads), True, begins, ends, sure)
        return replace(found, tail=own[found.tail]) if len(own) else found

    leave, arrive = np.unique(starts.postures), np.unique(goals.postures)
    outs = join(starts.footholds, nodes, leave, None)
    ins = join(nodes, goals.footholds, None, arrive)
    direct = join(starts.footholds, goals.footholds, leave, arrive)

    def fits(edges: Edges, leaving: bool, arriving: bool) -> Edges:
        fine = np.ones(len(edges), np.bool_)
        if leaving:
            fine &= moves.begins[edges.move] == starts.postures[edges.tail]
            fine &= starts.may_move[edges.move]
        if arriving:
            fine &= moves.ends[edges.move] == goals.postures[edges.head]
            fine &= goals.may_move[edges.move]
        for arrives, node, move in closed.joins.tolist():
            same = edges.move == move
            if arrives and arriving:
                same &= edges.tail == node if node >= 0 else leaving
                fine &= ~same
            elif not arrives and leaving and not arriving:
                fine &= ~(same & (edges.head == node))
        edges = edges.only(fine)
        return replace(edges, tail=edges.tail + (count if leaving else 0),
                       head=edges.head + (after if arriving else 0))  # fmt: skip

    return join_edges([fits(outs, True, False), fits(ins, False, True), fits(direct, True, True)])


def _chain(moves: Moves, extra: Edges, states: int) -> tuple[Longs, Longs]:
    """The first of the edges that leave each state, and the one after each."""
    first, after = np.full(states, -1, np.int64), np.full(len(extra), -1, np.int64)
    state = extra.tail * moves.postures + moves.begins[extra.move]
    for n, s in enumerate(state.tolist()):
        after[n], first[s] = first[s], n
    return first, after


def _guess(roadmap: Roadmap, extra: Edges, many: int, goals_from: int, goals: Ends) -> Floats:
    """(states,) what it costs at least from each state to the goals."""
    moves, postures, count = roadmap.moves, roadmap.moves.postures, len(roadmap.nodes)
    exits = extra.only((extra.head >= goals_from) & (extra.tail < count))
    leaving = extra.only(extra.tail >= count)
    out = np.full(many * postures, np.inf)
    out[: count * postures] = _cost_to_go(roadmap, exits, leaving.only(leaving.head < count))
    out[np.arange(goals_from, many) * postures + goals.postures] = 0.0
    ahead = out[leaving.head * postures + moves.ends[leaving.move]]
    begin = leaving.tail * postures + moves.begins[leaving.move]
    np.minimum.at(out, begin, leaving.cost + ahead)
    return out


def _cost_to_go(roadmap: Roadmap, exits: Edges, entries: Edges) -> Floats:
    """(N * postures,) what it costs from each state to the exits if nothing moves.

    What costs more than `_SLACK` times the cheapest path from the entries is not told apart: there
    it is as much as that.
    """
    moves, postures, edges = roadmap.moves, roadmap.moves.postures, roadmap.edges
    if roadmap not in _backwards:
        tails = edges.tail * postures + moves.begins[edges.move]
        heads = edges.head * postures + moves.ends[edges.move]
        _backwards[roadmap] = graph_of_edges(heads, tails, edges.cost, roadmap.states)
    sources = exits.tail * postures + moves.begins[exits.move]
    out = search_all(_backwards[roadmap], sources, source_costs=exits.cost).costs
    ahead = out[entries.head * postures + moves.ends[entries.move]] + entries.cost
    most = _SLACK * float(ahead.min(initial=np.inf)) + 300.0
    return np.minimum(out, most) if np.isfinite(most) else out


def _goal_times(goals: Ends, world: TimedWorld, movers: Movers, stays: bool) -> Floats:
    """(G,) the time from which on the goals may be stayed at."""
    from footfall.roadmap.spacetime_kernels import first_free

    which = world.rest_of[goals.postures]
    out = np.where(which >= 0, 0.0, np.inf)
    if len(movers) and stays and not movers.loops:
        first_free(goals.footholds, goals.postures, world, out)
    return np.where(which >= 0, out, np.inf)


def _trace(roadmap: Roadmap, nodes: Floats, extra: Edges, labels: Any, last: int) -> TimedPath:
    """The path that ends in a label."""
    state, cost, parent, edge = (labels[name] for name in ("state", "cost", "parent", "edge"))
    used: list[int] = []
    waits: list[int] = []
    waited, n = 0, last
    while parent[n] >= 0:
        if edge[n] == -1:
            waited += 1
        else:
            if used:
                waits.append(waited)
            waited = 0
            used.append(int(edge[n]))
        n = int(parent[n])
    waits.append(waited)
    used.reverse()
    waits.reverse()
    edges, count = roadmap.edges, len(roadmap.nodes)
    rows = []
    for e in used:
        own, k = (edges, e) if e >= 0 else (extra, -2 - e)
        rows.append((own.head[k], own.move[k], own.cost[k], max(e, -1)))
    start = int(state[n]) // roadmap.moves.postures
    stops = np.array([start, *(int(r[0]) for r in rows)])
    path = FootholdPath(
        nodes[stops], np.array([r[1] for r in rows], np.int32), np.array([r[2] for r in rows]),
        np.array([r[3] for r in rows]), float(sum(r[2] for r in rows)), 0,
        np.where(stops < count, stops, -1), (), tuple(k for k, w in enumerate(waits) if w and k),
    )  # fmt: skip
    return TimedPath(path, WAIT_S * np.array(waits, float), float(cost[last]))
