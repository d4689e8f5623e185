"""Picking something up at any height: by knees when it is low, by trunk and arm when it is high."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from footfall.body.clip import Clip
from footfall.body.roles import SIDES
from footfall.errors import InputError, check_range
from footfall.generate.actions.action import Action, perform, postures
from footfall.generate.actions.footwork import Book
from footfall.generate.actions.postures import STANDING, PostureKeys
from footfall.generate.bodies.balancing import Hand
from footfall.generate.feet.steps import PlannedStance, Swing
from footfall.generate.feet.walking_steps import FIRST_LEAVE_DEG, FIRST_LEAVE_S
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS, side_index
from footfall.maths.arrays import Floats
from footfall.maths.easing import Keys

HIGHEST, NEAREST, FARTHEST = 1.62, 0.2, 0.9
"""In leg lengths: where things can be picked up."""
_GRIP = 0.105
"""From the wrist to what the hand holds, leg lengths."""
_STRETCHED = 0.975
_BENDS = np.arange(2.0, 104.5, 1.5)
"""Bends of the trunk that are tried, degrees."""
_FEET_STAY = 0.5
"""For what is further, leg lengths, a foot steps forward."""
_STANDS_S = 0.25
"""How long one stands at the end, so that another clip can go on from there."""
_HEEL_DEG, _HEEL_FROM, _HEEL_UP_DEG = 72.0, 0.12, 14.0
"""How far the heel of the foot behind comes up: for each leg length that one goes down further than
this, and for what is high."""
_ROUND, _ROUNDEST_DEG = 0.14, 9.0
"""How much of the trunk's bend the back makes besides, instead of the pelvis, and the most: it is
round."""
_DOUBLE_DEG = 105.0
"""Bent double like that, there is no room for it left."""
_EYES_DEG, _EYES_SOON_DEG = 24.0, 60.0
"""What eyes do of looking down at most, and from which angle on about that much."""
_CARRY = {"arm": -7.0, "elbow": 84.0, "out": 13.0, "turn": 48.0}
"""How the arm is held that draws something in to the belly, degrees."""
_HANGING = {"arm": 4.0, "elbow": 44.0}
"""How it hangs while one comes up from below."""
_INTO_DEG = 2.0
"""How far the trunk goes with the hand to what is high."""
_CARRY_GAZE_DEG = 27.0
"""How far the head looks down at it."""


@dataclass(frozen=True)
class _Plan:
    """A pick in leg lengths and degrees: where, how low, how bent, how far one foot steps in front,
    which hand takes it, and which foot stands ahead, 1 left or -1 right."""

    wrist: tuple[float, float, float]
    thing: tuple[float, float, float]
    drop: float
    trunk: float
    stagger: float
    side: int
    ahead: float

    @property
    def twist(self) -> float:
        """Degrees to the left that bring the shoulder forward: hardly for what is right before the
        breast."""
        close = self.high * float(np.clip((0.75 - self.wrist[2]) / 0.25, 0.0, 1.0))
        return (9.0 + 22.0 * self.stagger) * (1.0 - 0.7 * close) * -SIGNS[self.side]

    @property
    def front(self) -> int:
        """The foot that steps forward: that of the hand; for low things the other, whose knee
        leaves room for the arm."""
        return self.side if self.wrist[1] > 0.5 else 1 - self.side

    @property
    def wide(self) -> float:
        """How far, leg lengths, the feet stand further apart: there must be room for the arm."""
        return 0.09 * float(np.clip(0.79 - 1.65 * self.wrist[1] + self.near, 0.0, 0.53)) + (
            0.1 * self.near
        )

    @property
    def over(self) -> float:
        """How much of the weight is over the foot that stepped forward."""
        return 0.5 + 0.28 * self.lunge - 0.15 * self.high

    @property
    def lunge(self) -> float:
        """How much, 0 to 1, who steps forward goes over that foot: for what is lower than hands
        that hang, but not on the ground, for which there must be room beside the knee."""
        up = self.wrist[1]
        return float(np.clip(1.5 - up / 0.75, 0.0, 1.0) * np.clip((up - 0.15) / 0.3, 0.0, 1.0))

    @property
    def high(self) -> float:
        """Whether, 0 to 1, the thing is as high as the shoulders."""
        return float(np.clip((self.wrist[1] - 0.95) / 0.45, 0.0, 1.0))

    @property
    def near(self) -> float:
        """How much nearer than at ease, leg lengths, a low thing is."""
        return max(0.0, 0.45 - self.wrist[2]) if self.wrist[1] < 0.5 else 0.0


def pick(
    height_m: float = 0.4,
    reach_m: float = 0.45,
    *,
    hand: str = "right",
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
) -> Clip:
    """From standing, take something `height_m` high and `reach_m` ahead of the ankles, and rise.

    What is low is reached by bending the knees, what is higher by bending the trunk; for what is
    further than half a leg length a foot steps forward, and back again.
    """
    leg_m = who.leg_m
    side = side_index(hand, "hand")
    check_range("the height of the thing", height_m, 0.0, HIGHEST * leg_m, unit="m")
    check_range("its distance", reach_m, NEAREST * leg_m, FARTHEST * leg_m, unit="m")
    plan = _plan_pick(height_m / leg_m, reach_m / leg_m, side, who)
    return perform(_pick(plan, height_m, reach_m, leg_m, seed), who)


@lru_cache(maxsize=256)
def _plan_pick(height: float, reach: float, side: int, who: Performer) -> _Plan:
    """The least bend with which the arm reaches, at the depth that people go down to."""
    # A hand takes low things from above and high things from the front.
    above = float(np.clip(1.0 - height / 0.9, 0.0, 1.0))
    below = float(np.clip((height - 1.2) / 0.35, 0.0, 1.0))
    # … which points up to them from a steep forearm if they are near.
    steep = float(np.clip((0.58 - reach) / 0.24, 0.0, 1.0))
    level = height + _GRIP * (0.2 + 1.5 * above**2 - (0.35 + 0.5 * steep) * below)
    near = max(0.0, 0.45 - reach) if level < 0.5 else 0.0
    drop = float(np.clip(0.56 - 1.35 * level + 1.5 * near, 0.0, 0.53))
    # Whoever goes down takes things from between the knees.
    aside = 0.09 - 0.075 * min(above / 0.5, 1.0)
    back = _GRIP * (1.0 - above) + 0.13 * above**4
    wrist = (SIGNS[side] * aside, level, reach - back)
    stagger = (
        # Who is slow stands over the front foot, and the other has to reach it.
        float(
            np.clip(
                (1.25 + 0.35 * above) * (reach - 0.42 - 0.06 * below), 0.22 - 0.06 * below, 0.66
            )
        )
        * min(1.0 - 0.6 * (1.0 - who.tempo), 1.0)
        if reach > _FEET_STAY
        else 0.0
    )
    thing = wrist[0], height, reach
    plan = _Plan(wrist, thing, drop, 0.0, stagger, side, who.style.ahead)
    # Who steps forward goes down over the knee in front.
    drop += (0.25 * plan.lunge + 0.3 * above * (1.0 - plan.lunge)) * stagger
    drops = np.minimum(drop + np.arange(0.0, 0.35, 0.03), 0.62)
    enough = _stretches(plan, drops, who) <= _STRETCHED - (0.06 if stagger else 0.0)
    for low, row in zip(drops.tolist(), enough, strict=True):
        if row.any():
            trunk = float(_BENDS[row.argmax()])
            if trunk > _BENDS[0]:
                # People bend a little further than they must.
                trunk = min(trunk + 3.0 * min(level, 1.0), 104.0)
            return replace(plan, drop=low, trunk=trunk)
    raise InputError(
        f"no posture reaches {height * who.leg_m:.2f} m high and {reach * who.leg_m:.2f} m ahead",
        remedy="a nearer or higher thing",
    )


def _stretches(plan: _Plan, drops: Floats, who: Performer) -> Floats:
    """(D, B) how far the wrist's goal is from the shoulder, as a share of the arm's length, for
    each drop of the hips (D,), leg lengths, and each bend of the trunk."""
    leg_m = who.leg_m
    feet = _feet(plan, leg_m)
    clip = postures(
        who, {"trunk": np.tile(_BENDS, len(drops)), "twist": np.array(plan.twist),
              "tuck": _rounding(np.tile(_BENDS, len(drops)))},
        np.repeat(drops * leg_m, len(_BENDS)), (feet[0][1], feet[1][1]),
        (1.0 - plan.over if plan.front else plan.over) if plan.stagger else 0.5,
    )  # fmt: skip
    character = clip.skeleton
    side = SIDES[plan.side]
    shoulder = clip.positions[:, character.role(f"{side}_shoulder")]
    arm = sum(
        float(np.linalg.norm(character.offsets[character.role(f"{side}_{part}")]))
        for part in ("elbow", "wrist")
    )
    far = np.linalg.norm(np.array(plan.wrist) * leg_m - shoulder, axis=1) / arm
    return np.asarray(far.reshape(len(drops), len(_BENDS)))


def _rounding(trunk: Floats) -> Floats:
    """How much less, degrees, the pelvis tilts than by itself for bends of the trunk."""
    rounds = _ROUNDEST_DEG * np.tanh(_ROUND * trunk / _ROUNDEST_DEG)
    return np.asarray(rounds * np.clip((_DOUBLE_DEG - trunk) / 30.0, 0.0, 1.0))


def _feet(plan: _Plan, leg_m: float) -> list[list[PlannedStance]]:
    """For each foot, where it stands at first and while the hand grasps."""
    out = []
    for side, sign in enumerate(SIGNS):
        x = (0.125 + plan.wide) * sign * leg_m
        yaw = (9.0 + 200.0 * plan.wide) * sign
        ahead = plan.stagger * leg_m if side == plan.front else 0.0
        out.append(
            [PlannedStance(side, x, 0.0, yaw_deg=yaw), PlannedStance(side, x, ahead, yaw_deg=yaw)]
        )
    return out


def _stands(plan: _Plan, leg_m: float, step_s: float, back_s: float) -> tuple[PlannedStance, ...]:
    feet = _feet(plan, leg_m)
    if plan.stagger == 0.0:
        return feet[0][0], feet[1][0]
    home, ahead = feet[plan.front]
    swing_s = 0.35 + 0.32 * plan.stagger
    low = -0.2 * min(max(plan.stagger - 0.16, 0.0), 0.15) * leg_m
    swing = Swing(lift_m=0.006 * leg_m, pitches=((0.3, -16.0), (0.75, 8.0)))
    return (
        feet[1 - plan.front][0],
        replace(home, end_s=step_s, leave_deg=FIRST_LEAVE_DEG, leave_s=FIRST_LEAVE_S),
        replace(ahead, begin_s=step_s + swing_s, end_s=back_s, strike_deg=9.0,
                leave_deg=12.0 - 6.0 * plan.stagger,
                leave_s=0.2, swing=swing),
        # Back again the foot goes low, by the hip rather than the knee.
        replace(home, begin_s=back_s + swing_s + 0.04, strike_deg=-13.0, flat_s=0.14,
                swing=Swing(lift_m=low, peak=0.6, pitches=((0.5, -9.0),))),
    )  # fmt: skip


def _pick(plan: _Plan, height_m: float, reach_m: float, leg_m: float, seed: int) -> Action:
    rng = np.random.default_rng([seed, 72])
    vary = 1.0 + 0.07 * np.clip(rng.normal(size=6), -2.0, 2.0) * (seed != 0)
    depth = plan.trunk / 90.0 + plan.drop
    down_s = (0.62 + 0.62 * min(depth, 1.3) + 0.22 * plan.high) * vary[0]
    up_s = (0.66 + 0.60 * min(depth, 1.3) + 0.22 * plan.high) * vary[1]
    hold_s = (0.34 - 0.06 * plan.high) * vary[2]
    step_s = 1.1
    bend = 0.75 + (0.6 if plan.stagger else 0.0)
    grasp = bend + down_s + (0.1 if plan.stagger else 0.0)
    lift = grasp + hold_s
    up = lift + up_s
    back_s = max(up - 0.28, lift + 0.35)
    end = max(up + 1.05, back_s + 1.75 if plan.stagger else 0.0)
    hands = Hand(
        plan.side, tuple(float(v * leg_m) for v in plan.wrist),  # type: ignore[arg-type]
        bend + (0.3 - 0.22 * plan.high) * down_s, grasp - 0.02, lift - 0.04,
        lift + 0.75 * up_s + 0.12 * plan.high,
        tuple(float(v * leg_m) for v in plan.thing),  # type: ignore[arg-type]
    )  # fmt: skip
    height = (
        (bend + 0.16, 0.0), (grasp - 0.04, -plan.drop * leg_m),
        (lift + 0.07, -plan.drop * leg_m), (up - 0.02, 0.0),
    )  # fmt: skip
    return Action(
        name=f"pick_{height_m:.2f}_{reach_m:.2f}", tags=("pick",), seconds=end + _STANDS_S,
        stances=_stands(plan, leg_m, step_s, back_s), heels=_heels(plan, (bend, grasp, lift, up)),
        posture=_posture(plan, (bend, grasp, lift, up), seed), height=height, hands=(hands,),
        ahead=plan.over,
        touches=((f"{SIDES[plan.side]}_hand", hands.begin_s, hands.end_s),),
    )  # fmt: skip


def _heels(plan: _Plan, times: tuple[float, float, float, float]) -> tuple[Keys, Keys]:
    """Of the foot behind the heel comes up while one is low, or stretches for what is high."""
    bend, grasp, lift, up = times
    behind = int(plan.ahead > 0.0) if plan.stagger == 0.0 else 1 - plan.front
    most = _HEEL_DEG * max(plan.drop - _HEEL_FROM, 0.0) + _HEEL_UP_DEG * plan.high
    rises = ((bend + 0.35 * (grasp - bend), 0.0), (grasp, most), (lift, most),
             (lift + 0.7 * (up - lift), 0.0))  # fmt: skip
    flat = ((0.0, 0.0),)
    return (flat, rises) if behind else (rises, flat)


def _gaze(plan: _Plan) -> tuple[float, float]:
    """Degrees that the head looks down at the thing, and to the left; eyes do the rest."""
    bend = np.radians(plan.trunk)
    up = 1.04 - plan.drop + 0.85 * np.cos(bend)
    ahead = 0.05 - 0.2 * np.sin(bend) + 0.8 * np.sin(bend) + 0.1 * np.cos(bend)
    far = plan.thing[2] - ahead
    down = np.degrees(np.arctan2(up - plan.thing[1], max(far, 0.02)))
    left = np.degrees(np.arctan2(plan.thing[0], max(far, 0.35)))
    eyes = _EYES_DEG * np.tanh(down / _EYES_SOON_DEG)
    # The neck makes up for most of what the chest turns.
    return float(np.clip(down - eyes, -10.0, 62.0)), float(left - 0.2 * plan.twist)


def _posture(plan: _Plan, times: tuple[float, float, float, float], seed: int) -> PostureKeys:
    bend, grasp, lift, up = times
    rest, trunk = STANDING, plan.trunk
    gaze, aside = _gaze(plan)
    sign = SIGNS[plan.side]
    rounds, into = float(_rounding(np.array(trunk))), _INTO_DEG * plan.high
    keys: dict[str, list[tuple[float, float]]] = {
        "trunk": [(bend - 0.05, rest["trunk"]), (bend + 0.45 * (grasp - bend), 0.42 * trunk),
                  (grasp, trunk + into), (lift + 0.06, trunk + into),
                  (lift + 0.6 * (up - lift), 0.32 * trunk), (up + 0.05, rest["trunk"])],
        "tuck": [(bend, 0.0), (grasp, rounds), (lift + 0.06, rounds), (up, 0.0)],
        # Eyes go there first, and then with the thing.
        "head": [(bend - 0.6, rest["head"]), (bend - 0.05, max(0.6 * gaze, 10.0)), (grasp, gaze),
                 (lift, gaze), (up, _CARRY_GAZE_DEG), (up + 0.25, 0.7 * _CARRY_GAZE_DEG),
                 (up + 0.75, rest["head"])],
        "look": [(bend - 0.6, 0.0), (bend - 0.1, aside), (lift, aside), (up, 5.0 * sign),
                 (up + 0.6, 0.0)],
        "twist": [(bend, 0.0), (grasp, plan.twist), (lift, plan.twist), (up, 0.0)],
        "lean": [(bend, 0.0), (grasp, 2.0 * sign), (lift, 2.0 * sign), (up, 0.0)],
    }  # fmt: skip
    _busy_arm(keys, plan, times)
    _free_arm(keys, plan, times)
    _knees(keys, plan, times)
    return PostureKeys(keys, softness_s=0.07, seed=seed)


def _busy_arm(keys: Book, plan: _Plan, times: tuple[float, float, float, float]) -> None:
    """The arm hangs while one goes down, then goes round the knee; up to what is high it goes with
    a raised elbow. While the hand is held the arm's own posture goes over unseen to that of
    carrying: it draws in what it took, and comes down late."""
    bend, grasp, lift, up = times
    busy, high = SIDES[plan.side], plan.high
    rest = {part: STANDING[f"{busy}_{part}"] for part in _CARRY}
    tight = float(np.clip((0.5 - plan.wrist[2]) / 0.3, 0.0, 1.0))
    close = min(plan.near / 0.2, 1.0) ** 2
    low = min(plan.drop / 0.3, 1.0) * (1.0 - close)
    halfway = bend + (0.5 + 0.1 * high) * (grasp - bend)
    there = {
        "arm": rest["arm"] + 110.0 * plan.drop + 40.0 * high, "elbow": rest["elbow"] + 52.0 * high,
        "out": 9.0 + 36.0 * high, "turn": -6.0 + (30.0 - 14.0 * tight) * high,
    }  # fmt: skip
    on_way = {"arm": rest["arm"] + 36.0 * plan.drop + 20.0 * high,
              "elbow": rest["elbow"] + 40.0 * high}  # fmt: skip
    # From below things come up on a hanging arm before they are drawn in.
    begins = lift + 0.04 + 0.68 * low * (up - lift)
    drawn = lift + (0.7 + 0.3 * low) * (up - lift) + 0.15
    for part, carried in _CARRY.items():
        if part in on_way:
            taken = carried + low * (_HANGING[part] - carried)
            way = [(halfway, on_way[part]), (grasp, there[part]), (lift, taken)]
        else:  # these would turn the elbow out while the hand holds
            taken, way = there[part], [(grasp, there[part])]
        keys[f"{busy}_{part}"] = [
            (bend, rest[part]), *way, (begins, taken), (drawn, carried), (up + 0.35, carried),
            (up + 1.05, rest[part]),
        ]  # fmt: skip


def _free_arm(keys: Book, plan: _Plan, times: tuple[float, float, float, float]) -> None:
    """The other arm hangs, its hand near the thigh, and goes back and out against a long reach."""
    bend, grasp, lift, up = times
    free, drop = SIDES[1 - plan.side], plan.drop
    long = plan.stagger * (1.0 - min(drop / 0.5, 1.0))
    aside = -95.0 * drop - 34.0 * long
    out = 12.0 + 14.0 * drop + 20.0 * long
    fold = 20.0 * drop + 26.0 * long
    for part, most, more in (
        ("arm", -6.0 + aside, -8.0 + aside), ("elbow", 26.0 + fold, 28.0 + fold), ("out", out, out)
    ):  # fmt: skip
        rest = STANDING[f"{free}_{part}"]
        keys[f"{free}_{part}"] = [(bend, rest), (grasp, most), (lift, more), (up + 0.1, rest)]


def _knees(keys: Book, plan: _Plan, times: tuple[float, float, float, float]) -> None:
    """Knees part for the arm, each as it must."""
    bend, grasp, lift, up = times
    # Near things leave least room between the knees for the arm that takes them.
    near = min(plan.near / 0.2, 1.0) if plan.stagger == 0.0 else 1.0
    wide = 3.0 + (14.0 * plan.drop + 90.0 * plan.wide) * near - 12.0 * plan.drop * (1.0 - near)
    first = plan.ahead == SIGNS[plan.side]
    for n, side in enumerate(SIDES):
        # A knee that is in front is to stay over its foot.
        own = wide * (1.0 - 0.7 * plan.stagger) if n == plan.front else wide
        # … and one beside the arm that goes down leaves it room, above all where it is ahead.
        own += (62.0 if first else 22.0) * plan.drop * (1.0 - near) * (n == plan.side)
        keys[f"{side}_knee_out"] = [(bend, 0.0), (grasp, own), (lift, own), (up, 0.0)]
