"""What on-line retargeting knows of two rigs and remembers of each character, as plain arrays.

Named tuples of arrays, so that compiled loops take them as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.adapt.carry import CarryRig, ankle_height, carry_rig, hip_middle, leg_ratio
from footfall.adapt.displace.constraints import HINGES, LIMBS
from footfall.adapt.holds import foot_of
from footfall.body.feet import leg_length
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths.arrays import Floats, Ints

FORESEEN_SAMPLES = 7
"""Points at which ground is asked for under a foot whose landing is foreseen, and ahead of it."""


class Rigs(NamedTuple):
    """A source character of S joints and a target character of J joints.

    carry    how the posture is carried over
    factor   leg length over leg length; way_factor the same for the way over the ground
    ankle_m  height of the target's ankles above its soles; source_ankle_m the source's
    middle   (3,) from the target's root to the middle of its hip joints, at rest
    limbs    (4, 3) left and right leg, left and right arm: root, middle, end
    toes     (2,) toe joints, -1 for none
    sole     (2, 3, 3) heel, ball and ball joint in the ankle's frame
    source_middles (2, 3) halfway from heel to ball in the frame of the source's ankles
    exact    1.0 where footprints are to be where the source's are, else 0.0
    legs_m   (2,) lengths of the target's legs, bones_m (2, 2) of thighs and shanks
    most_rad_s (3,) how fast its hips, knees and ankles may turn; infinite where nobody said
    """

    carry: CarryRig
    source_hips: Ints
    source_wrists: Ints
    source_ankles: Ints
    source_middles: Floats
    parents: Ints
    offsets: Floats
    way_factor: float
    factor: float
    source_ankle_m: float
    ankle_m: float
    middle: Floats
    limbs: Ints
    hinges: Floats
    toes: Ints
    sole: Floats
    legs_m: Floats
    bones_m: Floats
    most_rad_s: Floats
    exact: float


class Tuning(NamedTuple):
    """Lengths in metres and times in seconds by which the kernels go.

    dt            between frames
    near_m        height above its standing height at which an ankle stops to matter
    touch_m       clearance below which a sole is drawn to the ground
    snap_m        gap to the ground that a foot that is said to stand closes at once
    margin_m      before a leg is too short by that much less, the body gives way
    hand_m        distance from its object at which a hand stops to matter
    fade_s        how long a foot takes from its hold into its swing, and to lie down
    body_s, level_s, base_s   half-lives: root shift, ground under a foot, ground under the body
    ahead_s       how far ahead a swinging foot looks for ground
    idle          weight of the root's own place beside those of feet and hands
    reach, soft   shares of a leg's length: where the body must follow, where the leg gets soft
    foresees      whether landings are known beforehand (`Feet.forecast`)
    """

    dt: float
    near_m: float
    touch_m: float
    snap_m: float
    margin_m: float
    hand_m: float
    fade_s: float
    body_s: float
    level_s: float
    base_s: float
    ahead_s: float
    idle: float
    reach: float
    soft: float
    foresees: bool


class Feet(NamedTuple):
    """What is remembered of N rigs' two feet.

    phase     (N, 2) 0 in the air, or HEEL, FLAT, BALL; broken (N, 2) given up until it lifts
    pivot     (N, 2) 0 heel, 2 ball joint: row of `Rigs.sole` that stays at `spot` (N, 2, 3)
    flat      (N, 2, 4) the foot's orientation on the ground here, tilt (N, 2, 4) the ground's own
    turn_off  (N, 2, 3) half-angle offset of the orientation when the phase changed
    place_off (N, 2, 3) offset of the ankle when it was let go
    age       (N, 2) seconds since the phase changed
    lock      (N, 2) how much the contact weighs, 0 to 1; lying (N, 2) how flat the toes
              lie, toes (N, 2, 4) their rotation when they last lay on the ground
    level     (N, 2) height of the ground under the foot, smoothed, and its speed
    bias      (N, 2, 2) by how much the source's heel and ball float while they stand, from
              the lowest (N, 2, 2) they came in this hold
    gap       (N, 2) how far above the ground it was when it was said to stand, down (N, 2)
              seconds since; height (N, 2) of the sole in the source and stretch (N, 2) of the leg,
              hip to ankle, in the last frame
    weight    (N, 2) importance by nearness; rank (N, 2) when the contact began
    aim       (N, 2, 3) where the ankle would go unheld, turn (N, 2, 4) how it would be turned
    goal      (N, 2, 3) from there to the source's own footprint, as far as that matters
    raw_*, free, out_*   the last frame's: as transferred, unheld, put out
    forecast  (N, 2, 6) x and z of where the ball of a swinging foot will come down, in how many
              seconds, how far its body will have turned by then, and how far it will have gone
              along x and z; NaN where nobody knows
    left_m    (N, 2) height of the ground that it left, left_tilt (N, 2, 4) how it was tilted there
    arch      (N, 2) how far above the line from ground to ground it must go, and how that changes
    lifted    (N, 2) by how much it was lifted out of the ground
    way       (N, 2) how far it has come, of the way from where it stood to where it will
    land_m    (N, 2) height of the ground that it will come to, without jumps
    off_speed, out_speed   (N, 2, 3) how place_off and out_place change
    astray    (N, 2, 3) how far from where it would go a swinging foot had to go
    leg       (N, 2, 3, 4) the last frame's rotations of hip, knee and ankle, span (N, 2) from
              hip to ankle
    """

    phase: Ints
    broken: Ints
    pivot: Ints
    spot: Floats
    flat: Floats
    tilt: Floats
    turn_off: Floats
    place_off: Floats
    age: Floats
    lock: Floats
    lying: Floats
    toes: Floats
    level: Floats
    level_speed: Floats
    bias: Floats
    lowest: Floats
    gap: Floats
    down: Floats
    height: Floats
    stretch: Floats
    weight: Floats
    rank: Floats
    aim: Floats
    goal: Floats
    turn: Floats
    raw_place: Floats
    raw_turn: Floats
    free: Floats
    out_place: Floats
    out_turn: Floats
    forecast: Floats
    left_m: Floats
    left_tilt: Floats
    arch: Floats
    arch_speed: Floats
    lifted: Floats
    way: Floats
    land_m: Floats
    off_speed: Floats
    out_speed: Floats
    astray: Floats
    leg: Floats
    span: Floats


class Bodies(NamedTuple):
    """What is remembered of N bodies: shift (N, 3) of the root and its speed, base (N,) height of
    the ground and its speed, sunk (N,) how far it goes down for feet that will have to reach far,
    and its speed, frames (N,) since the start, slips (N,) holds given up."""

    shift: Floats
    shift_speed: Floats
    base: Floats
    base_speed: Floats
    sunk: Floats
    sunk_speed: Floats
    frames: Ints
    slips: Ints


class Poses(NamedTuple):
    """This frame: root (N, 3), rotations (N, J, 4), places (N, J, 3), turns (N, J, 4) in the
    world, the source's wrists (N, 2, 3), and scratch for one source pose, for where the ankles
    (2, 3) go, how they are turned (2, 4), where the wrists go and how much that matters, and for
    the three rotations of a limb."""

    root: Floats
    rotations: Floats
    places: Floats
    turns: Floats
    wrists: Floats
    source_places: Floats
    source_turns: Floats
    aims: Floats
    turned: Floats
    hand_aims: Floats
    hand_weights: Floats
    solved: Floats


def figures_of(
    source: Skeleton, character: Skeleton, exact_steps: bool, most_rad_s: Floats | None = None
) -> Rigs:
    """How `source` is carried over to `character`; an error names a joint that is missing.

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
    return Rigs(
        carry=carry_rig(source, character),
        source_hips=np.array([source.role(f"{side}_hip") for side in SIDES], np.int32),
        source_wrists=np.array([source.role(f"{side}_wrist") for side in SIDES], np.int32),
        source_ankles=np.array([f.ankle for f in theirs], np.int32),
        source_middles=np.array([0.5 * (f.heel + f.ball) for f in theirs]),
        parents=character.parents,
        offsets=character.offsets,
        way_factor=1.0 if exact_steps else factor,
        factor=factor,
        source_ankle_m=ankle_height(source),
        ankle_m=ankle_height(character),
        middle=hip_middle(character),
        limbs=np.array([[character.role(r) for r in parts] for parts in LIMBS.values()], np.int32),
        hinges=np.array(list(HINGES.values())),
        toes=np.array([-1 if f.toe is None else f.toe for f in feet], np.int32),
        sole=np.array([[f.heel, f.ball, f.ball_joint] for f in feet]),
        legs_m=legs,
        bones_m=np.array([_bones(character, side) for side in SIDES]),
        most_rad_s=np.full(3, np.inf) if most_rad_s is None else np.array(most_rad_s, float),
        exact=1.0 if exact_steps else 0.0,
    )


