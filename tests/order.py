"""The order of tests among workers: long files first, and as much work for each worker.

xdist hands each worker an equal number of tests, one after the other, and lets idle workers steal
from the end of the longest queue. So each worker's share begins with whole long files, which
prepare what their tests need once, and ends with short tests that may go elsewhere.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("durations.json")
"""Seconds by test file, written by `pytest --record-durations`; it decides on the order alone."""
LONG_S = 2.0


def read_durations(file: Path = FILE) -> dict[str, float]:
    """Return the recorded seconds of each test file."""
    return dict(json.loads(file.read_text())) if file.is_file() else {}


def write_durations(reports: Sequence[pytest.TestReport], file: Path = FILE) -> None:
    """Record how long the tests of each file took, set-up included."""
    seconds: dict[str, float] = defaultdict(float)
    for report in reports:
        seconds[report.nodeid.partition("::")[0]] += report.duration
    kept = {name: round(value, 1) for name, value in sorted(seconds.items()) if value >= LONG_S}
    file.write_text(json.dumps(kept, indent=1) + "\n")


def spread(files: Sequence[str], seconds: dict[str, float], workers: int) -> list[int]:
    """Return the order in which tests are handed out, given the file of each.

    Long files go, longest first, to the worker with the least work; short ones fill up.
    """
    tests: dict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(files):
        tests[name].append(number)
    shares: list[list[int]] = [[] for _ in range(workers)]
    work = [0.0] * workers
    long = sorted((n for n in tests if seconds.get(n, 0.0) >= LONG_S), key=lambda n: -seconds[n])
    for name in long:
        worker = work.index(min(work))
        shares[worker] += tests[name]
        work[worker] += seconds[name]
    short = [number for name in tests if name not in long for number in tests[name]]
    order: list[int] = []
    for worker, share in enumerate(shares):
        room = (len(files) - len(order)) // (workers - worker) - len(share)
        order += share + short[: max(room, 0)]
        del short[: max(room, 0)]
    return order + short
