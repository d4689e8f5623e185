"""How far moves may be twisted, so that no foot turns too far in or out.

A move that is laid between two footholds is turned at both ends, and the difference, the twist, is
shared out over its steps. A step that is twisted towards its trailing foot turns both feet in; one
that is twisted the other way turns both out. What the clip does itself counts as well. Moves that
are twisted a little further are dearer (`lay_kernels.twist_change`); `verify` judges the motion.
"""

from __future__ import annotations

import numpy as np

from footfall.adapt.rests import facings
from footfall.body.clip import Clip
from footfall.body.feet import foot_points
from footfall.body.roles import SIDES
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.rounding import ANGLE, round_to_grid
from footfall.roadmap.moves import Moves

_MOST_IN, _MOST_OUT = np.radians([42.0, 57.0])
"""Feet turn in and out by this much against the hips: viewers reject a little more."""
_TAKEN = 0.85
"""The share of a step's twist that a foot is turned by; the hips take the rest."""
_LEAST = np.radians(8.0)
"""A step may always be twisted by this much."""


def twist_limits(moves: Moves) -> Floats:
    """(M, 2) the least and the greatest twist of each move, radians, positive to the left."""
    turned = [_foot_turns(clip) for clip in moves.clips]
    most = _MOST_IN, _MOST_OUT
    out = np.tile([-np.pi, np.pi], (len(moves), 1))
    for m in range(len(moves)):
        frames = turned[moves.clip[m]][moves.first[m] : moves.last[m] + 1]
        inward, outward = (
            max((most[k] - float(frames[:, k].max())) / _TAKEN, _LEAST) for k in (0, 1)
        )
        rows = slice(int(moves.print_start[m]), int(moves.print_start[m + 1]))
        foot, share = moves.foot[rows], np.diff(moves.share[rows])
        steps = (foot[1:] != foot[:-1]) & (share > 0.0)
        for trailing, own in zip(foot[:-1][steps].tolist(), share[steps].tolist(), strict=True):
            left, right = (inward, outward) if trailing == 0 else (outward, inward)
            out[m] = max(out[m, 0], -right / own), min(out[m, 1], left / own)
    return round_to_grid(out, ANGLE)


def _foot_turns(clip: Clip) -> Floats:
    """(T, 2) how far any foot that stands is turned in, and out, against the hips, radians."""
    poses, feet, ahead = clip.world, foot_points(clip.skeleton), facings(clip)
    assert clip.contacts is not None
    out = np.zeros((len(clip), 2))
    for k, side in enumerate(SIDES):
        heel, ball, _ = feet.side(side)
        at = [poses.positions[:, p.joint] + quat.rotate(poses.rotations[:, p.joint], p.offset)
              for p in (heel, ball)]  # fmt: skip
        along = at[1] - at[0]
        yaw = np.arctan2(along[:, 0], along[:, 2]) - ahead
        left = (yaw + np.pi) % (2.0 * np.pi) - np.pi
        left[~clip.contacts[:, 2 * k : 2 * k + 2].any(axis=1)] = 0.0
        outward = left if side == "left" else -left
        out = np.maximum(out, np.stack([-outward, outward], axis=1))
    return out
