"""Forward kinematics beside upc-pymotion and pybvh, on 3,378 frames of 31 joints."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import numpy as np

from bench.harness import BenchRow, best_of_each
from footfall.body.clip import Clip
from footfall.body.kinematics import forward_kinematics, world_velocities
from footfall.body.skeleton import Skeleton
from footfall.maths.quaternions import random_rotations, to_euler

FRAMES, JOINTS = 3378, 31
Work = Callable[[], np.ndarray]


def _clip() -> Clip:
    rng = np.random.default_rng(7)
    parents = np.array([-1, *(int(rng.integers(max(0, j - 3), j)) for j in range(1, JOINTS))])
    skeleton = Skeleton(
        tuple(f"joint{j}" for j in range(JOINTS)), parents, rng.normal(size=(JOINTS, 3)) * 0.2
    )
    rotations = random_rotations(rng, (FRAMES, JOINTS))
    return Clip(skeleton, 120.0, rng.normal(size=(FRAMES, 3)), rotations)


def _pymotion(clip: Clip) -> Work | None:
    """upc-pymotion: from quaternions to positions and matrices."""
    try:
        fk = importlib.import_module("pymotion.ops.skeleton").fk
    except ImportError:
        return None
    parents = np.maximum(clip.skeleton.parents, 0)
    return lambda: fk(clip.rotations, clip.root, clip.skeleton.offsets, parents)[0]


def _pybvh(clip: Clip) -> Work | None:
    """pybvh: from Euler angles, its own form of rotations, to positions."""
    try:
        pybvh = importlib.import_module("pybvh")
    except ImportError:
        return None
    offsets = np.array(clip.skeleton.offsets)
    offsets[0] = 0.0
    joints = np.arange(JOINTS)
    topology = pybvh.FkTopology(offsets, clip.skeleton.parents, joints, ["ZYX"] * JOINTS)
    angles = to_euler(clip.rotations, "ZYX")
    return lambda: pybvh.frames_to_node_positions(topology, clip.root, angles)


def rows() -> list[BenchRow]:
    """Positions and orientations of every joint, then velocities as well."""
    clip = _clip()
    peers = {"pybvh 0.9.0": _pybvh(clip), "upc-pymotion 0.3.4": _pymotion(clip)}
    for name, peer in peers.items():
        # upc-pymotion adds 1e-8 when it normalises, hence half a micrometre.
        if peer is not None:
            off = np.abs(peer() - clip.positions).max()
            assert off < 1e-5, f"{name} disagrees by {off} m"
    # A clip computes its poses once; each time here counts.
    ours = {"footfall": lambda: forward_kinematics(clip.skeleton, clip.root, clip.rotations)}
    seconds = best_of_each({**ours, **peers})
    ours = seconds.pop("footfall")
    both = best_of_each({"footfall": lambda: world_velocities(clip)})["footfall"]
    size = f"{FRAMES:,} × {JOINTS}"
    return [
        BenchRow(f"forward kinematics, {size}", ours, seconds, "≥ 5× the faster"),
        BenchRow(f"kinematics and velocities, {size}", both),
    ]
