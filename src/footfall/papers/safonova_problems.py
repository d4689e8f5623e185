"""The problems that Safonova & Hodgins' tables are about, in the form that the search takes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from footfall.gait.signatures import FEET, HANDS, LEFT_FOOT, LEFT_HAND, RIGHT_FOOT
from footfall.maths.arrays import Bools, Floats
from footfall.optimal.goals import Constraint
from footfall.optimal.made import ACROSS, STEPS
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.plan_problem import PathProblem, set_up
from footfall.optimal.sketch import make_sketch
from footfall.optimal.starts import Starts, make_definite
from footfall.optimal.touching import graph_for, shown_made
from footfall.optimal.unrolled import integrate_moves
from footfall.task import GoTo, Pick, Place, Query
from footfall.task.method import Refusal
from footfall.world.scene import Hole, Scene, Water, rectangle

START = Place(0.0, 0.0, 0.0)
STAND_M = 2.0
"""In the second problem of Table 1 one stands so far ahead of the start while picking."""
_ASIDE = math.radians(60.0)
_NEAR_M, _FAR_M = 1.5, 3.0
_CYCLE = ((FEET, LEFT_FOOT), (LEFT_FOOT, FEET), (FEET, RIGHT_FOOT), (RIGHT_FOOT, FEET))
"""What touches before and from each contact change on, from one strike of a foot to its next."""
_STRAIGHT_M = 0.10
_LOOSE_M = 0.25
"""The tolerance of the problems of Table 4."""
_CYCLE_S = 1.6
"""A walk cycle takes no longer, and two of them take longer."""


def make_problem(
    graph: InterpolatedGraph, query: Query, corridor_m: float | None = None
) -> PathProblem | Refusal:
    """Return a query as the search takes it, or why the clips cannot do it."""
    query = make_definite(query)
    return set_up(graph_for(graph, query), query, make_sketch(query, corridor_m))


def without_interpolation(graph: InterpolatedGraph) -> InterpolatedGraph:
    """Return the single paths of an interpolated graph alone."""
    single: Bools = graph.node_a == graph.node_b
    tails = np.repeat(np.arange(len(single)), np.diff(graph.edge_start))
    kept = single[tails] & single[graph.edge_to] & (graph.edge_a == graph.edge_b)
    number = np.cumsum(single) - 1
    counts = np.bincount(number[tails[kept]], minlength=int(single.sum()))
    rows = {"node_": single, "edge_": kept}
    parts = {
        name: getattr(graph, name)[rows[name[:5]]]
        for name in graph.__dataclass_fields__
        if name[:5] in rows and name != "edge_start"
    }
    parts["edge_to"] = number[parts["edge_to"]].astype(np.int32)
    parts["edge_start"] = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return replace(graph, **parts)


# ---- picking ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Item:
    """Something to be picked: its height, and where it is seen from the start or from a stand.

    reach_m   from the root of who picks it, in the plane; `aside` radians from ahead
    away_m    from the start, where nobody says where to stand; `round` radians from ahead
    """

    height_m: float
    reach_m: float
    aside: float
    away_m: float
    round: float

    @property
    def free(self) -> tuple[float, float, float]:
        """Where it is in the first problem."""
        return (
            self.away_m * math.sin(self.round), self.height_m, self.away_m * math.cos(self.round),
        )  # fmt: skip

    @property
    def from_stand(self) -> tuple[float, float, float]:
        """Where it is in the second problem."""
        return (
            self.reach_m * math.sin(self.aside), self.height_m,
            STAND_M + self.reach_m * math.cos(self.aside),
        )  # fmt: skip


def pick_reaches(graph: InterpolatedGraph) -> Floats:
    """Return (P, 2) how far, and how high, hands are where they take something."""
    picks = np.flatnonzero(graph.node_signature & HANDS & ~graph.node_before)
    hand = np.where(graph.node_signature[picks] & LEFT_HAND, 0, 1)
    at = graph.node_hands[picks, hand]
    return np.stack([np.hypot(at[:, 0], at[:, 2]), at[:, 1]], axis=1)


def sample_targets(plain: InterpolatedGraph, count: int, seed: int) -> list[Item]:
    """Places drawn evenly from the volume that the clips' hands enclose; none without picks."""
    reaches = pick_reaches(plain)
    if not len(reaches):
        return []
    rng = np.random.default_rng(seed)
    low, high = reaches.min(axis=0), reaches.max(axis=0)
    out: list[Item] = []
    while len(out) < count:
        reach, height = rng.uniform(low, high)
        # A ring is as long as it is wide: evenly in the volume is not evenly in the reach.
        if rng.uniform() * high[0] <= reach and _is_enclosed(reaches, (reach, height)):
            near, far = _NEAR_M**2, _FAR_M**2
            out.append(Item(
                float(height), float(reach), float(rng.uniform(-_ASIDE, _ASIDE)),
                math.sqrt(rng.uniform(near, far)), float(rng.uniform(-_ASIDE, _ASIDE)),
            ))  # fmt: skip
    return out


