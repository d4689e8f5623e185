"""The posture transition graph, the figures of a roadmap, and their pictures and verbs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from footfall.cli.main import main
from footfall.plots.posture_graph import save_posture_graph
from footfall.plots.roadmap_map import save_roadmap_map
from footfall.roadmap.facts import edge_behaviours, roadmap_facts
from footfall.roadmap.posture_graph import BEHAVIOURS, behaviour_of, posture_graph
from tests.roadmap.small_world import small_table, yard_roadmap


def test_arrows_stand_for_all_moves_and_no_others():
    moves = small_table().moves
    graph = posture_graph(moves)
    assert graph.counts.sum() == len(moves)
    arrows = set(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))
    assert arrows == set(zip(moves.begins.tolist(), moves.ends.tolist(), strict=True))
    assert len(arrows) == len(graph.tails)


def test_a_posture_is_shown_by_a_moment_that_is_at_rest_if_it_is():
    moves = small_table().moves
    graph = posture_graph(moves)
    assert set(np.flatnonzero(graph.at_rest)) == set(moves.standing.tolist())
    for posture in np.flatnonzero(graph.at_rest):
        number, frame = graph.moments[posture]
        clip = moves.clips[number]
        step = np.linalg.norm(clip.root[frame] - clip.root[max(frame - 1, 0)])
        assert step * clip.fps < 0.2


def test_clips_that_start_and_stop_leave_no_dead_end():
    assert len(posture_graph(small_table().moves).dead_ends()) == 0


def test_a_clip_shows_its_most_special_behaviour():
    clips = {clip.name: clip for clip in small_table().moves.clips}
    assert behaviour_of(clips["park_walk_1.1"]) == "walk"
    assert behaviour_of(clips["sidestep_left_0.3"]) == "sidestep"
    assert behaviour_of(clips["start_left_1"]) == "walk"
    assert behaviour_of(clips["step_onto_0.30_left"]) == "step up"


def test_figures_agree_with_what_is_counted_by_hand():
    _, roadmap = yard_roadmap()
    facts = roadmap_facts(roadmap)
    assert (facts.footholds, facts.edges) == (len(roadmap.nodes), len(roadmap.edges))
    assert sum(facts.behaviours.values()) == facts.edges
    tails, heads = set(roadmap.edges.tail.tolist()), set(roadmap.edges.head.tolist())
    assert facts.alone == facts.footholds - len(tails & heads)
    names = [*BEHAVIOURS, "other"]
    for edge in (0, len(roadmap.edges) // 2):
        clip = roadmap.moves.clips[roadmap.moves.clip[roadmap.edges.move[edge]]]
        assert names[edge_behaviours(roadmap)[edge]] == behaviour_of(clip)


def test_the_largest_part_is_where_everybody_gets_everywhere():
    _, roadmap = yard_roadmap()
    edges, count = roadmap.edges, len(roadmap.nodes)
    best = 0
    for start in np.random.default_rng(1).choice(count, 12, replace=False).tolist():
        best = max(best, len(_reached(edges.tail, edges.head, start)
                             & _reached(edges.head, edges.tail, start)))  # fmt: skip
    assert roadmap_facts(roadmap).largest_share == pytest.approx(best / count)


def _reached(tails: np.ndarray, heads: np.ndarray, start: int) -> set[int]:
    out: dict[int, list[int]] = {}
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        out.setdefault(tail, []).append(head)
    found, todo = {start}, [start]
    while todo:
        for head in out.get(todo.pop(), []):
            if head not in found:
                found.add(head)
                todo.append(head)
    return found


def test_pictures_are_drawn(tmp_path: Path):
    scene, roadmap = yard_roadmap()
    for file in (save_posture_graph(roadmap.moves, tmp_path / "postures.png"),
                 save_roadmap_map(roadmap, tmp_path / "map.png", scene)):  # fmt: skip
        with Image.open(file) as picture:
            assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 50


def test_a_roadmap_is_built_once_and_kept_for_the_next_time(monkeypatch, capsys):
    words = ["roadmap", "build", "default:choi", "--scene", "room", "--json"]
    words += ["--set", "nodes=150", "--set", "more=0", "--set", "neighbours=20", "--seed", "77"]
    said = []
    for _ in range(2):
        monkeypatch.setattr("sys.argv", ["footfall", *words])
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == 0
        said.append(json.loads(capsys.readouterr().out))
    first, second = said
    assert second["kept"]
    same = ("footholds", "edges", "largest_share", "behaviours")
    assert [first[name] for name in same] == [second[name] for name in same]
