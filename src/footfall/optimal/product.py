"""The interpolated graph: every two paths of the phase graph that may be mixed, flattened.

A node is a pair of states and a weight, an edge a pair of edges and a weight; states and edges by
themselves are the nodes and edges with weight 1. A pair of paths parts where both leave one state,
and ends where both reach one; between, the weight stays what it is, but where the two poses are so
near each other that it may change. There, too, paths part and end: from such a pair one goes on by
either state's own edges, and from either state by the pair's.

Poses, moves and times are exact for every weight. What an edge costs and sweeps is found for both
of its edges and halfway between; the weights between follow by interpolation. What it costs is the
effort of the very motion that will be shown, with what the phase graph asks for its transitions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from footfall.gait.signatures import SEAT
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.rounding import ANGLE, round_fields
from footfall.optimal.interpolate import (
    MIX,
    SegmentRows,
    around_states,
    blend_work,
    pose_rows,
    segment_rows,
)
from footfall.optimal.model import ANY_WEIGHT, InterpolatedGraph, PhaseGraph
from footfall.optimal.pairs import Pairs, find_pairs
from footfall.optimal.phases import EFFORT
from footfall.optimal.product_edges import Nodes, make_edges
from footfall.optimal.product_measure import Measured, measure

Progress = Callable[[float], None]
_SLACK = np.array([0.15, 0.08, 0.2, 0.03, 0.02, math.radians(15.0), 1.4])
"""How much worse than both of its edges a segment may be: residual force (body weights) and moment
(times metres), friction, metres that the centre of pressure is outside, error in flight; how much
more its knees may bend, and how many times as fast its joints may turn."""
_SEATED = np.array([0.0, 0.0, 0.6, 0.2, 0.0, 0.0, 0.0])
"""What is never too much on a seat: who comes down on it is stopped within a frame or two."""


@dataclass(frozen=True)
class ProductSettings:
    """Which pairs are made.

    weights     how many shares, evenly, between those of the two paths alone
    pose_m      how far joints of two states may be apart in the mean, metres
    act_m       the same where a hand or the seat comes or goes, or after and before a flight
    feet_m      how far their feet may be, metres, seen from midway between them
    any_m       so near any joint must be for the weight to be free there
    duration    how many times as long one edge may be as the other
    act_duration  the same for edges that lead to where a hand or the seat comes or goes, or away
    rough       how many times its clips' effort an edge may take; what takes more is no motion
                to make others of
    most_edges  if there would be more, only the most alike pairs of each kind are made
    """

    weights: int = 9
    pose_m: float = 0.25
    act_m: float = 0.55
    feet_m: float = 0.35
    any_m: float = 0.06
    duration: float = 1.6
    act_duration: float = 3.0
    rough: float = 3.0
    most_edges: int = 700_000


def build_product(
    phases: PhaseGraph,
    settings: ProductSettings = ProductSettings(),
    progress: Progress | None = None,
) -> InterpolatedGraph:
    """The interpolated graph of a phase graph."""
    tell = progress or (lambda _: None)
    known = segment_rows(phases)
    states = pose_rows(
        phases.skeleton, phases.state_root, phases.state_rotations,
        np.arange(len(phases.state_root), dtype=np.int32),
    )  # fmt: skip
    tell(0.03)
    singles = np.arange(len(phases.edge_from), dtype=np.int32)
    own = measure(phases, known, singles, singles, 1.0, lambda share: tell(0.03 + 0.05 * share))
    recorded = phases.edge_cost - phases.edge_transition - phases.rest_cost * known.seconds
    smooth = own.effort <= settings.rough * recorded
    pairs = find_pairs(phases, known, states, settings, smooth)
    half = measure(phases, known, pairs.one, pairs.other, 0.5, lambda s: tell(0.1 + 0.8 * s))
    sound = _is_sound(phases, own, half, pairs)
    pairs, half = pairs.only(sound), half.only(sound)
    kept = pairs.reaching()
    pairs, half = pairs.only(kept).with_used_nodes(), half.only(kept)
    graph = _flatten(phases, known, states, settings, pairs, own, half)
    tell(1.0)
    # Sums of costs then tie or differ alike on every CPU; what no choice depends on stays exact.
    graph = round_fields(
        graph, edge_cost=EFFORT, edge_move=ANGLE, node_feet=ANGLE, node_hands=ANGLE,
        node_seat=ANGLE,
    )  # fmt: skip
    chord = np.hypot(graph.edge_move[:, 0], graph.edge_move[:, 1])
    return replace(graph, edge_length=np.maximum(graph.edge_length, chord))


def _is_sound(phases: PhaseGraph, own: Measured, half: Measured, pairs: Pairs) -> Bools:
    """(P,) which segments are hardly less possible than the two that they are between."""
    allowed = np.maximum(own.checks[pairs.one], own.checks[pairs.other]) * 1.2 + _SLACK
    seated = phases.state_signature[phases.edge_from[pairs.one]] & SEAT > 0
    allowed[seated] = np.maximum(allowed[seated], _SEATED)
    return np.asarray((half.checks <= allowed).all(axis=1) & np.isfinite(half.effort))


# ---- nodes and edges ------------------------------------------------------------------------


def _flatten(
    phases: PhaseGraph, known: SegmentRows, states: Floats, settings: ProductSettings,
    pairs: Pairs, own: Measured, half: Measured,
) -> InterpolatedGraph:  # fmt: skip
    from footfall.optimal.product_kernels import BASE_AT, FEET_AT, HANDS_AT, SEAT_AT

    shares = np.arange(1, settings.weights + 1) / (settings.weights + 1)
    nodes, first = _make_nodes(phases, known, states, pairs, shares)
    edges = make_edges(phases, known, nodes, first, pairs, own, half, shares)
    order = np.argsort(edges["tail"], kind="stable")
    edges = {name: values[order] for name, values in edges.items()}
    starts = np.searchsorted(edges.pop("tail"), np.arange(len(nodes.a) + 1)).astype(np.int32)
    return InterpolatedGraph(
        phases=phases, node_a=nodes.a, node_b=nodes.b, node_weight=nodes.weight,
        node_before=phases.state_before[nodes.a].astype(np.int32),
        node_signature=phases.state_signature[nodes.a].astype(np.int32),
        node_rest=phases.state_rest[nodes.a] & phases.state_rest[nodes.b],
        node_feet=nodes.columns(FEET_AT, HANDS_AT).reshape(-1, 2, 4),
        node_hands=nodes.columns(HANDS_AT, SEAT_AT).reshape(-1, 2, 3),
        node_seat=nodes.columns(SEAT_AT, BASE_AT),
        edge_start=starts, **edges,
    )  # fmt: skip


def _make_nodes(
    phases: PhaseGraph, known: SegmentRows, states: Floats, pairs: Pairs, shares: Floats
) -> tuple[Nodes, Ints]:
    """All nodes: single states, then those of each pair; and (Q,) where those of a pair begin."""
    from footfall.optimal.product_kernels import NODE_COLUMNS, fill_nodes

    single = np.arange(len(phases.state_root), dtype=np.int32)
    counts = np.where(pairs.free, 1, len(shares))
    first = len(single) + np.concatenate([[0], np.cumsum(counts)])
    a = np.concatenate([single, np.repeat(pairs.node_a, counts)]).astype(np.int32)
    b = np.concatenate([single, np.repeat(pairs.node_b, counts)]).astype(np.int32)
    inside = np.arange(len(a) - len(single)) - np.repeat(first[:-1] - len(single), counts)
    weight = np.concatenate([np.ones(len(single)), shares[inside]])
    shown = weight.copy()
    free = len(single) + np.flatnonzero(np.repeat(pairs.free, counts))
    weight[free], shown[free] = ANY_WEIGHT, 0.5
    around = around_states(phases)[a]
    jobs = np.zeros(len(a), MIX)
    jobs["one"], jobs["other"], jobs["weight"], jobs["tail"] = a, b, shown, around
    rows = np.empty((len(a), NODE_COLUMNS))
    fill_nodes(states, jobs, known.body, blend_work(known, 0), rows)
    return Nodes(a, b, weight, rows), first[:-1].astype(np.int32)
