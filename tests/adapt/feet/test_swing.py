"""Swinging feet over stairs and hills: every point of the sole, at every frame, by its height."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footfall import fit as fit_to_scene
from footfall.adapt.feet.fit import Fitted, fit
from footfall.adapt.feet.holds import GroundSurface
from footfall.body.clip import Clip
from footfall.body.edit import resample
from footfall.body.feet import foot_points
from footfall.files.scene.read import load_scene
from footfall.maths.arrays import Floats
from footfall.world.ground import flat_ground
from footfall.world.scene import Scene
from tests.clips import real_clip, steady
from tests.sweeps import cover

PLACES = {
    "up the stairs": ("stairs", (-2.5, -5.0, 0.0)),
    "down the stairs": ("stairs", (-2.5, -0.6, np.pi)),
    "up the ramp": ("stairs", (-2.5, 6.9, np.pi)),
    "over hills": ("hills", (-6.0, -6.0, 0.8)),
}
REAL = (
    "cmu/16_16.bvh",
    "cmu/16_31.bvh",
    "cmu/91_36.bvh",
    "accad_male1/Male1_B3_Walk.bvh",
    "accad_male1/Male1_B2_WalkToStand.bvh",
)


def depths(clip: Clip, scene: GroundSurface) -> Floats:
    """(T, 2) how deep the deepest of eleven points of each sole is, from plain joint positions."""
    poses = clip.world
    out = []
    for side in ("left", "right"):
        heel, ball, tip = foot_points(clip.skeleton).side(side)
        places = [poses.positions[:, p.joint] + _turn(poses.rotations[:, p.joint], p.offset)
                  for p in (heel, ball, tip)]  # fmt: skip
        shares = [(k / 6, 0, 1) for k in range(7)] + [(k / 4, 1, 2) for k in range(1, 5)]
        soles = np.stack([(1 - s) * places[a] + s * places[b] for s, a, b in shares], axis=1)
        floor = scene.height(soles[..., [0, 2]].reshape(-1, 2)).reshape(soles.shape[:2])
        out.append(np.nanmax(np.where(np.isfinite(floor), floor - soles[..., 1], -1.0), axis=1))
    return np.stack(out, axis=1)


def _turn(turns: Floats, point: Floats) -> Floats:
    w, v = turns[:, :1], turns[:, 1:]
    twice = 2.0 * np.cross(v, point)
    return np.asarray(point + w * twice + np.cross(v, twice))


def fitted(clip: Clip, place: str) -> tuple[Fitted, Scene]:
    name, at = PLACES[place]
    scene = load_scene(name)
    return fit(clip, scene, at), scene


@pytest.mark.parametrize(
    ("place", "frames"), cover(list(PLACES), [(0, 240), (17, 215), (9, 131), (40, 172), (25, 193)])
)
def test_no_sole_goes_into_the_ground_wherever_the_clip_ends(
    place: str, frames: tuple[int, int]
) -> None:
    walk = resample(steady("walk", 1.3, seconds=5.0), 60.0)[slice(*frames)]
    done, scene = fitted(walk, place)
    assert depths(done.clip, scene).max() < 0.02
    assert done.problem == ""


@pytest.mark.mocap
@pytest.mark.parametrize(("trial", "place"), cover(REAL, list(PLACES)))
def test_real_clips_clear_the_ground_at_every_frame(trial: str, place: str, mocap: Path) -> None:
    clip = real_clip(mocap / trial)
    for stop in (1.0, 0.77):
        done, scene = fitted(clip[: int(stop * len(clip))], place)
        deepest = depths(done.clip, scene).max()
        assert deepest < 0.03
        assert done.depth_m == pytest.approx(max(deepest, 0.0), abs=0.01)


def test_a_foot_that_cannot_be_lifted_over_it_is_reported() -> None:
    class Wall:
        """Level ground with a wall of a metre across it."""

        def height(self, points: Floats) -> Floats:
            ahead = np.asarray(points)[:, 1]
            return np.where((ahead > 1.0) & (ahead < 1.06), 1.0, 0.0)

        def normal(self, points: Floats) -> Floats:
            return np.tile([0.0, 1.0, 0.0], (len(points), 1))

    done = fit(steady("walk", 1.3, seconds=3.0), Wall(), (0.0, 0.0, 0.0), strides=1.0)
    assert done.depth_m > 0.3
    assert "cm in the ground at" in done.problem
    assert "foot" in done.problem


def test_level_ground_is_no_problem_and_changes_no_swing() -> None:
    walk = steady("walk", 1.3, seconds=3.0)
    done = fit(walk, flat_ground())
    assert done.problem == ""
    assert done.depth_m < 0.01


def test_a_foot_goes_over_a_nosing_before_it_goes_on() -> None:
    """Leaving a tread, the tip is above the next one before it is over it, by some millimetres."""
    done, scene = fitted(resample(steady("walk", 1.2, seconds=5.0), 60.0), "up the stairs")
    assert done.climb_m > 0.3
    held = done.clip.contacts
    assert held is not None
    swinging = ~np.stack([held[:, :2].any(axis=1), held[:, 2:].any(axis=1)], axis=1)
    assert depths(done.clip, scene)[swinging].max() < 0.005


def test_the_verb_notes_what_is_wrong() -> None:
    walk = steady("walk", 1.3, seconds=2.0)
    assert fit_to_scene(walk, "stairs").notes == []


@pytest.mark.parametrize("tread", [0.17, 0.19, 0.21])
def test_feet_on_treads_too_short_for_them_hang_over_the_edge_and_not_into_the_riser(
    tread: float,
) -> None:
    class Treads:
        """Level treads, each 17 cm above the last, from z = 1 on."""

        def height(self, points: Floats) -> Floats:
            ahead = np.asarray(points)[:, 1] - 1.0
            return 0.17 * np.maximum(np.ceil(ahead / tread), 0.0)

        def normal(self, points: Floats) -> Floats:
            return np.tile([0.0, 1.0, 0.0], (len(points), 1))

    ground = Treads()
    done = fit(steady("walk", 1.2, seconds=4.0), ground, (0.0, 0.0, 0.0), strides=0.35)
    contacts = done.clip.contacts
    assert contacts is not None
    flat = np.stack([contacts[:, :2].all(axis=1), contacts[:, 2:].all(axis=1)], axis=1)
    assert done.climb_m > 0.3
    assert depths(done.clip, ground)[flat].max() < 0.02
