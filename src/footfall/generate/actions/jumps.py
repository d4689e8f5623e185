"""Jumps with both feet, after the population's figures of standing broad jumps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.roles import SIDES
from footfall.errors import check_range
from footfall.generate.actions.action import Action, lower_to_reach, perform
from footfall.generate.actions.postures import STANDING, PostureKeys
from footfall.generate.feet.steps import PlannedStance, Swing
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY, MEAN_LEG_M

_STILL = np.zeros(3)
_LANDS_AHEAD, _LANDS_LATE_S, _LANDS_TURNED_DEG = 0.022, 0.02, 3.0
"""Feet do not land alike: how far ahead of the middle the first one stands at most, leg lengths,
how much later the other one comes, and how much further out the first one points."""
_FOLDS_MORE = 0.14
"""How much more and less than the mean the knees fold in the air."""
_TURNS_DEG = 2.5
"""How far the pelvis turns in the air, at most."""


def jump(length_m: float = 0.8, *, who: Performer = MEAN_PERFORMER, seed: int = 0) -> Clip:
    """A jump with both feet from standing, `length_m` forward (0 is straight up).

    Crouch, push, flight and landing have the population's timing, speeds and depths for the
    length; the centre of mass flies freely.
    """
    check_range("the length of a jump", length_m, 0.0, 2.4 * who.leg_m, unit="m")
    action = lower_to_reach(lambda low: _jump(length_m, who.leg_m, seed, low), who, 2)
    return perform(action, who)


def _jump(length_m: float, leg_m: float, seed: int, low: Floats) -> Action:
    rng = np.random.default_rng([seed, 71])
    vary = 1.0 + 0.05 * np.clip(rng.normal(size=8), -2.0, 2.0) * (seed != 0)
    reach = length_m / leg_m
    crouch_s, push_s = 0.52 * vary[0], (0.30 + 0.02 * reach) * vary[1]
    rise = (0.1 - 0.012 * reach) * leg_m - low[0]
    land = (0.05 - 0.032 * reach) * leg_m - low[1]
    flight_s = (0.375 + 0.05 * reach) * np.sqrt(leg_m / MEAN_LEG_M) * (0.5 + 0.5 * vary[2])
    up = 0.5 * GRAVITY * flight_s - (rise - land) / flight_s
    wait = 0.55
    crouched = wait + crouch_s
    off = crouched + push_s
    on = off + flight_s
    absorb_s = 0.13 + 0.034 * reach
    deepest = on + absorb_s
    over = deepest + 0.55 + 0.05 * reach
    # Distances from the ankle of the flat foot: toes are 0.137 legs ahead of it.
    ahead = (0.137 - 0.03 + 0.235 * reach) * leg_m
    behind = (-0.046 + 0.132 * reach) * leg_m
    speed = (length_m - ahead - behind) / flight_s
    middle = 0.055 * leg_m
    drop = (0.175 + 0.03 * reach) * leg_m * vary[3]
    # The ground stops the fall early, or knees would have to bend too fast.
    fallen = GRAVITY * flight_s - up
    soon, brake = 0.033, 44.0
    slower = fallen - 0.5 * (brake - GRAVITY) * soon
    caught = land - 0.5 * (fallen + slower) * soon
    sink = (0.37 + 0.045 * reach) * slower * (absorb_s - soon) * vary[4] - caught
    free = np.array([0.0, -GRAVITY, 0.0])
    go = np.array([0.0, up, speed])
    fall = np.array([0.0, up - GRAVITY * flight_s, speed])
    bottom = np.array([0.0, -drop, middle + 0.25 * (ahead - middle)])
    knots = (
        (0.0, np.array([0.0, 0.0, middle]), _STILL, _STILL),
        (wait, np.array([0.0, 0.0, middle]), _STILL, _STILL),
        (crouched, bottom, np.array([0.0, 0.0, 0.25 * speed]),
         np.array([0.0, 6.5 * drop / crouch_s**2, 2.0 * speed])),
        (off, np.array([0.0, rise, ahead]), go, free),
        (on, np.array([0.0, land, length_m - behind]), fall, free),
        (on + soon, np.array([0.0, caught, length_m - behind + 0.93 * speed * soon]),
         np.array([0.0, -slower, 0.86 * speed]), np.array([0.0, brake, -5.0 * speed])),
        (deepest, np.array([0.0, -sink, length_m - behind + 0.62 * (behind + middle)]),
         np.array([0.0, 0.0, 0.22 * speed]),
         np.array([0.0, 6.5 * sink / (over - deepest) ** 2, -1.2 * speed])),
        (over, np.array([0.0, 0.0, length_m + middle]), _STILL, _STILL),
        (over + 0.55, np.array([0.0, 0.0, length_m + middle]), _STILL, _STILL),
    )  # fmt: skip
    feet = [
        stand
        for side, sign in enumerate(SIGNS)
        for stand in _feet(side, sign, length_m, leg_m, off, on, reach, seed)
    ]
    times = {"wait": wait, "crouched": crouched, "off": off, "on": on, "deepest": deepest,
             "over": over}  # fmt: skip
    return Action(
        name=f"jump_{length_m:.2f}", tags=("jump",), seconds=over + 0.55, stances=tuple(feet),
        posture=_posture(times, reach, vary, seed), centre=knots,
        parts=(0.5 * (off + on),),
    )  # fmt: skip


def _feet(
    side: int, sign: float, length_m: float, leg_m: float, off: float, on: float, reach: float,
    seed: int,
) -> list[PlannedStance]:  # fmt: skip
    x0, x1 = 0.105 * leg_m * sign, 0.13 * leg_m * sign
    yaw = 7.0 * sign
    odd = _Uneven.drawn(seed)
    first = side == odd.first
    own = 1.0 if first else -1.0
    tuck = min(20.0 + 21.0 * reach, 75.0) * (1.0 - own * _FOLDS_MORE * odd.much)
    late = 0.0 if first else 0.03
    swing = Swing(
        folds=((0.28 + late, -3.0 + 6.0 * reach, 31.0 + 12.0 * reach),
               (0.68 + late, 16.0 + 14.0 * reach, tuck)),
        pitches=((0.3, -42.0), (0.7, -20.0)), settle=0.1,
    )  # fmt: skip
    return [
        PlannedStance(side, x0, 0.012 * sign, end_s=off, yaw_deg=yaw,
              leave_deg=42.0 + 13.0 * min(reach, 1.0), leave_s=0.18),
        PlannedStance(side, x1, length_m + _LANDS_AHEAD * leg_m * odd.much * own,
              begin_s=on - 0.5 * own * _LANDS_LATE_S * odd.much,
              yaw_deg=yaw + _LANDS_TURNED_DEG * odd.much * own * sign,
              strike_deg=-25.0, flat_s=0.075, swing=swing),
    ]  # fmt: skip


def _posture(times: dict[str, float], reach: float, vary: Floats, seed: int) -> PostureKeys:
    wait, down, off, on, deep, over = times.values()
    rest = STANDING
    odd = _Uneven.drawn(seed)
    top, turned = 0.5 * (off + on), SIGNS[odd.first] * odd.much
    keys = {
        "trunk": [(wait, rest["trunk"]), (down - 0.06, 27.0 + 10.0 * reach), (off, 8.0 + 3 * reach),
                  (top, 8.0 + 4.0 * reach), (on, 9.0 + 6.0 * reach),
                  (deep + 0.02, 12.0 + 12.0 * reach), (over - 0.1, 4.0), (over + 0.2, 1.5)],
        "head": [(wait, 7.0), (down, 10.0), (off, 4.0), (top, 13.0), (on, 18.0),
                 (deep, 12.0), (over, 7.0)],
        # The foot that is to land first is brought forward, the chest stays behind.
        "yaw": [(off, 0.0), (on - 0.05, -_TURNS_DEG * turned), (deep + 0.1, -0.5 * _TURNS_DEG
                * turned), (over + 0.2, 0.0)],
        "twist": [(down, 0.0), (off + 0.04, -_TURNS_DEG * turned), (on, 1.6 * _TURNS_DEG * turned),
                  (over + 0.2, 0.0)],
    }  # fmt: skip
    for n, side in enumerate(SIDES):
        keys |= _arm(side, times, reach, vary, odd, 1.0 if n == odd.arm else -1.0)
        keys[f"{side}_knee_out"] = [(wait, 0.0), (down, 7.0), (off, 2.0), (on, 2.0), (deep, 8.0),
                                    (over, 0.0)]  # fmt: skip
    return PostureKeys(keys, seed=seed)


def _arm(
    side: str, times: dict[str, float], reach: float, vary: Floats, odd: _Uneven, own: float
) -> dict[str, list[tuple[float, float]]]:
    """Keys of an arm: back in the crouch, thrown forward and up, back again in the air, forward for
    balance over the feet that have landed, and past the body into rest.

    own  1 for the arm that does more, -1 for the other one
    """
    wait, down, off, on, deep, over = times.values()
    top, uneven = 0.5 * (off + on), own * odd.much
    size, late = 1.0 + 0.04 * uneven, 0.006 - 0.008 * uneven
    back, thrown = (-38.0 - 16.0 * reach) * vary[5], min(18.0 + 20.0 * reach, 70.0) * vary[6]
    behind, caught = -20.0 - 7.0 * reach, 6.0 + 3.0 * reach
    rest = {part: STANDING[f"{side}_{part}"] for part in ("arm", "out", "elbow", "turn")}
    return {
        f"{side}_arm": [
            (wait - 0.1, rest["arm"]), (down - 0.14 + late, back * size),
            (off + late, thrown * size), (top - 0.02 + late, 0.2 * thrown * size - 5.0),
            (on + late, behind - 6.0 * uneven),
            # What was behind goes on when the feet are stopped, and swings past the body.
            (deep + 0.06 + late, caught + 8.0 * uneven),
            (0.45 * deep + 0.55 * over + late, rest["arm"] - 9.0 + 3.0 * uneven),
            (over + 0.1 + late, rest["arm"] + 3.0), (over + 0.35, rest["arm"]),
        ],
        f"{side}_out": [
            (wait, rest["out"]), (down - 0.1, 13.0), (off + late, 27.0 + 5.0 * uneven),
            (top, 22.0 + 6.0 * uneven), (on, 17.0 + 4.0 * uneven),
            (deep + 0.05, 17.0 + 3.0 * reach - 5.0 * uneven), (over, rest["out"] + 1.0),
            (over + 0.25, rest["out"]),
        ],
        f"{side}_elbow": [
            (wait, rest["elbow"]), (down - 0.12, 30.0), (down + 0.1, 50.0 + 6.0 * uneven),
            (off - 0.02 + late, 74.0 + 8.0 * uneven), (top - 0.02, 50.0 + 9.0 * uneven),
            (on + late, 40.0 - 6.0 * uneven), (deep + 0.08, 50.0 + 10.0 * uneven),
            (over, rest["elbow"] + 5.0), (over + 0.3, rest["elbow"]),
        ],
        # Forearms come in before the chest, with palms to each other.
        f"{side}_turn": [
            (down, rest["turn"]), (off, 36.0 - 6.0 * uneven), (on, 25.0),
            (deep, 31.0 + 5.0 * uneven), (over, rest["turn"]),
        ],
    }  # fmt: skip


@dataclass(frozen=True)
class _Uneven:
    """Which side does what, and how much so: nobody jumps like a mirror.

    first  the foot that lands first, and further on, and folds less;  arm  that goes further
    much   how uneven it is, 0.6 to 1
    """

    first: int
    arm: int
    much: float

    @classmethod
    def drawn(cls, seed: int) -> _Uneven:
        """That of a seed."""
        draw = np.random.default_rng([seed, 72])
        first, arm = (int(side) for side in draw.integers(2, size=2))
        return cls(first, arm, float(draw.uniform(0.6, 1.0)))
