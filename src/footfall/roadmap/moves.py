"""What a roadmap can do: parts of clips from one footprint to another, as arrays.

A *move* plays a clip from one of its cuts to a later one. It is seen from its first footprint:
+Z leads to its last one, so that any two footholds tell at once whether it fits between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.body.capsules import body_capsules
from footfall.body.clip import Clip
from footfall.body.kinematics import WorldPoses
from footfall.body.skeleton import Skeleton
from footfall.gait.footprints import Footprint
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.postures import Cut, describe, find_cuts, group_postures, read_clip
from footfall.task.sole import sole_of
from footfall.world.collision.queries import FootBox

SHORT_M = 0.45
"""Moves that get no further are laid by the directions of their feet, not by their chord."""
FURTHEST_M = 3.0
MOST_PRINTS = 7
"""How far a move leads, and how many footprints it has, at most."""
COSTS = {
    "walk": 1.0, "run": 1.5, "curve_left": 1.0, "curve_right": 1.0, "stand": 1.0,
    "sidestep_left": 1.5, "sidestep_right": 1.5, "backward": 2.0, "step_over": 1.5, "hurdle": 1.6,
    "jump": 3.0, "hop": 4.0, "duck": 2.0, "crouch": 2.0, "beam": 1.5, "stairs_up": 1.1,
    "stairs_down": 1.1,
}  # fmt: skip
"""How dear each behaviour is, the reciprocal of how much it is preferred."""


@dataclass(frozen=True, eq=False)
class Moves:
    """M moves over C clips, P footprints, B boxes.

    clips          the clips, on one character at one frame rate
    prints         of each clip, its footprints
    postures       how many postures there are
    clip           (M,) the clip of each move    first_print, last_print  (M,) its footprints
    first, last    (M,) its first and last frame
    begins, ends   (M,) the posture it begins and ends in
    chord          (M,) how far its last footprint is from its first, metres
    turn_first, turn_last  (M,) where those point, radians from the chord
    frames         (M,) how long it takes
    dearness       (M,) what a metre costs, by what it shows
    print_start    (M+1,) the first of each move's footprints
    places         (P, 3) footprints, x, height and z, seen from the move's first
    turns          (P,) where they point      share  (P,) how far along they are, 0 to 1
    foot           (P,) 0 left, 1 right
    box_start      (M+1,) the first of each move's boxes
    boxes          (B, 6) least and largest x, y and z that parts of the body sweep, from the
                   first footprint; the first box of a move holds all others
    radius         (M,) how far any part of the body gets from the first footprint, in the plane
    length         (M,) the sum of its steps, metres
    standing       the postures at rest
    foot_box       the sole     sole_ahead  how far its middle is before a footprint's place
    """

    clips: tuple[Clip, ...]
    prints: tuple[tuple[Footprint, ...], ...]
    postures: int
    clip: Ints
    first_print: Ints
    last_print: Ints
    first: Ints
    last: Ints
    begins: Ints
    ends: Ints
    chord: Floats
    turn_first: Floats
    turn_last: Floats
    frames: Ints
    dearness: Floats
    print_start: Ints
    places: Floats
    turns: Floats
    share: Floats
    foot: Ints
    box_start: Ints
    boxes: Floats
    radius: Floats
    length: Floats
    standing: Ints
    foot_box: FootBox
    sole_ahead: float

    def __len__(self) -> int:
        return len(self.clip)


def find_moves(
    clips: Sequence[Clip], tolerance_m: float = 0.15, dearness: Mapping[str, float] | None = None
) -> Moves:
    """Every part of the clips that leads from one cut to another.

    tolerance_m  postures that are nearer than this, root mean square over joints, are one
    dearness     how dear behaviours are, by tag, beside COSTS
    """
    costs = {**COSTS, **(dearness or {})}
    read = [read_clip(clip) for clip in clips]
    cuts: list[Cut] = []
    described = []
    for number, (clip, (poses, prints)) in enumerate(zip(clips, read, strict=True)):
        own = find_cuts(number, clip, prints, poses)
        cuts += own
        described += [describe(clip, poses, cut, prints[cut.print]).ravel() for cut in own]
    groups = group_postures(cuts, np.array(described), tolerance_m) if cuts else np.zeros(0, int)
    table = _Table()
    by_clip: dict[int, list[tuple[Cut, int]]] = {}
    for cut, group in zip(cuts, groups.tolist(), strict=True):
        by_clip.setdefault(cut.clip, []).append((cut, group))
    for number, own_cuts in by_clip.items():
        clip, (poses, prints) = clips[number], read[number]
        dear = max((costs[t] for t in clip.tags if t in costs), default=1.0)
        swept = _Swept(clip, poses)
        for k, (a, begins) in enumerate(own_cuts):
            for b, ends in own_cuts[k + 1 :]:
                if b.print <= a.print or b.print - a.print >= MOST_PRINTS:
                    continue
                table.add(number, prints, a, b, begins, ends, dear, swept)
    standing = np.array(
        sorted({g for cut, g in zip(cuts, groups.tolist(), strict=True) if cut.at_rest}), np.int32
    )
    box, ahead = sole_of(clips[0].skeleton)
    return table.moves(
        tuple(clips), tuple(prints for _, prints in read), int(groups.max(initial=-1)) + 1,
        standing, box, ahead,
    )  # fmt: skip


class _Swept:
    """The boxes that parts of a body sweep, frame by frame, ready to be seen from anywhere."""

    def __init__(self, clip: Clip, poses: WorldPoses) -> None:
        capsules = body_capsules(clip.skeleton)
        joints = np.asarray(capsules.joints)
        ends = poses.positions[:, joints, None] + quat.rotate(
            poses.rotations[:, joints, None], np.asarray(capsules.ends)
        )
        self.fps = clip.fps
        self.ends, self.radii = ends, np.asarray(capsules.radii)
        self.parts = _parts(clip.skeleton, joints)

    def boxes(self, first: int, last: int, one: Footprint, bearing: float) -> Floats:
        """(B, 6) boxes of each part over a few stretches of the frames, from a footprint."""
        found = []
        back = quat.from_yaw(-bearing)
        for part, pieces in self.parts:
            edges = np.unique(np.linspace(first, last + 1, pieces + 1).round().astype(int))
            for a, b in pairwise(edges.tolist()):
                ends = quat.rotate(back, self.ends[a : b + 1][:, part] - one.p)
                wide = self.radii[part][:, None, None]
                low = (ends - wide).min(axis=(0, 1, 2))
                high = (ends + wide).max(axis=(0, 1, 2))
                found.append(np.concatenate([low, high]))
        boxes = np.array(found)
        all_of_it = np.concatenate([boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)])
        return np.concatenate([all_of_it[None], boxes])


def _parts(skeleton: Skeleton, joints: Ints) -> list[tuple[NDArray[np.int64], int]]:
    """Trunk with arms and head, and each leg: which capsules, and over how many stretches."""
    legs = []
    for side in ("left", "right"):
        own, hip = set(), skeleton.role(f"{side}_hip")
        for j, parent in enumerate(skeleton.parents):
            if j == hip or int(parent) in own:
                own.add(j)
        legs.append(np.array([n for n, j in enumerate(joints) if int(j) in own], np.int64))
    rest = np.setdiff1d(np.arange(len(joints)), np.concatenate(legs))
    return [(rest, 3), (legs[0], 6), (legs[1], 6)]


class _Table:
    """Moves in the making."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, ...]] = []
        self.prints: list[Floats] = []
        self.boxes: list[Floats] = []

    def add(
        self, number: int, prints: Sequence[Footprint], a: Cut, b: Cut, begins: int, ends: int,
        dear: float, swept: _Swept,
    ) -> None:  # fmt: skip
        one, other = prints[a.print], prints[b.print]
        step = other.p - one.p
        chord = float(np.hypot(step[0], step[2]))
        if chord > FURTHEST_M:
            return
        bearing = float(np.arctan2(step[0], step[2])) if chord >= SHORT_M else one.yaw
        part, share_of = order_prints(prints, a, b, swept.fps)
        places = quat.rotate(quat.from_yaw(-bearing), np.stack([f.p for f in part]) - one.p)
        away = np.hypot(places[:, 0], places[:, 2])
        between = np.isnan(share_of)
        if chord >= SHORT_M and (away[between] > chord + 0.05).any():
            return  # it goes further than where it ends: its parts do better
        share, length = _shares(places, share_of)
        turns = np.array([_wrap(f.yaw - bearing) for f in part])
        feet = np.array([f.foot for f in part])
        self.prints.append(np.column_stack([places, turns, share, feet]))
        boxes = swept.boxes(a.frame, b.frame, one, bearing)
        self.boxes.append(boxes)
        reach = np.abs(boxes[:, [0, 2, 3, 5]]).max()
        self.rows.append(
            (number, a.print, b.print, a.frame, b.frame, begins, ends, chord, turns[0], turns[-1],
             b.frame - a.frame, dear, reach, length)
        )  # fmt: skip

    def moves(
        self, clips: tuple[Clip, ...], prints: tuple[tuple[Footprint, ...], ...], postures: int,
        standing: Ints, box: FootBox, ahead: float,
    ) -> Moves:  # fmt: skip
        rows = np.array(self.rows).reshape(-1, 14)
        whole = rows.astype(np.int32)
        flat = np.concatenate([*self.prints, np.zeros((0, 6))])
        counts = np.cumsum([0, *(len(p) for p in self.prints)]).astype(np.int32)
        box_counts = np.cumsum([0, *(len(b) for b in self.boxes)]).astype(np.int32)
        return Moves(
            clips, prints, postures, whole[:, 0], whole[:, 1], whole[:, 2], whole[:, 3],
            whole[:, 4], whole[:, 5], whole[:, 6], rows[:, 7].copy(), rows[:, 8].copy(),
            rows[:, 9].copy(), whole[:, 10], rows[:, 11].copy(), counts, flat[:, :3].copy(),
            flat[:, 3].copy(), flat[:, 4].copy(), flat[:, 5].astype(np.int32), box_counts,
            np.concatenate([*self.boxes, np.zeros((0, 6))]), rows[:, 12].copy(),
            rows[:, 13].copy(), standing, box, ahead,
        )  # fmt: skip


