"""A path made straighter: footholds smoothed along it, and moves exchanged for better ones.

Choi, Lee & Shin 2003, §3.2. Footholds were sampled at random, so a path over them zigzags and
its moves are stretched and turned to fit. Each foothold goes where a binomial filter takes it, as
far as it is valid there and a move with the same postures still leads to it and from it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.roadmap.model import Roadmap
from footfall.roadmap.search import FootholdPath
from footfall.world.scene import Scene
from footfall.world.snapshot import scratch

SWEEPS, HALVINGS = 4, 4
"""How often the path is gone over, and how often a step that is not valid is halved."""


def straighten_path(
    roadmap: Roadmap, scene: Scene, path: FootholdPath, sweeps: int = SWEEPS
) -> FootholdPath:
    """The path with its footholds, all but the first and the last, smoothed along it."""
    from footfall.roadmap.refine_kernels import straighten

    table, moves = roadmap.table, roadmap.moves
    if len(path) < 2 or sweeps < 1:
        return path
    feet, chosen = np.array(path.footholds), np.array(path.moves, np.int64)
    cost = np.array(path.costs)
    begins, ends = moves.begins[chosen].copy(), moves.ends[chosen].copy()
    fixed = np.zeros(len(feet), np.bool_)
    fixed[[0, -1]] = True
    moment = scene.snapshot()
    straighten(
        feet, chosen, cost, fixed, sweeps, HALVINGS, table.arrays, table.costs, table.bins,
        table.starts, table.items, table.limits, table.sole, moment.world, moment.has_closed,
        scratch(), np.empty(max(len(moment.solids), 1), np.int32), roadmap.sure.heights,
        roadmap.sure.level, begins, ends,
    )  # fmt: skip
    return replace(
        path, footholds=feet, moves=chosen.astype(np.int32), costs=cost, cost=float(cost.sum())
    )


def zigzag(path: FootholdPath) -> float:
    """How much the line through a path's footholds turns in all, radians."""
    step = np.diff(path.footholds[:, [0, 2]], axis=0)
    step = step[np.hypot(*step.T) > 0.05]
    turn = np.diff(np.arctan2(step[:, 0], step[:, 1]))
    return float(np.abs((turn + np.pi) % (2.0 * np.pi) - np.pi).sum())
