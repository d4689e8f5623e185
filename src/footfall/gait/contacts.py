"""Find where and when feet touch, without thresholds set by hand.

Points that stay put while they carry the body are in contact (Lee et al. 2002 ask for nearness
and little speed, van Basten & Egges for height and adjacency). Where we differ: thresholds follow
the body's pace and the clip, each stance has a floor level of its own, and free fall is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.body.clip import Clip
from footfall.body.roles import SIDES
from footfall.gait.flight import Flight, find_flights, leaps
from footfall.gait.foot_motion import BALL, HEEL, FootMotion, foot_motion
from footfall.gait.stances import (
    Stances,
    find_stances,
    join_stances,
    moved_between,
    speed_threshold,
)
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.runs import mask_of, runs, without_short_gaps, without_short_runs

SHORTEST_CLIP_S = 0.15
POINT_LIFTED = 0.02
"""In leg lengths: this far above its lowest place in a stance, heel or toes have left."""
POINT_GAP_S, POINT_SHORTEST_S = 0.1, 0.05
LONGEST_HOLE_S = 0.15
"""A time without support that is no free fall and no longer than this is a missed contact."""
LONGEST_REST_S, RESTING_WAY = 1.5, 0.12
"""So is a longer one, between two stances of a foot that moves less than this (leg lengths)."""


@dataclass(frozen=True)
class Stance:
    """A time in which a foot stands.

    foot                   0 left, 1 right
    begin_s, end_s         seconds: the strike and the moment the toes leave
    open_begin, open_end   the clip begins or ends while the foot stands
    first, stop            its frames: from `first` up to, not including, `stop`
    level_m                height of the sole
    """

    foot: int
    begin_s: float
    end_s: float
    open_begin: bool
    open_end: bool
    first: int
    stop: int
    level_m: float

    @property
    def side(self) -> str:
        return SIDES[self.foot]

    @property
    def seconds(self) -> float:
        return self.end_s - self.begin_s


@dataclass(frozen=True, eq=False)
class Contacts:
    """What touches when, and what it was seen by.

    stances    in order of their begin, left before right
    flights    times in the air, in free fall
    points     (T, 4) heel and toe of the left, of the right foot (`Clip.contacts`)
    motion     the tracks that were looked at
    threshold  (T,) below which speed, m/s, a point counted as standing
    problem    one sentence if nothing could be found, else ""
    """

    stances: tuple[Stance, ...]
    flights: tuple[Flight, ...]
    points: Bools
    motion: FootMotion
    threshold: Floats
    problem: str = ""

    def __len__(self) -> int:
        return len(self.points)

    @property
    def fps(self) -> float:
        return self.motion.fps

    @cached_property
    def feet(self) -> Bools:
        """(T, 2) whether the left and the right foot stand."""
        return np.stack([self.points[:, :2].any(axis=1), self.points[:, 2:].any(axis=1)], axis=1)

    @property
    def signature(self) -> Ints:
        """(T,) the points in contact as a number: 1, 2, 4, 8 for the columns of `points`."""
        return np.asarray(self.points @ np.array([1, 2, 4, 8], np.int32), dtype=np.int32)

    @cached_property
    def airborne(self) -> Bools:
        """(T,) whether the body is in flight."""
        spans = np.array([(f.begin_s, f.end_s) for f in self.flights]).reshape(-1, 2) * self.fps
        first, stop = np.ceil(spans[:, 0]), np.floor(spans[:, 1]) + 1.0
        return mask_of(np.stack([first, stop], axis=1).astype(np.int32), len(self))

    def of_foot(self, foot: int) -> tuple[Stance, ...]:
        """Return the stances of the left (0) or right (1) foot."""
        return tuple(s for s in self.stances if s.foot == foot)

    def strikes_s(self, foot: int) -> Floats:
        """Return (N,) times, seconds, at which the foot comes down within the clip."""
        return np.array([s.begin_s for s in self.of_foot(foot) if not s.open_begin])

    def lift_offs_s(self, foot: int) -> Floats:
        """Return (N,) times, seconds, at which the toes leave within the clip."""
        return np.array([s.end_s for s in self.of_foot(foot) if not s.open_end])

    def with_contacts(self, clip: Clip) -> Clip:
        """Return the clip with these contacts."""
        return clip.with_contacts(self.points)


def find_contacts(clip: Clip) -> Contacts:
    """Return the contacts of both feet of a clip; `poses` spares the work of computing them."""
    motion = foot_motion(clip)
    if clip.seconds < SHORTEST_CLIP_S or len(clip) < 4:
        return Contacts(
            (), (), np.zeros((len(clip), 4), np.bool_), motion, np.zeros(len(clip)),
            problem=f"the clip lasts {clip.seconds:.2f} s, too short to find contacts",
        )  # fmt: skip
    threshold = speed_threshold(motion)
    feet = _without_holes(motion, find_stances(motion, threshold))
    carried = mask_of(np.concatenate([f.spans for f in feet]), len(clip))
    flights = find_flights(motion, carried)
    points = np.concatenate(
        [_heel_and_toe(motion, threshold, feet[foot], foot) for foot in range(2)], axis=1
    )
    problem = "" if carried.any() else "the feet never stand: no point of them stays put"
    return Contacts(_in_order(feet, len(clip)), flights, points, motion, threshold, problem)


def _in_order(feet: tuple[Stances, Stances], frames: int) -> tuple[Stance, ...]:
    found = [
        Stance(foot, begin, end, first == 0, stop == frames, first, stop, level)
        for foot, stances in enumerate(feet)
        for (first, stop), begin, end, level in zip(
            stances.spans.tolist(), stances.begin.tolist(), stances.end.tolist(),
            stances.level.tolist(), strict=True,
        )
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda s: (s.begin_s, s.foot)))


def _without_holes(motion: FootMotion, feet: tuple[Stances, Stances]) -> tuple[Stances, Stances]:
    """Return the stances with times without support closed, if the body does not fly in them.

    A foot that is in the same place before and after stood all the while; else both stances at
    a short hole are made longer, until they meet in its middle.
    """
    holes = _holes(motion, feet, LONGEST_REST_S)
    if len(holes) == 0:
        return feet
    unheld = mask_of(holes, len(motion))
    feet = (_join_stances(motion, feet[0], 0, unheld), _join_stances(motion, feet[1], 1, unheld))
    holes = _holes(motion, feet, LONGEST_HOLE_S)
    return _find_touching(feet[0], holes, motion.fps), _find_touching(feet[1], holes, motion.fps)


def _holes(motion: FootMotion, feet: tuple[Stances, Stances], longest_s: float) -> Ints:
    """Return (H, 2) stretches of frames without support that are no flights."""
    frames = len(motion)
    holes = runs(~mask_of(np.concatenate([f.spans for f in feet]), frames))
    holes = holes[(holes[:, 0] > 0) & (holes[:, 1] < frames)]
    holes = holes[holes[:, 1] - holes[:, 0] <= longest_s * motion.fps]
    return np.asarray(holes[~leaps(motion, holes)])


def _join_stances(motion: FootMotion, stances: Stances, foot: int, unheld: Bools) -> Stances:
    """Stances joined over times without support between which the foot stays where it is."""
    near = moved_between(motion, stances, foot) < RESTING_WAY * motion.leg_m
    count = np.concatenate([[0], np.cumsum(unheld)])
    over_a_hole = count[stances.spans[1:, 0]] > count[stances.spans[:-1, 1]]
    return join_stances(stances, near & over_a_hole)


def _find_touching(stances: Stances, holes: Ints, fps: float) -> Stances:
    spans, begin, end = stances.spans.copy(), stances.begin.copy(), stances.end.copy()
    for first, stop in holes.tolist():
        half = 0.5 * (first + stop - 1) / fps
        before, after = spans[:, 1] == first, spans[:, 0] == stop
        end[before], begin[after] = half, half
        spans[before, 1] = int(np.floor(half * fps + 1e-9)) + 1
        spans[after, 0] = int(np.ceil(half * fps - 1e-9))
    return Stances(spans, begin, end, stances.level)


def _heel_and_toe(motion: FootMotion, threshold: Floats, stances: Stances, foot: int) -> Bools:
    """Return (T, 2) whether heel and toes touch: slow and low, or the likelier of the two."""
    stands = mask_of(stances.spans, len(motion))
    speeds = motion.speeds[:, foot]
    speed = np.stack([speeds[:, HEEL], speeds[:, BALL:].min(axis=1)], axis=1)
    heights = motion.points[:, foot, :, 1]
    height = np.stack([heights[:, HEEL], heights[:, BALL:].min(axis=1)], axis=1)
    ground = np.full((len(motion), 2), -np.inf)
    for first, stop in stances.spans.tolist():
        ground[first:stop] = height[first:stop].min(axis=0)
    lift = np.where(stands[:, None], (height - ground) / (POINT_LIFTED * motion.leg_m), 0.0)
    pace = speed / threshold[:, None]
    still = (pace < 1.0) & (lift < 1.0) & stands[:, None]
    least = (pace + lift).argmin(axis=1)
    still[np.arange(len(motion)), least] |= stands
    for column in range(2):
        row = without_short_gaps(still[:, column], POINT_GAP_S * motion.fps) & stands
        sure = without_short_runs(row, POINT_SHORTEST_S * motion.fps)
        still[:, column] = sure | (row & ~still[:, 1 - column])
    return np.asarray(still)
