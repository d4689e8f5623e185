"""Find the up axis of a motion from several signs, and how certain it is.

Nobody is upright all the time: who lies or crawls seems to stand along a horizontal axis, who
stands on the hands upside down. So no one sign decides alone. The signs, most telling first:

fall      in flight the centre of mass falls with 9.81 m/s^2, downwards
ground    what is lowest carries the body and hardly moves while the rest does; along any other
          axis the outermost point moves as fast as the body
posture   the head is over the ankles; said little where the hips do not even sway over the feet,
          as of somebody who lies still
rest      the file's rest pose is a human stance that stands along this axis
floor     the lowest points are about at height 0, where files have their floors
custom    most files have y up, many z, hardly any another

and against an axis speaks that the body travels along it, as people do not go up into the air.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from footfall.body.axes import AXES, axis_vector
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.runs import middle, runs, without_short_gaps
from footfall.maths.signals import low_pass

PARTS = ("hip", "knee", "ankle", "toe", "shoulder", "elbow", "wrist")
"""What is looked at on both sides, left first, after the head; toes may be the ankles again."""
RATE_HZ = 30.0
"""About the rate at which a motion is best looked at."""

_HEAD, _HIPS, _ANKLES = 0, slice(1, 3), slice(5, 7)
# Shares of the body's mass at these joints, half of each segment at either end (Winter 2009).
_MASSES = np.array([0.081, *np.repeat([0.178, 0.073, 0.023, 0.015, 0.138, 0.025, 0.019], 2)])
_MASSES = _MASSES / _MASSES.sum()
_CUTOFF_HZ, _FALL_CUTOFF_HZ = 2.0, 8.0
_WEIGHTS = {"fall": 1.5, "ground": 2.0, "posture": 1.0, "rest": 0.6, "floor": 0.5, "climb": 0.7}
_CUSTOM = {"y": 0.2, "z": 0.1, "x": 0.0}
_SURE, _SURE_IF_RARE = 0.6, 1.2  # by so many points more than any other axis, it is sure
_USUAL = ("y", "z")
_UNSWAYED = 0.3  # what posture counts where nothing sways …
_IN_PLACE = 0.4  # … and how much of the rest where feet tread the air: on a treadmill, or lying
_FLOOR_AT, _FLOOR_WITHIN = 0.04, 0.06  # leg lengths: joints are a little above their floor
_LYING_SPEED = 0.005  # leg lengths per second: hips slower than twice this do not sway
_BELT_SPEED = 0.3  # leg lengths per second
_FREE_SPEED, _TOP_S = 0.4, 0.13  # leg lengths per second: where nothing is slower, nothing carries
_INNER = 0.65  # the share of a flight that take-off and landing do not reach into
_FALL_WITHIN, _SHORTEST_FALL_S, _ENOUGH_FALL_S = 0.35, 0.08, 0.3


@dataclass(frozen=True)
class UpGuess:
    """The up axis, whether it is sure, and the axis that comes next."""

    axis: str
    sure: bool
    next_axis: str


def guess_up(places: Floats, rate: float, leg: float, leg_m: float, rest_up: str = "") -> UpGuess:
    """Return the up axis of a motion.

    places   (B, F, 15, 3) B stretches of F frames: where head and `PARTS` are, in file units
    rate     frames per second of them
    leg      length of a leg in file units, and in metres
    rest_up  the axis along which the file's rest pose stands; empty if it is no stance
    """
    places = places / leg
    smooth = np.stack([_smooth(block, rate, _CUTOFF_HZ) for block in places])
    speeds = _speeds(smooth, rate)
    in_place = _goes_in_place(speeds)
    flat = smooth.reshape(-1, *smooth.shape[2:])
    sway = _IN_PLACE if in_place else _sway(speeds)
    posture = _posture(flat) * (_UNSWAYED + (1.0 - _UNSWAYED) * sway)
    fall = _fall(places, rate, GRAVITY / leg_m)
    hips = smooth[:, :, _HIPS].mean(axis=2)
    way = np.abs(hips[:, -1] - hips[:, 0]).sum(axis=0)
    scores = {}
    for axis in AXES:
        up = axis_vector(axis)
        letter = axis[-1]
        signs = {
            "fall": float(fall @ up),
            "ground": 0.0 if in_place else _ground(smooth, speeds, rate, up),
            "posture": float(posture @ up),
            "rest": float(axis_vector(rest_up) @ up) if rest_up else 0.0,
            "floor": _floor(flat, up),
            "climb": -float(way @ np.abs(up)) / max(float(np.linalg.norm(way)), 1.0),
        }
        custom = _CUSTOM[letter] if axis == letter else -0.1
        scores[axis] = custom + sum(_WEIGHTS[name] * sign for name, sign in signs.items())
    first, second = sorted(scores, key=lambda a: -scores[a])[:2]
    agrees = rest_up == first if rest_up else first in _USUAL
    needed = _SURE if agrees else _SURE_IF_RARE
    # Whoever moves upside down in a file whose rest pose stands may be doing a handstand.
    upside_down = bool(rest_up) and rest_up != first and rest_up[-1] == first[-1]
    proven = not upside_down or float(fall @ axis_vector(first)) > 0.3
    return UpGuess(first, proven and scores[first] - scores[second] > needed, second)


def settle_up(clips: Iterable[tuple[Hashable, str, bool]]) -> dict[Hashable, str]:
    """Skeleton -> the up axis that its clips agree on, where nine in ten of the sure ones do.

    clips  for each clip its skeleton, its up axis, and whether that is sure
    """
    votes: dict[Hashable, Counter[str]] = {}
    for skeleton, axis, sure in clips:
        if sure:
            votes.setdefault(skeleton, Counter())[axis] += 1
    leaders = {skeleton: count.most_common(1)[0] for skeleton, count in votes.items()}
    return {
        skeleton: axis
        for skeleton, (axis, count) in leaders.items()
        if count >= 0.9 * votes[skeleton].total()
    }


def _smooth(block: Floats, rate: float, cutoff: float) -> Floats:
    return low_pass(block, rate, min(cutoff, 0.4 * rate)) if len(block) > 3 else block


def _speeds(places: Floats, rate: float) -> Floats:
    """Return (B, F, P) how fast every point moves, leg lengths per second."""
    if places.shape[1] < 2:
        return np.zeros(places.shape[:3])
    return _lengths(np.gradient(places, axis=1)) * rate


def _goes_in_place(speeds: Floats) -> bool:
    """Return whether no foot ever stands while the hips stay, as of somebody on a treadmill."""
    feet, hips = float(speeds[:, :, _ANKLES].min(axis=2).mean()), float(speeds[:, :, _HIPS].mean())
    return feet > max(_BELT_SPEED, 1.5 * hips)


def _posture(places: Floats) -> Floats:
    """Return (3,) mean direction from the ankles to the head."""
    lines = places[:, _HEAD] - places[:, _ANKLES].mean(axis=1)
    return np.asarray((lines / np.maximum(_lengths(lines), 1e-12)[:, None]).mean(axis=0))


def _sway(speeds: Floats) -> float:
    """Return 0 to 1: how clearly the hips sway over a foot that moves less.

    Nobody who stands keeps the hips as still as somebody who lies.
    """
    feet = float(speeds[:, :, _ANKLES].min(axis=2).mean())
    hips = float(speeds[:, :, _HIPS].mean())
    over = (hips / max(feet, 1e-9) - 1.0) / 2.0
    return float(np.clip(min(over, (hips - _LYING_SPEED) / _LYING_SPEED), 0.0, 1.0))


def _ground(places: Floats, speeds: Floats, rate: float, up: Floats) -> float:
    """Return 0 to 1: how much slower the lowest point along `up` is than the body."""
    body = float(speeds.mean(axis=2).sum())
    k = int(np.argmax(np.abs(up)))
    lowest = places[..., k].argmin(axis=2) if up[k] > 0.0 else places[..., k].argmax(axis=2)
    slip = float(np.take_along_axis(speeds, lowest[..., None], axis=2).sum()) / max(body, 1e-9)
    return min(body / rate, 1.0) * max(0.0, 1.0 - slip)  # body / rate: leg lengths


def _floor(places: Floats, up: Floats) -> float:
    """Return 0 to 1: how near to 0 the lowest points are."""
    k = int(np.argmax(np.abs(up)))
    heights = places[..., k].min(axis=1) if up[k] > 0.0 else -places[..., k].max(axis=1)
    height = float(np.median(heights))
    return float(np.exp(-(((height - _FLOOR_AT) / _FLOOR_WITHIN) ** 2)))


def _fall(places: Floats, rate: float, gravity: float) -> Floats:
    """Return (3,) against the pull of gravity in flights, of length 1 once there is enough of them.

    gravity  leg lengths per second squared
    """
    total, time_s = np.zeros(3), 0.0
    if rate < 0.8 * RATE_HZ or places.shape[1] < 6:
        return total
    for block in places:
        smooth = _smooth(block, rate, _FALL_CUTOFF_HZ)
        free = _speeds(smooth[None], rate)[0].min(axis=1) > _FREE_SPEED
        centre = np.einsum("fpi,p->fi", smooth, _MASSES)
        speed = np.gradient(centre, axis=0) * rate
        # All of a body is still for a moment at the top of a flight.
        flights = runs(without_short_gaps(free, _TOP_S * rate))
        for first, stop in middle(flights, _INNER).tolist():
            seconds = (stop - 1 - first) / rate
            if seconds < _SHORTEST_FALL_S:
                continue
            pull = (speed[stop - 1] - speed[first]) / seconds / gravity
            if abs(float(np.linalg.norm(pull)) - 1.0) < _FALL_WITHIN:
                total -= pull * seconds
                time_s += seconds
    return np.asarray(total / max(time_s, _ENOUGH_FALL_S))


def _lengths(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)))
