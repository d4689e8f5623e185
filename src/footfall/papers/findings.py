"""Compare the claims of a paper with our results, one row for each claim.

A row is a `Claim`: made by hand where a claim is an ordering or a trend, or by `printed_value`
where the paper prints a number. `findings_table` makes a table of rows; columns that no row uses
are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footfall.errors import check_range
from footfall.papers.document import ReportTable


@dataclass(frozen=True)
class Claim:
    """One thing that a paper says, and what became of it.

    claim     the paper's finding, or the name of the value it prints
    holds     whether it holds here; None where the two cannot be compared
    ours      our figures, as text
    printed   the paper's figures, as text; empty where the claim says them
    compared  how the two were compared: "within 10 %", "at least"
    note      what a reader should know about the difference
    """

    claim: str
    holds: bool | None
    ours: str
    printed: str = ""
    compared: str = ""
    note: str = ""

    @property
    def verdict(self) -> str:
        """The outcome in one word for a table."""
        return "–" if self.holds is None else "yes" if self.holds else "no"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, without unused fields."""
        more = {key: getattr(self, key) for key in ("printed", "compared", "note")}
        row = {"finding": self.claim, "holds": self.holds, "ours": self.ours}
        return row | {key: value for key, value in more.items() if value}


def printed_value(
    claim: str,
    printed: float,
    ours: float,
    *,
    within: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    form: str = "{:.3g}",
    unit: str = "",
    note: str = "",
) -> Claim:
    """Return a finding about a number that the paper prints.

    within    it holds if ours is no further off than this share of the printed value
    at_least  it holds if ours is at least so many times the printed value
    at_most   it holds if ours is at most so many times the printed value

    Without any of the three the values stand side by side and nothing is claimed.
    """
    tests: list[tuple[str, Callable[[], bool]]] = []
    if within is not None:
        share = check_range("within", within, 0.0)
        tests.append(
            (f"within {100.0 * share:g} %", lambda: abs(ours - printed) <= share * abs(printed))
        )
    if at_least is not None:
        tests.append((_factor("at least", at_least), lambda: ours >= at_least * printed))
    if at_most is not None:
        tests.append((_factor("at most", at_most), lambda: ours <= at_most * printed))
    holds = all(test() for _, test in tests) and math.isfinite(ours) if tests else None
    end = f" {unit}" if unit else ""
    return Claim(
        claim, holds, form.format(ours) + end, form.format(printed) + end,
        " and ".join(words for words, _ in tests), note,
    )  # fmt: skip


def _factor(words: str, factor: float) -> str:
    return words if factor == 1.0 else f"{words} {factor:g}×"


def findings_table(findings: Iterable[Claim], caption: str = "") -> ReportTable:
    """Return the findings as a table, with how many of them hold in its caption."""
    rows = list(findings)
    columns: list[tuple[str, Callable[[Claim], str]]] = [
        ("the paper's finding", lambda row: row.claim),
        ("printed", lambda row: row.printed),
        ("holds", lambda row: row.verdict),
        ("ours", lambda row: row.ours),
        ("compared", lambda row: row.compared),
        ("note", lambda row: row.note),
    ]
    used = [(name, cell) for name, cell in columns if any(map(cell, rows))] or columns[:1]
    said = caption or "What the paper found, and whether it holds here"
    return ReportTable(
        f"{said}: {count_held(rows)} do",
        [name for name, _ in used],
        [[cell(row) for _, cell in used] for row in rows],
    )


def count_held(findings: Sequence[Claim]) -> str:
    """Return how many findings hold, of those that can be compared: "11 of 21"."""
    judged = [row.holds for row in findings if row.holds is not None]
    return f"{sum(judged)} of {len(judged)}"


@dataclass(frozen=True)
class DatabaseFindings:
    """What one database showed."""

    database: str
    findings: tuple[Claim, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"database": self.database, "findings": [row.as_dict() for row in self.findings]}


@dataclass(frozen=True)
class Reproduction:
    """The files that were written, and what each database showed."""

    markdown: Path
    page: Path
    databases: tuple[DatabaseFindings, ...]
