"""The picture of how a plan got better."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.plots.anytime import anytime_figure
from footfall.plots.plan_sketch import read_sketch, sketch_plan
from footfall.task import FOUND, Plan
from footfall.verbs.plan_results import facts_of, save_plan

FALLING = np.array([[0.1, 9.0, np.inf, 50], [0.4, 6.0, 2.0, 700], [2.0, 5.0, 1.25, 9000]])


@pytest.fixture
def searched(walks):
    return Plan(FOUND, clip=walks.clip("start"), cost=5.0, bound=1.25, anytime=FALLING)


def test_the_curve_shows_the_cost_and_what_is_proven(searched):
    upper, lower = anytime_figure(sketch_plan(searched)).axes
    cost, least = (line.get_ydata() for line in upper.lines)
    assert list(cost) == [9.0, 6.0, 5.0]
    assert list(least) == [0.0, 3.0, 4.0]
    assert list(lower.lines[0].get_ydata()) == [2.0, 1.25]


def test_the_curve_goes_through_json_and_becomes_a_file(searched, tmp_path):
    facts = sketch_plan(searched).facts()
    np.testing.assert_array_equal(read_sketch(facts).anytime, FALLING)
    [file] = save_plan(searched, [tmp_path / "walk.anytime.png"])
    assert file.stat().st_size > 3_000


def test_facts_for_programs_hold_every_improvement(searched):
    told = facts_of(searched, {})["anytime"]
    assert [row["cost"] for row in told] == [9.0, 6.0, 5.0]
    assert told[0]["bound"] is None
    assert facts_of(replace(searched, anytime=None), {})["anytime"] == []
