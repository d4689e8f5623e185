"""Going at a pace that changes: speed, turn, gait and standing still over time, as one motion."""

from __future__ import annotations

import math

import numpy as np

from footfall.body.clip import Clip
from footfall.generate.bodies.limbs import skeleton_of
from footfall.generate.bodies.planting import Wish
from footfall.generate.gait.carriage import ahead_of_curves, apart, hips_of, lower, shake
from footfall.generate.gait.gait_model import JOINTS, Curves, curves, scalar
from footfall.generate.gait.journey import (
    RUNNERS,
    Journey,
    between,
    gait_of,
    integrate,
    longer,
    quantity,
    relative,
    sharpness,
)
from footfall.generate.gait.layers import (
    drive_limbs,
    driving,
    glance_back,
    go_on,
    hang_elbows,
    lean_into_pace,
    look_ahead,
    raise_first_heel,
    shift_weight,
    swing_elbows,
)
from footfall.generate.gait.standing import stand_curves
from footfall.generate.gait.styling import (
    bend_swinging_knees,
    keep_elbows,
    style_posture,
    style_strides,
)
from footfall.generate.gait.turning import go_round
from footfall.generate.gait.variation import (
    be_loose,
    be_one_sided,
    look_about,
    make_uneven,
    pace_factor,
    stride_modes,
)
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.style import MEAN_STYLE
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.easing import smoothstep

_STAND_SAYS = 25.0
"""How much more a standing moment says about where a foot stands than one of going."""
_LEAST_BEND = {"walk": np.radians(3.5), "back": np.radians(11.0)}
"""Who goes backwards feels for the ground with bent knees."""
_ARMS_S = (0.32, 0.42)
"""How long before and after the legs run arms do."""
_SWING_KNEE_RAD = math.radians(3.5)
"""How much further knees of walkers bend in swings than mean curves have it: everybody's bend most
at another moment."""
_RUN_STRIKE, _RUN_STRIKE_MORE, _BACK_STRIKE = -0.028, 0.032, 0.075
_LEAVE_RAD = (math.radians(50.0), math.radians(48.0))
"""How far heels are up when the balls of the feet leave, of walkers and of runners …"""
_HEELS_CURVES = 0.5
"""How much curves say about how far runners' heels rise: those of walkers follow their legs alone,
whose knees give way before the foot leaves."""
_TRAILING_RAD = (math.radians(11.5), math.radians(26.0))
"""How far knees of walkers and of runners are bent at least as their feet leave."""
_REACH_RAD = (math.radians(3.5), math.radians(21.0))
_OVER_DEG = (2.6, 1.7)
"""How far the hip of the leg that steps off drops while the weight goes over to the other, and the
trunk bends over that."""
_RUNS_ALIKE = 0.65
"""How much less the sides of runners differ than those of walkers."""
_ROCKS = 0.6
"""How much of what their arms go on swinging the trunks of those rock forward who stop."""
_TOE_OUT_RAD = np.radians(5.0)
"""The model's feet point as they did in each performer's first pose; people's point outwards."""
_RISE_RAD_S, _SPRINTS, _RISE_MORE = (8.3, 8.68), 1.345, 8.0
"""… and how fast they rise at most, and toes bend: those of runners faster than so many √(g leg)
still faster, for each of them by so much."""
_LEAVING_S, _LEAVING_FAST_S = (0.115, 0.205), 0.19
"""How long after leaving a foot's speed is that of its stance; that of fast walkers longer …"""
_UNHURRIED, _UNHURRIED_MOST = (0.38, 0.55), 0.75
"""… between and above these speeds, √(g leg); how much their legs swing as they come."""
_UNLIFTED = 0.64
"""How much less feet of fast walkers are lifted that swing as they come: their knees bend by
themselves."""
_AT = {joint: n for n, joint in enumerate(JOINTS)}
_ARMS = [_AT[f"{joint}{side}"] for joint in ("clav", "shoulder", "elbow", "wrist") for side in "LR"]


def perform(
    journey: Journey,
    name: str,
    *,
    tags: tuple[str, ...] = (),
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
    variation: float = 0.0,
) -> Clip:
    """The default character of a performer on a journey; the clip begins at the origin, +Z.

    variation  from stride to stride: 0 none, 1 as people have it; drawn from `seed`
    """
    return journey.timeline.clip(wish_for(journey, who, seed, variation), name, tags)


