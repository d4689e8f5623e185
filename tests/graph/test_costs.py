"""What walks should be like beside near their path: pace, manner, long segments, no repetition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.graph.abstract import abstract_paths
from footfall.graph.build import build_graph
from footfall.graph.costs import (
    Wishes,
    manner_distances,
    slower_in_bends,
    usual_pace,
    walk_costs,
    wished_pace,
)
from footfall.graph.follow import Followed, follow_path
from footfall.graph.model import TRANSITION, MotionGraph
from footfall.graph.motion import walk_segments
from footfall.graph.options import GraphOptions
from footfall.library.library import open_library
from footfall.maths import quaternions as quat
from tests.clips import steady

FAR = np.array([[0.0, 0.0], [0.0, 45.0]])
BENT = np.array([[0.0, 0.0], [0.0, 7.0], [4.0, 12.0], [4.0, 20.0]])
USUAL = GraphOptions().wishes(None)


@pytest.fixture(scope="module")
def graph() -> MotionGraph:
    return build_graph(list(open_library("default:basten")), percentile=2.0)


def follow(graph: MotionGraph, path: np.ndarray, wishes: Wishes, seed: int = 0) -> Followed:
    return follow_path(graph, path, search="beam", wishes=wishes, seed=seed)


def speed_of(found: Followed, fps: float) -> float:
    """Metres a second of a walk, as the crow flies from second to second."""
    second = round(fps)
    return float(np.hypot(*(found.points[second:] - found.points[:-second]).T).mean())


def repeated_share(graph: MotionGraph, found: Followed, within_s: float) -> float:
    """Return the share of frames whose source frame was played before, not long ago."""
    sources = np.full(len(found), -1)
    for part in walk_segments(graph, found.walk):
        if part.why == "clip":
            first = graph.clip_start[graph.names.index(part.sources[0].clip)]
            count = part.stop - part.first
            sources[part.first : part.stop] = first + part.sources[0].frame + np.arange(count)
    again = np.zeros(len(found), np.bool_)
    for lag in range(1, round(within_s * graph.fps)):
        again[lag:] |= (sources[lag:] == sources[:-lag]) & (sources[lag:] >= 0)
    return float(again.mean())


def test_people_walk_at_their_usual_pace_and_slower_in_tight_bends() -> None:
    character = steady("walk", 1.3, seconds=1.0).skeleton
    assert 1.2 < usual_pace(character) < 1.35
    assert usual_pace(character.scaled(0.5)) == pytest.approx(usual_pace(character) / 2**0.5)
    shares = slower_in_bends(1.0 / np.array([100.0, 3.0, 1.0, 0.5]))
    assert shares[:2].tolist() == [1.0, 1.0]
    assert 1.0 > shares[2] > shares[3] > 0.5


def test_runs_are_run_at_their_own_pace() -> None:
    runs = [steady("run", v, seconds=3.0, fps=30.0).named(f"{v}") for v in (2.8, 3.0)]
    graph = build_graph(runs, percentile=5.0)
    assert wished_pace(graph, abstract_paths(graph), None) == pytest.approx(2.9, rel=0.06)
    assert wished_pace(graph, abstract_paths(graph), 3.4) == 3.4


def test_a_walk_goes_at_the_pace_that_is_wished_for() -> None:
    speeds = (0.9, 1.1, 1.3, 1.5)
    clips = [steady("walk", v, seconds=4.0, fps=30.0).named(f"walk {v}") for v in speeds]
    graph = build_graph(clips, percentile=10.0)
    for speed in speeds:
        found = follow(graph, FAR, replace(USUAL, speed=speed, again=0.0))
        assert found.complete
        assert speed_of(found, graph.fps) == pytest.approx(speed, rel=0.1)
        assert found.rms_m < 0.2


def test_little_is_played_again_within_ten_seconds(graph: MotionGraph) -> None:
    careless = follow(graph, FAR, replace(USUAL, again=0.0))
    assert repeated_share(graph, careless, 10.0) > 0.4
    for seed in range(3):
        careful = follow(graph, FAR, USUAL, seed)
        assert repeated_share(graph, careful, 10.0) < 0.2


def test_without_chance_nothing_is_played_again_within_ten_seconds(graph: MotionGraph) -> None:
    careful = follow(graph, FAR, replace(USUAL, variety=0.0))
    assert repeated_share(graph, careful, 10.0) < 0.05


def test_segments_that_are_left_soon_are_few(graph: MotionGraph) -> None:
    def short(wishes: Wishes) -> int:
        parts = walk_segments(graph, follow(graph, BENT, wishes).walk)
        return sum(part.stop - part.first < 10 for part in parts[1:-1] if part.why == "clip")

    assert short(USUAL) < short(replace(USUAL, short=0.0, transition=0.0, variety=0.0))


def test_seeds_walk_differently_and_all_along_the_path(graph: MotionGraph) -> None:
    walks = [follow(graph, BENT, USUAL, seed) for seed in (0, 0, 1, 2, 3, 4)]
    np.testing.assert_array_equal(walks[0].walk.edges, walks[1].walk.edges)
    ways = {tuple(walk.walk.edges.tolist()) for walk in walks}
    assert len(ways) > 1
    assert all(walk.complete and walk.rms_m < 0.25 for walk in walks)


def with_bent_arms(clip: Clip) -> Clip:
    rotations = np.array(clip.rotations)
    for role in ("left_shoulder", "right_shoulder", "left_elbow", "right_elbow"):
        joint = clip.skeleton.role(role)
        bent = quat.from_axis_angle([1.0, 0.0, 0.0], -1.2)
        rotations[:, joint] = quat.multiply(rotations[:, joint], bent)
    return replace(clip, rotations=rotations)


def test_passing_to_another_manner_costs_and_to_the_same_one_does_not() -> None:
    walk = steady("walk", 1.3, seconds=4.0, fps=30.0)
    other = with_bent_arms(steady("walk", 1.25, seconds=4.0, fps=30.0))
    clips = [walk.named("one"), steady("walk", 1.2, seconds=4.0, fps=30.0).named("alike"),
             other.named("other")]  # fmt: skip
    graph = build_graph(clips, percentile=40.0)
    apart = np.degrees(manner_distances(graph))
    assert apart[0, 1] < 4.0 < 15.0 < apart[0, 2]
    costs = walk_costs(graph, abstract_paths(graph), Wishes(style=1.0))
    clip = np.searchsorted(graph.clip_start, [graph.edge_first, graph.edge_enter], side="right") - 1
    passes = graph.edge_kind == TRANSITION
    changes = passes & ((clip[0] == 2) != (clip[1] == 2))
    assert changes.any()
    assert costs.edge[changes].min() > 0.9
    assert costs.edge[~changes].max() == 0.0
