"""What a mean over performers loses, given back.

People swing, sway and lean by about as much as each other but not at the same moments, so the
mean of their curves moves less than anybody does. The ranges were measured performer by performer
and averaged afterwards: the mean curves' swings are scaled to them. What has no such character is
held to what walkers and runners of several databases do.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from footfall.generate.gait.gait_model import CHANNELS, middle_speed, rows, scalar
from footfall.maths.arrays import Floats

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
