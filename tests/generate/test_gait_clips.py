"""The default clips of going: feet, flight, speeds, tags and contacts are what they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bench.limits.plain import body_of, peak_speeds
from hypothesis import given
from hypothesis import strategies as st

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.gait.tags import find_tags, look_at, tag_names
from footfall.generate.gait.catalogue import GROUPS, GaitEntry, gait_entries
from footfall.generate.gait.gait_model import gait
from footfall.generate.gait.journeys import start, stop, tight_turn, winding
from footfall.generate.gait.steady import steady
from footfall.generate.gait.stepping import sidestep, turn_in_place
from footfall.generate.limits import RANGES, beyond, joint_angles
from footfall.generate.performer import Performer, draw_performer
from footfall.maths import quaternions as quat
from footfall.maths.runs import runs
from footfall.maths.signals import differentiate
from tests.clips import real_clip
from tests.generate.gait_measures import (
    SIDES,
    body_gaps,
    contact_mismatch,
    drift,
    feet,
    flight_pull,
    ground_residual,
    sole,
    stride_figures,
)
from tests.sweeps import THOROUGH, examples, sample

pytestmark = pytest.mark.xdist_group("gait_clips")
"""Where xdist keeps groups together one worker makes the clips, once, for all tests."""


def kind_of(entry: GaitEntry) -> str:
    return " ".join((entry.maker.__name__, *entry.tags))


@pytest.fixture(scope="module")
def clips() -> dict[str, Clip]:
    """Clips of every kind; all in `make test-all`."""
    number = {entry.name: n for n, entry in enumerate(gait_entries())}
    chosen = sample(gait_entries(), 0.25, name=lambda entry: entry.name, kind=kind_of)
    return {entry.name: entry.make(seed=number[entry.name]) for entry in chosen}


def knee_bend(clip: Clip) -> np.ndarray:
    joints = [clip.skeleton.role(f"{side}_knee") for side in SIDES]
    return quat.to_rotation_vector(clip.rotations[:, joints])


def test_every_paper_has_its_clips() -> None:
    entries = list(gait_entries())
    assert len({entry.name for entry in entries}) == len(entries)
    park = [e for e in entries if "park" in e.groups]
    assert [sum(gait in e.tags for e in park) for gait in ("walk", "run")] == [10, 10]
    for group, count in (("basten", 5), ("basten_paths", 5), ("basten_test", 3)):
        assert sum(group in e.groups for e in entries) == count
    assert sum("dungeon" in e.groups for e in entries) >= 40


def test_planted_feet_do_not_drift_and_nothing_sinks_into_the_floor(clips: dict[str, Clip]) -> None:
    for clip in clips.values():
        poses = clip.world
        assert drift(clip, poses) < 1e-4, clip.name
        lowest = min(float(sole(clip, side, poses)[..., 1].min()) for side in SIDES)
        assert lowest > -1e-4, clip.name


def test_every_joint_keeps_within_what_people_can(clips: dict[str, Clip]) -> None:
    for clip in clips.values():
        over = {name: size for name, size in beyond(clip).items() if size > 0.0}
        assert not over, clip.name
        bend = knee_bend(clip)
        assert bend[..., 0].min() > np.radians(2.0), clip.name
        assert np.abs(bend[..., 1:]).max() < 1e-6, clip.name


def test_ranges_are_told_from_known_poses() -> None:
    clip = steady(seconds=0.5)
    at = {name: clip.skeleton.role(name) for name in ("left_knee", "left_shoulder", "right_hip")}
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (len(clip), len(clip.skeleton), 1))
    rotations[:, at["left_knee"]] = quat.from_axis_angle([1.0, 0.0, 0.0], np.array(-0.3))
    rotations[:, at["left_shoulder"]] = quat.from_axis_angle([0.0, 0.0, 1.0], np.array(-1.0))
    rotations[:, at["right_hip"]] = quat.from_axis_angle([1.0, 0.0, 0.0], np.array(-0.5))
    posed = Clip(clip.skeleton, clip.fps, clip.root, rotations)
    angles = joint_angles(posed)
    assert angles["left_shoulder"][0, 1] == pytest.approx(90.0 - np.degrees(1.0))
    assert angles["right_hip"][0, 0] == pytest.approx(np.degrees(0.5))
    assert beyond(posed)["left_knee"] == pytest.approx(np.degrees(0.3))
    assert all(part.bend[0] <= 0.0 < part.bend[1] for part in RANGES.values())


def test_no_limb_goes_through_the_body(clips: dict[str, Clip]) -> None:
    for clip in clips.values():
        met = {parts: gap for parts, gap in body_gaps(clip).items() if gap < 0.0}
        assert not met, clip.name


def test_every_clip_shows_what_its_tags_say(clips: dict[str, Clip]) -> None:
    wrong = {
        "jump", "hop", "hurdle", "step_over", "step_up", "step_down", "sit", "pick", "duck",
        "crouch", "beam",
    }  # fmt: skip
    for clip in clips.values():
        found = set(tag_names(find_tags(clip)))
        assert set(clip.tags) - set(GROUPS) <= found, clip.name
        assert not wrong & found, clip.name
        if {"walk", "run", "backward"} & found - set(clip.tags):
            assert {"start", "stop"} & set(clip.tags), clip.name


def test_found_contacts_are_the_exact_ones_within_a_frame_at_30_hz(clips: dict[str, Clip]) -> None:
    for clip in clips.values():
        found = contact_mismatch(clip)
        assert (found.missed, found.invented) == (0, 0), clip.name
        assert found.off <= (1.5 if clip.name.startswith("back_start") else 1.0), clip.name


def test_toes_of_walks_and_runs_are_no_faster_than_500_degrees_a_second(
    clips: dict[str, Clip],
) -> None:
    names = [n for n in clips if n.startswith(("walk_", "run_2", "run_3", "park_"))]
    assert len(names) > (25 if THOROUGH else 5)
    for name in names:
        if not {"start", "stop"} & set(clips[name].tags):
            speeds = peak_speeds(body_of(clips[name], 30.0))
            assert max(speeds[f"{side}_toe"] for side in SIDES) < 500.0, name


def test_bodies_in_flight_fall_freely(clips: dict[str, Clip]) -> None:
    flying = 0
    for clip in clips.values():
        pulled = flight_pull(clip)
        flying += len(pulled) > 0
        assert np.abs(pulled + np.array([0.0, 9.81, 0.0])).max(initial=0.0) < 0.02 * 9.81, clip.name
    assert flying > (20 if THOROUGH else 4)


def test_feet_on_the_ground_can_give_the_forces_that_the_body_needs(clips: dict[str, Clip]) -> None:
    for clip in clips.values():
        assert np.sqrt((ground_residual(clip) ** 2).mean()) < 0.1, clip.name


def test_forces_that_no_ground_can_give_are_noticed() -> None:
    clip = steady("run", 3.0, seconds=2.0)
    lift = 0.05 * np.sin(2.0 * np.pi * 3.0 * np.arange(len(clip)) / clip.fps)
    floating = Clip(
        clip.skeleton, clip.fps, clip.root + lift[:, None] * [0.0, 1.0, 0.0], clip.rotations,
        contacts=clip.contacts,
    )  # fmt: skip
    assert np.sqrt((ground_residual(floating) ** 2).mean()) > 0.2
    assert np.abs(flight_pull(floating)[:, 1] + 9.81).max() > 0.2 * 9.81


_NOISE_FREE = 0.6
"""Hips may move this much more smoothly than the smoothest recorded ones."""


@pytest.mark.mocap
def test_strides_are_like_those_of_real_clips_at_the_same_speed(
    clips: dict[str, Clip], mocap: Path
) -> None:

    unlike, compared = [], 0
    fastest = {"walk": 0.65, "run": 1.7}
    for kind, names in REAL.items():
        real = [row for name in names for row in _typical(real_clip(mocap / name), kind)]
        for clip in clips.values():
            going_on = not {"start", "stop"} & set(clip.tags)
            if {kind} != {"walk", "run"} & set(clip.tags) or not going_on:
                continue
            for ours in _typical(clip, kind):
                if not min(r["speed"] for r in real) <= ours["speed"] <= fastest[kind]:
                    continue
                compared += 1
                for what, (low, high) in _bands(real, ours["speed"]).items():
                    # Part of the jerk of recorded hips is the noise of the recording.
                    least = _NOISE_FREE * low if what == "jerk hips" else low
                    if not least <= ours[what] <= high:
                        unlike.append((clip.name, what, low, ours[what], high))
    assert not unlike
    assert compared > (50 if THOROUGH else 5)


REAL = {
    "walk": (
        "cmu/132_45.bvh", "cmu/07_04.bvh", "cmu/16_16.bvh", "cmu/16_58.bvh", "cmu/16_21.bvh",
        "cmu/91_36.bvh", "cmu/16_12.bvh", "cmu/16_14.bvh", "cmu/69_31.bvh", "cmu/69_28.bvh",
        "cmu/46_01.bvh", "cmu/45_01.bvh", "cmu/16_31.bvh", "accad_male1/Male1_B3_Walk.bvh",
        "accad_male1/Male1_B10_WalkTurnLeft45.bvh", "accad_male1/Male1_B13_WalkTurnRight45.bvh",
    ),
    "run": (
        "cmu/16_35.bvh", "cmu/16_45.bvh", "cmu/16_37.bvh", "cmu/16_39.bvh",
        "accad_male1/Male1_C03_Run.bvh", "accad_male1/Male1_C01_StandToRun.bvh",
        "accad_male1/Male1_C05_WalkToRun.bvh", "accad_male1/Male1_C02_RunToStand.bvh",
    ),
}  # fmt: skip
"""Real clips of going on, straight and in curves."""


def _typical(clip: Clip, kind: str) -> list[dict[str, float]]:
    """The median stride of a clip that goes as asked, if it has one."""
    strides = [s for s in stride_figures(clip) if bool(s["run"]) == (kind == "run")]
    if not strides:
        return []
    return [{key: float(np.median([s[key] for s in strides])) for key in strides[0]}]


def _bands(real: list[dict[str, float]], speed: float) -> dict[str, tuple[float, float]]:
    """What real strides are like at a speed: their line over it, as wide as they scatter.

    With few real clips the widest of them is not the widest of people: some more is granted.
    """
    speeds = np.array([r["speed"] for r in real])
    out = {}
    for what in ("step length", "cadence", "duty", "pelvis rise", "ankle lift", "knee most",
                 "jerk hips", "jerk knee", "jerk ankle"):  # fmt: skip
        values = np.array([r[what] for r in real])
        slope, level = np.polyfit(speeds, values, 1)
        line = level + slope * speed
        off = values - (level + slope * speeds)
        more = 0.15 * abs(line)
        out[what] = (float(line + off.min() - more), float(line + off.max() + more))
    return out


def test_every_steady_clip_goes_and_turns_as_it_says_within_a_hundredth(
    clips: dict[str, Clip],
) -> None:
    for entry in gait_entries():
        if entry.maker is steady and entry.name in clips:
            strides = look_at(clips[entry.name]).strides
            speed, turn = entry.settings["speed_m_s"], entry.settings["turn_rad_s"]
            went = np.mean([s.speed_m_s for s in strides])
            turned = np.mean([s.turn_rad_s for s in strides])
            assert went == pytest.approx(speed, rel=0.01), entry.name
            assert turned == pytest.approx(turn, rel=0.01, abs=5e-3), entry.name


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
@examples(12)
def test_any_performer_walks_on_planted_feet(seed: int, speed: float, turn: float) -> None:
    clip = steady("walk", speed, turn, seconds=3.0, fps=30.0, who=draw_performer(seed), seed=seed,
                  variation=1.0)  # fmt: skip
    assert drift(clip, clip.world) < 1e-4
    assert knee_bend(clip)[..., 0].min() > 0.0
    assert "walk" in tag_names(find_tags(clip))


def test_the_same_seed_gives_the_same_bytes_and_another_other_strides() -> None:
    one, two, three = (steady(seed=s, variation=1.0, seconds=2.0) for s in (4, 4, 5))
    assert one.rotations.tobytes() == two.rotations.tobytes()
    assert one.root.tobytes() == two.root.tobytes()
    assert np.abs(one.rotations - three.rotations).max() > 0.01


def test_the_same_request_makes_the_same_clips(clips: dict[str, Clip]) -> None:
    chosen = [(n, entry) for n, entry in enumerate(gait_entries()) if entry.name in clips]
    for n, entry in chosen[::7]:
        again, first = entry.make(seed=n), clips[entry.name]
        assert again.rotations.tobytes() == first.rotations.tobytes(), entry.name
        assert again.root.tobytes() == first.root.tobytes(), entry.name


def test_a_longer_walk_begins_like_a_shorter_one() -> None:
    short = steady(seed=3, variation=1.0, seconds=2.0)
    long = steady(seed=3, variation=1.0, seconds=6.0)
    assert np.abs(long.root[: len(short)] - short.root).max() < 0.02


def test_longer_legs_go_in_the_same_way() -> None:
    small, tall = (steady(speed_m_s=1.2, who=Performer.with_legs(leg)) for leg in (0.7, 0.95))
    assert tall.root[:, 1].mean() > 1.25 * small.root[:, 1].mean()
    for clip in (small, tall):
        assert drift(clip, clip.world) < 1e-4


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
def test_runs_begin_and_end_standing_with_the_foot_that_was_asked_for(foot: str) -> None:
    off, on = start(3.0, foot, gait="run"), stop(3.0, foot, gait="run")
    mine = SIDES.index(foot)
    lifts = int(np.flatnonzero(~feet(off)[:, mine])[0])
    assert feet(off)[:lifts].all()
    assert not feet(off)[-30:].all(axis=1).any()
    last = [runs(feet(on)[:, n])[-1, 0] for n in range(2)]
    assert int(np.argmax(last)) == mine
    assert feet(on)[-20:].all()
    for clip, end in ((off, slice(-31, None)), (on, slice(0, 31))):
        way = np.diff(clip.root[end][[0, -1]], axis=0)[0]
        assert np.hypot(way[0], way[2]) / 0.5 == pytest.approx(3.0, rel=0.06)
    assert np.abs(differentiate(on.root, on.fps)[-1]).max() < 0.04


@pytest.mark.parametrize("foot", SIDES)
def test_a_stop_ends_with_the_feet_side_by_side_and_that_foot_last(foot: str) -> None:
    clip = stop(1.2, foot)
    poses = clip.world
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
        lambda: stop(0.7, gait="skip"),
        lambda: tight_turn(5.0),
        lambda: sidestep("up"),
        lambda: sidestep(steps=0),
        lambda: turn_in_place(900.0),
        lambda: draw_performer(-1),
        lambda: winding([(0.0, 0.0), (1.0, 0.0)], frames=1),
    ],
)
def test_what_nobody_can_do_is_refused(ask: object) -> None:
    with pytest.raises(InputError):
        ask()  # type: ignore[operator]
