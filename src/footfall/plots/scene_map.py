"""A scene as a map from above.

The map is seen from above with +z up the page, so +x, the left of a body that faces +z, points
to the left.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from footfall.errors import InputError, choices
from footfall.files.atomic import make_folder_of
from footfall.maths.arrays import Floats
from footfall.render.pictures import ENDS
from footfall.world.corridor.free_floor import BODY_RADIUS_M
from footfall.world.ground import FLAT
from footfall.world.obstacles import GREY, TRIANGLE, Colour
from footfall.world.scene import Scene
from footfall.world.shapes import height_share, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from footfall.world.corridor.corridor_map import CorridorMap

OVERLAYS = ("none", "clearance", "corridors")
_ROUTES_S = 2.0


def save_scene_map(
    scene: Scene, path: str | Path, overlay: str = "none", time: float | None = None
) -> Path:
    """Write the map from above to a .png, .svg or .pdf file."""
    out = Path(path)
    if out.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise InputError(f"{out.name} is no picture", remedy="use .png, .svg or .pdf")
    figure = scene_figure(scene, overlay, time)
    make_folder_of(out)
    figure.savefig(out, dpi=100)
    return out


def scene_figure(
    scene: Scene,
    overlay: str = "none",
    time: float | None = None,
    layout: Literal["constrained"] | None = "constrained",
) -> Figure:
    """Return the map: heights, water, holes, obstacles, queries and paths, with an overlay.

    overlay  "clearance" shows how far the body's middle is from what blocks it; "corridors"
             the medial axis of the free floor and the shortest clear path of every query
    layout   how matplotlib lays it out; None leaves that to the caller
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if overlay not in OVERLAYS:
        raise InputError(f"there is no overlay {overlay!r}", remedy=choices(OVERLAYS, overlay))
    x0, z0, x1, z1 = scene.bounds.bounds
    width, depth = x1 - x0, z1 - z0
    scale = min(7.4 / width, 7.4 / depth)
    size = (max(width * scale, 3.4) + 1.5, max(depth * scale, 2.2) + 1.1)
    figure = Figure(figsize=size, layout=layout, facecolor="#fbfaf8")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _draw_ground(axes, scene)
    corridors = None if overlay == "none" else _corridors(scene, time)
    if overlay == "clearance" and corridors is not None:
        _draw_clearance(figure, axes, scene, corridors)
    _draw_obstacles(axes, scene, time)
    if overlay == "corridors" and corridors is not None:
        _draw_corridors(axes, scene, corridors)
    _draw_paths(axes, scene)
    _draw_queries(axes, scene, small=overlay == "corridors")
    margin = 0.02 * max(width, depth)
    axes.set(xlim=(x1 + margin, x0 - margin), ylim=(z0 - margin, z1 + margin), aspect="equal")
    axes.set_xlabel("\n".join(["x (m)", *_query_rows(scene, time)]), fontsize=8)
    axes.set_ylabel("z (m)")
    axes.set_title(scene.name, fontsize=11, loc="left")
    axes.tick_params(labelsize=8)
    axes.set_facecolor("#e9e6df")
    return figure


def _corridors(scene: Scene, time: float | None) -> CorridorMap | None:
    """Return the corridors as `Scene.blocked_polygons` leaves them; None if nothing is free."""
    from footfall.world.corridor.corridor_map import corridor_map_of

    try:
        return corridor_map_of(scene, time)
    except InputError:  # nothing of the floor is free
        return None


def _query_rows(scene: Scene, time: float | None) -> list[str]:
    """Return the names of the queries, three in a row; those without a walking route say so."""
    from footfall.world.corridor.free_floor import walking_routes

    routes = walking_routes(scene, time=time, seconds=_ROUTES_S)
    no_route = {route.query for route in routes if route.status == "no route"}
    names = [
        f"{n + 1} {query.name}" + (" (no walking route)" if query.name in no_route else "")
        for n, query in enumerate(scene.queries)
    ]
    return ["    ".join(names[k : k + 3]) for k in range(0, len(names), 3)]


