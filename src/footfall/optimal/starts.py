"""Where a motion may begin, and what is wrong with the order of a task."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.errors import InputError
from footfall.gait.signatures import HANDS, SEAT
from footfall.maths.arrays import Floats, Ints
from footfall.maths.quaternions import yaw_of
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import World
from footfall.optimal.world import pack_body, pack_world, poses_seen_from, standing_nodes
from footfall.task import NO_CLIP, START_NOT_VALID, Pick, Place, PutDown, Query, Sit, Stage, StandUp
from footfall.task.method import Refusal

_HEADINGS = 20
"""How many headings are tried at a start that names none."""
_SEAT_NEAR_M = 0.4


@dataclass(frozen=True, eq=False)
class Starts:
    """Nodes (K,) at poses (K, 3: x, z, yaw) at which a motion may begin."""

    nodes: Ints
    poses: Floats


def find_starts(
    graph: InterpolatedGraph, world: World, query: Query, ahead: float
) -> Starts | Refusal:
    """Return the rest nodes at the start of a query that stand on good ground.

    ahead  the yaw of the sketch there, which is tried first if the start has none
    """
    body = graph.keep("body", lambda: pack_body(graph))
    seated = isinstance(query.stages[0], StandUp)
    carried = (graph.node_signature & SEAT) > 0
    kind = carried if seated else ~carried & ((graph.node_signature & HANDS) == 0)
    nodes = np.flatnonzero(graph.node_rest & kind).astype(np.int32)
    if not len(nodes):
        what = "sitting" if seated else "standing"
        return Refusal(f"no clip begins {what}", NO_CLIP)
    start = query.start or Place(*query.points[0].tolist())
    round_about = [ahead + n * math.tau / _HEADINGS for n in range(_HEADINGS)]
    yaws = round_about if start.yaw is None else [start.yaw]
    poses = np.array([[start.x, start.z, yaw] for yaw in yaws])
    each, turn = np.repeat(nodes, len(yaws)), np.tile(poses, (len(nodes), 1))
    good = standing_nodes(pack_world(world), body, each, poses_seen_from(world.pose, turn))
    if not good.any():
        reason = f"nobody can stand at the start ({start.x:.2f}, {start.z:.2f})"
        return Refusal(f"{reason}: there is no room for both feet", START_NOT_VALID)
    return Starts(each[good], turn[good])


# ---- the order of stages -----------------------------------------------------------------


def check_order(query: Query) -> None:
    """Raise an InputError where the stages of a query contradict each other."""
    seated, by_s = False, 0.0
    acts: list[Pick | PutDown] = []
    for number, stage in enumerate(query.stages):
        problem, remedy = "", ""
        if isinstance(stage, StandUp) and not seated and number > 0:
            problem, remedy = "it stands up, but does not sit", "add a stage 'sit' before"
        elif seated and not isinstance(stage, StandUp):
            problem = f"it is to {stage.kind}, but sits"
            remedy = "add a stage 'stand up' before"
        elif isinstance(stage, Pick | PutDown) and find_hands([*acts, stage]) is None:
            problem = "it puts down what it has not picked"
            remedy = "add a stage 'pick' before"
            if isinstance(stage, Pick):
                problem = "it picks something while that hand, or both, hold something"
                remedy = "add a stage 'put down' before, or use the other hand"
        elif stage.by_s is not None and stage.by_s < by_s:
            problem = f"by_s is {stage.by_s:g}, and the stage before has until {by_s:g}"
            remedy = "let by_s rise from stage to stage"
        if problem:
            raise InputError(problem, where=f"stages[{number}]", remedy=remedy)
        seated = isinstance(stage, Sit)
        acts += [stage] if isinstance(stage, Pick | PutDown) else []
        by_s = by_s if stage.by_s is None else stage.by_s


def find_hands(
    acts: Sequence[Pick | PutDown], held: frozenset[str] = frozenset()
) -> tuple[str, ...] | None:
    """Return the hand for each pick and put down, the right one if either does; None for none.

    An empty hand picks, and the hand that holds a thing puts it down.
    """
    if not acts:
        return ()
    for hand in ("right", "left"):
        fits = acts[0].hand in (hand, "either") and (hand in held) != isinstance(acts[0], Pick)
        rest = find_hands(acts[1:], held ^ {hand}) if fits else None
        if rest is not None:
            return (hand, *rest)
    return None


def make_definite(query: Query) -> Query:
    """The query with what follows from its scene and order: how seats face, and which hand does
    what if there are several things to do by hand."""
    stages = [_face_seat(query, stage) for stage in query.stages]
    acts = {n: stage for n, stage in enumerate(stages) if isinstance(stage, Pick | PutDown)}
    hands = find_hands(list(acts.values())) if len(acts) > 1 else None
    for (number, act), hand in zip(acts.items(), hands or (), strict=False):
        stages[number] = replace(act, hand=hand)
    return replace(query, stages=tuple(stages))


def _face_seat(query: Query, stage: Stage) -> Stage:
    if not isinstance(stage, Sit) or stage.yaw is not None or query.scene is None:
        return stage
    for obstacle in query.scene.obstacles:
        if "seat" in obstacle.points:
            seat = obstacle.point("seat")
            if math.hypot(seat[0] - stage.x, seat[2] - stage.z) < _SEAT_NEAR_M:
                return replace(stage, yaw=float(yaw_of(obstacle.rotation)))
    return stage
