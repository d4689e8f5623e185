"""The path of a clip without the sway of single steps, in the five ways van Basten & Egges compare.

    pelvis     the way of the pelvis as it is
    joints     pelvis mixed with joints that sway against it: knees, ankles, toes (JC)
    extrema    through the middles between the sway's extrema (JOE)
    gaussian   smoothed along its length, with Lowe's correction for shrinking in curves (GS)
    bspline    the cubic B-spline with few knots that fits best, after Gleicher (BS)

Where we differ: beyond the ends the last stride is repeated, so that sway at an end does not
bend the abstract path; Lowe's correction is taken along the vector of the second derivative
rather than per coordinate, which leaves no ripple on circles; mixing joints only moves points
sideways.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from footfall.body.clip import Clip
from footfall.body.roles import SIDES
from footfall.errors import InputError, choices
from footfall.gait.path_ends import extend_path
from footfall.maths.arrays import Floats
from footfall.maths.filters import smooth_gaussian
from footfall.maths.splines import fit_least_squares

METHODS = ("pelvis", "joints", "extrema", "gaussian", "bspline")
SIGMA_M = 0.75
KNOTS = 6
_STEP_M = 0.01
_MOST_SAMPLES = 200_000
_LIGHT_M = 0.05
_EXTREMA_APART_M = 0.25
_LEAST_WAY_M = 0.1
"""A body that travels less than this stands; its path is kept as it is."""


def path_abstraction(
    clip: Clip, method: str = "gaussian", first: int = 0, stop: int | None = None,
    *, sigma_m: float = SIGMA_M, knots: int = KNOTS,
) -> Floats:  # fmt: skip
    """Return (N, 2) x and z of the abstract path at the frames from `first` up to `stop` of a clip.

    What the clip does before and after these frames is known to the abstraction and counts.
    """
    stop = len(clip) if stop is None else stop
    if not 0 <= first < stop <= len(clip):
        raise InputError(
            f"frames {first} to {stop} of a clip of {len(clip)}", remedy=f"from 0 up to {len(clip)}"
        )
    positions = clip.positions[..., [0, 2]]
    hips = positions[:, [clip.skeleton.role(f"{side}_hip") for side in SIDES]].mean(axis=1)
    others = positions[:, _counter_joints(clip)].mean(axis=1) if method == "joints" else None
    path = abstract_path(hips, method, others=others, sigma_m=sigma_m, knots=knots)
    return np.asarray(path[first:stop])


def _counter_joints(clip: Clip) -> list[int]:
    roles = clip.skeleton.roles
    names = [f"{side}_{part}" for part in ("knee", "ankle", "toe") for side in SIDES]
    return [roles[name] for name in names if name in roles]


def abstract_path(
    points: ArrayLike, method: str = "gaussian", *, others: ArrayLike | None = None,
    before: ArrayLike | None = None, after: ArrayLike | None = None,
    sigma_m: float = SIGMA_M, knots: int = KNOTS,
) -> Floats:  # fmt: skip
    """Return (N, 2) the abstract path at each of the points (N, 2), x and z, of a pelvis.

    before, after   (·, 2) where it was before and went after, if that is known
    others          the mean of joints that sway against it, as long as all the points together
    """
    if method not in METHODS:
        raise InputError(
            f"there is no path abstraction {method!r}", remedy=choices(METHODS, method)
        )
    if not (np.isfinite(sigma_m) and sigma_m > 0.0) or knots < 2:
        raise InputError(
            f"sigma is {sigma_m} m and there are {knots} knots",
            remedy="sigma must be positive and there must be at least two knots",
        )
    parts = [_check_points(p) for p in (before, points, after) if p is not None]
    skipped = 0 if before is None else len(parts[0])
    count = len(parts[0 if before is None else 1])
    path = np.concatenate(parts)
    if method == "pelvis" or len(path) < 3 or _length(path)[-1] < _LEAST_WAY_M:
        out = path
    elif method == "joints":
        if others is None or np.shape(others) != path.shape:
            raise InputError(
                "the path abstraction 'joints' has no other joints to mix in",
                remedy=f"give their mean as `others`, of shape {path.shape}",
            )
        out = _mix_joints(path, _check_points(others), sigma_m)
    else:
        out = _along_length(path, method, sigma_m, knots)
    return np.asarray(out[skipped : skipped + count])


def _along_length(path: Floats, method: str, sigma_m: float, knots: int) -> Floats:
    """Return one of the abstractions that work on the path sampled evenly along its length."""
    way = _length(path)
    total = float(way[-1])
    step = max(_STEP_M, total / _MOST_SAMPLES)
    samples = max(int(np.ceil(total / step)), 4)
    step = total / samples
    place = np.linspace(0.0, total, samples + 1)
    even = _interpolate(place, way, path)
    longer, added = extend_path(even, step, 4.0 * max(sigma_m, 0.3 * SIGMA_M) + 2.0)
    if method == "gaussian":
        smooth = _lowe(longer, step, sigma_m)
    elif method == "extrema":
        smooth = _between_extrema(longer, step, sigma_m)
    else:
        smooth = _spline(longer, step, added, total, knots)
    return _interpolate(way, place, smooth[added : added + samples + 1])


def _lowe(points: Floats, step: float, sigma_m: float) -> Floats:
    """Gaussian smoothing with Lowe's correction of the shrinking."""
    smooth = _gaussian(points, step, sigma_m)
    bend = np.gradient(np.gradient(smooth, step, axis=0), step, axis=0)
    size = np.hypot(bend[:, 0], bend[:, 1])
    known, shrunk = _shrinking()
    back = sigma_m * np.interp(np.minimum(size * sigma_m, known[-1]), known, shrunk)
    return np.asarray(smooth - (back / np.maximum(size, 1e-12))[:, None] * bend)


