"""A software renderer: triangle meshes and lines on a lit stage, without a screen or a GPU.

    picture = draw([item], camera, (640, 480))

`draw` is all there is to it: what to draw (`DrawItem`, `DrawnLine`), from where (`Camera`) and
how it should look (`Style`). Colours are linear r, g, b from 0 to 1 unless said otherwise; the
picture that comes back is sRGB. Equal input gives equal pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.body.mesh import Mesh
from footfall.errors import InputError, check_range, check_whole
from footfall.maths.arrays import Floats, Ints, frozen_floats, frozen_ints
from footfall.processes import thread_pool
from footfall.render.camera import Camera, Size

Colour = tuple[float, float, float]
Picture = NDArray[np.uint8]

LARGEST = 16_384
"""The most pixels that a picture may have along one side."""


def srgb(code: str) -> Colour:
    """The linear colour of a code like "#f4f2ee"."""
    values = [int(code[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return (r, g, b)


@dataclass(frozen=True, eq=False)
class DrawItem:
    """One mesh to draw.

    vertices        (V, 3) metres, world
    triangles       (F, 3) vertex indices, counter-clockwise from outside
    normals         (V, 3) unit, or None for flat faces
    colours         (3,) one for all, or (F, 3) one per face
    vertex_colours  (V, 3), used in place of `colours` if given
    fade            0 as it is … 1 gone into the background; its shadow fades with it
    """

    vertices: Floats
    triangles: Ints
    normals: Floats | None = None
    colours: ArrayLike = (0.6, 0.6, 0.6)
    vertex_colours: Floats | None = None
    fade: float = 0.0
    casts_shadow: bool = True
    lit: bool = True

    def __post_init__(self) -> None:
        vertices = frozen_floats(self.vertices, (None, 3), "vertices")
        triangles = frozen_ints(self.triangles, (None, 3), "triangles")
        if triangles.size and (triangles.min() < 0 or triangles.max() >= len(vertices)):
            raise InputError("a triangle names a vertex that is not there")
        colours = np.asarray(self.colours, dtype=np.float64)
        shape = (3,) if colours.ndim == 1 else (len(triangles), 3)
        put = object.__setattr__
        put(self, "vertices", vertices)
        put(self, "triangles", triangles)
        put(self, "colours", frozen_floats(colours, shape, "colours"))
        if self.normals is not None:
            put(self, "normals", frozen_floats(self.normals, vertices.shape, "normals"))
        if self.vertex_colours is not None:
            given = frozen_floats(self.vertex_colours, vertices.shape, "vertex_colours")
            put(self, "vertex_colours", given)
        check_range("fade", self.fade, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class DrawnLine:
    """A line through points (N, 3) in metres, `width` pixels wide, hidden by what is nearer."""

    points: Floats
    colour: Colour
    width: float = 2.0
    opacity: float = 1.0
    on_top: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen_floats(self.points, (None, 3), "points"))


PAPER = srgb("#f7f6f3")
FLOOR = srgb("#eceae5")
FLOOR_LINES = srgb("#d5d2ca")


@dataclass(frozen=True)
class Style:
    """How a picture looks.

    background, horizon  colour at the top of the picture and at its bottom
    ground               colour of the floor, or None for no floor
    floor                height of the floor, metres
    sink                 how deep under the floor things still show, metres
    grid, grid_colour    metres between the lines on the floor (0: none)
    grid_at, grid_along  a ground point (x, z) where lines cross, and the direction of one
    vignette             the floor fades within this many pixels of the picture's border
    stage, stage_radius  the floor is seen round this segment ((x, z), (x, z)) and fades into
                         the background `stage_radius` metres from it; None: round the meshes
    light                direction towards the key light: right, up and towards the viewer, so
                         that it falls the same way in every view
    key, sky, bounce, fill, gloss        strengths of the lights
    shadow, contact, occlusion, edge     how dark shadows, the floor near feet, creases and
                                         surfaces that turn away from the viewer are
    supersample          samples per pixel along each side
    """

    background: Colour = PAPER
    horizon: Colour = PAPER
    ground: Colour | None = FLOOR
    floor: float = 0.0
    sink: float = 0.002
    grid: float = 1.0
    grid_width: float = 0.004
    grid_colour: Colour = FLOOR_LINES
    grid_at: tuple[float, float] = (0.0, 0.0)
    grid_along: tuple[float, float] = (1.0, 0.0)
    vignette: float = 0.0
    stage: tuple[tuple[float, float], tuple[float, float]] | None = None
    stage_radius: float = 4.0
    light: tuple[float, float, float] = (-0.45, 1.0, 0.55)
    key: float = 0.78
    sky: float = 0.5
    bounce: float = 0.26
    fill: float = 0.1
    edge: float = 0.4
    gloss: float = 0.06
    shadow: float = 0.42
    contact: float = 0.45
    occlusion: float = 0.85
    supersample: int = 2


@dataclass(frozen=True, eq=False)
class Assembled:
    """All items of a picture as one set of arrays, as the kernels want them."""

    vertices: Floats
    normals: NDArray[np.float32]
    triangles: Ints
    corners: NDArray[np.float32]
    face_colours: NDArray[np.float32]
    face_items: Ints
    items: Floats
    strengths: Floats = field(repr=False)


def item_of_mesh(
    mesh: Mesh, *, vertices: Floats | None = None, normals: Floats | None = None, fade: float = 0.0
) -> DrawItem:
    """A mesh as an item, in its materials' colours; `vertices`, `normals` (V, 3) if it moved."""
    palette = np.array([m.colour for m in mesh.materials]).reshape(-1, 3)
    return DrawItem(
        vertices=mesh.vertices if vertices is None else vertices,
        triangles=mesh.triangles,
        normals=mesh.normals if normals is None else normals,
        colours=palette[mesh.face_materials],
        fade=fade,
    )


