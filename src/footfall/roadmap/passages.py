"""Where footholds have to be just right: narrow passages, and what lies across the path.

Few of the footholds that are spread evenly lie in a narrow passage, and fewer point a way in which
a body fits through. So some are looked for there: along the middle, pointing along the passage
or across it. (The idea of bridges, Hsu et al. 2003: from one wall straight to the other.) In the
same way some are looked for before and behind gaps and low obstacles, pointing over them, and from
stones, columns and other small ground to what is near.
"""

from __future__ import annotations

import numpy as np

from footfall.body.size import MEAN_BODY, BodySize
from footfall.maths.arrays import Floats
from footfall.world.collision.queries import body_clearance
from footfall.world.fields import height_field, level_patches, scene_grid
from footfall.world.scene import Scene

_STEP_M = 0.05
_LOOSE_M, _ALONG_M, _LOOSE_RAD = 0.04, 0.15, np.radians(6.0)
"""How loosely footholds lie around the middle, along the passage, and how they point."""
_CLOSE_M, _ON_LINE, _CELL_M = 0.25, 6, 0.5
"""How close to a leap many footholds are, how many share a line, and how near to each other lines
begin that count as one."""
_GRID_M, _MOST_CELLS = 0.05, 300_000
"""How fine, and how large at most, the raster is in which small ground is looked for."""
_TRIES, _CROSSING_TRIES = 25, 15
"""How many places are looked at for one that is wanted, in passages and at crossings."""


def find_passages(
    scene: Scene, at: Floats, size: BodySize = MEAN_BODY
) -> tuple[Floats, Floats, Floats]:
    """Return middles (N, 2) of narrow passages near places (P, 2), their widths and yaws (N,)."""
    tall, narrow_m = (size.knee_m, size.head_m), size.narrow_m
    clear, base = _clear(scene, at, tall, narrow_m)
    near = (clear > 0.5 * size.narrowest_m) & (clear < 0.5 * narrow_m)
    at, clear, base = at[near], clear[near], base[near]
    if not len(at):
        return np.zeros((0, 2)), np.zeros(0), np.zeros(0)
    h = 0.01
    beside = [
        _clear(scene, at + d, tall, narrow_m, base)[0] for d in (*h * np.eye(2), *-h * np.eye(2))
    ]
    slope = np.stack([beside[0] - beside[2], beside[1] - beside[3]], axis=1)
    steep = np.linalg.norm(slope, axis=1)
    fine = steep > h  # half of the steepest: not on a ridge, where it has no direction
    at, clear, base, away = at[fine], clear[fine], base[fine], slope[fine] / steep[fine, None]
    steps = np.arange(1, round(narrow_m / _STEP_M) + 1) * _STEP_M
    along = at[:, None] + away[:, None] * steps[:, None]
    there, _ = _clear(scene, along.reshape(-1, 2), tall, narrow_m, np.repeat(base, len(steps)))
    hit = there.reshape(len(at), -1) <= 0.0
    first = np.where(hit.any(axis=1), hit.argmax(axis=1), -1)
    # The wall lies between two steps; the clearance at the one before says where.
    before = np.where(first > 0, there.reshape(len(at), -1)[np.arange(len(at)), first - 1], 0.0)
    width = clear + np.where(first > 0, steps[first - 1] + before, 0.0)
    narrow = (first > 0) & (width <= narrow_m) & (width >= size.narrowest_m)
    middle = at + away * (0.5 * width - clear)[:, None]
    yaw = np.arctan2(away[:, 1], -away[:, 0])
    return middle[narrow], width[narrow], yaw[narrow]


def sample_in_passages(
    scene: Scene, count: int, rng: np.random.Generator, size: BodySize
) -> Floats:
    """(N, 3) x, z and yaw of up to `count` places for feet in narrow passages; they may be bad."""
    low, high = scene.outline.min(axis=0), scene.outline.max(axis=0)
    if not scene.obstacles or not count:
        return np.zeros((0, 3))
    middle, _, yaw = find_passages(scene, rng.uniform(low, high, (_TRIES * count, 2)), size)
    if not len(middle):
        return np.zeros((0, 3))
    which = rng.integers(len(middle), size=count)
    quarter = rng.integers(4, size=count)
    across = np.stack([np.cos(yaw[which]), -np.sin(yaw[which])], axis=1)
    aside = rng.normal(size=count) * _LOOSE_M
    aside += np.where(quarter % 2 == 0, rng.choice([-size.stance_m, size.stance_m], count), 0.0)
    further = rng.normal(size=count) * _ALONG_M
    along = np.stack([np.sin(yaw[which]), np.cos(yaw[which])], axis=1)
    at = middle[which] + aside[:, None] * across + further[:, None] * along
    turn = yaw[which] + quarter * (0.5 * np.pi) + rng.normal(size=count) * _LOOSE_RAD
    return np.column_stack([at, (turn + np.pi) % (2.0 * np.pi) - np.pi])


