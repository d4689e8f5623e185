"""Carry the posture of one body over to another: joint correspondences as plain arrays.

Arms, legs and head: both bodies rest in a T-pose with world-aligned frames, so that a joint's
world rotation carries over as it is. A spine of four joints takes its bends from a spine of two
by their place along the back.

Trunk and shoulders: skeletons differ in where they put hip, neck and shoulder joints in the same
body, and what they rest in is somebody's T-pose, or the mean of a motion. So world rotations
alone would change how people stand. The spine is turned until the top of the trunk lies in the
world's direction from the hips that it has in the source, and the clavicles until the shoulders
are where they belong beside the neck: as far off their rest as in the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.body.feet import mean_leg, sole_height
from footfall.body.posture import middles, neck_base
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints
from footfall.maths.constants import MEAN_LEG_M

_CHAINS = (("hips", "chest"), ("chest", "head"))
"""Chains whose joints differ in number between characters, bent by their place along the chain."""
_UP, _AHEAD = (0.5, 0.015 / MEAN_LEG_M), (0.75, 0.025 / MEAN_LEG_M)
_NECK_TILT_RAD = np.radians(12.0)
"""Where two skeletons rest otherwise, shoulders go this share of the way up and ahead to where the
source's are, and necks all of it, but no farther than this (leg lengths, radians): joints that lie
elsewhere in the same body are no other posture."""
_LOW_SHARE = 0.5
"""How much of the trunk's turn the lowest joint of the spine takes; the chest takes all of it."""

SOURCE, TARGET = 0, 1


class CarryRig(NamedTuple):
    """What carries a source of S joints over to a target of J joints.

    follow      (J, 3) how each target joint turns: the source joints a, b it lies between (-1:
                none) and the source joint whose own rotation it takes (-1: it follows its parent)
    share       (J,) how far from a to b
    hips, shoulders  (2, 2) joints of source and target, left and right
    necks       (2,) base of the neck, or of the chest where one of them has none; chests (2,)
    top         how much the neck counts in the top of the trunk, beside the shoulders
    spine       (K,) target joints that turn with the trunk, how much of it spine_share (K,)
    clavicles   (2,) target joints, -1 for none
    trunk       (M,) target joints on the way to hips, shoulders and neck, parents first
    on_chest    (2, 2, 3) from the chest's joint to both shoulders at rest
    shift       (1, 3) how far the target's shoulders go from there towards the source's, metres
    neck        (N,) target joints from the neck's base to below the head; neck_tilt (1, 4) their
                turn towards the source's rest
    factor      leg length over leg length, shoulder_factor width of shoulders over width
    """

    source_parents: Ints
    source_offsets: Floats
    parents: Ints
    offsets: Floats
    follow: Ints
    share: Floats
    hips: Ints
    shoulders: Ints
    necks: Ints
    chests: Ints
    top: float
    spine: Ints
    spine_share: Floats
    clavicles: Ints
    trunk: Ints
    on_chest: Floats
    shift: Floats
    neck: Ints
    neck_tilt: Floats
    factor: float
    shoulder_factor: float


@lru_cache(maxsize=64)
def carry_rig(source: Skeleton, character: Skeleton) -> CarryRig:
    """Return how the posture of `source` is carried over to `character`, both humanoid."""
    both = (source, character)
    blends = world_sources(source, character)
    follow, share = _follow(source, character, blends)
    bases = [neck_base(skeleton) for skeleton in both]
    known = None not in bases
    chests = [skeleton.role("chest") for skeleton in both]
    necks = [int(b) for b in bases if b is not None] if known else chests
    factor = leg_ratio(source, character)
    beside = np.array([_shoulders_from(s, neck) for s, neck in zip(both, necks, strict=True)])
    wide = _shoulder_factor(beside, factor)
    spine, spine_share = _trunk_shares(character)
    return CarryRig(
        source_parents=source.parents,
        source_offsets=source.offsets,
        parents=character.parents,
        offsets=character.offsets,
        follow=follow,
        share=share,
        hips=_sided(both, "hip"),
        shoulders=_sided(both, "shoulder"),
        necks=np.array(necks, np.int32),
        chests=np.array(chests, np.int32),
        top=_neck_share(both, necks, chests) if known else 0.0,
        spine=spine,
        spine_share=spine_share,
        clavicles=_clavicles(character),
        trunk=_trunk(character, necks[TARGET]),
        on_chest=np.array([_shoulders_from(s, j) for s, j in zip(both, chests, strict=True)]),
        shift=_shoulder_shift(beside, wide, character) if known else np.zeros((1, 3)),
        neck=_neck_row(character, necks[TARGET]) if known else np.zeros(0, np.int32),
        neck_tilt=_neck_tilt(both, necks) if known else np.array([[1.0, 0.0, 0.0, 0.0]]),
        factor=factor,
        shoulder_factor=wide,
    )


