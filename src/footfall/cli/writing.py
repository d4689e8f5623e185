"""Output goes to a stem with a list of formats: -o out/walk --formats glb,bvh."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from footfall.body.clip import Clip

Formats = Annotated[
    str,
    typer.Option("--formats", help="What to write, separated by commas: glb,bvh,npz,usda,png,gif,html."),
]

Open = Annotated[bool, typer.Option("--open", help="Show the page (.html) in the browser.")]

PICTURES = ("png", "gif")
PAGE = "html"


def targets(stem: Path, formats: str) -> list[Path]:
    """The files a stem and a list of formats mean; a stem with a known suffix is one file."""
    from footfall.errors import InputError, choices
    from footfall.files.formats import writable_suffixes

    known = [s.lstrip(".") for s in writable_suffixes()] + [*PICTURES, PAGE]
    if stem.suffix.lstrip(".").lower() in known:
        return _check_pages([stem])
    wanted = [f.strip().lower().lstrip(".") for f in formats.split(",") if f.strip()]
    for name in wanted:
        if name not in known:
            raise InputError(f"--formats names {name!r}", remedy=choices(known, name))
    if not wanted:
        raise InputError("--formats names nothing", remedy=choices(known))
    return _check_pages([stem.with_name(f"{stem.name}.{name}") for name in wanted])


def _check_pages(files: list[Path]) -> list[Path]:
    """Refuse pages before any work is done where the player is missing."""
    if any(is_page(file) for file in files):
        from footfall.render.player.page import check_built

        check_built()
    return files


def is_page(file: Path) -> bool:
    """Whether a file is a page that plays the motion."""
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


def is_picture(file: Path) -> bool:
    """Whether a file is a picture by its suffix, not a motion."""
    return file.suffix.lstrip(".").lower() in PICTURES


def write_all(clip: Clip, files: list[Path]) -> None:
    """Write a clip as each of the files, motion or picture."""
    from footfall.files.formats import save

    for file in files:
        if is_picture(file):
            from footfall.verbs.render import render

            render(clip, file)
        elif is_page(file):
            from footfall.verbs.player import save_player

            save_player(clip, file)
        else:
            save(clip, file)
