"""The stages of a query: what to do, one after the other, each with its own tolerance.

Every stage is a small frozen value. Which of them a planner can do it says itself; the others it
refuses, and names the planner that can.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError, check_range, choices
from footfall.maths.arrays import Floats, frozen_floats

FURTHEST_M = 1e6
"""No place is further from the middle of the world than this."""
WITHIN_M, WITHIN_RAD = 0.1, math.radians(5.0)
"""How near a motion begins and ends to where, and to which heading, it was asked to."""
HANDS = ("either", "left", "right")
FEET = ("either", "left", "right")


def is_number(value: object) -> bool:
    """Return whether a value is a finite real number."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True)
class Place:
    """A place on the ground and, if it matters, the heading there.

    x, z  metres
    yaw   radians, positive to the left of +Z; None if any will do
    """

    x: float
    z: float
    yaw: float | None = None

    def __post_init__(self) -> None:
        given = (self.x, self.z) if self.yaw is None else (self.x, self.z, self.yaw)
        _check_numbers("place", given, "x, z[, yaw]")

    @property
    def point(self) -> Floats:
        """(2,) x and z."""
        return np.array([self.x, self.z])


def _check_numbers(what: str, given: Iterable[object], names: str) -> None:
    values = tuple(given)
    if not all(is_number(v) and abs(v) <= FURTHEST_M for v in values):  # type: ignore[arg-type]
        raise InputError(
            f"the {what} is {str(values)[:80]}", remedy=f"it takes finite numbers {names}"
        )


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Something to do on the way.

    by_s  seconds after the beginning by which it must be done; None for no limit
    """

    kind: ClassVar[str] = ""
    by_s: float | None = None

    def __post_init__(self) -> None:
        for name in ("within_m", "within_rad", "corridor_m", "by_s"):
            value = getattr(self, name, None)
            if value is not None:
                check_range(f"{name} of a stage {self.kind!r}", value, above=0.0)

    @property
    def points(self) -> Floats:
        """(N, 2) the points on the ground that it leads through; none if it stays."""
        return np.zeros((0, 2))


@dataclass(frozen=True)
class _AtPlace(Stage):
    """A stage at a place on the ground."""

    x: float
    z: float
    yaw: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        Place(self.x, self.z, self.yaw)

    @property
    def place(self) -> Place:
        return Place(self.x, self.z, self.yaw)

    @property
    def points(self) -> Floats:
        return np.array([[self.x, self.z]])


@dataclass(frozen=True)
class GoTo(_AtPlace):
    """Go to a place, and face `yaw` there if it is given; come to rest if it is the last stage."""

    kind: ClassVar[str] = "go to"
    within_m: float = WITHIN_M
    within_rad: float = WITHIN_RAD


@dataclass(frozen=True)
class Via(_AtPlace):
    """Pass through a place without stopping."""

    kind: ClassVar[str] = "via"
    within_m: float = 0.5


@dataclass(frozen=True, eq=False)
class Follow(Stage):
    """Follow a path (N, 2), x and z, staying within `corridor_m` of it.

    A path may be given by its name or file as well: Follow("zigzag").
    """

    kind: ClassVar[str] = "follow"
    path: Floats
    corridor_m: float = 1.0

    if TYPE_CHECKING:  # what may be given is more than what is there afterwards

        def __init__(
            self, path: ArrayLike | str | Path, corridor_m: float = 1.0, *,
            by_s: float | None = None,
        ) -> None: ...  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        path: ArrayLike | str | Path = self.path
        if isinstance(path, str | Path):
            from footfall.files.task.paths import load_path

            path = load_path(path).points
        path = frozen_floats(path, (None, 2), "path")
        object.__setattr__(self, "path", path)
        if len(path) == 0:
            raise InputError("the path has no points", remedy="it needs two")
        if np.abs(path).max() > FURTHEST_M:
            raise InputError(
                f"the path goes {np.abs(path).max():.3g} m away", remedy=f"at most {FURTHEST_M:g} m"
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Follow):
            return NotImplemented
        same = (self.corridor_m, self.by_s) == (other.corridor_m, other.by_s)
        return same and np.array_equal(self.path, other.path)

    def __hash__(self) -> int:
        return hash((self.kind, self.corridor_m, self.by_s, self.path.tobytes()))

    @property
    def points(self) -> Floats:
        return self.path


@dataclass(frozen=True)
class StandOn(_AtPlace):
    """Put a foot (`left`, `right` or `either`) on a foothold; its toes point to `yaw` if given."""

    kind: ClassVar[str] = "stand on"
    foot: str = "either"
    within_m: float = 0.02

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_choice("foot", self.foot, FEET)


@dataclass(frozen=True)
class _ByHand(Stage):
    """A stage in which a hand reaches for a point."""

    x: float
    y: float
    z: float
    hand: str = "either"
    within_m: float = 0.025
    stand: Place | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_numbers("point", (self.x, self.y, self.z), "x, y, z")
        _check_choice("hand", self.hand, HANDS)
        if self.stand is not None and not isinstance(self.stand, Place):
            raise InputError(f"stand is {str(self.stand)[:80]}", remedy="give a Place(x, z)")

    @property
    def points(self) -> Floats:
        return np.array([[self.x, self.z]]) if self.stand is None else self.stand.point[None]


@dataclass(frozen=True)
class Pick(_ByHand):
    """Take something at x, y, z with a hand; `stand` says where to stand for it."""

    kind: ClassVar[str] = "pick"


@dataclass(frozen=True)
class PutDown(_ByHand):
    """Put what was taken down at x, y, z."""

    kind: ClassVar[str] = "put down"


@dataclass(frozen=True)
class Sit(_AtPlace):
    """Sit down on a seat `height_m` above the ground whose middle is at x, z, facing `yaw`."""

    kind: ClassVar[str] = "sit"
    height_m: float = 0.45
    within_m: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("the height of a seat", self.height_m, 0.1, 1.5, unit="m")


@dataclass(frozen=True)
class StandUp(Stage):
    """Stand up from the seat."""

    kind: ClassVar[str] = "stand up"


@dataclass(frozen=True)
class Duck(_AtPlace):
    """Pass a place with no part of the body above `height_m`."""

    kind: ClassVar[str] = "duck"
    height_m: float = 1.2
    within_m: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("the height to duck under", self.height_m, 0.3, 3.0, unit="m")


def _check_choice(name: str, value: str, valid: tuple[str, ...]) -> None:
    if value not in valid:
        raise InputError(f"the {name} is {str(value)[:40]!r}", remedy=choices(valid, str(value)))


STAGES: dict[str, type[Stage]] = {
    stage.kind: stage for stage in (GoTo, Follow, Via, StandOn, Pick, PutDown, Sit, StandUp, Duck)
}
"""Every stage there is, by the word that task files and reasons call it."""
