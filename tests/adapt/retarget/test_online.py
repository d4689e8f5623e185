"""On-line retargeting: held feet do not move, far feet keep their angles, nothing jumps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.adapt.feet.holds import BALL, FLAT, HEEL, GroundSurface
from footfall.adapt.feet.lock import with_contacts
from footfall.adapt.retarget.online import OnlineRetargeter, retarget_online
from footfall.adapt.retarget.transfer import transfer
from footfall.body.clip import Clip
from footfall.body.feet import foot_of
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError, MissingJointError
from footfall.generate.skeleton import default_skeleton
from footfall.maths import quaternions as quat
from footfall.maths.constants import MEAN_LEG_M
from tests.clips import real_clip, steady

WALK = steady(seconds=3.0, fps=60.0)
RUN = steady("run", 3.0, seconds=2.0, fps=60.0)
REAL = (
    "cmu/16_16.bvh",
    "cmu/69_31.bvh",
    "accad_male1/Male1_B10_WalkTurnLeft45.bvh",
    "accad_male1/Male1_C01_StandToRun.bvh",
)


class Hills:
    """A smooth ground that knows its height and normal."""

    def height(self, points: np.ndarray) -> np.ndarray:
        x, z = np.asarray(points).T
        return 0.2 * np.sin(1.1 * x + 0.3) * np.cos(0.9 * z)

    def normal(self, points: np.ndarray) -> np.ndarray:
        x, z = np.asarray(points).T
        dx = 0.22 * np.cos(1.1 * x + 0.3) * np.cos(0.9 * z)
        dz = -0.18 * np.sin(1.1 * x + 0.3) * np.sin(0.9 * z)
        up = np.stack([-dx, np.ones_like(dx), -dz], axis=1)
        return np.asarray(up / np.linalg.norm(up, axis=1, keepdims=True))


def other_proportions() -> Skeleton:
    character = default_skeleton()
    offsets = np.array(character.offsets)
    for side in ("left", "right"):
        for part, factor in (("knee", 1.15), ("ankle", 0.85), ("hip", 1.3), ("elbow", 0.8)):
            offsets[character.role(f"{side}_{part}")] *= factor
    return replace(character, offsets=offsets)


FIGURES = {
    "0.7": default_skeleton(0.7 * MEAN_LEG_M),
    "1.4": default_skeleton(1.4 * MEAN_LEG_M),
    "odd": other_proportions(),
}


def run(
    clip: Clip, character: Skeleton, ground: GroundSurface | None = None
) -> tuple[Clip, np.ndarray, OnlineRetargeter]:
    """The clip retargeted, and the phases (T, 2) in which its feet were held."""
    live = OnlineRetargeter(clip.skeleton, character, clip.fps, 1, ground)
    frames, phases = [], []
    for t in range(len(clip)):
        now = slice(t, t + 1)
        root, rotations = live.step(clip.root[now], clip.rotations[now], clip.contacts[now])
        frames.append((root[0].copy(), rotations[0].copy()))
        phases.append(live.phases[0].copy())
    root, rotations = (np.stack(part) for part in zip(*frames, strict=True))
    out = replace(clip, skeleton=character, root=root, rotations=quat.continuous(rotations))
    return out, np.stack(phases), live


def sole_points(clip: Clip, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heel, ball and ball joint (T, 3) of a foot."""
    foot, poses = foot_of(clip.skeleton, ("left", "right")[k]), clip.world
    ankle, turned = poses.positions[:, foot.ankle], poses.rotations[:, foot.ankle]
    points = (foot.heel, foot.ball, foot.ball_joint)
    heel, ball, joint = (ankle + quat.rotate(turned, p) for p in points)
    return heel, ball, joint


def drift(clip: Clip, phases: np.ndarray, axes: list[int]) -> float:
    """The farthest that a carrying point goes in a frame while its foot is held."""
    worst = 0.0
    for k in range(2):
        heel, _, ball = (
            np.linalg.norm(np.diff(p[:, axes], axis=0), axis=1) for p in sole_points(clip, k)
        )
        now, before = phases[1:, k], phases[:-1, k]
        moved = np.where(now == HEEL, heel, np.where(now == BALL, ball, np.minimum(heel, ball)))
        worst = max(worst, float(moved[(now > 0) & (before > 0)].max(initial=0.0)))
    return worst


