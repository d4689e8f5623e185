"""From wished joint curves to a body on its feet: planted soles, legs that reach, free flight."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from footfall.adapt.holds import Foot, foot_of
from footfall.body.feet import mean_leg
from footfall.body.ik import soft_reach
from footfall.body.kinematics import WorldPoses, forward_kinematics
from footfall.body.mass import mass_centres, segments
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.gait.runs import runs
from footfall.library.generate.actions.passing import arms_off, passing
from footfall.library.generate.foot_tracks import FootTrack, standing_track, with_swings
from footfall.library.generate.gait.gait_model import GRAVITY
from footfall.library.generate.gait.rolling import Leg
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints

_KNEE_LEAST_RAD = np.radians(3.5)
"""Legs are never stretched further than this bend of the knee."""
_KNEE_RUNNING_RAD = np.radians(13.0)
_SOFT = 0.016
"""The last share of a swinging leg's reach, in which it stretches softly."""
_SOFT_EASE_S = 0.1
_SMOOTH_S, _QUICK_SHARE = (0.06, 0.4), 0.25
"""The body follows its legs' wishes slowly in full, and from step to step in part: the pelvis
rises and falls as the curves have it, and knees make up for the rest."""
_ANKLE_TURNS_RAD = np.radians(13.0)
"""What a foot is turned by against its knee beyond about this the hip turns for it."""
_ROLL_ROUNDS, _FLIGHT_ROUNDS, _PASSING_ROUNDS = 4, 5, 2
_FLIGHT_EXACT_M = 2e-6
_LONGEST_PUSH_S = 0.42
"""A time on the ground between two flights that is longer is more than one step of running."""


@dataclass(frozen=True, eq=False)
class Wish:
    """A motion as it is wished, T frames, before its feet are planted.

    rate         frames per second
    root         (T, 3) and rotations (T, J, 4) of the character
    held         (T, 2) whether the left and the right foot stand
    weight       (T,) how much each frame has to say in where a foot stands
    clearance_m  (T,) height of the sole over the ground in mid-swing
    apart_m      (T,) how far each foot is put to its own side of where the curves have it
    bend_rad     the body stays low enough for knees to be bent by this
    shake_m      (T, 3) what strikes of the feet do to the body
    tracks       feet that are given already, or none: they follow from the rest
    """

    character: Skeleton
    rate: float
    root: Floats
    rotations: Floats
    held: Bools
    weight: Floats
    clearance_m: Floats
    apart_m: Floats | float = 0.0
    bend_rad: float = _KNEE_LEAST_RAD
    shake_m: Floats | float = 0.0
    tracks: tuple[FootTrack, FootTrack] | None = None


@dataclass(frozen=True, eq=False)
class Planted:
    """The motion that came of a wish: root (T, 3), rotations (T, J, 4), contacts (T, 4)."""

    root: Floats
    rotations: Floats
    contacts: Bools


def plant(wish: Wish) -> Planted:
    """Plant the feet, lift or lower the body to suit its legs, let it fly where nothing carries."""
    feet = [foot_of(wish.character, side) for side in SIDES]
    poses = forward_kinematics(wish.character, wish.root, wish.rotations)
    root = wish.root.copy()
    if wish.tracks is None:
        wish, tracks, root[:, 1] = _rolled_off(wish, poses, feet)
    else:
        tracks = list(wish.tracks)
    root = root + wish.shake_m
    root[:, 1] -= _sinking(wish, poses, feet, tracks, root)
    rotations = _legs(wish, poses, root, feet, tracks)
    flights = _flights(wish.held)
    for _ in range(_PASSING_ROUNDS):
        if len(flights):
            root, rotations = _fly(wish, poses, root, rotations, feet, tracks, flights)
        wish, tracks = _clear_of_each_other(wish, root, rotations, feet, tracks)
        rotations = _legs(wish, poses, root, feet, tracks)
    if len(flights):
        root, rotations = _fly(wish, poses, root, rotations, feet, tracks, flights)
    columns = [part for track in tracks for part in (track.heel_on, track.toe_on)]
    return Planted(root, quat.continuous(rotations), np.stack(columns, axis=1))


def _clear_of_each_other(
    wish: Wish, root: Floats, rotations: Floats, feet: list[Foot], tracks: list[FootTrack]
) -> tuple[Wish, list[FootTrack]]:
    """The wish with arms that keep off the body, and tracks of legs that pass each other."""
    leg_m = mean_leg(wish.character)
    made = forward_kinematics(wish.character, root, rotations)
    arms = arms_off(wish.character, made, wish.rotations, wish.rate, leg_m)
    wish = wish if arms is wish.rotations else replace(wish, rotations=arms)
    if wish.tracks is not None:
        return wish, tracks
    return wish, passing(made, feet, tracks, wish.held, wish.rate, leg_m)


