"""What kernels are told of the ground of a scene, and the memory that they work in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.footholds import SureGround
from footfall.roadmap.table import MoveTable
from footfall.world.scene import Scene
from footfall.world.snapshot import scratch

MOST_PRINTS = 16
"""Footprints of a move, at most."""


class Ground(NamedTuple):
    """The ground and what stands on it.

    sole     half length, half width, height of a foot's box, and how far ahead its middle is
    world, has_closed, scratch   what a scene's snapshot gives, and memory for it
    raster, level   where any foot stands well, see `SureGround`
    """

    sole: Floats
    world: Any
    has_closed: bool
    scratch: Any
    raster: Floats
    level: Floats


class EdgeMemory(NamedTuple):
    """Memory for checking edges; P footprints, B primitives."""

    prints: Floats
    feet: Floats
    below: Floats
    reason: NDArray[np.int32]
    height: Floats
    normal: Floats
    rise: Floats
    found: Ints
    solids: Ints
    hit: Ints
    places: Floats
    segment: Floats
    aside: Floats


def ground_of(table: MoveTable, scene: Scene, sure: SureGround) -> tuple[Ground, EdgeMemory]:
    """Return the ground of a scene, and memory for one thread."""
    moment, prints = scene.snapshot(), MOST_PRINTS
    ground = Ground(
        table.sole, moment.world, moment.has_closed, scratch(), sure.heights, sure.level
    )
    count = max(len(moment.solids), 1)
    memory = EdgeMemory(
        np.empty((prints, 4)), np.empty((prints, 3)), np.empty(1), np.empty(prints, np.int32),
        np.empty(prints), np.empty((prints, 3)), np.empty(prints), np.empty(count, np.int32),
        np.empty(count, np.int32), np.empty((2, 2 * count), np.int32), np.empty((2, 7)),
        np.empty((2, 6)), np.empty(4),
    )  # fmt: skip
    return ground, memory
