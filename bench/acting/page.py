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
"""What was thought of the strips beside recordings: at first, when legs acted alone, then, when
bodies began to act, and what three onlookers think who changed nothing, of earlier clips and of
those of now."""


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
    counts = ", ".join(
        f"{sum(row['now'] == grade for row in rows)} {grade.replace('-', '−')}"
        for grade in ("A", "A-", "B+", "B", "C")
    )
    lines = [
        "## Grades",
        "",
        "Figures do not see everything. Each behaviour was looked at frame by frame from the side,",
        "the front and above, beside the recording whose poses are nearest (`python -m",
        "bench.acting.strips --recorded FOLDER`; where there is none, beside the population",
        "figures), and graded as an animator would. A: a background character as it is; A−: one",
        "small tell; B+: small flaws; B: needs polish; C: not usable. *First* is when legs acted",
        "alone, *then* when bodies began to act. The others are by three people who made and",
        "changed none of the clips, and saw strips before any grade, each of another state of",
        "them: *before* bodies stood unevenly and had fingers, *between*, and *now*. Stills show",
        f"no slides or pops; the limits of other pages do. Now: {counts}. Names lead to the",
        "strips, of the default clips alone.",
        "",
        "| behaviour | clip | first | then | before | between | now | what the last one saw |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        name = row["behaviour"]
        columns = ("first", "then", "before", "between", "now")
        grades = " | ".join(row[k].replace("-", "−") for k in columns)
        lines.append(
            f"| [{name.replace('_', ' ')}](../images/strips/{name}.png) | "
            f"`{BEHAVIOURS[name].clip}` | {grades} | {row['seen']} |"
        )
    return [*lines, ""]


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
