"""Live mode: a steered character among others, as binary frames for a socket."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.blending.control import Crowd
from footfall.blending.crowd import Walkers, body_options
from footfall.blending.space import space_of
from footfall.body.clip import Clip
from footfall.body.size import body_size
from footfall.errors import InputError
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.studio.files import Files
from footfall.studio.models import LiveMessage, StartLive
from footfall.task import FOUND, Plan

if TYPE_CHECKING:
    from footfall.world.scene import Scene

FPS = 60.0
MAGIC = b"FFP1"
STANDS, RECORDED, LEFT, RIGHT = 1, 2, 4, 8
_MOST_RECORDED_S = 600.0
_FEW, _SOON_S = 20, 0.05
_NEAR_M, _ROAM_M = 0.4, 8.0
_HEADER = struct.Struct("<4sIdIHHfI")


class StyledCrowd(Crowd):
    """A crowd whose style is set beside its steering: 0 walks, 1 runs, None goes by the speed."""

    style: float | None = None

    def step(
        self, dt: float, speed: Any, turn: Any, style: Any = None, **own: Any
    ) -> tuple[Floats, Floats]:
        """Let `dt` seconds pass in the style of the first character."""
        styles = np.full(len(self), np.nan)
        styles[0] = np.nan if self.style is None else self.style
        return super().step(dt, speed, turn, styles if style is None else style, **own)


@dataclass
class Steer:
    """What the steered character is asked for."""

    target: tuple[float, float] | None = None
    velocity: tuple[float, float] | None = None
    speed: float = 1.3

    def wish(self, place: Floats) -> tuple[float, float]:
        """Return the velocity that is wished for at a place."""
        if self.velocity is not None:
            return self.velocity
        if self.target is None:
            return 0.0, 0.0
        dx, dz = self.target[0] - float(place[0]), self.target[1] - float(place[1])
        away = math.hypot(dx, dz)
        if away < _NEAR_M:
            return 0.0, 0.0
        speed = min(self.speed, 0.5 + 0.9 * (away - _NEAR_M))
        return speed * dx / away, speed * dz / away


class LiveRun:
    """The characters of one socket: stepped at 60 Hz, steered and recorded."""

    def __init__(self, files: Files, request: StartLive) -> None:
        from footfall.library.characters import find_character

        self.files, self.table = files, request.scene
        self.scene = files.make_scene(request.scene)
        self.space = space_of(files.library_place(request.library))
        character = files.character_place(request.character)
        self.character = self.space.skeleton if character is None else find_character(character)
        self.random = np.random.default_rng(request.seed)
        self.steer, self.paused, self.seconds, self.frame = Steer(), False, 0.0, 0
        self.rows: list[tuple[Floats, Floats, Any]] | None = None
        x, z, *yaw = request.place
        self._check_ground(x, z)
        self._populate(np.array([[x, z, math.radians(yaw[0]) if yaw else 0.0]]), request.crowd)

    def _check_ground(self, x: float, z: float) -> None:
        if self.scene is not None and not np.isfinite(self.scene.height([[x, z]])).all():
            raise InputError(f"there is no ground at {x:g}, {z:g}", remedy="choose another place")

    # ---- characters ---------------------------------------------------------------------

    def _populate(self, first: Floats, others: int) -> None:
        """Put the steered character and some others into the scene."""
        places = first
        if others:
            ring = self._free_points(others, first[0, :2])
            headings = self.random.uniform(-math.pi, math.pi, (others, 1))
            places = np.concatenate([first, np.hstack([ring, headings])])
        self.walkers = self._make_walkers(len(places), self.scene)
        self.walkers.place(places)
        self.goals = places[:, :2].copy()

    def _make_walkers(self, count: int, scene: Scene | None) -> Walkers:
        from footfall.world.corridor.free_floor import walking_corridors

        crowd = StyledCrowd(self.space, self.character, count, scene)
        corridors = None if scene is None else walking_corridors(scene)
        every = 1.0 / FPS if count <= _FEW else _SOON_S
        options = replace(body_options(body_size(self.character)), every_s=every)
        return Walkers(crowd, scene, corridors, options)

    def _free_points(self, count: int, middle: Floats) -> Floats:
        """Return points (N, 2) on free floor, about a point on an endless plain."""
        if self.scene is None:
            return middle + self.random.uniform(-_ROAM_M, _ROAM_M, (count, 2))
        from footfall.world.collision.queries import body_clearance

        x0, z0, x1, z1 = self.scene.bounds.bounds
        tries = self.random.uniform([x0, z0], [x1, z1], (40 * count, 2))
        high = self.scene.height(tries)
        free = np.isfinite(high) & (body_clearance(self.scene, tries)[0] > 0.4)
        points = tries[free][:count]
        if len(points) < count:
            raise InputError(f"the scene has no room for {count} others", remedy="ask for fewer")
        return np.asarray(points)

    def set_crowd(self, others: int) -> None:
        """Change the number of others; the steered one stays where it is."""
        self._populate(self.walkers.crowd.places[:1].copy(), others)

    def put(self, place: list[float]) -> None:
        """Put the steered character elsewhere, standing."""
        x, z, *yaw = place
        self._check_ground(x, z)
        first = np.array([[x, z, math.radians(yaw[0]) if yaw else 0.0]])
        self._populate(first, len(self.walkers.crowd) - 1)

    def set_scene(self, table: dict[str, Any] | None) -> None:
        """Go on in another scene, without a jump of anybody."""
        scene = self.files.make_scene(table)
        old = self.walkers
        new = self._make_walkers(len(old.crowd), scene)
        _copy_state(old.crowd, new.crowd)
        if isinstance(new.crowd, StyledCrowd) and isinstance(old.crowd, StyledCrowd):
            new.crowd.style = old.crowd.style
        self.table, self.scene, self.walkers = table, scene, new

    def move_obstacle(self, message: LiveMessage) -> None:
        """Drag an obstacle of the scene's table."""
        listed = (self.table or {}).get("obstacle", [])
        if message.index >= len(listed) or message.at is None:
            raise InputError(f"obstacle {message.index}", remedy=f"there are {len(listed)}")
        moved = dict(listed[message.index])
        if "at" not in moved:
            raise InputError("a wall is not dragged", remedy="send the scene")
        old = moved["at"]
        moved["at"] = [message.at[0], *(old[1:2] if len(old) == 3 else []), message.at[1]]
        if message.yaw_deg is not None:
            moved["yaw_deg"] = message.yaw_deg
        obstacles = [*listed[: message.index], moved, *listed[message.index + 1 :]]
        self.set_scene({**(self.table or {}), "obstacle": obstacles})

    def set_steer(self, message: LiveMessage) -> None:
        """Heed a steering message."""
        self.steer = Steer(
            None if message.target is None else (message.target[0], message.target[1]),
            None if message.velocity is None else (message.velocity[0], message.velocity[1]),
            message.speed,
        )
        if isinstance(self.walkers.crowd, StyledCrowd):
            self.walkers.crowd.style = message.style

    # ---- time ---------------------------------------------------------------------------

    def step(self, dt: float = 1.0 / FPS) -> None:
        """Let a frame pass."""
        if self.paused:
            return
        crowd = self.walkers.crowd
        places = crowd.places
        wishes = np.zeros((len(crowd), 2))
        wishes[0] = self.steer.wish(places[0])
        if len(crowd) > 1:
            self._roam(places, wishes)
        self.walkers.step(dt, wishes)
        self.seconds += dt
        self.frame += 1
        if self.rows is not None and len(self.rows) < _MOST_RECORDED_S * FPS:
            rows = crowd.root[0].copy(), crowd.rotations[0].copy(), crowd.contacts[0].copy()
            self.rows.append(rows)

    def _roam(self, places: Floats, wishes: Floats) -> None:
        """Let the others walk to points of their own, and choose new ones there."""
        away = self.goals - places[:, :2]
        gaps = np.hypot(away[:, 0], away[:, 1])
        there = np.flatnonzero((gaps < 1.0) | (self.random.random(len(gaps)) < 0.0005))
        there = there[there > 0]
        if len(there):
            self.goals[there] = self._free_points(len(there), places[0, :2])
        wishes[1:] = 1.2 * away[1:] / np.maximum(gaps[1:, None], 1e-6)

    def encode(self, seq: int, waited_ms: float) -> bytes:
        """Return the present frame in binary."""
        crowd = self.walkers.crowd
        touching = crowd.touching[0]
        flags = STANDS * bool(crowd.resting[0]) + RECORDED * (self.rows is not None)
        flags += LEFT * bool(touching[0]) + RIGHT * bool(touching[1])
        count, joints = crowd.rotations.shape[:2]
        head = _HEADER.pack(
            MAGIC, self.frame & 0xFFFFFFFF, self.seconds, seq, count, joints, waited_ms, flags
        )
        record = np.dtype([("root", "<f4", 3), ("rotations", "<i2", (joints, 4))])
        body = np.empty(count, record)
        body["root"] = crowd.root
        body["rotations"] = np.rint(crowd.rotations * 32767.0)
        return head + body.tobytes()

    def ready(self) -> dict[str, Any]:
        """Return what a client needs to draw frames."""
        from footfall.render.player.document import PlayedMotion, motion_document

        crowd, names = self.walkers.crowd, list(self.character.names)
        pose = Clip(
            self.character, FPS, crowd.root[:1].copy(), quat.normalise(crowd.rotations[:1].copy())
        )
        speeds = self.space.basis.values[:, 0] * crowd.scale
        return {
            "type": "ready", "joints": names, "parents": self.character.parents.tolist(),
            "document": motion_document([PlayedMotion(pose)], self.scene, title="live"),
            "fps": FPS, "characters": len(crowd),
            "speeds": [float(speeds.min()), float(speeds.max())],
        }  # fmt: skip

    # ---- recording ----------------------------------------------------------------------

    def record(self) -> None:
        """Begin to record the steered character."""
        self.rows = []

    def recorded(self) -> Plan:
        """Return what was recorded as a plan, and stop recording."""
        rows, self.rows = self.rows, None
        if not rows or len(rows) < 2:
            raise InputError("nothing was recorded", remedy="record for longer")
        root, rotations, contacts = (np.array(column) for column in zip(*rows, strict=True))
        turns = quat.continuous(quat.normalise(rotations))
        clip = Clip(self.character, FPS, root, turns, name="recording", contacts=contacts)
        return Plan(FOUND, clip=clip, method="live")


def _copy_state(old: Crowd, new: Crowd) -> None:
    """Let a new crowd be where an old one is, in the same pose."""
    for source, target in zip(old.state, new.state, strict=True):
        target[...] = source
    new._live.feet[...] = old._live.feet
    new._live.bodies[...] = old._live.bodies
    for source, target in zip(old._live.poses, new._live.poses, strict=True):
        if isinstance(target, np.ndarray):
            target[...] = source
