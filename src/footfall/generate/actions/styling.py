"""A performer's style on the angles of an action: how far they go, and from which posture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.body.roles import SIDES
from footfall.generate.actions.acting import Angles
from footfall.generate.actions.postures import STANDING
from footfall.generate.bodies.balancing import Hand
from footfall.generate.style import Style
from footfall.maths.arrays import Floats
from footfall.maths.easing import through_keys

_SWINGS = (0.75, 1.25)
"""Arms that act swing by no less and no more than this, against the mean performer's."""
_TURNS = 1.1
"""Trunks that act turn by no more than this against the mean performer's."""
_UPRIGHT_RAD = float(np.radians(40.0))
"""A trunk that is bent by this has no posture of its own any more."""
_RAISED_RAD = float(np.radians(40.0))
"""An arm that is raised by this is held out for a reason of its own."""
_STOOPS = 0.35
"""How much of a round back shows in the line from hips to shoulders."""


def style_angles(angles: Angles, style: Style, hands: Sequence[Hand], times: Floats) -> None:
    """Let the angles (T,), radians, be those of a performer, in place; hands still reach."""
    bent = np.abs(angles["trunk"] - np.radians(STANDING["trunk"]))
    upright = np.clip(1.0 - bent / _UPRIGHT_RAD, 0.0, 1.0)
    for hand in hands:
        upright *= 1.0 - through_keys(hand.keys, times)
    raised = np.maximum(*(angles[f"{side}_out"] for side in SIDES)) / _RAISED_RAD
    hanging = np.clip(1.0 - raised, 0.0, 1.0)
    more = min(style.turn, _TURNS) - 1.0
    for name in ("list", "lean", "twist", "yaw"):
        angles[name] += (more * hanging if more > 0.0 else more) * angles[name]
    angles["trunk"] += (style.lean + _STOOPS * style.stoop) * upright
    angles["head"] += (style.nod + 0.3 * style.stoop) * upright
    swing = float(np.clip(style.swing, *_SWINGS))
    for side in SIDES:
        rest = np.radians(STANDING[f"{side}_arm"])
        if not hands:
            angles[f"{side}_arm"] += (swing - 1.0) * hanging * (angles[f"{side}_arm"] - rest)
        angles[f"{side}_arm"] += style.hang * upright * hanging
        angles[f"{side}_elbow"] += style.elbow * upright * hanging
        angles[f"{side}_out"] += style.out * upright * hanging
