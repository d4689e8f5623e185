"""Plan queries on a Dask cluster: the one at an address, or one of this machine.

The client holds a bounded number of queries at a time. Jobs carry JSON alone. Whatever is lost
with a worker or a scheduler is sent again; rows that come twice are the same.
"""

from __future__ import annotations

import json
import logging
import time
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from footfall.batch.cluster_worker import close_processes, code_name, plan_job, put_object
from footfall.batch.inputs import Inputs
from footfall.batch.models import missing_models, put_model, read_model
from footfall.batch.planning import KILLED, NOT_WRITTEN, WRONG_INPUT, failed_row
from footfall.batch.queries import BatchQuery
from footfall.batch.supervise import DEATHS, Limits, Row
from footfall.batch.target import Target
from footfall.batch.worker import WorkerSettings
from footfall.errors import FootfallError, InputError, MissingDependencyError

CONNECT_S, PATIENCE_S = 30.0, 60.0
"""Seconds to wait for the first connection, and for a lost scheduler or workers to return."""
JOB_S, JOB_S_PER_WORKER, MOST_PER_JOB = 2.0, 0.01, 256
"""Seconds per job, seconds more for each worker, and queries per job at most. Quick queries share
a job, because the scheduler needs 3 ms for each (see `docs/dev/scale.md`)."""
_PIECE = 32 << 20
_POLL_S, _LOOK_S = 0.2, 3.0


def has_dask() -> bool:
    """Return whether Dask is installed."""
    return find_spec("distributed") is not None


def job_size(query_s: float, left: int, workers: int) -> int:
    """Return how many queries travel together; fewer towards the end, so that all stay busy."""
    job_s = max(JOB_S, JOB_S_PER_WORKER * workers)
    share = left / (2.0 * max(workers, 1))
    return max(1, int(min(job_s / max(query_s, 1e-3), share, MOST_PER_JOB)))


@dataclass
class ClusterSettings:
    """How a batch uses a cluster.

    scheduler  its address; "" for a cluster of `workers` on this machine
    patience_s seconds to wait for a lost scheduler, or for workers
    """

    scheduler: str = ""
    workers: int = 1
    patience_s: float = PATIENCE_S


@dataclass
class _Job:
    """Queries that travel together, and how many workers were lost with them."""

    queries: list[BatchQuery]
    losses: int = 0
    workers: list[str] | None = None


def run_cluster(
    queries: Iterator[BatchQuery], inputs: Inputs, settings: WorkerSettings, limits: Limits,
    cluster: ClusterSettings, target: Target, total: int, notes: list[str],
) -> Generator[Row, None, None]:  # fmt: skip
    """Yield the rows of queries as they end; `notes` gets a sentence for each thing noticed."""
    if not has_dask():
        raise MissingDependencyError("dask", "cluster", "a cluster")
    with _quiet(), _open(cluster, notes) as address:
        run = _ClusterRun(inputs, settings, limits, target, total, notes, queries)
        yield from run.rows(address, cluster.patience_s)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's log: notes and errors report what matters."""
    log = logging.getLogger("distributed")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)


@contextmanager
def _open(cluster: ClusterSettings, notes: list[str]) -> Iterator[Any]:
    """Give the address of a scheduler; that of this machine's own cluster lasts for the body."""
    if cluster.scheduler:
        yield cluster.scheduler
        return
    import distributed

    begin: Any = distributed.LocalCluster
    # Threads are enough: each has a process beside it that plans. Dask serves pages in any case,
    # with bokeh its dashboard too: on free ports, for this machine alone.
    page = "127.0.0.1:0"
    with begin(
        n_workers=cluster.workers, threads_per_worker=1, processes=False, memory_limit=0,
        dashboard_address=page, worker_dashboard_address=page,
        silence_logs=logging.CRITICAL + 1,
    ) as local:  # fmt: skip
        if find_spec("bokeh"):
            port = local.scheduler_info["services"]["dashboard"]
            notes.append(f"Dask's dashboard: http://127.0.0.1:{port}/status")
        yield local


