"""What the studio's API takes: models that check requests and make its OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from footfall.files.scene.schema import SceneFile

NAME_PATTERN = r"^[A-Za-z0-9_\-][A-Za-z0-9_\-. ]{0,79}$"
Name = Annotated[str, Field(pattern=NAME_PATTERN)]
LibraryName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_\-][A-Za-z0-9_\-. :]{0,79}$")]
Id = Annotated[str, Field(pattern=r"^[a-z0-9]{1,32}$")]
Text = Annotated[str, Field(max_length=200)]
Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e5, le=1e5)]
Point = Annotated[list[Number], Field(min_length=2, max_length=2)]
Place = Annotated[list[Number], Field(min_length=2, max_length=3)]
Table = dict[str, Any]
"""A scene or task file as JSON; its own reader checks it."""


class Request(BaseModel):
    """No unknown keys."""

    model_config = ConfigDict(extra="forbid")


class Session(Request):
    """What is edited: the scene, the task, how to plan it, and what the page shows."""

    scene: Table | None = None
    scene_name: Text = ""
    task: Table = {}
    method: Text = "auto"
    options: Table = {}
    library: Text = "default"
    character: Text | None = None
    plans: Annotated[list[Id], Field(max_length=10_000)] = []
    view: Table = {}


class PutSession(Request):
    revision: int
    client: Text = ""
    session: Session


class SceneRequest(Request):
    scene: SceneFile | None


class StagesRequest(Request):
    scene: SceneFile
    obstacle: Annotated[int, Field(ge=0, le=100_000)]


class PutScene(Request):
    table: SceneFile


class TaskRequest(Request):
    task: Table
    scene_name: Text = ""


class CopyLibrary(Request):
    """Clips of a library that become a library in the work folder."""

    name: Name
    source: LibraryName = Field(alias="from")
    clips: Annotated[list[Text], Field(min_length=1, max_length=1000)]


Span = Annotated[list[Annotated[float, Field(ge=0, le=1e6)]], Field(min_length=2, max_length=2)]


class PutContacts(Request):
    points: dict[
        Literal[
            "left_heel", "left_toe", "right_heel", "right_toe", "left_hand", "right_hand", "seat"
        ],
        Annotated[list[Span], Field(max_length=10_000)],
    ]  # fmt: skip


class PlanRequest(Request):
    """Plan a task in a scene."""

    kind: Literal["plan"]
    task: Table
    scene: Table | None = None
    method: Text = "auto"
    options: Table = {}
    library: LibraryName = "default"
    character: Name | None = None
    alternatives: Annotated[int, Field(ge=1, le=8)] = 1
    name: Text = ""


class FootprintRequest(Request):
    """Move one footprint of a plan; the motion around it follows."""

    kind: Literal["footprint"]
    plan: Id
    footprint: Annotated[int, Field(ge=0, le=100_000)]
    x: Number
    z: Number
    yaw_deg: Annotated[float, Field(allow_inf_nan=False, ge=-3600, le=3600)] | None = None
    name: Text = ""


class ReplanRequest(Request):
    """Move a stage of a plan's task, or change its scene; what comes before is kept."""

    kind: Literal["replan"]
    plan: Id
    stage: Annotated[int, Field(ge=0, le=10_000)]
    at: Place | None = None
    scene: Table | None = None
    name: Text = ""


JobRequest = Annotated[PlanRequest | FootprintRequest | ReplanRequest, Field(discriminator="kind")]


class Rename(Request):
    name: Text


class StartLive(Request):
    """Begin live mode on a socket."""

    type: Literal["start"]
    scene: Table | None = None
    library: LibraryName = "default:park"
    character: Name | None = None
    place: Place = [0.0, 0.0]
    crowd: Annotated[int, Field(ge=0, le=200)] = 0
    seed: Annotated[int, Field(ge=0, le=2**31)] = 0


class LiveMessage(Request):
    """What a live socket is sent while it runs."""

    type: Literal["steer", "obstacle", "scene", "crowd", "place", "record", "pause"]
    seq: Annotated[int, Field(ge=0, le=2**32 - 1)] | None = None
    target: Point | None = None
    velocity: Point | None = None
    speed: Annotated[float, Field(ge=0, le=12)] = 1.3
    style: Annotated[float, Field(ge=0, le=1)] | None = None
    index: Annotated[int, Field(ge=0, le=100_000)] = 0
    at: Point | None = None
    yaw_deg: Annotated[float, Field(ge=-3600, le=3600)] | None = None
    scene: Table | None = None
    count: Annotated[int, Field(ge=0, le=200)] = 0
    place: Place | None = None
    on: bool = True
    name: Text = ""
