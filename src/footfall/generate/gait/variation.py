"""How no two strides are alike, and no two sides."""

from __future__ import annotations

import numpy as np

from footfall.generate.gait.gait_model import JOINTS, MODES, Curves
from footfall.generate.performer import Performer
from footfall.generate.style import WIDEST
from footfall.maths.arrays import Floats
from footfall.maths.easing import cubic_spline

_STRIDE_SIZE = {"walk": 0.36, "run": 0.2, "back": 0.3}
"""How much strides differ, of how much performers do; a run's strides are more alike."""
_PACE_SD = 0.012
_LIMP, _ARM_MORE = 0.004, 0.12
"""How much people differ from left to right: the pelvis' height on either leg (leg lengths), and
the swing of either arm (a share). Standard deviations."""
_FACES, _HANGS = np.radians(2.3), np.radians(2.5)
"""How far bodies face off the way they go, while eyes look along it, and arms hang one ahead of the
other: standard deviations."""
_LOOKS = {"neck": np.radians([1.6, 2.2, 1.3]), "head": np.radians([1.8, 2.6, 1.5])}
"""How far heads nod, turn and tilt now and then, standard deviations."""
_LOOKS_PER_STRIDE = 0.7
_LOOSE_DEG: dict[tuple[str, int], float] = {
    ("pelvis", 2): 0.7, ("spine1", 2): 0.85, ("spine1", 0): 0.5, ("chest", 1): 0.3,
    ("neck", 0): 1.3, ("head", 0): 1.5,
    ("shoulderL", 0): 3.3, ("shoulderR", 0): 3.3, ("elbowL", 1): 1.9, ("elbowR", 1): 1.9,
    ("clavL", 2): 0.8, ("clavR", 2): 0.8,
}  # fmt: skip
"""How much joints are off from stride to stride about an axis, standard deviations, degrees."""
_SIDED_SWING, _SIDED_ELBOWS = 0.2, 0.15
"""How much the sides of anybody differ: the swing of the arms, and how far elbows go with it, …"""
_SIDED_ELBOW_DEG, _SIDED_KNEE_DEG = 3.0, 4.0
"""… and the bend of elbows and knees."""


def make_uneven(pose: Curves, phase: Floats, who: Performer) -> None:
    """Make the two sides of a pose as different as the performer's are, in place."""
    limp, arms, faces, hangs = who.style.sides
    if limp:
        pose.root[:, 1] += limp * _LIMP * np.cos(2.0 * np.pi * (phase - 0.3))
    for joint, sign in (("shoulderL", 1.0), ("shoulderR", -1.0)) if arms else ():
        swing = pose.vectors[:, JOINTS.index(joint), 0]
        swing += sign * arms * _ARM_MORE * (swing - swing.mean())
    for joint, share in (("pelvis", 1.0), ("hipL", -1.0), ("hipR", -1.0), ("neck", -0.8)):
        pose.vectors[:, JOINTS.index(joint), 1] += share * faces * _FACES
    for joint, sign in (("shoulderL", 1.0), ("shoulderR", -1.0)):
        pose.vectors[:, JOINTS.index(joint), 0] += sign * hangs * _HANGS


def be_loose(vectors: Floats, phase: Floats, seed: int, size: Floats) -> None:
    """Let trunk, head and arms (T, 22, 3) be a little off from stride to stride, in place."""
    if not size.any():
        return
    turns = size[:, None] * _wander(phase, [[seed, 7, k] for k in range(len(_LOOSE_DEG))])
    for k, ((joint, axis), sd) in enumerate(_LOOSE_DEG.items()):
        vectors[:, JOINTS.index(joint), axis] += np.radians(sd) * turns[:, k]


def be_one_sided(vectors: Floats, phase: Floats, seed: int, size: Floats) -> None:
    """Let left and right (T, 22, 3) differ as they do in everybody, by `size` (T,), in place."""
    if not size.any():
        return
    draw = np.random.default_rng([seed, 8])
    more = np.where(draw.random(3) < 0.5, -1.0, 1.0) * draw.uniform(0.7, 1.2, 3)
    more = more[:, None] * size
    for side, sign in (("L", 1.0), ("R", -1.0)):
        # An arm that hangs down swings about more than one axis of how it is held out at rest.
        swing = vectors[:, JOINTS.index(f"shoulder{side}")]
        swing += (sign * more[0] * _SIDED_SWING)[:, None] * (swing - swing.mean(axis=0))
        bend = vectors[:, JOINTS.index(f"elbow{side}"), 1]
        bend += sign * more[0] * _SIDED_ELBOWS * (bend - bend.mean())
        bend += sign * sign * more[1] * np.radians(_SIDED_ELBOW_DEG)
        # A knee bends more where it swings; standing feet stay, whatever their knees would.
        knee = vectors[:, JOINTS.index(f"knee{side}"), 0]
        later = 0.5 if side == "L" else 0.0
        swings = np.maximum(np.sin(2.0 * np.pi * (phase - later - 0.55)), 0.0)
        knee += sign * more[2] * np.radians(_SIDED_KNEE_DEG) * swings


def look_about(vectors: Floats, phase: Floats, seed: int, size: Floats) -> None:
    """Turn neck and head (T, 22, 3) a little now and then, by `size` (T,), in place."""
    if not size.any():
        return
    seeds = [[seed, 6, k] for k in range(3 * len(_LOOKS))]
    turns = size[:, None] * _wander(_LOOKS_PER_STRIDE * phase, seeds)
    for k, (joint, most) in enumerate(_LOOKS.items()):
        vectors[:, JOINTS.index(joint)] += most * turns[:, 3 * k : 3 * k + 3]


def stride_modes(gait: str, phase: Floats, seed: int, size: float) -> Floats:
    """(T, 6) weights of the stride modes at phases (T,), smooth from stride to stride."""
    return size * _STRIDE_SIZE[gait] * _wander(phase, [[seed, 2, k] for k in range(MODES)])


def pace_factor(phase: Floats, seed: int, size: float) -> Floats:
    """(T,) how much longer or shorter each step is than the last, around 1."""
    return np.asarray(np.exp(size * _PACE_SD * _wander(phase, [[seed, 3, 0]])[:, 0]))


def _wander(phase: Floats, seeds: list[list[int]]) -> Floats:
    """(T, N) smooth random walks about 0: one value of N(0, 1) per stride and seed, splined."""
    first, last = int(np.floor(phase.min())) - 2, int(np.ceil(phase.max())) + 2
    # A value belongs to its stride whatever the clip's length, so longer clips begin alike.
    count = max(last + 8, 1)
    streams = np.stack([np.random.default_rng(s).normal(size=count) for s in seeds], axis=1)
    knots = np.arange(first, last + 1)
    values = np.clip(streams[(knots + 4) % count], -WIDEST, WIDEST)
    return cubic_spline(knots, values, phase)