def _is_enclosed(points: Floats, at: tuple[float, float]) -> bool:
    """Return whether a point is in the convex hull of others."""
    away = points - np.array(at)
    angles = np.sort(np.arctan2(away[:, 1], away[:, 0]))
    gaps = np.diff(np.append(angles, angles[0] + math.tau))
    return len(np.unique(points, axis=0)) < 3 or bool(gaps.max() <= math.pi)


def pick_problem(graph: InterpolatedGraph, target: Item, within_m: float) -> PathProblem | Refusal:
    """Return the first problem of Table 1: start here, pick up there."""
    return make_problem(graph, Query(START, Pick(*target.free, within_m=within_m)))


def pick_from_place_problem(
    graph: InterpolatedGraph, target: Item, within_m: float
) -> PathProblem | Refusal:
    """Return the second: the same, and the root is as near to a place when the hand is there."""
    made = make_problem(graph, Query(START, Pick(*target.from_stand, within_m=within_m)))
    if isinstance(made, Refusal):
        return made
    taken, *rest = made.constraints
    reach = np.hypot(taken.point[:, 0], taken.point[:, 2])
    near = taken.nodes & (np.abs(reach - target.reach_m) <= within_m)
    if not near.any():
        return Refusal("no clip reaches so far at this height")
    exact = replace(
        taken, nodes=near, facing=np.arctan2(taken.point[:, 0], taken.point[:, 2]),
        yaw=target.aside, within_rad=within_m / max(target.reach_m, within_m),
    )  # fmt: skip
    return replace(made, constraints=[exact, *rest])


# ---- one walk cycle --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Strides:
    """Walk cycles from one state straight ahead.

    state    of the phase graph
    lengths  (L,) metres, those that are to be walked
    """

    state: int
    lengths: Floats


def sample_strides(plain: InterpolatedGraph, count: int) -> Strides | None:
    """Lengths evenly from the shortest to the longest cycle of the state that has the most."""
    begins = (plain.node_before == RIGHT_FOOT) & (plain.node_signature == FEET) & ~plain.node_rest
    recorded = ~shown_made(plain.phases, (STEPS, ACROSS))[plain.edge_a]
    tails = np.repeat(np.arange(len(begins)), np.diff(plain.edge_start))
    begins &= np.bincount(tails[recorded], minlength=len(begins)) > 0
    best: Strides | None = None
    most = 1
    for node in np.flatnonzero(begins):
        ends = _cycles(plain, int(node))
        ahead = ends[np.abs(ends[:, 0]) <= _STRAIGHT_M, 1]
        ahead = ahead[ahead > _STRAIGHT_M]
        if len(np.unique(ahead.round(2))) > most:
            most = len(np.unique(ahead.round(2)))
            lengths = np.linspace(ahead.min(), ahead.max(), count)
            best = Strides(int(plain.node_a[node]), lengths)
    return best


