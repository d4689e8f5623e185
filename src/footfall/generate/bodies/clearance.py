"""Limbs that keep clear: a swinging foot goes round the leg that stands, arms stay off the body.

Bodies have thickness, which angles do not know: parts are balls and thick lines here.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.body.feet import Foot
from footfall.body.kinematics import WorldPoses
from footfall.body.posture import segment_distances
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.generate.bodies.limbs import cover
from footfall.generate.feet.foot_path import FootPath, sole_points
from footfall.generate.sides import SIGNS
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.easing import smoothstep
from footfall.maths.runs import runs

_FOOT = (0.0347, 0.0357, 0.0367, 0.0367)
_SHANK = (0.038, 0.0405, 0.043, 0.0495, 0.056, 0.059, 0.062, 0.061, 0.06)
"""How thick the foot from heel to ball, and the shank from ankle to knee, are at even shares:
radii, leg lengths."""
_MARGIN = 0.018
_SMOOTH_S = 0.05
_EASE = 0.2
"""The share of a swing at either end in which the detour begins and ends."""
_MOST = 0.12
"""No foot goes further round than this, leg lengths."""
_ARM_BALLS = ((0.0, 0.04), (0.5, 0.04), (1.0, 0.03), (1.5, 0.028), (2.0, 0.022))
_THIGH_BALLS = ((0.0, 0.086), (0.33, 0.082), (0.67, 0.069), (1.0, 0.06))
_TRUNK_BALLS = (
    ("hips", "spine", 0.0, 0.126, 0.06), ("hips", "spine", 1.0, 0.106, 0.055),
    ("spine", "chest", 0.5, 0.09, 0.045), ("spine", "chest", 1.0, 0.114, 0.06),
)  # fmt: skip
"""Places from elbow (0) to wrist (1) to finger tips (2), from hip to knee, and along the spine,
with radii and, of the trunk, how far to either side there is another ball: leg lengths."""
_ARM_SMOOTH_S, _ARM_MARGIN, _ARM_REACH = 0.1, 0.012, 0.3
_FLESH = 1.15
"""Of stouter bodies arms press in what is thicker than this."""
_ARM_RADII = (0.042, 0.038, 0.026)
_BODY_LINES = (
    ("left_hip", "left_knee", 0.066), ("right_hip", "right_knee", 0.066),
    ("left_knee", "left_ankle", 0.05), ("right_knee", "right_ankle", 0.05),
    ("left_hip", "right_hip", 0.09), ("spine", "chest", 0.09), ("chest", "neck", 0.1),
    ("head", "head", 0.09),
)  # fmt: skip
"""Upper arm, forearm and hand, and lines from joint to joint: how thick they are, metres, of a slim
adult of the mean size."""
_PAIRS = [(0, j) for j in (0, 1, 4, 5)] + [(i, j) for i in (1, 2) for j in range(len(_BODY_LINES))]
"""What each part of an arm must keep clear of; the upper arm lies against the chest."""


def part_legs(
    poses: WorldPoses, feet: Sequence[Foot], paths: Sequence[FootPath], rate: float, leg_m: float
) -> list[FootPath]:
    """The paths with swings that keep clear of the other leg, as it is in `poses`."""
    legs = [_leg_balls(poses, foot, path) for foot, path in zip(feet, paths, strict=True)]
    radii = leg_m * np.array([*_FOOT, *_SHANK])
    left = quat.rotate(quat.from_yaw(quat.yaw_of(poses.rotations[:, 0])), np.array([1.0, 0.0, 0.0]))
    short = _shortage(legs[0], radii, legs[1], radii, _MARGIN * leg_m)
    if not short.any():
        return list(paths)
    out = []
    for n, (path, sign) in enumerate(zip(paths, SIGNS, strict=True)):
        other_swings = ~paths[1 - n].held
        detour = np.zeros(len(short))
        for first, stop in runs(~path.held):
            if first > 0 and stop < len(short) and short[first:stop].any():
                share = np.where(other_swings[first:stop], 0.6, 1.0)
                detour[first:stop] = _detour(share * short[first:stop], rate)
        shift = sign * np.minimum(detour, _MOST * leg_m)[:, None] * left
        out.append(replace(path, ankle=path.ankle + shift))
    return out


def _leg_balls(poses: WorldPoses, foot: Foot, path: FootPath) -> Floats:
    """(T, N, 3) centres of balls that make up a foot and a shank."""
    sole = sole_points(foot, path)
    raised = quat.rotate(path.turned, np.array([0.0, -0.4 * foot.heel[1], 0.0]))
    heel, ball = sole[:, 0] + raised, sole[:, 1] + raised
    knee, ankle = poses.positions[:, foot.knee], path.ankle
    lines = ((heel, ball, _FOOT), (ankle, knee, _SHANK))
    return np.stack(
        [a + share * (b - a) for a, b, radii in lines for share in np.linspace(0, 1, len(radii))],
        axis=1,
    )


def part_arms(
    character: Skeleton, poses: WorldPoses, rotations: Floats, rate: float, leg_m: float
) -> Floats:
    """(T, J, 4) the local rotations with arms that keep off trunk and thighs.

    Where a forearm or hand is too close the shoulder turns out and lifts, smoothly in time.
    """
    body, thick = _body_balls(character, poses, leg_m)
    width = max(1, round(_ARM_SMOOTH_S * rate))
    out = rotations
    for side, sign in zip(SIDES, SIGNS, strict=True):
        _, elbow, wrist, tips = _arm_points(character, poses, side)
        arm = np.stack([_along(elbow, wrist, tips, share) for share, _ in _ARM_BALLS], axis=1)
        radii = leg_m * np.array([r for _, r in _ARM_BALLS])
        short = _shortage(arm, radii, body, thick, _ARM_MARGIN * leg_m)
        if not short.any():
            continue
        angle = cover(short, width, 0.6 * width) / (_ARM_REACH * leg_m)
        joint = character.role(f"{side}_shoulder")
        lifted = quat.multiply(quat.about_axis(2, 0.6 * sign * angle), out[:, joint])
        out = out.copy() if out is rotations else out
        out[:, joint] = quat.multiply(lifted, quat.about_axis(0, -0.8 * angle))
    return out


def arms_in_thighs(character: Skeleton, poses: WorldPoses, leg_m: float) -> bool:
    """Whether a forearm or hand is in a thigh of a slim adult."""
    along, down = np.linspace(0.0, 2.0, 11), np.linspace(0.0, 1.0, 8)
    radii = leg_m * np.interp(along, *np.array(_ARM_BALLS).T)
    thick = leg_m * np.interp(down, *np.array(_THIGH_BALLS).T)
    for side, other in itertools.product(SIDES, SIDES):
        _, elbow, wrist, tips = _arm_points(character, poses, side)
        arm = np.stack([_along(elbow, wrist, tips, float(share)) for share in along], axis=1)
        hip, knee = (poses.positions[:, character.role(f"{other}_{p}")] for p in ("hip", "knee"))
        thigh = hip[:, None] + down[:, None] * (knee - hip)[:, None]
        if _shortage(arm, radii, thigh, thick, 0.0).any():
            return True
    return False


def _arm_points(character: Skeleton, poses: WorldPoses, side: str) -> list[Floats]:
    """(T, 3) shoulder, elbow, wrist and finger tips."""
    joints = [character.role(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist")]
    hand = joints[-1]
    tip = character.end_offsets[character.end_joints == hand][0]
    tips = poses.positions[:, hand] + quat.rotate(poses.rotations[:, hand], tip)
    return [*(poses.positions[:, joint] for joint in joints), tips]


def _along(elbow: Floats, wrist: Floats, tips: Floats, share: float) -> Floats:
    if share <= 1.0:
        return elbow + share * (wrist - elbow)
    return wrist + (share - 1.0) * (tips - wrist)


def _body_balls(character: Skeleton, poses: WorldPoses, leg_m: float) -> tuple[Floats, Floats]:
    """(T, N, 3) centres and (N,) radii of balls that make up thighs and trunk."""
    place = {role: poses.positions[:, joint] for role, joint in character.roles.items()}
    centres, radii = [], []
    for side in SIDES:
        hip, knee = place[f"{side}_hip"], place[f"{side}_knee"]
        centres += [hip + share * (knee - hip) for share, _ in _THIGH_BALLS]
        radii += [radius for _, radius in _THIGH_BALLS]
    left = quat.rotate(poses.rotations[:, character.role("hips")], np.array([leg_m, 0.0, 0.0]))
    for low, high, share, radius, wide in _TRUNK_BALLS:
        middle = place[low] + share * (place[high] - place[low])
        centres += [middle + k * wide * left for k in (-1.0, 0.0, 1.0)]
        radii += [radius] * 3
    flesh = min(max(character.girth, 1.0), _FLESH)
    return np.stack(centres, axis=1), leg_m * flesh * np.array(radii)


def _shortage(one: Floats, radii: Floats, two: Floats, others: Floats, margin: float) -> Floats:
    """(T,) how much closer than they may, metres, the balls (T, N, 3) of two parts are."""
    x, y, z = (one[:, :, None, k] - two[:, None, :, k] for k in range(3))
    gaps = np.sqrt(x * x + y * y + z * z)
    deep = np.asarray((radii[:, None] + others - gaps).max(axis=(1, 2)))
    return np.maximum(margin + deep, 0.0)


def _detour(short: Floats, rate: float) -> Floats:
    """(N,) how far to the side a swing of N frames goes to be nowhere too close, smoothly."""
    width = max(1, round(_SMOOTH_S * rate))
    u = (np.arange(len(short)) + 1.0) / (len(short) + 1.0)
    return cover(short, width, 0.7 * width) * smoothstep(np.minimum(u, 1.0 - u) / _EASE)


def arm_depths(character: Skeleton, poses: WorldPoses, leg_m: float) -> list[Floats]:
    """(T,) how deep, metres, the left and the right arm are in trunk, legs or head; negative is
    the gap."""
    size = leg_m / MEAN_LEG_M
    places = {role: poses.positions[:, joint] for role, joint in character.roles.items()}
    body = [(places[a], places[b]) for a, b, _ in _BODY_LINES]
    (left, right), (chest, neck) = body[4], body[6]
    body[4] = (0.75 * left + 0.25 * right, 0.25 * left + 0.75 * right)
    body[6] = (chest, 0.4 * chest + 0.6 * neck)
    thick = np.array([size * _ARM_RADII[i] + size * _BODY_LINES[j][2] for i, j in _PAIRS])
    found = []
    for side in SIDES:
        points = _arm_points(character, poses, side)
        arm = list(itertools.pairwise(points))
        pairs = [(*arm[i], *body[j]) for i, j in _PAIRS]
        ends = (np.concatenate(points) for points in zip(*pairs, strict=True))
        gaps = segment_distances(*ends).reshape(len(pairs), -1)
        found.append((thick[:, None] - gaps).max(axis=0))
    return found
