"""Drafts: motions that a method proposes, before they are finished and verified."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.maths.arrays import Bools, Floats, Ints
from footfall.task.plan import Segment

if TYPE_CHECKING:
    from footfall.body.clip import Clip


@dataclass(frozen=True, eq=False)
class PlannedStances:
    """K stances of a draft in the order of time, and where each foot is to stand.

    foot     (K,) 0 left, 1 right
    spans    (K, 2) first frame and frame after the last
    source   (K, 4) the footprint in the draft's clip: x, height, z, yaw
    target   (K, 4) where it is to be
    balls    (K, 3) the ball of the flat sole, relative to the footprint
    turned   (K,) yaw of the flat sole relative to the footprint, radians
    """

    foot: Ints
    spans: Ints
    source: Floats
    target: Floats
    balls: Floats
    turned: Floats

    def __len__(self) -> int:
        return len(self.foot)

    @property
    def times(self) -> Floats:
        """(K,) the middle of each stance, in frames."""
        return np.asarray(0.5 * (self.spans[:, 0] + self.spans[:, 1] - 1))

    def only(self, rows: Bools | Ints) -> PlannedStances:
        """Return some of the stances."""
        return PlannedStances(
            self.foot[rows], self.spans[rows], self.source[rows], self.target[rows],
            self.balls[rows], self.turned[rows],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Aim:
    """Where a part of the body is to be while it touches something.

    part   "left_hand", "right_hand" or "seat"
    frame  a frame in which it touches
    place  (3,) in the world, metres; a height of nan leaves the height free
    """

    part: str
    frame: int
    place: Floats


@dataclass(frozen=True)
class Finishing:
    """Which finishing steps a draft needs.

    smooth      whether its seams are smoothed, as far as effort, speeds and flights allow
    variation   how much strides vary, against the usual spread of a person; 0 for not at all
    move_feet   whether the variation moves footprints as well
    whole_body  whether it varies hips and legs too, or only trunk, arms and head
    lock_feet   whether feet are locked on the ground
    free_falls  whether flights are put back on parabolas
    """

    smooth: bool = False
    variation: float = 0.0
    move_feet: bool = False
    whole_body: bool = True
    lock_feet: bool = True
    free_falls: bool = True


@dataclass(frozen=True, eq=False)
class Draft:
    """A motion that a method proposes for a problem.

    clip        the motion, with contacts and touches
    segments    which clips it is made of, in order
    cost        what the method minimised, in its own unit
    bound       the cost is at most this many times the least for the problem as asked; inf if
                nothing is proven
    path        (N, 2) the path that it follows, metres; None if it follows none
    stances     where feet are to stand; None: where the clip's contacts have them
    aims        where hands and seat are to be
    seams       (S,) frames, not always whole ones, at which sources were joined
    finishing   which finishing steps it needs
    complete    whether it does the whole task; `reason` says why not
    notes       one sentence for each thing worth knowing
    timings     seconds by the name of the work
    footholds   (N, 3) x, z and yaw of the footholds it was chosen from; None without such
    anytime     (K, 4) how the search improved: seconds, cost, bound, states expanded
    made_of     what the method needs to avoid failing spans: its own path or edges
    """

    clip: Clip
    segments: tuple[Segment, ...] = ()
    cost: float = math.nan
    bound: float = math.inf
    path: Floats | None = None
    stances: PlannedStances | None = None
    aims: tuple[Aim, ...] = ()
    seams: Floats = field(default_factory=lambda: np.zeros(0))
    finishing: Finishing = Finishing()
    complete: bool = True
    reason: str = ""
    notes: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    footholds: Floats | None = None
    anytime: Floats | None = None
    made_of: Any = None

    @property
    def only_varied(self) -> bool:
        """Whether finishing only varies its motion: its feet have places, nothing else is done."""
        return self.stances is not None and not (self.aims or self.finishing.smooth)

    def plain(self) -> Draft:
        """Return the draft without any finishing step that a plan can do without."""
        steps = replace(self.finishing, smooth=False, variation=0.0)
        return replace(self, aims=(), finishing=steps)

    def is_same(self, other: Draft) -> bool:
        """Return whether two drafts are finished to the same motion."""
        a, b = self.clip, other.clip
        return (
            len(a) == len(b) and self.finishing == other.finishing
            and self.stances is other.stances and self.aims == other.aims
            and np.array_equal(a.root, b.root) and np.array_equal(a.rotations, b.rotations)
        )  # fmt: skip
