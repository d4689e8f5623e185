"""A body as capsules, one or more for each joint, as thick as a person of its proportions.

What touches what is asked of capsules: they hold the whole body and are few. They are as thick
as the mannequin, which is drawn from the same proportions, but it need not be built for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from footfall.body.feet import mean_leg, sole_height
from footfall.body.kinematics import WorldPoses
from footfall.body.mannequin.bones import bone_girths
from footfall.body.mannequin.feet import sole_of
from footfall.body.mannequin.hands import hand_reach
from footfall.body.mannequin.proportions import SEGMENTS, Proportions, Side, is_humanoid, measure
from footfall.body.mannequin.shapes import chain
from footfall.body.mannequin.torso import skull_place, trunk_length
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton, subtree
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.quaternions import rotate

GIRTHS = {
    "thigh": 0.0489,
    "shank": 0.0339,
    "upper_arm": 0.0342,
    "forearm": 0.0242,
    "hand": 0.0340,
    "foot": 0.0524,
    "toe": 0.0263,
    "pelvis": 0.0630,
    "chest": 0.0948,
    "girdle": 0.0594,
    "neck": 0.0446,
}
"""Radii as shares of the stature that a part goes with: of a person seen as the mannequin is, a
capsule holds 95 % of what is around its bone; more would make corners count as thickness."""
_TRUNK = ((0.10, 0.32, 0.56, 0.85), (0.0710, 0.0807, 0.0868, 0.0701))
"""The same along the spine: heights from hip joints (0) to shoulder joints (1), and radii."""
_HEAD = 0.481
_HEAD_AT, _HAND_AT = np.array([0.0, 0.457, 0.051]), np.array([0.0, -0.054, 0.058])
_HAND_ALONG = 0.404
"""Middles of head and hand: shares of the head's height from the chin, of the hand's length."""
_TOES_ALONG, _TOES_HIGH = 0.71, 0.0066
_LONE_M = 0.05


TRUNK, LEFT_LEG, RIGHT_LEG, LEFT_FOOT, RIGHT_FOOT, LEFT_ARM, RIGHT_ARM = range(7)
"""Parts of a body: feet begin at the ankle, arms at the elbow, the rest of an arm is trunk."""


@dataclass(frozen=True, eq=False)
class Capsules:
    """B capsules in the frames of their joints.

    joints  (B,) the joint that carries each       radii  (B,) metres
    ends    (B, 2, 3) both ends of its axis against the joint, in the joint's rest frame
    parts   (B,) the part of the body that it belongs to
    soles   (B,) radii with which feet, at rest, just touch what they stand on; else as `radii`
    """

    joints: Ints
    ends: Floats
    radii: Floats
    parts: Ints
    soles: Floats

    def __len__(self) -> int:
        return len(self.joints)

    @cached_property
    def feet(self) -> Bools:
        """(B,) whether it is a foot or a toe."""
        return np.isin(self.parts, (LEFT_FOOT, RIGHT_FOOT))

    @cached_property
    def legs(self) -> Ints:
        """(B,) 1 and 2 for the left and the right leg with its foot, 0 for all else."""
        one = np.isin(self.parts, (LEFT_LEG, LEFT_FOOT))
        return (one + 2 * np.isin(self.parts, (RIGHT_LEG, RIGHT_FOOT))).astype(np.int32)

    def placed(self, poses: WorldPoses) -> Floats:
        """Return (T, B, 2, 3) both ends of every capsule in the world."""
        turns, places = poses.rotations[:, self.joints], poses.positions[:, self.joints]
        out = np.empty((len(places), len(self), 2, 3))
        for end in range(2):
            axis = self.ends[:, end]
            # Most capsules begin at their joint: there is nothing to turn.
            out[:, :, end] = places + rotate(turns, axis) if axis.any() else places
        return out


@lru_cache(maxsize=32)
def body_capsules(skeleton: Skeleton) -> Capsules:
    """Return the capsules of the body of a skeleton, from its proportions alone."""
    parts = _body_parts(measure(skeleton)) if is_humanoid(skeleton) else _bones(skeleton)
    parts = [part for part in parts if part.radius > 0.0]
    joints = np.array([part.joint for part in parts], np.int32)
    part_of = _joint_parts(skeleton)[joints]
    feet = np.isin(part_of, (LEFT_FOOT, RIGHT_FOOT))
    radii = np.array([part.radius for part in parts])
    soles = np.array(radii)
    if feet.any():
        # Around its bone a foot is thicker than below it, where the ground is.
        low = [skeleton.rest_positions[p.joint, 1] + min(p.end[1], 0.0) for p in parts]
        soles[feet] = np.clip(np.array(low)[feet] - sole_height(skeleton), 0.0, radii[feet])
    ends = np.array([[np.zeros(3), part.end] for part in parts])
    return Capsules(joints, ends, radii, part_of, soles)


@dataclass(frozen=True, eq=False)
class _Bone:
    """A capsule from a joint to `end` (3,), relative to the joint, metres."""

    joint: int
    end: Floats
    radius: float

    def drawn_in(self) -> _Bone:
        """Return the axis shortened at its end, so that the round cap does not reach beyond it."""
        length = max(float(np.linalg.norm(self.end)), 1e-9)
        return _Bone(self.joint, max(1.0 - self.radius / length, 0.0) * self.end, self.radius)


def _body_parts(body: Proportions) -> list[_Bone]:
    parts = _trunk(body)
    for side in body.sides:
        for name, (_, first, last) in SEGMENTS.items():
            joints = chain(body.skeleton, side.joints[first], side.joints[last])
            parts += _along(body, joints, GIRTHS[name] * body.sizes[name])
        parts += [_hand(body, side), *_foot(body, side)]
    return parts


def _along(body: Proportions, joints: list[int], radius: float) -> list[_Bone]:
    """Return a capsule from each joint of a row to the next."""
    places = body.positions
    return [_Bone(a, places[b] - places[a], radius) for a, b in pairwise(joints)]


def _trunk(body: Proportions) -> list[_Bone]:
    """Pelvis, spine, chest, shoulder girdle, neck and head."""
    skeleton, roles, places = body.skeleton, body.skeleton.roles, body.positions
    size, hips, chest = body.sizes["trunk"], roles["hips"], roles["chest"]
    neck = roles.get("neck", roles.get("head", chest))
    top = roles.get("head", neck)
    bottom, length = float(body.middle_of("hip")[1]), trunk_length(body)
    parts = []
    for bone in _along(body, _row(skeleton, hips, chest, neck), size):
        middle = (places[bone.joint, 1] + 0.5 * bone.end[1] - bottom) / length
        girth = float(np.interp(middle, *_TRUNK))
        parts.append(_Bone(bone.joint, bone.end, girth * size))
    for side in body.sides:
        flip = np.array([side.sign, 1.0, 1.0])
        hip = side.points["hip"] * flip - places[hips]
        parts.append(_Bone(hips, hip, GIRTHS["pelvis"] * size))
        girdle = side.joints.get("clavicle", chest)
        if girdle != chest:
            parts.append(_Bone(chest, places[girdle] - places[chest], GIRTHS["chest"] * size))
        row = _row(skeleton, girdle, side.joints["shoulder"])
        parts += _along(body, row, GIRTHS["girdle"] * size)
    parts += _along(body, _row(skeleton, neck, top), GIRTHS["neck"] * body.stature)
    skull = skull_place(body)
    middle_of_head = skull.chin + skull.tall * _HEAD_AT - places[top]
    return [*parts, _Bone(top, 2.0 * middle_of_head, _HEAD * skull.tall).drawn_in()]


def _row(skeleton: Skeleton, *marks: int) -> list[int]:
    """Return the joints from the first of some joints down through the others to the last."""
    row = [marks[0]]
    for a, b in pairwise(marks):
        row += (chain(skeleton, a, b)[1:] or [b]) if a != b else []
    return row


def _hand(body: Proportions, side: Side) -> _Bone:
    """Return one capsule for palm and fingers, on the wrist."""
    length, direction = hand_reach(body, side)
    flip = np.array([side.sign, 1.0, 1.0])
    middle = length * (_HAND_ALONG * direction + _HAND_AT) * flip
    radius = GIRTHS["hand"] * body.sizes["forearm"]
    return _Bone(side.joints["wrist"], 2.0 * middle, radius).drawn_in()


def _foot(body: Proportions, side: Side) -> list[_Bone]:
    """Return the foot to its ball and the toes; one capsule where there is no toe joint."""
    sole, size = sole_of(body, side), body.sizes["shank"]
    flip, ankle = np.array([side.sign, 1.0, 1.0]), side.points["ankle"]
    thick, thin = GIRTHS["foot"] * size, GIRTHS["toe"] * size
    along = sole.ball + _TOES_ALONG * (sole.tip - sole.ball)
    toes = along * sole.forward + [0.0, sole.height + _TOES_HIGH * size - ankle[1], 0.0]
    if "toe" not in side.joints:
        tip = sole.tip * sole.forward + [0.0, 0.5 * (sole.height - ankle[1]), 0.0]
        return [_Bone(side.joints["ankle"], tip * flip, thick).drawn_in()]
    ball = side.points["toe"] - ankle
    return [
        _Bone(side.joints["ankle"], ball * flip, thick),
        _Bone(side.joints["toe"], 2.0 * (toes - ball) * flip, thin).drawn_in(),
    ]


def _bones(skeleton: Skeleton) -> list[_Bone]:
    """Return a capsule for every bone of a skeleton that is no humanoid."""
    found = [_Bone(joint, end, thick) for joint, end, thick in bone_girths(skeleton)]
    return found or [_Bone(0, np.zeros(3), _LONE_M)]


def _joint_parts(skeleton: Skeleton) -> Ints:
    """Return (J,) the part of the body that each joint belongs to."""
    parts = np.full(len(skeleton), TRUNK, np.int32)
    for role, first in (("hip", LEFT_LEG), ("ankle", LEFT_FOOT), ("elbow", LEFT_ARM)):
        for n, side in enumerate(SIDES):
            if f"{side}_{role}" in skeleton.roles:
                parts[subtree(skeleton, skeleton.role(f"{side}_{role}"))] = first + n
    return parts


# The points of the body that touch things: of the hands, and of the seat.

SEAT_TO_HIPS = 0.1
"""Leg lengths of the hip joints above the seat while sitting."""


@lru_cache(maxsize=64)
def hand_point(skeleton: Skeleton, side: str) -> Floats:
    """Return (3,) the middle of the "left" or "right" hand in the wrist's frame."""
    capsules = body_capsules(skeleton)
    own = capsules.joints == skeleton.role(f"{side}_wrist")
    return np.asarray(capsules.ends[own].mean(axis=(0, 1)))


def seat_to_hips(skeleton: Skeleton) -> float:
    """Return how far the hip joints are above the seat while sitting, metres."""
    return SEAT_TO_HIPS * mean_leg(skeleton)


def touch_point(skeleton: Skeleton, part: str) -> tuple[str, Floats]:
    """Return the role of a joint, and the point (3,) in its frame that touches.

    part  "left_hand" or "right_hand"; "seat", which is the middle of the hip joints
    """
    if part == "seat":
        rest = skeleton.rest_positions
        middle = 0.5 * (rest[skeleton.role("left_hip")] + rest[skeleton.role("right_hip")])
        return "hips", np.asarray(middle - rest[skeleton.role("hips")])
    side = part.removesuffix("_hand")
    return f"{side}_wrist", hand_point(skeleton, side)
