"""Actions: feet that stand and swing, a body that is balanced or flies, postures at key times.

An action is where its feet stand (`PlannedStance`), how its angles go (`PostureKeys`), and how its
weight goes: over the feet as an inverted pendulum has it, or on a given path with free flight.
Everything else follows: hips from the centre of mass, legs and arms by inverse kinematics.

The centre of mass follows from the point that the feet press on by x - (h/g) x'' = p (Kajita et
al. 2003, the linear inverted pendulum), solved forwards and backwards in time at once, so the
weight shifts before a foot lifts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from footfall.body.clip import TOUCH_PARTS, Clip, Source
from footfall.body.feet import Foot
from footfall.body.kinematics import forward_kinematics
from footfall.body.mass import mass_centres, segments
from footfall.errors import InputError
from footfall.generate.actions.acting import act
from footfall.generate.actions.postures import STANDING, PostureKeys, body_rotations, ease_keys
from footfall.generate.actions.styling import style_angles
from footfall.generate.bodies.balancing import ActionBody, Hand, Pin
from footfall.generate.bodies.limbs import Solved, feet_of, skeleton_of
from footfall.generate.feet.steps import Carried, PlannedStance, follow_steps
from footfall.generate.feet.uneven import CARRIES, stand_unevenly
from footfall.generate.gait.gait_model import meta
from footfall.generate.performer import Performer
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.easing import Keys, quintic_through, tridiagonal

FPS = 60.0
STAND_DROP_M = 0.0085
"""How much lower than on straight legs the hips are in quiet stance, of a leg of 0.824 m."""
_ROUNDS, _HEEL_ROUNDS = 10, 4
_NEAR_RAD = float(np.radians(0.3))
_FITS, _LOWER = 14, 1.12
"""How often a body is lowered until its legs reach, and by how much of what they miss: no more than
it takes, or legs would never stretch."""
_EAGER = 1.4
"""How much further arms that stay in the body are put aside in each try than in the last."""
_SETTLE_S, _SHIFT_S = 0.42, 0.5
"""How long the weight takes to come to rest between the feet, and to go over to one of them."""


@dataclass(frozen=True, eq=False)
class Action:
    """What is needed to make a clip.

    height    (seconds, metres) of the hips against quiet stance, if no `centre` is given
    centre    knots of the centre of mass: seconds, place (3,), speed (3,), acceleration (3,);
              the place is against the ground under the start, height against quiet stance
    touches   what else than feet touches (TOUCH_PARTS), from and until when, seconds
    ahead     how much of the weight is over the foot that leaves next while both stand long
    parts     seconds that part the times which `lower_to_reach` lowers on their own
    sways     how far the trunk bends over the foot that carries, against what is usual
    heels     (seconds, degrees) that the left and the right heel are up besides, on their balls
    facing    (seconds, degrees to the left) where the body faces: the yaw of the pelvis is against
              that
    """

    name: str
    tags: tuple[str, ...]
    seconds: float
    stances: tuple[PlannedStance, ...]
    posture: PostureKeys
    height: Keys = ((0.0, 0.0),)
    centre: tuple[tuple[float, Floats, Floats, Floats], ...] = ()
    hands: tuple[Hand, ...] = ()
    pin: Pin | None = None
    ahead: float = 0.5
    parts: tuple[float, ...] = ()
    touches: tuple[tuple[str, float, float], ...] = ()
    facing: Keys = ((0.0, 0.0),)
    sways: float = 1.0
    heels: tuple[Keys, Keys] = (((0.0, 0.0),), ((0.0, 0.0),))


@dataclass(frozen=True, eq=False)
class Quiet:
    """Quiet stance: heights of hips and centre of mass, and how far the latter is ahead."""

    hips_m: float
    centre_m: float
    ahead_m: float


@lru_cache(maxsize=256)
def quiet_stance(who: Performer) -> Quiet:
    """How high hips and centre of mass of a performer are when standing."""
    character = skeleton_of(who)
    times = np.linspace(0.0, 1.0, 61)
    angles = PostureKeys().angles(times)
    style_angles(angles, who.style, (), times)
    rotations = body_rotations(character, angles)
    leg = -float(character.offsets[character.role("left_knee")][1])
    drop = STAND_DROP_M * leg / 0.395
    hips = float(character.offsets[0, 1]) - drop
    root = np.tile([0.0, hips, 0.0], (len(rotations), 1))
    centre = mass_centres(forward_kinematics(character, root, rotations), segments(character))[0]
    return Quiet(hips, float(centre[1]), float(centre[2]))


def perform(action: Action, who: Performer, fps: float = FPS) -> Clip:
    """The clip of an action by a performer."""
    clip, _, short = attempt(action, who, fps, finish=True)
    if short > 2e-5:
        raise InputError(
            f"the legs of {action.name!r} stay {1000.0 * short:.1f} mm short of where they stand",
            remedy="a shorter or lower action, or longer legs",
        )
    return clip


def lower_to_reach(make: Callable[[Floats], Action], who: Performer, parts: int) -> Action:
    """The action that `make` gives for the least lowering (parts,), metres, of the body in each
    of its parts with which all legs reach."""
    low = np.zeros(parts)
    for _ in range(_FITS):
        action = make(low)
        clip, missed, _ = attempt(action, who)
        owner = np.searchsorted(np.array(action.parts), clip.times)
        short = np.array([missed[owner == k].max(initial=0.0) for k in range(parts)])
        if short.max() < 1e-5:
            break
        low = low + np.where(short > 1e-5, _LOWER * short + 3e-4, 0.0)
    return action


def postures(
    who: Performer,
    angles: Mapping[str, Floats],
    drops_m: Floats,
    stances: tuple[PlannedStance, PlannedStance],
    left: float = 0.5,
) -> Clip:
    """A clip whose frames are postures by themselves, balanced over two standing feet.

    angles  degrees (T,) by name, others as in quiet stance;  drops_m (T,) of the hips
    left    how much of the weight is over the left foot
    """
    character, quiet = skeleton_of(who), quiet_stance(who)
    count = len(drops_m)
    times = np.arange(count) / FPS
    turns = {n: np.radians(np.broadcast_to(angles.get(n, v), count)) for n, v in STANDING.items()}
    body = ActionBody(who, times, body_rotations(character, turns), turns, moves=False)
    level = left * _middle(stances[0], 0.5) + (1.0 - left) * _middle(stances[1], 0.5)
    centre = np.tile([level[0], quiet.centre_m, level[1]], (count, 1))
    root = centre - [0.0, 0.0, quiet.ahead_m]
    root[:, 1] = quiet.hips_m - drops_m
    by = Carried(times, centre, np.zeros(3), np.zeros(count))
    paths = [follow_steps(f, [s], by) for f, s in zip(body.feet, stances, strict=True)]
    solved = body.settle(centre, root, paths)
    return Clip(skeleton=character, fps=FPS, root=solved.root, rotations=solved.rotations)


def attempt(
    action: Action, who: Performer, fps: float = FPS, *, finish: bool = False
) -> tuple[Clip, Floats, float]:
    """The clip, by how much (T,), metres, legs would have to stretch more than they like to, and
    by how much a standing foot is out of reach at most.

    finish  whether arms are kept clear of the body, too
    """
    character, quiet = skeleton_of(who), quiet_stance(who)
    flies, ahead = bool(action.centre), who.style.ahead
    if not flies:  # feet that leap and land together are uneven in their own way
        action = replace(action, stances=stand_unevenly(action.stances, who.leg_m, ahead))
    # Seconds of an action pass at the performer's tempo; what flies falls as everything does.
    tempo = 1.0 if flies else who.tempo
    times = np.arange(round(action.seconds * (fps / tempo)) + 1) / (fps / tempo)
    angles = action.posture.angles(times)
    centre = _centre(action, times, quiet, tempo, CARRIES if ahead > 0.0 else 1.0 - CARRIES)
    act(
        angles, action.stances, action.hands, times, centre, who.leg_m, action.posture.seed,
        action.pin is not None, action.sways,
    )  # fmt: skip
    style_angles(angles, who.style, action.hands, times)
    facing = np.radians(ease_keys(action.facing, times, action.posture.softness_s))
    angles["yaw"] = angles["yaw"] + facing
    to_hips = np.array([0.0, quiet.hips_m - quiet.centre_m, -quiet.ahead_m])
    root = centre + to_hips
    if not flies:
        root[:, 1] = quiet.hips_m + ease_keys(action.height, times, 0.06)
    feet = [
        _ActionFoot(
            foot, [s for s in action.stances if s.side == n],
            Carried(times, centre, character.offsets[foot.hip] + to_hips,
                    np.radians(ease_keys(action.heels[n], times))),
        )
        for n, foot in enumerate(feet_of(who))
    ]  # fmt: skip
    eased, tries = True, 0
    for n in range(_ROUNDS):
        if eased:
            turns = body_rotations(character, angles)
            body = ActionBody(who, times, turns, angles, action.hands, flies, facing=facing)
        paths = [foot.path for foot in feet]
        solved = body.settle(centre, root, paths, action.pin)
        more = [body.heel_rise(solved, side, path) for side, path in enumerate(paths)]
        rises = n < _HEEL_ROUNDS and max(m.max() for m in more) >= _NEAR_RAD
        if n == _ROUNDS - 1:
            break
        tries += finish and not rises
        eased = _ease_off(body, solved, angles, tries)
        raised = [rises and foot.raise_heel(m) for foot, m in zip(feet, more, strict=True)]
        if not (eased or any(raised)):
            break
    missed, short = body.strain(solved, paths)
    solved = body.point_hands(solved)
    columns = [on for path in paths for on in (path.heel_on, path.toe_on)]
    clip = Clip(
        skeleton=character, fps=fps, root=solved.root,
        rotations=quat.continuous(quat.normalise(solved.rotations)), name=action.name,
        contacts=np.stack(columns, axis=1), touches=_touches(action, times), tags=action.tags,
        source=Source(format="generated", licence=meta()["source"]),
    )  # fmt: skip
    return clip, missed, short


def _touches(action: Action, times: Floats) -> Bools:
    """(T, 3) when hands and seat touch."""
    found = np.zeros((len(times), len(TOUCH_PARTS)), np.bool_)
    for part, begin_s, end_s in action.touches:
        inside = (times >= begin_s - 1e-9) & (times <= end_s + 1e-9)
        found[:, TOUCH_PARTS.index(part)] |= inside
    return found


class _ActionFoot:
    """One foot of an action, whose heel may be raised further and further."""

    def __init__(self, foot: Foot, stances: list[PlannedStance], by: Carried) -> None:
        self._foot, self._stances, self._by = foot, stances, by
        self.path = follow_steps(foot, stances, by)

    def raise_heel(self, more: Floats) -> bool:
        """Raise the heel by `more` (T,), radians; whether that is worth it."""
        if more.max() < _NEAR_RAD:
            return False
        self._by = replace(self._by, raised=self._by.raised + more)
        self.path = follow_steps(self._foot, self._stances, self._by)
        return True


def _ease_off(body: ActionBody, solved: Solved, angles: dict[str, Floats], tries: int) -> bool:
    """Change the angles so that hips bend no further than they do and, from the first of its
    tries on, arms keep clear of the body; whether anything was changed.

    Arms that were not helped by being put aside go further with every try.
    """
    changed = False
    over = body.hip_excess(solved)
    if over.max() > _NEAR_RAD:
        angles["tuck"] = angles["tuck"] + over
        changed = True
    for side, more in body.arms_inside(solved) if tries else ():
        angles[f"{side}_out"] = angles[f"{side}_out"] + _EAGER ** (tries - 1) * more
        changed = True
    return changed


def _centre(action: Action, times: Floats, quiet: Quiet, tempo: float, left: float) -> Floats:
    """(T, 3) the centre of mass; its height is only meant where the action gives its path.

    left  how much of the weight of who stands is over the left foot
    """
    if action.centre:
        at, places, speeds, pushes = map(np.array, zip(*action.centre, strict=True))
        places[:, 1] += quiet.centre_m
        return quintic_through(at, places, speeds, pushes, times)
    pressed = _pressure(action, times, left)
    level = pendulum(pressed, times / tempo, quiet.centre_m)
    height = quiet.centre_m + ease_keys(action.height, times, 0.06)
    return np.stack([level[:, 0], height, level[:, 1]], axis=1)


def pendulum(pressed: Floats, times: Floats, height_m: float) -> Floats:
    """(T, 2) the centre of mass over the point (T, 2) that carries it, at rest at both ends."""
    step = times[1] - times[0]
    k = height_m / (GRAVITY * step * step)
    beside, level = np.full(len(times) - 1, -k), np.full(len(times), 1.0 + 2.0 * k)
    below, above = beside.copy(), beside.copy()
    level[[0, -1]], below[-1], above[0] = 1.0, 0.0, 0.0
    return tridiagonal(below, level, above, pressed)


def _pressure(action: Action, times: Floats, left: float) -> Floats:
    """(T, 2) the point (x, z) that carries: the standing foot, between feet on its way."""
    keys: list[tuple[float, Floats]] = []
    stances = sorted(action.stances, key=lambda s: s.begin_s)
    last = float(times[-1])
    lifts = sorted((s.end_s, s) for s in stances if s.end_s < last)
    first = [next(s for s in stances if s.side == side) for side in (0, 1)]
    rest = left * _middle(first[0], 0.5) + (1.0 - left) * _middle(first[1], 0.5)
    keys.append((0.0, rest))
    for lift_s, leaving in lifts:
        other = [s for s in stances if s.side != leaving.side and s.begin_s <= lift_s]
        carrier = max(other, key=lambda s: s.begin_s)
        landing = min((s.begin_s for s in stances
                       if s.side == leaving.side and s.begin_s > lift_s), default=last)  # fmt: skip
        if len(keys) == 1 and lift_s > _SHIFT_S:
            keys.append((lift_s - _SHIFT_S, rest))
        elif lift_s > keys[-1][0] + 2.0 * _SHIFT_S:  # both stand long: the weight rests between
            share = action.ahead
            between = share * _middle(leaving, 0.5) + (1.0 - share) * _middle(carrier, 0.5)
            keys += [(keys[-1][0] + _SETTLE_S, between), (lift_s - _SHIFT_S, between)]
        keys.append((max(lift_s, keys[-1][0] + 0.05), _middle(carrier, 0.35)))
        keys.append((landing, _middle(carrier, 0.75)))
    final = [[s for s in stances if s.side == side][-1] for side in (0, 1)]
    still = left * _middle(final[0], 0.5) + (1.0 - left) * _middle(final[1], 0.5)
    keys.append((keys[-1][0] + _SETTLE_S, still))
    at = np.array([k[0] for k in keys])
    return np.stack(
        [np.interp(times, at, np.array([k[1][axis] for k in keys])) for axis in (0, 1)], axis=1
    )


def _middle(stance: PlannedStance, along: float) -> Floats:
    """(2,) a point of a sole, 0 at the heel and 1 at the ball, a little to the inside."""
    yaw = np.radians(stance.yaw_deg)
    ahead = -0.05 + 0.17 * along
    inside = -0.012 if stance.side == 0 else 0.012
    return np.array([stance.x + inside + ahead * np.sin(yaw), stance.z + ahead * np.cos(yaw)])
