"""Feet that stand at once stand beside each other, not on each other.

A move that is turned as it is laid takes its footprints closer to the foot that stands beside its
first or last one, in turns in place even across it. Here such footprints make room, to the side
on which the clip has them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.body.feet import mean_leg
from footfall.maths.arrays import Bools, Floats
from footfall.maths.constants import MEAN_LEG_M
from footfall.roadmap.moves import Moves
from footfall.task.draft import PlannedStances
from footfall.world.collision.queries import foot_placements
from footfall.world.scene import Scene

_GAP, _HALF_SOLE = 0.08 / MEAN_LEG_M, 0.09 / MEAN_LEG_M
"""So far apart the middle lines of two soles are, or as far as in the clips if that is less; and
half of how long these are. In leg lengths."""
_STEP, _STEPS = 0.005 / MEAN_LEG_M, 48
_LEVEL_M = 0.02
"""Ground that much higher or lower is another step."""
_ALONG = np.linspace(-1.0, 1.0, 13)
_ROUNDS = 2


def stand_beside(moves: Moves, stances: PlannedStances, scene: Scene | None) -> PlannedStances:
    """The stances, those apart that stand at once; the first and the last ones as they are."""
    leg = mean_leg(moves.clips[0].skeleton)
    free = _may_move(stances)
    target, pairs = np.array(stances.target), _pairs(stances, leg)
    for _ in range(_ROUNDS):
        for a, b in pairs:
            _part(stances.source[[a, b]], target, (a, b), free, leg)
    moved = (target != stances.target).any(axis=1)
    if not moved.any():
        return stances
    if scene is not None:
        moved &= _put_on_ground(moves, target, scene)
    return replace(stances, target=np.where(moved[:, None], target, stances.target))


def _may_move(stances: PlannedStances) -> Bools:
    """(K,) all but those that stand at the first or the last frame."""
    first, last = stances.spans[:, 0].min(initial=0), stances.spans[:, 1].max(initial=0)
    return np.asarray((stances.spans[:, 0] > first) & (stances.spans[:, 1] < last))


def _pairs(stances: PlannedStances, leg: float) -> list[tuple[int, int]]:
    """Left and right stances near each other with frames in common, in the order of time."""
    begin, end = stances.spans[:, 0], stances.spans[:, 1]
    common = np.minimum(end[:, None], end) > np.maximum(begin[:, None], begin)
    apart = stances.target[:, None, [0, 2]] - stances.target[:, [0, 2]]
    near = np.hypot(apart[..., 0], apart[..., 1]) < 2.0 * (_GAP + _HALF_SOLE) * leg
    other = stances.foot[:, None] != stances.foot
    return [(int(a), int(b)) for a, b in np.argwhere(np.triu(common & near & other, 1))]


def _part(source: Floats, target: Floats, pair: tuple[int, int], free: Bools, leg: float) -> None:
    """Write where two footprints are that are as far apart as in the clip, or far enough."""
    both = list(pair)
    if not free[both].any():
        return
    (there, line), (here, _) = _nearest(source, leg), _nearest(target[both], leg)
    need = min(there, _GAP * leg)
    if here >= need or there < 1e-6:
        return
    turns = target[both, 3] - source[:, 3]
    turn = turns[0] + 0.5 * ((turns[1] - turns[0] + np.pi) % (2.0 * np.pi) - np.pi)
    c, s = np.cos(turn), np.sin(turn)
    aside = np.array([c * line[0] + s * line[1], c * line[1] - s * line[0]]) / there
    share = free[both] / free[both].sum()
    for n in range(1, _STEPS + 1):
        tried = np.array(target[both])
        tried[0, [0, 2]] -= share[0] * n * _STEP * leg * aside
        tried[1, [0, 2]] += share[1] * n * _STEP * leg * aside
        if _nearest(tried, leg)[0] >= need:
            target[both] = tried
            return


def _nearest(prints: Floats, leg: float) -> tuple[float, Floats]:
    """How far two soles (2, 4) are apart along the ground, and (2,) from the first to the other."""
    ahead = np.stack([np.sin(prints[:, 3]), np.cos(prints[:, 3])], axis=1)
    reach = _HALF_SOLE * leg * _ALONG[:, None]
    points = prints[:, None, [0, 2]] + reach * ahead[:, None]
    apart = points[1][None, :] - points[0][:, None]
    metres = np.hypot(apart[..., 0], apart[..., 1])
    n = int(np.argmin(metres))
    return float(metres.flat[n]), np.asarray(apart.reshape(-1, 2)[n])


def _put_on_ground(moves: Moves, prints: Floats, scene: Scene) -> Bools:
    """Put footprints (K, 4) on the ground at about their heights; (K,) where a foot stands well."""
    soles = prints[:, [0, 2, 3]]
    soles[:, 0] += moves.sole_ahead * np.sin(prints[:, 3])
    soles[:, 1] += moves.sole_ahead * np.cos(prints[:, 3])
    found = foot_placements(scene, soles, moves.foot_box, below=prints[:, 1] + _LEVEL_M)
    well = found.valid & (np.abs(found.height - prints[:, 1]) <= _LEVEL_M)
    prints[well, 1] = found.height[well]
    return np.asarray(well)
