"""What the benchmarks share: rows of a table, timing, peers that may not be installed."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class BenchRow:
    """One thing measured in seconds, beside the same thing done by others.

    peers  name -> seconds; NaN where the peer is not installed
    goal   what is to be reached, like ">= 3x pybvh"
    """

    name: str
    ours_s: float
    peers: dict[str, float] = field(default_factory=dict)
    goal: str = ""


def quick() -> bool:
    """Whether only a smoke run is asked for (FOOTFALL_BENCH_QUICK)."""
    return bool(os.environ.get("FOOTFALL_BENCH_QUICK"))


def best_of(work: Callable[[], object], repeats: int = 7, warm_up: int = 1) -> float:
    """The least seconds that `work` takes, after `warm_up` runs that do not count."""
    for _ in range(warm_up):
        work()
    best = math.inf
    for _ in range(1 if quick() else repeats):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def best_of_each(
    works: dict[str, Callable[[], object] | None], repeats: int = 7
) -> dict[str, float]:
    """`best_of` for several, taking turns so that a busy moment of the machine hits all alike.

    None stands for a peer that is not installed and gives NaN.
    """
    best = {name: math.nan if work is None else math.inf for name, work in works.items()}
    for turn in range(-1, 1 if quick() else repeats):
        for name, work in works.items():
            if work is not None:
                seconds = best_of(work, repeats=1, warm_up=0)
                best[name] = min(best[name], seconds) if turn >= 0 else best[name]
    return best


def table(rows: list[BenchRow]) -> str:
    """The rows as a Markdown table: our time, each peer's time and how many times ours it is."""
    peers = list(dict.fromkeys(name for row in rows for name in row.peers))
    lines = ["| " + " | ".join(["what", "footfall", *peers, "goal"]) + " |"]
    lines.append("|---" * (len(peers) + 3) + "|")
    for row in rows:
        cells = [row.name, _seconds(row.ours_s)]
        for peer in peers:
            seconds = row.peers.get(peer)
            if seconds is None:
                cells.append("")
            elif math.isnan(seconds):
                cells.append("not installed")
            else:
                cells.append(f"{_seconds(seconds)} ({seconds / row.ours_s:.1f}×)")
        lines.append("| " + " | ".join([*cells, row.goal]) + " |")
    return "\n".join(lines)


def _seconds(value: float) -> str:
    if value < 1e-5:
        return f"{value * 1e6:.2g} µs"
    if value < 1e-3:
        return f"{value * 1e6:.0f} µs"
    return f"{value * 1e3:.2f} ms" if value < 1.0 else f"{value:.2f} s"
