"""Leaning with the slope: into the hill, a little back going down, head and arms as they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footfall.adapt.feet.fit import fit
from footfall.body.clip import Clip
from footfall.maths.arrays import Floats
from footfall.world.ground import flat_ground
from tests.clips import real_clip, steady


class Slope:
    """Ground that rises along +z from z = 2 on."""

    def __init__(self, degrees: float) -> None:
        self.rise = float(np.tan(np.radians(degrees)))

    def height(self, points: Floats) -> Floats:
        return self.rise * np.maximum(np.asarray(points)[:, 1] - 2.0, 0.0)

    def normal(self, points: Floats) -> Floats:
        on = np.asarray(points)[:, 1] > 2.0
        tilted = np.array([0.0, 1.0, -self.rise]) / np.hypot(1.0, self.rise)
        return np.where(on[:, None], tilted, [0.0, 1.0, 0.0])


def lean(clip: Clip) -> Floats:
    """(T,) how far the line from hips to neck leans towards +z, degrees."""
    places = clip.positions
    line = places[:, clip.skeleton.role("neck")] - places[:, clip.skeleton.role("hips")]
    return np.degrees(np.arctan2(line[:, 2], line[:, 1]))


def on(degrees: float, clip: Clip) -> Clip:
    ground = Slope(degrees) if degrees else flat_ground()
    return fit(clip, ground, (0.0, 0.0, 0.0), strides=1.0).clip


@pytest.fixture(scope="module")
def walk() -> Clip:
    return steady("walk", 1.3, seconds=6.0)


@pytest.mark.parametrize(("slope", "share"), [(5.0, 0.4), (10.0, 0.4), (18.0, 0.4), (-8.0, 0.2)])
def test_the_trunk_leans_by_a_share_of_the_slope(walk: Clip, slope: float, share: float) -> None:
    more = lean(on(slope, walk)) - lean(on(0.0, walk))
    half = len(more) // 2
    assert more[half:].mean() == pytest.approx(share * slope, rel=0.2)
    assert abs(more[: len(more) // 10].mean()) < 0.25  # before the hill begins


def test_the_lean_grows_smoothly(walk: Clip) -> None:
    more = lean(on(15.0, walk)) - lean(on(0.0, walk))
    speed = np.abs(np.diff(more)) * walk.fps
    assert speed.max() < 15.0  # degrees a second


def test_the_head_stays_level_and_the_arms_hang(walk: Clip) -> None:
    hill, plain = on(15.0, walk), on(0.0, walk)
    roles = walk.skeleton.roles
    turns = [c.world.rotations for c in (hill, plain)]
    for role in ("head", "left_shoulder", "right_elbow"):
        same = np.abs(np.einsum("ti,ti->t", *(t[:, roles[role]] for t in turns)))
        assert np.degrees(2.0 * np.arccos(np.minimum(same, 1.0))).max() < 0.5


def test_legs_are_as_they_were_without_leaning(walk: Clip) -> None:
    hill = on(12.0, walk)
    left, right = (hill.skeleton.role(f"{side}_hip") for side in ("left", "right"))
    places = hill.positions
    level = places[:, left] - places[:, right]
    flat = on(0.0, walk).positions
    assert np.abs(level - (flat[:, left] - flat[:, right])).max() < 1e-6


def test_who_stands_on_a_hill_does_not_lean() -> None:
    walk = steady("walk", 1.3, seconds=1.0)
    frames = 90
    still = Clip(
        walk.skeleton,
        30.0,
        np.repeat(walk.root[:1], frames, axis=0),
        np.repeat(walk.rotations[:1], frames, axis=0),
        contacts=np.ones((frames, 4), bool),
    )
    hill = fit(still, Slope(10.0), (0.0, 4.0, 0.0)).clip
    assert np.abs(lean(hill) - lean(still)).max() < 0.3


@pytest.mark.mocap
@pytest.mark.parametrize("trial", ["cmu/16_16.bvh", "accad_male1/Male1_B3_Walk.bvh"])
def test_real_walkers_lean_as_well(trial: str, mocap: Path) -> None:
    clip = real_clip(mocap / trial)
    more = lean(on(12.0, clip)) - lean(on(0.0, clip))
    assert 0.25 * 12.0 < more[len(more) * 2 // 3 :].mean() < 0.5 * 12.0
