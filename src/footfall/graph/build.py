"""Build a motion graph of clips (Kovar et al. 2002, §3; van Basten & Egges, §3 and §5).

All pairs of windows are compared by one of three metrics; local minima up to a threshold become
transitions; the largest part where every node leads to every other is kept, so that a walk
through it never ends.

Where we differ: the minima of a metric are transitions both ways; a minimum at the end of a clip
counts, though its neighbours beyond are not known; pairs of one clip less than a window apart are
no transitions and do not count in percentiles.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.graph.abstract import abstract_paths
from footfall.graph.clips import WalkingParts, cut_parts
from footfall.graph.ends import Ends, prepare_walk_ends
from footfall.graph.model import MIRRORED, PIECE, TRANSITION, MotionGraph
from footfall.graph.store import cached_graph, keep_graph
from footfall.library.library import Library, open_library
from footfall.library.store.arrays import address
from footfall.maths.arrays import Bools
from footfall.pose.frames import Frames, frames_of
from footfall.pose.metrics import METRICS, Metric, PointCloud, make_metric
from footfall.pose.minima import Minima, find_minima
from footfall.pose.transitions import (
    Network,
    Transitions,
    as_many_edges,
    both_ways,
    connected,
    with_like_contacts,
)
from footfall.task.method import Refusal
from footfall.task.routes import Routes, measure_room
from footfall.task.watch import Watch

if TYPE_CHECKING:
    from footfall.graph.options import GraphOptions
    from footfall.world.scene import Scene

PERCENTILES = (2.0, 5.0, 10.0)
"""How many percent of all pairs of frames are near enough for a transition, from strict to lax."""
DEFAULT_PERCENTILE = 2.0
"""Up to about here people see no difference between transitions (van Basten & Egges, §5.3.4)."""

VERSION = "2"
"""Changes whenever the same clips and settings give another graph: old caches are not used."""

Clips = Library | str | Path | Iterable[Clip]


@dataclass(frozen=True)
class GraphSettings:
    """How a graph is made; of threshold, percentile and edges at most one is given."""

    metric: str = "point_cloud"
    threshold: float | None = None
    percentile: float | None = None
    edges: int | None = None
    window_s: float = 1.0 / 3.0
    fps: float = 30.0
    contact_compatible: bool = False

    def __post_init__(self) -> None:
        from footfall.errors import choices

        if self.metric not in METRICS:
            raise InputError(
                f"there is no metric {self.metric!r}", remedy=choices(METRICS, self.metric)
            )
        given = [v for v in (self.threshold, self.percentile, self.edges) if v is not None]
        if len(given) > 1:
            raise InputError("a threshold, a percentile and a number of edges exclude each other")
        for name, value, most in (
            ("threshold", self.threshold, 1e9),
            ("percentile", self.percentile, 100.0),
            ("number of edges", self.edges, 1e9),
            ("window", self.window_s, 2.0),
            ("frame rate", self.fps, 240.0),
        ):
            if value is not None and not 0.0 < value <= most:
                raise InputError(
                    f"the {name} is {value}", remedy=f"it must be above 0 and at most {most:g}"
                )

    @property
    def window(self) -> int:
        """How many frames a window has."""
        return max(2, round(self.window_s * self.fps))


def build_graph(
    clips: Clips,
    *,
    metric: str = "point_cloud",
    threshold: float | None = None,
    percentile: float | None = None,
    edges: int | None = None,
    window_s: float = 1.0 / 3.0,
    fps: float = 30.0,
    contact_compatible: bool = False,
    tags: Iterable[str] = (),
    mirror: bool = False,
    settings: GraphSettings | None = None,
    progress: Callable[[float], None] | None = None,
) -> MotionGraph:
    """Return the motion graph of clips or of a library (its name or folder will do).

    metric              one of METRICS
    threshold           the largest distance of a transition, in the metric's unit
    percentile          … or how many percent of all pairs of frames are nearer than that
    edges               … or how many edges the graph has: the nearest number that there is, within
                        5 % unless two large parts join at one distance
    window_s            how long the windows are that are compared, and the blends, seconds
    fps                 frames per second of the graph; clips of other rates are resampled
    contact_compatible  only transitions where the same feet stand
    tags                only clips that have all of these
    mirror              the mirror image of every clip as well
    settings            all of these up to `contact_compatible` as one value, instead

    The graph of a library on disk is kept in the user's cache folder and made once.
    """
    settings = settings or GraphSettings(
        metric, threshold, percentile, edges, window_s, fps, contact_compatible
    )
    if isinstance(clips, str | Path):
        clips = open_library(clips)
    key = _address(clips, settings, tuple(tags), mirror)
    graph = cached_graph(key) if key else None
    if graph is None:
        graph = graph_of(_prepare_clips(clips, settings, tuple(tags), mirror), settings, progress)
        if key:
            keep_graph(key, graph)
    return graph


def graph_of(
    clips: list[Clip], settings: GraphSettings, progress: Callable[[float], None] | None = None
) -> MotionGraph:
    """Return the motion graph of clips with contacts, one skeleton and the settings' rate."""
    frames = frames_of(clips)
    window = settings.window
    if not frames.windows(window + 1).any():
        raise InputError(
            f"no clip is longer than the window of {window} frames",
            remedy="use longer clips or a shorter window",
        )
    contacts = np.concatenate([_contacts(clip) for clip in clips])
    metric = make_metric(settings.metric, frames, window)
    cut = math.inf if settings.threshold is None else settings.threshold
    minima = find_minima(metric, cut * (1.0 + 1e-4) + 1e-6, progress=progress)
    candidates = both_ways(minima, frames, window)
    if settings.contact_compatible:
        candidates = with_like_contacts(candidates, contacts, window)
    chosen, network, threshold = _choose_transitions(candidates, minima, metric, settings)
    if not network.edges:
        raise InputError(
            f"no transitions lead back to where they came from ({len(chosen)} of "
            f"{len(candidates)} were allowed)",
            remedy="raise the threshold or add clips that are more alike",
        )
    names = tuple(clip.name for clip in clips)
    graph = _assemble(frames, names, contacts, metric, settings, chosen, network, threshold)
    return replace(graph, minima=len(minima))


