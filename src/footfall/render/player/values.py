"""Values of a plan as rows of the player's panel: label, value, unit and limit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.task.verify import Report

UNITS = {
    "m": "m", "cm": "cm", "mm": "mm", "seconds": "s", "s": "s", "deg": "°", "ratio": "×",
    "share": "", "cv": "", "stops": "",
}  # fmt: skip


def verified_rows(report: Report | None) -> list[dict[str, Any]]:
    """Return every checked value with its limit; what must not be small is shown as it is."""
    if report is None:
        return []
    rows = []
    for name, value in report.values.items():
        limit = report.limits.get(name, math.inf)
        label, unit = split_unit(name)
        least = value < 0.0 and limit < 0.0
        sign = -1.0 if least else 1.0
        rows.append({
            "label": label, "unit": unit,
            "value": sign * value if math.isfinite(value) else None,
            "limit": sign * limit if math.isfinite(limit) else None,
            "least": least,
            "ok": name not in report.failed and not value > limit,
        })  # fmt: skip
    return rows


def flow_rows(measures: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return measures of a motion."""
    rows = []
    for name, value in measures.items():
        label, unit = split_unit(name)
        shown = float(value) if math.isfinite(value) else None
        rows.append({"label": label, "unit": unit, "value": shown})
    return rows


def split_unit(name: str) -> tuple[str, str]:
    """Return a measure's name in words, and the unit that its last word stands for."""
    if name.endswith("_m_s"):
        return name[:-4].replace("_", " "), "m/s"
    words = name.split("_")
    unit = UNITS.get(words[-1], "")
    label = words[:-1] if unit and len(words) > 1 and words[-1] != "seconds" else words
    return " ".join(label), unit
