"""A path through the interpolated graph as a finished plan: motion, segments, checks."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from footfall.adapt.holds import GroundSurface
from footfall.body.clip import TOUCH_PARTS, Clip
from footfall.gait.footprints import footprints_of
from footfall.gait.signatures import PARTS
from footfall.maths import planar
from footfall.maths.arrays import Floats, Ints
from footfall.optimal.goals import Constraint
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.motion import PathMotion, path_motion
from footfall.optimal.polish import Aim, polish_motion, touching_point
from footfall.task import FOUND, NO_CLIP, Plan, Query
from footfall.task.check import check_motion, check_stages
from footfall.world.ground import flat_ground

_SPREAD_M = 3.0
"""What is missed is made up for in so many metres."""
_NOTHING_M = 1e-4


@dataclass(frozen=True, eq=False)
class Path:
    """Edges (K,) that join nodes (K + 1,) at poses (K + 1, 3), and which node meets what (C,)."""

    edges: Ints
    nodes: Ints
    poses: Floats
    met: Ints


def finish_motion(
    graph: InterpolatedGraph, path: Path, query: Query, constraints: list[Constraint]
) -> Plan:
    """The motion of a path, checked in its scene: a plan that is found, or why it does not do.

    What constraints are missed by is spread over the steps before; if that leads into trouble
    the path is left as it is.
    """
    began = time.perf_counter()
    missed = misses(path, constraints)
    tries = [spread_misses(path, constraints, missed), path.poses]
    wrong, ground = "", query.scene or flat_ground()
    for poses in tries if np.abs(missed).max(initial=0.0) > _NOTHING_M else tries[1:]:
        motion = path_motion(
            graph, path.edges, poses[0], poses, height=_ground(query, poses[0]),
            ground=ground, name="optimal",
        )  # fmt: skip
        made = Plan(FOUND, clip=motion.clip, footprints=motion.footprints,
                    segments=motion.segments)  # fmt: skip
        trouble = _check_constraints(replace(path, poses=poses), constraints)
        trouble = trouble or _check(made, query)
        if trouble:
            wrong = wrong or trouble
            continue
        better = _polish(graph, path, constraints, motion, ground)
        polished = replace(made, clip=better, footprints=footprints_of(better))
        made = made if _check(polished, query) else polished
        return replace(made, timings={"motion": time.perf_counter() - began})
    return Plan(NO_CLIP, wrong)


def _check(made: Plan, query: Query) -> str:
    """What is wrong with a motion in its scene, if anything is."""
    wrong = check_stages(made, query)
    if not wrong and query.scene is not None:
        wrong = next(iter(check_motion(made, query.scene)), "")
    return wrong


def _polish(
    graph: InterpolatedGraph, path: Path, constraints: list[Constraint], motion: PathMotion,
    ground: GroundSurface,
) -> Clip:  # fmt: skip
    """The motion, polished: hands and seat exactly where they are to be."""
    aims = []
    for constraint, at in zip(constraints, path.met.tolist(), strict=False):
        part = _touching_part(graph, int(path.nodes[at]), constraint)
        if part and constraint.is_exact:
            frame = min(math.ceil(motion.nodes[at] - 1e-6), len(motion.clip) - 1)
            point = touching_point(motion.clip.skeleton, part)
            aims.append(Aim(part, frame, constraint.place, point))
    return polish_motion(
        motion.clip, motion.signature, aims, joins=motion.nodes[1:-1], fastest=motion.fastest,
        ground=ground,
    ).clip  # fmt: skip


def _touching_part(graph: InterpolatedGraph, node: int, constraint: Constraint) -> str:
    """The hand or seat that touches in a node and that a constraint is about; "" for none."""
    points = [*graph.node_hands[node], graph.node_seat[node, :3]]
    for part, there in zip(TOUCH_PARTS, points, strict=True):
        touches = graph.node_signature[node] >> PARTS.index(part) & 1
        if touches and np.abs(there - constraint.point[node]).max() < _NOTHING_M:
            return part
    return ""


def misses(path: Path, constraints: list[Constraint]) -> Floats:
    """(C, 2) what is missing in the plane from each exact constraint's point to its place."""
    out = np.zeros((len(constraints), 2))
    for n, constraint in enumerate(constraints[: len(path.met)]):
        if constraint.is_exact:
            at = int(path.met[n])
            point = np.asarray(constraint.point[int(path.nodes[at])], np.float64)
            there = planar.apply_to_points(path.poses[at], point)
            out[n] = constraint.place[[0, 2]] - there[[0, 2]]
    return out


def spread_misses(path: Path, constraints: list[Constraint], missed: Floats) -> Floats:
    """Poses (K + 1, 3) with which constraints are met exactly, each by the few metres before.

    After the last of them the path stays where it was brought.
    """
    poses = np.array(path.poses)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(poses[:, :2], axis=0).T))])
    knots, shifts = [0.0], [np.zeros(2)]
    for n, at in enumerate(path.met.tolist()):
        if n < len(constraints) and constraints[n].is_exact:
            begins = max(along[at] - _SPREAD_M, knots[-1])
            if begins > knots[-1]:
                knots.append(float(begins))
                shifts.append(shifts[-1])
            knots.append(float(max(along[at], knots[-1] + 1e-6)))
            shifts.append(missed[n])
    table = np.array(shifts)
    for k in range(2):
        poses[:, k] += np.interp(along, knots, table[:, k])
    return poses


def _ground(query: Query, at: Floats) -> float:
    """The height of the ground at a place."""
    if query.scene is None:
        return 0.0
    level = float(query.scene.height(at[None, :2])[0])
    return level if math.isfinite(level) else 0.0


def _check_constraints(path: Path, constraints: list[Constraint]) -> str:
    """Which constraint is missed by more than its tolerance, if one is."""
    for n, constraint in enumerate(constraints):
        if n >= len(path.met):
            return "a constraint is not met"
        at = int(path.met[n])
        node = int(path.nodes[at])
        point = constraint.point[node].astype(np.float64)
        there = planar.apply_to_points(path.poses[at], point)
        away = float(np.hypot(there[0] - constraint.place[0], there[2] - constraint.place[2]))
        if away > constraint.within_m + 0.015:
            return f"it misses stage {constraint.stage + 1} by {away:.3f} m"
    return ""
