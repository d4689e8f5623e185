"""Hands at ease: a palm, four fingers that curl a little, and a thumb beside them.

A hand that hangs is neither flat nor a fist: each finger is bent more than the one before it, the
little one most. Where the skeleton has fingers of its own, its clips bend them, and the mesh has
them nearly straight.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.body.mannequin.limbs import ball_radius
from footfall.body.mannequin.proportions import Proportions, Side
from footfall.body.mannequin.shapes import (
    BODY,
    Frame,
    Part,
    along,
    bone_frame,
    close_rings,
    ring_points,
    smooth_rows,
    unit,
)
from footfall.body.skeleton import subtree
from footfall.maths.arrays import Floats

# Rows: place along the hand, thickness to the back and to the palm, width to thumb and little
# finger side; shares of the hand's length.
_PALM = (
    (0.00, 0.12, 0.12, 0.135, 0.135), (0.06, 0.13, 0.13, 0.155, 0.15),
    (0.20, 0.125, 0.135, 0.20, 0.185), (0.36, 0.11, 0.125, 0.225, 0.21),
    (0.48, 0.095, 0.105, 0.225, 0.205), (0.55, 0.07, 0.08, 0.20, 0.18),
    (0.58, 0.03, 0.035, 0.12, 0.11),
)  # fmt: skip
# Fingers from the index to the little one: the words of their joints' names, how far to the thumb's
# side and along the hand they begin, their length and thickness (shares of the hand's length), and
# how far they curl.
_FINGERS = (
    (("index",), 0.155, 0.47, 0.46, 0.066, 0.82),
    (("middle",), 0.05, 0.48, 0.52, 0.068, 0.94),
    (("ring",), -0.055, 0.47, 0.48, 0.064, 1.06),
    (("pinky", "little"), -0.15, 0.44, 0.40, 0.056, 1.18),
)
_KNUCKLES = ((0.08, 32.0), (0.50, 46.0), (0.78, 22.0))
"""Where along a finger it bends, and how far, degrees, in a hand at ease."""
_ROUND = 0.13
"""Over which part of a finger each of them bends."""
_STRAIGHTER = 0.3
"""How much of that fingers have whose joints are the skeleton's own."""
_TAPER = ((0.00, 0.95), (0.20, 1.05), (0.46, 1.0), (0.68, 0.92), (0.88, 0.74), (1.00, 0.3))
"""Where along a finger its rings are, and how thick it is there."""
_AROUND = 4
"""Points of each ring: fingers are small."""
_THUMB = (
    (0.00, 0.07, 0.07), (0.15, 0.095, 0.095), (0.45, 0.08, 0.08),
    (0.75, 0.07, 0.07), (0.93, 0.05, 0.05), (1.00, 0.02, 0.02),
)  # fmt: skip
_DROOP = np.cos(np.radians(25.0)), np.sin(np.radians(25.0))
_AS_USUAL = 0.77  # thumbs within 40 degrees of the front leave the palm facing down


def hand(body: Proportions, side: Side) -> list[Part]:
    """Palm, fingers and thumb of one side."""
    length, direction = hand_reach(body, side)
    frame = _hand_frame(body, side, direction)
    parts = [_palm(body, side, frame, length), _thumb(body, side, frame, length)]
    parts += [_finger(body, side, frame, length, n) for n in range(len(_FINGERS))]
    return [side.placed(part) for part in parts]


def _palm(body: Proportions, side: Side, frame: Frame, length: float) -> Part:
    start = 0.5 * ball_radius(body, "wrist")
    rows = smooth_rows(np.array(_PALM), 7)
    rings = ring_points(start + (length - start) * rows[:, 0], length * rows[:, 1:5], 10, 2.3)
    return close_rings(rings, frame, BODY, 0.3).rigid(side.joints["wrist"])


def _thumb(body: Proportions, side: Side, frame: Frame, length: float) -> Part:
    rows = smooth_rows(np.array(_THUMB), 5)
    rings = ring_points(0.52 * length * rows[:, 0], length * rows[:, [1, 1, 2, 2]], 5)
    way = unit(np.array([-0.42, 0.48, 0.85]), np.zeros(3))
    root = frame.place(length * np.array([[-0.03, 0.10, 0.16]]))[0]
    thumb = close_rings(rings, bone_frame(root, way @ frame.axes), BODY, 0.3)
    return thumb.rigid(_thumb_joint(body, side))


def _finger(body: Proportions, side: Side, frame: Frame, length: float, n: int) -> Part:
    """A finger that curls to the palm, and moves with its own joints if there are any."""
    words, aside, begin, long, thick, curl = _FINGERS[n]
    rows = np.array(_TAPER)
    across = np.repeat(length * thick * rows[:, 1:2], 4, axis=1)
    rings = ring_points(long * length * rows[:, 0], across, _AROUND)
    joints = _finger_chain(body, side, words)
    bent = _curl(rings, rows[:, 0], curl * (_STRAIGHTER if joints else 1.0))
    bent += length * np.array([0.01, aside, begin])
    part = close_rings(bent, frame, BODY, 0.3)
    chain = [side.joints["wrist"], *joints]
    flip = np.array([side.sign, 1.0, 1.0])
    starts = [float((body.positions[j] * flip - frame.origin) @ frame.axes[2]) for j in chain]
    places = np.append(np.repeat(rows[:, 0], _AROUND), rows[[0, -1], 0])
    stations = length * (begin + long * places)
    return part.bound(chain, along(stations, starts, 0.12 * length))


def _curl(rings: Floats, places: Floats, size: float) -> Floats:
    """Rings (r, s, 3) of a straight finger, at `places` (r,) of its length, bent to the palm."""
    fine = np.linspace(0.0, 1.0, 101)
    turns = sum(
        math.radians(size * deg) * np.clip((fine - at) / _ROUND + 0.5, 0.0, 1.0)
        for at, deg in _KNUCKLES
    )
    long = float(rings[-1, 0, 2])
    steps = long / (len(fine) - 1) * np.stack([-np.sin(turns), np.cos(turns)])
    line = np.concatenate([np.zeros((2, 1)), np.cumsum(steps[:, :-1], axis=1)], axis=1)
    at_u, at_w, turn = (np.interp(places, fine, row)[:, None] for row in (*line, turns))
    across = rings[..., 0]
    return np.stack(
        [at_u + np.cos(turn) * across, rings[..., 1], at_w + np.sin(turn) * across], axis=-1
    )


def _hand_joints(body: Proportions, side: Side) -> list[int]:
    return subtree(body.skeleton, side.joints["wrist"])


def hand_reach(body: Proportions, side: Side) -> tuple[float, Floats]:
    """The hand's length and direction, from its farthest joint or end site if that is sane."""
    wrist, forearm = side.points["wrist"], side.points["wrist"] - side.points["elbow"]
    forward = unit(forearm, np.array([1.0, 0.0, 0.0]))
    inside = _hand_joints(body, side)
    tips = np.concatenate(
        [body.positions[inside], body.ends[np.isin(body.skeleton.end_joints, inside)]]
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
        [body.positions[inside], body.ends[np.isin(body.skeleton.end_joints, inside)]]
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


def _finger_chain(body: Proportions, side: Side, words: tuple[str, ...]) -> list[int]:
    """The joints of a finger by its name; else those of the middle-most that the skeleton has."""
    skeleton = body.skeleton
    thumb = set()
    first = _thumb_joint(body, side)
    if first != side.joints["wrist"]:
        thumb = set(subtree(skeleton, first))
    rest = [j for j in _hand_joints(body, side)[1:] if j not in thumb]
    for word in (*words, "middle", "index", "finger"):
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
