"""What building a library and fetching one can be asked for alike."""

from __future__ import annotations

from typing import Annotated

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
