"""Convert a clip to the axes and the unit of a file to write."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from footfall.maths.arrays import Floats


def in_file_axes(clip: Clip, unit_m: float, up: str) -> Clip:
    """Return the same motion in units of `unit_m` metres, with `up` ("y" or "z") as its up axis.

    With Z up the character faces -Y and its left is +X, as in Blender. The rest pose turns along,
    so joint frames are still aligned with the axes of the file there.
    """
    skeleton = clip.skeleton
    factor = 1.0 / unit_m
    if up == "y" and factor == 1.0:
        return clip
    turned = replace(
        skeleton,
        offsets=turn_up(skeleton.offsets, up) * factor,
        end_offsets=turn_up(skeleton.end_offsets, up) * factor,
    )
    # Conjugation by the quarter turn: the axis of each rotation turns with the character.
    rotations = np.array(clip.rotations)
    rotations[..., 1:] = turn_up(rotations[..., 1:], up)
    return clip.derive(skeleton=turned, root=turn_up(clip.root, up) * factor, rotations=rotations)


def turn_up(vectors: Floats, up: str) -> Floats:
    """Turn vectors (..., 3), Y up, into the axes of a file with `up` as its up axis.

    For "z" by +90° about x: up +y becomes +z, forward +z becomes -y.
    """
    if up == "y":
        return vectors
    return np.stack([vectors[..., 0], -vectors[..., 2], vectors[..., 1]], axis=-1)
