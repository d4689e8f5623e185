"""The abstract path of every frame that a graph's edges play, ready to be searched.

Each clip's path is abstracted once, whole, so that what lies before and after an edge is known
to the abstraction (see `gait.path`). The frames of a transition mix the two clips' abstract
paths with the weights that mix their roots. Where an edge begins, the frame before it is the same
whatever edge came before: the last frame of a transition is the second clip's alone.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from weakref import WeakKeyDictionary

import numpy as np

from footfall.adapt.edit.stitch import blend_weights
from footfall.body.clip import Clip
from footfall.errors import InputError, choices
from footfall.gait.path import METHODS, path_abstraction
from footfall.graph.model import TRANSITION, MotionGraph
from footfall.library.store.arrays import Arrays, ArrayStore, address
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints
from footfall.maths.rounding import ANGLE, POSITION_M, round_to_grid
from footfall.search.branch_and_bound import Tracks, tracks_of

LEAST_SPEED_M_S = 0.06
"""The least speed assumed of a standing body, so that no walk stands for ever (Kovar's gamma)."""
_TANGENT_S = 0.1
_STANDING_M_S = 0.15


@dataclass(frozen=True, eq=False)
class AbstractPaths:
    """The abstract paths of a graph's clips, and its edges as the search wants them.

    abstraction  which they are, one of `gait.path.METHODS`
    frames    (F, 2) x and z at each source frame, in its clip's own coordinates, metres
    headings  (F,) the way each clip goes there; the way it faces where it stands, radians
    steps     (F,) metres from the frame before to each, at least gamma
    tracks    the edges, for `search.branch_and_bound`
    """

    abstraction: str
    frames: Floats
    headings: Floats
    steps: Floats
    tracks: Tracks


_ready: WeakKeyDictionary[MotionGraph, dict[tuple[str, float], AbstractPaths]] = WeakKeyDictionary()
_KEPT = ArrayStore("abstract_path", most_kept=24)
VERSION = "2"
"""Changes whenever the same graph gives other paths: old caches are not used."""
_OF_PATHS = ("frames", "headings", "steps")
_OF_TRACKS = tuple(f.name for f in fields(Tracks))


def abstract_paths(
    graph: MotionGraph, abstraction: str = "gaussian",
    least_speed_m_s: float = LEAST_SPEED_M_S, *, keep: bool = False,
) -> AbstractPaths:  # fmt: skip
    """Return the abstract paths of a graph; worked out once for each graph and abstraction.

    keep  in the user's cache too, for the next time that the same graph is used
    """
    if abstraction not in METHODS:
        raise InputError(
            f"there is no path abstraction {abstraction!r}", remedy=choices(METHODS, abstraction)
        )
    if graph.edges == 0 or graph.nodes == 0:
        raise InputError("the graph has no edges", remedy="build it from clips that go together")
    ready = _ready.setdefault(graph, {})
    how = (abstraction, least_speed_m_s)
    if how not in ready:
        key = address(VERSION, graph.fingerprint, *how) if keep else ""
        found = _load(key, abstraction) if keep else None
        if found is None:
            found = _abstract(graph, abstraction, least_speed_m_s)
            if keep:
                _KEPT.keep(key, _arrays(found), {})
        ready[how] = found
    return ready[how]


def _arrays(paths: AbstractPaths) -> Arrays:
    of_paths = {name: getattr(paths, name) for name in _OF_PATHS}
    return of_paths | {name: getattr(paths.tracks, name) for name in _OF_TRACKS}


def _load(key: str, abstraction: str) -> AbstractPaths | None:
    found = _KEPT.load(key)
    if found is None or set(found[0]) != {*_OF_PATHS, *_OF_TRACKS}:
        return None
    arrays = found[0]
    tracks = Tracks(**{name: arrays[name] for name in _OF_TRACKS})
    return AbstractPaths(abstraction, tracks=tracks, **{name: arrays[name] for name in _OF_PATHS})


def _abstract(graph: MotionGraph, abstraction: str, least_speed_m_s: float) -> AbstractPaths:
    spans = list(zip(graph.clip_start[:-1].tolist(), graph.clip_start[1:].tolist(), strict=True))
    frames, headings = np.zeros((len(graph.root), 2)), np.zeros(len(graph.root))
    for first, stop in spans:
        if stop == first:
            continue
        clip = Clip(graph.skeleton, graph.fps, graph.root[first:stop], graph.rotations[first:stop])
        frames[first:stop] = round_to_grid(path_abstraction(clip, abstraction), POSITION_M)
        smooth = (
            frames[first:stop] if abstraction == "gaussian" else path_abstraction(clip, "gaussian")
        )
        headings[first:stop] = round_to_grid(_headings(smooth, clip), ANGLE)
    least = least_speed_m_s / graph.fps
    steps = _steps(frames, graph.clip_start[:-1], least)
    points, start = _edge_points(graph, frames)
    edge_steps = _edge_steps(graph, points, start, frames, least)
    tracks = tracks_of(
        graph.edge_from, graph.edge_to, start, points, edge_steps, graph.edge_alignment, graph.nodes
    )
    return AbstractPaths(abstraction, frames, headings, steps, tracks)


def _headings(path: Floats, clip: Clip) -> Floats:
    """Return (T,) the direction of a path (T, 2); that of the body where it hardly moves."""
    reach = max(1, round(_TANGENT_S * clip.fps))
    at = np.arange(len(path))
    before, after = np.maximum(at - reach, 0), np.minimum(at + reach, len(path) - 1)
    moved = path[after] - path[before]
    speed = np.hypot(*moved.T) * clip.fps / np.maximum(after - before, 1)
    facing = quat.yaw_of(clip.rotations[:, 0])
    return np.where(speed > _STANDING_M_S, np.arctan2(moved[:, 0], moved[:, 1]), facing)


def _steps(frames: Floats, clip_starts: Ints, least: float) -> Floats:
    steps = np.hypot(*np.diff(frames, axis=0, prepend=frames[:1]).T)
    steps[clip_starts[clip_starts < len(steps)]] = 0.0
    return np.asarray(np.maximum(steps, least))


def edge_frames_of(graph: MotionGraph, edge: Ints, inside: Ints) -> tuple[Ints, Ints, Floats]:
    """Return which source frames make up frames `inside` (T,) of edges (T,).

    The frame of the first clip (T,), that of the second (T,), and the weight (T,) of the first;
    in a piece both are the same frame.
    """
    blended = graph.edge_kind[edge] == TRANSITION
    first = graph.edge_first[edge] + inside
    second = np.where(blended, graph.edge_enter[edge] - graph.window + inside, first)
    alpha = blend_weights(graph.window) if graph.window > 0 else np.ones(1)
    weight = np.where(blended, alpha[np.minimum(inside, len(alpha) - 1)], 1.0)
    return first.astype(np.int32), second.astype(np.int32), weight


def _edge_points(graph: MotionGraph, frames: Floats) -> tuple[Floats, Ints]:
    """Return (P, 2) the abstract path of every edge in its coordinates, (E + 1,) offsets."""
    counts = graph.edge_frames
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    edge = np.repeat(np.arange(graph.edges, dtype=np.int32), counts)
    inside = np.arange(len(edge), dtype=np.int32) - start[edge]
    first, second, weight = edge_frames_of(graph, edge, inside)
    here = frames[first]
    there = planar.apply_to_ground(graph.edge_alignment[edge], frames[second])
    points = weight[:, None] * here + (1.0 - weight)[:, None] * there
    return round_to_grid(points, POSITION_M), start


def _edge_steps(
    graph: MotionGraph, points: Floats, start: Ints, frames: Floats, least: float
) -> Floats:
    """Return (P,) metres from the frame before to each frame of every edge, at least `least`."""
    before = np.concatenate([points[:1], points[:-1]])
    opens = graph.edge_first
    has_before = ~np.isin(opens, graph.clip_start[:-1])
    earlier = frames[np.maximum(opens - 1, 0)]
    before[start[:-1]] = np.where(has_before[:, None], earlier, points[start[:-1]])
    return np.asarray(np.maximum(np.hypot(*(points - before).T), least))
