"""Paths of the interpolated graph as motions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from footfall import open_library
from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.gait.footprints import footprints_of
from footfall.maths import planar
from footfall.maths.arrays import Floats, Ints
from footfall.optimal.blend_kernels import TURNS
from footfall.optimal.interpolate import interpolated_seconds, segment_rows
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.motion import PathMotion, path_motion
from footfall.optimal.product import build_product
from footfall.task.finish import hold_feet

from .phase_samples import own_phases
from .test_interpolate import clip, made, matches

START = np.array([1.0, -2.0, 0.7])


@cache
def own_graph(names: tuple[str, ...]) -> InterpolatedGraph:
    return build_product(own_phases([clip(name) for name in names]))


@cache
def mixed_graph(names: tuple[str, str], weight: float) -> tuple[InterpolatedGraph, Ints]:
    """A graph whose edges, one behind the other, are the phases of two clips mixed."""
    phases, known = made(names)
    chain = [matches(phases, known)[0]]
    pairs = set(matches(phases, known))
    while (chain[-1][0] + 1, chain[-1][1] + 1) in pairs:
        chain.append((chain[-1][0] + 1, chain[-1][1] + 1))
    a, b = np.array(chain, np.int32).T
    seconds = interpolated_seconds(known.seconds[a], known.seconds[b], np.asarray(weight))
    graph = replace(
        own_graph(names), edge_a=a, edge_b=b, edge_weight=np.full(len(a), weight),
        edge_seconds=seconds, edge_rise=np.zeros(len(a)), phases=phases,
    )  # fmt: skip
    return graph, np.arange(len(a), dtype=np.int32)


MIXED = (
    ("park_walk_1.1", "park_walk_1.4"), ("jump_0.8", "jump_1.1"), ("sit_0.38", "sit_0.45"),
    ("pick_0.25_0.35", "pick_0.50_0.35"), ("turn_left_45", "turn_left_90"),
)  # fmt: skip


def mixed_motion(names: tuple[str, str], weight: float = 0.4) -> PathMotion:
    """The motion of mixed phases, with its feet held."""
    graph, edges = mixed_graph(names, weight)
    return held(path_motion(graph, edges, START))


def held(motion: PathMotion) -> PathMotion:
    return replace(motion, clip=hold_feet(motion.clip, None).clip)


def drift(motion: Clip) -> float:
    """How far, metres, ankle and toe joints of flat feet move while they touch."""
    places, worst = motion.positions, 0.0
    assert motion.contacts is not None
    for foot, side in enumerate(("left", "right")):
        flat = motion.contacts[:, 2 * foot : 2 * foot + 2].all(axis=1)
        ankle = places[:, motion.skeleton.role(f"{side}_ankle")]
        flat &= ankle[:, 1] < np.min(ankle[:, 1]) + 5e-4
        for first, stop in _runs(flat):
            worst = max(worst, float(np.ptp(ankle[first:stop], axis=0).max()))
    return worst


def _runs(mask: Floats) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


@pytest.mark.parametrize("name", ["park_walk_1.4", "jump_1.1", "pick_0.25_0.35"])
def test_the_path_of_a_clips_own_phases_is_the_clip(name: str) -> None:
    graph, source = own_graph((name,)), clip(name)
    order = np.argsort(graph.edge_a)
    motion = path_motion(graph, order.astype(np.int32), START)
    assert len(motion.clip) == len(source)
    begins = planar.pose_of(source.root[0], source.rotations[0, 0])
    place = planar.compose(START, planar.inverse(begins))
    wanted = planar.apply_to_points(place, source.positions)
    np.testing.assert_allclose(motion.clip.positions, wanted, atol=1e-6)
    (segment,) = motion.segments
    assert (segment.first, segment.stop, segment.why) == (0, len(source), "clip")
    assert [(s.clip, s.frame, s.weight) for s in segment.sources] == [(name, 0, 1.0)]


@pytest.mark.parametrize("names", MIXED)
def test_feet_that_stand_stay_where_they_are(names: tuple[str, str]) -> None:
    assert drift(mixed_motion(names).clip) < 1e-3


@pytest.mark.parametrize("names", MIXED)
def test_nothing_jumps_from_edge_to_edge(names: tuple[str, str]) -> None:
    motion = mixed_motion(names).clip
    places = motion.positions
    steps = np.linalg.norm(np.diff(places, axis=0), axis=2)
    sources = [
        np.linalg.norm(np.diff(clip(name).positions, axis=0), axis=2).max(axis=0) for name in names
    ]
    assert (steps.max(axis=0) <= 1.25 * np.maximum(*sources) + 1e-3).all()
    # A pop is a frame that goes much farther than both of its neighbours.
    pops = steps[1:-1] - np.maximum(steps[:-2], steps[2:])
    own = [np.linalg.norm(np.diff(clip(n).positions, axis=0), axis=2) for n in names]
    usual = max(float((s[1:-1] - np.maximum(s[:-2], s[2:])).max()) for s in own)
    assert pops.max() <= usual + 0.01


@pytest.mark.parametrize("names", MIXED)
def test_the_motion_takes_the_time_of_its_edges(names: tuple[str, str]) -> None:
    graph, edges = mixed_graph(names, 0.4)
    motion = mixed_motion(names)
    assert motion.clip.seconds == pytest.approx(graph.edge_seconds[edges].sum(), abs=0.51 / 30)
    assert motion.nodes[-1] == pytest.approx(len(motion.clip) - 1)
    assert motion.segments[0].first == 0
    assert motion.segments[-1].stop == len(motion.clip)
    for one, two in zip(motion.segments, motion.segments[1:], strict=False):
        assert one.stop == two.first
    for segment in motion.segments:
        assert sum(s.weight for s in segment.sources) == pytest.approx(1.0)
        assert {s.clip for s in segment.sources} == set(names)


def test_the_motion_begins_where_it_is_told_to() -> None:
    graph, edges = mixed_graph(MIXED[0], 0.4)
    motion = path_motion(graph, edges, START)
    pose = planar.pose_of(motion.clip.root[0], motion.clip.rotations[0, 0])
    np.testing.assert_allclose(pose, START, atol=1e-6)
    np.testing.assert_allclose(motion.poses[0], START)
    end = planar.pose_of(motion.clip.root[-1], motion.clip.rotations[-1, 0])
    np.testing.assert_allclose(end, motion.poses[-1], atol=1e-6)


@pytest.mark.parametrize("names", MIXED)
def test_contacts_are_those_of_the_phases(names: tuple[str, str]) -> None:
    graph, edges = mixed_graph(names, 0.4)
    motion = held(path_motion(graph, edges, START))
    contacts = motion.clip.contacts
    assert contacts is not None
    owner = np.searchsorted(motion.nodes[1:-1], np.arange(len(motion.clip)), side="right")
    signs = graph.phases.state_signature[graph.phases.edge_from[graph.edge_a[edges]]]
    for foot in range(2):
        on = contacts[:, 2 * foot : 2 * foot + 2].any(axis=1)
        np.testing.assert_array_equal(on, (signs[owner] >> foot & 1) > 0)
    assert len(footprints_of(motion.clip)) == sum(len(_runs(contacts[:, c : c + 2].any(axis=1)))
                                         for c in (0, 2))  # fmt: skip


def test_poses_that_were_snapped_are_met_and_feet_still_stand(rng: np.random.Generator) -> None:
    graph, edges = mixed_graph(MIXED[0], 0.4)
    exact = held(path_motion(graph, edges, START))
    snapped = exact.poses + rng.uniform(-1, 1, exact.poses.shape) * [0.01, 0.01, 0.03]
    motion = held(path_motion(graph, edges, START, snapped))
    for node, frame in enumerate(motion.nodes):
        if abs(frame - round(frame)) < 1e-6:
            k = round(frame)
            pose = planar.pose_of(motion.clip.root[k], motion.clip.rotations[k, 0])
            # It points there, and goes where its feet lead it, within a cell of the search.
            assert np.hypot(*(pose - snapped[node])[:2]) < 0.014
            assert abs(pose[2] - snapped[node, 2]) < 1e-3
    assert drift(motion.clip) < 1e-3
    places, before = motion.clip.positions, exact.clip.positions
    # It reaches no further than the offsets, and nothing jumps, least of all what is slow.
    assert np.linalg.norm(places - before, axis=2).max() < 0.12
    jumps = np.linalg.norm(np.diff(places - before, axis=0), axis=2)
    own = np.linalg.norm(np.diff(before, axis=0), axis=2)
    assert (jumps < 0.01 + 0.4 * own).all()


def test_a_path_without_edges_is_refused() -> None:
    graph, _ = mixed_graph(MIXED[0], 0.4)
    with pytest.raises(InputError, match="no edges"):
        path_motion(graph, np.zeros(0, np.int32), START)


@pytest.mark.parametrize("seed", range(4))
def test_a_path_of_the_default_graph_is_whole(seed: int) -> None:
    from .test_product import graph as default_graph
    from .test_product import is_exact

    graph = default_graph()
    rest = int(np.flatnonzero(graph.node_rest)[0])
    edges, node = [], rest
    chooser = np.random.default_rng(seed)
    for _ in range(12):
        edge = int(chooser.integers(graph.edge_start[node], graph.edge_start[node + 1]))
        edges.append(edge)
        node = int(graph.edge_to[edge])
    motion = held(path_motion(graph, np.array(edges, np.int32), np.zeros(3)))
    steps = np.linalg.norm(np.diff(motion.clip.positions, axis=0), axis=2)
    assert steps.max() < 0.25
    for pose, edge, reached in zip(motion.poses, edges, motion.poses[1:], strict=False):
        x, z, yaw = planar.relative(planar.compose(pose, graph.edge_move[edge]), reached)
        # Where the weight is free a pose is a few centimetres off, and nowhere else.
        exact = is_exact(graph, edge)
        assert np.hypot(x, z) < (1e-3 if exact else 0.05)
        assert abs(np.degrees(planar.wrap_angle(yaw))) < (0.1 if exact else 5.0)
    assert open_library("default:safonova").fps == motion.clip.fps
    assert segment_rows(graph.phases).rows.shape[1] == TURNS + 4 * len(motion.clip.skeleton)
