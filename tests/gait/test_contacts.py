from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.body.clip import Clip
from footfall.body.edit import mirror, resample, slice_clip
from footfall.errors import MissingJointError
from footfall.gait.contacts import Contacts, find_contacts
from footfall.maths import quaternions as quat
from footfall.maths.runs import runs
from tests.clips import steady
from tests.sweeps import examples

FRAME = 1.0 / 30.0


@pytest.fixture(scope="module")
def walk() -> Clip:
    return steady("walk", 1.3, seconds=6.0, fps=60.0)


def events(contacts: Contacts) -> list[np.ndarray]:
    """Strikes and lift-offs of each foot, seconds."""
    return [f(foot) for foot in range(2) for f in (contacts.strikes_s, contacts.lift_offs_s)]


def assert_same_events(a: Contacts, b: Contacts, within_s: float, margin_s: float = 0.15) -> None:
    """Every event that is not at the very ends of the clip has its like in the other, both ways."""
    last = (len(a) - 1) / a.fps - margin_s
    for one, two in itertools.chain(
        zip(events(a), events(b), strict=True), zip(events(b), events(a), strict=True)
    ):
        inner = one[(one > margin_s) & (one < last)]
        assert len(two) or not len(inner)
        gaps = np.abs(inner[:, None] - two).min(axis=1, initial=np.inf)
        assert gaps.max(initial=0.0) <= within_s


@pytest.mark.parametrize(("gait", "speed"), [("walk", 0.9), ("walk", 1.4), ("run", 3.2)])
def test_strikes_of_a_generated_gait_are_found_to_a_frame(gait: str, speed: float) -> None:
    clip = steady(gait, speed, seconds=5.0, fps=60.0)
    found = find_contacts(clip)
    assert clip.contacts is not None
    for foot in range(2):
        true = runs(clip.contacts[:, 2 * foot : 2 * foot + 2].any(axis=1))
        # What comes down in the first or last frames cannot be seen to come or to stay.
        inner = (0.15, clip.seconds - 0.15)
        strikes, mine = true[:, 0] / clip.fps, found.strikes_s(foot)
        strikes, mine = (t[(t > inner[0]) & (t < inner[1])] for t in (strikes, mine))
        assert len(mine) == len(strikes)
        assert np.abs(mine - strikes).max() < 1.5 * FRAME


@pytest.mark.parametrize("gait", ["walk", "run"])
def test_feet_take_turns_in_steady_gait(gait: str) -> None:
    found = find_contacts(steady(gait, 1.4 if gait == "walk" else 3.4, seconds=5.0))
    order = [s.foot for s in found.stances]
    assert len(order) > 6
    assert all(a != b for a, b in itertools.pairwise(order))


def test_a_run_flies_and_a_walk_does_not() -> None:
    run, walk = (find_contacts(steady(g, v, seconds=4.0)) for g, v in (("run", 3.5), ("walk", 1.3)))
    assert len(run.flights) >= 8
    assert not walk.flights
    assert walk.feet.any(axis=1).all()


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("seed", range(3))
def test_noise_and_skating_move_no_event_by_more_than_a_frame(fps: float, seed: int) -> None:
    clip = steady("walk", 1.3, seconds=5.0, fps=fps)
    rng = np.random.default_rng(seed)
    skate = rng.normal(size=2)
    skate *= 0.1 / np.linalg.norm(skate)
    root = clip.root + rng.normal(0.0, 0.005, clip.root.shape)
    root[:, [0, 2]] += clip.times[:, None] * skate
    assert_same_events(find_contacts(clip), find_contacts(replace(clip, root=root)), FRAME)


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_every_frame_rate_shows_the_same_events(walk: Clip, fps: float) -> None:
    assert_same_events(find_contacts(walk), find_contacts(resample(walk, fps)), FRAME)


def test_the_mirror_image_has_mirrored_contacts(walk: Clip) -> None:
    found, mirrored = find_contacts(walk), find_contacts(mirror(walk))
    assert np.array_equal(mirrored.points, found.points[:, [2, 3, 0, 1]])


_SHORT = steady("walk", 1.2, seconds=3.0, fps=30.0)


@examples(40)
@given(height=st.floats(-5.0, 5.0), yaw=st.floats(-3.0, 3.0), slope=st.floats(-0.02, 0.02))
def test_contacts_do_not_ask_where_the_floor_is(height: float, yaw: float, slope: float) -> None:
    clip = _SHORT
    turn = quat.from_yaw(yaw)
    root = quat.rotate(turn, clip.root)
    root[:, 1] += height + slope * clip.root[:, 2]
    rotations = clip.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    moved = find_contacts(replace(clip, root=root, rotations=rotations))
    assert_same_events(find_contacts(clip), moved, FRAME)
    levels = [s.level_m for s in moved.stances]
    assert abs(np.mean(levels) - height) < 0.12


