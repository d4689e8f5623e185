"""Measure flow: stops, turning, crabwise steps, lean in bends, jolts, rhythm, duration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import mean_leg
from footfall.body.posture import middles, trunk_tops
from footfall.body.roles import SIDES
from footfall.gait.contacts import find_contacts
from footfall.gait.footprints import footprints, footprints_of
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY, MEAN_LEG_M
from footfall.maths.filters import smooth_gaussian
from footfall.maths.runs import runs, widen

STOPPED_M_S, MOVING_M_S = 0.2, 0.3
"""Slower than the first for STOP_S is a stop; faster than the second the body goes somewhere."""
STOP_S = 0.35
CRABWISE_RAD = math.radians(45.0)
"""Going further than this off the facing direction is crabwise or backward."""
PREFERRED_FROUDE = 0.2
"""Preferred walking speed: v² / (g · leg), 1.27 m/s for a mean leg (Alexander 1989)."""
START_STOP_S = 0.55
"""What speeding up or slowing down costs, each: v / 2a, with accelerations of 1.2 m/s²."""
TURN_RAD_S = math.radians(120.0)
"""How fast people turn in place."""
_PATH_S, _YAW_S, _LEAN_S = 0.11, 0.35, 0.2
"""Widths of the smoothing of path, facing and lean, seconds: the sway of steps is removed."""
_BEND = 0.03
"""A bend is where v·ω/g is at least this: 1.7° of lean."""
_SEAM_S = 0.1
_RATE_HZ = 30.0
_LEAST_STEPS = 4


@dataclass(frozen=True)
class Flow:
    """Numbers of one motion's flow; nan where there is nothing to measure.

    inner_stops, time_stopped_s  stops between the first and the last movement, and their seconds
    turned_deg, net_turn_deg    all turning of the pelvis, and from the beginning to the end
    crabwise_share              of moving time more than 45° off the facing direction
    bend_lean_ratio             lean of the trunk into bends, over v·ω/g: 1 is in balance
    seam_jolt_ratio             greatest joint acceleration within 0.1 s of seams, over what only
                                5 % of the other frames exceed
    step_length_cv, step_time_cv   variation of steps: standard deviation over mean
    needed_s                    what a person needs for it; see `needed_seconds`
    duration_ratio              its duration over that
    """

    inner_stops: int
    time_stopped_s: float
    turned_deg: float
    net_turn_deg: float
    crabwise_share: float
    bend_lean_ratio: float
    seam_jolt_ratio: float
    step_length_cv: float
    step_time_cv: float
    needed_s: float
    duration_ratio: float


def flow(
    clip: Clip, seams: Sequence[int] = (), *,
    speed_m_s: float | None = None, acting_s: float = 0.0,
) -> Flow:  # fmt: skip
    """Measure the flow of a humanoid clip.

    seams      frames at which one source clip passes into another
    speed_m_s  the speed that was asked for; None: what people of this size prefer
    acting_s   what the stages of its task take beside going, seconds
    """
    poses = clip.world
    places, fps = poses.positions, clip.fps
    hips = middles(clip.skeleton, places, "hip")
    path = smooth_gaussian(hips[:, [0, 2]], _PATH_S * fps)
    velocity = np.gradient(path, 1.0 / fps, axis=0) if len(clip) > 1 else np.zeros_like(path)
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    facing = pelvis_yaw(clip, places)
    turned = np.abs(np.diff(facing)).sum()
    stops = inner_stops(speed, fps)
    length = float(np.hypot(*np.diff(path, axis=0).T).sum())
    net = abs(float(facing[-1] - facing[0]))
    needed = needed_seconds(length, net, mean_leg(clip.skeleton), speed_m_s) + acting_s
    lengths, times = _steps(clip)
    return Flow(
        inner_stops=len(stops),
        time_stopped_s=sum(b - a for a, b in stops) / fps,
        turned_deg=math.degrees(turned),
        net_turn_deg=math.degrees(net),
        crabwise_share=_crabwise(velocity, speed, facing),
        bend_lean_ratio=_bend_lean(clip, places, hips, velocity, speed),
        seam_jolt_ratio=_seam_jolts(clip, seams),
        step_length_cv=_variation(lengths),
        step_time_cv=_variation(times),
        needed_s=needed,
        duration_ratio=clip.seconds / max(needed, 1e-9),
    )


def pelvis_yaw(clip: Clip, places: Floats) -> Floats:
    """Return (T,) the heading of the hips, radians, unwrapped, without the sway of steps."""
    left, right = (places[:, clip.skeleton.role(f"{side}_hip")] for side in SIDES)
    yaw = np.unwrap(np.arctan2(right[:, 2] - left[:, 2], left[:, 0] - right[:, 0]))
    # Smoothing flattens the ends of a steady turn, so only the difference to one is smoothed.
    steady = np.linspace(yaw[0], yaw[-1], len(yaw))
    return np.asarray(steady + smooth_gaussian(yaw - steady, _YAW_S * clip.fps))


def inner_stops(speed: Floats, fps: float) -> list[tuple[int, int]]:
    """Return first and last-plus-one frame of stops between the first and the last movement."""
    moving = np.flatnonzero(speed > MOVING_M_S)
    if len(moving) == 0:
        return []
    spans = runs(speed < STOPPED_M_S)
    long = spans[:, 1] - spans[:, 0] >= STOP_S * fps
    inside = (spans[:, 0] > moving[0]) & (spans[:, 1] <= moving[-1])
    return [(int(a), int(b)) for a, b in spans[long & inside].tolist()]


def preferred_speed(leg_m: float) -> float:
    """Return the walking speed that people with such legs prefer, m/s."""
    return math.sqrt(PREFERRED_FROUDE * GRAVITY * leg_m)


def needed_seconds(
    length_m: float, turn_rad: float, leg_m: float, speed_m_s: float | None = None
) -> float:
    """Return what a person needs to go so far: at a steady speed, plus starting and stopping.

    A person who stays in place needs the time to turn. Sizes scale as pendulums do.
    """
    pace = math.sqrt(leg_m / MEAN_LEG_M)
    if length_m < 0.5 * leg_m:
        return abs(turn_rad) / TURN_RAD_S * pace
    return length_m / (speed_m_s or preferred_speed(leg_m)) + 2.0 * START_STOP_S * pace


def _crabwise(velocity: Floats, speed: Floats, facing: Floats) -> float:
    """Return the share of moving time far off the facing direction."""
    going = speed > MOVING_M_S
    if not going.any():
        return 0.0
    ahead = velocity[:, 0] * np.sin(facing) + velocity[:, 1] * np.cos(facing)
    off = ahead[going] < math.cos(CRABWISE_RAD) * speed[going]
    return float(off.mean())


def _bend_lean(clip: Clip, places: Floats, hips: Floats, velocity: Floats, speed: Floats) -> float:
    """Return how much of the lean that balance takes in bends the trunk has; nan without bends."""
    if len(clip) < 3:
        return math.nan
    way = np.unwrap(np.arctan2(velocity[:, 0], velocity[:, 1]))
    rate = smooth_gaussian(np.gradient(way, 1.0 / clip.fps), _LEAN_S * clip.fps)
    wanted = np.where(speed > MOVING_M_S, speed * rate / GRAVITY, 0.0)
    bends = np.abs(wanted) > _BEND
    if not bends.any():
        return math.nan
    trunk = trunk_tops(clip.skeleton, places) - hips
    unit = velocity / np.maximum(speed, 1e-9)[:, None]
    left = trunk[:, 0] * unit[:, 1] - trunk[:, 2] * unit[:, 0]
    lean = smooth_gaussian(np.arctan2(left, trunk[:, 1]), _LEAN_S * clip.fps)
    return float((lean[bends] * wanted[bends]).sum() / (wanted[bends] ** 2).sum())


def _seam_jolts(clip: Clip, seams: Sequence[int]) -> float:
    """Return the greatest joint acceleration near seams over the 95th percentile elsewhere."""
    step = max(1, round(clip.fps / _RATE_HZ))
    if not len(seams) or len(clip) < 4 * step:
        return math.nan
    turned = clip.rotations[:, sorted(set(clip.skeleton.roles.values()))]
    turns = quat.multiply(quat.conjugate(turned[:-step]), turned[step:])
    rates = quat.log_half_angle(quat.toward(turns, quat.IDENTITY))
    jolts = np.sqrt(((rates[step:] - rates[:-step]) ** 2).sum(axis=(1, 2)))
    near = np.zeros(len(clip), np.bool_)
    near[np.clip(np.asarray(seams, np.int64), 0, len(clip) - 1)] = True
    near = widen(near, round(_SEAM_S * clip.fps))[step : step + len(jolts)]
    if near.all() or not near.any():
        return math.nan
    return float(jolts[near].max()) / max(float(np.percentile(jolts[~near], 95)), 1e-12)


def _steps(clip: Clip) -> tuple[Floats, Floats]:
    """Return lengths, metres, and durations, seconds, of steps from one foot to the other."""
    prints = footprints(find_contacts(clip)) if clip.contacts is None else footprints_of(clip)
    lengths, times = [], []
    ordered = sorted(prints, key=lambda f: f.t - f.delta)
    for one, two in pairwise(ordered):
        long = math.hypot(two.p[0] - one.p[0], two.p[2] - one.p[2])
        seconds = (two.t - two.delta) - (one.t - one.delta)
        # Feet set side by side are no step of a gait, and pauses no part of its rhythm.
        if one.foot != two.foot and long > 0.25 * mean_leg(clip.skeleton) and 0.0 < seconds < 1.5:
            lengths.append(long)
            # A stance that the clip begins with has begun before.
            times += [seconds] if one.t - one.delta > 1.0 / clip.fps else []
    return np.array(lengths), np.array(times)


def _variation(values: Floats) -> float:
    if len(values) < _LEAST_STEPS:
        return math.nan
    return float(values.std() / max(float(values.mean()), 1e-9))
