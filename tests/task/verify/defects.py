"""Defects that are put into good clips, and good clips to put them into."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from footfall.body.clip import Clip
from footfall.generate.actions.ducking import duck
from footfall.generate.actions.reaching import pick
from footfall.generate.actions.sitting import sit_and_stand
from footfall.generate.gait.journeys import start
from footfall.generate.gait.stepping import stand
from footfall.maths import quaternions as quat
from footfall.task.verify import AnatomyLimits, anatomy_limits
from tests.clips import steady

HEAD_M = 1.3
"""The duck of the tests passes with the head below this."""


@cache
def ducks() -> Clip:
    """Somebody walks 3.6 m straight along +Z, ducks halfway, and stands."""
    return duck(HEAD_M)


@cache
def picks() -> Clip:
    return pick(0.75, 0.4)


@cache
def sits() -> Clip:
    return sit_and_stand(0.45)


@cache
def walks() -> Clip:
    """Somebody stands and walks off along +Z."""
    return start(1.2, seconds=4.0, fps=30.0)


@cache
def runs() -> Clip:
    return steady("run", 3.0, seconds=3.0, fps=30.0)


@cache
def stands() -> Clip:
    return stand(seconds=3.0, fps=30.0)


@cache
def limits() -> AnatomyLimits:
    """Limits of all these clips."""
    return anatomy_limits((ducks(), picks(), sits(), walks(), runs(), stands()))


def turn_joint(clip: Clip, role: str, angles: np.ndarray, axis: tuple[float, float, float]) -> Clip:
    """The clip with a joint turned by angles (T,), radians, about an axis of its own frame."""
    joint = clip.skeleton.role(role)
    turns = quat.from_rotation_vector(angles[:, None] * np.asarray(axis))
    rotations = np.array(clip.rotations)
    rotations[:, joint] = quat.normalise(quat.multiply(rotations[:, joint], turns))
    return replace(clip, rotations=quat.continuous(rotations))


def turn_in_world(
    clip: Clip, role: str, angles: np.ndarray, axis: tuple[float, float, float]
) -> Clip:
    """The clip with a joint turned by angles (T,), radians, about an axis of the world."""
    joint = clip.skeleton.role(role)
    world = clip.world.rotations
    parent = world[:, int(clip.skeleton.parents[joint])]
    turns = quat.from_rotation_vector(angles[:, None] * np.asarray(axis))
    rotations = np.array(clip.rotations)
    rotations[:, joint] = quat.normalise(
        quat.multiply(quat.conjugate(parent), quat.multiply(turns, world[:, joint]))
    )
    return replace(clip, rotations=quat.continuous(rotations))


def bump(clip: Clip, first: float, last: float) -> np.ndarray:
    """(T,) 0, rising smoothly to 1 between two times, seconds, and falling back."""
    times = np.clip((clip.times - first) / (last - first), 0.0, 1.0)
    return np.sin(np.pi * times) ** 2


def between(clip: Clip, first: float, last: float) -> np.ndarray:
    """(T,) 1 between two times, seconds, else 0."""
    return ((clip.times >= first) & (clip.times < last)).astype(float)


def shift_root(clip: Clip, x: np.ndarray) -> Clip:
    """The clip with its root moved sideways by x (T,) metres."""
    return replace(clip, root=clip.root + x[:, None] * np.array([1.0, 0.0, 0.0]))
