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
from footfall.roadmap.sweep_columns import (
    ANCHOR,
    ANCHOR_HALF,
    ARM,
    BESIDE,
    COLUMNS,
    FIRST_ROW,
    HALF,
    MIDDLE,
    PART,
    SHARE,
    SHARE_HALF,
    STOP_ROW,
)

_RATE = 30.0
"""So often in a second a body is looked at."""
_ROWS = 5
"""So many moments share a box."""
_SIDES = ("left", "right")
_BLOCK = 64
"""So many moves are looked at together."""


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
    """What bodies sweep; R rows are the moments of all moves.

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


def find_sweep(
    clips: Sequence[Clip], moves: Floats, prints: Floats,
    print_start: Ints, places: Floats, share: Floats, foot: Ints,
) -> tuple[Sweep, Ints, Floats, Floats]:  # fmt: skip
    """The sweep of moves, their boxes (M + 1 starts, B x 17), and how far each body reaches (M,).

    moves   (M, 7) clip, first and last frame, first footprint x, y, z in the clip, bearing
    prints  (P, 3) of all moves' footprints: first, last and middle frame
    """
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
    between, weights = _find_between(rows_of, frames, print_start, prints, foot)
    sweep = Sweep(
        rows_of, moves[:, 3:6].copy(), moves[:, 6].copy(), row_ends, ends, anchors, ties,
        between, weights, np.asarray(capsules.radii)[order], part_start,
        np.where(capsules.feet[order], body_size(clips[0].skeleton).soft_m, 0.0),
        _extents(ends, anchors, capsules, order, part_start),
        _core(clips[0].skeleton, capsules),
    )  # fmt: skip
    box_of, boxes, reach = _find_boxes(sweep, print_start, places, share)
    return sweep, box_of, round_to_grid(boxes, POSITION_M), round_to_grid(reach, POSITION_M)


def _find_between(
    rows_of: Ints, frames: Floats, print_start: Ints, spans: Floats, foot: Ints
) -> tuple[NDArray[np.int16], Floats]:
    """(R, 3, 2) between which footprints of its move each part of the body is, and (R, 3) how far
    it is towards the second.

    frames  (R,) the moments of rows      spans  (P, 3) first, last and middle frame of footprints
    """
    between, weights = np.zeros((len(frames), 3, 2), np.int16), np.zeros((len(frames), 3))
    for m in range(len(rows_of) - 1):
        rows, own = slice(rows_of[m], rows_of[m + 1]), slice(print_start[m], print_start[m + 1])
        times, feet, now = spans[own], foot[own], frames[rows]
        for part in range(3):
            order = np.argsort(times[:, 2], kind="stable")
            order = order if part == 0 else order[feet[order] == part - 1]
            if not len(order):
                between[rows, part], weights[rows, part] = between[rows, 0], weights[rows, 0]
                continue
            last, first = (2, 2) if part == 0 else (1, 0)
            begun = np.maximum.accumulate(times[order[1:], first])
            n = np.searchsorted(begun, now, side="right")
            one, other = order[n], order[np.minimum(n + 1, len(order) - 1)]
            since, whole = now - times[one, last], times[other, first] - times[one, last]
            swings = (since > 0.0) & (whole > 0.0)
            share = np.minimum(since / np.where(swings, whole, 1.0), 1.0)
            between[rows, part] = np.stack([one, other], axis=1)
            weights[rows, part] = np.where(swings, share, 0.0)
    return between, weights


def _find_boxes(
    sweep: Sweep, print_start: Ints, places: Floats, share: Floats
) -> tuple[Ints, Floats, Floats]:
    """The first box of each move (M + 1,), boxes (B, 17), and how far each body reaches (M,).

    The first box of a move holds all of it, the others each part over a few rows. The row after
    these is in the box too: what is between two moments is in one.
    """
    rows_of, count = sweep.rows_of, len(sweep.rows_of) - 1
    anchors, along = _anchors(sweep, print_start, places, share)
    low, high, arms = _bounds(sweep, anchors)
    many = -(-np.diff(rows_of) // _ROWS)
    box_of = np.concatenate([[0], np.cumsum(1 + 3 * many)]).astype(np.int32)
    owner = np.repeat(np.arange(count), many)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(many) - many, many)
    first = rows_of[owner] + _ROWS * number
    stop = np.minimum(first + _ROWS + 1, rows_of[owner + 1])
    rows = np.minimum(first[:, None] + np.arange(_ROWS + 1), stop[:, None] - 1)
    out = np.zeros((int(box_of[-1]), COLUMNS))
    whole = out[box_of[:-1]]
    starts = np.minimum(rows_of[:-1], max(len(low) - 1, 0))
    for part in range(3):
        at, u = anchors[:, [0, part]][rows], along[:, [0, part]][rows]
        box = out[box_of[owner] + 1 + part * many[owner] + number]
        _put_bounds(box, MIDDLE, HALF, low[rows, part].min(axis=1), high[rows, part].max(axis=1))
        _put_bounds(box, ANCHOR, ANCHOR_HALF, at.min(axis=(1, 2)), at.max(axis=(1, 2)))
        _put_bounds(box, SHARE, SHARE_HALF, u.min(axis=(1, 2))[:, None],
                    u.max(axis=(1, 2))[:, None])  # fmt: skip
        box[:, ARM], box[:, PART] = arms[rows, part].max(axis=1), part
        box[:, FIRST_ROW], box[:, STOP_ROW] = first, stop
        out[box_of[owner] + 1 + part * many[owner] + number] = box
    least = np.minimum.reduceat(low.min(axis=1), starts) if len(low) else np.zeros((0, 3))
    most = np.maximum.reduceat(high.max(axis=1), starts) if len(low) else np.zeros((0, 3))
    if len(low):
        _put_bounds(whole, MIDDLE, HALF, least, most)
        near = (np.minimum.reduceat(anchors.min(axis=1), starts),
                np.maximum.reduceat(anchors.max(axis=1), starts))  # fmt: skip
        _put_bounds(whole, ANCHOR, ANCHOR_HALF, *near)
        whole[:, ARM] = np.maximum.reduceat(arms.max(axis=1), starts)
    whole[:, SHARE] = whole[:, SHARE_HALF] = 0.5
    whole[:, PART], whole[:, FIRST_ROW], whole[:, STOP_ROW] = -1.0, rows_of[:-1], rows_of[1:]
    out[box_of[:-1]] = whole
    out[:, BESIDE] = np.repeat(_beside(print_start, places, share), np.diff(box_of))
    reach = np.max([-least[:, 0], -least[:, 2], most[:, 0], most[:, 2]], axis=0)
    return box_of, out, reach


def _put_bounds(boxes: Floats, middle: int, half: int, low: Floats, high: Floats) -> None:
    """Write the middle and the half sizes of what is between bounds (B, K) into columns."""
    size = low.shape[1]
    boxes[:, middle : middle + size] = 0.5 * (low + high)
    boxes[:, half : half + size] = 0.5 * (high - low)


def _anchors(
    sweep: Sweep, print_start: Ints, places: Floats, share: Floats
) -> tuple[Floats, Floats]:
    """(R, 3, 2) the places, seen from the first footprint, that parts of the body go with, and
    (R, 3) how far along the move these are."""
    owner = np.repeat(np.arange(len(sweep.rows_of) - 1), np.diff(sweep.rows_of))
    one, other = (print_start[owner][:, None] + sweep.between[..., k] for k in (0, 1))
    w = sweep.weights
    at = (1.0 - w)[..., None] * places[one][..., [0, 2]] + w[..., None] * places[other][..., [0, 2]]
    return at, (1.0 - w) * share[one] + w * share[other]


def _bounds(sweep: Sweep, anchors: Floats) -> tuple[Floats, Floats, Floats]:
    """(R, 3, 3) bounds of each part of the body in a row, seen from the first footprint, and
    (R, 3) how far it reaches from the places that it goes with."""
    rows_of, count = sweep.rows_of, len(sweep.row_ends)
    low, high, arms = np.empty((count, 3, 3)), np.empty((count, 3, 3)), np.zeros((count, 3))
    for block in range(0, len(rows_of) - 1, _BLOCK):
        stop = min(block + _BLOCK, len(rows_of) - 1)
        rows = slice(rows_of[block], rows_of[stop])
        owner = np.repeat(np.arange(block, stop), np.diff(rows_of[block : stop + 1]))
        c, s = (f(sweep.bearing[owner])[:, None, None] for f in (np.cos, np.sin))
        at = sweep.ends[sweep.row_ends[rows]] - sweep.origin[owner][:, None, None]
        x, z = at[..., 0].copy(), at[..., 2].copy()
        at[..., 0], at[..., 2] = c * x - s * z, s * x + c * z
        for part in range(3):
            own = slice(sweep.part_start[part], sweep.part_start[part + 1])
            radii, ends = sweep.radii[own][:, None, None], at[:, own]
            low[rows, part] = (ends - radii).min(axis=(1, 2), initial=np.inf)
            high[rows, part] = (ends + radii).max(axis=(1, 2), initial=-np.inf)
            for tied, is_tied in ((0, sweep.ties[own] > 0.0), (part, sweep.ties[own] < 1.0)):
                away = ends[..., [0, 2]] - anchors[rows, tied][:, None, None]
                reach = np.where(is_tied, np.sqrt((away * away).sum(axis=-1)), 0.0)
                arms[rows, part] = np.maximum(arms[rows, part], reach.max(axis=(1, 2), initial=0.0))
    return low, high, arms


def _beside(print_start: Ints, places: Floats, share: Floats) -> Floats:
    """(M,) how far apart the feet stand where a move begins and ends."""
    owner = np.repeat(np.arange(len(print_start) - 1), np.diff(print_start))
    root = np.where(share == 0.0, print_start[owner], print_start[owner + 1] - 1)
    away = np.hypot(*(places - places[root])[:, [0, 2]].T)
    out = np.zeros(len(print_start) - 1)
    np.maximum.at(out, owner, np.where((share == 0.0) | (share == 1.0), away, 0.0))
    return out


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
