"""Transitions between clips: candidates from the minima of a metric, and how many of them.

A candidate names two windows of frames by their first: `first` is left, `second` is entered.
Every minimum is a candidate both ways, for the distance is the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.pose.frames import Frames
from footfall.pose.minima import Minima

CONTACT_SHARE = 0.2
"""Heels and toes of contact-compatible windows disagree in at most this share of the frames."""

CLOSE_ENOUGH = 0.05
"""The share by which a graph may have more or fewer edges than wished."""


@dataclass(frozen=True, eq=False)
class Transitions:
    """Transitions, nearest first, each a pair of windows (N,) and the distance (N,) of them."""

    first: Ints
    second: Ints
    distance: Floats

    def __len__(self) -> int:
        return len(self.first)

    def __getitem__(self, which: slice | Bools) -> Transitions:
        return Transitions(self.first[which], self.second[which], self.distance[which])


@dataclass(frozen=True, eq=False)
class Network:
    """Nodes and edges of the largest part where every node leads to every other.

    nodes   (N,) frames, ascending
    pieces  (P,) the nodes from which a piece goes to the next node
    kept    (T,) which of the transitions are in it
    """

    nodes: Ints
    pieces: Ints
    kept: Bools

    @property
    def edges(self) -> int:
        return len(self.pieces) + int(self.kept.sum())


def both_ways(minima: Minima, frames: Frames, window: int) -> Transitions:
    """Return the minima as transitions in both directions where the clip continues."""
    first = np.stack([minima.first, minima.second], axis=1).reshape(-1)
    second = np.stack([minima.second, minima.first], axis=1).reshape(-1)
    distance = np.repeat(minima.distance, 2).astype(np.float64)
    goes_on = frames.windows(window + 1)[second]
    return Transitions(first, second, distance)[goes_on]


def with_like_contacts(
    transitions: Transitions, contacts: Bools, window: int, share: float = CONTACT_SHARE
) -> Transitions:
    """Return transitions with equal contacts in all but a `share` of frames.

    contacts  (F, 4) which points of the feet are on the ground
    """
    unlike: Floats = np.zeros((len(transitions), contacts.shape[1]))
    for step in range(window):
        unlike += contacts[transitions.first + step] != contacts[transitions.second + step]
    return transitions[np.asarray(unlike.max(axis=1, initial=0.0) <= share * window + 1e-9)]


def connected(transitions: Transitions, clip_start: Ints, window: int) -> Network:
    """Return the largest strongly connected part of the graph that the transitions make.

    Largest by edges. Nodes that lost all their transitions are passed through: their pieces
    become one.
    """
    leave, enter = transitions.first, transitions.second + window
    nodes, pieces = _nodes_and_pieces(leave, enter, clip_start)
    if not len(nodes):
        return Network(nodes, pieces, np.zeros(0, np.bool_))
    ends = np.searchsorted(nodes, leave), np.searchsorted(nodes, enter)
    part = _largest_part(len(nodes), pieces, *ends)
    kept = np.asarray(part[ends[0]] & part[ends[1]])
    nodes, pieces = _nodes_and_pieces(leave[kept], enter[kept], clip_start)
    return Network(nodes, pieces, kept)


def as_many_edges(
    transitions: Transitions, clip_start: Ints, window: int, edges: int
) -> tuple[int, Network]:
    """Return how many nearest transitions make about `edges` edges, and that graph."""

    def tried(count: int) -> tuple[int, Network]:
        # Both directions of a minimum have one distance, so they come or go together.
        at = np.searchsorted(transitions.distance, transitions.distance[count - 1], side="right")
        return int(at), connected(transitions[: int(at)], clip_start, window)

    low, high, top = 0, min(max(edges // 2, 1), len(transitions)), len(transitions)
    best = tried(high)
    while best[1].edges < edges and high < top:
        low, high = high, min(2 * high, top)
        best = tried(high)
    if best[1].edges < (1.0 - CLOSE_ENOUGH) * edges:
        raise InputError(
            f"the clips give at most {best[1].edges} edges, and {edges} were asked for",
            remedy="ask for fewer, or add clips that are more alike",
        )
    while high - low > 1:
        middle = (low + high) // 2
        trial = tried(middle)
        if abs(trial[1].edges - edges) < abs(best[1].edges - edges):
            best = trial
        if trial[1].edges < edges:
            low = middle
        else:
            high = middle
    return best


def _nodes_and_pieces(leave: Ints, enter: Ints, clip_start: Ints) -> tuple[Ints, Ints]:
    nodes = np.unique(np.concatenate([leave, enter])).astype(np.int32)
    clip = np.searchsorted(clip_start, nodes, side="right")
    return nodes, np.flatnonzero(clip[1:] == clip[:-1]).astype(np.int32)


def _largest_part(
    nodes: int, pieces: Ints, leave: NDArray[np.int64], enter: NDArray[np.int64]
) -> Bools:
    """Return (nodes,) whether a node is in the strongly connected part with the most edges."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    tails, heads = np.concatenate([pieces, leave]), np.concatenate([pieces + 1, enter])
    matrix = csr_array((np.ones(len(tails), np.int8), (tails, heads)), shape=(nodes, nodes))
    count, label = connected_components(matrix, directed=True, connection="strong")
    inside = label[tails] == label[heads]
    sizes = np.bincount(label[tails[inside]], minlength=count)
    return np.asarray((label == sizes.argmax()) & (sizes.max() > 0))
