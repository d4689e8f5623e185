"""Naturalness: the distance is right, sees motion alone, spares real people, flags bad motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.linalg import sqrtm

from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.generate.performer import Performer
from footfall.maths import quaternions
from footfall.maths.arrays import Floats
from footfall.maths.signals import low_pass
from footfall.measures.features import (
    Basis,
    FeatureWindows,
    equal_shares,
    feature_columns,
    shares_at_speeds_of,
    track_of,
    windows_of,
)
from footfall.measures.gait_figures import (
    GaitFigures,
    compare_figures,
    mean_figures,
    stride_figures,
)
from footfall.measures.naturalness import (
    Gaussian,
    Naturalness,
    compare,
    compare_windows,
    fit_gaussian,
    frechet_distance,
    performer_of,
    read_windows,
    showing,
)
from tests.clips import real_clip, steady
from tests.sweeps import examples


def gaussian(rng: np.random.Generator, size: int, rank: int) -> Gaussian:
    root = rng.normal(size=(size, rank))
    return Gaussian(rng.normal(size=size), root @ root.T)


# ── the distance ────────────────────────────────────────────────────────────────────────────


@given(seed=st.integers(0, 10_000), size=st.integers(1, 8))
def test_frechet_distance_is_that_of_the_matrix_square_root(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = gaussian(rng, size, size + 2), gaussian(rng, size, size + 2)
    root = np.real(sqrtm(a.covariance @ b.covariance))
    expected = ((a.mean - b.mean) ** 2).sum() + np.trace(a.covariance + b.covariance - 2.0 * root)
    assert_allclose(frechet_distance(a, b), expected, rtol=1e-6, atol=1e-7)


def test_frechet_distance_of_numbers_is_that_of_means_and_deviations() -> None:
    a, b = (Gaussian(np.array([m]), np.array([[s**2]])) for m, s in ((1.0, 2.0), (4.0, 0.5)))
    assert_allclose(frechet_distance(a, b), 3.0**2 + 1.5**2)


@given(seed=st.integers(0, 10_000), size=st.integers(2, 8))
def test_frechet_distance_is_symmetric_and_nothing_from_itself(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = gaussian(rng, size, 1), gaussian(rng, size, size)  # the first is singular
    assert_allclose(frechet_distance(a, b), frechet_distance(b, a), rtol=1e-6, atol=1e-6)
    assert frechet_distance(a, a) < 1e-6
    assert frechet_distance(a, b) > 0.0


def test_frechet_distance_does_not_depend_on_the_axes(rng: np.random.Generator) -> None:
    a, b = gaussian(rng, 6, 6), gaussian(rng, 6, 6)
    turn, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    turned = [Gaussian(turn @ g.mean, turn @ g.covariance @ turn.T) for g in (a, b)]
    assert_allclose(frechet_distance(*turned), frechet_distance(a, b), rtol=1e-9)


def test_gaussians_of_different_sizes_are_refused(rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match="3 and 4 dimensions"):
        frechet_distance(gaussian(rng, 3, 3), gaussian(rng, 4, 4))


def test_many_samples_give_back_their_gaussian(rng: np.random.Generator) -> None:
    true = gaussian(rng, 5, 7)
    found = fit_gaussian(rng.multivariate_normal(true.mean, true.covariance, size=40_000))
    assert frechet_distance(found, true) < 0.02 * np.trace(true.covariance)


def test_few_samples_are_shrunk_towards_what_is_independent(rng: np.random.Generator) -> None:
    values = rng.normal(size=(12, 20))  # independent, but few: sample correlations are large
    off = ~np.eye(20, dtype=bool)
    plain = np.corrcoef(values.T)[off]
    found = fit_gaussian(values).covariance
    scale = np.sqrt(np.diag(found))
    assert np.abs(found / np.outer(scale, scale))[off].max() < 0.5 * np.abs(plain).max()
    assert np.linalg.eigvalsh(found).min() > 0.0


def test_weights_count_as_copies_do(rng: np.random.Generator) -> None:
    values = rng.normal(size=(30, 3))
    copies = np.concatenate([values, values[:10]])
    found = fit_gaussian(values, np.where(np.arange(30) < 10, 2.0, 1.0))
    expected = fit_gaussian(copies)
    assert_allclose(found.mean, expected.mean)
    assert_allclose(np.diag(found.covariance), np.diag(expected.covariance), rtol=0.02)


# ── the features ────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def walk() -> Clip:
    return steady(speed_m_s=1.2, seconds=3.0, fps=60.0)


def put(clip: Clip, yaw: float, shift: tuple[float, float, float]) -> Clip:
    """The clip turned about the vertical and moved."""
    turn = quaternions.from_yaw(yaw)
    rotations = clip.rotations.copy()
    rotations[:, 0] = quaternions.multiply(turn, rotations[:, 0])
    return replace(clip, root=quaternions.rotate(turn, clip.root) + np.array(shift),
                   rotations=rotations)  # fmt: skip


def scaled(clip: Clip, factor: float) -> Clip:
    """The same motion of a body `factor` times as large, slower as a longer pendulum is."""
    old = clip.skeleton
    skeleton = Skeleton(old.names, old.parents, old.offsets * factor, old.end_joints,
                        old.end_offsets * factor, dict(old.roles))  # fmt: skip
    return replace(clip, skeleton=skeleton, root=clip.root * factor, fps=clip.fps / factor**0.5)


@examples(8)
@given(yaw=st.floats(-3.0, 3.0), x=st.floats(-50.0, 50.0), z=st.floats(-50.0, 50.0))
def test_features_know_neither_place_nor_heading(
    yaw: float, x: float, z: float, walk: Clip
) -> None:
    moved = track_of(put(walk, yaw, (x, 0.3, z)))
    assert_allclose(moved.rows, track_of(walk).rows, atol=1e-6)


def test_features_do_not_depend_on_the_frame_rate() -> None:
    slow, fast = (steady(speed_m_s=1.2, seconds=3.0, fps=fps) for fps in (30.0, 120.0))
    one, two = track_of(slow), track_of(fast)
    inner = slice(5, -5)
    places = np.abs(one.places[inner] - two.places[inner]).max()
    velocities = np.abs(one.velocities[inner] - two.velocities[inner]).max()
    assert places < 0.01
    assert velocities < 0.05
    for track in (one, two):
        assert track.kinds.count("walk") > 0.85 * len(track)


def test_features_do_not_depend_on_the_size_of_the_body(walk: Clip) -> None:
    tall = track_of(scaled(walk, 1.21))
    # 1.1 times slower, it is sampled at other phases: spreads are compared, not frames.
    for mine, other in ((track_of(walk).places, tall.places),):
        assert_allclose(mine.mean(axis=0), other.mean(axis=0), atol=0.02)
        assert_allclose(mine.std(axis=0), other.std(axis=0), atol=0.01)
    assert_allclose(track_of(walk).speed.mean(), tall.speed.mean(), rtol=1e-2)


def test_a_mirror_image_of_a_mirror_image_is_the_track_itself(walk: Clip) -> None:
    track = track_of(walk)
    twice = track.mirrored.mirrored
    assert_allclose(twice.rows, track.rows)
    assert_allclose(twice.turn, track.turn)
    assert np.abs(track.mirrored.rows - track.rows).max() > 0.1


def test_every_window_has_its_features_named(walk: Clip) -> None:
    windows = windows_of(track_of(walk))
    assert windows.values.shape[1] == len(feature_columns())
    assert len(windows) == len(windows.kinds) == len(windows.speed) == len(windows.owner)
    arms = windows.about(("left_wrist", "right_wrist"))
    assert arms.values.shape[1] == sum("wrist" in name for name, _ in feature_columns())


def test_groups_share_alike_however_long_they_are() -> None:
    shares = equal_shares(np.array([0, 0, 0, 4], np.int32))
    assert_allclose(shares, [1 / 6, 1 / 6, 1 / 6, 1 / 2])


def test_shares_bring_speeds_to_those_of_others(rng: np.random.Generator) -> None:
    def at(speeds: Floats) -> FeatureWindows:
        count = len(speeds)
        none = np.zeros(count)
        return FeatureWindows(np.zeros((count, 1)), speeds, none, ("walk",) * count,
                       np.zeros(count, np.int32))  # fmt: skip

    ours, theirs = at(rng.uniform(0.2, 0.7, 4000)), at(rng.normal(0.4, 0.03, 4000))
    shares = shares_at_speeds_of(ours, theirs)
    assert_allclose(shares.sum(), 1.0)
    assert_allclose(shares @ ours.speed, theirs.speed.mean(), rtol=0.03)
    assert not shares_at_speeds_of(at(np.array([2.0, 2.1])), theirs).any()


def test_what_leaves_the_space_of_real_windows_is_seen(rng: np.random.Generator) -> None:
    count, size = 400, len(feature_columns())
    values = np.zeros((count, size))
    values[:, :3] = rng.normal(size=(count, 3))
    real = FeatureWindows(values, np.full(count, 0.4), np.zeros(count), ("walk",) * count,
                   np.arange(count, dtype=np.int32) % 4)  # fmt: skip
    basis = Basis.fit(real, 3)
    off = values[:5].copy()
    off[:, 50] += 2.0  # a direction in which nothing real ever moves
    assert_allclose(basis.components(off)[:, -1], 2.0, rtol=1e-6)
    assert np.abs(basis.components(values)[:, -1]).max() < 1e-6


# ── real people and bad motion ──────────────────────────────────────────────────────────────

WALKERS = ("07_04", "16_16", "16_58", "16_12", "16_14", "91_36", "69_31", "69_28", "69_25",
           "46_01", "45_01")  # fmt: skip
ACCAD = ("B3_Walk", "B13_WalkTurnRight45", "B2_WalkToStand", "B10_WalkTurnLeft45")


@pytest.fixture(scope="module")
def walks(mocap: Path) -> list[Clip]:
    found = [real_clip(mocap / "cmu" / f"{name}.bvh") for name in WALKERS]
    return found + [real_clip(mocap / "accad_male1" / f"Male1_{name}.bvh") for name in ACCAD]


@pytest.fixture(scope="module")
def real(walks: list[Clip]) -> FeatureWindows:
    return read_windows(walks)


def judged(clips: list[Clip], real: FeatureWindows) -> Naturalness:
    """Clips that are said to be walks, beside real ones."""
    found = compare_windows(read_windows(clips), real, "walk")
    assert found is not None
    return found


def worst(found: Naturalness) -> float:
    return max(found.ratio, *found.parts.values())


@pytest.mark.mocap
def test_real_performers_are_as_far_from_others_as_those_from_each_other(
    walks: list[Clip], real: FeatureWindows
) -> None:
    who = [performer_of(clip) for clip in walks]
    numbers = {name: n for n, name in enumerate(dict.fromkeys(who))}
    assert set(numbers) == {"07", "16", "91", "69", "46", "45", "Male1"}
    ratios = []
    for name in numbers:
        if name == "45":  # of whom there are 1.6 s, too few for a spread: it reads 3.8
            continue
        mine = np.flatnonzero(real.owner == numbers[name]).astype(np.int32)
        rest = np.flatnonzero(real.owner != numbers[name]).astype(np.int32)
        found = compare_windows(showing(real.only(mine), "walk"), real.only(rest), "walk")
        assert found is not None
        assert found.dealt == 1
        ratios.append(found.ratio)
    # One person is not a population: single ones read 0.5 to 2.1, their mean is what must be 1.
    assert max(ratios) < 2.5
    assert 0.6 < np.mean(ratios) < 1.5


def frozen(clip: Clip) -> Clip:
    """One pose, pushed along."""
    middle = len(clip) // 2
    way = np.linspace(clip.root[0], clip.root[-1], len(clip))
    way[:, 1] = clip.root[middle, 1]
    return replace(clip, root=way, rotations=np.repeat(clip.rotations[[middle]], len(clip), axis=0))


def reversed_in_time(clip: Clip) -> Clip:
    return clip[::-1]


def without_arm_swing(clip: Clip) -> Clip:
    rotations = clip.rotations.copy()
    for role in ("left_shoulder", "right_shoulder", "left_elbow", "right_elbow"):
        joint = clip.skeleton.role(role)
        rotations[:, joint] = quaternions.weighted_mean(rotations[:, joint])
    return replace(clip, rotations=rotations)


def sliding(clip: Clip) -> Clip:
    """A third more way for the same steps."""
    root = clip.root * np.array([1.33, 1.0, 1.33])
    return replace(clip, root=root)


def noisy(clip: Clip) -> Clip:
    """Joints that shake by 2°."""
    shape = (len(clip), len(clip.skeleton), 3)
    shake = low_pass(np.random.default_rng(5).normal(size=shape), clip.fps, 4.0)
    shake *= np.radians(2.0) / shake.std()
    turned = quaternions.multiply(clip.rotations, quaternions.from_rotation_vector(shake))
    return replace(clip, rotations=quaternions.normalise(turned))


def too_fast(clip: Clip) -> Clip:
    return replace(clip, fps=1.5 * clip.fps)


def too_slow(clip: Clip) -> Clip:
    return replace(clip, fps=0.6 * clip.fps)


BROKEN = (frozen, reversed_in_time, without_arm_swing, sliding, noisy, too_fast, too_slow)


@pytest.mark.mocap
@pytest.mark.parametrize("breaking", BROKEN, ids=lambda f: f.__name__)
def test_bad_motion_is_far_beyond_the_distance_between_people(
    breaking: Callable[[Clip], Clip], walks: list[Clip], real: FeatureWindows
) -> None:
    mine = [c for c in walks if performer_of(c) in ("07", "16", "69", "46")]
    mine = [c for c in mine if c.name in ("07_04", "16_16", "69_31", "46_01")]
    found = judged([breaking(c) for c in mine], real)
    assert worst(found) > 3.0, found


@pytest.mark.mocap
def test_parts_say_what_is_wrong(walks: list[Clip], real: FeatureWindows) -> None:
    mine = [c for c in walks if performer_of(c) in ("07", "16", "69")]
    whole = judged(mine, real)
    arms, feet = (
        judged([without_arm_swing(c) for c in mine], real),
        judged([sliding(c) for c in mine], real),
    )
    assert max(arms.parts, key=lambda p: arms.parts[p] / whole.parts[p]) == "arms"
    assert max(feet.parts, key=lambda p: feet.parts[p] / whole.parts[p]) == "grip"
    assert_allclose(arms.parts["legs"], whole.parts["legs"], rtol=0.05)


@pytest.mark.mocap
def test_the_same_seed_gives_the_same_number(walks: list[Clip]) -> None:
    judged, real = read_windows(walks[:2]), read_windows(walks[:5])
    one, two = (compare_windows(judged, real, "walk", seed=3) for _ in range(2))
    assert one == two


@pytest.mark.mocap
def test_a_comparison_is_plain_numbers(walks: list[Clip]) -> None:
    import json

    found = compare([steady(speed_m_s=1.1, fps=30.0)], walks)
    said = json.loads(json.dumps(found.as_dict()))
    assert {"walk", "walk_normal"} <= {one["behaviour"] for one in said["behaviours"]}
    assert {"step_length_legs", "knee_range_deg"} <= {row["figure"] for row in said["figures"]}
    assert said["unseen"] < 0.2


@pytest.mark.mocap
def test_default_walks_are_nearly_as_close_to_people_as_people_are(real: FeatureWindows) -> None:
    clips, who = [], []
    for seed in range(4):
        for n, speed in enumerate((0.9, 1.05, 1.25)):
            clip = steady(speed_m_s=speed, seconds=2.6, fps=30.0, who=Performer(manner=seed + 1),
                          seed=10 * seed + n, variation=0.5, phase=0.37 * n)  # fmt: skip
            clips.append(clip)
            who.append(str(seed))
    found = compare_windows(read_windows(clips, who), real, "walk")
    assert found is not None
    assert found.ratio < 2.0, found


# ── figures ─────────────────────────────────────────────────────────────────────────────────


def gait_figures(clip: Clip) -> GaitFigures | None:
    """Return mean figures of a clip's most frequent kind of stride; None without strides."""
    strides = stride_figures(clip)
    kinds = [s.kind for s in strides]
    most = max(dict.fromkeys(kinds), key=kinds.count, default=None)
    return mean_figures([s for s in strides if s.kind == most]) if strides else None


