"""The stages of a query as constraints that the search can meet, one after the other.

Each constraint asks that a point that moves with the body is near a place in one of some nodes:
a hand that touches at what is to be picked, the hips over a seat, a sole on a foothold, the root
at a goal. What no node can meet is found here, before anything is searched, with the nearest that
the clips could do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from footfall.body.capsules import seat_to_hips
from footfall.gait.signatures import FEET, HANDS, LEFT_HAND, RIGHT_HAND, SEAT
from footfall.maths.arrays import Bools, Floats
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import Goals, World
from footfall.task import (
    GOAL_NOT_VALID,
    Duck,
    Follow,
    GoTo,
    Pick,
    PutDown,
    Query,
    Sit,
    Stage,
    StandOn,
    StandUp,
    Via,
)
from footfall.task.method import Refusal
from footfall.task.stages import WITHIN_M

SEAT_HIGH_M = 0.03
"""How much higher or lower than a seat a clip may sit."""
_AWAY_M, _BACK_M = 1.2, 3.0
"""How far from a seat somebody who stood up may be, and where a motion may end that ends nowhere
in particular."""
_STAND_M = 0.2
"""How near to where one was told to stand for a pick the root has to be."""
_NEAR_GROUND_M = 1.0
_EXACT_M = 0.15
_BEND, _EVERY_M = 1.15, 2.0


EVERYWHERE = (0.0, 0.0, -1.0, 1.0)
"""The slab of a constraint that has none."""


@dataclass(frozen=True, eq=False)
class Constraint:
    """One row of `Goals`, and the stage that it belongs to.

    stage  its number in the query; -1 for the end of a window
    along_m  how far along the sketch it is met
    """

    stage: int
    nodes: Bools
    point: Floats
    place: Floats
    within_m: float
    facing: Floats
    yaw: float = math.nan
    within_rad: float = math.pi
    by_s: float = math.inf
    slab: tuple[float, float, float, float] = EVERYWHERE
    along_m: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether it asks for a place, not for passing near it."""
        return self.within_m <= _EXACT_M

    def relaxed(self, by_m: float) -> Constraint:
        """The same with so many metres more tolerance, if it is a tight one."""
        return replace(self, within_m=self.within_m + by_m) if self.is_exact else self


def make_goals(constraints: list[Constraint]) -> Goals:
    """Constraints in the form that the search takes."""
    return Goals(
        np.stack([c.nodes for c in constraints]),
        np.stack([c.point for c in constraints]).astype(np.float32),
        np.stack([c.place for c in constraints]).astype(np.float64),
        np.array([c.within_m for c in constraints]),
        np.stack([c.facing for c in constraints]).astype(np.float32),
        np.array([c.yaw for c in constraints]),
        np.array([c.within_rad for c in constraints]),
        np.array([c.by_s for c in constraints]),
        np.array([c.slab for c in constraints]),
    )


def make_constraints(
    graph: InterpolatedGraph, world: World, query: Query, number: int, along_m: float
) -> list[Constraint] | Refusal:
    """The constraints of a stage of a query, or why the clips cannot meet them.

    world    around where the stage is done
    along_m  how far along the sketch that is
    """
    return _Maker(graph, world, query).constraints(number, along_m)


