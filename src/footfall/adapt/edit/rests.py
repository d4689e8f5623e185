"""Find where a clip rests, and where it starts from rest or comes to rest.

A start is cut to its essence: from the last moment at rest to steady gait, at most a few seconds,
however long the clip stood or turned before; a stop likewise, from gait to the first rest. A clip
may hold several of both, or none: one that is cut while it still walks does not stop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import mean_leg
from footfall.body.roles import SIDES
from footfall.gait.contacts import find_contacts
from footfall.maths.arrays import Bools, Floats
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.filters import smooth_gaussian
from footfall.maths.runs import runs, without_short_gaps

REST_S = 0.4
"""So long it stands at most before it starts, and after it stopped."""
LONGEST_S = 3.0
"""A start or a stop goes on for so long at most, without the time it stands."""
RESTING_M_S = 0.08
"""Slower than this over the ground a body rests, …"""
STILL_M_S = 0.15
"""… if its joints, in the mean, are slower than this."""
_GOING_M_S = 0.5
"""The least speed of a body that starts or stops, m/s for a mean body."""
_SMOOTH_S, _GAIT_S = 0.05, 0.2
_SHORTEST_REST_S = 0.1
_MOST_TURN = math.radians(50.0)
"""By how much the way it goes may differ from the way it faces at rest."""


@dataclass(frozen=True, eq=False)
class _Pace:
    """How a clip of T frames moves.

    resting  (T,) whether it rests: slow, still, and on both feet
    speed    (T,) over the ground, smoothed over a step, m/s of a mean body
    facing   (T,) which way the hips face, radians      ground  (T, 2) where they are
    """

    resting: Bools
    speed: Floats
    facing: Floats
    ground: Floats


def resting_frames(clip: Clip) -> Bools:
    """Return (T,) whether somebody stands still on both feet."""
    return _pace(clip).resting


def facings(clip: Clip, positions: Floats | None = None) -> Floats:
    """Return (T,) which way the hips face, radians."""
    at = clip.positions if positions is None else positions
    left, right = (at[:, clip.skeleton.role(f"{side}_hip")] for side in SIDES)
    return np.asarray(np.arctan2(right[:, 2] - left[:, 2], left[:, 0] - right[:, 0]))


def start_spans(clip: Clip) -> list[tuple[int, int]]:
    """Return the frames, first and stop, of every start of a clip, each beginning at rest."""
    return _spans(clip, _pace(clip))


def stop_spans(clip: Clip) -> list[tuple[int, int]]:
    """Return the frames, first and stop, of every stop of a clip, each ending at rest."""
    pace, frames = _pace(clip), len(clip)
    back = _Pace(
        pace.resting[::-1], pace.speed[::-1], pace.facing[::-1] + math.pi, pace.ground[::-1]
    )
    return [(frames - stop, frames - first) for first, stop in reversed(_spans(clip, back))]


def _pace(clip: Clip) -> _Pace:
    positions = clip.positions
    if len(clip) < 3:
        none = np.zeros(len(clip))
        return _Pace(none > 0.0, none, facings(clip, positions), clip.root[:, [0, 2]])
    sigma, size = _SMOOTH_S * clip.fps, math.sqrt(mean_leg(clip.skeleton) / MEAN_LEG_M)
    ground = np.linalg.norm(np.gradient(clip.root[:, [0, 2]], axis=0), axis=1) * clip.fps
    joints = np.linalg.norm(np.gradient(positions, axis=0), axis=2).mean(axis=1) * clip.fps
    slow, calm = (smooth_gaussian(v, sigma) / size for v in (ground, joints))
    contacts = clip.contacts
    if contacts is None:
        contacts = find_contacts(clip).points
    both = contacts[:, :2].any(axis=1) & contacts[:, 2:].any(axis=1)
    resting = (slow < RESTING_M_S) & (calm < STILL_M_S) & both
    resting = without_short_gaps(resting, _SHORTEST_REST_S * clip.fps)
    speed = smooth_gaussian(ground, _GAIT_S * clip.fps) / size
    return _Pace(resting, speed, facings(clip, positions), clip.root[:, [0, 2]])


def _spans(clip: Clip, pace: _Pace) -> list[tuple[int, int]]:
    """Return the starts of a clip that moves like that."""
    fps, found = clip.fps, []
    rests = runs(pace.resting)
    rests = rests[rests[:, 1] - rests[:, 0] >= _SHORTEST_REST_S * fps]
    following = np.append(rests[1:, 0], len(clip))[: len(rests)].tolist()
    for (first, stop), next_rest in zip(rests.tolist(), following, strict=True):
        end = min(next_rest, stop + round(LONGEST_S * fps), len(clip))
        going = np.flatnonzero(pace.speed[stop:end] > _GOING_M_S)
        if not len(going):
            continue
        # From there on a stride is enough to see which way it goes.
        at = stop + int(going[0])
        after = min(at + round(0.6 * fps), end - 1)
        way = pace.ground[after] - pace.ground[max(at - round(0.2 * fps), stop)]
        turned = math.atan2(way[0], way[1]) - float(pace.facing[stop - 1])
        if abs(math.remainder(turned, math.tau)) <= _MOST_TURN:
            found.append((max(first, stop - round(REST_S * fps)), end))
    return found
