"""Path editing: a walk brought onto the path it was to follow.

After Gleicher 2001: the motion is seen from its own smooth path, and that path is exchanged for
the wished one; what the body does beside its path, its sway, stays. Where we differ: each frame
goes to the nearest point of the path instead of the one at the same length, so that only what is
off sideways is corrected and the clips' pace stays; the correction is smoothed, so that it never
turns quicker than a body would; corners are rounded first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.gait.path import abstract_path, path_abstraction
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.filters import running_max, smooth_gaussian, smooth_to_ends
from footfall.maths.polyline import EvenPolyline, Polyline

CORNER_M = 0.25
"""Corners of the path are smoothed by a Gaussian this wide before it is walked exactly."""
SMOOTHING_S = 0.35
"""How slowly the correction changes."""
FASTER = 1.2
"""The body turns at most this many times as quickly as it did anywhere in the clip."""
SLOWER = 2.0
"""Where it would turn more quickly, the correction changes this many times more slowly."""
_SLOWEST_TURN, _UNSEEN_TURN = 0.8, 0.1
_LOOK_M = 1.0
_STILL_M_S, _STILL_S = 0.2, 0.05
"""Slower than this, seen over so long, somebody stands."""
_RAMP_M, _MOST_MISSING_M, _MOST_STRETCH, _MOST_SCALE = 6.0, 1.5, 0.16, 1.3


@dataclass(frozen=True, eq=False)
class PathEdit:
    """Translations and rotations that put T frames on a path.

    own    (T, 2) the path abstraction of the clip
    away   (T, 2) by how much it is moved, metres
    turn   (T,) by how much the body is turned about it, radians
    eased  (T,) where less is corrected than wished, for more would turn the body too quickly
    """

    own: Floats
    away: Floats
    turn: Floats
    eased: Bools

    def scale(self, share: float) -> PathEdit:
        """Return a share of the edit: 1 for all of it, 0 for none."""
        if share == 1.0:
            return self
        turn = share * np.arctan2(np.sin(self.turn), np.cos(self.turn))
        return PathEdit(self.own, share * self.away, turn, self.eased)

    def apply(self, clip: Clip) -> Clip:
        """Return the clip moved and turned."""
        still = np.zeros(len(self.turn))
        pose = np.stack([still, still, self.turn], axis=1)
        root, rotations = np.array(clip.root), np.array(clip.rotations)
        beside = planar.apply_to_ground(pose, root[:, [0, 2]] - self.own)
        root[:, [0, 2]] = self.own + self.away + beside
        rotations[:, 0] = planar.apply_to_rotations(pose, rotations[:, 0])
        return clip.derive(root=root, rotations=rotations)


def edit_path(clip: Clip, path: EvenPolyline, distances: Floats) -> Clip:
    """Return the clip with its path abstraction laid on the path, its sway kept.

    distances  (T,) how far along the path each frame is, within a metre
    """
    return find_path_edit(clip, path, distances).apply(clip)


def find_path_edit(clip: Clip, path: EvenPolyline, distances: Floats) -> PathEdit:
    """Return how a clip is brought onto a path without turning its body more quickly than it does.

    Where the whole correction would, it changes more slowly; where even that would, the body turns
    as quickly as it may.
    """
    own = path_abstraction(clip, "gaussian")
    wished = walkable_path(path)
    sigma = SMOOTHING_S * clip.fps
    near = distances * (wished.length_m / path.length_m)
    nearest = wished.nearest(own, near_m=near, within_m=_LOOK_M, beyond_ends=True)
    along = smooth_gaussian(np.maximum.accumulate(nearest), 0.5 * sigma)
    along = _reach_ends(along, wished.length_m)
    going = _going_frames(clip)
    off = _hold_ends(wished.at(along) - own, going)
    turning = _turn_rates(clip)
    limit = FASTER * max(float(turning.max(initial=0.0)), _SLOWEST_TURN)
    away = smooth_to_ends(off, sigma)
    turn = _hold_ends(_turns_between(own, own + away, sigma), going)
    eased = _is_quick(clip, turn, turning, limit)
    if eased.any():
        # Around what is too quick, and smoothly from there, the correction changes more slowly.
        reach = SLOWER * sigma
        share = smooth_gaussian(_widen(eased, reach).astype(np.float64), sigma)[:, None]
        away = (1.0 - share) * away + share * smooth_to_ends(off, reach)
        turn = _hold_ends(_turns_between(own, own + away, sigma), going)
        turn = _turn_slowly(turn, np.maximum(limit - turning, _UNSEEN_TURN) / clip.fps)
    return PathEdit(own, away, turn, eased)


def _turn_slowly(turn: Floats, most: Floats) -> Floats:
    """Angles (T,) that change by at most so much (T,) after each frame, as near to given ones.

    Midway between the least such curve above them and the greatest below.
    """
    turn = np.unwrap(turn)
    gone = np.concatenate([[0.0], np.cumsum(most[:-1])])

    def above(angles: Floats) -> Floats:
        before = np.maximum.accumulate(angles + gone) - gone
        after = np.maximum.accumulate((angles - gone)[::-1])[::-1] + gone
        return np.asarray(np.maximum(before, after))

    return np.asarray(0.5 * (above(turn) - above(-turn)))


def _turn_rates(clip: Clip) -> Floats:
    """Return (T,) how quickly the root turns from each frame to the next, radians a second."""
    turned = quat.angle_between(clip.rotations[1:, 0], clip.rotations[:-1, 0]) * clip.fps
    return np.append(turned, turned[-1:]) if len(clip) > 1 else np.zeros(len(clip))


def _is_quick(clip: Clip, turn: Floats, turning: Floats, limit: float) -> Bools:
    """Return (T,) whether turning by `turn` (T,) as well would exceed the limit of turning."""
    if len(clip) < 2:
        return np.zeros(len(clip), dtype=np.bool_)
    step = np.diff(turn)
    added = np.abs(np.arctan2(np.sin(step), np.cos(step))) * clip.fps
    added = np.append(added, added[-1:])
    # Above its own, for the two may turn one way; what hardly adds anything does no harm.
    return np.asarray((turning + added > limit) & (added > _UNSEEN_TURN))


def _widen(mask: Bools, reach: float) -> Bools:
    """Return the mask (T,) widened by a number of frames on both sides of every true one."""
    return np.asarray(running_max(mask.astype(np.float64), round(reach)) > 0.5)


def walkable_path(path: EvenPolyline) -> EvenPolyline:
    """Return the path with its corners rounded; curves that can be walked stay as they are."""
    return Polyline(abstract_path(path.points, "gaussian", sigma_m=CORNER_M)).resample()


def _reach_ends(along: Floats, length_m: float) -> Floats:
    """Distances (T,) stretched a little, so that they go from 0 to the path's length.

    On a short path all strides share in it; on a long one what is missing is made up over some
    metres at either end. Ends that are too far off stay as they are.
    """
    gone = float(along[-1] - along[0])
    if length_m < 2.0 * _RAMP_M:
        if gone > 0.0 and 1.0 / _MOST_SCALE <= length_m / gone <= _MOST_SCALE:
            return np.asarray((along - along[0]) * (length_m / gone))
        return along
    out = np.array(along)
    for missing, gap in ((-along[0], along - along[0]), (length_m - along[-1], along[-1] - along)):
        over = min(max(_RAMP_M, abs(missing) / _MOST_STRETCH), 0.5 * length_m)
        if abs(missing) <= min(_MOST_MISSING_M, _MOST_STRETCH * over):
            u = np.clip(1.0 - gap / over, 0.0, 1.0)
            out += missing * u * u * (3.0 - 2.0 * u)
    return out


def _going_frames(clip: Clip) -> slice:
    """Return the frames between the standing at the beginning and that at the end."""
    speed = smooth_gaussian(clip.root[:, [0, 2]], _STILL_S * clip.fps)
    going = np.flatnonzero(np.hypot(*np.diff(speed, axis=0).T) * clip.fps > _STILL_M_S)
    return slice(int(going[0]), int(going[-1]) + 2) if len(going) else slice(0, len(clip))


def _hold_ends(values: Floats, going: slice) -> Floats:
    """Values (T, ...) that stay as they are where somebody stands: nobody slides or turns there."""
    out = np.array(values)
    out[: going.start], out[going.stop :] = out[going.start], out[going.stop - 1]
    return out


def _turns_between(old: Floats, new: Floats, sigma: float) -> Floats:
    """Return (T,) the smooth difference in direction between two paths (T, 2), radians."""
    if len(old) < 2:
        return np.zeros(len(old))
    before, after = np.gradient(old, axis=0), np.gradient(new, axis=0)
    # Weighted by speed, so that directions of hardly moving frames do not count.
    product = (after[:, 1] + 1j * after[:, 0]) * (before[:, 1] - 1j * before[:, 0])
    real, imaginary = smooth_gaussian(
        np.stack([product.real, product.imag], axis=1), 0.5 * sigma
    ).T  # fmt: skip
    moves = np.hypot(real, imaginary) > 1e-12
    return np.asarray(np.where(moves, np.arctan2(imaginary, real), 0.0))
