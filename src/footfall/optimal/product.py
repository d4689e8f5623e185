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
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.adapt.holds import foot_of
from footfall.body.capsules import body_capsules
from footfall.body.dynamics import body_arrays as dynamics_arrays
from footfall.body.dynamics import workspace
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton, subtree
from footfall.gait.signatures import LEFT_FOOT, LEFT_HAND, SEAT
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.optimal.interpolate import (
    SegmentRows,
    around_states,
    interpolated_seconds,
    pose_rows,
    segment_rows,
)
from footfall.optimal.model import ANY_WEIGHT, InterpolatedGraph, PhaseGraph
from footfall.optimal.pairs import Pairs, find_pairs

Progress = Callable[[float], None]
DISCS = 8
_MOST_FRAMES, _LEAST_FRAMES = 64, 5
_CHUNK = 512
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
    act_duration: float = 2.6
    rough: float = 3.0
    most_edges: int = 600_000


def build_product(
    phases: PhaseGraph,
    settings: ProductSettings = ProductSettings(),  # noqa: B008
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
    own = _measure(phases, known, singles, singles, 1.0, lambda share: tell(0.03 + 0.05 * share))
    smooth = own.effort <= settings.rough * (phases.edge_cost - phases.edge_transition)
    pairs = find_pairs(phases, known, states, settings, smooth)
    half = _measure(phases, known, pairs.one, pairs.other, 0.5, lambda s: tell(0.1 + 0.8 * s))
    sound = _is_sound(phases, own, half, pairs)
    pairs, half = pairs.only(sound), half.only(sound)
    kept = pairs.reaching()
    pairs, half = pairs.only(kept).with_used_nodes(), half.only(kept)
    graph = _flatten(phases, known, states, settings, pairs, own, half)
    tell(1.0)
    return graph


# ---- what segments cost and sweep -----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Measured:
    """Of P segments: metres that the root goes, effort, checks (P, 7) and discs (P, 8, 5)."""

    length: Floats
    effort: Floats
    checks: Floats
    discs: Floats

    def only(self, keep: Bools) -> _Measured:
        return _Measured(self.length[keep], self.effort[keep], self.checks[keep], self.discs[keep])


def body_points(skeleton: Skeleton) -> tuple[Any, ...]:
    """What the kernels know of hands, hips and girth.

    joints (2,) and offsets (2, 3) of what the hands hold, the hip joints (2,), the pelvis (1,),
    how far the middle of each sole is ahead of its ball (2,), and balls about the body: joint,
    offset, radius and group (feet and hands by their bits, the trunk 16)
    """
    capsules = body_capsules(skeleton)
    ends, joints = capsules.ends, capsules.joints
    wrists = [skeleton.role(f"{side}_wrist") for side in SIDES]
    middle = [ends[joints == wrist].mean(axis=(0, 1)) for wrist in wrists]
    feet = [foot_of(skeleton, side) for side in SIDES]
    groups = _ball_groups(skeleton, joints)
    used = np.flatnonzero(groups)
    return (
        np.array(wrists), np.array(middle), np.array([foot.hip for foot in feet]),
        np.array([skeleton.role("hips")]),
        np.array([0.5 * (foot.tip[2] + foot.heel[2]) - foot.ball[2] for foot in feet]),
        np.repeat(joints[used], 2).astype(np.int64), ends[used].reshape(-1, 3),
        np.repeat(capsules.radii[used], 2), np.repeat(groups[used], 2),
    )  # fmt: skip


def _ball_groups(skeleton: Skeleton, joints: Ints) -> Ints:
    """(B,) what each capsule belongs to: a foot, a forearm with its hand, the trunk; legs: none."""
    from footfall.optimal.product_kernels import TRUNK

    group = np.full(len(skeleton), TRUNK)
    for n, side in enumerate(SIDES):
        group[subtree(skeleton, skeleton.role(f"{side}_hip"))] = 0
        group[subtree(skeleton, skeleton.role(f"{side}_ankle"))] = LEFT_FOOT << n
        group[subtree(skeleton, skeleton.role(f"{side}_elbow"))] = LEFT_HAND << n
    return np.asarray(group[joints])


def _measure(
    phases: PhaseGraph, known: SegmentRows, one: Ints, other: Ints, weight: float, tell: Progress
) -> _Measured:
    from footfall.optimal.product_kernels import measure_segments

    count = len(one)
    seconds = interpolated_seconds(known.seconds[one], known.seconds[other], np.asarray(weight))
    frames = np.clip(
        np.rint(seconds * phases.fps).astype(np.int64) + 1, _LEAST_FRAMES, _MOST_FRAMES
    )
    steps = seconds / (frames - 1)
    ends = np.stack(
        [phases.state_before[phases.edge_from], phases.state_signature[phases.edge_to]], axis=1
    ).astype(np.int64)
    made = _Measured(
        np.empty(count), np.empty(count), np.zeros((count, 7)), np.zeros((count, DISCS, 5))
    )
    points, dynamics = body_points(phases.skeleton), dynamics_arrays(phases.skeleton)

    def run(part: slice) -> int:
        measure_segments(
            known.rows, known.slopes, known.spans, known.signatures, ends, known.seconds,
            one[part], other[part], np.full(len(one[part]), weight), frames[part], steps[part],
            known.body, points, dynamics, workspace(dynamics, _MOST_FRAMES),
            made.length[part], made.effort[part], made.checks[part], made.discs[part],
        )  # fmt: skip
        return len(one[part])

    done = 0
    for more in _in_threads(run, count):
        done += more
        tell(done / max(count, 1))
    return made


def _in_threads(run: Callable[[slice], int], count: int) -> Iterator[int]:
    parts = [slice(k, min(k + _CHUNK, count)) for k in range(0, count, _CHUNK)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [pool.submit(run, part) for part in parts]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()


def _is_sound(phases: PhaseGraph, own: _Measured, half: _Measured, pairs: Pairs) -> Bools:
    """(P,) which segments are hardly less possible than the two that they are between."""
    allowed = np.maximum(own.checks[pairs.one], own.checks[pairs.other]) * 1.2 + _SLACK
    seated = phases.state_signature[phases.edge_from[pairs.one]] & SEAT > 0
    allowed[seated] = np.maximum(allowed[seated], _SEATED)
    return np.asarray((half.checks <= allowed).all(axis=1) & np.isfinite(half.effort))


# ---- nodes and edges ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Nodes:
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


def _flatten(
    phases: PhaseGraph, known: SegmentRows, states: Floats, settings: ProductSettings,
    pairs: Pairs, own: _Measured, half: _Measured,
) -> InterpolatedGraph:  # fmt: skip
    shares = np.arange(1, settings.weights + 1) / (settings.weights + 1)
    nodes, first = _make_nodes(phases, known, states, pairs, shares)
    edges = _make_edges(phases, known, nodes, first, pairs, own, half, shares)
    order = np.argsort(edges["tail"], kind="stable")
    edges = {name: values[order] for name, values in edges.items()}
    starts = np.searchsorted(edges.pop("tail"), np.arange(len(nodes.a) + 1)).astype(np.int32)
    return InterpolatedGraph(
        phases=phases, node_a=nodes.a, node_b=nodes.b, node_weight=nodes.weight,
        node_before=phases.state_before[nodes.a].astype(np.int32),
        node_signature=phases.state_signature[nodes.a].astype(np.int32),
        node_rest=phases.state_rest[nodes.a] & phases.state_rest[nodes.b],
        node_feet=nodes.feet, node_hands=nodes.hands, node_seat=nodes.seat,
        edge_start=starts, **edges,
    )  # fmt: skip


def _make_nodes(
    phases: PhaseGraph, known: SegmentRows, states: Floats, pairs: Pairs, shares: Floats
) -> tuple[_Nodes, Ints]:
    """All nodes: single states, then those of each pair; and (Q,) where those of a pair begin."""
    from footfall.optimal.product_kernels import fill_nodes

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
    around = around_states(phases)[a].astype(np.int64)
    count = len(a)
    out = [
        np.empty(shape)
        for shape in ((count, 2, 4), (count, 2, 3), (count, 4), (count, 3), (count, 2, 3),
                      (count, 3))
    ]  # fmt: skip
    fill_nodes(states, a, b, shown, around, known.body, body_points(phases.skeleton), *out)
    return _Nodes(a, b, weight, *out), first[:-1].astype(np.int32)


def _make_edges(
    phases: PhaseGraph, known: SegmentRows, nodes: _Nodes, first: Ints, pairs: Pairs,
    own: _Measured, half: _Measured, shares: Floats,
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
    mixed = _mixed(phases, own, half, pairs, pair, w)
    cost, chord = own.effort + phases.edge_transition, np.hypot(move[:, 0], move[:, 1])
    rise = phases.edge_rise
    return {
        "tail": tail,
        "edge_to": head,
        "edge_cost": np.concatenate([cost[alone.edge], mixed["cost"]]),
        "edge_length": np.maximum(np.concatenate([own.length[alone.edge], mixed["length"]]), chord),
        "edge_seconds": interpolated_seconds(known.seconds[one], known.seconds[other], weight),
        "edge_move": move,
        "edge_rise": weight * rise[one] + (1.0 - weight) * rise[other],
        "edge_a": one,
        "edge_b": other,
        "edge_weight": weight,
        "edge_discs": _packed(np.concatenate([own.discs[alone.edge], mixed["discs"]])),
    }


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


def _mixed(
    phases: PhaseGraph, own: _Measured, half: _Measured, pairs: Pairs, pair: Ints, w: Floats
) -> dict[str, Floats]:
    """Cost, length and discs of edges between two, from those at both ends and halfway."""
    from footfall.optimal.product_kernels import FOOT_DISCS, TRUNK_DISCS

    one, other = pairs.one[pair], pairs.other[pair]
    bump = 4.0 * w * (1.0 - w)

    def between(a: Floats, b: Floats, middle: Floats) -> Floats:
        share = w.reshape(-1, *[1] * (a.ndim - 1))
        arch = bump.reshape(share.shape)
        return np.asarray(share * a + (1.0 - share) * b + arch * (middle - 0.5 * (a + b)))

    changes = phases.edge_transition
    effort = between(own.effort[one], own.effort[other], half.effort[pair])
    # A parabola through three values may leave the positive ones between them.
    least = 0.5 * np.minimum(half.effort[pair], np.minimum(own.effort[one], own.effort[other]))
    three = own.discs[one], own.discs[other], half.discs[pair]
    discs = between(*three)
    # An arm that does not reach out in all of them has no disc there to go on from.
    arms, widths = slice(TRUNK_DISCS + FOOT_DISCS, DISCS), np.stack([d[..., 2] for d in three])
    widest = np.take_along_axis(np.stack(three), widths.argmax(axis=0)[None, ..., None], axis=0)[0]
    discs[:, arms] = widest[:, arms]
    return {
        "cost": np.maximum(effort, least) + w * changes[one] + (1.0 - w) * changes[other],
        "length": between(own.length[one], own.length[other], half.length[pair]),
        "discs": discs,
    }


def _packed(discs: Floats) -> Any:
    """Discs (E, D, 5) as they are searched: those that are used first."""
    order = np.argsort(discs[..., 2] <= 0.0, axis=1, kind="stable")
    return np.take_along_axis(discs, order[..., None], axis=1).astype(np.float32)
