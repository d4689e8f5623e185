"""Naturalness as a number: how far clips are from real ones, and how far those are from each other.

Clips become windows of features (`footfall.measure.features`). Windows of one behaviour are
compared as Gaussians by the Fréchet distance |Δmean|² + tr(A + B - 2 (A B)^½) in the leading
principal components of the real ones, at equal speed and turn. As a yardstick stands the distance
of real performers from other real performers:

    deal     the real groups (performers, or clips if there is one performer) are dealt, at random
             and repeatedly, into a part A of k groups and a part B of all others; k is half of
             them, or as many as there are groups to be judged if those are fewer
    yardstick  the mean over the deals of the distance from A to B
    distance   the mean over the same deals of the distance from k groups of the judged clips to B
    ratio      distance / yardstick

Both numbers compare k groups with the same B, so that what few performers and few windows add to a
distance is the same in both, and clips of another sample of the same people have a ratio of 1 on
average. Groups count alike in a part however long they are. Windows of one clip or one performer
are never on both sides.

Three things make it strict. Speed and turn are taken out by the slopes that real performers have
within themselves, so that halves that happen to go at different speeds are not far apart for that.
Mirror images of all windows are added on both sides, so that performers who turned to one side are
not either. What leaves the space of the principal components counts as a component of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import InputError, choices
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.measure.features import (
    COLUMNS,
    MOST_DIMENSIONS,
    WINDOWS_PER_DIMENSION,
    Windows,
    feature_columns,
    joined,
    track_of,
    windows_of,
)

DEALS = 12
LEAST_WINDOWS = 40
"""Fewer real windows than this in a part of a deal say nothing about a distribution."""
BANDS = {
    "walk_slow": ("walk", 0.0, 0.30), "walk_normal": ("walk", 0.30, 0.46),
    "walk_fast": ("walk", 0.46, 9.0), "run_slow": ("run", 0.0, 1.05), "run_fast": ("run", 1.05, 9.0),
}  # fmt: skip
"""Behaviour: its kind, and its speeds in √(g leg), which is 2.9 m/s for a leg of 0.85 m."""
BEHAVIOURS = ("walk", "run", "backward", "walk_turn", "run_turn", *BANDS)


@dataclass(frozen=True, eq=False)
class Gaussian:
    """mean (D,) and covariance (D, D)."""

    mean: Floats
    covariance: Floats


@dataclass(frozen=True)
class Naturalness:
    """One behaviour.

    distance      of the judged clips from real ones, in (leg lengths)² summed over a window
    yardstick     of real performers from other real performers
    ratio         distance / yardstick: 1 is as near as people are to each other
    deals         how often the groups were dealt
    groups        how many groups of judged clips, real_groups of real ones, `dealt` in a part
    windows       how many windows of judged clips, and real_windows of real ones
    dimensions    how many components were compared
    by_point      point of the body -> (distance, yardstick) of it alone, correlations left out
    """

    behaviour: str
    distance: float
    yardstick: float
    ratio: float
    deals: int
    groups: int
    real_groups: int
    dealt: int
    windows: int
    real_windows: int
    dimensions: int
    by_point: Mapping[str, tuple[float, float]]


def frechet_distance(a: Gaussian, b: Gaussian) -> float:
    """|Δmean|² + tr(A + B - 2 (A^½ B A^½)^½); 0 for equal Gaussians, never below.

    The square roots go through eigenvalues of symmetric matrices, which stay real and exact also
    where a covariance is singular.
    """
    if a.mean.shape != b.mean.shape:
        raise InputError(
            f"the Gaussians have {len(a.mean)} and {len(b.mean)} dimensions",
            remedy="they must be equal",
        )
    values, axes = np.linalg.eigh(a.covariance)
    root = (axes * np.sqrt(np.maximum(values, 0.0))) @ axes.T
    inner = root @ b.covariance @ root
    cross = np.sqrt(np.maximum(np.linalg.eigvalsh(0.5 * (inner + inner.T)), 0.0)).sum()
    shift = a.mean - b.mean
    spread = np.trace(a.covariance) + np.trace(b.covariance) - 2.0 * cross
    return float(shift @ shift + max(spread, 0.0))


def fit_gaussian(values: Floats, weights: Floats | None = None) -> Gaussian:
    """The Gaussian of samples (N, D) with weights (N,), correlations shrunk towards none.

    By how much is estimated from the samples (Schäfer & Strimmer 2005): the fewer and the less
    certain the correlations, the more.
    """
    count = len(values)
    if count < 2:
        raise InputError(f"there are {count} samples", remedy="a Gaussian needs two")
    w = np.full(count, 1.0 / count) if weights is None else weights / weights.sum()
    mean = w @ values
    centred = values - mean
    effective = 1.0 / float(w @ w)
    covariance = (centred * w[:, None]).T @ centred
    scale = np.sqrt(np.maximum(np.diag(covariance), 1e-30))
    unit = centred / scale
    correlation = covariance / np.outer(scale, scale)
    squares = ((unit**2) * w[:, None]).T @ unit**2
    off = ~np.eye(len(mean), dtype=bool)
    noise = float((squares - correlation**2)[off].sum()) / max(effective - 1.0, 1.0)
    signal = float((correlation[off] ** 2).sum())
    shrink = min(max(noise / signal, 0.0), 1.0) if signal > 0.0 else 1.0
    covariance = np.where(off, (1.0 - shrink) * covariance, covariance)
    return Gaussian(mean, covariance * effective / max(effective - 1.0, 1.0))


def performer_of(clip: Clip) -> str:
    """Who goes, as the clip's name tells ("16_21", "Male1_B3_Walk"); else the clip itself."""
    found = re.match(r"(\d{1,3})_\d+|((?:fe)?male\d+)_|(performer\d+)_", clip.name, re.IGNORECASE)
    return next(part for part in found.groups() if part) if found else clip.name


