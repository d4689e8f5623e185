"""The frames that a clip of going is made of: finer than the clip, and longer at both ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.body.clip import TOUCH_PARTS, Clip, Source
from footfall.errors import check_range
from footfall.generate.bodies.planting import Wish, plant
from footfall.generate.gait.gait_model import meta
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.easing import smootherstep

LONGEST_S = 3600.0
WORKING_HZ = 120.0
"""Motions are made at a whole multiple of their frame rate, at least this."""


@dataclass(frozen=True)
class Timeline:
    """Frames at `rate` per second, of which a clip of `seconds` keeps every `every`-th from frame
    `zero` on."""

    rate: float
    every: int
    zero: int
    seconds: float

    @classmethod
    def of(cls, fps: float, seconds: float, pad_s: float) -> Timeline:
        """For a clip of so many seconds, and `pad_s` more before and after it."""
        check_range("the frame rate", fps, 5.0, 1000.0)
        every = max(1, math.ceil(WORKING_HZ / fps - 1e-9))
        rate = fps * every
        return cls(rate, every, round(pad_s * rate), seconds)

    @property
    def frames(self) -> int:
        return round(self.seconds * self.rate) + 1 + 2 * self.zero

    @property
    def times(self) -> Floats:
        """(T,) seconds since the clip's first frame."""
        return (np.arange(self.frames) - self.zero) / self.rate

    def frame(self, second: float) -> int:
        """The frame nearest to a time."""
        return self.zero + round(second * self.rate)

    def clip(self, wish: Wish, name: str, tags: tuple[str, ...]) -> Clip:
        """The clip of what is wished, on planted feet."""
        made = plant(wish)
        last = self.zero + round(self.seconds * self.rate / self.every) * self.every
        kept = slice(self.zero, last + 1, self.every)
        return Clip(
            skeleton=wish.character,
            fps=self.rate / self.every,
            root=made.root[kept],
            rotations=quat.continuous(made.rotations[kept]),
            name=name,
            contacts=made.contacts[kept],
            touches=np.zeros((len(made.root[kept]), len(TOUCH_PARTS)), np.bool_),
            tags=tags,
            source=Source(format="generated", licence=meta()["source"]),
        )


def ease(times: Floats, begin: float, end: float) -> Floats:
    """(T,) from 0 to 1 between two times, C²."""
    return smootherstep((times - begin) / (end - begin))
