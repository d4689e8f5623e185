"""What a scene file may say, as pydantic models. Import this module lazily.

Lengths are metres and angles degrees in the file. A place `at` has two numbers (x, z: it rests
on the ground) or three (x, y, z: its base is at y).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-1e5, le=1e5)]
SMALLEST = 1e-6
Length = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=SMALLEST, le=1e5)]
Extent = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0.0, le=1e5)]
Share = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0.0, le=1.0)]
Degrees = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-3600.0, le=3600.0)]
SlopeDegrees = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0.0, lt=90.0)]
Pair = Annotated[list[Number], Field(min_length=2, max_length=2)]
Lengths2 = Annotated[list[Length], Field(min_length=2, max_length=2)]
Lengths3 = Annotated[list[Length], Field(min_length=3, max_length=3)]
Triple = Annotated[list[Number], Field(min_length=3, max_length=3)]
At = Annotated[list[Number], Field(min_length=2, max_length=3)]
Polygon = Annotated[list[Pair], Field(min_length=3, max_length=20_000)]
Text = Annotated[StrictStr, Field(max_length=2000)]
Name = Annotated[StrictStr, Field(max_length=80)]
Colour = Annotated[StrictStr, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Rows = Annotated[list[list[Number]], Field(min_length=2, max_length=4096)]
Seed = Annotated[StrictInt, Field(ge=0, le=2**31)]


class Model(BaseModel):
    """No unknown keys."""

    model_config = ConfigDict(extra="forbid")


class Noise(Model):
    """Random heights added to the control points of a spline ground."""

    seed: Seed = 0
    amplitude: Length
    rim: Extent = 0.0  # the noise fades out this far from the border


class Bump(Model):
    """A hill (height > 0) or a hollow (height < 0) with a flat middle and soft sides."""

    at: Pair
    radius: Length
    height: Number
    flat: Share = 0.0


class Channel(Model):
    """A bed (depth > 0) or dam (depth < 0) along a line, `width` across at half depth."""

    points: Annotated[list[Pair], Field(min_length=2, max_length=1000)]
    width: Length
    depth: Number


class Ground(Model):
    kind: Literal["flat", "grid", "bspline", "mesh"] = "flat"
    level: Number = 0.0
    origin: Pair | None = None
    size: Lengths2 | None = None
    heights: Rows | None = None
    weights: Rows | None = None
    points: Annotated[list[StrictInt], Field(min_length=2, max_length=2)] | None = None
    file: Name | None = None
    scale: Number = 1.0
    bump: list[Bump] = []
    channel: list[Channel] = []
    noise: Noise | None = None
    up: Literal["x", "y", "z", "-x", "-y", "-z"] = "y"
    unit: Length = 1.0


class Water(Model):
    level: Number
    polygon: Polygon | None = None
    name: Name = ""


class Hole(Model):
    polygon: Polygon | None = None
    at: Pair | None = None
    size: Lengths2 | None = None
    yaw_deg: Degrees = 0.0
    depth: Length = 1.0
    name: Name = ""


class Motion(Model):
    times: Annotated[list[Number], Field(min_length=1, max_length=100_000)]
    positions: Annotated[list[Triple], Field(min_length=1, max_length=100_000)]
    yaws_deg: Annotated[list[Degrees], Field(min_length=1, max_length=100_000)] | None = None
    loop: StrictBool = False


class Thing(Model):
    """What every obstacle has."""

    name: Name = ""
    at: At
    yaw_deg: Degrees = 0.0
    colour: Colour | None = None
    motion: Motion | None = None


class Box(Thing):
    kind: Literal["box"]
    size: Lengths3
    pitch_deg: Degrees = 0.0
    roll_deg: Degrees = 0.0
    walkable: StrictBool = False


class Cylinder(Thing):
    kind: Literal["cylinder"]
    radius: Length
    height: Length
    walkable: StrictBool = False


class Platform(Thing):
    kind: Literal["platform"]
    size: Lengths3


class Stone(Thing):
    kind: Literal["stone"]
    radius: Length
    height: Length = 0.15


class Column(Thing):
    kind: Literal["column"]
    radius: Length
    height: Length


class Stairs(Thing):
    kind: Literal["stairs"]
    width: Length
    steps: Annotated[StrictInt, Field(ge=1, le=1000)]
    rise: Length = 0.17
    run: Length = 0.29
    landing: Extent = 0.0


class Chair(Thing):
    kind: Literal["chair"]
    seat: Length = 0.45
    width: Length = 0.45
    depth: Length = 0.45
    back: Length = 0.45


class Table(Thing):
    kind: Literal["table"]
    size: Lengths3
    item: Pair | None = None


class Bar(Thing):
    kind: Literal["bar"]
    clearance: Length
    width: Length = 1.2


class Beam(Thing):
    kind: Literal["beam"]
    length: Length
    width: Length = 0.15
    height: Length = 0.2


class Prism(Thing):
    kind: Literal["prism"]
    polygon: Annotated[list[Pair], Field(min_length=3, max_length=500)]
    height: Length
    walkable: StrictBool = False


class Wall(Model):
    kind: Literal["wall"]
    name: Name = ""
    start: Pair = Field(alias="from")
    end: Pair = Field(alias="to")
    thickness: Length = 0.15
    height: Length = 2.6
    base: Number | None = None
    colour: Colour | None = None


class Mesh(Thing):
    kind: Literal["mesh"]
    file: Name
    up: Literal["x", "y", "z", "-x", "-y", "-z"] = "y"
    unit: Length = 1.0
    walkable: StrictBool = False


class BoxPart(Model):
    shape: Literal["box"]
    at: Triple
    size: Lengths3
    yaw_deg: Degrees = 0.0
    colour: Colour | None = None
    walkable: StrictBool = False


class CylinderPart(Model):
    shape: Literal["cylinder"]
    at: Triple
    radius: Length
    height: Length
    colour: Colour | None = None
    walkable: StrictBool = False


Piece = Annotated[BoxPart | CylinderPart, Field(discriminator="shape")]


class Group(Thing):
    """Boxes and cylinders that belong together; `at` of a part is its lowest middle point."""

    kind: Literal["group"]
    part: Annotated[list[Piece], Field(min_length=1, max_length=1000)]


Obstacle = Annotated[
    Box | Cylinder | Platform | Stone | Column | Stairs | Chair | Table | Bar | Beam | Prism
    | Wall | Mesh | Group,
    Field(discriminator="kind"),
]  # fmt: skip


class Query(Model):
    name: Name
    start: At = Field(alias="from")
    goal: At = Field(alias="to")
    note: Text = ""


class Path(Model):
    name: Name
    points: Annotated[list[Pair], Field(min_length=2, max_length=100_000)]
    curve: Literal["straight", "round", "spline"] = "straight"
    radius: Extent = 0.0


class Import(Model):
    file: Name
    max_slope_deg: SlopeDegrees = 40.0
    step_height: Extent = 0.25
    up: Literal["x", "y", "z", "-x", "-y", "-z"] = "y"
    unit: Length = 1.0


class SceneFile(Model):
    name: Name = ""
    description: Text = ""
    size: Lengths2 | None = None
    outline: Polygon | None = None
    ground: Ground = Ground()
    water: Annotated[list[Water], Field(max_length=1000)] = []
    hole: Annotated[list[Hole], Field(max_length=10_000)] = []
    obstacle: Annotated[list[Obstacle], Field(max_length=100_000)] = []
    query: Annotated[list[Query], Field(max_length=10_000)] = []
    path: Annotated[list[Path], Field(max_length=1000)] = []
    import_: Import | None = Field(default=None, alias="import")
