"""The population gait model: joint curves of walking and running by speed, turn and performer.

`gait_model.json` holds statistics over 47 performers of the CMU Graphics Lab Motion Capture
Database (mocap.cs.cmu.edu, NSF EIA-0196217): means, slopes and modes of Fourier rows, no single
performer's curve. A row is [c0, a1, b1, a2, b2, …] in units of 1e-4 rad or leg lengths.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError, check_range, choices
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY

JOINTS = (
    "pelvis", "spine1", "spine2", "chest", "neck", "head",
    "clavL", "shoulderL", "elbowL", "wristL", "clavR", "shoulderR", "elbowR", "wristR",
    "hipL", "kneeL", "ankleL", "toeL", "hipR", "kneeR", "ankleR", "toeR",
)  # fmt: skip
"""The model's joints, in the order of the default character."""
MODES = 6
"""How many modes of variation there are among performers, and among strides."""
CHANNELS = (*(f"{j}.{axis}" for j in JOINTS for axis in "xyz"), "root.lat", "root.up", "root.fwd")
_UNIT = 1e-4
_COEFFICIENTS = 17
_REACH = {"walk": (0.15, 0.74), "run": (0.52, 1.85), "back": (0.12, 0.45)}
"""Speeds, in √(g leg), that are offered: what was measured and a little beyond it."""
_SLOW_RUN, _SHORTER = 1.1, 0.13
"""Steps of runs slower than so many √(g leg) are shorter than those of the model, whose runners had
just sped up, by this share for each of them: runners who go on step 2.42 + 0.115 v times a second
(v in m/s, from 2.5 to 5)."""
_STEEPER, _GROWING = 0.09, (0.25, 0.5)
"""Walkers' steps grow faster with speed within people than among them: with the power 0.44 of it
(Schwartz et al. 2008: 0.43), between these speeds, √(g leg)."""
_MOST_TURN = {"walk": 0.45, "run": 0.43, "back": 0.35}
"""Turns, in √(g / leg), that are offered."""