@pytest.mark.parametrize(("name", "speed"), [("walk", 0.9), ("walk", 1.4), ("run", 3.0)])
def test_figures_tell_the_speed_that_was_asked_for(name: str, speed: float) -> None:
    found = gait_figures(steady(name, speed, seconds=4.0))
    assert found is not None
    assert found.kind == name
    assert_allclose(found.speed_m_s, speed, rtol=0.02)
    # A step a time is a speed, also in the relative figures.
    assert_allclose(found.step_length_legs * found.relative_cadence, found.speed_froude, rtol=0.02)
    assert (found.duty_factor < 0.5) == (name == "run")
    assert 0.0 < found.knee_least_deg < found.knee_most_deg < 150.0


def test_figures_do_not_depend_on_the_frame_rate() -> None:
    slow, fast = (gait_figures(steady(speed_m_s=1.2, fps=fps)) for fps in (30.0, 120.0))
    assert slow is not None
    assert fast is not None
    for figure, value in slow.values().items():
        assert_allclose(value, fast.values()[figure], rtol=0.1, atol=0.01, err_msg=figure)


def test_figures_do_not_depend_on_the_size_of_the_body(walk: Clip) -> None:
    short, tall = gait_figures(walk), gait_figures(scaled(walk, 1.21))
    assert short is not None
    assert tall is not None
    sized = ("speed_m_s", "cadence_steps_min", "jerk_m_s3")
    for figure, value in short.values().items():
        if figure not in sized:
            assert_allclose(tall.values()[figure], value, rtol=0.1, atol=0.01, err_msg=figure)
    assert_allclose(tall.speed_m_s, 1.1 * short.speed_m_s, rtol=0.01)