def largest_step(clip: Clip) -> float:
    return float(quat.angle_between(clip.rotations[1:], clip.rotations[:-1]).max())


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("clip", [WALK, RUN], ids=["walk", "run"])
def test_held_feet_do_not_move_at_all(clip: Clip, name: str) -> None:
    out, phases, live = run(clip, FIGURES[name])
    assert drift(out, phases, [0, 1, 2]) < 1e-9
    assert live.slips[0] == 0
    touching = clip.contacts.reshape(len(clip), 2, 2).any(axis=2)
    assert ((phases > 0) & touching).sum() > 0.97 * touching.sum()


@pytest.mark.mocap
@pytest.mark.parametrize("character", FIGURES)
@pytest.mark.parametrize("name", REAL)
def test_feet_of_real_clips_are_held_and_nothing_jumps(
    mocap: Path, name: str, character: str
) -> None:
    clip = with_contacts(real_clip(mocap / name))
    out, phases, live = run(clip, FIGURES[character])
    plain = transfer(clip, FIGURES[character])
    assert drift(out, phases, [0, 2]) < 1e-9
    assert live.slips[0] == 0
    assert largest_step(out) <= 1.5 * largest_step(plain)
    bumps, plain_bumps = (
        np.quantile(np.linalg.norm(np.diff(c.root, 2, axis=0), axis=1), 0.95) for c in (out, plain)
    )
    assert bumps <= 1.5 * plain_bumps


def test_a_character_of_its_own_size_keeps_its_walk() -> None:
    out, _, _ = run(WALK, WALK.skeleton)
    assert out.root == pytest.approx(WALK.root, abs=0.02)
    # Holding the ball while the source rolls on over its toes shows most at the knee.
    assert out.positions == pytest.approx(WALK.positions, abs=0.08)
    assert largest_step(out) <= 1.5 * largest_step(WALK)


@pytest.mark.parametrize("name", FIGURES)
def test_far_from_the_ground_the_motion_is_the_transferred_one(name: str) -> None:
    flying = replace(
        WALK, root=WALK.root + np.array([0.0, 1.0, 0.0]), contacts=np.zeros((len(WALK), 4), bool)
    )
    out, _, _ = run(flying, FIGURES[name])
    plain = transfer(flying, FIGURES[name])
    assert out.root == pytest.approx(plain.root, abs=1e-9)
    assert quat.angle_between(out.rotations, plain.rotations).max() < 1e-6


def test_high_swinging_feet_keep_the_angles_of_the_source() -> None:
    character = FIGURES["odd"]
    out, phases, _ = run(RUN, character)
    plain = transfer(RUN, character)
    ankle = plain.positions[:, character.role("left_ankle"), 1]
    last = np.maximum.accumulate(np.where(phases[:, 0] > 0, np.arange(len(RUN)), -1))
    free = (ankle > 0.25) & (np.arange(len(RUN)) - last > 0.2 * RUN.fps)
    assert free.sum() >= 3
    for part in ("hip", "knee"):
        joint = character.role(f"left_{part}")
        assert (
            quat.angle_between(out.rotations[free, joint], plain.rotations[free, joint]).max()
            < 1e-6
        )


@pytest.mark.parametrize("name", FIGURES)
def test_on_hills_feet_stand_on_the_ground(name: str) -> None:
    ground = Hills()
    out, phases, live = run(WALK, FIGURES[name], ground)
    assert live.slips[0] == 0
    assert drift(out, phases, [0, 1, 2]) < 1e-9
    off = []
    for k in range(2):
        heel, ball, _ = sole_points(out, k)
        stood = np.maximum.accumulate(np.where(phases[:, k] != FLAT, np.arange(len(out)), -1))
        settled = (phases[:, k] == FLAT) & (np.arange(len(out)) - stood > 0.2 * out.fps)
        for point in (heel[phases[:, k] == HEEL], ball[settled], heel[settled]):
            off.append(point[:, 1] - ground.height(point[:, [0, 2]]))
    assert np.abs(np.concatenate(off)).max() < 5e-3
    assert largest_step(out) <= 1.6 * largest_step(transfer(WALK, FIGURES[name]))


