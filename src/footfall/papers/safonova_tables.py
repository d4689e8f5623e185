"""Tables 1 to 4 of Safonova & Hodgins, printed numbers beside ours, with their figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from footfall.papers import safonova_paper as paper
from footfall.papers import safonova_plots as plots
from footfall.papers.document import Block, Heading, Picture, ReportTable, Text
from footfall.papers.safonova_compression import CompressionRun
from footfall.papers.safonova_figures import CompareRun, CourseRun
from footfall.papers.safonova_runs import HeuristicRun, Limits, MotionRun, Solution, SuccessRun


def success_blocks(runs: Sequence[SuccessRun], budget: Limits) -> list[Block]:
    """Table 1."""
    rows = []
    for run in runs:
        for k, (name, printed) in enumerate(
            (("interpolation", run.printed.interpolated), ("none", run.printed.plain))
        ):
            cells = [
                f"{p:g} / {ours:.0f} %" for p, ours in zip(printed, run.shares[k], strict=True)
            ]
            rows.append([f"{run.printed.name} ({run.met.shape[2]}), {name}", *cells])
    heads = [f"{100 * m:g} cm" for m in paper.TOLERANCES_M]
    said = "; ".join(f"{run.printed.name}: {run.printed.said}" for run in runs)
    return [
        Heading("Table 1: interpolation", 3),
        Text(f"Targets met within {budget.target:g} s, paper / ours. {said}."),
        ReportTable("Table 1: targets met (labels put right), paper / ours", ("", *heads), rows),
    ]


def motion_blocks(runs: Sequence[MotionRun], name: str) -> list[Block]:
    """Table 2 and Figure 1."""
    rows = []
    for run in runs:
        if run.greedy is not None:
            label = f"{run.printed.name}, ε = 10 without first looks"
            rows.append([label, *_cells(run.greedy, None, None)])
        for row in run.rows:
            at = next((i for i, e in enumerate(paper.EPSILONS) if e == row.epsilon), None)
            printed = None if at is None else (run.printed.seconds[at], run.printed.costs[at])
            label = f"ε = {row.epsilon:g}" if at is not None else "when the time was over"
            rows.append([f"{run.printed.name}, {label}", *_cells(row, *(printed or (None, None)))])
        if not run.rows:
            rows.append([run.printed.name, "–", "–", "–", "–", run.reason])
    heads = ("", "seconds", "cost", "proven", "states", "what it does")
    blocks: list[Block] = [
        Heading("Table 2: optimality", 3),
        ReportTable("Table 2: seconds of the processor and costs, paper / ours", heads, rows),
    ]
    picture = plots.greedy_picture(runs)
    if picture is not None:
        caption = "Figure 1: the first and the best solution of each motion"
        blocks.append(Picture(caption, f"{name}_figure_1", picture))
    return blocks


def _cells(row: Solution, seconds: float | None, cost: float | None) -> list[str]:
    def beside(printed: float | None, form: str, ours: float) -> str:
        return form.format(ours) if printed is None else f"{told(printed)} / {form.format(ours)}"

    def told(printed: float) -> str:
        return f"{printed:,.0f}" if printed >= 1000.0 else f"{printed:g}"

    bound = f"{row.bound:.2f}" if math.isfinite(row.bound) else "–"
    return [
        beside(seconds, "{:.3f}", row.seconds), beside(cost, "{:,.0f}", row.cost), bound,
        f"{row.expansions:,}", row.strategy,
    ]  # fmt: skip


def compression_blocks(runs: Sequence[CompressionRun]) -> list[Block]:
    """Table 3."""
    rows = []
    for run in runs:
        printed = run.printed
        name = f"{printed.name} ({run.clips} clips)"
        if not run.sizes:
            rows.append([name, run.reason, "–", "–", "–"])
            continue
        sizes = (run.sizes[0], run.sizes[1], run.sizes[-1])
        pairs = zip((printed.before, printed.culled, printed.merged), sizes, strict=True)
        cells = [
            f"{p[0]:,} and {p[1]:,} / {ours.states:,} and {ours.transitions:,}" for p, ours in pairs
        ]
        rows.append([name, *cells, f"{printed.minutes:g} min / {run.seconds:.1f} s"])
    heads = ("database", "before", "culled", "merged", "time")
    return [
        Heading("Table 3: compression", 3),
        ReportTable("Table 3: states and transitions, paper / ours", heads, rows),
    ]


def heuristic_blocks(run: HeuristicRun, name: str) -> list[Block]:
    """Table 4."""
    rows = []
    mean, took = run.expansions.mean(axis=2), run.seconds.mean(axis=2)
    solved = run.solved.mean(axis=2)
    printed = [*paper.HEURISTICS, None]
    for e, epsilon in enumerate(paper.BOUNDS):
        cells = []
        for h, one in enumerate(printed):
            told = f"{mean[h, e]:,.0f}, {took[h, e]:.2f} s, {100 * solved[h, e]:.0f} %"
            before = "" if one is None else (
                f"{one.expansions[e]:,}, {one.seconds[e]:g} s, {100 * one.solved[e]:.0f} % / "
            )  # fmt: skip
            cells.append(before + told)
        rows.append([f"ε = {epsilon:g}", *cells])
    heads = ("", *(one.name for one in paper.HEURISTICS), "plain sum (Eq. 3)")
    count = run.expansions.shape[2]
    caption = (
        f"Table 4: states expanded, seconds and share solved, means of {count} random problems, "
        f"given up after {run.most:,} states, paper / ours"
    )
    return [
        Heading("Table 4: estimates", 3),
        ReportTable(caption, heads, rows),
        Picture("Table 4: states expanded, and how many of 100 were solved if not all",
                f"{name}_table_4", plots.expansions_picture(run)),
    ]  # fmt: skip


def strategy_blocks(columns: CompareRun, curve: CompareRun, name: str) -> list[Block]:
    """Figures 12 and 13."""
    blocks: list[Block] = [Heading("Figures 12 and 13: strategies", 3)]
    picture = plots.columns_picture(columns)
    if picture is not None:
        caption = "Figure 12: three columns, with interpolation and without"
        blocks.append(Picture(caption, f"{name}_figure_12", picture))
    caption = "Figure 13: a curve in the narrowest corridor in which it is found"
    return [*blocks, Picture(caption, f"{name}_figure_13", plots.curve_picture(curve))]


def course_blocks(run: CourseRun, name: str) -> list[Block]:
    """Figure 2."""
    blocks: list[Block] = [Heading("Figure 2: the obstacle course", 3)]
    picture = plots.course_picture(run)
    if picture is None:
        return [*blocks, Text(f"No motion: {run.plan.reason}.")]
    return [*blocks, Picture("Figure 2: the course, as planned", f"{name}_figure_2", picture)]
