"""Constraints: a hand, a foot or the pelvis kept at a place in the world for some frames.

Places may follow the frames (a foot that rolls from heel to toe) or be one place for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from footfall.adapt.feet.holds import GroundSurface
from footfall.adapt.feet.lock import holds_of, put_on_ground, with_contacts
from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints, frozen_floats

LIMBS = {
    "left_ankle": ("left_hip", "left_knee", "left_ankle"),
    "right_ankle": ("right_hip", "right_knee", "right_ankle"),
    "left_wrist": ("left_shoulder", "left_elbow", "left_wrist"),
    "right_wrist": ("right_shoulder", "right_elbow", "right_wrist"),
}
"""The limb that each end belongs to: root, middle and end."""

HINGES = {
    "left_ankle": (1.0, 0.0, 0.0),
    "right_ankle": (1.0, 0.0, 0.0),
    "left_wrist": (0.0, -1.0, 0.0),
    "right_wrist": (0.0, 1.0, 0.0),
}
"""The axis at rest about which a positive turn bends the limb."""

PELVIS = "hips"
PLACE, TURN = 1, 2
"""Bits of what a frame constrains."""


@dataclass(frozen=True, eq=False)
class Constraint:
    """A point of a body part kept at a place, frames `first` up to, not including, `stop`.

    part         "left_ankle", "right_ankle", "left_wrist", "right_wrist" or "hips"
    position     (3,) or (stop - first, 3) where the point is to be in the world, metres
    orientation  (4,) or (stop - first, 4) the part's orientation in the world; None: as it is
    point        (3,) the point in the part's own frame, metres
    """

    part: str
    first: int
    stop: int
    position: Floats
    orientation: Floats | None = None
    point: Floats = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        if self.part != PELVIS and self.part not in LIMBS:
            raise InputError(
                f"a constraint on {self.part!r}", remedy=f"choose {', '.join([*LIMBS, PELVIS])}"
            )
        if not 0 <= self.first < self.stop:
            raise InputError(
                f"a constraint from frame {self.first} up to {self.stop}",
                where=self.part,
                remedy="it begins at 0 or later and holds at least one frame",
            )
        put = object.__setattr__
        put(self, "position", self._per_frame(self.position, 3, "position"))
        put(self, "point", frozen_floats(self.point, (3,), "point"))
        if self.orientation is not None:
            turns = self._per_frame(self.orientation, 4, "orientation")
            if np.abs(np.linalg.norm(turns, axis=1) - 1.0).max() > 1e-6:
                raise InputError(
                    "an orientation is no unit quaternion", where=self.part, remedy="normalise it"
                )
            put(self, "orientation", turns)

    def _per_frame(self, values: Floats, width: int, name: str) -> Floats:
        frames = self.stop - self.first
        array = np.asarray(values, dtype=np.float64)
        if array.shape == (width,):
            array = np.broadcast_to(array, (frames, width))
        return frozen_floats(array, (frames, width), name)


class Targets(NamedTuple):
    """All constraints frame by frame, for E constrained limb ends and then the pelvis.

    limbs     (E, 3) joints of the limbs: root, middle, end
    hinges    (E, 3) the axes they bend about at rest
    arms      (E,) whether each limb hangs on the spine
    what      (T, E + 1) PLACE and TURN bits; the last column is the pelvis
    places    (T, E + 1, 3), turns (T, E + 1, 4), points (T, E + 1, 3)
    """

    limbs: Ints
    hinges: Floats
    arms: Ints
    what: Ints
    places: Floats
    turns: Floats
    points: Floats


def targets_of(skeleton: Skeleton, frames: int, constraints: Iterable[Constraint]) -> Targets:
    """Return the constraints laid out by frame; an error says where two want the same part."""
    constraints = list(constraints)
    parts = tuple(p for p in LIMBS if any(c.part == p for c in constraints))
    limbs = np.array([[skeleton.role(r) for r in LIMBS[p]] for p in parts], np.int32)
    columns = len(parts) + 1
    what = np.zeros((frames, columns), np.int32)
    places, points = np.zeros((frames, columns, 3)), np.zeros((frames, columns, 3))
    turns = np.zeros((frames, columns, 4))
    for c in constraints:
        column = parts.index(c.part) if c.part != PELVIS else len(parts)
        if c.stop > frames:
            raise InputError(
                f"a constraint up to frame {c.stop}", where=c.part, remedy=f"up to {frames} at most"
            )
        span = slice(c.first, c.stop)
        if what[span, column].any():
            frame = c.first + int(np.flatnonzero(what[span, column])[0])
            raise InputError(
                f"two constraints hold frame {frame}", where=c.part, remedy="one at a time"
            )
        what[span, column] = PLACE if c.orientation is None else PLACE | TURN
        places[span, column], points[span, column] = c.position, c.point
        if c.orientation is not None:
            turns[span, column] = c.orientation
    hinges = np.array([HINGES[p] for p in parts]).reshape(-1, 3)
    arms = np.array([p.endswith("_wrist") for p in parts], np.int32)
    return Targets(limbs.reshape(-1, 3), hinges, arms, what, places, turns, points)


def hold_constraints(clip: Clip, ground: GroundSurface | None = None) -> list[Constraint]:
    """Return a constraint for each contact of a foot, which rolls from heel to ball in place."""
    feet, holds = holds_of(with_contacts(clip))
    if ground is not None:
        holds = put_on_ground(feet, holds, ground)
    held = []
    for foot, of_foot in zip(feet, holds, strict=True):
        ankles = of_foot.ankles(foot)
        for first, stop in of_foot.spans.tolist():
            there, turns = ankles[first:stop], of_foot.turns[first:stop]
            held.append(Constraint(f"{foot.side}_ankle", first, stop, there, turns))
    return held
