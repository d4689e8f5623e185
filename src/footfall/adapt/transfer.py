"""Put a clip's motion on another character: every bone points where it pointed before.

Both characters rest in the same T-pose with world-aligned frames, so a bone's world rotation
carries over as it is. Joints that only one character has are bridged: a spine of four joints takes
its bends from a spine of two by their place along the back. The travelled path and the height
of the hips scale with the legs, so that footfalls keep their relation to the body.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import mean_leg, sole_height
from footfall.body.kinematics import WorldPoses, world_poses
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

_CHAINS = (("hips", "chest"), ("chest", "head"))
"""Chains whose joints differ in number between characters, bent by their place along the chain."""

_BODY = ("hips", "chest", "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle",
         "right_ankle", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow",
         "left_wrist", "right_wrist")  # fmt: skip
"""The roles without which a motion cannot be carried over."""


@dataclass(frozen=True)
class _Blend:
    """A joint's world rotation: `share` of the way from source joint `a` to source joint `b`."""

    a: int
    b: int
    share: float


def transfer(clip: Clip, character: Skeleton) -> Clip:
    """`clip` on `character`; both must be humanoid (an error names the joint that is missing)."""
    source = clip.skeleton
    for skeleton in (source, character):
        for role in _BODY:
            skeleton.role(role)
    poses = world_poses(clip)
    blends = world_sources(source, character)
    same_names = same_named(source, character, blends)
    rotations = np.empty((len(clip), len(character), 4))
    world = np.empty_like(rotations)
    for joint in range(len(character)):
        parent = int(character.parents[joint])
        if joint in blends:
            world[:, joint] = _blend_turns(poses, blends[joint])
        elif joint in same_names:
            local = clip.rotations[:, same_names[joint]]
            world[:, joint] = quat.multiply(world[:, parent], local)
        else:
            world[:, joint] = world[:, parent]
        above = world[:, parent] if parent >= 0 else np.broadcast_to(quat.IDENTITY, (len(clip), 4))
        rotations[:, joint] = quat.multiply(quat.conjugate(above), world[:, joint])
    return replace(
        clip,
        skeleton=character,
        root=_root_path(clip, poses, character, world),
        rotations=quat.continuous(quat.normalise(rotations)),
    )


def world_sources(source: Skeleton, character: Skeleton) -> dict[int, _Blend]:
    """For each joint of `character` that has a counterpart: which source joints it follows."""
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


def _chain(skeleton: Skeleton, low: str, high: str) -> list[int]:
    """The joints from role `low` up to role `high`, both included."""
    joints = [skeleton.roles[high]]
    while joints[-1] != skeleton.roles[low]:
        joints.append(int(skeleton.parents[joints[-1]]))
    return joints[::-1]


def _places(skeleton: Skeleton, chain: list[int]) -> Floats:
    """How far along the chain each joint sits at rest, 0 to 1."""
    steps = np.linalg.norm(np.diff(skeleton.rest_positions[chain], axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(along / along[-1]) if along[-1] > 0 else np.linspace(0, 1, len(chain))


def _at(place: float, chain: list[int], places: Floats) -> _Blend:
    upper = int(np.clip(np.searchsorted(places, place, side="right"), 1, len(chain) - 1))
    span = places[upper] - places[upper - 1]
    share = float((place - places[upper - 1]) / span) if span > 1e-9 else 1.0
    return _Blend(chain[upper - 1], chain[upper], min(max(share, 0.0), 1.0))


def same_named(source: Skeleton, character: Skeleton, blends: dict[int, _Blend]) -> dict[int, int]:
    """Joints without a role (fingers, twist bones) that both characters name alike."""
    known = {name: index for index, name in enumerate(source.names)}
    return {
        joint: known[name]
        for joint, name in enumerate(character.names)
        if joint not in blends and name in known
    }


def _blend_turns(poses: WorldPoses, blend: _Blend) -> Floats:
    if blend.share == 0.0:
        return poses.rotations[:, blend.a]
    return quat.slerp(poses.rotations[:, blend.a], poses.rotations[:, blend.b], blend.share)


def _root_path(clip: Clip, poses: WorldPoses, character: Skeleton, world: Floats) -> Floats:
    """(T, 3) the hips' way: the middle of the hip joints scaled by the legs, soles kept level."""
    source = clip.skeleton
    factor = leg_ratio(source, character)
    both = [source.role("left_hip"), source.role("right_hip")]
    middle = poses.positions[:, both].mean(axis=1)
    middle[:, 1] -= ankle_height(source)
    middle *= factor
    middle[:, 1] += ankle_height(character)
    hips = [character.role("left_hip"), character.role("right_hip")]
    reach = character.rest_positions[hips].mean(axis=0) - character.rest_positions[0]
    return np.asarray(middle - quat.rotate(world[:, 0], reach))


def leg_ratio(source: Skeleton, character: Skeleton) -> float:
    """How many times longer the legs of `character` are than those of `source`."""
    return mean_leg(character) / mean_leg(source)


def ankle_height(skeleton: Skeleton) -> float:
    """How high the ankles are above the soles at rest."""
    ankles = [skeleton.role("left_ankle"), skeleton.role("right_ankle")]
    return float(skeleton.rest_positions[ankles, 1].mean()) - sole_height(skeleton)
