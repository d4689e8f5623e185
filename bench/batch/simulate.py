"""Dask's own scheduler with 1,000 simulated workers: where one scheduler becomes the limit.

The scheduler is Dask's (`distributed.Scheduler`), and so are the graphs it gets. Workers,
network and clock are simulated. Every message to the scheduler is handled for real, and the CPU
time that takes passes on the simulated clock, one message after the other. How many queries
travel together, and that two jobs wait for each worker, is decided as in `footfall.batch.cluster`.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.batch.cluster import job_size
from footfall.batch.cluster_worker import plan_job

LIFE_S, REPLACED_S = 7200.0, 60.0
"""Mean time until a worker fails, and until another takes its place, seconds."""
STRAGGLERS, SLOWER = 0.01, 20.0
"""Share of queries that take longer, and how many times as long."""
_CLIENT = "client"
_QUERY = '{"key": "0123456789abcdef0123456789abcdef", "table": {"from": [0, 0], "to": [1, 5]}}'


@dataclass(frozen=True)
class Batch:
    """A batch to simulate.

    query_s   median seconds of a query
    together  whether quick queries travel in one job
    wire_s    seconds that the scheduler spends on a job's messages besides handling them
    """

    workers: int
    queries: int
    query_s: float
    together: bool
    wire_s: float


@dataclass
class Outcome:
    """How a simulated batch went: seconds, jobs, queries done twice, and busy seconds."""

    seconds: float = 0.0
    jobs: int = 0
    repeated: int = 0
    failures: int = 0
    work_s: float = 0.0
    scheduler_s: float = 0.0


class _Pipe:
    """What the scheduler sends to a worker or a client, instead of a connection."""

    name = peer_address = ""

    def __init__(self, take: Callable[[dict[str, Any]], None]) -> None:
        self._take, self._closed = take, False

    def send(self, *messages: dict[str, Any]) -> None:
        for message in messages:
            self._take(message)

    def closed(self) -> bool:
        return self._closed

    def abort(self) -> None:
        """Drop the connection."""
        self._closed = True

    async def write(self, *_: Any, **__: Any) -> None:
        """Take a greeting."""

    async def read(self, *_: Any, **__: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self._closed = True

    async def close(self) -> None:
        """End the connection."""


@dataclass
class _Worker:
    """A simulated worker: jobs that wait, and the one that runs."""

    address: str
    served: asyncio.Task[None]
    waiting: deque[tuple[str, int]] = field(default_factory=deque)
    running: str = ""
    alive: bool = True


class _Simulation:
    def __init__(self, scheduler: Any, asked: Batch, seed: int) -> None:
        self.scheduler, self.asked, self.outcome = scheduler, asked, Outcome()
        self.rng, self.numbers = np.random.default_rng(seed), itertools.count()
        self.now, self.free_at = 0.0, 0.0
        self.events: list[tuple[float, int, Callable[[], Awaitable[None]]]] = []
        self.workers: dict[str, _Worker] = {}
        self.jobs: dict[str, int] = {}
        self.left, self.flying, self.done = asked.queries, 0, 0
        self.ended: list[str] = []

    async def run(self) -> Outcome:
        """Play the batch until every query has ended."""
        from distributed.scheduler import ClientState

        self.scheduler.clients[_CLIENT] = ClientState(_CLIENT)
        self.scheduler.client_comms[_CLIENT] = _Pipe(self._tell_client)
        for _ in range(self.asked.workers):
            await self._add_worker()
        self.free_at = self.outcome.scheduler_s = 0.0
        await self._submit()
        while self.done < self.asked.queries:
            self.now, _, act = heapq.heappop(self.events)
            await act()
        self.outcome.seconds = self.now
        for worker in self.workers.values():
            worker.served.cancel()
        await asyncio.sleep(0)
        return self.outcome

    def _at(self, when: float, act: Callable[[], Awaitable[None]]) -> None:
        heapq.heappush(self.events, (when, next(self.numbers), act))

    async def _handle(self, work: Callable[[], Any], wire_s: float = 0.0) -> None:
        """Let the scheduler handle a message, and pass the time on the simulated clock."""
        began = time.process_time()
        waits = work()
        if waits is not None:
            await waits
        spent = time.process_time() - began + wire_s
        self.free_at = max(self.free_at, self.now) + spent
        self.outcome.scheduler_s += spent

    # ---- client ---------------------------------------------------------------------------

    def _tell_client(self, message: dict[str, Any]) -> None:
        if message["op"] == "key-in-memory":
            self.ended.append(message["key"])
        elif message["op"] == "task-erred":
            raise RuntimeError(f"the scheduler gave up {message['key']}")

    async def _submit(self) -> None:
        """Keep two jobs per worker with the scheduler, as the real client does."""
        while self.left and self.flying < 2 * len(self.workers):
            size = 1
            if self.asked.together:
                left = self.asked.queries - self.done
                size = job_size(self.asked.query_s, left, len(self.workers))
            size = min(size, self.left)
            key = f"plan_job-{next(self.numbers):08d}"
            self.left -= size
            self.flying += 1
            self.outcome.jobs += 1
            self.jobs[key] = size
            await self._handle(lambda k=key, n=size: self._graph(k, n), self.asked.wire_s)

    def _graph(self, key: str, size: int) -> Awaitable[None]:
        from dask._expr import LLGExpr
        from dask._task_spec import Task
        from distributed.protocol.serialize import Serialized, serialize, to_serialize

        task = Task(key, plan_job, "[" + ",".join([_QUERY] * size) + "]")
        graph = Serialized(*serialize(to_serialize(LLGExpr({key: task}))))
        made: Awaitable[None] = self.scheduler.update_graph(
            client=_CLIENT, expr_ser=graph, keys={key}, span_metadata={"collections": []},
            internal_priority={key: 0}, submitting_task=None,
        )  # fmt: skip
        return made

    # ---- workers --------------------------------------------------------------------------

    async def _add_worker(self) -> None:
        number = next(self.numbers)
        address = f"tcp://127.0.0.1:{20_000 + number}"

        def serve() -> Awaitable[None]:
            served = asyncio.ensure_future(self.scheduler.add_worker(
                _Pipe(lambda message: None), address=address, status="running",
                server_id=address, nthreads=1, name=address, resolve_address=False,
                now=time.time(), resources={}, memory_limit=None, metrics=_METRICS, services={},
                local_directory="", versions={}, nanny="", extra={}, stimulus_id="add",
            ))  # fmt: skip
            self.workers[address] = _Worker(address, served)
            return self._connect(address)

        await self._handle(serve)
        await self._start(self.workers[address])
        self._at(self.now + self.rng.exponential(LIFE_S), lambda: self._fail(address))

    async def _connect(self, address: str) -> None:
        """Wait until the scheduler knows a worker; then take what it sends at once."""
        while address not in self.scheduler.stream_comms:
            await asyncio.sleep(0)
        early = self.scheduler.stream_comms[address].buffer
        pipe = _Pipe(lambda message: self._tell_worker(address, message))
        self.scheduler.stream_comms[address] = pipe
        pipe.send(*early)

    def _tell_worker(self, address: str, message: dict[str, Any]) -> None:
        if message["op"] == "compute-task":
            worker = self.workers[address]
            worker.waiting.append((message["key"], message["run_id"]))
            self._at(self.free_at, lambda: self._start(worker))

    async def _start(self, worker: _Worker) -> None:
        if worker.running or not worker.waiting or not worker.alive:
            return
        key, run = worker.waiting.popleft()
        worker.running = key
        times = self.rng.lognormal(np.log(self.asked.query_s), 0.5, self.jobs[key])
        times[self.rng.random(len(times)) < STRAGGLERS] *= SLOWER
        began, work_s = max(self.now, self.free_at), float(times.sum())
        self._at(began + work_s, lambda: self._finish(worker, key, run, began))

    async def _finish(self, worker: _Worker, key: str, run: int, began: float) -> None:
        if not worker.alive:
            return
        worker.running = ""
        self.outcome.work_s += self.now - began
        await self._handle(lambda: self.scheduler.handle_task_finished(
            key, worker.address, f"finished-{key}", run_id=run, metadata={}, nbytes=2000,
            type=b"", typename="tuple", thread=1,
            startstops=({"action": "compute", "start": began, "stop": self.now},),
        ))  # fmt: skip
        await self._start(worker)
        for ended in self.ended:
            self.done += self.jobs.pop(ended)
            self.flying -= 1
            await self._handle(lambda k=ended: self.scheduler.client_releases_keys(
                keys=[k], client=_CLIENT, stimulus_id=f"released-{k}"
            ))  # fmt: skip
        self.ended.clear()
        await self._submit()

    async def _fail(self, address: str) -> None:
        """Lose a worker; the scheduler gives its jobs to others."""
        worker = self.workers.pop(address)
        worker.alive = False
        self.outcome.failures += 1
        self.outcome.repeated += self.jobs.get(worker.running, 0)
        await self._handle(lambda: self.scheduler.remove_worker(address, stimulus_id="failed"))
        worker.served.cancel()
        self._at(self.now + REPLACED_S, self._add_worker)


_METRICS = {"cpu": 0, "memory": 0, "time": 0.0, "host_net_io": {"read_bps": 0, "write_bps": 0},
            "host_disk_io": {"read_bps": 0, "write_bps": 0}, "num_fds": 0, "spilled_bytes":
            {"memory": 0, "disk": 0}, "event_loop_interval": 0.0, "task_counts": {},
            "digests_total_since_heartbeat": {}, "managed_bytes": 0,
            "transfer": {"incoming_bytes": 0, "incoming_count": 0, "incoming_count_total": 0,
                         "outgoing_bytes": 0, "outgoing_count": 0, "outgoing_count_total": 0},
            "bandwidth": {"total": 1e8, "workers": {}, "types": {}}}  # fmt: skip


def simulate(asked: Batch, seed: int = 0) -> Outcome:
    """Return how a batch goes with Dask's scheduler and simulated workers."""
    return asyncio.run(_simulate(asked, seed))


