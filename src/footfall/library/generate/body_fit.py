"""The body of an action put over its feet: hips, legs and arms by inverse kinematics.

All but legs and reaching arms turns as the postures say, so their share of the centre of mass is
worked out once; the rest is solved frame by frame in compiled code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from footfall.adapt.holds import Foot
from footfall.body.kinematics import forward_kinematics
from footfall.body.mass import Segment, mass_centres, segments
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.library.generate.actions.postures import Keys, about
from footfall.library.generate.gait.feet_path import FootPath
from footfall.library.generate.skeleton import default_skeleton
from footfall.library.generate.solid import arm_depths
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

ANKLE_MOST_RAD = float(np.radians(36.0))
_ANKLE_FREE_RAD = float(np.radians(26.0))
"""How far an ankle bends up at most, and how far freely in the air."""
HIP_MOST_RAD = float(np.radians(119.0))
_ROUNDS, _NEAR_M = 60, 2e-8
_SINKS, _SUNK_M = 8, 1e-5
_LONGEST, _ROLLING, _STRETCH, _FLYING = 0.9997, 0.965, 0.9962, 0.982
"""Shares of a leg's length: its utmost reach, what it reaches at ease while its foot rolls,
beyond which the body sinks, and what is left of it in flight."""
_HEEL_STRETCH = 0.99
"""A leg that trails is not stretched further, as a share of its length: its heel rises."""
_ROLLS_RAD = float(np.radians(7.0))
_ARM_LONGEST, _ARM_SOFT = 0.985, 0.045
"""Arms do not stretch further, as a share of their length, and go there softly."""
_SOFT = 0.02
_FINGERS_M = 0.02
_WRIST_MOST_RAD = float(np.radians(42.0))
_X = np.array([1.0, 0.0, 0.0])
_LEG, _ARM = ("thigh", "shank", "foot"), ("upper_arm", "forearm", "hand")


@dataclass(frozen=True)
class Hand:
    """A hand that goes to a place and stays there for a time.

    side       0 left, 1 right
    at         where the wrist is held
    leave_s, begin_s, end_s, back_s   it sets out, is there, leaves, is its own again
    thing      where what it holds is: the hand points there
    """

    side: int
    at: tuple[float, float, float]
    leave_s: float
    begin_s: float
    end_s: float
    back_s: float
    thing: tuple[float, float, float]

    @property
    def keys(self) -> Keys:
        """How far, 0 to 1, it is there."""
        return (
            (self.leave_s, 0.0), (self.begin_s, 1.0), (self.end_s, 1.0), (self.back_s, 0.0)
        )  # fmt: skip

    def pointing(self, length: float) -> Floats:
        """(3,) where a hand of that length, metres, points: to the thing, less steeply where it
        would be in the ground."""
        way = np.array(self.thing) - self.at
        way = way / max(float(np.linalg.norm(way)), 1e-9)
        least = float(np.clip((_FINGERS_M - self.at[1]) / length, -1.0, 0.9))
        if way[1] >= least:
            return np.asarray(way)
        return np.array([0.0, least, np.sqrt(1.0 - least * least)])


@dataclass(frozen=True)
class Pin:
    """Hips that rest at (x, z) from `begin_s` to `end_s`, drawn there within `ease_s`."""

    x: float
    z: float
    begin_s: float
    end_s: float
    ease_s: float


@cache
def skeleton_of(leg_m: float) -> Skeleton:
    """The default character, made once."""
    return default_skeleton(leg_m)


@cache
def parts_of(leg_m: float) -> dict[str, Segment]:
    """The segments of the default character by name, with masses as shares of the body's."""
    return {part.name: part for part in segments(skeleton_of(leg_m), 1.0)}


@dataclass(frozen=True, eq=False)
class Solved:
    """A body over its feet.

    root       (T, 3)
    rotations  (T, J, 4) against the parents
    far        (T, 2) how far each leg is to reach, metres
    """

    root: Floats
    rotations: Floats
    far: Floats


