"""Actions: feet that stand and swing, a body that is balanced or flies, postures at key times.

An action is told by where its feet stand (`Stand`), how its angles go (`Course`), and how its
weight goes: over the feet as an inverted pendulum has it, or on a given path with free flight.
Everything else follows: hips from the centre of mass, legs and arms by inverse kinematics.

The centre of mass follows from the point that the feet press on by x - (h/g) x'' = p (Kajita et
al. 2003, the linear inverted pendulum), solved forwards and backwards in time at once, so the
weight shifts before a foot lifts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from footfall.adapt.holds import Foot, foot_of
from footfall.body.clip import Clip, Source
from footfall.body.kinematics import forward_kinematics
from footfall.body.mass import mass_centres, segments
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.library.generate.actions.postures import STANDING, Course, Keys, body_rotations, eased
from footfall.library.generate.body_fit import Body, Hand, Pin, Solved, skeleton_of
from footfall.library.generate.gait.feet_path import Stand, foot_path
from footfall.library.generate.gait.gait_model import meta
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

GRAVITY = 9.81
FPS = 60.0
STAND_DROP_M = 0.007
"""How much lower than on straight legs the hips are in quiet stance, of a leg of 0.824 m."""
_ROUNDS, _HEEL_ROUNDS = 10, 4
_NEAR_RAD = float(np.radians(0.3))
_FITS = 14
_SETTLE_S, _SHIFT_S = 0.45, 0.5
"""How long the weight takes to come to rest between the feet, and to go over to one of them."""


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
    """How high hips and centre of mass of the default character are when it stands."""
    character = skeleton_of(leg_m)
    rotations = body_rotations(character, Course().angles(np.linspace(0.0, 1.0, 61)))
    leg = -float(character.offsets[character.role("left_knee")][1])
    drop = STAND_DROP_M * leg / 0.395
    hips = float(character.offsets[0, 1]) - drop
    root = np.tile([0.0, hips, 0.0], (len(rotations), 1))
    centre = mass_centres(forward_kinematics(character, root, rotations), segments(character))[0]
    return Quiet(hips, float(centre[1]), float(centre[2]))


def perform(action: Action, leg_m: float, fps: float = FPS) -> Clip:
    """The clip of an action by the default character with legs of `leg_m` metres."""
    clip, _, short = attempt(action, leg_m, fps, finish=True)
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
        low = low + np.where(short > 1e-5, 1.6 * short + 3e-4, 0.0)
    return action


def postures(
    leg_m: float, angles: Mapping[str, Floats], drops_m: Floats, stands: tuple[Stand, Stand]
) -> Clip:
    """A clip whose frames are postures by themselves, balanced over two standing feet.

    angles  degrees (T,) by name, others as in quiet stance;  drops_m (T,) of the hips
    """
    character, quiet = skeleton_of(leg_m), quiet_stance(leg_m)
    count = len(drops_m)
    times = np.arange(count) / FPS
    turns = {n: np.radians(np.broadcast_to(angles.get(n, v), count)) for n, v in STANDING.items()}
    feet = [foot_of(character, side) for side in SIDES]
    body = Body(leg_m, times, body_rotations(character, turns), turns, feet, moves=False)
    level = 0.5 * (_middle(stands[0], 0.5) + _middle(stands[1], 0.5))
    centre = np.tile([level[0], quiet.centre_m, level[1]], (count, 1))
    root = centre - [0.0, 0.0, quiet.ahead_m]
    root[:, 1] = quiet.hips_m - drops_m
    paths = [
        foot_path(foot, [stand], times, centre, np.zeros(3), np.zeros(count))
        for foot, stand in zip(feet, stands, strict=True)
    ]
    solved = body.settled(centre, root, paths)
    return Clip(skeleton=character, fps=FPS, root=solved.root, rotations=solved.rotations)


def attempt(
    action: Action, leg_m: float, fps: float = FPS, *, finish: bool = False
) -> tuple[Clip, Floats, float]:
    """The clip, by how much (T,), metres, legs would have to stretch more than they like to, and
    by how much a standing foot is out of reach at most.

    finish  whether arms are kept clear of the body, too
    """
    character, quiet = skeleton_of(leg_m), quiet_stance(leg_m)
    times = np.arange(round(action.seconds * fps) + 1) / fps
    angles = action.course.angles(times)
    centre = _centre(action, times, quiet)
    feet = [foot_of(character, side) for side in SIDES]
    flies = bool(action.centre)
    to_hips = np.array([0.0, quiet.hips_m - quiet.centre_m, -quiet.ahead_m])
    root = centre + to_hips
    if not flies:
        root[:, 1] = quiet.hips_m + eased(action.height, times, 0.06)
    tracks = [
        _Track(foot, [s for s in action.stands if s.side == n], times, centre,
               character.offsets[foot.hip] + to_hips)
        for n, foot in enumerate(feet)
    ]  # fmt: skip
    for n in range(_ROUNDS):
        turns = body_rotations(character, angles)
        body = Body(leg_m, times, turns, angles, feet, action.hands, flies)
        paths = [track.path for track in tracks]
        solved = body.settled(centre, root, paths, action.pin)
        more = [body.heel_rise(solved, side, path) for side, path in enumerate(paths)]
        rises = n < _HEEL_ROUNDS and max(m.max() for m in more) >= _NEAR_RAD
        if n == _ROUNDS - 1:
            break
        changed = [_eased_off(body, solved, angles, finish and not rises)]
        changed += [rises and t.raised_by(m) for t, m in zip(tracks, more, strict=True)]
        if not any(changed):
            break
    missed, short = body.strained(solved, paths)
    solved = body.pointing(solved)
    columns = [on for path in paths for on in (path.heel_on, path.toe_on)]
    clip = Clip(
        skeleton=character, fps=fps, root=solved.root,
        rotations=quat.continuous(quat.normalise(solved.rotations)), name=action.name,
        contacts=np.stack(columns, axis=1), tags=action.tags,
        source=Source(format="generated", licence=meta()["source"]),
    )  # fmt: skip
    return clip, missed, short


class _Track:
    """The path of one foot of an action, whose heel may be raised further and further.

    to_hip  (3,) from the centre of mass to the hip joint
    """

    def __init__(
        self, foot: Foot, stands: list[Stand], times: Floats, centre: Floats, to_hip: Floats
    ) -> None:
        self._made_of = foot, stands, times, centre, to_hip
        self._raised = np.zeros(len(times))
        self.path = foot_path(*self._made_of, self._raised)

    def raised_by(self, more: Floats) -> bool:
        """Raise the heel by `more` (T,), radians; whether that is worth it."""
        if more.max() < _NEAR_RAD:
            return False
        self._raised = self._raised + more
        self.path = foot_path(*self._made_of, self._raised)
        return True


def _eased_off(body: Body, solved: Solved, angles: dict[str, Floats], arms: bool) -> bool:
    """Change the angles so that hips bend no further than they do and, if `arms` says so, arms
    keep clear of the body; whether anything was changed."""
    changed = False
    over = body.hip_excess(solved)
    if over.max() > _NEAR_RAD:
        angles["tuck"] = angles["tuck"] + over
        changed = True
    for side, more in body.arms_inside(solved) if arms else ():
        angles[f"{side}_out"] = angles[f"{side}_out"] + more
        changed = True
    return changed


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
