"""The figures of a posture say what was done to a body, and nothing else changes them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from footfall.body.clip import Clip
from footfall.body.posture import changes_beyond_limits, posture_figures, segment_distances
from footfall.maths import quaternions as quat
from tests.clips import steady


def standing(**turns: tuple[str, float]) -> Clip:
    """The default character at rest, joints of these roles turned by (axis, degrees)."""
    walk = steady("walk", 1.2, seconds=1.0)
    rotations = np.zeros_like(walk.rotations)
    rotations[..., 0] = 1.0
    for role, (axis, degrees) in turns.items():
        turn = quat.about_axis("xyz".index(axis), np.radians(degrees))
        rotations[:, walk.skeleton.role(role)] = turn
    root = np.tile(walk.skeleton.offsets[0], (len(walk), 1))
    return replace(walk, rotations=rotations, root=root)


def test_bent_knees_are_measured_as_bent() -> None:
    straight = posture_figures(standing())
    bent = posture_figures(standing(left_knee=("x", 30.0), right_knee=("x", 30.0)))
    assert straight.knee_flexion_deg == pytest.approx(0.0, abs=1e-3)
    assert bent.knee_flexion_deg == pytest.approx(30.0)
    assert straight.hip_height_legs == pytest.approx(1.0, abs=1e-6)
    assert bent.hip_height_legs < 0.95


def test_a_trunk_that_leans_is_measured_as_leaning_whichever_way_it_faces() -> None:
    upright, bowed = standing(), standing(spine=("x", 12.0))
    lean = posture_figures(bowed).trunk_lean_deg - posture_figures(upright).trunk_lean_deg
    assert 8.0 < lean < 12.0  # the pelvis stays, the spine's joint is above the hips
    turn = quat.from_yaw(1.1)
    rotations = np.array(bowed.rotations)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    turned = posture_figures(replace(bowed, rotations=rotations))
    assert turned.trunk_lean_deg == pytest.approx(posture_figures(bowed).trunk_lean_deg)


def test_shrugged_shoulders_are_higher_and_a_bowed_trunk_changes_nothing() -> None:
    shrug = {"left_clavicle": ("z", 15.0), "right_clavicle": ("z", -15.0)}
    shrugged = posture_figures(standing(**shrug)).shoulder_drop_cm
    assert shrugged < -3.0
    bowed = posture_figures(standing(spine=("x", 50.0), **shrug)).shoulder_drop_cm
    assert bowed == pytest.approx(shrugged)
    assert posture_figures(standing()).shoulder_drop_cm == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("size", [0.6, 1.7])
def test_size_does_not_matter(size: float) -> None:
    walk = steady("walk", 1.2, seconds=2.0)
    scaled = replace(walk, skeleton=walk.skeleton.scaled(size), root=walk.root * size)
    before, after = (posture_figures(c).as_dict() for c in (walk, scaled))
    assert after == pytest.approx(before)


def test_the_gap_is_the_least_distance_of_the_shanks_by_a_plain_search() -> None:
    walk = steady("walk", 1.2, seconds=2.0)
    places, roles = walk.positions, walk.skeleton.roles
    ends = [roles[r] for r in ("left_knee", "left_ankle", "right_knee", "right_ankle")]
    shares = np.linspace(0.0, 1.0, 101)
    least = np.inf
    for a, b, c, d in places[:, ends]:
        left, right = (p + np.outer(shares, q - p) for p, q in ((a, b), (c, d)))
        away = np.linalg.norm(left[:, None] - right[None], axis=2)
        least = min(least, float(away.min()))
    assert posture_figures(walk).leg_gap_cm == pytest.approx(100.0 * least, abs=0.05)


def test_distances_of_segments_are_those_an_optimiser_finds(rng: np.random.Generator) -> None:
    points = rng.normal(size=(4, 60, 3))
    points[1, :5] = points[0, :5]  # some have no length, some are parallel
    points[3, 5:10] = points[2, 5:10] + (points[1] - points[0])[5:10]
    found = segment_distances(*points)
    for (a, b, c, d), distance in zip(points.transpose(1, 0, 2), found, strict=True):
        best = min(
            minimize(
                lambda x, a=a, b=b, c=c, d=d: np.sum(
                    (a + x[0] * (b - a) - c - x[1] * (d - c)) ** 2
                ),
                start, bounds=[(0, 1), (0, 1)], tol=1e-14,
            ).fun
            for start in ([0.1, 0.1], [0.9, 0.9], [0.1, 0.9])
        )  # fmt: skip
        assert distance == pytest.approx(np.sqrt(best), abs=1e-4)


def test_a_toe_that_snaps_is_as_fast_as_it_snaps() -> None:
    clip = standing()
    rotations = np.array(clip.rotations)
    rotations[len(clip) // 2 :, clip.skeleton.role("left_toe")] = quat.about_axis(0, 0.5)
    snapped = posture_figures(replace(clip, rotations=rotations))
    assert snapped.toe_speed_deg_s == pytest.approx(np.degrees(0.5) * 30.0)
    assert posture_figures(clip).toe_speed_deg_s == pytest.approx(0.0, abs=1e-3)


def test_limits_are_those_of_the_range_of_the_sources() -> None:
    least = posture_figures(standing()).as_dict() | {"leg_gap_cm": 10.0}
    most = least | {"knee_flexion_deg": 10.0}
    off = least | {"knee_flexion_deg": 12.5, "leg_gap_cm": 3.0, "hip_height_legs": 0.985}
    assert changes_beyond_limits(off, least, most) == {
        "knee_flexion_deg": "above", "leg_gap_cm": "below", "hip_height_legs": "below",
    }  # fmt: skip
    near = least | {"knee_flexion_deg": 11.5, "leg_gap_cm": 5.0, "hip_height_legs": 0.995}
    assert changes_beyond_limits(near, least, most) == {}
