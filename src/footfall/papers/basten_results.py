"""Results of both experiments as arrays, and the paper's findings they show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.papers import basten_paper as paper
from footfall.papers.findings import Claim
from footfall.papers.statistics import Variance, analyse, tukey


@dataclass(frozen=True, eq=False)
class MetricResults:
    """Three metrics (M), four sizes (S), R runs along the zigzag, in the paper's order.

    counts            (M, S, 3) edges, nodes, frames
    clips             (M, S) how many of the five clips have a node
    minima            (M,) local minima of the whole distance matrix
    deviation_cm2     (M, S, R) sum over the frames of the squared distance from the path
    deviation_rms_cm  (M, S, R) the root of its mean
    skating_cm        (M, S, R) the paper's foot skating, in all
    time_s            (M, S, R) of the search
    cycle_edges       (M,) mean length of the shortest cycle through a node, size IV
    into_tight_left   (M,) share of the passages between clips that enter the tight left one
    self_blends       (M,) share of the transitions that stay in their clip
    """

    counts: Ints
    clips: Ints
    minima: Ints
    deviation_cm2: Floats
    deviation_rms_cm: Floats
    skating_cm: Floats
    time_s: Floats
    cycle_edges: Floats
    into_tight_left: Floats
    self_blends: Floats


@dataclass(frozen=True, eq=False)
class AbstractionResults:
    """Five path abstractions (K), seven graphs (T), three paths (P), R runs, in the paper's order.

    counts            (T, 3) nodes, edges, frames
    thresholds        (T,) the largest distance of a transition
    recorded          (5, P) Table 1 of the recorded walks
    skating_cm        (K, T, P, R) the paper's foot skating, a frame
    amplitude_cm      (K, T, P, R) mean lateral offset at the extrema of the sway
    wavelength_cm     (K, T, P, R) mean distance of one extremum from the next
    amplitude_dev_cm  (K, T, P, R) and their standard deviations
    wavelength_dev_cm (K, T, P, R)

    A walk too short to sway twice has no wavelength: nan, left out of every mean.
    """

    counts: Ints
    thresholds: Floats
    recorded: Floats
    skating_cm: Floats
    amplitude_cm: Floats
    wavelength_cm: Floats
    amplitude_dev_cm: Floats
    wavelength_dev_cm: Floats

    def off_amplitude_cm(self) -> Floats:
        """Return (K, T, P, R) how far the amplitude is from that of the recorded walk."""
        return np.asarray(np.abs(self.amplitude_cm - self.recorded[1][:, None]))

    def off_wavelength_cm(self) -> Floats:
        """Return (K, T, P, R) how far the wavelength is from that of the recorded walk."""
        return np.asarray(np.abs(self.wavelength_cm - self.recorded[2][:, None]))


def technique_effect(values: Floats) -> Variance:
    """Return the effect of the abstraction on values (K, T, P, R), runs repeated."""
    return analyse(np.nanmean(values, axis=(1, 2)).T)


def differing(values: Floats, level: float = 0.05) -> dict[tuple[int, int], float]:
    """Return the pairs of abstractions that differ in (K, T, P, R), with mean differences."""
    table = np.nanmean(values, axis=(1, 2)).T
    return {(pair.a, pair.b): pair.difference for pair in tukey(table) if pair.p < level}


def metric_findings(found: MetricResults) -> Iterator[Claim]:
    """Yield what the paper's Tables 3 to 5 and §5.3 say, on these figures."""
    deviation = found.deviation_cm2.mean(axis=2)
    skating, time = found.skating_cm.mean(axis=2), found.time_s.mean(axis=2)
    cloud, angles, parts = range(3)
    fall = deviation[:, 0] / deviation[:, 3]
    yield Claim(
        "the path deviation falls at least tenfold from size I to size IV (paper: 23 to 30 times)",
        bool(np.all(fall >= 10.0)),
        ", ".join(f"{metric_words(m)} {f:.1f}×" for m, f in zip(paper.METRICS, fall, strict=True)),
    )
    yield _least("joint-angle graphs deviate least at sizes II to IV", deviation, angles)
    yield Claim(
        "point-cloud graphs deviate more than joint-angle graphs at every size",
        bool(np.all(deviation[cloud] > deviation[angles])),
        _by_size(lambda s: f"{deviation[cloud, s] / deviation[angles, s]:.2f}×"),
    )
    yield _least("point-cloud graphs skate least at sizes II to IV", skating, cloud)
    yield Claim(
        "joint-angle graphs skate more than principal components at sizes II to IV",
        bool(np.all(skating[angles, 1:] > skating[parts, 1:])),
        _by_size(lambda s: f"{skating[angles, s] / skating[parts, s]:.2f}×"),
    )
    growth = skating[:, 3] / skating[:, 0]
    yield Claim(
        "with the size, skating grows fastest with joint angles",
        bool(np.argmax(growth) == angles and growth[angles] > 1.0),
        ", ".join(
            f"{metric_words(m)} {g:.2f}×" for m, g in zip(paper.METRICS, growth, strict=True)
        ),
    )
    yield _least("the search is fastest on joint-angle graphs at sizes II to IV", time, angles)
    yield Claim(
        "the search takes longer the larger the graph",
        bool(np.all(np.diff(time, axis=1) > 0.0)),
        ", ".join(
            f"{metric_words(m)} {1e3 * t[0]:.0f} to {1e3 * t[3]:.0f} ms"
            for m, t in zip(paper.METRICS, time, strict=True)
        ),
    )
    yield from _structure_findings(found)


