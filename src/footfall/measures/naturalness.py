"""Measure naturalness: the distance of clips to real ones, beside that between real ones.

Clips become windows of features (`footfall.measures.features`). FeatureWindows of one behaviour are
compared as Gaussians by the Fréchet distance |Δmean|² + tr(A + B - 2 (A B)^½) in the leading
principal components of the real ones. As a yardstick stands the distance of real performers from
other real performers, the split-half distance:

    deal       the real groups (performers, or clips where only one performer is known) are dealt,
               repeatedly, into a part A of k groups and a part B of all others; k is half of them,
               or as many as there are groups to be judged if those are fewer
    yardstick  the mean over the deals of the distance from A to B
    distance   the mean over the same deals of the distance from k groups of the judged clips to B
    ratio      distance / yardstick

Both compare k groups with the same B, so what few performers and few windows add to a distance
is in both, and clips of other people of the same kind have a ratio of 1 on average. Groups count
alike in a part, however long they are. FeatureWindows of one group are never on both sides.

Three things keep the yardstick short. Speed and turn are taken out by the slopes that real
performers have within themselves, so parts that go at different speeds are not far apart for
that. Mirror images of all windows are added on both sides, so performers who turned to one side
are not either. What leaves the space of the components counts as one more component.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints
from footfall.measures.features import (
    MOST_DIMENSIONS,
    PARTS,
    WINDOWS_PER_DIMENSION,
    Basis,
    FeatureWindows,
    equal_shares,
    join_windows,
    shares_at_speeds_of,
    track_of,
    windows_of,
)
from footfall.measures.gait_figures import FigureRow, compare_figures

DEALS = 40
LEAST_WINDOWS, LEAST_IN_ALL = 8, 40
"""Real groups with fewer windows are left out; fewer in all say nothing about a spread."""
BANDS = {
    "walk": ("walk", 0.25, 0.8),
    "walk_slow": ("walk", 0.1, 0.25),
    "walk_normal": ("walk", 0.25, 0.46),
    "walk_fast": ("walk", 0.46, 0.8),
    "run": ("run", 0.5, 2.0),
    "run_slow": ("run", 0.5, 1.05),
    "run_fast": ("run", 1.05, 2.0),
    "walk_turn": ("walk_turn", 0.1, 0.8),
    "run_turn": ("run_turn", 0.4, 2.0),
    "backward": ("backward", 0.1, 0.6),
}
"""Behaviour: its kind, and its speeds in √(g leg), which is 2.9 m/s for a leg of 0.85 m."""
BEHAVIOURS = tuple(BANDS)


@dataclass(frozen=True, eq=False)
class Gaussian:
    """mean (D,) and covariance (D, D)."""

    mean: Floats
    covariance: Floats


@dataclass(frozen=True)
class Naturalness:
    """One behaviour.

    distance      of the judged clips from real ones, in (leg lengths)² summed over a window
    yardstick     of real performers from other real performers, the same unit
    ratio         distance / yardstick: 1 is as near as people are to each other
    parts         the same ratio for each part of the body by itself (PARTS); grip is how still
                  the foot stands that carries
    deals         how often the groups were dealt
    groups        how many groups of judged clips; real_groups of real ones; `dealt` in a part
    windows       how many windows of judged clips at speeds of real ones; real_windows of those
    dimensions    how many components were compared
    """

    behaviour: str
    distance: float
    yardstick: float
    ratio: float
    parts: Mapping[str, float]
    deals: int
    groups: int
    real_groups: int
    dealt: int
    windows: int
    real_windows: int
    dimensions: int


def frechet_distance(a: Gaussian, b: Gaussian) -> float:
    """Return |Δmean|² + tr(A + B - 2 (A^½ B A^½)^½); 0 for equal Gaussians, never below.

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
    """Return the Gaussian of samples (N, D) with weights (N,), correlations shrunk towards none.

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
    """Return the performer that a clip's name states ("16_21", "Male1_B3_Walk"), or the clip."""
    found = re.match(r"(\d{1,3})_\d+|((?:fe)?male\d+)_|(performer\d+)_", clip.name, re.IGNORECASE)
    return next(part for part in found.groups() if part) if found else clip.name


def _each(judged: FeatureWindows, real: FeatureWindows, seed: int) -> tuple[Naturalness, ...]:
    """Return every behaviour that both show enough of."""
    found = (compare_windows(showing(judged, b), real, b, seed) for b in BEHAVIOURS)
    return tuple(one for one in found if one is not None)


def read_windows(clips: Sequence[Clip], performers: Sequence[str] | None = None) -> FeatureWindows:
    """Return the windows of clips, each with the number of its performer or clip."""
    if not clips:
        raise InputError("there are no clips", remedy="at least one is needed")
    who = [performer_of(c) for c in clips] if performers is None else list(performers)
    if len(who) != len(clips):
        raise InputError(
            f"there are {len(who)} performers for {len(clips)} clips", remedy="one for each clip"
        )
    if len(set(who)) == 1:
        who = [str(n) for n in range(len(clips))]
    number = {name: n for n, name in enumerate(dict.fromkeys(who))}
    return join_windows(
        [windows_of(track_of(c), number[w]) for c, w in zip(clips, who, strict=True)]
    )


