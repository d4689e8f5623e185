"""The interpolated graph: what its nodes and edges promise to the search."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from footfall import open_library
from footfall.body.kinematics import forward_kinematics
from footfall.library.library import Library
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Ints
from footfall.optimal.blend_kernels import PALM, WRIST
from footfall.optimal.interpolate import interpolate_edges, interpolated_seconds, segment_rows
from footfall.optimal.model import ANY_WEIGHT, InterpolatedGraph
from footfall.optimal.product import ProductSettings, build_product
from footfall.optimal.store import make_graph

NAMES = (
    "park_walk_1.1", "park_walk_1.4", "park_walk_1.1_left_0.35", "start_left_1", "stop_left_1",
    "start_right_1", "stop_right_1", "start_left_1.4", "stop_left_1.4", "stand_1", "jump_0.8",
    "jump_1.1", "pick_0.25_0.35", "pick_0.50_0.35", "pick_0.50_0.50", "sit_0.38", "sit_0.45",
    "stand_up_0.38", "stand_up_0.45", "step_onto_0.15_left", "step_onto_0.30_left",
)  # fmt: skip


@cache
def library() -> Library:
    return open_library("default:safonova").only(NAMES)


@cache
def graph() -> InterpolatedGraph:
    from footfall.optimal.build import build_phase_graph

    return build_product(build_phase_graph(library()))


def tails(made: InterpolatedGraph) -> Ints:
    return np.repeat(np.arange(len(made.node_a)), np.diff(made.edge_start))


def some_mixed(made: InterpolatedGraph, count: int = 60) -> list[int]:
    mixed = np.flatnonzero(made.edge_a != made.edge_b)
    assert len(mixed) > 100
    return np.random.default_rng(3).choice(mixed, count).tolist()


def is_exact(made: InterpolatedGraph, edge: int) -> bool:
    """Whether an edge begins and ends in the very poses that its nodes show."""
    tail, head = int(tails(made)[edge]), int(made.edge_to[edge])
    begins = {int(made.phases.edge_from[e]) for e in (made.edge_a[edge], made.edge_b[edge])}
    own = begins == {int(made.node_a[tail]), int(made.node_b[tail])}
    return own and ANY_WEIGHT not in made.node_weight[[tail, head]]


def test_nodes_and_edges_are_in_canonical_form() -> None:
    made = graph()
    single = made.node_a == made.node_b
    assert (made.node_a <= made.node_b).all()
    assert (made.node_weight[single] == 1.0).all()
    free = made.node_weight == ANY_WEIGHT
    assert ((made.node_weight[~single & ~free] > 0) & (made.node_weight[~single & ~free] < 1)).all()
    ways = np.stack([made.node_a, made.node_b, np.rint(1000 * made.node_weight)], axis=1)
    assert len(np.unique(ways, axis=0)) == len(ways)
    assert len(np.unique(made.node_weight[~single & ~free])) == ProductSettings().weights


def test_contacts_of_both_paths_are_the_same_in_nodes_and_along_edges() -> None:
    made, phases = graph(), graph().phases
    for side in (made.node_a, made.node_b):
        assert (phases.state_before[side] == made.node_before).all()
        assert (phases.state_signature[side] == made.node_signature).all()
    for edges in (made.edge_a, made.edge_b):
        signature = phases.state_signature[phases.edge_from[edges]]
        assert (signature == made.node_signature[tails(made)]).all()


def test_edges_join_the_nodes_that_their_two_edges_join() -> None:
    made, phases = graph(), graph().phases
    free = {(int(a), int(b)) for a, b, w in zip(made.node_a, made.node_b, made.node_weight,
                                                strict=True) if w == ANY_WEIGHT}  # fmt: skip
    for states, nodes in ((phases.edge_from, tails(made)), (phases.edge_to, made.edge_to)):
        both = np.sort(np.stack([states[made.edge_a], states[made.edge_b]], axis=1), axis=1)
        own = np.stack([made.node_a[nodes], made.node_b[nodes]], axis=1)
        other = np.flatnonzero((both != own).any(axis=1))
        if states is phases.edge_to:
            assert not len(other)
        for e in other.tolist():
            # Where the weight is free paths part from either state, and go on as either.
            pair = own[e] if own[e, 0] != own[e, 1] else both[e]
            assert tuple(pair.tolist()) in free
            assert set(both[e].tolist()) & set(own[e].tolist())
        # The share of the node's first state is that of the edge which leads there.
        share = np.where(states[made.edge_a] == made.node_a[nodes], made.edge_weight,
                         1.0 - made.edge_weight)  # fmt: skip
        fixed = (made.node_a[nodes] != made.node_b[nodes]) & (made.node_weight[nodes] >= 0.0)
        np.testing.assert_allclose(share[fixed], made.node_weight[nodes][fixed], atol=1e-9)


def test_moves_and_times_are_those_of_the_interpolated_motion() -> None:
    made = graph()
    known = segment_rows(made.phases)
    ends = np.array([0.0, 1.0])
    for e in some_mixed(made):
        a, b, w = int(made.edge_a[e]), int(made.edge_b[e]), float(made.edge_weight[e])
        root, rotations = interpolate_edges(known, a, b, w, ends)
        off = planar.pose_of(root[1], rotations[1, 0]) - made.edge_move[e]
        limit = 1e-5 if is_exact(made, e) else 0.10
        assert np.abs([off[0], off[1], planar.wrap_angle(off[2])]).max() < limit
        seconds = interpolated_seconds(known.seconds[a], known.seconds[b], np.asarray(w))
        assert made.edge_seconds[e] == pytest.approx(seconds, rel=1e-9)


def test_nodes_tell_where_feet_hands_and_seat_are() -> None:
    made = graph()
    known, skeleton = segment_rows(made.phases), made.phases.skeleton
    joint, offset = known.body.limbs[:, WRIST], known.body.points[:, PALM]
    for e in some_mixed(made, 20):
        node = int(tails(made)[e])
        if not is_exact(made, e):
            continue
        poses = forward_kinematics(skeleton, *interpolate_edges(
            known, int(made.edge_a[e]), int(made.edge_b[e]), float(made.edge_weight[e]),
            np.zeros(1)))  # fmt: skip
        hips = [poses.positions[0, skeleton.role(f"{side}_hip")] for side in ("left", "right")]
        np.testing.assert_allclose(made.node_seat[node, :3], np.mean(hips, axis=0), atol=1e-6)
        for n, side in enumerate(("left", "right")):
            wrist, turn = poses.positions[0, joint[n]], poses.rotations[0, joint[n]]
            hand = wrist + quat.rotate(turn, offset[n])
            np.testing.assert_allclose(made.node_hands[node, n], hand, atol=1e-6)
            # The sole is under the foot: between ankle and toe, as low as the ground.
            ankle = poses.positions[0, skeleton.role(f"{side}_ankle")]
            toe = poses.positions[0, skeleton.role(f"{side}_toe")]
            middle = 0.5 * (ankle + toe)
            if made.node_signature[node] & (1 << n):
                assert np.hypot(*(made.node_feet[node, n] - [*middle, 0.0])[[0, 2]]) < 0.06
                assert abs(made.node_feet[node, n, 1]) < 0.02 or middle[1] > 0.12


def test_costs_are_positive_and_lengths_no_less_than_the_chord() -> None:
    made = graph()
    assert (made.edge_cost > 0.0).all()
    assert (made.edge_seconds > 0.0).all()
    chord = np.hypot(made.edge_move[:, 0], made.edge_move[:, 1])
    assert (made.edge_length >= chord - 1e-9).all()


def test_discs_hold_head_and_feet_of_what_they_stand_for() -> None:
    made = graph()
    known, skeleton = segment_rows(made.phases), made.phases.skeleton
    head = skeleton.role("head")
    for e in some_mixed(made, 40):
        poses = forward_kinematics(skeleton, *interpolate_edges(
            known, int(made.edge_a[e]), int(made.edge_b[e]), float(made.edge_weight[e]),
            np.linspace(0.0, 1.0, 9)))  # fmt: skip
        discs = made.edge_discs[e]
        for place in poses.positions[:, head]:
            inside = np.hypot(discs[:, 0] - place[0], discs[:, 1] - place[2]) < discs[:, 2] + 0.01
            assert (inside & (discs[:, 3] <= place[1]) & (discs[:, 4] >= place[1])).any()
        signature = made.node_signature[tails(made)[e]]
        for bit, side in ((1, "left"), (2, "right")):
            if not signature & bit:
                for place in poses.positions[:, skeleton.role(f"{side}_ankle")]:
                    gap = np.hypot(discs[:, 0] - place[0], discs[:, 1] - place[2]) - discs[:, 2]
                    assert (gap < 0.02).any()


def test_no_two_mixed_edges_lead_from_one_node_to_one_place_at_one_height() -> None:
    made = graph()
    mixed = made.edge_a != made.edge_b
    rows = np.column_stack([tails(made), made.edge_to, made.edge_move, made.edge_rise])[mixed]
    top = np.where(made.edge_discs[..., 2] > 0.0, made.edge_discs[..., 4], 0.0).max(axis=1)[mixed]
    order = np.lexsort(np.round(rows, 3).T)
    same = (np.abs(np.diff(rows[order], axis=0)) < 1e-4).all(axis=1)
    # They differ in what they pass over or under.
    lows = np.where(made.edge_discs[..., 2] > 0.0, made.edge_discs[..., 3], 0.0)[mixed]
    apart = np.abs(np.diff(top[order])) + np.abs(np.diff(lows[order], axis=0)).max(axis=1)
    assert np.mean(same) < 0.02
    assert (apart[same] > 0.0).all()
    assert (made.edge_a == made.edge_b).sum() >= len(made.phases.edge_from)


def test_every_node_can_be_left_and_reached_and_leads_to_a_rest() -> None:
    made = graph()
    assert (np.diff(made.edge_start) > 0).all()
    reached = np.isin(np.arange(len(made.node_a)), made.edge_to)
    # What leaves a pair with a free weight leaves its two states as well.
    assert (reached | (made.node_weight == ANY_WEIGHT)).all()
    assert made.node_rest.any()


def test_too_many_edges_leave_only_the_most_alike_pairs() -> None:
    whole = int((graph().edge_a != graph().edge_b).sum())
    small = build_product(graph().phases, ProductSettings(most_edges=2 * whole // 3))
    assert 0 < (small.edge_a != small.edge_b).sum() <= 2 * whole // 3


def test_graphs_are_kept_and_damage_is_noticed(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    part = library().only(NAMES[:10])
    told: list[float] = []
    built = make_graph(part, progress=told.append)
    files = sorted(tmp_path.rglob("*.safetensors"))
    files = [file for file in files if "graph" in file.parent.name]
    assert len(files) == 2
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert max(b - a for a, b in pairwise([0.0, *told])) < 0.15
    again = make_graph(part)
    for name in ("node_weight", "edge_cost", "edge_discs", "edge_start", "node_rest"):
        np.testing.assert_array_equal(getattr(again, name), getattr(built, name))
    for file in files:
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 0xFF
        file.write_bytes(bytes(content))
    mended = make_graph(part)
    np.testing.assert_array_equal(mended.edge_cost, built.edge_cost)
