"""Recursive filters: Butterworth low-pass, run forward and backward so that nothing lags.

What `scipy.signal.butter` and `sosfiltfilt` do, whose import takes nearly a second. A filter is a
row of sections of second order. A section keeps a state of two numbers; a block of values goes
through it in two matrix products, with the matrices of all its steps at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from footfall.maths.arrays import Floats

_BLOCK = 64


@dataclass(frozen=True, eq=False)
class Section:
    """A recursive filter of second order, for blocks of B values.

    now    (B, B) what the values of a block give in it      then   (B, 2) what the state gives
    keep   (2, 2) the state after a block, from that before  learn  (2, B) and from the values
    rest   (2,) the state in which a constant 1 goes on for ever
    """

    now: Floats
    then: Floats
    keep: Floats
    learn: Floats
    rest: Floats


@lru_cache(maxsize=64)
def low_pass_sections(tangent: float, order: int) -> tuple[Section, ...]:
    """Return a Butterworth low-pass; `tangent` is tan(pi * cut-off / frame rate)."""
    w, sections = tangent, []
    for k in range(order // 2):
        damping = 2.0 * math.sin(math.pi * (2 * k + 1) / (2 * order)) * w
        top, bottom = w * w, 1.0 + damping + w * w
        gain = top / bottom
        back = (2.0 * (top - 1.0) / bottom, (1.0 - damping + top) / bottom)
        sections.append(_section((gain, 2.0 * gain, gain), back))
    if order % 2:
        gain = w / (1.0 + w)
        sections.append(_section((gain, gain, 0.0), ((w - 1.0) / (w + 1.0), 0.0)))
    return tuple(sections)


def filter_both_ways(sections: tuple[Section, ...], values: Floats) -> Floats:
    """Values (T, ...) filtered along the first dimension, forward and then backward.

    Each way begins as if the first value had been there for ever.
    """
    rows = values.reshape(len(values), -1)
    for _ in range(2):
        for section in sections:
            rows = _filter(section, rows)
        rows = rows[::-1]
    return np.ascontiguousarray(rows).reshape(values.shape)


def _section(ahead: tuple[float, float, float], back: tuple[float, float]) -> Section:
    """Return the section y = ahead·(x[0], x[-1], x[-2]) - back·(y[-1], y[-2])."""
    step = np.array([[-back[0], 1.0], [-back[1], 0.0]])
    new = np.array([ahead[1] - back[0] * ahead[0], ahead[2] - back[1] * ahead[0]])
    powers = [np.eye(2)]
    for _ in range(_BLOCK):
        powers.append(step @ powers[-1])
    then = np.stack([power[0] for power in powers[:_BLOCK]])
    answer = np.concatenate([[ahead[0]], then[:-1] @ new])
    lag = np.subtract.outer(np.arange(_BLOCK), np.arange(_BLOCK))
    now = np.where(lag >= 0, answer[np.maximum(lag, 0)], 0.0)
    learn = np.stack([power @ new for power in powers[_BLOCK - 1 :: -1]], axis=1)
    rest = np.linalg.solve(np.eye(2) - step, new)
    return Section(now, then, powers[_BLOCK], learn, rest)


def _filter(section: Section, rows: Floats) -> Floats:
    """Return (T, C) each column filtered."""
    out = np.empty(rows.shape)
    state = section.rest[:, None] * rows[0]
    for first in range(0, len(rows), _BLOCK):
        block = rows[first : first + _BLOCK]
        count = len(block)
        out[first : first + count] = section.now[:count, :count] @ block
        out[first : first + count] += section.then[:count] @ state
        if count == _BLOCK:
            state = section.keep @ state + section.learn @ block
    return out
