"""Going at a pace that changes: speed, turn, gait and standing still over time, as one motion."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.library.generate.bodies.limbs import skeleton_of
from footfall.library.generate.bodies.planting import Wish
from footfall.library.generate.gait.gait_model import JOINTS, Curves, curves, scalar
from footfall.library.generate.gait.layers import (
    go_on,
    lean_into_pace,
    look_ahead,
    raise_first_heel,
    swing_elbows,
)
from footfall.library.generate.gait.standing import stand_curves
from footfall.library.generate.gait.styling import (
    bend_swinging_knees,
    keep_elbows,
    style_posture,
    style_strides,
)
from footfall.library.generate.gait.timeline import Timeline, ease
from footfall.library.generate.gait.turning import TURNS_LOW, go_round
from footfall.library.generate.gait.variation import (
    be_loose,
    be_one_sided,
    look_about,
    make_uneven,
    pace_factor,
    stride_modes,
)
from footfall.library.generate.performer import MEAN_PERFORMER, Performer
from footfall.library.generate.style import MEAN_STYLE
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.easing import Keys, monotone_cubic, smoothstep
from footfall.maths.filters import running_max, smooth_gaussian

_SLOWEST = {"walk": 0.15, "run": 0.62, "back": 0.14}
_STAND_SAYS = 25.0
"""How much more a standing moment says about where a foot stands than one of going."""
_LEAST_BEND = {"walk": np.radians(3.5), "back": np.radians(11.0)}
"""Who goes backwards feels for the ground with bent knees."""
_SHAKE, _SHAKE_HZ, _SHAKE_S = 0.0015, 8.5, 0.055
"""How strongly (leg lengths, at a usual walk), fast and long a strike shakes the body."""
_WIDER, _SHARP = 0.05, (0.2, 0.3)
"""Feet go this much further to their own sides, leg lengths, in turns of so many √(g / leg)."""
_LOWER, _LOWER_TAKING, _TAKES = -0.001, 0.010, 0.176
"""How much lower walkers are, leg lengths: always, and at the phase when a leg takes the weight."""
_BRAKES, _RAN_S = 0.02, 1.2
"""How much lower they are, leg lengths for each g by which they slow down, who ran so long ago."""
_DRIVES, _FALLS_S = 0.36, (0.12, 0.1)
"""How much lower, leg lengths for each g by which they speed up, those are who are about to run,
and from how long before until how long after the first foot leaves they sink: until then they fall
forward."""
_GIVES, _GIVES_S = 0.022, (0.08, 0.75)
"""How much lower, leg lengths, who comes to stand from a speed of √(g leg) is on knees that give,
and until when they do and are straight again."""
_ARMS_S = (0.32, 0.42)
"""How long before and after the legs run arms do."""
_AHEAD = {"walk": 0.02, "back": 0.045}
"""How much further ahead, leg lengths, the feet of walkers go than mean curves have it: legs come
down straight and leave bent."""
_LEANS_BACK = 0.2
"""How much further, leg lengths per radian, those who lean forward leave their hips behind: their
weight is over their feet."""
_SWING_KNEE_RAD = math.radians(3.5)
"""How much further knees of walkers bend in swings than mean curves have it: everybody's bend most
at another moment."""
_RUN_STRIKE, _RUN_STRIKE_MORE, _BACK_STRIKE = -0.028, 0.032, 0.075
_LEAVE_RAD = (math.radians(50.0), math.radians(48.0))
"""How far heels are up when the balls of the feet leave, of walkers and of runners …"""
_RISE_RAD_S, _SPRINTS, _RISE_MORE = (8.3, 8.68), 1.345, 8.0
"""… and how fast they rise at most, and toes bend: those of runners faster than so many √(g leg)
still faster, for each of them by so much."""
_HEELS_CURVES = 0.5
"""How much curves say about how far runners' heels rise: those of walkers follow their legs alone,
whose knees give way before the foot leaves."""
_TRAILING_RAD = (math.radians(11.5), math.radians(26.0))
"""How far knees of walkers and of runners are bent at least as their feet leave."""
_REACH_RAD = (math.radians(3.5), math.radians(21.0))
_LEAVING_S, _LEAVING_FAST_S = (0.115, 0.205), 0.19
"""How long after leaving a foot's speed is that of its stance; that of fast walkers longer …"""
_UNHURRIED, _UNHURRIED_MOST = (0.38, 0.55), 0.75
"""… between and above these speeds, √(g leg); how much their legs swing as they come."""
_TOE_OUT_RAD = np.radians(5.0)
"""The model's feet point as they did in each performer's first pose; people's point outwards."""
_UNLIFTED = 0.6
"""How much less feet of fast walkers are lifted that swing as they come: their knees bend by
themselves."""
_RUNNERS = 0.6
"""How much less of their own runners' feet have than walkers': the run's modes say most of it."""
_NARROW, _NARROWS = 1.1, 0.068
"""Runners faster than so many √(g leg) put each foot that much nearer to the midline, leg lengths
for each of them."""
_AT = {joint: n for n, joint in enumerate(JOINTS)}
_ARMS = [_AT[f"{joint}{side}"] for joint in ("clav", "shoulder", "elbow", "wrist") for side in "LR"]


