"""What all walking over things shares: arms, pelvis and hips that go with the steps.

The rest of the posture is up to the action.
"""

from __future__ import annotations

from collections.abc import Sequence

from footfall.body.roles import SIDES
from footfall.library.generate.actions.postures import STANDING
from footfall.library.generate.feet.walking_steps import Landing
from footfall.library.generate.sides import SIGNS
from footfall.maths.easing import Keys

YIELD, YIELD_S = 0.175, (0.22, 0.62)
"""How far hips sink on the leg that lands from a step, for each metre of it, and
how soon it has yielded and stretched again."""
Book = dict[str, list[tuple[float, float]]]


def gait_angles(landings: Sequence[Landing], leg_m: float, arms: float = 1.0) -> Book:
    """Keys of pelvis, chest and arms that go with the steps."""
    book: Book = {name: [] for name in ("yaw", "twist")}
    for side in SIDES:
        book[f"{side}_arm"], book[f"{side}_elbow"] = [], []
    first, last = landings[0].off_s - 0.3, landings[-1].on_s + 0.45
    for name in book:
        book[name].append((first, STANDING[name]))
    for step in landings:
        sign = SIGNS[step.move.side]
        size = step.ahead_m / (0.75 * leg_m)
        book["yaw"].append((step.on_s, -4.5 * sign * size))
        book["twist"].append((step.on_s, 8.5 * sign * size))
        same, other = SIDES[step.move.side], SIDES[1 - step.move.side]
        book[f"{same}_arm"].append((step.on_s, -5.0 - 15.0 * arms * size))
        book[f"{other}_arm"].append((step.on_s, -2.0 + 15.0 * arms * size))
        book[f"{same}_elbow"].append((step.on_s, 24.0 - 4.0 * arms * size))
        book[f"{other}_elbow"].append((step.on_s, 26.0 + 10.0 * arms * size))
    for name in book:
        book[name].append((last, STANDING[name]))
    return book


def hips_height(landings: Sequence[Landing], leg_m: float, level: float = 0.0) -> Keys:
    """Heights of the hips over steps that go up and down.

    Who climbs rises after the foot is up, who descends sinks before it is down; who goes on
    the level rises over the standing leg.
    """
    low = -0.018 * leg_m
    keys: list[tuple[float, float]] = [(landings[0].off_s - 0.25, level)]
    previous = level
    ground = level
    for n, step in enumerate(landings):
        ground = previous
        target = step.move.y
        rise = target - ground
        middle = 0.5 * (step.off_s + step.on_s)
        following = landings[n + 1].off_s if n + 1 < len(landings) else step.on_s + 0.3
        if rise > 0.03:
            keys += [
                (step.on_s - 0.05, ground + low + 0.12 * rise),
                (following, ground + 0.42 * rise),
            ]
            if n + 1 < len(landings):
                keys.append((0.4 * following + 0.6 * landings[n + 1].on_s, target - 0.004))
        elif rise < -0.03:
            # The leg that carries stays long at first, and yields when the other reaches down.
            early = 0.62 * step.off_s + 0.38 * step.on_s
            if keys[-1][0] < early - 0.05:
                keys.append((early, ground + 0.4 * low + 0.06 * rise))
            keys.append((step.on_s, target - 0.22 * rise + low))
            if n + 1 < len(landings) and landings[n + 1].move.y < target - 0.03:
                keys.append((following, target + 0.6 * low))
            else:  # the leg that lands yields under the whole fall, and stretches again
                deep = -YIELD * rise
                keys += [(step.on_s + YIELD_S[0], target - deep),
                         (step.on_s + YIELD_S[1], target + 0.4 * low)]  # fmt: skip
        else:
            if keys[-1][0] < middle - 0.05:
                keys.append((middle, target - 0.004))
            keys.append((max(step.on_s, keys[-1][0] + 0.05), target + low))
        previous = target
    keys.append((landings[-1].on_s + 0.5, previous))
    return [k for n, k in enumerate(keys) if n == 0 or k[0] > keys[n - 1][0] + 0.02]