@cache
def _shrinking() -> tuple[Floats, Floats]:
    """Second derivative of a smoothed circle and how far it shrank, for sigma 1.

    A circle of radius r becomes one of r exp(-1 / 2r²), whose second derivative by the length of
    the circle before is exp(-1 / 2r²) / r. That is unique for r of at least 1.
    """
    curvature = np.linspace(0.0, 0.98, 2000)
    factor = np.exp(-0.5 * curvature**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        shrunk = np.where(curvature > 0.0, (1.0 - factor) / curvature, 0.0)
    return factor * curvature, shrunk


def _between_extrema(points: Floats, step: float, sigma_m: float) -> Floats:
    """Through the middles between the extrema of the sway about a heavily smoothed line."""
    line = _gaussian(points, step, 1.3 * sigma_m)
    ahead = np.gradient(line, step, axis=0)
    ahead /= np.maximum(np.hypot(ahead[:, 0], ahead[:, 1]), 1e-9)[:, None]
    aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    off = points - line
    sway = np.einsum("ni,ni->n", _gaussian(off, step, _LIGHT_M), aside)
    along = np.arange(len(points)) * step
    places, sizes = _extrema(sway, step)
    if len(places) < 2:
        return np.asarray(line + sway[:, None] * aside)
    middles = 0.5 * (places[1:] + places[:-1])
    offset = np.interp(along, middles, 0.5 * (sizes[1:] + sizes[:-1]))
    return np.asarray(line + offset[:, None] * aside)


def _extrema(sway: Floats, step: float) -> tuple[Floats, Floats]:
    """Return where the sway is greatest and least, between samples, metres along, and how large."""
    slope = np.diff(sway)
    turns = np.flatnonzero(slope[:-1] * slope[1:] <= 0.0) + 1
    kept: list[int] = []
    for turn in turns.tolist():
        # Of two close ones a tremble is left out, and with it the extremum it undoes.
        if kept and (turn - kept[-1]) * step < _EXTREMA_APART_M:
            kept.pop()
        else:
            kept.append(turn)
    index = np.array(kept, dtype=np.int64)
    if len(index) == 0:
        return np.zeros(0), np.zeros(0)
    before, here, after = sway[index - 1], sway[index], sway[index + 1]
    bend = before - 2.0 * here + after
    shift = np.where(
        np.abs(bend) > 1e-15, 0.5 * (before - after) / np.where(bend == 0.0, 1.0, bend), 0.0
    )
    shift = np.clip(shift, -1.0, 1.0)
    size = here - 0.25 * (before - after) * shift
    return np.asarray((index + shift) * step, dtype=np.float64), np.asarray(size)


def _spline(points: Floats, step: float, added: int, total: float, knots: int) -> Floats:
    """Return the cubic B-spline of `knots` even knots over `total` metres, and as many beyond."""
    spacing = total / (knots - 1)
    along = (np.arange(len(points)) - added) * step
    spans = int(np.ceil(added * step / spacing))
    start, end = -spans * spacing, (knots - 1 + spans) * spacing
    spline = fit_least_squares(along, points, start, end, spacing)
    return spline.at(along)


def _mix_joints(path: Floats, others: Floats, sigma_m: float) -> Floats:
    """Return the pelvis moved sideways towards joints that sway against it, by the best share."""
    way = _length(path)
    smooth = _along_length(path, "gaussian", sigma_m, KNOTS)
    ahead = np.gradient(smooth, axis=0)
    ahead = ahead / np.maximum(np.hypot(ahead[:, 0], ahead[:, 1]), 1e-9)[:, None]
    aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    sway = np.einsum("ni,ni->n", path - smooth, aside)
    towards = np.einsum("ni,ni->n", others - path, aside)
    # Weighted by length, so that standing still does not count more than going.
    weights = np.gradient(way)
    swing = towards - np.average(towards, weights=weights)
    share = -np.sum(weights * sway * swing) / max(float(np.sum(weights * swing**2)), 1e-12)
    return np.asarray(path + (np.clip(share, 0.0, 1.0) * swing)[:, None] * aside)


def _gaussian(points: Floats, step: float, sigma_m: float) -> Floats:
    return smooth_gaussian(points, sigma_m / step)


def _length(path: Floats) -> Floats:
    """Return (N,) metres along a path (N, 2), growing everywhere, if only by a hair."""
    steps = np.hypot(*np.diff(path, axis=0).T)
    return np.concatenate([[0.0], np.cumsum(np.maximum(steps, 1e-9))])


def _interpolate(at: Floats, places: Floats, values: Floats) -> Floats:
    return np.stack([np.interp(at, places, values[:, k]) for k in range(2)], axis=1)


def _check_points(points: ArrayLike) -> Floats:
    array = np.asarray(points, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 2 or len(array) == 0 or not np.isfinite(array).all():
        raise InputError(
            f"a path has shape {array.shape}",
            remedy="it must be finite, of shape (any, 2): x and z, at least one point",
        )
    return array
