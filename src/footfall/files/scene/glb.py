"""A scene as a GLB file, alone or with a clip in it, to open in Blender and elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from footfall.body.clip import Clip
from footfall.body.mesh import Material, Mesh, SkinnedMesh
from footfall.files.gltf.writer import write_characters, write_glb
from footfall.world.scene import Scene
from footfall.world.shapes import Shape, scene_shapes


def write_scene(
    scene: Scene,
    path: str | Path,
    clip: Clip | None = None,
    mesh: SkinnedMesh | None = None,
    time: float | None = None,
) -> None:
    """Write a scene at `time`, with the body of a clip if given, as `.glb` or `.gltf`.

    Every obstacle is a node of its own, under its name.
    """
    write_glb(clip, Path(path), mesh=mesh, static=_static_meshes(scene, time))


def write_scene_with_characters(
    scene: Scene, path: str | Path, characters: Sequence[tuple[Clip, SkinnedMesh | None]],
    starts_s: Sequence[float] = (),
) -> None:  # fmt: skip
    """Write a scene with the bodies of several clips, all moved by one animation."""
    write_characters(characters, Path(path), _static_meshes(scene, None), starts_s)


def _static_meshes(scene: Scene, time: float | None) -> list[tuple[str, Mesh]]:
    names: dict[str, int] = {}
    static = []
    for shape in scene_shapes(scene, time):
        names[shape.name] = names.get(shape.name, 0) + 1
        again = f" ({names[shape.name]})" if names[shape.name] > 1 else ""
        static.append((shape.name + again, as_mesh(shape)))
    return static


def as_mesh(shape: Shape) -> Mesh:
    """Return a coloured shape as a mesh with one material for each colour."""
    colours, which = np.unique(np.round(shape.colours, 3), axis=0, return_inverse=True)
    roughness = 0.15 if "water" in shape.name or shape.name in ("sea", "stream") else 0.85
    materials = tuple(
        Material(f"{shape.name} {n + 1}", (float(c[0]), float(c[1]), float(c[2])), roughness)
        for n, c in enumerate(colours)
    )
    return Mesh(
        shape.vertices,
        shape.normals,
        shape.triangles,
        which.reshape(-1).astype(np.int32),
        materials,
    )
