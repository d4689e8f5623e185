"""Cold start: compiling every kernel from nothing, in CPU seconds of all processes."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from tempfile import TemporaryDirectory

from bench.harness import BenchRow, quick

FORMER_CPU_S, FORMER_COUNT = 104.0, 260
"""Of kernels with a way in from Python each, for several signatures, on the same machine."""
CODE = "import json; from footfall.verbs.warmup import {}; print(json.dumps({}))"
ALL = CODE.format("warmup", "warmup().compiled")
PLAN = (
    "from footfall.verbs.warmup_jobs import planning_jobs; "
    + CODE.format("compile_kernels", "compile_kernels(planning_jobs('roadmap')).compiled")
)  # fmt: skip


def rows() -> list[BenchRow]:
    """Every kernel, and those that `plan` needs; the seconds that pass are less by the cores."""
    cpu, count = (0.0, 0) if quick() else _compile(ALL)
    plan_cpu, plan_count = _compile(PLAN)
    before = {f"before ({FORMER_COUNT} compilations)": FORMER_CPU_S}
    found = [BenchRow(f"kernels that `plan` needs, {plan_count} compilations", plan_cpu)]
    if cpu > 0.0:
        found.insert(
            0, BenchRow(f"`warmup`, {count} compilations", cpu, before, "may not grow unseen")
        )
    return found


def _compile(code: str) -> tuple[float, int]:
    """CPU seconds of a process and all that it starts, with an empty cache; compilations."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with TemporaryDirectory(prefix="footfall-") as cache:
        done = subprocess.run(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True,
            env={**os.environ, "FOOTFALL_KERNELS": cache},
        )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return spent, int(json.loads(done.stdout))
