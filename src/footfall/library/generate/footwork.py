"""Steps one after the other from standing to standing: what all walking over things shares.

Weight, arms, pelvis and trunk follow from the steps; the rest of the posture is up to the action.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from footfall.library.generate.actions.postures import STANDING, Keys
from footfall.library.generate.gait.feet_path import Stand, Swing

Book = dict[str, list[tuple[float, float]]]
WAIT_S = 0.75
_PLAIN = Swing()


@dataclass(frozen=True)
class Move:
    """A foot goes to (x, z) on ground `y` high in `swing_s`, after both stood for `both_s`."""

    side: int
    x: float
    z: float
    y: float = 0.0
    swing_s: float = 0.5
    both_s: float = 0.16
    swing: Swing = _PLAIN
    yaw_deg: float = 0.0
    strike_deg: float = 9.0
    leave_deg: float = 30.0
    leave_s: float = 0.26


@dataclass(frozen=True)
class Landed:
    """A move in time: the foot leaves, lands; how far ahead of the other foot and how much higher
    than before it stands then."""

    move: Move
    off_s: float
    on_s: float
    ahead_m: float
    rise_m: float


def walked(
    moves: Sequence[Move], start: tuple[Stand, Stand], wait_s: float = WAIT_S
) -> tuple[tuple[Stand, ...], tuple[Landed, ...]]:
    """The stands of both feet over all moves, and when each lands."""
    stands: list[Stand] = [*start]
    landed: list[Landed] = []
    now = wait_s
    last = list(start)
    for move in moves:
        off = now if not landed else landed[-1].on_s + move.both_s
        on = off + move.swing_s
        here = last[move.side]
        there = Stand(
            move.side, move.x, move.z, begin_s=on, y=move.y, yaw_deg=move.yaw_deg,
            strike_deg=move.strike_deg, flat_s=0.11, swing=move.swing,
        )  # fmt: skip
        stands[stands.index(here)] = replace(
            here, end_s=off, leave_deg=move.leave_deg, leave_s=move.leave_s
        )
        stands.append(there)
        last[move.side] = there
        other = last[1 - move.side]
        landed.append(Landed(move, off, on, move.z - other.z, move.y - other.y))
    return tuple(stands), tuple(landed)


def at_rest(spread_m: float, yaw_deg: float = 7.0, z: float = 0.0) -> tuple[Stand, Stand]:
    """Both feet beside each other."""
    return (
        Stand(0, 0.5 * spread_m, z, yaw_deg=yaw_deg),
        Stand(1, -0.5 * spread_m, z, yaw_deg=-yaw_deg),
    )


def gait_angles(landed: Sequence[Landed], leg_m: float, arms: float = 1.0) -> Book:
    """Keys of pelvis, trunk and arms that go with the steps."""
    book: Book = {name: [] for name in ("yaw", "twist", "list", "lean")}
    for side in ("left", "right"):
        book[f"{side}_arm"], book[f"{side}_elbow"] = [], []
    first, last = landed[0].off_s - 0.3, landed[-1].on_s + 0.45
    for name in book:
        book[name].append((first, STANDING[name]))
    for step in landed:
        sign = 1.0 if step.move.side == 0 else -1.0
        size = step.ahead_m / (0.75 * leg_m)
        middle = 0.5 * (step.off_s + step.on_s)
        book["yaw"].append((step.on_s, -4.5 * sign * size))
        book["twist"].append((step.on_s, 8.5 * sign * size))
        book["list"].append((middle, -2.6 * sign))
        book["lean"].append((middle, -1.8 * sign))
        same, other = ("left", "right") if step.move.side == 0 else ("right", "left")
        book[f"{same}_arm"].append((step.on_s, -5.0 - 15.0 * arms * size))
        book[f"{other}_arm"].append((step.on_s, -2.0 + 15.0 * arms * size))
        book[f"{same}_elbow"].append((step.on_s, 24.0 - 4.0 * arms * size))
        book[f"{other}_elbow"].append((step.on_s, 26.0 + 10.0 * arms * size))
    for name in book:
        book[name].append((last, STANDING[name]))
    return book


def hips_height(landed: Sequence[Landed], leg_m: float, level: float = 0.0) -> Keys:
    """Heights of the hips over steps that go up and down.

    Who climbs rises after the foot is up, who descends sinks before it is down; who goes on
    the level rises over the standing leg.
    """
    low = -0.018 * leg_m
    keys: list[tuple[float, float]] = [(landed[0].off_s - 0.25, level)]
    previous = level
    ground = level
    for n, step in enumerate(landed):
        ground = previous
        target = step.move.y
        rise = target - ground
        middle = 0.5 * (step.off_s + step.on_s)
        following = landed[n + 1].off_s if n + 1 < len(landed) else step.on_s + 0.3
        if rise > 0.03:
            keys += [
                (step.on_s - 0.05, ground + low + 0.12 * rise),
                (following, ground + 0.42 * rise),
            ]
            if n + 1 < len(landed):
                keys.append((0.4 * following + 0.6 * landed[n + 1].on_s, target - 0.004))
        elif rise < -0.03:
            keys += [(step.on_s, target - 0.1 * rise + 1.6 * low), (following, target + 2.0 * low)]
        else:
            if keys[-1][0] < middle - 0.05:
                keys.append((middle, target - 0.004))
            keys.append((max(step.on_s, keys[-1][0] + 0.05), target + low))
        previous = target
    keys.append((landed[-1].on_s + 0.5, previous))
    return [k for n, k in enumerate(keys) if n == 0 or k[0] > keys[n - 1][0] + 0.02]