@pytest.mark.parametrize("name", FIGURES)
def test_exact_steps_put_the_feet_where_the_source_put_them(name: str) -> None:
    out = retarget_online(WALK, FIGURES[name], exact_steps=True)
    for k in range(2):
        flat = WALK.contacts[:, 2 * k] & WALK.contacts[:, 2 * k + 1]
        flat[: round(0.5 * WALK.fps)] = False  # the first hold has no swing that leads to it
        ours, theirs = (
            0.5 * (heel + ball)[flat][:, [0, 2]]
            for heel, ball, _ in (sole_points(out, k), sole_points(WALK, k))
        )
        assert np.linalg.norm(ours - theirs, axis=1).max() < 0.05


def test_a_step_sees_no_future_frame() -> None:
    character = FIGURES["odd"]
    whole, _, _ = run(WALK, character)
    part = WALK[:90]
    cut, _, _ = run(part, character)
    assert np.array_equal(cut.root, whole.root[:90])
    assert quat.angle_between(cut.rotations, whole.rotations[:90]).max() < 1e-12


def test_a_batch_is_many_single_characters() -> None:
    character, starts = FIGURES["0.7"], np.array([0, 7, 31, 60])
    many = OnlineRetargeter(WALK.skeleton, character, WALK.fps, len(starts), Hills())
    ones = [OnlineRetargeter(WALK.skeleton, character, WALK.fps, 1, Hills()) for _ in starts]
    for t in range(60):
        at = starts + t
        root, rotations = many.step(WALK.root[at], WALK.rotations[at], WALK.contacts[at])
        for n, one in enumerate(ones):
            here = at[n : n + 1]
            r, q = one.step(WALK.root[here], WALK.rotations[here], WALK.contacts[here])
            assert np.array_equal(r[0], root[n])
            assert np.array_equal(q[0], rotations[n])


def test_reset_forgets_the_chosen_characters_alone() -> None:
    character = FIGURES["odd"]
    live = OnlineRetargeter(WALK.skeleton, character, WALK.fps, 2)
    both = np.array([0, 0])
    for t in range(40):
        live.step(WALK.root[both + t], WALK.rotations[both + t], WALK.contacts[both + t])
    live.reset([1])
    now = both + 40
    root, _ = live.step(WALK.root[now], WALK.rotations[now], WALK.contacts[now])
    fresh = OnlineRetargeter(WALK.skeleton, character, WALK.fps)
    alone, _ = fresh.step(WALK.root[40:41], WALK.rotations[40:41], WALK.contacts[40:41])
    assert root[1] == pytest.approx(alone[0], abs=1e-12)
    assert np.abs(root[0] - root[1]).max() > 1e-4


def test_a_hand_at_its_object_reaches_the_other_object() -> None:
    character = FIGURES["0.7"]
    live = OnlineRetargeter(WALK.skeleton, character, WALK.fps)
    wrist = WALK.positions[0, WALK.skeleton.role("right_wrist")]
    shoulder = transfer(WALK, character).positions[0, character.role("right_shoulder")]
    theirs = np.full((1, 2, 3), np.nan)
    ours = theirs.copy()
    theirs[0, 1], ours[0, 1] = wrist, shoulder + np.array([-0.05, -0.1, 0.25])
    out = live.step(WALK.root[:1], WALK.rotations[:1], WALK.contacts[:1], theirs, ours)
    there = replace(
        WALK, skeleton=character, root=out[0], rotations=out[1], contacts=None, touches=None
    ).positions
    assert there[0, character.role("right_wrist")] == pytest.approx(ours[0, 1], abs=1e-9)


def test_wrong_input_is_refused_in_a_sentence() -> None:
    live = OnlineRetargeter(WALK.skeleton, FIGURES["odd"], 60.0, 2)
    with pytest.raises(InputError, match=r"\(2, 3\) is right"):
        live.step(WALK.root[:1], WALK.rotations[:2], WALK.contacts[:2])
    with pytest.raises(InputError, match="finite"):
        live.step(np.full((2, 3), np.nan), WALK.rotations[:2], WALK.contacts[:2])
    with pytest.raises(InputError, match="contacts of shape"):
        live.step(WALK.root[:2], WALK.rotations[:2], WALK.contacts[:2, :2])
    with pytest.raises(InputError, match="0 rigs"):
        OnlineRetargeter(WALK.skeleton, FIGURES["odd"], 60.0, 0)
    with pytest.raises(InputError, match="frame rate"):
        OnlineRetargeter(WALK.skeleton, FIGURES["odd"], float("nan"))
    bare = WALK.skeleton.with_roles({"hips": 0})
    with pytest.raises(MissingJointError):
        OnlineRetargeter(WALK.skeleton, bare, 60.0)
