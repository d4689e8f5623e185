"""Which instants of a clip a picture shows, and where the character is and faces at each.

A clip may be an hour long: everything here looks at a bounded number of its frames.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.body.clip import Clip
from footfall.body.kinematics import WorldPoses
from footfall.body.mesh import SkinnedMesh
from footfall.maths.arrays import Floats, Ints
from footfall.maths.quaternions import rotate
from footfall.render.raster import DrawItem, item_of_mesh

_MOST_FRAMES, _MOST_SAMPLES = 2000, 200
_ACTS_M = 0.3
"""A joint that moves further than this, root aside, does more than sway."""
_STRAIGHT = 0.12
"""A path is straight if it stays this close to its chord, as a share of its length …"""
_NARROW_M = 0.3
"""… or this close in metres."""
STEPS_S = (
    0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0,
    4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0,
)  # fmt: skip
"""Steps of time that read well, in seconds."""


@dataclass(frozen=True, eq=False)
class RootPath:
    """Where a clip goes on the ground.

    frames     (K,) the frames looked at         times   (K,) their times, seconds
    points     (K, 2) the root's x, z            facing  (K, 2) unit x, z of where it faces
    distance   metres along the way, all frames counted
    direction  (2,) unit x, z: the overall direction of travel, or of facing if it stays
    straight   whether it keeps to one line     extent   metres from one end of it to the other
    """

    frames: Ints
    times: Floats
    points: Floats
    facing: Floats
    distance: float
    direction: Floats
    straight: bool
    extent: float


@dataclass(frozen=True, eq=False)
class PosedBodies:
    """A body at N instants: vertices and normals (N, V, 3), poses, and the instants' times.

    places (N, 2) are the root's x, z and facing (N, 2) the unit x, z of where it faces.
    """

    body: SkinnedMesh
    poses: WorldPoses
    vertices: Floats
    normals: Floats
    frames: Ints
    times: Floats
    places: Floats
    facing: Floats

    def __len__(self) -> int:
        return len(self.frames)

    def only(self, which: Ints) -> PosedBodies:
        """These of the bodies alone."""
        poses = self.poses.at(which)
        return PosedBodies(
            self.body, poses, self.vertices[which], self.normals[which], self.frames[which],
            self.times[which], self.places[which], self.facing[which],
        )  # fmt: skip

    def item(self, n: int, *, shift: Floats | None = None, yaw: float = 0.0, fade: float = 0.0,
             ) -> DrawItem:  # fmt: skip
        """Figure `n`, turned by `yaw` about its root's vertical and then moved by `shift` (3,)."""
        vertices, normals = self.vertices[n], self.normals[n]
        if yaw:
            root = np.array([self.places[n, 0], 0.0, self.places[n, 1]])
            c, s = math.cos(yaw), math.sin(yaw)
            turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
            vertices, normals = (vertices - root) @ turn.T + root, normals @ turn.T
        if shift is not None:
            vertices = vertices + shift
        return item_of_mesh(self.body.mesh, vertices=vertices, normals=normals, fade=fade)


