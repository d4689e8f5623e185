"""What frames of clips cost."""

from __future__ import annotations

import numpy as np

from footfall.body.clip import Clip
from footfall.body.dynamics import EFFORT_HZ, inverse_dynamics
from footfall.maths.arrays import Floats, Ints


def frame_efforts(clip: Clip, signature: Ints) -> Floats:
    """(T,) what it costs to go on from each frame, N² m²: sums do not depend on the frame rate.

    signature  (T,) what touches
    """
    squares = inverse_dynamics(clip, signature.astype(np.uint8)).squares
    return np.asarray(np.maximum(squares, 1e-6) * (EFFORT_HZ / clip.fps))
