"""The motion graph as frozen arrays.

A *node* is a frame of a source clip that is about to be played. An *edge* plays some frames and
ends at a node: a *piece* plays the frames of one clip from its first node up to its last; a
*transition* plays `window` blended frames and passes from one place in the clips to another
(Kovar et al. 2002, §3). A transition that leaves at frame i and enters at frame j blends the
frames i … i+window-1 with j-window+1 … j and goes on at j+1, so it joins the nodes i and j+1.

Every source frame has coordinates of its own clip. While a walk goes through the graph it carries
a planar pose (x, z, yaw) that takes the coordinates of the clip being played to the world; a
piece leaves it as it is, a transition composes it with its `edge_alignment`:

    world_pose_after = compose(world_pose_before, edge_alignment[edge])
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, Ints, frozen_bools, frozen_floats, frozen_ints

PIECE, TRANSITION = 0, 1
"""The kinds of edges."""
MIRRORED = " mirrored"
"""What follows the name of a clip whose mirror image is meant."""


@dataclass(frozen=True, eq=False)
class MotionGraph:
    """C clips of F frames in all, N nodes, E edges, sorted by the node they leave.

    skeleton        the character of all clips
    fps             the frame rate of all clips
    names           the names of the clips
    clip_start      (C+1,) the first of each clip's frames among all; the last is F
    root            (F, 3) position of joint 0, metres, each clip in its own coordinates
    rotations       (F, J, 4) w x y z, against the parent
    contacts        (F, 4) which points of the feet are on the ground
    window          how many frames a transition blends
    metric          the name of the metric that chose the transitions
    threshold       the largest distance of a transition, in the metric's own unit
    node_frame      (N,) the frame that is about to be played, ascending
    edge_from       (E,) the node each edge leaves, ascending
    edge_to         (E,) the node where it ends
    edge_kind       (E,) PIECE or TRANSITION
    edge_first      (E,) piece: its first frame; transition: i, its first frame in the first clip
    edge_enter      (E,) piece: the frame after its last; transition: j+1, the frame it goes on at
    edge_alignment  (E, 3) planar pose that lays the second clip on the first; 0 for a piece
    edge_distance   (E,) the metric's distance of a transition; 0 for a piece
    minima          how many local minima the metric has over all pairs, up to the threshold if
                    one was stated
    """

    skeleton: Skeleton
    fps: float
    names: tuple[str, ...]
    clip_start: Ints
    root: Floats
    rotations: Floats
    contacts: Bools
    window: int
    metric: str
    threshold: float
    node_frame: Ints
    edge_from: Ints
    edge_to: Ints
    edge_kind: Ints
    edge_first: Ints
    edge_enter: Ints
    edge_alignment: Floats
    edge_distance: Floats
    minima: int = 0

    def __post_init__(self) -> None:
        frames, joints = len(self.root), len(self.skeleton)
        nodes, edges = len(self.node_frame), len(self.edge_from)
        put = object.__setattr__
        put(self, "clip_start", frozen_ints(self.clip_start, (len(self.names) + 1,), "clip_start"))
        put(self, "root", frozen_floats(self.root, (frames, 3), "root"))
        put(self, "rotations", frozen_floats(self.rotations, (frames, joints, 4), "rotations"))
        put(self, "contacts", frozen_bools(self.contacts, (frames, 4), "contacts"))
        put(self, "node_frame", frozen_ints(self.node_frame, (nodes,), "node_frame"))
        for name in ("edge_from", "edge_to", "edge_kind", "edge_first", "edge_enter"):
            put(self, name, frozen_ints(getattr(self, name), (edges,), name))
        put(self, "edge_alignment", frozen_floats(self.edge_alignment, (edges, 3), "alignment"))
        put(self, "edge_distance", frozen_floats(self.edge_distance, (edges,), "edge_distance"))
        self._check_places(frames, nodes)

    def _check_places(self, frames: int, nodes: int) -> None:
        start, place = self.clip_start, self.node_frame
        if start[0] != 0 or start[-1] != frames or np.any(np.diff(start) < 1):
            raise InputError("the clips of the graph do not have as many frames as it holds")
        if nodes and (place[0] < 0 or place[-1] >= frames or np.any(np.diff(place) < 1)):
            raise InputError("the nodes of the graph are not ascending frames of its clips")
        ends = (self.edge_from, self.edge_to)
        if any(len(e) and not (e.min() >= 0 and e.max() < nodes) for e in ends):
            raise InputError("an edge of the graph names a node that is not there")
        if np.any(np.diff(self.edge_from) < 0):
            raise InputError("the edges of the graph are not sorted by the node they leave")
        if np.any(place[self.edge_to] != self.edge_enter) or np.any(
            place[self.edge_from] != self.edge_first
        ):
            raise InputError("an edge of the graph does not fit its nodes")
        self._check_edges()

    def _check_edges(self) -> None:
        """Check that every frame of an edge exists, in one clip."""
        piece = self.edge_kind == PIECE
        if self.window < 1 or not np.all(piece | (self.edge_kind == TRANSITION)):
            raise InputError("an edge of the graph is neither a piece nor a transition")
        stop = self.clip_start[1:][self._clips(self.edge_first)]
        start = self.clip_start[self._clips(self.edge_enter)]
        runs = np.where(piece, self.edge_enter < stop, self.edge_first + self.window <= stop)
        comes = np.where(
            piece, self.edge_enter > self.edge_first, self.edge_enter - self.window >= start
        )
        if not (runs.all() and comes.all()):
            raise InputError("an edge of the graph plays frames beyond the end of a clip")

    def _clips(self, frames: Ints) -> NDArray[np.int64]:
        return np.searchsorted(self.clip_start, frames, side="right") - 1

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that the graph is."""
        digest = sha256(f"{self.skeleton.fingerprint} {self.fps} {self.window}".encode())
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                digest.update(f"{f.name} {value.shape}".encode())
                digest.update(np.ascontiguousarray(value).view(np.uint8).data)
        return digest.hexdigest()

    @property
    def nodes(self) -> int:
        return len(self.node_frame)

    @property
    def edges(self) -> int:
        return len(self.edge_from)

    @property
    def edge_frames(self) -> Ints:
        """(E,) how many frames each edge plays."""
        piece = self.edge_kind == PIECE
        return np.where(piece, self.edge_enter - self.edge_first, self.window).astype(np.int64)

    @property
    def frames(self) -> int:
        """How many frames all edges play together, as the paper counts them."""
        return int(self.edge_frames.sum())

    @property
    def out_start(self) -> Ints:
        """(N+1,) the edges that leave node n are out_start[n] up to out_start[n+1]."""
        return np.searchsorted(self.edge_from, np.arange(self.nodes + 1)).astype(np.int64)

    def clip_of(self, frame: int) -> int:
        """Return the number of the clip that a frame belongs to."""
        return int(np.searchsorted(self.clip_start, frame, side="right")) - 1
