"""The sway of the pelvis as a wave: how wide, how long, and how regular (van Basten & Egges, §4.3).

The extrema of the curvature of the pelvis' path are the crests. The paper's amplitude is |κ| there,
printed in centimetres, and its wavelength is twice the distance d of two crests, though the numbers
are those of d, a step. So both are given of both: the curvature in 1/m and the distance from the
path without sway in cm; d, a step, and 2d, a stride.
Where we differ: curvature is taken against that of the path without sway, else curves would count
as crests on one side; standing is left out, where a pelvis wanders without going anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from footfall.body.clip import Clip
from footfall.errors import InputError, choices
from footfall.gait.path import SIGMA_M, abstract_path, path_abstraction
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.filters import find_peaks
from footfall.maths.runs import runs
from footfall.maths.signals import differentiate, low_pass, sample, sample_times

ABSTRACTIONS = ("gaussian", "extrema", "bspline")
"""The abstractions of `footfall.gait.path` that need the pelvis alone."""
STEP_M = 0.01
LIGHT_M = 0.3
"""Waves shorter than this are noise: nobody takes strides of 30 cm on the way somewhere."""
STRIDE_SHARE, ORDER = 0.7, 4
SHORTEST_M, LONGEST_M = 0.35, 1.7
"""Curvature makes much of short waves. For it, waves shorter than this share of a stride, within
these bounds, are left out; how much that takes from waves as long as a stride is made good."""
APART_M = 0.25
PROMINENCE = 0.1
"""Crests are this far apart, and this part of the whole range of curvature above what is beside."""
END_M = 0.3
"""Curvature is not measured this near to the ends of a path …"""
TIGHTEST_M = SIGMA_M
"""… nor where a path turns tighter than it can be read (see `footfall.gait.path`)."""
GOING_M_S = 0.25
LEAST_WAY_M = 1.5
_FINE_HZ = 120.0
_MOST_SAMPLES = 200_000


@dataclass(frozen=True)
class Oscillation:
    """The wave of the pelvis; nan where there are no two crests.

    amplitude_cm             mean distance from the path without sway at the crests
    amplitude_std_cm         its standard deviation
    curvature_per_m          mean |κ| at the crests, against the path without sway
    curvature_std_per_m      its standard deviation
    step_wavelength_cm       mean way d from crest to crest, along the path: the paper's Table 1
    step_wavelength_std_cm   its standard deviation
    stride_wavelength_cm     2d
    stride_wavelength_std_cm its standard deviation
    crests                   how many there are
    """

    amplitude_cm: float
    amplitude_std_cm: float
    curvature_per_m: float
    curvature_std_per_m: float
    step_wavelength_cm: float
    step_wavelength_std_cm: float
    stride_wavelength_cm: float
    stride_wavelength_std_cm: float
    crests: int


@dataclass(frozen=True, eq=False)
class Sway:
    """A stretch of walking, sampled about every centimetre.

    along      (N,) metres along the path without sway
    points     (N, 2) the pelvis, x and z, metres
    path       (N, 2) the path without sway
    offset     (N,) how far the pelvis is to the left of it, metres
    curvature  (N,) of the pelvis' path against that of the path without sway, 1/m
    crests     (C,) which samples are crests
    steps      (S,) metres from crest to crest, where nothing that cannot be told lies between
    """

    along: Floats
    points: Floats
    path: Floats
    offset: Floats
    curvature: Floats
    crests: Ints
    steps: Floats


def oscillation(clip: Clip, abstraction: str = "gaussian") -> Oscillation:
    """Return the sway of the pelvis about its "gaussian", "extrema" or "bspline" path."""
    return oscillation_of(path_abstraction(clip, "pelvis"), clip.fps, abstraction)


def oscillation_of(points: ArrayLike, fps: float, abstraction: str = "gaussian") -> Oscillation:
    """Return the sway of a pelvis at points (T, 2), x and z in metres, `fps` of them a second."""
    parts = sways(points, fps, abstraction)
    offsets = np.concatenate([np.abs(p.offset[p.crests]) for p in parts] or [np.zeros(0)])
    bends = np.concatenate([np.abs(p.curvature[p.crests]) for p in parts] or [np.zeros(0)])
    steps = np.concatenate([p.steps for p in parts] or [np.zeros(0)])
    amplitude, curvature, step = _mean_and_std(offsets), _mean_and_std(bends), _mean_and_std(steps)
    return Oscillation(
        amplitude_cm=100.0 * amplitude[0],
        amplitude_std_cm=100.0 * amplitude[1],
        curvature_per_m=curvature[0],
        curvature_std_per_m=curvature[1],
        step_wavelength_cm=100.0 * step[0],
        step_wavelength_std_cm=100.0 * step[1],
        stride_wavelength_cm=200.0 * step[0],
        stride_wavelength_std_cm=200.0 * step[1],
        crests=len(offsets),
    )


def sways(points: ArrayLike, fps: float, abstraction: str = "gaussian") -> tuple[Sway, ...]:
    """Return the stretches in which a pelvis at points (T, 2) goes somewhere, with their crests."""
    if abstraction not in ABSTRACTIONS:
        raise InputError(
            f"sway about the abstraction {abstraction!r}", remedy=choices(ABSTRACTIONS, abstraction)
        )
    track = np.asarray(points, dtype=np.float64)
    return tuple(
        sway
        for first, stop in _moving_spans(track, fps).tolist()
        if (sway := _sway(track[first:stop], fps, abstraction)) is not None
    )


def _moving_spans(track: Floats, fps: float) -> Ints:
    """Return (N, 2) the stretches of frames in which the pelvis does not stand."""
    if len(track) < 4:
        return np.zeros((0, 2), np.int32)
    velocity = differentiate(low_pass(track, fps, min(1.0, 0.2 * fps)), fps)
    return runs(np.hypot(velocity[:, 0], velocity[:, 1]) > GOING_M_S)


def _sway(track: Floats, fps: float, abstraction: str) -> Sway | None:
    """Return a stretch of walking as a wave; None if it is too short."""
    if len(track) < 8:
        return None
    if fps < _FINE_HZ:  # corners between frames would be curvature
        track = sample(track, fps, sample_times(len(track), fps, _FINE_HZ))
    place = _along(track)
    total = float(place[-1])
    if total < LEAST_WAY_M:
        return None
    samples = min(int(np.ceil(total / STEP_M)), _MOST_SAMPLES)
    even = np.linspace(0.0, total, samples + 1)
    points = np.stack([np.interp(even, place, track[:, k]) for k in range(2)], axis=1)
    step = total / samples
    points = low_pass(points, 1.0 / step, 1.0 / LIGHT_M)
    path = abstract_path(points, abstraction)
    ahead = np.gradient(path, step, axis=0)
    ahead /= np.maximum(np.hypot(ahead[:, 0], ahead[:, 1]), 1e-9)[:, None]
    off = points - path
    offset = off[:, 0] * ahead[:, 1] - off[:, 1] * ahead[:, 0]
    cutoff = float(np.clip(STRIDE_SHARE * _stride(offset, step), SHORTEST_M, LONGEST_M))
    main = curvature_of(path)
    curvature = curvature_of(low_pass(points, 1.0 / step, 1.0 / cutoff, ORDER)) - main
    along = _along(path)
    groups = _crests(curvature, along, np.abs(main) < 1.0 / TIGHTEST_M)
    tops = [_between_samples(curvature, along, g) for g in groups]
    steps = np.concatenate([np.diff(top) for top in tops] or [np.zeros(0)])
    if len(steps):
        stride = 2.0 * float(steps.mean())
        kept = 1.0 - _left_in_path(stride) if abstraction == "gaussian" else 1.0
        offset, curvature = offset / kept, curvature / (kept * _gain(cutoff / stride))
    crests = np.concatenate([*groups, np.zeros(0, np.int32)]).astype(np.int32)
    return Sway(along, points, path, offset, curvature, crests, steps)


def _stride(offset: Floats, step: float) -> float:
    """Return how long the waves of an offset (N,) are on the whole, metres: exact for a sine."""
    slope = np.gradient(offset, step)
    return float(2.0 * np.pi * np.sqrt(np.mean(offset**2) / max(np.mean(slope**2), 1e-12)))


def _gain(ratio: float) -> float:
    """Return what `low_pass` leaves of a wave that is 1 / ratio times as long as its cut-off."""
    return float(1.0 / (1.0 + (np.sqrt(2.0) - 1.0) * ratio ** (2 * ORDER)))


def _left_in_path(stride: float) -> float:
    """Return the part of a wave that the Gaussian leaves in the path; at most a half is believed.

    Smoothing leaves exp(-2π²σ²/λ²), and Lowe's correction adds σ²/2 times its second derivative.
    """
    power = 2.0 * (np.pi * SIGMA_M / stride) ** 2
    return float(min(np.exp(-power) * (1.0 + power), 0.5))


def curvature_of(points: Floats) -> Floats:
    """Return (N,) signed curvature of a path (N, 2), 1/m, positive to the left."""
    d1 = np.gradient(points, axis=0)
    d2 = np.gradient(d1, axis=0)
    # Left of +z is +x: z, x take the part of x, y.
    cross = d1[:, 1] * d2[:, 0] - d1[:, 0] * d2[:, 1]
    return np.asarray(cross / np.maximum(np.hypot(d1[:, 0], d1[:, 1]) ** 3, 1e-12))


def _crests(curvature: Floats, along: Floats, told: Bools) -> list[Ints]:
    """Return the samples of the extrema of the curvature, left and right in turn, in groups.

    told  (N,) where the path can be told; groups lie in stretches of it, off their ends
    """
    groups = []
    for first, stop in runs(told).tolist():
        inside = slice(
            int(np.searchsorted(along, along[first] + END_M)),
            int(np.searchsorted(along, along[stop - 1] - END_M)),
        )
        bend = curvature[inside]
        if len(bend) < 8:
            continue
        spread = float(np.subtract(*np.percentile(bend, [97.5, 2.5])))
        if spread < 1e-6:
            continue
        highs, lows = (find_peaks(s * bend, PROMINENCE * spread) for s in (1, -1))
        kept = _in_turn(np.sort(np.concatenate([highs, lows])), bend)
        kept = _far_apart(kept, bend, along[inside])
        groups.append(np.array(kept, dtype=np.int32) + np.int32(inside.start))
    return groups


def _between_samples(curvature: Floats, along: Floats, crests: Ints) -> Floats:
    """Return (C,) metres along where parabolas through crests are highest."""
    before, here, after = (curvature[crests + k] for k in (-1, 0, 1))
    bend = before - 2.0 * here + after
    shift = np.where(bend == 0.0, 0.0, 0.5 * (before - after) / np.where(bend == 0.0, 1.0, bend))
    place = crests + np.clip(shift, -1.0, 1.0)
    return np.asarray(np.interp(place, np.arange(len(along)), along))


def _in_turn(found: Ints, bend: Floats) -> list[int]:
    """Return the greatest of consecutive extrema to the same side."""
    kept: list[int] = []
    for n in found.tolist():
        if kept and (bend[n] > 0.0) == (bend[kept[-1]] > 0.0):
            if abs(bend[n]) > abs(bend[kept[-1]]):
                kept[-1] = n
        else:
            kept.append(n)
    return kept


def _far_apart(kept: list[int], bend: Floats, along: Floats) -> list[int]:
    """Return the extrema without the closest pairs, until all are far enough apart.

    A pair goes as a whole, so that left and right still take turns; at an end only one goes.
    """
    while len(kept) > 1:
        gaps = np.diff(along[kept])
        n = int(np.argmin(gaps))
        if gaps[n] >= APART_M:
            break
        if n == 0 or n == len(kept) - 2:
            del kept[0 if n == 0 else -1]
        else:
            del kept[n : n + 2]
            kept = _in_turn(np.array(kept), bend)
    return kept


def _along(points: Floats) -> Floats:
    steps = np.hypot(*np.diff(points, axis=0).T)
    return np.concatenate([[0.0], np.cumsum(np.maximum(steps, 1e-9))])


def _mean_and_std(values: Floats) -> tuple[float, float]:
    if len(values) == 0:
        return float("nan"), float("nan")
    return float(values.mean()), float(values.std())
