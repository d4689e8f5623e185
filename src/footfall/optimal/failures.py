"""Why no motion does what a task asks, in a sentence, and the nearest that could be done."""

from __future__ import annotations

import numpy as np

from footfall.maths.arrays import Bools, Floats
from footfall.maths.polyline import Polyline, distances_along
from footfall.maths.runs import runs
from footfall.optimal.environment import find_ground_across, landing_gaps
from footfall.optimal.goals import Constraint
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.passages import least_room
from footfall.optimal.problem import World
from footfall.optimal.sketch import Sketch
from footfall.task import NO_CLIP, NO_PATH, Query
from footfall.task.verify.surroundings import ALLOWED_M
from footfall.world.collision.motion_check import obstacle_name
from footfall.world.collision.queries import body_clearance
from footfall.world.fields import find_patches, inside_distance

_EVERY_M, _CLOSELY_M = 0.05, 0.01
"""How close together points of a sketch are looked at: for walls; for gaps."""
_NEAR_M = 0.5
"""How near to a wall its distance is known."""
_THICK_M = 0.8
"""So far into what carries no feet the ground beside it is looked for."""


def explain_failure(
    graph: InterpolatedGraph, world: World, query: Query, sketch: Sketch,
    constraints: list[Constraint], closest: tuple[Floats, int] | None,
) -> tuple[str, str]:  # fmt: skip
    """Return status and reason of a search that found no path.

    closest  the pose of the state that came nearest, and how many constraints it had met
    """
    barrier = find_barrier(graph, world, query, sketch)
    return barrier or (NO_CLIP, _nearest(query, constraints, closest))


def find_barrier(
    graph: InterpolatedGraph, world: World, query: Query, sketch: Sketch
) -> tuple[str, str] | None:
    """Return status and reason if a wall, or a gap that no clip crosses, closes the corridor."""
    wall = _find_wall(graph, world, query, sketch)
    if wall:
        return NO_PATH, wall
    gap = _find_gap(graph, world, sketch)
    return (NO_CLIP, gap) if gap else None


def _along(sketch: Floats, every_m: float = _EVERY_M) -> Floats:
    """Points (N, 2) of a sketch, close together."""
    line = Polyline(sketch)
    return line.at(np.linspace(0.0, line.length_m, max(round(line.length_m / every_m), 1) + 1))


def _find_wall(graph: InterpolatedGraph, world: World, query: Query, sketch: Sketch) -> str:
    """Return a sentence on what closes off the corridor, if anything does."""
    if query.scene is None:
        return ""
    points = _along(sketch.points)
    cells = world.inner_cells(points)
    away = _wall_distance(world)
    free, needs = world.corridor & (away > 0.0), ""
    if query.follows and (away[cells] <= 0.0).any():
        room = least_room(graph)
        free = _leave_room(graph, world, sketch, free, away, room)
        needs = f"; the body needs {room:.2f} m beside it"
    inside = _flood_from(world, free, sketch.points[0])
    if inside[world.inner_cells(sketch.points[-1])]:
        return ""
    beyond = int(np.append(np.flatnonzero(~inside[cells]), len(points) - 1)[0])
    x, z = points[beyond]
    floor = world.height[cells][beyond : beyond + 1]
    level = float(np.nan_to_num(floor, nan=float(np.nanmedian(world.height)))[0])
    low, high = world.size.wall_low_m, world.size.wall_high_m
    here = points[beyond : beyond + 1]
    _, owner = body_clearance(query.scene, here, high, low, base=level, reach=1.0)
    name = obstacle_name(query.scene, int(owner[0])) if owner[0] >= 0 else "something"
    a, b = sketch.points[0], sketch.points[-1]
    return (
        f"no path leads from ({a[0]:.2f}, {a[1]:.2f}) to ({b[0]:.2f}, {b[1]:.2f}): {name} is in "
        f"the way at ({x:.2f}, {z:.2f}), within the whole corridor{needs}"
    )


