"""Path editing: a walk brought onto the path it was to follow.

After Gleicher 2001: the motion is seen from its own smooth path, and that path is exchanged for
the wished one; what the body does beside its path, its sway, stays. Where we differ: each frame
goes to the nearest point of the path instead of the one at the same length, so that only what is
off sideways is corrected and the clips' pace stays; the correction is smoothed, so that it never
turns quicker than a body would; corners are rounded first.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from footfall.gait.path import abstract_path, path_abstraction
from footfall.maths import planar
from footfall.maths.arrays import Floats
from footfall.maths.filters import smooth_gaussian
from footfall.maths.polyline import EvenPolyline, Polyline

CORNER_M = 0.25
"""Corners of the path are smoothed by a Gaussian this wide before it is walked exactly."""
SMOOTHING_S = 0.35
"""How slowly the correction changes."""
_LOOK_M = 1.0
_STILL_M_S, _STILL_S = 0.2, 0.05
"""Slower than this, seen over so long, somebody stands."""
_RAMP_M, _MOST_MISSING_M, _MOST_STRETCH, _MOST_SCALE = 6.0, 1.5, 0.16, 1.3


def edit_path(clip: Clip, path: EvenPolyline, distances: Floats) -> Clip:
    """The clip with its path abstraction laid on the path, its sway kept.

    distances  (T,) how far along the path each frame is, within a metre
    """
    own = path_abstraction(clip, "gaussian")
    wished = walkable_path(path)
    sigma = SMOOTHING_S * clip.fps
    near = distances * (wished.length_m / path.length_m)
    nearest = wished.nearest(own, near_m=near, within_m=_LOOK_M, beyond_ends=True)
    along = smooth_gaussian(np.maximum.accumulate(nearest), 0.5 * sigma)
    along = _reach_ends(along, wished.length_m)
    going = _going_frames(clip)
    away = smooth_gaussian(_hold_ends(wished.at(along) - own, going), sigma)
    turn = _hold_ends(_turns_between(own, own + away, sigma), going)
    still = np.zeros(len(turn))
    pose = np.stack([still, still, turn], axis=1)
    root, rotations = np.array(clip.root), np.array(clip.rotations)
    root[:, [0, 2]] = own + away + planar.apply_to_ground(pose, root[:, [0, 2]] - own)
    rotations[:, 0] = planar.apply_to_rotations(pose, rotations[:, 0])
    return replace(clip, root=root, rotations=rotations)


def walkable_path(path: EvenPolyline) -> EvenPolyline:
    """The path with its corners rounded; curves that can be walked stay as they are."""
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
    for missing, gap in (
        (-along[0], along - along[0]),
        (length_m - along[-1], along[-1] - along),
    ):
        over = min(max(_RAMP_M, abs(missing) / _MOST_STRETCH), 0.5 * length_m)
        if abs(missing) <= min(_MOST_MISSING_M, _MOST_STRETCH * over):
            u = np.clip(1.0 - gap / over, 0.0, 1.0)
            out += missing * u * u * (3.0 - 2.0 * u)
    return out


def _going_frames(clip: Clip) -> slice:
    """The frames between the standing at the beginning and that at the end."""
    speed = smooth_gaussian(clip.root[:, [0, 2]], _STILL_S * clip.fps)
    going = np.flatnonzero(np.hypot(*np.diff(speed, axis=0).T) * clip.fps > _STILL_M_S)
    return slice(int(going[0]), int(going[-1]) + 2) if len(going) else slice(0, len(clip))


def _hold_ends(values: Floats, going: slice) -> Floats:
    """Values (T, ...) that stay as they are where somebody stands: nobody slides or turns there."""
    out = np.array(values)
    out[: going.start], out[going.stop :] = out[going.start], out[going.stop - 1]
    return out


def _turns_between(old: Floats, new: Floats, sigma: float) -> Floats:
    """(T,) by how much the direction of a path (T, 2) differs from that of another, smooth."""
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
