"""What bodies sweep in moves: capsules at many moments, and boxes that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.body.capsules import Capsules, body_capsules
from footfall.body.clip import Clip
from footfall.body.size import body_size
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats, Ints
from footfall.maths.rounding import POSITION_M, round_to_grid

_RATE = 30.0
"""So often in a second a body is looked at."""
_ROWS = 5
"""So many moments share a box."""
_SIDES = ("left", "right")


def pack_arrays(value: Any) -> None:
    """Make the arrays of a frozen dataclass contiguous, as they are after loading.

    A kernel is compiled once for each memory layout of its arguments.
    """
    for field in fields(value):
        array = getattr(value, field.name)
        if isinstance(array, np.ndarray):
            object.__setattr__(value, field.name, np.ascontiguousarray(array))


@dataclass(frozen=True, eq=False)
class Sweep:
    """What bodies sweep, as kernels are told of it; R rows are the moments of all moves.

    rows_of     (M + 1,) the first row of each move
    origin      (M, 3) the first footprint in its clip    bearing  (M,) where +Z is, in its clip
    row_ends    (R,) the moment of each row
    ends        (F, B, 2, 3) both ends of the axes of the capsules at every moment of the clips
    anchors     (F, 3, 3) the middle of the pelvis, left and right ankle
    ties        (B, 2) how much each end goes with the pelvis; the rest goes with its foot
    between     (R, 3, 2) the footprints, of its move, that pelvis and feet are between
    weights     (R, 3) how far they are towards the second
    radii       (B,) of the capsules      part_start  (4,) the first of trunk, left and right leg
    soft        (B,) how far each sinks into what can be stood on: feet do
    extents     (F,) how far, in the plane, trunk and arms reach from the middle of the pelvis
    core        how thick the pelvis is around its middle
    """

    rows_of: Ints
    origin: Floats
    bearing: Floats
    row_ends: Ints
    ends: NDArray[np.float32]
    anchors: NDArray[np.float32]
    ties: Floats
    between: NDArray[np.int16]
    weights: Floats
    radii: Floats
    part_start: Ints
    soft: Floats
    extents: Floats
    core: float

    def __post_init__(self) -> None:
        pack_arrays(self)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What kernels are told, in the order of `sweep_kernels`."""
        return (self.rows_of, self.origin, self.bearing, self.row_ends, self.ends, self.anchors,
                self.ties, self.between, self.weights, self.radii, self.part_start,
                self.soft, self.extents, self.core)  # fmt: skip


