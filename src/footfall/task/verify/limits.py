"""Limits of the body's values, measured from source clips.

A limit follows the sources: what people in the clips do, a plan made of them may do, and a little
more. `usual` keeps a small library from being over-strict: less than that is never noted. `floor`
does the same for hard limits. `cap` is what no viewer accepts, whatever a damaged source does.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np

from footfall.body.clip import Clip
from footfall.library.store.arrays import ArrayStore, address
from footfall.library.store.code import rooms_version
from footfall.task.verify.anatomy import anatomy_tracks
from footfall.task.verify.motion import motion_of


@dataclass(frozen=True)
class Rule:
    """How the limits of one value follow from the extreme of the sources.

    usual    never noted below this            floor  never a failure below this
    cap      always a failure above this
    margin   added to the sources' extreme for the hard limit; a quarter of it for the soft one
    factor   multiplies the sources' extreme first; its excess over 1 is quartered likewise
    general  whether it means the same for all skeletons, so that it has limits without sources
    """

    usual: float
    floor: float
    cap: float
    margin: float = 0.0
    factor: float = 1.0
    general: bool = True

    def limits(self, extreme: float) -> tuple[float, float]:
        """Return the soft and the hard limit."""
        if not math.isfinite(extreme) and not self.general:
            return math.inf, math.inf
        if not math.isfinite(extreme):
            # It may be any kind of motion: only what no recorded person does fails.
            return self.usual, self.cap
        hard = min(max(self.floor, extreme * self.factor + self.margin), self.cap)
        noted = extreme * (1.0 + 0.25 * (self.factor - 1.0)) + 0.25 * self.margin
        return min(max(self.usual, noted), hard), hard


RULES: Mapping[str, Rule] = {
    # Viewers reject feet beyond 45° in or 60° out; recorded turns reach 59° and 70°.
    "foot yaw in": Rule(35.0, 45.0, 62.0, margin=3.0),
    "foot yaw out": Rule(50.0, 60.0, 74.0, margin=3.0),
    # The foot against the thigh, about the shank: 40° in recorded turns, 61° in deep squats.
    "foot twist in": Rule(30.0, 45.0, 70.0, margin=8.0),
    "foot twist out": Rule(30.0, 45.0, 70.0, margin=8.0),
    # Knees stretch to 0°; a few degrees more are within the error of joint centres.
    "knee hyperextension": Rule(4.0, 8.0, 15.0, margin=4.0),
    # Running swings reach 143°; squats 167°.
    "knee flexion": Rule(145.0, 155.0, 172.0, margin=6.0),
    # Steps of 0.45 m bend the standing knee by 100°; only picks and squats go beyond.
    "knee flexion, standing": Rule(100.0, 115.0, 172.0, margin=8.0),
    # Runners and jumpers change a knee by 34° in 1/30 s; 50° is a pop in any motion.
    "knee jump": Rule(30.0, 36.0, 48.0, factor=1.25),
    # In deep squats some skeletons' pelves tilt so far that thighs are 207° from straight down.
    "hip flexion": Rule(120.0, 130.0, 215.0, margin=10.0),
    "hip extension": Rule(30.0, 40.0, 60.0, margin=10.0),
    "hip abduction": Rule(42.0, 50.0, 95.0, margin=8.0),
    "hip adduction": Rule(24.0, 30.0, 40.0, margin=6.0),
    # Minus the gap of bone axes, cm of a mean body: shanks are 5 cm thick, feet less.
    "leg gap": Rule(-6.0, -4.0, -2.0, margin=3.0),
    "foot gap": Rule(-2.0, -1.0, -0.5, margin=1.5),
    # Minus the height of the hips in leg lengths: below 0.6 is a squat or a seat.
    "crouch": Rule(-0.68, -0.6, -0.15, margin=0.05),
    # The same while the body is fast: nobody runs on knees.
    "crouch, fast": Rule(-0.75, -0.65, -0.45, margin=0.08),
    # Planted points that stray, mm of a mean body: 10 mm is seen in close-up, 15 mm by all. Takes
    # of default clips stray by 5 mm, recorded ones by 14 and 30 mm: no plan strays more.
    "drift": Rule(10.0, 15.0, 80.0),
    # Recorded leaps change the speed of the hips by 38 m/s², generated ones by 55, jumpy takes 78.
    "body jolt": Rule(30.0, 40.0, 70.0, factor=1.25),
}
"""One row per value; angles in degrees."""

_SPEEDS = {
    "hips": (300.0, 650.0), "spine": (300.0, 600.0), "chest": (250.0, 500.0),
    "neck": (350.0, 650.0), "head": (350.0, 650.0), "clavicle": (300.0, 600.0),
    "shoulder": (700.0, 1500.0), "elbow": (800.0, 1500.0), "wrist": (700.0, 1400.0),
    "hip": (800.0, 1300.0), "knee": (1000.0, 1400.0), "ankle": (1000.0, 2400.0),
    "toe": (1200.0, 3600.0),
}  # fmt: skip
"""Floor and cap of joint speeds, °/s over 1/30 s: what sprints, leaps and throws reach in
recordings, and what only damaged takes do."""
_SCALES = {"joint speed": 1.0, "joint acceleration": 45.0, "joint pop": 0.6}
"""Accelerations: from rest to 1.5 times the speed in 1/30 s. Pops: a share of the speed, gained
and lost within 2/30 s."""


_ANGLE = "joint angle"
_TURN = Rule(40.0, 60.0, 360.0, margin=30.0, general=False)
"""Angles from the rest pose of a skeleton: a plan turns trunk, head and arms as its sources do."""


def rule_of(name: str) -> Rule:
    """Return the rule of a value, like "foot yaw in" or "joint speed: knee"."""
    if name in RULES:
        return RULES[name]
    kind, part = name.split(": ")
    if kind == _ANGLE:
        return _TURN
    floor, cap = _SPEEDS[part]
    scale = _SCALES[kind]
    return Rule(0.8 * scale * floor, scale * floor, scale * cap, factor=1.5)


def has_rule(name: str) -> bool:
    """Return whether a value has limits that follow the sources."""
    return name in RULES or name.split(": ")[0] in (*_SCALES, _ANGLE)


@dataclass(frozen=True)
class AnatomyLimits:
    """Soft and hard limits per value.

    extremes  the greatest of each value in the sources; empty for people in general
    """

    extremes: Mapping[str, float] = field(default_factory=dict)
    _made: dict[str, tuple[float, float]] = field(default_factory=dict, repr=False, compare=False)

    def of(self, name: str) -> tuple[float, float]:
        """Return the soft and the hard limit of a value."""
        known = self._made.get(name)
        if known is None:
            known = rule_of(name).limits(self.extremes.get(name, math.nan))
            self._made[name] = known
        return known


_DIGITS = 3
"""The decimals to which stored extremes are rounded: the last bits differ between machines."""
_measured: WeakKeyDictionary[Clip, Mapping[str, float]] = WeakKeyDictionary()


def anatomy_limits(clips: Iterable[Clip]) -> AnatomyLimits:
    """Measure limits from source clips, each with its mirror image; cached by their content.

    Both sides of the body count for the same value, so a mirror image adds nothing to measure.
    """
    clips = tuple(clips)
    if all(clip in _measured for clip in clips):
        return AnatomyLimits(_join(_measured[clip] for clip in clips))
    store = ArrayStore("anatomy_limit", most_kept=64)
    key = address(rooms_version("task/verify"), [_fingerprint(clip) for clip in clips])
    found = store.load(key)
    if found is not None:
        names, values = found[1]["names"], found[0]["extremes"].tolist()
        return AnatomyLimits(dict(zip(names, values, strict=True)))
    extremes = _join(clip_extremes(clip) for clip in clips)
    store.keep(key, {"extremes": np.array(list(extremes.values()))}, {"names": list(extremes)})
    return AnatomyLimits(extremes)


def clip_extremes(clip: Clip) -> Mapping[str, float]:
    """Return the greatest of each value in a clip; kept as long as the clip is."""
    known = _measured.get(clip)
    if known is None:
        known = dict[str, float]()
        for tracks in anatomy_tracks(motion_of(clip)):
            for name, value in zip(tracks.names, tracks.values.max(axis=0).tolist(), strict=True):
                known[name] = max(known.get(name, -math.inf), value)
        _measured[clip] = known
    return known


def _join(tables: Iterable[Mapping[str, float]]) -> dict[str, float]:
    out: dict[str, float] = {}
    for table in tables:
        for name, value in table.items():
            if math.isfinite(value):
                out[name] = max(out.get(name, -math.inf), round(value, _DIGITS))
    return out


def _fingerprint(clip: Clip) -> str:
    """Return a hash of what is measured of a clip."""
    digest = hashlib.blake2b(f"{clip.skeleton.fingerprint} {clip.fps}".encode(), digest_size=16)
    for array in (clip.root, clip.rotations, clip.contacts):
        digest.update(b"" if array is None else np.ascontiguousarray(array).data)
    return digest.hexdigest()
