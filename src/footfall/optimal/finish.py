"""A path through the interpolated graph as a finished plan: motion, segments, checks."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import TOUCH_PARTS
from footfall.gait.signatures import PARTS
from footfall.maths import planar
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.optimal.goals import Constraint
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.motion import path_motion
from footfall.task import FOUND, NO_CLIP, Plan, Query
from footfall.task.check import check_motion, check_stages

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
    wrong = ""
    for poses in tries if np.abs(missed).max(initial=0.0) > _NOTHING_M else tries[1:]:
        motion = path_motion(
            graph, path.edges, poses[0], poses, height=_ground(query, poses[0]), name="optimal"
        )
        clip = replace(motion.clip, touches=_touches(motion.signature))
        made = Plan(FOUND, clip=clip, footprints=motion.footprints, segments=motion.segments)
        laid = replace(path, poses=poses)
        trouble = check_stages(made, query) or _check_constraints(laid, constraints)
        if not trouble and query.scene is not None:
            trouble = next(iter(check_motion(made, query.scene)), "")
        if not trouble:
            return replace(made, timings={"motion": time.perf_counter() - began})
        wrong = wrong or trouble
    return Plan(NO_CLIP, wrong)


def _touches(signature: Ints) -> Bools:
    """(T, 3) when hands and seat touch, by what touches in each frame."""
    bits = [PARTS.index(part) for part in TOUCH_PARTS]
    return np.stack([(signature >> bit & 1) > 0 for bit in bits], axis=1)


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
