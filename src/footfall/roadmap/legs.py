"""A query as legs: from rest to rest, past the places on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from footfall.roadmap.failures import why_nobody_stands
from footfall.roadmap.joins import Ends, foot_ends, standing_ends
from footfall.roadmap.model import Roadmap
from footfall.roadmap.paths import APART_M, Closed, FootholdPath, NoPath, Passing, find_between
from footfall.roadmap.refine import straighten_path
from footfall.roadmap.table import MoveTable
from footfall.task import GOAL_NOT_VALID, START_NOT_VALID, Query
from footfall.task.stages import WITHIN_M, WITHIN_RAD, GoTo, Place, StandOn, Via
from footfall.world.collision.queries import body_clearance
from footfall.world.scene import Scene

_ROOM_M, _NEAR_PLACES = 0.5, 4
"""How much room is enough, and how many places are tried, where any near a goal will do."""
_BESIDE_M = 0.2
"""How far a body may be from the line between two of its footholds."""


@dataclass(frozen=True, eq=False)
class Leg:
    """Where a leg comes to rest, and the places that it passes before."""

    goals: Ends
    passing: tuple[Passing, ...]


def split_query(roadmap: Roadmap, scene: Scene, query: Query) -> tuple[Ends, list[Leg]] | NoPath:
    """Where to start, and the legs; or why nobody can stand at one of their ends."""
    assert query.start is not None
    table = roadmap.table
    starts, valid = standing_ends(table, scene, query.start, True, (WITHIN_M, WITHIN_RAD))
    wrong = why_nobody_stands(table, scene, query.start, "start", starts, valid)
    if wrong:
        return NoPath(START_NOT_VALID, wrong)
    legs, passing = [], []
    for number, stage in enumerate(query.stages):
        last = number == len(query.stages) - 1
        assert isinstance(stage, GoTo | Via | StandOn)
        name = "goal" if last else f"place of stage {number + 1}"
        if isinstance(stage, Via) and not last:
            wrong = _why_not_passed(table, scene, stage, name)
            if wrong:
                return NoPath(GOAL_NOT_VALID, wrong)
            reach = max(stage.within_m - _BESIDE_M, 0.3 * stage.within_m)
            passing.append(Passing(stage.x, stage.z, reach))
            continue
        goals = _goals(table, scene, stage, name)
        if isinstance(goals, str):
            return NoPath(GOAL_NOT_VALID, goals)
        legs.append(Leg(goals, tuple(passing)))
        passing = []
    return starts.only(valid), legs


def _why_not_passed(table: MoveTable, scene: Scene, stage: Via, name: str) -> str:
    """Why nobody can pass a place on the way, in a sentence; "" if there is room near it."""
    place = Place(stage.x, stage.z)
    ends, valid = standing_ends(table, scene, place, False, (stage.within_m, WITHIN_RAD))
    wrong = why_nobody_stands(table, scene, place, name, ends, valid)
    return "" if wrong and _places_near(scene, stage) else wrong


def _goals(table: MoveTable, scene: Scene, stage: GoTo | Via | StandOn, name: str) -> Ends | str:
    """Where to come to rest for a stage; or why nobody can stand there."""
    near = stage.within_m, stage.within_rad if isinstance(stage, GoTo) else WITHIN_RAD
    if isinstance(stage, StandOn):
        ends, valid = foot_ends(table, scene, stage.place, stage.foot)
    else:
        ends, valid = standing_ends(table, scene, stage.place, False, near)
    wrong = why_nobody_stands(table, scene, stage.place, name, ends, valid)
    if not wrong:
        return ends.only(valid)
    if isinstance(stage, StandOn) or stage.within_m < 2.0 * WITHIN_M:
        return wrong
    parts = []
    for place in _places_near(scene, stage):
        off = float(np.hypot(place.x - stage.x, place.z - stage.z))
        ends, valid = standing_ends(table, scene, place, False, (near[0] - off, near[1]))
        if not why_nobody_stands(table, scene, place, name, ends, valid):
            parts.append(ends.only(valid))
    if not parts:
        return wrong
    return Ends(
        np.concatenate([p.footholds for p in parts]), np.concatenate([p.postures for p in parts]),
        np.all([p.may_move for p in parts], axis=0),
    )  # fmt: skip


def _places_near(scene: Scene, stage: GoTo | Via) -> list[Place]:
    """The places with the most room that are as near to a stage's own as is allowed."""
    angles = np.linspace(-np.pi, np.pi, 16, endpoint=False)
    around = np.column_stack([np.sin(angles), np.cos(angles)])
    radii = (stage.within_m - 0.6 * WITHIN_M) * np.array([0.4, 0.7, 1.0])
    spots = stage.place.point + (radii[:, None, None] * around).reshape(-1, 2)
    room, _ = body_clearance(scene, spots, reach=_ROOM_M)
    inside = np.isfinite(scene.height(spots))
    best = np.argsort(-np.where(inside, room, -1.0), kind="stable")[:_NEAR_PLACES]
    x, z = spots.T.tolist()
    return [Place(x[n], z[n], stage.yaw) for n in best if inside[n] and room[n] > 0.0]


