"""Which two paths of a phase graph may be mixed: pairs of states and of edges that are alike."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from footfall.body.kinematics import forward_kinematics
from footfall.maths import planar
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.optimal.interpolate import SegmentRows
from footfall.optimal.model import PhaseGraph

if TYPE_CHECKING:
    from footfall.optimal.product import ProductSettings


@dataclass(frozen=True, eq=False)
class Pairs:
    """Q pairs of states and P pairs of edges between them and single states.

    node_a, node_b  (Q,) states, a < b;  free (Q,) whether the weight may change there
    one, other      (P,) edges of the phase graph
    tail, head      (P,) the pairs that they leave and reach; -1 where both are in one state
    tail_state, head_state  (P,) that state, or the first one's
    flipped         (P,) whether `one` reaches the second state of its pair
    apart           (P,) how far the poses at the end are apart, metres
    """

    node_a: Ints
    node_b: Ints
    free: Bools
    one: Ints
    other: Ints
    tail: Ints
    head: Ints
    tail_state: Ints
    head_state: Ints
    flipped: Bools
    apart: Floats

    def only(self, keep: Bools) -> Pairs:
        """With some of the pairs of edges."""
        names = ("one", "other", "tail", "head", "tail_state", "head_state", "flipped", "apart")
        return replace(self, **{name: getattr(self, name)[keep] for name in names})

    def reaching(self) -> Bools:
        """(P,) which pairs of edges lie on a path from a single state to a single state."""
        count = len(self.node_a)
        forward = _reach(count, self.tail, self.head)
        backward = _reach(count, self.head, self.tail)
        # The last place of either stands for -1: single states.
        return np.asarray(forward[self.tail] & backward[self.head])

    def with_used_nodes(self) -> Pairs:
        """Without the pairs of states that no pair of edges leaves."""
        used = np.unique(self.tail[self.tail >= 0])
        number = np.full(len(self.node_a) + 1, -1, np.int32)
        number[used] = np.arange(len(used))
        return replace(
            self, node_a=self.node_a[used], node_b=self.node_b[used], free=self.free[used],
            tail=number[self.tail], head=number[self.head],
        )  # fmt: skip


def _reach(count: int, tails: Ints, heads: Ints) -> Bools:
    """(count + 1,) which pairs can be reached along edges from single states (-1)."""
    seen = np.zeros(count + 1, np.bool_)
    seen[-1] = True
    while True:
        found = heads[seen[tails]]
        new = found[~seen[found]]
        if not len(new):
            return seen
        seen[new] = True


def find_pairs(
    phases: PhaseGraph, known: SegmentRows, states: Floats, settings: ProductSettings
) -> Pairs:
    """The pairs of a phase graph; the most alike ones if there would be too many edges."""
    apart, near = _likeness(phases, states, settings)
    limit, most = settings.pose_m, max(settings.most_edges // settings.weights, 1)
    while True:
        pairs = _connect(phases, known, apart, near & (apart <= limit), settings)
        pairs = pairs.only(pairs.reaching())
        if len(pairs.one) <= most:
            return pairs
        limit = min(0.9 * limit, float(np.quantile(pairs.apart, most / len(pairs.one))))


def _likeness(
    phases: PhaseGraph, states: Floats, settings: ProductSettings
) -> tuple[Floats, Bools]:
    """(S, S) metres that joints are apart in the mean, and whether contacts and feet are alike."""
    from footfall.optimal.interpolate_kernels import FRAME, SOLES

    poses = forward_kinematics(phases.skeleton, phases.state_root, phases.state_rotations)
    back = planar.inverse(states[:, FRAME : FRAME + 3])
    joints = planar.apply_to_points(back[:, None], poses.positions)
    count = len(joints)
    apart, farthest = np.empty((count, count)), np.empty((count, count))
    for n in range(count):
        far = np.linalg.norm(joints - joints[n], axis=2)
        apart[n], farthest[n] = far.mean(axis=1), far.max(axis=1)
    soles = states[:, SOLES : SOLES + 12].reshape(count, 4, 3)
    feet = np.stack([np.linalg.norm(soles - one, axis=2).max(axis=1) for one in soles])
    sign = np.stack([phases.state_before, phases.state_signature, phases.state_rest], axis=1)
    alike = (sign[:, None] == sign).all(axis=2) & (feet <= settings.feet_m)
    return np.where(farthest <= settings.any_m, 0.0, apart), alike


def _connect(
    phases: PhaseGraph, known: SegmentRows, apart: Floats, near: Bools, settings: ProductSettings
) -> Pairs:
    """Pairs of edges from every state, and on from the pairs of states that they reach."""
    states = len(near)
    leaving = [np.flatnonzero(phases.edge_from == s).astype(np.int32) for s in range(states)]
    reached = np.asarray(phases.edge_to)
    numbers: dict[tuple[int, int], int] = {}
    left = deque((s, s) for s in range(states))
    found: list[tuple[int, Ints, Ints]] = []
    while left:
        a, b = left.popleft()
        one, other = _matching(leaving[a], leaving[b], reached, near, known.seconds, settings)
        if a == b:
            keep = one < other
            one, other = one[keep], other[keep]
        if not len(one):
            continue
        found.append((-1 if a == b else numbers[a, b], one, other))
        ends = np.sort(np.stack([reached[one], reached[other]], axis=1), axis=1)
        for low, high in np.unique(ends, axis=0).tolist():
            if low != high and (low, high) not in numbers:
                numbers[low, high] = len(numbers)
                left.append((low, high))
    return _pairs(phases, numbers, found, apart)


def _matching(
    first: Ints, second: Ints, reached: Ints, near: Bools, seconds: Floats,
    settings: ProductSettings,
) -> tuple[Ints, Ints]:  # fmt: skip
    """Pairs of edges, one of each set, that are alike in what they reach and how long they take."""
    alike = near[np.ix_(reached[first], reached[second])]
    long, short = seconds[first][:, None], seconds[second]
    alike = alike & (long <= settings.duration * short) & (short <= settings.duration * long)
    i, j = np.nonzero(alike)
    return first[i], second[j]


def _pairs(
    phases: PhaseGraph, numbers: dict[tuple[int, int], int],
    found: list[tuple[int, Ints, Ints]], apart: Floats,
) -> Pairs:  # fmt: skip
    nodes = np.array(list(numbers), np.int32).reshape(-1, 2)
    lookup = np.full(apart.shape, -1, np.int32)
    lookup[nodes[:, 0], nodes[:, 1]] = np.arange(len(nodes))
    none = [(-1, np.zeros(0, np.int32), np.zeros(0, np.int32))]
    one = np.concatenate([part[1] for part in found or none]).astype(np.int32)
    other = np.concatenate([part[2] for part in found or none]).astype(np.int32)
    tail = np.concatenate([np.full(len(part[1]), part[0]) for part in found or none])
    ends = phases.edge_to[one], phases.edge_to[other]
    low, high = np.minimum(*ends), np.maximum(*ends)
    return Pairs(
        nodes[:, 0], nodes[:, 1], apart[nodes[:, 0], nodes[:, 1]] == 0.0, one, other,
        tail.astype(np.int32), np.where(low == high, -1, lookup[low, high]).astype(np.int32),
        phases.edge_from[one].astype(np.int32), ends[0].astype(np.int32), ends[0] > ends[1],
        apart[ends],
    )  # fmt: skip