def root_path(clip: Clip) -> RootPath:
    """Where the clip goes, from at most a few thousand of its frames."""
    count = min(len(clip), _MOST_FRAMES)
    frames = np.unique(np.linspace(0, len(clip) - 1, count).round().astype(np.int32))
    points = np.ascontiguousarray(clip.root[frames][:, [0, 2]])
    poses = clip[frames].world
    low, high = points.min(axis=0), points.max(axis=0)
    facing = _facing(clip, poses, points)
    chord = points[-1] - points[0]
    net = float(np.linalg.norm(chord))
    extent = float(np.linalg.norm(high - low))
    if net > 0.5 * extent and net > 0.4:
        direction = chord / net
    elif extent > 1.0:
        direction = _main_axis(points, facing)
    else:
        start = facing[: max(1, len(facing) // 8)].sum(axis=0)
        direction = _unit(start, np.array([0.0, 1.0]))
    aside = (points - points[0]) @ np.array([direction[1], -direction[0]])
    along = np.diff((points - points[0]) @ direction)
    back = float(-along[along < 0.0].sum()) if along.size else 0.0
    close = float(np.ptp(aside)) < max(_NARROW_M, _STRAIGHT * net)
    return RootPath(
        frames, frames / clip.fps, points, facing, _distance(clip), direction,
        straight=close and back < 0.15 * max(net, 1e-9), extent=extent,
    )  # fmt: skip


def bodies_at(clip: Clip, body: SkinnedMesh, frames: Ints) -> PosedBodies:
    """The body at these frames (N,)."""
    from footfall.body.mesh import skin_vertices

    poses = clip[frames].world
    vertices, normals = skin_vertices(body, poses, clip.skeleton)
    places = np.ascontiguousarray(clip.root[frames][:, [0, 2]])
    facing = _facing(clip, poses, places)
    return PosedBodies(
        body, poses, vertices, normals, frames, frames / clip.fps, places, facing
    )  # fmt: skip


def floor_of(clip: Clip, body: SkinnedMesh) -> float:
    """The height of the floor, metres: 0 if the feet come down near it, else where they do."""
    frames = np.unique(np.linspace(0, len(clip) - 1, 40).round().astype(np.int32))
    lowest = bodies_at(clip, body, frames).vertices[..., 1].min(axis=1)
    level = float(np.percentile(lowest, 15))
    return 0.0 if abs(level) < 0.03 else level


def spaced_instants(clip: Clip, way: RootPath, apart: float, most: int) -> Ints:
    """Frames on a regular clock whose bodies stand about `apart` metres apart.

    Where the character slows down or waits, ticks of the clock are left out; where it hurries or
    leaps, the clock ticks twice or four times as fast. A clock that would beat with the steps, so
    that every character had the same pose, is made slower.
    """
    steps = np.linalg.norm(np.diff(way.points, axis=0), axis=1)
    moving = steps > 0.2 * (steps.max() if steps.size else 0.0)
    speed = float(steps[moving].sum() / np.diff(way.times)[moving].sum()) if moving.any() else 0.0
    wanted = max(apart / max(speed, 1e-6), clip.seconds / (4 * most))
    step = _step(clip, way, wanted)
    last = len(clip) - 1
    ticks = np.minimum(np.arange(0.0, clip.seconds + 1e-9, step) * clip.fps, last).round()
    kept = [0]
    for frame in ticks[1:].astype(int):
        if _gap(clip, kept[-1], frame) >= 0.72 * apart:
            kept += [*_between(clip, kept[-1], int(frame), step * clip.fps, apart), int(frame)]
    return even_pick(np.array(kept, dtype=np.int32), most)


def _step(clip: Clip, way: RootPath, wanted: float) -> float:
    """A step of time of about `wanted` seconds, or some more if that shows more of a stride."""
    first = next((s for s in STEPS_S if s >= 0.93 * wanted), STEPS_S[-1])
    ankles = [clip.skeleton.roles.get(f"{side}_ankle") for side in ("left", "right")]
    slower = [s for s in STEPS_S if first <= s <= 1.4 * wanted]
    if None in ankles or len(slower) < 2 or clip.seconds < 2 * first:
        return first
    poses = clip[way.frames].world
    left, right = (poses.positions[:, joint] for joint in ankles)
    # Ankles side by side or far apart: the same for the left step as for the right.
    apart = np.linalg.norm((left - right)[:, [0, 2]], axis=1)
    varied = [
        float(np.interp(np.arange(0.0, clip.seconds, s), way.times, apart).std()) for s in slower
    ]
    return next((s for s, v in zip(slower, varied, strict=True) if v > 0.8 * apart.std()), first)


def _between(clip: Clip, first: int, last: int, tick: float, apart: float) -> list[int]:
    """Frames on half or quarter ticks that fill a wide gap between two instants."""
    if _gap(clip, first, last) < 1.45 * apart:
        return []
    out = [first]
    fine = np.unique(np.arange(first + tick / 4, last, tick / 4).round().astype(int))
    # Half ticks first: of two frames that would do, the rounder time is the better one.
    for candidates in (fine[1::2], fine):
        for frame in (int(f) for f in candidates if f < last):
            if all(_gap(clip, frame, other) >= 0.72 * apart for other in (*out, last)):
                out.append(frame)
    return sorted(out)[1:]


def _gap(clip: Clip, one: int, other: int) -> float:
    """Metres on the ground between the root at two frames."""
    apart = clip.root[one] - clip.root[other]
    return math.hypot(apart[0], apart[2])


def leaves_out(clip: Clip, chosen: Ints) -> bool:
    """Return whether the body acts during a long time that none of the chosen frames shows.

    It acts where a joint is far from where the frames around that time have it.
    """
    ends = np.append(chosen, len(clip) - 1)
    k = int(np.argmax(np.diff(ends)))
    first, last = int(ends[k]), int(ends[k + 1])
    if last - first < max(0.3 * len(clip), clip.fps):
        return False
    frames = np.arange(first, last + 1, max(1, (last - first) // _MOST_SAMPLES))
    around = clip[frames].world.positions - clip.root[frames, None] * [1.0, 0.0, 1.0]
    shown = around[[0, -1]] if k + 1 < len(chosen) else around[:1]
    moved = np.linalg.norm(around[:, None] - shown, axis=-1).max(axis=-1).min(axis=-1)
    return float(moved.max()) > _ACTS_M


def are_crowded(bodies: PosedBodies, apart: float) -> bool:
    """Whether many of the bodies stand closer than `apart` metres to another."""
    gaps = np.linalg.norm(bodies.places[:, None] - bodies.places[None], axis=-1)
    np.fill_diagonal(gaps, np.inf)
    return bool(np.mean(gaps.min(axis=1, initial=np.inf) < apart) > 0.25)


def even_instants(clip: Clip, count: int) -> Ints:
    """`count` frames evenly from the first to the last (fewer if there are fewer)."""
    frames = np.linspace(0, len(clip) - 1, min(count, len(clip)))
    return np.unique(frames.round().astype(np.int32))


def even_pick(values: NDArray[Any], most: int) -> NDArray[Any]:
    """At most `most` of these, spread evenly, first and last among them."""
    if len(values) <= most:
        return values
    return np.ascontiguousarray(values[np.linspace(0, len(values) - 1, most).round().astype(int)])


def _facing(clip: Clip, poses: WorldPoses, points: Floats) -> Floats:
    """(K, 2) unit x, z of where the character faces.

    A humanoid's rest faces +z; of another skeleton nothing is known, so where it goes counts.
    """
    hips = clip.skeleton.roles.get("hips")
    if hips is not None:
        ahead = rotate(poses.rotations[:, hips], np.array([0.0, 0.0, 1.0]))[:, [0, 2]]
        # Lying down, the pelvis faces up: then its own up side shows where the front is.
        level = np.linalg.norm(ahead, axis=1)
        over = rotate(poses.rotations[:, hips], np.array([0.0, -1.0, 0.0]))[:, [0, 2]]
        ahead = np.where(level[:, None] > 0.2, ahead, over)
        return _units(ahead)
    chord = points[-1] - points[0]
    return np.tile(_unit(chord, np.array([0.0, 1.0])), (len(points), 1))


def _main_axis(points: Floats, facing: Floats) -> Floats:
    """(2,) the axis along which points spread most, signed the way the character mostly faces."""
    spread = points - points.mean(axis=0)
    axis = np.linalg.eigh(spread.T @ spread)[1][:, 1]
    return np.asarray(axis if float((facing @ axis).sum()) >= 0.0 else -axis)


def _distance(clip: Clip) -> float:
    total = 0.0
    for start in range(0, len(clip) - 1, 1 << 16):
        block = clip.root[start : start + (1 << 16) + 1][:, [0, 2]]
        total += float(np.linalg.norm(np.diff(block, axis=0), axis=1).sum())
    return total


def _unit(vector: Floats, otherwise: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-9 else otherwise


def _units(vectors: Floats) -> Floats:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(length > 1e-9, vectors / np.maximum(length, 1e-9), [0.0, 1.0])
