"""Where a standing body puts its feet, and which moves begin and end there."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footfall.adapt.edit.rests import facings
from footfall.maths import planar
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.roadmap.footholds import stand
from footfall.roadmap.moves import Moves
from footfall.roadmap.table import MoveTable
from footfall.task.stages import Place
from footfall.world.scene import Scene

_HEADINGS = 8
"""So many headings are tried where any will do; straightening turns the best one further."""


@dataclass(frozen=True, eq=False)
class Stances:
    """How bodies stand at rest, in R postures.

    postures      (R,) those of the moves that are at rest
    left, right   (R, 3) x, z and yaw of the feet, seen from the body's root and facing
    begin, end    (M, 3) how far off root and facing of a move are when it begins and ends at rest
                  with its left foot there: x, z, radians; NaN where it does not
    """

    postures: Ints
    left: Floats
    right: Floats
    begin: Floats
    end: Floats


class RestBins(NamedTuple):
    """Moves from rest and moves to rest, listed by bins as in their table.

    reach   (2, postures) how far those from rest, and those to rest, get that begin in each posture
    """

    leave: Ints
    arrive: Ints
    reach: Floats


@dataclass(frozen=True, eq=False)
class Ends:
    """Footholds (N, 4) of the left foot of a body at rest, and the posture (N,) it has there.

    may_move  (M,) which moves may begin, or end, there
    """

    footholds: Floats
    postures: Ints
    may_move: Bools

    def __len__(self) -> int:
        return len(self.footholds)

    def only(self, rows: Bools) -> Ends:
        return Ends(self.footholds[rows], self.postures[rows], self.may_move)


_stances: WeakKeyDictionary[Moves, Stances] = WeakKeyDictionary()
_bins: WeakKeyDictionary[MoveTable, RestBins] = WeakKeyDictionary()
_lock = threading.Lock()


def stances_of(moves: Moves) -> Stances:
    """How bodies stand where moves begin and end at rest; found once."""
    with _lock:
        if moves not in _stances:
            _stances[moves] = _find_stances(moves)
        return _stances[moves]


def rest_bins(table: MoveTable) -> RestBins:
    """The moves from rest and to rest; listed once."""
    with _lock:
        if table not in _bins:
            _bins[table] = _list_rests(table)
        return _bins[table]


def _list_rests(table: MoveTable) -> RestBins:
    moves, short_m = table.moves, table.moves.size.short_m
    furthest = np.where(
        moves.chord < short_m, moves.chord + table.settings.scale * short_m,
        moves.chord * (1.0 + table.settings.scale),
    )  # fmt: skip
    found, reach = [], np.zeros((2, moves.postures))
    for k, postures in enumerate((moves.begins, moves.ends)):
        rests = np.isin(postures, moves.standing)
        kept = rests[table.items]
        starts = np.concatenate([[0], np.cumsum(kept)])[table.starts]
        bins = np.concatenate([starts + len(starts), table.items[kept]])
        found.append(bins.astype(np.int32))
        np.maximum.at(reach[k], moves.begins[rests], furthest[rests])
    return RestBins(found[0], found[1], reach)


def _find_stances(moves: Moves) -> Stances:
    count, standing = len(moves), moves.standing
    seen = np.full((2, count, 2, 3), np.nan)
    known: dict[tuple[int, int, int], Floats] = {}
    sides = (
        (moves.begins, moves.calm_first, moves.first_print),
        (moves.ends, moves.calm_last, moves.last_print),
    )
    for side, (postures, frames, prints) in enumerate(sides):
        for m in np.flatnonzero(np.isin(postures, standing)).tolist():
            key = int(moves.clip[m]), int(frames[m]), int(prints[m])
            if key not in known:
                known[key] = _feet_at(moves, *key)
            seen[side, m] = known[key]
    left, right = np.zeros((2, len(standing), 3))
    for row, posture in enumerate(standing.tolist()):
        at = np.concatenate([seen[0, moves.begins == posture], seen[1, moves.ends == posture]])
        left[row], right[row] = np.nanmedian(at[:, 0], axis=0), _median(at[:, 1])
    misses = []
    for side, (own, _, _) in enumerate(sides):
        miss, rests = np.full((count, 3), np.nan), np.flatnonzero(np.isin(own, standing))
        wanted = left[np.searchsorted(standing, own[rests])]
        miss[rests] = planar.compose(wanted, planar.inverse(seen[side, rests, 0]))
        misses.append(miss)
    return Stances(standing, left, right, *misses)


def _median(feet: Floats) -> Floats:
    """Of those that are known; a foot of which nothing is known stands where the root is."""
    known = feet[np.isfinite(feet[:, 0])]
    return np.median(known, axis=0) if len(known) else np.zeros(3)


def _feet_at(moves: Moves, number: int, frame: int, own: int) -> Floats:
    """(2, 3) left and right foot of a clip at rest, seen from its root and facing; or NaN."""
    clip = moves.clips[number]
    pose = clip[frame : frame + 1]
    yaw, root = float(facings(pose)[0]), pose.root[0]
    time = frame / clip.fps
    others = [p for p in moves.prints[number] if p.foot == 1 and abs(p.t - time) <= p.delta + 1e-6]
    found = np.full((2, 3), np.nan)
    c, s = np.cos(-yaw), np.sin(-yaw)
    for row, one in enumerate([moves.prints[number][own], *others[:1]]):
        d = one.p - root
        turn = (one.yaw - yaw + np.pi) % (2.0 * np.pi) - np.pi
        found[row] = c * d[0] + s * d[2], c * d[2] - s * d[0], turn
    return found


def standing_ends(
    table: MoveTable, scene: Scene, at: Place, begins: bool, within: tuple[float, float]
) -> tuple[Ends, Bools]:
    """Where the left foot of a body that stands at a place may be, and which hold both feet.

    begins   whether moves begin there, or end
    within   how far off the place, metres, and the heading, radians, a body may be
    """
    stances = stances_of(table.moves)
    yaws = _headings(at.yaw, within[1])
    rows = np.repeat(np.arange(len(stances.postures)), len(yaws))
    yaws = np.tile(yaws, len(stances.postures))
    feet = [
        planar.compose(np.column_stack([np.full((len(rows), 2), [at.x, at.z]), yaws]), spot[rows])
        for spot in (stances.left, stances.right)
    ]
    off = stances.begin if begins else stances.end
    near = np.hypot(off[:, 0], off[:, 1]) <= within[0]
    if at.yaw is not None:
        near &= np.abs(off[:, 2]) <= within[1]
    return _both_feet(table, scene, feet[0], feet[1], stances.postures[rows], near)


def foot_ends(table: MoveTable, scene: Scene, at: Place, foot: str) -> tuple[Ends, Bools]:
    """Where the left foot may be of a body that stands with one foot, or either, at a place."""
    stances = stances_of(table.moves)
    yaws = _headings(at.yaw, 0.0)
    rows = np.repeat(np.arange(len(stances.postures)), len(yaws))
    there = np.column_stack(
        [np.full((len(rows), 2), [at.x, at.z]), np.tile(yaws, len(stances.postures))]
    )
    left, right = [], []
    if foot in ("left", "either"):
        own = planar.compose(planar.inverse(stances.left[rows]), stances.right[rows])
        left, right = [there], [planar.compose(there, own)]
    if foot in ("right", "either"):
        own = planar.compose(planar.inverse(stances.right[rows]), stances.left[rows])
        left, right = [*left, planar.compose(there, own)], [*right, there]
    postures = np.tile(stances.postures[rows], len(left))
    near = np.isfinite(stances.end[:, 0])
    return _both_feet(table, scene, np.concatenate(left), np.concatenate(right), postures, near)


def _both_feet(
    table: MoveTable, scene: Scene, left: Floats, right: Floats, postures: Ints, may_move: Bools
) -> tuple[Ends, Bools]:
    """Ends for feet (N, 3) at x, z, yaw, and which of them hold both."""
    feet, valid = stand(table, scene, np.concatenate([left, right]))
    count = len(left)
    found = feet[:count]
    found[:, 3] = (found[:, 3] + np.pi) % (2.0 * np.pi) - np.pi
    return Ends(found, postures, may_move), valid[:count] & valid[count:]


def _headings(yaw: float | None, within: float) -> Floats:
    """The headings to try for a wish, or for none: more than one where it need not be exact."""
    if yaw is None:
        return np.linspace(-np.pi, np.pi, _HEADINGS, endpoint=False)
    step = 2.0 * np.pi / _HEADINGS
    many = min(int(0.9 * within / step), _HEADINGS // 2 - 1)
    return np.asarray(yaw + step * np.arange(-many, many + 1.0))
