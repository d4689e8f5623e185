"""What kernels are told of the ground of a scene, and the memory that they work in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.footholds import SureGround
from footfall.roadmap.table import MoveTable
from footfall.world.scene import Scene
from footfall.world.snapshot import World, scratch

MOST_PRINTS = 16
"""Footprints of a move, at most."""
_EDGE = np.dtype([
    ("prints", "f8", (MOST_PRINTS, 4)), ("height", "f8", (MOST_PRINTS,)),
    ("rise", "f8", (MOST_PRINTS,)), ("aside", "f8", (4,)), ("raster_x", "f8"), ("raster_z", "f8"),
    ("raster_m", "f8"), ("ahead", "f8"),
])  # fmt: skip
"""Memory for one edge: its footprints, their heights, and how much higher than in the clip these
are; a foothold put aside; the corner and step of the raster, and how far ahead a sole's middle is.
"""


class Terrain(NamedTuple):
    """The ground and what stands on it, with memory for one thread.

    raster   where any foot stands well, see `SureGround`
    foot     a `FOOT` record      work  a `WORK` record       memory  for the edge that is checked
    lists    (4, 2 B) lists of primitives
    """

    world: World
    raster: Floats
    foot: Any
    work: Any
    memory: Any
    lists: Ints


def terrain_of(table: MoveTable, scene: Scene, sure: SureGround) -> Terrain:
    """Return the ground of a scene, with memory for one thread."""
    world, memory = scene.snapshot().world, np.zeros(1, _EDGE)[0]
    memory["raster_x"], memory["raster_z"], memory["raster_m"] = sure.level
    memory["ahead"] = table.moves.sole_ahead
    lists = np.empty((4, max(2 * len(world.table), 2)), np.int32)
    return Terrain(world, sure.heights, table.moves.foot_box.packed, scratch(), memory, lists)
