"""Footprints moved in the ways that the tests of adaptation ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from footfall.adapt.edit.body_path import carry_body, placed
from footfall.adapt.edit.constraints import Constraint, hold_constraints
from footfall.body.clip import Clip
from footfall.files.formats import load
from footfall.gait.contacts import find_contacts
from footfall.gait.footprints import Footprint, footprints
from footfall.maths import quaternions as quat

MOVES = ("longer", "shorter", "turned", "raised")


def moved(prints: Sequence[Footprint], how: str) -> list[Footprint]:
    """Steps 20 % longer or shorter, along a bend, or raised by 10 to 20 cm alternately."""
    start = prints[0].p
    out = []
    for n, f in enumerate(prints):
        p, q = f.p.copy(), f.q
        if how in ("longer", "shorter"):
            factor = 1.2 if how == "longer" else 0.8
            p[[0, 2]] = start[[0, 2]] + factor * (p - start)[[0, 2]]
        elif how == "turned":
            p = start + quat.rotate(quat.from_yaw(0.05 * n), p - start)
            q = quat.multiply(quat.from_yaw(0.1 * n), q)
        elif how == "raised":
            p[1] += (0.0, 0.1, 0.0, 0.2)[n % 4]
        out.append(replace(f, p=p, q=q))
    return out


def follow_footprints(
    clip: Clip, prints: Sequence[Footprint], targets: Sequence[Footprint]
) -> Clip:
    """Move the body of a clip as its footprints move to targets."""
    times = np.array([f.t * clip.fps for f in prints])
    return carry_body(clip, times, placed(prints), placed(targets))


def footprint_constraints(
    clip: Clip, prints: Sequence[Footprint], targets: Sequence[Footprint]
) -> list[Constraint]:
    """Move each contact of a foot rigidly with the footprint that it belongs to."""
    return [_move(c, clip.fps, list(zip(prints, targets, strict=True)))
            for c in hold_constraints(clip)]  # fmt: skip


def _move(
    c: Constraint, fps: float, pairs: Sequence[tuple[Footprint, Footprint]]
) -> Constraint:  # fmt: skip
    foot = int(c.part.startswith("right"))
    mine = [p for p in pairs if p[0].foot == foot and c.first - 1 <= p[0].t * fps <= c.stop]
    if not mine:
        return c
    middle = 0.5 * (c.first + c.stop - 1)
    source, target = min(mine, key=lambda p: abs(p[0].t * fps - middle))
    turn = quat.normalise(quat.multiply(target.q, quat.conjugate(source.q)))
    place = target.p + quat.rotate(turn, c.position - source.p)
    assert c.orientation is not None
    return replace(c, position=place, orientation=quat.multiply(turn, c.orientation))


@cache
def labelled(path: Path) -> tuple[Clip, tuple[Footprint, ...]]:
    """A real clip with its contacts, and its footprints."""
    clip = load(path)
    contacts = find_contacts(clip)
    return contacts.with_contacts(clip), footprints(contacts)


def joint_acceleration(clip: Clip) -> float:
    """Root mean square of all joints' angular accelerations against their parents, rad/s²."""
    r = clip.rotations
    steps = quat.to_rotation_vector(quat.multiply(quat.conjugate(r[:-1]), r[1:]))
    change = np.diff(steps, axis=0) * clip.fps**2
    return float(np.sqrt((change**2).sum(axis=-1).mean()))
