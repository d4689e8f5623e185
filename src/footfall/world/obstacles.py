"""Obstacles: rigid groups of boxes, vertical cylinders and triangle meshes.

An obstacle has an origin (on its base, in the middle) and parts in the frame of that origin.
`Solids` is the same world as one struct of arrays, the form that the kernels read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, Ints, frozen_floats, frozen_ints
from footfall.maths.quaternions import multiply, normalise, rotate
from footfall.world.moving import KeyedMotion

BOX, CYLINDER, TRIANGLE = 0, 1, 2
_NO_VERTICES = np.zeros((0, 3))
_NO_TRIANGLES = np.zeros((0, 3), dtype=np.int32)
Colour = tuple[float, float, float]
GREY: Colour = (0.55, 0.55, 0.57)


@dataclass(frozen=True, eq=False)
class ObstaclePart:
    """One shape of an obstacle, in the frame of the obstacle's origin.

    kind       "box", "cylinder" (its axis is vertical) or "mesh"
    centre     (3,) metres                      rotation  (4,) quaternion, boxes only
    half       (3,) half sizes along x, y, z; a cylinder has (radius, half height, radius)
    vertices   (V, 3) and triangles (F, 3): meshes only, counter-clockwise seen from outside
    walkable   a foot may stand on its top      solid     bodies collide with it
    """

    kind: str
    centre: Floats
    half: Floats
    rotation: Floats = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    vertices: Floats = field(default_factory=lambda: _NO_VERTICES)
    triangles: Ints = field(default_factory=lambda: _NO_TRIANGLES)
    walkable: bool = False
    solid: bool = True
    colour: Colour = GREY

    def __post_init__(self) -> None:
        if self.kind not in ("box", "cylinder", "mesh"):
            raise InputError(f"a part is a box, a cylinder or a mesh, not {self.kind!r}")
        put = object.__setattr__
        put(self, "centre", frozen_floats(self.centre, (3,), "centre"))
        half = frozen_floats(self.half, (3,), "half")
        if self.kind != "mesh" and half.min() <= 0.0:
            raise InputError(
                f"a {self.kind} has size {(2 * half).tolist()}", remedy="use sizes > 0"
            )
        put(self, "half", half)
        rotation = frozen_floats(self.rotation, (4,), "rotation")
        if abs(np.linalg.norm(rotation) - 1.0) > 1e-6:
            raise InputError("a part's rotation must be a unit quaternion (w, x, y, z)")
        put(self, "rotation", rotation)
        vertices = frozen_floats(self.vertices, (None, 3), "vertices")
        triangles = frozen_ints(self.triangles, (None, 3), "triangles")
        if triangles.size and (triangles.min() < 0 or triangles.max() >= len(vertices)):
            raise InputError("a triangle names a vertex that is not there")
        put(self, "vertices", vertices)
        put(self, "triangles", triangles)


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A rigid group of parts at a place.

    position  (3,) of its origin      rotation  (4,) w x y z
    motion    replaces position and rotation over time
    points    named points in the frame of the origin, (3,) each: "item" on a table, "seat", …
    duck      the free height under a bar, metres; 0 where nobody passes below
    """

    kind: str
    parts: tuple[ObstaclePart, ...]
    position: Floats
    rotation: Floats = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    name: str = ""
    motion: KeyedMotion | None = None
    points: dict[str, Floats] = field(default_factory=dict)
    duck: float = 0.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "position", frozen_floats(self.position, (3,), "position"))
        rotation = frozen_floats(self.rotation, (4,), "rotation")
        if abs(np.linalg.norm(rotation) - 1.0) > 1e-14:
            rotation = frozen_floats(normalise(rotation), (4,), "rotation")
        put(self, "rotation", rotation)
        put(self, "parts", tuple(self.parts))
        points = {k: frozen_floats(v, (3,), f"point {k}") for k, v in self.points.items()}
        put(self, "points", points)

    def pose(self, time: float | None = None) -> tuple[Floats, Floats]:
        """Position (3,) and rotation (4,) at `time` seconds; None means time 0."""
        if self.motion is None:
            return self.position, self.rotation
        return self.motion.pose(0.0 if time is None else time)

    def poses(self, times: Floats) -> tuple[Floats, Floats]:
        """Positions (T, 3) and rotations (T, 4) at `times` (T,) seconds."""
        if self.motion is not None:
            return self.motion.poses(times)
        count = len(times)
        return np.tile(self.position, (count, 1)), np.tile(self.rotation, (count, 1))

    def point(self, name: str, time: float | None = None) -> Floats:
        """Return a named point in the world (3,)."""
        if name not in self.points:
            raise InputError(f"{self.kind} {self.name!r} has no point {name!r}")
        position, rotation = self.pose(time)
        return position + rotate(rotation, self.points[name])


def matrix(rotation: ArrayLike) -> Floats:
    """Return (3, 3) rotation matrix of a unit quaternion (4,); its columns are the turned axes."""
    return rotate(np.asarray(rotation, dtype=np.float64)[None, :], np.eye(3)).T.copy()


def yaw_rotation(yaw: float) -> Floats:
    """Return (4,) quaternion of a turn to the left by `yaw` radians."""
    return np.array([np.cos(0.5 * yaw), 0.0, np.sin(0.5 * yaw), 0.0])


