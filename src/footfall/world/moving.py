"""Known motions of obstacles: key poses over time, linear in position, slerp in rotation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Floats, frozen_floats
from footfall.maths.quaternions import slerp


@dataclass(frozen=True, eq=False)
class KeyedMotion:
    """K key poses of an obstacle's origin.

    times      (K,) seconds, strictly increasing
    positions  (K, 3) metres, world
    rotations  (K, 4) unit quaternions w x y z
    loop       start again after the last key; otherwise the first and the last pose are held
    """

    times: Floats
    positions: Floats
    rotations: Floats
    loop: bool = False

    def __post_init__(self) -> None:
        times = frozen_floats(self.times, (None,), "times")
        if len(times) == 0 or (np.diff(times) <= 0).any():
            raise InputError("the key times of a motion must be increasing, at least one")
        rotations = frozen_floats(self.rotations, (len(times), 4), "rotations")
        if abs(np.linalg.norm(rotations, axis=1) - 1.0).max() > 1e-6:
            raise InputError("the key rotations of a motion must be unit quaternions (w, x, y, z)")
        positions = frozen_floats(self.positions, (len(times), 3), "positions")
        put = object.__setattr__
        put(self, "times", times)
        put(self, "positions", positions)
        put(self, "rotations", rotations)

    def pose(self, time: float) -> tuple[Floats, Floats]:
        """Position (3,) and rotation (4,) at `time` seconds."""
        first, last = float(self.times[0]), float(self.times[-1])
        if self.loop and last > first:
            time = first + (time - first) % (last - first)
        k = int(
            np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, len(self.times) - 1)
        )
        if k == len(self.times) - 1 or time <= first:
            return self.positions[k].copy(), self.rotations[k].copy()
        w = (time - self.times[k]) / (self.times[k + 1] - self.times[k])
        position = (1.0 - w) * self.positions[k] + w * self.positions[k + 1]
        return position, slerp(self.rotations[k], self.rotations[k + 1], w)
