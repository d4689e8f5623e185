"""Figures as files: which endings there are, and writing one whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from footfall.errors import InputError
from footfall.files.atomic import atomic_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg", ".pdf")


def figure_file(path: str | Path) -> Path:
    """Return the path, if a figure can be saved as it; to be asked before anything is drawn."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            f"pictures are not saved as {path.suffix or 'a file without ending'}",
            where=str(path), remedy="the ending is .png, .svg or .pdf",
        )  # fmt: skip
    return path


def save_figure(figure: Figure, path: Path) -> Path:
    """Write a figure as the kind of file that the ending says; the file that was written."""
    with atomic_file(path) as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=110)
    return path
