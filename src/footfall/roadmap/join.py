"""Moves joined at shared footprints: one clip, and where each time a foot stands is to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from footfall.adapt.holds import find_holds, foot_of
from footfall.body.clip import Clip
from footfall.body.kinematics import world_poses
from footfall.body.roles import SIDES
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.runs import runs
from footfall.roadmap.moves import Moves, order_prints
from footfall.roadmap.postures import Cut
from footfall.roadmap.search import FootholdPath
from footfall.roadmap.table import Longs

_USUAL_S, _MOST_S = 0.25, 0.8
"""So long before and after it two moves are usually, and at most, blended where they meet."""
_SHARE = 0.3
"""Blending takes a joint no faster than this share of the fastest it ever is in its clips ..."""
_SLOWEST_RAD_S, _SLOWEST_M_S = 1.0, 0.5
"""... where that is at least this."""


@dataclass(frozen=True, eq=False)
class Stances:
    """K times that a foot stands in joined moves, in the order of time.

    foot     (K,) 0 left, 1 right
    spans    (K, 2) the first frame of it, and the frame after its last
    source   (K, 4) the footprint in the joined moves: x, height, z, yaw
    target   (K, 4) where it is to be
    balls    (K, 3) where the ball of the flat sole is, seen from the footprint
    turned   (K,) where the flat sole points, radians from the footprint
    """

    foot: Ints
    spans: Ints
    source: Floats
    target: Floats
    balls: Floats
    turned: Floats

    def __len__(self) -> int:
        return len(self.foot)

    @property
    def times(self) -> Floats:
        """(K,) the middle of each, in frames."""
        return np.asarray(0.5 * (self.spans[:, 0] + self.spans[:, 1] - 1))

    def only(self, rows: Bools | Ints) -> Stances:
        """Some of them."""
        return Stances(
            self.foot[rows], self.spans[rows], self.source[rows], self.target[rows],
            self.balls[rows], self.turned[rows],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Chain:
    """Moves joined as they are, each on the last footprint of the one before.

    clip      all of them, one after the other
    starts    (W,) the frame each begins at
    stances   where feet stand in it, and where they are to stand
    """

    clip: Clip
    starts: Ints
    stances: Stances


def join_moves(moves: Moves, path: FootholdPath, prints: Floats, starts: Longs) -> Chain:
    """The moves of a path, chained, with their footprints and where these are to be.

    prints  (P, 4) where the footprints of all moves are to be: x, height, z, yaw
    starts  (W + 1,) the first of each move's
    """
    played = path.moves.tolist()
    first, last = moves.first[path.moves], moves.last[path.moves]
    begins = np.concatenate([[0], np.cumsum(last - first)]).astype(np.int32)
    model = moves.clips[0]
    root = np.empty((int(begins[-1]) + 1, 3))
    rotations = np.empty((len(root), len(model.skeleton), 4))
    contacts = np.zeros((len(root), 4), np.bool_)
    rows: list[Floats] = []
    edges: list[_Edges] = []
    at = path.footholds[0]
    for n, m in enumerate(played):
        clip, facts = moves.clips[moves.clip[m]], _facts(moves, m)
        one, other = facts.prints[0], facts.prints[-1]
        pose = planar.compose(at[[0, 2, 3]], planar.inverse(one[[0, 2, 3]]))
        lift = float(at[1] - one[1])
        part = slice(int(first[n]), int(last[n]) + 1)
        rest = slice(int(begins[n]), int(begins[n + 1]) + 1)
        # The frame that two moves share is first as in the one that ends there.
        own = slice(min(n, 1), None)
        laid = _lay(clip, part, pose, lift)
        root[rest][own], rotations[rest][own] = laid[0][own], laid[1][own]
        assert clip.contacts is not None
        contacts[rest] |= clip.contacts[part]
        edges.append(_edges_of(clip, part, pose, lift))
        placed = _lay_prints(facts.prints, pose, lift)
        shift = float(begins[n] - first[n])
        rows.append(np.column_stack([
            facts.feet, facts.spans + shift, placed, prints[starts[n] : starts[n + 1]],
            facts.balls, facts.turned,
        ]))  # fmt: skip
        at = _lay_prints(other[None], pose, lift)[0]
    _blend(moves, played, begins, edges, root, rotations)
    clip = Clip(model.skeleton, model.fps, root, quat.continuous(rotations), "path", contacts)
    return Chain(clip, begins[:-1], _find_stances(contacts, np.concatenate(rows)))


def _lay(clip: Clip, part: slice, pose: Floats, lift: float) -> tuple[Floats, Floats]:
    """Root (L, 3) and rotations (L, J, 4) of some frames, turned, moved and lifted."""
    root, rotations = clip.root[part], np.array(clip.rotations[part])
    rotations[:, 0] = quat.multiply(quat.from_yaw(pose[2]), rotations[:, 0])
    c, s = np.cos(pose[2]), np.sin(pose[2])
    x, y, z = root.T
    return np.stack([pose[0] + c * x + s * z, y + lift, pose[1] + c * z - s * x], -1), rotations


def _lay_prints(prints: Floats, pose: Floats, lift: float) -> Floats:
    """(N, 4) footprints (N, 4), turned, moved and lifted."""
    c, s = np.cos(pose[2]), np.sin(pose[2])
    x, y, z, yaw = prints.T
    return np.stack([pose[0] + c * x + s * z, y + lift, pose[1] + c * z - s * x, yaw + pose[2]], -1)


_Edges = tuple[Floats, Floats, tuple[float, float]]
"""Root (2, 3, 3) and rotations (2, 3, J, 4) before, at and after both ends of a move, and how
many frames lie between before and after."""


def _edges_of(clip: Clip, part: slice, pose: Floats, lift: float) -> _Edges:
    """How a move begins and ends; its clip goes on beyond, where it is not over."""
    end = len(clip) - 1
    frames, apart = [], []
    for frame in (part.start, part.stop - 1):
        before, after = max(frame - 1, 0), min(frame + 1, end)
        frames += [before, frame, after]
        apart.append(max(float(after - before), 1.0))
    rotations = clip.rotations[frames]
    rotations[:, 0] = quat.multiply(quat.from_yaw(pose[2]), rotations[:, 0])
    c, s = np.cos(pose[2]), np.sin(pose[2])
    x, y, z = clip.root[frames].T
    root = np.stack([pose[0] + c * x + s * z, y + lift, pose[1] + c * z - s * x], -1)
    joints = rotations.shape[1]
    return root.reshape(2, 3, 3), rotations.reshape(2, 3, joints, 4), (apart[0], apart[1])


def _blend(
    moves: Moves, played: list[int], begins: Ints, edges: Sequence[_Edges], root: Floats,
    rotations: Floats,
) -> None:  # fmt: skip
    """Let what differs where two moves meet die away on both sides of it."""
    if len(played) < 2:
        return
    from footfall.roadmap.join_kernels import blend_seams

    fps = moves.clips[0].fps
    peaks = np.stack([_facts(moves, m).peaks for m in played])
    peaks = _SHARE * np.maximum(peaks[:-1], peaks[1:]) / fps
    pairs = list(pairwise(edges))
    blend_seams(
        begins[1:-1].astype(np.int64), np.diff(begins).astype(np.float64) + 1.0,
        np.stack([np.stack([a[0][1], b[0][0]]) for a, b in pairs]),
        np.stack([np.stack([a[1][1], b[1][0]]) for a, b in pairs]),
        np.array([(a[2][1], b[2][0]) for a, b in pairs]), peaks, _USUAL_S * fps, _MOST_S * fps,
        root, rotations,
    )  # fmt: skip


def _find_stances(contacts: Bools, rows: Floats) -> Stances:
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
    return Stances(
        table[:, 0].astype(np.int32), table[:, 1:3].astype(np.int32), table[:, 3:7],
        table[:, 7:11], table[:, 11:14], table[:, 14],
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Facts:
    """What is worked out once of a move.

    prints         (P, 4) its footprints as in its clip: x, height, z, yaw, the first one first
    feet, spans    (P,) whose they are, (P, 2) when: first frame and the frame after the last
    balls, turned  (P, 3), (P,) the flat sole, see `Stances`
    peaks          (J + 1,) how fast root, m/s, and joints, half radians/s, are at most
    """

    prints: Floats
    feet: Floats
    spans: Floats
    balls: Floats
    turned: Floats
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
    rows = [f.stance for f in ordered]
    times = np.array([(f.t - f.delta, f.t + f.delta) for f in ordered]) * clip.fps
    spans = np.stack([np.ceil(times[:, 0] - 1e-6), np.floor(times[:, 1] + 1e-6) + 1.0], axis=1)
    flat = soles[rows]
    places = np.array([[*f.p, f.yaw] for f in ordered])
    balls = quat.rotate(quat.from_yaw(-places[:, 3]), flat[:, :3] - places[:, :3])
    turned = np.asarray((flat[:, 3] - places[:, 3] + np.pi) % (2.0 * np.pi) - np.pi)
    feet = np.array([float(f.foot) for f in ordered])
    return _Facts(places, feet, spans, balls, turned, peaks)


def _facts_of_clip(clip: Clip) -> tuple[Floats, Floats]:
    """(N, 4) ball and direction of the flat sole at each footprint; how fast joints are."""
    if clip not in _known_clips:
        assert clip.contacts is not None
        poses, soles = world_poses(clip), []
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
