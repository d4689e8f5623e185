"""What trunk, head and arms add to going: layers over the joint curves, each by itself.

A layer changes the joints' rotation vectors (T, 22, 3) in place, driven by what the body does:
its speed, its heading, its steps.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.library.generate.gait.gait_model import JOINTS
from footfall.maths.arrays import Floats
from footfall.maths.filters import smooth_gaussian

_AT = {joint: n for n, joint in enumerate(JOINTS)}
_LOOK_AHEAD_S, _MOST_LOOK = 0.3, 0.45
_LEAN, _MOST_LEAN = 0.075, 0.4
"""Trunk lean, radians per m/s² of speeding up."""
_FIRST_S, _LATE_S = 0.22, 0.18
"""How long before the body a head turns to where it steps, and how long after it arms do."""


def lean_into_pace(vectors: Floats, speed: Floats, rate: float) -> None:
    """Lean into speeding up and back when slowing down; the eyes stay level.

    speed  (T,) m/s;  rate  frames per second
    """
    change = np.gradient(speed, 1.0 / rate)
    lean = smooth_gaussian(_LEAN * change, 0.12 * rate)
    lean = _MOST_LEAN * np.tanh(lean / _MOST_LEAN)
    for joint, share in (("pelvis", 0.35), ("spine1", 0.65), ("neck", -0.7)):
        vectors[:, _AT[joint], 0] += share * lean
    for side in "LR":
        vectors[:, _AT[f"hip{side}"], 0] -= 0.35 * lean


def look_ahead(vectors: Floats, turn: Floats, heading: Floats, rate: float) -> None:
    """Turn the head where the path will go, before the body does.

    turn  (T,) radians per second;  heading  (T,) radians
    """
    frames = np.arange(len(heading))
    later = np.interp(frames + _LOOK_AHEAD_S * rate, frames, heading)
    # What a steady turn does to head and trunk is in the model already.
    mean = smooth_gaussian(turn, 0.5 * rate)
    news = later - heading - _LOOK_AHEAD_S * np.clip(mean, -0.9, 0.9)
    look = _MOST_LOOK * np.tanh(smooth_gaussian(news, 0.08 * rate) / _MOST_LOOK)
    for joint, share in (("chest", 0.15), ("neck", 0.4), ("head", 0.45)):
        vectors[:, _AT[joint], 1] += share * look


def go_with_steps(vectors: Floats, facing: Floats, busy: Floats, lean: Floats, rate: float) -> None:
    """Step about as people do: the head goes first, the trunk leans a little, arms follow loosely.

    facing  (T,) radians;  busy  (T,) 0 standing, 1 stepping;  lean  (T,) radians to the right
    """
    frames = np.arange(len(facing))
    look = np.interp(frames + round(_FIRST_S * rate), frames, facing) - facing
    late = facing - np.interp(frames - round(_LATE_S * rate), frames, facing)
    for joint, share in (("chest", 0.12), ("neck", 0.35), ("head", 0.45)):
        vectors[:, _AT[joint], 1] += share * look
    roll = smooth_gaussian(lean, 0.12 * rate)
    vectors[:, _AT["spine1"], 2] += roll
    vectors[:, _AT["neck"], 2] -= 0.7 * roll
    vectors[:, _AT["spine1"], 0] += math.radians(3.0) * busy
    vectors[:, _AT["neck"], 0] -= math.radians(2.0) * busy
    for side, sign in (("L", 1.0), ("R", -1.0)):
        vectors[:, _AT[f"shoulder{side}"], 1] -= 0.25 * late
        vectors[:, _AT[f"shoulder{side}"], 2] += sign * math.radians(3.0) * busy
        vectors[:, _AT[f"elbow{side}"], 1] -= sign * math.radians(9.0) * busy
