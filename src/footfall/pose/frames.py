"""Many clips of one skeleton as one sequence of frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.body.clip import Clip
from footfall.body.kinematics import forward_kinematics
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Frames:
    """C clips of F frames in all, one after another.

    clip_start  (C+1,) the first of each clip's frames among all; the last is F
    root        (F, 3) position of joint 0, metres, each clip in its own coordinates
    rotations   (F, J, 4) w x y z, against the parent
    """

    skeleton: Skeleton
    fps: float
    clip_start: Ints
    root: Floats
    rotations: Floats

    def __len__(self) -> int:
        return len(self.root)

    @cached_property
    def clip(self) -> Ints:
        """(F,) the number of the clip that each frame belongs to."""
        lengths = np.diff(self.clip_start)
        return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)

    def windows(self, window: int) -> Bools:
        """Return (F,) whether `window` frames from this one on belong to one clip."""
        stop = self.clip_start[1:][self.clip]
        return np.asarray(np.arange(len(self)) + window <= stop)

    @cached_property
    def positions(self) -> Floats:
        """(F, J, 3) where all joints are, metres."""
        return forward_kinematics(self.skeleton, self.root, self.rotations).positions


def frames_of(clips: Sequence[Clip]) -> Frames:
    """Return the frames of clips that have one skeleton and one frame rate."""
    if not clips:
        raise InputError("there are no clips", remedy="give at least one")
    first = clips[0]
    for clip in clips:
        if clip.skeleton != first.skeleton or abs(clip.fps - first.fps) > 1e-9:
            raise InputError(
                "its skeleton or frame rate is not that of the first", where=f"clip {clip.name}",
                remedy="make a library of them: footfall library build",
            )  # fmt: skip
    start = np.concatenate([[0], np.cumsum([len(clip) for clip in clips])]).astype(np.int32)
    return Frames(
        first.skeleton,
        first.fps,
        start,
        np.ascontiguousarray(np.concatenate([clip.root for clip in clips])),
        np.ascontiguousarray(np.concatenate([clip.rotations for clip in clips])),
    )
