"""Bodies for trajectories from elsewhere: simulated crowds, tracked people, game paths.

Everybody goes after a point on the own trajectory a moment ahead. Trajectories of heads sway and
those of trackers jitter, so they are smoothed first. Who appears on the move is on the move: it
sets out some seconds before, unseen, and goes on a moment beyond the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.blending.control import Crowd
from footfall.blending.crowd import Walkers
from footfall.blending.model import BlendSpace
from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.filters import smooth_gaussian
from footfall.world.corridor.corridor_map import CorridorMap
from footfall.world.scene import Scene

_RATE = 20.0
_SMOOTH_S, _LEAD_S, _PULL = 0.25, 0.35, 1.2
"""How far trajectories are smoothed, how far ahead they are gone after, and how quickly who is off
comes back, a second."""
_STILL_M_S = 0.12
_BEFORE_S, _AFTER_S, _PACE_S = 5.0, 1.5, 0.5
"""How long before and after its trajectory somebody goes unseen, and over how long its first and
last velocities are taken."""
_FASTEST_M_S = 12.0
_TOGETHER = 256
"""How many go in one batch where nobody minds others."""
LONGEST_S = 3600.0
_MOST_BYTES = 6 << 30


@dataclass(frozen=True, eq=False)
class CrowdMotion:
    """Motions of N people: clips, each from the first to the last moment of its trajectory.

    off_m, furthest_m   (N,) how far each was off its trajectory, root mean square and at most
    spans_s             (N, 2) from when to when each is there; 0 is when the first appears
    """

    clips: tuple[Clip, ...]
    off_m: Floats
    furthest_m: Floats
    spans_s: Floats


@dataclass(frozen=True, eq=False)
class _Batch:
    """People who are walked together: who, the clock's start (N,), and where each is (N, K, 2)."""

    who: list[int]
    begins: Floats
    tracks: Floats
    seconds: float


def follow_trajectories(
    space: BlendSpace, character: Skeleton, names: Sequence[str], times: Sequence[Floats],
    points: Sequence[Floats], *, fps: float = 30.0, scene: Scene | None = None,
    corridors: CorridorMap | None = None, avoid: bool = False,
    progress: Callable[[float], None] = lambda share: None,
) -> CrowdMotion:  # fmt: skip
    """Bodies that go along trajectories: times (N_i,) in seconds and points (N_i, 2) of each.

    `avoid` lets them keep clear of each other and of walls.
    """
    spans = _spans(names, times)
    frames = np.round((spans[:, 1] - spans[:, 0]) * fps).astype(int) + 1
    _check_memory(len(names), int(frames.sum()), len(character))
    clips: list[Clip | None] = [None] * len(names)
    off, furthest = np.zeros(len(names)), np.zeros(len(names))
    batches = _batches(times, points, spans, avoid)
    work, done = sum(len(b.who) * b.seconds for b in batches), 0.0
    for batch in batches:
        share = len(batch.who) * batch.seconds / work
        taken = _Takes(batch, spans, frames, len(character), fps)
        crowd = Crowd(space, character, len(batch.who), scene)
        for f, now in _walk(Walkers(crowd, scene, corridors), batch, spans, fps, avoid):
            taken.take(crowd, now)
            if f % 30 == 0:
                progress(done + share * f / (batch.seconds * fps))
        done += share
        for k, n in enumerate(batch.who):
            clips[n] = taken.clip(k, character, names[n], fps)
            off[n], furthest[n] = taken.off(k, times[n], points[n])
    made = tuple(clip for clip in clips if clip is not None)
    return CrowdMotion(made, off, furthest, spans - spans[:, 0].min())


