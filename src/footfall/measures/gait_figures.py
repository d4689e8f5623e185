"""Figures of gait, stride by stride, and beside those of real strides at the same speed.

Lengths are leg lengths and speeds compare by √(g leg), so that tall and short people do. Angles
come from the directions of bones between joints, not from the axes of joints, which differ from
skeleton to skeleton; ranges are from the least to the most over a stride, the mean of both sides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.gait.strides import Stride
from footfall.gait.tags import Sight, look_at
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.signals import differentiate
from footfall.measures.features import POINTS, RATE_HZ, FeatureTrack, track_of

SAME_SPEED = 0.15
"""Strides whose speeds differ by less than this share are at the same speed."""
LEAST_STRIDES = 4
"""Fewer real strides than this at a speed are no range."""
_SEEN = 0.6
"""This share of a stride must show the gait; tags begin and end with whole steps."""
_SIDES = ("left", "right")


@dataclass(frozen=True)
class GaitFigures:
    """One stride, or the mean of several.

    kind                       "walk", "run" or "backward"
    speed_m_s                  along the way; speed_froude the same in √(g leg)
    cadence_steps_min          steps per minute; relative_cadence the same times √(leg / g)
    step_length_legs           the way of a step along the path
    duty_factor                share of the stride for which a foot stands
    step_width_legs            how far the feet are apart across the way
    pelvis_rise_legs           how far the hips go up and down; pelvis_sway_legs to and fro aside
    foot_clearance_legs        how high the sole goes over the ground in a swing, its lowest point
    hip_range_deg              thigh against the vertical, fore and aft
    knee_range_deg             and its least and largest bend
    ankle_range_deg            foot against shank
    pelvis_list_range_deg      the line of the hips against the horizontal
    pelvis_rotation_range_deg  the line of the hips against the heading
    trunk_counter_range_deg    the line of the shoulders against that of the hips, about the
                               vertical
    trunk_lean_deg             mean lean of the trunk, forward positive
    shoulder_range_deg         upper arm against the trunk's line, fore and aft
    elbow_range_deg            and its mean bend
    arm_swing_legs             how far the wrists go fore and aft against the hips
    jerk_m_s3                  mean third derivative of all points below 6 Hz, at 30 Hz, for the
                               body's own leg length; relative_jerk in g √(g / leg)
    """

    kind: str
    speed_m_s: float
    speed_froude: float
    cadence_steps_min: float
    relative_cadence: float
    step_length_legs: float
    duty_factor: float
    step_width_legs: float
    pelvis_rise_legs: float
    pelvis_sway_legs: float
    foot_clearance_legs: float
    hip_range_deg: float
    knee_range_deg: float
    knee_least_deg: float
    knee_most_deg: float
    ankle_range_deg: float
    pelvis_list_range_deg: float
    pelvis_rotation_range_deg: float
    trunk_counter_range_deg: float
    trunk_lean_deg: float
    shoulder_range_deg: float
    elbow_range_deg: float
    elbow_mean_deg: float
    arm_swing_legs: float
    jerk_m_s3: float
    relative_jerk: float

    def values(self) -> dict[str, float]:
        """Return all figures by name."""
        return {name: getattr(self, name) for name in FIGURES}


FIGURES = tuple(f.name for f in fields(GaitFigures) if f.name != "kind")
_OF_SIZE = ("speed_m_s", "speed_froude", "cadence_steps_min", "jerk_m_s3")
COMPARED = tuple(name for name in FIGURES if name not in _OF_SIZE)
"""Figures that are set beside those of real strides: those that tall and short people share."""


@dataclass(frozen=True)
class FigureRow:
    """One figure of clips beside real strides of the same kind and speed.

    speed_m_s  the mean speed of the strides; strides how many of them, real_strides of real ones
    value      their mean
    low, high  the least and the largest real value
    inside     whether the value lies between them
    """

    figure: str
    kind: str
    speed_m_s: float
    strides: int
    real_strides: int
    value: float
    low: float
    high: float
    inside: bool


def stride_figures(clip: Clip, sight: Sight | None = None) -> tuple[GaitFigures, ...]:
    """Return the figures of each whole stride of plain going in a clip; none if there is none."""
    sight = sight or look_at(clip)
    track = track_of(clip, sight)
    angles = _angles(track)
    jerk = _jerk(track)
    found = []
    for stride in sight.strides:
        first, last = (round(t * RATE_HZ) for t in (stride.begin_s, stride.end_s))
        span = slice(first, min(last, len(track) - 1) + 1)
        kinds = [kind for kind in track.kinds[span] if kind]
        plain = len(set(kinds)) == 1 and len(kinds) >= _SEEN * (span.stop - span.start)
        if plain and not kinds[0].endswith("_turn") and _even(stride):
            found.append(_figures(kinds[0], stride, sight, track, angles, jerk, span))
    return tuple(found)


def _even(stride: Stride) -> bool:
    """Return whether the left foot strikes about halfway; otherwise a contact is wrong."""
    halfway = stride.key_times_s[2] - stride.begin_s
    return 0.35 * stride.seconds < halfway < 0.65 * stride.seconds


def mean_figures(strides: Sequence[GaitFigures]) -> GaitFigures:
    """Return the mean of strides of one kind."""
    if not strides:
        raise InputError("there are no strides", remedy="at least one is needed")
    means = {name: float(np.mean([getattr(s, name) for s in strides])) for name in FIGURES}
    return GaitFigures(kind=strides[0].kind, **means)


def compare_figures(clips: Sequence[Clip], reference: Sequence[Clip]) -> tuple[FigureRow, ...]:
    """Return each figure of clips beside real strides, one row for each kind and speed they go at.

    Speeds that differ by less than SAME_SPEED stand in one row. Those at which there are fewer
    than LEAST_STRIDES real strides are left out, and those for which all of them are slower or all
    faster, as most figures change with speed.
    """
    ours = [s for clip in clips for s in stride_figures(clip)]
    theirs = [s for clip in reference for s in stride_figures(clip)]
    return compare_strides(ours, theirs)


def compare_strides(
    ours: Sequence[GaitFigures], theirs: Sequence[GaitFigures]
) -> tuple[FigureRow, ...]:
    """Return the same from strides."""
    rows: list[FigureRow] = []
    for (kind, _), strides in sorted(_by_speed(ours).items()):
        mean = mean_figures(strides)
        low, high = mean.speed_froude * (1.0 - SAME_SPEED), mean.speed_froude * (1.0 + SAME_SPEED)
        near = [s for s in theirs if s.kind == kind and low <= s.speed_froude <= high]
        slower = sum(s.speed_froude < mean.speed_froude for s in near)
        if len(near) < LEAST_STRIDES or slower in (0, len(near)):
            continue
        for name in COMPARED:
            real = [getattr(s, name) for s in near]
            value, least, most = getattr(mean, name), min(real), max(real)
            row = FigureRow(
                name, kind, mean.speed_m_s, len(strides), len(near),
                value, least, most, least <= value <= most,
            )  # fmt: skip
            rows.append(row)
    return tuple(rows)


def _by_speed(strides: Sequence[GaitFigures]) -> dict[tuple[str, int], list[GaitFigures]]:
    """Strides by kind and speed, each within SAME_SPEED of the next."""
    groups: dict[tuple[str, int], list[GaitFigures]] = {}
    for stride in strides:
        place = math.floor(math.log(max(stride.speed_froude, 1e-3)) / SAME_SPEED)
        groups.setdefault((stride.kind, place), []).append(stride)
    return groups


def _figures(
    kind: str, stride: Stride, sight: Sight, track: FeatureTrack, angles: Mapping[str, Floats],
    jerk: Floats, span: slice,
) -> GaitFigures:  # fmt: skip
    leg = sight.leg_m
    tempo = math.sqrt(leg / GRAVITY)
    fps = sight.fps
    own = slice(round(stride.begin_s * fps), round(stride.end_s * fps) + 1)
    hips = sight.contacts.motion.hips[own] / leg
    knees = angles["knee"][span]
    return GaitFigures(
        kind=kind,
        speed_m_s=stride.speed_m_s,
        speed_froude=stride.speed_m_s / leg * tempo,
        cadence_steps_min=stride.cadence,
        relative_cadence=stride.cadence / 60.0 * tempo,
        step_length_legs=0.5 * stride.length_m / leg,
        duty_factor=stride.duty,
        step_width_legs=stride.step_width_m / leg,
        pelvis_rise_legs=_range(_level(hips[:, 1:2])),
        pelvis_sway_legs=_range(_sway(hips)),
        foot_clearance_legs=_clearance(stride, sight) / leg,
        hip_range_deg=_range(angles["thigh"][span]),
        knee_range_deg=_range(knees),
        knee_least_deg=float(knees.min(axis=0).mean()),
        knee_most_deg=float(knees.max(axis=0).mean()),
        ankle_range_deg=_range(angles["ankle"][span]),
        pelvis_list_range_deg=_range(angles["list"][span]),
        pelvis_rotation_range_deg=_range(_level(angles["pelvis"][span])),
        trunk_counter_range_deg=_range(_level(angles["counter"][span])),
        trunk_lean_deg=float(angles["lean"][span].mean()),
        shoulder_range_deg=_range(angles["arm"][span]),
        elbow_range_deg=_range(angles["elbow"][span]),
        elbow_mean_deg=float(angles["elbow"][span].mean()),
        arm_swing_legs=_range(
            track.places[span][:, [POINTS.index(f"{s}_wrist") for s in _SIDES], 2]
        ),
        jerk_m_s3=float(jerk[span].mean()),
        relative_jerk=float(jerk[span].mean()) * tempo / GRAVITY,
    )


def _range(values: Floats) -> float:
    """Return the mean range, least to most, of values (T, N)."""
    return float((values.max(axis=0) - values.min(axis=0)).mean())


def _level(values: Floats) -> Floats:
    """Values (T, N) without the straight line from the first to the last: floors drift."""
    way = np.linspace(0.0, 1.0, len(values))[:, None]
    return np.asarray(values - way * (values[-1] - values[0]))


def _sway(hips: Floats) -> Floats:
    """Return (T, 1) how far the hips (T, 3) are to the side of an arc from first to last."""
    along = (hips[-1] - hips[0])[[2, 0]]
    across = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-9)
    aside = (hips[:, [2, 0]] - hips[0, [2, 0]]) @ across
    u = np.linspace(-1.0, 1.0, len(aside))
    # The way itself bends when turning; a parabola through the stride is not sway.
    bend = np.polynomial.polynomial.polyfit(u, aside, 2)
    return np.asarray(aside - np.polynomial.polynomial.polyval(u, bend))[:, None]


def _clearance(stride: Stride, sight: Sight) -> float:
    """Return how high the lowest point of a swinging sole gets over its stances, metres."""
    inside = [
        step.lift for step in sight.steps
        if step.end_s > stride.begin_s and step.begin_s < stride.end_s
    ]  # fmt: skip
    return float(np.mean(inside)) if inside else 0.0


def _jerk(track: FeatureTrack) -> Floats:
    """Return (T,) mean length of the third derivative over all points, m/s³."""
    speed = math.sqrt(GRAVITY * track.leg_m)
    third = differentiate(differentiate(track.velocities * speed, RATE_HZ), RATE_HZ)
    return np.asarray(np.sqrt((third**2).sum(axis=-1)).mean(axis=1))


def _angles(track: FeatureTrack) -> dict[str, Floats]:
    """Angles (T, 1) or (T, 2), degrees, left and right; fore and aft as the heading has it."""
    at = {name: track.places[:, i] for i, name in enumerate(POINTS)}

    def both(part: str) -> Floats:
        return np.stack([at[f"{side}_{part}"] for side in _SIDES], axis=1)

    def forward(bones: Floats) -> Floats:
        return np.asarray(np.degrees(np.arctan2(bones[..., 2], -bones[..., 1])))

    thigh, shank = both("knee") - both("hip"), both("ankle") - both("knee")
    upper, fore = both("elbow") - both("shoulder"), both("wrist") - both("elbow")
    hips = at["left_hip"] - at["right_hip"]
    shoulders = at["left_shoulder"] - at["right_shoulder"]
    trunk = np.degrees(np.arctan2(at["chest"][:, 2], at["chest"][:, 1]))[:, None]
    pelvis, chest = (
        np.degrees(np.unwrap(np.arctan2(-line[:, 2], line[:, 0])))[:, None]
        for line in (hips, shoulders)
    )
    rise = np.degrees(np.arctan2(hips[:, 1], np.hypot(hips[:, 0], hips[:, 2])))
    return {
        "thigh": forward(thigh),
        "knee": _between(thigh, shank),
        "ankle": _between(shank, both("toe") - both("ankle")),
        "list": rise[:, None],
        "pelvis": pelvis,
        "counter": chest - pelvis,
        "lean": trunk,
        "arm": forward(upper) + trunk,
        "elbow": _between(upper, fore),
    }


def _between(a: Floats, b: Floats) -> Floats:
    """Angles (...), degrees, between directions (..., 3)."""
    across = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.asarray(np.degrees(np.arctan2(across, np.einsum("...i,...i->...", a, b))))
