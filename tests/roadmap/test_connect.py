"""Edges: moves laid between footholds, tested against the scene."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.capsules import body_capsules
from footfall.roadmap.connect import connect, edge_prints
from footfall.roadmap.footholds import sample_footholds
from footfall.roadmap.lay_kernels import TWIST_WEIGHT
from footfall.roadmap.model import Edges, Roadmap
from footfall.roadmap.twists import turn_shares
from footfall.task.verify import anatomy_limits
from footfall.task.verify.anatomy import foot_tracks
from footfall.task.verify.motion import motion_of
from footfall.world.collision.queries import foot_placements
from footfall.world.scene import Scene, rectangle
from tests.roadmap.small_world import small_table, yard_roadmap

OPEN = Scene("open", rectangle([-6.0, -6.0], [6.0, 6.0]))


def _all_edges(count: int = 60, seed: int = 0) -> tuple[np.ndarray, Edges]:
    table = small_table()
    nodes = sample_footholds(table, OPEN, count, np.random.default_rng(seed))
    tails, heads = np.nonzero(~np.eye(count, dtype=bool))
    return nodes, connect(table, OPEN, nodes, nodes, (tails, heads), many=True)


def test_first_and_last_footprint_of_a_laid_move_hit_the_footholds() -> None:
    nodes, edges = _all_edges()
    prints, starts = edge_prints(small_table(), nodes, nodes, edges)
    for rows, ends in ((starts[:-1], edges.tail), (starts[1:] - 1, edges.head)):
        assert np.abs(prints[rows][:, [0, 2]] - nodes[ends][:, [0, 2]]).max() < 1e-5
        off = np.angle(np.exp(1j * (prints[rows][:, 3] - nodes[ends][:, 3])))
        assert np.abs(off).max() < 1e-5


def _change(nodes: np.ndarray, tail: int, head: int, m: int) -> tuple[float, float, float]:
    """How far a long move is stretched, turned and twisted, from its footprints alone."""
    moves = small_table().moves
    own = moves.prints[moves.clip[m]]
    one, other = own[moves.first_print[m]], own[moves.last_print[m]]
    step, wish = (other.p - one.p)[[2, 0]] @ [1, 1j], (nodes[head] - nodes[tail])[[2, 0]] @ [1, 1j]
    turn = np.angle(wish) - np.angle(step)
    offs = [nodes[tail, 3] - one.yaw - turn, nodes[head, 3] - other.yaw - turn]
    first, last = (float(np.angle(np.exp(1j * o))) for o in offs)
    return abs(1.0 - abs(wish) / abs(step)), max(abs(first), abs(last)), last - first


def test_moves_are_accepted_within_the_limits_of_stretch_and_turn_and_only_there() -> None:
    table = small_table()
    moves, settings = table.moves, table.settings
    nodes, edges = _all_edges()
    long = moves.chord[edges.move] >= moves.size.short_m
    rows = zip(edges.tail[long], edges.head[long], edges.move[long], edges.cost[long], strict=True)
    for t, h, m, cost in rows:
        stretch, turn, twist = _change(nodes, t, h, m)
        assert stretch <= settings.scale + 1e-9
        assert turn <= settings.turn + 1e-9
        assert table.twists[m, 2] - 1e-9 <= twist <= table.twists[m, 3] + 1e-9
        over = max(table.twists[m, 0] - twist, twist - table.twists[m, 1], 0.0)
        assert cost >= settings.change_weight * TWIST_WEIGHT * over
    # And where a walking move fits, one with its postures is found but for a few at the limits:
    # of those that are alike only the cheapest are listed.
    found = set(zip(edges.tail, edges.head, moves.begins[edges.move], moves.ends[edges.move],
                    strict=True))  # fmt: skip
    rng = np.random.default_rng(1)
    fits = []
    for m in np.flatnonzero(
        (moves.chord >= moves.size.short_m) & (moves.kind == moves.kind[0])
    ).tolist():
        for t, h in rng.integers(len(nodes), size=(400, 2)).tolist():
            if t == h or np.hypot(*(nodes[h] - nodes[t])[[0, 2]]) < 0.1:
                continue
            stretch, turn, twist = _change(nodes, t, h, m)
            eased = table.twists[m, 0] + 0.02 <= twist <= table.twists[m, 1] - 0.02
            if stretch <= settings.scale - 0.02 and turn <= settings.turn - 0.02 and eased:
                fits.append((t, h, moves.begins[m], moves.ends[m]) in found)
    assert len(fits) > 20
    assert np.mean(fits) > 0.8


def test_moves_whose_feet_are_turned_in_already_are_twisted_less() -> None:
    table = small_table()
    names = np.array([clip.name for clip in table.moves.clips])[table.moves.clip]
    widths = table.twists[:, 1] - table.twists[:, 0]
    steps = np.diff(table.moves.print_start)
    walk = (names == "park_walk_1.1") & (steps == 3)
    turn = (names == "turn_in_place_left_180") & (steps == 3)
    assert walk.any()
    assert turn.any()
    assert widths[turn].min() < widths[walk].min()
    assert (table.twists[:, [0, 2]] < 0.0).all()
    assert (table.twists[:, [1, 3]] > 0.0).all()
    assert (table.twists[:, 2] <= table.twists[:, 0]).all()
    assert (table.twists[:, 3] >= table.twists[:, 1]).all()


def test_a_foot_that_stands_through_a_move_takes_all_of_its_twist() -> None:
    moves = small_table().moves
    for m in range(len(moves)):
        shares = turn_shares(moves, m)
        feet = moves.foot[moves.print_start[m] : moves.print_start[m + 1]].tolist()
        for foot in {0, 1} - {feet[0]}:
            if feet.count(foot) == 1 and np.isfinite(shares[:, foot]).all():
                ends = shares[[0, -1], foot]
                assert np.isclose(ends.max() - ends.min(), 1.0)
                break


def test_moves_twisted_to_their_limits_keep_feet_within_those_of_verify() -> None:
    moves = small_table().moves
    limits = anatomy_limits(moves.clips)
    for m in range(0, len(moves), 7):
        motion = motion_of(moves.clips[moves.clip[m]])
        out = next(t for t in foot_tracks(motion) if t.names[0] == "foot yaw out")
        own = out.values[moves.first[m] : moves.last[m] + 1]
        for twist in np.degrees(small_table().twists[m, 2:]).tolist():
            turned = own + twist * turn_shares(moves, m) * [1.0, -1.0]
            assert np.nanmax(turned, initial=-np.inf) <= limits.of("foot yaw out")[1] + 0.1


def test_no_move_is_without_time() -> None:
    assert (small_table().moves.frames > 0).all()


def _body_along(roadmap: Roadmap, e: int) -> tuple[np.ndarray, np.ndarray]:
    """Capsules of the trunk, carried along an edge: ends (T, B, 2, 3) and radii (B,)."""
    moves, edges = roadmap.moves, roadmap.edges
    m = int(edges.move[e])
    a, b = roadmap.nodes[edges.tail[e]], roadmap.nodes[edges.head[e]]
    clip, own = moves.clips[moves.clip[m]], moves.prints[moves.clip[m]]
    one, other = own[moves.first_print[m]], own[moves.last_print[m]]
    step, wish = (other.p - one.p)[[2, 0]] @ [1, 1j], (b - a)[[2, 0]] @ [1, 1j]
    turn = wish / abs(wish) / (step / abs(step))
    offs = [np.angle(np.exp(1j * (at[3] - f.yaw)) / turn) for at, f in ((a, one), (b, other))]
    span = slice(int(moves.first[m]), int(moves.last[m]) + 1)
    capsules = body_capsules(clip.skeleton)
    ends, root = capsules.placed(clip.world)[span], clip.root[span]
    way = (root - one.p)[:, [2, 0]] @ [1, 1j]
    share = np.clip((way / step).real, 0.0, 1.0)
    turned = np.exp(1j * ((1.0 - share) * offs[0] + share * offs[1]))[:, None, None]
    body = ((ends - root[:, None, None])[..., [2, 0]] @ [1, 1j]) * turn * turned
    at = (way * turn * abs(wish) / abs(step))[:, None, None] + body
    height = ends[..., 1] - one.p[1] + a[1]
    trunk = height.min(axis=(0, 2)) > 0.6
    placed = np.stack([a[0] + at.imag, height, a[2] + at.real], axis=-1)
    return placed[:, trunk], np.asarray(capsules.radii)[trunk]


def _deepest(scene: Scene, ends: np.ndarray, radii: np.ndarray) -> float:
    """How deep capsules are in upright boxes, by many points on their axes."""
    share = np.linspace(0.0, 1.0, 9)[:, None]
    points = ends[..., 0, None, :] * (1.0 - share) + ends[..., 1, None, :] * share
    worst = -np.inf
    for obstacle in scene.obstacles:
        for part in obstacle.parts:
            half = np.asarray(part.half if hasattr(part, "half") else part.size / 2.0)
            middle = np.asarray(obstacle.position) + np.asarray(getattr(part, "centre", [0, 0, 0]))
            away = np.maximum(np.abs(points - middle) - half, 0.0)
            depth = radii[None, :, None] - np.linalg.norm(away, axis=-1)
            worst = max(worst, float(depth.max()))
    return worst


def test_every_edge_has_ground_under_its_feet() -> None:
    scene, roadmap = yard_roadmap()
    some = roadmap.edges.only(np.random.default_rng(0).choice(len(roadmap.edges), 400))
    prints, starts = edge_prints(roadmap.table, roadmap.nodes, roadmap.nodes, some)
    owner = np.repeat(np.arange(len(some)), np.diff(starts))
    below = roadmap.nodes[some.tail][owner, 1] + prints[:, 1] + roadmap.table.settings.rise_m + 0.25
    soles = prints[:, [0, 2, 3]]
    ahead = roadmap.moves.sole_ahead
    soles[:, 0] += ahead * np.sin(prints[:, 3])
    soles[:, 1] += ahead * np.cos(prints[:, 3])
    assert foot_placements(scene, soles, roadmap.moves.foot_box, below=below).valid.all()


def test_hardly_a_trunk_is_carried_into_an_obstacle_and_none_through_one() -> None:
    scene, roadmap = yard_roadmap()
    edges = roadmap.edges
    long = np.flatnonzero(roadmap.moves.chord[edges.move] >= roadmap.moves.size.short_m)
    some = np.random.default_rng(0).choice(long, 200, replace=False)
    deep = np.array([_deepest(scene, *_body_along(roadmap, e)) for e in some.tolist()])
    assert (deep < 0.03).mean() >= 0.98  # what is left the check of the whole motion finds
    assert deep.max() < 0.1


@pytest.mark.parametrize("wide", [0.5, 0.55])
def test_bodies_pass_a_narrow_passage_sideways_and_no_other_way(wide: float) -> None:
    from tests.world.scenes import upright_box

    half = 0.5 * wide
    walls = tuple(upright_box(s * (half + 1.0), 0.0, (2.0, 2.0, 1.6)) for s in (-1.0, 1.0))
    scene = Scene("passage", rectangle([-3.0, -3.0], [3.0, 3.0]), obstacles=walls)
    table = small_table()
    across = np.array([[0.0, 0.0, -0.5, 0.5 * np.pi], [0.0, 0.0, -0.5, -0.5 * np.pi]])
    along = np.array([[0.05, 0.0, -0.5, 0.0]])
    goal = lambda yaw: np.array([[0.0, 0.0, z, yaw] for z in np.linspace(-0.2, 0.6, 17)])  # noqa: E731
    sideways = sum(
        len(connect(table, scene, across[k : k + 1], goal(yaw), (np.zeros(17, int), np.arange(17)),
                    many=True))
        for k, yaw in enumerate((0.5 * np.pi, -0.5 * np.pi))
    )  # fmt: skip
    ahead = connect(table, scene, along, goal(0.0), (np.zeros(17, int), np.arange(17)), many=True)
    names = {table.moves.clips[c].name for c in table.moves.clip[ahead.move]}
    assert sideways > 0
    assert not any("walk" in name for name in names)
