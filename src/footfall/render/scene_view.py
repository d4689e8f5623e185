"""A scene in three dimensions, its walls cut low so that one sees in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import InputError
from footfall.files.atomic import make_folder_of
from footfall.maths.arrays import Floats
from footfall.render.camera import Camera, Size, fit_camera
from footfall.render.lines import LineCover
from footfall.render.pictures import ENDS
from footfall.render.raster import FLOOR_LINES, DrawItem, DrawnLine, Picture, Style, draw, srgb
from footfall.render.still import StillScene
from footfall.world.ground import FLAT
from footfall.world.scene import Scene
from footfall.world.shapes import Shape, scene_shapes

_PIXELS = 900
_CUT_M = 0.5


@dataclass(frozen=True, eq=False)
class SceneView:
    """A scene as it is drawn from one side: what there is, from where, and lines on its floor."""

    items: tuple[DrawItem, ...]
    camera: Camera
    lines: tuple[DrawnLine, ...]
    size: Size

    def picture(
        self, more: Sequence[DrawItem] = (), style: Style | None = None, threads: int = 1
    ) -> Picture:
        """Return a picture (H, W, 3), sRGB bytes, of the scene and of what else is in it."""
        style = style or Style(ground=None, grid=0.0)
        items = [*self.items, *more]
        return draw(items, self.camera, self.size, style, lines=self.cover or (), threads=threads)

    def still(self, style: Style) -> StillScene:
        """Return the scene prepared for many pictures with bodies that move."""
        return StillScene(self.items, self.camera, self.size, style)

    @cached_property
    def cover(self) -> LineCover | None:
        """The pixels of the lines, if there are any."""
        return LineCover(self.lines, self.camera, self.size) if self.lines else None


def save_scene_view(
    scene: Scene, path: str | Path, size: tuple[int, int] = (_PIXELS, 560),
    yaw_deg: float | None = None, pitch_deg: float = 40.0, time: float | None = None,
) -> Path:  # fmt: skip
    """Write a view of the scene in three dimensions to a .png file; see `scene_view`."""
    from PIL import Image

    out = Path(path)
    if out.suffix.lower() != ".png":
        raise InputError(f"{out.name} is no .png picture", remedy="use a .png name")
    picture = scene_view(scene, size, yaw_deg, pitch_deg, time)
    make_folder_of(out)
    Image.fromarray(picture).save(out)
    return out


def scene_view(
    scene: Scene, size: tuple[int, int] = (_PIXELS, 560), yaw_deg: float | None = None,
    pitch_deg: float = 40.0, time: float | None = None,
) -> Any:  # fmt: skip
    """(H, W, 3) picture of the scene, sRGB bytes. Walls are cut low, so that one sees in.

    yaw_deg    from which side: 0 looks along +z, 90 along +x; None shows the long side across
    pitch_deg  how steeply it looks down
    """
    return look_into(scene, size, yaw_deg, pitch_deg, time).picture()


def look_into(
    scene: Scene, size: Size = (_PIXELS, 560), yaw_deg: float | None = None,
    pitch_deg: float = 40.0, time: float | None = None, queries: bool = True,
) -> SceneView:  # fmt: skip
    """The scene from one side, ready to be drawn; see `scene_view`.

    queries  whether starts and goals are drawn on the floor
    """
    if not 5.0 <= pitch_deg <= 90.0:
        raise InputError(f"the view's pitch is {pitch_deg}", remedy="use 5 to 90 degrees")
    walls = {
        o.name or f"{o.kind} {n + 1}" for n, o in enumerate(scene.obstacles) if o.kind == "wall"
    }
    shapes = [_cut_low(s) if s.name in walls else s for s in scene_shapes(scene, time)]
    items = tuple(
        DrawItem(s.vertices, s.triangles, s.normals, s.colours, casts_shadow=s.name != "ground")
        for s in shapes
    )
    x0, z0, x1, z1 = scene.bounds.bounds
    if yaw_deg is None:
        yaw_deg = 62.0 if z1 - z0 > 1.4 * (x1 - x0) else 22.0
    yaw, pitch = np.radians(yaw_deg), np.radians(min(pitch_deg, 89.9))
    direction = [np.sin(yaw) * np.cos(pitch), -np.sin(pitch), np.cos(yaw) * np.cos(pitch)]
    seen = np.concatenate([s.vertices for s in shapes])
    camera = fit_camera(
        seen, direction, size=size, field_of_view=float(np.radians(28)), margin=0.03
    )
    marks = scene if queries else replace(scene, queries=())
    lines = (*_grid_lines(scene), *_view_lines(marks))
    return SceneView(items, camera, lines, size)


def _cut_low(shape: Shape) -> Shape:
    """A wall without what is higher than `_CUT_M` above its foot."""
    vertices = shape.vertices.copy()
    vertices[:, 1] = np.minimum(vertices[:, 1], vertices[:, 1].min() + _CUT_M)
    return replace(shape, vertices=vertices)


def _grid_lines(scene: Scene) -> list[Any]:
    """A grid on flat ground: a metre wide, or ten, a hundred … so that its lines stay few."""
    from shapely.geometry import LineString, Polygon

    if scene.ground.kind != FLAT:
        return []
    x0, z0, x1, z1 = scene.bounds.bounds
    step = 10.0 ** max(0.0, np.ceil(np.log10(max(x1 - x0, z1 - z0) / 40.0)))
    floor: Any = scene.bounds
    for hole in scene.holes:
        floor = floor.difference(Polygon(hole.polygon))
    rows = [LineString([(x, z0), (x, z1)]) for x in np.arange(np.ceil(x0 / step), x1 / step) * step]
    rows += [
        LineString([(x0, z), (x1, z)]) for z in np.arange(np.ceil(z0 / step), z1 / step) * step
    ]
    out = []
    for row in rows:
        cut = row.intersection(floor)
        for piece in getattr(cut, "geoms", [cut]):
            if piece.geom_type == "LineString" and piece.length > 0.0:
                points = np.insert(np.asarray(piece.coords), 1, scene.ground.level + 0.004, axis=1)
                out.append(DrawnLine(points, FLOOR_LINES, 1.0, 0.7))
    return out


def _view_lines(scene: Scene) -> list[Any]:
    """Paths, and the heading of each query at its start and goal, just above the ground."""

    def lifted(points: Floats) -> Floats:
        heights = scene.height(points)
        ok = np.isfinite(heights)
        return np.column_stack([points[ok, 0], heights[ok] + 0.04, points[ok, 1]])

    lines = []
    for path in scene.paths:
        along = np.concatenate(
            [[0.0], np.cumsum(np.linalg.norm(np.diff(path.points, axis=0), axis=1))]
        )
        at = np.linspace(0.0, along[-1], 200)
        points = np.stack([np.interp(at, along, path.points[:, k]) for k in (0, 1)], axis=1)
        lines.append(DrawnLine(lifted(points), srgb("#7b3fa0"), 3.0))
    for query in scene.queries:
        for end, colour in zip((query.start, query.goal), ENDS, strict=True):
            turn = np.linspace(0.0, 2.0 * np.pi, 25)
            ring = np.stack([end.x + 0.22 * np.sin(turn), end.z + 0.22 * np.cos(turn)], axis=1)
            ahead = np.array(
                [[end.x, end.z], [end.x + 0.55 * np.sin(end.yaw), end.z + 0.55 * np.cos(end.yaw)]]
            )
            lines += [DrawnLine(lifted(p), srgb(colour), 2.5) for p in (ring, ahead)]
    return [line for line in lines if len(line.points) > 1]
