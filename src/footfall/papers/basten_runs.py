"""The two experiments of van Basten & Egges: metrics on a zigzag, abstractions on recorded paths.

Runs differ in where the walk begins. The same share of the database is drawn for a run in every
graph and the nearest node taken, so that runs are comparable between techniques and thresholds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.body.clip import Clip
from footfall.files.scene.read import load_scene
from footfall.gait.path import path_abstraction
from footfall.graph.build import build_graph
from footfall.graph.facts import graph_facts
from footfall.graph.follow import Followed, follow_path
from footfall.graph.model import MotionGraph
from footfall.graph.motion import walk_clip
from footfall.maths.arrays import Floats
from footfall.measures.deviation import path_deviation
from footfall.measures.oscillation import oscillation
from footfall.measures.skating import skating
from footfall.papers import basten_paper as paper
from footfall.papers.basten_data import TIGHT_LEFT, Database
from footfall.papers.basten_results import AbstractionResults, MetricResults
from footfall.processes import thread_pool

METRIC_RUNS, ABSTRACTION_RUNS = 20, 40
_ABSTRACTION_METRIC = "joint_angles"
_ABSTRACTION_MEASURES = (
    "skating_cm", "amplitude_cm", "wavelength_cm", "amplitude_dev_cm", "wavelength_dev_cm",
)  # fmt: skip

Step = Callable[[int], None]
"""Receives how many walks were made since the last call."""


@dataclass(frozen=True, eq=False)
class MetricExperiment:
    results: MetricResults
    graphs: tuple[MotionGraph, ...]
    """Of size IV, one for each metric."""


@dataclass(frozen=True, eq=False)
class AbstractionExperiment:
    results: AbstractionResults
    examples: dict[str, tuple[Floats, Floats]]
    """Path (N, 2) and pelvis (T, 2) on the straight path in the largest graph, by abstraction."""


def walks_in_all(metric_runs: int, abstraction_runs: int) -> int:
    """Return how many walks both experiments make."""
    first = len(paper.METRICS) * len(paper.SIZES) * metric_runs
    return (
        first
        + len(paper.ABSTRACTIONS) * len(paper.THRESHOLDS) * len(paper.PATHS) * abstraction_runs
    )


def zigzag() -> Floats:
    """Return (N, 2) the 33 m test path with corners of 1 m radius."""
    return next(path.points for path in load_scene("zigzag").paths if path.name == "round")


def compare_metrics(data: Database, runs: int, seed: int, step: Step) -> MetricExperiment:
    """Return every metric at four sizes, `runs` walks each along the zigzag, the pelvis on it."""
    path, shares = zigzag(), _shares(runs, seed)
    measured = np.zeros((4, len(paper.METRICS), len(paper.SIZES), runs))
    counts = np.zeros((len(paper.METRICS), len(paper.SIZES), 3), np.int32)
    clips = np.zeros(counts.shape[:2], np.int32)
    largest = []
    for m, metric in enumerate(paper.METRICS):
        for s, edges in enumerate(paper.wished_edges()):
            graph = build_graph(data.metrics, metric=metric, edges=edges)
            counts[m, s] = graph.edges, graph.nodes, graph.frames
            clips[m, s] = graph_facts(graph).clips_used
            _follow(graph, path, "pelvis", 0.0)  # reads the graph's paths, which is not timed
            # One after another, so that the times of the searches are those of one core.
            for r, share in enumerate(shares):
                measured[:, m, s, r] = _on_zigzag(graph, path, float(share))
                step(1)
        largest.append(graph)
    facts = [graph_facts(graph) for graph in largest]
    deviation, rms, skate, times = measured
    results = MetricResults(
        counts=counts,
        clips=clips,
        minima=np.array([f.minima for f in facts], np.int32),
        deviation_cm2=deviation,
        deviation_rms_cm=rms,
        skating_cm=skate,
        time_s=times,
        cycle_edges=np.array([f.cycle_edges for f in facts]),
        into_tight_left=np.array([f.into_clip[TIGHT_LEFT] for f in facts]),
        self_blends=np.array([f.self_share for f in facts]),
    )
    return MetricExperiment(results, tuple(largest))


def compare_abstractions(data: Database, runs: int, seed: int, step: Step) -> AbstractionExperiment:
    """Return every abstraction on seven graphs and three recorded paths, `runs` walks each."""
    shares = _shares(runs, seed)
    paths = [path_abstraction(walk) for walk in data.tried]
    recorded = np.stack([_measures_of(walk) for walk in data.tried], axis=1)
    shape = (len(paper.ABSTRACTIONS), len(paper.THRESHOLDS), len(paper.PATHS), runs)
    measured = np.zeros((len(_ABSTRACTION_MEASURES), *shape))
    counts, thresholds = np.zeros((shape[1], 3), np.int32), np.zeros(shape[1])
    with thread_pool() as pool:
        for t, edges in enumerate(_reachable_edges(data.paths)):
            graph = build_graph(data.paths, metric=_ABSTRACTION_METRIC, edges=edges)
            counts[t] = graph.nodes, graph.edges, graph.frames
            thresholds[t] = graph.threshold
            jobs = [(k, p, r) for k in range(shape[0]) for p in range(shape[2])
                    for r in range(runs)]  # fmt: skip

            def one(job: tuple[int, int, int], graph: MotionGraph = graph) -> Any:
                k, p, r = job
                followed = _follow(graph, paths[p], paper.ABSTRACTIONS[k], float(shares[r]))
                return job, _measures_of(walk_clip(graph, followed.walk))

            for (k, p, r), values in pool.map(one, jobs):
                measured[:, k, t, p, r] = values
                step(1)
    results = AbstractionResults(counts, thresholds, recorded, *measured)
    examples = {name: _example(graph, paths[0], name) for name in ("pelvis", "gaussian")}
    return AbstractionExperiment(results, examples)


def _reachable_edges(clips: tuple[Clip, ...]) -> list[int]:
    """Return the edges of Table 6, or as large a part of all there can be where that is fewer."""
    most = build_graph(clips, metric=_ABSTRACTION_METRIC, percentile=100.0).edges
    printed = [edges for _, edges, _ in paper.THRESHOLD_COUNTS]
    return [min(edges, int(edges / printed[-1] * most)) for edges in printed]


def _on_zigzag(graph: MotionGraph, path: Floats, share: float) -> tuple[float, ...]:
    followed = _follow(graph, path, "pelvis", share)
    clip = walk_clip(graph, followed.walk)
    off = path_deviation(clip, path, "pelvis")
    took = followed.timings["first search"] + followed.timings["search"]
    return off.sum_cm2, off.rms_cm, skating(clip).skate_cm, took


def _follow(graph: MotionGraph, path: Floats, abstraction: str, share: float) -> Followed:
    frame = share * (len(graph.root) - 1)
    node = int(np.argmin(np.abs(graph.node_frame - frame)))
    return follow_path(graph, path, abstraction=abstraction, start_node=node)


def _measures_of(clip: Clip) -> Floats:
    """Return (5,) what _ABSTRACTION_MEASURES name."""
    sway = oscillation(clip)
    return np.array([
        skating(clip).skate_cm_per_frame, sway.amplitude_cm, sway.step_wavelength_cm,
        sway.amplitude_std_cm, sway.step_wavelength_std_cm,
    ])  # fmt: skip


def _example(graph: MotionGraph, path: Floats, abstraction: str) -> tuple[Floats, Floats]:
    clip = walk_clip(graph, _follow(graph, path, abstraction, 0.5).walk)
    return path, path_abstraction(clip, "pelvis")


def _shares(runs: int, seed: int) -> Floats:
    return np.random.default_rng(seed).random(runs)
