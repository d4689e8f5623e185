"""Edges as they are shown: frames of one or more clips, blended, with feet that stay put.

Each path of frames from state to state becomes one motion that begins and ends exactly in the
poses of its states. What differs where a clip is left for another, and at both ends, is spread
over the frames around. All of it is told from what stands, so that nothing that touches moves; in
the air the centre of mass falls as bodies do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.body.dynamics import segment_efforts
from footfall.body.kinematics import WorldPoses, forward_kinematics
from footfall.body.mass import mass_centres, segments
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Bytes, Floats, Ints
from footfall.maths.constants import GRAVITY
from footfall.maths.easing import smoothstep
from footfall.maths.ground_frames import (
    compose_frames,
    frame_points,
    frame_turns,
    invert_frames,
    middle_frames,
)
from footfall.maths.rounding import ANGLE, POSITION_M, round_rotations, round_to_grid
from footfall.maths.runs import rows_of_spans
from footfall.optimal.cull import Paths
from footfall.optimal.footing import Footing
from footfall.optimal.model import SLOW
from footfall.optimal.phases import Phases
from footfall.optimal.poses import Poses, StatePoses, frame_poses, poses_of_states, put_together
from footfall.optimal.transitions import BLEND_S, MOST_FASTER, clip_peaks, fastest_turns

ENDS_S = 0.4
"""What differs at the ends is spread over this time at most."""
MOST_OFF_M = 1e-3
"""A foot that touches and cannot be held so exactly is not held."""
MOST_ASKED, MORE_ASKED = np.array([0.5, 1.0]), 1.25
"""Where the ground's force must act may be so many metres outside of the soles at worst, and its
friction so high, or so many times what the clips have: accelerations of few frames are told with
no more certainty."""
_TOO_SHORT = 5
_TILTED, _OFF_M = math.radians(4.0), 0.004
"""A sole that is tilted or off its place by this much is no longer flat: it may be blended."""
_REST_S, _REST_M_S = 0.1, 0.2
"""Hips move no faster than this next to a rest, over this time."""
_BATCH = 2_000
"""The number of frames per block: few enough to stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Edges:
    """E paths as they are shown, of F frames in all.

    move         (E, 4) the frame at the end, seen from that at the start: x, height, z, yaw
    first        (E + 1,) where the frames of each begin
    root         (F, 3), rotations (F, J, 4) seen from the ground at the start
    source       (F,) the frame that each is made of
    strain       (E,) 1 for what is asked of the ground at most, more for what is too much; inf if
                 feet do not hold or a joint is too fast
    """

    move: Floats
    first: Ints
    root: Floats
    rotations: Floats
    source: Ints
    strain: Floats

    def __getitem__(self, which: Ints) -> Edges:
        rows, first = rows_of_spans(self.first, which)
        return Edges(
            self.move[which], first, self.root[rows], self.rotations[rows], self.source[rows],
            self.strain[which],
        )  # fmt: skip


def join_edges(parts: Sequence[Edges]) -> Edges:
    """The edges of several, one after another."""
    counts = np.concatenate([np.diff(part.first) for part in parts])
    return Edges(
        np.concatenate([part.move for part in parts]),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        np.concatenate([part.root for part in parts]),
        np.concatenate([part.rotations for part in parts]),
        np.concatenate([part.source for part in parts]),
        np.concatenate([part.strain for part in parts]),
    )


@dataclass(frozen=True, eq=False)
class Recorded:
    """What clips do, found out once: edges are made of it.

    peaks    (C, J) how fast joints turn
    demands  (P, 2) what phases ask of the ground
    poses    (2 F,) each frame as seen from its own phase, then from that of the frame before
    """

    peaks: Floats
    demands: Floats
    poses: Poses


def look_at_clips(phases: Phases, footing: Footing) -> Recorded:
    """What the clips of phases do."""
    frames = np.arange(len(phases.frames), dtype=np.int32)
    before = phases.phase[np.maximum(frames - 1, 0)]
    poses = frame_poses(phases, footing, np.append(frames, frames), np.append(phases.phase, before))
    return Recorded(clip_peaks(phases), phase_demands(phases), poses)


def realise(
    phases: Phases, footing: Footing, states: StatePoses, stands_for: Ints, paths: Paths,
    known: Recorded,
) -> Iterator[Edges]:  # fmt: skip
    """Yield the paths as they are shown, some at a time.

    states  those of all phases;  stands_for (S,) the states that they are merged to
    """
    total = np.cumsum(_lengths(phases, paths))
    begin = 0
    while begin < len(paths):
        done = total[begin - 1] if begin else 0
        stop = max(int(np.searchsorted(total, done + _BATCH)), begin + 1)
        some = paths[np.arange(begin, min(stop, len(paths)), dtype=np.int32)]
        yield _realise(phases, footing, states, stands_for, some, known)
        begin = stop


