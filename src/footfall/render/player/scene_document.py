"""The scene of a motion document: every surface in its own frame, with its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from footfall.maths.arrays import Floats
from footfall.render.player.packing import Packing
from footfall.world.scene import Scene
from footfall.world.shapes import Shape, obstacle_shape, scene_shapes

_STILL = np.array([1.0, 0.0, 0.0, 0.0])


def scene_document(scene: Scene, packing: Packing) -> dict[str, Any]:
    """Return ground, water, holes and obstacles of a scene as a value for JSON."""
    bare = scene_shapes(_without_obstacles(scene))
    shapes = [_shape(shape, _kind(scene, shape.name), -1, packing) for shape in bare]
    for number, obstacle in enumerate(scene.obstacles):
        shape = obstacle_shape(obstacle, number, np.zeros(3), _STILL)
        if not len(shape.triangles):
            continue
        made = _shape(shape, obstacle.kind, number, packing, *obstacle.pose(0.0))
        made["points"] = {name: point.tolist() for name, point in obstacle.points.items()}
        if (motion := obstacle.motion) is not None:
            made["motion"] = {
                "times": motion.times.tolist(), "positions": motion.positions.tolist(),
                "rotations": motion.rotations.tolist(), "loop": motion.loop,
            }  # fmt: skip
        shapes.append(made)
    return {
        "name": scene.name,
        "bounds": list(scene.bounds.bounds),
        "shapes": shapes,
        "queries": [
            {
                "name": query.name,
                "start": [query.start.x, query.start.z, query.start.yaw],
                "goal": [query.goal.x, query.goal.z, query.goal.yaw],
            }
            for query in scene.queries
        ],
    }


def _without_obstacles(scene: Scene) -> Scene:
    return replace(scene, obstacles=())


def _kind(scene: Scene, name: str) -> str:
    if name == "ground":
        return "ground"
    waters = {water.name or f"water {n + 1}" for n, water in enumerate(scene.waters)}
    return "water" if name in waters else "hole"


def _shape(
    shape: Shape, kind: str, index: int, packing: Packing,
    position: Floats | None = None, rotation: Floats | None = None,
) -> dict[str, Any]:  # fmt: skip
    palette, faces = np.unique(np.round(shape.colours, 3), axis=0, return_inverse=True)
    return {
        "name": shape.name,
        "kind": kind,
        "index": index,
        "vertices": packing.add_rounded(shape.vertices),
        "normals": packing.add_units(shape.normals, "i1"),
        "triangles": packing.add(shape.triangles, "u4", delta=True),
        "faceColours": packing.add(faces.reshape(-1), "u2", delta=True),
        "palette": palette.tolist(),
        "position": [0.0, 0.0, 0.0] if position is None else position.tolist(),
        "rotation": _STILL.tolist() if rotation is None else rotation.tolist(),
    }
