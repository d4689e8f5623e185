"""The front door, warm, default clips: importing, planning 6 m from the shell, and again.

With FOOTFALL_FORMER=FOLDER, a checkout of an earlier version is measured in the same run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.harness import BenchRow, quick

IMPORT = "import time; t = time.perf_counter(); import footfall; print(time.perf_counter() - t)"
AGAIN = """
import json, time
from footfall import GoTo, Place, Query, planner
stays, query, best = planner(), Query(Place(0, 0), GoTo(0, 6)), {}
for _ in range(8):
    began = time.perf_counter()
    made = stays.plan(query)
    found = {"all": time.perf_counter() - began, "frames": len(made.clip),
             "finishing": made.timings["motion"] + made.timings["finish"]}
    best = {k: min(v, best.get(k, v)) for k, v in found.items()}
print(json.dumps(best))
"""
FORMER_AGAIN = """
import json, time
from footfall import Place, Query, plan
query, best = Query(start=Place(0, 0), goal=Place(0, 6)), {}
for _ in range(4):
    began = time.perf_counter()
    made = plan(query)
    found = {"all": time.perf_counter() - began, "frames": len(made.clip),
             "finishing": made.timings["motion"] + made.timings["finish"]}
    best = {k: min(v, best.get(k, v)) for k, v in found.items()}
print(json.dumps(best))
"""
SHELL = ("-m", "footfall.cli.main", "plan", "--from", "0,0", "--to", "0,6", "--quiet", "-o")


def rows() -> list[BenchRow]:
    """Importing, a plan from the shell, the same from a planner that stays, its finishing."""
    ours = Path(__file__).resolve().parents[1]
    former = os.environ.get("FOOTFALL_FORMER")
    here = _measure(ours, AGAIN)
    there = None if former is None else _measure(Path(former), FORMER_AGAIN)

    def beside(name: str) -> dict[str, float]:
        return {} if there is None else {"former version": there[name]}

    return [
        BenchRow("`import footfall`", here["import"], beside("import"), "≤ 30 ms"),
        BenchRow("`footfall plan` of 6 m from the shell", here["shell"], beside("shell"),
                 "≤ 1.5 s"),
        BenchRow("the same again in one process", here["all"], beside("all"), "≤ 60 ms"),
        BenchRow(f"its finishing, {here['frames']:.0f} frames", here["finishing"],
                 beside("finishing"), "≤ 8 ms"),
    ]  # fmt: skip


def _measure(checkout: Path, again: str) -> dict[str, float]:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], env=environment, text=True, check=True,
            stdout=subprocess.PIPE,
        )  # fmt: skip
        return done.stdout

    found = {"import": min(float(run("-c", IMPORT)) for _ in range(3))}
    found |= json.loads(run("-c", again))
    seconds = []
    with TemporaryDirectory(prefix="footfall-") as folder:
        for turn in range(2 if quick() else 6):
            began = time.perf_counter()
            run(*SHELL, f"{folder}/walk{turn}")
            seconds.append(time.perf_counter() - began)
    return {**found, "shell": min(seconds)}
