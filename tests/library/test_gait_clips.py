"""The default clips of going: feet, flight, speeds, tags and contacts are what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footfall.body.clip import Clip
from footfall.body.feet import foot_points
from footfall.body.kinematics import WorldPoses, world_poses
from footfall.body.mass import centre_of_mass
from footfall.errors import InputError
from footfall.gait.contacts import find_contacts
from footfall.gait.runs import runs
from footfall.gait.tags import find_tags, look_at, tag_names
from footfall.library.generate.catalogue_gait import GROUPS, gait_recipes, make_gait_clips
from footfall.library.generate.gait_model import gait
from footfall.library.generate.journeys import start, stop, tight_turn, winding
from footfall.library.generate.steady import steady
from footfall.library.generate.stepping import sidestep, turn_in_place
from footfall.library.generate.variation import Performer, performer
from footfall.maths import quaternions as quat
from footfall.maths.signals import differentiate

SIDES = ("left", "right")


@pytest.fixture(scope="module")
def clips() -> dict[str, Clip]:
    return {clip.name: clip for clip in make_gait_clips()}


def sole(clip: Clip, side: str, poses: WorldPoses) -> np.ndarray:
    """(T, 3, 3) heel, ball and tip of a foot in the world."""
    points = foot_points(clip.skeleton).side(side)
    return np.stack(
        [
            poses.positions[:, p.joint] + quat.rotate(poses.rotations[:, p.joint], p.offset)
            for p in points
        ],
        axis=1,
    )


def drift(clip: Clip, poses: WorldPoses) -> float:
    """The furthest that a carrying heel or tip of the toes moves within one contact, metres."""
    assert clip.contacts is not None
    most = 0.0
    for n, side in enumerate(SIDES):
        points = sole(clip, side, poses)
        for column, point in ((2 * n, 0), (2 * n + 1, 2)):
            for first, stop_ in runs(clip.contacts[:, column]):
                track = points[first:stop_, point]
                most = max(most, float(np.linalg.norm(track - track[0], axis=1).max()))
    return most


def feet(clip: Clip) -> np.ndarray:
    assert clip.contacts is not None
    return np.stack([clip.contacts[:, :2].any(axis=1), clip.contacts[:, 2:].any(axis=1)], axis=1)


def knee_bend(clip: Clip) -> np.ndarray:
    joints = [clip.skeleton.role(f"{side}_knee") for side in SIDES]
    return quat.to_rotation_vector(clip.rotations[:, joints])


def test_every_paper_has_its_clips(clips: dict[str, Clip]) -> None:
    names = [recipe.name for recipe in gait_recipes()]
    assert len(names) == len(set(names)) == len(clips)
    park = [c for c in clips.values() if "park" in c.tags]
    walks = [c for c in park if "walk" in c.tags]
    runs_ = [c for c in park if "run" in c.tags]
    assert (len(walks), len(runs_)) == (10, 10)
    assert sorted(len(c) for c in clips.values() if "basten" in c.tags) == [680, 830]
    assert sum("basten_test" in c.tags for c in clips.values()) == 3
    assert sum("dungeon" in c.tags for c in clips.values()) >= 40


def test_planted_feet_do_not_drift_and_nothing_sinks_into_the_floor(
    clips: dict[str, Clip],
) -> None:
    for clip in clips.values():
        poses = world_poses(clip)
        assert drift(clip, poses) < 1e-4, clip.name
        lowest = min(float(sole(clip, side, poses)[..., 1].min()) for side in SIDES)
        assert lowest > -1e-4, clip.name


def test_knees_bend_one_way_and_within_what_people_can(clips: dict[str, Clip]) -> None:
    for clip in clips.values():
        bend = knee_bend(clip)
        assert bend[..., 0].min() > 0.0, clip.name
        assert bend[..., 0].max() < np.radians(140.0), clip.name
        assert np.abs(bend[..., 1:]).max() < 1e-6, clip.name


def test_every_clip_shows_what_its_tags_say(clips: dict[str, Clip]) -> None:
    for clip in clips.values():
        found = set(tag_names(find_tags(clip)))
        assert set(clip.tags) - set(GROUPS) <= found, clip.name
        wrong = {
            "jump",
            "hop",
            "hurdle",
            "step_over",
            "step_up",
            "step_down",
            "sit",
            "pick",
            "duck",
        }
        assert not wrong & found, clip.name


def test_found_contacts_are_the_exact_ones_within_a_frame(clips: dict[str, Clip]) -> None:
    off: list[float] = []
    for clip in clips.values():
        exact, found = feet(clip), find_contacts(clip).feet
        for foot in range(2):
            spans = runs(found[:, foot])
            for first, last in _whole(exact[:, foot], clip.fps):
                near = np.abs(spans - [first, last]).max(axis=1).min()
                off.append(near * 30.0 / clip.fps)
            whole = len(_whole(exact[:, foot], clip.fps))
            assert whole <= len(spans) <= whole + 2, (clip.name, foot)
    assert np.mean(np.array(off) <= 1.0) > 0.98
    assert max(off) <= 2.0


def _whole(mask: np.ndarray, fps: float) -> np.ndarray:
    """Stances that lie within the clip, a little off its ends."""
    spans, edge = runs(mask), 0.1 * fps
    return spans[(spans[:, 0] > edge) & (spans[:, 1] < len(mask) - edge)]


@pytest.mark.parametrize("speed", [2.2, 3.0, 4.0, 5.0])
def test_runs_fall_freely_between_their_steps(speed: float) -> None:
    clip = steady("run", speed, fps=120.0, seconds=2.5)
    centre = centre_of_mass(clip)
    pulled = []
    for first, stop_ in runs(~feet(clip).any(axis=1)):
        if first > 0 and stop_ < len(clip):
            change = np.diff(centre[first - 1 : stop_ + 1], 2, axis=0) * clip.fps**2
            pulled.append(change.mean(axis=0))
    assert len(pulled) > 4
    assert np.abs(np.array(pulled)[:, 1] + 9.81).max() < 0.02 * 9.81
    assert np.abs(np.array(pulled)[:, [0, 2]]).max() < 0.02 * 9.81


@pytest.mark.parametrize(
    ("name", "speed", "turn"),
    [("walk", 0.5, 0.0), ("walk", 1.2, 0.6), ("walk", 2.0, 0.0), ("run", 2.2, -0.5),
     ("run", 3.5, 0.4), ("run", 5.0, 0.0), ("back", 0.7, 0.0)],
)  # fmt: skip
def test_speed_and_turn_are_met_within_a_hundredth(name: str, speed: float, turn: float) -> None:
    period = gait(name, speed, turn, 0.824).period_s
    fps = 8.0 / period * 12.0
    clip = steady(name, speed, turn, seconds=6.0 * period, fps=fps)
    step = round(period * fps)
    # Whole strides later the body is in the same pose, so places differ by the path alone.
    heading = quat.yaw_of(clip.rotations[:, 0])
    turned = np.unwrap(heading[::step])
    assert (turned[-1] - turned[0]) / (6.0 * period) == pytest.approx(turn, rel=0.01, abs=3e-3)
    chords = np.linalg.norm(np.diff(clip.root[::step][:, [0, 2]], axis=0), axis=1)
    half = 0.5 * abs(turn) * period
    arc = chords * (half / np.sin(half) if half else 1.0)
    assert arc.mean() / period == pytest.approx(speed, rel=0.01)


@given(seed=st.integers(0, 10_000), speed=st.floats(0.7, 1.8), turn=st.floats(-0.7, 0.7))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_performer_walks_on_planted_feet(seed: int, speed: float, turn: float) -> None:
    clip = steady("walk", speed, turn, seconds=3.0, fps=30.0, who=performer(seed), seed=seed,
                  variation=1.0)  # fmt: skip
    assert drift(clip, world_poses(clip)) < 1e-4
    assert knee_bend(clip)[..., 0].min() > 0.0
    assert "walk" in tag_names(find_tags(clip))


def test_the_same_seed_gives_the_same_bytes_and_another_other_strides() -> None:
    one, two, three = (steady(seed=s, variation=1.0, seconds=2.0) for s in (4, 4, 5))
    assert one.rotations.tobytes() == two.rotations.tobytes()
    assert one.root.tobytes() == two.root.tobytes()
    assert np.abs(one.rotations - three.rotations).max() > 0.01


def test_a_longer_walk_begins_like_a_shorter_one() -> None:
    short = steady(seed=3, variation=1.0, seconds=2.0)
    long = steady(seed=3, variation=1.0, seconds=6.0)
    assert np.abs(long.root[: len(short)] - short.root).max() < 0.02


def test_longer_legs_go_in_the_same_way() -> None:
    small, tall = (steady(speed_m_s=1.2, who=Performer(leg_m=leg)) for leg in (0.7, 0.95))
    assert tall.root[:, 1].mean() > 1.25 * small.root[:, 1].mean()
    for clip in (small, tall):
        assert drift(clip, world_poses(clip)) < 1e-4


@pytest.mark.parametrize("foot", SIDES)
def test_the_weight_shifts_over_the_standing_foot_before_the_first_step(foot: str) -> None:
    clip = start(1.2, foot)
    mine = SIDES.index(foot)
    lifts = int(np.flatnonzero(~feet(clip)[:, mine])[0])
    assert feet(clip)[:lifts].all()
    towards = (clip.root[lifts, 0] - clip.root[0, 0]) * (1.0 if foot == "right" else -1.0)
    assert 0.02 < towards < 0.08
    assert feet(clip)[lifts:, 1 - mine][:5].all()


@pytest.mark.parametrize("foot", SIDES)
def test_a_stop_ends_with_the_feet_side_by_side_and_that_foot_last(foot: str) -> None:
    clip = stop(1.2, foot)
    poses = world_poses(clip)
    heels = [sole(clip, side, poses)[-1, 0] for side in SIDES]
    assert abs(heels[0][2] - heels[1][2]) < 0.08
    assert 0.1 < heels[0][0] - heels[1][0] < 0.25
    last = [runs(feet(clip)[:, n])[-1, 0] for n in range(2)]
    assert int(np.argmax(last)) == SIDES.index(foot)
    assert np.abs(differentiate(clip.root, clip.fps)[-1]).max() < 0.03


@pytest.mark.parametrize("angle", [-180.0, -90.0, 45.0, 135.0])
def test_turns_turn_as_far_as_they_say(angle: float) -> None:
    for clip in (turn_in_place(angle), tight_turn(angle)):
        yaw = np.unwrap(quat.yaw_of(clip.rotations[:, 0]))
        assert np.degrees(yaw[-1] - yaw[0]) == pytest.approx(angle, abs=12.0)


def test_sidesteps_go_aside_and_face_ahead() -> None:
    for side, sign in (("left", 1.0), ("right", -1.0)):
        clip = sidestep(side, 3, 0.4)
        moved = clip.root[-1] - clip.root[0]
        assert sign * moved[0] == pytest.approx(1.2, abs=0.03)
        assert abs(moved[2]) < 0.03
        assert np.abs(quat.yaw_of(clip.rotations[:, 0])).max() < np.radians(10.0)


def test_no_two_strides_of_a_long_walk_are_alike() -> None:
    sight = look_at(winding([(0.0, 0.0), (20.0, 0.0)], frames=600))
    lengths = np.array([stride.step_lengths_m for stride in sight.strides]).reshape(-1)
    assert 0.005 < lengths.std() / lengths.mean() < 0.12


@pytest.mark.parametrize(
    "ask",
    [
        lambda: steady("walk", 9.0),
        lambda: steady("walk", 1.2, 9.0),
        lambda: steady("skip", 1.2),
        lambda: steady(variation=-1.0),
        lambda: steady(fps=0.0),
        lambda: start(1.2, "middle"),
        lambda: tight_turn(5.0),
        lambda: sidestep("up"),
        lambda: sidestep(steps=0),
        lambda: turn_in_place(900.0),
        lambda: performer(-1),
        lambda: winding([(0.0, 0.0), (1.0, 0.0)], frames=1),
        lambda: next(make_gait_clips(group="nobody")),
    ],
)
def test_what_nobody_can_do_is_refused(ask: object) -> None:
    with pytest.raises(InputError):
        ask()  # type: ignore[operator]