def sample_at_crossings(
    scene: Scene, count: int, rng: np.random.Generator, size: BodySize
) -> Floats:
    """(N, 3) x, z and yaw of up to `count` places before and behind gaps and low obstacles."""
    if not count or not (scene.obstacles or scene.holes):
        return np.zeros((0, 3))
    at, ahead, wide = _find_crossings(scene, _CROSSING_TRIES * count, rng, size)
    if not len(at):
        return np.zeros((0, 3))
    # A few on one line, before and behind, so that a leap comes down where it was aimed.
    # All places and directions alike, and of those that are about the same the shortest.
    cells = np.column_stack(
        [np.floor(at[:, :2] / _CELL_M), np.round(at[:, 2] / (0.25 * np.pi)) % 8]
    )
    order = np.lexsort((wide, *cells.T))
    same = (np.diff(cells[order], axis=0) == 0.0).all(axis=1)
    lines = order[np.concatenate([[True], ~same])]
    lines = rng.permutation(np.resize(rng.permutation(lines), -(-count // _ON_LINE)))
    which = np.repeat(lines, _ON_LINE)[:count]
    close = rng.random(count) < 0.4
    further = rng.uniform(0.0, np.where(close, _CLOSE_M, size.run_up_m))
    along = np.where(np.arange(count) % 2 == 0, -further, wide[which] + further)
    across = np.stack([ahead[which, 1], -ahead[which, 0]], axis=1)
    aside = rng.normal(size=(count, 1)) * _LOOSE_M * across
    turn = at[which, 2] + rng.normal(size=count) * _LOOSE_RAD
    places = at[which, :2] + along[:, None] * ahead[which] + aside
    return np.column_stack([places, (turn + np.pi) % (2.0 * np.pi) - np.pi])


def _find_crossings(
    scene: Scene, tries: int, rng: np.random.Generator, size: BodySize
) -> tuple[Floats, Floats, Floats]:
    """Where level ground ends and goes on not far ahead: (N, 3) x, z and yaw, (N, 2) which way
    that is, (N,) how far; nothing is there in the way of a body above."""
    at = _draw_places(scene, tries, rng, size)
    ahead = np.stack([np.sin(at[:, 2]), np.cos(at[:, 2])], axis=1)
    steps = np.arange(0.0, size.look_m, 2.0 * _STEP_M)
    places = at[:, None, :2] + ahead[:, None] * steps[:, None]
    height = np.asarray(scene.height(places.reshape(-1, 2))).reshape(tries, len(steps))
    base = height[:, 0]
    floor = np.where(np.isfinite(base), base, np.inf)
    low_m, far_m = (_STEP_M, size.leap_high_m), size.narrow_m
    clear, _ = _clear(scene, places.reshape(-1, 2), low_m, far_m, np.repeat(floor, len(steps)))
    free = np.abs(height - base[:, None]) <= size.knee_m
    free &= clear.reshape(height.shape) > size.toes_m
    stop = np.where(free.all(axis=1), 0, free.argmin(axis=1))
    after = free & (np.arange(len(steps)) > stop[:, None])
    on = np.where(after.any(axis=1), after.argmax(axis=1), 0)
    fine = (stop > 0) & (on > stop) & ((on - stop) * 2.0 * _STEP_M <= size.leap_wide_m)
    at, ahead, base, stop, on = at[fine], ahead[fine], base[fine], stop[fine], on[fine]
    wide = steps[on] - steps[stop - 1]
    at[:, :2] += ahead * steps[stop - 1][:, None]
    if len(at):
        middle = at[:, :2] + ahead * (0.5 * wide)[:, None]
        above, _ = _clear(scene, middle, (size.hurdle_m, size.head_m), size.narrow_m, base)
        fine = above > 0.5 * size.narrowest_m
        at, ahead, wide = at[fine], ahead[fine], wide[fine]
    return at, ahead, wide


def _draw_places(scene: Scene, count: int, rng: np.random.Generator, size: BodySize) -> Floats:
    """(count, 3) x, z and yaw, half of them on small ground if there is any, each alike."""
    low, high = scene.outline.min(axis=0), scene.outline.max(axis=0)
    at = rng.uniform([*low, -np.pi], [*high, np.pi], (count, 3))
    grid = scene_grid(scene, _GRID_M, _MOST_CELLS)
    height = height_field(scene, grid)
    label = level_patches(height, size.level_m).ravel()
    area = np.bincount(label) * grid.cell_m**2
    small = (area >= size.islet_least_m2) & (area <= size.islet_largest_m2)
    rows = np.flatnonzero(small[label] & np.isfinite(height).ravel())
    if len(rows) and grid.cell_m < 3.0 * _GRID_M:  # else it is too coarse to see a stone
        chance = 1.0 / area[label[rows]]
        chosen = rng.choice(rows, count // 2, p=chance / chance.sum())
        at[: count // 2, :2] = grid.points[chosen]
    return at


def _clear(
    scene: Scene, at: Floats, between: tuple[float, float], reach: float,
    base: Floats | None = None,
) -> tuple[Floats, Floats]:  # fmt: skip
    """(P,) how far obstacles are from places, negative inside; and the height of the ground."""
    if base is None:
        found = np.asarray(scene.height(at), np.float64)
        base = np.where(np.isfinite(found), found, np.inf)
    ground = np.isfinite(base)
    clear = np.full(len(at), np.inf)
    if ground.any():
        clear[ground], _ = body_clearance(
            scene, at[ground], base=base[ground], step_height=between[0], body_height=between[1],
            reach=reach,
        )  # fmt: skip
    return clear, base