def _lengths(phases: Phases, paths: Paths) -> Ints:
    """(P,) how many frames each path shows."""
    shown = paths.pieces[:, 1] - paths.pieces[:, 0]
    total = np.add.reduceat(shown, paths.piece_start[:-1])
    return np.asarray(total + np.where(phases.rest[paths.last], 1, 2), np.int32)


def _realise(
    phases: Phases, footing: Footing, states: StatePoses, stands_for: Ints, paths: Paths,
    known: Recorded,
) -> Edges:  # fmt: skip
    source, context, first = _shown(phases, paths)
    other = context != phases.phase[source]
    own = known.poses[np.where(other, len(phases.frames), 0) + source]
    ends = stands_for[paths.first], stands_for[paths.last]
    seen = [_anchors(footing, context[first[:-1]], states, ends[k]) for k in range(2)]
    loose = np.asarray((footing.hold[context[first[:-1]]] < 0).all(axis=1))
    seen[0][loose], seen[1][loose] = _without_feet(phases, paths, loose)
    skeleton = phases.frames.skeleton
    begin = poses_of_states(skeleton, states, ends[0], seen[0], own[first[:-1]])
    end = poses_of_states(skeleton, states, ends[1], seen[1], own[first[1:] - 1])
    gaps, at = _gaps(paths, known.poses, own, first, begin, end)
    blended = _spread(own, gaps, *_weights(phases, paths, first, at))
    root, rotations, off = put_together(skeleton, blended)
    free = np.repeat(loose, np.diff(first))
    rotations[free], off[free] = blended.rotations[free], 0.0
    for poses, shown in ((begin, first[:-1]), (end, first[1:] - 1)):
        root[shown], rotations[shown] = poses.root, quat.toward(poses.rotations, rotations[shown])
    _fall(phases, root, rotations, first, loose & (phases.signature[source[first[:-1]]] == 0))
    lengths = np.diff(first)
    root = round_to_grid(frame_points(np.repeat(seen[0], lengths, axis=0), root), POSITION_M)
    rotations[:, 0] = frame_turns(np.repeat(seen[0], lengths, axis=0), rotations[:, 0])
    rotations = round_rotations(rotations)
    sound = np.maximum.reduceat(off, first[:-1]) < MOST_OFF_M
    sound &= _calm(phases, rotations, source, first, known.peaks)
    sound &= _rests_still(phases, paths, root, first)
    strain = np.full(len(paths), np.inf)
    some = np.flatnonzero(sound).astype(np.int32)
    rows, begins = rows_of_spans(first, some)
    strain[some] = _strain(
        phases, root[rows], rotations[rows], context[rows], begins, known.demands
    )
    move = round_to_grid(compose_frames(seen[0], invert_frames(seen[1])), ANGLE)
    return Edges(move, first, root, rotations, source, strain)


def _shown(phases: Phases, paths: Paths) -> tuple[Ints, Ints, Ints]:
    """The frames that paths show, the phases that they are seen in, and where each path begins."""
    piece = np.diff(paths.piece_start)
    last = np.zeros(len(paths.pieces), np.bool_)
    last[paths.piece_start[1:] - 1] = True
    path = np.repeat(np.arange(len(paths)), piece)
    more = np.where(last, np.where(phases.rest[paths.last[path]], 1, 2), 0)
    count = paths.pieces[:, 1] - paths.pieces[:, 0] + more
    start = np.concatenate([[0], np.cumsum(count)])
    within = np.arange(start[-1]) - np.repeat(start[:-1], count)
    source = np.repeat(paths.pieces[:, 0], count) + within
    # The frame after a phase is still seen from what stood in it.
    context = phases.phase[np.minimum(source, np.repeat(paths.pieces[:, 1], count))]
    first = np.append(start[paths.piece_start[:-1]], start[-1])
    return source.astype(np.int32), context, first.astype(np.int32)


def _anchors(footing: Footing, context: Ints, states: StatePoses, which: Ints) -> Floats:
    """(E, 4) what stands in phases (E,), in the ground frames of states (E,)."""
    held = footing.hold[context] >= 0
    feet = states.feet[which]
    out = np.where(held[:, :1], feet[:, 0], feet[:, 1])
    both = held.all(axis=1)
    out[both] = middle_frames(feet[both, 0], feet[both, 1])
    return np.asarray(out)


