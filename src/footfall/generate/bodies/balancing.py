"""Bodies of actions: hips over their centre of mass, legs to their feet, hands to their things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from footfall.body.kinematics import forward_kinematics
from footfall.body.roles import SIDES
from footfall.generate.bodies.clearance import arm_depths
from footfall.generate.bodies.limbs import (
    LEGS,
    LimbGoal,
    Limbs,
    Solved,
    cover,
    drop_to_reach,
    feet_of,
    skeleton_of,
)
from footfall.generate.feet.foot_path import FootPath
from footfall.generate.performer import Performer
from footfall.generate.sides import SIGNS
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.easing import Keys, through_keys

ANKLE_MOST_RAD = float(np.radians(36.0))
_ANKLE_FREE_RAD = float(np.radians(26.0))
"""How far an ankle bends up at most, and how far freely in the air."""
HIP_MOST_RAD = float(np.radians(119.0))
_SINKS, _SUNK_M = 8, 1e-5
_LONGEST, _ROLLING, _STRETCH, _FLYING = 0.9997, 0.965, 0.9962, 0.982
"""Shares of a leg's length: its utmost reach, what it reaches at ease while its foot rolls,
beyond which the body sinks, and what is left of it in flight."""
_PUSHING = 0.975
"""What a leg reaches at ease that pushes its body off into the air: it opens further than one that
steps."""
_HEEL_STRETCH = 0.99
"""A leg that trails is not stretched further, as a share of its length: its heel rises."""
_ROLLS_RAD = float(np.radians(7.0))
_ARM_LONGEST, _ARM_SOFT = 0.985, 0.045
"""Arms do not stretch further, as a share of their length, and go there softly."""
_SOFT = 0.02
_FINGERS_M = 0.02
_WRIST_MOST_RAD, _WRIST_ROLLED_RAD = float(np.radians(39.5)), float(np.radians(29.5))
_ROLL_MOST_RAD, _FOREARM_ROLLS = float(np.radians(100.0)), 0.8
"""How far wrists bend, those of hands that turn over less, how far these do so at most, and how
much of that their forearms do."""
_X, _Y = np.eye(3)[:2]


@dataclass(frozen=True)
class Hand:
    """A hand that goes to a place and stays there for a time.

    side       0 left, 1 right
    at         where the wrist is held
    leave_s, begin_s, end_s, back_s   it sets out, is there, leaves, is its own again
    thing      where what it holds is: the hand points there
    arc_m      how high above the straight way it goes there and back
    palm       where its palm faces, if that matters
    slide_s, slides   from when on until it leaves it slides, and how far
    """

    side: int
    at: tuple[float, float, float]
    leave_s: float
    begin_s: float
    end_s: float
    back_s: float
    thing: tuple[float, float, float]
    arc_m: float = 0.0
    palm: tuple[float, float, float] | None = None
    slide_s: float = 0.0
    slides: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def keys(self) -> Keys:
        """How far, 0 to 1, it is there."""
        return (
            (self.leave_s, 0.0), (self.begin_s, 1.0), (self.end_s, 1.0), (self.back_s, 0.0)
        )  # fmt: skip

    def pointing(self, length: float) -> Floats:
        """(3,) where a hand of that length, metres, points: to the thing, less steeply where it
        would be in the ground."""
        line = np.array(self.thing) - self.at
        line = line / max(float(np.linalg.norm(line)), 1e-9)
        least = float(np.clip((_FINGERS_M - self.at[1]) / length, -1.0, 0.9))
        if line[1] >= least:
            return np.asarray(line)
        return np.array([0.0, least, np.sqrt(1.0 - least * least)])


@dataclass(frozen=True)
class Pin:
    """Hips that rest at (x, z) from `begin_s` to `end_s`, drawn there within `ease_s`."""

    x: float
    z: float
    begin_s: float
    end_s: float
    ease_s: float

    def draw(self, root: Floats, times: Floats) -> Floats:
        """The root (T, 3) drawn to where it rests."""
        keys = (
            (self.begin_s - self.ease_s, 0.0), (self.begin_s, 1.0),
            (self.end_s, 1.0), (self.end_s + self.ease_s, 0.0),
        )  # fmt: skip
        share = through_keys(keys, times)[:, None] * [1.0, 0.0, 1.0]
        return np.asarray(root + share * ([self.x, 0.0, self.z] - root))


class ActionBody:
    """Puts hips, legs and arms to feet, centre of mass and hands.

    rotations  (T, J, 4) of trunk, head and arms against their parents
    angles     (T,) by name, radians
    flies      whether the centre of mass is given in height, too
    moves      whether frames follow each other; else each is a posture by itself
    facing     (T,) where the body faces, radians to the left, besides the yaw of the pelvis
    """

    def __init__(
        self, who: Performer, times: Floats, rotations: Floats, angles: dict[str, Floats],
        hands: Sequence[Hand] = (), flies: bool = False, moves: bool = True,
        facing: Floats | float = 0.0,
    ) -> None:  # fmt: skip
        self.character, self.feet = skeleton_of(who), feet_of(who)
        self.leg_m, self.times, self.rotations, self.angles = who.leg_m, times, rotations, angles
        self.hands, self.flies, self.moves, self.facing = hands, flies, moves, facing
        arms = tuple((SIDES[hand.side], "arm") for hand in hands)
        self.limbs = Limbs(self.character, rotations, LEGS + arms)
        self.poses = self.limbs.poses

    @cached_property
    def leg_length(self) -> float:
        return sum(self.limbs.lengths(0))

    def settle(
        self, centre: Floats, root: Floats, paths: Sequence[FootPath], pin: Pin | None = None
    ) -> Solved:
        """The body with its centre of mass (T, 3) where it is to be.

        root  (T, 3) to begin with; its height stays so where the body does not fly
        """
        goals = [self._leg(n, path) for n, path in enumerate(paths)]
        goals += [self._arm(2 + n, hand) for n, hand in enumerate(self.hands)]
        found = self.limbs.solve(root, goals, centre, level=not self.flies)
        for _ in range(0 if self.flies else _SINKS):
            sunk = self._drop(found.root, paths)
            if sunk.max() < _SUNK_M:
                break
            lower = found.root - sunk[:, None] * [0.0, 1.0, 0.0]
            found = self.limbs.solve(lower, goals, centre, level=not self.flies)
        if pin is not None:
            found = self.limbs.solve(pin.draw(found.root, self.times), goals)
        for foot, path in zip(self.feet, paths, strict=True):
            if foot.toe is not None:
                found.rotations[:, foot.toe] = quat.about_axis(0, -path.toes_up)
        return found

    def _leg(self, side: int, path: FootPath) -> LimbGoal:
        count = len(self.times)
        bones, hip = self.limbs.bones(side), self.limbs.from_root(self.feet[side].hip)
        out = SIGNS[side] * self.angles[f"{SIDES[side]}_knee_out"]
        ahead = quat.rotate(path.turned, np.array([0.0, 0.0, 1.0]))
        facing = self.angles["yaw"]
        off = np.arctan2(ahead[:, 0], ahead[:, 2]) - facing
        # The knee bends in the plane in which the leg points, however the pelvis is tilted.
        start = quat.from_yaw(facing + 0.75 * np.arctan2(np.sin(off), np.cos(off)) + out)
        bend = quat.multiply(start, quat.about_axis(0, np.full(count, 0.3)))
        knee = hip + quat.rotate(start, bones[0])
        end = knee + quat.rotate(bend, bones[1])
        hinge = np.concatenate([np.zeros((count, 1)), quat.rotate(start, _X)], axis=1)
        # In the air a foot turns with the knee.
        turned = quat.multiply(quat.from_yaw(np.where(path.held, 0.0, 0.8 * out)), path.turned)
        turns = np.stack([self.poses.rotations[:, 0], start, bend, turned, hinge], axis=1)
        # In flight legs stay a little bent, so that landing does not snap them.
        loose = _LONGEST * self.leg_length * (_FLYING if self.flies else 1.0)
        limits = np.zeros((count, 5))
        limits[:, 0] = np.where(path.held, 9.0 * self.leg_length, loose)
        limits[:, 1] = _SOFT
        limits[:, 2] = np.where(path.held, 9.0, ANKLE_MOST_RAD)
        limits[:, 3] = np.where(path.held, 8.0, _ANKLE_FREE_RAD)
        from_root = np.stack([hip, knee, end], axis=1)
        return LimbGoal(from_root, turns, path.ankle, np.ones(count), limits)

    def _arm(self, limb: int, hand: Hand) -> LimbGoal:
        shoulder, elbow, wrist = joints = self.limbs.joints[limb]
        turns = self.poses.rotations
        sign = SIGNS[hand.side]
        count = len(self.times)
        hinge = quat.rotate(turns[:, shoulder], np.array([0.0, -sign, 0.0]))
        above = turns[:, self.character.parents[shoulder]]
        rows = [above, turns[:, shoulder], turns[:, elbow], self.rotations[:, wrist],
                np.concatenate([np.zeros((count, 1)), hinge], axis=1)]  # fmt: skip
        longest = _ARM_LONGEST * sum(self.limbs.lengths(limb))
        pull = through_keys(hand.keys, self.times)
        # Drawn by `pull`, this comes to the whole arc half way.
        goal = np.array(hand.at) + 4.0 * hand.arc_m * (1.0 - pull)[:, None] * [0.0, 1.0, 0.0]
        if any(hand.slides):
            slid = through_keys(((hand.slide_s, 0.0), (hand.end_s, 1.0)), self.times)
            goal = goal + slid[:, None] * np.array(hand.slides)
        return LimbGoal(
            self.poses.positions[:, list(joints)], np.stack(rows, axis=1),
            goal, pull,
            np.tile([longest, _ARM_SOFT, 0.0, 0.0, 0.0], (count, 1)),
        )  # fmt: skip

    def _drop(self, root: Floats, paths: Sequence[FootPath]) -> Floats:
        """(T,) how much the body must sink for its standing feet, smooth and never too little."""
        need = np.zeros(len(root))
        for foot, path in zip(self.feet, paths, strict=True):
            line = path.ankle - root - self.limbs.from_root(foot.hip)
            drop = drop_to_reach(line, _STRETCH * self.leg_length)
            need = np.maximum(need, np.where(path.held, drop, 0.0))
        if not (need > 0.0).any():
            return need
        need = np.where(need > 0.0, 1.04 * need + 2e-5, 0.0)
        return cover(need, 5, 2.0) if self.moves else need

    def point_hands(self, solved: Solved) -> Solved:
        """The same with hands that point to what they hold, as far as wrists bend."""
        if not self.hands:
            return solved
        rotations = solved.rotations.copy()
        poses = forward_kinematics(self.character, solved.root, rotations)
        for hand, (_, elbow, wrist) in zip(self.hands, self.limbs.joints[2:], strict=True):
            end = int(np.flatnonzero(self.character.end_joints == wrist)[0])
            now = quat.rotate(poses.rotations[:, wrist], self.character.end_offsets[end])
            there = hand.pointing(float(np.linalg.norm(now[0])))
            turn = quat.to_rotation_vector(quat.between(now, there))
            angle = np.maximum(np.sqrt(np.einsum("ti,ti->t", turn, turn)), 1e-9)
            bends = _WRIST_MOST_RAD if hand.palm is None else _WRIST_ROLLED_RAD
            most = bends * np.tanh(angle / bends) / angle
            turn = turn * (most * through_keys(hand.keys, self.times))[:, None]
            world = quat.multiply(quat.from_rotation_vector(turn), poses.rotations[:, wrist])
            lower = poses.rotations[:, elbow]
            if hand.palm is not None:
                line = quat.rotate(world, self.character.end_offsets[end])
                roll = self._roll(hand, world, line)
                along = self.character.offsets[wrist]
                twist = quat.from_axis_angle(along, _FOREARM_ROLLS * roll)
                rotations[:, elbow] = quat.multiply(rotations[:, elbow], twist)
                lower = quat.multiply(lower, twist)
                world = quat.multiply(quat.from_axis_angle(line, roll), world)
            rotations[:, wrist] = quat.multiply(quat.conjugate(lower), world)
        return replace(solved, rotations=rotations)

    def _roll(self, hand: Hand, turned: Floats, line: Floats) -> Floats:
        """(T,) radians by which a hand, turned so in the world (T, 4) and pointing along `line`
        (T, 3), rolls about that for its palm to face where it is to."""
        line = line / np.linalg.norm(line, axis=1, keepdims=True)
        now, there = quat.rotate(turned, -_Y), np.broadcast_to(np.asarray(hand.palm), line.shape)
        side = np.cross(line, now)
        angle = np.arctan2(np.einsum("ti,ti->t", side, there), np.einsum("ti,ti->t", now, there))
        share = through_keys(hand.keys, self.times)
        return np.asarray(share * _ROLL_MOST_RAD * np.tanh(angle / _ROLL_MOST_RAD))

    def strain(self, solved: Solved, paths: Sequence[FootPath]) -> tuple[Floats, float]:
        """By how much (T,), metres, legs are too stretched; and by how much a standing foot is
        missed at most."""
        short, out = 0.0, np.zeros(len(self.times))
        for n, path in enumerate(paths):
            far = solved.far[:, n]
            missed = far - _LONGEST * self.leg_length
            short = max(short, float(missed[path.held].max(initial=0.0)))
            rolls = (path.toes_up > _ROLLS_RAD) | ~path.toe_on
            rises = np.gradient(path.toes_up) > 0.0
            rolling = np.where(rises & self.flies, _PUSHING, _ROLLING)
            easy = np.where(rolls, rolling, _LONGEST) * self.leg_length
            out = np.maximum(out, np.where(path.held, far - easy, 0.0))
        return out, short

    def heel_rise(self, solved: Solved, n: int, path: FootPath) -> Floats:
        """(T,) how much further, radians, a heel is to rise: the ankle bends no further, or the
        foot is behind the hip and the leg is to stay a little bent."""
        foot = self.feet[n]
        up = -quat.to_rotation_vector(solved.rotations[:, foot.ankle])[:, 0]
        bent = np.where(path.held, np.maximum(up - ANKLE_MOST_RAD, 0.0), 0.0)
        line = path.ankle - solved.root - self.limbs.from_root(foot.hip)
        far = np.maximum(solved.far[:, n] - _HEEL_STRETCH * self.leg_length, 0.0)
        ahead = line[:, 0] * np.sin(self.facing) + line[:, 2] * np.cos(self.facing)
        trails = path.held & (ahead < -0.16 * self.leg_length)
        stretched = np.where(trails, far, 0.0) / float(foot.ball_joint[2])
        if not (bent.any() or stretched.any()):
            return np.zeros(len(bent))
        return np.maximum(cover(1.15 * bent, 3, 3.0), cover(stretched, 2, 3.0))

    def hip_excess(self, solved: Solved) -> Floats:
        """(T,) by how much, radians, hips are bent further than hips bend, smoothly."""
        over = np.zeros(len(self.times))
        for foot in self.feet:
            thigh = quat.rotate(solved.rotations[:, foot.hip], np.array([0.0, -1.0, 0.0]))
            # From straight down backwards to forwards and up, as seen from the pelvis.
            bend = np.mod(np.arctan2(thigh[:, 2], -thigh[:, 1]) + 0.5 * np.pi, 2.0 * np.pi)
            over = np.maximum(over, bend - 0.5 * np.pi - HIP_MOST_RAD)
        return cover(over, 7, 5.0) if over.any() else over

    def arms_inside(self, solved: Solved) -> list[tuple[str, Floats]]:
        """Which arms are in the body, and how much further out (T,), radians, they are to go."""
        poses = forward_kinematics(self.character, solved.root, solved.rotations)
        found = []
        for side, deep in zip(SIDES, arm_depths(self.character, poses, self.leg_m), strict=True):
            if deep.max() > 0.0:
                out = np.clip(deep / (0.5 * self.leg_m), 0.0, 0.12) + np.where(deep > 0.0, 0.02, 0)
                found.append((side, cover(out, 10, 5.0)))
        return found
