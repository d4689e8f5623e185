"""A clip and the world it is in, together: as a picture and as one GLB file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import InputError, choices
from footfall.files.atomic import make_folder_of
from footfall.maths.arrays import Floats
from footfall.world.scene import Scene
from footfall.world.shapes import scene_shapes

VIEWS = ("side", "corner", "above")
_APART_M = 0.85
_MOST_FIGURES = 14
_HIGH_M = 1.2
"""Lower things hide only legs, and belong into the picture."""
_SEEN_EVERY = 97


def save_in_scene(clip: Clip, scene: Scene, path: str | Path) -> Path:
    """Write the clip's mannequin and its world as one .glb or .gltf file."""
    from footfall.body.mannequin import mannequin
    from footfall.files.scene.glb import write_scene

    path = Path(path)
    make_folder_of(path)
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

    Walls and other high things that stand between the eye and the figure are left out.

    around_m  how much of the world beside the figures the picture shows at least
    """
    from PIL import Image

    from footfall.body.mannequin import mannequin
    from footfall.report.render.camera import fitted
    from footfall.report.render.instants import figures_at, spaced_instants, way_of
    from footfall.report.render.raster import DrawItem, Style, draw

    if view not in VIEWS:
        raise InputError(f"the view is {view!r}", remedy=choices(VIEWS, view))
    way = way_of(clip)
    figures = figures_at(
        clip, mannequin(clip.skeleton), spaced_instants(clip, way, _APART_M, _MOST_FIGURES)
    )
    seen = figures.vertices.reshape(-1, 3)
    low, high = seen.min(axis=0) - 0.3 * around_m, seen.max(axis=0) + 0.3 * around_m
    corners = np.stack(np.meshgrid(*np.stack([low, high], axis=1)), axis=-1).reshape(-1, 3)
    camera = fitted(
        corners, _looking(view, way.direction), size=size, field_of_view=float(np.radians(24))
    )
    items = [figures.item(n) for n in range(len(figures))]
    items += [
        DrawItem(s.vertices, s.triangles, s.normals, s.colours, casts_shadow=s.name != "ground")
        for s in scene_shapes(scene)
        if s.name == "ground" or not _hides(s.vertices, camera.eye, seen[::_SEEN_EVERY])
    ]
    picture = draw(items, camera, size, Style(ground=None, grid=0.0))
    out = Path(path)
    make_folder_of(out)
    Image.fromarray(picture).save(out)
    return out


def _hides(vertices: Floats, eye: Floats, points: Floats) -> bool:
    """Whether a high thing with vertices (V, 3) stands before one of the points (N, 3)."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    if high[1] - low[1] < _HIGH_M:
        return False
    way = points - eye
    way = np.where(np.abs(way) < 1e-9, 1e-9, way)
    # Between which shares of the way to a point the ray is inside each pair of the box's planes.
    ends = np.sort(np.stack([(low - eye) / way, (high - eye) / way]), axis=0)
    enters, leaves = ends[0].max(axis=1), ends[1].min(axis=1)
    return bool(np.any((enters < leaves) & (leaves > 0.0) & (enters < 1.0)))


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
