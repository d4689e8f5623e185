"""Run by Blender's own Python (`bpy`): where does Blender see every joint at every frame?

    python blender_positions.py JOBS.json

JOBS.json holds a list of {"file", "fps", "out"}; for each, `out` becomes an .npz with `names` (J)
and `positions` (T, J, 3): the heads of all bones in metres, turned to Y up. One process handles
all files because Blender is slow to start. This file imports nothing of Footfall.
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
        bpy.ops.import_anim.bvh(
            filepath=path, global_scale=0.01, axis_forward="-Z", axis_up="Y",
            update_scene_fps=False, update_scene_duration=True, use_fps_scale=False,
        )  # fmt: skip
    elif suffix in (".glb", ".gltf"):
        bpy.ops.import_scene.gltf(filepath=path)
    else:
        bpy.ops.wm.usd_import(filepath=path)


def bone_heads() -> tuple[list[str], np.ndarray]:
    rig = next(thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE")
    first, last = rig.animation_data.action.frame_range
    frames = round(last - first) + 1
    names = [bone.name for bone in rig.pose.bones]
    positions = np.empty((frames, len(names), 3))
    for row in range(frames):
        bpy.context.scene.frame_set(round(first) + row, subframe=0.0)
        world = np.array(rig.matrix_world)
        heads = np.array([tuple(bone.head) for bone in rig.pose.bones])
        positions[row] = heads @ world[:3, :3].T + world[:3, 3]
    return names, positions[:, :, [0, 2, 1]] * [1.0, 1.0, -1.0]


def main() -> None:
    for job in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        open_file(job["file"], job["fps"])
        names, positions = bone_heads()
        np.savez(job["out"], names=np.array(names), positions=positions)


if __name__ == "__main__":
    main()