def find_sweep(
    clips: Sequence[Clip], moves: Floats, prints: Floats,
    print_start: Ints, places: Floats, share: Floats, foot: Ints,
) -> tuple[Sweep, Ints, Floats, Floats]:  # fmt: skip
    """The sweep of moves, their boxes (M + 1 starts, B x 17), and how far each body reaches (M,).

    moves   (M, 7) clip, first and last frame, first footprint x, y, z in the clip, bearing
    prints  (P, 3) of all moves' footprints: first, last and middle frame
    """
    from footfall.roadmap.sweep_kernels import COLUMNS, fill_boxes, find_between

    capsules = body_capsules(clips[0].skeleton)
    order, ties, part_start = _parts(clips[0].skeleton, capsules)
    ends, anchors, first_moment, stride = _moments(clips, capsules, order)
    number = moves[:, 0].astype(int)
    steps = stride[number]
    first = (moves[:, 1] // steps).astype(int)
    stop = -(-moves[:, 2] // steps).astype(int) + 1
    stop = np.minimum(stop, np.diff(first_moment)[number])
    rows_of = np.concatenate([[0], np.cumsum(stop - first)]).astype(np.int32)
    owner = np.repeat(np.arange(len(moves)), np.diff(rows_of))
    within = np.arange(rows_of[-1]) - rows_of[owner] + first[owner]
    row_ends = (first_moment[number[owner]] + within).astype(np.int32)
    frames = within * steps[owner].astype(np.float64)
    between = np.zeros((len(owner), 3, 2), np.int16)
    weights = np.zeros((len(owner), 3))
    find_between(rows_of, frames, print_start, prints, foot, between, weights)
    sweep = Sweep(
        rows_of, moves[:, 3:6].copy(), moves[:, 6].copy(), row_ends, ends, anchors, ties,
        between, weights, np.asarray(capsules.radii)[order], part_start,
        np.where(capsules.feet[order], body_size(clips[0].skeleton).soft_m, 0.0),
        _extents(ends, anchors, capsules, order, part_start),
        _core(clips[0].skeleton, capsules),
    )  # fmt: skip
    counts = 1 + 3 * -(-np.diff(rows_of) // _ROWS)
    box_of = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    boxes, reach = np.zeros((int(box_of[-1]), COLUMNS)), np.zeros(len(moves))
    fill_boxes(
        rows_of, row_ends, ends, ties, sweep.radii, part_start, sweep.origin, sweep.bearing,
        print_start, places, share, between, weights, box_of, boxes, reach, _ROWS,
    )  # fmt: skip
    return sweep, box_of, round_to_grid(boxes, POSITION_M), round_to_grid(reach, POSITION_M)


def _moments(
    clips: Sequence[Clip], capsules: Capsules, order: Ints
) -> tuple[NDArray[np.float32], NDArray[np.float32], Ints, Ints]:
    """Capsules and anchors at moments of the clips; the first of each clip, and how far apart."""
    all_ends, all_anchors, counts, strides = [], [], [0], []
    for clip in clips:
        stride = max(1, round(clip.fps / _RATE))
        some = clip.world.at(slice(None, None, stride))
        all_ends.append(capsules.placed(some)[:, order].astype(np.float32))
        roles = clip.skeleton
        hips = 0.5 * sum(some.positions[:, roles.role(f"{side}_hip")] for side in _SIDES)
        feet = [some.positions[:, roles.role(f"{side}_ankle")] for side in _SIDES]
        all_anchors.append(np.stack([hips, *feet], axis=1).astype(np.float32))
        counts.append(len(some.positions))
        strides.append(stride)
    return (np.concatenate(all_ends), np.concatenate(all_anchors), np.cumsum(counts),
            np.array(strides))  # fmt: skip


def _extents(
    ends: NDArray[np.float32], anchors: NDArray[np.float32], capsules: Capsules, order: Ints,
    part_start: Ints,
) -> Floats:  # fmt: skip
    """(F,) how far trunk and arms reach from the middle of the pelvis, in the plane."""
    trunk = slice(0, int(part_start[1]))
    away = ends[:, trunk][..., [0, 2]] - anchors[:, None, None, 0][..., [0, 2]]
    reach = (
        np.sqrt((away * away).sum(axis=-1)).max(axis=2) + np.asarray(capsules.radii)[order][trunk]
    )
    return np.asarray(reach.max(axis=1), np.float64)


def _core(skeleton: Skeleton, capsules: Capsules) -> float:
    """The radius of a ball around the middle of the hips that is surely inside the body."""
    own = np.asarray(capsules.joints) == skeleton.role("hips")
    return 0.9 * float(np.asarray(capsules.radii)[own].min(initial=np.inf)) if own.any() else 0.0


def _parts(skeleton: Skeleton, capsules: Capsules) -> tuple[Ints, Floats, Ints]:
    """Return the order of capsules, trunk then legs, the ties of their ends, and the starts."""
    rest, legs = skeleton.rest_positions, capsules.legs
    ties = np.ones((len(capsules), 2))
    for number, side in enumerate(_SIDES):
        hip, ankle = rest[skeleton.role(f"{side}_hip")], rest[skeleton.role(f"{side}_ankle")]
        long = max(float(np.linalg.norm(ankle - hip)), 1e-6)
        for n in np.flatnonzero(legs == number + 1):
            at = rest[capsules.joints[n]] + capsules.ends[n]
            away = np.array([float(np.linalg.norm(end - hip)) / long for end in at])
            ties[n] = 0.0 if capsules.feet[n] else 1.0 - np.minimum(away, 1.0)
    order = np.argsort(legs, kind="stable").astype(np.int32)
    starts = np.searchsorted(legs[order], np.arange(4)).astype(np.int32)
    return order, ties[order], starts