def _address(
    clips: Iterable[Clip], settings: GraphSettings, tags: tuple[str, ...], mirror: bool
) -> str:
    """Return the address of a library's graph in the cache; "" for clips in memory."""
    if not isinstance(clips, Library) or not all(entry.key for entry in clips.entries):
        return ""
    parts = [(e.key, e.name, e.mirrored, e.tags) for e in clips.entries]
    return address(
        VERSION, asdict(settings), tags, mirror, clips.character.fingerprint, clips.fps, parts
    )


def _prepare_clips(
    clips: Iterable[Clip], settings: GraphSettings, tags: tuple[str, ...], mirror: bool
) -> list[Clip]:
    """Return the clips at the graph's frame rate, with contacts, mirrored if that is asked for."""
    used = [clip for clip in clips if set(tags) <= set(clip.tags)]
    if not used:
        what = f"no clip has the tags {', '.join(tags)}" if tags else "there are no clips"
        raise InputError(what, remedy="give at least one clip")
    out = []
    for clip in used:
        out.append(_at_rate(clip, settings.fps))
        if mirror:
            from footfall.library.build.make import mirror_image

            out.append(mirror_image(out[-1]).named(clip.name + MIRRORED))
    return out


def _at_rate(clip: Clip, fps: float) -> Clip:
    if abs(clip.fps - fps) > 1e-9:
        from footfall.body.edit import resample

        clip = resample(clip, fps)
    return clip.with_contacts(_contacts(clip))


def _contacts(clip: Clip) -> Bools:
    """Return (T, 4) the clip's contacts, found if it has none; a body without feet has none."""
    if clip.contacts is not None:
        return clip.contacts
    if not clip.skeleton.roles:
        return np.zeros((len(clip), 4), dtype=np.bool_)
    from footfall.gait.contacts import find_contacts

    return find_contacts(clip).points


def _choose_transitions(
    candidates: Transitions, minima: Minima, metric: Metric, settings: GraphSettings
) -> tuple[Transitions, Network, float]:
    """Return the transitions up to the threshold, the graph they make, and the threshold."""
    start, window = metric.frames.clip_start, metric.window
    if not len(candidates):
        raise InputError(
            "no two places in the clips are alike enough for a transition",
            remedy="raise the threshold or add clips that are more alike",
        )
    if settings.edges is not None:
        count, network = as_many_edges(candidates, start, window, settings.edges)
        chosen = _measure_in_64_bits(candidates[:count], metric)
        return chosen, network, float(chosen.distance.max())
    threshold = settings.threshold
    if threshold is None:
        share = DEFAULT_PERCENTILE if settings.percentile is None else settings.percentile
        threshold = minima.percentile(share)
    if not minima.complete and threshold > float(minima.distance[-1]):
        raise InputError(
            f"more than {len(minima):,} transitions are nearer than {threshold:.3g}",
            remedy="lower the threshold or take fewer clips",
        )
    # What is near the threshold in 32 bits is decided in 64.
    near = candidates[candidates.distance <= threshold * (1.0 + 1e-4) + 1e-6]
    chosen = _measure_in_64_bits(near, metric)
    chosen = chosen[chosen.distance <= threshold]
    return chosen, connected(chosen, start, window), threshold


