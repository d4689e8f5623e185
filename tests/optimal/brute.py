"""The unrolled graph as a whole, written once more in numpy, and its true costs by scipy.

Poses are snapped to cells. The world is a corridor alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import Goals, World


@dataclass(frozen=True, eq=False)
class Unrolled:
    """All states (layer = constraints met, node, column, row, yaw) and their edges.

    to_go  (states,) the least cost from each to the goal, inf where there is none
    """

    shape: tuple[int, ...]
    tails: np.ndarray
    heads: np.ndarray
    costs: np.ndarray
    to_go: np.ndarray

    def at(self, layer: int, node: int, x: float, z: float, yaw: float, cell_m: float) -> int:
        i, k = np.floor(x / cell_m + 0.5), np.floor(z / cell_m + 0.5)
        turn = np.floor(yaw / (2 * np.pi / self.shape[-1]) + 0.5) % self.shape[-1]
        return int(np.ravel_multi_index((layer, node, int(i), int(k), int(turn)), self.shape))


def unroll(
    graph: InterpolatedGraph, world: World, goals: Goals, cell_m: float, yaws: int
) -> Unrolled:
    """Every edge from every cell, and the true costs."""
    nodes, layers = len(graph.node_a), len(goals.place)
    size = np.floor((np.array(world.corridor.shape) - 1) * world.cell_m / cell_m + 0.5).astype(int)
    shape = (layers + 1, nodes, int(size[0]) + 1, int(size[1]) + 1, yaws)
    node_of = np.repeat(np.arange(nodes), np.diff(graph.edge_start))
    i, k, turn = (a.ravel() for a in np.indices(shape[2:]))
    wide = 2 * np.pi / yaws
    x, z, yaw = i * cell_m, k * cell_m, turn * wide
    tails, heads, costs = [], [], []
    for edge, node in enumerate(node_of):
        mx, mz, mt = graph.edge_move[edge]
        to_i = np.floor((x + mx * np.cos(yaw) + mz * np.sin(yaw)) / cell_m + 0.5).astype(int)
        to_k = np.floor((z - mx * np.sin(yaw) + mz * np.cos(yaw)) / cell_m + 0.5).astype(int)
        to_turn = np.floor((yaw + mt) / wide + 0.5).astype(int)
        free = (to_i >= 0) & (to_k >= 0) & (to_i < shape[2]) & (to_k < shape[3])
        free &= _line_is_free(world, x, z, to_i * cell_m, to_k * cell_m)
        head = int(graph.edge_to[edge])
        ends = to_i[free], to_k[free], to_turn[free]
        for layer in range(layers):
            met = layer_after(
                goals, layer, head, ends[0] * cell_m, ends[1] * cell_m, ends[2] * wide
            )
            here = (np.full(len(met), layer), np.full(len(met), node), i[free], k[free], turn[free])
            there = (met, np.full(len(met), head), ends[0], ends[1], ends[2] % yaws)
            tails.append(np.ravel_multi_index(here, shape))
            heads.append(np.ravel_multi_index(there, shape))
            costs.append(np.full(len(met), graph.edge_cost[edge]))
    return _solve(shape, np.concatenate(tails), np.concatenate(heads), np.concatenate(costs))


def _solve(
    shape: tuple[int, ...], tails: np.ndarray, heads: np.ndarray, costs: np.ndarray
) -> Unrolled:
    count = int(np.prod(shape))
    first_goal = count // shape[0] * (shape[0] - 1)
    ends = np.minimum(heads, first_goal)  # all states of the last layer are one goal
    order = np.lexsort((costs, tails, ends))
    keys = ends[order] * count + tails[order]
    cheapest = order[np.unique(keys, return_index=True)[1]]
    backward = csr_array((costs[cheapest], (ends[cheapest], tails[cheapest])), (count, count))
    to_go = dijkstra(backward, indices=first_goal)
    return Unrolled(shape, tails, ends, costs, to_go)


def layer_after(
    goals: Goals, layer: int, node: int, x: np.ndarray, z: np.ndarray, yaw: np.ndarray
) -> np.ndarray:
    """How many constraints are met when a node is reached at poses."""
    met = np.full(len(x), layer)
    for c in range(layer, len(goals.place)):
        if not goals.nodes[c, node]:
            break
        px, py, pz = goals.point[c, node]
        away = np.stack([
            x + px * np.cos(yaw) + pz * np.sin(yaw) - goals.place[c, 0],
            np.nan_to_num(np.full(len(x), py - goals.place[c, 1])),
            z - px * np.sin(yaw) + pz * np.cos(yaw) - goals.place[c, 2],
        ])  # fmt: skip
        good = np.linalg.norm(away, axis=0) <= goals.within_m[c]
        if not np.isnan(goals.yaw[c]):
            off = yaw + goals.facing[c, node] - goals.yaw[c]
            good &= np.abs(np.angle(np.exp(1j * off))) <= goals.within_rad[c]
        met = np.where(good & (met == c), c + 1, met)
    return met


def _line_is_free(
    world: World, x: np.ndarray, z: np.ndarray, to_x: np.ndarray, to_z: np.ndarray
) -> np.ndarray:
    """Whether the line to an end is in the corridor at points a tenth of a metre apart."""
    free = np.ones(len(x), np.bool_)
    steps = (np.hypot(to_x - x, to_z - z) / 0.1).astype(int) + 1
    for n in range(1, int(steps.max()) + 1):
        share = np.minimum(n / steps, 1.0)
        i = np.floor((x + (to_x - x) * share - world.origin[0]) / world.cell_m + 0.5).astype(int)
        k = np.floor((z + (to_z - z) * share - world.origin[1]) / world.cell_m + 0.5).astype(int)
        inside = (i >= 0) & (k >= 0) & (i < world.corridor.shape[0]) & (k < world.corridor.shape[1])
        i, k = np.where(inside, i, 0), np.where(inside, k, 0)
        free &= inside & world.corridor[i, k]
    return free
