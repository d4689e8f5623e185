"""Hierarchical displacement mapping: a clip bent smoothly until it meets its constraints.

Lee & Shin 1999. Every constrained frame is solved on its own; what it lacks is fitted by a cubic
B-spline over coarse knots and added to the motion; what is still missing then, measured on the
motion as it has become, is fitted over knots half as far apart, and so on. Coarse levels carry
most of the change, so the detail of the motion stays.

Where we differ: limbs are solved in closed form at every level and root and spine move only as
far as a limb would not reach; a level that would not lessen what is missing is left out; after
the last level the limbs alone are set exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.adapt.edit.constraints import PELVIS, Constraint, Targets, targets_of
from footfall.adapt.feet import constants
from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints

_FINEST_FRAMES = 0.5


@dataclass(frozen=True)
class DisplaceOptions:
    """How a clip is bent.

    spacing_s     how far apart the knots of the first level are, seconds
    levels        how many levels at most, each with knots half as far apart
    tolerance_m   levels end when no constraint is missed by more
    tolerance_rad and no orientation by more
    keep_ends     the first and the last frame stay as they are, to the second derivative
    exact         after the last level the limbs of constrained frames are set exactly
    reach         the share of a limb's length that may be needed before the body moves; None:
                  as for held feet
    """

    spacing_s: float = 0.5
    levels: int = 16
    tolerance_m: float = 1e-3
    tolerance_rad: float = 0.01
    keep_ends: bool = False
    exact: bool = True
    reach: float | None = None

    def __post_init__(self) -> None:
        if not (1e-3 <= self.spacing_s <= 3600.0):
            raise InputError(f"knots {self.spacing_s} s apart", remedy="between 0.001 and 3600 s")
        if not 0 <= self.levels <= 64:
            raise InputError(f"{self.levels} levels", remedy="between 0 and 64")
        if self.reach is not None and not 0.5 <= self.reach <= 1.0:
            raise InputError(f"a reach of {self.reach}", remedy="between 0.5 and 1")


@dataclass(frozen=True)
class Missing:
    """How far constraints are missed: the worst and the root mean square, metres and radians."""

    worst_m: float
    mean_m: float
    worst_rad: float
    mean_rad: float

    @property
    def all_in_all(self) -> float:
        """Distances and angles as one number, an angle taken at a tenth of a metre."""
        return math.hypot(self.mean_m, 0.1 * self.mean_rad)


@dataclass(frozen=True)
class Level:
    """The result of one level.

    spacing_s   how far apart its knots are
    missing     how far constraints were missed after it
    turned_rad  root mean square of the turns it added, over all turned joints and frames
    """

    spacing_s: float
    missing: Missing
    turned_rad: float


@dataclass(frozen=True, eq=False)
class Displaced:
    """The bent clip, and how it came about.

    before   how far constraints were missed at the start
    levels   what each level did, the coarsest first
    missing  how far they are missed now
    """

    clip: Clip
    before: Missing
    levels: tuple[Level, ...]
    missing: Missing


def displace(
    clip: Clip, constraints: Iterable[Constraint], options: DisplaceOptions = DisplaceOptions()
) -> Displaced:
    """Return `clip` bent so that it meets the constraints.

    Without constraints it is returned as it is. What cannot be reached is met as far as the limb
    goes, and `missing` says how much is not.
    """
    targets = targets_of(clip.skeleton, len(clip), constraints)
    if not targets.what.any():
        nothing = Missing(0.0, 0.0, 0.0, 0.0)
        return Displaced(clip, nothing, (), nothing)
    bend = _Bend(clip, targets, options)
    bend.run_levels()
    if options.exact:
        bend.set_exactly()
    bent = clip.derive(root=bend.root, rotations=quat.continuous(bend.rotations))
    return Displaced(bent, bend.before, tuple(bend.levels), bend.missing)


class DisplacedBody(NamedTuple):
    """Which joints a displacement turns, for the kernels.

    parents, offsets  of all joints
    joints   body joints (the root, the spine if hands ask for it), then three of each limb
    spine    joints that bend for hands
    starts   where the columns of the body and of each limb start
    hips     the pelvis
    reach    the share of a limb's length that may be needed before the body moves
    straightest  the most that a limb may be stretched, if the source does
    """

    parents: Ints
    offsets: Floats
    joints: Ints
    spine: Ints
    starts: Ints
    hips: int
    reach: float
    straightest: float


def _displaced_body(skeleton: Skeleton, targets: Targets, reach: float) -> DisplacedBody:
    hips = skeleton.role(PELVIS)
    spine: list[int] = []
    if targets.arms.any():
        spine = skeleton.chain(hips, skeleton.role("chest"))[1:]
    joints = [0, *spine, *targets.limbs.ravel().tolist()]
    body = 3 + 3 * (1 + len(spine))
    starts = [0, *(body + 9 * e for e in range(len(targets.arms) + 1))]
    return DisplacedBody(
        skeleton.parents, skeleton.offsets, np.array(joints, np.int32), np.array(spine, np.int32),
        np.array(starts, np.int32), hips, reach, constants.FEET.straightest,
    )  # fmt: skip


class _Bend:
    """A motion on its way to its constraints; the arrays are changed level by level."""

    def __init__(self, clip: Clip, targets: Targets, options: DisplaceOptions) -> None:
        self.fps, self.targets, self.options = clip.fps, targets, options
        reach = constants.FEET.reach if options.reach is None else options.reach
        self.body = _displaced_body(clip.skeleton, targets, reach)
        self.root, self.rotations = np.array(clip.root), np.array(clip.rotations)
        self.data = np.zeros((len(clip), 1 + len(self.body.joints), 3))
        self.has = np.zeros((len(clip), targets.what.shape[1]), np.int8)
        self.levels: list[Level] = []
        self.missing = self.before = self._measure(self.data)

    def run_levels(self) -> None:
        """Add levels until the constraints are met or knots are as near as half a frame."""
        spacing = 2.0 ** round(math.log2(max(self.options.spacing_s * self.fps, 1.0)))
        for _ in range(self.options.levels):
            near = self.missing.worst_m <= self.options.tolerance_m
            aligned = self.missing.worst_rad <= self.options.tolerance_rad
            if (near and aligned) or spacing < _FINEST_FRAMES:
                break
            self._add_level(spacing)
            spacing /= 2.0

    def set_exactly(self) -> None:
        """Set the limbs of constrained frames exactly; the body stays."""
        from footfall.adapt.edit.displace_kernels import set_limbs

        set_limbs(self.body, self.targets, self.root, self.rotations)
        self.missing = self._measure(np.empty((len(self.root), 0, 3)))

    def _add_level(self, spacing: float) -> None:
        from footfall.adapt.edit.displace_kernels import apply, fit

        data = self.data.reshape(len(self.root), -1)
        frames, columns = data.shape
        spans = max(1, math.ceil((frames - 1) / spacing - 1e-9))
        control = np.empty((spans + 3, columns))
        weights = np.empty((spans + 3, self.has.shape[1]))
        fit(
            self.has, data, self.body.starts, spacing, self.options.keep_ends,
            control, weights,
        )  # fmt: skip
        root, rotations = self.root.copy(), self.rotations.copy()
        turned = apply(self.body.joints, spacing, control, self.root, self.rotations)
        now = self._measure(self.data)
        if now.all_in_all >= self.missing.all_in_all or now.worst_m > self.missing.worst_m:
            self.root, self.rotations = root, rotations
            self._measure(self.data)
            return
        self.missing = now
        turned_rad = math.sqrt(turned / (frames * len(self.body.joints)))
        self.levels.append(Level(spacing / self.fps, now, turned_rad))

    def _measure(self, data: Floats) -> Missing:
        """Return the remaining error; fill `data` (T, 1 + M, 3) with displacements."""
        from footfall.adapt.edit.displace_kernels import measure

        missing = np.zeros(5)
        measure(self.body, self.targets, self.root, self.rotations, missing, self.has, data)
        count = max(float(missing[4]), 1.0)
        return Missing(
            float(missing[0]), math.sqrt(missing[1] / count),
            float(missing[2]), math.sqrt(missing[3] / count),
        )  # fmt: skip
