"""The default clips of going: their names, groups and figures.

Groups are tags too, so that a library can be asked for them: "park" are Park et al. 2004's twenty
examples, "basten" and "basten_paths" van Basten's databases and "basten_test" the walks they were
tried on, "dungeon" what Choi et al. 2003 need of gait, "locomotion" all single gaits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from footfall.body.clip import Clip
from footfall.generate.gait.gait_model import speed_within
from footfall.generate.gait.journeys import change_gait, start, stop, tight_turn, winding
from footfall.generate.gait.steady import steady
from footfall.generate.gait.stepping import shuffle, sidestep, stand, turn_in_place
from footfall.generate.limits import keep_limits
from footfall.generate.performer import MEAN_PERFORMER, Performer

GROUPS = ("park", "basten", "basten_paths", "basten_test", "dungeon", "locomotion")
_VARIATION = 1.0
"""How much strides differ: as people's do."""
_SPEEDS = ("speed_m_s", "from_m_s", "to_m_s", "speed")
_NO_STRIDES = (stand, shuffle, sidestep, turn_in_place)


@dataclass(frozen=True)
class GaitEntry:
    """One default clip: who makes it, from what, and what it is to be called and shown as."""

    name: str
    maker: Callable[..., Clip]
    settings: dict[str, Any]
    tags: tuple[str, ...]
    groups: tuple[str, ...] = field(default=("locomotion",))

    def make(self, who: Performer = MEAN_PERFORMER, seed: int = 0, fps: float = 60.0) -> Clip:
        """The clip; the same performer, seed and rate give the same bytes.

        Speeds and lengths are said of the mean performer; others go at their own pace.
        """
        own = {key: self._as_done_by(who, key, value) for key, value in self.settings.items()}
        settings: dict[str, Any] = {"fps": fps, "who": who, "seed": seed, **own}
        if self.maker not in _NO_STRIDES:
            settings.setdefault("variation", _VARIATION)
        clip = keep_limits(lambda own: self.maker(**{**settings, "who": own}), who)
        return clip.named(self.name).tagged((*self.tags, *self.groups))

    def _as_done_by(self, who: Performer, key: str, value: Any) -> Any:
        """What a setting of the mean performer's is for another."""
        tags = {"from_m_s": self.tags[:1], "to_m_s": self.tags[1:]}.get(key, self.tags)
        gait = "run" if "run" in tags else "back" if "backward" in tags else "walk"
        if key == "length_m":
            return value * who.size
        if key in _SPEEDS:
            return speed_within(gait, value * _pace(who, gait), who.leg_m)
        return value


def _pace(who: Performer, gait: str) -> float:
    """How fast a performer goes against the mean one; longer legs are slower pendulums."""
    tempo = who.style.run_tempo if gait == "run" else who.style.tempo
    return math.sqrt(who.size) * tempo


def gait_entries() -> tuple[GaitEntry, ...]:
    """All recipes of this half of the default clips, in a fixed order, each name once."""
    return (
        *_park(),
        *_speeds(),
        *_backward(),
        *_starts_and_stops(),
        *_turns(),
        *_stepping(),
        *_basten(),
        *_backward_ends(),
    )


def _steady(
    name: str, gait: str, speed: float, turn: float, seconds: float, groups: tuple[str, ...],
    phase: float = 0.0,
) -> GaitEntry:  # fmt: skip
    side = () if turn == 0.0 else (f"curve_{'left' if turn > 0.0 else 'right'}",)
    settings = {
        "name": gait, "speed_m_s": speed, "turn_rad_s": turn, "seconds": seconds, "phase": phase,
    }  # fmt: skip
    tag = "backward" if gait == "back" else gait
    return GaitEntry(name, steady, settings, (tag, *side), groups)


def _park() -> Iterator[GaitEntry]:
    """Ten walks, five slow and five fast runs: straight and turning both ways."""
    groups = ("park", "locomotion", "dungeon")
    walks = [(0.8, 0.0), (1.1, 0.0), (1.4, 0.0), (1.7, 0.0), (1.1, 0.35), (1.1, -0.35),
             (1.1, 0.75), (1.1, -0.75), (1.4, 0.55), (1.4, -0.55)]  # fmt: skip
    slow = [(2.4, 0.0), (2.4, 0.45), (2.4, -0.45), (2.4, 0.9), (2.4, -0.9)]
    fast = [(3.8, 0.0), (3.8, 0.35), (3.8, -0.35), (3.8, 0.7), (3.8, -0.7)]
    kinds = (("walk", walks, 4.5), ("run", slow, 3.2), ("run", fast, 2.8))
    for gait, examples, seconds in kinds:
        for speed, turn in examples:
            name = f"park_{gait}_{speed:g}{_bend(turn)}"
            yield _steady(name, gait, speed, turn, seconds, groups)


def _bend(turn: float) -> str:
    if turn == 0.0:
        return ""
    return f"_{'left' if turn > 0.0 else 'right'}_{abs(turn):g}"


def _speeds() -> Iterator[GaitEntry]:
    for speed in (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0):
        yield _steady(f"walk_{speed:g}", "walk", speed, 0.0, 4.5, ("locomotion",))
    for speed in (2.2, 2.8, 3.4, 4.4, 5.0):
        yield _steady(f"run_{speed:g}", "run", speed, 0.0, 3.0, ("locomotion",))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        turn = sign * 0.7
        yield _steady(f"walk_curve_{side}", "walk", 0.9, turn, 5.0, ("locomotion", "dungeon"))