def _without_feet(phases: Phases, paths: Paths, loose: Bools) -> tuple[Floats, Floats]:
    """Where paths begin on no foot, and that again as seen from where they end: (N, 4) each."""
    frames = phases.frames
    at = [phases.states[s[loose]] for s in (paths.first, paths.last)]
    pose = [planar.pose_of(frames.root[f], frames.rotations[f, 0]) for f in at]
    back = planar.relative(pose[1], pose[0])
    begin = np.zeros((len(at[0]), 4))
    rise = phases.ground[at[0]] - phases.ground[at[1]]
    return begin, np.stack([back[:, 0], rise, back[:, 1], back[:, 2]], axis=1)


# ---- blending -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Gaps:
    """N differences of poses: of roots (N, 3), joints (N, J, 3), soles (N, 2, 3), ankles."""

    root: Floats
    turns: Floats
    sole: Floats
    ankle: Floats


def _gap(a: Poses, b: Poses) -> _Gaps:
    """What brings poses `b` to `a`."""
    return _Gaps(
        a.root - b.root, _turn(a.rotations, b.rotations), _turn(a.sole, b.sole), a.ankle - b.ankle
    )


def _turn(a: Floats, b: Floats) -> Floats:
    return quat.to_rotation_vector(quat.multiply(a, quat.conjugate(quat.toward(b, a))))


def _gaps(
    paths: Paths, recorded: Poses, own: Poses, first: Ints, begin: Poses, end: Poses
) -> tuple[_Gaps, Ints]:
    """The gaps at the begins, at the ends, and at all switches, and which frame each is at."""
    inner = np.ones(len(paths.pieces), np.bool_)
    inner[paths.piece_start[:-1]] = False
    entered = np.flatnonzero(inner)
    left = paths.pieces[entered - 1, 1]
    count = paths.pieces[:, 1] - paths.pieces[:, 0]
    before = np.concatenate([[0], np.cumsum(count)])
    path = np.searchsorted(paths.piece_start, entered, side="right") - 1
    at = first[path] + before[entered] - before[paths.piece_start[path]]
    switched = _gap(recorded[left], own[at])
    parts = _gap(begin, own[first[:-1]]), _gap(end, own[first[1:] - 1]), switched
    both = _Gaps(*(np.concatenate([getattr(p, n) for p in parts]) for n in _Gaps.__annotations__))
    return both, np.concatenate([first[:-1], first[1:] - 1, at]).astype(np.int32)


def _weights(phases: Phases, paths: Paths, first: Ints, at: Ints) -> tuple[Ints, Ints, Floats]:
    """How gaps are spread: rows of frame, gap and weight."""
    fps = phases.frames.fps
    edges, blend, ends = len(paths), round(BLEND_S * fps), round(ENDS_S * fps)
    path = np.searchsorted(first, at, side="right") - 1
    room_before, room_after = at - first[path], first[path + 1] - 1 - at
    most = np.where(np.arange(len(at)) < 2 * edges, max(ends, 1), max(blend, 1))
    before, after = np.minimum(most, room_before), np.minimum(most, room_after)
    share = before / np.maximum(before + after, 1)
    # At its begin a path is brought to its state by what comes after, at its end by what was.
    share[:edges], share[edges : 2 * edges] = 0.0, 0.0
    before[:edges] = 0
    after[edges : 2 * edges] = 0
    number = np.arange(len(at))
    ending, inner = (number >= edges) & (number < 2 * edges), number >= 2 * edges
    rows, gaps, weights = [], [], []
    for step in range(int(max(before.max(initial=0), after.max(initial=0), 1))):
        for use, way, reach, part in (
            (~ending & (step <= after), step, after, 1.0 - share),
            (ending & (step <= before), -step, before, 1.0 - share),
            (inner & (step <= before) & (step > 0), -step, before, -share),
        ):
            rows.append(at[use] + way)
            gaps.append(number[use])
            weights.append(part[use] * (1.0 - smoothstep(step / np.maximum(reach[use], 1))))
    return (
        np.concatenate(rows).astype(np.int32),
        np.concatenate(gaps).astype(np.int32),
        np.concatenate(weights),
    )


def _spread(own: Poses, gaps: _Gaps, rows: Ints, which: Ints, weights: Floats) -> Poses:
    """Poses with gaps closed: `weights` of gaps `which` are added to poses `rows`."""
    from scipy.sparse import csr_array

    share = csr_array((weights, (rows, which)), shape=(len(own), len(gaps.root)))

    def sums(values: Floats) -> Floats:
        flat = share @ values.reshape(len(values), -1)
        return np.asarray(flat).reshape(len(own), *values.shape[1:])

    free = _looseness(own)
    return Poses(
        own.root + sums(gaps.root),
        quat.multiply(quat.from_rotation_vector(sums(gaps.turns)), own.rotations),
        quat.multiply(quat.from_rotation_vector(free * sums(gaps.sole)), own.sole),
        own.ankle + free * sums(gaps.ankle),
        own.base,
        own.held,
    )


