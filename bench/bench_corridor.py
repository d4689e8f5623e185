"""The corridor map of `plaza`, 100 m by 100 m of streets and blocks: built, changed, asked."""

from __future__ import annotations

import numpy as np

from bench.harness import BenchRow, best_of


def rows() -> list[BenchRow]:
    """Times of building the map, of one obstacle moved, and of the scene's own queries."""
    import shapely
    from shapely import affinity

    from footfall.files.scene.read import load_scene
    from footfall.world.corridor.corridor_map import build_corridor_map

    scene = load_scene("plaza")
    blocked = scene.blocked_polygons()
    corridors = build_corridor_map(scene.bounds, blocked)
    parts = list(shapely.get_parts(blocked))
    moved = shapely.unary_union([affinity.translate(parts[0], 0.7, 0.4), *parts[1:]])
    corners = len(corridors.outlines.corners)
    table = [
        BenchRow(
            f"corridor map of plaza ({len(parts)} obstacles, {corners} corners)",
            best_of(lambda: build_corridor_map(scene.bounds, blocked)),
            goal="<= 0.3 s",
        ),
        BenchRow("the same after one obstacle moved", best_of(lambda: corridors.updated(moved))),
    ]
    for query in scene.queries:
        start, goal = (query.start.x, query.start.z), (query.goal.x, query.goal.z)
        path = corridors.path(start, goal, 0.3)
        seconds = best_of(lambda start=start, goal=goal: corridors.path(start, goal, 0.3), 20)
        name = f"corridor query, {query.name}, {path.length_m:.0f} m"
        table.append(BenchRow(name, seconds, goal="<= 5 ms"))
    line = np.linspace((-45.0, -45.0), (45.0, 45.0), 300)
    table.append(
        BenchRow("corridor along a 127 m sketch", best_of(lambda: corridors.follow(line, 0.3)))
    )
    return table
