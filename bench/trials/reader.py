"""Judge the motion of a BVH file in its scene, with code of its own.

Nothing here calls the package: `bvh` reads the file, solids are those of `world`, and feet that
stand are found by height and speed. Each finding names what is wrong, when, the value and the
limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.limits import plain
from bench.trials.bvh import SIDES, Motion
from bench.trials.generate import Trial
from bench.trials.world import Bools, Floats, World

LIMITS: dict[str, float] = {
    "place_m": 0.005,  # beyond the tolerance of a stage
    "yaw_deg": 1.0,
    "hand_m": 0.005,
    "seat_m": 0.01,
    "sole_m": 0.02,
    "corridor_m": 0.02,
    "inward_deg": 45.0,
    "outward_deg": 60.0,
    "knee_step_deg": 40.0,
    "gap_m": 0.03,
    "drift_m": 0.015,
    "inside_m": 0.02,
    "under_m": 0.025,
    "rest_m_s": 0.3,
    "hip_height": 0.6,
}
"""The most (of gap and hip height, the least) that is allowed; metres, degrees, leg lengths."""
RODS: tuple[tuple[str, str, float], ...] = (
    *((f"{s}_hip", f"{s}_knee", 0.065) for s in SIDES),
    *((f"{s}_knee", f"{s}_ankle", 0.042) for s in SIDES),
    *((f"{s}_ankle", f"{s}_toe", 0.02) for s in SIDES),
    *((f"{s}_shoulder", f"{s}_elbow", 0.04) for s in SIDES),
    *((f"{s}_elbow", f"{s}_wrist", 0.03) for s in SIDES),
    ("left_hip", "right_hip", 0.09),
    ("hips", "neck", 0.10),
    ("left_shoulder", "right_shoulder", 0.05),
    ("neck", "head", 0.06),
    ("head", "head_end", 0.07),
)
"""The joints that a body is between, and its radius there for legs of 0.85 m: a lean person."""
_STANDS_M_S, _SHORT_S, _LOW_M = 0.15, 0.15, 0.04
"""A sole point that is slower than this for this long, and this low, stands."""
_LEAP_M, _LEAP_S = 0.1, 0.8
"""A body leaps while both soles are higher than this, for no longer than this."""


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a motion."""

    what: str
    second: float
    value: float
    limit: float

    def __str__(self) -> str:
        return f"{self.what} {self.value:.3g} (limit {self.limit:.3g}) at {self.second:.2f} s"


# ---- the task ---------------------------------------------------------------------------------


def check(motion: Motion, trial: Trial, world: World) -> list[Finding]:
    """Return everything that is wrong with a motion, as a solution of its trial."""
    found = [*_check_start(motion, trial), *_check_stages(motion, trial, world)]
    found += [*_check_feet(motion, world), *_check_legs(motion, trial, world)]
    found += [*_check_solids(motion, world, trial), *_check_rest(motion, trial)]
    return found


def facing(body: plain.Body) -> Floats:
    """Return (T,) the yaw that the hips face, radians."""
    left, right = body.at["left_hip"], body.at["right_hip"]
    return np.asarray(np.arctan2(right[:, 2] - left[:, 2], left[:, 0] - right[:, 0]))


def _off_deg(a: float, b: float) -> float:
    return abs(math.degrees(math.remainder(a - b, math.tau)))


def _check_start(motion: Motion, trial: Trial) -> list[Finding]:
    x, z, yaw = trial.start
    off = float(np.hypot(*(motion.ground_path()[0] - (x, z))))
    found = _over("start is off, m", 0.0, off, 0.1 + LIMITS["place_m"])
    if yaw is not None:
        turned = _off_deg(float(facing(motion.body)[0]), yaw)
        found += _over("start is turned, deg", 0.0, turned, 5.0 + LIMITS["yaw_deg"])
    return found


def _over(what: str, second: float, value: float, limit: float) -> list[Finding]:
    return [] if value <= limit else [Finding(what, second, value, limit)]


def _check_stages(motion: Motion, trial: Trial, world: World) -> list[Finding]:
    """Return which stages are missed; each is looked for after the one before."""
    found: list[Finding] = []
    begin = 0
    for number, stage in enumerate(trial.stages):
        last = number == len(trial.stages) - 1
        when, findings = _STAGES[stage["do"]](motion, stage, begin, last, world)
        found += findings
        begin = max(begin, when)
    return found


Found = tuple[int, list[Finding]]


