"""What all who go over, onto, off, up, down or under things share: plain steps from standing to
standing, and the clip of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from footfall.adapt.edit.stitch import stitch
from footfall.adapt.feet.lock import lock_feet
from footfall.body.clip import Clip
from footfall.body.edit import move
from footfall.errors import check_range
from footfall.generate.actions.action import Action, perform
from footfall.generate.actions.footwork import Book, gait_angles, hips_height
from footfall.generate.actions.postures import STANDING, PostureKeys
from footfall.generate.feet.steps import Swing
from footfall.generate.feet.walking_steps import (
    Landing,
    Move,
    feet_together,
    plan_steps,
    step_off_gently,
)
from footfall.generate.gait.gait_model import speed_within
from footfall.generate.gait.steady import steady
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS, side_index
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.easing import Keys, smoothstep
from footfall.maths.rounding import round_to_grid
from footfall.maths.runs import runs
from footfall.world.ground import Ground

_LONG_S, _KNOWN_BY, _KNOWN = 2.0, 0.4, 0.4
"""The way over longer steps than this is known by this part of it, and then looked at so much."""
_STAYS_BENT = 0.5
"""How much of the trunk's lean is left when the last foot has landed."""
SPREAD = 0.2
"""Between the ankles of standing feet, leg lengths."""
_LINE = 0.075
"""How far beside its path a walking foot stands, leg lengths."""
END_S = 0.95
"""How long a clip goes on after the last foot has landed."""
_FIRST, _WALK_M_S, _WALK_S, _UNLIKE = 0.6, 1.1, 4.0, 60.0
_JOIN_S, _KEPT_S, _NEAR_S = 0.2, 0.5, 0.8
"""The steady walk that actions in stride begin and end in: for how long before and after the middle
of a stance it goes over into them, how much of it is kept, and how far from there feet are put back
where they stood."""


def both_sides(lead: str) -> tuple[int, int]:
    """The sides of the foot that leads and of the other."""
    first = side_index(lead)
    return first, 1 - first


def beside(side: int, leg_m: float, half: float = _LINE) -> float:
    """How far left of the path a foot stands that is `half` leg lengths beside it."""
    return half * leg_m * SIGNS[side]


def toes_out(side: int, degrees: float = 6.0) -> float:
    """Where a foot points, to the left, whose toes are out by some degrees."""
    return degrees * SIGNS[side]


def plain_step(side: int, z: float, leg_m: float, **more: object) -> Move:
    """A plain step, changed as `more` says."""
    plain = Move(
        side, beside(side, leg_m), z, yaw_deg=toes_out(side),
        swing=Swing(lift_m=0.05 * leg_m, pitches=((0.3, -32.0), (0.8, 12.0))),
    )  # fmt: skip
    return replace(plain, **more)  # type: ignore[arg-type]


def walk_over(
    name: str, tags: tuple[str, ...], moves: list[Move], who: Performer, seed: int,
    *, more: Mapping[str, list[tuple[float, float]]] | None = None, arms: float = 1.0,
    turns: float = 1.0, trunk: float = 4.0, rock: float = 0.0, gaze: float = 20.0,
    level: float = 0.0, softness_s: float = 0.075, sways: float = 1.0, facing: Keys = (),
    in_stride: bool = False,
) -> Clip:  # fmt: skip
    """Return the clip of steps from standing to standing.

    arms, turns  how far arms swing, and hips and shoulders turn, against a plain walk
    trunk, rock  how far it leans on the way, and how much further, degrees, whenever the weight
                 goes over to the foot that has landed, less in between
    gaze         how far the head looks down at first, degrees
    sways        how far the trunk bends over the foot that carries, against what is usual
    facing       (seconds, degrees to the left) where the body faces, if not ahead
    in_stride    begin and end in a walk instead of standing
    """
    leg_m = who.leg_m
    start = feet_together(SPREAD * leg_m, z=moves[0].z - _FIRST * leg_m if in_stride else 0.0)
    start = (replace(start[0], y=level), replace(start[1], y=level))
    stands, landings = plan_steps(vary_steps(moves, seed), start)
    keys: Book = gait_angles(landings, leg_m, arms, turns)
    first, last = landings[0].off_s, landings[-1].on_s
    keys["trunk"] = _trunk_keys(landings, trunk, rock)
    keys["head"] = _gaze_keys(first, last, gaze)
    keys.update(more or {})
    hips = hips_height(landings, leg_m, level)
    clip = perform(
        Action(
            name=name, tags=tags, seconds=last + END_S, stances=stands,
            posture=PostureKeys(keys, softness_s, seed), height=hips, sways=sways,
            facing=facing or ((0.0, 0.0),),
        ),
        who,
    )  # fmt: skip
    ends = level, landings[-1].move.y
    return walk_through(clip, who, seed, ends) if in_stride else clip