def follow_in_turn(
    spaces: Sequence[BlendSpace], names: Sequence[str], times: Sequence[Floats],
    points: Sequence[Floats], *, fps: float = 30.0, scene: Scene | None = None,
    corridors: CorridorMap | None = None, avoid: bool = False,
    progress: Callable[[float], None] = lambda share: None,
) -> CrowdMotion:  # fmt: skip
    """Bodies that go along trajectories, each in turn with the body and strides of a space.

    Where they keep clear of each other and differ, it is found first where all would go if they
    were alike; then each goes there.
    """
    first = spaces[0]
    if avoid or len(spaces) == 1:
        part = 1.0 if len(spaces) == 1 else 0.5
        alike = follow_trajectories(
            first, first.skeleton, names, times, points, fps=fps, scene=scene, corridors=corridors,
            avoid=avoid, progress=lambda share: progress(part * share),
        )  # fmt: skip
        if len(spaces) == 1:
            return alike
        paths = [clip.root[:, [0, 2]] for clip in alike.clips]
        when = [
            float(t[0]) + np.arange(len(path)) / fps for t, path in zip(times, paths, strict=True)
        ]
    else:
        part, when, paths = 0.0, list(times), list(points)
    spans = _spans(names, times)
    clips: dict[int, Clip] = {}
    for k, space in enumerate(spaces):
        own = list(range(k, len(names), len(spaces)))
        if not own:
            break
        made = follow_trajectories(
            space, space.skeleton, [names[n] for n in own], [when[n] for n in own],
            [paths[n] for n in own], fps=fps, scene=scene,
        )  # fmt: skip
        clips |= dict(zip(own, made.clips, strict=True))
        progress(part + (1.0 - part) * (k + 1) / len(spaces))
    ordered = tuple(clips[n] for n in range(len(names)))
    off = np.array([
        _off(clip.root, t[0] + np.arange(len(clip)) / fps, t, p)
        for clip, t, p in zip(ordered, times, points, strict=True)
    ])  # fmt: skip
    return CrowdMotion(ordered, off[:, 0], off[:, 1], spans - spans[:, 0].min())


def _off(root: Floats, at: Floats, times: Floats, points: Floats) -> tuple[float, float]:
    """How far hips (T, 3) at moments (T,) are off a trajectory: root mean square, and at most."""
    away = np.zeros(len(at))
    for axis, column in ((0, 0), (2, 1)):
        away += (root[:, axis] - np.interp(at, times, points[:, column])) ** 2
    return float(np.sqrt(away.mean())), float(np.sqrt(away.max()))


def _spans(names: Sequence[str], times: Sequence[Floats]) -> Floats:
    """(N, 2) first and last moments."""
    if not names:
        raise InputError("there are no trajectories", remedy="at least one")
    spans = np.array([[float(t[0]), float(t[-1])] for t in times])
    whole = float(spans[:, 1].max() - spans[:, 0].min())
    if whole > LONGEST_S:
        raise InputError(
            f"they last {whole:.0f} s", remedy=f"at most {LONGEST_S:.0f} s; are times in seconds?"
        )
    return spans


def _check_memory(people: int, frames: int, joints: int) -> None:
    size = frames * (joints * 4 * 4 + 3 * 8 + 4)
    if size > _MOST_BYTES:
        raise InputError(
            f"the motions of {people:,} people would take {size / 2**30:.0f} GiB",
            remedy="fewer people at a time, or a lower frame rate",
        )


def _batches(
    times: Sequence[Floats], points: Sequence[Floats], spans: Floats, avoid: bool
) -> list[_Batch]:
    """Who is walked together: all on one clock if they mind each other, else by duration, each on
    a clock of its own."""
    order = np.argsort(spans[:, 1] - spans[:, 0], kind="stable")
    size = len(order) if avoid else _TOGETHER
    out = []
    for first in range(0, len(order), size):
        who = [int(n) for n in order[first : first + size]]
        begins = spans[who, 0] - _BEFORE_S
        if avoid:
            begins[...] = begins.min()
        seconds = float((spans[who, 1] + _AFTER_S - begins).max())
        tracks = np.stack(
            [_track(times[n], points[n], b, seconds) for n, b in zip(who, begins, strict=True)]
        )
        out.append(_Batch(who, begins, tracks, seconds))
    return out


