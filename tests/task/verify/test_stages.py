"""Stages that are missed: each is found, with its number, time, value and limit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.body.clip import Clip
from footfall.body.edit import mirror, move
from footfall.maths import planar
from footfall.maths.runs import runs
from footfall.task import (
    Duck,
    Follow,
    GoTo,
    Pick,
    Place,
    PutDown,
    Query,
    Sit,
    Stage,
    StandOn,
    StandUp,
    Via,
)
from footfall.task.verify import Finding, Report, verify
from footfall.task.verify.motion import motion_of
from footfall.world.obstacles import Obstacle, yaw_rotation
from footfall.world.props import bar_parts
from footfall.world.scene import Hole, Scene, rectangle
from tests.sweeps import examples
from tests.task.verify import defects


def check(clip: Clip, *stages: Stage, scene: Scene | None = None) -> Report:
    x, z = clip.root[0, [0, 2]].tolist()
    return verify(clip, Query(Place(x, z), stages, scene=scene), limits=defects.limits())


def only_failure(report: Report) -> Finding:
    (found,) = report.failures
    return found


def end_of(clip: Clip) -> tuple[float, float]:
    return tuple(clip.root[-1, [0, 2]].tolist())  # type: ignore[return-value]


def straight(clip: Clip) -> np.ndarray:
    return np.stack([clip.root[0, [0, 2]], clip.root[-1, [0, 2]]])


# ---- places and order -----------------------------------------------------------------------


def test_a_walk_that_does_all_it_was_asked_passes() -> None:
    clip = defects.ducks()
    x, z = end_of(clip)
    report = check(clip, Via(0.0, 1.0), Via(0.0, 2.0, within_m=0.2), GoTo(x, z, 0.0))
    assert report.findings == ()
    assert report.values["stage 2, 'via': m"] <= 0.2


@pytest.mark.parametrize(("away", "passes"), [(0.05, True), (0.25, False)])
def test_a_goal_is_reached_within_its_tolerance(away: float, passes: bool) -> None:
    clip = defects.ducks()
    x, z = end_of(clip)
    report = check(clip, GoTo(x + away, z))
    assert report.passed == passes
    if not passes:
        found = only_failure(report)
        assert (found.check, found.what) == ("go to", "stage 1, 'go to'")
        assert found.value == pytest.approx(away)
        assert found.limit == pytest.approx(0.1)
        assert found.seconds == pytest.approx(clip.seconds)


def test_a_goal_faced_the_wrong_way_fails() -> None:
    clip = defects.ducks()
    found = only_failure(check(clip, GoTo(*end_of(clip), math.radians(40.0))))
    assert found.unit == "°"
    assert found.value == pytest.approx(40.0, abs=5.0)
    assert found.limit == pytest.approx(5.0)


def test_a_start_elsewhere_or_turned_away_fails() -> None:
    clip = defects.ducks()
    query = Query(Place(0.3, clip.root[0, 2], math.radians(30.0)), GoTo(*end_of(clip)))
    report = verify(clip, query, limits=defects.limits())
    assert [(f.check, f.unit) for f in report.failures] == [("start", "m"), ("start", "°")]


def test_a_stage_that_is_skipped_fails() -> None:
    clip = defects.ducks()
    found = only_failure(check(clip, Via(1.5, 1.5), GoTo(*end_of(clip))))
    assert found.what == "stage 1, 'via'"
    assert found.value == pytest.approx(1.5, abs=0.1)
    assert found.limit == pytest.approx(0.5)


def test_stages_in_the_wrong_order_fail() -> None:
    clip, end = defects.ducks(), end_of(defects.ducks())
    first, second = Via(0.0, 0.8, within_m=0.2), Via(0.0, 2.5, within_m=0.2)
    assert check(clip, first, second, GoTo(*end)).passed
    found = only_failure(check(clip, second, first, GoTo(*end)))
    assert found.what == "stage 2, 'via'"
    assert found.value > found.limit
    assert "before" in str(found)


def test_a_stage_that_is_late_fails() -> None:
    clip = defects.ducks()
    when = float(np.argmax(clip.root[:, 2] >= 2.0)) / clip.fps
    assert check(clip, Via(0.0, 2.0, within_m=0.1, by_s=when + 0.5), GoTo(*end_of(clip))).passed
    late = check(clip, Via(0.0, 2.0, within_m=0.1, by_s=0.5 * when), GoTo(*end_of(clip)))
    found = only_failure(late)
    assert (found.what, found.unit) == ("stage 1, 'via'", "s")
    assert found.value == pytest.approx(when, abs=0.2)
    assert found.limit == pytest.approx(0.5 * when)


# ---- paths ----------------------------------------------------------------------------------


def test_a_path_that_is_followed_passes() -> None:
    clip = defects.ducks()
    report = check(clip, Follow(straight(clip), corridor_m=0.2))
    assert report.findings == ()
    assert report.values["stage 1, 'follow': m"] < 0.1


def test_a_corridor_that_is_left_fails_where_it_is_left() -> None:
    clip = defects.ducks()
    left = defects.shift_root(clip, 0.8 * defects.bump(clip, 2.0, 5.0))
    found = next(f for f in check(left, Follow(straight(clip), corridor_m=0.3)).failures
                 if f.check == "follow")  # fmt: skip
    assert found.value == pytest.approx(0.8, abs=0.1)
    assert found.limit == pytest.approx(0.3)
    assert found.seconds == pytest.approx(3.5, abs=0.4)
    assert 2.0 < found.first / clip.fps < found.seconds < found.stop / clip.fps < 5.0


def test_a_path_that_is_cut_short_fails() -> None:
    clip = defects.ducks()
    cut = clip[: 2 * len(clip) // 3]
    found = next(f for f in check(cut, Follow(straight(clip))).failures if f.check == "follow")
    assert found.value > 0.5
    assert "the end of the path" in str(found)


def test_a_detour_of_the_path_may_not_be_left_out() -> None:
    clip = defects.ducks()
    a, b = straight(clip)
    loop = np.array([a, [0.0, 1.5], [2.5, 1.5], [2.5, 1.7], [0.0, 1.7], b])
    found = only_failure(check(clip, Follow(loop, corridor_m=0.4)))
    assert found.check == "follow"
    assert found.value > 2.0


def test_a_path_that_goes_to_and_fro_is_matched_in_order() -> None:
    clip = defects.ducks()
    a, b = straight(clip)
    twice = np.array([a, b, a, b])
    assert not check(clip, Follow(twice, corridor_m=0.3)).passed
    # Who may be as far off as the path is long follows it at its middle.
    assert check(clip, Follow(twice, corridor_m=4.0)).passed


# ---- hands, feet, seats ---------------------------------------------------------------------


def touch_of(clip: Clip, part: int) -> int:
    assert clip.touches is not None
    return int(np.flatnonzero(clip.touches[:, part]).mean())


def test_a_hand_that_misses_by_five_centimetres_fails() -> None:
    clip = defects.picks()
    frame = touch_of(clip, 1)
    x, y, z = motion_of(clip).hands[frame, 1].tolist()
    assert check(clip, Pick(x, y, z), GoTo(*end_of(clip))).passed
    for stage in (Pick, PutDown):
        # Nobody reaches further than to it: what is beyond is missed by all of that.
        found = only_failure(check(clip, stage(x, y, z + 0.05, hand="right"), GoTo(*end_of(clip))))
        assert found.what == f"stage 1, {stage.kind!r}"
        assert 0.025 < found.value <= 0.0501
        assert found.limit == pytest.approx(0.025)
        assert found.seconds == pytest.approx(frame / clip.fps, abs=0.5)
        assert "right hand" in str(found)


def test_a_hand_that_only_passes_takes_nothing() -> None:
    clip = defects.picks()
    frame = touch_of(clip, 1)
    rushes = clip[frame % 5 :]
    kept = np.arange(0, len(rushes), 5)
    fast = replace(
        rushes, root=rushes.root[kept], rotations=rushes.rotations[kept], **rushes.labels_at(kept)
    )
    hands = motion_of(fast).hands[:, 1]
    moving = int(np.linalg.norm(np.diff(hands, axis=0), axis=1).argmax()) + 1
    stage = Pick(*hands[moving].tolist(), hand="right", within_m=0.01)
    found = [f for f in check(fast, stage, GoTo(*end_of(fast))).failures if f.check == "pick"]
    assert [f.unit for f in found] == ["m/s"]
    assert found[0].value > 1.0 > found[0].limit


def test_a_foot_that_swings_through_the_floor_fails() -> None:
    clip = defects.ducks()
    motion = motion_of(clip)
    first, stop = max(
        runs(~motion.foot_contacts[:, 0]).tolist(), key=lambda span: span[1] - span[0]
    )
    share = np.zeros(len(clip))
    share[first:stop] = np.sin(np.pi * (np.arange(stop - first) + 0.5) / (stop - first)) ** 2
    stamps = defects.turn_joint(clip, "left_ankle", math.radians(85.0) * share, (1.0, 0.0, 0.0))
    stamps = defects.turn_joint(stamps, "left_knee", -math.radians(40.0) * share, (1.0, 0.0, 0.0))
    found = [f for f in check(stamps, GoTo(*end_of(clip))).failures if "floor" in f.check]
    assert [f.what for f in found] == ["left foot"]
    assert first <= found[0].first < found[0].stop <= stop


def test_the_other_hand_does_not_count() -> None:
    clip = defects.picks()
    x, y, z = motion_of(clip).hands[touch_of(clip, 1), 1].tolist()
    assert not check(clip, Pick(x, y, z, hand="left"), GoTo(*end_of(clip))).passed


def test_a_hand_that_is_turned_away_misses() -> None:
    clip = defects.picks()
    frame = touch_of(clip, 1)
    x, y, z = motion_of(clip).hands[frame, 1].tolist()
    when = frame / clip.fps
    angles = 0.25 * defects.bump(clip, when - 1.0, when + 1.0)
    off = defects.turn_joint(clip, "right_elbow", angles, (1.0, 1.0, 0.0))
    found = [
        f for f in check(off, Pick(x, y, z), GoTo(*end_of(clip))).failures if f.check == "pick"
    ]
    assert len(found) == 1
    assert found[0].value > 0.03


def test_a_foothold_is_stood_on_by_the_foot_that_was_named() -> None:
    clip = defects.ducks()
    motion = motion_of(clip)
    foot, first, stop = next(s for s in motion.stances if s[1] > 0 and s[2] < len(clip))
    middle = (first + stop) // 2
    ball = motion.soles[middle, foot, 1]
    side, other = ("left", "right") if foot == 0 else ("right", "left")
    there = {"x": float(ball[0]), "z": float(ball[2])}
    goal = GoTo(*end_of(clip))
    assert check(clip, StandOn(**there, foot=side, within_m=0.03), goal).passed
    assert check(clip, StandOn(**there, within_m=0.03), goal).passed
    found = only_failure(check(clip, StandOn(**there, foot=other, within_m=0.03), goal))
    assert found.what == "stage 1, 'stand on'"
    assert found.value > 0.05
    yaw = only_failure(check(clip, StandOn(**there, yaw=1.2, foot=side, within_m=0.03), goal))
    assert yaw.unit == "°"


def seat_of(clip: Clip) -> tuple[float, float, int]:
    frame = touch_of(clip, 2)
    seat = motion_of(clip).seat[frame]
    return float(seat[0]), float(seat[2]), frame


def test_sitting_down_and_standing_up_passes() -> None:
    clip = defects.sits()
    x, z, _ = seat_of(clip)
    report = check(clip, Sit(x, z, 0.0, height_m=0.45), StandUp(), GoTo(*end_of(clip)))
    assert report.failures == ()


@pytest.mark.parametrize(("ahead", "lower"), [(0.12, 0.0), (0.0, 0.1)])
def test_sitting_on_air_fails(ahead: float, lower: float) -> None:
    clip = defects.sits()
    x, z, frame = seat_of(clip)
    found = check(clip, Sit(x, z - ahead, height_m=0.45 - lower), StandUp(), GoTo(*end_of(clip)))
    first = found.failures[0]
    assert first.what == "stage 1, 'sit'"
    assert first.value == pytest.approx(max(ahead, lower), abs=0.04)
    assert first.limit == pytest.approx(0.05)
    assert first.seconds == pytest.approx(frame / clip.fps, abs=2.0)


def test_who_stays_seated_does_not_stand_up() -> None:
    clip = defects.sits()
    x, z, frame = seat_of(clip)
    seated = clip[:frame]
    found = [f for f in check(seated, Sit(x, z), StandUp()).failures if f.check == "stand up"]
    assert [f.what for f in found] == ["stage 2, 'stand up'"]
    assert found[0].value < found[0].limit


def test_who_never_sat_does_not_stand_up() -> None:
    found = only_failure(check(defects.stands(), StandUp()))
    assert found.check == "stand up"


# ---- ducking --------------------------------------------------------------------------------

ROOM = rectangle([-6.0, -6.0], [6.0, 6.0])


def with_bar(clearance_m: float, z: float, yaw: float = 0.0, shift=(0.0, 0.0)) -> Scene:
    place = np.array([shift[0], 0.0, shift[1]]) + np.array([math.sin(yaw), 0.0, math.cos(yaw)]) * z
    bar = Obstacle("bar", bar_parts(clearance_m, 1.6), place, yaw_rotation(yaw), name="low")
    return Scene("bar", rectangle([-30.0, -30.0], [30.0, 30.0]), obstacles=(bar,))


def lowest_z(clip: Clip) -> float:
    """Where along its way the head of somebody who ducks is lowest."""
    head = motion_of(clip).role("head")
    return float(head[int(head[:, 1].argmin()), 2])


def test_ducking_under_a_bar_passes_and_a_lower_bar_is_touched() -> None:
    clip = defects.ducks()
    z, goal = lowest_z(clip), GoTo(*end_of(clip))
    high, low = with_bar(defects.HEAD_M + 0.08, z), with_bar(defects.HEAD_M - 0.12, z)
    assert check(clip, Duck(0.0, z, height_m=defects.HEAD_M + 0.08), goal, scene=high).passed
    touched = [f for f in check(clip, goal, scene=low).failures if f.check == "collision"]
    assert len(touched) == 1
    assert "bar 'low'" in str(touched[0])
    assert touched[0].value > touched[0].limit
    assert np.hypot(touched[0].place[0], touched[0].place[1] - z) < 0.5


@pytest.mark.parametrize("scene", [None, "bar"])
def test_a_body_that_is_too_high_while_it_passes_fails(scene: str | None) -> None:
    clip = defects.ducks()
    z, goal = lowest_z(clip), GoTo(*end_of(clip))
    world = None if scene is None else with_bar(defects.HEAD_M + 0.08, z)
    found = only_failure(
        check(clip, Duck(0.0, z, height_m=defects.HEAD_M - 0.15), goal, scene=world)
    )
    assert found.what == "stage 1, 'duck'"
    assert found.value > found.limit == pytest.approx(defects.HEAD_M - 0.15)


def test_who_rises_under_the_bar_fails() -> None:
    """The lowest moment does not count: the head is to stay below during the whole crossing."""
    clip = defects.ducks()
    z = lowest_z(clip)
    world, height = with_bar(defects.HEAD_M + 0.08, z), defects.HEAD_M + 0.08
    frame = int(np.argmax(motion_of(clip).role("head")[:, 2] > z + 0.12))
    angles = -0.9 * defects.bump(clip, frame / clip.fps - 0.25, frame / clip.fps + 0.25)
    risen = defects.turn_joint(clip, "spine", angles, (1.0, 0.0, 0.0))
    found = {f.check for f in check(risen, Duck(0.0, z, height_m=height), GoTo(*end_of(clip)),
                                    scene=world).failures}  # fmt: skip
    assert "duck" in found


# ---- ground ---------------------------------------------------------------------------------


def test_a_sole_half_over_an_edge_fails() -> None:
    clip = defects.stands()
    x, _, z = motion_of(clip).soles[0, 0].mean(axis=0).tolist()
    goal = GoTo(*end_of(clip))
    far = Scene("edge", ROOM, holes=(Hole(rectangle([x + 0.5, -5.0], [5.0, 5.0])),))
    assert check(clip, goal, scene=far).passed
    near = Scene("edge", ROOM, holes=(Hole(rectangle([x, -5.0], [5.0, 5.0])),))
    found = only_failure(check(clip, goal, scene=near))
    assert (found.check, found.what) == ("footing", "left foot")
    assert found.place == pytest.approx((x, z), abs=0.1)


@pytest.mark.parametrize(("by", "name"), [(0.12, "floating"), (-0.12, "sunk")])
def test_soles_above_or_below_the_floor_fail(by: float, name: str) -> None:
    clip = defects.stands()
    moved = replace(clip, root=clip.root + np.array([0.0, by, 0.0]))
    found = check(moved, GoTo(*end_of(clip))).failures
    assert {f.check for f in found} == {name}
    assert found[0].value == pytest.approx(abs(by), abs=0.01)


def test_labels_cannot_hide_a_foot_in_a_hole() -> None:
    clip = defects.stands()
    lying = replace(clip, contacts=np.zeros((len(clip), 4), bool))
    pit = Scene("pit", ROOM, holes=(Hole(rectangle([-1.0, -1.0], [1.0, 1.0])),))
    assert {f.check for f in check(lying, GoTo(*end_of(clip)), scene=pit).failures} == {"footing"}


# ---- the same in any place ------------------------------------------------------------------


def placed(stage: Stage, pose: np.ndarray, flip: bool) -> Stage:
    """A stage, mirrored if asked to, and moved with a planar pose (x, z, yaw)."""
    sign = -1.0 if flip else 1.0
    x, z = planar.apply_to_points(pose, np.array([sign * stage.x, 0.0, stage.z]))[[0, 2]].tolist()
    changed = {"x": x, "z": z}
    if getattr(stage, "yaw", None) is not None:
        changed["yaw"] = sign * stage.yaw + float(pose[2])
    for name in ("hand", "foot"):
        if getattr(stage, name, "either") != "either" and flip:
            changed[name] = {"left": "right", "right": "left"}[getattr(stage, name)]
    return replace(stage, **changed)


def cases() -> list[tuple[Clip, tuple[Stage, ...]]]:
    ducking, picking, sitting = defects.ducks(), defects.picks(), defects.sits()
    hand = motion_of(picking).hands[touch_of(picking, 1), 1].tolist()
    seat = seat_of(sitting)
    return [
        (ducking, (Via(0.0, 1.0), Duck(0.0, lowest_z(ducking), height_m=defects.HEAD_M + 0.08),
                   GoTo(*end_of(ducking), 0.0))),
        (ducking, (Duck(0.0, lowest_z(ducking), height_m=1.0), GoTo(*end_of(ducking)))),
        (picking, (Pick(*hand, hand="right"), GoTo(*end_of(picking)))),
        (picking, (Pick(hand[0], hand[1], hand[2] + 0.06, hand="right"), GoTo(*end_of(picking)))),
        (sitting, (Sit(*seat[:2], 0.0), GoTo(*end_of(sitting)))),
        (sitting, (Sit(seat[0], seat[1] - 0.2, 0.0), GoTo(*end_of(sitting)))),
    ]  # fmt: skip


@examples(12)
@given(
    st.floats(-5.0, 5.0), st.floats(-5.0, 5.0), st.floats(-3.1, 3.1), st.booleans(),
    st.integers(0, 5),
)  # fmt: skip
def test_turning_shifting_and_mirroring_all_changes_no_verdict(
    x: float, z: float, yaw: float, flip: bool, case: int
) -> None:
    clip, stages = cases()[case]
    pose = np.array([x, z, yaw])
    here = check(clip, *stages)
    moved = move(mirror(clip) if flip else clip, x, z, yaw)
    there = check(moved, *(placed(stage, pose, flip) for stage in stages))
    assert there.passed == here.passed
    assert {f.check for f in there.findings} == {f.check for f in here.findings}
    assert there.values == pytest.approx(here.values, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("yaw", [0.0, 0.7, 2.0])
def test_a_turned_bar_is_ducked_under_in_the_same_way(yaw: float) -> None:
    clip = defects.ducks()
    z = lowest_z(clip)
    moved = move(clip, 0.0, 0.0, yaw)
    x_bar, z_bar = math.sin(yaw) * z, math.cos(yaw) * z
    scene = with_bar(defects.HEAD_M + 0.08, z, yaw)
    duck = Duck(x_bar, z_bar, height_m=defects.HEAD_M + 0.08)
    report = check(moved, duck, GoTo(*end_of(moved)), scene=scene)
    assert report.passed
    straight_on = check(clip, replace(duck, x=0.0, z=z), GoTo(*end_of(clip)),
                        scene=with_bar(defects.HEAD_M + 0.08, z))  # fmt: skip
    key = "stage 1, 'duck': m"
    assert report.values[key] == pytest.approx(straight_on.values[key], abs=1e-6)
