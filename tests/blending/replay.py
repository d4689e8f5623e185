"""A driver that repeats recorded steering."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(eq=False)
class Replay:
    """Speeds and turns (N, 2) at even times, `dt` seconds apart."""

    wishes: np.ndarray
    dt: float
    time: float = 0.0

    @property
    def done(self) -> bool:
        return self.time >= len(self.wishes) * self.dt

    def steer(self, place: np.ndarray, now: np.ndarray, dt: float) -> tuple[float, float]:
        """Return what was asked for at this time."""
        del place, now
        n = min(int(self.time / self.dt + 1e-6), len(self.wishes) - 1)
        self.time += dt
        return float(self.wishes[n, 0]), float(self.wishes[n, 1])