@cache
def _model() -> dict[str, Any]:
    text = files("footfall.generate.gait").joinpath("gait_model.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def meta() -> dict[str, Any]:
    """The model's character and its conventions."""
    found: dict[str, Any] = _model()["meta"]
    return found


@dataclass(frozen=True, eq=False)
class Curves:
    """Poses of the model at T instants.

    vectors  (T, 22, 3) each joint's rotation against its parent, full-angle vectors, radians
    root     (T, 3) the mid-hip point off the path: to the left, up, ahead; leg lengths
    """

    vectors: Floats
    root: Floats

    def mix(self, other: Curves, share: Floats) -> Curves:
        """This with a share (T,) of another."""
        s = share[:, None]
        return Curves(
            (1.0 - s[..., None]) * self.vectors + s[..., None] * other.vectors,
            (1.0 - s) * self.root + s * other.root,
        )


def curves(
    name: str,
    phase: Floats,
    speed: ArrayLike,
    turn: ArrayLike = 0.0,
    performer: ArrayLike = (),
    strides: Floats | None = None,
) -> Curves:
    """The model's poses at phases (T,) in strides; 0 is where the right foot comes down.

    speed      in √(g leg), a number or (T,)
    turn       in √(g / leg), a number or (T,); beyond what was measured it counts as the most
    performer  up to 6 numbers of N(0, 1): who goes
    strides    (T, up to 6) the same from stride to stride
    """
    model = _model()["gaits"][name]
    most = max(model.get("omegastar_range") or [0.0])
    faster = np.asarray(speed, dtype=np.float64) - model["v0"]
    turning = np.clip(np.asarray(turn, dtype=np.float64), -most, most)
    harmonics = np.arange(1, _COEFFICIENTS // 2 + 1)
    angle = 2.0 * np.pi * (phase % 1.0)[:, None] * harmonics
    basis = np.ones((len(phase), _COEFFICIENTS))
    basis[:, 1::2], basis[:, 2::2] = np.cos(angle), np.sin(angle)
    who = np.asarray(performer, dtype=np.float64)
    same = rows(name, "mean") + np.tensordot(who, _modes(name, "performer")[: len(who)], axes=1)
    parts = [same, rows(name, "slope_v"), rows(name, "slope_w")]
    shares = [np.ones(len(phase)), faster + 0.0 * phase, turning + 0.0 * phase]
    if strides is not None:
        parts += list(_modes(name, "stride")[: strides.shape[1]])
        shares += list(strides.T)
    # One product for all parts: many small ones spend their time in waking threads.
    each = (basis @ np.concatenate(parts, axis=1)).reshape(len(phase), len(parts), -1)
    found = np.einsum("tp,tpc->tc", np.stack(shares, axis=1), each)
    found += livelier(name, basis, faster)
    return Curves(found[:, :-3].reshape(-1, len(JOINTS), 3), found[:, -3:])


@cache
def rows(name: str, part: str) -> Floats:
    """(17, 69) the Fourier rows of all channels, in columns."""
    return _columns(_model()["gaits"][name].get(part, {}))


@cache
def _modes(name: str, kind: str) -> Floats:
    """(6, 17, 69) the modes of variation, zeros for a gait that has none."""
    found = np.zeros((MODES, _COEFFICIENTS, len(CHANNELS)))
    for k, mode in enumerate(_model()["gaits"][name].get(f"{kind}_modes") or []):
        found[k] = _columns(mode["coef"])
    return found


def _columns(rows: dict[str, list[float]]) -> Floats:
    found = np.zeros((_COEFFICIENTS, len(CHANNELS)))
    for column, channel in enumerate(CHANNELS):
        row = rows.get(channel) or []
        found[: len(row), column] = _UNIT * np.asarray(row, dtype=np.float64)
    return found


def middle_speed(name: str) -> float:
    """The speed, in √(g leg), that a gait's means are of."""
    return float(_model()["gaits"][name]["v0"])


def scalar(name: str, quantity: str, speed: ArrayLike, performer: ArrayLike = ()) -> Floats:
    """A quantity of the gait ("step_length", "coff", …) at speeds in √(g leg)."""
    model = _model()["gaits"][name]
    entry, relative = model["scalars"][quantity], np.asarray(speed, dtype=np.float64)
    a, b = entry["a"], entry["b"]
    shift: float | Floats = _shift(name, quantity, performer)
    if (name, quantity) == ("run", "step_length"):
        shift = shift - _SHORTER * np.maximum(_SLOW_RUN - relative, 0.0)
    if (name, quantity) == ("walk", "step_length"):
        shift = shift + _STEEPER * np.log(np.clip(relative, *_GROWING) / _GROWING[1])
    if entry["form"] == "exp(a)*vstar^b":
        return np.asarray(np.exp(a + shift) * relative**b)
    if entry["form"] == "a+b*ln(vstar)":
        return np.asarray(a + b * np.log(relative) + shift)
    return np.asarray(a + b * (relative - model["v0"]) + shift)


def _shift(name: str, quantity: str, performer: ArrayLike) -> float:
    modes = _model()["gaits"][name].get("performer_modes") or []
    key = "ln_step_length" if quantity == "step_length" else quantity
    who = np.asarray(performer, dtype=np.float64).tolist()
    return float(
        sum(z * mode["scalars"].get(key, 0.0) for z, mode in zip(who, modes, strict=False))
    )


def speed_within(name: str, speed_m_s: float, leg_m: float) -> float:
    """The speed at which legs of `leg_m` metres can go that is nearest to one."""
    low, high = (round(v * math.sqrt(GRAVITY * leg_m), 3) for v in _REACH[name])
    return min(max(speed_m_s, low), high)


@dataclass(frozen=True)
class Gait:
    """One gait at one speed and turn, for a character of one leg length.

    speed_m_s, turn_rad_s   along the arc; positive turns left
    period_s                one stride: two steps
    contact_on, contact_off the phases between which the right foot touches; the left is half on
    """

    name: str
    leg_m: float
    speed_m_s: float
    turn_rad_s: float
    period_s: float
    contact_on: float
    contact_off: float


def gait(
    name: str, speed_m_s: float, turn_rad_s: float, leg_m: float, performer: ArrayLike = ()
) -> Gait:
    """The gait at a speed and turn; what people do not do is refused by name."""
    gaits = _model()["gaits"]
    if name not in gaits:
        raise InputError(f"there is no gait {name!r}", remedy=choices(gaits, name))
    check_range("the length of the leg", leg_m, 0.3, 1.5, unit="m")
    scale = math.sqrt(GRAVITY * leg_m)
    low, high = (round(v * scale, 3) for v in _REACH[name])
    check_range(f"the speed of a {name}", speed_m_s, low, high, unit="m/s")
    most = round(_MOST_TURN[name] / math.sqrt(leg_m / GRAVITY), 3)
    check_range(f"the turn of a {name}", turn_rad_s, -most, most, unit="rad/s")
    relative = speed_m_s / scale
    step = float(scalar(name, "step_length", relative, performer)) * leg_m
    return Gait(
        name=name,
        leg_m=leg_m,
        speed_m_s=speed_m_s,
        turn_rad_s=turn_rad_s,
        period_s=2.0 * step / speed_m_s,
        contact_on=float(scalar(name, "con", relative)),
        contact_off=float(scalar(name, "coff", relative, performer)),
    )


# What a mean over performers loses, given back.
#
# People swing, sway and lean by about as much as each other but not at the same moments, so the
# mean of their curves moves less than anybody does. The ranges were measured performer by performer
# and averaged afterwards: the mean curves' swings are scaled to them. What has no such character is
# held to what walkers and runners of several databases do.

_AT = {channel: n for n, channel in enumerate(CHANNELS)}
_RANGES = {
    "walk": {"pelvis.y": "pelvis_yaw_range", "root.lat": "pelvis_sway", "root.up": "pelvis_rise"},
    "run": {"pelvis.y": "pelvis_yaw_range", "root.lat": "pelvis_sway"},
    "back": {
        "pelvis.y": "pelvis_yaw_range", "root.lat": "pelvis_sway",
        "elbowL.y": "elbow_range", "elbowR.y": "elbow_range",
    },
}  # fmt: skip
"""Channels whose range, degrees or leg lengths, the model knows."""
_MORE = {("walk", "root.up"): 1.12, ("back", "pelvis.y"): 2.2}
"""By how much more than that some go: planting the feet takes part of the pelvis' rise away again;
and the pelvis of those who walk backwards turns further than the mean of them has it."""
_LIST = {"walk": 1.0, "run": 1.06, "back": 1.8}
"""How far the line of the hips lists against what the mean curves have it do."""
_SURGE = {"walk": 0.25}
"""By which share more the hips of those who are faster than the middle surge with speed: they brake
as the foot in front takes the weight, so that its force points at its hip."""
_TWIST = {"walk": 0.96, "run": 1.02}
"""How far the chest turns against the pelvis, of what the mean curves have it do."""
_ARMS = {"back": 1.2}
"""How far upper arms swing, of what the mean curves have them do."""
_STRAIGHTER = {"walk": np.radians(3.5), "back": np.radians(3.5)}
"""How much straighter elbows are …"""
_FORWARD, _NEARER = {"walk": np.radians(2.0)}, {"walk": np.radians(1.0)}
"""… and how much further forward, and nearer to the body, arms hang."""
_TRUNK = ("pelvis", "spine1", "spine2", "chest")
_LEANS = {"walk": {"x": 2.0, "z": 4.0}, "run": {"x": 7.0, "z": 8.0}, "back": {"x": 4.0, "z": 4.5}}
"""How far the chest swings to and fro and from side to side within a stride, degrees."""
_GAZE = {"walk": 12.0, "run": 5.0, "back": 5.0}
"""How far the head leans forward: people look at the ground some way ahead. Degrees."""
_LARGEST = 3.0
_PHASES = np.arange(48) / 48.0


def livelier(name: str, basis: Floats, faster: Floats) -> Floats:
    """(T, 69) what is to be added to the mean curves.

    basis   (T, 17) the Fourier basis at each frame;  faster  speed over the model's middle speed
    """
    speeds, changes = _changes(name)
    low, high = speeds[0], speeds[-1]
    at = np.broadcast_to(np.clip(faster, low, high), len(basis))
    step = (at - low) / (high - low) * (len(speeds) - 1)
    first = np.minimum(step.astype(np.int32), len(speeds) - 2)
    share = (step - first)[:, None]
    columns = sorted({c for change in changes for c in np.flatnonzero(change.any(axis=0)).tolist()})
    out = np.zeros((len(basis), len(CHANNELS)))
    if not columns:
        return out
    each = np.stack([basis @ change[:, columns] for change in changes])
    frames = np.arange(len(basis))
    out[:, columns] = (1.0 - share) * each[first, frames] + share * each[first + 1, frames]
    return out


@cache
def _changes(name: str) -> tuple[Floats, tuple[Floats, ...]]:
    """Speeds over the middle one, and for each the rows (17, 69) to be added."""
    middle = middle_speed(name)
    speeds = np.linspace(0.4 * middle, 1.7 * middle, 5) - middle
    found = []
    for faster in speeds.tolist():
        own = rows(name, "mean") + faster * rows(name, "slope_v")
        change = np.zeros_like(own)
        for channel, quantity in _RANGES[name].items():
            column = _AT[channel]
            wanted = float(scalar(name, quantity, middle + faster))
            wanted *= _MORE.get((name, channel), 1.0)
            wanted = wanted if channel.startswith("root") else np.radians(wanted)
            change[1:, column] = _gain(own[:, column], wanted) * own[1:, column]
        more = _SURGE.get(name, 0.0) * max(faster, 0.0)
        change[1:, _AT["root.fwd"]] += more * rows(name, "slope_v")[1:, _AT["root.fwd"]]
        lists = (_LIST[name] - 1.0) * own[1:, _AT["pelvis.z"]]
        change[1:, _AT["pelvis.z"]] += lists
        for joint in ("spine1", "hipL", "hipR"):
            change[1:, _AT[f"{joint}.z"]] -= lists
        # The chest turns as it did: it swings against the pelvis.
        change[1:, _AT["spine1.y"]] -= change[1:, _AT["pelvis.y"]]
        twist = sum(own[1:, _AT[f"{joint}.y"]] for joint in _TRUNK[1:])
        change[1:, _AT["spine1.y"]] += (_TWIST.get(name, 1.0) - 1.0) * twist
        for side, sign in (("L", 1.0), ("R", -1.0)):
            change[0, _AT[f"elbow{side}.y"]] += sign * _STRAIGHTER.get(name, 0.0)
            change[0, _AT[f"shoulder{side}.x"]] -= _FORWARD.get(name, 0.0)
            change[0, _AT[f"shoulder{side}.z"]] -= sign * _NEARER.get(name, 0.0)
            for axis in "xy":
                column = _AT[f"shoulder{side}.{axis}"]
                change[1:, column] += (_ARMS.get(name, 1.0) - 1.0) * own[1:, column]
        for axis, wanted in _LEANS[name].items():
            lean = sum(own[:, _AT[f"{joint}.{axis}"]] for joint in _TRUNK)
            change[1:, _AT[f"spine1.{axis}"]] += _gain(lean, np.radians(wanted)) * lean[1:]
        nods = sum(own[0, _AT[f"{joint}.x"]] for joint in (*_TRUNK, "neck", "head"))
        for joint in ("neck", "head"):
            change[0, _AT[f"{joint}.x"]] += 0.5 * (np.radians(_GAZE[name]) - nods)
        found.append(change)
    return speeds, tuple(found)


def _gain(row: Floats, wanted: float) -> float:
    """By which share of itself a curve (17,) is to grow for its range to be as wanted."""
    angle = 2.0 * np.pi * np.outer(_PHASES, np.arange(1, len(row) // 2 + 1))
    curve = np.cos(angle) @ row[1::2] + np.sin(angle) @ row[2::2]
    return float(np.clip(wanted / max(np.ptp(curve), 1e-9), 1.0, _LARGEST)) - 1.0
