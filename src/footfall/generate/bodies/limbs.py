"""The one solver of bodies over feet: hips from the centre of mass, limbs by inverse kinematics.

All but legs and reaching arms turns as it is given, so its share of the centre of mass is worked
out once; the rest is solved frame by frame in compiled code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from footfall.body.feet import Foot, foot_of
from footfall.body.kinematics import forward_kinematics
from footfall.body.mass import BodySegment, mass_centres, segments
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.generate.performer import Performer
from footfall.generate.skeleton import performer_skeleton
from footfall.maths.arrays import Floats
from footfall.maths.filters import running_max, smooth_gaussian

_ROUNDS, _NEAR_M = 60, 2e-8
_JOINTS = {"leg": ("hip", "knee", "ankle"), "arm": ("shoulder", "elbow", "wrist")}
_PARTS = {"leg": ("thigh", "shank", "foot"), "arm": ("upper_arm", "forearm", "hand")}
LEGS = tuple((side, "leg") for side in SIDES)
_LIMITS = ("longest", "soft", "most", "free", "swivel")
LIMB = np.dtype([
    ("from_root", np.float64, (3, 3)), ("turns", np.float64, (5, 4)), ("end", np.float64, 3),
    ("pull", np.float64), *((name, np.float64) for name in _LIMITS),
    ("out", np.float64, (3, 4)), ("far", np.float64),
], align=True)  # fmt: skip
"""A limb in one frame, for the kernels: a `LimbGoal`, its limits by name, and what was solved.

out  rotations of its three joints against their parents;  far  how far it is to reach, metres
"""
PARTS = np.dtype([
    ("bones", np.float64, (2, 3)), ("centres", np.float64, (3, 3)), ("masses", np.float64, 3),
], align=True)  # fmt: skip
"""A limb's bones to its middle joint and to its end, and the centres of mass and the masses, as
shares of the body's, of its upper part, lower part and end."""


@lru_cache(maxsize=256)
def skeleton_of(who: Performer) -> Skeleton:
    """The default character as a performer's body, made once."""
    return performer_skeleton(who)


@lru_cache(maxsize=256)
def feet_of(who: Performer) -> tuple[Foot, Foot]:
    """The left and the right foot of a performer."""
    left, right = (foot_of(skeleton_of(who), side) for side in SIDES)
    return left, right


@dataclass(frozen=True, eq=False)
class LimbGoal:
    """Where one limb is to reach in T frames.

    from_root  (T, 3, 3) its upper joint, middle joint and end before, from the root
    turns      (T, 5, 4) above it, its upper and lower bone before, its end; hinge (0, x, y, z)
    end        (T, 3) where its end is drawn to;  pull  (T,) how far, 0 to 1
    limits     (T, 5) longest reach and the share in which it is neared; the most the end bends up,
               and from where on it resists (0.6 of both to its sides), 0 for both: the end stays
               as it is turned against the lower part, which its turn is then; what the end turns
               freely against the middle joint, 0: the limb does not turn with it
    """

    from_root: Floats
    turns: Floats
    end: Floats
    pull: Floats
    limits: Floats


@dataclass(frozen=True, eq=False)
class Solved:
    """A body over its feet.

    root       (T, 3)
    rotations  (T, J, 4) against the parents
    far        (T, N) how far each limb is to reach, metres
    """

    root: Floats
    rotations: Floats
    far: Floats


