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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from footfall.blending.control import Crowd
from footfall.blending.drive import turn_limits
from footfall.blending.reach import measure_reach
from footfall.body.size import BodySize, body_size
from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, Ints
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
    """Return the usual options with the widths of a body in proportion to its size."""
    usual = AvoidanceOptions()
    widths = {n: size.in_proportion(getattr(usual, n)) for n in ("radius_m", "wall_m", "pass_m")}
    return replace(usual, **widths)


class Habits(NamedTuple):
    """What the kernels are told of the options; body_m is half the width of a body."""

    radius_m: float
    horizon_s: float
    wall_s: float
    see_m: float
    look_m: float
    ahead_m: float
    wall_m: float
    pass_m: float
    turning: float
    right: float
    patience_s: float
    arrived_m: float
    slow_s: float
    body_m: float


class Floor(NamedTuple):
    """How far walls are: clearances (A, B) on a grid, and x, z of its corner and its spacing."""

    clearances: Floats
    corner: Floats


class Routes(NamedTuple):
    """Routes one after the other, points[starts[n] : starts[n + 1]]; the leg (N,) each is on, how
    far (N,) the end is, how fast (N,) each wants to go, and 1 (N,) for who has been there."""

    starts: Ints
    points: Floats
    legs: Ints
    ends: Floats
    speeds: Floats
    arrived: Ints


class People(NamedTuple):
    """What is known of N people.

    places (N, 3)   velocities (N, 2)   speeds, turns (N,)   waited (N,) seconds without getting on
    here (N,) 1 for who can be seen     near (N, K), counts (N,) who is near
    aims, wishes, chosen (N, 2)   velocities along the route, through a gap, and clear of others
    caps (N,)              up to which speed it is safe
    births, ranks (N,)     who goes first: its own rank, and that for the moment
    yields, backing (N,)   for whom it goes back, -1 for nobody, and for how long yet
    """

    places: Floats
    velocities: Floats
    speeds: Floats
    turns: Floats
    waited: Floats
    here: Ints
    near: Ints
    counts: Ints
    aims: Floats
    wishes: Floats
    chosen: Floats
    caps: Floats
    births: Floats
    ranks: Floats
    yields: Ints
    backing: Floats


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
        self._habits = habits_of(options, reach.half_width_m)
        self._floor = _floor_of(corridors)
        self._people = blank_people(count)
        self._memory = _blank_memory(count)
        self._routes = _routes([None] * count, np.full(count, 1.3))
        self._asked = np.zeros((count, 2))
        self._since = np.inf
        self._fastest = float(crowd.space.basis.values[:, 0].max()) * crowd.scale
        self._most = np.zeros(count)
        self.corridors = corridors

    def place(self, places: Floats) -> None:
        """Put everybody at x, z and heading (N, 3), standing."""
        self.crowd.put(places)
        self._people.chosen[...] = 0.0
        self._people.waited[...] = 0.0
        self._people.yields[...] = -1
        self._people.ranks[...] = self._people.births
        self._since = np.inf

    def send(self, routes: Sequence[Floats | None], speeds: Floats | float) -> None:
        """Send everybody along a route (P, 2), at a speed; None stays."""
        if len(routes) != len(self.crowd):
            raise InputError(f"{len(routes)} routes", remedy=f"one for each of {len(self.crowd)}")
        wanted = np.broadcast_to(np.asarray(speeds, float), (len(routes),))
        if not (np.isfinite(wanted) & (wanted >= 0.0)).all():
            raise InputError("a speed is not finite or below 0", remedy="metres a second")
        self._routes = _routes(routes, np.array(wanted))
        self._since = np.inf

    @property
    def arrived(self) -> Bools:
        """(N,) whether each has been at the end of its route; there it stands, and steps aside
        for who cannot pass."""
        return np.asarray(self._routes.arrived == 1)

    @property
    def velocities(self) -> Floats:
        """(N, 2) how fast bodies go, x and z."""
        self._look()
        return np.array(self._people.velocities)

    def show(self, here: Bools) -> None:
        """Say who (N,) is there for others to mind; at first all are."""
        self._people.here[...] = here

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
        self._people.wishes[...] = wishes
        self._people.chosen[...] = wishes
        self._people.caps[...] = np.inf
        self._move(dt)

    def _look(self) -> None:
        """See where everybody is."""
        p, crowd = self._people, self.crowd
        achieved, resting = crowd.achieved, crowd.resting
        p.places[...] = crowd.places
        p.speeds[...] = np.where(resting, 0.0, achieved[:, 0])
        p.turns[...] = np.where(resting, 0.0, achieved[:, 1])
        np.multiply(p.speeds, np.sin(p.places[:, 2]), out=p.velocities[:, 0])
        np.multiply(p.speeds, np.cos(p.places[:, 2]), out=p.velocities[:, 1])

    def _choose(self, wishes: Floats | None) -> None:
        from footfall.blending.crowd_kernels import choose_ways

        if wishes is not None:
            self._people.wishes[...] = wishes
        np.maximum(self._routes.speeds, 0.5, out=self._most)
        np.minimum(1.3 * self._most, self._fastest, out=self._most)
        passed = min(self._since, self.options.every_s * 2.0)
        choose_ways(
            self._people, self._routes, self._floor, self._habits, self._reach, self._most,
            self._memory, wishes is None, passed,
        )  # fmt: skip

    def _move(self, dt: float) -> None:
        from footfall.blending.crowd_kernels import steer_all

        steer_all(self._people, self._limits, self._asked)
        self.crowd.step(dt, self._asked[:, 0], self._asked[:, 1])


def habits_of(options: AvoidanceOptions, half_width_m: float) -> Habits:
    """The options as the kernels take them."""
    own = {name: getattr(options, name) for name in Habits._fields if name != "body_m"}
    return Habits(**own, body_m=half_width_m)


def blank_people(count: int) -> People:
    """N people of whom nothing is known yet."""
    whole = np.int64
    births = np.arange(count, dtype=float)
    flat = np.zeros((3, count, 2))
    return People(
        np.zeros((count, 3)), np.zeros((count, 2)), np.zeros(count), np.zeros(count),
        np.zeros(count), np.ones(count, whole), np.zeros((count, _NEIGHBOURS), whole),
        np.zeros(count, whole), flat[0], flat[1], flat[2], np.full(count, np.inf), births,
        births.copy(), np.full(count, -1, whole), np.zeros(count),
    )  # fmt: skip


def _blank_memory(count: int) -> tuple[Any, ...]:
    """Memory to find neighbours in, and for the half-planes of one person."""
    table = 1 << max(4, int(np.ceil(np.log2(2 * count))))
    return (
        np.zeros(table, np.int64), np.zeros(count, np.int64), np.zeros(_NEIGHBOURS),
        np.zeros((_NEIGHBOURS + 1, 4)), np.zeros((2 * _NEIGHBOURS + 2, 4)),
    )  # fmt: skip


def _routes(routes: Sequence[Floats | None], speeds: Floats) -> Routes:
    parts = [_NOWHERE if r is None or len(r) < 2 else np.asarray(r, float) for r in routes]
    starts: Any = np.concatenate([[0], np.cumsum([len(p) for p in parts])]).astype(np.int64)
    count = len(parts)
    return Routes(
        starts, np.concatenate(parts), np.zeros(count, np.int64), np.zeros(count), speeds,
        (np.diff(starts) == 0).astype(np.int64),
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
