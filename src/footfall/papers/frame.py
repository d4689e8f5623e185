"""What the reports of all papers begin and end with, and how their progress is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from footfall.errors import check_whole
from footfall.files.atomic import make_folder_of
from footfall.library.library import Library
from footfall.papers.document import Block, write_document
from footfall.papers.findings import DatabaseFindings, Reproduction


def begin_report(output: str | Path, seed: int) -> Path:
    """The stem of a report, whose folder is made before the work, not after it."""
    check_whole("the seed", seed, 0)
    stem = Path(output)
    make_folder_of(stem)
    return stem


def end_report(
    title: str, blocks: Sequence[Block], stem: Path, found: Sequence[DatabaseFindings]
) -> Reproduction:
    """Write a report; its files and its findings."""
    return Reproduction(*write_document(title, blocks, stem), tuple(found))


def count_steps(total: int, progress: Callable[[float], None] | None) -> Callable[..., None]:
    """What tells progress: `step()` for each of so many steps, or `step(n)` for n of them."""
    done = 0

    def step(steps: int = 1) -> None:
        nonlocal done
        done += steps
        if progress is not None:
            progress(min(done / max(total, 1), 1.0))

    return step


def database_name(given: str | Path | Library) -> str:
    """What a report calls a library that was given."""
    if str(given) == "default":
        return "the default clips"
    if isinstance(given, Library):
        return given.folder.name if given.folder else "clips in memory"
    return Path(given).name
