"""The table of figures on paper: on the terminal, and as a page of the docs."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.acting.figures import Figure
from bench.acting.strips import BEHAVIOURS

Row = tuple[Figure, float, float, float]
Real = tuple[float, float, float, int]
GRADES = Path(__file__).with_name("grades.csv")
"""What somebody thinks who looked at the strips beside recordings: at first, when legs acted alone,
then, when bodies began to act, and now; and what an onlooker thinks now, who changed nothing."""
_ORDER = ("A", "A-", "B+", "B", "B-", "C")
"""Grades, best first."""


def print_table(rows: Sequence[Row], real: Sequence[Real] | None) -> None:
    """Every figure with least, mean and most, and what people and recordings have."""
    print("| | figure | least | mean | most | people | recordings: least, mean, most (clips) |")
    print("|---|---|---|---|---|---|---|")
    for n, (figure, low, mean, high) in enumerate(rows):
        print(
            f"| {figure.group} | {figure.name} | {low:.2f} | {_marked(figure, mean, '.2f')} | "
            f"{high:.2f} | {figure.low:g} to {figure.high:g} | {_beside(real, n)} |"
        )
    print(f"\n{_inside(rows)} of {len(rows)} inside")


def acting_page(rows: Sequence[Row], former: Mapping[str, float], real: Sequence[Real] | None
                ) -> str:  # fmt: skip
    """The page of the docs: each figure of a former version, of this one, and of people."""
    lines = [
        "# How bodies act",
        "",
        "Legs that go where they should are not yet somebody who acts: trunk, pelvis, head and",
        "hands take part. These figures say how much they do in the default clips, measured from",
        "plain joint positions by `python -m bench.acting`, which finds events by itself and does",
        "so alike in default clips and in recordings. *People* is the range of performers in the",
        "population figures or in several recordings; **bold** is outside of it. [Default",
        "clips](default_clips.md) and [default actions](default_actions.md) say how they are made.",
        "",
        "| | figure | before | now | least to most | people | recordings: mean (clips) |",
        "|---|---|---|---|---|---|---|",
    ]
    for n, (figure, low, mean, high) in enumerate(rows):
        before = former.get(f"{figure.group}: {figure.name}", float("nan"))
        lines.append(
            f"| {figure.group} | {figure.name} | {_marked(figure, before, '.1f')} | "
            f"{_marked(figure, mean, '.1f')} | {low:.1f} to {high:.1f} | "
            f"{figure.low:g} to {figure.high:g} | {_mean_of(real, n)} |"
        )
    inside = sum(f.low <= former.get(f"{f.group}: {f.name}", float("nan")) <= f.high
                 for f, *_ in rows)  # fmt: skip
    lines += ["", f"{_inside(rows)} of {len(rows)} figures are inside, before {inside}.", ""]
    return "\n".join([*lines, *_grades()])


def _grades() -> list[str]:
    """The grades of all behaviours, each with its strip."""
    with GRADES.open() as file:
        rows = list(csv.DictReader(file))
    lower = sum(map(_lower, rows))
    higher = sum(_ORDER.index(row["onlooker"]) < _ORDER.index(row["now"]) for row in rows)
    lines = [
        "## Grades",
        "",
        "Figures do not see everything. Each behaviour was looked at frame by frame from the side,",
        "the front and above, beside the recording whose poses are nearest (`python -m",
        "bench.acting.strips --recorded FOLDER`; where there is none, beside the population",
        "figures), and graded as an animator would. A: a background character as it is; B+: small",
        "flaws; B: needs polish; C: not usable. *First* is when legs acted alone, *then* when",
        "bodies began to act, *now* is by who made the clips. *Onlooker* is the grade of somebody",
        "who made and changed none of them and saw strips before any grade: **bold** is lower than",
        f"*now*, which {lower} of {len(rows)} are ({higher} are higher). Names lead to the strips,",
        "of the default clips alone.",
        "",
        "| behaviour | clip | first | then | now | what is seen | onlooker | what that one saw |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        name = row["behaviour"]
        strong = "**" if _lower(row) else ""
        grades = " | ".join(row[k].replace("-", "−") for k in ("first", "then", "now"))
        lines.append(
            f"| [{name.replace('_', ' ')}](images/strips/{name}.png) | "
            f"`{BEHAVIOURS[name].clip}` | {grades} | {row['why']} | "
            f"{strong}{row['onlooker'].replace('-', '−')}{strong} | {row['onlooker_saw']} |"
        )
    return [*lines, ""]


def _lower(row: Mapping[str, str]) -> bool:
    """Whether the onlooker grades a behaviour lower than who made its clip."""
    return _ORDER.index(row["onlooker"]) > _ORDER.index(row["now"])


def _inside(rows: Sequence[Row]) -> int:
    return sum(f.low <= mean <= f.high for f, _, mean, _ in rows)


def _marked(figure: Figure, value: float, style: str) -> str:
    if value != value:
        return "–"
    strong = "" if figure.low <= value <= figure.high else "**"
    return f"{strong}{value:{style}}{strong}"


def _beside(real: Sequence[Real] | None, n: int) -> str:
    if real is None:
        return ""
    low, mean, high, count = real[n]
    return f"{low:.1f}, {mean:.1f}, {high:.1f} ({count})"


def _mean_of(real: Sequence[Real] | None, n: int) -> str:
    if real is None or not real[n][3]:
        return "–"
    # The mean of fewer clips would be one performer's figure.
    return f"{real[n][1]:.1f} ({real[n][3]})" if real[n][3] > 2 else f"({real[n][3]})"
