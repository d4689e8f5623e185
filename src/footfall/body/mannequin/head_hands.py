"""The head, with a face that shows where it looks, and mitten hands with a thumb."""

from __future__ import annotations

import numpy as np

from footfall.body.mannequin.limbs import ball_radius
from footfall.body.mannequin.proportions import Proportions, Side
from footfall.body.mannequin.shapes import (
    BODY,
    Frame,
    Part,
    bone_frame,
    close_rings,
    ring_points,
    smooth_rows,
    unit,
)
from footfall.body.mannequin.skinning import along
from footfall.body.mannequin.torso import skull_place
from footfall.body.skeleton import subtree
from footfall.maths.arrays import Floats

# Rows: height (0 chin, 1 crown), front, back, half width (shares of the head's height), squareness.
_HEAD = (
    (0.005, 0.22, 0.00, 0.07, 2.0),
    (0.035, 0.315, 0.08, 0.15, 2.1),
    (0.10, 0.355, 0.18, 0.225, 2.2),
    (0.22, 0.365, 0.29, 0.28, 2.25),
    (0.38, 0.37, 0.39, 0.315, 2.25),
    (0.54, 0.385, 0.45, 0.335, 2.25),
    (0.70, 0.37, 0.47, 0.335, 2.15),
    (0.85, 0.30, 0.41, 0.28, 2.05),
    (0.95, 0.175, 0.275, 0.175, 2.0),
    (0.99, 0.07, 0.14, 0.08, 2.0),
)
_HEAD_RINGS, _HEAD_ROUND = 15, 20


def head(body: Proportions) -> Part:
    """An egg with jaw, face plane, brow and nose, rigid on the head joint."""
    roles = body.skeleton.roles
    skull = skull_place(body)
    rows = smooth_rows(np.array(_HEAD), _HEAD_RINGS)
    rings = ring_points(rows[:, 0], rows[:, [1, 2, 3, 3]], _HEAD_ROUND, rows[:, 4], 0.4)
    _face(rings)
    upright = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    frame = Frame(skull.chin, upright * skull.tall)
    return close_rings(rings, frame, BODY, 0.4).rigid(roles.get("head", roles.get("neck", 0)))


def _face(rings: Floats) -> None:
    """Press a face plane into the front of unit rings, and raise nose and brow from it."""
    ahead = rings[..., 0]
    side, height = rings[..., 1], rings[..., 2]
    front = np.clip(ahead / 0.4, 0.0, 1.0) ** 2
    nose = np.exp(-((side / 0.055) ** 2)) * np.interp(
        height, [0.27, 0.34, 0.39, 0.57, 0.66], [0.0, 0.7, 1.0, 0.35, 0.0]
    )
    sockets = np.exp(-(((np.abs(side) - 0.15) / 0.09) ** 2) - ((height - 0.52) / 0.07) ** 2)
    ahead += front * (0.085 * nose - 0.055 * sockets)


# Rows: place along the hand, thickness to the back and to the palm, width to thumb and little
# finger side, bend towards the palm; shares of the hand's length.
_HAND = (
    (0.00, 0.12, 0.12, 0.135, 0.135, 0.00),
    (0.06, 0.13, 0.13, 0.155, 0.15, 0.00),
    (0.20, 0.13, 0.135, 0.20, 0.185, 0.00),
    (0.38, 0.125, 0.13, 0.23, 0.215, 0.00),
    (0.55, 0.11, 0.115, 0.23, 0.21, 0.015),
    (0.74, 0.09, 0.10, 0.21, 0.19, 0.055),
    (0.89, 0.075, 0.085, 0.18, 0.165, 0.11),
    (0.97, 0.055, 0.065, 0.14, 0.125, 0.145),
    (1.00, 0.025, 0.03, 0.07, 0.065, 0.16),
)
_THUMB = (
    (0.00, 0.07, 0.07),
    (0.15, 0.095, 0.095),
    (0.45, 0.08, 0.08),
    (0.75, 0.07, 0.07),
    (0.93, 0.05, 0.05),
    (1.00, 0.02, 0.02),
)
_DROOP = np.cos(np.radians(25.0)), np.sin(np.radians(25.0))
_AS_USUAL = 0.77  # thumbs within 40 degrees of the front leave the palm facing down


