"""The statistics the papers report: repeated-measures analysis of variance and Tukey's test.

Both take a table of values with one row per run and one column per technique; the rows are the
same runs (same path, same start) under every technique, so what differs between rows is taken out
before techniques are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Floats


@dataclass(frozen=True)
class Variance:
    """Is there any difference between the techniques?

    f         the ratio of the techniques' variance to what is left over
    between   degrees of freedom between the techniques
    within    degrees of freedom of what is left over
    p         how likely such an f is if there were no difference
    epsilon   Greenhouse and Geisser's: 1 where the differences vary alike
    p_corrected  p with both degrees of freedom multiplied by epsilon
    """

    f: float
    between: int
    within: int
    p: float
    epsilon: float
    p_corrected: float

    def __str__(self) -> str:
        return f"F({self.between}, {self.within}) = {self.f:.2f}, {p_value_text(self.p)}"


@dataclass(frozen=True)
class ComparedPair:
    """Column `a` against column `b`: the mean of a minus that of b, and how likely by chance."""

    a: int
    b: int
    difference: float
    p: float


def analyse(values: ArrayLike) -> Variance:
    """Return one-way repeated measures of values (R, K): R runs under each of K techniques."""
    from scipy import stats

    table = _table(values)
    runs, techniques = table.shape
    between, within = techniques - 1, (techniques - 1) * (runs - 1)
    mean_square = _residual_square(table)
    effect = runs * float(np.sum((table.mean(axis=0) - table.mean()) ** 2)) / between
    effect = effect if effect > _rounding_error(table) else 0.0
    f = float(effect / mean_square) if mean_square > 0.0 else (np.inf if effect > 0.0 else 0.0)
    epsilon = _sphericity(table)
    return Variance(
        f, between, within,
        float(stats.f.sf(f, between, within)),
        epsilon,
        float(stats.f.sf(f, epsilon * between, epsilon * within)),
    )  # fmt: skip


def tukey(values: ArrayLike) -> tuple[ComparedPair, ...]:
    """Return every pair of columns of values (R, K), honest about how many pairs are looked at."""
    from scipy import stats

    table = _table(values)
    runs, techniques = table.shape
    within = (techniques - 1) * (runs - 1)
    error = np.sqrt(_residual_square(table) / runs)
    means = table.mean(axis=0)
    pairs = []
    for a in range(techniques):
        for b in range(a + 1, techniques):
            gap = float(means[a] - means[b])
            q = abs(gap) / error if error > 0.0 else (np.inf if gap else 0.0)
            p = float(stats.studentized_range.sf(q, techniques, within)) if np.isfinite(q) else 0.0
            pairs.append(ComparedPair(a, b, gap, p))
    return tuple(pairs)


def p_value_text(p: float) -> str:
    """Return a probability as papers print it."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def linear_fit(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Slope and R² of the straight line through points."""
    a, b = np.asarray(x, float), np.asarray(y, float)
    slope, start = np.polyfit(a, b, 1)
    rest = ((b - start - slope * a) ** 2).sum()
    return float(slope), float(1.0 - rest / max(((b - b.mean()) ** 2).sum(), 1e-12))


def _table(values: ArrayLike) -> Floats:
    table = np.asarray(values, np.float64)
    if table.ndim != 2 or min(table.shape) < 2 or not np.isfinite(table).all():
        raise InputError(
            f"the values have the shape {table.shape}",
            remedy="it takes finite numbers, at least two runs (rows) of two techniques (columns)",
        )
    return table


def _residual_square(table: Floats) -> float:
    """Return what neither run nor technique explains, per degree of freedom."""
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    rows, columns = table.shape
    left = float(np.sum(rest**2)) / ((rows - 1) * (columns - 1))
    # Equal columns shifted by a constant leave nothing over but rounding.
    return left if left > _rounding_error(table) else 0.0


def _rounding_error(table: Floats) -> float:
    """Return a sum of squares so small that it is rounding, not variance."""
    return 1e-24 * max(float(np.sum(table**2)), 1e-300)


def _sphericity(table: Floats) -> float:
    covariance = np.cov(table, rowvar=False)
    k = len(covariance)
    centred = (
        covariance - covariance.mean(axis=0) - covariance.mean(axis=1)[:, None] + covariance.mean()
    )
    square = float(np.sum(centred**2))
    if square == 0.0:
        return 1.0
    return float(np.clip(np.trace(centred) ** 2 / ((k - 1) * square), 1.0 / (k - 1), 1.0))
