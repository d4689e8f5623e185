"""Postures of the whole body as a few named angles, and how they go on between key times.

An action is given by keys: at this second the trunk leans so far, the left arm hangs so far
forward. Between keys every angle goes monotonously, without overshoot, and smoothly in all its
derivatives; still postures get the small sway that living bodies have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.easing import Keys, cubic_spline, monotone_cubic
from footfall.maths.filters import smooth_gaussian

SOFTNESS_S = 0.045
"""How softly curves go round their keys: the deviation of the Gaussian they are smoothed by."""

STANDING: Mapping[str, float] = {
    "trunk": 1.5, "lean": 0.0, "twist": 0.0, "yaw": 0.0, "list": 0.0,
    "head": 6.0, "look": 0.0,
    "left_arm": -5.0, "left_out": 8.5, "left_elbow": 19.0, "left_turn": 16.0,
    "right_arm": -1.0, "right_out": 10.5, "right_elbow": 29.0, "right_turn": 23.0,
    "left_knee_out": 0.0, "right_knee_out": 0.0, "tuck": 0.0,
    "left_collar": 0.0, "right_collar": 0.0, "left_forth": 0.0, "right_forth": 0.0,
    "left_wrist": 10.0, "right_wrist": 10.0,
}  # fmt: skip
"""Every angle there is and its value in quiet stance, degrees.

trunk      mid-hip to mid-shoulder against the vertical, forward
lean       the trunk to the left side;  twist  of the chest against the pelvis, to the left
yaw        of the pelvis in the world, to the left;  list  its left side up
head       pitch of the head in the world, down;  look  of the head against the chest, to the left
arm        upper arm against the vertical, forward;  out  to its own side;  elbow  its bend
turn       of the upper arm inward, about itself
knee_out   how far a knee points to its own side, besides where its foot points
collar     how far a collarbone is raised;  forth  how far it is brought forward
wrist      how far a hand is bent to its palm
tuck       by how much less the pelvis tilts forward than it does by itself; the spine makes up
"""

_SWAY_DEG: Mapping[str, float] = {
    "trunk": 0.35, "lean": 0.3, "twist": 0.5, "head": 0.7, "look": 0.9,
    "left_arm": 0.8, "right_arm": 0.8, "left_elbow": 1.1, "right_elbow": 1.1,
}  # fmt: skip
_SWAY_S = 0.7
_PELVIS_SHARE = 0.56
"""How much of the trunk's forward bend the pelvis makes; the spine bends for the rest."""
_SPINE = ("Spine", "Spine1", "Spine2")
_SPINE_SHARES = (0.45, 0.33, 0.22)
_NECK_MOST_DEG, _HEAD_LEVEL = 62.0, 0.75
_X, _Y, _Z = range(3)


@dataclass(frozen=True)
class PostureKeys:
    """How the angles of a body go over time: keys (seconds, degrees) by the names of STANDING.

    What has no keys stays as it is in quiet stance.
    """

    keys: Mapping[str, Keys] = field(default_factory=dict)
    softness_s: float = SOFTNESS_S
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.keys:
            if name not in STANDING:
                raise InputError(
                    f"there is no angle {name!r}", remedy="one of " + ", ".join(STANDING)
                )

    def angles(self, times: Floats) -> dict[str, Floats]:
        """Every angle at times (T,), radians (T,)."""
        curves = np.stack(
            [monotone_cubic(self.keys.get(name, ((0.0, rest),)), times, level_ends=True)
             for name, rest in STANDING.items()], axis=1,
        )  # fmt: skip
        curves = smooth_gaussian(curves, self.softness_s * _rate(times))
        sway = _sway(times, self.seed)
        return {
            name: np.radians(curve + sway.get(name, 0.0))
            for name, curve in zip(STANDING, curves.T, strict=True)
        }


def ease_keys(keys: Keys, times: Floats, softness_s: float = SOFTNESS_S) -> Floats:
    """(T,) a smooth curve through keys, evenly sampled; constant before the first and after the
    last of them."""
    return smooth_gaussian(monotone_cubic(keys, times, level_ends=True), softness_s * _rate(times))


def _rate(times: Floats) -> float:
    return float((len(times) - 1) / (times[-1] - times[0]))


