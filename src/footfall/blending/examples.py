"""Example strides: two steps each, cut from clips and brought to one time, right foot first.

A stride's *generic time* runs from 0 at a strike of the right foot over 1/2 at the left one's to 1
at the right one's next. A stride that begins with the left foot repeats as well as another, so it
is taken too, and told from its second step. Every example is sampled at the same generic times and
seen from its own arc: the circle (or line) along which it goes at constant speed and turn. What it
repeats from stride to stride is all that is left then, so that examples of any speed and turn can
be blended.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.edit import mirror, retime
from footfall.body.roles import SIDES
from footfall.gait.contacts import Contacts, find_contacts
from footfall.gait.footprints import footprints
from footfall.gait.strides import Stride, find_strides
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.rounding import ANGLE, FINE, POSITION_M, round_fields, round_rotations
from footfall.maths.runs import runs

SAMPLES = 96
"""Generic times at which examples are sampled."""
_SIDEWAYS = math.radians(25.0)
"""A body that goes further from where it faces than this does not walk forward."""
_SLOWEST_M_S = 0.2
_UNEVEN = 0.15
"""Strides whose speed or duration differs more than this from the next are starts or stops."""
_LIMP, _FARTHEST_GAP = 1.4, 0.5
"""How much longer one step may be than the other, and how far, radians, a joint may be from where
it began: what is beyond does not repeat, and would limp and jerk if it did."""
HEEL_ON, HEEL_OFF, TOE_ON, TOE_OFF = range(4)


@dataclass(frozen=True, eq=False)
class Example:
    """One stride on its skeleton, sampled at generic times.

    clip        that it is cut from; if it is `mirrored`, from the image of that
    name        the clip, with `mirrored` and the time at which the stride begins
    seconds     (2,) how long the first and the second step take
    speed_m_s, turn_rad_s   of its arc
    style       0 walking, 1 running
    place       (S, 3) the root, seen from the arc: to the left, up, ahead
    rotations   (S, J, 4) of the joints; the root's seen from the arc
    contacts    (2, 4) of the left and right foot: when heel and toe come down and leave, in generic
                time since the foot's own strike: HEEL_ON, HEEL_OFF, TOE_ON, TOE_OFF
    own         parameters that users gave the clip, by name
    gap         how far the stride is from coming back to where it began, radians
    """

    clip: Clip
    name: str
    begin_s: float
    mirrored: bool
    seconds: Floats
    speed_m_s: float
    turn_rad_s: float
    style: float
    place: Floats
    rotations: Floats
    contacts: Floats
    own: Mapping[str, float] = field(default_factory=dict)
    gap: float = 0.0


def cut_examples(
    clips: Sequence[Clip], *, mirrored: bool = False, own: Mapping[str, Mapping[str, float]] = {}
) -> list[Example]:
    """Every usable stride of the clips: forward, at a steady pace, on level ground.

    mirrored  also as seen in a mirror
    own       parameters of the users', by name of the clip
    """
    found = []
    for clip in clips:
        given = own.get(clip.name, {})
        found += list(_strides_of(clip, False, given))
        if mirrored:
            image = mirror(clip, keep_skeleton=True)
            found += [replace(e, clip=clip) for e in _strides_of(image, True, given)]
    return found


def _strides_of(clip: Clip, mirrored: bool, own: Mapping[str, float]) -> Iterator[Example]:
    contacts = find_contacts(clip)
    prints = footprints(contacts)
    for first in ("right", "left"):
        strides = find_strides(contacts, prints, first=first)
        for n, stride in enumerate(strides):
            beside = [strides[k] for k in (n - 1, n + 1) if 0 <= k < len(strides)]
            if _is_steady(stride, beside):
                example = _example(clip, contacts, stride, mirrored, own)
                if example.gap < _FARTHEST_GAP:
                    yield example


def _is_steady(stride: Stride, beside: Sequence[Stride]) -> bool:
    begin, strike, end = _strikes(stride)
    if abs(stride.drift) > _SIDEWAYS or stride.speed_m_s < _SLOWEST_M_S:
        return False
    if not 1.0 / _LIMP < (strike - begin) / (end - strike) < _LIMP:
        return False
    return all(
        abs(other.speed_m_s / stride.speed_m_s - 1.0) < _UNEVEN
        and abs(other.seconds / stride.seconds - 1.0) < _UNEVEN
        for other in beside
        if min(abs(other.begin_s - stride.end_s), abs(other.end_s - stride.begin_s)) < 1e-6
    )


def _example(
    clip: Clip, contacts: Contacts, stride: Stride, mirrored: bool, own: Mapping[str, float]
) -> Example:
    begin, strike, end = _strikes(stride)
    moments = key_moments(begin, strike, end)
    played = retime(clip, np.append(moments, end))
    place, rotations, speed, turn = see_from_arc(played, end - begin, moments - begin)
    gap = float(quat.angle_between(rotations[0, 1:], rotations[-1, 1:]).max())
    place, rotations = close_cycle(place, rotations)
    seconds = np.array([strike - begin, end - strike])
    first = SIDES.index(stride.keys[0].partition("_")[0])
    if first == 0:  # told from its second step, the right foot's
        half = SAMPLES // 2
        place, rotations = np.roll(place, half, axis=0), np.roll(rotations, half, axis=0)
        seconds = seconds[::-1].copy()
    return round_example(Example(
        clip, clip.name, begin, mirrored, seconds, speed, turn,
        1.0 if stride.style == "run" else 0.0, place, rotations,
        _contact_times(contacts, (begin, strike, end), first), own, gap,
    ))  # fmt: skip


def round_example(example: Example) -> Example:
    """Return the example rounded to fixed grids: examples are chosen by these numbers."""
    rounded = round_fields(
        example, begin_s=FINE, seconds=FINE, speed_m_s=FINE, turn_rad_s=FINE, contacts=FINE,
        gap=ANGLE, place=POSITION_M,
    )  # fmt: skip
    return replace(rounded, rotations=round_rotations(example.rotations))


def _strikes(stride: Stride) -> tuple[float, float, float]:
    """When a foot, the other foot and the first one again come down."""
    moments = [
        t for key, t in zip(stride.keys, stride.key_times_s, strict=True) if key.endswith("strike")
    ]
    return moments[0], moments[1], moments[2]


def key_moments(begin: float, strike: float, end: float) -> Floats:
    """(S,) seconds of the generic times, from one strike to before the same again."""
    t = np.arange(SAMPLES) / SAMPLES
    first = begin + (strike - begin) * 2.0 * t
    second = strike + (end - strike) * (2.0 * t - 1.0)
    return np.where(t < 0.5, first, second)


def see_from_arc(
    played: Clip, seconds: float, since: Floats
) -> tuple[Floats, Floats, float, float]:
    """Root (S + 1, 3) and rotations (S + 1, J, 4) of a stride as seen from its arc; speed; turn.

    The arc is the one that leads from where the stride begins to where it ends, as far turned as
    the body is; it goes through the middle of the hips' sway.
    """
    at = np.append(since, seconds)
    facing = np.unwrap(quat.yaw_of(played.rotations[:, 0]))
    turn = float(facing[-1] - facing[0]) / seconds
    path = played.root[:, 2] + 1j * played.root[:, 0]
    chord = path[-1] - path[0]
    half = 0.5 * turn * seconds
    speed = abs(chord) / (seconds * np.sinc(half / np.pi))
    heading = float(np.angle(chord)) - half + turn * at
    arc = _arc_points(speed, turn, at) * np.exp(1j * heading[0])
    apart = (path - path[0] - arc) * np.exp(-1j * heading)
    place = np.column_stack([apart.imag, played.root[:, 1], apart.real])
    weight = np.diff(at, append=at[-1])
    place[:, [0, 2]] -= (weight @ place[:, [0, 2]]) / seconds
    rotations = np.array(played.rotations)
    rotations[:, 0] = quat.multiply(quat.from_yaw(-heading), rotations[:, 0])
    return place, rotations, float(speed), turn


def _arc_points(speed: float, turn: float, at: Floats) -> np.ndarray:
    """Where an arc from 0 along +Z leads, as z + i x."""
    half = 0.5 * turn * at
    return np.asarray(speed * at * np.sinc(half / np.pi) * np.exp(1j * half))


def close_cycle(place: Floats, rotations: Floats) -> tuple[Floats, Floats]:
    """Root (S, 3) and rotations (S, J, 4) that repeat: what the end is off is shared out."""
    share = np.arange(len(place)) / (len(place) - 1) - 0.5
    closed = place - share[:, None] * (place[-1] - place[0])
    rotations = quat.continuous(rotations)
    last = quat.toward(rotations[-1], rotations[0])
    off = quat.log_half_angle(quat.multiply(quat.conjugate(rotations[0]), last))
    turned = quat.multiply(rotations, quat.exp_half_angle(-share[:, None, None] * off))
    return closed[:-1], quat.normalise(turned)[:-1]


def _contact_times(contacts: Contacts, strikes: tuple[float, float, float], leader: int) -> Floats:
    """(2, 4) when heel and toe come down and leave, in generic time since each foot's strike.

    leader  the foot that comes down first, 0 for the left one
    """
    out = np.zeros((2, 4))
    down = np.asarray(contacts.points, np.bool_)
    for foot in range(2):
        own = strikes[0 if foot == leader else 1]
        stance = next(s for s in contacts.stances if s.foot == foot and abs(s.begin_s - own) < 1e-6)
        off = _generic(stance.end_s, *strikes) - _generic(own, *strikes)
        for part in range(2):
            first, last = _frames_down(down[:, 2 * foot + part], stance.first, stance.stop)
            span = max(stance.stop - stance.first, 1)
            on_share, off_share = (first - stance.first) / span, (last - stance.first) / span
            out[foot, 2 * part] = on_share * off
            out[foot, 2 * part + 1] = off_share * off
        out[foot] = np.clip(out[foot], 0.0, 0.95)
    return out


def _frames_down(down: Bools, first: int, stop: int) -> tuple[int, int]:
    """The first frame in which a point touches during a stance, and the frame after the last."""
    spans = runs(down[first:stop])
    if not len(spans):
        return first, first
    return first + int(spans[0, 0]), first + int(spans[-1, 1])


def _generic(moment: float, begin: float, strike: float, end: float) -> float:
    """The generic time of a moment since the first strike; it may lie after the stride."""
    strides, rest = divmod(moment - begin, end - begin)
    if rest < strike - begin:
        share = 0.5 * rest / (strike - begin)
    else:
        share = 0.5 + 0.5 * (rest - (strike - begin)) / (end - strike)
    return float(strides + share)
