"""The result of a query: a plan with a status, a motion, and its origin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from footfall.errors import InputError
from footfall.maths.arrays import Floats

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.gait.footprints import Footprint
    from footfall.task.verify import Report

FOUND = "found"
NO_PATH = "no path"
NO_CLIP = "no clip reaches"
NO_METHOD = "no method can"
GOAL_NOT_VALID = "goal not valid"
START_NOT_VALID = "start not valid"
OUT_OF_TIME = "out of time"
CANCELLED = "cancelled"
STATUSES = (
    FOUND, NO_PATH, NO_CLIP, NO_METHOD, GOAL_NOT_VALID, START_NOT_VALID, OUT_OF_TIME, CANCELLED,
)  # fmt: skip


@dataclass(frozen=True)
class SourceClip:
    """A stretch of a clip that a segment is made of.

    clip      the name of the clip in the library
    frame     the frame of that clip that the segment's first frame shows
    weight    how much it counts, as a mean over the segment; the weights of a segment sum to 1
    mirrored  whether left and right are exchanged
    """

    clip: str
    frame: int
    weight: float = 1.0
    mirrored: bool = False

    def __str__(self) -> str:
        return f"{self.clip}{' mirrored' if self.mirrored else ''}"


@dataclass(frozen=True)
class Segment:
    """A stretch of a planned clip and where it comes from.

    first, stop  its frames in the planned clip, from `first` up to `stop`
    why          "clip", "transition", "start", "stop", …
    sources      what it is made of; several while they are blended
    """

    first: int
    stop: int
    why: str
    sources: tuple[SourceClip, ...]

    @property
    def label(self) -> str:
        """Its sources in a few words."""
        return " + ".join(str(source) for source in self.sources)


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """What came of a query.

    status      one of STATUSES; only with FOUND, and sometimes OUT_OF_TIME, there is a clip
    reason      one sentence on why there is no (complete) motion; "" if there is
    clip        the motion
    path        (N, 2) the path that it follows, metres; None if it follows none
    footprints  where the feet stand
    footholds   (N, 3) x, z and yaw of the footholds that they were chosen from; None without such
    segments    which clips it is made of, in order
    cost        what the method minimised, in its own unit; nan if there is nothing
    bound       the cost is at most this many times the best there is; inf if nothing is known
    method      which planner made it; `choice` is one sentence on why that one
    timings     seconds by the name of the work
    notes       one sentence for each thing worth knowing
    anytime     (K, 4) how it got better: seconds searched, cost, bound, states expanded; None if
                it was found at once
    report      what `verify` found of the motion; None without a motion
    """

    status: str
    reason: str = ""
    clip: Clip | None = None
    path: Floats | None = None
    footprints: tuple[Footprint, ...] = ()
    segments: tuple[Segment, ...] = ()
    cost: float = math.nan
    bound: float = math.inf
    method: str = ""
    choice: str = ""
    timings: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    footholds: Floats | None = None
    anytime: Floats | None = None
    report: Report | None = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise InputError(f"there is no status {self.status!r}", remedy=", ".join(STATUSES))
        if (self.status == FOUND) != (self.reason == ""):
            raise InputError("a plan that is not found needs a reason, a found one none")

    def __repr__(self) -> str:
        if self.clip is None:
            return f"Plan({self.status!r}, {self.reason!r})"
        by = f", {self.method}" if self.method else ""
        return (
            f"Plan({self.status!r}, {self.clip.seconds:.1f} s, {len(self.footprints)} footprints, "
            f"{len(self.segments)} segments{by})"
        )

    @property
    def found(self) -> bool:
        return self.status == FOUND
