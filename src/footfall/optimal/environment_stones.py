"""Stones to step on: small patches of ground along a sketch, as constraints for a first path.

Nobody has to step on each of them, and nothing is proven with these constraints. But whoever does
gets across, and looks that know which stone comes next find how to land on it.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.gait.signatures import FEET
from footfall.maths.arrays import Bools, Floats
from footfall.maths.polyline import Polyline
from footfall.optimal.goals import Constraint
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import World
from footfall.world.fields import find_patches


def stone_constraints(graph: InterpolatedGraph, world: World, sketch: Floats) -> list[Constraint]:
    """A foot lands on each small patch of ground along a sketch (P, 2), in their order."""
    lands = graph.node_signature & ~graph.node_before & FEET
    nodes: Bools = lands > 0
    side = np.where(lands & 1, 0, 1)
    feet = graph.node_feet[np.arange(len(side)), side]
    out: list[Constraint] = []
    last = -math.inf
    for at, middle, radius in _stones(world, sketch):
        if at - last >= world.size.beside_m:
            place = np.array([middle[0], math.nan, middle[1]])
            out.append(Constraint(-1, nodes, feet[:, :3], place, radius, feet[:, 3], along_m=at))
            last = at
    return out


def has_stones(world: World, sketch: Floats) -> bool:
    """Whether there are small patches of ground along a sketch."""
    return bool(_stones(world, sketch))


def _stones(world: World, sketch: Floats) -> list[tuple[float, Floats, float]]:
    """Small patches of ground: how far along the sketch, their middle (2,), and their radius."""
    path, found, size = Polyline(sketch), [], world.size
    half_length, half_width = size.half_sole
    patch = find_patches(world.foothold_m > half_width)
    for number in range(1, int(patch.max(initial=0)) + 1):
        cells = np.argwhere(patch == number)
        if len(cells) * world.cell_m**2 > size.islet_largest_m2:
            continue
        inside = world.foothold_m[cells[:, 0], cells[:, 1]]
        middle = world.places(cells[inside >= inside.max() - 1e-9].mean(axis=0))
        if path.gaps([middle])[0] <= size.beside_m and inside.max() > half_length:
            found.append((float(path.nearest([middle])[0]), middle, float(inside.max())))
    return sorted(found, key=lambda stone: stone[0])
