"""What room a scene leaves to who walks upright, and where ground is scarce, for guesses.

Both are rough: they lead first looks, and prove nothing.
"""

from __future__ import annotations

import numpy as np

from footfall.maths.arrays import Bools, Floats
from footfall.optimal.heuristics_places import SQUARE_M
from footfall.optimal.problem import World
from footfall.world.fields import outside_distance

_FREE_M, _SCARCE_M = 0.03, 0.12
_OFF = 12.0
"""So far from ground a root is no worse off; each so many metres farther a metre costs as much
more."""
_MOST = 40.0


def walking_squares(
    world: World, squares: Bools, frame: Floats, body_m: float | None = None
) -> Bools:
    """Which of the squares that the root may touch somebody upright may be in.

    body_m  how far from the middle of the body things have to be
    """
    if world.cell_m > 0.5 * SQUARE_M or not len(world.band_layer):
        return squares
    free = ~_blocked(world, world.size.core_m if body_m is None else body_m)
    rows = [
        np.floor((world.origin[n] + np.arange(size) * world.cell_m - frame[n]) * frame[2])
        for n, size in enumerate(free.shape)
    ]
    i, k = (row.astype(np.int64) for row in rows)
    out = np.zeros(squares.shape, np.bool_)
    np.logical_or.at(out, (i[:, None], k[None, :]), free)
    return out & squares


def _blocked(world: World, body_m: float) -> Bools:
    """(X, Z) where something between knees and waist is nearer than that."""
    size, ground = (
        world.size,
        np.where(np.isfinite(world.height), world.height, _usual_height(world)),
    )
    out = np.zeros(ground.shape, np.bool_)
    for above in np.arange(size.walk_low_m, size.walk_high_m, world.band_m) + 0.5 * world.band_m:
        band = np.floor((ground + above - world.base_y) / world.band_m).astype(np.int64)
        layer = world.band_layer[np.clip(band, 0, len(world.band_layer) - 1)]
        for number in np.unique(layer[layer >= 0]).tolist():
            out |= (layer == number) & (world.layers[number] < body_m)
    return out


def _usual_height(world: World) -> float:
    known = world.height[np.isfinite(world.height)]
    return float(np.median(known)) if len(known) else 0.0


def dear_corners(world: World, frame: Floats, shape: tuple[int, int]) -> Floats:
    """(I, K) how many times as much a metre costs at corners, by how far ground for a sole is."""
    carries: Bools = world.foothold_m > world.size.half_sole[1]
    if not carries.any():
        return np.ones(shape)
    away = outside_distance(carries, world.cell_m)
    at = [
        np.clip(np.rint((frame[n] + np.arange(size) * SQUARE_M - world.origin[n]) / world.cell_m),
                0, carries.shape[n] - 1).astype(np.int64)
        for n, size in enumerate(shape)
    ]  # fmt: skip
    off = np.maximum(away[np.ix_(*at)] - _FREE_M, 0.0)
    return np.asarray(np.minimum(1.0 + _OFF * off / _SCARCE_M, _MOST))
