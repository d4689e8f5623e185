"""Stride variation: no stride twice, feet still, ends as they were, nothing hurried."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.adapt.edit.variation import vary_strides
from footfall.adapt.feet.lock import lock_feet, with_contacts
from footfall.body.clip import Clip
from footfall.body.edit import join, resample
from footfall.errors import InputError
from footfall.gait.contacts import find_contacts
from footfall.maths.arrays import Floats
from tests.clips import real_clip, steady

STRIDES = 20


@pytest.fixture(scope="module")
def loop() -> tuple[Clip, int]:
    """One stride, twenty times the same, and how many frames it lasts."""
    walk = resample(steady("walk", 1.3, seconds=4.0), 30.0)
    walk = find_contacts(walk).with_contacts(walk)
    assert walk.contacts is not None
    down = np.flatnonzero(np.diff(walk.contacts[:, 2].astype(int)) == 1) + 1
    stride = walk[int(down[0]) : int(down[1]) + 1]
    return lock_feet(join([stride] * STRIDES, align=True)), len(stride) - 1


def strides_from_their_hips(clip: Clip, frames: int) -> Floats:
    """(S, F, J, 3) joints as seen from the hips at the beginning of each stride."""
    places = clip.positions
    left, right = (clip.skeleton.role(f"{side}_hip") for side in ("left", "right"))
    out = []
    for first in range(0, frames * STRIDES, frames):
        part = places[first : first + frames]
        across = part[0, left] - part[0, right]
        x, z = across[0] / np.hypot(*across[[0, 2]]), across[2] / np.hypot(*across[[0, 2]])
        turn = np.array([[x, 0.0, z], [0.0, 1.0, 0.0], [-z, 0.0, x]])
        out.append((part - part[0, left] * [1.0, 0.0, 1.0]) @ turn.T)
    return np.array(out)


def most_apart(a: Floats, b: Floats) -> float:
    return float(np.linalg.norm(a - b, axis=-1).max())


def test_no_stride_of_a_loop_is_left_twice(loop: tuple[Clip, int]) -> None:
    clip, frames = loop
    before = strides_from_their_hips(clip, frames)[2:-2]
    after = strides_from_their_hips(lock_feet(vary_strides(clip, 0)), frames)[2:-2]
    pairs = [(i, j) for j in range(len(before)) for i in range(j)]
    assert max(most_apart(before[i], before[j]) for i, j in pairs) < 1e-3
    assert min(most_apart(after[i], after[j]) for i, j in pairs) > 0.01


def test_other_seeds_differ_and_the_same_seed_gives_the_same_bytes(loop: tuple[Clip, int]) -> None:
    clip, _ = loop
    made = [lock_feet(vary_strides(clip, seed)) for seed in (0, 1, 2, 1)]
    assert made[1].root.tobytes() == made[3].root.tobytes()
    assert made[1].rotations.tobytes() == made[3].rotations.tobytes()
    places = [c.positions for c in (clip, *made[:3])]
    for j in range(4):
        for i in range(j):
            off = np.linalg.norm(places[i] - places[j], axis=-1)
            assert off.max(axis=1).mean() > 0.01


def test_strides_differ_about_as_much_as_those_of_people(loop: tuple[Clip, int]) -> None:
    clip, frames = loop
    skeleton = clip.skeleton

    def spread(angle: Floats) -> float:
        """The standard deviation over strides, mean over the stride, of many walks."""
        return float(np.degrees(np.sqrt(np.mean(np.square(angle - angle.mean(axis=1)[:, None])))))

    elbows, leans, heads = [], [], []
    for seed in range(8):
        places = lock_feet(vary_strides(clip, seed)).positions
        at = {role: places[:, joint] for role, joint in skeleton.roles.items()}
        upper = at["left_elbow"] - at["left_shoulder"]
        lower = at["left_wrist"] - at["left_elbow"]
        between = np.einsum("ti,ti->t", upper, lower)
        between /= np.linalg.norm(upper, axis=1) * np.linalg.norm(lower, axis=1)
        trunk = at["neck"] - at["hips"]
        head = at["head"] - at["neck"]
        for rows, angle in (
            (elbows, np.arccos(between)),
            (leans, np.arctan2(trunk[:, 0], trunk[:, 1])),
            (heads, np.arctan2(head[:, 2], head[:, 1])),
        ):
            inner = angle[2 * frames : (STRIDES - 2) * frames].reshape(-1, frames)
            rows.append(inner)
    assert 1.0 < spread(np.array(elbows)) < 2.6
    assert 0.3 < spread(np.array(leans)) < 0.8
    assert 0.7 < spread(np.array(heads)) < 2.8  # the neck's share of the head's 2.8


def test_footprints_move_by_centimetres_and_stand_still(loop: tuple[Clip, int]) -> None:
    clip, _ = loop
    made = lock_feet(vary_strides(clip, 3))
    assert made.contacts is not None
    assert clip.contacts is not None
    assert np.array_equal(made.contacts, clip.contacts)
    toe = clip.skeleton.role("left_toe")
    on = clip.contacts[:, 0] & clip.contacts[:, 1]
    edges = np.flatnonzero(np.diff(on, prepend=False, append=False)).reshape(-1, 2)
    moved = []
    for first, stop in edges:
        here, there = (c.positions[first:stop, toe] for c in (made, clip))
        assert np.ptp(here, axis=0).max() < 1e-3
        moved.append((here - there).mean(axis=0)[[0, 2]])
    off = np.linalg.norm(moved, axis=1)
    assert off.max() < 0.06
    assert 0.005 < off.mean() < 0.03


def test_footprints_stay_where_they_must(loop: tuple[Clip, int]) -> None:
    clip, _ = loop
    made = lock_feet(vary_strides(clip, 3, move_feet=False))
    toe = clip.skeleton.role("right_toe")
    assert clip.contacts is not None
    on = clip.contacts[:, 2] & clip.contacts[:, 3]
    off = made.positions[on, toe] - clip.positions[on, toe]
    assert np.linalg.norm(off, axis=1).max() < 0.004


def fastest(clip: Clip) -> Floats:
    """(J,) the greatest speed of each joint, degrees a second."""
    turned = np.abs(np.einsum("tji,tji->tj", clip.rotations[1:], clip.rotations[:-1]))
    return np.asarray(np.degrees(2.0 * np.arccos(np.minimum(turned, 1.0))).max(axis=0) * clip.fps)


@pytest.mark.parametrize("seed", range(5))
def test_no_joint_becomes_more_than_a_tenth_faster(loop: tuple[Clip, int], seed: int) -> None:
    clip, _ = loop
    varied = vary_strides(clip, seed)
    before, after = fastest(clip), fastest(varied)
    assert (after <= np.maximum(1.1 * before, before + 4.0)).all()
    # The pelvis turns a little with feet that are locked where they stand now.
    before, after = fastest(lock_feet(clip)), fastest(lock_feet(varied))
    assert (after <= np.maximum(1.1 * before, before + 10.0)).all()


def test_the_first_and_the_last_pose_stay(loop: tuple[Clip, int]) -> None:
    clip, _ = loop
    made = vary_strides(clip, 5)
    for frame in (0, -1):
        assert np.allclose(made.root[frame], clip.root[frame], atol=1e-12)
        assert np.allclose(made.rotations[frame], clip.rotations[frame], atol=1e-12)
    again, plain = lock_feet(made), lock_feet(clip)
    off = np.linalg.norm(again.positions - plain.positions, axis=-1)
    assert off[[0, -1]].max() < 1e-4


def test_no_amount_is_the_clip_itself_and_more_is_more(loop: tuple[Clip, int]) -> None:
    clip, _ = loop
    assert vary_strides(clip, 1, 0.0) is clip
    off = [
        np.abs(vary_strides(clip, 1, amount).positions - clip.positions).mean()
        for amount in (0.5, 1.0, 2.0)
    ]
    assert off[0] < off[1] < off[2]


@pytest.mark.parametrize(("seed", "amount"), [(-1, 1.0), (1.5, 1.0), (1, -0.1), (1, np.nan)])
def test_wrong_seeds_and_amounts_are_refused(
    loop: tuple[Clip, int], seed: int, amount: float
) -> None:
    with pytest.raises(InputError):
        vary_strides(loop[0], seed, amount)


def test_the_shortest_clips_and_standing_ones_pass() -> None:
    walk = steady("walk", 1.3, seconds=1.0)
    for frames in (1, 2, 3, 5):
        assert len(vary_strides(walk[:frames], 0)) == frames
    still = replace(
        walk,
        root=np.repeat(walk.root[:1], 60, axis=0),
        rotations=np.repeat(walk.rotations[:1], 60, axis=0),
        contacts=np.ones((60, 4), bool),
        touches=None,
    )
    made = vary_strides(still, 0)
    toes = [still.skeleton.role(f"{side}_toe") for side in ("left", "right")]
    assert np.allclose(made.positions[:, toes], still.positions[:, toes])


@pytest.mark.mocap
@pytest.mark.parametrize("trial", ["cmu/16_16.bvh", "cmu/16_35.bvh"])
def test_real_clips_keep_their_feet(trial: str, mocap: Path) -> None:
    clip = lock_feet(real_clip(mocap / trial))
    assert clip.contacts is not None
    made = lock_feet(vary_strides(clip, 2))
    for k, side in enumerate(("left", "right")):
        toe = clip.skeleton.role(f"{side}_toe")
        on = clip.contacts[:, 2 * k + 1]
        steps = np.linalg.norm(np.diff(made.positions[:, toe], axis=0), axis=1)
        assert steps[on[1:] & on[:-1]].max() * clip.fps < 0.05


@pytest.mark.mocap
@pytest.mark.parametrize(
    "trial", ["cmu/69_31.bvh", "cmu/91_36.bvh", "accad_male1/Male1_B12_WalkTurnRight90.bvh"]
)
def test_real_clips_become_no_more_than_a_tenth_faster(trial: str, mocap: Path) -> None:
    clip = with_contacts(resample(real_clip(mocap / trial), 30.0))
    before, after = (fastest(lock_feet(c)) for c in (clip, vary_strides(clip, 1)))
    assert (after <= np.maximum(1.1 * before, before + 4.0)).all()
