"""The optimal search: motion graphs compressed to contact changes."""

from __future__ import annotations

import numpy as np

from bench.harness import BenchRow, best_of
from footfall.library.library import open_library
from footfall.optimal.build import PhaseSettings, compress_library, motion_graph, state_kinds
from footfall.optimal.cull import best_paths
from footfall.optimal.merge import merge_states


def rows() -> list[BenchRow]:
    """Everything there is to measure."""
    return _compression()


def _compression() -> list[BenchRow]:
    """From frames and transitions to merged states (12,000 and 250,000 are asked for)."""
    library = open_library("default:safonova")
    full = motion_graph(list(library))
    phases, kinds = full.phases, state_kinds(full.phases, full.footing)

    def compress() -> np.ndarray:
        best_paths(phases, full.switches, full.switch_costs, full.effort)
        return merge_states(phases, kinds, PhaseSettings().merge_m)

    size = f"{len(phases.frames):,} frames, {len(full.switches):,} transitions"
    return [
        BenchRow(f"cull and merge {size}", best_of(compress, repeats=3), goal="≤ 20 s"),
        BenchRow(
            f"phase graph of {len(library)} clips, from reading them to blended edges",
            best_of(lambda: compress_library(library), repeats=1, warm_up=0), goal="≤ 60 s",
        ),
    ]  # fmt: skip
