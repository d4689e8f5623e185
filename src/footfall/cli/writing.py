"""Output goes to a stem with a list of formats: -o out/walk --formats glb,bvh."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.pages import PAGE, check_pages, is_page

if TYPE_CHECKING:
    from footfall.body.clip import Clip

Formats = Annotated[
    str,
    typer.Option(
        "--formats", help="What to write, separated by commas: glb,bvh,npz,usda,png,gif,html."
    ),
]

PICTURES = ("png", "gif")


def targets(stem: Path, formats: str) -> list[Path]:
    """Return the files for a stem and formats; a stem with a known suffix is one file."""
    from footfall.errors import InputError, choices
    from footfall.files.formats import writable_suffixes

    known = [s.lstrip(".") for s in writable_suffixes()] + [*PICTURES, PAGE]
    if stem.suffix.lstrip(".").lower() in known:
        return check_pages([stem])
    wanted = [f.strip().lower().lstrip(".") for f in formats.split(",") if f.strip()]
    for name in wanted:
        if name not in known:
            raise InputError(f"--formats names {name!r}", remedy=choices(known, name))
    if not wanted:
        raise InputError("--formats names nothing", remedy=choices(known))
    return check_pages([stem.with_name(f"{stem.name}.{name}") for name in wanted])


def is_picture(file: Path) -> bool:
    """Return whether a file is a picture by its suffix, not a motion."""
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
