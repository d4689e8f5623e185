"""Crowds: many live characters that go their ways and keep clear of each other and of walls.

    people = Walkers(Crowd(space, character, 200, scene), scene)
    people.place(starts); people.send(routes, speeds)
    people.step(1 / 30)

Several times a second everybody chooses a velocity (`avoidance_kernels`); in between, bodies are
steered to go that way as people can: ahead, and turning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.blending.control import Crowd
from footfall.blending.drive import turn_limits
from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats
from footfall.world.corridor.corridor_map import CorridorMap
from footfall.world.scene import Scene

_AHEAD_M, _ARRIVED_M = 0.8, 0.25
_NOWHERE = np.zeros((0, 2))
_LEAST_M_S = 0.15
"""Who is to go slower than this stands."""
_RIGHT = 0.06
_SLOW_S = 0.8
"""How long before its goal somebody begins to slow down."""


@dataclass(frozen=True)
class AvoidanceOptions:
    """How others are kept clear of.

    radius_m     of a body, as a disk         every_s  how often a velocity is chosen
    horizon_s    how far ahead others are minded, wall_s walls
    see_m        how far others are seen
    body_m, reach_m   half the width that bodies keep clear, and how far ahead of themselves
    brake_s      how quickly they stop
    """

    radius_m: float = 0.42
    every_s: float = 0.1
    horizon_s: float = 3.0
    wall_s: float = 1.0
    see_m: float = 5.0
    body_m: float = 0.3
    reach_m: float = 0.35
    brake_s: float = 0.6


class Walkers:
    """A crowd with somewhere to go.

    places, velocities  (N, 3) and (N, 2) at present
    """

    def __init__(
        self, crowd: Crowd, scene: Scene | None = None, corridors: CorridorMap | None = None,
        options: AvoidanceOptions = AvoidanceOptions(),  # noqa: B008
    ) -> None:  # fmt: skip
        self.crowd, self.scene, self.options = crowd, scene, options
        count = len(crowd)
        self._limits = turn_limits(crowd.space)
        self._points, self._starts = np.zeros((0, 2)), np.zeros(count + 1, np.int64)
        self._legs, self._ends = np.zeros(count, np.int64), np.zeros(count)
        self._speeds = np.full(count, 1.3)
        self._chosen = np.zeros((count, 2))
        self._wishes = np.zeros((count, 2))
        self._caps = np.full(count, np.inf)
        self._since = np.inf
        self._fastest = float(crowd.space.basis.values[:, 0].max())
        self.corridors = corridors

    def place(self, places: Floats) -> None:
        """Put everybody at x, z and heading (N, 3), standing."""
        self.crowd.put(places)
        self._chosen[...] = 0.0
        self._since = np.inf

    def send(self, routes: Sequence[Floats | None], speeds: Floats | float) -> None:
        """Send everybody along a route (P, 2), at a speed; None stays."""
        if len(routes) != len(self.crowd):
            raise InputError(f"{len(routes)} routes", remedy=f"one for each of {len(self.crowd)}")
        parts = [_NOWHERE if r is None or len(r) < 2 else np.asarray(r, float) for r in routes]
        self._points = np.concatenate(parts)
        self._starts = np.concatenate([[0], np.cumsum([len(p) for p in parts])]).astype(np.int64)
        self._legs[...] = 0
        self._speeds[...] = speeds
        self._route_wishes()

    @property
    def arrived(self) -> Bools:
        """(N,) whether each is at the end of its route."""
        return np.asarray(self._ends < _ARRIVED_M)

    @property
    def velocities(self) -> Floats:
        """(N, 2) how fast bodies go, x and z."""
        speed, heading = self.crowd.achieved[:, 0], self.crowd.places[:, 2]
        moving = np.where(self.crowd.state.resting == 1, 0.0, speed)
        return np.column_stack([moving * np.sin(heading), moving * np.cos(heading)])

    def step(self, dt: float, wishes: Floats | None = None) -> None:
        """Let `dt` seconds pass; wishes (N, 2) are velocities instead of those along the routes."""
        self._since += dt
        if self._since >= self.options.every_s - 1e-9:
            self._since = 0.0
            self._choose(self._route_wishes() if wishes is None else wishes)
        self.crowd.step(dt, *self._steering())

    def go(self, dt: float, wishes: Floats) -> None:
        """Let `dt` seconds pass; everybody goes as wished (N, 2), minding nobody."""
        self._chosen[...] = wishes
        self._caps[...] = np.inf
        self.crowd.step(dt, *self._steering())

    def _route_wishes(self) -> Floats:
        from footfall.blending.avoidance_kernels import wish_along_routes

        wish_along_routes(
            self.crowd.places[:, :2], self._starts, self._points, self._legs, self._speeds,
            _AHEAD_M, _ARRIVED_M, _SLOW_S, _RIGHT, self._ends, self._wishes,
        )  # fmt: skip
        return self._wishes

    def _choose(self, wishes: Floats) -> None:
        from scipy.spatial import cKDTree

        from footfall.blending.avoidance_kernels import cap_speeds, choose_velocities

        o, at = self.options, np.ascontiguousarray(self.crowd.places[:, :2])
        count = len(at)
        pairs = cKDTree(at).query_pairs(o.see_m, output_type="ndarray").astype(np.int64)
        both = np.concatenate([pairs, pairs[:, ::-1]])
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        others = np.ascontiguousarray(both[:, 1])
        starts = np.searchsorted(both[:, 0], np.arange(count + 1)).astype(np.int64)
        fastest = np.minimum(1.3 * np.maximum(self._speeds, 0.5), self._fastest)
        choose_velocities(
            at, self.velocities, np.ascontiguousarray(wishes), np.full(count, o.radius_m), fastest,
            starts, others, _nearest_walls(self.corridors, at), o.horizon_s, o.wall_s, o.every_s,
            self._chosen,
        )  # fmt: skip
        cap_speeds(
            self.crowd.places,
            self.velocities,
            o.body_m,
            o.reach_m,
            starts,
            others,
            o.brake_s,
            self._caps,
        )

    def _steering(self) -> tuple[Floats, Floats]:
        """(N,) speeds and turns that go the chosen ways."""
        heading = self.crowd.places[:, 2]
        speed = np.hypot(self._chosen[:, 0], self._chosen[:, 1])
        toward = np.arctan2(self._chosen[:, 0], self._chosen[:, 1])
        off = np.where(speed > _LEAST_M_S, (toward - heading + np.pi) % (2.0 * np.pi) - np.pi, 0.0)
        most = np.interp(self.crowd.achieved[:, 0], self._limits.speeds, self._limits.turns)
        turn = np.clip(2.5 * off, -most, most)
        # Who is to go where it does not face slows down and turns first.
        ahead = np.clip(1.0 - (np.abs(off) - 0.4) / 0.8, 0.0, 1.0)
        wish = np.where(speed > _LEAST_M_S, np.minimum(speed * ahead, self._caps), 0.0)
        return wish, np.where(speed > _LEAST_M_S, turn, 0.0)


def _nearest_walls(corridors: CorridorMap | None, at: Floats) -> Floats:
    """(N, 3) how far from points (N, 2) the nearest wall is, and the way to it."""
    out = np.full((len(at), 3), np.inf)
    if corridors is None:
        out[:, 1:] = 0.0
        return out
    gap, edge = corridors.outlines.nearest(at)
    ends = corridors.outlines.segments[edge]
    leg = ends[:, 2:] - ends[:, :2]
    square = np.maximum((leg**2).sum(axis=1), 1e-12)
    u = np.clip(((at - ends[:, :2]) * leg).sum(axis=1) / square, 0.0, 1.0)
    away = ends[:, :2] + u[:, None] * leg - at
    away *= np.where(gap < 0.0, -1.0, 1.0)[:, None]
    out[:, 0] = gap
    out[:, 1:] = away / np.maximum(np.hypot(away[:, 0], away[:, 1]), 1e-9)[:, None]
    return out