class Body:
    """Puts hips, legs and arms to feet, centre of mass and hands.

    rotations  (T, J, 4) of trunk, head and arms against their parents
    angles     (T,) by name, radians
    flies      whether the centre of mass is given in height, too
    moves      whether frames follow each other; else each is a posture by itself
    """

    def __init__(
        self, leg_m: float, times: Floats, rotations: Floats, angles: dict[str, Floats],
        feet: Sequence[Foot], hands: Sequence[Hand] = (), flies: bool = False, moves: bool = True,
    ) -> None:  # fmt: skip
        self.character = skeleton_of(leg_m)
        self.leg_m, self.times, self.rotations, self.angles = leg_m, times, rotations, angles
        self.feet, self.hands, self.flies, self.moves = feet, hands, flies, moves
        count = len(times)
        self.poses = forward_kinematics(self.character, np.zeros((count, 3)), rotations)
        limbs = [_leg_joints(foot) for foot in feet]
        names = [tuple(f"{side}_{part}" for part in _LEG) for side in SIDES]
        for hand in hands:
            limbs.append(_arm_joints(self.character, hand.side))
            names.append(tuple(f"{SIDES[hand.side]}_{part}" for part in _ARM))
        parts = parts_of(leg_m)
        self.limbs = limbs
        offsets = self.character.offsets
        self.bones = np.array([[offsets[m], offsets[e]] for _, m, e in limbs])
        self.centres = np.array([[parts[name].centre for name in row] for row in names])
        self.masses = np.array([[parts[name].mass_kg for name in row] for row in names])
        moving = {name for row in names for name in row}
        rest = [part for part in parts.values() if part.name not in moving]
        self.trunk = mass_centres(self.poses, rest)
        self.share = float(sum(part.mass_kg for part in rest))

    @cached_property
    def leg_length(self) -> float:
        return float(np.linalg.norm(self.bones[0], axis=1).sum())

    def hip(self, foot: Foot) -> Floats:
        """(T, 3) a hip joint from the root."""
        return np.asarray(self.poses.positions[:, foot.hip])

    def settled(
        self, centre: Floats, root: Floats, paths: Sequence[FootPath], pin: Pin | None = None
    ) -> Solved:
        """The body with its centre of mass (T, 3) where it is to be.

        root  (T, 3) to begin with; its height stays so where the body does not fly
        """
        set_up = self._set_up(paths)
        root = np.array(root)
        found = self._solved(root, centre, set_up, _ROUNDS)
        for _ in range(0 if self.flies else _SINKS):
            sunk = self._too_high(root, paths)
            if sunk.max() < _SUNK_M:
                break
            root[:, 1] -= sunk
            found = self._solved(root, centre, set_up, _ROUNDS)
        if pin is not None:
            root = _pinned(root, pin, self.times)
            found = self._solved(root, centre, set_up, 1)
        return found

    def _solved(self, root: Floats, centre: Floats, set_up: _SetUp, rounds: int) -> Solved:
        from footfall.adapt.balance_kernels import settle

        count, limbs = len(root), len(self.limbs)
        out, reached = np.zeros((count, limbs, 3, 4)), np.zeros((count, limbs))
        settle(
            centre, not self.flies, self.trunk, self.share, set_up.from_root, set_up.turns,
            self.bones, self.centres, self.masses, set_up.ends, set_up.pulls, set_up.limits,
            rounds, _NEAR_M, root, out, reached,
        )  # fmt: skip
        rotations = self.rotations.copy()
        for n, joints in enumerate(self.limbs):
            rotations[:, list(joints)] = out[:, n]
        for foot, toes in zip(self.feet, set_up.toes_up, strict=True):
            if foot.toe is not None:
                rotations[:, foot.toe] = about(0, -toes)
        return Solved(root, rotations, reached[:, :2])

    def _set_up(self, paths: Sequence[FootPath]) -> _SetUp:
        rows = [self._leg(n, foot, path) for n, (foot, path) in
                enumerate(zip(self.feet, paths, strict=True))]  # fmt: skip
        rows += [self._arm(hand, self.limbs[2 + n]) for n, hand in enumerate(self.hands)]
        columns = zip(*rows, strict=True)
        a, b, c, d, e = (np.ascontiguousarray(np.stack(column, axis=1)) for column in columns)
        return _SetUp(a, b, c, d, e, [path.toes_up for path in paths])

    def _leg(self, side: int, foot: Foot, path: FootPath) -> tuple[Floats, ...]:
        count = len(self.times)
        out = (1.0 if side == 0 else -1.0) * self.angles[f"{SIDES[side]}_knee_out"]
        ahead = quat.rotate(path.turned, np.array([0.0, 0.0, 1.0]))
        pointing = np.arctan2(ahead[:, 0], ahead[:, 2])
        facing = self.angles["yaw"]
        turn = facing + 0.75 * np.arctan2(np.sin(pointing - facing), np.cos(pointing - facing))
        # The knee bends in the plane in which the leg points, however the pelvis is tilted.
        start = quat.from_yaw(turn + out)
        bend = quat.multiply(start, about(0, np.full(count, 0.3)))
        hip = self.hip(foot)
        knee = hip + quat.rotate(start, self.bones[side, 0])
        end = knee + quat.rotate(bend, self.bones[side, 1])
        hinge = np.concatenate([np.zeros((count, 1)), quat.rotate(start, _X)], axis=1)
        # In the air a foot turns with the knee.
        turned = quat.multiply(quat.from_yaw(np.where(path.held, 0.0, 0.8 * out)), path.turned)
        turns = np.stack([self.poses.rotations[:, 0], start, bend, turned, hinge], axis=1)
        # In flight legs stay a little bent, so that landing does not snap them.
        loose = _LONGEST * self.leg_length * (_FLYING if self.flies else 1.0)
        limits = np.empty((count, 4))
        limits[:, 0] = np.where(path.held, 9.0 * self.leg_length, loose)
        limits[:, 1] = _SOFT
        limits[:, 2] = np.where(path.held, 9.0, ANKLE_MOST_RAD)
        limits[:, 3] = np.where(path.held, 8.0, _ANKLE_FREE_RAD)
        return np.stack([hip, knee, end], axis=1), turns, path.ankle, np.ones(count), limits

    def _arm(self, hand: Hand, joints: tuple[int, int, int]) -> tuple[Floats, ...]:
        shoulder, elbow, wrist = joints
        places, turns = self.poses.positions, self.poses.rotations
        sign = 1.0 if hand.side == 0 else -1.0
        count = len(self.times)
        hinge = quat.rotate(turns[:, shoulder], np.array([0.0, -sign, 0.0]))
        above = turns[:, self.character.parents[shoulder]]
        rows = [above, turns[:, shoulder], turns[:, elbow], self.rotations[:, wrist],
                np.concatenate([np.zeros((count, 1)), hinge], axis=1)]  # fmt: skip
        arm = sum(float(np.linalg.norm(self.character.offsets[j])) for j in (elbow, wrist))
        limits = np.tile([_ARM_LONGEST * arm, _ARM_SOFT, 0.0, 0.0], (count, 1))
        return (
            places[:, list(joints)], np.stack(rows, axis=1), np.tile(hand.at, (count, 1)),
            ramp(hand.keys, self.times), limits,
        )  # fmt: skip

    def pointing(self, solved: Solved) -> Solved:
        """The same with hands that point to what they hold, as far as wrists bend."""
        if not self.hands:
            return solved
        rotations = solved.rotations.copy()
        poses = forward_kinematics(self.character, solved.root, rotations)
        for hand, (_, elbow, wrist) in zip(self.hands, self.limbs[2:], strict=True):
            end = int(np.flatnonzero(self.character.end_joints == wrist)[0])
            now = quat.rotate(poses.rotations[:, wrist], self.character.end_offsets[end])
            way = hand.pointing(float(np.linalg.norm(now[0])))
            turn = quat.to_rotation_vector(quat.between(now, way))
            angle = np.maximum(np.sqrt(np.einsum("ti,ti->t", turn, turn)), 1e-9)
            most = _WRIST_MOST_RAD * np.tanh(angle / _WRIST_MOST_RAD) / angle
            turn = turn * (most * ramp(hand.keys, self.times))[:, None]
            world = quat.multiply(quat.from_rotation_vector(turn), poses.rotations[:, wrist])
            lower = poses.rotations[:, elbow]
            rotations[:, wrist] = quat.multiply(quat.conjugate(lower), world)
        return Solved(solved.root, rotations, solved.far)

    def _too_high(self, root: Floats, paths: Sequence[FootPath]) -> Floats:
        """(T,) how much the body must sink for its standing feet, smooth and never too little."""
        need = np.zeros(len(root))
        longest = _STRETCH * self.leg_length
        for foot, path in zip(self.feet, paths, strict=True):
            line = path.ankle - root - self.hip(foot)
            level = np.hypot(line[:, 0], line[:, 2])
            drop = -line[:, 1] - np.sqrt(np.maximum(longest**2 - level**2, 0.0))
            need = np.maximum(need, np.where(path.held, drop, 0.0))
        if not (need > 0.0).any():
            return need
        need = np.where(need > 0.0, 1.04 * need + 2e-5, 0.0)
        return _covered(need, 11, 2.0) if self.moves else need

    def strained(self, solved: Solved, paths: Sequence[FootPath]) -> tuple[Floats, float]:
        """By how much (T,), metres, legs are too stretched; and by how much a standing foot is
        missed at most."""
        short, out = 0.0, np.zeros(len(self.times))
        for n, path in enumerate(paths):
            far = solved.far[:, n]
            missed = far - _LONGEST * self.leg_length
            short = max(short, float(missed[path.held].max(initial=0.0)))
            rolls = (path.toes_up > _ROLLS_RAD) | ~path.toe_on
            easy = np.where(rolls, _ROLLING, _LONGEST) * self.leg_length
            out = np.maximum(out, np.where(path.held, far - easy, 0.0))
        return out, short

    def heel_rise(self, solved: Solved, n: int, path: FootPath) -> Floats:
        """(T,) how much further, radians, a heel is to rise: the ankle bends no further, or the
        foot is behind the hip and the leg is to stay a little bent."""
        foot = self.feet[n]
        up = -quat.to_rotation_vector(solved.rotations[:, foot.ankle])[:, 0]
        bent = np.where(path.held, np.maximum(up - ANKLE_MOST_RAD, 0.0), 0.0)
        line = path.ankle - solved.root - self.hip(foot)
        far = np.maximum(solved.far[:, n] - _HEEL_STRETCH * self.leg_length, 0.0)
        trails = path.held & (line[:, 2] < -0.16 * self.leg_length)
        stretched = np.where(trails, far, 0.0) / float(foot.ball_joint[2])
        if not (bent.any() or stretched.any()):
            return np.zeros(len(bent))
        return np.maximum(_covered(1.15 * bent, 7, 3.0), _covered(stretched, 5, 3.0))

    def hip_excess(self, solved: Solved) -> Floats:
        """(T,) by how much, radians, hips are bent further than hips bend, smoothly."""
        over = np.zeros(len(self.times))
        for foot in self.feet:
            thigh = quat.rotate(solved.rotations[:, foot.hip], np.array([0.0, -1.0, 0.0]))
            # From straight down backwards to forwards and up, as seen from the pelvis.
            bend = np.mod(np.arctan2(thigh[:, 2], -thigh[:, 1]) + 0.5 * np.pi, 2.0 * np.pi)
            over = np.maximum(over, bend - 0.5 * np.pi - HIP_MOST_RAD)
        return _covered(over, 15, 5.0) if over.any() else over

    def arms_inside(self, solved: Solved) -> list[tuple[str, Floats]]:
        """Which arms are in the body, and how much further out (T,), radians, they are to go."""
        poses = forward_kinematics(self.character, solved.root, solved.rotations)
        found = []
        for side, deep in zip(SIDES, arm_depths(self.character, poses, self.leg_m), strict=True):
            if deep.max() > 0.0:
                out = np.clip(deep / (0.5 * self.leg_m), 0.0, 0.12) + np.where(deep > 0.0, 0.02, 0)
                found.append((side, _covered(out, 21, 5.0)))
        return found