def _looseness(poses: Poses) -> Floats:
    """(N, 2, 1) from 0 for soles that lie flat where they stand to 1 for those on their way."""
    tilt = 2.0 * np.arccos(np.clip(np.abs(poses.sole[..., 0]), 0.0, 1.0))
    off = np.linalg.norm(poses.ankle, axis=-1)
    rolling = smoothstep(np.maximum(tilt / _TILTED, off / _OFF_M))
    return np.where(poses.held, rolling, 1.0)[..., None]


# ---- physics ------------------------------------------------------------------------------


def _fall(phases: Phases, root: Floats, rotations: Floats, first: Ints, in_air: Bools) -> None:
    """Put bodies in the air where they fall: centres of mass go along parabolas, end to end."""
    skeleton, fps = phases.frames.skeleton, phases.frames.fps
    parts = segments(skeleton)
    for edge in np.flatnonzero(in_air).tolist():
        span = slice(first[edge], first[edge + 1])
        world: WorldPoses = forward_kinematics(skeleton, root[span], rotations[span])
        flown = mass_centres(world, parts)
        t = np.arange(len(flown)) / fps
        free = flown[0] + np.outer(t / t[-1], flown[-1] - flown[0])
        free[:, 1] += 0.5 * GRAVITY * t * (t[-1] - t)
        root[span] += free - flown


def phase_demands(phases: Phases) -> Floats:
    """(P, 2) what phases ask of the ground as they were recorded, at worst: see `_demands`."""
    frames = phases.frames
    first = np.append(phases.first, len(frames)).astype(np.int32)
    touching = phases.signature.astype(np.uint8)
    return _demands(phases, frames.root, frames.rotations, touching, first)


def _demands(
    phases: Phases, root: Floats, rotations: Floats, touching: Bytes, first: Ints
) -> Floats:
    """(E, 2) metres that the ground's force would act outside of the soles, and its friction."""
    frames = phases.frames
    step = np.full(len(first) - 1, 1.0 / frames.fps)
    asked = segment_efforts(frames.skeleton, root, rotations, touching, first, step)
    return np.stack([asked.outside_m, asked.friction], axis=1)


def _strain(
    phases: Phases, root: Floats, rotations: Floats, context: Ints, first: Ints, own: Floats
) -> Floats:
    """(E,) how much edges ask of the ground, by what it can give or was asked for before.

    own  (P, 2) what phases ask for as they were recorded
    """
    lengths = np.diff(first)
    if not len(lengths):
        return np.zeros(0)
    touching = phases.signature[phases.first[context]].astype(np.uint8)
    asked = _demands(phases, root, rotations, touching, first)
    before = np.maximum.reduceat(own[context], first[:-1], axis=0)
    allowed = np.maximum(MOST_ASKED, MORE_ASKED * before)
    untold = (lengths < _TOO_SHORT) | (touching[first[:-1]] == 0)
    return np.where(untold, 0.0, (asked / allowed).max(axis=1))


def _rests_still(phases: Phases, paths: Paths, root: Floats, first: Ints) -> Bools:
    """(E,) whether hips are still where an edge begins or ends at rest.

    What two merged states differ by is spread over the edge: a short one may hurry to its rest.
    """
    fps, begins, ends = phases.frames.fps, first[:-1], first[1:] - 1
    reach = max(round(_REST_S * fps), 1)
    spans = (begins, np.minimum(begins + reach, ends)), (np.maximum(ends - reach, begins), ends)
    fast = [
        np.linalg.norm(root[b] - root[a], axis=1) * fps > _REST_M_S * np.maximum(b - a, 1)
        for a, b in spans
    ]
    hurries = (phases.rest[paths.first] & fast[0]) | (phases.rest[paths.last] & fast[1])
    return np.asarray(~hurries)


def _calm(phases: Phases, rotations: Floats, source: Ints, first: Ints, peaks: Floats) -> Bools:
    """(E,) whether no joint turns much faster than in the clips that an edge is made of."""
    fastest = fastest_turns(rotations, first) * phases.frames.fps
    allowed = np.maximum.reduceat(peaks[phases.frames.clip[source]], first[:-1], axis=0)
    return np.asarray((fastest <= MOST_FASTER * np.maximum(allowed, SLOW)).all(axis=1))
