"""Legs that pass each other: a swinging foot goes round the leg that stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from footfall.adapt.holds import Foot
from footfall.body.kinematics import WorldPoses
from footfall.gait.runs import runs
from footfall.library.generate.foot_tracks import FootTrack, sole_points
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats

_FOOT = (0.0347, 0.0367, 0.0367)
_SHANK = (0.038, 0.043, 0.056, 0.062, 0.06)
"""How thick heel, middle and ball, and the shank from ankle to knee, are: radii, leg lengths."""
_MARGIN = 0.01
_SMOOTH_S = 0.05
_EASE = 0.3
"""The share of a swing at either end in which the way round begins and ends."""
_MOST = 0.12
"""No foot goes further round than this, leg lengths."""


def passing(
    poses: WorldPoses, feet: list[Foot], tracks: list[FootTrack], held: Bools, rate: float,
    leg_m: float,
) -> list[FootTrack]:  # fmt: skip
    """The tracks with swings that keep clear of the other leg, as it is in `poses`."""
    legs = [_balls(poses, foot, track) for foot, track in zip(feet, tracks, strict=True)]
    radii = leg_m * np.array([*_FOOT, *_SHANK])
    left = quat.rotate(quat.from_yaw(quat.yaw_of(poses.rotations[:, 0])), np.array([1.0, 0.0, 0.0]))
    short = _short(legs[0], legs[1], radii, _MARGIN * leg_m)
    if not short.any():
        return tracks
    out = []
    for n, (track, sign) in enumerate(zip(tracks, (1.0, -1.0), strict=True)):
        other_swings = ~held[:, 1 - n]
        way = np.zeros(len(short))
        for first, stop in runs(~held[:, n]):
            if first > 0 and stop < len(short) and short[first:stop].any():
                share = np.where(other_swings[first:stop], 0.5, 1.0)
                way[first:stop] = _round(share * short[first:stop], rate)
        shift = sign * np.minimum(way, _MOST * leg_m)[:, None] * left
        out.append(replace(track, ankle=track.ankle + shift))
    return out


def _balls(poses: WorldPoses, foot: Foot, track: FootTrack) -> Floats:
    """(T, 8, 3) centres of balls that make up a foot and a shank."""
    sole = sole_points(foot, track.ankle, track.turned, track.toes_up)
    raised = 0.4 * (track.ankle[:, 1] - sole[..., 1].min(axis=1))[:, None] * [0.0, 1.0, 0.0]
    heel, ball = sole[:, 0] + raised, sole[:, 1] + raised
    knee, ankle = poses.positions[:, foot.knee], track.ankle
    shank = [ankle + share * (knee - ankle) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return np.stack([heel, 0.5 * (heel + ball), ball, *shank], axis=1)


def _short(one: Floats, two: Floats, radii: Floats, margin: float) -> Floats:
    """(T,) how much closer than they may the two legs are, metres."""
    apart = np.sqrt(((one[:, :, None] - two[:, None]) ** 2).sum(axis=3))
    room = apart - radii[:, None] - radii - margin
    return np.maximum(-room.min(axis=(1, 2)), 0.0)


def _round(short: Floats, rate: float) -> Floats:
    """(N,) how far to the side a swing of N frames goes to be nowhere too close, smoothly."""
    width = max(1, round(_SMOOTH_S * rate))
    need = gaussian_filter1d(maximum_filter1d(short, 2 * width + 1), 0.7 * width, mode="nearest")
    u = (np.arange(len(short)) + 1.0) / (len(short) + 1.0)
    v = np.clip(np.minimum(u, 1.0 - u) / _EASE, 0.0, 1.0)
    return np.asarray(need * v * v * (3.0 - 2.0 * v))
