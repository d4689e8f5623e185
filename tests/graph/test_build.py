"""Motion graphs: what they are made of, that they never end, and that they can be kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.adapt.edit.stitch import blend_weights
from footfall.body.clip import Clip
from footfall.body.edit import move, resample
from footfall.body.kinematics import forward_kinematics
from footfall.errors import FileFormatError, InputError
from footfall.graph.build import GraphSettings, build_graph
from footfall.graph.facts import graph_facts, shortest_cycles
from footfall.graph.model import PIECE, TRANSITION, MotionGraph
from footfall.graph.store import load_graph, save_graph
from footfall.library.library import library_of, open_library
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.pose.frames import frames_of
from footfall.pose.metrics import METRICS, make_metric
from tests.clips import steady
from tests.sweeps import THOROUGH


@pytest.fixture(scope="module")
def walks() -> list[Clip]:
    """Five curvatures, 832 frames in all."""
    return list(open_library("default:basten"))


@pytest.fixture(scope="module")
def graphs(walks: list[Clip]) -> dict[str, MotionGraph]:
    return {metric: build_graph(walks, metric=metric) for metric in METRICS}


def clips_of(graph: MotionGraph, frames: np.ndarray) -> np.ndarray:
    return np.searchsorted(graph.clip_start, frames, side="right") - 1


def reached(graph: MotionGraph, start: int, backward: bool = False) -> set[int]:
    tails, heads = graph.edge_from.tolist(), graph.edge_to.tolist()
    if backward:
        tails, heads = heads, tails
    onward: dict[int, list[int]] = {}
    for tail, head in zip(tails, heads, strict=True):
        onward.setdefault(tail, []).append(head)
    seen, todo = {start}, [start]
    while todo:
        for node in onward.get(todo.pop(), []):
            if node not in seen:
                seen.add(node)
                todo.append(node)
    return seen


@pytest.mark.parametrize("metric", METRICS)
def test_every_node_leads_to_every_other_and_can_go_on_for_ever(
    metric: str, graphs: dict[str, MotionGraph]
) -> None:
    graph = graphs[metric]
    assert graph.nodes > 50
    assert np.diff(graph.out_start).min() >= 1
    assert len(reached(graph, 0)) == len(reached(graph, 0, backward=True)) == graph.nodes


@pytest.mark.parametrize("metric", METRICS)
def test_pieces_join_consecutive_nodes_and_transitions_play_whole_windows(
    metric: str, graphs: dict[str, MotionGraph]
) -> None:
    graph = graphs[metric]
    piece = graph.edge_kind == PIECE
    assert np.all(graph.edge_to[piece] == graph.edge_from[piece] + 1)
    first, enter = graph.edge_first, graph.edge_enter
    assert np.array_equal(clips_of(graph, first[piece]), clips_of(graph, enter[piece]))
    last, entered = first[~piece] + graph.window - 1, enter[~piece] - graph.window
    assert np.array_equal(clips_of(graph, first[~piece]), clips_of(graph, last))
    assert np.array_equal(clips_of(graph, entered), clips_of(graph, enter[~piece]))
    assert graph.edges == int(piece.sum()) + int((~piece).sum())
    assert graph.frames == int((enter - first)[piece].sum()) + 10 * int((~piece).sum())
    # Every node is a choice or an arrival: where nothing happens there is none.
    busy = set(graph.edge_from[~piece].tolist()) | set(graph.edge_to[~piece].tolist())
    assert busy == set(range(graph.nodes))


@pytest.mark.parametrize("metric", METRICS)
def test_transitions_are_below_the_threshold_and_not_the_motion_itself(
    metric: str, graphs: dict[str, MotionGraph], walks: list[Clip]
) -> None:
    graph = graphs[metric]
    crossing = graph.edge_kind == TRANSITION
    first, second = graph.edge_first[crossing], graph.edge_enter[crossing] - graph.window
    exact = make_metric(metric, frames_of(walks), graph.window).between(first, second)
    assert graph.edge_distance[crossing] == pytest.approx(exact)
    assert exact.max() <= graph.threshold
    inside = clips_of(graph, first) == clips_of(graph, second)
    assert inside.any()
    assert np.abs(first - second)[inside].min() >= graph.window


def blended(graph: MotionGraph, edge: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(3, window, J, 3): joints of the first clip, of the second laid on it, of the blend."""
    steps = np.arange(graph.window)
    a, b = graph.edge_first[edge] + steps, graph.edge_enter[edge] - graph.window + steps
    pose = graph.edge_alignment[edge]
    root = planar.apply_to_points(pose, graph.root[b])
    turned = np.array(graph.rotations[b])
    turned[:, 0] = planar.apply_to_rotations(pose, turned[:, 0])
    weight = blend_weights(graph.window)
    mixed_root = weight[:, None] * graph.root[a] + (1.0 - weight)[:, None] * root
    mixed = quat.slerp(graph.rotations[a], turned, (1.0 - weight)[:, None])
    triple = ((graph.root[a], graph.rotations[a]), (root, turned), (mixed_root, mixed))
    here, there, blend = (forward_kinematics(graph.skeleton, *p).positions for p in triple)
    return here, there, blend


