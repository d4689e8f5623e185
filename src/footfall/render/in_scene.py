"""A clip and the world it is in, together: as a picture and as one GLB file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import InputError, choices
from footfall.files.atomic import make_folder_of
from footfall.maths.arrays import Floats, Ints
from footfall.world.scene import Scene
from footfall.world.shapes import scene_shapes

if TYPE_CHECKING:
    from footfall.render.instants import RootPath
    from footfall.render.raster import DrawItem, Picture
    from footfall.world.shapes import Shape

VIEWS = ("side", "corner", "above")
_APART_M = 0.85
_MOST_BODIES = 14
_SEEN_EVERY = 97
_BEFORE = 0.98
"""What a ray meets in the last fiftieth of its way is what the character touches, not hides in."""
_MOST_HIDDEN = 0.35
"""Posts and bars hide a smaller share of a body, and show what it ducks under."""


def save_in_scene(clip: Clip, scene: Scene, path: str | Path) -> Path:
    """Write the clip's mannequin and its world as one .glb or .gltf file."""
    from footfall.body.mannequin import mannequin
    from footfall.files.scene.glb import write_scene

    path = Path(path)
    make_folder_of(path)
    write_scene(scene, path, clip, mannequin(clip.skeleton))
    return path


def describe_exit(clip: Clip, scene: Scene) -> str:
    """Return a sentence on when and how far the root leaves the scene; "" if it stays inside."""
    from shapely import distance, points

    away = distance(points(clip.root[:, [0, 2]]), scene.bounds)
    if away.max() < 0.05:
        return ""
    seconds, name = float(np.argmax(away > 0.0)) / clip.fps, scene.name or "the scene"
    return f"{clip.name} leaves {name} after {seconds:.1f} s, by up to {away.max():.1f} m"


def render_in_scene(
    clip: Clip, scene: Scene, path: str | Path, *, view: str = "side",
    size: tuple[int, int] = (1600, 800), around_m: float = 0.8, instants: int | None = None,
) -> Path:  # fmt: skip
    """Draw the character along its path in the scene and write it; see `picture_in_scene`."""
    from PIL import Image

    picture = picture_in_scene(
        clip, scene, view=view, size=size, around_m=around_m, instants=instants
    )
    out = Path(path)
    make_folder_of(out)
    Image.fromarray(picture).save(out)
    return out


def picture_in_scene(
    clip: Clip, scene: Scene, *, view: str = "side", size: tuple[int, int] = (1600, 800),
    around_m: float = 0.8, instants: int | None = None,
) -> Picture:  # fmt: skip
    """Return the character along its path in the scene, from the side, a corner or above.

    Walls and other things that hide much of the character are left out. Bars and stairs stay.

    around_m  how much of the world beside the bodies the picture shows at least
    instants  how many bodies it shows (as many as stand clear of each other)
    """
    from footfall.body.mannequin import mannequin
    from footfall.render.camera import fit_camera
    from footfall.render.instants import bodies_at, root_path
    from footfall.render.raster import Style, draw

    if view not in VIEWS:
        raise InputError(f"the view is {view!r}", remedy=choices(VIEWS, view))
    way = root_path(clip)
    bodies = bodies_at(clip, mannequin(clip.skeleton), _instants(clip, way, instants))
    seen = bodies.vertices.reshape(-1, 3)
    low, high = seen.min(axis=0) - 0.3 * around_m, seen.max(axis=0) + 0.3 * around_m
    corners = np.stack(np.meshgrid(*np.stack([low, high], axis=1)), axis=-1).reshape(-1, 3)
    camera = fit_camera(
        corners, _looking(view, way.direction), size=size, field_of_view=float(np.radians(24))
    )
    items = [bodies.item(n) for n in range(len(bodies))]
    looks = [(camera.eye, points) for points in bodies.vertices[:, ::_SEEN_EVERY]]
    items += scene_items(scene, looks)
    return draw(items, camera, size, Style(ground=None, grid=0.0))


def scene_items(scene: Scene, looks: Iterable[tuple[Floats, Floats]]) -> list[DrawItem]:
    """Return what there is to draw of a scene, without things that hide what is looked at.

    looks  the eye (3,) and the points (N, 3) that it must see, for each look
    """
    from footfall.render.raster import DrawItem

    pairs = list(looks)
    return [
        DrawItem(s.vertices, s.triangles, s.normals, s.colours, casts_shadow=s.name != "ground")
        for s in scene_shapes(scene)
        if s.name == "ground" or not any(_hides(s, eye, points) for eye, points in pairs)
    ]


def _instants(clip: Clip, way: RootPath, count: int | None) -> Ints:
    from footfall.render.instants import spaced_instants

    if count is None:
        return spaced_instants(clip, way, _APART_M, _MOST_BODIES)
    return np.unique(np.linspace(0, len(clip) - 1, count).round().astype(np.int32))


def _hides(shape: Shape, eye: Floats, points: Floats) -> bool:
    """Return whether a thing stands between the eye and much of the points (N, 3)."""
    low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    rays = points - eye
    rays = np.where(np.abs(rays) < 1e-9, 1e-9, rays)
    # Between which shares of a ray it is inside each pair of the bounding box's planes.
    ends = np.sort(np.stack([(low - eye) / rays, (high - eye) / rays]), axis=0)
    enters, leaves = ends[0].max(axis=1), ends[1].min(axis=1)
    near = (enters < leaves) & (leaves > 0.0) & (enters < 1.0)
    # Stairs fill half of their box: who walks on them is not behind them.
    hidden = sum(_meets_triangle(shape, eye, ray) for ray in rays[near])
    return hidden > _MOST_HIDDEN * len(points)


def _meets_triangle(shape: Shape, eye: Floats, ray: Floats) -> bool:
    """Whether the way from the eye along `ray` (3,) meets a triangle (Möller & Trumbore 1997)."""
    a, b, c = (shape.vertices[shape.triangles[:, n]] for n in range(3))
    ab, ac, from_a = b - a, c - a, eye - a
    across = np.cross(ray, ac)
    size = np.einsum("ni,ni->n", ab, across)
    size = np.where(np.abs(size) < 1e-12, np.inf, size)  # seen edge on
    u = np.einsum("ni,ni->n", from_a, across) / size
    turned = np.cross(from_a, ab)
    v = turned @ ray / size
    share = np.einsum("ni,ni->n", ac, turned) / size
    inside = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)
    return bool(np.any(inside & (share > 0.0) & (share < _BEFORE)))


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
