"""Find stances: stretches in which a point of a foot stays put on something that carries.

The floor is never assumed. A stance has its own level, so floors may drift along a clip, or rise
in steps; a foot that is held still in the air is told from one that stands by what the rest of
the body does: something else carries it, or it falls freely.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.gait.flight import free_fall
from footfall.gait.foot_motion import BALL, HEEL, FootMotion
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.runs import mask_of, maxima, means, middle, minima, runs
from footfall.maths.signals import differentiate

PACE_SHARE = 0.5
"""A point of a standing foot is slower than this share of the body's pace …"""
LEAST_SPEED, MOST_SPEED = 0.3, 1.5
"""… but thresholds stay in these bounds, in m/s for a leg of MEAN_LEG_M."""
ABOVE_SLOW, APART = 2.5, 4.0
"""The threshold is to lie above so many times the speed that is usual of standing feet in the
clip, where these are told from swinging ones by this factor: real feet skate and tremble …"""
LEARNT_RANGE = 1.5
"""… but the clip raises it at most by this factor."""
SHORTEST_S, SHORTEST_RUNNING_S = 0.1, 0.06
GAP_S = 0.1
RAISED = 0.07
"""In leg lengths: this far above the other foot, a foot must carry the body to count."""
LIFTED = 0.06
"""In leg lengths: this far above the lowest place of its stance, a foot has left."""
RISEN, MOVING = 0.03, 0.9
"""In leg lengths, and as a share of the threshold: so has one, at the ends of its stance, that is
this far above it and goes on as fast as that …"""
AMBLING, RISEN_AMBLING, MOVING_AMBLING = 0.45, 0.012, 0.5
"""… or as that, where the body is slower than this, m/s for a leg of MEAN_LEG_M: who steps slowly
swings slowly."""
WIGGLE_S, WIGGLE_WAY, WIGGLE_LIFT = 0.3, 0.04, 0.03
"""Seconds, and leg lengths: a foot that moves less and rises less has not made a step."""
SWIVEL_RATE, SWIVEL_ANGLE, SWIVEL_SLOWEST = 1.5, math.radians(18.0), 0.6
"""rad/s, radians, and the slowest point's speed as a share of the threshold."""
FEET_BELOW_HIPS = 0.05
"""In leg lengths: a foot that stands is lower than the hips by this; not so in a handstand."""
_LEVELS = 6


@dataclass(frozen=True, eq=False)
class Stances:
    """Stretches of standing of one foot, in order of time.

    spans  (N, 2) first frame and frame after the last
    begin  (N,) and end (N,) the same between frames, seconds
    level  (N,) height of the sole, metres
    """

    spans: Ints
    begin: Floats
    end: Floats
    level: Floats

    def __len__(self) -> int:
        return len(self.spans)

    def kept(self, keep: Bools) -> Stances:
        """Return those for which `keep` (N,) is true."""
        return Stances(self.spans[keep], self.begin[keep], self.end[keep], self.level[keep])


def speed_threshold(motion: FootMotion) -> Floats:
    """Return (T,) below which speed, m/s, a point of a foot counts as standing.

    It follows the body's pace: soles roll and skate more at speed. The clip then has its say:
    its frames are parted in slow and fast ones on a logarithmic scale (Otsu 1979), and the
    threshold must keep clear of what is usual of the slow ones.
    """
    size = float(np.sqrt(motion.leg_m / MEAN_LEG_M))
    base = np.clip(PACE_SHARE * motion.pace, LEAST_SPEED * size, MOST_SPEED * size)
    ratio = np.log(np.clip(motion.slowest / base[:, None], 0.01, 20.0)).reshape(-1)
    if np.ptp(ratio) < np.log(APART):  # who stands all the time has no fast frames
        return np.asarray(base)
    split = _best_split(ratio)
    slow, fast = ratio[ratio <= split], ratio[ratio > split]
    if len(slow) == 0 or len(fast) == 0:
        return np.asarray(base)
    usual = float(np.exp(np.median(slow)))
    if np.exp(np.median(fast)) < APART * usual:  # one crowd: there is nothing to learn
        return np.asarray(base)
    return np.asarray(base * np.clip(ABOVE_SLOW * usual, 1.0, LEARNT_RANGE))


def find_stances(motion: FootMotion, threshold: Floats) -> tuple[Stances, Stances]:
    """Return the stances of the left and right foot, by `speed_threshold` (T,)."""
    both = [_candidates(motion, threshold, foot) for foot in range(2)]
    both = [join_stances(s, _wiggles(motion, s, foot)) for foot, s in enumerate(both)]
    left, right = (_not_falling(motion, s) for s in both)
    left_carries = _carries(motion, left, right)
    right_carries = _carries(motion, right, left)
    return left.kept(left_carries), right.kept(right_carries)


