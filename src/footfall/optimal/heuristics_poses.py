"""A guess of the cost that is left by place and yaw, for first looks: it may be too high.

Estimates that are never too high know nothing of room: they let a body turn where it is. The guess
is the cost of a thing that goes ahead and turns at most as sharply as the graph can go on doing, at
the graph's own prices of metres and radians, to a pose in which the next constraint can be met.
Where that is one of hands or seat, it is the pose in which a body stands before.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.gait.signatures import FEET
from footfall.maths.arrays import Bools, Floats
from footfall.optimal.heuristics_nodes import GraphFacts, Numbers, Price
from footfall.optimal.heuristics_places import SQUARE_M, open_squares_of
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import Goals, World
from footfall.optimal.search_arrays import FAR

YAWS = 24
_STEPS = (1, 2, 3)
"""Squares that moves of the thing are long."""
_TURNS = (0, 1, -1, 2, -2, 3, -3, 4, -4)
_SHARES = (0.0, 0.4, 0.7, 0.9, 1.0)
_SHUFFLE_M = 0.6
"""What it costs to get a square aside or a yaw round on the spot, in metres that one might go."""
_ON_THE_SPOT_M = 0.1
"""Who needs no more metres for a radian turns on the spot."""
_MOST_POSES = 12
"""Poses from which a constraint is met that are told apart."""
_WITHIN_M = 0.08
_BEYOND = 1.2


def guess_by_pose(
    graph: InterpolatedGraph, facts: GraphFacts, world: World, goals: Goals
) -> Floats:
    """(C, I, K, Y) the guess at corners of squares and yaws, for each number of constraints met."""
    from footfall.optimal.heuristics_kernels import pose_costs

    squares, frame = open_squares_of(world)
    moves, costs = _moves(facts)
    count = len(goals.place)
    out = np.full((count, squares.shape[0] + 1, squares.shape[1] + 1, YAWS), np.inf)
    for c in range(count - 1, -1, -1):
        at = _where_met(graph, facts, goals, c, frame, out.shape[1:3])
        out[c][at] = out[c + 1][at] if c + 1 < count else 0.0
        pose_costs(squares, moves, costs, out[c])
        known = out[c] < FAR
        # It is a guess: where the thing does not get to somebody might.
        out[c][~known] = _BEYOND * out[c][known].max(initial=0.0)
    return out


def _moves(facts: GraphFacts) -> tuple[Numbers, Floats]:
    """What the thing can do: (Y, M, 5) as `pose_costs` takes them, and their costs (Y, M)."""
    sharpest = max(facts.radius(1), facts.radius(-1), 1e-3)
    kinds = [
        (step, turn)
        for step in _STEPS
        for turn in _TURNS
        if abs(turn) <= max(round(step * SQUARE_M / sharpest / (math.tau / YAWS)), 1)
    ]
    around = [(i, k) for i in (-1, 0, 1) for k in (-1, 0, 1) if i or k]
    moves = np.zeros((YAWS, len(kinds) + len(around) + 2, 5), np.int64)
    costs = np.full(moves.shape[:2], _SHUFFLE_M * facts.sustained)
    moves[:, len(kinds) : -2, :2] = around
    moves[:, -2:, 4] = 1, -1
    if sharpest < _ON_THE_SPOT_M:
        costs[:, -2:] = [_price(facts, 0.0, turn * math.tau / YAWS) for turn in (1, -1)]
    for yaw in range(YAWS):
        for m, (step, turn) in enumerate(kinds):
            middle = (yaw + 0.5 * turn) * math.tau / YAWS
            x, z = step * math.sin(middle), step * math.cos(middle)
            moves[yaw, m] = round(x), round(z), round(0.5 * x), round(0.5 * z), turn
            metres = SQUARE_M * max(math.hypot(round(x), round(z)), step)
            costs[yaw, m] = _price(facts, metres, turn * math.tau / YAWS)
    return moves, costs


def _price(facts: GraphFacts, metres: float, turn: float) -> float:
    """What metres and radians cost at least, one with the other."""
    side = 1 if turn > 0.0 else -1
    found = [
        share * facts.sustained * metres
        + (facts.radian(share * facts.sustained, side) * abs(turn) if turn else 0.0)
        for share in _SHARES
    ]
    return max(found)


def _where_met(
    graph: InterpolatedGraph, facts: GraphFacts, goals: Goals, c: int, frame: Floats,
    shape: tuple[int, ...],
) -> Bools:  # fmt: skip
    """(I, K, Y) the poses in which, or from which straight on, a constraint is met."""
    x = frame[0] + np.arange(shape[0]) * SQUARE_M
    z = frame[1] + np.arange(shape[1]) * SQUARE_M
    at = np.zeros((*shape, YAWS), np.bool_)
    within = max(float(goals.within_m[c]), _WITHIN_M)
    for px, pz, facing, turn in _approaches(graph, facts, goals, c):
        for n in range(YAWS):
            yaw = n * math.tau / YAWS
            if not math.isnan(goals.yaw[c]):
                off = math.remainder(yaw + turn + facing - float(goals.yaw[c]), math.tau)
                if abs(off) > goals.within_rad[c] + 0.5 * math.tau / YAWS:
                    continue
            x0 = goals.place[c, 0] - px * math.cos(yaw) - pz * math.sin(yaw)
            z0 = goals.place[c, 2] + px * math.sin(yaw) - pz * math.cos(yaw)
            at[:, :, n] |= (x[:, None] - x0) ** 2 + (z[None, :] - z0) ** 2 <= within**2
    return at


def _approaches(
    graph: InterpolatedGraph, facts: GraphFacts, goals: Goals, c: int
) -> list[tuple[float, float, float, float]]:
    """From where a constraint is met: its point in the body's frame, what faces, and the turn that
    is made before it is.
    """
    nodes = np.flatnonzero(goals.nodes[c])
    if not len(nodes):
        return []
    upright = (graph.node_signature & ~FEET) == 0
    paths: list[tuple[Numbers, int]] = [(np.zeros(0, np.int64), int(n)) for n in nodes]
    if not upright[nodes].any():
        paths = _last_paths(graph, facts, nodes, upright)
    found: dict[tuple[int, ...], tuple[float, float, float, float]] = {}
    for edges, node in paths:
        x, z, turn = _net_move(graph, edges)
        px, _, pz = goals.point[c, node].tolist()
        px, pz = (
            x + px * math.cos(turn) + pz * math.sin(turn),
            z - px * math.sin(turn) + pz * math.cos(turn),
        )
        facing = float(goals.facing[c, node]) if not math.isnan(goals.yaw[c]) else 0.0
        key = round(px / 0.05), round(pz / 0.05), round((facing + turn) / 0.2)
        found.setdefault(key, (px, pz, facing, turn))
    return list(found.values())[:_MOST_POSES]


def _last_paths(
    graph: InterpolatedGraph, facts: GraphFacts, nodes: Numbers, upright: Bools
) -> list[tuple[Numbers, int]]:
    """The cheapest paths to any of some nodes from those in which one stands, and their ends."""
    left = facts.costs_to(nodes, np.zeros(len(nodes)), Price(0.0))[:, 0]
    hubs = np.flatnonzero(upright & graph.node_rest & (left < FAR))
    if not len(hubs):
        hubs = np.flatnonzero(upright & (left < FAR))
    hubs = hubs[np.argsort(left[hubs], kind="stable")][:_MOST_POSES]
    ends = np.zeros(len(left), np.bool_)
    ends[nodes] = True
    out: list[tuple[Numbers, int]] = []
    for hub in hubs.tolist():
        node, path = hub, list[int]()
        while not ends[node]:
            edges = np.arange(facts.start[node], facts.start[node + 1])
            edge = int(edges[(facts.costs[edges] + left[facts.heads[edges]]).argmin()])
            path.append(edge)
            node = int(facts.heads[edge])
        out.append((np.array(path, np.int64), node))
    return out


def _net_move(graph: InterpolatedGraph, edges: Numbers) -> tuple[float, float, float]:
    """Where edges lead, one after the other: x, z and yaw."""
    x = z = yaw = 0.0
    for mx, mz, turn in graph.edge_move[edges].tolist():
        c, s = math.cos(yaw), math.sin(yaw)
        x, z, yaw = x + mx * c + mz * s, z - mx * s + mz * c, yaw + turn
    return x, z, yaw
