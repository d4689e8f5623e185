"""Heels that rise a little earlier where a leg would be too short to hold its foot flat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.adapt.foot_track import (
    X_AXIS,
    FootTrack,
    LockOptions,
    cover,
    ease,
    lengths,
    since,
)
from footfall.adapt.holds import BALL, FLAT, HEEL, Foot, Holds
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats

_MOST_RAD = 0.2
"""The most that a foot is turned about its ball."""
_UP_RAD = 0.003
"""A heel turned up by more than this does not touch any more."""
_EARLY_S, _LATE_S = 0.12, 0.1
"""How long before the ball carries alone, and after it has left, a foot may be turned."""
_OFF_HEEL_S = 0.1


def raise_heel(
    foot: Foot,
    holds: Holds,
    track: FootTrack,
    hip: Floats,
    longest: Floats,
    fps: float,
    options: LockOptions,
) -> FootTrack:
    """The track with the foot turned about its ball, which stays, where the leg is too short.

    hip      (T, 3) where the hip joint is
    longest  (T,) how far the ankle may be from it
    """
    if len(holds) == 0 or not (lengths(track.ankle - hip) > longest).any():
        return track
    ball = track.ankle + quat.rotate(track.turned, foot.ball_joint)
    axis = quat.rotate(track.turned, X_AXIS)
    turn = _least_turns(track.ankle - ball, hip - ball, axis, longest)
    turn = np.where(_may_rise(holds, fps), np.clip(turn, 0.0, _MOST_RAD), 0.0)
    if not turn.any():
        return track
    # What rolls on its heel is not turned about its ball.
    turn = cover(turn, round(options.give_way_s * fps))
    turn *= 1.0 - ease(holds.phases == HEEL, _OFF_HEEL_S * fps)
    up = quat.from_rotation_vector(axis * turn[:, None])
    turned, toes = quat.multiply(up, track.turned), quat.multiply(track.turned, track.bend)
    return replace(
        track,
        ankle=ball + quat.rotate(up, track.ankle - ball),
        turned=turned,
        bend=quat.multiply(quat.conjugate(turned), toes),
        heel_up=turn > _UP_RAD,
    )


def _least_turns(arm: Floats, to_hip: Floats, axis: Floats, longest: Floats) -> Floats:
    """(T,) by how much arms (T, 3) turn about axes to come within `longest` of the hip.

    Negative where they are nearer already, or where turning upwards would lead away.
    """
    aside = np.einsum("ti,ti->t", arm - to_hip, axis)
    longest = np.sqrt(np.maximum(longest**2 - aside**2, 0.0))
    arm = arm - axis * np.einsum("ti,ti->t", arm, axis)[:, None]
    to_hip = to_hip - axis * np.einsum("ti,ti->t", to_hip, axis)[:, None]
    near, far = lengths(arm), lengths(to_hip)
    sine = np.einsum("ti,ti->t", quat.cross(arm, to_hip), axis)
    angle = np.arctan2(sine, np.einsum("ti,ti->t", arm, to_hip))
    cosine = (near**2 + far**2 - longest**2) / np.maximum(2.0 * near * far, 1e-12)
    return np.where(angle > 0.0, angle - np.arccos(np.clip(cosine, -1.0, 1.0)), -1.0)


def _may_rise(holds: Holds, fps: float) -> Bools:
    """(T,) where a heel may rise: on the ball, shortly before that, and after it has left."""
    last = np.zeros(len(holds.phases), np.bool_)
    last[holds.spans[:, 1] - 1] = True
    on_ball = (holds.phases == BALL) | last
    soon = (holds.phases == FLAT) & (since(on_ball[::-1])[::-1] <= _EARLY_S * fps)
    left = (holds.phases == 0) & (since(last) <= _LATE_S * fps)
    return np.asarray(on_ball | soon | left)
