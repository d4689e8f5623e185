"""A batch on many workers in simulated time: where one scheduler becomes the limit.

Workers, durations, stragglers and failures are simulated; the policy of jobs (how many queries
travel together, two jobs per worker) is that of `footfall.batch.cluster`. The scheduler handles
one job after the other, each for as long as was measured (`python -m bench.batch jobs`).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from footfall.batch.cluster import job_size


@dataclass(frozen=True)
class Outcome:
    """How a simulated batch went: seconds, jobs, queries done twice, and busy shares."""

    seconds: float
    jobs: int
    repeated: int
    workers_busy: float
    scheduler_busy: float


def simulate(
    workers: int, queries: int, query_s: float, job_s: float, together: bool, seed: int = 0
) -> Outcome:
    """Return how a batch goes; 1 % of queries take 20 times as long, workers fail every 2 hours."""
    rng = np.random.default_rng(seed)
    free_at, busy, scheduler_busy = 0.0, 0.0, 0.0
    jobs = repeated = sent = done = 0
    ready = np.zeros(workers)
    again: list[int] = []
    events: list[tuple[float, int, int, bool]] = []

    def size() -> int:
        if again:
            return again.pop()
        left = queries - sent
        return min(job_size(query_s, queries - done, workers) if together else 1, left)

    def send(worker: int, now: float) -> None:
        nonlocal free_at, scheduler_busy, jobs, sent, busy
        fresh = not again
        count = size()
        if count <= 0:
            return
        sent += count if fresh else 0
        jobs += 1
        free_at = max(free_at, now) + job_s
        scheduler_busy += job_s
        times = rng.lognormal(np.log(query_s), 0.5, count)
        times[rng.random(count) < 0.01] *= 20.0
        work = float(times.sum())
        fails = rng.random() < work / 7200.0
        begin = max(free_at, ready[worker])
        ready[worker] = begin + work + (60.0 if fails else 0.0)  # another one takes its place
        busy += work
        heapq.heappush(events, (begin + work, worker, count, fails))

    for _ in range(2):
        for worker in range(workers):
            send(worker, 0.0)
    now = 0.0
    while events:
        now, worker, count, fails = heapq.heappop(events)
        if fails:
            again.append(count)
            repeated += count
        else:
            done += count
        send(worker, now)
    return Outcome(now, jobs, repeated, busy / (now * workers), min(scheduler_busy / now, 1.0))


def table(job_s: float) -> None:
    """Print batches of some minutes of work per worker, one query per job and several."""
    print(f"a job costs the scheduler {1000 * job_s:.2f} ms")
    print("| workers | s per query | queries per job | seconds | workers busy | scheduler busy |")
    print("|---|---|---|---|---|---|")
    for workers, work_s in ((10, 600), (100, 600), (1000, 120)):
        for query_s in (0.1, 0.5) if workers < 1000 else (0.5,):
            for together in (False, True):
                count = int(workers * work_s / query_s)
                got = simulate(workers, count, query_s, job_s, together)
                print(f"| {workers} | {query_s} | {count / got.jobs:.1f} | {got.seconds:.0f} | "
                      f"{got.workers_busy:.0%} | {got.scheduler_busy:.0%} |")  # fmt: skip
