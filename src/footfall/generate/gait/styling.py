"""A performer's style on joint curves: how far strides swing, and the posture they swing about."""

from __future__ import annotations

import math

import numpy as np

from footfall.generate.gait.gait_model import JOINTS, Curves
from footfall.generate.gait.layers import lean_forward
from footfall.generate.style import Style
from footfall.maths.arrays import Floats

_AT = {joint: n for n, joint in enumerate(JOINTS)}
_TRUNK = ("pelvis", "spine1", "spine2", "chest", "neck", "head")
_RUNNERS = 0.6
_ELBOWS = 0.7
"""How much of what arms swing more elbows do."""
_ELBOW_RAD = (math.radians(2.0), math.radians(140.0))
_ROUND = (("spine2", 0.45), ("chest", 0.55), ("neck", -0.45), ("head", -0.35))
"""Shares of a round back, which the neck holds up again in part."""


def style_strides(pose: Curves, style: Style, phase: Floats, running: Floats) -> None:
    """Let arms, trunk, legs and the whole body swing as far as the performer's do, in place.

    phase    (T,) in strides
    running  (T,) 0 walks, 1 runs: of runners the modes say most already
    """
    arms, trunk = (
        1.0 + (size - 1.0) * (1.0 - _RUNNERS * running) for size in (style.swing, style.turn)
    )
    for n, factor in ((0, style.sway), (1, style.rise)):
        _swing(pose.root[:, n], factor)
    for joint in _TRUNK:
        for axis in (1, 2):
            column = pose.vectors[:, _AT[joint], axis]
            before = column.copy()
            _swing(column, trunk)
            for hip in ("hipL", "hipR") if joint == "pelvis" else ():
                # Thighs go on as they did.
                pose.vectors[:, _AT[hip], axis] -= column - before
    bend_swinging_knees(pose.vectors, phase, style.knee)
    for side in "LR":
        _swing(pose.vectors[:, _AT[f"shoulder{side}"], 0], arms)
        _swing(pose.vectors[:, _AT[f"elbow{side}"], 1], 1.0 + _ELBOWS * (arms - 1.0))
        _swing(pose.vectors[:, _AT[f"ankle{side}"], 0], style.push)


def bend_swinging_knees(vectors: Floats, phase: Floats, more: Floats | float) -> None:
    """Bend knees (T, 22, 3) further where they swing, by up to so many radians, in place."""
    for side, later in (("L", 0.5), ("R", 0.0)):
        swings = np.maximum(np.sin(2.0 * np.pi * (phase - later - 0.55)), 0.0)
        vectors[:, _AT[f"knee{side}"], 0] += more * swings


def style_posture(vectors: Floats, style: Style, calm: Floats | float = 1.0) -> None:
    """Hold trunk, head, arms and feet (T, 22, 3) as the performer does, in place.

    calm  (T,) how far, 0 to 1, feet can point as they like
    """
    lean_forward(vectors, style.lean)
    for joint, share in _ROUND:
        vectors[:, _AT[joint], 0] += share * style.stoop
    for joint in ("neck", "head"):
        vectors[:, _AT[joint], 0] += 0.5 * style.nod
    for side, sign in (("L", 1.0), ("R", -1.0)):
        vectors[:, _AT[f"shoulder{side}"], 0] -= style.hang
        vectors[:, _AT[f"shoulder{side}"], 2] += sign * style.out
        vectors[:, _AT[f"elbow{side}"], 1] -= sign * style.elbow
        vectors[:, _AT[f"ankle{side}"], 1] += sign * style.toe_out * calm


def keep_elbows(vectors: Floats) -> None:
    """Keep elbows (T, 22, 3) within what elbows do, in place."""
    for side, sign in (("L", 1.0), ("R", -1.0)):
        elbow = vectors[:, _AT[f"elbow{side}"], 1]
        elbow[:] = -sign * _soft_within(-sign * elbow, *_ELBOW_RAD)


def _soft_within(values: Floats, least: float, most: float) -> Floats:
    """The values (T,) brought softly into a range: nothing is cut off at once."""
    soft = 0.15 * (most - least)
    low, high = least + soft, most - soft
    below = low - soft * np.tanh((low - values) / soft)
    above = high + soft * np.tanh((values - high) / soft)
    return np.where(values < low, below, np.where(values > high, above, values))


def _swing(column: Floats, factor: Floats | float) -> None:
    """Let a curve (T,) go further from its mean by a factor, in place."""
    column += (factor - 1.0) * (column - column.mean())