@dataclass(frozen=True, eq=False)
class Solids:
    """B primitives in world space. A triangle of a mesh is a primitive of its own.

    kind    (B,) BOX, CYLINDER or TRIANGLE
    centre  (B, 3)
    frame   (B, 3, 3) columns are a box's axes; rows are a triangle's corners
    half    (B, 3) half sizes; cylinders have (radius, half height, radius)
    low, high  (B, 3) axis-aligned bounds
    walkable, solid, closed  (B,) a foot may stand on top; bodies collide; of a closed mesh
    owner   (B,) index of the obstacle; -1 is the ground
    """

    kind: Ints
    centre: Floats
    frame: Floats
    half: Floats
    low: Floats
    high: Floats
    walkable: Bools
    solid: Bools
    closed: Bools
    owner: Ints

    def __len__(self) -> int:
        return len(self.kind)

    def at(self, rows: Any) -> Solids:
        """Return some of the primitives, in this order."""
        return Solids(**{n: getattr(self, n)[rows] for n in self.__dataclass_fields__})


def place(obstacles: Sequence[Obstacle], owners: Sequence[int], time: float | None) -> Solids:
    """Return all parts of `obstacles` at `time`; `owners` are their indices. Meshes come last."""
    return place_over_time(obstacles, owners, np.zeros(1) if time is None else np.array([time]))


def place_over_time(obstacles: Sequence[Obstacle], owners: Sequence[int], times: Floats) -> Solids:
    """Return the parts of `obstacles` at `times` (T,), B primitives for each."""
    count = len(times)
    singles: list[tuple[int, ObstaclePart]] = []
    poses: list[tuple[Floats, Floats]] = []
    meshes = []
    for owner, obstacle in zip(owners, obstacles, strict=True):
        pose = obstacle.poses(times)
        for part in obstacle.parts:
            if part.kind == "mesh":
                meshes.append(_place_mesh(owner, part, pose))
            else:
                singles.append((owner, part))
                poses.append(pose)
    pieces = [_place_singles(singles, poses)] if singles else []
    pieces += meshes
    if not pieces:
        pieces = [_place_mesh(-1, _EMPTY, (np.zeros((count, 3)), np.array([[1.0, 0, 0, 0]])))]
    whole = join(pieces)
    if count == 1 or len(pieces) == 1:
        return whole
    # Each piece runs through all times: bring the primitives of one time together.
    sizes = [len(piece) // count for piece in pieces]
    starts = np.cumsum([0, *(len(piece) for piece in pieces[:-1])])
    order = [
        start + t * size + np.arange(size)
        for t in range(count)
        for start, size in zip(starts, sizes, strict=True)
    ]
    return whole.at(np.concatenate(order))


def join(pieces: Sequence[Solids]) -> Solids:
    """Return one after the other."""
    names = Solids.__dataclass_fields__
    return Solids(**{n: np.concatenate([getattr(p, n) for p in pieces]) for n in names})


def _place_singles(
    rows: list[tuple[int, ObstaclePart]], poses: list[tuple[Floats, Floats]]
) -> Solids:
    """Boxes and cylinders at the poses (T, 3) and (T, 4) of their obstacles, time by time."""
    position = np.stack([p for p, _ in poses], axis=1).reshape(-1, 3)
    rotation = np.stack([r for _, r in poses], axis=1).reshape(-1, 4)
    rows = rows * (len(position) // len(rows))
    centre = position + rotate(rotation, np.array([part.centre for _, part in rows]))
    turn = multiply(rotation, np.array([part.rotation for _, part in rows]))
    frame = np.ascontiguousarray(rotate(turn[:, None, :], np.eye(3)).transpose(0, 2, 1))
    half = np.array([r[1].half for r in rows])
    round_ = np.array([r[1].kind == "cylinder" for r in rows])
    if round_.any():
        tilt = np.abs(frame[round_, 1, 1] - 1.0)
        if tilt.max() > 1e-9:
            raise InputError("a cylinder is tilted", remedy="cylinders stand upright; use a mesh")
    reach = np.where(round_[:, None], half, np.einsum("bij,bj->bi", np.abs(frame), half))
    return Solids(
        kind=np.where(round_, CYLINDER, BOX).astype(np.int32),
        centre=centre,
        frame=frame,
        half=half,
        low=centre - reach,
        high=centre + reach,
        walkable=np.array([r[1].walkable for r in rows]),
        solid=np.array([r[1].solid for r in rows]),
        closed=np.zeros(len(rows), dtype=np.bool_),
        owner=np.array([r[0] for r in rows], dtype=np.int32),
    )


def _place_mesh(owner: int, part: ObstaclePart, poses: tuple[Floats, Floats]) -> Solids:
    """Return the triangles of a mesh at positions (T, 3) and rotations (T, 4), time by time."""
    frames = rotate(poses[1][:, None, :], np.eye(3))
    vertices = part.vertices @ frames + poses[0][:, None]
    corners = np.ascontiguousarray(vertices[:, part.triangles]).reshape(-1, 3, 3)
    count = len(corners)
    return Solids(
        kind=np.full(count, TRIANGLE, dtype=np.int32),
        centre=corners.mean(axis=1) if count else np.zeros((0, 3)),
        frame=corners,
        half=np.zeros((count, 3)),
        low=corners.min(axis=1) if count else np.zeros((0, 3)),
        high=corners.max(axis=1) if count else np.zeros((0, 3)),
        walkable=np.full(count, part.walkable),
        solid=np.full(count, part.solid),
        closed=np.full(count, is_closed(part.triangles)),
        owner=np.full(count, owner, dtype=np.int32),
    )


def is_closed(triangles: Ints) -> bool:
    """Return whether every edge is shared by two triangles that run along it in opposite senses."""
    if len(triangles) == 0:
        return False
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    base = np.int64(triangles.max()) + 1
    forward = edges[:, 0].astype(np.int64) * base + edges[:, 1]
    backward = edges[:, 1].astype(np.int64) * base + edges[:, 0]
    forward, backward = np.sort(forward), np.sort(backward)
    return bool((forward == backward).all() and (np.diff(forward) > 0).all())


_EMPTY = ObstaclePart("mesh", np.zeros(3), np.zeros(3))
