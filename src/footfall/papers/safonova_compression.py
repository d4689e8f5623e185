"""Table 3: how small motion graphs become, and whether anything is lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.errors import InputError
from footfall.library.library import Library
from footfall.optimal.build import MotionGraph, Size, compress_library, motion_graph
from footfall.optimal.cull import best_paths
from footfall.papers import safonova_paper as paper

_SAMPLED = 40


@dataclass(frozen=True, eq=False)
class CompressionRun:
    """One database of Table 3.

    sizes    after each step of its making, the first before any; none if it cannot be made
    seconds  of the processor, for all of them
    lost     the most that the least cost between two contact changes rose by culling, a share
    dearer   by how much it rose by all steps, in the median and for 95 of 100
    """

    printed: paper.PrintedDatabase
    clips: int
    sizes: tuple[Size, ...]
    seconds: float
    lost: float
    dearer: tuple[float, float]
    reason: str = ""


def compress_databases(library: Library, step: Callable[[], None]) -> list[CompressionRun]:
    """Return the databases of Table 3 that a library has, each a part of it."""
    out = []
    for printed in paper.DATABASES:
        names = database_clips(library, printed)
        try:
            out.append(_compress(library.only(names), printed))
        except InputError as error:
            out.append(CompressionRun(printed, len(names), (), 0.0, np.nan, (np.nan, np.nan),
                                      str(error)))  # fmt: skip
        step()
    return out


def database_clips(library: Library, printed: paper.PrintedDatabase) -> list[str]:
    """Return a library's clips of the behaviours in a database of the paper."""
    others = set(paper.NOT_WALKS) - set(printed.tags)
    return [
        entry.name
        for entry in library.entries
        if set(entry.tags) & set(printed.tags) and not set(entry.tags) & others
    ]


def _compress(library: Library, printed: paper.PrintedDatabase) -> CompressionRun:
    if not len(library):
        raise InputError("no clips of this kind")
    began = time.process_time()
    made = compress_library(library)
    seconds = time.process_time() - began
    return CompressionRun(
        printed, len(library), made.sizes, seconds, loss_of_culling(motion_graph(list(library))),
        made.dearer,
    )  # fmt: skip


def loss_of_culling(full: MotionGraph) -> float:
    """Return by which share culling raises the least cost between contact changes.

    The least cost over all frames and transitions, by another implementation, against that over
    the paths that are kept; from some of the contact changes to all.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    states = full.phases.states
    kept = best_paths(full.phases, full.switches, full.switch_costs, full.effort)
    some = np.unique(np.linspace(0, len(states) - 1, min(_SAMPLED, len(states))).astype(int))
    small = csr_array((kept.cost, (kept.first, kept.last)), shape=(len(states),) * 2)
    before = dijkstra(frame_costs(full), indices=states[some])[:, states]
    after = dijkstra(small, indices=some)
    if not np.array_equal(np.isfinite(before), np.isfinite(after)):
        return float("inf")
    both = np.isfinite(before) & (before > 0.0)
    return float(np.abs(after[both] / before[both] - 1.0).max(initial=0.0))


def frame_costs(full: MotionGraph) -> Any:
    """Return (F, F) sparse, the whole motion graph: the cheapest that leads from frame to frame."""
    from scipy.sparse import csr_array

    frames, switches = full.phases.frames, full.switches
    own = np.flatnonzero(frames.clip[1:] == frames.clip[:-1])
    stay = switches.second[:, None] + np.arange(switches.stays)
    tails = np.concatenate([own, switches.first])
    heads = np.concatenate([own + 1, switches.second + switches.stays])
    costs = np.concatenate([full.effort[own], full.switch_costs + full.effort[stay].sum(axis=1)])
    order = np.lexsort((costs, heads, tails))
    tails, heads, costs = tails[order], heads[order], costs[order]
    new = np.append(True, (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1]))
    return csr_array((costs[new], (tails[new], heads[new])), shape=(len(frames), len(frames)))
