"""Stepping about from standing: sidesteps, turns in place, single steps, foot by foot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from footfall.adapt.holds import Foot, foot_of
from footfall.body.clip import Clip
from footfall.errors import InputError, choices
from footfall.library.generate.actions.planted import Wish, plant
from footfall.library.generate.actions.standing import stand_curves
from footfall.library.generate.foot_tracks import FootTrack
from footfall.library.generate.gait.gait_model import JOINTS
from footfall.library.generate.gait.paced import cropped, ease, working_rate
from footfall.library.generate.gait.rolling import pitched
from footfall.library.generate.gait.variation import MEAN_PERFORMER, Performer
from footfall.library.generate.skeleton import default_skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats

_SIDES = ("left", "right")
_SPREAD = 0.105
"""Half the distance between standing feet, leg lengths."""
_TOE_OUT = math.radians(7.0)
_ROLL_S = 0.16
"""How long before it leaves a foot rolls up on its ball."""
_SHIFT = 0.42
"""How far towards the standing foot the body goes over it, of the way from the middle."""
_BEND = 0.013
"""How much lower the body goes while it steps, leg lengths."""
_DRIFT = 0.16
"""How far people end up from where they began to turn on the spot, leg lengths."""
_LEAST_BEND = math.radians(8.0)
_WIDER = 0.55
"""How much further apart feet stand, as a share, per radian that they point apart."""
_LANDS = 0.5
"""The speed of a foot as it comes down, as a share of its mean speed in the step."""
_AT = {joint: n for n, joint in enumerate(JOINTS)}


@dataclass(frozen=True)
class Placing:
    """One step: a foot (0 left, 1 right) lifts at `begin_s` and stands at `end_s` at (x, z).

    yaw     where the foot points, radians, its own outward turn not counted
    lift_m  how high it is carried
    """

    foot: int
    begin_s: float
    end_s: float
    x: float
    z: float
    yaw: float
    lift_m: float


@dataclass(frozen=True, eq=False)
class _Walked:
    """A foot's way: x, z of the flat ankle (T, 2); height, yaw, pitch, in the air or not (T,)."""

    place: Floats
    height: Floats
    yaw: Floats
    pitch: Floats
    air: Bools


def step_about(
    placings: list[Placing],
    *,
    seconds: float,
    name: str,
    tags: tuple[str, ...] = (),
    fps: float = 60.0,
    who: Performer = MEAN_PERFORMER,
    lean: float = 0.0,
    seed: int = 0,
) -> Clip:
    """Stand at the origin facing +Z, make these steps, and stand.

    lean  radians to the right while the first foot of each pair of steps is in the air
    """
    rate, every = working_rate(fps)
    pad = round(0.8 * rate)
    times = (np.arange(round(seconds * rate) + 1 + 2 * pad) - pad) / rate
    character = default_skeleton(who.leg_m)
    feet = [foot_of(character, side) for side in _SIDES]
    ways = [_way(placings, n, times, who.leg_m) for n in range(2)]
    root, facing = _body(ways, rate)
    pose = stand_curves(times, seed)
    busy = _busy(placings, times)
    root += who.leg_m * pose.root[:, [0, 2]] * (1.0 - busy)[:, None]
    _posture(pose.vectors, facing, busy, ways, lean, rate)
    rotations = quat.from_rotation_vector(pose.vectors)
    rotations[:, 0] = quat.multiply(quat.from_yaw(facing), rotations[:, 0])
    height = who.leg_m * (pose.root[:, 1] - _BEND * busy)
    wish = Wish(
        character=character,
        rate=rate,
        root=np.stack([root[:, 0], height, root[:, 1]], axis=1),
        rotations=rotations,
        held=np.stack([~way.air for way in ways], axis=1),
        weight=np.ones(len(times)),
        clearance_m=np.zeros(len(times)),
        bend_rad=_LEAST_BEND,
        tracks=(_track(feet[0], ways[0]), _track(feet[1], ways[1])),
    )
    return cropped(plant(wish), wish, pad, seconds, every, name, tags)