def _measure_in_64_bits(transitions: Transitions, metric: Metric) -> Transitions:
    """Return the same transitions with their distances in 64 bits."""
    low = np.minimum(transitions.first, transitions.second).astype(np.int64)
    high = np.maximum(transitions.first, transitions.second)
    # Both directions of a pair have one distance, to the last bit as well.
    pairs, which = np.unique(low * len(metric.frames) + high, return_inverse=True)
    distance = metric.between(*np.divmod(pairs, len(metric.frames)))[which]
    return Transitions(transitions.first, transitions.second, distance)


def _assemble(
    frames: Frames, names: tuple[str, ...], contacts: Bools, metric: Metric,
    settings: GraphSettings, chosen: Transitions, network: Network, threshold: float,
) -> MotionGraph:  # fmt: skip
    used = chosen[network.kept]
    cloud = metric if isinstance(metric, PointCloud) else PointCloud(frames, metric.window)
    poses, _ = cloud.aligned(used.first, used.second)
    nodes, pieces = network.nodes, network.pieces
    first = np.concatenate([nodes[pieces], used.first])
    enter = np.concatenate([nodes[pieces + 1], used.second + metric.window])
    kind = np.repeat([PIECE, TRANSITION], [len(pieces), len(used)])
    alignment = np.concatenate([np.zeros((len(pieces), 3)), poses])
    distance = np.concatenate([np.zeros(len(pieces)), used.distance])
    order = np.lexsort((enter, kind, first))
    first, enter = first[order], enter[order]
    return MotionGraph(
        skeleton=frames.skeleton,
        fps=frames.fps,
        names=names,
        clip_start=frames.clip_start,
        root=frames.root,
        rotations=frames.rotations,
        contacts=contacts,
        window=metric.window,
        metric=settings.metric,
        threshold=threshold,
        node_frame=nodes,
        edge_from=np.searchsorted(nodes, first).astype(np.int32),
        edge_to=np.searchsorted(nodes, enter).astype(np.int32),
        edge_kind=kind[order],
        edge_first=first,
        edge_enter=enter,
        edge_alignment=alignment[order],
        edge_distance=distance[order],
    )


# ---- the model of the method ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class GraphModel:
    """What the method prepares: graphs from strict to lax, clips for the ends, and routes.

    A graph is built when it is first needed, once, and depends on nothing but clips and options.
    """

    parts: WalkingParts
    options: GraphOptions
    ends: Ends
    routes: Routes | None
    _graphs: dict[int, MotionGraph | str] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def rungs(self) -> int:
        """How many graphs there are to try."""
        return 1 if self.options.stated else len(PERCENTILES)

    def graph(self, rung: int, watch: Watch) -> MotionGraph | str:
        """Return one of the graphs, or why it cannot be built."""
        with self._lock:
            if rung not in self._graphs:
                self._graphs[rung] = self._build(rung, watch)
            return self._graphs[rung]

    def note_rung(self, rung: int) -> list[str]:
        """Return a note if this graph has more transitions than usual."""
        if rung == 0 or self.options.stated:
            return []
        nearer = f"those nearer than {PERCENTILES[rung]:g} % of all pairs"
        return [f"the path asked for more transitions: {nearer}"]

    def _build(self, rung: int, watch: Watch) -> MotionGraph | str:
        library, options = self.parts.library, self.options
        settings = options.settings(library.fps, PERCENTILES[rung])
        try:
            graph = build_graph(
                library, settings=settings, mirror=options.mirror,
                progress=lambda share: watch.tell(share, note="building the motion graph"),
            )  # fmt: skip
        except InputError as error:
            return str(error)
        kept = all(entry.key for entry in library.entries)
        abstract_paths(graph, options.abstraction, keep=kept)
        return graph


def build_model(
    library: Library, scene: Scene | None, options: GraphOptions, watch: Watch
) -> GraphModel | Refusal:
    """Prepare clips, ends, routes and the first graph that the clips make."""
    parts = cut_parts(library)
    if isinstance(parts, Refusal):
        return parts
    routes = None if scene is None else Routes(scene, measure_room(tuple(parts.library)))
    window = options.settings(library.fps).window
    ends = prepare_walk_ends(
        parts.starts, parts.stops, library.fps, window, parts.origins, tuple(parts.library)
    )
    model = GraphModel(parts, options, ends, routes)
    made: MotionGraph | str = ""
    for rung in range(model.rungs):
        made = model.graph(rung, watch)
        if not isinstance(made, str):
            return model
    return Refusal(f"the clips make no motion graph: {made}")
