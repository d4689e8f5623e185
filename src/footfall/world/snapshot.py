"""A scene at one moment, packed for the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from footfall.world.ground import sealed
from footfall.world.obstacles import Solids


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The primitives at one time, and the world tuple that every kernel takes.

    solids       all primitives; those from `moving_from` on belong to obstacles that move
    world        (ground, solids, cells, moving_from, areas), see `surface_kernels`
    """

    time: float
    solids: Solids
    moving_from: int
    world: Any


def pack_solids(solids: Solids) -> tuple[object, ...]:
    """The primitives as the plain tuple that kernels take."""
    names = Solids.__dataclass_fields__
    return tuple(sealed(getattr(solids, name)) for name in names)
