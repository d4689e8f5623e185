"""The trunk: ribcage, a dark waist, pelvis and neck, smoothly bound along the spine.

Heights in the tables run from the hip joints (0) to the shoulder joints (1); half widths and
depths are hundredths of stature, widths also lean on the distance of the joints themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.mannequin.limbs import ball_radius
from footfall.body.mannequin.proportions import Proportions, Side
from footfall.body.mannequin.shapes import (
    BODY,
    JOINT,
    Frame,
    Part,
    along,
    bone_frame,
    chain,
    close_rings,
    ring_points,
    smooth_rows,
    smoothstep,
)
from footfall.maths.arrays import Floats

# u is the front, v the left, w up: rows are (height, front, back, half width, squareness).
_UPRIGHT = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])

_PELVIS = (
    (-0.20, 1.6, 1.9, 1.5, 2.0), (-0.17, 3.0, 3.6, 2.8, 2.0), (-0.09, 4.6, 5.8, 5.4, 2.1),
    (0.02, 5.4, 6.8, 8.5, 2.2), (0.13, 5.6, 6.4, 9.3, 2.25), (0.24, 5.4, 5.4, 8.5, 2.2),
    (0.31, 5.2, 4.9, 7.8, 2.2), (0.335, 4.8, 4.5, 7.2, 2.2),
)  # fmt: skip
_WAIST = (
    (0.12, 4.0, 4.0, 5.8, 2.2), (0.26, 4.6, 4.3, 6.9, 2.2), (0.38, 4.4, 4.0, 6.4, 2.2),
    (0.50, 4.5, 4.2, 6.5, 2.2), (0.62, 4.0, 4.0, 5.8, 2.2),
)  # fmt: skip
_RIBCAGE = (
    (0.405, 4.7, 4.3, 6.8, 2.2), (0.43, 5.1, 4.7, 7.35, 2.2),
    (0.52, 5.7, 5.4, 7.95, 2.25), (0.64, 6.5, 6.1, 8.9, 2.3),
    (0.77, 7.0, 6.5, 9.9, 2.35), (0.89, 6.4, 6.4, 10.2, 2.4),
    (0.99, 5.5, 5.9, 10.4, 2.3), (1.06, 4.7, 5.3, 9.9, 2.2),
    (1.105, 4.25, 4.8, 8.0, 2.0), (1.145, 3.9, 4.3, 5.4, 2.0),
    (1.19, 3.5, 3.7, 3.8, 2.0), (1.20, 3.25, 3.4, 3.4, 2.0),
    (1.18, 2.8, 3.0, 2.9, 2.0), (1.12, 2.2, 2.4, 2.3, 2.0),
)  # fmt: skip

# Rows: place from the neck to the shoulder, radius up, down, to the front and to the back.
_COLLAR = (
    (0.00, 0.4, 1.0, 1.2, 1.4), (0.28, 0.6, 1.6, 2.0, 2.2), (0.60, 1.1, 2.0, 2.6, 2.9),
    (0.84, 1.3, 2.1, 3.0, 3.1), (0.96, 1.0, 1.6, 2.5, 2.5), (1.00, 0.5, 0.8, 1.5, 1.5),
)  # fmt: skip


def torso(body: Proportions) -> list[Part]:
    """Pelvis, waist and ribcage."""
    pelvis = _rings(body, _PELVIS, 9, 24)
    waist = _rings(body, _WAIST, 5, 16)
    ribs = _rings(body, _RIBCAGE, 14, 24)
    size = body.sizes["trunk"]
    # The waist shows as a lens: deep in front where the body folds, narrow at the sides.
    _lean(pelvis, -1, -0.22, 0.10 * size)
    _lean(ribs, 0, 0.30, 0.10 * size)
    _lean(ribs, -3, -0.28, 0.05 * size)
    _groove(ribs, 0.004 * size)
    upright = Frame(np.zeros(3), _UPRIGHT)
    return [
        _bound(body, close_rings(pelvis, upright, BODY, 0.3), lowest=0.24),
        _bound(body, close_rings(waist, upright, JOINT, 0.3)),
        _bound(body, close_rings(ribs, upright, BODY, 0.3), yoke=True),
    ]


def collar(body: Proportions, side: Side) -> Part:
    """The ridge from the neck over the ball of the shoulder, bound to the collarbone."""
    ball = ball_radius(body, "shoulder")
    size = max(0.01 * body.sizes["trunk"], ball / 2.9)
    start = neck_base(body) + size * np.array([2.6, -1.6, -0.2])
    end = side.points["shoulder"] + ball * np.array([0.6, 0.75, -0.1])
    end[0] = max(end[0], start[0] + 3.0 * size)
    rows = smooth_rows(np.array(_COLLAR), 6)
    length = float(np.linalg.norm(end - start))
    rings = ring_points(length * rows[:, 0], size * rows[:, 1:], 10)
    part = close_rings(rings, bone_frame(start, end - start), BODY, 0.2)
    chest = body.skeleton.roles["chest"]
    if "clavicle" not in side.joints:
        return side.placed(part.rigid(chest))
    reach = max(float(side.points["shoulder"][0]), ball)  # as the ribcage below does
    out = smoothstep(part.vertices[:, :1] / reach, 0.30, 0.95)
    weights = np.concatenate([1.0 - out, out], axis=1)
    return side.placed(part.bound([chest, side.joints["clavicle"]], weights))


def neck(body: Proportions) -> Part:
    """The neck, from inside the ribcage to inside the head, in the darker material."""
    roles = body.skeleton.roles
    base, skull = neck_base(body), skull_place(body)
    top = skull.chin + skull.tall * np.array([0.0, 0.30, -0.09])
    size = 0.01 * body.stature
    rows = smooth_rows(np.array([(-0.3, 3.2), (0.1, 3.1), (0.6, 2.75), (1.0, 2.75)]), 5)
    rings = ring_points(np.zeros(len(rows)), np.repeat(size * rows[:, 1:], 4, 1), 12)
    rings = rings @ _UPRIGHT + (base + rows[:, :1] * (top - base))[:, None, :]
    part = close_rings(rings, Frame(np.zeros(3), np.eye(3)), JOINT, 0.1)
    bottom = roles.get("neck", roles.get("head", roles["chest"]))
    joints = [roles["chest"], *chain(body.skeleton, bottom, roles.get("head", bottom))]
    # However deep the neck's first joint lies, its foot stays with the ribcage and does not
    # swing out of it.
    foot = float(base[1])
    heights = [max(float(body.positions[j][1]), foot) for j in joints]
    return part.bound(joints, along(part.vertices[:, 1], heights, 0.022 * body.stature))


def neck_base(body: Proportions) -> Floats:
    """Where the neck leaves the ribcage: on the line of the spine, not far from the shoulders."""
    shoulders = body.middle_of("shoulder")
    height = float(shoulders[1]) + 0.13 * trunk_length(body)
    roles, size = body.skeleton.roles, body.stature
    joints = chain(body.skeleton, roles["chest"], roles.get("head", roles.get("neck", 0)))
    heights = np.maximum.accumulate([float(body.positions[j][1]) for j in joints])
    depth = float(np.interp(height, heights, [float(body.positions[j][2]) for j in joints]))
    depth = float(np.clip(depth - shoulders[2], -0.02 * size, 0.025 * size))
    return np.array([0.0, height, float(shoulders[2]) + depth])


def trunk_length(body: Proportions) -> float:
    """Height from hip joints to shoulder joints, metres, never nothing."""
    trunk = body.middle_of("shoulder")[1] - body.middle_of("hip")[1]
    return max(float(trunk), 0.05 * body.stature)


@dataclass(frozen=True, eq=False)
class Skull:
    """The head's place: `chin` (3,), under the middle of the skull, and its height, metres."""

    chin: Floats
    tall: float