class _Maker:
    """Makes the constraints of one query."""

    def __init__(self, graph: InterpolatedGraph, world: World, query: Query) -> None:
        self.graph, self.world, self.query = graph, world, query
        self.count = len(graph.node_a)
        self.upright: Bools = (graph.node_signature & (SEAT | HANDS)) == 0
        self.origin = np.zeros((self.count, 3))
        self.ahead = np.zeros(self.count)

    def constraints(self, number: int, along_m: float) -> list[Constraint] | Refusal:
        """The constraints of one of the stages."""
        stage = self.query.stages[number]
        last = number == len(self.query.stages) - 1
        made = _MAKERS[type(stage)](self, stage, last)
        if isinstance(made, Refusal):
            return Refusal(f"stage {number + 1}, {stage.kind!r}: {made.reason}", made.status)
        if number and all(
            isinstance(s, Pick | PutDown) for s in self.query.stages[number - 1 :][:2]
        ):
            x, _, z = made[0].place  # hands let go in between
            made = [self.at_place(x, z, _BACK_M, self.upright), *made]
        by_s = math.inf if stage.by_s is None else stage.by_s
        return [replace(c, stage=number, by_s=by_s, along_m=along_m) for c in made]

    def resting(self, last: bool) -> Bools:
        """The nodes on feet in which a motion may be then: at rest if it is the last stage."""
        return self.upright & self.graph.node_rest if last else self.upright

    def at_place(
        self, x: float, z: float, within_m: float, nodes: Bools, yaw: float | None = None,
        within_rad: float = math.pi,
    ) -> Constraint:  # fmt: skip
        """The root at a place."""
        return Constraint(
            -1, nodes, self.origin, np.array([x, math.nan, z]), within_m, self.ahead,
            math.nan if yaw is None else yaw, within_rad,
        )  # fmt: skip

    # ---- places -------------------------------------------------------------------------

    def go_to(self, stage: GoTo, last: bool) -> list[Constraint] | Refusal:
        where = self.why_not_there(stage.x, stage.z)
        if where:
            return Refusal(where, GOAL_NOT_VALID)
        nodes = self.resting(last)
        return [self.at_place(stage.x, stage.z, stage.within_m, nodes, stage.yaw, stage.within_rad)]

    def via(self, stage: Via, last: bool) -> list[Constraint] | Refusal:
        return [self.at_place(stage.x, stage.z, stage.within_m, self.resting(last), stage.yaw,
                              math.radians(15.0))]  # fmt: skip

    def follow(self, stage: Follow, last: bool) -> list[Constraint] | Refusal:
        """The points where a path bends back, so that nothing is cut short, and its end."""
        out, since = [], 0.0
        anchor = stage.path[0]
        for before, here in pairwise(stage.path):
            since += float(np.hypot(*(here - before)))
            if since > _EVERY_M and since > _BEND * float(np.hypot(*(here - anchor))):
                out.append(self.at_place(here[0], here[1], stage.corridor_m, self.upright))
                anchor, since = here, 0.0
        x, z = stage.path[-1].tolist()
        where = self.why_not_there(x, z) if last else ""
        if where:
            return Refusal(where, GOAL_NOT_VALID)
        return [*out, self.at_place(x, z, WITHIN_M if last else stage.corridor_m,
                                    self.resting(last))]  # fmt: skip

    def stand_on(self, stage: StandOn, last: bool) -> list[Constraint] | Refusal:
        graph = self.graph
        if not self.carries_foot(stage.x, stage.z, stage.within_m):
            where = f"({stage.x:.2f}, {stage.z:.2f})"
            return Refusal(f"there is no ground for a foot at {where}", GOAL_NOT_VALID)
        lands = graph.node_signature & ~graph.node_before & FEET
        touches = np.where(lands > 0, lands, graph.node_signature & FEET)
        if last:
            touches = graph.node_signature & FEET
        side = np.where(touches & 1, 0, 1)
        if stage.foot != "either":
            side = np.full(self.count, 0 if stage.foot == "left" else 1)
        rows = np.arange(self.count)
        nodes = self.resting(last) & (touches >> side & 1 == 1)
        feet = graph.node_feet[rows, side]
        here = np.array([stage.x, math.nan, stage.z])
        yaw = math.nan if stage.yaw is None else stage.yaw
        return [Constraint(-1, nodes, feet[:, :3], here, stage.within_m, feet[:, 3], yaw,
                           math.radians(10.0))]  # fmt: skip

    # ---- hands --------------------------------------------------------------------------

    def pick(self, stage: Pick | PutDown, last: bool) -> list[Constraint] | Refusal:
        graph = self.graph
        wanted = {"left": LEFT_HAND, "right": RIGHT_HAND}.get(stage.hand, HANDS)
        touches = graph.node_signature & wanted
        nodes: Bools = touches > 0
        if not nodes.any():
            hand = "a hand" if stage.hand == "either" else f"the {stage.hand} hand"
            return Refusal(f"no clip takes something with {hand}")
        point = graph.node_hands[np.arange(self.count), np.where(touches & LEFT_HAND, 0, 1)]
        place = np.array([stage.x, stage.y, stage.z])
        low, high = self.ground_near(stage.x, stage.z)
        height = point[:, 1]
        fits = nodes & (height >= stage.y - high - stage.within_m)
        fits &= height <= stage.y - low + stage.within_m
        if not fits.any():
            return self.out_of_reach(stage, height[nodes])
        rest = [self._back_to_rest(stage.x, stage.z)] if last else []
        if stage.stand is None:
            return [Constraint(-1, fits, point, place, stage.within_m, self.ahead), *rest]
        to_item = place[[0, 2]] - stage.stand.point
        away = float(np.hypot(*to_item))
        reach = np.hypot(point[:, 0], point[:, 2])
        near = fits & (np.abs(reach - away) <= _STAND_M)
        if not near.any():
            return Refusal(
                f"where to stand is {away:.2f} m from it, and clips that reach this height reach "
                f"{reach[fits].min():.2f} to {reach[fits].max():.2f} m"
            )
        return [Constraint(-1, near, point, place, stage.within_m,
                           np.arctan2(point[:, 0], point[:, 2]), math.atan2(*to_item),
                           _STAND_M / max(away, _STAND_M)), *rest]  # fmt: skip

    def out_of_reach(self, stage: Pick | PutDown, heights: Floats) -> Refusal:
        """The refusal of a height that no hand gets to, with the nearest that one does."""
        low, high = self.ground_near(stage.x, stage.z)
        wanted = stage.y - 0.5 * (low + high)
        nearest = float(heights[np.abs(heights - wanted).argmin()])
        return Refusal(
            f"it is {wanted:.2f} m above the ground, and no clip has a hand there; the nearest at "
            f"hand is {nearest:.2f} m (from {heights.min():.2f} to {heights.max():.2f} m)"
        )

    def _back_to_rest(self, x: float, z: float) -> Constraint:
        """At rest on the feet, somewhere near."""
        return self.at_place(x, z, _BACK_M, self.resting(True))

    # ---- seats --------------------------------------------------------------------------

    def sit(self, stage: Sit, last: bool) -> list[Constraint] | Refusal:
        graph = self.graph
        seated: Bools = (graph.node_signature & SEAT) > 0
        seated &= graph.node_rest if last else (graph.node_before & SEAT) == 0
        if not seated.any():
            return Refusal("no clip sits down")
        above = seat_to_hips(graph.phases.skeleton)
        low, high = self.ground_near(stage.x, stage.z)
        base = 0.5 * (low + high)
        heights = graph.node_seat[:, 1] - above
        fits = seated & (np.abs(heights - stage.height_m) <= min(stage.within_m, SEAT_HIGH_M))
        if not fits.any():
            have = heights[seated]
            nearest = float(have[np.abs(have - stage.height_m).argmin()])
            return Refusal(
                f"the seat is {stage.height_m:.2f} m high, and no clip sits so; the nearest is "
                f"{nearest:.2f} m (from {have.min():.2f} to {have.max():.2f} m)"
            )
        place = np.array([stage.x, base + stage.height_m + above, stage.z])
        yaw = math.nan if stage.yaw is None else stage.yaw
        return [Constraint(-1, fits, graph.node_seat[:, :3], place, stage.within_m,
                           graph.node_seat[:, 3], yaw, math.radians(15.0))]  # fmt: skip

    def stand_up(self, stage: StandUp, last: bool) -> list[Constraint] | Refusal:
        nodes = self.resting(last)
        seated = (self.graph.node_signature & SEAT) > 0
        if not nodes.any() or not seated.any():
            return Refusal("no clip stands up")
        seats = [s.place for s in self.query.stages if isinstance(s, Sit)]
        assert seats or self.query.start is not None  # `check_order` saw to it
        at = seats[-1] if seats else self.query.start
        return [self.at_place(at.x, at.z, _AWAY_M, nodes)]  # type: ignore[union-attr]

    # ---- low passages -------------------------------------------------------------------

    def duck(self, stage: Duck, last: bool) -> list[Constraint] | Refusal:
        tops = node_tops(self.graph)
        nodes = self.upright & (tops <= stage.height_m)
        if not nodes.any():
            return Refusal(
                f"no clip ducks below {stage.height_m:.2f} m; the lowest is "
                f"{tops[self.upright].min():.2f} m"
            )
        after = [self._back_to_rest(stage.x, stage.z)] if last else []
        return [self.at_place(stage.x, stage.z, stage.within_m, nodes, stage.yaw,
                              math.radians(30.0)), *after]  # fmt: skip

    # ---- the ground ---------------------------------------------------------------------

    def why_not_there(self, x: float, z: float) -> str:
        """Why the root cannot be at a place; "" if it can."""
        world = self.world
        i, k = world.cells(np.array([x, z])).tolist()
        inside = 0 <= i < world.corridor.shape[0] and 0 <= k < world.corridor.shape[1]
        if not inside or not world.corridor[i, k]:
            return f"something is in the way at ({x:.2f}, {z:.2f})"
        reach = round(0.3 / world.cell_m)
        near = world.foothold[max(i - reach, 0) : i + reach, max(k - reach, 0) : k + reach]
        return "" if near.any() else f"there is no ground to stand on at ({x:.2f}, {z:.2f})"

    def carries_foot(self, x: float, z: float, within_m: float) -> bool:
        """Whether ground carries the middle of a sole within so many metres of a place."""
        world = self.world
        at = world.cells(np.array([x, z]))
        reach = math.ceil(within_m / world.cell_m)
        low = np.clip(at - reach, 0, np.array(world.foothold.shape) - 1)
        high = at + reach + 1
        return bool(world.foothold[low[0] : high[0], low[1] : high[1]].any())

    def ground_near(self, x: float, z: float) -> tuple[float, float]:
        """The lowest and the highest ground that one may stand on near a place."""
        world = self.world
        i, k = world.cells(np.array([x, z])).tolist()
        reach = round(_NEAR_GROUND_M / world.cell_m)
        near = (
            slice(max(i - reach, 0), max(i + reach, 0)), slice(max(k - reach, 0), max(k + reach, 0))
        )  # fmt: skip
        height = world.height[near][world.foothold[near]]
        height = height[np.isfinite(height)]
        return (float(height.min()), float(height.max())) if len(height) else (0.0, 0.0)


_MAKERS: dict[type[Stage], Callable[..., list[Constraint] | Refusal]] = {
    GoTo: _Maker.go_to, Via: _Maker.via, Follow: _Maker.follow, StandOn: _Maker.stand_on,
    Pick: _Maker.pick, PutDown: _Maker.pick, Sit: _Maker.sit, StandUp: _Maker.stand_up,
    Duck: _Maker.duck,
}  # fmt: skip


def node_tops(graph: InterpolatedGraph) -> Floats:
    """(N,) how high the body is in each node at most, along the lowest edge that leaves it."""
    high = np.where(graph.edge_discs[:, :, 2] > 0.0, graph.edge_discs[:, :, 4], -np.inf)
    top = high.max(axis=1, initial=-np.inf)
    out = np.full(len(graph.node_a), np.inf)
    start = graph.edge_start
    leaves = np.flatnonzero(start[1:] > start[:-1])
    if len(leaves):
        out[leaves] = np.minimum.reduceat(top, start[leaves])
    return out
