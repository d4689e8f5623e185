"""Output of all commands: text for people, one JSON object for programs, progress."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Self

import typer

if TYPE_CHECKING:
    from footfall.task import News


class Progress(Protocol):
    """Receive the share that is done, 0 to 1, and if known the name of the present step."""

    def __call__(self, fraction: float, note: str = "") -> None: ...


SHOW_AFTER_SECONDS = 1.0
SECONDS_BETWEEN_LINES = 10.0
WRONG_INPUT = 2


@dataclass(frozen=True)
class Output:
    """Where a command's words go; a group of options (see `footfall.cli.options`).

    as_json  Print one JSON object on standard output, nothing else.
    quiet    Print nothing but errors.
    """

    as_json: Annotated[bool, typer.Option("--json")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q")] = False

    def say(self, text: str) -> None:
        """Print a line for people."""
        if not self.quiet and not self.as_json:
            sys.stdout.write(text + "\n")

    def table(self, rows: Sequence[tuple[str, object]]) -> None:
        """Print two columns for people; numbers are rounded."""
        width = max((len(key) for key, _ in rows), default=0)
        for key, value in rows:
            self.say(f"  {key:<{width}}  {plain(value)}")

    def note(self, text: str) -> None:
        """Print a remark about the work on standard error."""
        if not self.quiet:
            sys.stderr.write(f"note: {text}\n")

    def notes(self, texts: Iterable[str]) -> None:
        """Print what was noticed; what holds for several clips once, with how many they are."""
        for text, count in Counter(texts).items():
            self.say(f"  note: {text}" if count == 1 else f"  note, for {count} clips: {text}")

    def files(self, files: Iterable[str | Path]) -> None:
        """Print the files that were written, one a line."""
        for file in files:
            self.say(f"  {file}")

    def result(self, data: Mapping[str, Any], failed: Sequence[str] = ()) -> None:
        """Print the one JSON object, if it was asked for, and end with an error if any failed."""
        for sentence in failed:
            sys.stderr.write(f"footfall: {' '.join(sentence.split())}\n")
        if self.as_json:
            # ASCII alone: valid in every terminal's encoding, whatever a file is called.
            sys.stdout.write(json.dumps(data, allow_nan=False) + "\n")
        if failed:
            raise typer.Exit(WRONG_INPUT)

    @contextmanager
    def progress(self, title: str) -> Iterator[Progress]:
        """Show how far the work is on standard error: a bar, or a line every ten seconds.

        The bar needs a terminal and appears after a second. Lines are for log files.
        """
        if self.quiet:
            yield lambda fraction, note="": None
            return
        with (_LateBar if sys.stderr.isatty() else _PlainLines)(title) as progress:
            yield progress.show

    @contextmanager
    def watch(self, title: str) -> Iterator[Callable[[News], None]]:
        """Show the same for work that reports news: what is done, the best cost, its bound."""
        with self.progress(title) as show:

            def hear(news: News) -> None:
                shown = getattr(show, "__self__", None)
                if isinstance(shown, _PlainLines):
                    shown.title = _headline(title, news)
                show(news.share)

            yield hear


def _headline(title: str, news: News) -> str:
    words = news.note or title
    if math.isfinite(news.cost):
        words += f", cost {news.cost:.4g}"
    if math.isfinite(news.bound):
        words += f" (at most {news.bound:.2f} times the least)"
    return words


def plain(value: object) -> str:
    """Return a value for people: at most three decimals, lists with commas."""
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) < 1e6 else f"{value:g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(plain, value))
    return str(value)


class _PlainLines:
    """Progress without a terminal: a line at most every ten seconds."""

    def __init__(self, title: str) -> None:
        import time

        self.title, self.clock, self.start = title, time.monotonic, time.monotonic()

    def __enter__(self) -> Self:
        return self

    def show(self, fraction: float, note: str = "") -> None:
        if self.clock() - self.start >= SECONDS_BETWEEN_LINES:
            said = f"{self.title}: {note}" if note else self.title
            sys.stderr.write(f"{said}: {100.0 * fraction:.0f} %\n")
            self.start = self.clock()

    def __exit__(self, *_: object) -> None:
        pass


class _LateBar(_PlainLines):
    """A bar that appears after a second."""

    bar: Any = None
    task: Any = None

    def show(self, fraction: float, note: str = "") -> None:
        if self.bar is None:
            if self.clock() - self.start < SHOW_AFTER_SECONDS:
                return
            from rich.console import Console
            from rich.progress import Progress

            self.bar = Progress(console=Console(stderr=True), transient=True)
            self.bar.start()
            self.task = self.bar.add_task(self.title, total=1.0)
        said = f"{self.title}: {note}" if note else self.title
        self.bar.update(self.task, completed=fraction, description=said)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
