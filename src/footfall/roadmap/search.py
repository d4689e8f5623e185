"""The cheapest path over a roadmap from standing somewhere to standing elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.kinematics import joint_positions
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.roadmap.connect import connect, edge_prints
from footfall.roadmap.footholds import stand
from footfall.roadmap.model import Edges, Roadmap
from footfall.roadmap.moves import FURTHEST_M, SHORT_M, Moves
from footfall.roadmap.table import Longs, MoveTable
from footfall.task.stages import Place
from footfall.world.scene import Scene

_HEADINGS = 12
"""So many headings are tried where any will do."""


@dataclass(frozen=True, eq=False)
class FootholdPath:
    """W moves over W + 1 footholds (W + 1, 4), from standing to standing, and what they cost.

    costs   (W,) what each costs
    edges   (W,) of the roadmap, -1 for those to its first and from its last foothold
    """

    footholds: Floats
    moves: Ints
    costs: Floats
    edges: Ints
    cost: float
    opened: int

    def __len__(self) -> int:
        return len(self.moves)

    def as_edges(self) -> Edges:
        """The path as edges between its own footholds."""
        count = len(self.moves)
        return Edges(np.arange(count), np.arange(1, count + 1), self.moves, np.zeros(count))


def standing_footholds(table: MoveTable, scene: Scene, at: Place) -> tuple[Floats, Bools]:
    """(N, 4) where the left foot of a standing body is, for the heading or for many; which hold."""
    left, right = standing_feet(table.moves)
    yaws = np.array([at.yaw]) if at.yaw is not None else _headings()
    places = []
    for spot in (left, right):
        c, s = np.cos(yaws), np.sin(yaws)
        x, z = at.x + c * spot[0] + s * spot[1], at.z + c * spot[1] - s * spot[0]
        places.append(np.column_stack([x, z, yaws + spot[2]]))
    feet, valid = stand(table, scene, places[0])
    _, other = stand(table, scene, places[1])
    feet[:, 3] = (feet[:, 3] + np.pi) % (2.0 * np.pi) - np.pi
    return feet, valid & other


def _headings() -> Floats:
    return np.linspace(-np.pi, np.pi, _HEADINGS, endpoint=False)


def standing_feet(moves: Moves) -> tuple[Floats, Floats]:
    """x, z and yaw of the left and the right foot of a standing body, seen from its middle."""
    found: list[list[Floats]] = [[], []]
    for m in np.flatnonzero(np.isin(moves.begins, moves.standing)).tolist():
        clip, frame = moves.clips[moves.clip[m]], int(moves.first[m])
        prints = moves.prints[moves.clip[m]]
        time = frame / clip.fps
        own = prints[moves.first_print[m]]
        others = [p for p in prints if p.foot == 1 and abs(p.t - time) <= p.delta + 1e-6]
        if not others:
            continue
        at = joint_positions(clip)[frame]
        hips = 0.5 * (at[clip.skeleton.role("left_hip")] + at[clip.skeleton.role("right_hip")])
        across = at[clip.skeleton.role("left_hip")] - at[clip.skeleton.role("right_hip")]
        yaw = float(np.arctan2(-across[2], across[0]))
        for side, one in enumerate((own, others[0])):
            d = one.p - hips
            c, s = np.cos(-yaw), np.sin(-yaw)
            turn = (one.yaw - yaw + np.pi) % (2.0 * np.pi) - np.pi
            found[side].append(np.array([c * d[0] + s * d[2], c * d[2] - s * d[0], turn]))
    left, right = (np.median(np.array(f), axis=0) for f in found)
    return left, right


def find_path(
    roadmap: Roadmap, scene: Scene, start: Place, goal: Place, flag: np.ndarray | None = None,
    closed: Bools | None = None,
) -> FootholdPath | str:  # fmt: skip
    """The cheapest path from start to goal, or why there is none."""
    from footfall.roadmap.search_kernels import cheapest_path

    table, moves, nodes = roadmap.table, roadmap.moves, roadmap.nodes
    ends = []
    for name, place in (("start", start), ("goal", goal)):
        feet, valid = standing_footholds(table, scene, place)
        if not valid.any():
            return f"nobody can stand at the {name} ({place.x:.2f}, {place.z:.2f})"
        ends.append(feet[valid])
    starts, goals = ends
    outs, ins, direct = _entries(roadmap, scene, starts, goals)
    postures = moves.postures
    guess = _guess(table, nodes, goals)
    cost, parent = np.full(roadmap.states, np.inf), np.full(roadmap.states, -1, np.int64)
    best, exit_, opened = cheapest_path(
        roadmap.out_start, roadmap.edges.head, roadmap.edges.cost, roadmap.edges.move, moves.ends,
        postures, np.zeros(len(roadmap.edges), np.bool_) if closed is None else closed,
        outs.head * postures + moves.ends[outs.move], outs.cost,
        ins.tail * postures + moves.begins[ins.move], ins.cost, guess,
        np.zeros(1, np.uint8) if flag is None else flag, cost, parent,
    )  # fmt: skip
    if len(direct) and direct.cost.min() <= best:
        n = int(np.argmin(direct.cost))
        feet = np.stack([starts[direct.tail[n]], goals[direct.head[n]]])
        return FootholdPath(
            feet, direct.move[n : n + 1], direct.cost[n : n + 1], np.array([-1]),
            float(direct.cost[n]), int(opened),
        )  # fmt: skip
    if exit_ < 0:
        return _reason(outs, ins)
    used: list[int] = []
    state = int(ins.tail[exit_] * postures + moves.begins[ins.move[exit_]])
    while parent[state] >= 0:
        used.append(int(parent[state]))
        e = used[-1]
        state = int(roadmap.edges.tail[e] * postures + moves.begins[roadmap.edges.move[e]])
    entry = int(-2 - parent[state])
    used.reverse()
    stops = [starts[outs.tail[entry]], nodes[outs.head[entry]]]
    stops += [nodes[roadmap.edges.head[e]] for e in used]
    stops.append(goals[ins.head[exit_]])
    played = [outs.move[entry], *(roadmap.edges.move[e] for e in used), ins.move[exit_]]
    costs = [outs.cost[entry], *(roadmap.edges.cost[e] for e in used), ins.cost[exit_]]
    return FootholdPath(
        np.stack(stops), np.array(played, np.int32), np.array(costs), np.array([-1, *used, -1]),
        float(best), int(opened),
    )  # fmt: skip


def _reason(outs: Edges, ins: Edges) -> str:
    if not len(outs):
        return "no move leads away from the start"
    if not len(ins):
        return "no move leads to the goal"
    return "the roadmap does not join the start to the goal"


def _entries(
    roadmap: Roadmap, scene: Scene, starts: Floats, goals: Floats
) -> tuple[Edges, Edges, Edges]:
    """Edges from the starts to the roadmap, from it to the goals, and from starts to goals."""
    table, nodes, sure = roadmap.table, roadmap.nodes, roadmap.sure
    reach = FURTHEST_M * (1.0 + table.settings.scale)

    def near(a: Floats, b: Floats) -> tuple[np.ndarray, np.ndarray]:
        away = np.hypot(a[:, None, 0] - b[None, :, 0], a[:, None, 2] - b[None, :, 2])
        tails, heads = np.nonzero(away <= reach)
        return tails, heads

    rest = table.moves.standing
    outs = connect(table, scene, starts, nodes, near(starts, nodes), True, rest, None, sure)
    ins = connect(table, scene, nodes, goals, near(nodes, goals), True, None, rest, sure)
    direct = connect(table, scene, starts, goals, near(starts, goals), True, rest, rest, sure)
    return outs, ins, direct


def _guess(table: MoveTable, nodes: Floats, goals: Floats) -> Floats:
    """(N,) the least that the path from each foothold to the goals can cost."""
    moves = table.moves
    furthest = moves.chord + np.where(moves.chord < SHORT_M, table.settings.scale * SHORT_M, 0.0)
    least = float((moves.dearness * table.own_cost / np.maximum(furthest, 1e-6)).min())
    away = np.hypot(nodes[:, None, 0] - goals[None, :, 0], nodes[:, None, 2] - goals[None, :, 2])
    return np.asarray(least * away.min(axis=1))


def path_prints(table: MoveTable, scene: Scene, path: FootholdPath) -> tuple[Floats, Longs]:
    """(P, 4) the footprints of all moves of a path, on the ground, and (W + 1,) whose they are."""
    edges = path.as_edges()
    prints, starts = edge_prints(table, path.footholds, path.footholds, edges)
    owner = np.repeat(np.arange(len(path)), np.diff(starts))
    base = path.footholds[owner, 1]
    placed, _ = stand(table, scene, prints[:, [0, 2, 3]], below=base + prints[:, 1] + 0.45)
    prints = np.array(prints)
    prints[:, 1] = placed[:, 1]
    prints[starts[:-1], 1] = path.footholds[:-1, 1]
    prints[starts[1:] - 1, 1] = path.footholds[1:, 1]
    return prints, starts
