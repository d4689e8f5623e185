"""Put a clip's motion on another character: it stands, leans and points as before.

Limbs point where they pointed, trunk and shoulders lean as they leaned (`carry`). The travelled
path and the height of the hips scale with the legs, so that footfalls keep their relation to the
body.
"""

from __future__ import annotations

import numpy as np

from footfall.adapt.retarget.carry import CarryRig, ankle_height, carry_rig, hip_middle
from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

_BODY = ("hips", "chest", "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle",
         "right_ankle", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow",
         "left_wrist", "right_wrist")  # fmt: skip
"""The roles without which a motion cannot be carried over."""


def transfer(clip: Clip, character: Skeleton) -> Clip:
    """Return `clip` on `character`; both must be humanoid, else an error names the joint."""
    for skeleton in (clip.skeleton, character):
        for role in _BODY:
            skeleton.role(role)
    rig = carry_rig(clip.skeleton, character)
    hips, rotations = _carry(rig, clip)
    return clip.derive(
        skeleton=character,
        root=_root_path(clip.skeleton, hips, rig.factor, character, rotations[:, 0]),
        rotations=quat.continuous(quat.normalise(rotations)),
    )


def _carry(rig: CarryRig, clip: Clip) -> tuple[Floats, Floats]:
    """Return the middle of the source's hips (T, 3), and the target's local rotations (T, J, 4)."""
    from footfall.adapt.retarget.carry_kernels import carry_clip

    there, here = len(rig.source_parents), len(rig.parents)
    hips, rotations = np.empty((len(clip), 3)), np.empty((len(clip), here, 4))
    carry_clip(
        rig, clip.root, clip.rotations, np.empty((there, 3)), np.empty((there, 4)),
        np.empty((here, 3)), np.empty((here, 4)), hips, rotations,
    )  # fmt: skip
    return hips, rotations


def _root_path(
    source: Skeleton, hips: Floats, factor: float, character: Skeleton, turns: Floats
) -> Floats:
    """Return (T, 3) the root's path: mid-hip motion scaled by leg length, soles kept level."""
    middle = np.array(hips)
    middle[:, 1] -= ankle_height(source)
    middle *= factor
    middle[:, 1] += ankle_height(character)
    return np.asarray(middle - quat.rotate(turns, hip_middle(character)))
