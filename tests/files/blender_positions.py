"""Run by Blender's own Python (`bpy`): where does Blender see every joint at every frame?

    python blender_positions.py JOBS.json

JOBS.json holds a list of {"file", "fps", "out", "frame", "export"}; for each, `out` becomes an
.npz with `names` (J), `positions` (T, J, 3), the heads of all bones, and `vertices` (V, 3), the
skinned mesh at `frame`; metres, turned to Y up. `export` names files that Blender itself is to
write, by suffix. One process handles all files because Blender is slow to start. This file imports
nothing of Footfall.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bpy
import numpy as np


def open_file(path: str, fps: float) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    render = bpy.context.scene.render
    render.fps = max(1, round(fps))
    render.fps_base = render.fps / fps
    suffix = Path(path).suffix.lower()
    if suffix == ".bvh":
        # Left in Euler angles, Blender turns them into its bones' axes in 32 bits, which is off by
        # a milliradian or more in the frames where the middle angle passes 90° (a bent knee).
        bpy.ops.import_anim.bvh(
            filepath=path, global_scale=0.01, axis_forward="-Z", axis_up="Y",
            update_scene_fps=False, update_scene_duration=True, use_fps_scale=False,
            rotate_mode="QUATERNION",
        )  # fmt: skip
    elif suffix in (".glb", ".gltf"):
        bpy.ops.import_scene.gltf(filepath=path)
    else:
        bpy.ops.wm.usd_import(filepath=path)


def character() -> bpy.types.Object:
    return next(thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE")


def bone_heads() -> tuple[list[str], np.ndarray]:
    rig = character()
    first, last = rig.animation_data.action.frame_range
    frames = round(last - first) + 1
    names = [bone.name for bone in rig.pose.bones]
    positions = np.empty((frames, len(names), 3))
    for row in range(frames):
        bpy.context.scene.frame_set(round(first) + row, subframe=0.0)
        world = np.array(rig.matrix_world)
        heads = np.array([tuple(bone.head) for bone in rig.pose.bones])
        positions[row] = heads @ world[:3, :3].T + world[:3, 3]
    return names, y_up(positions)


def skinned_vertices(frame: int) -> np.ndarray:
    first = round(character().animation_data.action.frame_range[0])
    bpy.context.scene.frame_set(first + frame, subframe=0.0)
    graph = bpy.context.evaluated_depsgraph_get()
    found = [np.zeros((0, 3))]
    for thing in bpy.context.scene.objects:
        if thing.type == "MESH" and any(m.type == "ARMATURE" for m in thing.modifiers):
            posed = thing.evaluated_get(graph)
            places = np.array([tuple(vertex.co) for vertex in posed.data.vertices])
            world = np.array(posed.matrix_world)
            found.append(places @ world[:3, :3].T + world[:3, 3])
    return y_up(np.concatenate(found))


def y_up(points: np.ndarray) -> np.ndarray:
    return points[..., [0, 2, 1]] * [1.0, 1.0, -1.0]


def export(files: dict[str, str]) -> None:
    scene = bpy.context.scene
    first, last = character().animation_data.action.frame_range
    scene.frame_start, scene.frame_end = round(first), round(last)
    if "glb" in files:
        bpy.ops.export_scene.gltf(filepath=files["glb"])
    if "usdc" in files:
        bpy.ops.wm.usd_export(filepath=files["usdc"], export_animation=True, export_armatures=True)


def main() -> None:
    for job in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        open_file(job["file"], job["fps"])
        names, positions = bone_heads()
        vertices = skinned_vertices(job["frame"])
        np.savez(job["out"], names=np.array(names), positions=positions, vertices=vertices)
        export(job["export"])


if __name__ == "__main__":
    main()
