"""Actions: feet that stand and swing, a body that is balanced or flies, postures at key times.

An action is told by where its feet stand (`Stand`), how its angles go (`Course`), and how its
weight goes: over the feet as an inverted pendulum has it, or on a given path with free flight.
Everything else follows: hips from the centre of mass, legs and arms by inverse kinematics.

The centre of mass follows from the point that the feet press on by x - (h/g) x'' = p (Kajita et
al. 2003, the linear inverted pendulum), solved forwards and backwards in time at once, so the
weight shifts before a foot lifts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from footfall.adapt.holds import Foot, foot_of
from footfall.body.clip import Clip, Source
from footfall.body.ik import LimbPose, reach, soft_reach
from footfall.body.kinematics import forward_kinematics
from footfall.body.mass import mass_centres, segments
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.library.generate.feet_path import FootPath, Stand, foot_path
from footfall.library.generate.figure import default_figure
from footfall.library.generate.gait_model import meta
from footfall.library.generate.postures import Course, Keys, body_rotations, eased
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

GRAVITY = 9.81
FPS = 60.0
STAND_DROP_M = 0.007
"""How much lower than on straight legs the hips are in quiet stance, of a leg of 0.824 m."""
_ROUNDS, _NEAR_M = 14, 1e-7
_HEEL_ROUNDS = 5
_ANKLE_MOST_RAD = np.radians(36.0)
_ANKLE_FREE_RAD = np.radians(26.0)
"""How far a standing ankle bends up; beyond that the heel leaves the ground."""
_FITS = 14
_LONGEST, _ROLLING, _STRETCH, _FLYING = 0.9997, 0.965, 0.9962, 0.982
"""Shares of a leg's length: its utmost reach, what it reaches at ease while its foot rolls,
beyond which the body sinks, and what is left of it in flight."""
_HEEL_STRETCH = 0.99
"""A leg that trails is not stretched further, as a share of its length: its heel rises."""
_ROLLS_RAD = np.radians(7.0)
_ARM_LONGEST, _ARM_SOFT = 0.985, 0.045
"""Arms do not stretch further, as a share of their length, and go there softly."""
_X = np.array([1.0, 0.0, 0.0])
_SETTLE_S, _SHIFT_S = 0.45, 0.5
"""How long the weight takes to come to rest between the feet, and to go over to one of them."""


@dataclass(frozen=True)
class Hand:
    """A hand that goes to a place and stays there for a time.

    side       0 left, 1 right
    at         where the wrist is held
    leave_s, begin_s, end_s, back_s   it sets out, is there, leaves, is its own again
    """

    side: int
    at: tuple[float, float, float]
    leave_s: float
    begin_s: float
    end_s: float
    back_s: float


@dataclass(frozen=True)
class Pin:
    """Hips that rest at (x, z) from `begin_s` to `end_s`, drawn there within `ease_s`."""

    x: float
    z: float
    begin_s: float
    end_s: float
    ease_s: float


@dataclass(frozen=True, eq=False)
class Action:
    """What is needed to make a clip.

    height    (seconds, metres) of the hips against quiet stance, if no `centre` is given
    centre    knots of the centre of mass: seconds, place (3,), speed (3,), acceleration (3,);
              the place is against the ground under the start, height against quiet stance
    weight    keys of x and of z that the weight presses on, where feet do not tell
    parts     seconds that part the times which `fitted` lowers on their own
    """

    name: str
    tags: tuple[str, ...]
    seconds: float
    stands: tuple[Stand, ...]
    course: Course
    height: Keys = ((0.0, 0.0),)
    centre: tuple[tuple[float, Floats, Floats, Floats], ...] = ()
    hands: tuple[Hand, ...] = ()
    pin: Pin | None = None
    weight: tuple[Keys, Keys] | None = None
    parts: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Quiet:
    """Quiet stance: heights of hips and centre of mass, and how far the latter is ahead."""

    hips_m: float
    centre_m: float
    ahead_m: float


@cache
def quiet_stance(leg_m: float) -> Quiet:
    """How high hips and centre of mass of the default figure are when it stands."""
    figure = default_figure(leg_m)
    rotations = body_rotations(figure, Course().angles(np.linspace(0.0, 1.0, 61)))
    leg = -float(figure.offsets[figure.role("left_knee")][1])
    drop = STAND_DROP_M * leg / 0.395
    hips = float(figure.offsets[0, 1]) - drop
    root = np.tile([0.0, hips, 0.0], (len(rotations), 1))
    centre = mass_centres(forward_kinematics(figure, root, rotations), segments(figure))[0]
    return Quiet(hips, float(centre[1]), float(centre[2]))


def perform(action: Action, leg_m: float, fps: float = FPS) -> Clip:
    """The clip of an action by the default figure with legs of `leg_m` metres."""
    clip, _, short = attempt(action, leg_m, fps)
    if short > 2e-5:
        raise InputError(
            f"the legs of {action.name!r} stay {1000.0 * short:.1f} mm short of where they stand",
            remedy="a shorter or lower action, or longer legs",
        )
    return clip


def fitted(make: Callable[[Floats], Action], leg_m: float, parts: int) -> Action:
    """The action that `make` gives for the least lowering (parts,), metres, of the body in each
    of its parts with which all legs reach."""
    low = np.zeros(parts)
    for _ in range(_FITS):
        action = make(low)
        clip, missed, _ = attempt(action, leg_m)
        owner = np.searchsorted(np.array(action.parts), clip.times)
        short = np.array([missed[owner == k].max(initial=0.0) for k in range(parts)])
        if short.max() < 1e-5:
            break
        low = low + np.where(short > 1e-5, 1.2 * short + 1e-4, 0.0)
    return action


def attempt(action: Action, leg_m: float, fps: float = FPS) -> tuple[Clip, Floats, float]:
    """The clip, by how much (T,), metres, legs would have to stretch more than they like to, and
    by how much a standing foot is out of reach at most."""
    figure = default_figure(leg_m)
    times = np.arange(round(action.seconds * fps) + 1) / fps
    quiet = quiet_stance(leg_m)
    angles = action.course.angles(times)
    rotations = body_rotations(figure, angles)
    centre = _centre(action, times, quiet)
    feet = [foot_of(figure, side) for side in SIDES]
    raised = [np.zeros(len(times)), np.zeros(len(times))]
    for _ in range(_HEEL_ROUNDS):
        paths = [
            foot_path(
                foot, [s for s in action.stands if s.side == side], times, centre,
                figure.offsets[foot.hip] - [0.0, quiet.centre_m - quiet.hips_m, quiet.ahead_m],
                raised[side],
            )
            for side, foot in enumerate(feet)
        ]  # fmt: skip
        body = _Body(figure, action, times, rotations, feet, paths, angles)
        root = body.settled(centre, quiet)
        posed, missed, short = body.posed(root)
        more = [
            np.maximum(_too_bent(posed[:, foot.ankle], path), body.too_far(root, foot, path))
            for foot, path in zip(feet, paths, strict=True)
        ]
        if max(m.max() for m in more) < np.radians(0.3):
            break
        raised = [r + m for r, m in zip(raised, more, strict=True)]
    rotations = posed
    columns = [on for path in paths for on in (path.heel_on, path.toe_on)]
    clip = Clip(
        skeleton=figure,
        fps=fps,
        root=root,
        rotations=quat.continuous(quat.normalise(rotations)),
        name=action.name,
        contacts=np.stack(columns, axis=1),
        tags=action.tags,
        source=Source(format="generated", licence=meta()["source"]),
    )
    return clip, missed, short


def _too_bent(ankle: Floats, path: FootPath) -> Floats:
    """(T,) how far, radians, a standing ankle is bent up beyond what ankles do, smoothly."""
    from scipy.ndimage import gaussian_filter1d, maximum_filter1d

    up = -quat.to_rotation_vector(ankle)[:, 0]
    over = np.where(path.held, np.maximum(up - _ANKLE_MOST_RAD, 0.0), 0.0)
    return np.asarray(gaussian_filter1d(maximum_filter1d(1.15 * over, 7), 3.0))


def _centre(action: Action, times: Floats, quiet: Quiet) -> Floats:
    """(T, 3) the centre of mass; its height is only meant where the action gives its path."""
    if action.centre:
        from scipy.interpolate import BPoly

        at = [knot[0] for knot in action.centre]
        shift = np.array([0.0, quiet.centre_m, 0.0])
        rows = [[np.asarray(knot[1]) + shift, *knot[2:]] for knot in action.centre]
        return np.asarray(BPoly.from_derivatives(at, rows)(np.clip(times, at[0], at[-1])))
    pressed = _pressed(action, times)
    level = pendulum(pressed, times, quiet.centre_m)
    height = quiet.centre_m + eased(action.height, times, 0.06)
    return np.stack([level[:, 0], height, level[:, 1]], axis=1)


def pendulum(pressed: Floats, times: Floats, height_m: float) -> Floats:
    """(T, 2) the centre of mass over the point (T, 2) that carries it, at rest at both ends."""
    from scipy.linalg import solve_banded

    step = times[1] - times[0]
    k = height_m / (GRAVITY * step * step)
    bands = np.zeros((3, len(times)))
    bands[0, 2:], bands[1], bands[2, :-2] = -k, 1.0 + 2.0 * k, -k
    bands[1, [0, -1]] = 1.0
    return np.asarray(solve_banded((1, 1), bands, pressed))


def _pressed(action: Action, times: Floats) -> Floats:
    """(T, 2) the point (x, z) that carries: the standing foot, between feet on its way."""
    if action.weight is not None:
        return np.stack([eased(keys, times, 0.08) for keys in action.weight], axis=1)
    keys: list[tuple[float, Floats]] = []
    stands = sorted(action.stands, key=lambda s: s.begin_s)
    last = float(times[-1])
    lifts = sorted((s.end_s, s) for s in stands if s.end_s < last)
    first = [next(s for s in stands if s.side == side) for side in (0, 1)]
    rest = 0.5 * (_middle(first[0], 0.5) + _middle(first[1], 0.5))
    keys.append((0.0, rest))
    for lift_s, leaving in lifts:
        other = [s for s in stands if s.side != leaving.side and s.begin_s <= lift_s]
        carrier = max(other, key=lambda s: s.begin_s)
        landing = min((s.begin_s for s in stands
                       if s.side == leaving.side and s.begin_s > lift_s), default=last)  # fmt: skip
        if len(keys) == 1 and lift_s > _SHIFT_S:
            keys.append((lift_s - _SHIFT_S, rest))
        elif lift_s > keys[-1][0] + 2.0 * _SHIFT_S:  # both stand long: the weight rests between
            between = 0.5 * (_middle(leaving, 0.5) + _middle(carrier, 0.5))
            keys += [(keys[-1][0] + _SETTLE_S, between), (lift_s - _SHIFT_S, between)]
        keys.append((max(lift_s, keys[-1][0] + 0.05), _middle(carrier, 0.35)))
        keys.append((landing, _middle(carrier, 0.75)))
    final = [max((s for s in stands if s.side == side), key=lambda s: s.begin_s) for side in (0, 1)]
    still = 0.5 * (_middle(final[0], 0.5) + _middle(final[1], 0.5))
    keys.append((keys[-1][0] + _SETTLE_S, still))
    at = np.array([k[0] for k in keys])
    return np.stack(
        [np.interp(times, at, np.array([k[1][axis] for k in keys])) for axis in (0, 1)], axis=1
    )


def _middle(stand: Stand, along: float) -> Floats:
    """(2,) a point of a sole, 0 at the heel and 1 at the ball, a little to the inside."""
    yaw = np.radians(stand.yaw_deg)
    ahead = -0.05 + 0.17 * along
    inside = -0.012 if stand.side == 0 else 0.012
    return np.array([stand.x + inside + ahead * np.sin(yaw), stand.z + ahead * np.cos(yaw)])


class _Body:
    """Puts hips, legs and arms to feet, centre of mass and hands."""

    def __init__(
        self, figure: Skeleton, action: Action, times: Floats, rotations: Floats,
        feet: Sequence[Foot], paths: Sequence[FootPath], angles: dict[str, Floats],
    ) -> None:  # fmt: skip
        self.figure, self.action, self.times = figure, action, times
        self.rotations, self.feet, self.paths, self.angles = rotations, feet, paths, angles
        self.parts = segments(figure)

    def settled(self, centre: Floats, quiet: Quiet) -> Floats:
        """(T, 3) the root that puts the centre of mass where it is to be."""
        action = self.action
        free = not action.centre
        root = centre - [0.0, quiet.centre_m - quiet.hips_m, quiet.ahead_m]
        if free:
            root[:, 1] = quiet.hips_m + eased(action.height, self.times, 0.06)
        for _ in range(_ROUNDS):
            rotations, *_ = self.posed(root)
            poses = forward_kinematics(self.figure, root, rotations)
            error = centre - mass_centres(poses, self.parts)
            if free:
                error[:, 1] = 0.0
            root = root + error / 0.8
            sunk = self._too_high(root) if free else np.zeros(1)
            if free:
                root[:, 1] -= sunk
            if np.abs(error).max() < _NEAR_M and sunk.max() < _NEAR_M:
                break
        if action.pin is not None:
            root = _pinned(root, action.pin, self.times)
        return np.asarray(root)

    def _too_high(self, root: Floats) -> Floats:
        """(T,) how much the body must sink for its standing feet, smooth and never too little."""
        from scipy.ndimage import gaussian_filter1d, maximum_filter1d

        need = np.zeros(len(root))
        poses = forward_kinematics(self.figure, root, self.rotations)
        longest = _STRETCH * self._leg_length
        for foot, path in zip(self.feet, self.paths, strict=True):
            line = path.ankle - poses.positions[:, foot.hip]
            level = np.hypot(line[:, 0], line[:, 2])
            drop = -line[:, 1] - np.sqrt(np.maximum(longest**2 - level**2, 0.0))
            need = np.maximum(need, np.where(path.held, drop, 0.0))
        if not (need > 0.0).any():
            return need
        width = 5
        return np.asarray(gaussian_filter1d(maximum_filter1d(need, 2 * width + 1), width / 2.5))

    def too_far(self, root: Floats, foot: Foot, path: FootPath) -> Floats:
        """(T,) how far, radians, the heel of a foot behind the hip is to rise for the leg to stay
        a little bent."""
        from scipy.ndimage import gaussian_filter1d, maximum_filter1d

        hip = forward_kinematics(self.figure, root, self.rotations).positions[:, foot.hip]
        line = path.ankle - hip
        far = np.sqrt(np.einsum("ti,ti->t", line, line)) - _HEEL_STRETCH * self._leg_length
        trails = path.held & (line[:, 2] < -0.16 * self._leg_length)
        over = np.where(trails, np.maximum(far, 0.0), 0.0) / float(foot.ball_joint[2])
        return np.asarray(gaussian_filter1d(maximum_filter1d(over, 5), 3.0))

    @property
    def _leg_length(self) -> float:
        foot = self.feet[0]
        return float(sum(np.linalg.norm(self.figure.offsets[j]) for j in (foot.knee, foot.ankle)))

    def posed(self, root: Floats) -> tuple[Floats, Floats, float]:
        """(T, J, 4) rotations with legs at their feet and hands where they are to be; by how much
        (T,), metres, legs are too stretched; and by how much a standing foot is missed at most."""
        rotations = self.rotations.copy()
        poses = forward_kinematics(self.figure, root, rotations)
        short, strained = 0.0, np.zeros(len(root))
        for side, (foot, path) in enumerate(zip(self.feet, self.paths, strict=True)):
            far = self._leg(rotations, poses.positions, poses.rotations[:, 0], foot, path, side)
            missed = far - _LONGEST * self._leg_length
            short = max(short, float(missed[path.held].max(initial=0.0)))
            rolls = (path.toes_up > _ROLLS_RAD) | ~path.toe_on
            easy = np.where(rolls, _ROLLING, _LONGEST) * self._leg_length
            strained = np.maximum(strained, np.where(path.held, far - easy, 0.0))
        for hand in self.action.hands:
            self._arm(rotations, poses.positions, poses.rotations, hand)
        return rotations, strained, short

    def _leg(
        self, rotations: Floats, places: Floats, pelvis: Floats, foot: Foot, path: FootPath,
        side: int,
    ) -> Floats:  # fmt: skip
        sign = 1.0 if side == 0 else -1.0
        out = sign * self.angles[f"{SIDES[side]}_knee_out"]
        ahead = quat.rotate(path.turned, np.array([0.0, 0.0, 1.0]))
        pointing = np.arctan2(ahead[:, 0], ahead[:, 2])
        facing = self.angles["yaw"]
        turn = (
            facing + 0.75 * np.arctan2(np.sin(pointing - facing), np.cos(pointing - facing)) + out
        )
        # The knee bends in the plane in which the leg points, however the pelvis is tilted.
        start = quat.from_yaw(turn)
        hip = places[:, foot.hip]
        bend = quat.multiply(start, quat.from_axis_angle(_X, np.full(len(hip), 0.3)))
        knee = hip + quat.rotate(start, self.figure.offsets[foot.knee])
        end = knee + quat.rotate(bend, self.figure.offsets[foot.ankle])
        limb = LimbPose(hip, knee, end, start, bend, quat.rotate(start, _X))
        longest = np.full(len(hip), _LONGEST * self._leg_length)
        line = path.ankle - hip
        far = np.sqrt(np.einsum("ti,ti->t", line, line))
        # In flight legs stay a little bent, so that landing does not snap them.
        loose = _FLYING if self.action.centre else 1.0
        kept = np.where(path.held, far, _soft(far, loose * longest))
        found = reach(limb, hip + line * (kept / far)[:, None], 0.0)
        rotations[:, foot.hip] = _against(pelvis, found.upper)
        rotations[:, foot.knee] = _against(found.upper, found.lower)
        rotations[:, foot.ankle] = self._ankle(found.lower, path, out)
        if foot.toe is not None:
            rotations[:, foot.toe] = quat.from_axis_angle(_X, -path.toes_up)
        return np.asarray(far)

    def _ankle(self, shank: Floats, path: FootPath, out: Floats) -> Floats:
        """(T, 4) a foot as its path has it; in the air it turns with the knee, and bends no
        further than ankles do."""
        turned = quat.multiply(quat.from_yaw(np.where(path.held, 0.0, 0.8 * out)), path.turned)
        local = _against(shank, turned)
        up = -quat.to_rotation_vector(local)[:, 0]
        over = np.where(path.held, 0.0, np.maximum(up - _ANKLE_FREE_RAD, 0.0))
        room = _ANKLE_MOST_RAD - _ANKLE_FREE_RAD
        less = over - room * np.tanh(over / room)
        return np.asarray(quat.multiply(local, quat.from_axis_angle(_X, less)))

    def _arm(self, rotations: Floats, places: Floats, turns: Floats, hand: Hand) -> None:
        side = SIDES[hand.side]
        shoulder, elbow, wrist = (
            self.figure.role(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist")
        )
        keys = ((hand.leave_s, 0.0), (hand.begin_s, 1.0), (hand.end_s, 1.0), (hand.back_s, 0.0))
        share = _ramp(keys, self.times)[:, None]
        own = places[:, wrist]
        goal = own + share * (np.array(hand.at) - own)
        sign = 1.0 if hand.side == 0 else -1.0
        limb = LimbPose(
            places[:, shoulder], places[:, elbow], own, turns[:, shoulder], turns[:, elbow],
            quat.rotate(turns[:, shoulder], np.array([0.0, -sign, 0.0])),
        )  # fmt: skip
        line = goal - places[:, shoulder]
        far = np.sqrt(np.einsum("ti,ti->t", line, line))
        arm = sum(np.linalg.norm(self.figure.offsets[j]) for j in (elbow, wrist))
        near = soft_reach(far, np.full(len(far), _ARM_LONGEST * arm), _ARM_SOFT)
        found = reach(limb, places[:, shoulder] + line * (near / far)[:, None], 0.0)
        above = turns[:, self.figure.parents[shoulder]]
        rotations[:, shoulder] = _against(above, found.upper)
        rotations[:, elbow] = _against(found.upper, found.lower)


def _pinned(root: Floats, pin: Pin, times: Floats) -> Floats:
    keys = (
        (pin.begin_s - pin.ease_s, 0.0), (pin.begin_s, 1.0),
        (pin.end_s, 1.0), (pin.end_s + pin.ease_s, 0.0),
    )  # fmt: skip
    share = _ramp(keys, times)
    out = root.copy()
    out[:, 0] += share * (pin.x - root[:, 0])
    out[:, 2] += share * (pin.z - root[:, 2])
    return out


def _ramp(keys: Keys, times: Floats) -> Floats:
    """(T,) from key to key with the quintic of least jerk, exactly constant where keys agree."""
    at, values = np.array([k[0] for k in keys]), np.array([k[1] for k in keys])
    t = np.clip(times, at[0], at[-1])
    n = np.clip(np.searchsorted(at, t, side="right") - 1, 0, len(at) - 2)
    u = (t - at[n]) / (at[n + 1] - at[n])
    return np.asarray(values[n] + (values[n + 1] - values[n]) * u**3 * (10 - 15 * u + 6 * u * u))


def _soft(far: Floats, longest: Floats) -> Floats:
    zone = 0.02 * longest
    over = np.maximum(far - (longest - zone), 0.0)
    return np.where(over > 0.0, longest - zone + zone * -np.expm1(-over / zone), far)


def _against(parent: Floats, world: Floats) -> Floats:
    return quat.normalise(quat.multiply(quat.conjugate(parent), world))
