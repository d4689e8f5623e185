"""A path over footholds as a motion: moves joined at shared footprints, the body fitted to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from footfall.adapt.displace.body_path import follow_footprints
from footfall.adapt.foot_lock import follow_holds, holds_of, put_on_ground
from footfall.adapt.foot_track import LockOptions
from footfall.adapt.holds import Holds
from footfall.body.clip import Clip
from footfall.body.edit import join, move, slice_frames
from footfall.body.kinematics import world_poses
from footfall.gait.footprints import Footprint
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.moves import Moves, order_prints
from footfall.roadmap.postures import Cut
from footfall.roadmap.search import FootholdPath
from footfall.roadmap.table import Longs
from footfall.world.scene import Scene

_JOIN_S = 0.25
"""So long before and after it two moves are blended into each other where they are joined."""


@dataclass(frozen=True, eq=False)
class Chain:
    """Moves joined as they are, each on the last footprint of the one before.

    clip      all of them, one after the other
    starts    (W,) the frame each begins at
    prints    footprints of the clip, in the order of time
    targets   where each is to be
    """

    clip: Clip
    starts: Ints
    prints: tuple[Footprint, ...]
    targets: tuple[Footprint, ...]


@dataclass(frozen=True, eq=False)
class JoinedMotion:
    """A motion, and the frames (W,) at which its moves begin."""

    clip: Clip
    starts: Ints


def make_motion(
    moves: Moves, path: FootholdPath, prints: Floats, starts: Longs, scene: Scene | None
) -> JoinedMotion:
    """The motion of a path whose footprints are (P, 4), x, height, z, yaw."""
    chain = join_moves(moves, path, prints, starts)
    clip = follow_footprints(chain.clip, chain.prints, chain.targets)
    # The feet are held by the contacts of the clip as it was joined, moved to their targets.
    poses = world_poses(chain.clip)
    feet, holds = holds_of(chain.clip, poses)
    moved = [_move_holds(held, foot, chain) for foot, held in enumerate(holds)]
    if scene is not None:
        moved = put_on_ground(feet, moved, scene)
    fitted = follow_holds(clip, world_poses(clip), feet, moved, scene, LockOptions())
    return JoinedMotion(fitted.named("path"), chain.starts)


def join_moves(moves: Moves, path: FootholdPath, prints: Floats, starts: Longs) -> Chain:
    """The moves of a path, chained, with their footprints and where these are to be."""
    parts: list[Clip] = []
    begins: list[int] = []
    sources: list[Footprint] = []
    targets: list[Footprint] = []
    at = path.footholds[0][[0, 2, 3]]
    frame = 0
    for n, m in enumerate(path.moves.tolist()):
        clip = moves.clips[moves.clip[m]]
        first, last = int(moves.first[m]), int(moves.last[m])
        own = moves.prints[moves.clip[m]]
        one, other = own[moves.first_print[m]], own[moves.last_print[m]]
        pose = planar.compose(at, planar.inverse(np.array([one.p[0], one.p[2], one.yaw])))
        lift = 0.0 if not sources else float(sources[-1].p[1] - one.p[1])
        if not sources:
            lift = float(path.footholds[0][1] - one.p[1])
        part = move(slice_frames(clip, first, last + 1), *(float(v) for v in pose))
        part = replace(part, root=part.root + np.array([0.0, lift, 0.0]))
        begins.append(frame)
        for row, source in _played(moves, m, own):
            p = planar.apply_to_points(pose, source.p[None])[0] + [0.0, lift, 0.0]
            q = quat.multiply(quat.from_yaw(float(pose[2])), source.q)
            t = source.t + (frame - first) / clip.fps
            x, y, z, yaw = prints[starts[n] + row]
            sources.append(replace(source, p=p, q=q, t=t))
            goal = replace(source, p=np.array([x, y, z]), q=quat.from_yaw(float(yaw)), t=t)
            targets.append(goal)
        end = planar.compose(pose, np.array([other.p[0], other.p[2], other.yaw]))
        at = end
        parts.append(part)
        frame += last - first
    clip = _blend(parts)
    merged = _merge(sources, targets, clip.fps, len(clip))
    return Chain(clip, np.array(begins, np.int32), *merged)


def _played(moves: Moves, m: int, own: tuple[Footprint, ...]) -> list[tuple[int, Footprint]]:
    """The footprints of a move, with their rows among its own."""
    a = Cut(0, int(moves.first_print[m]), int(moves.first[m]), 0, False)
    b = Cut(0, int(moves.last_print[m]), int(moves.last[m]), 0, False)
    ordered, _ = order_prints(own, a, b, moves.clips[moves.clip[m]].fps)
    return list(enumerate(ordered))


def _merge(
    sources: list[Footprint], targets: list[Footprint], fps: float, frames: int
) -> tuple[tuple[Footprint, ...], tuple[Footprint, ...]]:
    """One footprint for each time a foot stands, though two moves may both know of it."""
    found: list[tuple[Footprint, Footprint]] = []
    for foot in (0, 1):
        pairs = [(s, t) for s, t in zip(sources, targets, strict=True) if s.foot == foot]
        pairs.sort(key=lambda pair: pair[0].t)
        for s, t in pairs:
            if found and found[-1][0].foot == foot:
                a = found[-1][0]
                near = np.linalg.norm((a.p - s.p)[[0, 2]]) < 0.2
                if near and min(a.t + a.delta, s.t + s.delta) > max(a.t - a.delta, s.t - s.delta):
                    begin = min(a.t - a.delta, s.t - s.delta)
                    end = max(a.t + a.delta, s.t + s.delta)
                    middle, half = 0.5 * (begin + end), 0.5 * (end - begin)
                    kept = found[-1][1]
                    found[-1] = (
                        replace(a, t=middle, delta=half), replace(kept, t=middle, delta=half)
                    )  # fmt: skip
                    continue
            found.append((s, t))
    last = (frames - 1) / fps
    cut = []
    for s, t in found:
        begin, end = max(s.t - s.delta, 0.0), min(s.t + s.delta, last)
        middle, half = 0.5 * (begin + end), max(0.5 * (end - begin), 0.0)
        cut.append((replace(s, t=middle, delta=half), replace(t, t=middle, delta=half)))
    cut.sort(key=lambda pair: (pair[0].t, pair[0].foot))
    return tuple(s for s, _ in cut), tuple(t for _, t in cut)


def _blend(parts: list[Clip]) -> Clip:
    """Clips that share a frame, one after the other; what differs there dies away on both sides."""
    whole = join([parts[0], *(slice_frames(p, 1, len(p)) for p in parts[1:])])
    root, rotations = np.array(whole.root), np.array(whole.rotations)
    at = 0
    for before, after in pairwise(parts):
        at += len(before) - 1
        offset = after.root[0] - before.root[-1]
        turn = quat.to_rotation_vector(
            quat.multiply(
                quat.toward(after.rotations[0], before.rotations[-1]),
                quat.conjugate(before.rotations[-1]),
            )
        )
        for sign, length in ((-1, len(before)), (1, len(after))):
            width = min(round(_JOIN_S * whole.fps), length - 1)
            u = np.arange(width + 1) / max(width, 1)
            fade = 0.5 * (1.0 - u * u * u * (10.0 - 15.0 * u + 6.0 * u * u))
            rows = at + sign * np.arange(width + 1)
            if sign > 0:
                rows, fade = rows[1:], fade[1:]
            root[rows] -= sign * fade[:, None] * offset
            back = -sign * fade[:, None, None] * turn
            rotations[rows] = quat.multiply(quat.from_rotation_vector(back), rotations[rows])
    return replace(whole, root=root, rotations=quat.continuous(rotations))


def _move_holds(holds: Holds, foot: int, chain: Chain) -> Holds:
    """The holds of a foot where the targets of their footprints are."""
    fps = chain.clip.fps
    pairs = [p for p in zip(chain.prints, chain.targets, strict=True) if p[0].foot == foot]
    if not len(holds) or not pairs:
        return holds
    times = np.array([s.t * fps for s, _ in pairs])
    spots, turn = np.array(holds.spots), np.zeros((len(holds), 4))
    turn[:, 0] = 1.0
    for n, (first, stop) in enumerate(holds.spans.tolist()):
        k = int(np.argmin(np.abs(times - 0.5 * (first + stop - 1))))
        source, target = pairs[k]
        turn[n] = quat.multiply(target.q, quat.conjugate(source.q))
        spots[n] = target.p + quat.rotate(turn[n], holds.spots[n] - source.p)
    return replace(
        holds,
        spots=spots,
        flat=quat.multiply(turn, holds.flat),
        turns=quat.multiply(turn[holds.owner], holds.turns),
    )
