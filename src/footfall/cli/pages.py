"""Pages that play motions: which files they are, and how they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

Open = Annotated[bool, typer.Option("--open", help="Show the page (.html) in the browser.")]
PAGE = "html"


def check_pages(files: list[Path]) -> list[Path]:
    """Refuse pages before any work is done where the player is missing."""
    if any(is_page(file) for file in files):
        from footfall.render.player.page import check_built

        check_built()
    return files


def is_page(file: Path) -> bool:
    """Return whether a file is a page that plays the motion."""
    return file.suffix.lstrip(".").lower() == PAGE


def check_open(open_page: bool, files: Sequence[Path]) -> None:
    """Refuse --open where no page is written."""
    if open_page and not any(is_page(file) for file in files):
        from footfall.errors import InputError

        raise InputError("--open shows a page, and none is written", remedy="add --formats html")


def show_page(open_page: bool, files: Sequence[Path]) -> None:
    """Open the first page in the browser, if that was asked for."""
    pages = [file for file in files if is_page(file)]
    if open_page and pages:
        import webbrowser

        webbrowser.open(pages[0].resolve().as_uri())
