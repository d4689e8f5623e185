"""Estimates of the cost that is left, for the search of the interpolated graph.

By place (`H_pos`): the root has so many metres to go to where the next constraint can be met, from
there to the next, and so on. By node (`H_img`): the cheapest path through the graph to a node that
can meet the constraint, wherever that is, on costs without what a *price* says of their length. So
price times metres and the cost by node count nothing twice. After the next constraint comes what
leads from the node that meets it to one that meets the next: the *chain*.

Some things hold the chain up that the paper does not have, and it is still never too high. The
price of a metre is that of the cheapest cycle, not of the cheapest edge: an edge that cannot be
repeated carries nobody far. By node only paths count that are as long as there are metres left, up
to `FAR_M`: who stands where he is to stand, but a metre away, has to set off and to stop. Lower
prices of a metre are tried as well, since what is dear by itself is not gone for its length. And
where a constraint asks for a heading, radians have a price beside metres: who has to face the other
way has to turn round.

chain   as said                                euclid  the straight line to the goal
max     by place, and the dearest constraint by node
pos     by place alone                         img     by node alone, on whole costs
sum     as in the paper: by place to the goal, and all constraints by node; it may be too high,
        so that nothing is proven by it
Those but the first go by the cheapest edge, as in the paper.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from footfall.errors import InputError
from footfall.gait.signatures import FEET
from footfall.maths.arrays import Floats
from footfall.optimal.heuristics_nodes import GraphFacts, facts_of
from footfall.optimal.heuristics_places import (
    Fields,
    fields_in_order,
    fields_of_nothing,
    fields_to_goal,
)
from footfall.optimal.heuristics_poses import (
    begun_ahead,
    footing_by_pose,
    guess_by_node,
    guess_by_pose,
    shift_ahead,
)
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import Goals, World
from footfall.optimal.search_arrays import ASK, Guide
from footfall.search.reduced_costs import FAR_M, LAYERS, STEP_M, Price
from footfall.search.shortest_path import FAR

__all__ = ["ADMISSIBLE", "FAR_M", "HEURISTICS", "Heuristic", "make_guide"]

Heuristic = Literal["chain", "max", "sum", "euclid", "pos", "img"]
HEURISTICS: tuple[Heuristic, ...] = get_args(Heuristic)
ADMISSIBLE = frozenset({"chain", "max", "euclid", "pos", "img"})
METRES = (0.0, 0.4, 0.7)
"""Prices of a metre that lines are made for, shares of the highest."""
_LOWER = 1.0 - 2e-7

Singles = NDArray[np.float32]


def make_guide(
    graph: InterpolatedGraph, world: World, goals: Goals, heuristic: Heuristic = "chain",
    slack_m: float = 0.0, slack_rad: float = 0.0,
) -> Guide:  # fmt: skip
    """The tables that estimates are read from.

    slack_m, slack_rad  how much farther than its edges are long a path may lead, and turn, for
                        each of them: half a cell where states are in the middle of cells
    """
    if heuristic not in HEURISTICS:
        raise InputError(
            f"the heuristic is {heuristic!r}", remedy=f"choose from {', '.join(HEURISTICS)}"
        )
    facts = facts_of(graph, slack_m, slack_rad)
    fields = _fields(world, goals, heuristic)
    if heuristic == "chain":
        rate, table = facts.sustained, _layered_chain(facts, goals, fields.legs)
        lines, slopes, yaw, within = _lines(facts, goals)
    else:
        rate = 0.0 if heuristic == "img" else facts.least
        table = _combine(facts, goals, heuristic, rate)
        lines, slopes = np.zeros((*goals.nodes.shape, 0)), np.zeros((0, 2))
        yaw, within = np.full(len(goals.yaw), np.nan), np.zeros(len(goals.yaw))
    level = int((slopes[:, 1] == 0.0).sum())
    asks = np.zeros(len(yaw), ASK)
    asks["later"], asks["yaw"] = fields.later, yaw
    asks["within_rad"] = within
    return Guide(
        fields.frame, _singles(fields.metres), asks, _singles(table), float(rate), 1.0 / STEP_M,
        _singles(lines), slopes, level, np.zeros((len(yaw), 2, 2, 0), np.float32),
        np.zeros((len(yaw), 1, 4), np.float32), np.zeros((2, 2, 0), np.float32),
    )  # fmt: skip


def with_guess(
    guide: Guide, graph: InterpolatedGraph, world: World, goals: Goals, slack_m: float,
    slack_rad: float,
) -> Guide:  # fmt: skip
    """A guide with a guess by pose as well, that may be too high."""
    facts = facts_of(graph, slack_m, slack_rad)
    by_node = guess_by_node(facts, goals, _level_chain(facts, goals, Price(0.0)))
    stands = by_node[:, graph.node_rest & (graph.node_signature & ~FEET == 0)]
    ahead_m, begun = begun_ahead(stands), stands[:, :, 3].min(axis=1, initial=FAR)
    by_node = shift_ahead(by_node, ahead_m)
    guess = guess_by_pose(facts, world, goals, ahead_m)
    footing = footing_by_pose(facts, world, goals)
    single: type[np.float32] = np.float32
    asks = guide.asks.copy()
    asks["begun"] = begun.astype(single)
    return guide._replace(
        asks=asks, guess=guess.astype(single), done=by_node.astype(single),
        footing=footing.astype(single),
    )  # fmt: skip


def _fields(world: World, goals: Goals, heuristic: Heuristic) -> Fields:
    if heuristic == "img":
        return fields_of_nothing(world, goals)
    if heuristic in ("euclid", "sum"):
        return fields_to_goal(world, goals, heuristic == "euclid")
    return fields_in_order(world, goals)


def _combine(facts: GraphFacts, goals: Goals, heuristic: Heuristic, rate: float) -> Floats:
    """(C, N, 1) what the paper's estimates say by node, for each number of constraints met."""
    table = np.zeros((*goals.nodes.shape, 1))
    if heuristic in ("euclid", "pos"):
        return table
    later = 0.0
    for c in range(len(table) - 1, -1, -1):
        at = np.flatnonzero(goals.nodes[c])
        table[c] = each = facts.costs_to(at, np.zeros(len(at)), Price(rate))
        if c + 1 < len(table):
            if heuristic == "max":
                table[c] = np.maximum(each, table[c + 1])
            elif heuristic == "sum":
                table[c] = each + table[c + 1]
            else:
                table[c] = each + later
        if c > 0:
            later += min(float(each[goals.nodes[c - 1]].min(initial=FAR)), FAR)
    return table


