"""What moves while a path is walked: obstacles with known motions, and other people's plans.

Time is cut into cells; for each, every mover is an upright box or disc that holds it all through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.maths.arrays import Floats
from footfall.roadmap.bodies import HIGH, LOW, PARTS, RADIUS, SLICE_S, X, Z, discs_of
from footfall.world.obstacles import BOX, CYLINDER, Obstacle, Solids, place_over_time
from footfall.world.scene import Scene

HORIZON_S = 90.0
"""So far ahead movers are known; what ends before stays as it is, what goes round is cut off."""
AT_X, AT_Z, COS, SIN, HALF_X, HALF_Z, BOTTOM, TOP = range(8)
"""What is known of a mover in a cell. A disc has its radius as HALF_X, and a negative HALF_Z."""
_LOOSE_M = 0.05
_FEW = 24
"""An obstacle of more primitives counts as one box."""


@dataclass(frozen=True, eq=False)
class Movers:
    """M movers in K cells of SLICE_S seconds each from `begins_s` on: (K, M, 8).

    loops  whether any of them goes round and round, so that no time is the last that matters
    """

    cells: Floats
    begins_s: float = 0.0
    loops: bool = False

    def __len__(self) -> int:
        return int(self.cells.shape[1])

    def are_near(self, place: tuple[float, float], seconds: float, within_m: float) -> bool:
        """Whether any is near a place (x, z), that many seconds after the first cell begins."""
        now = self.cells[min(max(int(seconds / SLICE_S), 0), len(self.cells) - 1)]
        away = np.hypot(now[:, AT_X] - place[0], now[:, AT_Z] - place[1])
        half = np.hypot(now[:, HALF_X], np.maximum(now[:, HALF_Z], 0.0))
        return bool((away <= half + within_m).any())


def no_movers() -> Movers:
    """Nothing moves."""
    return Movers(np.zeros((1, 0, 8)))


def movers_of_scene(scene: Scene, begins_s: float = 0.0, horizon_s: float = HORIZON_S) -> Movers:
    """The moving obstacles of a scene from a time on."""
    moving = [o for o in scene.obstacles if o.motion is not None]
    if not moving:
        return no_movers()
    loops = any(o.motion is not None and o.motion.loop for o in moving)
    if not loops:  # after its last key nothing changes any more
        last = max(float(o.motion.times[-1]) for o in moving if o.motion is not None)
        horizon_s = min(max(last - begins_s, 0.0) + SLICE_S, horizon_s)
    count = max(int(np.ceil(horizon_s / SLICE_S)), 1)

    def find() -> Movers:
        parts = [_follow(o, begins_s, count) for o in moving]
        return Movers(np.concatenate(parts, axis=1), begins_s, loops)

    return scene.keep(("movers", begins_s, count), find)


def movers_of_clips(clips: Sequence[tuple[Clip, float]], begins_s: float = 0.0) -> Movers:
    """People who play clips that begin at given times, seen from a time on.

    Before its clip begins, and after it has ended, a body stands as in its first and last frame.
    """
    if not clips:
        return no_movers()
    found = []
    for clip, at in clips:
        discs = discs_of(clip)
        out = np.zeros((len(discs), PARTS, 8))
        out[:, :, AT_X], out[:, :, AT_Z] = discs[..., X], discs[..., Z]
        out[:, :, COS], out[:, :, HALF_Z] = 1.0, -1.0
        # Clips need not begin with a cell: a disc holds its body a little before and after, too.
        out[:, :, HALF_X], out[:, :, BOTTOM] = discs[..., RADIUS] + _LOOSE_M, discs[..., LOW]
        out[:, :, TOP] = discs[..., HIGH]
        found.append((out, round((at - begins_s) / SLICE_S)))
    count = max(max(len(out) + max(at, 0), 1) for out, at in found)
    rows = np.arange(count)
    cells = [out[np.clip(rows - at, 0, len(out) - 1)] for out, at in found]
    return Movers(np.concatenate(cells, axis=1), begins_s)


def join_movers(parts: Sequence[Movers]) -> Movers:
    """All of them, from the same time on."""
    parts = [p for p in parts if len(p)]
    if not parts:
        return no_movers()
    count = max(len(p.cells) for p in parts)
    rows = np.arange(count)
    cells = [p.cells[np.minimum(rows, len(p.cells) - 1)] for p in parts]
    return Movers(np.concatenate(cells, axis=1), parts[0].begins_s, any(p.loops for p in parts))


def widen(movers: Movers, by_m: float) -> Movers:
    """The movers, wider by so much on all sides."""
    if not by_m or not len(movers):
        return movers
    cells = np.array(movers.cells)
    cells[..., HALF_X] += by_m
    cells[..., HALF_Z] += np.where(cells[..., HALF_Z] >= 0.0, by_m, 0.0)
    return replace(movers, cells=cells)


def _follow(obstacle: Obstacle, begins_s: float, count: int) -> Floats:
    """(K, M, 8) an obstacle in each cell."""
    times: Floats = begins_s + 0.5 * SLICE_S * np.arange(2.0 * count + 1.0)
    solids = place_over_time([obstacle], [0], times)
    many = len(solids) // len(times)
    shaped = {n: getattr(solids, n).reshape(len(times), many, *getattr(solids, n).shape[1:])
              for n in Solids.__dataclass_fields__}  # fmt: skip
    if many > _FEW:
        low, high = shaped["low"].min(axis=1), shaped["high"].max(axis=1)
        return _boxes(low[:, None], high[:, None])
    upright = shaped["frame"][..., 1, 1] > 1.0 - 1e-9
    box, round_ = shaped["kind"] == BOX, shaped["kind"] == CYLINDER
    out = _boxes(shaped["low"], shaped["high"])
    centre, frame, half = (shaped[n] for n in ("centre", "frame", "half"))
    moved = np.linalg.norm(np.diff(centre, axis=0), axis=-1)
    wide = np.hypot(half[1:, :, 0], half[1:, :, 2])
    moved += np.abs(np.diff(frame, axis=0)).max(axis=(-1, -2)) * wide
    pad = np.maximum(moved[0::2], moved[1::2])
    middle, shape = slice(1, None, 2), (box & upright)[1::2]
    turned = np.stack([
        centre[middle, :, 0], centre[middle, :, 2], frame[middle, :, 0, 0],
        frame[middle, :, 0, 2], half[middle, :, 0] + pad, half[middle, :, 2] + pad,
        shaped["low"][middle, :, 1] - pad, shaped["high"][middle, :, 1] + pad,
    ], axis=-1)  # fmt: skip
    out[shape] = turned[shape]
    disc = round_[1::2]
    out[disc] = turned[disc]
    out[disc, HALF_Z] = -1.0
    return out


def _boxes(low: Floats, high: Floats) -> Floats:
    """(K, M, 8) boxes along the axes that hold what is between the bounds (2 K + 1, M, 3)."""
    least = np.minimum(np.minimum(low[0:-1:2], low[1::2]), low[2::2])
    most = np.maximum(np.maximum(high[0:-1:2], high[1::2]), high[2::2])
    middle, half = 0.5 * (least + most), 0.5 * (most - least)
    ones = np.ones(middle.shape[:-1])
    return np.stack([middle[..., 0], middle[..., 2], ones, 0.0 * ones, half[..., 0], half[..., 2],
                     least[..., 1], most[..., 1]], axis=-1)  # fmt: skip