def draw(
    meshes: Sequence[DrawItem],
    camera: Camera,
    size: Size,
    style: Style | None = None,
    *,
    lines: Sequence[DrawnLine] = (),
    threads: int = 1,
) -> Picture:
    """The picture (H, W, 3), sRGB bytes, of `size` = (width, height) pixels."""
    from footfall.render import raster_kernels as kernels
    from footfall.render.shade_kernels import shade as shade_rows
    from footfall.render.stage import cast_shadows

    style = style or Style()
    width, height = _check_size(size, style)
    factor = style.supersample
    fine = (width * factor, height * factor)
    scene = assemble(meshes)
    depth = np.full(fine[::-1], np.inf, dtype=np.float32)
    faces = np.full(fine[::-1], -1, dtype=np.int32)
    bary = np.empty((*fine[::-1], 2), dtype=np.float32)
    near = camera.near if camera.perspective else -1e30
    points = camera.homogeneous(scene.vertices, fine)
    kernels.fill(points, scene.triangles, near, depth, faces, bary)
    maps = cast_shadows(scene, style, light_direction(camera, style), camera, size)
    image = np.empty((height, width, 3), dtype=np.float32)
    constants = [_tuples(c) for c in _constants(scene, camera, fine, style, maps.towards_light)]
    rays, to_texel, to_pool = map(_tuples, (camera.rays(fine), maps.to_texel, maps.to_pool))

    def shade(rows: tuple[int, int]) -> None:
        shade_rows(  # type: ignore[call-arg]
            depth, faces, bary, rays, near, scene.triangles, scene.normals,
            scene.corners, scene.face_colours, scene.face_items, scene.items, *constants,
            maps.nearest, to_texel, maps.shadow, maps.pool, to_pool, *rows, image,
        )  # fmt: skip

    bands = np.linspace(0, height, 4 * threads + 1 if threads > 1 else 2).astype(int).tolist()
    if threads > 1:
        with thread_pool(threads) as pool:
            list(pool.map(shade, pairwise(bands)))
    else:
        shade((bands[0], bands[1]))
    _draw_lines(lines, camera, (width, height), depth, image)
    return _encode(image)


def _encode(image: NDArray[np.float32]) -> Picture:
    """Linear light (H, W, 3) as sRGB bytes, by a table of 4096 steps."""
    # Steps even in the square root of light are fine enough for the darkest bytes too.
    light = (np.arange(4097) / 4096.0) ** 2
    code = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1.0 / 2.4) - 0.055)
    table = (255.0 * code + 0.5).astype(np.uint8)
    steps = np.sqrt(np.clip(image, 0.0, 1.0).astype(np.float64))
    return np.asarray(table[(4096.0 * steps + 0.5).astype(np.int16)])


def light_direction(camera: Camera, style: Style) -> Floats:
    """(3,) unit vector towards the key light, world axes.

    The light turns with the viewer about the vertical only: "right" and "towards the viewer"
    are level, "up" is up. Seen from straight above, the top of the picture counts as away.
    """
    right, up, forward = camera.axes
    away = forward if abs(forward[1]) < 0.95 else up * -np.sign(forward[1])
    level = np.array([away[0], 0.0, away[2]])
    level /= np.linalg.norm(level)
    side = np.array([right[0], 0.0, right[2]])
    side /= max(float(np.linalg.norm(side)), 1e-9)
    towards = style.light[0] * side + style.light[1] * np.array([0.0, 1.0, 0.0])
    towards = towards - style.light[2] * level
    out: Floats = towards / np.linalg.norm(towards)
    return out


