"""Report Tables 1 to 6 and Figures 2 and 8 to 12 with the printed numbers beside ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from footfall.graph.model import MotionGraph
from footfall.maths.arrays import Floats
from footfall.measures.oscillation import oscillation
from footfall.papers import basten_paper as paper
from footfall.papers import basten_plots as plots
from footfall.papers.basten_data import Database
from footfall.papers.basten_results import (
    AbstractionResults,
    MetricResults,
    abstraction_findings,
    differing,
    metric_findings,
    metric_words,
    technique_effect,
)
from footfall.papers.document import Block, Heading, Picture, ReportTable, Text
from footfall.papers.findings import Claim, findings_table
from footfall.papers.statistics import p_value_text

_FIVE = ("straight", "left", "right", "tight left", "tight right")
_ABSTRACTION_NAMES = ("standard (pelvis)", "JC (joints)", "JOE (extrema)", "GS (Gaussian)",
                  "BS (B-spline)")  # fmt: skip


def metric_blocks(found: MetricResults, graphs: Sequence[MotionGraph], name: str) -> list[Block]:
    """Figure 2, Tables 2 to 5 and the findings on the metrics."""
    runs = found.deviation_cm2.shape[2]
    return [
        Heading("Which metric?", 3),
        Text(
            f"Graphs of four sizes for each metric, {runs} walks from random nodes along the 33 m "
            "zigzag, the pelvis on the path, n = 80 and m = 25 frames, nothing mended afterwards. "
            "Every cell: paper / ours."
        ),
        Picture(
            "Figure 2: distance matrices with the transitions of size IV", f"{name}_figure_2",
            plots.matrices_picture(graphs),
        ),
        ReportTable("Table 2: edges, nodes and frames", ("graph", "edges", "nodes", "frames"),
              list(_count_rows(found))),
        _by_metric("Table 3: path deviation (cm²)", paper.DEVIATION_CM2, found.deviation_cm2,
                   "{:,.0f}"),
        ReportTable("As a distance: root of the mean (cm), ours", ("metric", *paper.SIZES),
              list(_ours(found.deviation_rms_cm, "{:.1f}"))),
        _by_metric("Table 4: foot skating (cm)", paper.SKATING_CM, found.skating_cm, "{:,.0f}"),
        _by_metric("Table 5: time of the search (s)", paper.TIME_S, found.time_s, "{:.3g}"),
        findings_table(metric_findings(found)),
    ]  # fmt: skip


def abstraction_blocks(
    found: AbstractionResults, examples: dict[str, tuple[Floats, Floats]], name: str
) -> list[Block]:
    """Tables 1 and 6, Figures 8 to 12, the statistics and the findings on the abstractions."""
    runs = found.skating_cm.shape[3]
    return [
        Heading("What should follow the path?", 3),
        Text(
            f"Seven joint-angle graphs, three recorded paths, five abstractions of where a "
            f"character goes, {runs} walks each; the recorded walks give path and reference."
        ),
        ReportTable("Table 1: the recorded walks (paper / ours)", ("measure", *paper.PATHS),
              list(_recorded_rows(found))),
        ReportTable("Table 6: the graphs (paper / ours)", ("threshold", "nodes", "edges", "frames"),
              list(_threshold_rows(found))),
        Picture("Figure 8: foot skating", f"{name}_figure_8", plots.skating_picture(found)),
        Picture("Figure 9: distance from the recorded amplitude", f"{name}_figure_9",
                plots.amplitude_picture(found)),
        Picture("Figure 10: the pelvis about the straight path, largest graph",
                f"{name}_figure_10", plots.trajectories_picture(examples)),
        Picture("Figure 11: amplitude on the straight path", f"{name}_figure_11",
                plots.straight_picture(found)),
        Picture("Figure 12: distance from the recorded wavelength", f"{name}_figure_12",
                plots.wavelength_picture(found)),
        ReportTable("Repeated-measures analysis of variance, and the abstractions that differ "
              "from the pelvis method (Tukey, 5 %)", ("measure", "paper", "ours", "differ"),
              list(_effect_rows(found))),
        findings_table(abstraction_findings(found)),
    ]  # fmt: skip


def _count_rows(found: MetricResults) -> Iterable[Sequence[str]]:
    for m, metric in enumerate(paper.METRICS):
        for s, size in enumerate(paper.SIZES):
            printed, ours = paper.COUNTS[metric][s], found.counts[m, s]
            cells = [f"{a:,} / {b:,}" for a, b in zip(printed, ours, strict=True)]
            yield (f"{metric_words(metric)} {size}", *cells)


def _by_metric(
    caption: str, printed: Mapping[str, tuple[float, ...]], ours: Floats, form: str
) -> ReportTable:
    rows = [
        (metric_words(metric), *(
            f"{form.format(a)} / {form.format(b)}"
            for a, b in zip(printed[metric], ours[m].mean(axis=1), strict=True)
        ))
        for m, metric in enumerate(paper.METRICS)
    ]  # fmt: skip
    return ReportTable(f"{caption} (paper / ours)", ("metric", *paper.SIZES), rows)


def _ours(values: Floats, form: str) -> Iterable[Sequence[str]]:
    for m, metric in enumerate(paper.METRICS):
        yield (metric_words(metric), *(form.format(v) for v in values[m].mean(axis=1)))


def _recorded_rows(found: AbstractionResults) -> Iterable[Sequence[str]]:
    for row, (measure, printed) in enumerate(paper.RECORDED.items()):
        cells = zip(printed, found.recorded[row], strict=True)
        yield (measure, *(f"{a:.2f} / {b:.2f}" for a, b in cells))


def _threshold_rows(found: AbstractionResults) -> Iterable[Sequence[str]]:
    for t, threshold in enumerate(paper.THRESHOLDS):
        cells = zip(paper.THRESHOLD_COUNTS[t], found.counts[t], strict=True)
        ours = f"{threshold:g} / {found.thresholds[t]:.3g}"
        yield (ours, *(f"{a:,} / {b:,}" for a, b in cells))


def _effect_rows(found: AbstractionResults) -> Iterable[Sequence[str]]:
    measured: dict[str, Callable[[], Floats]] = {
        "foot skating": lambda: found.skating_cm,
        "amplitude": found.off_amplitude_cm,
        "wavelength": found.off_wavelength_cm,
    }
    for measure, values in measured.items():
        effect, pairs = technique_effect(values()), differing(values())
        others = [name for k, name in enumerate(_ABSTRACTION_NAMES) if (0, k) in pairs]
        printed = f"F(4, 156) = {paper.EFFECTS[measure]:.2f}, {p_value_text(0.0)}"
        yield (measure, printed, str(effect), ", ".join(others) or "none")


def closing_text(
    findings: Sequence[Claim], data: Database, metrics: MetricResults, found: AbstractionResults
) -> list[Block]:
    """Return the findings that do not hold here, and what the data say on why."""
    missed = [row for row in findings if not row.holds]
    if not missed:
        return []
    lines = [f"- {row.claim}: {row.ours}" for row in missed]
    return [
        Heading("What does not hold, and why", 3),
        Text("\n\n".join([*lines, *_metric_reasons(metrics), *_reasons(data, found)])),
    ]


def _metric_reasons(found: MetricResults) -> Iterable[str]:
    """Yield how graphs of one size differ here."""
    small = [s for s in range(len(paper.SIZES)) if found.clips[:, s].min() < len(_FIVE)]
    if small:
        held = "; ".join(
            f"size {paper.SIZES[s]} "
            + ", ".join(f"{metric_words(m)} {n}" for m, n in zip(paper.METRICS, found.clips[:, s],
                                                           strict=True))
            for s in small
        )  # fmt: skip
        yield (
            f"Of the five clips the connected graphs hold ({held}). Where bends to one side are "
            "missing, no walk can follow the zigzag, and how far it strays says little of a metric."
        )
    off = found.deviation_rms_cm[:, -1].mean(axis=1)
    yield (
        f"At size IV, where all can follow, the metrics are {off.min():.1f} to {off.max():.1f} cm "
        "off the path: little apart, beside the scatter from one start to another "
        f"(± {found.deviation_rms_cm[:, -1].std(axis=1).max():.1f} cm)."
    )
    yield (
        "The search takes milliseconds here, because a lower bound on the rest of the way prunes "
        "it; what made it slow in the paper, many short cycles, hardly counts any more."
    )


def _reasons(data: Database, found: AbstractionResults) -> Iterable[str]:
    """Yield possible reasons, from the figures, for findings that do not hold."""
    sway = found.recorded[1]
    if sway.max() < 0.75 * min(paper.RECORDED["amplitude (cm)"]):
        yield (
            f"The recorded walks sway by {sway.min():.1f} to {sway.max():.1f} cm, the paper's by "
            "3.6 to 4.5 cm: where there is less sway, a pelvis held to a path has less to lose."
        )
    length = [float(np.hypot(*np.diff(w.root[:, [0, 2]], axis=0).T).sum()) for w in data.tried]
    if min(length) < 8.0:
        yield (
            f"The recorded paths are {min(length):.1f} to {max(length):.1f} m long: a few steps, "
            "so that single walks scatter widely."
        )
    own = [oscillation(clip).amplitude_cm for clip in data.paths]
    if max(own) > 1.5 * min(own):
        yield (
            f"The clips of the database sway by {min(own):.1f} to {max(own):.1f} cm, so the "
            "amplitude of a walk tells which clips it uses as much as how it follows."
        )
    if found.counts[-1, 1] < 0.9 * paper.THRESHOLD_COUNTS[-1][1]:
        yield (
            f"The largest graph has {found.counts[-1, 1]:,} edges, the paper's 1,584: these clips "
            "have fewer local minima, so the pelvis is held to the path less tightly."
        )
    skating = found.skating_cm[1:].mean(axis=(1, 2, 3))
    apart = 100.0 * (skating.max() / skating.min() - 1.0)
    yield (
        f"The four abstractions skate alike (they differ by {apart:.0f} %): once the sway is out "
        "they are nearly the same path, and which is best by a little depends on the clips."
    )
