"""The figures that say how a body acts, each with the range that people show.

A figure is measured in the same way on default clips and on recordings: by names of clips here, by
what the index of the recordings says there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import pairwise

import numpy as np

from bench.acting.angles import Angles
from bench.limits import plain
from bench.limits.plain import SIDES, Floats


@dataclass(frozen=True)
class Figure:
    """What is measured.

    group      what it is about
    name       in words, with the unit
    clips      the default clips, as patterns
    recorded   the behaviours of recordings that show the same
    low, high  what people do
    measure    of one clip
    """

    group: str
    name: str
    clips: tuple[str, ...]
    recorded: tuple[str, ...]
    low: float
    high: float
    measure: Callable[[Angles], float]

    def takes(self, name: str) -> bool:
        """Whether a default clip shows it."""
        return any(fnmatch(name, pattern) for pattern in self.clips)


# ---- ranges and rates -------------------------------------------------------------------------


def spread(values: Floats) -> float:
    """From the least to the most."""
    return float(np.nanmax(values) - np.nanmin(values))


def side_range(a: Angles) -> float:
    return spread(a.trunk_side)


def list_range(a: Angles) -> float:
    return spread(a.pelvis_list)


def rate(values: Floats, fps: float) -> Floats:
    """How fast something changes, per second."""
    return np.asarray(np.gradient(values, 1.0 / fps, axis=0))


# ---- first steps ------------------------------------------------------------------------------


def first_swing(a: Angles) -> tuple[int, int, int]:
    """The foot that goes first, and the frames from when it leaves until it stands again."""
    best: tuple[int, int, int] | None = None
    for foot, side in enumerate(SIDES):
        spans = plain.stands(a.body, side)
        if len(spans) >= 2 and (best is None or spans[0][1] < best[1]):
            best = foot, spans[0][1], spans[1][0]
    if best is None:
        raise ValueError("no foot leaves the ground and comes back")
    return best


def first_rise_cm(a: Angles) -> float:
    foot, first, stop = first_swing(a)
    heights = a.ankle_y[:, foot]
    # The heel's rise before the toes leave is part of every step; what counts is the swing.
    return 100.0 * float(heights[first:stop].max() - np.median(heights[: max(first - 20, 1)]))


def first_knee(a: Angles) -> float:
    foot, first, stop = first_swing(a)
    return float(a.knee[first:stop, foot].max())


def first_knee_rate(a: Angles) -> float:
    foot, first, stop = first_swing(a)
    return float(np.abs(rate(a.knee[:, foot], a.fps))[max(first - 10, 0) : stop].max())


def first_landing_pitch(a: Angles) -> float:
    """How the first foot comes down: toes up is positive."""
    foot, _, stop = first_swing(a)
    return float(a.foot_pitch[max(stop - 6, 0) : stop, foot].max())


# ---- strides ------------------------------------------------------------------------------------


def strides(a: Angles) -> list[tuple[int, int, int]]:
    """Foot, first and stop frame of every stride, from one touch of the heel to the next."""
    found = []
    for foot in range(2):
        strikes = _strikes(a, foot)
        found += [(foot, b, c) for b, c in pairwise(strikes)]
    return found


def _strikes(a: Angles, foot: int) -> list[int]:
    """Frames in which the foot is furthest before the hips, once a stride."""
    ahead = _ahead(a, foot)
    wide = round(0.25 * a.fps)
    inner = range(wide, len(ahead) - wide)
    return [t for t in inner if ahead[t] == ahead[t - wide : t + wide + 1].max() > 0.1]


def _ahead(a: Angles, foot: int) -> Floats:
    left = a.body.at["left_hip"] - a.body.at["right_hip"]
    forward = np.cross(left * [1.0, 0.0, 1.0], [0.0, 1.0, 0.0])
    forward /= np.linalg.norm(forward, axis=1, keepdims=True)
    return np.asarray(((a.body.at[f"{SIDES[foot]}_ankle"] - a.hips) * forward).sum(1))


def _leaving(a: Angles, foot: int, first: int, stop: int) -> int:
    """The frame of a stride in which the toes leave: they begin to go forward."""
    toe = a.body.at[f"{SIDES[foot]}_toe"]
    speed = np.linalg.norm(rate(toe, a.fps), axis=1)
    middle = first + round(0.3 * (stop - first))
    for t in range(middle, stop):
        if speed[t] > 0.5 and toe[t, 1] > toe[first:stop, 1].min() + 0.012:
            return t
    return stop - 1


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def toe_off_pitch(a: Angles) -> float:
    return _mean([a.foot_pitch[_leaving(a, f, b, c), f] for f, b, c in strides(a)])


def toe_rate(a: Angles) -> float:
    """How fast the toes' joint turns at most."""
    speeds = plain.joint_speeds(a.body)
    return max(float(speeds[f"{side}_toe"].max()) for side in SIDES)


def ankle_range(a: Angles) -> float:
    return _mean([spread(a.ankle[b:c, f]) for f, b, c in strides(a)])


def elbow_range(a: Angles) -> float:
    return _mean([spread(a.elbow[b:c, f]) for f, b, c in strides(a)])


