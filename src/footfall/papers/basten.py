"""Van Basten & Egges' experiments from end to end: databases in, a report out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footfall.errors import check_whole
from footfall.library.library import open_library
from footfall.papers import basten_paper as paper
from footfall.papers.basten_data import Database, default_database, real_database
from footfall.papers.basten_report import abstraction_blocks, closing_text, metric_blocks
from footfall.papers.basten_results import abstraction_findings, metric_findings
from footfall.papers.basten_runs import (
    ABSTRACTION_RUNS,
    METRIC_RUNS,
    compare_abstractions,
    compare_metrics,
    walks_in_all,
)
from footfall.papers.document import Block, Heading, Text
from footfall.papers.findings import DatabaseFindings
from footfall.papers.reproduce import Given, Step, database_name

TITLE = "Van Basten & Egges: path planning and walking with motion graphs"


def prepare(libraries: Sequence[Given], runs: int | None) -> BastenRuns:
    """Check what is asked for.

    runs  walks for each combination; by default the paper's 20 and 40
    """
    if runs is None:
        return BastenRuns(METRIC_RUNS, ABSTRACTION_RUNS)
    return BastenRuns(*[check_whole("runs", runs, 2, 1000)] * 2)


@dataclass(frozen=True)
class BastenRuns:
    """Both experiments, with a number of walks for each combination."""

    metric_runs: int
    abstraction_runs: int

    @property
    def introduction(self) -> str:
        return _introduction(self.metric_runs, self.abstraction_runs)

    @property
    def steps(self) -> int:
        return walks_in_all(self.metric_runs, self.abstraction_runs)

    def run(
        self, given: Given, label: str, seed: int, step: Step
    ) -> tuple[list[DatabaseFindings], list[Block]]:
        data = _database(given)
        metrics = compare_metrics(data, self.metric_runs, seed, step)
        abstractions = compare_abstractions(data, self.abstraction_runs, seed, step)
        found = (*metric_findings(metrics.results), *abstraction_findings(abstractions.results))
        return [DatabaseFindings(data.name, found)], [
            Heading(f"On {data.name}"),
            Text(_contents(data)),
            *metric_blocks(metrics.results, metrics.graphs, label),
            *abstraction_blocks(abstractions.results, abstractions.examples, label),
            *closing_text(found, data, metrics.results, abstractions.results),
        ]


def _database(library: Given) -> Database:
    if str(library) == "default":
        return default_database()
    return real_database(open_library(library), database_name(library))


def _introduction(metric_runs: int, abstraction_runs: int) -> str:
    return (
        "The two experiments of the paper with Footfall's motion graphs: "
        f"{len(paper.METRICS)} metrics × {len(paper.SIZES)} sizes × {metric_runs} walks along a "
        f"33 m zigzag, and {len(paper.ABSTRACTIONS)} ways to read a character's path × "
        f"{len(paper.THRESHOLDS)} graphs × {len(paper.PATHS)} recorded paths × {abstraction_runs} "
        "walks. Data and machine are others than the paper's, so orderings and ratios are what "
        "can be compared. The user study (Figures 4 to 6) needs people: see `footfall study`.\n\n"
        "Interpretations of the paper: foot skating counts ankle, heel and toe of planted feet, "
        "horizontally; the amplitude is the lateral offset of the pelvis at the extrema of its "
        "curvature, the wavelength the distance from one to the next, as the printed numbers "
        "suggest; thresholds are chosen so that graphs have as many edges as printed."
    )


def _contents(data: Database) -> str:
    sizes = [sum(len(clip) for clip in part) for part in (data.metrics, data.paths)]
    names = [", ".join(clip.name for clip in part) for part in (data.metrics, data.paths)]
    text = (
        f"Metrics: {sizes[0]} frames ({names[0]}). Path abstractions: {sizes[1]} frames "
        f"({names[1]}). Recorded walks: {', '.join(clip.name for clip in data.tried)}."
    )
    return " ".join([text, *(f"Note: {note}." for note in data.notes)])
