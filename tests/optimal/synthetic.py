"""Made-up interpolated graphs, worlds and goals for tests of the search: walks on a lattice.

A body stands, steps with either foot at some speeds and turns, picks with the right hand, sits.
Nothing of it moves a skeleton: `phases` is missing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from footfall.gait.signatures import FEET, LEFT_FOOT, RIGHT_FOOT, RIGHT_HAND, SEAT
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import Goals, World

STAND, PICK, SIT = 0, 1, 2
OTHERS = 3
"""How many nodes come before those of steps."""


def make_graph(
    rng: np.random.Generator, speeds: int = 3, turns: int = 3, step_m: float = 0.5,
    discs: int = 1, spread: float = 0.3,
) -> InterpolatedGraph:  # fmt: skip
    """Nodes for standing, picking, sitting, and steps of each foot, speed and turn.

    spread  how much costs and moves of edges differ by chance
    """
    kinds = [(foot, v, t) for foot in (0, 1) for v in range(speeds) for t in range(turns)]
    nodes = OTHERS + len(kinds)
    numbers = {kind: OTHERS + n for n, kind in enumerate(kinds)}
    found: list[tuple[int, int, float, float, float, float]] = []

    def chance(size: float) -> float:
        return float(rng.uniform(1.0 - size, 1.0 + size))

    def add(tail: int, head: int, x: float, z: float, yaw: float, cost: float) -> None:
        found.append((tail, head, x, z * chance(0.3 * spread), yaw, cost * chance(spread)))

    def length(v: int) -> float:
        return step_m * (0.5 + (v + 1) / speeds)

    for foot, v, t in kinds:
        here = numbers[foot, v, t]
        side = 0.03 if foot == 0 else -0.03
        yaw = (t - (turns - 1) / 2) * 0.35
        effort = 1.0 + abs(yaw) + (length(v) / step_m - 1.0) ** 2
        if v <= 1:
            add(STAND, here, side, 0.5 * length(v), 0.5 * yaw, effort)
            add(here, STAND, -side, 0.4 * length(v), 0.0, 0.8 * effort)
        for w in range(max(v - 1, 0), min(v + 2, speeds)):
            for u in range(turns):
                add(here, numbers[1 - foot, w, u], -side, length(w), yaw, effort)
    add(STAND, PICK, 0.0, 0.02, 0.0, 2.0)
    add(PICK, STAND, 0.0, -0.02, 0.0, 2.0)
    add(STAND, SIT, 0.0, -0.25, 0.0, 2.5)
    add(SIT, STAND, 0.0, 0.25, 0.0, 2.5)
    for yaw in (-0.6, 0.0, 0.6):
        add(STAND, STAND, 0.0, 0.0, yaw, 0.5 + abs(yaw))
    return _assemble(nodes, kinds, found, discs)


def _assemble(
    nodes: int, kinds: list[tuple[int, int, int]], found: list[Any], discs: int
) -> InterpolatedGraph:
    found = sorted(found, key=lambda edge: edge[0])
    edges = np.array(found)
    start = np.searchsorted(edges[:, 0], np.arange(nodes + 1))
    moves = edges[:, 2:5].astype(np.float32).astype(np.float64)
    signature = np.full(nodes, FEET, np.int32)
    signature[OTHERS:] = [LEFT_FOOT if foot == 0 else RIGHT_FOOT for foot, _, _ in kinds]
    signature[PICK] |= RIGHT_HAND
    signature[SIT] |= SEAT
    feet = np.zeros((nodes, 2, 4))
    feet[:, 0, 0], feet[:, 1, 0] = 0.09, -0.09
    hands = np.tile([[0.25, 0.8, 0.1], [-0.25, 0.8, 0.1]], (nodes, 1, 1))
    hands[PICK, 1] = -0.2, 0.5, 0.45
    seat = np.tile([0.0, 0.9, 0.0, 0.0], (nodes, 1))
    seat[SIT] = 0.0, 0.5, -0.1, 0.0
    swept = np.zeros((len(edges), discs, 5))
    swept[:, :, 2:] = 0.25, 0.1, 1.7
    swept[:, :, 1] = moves[:, 1:2] * np.linspace(0.0, 1.0, discs)
    rest = np.zeros(nodes, np.bool_)
    rest[:OTHERS] = True
    whole = np.arange(len(edges), dtype=np.int32)
    return InterpolatedGraph(
        phases=None,  # type: ignore[arg-type]
        node_a=np.arange(nodes, dtype=np.int32), node_b=np.arange(nodes, dtype=np.int32),
        node_weight=np.ones(nodes), node_before=signature, node_signature=signature,
        node_rest=rest, node_feet=feet, node_hands=hands, node_seat=seat,
        edge_start=start.astype(np.int32), edge_to=edges[:, 1].astype(np.int32),
        edge_cost=edges[:, 5].copy(),
        edge_length=np.hypot(moves[:, 0], moves[:, 1]) * 1.02,
        edge_seconds=0.3 + 0.2 * edges[:, 5], edge_move=moves, edge_rise=np.zeros(len(edges)),
        edge_a=whole, edge_b=np.where(edges[:, 1] % 3 == 0, whole, (whole + 1) % len(edges)),
        edge_weight=np.ones(len(edges)), edge_discs=swept,
    )  # fmt: skip


def make_plain(size: tuple[float, float] = (6.0, 6.0), cell_m: float = 0.05) -> World:
    """Flat open ground with its first corner at the origin."""
    shape = tuple(round(n / cell_m) + 1 for n in size)
    return World(
        cell_m=cell_m, origin=np.zeros(2), corridor=np.ones(shape, np.bool_),
        foothold=np.ones(shape, np.bool_), height=np.zeros(shape), clearance=np.full(shape, 9.0),
        ceiling=np.full(shape, np.inf),
    )  # fmt: skip


def block(world: World, x: tuple[float, float], z: tuple[float, float]) -> None:
    """Keep the root out of a box."""
    i = slice(*(round((n - world.origin[0]) / world.cell_m) for n in x))
    k = slice(*(round((n - world.origin[1]) / world.cell_m) for n in z))
    world.corridor[i, k] = False


def make_goals(
    graph: InterpolatedGraph, *asked: tuple[str, float, float], within_m: float = 0.1,
    yaw: float = math.nan, by_s: float = math.inf,
) -> Goals:  # fmt: skip
    """Constraints in order: ("be", x, z), ("stand", x, z), ("pick", x, z) or ("sit", x, z).

    yaw, by_s  of the last alone
    """
    count, nodes = len(asked), len(graph.node_a)
    allowed = np.zeros((count, nodes), np.bool_)
    point = np.zeros((count, nodes, 3))
    place = np.array([[x, math.nan, z] for _, x, z in asked])
    for c, (kind, _, _) in enumerate(asked):
        if kind == "be":
            allowed[c] = True
        elif kind == "stand":
            allowed[c, STAND] = True
        elif kind == "pick":
            allowed[c, PICK], point[c], place[c, 1] = True, graph.node_hands[:, 1], 0.5
        else:
            allowed[c, SIT], point[c] = True, graph.node_seat[:, :3]
    yaws, times = np.full(count, math.nan), np.full(count, math.inf)
    yaws[-1], times[-1] = yaw, by_s
    return Goals(
        nodes=allowed, point=point, place=place, within_m=np.full(count, within_m),
        facing=np.zeros((count, nodes)), yaw=yaws, within_rad=np.full(count, 0.3), by_s=times,
    )  # fmt: skip
