"""What the search keeps away from after drafts failed: places and edges.

A motion that touches something is searched again with more room where it did, and nowhere else.
One that fails otherwise is searched again without the edges at which it did.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.optimal.draft import MadeOf
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.problem import World
from footfall.task.problem import Rejection

ROUNDS = 5
"""How often drafts may fail before the search gives up."""
_MORE_M, _AROUND_M = 0.015, 0.6
"""How much more room than it lacked the body has after a failure, and how far around the place."""
_OF_SCENE = ("collision", "footing")
"""Checks of `verify` whose failures more room can cure."""


@dataclass(eq=False)
class Avoided:
    """Places (N, 3: x, z, metres) where drafts need more room, and pairs of phases that failed."""

    places: list[Floats] = field(default_factory=list)
    pairs: set[tuple[int, int]] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.places or self.pairs)

    def add(self, graph: InterpolatedGraph, rejection: Rejection) -> None:
        """Keep away from where a draft failed."""
        made: MadeOf = rejection.draft.made_of
        tight = []
        for finding in rejection.report.failures:
            if finding.check in _OF_SCENE:
                lacks = finding.value - finding.limit if finding.check == "collision" else 0.0
                tight.append([*finding.place, lacks + _MORE_M])
                continue
            frame = finding.seconds * rejection.draft.clip.fps
            at = int(np.searchsorted(made.frames[1:-1], frame, side="right"))
            edge = int(made.path.edges[at])
            self.pairs.add((int(graph.edge_a[edge]), int(graph.edge_b[edge])))
        if tight:
            self.places.append(np.array(tight))

    def narrow(self, world: World) -> World:
        """Return a world with less room at the places that failed."""
        if not self.places:
            return world
        less = np.zeros(world.corridor.shape, np.float32)
        at = world.places(np.moveaxis(np.indices(less.shape, np.float64), 0, -1))
        for places in self.places:
            more = np.zeros(less.shape, np.float32)
            for x, z, by_m in places.tolist():
                near = np.hypot(at[..., 0] - x, at[..., 1] - z) < _AROUND_M
                more = np.maximum(more, np.where(near, np.float32(by_m), 0.0))
            less += more
        return replace(
            world, clearance=np.maximum(world.clearance - less, 0.0),
            layers=np.maximum(world.layers - less, 0.0), foothold_m=world.foothold_m - 0.5 * less,
        )  # fmt: skip

    def edges(self, graph: InterpolatedGraph) -> Ints:
        """Return the edges, of any weight, that show a pair of phases which failed."""
        bad = np.zeros(len(graph.edge_to), np.bool_)
        for a, b in self.pairs:
            bad |= (graph.edge_a == a) & (graph.edge_b == b)
        return np.flatnonzero(bad).astype(np.int32)
