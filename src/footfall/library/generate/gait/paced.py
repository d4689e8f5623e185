"""Going at a pace that changes: speed, turn, gait and standing still over time, as one motion."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from footfall.body.clip import Clip, Source
from footfall.errors import InputError
from footfall.library.generate.actions.planted import Planted, Wish, plant
from footfall.library.generate.actions.standing import stand_curves
from footfall.library.generate.gait.gait_model import GRAVITY, JOINTS, Curves, curves, meta, scalar
from footfall.library.generate.gait.variation import (
    MEAN_PERFORMER,
    Performer,
    look_about,
    pace_factor,
    stride_modes,
    uneven,
)
from footfall.library.generate.skeleton import default_skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats

WORKING_HZ = 120.0
"""Motions are made at a whole multiple of their frame rate, at least this."""
_LOOK_AHEAD_S, _MOST_LOOK = 0.3, 0.45
_LEAN, _MOST_LEAN = 0.075, 0.4
"""Trunk lean, radians per m/s² of speeding up."""
_SLOWEST = {"walk": 0.15, "run": 0.62, "back": 0.14}
_STAND_SAYS = 25.0
"""How much more a standing moment says about where a foot stands than one of going."""
_LEAST_BEND = {"walk": np.radians(3.5), "back": np.radians(15.0)}
"""Who goes backwards feels for the ground with bent knees."""
_SHAKE, _SHAKE_HZ, _SHAKE_S = 0.0015, 8.5, 0.055
"""How strongly (leg lengths, at a usual walk), fast and long a strike shakes the body."""
_WIDER, _SHARP = 0.05, (0.2, 0.3)
"""Feet go this much further to their own sides, leg lengths, in turns of so many √(g / leg)."""
_RUN_STRIKE, _BACK_STRIKE = 0.004, 0.06
_TOE_OUT_RAD = np.radians(5.0)
"""The model's feet point as they did in each performer's first pose; people's point outwards."""
_AT = {joint: n for n, joint in enumerate(JOINTS)}


@dataclass(frozen=True, eq=False)
class Course:
    """How to go, over T frames of `rate` frames per second; frame `zero` is the clip's first.

    speed      (T,) along the path, m/s; negative goes backwards
    turn       (T,) radians per second, positive to the left
    running    (T,) 0 walks, 1 runs
    going      (T,) 0 stands, 1 goes
    like       (T,) the speed of which the gait is taken, m/s
    rhythm     (T,) strides per second over what `like` asks for; 0 where nothing steps
    phase      in strides, at frame `anchor`
    standing   (T,) both feet stand, whatever the phase
    aside      (T,) how far the standing body leans over to the left, metres
    """

    rate: float
    zero: int
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

    @property
    def times(self) -> Floats:
        """(T,) seconds since the clip's first frame."""
        return (np.arange(len(self.speed)) - self.zero) / self.rate


def working_rate(fps: float) -> tuple[float, int]:
    """The rate a clip of `fps` is made at, and every which of its frames is kept."""
    if not 5.0 <= fps <= 1000.0:
        raise InputError(f"the frame rate is {fps:g}", remedy="5 to 1000 frames per second")
    every = max(1, math.ceil(WORKING_HZ / fps - 1e-9))
    return fps * every, every


def knots(times: Floats, points: list[tuple[float, float]]) -> Floats:
    """(T,) a smooth monotone curve through (time, value) points, level beyond them."""
    at, values = np.array(points).T
    inside = np.clip(times, at[0], at[-1])
    return np.asarray(PchipInterpolator(at, values)(inside))


def ease(times: Floats, begin: float, end: float) -> Floats:
    """(T,) from 0 to 1 between two times, C²."""
    u = np.clip((times - begin) / (end - begin), 0.0, 1.0)
    return np.asarray(u**3 * (10.0 - 15.0 * u + 6.0 * u * u))


def course(
    rate: float, seconds: float, pad_s: float, speed: list[tuple[float, float]] | float,
    *, turn: Floats | float = 0.0, running: Floats | float = 0.0, phase: float = 0.0,
) -> Course:  # fmt: skip
    """A course without a stop: speed from (time, m/s) points or one number."""
    zero = round(pad_s * rate)
    frames = round(seconds * rate) + 1 + 2 * zero
    times = (np.arange(frames) - zero) / rate
    fast = knots(times, speed) if isinstance(speed, list) else np.full(frames, float(speed))
    full = np.ones(frames)
    return Course(
        rate, zero, fast, turn * full, running * full, full, np.abs(fast), full, phase, zero,
        np.zeros(frames, np.bool_), 0.0 * full,
    )  # fmt: skip


