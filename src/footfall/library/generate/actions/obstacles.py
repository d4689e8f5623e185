"""Over, onto, off, up, down, under and along things: steps with feet that clear them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.kinematics import end_positions, world_poses
from footfall.body.roles import SIDES
from footfall.errors import check_range, check_whole
from footfall.library.generate.actions.action import Action, attempt, perform
from footfall.library.generate.actions.footwork import (
    Book,
    gait_angles,
    hips_height,
)
from footfall.library.generate.actions.postures import STANDING, PostureKeys
from footfall.library.generate.feet.steps import Swing
from footfall.library.generate.feet.walking_steps import (
    Move,
    feet_together,
    plan_steps,
    step_off_gently,
)
from footfall.library.generate.performer import MEAN_PERFORMER, Performer
from footfall.library.generate.sides import SIGNS, side_index
from footfall.maths.easing import Keys

_SPREAD = 0.2
"""Between the ankles of standing feet, leg lengths."""
_LINE = 0.075
"""How far beside its path a walking foot stands, leg lengths."""
_END_S = 0.95
_BEAM_LEAN_DEG, _BEAM_ARM_DEG = 7.8, 20.0
"""How far trunk and arms go to catch the balance on a beam."""
_THICK = 0.117
"""How thick head and back are, radii in leg lengths."""
_DUCK_ROUNDS, _RISE_S = 6, 1.2
"""How often who ducks sinks further until the head passes, and how long rising takes: about a step
and a half."""
_OFF_EDGE = 0.4
"""The part of a swing down after which the whole foot is over the lower ground."""


def _sides(lead: str) -> tuple[int, int]:
    first = side_index(lead)
    return first, 1 - first


def _x(side: int, leg_m: float, half: float = _LINE) -> float:
    return half * leg_m * SIGNS[side]


def _yaw(side: int, degrees: float = 6.0) -> float:
    return degrees * SIGNS[side]


def _move(side: int, z: float, leg_m: float, **more: object) -> Move:
    """A plain step, changed as `more` says."""
    plain = Move(
        side, _x(side, leg_m), z, yaw_deg=_yaw(side),
        swing=Swing(lift_m=0.05 * leg_m, pitches=((0.3, -32.0), (0.8, 12.0))),
    )  # fmt: skip
    return replace(plain, **more)  # type: ignore[arg-type]


def _walk_over(
    name: str, tags: tuple[str, ...], moves: list[Move], who: Performer, seed: int,
    *, more: Mapping[str, list[tuple[float, float]]] | None = None, arms: float = 1.0,
    trunk: float = 4.0, gaze: float = 20.0, level: float = 0.0,
    softness_s: float = 0.075,
) -> Clip:  # fmt: skip
    """The clip of steps from standing to standing."""
    leg_m = who.leg_m
    start = feet_together(_SPREAD * leg_m)
    start = (replace(start[0], y=level), replace(start[1], y=level))
    stands, landings = plan_steps(_vary(moves, seed), start)
    keys: Book = gait_angles(landings, leg_m, arms)
    first, last = landings[0].off_s, landings[-1].on_s
    keys["trunk"] = [(first - 0.35, STANDING["trunk"]), (first + 0.1, trunk), (last - 0.1, trunk),
                     (last + 0.45, STANDING["trunk"])]  # fmt: skip
    # Of a longer path the middle is known: eyes come up for a while.
    keys["head"] = [(first - 0.6, STANDING["head"]), (first - 0.2, gaze),
                    *(((0.45 * first + 0.55 * last, 0.6 * gaze),) if last - first > 2.0 else ()),
                    (last - 0.3, gaze), (last + 0.5, STANDING["head"])]  # fmt: skip
    keys.update(more or {})
    hips = hips_height(landings, leg_m, level)
    return perform(
        Action(
            name=name, tags=tags, seconds=last + _END_S, stances=stands,
            posture=PostureKeys(keys, softness_s, seed), height=hips,
        ),
        who,
    )  # fmt: skip


def _vary(moves: list[Move], seed: int) -> list[Move]:
    """The moves with the small differences that steps have."""
    if seed == 0:
        return moves
    rng = np.random.default_rng([seed, 74])
    return [
        replace(
            m, swing_s=m.swing_s * float(rng.uniform(0.95, 1.06)),
            both_s=m.both_s * float(rng.uniform(0.9, 1.15)),
            yaw_deg=m.yaw_deg + float(rng.uniform(-2.0, 2.0)),
        )
        for m in moves
    ]  # fmt: skip


def step_over(
    height_m: float = 0.25, *, depth_m: float = 0.08, lead: str = "right",
    who: Performer = MEAN_PERFORMER, seed: int = 0,
) -> Clip:  # fmt: skip
    """From standing, walk up to something `height_m` high, step over it, walk on and stop.

    The thing is centred 1.3 leg lengths ahead of where the ankles start.
    """
    leg_m = who.leg_m
    check_range("the height of what is stepped over", height_m, 0.02, 0.47 * leg_m, unit="m")
    check_range("its depth", depth_m, 0.0, 0.25 * leg_m, unit="m")
    first, second = _sides(lead)
    h = height_m / leg_m
    at = 1.3 * leg_m
    before, behind = at - 0.5 * depth_m, at + 0.5 * depth_m
    # Toes of the trailing foot stand 0.27 legs before it, the lead heel lands behind it.
    stop, land = before - (0.455 + 0.1 * h) * leg_m, behind + 0.305 * leg_m
    over = Swing(
        lift_m=(0.105 + 0.80 * h) * leg_m, peak=0.55, hold=0.18, out_m=0.03 * leg_m,
        pitches=((0.2, -28.0), (0.5, 4.0), (0.85, 12.0)),
    )  # fmt: skip
    trail = Swing(
        lift_m=(0.14 + 0.94 * h) * leg_m, peak=0.42, hold=0.16, late=0.16 * h,
        out_m=(0.02 + 0.16 * h) * leg_m,
        pitches=((0.25, -44.0), (0.55, -16.0), (0.85, 10.0)),
    )  # fmt: skip
    moves = [
        step_off_gently(_move(first, stop - 0.4 * leg_m, leg_m, swing_s=0.4, both_s=0.1)),
        _move(second, stop, leg_m, swing_s=0.42, both_s=0.1),
        _move(first, land, leg_m, swing_s=0.44 + 0.32 * h, swing=over, leave_deg=34.0, both_s=0.1),
        _move(second, land + 0.5 * leg_m, leg_m, swing_s=0.47 + 0.34 * h, swing=trail,
              leave_deg=44.0, leave_s=0.24, both_s=0.11),
        _move(first, land + 0.94 * leg_m, leg_m, swing_s=0.42, both_s=0.1),
        _close(second, land + 0.94 * leg_m, leg_m, both_s=0.14),
    ]  # fmt: skip
    raised, lead_name, trail_name = 10.0 + 20.0 * h, lead, "left" if lead == "right" else "right"
    _, landings = plan_steps(_vary(moves, seed), feet_together(_SPREAD * leg_m))
    lead_step, trail_step = landings[2], landings[3]
    more = {
        "trunk": [(0.5, 1.5), (lead_step.off_s, 5.0), (lead_step.on_s, 6.0 + 4.0 * h),
                  (trail_step.off_s + 0.25, 10.0 + 14.0 * h), (trail_step.on_s, 7.0),
                  (landings[-1].on_s + 0.4, 1.5)],
        f"{lead_name}_knee_out": [(lead_step.off_s, 0.0), (lead_step.off_s + 0.3, 3.0 + 12.0 * h),
                                  (lead_step.on_s, 0.0)],
        f"{trail_name}_knee_out": [(trail_step.off_s, 0.0),
                                   (trail_step.off_s + 0.3, 4.0 + 50.0 * h),
                                   (trail_step.on_s, 0.0)],
        "left_out": [(lead_step.off_s - 0.2, 9.0), (lead_step.on_s, raised + 8.0),
                     (trail_step.on_s + 0.3, 9.0)],
        "right_out": [(lead_step.off_s - 0.2, 9.0), (lead_step.on_s, raised + 7.0),
                      (trail_step.on_s + 0.3, 9.0)],
    }  # fmt: skip
    return _walk_over(
        f"step_over_{height_m:.2f}_{lead}", ("step_over",), moves, who, seed, more=more,
    )  # fmt: skip


def _close(side: int, z: float, leg_m: float, y: float = 0.0, **more: object) -> Move:
    """The step that puts a foot beside the other, to stand."""
    plain = Move(
        side, _x(side, leg_m, 0.5 * _SPREAD), z, y, swing_s=0.48, yaw_deg=_yaw(side, 7.0),
        swing=Swing(lift_m=0.035 * leg_m, pitches=((0.3, -22.0), (0.8, 3.0))), strike_deg=3.0,
        leave_deg=30.0,
    )  # fmt: skip
    return replace(plain, **more)  # type: ignore[arg-type]


def _up(side: int, z: float, y: float, h: float, leg_m: float, **more: object) -> Move:
    swing = Swing(
        lift_m=(0.09 + 0.34 * h) * leg_m, peak=0.43, hold=0.14, late=0.2,
        pitches=((0.2, -26.0), (0.45, 2.0), (0.9, 3.0)),
    )  # fmt: skip
    plain = Move(
        side, _x(side, leg_m), z, y, swing_s=0.57 + 0.2 * h, both_s=0.24, swing=swing,
        yaw_deg=_yaw(side), strike_deg=2.0, leave_deg=40.0, leave_s=0.3,
    )  # fmt: skip
    return replace(plain, **more)  # type: ignore[arg-type]


def _down(side: int, z: float, y: float, h: float, leg_m: float, **more: object) -> Move:
    swing = Swing(
        lift_m=(0.033 + 0.11 * h) * leg_m, peak=0.33, hold=0.1,
        # The heel has soon left the upper edge behind.
        pitches=((0.25, -20.0), (0.7, -14.0)), ground=((_OFF_EDGE, y + h * leg_m),),
    )  # fmt: skip
    plain = Move(
        side, _x(side, leg_m), z, y, swing_s=0.58 + 0.3 * h, both_s=0.2, swing=swing,
        yaw_deg=_yaw(side), strike_deg=-17.0, leave_deg=32.0, leave_s=0.32,
    )  # fmt: skip
    return replace(plain, **more)  # type: ignore[arg-type]


def step_onto(
    height_m: float = 0.25, *, lead: str = "right", who: Performer = MEAN_PERFORMER, seed: int = 0
) -> Clip:
    """From standing, step onto something `height_m` high, 0.5 leg lengths ahead, and stand."""
    leg_m = who.leg_m
    check_range("the height of the step", height_m, 0.05, 0.6 * leg_m, unit="m")
    first, second = _sides(lead)
    h = height_m / leg_m
    edge = 0.5 * leg_m
    at = edge + 0.16 * leg_m
    moves = [
        _up(first, at, height_m, h, leg_m),
        _close(second, at, leg_m, height_m, swing_s=0.64 + 0.6 * h, both_s=0.34,
               leave_deg=44.0 + 20.0 * h, leave_s=0.42, strike_deg=1.0, swing=Swing(
                   lift_m=(0.08 + 0.4 * h) * leg_m, peak=0.44, hold=0.14,
                   pitches=((0.25, -44.0), (0.6, -6.0), (0.9, 2.0)))),
    ]  # fmt: skip
    return _walk_over(
        f"step_onto_{height_m:.2f}_{lead}", ("step_up",), moves, who, seed,
        trunk=6.0 + 16.0 * h, gaze=24.0, arms=0.7,
    )  # fmt: skip


def step_off(
    height_m: float = 0.25, *, lead: str = "right", who: Performer = MEAN_PERFORMER, seed: int = 0
) -> Clip:
    """From standing on something `height_m` high, step off it forward and stand.

    The edge is 0.3 leg lengths ahead of the ankles.
    """
    leg_m = who.leg_m
    check_range("the height of the step", height_m, 0.05, 0.5 * leg_m, unit="m")
    first, second = _sides(lead)
    h = height_m / leg_m
    at = (0.3 + 0.27) * leg_m
    moves = [
        _down(first, at, 0.0, h, leg_m),
        # What is left behind does not linger there, and comes down along.
        _close(second, at, leg_m, 0.0, swing_s=0.57 + 0.1 * h, both_s=0.08, leave_deg=40.0,
               leave_s=0.3, strike_deg=-6.0, swing=Swing(
                   lift_m=(0.015 + 0.05 * h) * leg_m, peak=0.25, hold=0.04,
                   pitches=((0.3, -36.0), (0.75, -10.0)), ground=((0.4, height_m),))),
    ]  # fmt: skip
    return _walk_over(
        f"step_off_{height_m:.2f}_{lead}", ("step_down",), moves, who, seed,
        trunk=5.0 + 10.0 * h, gaze=26.0, level=height_m, arms=0.7,
    )  # fmt: skip


def stairs(
    rise_m: float = 0.17, *, tread_m: float = 0.29, count: int = 4, down: bool = False,
    lead: str = "right", who: Performer = MEAN_PERFORMER, seed: int = 0,
) -> Clip:  # fmt: skip
    """From standing, climb `count` steps foot over foot (or go down them), and stand.

    Going up the first riser is 0.45 leg lengths ahead of the ankles, going down the first edge
    0.26.
    """
    leg_m = who.leg_m
    check_range("the rise of a stair", rise_m, 0.08, 0.3 * leg_m, unit="m")
    check_range("the tread of a stair", tread_m, 0.3 * leg_m, 0.55 * leg_m, unit="m")
    check_whole("the number of stairs", count, 2, 40)
    sides = _sides(lead)
    h = rise_m / leg_m
    edge = (0.26 if down else 0.45) * leg_m
    level = count * rise_m if down else 0.0
    moves = []
    rhythm = np.random.default_rng([seed, 79]).uniform(-1.0, 1.0, (count, 2))
    for n in range(count):
        z = edge + n * tread_m + (0.075 * leg_m if not down else 0.5 * tread_m + 0.02)
        y = level - (n + 1) * rise_m if down else (n + 1) * rise_m
        make = _down if down else _up
        moves.append(make(sides[n % 2], z, y, 2.0 * h if n else h, leg_m,
                          both_s=0.16 + 0.025 * float(rhythm[n, 0]),
                          swing_s=0.56 + 0.025 * float(rhythm[n, 1])))  # fmt: skip
    ends = moves[-1]
    lift = Swing(
        lift_m=(0.1 if down else 0.1 + 0.3 * h) * leg_m, peak=0.4, hold=0.12,
        late=0.0 if down else 0.24, pitches=((0.25, -30.0), (0.75, -4.0)),
    )  # fmt: skip
    moves.append(
        _close(sides[count % 2], ends.z, leg_m, ends.y, swing=lift, swing_s=0.58, both_s=0.2,
               leave_deg=40.0, strike_deg=-4.0 if down else 1.0)
    )  # fmt: skip
    where = "down" if down else "up"
    return _walk_over(
        f"stairs_{where}_{rise_m:.2f}_{lead}", (f"step_{where}",), moves, who, seed,
        trunk=2.0 if down else 11.0, gaze=24.0, level=level, arms=1.4,
    )  # fmt: skip


def beam(
    steps: int = 8, *, step_m: float = 0.38, lead: str = "right", who: Performer = MEAN_PERFORMER,
    seed: int = 0,
) -> Clip:  # fmt: skip
    """Walk along a beam: feet on one line, arms out, slow careful steps.

    Starts and ends with one foot before the other.
    """
    leg_m = who.leg_m
    check_whole("the number of steps", steps, 4, 60)
    check_range("the step", step_m, 0.3 * leg_m, 0.55 * leg_m, unit="m")
    sides = _sides(lead)
    half = 0.012
    rng = np.random.default_rng([seed, 75])
    feet = feet_together(2.0 * half * leg_m, 4.0)
    feet = tuple(replace(f, z=0.5 * step_m if f.side == sides[1] else -0.5 * step_m) for f in feet)  # type: ignore[assignment]
    moves = [
        Move(
            sides[n % 2], _x(sides[n % 2], leg_m, half), (0.5 + n + 1.0) * step_m,
            swing_s=0.53 * float(rng.uniform(0.85, 1.2)),
            both_s=0.25 * float(rng.uniform(0.7, 1.5)),
            yaw_deg=_yaw(sides[n % 2], 4.0),
            swing=Swing(lift_m=0.07 * leg_m, out_m=0.076 * leg_m,
                        pitches=((0.25, -24.0), (0.75, -2.0))),
            strike_deg=-3.0, leave_deg=26.0,
        )
        for n in range(steps)
    ]  # fmt: skip
    stands, landings = plan_steps(moves, feet, 1.25)
    keys = gait_angles(landings, leg_m, 0.0)
    # Twice a step the balance is caught: the trunk bends away, one arm goes up, the other down.
    catches = [t for step in landings for t in (0.5 * (step.off_s + step.on_s), step.on_s + 0.08)]
    falls = [float(f) for f in np.clip(rng.normal(0.0, 0.6, len(catches)), -1.3, 1.3)]
    catches.append(catches[-1] + 0.4)  # and in the end it is found
    falls.append(0.0)
    keys["lean"] = [
        (0.0, 0.0),
        *((t, _BEAM_LEAN_DEG * f) for t, f in zip(catches, falls, strict=True)),
    ]
    for side, up in (("left", 1.0), ("right", -1.0)):
        keys[f"{side}_out"] = [
            (0.0, 60.0),
            *((t - 0.05, 60.0 + _BEAM_ARM_DEG * (up * f + float(rng.uniform(-0.25, 0.25))))
              for t, f in zip(catches, falls, strict=True)),
        ]  # fmt: skip
        keys[f"{side}_arm"] = [
            (0.0, 4.0), *((s.on_s, 4.0 + float(rng.uniform(-11, 11))) for s in landings),
        ]  # fmt: skip
        keys[f"{side}_elbow"] = [
            (0.0, 28.0), *((s.on_s, 28.0 + float(rng.uniform(-14, 14))) for s in landings),
        ]  # fmt: skip
    keys["trunk"], keys["head"] = [(0.0, 3.0)], [(0.0, 24.0)]
    return perform(
        Action(
            name=f"beam_{steps}_{lead}", tags=("beam",), seconds=landings[-1].on_s + 1.9,
            stances=stands, posture=PostureKeys(keys, 0.09, seed),
            height=hips_height(landings, leg_m),
        ),
        who,
    )  # fmt: skip


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
    sides = _sides(lead)
    step = 0.54 * leg_m
    count = 2 * int(np.ceil((3.5 * leg_m + length_m) / (2.0 * step)))
    moves = [
        _move(sides[n % 2], (n + 1) * step, leg_m, swing_s=0.46, both_s=0.15) for n in range(count)
    ]
    moves[0] = step_off_gently(moves[0])
    moves.append(_close(sides[count % 2], count * step, leg_m))
    stands, landings = plan_steps(_vary(moves, seed), feet_together(_SPREAD * leg_m))
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
            name=f"duck_{head_m:.2f}_{lead}", tags=("duck",), seconds=landings[-1].on_s + _END_S,
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