def assemble(meshes: Sequence[DrawItem]) -> Assembled:
    """Join items into one set of arrays; items without normals get corners of their own."""
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in Assembled.__dataclass_fields__}
    count = 0
    for index, item in enumerate(meshes):
        vertices, triangles, normals = item.vertices, item.triangles, item.normals
        corners = item.vertex_colours
        if normals is None:
            if corners is not None:
                corners = corners[triangles].reshape(-1, 3)
            vertices, triangles, normals = _flat(vertices, triangles)
        faces = len(triangles)
        parts["vertices"].append(vertices)
        parts["normals"].append(normals)
        parts["triangles"].append(triangles + count)
        parts["corners"].append(np.zeros(vertices.shape) if corners is None else corners)
        parts["face_colours"].append(np.broadcast_to(np.asarray(item.colours), (faces, 3)))
        parts["face_items"].append(np.full(faces, index))
        parts["items"].append(np.array([[item.fade, corners is not None, item.lit]], dtype=float))
        strength = 1.0 - item.fade if item.casts_shadow else 0.0
        parts["strengths"].append(np.full(faces, strength))
        count += len(vertices)

    def joined(name: str, kind: type, columns: int) -> NDArray[Any]:
        empty = np.zeros((0, columns) if columns else 0)
        return np.ascontiguousarray(np.concatenate([empty, *parts[name]]).astype(kind))

    return Assembled(
        joined("vertices", np.float64, 3), joined("normals", np.float32, 3),
        joined("triangles", np.int32, 3), joined("corners", np.float32, 3),
        joined("face_colours", np.float32, 3), joined("face_items", np.int32, 0),
        joined("items", np.float64, 3), joined("strengths", np.float64, 0),
    )  # fmt: skip


def _flat(vertices: Floats, triangles: Ints) -> tuple[Floats, Ints, Floats]:
    """Every face with three corners of its own and its own normal at each."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    own = np.arange(3 * len(triangles), dtype=np.int32).reshape(-1, 3)
    return corners.reshape(-1, 3), own, np.repeat(normals, 3, axis=0)


def _check_size(size: Size, style: Style) -> Size:
    check_whole("supersample", style.supersample, 1, 4)
    width, height = size
    return (
        check_whole("the picture's width", width, 1, LARGEST, unit="pixels"),
        check_whole("the picture's height", height, 1, LARGEST, unit="pixels"),
    )


def _constants(
    scene: Assembled, camera: Camera, fine: Size, style: Style, light: Floats
) -> tuple[Floats, ...]:
    """The small arrays that `shade` takes: camera, light, colours, ground, grid, stage."""
    eye = np.array([fine[1] / camera.height, float(camera.perspective)])
    lights = np.array(
        [*light, style.key, style.sky, style.bounce, style.fill, style.edge, style.gloss,
         style.occlusion]
    )  # fmt: skip
    ground = style.ground or style.background
    colours = np.array([style.background, style.horizon, ground, style.grid_colour])
    there = float(style.ground is not None)
    floor = np.array([there, style.floor, style.shadow, style.contact, style.sink,
                      max(style.vignette, 1e-3)])  # fmt: skip
    if style.stage is not None:
        segment = np.array(style.stage).ravel()
    elif len(scene.vertices):
        low, high = scene.vertices.min(axis=0), scene.vertices.max(axis=0)
        middle = 0.5 * (low + high)
        segment = np.array([middle[0], middle[2]] * 2)
    else:
        segment = np.zeros(4)
    stage = np.array([*segment, style.stage_radius])
    size = max(math.hypot(*style.grid_along), 1e-9)
    along = (style.grid_along[0] / size, style.grid_along[1] / size)
    grid = np.array([style.grid, style.grid_width / 2.0, *style.grid_at, *along])
    return eye, lights, colours, floor, grid, stage


def _tuples(array: Floats) -> Any:
    """An array as nested tuples, which kernels hand on more cheaply than small arrays."""
    return tuple(map(_tuples, array)) if array.ndim > 1 else tuple(map(float, array))


def _draw_lines(
    lines: Sequence[DrawnLine], camera: Camera, size: Size,
    depth: NDArray[np.float32], image: NDArray[np.float32],
) -> None:  # fmt: skip
    from footfall.render.raster_kernels import draw_line

    if not lines:
        return
    cover = np.zeros(size[::-1], dtype=np.float32)
    for line in lines:
        points = camera.project(line.points, size)
        bias = 1e30 if line.on_top else 0.02
        draw_line(
            points, np.array(line.colour), 0.5 * line.width, line.opacity,
            depth, bias, image, cover,
        )  # fmt: skip