@dataclass
class _ClusterRun:
    """A batch on a cluster."""

    inputs: Inputs
    settings: WorkerSettings
    limits: Limits
    target: Target
    total: int
    notes: list[str]
    waiting: Iterator[BatchQuery]
    again: deque[_Job] = field(default_factory=deque)
    flying: dict[str, tuple[Any, _Job]] = field(default_factory=dict)
    ended: SimpleQueue[str] = field(default_factory=SimpleQueue)
    refused: set[str] = field(default_factory=set)
    workers: list[str] = field(default_factory=list)
    mean_s: float = JOB_S
    done: int = 0
    exhausted: bool = False
    wrong: list[Row] = field(default_factory=list)
    models: dict[str, str] = field(default_factory=dict)
    """Models that workers have prepared, and the worker that has each."""
    unshared: bool = False

    def rows(self, address: Any, patience_s: float) -> Generator[Row, None, None]:
        """Yield rows until all queries have ended; reconnect where the scheduler comes back."""
        connected = False
        while True:
            client = self._connect(address, patience_s if connected else CONNECT_S)
            if not connected and isinstance(address, str) and find_spec("bokeh"):
                self.notes.append(f"Dask's dashboard: {client.dashboard_link}")
            connected = True
            try:
                yield from self._serve(client, patience_s)
                return
            except _SchedulerGone:
                self.again.extend(job for _, job in self.flying.values())
                self.flying.clear()
                self.ended = SimpleQueue()
                self.notes.append("the scheduler was lost; its jobs were sent again")
            finally:
                self._leave(client)

    def _connect(self, address: Any, patience_s: float) -> Any:
        import distributed

        connect: Any = distributed.Client
        end = time.monotonic() + patience_s
        while True:
            try:
                return connect(address, timeout=CONNECT_S, set_as_default=False)
            except (OSError, TimeoutError, ValueError) as error:
                if time.monotonic() > end or isinstance(error, ValueError):
                    raise InputError(
                        f"the scheduler {address} does not answer",
                        remedy="check its address; what has ended is kept, and the same command "
                        "resumes",
                    ) from None
                time.sleep(_POLL_S)

    def _leave(self, client: Any) -> None:
        for future, _ in self.flying.values():
            with suppress(Exception):
                future.cancel()
        with suppress(Exception):
            client.run(close_processes, on_error="ignore")
        with suppress(Exception):
            client.close(timeout=15)

    def _serve(self, client: Any, patience_s: float) -> Generator[Row, None, None]:
        looked, alone = 0.0, time.monotonic()
        while True:
            if client.status not in ("running", "newly-created"):
                raise _SchedulerGone
            if time.monotonic() - looked > _LOOK_S or not self.workers:
                self._look(client)
                looked = time.monotonic()
            if self.workers:
                alone = looked
            elif self.refused or looked - alone > patience_s:
                raise self._no_workers(patience_s)
            self._submit(client)
            yield from self.wrong
            self.wrong = []
            if not self.flying and self.exhausted and not self.again:
                return
            try:
                name = self.ended.get(timeout=_POLL_S)
            except Empty:
                continue
            if name in self.flying:
                yield from self._take(client, *self.flying.pop(name))

    def _no_workers(self, patience_s: float) -> InputError:
        if self.refused:
            return InputError(self.notes[-1])
        return InputError(f"the cluster had no workers for {patience_s:.0f} s",
                          remedy="start some, and repeat the command")  # fmt: skip

    def _look(self, client: Any) -> None:
        """See which workers there are; those with other code are refused once."""
        try:
            there = list(client.nthreads())
            new = [name for name in there if name not in self.workers and name not in self.refused]
            codes = client.run(code_name, workers=new, on_error="return") if new else {}
        except (OSError, TimeoutError):
            raise _SchedulerGone from None
        for name, code in codes.items():
            self._refuse(name, code)
        self.workers = [name for name in there if name not in self.refused]
        if self.models and (new or self.unshared):
            self._share_models(client)

    def _refuse(self, name: str, code: object) -> None:
        if code != code_name() and name not in self.refused:
            self.refused.add(name)
            has = code if isinstance(code, str) else "no Footfall of this kind"
            self.notes.append(f"the worker {name} has {has}, here is {code_name()}; "
                              "it was refused: install the same on both")  # fmt: skip

    # ---- jobs out -------------------------------------------------------------------------

    def _submit(self, client: Any) -> None:
        """Keep every worker busy, and one job waiting for each."""
        while len(self.flying) < 2 * len(self.workers):
            job = self.again.popleft() if self.again else self._next_job()
            if job is None:
                return
            allowed = job.workers or (self.workers if self.refused else None)
            future = client.submit(
                plan_job, self._message(job), pure=False, workers=allowed, retries=0
            )
            self.flying[future.key] = future, job
            ended = self.ended
            future.add_done_callback(lambda one, queue=ended: queue.put(one.key))

    def _next_job(self) -> _Job | None:
        size = job_size(self.mean_s, self.total - self.done, len(self.workers))
        found: list[BatchQuery] = []
        while len(found) < size:
            query = next(self.waiting, None)
            if query is None:
                self.exhausted = True
                break
            if query.problem:
                self.wrong.append(failed_row(query.key, WRONG_INPUT, query.problem))
            else:
                found.append(query)
        return _Job(found) if found else None

    def _message(self, job: _Job) -> str:
        return json.dumps({
            "code": code_name(),
            "settings": self.settings.as_dict(),
            "limits": vars(self.limits),
            "target": "" if self.target.folder is not None else self.target.address,
            "queries": [
                {"key": q.key, "table": dict(q.table),
                 "trees": {name: [tree.name, tree.files] for name, tree in q.trees.items()}}
                for q in job.queries
            ],
        }, default=str)  # fmt: skip

    # ---- results in -----------------------------------------------------------------------

    def _take(self, client: Any, future: Any, job: _Job) -> Iterator[Row]:
        """Yield the rows of a job that has ended, or arrange for it to be done again."""
        if future.status == "finished":
            try:
                text, blobs = future.result(timeout=PATIENCE_S)
            except Exception:  # the worker died before its result was fetched
                self.again.append(job)
                return
            answer = json.loads(text)
            if "rows" in answer:
                known = len(self.models)
                self.models |= dict.fromkeys(answer["models"], answer["worker"])
                self.unshared |= len(self.models) > known
                yield from self._keep(answer["rows"], blobs)
            elif "refused" in answer:
                self._refuse(answer["worker"], answer["refused"])
                self.again.append(job)
            else:
                self._send(client, answer["worker"], answer["lacking"])
                self.again.append(job)
            return
        if future.status in ("cancelled", "lost"):
            self.again.append(job)
            return
        yield from self._fail(job, future.exception(timeout=PATIENCE_S))

    def _keep(self, rows: list[Row], blobs: tuple[bytes, ...]) -> Iterator[Row]:
        left = iter(blobs)
        for row in rows:
            self.done += 1
            took = row["timings"].get("worker", self.mean_s)
            self.mean_s += 0.1 * (took - self.mean_s)
            try:
                for file in row["files"].values() if blobs else ():
                    self.target.put(file["name"], next(left))
            except (FootfallError, OSError) as error:
                row = {**failed_row(row["key"], NOT_WRITTEN, str(error)), "again": True}
            yield row

    def _fail(self, job: _Job, error: BaseException) -> Iterator[Row]:
        """Divide a job with which workers were lost; report a query that it happened to twice."""
        if type(error).__name__ != "KilledWorker":
            why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            raise InputError(f"the workers cannot run a job ({why})")
        if len(job.queries) > 1:
            self.again.extend(_Job([query]) for query in job.queries)
        elif job.losses + 1 < DEATHS:
            self.again.append(_Job(job.queries, job.losses + 1))
        else:
            self.done += 1
            why = "workers of the cluster were lost with it again and again"
            yield {**failed_row(job.queries[0].key, KILLED, why), "again": True}

    def _share_models(self, client: Any) -> None:
        """Send each model to the hosts that lack it, from one that has it."""
        with suppress(OSError, TimeoutError, KeyError):  # workers were lost; the next look goes on
            found = client.run(missing_models, list(self.models), workers=self.workers)
            hosts = {cache: (worker, names) for worker, (cache, names) in found.items()}
            for name in sorted({name for _, names in hosts.values() for name in names}):
                owner = self.models[name]
                data = client.run(read_model, name, workers=[owner])[owner]
                lacking = [worker for worker, names in hosts.values() if name in names]
                if data:
                    client.run(put_model, name, data, workers=lacking)
            self.unshared = False

    def _send(self, client: Any, worker: str, addresses: list[str]) -> None:
        """Send files to a worker that lacks them."""
        for address in addresses:
            source = self.inputs.sources.get(address)
            if source is None:
                raise InputError("a file of a query has changed meanwhile")
            size = Path(source).stat().st_size
            with suppress(OSError, TimeoutError, KeyError), source.open("rb") as file:
                first = 0
                while first < size or first == 0:
                    data = file.read(_PIECE)
                    last = first + len(data) >= size
                    client.run(put_object, address, data, first, last, workers=[worker])
                    first += len(data)
                    if last:
                        break


class _SchedulerGone(Exception):
    """The connection to the scheduler is lost."""
