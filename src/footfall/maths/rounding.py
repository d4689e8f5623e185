"""Rounding to fixed grids, so that results have the same bytes on every CPU.

Additions, multiplications, divisions and square roots of IEEE 754 are exact to the last bit
everywhere. Sines, logarithms and powers are not: numpy and libm choose their code by CPU.
Neither are matrix products and decompositions: BLAS adds in an order that suits the CPU.

Such results differ by some 1e-16, and a minimum, a threshold or a sorted order turns the last bit
into another choice. So they are rounded where they are stored or compared: clips, distances,
alignments, costs. All that is computed from them by exact operations is then equal as well.

A value within rounding error of the boundary between two grid points may still go either way. With
errors of 1e-15 and a step of 1e-7 that is one value in a hundred million. Where long chains of
operations amplify errors, round at their beginning and use a coarser step at their end.

Steps are powers of two. Then rounding itself is exact, sums of grid points are exact in any
order, and so are products as long as they fit into 53 bits (see `exact_factors`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

Model = TypeVar("Model", bound=Any)

POSITION_M = 2.0**-20
"""The step of stored positions: a micrometre."""
ROTATION = 2.0**-22
"""The step of the components of stored quaternions: half a microradian. Exact in 32 bits."""
ANGLE = 2.0**-24
"""The step of stored angles: 60 nanoradians."""
FINE = 2.0**-30
"""The step of distances, weights and costs, in their own unit: 1e-9."""

_UP_FROM = 0.4563
"""The share of a step from which values are rounded away from zero. Not one half: means of values
that are on a grid already lie exactly between grid points, where errors would decide."""
_FACTOR_BITS = 26


def round_to_grid(values: ArrayLike, step: float = FINE) -> Floats:
    """Return the multiples of `step`, a power of two, that are next to `values`.

    They are nearest but for what is just below the middle between two: see `_UP_FROM`. Rounding
    treats both signs alike, there is no negative zero, and infinite values stay as they are.
    """
    values = np.asarray(values, np.float64)
    count = np.floor(np.abs(values) / step + (1.0 - _UP_FROM))
    return np.asarray(np.copysign(count * step, values) + 0.0)


def round_rotations(rotations: ArrayLike) -> Floats:
    """Return unit quaternions (..., 4), rounded to the step ROTATION and made unit again.

    The second step depends on no CPU: the squares of rounded components add up exactly.
    """
    return quat.normalise(round_to_grid(rotations, ROTATION))


def round_fields(value: Model, **steps: float) -> Model:
    """Return a copy of a dataclass whose named fields, numbers or arrays, are rounded to steps."""
    found: dict[str, Any] = {}
    for name, step in steps.items():
        rounded = round_to_grid(getattr(value, name), step)
        found[name] = float(rounded) if rounded.ndim == 0 else rounded
    return replace(value, **found)


def exact_factors(rows: Floats) -> Floats:
    """Return rows (N, K) rounded so that all scalar products of two of them are exact.

    Any BLAS gives the same products, in whatever order it adds. The step is 2**-26 of the longest
    row, so a sum of products needs no more than 53 bits.
    """
    longest = math.sqrt(float(np.max(np.sum(rows * rows, axis=1), initial=0.0)))
    if longest == 0.0:
        return rows
    return round_to_grid(rows, 2.0 ** (math.ceil(math.log2(longest)) - _FACTOR_BITS))
