"""The edges of the interpolated graph: single ones, and pairs with each weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.optimal.interpolate import MIX, SegmentRows, interpolated_seconds
from footfall.optimal.model import FOOT_DISCS, TRUNK_DISCS, PhaseGraph
from footfall.optimal.pairs import Pairs
from footfall.optimal.product_measure import DISCS, Measured

_CELL_M, _CELL_RAD, _LEVEL_M = 0.01, 0.0314, 0.1
"""Edges that lead to one place in these steps, half of the search's, and are about as high, are
as good as one."""
_AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class Nodes:
    """N nodes: (a, b, weight), and rows (N, C) as `fill_nodes` fills them."""

    a: Ints
    b: Ints
    weight: Floats
    rows: Floats

    def columns(self, first: int, stop: int) -> Floats:
        """Return some columns of the rows."""
        return np.ascontiguousarray(self.rows[:, first:stop])


def make_edges(
    phases: PhaseGraph, known: SegmentRows, nodes: Nodes, first: Ints, pairs: Pairs,
    own: Measured, half: Measured, shares: Floats,
) -> dict[str, Any]:  # fmt: skip
    """The arrays of all edges by name, with the node that each leaves: single ones, those that
    leave a free pair as single ones, those between two."""
    from footfall.optimal.product_kernels import fill_moves

    alone = _leave_free_pairs(phases, first, pairs)
    paired, pair = _leave_pairs(phases, first, pairs, shares)
    jobs, w = np.concatenate([alone, paired]), paired["weight"]
    one, other, weight, tail, head = (
        np.ascontiguousarray(jobs[name]) for name in ("one", "other", "weight", "tail", "head")
    )
    move = np.empty((len(one), 3))
    fill_moves(known, jobs, nodes.rows, move)
    move[: len(phases.edge_move)] = phases.edge_move
    count, rise = len(alone), phases.edge_rise
    cost = np.concatenate(
        [(own.effort + phases.edge_transition)[alone["one"]],
         _mixed_costs(phases, own, half, pairs, pair, w)]
    )  # fmt: skip
    seconds = interpolated_seconds(known.seconds[one], known.seconds[other], weight)
    cost += phases.rest_cost * seconds
    rises = weight * rise[one] + (1.0 - weight) * rise[other]
    level = np.concatenate([_levels(own.discs)[alone["one"]], _levels(half.discs)[pair]])
    cells = np.column_stack([move, rises]) / [_CELL_M, _CELL_M, _CELL_RAD, _CELL_M]
    where = np.column_stack([tail, head, np.rint(cells).astype(np.int32), level])
    keep = _cheapest(where, cost, count)
    used, inside = alone["one"][keep[:count]], keep[count:]
    pair, w = pair[inside], w[inside]
    length = _between(own.length[pairs.one[pair]], own.length[pairs.other[pair]],
                      half.length[pair], w)  # fmt: skip
    length = np.concatenate([own.length[used], length])
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
        "edge_discs": np.concatenate(
            [_packed(own.discs[used]), _mixed_discs(own, half, pairs, pair, w)]
        ),
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


def _leave_free_pairs(phases: PhaseGraph, first: Ints, pairs: Pairs) -> NDArray[np.void]:
    """All edges of the phase graph, and again those that leave a free pair by one of its two."""
    order = np.argsort(phases.edge_from, kind="stable")
    starts = np.searchsorted(phases.edge_from[order], np.arange(len(phases.state_root) + 1))
    edges, tails = [np.arange(len(order))], [np.asarray(phases.edge_from)]
    for pair in np.flatnonzero(pairs.free).tolist():
        for state in (pairs.node_a[pair], pairs.node_b[pair]):
            leaving = order[starts[state] : starts[state + 1]]
            edges.append(leaving)
            tails.append(np.full(len(leaving), first[pair]))
    out = np.zeros(sum(map(len, edges)), MIX)
    out["one"] = out["other"] = np.concatenate(edges)
    out["tail"], out["head"] = np.concatenate(tails), phases.edge_to[out["one"]]
    out["weight"] = 1.0
    return out


def _leave_pairs(
    phases: PhaseGraph, first: Ints, pairs: Pairs, shares: Floats
) -> tuple[NDArray[np.void], Ints]:
    """Every pair of edges with every share, and which pair each is.

    What leaves a free pair leaves both states as well.
    """
    count, weights = len(pairs.one), len(shares)
    pair = np.repeat(np.arange(count, dtype=np.int32), weights)
    share = np.tile(np.arange(weights, dtype=np.int32), count)
    tail = _node_numbers(pairs, first, pairs.tail[pair], pairs.tail_state[pair], share)
    flipped = np.where(pairs.flipped[pair], weights - 1 - share, share).astype(np.int32)
    head = _node_numbers(pairs, first, pairs.head[pair], pairs.head_state[pair], flipped)
    parts = np.flatnonzero(np.append(pairs.free, False)[pairs.tail[pair]])
    again = np.concatenate([np.arange(len(pair)), parts, parts])
    tails = [tail, phases.edge_from[pairs.one[pair[parts]]],
             phases.edge_from[pairs.other[pair[parts]]]]  # fmt: skip
    out = np.zeros(len(again), MIX)
    out["one"], out["other"] = pairs.one[pair[again]], pairs.other[pair[again]]
    out["tail"], out["head"] = np.concatenate(tails), head[again]
    out["weight"] = shares[share[again]]
    return out, pair[again]


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


def _mixed_discs(own: Measured, half: Measured, pairs: Pairs, pair: Ints, w: Floats) -> Any:
    """(N, D, 5) discs of edges between two, from those at both ends and halfway, packed."""
    out, arms = np.empty((len(pair), DISCS, 5), np.float32), TRUNK_DISCS + FOOT_DISCS
    for first in range(0, len(pair), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        some = pair[part]
        three = own.discs[pairs.one[some]], own.discs[pairs.other[some]], half.discs[some]
        discs = _between(*three, w[part])
        # An arm that does not reach out in all of them has no disc there to go on from.
        reaching = np.stack([d[:, arms:] for d in three])
        widest = reaching[..., 2].argmax(axis=0)[None, ..., None]
        discs[:, arms:] = np.take_along_axis(reaching, widest, axis=0)[0]
        out[part] = _packed(discs)
    return out


def _packed(discs: Floats) -> Any:
    """Discs (E, D, 5) as they are searched: those that are used first."""
    order = np.argsort(discs[..., 2] <= 0.0, axis=1, kind="stable")
    return np.take_along_axis(discs, order[..., None], axis=1).astype(np.float32)