def test_arms_that_do_not_swing_have_no_range(walk: Clip) -> None:
    usual, stiff = gait_figures(walk), gait_figures(without_arm_swing(walk))
    assert usual is not None
    assert stiff is not None
    assert stiff.elbow_range_deg < 0.5
    assert stiff.arm_swing_legs < 0.6 * usual.arm_swing_legs
    assert_allclose(stiff.hip_range_deg, usual.hip_range_deg)


def test_who_stands_has_no_strides(walk: Clip) -> None:
    still = replace(walk, root=np.repeat(walk.root[:1], len(walk), axis=0),
                    rotations=np.repeat(walk.rotations[:1], len(walk), axis=0))  # fmt: skip
    assert stride_figures(still) == ()
    assert gait_figures(still) is None


def test_clips_lie_within_their_own_range_and_others_out_of_it() -> None:
    clips = [
        steady(speed_m_s=v, seconds=3.0, fps=30.0, seed=n, variation=1.0)
        for n, v in enumerate((1.1, 1.15, 1.2, 1.25))
    ]
    same = compare_figures(clips[1:3], clips)
    assert same
    assert all(row.inside for row in same)
    stiff = compare_figures([without_arm_swing(c) for c in clips[1:3]], clips)
    assert not next(row for row in stiff if row.figure == "elbow_range_deg").inside


# ── misuse ──────────────────────────────────────────────────────────────────────────────────


def test_misuse_is_said_in_one_sentence(walk: Clip) -> None:
    bare = replace(walk, skeleton=replace(walk.skeleton, roles={}))
    with pytest.raises(InputError, match="no clips"):
        read_windows([])
    with pytest.raises(InputError, match="2 performers for 1 clips"):
        read_windows([walk], performers=["a", "b"])
    with pytest.raises(InputError, match="not a humanoid"):
        read_windows([bare])
    assert compare_windows(read_windows([walk]), read_windows([walk]), "run") is None


def test_clips_shorter_than_a_window_have_no_windows() -> None:
    short = steady(speed_m_s=1.2, seconds=0.3)
    assert len(read_windows([short])) == 0
    assert compare([short], [short]).behaviours == ()
