"""Describe posture in a few numbers that do not depend on body size.

Whatever makes a motion out of another (cleaning, retargeting, planning) keeps them: legs as
stretched, hips as high, the trunk leaning as much, the shoulders as level, the legs as far apart
and toes that bend no faster. `LIMITS` says how much of each may change.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import mean_leg
from footfall.body.kinematics import WorldPoses
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M

ENOUGH_GAP_CM = 4.0
"""Shanks this far apart, axis from axis, are apart, whatever they were in the source."""
TOE_SPEED_RATIO = 1.2
_NEVER_MIND_DEG_S = 60.0
"""Toes that turn no faster than this against their feet do not bend."""
_TOE_RATE_HZ = 30.0
_COINCIDE = 0.03


@dataclass(frozen=True)
class PostureFigures:
    """Medians over the frames of a clip, but the least gap and the fastest toe; nan: not known.

    knee_flexion_deg   how far the knees are from straight, both legs
    hip_height_legs    the middle of the hip joints above the lower ankle, in leg lengths
    trunk_lean_deg     forward lean of the line from the middle of the hip joints to the top of
                       the trunk, halfway between the shoulders and the neck's base
    shoulder_drop_cm   how much lower the shoulders are on the chest than in the skeleton's own
                       rest pose
    leg_gap_cm         the least distance between the axes of the two shanks, knee to ankle
    toe_speed_deg_s    the fastest that a toe joint turns against its foot, from one thirtieth of
                       a second to the next

    Centimetres are those of a body with legs of the default character's length.
    """

    knee_flexion_deg: float
    hip_height_legs: float
    trunk_lean_deg: float
    shoulder_drop_cm: float
    leg_gap_cm: float
    toe_speed_deg_s: float

    def as_dict(self) -> dict[str, float | None]:
        """Plain numbers for JSON; what is not known is None."""
        return {k: float(v) if math.isfinite(v) else None for k, v in asdict(self).items()}


LIMITS: Mapping[str, float] = {
    "knee_flexion_deg": 2.0,
    "hip_height_legs": 0.01,
    "trunk_lean_deg": 1.5,
    "shoulder_drop_cm": 2.0,
}
"""How far a median may be from the source's."""


def posture_figures(clip: Clip) -> PostureFigures:
    """Return the posture of a humanoid clip in numbers."""
    poses = clip.world
    skeleton, places = clip.skeleton, poses.positions
    return PostureFigures(
        knee_flexion_deg=float(np.median(knee_flexions(skeleton, places))),
        hip_height_legs=float(np.median(_hip_heights(skeleton, places))),
        trunk_lean_deg=float(np.median(_leans(skeleton, places))),
        shoulder_drop_cm=_scaled_cm(skeleton, float(np.median(_shoulder_drops(skeleton, poses)))),
        leg_gap_cm=_scaled_cm(skeleton, float(shank_gaps(skeleton, places).min())),
        toe_speed_deg_s=_toe_speed(clip),
    )


def changes_beyond_limits(
    value: Mapping[str, float | None], least: Mapping[str, float | None],
    most: Mapping[str, float | None],
) -> dict[str, str]:  # fmt: skip
    """Measure -> "above" or "below", for what is off the range of the sources by too much.

    All three are of `PostureFigures.as_dict`; for one source, least and most are the same.
    """
    out = {}
    for name, here in value.items():
        low, high = least.get(name), most.get(name)
        if here is None or low is None or high is None:
            continue
        below, above = _allowed_range(name, low, high)
        if here > above:
            out[name] = "above"
        elif here < below:
            out[name] = "below"
    return out


def _allowed_range(name: str, low: float, high: float) -> tuple[float, float]:
    """Return the least and the most that a measure may be beside sources from `low` to `high`."""
    if name == "leg_gap_cm":
        return min(low, ENOUGH_GAP_CM), math.inf
    if name == "toe_speed_deg_s":
        return -math.inf, max(TOE_SPEED_RATIO * high, _NEVER_MIND_DEG_S)
    return low - LIMITS[name], high + LIMITS[name]


def knee_flexions(skeleton: Skeleton, places: Floats) -> Floats:
    """Return (T, 2) how far the left and the right knee are from straight, degrees."""
    bends = []
    for side in SIDES:
        hip, knee, ankle = (
            places[:, skeleton.role(f"{side}_{part}")] for part in ("hip", "knee", "ankle")
        )
        bends.append(_angles(knee - hip, ankle - knee))
    return np.stack(bends, axis=1)


def shank_gaps(skeleton: Skeleton, places: Floats) -> Floats:
    """Return (T,) the distance between the axes of the two shanks, metres."""
    left, right = (
        (places[:, skeleton.role(f"{side}_knee")], places[:, skeleton.role(f"{side}_ankle")])
        for side in SIDES
    )
    return segment_distances(*left, *right)


