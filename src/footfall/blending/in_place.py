"""Stepping on the spot, also while turning: a stride made from how somebody stands and walks.

Clips seldom show it, and without it a blend knows nothing slower than its slowest walk. Trunk and
arms are those of the stand, with a little of the walk's swing; the weight goes from foot to foot;
feet are lifted and put down where the body will have turned to.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.adapt.feet.legs import solve_leg
from footfall.blending.examples import SAMPLES, Example, round_example
from footfall.body.clip import Clip
from footfall.body.feet import foot_of, mean_leg
from footfall.body.kinematics import forward_kinematics
from footfall.body.roles import SIDES
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.easing import smootherstep

_STEP_S = 0.52
_STANDS = 0.66
"""The share of a stride for which a foot stands."""
_SWING = 0.25
"""How much of the walk's swing is in trunk and arms."""
_SWAY, _SINK, _LIFT = 0.3, 0.005, 0.055
"""How far the weight goes towards a foot, of its distance; how far the body sinks, and how high
feet are lifted, leg lengths."""
_PRE_BEND = math.radians(20.0)
_TOES_OUT = 0.35
"""How far toes stay turned outward while turning, of how far feet turn under the body."""


def step_in_place(walk: Example, stand: Clip, turn_rad_s: float) -> Example:
    """A stride on the spot, the body turning at a constant rate."""
    skeleton = stand.skeleton
    leg = mean_leg(skeleton)
    t = np.arange(SAMPLES) / SAMPLES
    rotations = quat.slerp(stand.rotations[0][None], walk.rotations, _SWING)
    rotations[:, 0] = stand.rotations[0, 0]
    feet = [foot_of(skeleton, side) for side in SIDES]
    for foot in feet:
        rotations[:, foot.hip] = stand.rotations[0, foot.hip]
        bend = quat.about_axis(0, _PRE_BEND)
        rotations[:, foot.knee] = quat.multiply(stand.rotations[0, foot.knee], bend)
        if foot.toe is not None:
            rotations[:, foot.toe] = stand.rotations[0, foot.toe]
    home = stand.world
    wide = 0.5 * float(np.ptp(home.positions[0, [f.ankle for f in feet], 0]))
    place = np.repeat(np.array(stand.root), SAMPLES, axis=0)
    place[:, 0] += _SWAY * wide * np.cos(2.0 * np.pi * (t - 0.5 * (_STANDS + 1.0)))
    place[:, 1] -= _SINK * leg
    poses = forward_kinematics(skeleton, place, rotations)
    for foot, strike, outward in zip(feet, (0.5, 0.0), (1.0, -1.0), strict=True):
        turned, lift = _foot_course(t - strike, turn_rad_s * 2.0 * _STEP_S)
        ankle = quat.rotate(quat.from_yaw(turned), home.positions[0, foot.ankle][None])
        ankle[:, 1] += _LIFT * leg * lift
        spin = quat.from_yaw(turned + outward * _TOES_OUT * abs(turn_rad_s) * _STANDS * _STEP_S)
        sole = quat.multiply(spin, home.rotations[0, foot.ankle])
        solve_leg(skeleton, poses, rotations, foot, ankle, sole, spin)
    contacts = np.tile([0.0, _STANDS - 0.04, 0.0, _STANDS], (2, 1))
    return round_example(Example(
        walk.clip, f"{walk.name} on the spot", walk.begin_s, walk.mirrored, np.full(2, _STEP_S),
        0.0, turn_rad_s, 0.0, place, quat.continuous(rotations), contacts, dict(walk.own),
    ))  # fmt: skip


def _foot_course(since: Floats, turn: float) -> tuple[Floats, Floats]:
    """How far a foot is turned from its place under the body, and how high it is lifted, 0 to 1.

    since  (S,) generic time since its strike      turn  how far the body turns in a stride
    """
    u = since - np.floor(since)
    swing = np.clip((u - _STANDS) / (1.0 - _STANDS), 0.0, 1.0)
    stance = np.minimum(u, _STANDS) / _STANDS - 0.5
    turned = turn * _STANDS * (-stance + smootherstep(swing))
    return turned, np.sin(np.pi * smootherstep(swing)) ** 2
