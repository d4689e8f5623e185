"""Heel, ball and toe tip of each foot, for skeletons with toes, toe ends or neither."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton, subtree
from footfall.maths.arrays import Floats

# Population means in leg lengths (hip to knee to ankle).
ANKLE_HEIGHT = 0.089
ANKLE_TO_BALL = 0.137
BALL_TO_TIP = 0.071
ANKLE_TO_HEEL = 0.065


@dataclass(frozen=True, eq=False)
class FootPoint:
    """A point on the sole: `offset` (3,) metres in the frame of `joint`."""

    joint: int
    offset: Floats


@dataclass(frozen=True)
class FootPoints:
    """The three points of each foot; at rest all six lie at height `sole_height`.

    sole_height  height of the soles above the skeleton's origin at rest, metres
    """

    sole_height: float
    left_heel: FootPoint
    left_ball: FootPoint
    left_tip: FootPoint
    right_heel: FootPoint
    right_ball: FootPoint
    right_tip: FootPoint

    def side(self, side: str) -> tuple[FootPoint, FootPoint, FootPoint]:
        """Heel, ball and tip of the "left" or "right" foot."""
        if side == "left":
            return self.left_heel, self.left_ball, self.left_tip
        return self.right_heel, self.right_ball, self.right_tip


@lru_cache(maxsize=64)
def foot_points(skeleton: Skeleton) -> FootPoints:
    """Return the points of both feet, from the canonical rest pose.

    The ball is under the toe joint and the tip under its end site where the skeleton has them
    and they are where toes can be; else both come from the population's proportions. The heel
    belongs to the ankle, ball and tip to the toe joint if there is one.
    """
    height = min(_lowest(skeleton, side) for side in SIDES)
    points: list[FootPoint] = []
    for side in SIDES:
        ankle = skeleton.role(f"{side}_ankle")
        toe = skeleton.roles.get(f"{side}_toe", ankle)
        heel, ball, tip = _along_foot(skeleton, side)
        for joint, place in ((ankle, heel), (toe, ball), (toe, tip)):
            where = np.array([place[0], height, place[2]])
            points.append(FootPoint(joint, where - skeleton.rest_positions[joint]))
    return FootPoints(height, *points)


@dataclass(frozen=True, eq=False)
class Foot:
    """One foot of a character: joints, and points of the flat sole in the ankle's frame (3,).

    ball_joint is where the foot bends; ball is the sole under it; leg_m is how long its leg is
    """

    side: str
    hip: int
    knee: int
    ankle: int
    toe: int | None
    heel: Floats
    ball: Floats
    ball_joint: Floats
    tip: Floats
    leg_m: float

    @property
    def length(self) -> float:
        """From heel to ball along the sole, metres."""
        return float(self.ball[2] - self.heel[2])

    @cached_property
    def points(self) -> Floats:
        """(4, 3) heel, ball, the joint where it bends, and tip."""
        return np.stack([self.heel, self.ball, self.ball_joint, self.tip])


@lru_cache(maxsize=64)
def foot_of(skeleton: Skeleton, side: str) -> Foot:
    """Return one foot of a humanoid skeleton in its canonical rest."""
    hip, knee, ankle = (skeleton.role(f"{side}_{part}") for part in ("hip", "knee", "ankle"))
    toe = skeleton.roles.get(f"{side}_toe")
    heel, ball, tip = foot_points(skeleton).side(side)
    rest = skeleton.rest_positions
    sole = rest[ball.joint] + ball.offset - rest[ankle]
    joint = sole if toe is None else rest[toe] - rest[ankle]
    end = rest[tip.joint] + tip.offset - rest[ankle]
    leg_m = leg_length(skeleton, side)
    return Foot(side, hip, knee, ankle, toe, heel.offset, sole, joint, end, leg_m)


def sole_height(skeleton: Skeleton) -> float:
    """Height of the soles at rest above the skeleton's origin, metres."""
    return min(_lowest(skeleton, side) for side in SIDES)


def leg_length(skeleton: Skeleton, side: str) -> float:
    """Hip to knee to ankle, metres."""
    hip, knee, ankle = (
        skeleton.rest_positions[skeleton.role(f"{side}_{r}")] for r in ("hip", "knee", "ankle")
    )
    return math.dist(hip, knee) + math.dist(knee, ankle)


@lru_cache(maxsize=64)
def mean_leg(skeleton: Skeleton) -> float:
    """Hip to knee to ankle, the mean of both sides, metres."""
    return 0.5 * (leg_length(skeleton, "left") + leg_length(skeleton, "right"))


def _lowest(skeleton: Skeleton, side: str) -> float:
    """Height of one sole at rest: the usual way under the ankle, lower if a joint is lower."""
    ankle = skeleton.role(f"{side}_ankle")
    sunk = ANKLE_HEIGHT * leg_length(skeleton, side)
    top = float(skeleton.rest_positions[ankle, 1])
    inside = subtree(skeleton, ankle)
    heights = [float(skeleton.rest_positions[j, 1]) for j in inside]
    ends = zip(skeleton.end_joints.tolist(), skeleton.rest_end_positions, strict=True)
    heights += [float(place[1]) for joint, place in ends if joint in inside]
    return max(min(top - sunk, *heights), top - 2.0 * sunk)


def _along_foot(skeleton: Skeleton, side: str) -> tuple[Floats, Floats, Floats]:
    """Places of heel, ball and tip (their heights are not meant)."""
    leg = leg_length(skeleton, side)
    ankle_joint = skeleton.role(f"{side}_ankle")
    ankle = skeleton.rest_positions[ankle_joint]
    forward = np.array([0.0, 0.0, leg])
    toe = skeleton.roles.get(f"{side}_toe")
    heel = ankle - ANKLE_TO_HEEL * forward
    if toe is not None:
        ball = skeleton.rest_positions[toe]
        if ball[2] - ankle[2] < 0.3 * ANKLE_TO_BALL * leg:  # toe joint at the ankle: no use
            ball = ankle + ANKLE_TO_BALL * forward
        tip = _end_ahead(skeleton, toe, float(ball[2]) + 0.02 * leg, float(ball[2]) + 0.2 * leg)
        return heel, ball, ball + BALL_TO_TIP * forward if tip is None else tip
    near, far = (float(ankle[2]) + part * leg for part in (0.08, 0.4))
    end = _end_ahead(skeleton, ankle_joint, near, far)
    if end is None:
        ball = ankle + ANKLE_TO_BALL * forward
        return heel, ball, ball + BALL_TO_TIP * forward
    if end[2] - ankle[2] < (ANKLE_TO_BALL + 0.5 * BALL_TO_TIP) * leg:  # it marks the ball
        return heel, end, end + BALL_TO_TIP * forward
    return heel, ankle + (end - ankle) * (ANKLE_TO_BALL / (ANKLE_TO_BALL + BALL_TO_TIP)), end


def _end_ahead(skeleton: Skeleton, joint: int, nearest: float, farthest: float) -> Floats | None:
    """Return the foremost end site or child joint on `joint` between two z positions."""
    points = [skeleton.rest_end_positions[e] for e in np.flatnonzero(skeleton.end_joints == joint)]
    points += [skeleton.rest_positions[c] for c in skeleton.children[joint]]
    fitting = [p for p in points if nearest <= p[2] <= farthest]
    return max(fitting, key=lambda p: float(p[2])) if fitting else None