def segment_distances(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """Return (T,) the distances between segments from a to b and from c to d, all (T, 3)."""
    s, t = segment_shares(a, b, c, d)
    return _length(a - c + s[:, None] * (b - a) - t[:, None] * (d - c))


def segment_shares(a: Floats, b: Floats, c: Floats, d: Floats) -> tuple[Floats, Floats]:
    """Return (T,), (T,) where segments a-b and c-d are nearest, from 0 at the start to 1."""
    u, v, w = b - a, d - c, a - c
    uu, uv, vv = _dot(u, u), _dot(u, v), _dot(v, v)
    uw, vw = _dot(u, w), _dot(v, w)
    full = uu * vv - uv * uv
    s = np.clip(np.where(full > 1e-12, (uv * vw - vv * uw) / np.maximum(full, 1e-12), 0.0), 0, 1)
    t = np.clip((uv * s + vw) / np.maximum(vv, 1e-12), 0.0, 1.0)
    s = np.clip((uv * t - uw) / np.maximum(uu, 1e-12), 0.0, 1.0)
    t = np.clip((uv * s + vw) / np.maximum(vv, 1e-12), 0.0, 1.0)
    return s, t


@lru_cache(maxsize=64)
def neck_base(skeleton: Skeleton) -> int | None:
    """Return the joint at the base of the neck; None where there is nothing between chest and head.

    Where the neck's first joint coincides with the chest, it is the next one: skeletons that
    start neck and clavicles from one point have another joint where the neck begins.
    """
    roles, rest = skeleton.roles, skeleton.rest_positions
    neck, head = roles.get("neck"), roles.get("head")
    if neck is None:
        return None
    away = math.dist(rest[neck], rest[roles["chest"]])
    if away > _COINCIDE * mean_leg(skeleton) or head is None or head == neck:
        return neck
    base = skeleton.chain(neck, head)[1]
    return None if base == head else base


def trunk_tops(skeleton: Skeleton, places: Floats) -> Floats:
    """Return (T, 3) the top of the trunk: halfway between the neck's base and mid-shoulder."""
    shoulders, neck = middles(skeleton, places, "shoulder"), neck_base(skeleton)
    return shoulders if neck is None else 0.5 * (shoulders + places[:, neck])


def middles(skeleton: Skeleton, places: Floats, part: str) -> Floats:
    """Return (T, 3) the middle between the left and the right joint of a role."""
    left, right = (skeleton.role(f"{side}_{part}") for side in SIDES)
    return 0.5 * (places[:, left] + places[:, right])


def _hip_heights(skeleton: Skeleton, places: Floats) -> Floats:
    """Return (T,) the middle of the hips above the lower ankle, in leg lengths."""
    ankles = [skeleton.role(f"{side}_ankle") for side in SIDES]
    height = middles(skeleton, places, "hip")[:, 1] - places[:, ankles, 1].min(axis=1)
    return np.asarray(height / max(mean_leg(skeleton), 1e-9))


def _leans(skeleton: Skeleton, places: Floats) -> Floats:
    """Return (T,) how far the trunk leans forward, degrees."""
    trunk = trunk_tops(skeleton, places) - middles(skeleton, places, "hip")
    across = places[:, skeleton.role("left_hip")] - places[:, skeleton.role("right_hip")]
    ahead = np.stack([-across[:, 2], across[:, 0]], axis=1)
    ahead /= np.maximum(_length(ahead), 1e-9)[:, None]
    forward = _dot(trunk[:, [0, 2]], ahead)
    return np.asarray(np.degrees(np.arctan2(forward, trunk[:, 1])))


def _shoulder_drops(skeleton: Skeleton, poses: WorldPoses) -> Floats:
    """Return (T,) metres that shoulders hang below their rest position, along the chest."""
    chest, rest = skeleton.role("chest"), skeleton.rest_positions[None]
    usual = (middles(skeleton, rest, "shoulder") - rest[:, chest])[0]
    now = middles(skeleton, poses.positions, "shoulder") - poses.positions[:, chest]
    up = quat.rotate(poses.rotations[:, chest], np.array([0.0, 1.0, 0.0]))
    return np.asarray(usual[1] - _dot(now, up))


def _toe_speed(clip: Clip) -> float:
    """Return the fastest turn of a toe joint against its parent, degrees a second; 0 without."""
    toes = [clip.skeleton.roles[r] for r in ("left_toe", "right_toe") if r in clip.skeleton.roles]
    step = max(1, round(clip.fps / _TOE_RATE_HZ))
    if not toes or len(clip) <= step:
        return 0.0
    turns = clip.rotations[:, toes]
    angles = quat.angle_between(turns[step:], turns[:-step])
    return float(np.degrees(angles.max()) * clip.fps / step)


def _scaled_cm(skeleton: Skeleton, metres: float) -> float:
    """Return centimetres of a body with legs of the default character's length."""
    return 100.0 * metres * MEAN_LEG_M / max(mean_leg(skeleton), 1e-9)


def _angles(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.degrees(np.arctan2(_length(quat.cross(a, b)), _dot(a, b))))


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("ti,ti->t", a, b))


def _length(v: Floats) -> Floats:
    return np.asarray(np.sqrt(_dot(v, v)))
