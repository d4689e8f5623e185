"""The population gait model: mean joint curves of walking and running by speed and turn.

`gait_model.json` holds statistics over 47 performers of the CMU Graphics Lab Motion Capture
Database (mocap.cs.cmu.edu, NSF EIA-0196217): means and slopes of Fourier rows, no single
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

from footfall.errors import InputError, choices
from footfall.maths.arrays import Floats

GRAVITY = 9.81
_UNIT = 1e-4


@cache
def _model() -> dict[str, Any]:
    text = files("footfall.library.generate").joinpath("gait_model.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def meta() -> dict[str, Any]:
    """The model's figure and its conventions."""
    found: dict[str, Any] = _model()["meta"]
    return found


@dataclass(frozen=True)
class Gait:
    """One gait at one speed and turn, for a figure of one leg length.

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

    def curve(self, channel: str, phase: Floats) -> Floats:
        """A joint's angle (rad) or the root's offset (leg lengths) at phases in strides."""
        row = self._row(channel)
        harmonics = np.arange(1, (len(row) - 1) // 2 + 1)
        angle = 2.0 * np.pi * phase[..., None] * harmonics
        return np.asarray(row[0] + np.cos(angle) @ row[1::2] + np.sin(angle) @ row[2::2])

    def rotation_vectors(self, joint: str, phase: Floats) -> Floats:
        """(…, 3) a joint's rotation against its parent as full-angle vectors."""
        return np.stack([self.curve(f"{joint}.{axis}", phase) for axis in "xyz"], axis=-1)

    def _row(self, channel: str) -> Floats:
        model = _model()["gaits"][self.name]
        scale = math.sqrt(GRAVITY * self.leg_m)
        faster = self.speed_m_s / scale - model["v0"]
        turning = self.turn_rad_s * math.sqrt(self.leg_m / GRAVITY)
        parts = [(1.0, "mean"), (faster, "slope_v"), (turning, "slope_w")]
        rows = [(k, model.get(part, {}).get(channel)) for k, part in parts]
        length = max((len(row) for _, row in rows if row), default=1)
        total = np.zeros(length + (length + 1) % 2)
        for factor, row in rows:
            if row:
                total[: len(row)] += factor * _UNIT * np.asarray(row, dtype=np.float64)
        return total


def gait(name: str, speed_m_s: float, turn_rad_s: float, leg_m: float) -> Gait:
    """The mean gait at a speed and turn; out of the data's range is refused by name."""
    gaits = _model()["gaits"]
    if name not in gaits:
        raise InputError(f"there is no gait {name!r}", remedy=choices(gaits, name))
    model, scale = gaits[name], math.sqrt(GRAVITY * leg_m)
    low, high = (v * scale for v in model["vstar_range"])
    if not low <= speed_m_s <= high:
        raise InputError(
            f"the speed is {speed_m_s:g} m/s", remedy=f"a {name} goes {low:.2f} to {high:.2f} m/s"
        )
    most = max(model.get("omegastar_range") or [0.0]) / math.sqrt(leg_m / GRAVITY)
    if abs(turn_rad_s) > most:
        raise InputError(
            f"the turn is {turn_rad_s:g} rad/s", remedy=f"at most {most:.2f} either way"
        )
    relative = speed_m_s / scale
    step = _scalar(model, "step_length", relative) * leg_m
    return Gait(
        name=name,
        leg_m=leg_m,
        speed_m_s=speed_m_s,
        turn_rad_s=turn_rad_s,
        period_s=2.0 * step / speed_m_s,
        contact_on=_scalar(model, "con", relative),
        contact_off=_scalar(model, "coff", relative),
    )


def _scalar(model: dict[str, Any], name: str, relative_speed: float) -> float:
    entry = model["scalars"][name]
    a, b = entry["a"], entry["b"]
    if entry["form"] == "exp(a)*vstar^b":
        return float(math.exp(a) * relative_speed**b)
    if entry["form"] == "a+b*ln(vstar)":
        return float(a + b * math.log(relative_speed))
    return float(a + b * (relative_speed - model["v0"]))
