"""What trunk and arms do in turns: bodies bank inwards, arms hang from shoulders that go round.

As in `layers`, each layer changes the joints' rotation vectors (T, 22, 3) in place.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.generate.gait.gait_model import JOINTS
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.filters import smooth_gaussian

_AT = {joint: n for n, joint in enumerate(JOINTS)}
_SIDES = (("L", 1.0), ("R", -1.0))
_STEADY_S, _STEADY_RAD_S = 0.5, 0.9
"""Over how long, and up to how fast, a turn counts as steady: what bodies do in such a one is in
the model already."""
_BANK, _MOST_BANK, _BANK_S = 0.86, math.radians(9.0), 0.07
"""How much of what balance asks for bodies bank, the most, and how smoothly."""
_BANK_LEGS, _BANK_SPINE, _BANK_HEAD = 0.4, 1.0, 0.75
"""Which part of that their legs and hips do, and the spine (its lowest joint turns by more than the
line of the trunk does), and how much of it necks take back."""
_DRIVES, _DRIVE_S = 0.9, 0.1
"""How much of what balance asks for those lean forward, besides what all walkers do, who speed up
out of a sharp turn."""
_SHARP_RAD_S = 1.2
"""A turn so much faster than a steady one is sharp."""
_CURVE, _CURVE_S = math.radians(12.0), 0.15
"""How far balance asks runners to lean in a tight curve, and how smoothly they go into it …"""
_CURVE_IN, _CURVE_SWING = math.radians(6.5), 0.22
"""… how much nearer the body they then hold the inner arm, and by which share less it swings, and
more the outer one …"""
_CURVE_TUCKS, _CURVE_KEEPS, _CURVE_ROLLS = 0.4, math.radians(2.0), math.radians(6.0)
"""… by which part of how far back it is that is held nearer, and by how much at least: its elbow
does not stick out; how far it is turned outwards instead, so that the hand is wide …"""
_CURVE_ELBOW, _CURVE_HEAD, _CURVE_UPRIGHT = (math.radians(d) for d in (9.0, 5.0, 4.0))
"""… how much the outer elbow opens and the inner one closes, how much further up heads are held,
and how much less far forward they lean."""
TURNS_LOW = 0.014
"""How much lower, leg lengths, walkers are in turns that are sharper than curves."""
_SHOULDER_M = 0.21
"""How far from the middle of the body arms hang."""
_ARM_HZ, _ARM_DAMPED, _ARM_LOOSE = 0.9, 0.5, 2.1
"""How fast arms that hang swing by themselves, how soon that is damped, and how much further they
swing than arms that only hang: people let them."""
_FLIES, _FLIES_ACROSS, _MOST_FLIES = 1.9, 0.35, math.radians(16.0)
"""How much further arms fly out than ones that only hang; how much of what bodies are drawn to the
outside the outer one flies further, and the inner one less; and the most."""
_ARM_LAG_MOST, _LAG_INNER = math.radians(17.0), 0.45
"""How far arms stay behind at most, and how much of that the inner one does."""
_ASIDE_LOOSE, _MOST_ASIDE, _ASIDE_TWIST = 0.26, math.radians(8.0), 1.3
_ASIDE_ELBOW = 1.1
"""How much of what loose arms would do those of who steps aside do, the most, how much the chest
turns with them, and elbows bend."""
_STRAIGHTER = 0.7
"""How much of what it flies out the elbow of an arm straightens."""
_INNER_CALM, _INNER_OPENS, _CALM_S = 0.65, 0.5, 0.3
"""How much less the inner arm swings in a sharp turn, and its elbow bends: it hangs and trails the
chest; and over how long a swing is told from how the arm is held."""


def sharp_turn(turn: Floats, rate: float) -> Floats:
    """(T,) how much faster than steadily it turns, radians per second.

    turn  (T,) radians per second, positive to the left;  rate  frames per second
    """
    steady = np.minimum(np.abs(smooth_gaussian(turn, _STEADY_S * rate)), _STEADY_RAD_S)
    return np.asarray(np.sign(turn) * np.maximum(np.abs(turn) - steady, 0.0))


def go_round(vectors: Floats, speed: Floats, turn: Floats, running: Floats, rate: float) -> None:
    """Bank into a sharp turn, lean into the way out of it, and let the arms fly; run round curves.

    speed    (T,) m/s;  turn  (T,) radians per second, positive to the left
    running  (T,) 0 walks, 1 runs
    """
    if running.any():
        run_round(vectors, running * np.arctan(speed * turn / GRAVITY), rate)
    sharp = sharp_turn(turn, rate)
    if np.abs(sharp).max() < 1e-3:
        return
    bank(vectors, np.arctan(speed * sharp / GRAVITY), rate)
    faster = np.maximum(np.gradient(np.abs(speed), 1.0 / rate), 0.0)
    share = np.minimum(smooth_gaussian(np.abs(sharp), 0.25 * rate) / _SHARP_RAD_S, 1.0)
    drive = _DRIVES * smooth_gaussian(share * np.arctan(faster / GRAVITY), _DRIVE_S * rate)
    for joint, part in (("spine1", 1.1), ("neck", -0.7)):
        vectors[:, _AT[joint], 0] += part * drive
    let_arms_fly(vectors, speed, turn, rate)


def run_round(vectors: Floats, asked: Floats, rate: float) -> None:
    """Let runners who lean into a curve swing the outer arm wide and the inner one close, hold
    their heads up, and lean forward less.

    asked  (T,) how far balance asks them to lean to the left, radians
    """
    share = np.tanh(smooth_gaussian(asked, _CURVE_S * rate) / _CURVE)
    for name, sign in _SIDES:
        outer = -sign * share
        shoulder = vectors[:, _AT[f"shoulder{name}"]]
        shoulder[:, 2] += sign * _CURVE_IN * np.minimum(outer, 0.0)
        swings = shoulder[:, :2] - shoulder[:, :2].mean(axis=0)
        shoulder[:, :2] += _CURVE_SWING * outer[:, None] * swings
        keeps = _CURVE_KEEPS + _CURVE_TUCKS * np.maximum(swings[:, 0], 0.0)
        shoulder[:, 2] -= sign * np.maximum(outer, 0.0) * keeps
        shoulder[:, 1] += sign * np.maximum(outer, 0.0) * _CURVE_ROLLS
        vectors[:, _AT[f"elbow{name}"], 1] += sign * _CURVE_ELBOW * outer
    for joint in ("neck", "head"):
        vectors[:, _AT[joint], 2] += 0.5 * _CURVE_HEAD * share
    for joint, part in (("spine1", -1.4), ("neck", 0.8)):
        vectors[:, _AT[joint], 0] += part * _CURVE_UPRIGHT * np.abs(share)


def bank(vectors: Floats, asked: Floats, rate: float) -> None:
    """Bank to the left by what balance asks for (T,), radians, from the feet up; heads stay up."""
    lean = smooth_gaussian(_BANK * asked, _BANK_S * rate)
    lean = _MOST_BANK * np.tanh(lean / _MOST_BANK)
    # Legs go along with the hips: feet are put outside of where the body is.
    vectors[:, _AT["pelvis"], 2] -= _BANK_LEGS * lean
    vectors[:, _AT["spine1"], 2] -= _BANK_SPINE * lean
    for joint in ("neck", "head"):
        vectors[:, _AT[joint], 2] += 0.5 * _BANK_HEAD * (_BANK_LEGS + _BANK_SPINE) * lean


def let_arms_fly(vectors: Floats, speed: Floats, turn: Floats, rate: float) -> None:
    """Let arms hang from shoulders that go round: they stay behind as a turn begins, fly out in it,
    the outer one further, and swing on as it ends.

    speed  (T,) m/s;  turn  (T,) radians per second, positive to the left
    """
    gains = np.gradient(smooth_gaussian(turn, 0.05 * rate), 1.0 / rate)
    behind = _swing_after(_ARM_LOOSE * _SHOULDER_M * gains / GRAVITY, rate)
    behind = _ARM_LAG_MOST * np.tanh(behind / _ARM_LAG_MOST)
    faster = np.maximum(turn**2 - _STEADY_RAD_S**2, 0.0)
    out = smooth_gaussian(np.arctan(_SHOULDER_M * faster / GRAVITY), 0.1 * rate)
    across = smooth_gaussian(np.arctan(speed * sharp_turn(turn, rate) / GRAVITY), 0.1 * rate)
    side = np.clip(smooth_gaussian(turn, 0.2 * rate) / _SHARP_RAD_S, -1.0, 1.0)
    for name, sign in _SIDES:
        far = _FLIES * out - sign * _FLIES_ACROSS * across
        far = _MOST_FLIES * np.tanh(far / _MOST_FLIES)
        # Turning to the left takes the right shoulder forward, and its arm stays behind.
        lags = (_LAG_INNER + (1.0 - _LAG_INNER) * 0.5 * (1.0 - sign * side)) * behind
        vectors[:, _AT[f"shoulder{name}"], 0] -= sign * lags
        vectors[:, _AT[f"shoulder{name}"], 2] += sign * far
        elbow = vectors[:, _AT[f"elbow{name}"], 1]
        elbow += sign * np.clip(_STRAIGHTER * far, 0.0, 0.5 * np.abs(elbow))
        _calm(vectors, name, np.maximum(sign * side, 0.0), rate)


def _calm(vectors: Floats, name: str, share: Floats, rate: float) -> None:
    """Let the arm of a side hang and swing less, by a share (T,)."""
    shoulder, elbow = vectors[:, _AT[f"shoulder{name}"], 0], vectors[:, _AT[f"elbow{name}"], 1]
    for joint in (shoulder, elbow):
        joint -= _INNER_CALM * share * (joint - smooth_gaussian(joint, _CALM_S * rate))
    elbow *= 1.0 - _INNER_OPENS * share


def swing_aside(vectors: Floats, root: Floats, facing: Floats, effort: float, rate: float) -> None:
    """Let arms of who steps aside stay behind and swing on, and the chest turn against the hips.

    root    (T, 2) where the body is, x and z;  facing  (T,) radians
    effort  how much trunk and arms go with the steps
    """
    pace = np.gradient(smooth_gaussian(root, 0.05 * rate), 1.0 / rate, axis=0)
    gains = np.gradient(pace, 1.0 / rate, axis=0)
    left = gains[:, 0] * np.cos(facing) - gains[:, 1] * np.sin(facing)
    hangs = -effort * _ASIDE_LOOSE * _swing_after(np.arctan(left / GRAVITY), rate)
    hangs = _MOST_ASIDE * np.tanh(hangs / _MOST_ASIDE)
    for name, sign in _SIDES:
        vectors[:, _AT[f"shoulder{name}"], 2] += np.where(sign * hangs > 0.0, 1.0, 0.4) * hangs
        vectors[:, _AT[f"clav{name}"], 2] += 0.1 * hangs
        bends = _ASIDE_ELBOW * smooth_gaussian(np.abs(hangs), 0.12 * rate)
        vectors[:, _AT[f"elbow{name}"], 1] -= sign * (bends - 0.5 * sign * _ASIDE_ELBOW * hangs)
    for joint, share in (("spine1", 0.5), ("chest", 0.5), ("neck", -0.8)):
        vectors[:, _AT[joint], 1] += share * _ASIDE_TWIST * hangs


def _swing_after(asked: Floats, rate: float) -> Floats:
    """(T,) the angle of a damped pendulum that would hang at angles (T,)."""
    t = np.arange(round(2.0 * rate)) / rate
    own = 2.0 * math.pi * _ARM_HZ
    damped = own * math.sqrt(1.0 - _ARM_DAMPED**2)
    wave = own**2 / damped * np.exp(-_ARM_DAMPED * own * t) * np.sin(damped * t)
    return np.asarray(np.convolve(asked, wave)[: len(asked)] / rate)
