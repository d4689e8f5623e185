"""From wished joint curves to a body on its feet: planted soles, legs that reach, free flight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.feet import Foot, foot_of, mean_leg
from footfall.body.kinematics import forward_kinematics
from footfall.body.mass import mass_centres, segments
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.generate.bodies.clearance import part_arms, part_legs
from footfall.generate.bodies.flight import fly_freely
from footfall.generate.bodies.limbs import LimbGoal, Limbs, cover, drop_to_reach, soft_reach
from footfall.generate.feet.foot_path import GOING_TOES, FootPath, with_stances
from footfall.generate.feet.stances import Leg, fit_stances
from footfall.generate.feet.swings import leave_sooner, with_swings
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.easing import smoothstep
from footfall.maths.filters import smooth_gaussian
from footfall.maths.runs import runs

_KNEE_LEAST_RAD = np.radians(3.5)
"""Legs are never stretched further than this bend of the knee."""
_KNEE_TRAILING_RAD = np.radians(9.4)
_KNEE_RUNNING_RAD = np.radians(22.5)
"""How far knees are bent at least near flights."""
_SOFT = 0.016
"""The last share of a swinging leg's reach, in which it stretches softly."""
_SOFT_EASE_S = 0.1
_SMOOTH_S, _QUICK_SHARE = (0.06, 0.4), 0.25
"""The body follows its legs' wishes slowly in full, and from step to step in part: the pelvis
rises and falls as the curves have it, and knees make up for the rest."""
_ANKLE_TURNS_RAD = np.radians(13.0)
"""What a foot is turned by against its knee beyond about this the hip turns for it."""
_SHARP_TURNS_RAD, _SHARP_RAD_S, _SHARP_S = np.radians(8.0), (1.05, 1.4), 0.3
"""The same in sharp turns, in which knees go along with their feet; between and above which speeds
bodies turn sharply, radians per second, over how long."""
_ROLL_ROUNDS, _FLIGHT_ROUNDS, _PASSING_ROUNDS, _DRAWN_ROUNDS = 4, 5, 2, 3
_FLIGHT_EXACT_M, _DRAWN_M, _SHORT_M = 1e-6, 1e-5, 5e-4


@dataclass(frozen=True, eq=False)
class Wish:
    """A motion as it is wished, T frames, before its feet are planted.

    rate         frames per second
    root         (T, 3) and rotations (T, J, 4) of the character
    held         (T, 2) whether the left and the right foot stand
    weight       (T,) how much each frame has to say in where a foot stands
    clearance_m  (T,) height of the sole over the ground in mid-swing
    leave_rad    (T,) how far heels are up when the balls of feet leave
    rise_rad_s   (T,) how fast heels rise at most
    trailing_rad (T,) how far knees are bent at least behind the body, where heels rise instead
    reach_rad    (T,) and how far in the air
    heels_curves (T,) how much, 0 to 1, curves say about how far heels rise; legs say the rest
    hurry        (T,) how much, 0 to 1, feet that leave sooner than wished swing sooner, too
    leaving_s    (T,) how long after it left a foot's speed is that of its stance
    apart_m      (T,) how far each foot is put to its own side of where the curves have it
    ahead_m      (T,) and how far ahead of it
    lower_m      (T,) how much lower than the curves have it the body is, so that knees yield
    bend_rad     (T,) the body stays low enough for knees to be bent by this
    shake_m      (T, 3) what strikes of the feet do to the body
    paths        feet that are given already, or none: they follow from the rest
    level        whether bodies land as high as they take off, besides what legs ask for
    """

    character: Skeleton
    rate: float
    root: Floats
    rotations: Floats
    held: Bools
    weight: Floats
    clearance_m: Floats
    leave_rad: Floats | float = GOING_TOES.free
    rise_rad_s: Floats | float = 8.6
    trailing_rad: Floats | float = _KNEE_TRAILING_RAD
    reach_rad: Floats | float = _KNEE_LEAST_RAD
    heels_curves: Floats | float = 0.5
    hurry: Floats | float = 1.0
    leaving_s: Floats | float = 0.16
    apart_m: Floats | float = 0.0
    ahead_m: Floats | float = 0.0
    lower_m: Floats | float = 0.0
    bend_rad: Floats | float = _KNEE_LEAST_RAD
    shake_m: Floats | float = 0.0
    paths: tuple[FootPath, FootPath] | None = None
    level: bool = True


@dataclass(frozen=True, eq=False)
class Planted:
    """The motion that came of a wish: root (T, 3), rotations (T, J, 4), contacts (T, 4)."""

    root: Floats
    rotations: Floats
    contacts: Bools