def _cycles(plain: InterpolatedGraph, node: int) -> Floats:
    """Return (E, 3) where the walk cycles from a node lead to."""
    reached = {(node, 0, 0): (np.zeros(3), 0.0)}
    for kind in _CYCLE:
        new: dict[tuple[int, int, int], tuple[Floats, float]] = {}
        for (here, _, _), (pose, seconds) in reached.items():
            for edge in range(*plain.edge_start[here : here + 2].tolist()):
                to = int(plain.edge_to[edge])
                if (plain.node_before[to], plain.node_signature[to]) == kind:
                    there = integrate_moves(plain.edge_move[edge : edge + 1], pose)[1]
                    x, z = np.rint(100.0 * there[:2]).astype(int).tolist()
                    new[to, x, z] = there, seconds + float(plain.edge_seconds[edge])
        reached = {key: one for key, one in new.items() if not plain.node_rest[key[0]]}
    in_time = [pose for pose, seconds in reached.values() if seconds <= _CYCLE_S]
    return np.array(in_time).reshape(-1, 3)


def stride_problem(
    graph: InterpolatedGraph, strides: Strides, length_m: float, within_m: float
) -> PathProblem | Refusal:
    """Return the third problem: walk so far ahead with one walk cycle."""
    made = make_problem(graph, Query(START, GoTo(0.0, length_m, within_m=within_m)))
    if isinstance(made, Refusal):
        return made
    count = len(graph.node_a)
    ends = (graph.node_before == RIGHT_FOOT) & (graph.node_signature == FEET) & ~graph.node_rest
    there = Constraint(
        0, ends, np.zeros((count, 3)), np.array([0.0, math.nan, length_m]), within_m,
        np.zeros(count), by_s=_CYCLE_S,
    )  # fmt: skip
    first = np.flatnonzero((graph.node_a == strides.state) & (graph.node_b == strides.state))
    starts = Starts(first[:1].astype(np.int32), np.zeros((1, 3)))
    return replace(made, constraints=[there], starts=starts)


# ---- the motions and the worlds of the figures ------------------------------------------------

RIVERS_M = (0.60, 0.42, 0.22)
"""How wide the three rivers are, the smallest last: it can be stepped over."""


def three_rivers() -> Scene:
    """Level ground with three rivers across it."""
    middles = (-2.2, 0.2, 2.4)
    holes, waters = [], []
    for number, (z, wide) in enumerate(zip(middles, RIVERS_M, strict=True)):
        across = rectangle([-1.6, z - 0.5 * wide], [1.6, z + 0.5 * wide])
        holes.append(Hole(across, 0.4, f"river {number + 1}"))
        waters.append(Water(-0.08, across, f"river {number + 1}"))
    return Scene("three rivers", rectangle([-1.6, -5.0], [1.6, 5.0]), holes=tuple(holes),
                 waters=tuple(waters))  # fmt: skip


def winding_path() -> Floats:
    """Return (N, 2) a path that bends to the left and back to the right (Figure 13)."""
    z = np.linspace(0.0, 4.5, 46)
    return np.stack([0.55 * (1.0 - np.cos(math.tau * z / 4.5)), z], axis=1)


def motion_queries(graph: InterpolatedGraph) -> list[Query]:
    """Return the three motions of Table 2: a walk, three rivers, something to be picked."""
    reaches = pick_reaches(without_interpolation(graph))
    height = _nearest(reaches[:, 1], 0.5) if len(reaches) else 0.5
    return [
        Query(START, GoTo(0.8, 4.0)),
        Query(Place(0.0, -4.3, 0.0), GoTo(0.0, 4.3), three_rivers()),
        Query(START, Pick(0.7, height, 2.2)),
    ]


def _nearest(values: Floats, to: float) -> float:
    return float(values[np.abs(values - to).argmin()])


def random_queries(count: int, seed: int) -> list[Query]:
    """Random problems for Table 4: come to rest at a place in the open, ahead or aside."""
    rng = np.random.default_rng([seed, 4])
    out = []
    for _ in range(count):
        away, aside = rng.uniform(2.0, 4.0), rng.uniform(-_ASIDE, _ASIDE)
        x, z = away * math.sin(aside), away * math.cos(aside)
        out.append(Query(START, GoTo(x, z, within_m=_LOOSE_M)))
    return out
