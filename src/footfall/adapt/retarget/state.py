"""The state of live retargeting: two rigs, and each character between frames.

All that has a fixed size is in structured arrays: kernels pass one pointer around, not dozens of
arrays, which is faster to compile and to run.
"""

from __future__ import annotations

import math
from dataclasses import asdict, fields
from typing import Any, NamedTuple

import numpy as np

from footfall.adapt.edit.constraints import HINGES, LIMBS
from footfall.adapt.feet import constants
from footfall.adapt.feet.constants import FeetConstants
from footfall.adapt.retarget.carry import CarryRig, ankle_height, carry_rig, hip_middle, leg_ratio
from footfall.body.feet import foot_of, leg_length
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints

FORESEEN_SAMPLES = 7
"""Points at which ground is asked for under a foot whose landing is foreseen, and ahead of it."""


RIG = np.dtype([
    ("source_hips", np.int32, 2), ("source_wrists", np.int32, 2), ("source_ankles", np.int32, 2),
    ("source_middles", np.float64, (2, 3)), ("way_factor", np.float64), ("factor", np.float64),
    ("source_ankle_m", np.float64), ("ankle_m", np.float64), ("middle", np.float64, 3),
    ("limbs", np.int32, (4, 3)), ("hinges", np.float64, (4, 3)), ("toes", np.int32, 2),
    ("sole", np.float64, (2, 3, 3)), ("legs_m", np.float64, 2), ("bones_m", np.float64, (2, 2)),
    ("sole_m", np.float64, 2), ("edge_m", np.float64, 2), ("leg_m", np.float64),
    ("most_rad_s", np.float64, 3), ("exact", np.int32), ("dt", np.float64),
    *((constant.name, np.float64) for constant in fields(FeetConstants)),
], align=True)  # fmt: skip
"""Dimensions of a source and a target character, and the constants of the feet engine.

factor   leg length over leg length; way_factor the same for the way over the ground
ankle_m  height of the target's ankles above its soles; source_ankle_m the source's
middle   from the target's root to the middle of its hip joints, at rest
limbs    left and right leg, left and right arm: root, middle, end
toes     toe joints, -1 for none
sole     heel, ball and ball joint in the ankle's frame
source_middles  halfway from heel to ball in the frame of the source's ankles
exact    whether footprints are to be where the source's are
legs_m   lengths of the target's legs, bones_m of thighs and shanks; leg_m the mean leg
sole_m   from heel to ball; edge_m how much higher one may be than the other on one surface
most_rad_s  how fast its hips, knees and ankles may turn; infinite where nobody said
dt       seconds between frames
"""


class Rigs(NamedTuple):
    """A source character of S joints and a target character of J joints.

    carry    how the posture is carried over    fixed  (1,) dimensions, see `RIG`
    parents, offsets  of the target's joints
    """

    carry: CarryRig
    parents: Ints
    offsets: Floats
    fixed: Any


