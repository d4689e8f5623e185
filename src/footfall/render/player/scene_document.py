"""The scene of a motion document: every surface in its own frame, with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from footfall.body.clip import TOUCH_PARTS, Clip
from footfall.body.mannequin import mannequin
from footfall.body.mesh import skin_vertices
from footfall.maths.arrays import Floats
from footfall.maths.runs import runs
from footfall.render.player.packing import Packing
from footfall.world.obstacles import Obstacle, yaw_rotation
from footfall.world.props import chair_parts
from footfall.world.scene import Scene
from footfall.world.shapes import Shape, obstacle_shape, scene_shapes

_SEAT_REACH_M = 0.15
_SEAT_AHEAD_M = 0.08
"""The middle of a seat lies ahead of the hip joints, under the thighs."""
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


def seats_document(clips: Sequence[Clip], packing: Packing) -> list[dict[str, Any]]:
    """Return a chair below each place where one of the clips sits, as scene shapes."""
    places: dict[tuple[float, ...], Obstacle] = {}
    for clip in clips:
        if clip.touches is None or not {"left_hip", "right_hip"} <= set(clip.skeleton.roles):
            continue
        for first, stop in runs(clip.touches[:, TOUCH_PARTS.index("seat")]):
            chair = _chair_below(clip, int(first + stop) // 2)
            places.setdefault(tuple(np.round(chair.position, 1).tolist()), chair)
    shapes = [
        obstacle_shape(chair, n, np.zeros(3), _STILL) for n, chair in enumerate(places.values())
    ]
    return [
        _shape(shape, "chair", -1, packing, *chair.pose(0.0))
        for shape, chair in zip(shapes, places.values(), strict=True)
    ]


def _chair_below(clip: Clip, frame: int) -> Obstacle:
    """Return a chair whose seat is as high as the body's seat in a frame, on the feet's floor."""
    roles, still = clip.skeleton.roles, clip[frame : frame + 1]
    left, right = (still.positions[0, roles[f"{side}_hip"]] for side in ("left", "right"))
    vertices, _ = skin_vertices(mannequin(clip.skeleton), still.world, clip.skeleton)
    middle, across = 0.5 * (left + right), left - right
    near = np.linalg.norm(vertices[0][:, [0, 2]] - middle[[0, 2]], axis=1) < _SEAT_REACH_M
    floor = float(vertices[0][:, 1].min())
    above = vertices[0][:, 1] > floor + 0.5 * (middle[1] - floor)
    seat = float(vertices[0][near & above, 1].min(initial=middle[1])) - floor
    ahead = np.array([-across[2], 0.0, across[0]]) / max(float(np.hypot(*across[[0, 2]])), 1e-9)
    place = middle * np.array([1.0, 0.0, 1.0]) + _SEAT_AHEAD_M * ahead
    place[1] = floor
    yaw = float(np.arctan2(ahead[0], ahead[2]))
    return Obstacle("chair", chair_parts(max(seat, 0.1)), place, yaw_rotation(yaw), "seat")


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
