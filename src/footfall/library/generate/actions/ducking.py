"""Under things: who walks bent, and low enough for the head to pass."""

from __future__ import annotations

import numpy as np

from footfall.body.clip import Clip
from footfall.body.kinematics import end_positions, world_poses
from footfall.body.roles import SIDES
from footfall.errors import check_range
from footfall.library.generate.actions.action import Action, attempt, perform
from footfall.library.generate.actions.crossing import (
    END_S,
    SPREAD,
    both_sides,
    closing_step,
    plain_step,
    vary_steps,
)
from footfall.library.generate.actions.footwork import gait_angles, hips_height
from footfall.library.generate.actions.postures import PostureKeys
from footfall.library.generate.feet.walking_steps import feet_together, plan_steps, step_off_gently
from footfall.library.generate.performer import MEAN_PERFORMER, Performer
from footfall.maths.easing import Keys

_THICK = 0.117
"""How thick head and back are, radii in leg lengths."""
_DUCK_ROUNDS, _RISE_S = 6, 1.2
"""How often who ducks sinks further until the head passes, and how long rising takes: about a step
and a half."""


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
    moves = [
        plain_step(sides[n % 2], (n + 1) * step, leg_m, swing_s=0.46, both_s=0.15)
        for n in range(count)
    ]
    moves[0] = step_off_gently(moves[0])
    moves.append(closing_step(sides[count % 2], count * step, leg_m))
    stands, landings = plan_steps(vary_steps(moves, seed), feet_together(SPREAD * leg_m))
    pace = step / 0.61
    centre = landings[0].off_s + 1.75 * leg_m / pace
    low, high = centre - 0.5 * length_m / pace - 0.55, centre + 0.5 * length_m / pace + 0.3
    ease = [(low - 0.8, 0.0), (low, 1.0), (high, 1.0), (high + _RISE_S, 0.0)]
    drop = 1.0 - head_m / standing
    trunk = float(np.clip(40.0 + 95.0 * drop, 0.0, 84.0))
    keys = gait_angles(landings, leg_m, 0.5)
    keys["trunk"] = [(t, 2.0 + (trunk - 2.0) * s) for t, s in ease]
    keys["head"] = [(t - 0.1, 8.0 + (0.75 * trunk - 2.0) * s) for t, s in ease]
    at, shares = [t for t, _ in ease], [s for _, s in ease]
    for side in SIDES:
        keys[f"{side}_out"] = [(t, 9.0 + 3.0 * s) for t, s in ease]
        keys[f"{side}_knee_out"] = [(t, 3.0 * s) for t, s in ease]
        # Elbows go back and bend, so that hands stay near the knees.
        for part, more in (("arm", -50.0 * drop), ("elbow", 20.0 + 80.0 * drop)):
            keys[f"{side}_{part}"] = [
                (t, v + more * float(np.interp(t, at, shares))) for t, v in keys[f"{side}_{part}"]
            ]
    sink = max(0.0, 0.88 * drop - 0.118) * leg_m
    for _ in range(_DUCK_ROUNDS):
        action = Action(
            name=f"duck_{head_m:.2f}_{lead}", tags=("duck",), seconds=landings[-1].on_s + END_S,
            stances=stands, posture=PostureKeys(keys, 0.09, seed),
            height=_lower_hips(hips_height(landings, leg_m), ease, sink),
        )  # fmt: skip
        clip, *_ = attempt(action, who)
        over = _over_bar(clip, 1.75 * leg_m, 0.5 * length_m, head_m - 0.005, leg_m)
        if over <= 0.0:
            break
        sink += 1.15 * over + 0.002
    return perform(action, who)


def _lower_hips(walking: Keys, ease: Keys, sink: float) -> Keys:
    """Heights of the hips of somebody who walks, lowered by `sink` as `ease` (0 to 1) says."""
    grid = sorted({*(t for t, _ in walking), *(t for t, _ in ease)})
    level = np.interp(grid, [t for t, _ in walking], [v for _, v in walking])
    share = np.interp(grid, [t for t, _ in ease], [s for _, s in ease])
    return [(t, float(v - sink * s)) for t, v, s in zip(grid, level, share, strict=True)]


def _over_bar(clip: Clip, at_m: float, near_m: float, height_m: float, leg_m: float) -> float:
    """By how much the head or the back is over a height, within `near_m` of z = `at_m`."""
    poses, role = world_poses(clip), clip.skeleton.role
    places = [poses.positions[:, role(part)] for part in ("hips", "spine", "chest", "neck", "head")]
    top, thick = end_positions(clip, poses)[:, 0], _THICK * leg_m
    over = -np.inf
    for place, radius in ((top, 0.0), *((p, thick) for p in (0.5 * (top + places[-1]), *places))):
        near = np.abs(place[:, 2] - at_m) <= near_m + radius
        over = max(over, float(place[near, 1].max(initial=-np.inf)) + radius - height_m)
    return over