def _sway(times: Floats, seed: int) -> dict[str, Floats]:
    """Slow, small movements of a body that stands, degrees."""
    rng = np.random.default_rng([seed, 90210])
    knots = np.arange(times[0] - _SWAY_S, times[-1] + 2.0 * _SWAY_S, _SWAY_S)
    moved = rng.normal(0.0, 1.0, (len(_SWAY_DEG), len(knots))) * [
        [size] for size in _SWAY_DEG.values()
    ]
    return dict(zip(_SWAY_DEG, cubic_spline(knots, moved.T, times).T, strict=True))


def body_rotations(character: Skeleton, angles: Mapping[str, Floats]) -> Floats:
    """(T, J, 4) local rotations of trunk, head and arms; legs are left as they are at rest."""
    names = {name: index for index, name in enumerate(character.names)}
    frames = len(angles["trunk"])
    local = np.zeros((frames, len(character), 4))
    local[..., 0] = 1.0
    heading = quat.from_yaw(angles["yaw"])
    tilt = _PELVIS_SHARE * angles["trunk"] - angles["tuck"]
    pelvis = quat.multiply(quat.about_axis(_Z, angles["list"]), quat.about_axis(_X, tilt))
    local[:, 0] = quat.multiply(heading, pelvis)
    # The line from hips to shoulders turns by about 0.62 of what the spine bends.
    bend = (angles["trunk"] - tilt) / 0.62
    lean = (angles["lean"] + angles["list"]) / 0.62
    world = local[:, 0]
    for name, share in zip(_SPINE, _SPINE_SHARES, strict=True):
        turn = quat.about_axis(_Y, share * angles["twist"])
        turn = quat.multiply(turn, quat.about_axis(_Z, -share * lean))
        local[:, names[name]] = quat.multiply(turn, quat.about_axis(_X, share * bend))
        world = quat.multiply(world, local[:, names[name]])
    _put_head(local, names, angles, tilt + bend, lean - angles["list"])
    chest_yaw = quat.from_yaw(angles["yaw"] + angles["twist"])
    for side in ("left", "right"):
        _put_arm(local, names, angles, side, world, chest_yaw)
    return local


def _put_head(
    local: Floats, names: Mapping[str, int], angles: Mapping[str, Floats], chest: Floats,
    chest_lean: Floats,
) -> None:  # fmt: skip
    """A head that is pitched as the angles say, and kept about level whatever the chest does."""
    most = np.radians(_NECK_MOST_DEG)
    nod = most * np.tanh((angles["head"] - chest) / most)
    for name in ("Neck", "Head"):
        turn = quat.about_axis(_Y, 0.5 * (angles["look"] - 0.8 * angles["twist"]))
        turn = quat.multiply(turn, quat.about_axis(_Z, 0.5 * _HEAD_LEVEL * chest_lean))
        local[:, names[name]] = quat.multiply(turn, quat.about_axis(_X, 0.5 * nod))


def _put_arm(
    local: Floats, names: Mapping[str, int], angles: Mapping[str, Floats], side: str,
    chest: Floats, heading: Floats,
) -> None:  # fmt: skip
    """An arm that hangs as the angles say, whatever the trunk does; the shoulder blade follows."""
    sign = 1.0 if side == "left" else -1.0
    title = side.title()
    forward, out = angles[f"{side}_arm"], angles[f"{side}_out"]
    raised = np.maximum(out - np.radians(30.0), 0.0)
    shrug = quat.multiply(
        quat.about_axis(_Y, -sign * angles[f"{side}_forth"]),
        quat.about_axis(_Z, sign * (0.25 * raised + angles[f"{side}_collar"])),
    )
    local[:, names[f"{title}Shoulder"]] = shrug
    hang = quat.multiply(
        quat.about_axis(_X, -forward), quat.about_axis(_Z, -sign * (0.5 * np.pi - out))
    )
    hang = quat.multiply(hang, quat.about_axis(_X, angles[f"{side}_turn"]))
    above = quat.multiply(chest, shrug)
    world = quat.multiply(heading, hang)
    local[:, names[f"{title}Arm"]] = quat.multiply(quat.conjugate(above), world)
    local[:, names[f"{title}ForeArm"]] = quat.about_axis(_Y, -sign * angles[f"{side}_elbow"])
    local[:, names[f"{title}Hand"]] = quat.about_axis(_Y, -sign * angles[f"{side}_wrist"])
