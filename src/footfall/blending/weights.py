"""Weights of examples: cardinal basis functions over their parameters (Park et al. 2002, §4.2).

A weight is a linear function of the parameters plus cubic B-splines around the examples, so that at
an example's own parameters it is one for that example and nought for all others. Such weights
are often negative. Where we differ: they are then brought to the nearest weights that are not,
still sum to one and still give the parameters that were asked for; what lies outside of all
examples goes to the nearest point that does not.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Floats
from footfall.maths.rounding import round_to_grid

_LEAST_RANGE = 1e-9
_FARTHEST = 3.0
SUM_ROW = 4.0
"""How much more the sum of the weights counts than a parameter, outside of all examples."""


BasisArrays = namedtuple("BasisArrays", "low span points linear radial reach rows row_weights")
"""The arrays of a `Basis`, for kernels."""


@dataclass(frozen=True, eq=False)
class Basis:
    """Basis functions of E examples with P parameters.

    names     of the parameters      values  (E, P) of the examples, in their own units
    low, span (P,) what is taken off and divided by
    points    (E, P) the values, normalised
    linear    (P + 1, E) coefficients of one and of the parameters
    radial    (E, E) of the B-splines, reach (E,) how far each reaches
    rows      (P + 1, E) ones and normalised parameters, weighed for projection
    """

    names: tuple[str, ...]
    values: Floats
    low: Floats
    span: Floats
    points: Floats
    linear: Floats
    radial: Floats
    reach: Floats
    rows: Floats
    row_weights: Floats

    def __len__(self) -> int:
        return len(self.values)

    def weights(self, asked: Floats) -> tuple[Floats, Floats]:
        """(E,) weights for parameters (P,), and the parameters (P,) that they give.

        Those differ from what was asked for where no blend of the examples has it: then they are
        the nearest that one has (see `covers`).
        """
        from footfall.blending.weight_kernels import find_weights

        asked = self._check(asked)
        count = len(self.values)
        size = len(self.rows)
        out, memory = np.empty(count), np.empty((size + 4, max(count, size)))
        dual = np.zeros(len(self.rows))
        find_weights(asked, self.arrays, dual, memory, out)
        return out, out @ self.values

    def covers(self, asked: Floats, within: float = 1e-3) -> bool:
        """Whether a blend of examples has these parameters (P,), to a share of their ranges."""
        asked = self._check(asked)
        return bool((np.abs(self.weights(asked)[1] - asked) <= within * self.span).all())

    def _check(self, asked: Floats) -> Floats:
        asked = np.asarray(asked, float)
        if asked.shape != self.low.shape or not np.isfinite(asked).all():
            raise InputError(
                f"parameters are {np.array2string(asked, threshold=8)}",
                remedy=f"finite numbers for {', '.join(self.names)}",
            )
        # What is absurdly far is as far away as makes any difference.
        far = _FARTHEST * self.span
        return np.clip(asked, self.low - far, self.low + self.span + far)

    @property
    def arrays(self) -> BasisArrays:
        """Return what the kernels go by."""
        return BasisArrays(*(getattr(self, name) for name in BasisArrays._fields))


def make_basis(
    names: tuple[str, ...], values: Floats, importance: Floats | None = None,
    least_span: Floats | None = None,
) -> Basis:  # fmt: skip
    """The basis functions of examples with parameters `values` (E, P).

    importance  (P,) how much each counts where not all can be met
    least_span  (P,) parameters that differ by less than this are not blown up to their range

    Parameters that are the same in all examples, examples that lie on a line, and a single example
    work; two examples with the same parameters share the weight between them.
    """
    values = np.asarray(values, float)
    if values.ndim != 2 or not len(values) or not np.isfinite(values).all():
        raise InputError(
            f"examples have parameters of shape {values.shape}",
            remedy="at least one example, and finite numbers",
        )
    low, span = values.min(axis=0), np.ptp(values, axis=0)
    span = np.where(span > _LEAST_RANGE, span, 1.0)
    if least_span is not None:
        span = np.maximum(span, least_span)
    points = (values - low) / span
    ones = np.column_stack([np.ones(len(points)), points])
    linear = np.linalg.pinv(ones)
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    others = np.where(apart > 1e-6, apart, np.inf)
    reach = np.where(np.isfinite(others.min(axis=1)), others.min(axis=1), 1.0)
    bells = bspline_bell(apart / reach[None, :])
    rest = np.eye(len(points)) - ones @ linear
    radial = np.linalg.lstsq(bells, rest, rcond=1e-10)[0]
    weights = np.concatenate([[SUM_ROW], np.ones(len(low)) if importance is None else importance])
    return Basis(
        names, values, low, span, points, round_to_grid(linear), round_to_grid(radial), reach,
        np.ascontiguousarray(ones.T) * weights[:, None], weights,
    )  # fmt: skip


def bspline_bell(u: Floats) -> Floats:
    """The cubic B-spline: 2/3 at 0, nought from 2 on."""
    inner = 2.0 / 3.0 - u * u + 0.5 * u**3
    outer = np.clip(2.0 - u, 0.0, None) ** 3 / 6.0
    return np.asarray(np.where(u < 1.0, inner, outer))
