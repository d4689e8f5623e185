"""What all walking over things shares: arms, pelvis and hips that go with the steps.

The rest of the posture is up to the action.
"""

from __future__ import annotations

from collections.abc import Sequence

from footfall.body.roles import SIDES
from footfall.generate.actions.postures import STANDING
from footfall.generate.feet.walking_steps import Landing
from footfall.generate.sides import SIGNS
from footfall.maths.easing import Keys

YIELD, YIELD_S = 0.24, (0.26, 0.7)
YIELD_MOST = 0.085
"""How far hips sink on the leg that lands from a step, for each metre of it, and
how soon it has yielded and stretched again; and the most, leg lengths."""
LANDS, LANDS_S = 0.27, 0.19
"""The same where the next step goes down, too: the knee gives, and how soon."""
STAYS_LOW = 0.24, 0.06
"""How much lower, for each metre of it, hips are when the next step down begins: of those who have
just come down one, whose knee is still bent, and of those who stood."""
HIGH = 0.22, 0.45
"""Rises, leg lengths, that are climbed as a stair is, and those that are high."""
REACHES = 0.045
"""How much higher than when standing hips are at most when a foot reaches down, leg lengths."""
Book = dict[str, list[tuple[float, float]]]


def gait_angles(
    landings: Sequence[Landing], leg_m: float, arms: float = 1.0, turns: float = 1.0
) -> Book:
    """Keys of pelvis, chest and arms that go with the steps: how far arms swing, and how far hips
    and shoulders turn, against a plain walk."""
    book: Book = {name: [] for name in ("yaw", "twist")}
    for side in SIDES:
        book[f"{side}_arm"], book[f"{side}_elbow"] = [], []
    first, last = landings[0].off_s - 0.3, landings[-1].on_s + 0.45
    for name in book:
        book[name].append((first, STANDING[name]))
    for step in landings:
        sign = SIGNS[step.move.side]
        size = step.ahead_m / (0.75 * leg_m)
        book["yaw"].append((step.on_s, -4.5 * turns * sign * size))
        book["twist"].append((step.on_s, 8.5 * turns * sign * size))
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
    ground, rise = level, 0.0
    for n, step in enumerate(landings):
        ground = previous
        target = step.move.y
        came, rise = rise, target - ground
        middle = 0.5 * (step.off_s + step.on_s)
        following = landings[n + 1].off_s if n + 1 < len(landings) else step.on_s + 0.3
        if rise > 0.03:
            # Onto what is high the leg has to lift more, and takes longer.
            high = min(max(rise / leg_m - HIGH[0], 0.0) / (HIGH[1] - HIGH[0]), 1.0)
            keys += [
                (step.on_s - 0.05, ground + low + 0.12 * rise),
                (following, ground + (0.42 - 0.2 * high) * rise),
            ]
            if n + 1 < len(landings):
                part = 0.6 + 0.25 * high
                up_s = (1.0 - part) * following + part * landings[n + 1].on_s
                keys.append((up_s, target - 0.004))
        elif rise < -0.03:
            # The leg that carries stays long at first, and yields when the other reaches down.
            early = 0.62 * step.off_s + 0.38 * step.on_s
            stays = STAYS_LOW[came > -0.03]
            if keys[-1][0] < early - 0.05:
                keys.append((early, ground + 0.4 * low + stays * rise))
            keys.append((step.on_s, target + min(-0.22 * rise, REACHES * leg_m) + low))
            if n + 1 < len(landings) and landings[n + 1].move.y < target - 0.03:
                keys.append((step.on_s + LANDS_S, target + LANDS * rise + low))
            else:  # the leg that lands yields under the whole fall, and stretches again
                deep = min(-YIELD * rise, YIELD_MOST * leg_m)
                keys += [(step.on_s + YIELD_S[0], target - deep),
                         (step.on_s + YIELD_S[1], target + 0.4 * low)]  # fmt: skip
        else:
            if keys[-1][0] < middle - 0.05:
                keys.append((middle, target - 0.004))
            keys.append((max(step.on_s, keys[-1][0] + 0.05), target + low))
        previous = target
    keys.append((landings[-1].on_s + 0.5, previous))
    return [k for n, k in enumerate(keys) if n == 0 or k[0] > keys[n - 1][0] + 0.02]
