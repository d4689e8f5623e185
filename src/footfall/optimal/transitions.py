"""Transitions inside contact phases: frames of other clips in which the body is held alike.

Candidates are the nearest frames of each two phases in which the same parts touch; where both
feet stand they stand alike. One limit for all does not do: it gives a thousand transitions from
walks to walks and none from a walk to a jump (Safonova & Hodgins, §7). So each pair of behaviours
has a limit of its own: the common one, raised until there are enough transitions between the two,
up to what can still be blended.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.gait.signatures import FEET, HANDS
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.rounding import ANGLE, round_to_grid
from footfall.optimal.footing import Footing
from footfall.optimal.model import SLOW
from footfall.optimal.phases import Phases
from footfall.optimal.poses import frame_poses
from footfall.pose.metrics import PointCloud, TileMemory
from footfall.processes import share_out

WINDOW_S = 1.0 / 6.0
"""Windows of this length are compared, so that speeds count as well."""
BLEND_S = 1.0 / 3.0
"""A difference is spread over this time, to either side, where there is so much in the phase."""
STAYS_S = 2.0 / 15.0
"""So long a clip is shown before it is left again."""
MOST_FASTER = 1.5
"""No joint may turn so many times as fast as in the clips that are blended, or as `SLOW`, if they
hardly move it."""
TILE = 256


@dataclass(frozen=True, eq=False)
class Switches:
    """N ways from frame to frame: where the one is shown the other may follow.

    first, second  (N,) frames: left, and entered
    apart_m        (N,) how far joints are from each other, root mean square
    stays          how many frames the clip that is entered is not left again, nor its phase
    """

    first: Ints
    second: Ints
    apart_m: Floats
    stays: int

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True)
class SwitchLimits:
    """Which pairs of frames are alike enough.

    every_m    nearer frames than this always are, root mean square, metres; of others only those
               that are nearest to each other in their two phases
    common_m   how far joints may be apart, root mean square, metres
    most_m     the same for behaviours between which there are few transitions
    enough     how many transitions from one behaviour to another, for each signature, are enough
    blend_s    how long there must be to blend, inside the two phases, seconds
    push_m_s2  how hard the body may be pushed from the one to the other, at most
    """

    every_m: float = 0.004
    common_m: float = 0.035
    most_m: float = 0.09
    enough: int = 60
    blend_s: float = 0.2
    push_m_s2: float = 2.0


def find_switches(
    phases: Phases, footing: Footing, limits: SwitchLimits = SwitchLimits()
) -> Switches:
    """The transitions of all phases, in both directions."""
    window = max(round(WINDOW_S * phases.frames.fps), 1)
    metric = PointCloud(phases.frames, window)
    groups = _groups(phases, footing)
    pairs, squared = _minima(metric, phases, groups, limits.most_m**2, limits.every_m**2)
    apart = np.sqrt(squared.astype(np.float64))
    alike = _alike_enough(phases, pairs, apart, limits)
    pairs, apart = pairs[alike], apart[alike]
    both = np.concatenate([pairs, pairs[:, ::-1]])
    apart = np.concatenate([apart, apart])
    calm = _can_be_blended(phases, footing, both, limits)
    both, apart = both[calm], apart[calm]
    order = np.lexsort((both[:, 1], both[:, 0]))
    return Switches(both[order, 0], both[order, 1], apart[order], _stays(phases))


def _stays(phases: Phases) -> int:
    return max(round(STAYS_S * phases.frames.fps), 1)


def _groups(phases: Phases, footing: Footing) -> Ints:
    """(F,) frames with one number may go over into each other; -1: into none, as in the air."""
    signature = phases.signature[phases.first]
    number = np.where(footing.stance >= 0, 32 * (footing.stance + 1), 0) + signature
    number = np.where((signature & FEET) > 0, number, -1)
    return np.asarray(number[phases.phase], np.int32)


def _minima(
    metric: PointCloud, phases: Phases, group: Ints, cut: float, every: float
) -> tuple[Ints, NDArray[np.float32]]:
    """Pairs of frames (N, 2), the first before the second, and their squared distances (N,)."""
    from footfall.optimal.transition_kernels import phase_minima

    found: list[tuple[Ints, NDArray[np.float32]]] = []
    own = threading.local()
    limits = np.array([cut, every], np.float32)

    def work(job: tuple[_Gathered, int, int]) -> None:
        some, top, side = job
        if not hasattr(own, "desk"):
            most = TILE * TILE
            own.desk = TileMemory(), np.empty((most, 2), np.int32), np.empty(most, np.float32)
        room, pairs, values = own.desk
        count = len(some.frame)
        rows = range(max(top - 1, 0), min(top + TILE + 1, count))
        columns = range(max(side - 1, 0), min(side + TILE + 1, count))
        tile = some.metric.tile(rows, columns, room)
        number = phase_minima(
            tile, some.frame, some.phase, top, side, TILE, metric.window, limits, pairs, values
        )
        found.append((pairs[:number].copy(), values[:number].copy()))

    jobs = []
    for number in np.unique(group[group >= 0]):
        some = _gather(metric, phases, group, int(number))
        tops = range(0, len(some.frame), TILE)
        jobs += [(some, top, side) for top in tops for side in tops if side >= top]
    share_out(work, jobs)
    pairs = np.concatenate([part for part, _ in found] or [np.zeros((0, 2), np.int32)])
    values = np.concatenate([part for _, part in found] or [np.zeros(0, np.float32)])
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return pairs[order], values[order]


@dataclass(frozen=True, eq=False)
class _Gathered:
    """The frames of the phases that may go over into each other, in a row.

    metric  compares the windows around them
    frame   (N,) which frame each is;  phase (N,) its phase, -1 for those that only end windows
    """

    metric: PointCloud
    frame: Ints
    phase: Ints


def _gather(metric: PointCloud, phases: Phases, group: Ints, number: int) -> _Gathered:
    """Gather the phases of one group, each with the frames that its last window reaches."""
    count, middle, more = len(phases.frames), metric.window // 2, metric.window - 1
    stops = np.append(phases.first[1:], count)
    spans = [
        (max(first, middle), stop)
        for first, stop in zip(phases.first.tolist(), stops.tolist(), strict=True)
        if group[first] == number
    ]
    frame = np.concatenate([np.arange(first, stop + more) for first, stop in spans])
    inside = np.concatenate([np.arange(first, stop + more) < stop for first, stop in spans])
    start = np.minimum(frame - middle, count - 1)
    phase = np.where(inside, phases.phase[np.minimum(frame, count - 1)], -1)
    return _Gathered(metric.gather(start, inside), frame.astype(np.int32), phase.astype(np.int32))


def _alike_enough(phases: Phases, pairs: Ints, apart: Floats, limits: SwitchLimits) -> Ints:
    """Which pairs to keep: all within the common limit, and enough of each two behaviours.

    A hand that holds something or a seat is not left for what is less alike.
    """
    names, number = np.unique(phases.behaviours, return_inverse=True)
    kind = number.reshape(-1)[phases.frames.clip[pairs]]
    kind = np.sort(kind, axis=1)
    signature = phases.signature[pairs[:, 0]].astype(np.int64)
    what = (signature * len(names) + kind[:, 0]) * len(names) + kind[:, 1]
    order = np.lexsort((apart, what))
    new = np.append(True, what[order][1:] != what[order][:-1])
    begin = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    rank = np.arange(len(order)) - begin
    unlike = (kind[:, 0] != kind[:, 1])[order] & (signature[order] & HANDS == 0)
    keep = (apart[order] <= limits.common_m) | ((rank < limits.enough) & unlike)
    return np.sort(order[keep]).astype(np.int32)


def _can_be_blended(phases: Phases, footing: Footing, pairs: Ints, limits: SwitchLimits) -> Bools:
    """(N,) whether what differs can be spread over the two phases without haste in any joint."""
    from footfall.optimal.transition_kernels import calm_pairs

    frames = phases.frames
    stop = np.append(phases.first[1:], len(frames))
    since = pairs[:, 0] - phases.first[phases.phase[pairs[:, 0]]]
    until = stop[phases.phase[pairs[:, 1]]] - pairs[:, 1]
    most = round(BLEND_S * frames.fps)
    until = until - 1
    room = np.minimum(since, most) + np.minimum(until, most)
    tilts = _without_yaw(frames.rotations[pairs[:, 0], 0], frames.rotations[pairs[:, 1], 0])
    allowed = (MOST_FASTER - 1.0) * np.maximum(clip_peaks(phases), SLOW) / frames.fps
    calm = np.empty(len(pairs), np.bool_)
    # The steepest of the curve that spreads a gap is half as fast again as the mean.
    calm_pairs(
        frames.rotations, pairs, tilts, frames.clip, allowed, 1.5 / np.maximum(room, 1), calm
    )
    # What stands is in one place; the body must go over from where it is in the one clip to
    # where it is in the other.
    root = frame_poses(phases, footing, np.arange(len(frames), dtype=np.int32), phases.phase).root
    gap = np.linalg.norm(root[pairs[:, 0]] - root[pairs[:, 1]], axis=1)
    calm &= 6.0 * gap * (frames.fps / np.maximum(room, 1)) ** 2 <= limits.push_m_s2
    return np.asarray(calm & (room >= limits.blend_s * frames.fps) & (until >= _stays(phases)))


def clip_peaks(phases: Phases) -> Floats:
    """(C, J) the fastest that each joint turns in each clip, radians a second."""
    frames = phases.frames
    return round_to_grid(fastest_turns(frames.rotations, frames.clip_start) * frames.fps, ANGLE)


def fastest_turns(rotations: Floats, first: Ints) -> Floats:
    """(E, J) the most that each joint turns from frame to frame in stretches, radians.

    rotations  (F, J, 4);  first (E + 1,) where stretches begin
    """
    closest = np.ones(rotations.shape[:2])
    w, x, y, z = np.moveaxis(rotations[1:] * rotations[:-1], 2, 0)
    closest[1:] = np.minimum(np.abs(w + x + y + z), 1.0)  # added in this order on every CPU
    closest[first[:-1]] = 1.0
    return np.asarray(2.0 * np.arccos(np.minimum.reduceat(closest, first[:-1], axis=0)))


def _without_yaw(a: Floats, b: Floats) -> Floats:
    """(N,) the angles between orientations (N, 4) that were turned to face the same way."""
    yaw = quat.yaw_of(a) - quat.yaw_of(b)
    return quat.angle_between(a, quat.multiply(quat.from_yaw(yaw), b))