def perform(
    way: Course,
    name: str,
    seconds: float,
    every: int,
    *,
    tags: tuple[str, ...] = (),
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
    variation: float = 0.0,
) -> Clip:
    """The default character of a performer going its course; the clip begins at the origin, +Z.

    variation  from stride to stride: 0 none, 1 as people have it; drawn from `seed`
    """
    character = default_skeleton(who.leg_m)
    gait = "back" if float(way.speed.mean()) < 0.0 else "walk"
    phase = _phase(way, gait, who, seed, variation)
    pose = _poses(way, gait, phase, who, seed, variation)
    heading = _integrated(way.turn, way.rate, way.zero)
    _look_ahead(pose.vectors, way, heading)
    look_about(pose.vectors, phase, seed, variation * way.going)
    rotations = quat.from_rotation_vector(pose.vectors)
    rotations[:, 0] = quat.multiply(quat.from_yaw(heading), rotations[:, 0])
    held = _held(way, gait, phase, who)
    wish = Wish(
        character=character,
        rate=way.rate,
        root=_root(way, pose, heading, who.leg_m),
        rotations=rotations,
        held=held,
        weight=1.0 + _STAND_SAYS * (1.0 - way.going),
        clearance_m=_clearance(way, gait, who.leg_m),
        apart_m=_apart(way, who.leg_m),
        bend_rad=_LEAST_BEND[gait],
        shake_m=_shake(way, held, heading, who.leg_m),
    )
    return cropped(plant(wish), wish, way.zero, seconds, every, name, tags)


def cropped(
    made: Planted, wish: Wish, zero: int, seconds: float, every: int, name: str,
    tags: tuple[str, ...],
) -> Clip:  # fmt: skip
    """The frames of a motion that a clip keeps."""
    last = zero + round(seconds * wish.rate / every) * every
    kept = slice(zero, last + 1, every)
    return Clip(
        skeleton=wish.character,
        fps=wish.rate / every,
        root=made.root[kept],
        rotations=quat.continuous(made.rotations[kept]),
        name=name,
        contacts=made.contacts[kept],
        tags=tags,
        source=Source(format="generated", licence=meta()["source"]),
    )


def _relative(way: Course, gait: str, leg_m: float) -> Floats:
    """(T,) speeds in √(g leg), not below what the gait's curves know."""
    return np.maximum(way.like / math.sqrt(GRAVITY * leg_m), _SLOWEST[gait])


def _mixed(way: Course, gait: str, quantity: str, who: Performer) -> Floats:
    """(T,) a quantity of the gait, between those of walking and running where both mix."""
    found = scalar(gait, quantity, _relative(way, gait, who.leg_m), who.modes(gait))
    if not way.running.any():
        return found
    other = scalar("run", quantity, _relative(way, "run", who.leg_m), who.modes("run"))
    return np.asarray((1.0 - way.running) * found + way.running * other)


def _phase(way: Course, gait: str, who: Performer, seed: int, variation: float) -> Floats:
    """(T,) the phase in strides."""
    step = _mixed(way, gait, "step_length", who) * who.leg_m
    speed = np.maximum(way.like, 0.15 * math.sqrt(GRAVITY * who.leg_m))
    steady = way.rhythm * speed / (2.0 * step)
    phase = way.phase + _integrated(steady, way.rate, way.anchor)
    if variation > 0.0:
        steady = steady / pace_factor(phase, seed, variation)
        phase = way.phase + _integrated(steady, way.rate, way.anchor)
    return phase


def _poses(
    way: Course, gait: str, phase: Floats, who: Performer, seed: int, variation: float
) -> Curves:
    turn = way.turn * math.sqrt(who.leg_m / GRAVITY)
    strides = stride_modes(phase, seed, variation) if variation > 0.0 else None

    def of(name: str) -> Curves:
        speed = _relative(way, name, who.leg_m)
        return curves(name, phase, speed, turn, who.modes(name), strides)

    pose = of("run") if way.running.min() >= 1.0 else of(gait)
    pose.vectors[:, [_AT["ankleL"], _AT["ankleR"]], 1] += [_TOE_OUT_RAD, -_TOE_OUT_RAD]
    if way.running.max() > 0.0 and way.running.min() < 1.0:
        pose = pose.mixed(of("run"), way.running)
    uneven(pose, phase, who)
    if way.going.min() < 1.0:
        pose = stand_curves(way.times, seed).mixed(pose, way.going)
    _lean(pose.vectors, way)
    for side in "LR":
        knee = pose.vectors[:, _AT[f"knee{side}"], 0]
        knee[:] = np.maximum(knee, 0.05)
    return pose


def _lean(vectors: Floats, way: Course) -> None:
    """Lean into speeding up and back when slowing down; the eyes stay level."""
    change = np.gradient(way.speed, 1.0 / way.rate)
    lean = gaussian_filter1d(_LEAN * change, 0.12 * way.rate, mode="nearest")
    lean = _MOST_LEAN * np.tanh(lean / _MOST_LEAN)
    for joint, share in (("pelvis", 0.35), ("spine1", 0.65), ("neck", -0.7)):
        vectors[:, _AT[joint], 0] += share * lean
    for side in "LR":
        vectors[:, _AT[f"hip{side}"], 0] -= 0.35 * lean