def order_prints(
    prints: Sequence[Footprint], a: Cut, b: Cut, fps: float
) -> tuple[list[Footprint], Floats]:
    """The footprints of a move, its first one first and its last one last, and their shares.

    The other foot, where it stands at the first or the last moment too, has the share 0 or 1; what
    is between has none yet (NaN).
    """
    first, last = a.frame / fps, b.frame / fps
    at_first, at_last, between = [], [], []
    for n, one in enumerate(prints):
        begin, end = one.t - one.delta, one.t + one.delta
        if n in (a.print, b.print) or end < first or begin > last:
            continue
        if begin <= first:
            at_first.append(one)
        elif end >= last:
            at_last.append(one)
        else:
            between.append(one)
    ordered = [prints[a.print], *at_first, *between, *at_last, prints[b.print]]
    shares = np.full(len(ordered), np.nan)
    shares[: 1 + len(at_first)] = 0.0
    shares[len(ordered) - 1 - len(at_last) :] = 1.0
    return ordered, shares


def _shares(places: Floats, shares: Floats) -> tuple[Floats, float]:
    """How far along footprints (P, 3) are, those without a share filled in; and the whole way."""
    main = np.flatnonzero(np.isnan(shares)).tolist()
    row = [0, *main, len(places) - 1]
    legs = np.linalg.norm(np.diff(places[row], axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(legs)])
    out = np.array(shares)
    out[main] = along[1:-1] / max(float(along[-1]), 1e-9)
    return out, float(along[-1])


def _wrap(angle: float) -> float:
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)