def skull_place(body: Proportions) -> Skull:
    """Where the head is: its crown at the head joint's end site, as far as that can be right.

    Head joints lie anywhere from the jaw to the ears, and end sites from the brow to above the
    crown, so both are held within what leaves a neck and a head of human size.
    """
    size, base = body.stature, neck_base(body)
    tall, roles = 0.132 * size, body.skeleton.roles
    if "head" not in roles:
        found = body.joint("neck") + size * np.array([0.0, 0.055, 0.012])
        rises = []
    else:
        found = body.joint("head")
        ends = body.ends[body.skeleton.end_joints == roles["head"]]
        rises = [float(end[1] - found[1]) for end in ends]
    rise = max(rises, default=0.0)
    below = float(np.clip(tall - rise, 0.012 * size, 0.045 * size)) if rise > 0.0 else 0.02 * size
    chin = float(np.clip(found[1] - below - base[1], 0.028 * size, 0.10 * size))
    if rise > 0.0:
        tall = float(np.clip(rise + below, 0.95 * tall, 1.25 * tall))
    ahead = float(np.clip(found[2] - base[2], -0.02 * size, 0.06 * size))
    return Skull(base + np.array([0.0, chin, ahead + 0.012 * size]), tall)


def _rings(
    body: Proportions, table: tuple[tuple[float, ...], ...], count: int, around: int
) -> Floats:
    """Rings (count, around, 3) in (front, left, up) coordinates of the whole body."""
    rows = smooth_rows(np.array(table), count)
    size = body.sizes["trunk"]
    hips, shoulders = body.middle_of("hip"), body.middle_of("shoulder")
    t = rows[:, 0]
    half = 0.01 * size * rows[:, 3] * _breadth(body, t)
    front, back = 0.01 * size * rows[:, 1], 0.01 * size * rows[:, 2]
    rings = ring_points(
        hips[1] + trunk_length(body) * t, np.stack([front, back, half, half], 1), around, rows[:, 4]
    )
    middle = hips[2] + (shoulders[2] - hips[2]) * np.clip(t, 0.0, 1.0)
    middle += (neck_base(body)[2] - shoulders[2]) * smoothstep(t, 0.7, 1.15)
    rings[..., 0] += middle[:, None]
    return rings


