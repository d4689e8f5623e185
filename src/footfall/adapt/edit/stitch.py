"""Stitching: from one clip into another without a jump, in place and heading as well.

Frames of both clips are mixed over a window (Kovar et al. 2002, §3.2) with weights that are C¹ at
both ends; the window starts at the frame where the first clip is left and ends at the frame from
which the second goes on.
"""

from __future__ import annotations

import numpy as np

from footfall.body.clip import Clip, join_labels
from footfall.errors import InputError
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats


def stitch(first: Clip, second: Clip, leave: int, enter: int, window: int) -> Clip:
    """Return `first` up to frame `leave`, a transition, then `second` from frame `enter` on.

    leave, enter   the first frame of the transition in `first`, and its last one in `second`
    window         how many frames the transition has
    """
    for whose, clip, start in (("first", first, leave), ("second", second, enter - window + 1)):
        if start < 0 or start + window > len(clip):
            raise InputError(
                f"the transition needs frames {start} to {start + window - 1} of the {whose} clip",
                remedy=f"it has 0 to {len(clip) - 1}; choose another frame or a shorter transition",
            )
    out, into = slice(leave, leave + window), slice(enter - window + 1, enter + 1)
    weight = blend_weights(window)
    share = 1.0 - weight
    bridge = weight[:, None] * first.root[out] + share[:, None] * second.root[into]
    turns = quat.slerp(first.rotations[out], second.rotations[into], share[:, None])
    handed = leave + int(np.count_nonzero(weight > 0.5))
    late = slice(enter + 1 - (leave + window - handed), None)
    labels = join_labels([first.labels_at(slice(handed)), second.labels_at(late)])
    # The frames before are already on the hemisphere of the first clip, and so is the bridge.
    flip = quat.dot(second.rotations[enter], turns[-1]) < 0.0
    after = np.where(flip[:, None], -second.rotations[enter + 1 :], second.rotations[enter + 1 :])
    return Clip(
        first.skeleton, first.fps,
        np.concatenate([first.root[:leave], bridge, second.root[enter + 1 :]]),
        np.concatenate([first.rotations[:leave], turns, after]),
        f"{first.name}+{second.name}", tags=tuple(dict.fromkeys(first.tags + second.tags)),
        **labels,
    )  # fmt: skip


def blend_weights(window: int) -> Floats:
    """Return the weight (window,) of the first clip: from nearly 1 to 0, C¹ beyond both ends."""
    u = (np.arange(window) + 1.0) / window
    return 2.0 * u**3 - 3.0 * u**2 + 1.0
