"""Stones to step on: small patches of ground along a sketch, as constraints for a first path.

Nobody has to step on each of them, and nothing is proven with these constraints. But whoever does
gets across, and looks that know which stone comes next find how to land on it.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.gait.signatures import FEET
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.polyline import distances_along
from footfall.optimal.goals import Constraint
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import World
from footfall.optimal.world import HALF_SOLE_M

_LARGEST_M2 = 1.2
"""Ground that is larger is a floor to walk on."""
_ASIDE_M = 0.45
"""Stones whose middle is farther from the sketch are left beside it."""
_APART_M = 0.45
"""Of stones whose middles are nearer to each other along the sketch one is enough."""


def stone_constraints(graph: InterpolatedGraph, world: World, sketch: Floats) -> list[Constraint]:
    """A foot lands on each small patch of ground along a sketch (P, 2), in their order."""
    lands = graph.node_signature & ~graph.node_before & FEET
    nodes: Bools = lands > 0
    side = np.where(lands & 1, 0, 1)
    feet = graph.node_feet[np.arange(len(side)), side]
    out: list[Constraint] = []
    last = -math.inf
    for at, middle, radius in _stones(world, sketch):
        if at - last >= _APART_M:
            place = np.array([middle[0], math.nan, middle[1]])
            out.append(Constraint(-1, nodes, feet[:, :3], place, radius, feet[:, 3], along_m=at))
            last = at
    return out


def has_stones(world: World, sketch: Floats) -> bool:
    """Whether there are small patches of ground along a sketch."""
    return bool(_stones(world, sketch))


def _stones(world: World, sketch: Floats) -> list[tuple[float, Floats, float]]:
    """Small patches of ground: how far along the sketch, their middle (2,), and their radius."""
    patch, count = _patches(world.foothold_m > HALF_SOLE_M[1])
    found = []
    for n in range(1, count + 1):
        cells = np.argwhere(patch == n)
        if len(cells) * world.cell_m**2 > _LARGEST_M2:
            continue
        inside = world.foothold_m[cells[:, 0], cells[:, 1]]
        middle = world.origin + world.cell_m * cells[inside >= inside.max() - 1e-9].mean(axis=0)
        at, away = _along(sketch, middle)
        if away <= _ASIDE_M and inside.max() > HALF_SOLE_M[0]:
            found.append((at, middle, float(inside.max())))
    return sorted(found, key=lambda stone: stone[0])


def _patches(ground: Bools) -> tuple[Ints, int]:
    """(X, Z) the number of the patch of ground that each cell belongs to, 0 for none; how many."""
    from scipy.ndimage import label

    numbers, count = label(ground)
    return np.asarray(numbers, np.int32), int(count)


def _along(sketch: Floats, point: Floats) -> tuple[float, float]:
    """How far along a sketch the nearest point of it is, and how far away that is."""
    along = distances_along(sketch)
    at = np.arange(0.0, float(along[-1]) + 0.02, 0.02)
    line = np.stack([np.interp(at, along, sketch[:, k]) for k in range(2)], axis=1)
    away = np.hypot(*(line - point).T)
    return float(at[away.argmin()]), float(away.min())