def _go_to(motion: Motion, stage: Any, begin: int, last: bool, world: World) -> Found:
    root, fps = motion.ground_path(), motion.body.fps
    away = np.hypot(*(root - stage["at"]).T)
    # The last place is where the motion ends; others are passed.
    when = len(root) - 1 if last else begin + int(away[begin:].argmin())
    limit = stage.get("within_m", 0.1) + LIMITS["place_m"]
    found = _over(f"{stage['do']} missed, m", when / fps, float(away[when]), limit)
    if stage.get("yaw") is not None:
        turned = _off_deg(float(facing(motion.body)[when]), stage["yaw"])
        found += _over(f"{stage['do']} turned, deg", when / fps, turned, 5.0 + LIMITS["yaw_deg"])
    return when, found


def _via(motion: Motion, stage: Any, begin: int, last: bool, world: World) -> Found:
    return _go_to(motion, stage, begin, False, world)


def _follow(motion: Motion, stage: Any, begin: int, last: bool, world: World) -> Found:
    fps = motion.body.fps
    path = np.array(stage["path"])
    root = _smooth(motion.ground_path(), round(0.8 * fps))
    away = _distances(root, path)
    when = int(away.argmax())
    limit = stage["corridor_m"] + LIMITS["corridor_m"]
    found = _over("corridor left, m", when / fps, float(away[when]), limit)
    skipped = _distances(path, root)
    found += _over("path not covered, m", 0.0, float(skipped.max()), limit)
    end = float(np.hypot(*(motion.ground_path()[-1] - path[-1])))
    found += _over("path's end missed, m", motion.seconds, end, 0.1 + LIMITS["place_m"])
    return len(root) - 1, found


