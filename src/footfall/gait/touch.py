"""Find contacts of the seat and the hands: sitting, picking up, putting down.

Nothing tells where chairs and things are. A body at rest whose centre of mass is behind its heels
is carried by something else than its feet. A hand that stops low, well below the hips, has found
what it reached for, and so has one that goes out, stops altogether, and comes back; but only of a
body that bends down to it and up again: without that, hands gesture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.body.clip import TOUCH_PARTS
from footfall.body.roles import SIDES
from footfall.gait.posture import Posture, down_mask
from footfall.maths.arrays import Bools, Ints
from footfall.maths.runs import runs, widen, without_short_gaps

SEAT_SPEED, SEAT_HIPS, SEAT_BEHIND = 0.15, 0.98, 0.025
"""Leg lengths (per second): slower, lower, and further behind the heels than this is sitting."""
SEAT_KNEES = math.radians(50.0)
SEAT_S = 0.4
HAND_HEIGHT, HAND_BELOW_HIPS = 0.65, 0.12
HAND_SPEED, HAND_BODY_SPEED = 0.4, 0.35
HAND_S = 0.05
REACH_SPEED, REACH_BODY_SPEED, REACH_WAY = 0.12, 0.45, 0.14
"""Leg lengths (per second): a hand that goes out so far, stops so still while the body hardly
moves, and comes back so far, took something at any height …"""
REACH_S, REACH_LONGEST_S, REACH_NEAR_S = 0.13, 1.2, 1.4
"""… within these times, seconds: how long it stops, and how soon before and after it was back."""


BEND_ANGLE, BEND_DROP, BEND_NEAR_S = math.radians(15.0), 0.2, 1.5
"""Bending down is leaning by this angle more, or going down by this part of a leg."""


@dataclass(frozen=True)
class Touch:
    """A time in which something other than a foot touches.

    part       "left_hand", "right_hand" or "seat"
    height_m   above the ground that the feet stand on: of the wrist, or of the hip joints
    """

    part: str
    begin_s: float
    end_s: float
    height_m: float


def find_touches(posture: Posture, fps: float, leg_m: float) -> tuple[Touch, ...]:
    """Return the contacts of seat and hands, in order of time."""
    seated = seat_mask(posture, fps)
    busy = widen(seated, int(0.8 * fps)) | widen(down_mask(posture, fps), int(0.8 * fps))
    found = [
        Touch("seat", a / fps, (b - 1) / fps, float(np.median(posture.hips[a:b])) * leg_m)
        for a, b in runs(seated).tolist()
    ]
    for hand, side in enumerate(SIDES):
        height = posture.hands[:, hand]
        low = (height < HAND_HEIGHT) & (height < posture.hips - HAND_BELOW_HIPS)
        still = (posture.hand_speeds[:, hand] < HAND_SPEED) & (posture.hips_speed < HAND_BODY_SPEED)
        resting = without_short_gaps(low & still & ~busy, 0.2 * fps)
        for a, b in runs(resting).tolist():
            if b - a >= HAND_S * fps and _bends_down(posture, fps, a, b):
                lowest = float(height[a:b].min()) * leg_m
                found.append(Touch(f"{side}_hand", a / fps, (b - 1) / fps, lowest))
        for a, b in _reaches(posture, hand, fps, resting | busy).tolist():
            level = float(np.median(height[a:b])) * leg_m
            found.append(Touch(f"{side}_hand", a / fps, (b - 1) / fps, level))
    return tuple(sorted(found, key=lambda t: (t.begin_s, t.part)))


def touch_mask(touches: Sequence[Touch], frames: int, fps: float) -> Bools:
    """Return (T, 3) when hands and seat touch, as `Clip.touches` has it."""
    mask = np.zeros((frames, len(TOUCH_PARTS)), np.bool_)
    for touch in touches:
        first, last = round(touch.begin_s * fps), round(touch.end_s * fps)
        mask[first : last + 1, TOUCH_PARTS.index(touch.part)] = True
    return mask


def _reaches(posture: Posture, hand: int, fps: float, known: Bools) -> Ints:
    """Return (N, 2) frames in which a standing body's hand reaches out, rests, and returns.

    known  (T,) where it is known already what the hand does
    """
    out = posture.hand_places[:, hand].sum(axis=1) / math.sqrt(2.0)
    still = (posture.hands_speed[:, hand] < REACH_SPEED) & (posture.hips_speed < REACH_BODY_SPEED)
    spans = runs(without_short_gaps(still, 0.05 * fps))
    near = int(REACH_NEAR_S * fps)
    keep = np.zeros(len(spans), np.bool_)
    for n, (a, b) in enumerate(spans.tolist()):
        here = float(out[a:b].mean())
        before, after = out[max(a - near, 0) : a], out[b : b + near]
        came = here - before.min(initial=here), here - after.min(initial=here)
        brief = REACH_S * fps <= b - a <= REACH_LONGEST_S * fps
        keep[n] = (
            brief
            and min(came) > REACH_WAY
            and not known[a:b].any()
            and _bends_down(posture, fps, a, b)
        )
    return np.asarray(spans[keep])


def _bends_down(posture: Posture, fps: float, a: int, b: int) -> bool:
    """Return whether the trunk bends, or the hips go down, for what happens in frames `a` to `b`.

    Against how the body is held just before and after, so that a stoop is no bow.
    """
    near = int(BEND_NEAR_S * fps)
    around = slice(max(a - near, 0), b + near)
    bend = float(posture.trunk[a:b].mean() - posture.trunk[around].min())
    drop = float(posture.hips[around].max() - posture.hips[a:b].mean())
    return bend > BEND_ANGLE or drop > BEND_DROP


def seat_mask(posture: Posture, fps: float) -> Bools:
    """Return (T,) whether a seat carries the body."""
    rests = (
        (posture.hips_speed < SEAT_SPEED)
        & (posture.hips < SEAT_HIPS)
        & (posture.knees.mean(axis=1) > SEAT_KNEES)
    )
    rests = without_short_gaps(rests, 0.3 * fps)
    out = np.zeros(len(rests), np.bool_)
    for a, b in runs(rests).tolist():
        behind = posture.balance[a:b] < -SEAT_BEHIND
        if np.count_nonzero(behind) >= SEAT_S * fps:
            out[a:b] = True
    return out
