"""Choi's experiments: the right clips go in, and findings hold where the figures say so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.library.library import open_library
from footfall.papers.choi_paper import EXPERIMENTS
from footfall.papers.choi_results import refining_findings, sampling_findings
from footfall.papers.choi_runs import WAYS, Refined, SamplingRun, grid_roadmap, moves_of, two_halls
from footfall.papers.reproduce import reproduce
from footfall.roadmap.table import RoadmapSettings
from footfall.world.collision.queries import foot_placements
from tests.documented import command
from tests.program import run_program


def test_every_experiment_has_as_many_of_the_default_clips_as_the_paper():
    known = {clip.name for clip in open_library("default:choi")}
    counts = {name: len(set(one.clips)) for name, one in EXPERIMENTS.items()}
    assert counts == {"island": 13, "crevice": 29, "room": 13, "dungeon": 58}
    for one in EXPERIMENTS.values():
        assert set(one.clips) <= known


def test_the_printed_table_agrees_with_itself_but_for_the_known_misprint():
    for one in EXPERIMENTS.values():
        ours = one.edges / (one.nodes + one.more)
        assert (abs(ours - one.per_node) < 0.01) == (one.name != "island")


def test_every_printed_query_is_one_of_its_scene():
    for one in EXPERIMENTS.values():
        named = {query.name for query in load_scene(one.scene).queries}
        assert {query.query for query in one.queries} <= named


def verdicts(found: Refined) -> list[bool | None]:
    return [row.holds for row in refining_findings(found)]


def test_refining_holds_where_both_measures_fall_at_every_iteration_by_half():
    falling = 0.7 ** np.arange(9.0)[:, None] * np.ones(5)
    assert verdicts(Refined(falling, 0.3 * falling, True)) == [True] * 5


def test_refining_does_not_hold_where_one_path_gets_worse_or_too_little_is_gained():
    falling = 0.7 ** np.arange(9.0)[:, None] * np.ones(5)
    rising = falling.copy()
    rising[3, 2] += 0.3
    assert verdicts(Refined(rising, falling, True))[0] is False
    slow = np.linspace(1.0, 0.8, 9)[:, None] * np.ones(5)
    assert verdicts(Refined(falling, slow, True))[3] is False
    assert verdicts(Refined(falling, falling, False))[-1] is False
    assert verdicts(Refined(np.zeros((9, 0)), np.zeros((9, 0)), True)) == [None]


def test_sampling_is_better_only_where_it_solves_more_than_chance_would():
    more, less = np.full((2, 20), 0.9), np.full((2, 20), 0.5)
    held = SamplingRun("halls", WAYS, (100, 200), 10, np.stack([more, less, less]))
    assert [row.holds for row in sampling_findings(held)] == [True, True]
    turned = SamplingRun("halls", WAYS, (100, 200), 10, np.stack([less, more, less]))
    assert [row.holds for row in sampling_findings(turned)] == [False, False]
    few = SamplingRun("halls", WAYS, (100,), 10, np.stack([more, less, less])[:, :1, :2])
    assert [row.holds for row in sampling_findings(few)] == [False, False]


def test_the_halls_are_joined_by_their_passage_alone():
    scene = two_halls()
    feet = foot_placements(scene, [[x, z, 0.0] for x in (-0.9, 0.0, 0.9) for z in (0.0, 1.0)])
    assert feet.valid.tolist() == [True, False] * 3


def test_a_grid_has_about_as_many_footholds_as_asked_on_lines_and_in_eight_headings():
    scene = load_scene("room")
    roadmap = grid_roadmap(moves_of(EXPERIMENTS["room"].clips), RoadmapSettings(nodes=200), scene)
    assert 100 <= len(roadmap.nodes) <= 300
    assert len(np.unique(roadmap.nodes[:, 3].round(6))) == 8
    steps = np.diff(np.unique(roadmap.nodes[:, 0].round(6)))
    np.testing.assert_allclose(steps / steps.min(), np.round(steps / steps.min()), atol=1e-3)


def test_the_report_of_an_experiment_is_written(tmp_path: Path):
    words = command("reproduce choi")
    assert words == ["reproduce", "choi", "--experiment", "room", "--quick", "-o", "out/choi"]
    done = run_program(*words, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    text, page = (Path(tmp_path, file).read_text() for file in told["files"])
    for words in ("Table I", "Figure 3", "Figure 5", "Figure 10", "motion clips on the path"):
        assert words in text
    assert page.count("<img") >= 3
    for name in ("figure_5", "figure_10_above"):
        assert (tmp_path / "out" / "choi_pictures" / f"{name}.png").is_file()
    (outcome,) = told["databases"]
    held = {row["finding"]: row["holds"] for row in outcome["findings"]}
    assert held["footprints of transformed clips hit the footholds (Eqs. 2 and 3)"]
    assert held["clips are stretched and turned within the thresholds"]
    assert held["refined paths stay valid"]
    assert held["refining lowers the zigzag of paths at every iteration"]
    assert held["refining lowers the adaptation of paths at every iteration"]


@pytest.mark.parametrize(
    ("paper", "wishes", "said"),
    [
        ("choi", {"experiment": "moon"}, "there is no experiment 'moon'"),
        ("choi", {"runs": 4}, "run on the default clips, once"),
        ("choi", {"libraries": ["mine"]}, "run on the default clips, once"),
        ("choi", {"seed": -1}, "the seed is -1"),
        ("basten", {"experiment": "room"}, "basten takes no 'experiment'"),
    ],
)
def test_misuse_is_one_sentence(tmp_path: Path, paper, wishes, said):
    with pytest.raises(InputError, match=said):
        reproduce(paper, output=tmp_path / "report", **wishes)
