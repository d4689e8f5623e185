"""Where bodies are in moves, roughly and moment by moment: upright discs that hold their parts.

A disc looks the same from all sides, so those of a clip do for all of its moves, however they are
laid. They say what a move cannot touch; what it does touch is told by capsules.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from footfall.body.capsules import body_capsules
from footfall.body.clip import Clip
from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.moves import Moves
from footfall.roadmap.table import Longs, fill_records

SLICE_S = 0.1
"""A disc holds a part of the body for so long."""
PARTS = 3
"""Trunk with arms and head, left leg, right leg."""
X, Z, RADIUS, LOW, HIGH = range(5)
"""What is known of a disc: its middle, how wide it is, and from where to where it reaches."""


@dataclass(frozen=True, eq=False)
class Bodies:
    """The bodies of moves.

    starts   (C + 1,) the first slice of each clip      clip  (M,) of each move
    discs    (S, 3, 5) of each slice, trunk and legs, in the space of the clip
    origin   (M, 4) the first footprint of each move in its clip, and where its +Z leads there
    first    (M,) seconds into its clip at which each begins
    seconds  (M,) how long it takes
    whole    (M, 6) least and largest x, y, z that its body reaches, seen from its first footprint
    """

    starts: Longs
    clip: Ints
    discs: Floats
    origin: Floats
    first: Floats
    seconds: Floats
    whole: Floats

    @cached_property
    def packed(self) -> Any:
        """(M,) records of `BODY`, as kernels take them."""
        stop = np.ceil((self.first + self.seconds) / SLICE_S - 1e-9).astype(int)
        first = (self.first / SLICE_S + 1e-9).astype(int)
        own = self.starts[self.clip]
        stop = np.minimum(np.maximum(stop, first + 1), self.starts[self.clip + 1] - own)
        return fill_records(
            _BODY, len(first), slice_first=own + first, slice_stop=own + stop, slice_zero=own,
            begin=self.first, seconds=self.seconds, origin=self.origin, whole=self.whole,
        )  # fmt: skip


_BODY = np.dtype([
    ("slice_first", "i8"), ("slice_stop", "i8"), ("slice_zero", "i8"), ("begin", "f8"),
    ("seconds", "f8"), ("origin", "f8", (4,)), ("whole", "f8", (6,)),
])  # fmt: skip
"""The body of a move: its slices and the first of its clip, and what `Bodies` says of it."""
_known: WeakKeyDictionary[Moves, Bodies] = WeakKeyDictionary()


def bodies_of(moves: Moves) -> Bodies:
    """The bodies of moves, worked out once."""
    found = _known.get(moves)
    if found is None:
        found = _known[moves] = _find(moves)
    return found


def discs_of(clip: Clip) -> Floats:
    """(S, 3, 5) discs that hold the parts of a body, for each slice of a clip."""
    capsules = body_capsules(clip.skeleton)
    ends = capsules.placed(clip.world)
    radii = np.asarray(capsules.radii)
    legs = capsules.legs
    last = len(clip) - 1
    count = max(int(np.ceil(last / clip.fps / SLICE_S - 1e-9)), 1)
    edges = np.arange(count + 1) * SLICE_S * clip.fps
    first = np.floor(edges[:-1] + 1e-9).astype(int)
    stop = np.minimum(np.ceil(edges[1:] - 1e-9).astype(int), last)
    frames = np.minimum(first[:, None] + np.arange(int((stop - first).max()) + 1), stop[:, None])
    out = np.zeros((count, PARTS, 5))
    for p in range(PARTS):
        own = legs == p
        at, thick = ends[:, own][frames], radii[own][:, None]  # slices, frames, capsules, ends
        low = (at - thick[..., None]).min(axis=(1, 2, 3))
        high = (at + thick[..., None]).max(axis=(1, 2, 3))
        middle = 0.5 * (low + high)[:, [0, 2]]
        off = at[..., [0, 2]] - middle[:, None, None, None]
        out[:, p, X], out[:, p, Z] = middle.T
        out[:, p, RADIUS] = (np.hypot(off[..., 0], off[..., 1]) + thick).max(axis=(1, 2, 3))
        out[:, p, LOW], out[:, p, HIGH] = low[:, 1], high[:, 1]
    return out


def _find(moves: Moves) -> Bodies:
    all_discs = [discs_of(clip) for clip in moves.clips]
    starts = np.cumsum([0, *(len(d) for d in all_discs)])
    discs = np.concatenate([*all_discs, np.zeros((0, PARTS, 5))])
    fps = np.array([clip.fps for clip in moves.clips])[moves.clip]
    prints = [moves.prints[c][n] for c, n in zip(moves.clip, moves.first_print, strict=True)]
    place = np.array([p.p for p in prints]).reshape(-1, 3)
    yaw = np.array([p.yaw for p in prints])
    origin = np.column_stack([place, yaw - moves.turn_first])
    first, seconds = moves.first / fps, moves.frames / fps
    whole = np.zeros((len(moves), 6))
    for m in range(len(moves)):
        a = starts[moves.clip[m]] + int(first[m] / SLICE_S + 1e-9)
        b = starts[moves.clip[m]] + int(np.ceil((first[m] + seconds[m]) / SLICE_S - 1e-9))
        own = discs[a : max(b, a + 1)].reshape(-1, 5)
        c, s = np.cos(origin[m, 3]), np.sin(origin[m, 3])
        x, z = own[:, X] - origin[m, 0], own[:, Z] - origin[m, 2]
        x, z, r = c * x - s * z, s * x + c * z, own[:, RADIUS]
        low, high = own[:, LOW].min() - origin[m, 1], own[:, HIGH].max() - origin[m, 1]
        whole[m] = (x - r).min(), low, (z - r).min(), (x + r).max(), high, (z + r).max()
    return Bodies(starts, moves.clip, discs, origin, first, seconds, whole)
