"""Bodies that are bent as none is: each defect is found, named, and placed in time."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.body.edit import mirror, move
from footfall.body.size import body_size
from footfall.task.query import Query
from footfall.task.stages import GoTo, Place, Sit
from footfall.task.verify import AnatomyLimits, Finding, anatomy_limits, verify
from footfall.task.verify.limits import RULES, rule_of
from footfall.world.obstacles import Obstacle, ObstaclePart
from footfall.world.scene import Scene, rectangle
from tests.clips import real_clip
from tests.sweeps import THOROUGH
from tests.task.verify import defects

MOVING = {"rests": (False, False)}


def failures(clip, **how) -> list[Finding]:
    how = {"limits": defects.limits(), **MOVING, **how}
    return list(verify(clip, **how).failures)


def only(found: list[Finding], check: str) -> list[Finding]:
    return [f for f in found if f.check == check]


@pytest.mark.parametrize("name", ["ducks", "picks", "sits", "walks", "runs", "stands"])
def test_good_clips_pass_without_notes(name: str) -> None:
    report = verify(getattr(defects, name)(), limits=defects.limits(), **MOVING)
    assert report.findings == ()
    assert {"foot yaw in", "leg gap", "knee jump", "drift", "joint speed: knee"} <= set(
        report.values
    )


@pytest.mark.parametrize("name", ["ducks", "picks", "sits", "walks", "stands"])
def test_good_clips_pass_by_the_limits_of_people_in_general(name: str) -> None:
    assert verify(getattr(defects, name)(), **MOVING).passed


@pytest.mark.parametrize(("side", "sign"), [("left", 1.0), ("right", -1.0)])
def test_a_foot_turned_out_by_90_degrees_fails(side: str, sign: float) -> None:
    clip = defects.stands()
    angles = sign * math.radians(90.0) * defects.bump(clip, 1.0, 2.0)
    found = failures(defects.turn_in_world(clip, f"{side}_ankle", angles, (0.0, 1.0, 0.0)))
    (yaw,) = only(found, "foot yaw out")
    assert yaw.what == f"{side} foot"
    assert yaw.seconds == pytest.approx(1.5, abs=0.1)
    assert yaw.value > 90.0 > yaw.limit
    assert f"{side} foot" in str(yaw)
    assert "60°" in str(yaw)


def test_a_foot_turned_in_is_told_from_one_turned_out() -> None:
    clip = defects.stands()
    angles = -math.radians(80.0) * defects.bump(clip, 1.0, 2.0)
    found = failures(defects.turn_in_world(clip, "left_ankle", angles, (0.0, 1.0, 0.0)))
    assert only(found, "foot yaw in")
    assert not only(found, "foot yaw out")


def test_a_foot_turned_against_the_knee_fails_even_if_the_pelvis_turns_along() -> None:
    clip = defects.stands()
    angles = math.radians(75.0) * defects.bump(clip, 1.0, 2.0)
    found = failures(defects.turn_in_world(clip, "left_ankle", angles, (0.0, 1.0, 0.0)))
    (twist,) = only(found, "foot twist out")
    assert twist.what == "left foot"
    assert twist.value > twist.limit


@pytest.mark.parametrize("frames", [1, 3])
def test_a_knee_that_pops_in_one_frame_fails(frames: int) -> None:
    clip, second = defects.walks(), 2.0
    angles = math.radians(56.0) * defects.between(clip, second, second + frames / clip.fps)
    found = failures(defects.turn_joint(clip, "right_knee", angles, (1.0, 0.0, 0.0)))
    (jump,) = only(found, "knee jump")
    assert jump.what == "right knee"
    assert jump.seconds == pytest.approx(second, abs=(frames + 1) / clip.fps)
    assert jump.value > jump.limit
    assert {f.what for f in only(found, "joint pop")} == {"right knee"}


def test_a_pop_of_the_head_fails_by_the_sources_own_calm() -> None:
    clip = defects.stands()
    angles = math.radians(15.0) * defects.between(clip, 1.0, 1.2)
    found = failures(defects.turn_joint(clip, "head", angles, (0.0, 1.0, 0.0)))
    assert {f.what for f in found} == {"head"}


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_a_pop_is_found_at_any_frame_rate(fps: float) -> None:
    from footfall.body.edit import resample

    clip = resample(defects.walks(), fps)
    angles = math.radians(56.0) * defects.between(clip, 2.0, 2.2)
    found = failures(defects.turn_joint(clip, "right_knee", angles, (1.0, 0.0, 0.0)))
    assert [f.what for f in only(found, "knee jump")] == ["right knee"]
    assert not failures(clip)


def test_a_run_on_knees_fails() -> None:
    clip = defects.runs()
    deep = np.ones(len(clip))
    for side in ("left", "right"):
        clip = defects.turn_joint(clip, f"{side}_hip", -math.radians(50.0) * deep, (1.0, 0.0, 0.0))
        clip = defects.turn_joint(clip, f"{side}_knee", math.radians(90.0) * deep, (1.0, 0.0, 0.0))
    found = failures(clip, limits=anatomy_limits((defects.runs(),)))
    (low,) = only(found, "crouch, fast")
    assert low.what == "hips"
    assert low.value < low.limit
    assert low.least
    assert only(found, "knee flexion, standing")


def test_knees_that_bend_forward_fail() -> None:
    clip = defects.stands()
    angles = -math.radians(35.0) * defects.bump(clip, 1.0, 2.0)
    found = failures(defects.turn_joint(clip, "left_knee", angles, (1.0, 0.0, 0.0)))
    (bent,) = only(found, "knee hyperextension")
    assert bent.what == "left knee"
    assert bent.value > 15.0 >= bent.limit


def test_legs_that_pass_through_each_other_fail() -> None:
    clip = defects.stands()
    # The left leg is drawn across the right one and back.
    angles = -math.radians(40.0) * defects.bump(clip, 0.5, 2.5)
    found = failures(defects.turn_in_world(clip, "left_hip", angles, (0.0, 0.0, 1.0)))
    (through,) = only(found, "legs crossing")
    assert 0.5 < through.seconds < 2.5
    assert only(found, "leg gap") or only(found, "foot gap")


def test_feet_that_drift_while_they_stand_fail() -> None:
    clip = defects.stands()
    found = failures(defects.shift_root(clip, 0.15 * np.clip(clip.times - 1.0, 0.0, 1.0)))
    drifts = only(found, "drift")
    assert {f.what for f in drifts} == {"left heel", "left toes", "right heel", "right toes"}
    assert all(f.unit == "mm" and f.value > f.limit for f in drifts)


def test_drift_is_found_without_labels_of_contacts() -> None:
    clip = defects.stands()
    slow = defects.shift_root(clip, 0.1 * np.clip(clip.times - 0.5, 0.0, 2.0))
    unlabelled = replace(slow, contacts=np.zeros((len(clip), 4), bool))
    assert only(failures(unlabelled), "drift")


def test_a_clip_that_is_cut_while_it_walks_does_not_rest_at_its_end() -> None:
    report = verify(defects.walks(), limits=defects.limits())
    (moving,) = report.failures
    assert (moving.check, moving.what, moving.unit) == ("rest", "end", "m/s")
    assert moving.value > 0.5
    assert verify(defects.ducks(), limits=defects.limits()).passed


@pytest.mark.parametrize("turn", [0.0, 1.1, -2.5])
def test_mirror_images_and_turned_copies_have_the_same_values(turn: float) -> None:
    clip = defects.turn_joint(
        defects.walks(), "right_knee", 0.9 * defects.between(defects.walks(), 2.0, 2.1),
        (1.0, 0.0, 0.0),
    )  # fmt: skip
    here = verify(clip, limits=defects.limits())
    there = verify(move(mirror(clip), 3.0, -2.0, turn), limits=defects.limits())
    assert here.values == pytest.approx(there.values, rel=1e-6, abs=1e-6)
    swap = {"left": "right", "right": "left"}
    other = [" ".join(swap.get(w, w) for w in f.what.split()) for f in there.findings]
    assert sorted(f.what for f in here.findings) == sorted(other)


DAMAGED = {
    "Male1_C03_Run": {"joint speed", "joint acceleration", "body jolt"},
    "16_43": {"joint speed", "joint acceleration", "joint pop", "body jolt"},
    "69_70": {"drift"},
}
"""Takes whose pelvis jumps by 30° in a frame, or whose toes slide by 10 cm."""


def real_clips(folder: Path) -> list[Path]:
    files = sorted([*folder.glob("accad_male1/*.bvh"), *folder.glob("cmu/*.bvh")])
    return files if THOROUGH else files[::3] + [f for f in files if f.stem in DAMAGED]


def test_recorded_people_pass_without_sources_unless_the_take_is_damaged(mocap: Path) -> None:
    for file in real_clips(mocap):
        clip = real_clip(file)
        first = 1 if file.parent.name == "cmu" else 0  # CMU takes begin with a T-pose
        found = failures(clip[first:], limits=None)
        assert {f.check for f in found} == DAMAGED.get(file.stem, set()), file.stem


SPOILT = ("accad_male1/Male1_B3_Walk.bvh", "cmu/16_16.bvh", "cmu/13_35.bvh")


@pytest.mark.parametrize("take", SPOILT)
@pytest.mark.parametrize("scale", [0.7, 1.0, 1.25])
def test_defects_of_recorded_people_of_any_size_are_found_without_sources(
    mocap: Path, take: str, scale: float
) -> None:
    clip = real_clip(mocap / take)
    clip = clip[1 : min(len(clip), round(6 * clip.fps))]
    clip = replace(clip, skeleton=clip.skeleton.scaled(scale), root=scale * clip.root)
    assert not failures(clip, limits=None)
    when = 0.5 * clip.seconds
    pop = math.radians(56.0) * defects.between(clip, when, when + 1.01 / clip.fps)
    bent = defects.turn_in_world(clip, "left_knee", pop, lateral(clip))
    assert only(failures(bent, limits=None), "knee jump")
    turned = math.radians(100.0) * np.ones(len(clip))
    out = defects.turn_in_world(clip, "left_ankle", turned, (0.0, 1.0, 0.0))
    assert only(failures(out, limits=None), "foot yaw out")
    into = defects.turn_in_world(clip, "right_ankle", 0.95 * turned, (0.0, 1.0, 0.0))
    assert only(failures(into, limits=None), "foot yaw in")
    slid = replace(clip, root=clip.root + (0.4 * clip.times)[:, None] * np.array([1.0, 0.0, 0.0]))
    assert {f.check for f in failures(slid, limits=None)} & {"drift", "support"}


def lateral(clip: Clip) -> tuple[float, float, float]:
    """The axis of the world about which the knees of somebody who walks straight bend."""
    x, _, z = (clip.root[-1] - clip.root[0]).tolist()
    length = math.hypot(x, z)
    return (z / length, 0.0, -x / length)


@pytest.mark.parametrize(("role", "degrees"), [("head", 150.0), ("spine", 90.0), ("neck", 120.0)])
def test_a_body_that_is_turned_as_in_no_source_fails_however_slowly(
    role: str, degrees: float
) -> None:
    clip = defects.ducks()
    turned = math.radians(degrees) * defects.bump(clip, 0.5, clip.seconds - 0.5)
    found = failures(defects.turn_joint(clip, role, turned, (0.0, 1.0, 0.0)))
    assert [f.what for f in only(found, "joint angle")] == [role]


@pytest.mark.parametrize("labelled", [True, False])
def test_a_body_that_is_elsewhere_in_the_next_frame_fails(labelled: bool) -> None:
    clip = defects.walks()
    leaps = defects.shift_root(clip, 0.15 * (clip.times > 2.0))
    found = failures(leaps if labelled else replace(leaps, contacts=None))
    (jolt,) = only(found, "body jolt")
    assert jolt.seconds == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("speed", [0.4, 0.8, 2.0])
def test_a_body_that_glides_is_found_however_fast(speed: float) -> None:
    clip = replace(defects.stands(), contacts=None)
    found = failures(defects.shift_root(clip, speed * clip.times))
    (glides,) = only(found, "support")
    assert glides.value > 1.0 > glides.limit
    assert not failures(defects.runs(), limits=None)


def test_limits_follow_the_sources_between_floor_and_cap() -> None:
    rule = RULES["foot yaw in"]
    for extreme in (5.0, 44.0, 60.0, 170.0):
        soft, hard = AnatomyLimits({"foot yaw in": extreme}).of("foot yaw in")
        assert rule.floor <= hard <= rule.cap
        assert soft <= hard
        assert hard >= min(extreme, rule.cap)
    assert AnatomyLimits().of("foot yaw in") == (rule.usual, rule.cap)


def test_every_value_has_a_rule_with_its_limits_in_order() -> None:
    values = verify(defects.walks()).values
    names = [
        n for n in values if "rest" not in n and not n.startswith(("legs crossing", "unsupported"))
    ]
    assert len(names) > 50
    for name in names:
        rule = rule_of(name)
        assert rule.usual <= rule.floor <= rule.cap


def test_limits_of_the_same_clips_are_read_from_the_cache() -> None:
    clips = (defects.walks(), defects.stands())
    copies = tuple(replace(clip, name="copy") for clip in clips)
    assert dict(anatomy_limits(copies).extremes) == pytest.approx(
        dict(anatomy_limits(clips).extremes), abs=1e-3
    )


def test_a_soft_limit_gives_a_note_and_passes() -> None:
    clip = defects.stands()
    slid = defects.shift_root(clip, 0.035 * np.clip(clip.times - 1.0, 0.0, 1.0))
    report = verify(slid, **MOVING)
    assert report.passed
    assert {f.check for f in report.notes} == {"drift"}
    assert not any(f.hard for f in report.notes)


def test_a_squat_fails_unless_a_stage_or_something_that_hangs_low_asks_for_it() -> None:
    clip, start = defects.sits(), Place(0.0, 0.0)
    x, y, z = clip.root[len(clip) // 2].tolist()
    part = ObstaclePart("box", np.zeros(3), np.full(3, 0.1))
    bar = Obstacle("bar", (part,), np.array([x, y + 0.5, z]))
    under = Scene("bar", rectangle([-50.0, -50.0], [50.0, 50.0]), obstacles=(bar,))

    def failed(query: Query, **how: Any) -> set[str]:
        return {f.check for f in verify(clip, query, **how, **MOVING).failures}

    assert "squat" in failed(Query(start, GoTo(x, z)))
    assert "squat" not in failed(Query(start, GoTo(x, z)), scene=under)
    assert "squat" not in failed(Query(start, Sit(x, z)))
    assert "squat" not in failed(Query(start, GoTo(x, z), style="crouch"))
    assert verify(defects.walks(), Query(start, GoTo(x, z)), **MOVING).values["squat"] < -0.7


@pytest.mark.parametrize("stature_m", [1.2, 2.0])
def test_children_and_tall_adults_are_checked_in_proportion(stature_m: float) -> None:
    stands = defects.stands()[:5]
    size = stature_m / body_size(stands.skeleton).stature_m
    other = Clip(
        stands.skeleton.scaled(size), stands.fps, size * stands.root, stands.rotations,
        contacts=stands.contacts,
    )  # fmt: skip

    def found(clip: Clip, scale: float, wall_m: float, lift_m: float) -> list[tuple[str, bool]]:
        part = ObstaclePart("box", np.zeros(3), scale * np.array([0.5, 1.0, 1.0]))
        wall = Obstacle("wall", (part,), np.array([(wall_m + 0.5) * scale, scale, 0.0]))
        floor = rectangle([-3.0, -3.0], [3.0, 3.0])
        lifted = clip.with_root(clip.root + np.array([0.0, lift_m * scale, 0.0]))
        report = verify(lifted, scene=Scene("a wall", floor, obstacles=(wall,)), **MOVING)
        return [(f.check, f.hard) for f in report.findings]

    seen = set()
    for wall_m, lift_m in [*((w, 0.0) for w in np.arange(0.2, 0.5, 0.003)),
                           *((2.0, y) for y in np.arange(-0.08, 0.08, 0.009))]:  # fmt: skip
        mean = found(stands, 1.0, wall_m, lift_m)
        assert found(other, size, wall_m, lift_m) == mean
        seen |= set(mean)
    assert {("collision", True), ("sunk", False), ("sunk", True), ("floating", True)} <= seen