@pytest.mark.parametrize("metric", METRICS)
def test_transitions_are_continuous_to_first_order(
    metric: str, graphs: dict[str, MotionGraph]
) -> None:
    """What a blend adds to pose and step at its ends is the gap between the clips over k²."""
    graph = graphs[metric]
    for edge in np.flatnonzero(graph.edge_kind == TRANSITION)[:: 7 if THOROUGH else 23].tolist():
        here, there, blend = blended(graph, edge)
        gap = np.linalg.norm(here - there, axis=2).max()
        # 3/k² is how far the weights are from 1 and 0 one frame inside; slerp turns limbs, so
        # joints may go round a corner: a tenth more.
        allowed = 1.1 * gap * 3.0 / graph.window**2
        assert np.linalg.norm(blend[0] - here[0], axis=1).max() <= allowed
        assert np.linalg.norm(blend[-1] - there[-1], axis=1).max() <= 1e-9
        assert np.linalg.norm(blend[-2] - there[-2], axis=1).max() <= allowed
        # no pop inside either: steps stay near those of the clips
        steps = np.diff(blend, axis=0)
        own = np.maximum(*(np.linalg.norm(np.diff(x, axis=0), axis=2) for x in (here, there)))
        extra = np.linalg.norm(steps, axis=2) - own
        assert extra.max() <= 1.1 * gap * 1.5 / graph.window + 1e-9


def test_alignments_lay_the_second_window_on_the_first(graphs: dict[str, MotionGraph]) -> None:
    graph = graphs["point_cloud"]
    for edge in np.flatnonzero(graph.edge_kind == TRANSITION)[:: 11 if THOROUGH else 23].tolist():
        here, there, _ = blended(graph, edge)
        assert np.linalg.norm(here.mean(axis=(0, 1)) - there.mean(axis=(0, 1))) < 0.02
        assert ((here - there) ** 2).sum(axis=2).mean() < 3.0 * graph.threshold
    assert np.all(graph.edge_alignment[graph.edge_kind == PIECE] == 0.0)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("edges", [300, 1264])
def test_graphs_have_as_many_edges_as_asked_for(metric: str, edges: int, walks: list[Clip]) -> None:
    graph = build_graph(walks, metric=metric, edges=edges)
    off = abs(graph.edges - edges)
    if off > 0.05 * edges:
        # Parts of a graph join at once: then no threshold gives a number that is nearer.
        for share in np.linspace(0.8, 1.25, 46):
            other = build_graph(walks, metric=metric, threshold=share * graph.threshold)
            assert abs(other.edges - edges) >= off