def _track(times: Floats, points: Floats, begin: float, seconds: float) -> Floats:
    """(K, 2) where somebody is, at even times from `begin`, smoothed; before and after its
    trajectory it goes on as it goes there."""
    grid = begin + np.arange(int(np.ceil(seconds * _RATE)) + 3) / _RATE
    first, last = (_pace(times, points, end) for end in (0, -1))
    early = np.clip(grid - times[0], -_BEFORE_S, 0.0)
    late = np.clip(grid - times[-1], 0.0, _AFTER_S)
    out = np.empty((len(grid), 2))
    for k in range(2):
        line = np.interp(grid, times, points[:, k]) + early * first[k] + late * last[k]
        out[:, k] = smooth_gaussian(line, _SMOOTH_S * _RATE)
    return out


def _pace(times: Floats, points: Floats, end: int) -> Floats:
    """(2,) how fast somebody goes at one end of its trajectory."""
    span = min(_PACE_S, float(times[-1] - times[0]))
    if span <= 0.0:
        return np.zeros(2)
    at = times[0] + np.array([0.0, span]) if end == 0 else times[-1] - np.array([span, 0.0])
    moved = [np.diff(np.interp(at, times, points[:, k]))[0] for k in range(2)]
    pace = np.array(moved) / span
    return np.asarray(pace * min(1.0, _FASTEST_M_S / max(float(np.hypot(*pace)), 1e-9)))


def _walk(  # type: ignore[no-untyped-def]
    people: Walkers, batch: _Batch, spans: Floats, fps: float, avoid: bool
):  # fmt: skip
    """Walk a batch; gives the number of each frame and the time (N,) it shows of everybody."""
    people.place(_first_places(batch.tracks))
    frames = int(np.ceil(batch.seconds * fps))
    for f in range(frames + 1):
        now = batch.begins + f / fps
        yield f, now
        wishes = _wishes(batch.tracks, f / fps, people.crowd.places[:, :2])
        if avoid:
            people.show((now >= spans[batch.who, 0]) & (now <= spans[batch.who, 1]))
            people.step(1.0 / fps, wishes)
        else:
            people.go(1.0 / fps, wishes)


class _Takes:
    """The frames of a batch that lie within everybody's trajectory."""

    def __init__(
        self, batch: _Batch, spans: Floats, frames: np.ndarray, joints: int, fps: float
    ) -> None:
        self.starts, self.many, self.fps = spans[batch.who, 0], frames[batch.who], fps
        self.first = np.concatenate([[0], np.cumsum(self.many)])
        total = int(self.first[-1])
        self.roots = np.empty((total, 3))
        self.turns = np.empty((total, joints, 4), np.float32)
        self.contacts = np.empty((total, 4), np.bool_)

    def take(self, crowd: Crowd, now: Floats) -> None:
        """Keep the present frame of who is there now (N,)."""
        row = np.round((now - self.starts) * self.fps).astype(int)
        here: Bools = (row >= 0) & (row < self.many)
        rows = self.first[:-1][here] + row[here]
        self.roots[rows], self.turns[rows] = crowd.root[here], crowd.rotations[here]
        self.contacts[rows] = np.asarray(crowd.contacts)[here]

    def clip(self, k: int, character: Skeleton, name: str, fps: float) -> Clip:
        """The motion of one of them."""
        own = slice(int(self.first[k]), int(self.first[k + 1]))
        turns = quat.continuous(quat.normalise(self.turns[own].astype(float)))
        return Clip(character, fps, self.roots[own], turns, name=name, contacts=self.contacts[own])

    def off(self, k: int, times: Floats, points: Floats) -> tuple[float, float]:
        """How far its hips are off its trajectory: root mean square, and at most."""
        own = slice(int(self.first[k]), int(self.first[k + 1]))
        return _off(
            self.roots[own], self.starts[k] + np.arange(self.many[k]) / self.fps, times, points
        )


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