def _bones(skeleton: Skeleton, side: str) -> tuple[float, float]:
    """How long thigh and shank are."""
    at = skeleton.rest_positions
    hip, knee, ankle = (at[skeleton.role(f"{side}_{part}")] for part in ("hip", "knee", "ankle"))
    return float(np.linalg.norm(knee - hip)), float(np.linalg.norm(ankle - knee))


def blank_feet(count: int) -> Feet:
    """Feet of which nothing is known yet."""
    numbers = {"phase", "broken", "pivot"}
    threes = ("spot", "turn_off", "place_off", "aim", "goal", "raw_place", "free", "out_place",
              "off_speed", "out_speed", "astray")  # fmt: skip
    turns = ("flat", "tilt", "turn", "raw_turn", "out_turn", "toes", "left_tilt")
    wide = dict.fromkeys(threes, 3) | dict.fromkeys(turns, 4)
    wide |= {"bias": 2, "lowest": 2, "forecast": 6}
    arrays = {}
    for name in Feet._fields:
        shape: tuple[int, ...] = (count, 2, wide[name]) if name in wide else (count, 2)
        if name == "leg":
            shape = (count, 2, 3, 4)
        arrays[name] = np.zeros(shape, np.int32 if name in numbers else np.float64)
        if name in turns:
            arrays[name][..., 0] = 1.0
    arrays["forecast"][...] = np.nan
    return Feet(**arrays)


def blank_bodies(count: int) -> Bodies:
    """Bodies that have not moved yet."""
    base, base_speed, sunk, sunk_speed = (np.zeros(count) for _ in range(4))
    frames, slips = (np.zeros(count, np.int32) for _ in range(2))
    return Bodies(
        np.zeros((count, 3)), np.zeros((count, 3)), base, base_speed, sunk, sunk_speed, frames,
        slips,
    )  # fmt: skip


def blank_poses(source: Skeleton, character: Skeleton, count: int) -> Poses:
    """Room for a frame of `count` rigs."""
    joints = len(character)
    return Poses(
        np.zeros((count, 3)), np.zeros((count, joints, 4)), np.zeros((count, joints, 3)),
        np.zeros((count, joints, 4)), np.zeros((count, 2, 3)),
        np.zeros((len(source), 3)), np.zeros((len(source), 4)),
        np.zeros((2, 3)), np.zeros((2, 4)), np.zeros((2, 3)), np.zeros(2), np.zeros((3, 4)),
    )  # fmt: skip
