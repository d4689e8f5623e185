"""How bodies act that start, stop and change their pace, by plain positions of their joints."""

from __future__ import annotations

import numpy as np
import pytest
from bench.acting.angles import Angles, angles_of

from footfall.body.clip import Clip
from footfall.generate.gait.journeys import change_gait, start, stop
from footfall.generate.gait.steady import steady
from footfall.library.default import generate_clip
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.runs import runs
from tests.generate.gait_measures import SIDES, feet


def acting(clip: Clip) -> Angles:
    return angles_of(clip, clip.fps)


def leaves(clip: Clip, foot: int) -> int:
    """The first frame at which a foot is in the air."""
    return int(np.flatnonzero(~feet(clip)[:, foot])[0])


def lands(clip: Clip, foot: int) -> int:
    """The first frame at which it stands again."""
    off = leaves(clip, foot)
    return off + int(np.flatnonzero(feet(clip)[off:, foot])[0])


def strikes_last(clip: Clip) -> int:
    return max(int(runs(feet(clip)[:, n])[-1, 0]) for n in range(2))


def ahead(seen: Angles, foot: int) -> Floats:
    """(T,) how far ahead of the hips a foot is, leg lengths, of somebody who goes along +Z."""
    ankle = seen.body.at[f"{SIDES[foot]}_ankle"]
    return np.asarray((ankle - seen.hips)[:, 2] / MEAN_LEG_M)


@pytest.mark.parametrize("foot", [0, 1])
def test_runs_start_with_a_fall_from_the_ankles_and_a_long_low_step(foot: int) -> None:
    clip = start(3.0, SIDES[foot], gait="run")
    seen, off, on = acting(clip), leaves(clip, foot), lands(clip, foot)
    upright = seen.trunk_pitch[0]
    assert seen.trunk_pitch[off] - upright < 27.0
    assert ahead(seen, 1 - foot)[off] < -0.12
    assert seen.knee[off : on + 1, foot].max() < 95.0
    assert ahead(seen, foot)[on] > 0.16
    # The leg behind and the trunk are nearly in one line, and the body is low on it.
    assert seen.hip[on, 1 - foot] < 35.0
    assert seen.knee[on, 1 - foot] < 45.0
    assert seen.hips[0, 1] - seen.hips[on, 1] > 0.08
    assert seen.head_pitch[on] - seen.head_pitch[0] < 14.0


@pytest.mark.parametrize("foot", [0, 1])
def test_who_stops_a_run_sits_back_until_it_stands(foot: int) -> None:
    clip = stop(3.0, SIDES[foot], gait="run")
    seen, on = acting(clip), strikes_last(clip)
    brakes = slice(on - round(1.0 * clip.fps), on)
    low = seen.hips[-1, 1] - seen.hips[brakes, 1]
    assert low.min() > 0.03
    assert low.mean() > 0.05
    assert seen.trunk_pitch[brakes].min() < seen.trunk_pitch[-1] - 5.0
    assert seen.hips[-1, 1] - seen.hips[-round(0.3 * clip.fps), 1] < 0.02


@pytest.mark.parametrize("speed", [1.0, 1.4])
@pytest.mark.parametrize("foot", [0, 1])
def test_trunks_of_those_who_stop_lag_and_rock_forward(foot: int, speed: float) -> None:
    clip = stop(speed, SIDES[foot])
    seen, on = acting(clip), strikes_last(clip)
    pitch = seen.trunk_pitch - seen.trunk_pitch[-1]
    soon = slice(on, on + round(0.4 * clip.fps))
    assert pitch[on - round(0.7 * clip.fps) : on].min() < -3.5
    assert pitch[soon].max() > 1.5
    assert np.abs(pitch[on + round(0.75 * clip.fps) :]).max() < 2.5
    assert np.ptp(seen.head_pitch[soon]) < 0.6 * np.ptp(seen.trunk_pitch[soon]) + 1.0
    assert seen.hips[-1, 1] - seen.hips[soon, 1].min() > 0.01


@pytest.mark.parametrize("gait", ["walk", "back"])
@pytest.mark.parametrize("foot", [0, 1])
def test_hips_and_trunk_go_over_to_the_leg_that_stands(foot: int, gait: str) -> None:
    clip = start(0.8 if gait == "back" else 1.4, SIDES[foot], gait=gait)
    seen, off = acting(clip), leaves(clip, foot)
    to_it = -1.0 if foot == 0 else 1.0  # left is +X
    between = clip.positions[0, [clip.skeleton.role(f"{s}_ankle") for s in SIDES], 0]
    assert 0.038 < to_it * (seen.hips[off, 0] - between.mean()) < 0.08
    assert to_it * (seen.hips[off, 0] - seen.hips[0, 0]) > 0.03
    assert 2.0 < to_it * (seen.trunk_side[off] - seen.trunk_side[0]) < 6.0
    early = off - round(0.15 * clip.fps)
    assert to_it * (seen.hips[early, 0] - seen.hips[0, 0]) > 0.025


@pytest.mark.parametrize("foot", [0, 1])
def test_who_walks_backward_looks_over_the_shoulder_first(foot: int) -> None:
    clip = start(0.8, SIDES[foot], gait="back")
    seen, off = acting(clip), leaves(clip, foot)
    look = (1.0 if foot == 0 else -1.0) * seen.head_yaw
    assert abs(look[0]) < 5.0
    assert look[: off + 1].max() > 40.0
    assert np.abs(look[off + round(1.3 * clip.fps) :]).max() < 20.0


def test_knees_and_arms_drive_a_walk_into_a_run() -> None:
    clip = change_gait(1.5, 2.8)
    seen = acting(clip)
    drives = slice(round(2.2 * clip.fps), round(3.2 * clip.fps))
    after = slice(round(4.0 * clip.fps), None)
    assert np.ptp(seen.shoulder[drives], axis=0).min() > 38.0
    assert seen.hip[drives].max() > seen.hip[after].max() + 4.0


def test_arms_hang_in_fast_walks_and_stay_bent_in_runs_and_differ() -> None:
    walk, run = (acting(generate_clip(name)) for name in ("park_walk_1.7", "run_3.4"))
    assert np.percentile(walk.elbow, 97, axis=0).min() < 42.0
    assert np.percentile(run.elbow, 3, axis=0).min() > 80.0
    for seen in (walk, run):
        swing = np.sort(
            np.percentile(seen.shoulder, 97, axis=0) - np.percentile(seen.shoulder, 3, axis=0)
        )
        assert swing[1] > 1.12 * swing[0]
    quiet = acting(steady(speed_m_s=1.7))
    assert np.ptp(quiet.elbow, axis=0).max() < 33.0
