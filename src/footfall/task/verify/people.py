"""Check that people do not touch each other: the capsules of their bodies, moment by moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.body.capsules import body_capsules
from footfall.body.clip import Clip
from footfall.body.posture import segment_distances
from footfall.body.size import body_size
from footfall.maths.arrays import Floats, Ints
from footfall.task.verify.report import Finding

Others = Sequence[tuple[Clip, float]]
"""The clips of other people, and when these begin, seconds."""


@dataclass(frozen=True)
class Meeting:
    """How near two people come: the distance of their bodies (negative: they touch), and when."""

    distance_m: float
    seconds: float


def check_people(clip: Clip, others: Others, begins_s: float = 0.0) -> Iterator[Finding]:
    """Yield the moments at which a motion that begins at a time touches other people most."""
    for other, at in others:
        meeting = nearest_meeting(clip, other, begins_s, at)
        if meeting.distance_m < 0.0:
            seconds = meeting.seconds - begins_s
            frame = int(np.clip(round(seconds * clip.fps), 0, len(clip) - 1))
            x, _, z = clip.root[frame].tolist()
            yield Finding(
                "people", "body", seconds, frame, frame + 1, -meeting.distance_m, 0.0, "m", True,
                (x, z), "it touches another person by",
            )  # fmt: skip


def nearest_meeting(
    one: Clip, other: Clip, one_begins_s: float = 0.0, other_begins_s: float = 0.0
) -> Meeting:
    """Return the moment at which two people are nearest.

    Before its clip begins and after it ended a body stands as in its first and last frame. The
    distance is infinite where they never come near.
    """
    begin = min(one_begins_s, other_begins_s)
    end = max(one_begins_s + one.seconds, other_begins_s + other.seconds)
    times = begin + np.arange(int(np.ceil((end - begin) * one.fps)) + 1) / one.fps
    rows = [
        _frames(clip, times - at) for clip, at in ((one, one_begins_s), (other, other_begins_s))
    ]
    apart = np.hypot(*(one.root[rows[0]] - other.root[rows[1]])[:, [0, 2]].T)
    reach_m = body_size(one.skeleton).reach_m + body_size(other.skeleton).reach_m
    near = np.flatnonzero(apart < reach_m)  # whose hips are further apart cannot touch each other
    if not len(near):
        return Meeting(np.inf, begin)
    a, radii_a = _capsules(one, rows[0][near])
    b, radii_b = _capsules(other, rows[1][near])
    shape = (len(near), len(radii_a), len(radii_b), 3)
    ends = [np.broadcast_to(p, shape).reshape(-1, 3) for p in (
        a[:, :, None, 0], a[:, :, None, 1], b[:, None, :, 0], b[:, None, :, 1],
    )]  # fmt: skip
    gaps = segment_distances(*ends).reshape(shape[:3]) - radii_a[:, None] - radii_b
    least = gaps.min(axis=(1, 2))
    n = int(np.argmin(least))
    return Meeting(float(least[n]), float(times[near[n]]))


def _frames(clip: Clip, times: Floats) -> Ints:
    found: Ints = np.clip(np.rint(times * clip.fps), 0, len(clip) - 1).astype(np.int32)
    return found


def _capsules(clip: Clip, frames: Ints) -> tuple[Floats, Floats]:
    capsules = body_capsules(clip.skeleton)
    some = clip[frames].world
    return capsules.placed(some), np.asarray(capsules.radii)
