"""Fingerprint of a scene: equal scenes have equal numbers."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from footfall.world.obstacles import Obstacle
from footfall.world.scene import Scene


def scene_fingerprint(scene: Scene) -> str:
    """Return a hash of all that decides what a scene answers; names, colours and queries do not."""
    known = scene.__dict__.get("_fingerprint")
    if known is None:
        known = scene.__dict__["_fingerprint"] = _digest(scene)
    return str(known)


def _digest(scene: Scene) -> str:
    digest = hashlib.sha256()
    ground = scene.ground
    _add(digest, scene.outline, ground.kind, ground.origin, ground.size, ground.level)
    _add(digest, ground.heights, ground.patches, ground.weights, ground.vertices, ground.triangles)
    _add(digest, len(scene.holes), *(h.polygon for h in scene.holes), len(scene.waters))
    for water in scene.waters:
        _add(digest, water.level, water.polygon is None)
        _add(digest, () if water.polygon is None else water.polygon)
    for obstacle in scene.obstacles:
        _add_obstacle(digest, obstacle)
    return digest.hexdigest()[:40]


def _add_obstacle(digest: Any, obstacle: Obstacle) -> None:
    _add(digest, len(obstacle.parts), obstacle.position, obstacle.rotation, obstacle.duck)
    motion = obstacle.motion
    if motion is not None:
        _add(digest, motion.times, motion.positions, motion.rotations, motion.loop)
    for part in obstacle.parts:
        _add(digest, part.kind, part.walkable, part.solid, part.centre, part.half, part.rotation)
        _add(digest, part.vertices, part.triangles)


def _add(digest: Any, *values: Any) -> None:
    """Add values one after the other, with their types and shapes."""
    for value in values:
        array = np.asarray(value)
        digest.update(f"{array.dtype.str} {array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
