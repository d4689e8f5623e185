"""Options shared by building and fetching a library."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Clips worked on at a time.")]


@dataclass(frozen=True)
class Building:
    """How a library is made; a group of options (see `footfall.cli.options`).

    character  A file whose skeleton all clips get, or default.
    fps        Frame rate of all clips (default 30).
    mirror     A mirrored copy of every clip.
    """

    character: str | None = None
    fps: float | None = None
    mirror: Annotated[bool | None, typer.Option("--mirror/--no-mirror")] = None
    jobs: Jobs = None

    def options(self) -> dict[str, Any]:
        """Return the options as `build_library` takes them."""
        return asdict(self)
