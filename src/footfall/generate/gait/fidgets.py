"""What arms and shoulders of somebody idle do now and then: small things, one side at a time.

As in `layers`, it changes the joints' rotation vectors (T, 22, 3) in place.
"""

from __future__ import annotations

import numpy as np

from footfall.generate.gait.gait_model import JOINTS
from footfall.maths.arrays import Floats
from footfall.maths.easing import smootherstep

_AT = {joint: n for n, joint in enumerate(JOINTS)}
_EVERY_S, _SPREAD = 1.7, 0.25
"""How often something is done, and by which share of that earlier or later."""
_RISES_S, _FALLS_S = 0.75, 0.95
"""How long it takes to come and to go, besides how long it stays."""
_SIZE = (0.75, 1.15)
"""How far it goes, from least to most, of what is said here."""
_TURNS_DEG = 2.5
"""How far the chest turns after the hand that comes forward."""
_KINDS: tuple[tuple[float, dict[tuple[str, int], float]], ...] = (
    # A hand comes forward a little, as if to be looked at.
    (0.9, {("shoulder", 0): -4.0, ("elbow", 1): 18.0, ("wrist", 1): 10.0,
           ("wrist", 2): 6.0, ("clav", 2): 1.5}),
    # A shoulder is drawn up and back, and let fall.
    (0.15, {("clav", 2): 4.5, ("clav", 1): 4.0, ("shoulder", 0): 4.0, ("elbow", 1): 6.0}),
    # An arm shifts back and off the side.
    (1.1, {("shoulder", 0): 7.0, ("shoulder", 2): 2.5, ("elbow", 1): 14.0, ("wrist", 2): -5.0}),
)  # fmt: skip
"""How long, seconds, each kind stays, and by how many degrees joints go: about x forward is
negative, about y inwards, about z up."""


def fidget(vectors: Floats, times: Floats, seconds: float, seed: int, share: Floats) -> None:
    """Let one arm after the other do something small, another thing each time.

    seconds  how long it stands;  share  (T,) how much, 0 to 1, it is at ease
    """
    draw = np.random.default_rng([seed, 31])
    side, kind = int(draw.integers(2)), int(draw.integers(len(_KINDS)))
    count = max(1, round(seconds / _EVERY_S) - 1)
    for n in range(count):
        at = seconds * (n + 0.5 + _SPREAD * draw.uniform(-1.0, 1.0)) / count
        stays, joints = _KINDS[(kind + n) % len(_KINDS)]
        comes = at - 0.5 * stays
        wave = smootherstep((times - comes + _RISES_S) / _RISES_S)
        wave = wave * smootherstep((comes + stays + _FALLS_S - times) / _FALLS_S)
        wave *= share * draw.uniform(*_SIZE)
        sign = 1.0 if side == 0 else -1.0
        for (joint, axis), degrees in joints.items():
            turn = np.radians(degrees) * (1.0 if axis == 0 else sign * (-1.0 if axis == 1 else 1.0))
            vectors[:, _AT[f"{joint}{'LR'[side]}"], axis] += turn * wave
        vectors[:, _AT["chest"], 1] -= sign * np.radians(_TURNS_DEG) * wave
        vectors[:, _AT["neck"], 1] += 0.8 * sign * np.radians(_TURNS_DEG) * wave
        side = 1 - side