def _draw_ground(axes: Axes, scene: Scene) -> None:
    from matplotlib.colors import LightSource, ListedColormap

    x0, z0, x1, z1 = scene.bounds.bounds
    outline = {"facecolor": "#f4f2ec", "edgecolor": "#8d877c", "linewidth": 1.0, "zorder": -1}
    axes.add_patch(patch(scene.bounds, **outline))
    if scene.ground.kind != FLAT:
        x, z, heights = _heights(scene)
        colours = _encoded(tint(np.nan_to_num(height_share(scene, heights))))
        light = LightSource(azdeg=315, altdeg=45)
        step = (x[1] - x[0], z[1] - z[0])
        filled = np.where(np.isfinite(heights), heights, np.nanmin(heights))
        shade = light.hillshade(filled, vert_exag=1.5, dx=step[0], dy=step[1])[..., None]
        image = np.clip(0.45 * colours + 0.35 + 0.32 * (shade - 0.5), 0.0, 1.0)
        image = np.dstack([image, np.isfinite(heights)])
        axes.imshow(image, extent=(x0, x1, z0, z1), origin="lower", interpolation="bilinear")
        for water in scene.waters:
            wet = np.where(heights < water.level, 1.0, np.nan)
            if water.polygon is not None:
                wet[~_inside(water.polygon, x, z)] = np.nan
            blue = ListedColormap(["#6fa8c9"])
            axes.imshow(wet, extent=(x0, x1, z0, z1), origin="lower", cmap=blue, alpha=0.9)
            edge = np.nan_to_num(wet)
            axes.contour(x, z, edge, levels=[0.5], colors="#2f6f95", linewidths=0.9)
        lines = axes.contour(x, z, heights, levels=8, colors="#4c463b", linewidths=0.45, alpha=0.7)
        axes.clabel(lines, fontsize=6, fmt="%.2g m")
    for hole in scene.holes:
        from shapely.geometry import Polygon

        axes.add_patch(
            patch(Polygon(hole.polygon), facecolor="#5a5149", edgecolor="#2f2a26", hatch="////",
                   linewidth=0.8)
        )  # fmt: skip


def _heights(scene: Scene) -> tuple[Floats, Floats, Floats]:
    """Sample coordinates and bare heights (nz, nx) for the map."""
    x0, z0, x1, z1 = scene.bounds.bounds
    scale = 700 / max(x1 - x0, z1 - z0)
    nx, nz = max(2, int((x1 - x0) * scale)), max(2, int((z1 - z0) * scale))
    x, z = np.linspace(x0, x1, nx), np.linspace(z0, z1, nz)
    points = np.stack(np.meshgrid(x, z), axis=-1).reshape(-1, 2)
    bare = Scene("bare", scene.outline, scene.ground)
    return x, z, bare.height(points).reshape(nz, nx)


def _encoded(linear: Floats) -> Floats:
    out: Floats = np.where(
        linear <= 0.0031308, 12.92 * linear, 1.055 * np.maximum(linear, 1e-9) ** (1 / 2.4) - 0.055
    )
    return out


def _inside(polygon: Floats, x: Floats, z: Floats) -> Any:
    from shapely import contains_xy
    from shapely.geometry import Polygon

    xx, zz = np.meshgrid(x, z)
    return contains_xy(Polygon(polygon), xx, zz)


def _draw_obstacles(axes: Axes, scene: Scene, time: float | None) -> None:
    """Footprints in the colour of the thing; low and walkable ones lighter, high ones edged."""
    from matplotlib.collections import PolyCollection
    from shapely import get_coordinates

    from footfall.world.floor import footprints

    solids = scene.snapshot(time).solids
    shapes = footprints(solids)
    order = [
        b
        for b in np.argsort(solids.high[:, 1], kind="stable").tolist()
        if solids.owner[b] >= 0 and shapes[b].geom_type == "Polygon"
    ]
    if not order:
        return
    walkable = solids.walkable[order]
    colours = _encoded(_paint(scene)[order]) * np.where(walkable, 1.05, 1.0)[:, None]
    faces = np.column_stack([np.clip(colours, 0.0, 1.0), np.full(len(order), 0.95)])
    axes.add_collection(
        PolyCollection(
            [get_coordinates(shapes[b]) for b in order], facecolors=faces,
            edgecolors=["#7a7266" if top else "#3b352d" for top in walkable],
            linewidths=np.where(solids.kind[order] == TRIANGLE, 0.3, 0.7),
        )
    )  # fmt: skip


def _paint(scene: Scene) -> Floats:
    """Return (B, 3) the colour of every primitive, in the order of the scene's solids."""
    colours: list[Colour] = []
    for still in (True, False):
        parts = [p for o in scene.obstacles if (o.motion is None) == still for p in o.parts]
        colours += [part.colour for part in parts if part.kind != "mesh"]
        for part in parts:
            colours += [part.colour] * len(part.triangles)
        if still:
            colours += [GREY] * len(scene.ground.triangles)
    return np.array(colours).reshape(-1, 3)