async def _simulate(asked: Batch, seed: int) -> Outcome:
    import dask
    from distributed import Scheduler

    # Work stealing and the search for lost workers go by the real clock.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    quiet = {"distributed.scheduler.work-stealing": False,
             "distributed.scheduler.worker-ttl": None}  # fmt: skip
    with dask.config.set(quiet):
        async with Scheduler(
            protocol="inproc", dashboard_address="127.0.0.1:0", validate=False
        ) as scheduler:
            return await _Simulation(scheduler, asked, seed).run()


def table(wire_s: float) -> None:
    """Print batches of some minutes of work per worker, one query per job and several."""
    print(f"the messages of a job cost the scheduler {1000 * wire_s:.2f} ms")
    print("| workers | s per query | queries per job | seconds | workers busy | scheduler busy | "
          "CPU ms per job | failures | queries done again |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|")
    cases = ((10, 0.1, 60), (100, 0.1, 20), (100, 0.5, 60), (1000, 0.5, 10), (1000, 0.5, 120))
    for workers, query_s, work_s in cases:
        for together in (False, True) if workers * work_s < 50_000 else (True,):
            asked = Batch(workers, int(workers * work_s / query_s), query_s, together, wire_s)
            got = simulate(asked)
            print(f"| {workers} | {query_s} | {asked.queries / got.jobs:.1f} | {got.seconds:.0f} | "
                  f"{got.work_s / (got.seconds * workers):.0%} | "
                  f"{got.scheduler_s / got.seconds:.0%} | {1000 * got.scheduler_s / got.jobs:.2f} |"
                  f" {got.failures} | {got.repeated} |", flush=True)  # fmt: skip