def test_graphs_grow_with_the_threshold(walks: list[Clip]) -> None:
    sizes = [build_graph(walks, percentile=share).edges for share in (0.5, 1.0, 2.0, 8.0)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    by_share = build_graph(walks, percentile=1.0)
    by_value = build_graph(walks, threshold=by_share.threshold)
    assert np.array_equal(by_share.edge_first, by_value.edge_first)


def test_contact_compatible_transitions_keep_the_feet_alike(walks: list[Clip]) -> None:
    free = build_graph(walks, percentile=32.0)
    held = build_graph(walks, percentile=32.0, contact_compatible=True)
    unlike = []
    for graph in (free, held):
        feet = graph.contacts
        crossing = graph.edge_kind == TRANSITION
        steps = np.arange(graph.window)
        first = graph.edge_first[crossing][:, None] + steps
        second = (graph.edge_enter[crossing] - graph.window)[:, None] + steps
        unlike.append((feet[first] != feet[second]).sum(axis=1).max())
    assert held.edges < free.edges
    assert unlike[1] <= 2 < unlike[0]


def test_clips_of_another_rate_are_resampled_and_the_window_keeps_its_seconds() -> None:
    walk = steady("walk", 1.2, seconds=4.0, fps=60.0)
    slow, fast = build_graph([walk], percentile=10.0), build_graph([walk], percentile=10.0, fps=60)
    assert (slow.fps, slow.window, len(slow.root)) == (30.0, 10, len(resample(walk, 30.0)))
    assert (fast.fps, fast.window, len(fast.root)) == (60.0, 20, len(walk))


def test_mirror_images_join_a_graph(walks: list[Clip]) -> None:
    graph = build_graph(walks[:2], mirror=True)
    assert graph.names[1] == f"{walks[0].name} mirrored"
    assert graph.clip_start[-1] == 2 * (len(walks[0]) + len(walks[1]))


def test_clips_without_contacts_get_them(walks: list[Clip]) -> None:
    graph = build_graph([replace(walks[0], contacts=None)], percentile=10.0)
    stands = graph.contacts.any(axis=1).mean()
    assert 0.9 < stands <= 1.0


def test_a_library_and_its_tags_will_do(walks: list[Clip]) -> None:
    graph = build_graph(library_of(walks), tags=["curve_left"], percentile=8.0)
    assert graph.names == ("basten_left", "basten_tight_left")
    with pytest.raises(InputError, match="no clip has the tags flying"):
        build_graph(library_of(walks), tags=["flying"])


def test_where_a_clip_lies_does_not_change_the_graph(walks: list[Clip]) -> None:
    moved = [move(clip, 5.0 * n, -3.0, 0.7 * n) for n, clip in enumerate(walks)]
    for metric in METRICS:
        here, there = build_graph(walks, metric=metric), build_graph(moved, metric=metric)
        assert there.edges == pytest.approx(here.edges, rel=0.03)
        assert there.threshold == pytest.approx(here.threshold, rel=1e-3)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"metric": "cloud"}, "did you mean point_cloud"),
        ({"threshold": -1.0}, "above 0"),
        ({"threshold": float("nan")}, "above 0"),
        ({"percentile": 101.0}, "at most 100"),
        ({"edges": 0}, "above 0"),
        ({"window_s": 60.0}, "at most 2"),
        ({"fps": 0.0}, "above 0"),
        ({"threshold": 1.0, "edges": 5}, "exclude each other"),
    ],
)
def test_wrong_settings_are_one_sentence(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        GraphSettings(**wrong)  # type: ignore[arg-type]


def test_clips_that_make_no_graph_say_why(walks: list[Clip]) -> None:
    with pytest.raises(InputError, match="there are no clips"):
        build_graph([])
    with pytest.raises(InputError, match="longer than the window"):
        build_graph([walks[0][:10]])
    with pytest.raises(InputError, match=r"alike enough|lead back"):
        build_graph([walks[0][:25]], threshold=1e-6)
    with pytest.raises(InputError, match="raise the threshold"):
        build_graph(walks, threshold=1e-7)
    with pytest.raises(InputError, match="at most"):
        build_graph(walks, edges=100_000)


def test_one_clip_that_repeats_itself_is_a_graph() -> None:
    walk = steady("walk", 1.2, seconds=6.0, fps=30.0)
    graph = build_graph([walk, walk.named("again")])
    assert len(reached(graph, 0)) == graph.nodes
    one = build_graph([walk])
    assert set(clips_of(one, one.node_frame).tolist()) == {0}


def test_figures_of_a_graph_are_counted(graphs: dict[str, MotionGraph]) -> None:
    graph = graphs["joint_angles"]
    facts = graph_facts(graph)
    crossing = graph.edge_kind == TRANSITION
    leaves = clips_of(graph, graph.edge_first[crossing])
    enters = clips_of(graph, graph.edge_enter[crossing])
    assert facts.transitions + facts.pieces == facts.edges
    assert facts.between[1, 3] == int(((leaves == 1) & (enters == 3)).sum())
    assert facts.self_share == pytest.approx((leaves == enters).mean())
    assert facts.into_clip.sum() == pytest.approx(1.0)
    assert facts.out_degree == pytest.approx(graph.edges / graph.nodes)
    assert json.loads(json.dumps(facts.as_dict()))["nodes"] == graph.nodes
    cycles = shortest_cycles(graph)
    for node in (0, 17, graph.nodes - 1):
        # breadth first, ring by ring, until the node comes round
        ring, steps = {node}, 0
        while steps == 0 or node not in ring:
            onward = np.isin(graph.edge_from, list(ring))
            ring, steps = set(graph.edge_to[onward].tolist()), steps + 1
        assert cycles[node] == steps


def test_a_saved_graph_comes_back_to_the_last_bit(
    graphs: dict[str, MotionGraph], tmp_path: Path
) -> None:
    graph = graphs["principal_components"]
    again = load_graph(save_graph(graph, tmp_path / "deep" / "walks.graph"))
    assert again.skeleton == graph.skeleton
    for name, value in vars(graph).items():
        if isinstance(value, np.ndarray):
            assert np.array_equal(getattr(again, name), value), name
        elif name != "skeleton":
            assert getattr(again, name) == value, name


def test_a_damaged_graph_is_refused_in_one_sentence(
    graphs: dict[str, MotionGraph], tmp_path: Path, rng: np.random.Generator
) -> None:
    good = save_graph(graphs["point_cloud"], tmp_path / "good.graph").read_bytes()
    bad = tmp_path / "bad.graph"
    damaged = [b"", b"nonsense", good[:1000], good[:-1]]
    for at in rng.integers(0, len(good), 40).tolist():
        damaged.append(good[:at] + bytes([good[at] ^ 0x5A]) + good[at + 1 :])
    for content in damaged:
        bad.write_bytes(content)
        with pytest.raises(FileFormatError):
            load_graph(bad)
    with pytest.raises(InputError, match="no such file"):
        load_graph(tmp_path / "none.graph")


def test_edges_that_leave_a_clip_are_refused(graphs: dict[str, MotionGraph]) -> None:
    graph = graphs["point_cloud"]
    with pytest.raises(InputError, match="beyond the end of a clip"):
        replace(graph, window=100)
    with pytest.raises(InputError, match="neither a piece nor a transition"):
        replace(graph, edge_kind=np.full(graph.edges, 7))
    with pytest.raises(InputError, match="not sorted"):
        replace(graph, edge_from=graph.edge_from[::-1])


def test_the_graph_of_a_library_on_disk_is_made_once_and_again_when_damaged(
    walks: list[Clip], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from footfall import save

    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    save(walks[0], tmp_path / "clips" / "walk.bvh")
    first = build_graph(tmp_path / "clips", percentile=20.0)
    (kept,) = (tmp_path / "cache" / "graphs").iterdir()
    stamp = kept.stat().st_ino
    again = build_graph(tmp_path / "clips", percentile=20.0)
    assert np.array_equal(again.edge_alignment, first.edge_alignment)
    assert kept.stat().st_ino == stamp
    kept.write_bytes(kept.read_bytes()[:-100])
    rebuilt = build_graph(tmp_path / "clips", percentile=20.0)
    assert np.array_equal(rebuilt.edge_alignment, first.edge_alignment)
    assert load_graph(kept).edges == first.edges
    build_graph(tmp_path / "clips", percentile=25.0)
    assert len(list((tmp_path / "cache" / "graphs").iterdir())) == 2