@dataclass(frozen=True)
class _Blend:
    """A joint's world rotation: `share` of the way from source joint `a` to source joint `b`."""

    a: int
    b: int
    share: float


def world_sources(source: Skeleton, character: Skeleton) -> dict[int, _Blend]:
    """Return the source joints that each joint of `character` follows."""
    blends = {
        joint: _Blend(source.roles[role], source.roles[role], 0.0)
        for role, joint in character.roles.items()
        if role in source.roles
    }
    for low, high in _CHAINS:
        if low not in character.roles or high not in character.roles:
            continue
        if low not in source.roles or high not in source.roles:
            continue
        there, here = _chain(source, low, high), _chain(character, low, high)
        for joint, place in zip(here[1:-1], _places(character, here)[1:-1], strict=True):
            blends[joint] = _at(place, there, _places(source, there))
    return blends


def same_named(source: Skeleton, character: Skeleton, blends: dict[int, _Blend]) -> dict[int, int]:
    """Joints without a role (fingers, twist bones) that both characters name alike."""
    known = {name: index for index, name in enumerate(source.names)}
    return {
        joint: known[name]
        for joint, name in enumerate(character.names)
        if joint not in blends and name in known
    }


def leg_ratio(source: Skeleton, character: Skeleton) -> float:
    """Return how many times longer the legs of `character` are than those of `source`."""
    return mean_leg(character) / mean_leg(source)


def ankle_height(skeleton: Skeleton) -> float:
    """Return how high the ankles are above the soles at rest."""
    ankles = [skeleton.role("left_ankle"), skeleton.role("right_ankle")]
    return float(skeleton.rest_positions[ankles, 1].mean()) - sole_height(skeleton)


def _follow(
    source: Skeleton, character: Skeleton, blends: dict[int, _Blend]
) -> tuple[Ints, Floats]:
    follow, share = np.full((len(character), 3), -1, np.int32), np.zeros(len(character))
    for joint, blend in blends.items():
        follow[joint, :2], share[joint] = (blend.a, blend.b), blend.share
    for joint, same in same_named(source, character, blends).items():
        follow[joint, 2] = same
    if follow[0, 0] < 0:  # a root above the hips goes along with the source's
        follow[0, :2] = 0
    return follow, share


def _chain(skeleton: Skeleton, low: str, high: str) -> list[int]:
    """Return the joints from role `low` up to role `high`, both included."""
    return skeleton.chain(skeleton.roles[low], skeleton.roles[high])