class Limbs:
    """The limbs of a body that are solved for, and the mass of all that is not.

    rotations  (T, J, 4) of trunk, head and arms against their parents
    limbs      ("left", "leg"), … in the order of their goals
    """

    def __init__(
        self, character: Skeleton, rotations: Floats, limbs: Sequence[tuple[str, str]] = LEGS
    ) -> None:
        self.character, self.rotations = character, rotations
        self.poses = forward_kinematics(character, np.zeros((len(rotations), 3)), rotations)
        self.joints = [limb_joints(character, side, kind) for side, kind in limbs]
        parts = {part.name: part for part in _segments(character)}
        moving = [[parts.pop(f"{side}_{p}") for p in _PARTS[kind]] for side, kind in limbs]
        self._parts = np.zeros(len(limbs), PARTS)
        self._parts["bones"] = [character.offsets[list(j[1:])] for j in self.joints]
        self._parts["centres"] = [[part.centre for part in row] for row in moving]
        self._parts["masses"] = [[part.mass_kg for part in row] for row in moving]
        self._trunk = mass_centres(self.poses, list(parts.values()))
        self._share = float(sum(part.mass_kg for part in parts.values()))

    def lengths(self, limb: int) -> tuple[float, float]:
        """Metres of the upper and the lower bone of a limb."""
        upper, lower = np.linalg.norm(self.bones(limb), axis=1).tolist()
        return upper, lower

    def bones(self, limb: int) -> Floats:
        """(2, 3) from its upper to its middle joint and from there to its end, at rest."""
        return np.asarray(self._parts["bones"][limb])

    def from_root(self, joint: int) -> Floats:
        """(T, 3) a joint of what is given, from the root."""
        return np.asarray(self.poses.positions[:, joint])

    def solve(
        self, root: Floats, goals: Sequence[LimbGoal], centre: Floats | None = None,
        *, level: bool = False, near_m: float = _NEAR_M,
    ) -> Solved:  # fmt: skip
        """The limbs with their ends where they are to be, and the hips where `centre` (T, 3), the
        body's centre of mass, asks for.

        root    (T, 3) to begin with; without a centre it stays
        level   whether its height stays in any case
        near_m  how near the centre of mass comes to where it is to be
        """
        from footfall.generate.bodies.kernels import settle

        root = np.array(root)
        limbs = np.zeros((len(root), len(goals)), LIMB)
        for n, goal in enumerate(goals):
            for name in ("from_root", "turns", "end", "pull"):
                limbs[name][:, n] = getattr(goal, name)
            for name, values in zip(_LIMITS, goal.limits.T, strict=True):
                limbs[name][:, n] = values
        settle(
            root if centre is None else centre, level, self._trunk, self._share, limbs, self._parts,
            1 if centre is None else _ROUNDS, near_m, root,
        )  # fmt: skip
        rotations = self.rotations.copy()
        for n, joints in enumerate(self.joints):
            rotations[:, list(joints)] = limbs["out"][:, n]
        return Solved(root, rotations, limbs["far"])


@lru_cache(maxsize=16)
def _segments(character: Skeleton) -> tuple[BodySegment, ...]:
    """The parts of a body, their masses as shares of it."""
    return segments(character, 1.0)


def limb_joints(character: Skeleton, side: str, kind: str) -> tuple[int, int, int]:
    """The three joints of a "leg" or an "arm"."""
    upper, middle, end = (character.role(f"{side}_{part}") for part in _JOINTS[kind])
    return upper, middle, end


def drop_to_reach(line: Floats, longest: Floats | float) -> Floats:
    """(T,) how much lower, metres, a hip must be for a leg of `longest` to reach along `line`
    (T, 3), from hip to ankle; negative is what is left."""
    square = np.maximum(longest**2 - line[:, 0] ** 2 - line[:, 2] ** 2, 0.0)
    return np.asarray(-line[:, 1] - np.sqrt(square))


def soft_reach(distance: Floats, longest: Floats, soft: float) -> Floats:
    """(T,) distances that approach `longest` (T,) smoothly within its last `soft` share (C¹)."""
    zone = soft * longest
    over = np.maximum(distance - longest + zone, 0.0)
    return np.where(over > 0.0, longest - zone - zone * np.expm1(-over / zone), distance)


def cover(need: Floats, half_width: int, sigma: float) -> Floats:
    """(T,) a smooth curve about as high as the highest of `need` (T,) nearby, in frames."""
    return smooth_gaussian(running_max(need, half_width), sigma)
