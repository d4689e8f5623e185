"""Axes for the plots of reports, and pictures as PNG data."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from footfall.render.raster import Picture


def make_axes(
    columns: int = 1, rows: int = 1, *, wide: float = 4.2, high: float = 3.2, sharex: bool = False
) -> tuple[Figure, list[Any]]:
    """A figure with plain axes, row by row, each so many inches wide and high."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(wide * columns, high * rows), dpi=110, layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(rows, columns, sharex=sharex)).ravel())
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def png_of_figure(figure: Figure) -> bytes:
    """A figure as PNG."""
    data = BytesIO()
    figure.savefig(data, format="png", dpi=110)
    return data.getvalue()


def png_of_picture(picture: Picture) -> bytes:
    """A rendered picture as PNG."""
    from PIL import Image

    data = BytesIO()
    Image.fromarray(picture).save(data, format="png")
    return data.getvalue()
