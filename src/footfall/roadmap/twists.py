"""How far moves may be twisted, so that no foot turns too far in or out.

A move that is laid between two footholds is turned at both ends. The difference, the twist, is
shared out over its footprints, and the body turns with the middle of consecutive footprints, as
`adapt.edit.body_path` carries it. So each foot turns against the body by a known share of the
twist, in every frame. Here that share is added to what `verify` measures of the feet in the clip,
and compared with the limits that `verify` derives from the clips.
"""

from __future__ import annotations

import numpy as np

from footfall.maths.arrays import Floats
from footfall.maths.rounding import ANGLE, round_to_grid
from footfall.roadmap.moves import Moves, order_prints
from footfall.roadmap.postures import Cut
from footfall.task.verify import anatomy_limits
from footfall.task.verify.anatomy import foot_tracks
from footfall.task.verify.motion import motion_of

_LEAST_SHARE = 0.02
"""A foot that takes less of a twist does not limit it."""
_SIGNS = np.array([1.0, -1.0])
"""Outward is left for the left foot and right for the right one."""


def twist_limits(moves: Moves) -> Floats:
    """(M, 4) least and greatest twist that is not noted, then those that do not fail; radians.

    Twists are positive to the left.
    """
    limits, out = anatomy_limits(moves.clips), np.zeros((len(moves), 4))
    tracks = [list(foot_tracks(motion_of(clip))) for clip in moves.clips]
    values = [np.stack([track.values for track in own]) for own in tracks]
    names = [track.names[0] for track in tracks[0]] if tracks else []
    bounds = np.array([limits.of(name) for name in names]).T[..., None, None]
    for m in range(len(moves)):
        own = values[moves.clip[m]][:, moves.first[m] : moves.last[m] + 1]
        share = _SIGNS * turn_shares(moves, m)
        # Tracks of feet that turn in, and out, take turns.
        rates = np.stack([-share, share] * (len(names) // 2))
        takes = (np.abs(rates) > _LEAST_SHARE) & np.isfinite(own)
        own, rates = np.where(takes, own, -np.inf), np.where(takes, rates, 1.0)
        twists = np.clip((bounds - own) / np.abs(rates), 0.0, 180.0)
        out[m, [0, 2]] = -np.where(rates < 0.0, twists, 180.0).min(axis=(1, 2, 3))
        out[m, [1, 3]] = np.where(rates > 0.0, twists, 180.0).min(axis=(1, 2, 3))
    return round_to_grid(np.radians(out), ANGLE)


def turn_shares(moves: Moves, m: int) -> Floats:
    """(T, 2) how far each foot turns left of the body for a twist of 1; NaN while it swings."""
    clip, prints = moves.clips[moves.clip[m]], moves.prints[moves.clip[m]]
    first, last = int(moves.first[m]), int(moves.last[m])
    a = Cut(0, int(moves.first_print[m]), first, 0, False)
    b = Cut(0, int(moves.last_print[m]), last, 0, False)
    ordered, _ = order_prints(prints, a, b, clip.fps)
    rows = slice(int(moves.print_start[m]), int(moves.print_start[m + 1]))
    turned, feet = moves.share[rows], moves.foot[rows]
    times = clip.fps * np.array([(one.t, one.delta) for one in ordered])
    order = np.argsort(times[:, 0], kind="stable")
    middles = 0.5 * (times[order[1:], 0] + times[order[:-1], 0])
    body = 0.5 * (turned[order[1:]] + turned[order[:-1]])
    # At its ends a move meets others: there the body is turned as the foot that they share.
    ends = min(first, middles[0] - 1.0), max(last, middles[-1] + 1.0)
    frames = np.arange(first, last + 1)
    body = np.interp(frames, [ends[0], *middles, ends[1]], [0.0, *body, 1.0])
    out = np.full((len(frames), 2), np.nan)
    for (middle, half), foot, own in zip(times, feet.tolist(), turned.tolist(), strict=True):
        stands = np.abs(frames - middle) <= half + 1.0
        out[stands, foot] = own - body[stands]
    return out
