"""How the mannequin's surfaces hang on the joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats, Ints


def smoothstep(values: Floats, low: Floats | float, high: Floats | float) -> Floats:
    """0 up to `low`, 1 from `high`, smooth in between."""
    x = np.clip((values - low) / np.maximum(np.subtract(high, low), 1e-9), 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))


def chain(skeleton: Skeleton, top: int, bottom: int) -> list[int]:
    """The joints from `top` down to `bottom`, both included; [top] if it is not above it."""
    return skeleton.chain(top, bottom) if skeleton.descends(bottom, top) else [top]


def along(stations: Floats, starts: Sequence[float], reach: float) -> Floats:
    """(n, k) weights of k joints in a row for points at `stations` (n,) along that row.

    Joint i takes over from joint i - 1 at `starts[i]` (the first start is not used), within a
    smooth zone that reaches at most `reach` to either side and never past the middle of a
    bone. Joints that start at the same place fall together: only the last of them counts.
    """
    begin = np.maximum.accumulate(np.asarray(starts, dtype=np.float64))
    weights = np.zeros((len(stations), len(begin)))
    weights[:, 0] = 1.0
    different = np.unique(begin[1:])
    for i in range(1, len(begin)):
        near = np.abs(different - begin[i])
        near = near[near > 1e-9]
        half = min(reach, 0.5 * float(near.min())) if near.size else reach
        taken = smoothstep(stations, begin[i] - half, begin[i] + half)
        weights[:, i] = np.minimum(taken, weights[:, i - 1])
        weights[:, i - 1] -= weights[:, i]
    return weights


def strongest_four(
    parts_joints: Sequence[Sequence[int]], parts_weights: Sequence[Floats]
) -> tuple[Ints, Floats]:
    """(V, 4) joints and weights of all parts in a row, unused places joint 0 with weight 0."""
    all_joints, all_weights = [], []
    for joints, weights in zip(parts_joints, parts_weights, strict=True):
        width = max(4, len(joints))
        padded = np.zeros((len(weights), width))
        padded[:, : len(joints)] = weights
        index = np.zeros(width, dtype=np.int32)
        index[: len(joints)] = joints
        order = np.argsort(-padded, axis=1, kind="stable")[:, :4]
        best = np.take_along_axis(padded, order, axis=1)
        best[best < 1e-4] = 0.0
        all_weights.append(best / best.sum(axis=1, keepdims=True))
        all_joints.append(np.where(best > 0.0, index[order], 0))
    return np.concatenate(all_joints), np.concatenate(all_weights)
