"""Feet that stay where they are until they are seen to leave, and land where they will stand.

A contact says when a foot carries. Just before and after that a foot is on its way, but so low and
slow that whoever looks takes it to stand: if it moves over the ground then, it slides. So it stays
over its place for those frames, rising and falling as it does; the swing takes up the rest. A foot
that turns on its ball, or comes down on its heel, does so when the other end of the sole is off
the ground.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.adapt.feet.holds import Holds
from footfall.body.feet import Foot
from footfall.body.kinematics import WorldPoses

_SLOW_M_S, _LOW_M, _FAR_M = 0.48, 0.025, 0.025
"""What is slower and lower than this is seen to stand; further than that no foot is held back."""
_LONGEST_S = 0.17
"""For how long a foot stays over its place at most."""
_DOWN = (0.32, 0.02), (_SLOW_M_S, 0.007)
"""A ball that is slower than this, m/s, and lower than that, m, is put down; and either end."""
_CLEAR_M = 0.04
"""A heel this far up, or a ball, is off the ground: the foot turns freely about the other end."""
_BACK_RAD_S = 1.2
"""How fast it makes up for turning that was held back."""


def linger(feet: list[Foot], poses: WorldPoses, holds: list[Holds], fps: float) -> list[Holds]:
    """The holds of each foot with frames before and after in which it stays over its place."""
    return [_linger(foot, poses, held, fps) for foot, held in zip(feet, holds, strict=True)]


def _linger(foot: Foot, poses: WorldPoses, holds: Holds, fps: float) -> Holds:
    if len(holds) == 0 or len(holds.phases) < 3:
        return holds
    from footfall.adapt.feet.linger_kernels import lengthen, lie_down_early, stop_swivelling

    phases, spans, turns = np.array(holds.phases), np.array(holds.spans), np.array(holds.turns)
    rise, owner = np.array(holds.rise), np.array(holds.owner)
    ankle = np.ascontiguousarray(poses.positions[:, foot.ankle])
    own = np.ascontiguousarray(poses.rotations[:, foot.ankle])
    limits = np.array([_SLOW_M_S / fps, _LOW_M, _FAR_M])
    most = int(_LONGEST_S * fps)
    lengthen(foot.points, ankle, own, limits, most, phases, spans, turns, rise, owner)
    limits = np.array([[slow / fps, low, _FAR_M] for slow, low in _DOWN])
    lie_down_early(foot.points, ankle, own, limits, spans, holds.flat, phases, turns)
    back = _BACK_RAD_S / fps
    stop_swivelling(foot.points, spans, holds.flat, phases, _CLEAR_M, back, turns)
    on_way = (phases > 0) & ~holds.held
    return replace(
        holds, phases=phases, spans=spans, turns=turns, rise=rise, owner=owner, lingers=on_way
    )
