"""What batches cost: CPU time per hour of motion, and per job of Dask's scheduler."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
from tests.batch.dask_processes import Cluster

from bench.batch.queries import METHODS, write_mixed


def cost(count: int) -> None:
    """Print CPU seconds per motion and per hour of motion by method, after a first query."""
    from footfall import batch
    from footfall.batch.store import read_results

    with TemporaryDirectory() as folder:
        for method in METHODS:
            spent, seconds, found = [], 0.0, 0
            for queries in (1, count):  # the first run compiles and prepares
                out = Path(folder, f"{method}{queries}")
                file = write_mixed(Path(folder, f"{method}.jsonl"), queries, (method,))
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                batch(file, out, workers=None, report=False)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            for row in read_results(out / "results.jsonl"):
                seconds += row["seconds"]
                found += row["status"] == "found"
            print(
                f"| {method} | {found} of {count} | {seconds:.0f} | {spent[1]:.1f} | "
                f"{spent[1] / count:.2f} | {3600 * spent[1] / max(seconds, 1e-9) / 60:.1f} |",
                flush=True,
            )


def jobs(count: int = 1000) -> None:
    """Print the CPU time of scheduler, worker and client for a job that does nothing."""
    import distributed

    with TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder))
        worker = cluster.add_worker()
        connect: Any = distributed.Client
        with connect(cluster.address, timeout=60, set_as_default=False) as client:
            client.submit(len, "x").result()
            processes = [psutil.Process(p.pid) for p in (cluster.scheduler, worker)]
            before = [sum(p.cpu_times()[:2]) for p in processes]
            began, flying = time.process_time(), []
            for n in range(count):
                flying.append(client.submit(len, 2000 * "x" + str(n), pure=False))
                if len(flying) >= 8:
                    flying.pop(0).result()
            client.gather(flying)
            spent = [sum(p.cpu_times()[:2]) - b for p, b in zip(processes, before, strict=True)]
            spent.append(time.process_time() - began)
        cluster.close()
    for name, seconds in zip(("scheduler", "worker", "client"), spent, strict=True):
        print(f"{name}: {1000 * seconds / count:.2f} ms of CPU per job")