def _leave_room(
    graph: InterpolatedGraph, world: World, sketch: Sketch, free: Bools, away: Floats, room: float
) -> Bools:
    """Return the free cells (X, Z) without stretches along walls that are too narrow for a body.

    A single step may come closer to a wall, so what is no longer than two edges stays free. So do
    the rooms of the sketch and both of its ends, where one stands or turns.
    """
    wide = free & (away >= room - ALLOWED_M)
    ends = [(*sketch.points[n], 0.6 * world.size.turn_room_m) for n in (0, -1)]
    at = world.places(np.moveaxis(np.indices(free.shape, np.float64), 0, -1))
    for x, z, radius in (*ends, *sketch.rooms.tolist()):
        wide |= free & (np.hypot(at[..., 0] - x, at[..., 1] - z) <= radius)
    longest = float(np.hypot(*graph.edge_move[:, :2].T).max())
    return free & (inside_distance(~wide, world.cell_m) <= longest)


def _flood_from(world: World, free: Bools, start: Floats) -> Bools:
    """(X, Z) the cells that the root gets to from a start, through free cells."""
    i, k = world.inner_cells(start)
    free = free.copy()
    free[i, k] = True
    patch = find_patches(free)
    found: Bools = patch == patch[i, k]
    return found


def _wall_distance(world: World) -> Floats:
    """(X, Z) metres to the nearest wall: what nobody gets over from the ground beside it.

    It is 0 in walls, and inf where none is within `_NEAR_M`.
    """
    level = np.where(np.isfinite(world.height), world.height, np.inf)
    for _ in range(round(_THICK_M / world.cell_m)):
        if np.isfinite(level).all():
            break
        wider = np.pad(level, 1, constant_values=np.inf)
        beside = [wider[:-2, 1:-1], wider[2:, 1:-1], wider[1:-1, :-2], wider[1:-1, 2:]]
        level = np.where(np.isfinite(level), level, np.minimum.reduce(beside))
    away = np.full(level.shape, np.inf)
    known = np.isfinite(level)
    low, high = world.size.wall_low_m, world.size.wall_high_m
    for above in (low, 0.5 * (low + high), high):
        band = (np.where(known, level, 0.0) + above - world.base_y) / world.band_m
        layer = world.band_layer[np.clip(band.astype(int), 0, len(world.band_layer) - 1)]
        for number in np.unique(layer[known & (layer >= 0)]).tolist():
            here = known & (layer == number)
            away[here] = np.minimum(away, world.layers[number])[here]
    walls = known & ~np.isfinite(world.height) & (away <= 0.0)
    near = inside_distance(~walls, world.cell_m) <= _NEAR_M
    return np.where(walls, 0.0, np.where(near, np.maximum(away, 1e-6), np.inf))


def _find_gap(graph: InterpolatedGraph, world: World, sketch: Sketch) -> str:
    """Return a sentence on the widest gap across the corridor, if no clip gets over it.

    Corners of soles are looked up by cells, so it is taken to be a cell narrower than it seems.
    """
    points = _along(sketch.points, _CLOSELY_M)
    stands = find_ground_across(graph, world, points, sketch.reach_m)
    widest, where = 0.0, 0
    for first, stop in runs(~stands).tolist():
        if stop - first > widest and first > 0 and stop < len(points):
            widest, where = stop - first, (first + stop) // 2
    each = float(distances_along(points)[-1]) / max(len(points) - 1, 1)
    gap, step = widest * each, float(landing_gaps(graph)[0].max(initial=0.0))
    if gap <= step + world.cell_m + _CLOSELY_M:
        return ""
    x, z = points[where]
    return (
        f"no clip gets over the gap at ({x:.2f}, {z:.2f}): it is {gap:.2f} m from foothold to "
        f"foothold, and the longest at hand is {step:.2f} m"
    )


def _nearest(
    query: Query, constraints: list[Constraint], closest: tuple[Floats, int] | None
) -> str:
    """What could not be done, and how near it got."""
    if closest is None:
        return "no clip leads away from the start; something is too near to it"
    pose, met = closest
    missed = constraints[min(met, len(constraints) - 1)]
    away = float(np.hypot(pose[0] - missed.place[0], pose[1] - missed.place[2]))
    away = away if missed.is_exact else max(away - missed.within_m, 0.0)
    what = "the place in between"
    if missed.stage >= 0:
        what = f"stage {missed.stage + 1}, {query.stages[missed.stage].kind!r}"
    nearest = f"the nearest that they get is ({pose[0]:.2f}, {pose[1]:.2f}), {away:.2f} m away"
    return f"no clips lead to {what} within the corridor and its tolerance; {nearest}"
