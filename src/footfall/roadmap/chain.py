"""Moves joined at shared footprints: one clip, and where each time a foot stands is to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footfall.adapt.feet.holds import find_holds
from footfall.body.clip import Clip
from footfall.body.feet import foot_of
from footfall.body.roles import SIDES
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.runs import runs
from footfall.roadmap.moves import Moves, order_prints
from footfall.roadmap.paths import FootholdPath
from footfall.roadmap.postures import Cut
from footfall.roadmap.table import Longs
from footfall.task.draft import PlannedStances

_USUAL_S, _MOST_S = 0.25, 0.8
"""So long before and after it two moves are usually, and at most, blended where they meet."""
_SHARE = 0.15
"""Blending takes a joint no faster than this share of the fastest it ever is in its clips ..."""
_SLOWEST_RAD_S, _SLOWEST_M_S = 1.0, 0.5
"""... where that is at least this."""


@dataclass(frozen=True, eq=False)
class Chain:
    """W moves joined as they are, each on the last footprint of the one before.

    clip      all of them, one after the other
    starts    (W,) the frame at which each begins
    stances   where feet stand in it, and where they are to stand
    """

    clip: Clip
    starts: Ints
    stances: PlannedStances


def join_moves(
    moves: Moves, path: FootholdPath, prints: Floats, starts: Longs, timed: bool = False
) -> Chain:
    """The moves of a path, chained, with their footprints and where these are to be.

    prints  (P, 4) where the footprints of all moves are to be: x, height, z, yaw
    starts  (W + 1,) the first of each move's
    timed   whether the first move begins at once, not at its calmest moment before
    """
    from footfall.roadmap.chain_kernels import blend_seams

    played, model = path.moves.tolist(), moves.clips[0]
    first, last = moves.first[path.moves], moves.last[path.moves]
    calm = {n - 1: n for n in path.rests} | {len(path) - 1: len(path)}
    for before, after in calm.items():
        last[before] = max(last[before], moves.calm_last[path.moves[before]])
        if after < len(path) and not timed:
            first[after] = min(first[after], moves.calm_first[path.moves[after]])
    if not timed:
        first[0] = min(first[0], moves.calm_first[path.moves[0]])
    begins = np.concatenate([[0], np.cumsum(last - first)]).astype(np.int64)
    frames, joints, many = int(begins[-1]) + 1, len(model.skeleton), len(played)
    root, rotations = np.empty((frames, 3)), np.empty((frames, joints, 4))
    contacts = np.zeros((frames, 4), np.bool_)
    edges = np.empty((many, 2, 3, 3)), np.empty((many, 2, 3, joints, 4)), np.empty((many, 2))
    facts = [_facts(moves, m) for m in played]
    rows = np.concatenate([f.rows for f in facts])
    at = np.array(path.footholds[0], np.float64)
    for n, m in enumerate(played):
        clip, own = moves.clips[moves.clip[m]], slice(int(starts[n]), int(starts[n + 1]))
        laid = _lay_clip(clip, int(first[n]), int(last[n]), facts[n].prints, at)
        # The frame that it shares with the move before stays as it is.
        a, b, skip = int(begins[n]), int(begins[n + 1]) + 1, int(n > 0)
        assert clip.contacts is not None
        contacts[a:b] |= clip.contacts[int(first[n]) : int(last[n]) + 1]
        root[a + skip : b], rotations[a + skip : b] = laid.root[skip:], laid.rotations[skip:]
        edges[0][n], edges[1][n], edges[2][n] = laid.edge_root, laid.edge_turns, laid.edge_span
        rows[own, 3:7] = laid.prints
        rows[own, 1:3] += begins[n] - first[n]
        at = laid.prints[-1]
    rows[:, 7:11] = prints
    if many > 1:
        peaks = np.stack([f.peaks for f in facts])
        peaks = _SHARE * np.maximum(peaks[:-1], peaks[1:]) / model.fps
        blend_seams(
            begins[1:-1], np.diff(begins) + 1.0, *edges, peaks, _USUAL_S * model.fps,
            _MOST_S * model.fps, root, rotations,
        )  # fmt: skip
    clip = Clip(model.skeleton, model.fps, root, quat.continuous(rotations), "path", contacts)
    return Chain(clip, begins[:-1].astype(np.int32), _find_stances(contacts, rows))


class _LaidClip(NamedTuple):
    """Frames of a clip, laid, and its footprints; `blend_seams` describes the edges."""

    root: Floats
    rotations: Floats
    edge_root: Floats
    edge_turns: Floats
    edge_span: Floats
    prints: Floats


def _lay_clip(clip: Clip, first: int, last: int, prints: Floats, at: Floats) -> _LaidClip:
    """Lay the frames of a clip from `first` to `last` so that its first footprint is `at` (4,).

    prints  (P, 4) its footprints in the clip: x, height, z, yaw
    """
    yaw, lift = at[3] - prints[0, 3], at[1] - prints[0, 1]
    c, s = np.cos(yaw), np.sin(yaw)
    x = at[0] - c * prints[0, 0] - s * prints[0, 2]
    z = at[2] - c * prints[0, 2] + s * prints[0, 0]
    turn = np.array([np.cos(0.5 * yaw), 0.0, np.sin(0.5 * yaw), 0.0])
    final = len(clip) - 1
    ends = np.array([[max(t - 1, 0), t, min(t + 1, final)] for t in (first, last)])
    frames = np.concatenate([np.arange(first, last + 1), ends.ravel()])

    def lay(places: Floats) -> Floats:
        px, py, pz = places.T[:3]
        return np.stack([x + c * px + s * pz, py + lift, z + c * pz - s * px], axis=1)

    root, rotations = lay(clip.root[frames]), clip.rotations[frames]
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    many = last - first + 1
    return _LaidClip(
        root[:many], rotations[:many], root[many:].reshape(2, 3, 3),
        rotations[many:].reshape(2, 3, -1, 4), np.maximum(ends[:, 2] - ends[:, 0], 1.0),
        np.column_stack([lay(prints), prints[:, 3] + yaw]),
    )  # fmt: skip


def _find_stances(contacts: Bools, rows: Floats) -> PlannedStances:
    """One stance for each time a foot stands, though two moves may both know of it.

    rows  footprints of moves: foot, first frame, frame after the last, source, target, ball, turn
    """
    found = []
    for foot in (0, 1):
        own = rows[rows[:, 0] == foot]
        spans = runs(contacts[:, 2 * foot] | contacts[:, 2 * foot + 1])
        if len(own) == 0 or len(spans) == 0:
            continue
        shared = np.minimum(spans[:, None, 1], own[:, 2]) - np.maximum(spans[:, None, 0], own[:, 1])
        taken = np.array(own[np.argmax(shared, axis=1)])
        taken[:, 1:3] = spans
        found.append(taken[shared.max(axis=1) > 0.0])
    table = np.concatenate([*found, np.zeros((0, 15))])
    table = table[np.lexsort((table[:, 0], table[:, 1] + table[:, 2]))]
    return PlannedStances(
        table[:, 0].astype(np.int32), table[:, 1:3].astype(np.int32), table[:, 3:7],
        table[:, 7:11], table[:, 11:14], table[:, 14],
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Facts:
    """What is worked out once of a move.

    prints  (P, 4) its footprints as in its clip: x, height, z, yaw, the first one first
    rows    (P, 15) what `_find_stances` is told of them, as in its clip
    peaks   (J + 1,) how fast root, m/s, and joints, half radians/s, are at most
    """

    prints: Floats
    rows: Floats
    peaks: Floats


_known: WeakKeyDictionary[Moves, dict[int, _Facts]] = WeakKeyDictionary()
_known_clips: WeakKeyDictionary[Clip, tuple[Floats, Floats]] = WeakKeyDictionary()


def _facts(moves: Moves, m: int) -> _Facts:
    own = _known.setdefault(moves, {})
    if m not in own:
        own[m] = _find_facts(moves, m)
    return own[m]


def _find_facts(moves: Moves, m: int) -> _Facts:
    number = int(moves.clip[m])
    clip, prints = moves.clips[number], moves.prints[number]
    a = Cut(0, int(moves.first_print[m]), int(moves.first[m]), 0, False)
    b = Cut(0, int(moves.last_print[m]), int(moves.last[m]), 0, False)
    ordered, _ = order_prints(prints, a, b, clip.fps)
    soles, peaks = _facts_of_clip(clip)
    times = np.array([(f.t - f.delta, f.t + f.delta) for f in ordered]) * clip.fps
    spans = np.stack([np.ceil(times[:, 0] - 1e-6), np.floor(times[:, 1] + 1e-6) + 1.0], axis=1)
    flat = soles[[f.stance for f in ordered]]
    places = np.array([[*f.p, f.yaw] for f in ordered])
    balls = quat.rotate(quat.from_yaw(-places[:, 3]), flat[:, :3] - places[:, :3])
    turned = (flat[:, 3] - places[:, 3] + np.pi) % (2.0 * np.pi) - np.pi
    feet = np.array([float(f.foot) for f in ordered])
    return _Facts(places, np.column_stack([feet, spans, places, places, balls, turned]), peaks)


def _facts_of_clip(clip: Clip) -> tuple[Floats, Floats]:
    """(N, 4) ball and direction of the flat sole at each footprint; how fast joints are."""
    if clip not in _known_clips:
        assert clip.contacts is not None
        poses, soles = clip.world, []
        for k, side in enumerate(SIDES):
            labels = clip.contacts[:, 2 * k : 2 * k + 2]
            holds = find_holds(foot_of(clip.skeleton, side), poses, labels[:, 0], labels[:, 1])
            soles.append(np.column_stack([holds.spots, quat.yaw_of(holds.flat)]))
        speed = np.linalg.norm(np.diff(clip.root, axis=0), axis=1).max(initial=0.0)
        turns = quat.angle_between(clip.rotations[1:], clip.rotations[:-1]).max(axis=0, initial=0.0)
        peaks = np.maximum(clip.fps * np.array([speed, *(0.5 * turns)]), 0.5 * _SLOWEST_RAD_S)
        peaks[0] = max(clip.fps * speed, _SLOWEST_M_S)
        _known_clips[clip] = np.concatenate(soles), peaks
    return _known_clips[clip]
