"""Feet that stay put: stance feet pinned and rolled from heel to toe, legs following."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from footfall.body.feet import foot_points
from footfall.body.ik import LimbPose, reach
from footfall.body.kinematics import WorldPoses, forward_kinematics
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats

_FLAT_WITHIN_RAD = np.radians(2.5)
_REACH = 0.999
_MOST_EXTRA_RAD = np.radians(50.0)
_X_AXIS = np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Planted:
    """The motion with planted feet: root (T, 3), rotations (T, J, 4), contacts (T, 4)."""

    root: Floats
    rotations: Floats
    contacts: Bools


@dataclass(frozen=True, eq=False)
class _FootTrack:
    """Where a foot goes: ankle positions (T, 3), orientations (T, 4), heel-up angle (T,)."""

    ankle: Floats
    orientation: Floats
    heel_up: Floats
    heel_on: Bools
    toe_on: Bools


def plant_feet(
    figure: Skeleton, fps: float, root: Floats, rotations: Floats, contacts: Bools
) -> Planted:
    """Pin the feet while `contacts` (T, 2: left, right) says so, on flat ground at y = 0."""
    poses = forward_kinematics(figure, root, rotations)
    tracks = [
        _foot_track(figure, poses, side, contacts[:, column], fps)
        for column, side in enumerate(("left", "right"))
    ]
    root = root - _lowering(figure, poses, tracks, fps)[:, None] * np.array([0.0, 1.0, 0.0])
    poses = forward_kinematics(figure, root, rotations)
    rotations = rotations.copy()
    for side, track in zip(("left", "right"), tracks, strict=True):
        _follow(figure, poses, rotations, side, track, fps)
    columns = [tracks[0].heel_on, tracks[0].toe_on, tracks[1].heel_on, tracks[1].toe_on]
    return Planted(root, rotations, np.stack(columns, axis=1))


def _foot_track(
    figure: Skeleton, poses: WorldPoses, side: str, touching: Bools, fps: float
) -> _FootTrack:
    ankle_joint = figure.role(f"{side}_ankle")
    raw, turned = poses.positions[:, ankle_joint], poses.rotations[:, ankle_joint]
    heel = foot_points(figure).side(side)[0].offset
    ball = figure.offsets[figure.role(f"{side}_toe")]
    ball_height = ball[1] - heel[1]
    forward = quat.rotate(turned, np.array([0.0, 0.0, 1.0]))
    heel_up = _soft_zone(-np.arcsin(np.clip(forward[:, 1], -1.0, 1.0)), _FLAT_WITHIN_RAD)
    ankle, orientation = raw.copy(), turned.copy()
    hip, _, _, thigh, shank = _leg(figure, side)
    for start, stop in _runs(touching):
        span = slice(start, stop)
        flat = quat.from_yaw(_mean_yaw(forward[span]))
        level = np.abs(heel_up[span]) < 1e-9
        toes = raw[span] + quat.rotate(turned[span], ball)
        place = toes[level if level.any() else slice(None)].mean(axis=0)
        footprint = _Footprint(np.array([place[0], ball_height, place[2]]), flat, heel, ball)
        rise = _rise_to_reach(
            footprint, poses.positions[span, hip], heel_up[span], _REACH * (thigh + shank)
        )
        heel_up[span] = np.maximum(heel_up[span], gaussian_filter1d(rise, 0.02 * fps))
        ankle[span], orientation[span] = footprint.foot(heel_up[span])
    _carry_through_swing(raw, turned, ankle, orientation, touching)
    under_ball = np.array([ball[0], heel[1], ball[2]])
    _clear_the_floor(ankle, orientation, np.stack([heel, under_ball]), touching, fps)
    return _FootTrack(
        ankle, orientation, heel_up, touching & (heel_up <= 0.0), touching & (heel_up >= 0.0)
    )


@dataclass(frozen=True, eq=False)
class _Footprint:
    """Where a foot stands: the ball's spot (3,) and the flat orientation (4,).

    `heel` (the sole under it) and `ball` (the joint, about which the foot rises while the toes
    stay flat) are points of the foot, (3,) from the ankle.
    """

    ball_spot: Floats
    flat: Floats
    heel: Floats
    ball: Floats

    def foot(self, heel_up: Floats) -> tuple[Floats, Floats]:
        """Ankle (T, 3) and orientation (T, 4): rolled about the heel, then about the ball."""
        level = np.array([1.0, 0.0, 1.0])
        heel_spot = self.ball_spot * level + quat.rotate(self.flat, (self.heel - self.ball) * level)
        turned = quat.multiply(self.flat, quat.from_axis_angle(_X_AXIS, heel_up))
        on_ball = (heel_up >= 0.0)[:, None]
        pivot = np.where(on_ball, self.ball_spot, heel_spot)
        arm = np.where(on_ball, self.ball, self.heel)
        return pivot - quat.rotate(turned, arm), turned


def _rise_to_reach(footprint: _Footprint, hip: Floats, heel_up: Floats, reach: float) -> Floats:
    """(T,) the least heel-up angle with which the leg reaches; people lift the heel, not sink."""
    low, high = heel_up.copy(), heel_up + _MOST_EXTRA_RAD
    for _ in range(20):
        middle = 0.5 * (low + high)
        far = np.linalg.norm(footprint.foot(middle)[0] - hip, axis=1) > reach
        low, high = np.where(far, middle, low), np.where(far, high, middle)
    fits = np.linalg.norm(footprint.foot(heel_up)[0] - hip, axis=1) <= reach
    return np.where(fits | (heel_up < 0.0), heel_up, high)


def _soft_zone(angle: Floats, zone: float) -> Floats:
    """Angles within ±zone become zero; larger ones join their own value smoothly by twice that."""
    size = np.abs(angle)
    u = np.clip((size - zone) / zone, 0.0, 1.0)
    return np.where(size < zone, 0.0, np.sign(angle) * size * u * u * (3.0 - 2.0 * u))


def _runs(mask: Bools) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _mean_yaw(forward: Floats) -> float:
    middle = forward[len(forward) // 4 : max(len(forward) * 3 // 4, len(forward) // 4 + 1)]
    return float(np.arctan2(middle[:, 0].mean(), middle[:, 2].mean()))


def _carry_through_swing(
    raw: Floats, turned: Floats, ankle: Floats, orientation: Floats, touching: Bools
) -> None:
    """Between stances the foot keeps its own path plus a correction that joins C¹ at both ends."""
    frames = np.arange(len(raw))
    moved = ankle - raw
    twisted = quat.to_rotation_vector(quat.multiply(orientation, quat.conjugate(turned)))
    for values in (moved, twisted):
        known = np.flatnonzero(touching)
        if known.size == 0:
            return
        slopes = np.zeros_like(values)
        for start, stop in _runs(touching):
            if stop - start > 1:
                slopes[start:stop] = 0.5 * np.gradient(values[start:stop], axis=0)
        for start, stop in _runs(~touching):
            ends = [i for i in (start - 1, stop) if 0 <= i < len(raw)]
            if len(ends) == 1:
                values[start:stop] = values[ends[0]]
            else:
                spline = CubicHermiteSpline(ends, values[ends], slopes[ends], axis=0)
                values[start:stop] = spline(frames[start:stop])
    swing = ~touching
    ankle[swing] = raw[swing] + moved[swing]
    turn = quat.from_rotation_vector(twisted[swing])
    orientation[swing] = quat.multiply(turn, turned[swing])


def _clear_the_floor(
    ankle: Floats, orientation: Floats, sole: Floats, touching: Bools, fps: float
) -> None:
    """Lift a swinging foot whose heel or ball would dip under the floor, smoothly."""
    lowest = (ankle[:, None, 1] + quat.rotate(orientation[:, None], sole)[..., 1]).min(axis=1)
    dip = np.where(touching, 0.0, np.maximum(-lowest, 0.0))
    if not dip.any():
        return
    width = max(1, round(0.06 * fps))
    lift = gaussian_filter1d(maximum_filter1d(dip, 2 * width + 1), width / 2.0)
    gap = np.minimum(_frames_since(touching), _frames_since(touching[::-1])[::-1])
    ease = np.clip(gap / width, 0.0, 1.0)
    ankle[:, 1] += np.maximum(lift * ease * ease * (3.0 - 2.0 * ease), dip)


def _frames_since(mask: Bools) -> Floats:
    """How many frames ago `mask` was last true; large before the first time."""
    index = np.where(mask, np.arange(len(mask)), -(10**9))
    return (np.arange(len(mask)) - np.maximum.accumulate(index)).astype(np.float64)


def _leg(figure: Skeleton, side: str) -> tuple[int, int, int, float, float]:
    hip, knee, ankle = (figure.role(f"{side}_{part}") for part in ("hip", "knee", "ankle"))
    thigh, shank = (float(np.linalg.norm(figure.offsets[j])) for j in (knee, ankle))
    return hip, knee, ankle, thigh, shank


def _lowering(figure: Skeleton, poses: WorldPoses, tracks: list[_FootTrack], fps: float) -> Floats:
    """(T,) how far the body must sink so that both legs reach, smoothed over a tenth second."""
    need = np.zeros(len(poses.positions))
    for side, track in zip(("left", "right"), tracks, strict=True):
        hip, _, _, thigh, shank = _leg(figure, side)
        line = track.ankle - poses.positions[:, hip]
        level = np.hypot(line[:, 0], line[:, 2])
        drop = np.sqrt(np.maximum((_REACH * (thigh + shank)) ** 2 - level**2, 0.0))
        need = np.maximum(need, -line[:, 1] - drop)
    width = max(1, round(0.04 * fps))
    return np.asarray(gaussian_filter1d(maximum_filter1d(need, 2 * width + 1), width / 2.0))


def _follow(
    figure: Skeleton, poses: WorldPoses, rotations: Floats, side: str, track: _FootTrack, fps: float
) -> None:
    """Turn one leg's local rotations so that the foot goes where its track says."""
    hip, knee, ankle, _, _ = _leg(figure, side)
    toe = figure.role(f"{side}_toe")
    hinge = quat.rotate(poses.rotations[:, knee], _X_AXIS)
    joints, turns = poses.positions, poses.rotations
    before = LimbPose(
        joints[:, hip], joints[:, knee], joints[:, ankle], turns[:, hip], turns[:, knee], hinge
    )
    limb = reach(before, track.ankle)
    pelvis = poses.rotations[:, figure.parents[hip]]
    rotations[:, hip] = quat.multiply(quat.conjugate(pelvis), limb.upper)
    rotations[:, knee] = quat.multiply(quat.conjugate(limb.upper), limb.lower)
    rotations[:, ankle] = quat.multiply(quat.conjugate(limb.lower), track.orientation)
    flat_toes = quat.from_axis_angle(_X_AXIS, -np.maximum(track.heel_up, 0.0))
    ease = _toe_ease(track.toe_on, fps)
    rotations[:, toe] = quat.slerp(rotations[:, toe], flat_toes, ease)


def _toe_ease(on: Bools, fps: float) -> Floats:
    """1 while the toes press on the ground, easing to 0 within an eighth of a second."""
    gap = np.minimum(_frames_since(on), _frames_since(on[::-1])[::-1])
    u = np.clip(1.0 - gap / (0.125 * fps), 0.0, 1.0)
    return u * u * (3.0 - 2.0 * u)