def _layered_chain(facts: GraphFacts, goals: Goals, legs: Floats) -> Floats:
    """(C, N, B + 1) by node and by metres to the next constraint, at the highest price of a metre.

    legs  (C,) metres at least from where the constraint before is met
    """
    table = np.empty((*goals.nodes.shape, LAYERS))
    for c in range(len(table) - 1, -1, -1):
        at = np.flatnonzero(goals.nodes[c])
        begin = np.zeros(len(at))
        if c + 1 < len(table):
            begin = table[c + 1][at, min(int(legs[c + 1] / STEP_M), LAYERS - 1)]
        table[c] = facts.costs_to(at, begin, Price(facts.sustained), LAYERS)
    return _going_on(facts, goals, Price(facts.sustained), table)


def _going_on(facts: GraphFacts, goals: Goals, price: Price, table: Floats) -> Floats:
    """A table (C, N, B + 1) whose nodes that could meet the next constraint, but do not, go on."""
    out = table.copy()
    for c in range(len(table)):
        at = np.flatnonzero(goals.nodes[c])
        out[c][at] = facts.costs_on(at, table[c], price)
    return out


def _lines(facts: GraphFacts, goals: Goals) -> tuple[Floats, Floats, Floats, Floats]:
    """Lines (C, N, J) and their slopes (J, 2), and the yaw that each constraint turns to (C,),
    within what (C,).
    """
    count = len(goals.yaw)
    yaw, within = np.array(goals.yaw, np.float64), np.array(goals.within_rad, np.float64)
    for c in range(count - 2, -1, -1):
        if np.isnan(yaw[c]):
            yaw[c], within[c] = yaw[c + 1], within[c + 1]
    prices = [Price(share * facts.sustained) for share in METRES]
    sides = (1, -1) if np.isfinite(yaw).any() else ()
    turns = [
        Price(metre, side * facts.radian(metre, side)) for metre, _ in prices for side in sides
    ]
    plain = [_level_chain(facts, goals, price) for price in prices]
    turned = [_turning_chain(facts, goals, price, plain[n // 2]) for n, price in enumerate(turns)]
    on = [
        _going_on(facts, goals, price, table[:, :, None])
        for price, table in zip([*prices, *turns], [*plain, *turned], strict=True)
    ]
    lines = np.concatenate(on, axis=2)
    return lines, np.array([*prices, *turns]), yaw, within


def _level_chain(facts: GraphFacts, goals: Goals, price: Price) -> Floats:
    """(C, N) by node, over all constraints that are left, at a price of a metre."""
    table = np.empty(goals.nodes.shape)
    for c in range(len(table) - 1, -1, -1):
        at = np.flatnonzero(goals.nodes[c])
        begin = table[c + 1][at] if c + 1 < len(table) else np.zeros(len(at))
        table[c] = facts.costs_to(at, begin, price)[:, 0]
    return table


def _turning_chain(facts: GraphFacts, goals: Goals, price: Price, level: Floats) -> Floats:
    """(C, N) the same with a price of a radian too, up to the next constraint that has a yaw.

    level  (C, N) what is left after it, with no price of a radian
    """
    table = np.full(goals.nodes.shape, -FAR)
    for c in range(len(table) - 1, -1, -1):
        at = np.flatnonzero(goals.nodes[c])
        if not np.isnan(goals.yaw[c]):
            begin = level[c + 1][at] if c + 1 < len(table) else np.zeros(len(at))
            # The root's own yaw there is less by what faces.
            begin = np.where(begin < FAR, begin - price.radian * goals.facing[c][at], FAR)
        elif c + 1 < len(table) and table[c + 1].max(initial=-FAR) > -FAR:
            begin = table[c + 1][at]
        else:
            continue
        table[c] = facts.costs_to(at, begin, price)[:, 0]
    return table


def _singles(estimates: Floats) -> Singles:
    """Estimates in 32 bits, none higher than before but those that are too far anyway."""
    lower = estimates - np.abs(estimates) * (1.0 - _LOWER)
    return np.where(estimates < 0.1 * FAR, lower, FAR).astype(np.float32)
