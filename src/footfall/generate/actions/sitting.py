"""Sitting down and standing up, at any seat height."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from footfall.body.capsules import body_capsules
from footfall.body.clip import Clip
from footfall.body.edit import slice_clip
from footfall.body.roles import SIDES
from footfall.errors import check_range
from footfall.generate.actions.action import FPS, Action, attempt, perform
from footfall.generate.actions.postures import STANDING, PostureKeys
from footfall.generate.bodies.balancing import Hand, Pin
from footfall.generate.feet.walking_steps import feet_together
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M

SEAT_TO_HIPS_M = 0.09
"""How high the hip joints are above what one sits on."""
LOWEST, HIGHEST = 0.30, 0.80
"""Heights of seats, leg lengths."""
SEATED_S = 1.5
_ON_THIGH = 0.132
"""How far above the bone of a thigh a hand lies, leg lengths."""
_SPREAD, _TOES_OUT_DEG = 0.15, 11.0
"""How far to its side each foot stands, leg lengths, and how far its toes are turned out."""
_GLANCE_DEG, _GLANCE_TWIST_DEG, _GLANCE_DOWN_DEG = 56.0, 13.0, 27.0
"""How far the head, and the chest with it, turns to the seat before one goes down, and the head
looks down."""
_SLUMP_DEG = 9.0
"""How far the pelvis rolls back when one has settled: the back is round."""
_LAP = ((0.62, 0.0), (0.47, 0.02))
"""Where hands lie: of the side that carries less and of the other, as a share from hip to knee, and
how far to the inside, leg lengths."""
_OVER = 0.035
"""How high, leg lengths, hands go over the thighs on their way there and back."""
_SLIDE = 0.48, 0.95
"""How much further along the thighs they slide when they push to rise: from where they fall over
the knees."""
_AT_EASE = 1.02
"""So far from the shoulder, arm lengths, is what is under a hand that is reached at ease."""
_HIGHER = 0.6
"""How much nearer to the hip, for each leg length that it is higher than the knee."""
_CLEAR_M, _NEAR_M = 0.005, 0.002
"""How far over the seat the hand stays that feels for it, and how near to that is near enough."""
_ROUNDS, _RAISES, _MOST_DEG = 6, 0.3, 50.0
"""How often its elbow bends further until it is, how high that is taken to lift it, leg lengths a
radian, and how much it bends at most."""
_EDGE = 0.8
"""How far forward a seat reaches: to the hollow of the knees, as a share from hips to knees."""
Times = tuple[float, float, float, float, float]
"""When the trunk begins to lean, the seat is touched, the trunk leans to rise, the seat is left,
and the body stands."""


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
    # One looks, feels and settles where the foot stands that is further back.
    lean, aside = 0.85, -who.style.ahead
    touch = lean + 0.22 + (1.33 - 0.389 * hips) * vary[0]
    rise = touch + 2.0 * SEATED_S
    off = rise + 0.62 * vary[1]
    up = off + (1.28 - 0.475 * hips) * vary[2]
    drop = (hips - 1.089) * leg_m + 0.007 * leg_m / MEAN_LEG_M
    back = -(0.44 - 0.2 * hips) * leg_m
    height = ((lean + 0.2, 0.0), (touch, drop), (off, drop), (up, 0.0))
    times = lean, touch, rise, off, up
    plain = Action(
        name=f"sit_stand_{seat_m:.2f}", tags=("sit_down", "sit", "stand_up"), seconds=up + 0.7,
        stances=feet_together(2.0 * _SPREAD * leg_m, _TOES_OUT_DEG),
        posture=PostureKeys(), height=height,
        pin=Pin(0.0, back, touch, off, 0.85 * (touch - lean - 0.2)),
        touches=(("seat", touch, off),),
    )  # fmt: skip
    middle = round(FPS / who.tempo * 0.5 * (touch + rise))

    def bent(degrees: float) -> Action:
        posture = sitting_posture(hips, times, vary, seed, aside, aside, degrees)
        return replace(plain, posture=posture)

    action, seated = feel_for_seat(bent, who, seat_m, middle, aside)
    action = replace(action, hands=hands_in_lap(seated, middle, leg_m, times, aside))
    return perform(action, who), middle / FPS


def feel_for_seat(
    bent: Callable[[float], Action], who: Performer, seat_m: float, frame: int, aside: float
) -> tuple[Action, Clip]:
    """The action that `bent` gives for the least degrees by which the elbow of the hand that feels
    for a seat bends further for it to stay over that, and its clip, which sits at a frame."""
    degrees = 0.0
    for _ in range(_ROUNDS):
        action = bent(degrees)
        clip, *_ = attempt(action, who)
        low = _below_seat(clip, frame, seat_m, SIDES[SIGNS.index(aside)])
        if low <= _NEAR_M or degrees >= _MOST_DEG:
            break
        degrees = min(degrees + float(np.degrees(low / (_RAISES * who.leg_m))), _MOST_DEG)
    return action, clip


def _below_seat(clip: Clip, frame: int, seat_m: float, side: str) -> float:
    """By how much a hand is too low for a seat that reaches forward to behind the knees of who
    sits at a frame, up to then."""
    poses, role = clip.world, clip.skeleton.role
    capsules = body_capsules(clip.skeleton)
    of_hand = capsules.joints == role(f"{side}_wrist")
    hips, knees = (
        0.5 * (poses.positions[frame, role(f"left_{part}")]
               + poses.positions[frame, role(f"right_{part}")]) for part in ("hip", "knee")
    )  # fmt: skip
    ahead = (knees - hips) * [1.0, 0.0, 1.0]
    hand = capsules.placed(poses)[: frame % len(clip) + 1, of_hand]
    over = (hand - hips) @ ahead < _EDGE * (ahead @ ahead)
    lowest = hand[..., 1] - capsules.radii[of_hand, None] - seat_m
    return _CLEAR_M - float(lowest[over].min(initial=_CLEAR_M))


def hands_in_lap(
    clip: Clip, frame: int, leg_m: float, times: Times, aside: float
) -> tuple[Hand, ...]:
    """Hands that lie on the thighs of somebody who sits at a frame, each in its own place: the one
    that felt for the seat comes later and pushes longer when one rises."""
    _, touch, rise, off, up = times
    places = clip.positions[frame]
    role = clip.skeleton.role
    inward = places[role("left_hip")] - places[role("right_hip")]
    inward = inward / np.linalg.norm(inward)
    hands = []
    for side, (name, sign) in enumerate(zip(SIDES, SIGNS, strict=True)):
        feels = sign == aside
        hip, knee = (places[role(f"{name}_{part}")] for part in ("hip", "knee"))
        share, inside = _LAP[feels]
        share -= _HIGHER * max(float(hip[1] - knee[1]) / leg_m, 0.0)
        share = min(share, _within_reach(clip, places, name) - 0.15 * feels)
        along = (knee - hip) / np.linalg.norm(knee - hip)
        upward = np.array([0.0, 1.0, 0.0]) - along[1] * along
        over = _ON_THIGH * leg_m * max(clip.skeleton.girth, 1.0) * upward / np.linalg.norm(upward)
        wrist = hip + share * (knee - hip) + over - 0.5 * sign * inside * leg_m * inward
        tips = hip + (share + 0.5) * (knee - hip) + over - 1.5 * sign * inside * leg_m * inward
        leave, there = (touch, touch + 0.9) if feels else (touch - 0.3, touch + 0.5)
        slide = _SLIDE[feels] * share * (knee - hip)
        starts, goes, away = (0.33, 0.1, 0.65) if feels else (-0.06, -0.05, 0.5)
        # Hands that lie far back are in the way sooner, and so are those near high knees.
        soon = max(0.9 * (0.4 - share) if feels else 5.0 * (share - 0.56), 0.0)
        goes, back = off + goes - soon, off + away * (up - off) - soon
        hands.append(Hand(
            side, (wrist[0], wrist[1], wrist[2]), leave, there, goes, back,
            (tips[0], tips[1], tips[2]), _OVER * leg_m, (-over[0], -over[1], -over[2]),
            rise + starts, (slide[0], slide[1], slide[2]),
        ))  # fmt: skip
    return tuple(hands)


def _within_reach(clip: Clip, places: Floats, side: str) -> float:
    """The furthest place on a thigh, as a share from hip to knee, that a hand reaches at ease."""
    shoulder, hip, knee = (
        places[clip.skeleton.role(f"{side}_{part}")] for part in ("shoulder", "hip", "knee")
    )
    arm = sum(
        float(np.linalg.norm(clip.skeleton.offsets[clip.skeleton.role(f"{side}_{part}")]))
        for part in ("elbow", "wrist")
    )
    shares = np.linspace(0.25, 0.8, 56)
    far = np.linalg.norm(hip + shares[:, None] * (knee - hip) - shoulder, axis=1)
    return float(shares[far <= _AT_EASE * arm].max(initial=shares[0]))


def sitting_posture(
    hips: float, times: Times, vary: Floats, seed: int, aside: float, looks: float,
    bends: float = 0.0,
) -> PostureKeys:  # fmt: skip
    """How the angles go of who sits down and stands up again.

    hips   how high the hip joints are over the ground when seated, leg lengths
    vary   (6,) factors of how they differ from time to time
    aside  the side, 1 left or -1 right, where one feels for the seat with the hand, and settles
    looks  the side where one looks for it
    bends  how much further, degrees, the elbow of that hand bends to keep it over the seat
    """
    lean, touch, rise, off, up = times
    rest = STANDING
    down = (83.3 - 61.9 * hips) * vary[3]
    forward = (63.6 - 42.9 * hips) * vary[4]
    deep = lean + 0.2 + (0.891 - 0.716 * hips) * (touch - lean - 0.2)
    keys: dict[str, list[tuple[float, float]]] = {
        "trunk": [(lean - 0.05, rest["trunk"]), (deep, down), (touch, 0.5 * down + 2.0),
                  (touch + 0.55, 0.0), (touch + 1.25, 3.5), (rise, 3.5),
                  (off + 0.05, 0.85 * forward), (off + 0.3, forward), (up + 0.1, rest["trunk"])],
        "tuck": [(touch - 0.1, 0.0), (touch + 0.5, 0.4 * _SLUMP_DEG), (touch + 1.25, _SLUMP_DEG),
                 (rise - 0.1, _SLUMP_DEG), (off - 0.1, 0.0)],
        "head": [(lean - 0.55, rest["head"]), (lean - 0.1, _GLANCE_DOWN_DEG),
                 (lean + 0.25, 20.0), (deep + 0.1, 30.0), (touch, 18.0),
                 (touch + 0.6, 4.0), (rise, 4.0), (off, 16.0), (up, 7.0)],
    }  # fmt: skip
    _settle(keys, times, aside, looks)
    for side, sign in zip(SIDES, SIGNS, strict=True):
        _arm(keys, side, times, deep, _folded(hips), sign == aside, bends)
        most, sits = (8.0, 5.5) if sign == aside else (3.0, 1.0)
        keys[f"{side}_knee_out"] = [
            (lean, 0.0), (touch, most), (touch + 0.8, sits), (rise, sits), (off, most), (up, 0.0)
        ]  # fmt: skip
    return PostureKeys(keys, softness_s=0.08, seed=seed)


def _settle(
    keys: dict[str, list[tuple[float, float]]], times: Times, aside: float, looks: float
) -> None:
    """One looks round for the seat; and nobody comes to sit quite straight: the weight settles on
    one side."""
    lean, touch, rise, off, _ = times
    look, twist = _GLANCE_DEG * looks, _GLANCE_TWIST_DEG * looks
    glance = {
        "look": [(lean - 0.55, 0.0), (lean - 0.12, look), (lean + 0.12, look), (lean + 0.6, 0.0)],
        "twist": [(lean - 0.5, 0.0), (lean - 0.05, twist), (lean + 0.15, twist),
                  (lean + 0.6, 0.3 * twist)],
        "lean": [(lean, 0.0)],
    }  # fmt: skip
    for name, most, rests in (("lean", 3.0, 1.6), ("twist", -2.5, -4.0), ("look", 5.0, 2.0)):
        keys[name] = [
            *glance[name], (touch - 0.1, glance[name][-1][1]), (touch + 0.45, most * aside),
            (touch + 1.2, rests * aside), (rise, rests * aside), (off + 0.2, 0.0),
        ]  # fmt: skip


def _folded(hips: float) -> float:
    """Degrees that elbows of hands in the lap bend: the lower the seat, the higher the knees."""
    return 60.0 + 150.0 * max(0.65 - hips, 0.0)


def _arm(
    keys: dict[str, list[tuple[float, float]]], side: str, times: Times, deep: float,
    folded: float, feels: bool, bends: float,
) -> None:  # fmt: skip
    """Arms hang while the trunk goes over them, hands near the knees all the time; but the one that
    feels for the seat goes back to it first, and comes up later."""
    lean, touch, rise, off, up = times
    late, own = 0.11 * feels, STANDING[f"{side}_arm"]
    low, seat = (-20.0, -24.0) if feels else (5.0, 6.0)
    keys[f"{side}_arm"] = [
        (lean, own), (deep, low), (touch + 0.1, seat), (touch + 0.5 + 4.0 * late, 20.0),
        (rise, 20.0), (off + late, 11.0), (off + 0.4 + 0.5 * late, 2.0 + 6.0 * feels),
        (off + 0.7, own - 1.0), (up - 0.1 + 2.0 * late, own - 3.0), (up + 0.3 + late, own),
    ]  # fmt: skip
    bent = STANDING[f"{side}_elbow"]
    # Hands go over the thighs, not round them: the elbow stays behind and bends first.
    over = (
        [(touch - 0.3, 24.0 + bends), (touch + 0.1, folded + 20.0)]
        if feels
        else [(touch - 0.2, 18.0), (touch + 0.15, folded)]
    )
    keys[f"{side}_elbow"] = [
        (lean, bent), (deep, 19.0 + 0.5 * bends if feels else 20.0), *over,
        (touch + 0.5 + 5.0 * late, folded), (rise, folded), (off, 0.72 * folded + 16.0 * feels),
        (off + 0.35 + late, 30.0 + 10.0 * feels), (off + 0.62, bent + 2.0), (up + 0.2, bent),
    ]  # fmt: skip
    turned = STANDING[f"{side}_turn"]
    keys[f"{side}_turn"] = [
        (lean, turned), (touch - 0.35, 0.0), (touch + 0.1, 0.0),
        (touch + 0.4 + 2.0 * late, turned),
    ]  # fmt: skip
    keys[f"{side}_out"] = [
        (lean, STANDING[f"{side}_out"]), (deep, 17.0 if feels else 13.0), (touch + 0.4, 13.0),
        (off, 13.0), (up + 0.2, STANDING[f"{side}_out"]),
    ]  # fmt: skip
