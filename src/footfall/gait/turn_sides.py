"""To which sides clips turn, for libraries that lack one of them."""

from __future__ import annotations

import numpy as np

from footfall.maths.arrays import Floats

_SPAN_S, _LEAST_M_S = 1.0, 0.3
"""The heading of a path is seen over this time; slower than this it has none."""
_LEAST_TURN = 0.15
"""What turns less than this share of the other side does not turn to its own."""


def turn_rates(root: Floats, fps: float) -> Floats:
    """Return (N,) radians a second by which root paths (T, 3) turn, left positive."""
    span = max(round(_SPAN_S * fps), 1)
    steps = root[span:, [0, 2]] - root[:-span, [0, 2]]
    headings = np.unwrap(np.arctan2(steps[:, 0], steps[:, 1]))
    moving = np.hypot(*steps.T) > _LEAST_M_S * _SPAN_S
    turns = (headings[span:] - headings[:-span]) / (span / fps)
    return np.asarray(turns[moving[span:] & moving[:-span]])


def hint_to_mirror(rates: Floats) -> str:
    """Return the end of a refusal that suggests mirrored clips, if all turn to one side; or ""."""
    left, right = float(np.maximum(rates, 0.0).sum()), float(np.maximum(-rates, 0.0).sum())
    if min(left, right) >= _LEAST_TURN * max(left, right) or max(left, right) == 0.0:
        return ""
    side = "left" if left > right else "right"
    return (
        f"; the clips turn only to the {side}: mirror them with --set mirror=true, "
        "or with footfall library build --mirror"
    )
