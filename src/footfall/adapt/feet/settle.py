"""Find the firm part of a contact, in which the foot does not move.

A contact lasts from strike to toe-off. At both ends of it the heel comes down a little off where
it will stand, the ball rises while the body rolls over the tips of the toes. A foot held exactly
in those frames stretches the leg and pulls the body down. So heel and ball are held only while
they are down, and at the ends of a contact the foot stays where it is over the ground but rises
and falls as in the source.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.adapt.feet.holds import FLAT, HEEL, Holds, fit_holds
from footfall.adapt.feet.track import ease, lengths
from footfall.body.clip import Clip
from footfall.body.feet import Foot, foot_of, leg_length
from footfall.body.kinematics import WorldPoses
from footfall.body.roles import SIDES
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.filters import smooth_gaussian
from footfall.maths.runs import mean_where, means, runs, without_short_runs

_STILL_M_S = 0.12
"""A point slower than this, for a leg of MEAN_LEG_M, has settled wherever it is …"""
_NEAR = 0.008
"""… and so has one that is nearer than this to its place, in leg lengths …"""
_LEVEL = 0.012
"""… as long as it is not further than this above or below it, in leg lengths."""
_MOST_RISE = 0.06
"""How far a foot rises at most at the ends of its contact, in leg lengths."""
_MOST_SHARE = 0.35
"""The most of a contact that is not firm at either end."""
_TILTED = 0.014
"""Of heel and ball only the lower one touches if they differ by more, in leg lengths …"""
_MOST_TILT = 0.04
"""… than in a foot that stands, whose sole may lie this much off the level."""
_STANDING_S = 0.2
"""A foot that stands still for so long shows how its sole lies when it is flat."""
_OVER_S = 0.05
"""How long around the moment in which heel and ball change over both touch."""
_SPEED_S = 0.012
"""Over which time speeds are smoothed."""


def lower_contacts(clip: Clip) -> Clip:
    """Return `clip` with contacts of only the lower of heel and ball where they differ clearly.

    Contacts are found by what stays put, and the heel of who runs on the ball of the foot does.
    """
    assert clip.contacts is not None
    if len(clip) < 3:
        return clip
    down = np.empty_like(clip.contacts)
    for k, side in enumerate(SIDES):
        columns = slice(2 * k, 2 * k + 2)
        foot, leg = foot_of(clip.skeleton, side), leg_length(clip.skeleton, side)
        touching = clip.contacts[:, columns]
        points = _points(foot, clip.world, foot.ball)
        still = np.stack([_is_still(point, clip.fps, leg) for point in points], axis=1)
        tilt = points[0, :, 1] - points[1, :, 1]
        down[:, columns] = _lower_points(tilt / leg, touching, still, clip.fps)
    return clip.with_contacts(down)


def _lower_points(tilt: Floats, touching: Bools, still: Bools, fps: float) -> Bools:
    """Return (T, 2) contacts of heel and ball; `tilt` (T,) is the heel's height above the ball."""
    stands = (touching & still).all(axis=1)
    flat = 0.0
    if np.count_nonzero(stands) >= _STANDING_S * fps:
        # Who stands on the balls of the feet now and then is not flat then.
        flat = float(np.clip(np.percentile(tilt[stands], 20.0), -_MOST_TILT, _MOST_TILT))
    heel_up = tilt > max(flat, 0.0) + _TILTED
    # Nobody stands still on the heels alone.
    resting = without_short_runs(
        np.asarray(touching.any(axis=1) & still.all(axis=1)), _STANDING_S * fps
    )
    ball_up = (tilt < min(flat, 0.0) - _TILTED) & ~resting
    touches = np.asarray(touching.any(axis=1))
    touches &= ~_find_passing_contacts(touches, still)
    down = touching & touches[:, None]
    down[touches & heel_up] = (False, True)
    down[touches & ball_up] = (True, False)
    down[touches & resting & ~heel_up] = True
    return _by_way_of_flat(down, heel_up | ball_up, fps)


def _find_passing_contacts(touches: Bools, still: Bools) -> Bools:
    """Return (T,) a contact that the clip cuts off and in which the foot never stands still."""
    passing = np.zeros(len(touches), np.bool_)
    for first, stop in runs(touches).tolist():
        if (first == 0 or stop == len(touches)) and not still[first:stop].any():
            passing[first:stop] = True
    return passing


def _by_way_of_flat(down: Bools, tilted: Bools, fps: float) -> Bools:
    """Contacts (T, 2) that go over from heel to ball, or back, through both of them."""
    alone = down[:, 0] != down[:, 1]
    over = np.flatnonzero(alone[1:] & alone[:-1] & (down[1:, 0] != down[:-1, 0]))
    if len(over):
        near = np.zeros(len(down), np.bool_)
        near[over], near[over + 1] = True, True
        both = (ease(near, _OVER_S * fps) > 0.0) & down.any(axis=1) & ~tilted
        down[both] = True
    return down


