"""How far soles that stand slip, from plain positions of joints."""

from __future__ import annotations

import numpy as np

from footfall.body.feet import foot_points
from footfall.body.kinematics import forward_kinematics
from footfall.optimal.model import PhaseGraph


def sole_slips(graph: PhaseGraph, side: str) -> np.ndarray:
    """How far that point of a sole moves from frame to frame that moves least, while it stands.

    The points are heel, ball, tip and the toe joint; metres.
    """
    world = forward_kinematics(graph.skeleton, graph.frame_root, graph.frame_rotations)
    points = [
        world.positions[:, p.joint] + rotated(world.rotations[:, p.joint], p.offset)
        for p in foot_points(graph.skeleton).side(side)
    ]
    points.append(world.positions[:, graph.skeleton.role(f"{side}_toe")])
    bit = 1 if side == "left" else 2
    stands = graph.state_signature[graph.edge_from] & bit > 0
    stays = graph.state_signature[graph.edge_to] & bit > 0
    slips = []
    for edge in np.flatnonzero(stands):
        a, b = graph.edge_first[edge], graph.edge_first[edge + 1] - (0 if stays[edge] else 1)
        moved = [np.linalg.norm(np.diff(p[a:b], axis=0), axis=1) for p in points]
        slips.append(np.min(moved, axis=0))
    return np.concatenate(slips)


def rotated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors (3,) turned by quaternions (N, 4)."""
    w, u = q[:, :1], q[:, 1:]
    t = 2.0 * np.cross(u, np.broadcast_to(v, u.shape))
    return v + w * t + np.cross(u, t)
