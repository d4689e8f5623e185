"""Physics: bodies with a known motion need the force that mechanics says."""

from __future__ import annotations

from dataclasses import astuple, replace

import numpy as np
import pytest

from footfall.body.mass import segments
from footfall.gait.flight import GRAVITY
from footfall.maths import quaternions as quat
from footfall.measures.physics import angular_momentum, ground_wrench, physics
from footfall.measures.tracks import foot_tracks
from tests.clips import real_clip, steady
from tests.measures.motions import frames, reversed_clip, standing, walk


def in_air(clip, path):
    """One pose of a clip carried along a path (T, 3), touching nothing."""
    still = frames(clip, np.zeros(len(path), dtype=int))
    return replace(still, root=path, contacts=np.zeros((len(path), 4), bool))


def test_a_figure_that_stands_is_held_by_its_weight_above_its_feet():
    clip = standing()
    wrench = ground_wrench(clip, foot_tracks(clip))
    assert wrench.force == pytest.approx(np.tile([0.0, 1.0, 0.0], (len(clip), 1)), abs=1e-6)
    assert wrench.zmp == pytest.approx(wrench.centre[:, [0, 2]], abs=1e-6)
    found = physics(clip)
    assert found.friction_max == pytest.approx(0.0, abs=1e-6)
    assert found.residual_force_bw == 0.0


def test_free_fall_needs_no_force():
    time = np.arange(0.0, 0.6, 1.0 / 120.0)
    path = np.stack([0.0 * time, 2.0 + 3.0 * time - 0.5 * GRAVITY * time**2, 1.0 * time], axis=1)
    clip = replace(in_air(walk(fps=120.0), path), fps=120.0)
    wrench = ground_wrench(clip, foot_tracks(clip), running=True)
    assert np.linalg.norm(wrench.force[15:-15], axis=1).max() < 0.02


def test_hanging_in_the_air_is_a_residual_of_the_whole_weight():
    clip = in_air(walk(), np.tile([0.0, 2.0, 0.0], (90, 1)))
    assert physics(clip).residual_force_bw == pytest.approx(1.0, abs=1e-6)


def test_a_push_forward_moves_the_zero_moment_point_back_by_height_times_push():
    clip = standing()
    time = np.arange(len(clip)) / clip.fps
    pushed = replace(clip, root=clip.root + np.outer(0.5 * 0.8 * time**2, [0.0, 0.0, 1.0]))
    wrench = ground_wrench(pushed, foot_tracks(pushed))
    middle = len(clip) // 2
    tracks = foot_tracks(pushed)
    touched = tracks.contacts[middle].reshape(2, 2)
    soles = [
        tracks.points[middle, f, k + 1, 1] for f in range(2) for k in range(2) if touched[f, k]
    ]
    height = wrench.centre[middle, 1] - np.mean(soles)
    back = wrench.centre[middle, 2] - wrench.zmp[middle, 1]
    assert back == pytest.approx(height * 0.8 / GRAVITY, rel=0.03)
    assert physics(pushed).friction_mean == pytest.approx(0.8 / GRAVITY, rel=0.02)


def test_a_rigid_spin_has_the_angular_momentum_of_its_inertia():
    clip = walk(fps=120.0)
    spinning = frames(clip, np.zeros(60, dtype=int))
    rate = 2.0
    turns = quat.from_yaw(rate * np.arange(60) / 120.0)
    rotations = np.array(spinning.rotations)
    rotations[:, 0] = quat.multiply(turns, rotations[:, 0])
    root = quat.rotate(turns, spinning.root)
    spinning = replace(spinning, root=root, rotations=quat.continuous(rotations))
    poses, parts = spinning.world, segments(spinning.skeleton, 70.0)
    found = angular_momentum(spinning, parts)[30]
    # The tensor of all segments about the common centre, put together by the parallel axis rule.
    places = [
        poses.positions[30, p.joint] + quat.rotate(poses.rotations[30, p.joint], p.centre)
        for p in parts
    ]
    centre = sum(p.mass_kg * x for p, x in zip(parts, places, strict=True)) / 70.0
    tensor = np.zeros((3, 3))
    for part, place in zip(parts, places, strict=True):
        arm = place - centre
        basis = quat.to_matrix(poses.rotations[30, part.joint])
        tensor += basis @ part.inertia @ basis.T
        tensor += part.mass_kg * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    assert found == pytest.approx(tensor @ [0.0, rate, 0.0], rel=0.01, abs=0.01)


def test_a_default_run_flies_as_gravity_has_it():
    found = physics(steady("run", 3.5, seconds=4.0, fps=120.0))
    assert found.flights >= 6
    assert found.flight_error < 0.02
    assert found.residual_force_bw < 0.1


def test_a_run_that_falls_half_as_fast_is_told():
    run = steady("run", 3.5, seconds=4.0, fps=120.0)
    slow = replace(run, fps=run.fps / 1.25)
    # Played at 1/1.25 of its speed, it falls with 1/1.25² of gravity.
    assert physics(slow).flight_error == pytest.approx(1.0 - 1.0 / 1.25**2, abs=0.05)


def test_playing_a_clip_backwards_leaves_its_physics_as_it_was():
    clip = walk(3.0)
    assert astuple(physics(reversed_clip(clip))) == pytest.approx(
        astuple(physics(clip)), rel=0.03, abs=0.01, nan_ok=True
    )


def test_twice_the_frame_rate_needs_the_same_forces():
    one, two = physics(walk(4.0, 60.0)), physics(walk(4.0, 120.0))
    assert two.friction_mean == pytest.approx(one.friction_mean, rel=0.05)
    assert two.zmp_outside_mean_cm == pytest.approx(one.zmp_outside_mean_cm, abs=0.3)


@pytest.mark.mocap
def test_a_recorded_walk_is_physical(mocap):
    found = physics(real_clip(mocap / "cmu" / "16_16.bvh"))
    assert found.residual_force_bw < 0.01
    assert found.zmp_outside_mean_cm < 3.0
    assert 0.03 < found.friction_mean < 0.2
