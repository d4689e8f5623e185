"""The kill run: a cluster whose workers are killed again and again gives the same bytes."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from tests.batch.dask_processes import Cluster

from bench.batch.queries import write_mixed
from footfall import batch

_METHODS = ("graph", "blending")


def run(count: int, every_s: float) -> None:
    """Run a batch undisturbed, then with two workers killed every so often; compare digests."""
    with TemporaryDirectory() as folder:
        file = write_mixed(Path(folder, "q.jsonl"), count, _METHODS)
        plain = batch(file, Path(folder, "plain"), report=False)
        print(f"undisturbed: {plain.found} of {count} found, {plain.seconds:.0f} s, "
              f"digest {plain.digest[:16]}", flush=True)  # fmt: skip
        place = Path(folder, "cluster")
        place.mkdir()
        cluster, stop = Cluster(place, quick=False), threading.Event()
        for _ in range(2):
            cluster.add_worker()
        killer = threading.Thread(target=_disturb, args=(cluster, every_s, stop))
        killer.start()
        try:
            done = batch(file, Path(folder, "out"), scheduler=cluster.address, report=False)
        finally:
            stop.set()
            killer.join()
            cluster.close()
        left = [p for p in psutil.process_iter(["cmdline"])
                if "footfall.batch.worker" in (p.info["cmdline"] or ())]  # fmt: skip
        print(f"disturbed: {done.found} of {count} found, {done.seconds:.0f} s, digest "
              f"{done.digest[:16]}; {len(cluster.workers)} workers started")  # fmt: skip
        print(f"notes: {done.notes}")
        print(f"same bytes: {done.digest == plain.digest}; processes left: {len(left)}")


def _disturb(cluster: Cluster, every_s: float, stop: threading.Event) -> None:
    """Kill the two workers every so often, and the scheduler once."""
    rounds = 0
    while not stop.wait(every_s):
        rounds += 1
        old = [worker for worker in cluster.workers if worker.poll() is None]
        if rounds == 2:
            cluster.scheduler.kill()
            cluster.scheduler.wait()
            print(f"{time.strftime('%X')} the scheduler was killed", flush=True)
        for worker in old:
            worker.kill()
            worker.wait()
        print(f"{time.strftime('%X')} {len(old)} workers were killed", flush=True)
        if rounds == 2:
            cluster.start_scheduler()
        for _ in range(2):
            cluster.add_worker()
