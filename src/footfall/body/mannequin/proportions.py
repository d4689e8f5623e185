"""What the mannequin measures on a skeleton before it is built.

Girths follow anthropometry as fractions of stature (Drillis & Contini segment lengths) and
lean towards the length of the segment they clothe, so that a child, a giant or long arms look
like themselves and no proportion, however odd, breaks the body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from footfall.body.mannequin.shapes import Part
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats

SEGMENTS = {
    "thigh": (0.245, "hip", "knee"),
    "shank": (0.246, "knee", "ankle"),
    "upper_arm": (0.186, "shoulder", "elbow"),
    "forearm": (0.146, "elbow", "wrist"),
}
"""Segment -> (length as a fraction of stature, role at its start, role at its end)."""

_TRUNK = 0.288
_STOUTER = {"trunk": 1.4, "thigh": 1.2, "upper_arm": 1.0, "shank": 0.7, "forearm": 0.6}
"""The powers of a body's girth by which its parts are thicker: bellies more than forearms."""
_NEEDED = ("shoulder", "elbow", "wrist", "hip", "knee", "ankle")


@dataclass(frozen=True, eq=False)
class Side:
    """One half of the body, told as if it were the left one (x grows outward).

    sign    1 for the left, -1 for the right
    joints  role without its side -> joint index
    points  role without its side -> (3,) rest position, mirrored for the right side
    """

    sign: float
    joints: Mapping[str, int]
    points: Mapping[str, Floats]

    def placed(self, part: Part) -> Part:
        """A part built on this side, where it belongs on the body."""
        return part if self.sign > 0 else part.mirrored()


@dataclass(frozen=True, eq=False)
class Proportions:
    """A humanoid skeleton's measures.

    middle     (3,) a point of the plane of symmetry, taken off all positions
    positions  (J, 3) rest positions against `middle`
    ends       (E, 3) end sites likewise
    stature    metres, estimated from legs, trunk and arms
    sizes      segment -> the stature to which its girth is scaled
    """

    skeleton: Skeleton
    middle: Floats
    positions: Floats
    ends: Floats
    stature: float
    sizes: Mapping[str, float]
    sides: tuple[Side, Side]

    def joint(self, role: str) -> Floats:
        """The rest position of the joint with this (sideless) role."""
        return np.asarray(self.positions[self.skeleton.roles[role]])

    def middle_of(self, role: str) -> Floats:
        """The point between the left and the right joint of a role, in the symmetry plane."""
        left, right = (side.points[role] for side in self.sides)
        return np.asarray(0.5 * (left + right) * np.array([0.0, 1.0, 1.0]))

    def half_width(self, role: str) -> float:
        """Half the distance between left and right joints of a role."""
        return max(0.5 * float(sum(side.points[role][0] for side in self.sides)), 0.0)


def is_humanoid(skeleton: Skeleton) -> bool:
    """Whether the skeleton has the roles that the mannequin's body hangs on, and stands at rest."""
    roles = skeleton.roles
    sided = all(f"{s}_{r}" in roles for s in ("left", "right") for r in _NEEDED)
    if not (
        sided and "hips" in roles and "chest" in roles and ("head" in roles or "neck" in roles)
    ):
        return False
    shoulders, hips, ankles = (
        sum(skeleton.rest_positions[roles[f"{s}_{r}"]] for s in ("left", "right"))
        for r in ("shoulder", "hip", "ankle")
    )
    # A rest pose as some files have it (lying, or all bones along one axis) cannot be clothed.
    ways = (shoulders - hips, hips - ankles)
    return all(float(way[1]) >= 0.5 * float(np.linalg.norm(way)) for way in ways)


def measure(skeleton: Skeleton) -> Proportions:
    """The measures of a humanoid skeleton in its rest pose."""
    rest = skeleton.rest_positions
    middle = rest[skeleton.roles["hips"]] * np.array([1.0, 0.0, 0.0])
    positions = rest - middle
    sides = (_side(skeleton, positions, "left", 1.0), _side(skeleton, positions, "right", -1.0))
    lengths = {
        name: float(np.mean([np.linalg.norm(s.points[b] - s.points[a]) for s in sides]))
        for name, (_, a, b) in SEGMENTS.items()
    }
    trunk = np.linalg.norm(
        sum(s.points["shoulder"] for s in sides) - sum(s.points["hip"] for s in sides)
    )
    lengths["trunk"] = 0.5 * float(trunk)
    stature = max(_stature(lengths), 1e-3)
    shares = {name: share for name, (share, _, _) in SEGMENTS.items()} | {"trunk": _TRUNK}
    sizes = {
        name: stature * float(np.clip(lengths[name] / (shares[name] * stature), 0.4, 2.0)) ** 0.4
        * skeleton.girth ** _STOUTER[name]
        for name in shares
    }  # fmt: skip
    ends = skeleton.rest_end_positions - middle
    return Proportions(skeleton, middle, positions, ends, stature, sizes, sides)


def _stature(lengths: Mapping[str, float]) -> float:
    legs = (lengths["thigh"] + lengths["shank"]) / 0.491
    arms = (lengths["upper_arm"] + lengths["forearm"]) / 0.332
    return 0.5 * legs + 0.35 * lengths["trunk"] / _TRUNK + 0.15 * arms


def _side(skeleton: Skeleton, positions: Floats, name: str, sign: float) -> Side:
    prefix = name + "_"
    joints = {r.removeprefix(prefix): j for r, j in skeleton.roles.items() if r.startswith(prefix)}
    flip = np.array([sign, 1.0, 1.0])
    return Side(sign, joints, {role: positions[j] * flip for role, j in joints.items()})