def naturalness(
    clips: Sequence[Clip],
    reference_clips: Sequence[Clip],
    *,
    behaviour: str | None = None,
    performers: Sequence[str] | None = None,
    reference_performers: Sequence[str] | None = None,
    seed: int = 0,
) -> tuple[Naturalness, ...]:
    """How far clips are from real ones, for one behaviour (BEHAVIOURS) or each that both show.

    performers, reference_performers  who goes in each clip; by default `performer_of`
    """
    if behaviour is not None and behaviour not in BEHAVIOURS:
        raise InputError(
            f"there is no behaviour {behaviour!r}", remedy=choices(BEHAVIOURS, behaviour)
        )
    judged = read_windows(clips, performers)
    real = read_windows(reference_clips, reference_performers)
    names = BEHAVIOURS if behaviour is None else (behaviour,)
    found = (compare_windows(judged, real, name, seed) for name in names)
    return tuple(one for one in found if one is not None)


def read_windows(clips: Sequence[Clip], performers: Sequence[str] | None = None) -> Windows:
    """The windows of clips, each with the number of its performer."""
    if not clips:
        raise InputError("there are no clips", remedy="at least one is needed")
    who = [performer_of(c) for c in clips] if performers is None else list(performers)
    if len(who) != len(clips):
        raise InputError(
            f"there are {len(who)} performers for {len(clips)} clips", remedy="one for each clip"
        )
    if len(set(who)) == 1:
        who = [f"{n}" for n in range(len(clips))]
    number = {name: n for n, name in enumerate(dict.fromkeys(who))}
    return joined([windows_of(track_of(c), number[w]) for c, w in zip(clips, who, strict=True)])


