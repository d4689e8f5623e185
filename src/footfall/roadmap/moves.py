"""What a roadmap can do: parts of clips from one footprint to another, as arrays.

A *move* plays a clip from one of its cuts to a later one. It is seen from its first footprint:
+Z leads to its last one, so that any two footholds tell at once whether it fits between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.size import MEAN_BODY, BodySize, body_size
from footfall.gait.footprints import Footprint, footprints_of
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.rounding import ANGLE, POSITION_M, round_to_grid
from footfall.roadmap.postures import Cut, describe, find_cuts, group_postures
from footfall.roadmap.sweep import Sweep, find_sweep, pack_arrays
from footfall.task.sole import sole_of
from footfall.world.collision.queries import FootBox

MOST_PRINTS = 7
"""How many footprints a move has at most."""
USUAL = ("walk", "run", "curve_left", "curve_right", "stand")
RARE = (
    "turn_in_place_left", "turn_in_place_right", "backward", "sidestep_left", "sidestep_right",
    "step_up", "step_down", "step_over", "beam", "hurdle", "jump", "duck", "crouch", "hop",
)  # fmt: skip
"""Behaviours, by tag, that lead anywhere, and those that are looked at where these fail."""
LEAPS = ("jump", "hop")
"""Behaviours that lead over gaps."""


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
    calm_first, calm_last  (M,) where it begins or ends instead if a plan does, at rest
    frames         (M,) how long it takes
    dearness       (M,) what its effort is multiplied by
    print_start    (M+1,) the first of each move's footprints
    places         (P, 3) footprints, x, height and z, seen from the move's first
    turns          (P,) where they point      share  (P,) how far along they are, 0 to 1
    foot           (P,) 0 left, 1 right
    box_start      (M+1,) the first of each move's boxes
    boxes          (B, 17) what parts of the body sweep, see `sweep_kernels`; the first box of a
                   move holds all others
    radius         (M,) how far any part of the body gets from the first footprint, in the plane
    length         (M,) the sum of its steps, metres
    kind           (M,) what it shows, a number for each behaviour, usual ones first
    leaps          (M,) whether it leads over gaps
    sweep          the body itself, moment by moment
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
    calm_first: Ints
    calm_last: Ints
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
    kind: Ints
    leaps: Bools
    sweep: Sweep
    standing: Ints
    foot_box: FootBox
    sole_ahead: float

    def __post_init__(self) -> None:
        pack_arrays(self)

    def __len__(self) -> int:
        return len(self.clip)

    @property
    def usual(self) -> Bools:
        """(M,) the moves that are looked at first; others are where these fail."""
        rare = (self.kind >= len(USUAL)) & (self.kind < len(USUAL) + len(RARE))
        return np.asarray(~rare)

    @property
    def size(self) -> BodySize:
        """The dimensions of the body."""
        return body_size(self.clips[0].skeleton)


def find_moves(
    clips: Sequence[Clip], tolerance_m: float = 0.15, dearness: Mapping[str, float] | None = None
) -> Moves:
    """Every part of the clips that leads from one cut to another.

    tolerance_m  postures that are nearer than this, root mean square over joints, are one
    dearness     what the effort of behaviours is multiplied by, by tag; 1 for all others
    """
    costs, names = dearness or {}, (*USUAL, *RARE, *(set(dearness or ()) - {*USUAL, *RARE}))
    read = [footprints_of(clip) for clip in clips]
    cuts: list[Cut] = []
    described = []
    for number, (clip, prints) in enumerate(zip(clips, read, strict=True)):
        own = find_cuts(number, clip, prints)
        cuts += own
        described += [describe(clip, cut, prints[cut.print]).ravel() for cut in own]
    groups = group_postures(cuts, np.array(described), tolerance_m) if cuts else np.zeros(0, int)
    table = _Table(body_size(clips[0].skeleton) if clips else MEAN_BODY)
    by_clip: dict[int, list[tuple[Cut, int]]] = {}
    for cut, group in zip(cuts, groups.tolist(), strict=True):
        by_clip.setdefault(cut.clip, []).append((cut, group))
    for number, own_cuts in by_clip.items():
        clip, prints = clips[number], read[number]
        shown = _behaviour(clip, names)
        dear, kind = costs.get(shown, 1.0), names.index(shown) if shown else len(names)
        for k, (a, begins) in enumerate(own_cuts):
            for b, ends in own_cuts[k + 1 :]:
                # Feet that land at once have cuts at one moment: nothing is played between them.
                if b.frame == a.frame or not 0 < b.print - a.print < MOST_PRINTS:
                    continue
                table.add(number, prints, a, b, begins, ends, dear, clip.fps, kind)
    standing = np.array(
        sorted({g for cut, g in zip(cuts, groups.tolist(), strict=True) if cut.at_rest}), np.int32
    )
    box, ahead = sole_of(clips[0].skeleton)
    return table.moves(
        tuple(clips), read, int(groups.max(initial=-1)) + 1, standing,
        [names.index(tag) for tag in LEAPS], box, ahead,
    )  # fmt: skip


def _behaviour(clip: Clip, names: Sequence[str]) -> str:
    """Return the first behaviour that a clip shows; standing counts least."""
    shown = [tag for tag in clip.tags if tag in names]
    return next((tag for tag in shown if tag != "stand"), shown[0] if shown else "")


class _Table:
    """Moves in the making."""

    def __init__(self, size: BodySize) -> None:
        self.size = size
        self.rows: list[tuple[float, ...]] = []
        self.prints: list[Floats] = []
        self.spans: list[Floats] = []

    def add(
        self, number: int, prints: Sequence[Footprint], a: Cut, b: Cut, begins: int, ends: int,
        dear: float, fps: float, kind: int,
    ) -> None:  # fmt: skip
        one, other = prints[a.print], prints[b.print]
        step = other.p - one.p
        chord = float(np.hypot(step[0], step[2]))
        if chord > self.size.furthest_m:
            return
        short_m = self.size.short_m
        bearing = float(np.arctan2(step[0], step[2])) if chord >= short_m else one.yaw
        bearing = float(round_to_grid(bearing, ANGLE))
        part, share_of = order_prints(prints, a, b, fps)
        places = quat.rotate(quat.from_yaw(-bearing), np.stack([f.p for f in part]) - one.p)
        places = round_to_grid(places, POSITION_M)
        away = np.hypot(places[:, 0], places[:, 2])
        between = np.isnan(share_of)
        if chord >= short_m and (away[between] > chord + 0.05).any():
            return  # it goes further than where it ends: its parts do better
        share, length = _shares(places, share_of)
        turns = round_to_grid([_wrap(f.yaw - bearing) for f in part], ANGLE)
        feet = np.array([f.foot for f in part])
        self.prints.append(np.column_stack([places, turns, share, feet]))
        spans = [(f.t - f.delta, f.t + f.delta, f.t) for f in part]
        self.spans.append(np.clip(np.array(spans) * fps, a.frame, b.frame))
        self.rows.append(
            (number, a.print, b.print, a.frame, b.frame, begins, ends, chord, turns[0], turns[-1],
             b.frame - a.frame, dear, length, *one.p, bearing, kind, a.calm, b.calm)
        )  # fmt: skip

    def moves(
        self, clips: tuple[Clip, ...], read: Sequence[tuple[Footprint, ...]],
        postures: int, standing: Ints, leaps: Sequence[int], box: FootBox, ahead: float,
    ) -> Moves:  # fmt: skip
        rows = np.array(self.rows).reshape(-1, 20)
        whole = rows.astype(np.int32)
        flat = np.concatenate([*self.prints, np.zeros((0, 6))])
        spans = np.concatenate([*self.spans, np.zeros((0, 3))])
        counts = np.cumsum([0, *(len(p) for p in self.prints)]).astype(np.int32)
        share, foot = flat[:, 4].copy(), flat[:, 5].astype(np.int32)
        sweep, box_counts, boxes, reach = find_sweep(
            clips, rows[:, [0, 3, 4, 13, 14, 15, 16]], spans, counts,
            flat[:, :3].copy(), share, foot,
        )  # fmt: skip
        return Moves(
            clips, tuple(read), postures, whole[:, 0], whole[:, 1],
            whole[:, 2], whole[:, 3], whole[:, 4], whole[:, 18], whole[:, 19], whole[:, 5],
            whole[:, 6], rows[:, 7].copy(),
            rows[:, 8].copy(), rows[:, 9].copy(), whole[:, 10], rows[:, 11].copy(), counts,
            flat[:, :3].copy(), flat[:, 3].copy(), share, foot, box_counts, boxes, reach,
            rows[:, 12].copy(), whole[:, 17],
            np.isin(whole[:, 17], leaps), sweep, standing, box, ahead,
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
