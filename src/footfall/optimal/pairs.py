"""Which two paths of a phase graph may be mixed: pairs of states and of edges that are alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from footfall.body.kinematics import forward_kinematics
from footfall.gait.signatures import HANDS, SEAT
from footfall.maths import planar
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.optimal.interpolate import SegmentRows
from footfall.optimal.model import PhaseGraph

if TYPE_CHECKING:
    from footfall.optimal.product import ProductSettings

_CELL_M, _CELL_RAD = 0.02, 0.063
_STEP_M = 0.05
"""Edges that rise or fall by more are steps up or down."""


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

    @property
    def edges(self) -> int:
        """How many edges of each weight they make: from free pairs, from both states as well."""
        return len(self.tail) + 2 * int(np.count_nonzero(np.append(self.free, False)[self.tail]))

    def only(self, keep: Bools) -> Pairs:
        """With some of the pairs of edges."""
        names = ("one", "other", "tail", "head", "tail_state", "head_state", "flipped", "apart")
        return replace(self, **{name: getattr(self, name)[keep] for name in names})

    def reaching(self) -> Bools:
        """(P,) which pairs of edges lie on a path from a single state to a single state.

        Where the weight is free a path may part and end as well.
        """
        forward = _reach(self.free, self.tail, self.head)
        backward = _reach(self.free, self.head, self.tail)
        # The last place of either stands for -1: single states.
        return np.asarray(forward[self.tail] & backward[self.head])

    def with_used_nodes(self) -> Pairs:
        """Without the pairs of states that no pair of edges leaves or reaches."""
        used = np.unique(np.concatenate([self.tail, self.head]))
        used = used[used >= 0]
        number = np.full(len(self.node_a) + 1, -1, np.int32)
        number[used] = np.arange(len(used))
        return replace(
            self, node_a=self.node_a[used], node_b=self.node_b[used], free=self.free[used],
            tail=number[self.tail], head=number[self.head],
        )  # fmt: skip


def _reach(free: Bools, tails: Ints, heads: Ints) -> Bools:
    """(Q + 1,) which pairs can be reached along edges from free ones and single states (-1)."""
    seen = np.append(free, True)
    while True:
        found = heads[seen[tails]]
        new = found[~seen[found]]
        if not len(new):
            return seen
        seen[new] = True


def find_pairs(
    phases: PhaseGraph, known: SegmentRows, states: Floats, settings: ProductSettings, fit: Bools
) -> Pairs:
    """The pairs of a phase graph, with some of their kind left out if there would be too many.

    fit  (E,) which edges may be mixed
    """
    apart, near = _likeness(phases, states, settings)
    acts = _acts(phases)
    near &= apart <= np.where(acts, settings.act_m, settings.pose_m)
    act = acts[phases.edge_from] | acts[phases.edge_to]
    longest = known.seconds * np.where(act, settings.act_duration, settings.duration)
    every = _all_pairs(phases, known.seconds, longest, apart, near)
    every = every.only(fit[every.one] & fit[every.other] & _leads_elsewhere(phases, every))
    every = every.only(every.reaching())
    if settings.weights == 0:
        return every.only(np.zeros(len(every.one), np.bool_)).with_used_nodes()
    most = max(settings.most_edges // settings.weights, 1)
    if every.edges <= most:
        return every.with_used_nodes()
    rank = _ranks(phases, every)
    low, high, found = 0, int(rank.max()) + 1, every.only(np.zeros(len(rank), np.bool_))
    while high - low > max(low // 50, 1):
        # Fewer of them lie on whole paths than are alike: how many of each kind is found by trying.
        limit = (low + high) // 2
        tried = every.only(rank < limit)
        tried = tried.only(tried.reaching())
        if tried.edges > most:
            high = limit
        else:
            low, found = limit, tried
    return found.with_used_nodes()


def _leads_elsewhere(phases: PhaseGraph, pairs: Pairs) -> Bools:
    """(P,) which pairs of edges lead where neither of the two does.

    What stands stays where it is. So from one state to one state, or two that are as good as one,
    every weight ends in the same place, but after a flight or on another level.
    """
    free = np.append(pairs.free, True)
    between = ~(free[pairs.tail] & free[pairs.head])
    flies = phases.state_signature[phases.edge_from[pairs.one]] == 0
    levels = np.abs(phases.edge_rise[pairs.one] - phases.edge_rise[pairs.other]) > 0.5 * _CELL_M
    return np.asarray(between | flies | levels)


def _acts(phases: PhaseGraph) -> Bools:
    """(S,) the states at which something is done: a hand or the seat comes or goes, or a flight.

    What makes two of them alike is what touches: hands reach out at different heights.
    """
    before, after = np.asarray(phases.state_before), np.asarray(phases.state_signature)
    return np.asarray(((before | after) & (HANDS | SEAT) > 0) | (before == 0) | (after == 0))


def _ranks(phases: PhaseGraph, pairs: Pairs) -> Ints:
    """(P,) how many pairs of their kind are better: more alike, with something between.

    A kind has the same contacts, on the level or not.

    Two edges that lead to the same place within a cell of the search give nothing new.
    """
    contacts = np.stack(
        [phases.state_before[phases.edge_from], phases.state_signature[phases.edge_from],
         phases.state_signature[phases.edge_to], np.abs(phases.edge_rise) > _STEP_M], axis=1,
    )  # fmt: skip
    kind = np.unique(contacts, axis=0, return_inverse=True)[1].reshape(-1)[pairs.one]
    off = np.abs(phases.edge_move[pairs.one] - phases.edge_move[pairs.other])
    same = (off < [_CELL_M, _CELL_M, _CELL_RAD]).all(axis=1) & (pairs.apart < _CELL_M)
    order = np.lexsort((pairs.apart, same, kind))
    first = np.searchsorted(kind[order], np.arange(kind.max() + 1))
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order)) - first[kind[order]]
    return rank


def _likeness(
    phases: PhaseGraph, states: Floats, settings: ProductSettings
) -> tuple[Floats, Bools]:
    """(S, S) metres that joints are apart in the mean, and whether contacts and feet are alike."""
    from footfall.optimal.blend_kernels import FRAME, SOLES

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


def _all_pairs(
    phases: PhaseGraph, seconds: Floats, longest: Floats, apart: Floats, near: Bools
) -> Pairs:
    """All pairs of edges that leave and reach states that are alike and take about as long.

    longest  (E,) how long what each is mixed with may take
    """
    tails, heads = np.asarray(phases.edge_from), np.asarray(phases.edge_to)
    alike = near[np.ix_(tails, tails)] & near[np.ix_(heads, heads)]
    alike &= seconds[:, None] <= longest
    one, other = np.nonzero(np.triu(alike & alike.T, 1))
    back = tails[one] > tails[other]
    one, other = np.where(back, other, one), np.where(back, one, other)
    sides = [(e[one], e[other]) for e in (tails, heads)]
    ends = np.sort(np.stack([np.stack(side, axis=1) for side in sides]), axis=2)
    mixed = ends[..., 0] != ends[..., 1]
    # Two numbers as one: whole rows are sorted ten times slower.
    unique = np.unique(ends[mixed] @ [len(near), 1])
    nodes = np.stack(np.divmod(unique, len(near)), axis=1).astype(np.int32)
    lookup = np.full(near.shape, -1, np.int32)
    lookup[nodes[:, 0], nodes[:, 1]] = np.arange(len(nodes))
    tail, head = lookup[ends[..., 0], ends[..., 1]]
    return Pairs(
        nodes[:, 0], nodes[:, 1], apart[nodes[:, 0], nodes[:, 1]] == 0.0,
        one.astype(np.int32), other.astype(np.int32), tail, head,
        sides[0][0], sides[1][0], sides[1][0] > sides[1][1],
        np.maximum(apart[sides[0]], apart[sides[1]]),
    )  # fmt: skip
