"""Paths over a roadmap in time: around, before, after what moves, and waiting for it.

A path in time is a path over footholds with waits, at rest, before some of its moves. The search
is A* over footholds, postures and time; what it costs to the goal if nothing moved is what it
cannot cost less.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.roadmap.bodies import SLICE_S, BodyArrays, bodies_of
from footfall.roadmap.connect import connect
from footfall.roadmap.joins import Ends
from footfall.roadmap.model import Edges, Roadmap, join_edges
from footfall.roadmap.movers import Movers
from footfall.roadmap.moves import Moves
from footfall.roadmap.paths import Closed, FootholdPath, NoPath, nothing_closed
from footfall.roadmap.table import Longs, MoveTable
from footfall.task import CANCELLED, NO_CLIP, NO_PATH
from footfall.world.scene import Scene

_MOST_LABELS = 400_000
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

    movers   (K, M, 8), see `movers`
    rests    (R, 5) the discs of bodies at rest; rest_of (postures,) which one, -1 for none
    wait_cost  what a second of waiting costs
    """

    movers: Floats
    bodies: BodyArrays
    rests: Floats
    rest_of: Longs
    wait_cost: float


class TimedGraph(NamedTuple):
    """The footholds of a roadmap, then those of starts and goals, and its edges.

    closed  (E,) edges that may not be used
    """

    nodes: Floats
    out_start: Longs
    head: Longs
    cost: Floats
    move: Ints
    closed: Bools


class ExtraEdges(NamedTuple):
    """Edges from starts and to goals, as linked lists: the first of each state, and the next."""

    first: Longs
    after: Longs
    head: Longs
    cost: Floats
    move: Ints


class Labels(NamedTuple):
    """States reached at times: cost, label before, and the edge that led there, -1 for waiting."""

    state: Longs
    time: Floats
    cost: Floats
    parent: Longs
    edge: Longs


@dataclass(frozen=True, eq=False)
class _Rests:
    """The upright disc (R, 5: x, z, radius, low, high) of a body at rest, seen from its foothold,
    and (postures,) which one a posture has; -1 where it is not at rest."""

    discs: Floats
    of_posture: Longs


_rests: WeakKeyDictionary[Moves, _Rests] = WeakKeyDictionary()
_incoming: WeakKeyDictionary[Roadmap, tuple[Longs, Longs, Longs]] = WeakKeyDictionary()


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
    labels = Labels(
        *(np.empty(_MOST_LABELS, kind) for kind in (np.int64, float, float, np.int64, np.int64))
    )
    edges = roadmap.edges
    graph = TimedGraph(whole, roadmap.out_start, edges.head, edges.cost, edges.move, closed.edges)
    chained = ExtraEdges(
        *_chain(moves, extra, len(whole) * postures), extra.head, extra.cost, extra.move
    )
    latest = begin_s + SLICE_S * len(movers.cells) + _BEYOND_S
    cancel = np.zeros(1, np.uint8) if flag is None else flag
    for greed in _GREEDS:
        last = kernels.search_in_time(
            graph, chained, roadmap.table.arrays, world, guess, greed, goal_from,
            (first, float(begin_s)), latest, cancel, labels,
        )  # fmt: skip
        if last != -3:
            break
    if last == -2:
        return NoPath(CANCELLED, "it was cancelled", True, True)
    if last < 0:
        return NoPath(NO_PATH, "what moves leaves no way to the goal", True, True)
    return _trace(roadmap, whole, extra, labels, int(last))


def wait_cost(table: MoveTable) -> float:
    """What a second of waiting costs: as much as a second of walking does, beside its length."""
    return max(30.0 * table.settings.time_weight, 0.1)


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
    rests, bodies = rests_of(moves), bodies_of(moves).arrays(moves)
    return TimedWorld(movers.cells, bodies, rests.discs, rests.of_posture, wait_cost(table))


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
    from footfall.roadmap.spacetime_kernels import cost_to_go

    moves, postures, count = roadmap.moves, roadmap.moves.postures, len(roadmap.nodes)
    if roadmap not in _incoming:
        edges = roadmap.edges
        head = edges.head * postures + moves.ends[edges.move]
        order = np.argsort(head, kind="stable")
        start = np.searchsorted(head[order], np.arange(count * postures + 1))
        tail = edges.tail * postures + moves.begins[edges.move]
        _incoming[roadmap] = start, order, tail
    in_start, in_edge, tail_state = _incoming[roadmap]
    arrives = (extra.head >= goals_from) & (extra.tail < count)
    exits = extra.only(arrives)
    out = np.full(many * postures, np.inf)
    leaving = extra.only(extra.tail >= count)
    inner = leaving.head < count
    states = leaving.head[inner] * postures + moves.ends[leaving.move[inner]]
    cost_to_go(
        in_start, in_edge, tail_state, roadmap.edges.cost,
        exits.tail * postures + moves.begins[exits.move], exits.cost, states, leaving.cost[inner],
        _SLACK, out[: count * postures],
    )  # fmt: skip
    goal_states = np.arange(goals_from, many) * postures + goals.postures
    out[goal_states] = 0.0
    ahead = out[leaving.head * postures + moves.ends[leaving.move]]
    begin = leaving.tail * postures + moves.begins[leaving.move]
    np.minimum.at(out, begin, leaving.cost + ahead)
    return out


def _goal_times(goals: Ends, world: TimedWorld, movers: Movers, stays: bool) -> Floats:
    """(G,) the time from which on the goals may be stayed at."""
    from footfall.roadmap.spacetime_kernels import first_free

    which = world.rest_of[goals.postures]
    out = np.where(which >= 0, 0.0, np.inf)
    if len(movers) and stays and not movers.loops:
        first_free(goals.footholds, goals.postures, world, out)
    return np.where(which >= 0, out, np.inf)


def _trace(roadmap: Roadmap, nodes: Floats, extra: Edges, labels: Labels, last: int) -> TimedPath:
    """The path that ends in a label."""
    state, _, cost, parent, edge = labels
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