def find_legs(
    roadmap: Roadmap, scene: Scene, starts: Ends, legs: Sequence[Leg], flag: np.ndarray,
    closed: Closed, search: str, unlike: Sequence[FootholdPath] = (), apart_m: float = APART_M,
) -> FootholdPath | NoPath:  # fmt: skip
    """The path over all legs, each the cheapest from where the one before came to rest."""
    moves = roadmap.moves
    parts: list[FootholdPath] = []
    for number, leg in enumerate(legs):
        goals = leg.goals
        if number < len(legs) - 1:  # it must be possible to go on from there
            leaves = np.isin(goals.postures, moves.begins)
            goals = goals.only(leaves) if leaves.any() else goals
        part = find_between(
            roadmap, scene, starts, goals, flag, closed, search, leg.passing,
            unlike if len(legs) == 1 else (), apart_m,
        )  # fmt: skip
        if isinstance(part, NoPath):
            return replace(part, between=(starts, goals), passing=leg.passing)
        parts.append(part)
        rest = int(moves.ends[part.moves[-1]])
        starts = Ends(part.footholds[-1:], np.array([rest], np.int32), np.ones(len(moves), bool))
    return join_paths(parts)


def join_paths(parts: Sequence[FootholdPath]) -> FootholdPath:
    """Paths one after the other; each begins where the one before ends."""
    if len(parts) == 1:
        return parts[0]
    counts = np.cumsum([0, *(len(p) for p in parts)]).tolist()
    passes = [n + first for p, first in zip(parts, counts, strict=False) for n in p.passes]
    return FootholdPath(
        np.concatenate([parts[0].footholds[:1], *(p.footholds[1:] for p in parts)]),
        np.concatenate([p.moves for p in parts]), np.concatenate([p.costs for p in parts]),
        np.concatenate([p.edges for p in parts]), float(sum(p.cost for p in parts)),
        sum(p.opened for p in parts),
        np.concatenate([parts[0].nodes[:1], *(p.nodes[1:] for p in parts)]), tuple(passes),
        tuple(counts[1:-1]),
    )  # fmt: skip


def cut_path(path: FootholdPath, first: int, stop: int) -> FootholdPath:
    """The moves of a path from `first` up to `stop`."""
    costs = path.costs[first:stop]
    return FootholdPath(
        path.footholds[first : stop + 1], path.moves[first:stop], costs, path.edges[first:stop],
        float(costs.sum()), path.opened, path.nodes[first : stop + 1],
    )  # fmt: skip


def straighten_legs(
    roadmap: Roadmap, scene: Scene, path: FootholdPath, sweeps: int, start: Place | None = None,
    goal: Place | None = None,
) -> FootholdPath:  # fmt: skip
    """The path made straight; where it rests and what passes the places on the way stays.

    start, goal  where it begins and ends; a heading that is left open may be turned there
    """
    fixed = {0, len(path), *path.rests}
    for n in path.passes:
        fixed |= {n, n + 1}
    parts = []
    for first, stop in pairwise(sorted(fixed)):
        part = path if stop - first == len(path) else cut_path(path, first, stop)
        open_ends = start if first == 0 else None, goal if stop == len(path) else None
        parts.append(
            straighten_path(roadmap, scene, part, sweeps, start=open_ends[0], goal=open_ends[1])
        )
    return replace(join_paths(parts), passes=(), rests=(), nodes=np.zeros(0, np.int64))
