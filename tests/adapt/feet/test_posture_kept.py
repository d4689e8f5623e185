"""Another body stands and leans as the source did: told from plain joint positions, every frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from footfall.adapt.retarget.transfer import transfer
from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.files.formats import load
from footfall.files.intake.clip import clip_from_raw
from footfall.files.intake.raw import RawMotion
from footfall.generate.skeleton import default_skeleton
from footfall.maths import quaternions as quat
from tests.body.skeletons import FAMILIES
from tests.body.test_rest import rooted
from tests.clips import real_clip, steady

REAL = (
    "cmu/07_04.bvh", "cmu/13_35.bvh", "cmu/16_45.bvh", "cmu/69_22.bvh", "cmu/91_36.bvh",
    "cmu/108_19.bvh", "cmu/113_15.bvh", "cmu/127_25.bvh", "cmu/143_18.bvh",
    "accad_male1/Male1_B3_Walk.bvh", "accad_male1/Male1_B24_WalkToCrouch.bvh",
    "accad_male1/Male1_C05_WalkToRun.bvh", "cmu_asfamc/16_18.amc",
)  # fmt: skip


@dataclass(frozen=True)
class Trunk:
    """Hips' middle, chest, neck, shoulders, up along the chest (T, 3); length of a leg, metres."""

    hips: np.ndarray
    chest: np.ndarray
    neck: np.ndarray
    left: np.ndarray
    right: np.ndarray
    up: np.ndarray
    leg: float

    @property
    def lean(self) -> np.ndarray:
        """(T, 3) from the hips to halfway between neck and shoulders."""
        return 0.25 * (self.left + self.right) + 0.5 * self.neck - self.hips

    def below_cm(self, place: np.ndarray) -> np.ndarray:
        """(T,) how far the shoulders are below a place along the chest, legs of 0.824 m."""
        down = place - 0.5 * (self.left + self.right)
        return np.asarray(np.sum(down * self.up, axis=1) * 82.4 / self.leg)


def trunk(clip: Clip) -> Trunk:
    poses, names, roles = clip.world, clip.skeleton.names, clip.skeleton.roles
    places, up = poses.positions, quat.rotate(poses.rotations[:, roles["chest"]], [0.0, 1.0, 0.0])
    neck = names.index("Neck1") if "Neck1" in names else roles["neck"]

    def at(role: str) -> np.ndarray:
        return np.asarray(places[:, roles[role]])

    bones = [(f"{s}_{a}", f"{s}_{b}") for s in ("left", "right") for a, b in
             (("hip", "knee"), ("knee", "ankle"))]  # fmt: skip
    leg = 0.5 * sum(float(np.linalg.norm(at(a)[0] - at(b)[0])) for a, b in bones)
    middle = 0.5 * (at("left_hip") + at("right_hip"))
    return Trunk(
        middle, at("chest"), places[:, neck], at("left_shoulder"), at("right_shoulder"), up, leg
    )


