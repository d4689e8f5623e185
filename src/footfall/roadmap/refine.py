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
from weakref import WeakKeyDictionary

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.connect import lay_edges
from footfall.roadmap.ground import terrain_of
from footfall.roadmap.model import Roadmap
from footfall.roadmap.moves import Moves
from footfall.roadmap.paths import FootholdPath
from footfall.roadmap.table import Longs, MoveTable, fill_records
from footfall.task.stages import Place
from footfall.world.scene import Scene

SWEEPS, ROUNDS, HALVINGS = 4, 2, 4
"""How often footholds, and after them footprints, are gone over, and how often a step that is not
valid is halved."""
_SHARES = np.array([1.5, 1.0, 1.0])
"""What turning, changes and cost weigh where one is had for another, each as a share of what it
was at first."""
YAW_M = 0.3
"""So far off, for the mean body, is as bad as a radian turned."""
_BESIDE_M = 0.2
"""So far beside its place a foothold is tried in the first sweep; then half, then a third."""
_STEP = np.dtype([("move", "i8"), ("cost", "f8"), ("change", "f8"), ("kept", "i8")])
_BEST = np.dtype([("merit", "f8"), ("move", "i8"), ("change", "f8"), ("cost", "f8")])
_STOP = np.dtype([("row", "i8"), ("owner", "i8"), ("x", "f8"), ("z", "f8")])
_STRAIGHTENING = np.dtype([
    ("sweeps", "i8"), ("halvings", "i8"), ("beside_m", "f8"), ("any_posture", "i8"),
    ("merge", "i8"),
])  # fmt: skip
_SMOOTHING = np.dtype([
    ("rounds", "i8"), ("halvings", "i8"), ("yaw_m", "f8"), ("there", "f8", (4,)),
])  # fmt: skip
"""What kernels are told: how often, how often halved, what a radian is worth, and memory."""


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
    feet, steps = np.array(path.footholds), _pack_steps(path, np.zeros(len(path)))
    options = np.zeros(1, _STRAIGHTENING)
    options[0] = sweeps, HALVINGS, _BESIDE_M, any_posture, merge
    sums = np.zeros((3, 3))
    sums[2] = _SHARES
    count = straighten(
        feet, steps, _pivots(start, goal), options[0], sums,
        np.zeros((2, roadmap.moves.postures), _BEST), roadmap.table.arrays,
        terrain_of(roadmap.table, scene, roadmap.sure),
    )  # fmt: skip
    steps, costs = steps[:count], steps["cost"][:count].copy()
    return replace(
        path, footholds=feet[: count + 1], moves=steps["move"].astype(np.int32), costs=costs,
        edges=_edges(path.edges, steps["kept"]), cost=float(costs.sum()),
    )  # fmt: skip


def _pack_steps(path: FootholdPath, changes: Floats) -> Any:
    """Return the moves of a path as kernels take them."""
    return fill_records(
        _STEP, len(path), move=path.moves, cost=path.costs, change=changes,
        kept=np.arange(len(path)),
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
    table, feet, made = roadmap.table, np.array(path.footholds), np.array(prints)
    steps = _pack_steps(path, path_changes(table, path))
    rows, owner, clip_steps = list_stops(table, path, starts)
    stops = fill_records(
        _STOP, len(rows), row=rows, owner=owner, x=prints[rows, 0], z=prints[rows, 2]
    )
    options = np.zeros(1, _SMOOTHING)
    options[0] = rounds, HALVINGS, table.moves.size.in_proportion(YAW_M), np.zeros(4)
    terrain = terrain_of(table, scene, roadmap.sure)
    smooth(made, stops, clip_steps, options[0], feet, steps, table.arrays, terrain)
    costs = steps["cost"].copy()
    return replace(path, footholds=feet, costs=costs, cost=float(costs.sum())), made


def list_stops(table: MoveTable, path: FootholdPath, starts: Longs) -> tuple[Longs, Longs, Floats]:
    """Rows (K,) of a path's stops, whose they are (K,), and the clips' steps (K, 4) between them.

    A stop that two moves share is its first row. A step is x, rise, z and turn, seen from the stop
    that it leaves.
    """
    rows, steps = [], []
    for n, m in enumerate(path.moves.tolist()):
        at, own = _clip_steps(table.moves, m)
        rows.append(np.stack([starts[n] + at[:-1], np.full(len(at) - 1, n)], axis=1))
        steps.append(own)
    last = np.array([[starts[-1] - 1, len(path) - 1]])
    row, owner = np.concatenate([*rows, last]).astype(np.int64).T
    return row.copy(), owner.copy(), np.concatenate([*steps, np.zeros((1, 4))])


_known: WeakKeyDictionary[Moves, dict[int, tuple[Ints, Floats]]] = WeakKeyDictionary()


def _clip_steps(moves: Moves, m: int) -> tuple[Ints, Floats]:
    """Return which footprints (K,) of a move are stops, and its steps (K - 1, 4); found once."""
    known = _known.setdefault(moves, {})
    if m not in known:
        own = slice(int(moves.print_start[m]), int(moves.print_start[m + 1]))
        share = moves.share[own]
        inner = np.flatnonzero((share > 0.0) & (share < 1.0))
        at = np.array([0, *inner[(inner > 0) & (inner < len(share) - 1)], len(share) - 1])
        turns, step = moves.turns[own][at], np.diff(moves.places[own][at], axis=0)
        c, s = np.cos(turns[:-1]), np.sin(turns[:-1])
        x, z = c * step[:, 0] - s * step[:, 2], s * step[:, 0] + c * step[:, 2]
        turn = (np.diff(turns) + np.pi) % (2.0 * np.pi) - np.pi
        known[m] = at, np.stack([x, step[:, 1], z, turn], axis=1)
    return known[m]


def zigzag(path: FootholdPath) -> float:
    """How much the line through a path's footholds turns in all, radians."""
    from footfall.roadmap.refine_kernels import STILL_M

    steps = np.diff(path.footholds[:, [0, 2]], axis=0)
    x, z = steps[np.hypot(*steps.T) > STILL_M].T
    turns = np.diff(np.arctan2(x, z))
    return float(np.abs((turns + np.pi) % (2.0 * np.pi) - np.pi).sum())


def path_changes(table: MoveTable, path: FootholdPath) -> Floats:
    """(W,) how much each move of a path is stretched and turned (Eq. 5)."""
    return lay_edges(table, path.footholds, path.footholds, path.as_edges())[2]


def _pivots(start: Place | None, goal: Place | None) -> Floats:
    """(2, 2) about what each end may be turned; NaN where its heading is given."""
    ends = [(p.x, p.z) if p is not None and p.yaw is None else (np.nan,) * 2 for p in (start, goal)]
    return np.array(ends)


def _edges(edges: Ints, kept: Longs) -> Ints:
    """The edge that each move left comes from; of those made one the first there is."""
    ends = [*kept.tolist()[1:], len(edges)]
    parts = [edges[a:b] for a, b in zip(kept.tolist(), ends, strict=True)]
    return np.array([next((e for e in p.tolist() if e >= 0), -1) for p in parts], np.int32)
