"""A batch on one page: how its queries ended, what motions cost, how they flow, and the time."""

from __future__ import annotations

import base64
import heapq
import html
import io
import json
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from footfall.batch.inputs import hash_text
from footfall.batch.store import Row
from footfall.batch.target import Target
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAGE, SHEET, SUMMARY = "report.html", "sheet.png", "summary.json"
_SHOWN, _COLUMNS, _TILE = 6, 3, 560
_MOST_VALUES = 50_000
_COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2")


@dataclass
class Values:
    """Numbers of one kind; of very many, a share that the hash of their query chooses."""

    kept: list[tuple[str, float]] = field(default_factory=list)

    def add(self, key: str, value: float | None) -> None:
        """Add a value that is known."""
        if value is not None:
            self.kept.append((key, float(value)))
            if len(self.kept) > 2 * _MOST_VALUES:
                self.kept = heapq.nsmallest(_MOST_VALUES, self.kept)

    @property
    def numbers(self) -> list[float]:
        return [value for _, value in self.kept]


@dataclass
class Statistics:
    """What the rows of a batch have in common, counted in one pass.

    statuses  how many ended how           reasons  how many queries failed for which reason
    values    method -> what was measured -> its values
    sample    rows for the contact sheet, chosen by the hash of their query
    """

    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    values: dict[str, dict[str, Values]] = field(default_factory=dict)
    sample: list[tuple[str, Row]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    motion_s: float = 0.0
    verified: int = 0

    def table(self) -> list[tuple[str, str]]:
        """Return rows for people: how queries ended, then cost, flow and time by method."""
        rows = [(status, str(count)) for status, count in self.statuses.most_common()]
        for method, kinds in sorted(self.values.items()):
            parts = []
            for name, values in kinds.items():
                numbers = sorted(values.numbers)
                if numbers:
                    high = numbers[min(int(0.95 * len(numbers)), len(numbers) - 1)]
                    parts.append(f"{name} {statistics.median(numbers):.3g} (95 %: {high:.3g})")
            rows.append((f"{method}, medians", "; ".join(parts)))
        return rows


def collect(rows: Iterable[Row]) -> Statistics:
    """Return the statistics of a batch's rows."""
    from footfall.batch.planning import FAILED, KILLED, NOT_WRITTEN, WRONG_INPUT

    found = Statistics()
    seen: set[str] = set()
    for row in rows:
        found.statuses[row["status"]] += 1
        found.motion_s += row["seconds"]
        found.verified += bool(row["verified"])
        if row["reason"]:
            found.reasons[f"{row['status']}: {row['reason']}"[:110]] += 1
            if len(found.reasons) > 2000:
                found.reasons = Counter(dict(found.reasons.most_common(1000)))
        if row["status"] in (WRONG_INPUT, FAILED, NOT_WRITTEN, KILLED):
            found.problems.append(f"{row['where']}: {row['reason']}")
        if row["method"] and row["frames"]:
            kinds = found.values.setdefault(row["method"], {})
            for name, value in (
                ("cost", row["cost"]),
                ("time / needed", row["measures"].get("duration_ratio")),
                ("jolts at seams", row["measures"].get("seam_jolt_ratio")),
                ("drift mm", row["measures"].get("drift_max_mm")),
                ("planning s", row["timings"].get("solve")),
            ):
                kinds.setdefault(name, Values()).add(row["key"], value)
        if row["status"] == "found" and row["key"] not in seen:
            _choose(found.sample, seen, row)
    return found


def _choose(sample: list[tuple[str, Row]], seen: set[str], row: Row) -> None:
    """Keep the rows whose hashes are the least: a random sample that is always the same."""
    sample.append((hash_text("sheet " + row["key"]), row))
    seen.add(row["key"])
    if len(sample) > _SHOWN:
        sample.sort(key=lambda pair: pair[0])
        seen.discard(sample.pop()[1]["key"])


def write_report(
    found: Statistics, summary: dict[str, Any], target: Target
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Write the page, the sheet and the summary; return their names, and what went wrong."""
    notes: list[str] = []
    sheet = contact_sheet(found, target, notes)
    names = []
    if sheet:
        target.put(SHEET, sheet)
        names.append(SHEET)
    target.put(PAGE, _page(found, summary, sheet).encode())
    target.put(SUMMARY, json.dumps(summary, indent=1, allow_nan=False).encode())
    return (*names, PAGE, SUMMARY), tuple(notes)


# ---- pictures ---------------------------------------------------------------------------


def contact_sheet(found: Statistics, target: Target, notes: list[str]) -> bytes:
    """Return a picture of a random sample of the motions as PNG; nothing without motions."""
    from PIL import Image

    from footfall.body.mannequin import mannequin
    from footfall.files.formats import load
    from footfall.render.sheet import sheet

    tiles = []
    with TemporaryDirectory(prefix="footfall-batch-") as folder:
        for _, row in sorted(found.sample, key=lambda pair: pair[1]["number"]):
            name = next(f["name"] for kind, f in row["files"].items() if kind != "plan")
            data = target.get(name)
            if data is None:
                continue
            file = Path(folder, Path(name).name)
            file.write_bytes(data)
            try:
                clip = load(file).named(f"{row['name']} ({row['method']})")
                tiles.append(sheet(clip, mannequin(clip.skeleton), views=("side",), width=_TILE))
            except FootfallError as error:
                notes.append(f"{name} is not drawn ({error})")
    if not tiles:
        return b""
    high = max(tile.height for tile in tiles)
    columns = min(_COLUMNS, len(tiles))
    page = Image.new("RGB", (columns * _TILE, -(-len(tiles) // columns) * high), "#f7f6f3")
    for n, tile in enumerate(tiles):
        page.paste(tile, (n % columns * _TILE, n // columns * high))
    out = io.BytesIO()
    page.save(out, format="PNG", compress_level=6)
    return out.getvalue()


def plots(found: Statistics) -> Figure:
    """Return how queries ended and, by method, what motions cost, how they flow, and the time."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 6.4), layout="constrained")
    FigureCanvasAgg(figure)
    ended, cost, flow, spent = figure.subplots(2, 2).ravel()
    names = [name for name, _ in found.statuses.most_common()]
    ended.barh(names[::-1], [found.statuses[name] for name in names[::-1]], color=_COLOURS[0])
    ended.set_xlabel("queries")
    ended.set_title("how queries ended", fontsize=10)
    for axes, kind, unit, title in (
        (cost, "cost", "cost over the method's median", "cost"),
        (flow, "time / needed", "duration over what a person needs", "flow"),
        (spent, "planning s", "seconds of planning", "time"),
    ):
        _histogram(axes, found, kind, unit, title)
    return figure


def _histogram(axes: Axes, found: Statistics, kind: str, unit: str, title: str) -> None:
    for colour, (method, kinds) in zip(_COLOURS, sorted(found.values.items()), strict=False):
        numbers = kinds[kind].numbers if kind in kinds else []
        if kind == "cost":
            numbers = _relative(numbers)
        if numbers:
            axes.hist(numbers, bins=30, histtype="step", color=colour, label=method)
    axes.set_xlabel(unit)
    axes.set_title(title, fontsize=10)
    if axes.patches:
        axes.legend(fontsize=8)


def _relative(numbers: Sequence[float]) -> list[float]:
    """Return costs over their median: methods minimise different things."""
    middle = statistics.median(numbers) if numbers else 0.0
    return [number / middle for number in numbers] if middle > 0.0 else []


def _page(found: Statistics, summary: dict[str, Any], sheet: bytes) -> str:
    picture = io.BytesIO()
    plots(found).savefig(picture, format="png", dpi=100)
    images = [picture.getvalue(), *([sheet] if sheet else [])]
    shown = "".join(
        f'<p><img src="data:image/png;base64,{base64.b64encode(data).decode()}"></p>'
        for data in images
    )
    facts = [(key, str(summary[key])) for key in ("queries", "found", "motion_s", "digest")]
    reasons = [(text, str(count)) for text, count in found.reasons.most_common(40)]
    return (
        '<!doctype html><meta charset="utf-8"><title>Footfall batch</title><style>'
        "body{font:15px sans-serif;max-width:75em;margin:2em auto;color:#2d2b28}"
        "td{padding:.2em 1em .2em 0;vertical-align:top}img{max-width:100%}</style>"
        f"<h1>Batch</h1>{_html_table(facts)}{_html_table(found.table())}{shown}"
        f"<h2>Reasons</h2>{_html_table(reasons)}\n"
    )


def _html_table(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f"<tr><td>{html.escape(key)}</td><td>{html.escape(value)}</td></tr>" for key, value in rows
    )
    return f"<table>{cells}</table>"
