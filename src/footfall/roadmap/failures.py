"""Why there is no path, in a sentence: what is wrong with a place, what is in the way."""

from __future__ import annotations

import numpy as np

from footfall.roadmap.joins import standing_ends
from footfall.roadmap.table import MoveTable
from footfall.task.stages import WITHIN_M, WITHIN_RAD, Place
from footfall.world.collision.motion_check import obstacle_name
from footfall.world.collision.queries import REASONS, body_clearance, foot_placements
from footfall.world.scene import Scene

_BODY_M, _KNEE_M, _SLIM_M = 1.4, 0.3, 0.08
"""Nobody stands where something is nearer than the last, between these heights."""
_SAYS = {
    "no ground": "there is no ground", "water": "it is under water",
    "uneven": "the ground is too uneven", "too steep": "the ground is too steep",
    "obstacle": "something is in the way",
}  # fmt: skip


def why_nobody_stands(table: MoveTable, scene: Scene, at: Place, name: str) -> str:
    """Why nobody can stand at a place, in a sentence; "" if somebody can."""
    ends, valid = standing_ends(table, scene, at, True, (WITHIN_M, WITHIN_RAD))
    where = f"nobody can stand at the {name} ({at.x:.2f}, {at.z:.2f})"
    away, owner = body_clearance(
        scene, at.point[None], body_height=_BODY_M, step_height=_KNEE_M, reach=1.0
    )
    if away[0] < _SLIM_M and owner[0] >= 0:
        return f"{where}: {obstacle_name(scene, int(owner[0]))} is in the way"
    if valid.any():
        return ""
    ahead = table.moves.sole_ahead
    yaw = ends.footholds[:, 3]
    soles = ends.footholds[:, [0, 2]] + ahead * np.column_stack([np.sin(yaw), np.cos(yaw)])
    found = foot_placements(scene, np.column_stack([soles, yaw]), table.moves.foot_box)
    reasons = found.reason[found.reason > 0]
    if not len(reasons):
        return f"{where}: there is no room for both feet"
    reason = REASONS[int(np.bincount(reasons).argmax())]
    if reason == "obstacle" and owner[0] >= 0 and away[0] < 0.5:
        return f"{where}: {obstacle_name(scene, int(owner[0]))} is in the way"
    return f"{where}: {_SAYS[reason]}"
