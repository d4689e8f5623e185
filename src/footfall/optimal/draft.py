"""A path through the interpolated graph as drafts of its motion."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from footfall.body.clip import TOUCH_PARTS
from footfall.gait.signatures import PARTS
from footfall.maths import planar
from footfall.maths.arrays import Floats
from footfall.optimal.goals import Constraint
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.motion import PathMotion, path_motion
from footfall.optimal.problem import Path
from footfall.task import Query
from footfall.task.draft import Aim, Draft, Finishing

_SPREAD_M = 3.0
"""What is missed is made up for in so many metres."""
_NOTHING_M = 1e-4


@dataclass(frozen=True, eq=False)
class MadeOf:
    """The path that a draft was made of, and the frame (K + 1,) at which each node is passed."""

    path: Path
    frames: Floats


def path_drafts(
    graph: InterpolatedGraph, path: Path, query: Query, constraints: list[Constraint]
) -> Iterator[Draft]:
    """Yield drafts of a path, to be tried in order; without cost and bound.

    What constraints are missed by is spread over the steps before; then the path as it is, if it
    misses nothing by more than is allowed.
    """
    missed = misses(path, constraints)
    away = np.hypot(*missed.T)
    if away.max(initial=0.0) > _NOTHING_M:
        yield _draft(graph, path, spread_misses(path, constraints, missed), query, constraints)
    if all(far <= c.within_m for far, c in zip(away.tolist(), constraints, strict=True)):
        yield _draft(graph, path, path.poses, query, constraints)


def _draft(
    graph: InterpolatedGraph, path: Path, poses: Floats, query: Query,
    constraints: list[Constraint],
) -> Draft:  # fmt: skip
    began = time.perf_counter()
    motion = path_motion(
        graph, path.edges, poses[0], poses, height=_ground(query, poses[0]), name="optimal"
    )
    return Draft(
        motion.clip, motion.segments, aims=_aims(graph, path, constraints, motion),
        seams=motion.nodes[1:-1], finishing=Finishing(smooth=True),
        timings={"motion": time.perf_counter() - began}, made_of=MadeOf(path, motion.nodes),
    )  # fmt: skip


def _aims(
    graph: InterpolatedGraph, path: Path, constraints: list[Constraint], motion: PathMotion
) -> tuple[Aim, ...]:
    """Return where hands and seat are to be exactly."""
    aims = []
    for constraint, at in zip(constraints, path.met.tolist(), strict=False):
        part = _touching_part(graph, int(path.nodes[at]), constraint)
        if part and constraint.is_exact:
            frame = min(math.ceil(motion.nodes[at] - 1e-6), len(motion.clip) - 1)
            aims.append(Aim(part, frame, constraint.place))
    return tuple(aims)


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
