"""The edges of the interpolated graph: single ones, and pairs with each weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.optimal.interpolate import SegmentRows, interpolated_seconds
from footfall.optimal.model import FOOT_DISCS, TRUNK_DISCS, PhaseGraph
from footfall.optimal.pairs import Pairs
from footfall.optimal.product_measure import DISCS, Measured

_CELL_M, _CELL_RAD, _LEVEL_M = 0.01, 0.0314, 0.1
"""Edges that lead to one place in these steps, half of the search's, and are about as high, are
as good as one."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """N nodes: (a, b, weight), and what `fill_nodes` tells of them."""

    a: Ints
    b: Ints
    weight: Floats
    feet: Floats
    hands: Floats
    seat: Floats
    base: Floats
    soles: Floats
    mass: Floats


def make_edges(
    phases: PhaseGraph, known: SegmentRows, nodes: Nodes, first: Ints, pairs: Pairs,
    own: Measured, half: Measured, shares: Floats,
) -> dict[str, Any]:  # fmt: skip
    """The arrays of all edges by name, with the node that each leaves: single ones, those that
    leave a free pair as single ones, those between two."""
    from footfall.optimal.product_kernels import fill_moves

    alone = _leave_free_pairs(phases, first, pairs)
    paired = _leave_pairs(phases, first, pairs, len(shares))
    pair, w = paired.pair, shares[paired.share]
    one = np.concatenate([alone.edge, pairs.one[pair]]).astype(np.int32)
    other = np.concatenate([alone.edge, pairs.other[pair]]).astype(np.int32)
    weight = np.concatenate([np.ones(len(alone.edge)), w])
    tail = np.concatenate([alone.tail, paired.tail]).astype(np.int32)
    head = np.concatenate([alone.head, paired.head]).astype(np.int32)
    move = np.empty((len(one), 3))
    fill_moves(
        known.rows, known.spans, known.signatures, one, other, weight, tail, head, nodes.base,
        nodes.soles, nodes.mass, known.body, move,
    )  # fmt: skip
    move[: len(phases.edge_move)] = phases.edge_move
    count, rise = len(alone.edge), phases.edge_rise
    cost = np.concatenate(
        [(own.effort + phases.edge_transition)[alone.edge],
         _mixed_costs(phases, own, half, pairs, pair, w)]
    )  # fmt: skip
    seconds = interpolated_seconds(known.seconds[one], known.seconds[other], weight)
    cost += phases.rest_cost * seconds
    rises = weight * rise[one] + (1.0 - weight) * rise[other]
    level = np.concatenate([_levels(own.discs)[alone.edge], _levels(half.discs)[pair]])
    cells = np.column_stack([move, rises]) / [_CELL_M, _CELL_M, _CELL_RAD, _CELL_M]
    where = np.column_stack([tail, head, np.rint(cells).astype(np.int32), level])
    keep = _cheapest(where, cost, count)
    used, inside = alone.edge[keep[:count]], keep[count:]
    mixed = _mixed(own, half, pairs, pair[inside], w[inside])
    length = np.concatenate([own.length[used], mixed["length"]])
    found = {
        "tail": tail,
        "edge_to": head,
        "edge_cost": cost,
        "edge_seconds": seconds,
        "edge_move": move,
        "edge_rise": rises,
        "edge_a": one,
        "edge_b": other,
        "edge_weight": weight,
    }
    found = {name: values[keep] for name, values in found.items()}
    chord = np.hypot(found["edge_move"][:, 0], found["edge_move"][:, 1])
    return {
        **found,
        "edge_length": np.maximum(length, chord),
        "edge_discs": _packed(np.concatenate([own.discs[used], mixed["discs"]])),
    }


def _levels(discs: Floats) -> Ints:
    """(P, 2) how high the trunk and the feet of segments are, in coarse steps."""
    top = discs[:, :TRUNK_DISCS, 4].max(axis=1)
    feet = discs[:, TRUNK_DISCS : TRUNK_DISCS + FOOT_DISCS]
    low = np.where(feet[..., 2] > 0.0, feet[..., 3], 0.0).max(axis=1)
    return np.rint(np.stack([top, low], axis=1) / _LEVEL_M).astype(np.int32)


def _cheapest(where: Ints, cost: Floats, alone: int) -> Bools:
    """(E,) of the edges with the same row of `where` (E, C) the cheapest, and the first `alone`."""
    order = np.lexsort((cost, *where.T))
    rows = where[order]
    keep = np.zeros(len(order), np.bool_)
    keep[order[np.append(True, (rows[1:] != rows[:-1]).any(axis=1))]] = True
    keep[:alone] = True
    return keep


@dataclass(frozen=True, eq=False)
class _Alone:
    """Edges of the phase graph by themselves, and the nodes that they leave and reach."""

    edge: Ints
    tail: Ints
    head: Ints


@dataclass(frozen=True, eq=False)
class _Paired:
    """Pairs of edges (`Pairs`) with the number of a share, and the nodes they leave and reach."""

    pair: Ints
    share: Ints
    tail: Ints
    head: Ints


def _leave_free_pairs(phases: PhaseGraph, first: Ints, pairs: Pairs) -> _Alone:
    """All edges of the phase graph, and again those that leave a free pair by one of its two."""
    order = np.argsort(phases.edge_from, kind="stable")
    starts = np.searchsorted(phases.edge_from[order], np.arange(len(phases.state_root) + 1))
    edges, tails = [np.arange(len(order))], [np.asarray(phases.edge_from)]
    for pair in np.flatnonzero(pairs.free).tolist():
        for state in (pairs.node_a[pair], pairs.node_b[pair]):
            leaving = order[starts[state] : starts[state + 1]]
            edges.append(leaving)
            tails.append(np.full(len(leaving), first[pair]))
    edge = np.concatenate(edges).astype(np.int32)
    return _Alone(edge, np.concatenate(tails).astype(np.int32), phases.edge_to[edge])


def _leave_pairs(phases: PhaseGraph, first: Ints, pairs: Pairs, weights: int) -> _Paired:
    """Every pair of edges with every share; what leaves a free pair leaves both states as well."""
    count = len(pairs.one)
    pair = np.repeat(np.arange(count, dtype=np.int32), weights)
    share = np.tile(np.arange(weights, dtype=np.int32), count)
    tail = _node_numbers(pairs, first, pairs.tail[pair], pairs.tail_state[pair], share)
    flipped = np.where(pairs.flipped[pair], weights - 1 - share, share).astype(np.int32)
    head = _node_numbers(pairs, first, pairs.head[pair], pairs.head_state[pair], flipped)
    parts = np.flatnonzero(np.append(pairs.free, False)[pairs.tail[pair]])
    again = np.concatenate([np.arange(len(pair)), parts, parts])
    tails = [tail, phases.edge_from[pairs.one[pair[parts]]],
             phases.edge_from[pairs.other[pair[parts]]]]  # fmt: skip
    return _Paired(pair[again], share[again], np.concatenate(tails).astype(np.int32), head[again])


def _node_numbers(pairs: Pairs, first: Ints, pair: Ints, state: Ints, share: Ints) -> Ints:
    """(E,) the node of each end: of a single state (pair -1), of a pair with its share or any."""
    number = np.append(first, 0)[pair] + np.where(np.append(pairs.free, True)[pair], 0, share)
    return np.where(pair < 0, state, number).astype(np.int32)


def _between(a: Floats, b: Floats, middle: Floats, w: Floats) -> Floats:
    """(N, ...) values at shares `w` of the first on parabolas from one to another by a middle."""
    share = w.reshape(-1, *[1] * (a.ndim - 1))
    arch = 4.0 * share * (1.0 - share)
    return np.asarray(share * a + (1.0 - share) * b + arch * (middle - 0.5 * (a + b)))


def _mixed_costs(
    phases: PhaseGraph, own: Measured, half: Measured, pairs: Pairs, pair: Ints, w: Floats
) -> Floats:
    """(N,) what edges between two cost, from those at both ends and halfway."""
    one, other = pairs.one[pair], pairs.other[pair]
    three = own.effort[one], own.effort[other], half.effort[pair]
    # A parabola through three values may leave the positive ones between them.
    effort = np.maximum(_between(*three, w), 0.5 * np.min(three, axis=0))
    changes = phases.edge_transition
    return np.asarray(effort + w * changes[one] + (1.0 - w) * changes[other])


def _mixed(own: Measured, half: Measured, pairs: Pairs, pair: Ints, w: Floats) -> dict[str, Floats]:
    """Length and discs of edges between two, from those at both ends and halfway."""
    one, other = pairs.one[pair], pairs.other[pair]
    three = own.discs[one], own.discs[other], half.discs[pair]
    discs = _between(*three, w)
    # An arm that does not reach out in all of them has no disc there to go on from.
    arms, widths = slice(TRUNK_DISCS + FOOT_DISCS, DISCS), np.stack([d[..., 2] for d in three])
    widest = np.take_along_axis(np.stack(three), widths.argmax(axis=0)[None, ..., None], axis=0)[0]
    discs[:, arms] = widest[:, arms]
    length = _between(own.length[one], own.length[other], half.length[pair], w)
    return {"length": length, "discs": discs}


def _packed(discs: Floats) -> Any:
    """Discs (E, D, 5) as they are searched: those that are used first."""
    order = np.argsort(discs[..., 2] <= 0.0, axis=1, kind="stable")
    return np.take_along_axis(discs, order[..., None], axis=1).astype(np.float32)
