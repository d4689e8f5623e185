"""Any rest pose made canonical, without moving a single joint of the motion.

Give every joint j a constant rotation R_j. With offsets R_p o_j and local rotations
R_p l_j R_j^-1 (p the parent) all world positions stay what they were, while the pose in which
all local rotations are the identity becomes the pose with world rotations R_j of the old
skeleton. We choose R_j so that this is a T-pose: facing +z, legs straight down, arms along
+x (left) and -x (right), feet flat and pointing to +z.

R_j = A_j W_j, where W_j is the world rotation in a *reference* pose of the file (its zero or
bind pose if that is a human stance, else the motion's mean posture) and A_j aligns the limbs
by the smallest possible turns, parents first; joints without a role follow their parents.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.axes import axis_vector, nearest_axis
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton, subtree
from footfall.maths.arrays import Floats
from footfall.maths.quaternions import to_matrix

_SNAP = np.radians(0.05)  # smaller turns are left out, so that a canonical rest stays as it is
_LEFT, _UP, _AHEAD = np.eye(3)
_IDENTITY = np.eye(3)
_SPLAYED_DEG = 15.0
_USUAL_FOOT_PITCH = np.radians(-14.7)  # ankle to ball of the foot, population mean


@dataclass(frozen=True, eq=False)
class ReferencePose:
    """A pose of the file's skeleton that alignments start from.

    orientations  (J, 3, 3) world rotations
    positions     (J, 3) with the root at the origin
    tips          (E, 3) end sites
    stance        whether it is a pose someone stands in (feet flat), not a mean of a motion
    foot_pitch    per side, the angle of ankle to toe above the horizontal when the foot is flat
    """

    orientations: Floats
    positions: Floats
    tips: Floats
    stance: bool = True
    foot_pitch: Mapping[str, float] | None = None


def pose_reference(skeleton: Skeleton, local: Floats | None) -> ReferencePose:
    """Return the reference pose with `local` rotations (J, 4); None means all identity."""
    if local is None:
        still = skeleton.rest_positions - skeleton.offsets[0]
        tips = skeleton.rest_end_positions - skeleton.offsets[0]
        return ReferencePose(np.tile(np.eye(3), (len(skeleton), 1, 1)), still, tips)
    world = to_matrix(local)
    places = np.zeros((len(skeleton), 3))
    for joint in range(1, len(skeleton)):
        parent = skeleton.parents[joint]
        places[joint] = places[parent] + world[parent] @ skeleton.offsets[joint]
        world[joint] = world[parent] @ world[joint]
    ends = skeleton.end_joints
    tips = places[ends] + np.einsum("eij,ej->ei", world[ends], skeleton.end_offsets)
    return ReferencePose(world, places, tips)


def facing(skeleton: Skeleton, reference: ReferencePose) -> Floats:
    """Return (3, 3) the turn that makes a standing reference y-up and facing +z.

    Up is the axis nearest to ankles-to-trunk; forward follows from left and right hips and
    shoulders. It snaps to an axis within 15 degrees, because files are drawn along axes and
    bodies are not quite symmetric.
    """
    place, roles = reference.positions, skeleton.roles
    up = axis_vector(nearest_axis(_trunk_top(skeleton, place) - _middle(place, roles, "ankle")))
    left = sum(
        (_unit(place[roles[f"left_{role}"]] - place[roles[f"right_{role}"]])
         for role in ("hip", "shoulder")), np.zeros(3),
    )  # fmt: skip
    forward = _cross(left, up)
    if _length(forward) < 0.2:
        forward = _cross(axis_vector("x" if abs(up[0]) < 0.5 else "z"), up)
    forward = _unit(forward)
    axis = axis_vector(nearest_axis(forward))
    if forward @ axis > np.cos(np.radians(15.0)):
        forward = axis
    return np.stack([_cross(up, forward), up, forward]) + 0.0


def stance_problem(skeleton: Skeleton, reference: ReferencePose, turn: Floats) -> str:
    """Return why the reference, turned by `turn`, is no human stance; empty if it is one."""
    place, roles = reference.positions @ turn.T, skeleton.roles
    if _tilt(_trunk_top(skeleton, place) - place[roles["hips"]], _UP) > 40.0:
        return "the spine does not point up"
    hips, shoulders = (
        place[roles[f"left_{part}"]] - place[roles[f"right_{part}"]] for part in ("hip", "shoulder")
    )
    if max(_tilt(hips, _LEFT), _tilt(shoulders, _LEFT), _tilt(hips, shoulders)) > 45.0:
        return "hips and shoulders do not face the same way"
    for side in SIDES:
        hip, knee, ankle = (place[roles[f"{side}_{r}"]] for r in ("hip", "knee", "ankle"))
        if max(_tilt(knee - hip, -_UP), _tilt(ankle - knee, -_UP)) > 45.0:
            return f"the {side} leg does not point down"
        toe = _toe_vector(skeleton, reference, side)
        if toe is None:
            continue
        flat = (turn @ toe) * [1.0, 0.0, 1.0]
        if _length(flat) > 0.3 * _length(toe) and _tilt(flat, _AHEAD) > 60.0:
            return f"the {side} foot does not point forward"
    return ""


def pelvis_frame(skeleton: Skeleton, reference: ReferencePose) -> Floats:
    """Return (3, 3) the rotation that puts the line of the hips on +X, the trunk above it."""
    place, roles = reference.positions, skeleton.roles
    trunk = _trunk_top(skeleton, place) - _middle(place, roles, "hip")
    lines = [place[roles[f"left_{p}"]] - place[roles[f"right_{p}"]] for p in ("hip", "shoulder")]
    left = _unit(next((line for line in lines if _length(line) > 1e-9), _LEFT))
    for up in (trunk, _UP, _AHEAD):  # the later ones serve bodies without any width or height
        forward = _cross(left, _unit(up))
        if _length(forward) > 1e-3:
            break
    forward = _unit(forward)
    return np.stack([left, _cross(forward, left), forward])


def canonical_turns(skeleton: Skeleton, reference: ReferencePose, turn: Floats) -> Floats:
    """Return (J, 3, 3) the rotation R_j of every joint; the skeleton's root must be its hips.

    turn  (3, 3) brings the reference's pelvis upright and facing +z
    """
    player = {joint: role for role, joint in skeleton.roles.items()}
    aligned: list[Floats] = [turn]
    for joint in range(1, len(skeleton)):
        above = aligned[int(skeleton.parents[joint])]
        role = player.get(joint, "")
        side, _, part = role.partition("_")
        if part == "ankle":
            aligned.append(_foot_turn(skeleton, reference, turn, above, side) @ above)
            continue
        aim = _aim(skeleton, reference, side, part)
        if aim is not None:
            goal = -_UP if part in ("hip", "knee") else axis_vector("x" if side == "left" else "-x")
            aligned.append(_swing(above @ aim, goal) @ above)
        elif role == "neck" or (role in ("spine", "chest") and not reference.stance):
            aligned.append(_level_turn(skeleton, reference, role, above) @ above)
        elif role == "head" and not reference.stance:
            aligned.append(turn)  # people look ahead on average, however their necks lean
        else:
            aligned.append(above)
    return np.asarray(np.matmul(np.stack(aligned), reference.orientations))


def turned(skeleton: Skeleton, turns: Floats, scale: float = 1.0) -> Skeleton:
    """Return the skeleton with rest rotations `turns` (J, 3, 3) in the world, root at the origin.

    scale  metres per unit of the given skeleton
    """
    offsets = np.einsum("jik,jk->ji", turns[skeleton.parents], skeleton.offsets)
    offsets[0] = 0.0
    ends = np.einsum("eik,ek->ei", turns[skeleton.end_joints], skeleton.end_offsets)
    return replace(skeleton, offsets=offsets * scale + 0.0, end_offsets=ends * scale + 0.0)


def _aim(skeleton: Skeleton, reference: ReferencePose, side: str, part: str) -> Floats | None:
    """Return the bone (3,) that leaves the joint of this role and has a direction in the T-pose."""
    following = {"hip": "knee", "knee": "ankle", "shoulder": "elbow", "elbow": "wrist"}
    place, roles = reference.positions, skeleton.roles
    if part in following:
        return np.asarray(
            place[roles[f"{side}_{following[part]}"]] - place[roles[f"{side}_{part}"]]
        )
    if part != "wrist":
        return None
    wrist = roles[f"{side}_wrist"]
    inside = subtree(skeleton, wrist)
    points = [place[j] - place[wrist] for j in sorted(inside) if j != wrist]
    points += [
        reference.tips[e] - place[wrist]
        for e, j in enumerate(skeleton.end_joints)
        if int(j) in inside
    ]
    lengths = [float(p @ p) for p in points]
    return points[int(np.argmax(lengths))] if lengths and max(lengths) > 0.0 else None


def _foot_turn(
    skeleton: Skeleton, reference: ReferencePose, turn: Floats, above: Floats, side: str
) -> Floats:
    """Return (3, 3) what must still be applied after `above` (the shank's turn) to plant the foot.

    A foot that stands flat in the reference is only yawed. When the reference splays the legs
    the foot has gone along with the shank, so it also comes back with it.
    """
    place, roles = reference.positions, skeleton.roles
    toe = _toe_vector(skeleton, reference, side)
    hip, ankle = place[roles[f"{side}_hip"]], place[roles[f"{side}_ankle"]]
    splayed = _tilt(turn @ (ankle - hip), -_UP) > _SPLAYED_DEG
    base = above if splayed or not reference.stance else turn
    back = _snap(base @ above.T)
    if toe is None or not _length(toe) > 0.0:
        return back
    now = base @ toe
    pitch = float(np.arctan2(now[1], np.hypot(now[0], now[2])))
    if not reference.stance:
        pitch = (reference.foot_pitch or {}).get(side, _USUAL_FOOT_PITCH)
        return _swing(above @ toe, np.array([0.0, np.sin(pitch), np.cos(pitch)]))
    if not np.radians(-60.0) < pitch < np.radians(25.0):
        pitch = _USUAL_FOOT_PITCH
        return _swing(now, np.array([0.0, np.sin(pitch), np.cos(pitch)])) @ back
    return _swing(now * [1.0, 0.0, 1.0], _AHEAD) @ back


def _level_turn(skeleton: Skeleton, reference: ReferencePose, role: str, above: Floats) -> Floats:
    """Return the turn that takes sideways lean (spine) or twist (chest) out of a mean posture.

    Neck and clavicles of a mean posture stay as they are on average: that is how the body holds
    them, and what it does with them is told from there. Only a neck that bends more than 40
    degrees in a pose that someone drew is raised.
    """
    roles, place = skeleton.roles, reference.positions
    if role == "chest":
        return _swing(
            above @ (place[roles["left_shoulder"]] - place[roles["right_shoulder"]]), _LEFT
        )
    joint = roles[role]
    upper = roles["chest"] if role == "spine" else roles.get("head", joint)
    line = above @ (place[upper] - place[joint])
    if role == "neck" and reference.stance:
        bent = line.any() and _tilt(line, _UP) > 40.0
        return _swing(line, _UP) if bent else _IDENTITY
    middle = line * [0.0, 1.0, 1.0]
    return _IDENTITY if _length(middle) < 1e-9 else _swing(line, middle)


def _toe_vector(skeleton: Skeleton, reference: ReferencePose, side: str) -> Floats | None:
    """Return (3,) from the ankle to the ball of the foot or its end site; None without either."""
    ankle = skeleton.roles[f"{side}_ankle"]
    toe = skeleton.roles.get(f"{side}_toe")
    if toe is not None:
        return np.asarray(reference.positions[toe] - reference.positions[ankle])
    ends = [e for e, j in enumerate(skeleton.end_joints) if j == ankle]
    if not ends:
        return None
    vectors = [np.asarray(reference.tips[e] - reference.positions[ankle]) for e in ends]
    return max(vectors, key=lambda v: float(v @ v))


def _trunk_top(skeleton: Skeleton, place: Floats) -> Floats:
    """Return (3,) the middle of the shoulders, which every humanoid has."""
    return _middle(place, skeleton.roles, "shoulder")


def _middle(place: Floats, roles: Mapping[str, int], part: str) -> Floats:
    return np.asarray(0.5 * (place[roles[f"left_{part}"]] + place[roles[f"right_{part}"]]))


def _unit(vector: Floats) -> Floats:
    length = _length(vector)
    return vector / length if length > 0.0 else vector


def _length(vector: Floats) -> float:
    return math.sqrt(vector @ vector)


def _cross(a: Floats, b: Floats) -> Floats:
    """Return the cross product of two vectors (3,); numpy's own is made for large arrays."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def _tilt(a: Floats, b: Floats) -> float:
    """Return the angle between two vectors in degrees; 180 when one has no length."""
    size = math.sqrt((a @ a) * (b @ b))
    return math.degrees(math.acos(min(max(float(a @ b) / size, -1.0), 1.0))) if size else 180.0


def _swing(a: Floats, b: Floats) -> Floats:
    """Return (3, 3) the smallest rotation from direction `a` to `b`; none if tiny."""
    u, v = _unit(a), _unit(b)
    axis = _cross(u, v)
    sine, cosine = _length(axis), float(u @ v)
    if math.atan2(sine, cosine) < _SNAP:
        return _IDENTITY
    if sine < 1e-9:  # straight back: turn about the vertical, or about x for vertical bones
        half = _UP if abs(u[1]) < 0.5 else _LEFT
        half = _unit(half - u * float(half @ u))
        return np.asarray(2.0 * np.outer(half, half) - _IDENTITY)
    x, y, z = (axis / sine).tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(_IDENTITY + sine * cross + (1.0 - cosine) * (cross @ cross))


def _snap(turn: Floats) -> Floats:
    """Return `turn` (3, 3), or exactly the identity when it is within the snapping angle of it."""
    off = math.acos(min(max(0.5 * (float(np.trace(turn)) - 1.0), -1.0), 1.0))
    return _IDENTITY if off < _SNAP else turn
