"""Find signs of damage in a motion: an inserted first frame, a wrong frame rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.feet import mean_leg
from footfall.body.kinematics import forward_kinematics
from footfall.body.mass import mass_centres, segments
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.files.intake.sampling import sampled_positions
from footfall.maths.arrays import Floats, Ints
from footfall.maths.constants import GRAVITY
from footfall.maths.runs import runs

_SHORTEST_FLIGHT_S = 0.04  # a run's flight lasts about 0.12 s, read at double rate half of that
_CLEARANCE = 0.045  # of the leg's length: lower than this a foot may be on the floor
_MOST_FLIGHTS = 40
_STILL_M_S = 0.15  # a foot slower than this stands on something, whatever its height


def begins_with_t_pose(
    skeleton: Skeleton, keep: Ints, root: Floats, rotations: Floats, axes: Floats
) -> bool:
    """Return whether frame 0 is a T-pose that the motion does not continue.

    Arms level and sideways, legs straight and down, and a jump to frame 1 that is far larger
    than the step from frame 1 to frame 2.
    axes  (3, 3) turns the file's world to y up
    """
    if len(root) < 3:
        return False
    parts = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
    joints = [skeleton.roles[f"{side}_{part}"] for side in SIDES for part in parts]
    places = (
        sampled_positions(skeleton, keep, root, rotations, np.arange(3, dtype=np.int32), joints)
        @ axes.T
    )
    size = float(np.linalg.norm(places[0, 0] - places[0, 2]))
    inner = places - places[:, :1]
    jump, step = (float(np.abs(inner[k + 1] - inner[k]).max()) for k in (0, 1))
    if jump < 0.1 * size or jump < 5.0 * step:
        return False
    left = places[0, 3] - places[0, 9]
    left = left / max(float(np.linalg.norm(left)), 1e-12)
    for start, sign in ((0, 1.0), (6, -1.0)):
        hip, knee, ankle, shoulder, elbow, wrist = places[0, start : start + 6]
        straight = [_along(knee - hip, ankle - knee), _along(elbow - shoulder, wrist - elbow)]
        down = -_along(ankle - hip, np.array([0.0, 1.0, 0.0]))
        sideways = sign * _along(wrist - shoulder, left)
        level = abs(_along(wrist - shoulder, np.array([0.0, 1.0, 0.0])))
        if min(straight) < 0.94 or down < 0.9 or sideways < 0.9 or level > 0.35:
            return False
    return True


def rate_suspicion(skeleton: Skeleton, root: Floats, rotations: Floats, fps: float) -> list[str]:
    """Return a sentence if free fall says that the frame rate is double or half of the true one.

    skeleton, root (T, 3) and rotations (T, K, 4) are in metres, y up, with a canonical rest. In
    flight the centre of mass falls with 9.81 m/s^2; measured with a rate k times too high it
    seems to fall k^2 times as fast. Nothing is ever changed on this evidence.
    """
    flights = flight_phases(skeleton, root, rotations, fps)
    if not flights:
        return []
    falls = _falls(skeleton, root, rotations, fps, flights)
    for factor, times, few in ((2.0, "twice", 2), (0.5, "half", 3)):
        low, high = (GRAVITY * factor**2 * k for k in (0.65, 1.35))
        inside = [fall for fall in falls if low < fall.g < high]
        enough = len(inside) >= few or sum(f.seconds for f in inside) >= 0.2 / factor
        weight = sum(f.weight for f in falls)
        if inside and enough and sum(f.weight for f in inside) > 0.75 * weight:
            g = sum(f.g * f.weight for f in inside) / sum(f.weight for f in inside)
            return [
                f"in free fall the body accelerates by {g:.1f} m/s^2 instead of 9.8, so "
                f"{fps:g} fps is probably {times} the true rate ({fps / factor:g} fps)."
            ]
    return []


def flight_phases(
    skeleton: Skeleton, root: Floats, rotations: Floats, fps: float
) -> list[tuple[int, int]]:
    """First and last frames of the times in which both feet are off the floor and moving."""
    joints = [
        skeleton.roles[f"{side}_{part}"]
        for side in SIDES for part in ("ankle", "toe") if f"{side}_{part}" in skeleton.roles
    ]  # fmt: skip
    keep = np.arange(len(skeleton), dtype=np.int32)
    clear = _CLEARANCE * mean_leg(skeleton)
    at_rest = skeleton.rest_positions[joints, 1]
    phases: list[tuple[int, int]] = []
    for block in _watched_frames(len(root), fps):
        if len(block) < 8:
            continue
        coarse = sampled_positions(skeleton, keep, root, rotations, block[::3], joints)
        lowest = (coarse[:, :, 1] - at_rest).min(1)
        if lowest.max() - _low(lowest) < 0.8 * clear:  # mostly so: a quick look is enough
            continue
        places = sampled_positions(skeleton, keep, root, rotations, block, joints)
        lowest = (places[:, :, 1] - at_rest).min(1)
        rate = fps / int(block[1] - block[0])
        up = lowest > _floor(lowest, rate) + clear
        still = np.linalg.norm(np.gradient(places, axis=0), axis=2).min(1) * rate < _STILL_M_S
        for start, stop in runs(up).tolist():
            whole = start > 0 and stop < len(up)
            moving = np.mean(still[start:stop]) < 0.35
            if whole and moving and (stop - 1 - start) / rate >= _SHORTEST_FLIGHT_S:
                phases.append((int(block[start]), int(block[stop - 1])))
    return phases


@dataclass(frozen=True)
class _Fall:
    """How fast the centre of mass falls in one flight, m/s^2, and how much that counts."""

    g: float
    seconds: float
    weight: float


def _falls(
    skeleton: Skeleton, root: Floats, rotations: Floats, fps: float, flights: list[tuple[int, int]]
) -> list[_Fall]:
    """Return a parabola of the centre of mass for each flight that follows one."""
    spans = [_inner_frames(first, last) for first, last in flights[:_MOST_FLIGHTS]]
    frames = np.concatenate(spans)
    poses = forward_kinematics(skeleton, root[frames], rotations[frames])
    heights = np.split(
        mass_centres(poses, segments(skeleton))[:, 1], np.cumsum([len(s) for s in spans])[:-1]
    )
    falls = []
    for span, height in zip(spans, heights, strict=True):
        if len(span) < 5:
            continue
        time = (span - span.mean()) / fps
        square, slope, middle = np.polyfit(time, height, 2)
        off = float(np.abs(height - (square * time + slope) * time - middle).max())
        seconds = float(time[-1] - time[0])
        sag = abs(square) * seconds**2 / 4.0
        if off <= 0.2 * sag + 0.001:
            falls.append(_Fall(-2.0 * float(square), seconds, seconds**2))
    return falls


def _inner_frames(first: int, last: int) -> Ints:
    """Return at most 60 frames of a flight, without its first and last eighth."""
    margin = (last - first) // 8
    step = max(1, (last - first - 2 * margin) // 60)
    return np.arange(first + margin, last - margin + 1, step, dtype=np.int32)


def _watched_frames(frames: int, fps: float) -> list[Ints]:
    """Blocks of frame indices at about 60 per second, at most 2000 in all."""
    step = max(1, round(fps / 60.0))
    if frames // step <= 2000:
        return [np.arange(0, frames, step, dtype=np.int32)]
    starts = np.linspace(0, frames - 200 * step, 10).astype(np.int64)
    return [np.arange(start, start + 200 * step, step, dtype=np.int32) for start in starts]


def _floor(lowest: Floats, rate: float) -> Floats:
    """Return (F,) the floor under each sample: a low quantile of the lowest foot points around it.

    Not one floor for all, because captured floors drift and people climb.
    """
    chunk = max(8, int(rate))
    floor = np.empty_like(lowest)
    for start in range(0, len(lowest), chunk):
        near = lowest[max(0, start - chunk) : start + 2 * chunk]
        floor[start : start + chunk] = _low(near)
    return floor


def _low(values: Floats) -> float:
    """Return the upper end of the lowest fifth: about the floor, robust against spikes."""
    return float(np.partition(values, len(values) // 5)[len(values) // 5])


def _along(a: Floats, b: Floats) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 0.0 else 0.0