def compare_windows(
    judged: Windows, real: Windows, behaviour: str, seed: int = 0
) -> Naturalness | None:
    """One behaviour, or None where there are too few windows of it on either side."""
    judged, real = _showing(judged, behaviour), _showing(real, behaviour)
    if len(judged) < 2 or len(real) < 2 * LEAST_WINDOWS:
        return None
    groups, real_groups = np.unique(judged.owner), np.unique(real.owner)
    if len(real_groups) < 2:
        return None
    k = min(len(groups), len(real_groups) // 2)
    slopes = _slopes(real)
    flat_judged, flat_real = (
        _at_equal_speed(judged, real, slopes),
        _at_equal_speed(real, real, slopes),
    )
    smaller = int(0.5 * len(real) / 2)  # mirror images are no windows of their own
    components = max(2, min(MOST_DIMENSIONS, smaller // WINDOWS_PER_DIMENSION) - 1)
    basis = _Basis.fit(flat_real, _weights(real.owner), components)
    near, far = basis.apply(flat_judged), basis.apply(flat_real)
    rng = np.random.default_rng([seed, 14])
    sums = np.zeros((2, 1 + len(COLUMNS)))
    deals = _deals(real_groups, k, rng)
    for part in deals:
        inside = np.isin(real.owner, part)
        chosen = np.isin(judged.owner, rng.permutation(groups)[:k])
        b = _parts(far, flat_real, real.owner, ~inside)
        sums[0] += _distances(_parts(near, flat_judged, judged.owner, chosen), b)
        sums[1] += _distances(_parts(far, flat_real, real.owner, inside), b)
    distance, yardstick = sums / len(deals)
    by_point = {
        name: (float(distance[1 + i]), float(yardstick[1 + i])) for i, name in enumerate(COLUMNS)
    }
    return Naturalness(
        behaviour, float(distance[0]), float(yardstick[0]), float(distance[0] / yardstick[0]),
        len(deals), len(groups), len(real_groups), k, len(judged) // 2, len(real) // 2,
        components + 1, by_point,
    )  # fmt: skip


def _showing(windows: Windows, behaviour: str) -> Windows:
    kind, low, high = BANDS.get(behaviour, (behaviour, 0.0, np.inf))
    fits = np.array([k == kind for k in windows.kinds]) & (windows.speed >= low)
    return windows.only(np.flatnonzero(fits & (windows.speed < high)))


def _deals(groups: Ints, k: int, rng: np.random.Generator) -> list[Ints]:
    """Parts of k groups: every one there is if they are few, else some at random."""
    from itertools import combinations
    from math import comb

    if comb(len(groups), k) <= 4 * DEALS:
        return [np.array(part) for part in combinations(groups.tolist(), k)]
    return [rng.permutation(groups)[:k] for _ in range(4 * DEALS)]


def _weights(owner: Ints) -> Floats:
    """(N,) so that every group counts alike."""
    counts = np.bincount(owner)
    return np.asarray(1.0 / counts[owner])


def _slopes(real: Windows) -> Floats:
    """(2, D) how features change with speed and turn within real performers."""
    x = np.stack([real.speed, real.turn], axis=1)
    x, y = x.copy(), real.values.copy()
    for group in np.unique(real.owner):
        mine = real.owner == group
        x[mine] -= x[mine].mean(axis=0)
        y[mine] -= y[mine].mean(axis=0)
    w = _weights(real.owner)[:, None]
    inner = (x * w).T @ x
    return np.linalg.solve(inner + 1e-3 * np.trace(inner) * np.eye(2), (x * w).T @ y)


def _at_equal_speed(windows: Windows, real: Windows, slopes: Floats) -> Floats:
    """(N, D) the features as they would be at the mean real speed, going straight."""
    usual = np.average(real.speed, weights=_weights(real.owner))
    x = np.stack([windows.speed - usual, windows.turn], axis=1)
    return np.asarray(windows.values - x @ slopes)


@dataclass(frozen=True, eq=False)
class _Basis:
    """The leading principal components of real windows; axes (D, C)."""

    mean: Floats
    axes: Floats

    @classmethod
    def fit(cls, values: Floats, weights: Floats, components: int) -> _Basis:
        w = weights / weights.sum()
        mean = w @ values
        centred = (values - mean) * np.sqrt(w)[:, None]
        _, axes = np.linalg.eigh(centred.T @ centred)
        return cls(mean, axes[:, ::-1][:, :components])

    def apply(self, values: Floats) -> Floats:
        """(N, C + 1) the components, and how far off their space each window is."""
        centred = values - self.mean
        inside = centred @ self.axes
        off = np.sqrt(np.maximum((centred**2).sum(axis=1) - (inside**2).sum(axis=1), 0.0))
        return np.concatenate([inside, off[:, None]], axis=1)


_Part = tuple[Gaussian, Floats, Floats]


def _parts(components: Floats, features: Floats, owner: Ints, chosen: Bools) -> _Part:
    """The Gaussian of the components, and means and deviations of the features themselves."""
    weights = _weights(owner[chosen])
    weights /= weights.sum()
    values = features[chosen]
    mean = weights @ values
    deviation = np.sqrt(weights @ (values - mean) ** 2)
    return fit_gaussian(components[chosen], weights), mean, deviation


_COLUMN = {name: n for n, name in enumerate(COLUMNS)}
_POINT_OF = np.array([_COLUMN[point] for point, _ in feature_columns()])


def _distances(a: _Part, b: _Part) -> Floats:
    """The distance, and that of each of COLUMNS by itself."""
    each = (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2
    points = np.bincount(_POINT_OF, weights=each, minlength=len(COLUMNS))
    return np.concatenate([[frechet_distance(a[0], b[0])], points])


@dataclass(frozen=True)
class Comparison:
    """Clips beside a reference: their naturalness per behaviour."""

    behaviours: tuple[Naturalness, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers, for JSON."""
        return {"behaviours": [asdict(one) for one in self.behaviours]}


def compare(clips: Sequence[Clip], reference: Sequence[Clip], *, seed: int = 0) -> Comparison:
    """What `footfall measure --against` shows; `reference` are the real clips, or a library's."""
    return Comparison(naturalness(clips, reference, seed=seed))
