"""Footprints (p, q, t, Δ), Choi, Lee & Shin 2003, Eq. 1: where, which way, when, how long."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.body.clip import Clip
from footfall.body.feet import foot_points
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.gait.contacts import Contacts
from footfall.gait.foot_motion import BALL, HEEL
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.quaternions import cross, from_matrix, from_yaw, rotate
from footfall.maths.runs import mask_of, runs

_LEAST_STILL, _STILL_M = 3, 0.003
"""A foot tells how the ground lies if its heel stays still for so many frames, within this."""


@dataclass(frozen=True, eq=False)
class Footprint:
    """One foot on the ground.

    foot       0 left, 1 right
    p          (3,) halfway between heel and ball, at the height of the sole, metres
    q          (4,) w x y z: where the foot points, and how its sole lies on slopes where that is
               known: else a turn about the vertical
    t          the middle of its stance, seconds
    delta      half the duration of its stance, seconds
    stance     which of `Contacts.stances` it comes from, if these were found
    """

    foot: int
    p: Floats
    q: Floats
    t: float
    delta: float
    stance: int

    @property
    def side(self) -> str:
        return SIDES[self.foot]

    @property
    def yaw(self) -> float:
        """The direction of the foot, radians, positive to the left of +Z."""
        w, x, y, z = self.q.tolist()
        return math.atan2(2.0 * (x * z + w * y), 1.0 - 2.0 * (x * x + y * y))


def footprints(contacts: Contacts) -> tuple[Footprint, ...]:
    """Return a footprint for every stance, ordered by the middle of its time."""
    prints: list[Footprint] = []
    for foot in range(2):
        numbers = [n for n, s in enumerate(contacts.stances) if s.foot == foot]
        stances = [contacts.stances[n] for n in numbers]
        if not stances:
            continue
        spans = np.array([(s.first, s.stop) for s in stances], np.int32)
        sole = _mean_soles(
            contacts.motion.points[:, foot, HEEL : BALL + 1],
            contacts.points[:, 2 * foot : 2 * foot + 2], spans,
        )  # fmt: skip
        prints += _prints(
            foot, sole, np.array([s.level_m for s in stances]),
            np.array([(s.begin_s, s.end_s) for s in stances]), numbers,
        )  # fmt: skip
    return _in_order(prints)


def footprints_of(clip: Clip) -> tuple[Footprint, ...]:
    """Return the footprints of a clip that carries its contacts, which are taken as they are.

    A stance lasts half a frame longer on both sides than the frames in which it touches.
    Footprints are numbered by foot and time, as no stances are found.
    """
    if clip.contacts is None:
        raise InputError("the clip has no contacts", remedy="find them: gait.contacts")
    poses, feet = clip.world, foot_points(clip.skeleton)
    prints: list[Footprint] = []
    for foot, side in enumerate(SIDES):
        labels = clip.contacts[:, 2 * foot : 2 * foot + 2]
        spans = runs(labels[:, 0] | labels[:, 1])
        if len(spans) == 0:
            continue
        points = [poses.positions[:, p.joint] + rotate(poses.rotations[:, p.joint], p.offset)
                  for p in feet.side(side)[: BALL + 1]]  # fmt: skip
        track = np.stack(points, axis=1)
        sole = _mean_soles(track, labels, spans)
        times = np.clip((spans - [0.5, 0.5]) / clip.fps, 0.0, clip.seconds)
        count = len(prints)
        numbers = list(range(count, count + len(spans)))
        turned = poses.rotations[:, feet.side(side)[HEEL].joint]
        up = _upper_sides(turned, track[:, HEEL, 1], labels, spans)
        prints += _prints(foot, sole, sole[..., 1].min(axis=1), times, numbers, up)
    return _in_order(prints)


def _upper_sides(turned: Floats, heel: Floats, labels: Bools, spans: Ints) -> Floats:
    """Return (N, 3) where soles that lie still have their upper side; NaN for feet that never do.

    turned, heel  (T, 4), (T,) how the foot is turned, and how high its heel is
    """
    flat = (labels[:, 0] & labels[:, 1]).astype(np.float64)
    count = _sums(flat, spans)
    many = np.maximum(count, 1.0)[:, None]
    up = rotate(turned, np.array([0.0, 1.0, 0.0]))
    both = np.column_stack([up, heel, heel**2]) * flat[:, None]
    mean = _sums(both, spans) / many
    still = (count >= _LEAST_STILL) & (mean[:, 4] - mean[:, 3] ** 2 < _STILL_M**2)
    return np.where(still[:, None], mean[:, :3], np.nan)


def _in_order(prints: list[Footprint]) -> tuple[Footprint, ...]:
    return tuple(sorted(prints, key=lambda f: (f.t, f.foot)))


def _prints(
    foot: int,
    sole: Floats,
    levels: Floats,
    times: Floats,
    numbers: list[int],
    up: Floats | None = None,
) -> list[Footprint]:
    """Return the footprints of one foot: heel and ball (N, 2, 3), heights (N,), spans (N, 2).

    up  (N, 3) where the upper side of the sole is, NaN where that is not known
    """
    p, ahead = sole.mean(axis=1), sole[:, 1] - sole[:, 0]
    q = from_yaw(np.arctan2(ahead[:, 0], ahead[:, 2]))
    lies = np.zeros(len(p), np.bool_) if up is None else np.isfinite(up[:, 0])
    if up is not None and lies.any():
        across = cross(up[lies], ahead[lies])
        frame = np.stack([across, cross(ahead[lies], across), ahead[lies]], axis=-1)
        q[lies] = from_matrix(frame / np.maximum(np.linalg.norm(frame, axis=1), 1e-9)[:, None])
    p[~lies, 1] = levels[~lies]
    return [
        Footprint(foot, p[k], q[k], 0.5 * (begin + end), 0.5 * (end - begin), numbers[k])
        for k, (begin, end) in enumerate(times.tolist())
    ]


def _mean_soles(points: Floats, labels: Bools, spans: Ints) -> Floats:
    """Return (N, 2, 3) heel and ball, averaged where a stance is steadiest."""
    weights = _steadiest(labels, spans)
    total = _sums(points * weights[:, None, None], spans)
    return np.asarray(total / _sums(weights, spans)[:, None, None])


def _steadiest(points: Bools, spans: Ints) -> Floats:
    """Return (T,) 1 where heel and toes are down in a stance, else where toes are, else all."""
    flat, toes = points[:, 0] & points[:, 1], points[:, 1]
    weights = np.zeros(len(points))
    ever_flat, ever_toes = _sums(flat, spans) > 0.0, _sums(toes, spans) > 0.0
    for choice, mask in (
        (ever_flat, flat),
        (~ever_flat & ever_toes, toes),
        (~ever_flat & ~ever_toes, np.ones(len(points), np.bool_)),
    ):
        weights[mask_of(spans[choice], len(points)) & mask] = 1.0
    return weights


def _sums(values: NDArray[Any], spans: Ints) -> Floats:
    """Return (N, ...) the sums of values (T, ...) over stretches (N, 2) of frames."""
    total = np.cumsum(values, axis=0, dtype=np.float64)
    total = np.concatenate([np.zeros((1, *values.shape[1:])), total])
    return np.asarray(total[spans[:, 1]] - total[spans[:, 0]])
