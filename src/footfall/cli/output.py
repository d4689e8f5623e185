"""How every verb talks: text for people, one JSON object for programs, progress on the side."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output, nothing else.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Seed = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of everything random; same seed, same result.")
]

Progress = Callable[[float], None]

SHOW_AFTER_SECONDS = 1.0


class Output:
    """Where a verb's words go; made once per run from --json and --quiet."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self.as_json, self.quiet = as_json, quiet

    def say(self, text: str) -> None:
        """A line for people."""
        if not self.quiet and not self.as_json:
            sys.stdout.write(text + "\n")

    def table(self, rows: list[tuple[str, str]]) -> None:
        """Two columns for people."""
        width = max((len(key) for key, _ in rows), default=0)
        for key, value in rows:
            self.say(f"  {key:<{width}}  {value}")

    def note(self, text: str) -> None:
        """A remark about the work, on standard error."""
        if not self.quiet:
            sys.stderr.write(f"note: {text}\n")

    def result(self, data: Mapping[str, Any]) -> None:
        """The one JSON object, if it was asked for."""
        if self.as_json:
            # ASCII alone: valid in every terminal's encoding, whatever a file is called.
            sys.stdout.write(json.dumps(data, allow_nan=False) + "\n")

    @contextmanager
    def progress(self, title: str) -> Iterator[Progress]:
        """A bar on standard error that appears only when the work takes longer than a second."""
        if self.quiet or not sys.stderr.isatty():
            yield lambda fraction: None
            return
        with _LateBar(title) as bar:
            yield bar.show


class _LateBar:
    def __init__(self, title: str) -> None:
        import time

        self.title, self.clock, self.start = title, time.monotonic, time.monotonic()
        self.bar: Any = None
        self.task: Any = None

    def __enter__(self) -> _LateBar:
        return self

    def show(self, fraction: float) -> None:
        if self.bar is None:
            if self.clock() - self.start < SHOW_AFTER_SECONDS:
                return
            from rich.console import Console
            from rich.progress import Progress

            self.bar = Progress(console=Console(stderr=True), transient=True)
            self.bar.start()
            self.task = self.bar.add_task(self.title, total=1.0)
        self.bar.update(self.task, completed=fraction)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
