"""Axes for the plots of reports, and pictures as PNG data."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from footfall.gait.footprints import Footprint
    from footfall.render.raster import Picture

_FEET = ("#2f6fb0", "#c2571a")


def make_axes(
    columns: int = 1, rows: int = 1, *, wide: float = 4.2, high: float = 3.2, sharex: bool = False
) -> tuple[Figure, list[Any]]:
    """Return a figure with plain axes, row by row, of a width and height in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(wide * columns, high * rows), dpi=110, layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(rows, columns, sharex=sharex)).ravel())
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def draw_footprints(
    axes: Any, footprints: Iterable[Footprint], opacity: float, side: float = 1.0
) -> None:
    """Draw footprints from above; with `side` -1, the left of a body that faces +z is left."""
    from matplotlib.patches import Ellipse

    for step in footprints:
        axes.add_patch(Ellipse(
            (side * step.p[0], step.p[2]), 0.10, 0.26, angle=-side * np.degrees(step.yaw),
            facecolor=_FEET[step.foot], edgecolor="none", alpha=opacity, zorder=5,
        ))  # fmt: skip


def png_of_figure(figure: Figure) -> bytes:
    """Return a figure as PNG."""
    data = BytesIO()
    figure.savefig(data, format="png", dpi=110)
    return data.getvalue()


def png_of_picture(picture: Picture) -> bytes:
    """Return a rendered picture as PNG."""
    from PIL import Image

    data = BytesIO()
    Image.fromarray(picture).save(data, format="png")
    return data.getvalue()
