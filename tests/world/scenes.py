"""Random things for the tests of worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.world.obstacles import Obstacle, ObstaclePart, yaw_rotation
from footfall.world.scene import Scene, rectangle


def upright_box(
    x: float, z: float, size: Any, yaw: float = 0.0, base: float = 0.0, **style: Any
) -> Obstacle:
    size = np.asarray(size, dtype=float)
    part = ObstaclePart("box", np.array([0.0, size[1] / 2, 0.0]), size / 2, **style)
    return Obstacle("box", (part,), np.array([x, base, z]), yaw_rotation(yaw))


def turned_box(rng: np.random.Generator, spread: float) -> Obstacle:
    turn = Rotation.random(random_state=int(rng.integers(2**31))).as_quat(scalar_first=True)
    part = ObstaclePart("box", np.zeros(3), rng.uniform(0.1, 0.8, 3))
    return Obstacle("box", (part,), rng.uniform(-spread, spread, 3), turn)


def upright_cylinder(
    x: float, z: float, radius: float, height: float, base: float = 0.0, **style: Any
) -> Obstacle:
    half = np.array([radius, height / 2, radius])
    part = ObstaclePart("cylinder", np.array([0.0, height / 2, 0.0]), half, **style)
    return Obstacle("cylinder", (part,), np.array([x, base, z]))


def blob(rng: np.random.Generator, centre: Any, size: float = 0.6) -> Obstacle:
    """A closed, bumpy ball."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=1, radius=size)
    vertices = ball.vertices * rng.uniform(0.6, 1.3, (len(ball.vertices), 1))
    part = ObstaclePart("mesh", np.zeros(3), np.zeros(3), vertices=vertices, triangles=ball.faces)
    return Obstacle("mesh", (part,), np.asarray(centre, dtype=float))


def mixed_scene(rng: np.random.Generator, count: int, spread: float = 4.0) -> Scene:
    """Turned boxes, cylinders and blobs, some in the air."""
    things = []
    for n in range(count):
        x, z = rng.uniform(-spread, spread, 2)
        if n % 3 == 0:
            things.append(turned_box(rng, spread))
        elif n % 3 == 1:
            things.append(upright_cylinder(x, z, rng.uniform(0.1, 0.7), rng.uniform(0.2, 2.0),
                                           rng.uniform(-1.0, 1.0)))  # fmt: skip
        else:
            things.append(blob(rng, [x, rng.uniform(-1.0, 1.0), z]))
    return Scene("mixed", rectangle([-9.0, -9.0], [9.0, 9.0]), obstacles=tuple(things))


def triangles_of(obstacle: Obstacle) -> np.ndarray:
    """(F, 3, 3) world corners of a mesh obstacle that is not turned."""
    part = obstacle.parts[0]
    return part.vertices[part.triangles] + obstacle.position
