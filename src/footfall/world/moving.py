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
        positions, rotations = self.poses(np.array([time], dtype=np.float64))
        return positions[0], rotations[0]

    def poses(self, times: Floats) -> tuple[Floats, Floats]:
        """Positions (T, 3) and rotations (T, 4) at `times` (T,) seconds."""
        first, last = float(self.times[0]), float(self.times[-1])
        if self.loop and last > first:
            times = first + (times - first) % (last - first)
        times = np.clip(times, first, last)
        k = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.times) - 1)
        after = np.minimum(k + 1, len(self.times) - 1)
        span = np.where(after > k, self.times[after] - self.times[k], 1.0)
        w = (times - self.times[k]) / span
        positions = (1.0 - w)[:, None] * self.positions[k] + w[:, None] * self.positions[after]
        turned = slerp(self.rotations[k], self.rotations[after], w)
        # On a key the pose is that key's, to the last digit.
        return positions, np.where((w == 0.0)[:, None], self.rotations[k], turned)
