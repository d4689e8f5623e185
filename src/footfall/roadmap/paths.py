"""The cheapest path over a roadmap from standing somewhere to standing elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.roadmap.connect import edge_prints
from footfall.roadmap.footholds import stand
from footfall.roadmap.ground import terrain_of
from footfall.roadmap.joins import Ends, rest_bins, standing_ends
from footfall.roadmap.model import Edges, Roadmap
from footfall.roadmap.table import Longs, MoveTable
from footfall.task import GOAL_NOT_VALID, NO_CLIP, NO_PATH, START_NOT_VALID
from footfall.task.stages import WITHIN_M, WITHIN_RAD, Place
from footfall.world.scene import Scene

SEARCHES = ("a*", "dijkstra")
_FEW = 300
"""The number of moves onto the roadmap that are tried first, the most promising ones."""
_MOST_STEPS, _MOST_KEPT = 100_000, 4
_kept: dict[int, list[Queue]] = {}
_room = [1 << 16]
"""How much may wait in the queue of a search; it is doubled when that is not enough."""
MOST_UNLIKE = 4
"""The greatest number of other paths that a path is kept apart from."""
APART_M = 1.0
"""Two paths are different if they are this far apart somewhere."""


@dataclass(frozen=True, eq=False)
class FootholdPath:
    """W moves over W + 1 footholds (W + 1, 4), from standing to standing, and what they cost.

    costs   (W,) what each costs
    edges   (W,) of the roadmap, -1 for those to its first and from its last foothold
    nodes   (W + 1,) the footholds' numbers in the roadmap, -1 for the first and the last
    passes  for each place on the way, the move that passes it
    rests   the footholds between where it comes to rest
    """

    footholds: Floats
    moves: Ints
    costs: Floats
    edges: Ints
    cost: float
    opened: int
    nodes: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    passes: tuple[int, ...] = ()
    rests: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.moves)

    def as_edges(self) -> Edges:
        """The path as edges between its own footholds."""
        count = len(self.moves)
        return Edges(np.arange(count), np.arange(1, count + 1), self.moves, np.zeros(count))


class GraphArrays(NamedTuple):
    """A roadmap as the search takes it: its footholds, and its edges by foothold and posture.

    closed  (E,) edges that may not be used       shut  (C, 2) nor moves from footholds to the goal
    """

    nodes: Floats
    out_start: Longs
    edges: Any
    closed: Bools
    shut: Longs


class EndArrays(NamedTuple):
    """Starts (A, 4) and their postures (A,), goals likewise, and the moves (2, M) that may leave
    those and reach these."""

    starts: Floats
    start_posture: Ints
    goals: Floats
    goal_posture: Ints
    may: Bools


class Layers(NamedTuple):
    """What a path has passed already.

    stages  (V + 1, 4) via points and the goal: x, z, reach, and what is left from there on
    far     (N,) bits of the other paths that each foothold is far from
    masks   how many values these bits have
    least   what a metre costs at least; 0 gives Dijkstra's search
    """

    stages: Floats
    far: Longs
    masks: int
    least: float


class Queue(NamedTuple):
    """Memory for a search: states, what waits, moves to the goals, and the steps of the path."""

    states: Any
    keys: Floats
    items: Longs
    exits: Any
    steps: Longs


_ENTRY = np.dtype([
    ("start", "i8"), ("node", "i8"), ("move", "i8"), ("cost", "f8"), ("hope", "f8"),
    ("change", "f8"), ("square", "f8"), ("group", "i8"),
])  # fmt: skip
_STATE = np.dtype([("cost", "f8"), ("parent", "i8"), ("touched", "i8")])
_EXIT = np.dtype([("state", "i8"), ("goal", "i8"), ("move", "i8"), ("cost", "f8")])
_FOUND = np.dtype([
    ("cost", "f8"), ("last", "f8"), *((name, "i8") for name in (
        "state", "goal", "move", "entry", "opened", "entered", "left",
    )),
])  # fmt: skip


@dataclass(frozen=True)
class Passing:
    """A place (x, z) to pass, and the greatest distance from it in metres."""

    x: float
    z: float
    reach: float


@dataclass(frozen=True)
class NoPath:
    """Why there is no path: the status and the reason of a plan.

    leaves, arrives   whether the start, and the goal, are joined to the roadmap
    between           the starts and the goals that are not joined, if both can be stood at
    passing           the places that were to be passed between them
    """

    status: str
    reason: str
    leaves: bool = False
    arrives: bool = False
    between: tuple[Ends, Ends] | None = field(default=None, repr=False, compare=False)
    passing: tuple[Passing, ...] = ()

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, eq=False)
class Closed:
    """What may not be used: edges (E,), and joins (C, 3), as the search takes them.

    A join is 0 to a foothold or 1 from a foothold (-1 for the start), its number, and the move.
    """

    edges: Bools
    joins: Longs

    @property
    def count(self) -> int:
        """How many edges and joins are closed."""
        return int(self.edges.sum()) + len(np.unique(self.joins, axis=0))

    def with_move(self, path: FootholdPath, n: int) -> Closed:
        """Close one more move of a path."""
        edges, joins = self.edges.copy(), self.joins
        if path.edges[n] >= 0:
            edges[path.edges[n]] = True
            return Closed(edges, joins)
        ends = path.nodes[n + 1] < 0
        row = [int(ends), int(path.nodes[n] if ends else path.nodes[n + 1]), int(path.moves[n])]
        return Closed(edges, np.concatenate([joins, np.array([row], np.int64)]))

    def of_denser(self, roadmap: Roadmap, denser: Roadmap) -> Closed:
        """Return the same for a roadmap that was made denser."""
        size, old, new = len(denser.nodes), roadmap.edges, denser.edges
        own, others = (
            (e.tail * size + e.head) * len(roadmap.moves) + e.move for e in (old, new)
        )  # fmt: skip
        return Closed(np.isin(others, own[self.edges]), self.joins)


def nothing_closed(roadmap: Roadmap) -> Closed:
    """All may be used."""
    return Closed(np.zeros(len(roadmap.edges), np.bool_), np.zeros((0, 3), np.int64))


def find_path(
    roadmap: Roadmap, scene: Scene, start: Place, goal: Place, flag: np.ndarray | None = None,
    closed: Closed | None = None, search: str = "a*", unlike: Sequence[FootholdPath] = (),
    apart_m: float = APART_M,
) -> FootholdPath | NoPath:  # fmt: skip
    """The cheapest path from start to goal, or why there is none; see `find_between`."""
    found: list[Ends] = []
    for name, place in (("start", start), ("goal", goal)):
        near = WITHIN_M, WITHIN_RAD
        ends, valid = standing_ends(roadmap.table, scene, place, name == "start", near)
        if not valid.any():
            status = START_NOT_VALID if name == "start" else GOAL_NOT_VALID
            return NoPath(status, f"nobody can stand at the {name} ({place.x:.2f}, {place.z:.2f})")
        found.append(ends.only(valid))
    starts, goals = found
    return find_between(
        roadmap, scene, starts, goals, flag, closed, search, unlike=unlike, apart_m=apart_m
    )


def find_between(
    roadmap: Roadmap, scene: Scene, starts: Ends, goals: Ends, flag: np.ndarray | None = None,
    closed: Closed | None = None, search: str = "a*", passing: Sequence[Passing] = (),
    unlike: Sequence[FootholdPath] = (), apart_m: float = APART_M,
) -> FootholdPath | NoPath:  # fmt: skip
    """The cheapest path from one of the starts to one of the goals, or why there is none.

    passing   places that it passes, in this order
    unlike    paths each of which it leaves by more than `apart_m` somewhere
    """
    if len(unlike) > MOST_UNLIKE:
        raise InputError(f"{len(unlike)} other paths", remedy=f"at most {MOST_UNLIKE} at a time")
    layers = Layers(
        _stages(passing, goals), far_from(roadmap.nodes, unlike, apart_m), 1 << len(unlike),
        least_per_metre(roadmap.table) if search == "a*" else 0.0,
    )  # fmt: skip
    closed = closed or nothing_closed(roadmap)
    flag = np.zeros(1, np.uint8) if flag is None else flag
    entries = _list_entries(roadmap, (starts, goals), layers, closed)
    found = _search(roadmap, scene, (starts, goals), layers, closed, entries, flag)
    if isinstance(found, NoPath):
        return found
    return replace(found, passes=find_passes(found.footholds, passing))


def _list_entries(roadmap: Roadmap, both: tuple[Ends, Ends], layers: Layers, closed: Closed) -> Any:
    """Return the moves that may lead from the starts onto the roadmap or to the goals at once."""
    from footfall.roadmap.search_kernels import NO_ROOM, list_entries

    told = roadmap.nodes, roadmap.table.arrays, rest_bins(roadmap.table), _pack_ends(both), layers
    room = 1 << 13
    while (count := list_entries(*told, entries := np.empty(room, _ENTRY))) == NO_ROOM:
        room *= 4
    entries = entries[:count]
    for arrives, node, move in closed.joins.tolist():
        if not arrives:
            entries = entries[(entries["node"] != node) | (entries["move"] != move)]
    return entries


def _pack_ends(both: tuple[Ends, Ends]) -> EndArrays:
    starts, goals = both
    may = np.stack([starts.may_move, goals.may_move])
    return EndArrays(starts.footholds, starts.postures, goals.footholds, goals.postures, may)


def _promise_most(entries: Any, few: int) -> Bools:
    """(R,) which entries promise most.

    Beside them, of those that lead the same way to the same posture, the least changed one and the
    shortest one.
    """
    if len(entries) <= few:
        return np.ones(len(entries), np.bool_)
    wanted = entries["hope"] <= np.partition(entries["hope"], few)[few]
    grouped = np.flatnonzero(entries["group"] >= 0)
    for key in ("change", "square"):
        order = grouped[np.lexsort((entries[key][grouped], entries["group"][grouped]))]
        _, first = np.unique(entries["group"][order], return_index=True)
        wanted[order[first]] = True
    return np.asarray(wanted)


def _search(
    roadmap: Roadmap, scene: Scene, both: tuple[Ends, Ends], layers: Layers, closed: Closed,
    entries: Any, flag: np.ndarray,
) -> FootholdPath | NoPath:  # fmt: skip
    """Return the cheapest path that begins with one of the entries."""
    from footfall.roadmap.search_kernels import NO_ROOM, search_roadmap

    table = roadmap.table
    shut = closed.joins[closed.joins[:, 0] == 1, 1:]
    graph = GraphArrays(roadmap.nodes, roadmap.out_start, roadmap.packed, closed.edges, shut)
    told = graph, table.arrays, rest_bins(table), _pack_ends(both), layers
    terrain, record = terrain_of(table, scene, roadmap.sure), np.zeros(1, _FOUND)
    wanted = _promise_most(entries, _FEW)
    entries, few = np.concatenate([entries[wanted], entries[~wanted]]), int(wanted.sum())
    while True:
        with _memory(roadmap.states * len(layers.stages) * layers.masks, len(entries)) as queue:
            tried = entries.copy()
            made = search_roadmap(*told, tried, few, queue, flag, terrain, record[0])
            used = queue.steps[: max(made, 0)][::-1].copy()
        if made != NO_ROOM:
            break
        _kept.clear()
        _room[0] *= 2
    found = record[0]
    if made < 0 or made > len(used):
        return _reason(int(found["entered"]), int(found["left"]), layers)
    return _as_path(roadmap, both, tried, used, found)


def _as_path(
    roadmap: Roadmap, both: tuple[Ends, Ends], entries: Any, used: Longs, found: Any
) -> FootholdPath:
    """Return the path of an entry, edges and an exit."""
    edges, (starts, goals) = roadmap.edges, both
    first = entries[found["entry"] : found["entry"] + 1] if found["state"] >= 0 else entries[:0]
    start = int(first["start"][0]) if len(first) else -1 - int(found["state"])
    stops = np.concatenate([first["node"], edges.head[used][: len(used) * len(first)]])
    costs = np.array([*first["cost"], *edges.cost[used], found["last"]])
    goal = int(found["goal"])
    return FootholdPath(
        np.concatenate([starts.footholds[[start]], roadmap.nodes[stops], goals.footholds[[goal]]]),
        np.array([*first["move"], *edges.move[used], found["move"]], np.int32), costs,
        np.array([*([-1] * len(first)), *used, -1]), float(costs.sum()), int(found["opened"]),
        np.array([-1, *stops, -1]),
    )  # fmt: skip


@contextmanager
def _memory(states: int, entries: int) -> Iterator[Queue]:
    """Lend memory for a search over a number of states; concurrent searches get their own."""
    room = _room[0] + 2 * entries
    kept = _kept.setdefault(states, [])
    queue = kept.pop() if kept else None
    if queue is None or len(queue.keys) < room:
        queue = Queue(
            np.zeros(states, _STATE), np.empty(room), np.empty(room, np.int64),
            np.empty(room, _EXIT), np.empty(_MOST_STEPS, np.int64),
        )  # fmt: skip
    yield queue
    if len(kept) < _MOST_KEPT:
        kept.append(queue)
    while len(_kept) > _MOST_KEPT:
        _kept.pop(next(iter(_kept)), None)


def find_passes(footholds: Floats, passing: Sequence[Passing]) -> tuple[int, ...]:
    """For each place, in order, the first step between footholds (W + 1, 4) that passes it."""
    found, n = [], 0
    for place in passing:
        while n < len(footholds) - 2 and not _passes(footholds[n], footholds[n + 1], place):
            n += 1
        found.append(n)
    return tuple(found)


def _passes(a: Floats, b: Floats, place: Passing) -> bool:
    step, there = b[[0, 2]] - a[[0, 2]], np.array([place.x, place.z]) - a[[0, 2]]
    whole = float(step @ step)
    share = min(max(float(there @ step) / whole, 0.0), 1.0) if whole > 0.0 else 0.0
    return float(np.hypot(*(there - share * step))) <= place.reach + 1e-9


def _stages(passing: Sequence[Passing], goals: Ends) -> Floats:
    """(V + 1, 4) the places to pass and the goal: x, z, reach, and how far it is from there on."""
    middle = goals.footholds[:, [0, 2]].mean(axis=0)
    slack = float(np.hypot(*(goals.footholds[:, [0, 2]] - middle).T).max())
    rows = np.array([*((p.x, p.z, p.reach, 0.0) for p in passing), (*middle, slack, 0.0)])
    for n in range(len(rows) - 2, -1, -1):
        apart = float(np.hypot(*(rows[n + 1, :2] - rows[n, :2])))
        rows[n, 3] = rows[n + 1, 3] + max(apart - rows[n, 2] - rows[n + 1, 2], 0.0)
    return rows


def far_from(nodes: Floats, paths: Sequence[FootholdPath], apart_m: float) -> Longs:
    """(N,) which of the paths each foothold is further away from than `apart_m`, a bit for each."""
    import shapely

    far = np.zeros(len(nodes), np.int64)
    points = shapely.points(nodes[:, [0, 2]]) if paths else None
    for bit, path in enumerate(paths):
        away = shapely.distance(shapely.LineString(path.footholds[:, [0, 2]]), points)
        far |= (away > apart_m).astype(np.int64) << bit
    return far


def _reason(entered: int, left: int, layers: Layers) -> NoPath:
    if not entered and not left:
        return NoPath(NO_CLIP, "no move leads away from the start")
    if layers.masks > 1:
        return NoPath(NO_PATH, "there is no other path", True, True)
    more = " by the places on the way" if len(layers.stages) > 1 else ""
    reason = f"the roadmap does not join the start to the goal{more}"
    return NoPath(NO_CLIP, reason, bool(entered), bool(left))


def least_per_metre(table: MoveTable) -> float:
    """What a metre between two footholds costs at least, whichever move covers it."""
    moves, settings = table.moves, table.settings
    # A short move is not stretched: it gets further by what is shared out along it, at a price
    # that rises with it, so the least is at one of the ends.
    short_m = moves.size.short_m
    short = moves.chord < short_m
    off = np.where(short, settings.scale, 0.0)
    own = table.steady + table.pace
    whole = (own + settings.change_weight * off) / (moves.chord + off * short_m + 1e-9)
    best = np.sqrt(table.steady / np.maximum(table.pace, 1e-9))  # where a metre is cheapest
    best = np.where(short, 1.0, np.clip(best, 1.0 - settings.scale, 1.0 + settings.scale))
    bare = (table.steady + table.pace * best**2) / (moves.chord * best + 1e-9)
    return float((moves.dearness * np.minimum(whole, bare)).min())


def path_prints(table: MoveTable, scene: Scene, path: FootholdPath) -> tuple[Floats, Longs]:
    """(P, 4) the footprints of all moves of a path, on the ground, and (W + 1,) whose they are."""
    edges = path.as_edges()
    prints, starts = edge_prints(table, path.footholds, path.footholds, edges)
    owner = np.repeat(np.arange(len(path)), np.diff(starts))
    base = path.footholds[owner, 1]
    placed, _ = stand(table, scene, prints[:, [0, 2, 3]], below=base + prints[:, 1] + 0.45)
    prints = np.array(prints)
    prints[:, 1] = placed[:, 1]
    prints[starts[:-1], 1] = path.footholds[:-1, 1]
    prints[starts[1:] - 1, 1] = path.footholds[1:, 1]
    return prints, starts