def showing(windows: FeatureWindows, behaviour: str) -> FeatureWindows:
    """Return those that show a behaviour."""
    kind, low, high = BANDS[behaviour]
    fits = np.array([k == kind for k in windows.kinds], dtype=bool)
    return windows.only(
        np.flatnonzero(fits & (windows.speed >= low) & (windows.speed < high)).astype(np.int32)
    )


def compare_windows(
    judged: FeatureWindows, real: FeatureWindows, behaviour: str, seed: int = 0
) -> Naturalness | None:
    """Judged windows as a behaviour of the real ones; None where there is too little of it."""
    real = showing(real, behaviour)
    # Each window has its mirror image, which is no window of its own.
    enough = np.bincount(real.owner, minlength=1) >= 2 * LEAST_WINDOWS
    real = real.only(np.flatnonzero(enough[real.owner]).astype(np.int32))
    real_groups = np.unique(real.owner)
    if len(judged) < 4 or len(real) < 2 * LEAST_IN_ALL or len(real_groups) < 2:
        return None
    shares = shares_at_speeds_of(judged, real)
    if not shares.any():
        return None
    judged, shares = judged.only(np.flatnonzero(shares).astype(np.int32)), shares[shares > 0.0]
    groups = np.unique(judged.owner)
    k = min(len(groups), len(real_groups) // 2)
    rng = np.random.default_rng([seed, 14])
    deals = [(part, rng.permutation(groups)[:k]) for part in _deals(real_groups, k, rng)]
    dimensions = max(3, min(MOST_DIMENSIONS, len(real) // 4 // WINDOWS_PER_DIMENSION))
    whole = _split(judged, shares, real, deals, dimensions)
    parts = {
        name: _split(judged.about(about), shares, real.about(about), deals, dimensions)
        for name, about in PARTS.items()
    }
    return Naturalness(
        behaviour=behaviour,
        distance=whole[0],
        yardstick=whole[1],
        ratio=whole[0] / whole[1],
        parts={name: d / y for name, (d, y) in parts.items()},
        deals=len(deals),
        groups=len(groups),
        real_groups=len(real_groups),
        dealt=k,
        windows=len(judged) // 2,
        real_windows=len(real) // 2,
        dimensions=dimensions,
    )


def _split(
    judged: FeatureWindows,
    shares: Floats,
    real: FeatureWindows,
    deals: list[tuple[Ints, Ints]],
    dimensions: int,
) -> tuple[float, float]:
    """Return the mean distances of judged parts and of real parts from all other real groups."""
    basis = Basis.fit(real, min(dimensions, real.values.shape[1]) - 1)
    ours = basis.components(basis.at_equal_speed(judged))
    theirs = basis.components(basis.at_equal_speed(real))
    alike = equal_shares(real.owner)
    sums = np.zeros(2)
    for part, chosen in deals:
        inside, mine = np.isin(real.owner, part), np.isin(judged.owner, chosen)
        others = fit_gaussian(theirs[~inside], alike[~inside])
        sums[0] += frechet_distance(fit_gaussian(ours[mine], shares[mine]), others)
        sums[1] += frechet_distance(fit_gaussian(theirs[inside], alike[inside]), others)
    distance, yardstick = (sums / len(deals)).tolist()
    return distance, max(yardstick, 1e-12)


def _deals(groups: Ints, k: int, rng: np.random.Generator) -> list[Ints]:
    """Parts of k groups: all there are if they are few, else some at random."""
    if comb(len(groups), k) <= DEALS:
        return [np.array(part, np.int32) for part in combinations(groups.tolist(), k)]
    return [rng.permutation(groups)[:k] for _ in range(DEALS)]


@dataclass(frozen=True)
class Comparison:
    """Clips beside a reference.

    behaviours  how natural the clips are, per behaviour that both show
    figures     each figure of their gait beside its range in the reference at the same speed
    unseen      share of the clips' windows that show none of BEHAVIOURS, 0 to 1: standing,
                sitting, jumping, or going as nobody goes
    """

    behaviours: tuple[Naturalness, ...]
    figures: tuple[FigureRow, ...]
    unseen: float

    def as_dict(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers, for JSON."""
        return asdict(self)


def compare(clips: Sequence[Clip], reference: Sequence[Clip], *, seed: int = 0) -> Comparison:
    """Return what `footfall measure --against` prints; `reference` is clips or a library."""
    judged, real = read_windows(clips), read_windows(reference)
    return Comparison(
        behaviours=_each(judged, real, seed),
        figures=compare_figures(clips, reference),
        unseen=judged.kinds.count("") / max(len(judged), 1),
    )