def settle_holds(foot: Foot, poses: WorldPoses, holds: Holds, fps: float, leg: float) -> Holds:
    """Return the holds, firm only from when the foot has settled until it begins to leave."""
    if len(holds) == 0 or len(holds.phases) < 3:
        return holds
    heel, ball = _points(foot, poses, foot.ball_joint)
    on_heel, on_ball = holds.phases == HEEL, holds.phases >= FLAT
    there = on_heel & _has_settled(heel, holds, on_heel | (holds.phases == FLAT), fps, leg)
    there |= on_ball & _has_settled(ball, holds, on_ball, fps, leg)
    frames, spans, owner = np.arange(len(there)), holds.spans, holds.owner
    # No more than a share of a contact is given up, whatever it does; of one that the clip
    # cuts off nobody knows the share.
    spare = np.floor(_MOST_SHARE * (spans[:, 1] - spans[:, 0]))
    early = np.where(spans[:, 1] == len(there), 2.0 * spare, spare)[owner]
    late = np.where(spans[:, 0] == 0, 2.0 * spare, spare)[owner]
    there |= (frames - spans[owner, 0] >= early) & (spans[owner, 1] - 1 - frames >= late)
    there &= holds.held
    before = np.maximum.accumulate(np.where(there, frames, -1))
    after = np.minimum.accumulate(np.where(there, frames, len(frames))[::-1])[::-1]
    begun, goes_on = before >= spans[owner, 0], after < spans[owner, 1]
    firm = holds.held & begun & goes_on
    edge = np.clip(np.where(begun, before, after), 0, len(frames) - 1)
    leaving = on_ball & on_ball[edge] & begun & ~goes_on & (foot.toe is not None)
    height = np.where(on_heel, heel[:, 1] - heel[edge, 1], ball[:, 1] - ball[edge, 1])
    if foot.toe is not None:
        toes = quat.rotate(poses.rotations[:, foot.toe], foot.tip - foot.ball_joint)
        tip = poses.positions[:, foot.toe] + toes
        # Over whichever moves less until the foot has left.
        last = spans[owner, 1] - 1
        leaving &= lengths(tip[last] - tip[edge]) < lengths(ball[last] - ball[edge])
        height = np.where(leaving, tip[:, 1] - tip[edge, 1], height)
    rise = np.where(holds.held & ~firm, np.clip(height, 0.0, _MOST_RISE * leg), 0.0)
    settled = fit_holds(foot, poses, replace(holds, firm=firm, leaving=leaving, rise=rise))
    return _keep_ankles(foot, poses.positions[:, foot.ankle, 1], settled)


def _keep_ankles(foot: Foot, height: Floats, holds: Holds) -> Holds:
    """Holds that leave ankles, of height (T,), where they are when the sole is put level.

    Soles do not lie level in every source: the rest pose of a skeleton is a guess.
    """
    flat = (holds.phases == FLAT) & holds.firm
    lies = means(flat.astype(np.float64), holds.spans) > 0.0
    ankles = mean_where(height[:, None], flat, holds.spans)[:, 0]
    spots = np.array(holds.spots)
    spots[:, 1] = np.where(lies, ankles + foot.ball[1], spots[:, 1])
    return holds.at(spots)


def _has_settled(point: Floats, holds: Holds, carries: Bools, fps: float, leg: float) -> Bools:
    """Return (T,) whether a point (T, 3) is where it carries and rests."""
    still = _is_still(point, fps, leg)
    off = point - mean_where(point, still & carries, holds.spans)[holds.owner]
    near = still | (np.einsum("ti,ti->t", off, off) < (_NEAR * leg) ** 2)
    return np.asarray(near & (np.abs(off[:, 1]) < _LEVEL * leg))


def _points(foot: Foot, poses: WorldPoses, ball: Floats) -> Floats:
    """Return (2, T, 3) the heel of a foot, and `ball` (3,) of it."""
    ankle, turned = poses.positions[:, foot.ankle], poses.rotations[:, foot.ankle]
    return np.stack([ankle + quat.rotate(turned, arm) for arm in (foot.heel, ball)])


def _is_still(point: Floats, fps: float, leg: float) -> Bools:
    """Return (T,) whether a point (T, 3) hardly moves."""
    velocity = np.gradient(smooth_gaussian(point, _SPEED_S * fps), axis=0) * fps
    speed = np.sqrt(np.einsum("ti,ti->t", velocity, velocity))
    return np.asarray(speed < _STILL_M_S * np.sqrt(leg / MEAN_LEG_M))
