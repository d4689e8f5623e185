"""Stops that end, and starts that begin, in other stances than they were recorded in.

Who walks up to something to pick it up does not stop first and then widen the stance: the last
step lands where the foot is wanted. The footprints of the last two steps of a stop, or of the
first two stances of a start, are moved, and the legs and the body follow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.adapt.feet.holds import Holds
from footfall.adapt.feet.lock import follow_holds, holds_of
from footfall.body.clip import Clip
from footfall.gait.signatures import FEET
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints
from footfall.maths.ground_frames import compose_frames, invert_frames, relative_frames
from footfall.optimal.footing import Footing
from footfall.optimal.made import STANCE, made_name
from footfall.optimal.phases import Phases

MOST_CLIPS, MOST_STANCES = 6, 6
MOST_MOVED_M, MOST_TURNED = 0.3, math.radians(45.0)
"""A foot is moved and turned no further than this against the other."""
LEAST_MOVED_M, LEAST_TURNED = 0.02, math.radians(3.0)


def make_stops(clips: Sequence[Clip], phases: Phases, footing: Footing) -> list[Clip]:
    """Stops and starts of clips in the stances in which other clips rest."""
    made: list[Clip] = []
    stances = _resting_stances(phases, footing)
    for tag, at_end in (("stop", True), ("start", False)):
        chosen = [n for n, clip in enumerate(clips) if tag in clip.tags]
        resting = [n for n in chosen if _rests(phases, n, at_end)][:MOST_CLIPS]
        for number in resting:
            for stance in stances:
                found = _in_stance(clips[number], footing.stances[stance], at_end)
                if found is not None:
                    part = _essence(found, phases, number, at_end)
                    first = len(found) - len(part) if at_end else 0
                    name = made_name(clips[number].name, first, STANCE, stance)
                    made.append(part.named(name))
    return made


def _resting_stances(phases: Phases, footing: Footing) -> list[int]:
    """The commonest stances of those who rest, feet on one level."""
    resting = phases.phase[phases.states[phases.rest]]
    stance = footing.stance[resting[phases.signature[phases.first[resting]] & FEET == FEET]]
    kinds, counts = np.unique(stance[stance >= 0], return_counts=True)
    return [int(kind) for kind in kinds[np.argsort(-counts, kind="stable")][:MOST_STANCES]]


def _rests(phases: Phases, clip: int, at_end: bool) -> bool:
    start, stop = phases.frames.clip_start[clip : clip + 2]
    return bool(np.isin(stop - 1 if at_end else start, phases.states[phases.rest]))


def _essence(clip: Clip, phases: Phases, number: int, at_end: bool) -> Clip:
    """The part of a clip with the two steps next to its rest."""
    start, stop = phases.frames.clip_start[number : number + 2]
    first = phases.first[(phases.first >= start) & (phases.first < stop)] - start
    if at_end:
        return clip[int(first[max(len(first) - 5, 0)]) :]
    return clip[: int(first[min(5, len(first) - 1)]) or len(clip)]


def _in_stance(clip: Clip, stance: Floats, at_end: bool) -> Clip | None:
    """The clip with its last, or first, two footprints in a stance (4,); None if that is far."""
    feet, holds = holds_of(clip)
    frame = len(clip) - 1 if at_end else 0
    if not all(held.held[frame] for held in holds):
        return None
    which = [int(held.owner[frame]) for held in holds]
    here = [_frame(held, n) for held, n in zip(holds, which, strict=True)]
    spans = [held.spans[n] for held, n in zip(holds, which, strict=True)]
    # The foot that landed before the other, or leaves after it, only turns.
    turns_only = int(spans[1][0] < spans[0][0]) if at_end else int(spans[1][1] > spans[0][1])
    more = float(planar.wrap_angle(stance[3] - relative_frames(here[0], here[1])[3]))
    new = [frame.copy() for frame in here]
    new[turns_only][3] += 0.5 * more * (1.0 if turns_only else -1.0)
    if turns_only == 0:
        new[1] = compose_frames(new[0], stance)
    else:
        new[0] = compose_frames(new[1], invert_frames(stance))
    moved = float(np.linalg.norm((new[1 - turns_only] - here[1 - turns_only])[[0, 2]]))
    if moved > MOST_MOVED_M or abs(more) > MOST_TURNED or abs(stance[1]) > 0.0:
        return None
    if moved < LEAST_MOVED_M and abs(more) < LEAST_TURNED:
        return None
    changed = [_moved(held, n, to) for held, n, to in zip(holds, which, new, strict=True)]
    return follow_holds(clip, feet, changed)


def _frame(holds: Holds, number: int) -> Floats:
    """(4,) x, height, z and yaw of a hold."""
    return np.append(holds.spots[number], quat.yaw_of(holds.flat[number]))


def _moved(holds: Holds, number: int, frame: Floats) -> Holds:
    """The holds with one of them at a frame (4,)."""
    flat, spots = np.array(holds.flat), np.array(holds.spots)
    flat[number], spots[number] = quat.from_yaw(frame[3]), frame[:3]
    turn: Floats = quat.multiply(flat, quat.conjugate(holds.flat))
    owner: Ints = holds.owner
    return replace(holds, flat=flat, spots=spots, turns=quat.multiply(turn[owner], holds.turns))
