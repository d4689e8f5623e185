"""How far joints go: normative ranges of motion, and what of a clip lies beyond them.

Figures are the American Academy of Orthopaedic Surgeons' for healthy adults (Joint Motion, 1965;
Norkin & White, Measurement of Joint Motion), with what weight on the foot adds to the ankle
(Bennell et al. 1998) and the big toe's range when pushing off (Hopson et al. 1995).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import foot_points, mean_leg
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.generate.bodies.clearance import arms_in_thighs
from footfall.generate.performer import Performer
from footfall.generate.style import MEAN_STYLE
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M


@dataclass(frozen=True)
class Range:
    """Least and most, degrees, of a joint's three angles; zero is the anatomical position.

    bend   forward: flexion, of the ankle dorsiflexion, of the toes upwards
    aside  away from the middle: abduction; of the trunk and head to the left
    twist  outwards; of the trunk and head to the left
    """

    bend: tuple[float, float]
    aside: tuple[float, float]
    twist: tuple[float, float]


RANGES = {
    "hip": Range((-30.0, 125.0), (-30.0, 45.0), (-45.0, 45.0)),
    "knee": Range((0.0, 145.0), (-0.1, 0.1), (-0.1, 0.1)),
    "ankle": Range((-50.0, 42.0), (-35.0, 25.0), (-30.0, 30.0)),
    "toe": Range((-45.0, 76.0), (-10.0, 10.0), (-10.0, 10.0)),
    "shoulder": Range((-60.0, 180.0), (-40.0, 180.0), (-90.0, 90.0)),
    "elbow": Range((0.0, 150.0), (-20.0, 20.0), (-90.0, 90.0)),
    "wrist": Range((-80.0, 80.0), (-35.0, 35.0), (-90.0, 90.0)),
    "trunk": Range((-30.0, 85.0), (-35.0, 35.0), (-45.0, 45.0)),
    "head": Range((-60.0, 55.0), (-45.0, 45.0), (-80.0, 80.0)),
}
"""The trunk is the chest against the pelvis, the head is the head against the chest. A knee has one
angle here; what shank and foot turn against each other is the ankle's."""


def joint_angles(clip: Clip) -> dict[str, Floats]:
    """(T, 3) bend, aside and twist, degrees, by joint: "left_hip", …, "trunk", "head"."""
    world = clip.world.rotations
    role = clip.skeleton.role
    found = {}
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        for part in ("hip", "knee", "ankle", "toe", "shoulder", "elbow", "wrist"):
            name = f"{side}_{part}"
            local = clip.rotations[:, role(name)]
            found[name] = _angles(part, local, sign)
    found["trunk"] = _cardan(_between(world[:, role("hips")], world[:, role("chest")]))
    found["head"] = _cardan(_between(world[:, role("chest")], world[:, role("head")]))
    return found


def beyond(clip: Clip) -> dict[str, float]:
    """The most that each joint of a clip goes out of its range, degrees; 0 where it keeps it."""
    out = {}
    for name, angles in joint_angles(clip).items():
        kept = RANGES[name.split("_")[-1]]
        low, high = np.array([kept.bend, kept.aside, kept.twist]).T
        out[name] = float(np.maximum(np.maximum(low - angles, angles - high), 0.0).max())
    return out


def _angles(part: str, local: Floats, sign: float) -> Floats:
    if part in ("elbow", "wrist"):  # an arm lies along the x axis at rest: it bends about y
        bend, twist, aside = quat.to_euler(local, "yxz").T
        return np.asarray(np.degrees(np.stack([-sign * bend, sign * aside, -twist], axis=1)))
    if part == "shoulder":  # from the arm that hangs down
        hanging = quat.from_axis_angle([0.0, 0.0, 1.0], np.array(-0.5 * sign * np.pi))
        local = quat.multiply(local, quat.conjugate(hanging))
    bend, aside, twist = quat.to_euler(local, "xzy").T
    # Turning about +x takes what hangs down backwards, and what lies ahead downwards.
    forward = bend if part == "knee" else -bend
    return np.asarray(np.degrees(np.stack([forward, sign * aside, sign * twist], axis=1)))


def _cardan(local: Floats) -> Floats:
    bend, aside, twist = quat.to_euler(local, "xzy").T
    return np.asarray(np.degrees(np.stack([bend, -aside, twist], axis=1)))


def _between(parent: Floats, child: Floats) -> Floats:
    return quat.multiply(quat.conjugate(parent), child)


# Performers within limits: a style shows as far as joints, floor and thick limbs allow.

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
