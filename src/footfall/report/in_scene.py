"""A clip and the world it is in, together: as a picture and as one GLB file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import InputError, choices
from footfall.maths.arrays import Floats
from footfall.world.scene import Scene
from footfall.world.shapes import scene_shapes

VIEWS = ("side", "corner", "above")
_APART_M = 0.85
_MOST_FIGURES = 14


def save_in_scene(clip: Clip, scene: Scene, path: str | Path) -> Path:
    """Write the clip's mannequin and its world as one .glb or .gltf file."""
    from footfall.body.mannequin import mannequin
    from footfall.files.scene_glb import write_scene

    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_scene(scene, path, clip, mannequin(clip.skeleton))
    return path


def render_in_scene(
    clip: Clip,
    scene: Scene,
    path: str | Path,
    *,
    view: str = "side",
    size: tuple[int, int] = (1600, 800),
    around_m: float = 0.8,
) -> Path:
    """Draw the figure along its way in the scene, seen from the side, a corner or above.

    around_m  how much of the world beside the figures the picture shows at least
    """
    from PIL import Image

    from footfall.body.mannequin import mannequin
    from footfall.report.camera import fitted
    from footfall.report.instants import figures_at, spaced_instants, way_of
    from footfall.report.raster import DrawItem, Style, draw

    if view not in VIEWS:
        raise InputError(f"the view is {view!r}", remedy=choices(VIEWS, view))
    way = way_of(clip)
    figures = figures_at(
        clip, mannequin(clip.skeleton), spaced_instants(clip, way, _APART_M, _MOST_FIGURES)
    )
    items = [figures.item(n) for n in range(len(figures))]
    items += [
        DrawItem(s.vertices, s.triangles, s.normals, s.colours, casts_shadow=s.name != "ground")
        for s in scene_shapes(scene)
    ]
    seen = figures.vertices.reshape(-1, 3)
    low, high = seen.min(axis=0) - 0.3 * around_m, seen.max(axis=0) + 0.3 * around_m
    corners = np.stack(np.meshgrid(*np.stack([low, high], axis=1)), axis=-1).reshape(-1, 3)
    camera = fitted(
        corners, _looking(view, way.direction), size=size, field_of_view=float(np.radians(24))
    )
    picture = draw(items, camera, size, Style(ground=None, grid=0.0))
    out = Path(path)
    out.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(out)
    return out


def _looking(view: str, direction: Floats) -> Floats:
    """(3,) where the camera looks: the motion runs from left to right."""
    across = np.array([direction[1], 0.0, -direction[0]])
    along = np.array([direction[0], 0.0, direction[1]])
    down = np.array([0.0, -1.0, 0.0])
    if view == "above":
        return np.asarray(down + 0.02 * across)
    if view == "corner":
        return np.asarray(across + 0.7 * along + 0.5 * down)
    return np.asarray(across + 0.12 * down)
