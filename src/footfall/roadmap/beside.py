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
from footfall.roadmap.table import Longs
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
    pairs, target = _pairs(stances, leg), np.array(stances.target)
    _part(stances.source, target, pairs, _may_move(stances), leg)
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


def _pairs(stances: PlannedStances, leg: float) -> Longs:
    """(N, 2) left and right stances near each other with frames in common, in order of time."""
    begin, end = stances.spans[:, 0], stances.spans[:, 1]
    common = np.minimum(end[:, None], end) > np.maximum(begin[:, None], begin)
    apart = stances.target[:, None, [0, 2]] - stances.target[:, [0, 2]]
    near = np.hypot(apart[..., 0], apart[..., 1]) < 2.0 * (_GAP + _HALF_SOLE) * leg
    other = stances.foot[:, None] != stances.foot
    return np.argwhere(np.triu(common & near & other, 1))


def _part(source: Floats, target: Floats, pairs: Longs, free: Bools, leg: float) -> None:
    """Write where footprints are whose pairs are as far apart as in the clip, or far enough."""
    pairs = pairs[free[pairs].any(axis=1)]
    there, lines = _nearest(source[pairs], leg)
    need = np.minimum(there, _GAP * leg)
    here, _ = _nearest(target[pairs], leg)
    for n in [*range(len(pairs))] * _ROUNDS:
        if here[n] >= need[n] or there[n] < 1e-6:
            continue
        both = pairs[n]
        turns = target[both, 3] - source[both, 3]
        turn = turns[0] + 0.5 * ((turns[1] - turns[0] + np.pi) % (2.0 * np.pi) - np.pi)
        c, s = np.cos(turn), np.sin(turn)
        aside = np.array([c * lines[n, 0] + s * lines[n, 1], c * lines[n, 1] - s * lines[n, 0]])
        share = np.array([-1.0, 1.0]) * free[both] / free[both].sum()
        tried = np.tile(target[both], (_STEPS, 1, 1))
        steps = np.arange(1.0, _STEPS + 1.0)[:, None] * share * _STEP * leg
        tried[..., [0, 2]] += steps[..., None] * aside / there[n]
        enough = np.flatnonzero(_nearest(tried, leg)[0] >= need[n])
        if len(enough):
            target[both] = tried[enough[0]]
            here, _ = _nearest(target[pairs], leg)


def _nearest(prints: Floats, leg: float) -> tuple[Floats, Floats]:
    """(N,) how far pairs of soles (N, 2, 4) are apart along the ground, and (N, 2) which way."""
    ahead = np.stack([np.sin(prints[..., 3]), np.cos(prints[..., 3])], axis=-1)
    reach = _HALF_SOLE * leg * _ALONG[:, None]
    points = prints[:, :, None, [0, 2]] + reach * ahead[:, :, None]
    apart = (points[:, 1, None] - points[:, 0, :, None]).reshape(-1, len(_ALONG) ** 2, 2)
    metres = np.hypot(apart[..., 0], apart[..., 1])
    rows, best = np.arange(len(prints)), metres.argmin(axis=1)
    return metres[rows, best], apart[rows, best]


def _put_on_ground(moves: Moves, prints: Floats, scene: Scene) -> Bools:
    """Put footprints (K, 4) on the ground at about their heights; (K,) where a foot stands well."""
    soles = prints[:, [0, 2, 3]]
    soles[:, 0] += moves.sole_ahead * np.sin(prints[:, 3])
    soles[:, 1] += moves.sole_ahead * np.cos(prints[:, 3])
    found = foot_placements(scene, soles, moves.foot_box, below=prints[:, 1] + _LEVEL_M)
    well = found.valid & (np.abs(found.height - prints[:, 1]) <= _LEVEL_M)
    prints[well, 1] = found.height[well]
    return np.asarray(well)
