"""How bodies are carried over their feet: how low, wide and far ahead, and what shakes them."""

from __future__ import annotations

import math

import numpy as np

from footfall.generate.gait.gait_model import Curves
from footfall.generate.gait.journey import RUNNERS, Journey, relative, sharpness
from footfall.generate.gait.timeline import ease
from footfall.generate.gait.turning import TURNS_LOW
from footfall.generate.performer import Performer
from footfall.maths.arrays import Bools, Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.easing import smoothstep
from footfall.maths.filters import running_max, smooth_gaussian

_SHAKE, _SHAKE_HZ, _SHAKE_S = 0.0015, 8.5, 0.055
"""How strongly (leg lengths, at a usual walk), fast and long a strike shakes the body."""
_WIDER = 0.05
"""Feet go this much further to their own sides, leg lengths, in sharp turns."""
_LOWER, _LOWER_TAKING, _TAKES = -0.001, 0.010, 0.176
"""How much lower walkers are, leg lengths: always, and at the phase when a leg takes the weight."""
_BRAKES, _RAN_S, _SITS_S = 0.28, 1.2, (0.0, 0.25)
"""How much lower they are, leg lengths for each g by which they slow down, who ran so long ago; and
from when until how long after that they sit so."""
_HARDLY = 0.7
"""Who runs less than this, 0 to 1, leaps a single step, and need not sit back for it."""
_BRAKES_APART = 0.1
"""How much further to their own sides they put their feet then, leg lengths for each g."""
_DRIVES = 0.55
"""How much lower, leg lengths for each g by which they speed up, walkers are who are about to run.
"""
_FALLS, _FALLS_S = 0.1, ((-0.22, 0.3), (0.3, 0.9))
"""How much lower, leg lengths, those go who start to run from standing; from when to when, seconds
since the first foot leaves, they sink, and rise again: they fall over the foot behind, and stay low
over the first steps."""
_GIVES, _GIVES_S = 0.045, (0.1, 0.8)
"""How much lower, leg lengths, who comes to stand from a speed of √(g leg) is on knees that give,
and until when they do and are straight again."""
_AHEAD = {"walk": 0.02, "back": 0.045}
"""How much further ahead, leg lengths, the feet of walkers go than mean curves have it: legs come
down straight and leave bent."""
_LEANS_BACK = 0.2
"""How much further, leg lengths per radian, those who lean forward leave their hips behind: their
weight is over their feet."""
_NARROW, _NARROWS = 1.1, 0.068
"""Runners faster than so many √(g leg) put each foot that much nearer to the midline, leg lengths
for each of them."""


def ahead_of_curves(journey: Journey, gait: str, who: Performer) -> Floats:
    """(T,) how far ahead of where curves have them feet go."""
    steps = _AHEAD[gait] * (1.0 - journey.running) + _LEANS_BACK * who.style.lean
    return np.asarray(who.leg_m * steps * journey.going)


def apart(journey: Journey, who: Performer) -> Floats:
    """(T,) how far feet go to their own sides: by the performer's habit, and in turns that are
    sharper than curves."""
    sharp = sharpness(journey, who.leg_m)
    own = journey.going * (1.0 - RUNNERS * journey.running) * (1.0 - sharp)
    wide = 0.5 * who.style.width * who.leg_m * own
    fast = relative(journey, "run", who.leg_m) - _NARROW
    narrow = _NARROWS * who.leg_m * journey.running * journey.going * np.maximum(fast, 0.0)
    wide += _BRAKES_APART * who.leg_m * _braking(journey) * journey.going
    return np.asarray(wide + _WIDER * who.leg_m * sharp - narrow)


def lower(journey: Journey, phase: Floats, who: Performer) -> Floats:
    """(T,) how much lower walkers are than their mean curves: most when a leg takes the weight,
    and when they brake a run."""
    walks = journey.going * (1.0 - journey.running)
    taking = 0.5 + 0.5 * np.cos(4.0 * np.pi * (phase - _TAKES))
    sharp = sharpness(journey, who.leg_m)
    low = walks * (_LOWER + who.style.lower * (1.0 - sharp) + _LOWER_TAKING * taking)
    low += walks * TURNS_LOW * sharp
    if journey.last is not None:
        since = journey.times - journey.times[journey.last[1]]
        pace = np.abs(journey.speed).max() / math.sqrt(GRAVITY * who.leg_m)
        gives = ease(since, -0.3, _GIVES_S[0]) - ease(since, *_GIVES_S)
        low += _GIVES * pace * gives
    low += _BRAKES * _braking(journey)
    if journey.runs_off:
        since = journey.times - journey.times[journey.anchor]
        sinks, rises = (ease(since, *span) for span in _FALLS_S)
        low += _FALLS * journey.spurts * (sinks - rises)
    else:
        drive = smooth_gaussian(np.maximum(_near_running(journey), 0.0), 0.08 * journey.rate)
        low += _DRIVES * (1.0 - 0.5 * journey.running) * drive
    return np.asarray(who.leg_m * low)


def _near_running(journey: Journey) -> Floats:
    """(T,) by how many g those speed up who run, ran or will run; negative for who slows down."""
    if not journey.running.any():
        return np.zeros(len(journey.running))
    most = running_max(journey.running, round(_RAN_S * journey.rate))
    near = journey.spurts * smoothstep((most - _HARDLY) / (1.0 - _HARDLY))
    return np.asarray(near * np.gradient(np.abs(journey.speed), 1.0 / journey.rate) / GRAVITY)


def _braking(journey: Journey) -> Floats:
    """(T,) by how many g who ran slows down, held on to: who sits back to lose speed rises late."""
    slower = np.maximum(-_near_running(journey), 0.0)
    if not slower.any():
        return slower
    frames = np.arange(len(slower))
    held = np.linspace(*_SITS_S, 7) * journey.rate
    later = [np.interp(frames - many, frames, slower) for many in held]
    return smooth_gaussian(np.max(later, axis=0), 0.1 * journey.rate)


def hips_of(journey: Journey, pose: Curves, heading: Floats, leg_m: float) -> Floats:
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


def shake(journey: Journey, held: Bools, heading: Floats, leg_m: float) -> Floats:
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
