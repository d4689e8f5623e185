"""What a motion is like, measured from plain joint positions and turns.

Nothing here calls the code that makes or judges motions: positions are worked out again from the
arrays of a clip, and contacts are found by height and speed alone. Whatever makes a motion look
good in its own eyes has to look good here too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

Floats = NDArray[np.float64]

SIDES = ("left", "right")
RATE_HZ = 30.0
"""Speeds of joints are compared at this rate: noise of single frames is no motion."""
SLOW_M_S, LOW_M, SHORT_S = 0.25, 0.035, 0.1
"""A foot that is slower and lower than this, for longer than that, stands."""


@dataclass(frozen=True)
class Body:
    """A motion as positions (T, J, 3) and turns against the parents (T, J) of named joints."""

    at: dict[str, Floats]
    turns: Floats
    names: tuple[str, ...]
    roles: dict[str, int]
    fps: float
    leg_m: float
    hip_width_m: float
    rest_drop_m: float

    @property
    def frames(self) -> int:
        return len(self.turns)


def body_of(clip: Any, fps: float | None = None) -> Body:
    """A clip's motion, worked out from its arrays; at another frame rate if asked for."""
    skeleton = clip.skeleton
    root, quats = np.asarray(clip.root), np.asarray(clip.rotations)
    rate = float(clip.fps)
    if fps is not None and abs(fps - rate) > 1e-6 and len(root) > 1:
        root, quats = _resample(root, quats, rate, fps)
        rate = fps
    positions = _positions(skeleton, root, quats)
    roles = dict(skeleton.roles)
    rest = np.zeros((len(skeleton.names), 3))
    for j, parent in enumerate(skeleton.parents):
        rest[j] = skeleton.offsets[j] + (rest[parent] if parent >= 0 else 0.0)

    def bone(a: str, b: str) -> float:
        return float(np.linalg.norm(rest[roles[a]] - rest[roles[b]]))

    leg = np.mean([bone(f"{s}_hip", f"{s}_knee") + bone(f"{s}_knee", f"{s}_ankle") for s in SIDES])
    return Body(
        at={role: positions[:, j] for role, j in roles.items()},
        turns=quats,
        names=tuple(skeleton.names),
        roles=roles,
        fps=rate,
        leg_m=float(leg),
        hip_width_m=bone("left_hip", "right_hip"),
        rest_drop_m=_drop({role: rest[j][None] for role, j in roles.items()})[0],
    )


def _positions(skeleton: Any, root: Floats, quats: Floats) -> Floats:
    world: list[Rotation] = []
    places = np.empty((*quats.shape[:2], 3))
    for j, parent in enumerate(skeleton.parents):
        own = Rotation.from_quat(quats[:, j, [1, 2, 3, 0]])
        if parent < 0:
            world.append(own)
            places[:, j] = root
        else:
            world.append(world[parent] * own)
            places[:, j] = places[:, parent] + world[parent].apply(np.array(skeleton.offsets[j]))
    return places


def _resample(root: Floats, quats: Floats, rate: float, fps: float) -> tuple[Floats, Floats]:
    times = np.arange(len(root)) / rate
    wanted = np.arange(int(times[-1] * fps + 1e-9) + 1) / fps
    wanted = np.minimum(wanted, times[-1])
    moved = np.column_stack([np.interp(wanted, times, root[:, k]) for k in range(3)])
    turned = np.empty((len(wanted), quats.shape[1], 4))
    for j in range(quats.shape[1]):
        found = Slerp(times, Rotation.from_quat(quats[:, j, [1, 2, 3, 0]]))(wanted).as_quat()
        turned[:, j] = found[:, [3, 0, 1, 2]]
    return moved, turned


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))


def angle_deg(a: Floats, b: Floats) -> Floats:
    """Between directions, degrees."""
    return np.asarray(np.degrees(np.arccos(np.clip((_unit(a) * _unit(b)).sum(-1), -1.0, 1.0))))


def knees_deg(body: Body) -> Floats:
    """(T, 2) how far each knee is bent."""
    at = body.at
    bends = [
        angle_deg(at[f"{s}_knee"] - at[f"{s}_hip"], at[f"{s}_ankle"] - at[f"{s}_knee"])
        for s in SIDES
    ]
    return np.stack(bends, axis=1)


def hip_height(body: Body) -> Floats:
    """(T,) how high the hips are above the lower ankle, in leg lengths."""
    at = body.at
    hips = 0.5 * (at["left_hip"] + at["right_hip"])[:, 1]
    low = np.minimum(at["left_ankle"][:, 1], at["right_ankle"][:, 1])
    return (hips - low) / body.leg_m


def trunk(body: Body) -> Floats:
    """(T, 3) the direction from between the hips to the top of the trunk, the middle of shoulders
    and neck: families put the joint of the neck at quite different heights."""
    at = body.at
    low, high = (0.5 * (at[f"left_{r}"] + at[f"right_{r}"]) for r in ("hip", "shoulder"))
    return _unit(0.5 * (high + at.get("neck", at.get("head", high))) - low)


def lean_deg(body: Body) -> Floats:
    """(T,) how far the trunk is from upright."""
    return angle_deg(trunk(body), np.array([0.0, 1.0, 0.0]))


