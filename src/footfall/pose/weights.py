"""Weights of joints by their roles."""

from __future__ import annotations

import numpy as np

from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton, subtree
from footfall.maths.arrays import Bools, Floats

POINT_WEIGHTS = {"hip": 0.6, "knee": 0.7, "ankle": 0.8, "subtalar": 0.9, "toe": 1.0, "other": 0.5}
"""van Basten & Egges, §5.2.1: the nearer to the ground, the more."""

ANGLE_WEIGHTS = {"hip": 1.0, "shoulder": 0.7884, "knee": 0.0901, "elbow": 0.0247}
"""Wang & Bodenheimer 2003: fitted to transitions that people picked; all others are 0."""


def point_weights(skeleton: Skeleton) -> Floats:
    """Return (J,) the weight of each joint in a cloud of points.

    A joint between ankle and toe is the subtalar. Where we differ: joints below the wrists and
    the head weigh nothing, for a hand's twenty would outweigh the body. Without roles all
    joints weigh alike.
    """
    weights = np.where(body_joints(skeleton), POINT_WEIGHTS["other"], 0.0)
    if not skeleton.roles:
        return weights
    for side in SIDES:
        for part in ("hip", "knee", "ankle"):
            weights[skeleton.role(f"{side}_{part}")] = POINT_WEIGHTS[part]
        below = subtree(skeleton, skeleton.role(f"{side}_ankle"))[1:]
        weights[below] = POINT_WEIGHTS["subtalar"]
        toe = skeleton.roles.get(f"{side}_toe")
        if toe is not None:
            weights[subtree(skeleton, toe)] = POINT_WEIGHTS["toe"]
    return weights


def angle_weights(skeleton: Skeleton) -> Floats:
    """Return (J,) the weight of each joint's rotation; an error names a missing joint."""
    weights = np.zeros(len(skeleton))
    for side in SIDES:
        for part, weight in ANGLE_WEIGHTS.items():
            weights[skeleton.role(f"{side}_{part}")] = weight
    return weights


def body_joints(skeleton: Skeleton) -> Bools:
    """Return (J,) whether a joint is one of the body, not one of the fingers or the face."""
    body = np.ones(len(skeleton), dtype=np.bool_)
    ends = ("left_wrist", "right_wrist", "head")
    for joint in (skeleton.roles[role] for role in ends if role in skeleton.roles):
        body[subtree(skeleton, joint)[1:]] = False
    return body
