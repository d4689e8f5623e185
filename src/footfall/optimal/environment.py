"""The constraints that the scene itself puts on a sketch: gaps to cross, bars to duck under.

Whoever crosses a gap that reaches across the whole corridor lands beyond it, by an edge that is
long enough; whoever passes a low bar is low somewhere near it. So these constraints are met by
every motion that does the task: they change no bound, but they let the estimates know of the jump
before it has to be found by trying everything else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from footfall.gait.signatures import FEET
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.polyline import Polyline
from footfall.maths.runs import runs
from footfall.optimal.goals import Constraint
from footfall.optimal.model import TRUNK_DISCS, InterpolatedGraph
from footfall.optimal.problem import World
from footfall.world.fields import inside_distance

_EVERY_M = 0.05
_USUAL = 0.15
"""What so large a share of all steps does needs no constraint: the search finds it by itself."""
_UPRIGHT = 95.0
"""Something overhead is low if it is lower than this share of all steps, percent."""
_TRUNK_M = 0.1
"""How far the trunk of the mean body moves within the part of an edge that tells where it is."""


def environment_constraints(
    graph: InterpolatedGraph, world: World, sketch: Floats, reach_m: float, first_m: float = 0.0
) -> list[Constraint]:
    """Return the constraints that a world puts on a sketch (P, 2), in order along it.

    reach_m  how far aside of the sketch the root may be at most, in rooms too
    first_m  how far along the whole sketch this part begins
    """
    points, along = _stations(sketch)
    line = _Line(points, _aside(world, points, reach_m))
    carries = find_ground_across(graph, world, points, reach_m)
    open_m = _open_height(world, points, reach_m)
    found = _gaps(graph, line, carries, world.size.least_gap_m) + _bars(graph, line, open_m)
    placed = sorted(found, key=lambda pair: pair[0])
    return [
        replace(made, along_m=first_m + float(along[min(at, len(along) - 1)]))
        for at, made in placed
    ]


def _stations(sketch: Floats) -> tuple[Floats, Floats]:
    """Points (N, 2) close together along a sketch, and how far along they are."""
    line = Polyline(sketch)
    at = np.arange(0.0, line.length_m + _EVERY_M, _EVERY_M)
    return line.at(np.minimum(at, line.length_m)), at


def _cells_across(world: World, points: Floats, reach_m: float) -> tuple[tuple[Ints, Ints], Floats]:
    """The cells (N, A) of a world on lines across a sketch, and how far aside (A,) they are."""
    ahead = np.gradient(points, axis=0) if len(points) > 1 else np.array([[0.0, 1.0]])
    ahead /= np.maximum(np.hypot(*ahead.T), 1e-9)[:, None]
    aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    offs = np.arange(-reach_m, reach_m + 0.01, _EVERY_M)
    at = points[:, None] + offs[:, None] * aside[:, None]
    return world.inner_cells(at), offs


def find_ground_across(
    graph: InterpolatedGraph, world: World, points: Floats, reach_m: float
) -> Bools:
    """(N,) whether a foot may stand somewhere on a line across points (N, 2) of a sketch.

    A foot is no farther from where the root may be than the widest stance has it. Rooms beside
    the sketch count as well as its corridor.
    """
    wide = _stance_width(graph)
    cells, _ = _cells_across(world, points, reach_m + wide)
    away = inside_distance(~world.corridor, world.cell_m)[cells]
    carries = (world.foothold_m[cells] > world.size.half_sole[1]) & (away <= wide + world.cell_m)
    return np.asarray(carries.any(axis=1))


def _stance_width(graph: InterpolatedGraph) -> float:
    """Return how far aside of the root a foot that stands is at most, metres."""
    stands = (graph.node_signature[:, None] >> np.arange(2) & 1) > 0
    return float(np.abs(graph.node_feet[:, :, 0])[stands].max(initial=0.0))


def _open_height(world: World, points: Floats, reach_m: float) -> Floats:
    """(N,) the greatest free height across the corridor at points (N, 2)."""
    cells, _ = _cells_across(world, points, reach_m)
    free = np.where(world.corridor[cells], np.minimum(world.ceiling[cells], 9.0), 0.0)
    return np.asarray(free.max(axis=1))


def _aside(world: World, points: Floats, reach_m: float) -> Floats:
    """(N,) how far aside of each point the root may be."""
    cells, offs = _cells_across(world, points, reach_m)
    return np.asarray(np.where(world.corridor[cells], np.abs(offs), 0.0).max(axis=1) + _EVERY_M)


def _gaps(
    graph: InterpolatedGraph, line: _Line, carries: Bools, least_m: float
) -> list[tuple[int, Constraint]]:
    """Where nothing carries a sole from one side of the corridor to the other."""
    out = []
    widest, feet = landing_gaps(graph)
    for first, stop in runs(~carries).tolist():
        gap = (stop - first) * _EVERY_M
        if gap < least_m or first == 0 or stop == len(carries):
            continue
        # It is looked at only every few centimetres.
        nodes = widest >= gap - _EVERY_M
        if not nodes.any() or nodes.sum() > _USUAL * np.isfinite(widest).sum():
            continue  # either the search will fail and say why, or a usual step does
        # The foot lands beyond, no farther than the widest gap; the root is not far from it.
        near = -2.0 * _EVERY_M - float(feet[nodes].max())
        far = float(widest.max()) - gap + 2.0 * _EVERY_M - float(feet[nodes].min())
        out.append((first, line.constraint(nodes, stop, near, max(far, near))))
    return out


def _bars(graph: InterpolatedGraph, line: _Line, open_m: Floats) -> list[tuple[int, Constraint]]:
    """Where something overhead is lower than people are.

    Who passes is low when the trunk comes below it, which is before the root does, and still low
    when all of the trunk is beyond.
    """
    out = []
    tops = graph.edge_discs[:, :TRUNK_DISCS, 4].max(axis=1, initial=0.0)
    upright_m = float(np.percentile(tops, _UPRIGHT)) if len(tops) else 0.0
    for first, stop in runs((open_m < upright_m) & (open_m > 0.0)).tolist():
        passing = passing_nodes(graph, float(open_m[first:stop].max()) + 0.05)
        if not passing.begin.any() or not passing.end.any():
            continue
        near, far = passing.begin_m
        out.append((first, line.constraint(passing.begin, first, near, far)))
        near, far = passing.end_m
        out.append((stop, line.constraint(passing.end, stop, near, far)))
    return out


@dataclass(frozen=True, eq=False)
class _Line:
    """A sketch by points (N, 2) close together, and how far (N,) the root may be aside of it."""

    points: Floats
    aside_m: Floats

    def constraint(self, nodes: Bools, at: int, near_m: float, far_m: float) -> Constraint:
        """The root in one of some nodes, from `near_m` to `far_m` beyond one of the points."""
        at = min(at, len(self.points) - 1)
        first, last = max(at - 2, 0), min(at + 2, len(self.points) - 1)
        ahead = self.points[last] - self.points[first]
        ahead = ahead / max(float(np.hypot(*ahead)), 1e-9)
        middle, half = 0.5 * (near_m + far_m), 0.5 * (far_m - near_m)
        x, z = self.points[at] + middle * ahead
        count = len(nodes)
        return Constraint(
            -1, nodes, np.zeros((count, 3)), np.array([x, math.nan, z]),
            math.hypot(half, self.aside_m[at]), np.zeros(count),
            slab=(float(ahead[0]), float(ahead[1]), -half, half),
        )  # fmt: skip


def landing_gaps(graph: InterpolatedGraph) -> tuple[Floats, Floats]:
    """(N,) how wide a gap is at most that is crossed by landing in a node, metres.

    From where the middle of a sole may be to where it may be, its toes not over the gap, whichever
    way it lies. -inf for nodes in which no foot lands. And (N,) how far the foot that lands
    farthest is ahead of the root. Found out once of each graph.
    """
    return graph.keep("landing gaps", lambda: _landing_gaps(graph))


def _landing_gaps(graph: InterpolatedGraph) -> tuple[Floats, Floats]:
    start = np.repeat(np.arange(len(graph.node_a)), np.diff(graph.edge_start))
    to = np.asarray(graph.edge_to)
    touching = graph.node_signature[start] & FEET
    touching = np.where(touching == 0, graph.node_before[start] & FEET, touching)
    lands = graph.node_signature[to] & ~graph.node_signature[start] & FEET
    yaw = graph.edge_move[:, 2]
    out, where = np.full(len(graph.node_a), -np.inf), np.array(graph.node_feet[:, 0, 2])
    for stands, falls in ((0, 0), (0, 1), (1, 0), (1, 1)):
        rows = np.flatnonzero((touching >> stands & 1) & (lands >> falls & 1))
        foot, here = graph.node_feet[to[rows], falls], graph.node_feet[start[rows], stands]
        c, s = np.cos(yaw[rows]), np.sin(yaw[rows])
        x = graph.edge_move[rows, 0] + foot[:, 0] * c + foot[:, 2] * s - here[:, 0]
        z = graph.edge_move[rows, 1] - foot[:, 0] * s + foot[:, 2] * c - here[:, 2]
        gap = np.full(len(out), -np.inf)
        turned = here[:, 3], yaw[rows] + foot[:, 3]
        np.maximum.at(gap, to[rows], _widest(x, z, *turned, graph.size.half_sole))
        where = np.where(gap > out, graph.node_feet[:, falls, 2], where)
        out = np.maximum(out, gap)
    return out, where


def _widest(
    x: Floats, z: Floats, one: Floats, other: Floats, half_sole: tuple[float, float]
) -> Floats:
    """(N,) the widest gap that steps (x, z) get over, between soles that point to two yaws."""
    out = np.full(len(x), -np.inf)
    length, long = half_sole
    far, way = np.hypot(x, z), np.arctan2(x, z)
    soles = [(np.cos(way - yaw), np.sin(way - yaw)) for yaw in (one, other)]
    for turn in np.radians(np.arange(-40.0, 41.0, 10.0)):
        c, s = math.cos(turn), math.sin(turn)
        crossed = far * c
        for ahead, aside in soles:
            crossed -= length * np.abs(ahead * c - aside * s) + long * np.abs(aside * c + ahead * s)
        np.maximum(out, crossed + 2.0 * long, out=out)
    return out


@dataclass(frozen=True, eq=False)
class Passing:
    """How the trunk passes something low.

    begin    (N,) nodes in which its front has come below, first of all
    end      (N,) nodes in which its back has come out
    begin_m, end_m  from where to where beyond what is passed the root is then
    """

    begin: Bools
    end: Bools
    begin_m: tuple[float, float]
    end_m: tuple[float, float]


def passing_nodes(graph: InterpolatedGraph, height_m: float) -> Passing:
    """The nodes in which the trunk comes below a height, and those in which it has passed it.

    An edge is shorter than the trunk is long: who passes something is below it all along an edge
    after the one that leads there, and before the one that leads out.
    """
    discs = np.asarray(graph.edge_discs[:, :TRUNK_DISCS], np.float64)
    low, front, back = discs[..., 4] <= height_m, discs[..., 1] + discs[..., 2], discs[..., 2]
    back = back - discs[..., 1]
    trunk_m = graph.size.in_proportion(_TRUNK_M)
    count, to = len(graph.node_a), np.asarray(graph.edge_to)
    tails = np.repeat(np.arange(count), np.diff(graph.edge_start))
    on_feet = graph.node_signature & ~FEET == 0  # who sits, or takes something, stays there
    low &= (on_feet[tails] & on_feet[to])[:, None]
    below, enters = low.all(axis=1), low[:, -1]
    begin, stays, inside, end = np.zeros((4, count), np.bool_)
    begin[to[enters]], stays[tails[below]], inside[to[below]] = True, True, True
    begin &= stays
    leaves = low[:, 0] & inside[tails]
    end[to[leaves]] = True
    enters &= begin[to]
    # As long as the trunk is high it is before what is low, and so is its front at first.
    moved = np.hypot(*graph.edge_move[:, :2].T)
    held = np.where(low, front[:, :1] - trunk_m, front).max(axis=1)
    reached = front[graph.edge_start[:-1].clip(max=len(front) - 1), 0]
    out = back[graph.edge_start[:-1].clip(max=len(back) - 1), 0]
    none = (0.0, 0.0)
    if not enters.any() or not leaves.any():
        return Passing(begin, end, none, none)
    return Passing(
        begin, end,
        (-float(reached[begin].max()) - trunk_m, float((moved - held)[enters].max()) + trunk_m),
        (float(out[end].min()) - trunk_m,
         float((moved + back[:, 0])[leaves].max()) + trunk_m),
    )  # fmt: skip
