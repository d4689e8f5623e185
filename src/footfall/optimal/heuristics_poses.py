"""A guess of the cost that is left by place and yaw, for first looks: it may be too high.

Estimates that are never too high know nothing of room: they let a body turn where it is. The guess
is that of a body that does at once, by the cheapest path through the graph, what the next
constraint asks for (stops, ducks, leaps, sits), and of a thing that makes up for doing it in a
wrong place: it goes ahead and turns at most as sharply as the graph can go on doing, at the graph's
own prices of metres and radians.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Bools, Floats
from footfall.optimal.heuristics_nodes import GraphFacts
from footfall.optimal.heuristics_places import SQUARE_M, open_squares_of
from footfall.optimal.problem import Goals, World
from footfall.search.shortest_path import FAR
from footfall.search.squares import corners_of, pose_costs
from footfall.world.fields import outside_distance

YAWS = 24
_STEPS = (1, 2, 3)
"""Squares that moves of the thing are long."""
_TURNS = (0, 1, -1, 2, -2, 3, -3, 4, -4)
_SHARES = (0.0, 0.4, 0.7, 0.9, 1.0)
_SHUFFLE_M = 0.6
"""What it costs to get a square aside or a yaw round on the spot, in metres that one might go."""
_ON_THE_SPOT_M = 0.1
"""Who needs no more metres for a radian turns on the spot."""
_SHARPER = 2.0
"""Turns to a place cost about so many times as much as those that go on for ever."""
_ALIKE = np.array([0.05, 0.05, 0.2])
_MOST_POINTS = 12
"""Points of nodes that are told apart: metres and radians, and how many."""
_WITHIN_M = 0.08
_BEYOND = 1.2
_ABOUT = 1.3
"""Stands from which it costs so many times the least are those in which something is begun."""
_NEAR, _INSIDE = 2.0, 12.0
"""What a metre costs near things, and within a centimetre of them, for a body that is upright."""
_FREE_M, _SCARCE_M = 0.03, 0.12
_OFF, _MOST = 12.0, 40.0
"""So far from ground a root is no worse off; each so many metres farther a metre costs so many
times as much more, at most."""
_NEAR_M = 0.5
"""Ground that is scarce so near to the goal is no matter of how one gets there."""


def guess_by_pose(
    facts: GraphFacts, world: World, goals: Goals, ahead_m: Floats | None = None
) -> Floats:
    """(C, I, K, Y) the guess at corners of squares and yaws, for each number of constraints met.

    ahead_m  (C,) how far ahead of where it ends what is done for each constraint is begun, which is
             where the thing has to get to (`begun_ahead`)
    """
    squares, frame = open_squares_of(world)
    moves, costs = _moves(facts)
    count = len(goals.place)
    out = np.full((count, squares.shape[0] + 1, squares.shape[1] + 1, YAWS), np.inf)
    level, opened = np.ones(out.shape[1:3]), corners_of(squares)
    for body_m, dearer in ((world.size.core_m, _NEAR), (0.01, _INSIDE)):
        level[~corners_of(walking_squares(world, squares, frame, body_m))] = dearer
    for c in range(count - 1, -1, -1):
        ahead = 0.0 if ahead_m is None else float(ahead_m[c])
        at = _where_met(goals, c, ahead, frame, out.shape[1:3])
        out[c][at] = out[c + 1][at] if c + 1 < count else 0.0
        pose_costs(opened, level, moves, costs, out[c])
        _fill(out[c])
    return out


def footing_by_pose(facts: GraphFacts, world: World, goals: Goals) -> Floats:
    """(I, K, Y) how much more is left where ground for feet is scarce, at corners and yaws."""
    squares, frame = open_squares_of(world)
    shape = squares.shape[0] + 1, squares.shape[1] + 1
    dear = dear_corners(world, frame, shape)
    if dear.max() <= 1.0:
        return np.zeros((*shape, YAWS))
    moves, costs = _moves(facts)
    x, z = (frame[n] + np.arange(shape[n]) * SQUARE_M - goals.place[-1, 2 * n] for n in range(2))
    both = []
    for price in (dear, np.ones(shape)):
        cost = np.full((*shape, YAWS), np.inf)
        cost[np.hypot(x[:, None], z[None, :]) < _NEAR_M] = 0.0
        pose_costs(corners_of(squares), price, moves, costs, cost)
        _fill(cost)
        both.append(cost)
    return np.asarray(np.maximum(both[0] - both[1], 0.0))


def _fill(cost: Floats) -> None:
    """It is a guess: where the thing does not get to somebody might."""
    known = cost < FAR
    cost[~known] = _BEYOND * cost[known].max(initial=0.0)


def begun_ahead(by_node: Floats) -> Floats:
    """(C,) how far ahead of where they end things are begun that are done backward, metres.

    by_node  (C, N, 4) what `guess_by_node` gives, of nodes in which somebody stands at rest
    """
    out = np.zeros(len(by_node))
    for c, each in enumerate(by_node):
        # From other stances one steps to the one in which it is begun, wherever that leads.
        known = each[each[:, 3] <= _ABOUT * each[:, 3].min(initial=FAR), 1]
        out[c] = max(-float(np.median(known)), 0.0) if len(known) else 0.0
    return out


def shift_ahead(by_node: Floats, ahead_m: Floats) -> Floats:
    """What `guess_by_node` gives, with poses so far (C,) ahead of where they were."""
    out, yaw = by_node.copy(), by_node[:, :, 2]
    out[:, :, 0] += ahead_m[:, None] * np.sin(yaw)
    out[:, :, 1] += ahead_m[:, None] * np.cos(yaw)
    return out


def guess_by_node(facts: GraphFacts, goals: Goals, left: Floats) -> Floats:
    """(C, N, 4) where the cheapest path leads from each node to one that meets the next constraint:
    x, z and yaw; and what is left to pay from the node on.

    left  (C, N) by node, on whole costs
    """
    from footfall.search.shortest_path_kernels import net_moves

    out = np.zeros((*left.shape, 4))
    for c in range(len(left)):
        order = np.argsort(left[c], kind="stable")
        net_moves(
            facts.start, facts.heads, facts.costs, facts.moves, left[c], goals.nodes[c], order,
            out[c],
        )  # fmt: skip
    return out


def _moves(facts: GraphFacts) -> tuple[NDArray[np.int64], Floats]:
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
        + (_SHARPER * facts.radian(share * facts.sustained, side) * abs(turn) if turn else 0.0)
        for share in _SHARES
    ]
    return max(found)


def _where_met(
    goals: Goals, c: int, ahead_m: float, frame: Floats, shape: tuple[int, ...]
) -> Bools:
    """(I, K, Y) the poses so far ahead of those in which a constraint is met by some node."""
    x = frame[0] + np.arange(shape[0])[:, None] * SQUARE_M
    z = frame[1] + np.arange(shape[1])[None, :] * SQUARE_M
    at = np.zeros((*shape, YAWS), np.bool_)
    within = max(float(goals.within_m[c]), _WITHIN_M)
    for px, point_z, facing in _points(goals, c):
        pz = point_z - ahead_m
        for n in range(YAWS):
            yaw = n * math.tau / YAWS
            if not math.isnan(goals.yaw[c]):
                off = math.remainder(yaw + facing - float(goals.yaw[c]), math.tau)
                if abs(off) > goals.within_rad[c] + 0.5 * math.tau / YAWS:
                    continue
            dx = x + px * math.cos(yaw) + pz * math.sin(yaw) - goals.place[c, 0]
            dz = z - px * math.sin(yaw) + pz * math.cos(yaw) - goals.place[c, 2]
            good = dx**2 + dz**2 <= within**2
            if len(goals.slab):
                ahead_x, ahead_z, least, most = goals.slab[c].tolist()
                along = ahead_x * dx + ahead_z * dz
                good &= (along >= least - _WITHIN_M) & (along <= most + _WITHIN_M)
            at[:, :, n] |= good
    return at


def _points(goals: Goals, c: int) -> list[tuple[float, float, float]]:
    """What is to be at a place in the frames of nodes that meet a constraint, and how it faces."""
    nodes = np.flatnonzero(goals.nodes[c])
    facing = goals.facing[c][nodes]
    if math.isnan(goals.yaw[c]):
        facing = np.zeros(len(nodes))
    rows = np.column_stack([goals.point[c][nodes][:, [0, 2]], facing])
    first = np.unique(np.rint(rows / _ALIKE), axis=0, return_index=True)[1]
    found: list[tuple[float, float, float]] = rows[np.sort(first)[:_MOST_POINTS]].tolist()
    return found


# ---- room and ground ------------------------------------------------------------------------


def walking_squares(
    world: World, squares: Bools, frame: Floats, body_m: float | None = None
) -> Bools:
    """Which of the squares that the root may touch somebody upright may be in.

    body_m  how far from the middle of the body things have to be
    """
    if world.cell_m > 0.5 * SQUARE_M or not len(world.band_layer):
        return squares
    free = ~_blocked(world, world.size.core_m if body_m is None else body_m)
    rows = [
        np.floor((world.origin[n] + np.arange(size) * world.cell_m - frame[n]) * frame[2])
        for n, size in enumerate(free.shape)
    ]
    i, k = (row.astype(np.int64) for row in rows)
    out = np.zeros(squares.shape, np.bool_)
    np.logical_or.at(out, (i[:, None], k[None, :]), free)
    return out & squares


def _blocked(world: World, body_m: float) -> Bools:
    """(X, Z) where something between knees and waist is nearer than that."""
    size = world.size
    ground = np.where(np.isfinite(world.height), world.height, _usual_height(world))
    out = np.zeros(ground.shape, np.bool_)
    for above in np.arange(size.walk_low_m, size.walk_high_m, world.band_m) + 0.5 * world.band_m:
        band = np.floor((ground + above - world.base_y) / world.band_m).astype(np.int64)
        layer = world.band_layer[np.clip(band, 0, len(world.band_layer) - 1)]
        for number in np.unique(layer[layer >= 0]).tolist():
            out |= (layer == number) & (world.layers[number] < body_m)
    return out


def _usual_height(world: World) -> float:
    known = world.height[np.isfinite(world.height)]
    return float(np.median(known)) if len(known) else 0.0


def dear_corners(world: World, frame: Floats, shape: tuple[int, int]) -> Floats:
    """(I, K) how many times as much a metre costs at corners, by how far ground for a sole is."""
    carries: Bools = world.foothold_m > world.size.half_sole[1]
    if not carries.any():
        return np.ones(shape)
    away = outside_distance(carries, world.cell_m)
    at = [
        np.clip(np.rint((frame[n] + np.arange(size) * SQUARE_M - world.origin[n]) / world.cell_m),
                0, carries.shape[n] - 1).astype(np.int64)
        for n, size in enumerate(shape)
    ]  # fmt: skip
    off = np.maximum(away[np.ix_(*at)] - _FREE_M, 0.0)
    return np.asarray(np.minimum(1.0 + _OFF * off / _SCARCE_M, _MOST))
