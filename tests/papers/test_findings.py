"""Rows of what papers say: compared as stated, shown in the columns they use."""

from __future__ import annotations

import pytest

from footfall.errors import InputError
from footfall.papers.findings import Claim, count_held, findings_table, printed_value
from footfall.papers.reproduce import reproduce


@pytest.mark.parametrize(
    ("how", "ours", "holds"),
    [
        ({"within": 0.1}, 10.9, True),
        ({"within": 0.1}, 11.2, False),
        ({"at_most": 1.0}, 9.0, True),
        ({"at_most": 0.5}, 9.0, False),
        ({"at_least": 2.0}, 21.0, True),
        ({"at_least": 0.5, "at_most": 1.5}, 16.0, False),
        ({"within": 0.1}, float("nan"), False),
        ({}, 99.0, None),
    ],
)
def test_a_printed_value_is_compared_as_stated(how, ours, holds) -> None:
    assert printed_value("time", 10.0, ours, **how).holds is holds


def test_a_table_has_the_columns_that_its_rows_use_and_counts_what_can_be_judged() -> None:
    plain = [Claim("a is larger", True, "a 2, b 1"), Claim("b is blue", False, "b red")]
    table = findings_table(plain)
    assert list(table.columns) == ["the paper's finding", "holds", "ours"]
    assert table.caption == "What the paper found, and whether it holds here: 1 of 2 do"
    rows = [*plain, printed_value("nodes", 4500, 4432, within=0.05, form="{:,.0f}", note="so")]
    rows.append(printed_value("time", 104.6, 0.8, unit="s"))
    table = findings_table(rows)
    assert list(table.columns) == [
        "the paper's finding", "printed", "holds", "ours", "compared", "note",
    ]  # fmt: skip
    assert table.rows[2] == ["nodes", "4,500", "yes", "4,432", "within 5 %", "so"]
    assert table.rows[3] == ["time", "105 s", "–", "0.8 s", "", ""]
    assert count_held(rows) == "2 of 3"


def test_rows_as_json_hold_no_empty_fields() -> None:
    assert Claim("a", True, "2").as_dict() == {"finding": "a", "holds": True, "ours": "2"}
    assert printed_value("a", 1.0, 2.0).as_dict()["printed"] == "1"


def test_an_unknown_paper_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match="there is no paper 'bastn' here; did you mean basten"):
        reproduce("bastn")