@dataclass(frozen=True, eq=False)
class Journey:
    """How to go, over the T frames of a timeline.

    speed      (T,) along the path, m/s; negative goes backwards
    turn       (T,) radians per second, positive to the left
    running    (T,) 0 walks, 1 runs
    going      (T,) 0 stands, 1 goes
    like       (T,) the speed of which the gait is taken, m/s
    rhythm     (T,) strides per second over what `like` asks for; 0 where nothing steps
    phase      in strides, at frame `anchor`
    standing   (T,) both feet stand, whatever the phase
    aside      (T,) how far the standing body leans over to the left, metres
    ahead      (T,) how far it leans ahead of its path
    first      the foot that steps off, 0 left or 1 right, and (T,) how far, 0 to 1, its leg goes
    spurts     how much, 0 to 1, who speeds up or slows down near running leans and sinks for it as
               runners do, and not as walkers
    last       the foot that steps last and the frame at which it strikes
    """

    timeline: Timeline
    speed: Floats
    turn: Floats
    running: Floats
    going: Floats
    like: Floats
    rhythm: Floats
    phase: float
    anchor: int
    standing: Bools
    aside: Floats
    ahead: Floats
    first: tuple[int, Floats] | None = None
    spurts: float = 1.0
    last: tuple[int, int] | None = None

    @property
    def rate(self) -> float:
        """Frames per second."""
        return self.timeline.rate

    @property
    def times(self) -> Floats:
        """(T,) seconds since the clip's first frame."""
        return self.timeline.times


def keep_going(
    timeline: Timeline, speed: Keys | float, *, turn: float = 0.0, running: float = 0.0,
    phase: float = 0.0,
) -> Journey:  # fmt: skip
    """A journey without a stop: speed from (time, m/s) keys or one number."""
    full = np.ones(timeline.frames)
    keys = [(0.0, speed)] if isinstance(speed, int | float) else speed
    fast = monotone_cubic(keys, timeline.times)
    return Journey(
        timeline, fast, turn * full, running * full, full, np.abs(fast), full, phase,
        timeline.zero, np.zeros(timeline.frames, np.bool_), 0.0 * full, 0.0 * full,
    )  # fmt: skip


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
    gait = _gait(journey)
    phase = stride_phase(journey, who, seed, variation)
    pose = _poses(journey, gait, phase, who, seed, variation)
    heading = _integrate(journey.turn, journey.rate, journey.timeline.zero)
    look_ahead(pose.vectors, journey.turn, heading, journey.rate)
    go_round(pose.vectors, journey.speed, journey.turn, journey.running, journey.rate)
    look_about(pose.vectors, phase, seed, variation * journey.going)
    be_loose(pose.vectors, phase, seed, variation * journey.going)
    be_one_sided(pose.vectors, phase, seed, variation * journey.going**2)
    if who.style != MEAN_STYLE:
        keep_elbows(pose.vectors)
    rotations = quat.from_rotation_vector(pose.vectors)
    rotations[:, 0] = quat.multiply(quat.from_yaw(heading), rotations[:, 0])
    held = _stances(journey, gait, phase, who)
    return Wish(
        character=skeleton_of(who),
        rate=journey.rate,
        root=_root(journey, pose, heading, who.leg_m),
        rotations=rotations,
        held=held,
        weight=1.0 + _STAND_SAYS * (1.0 - journey.going),
        clearance_m=_clearance(journey, gait, who),
        leave_rad=_between(journey, _LEAVE_RAD),
        rise_rad_s=_rise(journey, who.leg_m),
        trailing_rad=_between(journey, _TRAILING_RAD),
        reach_rad=_between(journey, _REACH_RAD),
        heels_curves=_HEELS_CURVES * _runners_heels(journey),
        hurry=1.0 - _unhurried(journey, gait, who.leg_m),
        leaving_s=_leaving(journey, gait, who.leg_m),
        apart_m=_apart(journey, who),
        ahead_m=_ahead(journey, gait, who),
        lower_m=_lower(journey, phase, who) if gait == "walk" else 0.0,
        bend_rad=_LEAST_BEND["walk"] + journey.going * (_LEAST_BEND[gait] - _LEAST_BEND["walk"]),
        shake_m=_shake(journey, held, heading, who.leg_m),
    )


