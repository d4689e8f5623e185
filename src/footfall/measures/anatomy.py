"""The body's values that `verify` checks, as measures: the worst of each in a clip."""

from __future__ import annotations

import math
from dataclasses import dataclass

from footfall.body.clip import Clip
from footfall.task.verify.limits import clip_extremes


@dataclass(frozen=True)
class Anatomy:
    """The worst of each value of the body; see `footfall.task.verify.limits` for its limits.

    foot_yaw_in_deg, foot_yaw_out_deg      standing feet against the pelvis
    foot_twist_in_deg, foot_twist_out_deg  standing feet against the thighs
    standing_knee_deg                      flexion of a knee over a standing foot
    knee_jump_deg                          change of a knee's flexion within 1/30 s
    shank_gap_cm, foot_gap_cm              between the axes of both legs, of a mean body
    hip_height_least_legs                  the hips above the lower standing foot
    planted_drift_mm                       touching heels and toes from their mean place
    joint_speed_deg_s, joint_pop_deg_s     of the fastest joint, over 1/30 s
    """

    foot_yaw_in_deg: float
    foot_yaw_out_deg: float
    foot_twist_in_deg: float
    foot_twist_out_deg: float
    standing_knee_deg: float
    knee_jump_deg: float
    shank_gap_cm: float
    foot_gap_cm: float
    hip_height_least_legs: float
    planted_drift_mm: float
    joint_speed_deg_s: float
    joint_pop_deg_s: float


def anatomy(clip: Clip) -> Anatomy:
    """Measure the worst of each value of the body in a clip."""
    found = clip_extremes(clip)

    def value(name: str) -> float:
        known = found.get(name, math.nan)
        return known if math.isfinite(known) else math.nan

    def fastest(kind: str) -> float:
        return max((v for k, v in found.items() if k.startswith(f"{kind}: ")), default=math.nan)

    return Anatomy(
        value("foot yaw in"), value("foot yaw out"), value("foot twist in"),
        value("foot twist out"), value("knee flexion, standing"), value("knee jump"),
        -value("leg gap"), -value("foot gap"), -value("crouch"), value("drift"),
        fastest("joint speed"), fastest("joint pop"),
    )  # fmt: skip
