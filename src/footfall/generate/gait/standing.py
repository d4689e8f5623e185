"""Standing: the pose people stand in, and what moves while they do."""

from __future__ import annotations

import numpy as np

from footfall.generate.feet.uneven import AHEAD, TURNED_DEG
from footfall.generate.gait.gait_model import JOINTS, Curves, curves
from footfall.maths.arrays import Floats
from footfall.maths.easing import smootherstep

_KNEE = np.radians(5.5)
_TOE_OUT = np.radians(7.0)
_ARM_AHEAD, _ARM_BEHIND = np.radians([2.0, 4.0]), np.radians([-0.5, -8.0])
"""How much further back and straighter, shoulder and elbow, the arm on the side of the foot ahead
hangs, and the other one."""
_RESTS_OVER = 0.12
"""How far the weight rests over the foot ahead, of how far it goes over in idling."""
_BREATHS_HZ, _BREATH = 0.24, np.radians(0.7)
_SWAY_HZ = (0.11, 0.19, 0.31, 0.47)
_OVER, _OVER_LIST, _OVER_S = 0.055, np.radians(4.2), 2.1
"""How far the weight goes over, leg lengths, how far the pelvis lists with it, and how often."""
_LOOK, _NOD = np.radians(30.0), np.radians(10.0)
"""How far somebody idle looks about, and up and down."""
_THIGH, _SHANK, _ANKLE = 0.4789, 0.5211, 0.0893
"""Leg lengths of the default character."""


def stand_curves(
    times: Floats, seed: int = 0, sway: float = 1.0, idle: Floats | None = None, ahead: float = 1.0
) -> Curves:
    """Quiet standing at times (T,): weight goes to and fro, the chest breathes, eyes stay put.

    sway   0 stands like a statue
    idle   (T,) how much, 0 to 1, it stands at ease: it shifts its weight and looks about
    ahead  1 if the left foot is ahead of the other, -1 if it is the right one
    """
    slow = curves("walk", np.arange(24) / 24.0, 0.2)
    still = slow.vectors.mean(axis=0)
    at = {joint: n for n, joint in enumerate(JOINTS)}
    for joint in ("pelvis", "spine1", "spine2", "chest", "neck", "head"):
        still[at[joint], 1:] = 0.0
    still[at["pelvis"], 0] -= np.radians(2.0)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        still[at[f"shoulder{side}"]] += [np.radians(1.0), 0.0, sign * np.radians(-1.0)]
        still[at[f"elbow{side}"], 1] = -sign * np.radians(16.0)
        still[at[f"hip{side}"]] = [-0.5 * _KNEE - still[at["pelvis"], 0], sign * _TOE_OUT, 0.0]
        still[at[f"knee{side}"]] = [_KNEE, 0.0, 0.0]
        still[at[f"ankle{side}"]] = [-0.5 * _KNEE, 0.0, 0.0]
        still[at[f"toe{side}"]] = 0.0
        _be_uneven(still, at, side, sign, ahead)
    vectors = np.repeat(still[None], len(times), axis=0)
    root = np.zeros((len(times), 3))
    root[:, 1] = _ANKLE + (_THIGH + _SHANK) * np.cos(0.5 * _KNEE)
    _breathe(vectors, at, times, seed, sway)
    aside, along = (sway * _swaying(times, seed + k) for k in (0, 1))
    root[:, 0], root[:, 2] = 0.009 * aside, 0.005 * along
    vectors[:, at["spine1"], 2] += 0.012 * aside
    vectors[:, at["pelvis"], 2] -= 0.008 * aside
    vectors[:, at["chest"], 1] += 0.015 * sway * _swaying(times, seed + 2)
    vectors[:, at["head"], 1] -= 0.010 * sway * _swaying(times, seed + 2)
    vectors[:, at["head"], 0] += 0.012 * sway * _swaying(times, seed + 3)
    _go_over(vectors, root, at, np.full(len(times), _RESTS_OVER * ahead))
    if idle is not None:
        _idle(vectors, root, at, times, seed, idle)
    return Curves(vectors, root)


