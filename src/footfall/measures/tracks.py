"""Tracks of the points of both feet at a fixed rate, for the measures.

Sums over frames depend on how many frames there are a second. So everything that is counted from
frame to frame is counted at a fixed rate, whatever the clip's: at evenly spaced times from the
first frame to the last, which are the clip's own frames if it has that rate. A clip that is played
backwards is looked at at the same times.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from footfall.body.clip import Clip
from footfall.body.feet import foot_points
from footfall.body.roles import SIDES
from footfall.errors import check_range
from footfall.gait.contacts import find_contacts
from footfall.maths.arrays import Bools, Floats
from footfall.maths.filters import running_min
from footfall.maths.quaternions import rotate
from footfall.world.scene import Scene

ANKLE, HEEL, BALL, TIP = range(4)
"""The columns of `FootTracks.points`."""
PAPER_HZ = 30.0
"""The rate of van Basten & Egges' clips."""
ABOUT_S = 1.0
STEP_UP_M = 0.25
"""A surface this far above a point of the foot is one to step onto, not one to be under."""


@dataclass(frozen=True, eq=False)
class FootTracks:
    """The points of both feet (0 left, 1 right), as they are: nothing is smoothed.

    points     (T, 2, 4, 3) ankle joint, heel, ball and tip of the sole, metres
    hips       (T, 3) between the hip joints
    contacts   (T, 4) what touches, columns as in `Clip.contacts`
    labelled   whether the contacts came with the clip; else they were found in it
    ground     (T, 2, 4) height of the ground under each point, metres
    """

    fps: float
    points: Floats
    hips: Floats
    contacts: Bools
    labelled: bool
    ground: Floats

    def __len__(self) -> int:
        return len(self.points)

    @property
    def seconds(self) -> float:
        return (len(self) - 1) / self.fps

    @cached_property
    def heights(self) -> Floats:
        """(T, 2, 4) how high each point is above the ground, metres."""
        return np.asarray(self.points[..., 1] - self.ground)

    @cached_property
    def lifts(self) -> Floats:
        """(T, 2, 4) how high each point is above the lowest place it comes to in the second before
        or after, metres: where clips float, sink or have a floor that drifts, feet still stand."""
        return self.heights - running_min(self.heights, round(ABOUT_S * self.fps))

    def at_rate(self, rate_hz: float) -> FootTracks:
        """Return the same at about `rate_hz`, at even times from the first frame to the last."""
        fps = even_rate(len(self), self.fps, rate_hz)
        return FootTracks(
            fps=fps,
            points=evenly(self.points, self.fps, rate_hz),
            hips=evenly(self.hips, self.fps, rate_hz),
            contacts=evenly(self.contacts, self.fps, rate_hz) > 0.5,
            labelled=self.labelled,
            ground=evenly(self.ground, self.fps, rate_hz),
        )


def foot_tracks(clip: Clip, scene: Scene | None = None) -> FootTracks:
    """Return the tracks of a humanoid clip, above a scene's ground or a plain at height 0."""
    poses = clip.world
    skeleton = clip.skeleton
    feet = foot_points(skeleton)
    points = np.empty((len(clip), 2, 4, 3))
    for foot, side in enumerate(SIDES):
        points[:, foot, ANKLE] = poses.positions[:, skeleton.role(f"{side}_ankle")]
        for place, point in zip((HEEL, BALL, TIP), feet.side(side), strict=True):
            turned = rotate(poses.rotations[:, point.joint], point.offset)
            points[:, foot, place] = poses.positions[:, point.joint] + turned
    hips = poses.positions[:, [skeleton.role(f"{side}_hip") for side in SIDES]].mean(axis=1)
    labelled = clip.contacts is not None
    contacts = clip.contacts if clip.contacts is not None else find_contacts(clip).points
    ground = ground_under(points, scene, clip.fps)
    return FootTracks(clip.fps, points, hips, contacts, labelled, ground)


def ground_under(points: Floats, scene: Scene | None, fps: float) -> Floats:
    """Return (T, ...) ground height under points (T, ..., 3); far below where there is none."""
    if scene is None:
        return np.zeros(points.shape[:-1])
    flat = np.ascontiguousarray(points.reshape(-1, 3))
    times = np.repeat(np.arange(len(points)) / fps, len(flat) // max(len(points), 1))
    heights = scene.height(flat[:, [0, 2]], below=flat[:, 1] + STEP_UP_M, time=times)
    # Over a hole or beyond the edge nothing is underfoot.
    return np.where(np.isfinite(heights), heights, -1e3).reshape(points.shape[:-1])


def even_rate(frames: int, fps: float, rate_hz: float) -> float:
    """Return the rate near `rate_hz` with whole steps from the first frame to the last."""
    steps = max(round((frames - 1) / fps * rate_hz), 1)
    return steps * fps / max(frames - 1, 1)


def evenly(values: ArrayLike, fps: float, rate_hz: float) -> Floats:
    """Values (T, ...) at even times from first to last, `even_rate` a second, along straight
    lines between frames."""
    array = np.asarray(values, dtype=np.float64)
    check_range("the rate", rate_hz, above=0.0, unit="Hz")
    if len(array) < 2:
        return array
    steps = max(round((len(array) - 1) / fps * rate_hz), 1)
    place = np.linspace(0.0, len(array) - 1, steps + 1)
    first = np.minimum(place.astype(np.int64), len(array) - 2)
    part = (place - first).reshape(-1, *(1,) * (array.ndim - 1))
    return np.asarray(array[first] * (1.0 - part) + array[first + 1] * part)


def way_m(points: Floats) -> float:
    """Return how far points (T, 2 or more) go, metres."""
    return float(np.sqrt(np.sum(np.diff(points, axis=0) ** 2, axis=-1)).sum())