def wish_for(
    journey: Journey, who: Performer = MEAN_PERFORMER, seed: int = 0, variation: float = 0.0
) -> Wish:
    """The motion of a performer on a journey as the joint curves have it, feet not planted yet."""
    gait = gait_of(journey)
    phase = stride_phase(journey, who, seed, variation)
    pose = _poses(journey, gait, phase, who, seed, variation)
    heading = integrate(journey.turn, journey.rate, journey.timeline.zero)
    look_ahead(pose.vectors, journey.turn, heading, journey.rate)
    go_round(pose.vectors, journey.speed, journey.turn, journey.running, journey.rate)
    look_about(pose.vectors, phase, seed, variation * journey.going)
    be_loose(pose.vectors, phase, seed, variation * journey.going)
    sided = variation * journey.going**2 * (1.0 - _RUNS_ALIKE * journey.running)
    be_one_sided(pose.vectors, phase, seed, sided)
    if who.style != MEAN_STYLE:
        keep_elbows(pose.vectors)
    rotations = quat.from_rotation_vector(pose.vectors)
    rotations[:, 0] = quat.multiply(quat.from_yaw(heading), rotations[:, 0])
    held = _stances(journey, gait, phase, who)
    return Wish(
        character=skeleton_of(who),
        rate=journey.rate,
        root=hips_of(journey, pose, heading, who.leg_m),
        rotations=rotations,
        held=held,
        weight=1.0 + _STAND_SAYS * (1.0 - journey.going),
        clearance_m=_clearance(journey, gait, who),
        leave_rad=between(journey, _LEAVE_RAD),
        rise_rad_s=_rise(journey, who.leg_m),
        trailing_rad=between(journey, _TRAILING_RAD),
        reach_rad=between(journey, _REACH_RAD),
        heels_curves=_HEELS_CURVES * _runners_heels(journey),
        hurry=1.0 - _unhurried(journey, gait, who.leg_m),
        leaving_s=_leaving(journey, gait, who.leg_m),
        apart_m=apart(journey, who),
        ahead_m=ahead_of_curves(journey, gait, who),
        lower_m=lower(journey, phase, who) if gait == "walk" else 0.0,
        bend_rad=_LEAST_BEND["walk"] + journey.going * (_LEAST_BEND[gait] - _LEAST_BEND["walk"]),
        shake_m=shake(journey, held, heading, who.leg_m),
    )


def stride_phase(journey: Journey, who: Performer, seed: int = 0, variation: float = 0.0) -> Floats:
    """(T,) the phase in strides: at whole ones the right foot comes down."""
    gait = gait_of(journey)
    step = quantity(journey, gait, "step_length", who) * (who.leg_m * math.exp(who.style.step))
    speed = np.maximum(journey.like, 0.15 * math.sqrt(GRAVITY * who.leg_m))
    steady = journey.rhythm * speed / (2.0 * step)
    phase = journey.phase + integrate(steady, journey.rate, journey.anchor)
    if variation > 0.0:
        steady = steady / pace_factor(phase, seed, variation)
        phase = journey.phase + integrate(steady, journey.rate, journey.anchor)
    return phase


def _poses(
    journey: Journey, gait: str, phase: Floats, who: Performer, seed: int, variation: float
) -> Curves:
    turn = journey.turn * math.sqrt(who.leg_m / GRAVITY)
    calm = 1.0 - sharpness(journey, who.leg_m)
    points = calm * (1.0 - RUNNERS * journey.running)

    def of(name: str) -> Curves:
        speed = relative(journey, name, who.leg_m)
        strides = stride_modes(name, phase, seed, variation) if variation > 0.0 else None
        own = curves(name, phase, speed, turn, who.modes(name), strides)
        if not any(who.modes(name)) or calm.min() >= 1.0:
            return own
        return curves(name, phase, speed, turn, (), strides).mix(own, calm)

    pose = of("run") if journey.running.min() >= 1.0 else of(gait)
    pose.vectors[:, [_AT["ankleL"], _AT["ankleR"]], 1] += [_TOE_OUT_RAD, -_TOE_OUT_RAD]
    if journey.running.max() > 0.0 and journey.running.min() < 1.0:
        run, soon = of("run"), longer(journey.running, *_ARMS_S, journey.rate)
        arms = pose.mix(run, soon).vectors[:, _ARMS]
        pose = pose.mix(run, journey.running)
        pose.vectors[:, _ARMS] = arms
    bend_swinging_knees(pose.vectors, phase, _SWING_KNEE_RAD * (1.0 - journey.running))
    make_uneven(pose, phase, who)
    style_strides(pose, who.style, phase, journey.running)
    if journey.going.min() < 1.0:
        pose = _out_of_standing(journey, gait, pose, who, seed)
    style_posture(pose.vectors, who.style, points)
    _act(journey, gait, pose.vectors, phase, who)
    return pose


def _out_of_standing(
    journey: Journey, gait: str, going: Curves, who: Performer, seed: int
) -> Curves:
    """The poses of somebody who goes, with standing before or after it."""
    standing = stand_curves(journey.times, seed, ahead=who.style.ahead)
    pose = standing.mix(going, journey.going)
    if journey.running.any():
        soon = longer(journey.going, *_ARMS_S, journey.rate)
        pose.vectors[:, _ARMS] = standing.mix(going, soon).vectors[:, _ARMS]
    if journey.first is not None:
        foot, share = journey.first
        own = standing.mix(going, share)
        for joint in ("hip", "knee", "ankle", "toe"):
            n = _AT[f"{joint}{'LR'[foot]}"]
            pose.vectors[:, n] = own.vectors[:, n]
        since = journey.times - journey.times[journey.anchor]
        raise_first_heel(pose.vectors, foot, since, "run" if journey.runs_off else gait)
        if gait == "back":
            glance_back(pose.vectors, foot, since)
        over = journey.aside / max(np.abs(journey.aside).max(), 1e-9)
        shift_weight(pose.vectors, over, journey.rate, *_OVER_DEG)
    return pose


