"""Sitting down and standing up, at any seat height."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from footfall.body.clip import Clip
from footfall.body.edit import slice_clip
from footfall.body.kinematics import world_poses
from footfall.body.roles import SIDES
from footfall.errors import check_range
from footfall.library.generate.actions.action import FPS, Action, attempt, perform
from footfall.library.generate.actions.postures import STANDING, PostureKeys
from footfall.library.generate.bodies.balancing import Hand, Pin
from footfall.library.generate.feet.steps import PlannedStance
from footfall.library.generate.performer import MEAN_PERFORMER, Performer
from footfall.library.generate.sides import SIGNS
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M

SEAT_TO_HIPS_M = 0.09
"""How high the hip joints are above what one sits on."""
LOWEST, HIGHEST = 0.30, 0.80
"""Heights of seats, leg lengths."""
_SEATED_S = 1.5
_ON_THIGH = 0.132
"""How far above the bone of a thigh a hand lies, leg lengths."""


def sit(seat_m: float = 0.45, *, who: Performer = MEAN_PERFORMER, seed: int = 0) -> Clip:
    """From standing, sit down on a seat `seat_m` high behind the body; ends seated."""
    whole, middle = _sit_and_rise(seat_m, who, seed)
    part = slice_clip(whole, 0.0, middle)
    return part.named(f"sit_{seat_m:.2f}").tagged(("sit_down", "sit"))


def stand_up(seat_m: float = 0.45, *, who: Performer = MEAN_PERFORMER, seed: int = 0) -> Clip:
    """From sitting on a seat `seat_m` high, stand up; ends standing."""
    whole, middle = _sit_and_rise(seat_m, who, seed)
    part = slice_clip(whole, middle)
    return part.named(f"stand_up_{seat_m:.2f}").tagged(("sit", "stand_up"))


def sit_and_stand(seat_m: float = 0.45, *, who: Performer = MEAN_PERFORMER, seed: int = 0) -> Clip:
    """Sit down on a seat `seat_m` high, rest, and stand up again."""
    return _sit_and_rise(seat_m, who, seed)[0]


@lru_cache(maxsize=16)
def _sit_and_rise(seat_m: float, who: Performer, seed: int) -> tuple[Clip, float]:
    """The clip of both, and the second in the middle of sitting."""
    leg_m = who.leg_m
    check_range("the height of the seat", seat_m, LOWEST * leg_m, HIGHEST * leg_m, unit="m")
    rng = np.random.default_rng([seed, 73])
    vary = 1.0 + 0.07 * np.clip(rng.normal(size=6), -2.0, 2.0) * (seed != 0)
    hips = (seat_m + SEAT_TO_HIPS_M * leg_m / MEAN_LEG_M) / leg_m
    lean = 0.6
    touch = lean + 0.22 + (1.33 - 0.389 * hips) * vary[0]
    rise = touch + 2.0 * _SEATED_S
    off = rise + 0.62 * vary[1]
    up = off + (1.28 - 0.475 * hips) * vary[2]
    drop = (hips - 1.089) * leg_m + 0.007 * leg_m / MEAN_LEG_M
    back = -(0.44 - 0.2 * hips) * leg_m
    height = ((lean + 0.2, 0.0), (touch, drop), (off, drop), (up, 0.0))
    times = lean, touch, rise, off, up
    action = Action(
        name=f"sit_stand_{seat_m:.2f}", tags=("sit_down", "sit", "stand_up"), seconds=up + 0.7,
        stances=tuple(
            PlannedStance(side, 0.15 * sign * leg_m, 0.01 * sign, yaw_deg=11.0 * sign)
            for side, sign in enumerate(SIGNS)
        ),
        posture=sitting_posture(hips, times, vary, seed),
        height=height,
        pin=Pin(0.0, back, touch, off, 0.85 * (touch - lean - 0.2)),
        touches=(("seat", touch, off),),
    )  # fmt: skip
    seated, *_ = attempt(action, who)
    middle = round(FPS / who.tempo * 0.5 * (touch + rise))
    action = replace(action, hands=_hands(seated, middle, leg_m, times))
    return perform(action, who), middle / FPS


def _hands(
    clip: Clip, frame: int, leg_m: float, times: tuple[float, float, float, float, float]
) -> tuple[Hand, ...]:
    """Hands that lie on the thighs of somebody who sits at a frame."""
    _, touch, rise, off, up = times
    places = world_poses(clip).positions[frame]
    hands = []
    for side, name in enumerate(SIDES):
        hip, knee = (places[clip.skeleton.role(f"{name}_{part}")] for part in ("hip", "knee"))
        along = (knee - hip) / np.linalg.norm(knee - hip)
        across = np.array([0.0, along[2], -along[1]]) / np.hypot(along[1], along[2])
        over = _ON_THIGH * leg_m * max(clip.skeleton.girth, 1.0) * across
        wrist, tips = (hip + share * (knee - hip) + over for share in (0.56, 1.06))
        late = 0.1 * side
        hands.append(Hand(
            side, (wrist[0], wrist[1], wrist[2]), touch - 0.3 + late, touch + 0.5 + late,
            rise + 0.1, off + 0.3 * (up - off) + late, (tips[0], tips[1], tips[2]),
        ))  # fmt: skip
    return tuple(hands)


def sitting_posture(
    hips: float, times: tuple[float, float, float, float, float], vary: Floats, seed: int
) -> PostureKeys:
    """How the angles go of who sits down and stands up again.

    hips   how high the hip joints are over the ground when seated, leg lengths
    times  when the trunk begins to lean, the seat is touched, the trunk leans to rise, the seat is
           left, and the body stands
    vary   (6,) factors of how they differ from time to time
    """
    lean, touch, rise, off, up = times
    rest = STANDING
    down = (83.3 - 61.9 * hips) * vary[3]
    forward = (63.6 - 42.9 * hips) * vary[4]
    on_thighs = 50.0 + 14.0 * (0.65 - hips)
    deep = lean + 0.2 + (0.891 - 0.716 * hips) * (touch - lean - 0.2)
    keys: dict[str, list[tuple[float, float]]] = {
        "trunk": [(lean - 0.05, rest["trunk"]), (deep, down), (touch, 0.5 * down + 2.0),
                  (touch + 0.55, -1.0), (rise, -1.0), (off + 0.05, 0.85 * forward),
                  (off + 0.3, forward), (up + 0.1, rest["trunk"])],
        "head": [(lean - 0.3, rest["head"]), (lean + 0.2, 18.0), (deep + 0.1, 30.0), (touch, 18.0),
                 (touch + 0.5, 4.0), (rise, 4.0), (off, 16.0), (up, 7.0)],
    }  # fmt: skip
    # Nobody comes to sit quite straight: the weight settles on one side.
    aside = 1.0 if seed % 2 else -1.0
    for name, most, rests in (("lean", 2.4, 1.3), ("twist", -2.0, -2.6), ("look", 4.0, 1.0)):
        keys[name] = [(touch - 0.1, 0.0), (touch + 0.45, most * aside),
                      (touch + 1.2, rests * aside), (rise, rests * aside),
                      (off + 0.2, 0.0)]  # fmt: skip
    for side, late in (("left", 0.0), ("right", 0.09)):
        own = rest[f"{side}_arm"]
        # Arms hang while the trunk goes over them: hands are near the knees all the time.
        keys[f"{side}_arm"] = [
            (lean, own), (deep + late, 7.0), (touch + late, 8.0),
            (touch + 0.5 + late, 20.0), (rise, 20.0), (off + late, 11.0),
            (off + 0.4 + late, 5.0), (up + 0.15, own),
        ]  # fmt: skip
        keys[f"{side}_elbow"] = [
            (lean, rest[f"{side}_elbow"]), (deep, 24.0), (touch + 0.4 + late, on_thighs),
            (rise, on_thighs), (off + 0.2 + late, 34.0), (up + 0.2, rest[f"{side}_elbow"]),
        ]  # fmt: skip
        keys[f"{side}_out"] = [
            (lean, rest[f"{side}_out"]), (deep, 14.0), (touch + 0.4, 13.0), (off, 13.0),
            (up + 0.2, rest[f"{side}_out"]),
        ]  # fmt: skip
        keys[f"{side}_knee_out"] = [(lean, 0.0), (touch, 4.0), (off, 4.0), (up, 0.0)]
    return PostureKeys(keys, softness_s=0.08, seed=seed)
