"""What raters found: grades by distance with confidence intervals, and Tukey's test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.files.atomic import atomic_file, make_folder_of
from footfall.pose.metrics import METRICS, UNITS
from footfall.studio.rating.pool import BLEND, ORIGINAL, PERCENTILES, Pool, read_pool
from footfall.studio.rating.store import RATINGS_FILE, Ratings

CONFIDENCE, SIGNIFICANT = 0.95, 0.05
ORIGINALS, BEYOND = "originals", "beyond"

Grades = NDArray[np.float64]


@dataclass(frozen=True)
class Group:
    """The grades of clips whose distance is in a range.

    name      ORIGINALS, "0.5 %" … or BEYOND
    upto      the largest distance in it; None where there is none
    low, high the confidence interval of the mean; None with fewer than two grades
    """

    name: str
    upto: float | None
    clips: int
    count: int
    mean: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class GradeDifference:
    """Tukey's honest significant difference: the mean of `first` less that of `second`."""

    first: str
    second: str
    difference: float
    p: float

    @property
    def significant(self) -> bool:
        """Whether chance is an unlikely reason for the difference."""
        return self.p < SIGNIFICANT


@dataclass(frozen=True)
class MetricReport:
    """Grades by the distance of one metric."""

    metric: str
    groups: tuple[Group, ...]
    comparisons: tuple[GradeDifference, ...]

    @property
    def plateau_ends(self) -> str:
        """Between which neighbouring ranges the grade first falls significantly; "" if nowhere."""
        names = [group.name for group in self.groups[1:] if group.count]
        fall = {(c.first, c.second) for c in self.comparisons if c.significant and c.difference > 0}
        return next((f"{a} to {b}" for a, b in pairwise(names) if (a, b) in fall), "")


@dataclass(frozen=True)
class StudyReport:
    """All that a study found."""

    raters: int
    grades: int
    metrics: tuple[MetricReport, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        value = asdict(self)
        for shown, metric in zip(value["metrics"], self.metrics, strict=True):
            shown["plateau_ends"] = metric.plateau_ends
        return value


def report_study(folder: str | Path, output: str | Path | None = None) -> StudyReport:
    """Return what the raters of a study found; write it to `output`, a .md file, if given."""
    pool = read_pool(folder)
    grades = Ratings(folder, pool).grades() if (Path(folder) / RATINGS_FILE).is_file() else []
    report = StudyReport(
        raters=len({rater for rater, _, _ in grades}), grades=len(grades),
        metrics=tuple(_report_metric(metric, pool, grades) for metric in METRICS),
    )  # fmt: skip
    if output is not None:
        make_folder_of(Path(output))
        with atomic_file(Path(output)) as temporary:
            temporary.write_text(report_text(pool, report), "utf-8")
    return report


def _report_metric(metric: str, pool: Pool, grades: Sequence[tuple[int, str, int]]) -> MetricReport:
    """Return grades by the metric's distance; every blend is a sample for every metric."""
    limits = [pool.thresholds[metric][f"{p:g}"] for p in PERCENTILES]
    names = [ORIGINALS, *(f"{p:g} %" for p in PERCENTILES), BEYOND]
    where: dict[str, str] = {}
    for clip in pool.clips:
        if clip.kind == ORIGINAL:
            where[clip.id] = ORIGINALS
        elif clip.kind == BLEND and clip.distances is not None:
            # A blend chosen next to a percentile lies a little to either side of it.
            near = np.array(limits) * (1.0 + _NEAR)
            where[clip.id] = names[1 + int(np.searchsorted(near, clip.distances[metric]))]
    found: dict[str, Grades] = {
        name: np.array([g for _, clip, g in grades if where.get(clip) == name], np.float64)
        for name in names
    }
    clips = list(where.values())
    groups = tuple(
        _group(name, upto, clips.count(name), found[name])
        for name, upto in zip(names, [None, *limits, None], strict=True)
    )
    return MetricReport(metric, groups, _compare(found))


_NEAR = 0.05
"""A blend counts to a percentile from which it is no further than this share."""


def _group(name: str, upto: float | None, clips: int, values: Grades) -> Group:
    from scipy import stats

    if not len(values):
        return Group(name, upto, clips, 0, None, None, None)
    mean = float(values.mean())
    if len(values) < 2:
        return Group(name, upto, clips, len(values), mean, None, None)
    half = float(stats.t.ppf(0.5 + 0.5 * CONFIDENCE, len(values) - 1) * stats.sem(values))
    return Group(name, upto, clips, len(values), mean, mean - half, mean + half)


def _compare(found: dict[str, Grades]) -> tuple[GradeDifference, ...]:
    """Return Tukey's test of every pair of groups that have at least two grades."""
    from scipy import stats

    names = [name for name, values in found.items() if len(values) >= 2]
    if len(names) < 2 or all(np.ptp(found[name]) == 0.0 for name in names):
        return ()
    tested = stats.tukey_hsd(*(found[name] for name in names))
    return tuple(
        GradeDifference(a, b, float(tested.statistic[i, j]), float(tested.pvalue[i, j]))
        for i, a in enumerate(names) for j, b in enumerate(names) if i < j
    )  # fmt: skip


def report_text(pool: Pool, report: StudyReport) -> str:
    """Return the report as Markdown."""
    people = f"{report.raters} rater{'s' * (report.raters != 1)}"
    lines = [
        "# Rating study", "",
        f"{people} gave {report.grades} grades from 1 to 10 to {len(pool.clips)} clips of "
        f"{pool.library or 'a library'}.",
        "Intervals hold the mean with 95 % confidence. They treat grades as independent, as "
        "van Basten and Egges do.",
    ]  # fmt: skip
    for shown in report.metrics:
        lines += ["", f"## {shown.metric.replace('_', ' ')}", ""]
        lines += [f"| distance | up to, {UNITS[shown.metric]} | clips | grades | mean | interval |"]
        lines += ["|---|---|---|---|---|---|"]
        for g in shown.groups:
            upto = "" if g.upto is None else f"{g.upto:.4g}"
            mean = "" if g.mean is None else f"{g.mean:.2f}"
            spread = "" if g.low is None or g.high is None else f"{g.low:.2f} to {g.high:.2f}"
            lines += [f"| {g.name} | {upto} | {g.clips} | {g.count} | {mean} | {spread} |"]
        lines += ["", _findings(shown)]
    return "\n".join(lines) + "\n"


def _findings(shown: MetricReport) -> str:
    if not shown.comparisons:
        return "There are too few grades for a test."
    differ = []
    for c in (c for c in shown.comparisons if c.significant):
        chance = "p < 0.001" if c.p < 0.001 else f"p = {c.p:.3f}"
        differ.append(f"{c.first} and {c.second} ({c.difference:+.2f}, {chance})")
    end = f" The plateau ends from {shown.plateau_ends}." if shown.plateau_ends else ""
    if not differ:
        return "Tukey's test finds no significant difference."
    return f"Tukey's test finds differences (p < {SIGNIFICANT:g}): {'; '.join(differ)}.{end}"
