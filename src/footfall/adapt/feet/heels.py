"""Keep feet within reach: raise heels a little earlier, and let feet that are not held give way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.adapt.feet import constants
from footfall.adapt.feet.constants import FeetConstants
from footfall.adapt.feet.holds import BALL, FLAT, HEEL, Holds
from footfall.adapt.feet.track import X_AXIS, FootTrack, Leg, cover, ease, lengths, since
from footfall.body.feet import Foot
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.filters import smooth_gaussian

_MOST_RAD = 0.2
"""The most that a foot is turned about its ball."""
_UP_RAD = 0.003
"""A heel turned up by more than this does not touch any more."""
_EARLY_S, _LATE_S = 0.12, 0.1
"""How long before the ball carries alone, and after it has left, a foot may be turned."""
_OFF_HEEL_S = 0.1
_FREE_S, _SMOOTH_S = 0.05, 0.02
"""How long after a foot was firm, or before it is, it gives way all the way; and how smoothly."""


def raise_heel(
    foot: Foot,
    holds: Holds,
    track: FootTrack,
    hip: Floats,
    longest: Floats,
    fps: float,
    options: FeetConstants,
) -> FootTrack:
    """Return the track with the foot turned about its fixed ball where the leg is too short.

    hip      (T, 3) where the hip joint is
    longest  (T,) how far the ankle may be from it
    """
    if len(holds) == 0 or not (lengths(track.ankle - hip) > longest).any():
        return track
    turn = np.zeros(len(hip))
    at = np.flatnonzero(_may_rise(holds, fps))
    turn[at] = _least_turns(foot, track.ankle[at], track.turned[at], hip[at], longest[at])
    if not turn.any():
        return track
    turn = cover(turn, round(options.give_way_s * fps))
    # What rolls on its heel is not turned about its ball.
    turn *= 1.0 - ease(holds.phases == HEEL, _OFF_HEEL_S * fps)
    at = np.flatnonzero(turn)
    ankle, turned, bend = (np.array(a) for a in (track.ankle, track.turned, track.bend))
    old, toes = turned[at], quat.multiply(turned[at], bend[at])
    up = quat.from_rotation_vector(quat.rotate(old, X_AXIS) * turn[at, None])
    arm = quat.rotate(old, foot.ball_joint)
    ankle[at] += arm - quat.rotate(up, arm)
    turned[at] = quat.multiply(up, old)
    bend[at] = quat.multiply(quat.conjugate(turned[at]), toes)
    return FootTrack(ankle, turned, bend, turn > _UP_RAD)


def _least_turns(foot: Foot, ankle: Floats, turned: Floats, hip: Floats, longest: Floats) -> Floats:
    """Return (N,) radians by which feet turn about their balls to come within `longest` of the hip.

    Zero where they are nearer already, or where turning upwards would lead away.
    """
    arm, axis = -quat.rotate(turned, foot.ball_joint), quat.rotate(turned, X_AXIS)
    to_hip = hip - ankle + arm
    aside = quat.dot(arm - to_hip, axis)
    square = np.maximum(longest**2 - aside**2, 0.0)
    arm = arm - axis * quat.dot(arm, axis)[:, None]
    to_hip = to_hip - axis * quat.dot(to_hip, axis)[:, None]
    near, far = lengths(arm), lengths(to_hip)
    angle = np.arctan2(quat.dot(quat.cross(arm, to_hip), axis), quat.dot(arm, to_hip))
    cosine = (near**2 + far**2 - square) / np.maximum(2.0 * near * far, 1e-12)
    turn = np.where(angle > 0.0, angle - np.arccos(np.clip(cosine, -1.0, 1.0)), 0.0)
    return np.clip(turn, 0.0, _MOST_RAD)


def _may_rise(holds: Holds, fps: float) -> Bools:
    """Return (T,) whether a heel may rise: on the ball, just before that, and after toe-off."""
    last = np.zeros(len(holds.phases), np.bool_)
    last[holds.spans[:, 1] - 1] = True
    last[-1] = False  # what lasts to the end of the clip does not leave then
    on_ball = (holds.phases == BALL) | last
    soon = (holds.phases == FLAT) & (since(on_ball[::-1])[::-1] <= _EARLY_S * fps)
    left = (holds.phases == 0) & (since(last) <= _LATE_S * fps)
    return np.asarray(on_ball | soon | left)


def yield_to_reach(holds: Holds, track: FootTrack, leg: Leg, hip: Floats, fps: float) -> FootTrack:
    """Return the track drawn to the hip (T, 3) where a free foot would straighten the knee.

    A knee that is nearly straight turns fast when the foot moves a little.
    """
    line = hip - track.ankle
    far = lengths(line)
    over = far - np.maximum(leg.reach, constants.FEET.bent * leg.bones)
    over[holds.firm] = 0.0
    if not (over > 0.0).any():
        return track
    over = np.maximum(over, 0.0)
    free = 1.0 - ease(holds.firm, _FREE_S * fps)
    pull = free * smooth_gaussian(over, _SMOOTH_S * fps)
    return replace(track, ankle=track.ankle + line * (pull / np.maximum(far, 1e-9))[:, None])