def _backward() -> Iterator[GaitEntry]:
    for speed in (0.65, 0.8, 0.9):
        groups = ("locomotion", "dungeon") if speed == 0.8 else ("locomotion",)
        yield _steady(f"back_{speed:g}", "back", speed, 0.0, 4.5, groups)
    for side, turn in (("left", 0.4), ("right", -0.4)):
        yield _steady(f"back_curve_{side}", "back", 0.8, turn, 5.0, ("locomotion", "dungeon"))


def _backward_ends() -> Iterator[GaitEntry]:
    """Starts and stops of walking backward. They come last: a clip's seed is its place."""
    groups = ("locomotion", "dungeon")
    for foot in ("left", "right"):
        off, on = (
            {"speed_m_s": speed, "foot": foot, "gait": "back", "seconds": 3.6}
            for speed in (0.8, 0.92)
        )
        going, ending = ("stand", "start", "backward"), ("backward", "stop", "stand")
        yield GaitEntry(f"back_start_{foot}", start, off, going, groups)
        yield GaitEntry(f"back_stop_{foot}", stop, on, ending, groups)


def _starts_and_stops() -> Iterator[GaitEntry]:
    groups = ("locomotion", "dungeon")
    for speed in (1.0, 1.4):
        for foot in ("left", "right"):
            settings = {"speed_m_s": speed, "foot": foot}
            going = ("stand", "start", "walk")
            yield GaitEntry(f"start_{foot}_{speed:g}", start, settings, going, groups)
            yield GaitEntry(
                f"stop_{foot}_{speed:g}", stop, settings, ("walk", "stop", "stand"), groups
            )
    for foot in ("left", "right"):
        settings = {"speed_m_s": 3.0, "foot": foot, "gait": "run"}
        off, on = ("stand", "start", "run"), ("run", "stop", "stand")
        yield GaitEntry(f"run_start_{foot}", start, settings, off, groups)
        yield GaitEntry(f"run_stop_{foot}", stop, settings, on, groups)
    for phase, foot in ((0.0, "right"), (0.5, "left")):
        up = {"from_m_s": 1.5, "to_m_s": 2.8, "phase": phase, "seconds": 4.6}
        down = {"from_m_s": 2.8, "to_m_s": 1.5, "phase": phase, "seconds": 4.6}
        yield GaitEntry(f"walk_to_run_{foot}", change_gait, up, ("walk", "run"), groups)
        yield GaitEntry(f"run_to_walk_{foot}", change_gait, down, ("run", "walk"), groups)


def _turns() -> Iterator[GaitEntry]:
    groups = ("locomotion", "dungeon")
    for size in (45.0, 90.0, 135.0, 180.0):
        for side, sign in (("left", 1.0), ("right", -1.0)):
            kind = "turn" if size > 60.0 else "curve"
            settings = {
                "angle_deg": sign * size, "speed_m_s": 1.1, "phase": 0.0 if sign > 0.0 else 0.5,
            }  # fmt: skip
            tags = ("walk", f"{kind}_{side}")
            yield GaitEntry(f"turn_{side}_{size:g}", tight_turn, settings, tags, groups)


def _stepping() -> Iterator[GaitEntry]:
    groups = ("locomotion", "dungeon")
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for length in (0.3, 0.5):
            settings: dict[str, Any] = {"side": side, "length_m": length}
            name = f"sidestep_{side}_{length:g}"
            yield GaitEntry(name, sidestep, settings, (f"sidestep_{side}",), groups)
        for size in (45.0, 90.0, 135.0, 180.0):
            settings = {"angle_deg": sign * size}
            name = f"turn_in_place_{side}_{size:g}"
            yield GaitEntry(name, turn_in_place, settings, (f"turn_in_place_{side}",), groups)
    for n, maker in ((1, stand), (2, shuffle)):
        yield GaitEntry(f"stand_{n}", maker, {"seconds": 5.0}, ("stand",), groups)


def _basten() -> Iterator[GaitEntry]:
    """Five curvatures in two sizes, and the walks they were tried on, at 30 Hz.

    The databases of the paper have 832 frames (metrics) and 683 frames (path abstractions).
    """
    curvatures = {
        "straight": 0.0, "left": 0.3, "right": -0.3, "tight_left": 0.9, "tight_right": -0.9,
    }  # fmt: skip
    for group, frames in (("basten", 832), ("basten_paths", 683)):
        for n, (name, turn) in enumerate(curvatures.items()):
            share = frames // 5 + (n < frames % 5)
            yield _walk_at_30_hz(
                f"{group}_{name}", [(0.0, turn), (12.0, turn)], share, group, 0.2 * n
            )
    tried = {
        "straight": [(0.0, 0.0), (9.0, 0.0)],
        "low": [(0.0, 0.3), (4.0, 0.3), (5.5, -0.3), (9.0, -0.3)],
        "high": [(0.0, 0.9), (3.0, 0.9), (4.5, -0.9), (9.0, -0.9)],
    }
    for name, turns in tried.items():
        yield _walk_at_30_hz(f"basten_test_{name}", turns, 300, "basten_test", 0.35)


def _walk_at_30_hz(
    name: str, turns: list[tuple[float, float]], frames: int, group: str, phase: float
) -> GaitEntry:
    settings: dict[str, Any] = {
        "turns": turns, "speed": 1.0, "frames": frames, "fps": 30.0, "variation": 1.0,
        "phase": phase,
    }  # fmt: skip
    rates = [rate for _, rate in turns]
    sides = (("curve_left", max(rates)), ("curve_right", -min(rates)))
    tags = ("walk", *(side for side, most in sides if most > 0.2))
    return GaitEntry(name, winding, settings, tags, (group,))
