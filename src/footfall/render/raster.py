"""A software renderer: triangle meshes and lines on a lit stage, without a screen or a GPU.

    picture = draw([item], camera, (640, 480))

`draw` is all there is to it: what to draw (`DrawItem`, `DrawnLine`), from where (`Camera`) and
how it should look (`Style`). Colours are linear r, g, b from 0 to 1 unless said otherwise; the
picture that comes back is sRGB. Equal input gives equal pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.body.mesh import Mesh
from footfall.errors import InputError, check_range, check_whole
from footfall.maths.arrays import Floats, Ints, frozen_floats, frozen_ints
from footfall.processes import share_out
from footfall.render.camera import Camera, Size
from footfall.render.floor import draw_backdrop
from footfall.render.lines import LineCover
from footfall.render.surfaces import Assembled, assemble, find_visible

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


LOOK = np.dtype([
    ("rays", np.float64, (6, 3)), ("near", np.float64),
    ("scale", np.float64), ("perspective", np.float64),
    ("light", np.float64, 3), ("to_texel", np.float64, (3, 4)),
    *((name, np.float64) for name in (
        "key", "sky", "bounce", "fill", "edge", "gloss", "occlusion", "floor", "sink", "has_floor",
    )),
])  # fmt: skip
"""How surfaces are seen, for kernels.

rays, near           of the fine pixels; see `Camera`
scale, perspective   fine pixels per metre, and whether that is at depth 1
light, to_texel      direction to the light; world to texel x, y and depth of the shadow map
key … has_floor      as in `Style`; whether there is a floor
"""


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
    lines: Sequence[DrawnLine] | LineCover = (),
    threads: int = 1,
) -> Picture:
    """The picture (H, W, 3), sRGB bytes, of `size` = (width, height) pixels."""
    from footfall.render.kernels import shade
    from footfall.render.stage import cast_shadows

    style = style or Style()
    size = _check_size(size, style)
    fine = (size[0] * style.supersample, size[1] * style.supersample)
    scene = assemble(meshes)
    near = camera.near if camera.perspective else -1e30
    points = camera.homogeneous(scene.vertices, fine)
    seen = find_visible(points, scene.triangles, near, fine)
    light = light_direction(camera, style)
    maps = cast_shadows(scene, style, light, camera, size)
    image = draw_backdrop(camera, size, style, _stage_segment(scene, style), maps)
    look = make_look(camera, fine, style, light, maps.to_texel)
    everywhere = np.ones(size[::-1], np.bool_)

    def shade_rows(rows: tuple[int, int]) -> None:
        shade(
            *seen, scene.triangles, scene.shading, scene.surfaces, maps.blockers, look, *rows,
            everywhere, image,
        )  # fmt: skip

    bands = np.linspace(0, size[1], 4 * threads + 1).astype(int).tolist()
    if threads > 1:
        share_out(shade_rows, list(pairwise(bands)))
    else:
        shade_rows((0, size[1]))
    if lines:
        cover = lines if isinstance(lines, LineCover) else LineCover(lines, camera, size)
        cover.blend(seen.depth, image)
    return encode(image)


def encode(image: NDArray[np.float32]) -> Picture:
    """Return linear light (H, W, 3) as sRGB bytes, by a table of 4096 steps."""
    steps = np.sqrt(np.clip(image, 0.0, 1.0))
    return np.asarray(_srgb_table()[(4096.0 * steps + 0.5).astype(np.int16)])


@cache
def _srgb_table() -> NDArray[np.uint8]:
    # Steps even in the square root of light are fine enough for the darkest bytes too.
    light = (np.arange(4097) / 4096.0) ** 2
    code = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1.0 / 2.4) - 0.055)
    return (255.0 * code + 0.5).astype(np.uint8)


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


def _check_size(size: Size, style: Style) -> Size:
    check_whole("supersample", style.supersample, 1, 4)
    width, height = size
    return (
        check_whole("the picture's width", width, 1, LARGEST, unit="pixels"),
        check_whole("the picture's height", height, 1, LARGEST, unit="pixels"),
    )


def _stage_segment(scene: Assembled, style: Style) -> tuple[float, float, float, float]:
    """Return x, z of both ends of the line that the floor is seen round."""
    if style.stage is not None:
        return (*style.stage[0], *style.stage[1])
    if not len(scene.vertices):
        return (0.0, 0.0, 0.0, 0.0)
    x, _, z = (0.5 * (scene.vertices.min(axis=0) + scene.vertices.max(axis=0))).tolist()
    return (x, z, x, z)


def make_look(
    camera: Camera, fine: Size, style: Style, light: Floats, to_texel: Floats
) -> NDArray[Any]:
    """Return the record (1,) of LOOK."""
    look = np.zeros(1, LOOK)
    look["rays"], look["near"] = camera.rays(fine), camera.near if camera.perspective else -1e30
    look["scale"], look["perspective"] = fine[1] / camera.height, camera.perspective
    look["light"], look["to_texel"] = light, to_texel
    for name in ("key", "sky", "bounce", "fill", "edge", "gloss", "occlusion", "floor", "sink"):
        look[name] = getattr(style, name)
    look["has_floor"] = style.ground is not None
    return look
