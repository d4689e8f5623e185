"""How far soles that stand slip, from plain positions of joints."""

from __future__ import annotations

import numpy as np

from footfall.body.clip import Clip
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


def clip_slip(clip: Clip) -> float:
    """How far a heel, or the ball or tip of toes, is from its mean place while it touches, metres.

    Toes touch with the ball and leave over the tip: the one of both that strays less counts.
    """
    world, worst = forward_kinematics(clip.skeleton, clip.root, clip.rotations), 0.0
    assert clip.contacts is not None
    for column in range(4):
        heel, ball, tip = foot_points(clip.skeleton).side(("left", "right")[column // 2])
        tracks = [
            world.positions[:, p.joint] + rotated(world.rotations[:, p.joint], p.offset)
            for p in ((heel,) if column % 2 == 0 else (ball, tip))
        ]
        edges = np.flatnonzero(np.diff(np.r_[0, clip.contacts[:, column].astype(int), 0]))
        for first, stop in edges.reshape(-1, 2).tolist():
            parts = [track[first:stop, [0, 2]] for track in tracks]
            away = [np.linalg.norm(p - p.mean(axis=0), axis=1).max() for p in parts]
            worst = max(worst, float(min(away)))
    return worst
