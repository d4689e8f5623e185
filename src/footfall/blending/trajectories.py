"""Bodies for trajectories from elsewhere: simulated crowds, tracked people, game paths.

Everybody goes after a point on the own trajectory a moment ahead. Trajectories of heads sway and
those of trackers jitter, so they are smoothed first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.blending.control import Crowd
from footfall.blending.crowd import AvoidanceOptions, Walkers
from footfall.blending.model import BlendSpace
from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.filters import smooth_gaussian
from footfall.world.corridor.corridor_map import CorridorMap
from footfall.world.scene import Scene

_RATE = 20.0
_SMOOTH_S, _LEAD_S, _PULL = 0.35, 0.35, 0.9
"""How far trajectories are smoothed, how far ahead they are gone after, and how quickly who is off
comes back, a second."""
_STILL_M_S = 0.12
LONGEST_S = 3600.0


@dataclass(frozen=True, eq=False)
class CrowdMotion:
    """Motions of N people over T frames: clips, how far each was off its trajectory (N,), metres,
    root mean square, and from when to when (N, 2) it has one."""

    clips: tuple[Clip, ...]
    off_m: Floats
    spans_s: Floats


def follow_trajectories(
    space: BlendSpace, character: Skeleton, names: Sequence[str], times: Sequence[Floats],
    points: Sequence[Floats], *, fps: float = 30.0, scene: Scene | None = None,
    corridors: CorridorMap | None = None, avoid: bool = False,
    progress: Callable[[float], None] = lambda share: None,
) -> CrowdMotion:  # fmt: skip
    """Bodies that go along trajectories: times (N_i,) in seconds and points (N_i, 2) of each.

    Before and after its trajectory somebody stands. `avoid` lets them keep clear of each other.
    """
    if not names:
        raise InputError("there are no trajectories", remedy="at least one")
    begin = min(float(t[0]) for t in times)
    end = max(float(t[-1]) for t in times)
    if end - begin > LONGEST_S:
        raise InputError(f"they last {end - begin:.0f} s", remedy=f"at most {LONGEST_S:.0f} s")
    tracks = _resample(times, points, begin, end)
    crowd = Crowd(space, character, len(names), scene)
    people = Walkers(crowd, scene, corridors, AvoidanceOptions())
    people.place(_first_places(tracks))
    frames = round((end - begin) * fps) + 1
    roots = np.empty((len(names), frames, 3))
    turns = np.empty((len(names), frames, len(character), 4), np.float32)
    contacts = np.empty((len(names), frames, 4), np.bool_)
    square = np.zeros(len(names))
    for f in range(frames):
        roots[:, f], turns[:, f], contacts[:, f] = crowd.root, crowd.rotations, crowd.contacts
        at = crowd.places[:, :2]
        square += ((at - _at(tracks, f / fps)) ** 2).sum(axis=1)
        wishes = _wishes(tracks, f / fps, at)
        if avoid:
            people.step(1.0 / fps, wishes)
        else:
            people.go(1.0 / fps, wishes)
        if f % 30 == 0:
            progress(f / frames)
    spans = np.array([[float(t[0]) - begin, float(t[-1]) - begin] for t in times])
    clips = tuple(
        Clip(
            character, fps, roots[n], quat.continuous(quat.normalise(turns[n].astype(float))),
            name=name, contacts=contacts[n],
        )
        for n, name in enumerate(names)
    )  # fmt: skip
    return CrowdMotion(clips, np.sqrt(square / frames), spans)


def _resample(
    times: Sequence[Floats], points: Sequence[Floats], begin: float, end: float
) -> Floats:
    """(N, K, 2) where everybody is, at even times, smoothed."""
    grid = np.arange(begin, end + 2.0 / _RATE, 1.0 / _RATE)
    out = np.empty((len(times), len(grid), 2))
    for n, (t, p) in enumerate(zip(times, points, strict=True)):
        for k in range(2):
            out[n, :, k] = smooth_gaussian(np.interp(grid, t, p[:, k]), _SMOOTH_S * _RATE)
    return out


def _at(tracks: Floats, time: float) -> Floats:
    at = min(max(time * _RATE, 0.0), tracks.shape[1] - 1.000001)
    n = int(at)
    return np.asarray(tracks[:, n] + (at - n) * (tracks[:, n + 1] - tracks[:, n]))


def _wishes(tracks: Floats, time: float, at: Floats) -> Floats:
    """(N, 2) velocities that lead everybody along the own trajectory."""
    ahead = _at(tracks, time + _LEAD_S)
    step = 1.0 / _RATE
    going = (_at(tracks, time + _LEAD_S + step) - _at(tracks, time + _LEAD_S - step)) / (2.0 * step)
    off = ahead - going * _LEAD_S - at
    wish = going + _PULL * off
    still = (np.hypot(going[:, 0], going[:, 1]) < _STILL_M_S) & (np.hypot(*off.T) < 0.2)
    wish[still] = 0.0
    return wish


def _first_places(tracks: Floats) -> Floats:
    """(N, 3) where everybody is at first, facing where it will go."""
    places = np.zeros((len(tracks), 3))
    places[:, :2] = tracks[:, 0]
    moved = np.hypot(*np.moveaxis(tracks - tracks[:, :1], 2, 0))
    first = np.argmax(moved > 0.3, axis=1)
    rows = np.arange(len(tracks))
    line = tracks[rows, first] - tracks[:, 0]
    places[:, 2] = np.where(first > 0, np.arctan2(line[:, 0], line[:, 1]), 0.0)
    return places
