"""The kill run: a cluster whose workers are killed again and again gives the same bytes."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import psutil
from tests.batch.dask_processes import Cluster

from bench.batch.queries import write_mixed
from footfall import batch

_FORMATS = ("npz",)


def run(count: int, every_s: float, folder: Path) -> None:
    """Run a batch undisturbed, then with two workers killed every so often; compare digests."""
    folder.mkdir(parents=True, exist_ok=True)
    file = write_mixed(folder / "queries.jsonl", count)
    plain = batch(file, folder / "plain", report=False, formats=_FORMATS)
    print(f"undisturbed: {plain.found} of {count} found, digest {plain.digest[:16]}", flush=True)
    place = folder / "cluster"
    place.mkdir()
    cluster, stop = Cluster(place, quick=False), threading.Event()
    for _ in range(2):
        cluster.add_worker()
    killer = threading.Thread(target=_disturb, args=(cluster, every_s, stop))
    killer.start()
    try:
        done = batch(
            file, folder / "killed", scheduler=cluster.address, report=False, formats=_FORMATS
        )
    finally:
        stop.set()
        killer.join()
        cluster.close()
    print(f"disturbed: {done.found} of {count} found, {done.seconds:.0f} s, digest "
          f"{done.digest[:16]}; {len(cluster.workers)} workers started")  # fmt: skip
    print(f"notes: {done.notes}")
    print(f"same bytes: {done.digest == plain.digest}")
    print(f"left in the output: {sorted(f.name for f in (folder / 'killed').iterdir())}, "
          f"processes left: {_processes_left(place)}")  # fmt: skip


def _processes_left(place: Path) -> int:
    """Return how many processes of the cluster are alive, waiting a little for them to end."""
    for _ in range(50):
        left = [p for p in psutil.process_iter(["cwd"]) if p.info["cwd"] == str(place)]
        if not left:
            break
        time.sleep(0.2)
    return len(left)


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
