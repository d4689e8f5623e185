from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.body.edit import mirror, slice_clip
from footfall.errors import InputError
from footfall.gait.contacts import find_contacts
from footfall.gait.footprints import footprints, footprints_of
from footfall.gait.steps import find_steps
from footfall.gait.strides import find_strides
from tests.clips import steady
from tests.gait.conftest import Seen


@pytest.mark.parametrize(
    ("gait", "speed", "turn"),
    [
        ("walk", 0.8, 0.0), ("walk", 1.3, 0.0), ("walk", 1.2, 0.5), ("run", 3.2, 0.0),
        ("run", 3.0, -0.4),
    ],
)  # fmt: skip
def test_strides_of_a_generated_gait_have_its_speed_and_turn(
    gait: str, speed: float, turn: float
) -> None:
    strides = find_strides(find_contacts(steady(gait, speed, turn, seconds=5.0)))
    assert len(strides) >= 2
    for stride in strides:
        assert stride.style == gait
        assert stride.speed_m_s == pytest.approx(speed, rel=0.01)
        assert stride.turn_rad_s == pytest.approx(turn, abs=0.02)
        assert abs(stride.drift) < 0.15
        assert stride.facing_turn == pytest.approx(turn * stride.seconds, abs=0.05)


@pytest.mark.parametrize("first", [0.0, 0.2, 0.45, 0.7, 0.95])
def test_sway_does_not_read_as_turning_wherever_the_clip_is_cut(first: float) -> None:
    clip = slice_clip(steady("walk", 1.3, seconds=5.0), first, first + 2.6)
    strides = find_strides(find_contacts(clip))
    assert strides
    assert all(abs(s.turn_rad_s) < 0.02 for s in strides)


def test_strides_are_two_steps_that_begin_with_the_right_foot() -> None:
    contacts = find_contacts(steady("walk", 1.3, seconds=5.0))
    right, left = contacts.strikes_s(1), contacts.strikes_s(0)
    for stride in find_strides(contacts):
        assert np.abs(right - stride.begin_s).min() < 1e-9
        assert np.abs(right - stride.end_s).min() < 1e-9
        assert np.count_nonzero((left > stride.begin_s) & (left < stride.end_s)) == 1
        assert list(stride.key_times_s) == sorted(stride.key_times_s)
        assert stride.keys[0] == stride.keys[-1] == "right_strike"


def test_steps_are_as_long_as_speed_and_cadence_say() -> None:
    for stride in find_strides(find_contacts(steady("walk", 1.3, seconds=5.0))):
        assert sum(stride.step_lengths_m) == pytest.approx(stride.length_m, rel=0.02)
        assert stride.cadence * 0.5 * stride.length_m / 60.0 == pytest.approx(1.3, rel=0.01)
        assert 0.02 < stride.step_width_m < 0.2
        assert 0.5 < stride.duty < 0.75
        assert stride.flight == 0.0


def test_mirrored_strides_turn_the_other_way() -> None:
    clip = steady("walk", 1.2, 0.5, seconds=5.0)
    turns = [
        np.mean([s.turn_rad_s for s in find_strides(find_contacts(c))])
        for c in (clip, mirror(clip))
    ]
    assert turns[0] == pytest.approx(-turns[1], abs=0.02)


def test_footprints_lie_under_the_feet_and_point_ahead() -> None:
    clip = steady("walk", 1.3, seconds=4.0)
    contacts = find_contacts(clip)
    prints = footprints(contacts)
    assert len(prints) == len(contacts.stances)
    assert [p.t for p in prints] == sorted(p.t for p in prints)
    for p in prints:
        stance = contacts.stances[p.stance]
        assert p.foot == stance.foot
        assert p.t - p.delta == pytest.approx(stance.begin_s)
        assert p.t + p.delta == pytest.approx(stance.end_s)
        if not (stance.open_begin or stance.open_end):
            assert abs(p.p[1]) < 0.02
            assert abs(p.yaw) < 0.35
            frame = (stance.first + stance.stop) // 2
            middle = contacts.motion.points[frame, p.foot, :2].mean(axis=0)
            assert np.hypot(*(p.p - middle)[[0, 2]]) < 0.05


def test_contacts_that_a_clip_carries_give_the_same_footprints() -> None:
    clip = steady("walk", 1.3, 0.3, seconds=4.0)
    contacts = find_contacts(clip)
    found = footprints(contacts)
    known = footprints_of(contacts.with_contacts(clip))
    assert [p.foot for p in known] == [p.foot for p in found]
    for a, b in zip(found, known, strict=True):
        assert np.hypot(*(a.p - b.p)[[0, 2]]) < 0.02
        assert abs(a.p[1] - b.p[1]) < 0.015
        assert abs(a.yaw - b.yaw) < 0.05
        assert b.t == pytest.approx(a.t, abs=1.0 / clip.fps)
        assert b.delta == pytest.approx(a.delta, abs=1.0 / clip.fps)


def test_contacts_that_a_clip_does_not_carry_are_asked_for() -> None:
    with pytest.raises(InputError, match="no contacts"):
        footprints_of(replace(steady("walk", 1.3, seconds=1.0), contacts=None))


def test_footprints_move_along_with_the_clip() -> None:
    clip = steady("walk", 1.3, seconds=4.0)
    moved = replace(clip, root=clip.root + np.array([3.0, 0.4, -2.0]))
    for a, b in zip(footprints(find_contacts(clip)), footprints(find_contacts(moved)), strict=True):
        assert np.allclose(b.p - a.p, [3.0, 0.4, -2.0], atol=1e-6)
        assert np.allclose(a.q, b.q, atol=1e-6)


def test_steps_go_forward_by_a_stride() -> None:
    contacts = find_contacts(steady("walk", 1.3, seconds=5.0))
    stride = find_strides(contacts)[0]
    inner = [s for s in find_steps(contacts) if s.begin_s > 1.0 and s.end_s < 4.0]
    assert inner
    for step in inner:
        assert step.forward == pytest.approx(stride.length_m, rel=0.05)
        assert abs(step.left) < 0.1
        assert abs(step.rise) < 0.02
        assert step.lead > 0.3


@pytest.mark.mocap
def test_straight_real_walks_do_not_turn(seen: list[Seen]) -> None:
    for s in seen:
        if s.behaviour in ("walk_straight", "run_straight") and s.sight.strides:
            turn = np.mean([stride.turn_rad_s for stride in s.sight.strides])
            assert abs(turn) < 0.12, s.file


@pytest.mark.mocap
def test_real_strides_have_the_style_of_the_index(seen: list[Seen]) -> None:
    for s in seen:
        if s.behaviour in ("walk_straight", "walk_backward", "walk_curve_left"):
            assert {x.style for x in s.sight.strides} == {"walk"}, s.file
        elif s.behaviour in ("run_straight", "run_curve_left", "run_curve_right"):
            assert {x.style for x in s.sight.strides} <= {"run"}, s.file


@pytest.mark.mocap
def test_who_walks_backward_drifts_backward(seen: list[Seen]) -> None:
    for s in seen:
        if s.behaviour == "walk_backward":
            drift = [abs(x.drift) for x in s.sight.strides if x.speed_m_s > 0.4]
            assert drift
            assert min(drift) > 2.4, s.file