def at_ease(times: Floats, seconds: float) -> Floats:
    """(T,) how much, 0 to 1, somebody idle stands at ease: it begins and ends as everything that
    begins and ends at rest does."""
    settle = min(0.8, 0.3 * seconds)
    begins = smootherstep((times - 0.1) / settle)
    return np.asarray(begins * smootherstep((seconds - 0.1 - times) / settle))


def _idle(
    vectors: Floats, root: Floats, at: dict[str, int], times: Floats, seed: int, share: Floats
) -> None:
    """Let the weight go over from foot to foot, and the head look about, now and then."""
    _go_over(vectors, root, at, share * _fixations(times, seed, _OVER_S, to_and_fro=True))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        loose = share * _fixations(times, seed + 23 + int(sign), 1.9)
        vectors[:, at[f"elbow{side}"], 1] -= sign * 0.07 * (loose + 0.6)
        vectors[:, at[f"wrist{side}"], 1] -= sign * 0.12 * loose
        vectors[:, at[f"wrist{side}"], 2] += sign * 0.09 * loose
    look, nod = (share * _fixations(times, seed + k, 1.3) for k in (11, 12))
    for joint, part in (("chest", 0.12), ("neck", 0.4), ("head", 0.48)):
        vectors[:, at[joint], 1] += part * _LOOK * look
    for joint in ("neck", "head"):
        vectors[:, at[joint], 0] += 0.5 * _NOD * nod


def _go_over(vectors: Floats, root: Floats, at: dict[str, int], over: Floats) -> None:
    """Let the weight go over to the left foot by `over` (T,), 1 all the way, -1 to the right."""
    root[:, 0] += _OVER * over
    vectors[:, at["pelvis"], 2] += _OVER_LIST * over
    vectors[:, at["spine1"], 2] -= 1.1 * _OVER_LIST * over
    for side, sign in (("L", 1.0), ("R", -1.0)):
        # Feet stay where they are; the leg whose hip drops bends by itself.
        vectors[:, at[f"hip{side}"], 2] -= (_OVER_LIST + _OVER) * over
        vectors[:, at[f"clav{side}"], 2] += sign * 0.4 * _OVER_LIST * over


def _be_uneven(still: Floats, at: dict[str, int], side: str, sign: float, ahead: float) -> None:
    """Put the foot of a side ahead or behind, and let its arm hang as people's do then."""
    far = 0.5 * sign * ahead
    still[at[f"hip{side}"], 0] -= far * AHEAD
    still[at[f"ankle{side}"], 0] += far * AHEAD
    still[at[f"hip{side}"], 1] -= ahead * np.radians(TURNED_DEG)
    shoulder, elbow = _ARM_AHEAD if far > 0.0 else _ARM_BEHIND
    still[at[f"shoulder{side}"], 0] += shoulder
    still[at[f"elbow{side}"], 1] += sign * elbow


def _fixations(times: Floats, seed: int, every_s: float, *, to_and_fro: bool = False) -> Floats:
    """(T,) something that rests at random values between about -1 and 1, and goes swiftly from
    one to the next; from one side to the other if asked for."""
    draw = np.random.default_rng([seed, 9, round(10.0 * every_s)])
    count = int((times[-1] - times[0]) / (0.5 * every_s)) + 4
    at = times[0] - every_s + np.cumsum(draw.uniform(0.6, 1.4, count) * every_s)
    values = draw.uniform(-1.0, 1.0, count + 1)
    if to_and_fro:
        values = (0.55 + 0.45 * np.abs(values)) * np.where(np.arange(count + 1) % 2, 1.0, -1.0)
        values *= np.sign(draw.uniform(-1.0, 1.0))
    takes = min(0.22 * every_s + 0.2, 0.9 * every_s)
    out = np.full(len(times), values[0])
    for moment, step in zip(at, np.diff(values), strict=True):
        out += step * smootherstep((times - moment) / takes)
    return out