def _gait(journey: Journey) -> str:
    return "back" if float(journey.speed.mean()) < 0.0 else "walk"


def _between(journey: Journey, of: tuple[float, float]) -> Floats:
    """(T,) what is one for walkers and another for runners."""
    return np.asarray(of[0] + journey.running * (of[1] - of[0]))


def _ahead(journey: Journey, gait: str, who: Performer) -> Floats:
    """(T,) how far ahead of where curves have them feet go."""
    steps = _AHEAD[gait] * (1.0 - journey.running) + _LEANS_BACK * who.style.lean
    return np.asarray(who.leg_m * steps * journey.going)


def _unhurried(journey: Journey, gait: str, leg_m: float) -> Floats:
    """(T,) how much, 0 to 1, legs swing as they come after feet that left: those of fast walkers,
    whose hips would have to swing them hard; not of those who run, too."""
    if journey.running.any():
        return np.zeros(len(journey.running))
    low, high = _UNHURRIED
    fast = smoothstep((_relative(journey, gait, leg_m) - low) / (high - low))
    return np.asarray(_UNHURRIED_MOST * fast)


def _leaving(journey: Journey, gait: str, leg_m: float) -> Floats:
    """(T,) how long after leaving a foot's speed is that of its stance."""
    slow = _between(journey, _LEAVING_S)
    return slow + _unhurried(journey, gait, leg_m) * (_LEAVING_FAST_S - slow)


def _rise(journey: Journey, leg_m: float) -> Floats:
    """(T,) how fast heels rise at most, radians per second."""
    fast = journey.speed / math.sqrt(GRAVITY * leg_m) - _SPRINTS
    return _between(journey, _RISE_RAD_S) + _RISE_MORE * journey.running * np.maximum(fast, 0.0)


def _relative(journey: Journey, gait: str, leg_m: float) -> Floats:
    """(T,) speeds in √(g leg), not below what the gait's curves know."""
    return np.maximum(journey.like / math.sqrt(GRAVITY * leg_m), _SLOWEST[gait])


def _quantity(journey: Journey, gait: str, quantity: str, who: Performer) -> Floats:
    """(T,) a quantity of the gait, between those of walking and running where both mix."""
    found = scalar(gait, quantity, _relative(journey, gait, who.leg_m), who.modes(gait))
    if not journey.running.any():
        return found
    other = scalar("run", quantity, _relative(journey, "run", who.leg_m), who.modes("run"))
    return np.asarray((1.0 - journey.running) * found + journey.running * other)


def stride_phase(journey: Journey, who: Performer, seed: int = 0, variation: float = 0.0) -> Floats:
    """(T,) the phase in strides: at whole ones the right foot comes down."""
    gait = _gait(journey)
    step = _quantity(journey, gait, "step_length", who) * (who.leg_m * math.exp(who.style.step))
    speed = np.maximum(journey.like, 0.15 * math.sqrt(GRAVITY * who.leg_m))
    steady = journey.rhythm * speed / (2.0 * step)
    phase = journey.phase + _integrate(steady, journey.rate, journey.anchor)
    if variation > 0.0:
        steady = steady / pace_factor(phase, seed, variation)
        phase = journey.phase + _integrate(steady, journey.rate, journey.anchor)
    return phase


