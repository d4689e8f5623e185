"""What a path file and a task file may say, as pydantic models. Import this module lazily.

Angles are degrees in the files; lengths are metres, or what `unit` says.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr

from footfall.files.scene.schema import At, Extent, Length, Name, SpecModel, Text

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


class TaskFile(SpecModel):
    """A task; `path` is a name or a file here, a table is read as a `PathFile` before."""

    name: Name = ""
    scene: Text | None = None
    query: Name | None = None
    start: At | None = Field(default=None, alias="from")
    goal: At | None = Field(default=None, alias="to")
    path: Text | None = None
    scale: Length | None = None
    speed: Length | None = None
    method: Name = "auto"
    library: Text = "default"
    character: Text | None = None
    seed: Annotated[StrictInt, Field(ge=0, le=2**63 - 1)] = 0
    options: dict[Name, StrictStr | StrictBool | StrictInt | StrictFloat] = Field(
        default_factory=dict
    )
