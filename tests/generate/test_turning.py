"""How bodies act that turn, step aside and idle, by plain positions of their joints."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.generate.gait.journeys import tight_turn
from footfall.generate.gait.steady import steady
from footfall.generate.gait.stepping import shuffle, sidestep, stand, turn_in_place
from footfall.generate.performer import Performer
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.runs import runs
from tests.generate.gait_measures import SIDES, feet


class Seen:
    """Joints of a clip, and how its hips face."""

    def __init__(self, clip: Clip) -> None:
        self.clip, self.poses = clip, clip.world
        across = self.at("left_hip") - self.at("right_hip")
        self.yaw = np.unwrap(np.arctan2(-across[:, 2], across[:, 0]))
        zero = 0.0 * self.yaw
        self.left = np.stack([np.cos(self.yaw), zero, -np.sin(self.yaw)], axis=1)
        self.ahead = np.stack([np.sin(self.yaw), zero, np.cos(self.yaw)], axis=1)

    def at(self, role: str) -> Floats:
        """(T, 3) where a joint is."""
        return np.asarray(self.poses.positions[:, self.clip.skeleton.role(role)])

    def middle(self, part: str) -> Floats:
        """(T, 3) between both sides."""
        return 0.5 * (self.at(f"left_{part}") + self.at(f"right_{part}"))

    def bank(self) -> Floats:
        """(T,) degrees by which the line from hips to shoulders leans to the left."""
        line = self.middle("shoulder") - self.middle("hip")
        return np.degrees(np.arctan2((line * self.left).sum(axis=1), line[:, 1]))

    def arm_out(self, side: str) -> Floats:
        """(T,) degrees by which an arm is off the body to its own side."""
        arm = self.at(f"{side}_wrist") - self.at(f"{side}_shoulder")
        sign = 1.0 if side == "left" else -1.0
        return np.degrees(np.arctan2(sign * (arm * self.left).sum(axis=1), -arm[:, 1]))

    def faces(self, role: str) -> Floats:
        """(T,) degrees to the left by which a joint faces, by its axis to the left."""
        turned = self.poses.rotations[:, self.clip.skeleton.role(role)]
        left = quat.rotate(turned, np.array([1.0, 0.0, 0.0]))
        return np.degrees(np.unwrap(np.arctan2(-left[:, 2], left[:, 0])))

    def shoulders(self) -> Floats:
        """(T,) degrees by which the left shoulder is higher than the right one."""
        line = self.at("left_shoulder") - self.at("right_shoulder")
        return np.degrees(np.arcsin(line[:, 1] / np.linalg.norm(line, axis=1)))

    def knees(self) -> Floats:
        """(T, 2) flexion, degrees."""
        joints = [self.clip.skeleton.role(f"{side}_knee") for side in SIDES]
        return np.degrees(quat.to_rotation_vector(self.clip.rotations[:, joints])[..., 0])

    def turning(self) -> tuple[int, int]:
        """Between which frames it turns by the middle half of what it turns in all."""
        share = (self.yaw - self.yaw[0]) / (self.yaw[-1] - self.yaw[0])
        return int(np.argmax(share > 0.25)), int(np.argmax(share > 0.75))


@pytest.mark.parametrize("who", [Performer(), Performer(stature_m=1.55), Performer(age=70)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_who_turns_sharply_banks_inwards_and_lets_the_outer_arm_fly(
    sign: float, who: Performer
) -> None:
    seen = Seen(tight_turn(90.0 * sign, phase=0.0 if sign > 0.0 else 0.5, who=who))
    first, last = seen.turning()
    before = slice(round(0.3 * seen.clip.fps), round(1.1 * seen.clip.fps))
    inwards = sign * seen.bank()
    assert 3.5 < inwards[first:last].mean() - inwards[before].mean() < 9.0
    outer = seen.arm_out("right" if sign > 0.0 else "left")
    assert 5.0 < outer[first:last].mean() - outer[before].mean() < 18.0
    assert outer.max() < 32.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_who_turns_back_sinks_on_bent_knees(sign: float) -> None:
    seen = Seen(tight_turn(180.0 * sign, phase=0.0 if sign > 0.0 else 0.5))
    first, last = seen.turning()
    on = feet(seen.clip)
    assert np.where(on, seen.knees(), np.nan)[first:last][on[first:last]].mean() > 20.0


def test_walks_in_steady_curves_are_as_they_were() -> None:
    """What bodies do in a steady turn is in the model already."""
    from footfall.generate.gait.turning import sharp_turn

    assert np.abs(sharp_turn(np.full(400, 0.75), 120.0)).max() < 1e-9
    assert np.abs(sharp_turn(np.full(400, -0.9), 120.0)).max() < 1e-9


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_runners_in_curves_swing_the_outer_arm_wide_and_hold_their_heads_up(sign: float) -> None:
    seen = Seen(steady("run", 2.4, sign * 0.9, seconds=3.0))
    outer, inner = (seen.arm_out(s).mean() for s in (SIDES if sign < 0.0 else SIDES[::-1]))
    assert outer - inner > 10.0
    head = seen.poses.rotations[:, seen.clip.skeleton.role("head")]
    tilt = np.degrees(np.arcsin(quat.rotate(head, np.array([1.0, 0.0, 0.0]))[:, 1].mean()))
    assert abs(tilt) < 6.0


@pytest.mark.parametrize("angle", [-180.0, -90.0, 45.0, 135.0])
def test_hips_rise_over_the_leg_that_carries_in_turns_on_the_spot(angle: float) -> None:
    clip = turn_in_place(angle)
    on = feet(clip)
    alone, steps = on.sum(axis=1) == 1, runs(~on.all(axis=1))
    between = np.zeros(len(clip), np.bool_)
    between[steps[0, 0] : steps[-1, 1]] = True
    lowest = clip.root[between & ~alone, 1].min()
    for first, stop in steps.tolist():
        assert clip.root[first:stop, 1].max() - lowest > 0.006 * MEAN_LEG_M
    stood = clip.root[0, 1]
    assert 0.012 < (stood - clip.root[:, 1].min()) / MEAN_LEG_M < 0.05


@pytest.mark.parametrize("side", SIDES)
def test_no_two_steps_aside_are_alike_and_together_they_go_as_far_as_asked(side: str) -> None:
    clip = sidestep(side, 3, 0.45, seed=4)
    seen, lead = Seen(clip), SIDES.index(side)
    steps = runs(~feet(clip)[:, lead])
    ankle = seen.at(f"{side}_ankle")
    lengths = [abs(ankle[b, 0] - ankle[a - 1, 0]) for a, b in steps.tolist()]
    assert max(lengths) - min(lengths) > 0.02
    assert sum(lengths) == pytest.approx(1.35, abs=0.01)
    times = np.diff(steps, axis=1)[:, 0] / clip.fps
    assert times.max() - times.min() > 0.015
    assert abs(ankle[-1] - ankle[0])[2] < 1e-3


def test_feet_that_step_aside_peel_off_and_tilt_with_their_legs() -> None:
    clip = sidestep("left", 3, 0.45, seed=2)
    seen = Seen(clip)
    assert clip.contacts is not None
    for n, side in enumerate(SIDES):
        heel, toe = clip.contacts[:, 2 * n], clip.contacts[:, 2 * n + 1]
        assert (toe & ~heel).sum() / clip.fps > 0.3  # on the ball, before and after swings
        turned = seen.poses.rotations[:, clip.skeleton.role(f"{side}_ankle")]
        tilt = np.degrees(np.arcsin(quat.rotate(turned, np.array([1.0, 0.0, 0.0]))[:, 1]))
        air = ~feet(clip)[:, n]
        assert np.abs(tilt[air]).max() > 4.0
        assert np.abs(tilt[~air]).max() < 0.1


@pytest.mark.parametrize("make", [stand, shuffle])
@pytest.mark.parametrize("seed", range(5))
def test_arms_of_who_idles_do_something_one_at_a_time(make, seed: int) -> None:  # type: ignore[no-untyped-def]
    clip = make(5.0, seed=seed)
    joints = [clip.skeleton.role(f"{side}_{part}") for side in SIDES
              for part in ("shoulder", "elbow")]  # fmt: skip
    turned = np.degrees(quat.angle_between(clip.rotations[:, joints], clip.rotations[:1, joints]))
    arms = turned.reshape(-1, 2, 2).sum(axis=2)
    assert 7.0 < arms.max() < 60.0
    assert np.abs(arms[:, 0] - arms[:, 1]).max() > 6.0
    assert turned[-1].max() < 6.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(("angle", "most", "leads"), [(90.0, 11.0, 21.0), (180.0, 7.5, 13.0)])
def test_knees_go_with_feet_and_heads_go_first_in_sharp_turns(
    sign: float, angle: float, most: float, leads: float
) -> None:
    seen = Seen(tight_turn(sign * angle, phase=0.0 if sign > 0.0 else 0.5))
    first, last = seen.turning()
    on = feet(seen.clip)
    off = np.stack([seen.faces(f"{s}_ankle") - seen.faces(f"{s}_knee") for s in SIDES], axis=1)
    assert np.abs(off[first:last][on[first:last]]).mean() < most
    chest = sign * seen.faces("chest")
    begins = int(np.argmax(chest > 10.0))
    assert sign * seen.faces("head")[begins] - chest[begins] > leads


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_inner_arm_of_who_turns_back_hangs(sign: float) -> None:
    seen = Seen(tight_turn(180.0 * sign, phase=0.0 if sign > 0.0 else 0.5))
    first, last = seen.turning()
    inner = "left" if sign > 0.0 else "right"
    forearm = (seen.at(f"{inner}_wrist") - seen.at(f"{inner}_elbow"))[first:last]
    raised = np.degrees(np.arccos(-forearm[:, 1] / np.linalg.norm(forearm, axis=1)))
    assert raised.max() < 25.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_elbows_of_runners_in_curves_do_not_stick_out(sign: float) -> None:
    seen = Seen(steady("run", 2.4, sign * 0.9, seconds=3.0))
    side = "right" if sign > 0.0 else "left"
    arm = seen.at(f"{side}_elbow") - seen.at(f"{side}_shoulder")
    out = np.degrees(np.arctan2(-sign * (arm * seen.left).sum(axis=1), -arm[:, 1]))
    assert 5.0 < out.min() < out.max() < 28.0


@pytest.mark.parametrize("angle", [90.0, -90.0])
def test_feet_that_turn_on_the_spot_open_late_and_close_low(angle: float) -> None:
    seen = Seen(turn_in_place(angle))
    inner, outer = SIDES if angle > 0.0 else SIDES[::-1]
    steps = [runs(~feet(seen.clip)[:, SIDES.index(side)])[0] for side in (inner, outer)]
    half = int(steps[0].mean())
    foot = seen.faces(f"{inner}_ankle")
    assert abs(foot[half] - foot[0]) < 58.0
    assert abs(np.degrees(seen.yaw[half] - seen.yaw[0])) > 28.0
    assert np.ptp(seen.at(f"{outer}_ankle")[:, 1]) < 0.065 * MEAN_LEG_M


@pytest.mark.parametrize("side", SIDES)
def test_shoulders_of_who_steps_aside_rock_little(side: str) -> None:
    seen = Seen(sidestep(side, 3, 0.5))
    assert 4.0 < np.abs(seen.shoulders()).max() < 9.0
    assert max(seen.arm_out(one).max() for one in SIDES) < 23.0


@pytest.mark.parametrize("seed", range(4))
def test_only_the_knee_bends_whose_foot_will_leave_in_small_steps(seed: int) -> None:
    seen = Seen(shuffle(5.0, seed=seed))
    on, knees = feet(seen.clip), seen.knees()
    for n in range(2):
        for leaves, _ in runs(~on[:, n]).tolist():
            assert knees[leaves - 1, n] - knees[leaves - 1, 1 - n] > 10.0
            assert knees[leaves - 6 : leaves, 1 - n].max() < 18.0
