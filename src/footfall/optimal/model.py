"""The two graphs that the search knows: the motion graph between contact changes, and its product.

Poses are kept in a *ground frame*: its origin is the point of the ground below the root, +Z is
where the body faces, and heights are above the ground that carries the body. A `move` (x, z, yaw)
leads from the frame at the start of an edge to the frame at its end; `rise` is how much higher
the ground is there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from footfall.body.size import BodySize, body_size
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Bools, Floats, Ints

_Made = TypeVar("_Made")
ANY_WEIGHT = -1.0
"""The weight of a node whose two poses are so alike that any weight may follow any other."""
TRUNK_DISCS, FOOT_DISCS, ARM_DISCS = 3, 3, 2
"""What an edge sweeps, in this order: trunk and feet that swing by thirds, both arms."""
SLOW = math.radians(80.0)
"""Joints that are slower than this, radians a second, hardly move."""


@dataclass(frozen=True, eq=False)
class PhaseGraph:
    """A motion graph whose S states are changes of contact, and whose E edges are contact phases.

    names             of the C clips that it is made of; see `made` for those that were not recorded
    state_before      (S,) what touches before a state (bits of `gait.signatures`)
    state_signature   (S,) what touches from it on, along every edge that leaves it
    state_root        (S, 3) the root in the state's ground frame: x and z are 0
    state_rotations   (S, J, 4)
    state_rest        (S,) whether a motion may begin and end there, standing or sitting
    edge_from, edge_to  (E,) states
    edge_cost         (E,) effort and smoothness, positive
    edge_transition   (E,) the part of it that is the cost of transitions
    edge_move         (E, 3), edge_rise (E,) from the frame of its start to that of its end
    edge_first        (E + 1,) where its frames begin below; the first shows the state that it
                      leaves, the last the one that it reaches
    frame_root        (F, 3) in the ground frame of the state that the edge leaves
    frame_rotations   (F, J, 4)
    frame_clip, frame_source  (F,) the clip and its frame that each frame is taken from
    clip_speeds       (C, J) the fastest that each joint turns in each clip, rad/s
    rest_cost         what a second costs whatever one does, which is part of what edges cost
    """

    skeleton: Skeleton
    fps: float
    names: tuple[str, ...]
    state_before: Ints
    state_signature: Ints
    state_root: Floats
    state_rotations: Floats
    state_rest: Bools
    edge_from: Ints
    edge_to: Ints
    edge_cost: Floats
    edge_transition: Floats
    edge_move: Floats
    edge_rise: Floats
    edge_first: Ints
    frame_root: Floats
    frame_rotations: Floats
    frame_clip: Ints
    frame_source: Ints
    clip_speeds: Floats
    rest_cost: float = 0.0


@dataclass(frozen=True, eq=False)
class InterpolatedGraph:
    """The product of a phase graph with itself: N nodes (I1, I2, w) and E edges, as flat arrays.

    node_a, node_b    (N,) states of the phase graph, a <= b; equal for a single path
    node_weight       (N,) the share of `a`: 1 for a single path, `ANY_WEIGHT` where it is free
    node_before, node_signature  (N,) what touches before and from it on
    node_rest         (N,) whether a motion may begin and end there
    node_feet         (N, 2, 4) left and right sole in the node's frame: x, height, z, yaw
    node_hands        (N, 2, 3) left and right hand: x, height, z
    node_seat         (N, 4) the middle of the hips: x, height, z, and the yaw of the pelvis
    edge_start        (N + 1,) the edges that leave node n are edge_start[n] to edge_start[n + 1]
    edge_to           (E,) nodes
    edge_cost         (E,) positive
    edge_length       (E,) metres in the plane that the root goes, never less than the chord
    edge_seconds      (E,)
    edge_move         (E, 3), edge_rise (E,)
    edge_a, edge_b    (E,) edges of the phase graph
    edge_weight       (E,) the share of `a`, the same all along the edge
    edge_discs        (E, D, 5) what the body sweeps, as upright cylinders in the frame of the
                      edge's start: x, z, radius, lowest and highest height; unused ones have
                      radius 0
    """

    phases: PhaseGraph
    node_a: Ints
    node_b: Ints
    node_weight: Floats
    node_before: Ints
    node_signature: Ints
    node_rest: Bools
    node_feet: Floats
    node_hands: Floats
    node_seat: Floats
    edge_start: Ints
    edge_to: Ints
    edge_cost: Floats
    edge_length: Floats
    edge_seconds: Floats
    edge_move: Floats
    edge_rise: Floats
    edge_a: Ints
    edge_b: Ints
    edge_weight: Floats
    edge_discs: Floats
    kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def keep(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what `make` returns, found out once for each key."""
        if key not in self.kept:
            self.kept[key] = make()
        made: _Made = self.kept[key]
        return made

    @property
    def size(self) -> BodySize:
        """The dimensions of the body."""
        return body_size(self.phases.skeleton)
