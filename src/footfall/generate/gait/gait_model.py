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
    from footfall.generate.gait.typical import livelier

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
