"""Paths whose moves are taken apart where they can be left: at cuts within them."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from footfall.maths.arrays import Ints
from footfall.roadmap.moves import Moves, order_prints
from footfall.roadmap.paths import FootholdPath, path_prints
from footfall.roadmap.postures import Cut
from footfall.roadmap.spacetime import TimedPath
from footfall.roadmap.table import MoveTable
from footfall.world.scene import Scene

_Key = tuple[int, int, int]
_known: WeakKeyDictionary[Moves, dict[_Key, list[int]]] = WeakKeyDictionary()


def split_path(
    table: MoveTable, scene: Scene, timed: TimedPath, starts: Ints, fps: float
) -> tuple[TimedPath, Ints]:
    """The same path by shorter moves, each as short as there is one; and when those begin.

    starts  (W,) the frame at which each move of the path begins, or the wait before it
    It is a path of no roadmap any more: its footholds and edges have no numbers.
    """
    moves, path = table.moves, timed.path
    prints, first = path_prints(table, scene, path)
    feet, played, costs, waits, begins = [], [], [], [], []
    for n, m in enumerate(path.moves.tolist()):
        parts = split_move(moves, m)
        at = {p: first[n] + row for row, p in enumerate(_numbers(moves, m))}
        frame = int(starts[n])
        for k, part in enumerate(parts):
            feet.append(prints[at[int(moves.first_print[part])]] if k else path.footholds[n])
            played.append(part)
            costs.append(float(path.costs[n] * moves.frames[part] / max(moves.frames[m], 1)))
            waits.append(float(timed.waits[n]) if k == 0 else 0.0)
            begins.append(frame)
            frame += int(moves.frames[part]) + (round(waits[-1] * fps) if k == 0 else 0)
    feet.append(path.footholds[-1])
    none = np.full(len(feet), -1)
    made = FootholdPath(
        np.array(feet), np.array(played, np.int32), np.array(costs), none[1:], path.cost,
        path.opened, none,
    )  # fmt: skip
    return TimedPath(made, np.array(waits), timed.cost), np.array(begins, np.int32)


def split_move(moves: Moves, m: int) -> list[int]:
    """The shortest moves that, one after the other, play what a move plays."""
    after = _leaving(moves)
    parts: list[int] = []
    key = int(moves.clip[m]), int(moves.first[m]), int(moves.first_print[m])
    end = int(moves.last[m]), int(moves.last_print[m])
    rest = m
    while True:
        shorter = [
            (int(moves.last[a]), a, b)
            for a in after.get(key, ())
            if moves.last[a] < moves.last[rest]
            for b in after.get((key[0], int(moves.last[a]), int(moves.last_print[a])), ())
            if (int(moves.last[b]), int(moves.last_print[b])) == end
            and moves.ends[a] == moves.begins[b]
        ]
        if not shorter:
            return [*parts, rest]
        _, first, rest = min(shorter)
        parts.append(first)
        key = key[0], int(moves.first[rest]), int(moves.first_print[rest])


def _leaving(moves: Moves) -> dict[_Key, list[int]]:
    """Moves by their clip, first frame and first footprint."""
    found = _known.get(moves)
    if found is None:
        found = _known[moves] = {}
        keys = zip(moves.clip.tolist(), moves.first.tolist(), moves.first_print.tolist(),
                   strict=True)  # fmt: skip
        for m, key in enumerate(keys):
            found.setdefault(key, []).append(m)
    return found


def _numbers(moves: Moves, m: int) -> list[int]:
    """The numbers of a move's footprints among those of its clip, in the order of its rows."""
    own = moves.prints[moves.clip[m]]
    a = Cut(0, int(moves.first_print[m]), int(moves.first[m]), 0, False)
    b = Cut(0, int(moves.last_print[m]), int(moves.last[m]), 0, False)
    ordered, _ = order_prints(own, a, b, moves.clips[moves.clip[m]].fps)
    where = {id(p): n for n, p in enumerate(own)}
    return [where[id(p)] for p in ordered]
