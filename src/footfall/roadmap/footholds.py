"""Footholds: where a foot may stand in a scene, sampled over it, and which are near each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.body.size import MEAN_BODY, BodySize
from footfall.maths.arrays import Bools, Floats
from footfall.maths.rounding import POSITION_M, round_to_grid
from footfall.processes import usable_cores
from footfall.roadmap.passages import sample_at_crossings, sample_in_passages
from footfall.roadmap.table import Longs, MoveTable
from footfall.world.collision.queries import FootBox, foot_placements
from footfall.world.fields import scene_grid, sure_footing_field
from footfall.world.scene import Scene

_MOST_SPECIAL = 2000
"""So many footholds are looked for in special places at most: looking for them takes time."""
_YAW_M = 0.3
"""So far apart, for the mean body, is as far as a radian of turning between neighbours."""
_NEAR_M, _NEAR_TURN = 0.5, np.radians(30.0)
"""How far from a thinly connected node more are tried."""
_CLOSER = (1.0, 0.6, 0.35, 0.2)
"""Where there is hardly any ground around a node, they are tried closer to it."""
_AHEAD_M, _FAR = (1.7, 2.5), 0.15
"""So far ahead of the mean body neighbours are looked for too, this share of them at each."""
_CELL_M, _MOST_CELLS = 0.1, 200_000
"""How fine, and how large at most, the raster of sure ground is."""

Pairs = tuple[Longs, Longs]


def stand(table: MoveTable, scene: Scene, at: Floats, below: Any = None) -> tuple[Floats, Bools]:
    """Footholds (N, 4) at x, z, yaw (N, 3), on the ground; and whether each is valid."""
    moves = table.moves
    ahead = moves.sole_ahead
    soles = np.array(at)
    soles[:, 0] += ahead * np.sin(at[:, 2])
    soles[:, 1] += ahead * np.cos(at[:, 2])
    found = foot_placements(scene, soles, moves.foot_box, below=below)
    height = np.where(np.isfinite(found.height), found.height, 0.0)
    height = round_to_grid(height, POSITION_M)
    return np.column_stack([at[:, 0], height, at[:, 1], at[:, 2]]), found.valid


def sample_footholds(
    table: MoveTable, scene: Scene, count: int, rng: np.random.Generator
) -> Floats:
    """(N, 4) valid footholds, evenly spread over the scene; fewer where there is hardly ground.

    A share of them is in narrow passages, and half as many more before and behind what can be leapt
    over, stones and columns among that.
    """
    low, high = scene.outline.min(axis=0), scene.outline.max(axis=0)
    share = min(round(table.settings.passages * count), _MOST_SPECIAL)
    size = table.moves.size
    special = [
        sample_in_passages(scene, share, rng, size),
        sample_at_crossings(scene, share + share // 2, rng, size),
    ]  # fmt: skip
    footholds, valid = stand(table, scene, np.concatenate(special))
    found: list[Floats] = [footholds[valid]]
    have, tried = len(found[0]), 0
    while have < count and tried < 200 * count + 10_000:
        some = max(256, 2 * (count - have))
        at = rng.uniform([*low, -np.pi], [*high, np.pi], (some, 3))
        footholds, valid = stand(table, scene, at)
        found.append(footholds[valid])
        have += int(valid.sum())
        tried += some
    every = np.concatenate([*found, np.zeros((0, 4))])[:count]
    return every[rng.permutation(len(every))]


def sample_near(
    table: MoveTable, scene: Scene, nodes: Floats, degree: Floats, count: int,
    rng: np.random.Generator,
) -> Floats:  # fmt: skip
    """(N, 4) more footholds near those that have few edges (Eq. 7)."""
    chance = node_chances(degree)
    found: list[Floats] = []
    have = tried = 0
    while have < count and tried < 100 * count:
        some = max(256, count - have)
        about = nodes[rng.choice(len(nodes), some, p=chance)][:, [0, 2, 3]]
        tried += some
        for closer in _CLOSER:
            near_m = table.moves.size.in_proportion(_NEAR_M)
            spread = closer * np.array([near_m, near_m, _NEAR_TURN])
            at = about + rng.normal(size=about.shape) * spread
            at[:, 2] = (at[:, 2] + np.pi) % (2.0 * np.pi) - np.pi
            footholds, valid = stand(table, scene, at)
            found.append(footholds[valid])
            have += int(valid.sum())
            about = about[~valid]
    return np.concatenate([*found, np.zeros((0, 4))])[:count]


def node_chances(degree: Floats) -> Floats:
    """(N,) how likely each node is to get another near it, by its edges (Eq. 7); they sum to 1."""
    chance = 1.0 / (degree + 1.0)
    return np.asarray(chance / chance.sum())


def foothold_keys(nodes: Floats, size: BodySize = MEAN_BODY) -> Floats:
    """(N, 4) points that are as near each other as footholds are, turning included."""
    yaw_m = size.in_proportion(_YAW_M)
    return np.column_stack(
        [nodes[:, 0], nodes[:, 2], yaw_m * np.cos(nodes[:, 3]), yaw_m * np.sin(nodes[:, 3])]
    )


def neighbour_pairs(nodes: Floats, count: int, since: int = 0, size: BodySize = MEAN_BODY) -> Pairs:
    """Pairs of footholds that are near each other, both ways; of which one is from `since` on.

    Most of the `count` neighbours are the nearest; some are those around places further ahead:
    long strides and leaps lead there.
    """
    from scipy.spatial import cKDTree

    many = len(nodes)
    tree = cKDTree(foothold_keys(nodes, size))
    some = nodes[since:]
    found, far = [], [size.in_proportion(m) for m in _AHEAD_M]
    for ahead, share in ((0.0, 1.0 - len(far) * _FAR), *((m, _FAR) for m in far)):
        at = np.array(some)
        at[:, 0] += ahead * np.sin(at[:, 3])
        at[:, 2] += ahead * np.cos(at[:, 3])
        near = min(round(share * count) + (ahead == 0.0), many)
        if near:
            found.append(
                tree.query(foothold_keys(at, size), [*range(1, near + 1)], workers=usable_cores())[
                    1
                ]
            )
    heads = np.concatenate(found, axis=1)
    tails = np.repeat(np.arange(since, many), heads.shape[1])
    heads = heads.ravel()
    fine = tails != heads
    tails, heads = tails[fine], heads[fine]
    return _split(np.concatenate([tails * many + heads, heads * many + tails]), many)


def _split(codes: Longs, many: int) -> Pairs:
    codes = np.sort(codes)
    codes = codes[np.concatenate([[True], codes[1:] != codes[:-1]])] if len(codes) else codes
    return codes // many, codes % many


@dataclass(frozen=True, eq=False)
class SureGround:
    """Heights (I, J) of cells where any foot stands well, whichever way it points; else NaN.

    level  x and z of its corner, and the side of a cell
    """

    heights: Floats
    level: Floats


def no_sure_ground() -> SureGround:
    """Nothing is known."""
    return SureGround(np.zeros((0, 0)), np.array([0.0, 0.0, 1.0]))


def sure_ground(scene: Scene, box: FootBox) -> SureGround:
    """Where any foot stands well: level ground around, dry, and nothing near."""
    grid = scene_grid(scene, _CELL_M, _MOST_CELLS)
    heights = sure_footing_field(scene, grid, box)
    return SureGround(heights, np.array([grid.x, grid.z, grid.cell_m]))
