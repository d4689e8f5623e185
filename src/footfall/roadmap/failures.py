"""Why there is no path, in a sentence: what is wrong with a place, what is in the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from footfall.maths.arrays import Bools, Floats
from footfall.maths.runs import runs
from footfall.roadmap.ground_line import cells_of, find_line
from footfall.roadmap.joins import Ends
from footfall.roadmap.model import Roadmap
from footfall.roadmap.passages import find_passages
from footfall.roadmap.sweep_columns import HALF
from footfall.roadmap.table import MoveTable
from footfall.task import NO_CLIP, NO_PATH
from footfall.task.stages import Place
from footfall.world.collision.motion_check import obstacle_name
from footfall.world.collision.queries import REASONS, body_clearance, foot_placements
from footfall.world.scene import Scene

_SAYS = {
    "no ground": "there is no ground", "water": "it is under water",
    "uneven": "the ground is too uneven", "too steep": "the ground is too steep",
    "obstacle": "something is in the way",
}  # fmt: skip


def why_nobody_stands(
    table: MoveTable, scene: Scene, at: Place, name: str, ends: Ends, valid: Bools
) -> str:
    """Why nobody can stand at a place, in a sentence; "" if somebody can.

    ends, valid  where the feet would be there, and which of them hold
    """
    where = f"nobody can stand at the {name} ({at.x:.2f}, {at.z:.2f})"
    size = table.moves.size
    away, owner = body_clearance(
        scene, at.point[None], body_height=size.shoulder_m, step_height=size.knee_m, reach=1.0
    )
    if away[0] < size.slim_m and owner[0] >= 0:
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


@dataclass(frozen=True, eq=False)
class Verdict:
    """Why a start and a goal are not joined: status and reason of a plan.

    sparse  whether more footholds may help
    line    (L, 2) over the ground from start to goal
    """

    status: str
    reason: str
    sparse: bool
    line: Floats


def judge_failure(roadmap: Roadmap, scene: Scene, stops: Sequence[Floats]) -> Verdict:
    """Why no path leads from point to point (x and z), from a start by places to a goal.

    Where free ground leads there it is the footholds that are too few; else it depends on whether
    some clip gets over what is in the way.
    """
    parts = []
    for n, (a, b) in enumerate(pairwise(stops)):
        names = "start" if n == 0 else "place", "goal" if n == len(stops) - 2 else "place"
        where = (
            f"from the {names[0]} ({a[0]:.2f}, {a[1]:.2f}) to the {names[1]} "
            f"({b[0]:.2f}, {b[1]:.2f})"
        )
        parts.append(_judge_part(roadmap, scene, a, b, where))
        if not parts[-1].sparse:
            return parts[-1]
    return replace(parts[-1], line=np.concatenate([p.line for p in parts]))


def _judge_part(roadmap: Roadmap, scene: Scene, start: Floats, goal: Floats, where: str) -> Verdict:
    """The same from one point to another."""
    table = roadmap.table
    jump, step = longest_step(table), highest_step(table)
    line = find_line(cells_of(table, scene), start, goal, step)
    rises = np.abs(np.diff(line.height))
    high = np.flatnonzero(line.free[:-1] & line.free[1:] & (rises > step))
    for n in high[:1].tolist():
        x, z = line.points[n]
        reason = (
            f"no clip climbs the step of {rises[n]:.2f} m at ({x:.2f}, {z:.2f}); they climb "
            f"{step:.2f} m at most"
        )
        return Verdict(NO_CLIP, reason, False, line.points)
    widest, gap = 0.0, -1
    for first, stop in runs(~line.free).tolist():
        walls = line.wall[first:stop]
        x, z = line.points[(first + stop) // 2]
        if (walls >= 0).any():
            name = obstacle_name(scene, int(walls[walls >= 0][0]))
            reason = f"no path leads {where}: {name} is in the way at ({x:.2f}, {z:.2f})"
            return Verdict(NO_PATH, reason, False, line.points)
        a, b = line.points[max(first - 1, 0)], line.points[min(stop, len(line.points) - 1)]
        if float(np.hypot(*(b - a))) > widest:
            widest, gap = float(np.hypot(*(b - a))), (first + stop) // 2
    if widest > jump:
        x, z = line.points[gap]
        reason = (
            f"no clip gets over the gap at ({x:.2f}, {z:.2f}): it is {widest:.1f} m from foothold "
            f"to foothold, and the longest jump at hand gets {jump:.1f} m"
        )
        return Verdict(NO_CLIP, reason, False, line.points)
    reason = (
        f"the {len(roadmap.nodes)} footholds of the roadmap do not lead {where}, though there is "
        f"ground to walk on{_name_narrows(scene, table, line.points)}; more may (options nodes and "
        "denser)"
    )
    return Verdict(NO_CLIP, reason, True, line.points)


def _name_narrows(scene: Scene, table: MoveTable, line: Floats) -> str:
    """Return where a line (L, 2) is narrowest, and what the moves need; "" where it is wide."""
    middle, width, _ = find_passages(scene, line, table.moves.size)
    boxes = table.moves.boxes[table.moves.box_start[:-1]]
    moving = table.moves.chord > 0.5 * table.moves.size.short_m
    if not len(middle) or not moving.any():
        return ""
    n, needed = int(width.argmin()), 2.0 * float(boxes[moving, HALF].min())
    return (
        f" (it is {width[n]:.2f} m wide at ({middle[n, 0]:.2f}, {middle[n, 1]:.2f}), and the "
        f"narrowest move sweeps {needed:.2f} m)"
    )


def longest_step(table: MoveTable) -> float:
    """How far apart two footprints in a row may be, metres, by any move."""
    far = np.hypot(*np.diff(table.moves.places[:, [0, 2]], axis=0).T)
    return float(far[_within_moves(table)].max(initial=0.0)) * (1.0 + table.settings.scale)


def highest_step(table: MoveTable) -> float:
    """How much higher or lower the next footprint may be, metres, by any move."""
    rise = np.abs(np.diff(table.moves.places[:, 1]))
    return float(rise[_within_moves(table)].max(initial=0.0)) + table.rise_m


def _within_moves(table: MoveTable) -> Bools:
    """Which steps from one row of footprints to the next are within one move."""
    inside = np.ones(len(table.moves.places) - 1, np.bool_)
    inside[table.moves.print_start[1:-1] - 1] = False
    return inside
