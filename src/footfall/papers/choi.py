"""Choi, Lee & Shin's experiments from end to end: default clips in, a report out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footfall.errors import InputError
from footfall.papers import choi_plots as plots
from footfall.papers.choi_paper import EXPERIMENTS, PrintedQuery
from footfall.papers.choi_results import (
    experiment_findings,
    frames_of,
    joint_findings,
    sampling_findings,
)
from footfall.papers.choi_runs import (
    Answered,
    ExperimentRun,
    SamplingRun,
    compare_sampling,
    run_experiment,
    sampling_steps,
)
from footfall.papers.document import Block, Heading, Picture, ReportTable, Text
from footfall.papers.findings import DatabaseFindings, findings_table
from footfall.papers.reproduce import Given, Step, choose_experiments

TITLE = "Choi, Lee & Shin: planning biped locomotion with probabilistic roadmaps"
_STEPS = 3
"""Steps of one experiment, for its progress."""


def prepare(
    libraries: Sequence[Given], runs: int | None, experiment: str = "all", quick: bool = False
) -> ChoiRuns:
    """Check what is asked for.

    experiment  one of them, or "all", which compares ways of sampling, too
    quick       a fifth of the paper's footholds, and fewer queries beside its own
    """
    chosen = choose_experiments(experiment, tuple(EXPERIMENTS))
    if [str(library) for library in libraries] != ["default"] or runs is not None:
        raise InputError(
            "choi's experiments run on the default clips, once",
            remedy="leave out --library and --runs",
        )
    return ChoiRuns(chosen, quick)


@dataclass(frozen=True)
class ChoiRuns:
    """Some of the experiments."""

    chosen: tuple[str, ...]
    quick: bool

    @property
    def introduction(self) -> str:
        return _introduction(self.quick)

    @property
    def steps(self) -> int:
        sampling = sampling_steps(self.quick) if len(self.chosen) > 1 else 0
        return _STEPS * len(self.chosen) + sampling

    def run(
        self, given: Given, label: str, seed: int, step: Step
    ) -> tuple[list[DatabaseFindings], list[Block]]:
        quick = self.quick
        made = {n: run_experiment(EXPERIMENTS[n], quick, seed, step) for n in self.chosen}
        found = [DatabaseFindings(f"the {n}", experiment_findings(r)) for n, r in made.items()]
        compared = None
        if len(made) > 1:
            compared = compare_sampling(EXPERIMENTS["room"], quick, seed, step)
            together = (*joint_findings(made), *sampling_findings(compared))
            found.append(DatabaseFindings("all experiments", together))
        return found, _blocks(list(made.values()), compared, found)


def _blocks(
    runs: Sequence[ExperimentRun], compared: SamplingRun | None,
    found: Sequence[DatabaseFindings],
) -> list[Block]:  # fmt: skip
    blocks: list[Block] = [_table(runs), Heading("Refining")]
    straight = next((p for p in map(plots.straightening_picture, runs) if p is not None), None)
    if straight is not None:
        blocks.append(Picture("Figure 3: a path as it is straightened", "figure_3", straight))
    blocks.append(Picture("Figure 5: zigzag and adaptation over the iterations", "figure_5",
                          plots.refining_picture(runs)))  # fmt: skip
    for run, rows in zip(runs, found, strict=False):
        blocks += _experiment_blocks(run, rows)
    if compared is not None:
        blocks += [
            Heading("All experiments"),
            Picture("Queries solved, by how footholds are sampled", "sampling",
                    plots.sampling_picture(compared)),
            findings_table(found[-1].findings),
        ]  # fmt: skip
    return blocks


def _experiment_blocks(run: ExperimentRun, rows: DatabaseFindings) -> list[Block]:
    one = run.experiment
    name = f"figure_{one.figure}"
    blocks: list[Block] = [
        Heading(f"Experiment {one.number}: {one.name}"),
        Text(f"{len(one.clips)} clips: {', '.join(one.clips)}."),
        Picture(f"Figure {one.figure}: from above", f"{name}_above", plots.map_picture(run)),
    ]
    for n, answered in enumerate(run.answers):
        if answered.plan.found:
            caption = f"Figure {one.figure}: {answered.printed.query}"
            png = plots.body_picture(answered, run.scene)
            blocks.append(Picture(caption, f"{name}_{n + 1}", png))
    return [*blocks, findings_table(rows.findings)]


def _table(runs: Sequence[ExperimentRun]) -> ReportTable:
    """Table I, a column for each query, every cell paper / ours."""
    columns = [(run, a) for run in runs for a in run.answers]
    rows = [
        ["motion clips", *(f"{len(r.experiment.clips)}" for r, _ in columns)],
        ["nodes, N + M", *(f"{r.experiment.nodes + r.experiment.more:,} / {len(r.roadmap.nodes):,}"
                           for r, _ in columns)],
        ["candidates, K", *(f"{r.experiment.neighbours}" for r, _ in columns)],
        ["edges", *(f"{r.experiment.edges:,} / {len(r.roadmap.edges):,}" for r, _ in columns)],
        ["edges for each node", *(_pair(r.experiment.per_node, _per_node(r), "{:.1f}")
                                  for r, _ in columns)],
        ["construction, s", *(_pair(r.experiment.construction_s, r.build_s, "{:.2f}")
                              for r, _ in columns)],
        *(_row(name, columns, printed, key) for name, printed, key in _TIMES),
        ["motion clips on the path", *(_cell(a, f"{a.printed.clips} / {a.moves}")
                                       for _, a in columns)],
        ["frames at 30 a second", *(_cell(a, f"{a.printed.frames} / {frames_of(a):.0f}")
                                    for _, a in columns)],
    ]  # fmt: skip
    names = [f"{r.experiment.number}: {a.printed.query}" for r, a in columns]
    return ReportTable("Table I, paper / ours", ("", *names), rows)


def _search_ms(q: PrintedQuery) -> float:
    return 1000.0 * q.search_s


def _refine_ms(q: PrintedQuery) -> float:
    return 1000.0 * q.refine_s


def _motion_ms(q: PrintedQuery) -> float:
    return 1000.0 * (q.estimate_s + q.retarget_s)


def _total_ms(q: PrintedQuery) -> float:
    return _search_ms(q) + _refine_ms(q) + _motion_ms(q)


_TIMES = (
    ("path finding, ms", _search_ms, "search"), ("refining, ms", _refine_ms, "refining"),
    ("estimation and retargeting, ms", _motion_ms, "motion"), ("all, ms", _total_ms, "all"),
)  # fmt: skip


def _row(
    name: str, columns: Sequence[tuple[ExperimentRun, Answered]],
    printed: Callable[[PrintedQuery], float], key: str,
) -> list[str]:  # fmt: skip
    cells = [
        _cell(a, _pair(printed(a.printed), 1000.0 * a.plan.timings.get(key, 0.0), "{:.1f}"))
        for _, a in columns
    ]
    return [name, *cells]


def _cell(one: Answered, text: str) -> str:
    return text if one.plan.found else "not found"


def _pair(printed: float, ours: float, form: str) -> str:
    return f"{form.format(printed)} / {form.format(ours)}"


def _per_node(run: ExperimentRun) -> float:
    return len(run.roadmap.edges) / max(len(run.roadmap.nodes), 1)


def _introduction(quick: bool) -> str:
    size = "A fifth of the paper's footholds" if quick else "The paper's numbers of footholds"
    return (
        "The four experiments of the paper with Footfall's foothold roadmaps. "
        f"{size}, its numbers of candidates and of clips; the clips are chosen by name from the "
        "default ones, the scenes are Footfall's own of the same kind. Machine and data are "
        "others than the paper's, so orderings, ratios and what motions show can be compared.\n\n"
        "Interpretations of the paper: the threshold of 0.25π is of a half angle halved again, "
        "45 degrees in all; weights are for centimetres; Eq. 8 sums logarithms, not logarithms "
        "of logarithms. Zigzag is the sum of heading changes of the line through the footholds, "
        "adaptation the mean of Eq. 5 over its moves. Table I's 28.81 edges for each node of "
        "Exp. 1 are 29.57 by its own counts."
    )
