"""Scenes changed locally: obstacles added, moved and removed, without packing the rest again.

    scene = move_obstacle(scene, "table", [2.0, 0.0, 1.0])
    scene = add_obstacle(scene, chair)
    scene = remove_obstacle(scene, "crate")

Each gives a new frozen scene. If the old one was packed for the kernels already, the new one
shares what did not change: ground, polygons, and the primitives and cells of all other obstacles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Floats
from footfall.world.collision.broadphase import Cells, Indices, build_cells, change_cells
from footfall.world.ground import sealed
from footfall.world.obstacles import TRIANGLE, Obstacle, Solids, place, yaw_rotation
from footfall.world.scene import Scene
from footfall.world.snapshot import empty_table, pack_solids


def add_obstacle(scene: Scene, obstacle: Obstacle) -> Scene:
    """Return the scene with one more obstacle, after all others."""
    return change_obstacles(scene, {}, [obstacle])


def remove_obstacle(scene: Scene, which: int | str) -> Scene:
    """Return the scene without one of its obstacles, named by number or name."""
    return change_obstacles(scene, {obstacle_number(scene, which): None})


def move_obstacle(
    scene: Scene, which: int | str, position: ArrayLike, yaw: float | None = None
) -> Scene:
    """Return the scene with an obstacle, named by number or name, moved.

    position  (3,) where its origin is to be      yaw  where it is to point; None: as it did
    """
    number = obstacle_number(scene, which)
    old = scene.obstacles[number]
    turn = old.pose()[1] if yaw is None else yaw_rotation(yaw)
    place = np.asarray(position, dtype=np.float64)
    return change_obstacles(
        scene, {number: replace(old, position=place, rotation=turn, motion=None)}
    )


def obstacle_number(scene: Scene, which: int | str) -> int:
    """Return the number of an obstacle, given by number or name."""
    if isinstance(which, str):
        obstacle = scene.obstacle(which)
        return next(n for n, o in enumerate(scene.obstacles) if o is obstacle)
    if not -len(scene.obstacles) <= which < len(scene.obstacles):
        raise InputError(
            f"scene {scene.name} has no obstacle {which}",
            remedy=f"it has {len(scene.obstacles)}, from 0 on",
        )
    return which % len(scene.obstacles)


def change_obstacles(
    scene: Scene, replaced: Mapping[int, Obstacle | None], added: Sequence[Obstacle] = ()
) -> Scene:
    """Return the scene with some obstacles replaced, removed (None) or added."""
    numbers = {obstacle_number(scene, n): o for n, o in replaced.items()}
    kept: list[Obstacle | None] = list(scene.obstacles)
    for n, obstacle in numbers.items():
        kept[n] = obstacle
    gone = [n for n, o in numbers.items() if o is None]
    for n in sorted(gone, reverse=True):
        del kept[n]
    made = object.__new__(Scene)  # what did not change was checked when the scene was made
    for field in fields(Scene):
        object.__setattr__(made, field.name, getattr(scene, field.name))
    object.__setattr__(made, "obstacles", (*kept, *added))
    if not scene.moves and all(o is None or o.motion is None for o in (*numbers.values(), *added)):
        made.__dict__["moves"] = False
    for name in ("bounds", "_fixed"):
        if name in scene.__dict__:
            made.__dict__[name] = scene.__dict__[name]
    if "_first_snapshot" in scene.__dict__:
        _share_primitives(scene, made, numbers, added)
    return made


def without_moving(scene: Scene) -> Scene:
    """Return the scene without the obstacles that move; the same one for the same scene."""
    if not scene.moves:
        return scene
    moving = {n: None for n, o in enumerate(scene.obstacles) if o.motion is not None}
    return scene.keep("without moving", lambda: change_obstacles(scene, moving))


def changed_obstacles(old: Scene, new: Scene) -> tuple[list[Obstacle], list[Obstacle]]:
    """Return the obstacles only in the old scene, and those only in the new one."""
    before, after = {id(o) for o in old.obstacles}, {id(o) for o in new.obstacles}
    return (
        [o for o in old.obstacles if id(o) not in after],
        [o for o in new.obstacles if id(o) not in before],
    )


def _share_primitives(
    old: Scene, made: Scene, replaced: Mapping[int, Obstacle | None], added: Sequence[Obstacle]
) -> None:
    """Give a changed scene the primitives and cells of the old one, with what is new in them."""
    solids = old._still
    removed = np.array(sorted(n for n, o in replaced.items() if o is None), np.int32)
    fresh = [(n, o) for n, o in sorted(replaced.items()) if o is not None]
    fresh = [(n - int(np.searchsorted(removed, n)), o) for n, o in fresh]
    first = len(old.obstacles) - len(removed)
    fresh += [(first + n, o) for n, o in enumerate(added)]
    fresh = [(n, o) for n, o in fresh if o.motion is None]
    new = place([o for _, o in fresh], [n for n, _ in fresh], None)
    gone: Indices = np.flatnonzero(np.isin(solids.owner, list(replaced)))
    owner = solids.owner
    if len(removed):
        owner = (owner - np.searchsorted(removed, owner)).astype(np.int32)
    same = len(gone) == len(new) and bool(
        (_ranks(owner[gone], solids.kind[gone]) == _ranks(new.owner, new.kind)).all()
    )
    if same and not len(removed):
        where: Indices = np.arange(len(solids))
        still, table = _overwrite(solids, old._still_table, new, gone)
        rows: Indices = gone
    else:
        still, table, where, rows = _merge(solids, old._still_table, owner, new, gone)
    made.__dict__["_still"], made.__dict__["_still_table"] = still, table
    made.__dict__["_cells"] = _change_both(old._cells, still, where, gone, rows)


def _ranks(owner: Indices, kind: Indices) -> Indices:
    """Numbers that rise in the order primitives are kept in: meshes last, the ground after all."""
    part = np.where(owner < 0, 2, kind == TRIANGLE).astype(np.int64)
    return (part << 40) + owner


def _overwrite(solids: Solids, table: Floats, new: Solids, rows: Indices) -> tuple[Solids, Floats]:
    """Return the primitives and their table with other ones in some rows."""
    arrays = {}
    for name in Solids.__dataclass_fields__:
        arrays[name] = np.array(getattr(solids, name))
        arrays[name][rows] = getattr(new, name)
    packed = empty_table(len(table))
    packed[:] = table
    packed[rows] = pack_solids(new)
    return Solids(**arrays), sealed(packed)


def _merge(
    solids: Solids, table: Floats, owner: Indices, new: Solids, gone: Indices
) -> tuple[Solids, Floats, Indices, Indices]:
    """Primitives without those that are gone, with new ones where they belong; their table; where
    each old one went; and where the new ones are."""
    cuts = np.concatenate([[-1], gone, [len(solids)]])
    runs = [(a + 1, b) for a, b in pairwise(cuts.tolist()) if b > a + 1]
    kept = np.concatenate([np.arange(0), *(np.arange(a, b) for a, b in runs)])
    spot = np.searchsorted(_ranks(owner[kept], solids.kind[kept]), _ranks(new.owner, new.kind))
    rows = spot + np.arange(len(spot))
    where = np.full(len(solids), -1)
    where[kept] = np.arange(len(kept)) + np.searchsorted(spot, np.arange(len(kept)), side="right")
    # What stays is copied in stretches: from where, to where.
    ends = np.union1d(spot, [0, len(kept)])
    stretches = []
    for a, b in runs:
        at = [a, *(kept[c] for c in ends if c < len(kept) and a < kept[c] < b), b]
        stretches += [(x, y, int(where[x])) for x, y in pairwise(at)]
    packed = empty_table(len(kept) + len(new))
    arrays = {}
    for name in Solids.__dataclass_fields__:
        mine = owner if name == "owner" else getattr(solids, name)
        arrays[name] = np.empty((len(packed), *mine.shape[1:]), mine.dtype)
        for a, b, to in stretches:
            arrays[name][to : to + b - a] = mine[a:b]
        arrays[name][rows] = getattr(new, name)
    for a, b, to in stretches:
        packed[to : to + b - a] = table[a:b]
    packed[rows], packed[:, 10] = pack_solids(new), arrays["owner"]
    return Solids(**arrays), sealed(packed), where, rows


def _change_both(
    cells: tuple[Cells, Cells], still: Solids, where: Indices, gone: Indices, rows: Indices
) -> tuple[Cells, Cells]:
    """Return the cells of all primitives and of the solid ones, see `Scene`."""
    whole, solid = cells
    changed = change_cells(whole, still.low, still.high, where, gone, rows)
    if bool(still.solid.all()):
        return changed, changed
    if solid is whole:  # until now all of them were solid
        every = np.arange(len(still), dtype=np.int32)
        return changed, build_cells(still.low, still.high, every[still.solid])
    hard = rows[still.solid[rows]]
    return changed, change_cells(solid, still.low, still.high, where, gone, hard)
