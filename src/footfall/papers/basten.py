"""Van Basten & Egges' experiments from end to end: databases in, a report out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from footfall.errors import check_whole
from footfall.library.library import Library, open_library
from footfall.papers import basten_paper as paper
from footfall.papers.basten_data import Database, default_database, real_database
from footfall.papers.basten_report import abstraction_blocks, closing_text, metric_blocks
from footfall.papers.basten_results import (
    abstraction_findings,
    metric_findings,
)
from footfall.papers.basten_runs import (
    ABSTRACTION_RUNS,
    METRIC_RUNS,
    compare_abstractions,
    compare_metrics,
    walks_in_all,
)
from footfall.papers.document import Block, Heading, Text
from footfall.papers.findings import DatabaseFindings, Reproduction
from footfall.papers.frame import (
    begin_report,
    count_steps,
    database_name,
    end_report,
)

_TITLE = "Van Basten & Egges: path planning and walking with motion graphs"


def reproduce(
    libraries: Sequence[str | Path | Library] = ("default",),
    output: str | Path = "out/basten",
    *,
    runs: int | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Reproduction:
    """Run both experiments on each library and write `output`.md and `output`.html.

    libraries  "default" for the generated clips, else anything that a library can be opened from
    runs       walks for each combination; by default the paper's 20 and 40
    """
    if runs is not None:
        check_whole("runs", runs, 2, 1000)
    first, second = (METRIC_RUNS, ABSTRACTION_RUNS) if runs is None else (runs, runs)
    stem = begin_report(output, seed)
    step = count_steps(walks_in_all(first, second) * len(libraries), progress)
    blocks: list[Block] = [Text(_introduction(first, second))]
    databases = []
    for number, library in enumerate(libraries):
        data = _database(library)
        metrics = compare_metrics(data, first, seed, step)
        abstractions = compare_abstractions(data, second, seed, step)
        found = (*metric_findings(metrics.results), *abstraction_findings(abstractions.results))
        databases.append(DatabaseFindings(data.name, found))
        name = f"database_{number + 1}"
        blocks += [
            Heading(f"On {data.name}"),
            Text(_contents(data)),
            *metric_blocks(metrics.results, metrics.graphs, name),
            *abstraction_blocks(abstractions.results, abstractions.examples, name),
            *closing_text(found, data, metrics.results, abstractions.results),
        ]
    return end_report(_TITLE, blocks, stem, databases)


def _database(library: str | Path | Library) -> Database:
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
        "can be compared. The user study (Figures 4 to 6) needs people and is left out.\n\n"
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
