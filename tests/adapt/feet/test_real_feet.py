"""Every real clip, cleaned and put on another character: legs, toes and feet as they were.

Measured from plain joint positions, by a contact finder of its own: height and speed alone.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from footfall.adapt.feet.clean import Cleaned, clean
from footfall.adapt.retarget.retarget import retarget
from footfall.body.clip import Clip
from footfall.body.edit import resample
from footfall.generate.skeleton import default_skeleton
from footfall.maths.arrays import Floats
from tests.adapt.measures import quality
from tests.clips import real_clip
from tests.conftest import mocap_folder, mocap_hard_folder
from tests.sweeps import sample

SIDES = ("left", "right")
LEGS = ("hip", "knee", "ankle")
SLOW_M_S, LOW_M, SHORT_S = 0.25, 0.035, 0.1
"""A toe joint that is slower and lower than this, for longer than that, stands."""
KNEE_DEG, HIP_LEGS, TOE_RATIO, JOINT_RATIO = 2.0, 0.01, 1.2, 1.5
SHORT_OF_IT = {
    # In this walk a knee's median bend is 6°: a millimetre of the leg's length is 3° of it.
    "104_35": {"knee": 8.0},
    "36_01": {"knee": 2.7},
    "69_70": {"knee": 2.8},
    "111_18": {"knee": 2.4},
    "132_45": {"hip_height": 0.012, "drift": 18.0},
    "136_09": {"hip_height": 0.016},
    "127_25": {"drift": 4.0},
    "Male1_B9_WalkToTurnLeft90": {"drift": 6.0},
    "Male1_B13_WalkTurnRight45": {"joint": 1.85},
}
"""What a clip may be off where it falls short of the limits: no more than this."""


def real_clips() -> list[Path]:
    found = []
    for folder in (mocap_folder(), mocap_hard_folder()):
        if folder is not None:
            with (folder / "INDEX.csv").open() as index:
                found += [folder / row["file"] for row in csv.DictReader(index)]
    return sorted(found)


def place_of(file: Path) -> str:
    """The folder of a clip, or its name if it falls short of a limit: such are never left out."""
    return file.stem if file.stem in SHORT_OF_IT else file.parent.name


CLIPS = pytest.mark.parametrize(
    "file", sample(real_clips(), 0.3, name=lambda file: file.stem, kind=place_of),
    ids=lambda file: file.stem,
)  # fmt: skip


@cache
def source_of(file: Path) -> Clip:
    clip = real_clip(file)
    return clip if clip.fps < 61.0 else resample(clip, 60.0)


@cache
def cleaned_of(file: Path) -> Cleaned:
    return clean(source_of(file))


@dataclass(frozen=True)
class Measured:
    """Medians of knee and hip height, largest speeds by part, drift of standing feet, mm."""

    knee_deg: float
    hip_height: float
    speeds: dict[str, float]
    mean_drift_mm: float
    most_drift_mm: float


@cache
def measure(clip: Clip) -> Measured:
    roles, places = clip.skeleton.roles, clip.positions
    knees, legs, ankles = [], [], []
    for side in SIDES:
        hip, knee, ankle = (places[:, roles[f"{side}_{part}"]] for part in LEGS)
        thigh, shank = knee - hip, ankle - knee
        sizes = np.linalg.norm(thigh, axis=1) * np.linalg.norm(shank, axis=1)
        knees.append(np.degrees(np.arccos(np.clip((thigh * shank).sum(1) / sizes, -1.0, 1.0))))
        legs.append(np.linalg.norm(thigh[0]) + np.linalg.norm(shank[0]))
        ankles.append(ankle[:, 1])
    hips = 0.5 * sum(places[:, roles[f"{side}_hip"], 1] for side in SIDES)
    leg = float(np.mean(legs))
    speeds = {part: largest_speed(clip, part) for part in (*LEGS, "toe")}
    drifts = [0.0]
    for side in SIDES:
        toe = places[:, roles.get(f"{side}_toe", roles[f"{side}_ankle"])]
        drifts += [1000.0 * d / leg for d in standing_drifts(toe, clip.fps)]
    return Measured(
        float(np.median(knees)),
        float(np.median(hips - np.min(ankles, axis=0))) / leg,
        speeds,
        float(np.mean(drifts)),
        float(np.max(drifts)),
    )


def largest_speed(clip: Clip, part: str) -> float:
    """Degrees a second, from one thirtieth of it to the next; slow ones are not told apart."""
    joints = [j for role, j in clip.skeleton.roles.items() if role.endswith(f"_{part}")]
    step = max(1, round(clip.fps / 30.0))
    q = clip.rotations[:, joints]
    if len(q) <= step:
        return 60.0
    cosine = np.abs((q[step:] * q[:-step]).sum(axis=-1)).clip(0.0, 1.0)
    turns = np.degrees(2.0 * np.arccos(cosine)) * clip.fps / step
    return max(float(turns.max()), 60.0)


def standing_drifts(point: Floats, fps: float) -> list[float]:
    """Metres that a point moves over the ground in each time in which it is slow and low."""
    step = max(1, round(fps / 30.0))
    point, fps = point[::step], fps / step
    if len(point) < 3:
        return []
    speed = np.linalg.norm(np.gradient(point, axis=0), axis=1) * fps
    stands = (speed < SLOW_M_S) & (point[:, 1] < np.percentile(point[:, 1], 5.0) + LOW_M)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], stands, [0]]).astype(np.int8)))
    found = []
    for first, stop in edges.reshape(-1, 2):
        if stop - first >= SHORT_S * fps:
            run = point[first:stop][:, [0, 2]]
            found.append(float(np.linalg.norm(run - np.median(run, axis=0), axis=1).max()))
    return found


def assert_kept(file: Path, source: Clip, made: Clip) -> None:
    before, after = measure(source), measure(made)
    off = SHORT_OF_IT.get(file.stem, {})
    if before.hip_height < 0.6:  # lying and crawling: hips say nothing of legs then
        return
    assert abs(after.knee_deg - before.knee_deg) < off.get("knee", KNEE_DEG)
    hip_limit = off.get("hip_height", HIP_LEGS)
    assert abs(after.hip_height - before.hip_height) < hip_limit
    for part in LEGS:
        assert after.speeds[part] < off.get("joint", JOINT_RATIO) * before.speeds[part], part
    assert after.speeds["toe"] < off.get("toe", TOE_RATIO) * before.speeds["toe"]


def assert_no_worse(file: Path, source: Clip, made: Clip) -> None:
    before, after = measure(source), measure(made)
    assert after.mean_drift_mm < max(before.mean_drift_mm, 1.0)
    assert after.most_drift_mm < before.most_drift_mm + SHORT_OF_IT.get(file.stem, {}).get(
        "drift", 2.5
    )
    assert quality(made, source).drift_m < 1e-3


@pytest.mark.mocap
@CLIPS
def test_cleaning_keeps_legs_and_toes_as_they_were(file: Path) -> None:
    assert_kept(file, source_of(file), cleaned_of(file).clip)


@pytest.mark.mocap
@CLIPS
def test_cleaning_makes_no_clip_worse(file: Path) -> None:
    assert_no_worse(file, source_of(file), cleaned_of(file).clip)


@pytest.mark.mocap
@CLIPS
def test_another_character_keeps_legs_toes_and_feet(file: Path) -> None:
    made = retarget(source_of(file), default_skeleton(), level=True)
    assert_kept(file, source_of(file), made)
    assert_no_worse(file, source_of(file), made)


@pytest.mark.mocap
@CLIPS
def test_a_library_that_is_not_cleaned_keeps_legs_and_toes(file: Path) -> None:
    assert_kept(file, source_of(file), retarget(source_of(file), default_skeleton()))