def angles(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    cosine = np.sum(a * b, axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
    return np.asarray(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def assert_stands_alike(moved: Clip, source: Clip) -> None:
    """Every frame leans as the source's, and shoulders are as level and as high."""
    here, there = trunk(moved), trunk(source)
    lean = angles(here.lean, there.lean)
    assert lean.max() < 1.5, f"the trunk leans {lean.max():.1f} degrees off"
    line = angles(here.left - here.right, there.left - there.right)
    assert np.median(line) < 1.5, f"the line of the shoulders is {np.median(line):.1f} degrees off"
    ours, theirs = here.below_cm(here.chest), there.below_cm(there.chest)
    rise = (ours - np.median(ours)) - (theirs - np.median(theirs))
    assert np.abs(rise).max() < 2.0, f"shoulders rise {np.abs(rise).max():.1f} cm otherwise"


def bowing(skeleton: Skeleton) -> Clip:
    """A walk of the default character that also bows, shrugs and turns, carried to a skeleton."""
    walk = steady("walk", 1.2, seconds=3.0, fps=30.0)
    rotations = np.array(walk.rotations)
    wave = np.sin(np.linspace(0.0, 2.0 * np.pi, len(walk)))
    for role, axis, degrees in (
        ("spine", 0, 30.0), ("chest", 2, 8.0), ("chest", 1, 15.0), ("neck", 0, 10.0),
        ("left_clavicle", 2, 10.0), ("right_clavicle", 2, 5.0), ("right_clavicle", 1, 8.0),
    ):  # fmt: skip
        joint = walk.skeleton.role(role)
        turn = quat.about_axis(axis, np.radians(degrees) * wave)
        rotations[:, joint] = quat.multiply(rotations[:, joint], turn)
    return transfer(replace(walk, rotations=rotations), skeleton)


def read_again(clip: Clip, seed: int) -> Clip:
    """The clip as if from a file whose rest pose is nobody's stance: bones drawn anyhow.

    Every joint stays where it was; only what the file calls its rest is scrambled.
    """
    rng = np.random.default_rng(seed)
    skeleton = clip.skeleton
    turns = quat.random_rotations(rng, len(skeleton))
    turns[0] = 1.0, 0.0, 0.0, 0.0
    above = turns[np.maximum(skeleton.parents, 0)]
    above[0] = 1.0, 0.0, 0.0, 0.0
    offsets = quat.rotate(quat.conjugate(above), skeleton.offsets)
    ends = quat.rotate(quat.conjugate(turns[skeleton.end_joints]), skeleton.end_offsets)
    rotations = quat.multiply(quat.multiply(quat.conjugate(above), clip.rotations), turns)
    raw = RawMotion(
        "test", skeleton.names, skeleton.parents, offsets, skeleton.end_joints, ends, rotations,
        {0: np.array(clip.root)}, clip.fps, unit_m=1.0, up="y",
    )  # fmt: skip
    return clip_from_raw(raw)


@lru_cache(maxsize=1)
def targets() -> dict[str, Skeleton]:
    names = ("cmu_bvh", "mixamo", "bandai", "lafan1", "smpl", "biped", "daz")
    return {"default": default_skeleton(), "child": default_skeleton(0.5)} | {
        name: rooted(name) for name in names
    }


@pytest.mark.parametrize("family", [f for f in FAMILIES if f not in ("old_bvh",)])
def test_any_family_stands_on_any_skeleton_as_it_stood(family: str) -> None:
    source = bowing(rooted(family))
    for skeleton in targets().values():
        assert_stands_alike(transfer(source, skeleton), source)


@pytest.mark.parametrize("family", ["bandai", "mixamo", "lafan1", "cmu_bvh", "smpl"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_rest_pose_made_from_the_mean_posture_changes_no_posture(family: str, seed: int) -> None:
    before = bowing(rooted(family))
    source = read_again(before, seed)
    assert source.positions == pytest.approx(before.positions, abs=1e-6)
    assert source.source is not None
    assert any("mean posture" in note for note in source.source.notes)
    for name, skeleton in targets().items():
        moved = transfer(source, skeleton)
        assert_stands_alike(moved, source)
        if name == "default":
            here = trunk(moved)
            assert -1.0 < np.median(here.below_cm(here.neck)) < 4.0
    for other in (steady("walk", 1.2, seconds=2.0), bowing(rooted("smpl"))):
        assert_stands_alike(transfer(other, source.skeleton), other)


@pytest.mark.mocap
@pytest.mark.parametrize("trial", REAL)
def test_real_people_stand_on_any_skeleton_as_they_stood(trial: str, mocap: Path) -> None:
    source = real_clip(mocap / trial)
    performers = [real_clip(mocap / f).skeleton for f in (REAL[3], REAL[9])]
    for skeleton in (*targets().values(), *performers):
        assert_stands_alike(transfer(source, skeleton), source)


@pytest.mark.mocap
def test_people_who_crouch_crawl_and_lie_down_do_so_on_any_skeleton(mocap_hard: Path) -> None:
    for trial in sorted(mocap_hard.glob("*.bvh")):
        source = load(trial)
        for skeleton in targets().values():
            lean = angles(trunk(transfer(source, skeleton)).lean, trunk(source).lean)
            assert lean.max() < 1.5, trial.name


@pytest.mark.mocap
def test_shoulders_of_a_mean_posture_are_where_the_default_character_has_them(mocap: Path) -> None:
    for trial in sorted((mocap / "accad_male1").glob("*.bvh"))[::3]:
        here = trunk(transfer(load(trial), default_skeleton()))
        assert 0.0 < np.median(here.below_cm(here.neck)) < 4.0, trial.name
