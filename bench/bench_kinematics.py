"""Forward kinematics beside upc-pymotion and pybvh, on 3,378 frames of 31 joints."""

from __future__ import annotations

import importlib

import numpy as np

from bench.harness import BenchRow, best_of_each
from footfall.body.clip import Clip
from footfall.body.kinematics import world_poses, world_velocities
from footfall.body.skeleton import Skeleton
from footfall.maths.quaternions import random_rotations

FRAMES, JOINTS = 3378, 31


def _clip() -> Clip:
    rng = np.random.default_rng(7)
    parents = np.array([-1, *(int(rng.integers(max(0, j - 3), j)) for j in range(1, JOINTS))])
    skeleton = Skeleton(
        tuple(f"joint{j}" for j in range(JOINTS)), parents, rng.normal(size=(JOINTS, 3)) * 0.2
    )
    rotations = random_rotations(rng, (FRAMES, JOINTS))
    return Clip(skeleton, 120.0, rng.normal(size=(FRAMES, 3)), rotations)


def rows() -> list[BenchRow]:
    """Positions and orientations of every joint, then velocities as well."""
    clip = _clip()
    parents = [max(0, int(p)) for p in clip.skeleton.parents]
    offsets = np.array(clip.skeleton.offsets)
    offsets[0] = 0.0
    try:
        fk = importlib.import_module("pymotion.ops.skeleton").fk
    except ImportError:
        fk = None
    peer = None if fk is None else lambda: fk(clip.rotations, clip.root, offsets, np.array(parents))
    if fk is not None:
        theirs = fk(clip.rotations, clip.root, offsets, np.array(parents))[0]
        # Their normalisation adds 1e-8, so theirs is the one that is off by half a micrometre.
        assert np.abs(theirs - world_poses(clip).positions).max() < 1e-5, "the peers disagree"
    seconds = best_of_each({"footfall": lambda: world_poses(clip), "upc-pymotion": peer})
    ours = seconds.pop("footfall")
    both = best_of_each({"footfall": lambda: world_velocities(clip)})["footfall"]
    size = f"{FRAMES:,} × {JOINTS}"
    return [
        BenchRow(f"forward kinematics, {size}", ours, seconds, "≥ 5× upc-pymotion"),
        BenchRow(f"kinematics and velocities, {size}", both),
    ]