def hand(body: Proportions, side: Side) -> list[Part]:
    """A mitten along the fingers and a thumb, one side."""
    length, direction = hand_reach(body, side)
    frame = _hand_frame(body, side, direction)
    start = 0.5 * ball_radius(body, "wrist")
    rows = smooth_rows(np.array(_HAND), 11)
    rings = ring_points(start + (length - start) * rows[:, 0], length * rows[:, 1:5], 12, 2.3)
    rings[..., 0] -= length * rows[:, 5:6]
    mitten = _follow(body, side, close_rings(rings, frame, BODY, 0.3), direction, length)
    rows = smooth_rows(np.array(_THUMB), 6)
    across = length * rows[:, [1, 1, 2, 2]]
    rings = ring_points(0.52 * length * rows[:, 0], across, 8)
    way = unit(np.array([-0.30, 0.62, 0.85]), np.zeros(3))
    root = frame.place(length * np.array([[-0.03, 0.10, 0.16]]))[0]
    thumb = close_rings(rings, bone_frame(root, way @ frame.axes), BODY, 0.3)
    thumb = thumb.rigid(_thumb_joint(body, side))
    return [side.placed(mitten), side.placed(thumb)]


def _hand_joints(body: Proportions, side: Side) -> list[int]:
    return subtree(body.skeleton, side.joints["wrist"])


def hand_reach(body: Proportions, side: Side) -> tuple[float, Floats]:
    """The hand's length and direction, from its farthest joint or end site if that is sane."""
    wrist, forearm = side.points["wrist"], side.points["wrist"] - side.points["elbow"]
    forward = unit(forearm, np.array([1.0, 0.0, 0.0]))
    inside = _hand_joints(body, side)
    tips = np.concatenate(
        [
            body.positions[inside],
            body.ends[np.isin(body.skeleton.end_joints, inside)],
        ]
    ) * np.array([side.sign, 1.0, 1.0])
    far = (tips - wrist) @ forward
    usual = 0.104 * body.sizes["forearm"]
    best = tips[int(np.argmax(far))] - wrist
    length = float(np.clip(far.max(), 0.85 * usual, 1.2 * usual)) if far.max() > 0 else usual
    straight = float(far.max()) > 0.8 * float(np.linalg.norm(best)) > 0.0
    return length, unit(best, forward) if straight else forward


def _hand_frame(body: Proportions, side: Side, direction: Floats) -> Frame:
    """Axes (back of the hand, thumb side, along), turned to where the skeleton's thumb is."""
    frame = bone_frame(side.points["wrist"], direction)
    thumb = _thumb_joint(body, side)
    if thumb == side.joints["wrist"]:
        return frame
    flip = np.array([side.sign, 1.0, 1.0])
    inside = subtree(body.skeleton, thumb)
    tips = np.concatenate(
        [
            body.positions[inside],
            body.ends[np.isin(body.skeleton.end_joints, inside)],
        ]
    )
    to_thumb = (tips * flip).mean(axis=0) - frame.origin
    to_thumb -= frame.axes[2] * (to_thumb @ frame.axes[2])
    thumb_way = unit(to_thumb, frame.axes[1])
    near = float(thumb_way @ frame.axes[1]) > _AS_USUAL
    if near or float(np.linalg.norm(to_thumb)) < 0.01 * body.stature:
        return frame
    # A thumb hangs off the plane of the palm; turn that plane so that thumb meets thumb.
    beside = np.cross(thumb_way, frame.axes[2])
    front = _DROOP[0] * thumb_way + _DROOP[1] * beside
    return Frame(frame.origin, np.stack([np.cross(front, frame.axes[2]), front, frame.axes[2]]))


def _thumb_joint(body: Proportions, side: Side) -> int:
    """The thumb's first joint, or the wrist if there is none."""
    for joint in _hand_joints(body, side):
        if "thumb" in body.skeleton.names[joint].lower():
            return joint
    return side.joints["wrist"]


def _follow(body: Proportions, side: Side, part: Part, direction: Floats, length: float) -> Part:
    """Bind the mitten to the wrist, and its fingers to the middle-most finger of the skeleton."""
    flip = np.array([side.sign, 1.0, 1.0])
    fingers = _finger_chain(body, side)
    joints = [side.joints["wrist"], *fingers]
    starts = [float((body.positions[j] * flip - side.points["wrist"]) @ direction) for j in joints]
    stations = (part.vertices - side.points["wrist"]) @ direction
    return part.bound(joints, along(stations, starts, 0.12 * length))


def _finger_chain(body: Proportions, side: Side) -> list[int]:
    """The joints of one finger (middle, else index, else any) that the mitten follows."""
    skeleton = body.skeleton
    thumb = set()
    first = _thumb_joint(body, side)
    if first != side.joints["wrist"]:
        thumb = set(subtree(skeleton, first))
    rest = [j for j in _hand_joints(body, side)[1:] if j not in thumb]
    for word in ("middle", "index", "finger"):
        named = [j for j in rest if word in skeleton.names[j].lower()]
        if named:
            return _one_line(body, named)[:3]
    return _one_line(body, rest)[:3]


def _one_line(body: Proportions, joints: list[int]) -> list[int]:
    """The joints among `joints` that follow each other down from the first."""
    line = joints[:1]
    for joint in joints[1:]:
        if int(body.skeleton.parents[joint]) == line[-1]:
            line.append(joint)
    return line
