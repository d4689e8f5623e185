"""Contact phases: what touches in every frame of many clips, and where that changes.

A *phase* is a stretch of frames of one clip in which the same parts touch. A *state* is the first
frame of a phase, or a frame at rest: where a motion may begin and end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.adapt.edit.rests import resting_frames
from footfall.body.clip import Clip
from footfall.body.dynamics import EFFORT_HZ, inverse_dynamics
from footfall.gait.contacts import Contacts, find_contacts
from footfall.gait.flight import leaps
from footfall.gait.posture import find_posture, ground_under
from footfall.gait.signatures import HANDS, SEAT, clip_signatures
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.rounding import round_to_grid
from footfall.maths.runs import runs
from footfall.pose.frames import Frames, frames_of

EFFORT = 2.0**-10
"""The step that efforts are rounded to, N² m²; a frame of walking takes some 20,000."""
SHORTEST_REST_S = 0.1
UPRIGHT, STANDING, SEATED = math.radians(30.0), 0.9, 0.08
"""Who rests on the feet leans no more than this, with the hips no lower than this many leg lengths;
who rests on a seat moves them by less than this many a second."""
BEHAVIOURS = (
    "jump", "hop", "hurdle", "step_over", "step_up", "step_down", "beam", "duck", "crouch",
    "crawl", "lie", "pick", "sit", "sit_down", "stand_up", "run", "backward", "sidestep_left",
    "sidestep_right", "turn_in_place_left", "turn_in_place_right", "step", "start", "stop", "walk",
    "stand",
)  # fmt: skip
"""What a clip is mainly about: the first of its tags in this order."""


@dataclass(frozen=True, eq=False)
class Phases:
    """F frames of many clips, and what touches in each.

    frames       all frames, clip after clip
    names        of the clips; behaviours: what each is about
    signature    (F,) what touches (bits of `gait.signatures`)
    ground       (F,) height of the ground that carries the body, metres
    first        (P,) the first frame of each phase; the last one ends with the frames
    phase        (F,) the phase of each frame
    states       (S,) frames, ascending: changes of contact, and rests
    rest         (S,) which of them are rests
    """

    frames: Frames
    names: tuple[str, ...]
    behaviours: tuple[str, ...]
    signature: Ints
    ground: Floats
    first: Ints
    phase: Ints
    states: Ints
    rest: Bools

    @property
    def before(self) -> Ints:
        """(S,) what touches before each state; at rest that is what touches there."""
        earlier = self.signature[np.maximum(self.states - 1, 0)]
        return np.where(self.rest, self.signature[self.states], earlier).astype(np.int32)


def find_phases(clips: Sequence[Clip]) -> Phases:
    """The contact phases of clips that have one skeleton and one frame rate."""
    frames = frames_of(clips)
    seen = [_look(clip) for clip in clips]
    signature = np.concatenate([look.signature for look in seen])
    starts = np.zeros(len(signature), np.bool_)
    starts[frames.clip_start[:-1]] = True
    starts[1:] |= signature[1:] != signature[:-1]
    changes = starts.copy()
    changes[frames.clip_start[:-1]] = False
    rests = np.concatenate([look.rests for look in seen])
    states = np.flatnonzero(changes | rests).astype(np.int32)
    return Phases(
        frames=frames,
        names=tuple(clip.name for clip in clips),
        behaviours=tuple(_behaviour(clip) for clip in clips),
        signature=signature,
        ground=np.concatenate([look.ground for look in seen]),
        first=np.flatnonzero(starts).astype(np.int32),
        phase=(np.cumsum(starts) - 1).astype(np.int32),
        states=states,
        rest=rests[states] & ~changes[states],
    )


def join_phases(a: Phases, b: Phases) -> Phases:
    """The phases of some clips and of others after them."""
    one, two = a.frames, b.frames
    frames = Frames(
        one.skeleton, one.fps,
        np.concatenate([one.clip_start, two.clip_start[1:] + len(one)]).astype(np.int32),
        np.concatenate([one.root, two.root]), np.concatenate([one.rotations, two.rotations]),
    )  # fmt: skip
    return Phases(
        frames, a.names + b.names, a.behaviours + b.behaviours,
        np.concatenate([a.signature, b.signature]), np.concatenate([a.ground, b.ground]),
        np.concatenate([a.first, b.first + len(one)]).astype(np.int32),
        np.concatenate([a.phase, b.phase + len(a.first)]).astype(np.int32),
        np.concatenate([a.states, b.states + len(one)]).astype(np.int32),
        np.concatenate([a.rest, b.rest]),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Look:
    """What is seen in a clip: (T,) signatures, whether a frame is a state at rest, the ground."""

    signature: Ints
    rests: Bools
    ground: Floats


def _look(clip: Clip) -> _Look:
    contacts = find_contacts(clip)
    posture = find_posture(clip, contacts)
    signature = clip_signatures(clip, contacts, posture).astype(np.int32)
    signature = _without_false_flights(signature, contacts)
    seated = (signature & SEAT) > 0
    upright = (posture.trunk < UPRIGHT) & (posture.hips > STANDING)
    still = (resting_frames(clip) & upright) | (seated & (posture.hips_speed < SEATED))
    still &= (signature & HANDS) == 0
    return _Look(signature, _rests(still, signature, clip.fps), ground_under(contacts))


def _without_false_flights(signature: Ints, contacts: Contacts) -> Ints:
    """Signatures in which only bodies that fall have nothing that touches.

    Where feet slide or shuffle nothing stays put, but something carries: what does before and
    after, each for half of the time.
    """
    out, frames = signature.copy(), len(signature)
    spans = runs(signature == 0)
    for first, stop in spans[~leaps(contacts.motion, spans)].tolist():
        before = signature[first - 1] if first > 0 else signature[min(stop, frames - 1)]
        after = signature[stop] if stop < frames else before
        middle = (first + stop) // 2
        out[first:middle], out[middle:stop] = before, after
    return out


def _rests(still: Bools, signature: Ints, fps: float) -> Bools:
    """(T,) one frame of every rest: an end of the clip if it is there, else the middle."""
    out, frames = np.zeros(len(still), np.bool_), len(still)
    for first, stop in runs(still).tolist():
        if stop - first < SHORTEST_REST_S * fps:
            continue
        near = round(SHORTEST_REST_S * fps)
        ends = [0] * (first <= near) + [frames - 1] * (frames - stop <= near)
        for frame in ends or [(first + stop) // 2]:
            change = frame > 0 and signature[frame] != signature[frame - 1]
            out[frame] = not change
    return out


def _behaviour(clip: Clip) -> str:
    return next((name for name in BEHAVIOURS if name in clip.tags), "other")


def frame_efforts(clip: Clip, signature: Ints) -> Floats:
    """(T,) what it costs to go on from each frame, N² m²: sums do not depend on the frame rate.

    signature  (T,) what touches
    """
    squares = round_to_grid(inverse_dynamics(clip, signature.astype(np.uint8)).squares, EFFORT)
    return np.asarray(np.maximum(squares, 1e-6) * (EFFORT_HZ / clip.fps))
