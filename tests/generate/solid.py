"""Bodies with thickness: capsules about the bones of a clip, and how deep they are in each other
and in boxes. Written for tests, with nothing of the generator's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import foot_points
from footfall.body.roles import SIDES
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats


@dataclass(frozen=True)
class Capsule:
    """All points within `radius` of the line from a (T, 3) to b (T, 3), metres."""

    name: str
    a: Floats
    b: Floats
    radius: float


@dataclass(frozen=True)
class Box:
    """An upright box: least and most of x, y, z, metres."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]


RADII = {
    "thigh": 0.062, "shank": 0.045, "foot": 0.022, "toes": 0.014,
    "upper_arm": 0.04, "forearm": 0.034, "hand": 0.022,
    "pelvis": 0.085, "belly": 0.085, "chest": 0.095, "head": 0.085,
}  # fmt: skip
"""Metres, of a slim adult with legs of 0.824 m: bones and flesh that does not give way."""


def capsules(clip: Clip) -> dict[str, Capsule]:
    """The capsules of a clip by name."""
    poses = clip.world
    role, places, turns = clip.skeleton.role, poses.positions, poses.rotations
    ends = clip.end_positions
    points = foot_points(clip.skeleton)
    leg = np.linalg.norm(clip.skeleton.offsets[role("left_knee")]) + np.linalg.norm(
        clip.skeleton.offsets[role("left_ankle")]
    )
    found: dict[str, Capsule] = {}

    def put(name: str, kind: str, a: Floats, b: Floats) -> None:
        found[name] = Capsule(name, a, b, RADII[kind] * float(leg) / 0.824)

    for n, side in enumerate(SIDES):
        at = {part: places[:, role(f"{side}_{part}")] for part in
              ("hip", "knee", "ankle", "toe", "shoulder", "elbow", "wrist")}  # fmt: skip
        put(f"{side}_thigh", "thigh", at["hip"], at["knee"])
        put(f"{side}_shank", "shank", at["knee"], at["ankle"])
        heel, ball, tip = (
            places[:, p.joint] + quat.rotate(turns[:, p.joint], p.offset) for p in points.side(side)
        )
        rise = found[f"{side}_shank"].radius * 0.5
        lift = quat.rotate(turns[:, role(f"{side}_ankle")], np.array([0.0, rise, 0.0]))
        # The ball is round: what is above it is above it however the foot is turned.
        up = np.array([0.0, rise, 0.0])
        tilt = quat.rotate(turns[:, role(f"{side}_toe")], up)
        put(f"{side}_foot", "foot", heel + lift, ball + up)
        put(f"{side}_toes", "toes", ball + 0.64 * up, tip + 0.64 * tilt)
        put(f"{side}_upper_arm", "upper_arm", at["shoulder"], at["elbow"])
        put(f"{side}_forearm", "forearm", at["elbow"], at["wrist"])
        put(f"{side}_hand", "hand", at["wrist"], ends[:, 1 + n])
    hips = [places[:, role(f"{side}_hip")] for side in SIDES]
    put("pelvis", "pelvis", *(0.5 * h + 0.5 * places[:, 0] for h in hips))
    waist, chest, neck = (places[:, role(r)] for r in ("spine", "chest", "neck"))
    put("belly", "belly", waist, chest)
    put("chest", "chest", chest, 0.4 * chest + 0.6 * neck)
    head = places[:, role("head")]
    put("head", "head", head + 0.35 * (ends[:, 0] - head), head + 0.5 * (ends[:, 0] - head))
    return found


def depth(one: Capsule, two: Capsule) -> Floats:
    """(T,) how deep two capsules are in each other, metres; negative is the gap."""
    return np.asarray(one.radius + two.radius - _apart(one.a, one.b, two.a, two.b))


def depth_in_box(one: Capsule, box: Box, samples: int = 9) -> Floats:
    """(T,) how deep a capsule is in a box, metres; negative is the gap."""
    low, high = np.array(box.low), np.array(box.high)
    best = np.full(len(one.a), -np.inf)
    for share in np.linspace(0.0, 1.0, samples):
        p = one.a + share * (one.b - one.a)
        out = np.maximum(np.maximum(low - p, p - high), 0.0)
        inside = np.minimum(p - low, high - p).min(axis=1)
        gap = np.linalg.norm(out, axis=1)
        best = np.maximum(best, one.radius + np.where(gap > 0.0, -gap, inside))
    return best


_OF_SIDES = tuple(
    pair
    for side, other in (SIDES, SIDES[::-1])
    for pair in (
        *((f"{side}_{part}", body) for part in ("forearm", "hand")
          for body in ("pelvis", "belly", "chest", "head", "left_thigh", "right_thigh",
                       "left_shank", "right_shank")),
        (f"{side}_upper_arm", "pelvis"), (f"{side}_upper_arm", "belly"),
        (f"{side}_upper_arm", f"{side}_thigh"),
        (f"{side}_shank", f"{other}_foot"), (f"{side}_thigh", f"{side}_foot"),
        (f"{side}_toes", f"{other}_foot"), (f"{side}_foot", f"{other}_thigh"),
        (f"{side}_foot", "pelvis"),
    )
)  # fmt: skip
PAIRS: Sequence[tuple[str, str]] = (
    *_OF_SIDES,
    ("left_shank", "right_shank"), ("left_foot", "right_foot"), ("left_toes", "right_toes"),
    ("left_forearm", "right_forearm"), ("left_hand", "right_hand"),
)  # fmt: skip
"""Parts that must not be in each other; neighbours at a joint are left out."""


def collisions(clip: Clip) -> Iterator[tuple[str, str, float, int]]:
    """Every pair of parts that is in each other: how deep, metres, at which frame."""
    parts = capsules(clip)
    for a, b in PAIRS:
        deep = depth(parts[a], parts[b])
        if deep.max() > 0.0:
            yield a, b, float(deep.max()), int(deep.argmax())


def _apart(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """(T,) the least distance of lines a b and c d."""
    u, v, w = b - a, d - c, a - c
    uu, uv, vv = _dot(u, u), _dot(u, v), _dot(v, v)
    uw, vw = _dot(u, w), _dot(v, w)
    det = uu * vv - uv * uv
    s = np.clip(np.where(det > 1e-12, (uv * vw - vv * uw) / np.maximum(det, 1e-12), 0.0), 0.0, 1.0)
    best = np.full(len(a), np.inf)
    for start in (s, np.zeros_like(s), np.ones_like(s)):
        t = np.clip((uv * start + vw) / np.maximum(vv, 1e-12), 0.0, 1.0)
        again = np.clip((uv * t - uw) / np.maximum(uu, 1e-12), 0.0, 1.0)
        gap = w + again[:, None] * u - t[:, None] * v
        best = np.minimum(best, np.sqrt(_dot(gap, gap)))
    return best


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("ti,ti->t", a, b))
