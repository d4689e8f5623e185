"""Where feet stand along contact phases, and how they stand when both do.

A *hold* is a time in which a foot stays where it is; its frame has the ball of the flat sole as
its origin, and the sole points along +Z. How the right foot stands against the left one, while
both stand, is a *stance*; stances that are nearly alike are made one, so that motions can go
over into each other on both feet without a foot that slides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.adapt.feet.lock import holds_of
from footfall.body.clip import Clip
from footfall.gait.signatures import LEFT_FOOT, RIGHT_FOOT
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.ground_frames import LEVEL_M, relative_frames
from footfall.optimal.phases import Phases


@dataclass(frozen=True, eq=False)
class Footing:
    """The holds of all clips, H in all, and the stances of those that stand together, C in all.

    frames   (H, 4) x, height, z and yaw of each hold, in its clip's world
    hold     (P, 2) the holds of the left and the right foot in each phase; -1 if it is in the air
    stance   (P,) the stance of each phase; -1 unless both feet stand
    stances  (C, 4) where the right foot is, seen from the left: x, height, z and yaw
    """

    frames: Floats
    hold: Ints
    stance: Ints
    stances: Floats


@dataclass(frozen=True)
class StanceLimits:
    """How unlike stances may be that are made one, in stride and at rest: metres, radians."""

    stride_m: float = 0.04
    stride_rad: float = math.radians(8.0)
    rest_m: float = 0.08
    rest_rad: float = math.radians(12.0)


def find_footing(
    clips: Sequence[Clip],
    phases: Phases,
    limits: StanceLimits = StanceLimits(),
    known: Footing | None = None,
) -> Footing:
    """Where the feet of clips stand in each of their phases.

    known  the footing of the first of the clips alone: their stances stay what they are, and
           those of the others are made one with them where they are alike
    """
    frames: list[Floats] = []
    hold = np.full((len(phases.first), 2), -1, np.int32)
    signature = phases.signature[phases.first]
    for number, clip in enumerate(clips):
        start, stop = phases.frames.clip_start[number : number + 2]
        touching = phases.signature[start:stop]
        inside = np.flatnonzero((phases.first >= start) & (phases.first < stop))
        for side, (places, owner) in enumerate(_holds(clip, touching)):
            stands = inside[(signature[inside] & (1 << side)) > 0]
            hold[stands, side] = owner[phases.first[stands] - start] + len(frames)
            frames.extend(places)
    found = np.array(frames).reshape(-1, 4)
    stance, stances = _stances(phases, found, hold, limits, known)
    return Footing(found, hold, stance, stances)


def _holds(clip: Clip, touching: Ints) -> list[tuple[Floats, Ints]]:
    """For either foot the frames (H, 4) of its holds, and (T,) which of them is on or nearest."""
    assert clip.contacts is not None
    stands = np.stack([touching & LEFT_FOOT, touching & RIGHT_FOOT], axis=1) > 0
    contacts = clip.contacts & np.repeat(stands, 2, axis=1)
    # A foot that is said to stand without heel or toe stands on both.
    contacts |= np.repeat(stands & ~contacts.reshape(-1, 2, 2).any(axis=2), 2, axis=1)
    _, both = holds_of(clip.with_contacts(contacts))
    return [(np.column_stack([held.spots, quat.yaw_of(held.flat)]), held.owner) for held in both]


def _stances(
    phases: Phases, frames: Floats, hold: Ints, limits: StanceLimits, known: Footing | None
) -> tuple[Ints, Floats]:
    """The stance of each phase (P,), and how the right foot stands in each (C, 4)."""
    both = np.flatnonzero((hold >= 0).all(axis=1))
    pairs, of_phase = np.unique(hold[both], axis=0, return_inverse=True)
    of_phase = of_phase.reshape(-1)
    stance = np.full(len(hold), -1, np.int32)
    stances = np.zeros((0, 4)) if known is None else known.stances
    if not len(pairs):
        return stance, stances
    placed = relative_frames(frames[pairs[:, 0]], frames[pairs[:, 1]])
    placed[np.abs(placed[:, 1]) < LEVEL_M, 1] = 0.0
    rests = np.zeros(len(pairs), np.bool_)
    resting = np.zeros(len(hold), np.bool_)
    resting[phases.phase[phases.states[phases.rest]]] = True
    np.logical_or.at(rests, of_phase, resting[both])
    label = np.full(len(pairs), -1, np.int32)
    if known is not None:
        old = both < len(known.stance)
        label[of_phase[old]] = known.stance[both[old]]
        _join_known(placed, rests, stances, label, limits)
    new = np.flatnonzero(label < 0)
    group = _group(placed[new], rests[new], limits)
    label[new] = len(stances) + group
    made = [_middle(placed[new[group == n]]) for n in range(group.max(initial=-1) + 1)]
    stance[both] = label[of_phase]
    return stance, np.concatenate([stances, np.array(made).reshape(-1, 4)])


def _join_known(
    placed: Floats, rests: Bools, stances: Floats, label: Ints, limits: StanceLimits
) -> None:
    """Label placements (N, 4) without one by the stance that they are much like, if there is."""
    if not len(stances):
        return
    new = np.flatnonzero(label < 0)
    unlike = _unlikeness(placed[new], stances, rests[new, None], limits)
    near = unlike.argmin(axis=1)
    # Others of the stance may be as far from its middle: half of what is allowed between two.
    alike = unlike[np.arange(len(new)), near] <= 0.5
    label[new[alike]] = near[alike]


def _unlikeness(a: Floats, b: Floats, rests: Bools, limits: StanceLimits) -> Floats:
    """(A, B) how unlike placements (A, 4) and (B, 4) are: more than 1 is too much to be one."""
    apart = np.linalg.norm(a[:, None, [0, 2]] - b[None, :, [0, 2]], axis=2)
    turned = np.abs(planar.wrap_angle(a[:, None, 3] - b[None, :, 3]))
    unlike = np.abs(a[:, None, 1] - b[None, :, 1]) / LEVEL_M
    unlike = np.maximum(unlike, apart / np.where(rests, limits.rest_m, limits.stride_m))
    turn_limit = np.where(rests, limits.rest_rad, limits.stride_rad)
    return np.asarray(np.maximum(unlike, turned / turn_limit))


def _group(placed: Floats, rests: Bools, limits: StanceLimits) -> Ints:
    """(N,) groups of placements (N, 4) no two of which differ by more than the limits."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(placed) < 2:
        return np.zeros(len(placed), np.int32)
    unlike = _unlikeness(placed, placed, rests[:, None] & rests, limits)
    np.fill_diagonal(unlike, 0.0)
    label = fcluster(linkage(squareform(unlike), "complete"), 1.0, "distance")
    return np.asarray(np.unique(label, return_inverse=True)[1].reshape(-1), np.int32)


def _middle(placed: Floats) -> Floats:
    """(4,) the placement in the middle of some (N, 4)."""
    middle = placed.mean(axis=0)
    middle[3] = placed[0, 3] + planar.wrap_angle(placed[:, 3] - placed[0, 3]).mean()
    return np.asarray(middle)
