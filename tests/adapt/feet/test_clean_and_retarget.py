"""Cleaning and retargeting: no skating, level floors, other characters on the same footprints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.adapt.edit.stitch import stitch
from footfall.adapt.feet.clean import clean
from footfall.adapt.feet.fit import fit
from footfall.adapt.feet.lock import holds_of, lock_feet
from footfall.adapt.retarget.online import retarget_online
from footfall.adapt.retarget.retarget import retarget
from footfall.body.clip import Clip
from footfall.body.edit import resample
from footfall.body.feet import sole_height
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.generate.actions.sitting import sit_and_stand
from footfall.generate.skeleton import default_skeleton
from footfall.maths import quaternions as quat
from tests.adapt.measures import TRIALS, quality
from tests.clips import real_clip, steady


def other_character(skeleton: Skeleton, legs: float, arms: float, trunk: float) -> Skeleton:
    """The same tree with other proportions, standing on its soles."""
    offsets = np.array(skeleton.offsets)
    for side in ("left", "right"):
        for role in ("knee", "ankle"):
            offsets[skeleton.role(f"{side}_{role}")] *= legs
        for role in ("elbow", "wrist"):
            offsets[skeleton.role(f"{side}_{role}")] *= arms
    offsets[skeleton.role("chest")] *= trunk
    taller = replace(skeleton, offsets=offsets)
    offsets[0, 1] -= sole_height(taller)
    return replace(skeleton, offsets=offsets)


@pytest.mark.mocap
@pytest.mark.parametrize("trial", TRIALS)
def test_a_clean_clip_neither_skates_nor_drifts(trial: str, mocap: Path) -> None:
    source = real_clip(mocap / trial)
    cleaned = clean(source)
    found = quality(cleaned.clip, source)
    assert found.drift_m < 1e-3
    assert found.step_ratio < 1.5
    assert found.acceleration_ratio < 1.2
    _, holds = holds_of(cleaned.clip)
    heights = np.concatenate([held.spots[:, 1] for held in holds])
    assert np.abs(heights).max() < 3e-3


@pytest.mark.mocap
def test_stairs_stay_stairs_when_cleaned(mocap: Path) -> None:
    cleaned = clean(real_clip(mocap / "cmu" / "13_35.bvh"))
    assert len(cleaned.floors_m) > 2
    assert np.abs(np.diff(cleaned.floors_m)).min() > 0.08


def test_skating_and_drift_put_into_a_walk_are_taken_out() -> None:
    walk = steady("walk", 1.3, seconds=4.0, fps=60)
    drift = 0.05 * np.sin(0.9 * walk.times)
    slide = 0.06 * walk.times / walk.seconds
    bad = replace(walk, root=walk.root + np.stack([slide, drift, 0 * drift], axis=1))
    cleaned = clean(bad)
    assert cleaned.drift_m > 0.02
    assert quality(cleaned.clip, walk).drift_m < 1e-3
    assert cleaned.clip.root[:, 1] == pytest.approx(walk.root[:, 1], abs=0.03)


@pytest.mark.mocap
@pytest.mark.parametrize("trial", TRIALS)
@pytest.mark.parametrize(("legs", "arms", "trunk"), [(0.7, 1.1, 1.1), (1.4, 0.9, 0.9)])
def test_other_proportions_keep_their_feet_down(
    trial: str, legs: float, arms: float, trunk: float, mocap: Path
) -> None:
    source = real_clip(mocap / trial)
    character = other_character(source.skeleton, legs, arms, trunk)
    found = quality(retarget(source, character), source, scale=max(legs, 1.0))
    assert found.drift_m < 1e-3
    assert found.step_ratio < 1.5
    assert found.acceleration_ratio < 1.5


@pytest.mark.mocap
@pytest.mark.parametrize("footprints", ["scaled", "exact"])
def test_performers_exchange_their_walks(footprints: str, mocap: Path) -> None:
    accad = real_clip(mocap / "accad_male1" / "Male1_B3_Walk.bvh")
    cmu = real_clip(mocap / "cmu" / "16_16.bvh")
    for source, character in ((accad, cmu.skeleton), (cmu, accad.skeleton)):
        there = retarget(source, character, footprints)
        back = retarget(there, source.skeleton, footprints)
        for clip in (there, back):
            found = quality(clip, source)
            assert found.drift_m < 1e-3
            assert found.step_ratio < 1.5
            assert found.acceleration_ratio < 1.5


def spots(clip: Clip) -> np.ndarray:
    _, holds = holds_of(clip)
    return np.concatenate([held.spots for held in holds])


def test_exact_footprints_stay_where_they_are_and_scaled_ones_scale() -> None:
    walk = steady("walk", 1.2, seconds=3.0)
    character = other_character(walk.skeleton, 0.8, 1.0, 1.0)
    assert spots(retarget(walk, character, "exact"))[:, [0, 2]] == pytest.approx(
        spots(walk)[:, [0, 2]], abs=1e-3
    )
    assert spots(retarget(walk, walk.skeleton.scaled(0.8)))[:, [0, 2]] == pytest.approx(
        0.8 * spots(walk)[:, [0, 2]], abs=1e-3
    )


@pytest.mark.parametrize("wide", [0.75, 1.3])
def test_scaled_footprints_are_as_wide_as_the_hips(wide: float) -> None:
    walk = steady("walk", 1.2, seconds=3.0)
    offsets = np.array(walk.skeleton.offsets)
    for side in ("left", "right"):
        offsets[walk.skeleton.role(f"{side}_hip"), 0] *= wide
    moved = spots(retarget(walk, replace(walk.skeleton, offsets=offsets)))
    before = spots(walk)
    # This walk goes along z, its left feet before its right ones.
    assert moved[:, 2] == pytest.approx(before[:, 2], abs=6e-3)
    count = len(before) // 2
    width, old = (abs(s[:count, 0].mean() - s[count:, 0].mean()) for s in (moved, before))
    # The pelvis sways over the foot that stands, and feet are told from there.
    assert width == pytest.approx(wide * old, rel=0.12)


def test_retargeting_to_the_same_character_changes_next_to_nothing() -> None:
    walk = steady("walk", 1.3, seconds=2.0)
    again = retarget(walk, walk.skeleton)
    off = np.linalg.norm(again.positions - walk.positions, axis=-1)
    # The balls of the feet are held to the last; this walk leaves over the tips of its toes.
    assert off.mean() < 0.005
    assert off.max() < 0.03


def test_unknown_footprints_are_refused() -> None:
    walk = steady(seconds=0.5)
    with pytest.raises(InputError, match="choose one of scaled, exact"):
        retarget(walk, walk.skeleton, "wide")


def odd_clips() -> dict[str, Clip]:
    walk = replace(steady("walk", 1.3, seconds=2.0), contacts=None)
    upside_down = np.array(walk.rotations)
    half_turn = quat.from_axis_angle([1.0, 0.0, 0.0], np.pi)
    upside_down[:, 0] = quat.multiply(half_turn, upside_down[:, 0])
    fall = np.stack([0 * walk.times, -4.9 * walk.times**2, 0 * walk.times], axis=1)
    return {
        "one frame": walk[:1],
        "two frames": walk[:2],
        "on its hands": replace(walk, rotations=upside_down),
        "falling": replace(walk, root=walk.root + fall),
        "far away": replace(walk, root=walk.root + np.array([1e5, 0.0, 1e5])),
        "a metre up": replace(walk, root=walk.root + np.array([0.0, 1.0, 0.0])),
        "one frame a second": replace(walk, fps=1.0),
    }


@pytest.mark.parametrize("name", odd_clips())
def test_odd_clips_give_a_sensible_result_or_a_reason(name: str) -> None:
    clip = odd_clips()[name]
    cleaned, fitted = clean(clip), fit(clip, load_scene("hills"))
    for result in (cleaned.clip, fitted.clip, retarget(clip, default_skeleton(0.6))):
        assert len(result) == len(clip)
    if name in ("one frame", "two frames", "on its hands", "falling"):
        assert "no foot was found to stand" in cleaned.problem
        assert "no foot was found to stand" in fitted.problem
        assert np.array_equal(cleaned.clip.root, clip.root)
    else:
        assert cleaned.problem == ""
    if name == "a metre up":
        assert cleaned.clip.root[:, 1].max() < 1.0


def test_touches_of_hands_and_seat_stay_through_all_of_it() -> None:
    clip = resample(sit_and_stand(0.45), 30.0)
    assert clip.touches is not None
    seated = clip.touches[:, 2]
    for made in (
        clean(clip).clip,
        retarget(clip, default_skeleton(0.7)),
        retarget_online(clip, default_skeleton(0.7)),
        lock_feet(clip),
        fit(clip, load_scene("hills"), (0.0, 0.0, 0.0)).clip,
    ):
        assert made.touches is not None
        assert np.array_equal(made.touches[:, 2], seated)
    both = stitch(clip, clip, len(clip) - 10, 9, 10)
    assert both.touches is not None
    assert len(both.touches) == len(both)