def walk_up(moves: list[Move], leg_m: float, ways: Sequence[float], y: float = 0.0) -> list[Move]:
    """Return the moves after steps of a walk to `ways`, leg lengths ahead, on ground `y` high."""
    count, side = len(ways), moves[0].side
    before = [
        plain_step((side + count - n) % 2, far * leg_m, leg_m, y=y, swing_s=0.41, both_s=0.11)
        for n, far in enumerate(ways)
    ]  # fmt: skip
    return [step_off_gently(before[0]), *before[1:], *moves]


def walk_through(clip: Clip, who: Performer, seed: int, levels: tuple[float, float]) -> Clip:
    """Return a clip of steps with a steady walk at both ends instead of standing.

    levels  how high the ground is where they are joined, in the first stance and the last but one
    """
    walk = _steady_walk(who, seed, clip.fps)
    kept = round(_KEPT_S * clip.fps)
    assert clip.contacts is not None
    feet = np.any(clip.contacts.reshape(-1, 2, 2), axis=2)
    first, *_, last, _ = (int(a + b) // 2 for a, b in runs(feet[:, 0] ^ feet[:, 1]))
    into, up = _like(walk, clip, first, levels[0])
    whole = _join(up, into, clip, first, levels[0])
    last += into - first
    out, on = _like(walk, whole, last, levels[1])
    whole = _join(whole, last, on, out, levels[1])[into - kept : last + kept + 1]
    return whole.derive(name=clip.name, tags=clip.tags, source=clip.source)


@lru_cache(maxsize=4)
def _steady_walk(who: Performer, seed: int, fps: float) -> Clip:
    speed = speed_within("walk", _WALK_M_S * math.sqrt(who.size) * who.style.tempo, who.leg_m)
    return steady("walk", speed, seconds=_WALK_S, fps=fps, who=who, seed=seed, variation=1.0)


def _join(one: Clip, leave: int, other: Clip, enter: int, level: float) -> Clip:
    """Join two clips at frames in which the same foot carries alone; feet are locked there."""
    half, near = round(_JOIN_S * one.fps), round(_NEAR_S * one.fps)
    whole = stitch(one, other, leave - half, enter + half - 1, 2 * half)
    part = slice(leave - near, leave + near + 1)
    held = lock_feet(whole[part], Ground(level=level))
    share = smoothstep(4.0 - 4.0 * np.abs(np.linspace(-1.0, 1.0, 2 * near + 1)))[:, None]
    root, rotations = np.array(whole.root), np.array(whole.rotations)
    root[part] += share * (held.root - root[part])
    rotations[part] = quat.slerp(rotations[part], held.rotations, share)
    return whole.derive(root=root, rotations=rotations)


def _like(walk: Clip, clip: Clip, frame: int, level: float) -> tuple[int, Clip]:
    """Return the frame of a walk that is most like a frame of a clip, and the walk laid there."""
    assert walk.contacts is not None
    assert clip.contacts is not None
    half, near = round(_JOIN_S * clip.fps), round(_NEAR_S * clip.fps)
    there, touch = (a[frame - half : frame + half] for a in (clip.positions, clip.contacts))
    fits = []
    for n in range(near, len(walk) - near):
        here, unlike = walk[n - half : n + half], walk.contacts[n - half : n + half] != touch
        fit = planar.align(there.reshape(-1, 3), here.positions.reshape(-1, 3))
        apart = round_to_grid(fit.distance * (1.0 + _UNLIKE * unlike.mean()))
        fits.append((float(apart), n, *fit.pose.tolist()))
    _, n, x, z, yaw = min(fits)
    laid = move(walk, x, z, yaw)
    return n, laid.with_root(laid.root + np.array([0.0, level, 0.0]))


def _trunk_keys(
    landings: Sequence[Landing], trunk: float, rock: float
) -> list[tuple[float, float]]:
    """Return how the trunk leans over steps from standing to standing."""
    first, last = landings[0].off_s, landings[-1].on_s
    keys = [(first - 0.35, STANDING["trunk"]), (first + 0.1, trunk)]
    for b in landings[1:]:
        keys += [(b.off_s, trunk + rock), (0.45 * b.off_s + 0.55 * b.on_s, trunk - 0.7 * rock)]
    still = STANDING["trunk"]
    return [*keys, (last + 0.05, still + _STAYS_BENT * (trunk - still)), (last + 0.5, still)]


def _gaze_keys(first: float, last: float, gaze: float) -> list[tuple[float, float]]:
    """How far down heads look from the first to the last step: eyes come up as soon as the way is
    known, and when it ends."""
    keys = [(first - 0.6, STANDING["head"]), (first - 0.2, gaze)]
    if last - first > _LONG_S:
        known = first + _KNOWN_BY * (last - first)
        keys += [(known, _KNOWN * gaze), (last - 0.9, 0.6 * gaze)]
    return [*keys, (last - 0.25, _KNOWN * gaze), (last + 0.4, STANDING["head"])]


def vary_steps(moves: list[Move], seed: int) -> list[Move]:
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


def closing_step(side: int, z: float, leg_m: float, y: float = 0.0, **more: object) -> Move:
    """The step that puts a foot beside the other, to stand."""
    plain = Move(
        side, beside(side, leg_m, 0.5 * SPREAD), z, y, swing_s=0.48, yaw_deg=toes_out(side, 7.0),
        swing=Swing(lift_m=0.035 * leg_m, pitches=((0.3, -22.0), (0.8, 3.0))), strike_deg=3.0,
        leave_deg=30.0,
    )  # fmt: skip
    return replace(plain, **more)  # type: ignore[arg-type]


# Over things: steps with feet that clear them.


def step_over(
    height_m: float = 0.25, *, depth_m: float = 0.08, lead: str = "right", in_stride: bool = False,
    who: Performer = MEAN_PERFORMER, seed: int = 0,
) -> Clip:  # fmt: skip
    """Walk up to something `height_m` high, step over it, walk on and stop.

    It begins standing; in stride, it begins and ends in a walk. The thing is centred 1.3 leg
    lengths ahead.
    """
    leg_m = who.leg_m
    check_range("the height of what is stepped over", height_m, 0.02, 0.47 * leg_m, unit="m")
    check_range("its depth", depth_m, 0.0, 0.25 * leg_m, unit="m")
    first, second = both_sides(lead)
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
        step_off_gently(plain_step(first, stop - 0.4 * leg_m, leg_m, swing_s=0.38, both_s=0.1)),
        plain_step(second, stop, leg_m, swing_s=0.38, both_s=0.08),
        plain_step(first, land, leg_m, swing_s=0.44 + 0.32 * h, swing=over,
                   leave_deg=34.0, both_s=0.1),
        plain_step(second, land + 0.5 * leg_m, leg_m, swing_s=0.47 + 0.34 * h, swing=trail,
                   leave_deg=44.0, leave_s=0.24, both_s=0.11),
        plain_step(first, land + 0.94 * leg_m, leg_m, swing_s=0.42, both_s=0.1),
        closing_step(second, land + 0.94 * leg_m, leg_m, both_s=0.14),
    ]  # fmt: skip
    raised, lead_name, trail_name = 10.0 + 20.0 * h, lead, "left" if lead == "right" else "right"
    if in_stride:
        far = moves[0].z / leg_m
        moves[0] = replace(moves[0], swing=moves[1].swing, leave_deg=30.0, leave_s=0.26)
        moves = walk_up(moves, leg_m, (far - 1.26, far - 0.6))
    _, landings = plan_steps(vary_steps(moves, seed), feet_together(SPREAD * leg_m))
    lead_step, trail_step = landings[-4], landings[-3]
    more = {
        "trunk": [(0.5, 1.5), (landings[0].on_s, 5.5), (lead_step.off_s, 4.0),
                  (lead_step.on_s, 6.0 + 4.0 * h), (trail_step.off_s + 0.25, 10.0 + 14.0 * h),
                  (trail_step.on_s, 7.0), (landings[-1].on_s + 0.4, 1.5)],
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
    return walk_over(
        f"step_over_{height_m:.2f}_{lead}", ("step_over",), moves, who, seed, more=more,
        arms=1.3, turns=1.5, in_stride=in_stride,
    )  # fmt: skip
