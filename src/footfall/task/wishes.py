"""Report which wishes of a query a method ignores, and by how much a motion misses others."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.gait.speed import MOVING_M_S, ground_speeds
from footfall.task.plan import Plan
from footfall.task.query import Query

WISHES = ("speed", "style", "prefer", "seed")
"""The wishes of a query that a method may ignore."""
_NOTED_SPEED = 0.1
"""A speed that is off by a smaller share is not noted."""


def note_wishes(method: Any, query: Query, plan: Plan) -> list[str]:
    """Return a note for each wish that was ignored, or missed by more than a little."""
    ignored = [w for w in WISHES if w in getattr(method, "ignores", ()) and _wishes(query, w)]
    notes = [f"{method.name} ignores the wish {wish!r}" for wish in ignored]
    if query.speed is not None and "speed" not in ignored and plan.clip is not None:
        speeds = ground_speeds(plan.clip)
        moving = speeds[speeds > MOVING_M_S]
        goes = float(np.median(moving)) if len(moving) else 0.0
        if abs(goes / query.speed - 1.0) > _NOTED_SPEED:
            notes.append(f"it moves at {goes:.2f} m/s; {query.speed:.2f} m/s was asked for")
    return notes


def _wishes(query: Query, wish: str) -> bool:
    """Return whether a query has a wish."""
    value = getattr(query, wish)
    return bool(value) if wish in ("prefer", "seed") else value is not None
