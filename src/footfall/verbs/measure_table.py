"""Measures as a table for people: value, unit, the sources' own values, and what is far off."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from statistics import median

from footfall.body.posture import PostureFigures
from footfall.library.build.check import PostureChange
from footfall.measures.all import GROUPS, Measures
from footfall.measures.naturalness import Comparison

TITLES = {
    "posture": "posture",
    "anatomy": "anatomy, the worst of each",
    "flow": "flow",
    "skating": "feet that slide",
    "ground": "soles and ground",
    "oscillation": "sway of the pelvis",
    "smoothness": "smoothness",
    "physics": "physics",
    "effort": "effort",
    "deviation": "path",
    "collisions": "obstacles",
}
_UNITS = (
    ("_cm_per_frame", " per frame", "cm/frame", 1.0), ("_cm_per_m", " per metre", "cm/m", 1.0),
    ("_std_per_m", " std", "1/m", 1.0), ("_per_m", "", "1/m", 1.0), ("_cm2", "", "cm²", 1.0),
    ("_cm", "", "cm", 1.0), ("_mm", "", "mm", 1.0), ("_bw_m", "", "bw·m", 1.0),
    ("_bw", "", "bw", 1.0), ("_m_s3", "", "m/s³", 1.0), ("_m", "", "m", 1.0),
    ("_share", " share", "%", 100.0), ("_deg_s", "", "°/s", 1.0), ("_deg", "", "°", 1.0),
    ("_legs", "", "% of leg", 100.0), ("_nm", "", "N·m", 1.0),
    ("_total", "", "10³ N²m²", 1e-3), ("_per_second", " per second", "10³ N²m²/s", 1e-3),
    ("_per_metre", " per metre", "10³ N²m²/m", 1e-3), ("_cv", " variation", "%", 100.0),
    ("_s", "", "s", 1.0),
)  # fmt: skip
"""The end of a measure's name, what stands for it in words, its unit, and the factor to it."""


@dataclass(frozen=True)
class MeasureRow:
    """One measure, ready to be printed; `flag` is "above", "below" or ""."""

    group: str
    name: str
    value: str
    unit: str
    sources: str
    flag: str


def measure_rows(found: Measures) -> list[MeasureRow]:
    """Return all measures of a clip in order, one line each."""
    far = found.far_off()
    lines = []
    for group in GROUPS:
        part = getattr(found, group)
        for one in fields(part) if part is not None else ():
            value = getattr(part, one.name)
            label, unit, scale = label_and_unit(one.name)
            key = f"{group}.{one.name}"
            if isinstance(value, tuple):
                lines.append(MeasureRow(group, label, ", ".join(value) or "none", "", "", ""))
                continue
            beside = found.beside.get(key)
            sources = "" if beside is None else (
                f"{_number(scale * beside.mean)}  "
                f"({_number(scale * beside.least)} to {_number(scale * beside.most)})"
            )  # fmt: skip
            shown = str(value) if isinstance(value, int) else _number(scale * value)
            lines.append(MeasureRow(group, label, shown, unit, sources, far.get(key, "")))
    return lines


def table_text(found: Measures) -> list[str]:
    """Return the measures of a clip as the lines of a table."""
    lines = measure_rows(found)
    names = max(len(line.name) for line in lines) + 2
    values = max(len(line.value) for line in lines if "," not in line.value)
    beside = max((len(line.sources) for line in lines), default=0)
    out: list[str] = []
    group = ""
    for line in lines:
        if line.group != group:
            group = line.group
            head = f"  {TITLES[group]}"
            width = names + values + 12
            out.append(f"{head:<{width}}  sources: mean (range)" if beside and not out else head)
        flag = f"  {line.flag} all sources" if line.flag else ""
        text = f"    {line.name:<{names}}{line.value:>{values}} {line.unit:<9}"
        out.append(f"{text} {line.sources:<{beside}}{flag}".rstrip())
    return out


def comparison_text(found: Comparison, beside: str) -> list[str]:
    """Return how natural clips are, as the lines of a table."""
    if not found.behaviours:
        return [f"  too little in common with {beside} to measure naturalness"]
    out = [f"  how natural, beside {beside} (1: as near as real ones are to each other)"]
    out += [
        f"    {one.behaviour:<14}ratio {one.ratio:6.2f}   distance {one.distance:9.1f}   "
        f"yardstick {one.yardstick:9.1f}   windows {one.windows}"
        for one in found.behaviours
    ]
    return out


def posture_sentences(change: PostureChange) -> list[str]:
    """Return a sentence for each change of posture beyond its limit."""
    out = []
    for name in change.off:
        label, unit, scale = label_and_unit(name)
        values = (change.built[name], change.source[name])
        here, there = (_number(scale * (value or 0.0)) for value in values)
        out.append(f"posture: {label} {here} {unit}, in its source {there}")
    return out


def posture_table(changes: Mapping[str, PostureChange]) -> list[str]:
    """Return the posture of a library beside its sources', as the lines of a table."""
    if not changes:
        return []
    out = [f"  {'posture, medians over clips':<30}{'library':>9}{'sources':>9}  farthest apart"]
    for name in (field.name for field in fields(PostureFigures)):
        label, unit, scale = label_and_unit(name)
        known = {
            clip: (scale * here, scale * there)
            for clip, change in changes.items()
            if (here := change.built.get(name)) is not None
            and (there := change.source.get(name)) is not None
        }
        if not known:
            continue
        ours, theirs = (_number(median(pair[n] for pair in known.values())) for n in range(2))
        clip = max(known, key=lambda c: abs(known[c][0] - known[c][1]))
        apart = f"{clip}: {_number(known[clip][0])} for {_number(known[clip][1])}"
        out.append(f"    {label + (f' ({unit})' if unit else ''):<28}{ours:>9}{theirs:>9}  {apart}")
    return out


def label_and_unit(name: str) -> tuple[str, str, float]:
    """Return a measure's name in words, its unit, and the factor to that unit."""
    for end, words, unit, scale in _UNITS:
        if name.endswith(end):
            return name.removesuffix(end).replace("_", " ") + words, unit, scale
    return name.replace("_", " "), "", 1.0


def headline(found: Measures) -> str:
    """Return the clip in one line."""
    return f"{found.seconds:.2f} s at {found.fps:g} fps, the pelvis goes {found.travelled_m:.2f} m"


def _number(value: float) -> str:
    """Return three significant digits; a dash for what is not known."""
    if not math.isfinite(value):
        return "–"
    size = abs(value)
    if size >= 1000.0 or size < 5e-4:
        return f"{value:.0f}"
    digits = 0 if size >= 100.0 else 1 if size >= 10.0 else 2 if size >= 0.1 else 3
    return f"{value:.{digits}f}"