def sidestep(
    side: str = "left",
    steps: int = 3,
    length_m: float = 0.45,
    *,
    fps: float = 60.0,
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
) -> Clip:
    """Step aside: the foot on that side opens, the other closes, `steps` times."""
    sign = _sign(side)
    if not 1 <= steps <= 50:
        raise InputError(f"there are {steps} steps", remedy="1 to 50")
    if not 0.1 <= length_m <= 0.9 * who.leg_m:
        most = 0.9 * who.leg_m
        raise InputError(f"a step is {length_m:g} m long", remedy=f"0.1 to {most:.2f}")
    lead, relative = (0 if sign > 0.0 else 1), length_m / who.leg_m
    swings = (0.232 + 0.352 * relative, 0.216 + 0.251 * relative)
    lift = (0.02 + 0.06 * relative) * who.leg_m
    spread = _SPREAD * who.leg_m
    placings, t = [], 0.7
    for k in range(1, steps + 1):
        for foot, swing in ((lead, swings[0]), (1 - lead, swings[1])):
            x = sign * k * length_m + (spread if foot == 0 else -spread)
            placings.append(Placing(foot, t, t + swing, x, 0.0, 0.0, lift))
            t += swing + 0.13
    return step_about(placings, seconds=t + 0.7, name=f"sidestep_{side}",
                      tags=("stand", f"sidestep_{side}"), fps=fps, who=who,
                      lean=sign * math.radians(4.0), seed=seed)  # fmt: skip


def turn_in_place(
    angle_deg: float = 90.0,
    *,
    first: str = "",
    fps: float = 60.0,
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
) -> Clip:
    """Turn on the spot (positive to the left), step by step.

    first  the foot that steps first; unless said the outer one, as most people do; to turn by
           about 90° in two steps the inner one opens and the other closes
    """
    size = abs(angle_deg)
    if not 20.0 <= size <= 360.0:
        raise InputError(f"the turn is {angle_deg:g}°", remedy="20 to 360 either way")
    side = "left" if angle_deg > 0.0 else "right"
    outer = "right" if side == "left" else "left"
    count = max(2, round(1.2 + 0.0132 * size))
    foot = _SIDES.index(_side(first or (side if count == 2 and size > 60.0 else outer)))
    lift, swing = 0.05 * who.leg_m, 0.27 if size < 60.0 else 0.34
    placings, t, yaws = [], 0.7, [0.0, 0.0]
    for k in range(count):
        share = min(1.0, (k + 1.0) / (count - 1.0))
        yaw = math.radians(angle_deg) * share
        yaws[foot] = yaw
        # Feet that point apart stand further apart, too.
        wide = 1.0 + _WIDER * abs(yaws[0] - yaws[1])
        out = (1.0 if foot == 0 else -1.0) * wide * _SPREAD * who.leg_m
        drift, ahead = share * _DRIFT * who.leg_m, 0.5 * math.radians(angle_deg)
        x = out * math.cos(yaw) + drift * math.sin(ahead)
        z = -out * math.sin(yaw) + drift * math.cos(ahead)
        placings.append(Placing(foot, t, t + swing, x, z, yaw, lift))
        t += swing + 0.17
        foot = 1 - foot
    return step_about(placings, seconds=t + 0.7, name=f"turn_in_place_{side}_{size:g}",
                      tags=("stand", f"turn_in_place_{side}"), fps=fps, who=who,
                      seed=seed)  # fmt: skip