def _rolled_off(
    wish: Wish, poses: WorldPoses, feet: list[Foot]
) -> tuple[Wish, list[FootTrack], Floats]:
    """The wish, tracks and body's height with stances that end when the ball of the foot leaves.

    What comes after, the roll over the tip of the toes, is swing: no point stays put in it.
    """
    wished = [wished_track(wish, poses, foot) for foot in feet]
    legs, height = _settled(wish, poses, feet, wished)
    for _ in range(_ROLL_ROUNDS):
        tracks = _tracks(wish, feet, wished, legs)
        carried = np.stack([track.heel_on | track.toe_on for track in tracks], axis=1)
        if not (wish.held & ~carried).any():
            break
        wish = replace(wish, held=wish.held & carried)
    swung = [
        with_swings(foot, track, wished[n], wish.held[:, n], wish.clearance_m, wish.rate)
        for n, (foot, track) in enumerate(zip(feet, tracks, strict=True))
    ]
    return wish, swung, height


def _tracks(
    wish: Wish, feet: list[Foot], wished: list[FootTrack], legs: list[Leg] | None = None
) -> list[FootTrack]:
    return [
        standing_track(foot, wished[n], wish.held[:, n], wish.weight, legs[n] if legs else None)
        for n, foot in enumerate(feet)
    ]


def _settled(
    wish: Wish, poses: WorldPoses, feet: list[Foot], wished: list[FootTrack]
) -> tuple[list[Leg], Floats]:
    """The legs over both feet and the body's height (T,)."""
    lift = _lift(wish, poses, feet, _tracks(wish, feet, wished))
    legs = []
    for foot in feet:
        hip = poses.positions[:, foot.hip]
        length = np.linalg.norm(poses.positions[:, foot.ankle] - hip, axis=1)
        longest = _longest(wish.character, foot)
        raised = hip + lift[:, None] * [0.0, 1.0, 0.0]
        legs.append(Leg(raised, np.minimum(length, longest), wish.rate))
    return legs, wish.root[:, 1] + lift


def wished_track(wish: Wish, poses: WorldPoses, foot: Foot) -> FootTrack:
    """The foot's track as the joint curves have it."""
    nothing = np.zeros(len(wish.root), np.bool_)
    toes = np.zeros(len(wish.root))
    if foot.toe is not None:
        toes = -quat.to_rotation_vector(wish.rotations[:, foot.toe])[:, 0]
    yaw = quat.yaw_of(poses.rotations[:, 0])
    out = wish.apart_m * (1.0 if foot.side == SIDES[0] else -1.0)
    aside = np.stack([out * np.cos(yaw), 0.0 * yaw, -out * np.sin(yaw)], axis=1)
    ankle = poses.positions[:, foot.ankle] + aside
    return FootTrack(ankle, poses.rotations[:, foot.ankle], toes, nothing, nothing)


def _lift(wish: Wish, poses: WorldPoses, feet: list[Foot], tracks: list[FootTrack]) -> Floats:
    """(T,) how much higher the body is to be so that standing legs bend as wished."""
    total, weights = np.zeros(len(wish.root)), np.full(len(wish.root), 1e-6)
    for n, (foot, track) in enumerate(zip(feet, tracks, strict=True)):
        hip, ankle = poses.positions[:, foot.hip], poses.positions[:, foot.ankle]
        length = np.linalg.norm(ankle - hip, axis=1)
        level = np.linalg.norm((track.ankle - hip)[:, [0, 2]], axis=1)
        height = np.sqrt(np.maximum(length**2 - level**2, (0.5 * length) ** 2))
        need = track.ankle[:, 1] + height - hip[:, 1]
        window = _window(wish.held[:, n] & track.heel_on, 0.06 * wish.rate)
        total += window * need
        weights += window
    found = _bridged(total / weights, weights > 1e-3)
    quick, slow = (gaussian_filter1d(found, s * wish.rate, mode="nearest") for s in _SMOOTH_S)
    return np.asarray(slow + _QUICK_SHARE * (quick - slow))


def _window(held: Bools, ease: float) -> Floats:
    """(T,) 0 in the air, rising to 1 within `ease` frames of standing."""
    out = np.zeros(len(held))
    for first, stop in runs(held):
        k = np.arange(stop - first) + 0.5
        left = np.full(len(k), np.inf) if first == 0 else k
        right = np.full(len(k), np.inf) if stop == len(held) else k[::-1]
        u = np.clip(np.minimum(left, right) / ease, 0.0, 1.0)
        out[first:stop] = u * u * (3.0 - 2.0 * u)
    return out


