"""Repaired roadmaps are as good as rebuilt ones."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from footfall.body.capsules import body_capsules
from footfall.roadmap.build import build_roadmap
from footfall.roadmap.connect import connect, edge_prints
from footfall.roadmap.model import Edges, Roadmap
from footfall.roadmap.paths import NoPath, find_path
from footfall.roadmap.repair import repair_roadmap
from footfall.task.stages import Place
from footfall.world.collision.queries import capsule_clearance
from footfall.world.scene import Scene
from footfall.world.scene_edit import add_obstacle, change_obstacles, move_obstacle, remove_obstacle
from tests.roadmap.small_world import named_box, small_table, yard, yard_roadmap
from tests.sweeps import THOROUGH

CHANGES = {
    "moved": lambda s: move_obstacle(s, "crate", [-1.8, 0.0, -1.8], 0.4),
    "removed": lambda s: remove_obstacle(s, "east wall"),
    "added": lambda s: add_obstacle(s, named_box("new", 0.4, 1.6, (1.1, 1.0, 0.7))),
    "stood on": lambda s: move_obstacle(s, "low", [1.8, 0.0, 2.0], 0.2),
    "several": lambda s: change_obstacles(s, {2: None, 3: None}, [
        named_box("new", -1.0, -2.0, (0.6, 1.5, 0.6))]),
}  # fmt: skip


@cache
def repaired_yard(what: str) -> tuple[Scene, Roadmap]:
    """The yard after a change, and its roadmap repaired."""
    scene, roadmap = yard_roadmap()
    new = CHANGES[what](scene)
    return new, repair_roadmap(roadmap, scene, new)


@cache
def rebuilt_yard(what: str) -> Roadmap:
    """The roadmap of the yard after a change, built anew."""
    return build_roadmap(small_table(), repaired_yard(what)[0])


def _keys(edges: Edges, nodes: np.ndarray) -> set[tuple[float, ...]]:
    """Edges by where they lead from and to, whatever the numbers of their footholds are."""
    rows = np.column_stack([nodes[edges.tail], nodes[edges.head], edges.move]).round(9)
    return {tuple(row) for row in rows.tolist()}


def _is_trunk_free(roadmap: Roadmap, scene: Scene, e: int) -> bool:
    """Whether trunk and arms of the clip, carried rigidly along, keep out of obstacles by 3 cm.

    Knows nothing of boxes, lay or kernels: the clip is put on the first footprint, its way from
    there is scaled so that it ends on the last, and it turns as the feet are turned on the way.
    """
    moves, edges = roadmap.moves, roadmap.edges
    m = int(edges.move[e])
    a, b = roadmap.nodes[edges.tail[e]], roadmap.nodes[edges.head[e]]
    clip = moves.clips[moves.clip[m]]
    one = moves.prints[moves.clip[m]][moves.first_print[m]]
    other = moves.prints[moves.clip[m]][moves.last_print[m]]
    own, wish = (other.p - one.p)[[2, 0]] @ [1, 1j], (b - a)[[2, 0]] @ [1, 1j]
    if abs(own) < 0.45:
        return True
    capsules = body_capsules(clip.skeleton)
    ends = capsules.placed(clip.world)[int(moves.first[m]) : int(moves.last[m]) + 1]
    root = clip.root[int(moves.first[m]) : int(moves.last[m]) + 1]
    turn = wish / abs(wish) / (own / abs(own))
    way = ((root - one.p)[:, [2, 0]] @ [1, 1j]) * turn * abs(wish) / abs(own)
    offs = [np.angle(np.exp(1j * (at[3] - f.yaw)) / turn) for at, f in ((a, one), (b, other))]
    share = np.clip(((root - one.p)[:, [2, 0]] @ [1, 1j] / own).real, 0.0, 1.0)
    turned = np.exp(1j * ((1.0 - share) * offs[0] + share * offs[1]))[:, None, None]
    body = ((ends - root[:, None, None])[..., [2, 0]] @ [1, 1j]) * turn * turned
    at = way[:, None, None] + body
    high = ends[..., 1] - one.p[1] + 0.5 * (a[1] + b[1])
    placed = np.stack([a[0] + at.imag, high, a[2] + at.real], axis=-1)
    trunk = high.min(axis=(0, 2)) > 0.6
    if not trunk.any():
        return True
    radii = np.tile(capsules.radii[trunk], len(placed))
    distance, _ = capsule_clearance(scene, placed[:, trunk].reshape(-1, 2, 3), radii, reach=0.2)
    return bool(distance.min() > -0.03)


@pytest.mark.parametrize("what", CHANGES)
def test_every_edge_of_a_repaired_roadmap_is_valid_in_the_new_scene(what: str) -> None:
    new, repaired = repaired_yard(what)
    edges = repaired.edges
    order = np.lexsort((edges.head, edges.tail))
    whole = connect(repaired.table, new, repaired.nodes, repaired.nodes,
                    (edges.tail[order], edges.head[order]), many=True)  # fmt: skip
    assert _keys(edges, repaired.nodes) <= _keys(whole, repaired.nodes)
    rng = np.random.default_rng(0)
    some = rng.choice(len(edges), 300 if THOROUGH else 100, replace=False).tolist()
    # Where steps lead aside, the body turns a little otherwise than this check has it.
    assert np.mean([_is_trunk_free(repaired, new, e) for e in some]) >= 0.99
    prints, starts = edge_prints(repaired.table, repaired.nodes, repaired.nodes, edges)
    assert (np.abs(prints[starts[:-1]][:, [0, 2]] - repaired.nodes[edges.tail][:, [0, 2]])
            < 1e-9).all()  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_valid_and_untouched_stays(what: str) -> None:
    scene, roadmap = yard_roadmap()
    new, repaired = repaired_yard(what)
    after = _keys(repaired.edges, repaired.nodes)
    # Far from every change: nothing there can have been touched.
    gone = [o.position for o in scene.obstacles if o not in new.obstacles]
    come = [o.position for o in new.obstacles if o not in scene.obstacles]
    spots = np.array([*gone, *come])[:, [0, 2]]
    ends = roadmap.nodes[np.stack([roadmap.edges.tail, roadmap.edges.head])][..., [0, 2]]
    away = np.linalg.norm(ends[:, :, None] - spots, axis=-1).min(axis=(0, 2))
    before = _keys(roadmap.edges.only(away > 4.0), roadmap.nodes)
    assert before <= after
    rows = np.column_stack([repaired.edges.tail, repaired.moves.begins[repaired.edges.move]])
    assert (np.diff(rows[:, 0] * repaired.moves.postures + rows[:, 1]) >= 0).all()
    assert repaired.out_start[-1] == len(repaired.edges)


@pytest.mark.parametrize("what", CHANGES)
def test_footholds_of_a_repaired_roadmap_stand_on_the_ground_of_the_new_scene(what: str) -> None:
    new, repaired = repaired_yard(what)
    middle = repaired.nodes[:, [0, 2]]
    height = new.height(middle)
    assert (np.abs(height - repaired.nodes[:, 1]) < 0.05).all()
    rebuilt = rebuilt_yard(what)
    assert 0.85 * len(rebuilt.nodes) < len(repaired.nodes) < 1.25 * len(rebuilt.nodes)
    assert 0.8 * len(rebuilt.edges) < len(repaired.edges) < 1.5 * len(rebuilt.edges)


def test_repaired_roadmaps_answer_queries_as_rebuilt_ones_do() -> None:
    rng = np.random.default_rng(5)
    for what in ("moved", "removed", "stood on"):
        (new, repaired), rebuilt = repaired_yard(what), rebuilt_yard(what)
        found = []
        for _ in range(12):
            a, b = (Place(*rng.uniform(-3.0, 3.0, 2)) for _ in range(2))
            answers = [find_path(r, new, a, b) for r in (repaired, rebuilt)]
            found.append([not isinstance(p, NoPath) for p in answers])
        mine, theirs = np.array(found).sum(axis=0)
        assert mine >= theirs - 1


def test_a_freed_passage_opens_and_a_blocked_one_closes() -> None:
    plug = named_box("plug", 0.0, 0.0, (1.4, 2.0, 0.3))
    closed = yard(plug)
    roadmap = build_roadmap(small_table(), closed)
    start, goal = Place(0.0, -2.0, 0.0), Place(0.0, 2.0, 0.0)
    assert isinstance(find_path(roadmap, closed, start, goal), NoPath)
    opened = remove_obstacle(closed, "plug")
    repaired = repair_roadmap(roadmap, closed, opened)
    assert not isinstance(find_path(repaired, opened, start, goal), NoPath)
    again = add_obstacle(opened, replace(plug))
    blocked = repair_roadmap(repaired, opened, again)
    assert isinstance(find_path(blocked, again, start, goal), NoPath)


def test_moving_something_to_and_fro_does_not_wear_a_roadmap_out() -> None:
    scene, roadmap = yard_roadmap()
    first, now = roadmap, scene
    rng = np.random.default_rng(7)
    for _ in range(6):
        moved = move_obstacle(now, "crate", [*rng.uniform(-2.5, 2.5, 1), 0.0, -2.0])
        first, now = repair_roadmap(first, now, moved), moved
    back = move_obstacle(now, "crate", [-2.0, 0.0, 2.0])
    last = repair_roadmap(first, now, back)
    assert 0.85 * len(roadmap.nodes) < len(last.nodes) < 1.15 * len(roadmap.nodes)
    assert 0.8 * len(roadmap.edges) < len(last.edges) < 1.3 * len(roadmap.edges)


def test_nothing_changed_leaves_the_roadmap_as_it_is() -> None:
    scene, roadmap = yard_roadmap()
    assert repair_roadmap(roadmap, scene, scene) is roadmap
    assert repair_roadmap(roadmap, scene, change_obstacles(scene, {})) is roadmap