_TURN = (np.float64, 4)
_POINT = (np.float64, 3)
FOOT = np.dtype([
    ("phase", np.int32), ("broken", np.int32), ("pivot", np.int32), ("spot", *_POINT),
    ("flat", *_TURN), ("tilt", *_TURN), ("turn_off", *_POINT), ("place_off", *_POINT),
    ("age", np.float64), ("lock", np.float64), ("lying", np.float64), ("toes", *_TURN),
    ("level", np.float64), ("level_speed", np.float64), ("bias", np.float64, 2),
    ("lowest", np.float64, 2), ("gap", np.float64), ("down", np.float64), ("height", np.float64),
    ("stretch", np.float64), ("weight", np.float64), ("rank", np.float64), ("aim", *_POINT),
    ("goal", *_POINT), ("turn", *_TURN), ("raw_place", *_POINT), ("raw_turn", *_TURN),
    ("free", *_POINT), ("out_place", *_POINT), ("out_turn", *_TURN), ("forecast", np.float64, 6),
    ("left_m", np.float64), ("left_tilt", *_TURN), ("arch", np.float64),
    ("arch_speed", np.float64), ("lifted", np.float64), ("way", np.float64),
    ("land_m", np.float64), ("off_speed", *_POINT), ("out_speed", *_POINT), ("astray", *_POINT),
    ("leg", np.float64, (3, 4)), ("span", np.float64), ("touches", np.int32, 2),
    ("samples", np.float64, (FORESEEN_SAMPLES, 2)), ("heights", np.float64, FORESEEN_SAMPLES),
    ("normal", *_POINT),
], align=True)  # fmt: skip
"""The state of one foot between frames.

phase     0 in the air, or HEEL, FLAT, BALL; broken: given up until it lifts
pivot     0 heel, 2 ball joint: row of `sole` that stays at `spot`
flat      the foot's orientation on the ground here, tilt the ground's own
turn_off  half-angle offset of the orientation when the phase changed
place_off offset of the ankle when it was let go
age       seconds since the phase changed
lock      how much the contact weighs, 0 to 1; lying how flat the toes lie, toes their rotation
          when they last lay on the ground
level     height of the ground under the foot, smoothed, and its speed
bias      by how much the source's heel and ball float while they stand, from the lowest they
          came in this hold
gap       how far above the ground it was when it was said to stand, down seconds since; height
          of the sole in the source and stretch of the leg, hip to ankle, in the last frame
weight    importance by nearness; rank when the contact began
aim       where the ankle would go unheld, turn how it would be turned
goal      from there to the source's own footprint, as far as that matters
raw_*, free, out_*   the last frame's: as transferred, unheld, put out
forecast  x and z of where the ball of a swinging foot will come down, in how many seconds, how
          far its body will have turned by then, and how far it will have gone along x and z;
          NaN where nobody knows
left_m    height of the ground that it left, left_tilt how it was tilted there
arch      how far above the line from ground to ground it must go, and how that changes
lifted    by how much it was lifted out of the ground
way       how far it has come, of the way from where it stood to where it will
land_m    height of the ground that it will come to, without jumps
off_speed, out_speed   how place_off and out_place change
astray    how far from where it would go a swinging foot had to go
leg       the last frame's rotations of hip, knee and ankle, span from hip to ankle
touches   1 where heel and toe touch the ground in the source
samples   x and z of where ground is asked for: heel, ball, then a point ahead of it or, where the
          landing is foreseen, ball and heel there and points on the way
heights   of the ground there, normal of the ground where the ball stands or will
"""

BODY = np.dtype([
    ("shift", *_POINT), ("shift_speed", *_POINT), ("base", np.float64),
    ("base_speed", np.float64), ("sunk", np.float64), ("sunk_speed", np.float64),
    ("frames", np.int32), ("slips", np.int32), ("objects", np.float64, (2, 3)),
    ("source_objects", np.float64, (2, 3)), ("wrists", np.float64, (2, 3)),
    ("aims", np.float64, (2, 3)), ("turned", np.float64, (2, 4)),
    ("hand_aims", np.float64, (2, 3)), ("hand_weights", np.float64, 2),
    ("solved", np.float64, (3, 4)),
], align=True)  # fmt: skip
"""What is remembered of one body, and memory to work in.

shift    of the root, and its speed    base  height of the ground, and its speed
sunk     how far it goes down for feet that will have to reach far, and its speed
frames   since the start               slips  holds given up
objects  what the hands reach for, source_objects in the source; NaN for none
wrists   of the source                 solved  the three rotations of a limb
aims, turned  where the ankles go, and how they are turned
hand_aims, hand_weights  where the wrists go, and how much that matters
"""


class SourcePose(NamedTuple):
    """Places (S, 3) and turns (S, 4) of a source's joints in the world."""

    places: Floats
    turns: Floats


class RigPose(NamedTuple):
    """A pose of the target: parents (J,), places (J, 3) and turns (J, 4) in the world, and
    rotations (J, 4) against the parents."""

    parents: Ints
    places: Floats
    turns: Floats
    rotations: Floats