def _bridged(values: Floats, known: Bools) -> Floats:
    frames = np.arange(len(values))
    return np.interp(frames, frames[known], values[known]) if known.any() else 0.0 * values


def _sinking(
    wish: Wish, poses: WorldPoses, feet: list[Foot], tracks: list[FootTrack], root: Floats
) -> Floats:
    """(T,) how far the body must sink so that both legs reach, smooth and never too little."""
    need = np.zeros(len(root))
    for foot, track in zip(feet, tracks, strict=True):
        hip = poses.positions[:, foot.hip] + (root - wish.root)
        line = track.ankle - hip
        longest = _longest(wish.character, foot, wish.bend_rad)
        level = np.hypot(line[:, 0], line[:, 2])
        need = np.maximum(need, -line[:, 1] - np.sqrt(np.maximum(longest**2 - level**2, 0.0)))
    width = max(1, round(0.08 * wish.rate))
    return np.asarray(gaussian_filter1d(maximum_filter1d(need, 2 * width + 1), width / 2.0))


def _longest(character: Skeleton, foot: Foot, bend: float = _KNEE_LEAST_RAD) -> float:
    thigh = float(np.linalg.norm(character.offsets[foot.knee]))
    shank = float(np.linalg.norm(character.offsets[foot.ankle]))
    square = thigh**2 + shank**2 + 2.0 * thigh * shank * np.cos(bend)
    return float(np.sqrt(square))


def _legs(
    wish: Wish, poses: WorldPoses, root: Floats, feet: list[Foot], tracks: list[FootTrack]
) -> Floats:
    """(T, J, 4) local rotations with both legs reaching for their feet; `poses` of the wish."""
    from footfall.adapt.leg_kernels import legs_to_feet

    shift = root - wish.root
    ankles = [
        _within(wish, poses.positions[:, foot.hip] + shift, foot, track, n)
        for n, (foot, track) in enumerate(zip(feet, tracks, strict=True))
    ]
    joints = [(f.hip, f.knee, f.ankle, -1 if f.toe is None else f.toe) for f in feet]
    rotations = wish.rotations.copy()
    legs_to_feet(
        np.array(joints, np.int32), wish.character.parents, poses.positions, poses.rotations, shift,
        np.stack(ankles), np.stack([t.turned for t in tracks]),
        np.stack([t.toes_up for t in tracks]), _ANKLE_TURNS_RAD, rotations,
    )  # fmt: skip
    return rotations


def _within(wish: Wish, hip: Floats, foot: Foot, track: FootTrack, n: int) -> Floats:
    """(T, 3) places of the ankle, a swinging one drawn in where the leg is too short for it.

    Near a stance what it is drawn in by there is given back: the foot must not jump.
    """
    line = track.ankle - hip
    far = np.sqrt(np.einsum("ti,ti->t", line, line))
    longest = np.full(len(far), _longest(wish.character, foot))
    drawn, held = soft_reach(far, longest, _SOFT), wish.held[:, n]
    given = (np.minimum(far, longest) - drawn)[_nearest(held)]
    back = given * (1.0 - _window(~held, _SOFT_EASE_S * wish.rate))
    near = np.minimum(drawn + back, far)
    drawn_in = hip + line * (near / np.maximum(far, 1e-9))[:, None]
    return np.where(held[:, None], track.ankle, drawn_in)


def _nearest(held: Bools) -> Ints:
    """(T,) the nearest frame at which something is held; itself if nothing ever is."""
    frames = np.arange(len(held), dtype=np.int32)
    if not held.any():
        return frames
    before = np.maximum.accumulate(np.where(held, frames, -len(held)))
    after = np.minimum.accumulate(np.where(held, frames, 2 * len(held))[::-1])[::-1]
    nearest = np.where(frames - before <= after - frames, before, after)
    return np.asarray(nearest, dtype=np.int32)


def _flights(held: Bools) -> Floats:
    """(N, 2) last frame before each flight and first frame after it, within the motion."""
    spans = runs(np.asarray(~held.any(axis=1)))
    inside = (spans[:, 0] > 0) & (spans[:, 1] < len(held))
    return np.asarray(spans[inside] + [-1, 0])


