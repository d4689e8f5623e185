"""Live characters: feet stay, stand on their ground, and nothing jumps, whatever is wished."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.adapt.feet.holds import FLAT, HEEL
from footfall.adapt.retarget.retarget import retarget
from footfall.adapt.steps.standing import stand_like
from footfall.blending.build import build_space
from footfall.blending.control import Controller, Crowd
from footfall.body.feet import foot_of
from footfall.body.kinematics import forward_kinematics
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.maths import quaternions as quat
from tests.clips import real_clip

SECONDS, MANY = 20.0, 8
"""Eight characters at once: as much as one that is steered for almost three minutes."""


class Ride:
    """What came out of steering characters at random, seen from plain positions."""

    def __init__(self, space, character, scene=None, seed=1):
        rng = np.random.default_rng(seed)
        crowd = Crowd(space, character, MANY, scene)
        middle = np.zeros(2) if scene is None else scene.outline.mean(axis=0)
        headings = np.linspace(0.0, 6.0, MANY)
        crowd.put(np.column_stack([np.tile(middle, (MANY, 1)), headings]))
        rows = [self._step(crowd, *wish) for wish in _steer(rng, crowd, scene, middle)]
        self.dt, root, rotations, self.phase, self.on_heel = (
            np.array(part) for part in zip(*rows, strict=True)
        )
        frames = len(root)
        self.rotations = rotations
        poses = forward_kinematics(
            character, root.reshape(-1, 3), rotations.reshape(frames * MANY, -1, 4)
        )
        self.feet = []
        for side in SIDES:
            foot = foot_of(character, side)
            at, turned = poses.positions[:, foot.ankle], poses.rotations[:, foot.ankle]
            points = (foot.heel, foot.ball, foot.ball_joint)
            self.feet.append(
                [(at + quat.rotate(turned, p)).reshape(frames, MANY, 3) for p in points]
            )
        self.slips = crowd._live.bodies["slips"].sum()
        self.scene = scene

    @staticmethod
    def _step(crowd, dt, speed, turn):
        root, rotations = crowd.step(dt, speed, turn)
        feet = crowd._live.feet
        return dt, root.copy(), rotations.copy(), feet["phase"].copy(), feet["pivot"] == 0

    def height(self, points):
        """How high points are over the ground; nought where there is none."""
        if self.scene is None:
            return points[..., 1]
        ground = self.scene.height(points.reshape(-1, 3)[:, [0, 2]]).reshape(points.shape[:-1])
        return np.nan_to_num(points[..., 1] - ground)

    def drift(self):
        """How far the point on which a foot stands goes from where it came down, at most."""
        worst = 0.0
        for k, (heel, _, ball) in enumerate(self.feet):
            for point, carries in ((heel, self.on_heel[:, :, k]), (ball, ~self.on_heel[:, :, k])):
                held = (self.phase[:, :, k] != 0) & carries
                stays = held[1:] & held[:-1]
                moved = np.linalg.norm(np.diff(point, axis=0), axis=2)
                # Frame by frame it must not move at all, so that it cannot creep either.
                worst = max(worst, float(moved[stays].max(initial=0.0)))
        return worst

    def ground_gap(self):
        """How far points that stand are off their ground, and how deep any point is in it."""
        off, deep = 0.0, 0.0
        for k, (heel, ball, _) in enumerate(self.feet):
            phase = self.phase[:, :, k]
            lain = np.zeros(phase.shape)
            for t in range(1, len(phase)):
                lain[t] = np.where(phase[t] == FLAT, lain[t - 1] + self.dt[t], 0.0)
            for point, stands in ((heel, (phase == HEEL) | (lain > 0.2)), (ball, lain > 0.2)):
                height = self.height(point)
                off = max(off, float(np.abs(height[stands]).max(initial=0.0)))
                deep = max(deep, float(-height.min()))
        return off, deep

    def rates(self):
        """(F, N, J) how fast joints turn, radians a second."""
        turned = quat.angle_between(self.rotations[1:], self.rotations[:-1])
        return np.asarray(turned) / self.dt[1:, None, None]


def _steer(rng, crowd, scene, middle):
    """Wishes that change at random, with reversals, stops and other frame rates."""
    hold, speed, turn = np.zeros(MANY), np.zeros(MANY), np.zeros(MANY)
    since, dt, left = 0.0, 1.0 / 60.0, 0.0
    room = np.inf if scene is None else 0.5 * np.ptp(scene.outline, axis=0).min() - 6.0
    while since < SECONDS:
        for n in np.flatnonzero(hold <= 0.0):
            hold[n] = rng.uniform(0.2, 4.0)
            kinds = (
                (0.0, 0.0),
                (0.0, rng.uniform(-2, 2)),
                (rng.uniform(0.1, 1.9), rng.uniform(-1, 1)),
                (rng.uniform(2, 4), rng.uniform(-1, 1)),
                (rng.uniform(-1, 6), rng.uniform(-4, 4)),
            )
            speed[n], turn[n] = kinds[rng.integers(len(kinds))]
        if left <= 0.0:
            dt, left = float(rng.choice([1 / 60, 1 / 30])), rng.uniform(0.5, 5.0)
        wished, turned = speed.copy(), turn.copy()
        for n, (x, z, heading) in enumerate(crowd.places):
            if np.hypot(x - middle[0], z - middle[1]) > room:
                back = np.arctan2(middle[0] - x, middle[1] - z) - heading
                wished[n] = 1.2
                turned[n] = np.clip(2.0 * ((back + np.pi) % (2.0 * np.pi) - np.pi), -1.0, 1.0)
        yield dt, wished, turned
        hold, since, left = hold - dt, since + dt, left - dt


def fastest(space, clips):
    """(J,) how fast the joints of the clips turn at most, both sides alike."""
    turned = [quat.angle_between(c.rotations[1:], c.rotations[:-1]).max(axis=0) for c in clips]
    top = np.max([np.asarray(t) * c.fps for t, c in zip(turned, clips, strict=True)], axis=0)
    names = list(space.skeleton.names)
    for j, name in enumerate(names):
        if name.startswith("Left"):
            other = names.index("Right" + name[4:])
            top[j] = top[other] = max(top[j], top[other])
    return np.maximum(top, np.radians(60.0))


def scaled(skeleton, factor):
    return replace(skeleton, offsets=np.array(skeleton.offsets) * factor)


@pytest.mark.parametrize("factor", [0.7, 1.0, 1.4])
def test_on_flat_ground_feet_stay_and_nothing_jumps(space, park, factor):
    ride = Ride(space, scaled(space.skeleton, factor))
    assert ride.slips == 0
    assert ride.drift() < 1e-6
    off, deep = ride.ground_gap()
    assert off < 1e-3
    assert deep < 1e-3
    assert (ride.rates() / fastest(space, park)).max() < 1.5


@pytest.mark.parametrize("factor", [0.7, 1.0, 1.4])
def test_on_hills_feet_stand_on_their_ground(space, park, factor):
    ride = Ride(space, scaled(space.skeleton, factor), load_scene("hills"))
    assert ride.slips == 0
    assert ride.drift() < 1e-6
    off, deep = ride.ground_gap()
    assert off < 3e-3
    assert deep < 3e-3
    assert (ride.rates() / fastest(space, park)).max() < 1.5


def test_on_stairs_and_beside_them_nothing_jumps(space, park):
    ride = Ride(space, space.skeleton, load_scene("stairs"))
    assert ride.slips == 0
    assert ride.drift() < 1e-6
    assert (ride.rates() / fastest(space, park)).max() < 1.5


PEOPLE = {
    "accad": [f"accad_male1/Male1_{name}.bvh" for name in (
        "B3_Walk", "B10_WalkTurnLeft45", "B13_WalkTurnRight45", "C03_Run", "C05_WalkToRun")],
    "cmu 16": [f"cmu/16_{name}.bvh" for name in ("16", "58", "21", "12", "14", "18", "35", "45")],
}  # fmt: skip


@pytest.mark.mocap
@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("factor", [0.7, 1.4])
def test_feet_of_people_stay_too(mocap, who, factor):
    clips = [real_clip(mocap / name) for name in PEOPLE[who]]
    clips = [clips[0], *(retarget(clip, clips[0].skeleton) for clip in clips[1:])]
    people = build_space(clips, stand_like(clips[0]))
    ride = Ride(people, scaled(people.skeleton, factor), load_scene("hills"))
    assert ride.slips == 0
    assert ride.drift() < 1e-6
    assert ride.ground_gap()[0] < 3e-3
    assert (ride.rates() / fastest(people, clips)).max() < 1.5


@pytest.mark.parametrize(
    ("start", "edge"), [((0.0, -1.0, 180.0), -1.68), ((0.0, -6.0, 0.0), -1.68)],
    ids=["from above", "from below"],
)  # fmt: skip
def test_an_edge_too_high_to_step_over_is_a_wall(space, start, edge):
    walker = Controller(space, scene=load_scene("stairs"))
    x, z, degrees = start
    walker.put([[x, z, np.radians(degrees)]])
    before = walker.root[0, 1]
    for _ in range(600):
        walker.step(1 / 60, 1.4, 0.0)
    assert (walker.root[0, 2] - edge) * (z - edge) > 0.0  # it is still on its side
    assert abs(walker.root[0, 2] - edge) < 1.0
    assert walker.root[0, 1] == pytest.approx(before, abs=0.1)
    assert walker.resting[0]
    for _ in range(300):  # and it can turn round and leave
        walker.step(1 / 60, 1.0, 1.0 if abs(walker.places[0, 2] - np.radians(90)) > 0.3 else 0.0)
    assert abs(walker.root[0, 0] - x) > 0.5


def test_steep_ground_is_gone_over_slowly_and_leaning(space):
    walker = Controller(space, scene=load_scene("stairs"))
    walker.put([[-2.5, -6.0, 0.0]])
    speeds, leans = [], []
    for _ in range(300):
        walker.step(1 / 60, 1.4, 0.0)
        if -3.6 < walker.places[0, 1] < -2.4:
            speeds.append(walker.achieved[0, 0])
            leans.append(walker.state.walkers["lean"][0])
    assert 0.4 < np.mean(speeds) < 0.9
    assert min(leans) > np.radians(3.0)


@pytest.mark.parametrize("turn", [0.0, 1.5])
def test_legs_keep_apart(space, turn):
    walker = Controller(space)
    ankles = [space.skeleton.role(f"{side}_ankle") for side in SIDES]
    for n in range(400):
        walker.step(1 / 60, 1.3 if n < 120 else 0.0, turn if n > 60 else 0.0)
        at = forward_kinematics(space.skeleton, walker.root, walker.rotations).positions[0, ankles]
        assert np.linalg.norm(at[0] - at[1]) > 0.08


@pytest.mark.parametrize("speed", [1.3, 3.5])
def test_who_is_asked_to_stop_stands_with_feet_side_by_side(space, speed):
    walker = Controller(space)
    for _ in range(120):
        walker.step(1 / 60, speed, 0.0)
    for _ in range(180):
        walker.step(1 / 60, 0.0, 0.0)
    before = walker.rotations.copy()
    walker.step(1 / 60, 0.0, 0.0)
    assert quat.angle_between(walker.rotations, before).max() < 1e-3
    spots = walker._live.feet["spot"][0]
    assert abs(spots[0, 2] - spots[1, 2]) < 0.08
    assert (walker._live.feet["phase"] == FLAT).all()


@pytest.mark.parametrize("turn", [1.2, -1.2])
def test_turning_on_the_spot_stays_there(space, turn):
    walker = Controller(space)
    for _ in range(240):
        walker.step(1 / 60, 0.0, turn)
        assert np.hypot(*walker.root[0, [0, 2]]) < 0.1
    assert walker.achieved[0, 1] == pytest.approx(turn, rel=0.05)


def test_absurd_wishes_leave_a_character_sound(space, rng):
    walker = Controller(space, scene=load_scene("hills"))
    odd = (np.nan, np.inf, -np.inf, 1e300, -1e300, 0.0, 1.2, -5.0)
    for _ in range(600):
        dt = float(
            rng.choice(
                [0.0, 1e-9, 1 / 60, 1 / 30, 1 / 240, 2.0], p=[0.1, 0.1, 0.5, 0.2, 0.08, 0.02]
            )
        )
        style = rng.choice([None, np.nan, np.inf, 0.0, 1.0])
        root, rotations = walker.step(dt, rng.choice(odd), rng.choice(odd), style)
        assert np.isfinite(root).all()
        assert np.linalg.norm(rotations, axis=-1) == pytest.approx(1.0, abs=1e-6)


def test_frames_of_no_length_leave_a_character_steerable(space, rng):
    walker = Controller(space)
    for n in range(600):
        walker.step(0.0 if n % 3 == 0 else 1 / 60, rng.uniform(0, 4), rng.uniform(-1, 1))
    for _ in range(240):
        walker.step(1 / 60, 1.2, 0.5)
    assert walker.achieved[0, :2] == pytest.approx([1.2, 0.5], rel=0.02)


@pytest.mark.parametrize("dt", [np.nan, -1.0, np.inf, 1e9])
def test_a_step_in_time_must_be_one(space, dt):
    with pytest.raises(InputError, match="a step of"):
        Controller(space).step(dt, 1.0, 0.0)


def test_frame_rates_do_not_change_where_one_comes_to(space):
    ends = []
    for rate in (30, 60, 240):
        walker = Controller(space)
        for _ in range(3 * rate):
            walker.step(1 / rate, 1.3, 0.3)
        ends.append(walker.places[0])
    assert np.ptp(ends, axis=0).max() < 0.05


def test_a_crowd_is_many_single_characters(space):
    speeds, turns = np.array([0.4, 1.2, 3.0]), np.array([0.5, -0.3, 0.1])
    crowd, ones = Crowd(space, space.skeleton, 3), [Controller(space) for _ in range(3)]
    for _ in range(60):
        crowd.step(1 / 60, speeds, turns)
        for one, speed, turn in zip(ones, speeds, turns, strict=True):
            one.step(1 / 60, speed, turn)
    for n, one in enumerate(ones):
        assert np.array_equal(one.root[0], crowd.root[n])
        assert np.array_equal(one.rotations[0], crowd.rotations[n])