def _poses(
    journey: Journey, gait: str, phase: Floats, who: Performer, seed: int, variation: float
) -> Curves:
    turn = journey.turn * math.sqrt(who.leg_m / GRAVITY)
    calm = 1.0 - _sharpness(journey, who.leg_m)
    points = calm * (1.0 - _RUNNERS * journey.running)

    def of(name: str) -> Curves:
        speed = _relative(journey, name, who.leg_m)
        strides = stride_modes(name, phase, seed, variation) if variation > 0.0 else None
        own = curves(name, phase, speed, turn, who.modes(name), strides)
        if not any(who.modes(name)) or calm.min() >= 1.0:
            return own
        return curves(name, phase, speed, turn, (), strides).mix(own, calm)

    pose = of("run") if journey.running.min() >= 1.0 else of(gait)
    pose.vectors[:, [_AT["ankleL"], _AT["ankleR"]], 1] += [_TOE_OUT_RAD, -_TOE_OUT_RAD]
    if journey.running.max() > 0.0 and journey.running.min() < 1.0:
        run, soon = of("run"), _longer(journey.running, *_ARMS_S, journey.rate)
        arms = pose.mix(run, soon).vectors[:, _ARMS]
        pose = pose.mix(run, journey.running)
        pose.vectors[:, _ARMS] = arms
    bend_swinging_knees(pose.vectors, phase, _SWING_KNEE_RAD * (1.0 - journey.running))
    make_uneven(pose, phase, who)
    style_strides(pose, who.style, phase, journey.running)
    if journey.going.min() < 1.0:
        going = pose
        standing = stand_curves(journey.times, seed)
        pose = standing.mix(going, journey.going)
        if journey.running.any():
            soon = _longer(journey.going, *_ARMS_S, journey.rate)
            pose.vectors[:, _ARMS] = standing.mix(going, soon).vectors[:, _ARMS]
        if journey.first is not None:
            foot, share = journey.first
            own = standing.mix(going, share)
            for joint in ("hip", "knee", "ankle", "toe"):
                n = _AT[f"{joint}{'LR'[foot]}"]
                pose.vectors[:, n] = own.vectors[:, n]
            leaves = journey.times[journey.anchor]
            raise_first_heel(pose.vectors, foot, journey.times - leaves, gait == "back")
    style_posture(pose.vectors, who.style, points)
    if journey.last is not None:
        foot, strikes = journey.last
        pace = np.abs(journey.speed).max() / math.sqrt(GRAVITY * who.leg_m)
        go_on(pose.vectors, journey.times - journey.times[strikes], float(pace), foot)
    spurts = journey.spurts * journey.running * journey.going
    lean_into_pace(pose.vectors, journey.speed, spurts, journey.rate)
    swing_elbows(pose.vectors, journey.running * journey.going)
    for side in "LR":
        knee = pose.vectors[:, _AT[f"knee{side}"], 0]
        knee[:] = np.maximum(knee, 0.05)
    return pose


def _runners_heels(journey: Journey) -> Floats:
    """(T,) how much, 0 to 1, heels rise as those of runners: that of who runs off does from the
    first, however low the body is."""
    share = _longer(journey.running, *_ARMS_S, journey.rate)
    if journey.first is not None and journey.running.any():
        share = np.maximum(share, np.arange(len(share)) <= journey.anchor)
    return share


def _longer(share: Floats, sooner_s: float, later_s: float, rate: float) -> Floats:
    """(T,) a share that rises so many seconds sooner, and falls so many later."""
    frames = np.arange(len(share))
    moved = [np.interp(frames + s * rate, frames, share) for s in (sooner_s, -later_s)]
    return np.asarray(np.max([share, *moved], axis=0))


def _root(journey: Journey, pose: Curves, heading: Floats, leg_m: float) -> Floats:
    """(T, 3) the mid-hip point: along the path, with sway, rise and surge."""
    # In the complex plane z + i x, multiplying by exp(i a) turns left by a.
    step = 0.5 / journey.rate
    along = journey.speed * np.exp(1j * heading)
    # Chords of arcs: exact for a steady turn.
    half = journey.turn * step
    chord = np.sinc(half / np.pi) / np.cos(half)
    path = np.concatenate([[0.0], np.cumsum((along * chord)[:-1] + (along * chord)[1:]) * step])
    path -= path[journey.timeline.zero]
    sway = leg_m * (pose.root[:, 2] + 1j * pose.root[:, 0]) + journey.ahead + 1j * journey.aside
    place = path + sway * np.exp(1j * heading)
    return np.stack([place.imag, leg_m * pose.root[:, 1], place.real], axis=1)


def _integrate(values: Floats, rate: float, zero: int) -> Floats:
    """(T,) the integral over time, 0 at frame `zero`."""
    total = np.concatenate([[0.0], np.cumsum(values[:-1] + values[1:]) * (0.5 / rate)])
    return np.asarray(total - total[zero])


def _stances(journey: Journey, gait: str, phase: Floats, who: Performer) -> Bools:
    """(T, 2) whether the left and the right foot stand."""
    # Mean curves are smoother than any single one: the mean runner's foot comes down later.
    fast = _relative(journey, "run", who.leg_m) - 1.0
    sooner = _RUN_STRIKE + _RUN_STRIKE_MORE * np.maximum(fast, 0.0)
    on = _quantity(journey, gait, "con", who) + sooner * journey.running
    if gait == "back":
        on = on - _BACK_STRIKE * _relative(journey, gait, who.leg_m)
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
    model = _quantity(journey, gait, "coff", who) + who.style.stance
    if gait == "back":
        return model
    speed = _relative(journey, gait, who.leg_m)
    model_walk = scalar(gait, "coff", speed)
    later = 0.532 - 0.083 * np.log(speed) - model_walk
    return np.asarray(model + (1.0 - journey.running) * later + journey.running * 0.01)