def _fly(
    wish: Wish, wished: WorldPoses, root: Floats, rotations: Floats, feet: list[Foot],
    tracks: list[FootTrack], flights: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """The same motion with a centre of mass that falls freely in flight."""
    parts = segments(wish.character)
    poses = forward_kinematics(wish.character, root, rotations)
    centre = mass_centres(poses, parts)
    spans = flights.astype(int).tolist()
    lower = 0.0
    for _ in range(_FLIGHT_ROUNDS):
        target = _free(centre, spans, lower, wish.rate)
        for _ in range(3):
            poses = forward_kinematics(wish.character, root, rotations)
            off = target - mass_centres(poses, parts)
            if np.abs(off).max() < _FLIGHT_EXACT_M:
                break
            root = root + off / 0.85
            rotations = _legs(wish, wished, root, feet, tracks)
        short = _shortfall(wish, wished, root, feet, tracks)
        if short < 5e-4:
            break
        lower += 1.05 * short
    return root, rotations


def _shortfall(
    wish: Wish, poses: WorldPoses, root: Floats, feet: list[Foot], tracks: list[FootTrack]
) -> float:
    """How far the body must sink for all its standing feet to be in reach, metres."""
    shift = root - wish.root
    most = 0.0
    air = ~wish.held.any(axis=1)
    near = maximum_filter1d(air.astype(np.int8), 2 * round(0.12 * wish.rate) + 1) > 0
    for n, (foot, track) in enumerate(zip(feet, tracks, strict=True)):
        line = (track.ankle - poses.positions[:, foot.hip] - shift)[wish.held[:, n] & near]
        level = np.hypot(line[:, 0], line[:, 2])
        longest = _longest(wish.character, foot, _KNEE_RUNNING_RAD)
        drop = np.sqrt(np.maximum(longest**2 - level**2, 0.0))
        most = max(most, float(np.max(-line[:, 1] - drop, initial=0.0)))
    return most


def _free(centre: Floats, flights: list[list[int]], lower: float, rate: float) -> Floats:
    """(T, 3) the centre of mass on parabolas in flight, and pushed smoothly in between."""
    out = centre.copy()
    slopes: list[tuple[Floats, Floats]] = []
    for a, b in flights:
        seconds = (b - a) / rate
        t = (np.arange(a, b + 1) - a) / rate
        start, end = centre[a].copy(), centre[b].copy()
        start[1] = end[1] = 0.5 * (start[1] + end[1]) - lower
        leaving = (end - start) / seconds + [0.0, 0.5 * GRAVITY * seconds, 0.0]
        out[a : b + 1] = start + leaving * t[:, None]
        out[a : b + 1, 1] -= 0.5 * GRAVITY * t**2
        slopes.append((leaving, leaving - [0.0, GRAVITY * seconds, 0.0]))
    ends = [0, *(frame for flight in flights for frame in flight), len(out) - 1]
    for k in range(len(flights) + 1):
        first, last = ends[2 * k], ends[2 * k + 1]
        landing = slopes[k - 1][1] if k > 0 else None
        leaving = slopes[k][0] if k < len(flights) else None
        short = last - first < _LONGEST_PUSH_S * rate
        if landing is not None and leaving is not None and short:
            _push(out, first, last, landing, leaving, rate)
            continue
        if leaving is not None:
            _ease(out, centre, last, -1, leaving, last - first, rate)
        if landing is not None:
            _ease(out, centre, first, 1, landing, last - first, rate)
    return out


def _push(
    out: Floats, first: int, last: int, landing: Floats, leaving: Floats, rate: float
) -> None:
    """A stance between two flights: forces that rise from nothing and end in nothing.

    Accelerations are a = g + A sin(πs) + B sin(2πs), with the given speeds and places at both
    ends: what carries is a half wave, what brakes and drives a whole one.
    """
    count = last - first
    seconds = count / rate
    s = (np.arange(count + 1) / count)[:, None]
    pull = np.array([0.0, -GRAVITY, 0.0])
    begin = out[first].copy()
    big = (leaving - landing - pull * seconds) * np.pi / (2.0 * seconds)
    half = big * seconds**2 * (s / np.pi - np.sin(np.pi * s) / np.pi**2)
    free = landing * s * seconds + 0.5 * pull * (s * seconds) ** 2
    small = (out[last] - begin - free[-1] - half[-1]) / (seconds**2 / (2.0 * np.pi))
    whole = s / (2.0 * np.pi) - np.sin(2.0 * np.pi * s) / (4.0 * np.pi**2)
    out[first : last + 1] = begin + free + half + small * seconds**2 * whole


def _ease(
    out: Floats, centre: Floats, frame: int, way: int, velocity: Floats, room: int, rate: float
) -> None:
    """Ease from a take-off or landing at `frame` into the body's own motion, in or out of time."""
    count = min(round(0.3 * rate), room // 2)
    if count < 2:
        return
    span = frame + way * np.arange(count + 1)
    u = (np.arange(count + 1) / count)[:, None]
    offset = out[frame] - centre[frame]
    own = (centre[span[1]] - centre[span[0]]) * rate * way
    change = (velocity - own) * (count / rate) * way
    eased = centre[span] + offset * (1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u**2))
    out[span] = eased + change * (u - u**3 * (6.0 - 8.0 * u + 3.0 * u**2))
