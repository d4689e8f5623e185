"""Performers within limits: a style shows as far as joints, floor and thick limbs allow."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import foot_points, mean_leg
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.generate.bodies.clearance import arms_in_thighs
from footfall.generate.limits import beyond
from footfall.generate.performer import Performer
from footfall.generate.style import MEAN_STYLE
from footfall.maths import quaternions as quat
from footfall.maths.constants import MEAN_LEG_M

_SHARES = (1.0, 0.7, 0.4, 0.0)
_LEAST_KNEE_RAD = math.radians(2.0)
_DEEPEST_M, _HANDS_DEEPEST_M = 1e-4, 0.004
_FASTEST_DEG_S = (715.0, 1145.0)
"""How fast joints of people turn who stand and who fly, the mean performer's size."""


def keep_limits(make: Callable[[Performer], Clip], who: Performer) -> Clip:
    """The clip that `make` gives for a performer, with as much of the style as keeps all limits;
    the mean performer's is as it is made."""
    if who.style == MEAN_STYLE:
        return make(who)
    for share in _SHARES:
        last = share == _SHARES[-1]
        try:
            clip = make(replace(who, shown=share * who.shown))
        except InputError:
            if last:
                raise
            continue
        if last or _keeps_limits(clip):
            break
    return clip


def _keeps_limits(clip: Clip) -> bool:
    """Whether joints, knees, soles, hands and arms of a clip are where they can be."""
    if max(beyond(clip).values()) > 0.0:
        return False
    role = clip.skeleton.role
    knees = clip.rotations[:, [role(f"{side}_knee") for side in SIDES]]
    if quat.to_rotation_vector(knees)[..., 0].min() < _LEAST_KNEE_RAD:
        return False
    if _lowest_sole(clip) < -_DEEPEST_M:
        return False
    if clip.end_positions[..., 1].min() < -_HANDS_DEEPEST_M:
        return False
    leg_m = mean_leg(clip.skeleton)
    turns = quat.angle_between(clip.rotations[1:], clip.rotations[:-1]) * clip.fps
    flies = clip.contacts is not None and not clip.contacts.any(axis=1).all()
    fastest = _FASTEST_DEG_S[int(flies)] / math.sqrt(min(leg_m / MEAN_LEG_M, 1.0))
    if np.degrees(turns.max()) > fastest:
        return False
    held = clip.touches is not None and bool(clip.touches.any())
    return held or not arms_in_thighs(clip.skeleton, clip.world, leg_m)


def _lowest_sole(clip: Clip) -> float:
    points = foot_points(clip.skeleton)
    return min(
        float(clip.world.points(p.joint, p.offset)[:, 1].min())
        for side in SIDES
        for p in points.side(side)
    )
