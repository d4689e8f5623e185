"""What every system takes and gives: a `Query` goes in, a `Plan` comes out.

Not finding a motion is a status of the plan, with a reason; misuse is an exception.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Floats, frozen_floats

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.gait.footprints import Footprint
    from footfall.world.scene import Scene

FOUND = "found"
NO_PATH = "no path"
NO_CLIP = "no clip reaches"
GOAL_NOT_VALID = "goal not valid"
START_NOT_VALID = "start not valid"
OUT_OF_TIME = "out of time"
STATUSES = (FOUND, NO_PATH, NO_CLIP, GOAL_NOT_VALID, START_NOT_VALID, OUT_OF_TIME)

FURTHEST_M = 1e6
"""No place is further from the middle of the world than this."""


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and math.isfinite(value)


@dataclass(frozen=True)
class Place:
    """A place on the ground and, if it matters, the way to face there.

    x, z  metres
    yaw   radians, positive to the left of +Z; None if any will do
    """

    x: float
    z: float
    yaw: float | None = None

    def __post_init__(self) -> None:
        given = (self.x, self.z) if self.yaw is None else (self.x, self.z, self.yaw)
        if not all(_is_number(value) and abs(value) <= FURTHEST_M for value in given):
            raise InputError(
                f"the place is {str(given)[:80]}", remedy="it takes finite numbers x, z[, yaw]"
            )

    @property
    def point(self) -> Floats:
        """(2,) x and z."""
        return np.array([self.x, self.z])


@dataclass(frozen=True, eq=False)
class Query:
    """What to do: follow a path, or go from one place to another.

    path       (N, 2) x and z of the points to follow, metres; or None to have it planned
    start      where to begin; None: where the path begins
    goal       where to end; None: where the path ends
    scene      the world to do it in; None for an endless plain
    speed      metres a second that are wished for; None for what the clips do
    seed       the same seed gives the same motion
    """

    path: Floats | None = None
    start: Place | None = None
    goal: Place | None = None
    scene: Scene | None = None
    speed: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        self._check_kinds()
        if self.path is not None:
            object.__setattr__(self, "path", frozen_floats(self.path, (None, 2), "path"))
            if len(self.path) == 0:
                raise InputError("the path has no points", remedy="it needs two")
            if np.abs(self.path).max() > FURTHEST_M:
                raise InputError(
                    f"the path goes {np.abs(self.path).max():.3g} m away",
                    remedy=f"at most {FURTHEST_M:g} m",
                )
        elif self.start is None or self.goal is None:
            raise InputError(
                "the task has neither a path nor both ends", remedy="give a path, or start and goal"
            )
        if self.speed is not None and not (_is_number(self.speed) and self.speed > 0.0):
            raise InputError(
                f"the speed is {self.speed}", remedy="it takes metres a second above 0"
            )

    def _check_kinds(self) -> None:
        """Raise an InputError where something is of another kind than it can be."""
        for name in ("start", "goal"):
            place = getattr(self, name)
            if place is not None and not isinstance(place, Place):
                raise InputError(f"the {name} is {str(place)[:80]}", remedy="give a Place(x, z)")
        for name, thing, remedy in (
            ("path", self.path, "give points x, z, like load_path(name).points"),
            ("scene", self.scene, "give a scene, like load_scene(name)"),
        ):
            if isinstance(thing, str | PathLike):
                raise InputError(f"the {name} is {str(thing)[:80]!r}", remedy=remedy)
        if not isinstance(self.seed, Integral) or self.seed < 0:
            raise InputError(
                f"the seed is {self.seed!r}", remedy="it is a whole number, at least 0"
            )

    @property
    def whole(self) -> Floats:
        """(N, 2) all the points to go through: the start, the path, the goal."""
        ends = [np.zeros((0, 2)) if p is None else p.point[None] for p in (self.start, self.goal)]
        path = np.zeros((0, 2)) if self.path is None else self.path
        return np.concatenate([ends[0], path, ends[1]])


@dataclass(frozen=True)
class Segment:
    """A stretch of a planned clip and where it comes from.

    first, stop   its frames in the planned clip, from `first` up to `stop`
    clip          the name of the source clip ("a+b" while passing from one to the other)
    source_first  the frame of the source clip its first frame was
    why           "clip", "transition", "stop", …
    """

    first: int
    stop: int
    clip: str
    source_first: int
    why: str


@dataclass(frozen=True, eq=False)
class Plan:
    """What came of a query.

    status      one of STATUSES; only with FOUND, and sometimes OUT_OF_TIME, there is a clip
    reason      one sentence on why there is no (complete) motion; "" if there is
    clip        the motion
    path        (N, 2) the path that it follows, metres
    footprints  where the feet stand
    segments    which clips it is made of, in order
    cost        what the method minimised, in its own unit; nan if there is nothing
    bound       the cost is at most this many times the best there is; inf if nothing is known
    timings     seconds by the name of the work
    notes       one sentence for each thing worth knowing
    """

    status: str
    reason: str = ""
    clip: Clip | None = None
    path: Floats | None = None
    footprints: tuple[Footprint, ...] = ()
    segments: tuple[Segment, ...] = ()
    cost: float = math.nan
    bound: float = math.inf
    timings: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise InputError(f"there is no status {self.status!r}", remedy=", ".join(STATUSES))
        if (self.status == FOUND) != (self.reason == ""):
            raise InputError("a plan that is not found needs a reason, a found one none")

    @property
    def found(self) -> bool:
        return self.status == FOUND
