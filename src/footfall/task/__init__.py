"""Queries, stages, plans and the contract of all planners; finishing and verification.

Not finding a motion is a status of the plan, with a reason; misuse is an exception.
"""

from __future__ import annotations

from footfall.task.plan import (
    CANCELLED,
    FOUND,
    GOAL_NOT_VALID,
    NO_CLIP,
    NO_METHOD,
    NO_PATH,
    OUT_OF_TIME,
    START_NOT_VALID,
    STATUSES,
    Plan,
    Segment,
    SourceClip,
)
from footfall.task.query import Query
from footfall.task.stages import (
    STAGES,
    Duck,
    Follow,
    GoTo,
    Pick,
    Place,
    PutDown,
    Sit,
    Stage,
    StandOn,
    StandUp,
    Via,
)
from footfall.task.watch import Cancelled, News, Watch

__all__ = [
    "CANCELLED", "FOUND", "GOAL_NOT_VALID", "NO_CLIP", "NO_METHOD", "NO_PATH", "OUT_OF_TIME",
    "STAGES", "START_NOT_VALID", "STATUSES", "Cancelled", "Duck", "Follow", "GoTo", "News",
    "Pick", "Place", "Plan", "PutDown", "Query", "Segment", "Sit", "SourceClip", "Stage", "StandOn",
    "StandUp", "Via", "Watch",
]  # fmt: skip
