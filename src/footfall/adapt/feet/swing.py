"""Swings over uneven ground: a foot on its way from hold to hold goes over what is in between.

A walk that was captured on level ground swings its feet a few centimetres above it. On stairs
and rough ground that is not enough, so here the way of a swinging foot is changed: it leaves its
hold later and comes to the next one earlier, keeping its pose meanwhile, so that it goes up
before it goes over an edge and comes down behind it; and it is lifted until every point of the
sole clears the ground. A swing that the clip's beginning or end cuts off goes to the height of
the ground that it is over there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from footfall.adapt.feet.constants import FeetConstants
from footfall.adapt.feet.holds import GroundSurface, Holds
from footfall.adapt.feet.track import FootTrack, since
from footfall.body.feet import Foot, foot_of
from footfall.body.kinematics import WorldPoses
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.easing import smoothstep
from footfall.maths.filters import running_max, smooth_gaussian

Frames = NDArray[np.intp]

_PEAK_S = 0.1
"""How long around the moment that needs it a lift lasts at least."""
_LATER = np.linspace(0.0, 1.0, 5)
"""How much of the most it can a foot leaves later or comes earlier: as little as is enough."""
_LEAVE_S, _COME_S = 0.025, 0.01
"""How soon after a hold, or before one, a foot can be where the hold has it: one that leaves is
under way already, one that comes is slow."""
_SWING_S = 0.5
"""How long a swing lasts that the clip cuts off."""
_UNSEEN_M = 0.002
_HEEL_TO_BALL, _BALL_TO_TIP = np.linspace(0.0, 1.0, 6), np.linspace(0.25, 1.0, 4)


def clear_swings(
    foot: Foot,
    poses: WorldPoses,
    holds: Holds,
    track: FootTrack,
    ground: GroundSurface,
    fps: float,
    options: FeetConstants,
    strides: float = 1.0,
) -> FootTrack:
    """Return a foot's track whose swings clear the ground; where it is held it stays as it is.

    strides  how long strides are against those of `poses`: swings that are cut off as well
    """
    held = holds.held
    if len(holds) == 0 or held.all():
        return track
    sole = _Sole(foot, poses, np.flatnonzero(~held), ground, options.clearance * foot.leg_m)
    track = replace(track, ankle=_shorten_beyond(poses, held, track.ankle, strides))
    track = replace(track, ankle=_follow_ground_beyond(sole, holds, track, options))
    near = smoothstep(_frames_apart(held) / (options.near_s * fps))
    dip, most = sole.dips(track), _most_lifts(held, options.most_lift * foot.leg_m)
    brush_m = options.brush * foot.leg_m
    if _clearance_deficit(dip, near, most, brush_m).any():
        track = _leave_late_come_early(sole, held, track, near, fps, most, brush_m)
        dip = sole.dips(track)
    need = (dip - brush_m * (1.0 - near)) / np.maximum(near, 0.05)
    if not (need > 0.0).any():
        return track
    half = max(1, round(_PEAK_S * fps))
    lift = running_max(np.clip(need, 0.0, most), half)
    ankle = np.array(track.ankle)
    ankle[:, 1] += near * smooth_gaussian(lift, 0.25 * half)
    return replace(track, ankle=ankle)


@dataclass(frozen=True, eq=False)
class _Sole:
    """The sole of a foot over a ground, at the frames `at` (N,) at which it swings."""

    foot: Foot
    poses: WorldPoses
    at: Frames
    ground: GroundSurface
    clearance_m: float

    def points(self, track: FootTrack, at: Frames) -> Floats:
        """Return (N, P, 3) points of the sole at frames `at` (N,) of its track."""
        foot, turned, toes = self.foot, track.turned[at], None
        if foot.toe is not None:
            toes = quat.multiply(turned, track.bend[at])
        return sole_points(foot, track.ankle[at], turned, toes)

    def dips(self, track: FootTrack) -> Floats:
        """Return (T,) how far the sole is below its clearance over the ground, at least 0."""
        dip = np.zeros(len(track.ankle))
        deep = depths_in_ground(self.points(track, self.at), self.ground)
        dip[self.at] = np.maximum(deep + self.clearance_m, 0.0)
        return dip


def sole_points(foot: Foot, ankle: Floats, turned: Floats, toes: Floats | None) -> Floats:
    """Return (N, P, 3) points of the sole from heel to tip.

    ankle   (N, 3) where the ankle is
    turned  (N, 4) the orientation of the foot, and `toes` that of the toes if they are apart
    """
    heel, ball, tip = (quat.rotate(turned, p) for p in (foot.heel, foot.ball, foot.tip))
    toe_ball = ball
    if toes is not None:
        bend = quat.rotate(turned, foot.ball_joint)
        toe_ball, tip = (
            bend + quat.rotate(toes, p - foot.ball_joint) for p in (foot.ball, foot.tip)
        )
    # Points of a line turn as its ends do.
    rigid = heel[:, None] + _HEEL_TO_BALL[:, None] * (ball - heel)[:, None]
    front = toe_ball[:, None] + _BALL_TO_TIP[:, None] * (tip - toe_ball)[:, None]
    return np.concatenate([rigid, front], axis=1) + ankle[:, None]


def sole_depths(skeleton: Skeleton, poses: WorldPoses, ground: GroundSurface) -> Floats:
    """Return (2, T) how far the sole of each foot is in the ground, metres; negative: above it."""
    depths = []
    for foot in (foot_of(skeleton, side) for side in SIDES):
        ankle, turned = poses.positions[:, foot.ankle], poses.rotations[:, foot.ankle]
        toes = None if foot.toe is None else poses.rotations[:, foot.toe]
        depths.append(depths_in_ground(sole_points(foot, ankle, turned, toes), ground))
    return np.stack(depths)


def depths_in_ground(points: Floats, ground: GroundSurface) -> Floats:
    """Return (N,) how far the deepest of points (N, P, 3) is in the ground; negative: above it."""
    floor = ground.height(points[..., [0, 2]].reshape(-1, 2)).reshape(points.shape[:2])
    under = np.where(np.isfinite(floor), floor, -np.inf) - points[..., 1]
    return np.asarray(under.max(axis=1))


def _most_lifts(held: Bools, most_m: float) -> Floats:
    """Return (T,) how far a foot may be lifted; more where no later hold limits the height."""
    known, frames = np.flatnonzero(held), np.arange(len(held))
    return np.where((frames < known[0]) | (frames > known[-1]), 2.0 * most_m, most_m)


def _clearance_deficit(dip: Floats, near: Floats, most: Floats, brush_m: float) -> Floats:
    """Return (T,) what is missing to the clearance where a foot is lifted as far as can be."""
    return np.maximum(dip - np.maximum(most * near, brush_m), 0.0)


def _shorten_beyond(poses: WorldPoses, held: Bools, ankle: Floats, strides: float) -> Floats:
    """Return (T, 3) ankles that lead the body by less in a first or last swing that is cut off."""
    known, out = np.flatnonzero(held), np.array(ankle)
    body = poses.positions[:, 0]
    for edge, rest in ((known[0], slice(0, known[0])), (known[-1], slice(known[-1] + 1, None))):
        own, carried = ankle[rest] - ankle[edge], body[rest] - body[edge]
        level = ankle[edge] + strides * own + (1.0 - strides) * carried
        out[rest, 0], out[rest, 2] = level[:, 0], level[:, 2]
    return out


def _follow_ground_beyond(
    sole: _Sole, holds: Holds, track: FootTrack, options: FeetConstants
) -> Floats:
    """Return (T, 3) ankles whose first and last swing, if cut off, end over the ground there."""
    ankle, known = np.array(track.ankle), np.flatnonzero(holds.held)
    leg_m = sole.foot.leg_m
    for hold, edge, end in ((0, known[0], 0), (-1, known[-1], len(ankle) - 1)):
        if edge == end:
            continue
        later = np.linspace(end, 0.5 * (edge + end), 6).astype(np.intp)
        floor = sole.ground.height(sole.points(track, later)[..., [0, 2]].reshape(-1, 2))
        if not np.isfinite(floor).any():
            continue
        rise = float(np.nanmax(floor)) - float(holds.spots[hold, 1])
        rise = min(max(rise, -options.most_down * leg_m), options.most_up * leg_m)
        between = np.arange(min(edge, end), max(edge, end) + 1)
        ankle[between, 1] += rise * smoothstep((between - edge) / (end - edge))
    return ankle


def _leave_late_come_early(
    sole: _Sole, held: Bools, track: FootTrack, near: Floats, fps: float, most: Floats,
    brush_m: float,
) -> FootTrack:  # fmt: skip
    """Return the track with swings that keep longer to the places they leave and come to.

    Each swing has its own share of the most that it can, one for its beginning and one for its
    end: the least that lets the foot go over what is in its way.
    """
    ago, until = since(held), since(held[::-1])[::-1]
    swing = np.cumsum(np.diff(held.astype(np.int8), prepend=0) < 0)
    best = np.zeros((2, len(held)))
    found = np.full((2, len(held)), np.inf)
    for share in _LATER:
        both = np.full(len(held), share)
        moved = _at_times(track, _late_times(ago, until, fps, both, both))
        missing = _clearance_deficit(sole.dips(moved), near, most, brush_m)
        for k, part in enumerate((ago <= until, until < ago)):
            total = np.bincount(swing, np.where(part, missing, 0.0))[swing]
            better = total < found[k] - _UNSEEN_M
            best[k] = np.where(better, share, best[k])
            found[k] = np.where(better, total, found[k])
    return _at_times(track, _late_times(ago, until, fps, *best))


def _late_times(ago: Floats, until: Floats, fps: float, late: Floats, early: Floats) -> Floats:
    """Return (T,) the track's frame to show at each frame, for shares (T,) of delay and advance.

    ago, until  (T,) frames since the last hold and until the next one, very many where none
    """
    whole = ago + until
    whole = np.where(whole > len(ago), _SWING_S * fps, np.maximum(whole, 1.0))

    def delay(share: Floats, apart: Floats, slack_s: float) -> Floats:
        return share * apart**2 / (apart + slack_s * fps) * (1.0 - smoothstep(apart / whole))

    times = np.arange(len(ago)) - delay(late, ago, _LEAVE_S) + delay(early, until, _COME_S)
    return np.clip(times, 0.0, len(ago) - 1.0)


def _at_times(track: FootTrack, times: Floats) -> FootTrack:
    """Return the track with ankles kept over the ground and feet as at other fractional frames."""
    first = np.minimum(times.astype(np.intp), max(len(times) - 2, 0))
    share = times - first
    after = np.minimum(first + 1, len(times) - 1)
    ankle = np.array(track.ankle)
    level = track.ankle[:, [0, 2]]
    ankle[:, [0, 2]] = level[first] + share[:, None] * (level[after] - level[first])
    turned = quat.slerp(track.turned[first], track.turned[after], share)
    bend = quat.slerp(track.bend[first], track.bend[after], share)
    return replace(track, ankle=ankle, turned=turned, bend=bend)


def _frames_apart(held: Bools) -> Floats:
    """Return (T,) how many frames the nearest hold is away."""
    return np.minimum(since(held), since(held[::-1])[::-1])
