"""Under things: who walks bent, and low enough for the head to pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.body.clip import Clip
from footfall.body.roles import SIDES
from footfall.errors import check_range
from footfall.generate.actions.action import Action, attempt, perform
from footfall.generate.actions.crossing import (
    END_S,
    SPREAD,
    both_sides,
    closing_step,
    plain_step,
    vary_steps,
)
from footfall.generate.actions.footwork import Book, gait_angles, hips_height
from footfall.generate.actions.postures import STANDING, PostureKeys
from footfall.generate.feet.steps import Swing
from footfall.generate.feet.walking_steps import Landing, feet_together, plan_steps, step_off_gently
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS
from footfall.maths.easing import Keys

_THICK = 0.117
"""How thick head and back are, radii in leg lengths."""
_DUCK_ROUNDS = 6
"""How often who ducks sinks further until the head passes."""
_HIPS_S = (-0.7, 0.0, 0.1, 1.05)
_TRUNK_S = (-0.85, -0.05, 0.3, 1.35)
_HEAD_S = (-0.95, -0.15, 0.45, 1.55)
"""When hips, trunk and head begin to go down, are down, begin to rise and are up, seconds against
when all has to be low: the trunk goes first; out of it come the hips, then the trunk, then the
head."""
_ARMS, _TURNS = 0.9, 0.9
"""How far arms swing with the steps against a plain walk, and how much further than there hips and
shoulders of a bent body turn."""
_MOST_DEG, _SWAYS_DEG, _DIPS_DEG = 80.0, 5.0, 1.8
"""How far a back bends at most, and goes to the side, and up and down, with every step."""
_DEEP = 0.25
"""From a drop by this part of the height on knees come up to the shoulders: what makes room for
them grows with every part of the height beyond."""
_FORTH_DEG, _ELBOW_DEG, _OUT_DEG, _TURN_DEG = -15.0, 130.0, (3.0, 22.0), 12.0
"""How far arms go forward, elbows bend and arms go out there (and for less already), and how far
arms of a bent body are turned inward."""
_LIFT, _LOWER = 0.05, 3.2
"""How high feet are lifted, leg lengths, and by how much less there."""
_KNEES_DEG, _COUNTER_DEG = -45.0, 40.0
"""How far knees stay inside, and how much less the back goes to the foot that carries, there."""
Curve = list[tuple[float, float]]


def duck(
    head_m: float = 1.15, *, length_m: float = 0.6, lead: str = "right",
    who: Performer = MEAN_PERFORMER, seed: int = 0,
) -> Clip:  # fmt: skip
    """From standing, walk up to a bar, pass under it with the head below `head_m`, and stand.

    The path that is passed low is `length_m` long and centred on 1.75 leg lengths ahead.
    """
    leg_m = who.leg_m
    standing = 2.005 * leg_m * (who.tallness / who.size)
    check_range("the height of the head", head_m, 0.42 * standing, 0.93 * standing, unit="m")
    check_range("the path under it", length_m, 0.0, 3.0 * leg_m, unit="m")
    sides = both_sides(lead)
    step = 0.54 * leg_m
    count = 2 * int(np.ceil((3.5 * leg_m + length_m) / (2.0 * step)))
    drop = 1.0 - head_m / standing
    # The lower, the less room there is for knees: feet go low over the ground.
    swing = Swing(
        lift_m=_LIFT * (1.0 - _LOWER * max(drop - _DEEP, 0.0)) * leg_m,
        pitches=((0.3, -32.0), (0.8, 12.0)),
    )
    moves = [
        plain_step(sides[n % 2], (n + 1) * step, leg_m, swing_s=0.46, both_s=0.15, swing=swing)
        for n in range(count)
    ]
    moves[0] = step_off_gently(moves[0])
    moves.append(closing_step(sides[count % 2], count * step, leg_m))
    stands, landings = plan_steps(vary_steps(moves, seed), feet_together(SPREAD * leg_m))
    pace = step / 0.61
    centre = landings[0].off_s + 1.75 * leg_m / pace
    low, high = centre - 0.5 * length_m / pace - 0.55, centre + 0.5 * length_m / pace + 0.3
    keys = _bent_walk(landings, leg_m, drop, low, high)
    sinks = _ease(low, high, _HIPS_S)
    sink = max(0.0, 0.88 * drop - 0.118) * leg_m
    for _ in range(_DUCK_ROUNDS):
        action = Action(
            name=f"duck_{head_m:.2f}_{lead}", tags=("duck",), seconds=landings[-1].on_s + END_S,
            stances=stands, posture=PostureKeys(keys, 0.09, seed),
            height=_lower_hips(hips_height(landings, leg_m), sinks, sink),
        )  # fmt: skip
        clip, *_ = attempt(action, who)
        over = _over_bar(clip, 1.75 * leg_m, 0.5 * length_m, head_m - 0.005, leg_m)
        if over <= 0.0:
            break
        sink += 1.15 * over + 0.002
    return perform(action, who)


def _ease(low: float, high: float, when: tuple[float, float, float, float]) -> Curve:
    """From 0 to 1 and back around the time from `low` to `high`, seconds."""
    down, bent, up, upright = when
    return [(low + down, 0.0), (low + bent, 1.0), (high + up, 1.0), (high + upright, 0.0)]


def _bent_walk(
    landings: Sequence[Landing], leg_m: float, drop: float, low: float, high: float
) -> Book:
    """Postures of who walks and bends by a part of the height from `low` to `high`."""
    bends = _ease(low, high, _TRUNK_S)
    bent = float(np.clip(40.0 + 95.0 * drop, 0.0, _MOST_DEG))
    deep = max(drop - _DEEP, 0.0)
    keys = gait_angles(landings, leg_m, _ARMS)
    keys["head"] = [(t, 8.0 + (0.75 * bent - 2.0) * s) for t, s in _ease(low, high, _HEAD_S)]
    for name in ("yaw", "twist"):
        keys[name] = [(t, v * (1.0 + _TURNS * _share(bends, t))) for t, v in keys[name]]
    # With every step the back dips and bends over to the foot that carries.
    trunk = [(t, 2.0 + (bent - 2.0) * s) for t, s in bends]
    sways = _SWAYS_DEG - _COUNTER_DEG * deep
    lean: Curve = [(bends[0][0], 0.0)]
    for step in landings:
        middle, sign = 0.5 * (step.off_s + step.on_s), SIGNS[step.move.side]
        if middle > bends[0][0] + 0.05:
            lean.append((middle, -sways * sign * _share(bends, middle)))
        for t, dip in ((middle, -_DIPS_DEG), (step.on_s + 0.05, _DIPS_DEG)):
            if bends[1][0] + 0.05 < t < bends[2][0] - 0.05:
                trunk.append((t, bent + dip))
    keys["trunk"], keys["lean"] = sorted(trunk), [*lean, (lean[-1][0] + 0.6, 0.0)]
    for side in SIDES:
        keys[f"{side}_out"] = [(t, 9.0 + (_OUT_DEG[0] + _OUT_DEG[1] * deep) * s) for t, s in bends]
        keys[f"{side}_knee_out"] = [(t, _KNEES_DEG * deep * s) for t, s in bends]
        rest = STANDING[f"{side}_turn"]
        keys[f"{side}_turn"] = [(t, rest + (_TURN_DEG - rest) * s) for t, s in bends]
        for part, more in (("arm", _FORTH_DEG * deep), ("elbow", _ELBOW_DEG * deep)):
            keys[f"{side}_{part}"] = [
                (t, v + more * _share(bends, t)) for t, v in keys[f"{side}_{part}"]
            ]
    return keys


def _share(ease: Curve, second: float) -> float:
    return float(np.interp(second, [t for t, _ in ease], [s for _, s in ease]))


def _lower_hips(walking: Keys, ease: Keys, sink: float) -> Keys:
    """Heights of the hips of somebody who walks, lowered by `sink` as `ease` (0 to 1) says."""
    grid = sorted({*(t for t, _ in walking), *(t for t, _ in ease)})
    level = np.interp(grid, [t for t, _ in walking], [v for _, v in walking])
    share = np.interp(grid, [t for t, _ in ease], [s for _, s in ease])
    return [(t, float(v - sink * s)) for t, v, s in zip(grid, level, share, strict=True)]


def _over_bar(clip: Clip, at_m: float, near_m: float, height_m: float, leg_m: float) -> float:
    """By how much the head or the back is over a height, within `near_m` of z = `at_m`."""
    poses, role = clip.world, clip.skeleton.role
    places = [poses.positions[:, role(part)] for part in ("hips", "spine", "chest", "neck", "head")]
    top, thick = clip.end_positions[:, 0], _THICK * leg_m
    over = -np.inf
    for place, radius in ((top, 0.0), *((p, thick) for p in (0.5 * (top + places[-1]), *places))):
        near = np.abs(place[:, 2] - at_m) <= near_m + radius
        over = max(over, float(place[near, 1].max(initial=-np.inf)) + radius - height_m)
    return over