def _act(journey: Journey, gait: str, vectors: Floats, phase: Floats, who: Performer) -> None:
    """Let trunk, head and arms (T, 22, 3) answer how the pace changes, in place."""
    if journey.last is not None:
        foot, strikes = journey.last
        pace = np.abs(journey.speed).max() / math.sqrt(GRAVITY * who.leg_m)
        go_on(vectors, journey.times - journey.times[strikes], float(pace), foot, _ROCKS)
    spurts = journey.spurts * journey.running * journey.going
    stops = None if journey.last is None else phase
    lean_into_pace(
        vectors, journey.speed, spurts, journey.rate, falls=journey.runs_off, stops=stops
    )
    drive = journey.spurts * driving(journey.speed, journey.running * journey.going, journey.rate)
    drive_limbs(vectors, phase, drive, journey.rate)
    walking = journey.going * (1.0 - journey.running)
    hang_elbows(vectors, relative(journey, gait, who.leg_m), walking)
    swing_elbows(vectors, journey.running * journey.going)
    for side in "LR":
        knee = vectors[:, _AT[f"knee{side}"], 0]
        knee[:] = np.maximum(knee, 0.05)


def _stances(journey: Journey, gait: str, phase: Floats, who: Performer) -> Bools:
    """(T, 2) whether the left and the right foot stand."""
    # Mean curves are smoother than any single one: the mean runner's foot comes down later.
    fast = relative(journey, "run", who.leg_m) - 1.0
    sooner = _RUN_STRIKE + _RUN_STRIKE_MORE * np.maximum(fast, 0.0)
    on = quantity(journey, gait, "con", who) + sooner * journey.running
    if gait == "back":
        on = on - _BACK_STRIKE * relative(journey, gait, who.leg_m)
    off = _off(journey, gait, who)
    columns = []
    for later in (0.5, 0.0):
        since = (phase - later - on) % 1.0
        columns.append((since <= off - on) | journey.standing)
    return np.stack(columns, axis=1)


def _off(journey: Journey, gait: str, who: Performer) -> Floats:
    """(T,) the phase at which the tip of the toes leaves.

    The model's character is when the ball of the foot does. For walking it is from Schwartz et al.
    2008, a little later for the roll over the toes, which their markers do not show.
    """
    model = quantity(journey, gait, "coff", who) + who.style.stance
    if gait == "back":
        return model
    speed = relative(journey, gait, who.leg_m)
    model_walk = scalar(gait, "coff", speed)
    later = 0.532 - 0.083 * np.log(speed) - model_walk
    return np.asarray(model + (1.0 - journey.running) * later + journey.running * 0.01)


def _unhurried(journey: Journey, gait: str, leg_m: float) -> Floats:
    """(T,) how much, 0 to 1, legs swing as they come after feet that left: those of fast walkers,
    whose hips would have to swing them hard; not of those who run, too."""
    if journey.running.any():
        return np.zeros(len(journey.running))
    low, high = _UNHURRIED
    fast = smoothstep((relative(journey, gait, leg_m) - low) / (high - low))
    return np.asarray(_UNHURRIED_MOST * fast)


def _leaving(journey: Journey, gait: str, leg_m: float) -> Floats:
    """(T,) how long after leaving a foot's speed is that of its stance."""
    slow = between(journey, _LEAVING_S)
    return slow + _unhurried(journey, gait, leg_m) * (_LEAVING_FAST_S - slow)


def _rise(journey: Journey, leg_m: float) -> Floats:
    """(T,) how fast heels rise at most, radians per second."""
    fast = journey.speed / math.sqrt(GRAVITY * leg_m) - _SPRINTS
    return between(journey, _RISE_RAD_S) + _RISE_MORE * journey.running * np.maximum(fast, 0.0)


def _runners_heels(journey: Journey) -> Floats:
    """(T,) how much, 0 to 1, heels rise as those of runners: that of who runs off does from the
    first, however low the body is."""
    share = longer(journey.running, *_ARMS_S, journey.rate)
    if journey.first is not None and journey.running.any():
        share = np.maximum(share, np.arange(len(share)) <= journey.anchor)
    return share


def _clearance(journey: Journey, gait: str, who: Performer) -> Floats:
    least = quantity(journey, gait, "toe_clear", who) * who.leg_m
    sprint = smoothstep((relative(journey, gait, who.leg_m) - 0.52) / 0.12)
    least = least * (1.0 - _UNLIFTED * (1.0 - sprint) * _unhurried(journey, gait, who.leg_m))
    return np.maximum(least, 0.012) * np.maximum(journey.going, 0.5)
