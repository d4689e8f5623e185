"""Signals over frames: sample at other times, low-pass without lag, differentiate.

Time runs along the first dimension, frame i at i / fps seconds.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints
from footfall.maths.butterworth import filter_both_ways, low_pass_sections
from footfall.maths.quaternions import (
    IDENTITY,
    conjugate,
    continuous,
    exp_half_angle,
    log_half_angle,
    multiply,
    normalise,
    slerp,
    toward,
)

_BLOCK = 1 << 12


def sample_times(frames: int, fps: float, new_fps: float) -> Floats:
    """Return (M,) times at `new_fps` from 0 to the last of `frames` frames, inclusive."""
    last = (frames - 1) / fps
    return np.arange(int(np.floor(last * new_fps + 1e-6)) + 1) / new_fps


def sample(values: ArrayLike, fps: float, times: ArrayLike, smooth: bool = True) -> Floats:
    """Values (T, ...) at `times` (M,) seconds, clamped to the first and last frame.

    `smooth` goes through the frames with a continuous velocity (Catmull-Rom), else straight
    lines are drawn from frame to frame.
    """
    values = np.asarray(values, dtype=np.float64)
    a, u = _between_frames(times, fps, len(values))
    b = np.minimum(a + 1, len(values) - 1)
    u = u.reshape(-1, *(1,) * (values.ndim - 1))
    if not smooth:
        return np.asarray(values[a] + u * (values[b] - values[a]))
    slope = _frame_slopes(np.diff(values, axis=0), values.shape)
    step = values[b] - values[a]
    curve = u * u * (3.0 - 2.0 * u) * step
    curve += u * (1.0 - u) * ((1.0 - u) * slope[a] - u * slope[b])
    return np.asarray(values[a] + curve)


def sample_rotations(q: ArrayLike, fps: float, times: ArrayLike, smooth: bool = True) -> Floats:
    """Rotations (T, ..., 4) at `times` (M,) seconds, clamped to the first and last frame.

    `smooth` goes through the frames with a continuous angular velocity: the cumulative cubic of
    Kim, Kim & Shin 1995 with Catmull-Rom slopes. Else from frame to frame by `slerp`. The signs
    of the result are continuous if those of `q` are.
    """
    q = np.asarray(q, dtype=np.float64)
    first, u = _between_frames(times, fps, len(q))
    out = np.empty((len(first), *q.shape[1:]))
    segment = _smooth_segment if smooth else _straight_segment
    for start in range(0, len(first), _BLOCK):  # bounds the memory of what lies in between
        part = slice(start, start + _BLOCK)
        out[part] = segment(q, first[part], u[part].reshape(-1, *(1,) * (q.ndim - 2)))
    return out


def _straight_segment(q: Floats, a: Ints, u: Floats) -> Floats:
    return slerp(q[a], q[np.minimum(a + 1, len(q) - 1)], u)


def _smooth_segment(q: Floats, a: Ints, u: Floats) -> Floats:
    """Return a Bézier segment from frame `a` on by `u`, tangent to the slopes."""
    last = len(q) - 1
    b = np.minimum(a + 1, last)
    frames = [q[np.maximum(a - 1, 0)], q[a], q[b], q[np.minimum(b + 1, last)]]
    turns = [
        toward(multiply(conjugate(one), two), IDENTITY) for one, two in itertools.pairwise(frames)
    ]
    before, step, after = (log_half_angle(turn) for turn in turns)
    wide = (-1, *(1,) * (q.ndim - 1))
    at_start, at_end = (a == 0).reshape(wide), (b == last).reshape(wide)
    # Outside the clip the steps go on as a parabola would, or as a line if there is one step.
    before = np.where(at_start, np.where(at_end, step, 2.0 * step - after), before)
    after = np.where(at_end, 2.0 * step - before, after)
    leave, arrive = (before + step) / 6.0, (step + after) / 6.0
    middle = multiply(multiply(exp_half_angle(-leave), turns[1]), exp_half_angle(-arrive))
    across = log_half_angle(toward(middle, IDENTITY))
    u = u[..., None]
    out = multiply(frames[1], exp_half_angle((1.0 - (1.0 - u) ** 3) * leave))
    out = multiply(out, exp_half_angle(u * u * (3.0 - 2.0 * u) * across))
    return normalise(multiply(out, exp_half_angle(u**3 * arrive)))


def nearest_frames(frames: int, fps: float, times: ArrayLike) -> Ints:
    """Return (M,) the index of the frame nearest to each of `times` (M,), the later at a tie."""
    place = np.floor(np.asarray(times, dtype=np.float64) * fps + (0.5 + 1e-9))
    return np.clip(place, 0, frames - 1).astype(np.int32)


def low_pass(values: ArrayLike, fps: float, cutoff_hz: float, order: int = 2) -> Floats:
    """Values (T, ...) without what is faster than `cutoff_hz`, and without lag.

    A Butterworth filter of `order` runs forward and backward; its own cut-off is raised so that
    both passes together let through half the power at `cutoff_hz`. The ends are continued by
    point reflection, so straight lines pass unchanged however short the clip.
    """
    values = np.asarray(values, dtype=np.float64)
    if not 0.0 < cutoff_hz < 0.5 * fps:
        raise InputError(
            f"the low-pass frequency is {cutoff_hz:g} Hz at {fps:g} frames per second",
            remedy=f"it must lie between 0 and {0.5 * fps:g} Hz",
        )
    if len(values) < 2:
        return values.copy()
    raised = np.tan(np.pi * cutoff_hz / fps) / (np.sqrt(2.0) - 1.0) ** (1.0 / (2 * order))
    sections = low_pass_sections(float(raised), order)
    # Long enough for the filter to settle, which takes longer the lower the frequency.
    pad = min(int(np.ceil(2.0 * fps / cutoff_hz)) + 10, 10 * len(values))
    # Less the line from end to end, point reflections repeat without drifting away.
    way = np.linspace(0.0, 1.0, len(values)).reshape(-1, *(1,) * (values.ndim - 1))
    line = values[0] + way * (values[-1] - values[0])
    widths = [(pad, pad)] + [(0, 0)] * (values.ndim - 1)
    longer = np.pad(values - line, widths, mode="reflect", reflect_type="odd")
    return np.asarray(line + filter_both_ways(sections, longer)[pad:-pad])


def low_pass_rotations(q: ArrayLike, fps: float, cutoff_hz: float, order: int = 2) -> Floats:
    """Rotations (T, ..., 4) without what is faster than `cutoff_hz`, and without lag.

    Filters the components of the quaternions on one hemisphere and scales them back to length
    1, which turns along when all of `q` is turned.
    """
    return normalise(low_pass(continuous(q), fps, cutoff_hz, order))


def differentiate(values: ArrayLike, fps: float) -> Floats:
    """Rates of change per second of values (T, ...): central differences, exact for parabolas.

    The two ends are one-sided over three frames; a single frame does not move.
    """
    values = np.asarray(values, dtype=np.float64)
    if len(values) < 2:
        return np.zeros_like(values)
    if len(values) == 2:
        return np.repeat((values[1:] - values[:1]) * fps, 2, axis=0)
    return np.asarray(np.gradient(values, 1.0 / fps, axis=0, edge_order=2))


def _between_frames(times: ArrayLike, fps: float, frames: int) -> tuple[Ints, Floats]:
    """Return the frame at or before each time and how far it is on to the next, 0 to 1."""
    place = np.clip(np.asarray(times, dtype=np.float64) * fps, 0.0, frames - 1)
    # A time that is a frame's but for rounding is that frame, so that frames come back exactly.
    whole = np.round(place)
    place = np.where(np.abs(place - whole) < 1e-9 * np.maximum(whole, 1.0), whole, place)
    first = np.minimum(place.astype(np.int32), frames - 1)
    return first, place - first


def _frame_slopes(steps: Floats, shape: tuple[int, ...]) -> Floats:
    """Return the slope per frame at each frame: the mean of the steps before and after it."""
    slope = np.zeros(shape)
    if len(steps):
        slope[1:-1] = 0.5 * (steps[1:] + steps[:-1])
        # At the ends as a parabola has it, or a line if there is one step.
        slope[0] = 1.5 * steps[0] - 0.5 * steps[min(1, len(steps) - 1)]
        slope[-1] = 1.5 * steps[-1] - 0.5 * steps[max(-2, -len(steps))]
    return slope