def join_stances(stances: Stances, with_next: Bools) -> Stances:
    """The stances with each of the N - 1 pairs of neighbours made one where `with_next` says so."""
    if not with_next.any():
        return stances
    starts = np.concatenate([[True], ~with_next])
    first = np.flatnonzero(starts)
    last = np.append(first[1:], len(stances)) - 1
    # The level is that of the longest of them.
    seconds = stances.end - stances.begin
    longest = [a + int(np.argmax(seconds[a : b + 1])) for a, b in zip(first, last, strict=True)]
    spans = np.stack([stances.spans[first, 0], stances.spans[last, 1]], axis=1)
    return Stances(spans, stances.begin[first], stances.end[last], stances.level[longest])


def sole_direction(motion: FootMotion, foot: int) -> Floats:
    """(T,) the direction from heel to ball over the ground, radians left of +Z, unwrapped."""
    way = motion.points[:, foot, BALL] - motion.points[:, foot, HEEL]
    return np.asarray(np.unwrap(np.arctan2(way[:, 0], way[:, 2])))


def moved_between(motion: FootMotion, stances: Stances, foot: int) -> Floats:
    """Return (N - 1,) metres over the ground from one stance of the foot to the next."""
    sole = motion.points[:, foot, HEEL : BALL + 1][..., [0, 2]].mean(axis=1)
    way = sole[stances.spans[1:, 0]] - sole[stances.spans[:-1, 1] - 1]
    return np.asarray(np.hypot(way[:, 0], way[:, 1]))


def _wiggles(motion: FootMotion, stances: Stances, foot: int) -> Bools:
    """Return (N - 1,) whether the foot hardly lifts or moves between two stances."""
    gaps = np.stack([stances.spans[:-1, 1], stances.spans[1:, 0]], axis=1)
    short = gaps[:, 1] - gaps[:, 0] <= WIGGLE_S * motion.fps
    near = moved_between(motion, stances, foot) < WIGGLE_WAY * motion.leg_m
    full = np.stack([gaps[:, 0] - 1, gaps[:, 1] + 1], axis=1)
    level = np.maximum(stances.level[:-1], stances.level[1:])
    height = motion.lowest[:, foot]
    lifts = np.array([height[a:b].max() for a, b in full.tolist()])
    low = lifts < level + WIGGLE_LIFT * motion.leg_m
    direction = sole_direction(motion, foot)
    turned = np.abs(direction[full[:, 1] - 1] - direction[full[:, 0]])
    alike = turned < SWIVEL_ANGLE
    return np.asarray(short & near & low & alike & ~free_fall(motion, full))


def _swivels(motion: FootMotion, slow: Bools, ratio: Floats, foot: int) -> Bools:
    """Return (T,) where the foot is turned, hardly lifted: a step, not a stance.

    It turns fast and far with no point of it at rest; `ratio` (T,) is its slowest point's speed
    by the threshold. Whoever spins on the ball of a foot has that at rest, and stands; what
    turns while it comes down or leaves is neither.
    """
    direction = sole_direction(motion, foot)
    turning = np.abs(differentiate(direction, motion.fps)) > SWIVEL_RATE
    spans = runs(turning & (ratio > SWIVEL_SLOWEST))
    angle = direction[np.maximum(spans[:, 1] - 1, 0)] - direction[spans[:, 0]]
    frames = np.arange(len(slow))
    fast_before = np.maximum.accumulate(np.where(slow, -1, frames))
    fast_after = np.minimum.accumulate(np.where(slow, len(slow), frames)[::-1])[::-1]
    last = np.maximum(spans[:, 1] - 1, 0)
    slow_before = spans[:, 0] - fast_before[spans[:, 0]]
    slow_after = fast_after[last] - last
    inside = np.minimum(slow_before, slow_after) > SHORTEST_S * motion.fps
    return mask_of(spans[inside & (np.abs(angle) > SWIVEL_ANGLE)], len(ratio))


def _candidates(motion: FootMotion, threshold: Floats, foot: int) -> Stances:
    """Stretches in which the foot's slowest point is slow and keeps its height."""
    fps, slowest = motion.fps, motion.slowest[:, foot]
    ratio = slowest / threshold
    slow = ratio < 1.0
    gaps = runs(~slow)
    inside = (gaps[:, 0] > 0) & (gaps[:, 1] < len(slow))
    # Hysteresis: a stance is over when the foot is clearly fast or has been fast for a while.
    short = inside & (gaps[:, 1] - gaps[:, 0] <= GAP_S * fps) & (maxima(ratio, gaps) < 1.6)
    slow |= mask_of(gaps[short], len(slow))
    slow &= ~_swivels(motion, slow, ratio, foot)
    spans = _at_one_level(runs(slow), motion.lowest[:, foot], LIFTED * motion.leg_m)
    ambling = motion.pace < AMBLING * np.sqrt(motion.leg_m / MEAN_LEG_M)
    height = motion.lowest[:, foot] / motion.leg_m
    spans = _without_swings(spans, height, ratio > MOVING, RISEN)
    spans = _without_swings(spans, height, ambling & (ratio > MOVING_AMBLING), RISEN_AMBLING)
    shortest = np.where(means(motion.pace, spans) > 1.8, SHORTEST_RUNNING_S * fps, SHORTEST_S * fps)
    at_end = (spans[:, 0] == 0) | (spans[:, 1] == len(slow))
    low_enough = minima(motion.lowest[:, foot] - motion.hips[:, 1], spans)
    keep = (spans[:, 1] - spans[:, 0] >= np.where(at_end, 0.5 * shortest, shortest)) & (
        low_enough < -FEET_BELOW_HIPS * motion.leg_m
    )
    spans = spans[keep]
    begin, end = _between_frames(ratio, spans, fps)
    level = means(motion.lowest[:, foot], middle(spans))
    return Stances(spans, begin, end, level)


