"""A clip in the axes and the unit of a file that is to be written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from footfall.maths.arrays import Floats


def in_file_axes(clip: Clip, unit_m: float, up: str) -> Clip:
    """The same motion in units of `unit_m` metres, with `up` ("y" or "z") as its up axis.

    With Z up the character faces -Y and its left is +X, as in Blender. The rest pose turns along,
    so joint frames are still aligned with the axes of the file there.
    """
    skeleton = clip.skeleton
    factor = 1.0 / unit_m
    if up == "y" and factor == 1.0:
        return clip
    turn = z_up if up == "z" else np.asarray
    turned = replace(
        skeleton,
        offsets=turn(skeleton.offsets) * factor,
        end_offsets=turn(skeleton.end_offsets) * factor,
    )
    rotations = clip.rotations
    if up == "z":
        # Conjugation by the quarter turn: the axis of each rotation turns with the character.
        rotations = np.array(rotations)
        rotations[..., 1:] = z_up(clip.rotations[..., 1:])
    return clip.derive(skeleton=turned, root=turn(clip.root) * factor, rotations=rotations)


def z_up(vectors: Floats) -> Floats:
    """(..., 3) vectors turned by +90° about x: up +y becomes +z, forward +z becomes -y."""
    return np.stack([vectors[..., 0], -vectors[..., 2], vectors[..., 1]], axis=-1)