def shoulder_drop_m(body: Body) -> Floats:
    """(T,) how much further below the neck's joint, along the trunk, the shoulders are than at
    rest."""
    return _drop(body.at) - body.rest_drop_m


def _drop(at: dict[str, Floats]) -> Floats:
    neck = at.get("neck", at.get("head"))
    assert neck is not None
    high, low = (0.5 * (at[f"left_{r}"] + at[f"right_{r}"]) for r in ("shoulder", "hip"))
    up = _unit(0.5 * (high + neck) - low)
    return np.asarray(((neck - high) * up).sum(axis=1))


def leg_gap_m(body: Body) -> Floats:
    """(T,) the least distance between the axes of the shanks, and of the feet."""
    at = body.at
    gaps = [_segments_apart(*(at[f"{s}_{r}"] for s in SIDES for r in ("knee", "ankle")))]
    if "left_toe" in at and "right_toe" in at:
        gaps.append(_segments_apart(*(at[f"{s}_{r}"] for s in SIDES for r in ("ankle", "toe"))))
    return np.asarray(np.min(gaps, axis=0))


def _segments_apart(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """(T,) about the least distance between segments a-b and c-d: points of one to the other."""
    best = np.full(len(a), np.inf)
    for p, q, r, s in ((a, b, c, d), (c, d, a, b)):
        line = s - r
        for share in np.linspace(0.0, 1.0, 17):
            point = p + share * (q - p)
            u = ((point - r) * line).sum(1) / np.maximum((line**2).sum(1), 1e-12)
            near = r + np.clip(u, 0.0, 1.0)[:, None] * line
            best = np.minimum(best, np.linalg.norm(point - near, axis=1))
    return best


def joint_speeds(body: Body) -> dict[str, Floats]:
    """(T-1,) by role, how fast each joint turns against its parent, degrees a second; and the
    hips against the world."""
    found = {}
    for role, j in body.roles.items():
        q = Rotation.from_quat(body.turns[:, j, [1, 2, 3, 0]])
        found[role] = np.degrees((q[:-1].inv() * q[1:]).magnitude()) * body.fps
    return found


def peak_speeds(body: Body) -> dict[str, float]:
    """The largest speed of each role's joint."""
    return {r: float(v.max()) if len(v) else 0.0 for r, v in joint_speeds(body).items()}


@dataclass(frozen=True)
class Drift:
    """How far standing feet move: the mean and the largest over all stands, millimetres."""

    stands: int
    mean_mm: float
    p95_mm: float
    most_mm: float


def drift(body: Body) -> Drift:
    """How far feet that stand, found by height and speed alone, move away from their place."""
    away = []
    for side in SIDES:
        point = body.at.get(f"{side}_toe", body.at[f"{side}_ankle"])
        for first, stop in stands(body, side):
            run = point[first:stop][:, [0, 2]]
            away.append(1000.0 * float(np.linalg.norm(run - np.median(run, axis=0), axis=1).max()))
    if not away:
        return Drift(0, 0.0, 0.0, 0.0)
    return Drift(
        len(away), float(np.mean(away)), float(np.percentile(away, 95)), float(np.max(away))
    )


def stands(body: Body, side: str) -> list[tuple[int, int]]:
    """First and stop frames of the times when a foot stands, by height and speed alone."""
    point = body.at.get(f"{side}_toe", body.at[f"{side}_ankle"])
    if len(point) < 3:
        return []
    speed = np.linalg.norm(np.gradient(point, 1.0 / body.fps, axis=0), axis=1)
    floor = np.percentile(point[:, 1], 5.0)
    on = (speed < SLOW_M_S) & (point[:, 1] < floor + LOW_M)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
    spans = edges.reshape(-1, 2)
    return [(int(a), int(b)) for a, b in spans if b - a >= SHORT_S * body.fps]


def root_speed(body: Body) -> Floats:
    """(T-1,) how fast the middle of the hips goes over the ground, m/s."""
    hips = 0.5 * (body.at["left_hip"] + body.at["right_hip"])[:, [0, 2]]
    return np.asarray(np.linalg.norm(np.diff(hips, axis=0), axis=1) * body.fps)


def longest_repetition_s(body: Body, within_s: float = 10.0, tolerance_deg: float = 0.02) -> float:
    """How long a stretch is that comes again, the same in every joint, within so many seconds."""
    turns = body.turns[:, 1:]
    frames, longest = len(turns), 0
    bound = np.cos(np.radians(tolerance_deg) / 2.0)
    for lag in range(max(1, round(0.25 * body.fps)), min(frames, round(within_s * body.fps))):
        same = np.abs((turns[lag:] * turns[:-lag]).sum(-1)).min(axis=1) >= bound
        moving = np.abs((turns[lag:] * turns[lag - 1 : -1]).sum(-1)).min(axis=1) < bound
        longest = max(longest, _longest_run(same & moving))
    return longest / body.fps


def _longest_run(mask: NDArray[np.bool_]) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    spans = edges.reshape(-1, 2)
    return int((spans[:, 1] - spans[:, 0]).max()) if len(spans) else 0
