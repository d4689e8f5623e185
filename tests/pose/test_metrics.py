"""The three metrics against their definitions, written out pair by pair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from footfall.body.clip import Clip
from footfall.body.edit import move, reverse
from footfall.errors import InputError
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.rounding import FINE
from footfall.pose.frames import Frames, frames_of
from footfall.pose.metrics import (
    ALIGNMENT,
    COMPONENT,
    METRICS,
    JointAngles,
    PointCloud,
    PrincipalComponents,
    TileMemory,
    distance_matrix,
    make_metric,
    rotation_vectors,
    squared_angle_series,
)
from footfall.pose.weights import angle_weights, point_weights
from tests.clips import steady
from tests.sweeps import examples

WINDOW = 10


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    return [
        steady("walk", 1.2, 0.3, seconds=2.0, fps=30.0).named("left"),
        move(steady("walk", 1.5, -0.5, seconds=1.5, fps=30.0), 3.0, -7.0, 2.0).named("right"),
    ]


@pytest.fixture(scope="module")
def frames(clips: list[Clip]) -> Frames:
    return frames_of(clips)


def pairs(frames: Frames, rng: np.random.Generator, count: int = 60) -> tuple[np.ndarray, ...]:
    there = np.flatnonzero(frames.windows(WINDOW))
    return rng.choice(there, count), rng.choice(there, count)


def test_a_point_cloud_distance_is_what_the_best_turn_and_move_leave(
    frames: Frames, rng: np.random.Generator
) -> None:
    weights = point_weights(frames.skeleton)
    first, second = pairs(frames, rng, 8)
    found = PointCloud(frames, WINDOW).between(first, second)
    for a, b, distance in zip(first, second, found, strict=True):
        target = frames.positions[a : a + WINDOW].reshape(-1, 3)
        moving = frames.positions[b : b + WINDOW].reshape(-1, 3)
        share = np.tile(weights, WINDOW)

        def left(pose: np.ndarray, t=target, m=moving, w=share) -> float:  # type: ignore[no-untyped-def]
            gaps = t - planar.apply_to_points(pose, m)
            return float(np.average((gaps**2).sum(axis=1), weights=w))

        # Three starts, for a local search may end at the far side of a turn.
        ends = [
            minimize(left, [*(target.mean(0) - moving.mean(0))[[0, 2]], yaw]).fun
            for yaw in (0.0, 2.1, -2.1)
        ]
        assert distance == pytest.approx(min(ends), rel=1e-4, abs=1e-9)


def test_the_alignment_is_that_of_the_closed_form(frames: Frames, rng: np.random.Generator) -> None:
    weights = np.tile(point_weights(frames.skeleton), WINDOW)
    first, second = pairs(frames, rng)
    poses, distances = PointCloud(frames, WINDOW).aligned(first, second)
    steps = np.arange(WINDOW)
    wanted = planar.align(
        frames.positions[first[:, None] + steps].reshape(len(first), -1, 3),
        frames.positions[second[:, None] + steps].reshape(len(first), -1, 3),
        weights,
    )
    assert planar.relative(poses, wanted.pose) == pytest.approx(0.0, abs=4.0 * ALIGNMENT)
    assert distances == pytest.approx(wanted.distance / weights.sum(), abs=FINE)


def test_joint_angles_are_weighted_half_angles_and_velocities(
    frames: Frames, rng: np.random.Generator
) -> None:
    first, second = pairs(frames, rng, 10)
    found = JointAngles(frames, WINDOW).between(first, second)
    weights = angle_weights(frames.skeleton)
    stops = set((frames.clip_start[1:] - 1).tolist())

    def turn(frame: int, joint: int) -> Rotation:
        return Rotation.from_quat(np.roll(frames.rotations[frame, joint], -1))

    def speed(frame: int, joint: int) -> np.ndarray:
        at = frame - 1 if frame in stops else frame
        return (turn(at, joint).inv() * turn(at + 1, joint)).as_rotvec() * frames.fps

    for a, b, distance in zip(first.tolist(), second.tolist(), found, strict=True):
        total = 0.0
        for p in range(WINDOW):
            for joint in np.flatnonzero(weights).tolist():
                angle = (turn(b + p, joint).inv() * turn(a + p, joint)).magnitude()
                gap = speed(a + p, joint) - speed(b + p, joint)
                total += weights[joint] * ((angle / 2.0) ** 2 + 1e-4 * float(gap @ gap))
        assert distance == pytest.approx(total / WINDOW, rel=1e-9, abs=FINE)


def test_principal_components_are_weighted_by_their_eigenvalues(
    frames: Frames, rng: np.random.Generator
) -> None:
    metric = PrincipalComponents(frames, WINDOW)
    vectors = rotation_vectors(frames, metric.joints)
    vectors -= vectors.mean(axis=0)
    _, singular, axes = np.linalg.svd(vectors, full_matrices=False)
    weights = singular**2 / (singular**2).sum()
    values = vectors @ axes.T
    first, second = pairs(frames, rng)
    steps = np.arange(WINDOW)
    gaps = values[first[:, None] + steps] - values[second[:, None] + steps]
    wanted = np.sqrt((gaps**2 * weights).sum(axis=-1)).mean(axis=1)
    assert metric.between(first, second) == pytest.approx(wanted, abs=2.0 * COMPONENT)


def test_components_with_equal_weights_give_the_distance_of_rotation_vectors(
    frames: Frames,
) -> None:
    metric = PrincipalComponents(frames, WINDOW)
    vectors = rotation_vectors(frames, metric.joints)
    by_components = np.linalg.norm(metric.values[0] - metric.values, axis=1)
    assert by_components == pytest.approx(
        np.linalg.norm(vectors[0] - vectors, axis=1), abs=10.0 * COMPONENT
    )


@pytest.mark.parametrize("name", METRICS)
def test_tiles_hold_what_single_pairs_give(name: str, frames: Frames) -> None:
    metric = make_metric(name, frames, WINDOW)
    matrix = distance_matrix(metric)
    there = np.flatnonzero(frames.windows(WINDOW))
    first, second = (a.ravel() for a in np.meshgrid(there, there, indexing="ij"))
    exact = metric.between(first, second).reshape(len(there), -1)
    inside = matrix[np.ix_(there, there)]
    # near 0 the cloud's floor of 3e-7 m² and the components' of 1e-3 times their spread show
    assert inside == pytest.approx(exact, rel=1e-4, abs=2e-3 if name == METRICS[2] else 4e-7)
    assert np.isfinite(matrix).sum() == inside.size


@pytest.mark.parametrize("name", METRICS)
@examples(30)
@given(
    top=st.integers(0, 60), height=st.integers(1, 40), side=st.integers(0, 60),
    width=st.integers(1, 40), window=st.integers(1, 14),
)  # fmt: skip
def test_it_does_not_matter_how_pairs_are_cut_into_tiles(
    name: str, frames: Frames, top: int, height: int, side: int, width: int, window: int
) -> None:
    metric = make_metric(name, frames, window)
    rows = range(top, min(top + height, len(frames)))
    columns = range(side, min(side + width, len(frames)))
    tile = metric.tile(rows, columns, TileMemory())
    whole = metric.tile(range(len(frames)), range(len(frames)), TileMemory())
    assert tile == pytest.approx(
        whole[rows.start : rows.stop, columns.start : columns.stop], rel=1e-4, abs=2e-3
    )


@pytest.mark.parametrize("name", METRICS)
@examples(30)
@given(x=st.floats(-50, 50), z=st.floats(-50, 50), yaw=st.floats(-3.1, 3.1))
def test_no_metric_knows_where_a_clip_was_recorded(
    name: str, clips: list[Clip], x: float, z: float, yaw: float
) -> None:
    moved = frames_of([clips[0], move(clips[1], x, z, yaw)])
    first, second = np.arange(0, 20, 3), np.arange(62, 82, 3)
    here = make_metric(name, frames_of(clips), WINDOW).between(first, second)
    there = make_metric(name, moved, WINDOW).between(first, second)
    assert there == pytest.approx(here, rel=1e-7, abs=2.0 * FINE)


def test_a_clip_ten_kilometres_away_keeps_its_distances(clips: list[Clip]) -> None:
    near = distance_matrix(PointCloud(frames_of(clips), WINDOW))
    far = distance_matrix(PointCloud(frames_of([clips[0], move(clips[1], 7e3, 7e3, 1.0)]), WINDOW))
    there = np.isfinite(near)
    assert far[there] == pytest.approx(near[there], abs=1e-6)


@pytest.mark.parametrize("name", METRICS)
def test_a_window_is_no_distance_from_itself_and_distances_are_symmetric(
    name: str, frames: Frames, rng: np.random.Generator
) -> None:
    metric = make_metric(name, frames, WINDOW)
    first, second = pairs(frames, rng)
    assert metric.between(first, first) == pytest.approx(0.0, abs=1e-14)
    assert np.all(metric.between(first, second)[first != second] > 0.0)
    assert metric.between(first, second) == pytest.approx(metric.between(second, first))
    matrix = distance_matrix(metric)
    assert np.all(np.diagonal(matrix)[frames.windows(WINDOW)] == 0.0)


@given(angle=st.floats(0.0, 3.1), role=st.sampled_from(["left_hip", "right_knee", "left_elbow"]))
def test_one_joint_turned_by_an_angle_gives_its_weight_times_half_of_it_squared(
    clips: list[Clip], angle: float, role: str
) -> None:
    still = clips[0]
    pose = np.repeat(still.rotations[:1], 12, axis=0)
    turned = np.array(pose)
    joint = still.skeleton.role(role)
    turn = quat.from_axis_angle([0.6, 0.0, 0.8], angle)
    turned[:, joint] = quat.multiply(turn, pose[:, joint])
    root = np.repeat(still.root[:1], 12, axis=0)
    both = [
        replace(still, root=root, rotations=r, contacts=None, touches=None, name=n)
        for r, n in ((pose, "a"), (turned, "b"))
    ]
    metric = JointAngles(frames_of(both), WINDOW)
    wanted = angle_weights(still.skeleton)[joint] * (angle / 2.0) ** 2
    assert metric.between(np.array([0]), np.array([12]))[0] == pytest.approx(wanted, abs=FINE)
    assert metric.tile(range(1), range(12, 13), TileMemory())[0, 0] == pytest.approx(
        wanted, rel=1e-5
    )


def test_the_velocity_term_tells_a_walk_from_its_reverse() -> None:
    walk = steady("walk", 1.2, seconds=2.0, fps=30.0)
    metric = JointAngles(frames_of([walk.named("on"), reverse(walk).named("back")]), 1)
    # the pose of frame 20, from which the one goes on and the other back
    same = metric.between(np.array([20]), np.array([len(walk) + len(walk) - 1 - 20]))[0]
    speeds = metric.rates[20] + metric.rates[19]
    wanted = 1e-4 * float(((speeds**2).sum(axis=1) * metric.weights).sum())
    assert same == pytest.approx(wanted)
    assert same > 1e-3


def test_the_series_gives_squared_angles() -> None:
    t = np.linspace(1e-9, 1.0, 2001)
    exact = (2.0 * np.arcsin(np.sqrt(t / 2.0))) ** 2
    assert np.polynomial.polynomial.polyval(t, squared_angle_series()) * t == pytest.approx(
        exact, rel=2e-8
    )


def test_the_clouds_weights_follow_the_roles() -> None:
    skeleton = steady("walk", 1.2, seconds=0.5, fps=30.0).skeleton
    weights = point_weights(skeleton)
    wanted = {"left_hip": 0.6, "right_knee": 0.7, "left_ankle": 0.8, "right_toe": 1.0, "hips": 0.5}
    assert {role: weights[skeleton.role(role)] for role in wanted} == wanted
    assert np.count_nonzero(angle_weights(skeleton)) == 8


def test_a_skeleton_without_roles_has_points_but_no_named_angles() -> None:
    walk = steady("walk", 1.2, seconds=1.0, fps=30.0)
    bare = replace(walk, skeleton=walk.skeleton.with_roles({}), contacts=None)
    frames = frames_of([bare])
    assert distance_matrix(PointCloud(frames, 5)).shape == (len(walk), len(walk))
    with pytest.raises(InputError, match="hip"):
        JointAngles(frames, 5)


def test_frames_of_clips_are_the_clips_one_after_another(clips: list[Clip]) -> None:
    frames = frames_of(clips)
    start = frames.clip_start
    for number, clip in enumerate(clips):
        part = slice(start[number], start[number + 1])
        assert frames.positions[part] == pytest.approx(clip.positions)
        assert np.all(frames.clip[part] == number)
    assert frames.windows(WINDOW).sum() == sum(len(c) - WINDOW + 1 for c in clips)


def test_misuse_is_one_sentence(frames: Frames) -> None:
    with pytest.raises(InputError, match="choose one of point_cloud"):
        make_metric("points", frames, 10)
    with pytest.raises(InputError, match="at least 1"):
        make_metric("point_cloud", frames, 0)
    with pytest.raises(InputError, match="no clips"):
        frames_of([])
    walk = steady("walk", 1.2, seconds=1.0, fps=30.0)
    with pytest.raises(InputError, match="frame rate"):
        frames_of([walk, steady("walk", 1.2, seconds=1.0, fps=60.0)])
