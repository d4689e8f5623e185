"""The last touch to a motion: nothing gets worse, places are met, feet stand still."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.adapt.feet.lock import lock_feet
from footfall.body.capsules import hand_point
from footfall.body.clip import Clip
from footfall.body.dynamics import inverse_dynamics
from footfall.body.edit import resample, retime
from footfall.body.feet import foot_points
from footfall.body.mass import centre_of_mass
from footfall.body.mirror import partners
from footfall.gait.signatures import FEET, clip_signatures
from footfall.generate.actions.jumps import jump
from footfall.generate.actions.reaching import pick
from footfall.generate.actions.sitting import sit_and_stand
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints
from footfall.maths.constants import GRAVITY
from footfall.maths.runs import runs
from footfall.measures.smoothness import find_pops
from footfall.task import polish
from footfall.task.draft import Aim
from footfall.task.polish import joint_speeds, polish_motion
from tests.clips import steady


def signature(clip: Clip) -> Ints:
    return clip_signatures(clip).astype(np.int32)


def slide(clip: Clip) -> float:
    """Metres along the ground that heels and balls move while they touch."""
    poses, worst = clip.world, 0.0
    assert clip.contacts is not None
    for foot, side in enumerate(("left", "right")):
        heel, ball, _ = foot_points(clip.skeleton).side(side)
        for column, point in enumerate((heel, ball)):
            turned = quat.rotate(poses.rotations[:, point.joint], point.offset)
            there = poses.positions[:, point.joint] + turned
            for a, b in runs(clip.contacts[:, 2 * foot + column]).tolist():
                worst = max(worst, float(np.ptp(there[a:b, [0, 2]], axis=0).max()))
    return worst


def palm(clip: Clip, side: str) -> Floats:
    joint, poses = clip.skeleton.role(f"{side}_wrist"), clip.world
    out = hand_point(clip.skeleton, side)
    return np.asarray(poses.positions[:, joint] + quat.rotate(poses.rotations[:, joint], out))


def effort(clip: Clip, of: Ints) -> float:
    return float(inverse_dynamics(clip, of.astype(np.uint8)).effort.sum())


def stumbling_walk() -> Clip:
    """A walk whose pace changes from one frame to the next, twice."""
    walk = steady("walk", 1.2, seconds=6.0, fps=60.0)
    pace = np.where(np.arange(300) % 120 < 60, 0.6, 1.4) / 30.0
    times = np.cumsum(pace)
    return replace(retime(walk, times[times < walk.seconds]), fps=30.0)


@pytest.mark.parametrize("offset", [(0.02, 0.0, 0.0), (0.0, -0.015, 0.01), (-0.01, 0.015, 0.015)])
def test_the_hand_is_exactly_at_its_place_and_holds_still(
    offset: tuple[float, float, float],
) -> None:
    clip = resample(pick(0.5, 0.35), 30.0)
    assert clip.touches is not None
    first, stop = runs(clip.touches[:, 1])[0].tolist()
    place = palm(clip, "right")[first + 1] + offset
    aim = Aim("right_hand", first + 1, place)
    made = polish_motion(clip, [aim])
    away = np.linalg.norm(palm(made.clip, "right")[first:stop] - place, axis=1)
    assert "aims" in made.done
    assert away.max() < 1e-3
    assert made.missed_after < 1e-3 < made.missed_before
    assert effort(made.clip, signature(clip)) <= 1.01 * effort(clip, signature(clip))
    assert slide(made.clip) < 1e-3


def test_hands_get_to_any_place_that_is_near() -> None:
    rng, met = np.random.default_rng(5), 0
    clip = resample(pick(0.5, 0.35), 30.0)
    assert clip.touches is not None
    frame = int(runs(clip.touches[:, 1])[0][0]) + 1
    for _ in range(8):
        away = rng.normal(size=3)
        place = palm(clip, "right")[frame] + 0.02 * away / np.linalg.norm(away)
        met += "aims" in polish_motion(clip, [Aim("right_hand", frame, place)]).done
    assert met == 8


def test_seams_are_smoothed_and_cost_less() -> None:
    clip = stumbling_walk()
    of = signature(clip)
    made = polish_motion(clip)
    assert "seams" in made.done
    assert made.effort_after == pytest.approx(effort(made.clip, of))
    assert made.effort_after < 0.95 * made.effort_before
    assert slide(made.clip) < 1e-3
    assert len(find_pops(clip)) >= 3
    assert not find_pops(made.clip)
    # Only near the joins, and little: the posture is that of the walk.
    turned = quat.angle_between(made.clip.rotations, clip.rotations)
    assert np.degrees(np.median(turned)) < 1.0
    assert np.linalg.norm(made.clip.root - clip.root, axis=1).max() < 0.05


def test_feet_that_slide_are_held() -> None:
    walk = steady("walk", 1.3, seconds=3.0, fps=30.0)
    sway = 0.006 * np.sin(9.0 * walk.times)[:, None] * [1.0, 0.0, 0.0]
    slides = replace(walk, root=walk.root + sway)
    assert slide(slides) > 4e-3
    made = polish_motion(slides)
    assert made.done
    assert slide(made.clip) < 1e-3
    assert made.effort_after < 1.1 * made.effort_before


def test_a_motion_without_joins_stays_as_it_is_but_for_its_feet() -> None:
    walk = steady("walk", 1.3, seconds=3.0, fps=30.0)
    made = polish_motion(walk)
    assert np.degrees(quat.angle_between(made.clip.rotations, walk.rotations).max()) < 3.0
    assert made.effort_after <= 1.001 * made.effort_before


def test_no_joint_turns_faster_than_it_may() -> None:
    clip = stumbling_walk()
    made = polish_motion(clip)
    before, after = joint_speeds(clip).max(axis=0), joint_speeds(made.clip).max(axis=0)
    either = np.maximum(before, before[partners(clip.skeleton)])
    assert (after <= 1.5 * either + 1e-9).all()


def test_the_seat_is_exactly_over_the_chair() -> None:
    clip = resample(sit_and_stand(0.45), 30.0)
    assert clip.touches is not None
    first, stop = runs(clip.touches[:, 2])[0].tolist()
    hips = [clip.skeleton.role(f"{side}_hip") for side in ("left", "right")]
    middle = clip.positions[:, hips].mean(axis=1)
    frame = (first + stop) // 2
    place = middle[frame] + [0.015, 0.0, -0.01]
    place[1] = np.nan
    made = polish_motion(clip, [Aim("seat", frame, place)])
    assert "aims" in made.done
    there = made.clip.positions[:, hips].mean(axis=1)[frame]
    assert there[[0, 2]] == pytest.approx(place[[0, 2]], abs=1e-3)
    assert there[1] == pytest.approx(middle[frame, 1], abs=2e-3)


def test_flights_keep_gravity() -> None:
    clip = resample(jump(0.5), 30.0)
    of = signature(clip)
    made = polish_motion(clip)
    free = (of & FEET) == 0
    inside = free[:-2] & free[1:-1] & free[2:]
    assert inside.any()
    fall = np.diff(centre_of_mass(made.clip), 2, axis=0)[inside] * clip.fps**2
    assert np.linalg.norm(fall + np.array([0.0, GRAVITY, 0.0]), axis=1).max() < 1e-3 * GRAVITY


def test_what_is_far_off_is_left_where_it_is() -> None:
    clip = resample(pick(0.5, 0.35), 30.0)
    assert clip.touches is not None
    frame = int(runs(clip.touches[:, 1])[0][0]) + 1
    place = palm(clip, "right")[frame] + [0.5, 0.0, 0.0]
    made = polish_motion(clip, [Aim("right_hand", frame, place)])
    assert "aims" not in made.done
    assert made.missed_after == pytest.approx(0.5, abs=2e-3)


def test_a_polish_that_makes_something_worse_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    clip = stumbling_walk()
    monkeypatch.setattr(polish, "joint_speeds", lambda c: 10.0 * joint_speeds(c) * (c is not clip))
    made = polish_motion(clip)
    assert made.clip is clip
    assert made.done == ()
    assert made.effort_after == made.effort_before


def test_no_polish_costs_effort() -> None:
    rng = np.random.default_rng(3)
    for speed in (0.9, 1.2, 1.5):
        walk = steady("walk", speed, seconds=4.0, fps=30.0)
        turn = quat.from_rotation_vector(0.01 * rng.normal(size=(len(walk), len(walk.skeleton), 3)))
        rough = replace(walk, rotations=quat.multiply(walk.rotations, turn))
        for clip in (walk, lock_feet(rough)):
            made = polish_motion(clip)
            assert made.effort_after <= made.effort_before
            assert slide(made.clip) < 1e-3
