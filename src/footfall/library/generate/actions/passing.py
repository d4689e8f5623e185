"""Limbs that pass: a swinging foot goes round the leg that stands, arms keep off the body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from footfall.adapt.holds import Foot
from footfall.body.kinematics import WorldPoses
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.gait.runs import runs
from footfall.library.generate.foot_tracks import FootTrack, sole_points
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats

_FOOT = (0.0347, 0.0367, 0.0367)
_SHANK = (0.038, 0.043, 0.056, 0.062, 0.06)
"""How thick heel, middle and ball, and the shank from ankle to knee, are: radii, leg lengths."""
_MARGIN = 0.018
_SMOOTH_S = 0.05
_EASE = 0.2
"""The share of a swing at either end in which the way round begins and ends."""
_MOST = 0.12
"""No foot goes further round than this, leg lengths."""
_ARM = ((0.0, 0.04), (0.5, 0.04), (1.0, 0.03), (1.5, 0.028), (2.0, 0.022))
_THIGH = ((0.0, 0.086), (0.33, 0.082), (0.67, 0.069), (1.0, 0.06))
_TRUNK = (("hips", "spine", 0.0, 0.126, 0.06), ("hips", "spine", 1.0, 0.106, 0.055),
          ("spine", "chest", 0.5, 0.09, 0.045), ("spine", "chest", 1.0, 0.114, 0.06))  # fmt: skip
"""Places from elbow (0) to wrist (1) to finger tips (2), from hip to knee, and along the spine,
with radii and, of the trunk, how far to either side there is another ball: leg lengths."""
_ARM_SMOOTH_S, _ARM_MARGIN, _ARM_REACH = 0.1, 0.012, 0.3


def passing(
    poses: WorldPoses, feet: list[Foot], tracks: list[FootTrack], held: Bools, rate: float,
    leg_m: float,
) -> list[FootTrack]:  # fmt: skip
    """The tracks with swings that keep clear of the other leg, as it is in `poses`."""
    legs = [_balls(poses, foot, track) for foot, track in zip(feet, tracks, strict=True)]
    radii = leg_m * np.array([*_FOOT, *_SHANK])
    left = quat.rotate(quat.from_yaw(quat.yaw_of(poses.rotations[:, 0])), np.array([1.0, 0.0, 0.0]))
    short = _short(legs[0], legs[1], radii, _MARGIN * leg_m)
    if not short.any():
        return tracks
    out = []
    for n, (track, sign) in enumerate(zip(tracks, (1.0, -1.0), strict=True)):
        other_swings = ~held[:, 1 - n]
        way = np.zeros(len(short))
        for first, stop in runs(~held[:, n]):
            if first > 0 and stop < len(short) and short[first:stop].any():
                share = np.where(other_swings[first:stop], 0.6, 1.0)
                way[first:stop] = _round(share * short[first:stop], rate)
        shift = sign * np.minimum(way, _MOST * leg_m)[:, None] * left
        out.append(replace(track, ankle=track.ankle + shift))
    return out


def _balls(poses: WorldPoses, foot: Foot, track: FootTrack) -> Floats:
    """(T, 8, 3) centres of balls that make up a foot and a shank."""
    sole = sole_points(foot, track.ankle, track.turned, track.toes_up)
    raised = quat.rotate(track.turned, np.array([0.0, -0.4 * foot.heel[1], 0.0]))
    heel, ball = sole[:, 0] + raised, sole[:, 1] + raised
    knee, ankle = poses.positions[:, foot.knee], track.ankle
    shank = [ankle + share * (knee - ankle) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return np.stack([heel, 0.5 * (heel + ball), ball, *shank], axis=1)


def arms_off(
    character: Skeleton, poses: WorldPoses, rotations: Floats, rate: float, leg_m: float
) -> Floats:
    """(T, J, 4) the local rotations with arms that keep off trunk and thighs.

    Where a forearm or hand is too close the shoulder turns out and lifts, smoothly in time.
    """
    body, thick = _body(character, poses, leg_m)
    out = rotations
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        elbow, wrist = (
            poses.positions[:, character.role(f"{side}_{p}")] for p in ("elbow", "wrist")
        )
        hand = character.role(f"{side}_wrist")
        tip = character.end_offsets[character.end_joints == hand][0]
        tips = wrist + quat.rotate(poses.rotations[:, hand], tip)
        arm = np.stack([_along(elbow, wrist, tips, share) for share, _ in _ARM], axis=1)
        radii = leg_m * np.array([r for _, r in _ARM])
        short = _short(arm, body, radii, _ARM_MARGIN * leg_m, thick)
        if not short.any():
            continue
        width = max(1, round(_ARM_SMOOTH_S * rate))
        need = gaussian_filter1d(
            maximum_filter1d(short, 2 * width + 1), 0.6 * width, mode="nearest"
        )
        angle = need / (_ARM_REACH * leg_m)
        joint = character.role(f"{side}_shoulder")
        lifted = quat.multiply(_turn((0.0, 0.0, 1.0), 0.6 * sign * angle), out[:, joint])
        out = out.copy() if out is rotations else out
        out[:, joint] = quat.multiply(lifted, _turn((1.0, 0.0, 0.0), -0.8 * angle))
    return out


def _turn(axis: tuple[float, float, float], angle: Floats) -> Floats:
    return quat.from_axis_angle(np.array(axis), angle)


def _along(elbow: Floats, wrist: Floats, tips: Floats, share: float) -> Floats:
    if share <= 1.0:
        return elbow + share * (wrist - elbow)
    return wrist + (share - 1.0) * (tips - wrist)


def _body(character: Skeleton, poses: WorldPoses, leg_m: float) -> tuple[Floats, Floats]:
    """(T, N, 3) centres and (N,) radii of balls that make up thighs and trunk."""
    place = {role: poses.positions[:, joint] for role, joint in character.roles.items()}
    centres, radii = [], []
    for side in SIDES:
        hip, knee = place[f"{side}_hip"], place[f"{side}_knee"]
        centres += [hip + share * (knee - hip) for share, _ in _THIGH]
        radii += [radius for _, radius in _THIGH]
    left = quat.rotate(poses.rotations[:, character.role("hips")], np.array([leg_m, 0.0, 0.0]))
    for low, high, share, radius, wide in _TRUNK:
        middle = place[low] + share * (place[high] - place[low])
        centres += [middle + k * wide * left for k in (-1.0, 0.0, 1.0)]
        radii += [radius] * 3
    return np.stack(centres, axis=1), leg_m * np.array(radii)


def _short(
    one: Floats, two: Floats, radii: Floats, margin: float, others: Floats | None = None
) -> Floats:
    """(T,) how much closer than they may the balls of one and of another part are, metres."""
    from footfall.adapt.leg_kernels import nearest_balls

    gap = np.empty(len(one))
    nearest_balls(one, two, radii, radii if others is None else others, gap)
    return np.maximum(margin - gap, 0.0)


def _round(short: Floats, rate: float) -> Floats:
    """(N,) how far to the side a swing of N frames goes to be nowhere too close, smoothly."""
    width = max(1, round(_SMOOTH_S * rate))
    need = gaussian_filter1d(maximum_filter1d(short, 2 * width + 1), 0.7 * width, mode="nearest")
    u = (np.arange(len(short)) + 1.0) / (len(short) + 1.0)
    v = np.clip(np.minimum(u, 1.0 - u) / _EASE, 0.0, 1.0)
    return np.asarray(need * v * v * (3.0 - 2.0 * v))
