"""How far the root has to go at least: from each place to the next constraint, and on to the goal.

Distances are those of 16 directions through squares that the root may touch, kept on their corners
and linear in between; what that may be too much is taken off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.maths.arrays import Bools, Floats
from footfall.optimal.problem import Goals, World
from footfall.search.shortest_path import FAR, SparseGraph
from footfall.search.squares import corner_distances, corner_graph, corners_of, open_squares

SQUARE_M = 0.1
_SIXTEEN = 1.0275
"""Paths in 16 directions are longer than straight ones by no more than this."""
_ROUND_M = SQUARE_M * 0.7072
"""Linear values between the corners of a square are higher than distances by no more than this."""
_CHORD_M = 0.1
"""Points of the root's path that are looked at are no farther apart (`search_kernels`)."""


@dataclass(frozen=True, eq=False)
class Fields:
    """Metres to go, on corners of squares.

    metres  (C, I, K) to the next constraint and from there on, for each number of those met
    frame   (3,) x and z of the first corner, corners a metre
    later   (C,) how many of them come after the next constraint at most
    legs    (C,) how many lie between a constraint and the one before at least
    """

    metres: Floats
    frame: Floats
    later: Floats
    legs: Floats


def fields_in_order(world: World, goals: Goals) -> Fields:
    """Metres to all constraints that are left, one after the other."""
    squares, frame = open_squares_of(world)
    corners, count = corner_graph(squares), len(goals.place)
    shape = (count, squares.shape[0] + 1, squares.shape[1] + 1)
    metres, later, legs = np.zeros(shape), np.zeros(count), np.zeros(count)
    sums = np.zeros(count + 1)  # of the least between constraints: what is left after each
    for c in range(count - 1, -1, -1):
        at = _sources(squares, frame, goals, c)
        away = _lower(_distances(corners, np.where(at, 0.0, np.inf)))
        metres[c] = np.where(away < FAR, away + sums[c + 1], FAR)
        if c + 1 < count:
            after = np.where(at, metres[c + 1], FAR)
            # Once for the place where one comes from, once for that where the constraint is met.
            chained = _lower(_distances(corners, np.where(at, after * _SIXTEEN, np.inf)))
            metres[c] = np.maximum(metres[c], chained - _ROUND_M)
            later[c] = float(after[after < FAR].max(initial=0.0))
        if c > 0:
            before = _sources(squares, frame, goals, c - 1)
            legs[c] = min(float(away[before].min(initial=FAR)), FAR)
            sums[c] = sums[c + 1] + legs[c]
    return Fields(metres, frame, later, legs)


def fields_to_goal(world: World, goals: Goals, straight: bool) -> Fields:
    """Metres to the goal alone, through the corridor or in a straight line."""
    squares, frame = open_squares_of(world)
    count = len(goals.place)
    if straight:
        shape = squares.shape[0] + 1, squares.shape[1] + 1
        away = _straight(goals, frame, shape) - _ROUND_M  # cut off at 0 where it is read
    else:
        at = _sources(squares, frame, goals, count - 1)
        away = _lower(_distances(corner_graph(squares), np.where(at, 0.0, np.inf)))
    return Fields(np.stack([away] * count), frame, np.zeros(count), np.zeros(count))


def fields_of_nothing(world: World, goals: Goals) -> Fields:
    """No metres at all, anywhere in the world."""
    squares, frame = open_squares_of(world)
    count = len(goals.place)
    shape = (count, squares.shape[0] + 1, squares.shape[1] + 1)
    return Fields(np.zeros(shape), frame, np.zeros(count), np.zeros(count))


def open_squares_of(world: World) -> tuple[Bools, Floats]:
    """Which squares the root may touch, and x and z of their first corner, squares a metre."""
    cell, reach = world.cell_m, 0.5 * (_CHORD_M + world.cell_m)
    squares = open_squares(
        np.asarray(world.corridor, np.bool_), np.ones(2), cell / SQUARE_M, reach / SQUARE_M
    )
    first = np.asarray(world.origin, np.float64) - SQUARE_M
    return squares, np.array([*first, 1.0 / SQUARE_M])


def _distances(corners: SparseGraph, begin: Floats) -> Floats:
    """(I, K) metres from each corner to any that has less than inf, and on as it says."""
    distance = corner_distances(corners, begin / SQUARE_M)
    found: Floats = np.where(distance < FAR, distance * SQUARE_M, FAR)
    return found


def _lower(distance: Floats) -> Floats:
    """What is left of distances in 16 directions that is never too much."""
    lower: Any = np.where(distance < FAR, np.maximum(distance / _SIXTEEN - _ROUND_M, 0.0), FAR)
    return np.asarray(lower)


def _reaches(goals: Goals, c: int) -> tuple[float, float]:
    """How near and how far the root may be from the place of a constraint that is met."""
    points = goals.point[c][goals.nodes[c]]
    if not len(points):
        return 0.0, -1.0
    away = np.hypot(points[:, 0], points[:, 2])
    within = float(goals.within_m[c])
    return max(float(away.min()) - within, 0.0), float(away.max()) + within


def _sources(squares: Bools, frame: Floats, goals: Goals, c: int) -> Bools:
    """(I, K) the corners of open squares where the root may be when constraint c is met."""
    return corners_of(_where_met(squares.shape, frame, goals, c) & squares)


def _where_met(shape: tuple[int, ...], frame: Floats, goals: Goals, c: int) -> Bools:
    """(I, K) the squares where the root may be when constraint c is met."""
    near, far = _reaches(goals, c)
    low_x = frame[0] + np.arange(shape[0]) * SQUARE_M - goals.place[c, 0]
    low_z = frame[1] + np.arange(shape[1]) * SQUARE_M - goals.place[c, 2]
    least_x, most_x = _spans(low_x)
    least_z, most_z = _spans(low_z)
    nearest = np.hypot(least_x[:, None], least_z[None, :])
    farthest = np.hypot(most_x[:, None], most_z[None, :])
    found: Bools = (nearest <= far) & (farthest >= near)
    if len(goals.slab):
        ahead_x, ahead_z, least, most = goals.slab[c].tolist()
        along = ahead_x * (low_x[:, None] + 0.5 * SQUARE_M) + ahead_z * (low_z + 0.5 * SQUARE_M)
        points = goals.point[c][goals.nodes[c]]
        spare = SQUARE_M + float(np.hypot(points[:, 0], points[:, 2]).max(initial=0.0))
        found &= (along >= least - spare) & (along <= most + spare)
    return found


def _spans(low: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest distance from 0 to squares that begin at `low`."""
    high = low + SQUARE_M
    least = np.where((low <= 0.0) & (high >= 0.0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    return least, np.maximum(np.abs(low), np.abs(high))


def _straight(goals: Goals, frame: Floats, shape: tuple[int, int]) -> Floats:
    """(I, K) metres in a straight line from each corner to where the goal can be met."""
    c = len(goals.place) - 1
    x = frame[0] + np.arange(shape[0]) * SQUARE_M - goals.place[c, 0]
    z = frame[1] + np.arange(shape[1]) * SQUARE_M - goals.place[c, 2]
    away: Floats = np.hypot(x[:, None], z[None, :]) - _reaches(goals, c)[1]
    return away
