"""Crowds: many live characters that go their ways and keep clear of each other and of walls.

    people = Walkers(Crowd(space, character, 200, scene), scene)
    people.place(starts); people.send(routes, speeds)
    people.step(1 / 30)

Several times a second everybody chooses where to go and how fast (`crowd_kernels`): the direction,
near to the own route, along which it is free for longest; the velocity next to it that keeps clear
of others (`avoidance_kernels`); and the speed up to which no foot gets near anybody ahead. In
between, bodies are steered to go that way as people can: ahead, and turning.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Any

import numpy as np

from footfall.blending.control import Crowd
from footfall.blending.drive import turn_limits
from footfall.blending.reach import measure_reach
from footfall.body.size import BodySize, body_size
from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats
from footfall.world.corridor.corridor_map import CorridorMap
from footfall.world.fields import Grid
from footfall.world.scene import Scene

_NOWHERE = np.zeros((0, 2))
_CELL_M, _MOST_CELLS = 0.08, 400_000
_NEIGHBOURS = 24
"""How many others somebody minds at most."""


@dataclass(frozen=True)
class AvoidanceOptions:
    """How others are kept clear of.

    radius_m     of a body, as a disk         every_s  how often a velocity is chosen
    horizon_s    how far ahead others are minded, wall_s walls
    see_m        how far others are seen      look_m   how far ahead a way on is looked for
    ahead_m      how far along its route somebody heads for
    wall_m       how near walls bodies go     pass_m   how far apart they pass each other
    turning, right   how dear it is to turn about, and to pass on the left
    patience_s   how long somebody waits before also looking behind
    arrived_m    how near the end is near enough, slow_s how long before it somebody slows down
    """

    radius_m: float = 0.38
    every_s: float = 0.1
    horizon_s: float = 2.0
    wall_s: float = 0.7
    see_m: float = 5.0
    look_m: float = 5.0
    ahead_m: float = 4.0
    wall_m: float = 0.34
    pass_m: float = 0.75
    turning: float = 0.1
    right: float = 0.04
    patience_s: float = 2.0
    arrived_m: float = 0.25
    slow_s: float = 0.8


def body_options(size: BodySize) -> AvoidanceOptions:
    """Return the usual options with all lengths in proportion to the size of a body."""
    usual = AvoidanceOptions()
    lengths = [f.name for f in fields(usual) if f.name.endswith("_m")]
    return replace(usual, **{n: size.in_proportion(getattr(usual, n)) for n in lengths})


HABITS = np.dtype(
    [(f.name, np.float64) for f in fields(AvoidanceOptions)] + [("body_m", np.float64)]
)
"""The options for kernels; body_m is half the width of a body."""

PERSON = np.dtype([
    ("place", np.float64, 3), ("velocity", np.float64, 2), ("speed", np.float64),
    ("turn", np.float64), ("waited_s", np.float64), ("visible", np.int32),
    ("near", np.int32, _NEIGHBOURS), ("near_count", np.int32), ("aim", np.float64, 2),
    ("wish", np.float64, 2), ("chosen", np.float64, 2), ("safe_speed", np.float64),
    ("birth_rank", np.float64), ("rank", np.float64), ("yields_to", np.int32),
    ("backing_s", np.float64), ("first", np.int32), ("last", np.int32), ("leg", np.int32),
    ("end_m", np.float64), ("route_speed", np.float64), ("most_speed", np.float64),
    ("arrived", np.int32),
], align=True)  # fmt: skip
"""One person of a crowd.

