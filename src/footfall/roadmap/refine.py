"""A path made straighter: footholds smoothed along it, and moves exchanged for better ones.

Choi, Lee & Shin 2003, §3.2. Footholds were sampled at random, so a path over them zigzags and
its moves are stretched and turned to fit. In every sweep each foothold goes where a binomial
filter takes it, then where its two moves would meet by themselves, then a little to each side;
always only as far as it is valid there and moves still lead to it and from it. Whatever is tried,
a sweep never leaves the path turning more, its moves changed more, or its cost higher than it
found them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.model import Roadmap
from footfall.roadmap.paths import FootholdPath
from footfall.roadmap.table import Longs, MoveTable
from footfall.task.stages import Place
from footfall.world.scene import Scene
from footfall.world.snapshot import scratch

SWEEPS, ROUNDS, HALVINGS = 4, 2, 4
"""How often footholds, and after them footprints, are gone over, and how often a step that is not
valid is halved."""
_SHARES = np.array([1.5, 1.0, 1.0])
"""What turning, changes and cost weigh where one is had for another, each as a share of what it
was at first."""
_BESIDE_M = 0.2
"""So far beside its place a foothold is tried in the first sweep; then half, then a third."""


def straighten_path(
    roadmap: Roadmap, scene: Scene, path: FootholdPath, sweeps: int = SWEEPS, *,
    start: Place | None = None, goal: Place | None = None, merge: bool = True,
    any_posture: bool = True,
) -> FootholdPath:  # fmt: skip
    """The path with its footholds, all but the first and the last, smoothed along it.

    start, goal  where it begins and ends; a heading that is left open may be turned there
    merge        leave out footholds where one move leads all the way and is better
    any_posture  exchange two moves that meet for any two that do, not each for one of its type
    """
    from footfall.roadmap.refine_kernels import straighten

    if len(path) < 1 or sweeps < 1:
        return path
    feet, moves = np.array(path.footholds), np.array(path.moves, np.int64)
    costs, changes = np.array(path.costs), np.empty(len(path))
    kept = np.arange(len(path))
    count = straighten(
        feet, moves, costs, changes, kept, _pivots(start, goal), sweeps, HALVINGS, _SHARES,
        _BESIDE_M, any_posture, merge, _lists(roadmap.table), _ground(roadmap, scene),
    )  # fmt: skip
    costs = costs[:count]
    return replace(
        path, footholds=feet[: count + 1], moves=moves[:count].astype(np.int32), costs=costs,
        edges=_edges(path.edges, kept[:count]), cost=float(costs.sum()),
    )  # fmt: skip


def smooth_prints(
    roadmap: Roadmap, scene: Scene, path: FootholdPath, prints: Floats, starts: Longs,
    rounds: int = ROUNDS,
) -> tuple[FootholdPath, Floats]:  # fmt: skip
    """The path and its footprints (P, 4), the steps between them more like the clips' own.

    Where two moves meet their differences from the clips jump. Each footprint but the first and
    the last goes where its two steps take it when they are laid between its neighbours, back and
    forth along the path.
    """
    from footfall.roadmap.smooth_kernels import smooth

    if rounds < 1:
        return path, prints
    feet, made = np.array(path.footholds), np.array(prints)
    moves, costs = np.array(path.moves, np.int64), np.array(path.costs)
    smooth(
        made, starts, feet, moves, costs, path_changes(roadmap.table, path), rounds, HALVINGS,
        _lists(roadmap.table), _ground(roadmap, scene),
    )  # fmt: skip
    return replace(path, footholds=feet, costs=costs, cost=float(costs.sum())), made


def print_differences(
    table: MoveTable, path: FootholdPath, prints: Floats, starts: Longs
) -> Floats:  # fmt: skip
    """How far each footprint between others is from where its clips would have it, metres.

    That is where its two steps meet when they are laid between its neighbours (Fig. 6); a radian
    turned counts as 0.3 m.
    """
    from footfall.roadmap.smooth_kernels import measure_stops

    out = np.empty(len(prints))
    chosen = np.asarray(path.moves, np.int64)
    count = measure_stops(prints, starts, chosen, table.arrays, table.moves.size.short_m, out)
    return out[:count]


def zigzag(path: FootholdPath) -> float:
    """How much the line through a path's footholds turns in all, radians."""
    from footfall.roadmap.refine_kernels import STILL_M

    steps = np.diff(path.footholds[:, [0, 2]], axis=0)
    x, z = steps[np.hypot(*steps.T) > STILL_M].T
    turns = np.diff(np.arctan2(x, z))
    return float(np.abs((turns + np.pi) % (2.0 * np.pi) - np.pi).sum())


def path_changes(table: MoveTable, path: FootholdPath) -> Floats:
    """(W,) how much each move of a path is stretched and turned (Eq. 5)."""
    from footfall.roadmap.refine_kernels import fit_moves

    out = np.empty(len(path))
    feet = np.ascontiguousarray(path.footholds)
    fit_moves(feet, np.asarray(path.moves, np.int64), _lists(table), out)
    return out


def _pivots(start: Place | None, goal: Place | None) -> Floats:
    """(2, 2) about what each end may be turned; NaN where its heading is given."""
    ends = [(p.x, p.z) if p is not None and p.yaw is None else (np.nan,) * 2 for p in (start, goal)]
    return np.array(ends)


def _lists(table: MoveTable) -> tuple[Any, ...]:
    return table.arrays, table.costs, table.bins, table.starts, table.items, table.limits


def _ground(roadmap: Roadmap, scene: Scene) -> tuple[Any, ...]:
    moment = scene.snapshot()
    return (
        roadmap.table.sole, moment.world, moment.has_closed, scratch(),
        np.empty(max(moment.count, 1), np.int32), roadmap.sure.heights, roadmap.sure.level,
    )  # fmt: skip


def _edges(edges: Ints, kept: Longs) -> Ints:
    """The edge that each move left comes from; of those made one the first there is."""
    ends = [*kept.tolist()[1:], len(edges)]
    parts = [edges[a:b] for a, b in zip(kept.tolist(), ends, strict=True)]
    return np.array([next((e for e in p.tolist() if e >= 0), -1) for p in parts], np.int32)