def _smooth(points: Floats, frames: int) -> Floats:
    half = max(frames // 2, 1)
    kernel = np.full(2 * half + 1, 1.0 / (2 * half + 1))
    padded = np.pad(points, ((half, half), (0, 0)), mode="edge")
    return np.column_stack([np.convolve(padded[:, k], kernel, "valid") for k in range(2)])


def _distances(points: Floats, path: Floats) -> Floats:
    """Return (N,) how far points are from a path."""
    a, step = path[:-1], np.diff(path, axis=0)
    share = ((points[:, None] - a) * step).sum(-1) / np.maximum((step**2).sum(-1), 1e-12)
    near = a + np.clip(share, 0.0, 1.0)[..., None] * step
    return np.asarray(np.linalg.norm(points[:, None] - near, axis=-1).min(axis=1))


def _stand_on(motion: Motion, stage: Any, begin: int, last: bool, world: World) -> Found:
    """Look for a foot that stands with its middle on the place."""
    best, when, fps = math.inf, begin, motion.body.fps
    for side in SIDES:
        middle = motion.soles[side][:, 2]
        for first, stop in stands(motion, side, world):
            if stop <= begin:
                continue
            place = np.median(middle[max(first, begin) : stop][:, [0, 2]], axis=0)
            off = float(np.hypot(*(place - stage["at"])))
            if off < best:
                best, when = off, max(first, begin)
    limit = stage.get("within_m", 0.02) + LIMITS["sole_m"]
    return when, _over("stand on missed, m", when / fps, best, limit)


def _pick(motion: Motion, stage: Any, begin: int, last: bool, world: World) -> Found:
    sides = SIDES if stage["hand"] == "either" else (stage["hand"],)
    # A hand takes things with its palm, the half of it next to the wrist.
    away = np.full(motion.body.frames, np.inf)
    for side in sides:
        wrist, fingers = motion.body.at[f"{side}_wrist"], motion.body.at[f"{side}_fingers"]
        for share in np.linspace(0.0, 0.5, 10):
            palm = wrist + share * (fingers - wrist)
            away = np.minimum(away, np.linalg.norm(palm - stage["at"], axis=1))
    when = begin + int(away[begin:].argmin())
    limit = stage.get("within_m", 0.025) + LIMITS["hand_m"]
    return when, _over("hand missed, m", when / motion.body.fps, float(away[when]), limit)


def _sit(motion: Motion, stage: Any, begin: int, last: bool, world: World) -> Found:
    at, fps = motion.body.at, motion.body.fps
    hips = 0.5 * (at["left_hip"] + at["right_hip"])
    # The lowest time is when somebody sits; the last frames if nothing follows.
    when = len(hips) - 1 if last else begin + int(hips[begin:, 1].argmin())
    off = float(np.hypot(*(hips[when, [0, 2]] - stage["at"])))
    limit = stage.get("within_m", 0.05) + LIMITS["seat_m"]
    found = _over("seat missed, m", when / fps, off, limit)
    above = float(hips[when, 1]) - stage["height_m"]
    found += _over("hips off the seat's height, m", when / fps, abs(above - 0.09), 0.09)
    turned = _off_deg(float(facing(motion.body)[when]), stage["yaw"])
    return when, found + _over("seat turned, deg", when / fps, turned, 16.0)


def _stand_up(motion: Motion, stage: Any, begin: int, last: bool, world: World) -> Found:
    height = plain.hip_height(motion.body)
    when = begin + int(height[begin:].argmax())
    low = 0.9 - float(height[when])
    return when, _over("not stood up, leg lengths below 0.9", when / motion.body.fps, low, 0.0)


def _duck(motion: Motion, stage: Any, begin: int, last: bool, world: World) -> Found:
    at, fps = np.array(stage["at"]), motion.body.fps
    away = np.hypot(*(motion.ground_path() - at).T)
    when = begin + int(away[begin:].argmin())
    limit = stage.get("within_m", 0.5) + LIMITS["place_m"]
    found = _over("duck missed, m", when / fps, float(away[when]), limit)
    # Whatever of the body is within 0.2 m of the place, seen from above, is below the height.
    points = np.stack([*motion.body.at.values()], axis=1)
    near = np.hypot(*(points[..., [0, 2]] - at).transpose(2, 0, 1)) < 0.2
    heights = np.where(near, points[..., 1], -np.inf).max(axis=1)
    high = int(heights.argmax())
    found += _over("above the bar, m", high / fps, float(heights[high]), stage["height_m"] + 0.01)
    return when, found


_STAGES = {
    "go to": _go_to, "via": _via, "follow": _follow, "stand on": _stand_on, "pick": _pick,
    "sit": _sit, "stand up": _stand_up, "duck": _duck,
}  # fmt: skip


# ---- the body ---------------------------------------------------------------------------------


def stands(motion: Motion, side: str, world: World, point: int = 1) -> list[tuple[int, int]]:
    """Return first and stop frames of the times when a sole point is slow and near the ground."""
    at, fps = motion.soles[side][:, point], motion.body.fps
    speed = np.linalg.norm(np.gradient(at, 1.0 / fps, axis=0), axis=1)
    ground = world.surface(at[:, [0, 2]], at[:, 1] + 0.15)
    low = ~(at[:, 1] - ground > _LOW_M)  # where there is no ground, slow is enough
    on = (speed < _STANDS_M_S) & low
    edges = np.flatnonzero(np.diff(np.concatenate([[0], on, [0]])))
    spans = edges.reshape(-1, 2).tolist()
    return [(a, b) for a, b in spans if b - a >= _SHORT_S * fps]


def _check_feet(motion: Motion, world: World) -> list[Finding]:
    """Return feet that drift, stand over nothing, sink in, or point elsewhere than the hips."""
    found: list[Finding] = []
    fps, yaw = motion.body.fps, facing(motion.body)
    for side in SIDES:
        worst = {"drift": (0.0, 0), "in": (0.0, 0), "out": (0.0, 0), "none": (0.0, 0)}
        sole = motion.soles[side]
        ahead = sole[:, 1] - sole[:, 0]
        away = np.degrees(np.arctan2(ahead[:, 0], ahead[:, 2]) - yaw)
        away = (away + 180.0) % 360.0 - 180.0
        outward = away if side == "left" else -away
        for point in (0, 1):
            for first, stop in stands(motion, side, world, point):
                run = sole[first + 2 : stop - 2, point][:, [0, 2]]
                drift = np.linalg.norm(run - np.median(run, axis=0), axis=1)
                _keep_most(worst, "drift", float(drift.max()), first)
                ground = world.surface(run, sole[first + 2 : stop - 2, point, 1] + 0.15)
                _keep_most(worst, "none", float(np.isnan(ground).mean()), first)
                flat = slice(first, stop)
                _keep_most(worst, "in", float(-np.percentile(outward[flat], 10)), first)
                _keep_most(worst, "out", float(np.percentile(outward[flat], 90)), first)
        for key, what, limit in (
            ("drift", "foot drifts, m", LIMITS["drift_m"]),
            ("in", "foot inward, deg", LIMITS["inward_deg"]),
            ("out", "foot outward, deg", LIMITS["outward_deg"]),
            ("none", "foot over nothing, share", 0.5),
        ):
            value, frame = worst[key]
            found += _over(f"{side} {what}", frame / fps, value, limit)
        found += _check_depth(motion, side, world)
    return found


def _keep_most(worst: dict[str, tuple[float, int]], key: str, value: float, frame: int) -> None:
    if value > worst[key][0]:
        worst[key] = value, frame


def _check_depth(motion: Motion, side: str, world: World) -> list[Finding]:
    found = []
    for point, name in ((0, "heel"), (1, "ball")):
        at = motion.soles[side][:, point]
        ground = world.surface(at[:, [0, 2]], at[:, 1] + 0.15)
        deep = np.nan_to_num(ground - at[:, 1], nan=0.0)
        when = int(deep.argmax())
        second = when / motion.body.fps
        found += _over(f"{side} {name} under the ground, m", second, deep[when], LIMITS["under_m"])
    return found


def leaps(motion: Motion, world: World) -> Bools:
    """Return (T,) when the body leaps: no sole is near the ground or water, for a short time."""
    soles = np.concatenate([motion.soles[side] for side in SIDES], axis=1)
    points = soles.reshape(-1, 3)
    flat = points[:, [0, 2]]
    floor = np.fmax(world.surface(flat, points[:, 1] + 0.15), world.water_level(flat))
    near = points[:, 1] < np.nan_to_num(floor, nan=-np.inf) + _LEAP_M
    up = ~near.reshape(soles.shape[:2]).any(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], up, [0]])))
    for first, stop in edges.reshape(-1, 2).tolist():
        up[first:stop] = stop - first <= _LEAP_S * motion.body.fps
    return np.asarray(up)


