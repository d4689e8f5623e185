"""Van Basten's experiments: the right walks go in, and findings hold where the figures say so."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.errors import InputError
from footfall.gait.path import path_abstraction
from footfall.library.library import library_of, open_library
from footfall.papers import basten_paper as paper
from footfall.papers import basten_runs
from footfall.papers.basten_data import default_database, real_database
from footfall.papers.basten_plots import _along
from footfall.papers.basten_results import (
    AbstractionResults,
    MetricResults,
    abstraction_findings,
    metric_findings,
)
from footfall.papers.reproduce import reproduce
from tests.documented import command
from tests.program import run_program


def turned(path: np.ndarray) -> float:
    steps = np.diff(path, axis=0)
    return float(np.degrees(np.sum(np.diff(np.unwrap(np.arctan2(steps[:, 0], steps[:, 1]))))))


def printed_metrics() -> MetricResults:
    """What the paper printed, as if every run had given the same."""

    def table(values: dict[str, tuple[float, ...]]) -> np.ndarray:
        return np.repeat(np.array([values[m] for m in paper.METRICS])[:, :, None], 3, axis=2)

    return MetricResults(
        counts=np.array([paper.COUNTS[m] for m in paper.METRICS], np.int32),
        clips=np.full((3, 4), 5, np.int32),
        minima=np.array([900, 500, 800], np.int32),
        deviation_cm2=table(paper.DEVIATION_CM2),
        deviation_rms_cm=np.ones((3, 4, 3)),
        skating_cm=table(paper.SKATING_CM),
        time_s=table(paper.TIME_S),
        cycle_edges=np.array([8.5, 10.5, 8.7]),
        into_tight_left=np.array([0.04, 0.19, 0.13]),
        self_blends=np.array([0.5, 0.3, 0.4]),
    )


def made_abstractions(rng: np.random.Generator) -> AbstractionResults:
    """Abstractions as the paper describes them: only the pelvis method loses its sway."""
    shape = (5, 7, 3, 12)
    loss = np.linspace(0.0, 1.0, 7)[None, :, None, None]
    pelvis = np.array([1.0, 0.0, 0.0, 0.0, 0.0])[:, None, None, None]
    recorded = np.array([paper.RECORDED[name] for name in paper.RECORDED])

    def noise(size: float) -> np.ndarray:
        return size * rng.normal(size=shape)

    order = np.array([1.0, 0.5, 0.6, 0.3, 0.6])[:, None, None, None]
    amplitude = recorded[1][:, None] * (1.0 - 0.5 * pelvis * loss) + noise(0.01)
    amplitude += np.array([0.0, 0.05, 0.3, 0.05, 0.3])[:, None, None, None]
    return AbstractionResults(
        counts=np.array(paper.THRESHOLD_COUNTS, np.int32),
        thresholds=np.array(paper.THRESHOLDS),
        recorded=recorded,
        skating_cm=order + noise(0.01),
        amplitude_cm=amplitude,
        wavelength_cm=recorded[2][:, None] * (1.0 - 0.4 * pelvis * loss) + noise(0.1),
        amplitude_dev_cm=np.ones(shape),
        wavelength_dev_cm=1.0 + 3.0 * pelvis * loss + noise(0.01),
    )


def test_the_printed_tables_show_what_the_paper_says_of_them() -> None:
    held = {o.claim: o.holds for o in metric_findings(printed_metrics())}
    missed = [statement for statement, holds in held.items() if not holds]
    assert not missed


def test_turned_round_tables_show_the_contrary() -> None:
    found = printed_metrics()
    turned_round = replace(
        found,
        deviation_cm2=found.deviation_cm2[::-1, ::-1],
        skating_cm=found.skating_cm[[1, 0, 2]],
        time_s=found.time_s[[1, 0, 2], ::-1],
        cycle_edges=found.cycle_edges[[1, 0, 2]],
    )
    assert sum(o.holds for o in metric_findings(turned_round)) <= 5


@pytest.fixture(scope="module")
def as_published() -> dict[str, bool | None]:
    """What holds of abstractions that are made as the paper found them."""
    found = made_abstractions(np.random.default_rng(0))
    return {finding.claim: finding.holds for finding in abstraction_findings(found)}


def test_abstractions_made_as_the_paper_found_them_are_seen_so(
    as_published: dict[str, bool | None],
) -> None:
    assert all(as_published.values()), [s for s, holds in as_published.items() if not holds]


def test_abstractions_that_do_not_differ_hold_nothing_significant() -> None:
    found = made_abstractions(np.random.default_rng(1))
    rng = np.random.default_rng(2)
    alike = replace(
        found,
        skating_cm=rng.normal(1.0, 0.1, found.skating_cm.shape),
        amplitude_cm=found.recorded[1][:, None] + rng.normal(0.0, 0.1, found.skating_cm.shape),
    )
    assert not any(o.holds for o in islice(abstraction_findings(alike), 4))


def test_walks_too_short_for_a_wavelength_are_left_out_of_the_means(
    as_published: dict[str, bool | None],
) -> None:
    found = made_abstractions(np.random.default_rng(0))
    wavelength = np.array(found.wavelength_cm)
    wavelength[:, ::2, 1, ::3] = np.nan
    short = abstraction_findings(replace(found, wavelength_cm=wavelength))
    assert {finding.claim: finding.holds for finding in short} == as_published


def test_the_default_databases_are_as_large_as_the_papers() -> None:
    data = default_database()
    assert sum(len(clip) for clip in data.metrics) == 832
    assert sum(len(clip) for clip in data.paths) == 683
    turns = [turned(path_abstraction(clip)) for clip in data.metrics]
    assert abs(turns[0]) < 10.0
    assert 40.0 < turns[1] < turns[3]
    assert -40.0 > turns[2] > turns[4]


@pytest.mark.mocap
def test_real_walks_are_sorted_by_how_far_they_turn(mocap: Path) -> None:
    data = real_database(open_library(mocap / "accad_male1"), "accad_male1")
    turns = [turned(path_abstraction(clip)) for clip in data.metrics]
    assert abs(turns[0]) < 25.0
    assert 25.0 < turns[1] < 70.0 < turns[3]
    assert -25.0 > turns[2] > -70.0 > turns[4]
    names = {clip.name for clip in (*data.metrics, *data.paths)}
    assert not names & {clip.name for clip in data.tried}


def test_a_library_without_bends_is_refused_in_one_sentence() -> None:
    straight = library_of([next(c for c in open_library("default:basten") if "straight" in c.name)])
    with pytest.raises(InputError, match="curvature"):
        real_database(straight, "mine")


def test_places_along_a_path_are_found_with_their_side() -> None:
    path = np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
    along, left = _along(path, np.array([[0.1, 1.0], [-0.1, 0.5], [1.0, 2.2]]))
    # +x is to the left of who goes along +z, and -z of who goes along +x.
    np.testing.assert_allclose(along, [1.0, 0.5, 3.0])
    np.testing.assert_allclose(left, [0.1, -0.1, -0.2])


def remembered(function: Callable[..., Any], key: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that works once for each key, and keeps what it was given."""
    known: dict[Any, Any] = {}

    def call(*given: Any, **named: Any) -> Any:
        name = key(*given, *named.values())
        if name not in known:
            known[name] = function(*given, **named), given
        return known[name][0]

    return call