def _draw_clearance(figure: Figure, axes: Axes, scene: Scene, corridors: CorridorMap) -> None:
    """Distance to what blocks a walking body, in bands of colour."""
    x0, z0, x1, z1 = scene.bounds.bounds
    scale = 260 / max(x1 - x0, z1 - z0)
    x = np.linspace(x0, x1, max(2, int((x1 - x0) * scale)))
    z = np.linspace(z0, z1, max(2, int((z1 - z0) * scale)))
    points = np.stack(np.meshgrid(x, z), axis=-1)
    clear = corridors.clearances(points.reshape(-1, 2)).reshape(len(z), len(x))
    shown = np.where(clear < 0.0, np.nan, clear)
    if not np.isfinite(shown).any():
        return
    top = min(2.0, float(np.nanmax(shown)))
    image = axes.contourf(x, z, np.minimum(shown, top), levels=12, cmap="YlGnBu", alpha=0.75)
    axes.contour(x, z, np.nan_to_num(shown), levels=[BODY_RADIUS_M], colors="#b3312c",
                 linewidths=0.8)  # fmt: skip
    bar = figure.colorbar(image, ax=axes, shrink=0.7)
    bar.set_label(f"clearance (m); red: {BODY_RADIUS_M:g} m", fontsize=8)
    bar.ax.tick_params(labelsize=7)


def _draw_corridors(axes: Axes, scene: Scene, corridors: CorridorMap) -> None:
    """Draw the medial axis of the free floor and the shortest path of every query."""
    from matplotlib.collections import LineCollection

    blocked: Any = corridors.blocked
    axes.add_patch(patch(blocked, facecolor="#00000018", edgecolor="none"))
    nodes, edges = corridors.axis.nodes, corridors.axis.edges
    lines = LineCollection(list(nodes[edges]), colors="#4a7fb5", linewidths=0.7, alpha=0.8)
    axes.add_collection(lines)
    for query in scene.queries:
        path = corridors.path(query.start.point, query.goal.point, radius=BODY_RADIUS_M)
        if path:
            axes.plot(path.points[:, 0], path.points[:, 1], color="#d2601a", linewidth=1.8)


def _draw_paths(axes: Axes, scene: Scene) -> None:
    for n, path in enumerate(scene.paths):
        axes.plot(path.points[:, 0], path.points[:, 1], color="#7b3fa0", linewidth=1.6)
        share = (n + 1) / (len(scene.paths) + 1)
        middle = path.points[int(share * len(path.points))]
        axes.annotate(
            f"{path.name}, {path.length:.1f} m", middle, fontsize=7, color="#5a2c78",
            xytext=(6, 4), textcoords="offset points",
        )  # fmt: skip


def _draw_queries(axes: Axes, scene: Scene, small: bool) -> None:
    """Start (green) and goal (red) with their headings, numbered."""
    x0, z0, x1, z1 = scene.bounds.bounds
    length = 0.045 * max(x1 - x0, z1 - z0)
    for n, query in enumerate(scene.queries):
        for end, colour in zip((query.start, query.goal), ENDS, strict=True):
            ahead = (length * np.sin(end.yaw), length * np.cos(end.yaw))
            axes.annotate(
                "", (end.x + ahead[0], end.z + ahead[1]), (end.x, end.z),
                arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.4},
            )  # fmt: skip
            axes.plot(end.x, end.z, "o", color=colour, markersize=5 if small else 8)
            if not small:
                axes.annotate(str(n + 1), (end.x, end.z), fontsize=6, color="white",
                              ha="center", va="center_baseline", weight="bold")  # fmt: skip


def patch(shape: Any, **style: Any) -> Any:
    """Return a shapely polygon with its holes as one matplotlib patch."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    pieces = [g for g in getattr(shape, "geoms", [shape]) if g.geom_type == "Polygon"]
    vertices, codes = [], []
    for piece in pieces:
        for ring in (piece.exterior, *piece.interiors):
            corners = np.asarray(ring.coords)
            vertices.append(corners)
            codes += [Outline.MOVETO] + [Outline.LINETO] * (len(corners) - 2) + [Outline.CLOSEPOLY]
    if not vertices:
        return PathPatch(Outline(np.zeros((1, 2))), **style)
    return PathPatch(Outline(np.concatenate(vertices), codes), **style)