def knee_yield(a: Angles) -> float:
    """How far the knee gives way after contact."""
    found = []
    for f, b, c in strides(a):
        early = a.knee[b : b + round(0.35 * (c - b)), f]
        peak = int(early.argmax())
        found.append(float(early[peak] - early[: peak + 1].min()))
    return _mean(found)


def knee_yield_share(a: Angles) -> float:
    """When it does so most, percent of the stride."""
    return 100.0 * _mean(
        [
            float(a.knee[b : b + round(0.35 * (c - b)), f].argmax()) / (c - b)
            for f, b, c in strides(a)
        ]
    )


def least_stance_knee(a: Angles) -> float:
    return _mean(
        [
            a.knee[b + round(0.1 * (c - b)) : b + round(0.5 * (c - b)), f].min()
            for f, b, c in strides(a)
        ]
    )


def braking_knee(a: Angles) -> float:
    """The most that a standing knee bends in steps that begin at less than two thirds of the
    clip's speed."""
    speed = np.linalg.norm(rate(a.hips[:, [0, 2]], a.fps), axis=1)
    slow = np.flatnonzero(speed > 0.667 * np.percentile(speed, 95))[-1]
    found = []
    for foot, side in enumerate(SIDES):
        spans = [(b, c) for b, c in plain.stands(a.body, side) if b > slow]
        found += [float(a.knee[b:c, foot].max()) for b, c in spans]
    return max(found, default=float("nan"))


def hips_rise_cm(a: Angles) -> float:
    return 100.0 * _mean([spread(a.hips[b:c, 1]) for _, b, c in strides(a)])


# ---- variation ----------------------------------------------------------------------------------


def _curves(values: Floats, spans: list[tuple[int, int]], count: int = 50) -> Floats:
    """(N, count) the values of each span at even shares of it."""
    share = np.linspace(0.0, 1.0, count)
    return np.stack([np.interp(b + share * (c - b), np.arange(len(values)), values)
                     for b, c in spans])  # fmt: skip


def stride_deviation(values: Callable[[Angles], Floats]) -> Callable[[Angles], float]:
    """The standard deviation from stride to stride at the same share of it, mean."""

    def measure(a: Angles) -> float:
        spans = [(b, c) for f, b, c in strides(a) if f == 0]
        if len(spans) < 3:
            return float("nan")
        return float(_curves(values(a), spans).std(axis=0, ddof=1).mean())

    return measure


def side_difference(values: Callable[[Angles], Floats]) -> Callable[[Angles], float]:
    """How far the mean curve of the left side is from that of the right, each by its own stride."""

    def measure(a: Angles) -> float:
        means = []
        for foot in range(2):
            spans = [(b, c) for f, b, c in strides(a) if f == foot]
            if not spans:
                return float("nan")
            means.append(_curves(values(a)[:, foot], spans).mean(axis=0))
        return float(np.abs(means[0] - means[1]).mean())

    return measure


# ---- actions ----------------------------------------------------------------------------------


def head_at_landing(a: Angles) -> float:
    """How far the head looks down when both feet come down again."""
    low = a.ankle_y.min(axis=1)
    floor = np.median(low)
    flights = np.flatnonzero(low > floor + 0.06)
    if not len(flights):
        return float("nan")
    return float(a.head_pitch[flights[-1]] - np.median(a.head_pitch[:10]))


def flight_s(a: Angles) -> float:
    """How long both feet are off the ground at most, by the height of their toes."""
    toes = np.stack([a.body.at[f"{side}_toe"][:, 1] for side in SIDES], axis=1)
    off = (toes > np.percentile(toes, 20, axis=0) + 0.012).all(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], off, [False]]).astype(int)))
    spans = edges.reshape(-1, 2)
    return float((spans[:, 1] - spans[:, 0]).max()) / a.fps if len(spans) else 0.0


def low_speed(a: Angles) -> float:
    """How fast the hips go over the ground while they are low."""
    speed = np.linalg.norm(rate(a.hips[:, [0, 2]], a.fps), axis=1)
    low = a.hips[:, 1] < a.hips[:, 1].min() + 0.35 * spread(a.hips[:, 1])
    return float(speed[low].mean())


def mean_speed(a: Angles) -> float:
    """How fast the hips go over the ground in the middle half of their way."""
    way = np.concatenate(
        [[0.0], np.cumsum(np.linalg.norm(np.diff(a.hips[:, [0, 2]], axis=0), axis=1))]
    )
    first, stop = np.searchsorted(way, [0.25 * way[-1], 0.75 * way[-1]])
    return float((way[stop] - way[first]) / (stop - first) * a.fps)


def lean_most(a: Angles) -> float:
    return float(a.trunk_pitch.max() - a.trunk_pitch[: max(1, round(0.1 * a.fps))].mean())


def hip_most(a: Angles) -> float:
    return float(a.hip.max())


def knee_most(a: Angles) -> float:
    return float(a.knee.max())


def wrist_most(a: Angles) -> float:
    return float(np.nanmax(a.wrist))


def collar_most(a: Angles) -> float:
    return float(np.nanmax(a.collar))


def head_turns(a: Angles) -> float:
    return spread(a.head_yaw)