def test_a_cut_stance_is_open_at_the_clip_s_end(walk: Clip) -> None:
    whole = find_contacts(walk)
    stance = next(s for s in whole.stances if not s.open_begin and not s.open_end)
    middle_s = 0.5 * (stance.begin_s + stance.end_s)
    cut = find_contacts(slice_clip(walk, middle_s, None))
    first = next(s for s in cut.of_foot(stance.foot))
    assert first.open_begin
    assert not first.open_end
    assert abs(first.end_s - (stance.end_s - middle_s)) < FRAME
    assert first.begin_s == 0.0


def test_points_in_contact_belong_to_stances(walk: Clip) -> None:
    found = find_contacts(walk)
    for foot in range(2):
        stands = np.zeros(len(walk), np.bool_)
        for stance in found.of_foot(foot):
            stands[stance.first : stance.stop] = True
        assert np.array_equal(found.feet[:, foot], stands)


def test_heels_come_down_before_toes_and_leave_before_them(walk: Clip) -> None:
    found = find_contacts(walk)
    for stance in found.stances:
        if stance.open_begin or stance.open_end:
            continue
        heel, toe = found.points[stance.first : stance.stop, 2 * stance.foot :][:, :2].T
        assert np.argmax(heel) <= np.argmax(toe)
        assert np.argmax(heel[::-1]) > np.argmax(toe[::-1])


def test_the_signature_tells_the_points_apart(walk: Clip) -> None:
    found = find_contacts(walk)
    bits = (found.signature[:, None] >> np.arange(4)) & 1
    assert np.array_equal(bits.astype(bool), found.points)


def test_contacts_can_be_attached(walk: Clip) -> None:
    found = find_contacts(walk)
    assert np.array_equal(found.with_contacts(walk).contacts, found.points)


@pytest.mark.parametrize("frames", [1, 2, 3, 5])
def test_a_clip_that_is_too_short_says_so(walk: Clip, frames: int) -> None:
    clip = walk[:frames].with_contacts(None)
    found = find_contacts(clip)
    assert "too short" in found.problem
    assert not found.stances
    assert found.points.shape == (frames, 4)


def test_feet_that_never_stand_are_said_to(walk: Clip) -> None:
    """Swimming along: all of the body glides at 2 m/s in one pose."""
    frames = 90
    root = np.zeros((frames, 3)) + walk.root[0]
    root[:, 2] += np.arange(frames) / 30.0 * 2.0
    clip = Clip(walk.skeleton, 30.0, root, np.repeat(walk.rotations[:1], frames, axis=0))
    found = find_contacts(clip)
    assert "never stand" in found.problem
    assert not found.points.any()


def test_feet_in_a_handstand_do_not_stand(walk: Clip) -> None:
    over = quat.from_axis_angle([1.0, 0.0, 0.0], np.pi)
    rotations = walk.rotations.copy()
    rotations[:, 0] = quat.multiply(over, rotations[:, 0])
    clip = replace(walk, root=quat.rotate(over, walk.root), rotations=rotations, contacts=None)
    found = find_contacts(clip)
    assert not found.points.any()
    assert found.problem


def test_one_leg_held_up_does_not_stand() -> None:
    clip = steady("walk", 1.3, seconds=2.0, fps=30.0)
    frames = 60
    pose = clip.rotations[0].copy()
    knee, hip = (clip.skeleton.role(f"left_{part}") for part in ("knee", "hip"))
    pose[:] = [1.0, 0.0, 0.0, 0.0]
    pose[hip] = quat.from_axis_angle([1.0, 0.0, 0.0], -1.2)
    pose[knee] = quat.from_axis_angle([1.0, 0.0, 0.0], 1.5)
    root = np.repeat(clip.skeleton.rest_positions[:1], frames, axis=0)
    still = Clip(clip.skeleton, 30.0, root, np.repeat(pose[None], frames, axis=0))
    found = find_contacts(still)
    assert not found.feet[:, 0].any()
    assert found.feet[:, 1].all()


def test_feet_at_rest_at_the_top_of_a_jump_do_not_stand() -> None:
    """Straight up and down: for a moment nothing moves, in the air."""
    character = steady("walk", 1.3, seconds=0.5).skeleton
    times = np.arange(240) / 120.0
    in_air = (times > 0.8) & (times < 1.3)
    since = np.where(in_air, times - 0.8, 0.0)
    root = np.repeat(character.rest_positions[:1], len(times), axis=0)
    root[:, 1] += 9.81 * (0.25 * since - 0.5 * since**2)
    pose = np.zeros((len(times), len(character), 4))
    pose[..., 0] = 1.0
    found = find_contacts(Clip(character, 120.0, root, pose))
    assert len(found.flights) == 1
    assert found.flights[0].ballistic
    assert not found.feet[int(1.05 * 120)].any()
    assert len(found.stances) == 4


def test_a_skeleton_without_roles_is_told_what_is_missing(walk: Clip) -> None:
    plain = replace(walk, skeleton=walk.skeleton.with_roles({}), contacts=None)
    with pytest.raises(MissingJointError):
        find_contacts(plain)