def plant(wish: Wish) -> Planted:
    """Plant the feet, lift or lower the body to suit its legs, let it fly where nothing carries."""
    body = _WishedBody(wish)
    if wish.paths is None:
        body.plan_feet()
    else:
        body.paths = list(wish.paths)
    body.root = body.root + wish.shake_m
    body.root[:, 1] -= body.sinking()
    body.solve_legs()
    for _ in range(_PASSING_ROUNDS):
        body.fly()
        body.part_limbs()
        body.solve_legs()
    body.fly()
    columns = [part for path in body.paths for part in (path.heel_on, path.toe_on)]
    return Planted(body.root, quat.continuous(body.rotations), np.stack(columns, axis=1))


class _WishedBody:
    """A wish on its way to its feet: root, rotations and paths of the feet as they are by now."""

    def __init__(self, wish: Wish) -> None:
        self.wish, self.root, self.rotations = wish, wish.root.copy(), wish.rotations
        self.limbs = Limbs(wish.character, wish.rotations)
        self.feet = [foot_of(wish.character, side) for side in SIDES]
        self.leg_m = mean_leg(wish.character)
        self.paths: list[FootPath] = []
        self._limits = self._leg_limits()

    def _wished(self, joint: int) -> Floats:
        """(T, 3) where a joint would be."""
        return self.wish.root + self.limbs.from_root(joint)

    # ------------------------------------------------------------------------------------ feet

    def plan_feet(self) -> None:
        """Find stances and swings of both feet, and the height of the body over them.

        Stances end when the ball of the foot leaves, which stays put until then. What comes
        after is swing: no point stays put in it.
        """
        wish = self.wish
        wished = [self._wished_path(foot) for foot in self.feet]
        flat = [self._stand(n, wished[n], wish.held[:, n], None) for n in range(2)]
        lift = self._lift(flat) - wish.lower_m
        for n, foot in enumerate(self.feet):
            leg, held = self._leg(foot, lift), wish.held[:, n]
            for _ in range(_ROLL_ROUNDS):
                path = self._stand(n, wished[n], held, leg)
                if not (held & ~path.held).any():
                    break
                held = held & path.held
            hurry, quick = (np.broadcast_to(w, len(held)) for w in (wish.hurry, wish.leaving_s))
            sooner = leave_sooner(wished[n], wish.root, wish.held[:, n], path.held, hurry)
            swung = with_swings(path, foot, sooner, wish.clearance_m, quick, wish.rate)
            self.paths.append(swung)
        self.root[:, 1] += lift

    def _stand(self, n: int, wished: FootPath, held: Bools, leg: Leg | None) -> FootPath:
        """The path nearest to a wished one that stands still while `held` (T,)."""
        foot = self.feet[n]
        rolling = fit_stances(foot, wished, held, self.wish.weight, leg)
        return with_stances(wished, foot, rolling, GOING_TOES)

    def _leg(self, foot: Foot, lift: Floats) -> Leg:
        wish, hip = self.wish, self._wished(foot.hip)
        length = np.linalg.norm(self._wished(foot.ankle) - hip, axis=1)
        raised = hip + lift[:, None] * [0.0, 1.0, 0.0]
        most = self._reach(np.broadcast_to(wish.trailing_rad, len(length)))
        leaves, rises, curves = (
            np.broadcast_to(part, len(length))
            for part in (wish.leave_rad, wish.rise_rad_s, wish.heels_curves)
        )
        return Leg(raised, np.minimum(length, most), most, leaves, rises, curves, wish.rate)

    def _wished_path(self, foot: Foot) -> FootPath:
        """The foot's path as the joint curves have it."""
        wish, turns = self.wish, self.limbs.poses.rotations
        nothing = np.zeros(len(wish.root), np.bool_)
        toes = np.zeros(len(wish.root))
        if foot.toe is not None:
            toes = -quat.to_rotation_vector(wish.rotations[:, foot.toe])[:, 0]
        yaw = quat.yaw_of(turns[:, 0])
        out = wish.apart_m * (1.0 if foot.side == SIDES[0] else -1.0)
        ahead = wish.ahead_m
        aside = np.stack([out * np.cos(yaw), 0.0 * yaw, -out * np.sin(yaw)], axis=1)
        aside += np.stack([ahead * np.sin(yaw), 0.0 * yaw, ahead * np.cos(yaw)], axis=1)
        ankle = self._wished(foot.ankle) + aside
        return FootPath(ankle, turns[:, foot.ankle], toes, nothing, nothing)

    # ---------------------------------------------------------------------------------- height

    def _lift(self, paths: list[FootPath]) -> Floats:
        """(T,) how much higher the body is to be so that standing legs bend as wished."""
        wish = self.wish
        total, weights = np.zeros(len(wish.root)), np.full(len(wish.root), 1e-6)
        for n, (foot, path) in enumerate(zip(self.feet, paths, strict=True)):
            hip, ankle = self._wished(foot.hip), self._wished(foot.ankle)
            length = np.linalg.norm(ankle - hip, axis=1)
            level = np.linalg.norm((path.ankle - hip)[:, [0, 2]], axis=1)
            height = np.sqrt(np.maximum(length**2 - level**2, (0.5 * length) ** 2))
            need = path.ankle[:, 1] + height - hip[:, 1]
            window = _window(wish.held[:, n] & path.heel_on, 0.06 * wish.rate)
            total += window * need
            weights += window
        known, found = weights > 1e-3, total / weights
        frames = np.arange(len(found))
        found = np.interp(frames, frames[known], found[known]) if known.any() else 0.0 * found
        quick, slow = (smooth_gaussian(found, s * wish.rate) for s in _SMOOTH_S)
        return np.asarray(slow + _QUICK_SHARE * (quick - slow))

    def sinking(self) -> Floats:
        """(T,) how far the body must sink so that both legs reach, smooth, never too little."""
        longest = self._reach(np.asarray(self.wish.bend_rad))
        need = np.max([drop_to_reach(line, longest) for line in self._lines()], axis=0)
        width = max(1, round(0.08 * self.wish.rate))
        return cover(np.maximum(need, 0.0), width, width / 2.0)

    def _lines(self) -> list[Floats]:
        """(T, 3) from each hip to its ankle."""
        return [
            path.ankle - self.root - self.limbs.from_root(foot.hip)
            for foot, path in zip(self.feet, self.paths, strict=True)
        ]

    def _longest(self, bend: float = _KNEE_LEAST_RAD) -> float:
        """From hip to ankle of a leg whose knee is bent so."""
        return float(self._reach(np.asarray(bend)))

    def _reach(self, bend: Floats) -> Floats:
        thigh, shank = self.limbs.lengths(0)
        return np.asarray(np.sqrt(thigh**2 + shank**2 + 2.0 * thigh * shank * np.cos(bend)))

    # ------------------------------------------------------------------------------------ legs

    def solve_legs(self, centre: Floats | None = None) -> None:
        """Let both legs reach for their feet, and the hips go where the centre of mass (T, 3)
        asks for, if it is given."""
        goals = [self._goal(n, line) for n, line in enumerate(self._lines())]
        for _ in range(_DRAWN_ROUNDS):
            solved = self.limbs.solve(self.root, goals, centre, near_m=_FLIGHT_EXACT_M)
            self.root, self.rotations = solved.root, solved.rotations
            if centre is None:
                break
            # Where hips have gone swinging legs are drawn in otherwise.
            before = [goal.end for goal in goals]
            goals = [self._goal(n, line) for n, line in enumerate(self._lines())]
            if max(np.abs(g.end - b).max() for g, b in zip(goals, before, strict=True)) < _DRAWN_M:
                break
        for foot, path in zip(self.feet, self.paths, strict=True):
            if foot.toe is not None:
                self.rotations[:, foot.toe] = quat.about_axis(0, -path.toes_up)

    def _goal(self, n: int, line: Floats) -> LimbGoal:
        hip, knee, ankle = self.limbs.joints[n]
        path, poses = self.paths[n], self.limbs.poses
        turns = poses.rotations
        hinge = np.zeros((len(line), 4))
        hinge[:, 1:] = quat.rotate(turns[:, hip], np.array([1.0, 0.0, 0.0]))
        above = turns[:, self.wish.character.parents[hip]]
        rows = [above, turns[:, hip], turns[:, knee], path.turned, hinge]
        end = self.root + self.limbs.from_root(hip) + line * self._drawn_in(line, path.held)
        return LimbGoal(
            poses.positions[:, [hip, knee, ankle]], np.stack(rows, axis=1),
            np.where(path.held[:, None], path.ankle, end), np.ones(len(line)),
            self._limits,
        )  # fmt: skip

    def _leg_limits(self) -> Floats:
        """(T, 5) what limits a leg that reaches for its foot; given feet point as hips let them."""
        limits = [9.0 * self.leg_m, _SOFT, 9.0, 8.0, _ANKLE_TURNS_RAD]
        out = np.tile(limits, (len(self.root), 1))
        if self.wish.paths is None:
            yaw = np.unwrap(quat.yaw_of(self.wish.rotations[:, 0]))
            turn = np.abs(smooth_gaussian(np.gradient(yaw), _SHARP_S * self.wish.rate))
            low, high = _SHARP_RAD_S
            share = smoothstep((turn * self.wish.rate - low) / (high - low))
            out[:, 4] += share * (_SHARP_TURNS_RAD - _ANKLE_TURNS_RAD)
        return out

    def _drawn_in(self, line: Floats, held: Bools) -> Floats:
        """(T, 1) the share of the line from hip to ankle that a swinging leg reaches.

        Near a stance what it is drawn in by there is given back: the foot must not jump.
        """
        far = np.sqrt(np.einsum("ti,ti->t", line, line))
        longest = self._reach(np.broadcast_to(self.wish.reach_rad, len(far)))
        drawn = soft_reach(far, longest, _SOFT)
        given = (np.minimum(far, longest) - drawn)[_nearest(held)]
        back = given * (1.0 - _window(~held, _SOFT_EASE_S * self.wish.rate))
        return np.asarray(np.minimum(drawn + back, far) / np.maximum(far, 1e-9))[:, None]

    def part_limbs(self) -> None:
        """Keep arms off the body and, unless the feet are given, legs off each other."""
        wish = self.wish
        made = forward_kinematics(wish.character, self.root, self.rotations)
        arms = part_arms(wish.character, made, self.limbs.rotations, wish.rate, self.leg_m)
        if arms is not self.limbs.rotations:
            self.limbs = Limbs(wish.character, arms)
        if wish.paths is None:
            self.paths = part_legs(made, self.feet, self.paths, wish.rate, self.leg_m)

    # ---------------------------------------------------------------------------------- flight

    def fly(self) -> None:
        """Let the centre of mass fall freely in flight."""
        held = np.stack([path.held for path in self.paths], axis=1)
        spans = runs(np.asarray(~held.any(axis=1)))
        inside = (spans[:, 0] > 0) & (spans[:, 1] < len(held))
        flights = (spans[inside] + [-1, 0]).tolist()
        if not flights:
            return
        poses = forward_kinematics(self.wish.character, self.root, self.rotations)
        centre = mass_centres(poses, segments(self.wish.character))
        lower = np.zeros((len(flights), 2))
        for _ in range(_FLIGHT_ROUNDS):
            freely = fly_freely(centre, flights, lower, self.wish.rate, self.wish.level)
            self.solve_legs(freely)
            short = self._shortfall(held, flights)
            if short.max() < _SHORT_M:
                break
            lower += 1.05 * short

    def _shortfall(self, held: Bools, flights: list[list[int]]) -> Floats:
        """(F, 2) how far the body must sink for the feet that stand before and after each flight,
        but before the first and after the last: nothing of that sinks with them."""
        longest = self._longest(_KNEE_RUNNING_RAD)
        drops = [
            np.where(held[:, n], drop_to_reach(line, longest), 0.0)
            for n, line in enumerate(self._lines())
        ]
        most, near = np.max(drops, axis=0), round(0.12 * self.wish.rate)
        first, last = flights[0][0], flights[-1][1]
        spans = [((max(a - near, first), a + 1), (b, min(b + near, last) + 1)) for a, b in flights]
        return np.array([[most[a:b].max(initial=0.0) for a, b in ends] for ends in spans])


def _window(held: Bools, ease: float) -> Floats:
    """(T,) 0 in the air, rising to 1 within `ease` frames of standing."""
    out = np.zeros(len(held))
    for first, stop in runs(held):
        k = np.arange(stop - first) + 0.5
        left = np.full(len(k), np.inf) if first == 0 else k
        right = np.full(len(k), np.inf) if stop == len(held) else k[::-1]
        out[first:stop] = smoothstep(np.minimum(left, right) / ease)
    return out


def _nearest(held: Bools) -> Ints:
    """(T,) the nearest frame at which something is held; itself if nothing ever is."""
    frames = np.arange(len(held), dtype=np.int32)
    if not held.any():
        return frames
    before = np.maximum.accumulate(np.where(held, frames, -len(held)))
    after = np.minimum.accumulate(np.where(held, frames, 2 * len(held))[::-1])[::-1]
    nearest = np.where(frames - before <= after - frames, before, after)
    return np.asarray(nearest, dtype=np.int32)
