"""What frames of clips cost."""

from __future__ import annotations

import numpy as np

from footfall.body.clip import Clip
from footfall.body.dynamics import EFFORT_HZ, inverse_dynamics
from footfall.maths.arrays import Floats, Ints
from footfall.maths.rounding import round_to_grid

EFFORT = 2.0**-10
"""The step that efforts are rounded to, N² m²; a frame of walking takes some 20,000."""


def frame_efforts(clip: Clip, signature: Ints) -> Floats:
    """(T,) what it costs to go on from each frame, N² m²: sums do not depend on the frame rate.

    signature  (T,) what touches
    """
    squares = round_to_grid(inverse_dynamics(clip, signature.astype(np.uint8)).squares, EFFORT)
    return np.asarray(np.maximum(squares, 1e-6) * (EFFORT_HZ / clip.fps))
