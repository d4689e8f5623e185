"""The schema of scene files, as pydantic models. Import this module lazily.

Lengths are metres and angles degrees in the file. A place `at` has two numbers (x, z: it rests
on the ground) or three (x, y, z: its base is at y).
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

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
Quaternion = Annotated[list[Number], Field(min_length=4, max_length=4)]
Corners = Annotated[list[Triple], Field(min_length=3, max_length=1_000_000)]
Index = Annotated[StrictInt, Field(ge=0, le=1_000_000)]
Faces = Annotated[
    list[Annotated[list[Index], Field(min_length=3, max_length=3)]],
    Field(min_length=1, max_length=1_000_000),
]
At = Annotated[list[Number], Field(min_length=2, max_length=3)]
Polygon = Annotated[list[Pair], Field(min_length=3, max_length=20_000)]
Text = Annotated[StrictStr, Field(max_length=2000)]
Name = Annotated[StrictStr, Field(max_length=80)]
Colour = Annotated[StrictStr, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Rows = Annotated[list[list[Number]], Field(min_length=2, max_length=4096)]
Seed = Annotated[StrictInt, Field(ge=0, le=2**31)]


class SpecModel(BaseModel):
    """No unknown keys."""

    model_config = ConfigDict(extra="forbid")


class NoiseSpec(SpecModel):
    """Random heights added to the control points of a spline ground."""

    seed: Seed = 0
    amplitude: Length
    rim: Extent = 0.0  # the noise fades out this far from the border


class BumpSpec(SpecModel):
    """A hill (height > 0) or a hollow (height < 0) with a flat middle and soft sides."""

    at: Pair
    radius: Length
    height: Number
    flat: Share = 0.0


class ChannelSpec(SpecModel):
    """A bed (depth > 0) or dam (depth < 0) along a line, `width` across at half depth."""

    points: Annotated[list[Pair], Field(min_length=2, max_length=1000)]
    width: Length
    depth: Number


class GroundSpec(SpecModel):
    kind: Literal["flat", "grid", "bspline", "mesh"] = "flat"
    level: Number = 0.0
    origin: Pair | None = None
    size: Lengths2 | None = None
    heights: Rows | None = None
    weights: Rows | None = None
    points: Annotated[list[StrictInt], Field(min_length=2, max_length=2)] | None = None
    file: Name | None = None
    scale: Number = 1.0
    bump: list[BumpSpec] = []
    channel: list[ChannelSpec] = []
    noise: NoiseSpec | None = None
    up: Literal["x", "y", "z", "-x", "-y", "-z"] = "y"
    unit: Length = 1.0
    vertices: Corners | None = None
    triangles: Faces | None = None


class WaterSpec(SpecModel):
    level: Number
    polygon: Polygon | None = None
    name: Name = ""


class HoleSpec(SpecModel):
    polygon: Polygon | None = None
    at: Pair | None = None
    size: Lengths2 | None = None
    yaw_deg: Degrees = 0.0
    depth: Length = 1.0
    name: Name = ""


class MotionSpec(SpecModel):
    times: Annotated[list[Number], Field(min_length=1, max_length=100_000)]
    positions: Annotated[list[Triple], Field(min_length=1, max_length=100_000)]
    yaws_deg: Annotated[list[Degrees], Field(min_length=1, max_length=100_000)] | None = None
    rotations: Annotated[list[Quaternion], Field(min_length=1, max_length=100_000)] | None = None
    loop: StrictBool = False


class ObstacleSpec(SpecModel):
    """What every obstacle has."""

    name: Name = ""
    at: At
    yaw_deg: Degrees = 0.0
    colour: Colour | None = None
    motion: MotionSpec | None = None


class BoxSpec(ObstacleSpec):
    kind: Literal["box"]
    size: Lengths3
    pitch_deg: Degrees = 0.0
    roll_deg: Degrees = 0.0
    walkable: StrictBool = False


class CylinderSpec(ObstacleSpec):
    kind: Literal["cylinder"]
    radius: Length
    height: Length
    walkable: StrictBool = False


class PlatformSpec(ObstacleSpec):
    kind: Literal["platform"]
    size: Lengths3


class StoneSpec(ObstacleSpec):
    kind: Literal["stone"]
    radius: Length
    height: Length = 0.15


class ColumnSpec(ObstacleSpec):
    kind: Literal["column"]
    radius: Length
    height: Length


class StairsSpec(ObstacleSpec):
    kind: Literal["stairs"]
    width: Length
    steps: Annotated[StrictInt, Field(ge=1, le=1000)]
    rise: Length = 0.17
    run: Length = 0.29
    landing: Extent = 0.0


class ChairSpec(ObstacleSpec):
    kind: Literal["chair"]
    seat: Length = 0.45
    width: Length = 0.45
    depth: Length = 0.45
    back: Length = 0.45


class TableSpec(ObstacleSpec):
    kind: Literal["table"]
    size: Lengths3
    item: Pair | None = None


class BarSpec(ObstacleSpec):
    kind: Literal["bar"]
    clearance: Length
    width: Length = 1.2


class BeamSpec(ObstacleSpec):
    kind: Literal["beam"]
    length: Length
    width: Length = 0.15
    height: Length = 0.2


class PrismSpec(ObstacleSpec):
    kind: Literal["prism"]
    polygon: Annotated[list[Pair], Field(min_length=3, max_length=500)]
    height: Length
    walkable: StrictBool = False


class WallSpec(SpecModel):
    kind: Literal["wall"]
    name: Name = ""
    start: Pair = Field(alias="from")
    end: Pair = Field(alias="to")
    thickness: Length = 0.15
    height: Length = 2.6
    base: Number | None = None
    colour: Colour | None = None


class MeshSpec(ObstacleSpec):
    kind: Literal["mesh"]
    file: Name
    up: Literal["x", "y", "z", "-x", "-y", "-z"] = "y"
    unit: Length = 1.0
    walkable: StrictBool = False


class BoxPartSpec(SpecModel):
    shape: Literal["box"]
    at: Triple
    size: Lengths3
    yaw_deg: Degrees = 0.0
    colour: Colour | None = None
    walkable: StrictBool = False


class CylinderPartSpec(SpecModel):
    shape: Literal["cylinder"]
    at: Triple
    radius: Length
    height: Length
    colour: Colour | None = None
    walkable: StrictBool = False


PartSpec = Annotated[BoxPartSpec | CylinderPartSpec, Field(discriminator="shape")]


class GroupSpec(ObstacleSpec):
    """Boxes and cylinders that belong together; `at` of a part is its lowest middle point."""

    kind: Literal["group"]
    part: Annotated[list[PartSpec], Field(min_length=1, max_length=1000)]


class SolidPartSpec(SpecModel):
    """A part to the last digit: half sizes about a centre, or a mesh; linear red, green, blue."""

    shape: Literal["box", "cylinder", "mesh"]
    centre: Triple = [0.0, 0.0, 0.0]
    half: Triple = [0.0, 0.0, 0.0]
    rotation: Quaternion = [1.0, 0.0, 0.0, 0.0]
    vertices: Corners | None = None
    triangles: Faces | None = None
    colour: Annotated[list[Share], Field(min_length=3, max_length=3)]
    walkable: StrictBool = False
    solid: StrictBool = True


class PartsSpec(ObstacleSpec):
    """Any obstacle to the last digit, as programs write it."""

    kind: Literal["parts"]
    what: Name = "parts"  # the word that messages use: "chair"
    rotation: Quaternion | None = None
    points: dict[Name, Triple] = {}
    free_below: Extent = 0.0
    part: Annotated[list[SolidPartSpec], Field(min_length=1, max_length=1000)]


AnyObstacleSpec = Annotated[
    BoxSpec | CylinderSpec | PlatformSpec | StoneSpec | ColumnSpec | StairsSpec | ChairSpec
    | TableSpec | BarSpec | BeamSpec | PrismSpec | WallSpec | MeshSpec | GroupSpec
    | PartsSpec,
    Field(discriminator="kind"),
]  # fmt: skip

OBSTACLE_SPECS: dict[str, type[SpecModel]] = {
    get_args(spec.model_fields["kind"].annotation)[0]: spec
    for spec in get_args(get_args(AnyObstacleSpec)[0])
}
"""What an obstacle of each kind may say."""


class QuerySpec(SpecModel):
    name: Name
    start: At = Field(alias="from")
    goal: At = Field(alias="to")
    note: Text = ""
    needs: Annotated[
        list[Literal["step", "jump", "hurdle", "balance", "duck", "sit"]], Field(max_length=6)
    ] = []


class PathSpec(SpecModel):
    name: Name
    points: Annotated[list[Pair], Field(min_length=2, max_length=100_000)]
    curve: Literal["straight", "round", "spline"] = "straight"
    radius: Extent = 0.0


class ImportSpec(SpecModel):
    file: Name
    max_slope_deg: SlopeDegrees = 40.0
    step_height: Extent = 0.25
    up: Literal["x", "y", "z", "-x", "-y", "-z"] = "y"
    unit: Length = 1.0


class SceneFile(SpecModel):
    name: Name = ""
    description: Text = ""
    size: Lengths2 | None = None
    outline: Polygon | None = None
    ground: GroundSpec = GroundSpec()
    water: Annotated[list[WaterSpec], Field(max_length=1000)] = []
    hole: Annotated[list[HoleSpec], Field(max_length=10_000)] = []
    obstacle: Annotated[list[AnyObstacleSpec], Field(max_length=100_000)] = []
    query: Annotated[list[QuerySpec], Field(max_length=10_000)] = []
    path: Annotated[list[PathSpec], Field(max_length=1000)] = []
    import_: ImportSpec | None = Field(default=None, alias="import")
