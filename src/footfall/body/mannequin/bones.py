"""For skeletons that are not humanoid: a tapered bone for every bone and a ball at every joint."""

from __future__ import annotations

import numpy as np

from footfall.body.mannequin.shapes import (
    BODY,
    Part,
    ball,
    bone_frame,
    close_rings,
    ring_points,
    smooth_rows,
)
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats

_BONE = ((0.0, 0.45), (0.08, 0.8), (0.22, 1.0), (0.6, 0.72), (0.92, 0.5), (1.0, 0.3))


def bones(skeleton: Skeleton) -> list[Part]:
    """Bones to children and end sites, and balls; girth follows length within the size."""
    rest = skeleton.rest_positions
    found = bone_girths(skeleton)
    lengths = [float(np.linalg.norm(end)) for _, end, _ in found]
    usual = float(np.median(lengths)) if lengths else 0.1
    parts, girth = [], np.full(len(skeleton), np.inf)
    for (joint, end, thick), length in zip(found, lengths, strict=True):
        girth[joint] = min(girth[joint], thick)
        parts.append(_bone(rest[joint], rest[joint] + end, length, thick).rigid(joint))
    girth[~np.isfinite(girth)] = 0.06 * usual
    down = np.array([0.0, -1.0, 0.0])
    for joint in _apart(rest):
        parts.append(ball(rest[joint], 0.8 * girth[joint], down, 10, 5).rigid(joint))
    return parts


def bone_girths(skeleton: Skeleton) -> list[tuple[int, Floats, float]]:
    """Joint, far end (3,) told from it, and radius of every bone that has a length."""
    rows = [(int(skeleton.parents[j]), skeleton.offsets[j]) for j in range(1, len(skeleton))]
    rows += list(zip(map(int, skeleton.end_joints), skeleton.end_offsets, strict=True))
    real = [
        (joint, end, size) for joint, end in rows if (size := float(np.linalg.norm(end))) > 1e-6
    ]
    usual = float(np.median([size for _, _, size in real])) if real else 0.1
    return [
        (joint, end, min(0.11 * float(np.clip(size, 0.3 * usual, 2.0 * usual)), 0.4 * size))
        for joint, end, size in real
    ]


def _bone(start: Floats, end: Floats, length: float, thick: float) -> Part:
    rows = smooth_rows(np.array(_BONE), 7)
    rings = ring_points(length * rows[:, 0], np.repeat(thick * rows[:, 1:], 4, 1), 8)
    return close_rings(rings, bone_frame(start, end - start), BODY)


def _apart(rest: Floats) -> list[int]:
    """One joint for each place: joints on the same spot share a ball."""
    seen: dict[tuple[float, ...], int] = {}
    for joint, place in enumerate(rest):
        seen[tuple(np.round(place, 6).tolist())] = joint
    return sorted(seen.values())
