"""Where clips may be cut and joined: in the middle of a stance, in one of a few postures.

A *cut* is a moment in which a foot stands: the middle of its stance, or, where the body is at
rest, the first and the last moment of that, so that nobody stands longer than need be. Two clips
may be joined at cuts with the same foot and about the same posture, seen from the foot. Postures
are found by clustering (complete linkage), so that no two cuts of one posture are further apart
than a tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import leg_length
from footfall.body.roles import ROLES
from footfall.gait.footprints import Footprint
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.rounding import round_to_grid
from footfall.maths.runs import runs

_AHEAD_S, _APART_S = 0.2, 0.067
"""How far ahead a joint's speed counts, as if it were a place; what it is measured over."""
_BRISK_M_S = 2.0
"""How fast joints are, root mean square, in a brisk walk."""
_STILL_M_S, _STILL_S = 0.15, 0.1
"""A body none of whose joints is faster, for so long, is at rest."""
_CALM_S = 0.4
"""So long before going, or after coming to rest, the calmest moment of a rest is looked for."""
_UPRIGHT, _SWAY_M_S = 0.8, 0.1
"""A body whose hips are so high above both ankles, in leg lengths, and no faster, stands."""


@dataclass(frozen=True)
class Cut:
    """A moment of a clip in which it may be joined to others.

    clip, print  which clip, and which of its footprints the foot stands on
    frame        the moment
    foot         0 left, 1 right; at rest it is always the left
    at_rest      whether the body stands upright and still
    calm         the calmest moment of its rest, before or after the cut; plans begin and end there
    """

    clip: int
    print: int
    frame: int
    foot: int
    at_rest: bool
    calm: int = -1


def find_cuts(number: int, clip: Clip, prints: Sequence[Footprint]) -> list[Cut]:
    """The cuts of a clip that carries contacts, in the order of time."""
    speed = _joint_speeds(clip)
    still = _still_frames(clip, speed)
    feet = _feet_down(clip)
    both = feet[:, 0] & feet[:, 1]
    found: list[Cut] = []
    last = len(clip) - 1
    for n, one in enumerate(prints):
        first, stop = _stance(one, clip.fps, last)
        quiet = still[first:stop] & both[first:stop]
        if quiet.any():
            if one.foot == 0:
                reach = round(_CALM_S * clip.fps)
                for f, calm in _rests(quiet, speed[first:stop], first, last, reach):
                    found.append(Cut(number, n, f, 0, _stands(clip, calm), calm))
        elif first > 0 and stop <= last:
            middle = min(max(round(one.t * clip.fps), 0), last)
            found.append(Cut(number, n, middle, one.foot, False, middle))
    return sorted(found, key=lambda cut: cut.frame)


def _stance(one: Footprint, fps: float, last: int) -> tuple[int, int]:
    """First frame and the frame after the last in which a foot is on its footprint."""
    first = max(int(np.ceil((one.t - one.delta) * fps - 1e-6)), 0)
    return first, min(int(np.floor((one.t + one.delta) * fps + 1e-6)), last) + 1


def _rests(quiet: Bools, speed: Floats, first: int, last: int, reach: int) -> list[tuple[int, int]]:
    """Return where to cut what stands still, and the calmest moment near each cut.

    The body leans before it goes and sways after it came, though it is still at rest by then.
    """
    found = []
    for a, b in runs(quiet).tolist():
        before = max(a, b - 1 - reach)
        after = min(b, a + 1 + reach)
        comes, goes = a + int(np.argmin(speed[a:after])), before + int(np.argmin(speed[before:b]))
        if first + a > 0:
            found.append((first + a, first + comes))
        if first + b - 1 < last and (b - a > 1 or first + a == 0):
            found.append((first + b - 1, first + goes))
    return found


def _stands(clip: Clip, frame: int) -> bool:
    """Whether a body that is still stands: who crouches, sits, lies or sways does not."""
    hips, *ankles = (
        clip.positions[:, clip.skeleton.role(name)]
        for name in ("hips", "left_ankle", "right_ankle")
    )
    before, after = max(frame - 1, 0), min(frame + 1, len(clip) - 1)
    sway = np.linalg.norm(hips[after] - hips[before]) * clip.fps / (after - before)
    high = hips[frame, 1] - max(ankle[frame, 1] for ankle in ankles)
    return bool(high > _UPRIGHT * leg_length(clip.skeleton, "left") and sway < _SWAY_M_S)


def _joint_speeds(clip: Clip) -> Floats:
    """(T,) how fast the fastest joint is, metres a second."""
    joints = [clip.skeleton.roles[r] for r in ROLES if r in clip.skeleton.roles]
    if len(clip) < 3:
        return np.full(len(clip), np.inf)
    speed = np.gradient(clip.positions[:, joints], 1.0 / clip.fps, axis=0)
    return np.asarray(np.linalg.norm(speed, axis=-1).max(axis=1))


def _still_frames(clip: Clip, speed: Floats) -> Bools:
    still: Bools = speed < _STILL_M_S
    for a, b in runs(still).tolist():
        if b - a < _STILL_S * clip.fps:
            still[a:b] = False
    return still


def _feet_down(clip: Clip) -> Bools:
    """(T, 2) whether each foot touches the ground."""
    assert clip.contacts is not None
    down = np.asarray(clip.contacts, np.bool_)
    return np.stack([down[:, 0] | down[:, 1], down[:, 2] | down[:, 3]], axis=1)


def describe(clip: Clip, cut: Cut, one: Footprint) -> Floats:
    """(2, R, 3) where the joints are at a cut, and how they go on, seen from the foot."""
    joints = [clip.skeleton.roles[r] for r in ROLES if r in clip.skeleton.roles]
    apart = max(1, round(_APART_S * clip.fps))
    before, after = max(cut.frame - apart, 0), min(cut.frame + apart, len(clip) - 1)
    at = clip.positions[[before, cut.frame, after]][:, joints]
    speed = (at[2] - at[0]) * (clip.fps / max(after - before, 1))
    back = quat.from_yaw(-one.yaw)
    return np.stack([quat.rotate(back, at[1] - one.p), _AHEAD_S * quat.rotate(back, speed)])


def group_postures(cuts: Sequence[Cut], postures: Floats, tolerance_m: float) -> Ints:
    """(C,) which posture each cut has: those of one are at most so far apart, root mean square.

    postures  (C, D) as `describe` gives them, laid flat

    Where bodies go faster than a walk, they may be further apart by as much as they are faster:
    the same difference is gone in the same share of a step.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import pdist

    count = len(cuts)
    kinds = np.array([2 * cut.foot + cut.at_rest for cut in cuts], np.int32)
    groups = np.zeros(count, np.int32)
    many = 0
    scaled = postures / np.sqrt(postures.shape[1] / 6.0)
    speed = np.linalg.norm(scaled[:, scaled.shape[1] // 2 :], axis=1) / _AHEAD_S
    for kind in np.unique(kinds):
        rows = np.flatnonzero(kinds == kind)
        if len(rows) == 1:
            own = np.ones(1, np.int32)
        else:
            one, other = np.triu_indices(len(rows), 1)
            slower = np.minimum(speed[rows][one], speed[rows][other])
            apart = pdist(scaled[rows]) / np.maximum(slower / _BRISK_M_S, 1.0)
            # Mirrored clips are equally far apart: rounded, ties fall by their order.
            own = fcluster(linkage(round_to_grid(apart), "complete"), tolerance_m, "distance")
        groups[rows] = many + own - 1
        many += int(own.max())
    return groups
