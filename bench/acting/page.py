"""The table of figures on paper: on the terminal, and as a page of the docs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.acting.figures import Figure
from bench.acting.strips import BEHAVIOURS

Row = tuple[Figure, float, float, float]
Real = tuple[float, float, float, int]


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
        "Natural motion needs more than legs: trunk, pelvis, head and hands take part. These",
        "figures measure how much they do in the default clips, from plain joint positions, by",
        "`python -m bench.acting`, which finds events by itself, alike in default clips and in",
        "recordings. *People* is the range of performers in the",
        "population figures or in several recordings; **bold** is outside of it. [Default",
        "clips](default_clips.md) and [default actions](default_actions.md) describe how they are",
        "made.",
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
    return "\n".join([*lines, *_strips()])


def _strips() -> list[str]:
    """Return the list of strips, one for each behaviour."""
    rows = [
        f"| [{name.replace('_', ' ')}](../images/strips/{name}.png) | `{one.clip}` |"
        for name, one in BEHAVIOURS.items()
    ]
    return [
        "## Strips",
        "",
        "Figures do not show everything. `python -m bench.acting.strips` draws each behaviour at",
        "instants from the side, the front and above; with `--recorded FOLDER` beside the",
        "recording whose poses are nearest.",
        "",
        "| behaviour | clip |",
        "|---|---|",
        *rows,
        "",
    ]


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