class Poses(NamedTuple):
    """This frame of N rigs: root (N, 3), rotations (N, J, 4), places (N, J, 3) and turns (N, J, 4)
    in the world, and memory for one pose of the source."""

    root: Floats
    rotations: Floats
    places: Floats
    turns: Floats
    source: SourcePose


def figures_of(
    source: Skeleton,
    character: Skeleton,
    exact_steps: bool = False,
    most_rad_s: Floats | None = None,
) -> Rigs:
    """Return how `source` is carried over to `character`; an error names a joint that is missing.

    most_rad_s  (3,) how fast hips, knees and ankles may turn
    """
    for skeleton in (source, character):
        for parts in LIMBS.values():
            for role in parts:
                skeleton.role(role)
    feet, theirs = ([foot_of(s, side) for side in SIDES] for s in (character, source))
    legs = np.array([leg_length(character, side) for side in SIDES])
    factor = leg_ratio(source, character)
    if not (np.isfinite(factor) and legs.min() > 0.0):
        raise InputError(
            "a character has legs of no length", remedy="hip, knee and ankle must differ"
        )
    fixed = np.zeros(1, RIG)
    rig = fixed[0]
    rig["source_hips"] = [source.role(f"{side}_hip") for side in SIDES]
    rig["source_wrists"] = [source.role(f"{side}_wrist") for side in SIDES]
    rig["source_ankles"] = [f.ankle for f in theirs]
    rig["source_middles"] = [0.5 * (f.heel + f.ball) for f in theirs]
    rig["way_factor"] = 1.0 if exact_steps else factor
    rig["factor"] = factor
    rig["source_ankle_m"], rig["ankle_m"] = ankle_height(source), ankle_height(character)
    rig["middle"] = hip_middle(character)
    rig["limbs"] = [[character.role(r) for r in parts] for parts in LIMBS.values()]
    rig["hinges"] = list(HINGES.values())
    rig["toes"] = [-1 if f.toe is None else f.toe for f in feet]
    rig["sole"] = [[f.heel, f.ball, f.ball_joint] for f in feet]
    rig["sole_m"] = [f.length for f in feet]
    rig["edge_m"] = math.sin(constants.FEET.steepest_rad) * rig["sole_m"]
    rig["legs_m"], rig["leg_m"] = legs, legs.mean()
    rig["bones_m"] = [_bones(character, side) for side in SIDES]
    rig["most_rad_s"] = np.inf if most_rad_s is None else most_rad_s
    rig["exact"] = exact_steps
    for name, value in asdict(constants.FEET).items():
        rig[name] = value
    return Rigs(carry_rig(source, character), character.parents, character.offsets, fixed)


def _bones(skeleton: Skeleton, side: str) -> tuple[float, float]:
    """Return how long thigh and shank are."""
    at = skeleton.rest_positions
    hip, knee, ankle = (at[skeleton.role(f"{side}_{part}")] for part in ("hip", "knee", "ankle"))
    return float(np.linalg.norm(knee - hip)), float(np.linalg.norm(ankle - knee))


def blank_feet(count: int) -> Any:
    """Return (N, 2) feet of which nothing is known yet."""
    feet = np.zeros((count, 2), FOOT)
    for name in ("flat", "tilt", "turn", "raw_turn", "out_turn", "toes", "left_tilt"):
        feet[name][..., 0] = 1.0
    feet["forecast"] = np.nan
    feet["normal"][..., 1] = 1.0
    return feet


def blank_bodies(count: int) -> Any:
    """Return (N,) bodies that have not moved yet and reach for nothing."""
    bodies = np.zeros(count, BODY)
    bodies["objects"] = bodies["source_objects"] = np.nan
    return bodies


def blank_poses(source: Skeleton, character: Skeleton, count: int) -> Poses:
    """Return memory for a frame of `count` rigs."""
    joints, theirs = len(character), len(source)
    return Poses(
        np.zeros((count, 3)), np.zeros((count, joints, 4)), np.zeros((count, joints, 3)),
        np.zeros((count, joints, 4)), SourcePose(np.zeros((theirs, 3)), np.zeros((theirs, 4))),
    )  # fmt: skip
