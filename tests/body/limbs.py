"""Limbs of many frames, solved one by one by the solver that all kernels share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.maths import limb_kernels


@dataclass(frozen=True, eq=False)
class LimbPose:
    """Joints (T, 3) of a limb in the world, turns (T, 4) of its bones, and its hinge (T, 3)."""

    root: np.ndarray
    middle: np.ndarray
    end: np.ndarray
    upper: np.ndarray
    lower: np.ndarray
    hinge: np.ndarray


@dataclass(frozen=True, eq=False)
class LimbSolution:
    """Turns (T, 4) of both bones, and how far the end stays off (T,), metres."""

    upper: np.ndarray
    lower: np.ndarray
    shortfall: np.ndarray


def reach(limb: LimbPose, target: np.ndarray, soft: float = 0.0) -> LimbSolution:
    """Turn a limb so that its end comes to the target (T, 3)."""
    rows = zip(*(a.tolist() for a in vars(limb).values()), target.tolist(), strict=True)
    solved = [limb_kernels.reach(*map(tuple, row), soft) for row in rows]
    upper, lower, shortfall = (np.array(part) for part in zip(*solved, strict=True))
    return LimbSolution(upper, lower, shortfall)
