"""Heels that rise a little earlier where a leg would be too short to hold its foot flat."""

from __future__ import annotations

import numpy as np

from footfall.adapt.feet.holds import BALL, FLAT, HEEL, Holds
from footfall.adapt.feet.track import (
    FootTrack,
    LockOptions,
    cover,
    lengths,
    since,
)
from footfall.body.feet import Foot
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
    from footfall.adapt.feet.lock_kernels import least_turns, turn_about_balls

    joint, turn = foot.ball_joint[None], np.empty(len(hip))
    may = _may_rise(holds, fps)
    if not least_turns(joint, track.ankle, track.turned, hip, longest, may, _MOST_RAD, turn):
        return track
    turn = cover(turn, round(options.give_way_s * fps))
    ankle, turned, bend = (np.array(a) for a in (track.ankle, track.turned, track.bend))
    # What rolls on its heel is not turned about its ball.
    on_heel = holds.phases == HEEL
    ease = _OFF_HEEL_S * fps
    turn_about_balls(joint, turn, on_heel, ease, ankle, turned, bend)
    return FootTrack(ankle, turned, bend, turn > _UP_RAD)


def _may_rise(holds: Holds, fps: float) -> Bools:
    """(T,) where a heel may rise: on the ball, shortly before that, and after it has left."""
    last = np.zeros(len(holds.phases), np.bool_)
    last[holds.spans[:, 1] - 1] = True
    last[-1] = False  # what lasts to the end of the clip does not leave then
    on_ball = (holds.phases == BALL) | last
    soon = (holds.phases == FLAT) & (since(on_ball[::-1])[::-1] <= _EARLY_S * fps)
    left = (holds.phases == 0) & (since(last) <= _LATE_S * fps)
    return np.asarray(on_ball | soon | left)
