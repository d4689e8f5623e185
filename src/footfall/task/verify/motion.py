"""The kinematics of a clip that all checks share, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.body.capsules import hand_point, seat_to_hips
from footfall.body.clip import Clip
from footfall.body.feet import foot_points, mean_leg
from footfall.body.posture import middles
from footfall.body.roles import SIDES
from footfall.gait.contacts import find_contacts
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.filters import running_min
from footfall.maths.runs import runs, without_short_gaps

HEEL, BALL, TIP = range(3)
STILL_M_S = 0.15
"""A point of a foot slower than this stands, for a leg of MEAN_LEG_M."""
LOW_S, LOW_M = 0.7, 0.03
"""… if it is no more than this above its lowest within that time."""
GAP_S = 0.07
"""Labels of one stance may pause for this long."""
PACE_S = 0.25
"""Half the time over which the pace is averaged: about a step."""


@dataclass(frozen=True, eq=False)
class Motion:
    """A humanoid clip with what is derived from its poses.

    leg_m   hip to knee to ankle, metres
    size    how large the body is against one with a leg of MEAN_LEG_M
    hips    (T, 3) the middle of the hip joints
    facing  (T,) yaw of the pelvis, radians left of +Z
    soles   (T, 2, 3, 3) heel, ball and tip of the left and the right foot
    """

    clip: Clip
    leg_m: float
    hips: Floats
    facing: Floats
    soles: Floats

    def __len__(self) -> int:
        return len(self.clip)

    @property
    def fps(self) -> float:
        return self.clip.fps

    @property
    def size(self) -> float:
        return self.leg_m / MEAN_LEG_M

    @property
    def ground(self) -> Floats:
        """(T, 2) x and z of the root."""
        return self.clip.root[:, [0, 2]]

    def role(self, role: str) -> Floats:
        """Return (T, 3) the joint of a role."""
        return self.clip.positions[:, self.clip.skeleton.role(role)]

    def turns(self, role: str) -> Floats:
        """Return (T, 4) the world rotation of the joint of a role."""
        return self.clip.world.rotations[:, self.clip.skeleton.role(role)]

    @cached_property
    def sole_speeds(self) -> Floats:
        """(T, 2, 3) speeds of heel, ball and tip, m/s."""
        return speeds(self.soles, self.fps)

    @cached_property
    def point_contacts(self) -> Bools:
        """(T, 2, 2) whether heel and ball of each foot touch: labelled, found, or still and low."""
        labels = self.clip.contacts
        if labels is None:
            labels = find_contacts(self.clip).points
        return np.asarray(labels.reshape(-1, 2, 2) | self._still_contacts)

    @property
    def _still_contacts(self) -> Bools:
        """(T, 2, 2) whether heel and ball stay put near their lowest, whatever labels claim."""
        heights = self.soles[:, :, : BALL + 1, 1]
        around = running_min(heights.reshape(-1, 4), round(LOW_S * self.fps)).reshape(-1, 2, 2)
        slow = self.sole_speeds[:, :, : BALL + 1] < STILL_M_S * np.sqrt(self.size)
        return np.asarray(slow & (heights < around + LOW_M * self.size))

    @cached_property
    def foot_contacts(self) -> Bools:
        """(T, 2) whether some of each sole stands."""
        return np.asarray(self.point_contacts.any(axis=2))

    @cached_property
    def flat(self) -> Bools:
        """(T, 2) whether the whole sole of each foot stands: heel and ball, or a still ankle."""
        ankles = np.stack([self.role(f"{side}_ankle") for side in SIDES], axis=1)
        slow = speeds(ankles, self.fps) < STILL_M_S * np.sqrt(self.size)
        return np.asarray(self.point_contacts.all(axis=2) | (slow & self.foot_contacts))

    @cached_property
    def pace(self) -> Floats:
        """(T,) speed of the hips over the ground, averaged over a step, m/s of a mean body."""
        half = max(1, round(PACE_S * self.fps))
        frames = np.arange(len(self))
        low, high = np.maximum(frames - half, 0), np.minimum(frames + half, len(self) - 1)
        way = self.hips[high][:, [0, 2]] - self.hips[low][:, [0, 2]]
        seconds = np.maximum(high - low, 1) / self.fps
        return np.asarray(np.hypot(way[:, 0], way[:, 1]) / seconds / np.sqrt(self.size))

    @cached_property
    def stances(self) -> tuple[tuple[int, int, int], ...]:
        """Foot (0 left, 1 right), first frame and frame after the last of each stance, in time."""
        found = []
        for foot in range(2):
            spans = runs(without_short_gaps(self.foot_contacts[:, foot], GAP_S * self.fps))
            found += [(foot, first, stop) for first, stop in spans.tolist()]
        return tuple(sorted(found, key=lambda s: (s[1], s[0])))

    @cached_property
    def hands(self) -> Floats:
        """(T, 2, 3) the point of the left and the right hand that takes things."""
        return np.stack(
            [self._point(f"{s}_wrist", hand_point(self.clip.skeleton, s)) for s in SIDES], 1
        )

    @cached_property
    def seat(self) -> Floats:
        """(T, 3) the point of the body that rests on a seat: under the hip joints."""
        return self.hips - [0.0, seat_to_hips(self.clip.skeleton), 0.0]

    @cached_property
    def leg_pairs(self) -> tuple[Floats, ...]:
        """Both ends (4T, 3) of parts of the left and of the right leg: shanks first, then feet."""
        ends = []
        for foot, side in enumerate(SIDES):
            knee, ankle = self.role(f"{side}_knee"), self.role(f"{side}_ankle")
            parts = ((knee, ankle), (ankle, self.soles[:, foot, TIP]))
            order = (0, 0, 1, 1) if foot == 0 else (0, 1, 0, 1)
            ends += [np.concatenate([parts[k][end] for k in order]) for end in range(2)]
        return tuple(ends)

    def _point(self, role: str, offset: Floats) -> Floats:
        return np.asarray(self.role(role) + quat.rotate(self.turns(role), offset))

    def place(self, frame: int) -> tuple[float, float]:
        """x and z of the hips at a frame."""
        return float(self.hips[frame, 0]), float(self.hips[frame, 2])

    def foot_place(self, frame: int, foot: int) -> tuple[float, float]:
        """x and z of the ball of a foot at a frame."""
        return float(self.soles[frame, foot, BALL, 0]), float(self.soles[frame, foot, BALL, 2])


def speeds(points: Floats, fps: float) -> Floats:
    """Return (T, ...) speeds of points (T, ..., 3), by central differences, per second."""
    if len(points) < 2:
        return np.zeros(points.shape[:-1])
    rates = np.empty_like(points)
    rates[1:-1] = (points[2:] - points[:-2]) * (0.5 * fps)
    rates[0], rates[-1] = (points[1] - points[0]) * fps, (points[-1] - points[-2]) * fps
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", rates, rates)))


def motion_of(clip: Clip) -> Motion:
    """Return the kinematics of a clip."""
    poses, skeleton = clip.world, clip.skeleton
    points = [p for side in SIDES for p in foot_points(skeleton).side(side)]
    soles = poses.points([p.joint for p in points], np.stack([p.offset for p in points]))
    left, right = (poses.positions[:, skeleton.role(f"{side}_hip")] for side in SIDES)
    facing = np.arctan2(right[:, 2] - left[:, 2], left[:, 0] - right[:, 0])
    return Motion(
        clip, mean_leg(skeleton), middles(skeleton, poses.positions, "hip"),
        np.asarray(facing), np.asarray(soles).reshape(-1, 2, 3, 3),
    )  # fmt: skip


def worst_span(values: Floats, over: float, at: int) -> tuple[int, int]:
    """First frame and frame after the last of the stretch about `at` in which values are over."""
    spans: Ints = runs(values > over)
    for first, stop in spans.tolist():
        if first <= at < stop:
            return first, stop
    return at, at + 1
