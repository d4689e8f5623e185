"""Run the experiments of a paper and write a report: the same steps for all papers.

A paper is a module with a title and a function `prepare`. It takes `runs` and the wishes that the
paper knows, checks them, and returns what is to be run: an `Experiments`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Protocol

from footfall.errors import InputError, check_whole, choices
from footfall.files.atomic import make_folder_of
from footfall.library.library import Library
from footfall.papers.document import Block, Text, write_document
from footfall.papers.findings import DatabaseFindings, Reproduction

PAPERS = {name: f"footfall.papers.{name}" for name in ("basten", "choi", "park", "safonova")}
"""The module of each paper."""

Given = str | Path | Library
Step = Callable[..., None]
"""Called as `step()` for each step of the work, or as `step(n)` for n of them."""


class Experiments(Protocol):
    """The experiments of a paper, of the wished size."""

    @property
    def introduction(self) -> str:
        """Return the text that the report begins with."""

    @property
    def steps(self) -> int:
        """Return the number of steps of the work on one library."""

    def run(
        self, given: Given, label: str, seed: int, step: Step
    ) -> tuple[list[DatabaseFindings], list[Block]]:
        """Run on one library, and return findings and blocks; `label` begins pictures' names."""


def reproduce(
    paper: str,
    libraries: Sequence[Given] = ("default",),
    output: str | Path | None = None,
    *,
    runs: int | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    **wishes: Any,
) -> Reproduction:
    """Run a paper's experiments on each library; write a report as `output`.md and .html.

    libraries  "default" for the default clips, else anything that a library is opened from
    runs       how often each experiment is run; None is as often as in the paper
    wishes     what only some papers take, such as `experiment` and `quick`
    """
    if paper not in PAPERS:
        raise InputError(f"there is no paper {paper!r} here", remedy=choices(PAPERS, paper))
    module = import_module(PAPERS[paper])
    for name in wishes:
        if name not in signature(module.prepare).parameters:
            raise InputError(f"{paper} takes no {name!r}", remedy="leave it out")
    asked: Experiments = module.prepare(libraries, runs, **wishes)
    check_whole("the seed", seed, 0)
    stem = Path(output or Path("out") / paper)
    make_folder_of(stem)  # before the work, not after it
    step = _count_steps(asked.steps * len(libraries), progress)
    blocks: list[Block] = [Text(asked.introduction)]
    found: list[DatabaseFindings] = []
    for number, library in enumerate(libraries):
        databases, more = asked.run(library, f"database_{number + 1}", seed, step)
        found += databases
        blocks += more
    return Reproduction(*write_document(module.TITLE, blocks, stem), tuple(found))


def choose_experiments(experiment: str, known: Sequence[str]) -> tuple[str, ...]:
    """Return the experiment that is asked for, or all of them for "all"."""
    names = ("all", *known)
    if experiment not in names:
        raise InputError(
            f"there is no experiment {experiment!r}", remedy=choices(names, experiment)
        )
    return tuple(known) if experiment == "all" else (experiment,)


def database_name(given: Given) -> str:
    """Return what a report calls a library that was given."""
    if str(given) == "default":
        return "the default clips"
    if isinstance(given, Library):
        return given.folder.name if given.folder else "clips in memory"
    return Path(given).name


def _count_steps(total: int, progress: Callable[[float], None] | None) -> Step:
    done = 0

    def step(steps: int = 1) -> None:
        nonlocal done
        done += steps
        if progress is not None:
            progress(min(done / max(total, 1), 1.0))

    return step