def _places(skeleton: Skeleton, chain: list[int]) -> Floats:
    """Return how far along the chain each joint sits at rest, 0 to 1."""
    steps = np.linalg.norm(np.diff(skeleton.rest_positions[chain], axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(along / along[-1]) if along[-1] > 0 else np.linspace(0, 1, len(chain))


def _at(place: float, chain: list[int], places: Floats) -> _Blend:
    upper = int(np.clip(np.searchsorted(places, place, side="right"), 1, len(chain) - 1))
    span = places[upper] - places[upper - 1]
    share = float((place - places[upper - 1]) / span) if span > 1e-9 else 1.0
    return _Blend(chain[upper - 1], chain[upper], min(max(share, 0.0), 1.0))


def _sided(both: tuple[Skeleton, Skeleton], part: str) -> Ints:
    return np.array([[s.role(f"{side}_{part}") for side in SIDES] for s in both], np.int32)


def _shoulders_from(skeleton: Skeleton, joint: int) -> Floats:
    """Return (2, 3) from a joint to both shoulders at rest."""
    rest = skeleton.rest_positions
    return np.array([rest[skeleton.role(f"{side}_shoulder")] - rest[joint] for side in SIDES])


def _neck_share(
    both: tuple[Skeleton, Skeleton], necks: Sequence[int], chests: Sequence[int]
) -> float:
    """Return the neck's share in the top of the trunk: less where it bends below its base."""
    rows = zip(both, necks, chests, strict=True)
    steady = all(int(skeleton.parents[neck]) == chest for skeleton, neck, chest in rows)
    return 0.75 if steady else 0.4


def _shoulder_factor(beside: Floats, factor: float) -> float:
    """Return how many times wider the target's shoulders are; within reason, whatever is drawn."""
    there, here = (abs(float(side[0, 0] - side[1, 0])) for side in beside)
    return float(np.clip(here / max(there, 1e-9), 0.5 * factor, 2.0 * factor))


def _shoulder_shift(beside: Floats, wide: float, character: Skeleton) -> Floats:
    """Return (1, 3) how far the shoulders go up and forward towards where the source rests them."""
    apart = (wide * beside[SOURCE] - beside[TARGET]).mean(axis=0)
    (up, most_up), (ahead, most_ahead) = _UP, _AHEAD
    most = np.array([0.0, most_up, most_ahead]) * mean_leg(character)
    return np.clip([0.0, up, ahead] * apart, -most, most)[None]


def _trunk_shares(character: Skeleton) -> tuple[Ints, Floats]:
    """Return the joints that turn with the trunk and how much: more and more up to the chest."""
    spine = _chain(character, "hips", "chest")[1:]
    share = np.linspace(_LOW_SHARE, 1.0, len(spine)) if len(spine) > 1 else np.ones(len(spine))
    girdle = [int(j) for j in _clavicles(character) if j >= 0]
    joints = np.array([*spine, *girdle], np.int32)
    return joints, np.concatenate([share, np.ones(len(girdle))])


def _clavicles(character: Skeleton) -> Ints:
    """Return (2,) the clavicles that shoulders hang on, -1 where there is none."""
    found = []
    for side in SIDES:
        joint, shoulder = (
            character.roles.get(f"{side}_clavicle"),
            character.role(f"{side}_shoulder"),
        )
        rest = character.rest_positions
        carries = (
            joint is not None
            and joint != shoulder
            and character.descends(shoulder, joint)
            and float(np.linalg.norm(rest[shoulder] - rest[joint])) > 1e-6
        )
        found.append(joint if carries and joint is not None else -1)
    return np.array(found, np.int32)


def _trunk(character: Skeleton, neck: int) -> Ints:
    """Return the joints between root and hips, shoulders and neck, parents first."""
    ends = [character.role(f"{side}_{part}") for side in SIDES for part in ("hip", "shoulder")]
    inside = {j for end in (*ends, neck) for j in character.chain(0, end)}
    return np.array(sorted(inside - {0}), np.int32)


def _neck_row(character: Skeleton, neck: int) -> Ints:
    """Return the joints from the neck's base up to the one below the head."""
    head = character.roles.get("head")
    if head is None or head == neck or not character.descends(head, neck):
        return np.zeros(0, np.int32)
    return np.array(character.chain(neck, head)[:-1], np.int32)


def _neck_tilt(both: tuple[Skeleton, Skeleton], necks: list[int]) -> Floats:
    """Return (1, 4) how far the neck leans forward from its rest towards the source's."""
    leans = []
    for skeleton, neck in zip(both, necks, strict=True):
        line = skeleton.rest_positions[skeleton.roles.get("head", neck)]
        line = line - skeleton.rest_positions[neck]
        leans.append(float(np.arctan2(line[2], line[1])) if line[1] > 0.0 else 0.0)
    tilt = np.clip(leans[SOURCE] - leans[TARGET], -_NECK_TILT_RAD, _NECK_TILT_RAD)
    return quat.about_axis(0, np.array([tilt]))


def hip_middle(character: Skeleton) -> Floats:
    """Return (3,) from the root to the middle of the hip joints at rest."""
    rest = character.rest_positions
    return np.asarray(middles(character, rest[None], "hip")[0] - rest[0])