def _way(placings: list[Placing], foot: int, times: Floats, leg_m: float) -> _Walked:
    """Where a foot is: standing, rolling up, carried over, set down."""
    sign = 1.0 if foot == 0 else -1.0
    place = np.tile([sign * _SPREAD * leg_m, 0.0], (len(times), 1))
    height, yaw, pitch = (np.zeros(len(times)) for _ in range(3))
    air = np.zeros(len(times), np.bool_)
    at, turned = place[0].copy(), 0.0
    for step in (s for s in placings if s.foot == foot):
        swing = step.end_s - step.begin_s
        u = np.clip((times - step.begin_s) / swing, 0.0, 1.0)
        # Feet in steps are brisker than least jerk, and the ground stops them.
        share = u * u * ((3.0 - _LANDS) + (_LANDS - 2.0) * u)
        to = np.array([step.x, step.z])
        place += share[:, None] * (to - at)
        yaw += share * (step.yaw - turned)
        height += step.lift_m * (4.0 * u * (1.0 - u)) ** 1.5
        up = ease(times, step.begin_s - _ROLL_S, step.begin_s + 0.25 * swing)
        down = ease(times, step.begin_s + 0.25 * swing, step.end_s)
        pitch -= math.radians(20.0) * (up - down)
        air |= (times > step.begin_s) & (times < step.end_s)
        at, turned = to, step.yaw
    return _Walked(place, height, yaw + sign * _TOE_OUT, pitch, air)


def _body(ways: list[_Walked], rate: float) -> tuple[Floats, Floats]:
    """The body over its feet: x, z (T, 2) and where it faces (T,)."""
    middle = 0.5 * (ways[0].place + ways[1].place)
    shift = np.zeros_like(middle)
    for way, other in ((ways[0], ways[1]), (ways[1], ways[0])):
        shift += _SHIFT * way.air[:, None] * (other.place - middle)
    facing = 0.5 * (ways[0].yaw + ways[1].yaw)
    root = gaussian_filter1d(middle, 0.1 * rate, axis=0, mode="nearest")
    root += gaussian_filter1d(shift, 0.13 * rate, axis=0, mode="nearest")
    return root, np.asarray(gaussian_filter1d(facing, 0.14 * rate, mode="nearest"))


def _busy(placings: list[Placing], times: Floats) -> Floats:
    """(T,) 0 standing, 1 stepping."""
    begin, end = placings[0].begin_s, placings[-1].end_s
    return np.asarray(ease(times, begin - 0.45, begin) - ease(times, end - 0.1, end + 0.4))


def _posture(
    vectors: Floats, facing: Floats, busy: Floats, ways: list[_Walked], lean: float, rate: float
) -> None:
    """The head goes first, the trunk leans a little, arms follow loosely."""
    ahead, behind = round(0.22 * rate), round(0.18 * rate)
    look = np.concatenate([facing[ahead:], np.repeat(facing[-1:], ahead)]) - facing
    late = facing - np.concatenate([np.repeat(facing[:1], behind), facing[:-behind]])
    for joint, share in (("chest", 0.12), ("neck", 0.35), ("head", 0.45)):
        vectors[:, _AT[joint], 1] += share * look
    for side in "LR":
        vectors[:, _AT[f"shoulder{side}"], 1] -= 0.25 * late
    first = ways[0].air if lean > 0.0 else ways[1].air
    roll = gaussian_filter1d(lean * first, 0.12 * rate, mode="nearest")
    vectors[:, _AT["spine1"], 2] += roll
    vectors[:, _AT["neck"], 2] -= 0.7 * roll
    vectors[:, _AT["spine1"], 0] += math.radians(3.0) * busy
    vectors[:, _AT["neck"], 0] -= math.radians(2.0) * busy
    for side, sign in (("L", 1.0), ("R", -1.0)):
        vectors[:, _AT[f"shoulder{side}"], 2] += sign * math.radians(3.0) * busy
        vectors[:, _AT[f"elbow{side}"], 1] -= sign * math.radians(9.0) * busy


def _track(foot: Foot, way: _Walked) -> FootTrack:
    """The foot's track from its way over the ground."""
    origin = np.stack([way.place[:, 0], way.height - foot.heel[1], way.place[:, 1]], axis=1)
    ankle, turned, toes = pitched(foot, origin, way.yaw, way.pitch)
    stands = ~way.air
    flat = way.pitch > -1e-9
    return FootTrack(ankle, turned, toes, stands & flat, stands)


def _sign(side: str) -> float:
    return 1.0 if _side(side) == "left" else -1.0


def _side(name: str) -> str:
    if name not in _SIDES:
        raise InputError(f"there is no side {name!r}", remedy=choices(_SIDES, name))
    return name