def _breadth(body: Proportions, t: Floats) -> Floats:
    """How much broader than usual the body is at heights `t`, by its hip and shoulder joints."""
    size = body.sizes["trunk"]
    hips = np.clip(body.half_width("hip") / (0.055 * size), 0.6, 1.7)
    shoulders = np.clip(body.half_width("shoulder") / (0.108 * size), 0.6, 1.7)
    mixed = smoothstep(t, 0.1, 0.8)
    return np.asarray((0.35 + 0.65 * hips) * (1.0 - mixed) + (0.25 + 0.75 * shoulders) * mixed)


def _lean(rings: Floats, ring: int, slope: float, fade: float) -> None:
    """Tilt the rings near one end by `slope` (height per depth), fading over `fade` metres."""
    heights = rings[:, 0, 2]
    weight = 1.0 - smoothstep(np.abs(heights - heights[ring]), 0.0, fade)
    deep = rings[..., 0] - rings[..., 0].mean(axis=1, keepdims=True)
    rings[..., 2] += weight[:, None] * slope * deep


def _groove(rings: Floats, deep: float) -> None:
    """Press a soft furrow into the ribcage along breastbone and spine."""
    side = np.exp(-((rings[..., 1] / (4.0 * deep)) ** 2))
    middle = rings[..., 0].mean(axis=1, keepdims=True)
    rise = np.sin(np.pi * np.linspace(0.0, 1.0, len(rings)))[:, None]
    rings[..., 0] -= np.sign(rings[..., 0] - middle) * deep * side * rise


def _bound(body: Proportions, part: Part, *, lowest: float = -1.0, yoke: bool = False) -> Part:
    """Bind to the spine by height; the shoulder yoke also follows collar bones and neck.

    No joint takes over from the hips below `lowest` (in heights of the tables), so that the
    pelvis stays whole where the spine starts low.
    """
    roles = body.skeleton.roles
    joints = chain(body.skeleton, roles["hips"], roles["chest"])
    bottom = float(body.middle_of("hip")[1]) + lowest * trunk_length(body)
    heights = [max(float(body.positions[j][1]), bottom) for j in joints]
    weights = along(part.vertices[:, 1], heights, 0.06 * body.stature)
    if not yoke:
        return part.bound(joints, weights)
    for joint, share in _pulls(body, part.vertices):
        if joint not in joints:
            weights = np.concatenate([weights * (1.0 - share[:, None]), share[:, None]], axis=1)
            joints = [*joints, joint]
    return part.bound(joints, weights)