@dataclass(frozen=True, eq=False)
class _SetUp:
    """What `balance_kernels.settle` is given about the limbs."""

    from_root: Floats
    turns: Floats
    ends: Floats
    pulls: Floats
    limits: Floats
    toes_up: list[Floats]


def _leg_joints(foot: Foot) -> tuple[int, int, int]:
    return foot.hip, foot.knee, foot.ankle


def _arm_joints(character: Skeleton, side: int) -> tuple[int, int, int]:
    shoulder, elbow, wrist = (
        character.role(f"{SIDES[side]}_{part}") for part in ("shoulder", "elbow", "wrist")
    )
    return shoulder, elbow, wrist


def _covered(need: Floats, width: int, soft: float) -> Floats:
    """(T,) a smooth curve about as high as the highest of `need` nearby."""
    from scipy.ndimage import gaussian_filter1d, maximum_filter1d

    return np.asarray(gaussian_filter1d(maximum_filter1d(need, width), soft))


def _pinned(root: Floats, pin: Pin, times: Floats) -> Floats:
    keys = (
        (pin.begin_s - pin.ease_s, 0.0), (pin.begin_s, 1.0),
        (pin.end_s, 1.0), (pin.end_s + pin.ease_s, 0.0),
    )  # fmt: skip
    share = ramp(keys, times)
    out = root.copy()
    out[:, 0] += share * (pin.x - root[:, 0])
    out[:, 2] += share * (pin.z - root[:, 2])
    return out


def ramp(keys: Keys, times: Floats) -> Floats:
    """(T,) from key to key with the quintic of least jerk, exactly constant where keys agree."""
    at, values = np.array([k[0] for k in keys]), np.array([k[1] for k in keys])
    t = np.clip(times, at[0], at[-1])
    n = np.clip(np.searchsorted(at, t, side="right") - 1, 0, len(at) - 2)
    u = (t - at[n]) / (at[n + 1] - at[n])
    return np.asarray(values[n] + (values[n + 1] - values[n]) * u**3 * (10 - 15 * u + 6 * u * u))
