"""Safonova & Hodgins' experiments from end to end: clips in, a report out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.errors import InputError, check_whole
from footfall.library.library import Library, open_library
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.plan_problem import PathProblem
from footfall.optimal.store import make_graph
from footfall.papers import safonova_paper as paper
from footfall.papers import safonova_results as results
from footfall.papers import safonova_tables as tables
from footfall.papers.document import Block, Heading, Text
from footfall.papers.findings import Claim, DatabaseFindings, findings_table
from footfall.papers.reproduce import Given, Step, choose_experiments, database_name
from footfall.papers.safonova_compression import compress_databases
from footfall.papers.safonova_figures import cross_columns, follow_curve, run_course
from footfall.papers.safonova_problems import (
    make_problem,
    motion_queries,
    random_queries,
    sample_strides,
    sample_targets,
    without_interpolation,
)
from footfall.papers.safonova_runs import Limits, compare_heuristics, improve_motion, meet_targets

TITLE = "Safonova & Hodgins: construction and optimal search of interpolated motion graphs"
EXPERIMENTS = ("targets", "motions", "compression", "heuristics", "strategies", "course")
_TARGETS, _FEW_TARGETS = 30, 6
"""Of either picking problem of Table 1, usually and in a quick run; the paper has 179."""
_PROBLEMS, _FEW_PROBLEMS = 5, 2
_FEW_STRIDES = 4
_SLOW, _QUICK = Limits(), Limits(1.0, 4.0, 40_000, 5.0, 20_000)


def prepare(
    libraries: Sequence[Given], runs: int | None, experiment: str = "all", quick: bool = False
) -> SafonovaRuns:
    """Check what is asked for.

    runs        targets of either picking problem of Table 1; 30 by default, 179 in the paper
    experiment  one of them, or "all"
    quick       few targets and problems, and little time for each
    """
    chosen = choose_experiments(experiment, EXPERIMENTS)
    usual = _FEW_TARGETS if quick else _TARGETS
    return SafonovaRuns(
        chosen, usual if runs is None else check_whole("runs", runs, 1, 10_000),
        _FEW_STRIDES if quick else paper.STRIDES, _FEW_PROBLEMS if quick else _PROBLEMS,
        _QUICK if quick else _SLOW,
    )  # fmt: skip


@dataclass(frozen=True)
class SafonovaRuns:
    """Some of the experiments, and how much is run of each."""

    chosen: tuple[str, ...]
    targets: int
    strides: int
    problems: int
    budget: Limits

    @property
    def introduction(self) -> str:
        return _introduction(self)

    @property
    def steps(self) -> int:
        each = {
            "targets": 2 * self.targets + self.strides, "motions": len(paper.MOTIONS),
            "compression": len(paper.DATABASES),
            "heuristics": self.problems * (len(paper.HEURISTICS) + 1), "strategies": 3, "course": 1,
        }  # fmt: skip
        return 1 + sum(each[name] for name in self.chosen)

    def run(
        self, given: Given, label: str, seed: int, step: Step
    ) -> tuple[list[DatabaseFindings], list[Block]]:
        library = open_library("default:safonova" if str(given) == "default" else given)
        name = database_name(given)
        try:
            graph = make_graph(library)
        except InputError as error:
            raise error.at(name) from None
        step()
        run = _Run(library, graph, self, seed, label, step)
        blocks: list[Block] = [Heading(f"On {name}"), Text(_contents(library, graph))]
        found: list[Claim] = []
        for one in self.chosen:
            more, rows = getattr(run, one)()
            found += rows
            blocks += [*more, findings_table(rows)] if rows else more
        return [DatabaseFindings(name, tuple(found))], blocks


@dataclass(frozen=True, eq=False)
class _Run:
    """The experiments on one library, each giving its blocks and its findings."""

    library: Library
    graph: InterpolatedGraph
    size: SafonovaRuns
    seed: int
    name: str
    step: Step

    @property
    def graphs(self) -> tuple[InterpolatedGraph, InterpolatedGraph]:
        """With interpolation and without."""
        return self.graph, without_interpolation(self.graph)

    def targets(self) -> tuple[list[Block], list[Claim]]:
        """Table 1."""
        graphs = self.graphs
        targets = sample_targets(graphs[1], self.size.targets, self.seed)
        strides = sample_strides(graphs[1], self.size.strides)
        runs = meet_targets(graphs, targets, strides, self.size.budget.target, self.step)
        rows = results.success_findings(runs)
        if not targets:
            rows.append(Claim("targets are picked", None, "no clip of these picks anything"))
        if strides is None:
            rows.append(Claim("one walk cycle", None, "no walk of these goes on from itself"))
        return tables.success_blocks(runs, self.size.budget), rows

    def motions(self) -> tuple[list[Block], list[Claim]]:
        """Table 2 and Figure 1."""
        runs = []
        for printed, query in zip(paper.MOTIONS, motion_queries(self.graph), strict=True):
            problem = make_problem(self.graph, query)
            runs.append(
                improve_motion(self.graph, printed, query, problem, self.size.budget.motion)
            )
            self.step()
        return tables.motion_blocks(runs, self.name), results.motion_findings(runs)

    def compression(self) -> tuple[list[Block], list[Claim]]:
        """Table 3."""
        runs = compress_databases(self.library, self.step)
        rows = [*results.compression_findings(runs), *results.size_findings()]
        return tables.compression_blocks(runs), rows

    def heuristics(self) -> tuple[list[Block], list[Claim]]:
        """Table 4."""
        queries = random_queries(self.size.problems, self.seed)
        made = [make_problem(self.graph, query) for query in queries]
        problems = [one for one in made if isinstance(one, PathProblem)]
        self.step((len(queries) - len(problems)) * (len(paper.HEURISTICS) + 1))
        if not problems:
            none = Claim("combined estimates are better", None, "no problem can be set here")
            return [Heading("Table 4: estimates", 3)], [none]
        run = compare_heuristics(self.graph, problems, self.size.budget, self.step)
        return tables.heuristic_blocks(run, self.name), results.heuristic_findings(run)

    def strategies(self) -> tuple[list[Block], list[Claim]]:
        """Figures 12 and 13."""
        graphs, seconds = self.graphs, self.size.budget.motion
        columns = cross_columns(graphs, seconds)
        self.step()
        curve = follow_curve(graphs, 0.25 * seconds, self.step)
        rows = results.strategy_findings(columns, curve)
        return tables.strategy_blocks(columns, curve, self.name), rows

    def course(self) -> tuple[list[Block], list[Claim]]:
        """Figure 2."""
        tags = {entry.name: entry.tags for entry in self.library.entries}
        states = self.size.budget.course
        run = run_course(self.graph, lambda name: tuple(tags.get(name, ())), states)
        self.step()
        return tables.course_blocks(run, self.name), results.course_findings(run)


def _introduction(size: SafonovaRuns) -> str:
    budget = size.budget
    return (
        "The experiments of the paper with Footfall's interpolated motion graphs. Data and machine "
        "are others than the paper's, so orderings, ratios and what motions show can be compared.\n"
        f"\nTable 1 has {size.targets} sampled targets for either picking problem and "
        f"{size.strides} lengths of a walk cycle (179, 179 and 10 in the paper, `--runs 179`). A "
        f"target is met if a motion is found within {budget.target:g} s of the processor, where "
        f"the paper gives {paper.SECONDS:g} s. Without interpolation the same graph is searched "
        "with its single paths alone. The labels of Table 1 are swapped in print and put right "
        "here. Table 2 and the figures keep exact poses; Table 4 has poses in the middle of their "
        f"cells, so that states are a true graph, and gives up after {budget.states:,} states. "
        "Combined estimates are chained over the constraints, which is never too high; the "
        "paper's plain sum stands beside them."
    )


def _contents(library: Library, graph: InterpolatedGraph) -> str:
    phases = graph.phases
    return (
        f"{len(library)} clips, {library.seconds:.0f} s; {len(phases.state_rest):,} contact "
        f"changes and {len(phases.edge_from):,} transitions between them, {len(graph.node_a):,} "
        f"nodes and {len(graph.edge_to):,} edges interpolated. They {_behaviours(graph)}."
    )


def _behaviours(graph: InterpolatedGraph) -> str:
    """Return what clips can do and what they lack, by what touches in them."""
    from footfall.gait.signatures import FEET, HANDS, SEAT

    signature, before = graph.node_signature, graph.node_before
    able = {
        "pick": bool(np.any(signature & HANDS)), "sit": bool(np.any(signature & SEAT)),
        "jump": bool(np.any((signature == 0) & (before & FEET > 0))),
    }  # fmt: skip
    can = [name for name, has in able.items() if has]
    cannot = [name for name, has in able.items() if not has]
    told = ["walk", *can]
    return " and ".join(filter(None, [", ".join(told), f"do not {' or '.join(cannot)}" if cannot
                                      else ""]))  # fmt: skip
