"""A performer's style on joint curves: how far strides swing, and the posture they swing about."""

from __future__ import annotations

from footfall.library.generate.gait.gait_model import JOINTS, Curves
from footfall.library.generate.gait.layers import lean_forward
from footfall.library.generate.style import Style
from footfall.maths.arrays import Floats

_AT = {joint: n for n, joint in enumerate(JOINTS)}
_TRUNK = ("pelvis", "spine1", "spine2", "chest", "neck", "head")
_ROUND = (("spine2", 0.45), ("chest", 0.55), ("neck", -0.45), ("head", -0.35))
"""Shares of a round back, which the neck holds up again in part."""


def style_strides(pose: Curves, style: Style) -> None:
    """Let arms, trunk, ankles and the whole body swing as far as the performer's do, in place."""
    for n, factor in ((0, style.sway), (1, style.rise)):
        _swing(pose.root[:, n], factor)
    for joint in _TRUNK:
        for axis in (1, 2):
            column = pose.vectors[:, _AT[joint], axis]
            before = column.copy()
            _swing(column, style.turn)
            for hip in ("hipL", "hipR") if joint == "pelvis" else ():
                # Thighs go on as they did.
                pose.vectors[:, _AT[hip], axis] -= column - before
    for side in "LR":
        _swing(pose.vectors[:, _AT[f"shoulder{side}"], 0], style.swing)
        _swing(pose.vectors[:, _AT[f"elbow{side}"], 1], style.swing)
        _swing(pose.vectors[:, _AT[f"ankle{side}"], 0], style.push)


def style_posture(vectors: Floats, style: Style) -> None:
    """Hold trunk, head, arms and feet (T, 22, 3) as the performer does, in place."""
    lean_forward(vectors, style.lean)
    for joint, share in _ROUND:
        vectors[:, _AT[joint], 0] += share * style.stoop
    for joint in ("neck", "head"):
        vectors[:, _AT[joint], 0] += 0.5 * style.nod
    for side, sign in (("L", 1.0), ("R", -1.0)):
        vectors[:, _AT[f"shoulder{side}"], 0] -= style.hang
        vectors[:, _AT[f"shoulder{side}"], 2] += sign * style.out
        vectors[:, _AT[f"elbow{side}"], 1] -= sign * style.elbow
        vectors[:, _AT[f"ankle{side}"], 1] += sign * style.toe_out


def _swing(column: Floats, factor: float) -> None:
    """Let a curve (T,) go further from its mean by a factor, in place."""
    column += (factor - 1.0) * (column - column.mean())