def _look_ahead(vectors: Floats, way: Course, heading: Floats) -> None:
    """The head turns where the path will go, before the body does."""
    later = np.interp(way.times + _LOOK_AHEAD_S, way.times, heading)
    # What a steady turn does to head and trunk is in the model already.
    mean = gaussian_filter1d(way.turn, 0.5 * way.rate, mode="nearest")
    news = later - heading - _LOOK_AHEAD_S * np.clip(mean, -0.9, 0.9)
    look = _MOST_LOOK * np.tanh(gaussian_filter1d(news, 0.08 * way.rate) / _MOST_LOOK)
    for joint, share in (("chest", 0.15), ("neck", 0.4), ("head", 0.45)):
        vectors[:, _AT[joint], 1] += share * look


def _root(way: Course, pose: Curves, heading: Floats, leg_m: float) -> Floats:
    """(T, 3) the mid-hip point: along the path, with sway, rise and surge."""
    # In the complex plane z + i x, multiplying by exp(i a) turns left by a.
    step = 0.5 / way.rate
    along = way.speed * np.exp(1j * heading)
    # Chords of arcs: exact for a steady turn.
    half = way.turn * step
    chord = np.sinc(half / np.pi) / np.cos(half)
    path = np.concatenate([[0.0], np.cumsum((along * chord)[:-1] + (along * chord)[1:]) * step])
    path -= path[way.zero]
    sway = leg_m * (pose.root[:, 2] + 1j * pose.root[:, 0]) + 1j * way.aside
    place = path + sway * np.exp(1j * heading)
    return np.stack([place.imag, leg_m * pose.root[:, 1], place.real], axis=1)


def _integrated(values: Floats, rate: float, zero: int) -> Floats:
    """(T,) the integral over time, 0 at frame `zero`."""
    total = np.concatenate([[0.0], np.cumsum(values[:-1] + values[1:]) * (0.5 / rate)])
    return np.asarray(total - total[zero])


def _held(way: Course, gait: str, phase: Floats, who: Performer) -> Bools:
    """(T, 2) whether the left and the right foot stand."""
    # Mean curves are smoother than any single one: the mean runner's foot comes down later.
    on = _mixed(way, gait, "con", who) + _RUN_STRIKE * way.running
    if gait == "back":
        on = on - _BACK_STRIKE * _relative(way, gait, who.leg_m)
    off = _off(way, gait, who)
    columns = []
    for later in (0.5, 0.0):
        since = (phase - later - on) % 1.0
        columns.append((since <= off - on) | way.standing)
    return np.stack(columns, axis=1)


def _off(way: Course, gait: str, who: Performer) -> Floats:
    """(T,) the phase at which the tip of the toes leaves.

    The model's character is when the ball of the foot does. For walking it is from Schwartz et al.
    2008, a little later for the roll over the toes, which their markers do not show.
    """
    model = _mixed(way, gait, "coff", who)
    if gait == "back":
        return model
    speed = _relative(way, gait, who.leg_m)
    model_walk = scalar(gait, "coff", speed)
    later = 0.532 - 0.083 * np.log(speed) - model_walk
    return np.asarray(model + (1.0 - way.running) * later + way.running * 0.01)


def _apart(way: Course, leg_m: float) -> Floats:
    """(T,) how far feet go to their own sides in turns that are sharper than curves."""
    turn = np.abs(way.turn) * math.sqrt(leg_m / GRAVITY)
    sharp = gaussian_filter1d(turn, 0.2 * way.rate, mode="nearest")
    return np.asarray(_WIDER * leg_m * np.clip((sharp - _SHARP[0]) / _SHARP[1], 0.0, 1.0))


def _shake(way: Course, held: Bools, heading: Floats, leg_m: float) -> Floats:
    """(T, 3) the body's tremor after each strike: it drops, is slowed, and springs back.

    In running the push of the stance is all there is.
    """
    t = np.arange(round(6.0 * _SHAKE_S * way.rate)) / way.rate
    onset = -np.expm1(-((t / (0.3 * _SHAKE_S)) ** 2))
    wave = -onset * np.exp(-t / _SHAKE_S) * np.sin(2.0 * np.pi * _SHAKE_HZ * t)
    strikes = (held[1:] & ~held[:-1]).sum(axis=1)
    speed = np.abs(way.speed) / math.sqrt(GRAVITY * leg_m)
    size = _SHAKE * leg_m * np.sqrt(np.minimum(speed / 0.4, 2.0)) * (1.0 - way.running)
    kicks = np.concatenate([[0.0], strikes]) * size
    tremor = np.convolve(kicks, wave)[: len(kicks)]
    ahead = 0.5 * np.sign(way.speed) * tremor
    return np.stack([ahead * np.sin(heading), tremor, ahead * np.cos(heading)], axis=1)


def _clearance(way: Course, gait: str, leg_m: float) -> Floats:
    least = _mixed(way, gait, "toe_clear", Performer(leg_m)) * leg_m
    return np.maximum(least, 0.012) * np.maximum(way.going, 0.5)