def _breathe(vectors: Floats, at: dict[str, int], times: Floats, seed: int, sway: float) -> None:
    breath = sway * np.sin(2.0 * np.pi * (_BREATHS_HZ * times + 0.17 * seed))
    vectors[:, at["chest"], 0] -= _BREATH * breath
    vectors[:, at["neck"], 0] += _BREATH * breath
    for side, sign in (("L", 1.0), ("R", -1.0)):
        vectors[:, at[f"clav{side}"], 2] += sign * 0.6 * _BREATH * breath
        slow = sway * _swaying(times, seed + 7 + int(sign))
        vectors[:, at[f"shoulder{side}"], 0] += 0.012 * slow
        vectors[:, at[f"elbow{side}"], 1] -= sign * 0.015 * slow


def _swaying(times: Floats, seed: int) -> Floats:
    """(T,) slow irregular sway between about -1 and 1."""
    draw = np.random.default_rng([seed, 4]).uniform(0.0, 2.0 * np.pi, len(_SWAY_HZ))
    parts = [np.sin(2.0 * np.pi * f * times + p) for f, p in zip(_SWAY_HZ, draw, strict=True)]
    return np.asarray(sum(part * w for part, w in zip(parts, (0.5, 0.3, 0.25, 0.12), strict=True)))


# What arms and shoulders of somebody idle do now and then: small things, one side at a time.
#
# As in `layers`, it changes the joints' rotation vectors (T, 22, 3) in place.

_AT = {joint: n for n, joint in enumerate(JOINTS)}
_EVERY_S, _SPREAD = 1.7, 0.25
"""How often something is done, and by which share of that earlier or later."""
_RISES_S, _FALLS_S = 0.75, 0.95
"""How long it takes to come and to go, besides how long it stays."""
_SIZE = (0.75, 1.15)
"""How far it goes, from least to most, of what is said here."""
_TURNS_DEG = 2.5
"""How far the chest turns after the hand that comes forward."""
_KINDS: tuple[tuple[float, dict[tuple[str, int], float]], ...] = (
    # A hand comes forward a little, as if to be looked at.
    (0.9, {("shoulder", 0): -4.0, ("elbow", 1): 18.0, ("wrist", 1): 10.0,
           ("wrist", 2): 6.0, ("clav", 2): 1.5}),
    # A shoulder is drawn up and back, and let fall.
    (0.15, {("clav", 2): 4.5, ("clav", 1): 4.0, ("shoulder", 0): 4.0, ("elbow", 1): 6.0}),
    # An arm shifts back and off the side.
    (1.1, {("shoulder", 0): 7.0, ("shoulder", 2): 2.5, ("elbow", 1): 14.0, ("wrist", 2): -5.0}),
)  # fmt: skip
"""How long, seconds, each kind stays, and by how many degrees joints go: about x forward is
negative, about y inwards, about z up."""


def fidget(vectors: Floats, times: Floats, seconds: float, seed: int, share: Floats) -> None:
    """Let one arm after the other do something small, another thing each time.

    seconds  how long it stands;  share  (T,) how much, 0 to 1, it is at ease
    """
    draw = np.random.default_rng([seed, 31])
    side, kind = int(draw.integers(2)), int(draw.integers(len(_KINDS)))
    count = max(1, round(seconds / _EVERY_S) - 1)
    for n in range(count):
        at = seconds * (n + 0.5 + _SPREAD * draw.uniform(-1.0, 1.0)) / count
        stays, joints = _KINDS[(kind + n) % len(_KINDS)]
        comes = at - 0.5 * stays
        wave = smootherstep((times - comes + _RISES_S) / _RISES_S)
        wave = wave * smootherstep((comes + stays + _FALLS_S - times) / _FALLS_S)
        wave *= share * draw.uniform(*_SIZE)
        sign = 1.0 if side == 0 else -1.0
        for (joint, axis), degrees in joints.items():
            turn = np.radians(degrees) * (1.0 if axis == 0 else sign * (-1.0 if axis == 1 else 1.0))
            vectors[:, _AT[f"{joint}{'LR'[side]}"], axis] += turn * wave
        vectors[:, _AT["chest"], 1] -= sign * np.radians(_TURNS_DEG) * wave
        vectors[:, _AT["neck"], 1] += 0.8 * sign * np.radians(_TURNS_DEG) * wave
        side = 1 - side
