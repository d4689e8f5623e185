"""The interpolated graph of a phase graph that interpolates nothing: its states and edges alone."""

from __future__ import annotations

import numpy as np

from footfall.body.capsules import body_capsules
from footfall.body.kinematics import forward_kinematics
from footfall.body.roles import SIDES
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.optimal.model import InterpolatedGraph, PhaseGraph

SPLIT_M = 0.7
TIMES = 5


def single_paths(phases: PhaseGraph) -> InterpolatedGraph:
    """Nodes are states with weight 1, edges those of the phase graph, sorted by their start."""
    order = np.argsort(phases.edge_from, kind="stable")
    states, count = np.arange(len(phases.state_rest)), len(order)
    poses = forward_kinematics(phases.skeleton, phases.state_root, phases.state_rotations)
    role = phases.skeleton.role
    feet, hands = np.zeros((len(states), 2, 4)), np.zeros((len(states), 2, 3))
    for k, side in enumerate(SIDES):
        ankle = role(f"{side}_ankle")
        turn = quat.yaw_of(poses.rotations[:, ankle])
        at = poses.positions[:, ankle]
        feet[:, k] = np.column_stack([at[:, 0] + 0.06 * np.sin(turn), np.zeros(len(at)),
                                      at[:, 2] + 0.06 * np.cos(turn), turn])  # fmt: skip
        hands[:, k] = poses.positions[:, role(f"{side}_wrist")]
    hips = np.mean([poses.positions[:, role(f"{side}_hip")] for side in SIDES], axis=0)
    return InterpolatedGraph(
        phases, states.astype(np.int32), states.astype(np.int32), np.ones(len(states)),
        phases.state_before, phases.state_signature, phases.state_rest, feet, hands,
        np.column_stack([hips, np.zeros(len(hips))]),
        np.concatenate([[0], np.cumsum(np.bincount(phases.edge_from, minlength=len(states)))]),
        phases.edge_to[order], phases.edge_cost[order],
        np.hypot(*phases.edge_move[order, :2].T),
        (np.diff(phases.edge_first)[order] - 1) / phases.fps,
        phases.edge_move[order], phases.edge_rise[order], order.astype(np.int32),
        order.astype(np.int32), np.ones(count), swept_discs(phases)[order],
    )  # fmt: skip


def swept_discs(phases: PhaseGraph) -> Floats:
    """(E, D, 5) circles around the lower and the upper body at some frames of each edge."""
    capsules = body_capsules(phases.skeleton)
    out = np.zeros((len(phases.edge_from), 2 * TIMES, 5))
    for e, (first, stop) in enumerate(
        zip(phases.edge_first[:-1], phases.edge_first[1:], strict=True)
    ):
        rows = np.unique(np.linspace(first, stop - 1, TIMES).astype(int))
        poses = forward_kinematics(
            phases.skeleton, phases.frame_root[rows], phases.frame_rotations[rows]
        )
        ends = capsules.placed(poses)
        for n, at in enumerate(ends):
            low = at[..., 1].mean(axis=1) < SPLIT_M
            for half, chosen in enumerate((low, ~low)):
                if chosen.any():
                    out[e, 2 * n + half] = _disc(at[chosen], capsules.radii[chosen])
        # Used ones come first.
        out[e] = out[e][np.argsort(out[e, :, 2] <= 0.0, kind="stable")]
    return out


def _disc(ends: Floats, radii: Floats) -> Floats:
    flat = ends[..., [0, 2]].reshape(-1, 2)
    middle = 0.5 * (flat.min(axis=0) + flat.max(axis=0))
    thick = np.repeat(radii, 2)
    reach = float((np.hypot(*(flat - middle).T) + thick).max())
    heights = ends[..., 1].ravel()
    return np.array([*middle, reach, (heights - thick).min(), (heights + thick).max()])