def _apart(journey: Journey, who: Performer) -> Floats:
    """(T,) how far feet go to their own sides: by the performer's habit, and in turns that are
    sharper than curves."""
    sharp = _sharpness(journey, who.leg_m)
    own = journey.going * (1.0 - _RUNNERS * journey.running) * (1.0 - sharp)
    wide = 0.5 * who.style.width * who.leg_m * own
    fast = _relative(journey, "run", who.leg_m) - _NARROW
    narrow = _NARROWS * who.leg_m * journey.running * journey.going * np.maximum(fast, 0.0)
    return np.asarray(wide + _WIDER * who.leg_m * sharp - narrow)


def _sharpness(journey: Journey, leg_m: float) -> Floats:
    """(T,) how much sharper than curves turns are, 0 to 1; in sharp ones people are all alike."""
    turn = np.abs(journey.turn) * math.sqrt(leg_m / GRAVITY)
    sharp = smooth_gaussian(turn, 0.2 * journey.rate)
    return np.asarray(np.clip((sharp - _SHARP[0]) / _SHARP[1], 0.0, 1.0))


def _shake(journey: Journey, held: Bools, heading: Floats, leg_m: float) -> Floats:
    """(T, 3) the body's tremor after each strike: it drops, is slowed, and springs back.

    In running the push of the stance is all there is.
    """
    t = np.arange(round(6.0 * _SHAKE_S * journey.rate)) / journey.rate
    onset = -np.expm1(-((t / (0.3 * _SHAKE_S)) ** 2))
    wave = -onset * np.exp(-t / _SHAKE_S) * np.sin(2.0 * np.pi * _SHAKE_HZ * t)
    strikes = (held[1:] & ~held[:-1]).sum(axis=1)
    hurry = np.minimum(np.abs(journey.speed) / math.sqrt(GRAVITY * leg_m) / 0.4, 2.0)
    size = _SHAKE * leg_m * np.minimum(hurry**0.7, hurry**0.35) * (1.0 - journey.running)
    kicks = np.concatenate([[0.0], strikes]) * size
    tremor = np.convolve(kicks, wave)[: len(kicks)]
    ahead = 0.5 * np.sign(journey.speed) * tremor
    return np.stack([ahead * np.sin(heading), tremor, ahead * np.cos(heading)], axis=1)


def _lower(journey: Journey, phase: Floats, who: Performer) -> Floats:
    """(T,) how much lower walkers are than their mean curves: most when a leg takes the weight,
    and when they brake a run."""
    walks = journey.going * (1.0 - journey.running)
    taking = 0.5 + 0.5 * np.cos(4.0 * np.pi * (phase - _TAKES))
    sharp = _sharpness(journey, who.leg_m)
    low = walks * (_LOWER + who.style.lower * (1.0 - sharp) + _LOWER_TAKING * taking)
    low += walks * TURNS_LOW * sharp
    if journey.last is not None:
        since = journey.times - journey.times[journey.last[1]]
        pace = np.abs(journey.speed).max() / math.sqrt(GRAVITY * who.leg_m)
        gives = ease(since, -0.3, _GIVES_S[0]) - ease(since, *_GIVES_S)
        low += _GIVES * pace * gives
    if journey.running.any():
        faster = np.gradient(np.abs(journey.speed), 1.0 / journey.rate) / GRAVITY
        ran = journey.spurts * running_max(journey.running, round(_RAN_S * journey.rate))
        sinks = smooth_gaussian(ran * np.maximum(-faster, 0.0), 0.08 * journey.rate)
        low += _BRAKES * sinks * walks * (1.0 - journey.running)
        drive = smooth_gaussian(ran * np.maximum(faster, 0.0), 0.08 * journey.rate)
        still = drive * (1.0 - journey.running)
        if journey.first is not None:  # both feet carry a body that falls, not one that squats
            leaves = journey.times[journey.anchor]
            still *= ease(journey.times, leaves - _FALLS_S[0], leaves + _FALLS_S[1])
        low += _DRIVES * (1.0 - journey.going * journey.running) * still
    return np.asarray(who.leg_m * low)


def _clearance(journey: Journey, gait: str, who: Performer) -> Floats:
    least = _quantity(journey, gait, "toe_clear", who) * who.leg_m
    sprint = smoothstep((_relative(journey, gait, who.leg_m) - 0.52) / 0.12)
    least = least * (1.0 - _UNLIFTED * (1.0 - sprint) * _unhurried(journey, gait, who.leg_m))
    return np.maximum(least, 0.012) * np.maximum(journey.going, 0.5)
