"""What building a library and fetching one can be asked for alike."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

Character = Annotated[
    str | None,
    typer.Option("--character", help="A file whose skeleton all clips get, or default."),
]
Fps = Annotated[float | None, typer.Option("--fps", help="Frame rate of all clips (default 30).")]
Mirror = Annotated[
    bool | None, typer.Option("--mirror/--no-mirror", help="A mirrored copy of every clip.")
]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Clips worked on at a time.")]


@dataclass(frozen=True)
class Building:
    """How a library is made; a group of options (see `footfall.cli.options`)."""

    character: Character = None
    fps: Fps = None
    mirror: Mirror = None
    jobs: Jobs = None

    def options(self) -> dict[str, Any]:
        """The options as `build_library` takes them."""
        return asdict(self)