def _at_one_level(spans: Ints, height: Floats, step: float) -> Ints:
    """Return the stretches (N, 2) cut where the foot lifts, slowly as that may be.

    What is higher than the lowest place of a stretch by `step` is cut off, and stays a stretch
    of its own where it keeps its height in turn (a foot put on a step slowly).
    """
    done, left = [], spans
    for _ in range(_LEVELS):
        if len(left) == 0:
            break
        inside = mask_of(left, len(height))
        starts = np.zeros(len(height), np.int32)
        starts[left[:, 0]] = 1
        ground = minima(height, left)[np.maximum(np.cumsum(starts) - 1, 0)]
        low = inside & (height < ground + step)
        done.append(runs(low))
        left = runs(inside & ~low)
    out = np.concatenate(done) if done else spans
    return out[np.argsort(out[:, 0], kind="stable")]


def _without_swings(spans: Ints, height: Floats, moves: Bools, risen: float) -> Ints:
    """Return the stretches (N, 2) without slow swings at their ends, by `moves` (T,)."""
    if len(spans) == 0:
        return spans
    inside = mask_of(spans, len(height))
    starts = np.zeros(len(height), np.int32)
    starts[spans[:, 0]] = 1
    level = means(height, middle(spans))[np.maximum(np.cumsum(starts) - 1, 0)]
    stands = inside & ((height < level + risen) | ~moves)
    frames = np.arange(len(height))
    after = np.minimum.accumulate(np.where(stands, frames, len(height))[::-1])[::-1]
    before = np.maximum.accumulate(np.where(stands, frames, -1))
    first, stop = after[spans[:, 0]], before[spans[:, 1] - 1] + 1
    some = first < stop
    return np.stack([first[some], stop[some]], axis=1).astype(spans.dtype)


def _between_frames(ratio: Floats, spans: Ints, fps: float) -> tuple[Floats, Floats]:
    """Return (N,) and (N,) seconds at which the ratio crosses 1 before and after each stretch.

    Where it does not cross (the stretch was cut by height, or the clip ends) the frame's own.
    """
    last = len(ratio) - 1
    first, final = spans[:, 0], spans[:, 1] - 1
    log = np.log(np.maximum(ratio, 1e-3))

    def share(inner: Ints, outer: Ints) -> Floats:
        a, b = log[inner], log[outer]
        crosses = (a < 0.0) & (b > 0.0)
        return np.where(crosses, a / np.where(crosses, a - b, 1.0), 0.0)

    before, after = np.maximum(first - 1, 0), np.minimum(final + 1, last)
    return (first - share(first, before)) / fps, (final + share(final, after)) / fps


def _not_falling(motion: FootMotion, stances: Stances) -> Stances:
    """Return the stances in which the body does not fall freely."""
    short = stances.end - stances.begin < 1.0
    return stances.kept(~(short & free_fall(motion, stances.spans)))


def _carries(motion: FootMotion, stances: Stances, other: Stances) -> Bools:
    """Return (N,) whether each stance carries: on the other foot's level, or for a time alone."""
    carries = np.ones(len(stances), np.bool_)
    if len(stances) == 0 or len(other) == 0:
        return carries
    frames = len(motion)
    level = np.full(frames, np.inf)
    for span, height in zip(other.spans, other.level, strict=True):
        level[span[0] : span[1]] = height
    for n, span in enumerate(stances.spans):
        beside = level[span[0] : span[1]]
        raised = stances.level[n] > beside + RAISED * motion.leg_m
        # Alone: the other foot is off, or stands as high as this one.
        carries[n] = np.count_nonzero(~raised) >= min(SHORTEST_RUNNING_S * motion.fps, len(beside))
    return carries


def _best_split(values: Floats) -> float:
    """Otsu's threshold: the place that parts values into the two tightest groups."""
    count, edges = np.histogram(values, bins=60)
    centre = 0.5 * (edges[1:] + edges[:-1])
    below = np.cumsum(count)
    above = below[-1] - below
    total = np.cumsum(count * centre)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = total / below - (total[-1] - total) / above
    between = np.where((below > 0) & (above > 0), below * above * apart**2, 0.0)
    # A wide gap between the groups has many best places; the middle one is meant.
    best = np.flatnonzero(between >= between.max() * (1.0 - 1e-9))
    return float(edges[1:][best].mean())