def _structure_findings(found: MetricResults) -> Iterator[Claim]:
    cloud, angles, parts = range(3)
    cycles, into, own = found.cycle_edges, found.into_tight_left, found.self_blends
    each = list(enumerate(paper.METRICS))
    yield Claim(
        "the joint-angle matrix has the fewest local minima",
        bool(np.argmin(found.minima) == angles),
        ", ".join(f"{metric_words(m)} {found.minima[k]:,}" for k, m in each),
    )
    yield Claim(
        "the shortest cycles are longest in joint-angle graphs (paper: 10–11 against 8–9 edges)",
        bool(np.argmax(cycles) == angles),
        ", ".join(f"{metric_words(m)} {cycles[k]:.1f}" for k, m in each),
    )
    yield Claim(
        "passages into the tight left clip: fewest with the point cloud, most with joint angles "
        "(paper: 4, 13 and 19 %)",
        bool(into[cloud] < into[parts] < into[angles]),
        ", ".join(f"{metric_words(m)} {100 * into[k]:.0f} %" for k, m in each),
    )
    yield Claim(
        "point-cloud graphs pass more often within one clip than joint-angle graphs",
        bool(own[cloud] > own[angles]),
        ", ".join(f"{metric_words(m)} {100 * own[k]:.0f} %" for k, m in each),
    )


def abstraction_findings(found: AbstractionResults) -> Iterator[Claim]:
    """Yield what the paper's Figures 8 to 12 and §6.3 say, on these figures."""
    pelvis, joints, _, gaussian, _ = range(5)
    skate, off_amplitude = found.skating_cm, found.off_amplitude_cm()
    yield _worst("the pelvis method skates most, significantly", skate, pelvis)
    yield _best("Gaussian smoothing skates least, significantly", skate, (gaussian,))
    yield _worst("the pelvis method is farthest from the recorded amplitude", off_amplitude, pelvis)
    yield _best(
        "Gaussian smoothing and joint combination are nearest to the recorded amplitude",
        off_amplitude,
        (gaussian, joints),
    )
    straight = np.nanmean(found.amplitude_cm[:, :, 0], axis=2)
    slope = np.polyfit(paper.THRESHOLDS, straight.T, 1)[0]
    yield Claim(
        "on the straight path the pelvis method loses amplitude as the threshold grows, "
        "the others do not",
        bool(slope[pelvis] < 0.0 and np.all(np.abs(slope[1:]) < abs(slope[pelvis]))),
        ", ".join(
            f"{r} {s:+.2f} cm a step" for r, s in zip(paper.ABSTRACTIONS, slope, strict=True)
        ),
    )
    yield _stays_near(found, "amplitude", found.amplitude_cm, found.recorded[1])
    yield _stays_near(found, "wavelength", found.wavelength_cm, found.recorded[2])
    off_wave = np.nanmean(found.off_wavelength_cm()[:, :, :2], axis=(1, 2, 3))
    yield Claim(
        "on the straight and the low-curvature path every abstraction is nearer to the recorded "
        "wavelength than the pelvis method",
        bool(np.all(off_wave[1:] < off_wave[pelvis])),
        ", ".join(f"{r} {v:.1f} cm" for r, v in zip(paper.ABSTRACTIONS, off_wave, strict=True)),
    )
    spread = np.nanmean(found.wavelength_dev_cm, axis=(2, 3))
    trend = np.polyfit(paper.THRESHOLDS, spread.T, 1)[0]
    yield Claim(
        "the spread of the wavelength grows with the threshold fastest for the pelvis method",
        bool(trend[pelvis] > 0.0 and np.argmax(trend) == pelvis),
        ", ".join(f"{r} {t:+.2f} cm" for r, t in zip(paper.ABSTRACTIONS, trend, strict=True)),
    )


def _stays_near(found: AbstractionResults, what: str, values: Floats, recorded: Floats) -> Claim:
    gaussian = paper.ABSTRACTIONS.index("gaussian")
    ratio = np.nanmean(values[gaussian, 1:], axis=(0, 2)) / recorded
    return Claim(
        f"Gaussian smoothing keeps the {what} within 15 % of the recorded one",
        bool(np.all(np.abs(ratio - 1.0) <= 0.15)),
        ", ".join(f"{p} {100 * (r - 1):+.0f} %" for p, r in zip(paper.PATHS, ratio, strict=True)),
    )


def _least(statement: str, values: Floats, which: int) -> Claim:
    return Claim(
        statement,
        bool(np.all(np.argmin(values[:, 1:], axis=0) == which)),
        _by_size(lambda s: metric_words(paper.METRICS[int(np.argmin(values[:, s]))])),
    )


def _worst(statement: str, values: Floats, which: int) -> Claim:
    means, pairs = np.nanmean(values, axis=(1, 2, 3)), differing(values)
    sure = all(_pair(which, k) in pairs for k in range(len(means)) if k != which)
    return Claim(statement, bool(np.argmax(means) == which) and sure, _each(means))


def _best(statement: str, values: Floats, which: tuple[int, ...]) -> Claim:
    means, pairs = np.nanmean(values, axis=(1, 2, 3)), differing(values)
    others = [k for k in range(len(means)) if k not in which]
    holds = all(means[w] < means[k] and _pair(w, k) in pairs for w in which for k in others)
    return Claim(statement, holds, _each(means))


def _pair(a: int, b: int) -> tuple[int, int]:
    return (min(a, b), max(a, b))


def _each(means: Floats) -> str:
    return ", ".join(f"{r} {m:.2f}" for r, m in zip(paper.ABSTRACTIONS, means, strict=True))


def _by_size(text: Callable[[int], str]) -> str:
    return ", ".join(f"{name} {text(size)}" for size, name in enumerate(paper.SIZES))


def metric_words(metric: str) -> str:
    """Return the name of a metric in words."""
    return metric.replace("_", " ")
