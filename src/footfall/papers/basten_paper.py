"""The figures that van Basten & Egges print; `basten.toml` says from which table each is."""

from __future__ import annotations

from footfall.papers.printed import printed_figures

_PRINTED = printed_figures("basten")
Names = tuple[str, ...]
Rows = tuple[tuple[int, int, int], ...]

SIZES: Names = _PRINTED["sizes"]
METRICS: Names = _PRINTED["metrics"]
PATHS: Names = _PRINTED["paths"]
ABSTRACTIONS: Names = _PRINTED["abstractions"]
THRESHOLDS: tuple[float, ...] = _PRINTED["thresholds"]
THRESHOLD_COUNTS: Rows = _PRINTED["threshold_counts"]
RECORDED: dict[str, tuple[float, ...]] = _PRINTED["recorded"]
COUNTS: dict[str, Rows] = _PRINTED["counts"]
DEVIATION_CM2: dict[str, tuple[float, ...]] = _PRINTED["deviation_cm2"]
SKATING_CM: dict[str, tuple[float, ...]] = _PRINTED["skating_cm"]
TIME_S: dict[str, tuple[float, ...]] = _PRINTED["time_s"]
EFFECTS: dict[str, float] = _PRINTED["effects"]


def wished_edges() -> tuple[int, ...]:
    """Return how many edges a graph of each size has: the mean of the three metrics."""
    return tuple(
        round(sum(COUNTS[metric][size][0] for metric in METRICS) / len(METRICS))
        for size in range(len(SIZES))
    )