def _check_legs(motion: Motion, trial: Trial, world: World) -> list[Finding]:
    body = motion.body
    step = np.abs(np.diff(plain.knees_deg(body), axis=0)).max(axis=1)
    most = LIMITS["knee_step_deg"] * 30.0 / body.fps
    found = _over("knee jumps, deg a frame", int(step.argmax()) / body.fps, float(step.max()), most)
    gap = plain.leg_gap_m(body)
    when = int(gap.argmin())
    if gap[when] < LIMITS["gap_m"]:
        found.append(Finding("legs close, m", when / body.fps, float(gap[when]), LIMITS["gap_m"]))
    if trial.family not in ("bar", "chair", "pick"):
        # Legs that are drawn up in a leap, as over a hurdle, are no crouch.
        height = np.where(leaps(motion, world), np.inf, plain.hip_height(body))
        when = int(height.argmin())
        if height[when] < LIMITS["hip_height"]:
            least = LIMITS["hip_height"]
            found.append(Finding("hips low, legs", when / body.fps, float(height[when]), least))
    return found


def _check_solids(motion: Motion, world: World, trial: Trial) -> list[Finding]:
    """Return how deep a part of the body is inside of an obstacle, the deepest of each."""
    body, size = motion.body, motion.body.leg_m / 0.85
    touched = "chair" if trial.family == "chair" else ""
    worst: dict[str, Finding] = {}
    for first, last, radius in RODS:
        a, b = body.at[first], body.at[last]
        count = max(2, math.ceil(float(np.linalg.norm(b - a, axis=1).max()) / 0.04) + 1)
        points = (a + np.linspace(0.0, 1.0, count)[:, None, None] * (b - a)).reshape(-1, 3)
        for solid in world.solids:
            near = (np.abs(points - solid.centre) <= solid.reach + radius * size).all(axis=1)
            rows = np.flatnonzero(near)
            if not len(rows) or (solid.name == touched and first.endswith(("hip", "hips"))):
                continue
            deep = radius * size - solid.distance(points[rows])
            n = int(deep.argmax())
            second = float(rows[n] % body.frames) / body.fps
            finding = Finding(f"{first} in {solid.name}, m", second, deep[n], LIMITS["inside_m"])
            if deep[n] > max(LIMITS["inside_m"], _value(worst, solid.name)):
                worst[solid.name] = finding
    return list(worst.values())


def _value(worst: dict[str, Finding], name: str) -> float:
    return worst[name].value if name in worst else 0.0


def _check_rest(motion: Motion, trial: Trial) -> list[Finding]:
    body = motion.body
    speed = plain.root_speed(body)
    found = _over("speed at the start, m/s", 0.0, float(speed[:3].mean()), LIMITS["rest_m_s"])
    end = float(speed[-3:].mean())
    return found + _over("speed at the end, m/s", motion.seconds, end, LIMITS["rest_m_s"])