@pytest.fixture
def few_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all runs of a graph begin at one place, and the seven thresholds be two."""
    edges = basten_runs._reachable_edges
    keys = {
        "build_graph": lambda clips, metric, most: (id(clips[0]), metric, repr(most)),
        "_follow": lambda graph, path, name, share: (id(graph), path.tobytes(), name),
        "walk_clip": lambda graph, walk: id(walk),
        "_measures_of": id,
    }
    for name, key in keys.items():
        monkeypatch.setattr(basten_runs, name, remembered(getattr(basten_runs, name), key))

    def two(clips: Any) -> list[int]:
        found = edges(clips)
        return [found[0]] * 3 + [found[-1]] * (len(found) - 3)

    monkeypatch.setattr(basten_runs, "_reachable_edges", two)


@pytest.mark.usefixtures("few_walks")
def test_the_whole_report_is_written(tmp_path: Path) -> None:
    done = run_program(*command("reproduce basten"), "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    text, page = (Path(tmp_path, file).read_text() for file in told["files"])
    for number in range(1, 7):
        assert f"Table {number}" in text
    for number in (2, 8, 9, 10, 11, 12):
        assert f"Figure {number}" in text
        assert (tmp_path / "out" / "basten_pictures" / f"database_1_figure_{number}.png").is_file()
    assert page.count("<img") == 6
    (outcome,) = told["databases"]
    (sway,) = [row for row in outcome["findings"] if "loses amplitude" in row["finding"]]
    assert sway["holds"]


def test_a_report_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    with pytest.raises(InputError, match="cannot be written"):
        reproduce("basten", ["nowhere"], tmp_path / "taken" / "report", runs=2)


def test_a_negative_seed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the seed is -1"):
        reproduce("basten", ["nowhere"], tmp_path / "report", runs=2, seed=-1)