def _pulls(body: Proportions, vertices: Floats) -> list[tuple[int, Floats]]:
    """What draws at the ribcage beside the spine: (joint, share (n,)) of collar bones and neck."""
    t = (vertices[:, 1] - body.middle_of("hip")[1]) / trunk_length(body)
    pulls = []
    for side in body.sides:
        if "clavicle" in side.joints:
            reach = max(float(side.points["shoulder"][0]), ball_radius(body, "shoulder"))
            out = smoothstep(vertices[:, 0] * side.sign / reach, 0.30, 0.95)
            pulls.append((side.joints["clavicle"], out * smoothstep(t, 0.62, 0.95)))
    if "neck" in body.skeleton.roles:
        # Where the neck turns about a joint deep in the chest, the collar goes along with it.
        deep = neck_base(body)[1:2] - body.joint("neck")[1]
        share = 0.8 * smoothstep(deep, 0.0, 0.05 * body.stature)
        pulls.append((body.skeleton.roles["neck"], share * smoothstep(t, 1.0, 1.2)))
    return pulls


# The head, with a face that shows where it looks.

# Rows: height (0 chin, 1 crown), front, back, half width (shares of the head's height), squareness.
_HEAD = (
    (0.005, 0.22, 0.00, 0.07, 2.0), (0.06, 0.34, 0.12, 0.18, 2.1),
    (0.22, 0.365, 0.29, 0.262, 2.2), (0.34, 0.37, 0.38, 0.295, 2.2),
    (0.47, 0.375, 0.42, 0.318, 2.2), (0.58, 0.375, 0.455, 0.327, 2.2),
    (0.625, 0.385, 0.46, 0.33, 2.2), (0.73, 0.36, 0.465, 0.32, 2.1),
    (0.85, 0.29, 0.40, 0.262, 2.0), (0.95, 0.175, 0.275, 0.175, 2.0),
    (0.99, 0.07, 0.14, 0.08, 2.0),
)  # fmt: skip
_HEAD_ROUND = 20
_EYES = 0.47, 0.58
"""Heights between which the eye plane lies, before it is drawn to almonds."""
_LIDS = (0.05, 0.09, 0.14, 0.20, 0.27), (0.40, 0.66, 0.84, 0.78, 0.25)
"""How far from the middle of the face the eyes are how high, against that."""


def head(body: Proportions) -> Part:
    """An egg with jaw, nose, brow and a dark eye plane, rigid on the head joint."""
    roles = body.skeleton.roles
    skull = skull_place(body)
    rows = smooth_rows(np.array(_HEAD), 2 * len(_HEAD) - 1)
    rings = ring_points(rows[:, 0], rows[:, [1, 2, 3, 3]], _HEAD_ROUND, rows[:, 4], 0.4)
    _face(rings)
    upright = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    frame = Frame(skull.chin, upright * skull.tall)
    between = (rows[:-1, 0] > _EYES[0] - 1e-9) & (rows[1:, 0] < _EYES[1] + 1e-9)
    column = np.arange(_HEAD_ROUND)
    from_middle = np.minimum(column, _HEAD_ROUND - 1 - column)
    part = close_rings(rings, frame, BODY, 0.4)
    part = part.darkened(between[:, None] & (from_middle >= 1) & (from_middle <= 3))
    return part.rigid(roles.get("head", roles.get("neck", 0)))


def _face(rings: Floats) -> None:
    """Sink an eye plane into the front of unit rings; raise nose, brow and cheekbones from it."""
    ahead, side, height = rings[..., 0], np.abs(rings[..., 1]), rings[..., 2]
    front = np.clip(ahead / 0.4, 0.0, 1.0) ** 2
    nose = np.exp(-((side / 0.055) ** 2)) * np.interp(
        height, [0.27, 0.34, 0.39, 0.57, 0.66], [0.0, 0.7, 1.0, 0.35, 0.0]
    )
    sunk = np.interp(height, [0.36, 0.47, 0.575, 0.61, 0.625], [0.0, 1.0, 1.0, -0.2, -0.25])
    sunk = np.where(height > 0.62, -0.25 * (1.0 - smoothstep(height, 0.625, 0.76)), sunk)
    sunk *= smoothstep(side, 0.0, 0.10) * (1.0 - 0.6 * smoothstep(side, 0.2, 0.32))
    ahead += front * (0.085 * nose - 0.045 * sunk)
    middle = 0.5 * sum(_EYES)
    lids = np.minimum(1.0, 5.0 * front) * (np.abs(height - middle) < 0.056)
    height -= lids * (height - middle) * (1.0 - np.interp(side, *_LIDS))
