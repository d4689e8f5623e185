"""What is done to a walk after the search: brought onto the path, feet held.

Path editing after Gleicher 2001: the motion is seen from its own smooth path, and that path is
exchanged for the wished one; what the body does beside its path, its sway, stays. Where we
differ: each frame goes to the nearest point of the path instead of the one at the same length,
so that only what is off sideways is corrected and the clips' pace stays; the correction is
smoothed, so that it never turns quicker than a body would; corners are rounded first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from footfall.adapt.foot_lock import LockOptions, lock_feet
from footfall.adapt.holds import GroundSurface
from footfall.body.clip import Clip
from footfall.gait.path import abstract_path, path_abstraction
from footfall.graph.motion import Motion
from footfall.graph.path_input import line_points, sampled_line
from footfall.maths import planar
from footfall.maths.arrays import Floats
from footfall.search.branch_and_bound import Line

CORNER_M = 0.25
"""Corners of the path are smoothed by a Gaussian this wide before it is walked exactly."""
SMOOTHING_S = 0.35
"""How slowly the correction changes."""
_LOOK_M = 1.0
_RAMP_M, _MOST_MISSING_M, _MOST_STRETCH = 6.0, 0.9, 0.16
_BLOCK = 4096


@dataclass(frozen=True)
class FinishOptions:
    """What is done after the search.

    edit_path  bring the motion onto the path
    lock_feet  hold the feet where they stand
    """

    edit_path: bool = True
    lock_feet: bool = True
    lock: LockOptions = LockOptions()  # noqa: RUF009


def finish(
    motion: Motion,
    line: Line,
    options: FinishOptions = FinishOptions(),  # noqa: B008
    ground: GroundSurface | None = None,
) -> Clip:
    """The motion brought onto the line, and its feet held on the ground, as the options say."""
    clip = motion.clip
    if options.edit_path:
        clip = onto_path(clip, line, motion.ways)
    if options.lock_feet:
        clip = lock_feet(clip, ground, options.lock)
    return clip


def onto_path(clip: Clip, line: Line, ways: Floats) -> Clip:
    """The clip with its abstract path laid on the line, its sway kept.

    ways  (T,) how far along the line each frame is, within a metre
    """
    own = path_abstraction(clip, "gaussian")
    wished = _walkable(line)
    sigma = SMOOTHING_S * clip.fps
    along = gaussian_filter1d(
        _nearest_ways(own, wished, ways * (wished.length_m / line.length_m)),
        sigma / 2.0,
        mode="nearest",
    )
    along = _reaching_ends(along, wished.length_m)
    away = gaussian_filter1d(line_points(wished, along) - own, sigma, axis=0, mode="nearest")
    turn = _turn(own, own + away, sigma)
    root, rotations = np.array(clip.root), np.array(clip.rotations)
    still = np.zeros(len(turn))
    beside = planar.apply_to_ground(np.stack([still, still, turn], axis=1), root[:, [0, 2]] - own)
    root[:, [0, 2]] = own + away + beside
    pose = np.stack([still, still, turn], axis=1)
    rotations[:, 0] = planar.apply_to_rotations(pose, rotations[:, 0])
    return replace(clip, root=root, rotations=rotations)


def _walkable(line: Line) -> Line:
    """The line with its corners rounded; curves that can be walked stay as they are."""
    return sampled_line(abstract_path(line.points, "gaussian", sigma_m=CORNER_M))


def _nearest_ways(points: Floats, line: Line, ways: Floats) -> Floats:
    """(T,) how far along a line its point nearest to each point (T, 2) is, near its way there."""
    reach = max(1, round(_LOOK_M / line.spacing_m))
    stride = max(1, reach // 50)
    last = len(line.points) - 1
    steps = np.arange(-reach, reach + 1, stride)
    out = np.empty(len(points))
    for first in range(0, len(points), _BLOCK):
        some = slice(first, first + _BLOCK)
        middle = np.clip(np.round(ways[some] / line.spacing_m), 0, last).astype(np.int64)
        index = np.clip(middle[:, None] + steps, 0, last)
        gap = ((line.points[index] - points[some, None]) ** 2).sum(axis=-1)
        near = np.take_along_axis(index, gap.argmin(axis=1)[:, None], axis=1)[:, 0]
        # Between the samples, and beyond the ends: the foot of the perpendicular.
        low, high = np.maximum(near - stride, 0), np.minimum(near + stride, last)
        ahead = line.points[high] - line.points[low]
        ahead = ahead / np.maximum(np.hypot(*ahead.T), 1e-12)[:, None]
        out[some] = near * line.spacing_m + ((points[some] - line.points[near]) * ahead).sum(axis=1)
    return np.maximum.accumulate(out)


def _reaching_ends(along: Floats, length_m: float) -> Floats:
    """Ways (T,) stretched a little at both ends, so that they go from 0 to the line's length.

    What is missing is made up over some metres; ends that are too far off stay as they are.
    """
    over = min(_RAMP_M, 0.5 * length_m)
    out = np.array(along)
    for missing, gap in (
        (-along[0], along - along[0]),
        (length_m - along[-1], along[-1] - along),
    ):
        if abs(missing) <= min(_MOST_MISSING_M, _MOST_STRETCH * over):
            u = np.clip(1.0 - gap / over, 0.0, 1.0)
            out += missing * u * u * (3.0 - 2.0 * u)
    return out


def _turn(old: Floats, new: Floats, sigma: float) -> Floats:
    """(T,) by how much the direction of a path (T, 2) differs from that of another, smooth."""
    before, after = (np.gradient(p, axis=0) if len(p) > 1 else np.zeros_like(p)
                     for p in (old, new))  # fmt: skip
    # Weighted by speed, so that directions of hardly moving frames do not count.
    product = (after[:, 1] + 1j * after[:, 0]) * (before[:, 1] - 1j * before[:, 0])
    smooth = gaussian_filter1d(product.real, sigma / 2.0, mode="nearest") + 1j * gaussian_filter1d(
        product.imag, sigma / 2.0, mode="nearest"
    )
    return np.asarray(np.where(np.abs(smooth) > 1e-12, np.angle(smooth), 0.0))
