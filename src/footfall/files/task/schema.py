"""The schema of path files, as a pydantic model. Import this module lazily.

Lengths are metres, or what `unit` says.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool

from footfall.files.scene.schema import Extent, Name, SpecModel

Coordinate = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-1e9, le=1e9)]
Point = Annotated[list[Coordinate], Field(min_length=2, max_length=2)]


class PathFile(SpecModel):
    """A path: points to go through, x and z."""

    name: Name = ""
    unit: Literal["m", "cm", "mm", "km", "ft", "in"] = "m"
    points: Annotated[list[Point], Field(min_length=1, max_length=200_000)]
    curve: Literal["straight", "round", "spline"] = "straight"
    radius: Extent = 0.0
    closed: StrictBool = False