place               x, z and heading        velocity, speed, turn   at present
waited_s            seconds without progress
visible             1 if others see it      near[:near_count]       who is near, nearest first
aim, wish, chosen   velocities along the route, through a gap, and clear of others
safe_speed          the highest speed that is safe
birth_rank, rank    who goes first: its own rank, and its rank at the moment
yields_to, backing_s   the person for whom it goes back (-1: none), and for how long yet
first, last, leg    its route among all points of routes, and the leg that it is on
end_m, arrived      distance to the end of the route, and 1 once it has been there
route_speed, most_speed   how fast it wants to go, and goes at most
"""


Floor = namedtuple("Floor", "clearances corner")
"""Distances to walls (A, B) on a grid; x, z of its corner and its spacing."""


Memory = namedtuple("Memory", "heads links gaps lines others")
"""Memory of the kernels: cells of a grid over people, and half-planes of one person."""


class Walkers:
    """A crowd with somewhere to go.

    places, velocities  (N, 3) and (N, 2) at present
    """

    def __init__(
        self, crowd: Crowd, scene: Scene | None = None, corridors: CorridorMap | None = None,
        options: AvoidanceOptions | None = None,
    ) -> None:  # fmt: skip
        options = options or body_options(body_size(crowd.character))
        self.crowd, self.scene, self.options = crowd, scene, options
        count = len(crowd)
        limits = turn_limits(crowd.space)
        self._limits = np.column_stack([limits.speeds * crowd.scale, limits.turns])
        reach = measure_reach(crowd.space, crowd.character)
        self._reach = reach.table()
        self._habits = pack_habits(options, reach.half_width_m)
        self._floor = _floor_of(corridors)
        self._people = new_people(count)
        self._memory = _new_memory(count)
        self._asked = np.zeros((count, 2))
        self._since = np.inf
        self._fastest = float(crowd.space.basis.values[:, 0].max()) * crowd.scale
        self.corridors = corridors
        self.send([None] * count, 1.3)

    def place(self, places: Floats) -> None:
        """Put everybody at x, z and heading (N, 3), standing."""
        self.crowd.put(places)
        people = self._people
        people["chosen"], people["waited_s"], people["yields_to"] = 0.0, 0.0, -1
        people["rank"] = people["birth_rank"]
        self._since = np.inf

    def send(self, routes: Sequence[Floats | None], speeds: Floats | float) -> None:
        """Send everybody along a route (P, 2), at a speed; None stays."""
        if len(routes) != len(self.crowd):
            raise InputError(f"{len(routes)} routes", remedy=f"one for each of {len(self.crowd)}")
        wanted = np.broadcast_to(np.asarray(speeds, float), (len(routes),))
        if not (np.isfinite(wanted) & (wanted >= 0.0)).all():
            raise InputError("a speed is not finite or below 0", remedy="metres a second")
        parts = [_NOWHERE if r is None or len(r) < 2 else np.asarray(r, float) for r in routes]
        ends = np.cumsum([len(part) for part in parts])
        people = self._people
        people["first"], people["last"] = ends - [len(part) for part in parts], ends - 1
        people["leg"], people["end_m"], people["route_speed"] = 0, 0.0, wanted
        people["most_speed"] = np.minimum(1.3 * np.maximum(wanted, 0.5), self._fastest)
        people["arrived"] = people["last"] < people["first"]
        self._points = np.concatenate(parts)
        self._since = np.inf

    @property
    def arrived(self) -> Bools:
        """Return whether each (N,) has been at the end of its route.

        There it stands, and steps aside for people who cannot pass.
        """
        return np.asarray(self._people["arrived"] == 1)

    @property
    def velocities(self) -> Floats:
        """Return how fast bodies go, x and z (N, 2)."""
        self._look()
        return np.array(self._people["velocity"])

    def show(self, here: Bools) -> None:
        """Set who (N,) is there for others to avoid; at first all are."""
        self._people["visible"] = here

    def step(self, dt: float, wishes: Floats | None = None) -> None:
        """Let `dt` seconds pass; wishes (N, 2) are velocities instead of those along the routes."""
        self._since += dt
        self._look()
        if self._since >= self.options.every_s - 1e-9:
            self._choose(wishes)
            self._since = 0.0
        self._move(dt)

    def go(self, dt: float, wishes: Floats) -> None:
        """Let `dt` seconds pass; everybody goes as wished (N, 2), minding nobody."""
        self._look()
        people = self._people
        people["wish"], people["chosen"], people["safe_speed"] = wishes, wishes, np.inf
        self._move(dt)

    def _look(self) -> None:
        """Update where everybody is."""
        people, crowd = self._people, self.crowd
        achieved, moving = crowd.achieved, ~crowd.resting
        people["place"] = places = crowd.places
        people["speed"] = speeds = np.where(moving, achieved[:, 0], 0.0)
        people["turn"] = np.where(moving, achieved[:, 1], 0.0)
        people["velocity"][:, 0] = speeds * np.sin(places[:, 2])
        people["velocity"][:, 1] = speeds * np.cos(places[:, 2])

    def _choose(self, wishes: Floats | None) -> None:
        from footfall.blending.crowd_kernels import choose_velocities

        if wishes is not None:
            self._people["wish"] = wishes
        passed = min(self._since, self.options.every_s * 2.0)
        choose_velocities(
            self._people, self._points, self._floor, self._habits, self._reach, self._memory,
            wishes is None, passed,
        )  # fmt: skip

    def _move(self, dt: float) -> None:
        from footfall.blending.crowd_kernels import steer_all

        steer_all(self._people, self._limits, self._asked)
        self.crowd.step(dt, self._asked[:, 0], self._asked[:, 1])


def pack_habits(options: AvoidanceOptions, half_width_m: float) -> Any:
    """Return the options (1,) as kernels take them."""
    return np.array([(*astuple(options), half_width_m)], HABITS)


def new_people(count: int) -> Any:
    """Return people (N,) of whom nothing is known yet."""
    people = np.zeros(count, PERSON)
    people["birth_rank"] = people["rank"] = np.arange(count)
    people["visible"], people["yields_to"], people["safe_speed"] = 1, -1, np.inf
    return people


def _new_memory(count: int) -> Memory:
    table = 1 << max(4, int(np.ceil(np.log2(2 * count))))
    return Memory(
        np.zeros(table, np.int64), np.zeros(count, np.int64), np.zeros(_NEIGHBOURS),
        np.zeros((_NEIGHBOURS + 1, 4)), np.zeros((2 * _NEIGHBOURS + 2, 4)),
    )  # fmt: skip


def _floor_of(corridors: CorridorMap | None) -> Floor:
    """How far walls are, on a grid over the floor."""
    if corridors is None:
        return Floor(np.full((2, 2), 1e3), np.array([0.0, 0.0, 1.0]))
    left, low, right, high = corridors.bounds.bounds
    cell = max(_CELL_M, float(np.sqrt((right - left) * (high - low) / _MOST_CELLS)))
    shape = int(np.ceil((right - left) / cell)) + 3, int(np.ceil((high - low) / cell)) + 3
    grid = Grid(left - 1.5 * cell, low - 1.5 * cell, cell, shape)
    gaps = corridors.clearances(grid.points).reshape(shape)
    return Floor(np.ascontiguousarray(gaps), np.array([left - cell, low - cell, cell]))
