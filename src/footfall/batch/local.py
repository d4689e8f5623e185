"""Plan queries in processes of this machine."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from queue import Empty, Full, Queue, SimpleQueue
from typing import Any

from footfall.batch.planning import NOT_WRITTEN, WRONG_INPUT, failed_row
from footfall.batch.queries import BatchQuery
from footfall.batch.supervise import (
    Limits,
    Row,
    Stopping,
    WorkerProcess,
    compile_on_host,
    share_cores,
)
from footfall.batch.target import Target
from footfall.batch.worker import WorkerSettings
from footfall.errors import FootfallError

_POLL_S = 0.2


def run_local(
    queries: Iterator[BatchQuery], settings: WorkerSettings, limits: Limits, workers: int,
    target: Target,
) -> Generator[Row, None, None]:  # fmt: skip
    """Yield the rows of queries as they end; at most a few queries are held at a time."""
    settings = share_cores(settings, workers)
    waiting: Queue[BatchQuery | None] = Queue(2 * workers)
    ended: SimpleQueue[Row | BaseException | None] = SimpleQueue()
    pool = [WorkerProcess(settings, limits) for _ in range(workers)]
    stop = threading.Event()
    threads = [threading.Thread(target=_fill_queue, args=(queries, waiting, workers, ended, stop))]
    threads += [
        threading.Thread(target=_work, args=(worker, waiting, ended, target, stop))
        for worker in pool
    ]
    for thread in threads:
        thread.daemon = True
        thread.start()
    left = workers
    try:
        while left:
            try:
                item = ended.get(timeout=_POLL_S)  # a wait without an end would ignore Ctrl-C
            except Empty:
                continue
            if item is None:
                left -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                yield item
    finally:
        stop.set()
        for worker in pool:
            worker.close()
        for thread in threads:
            thread.join()


def _fill_queue(
    queries: Iterator[BatchQuery], waiting: Queue[BatchQuery | None], workers: int,
    ended: SimpleQueue[Any], stop: threading.Event,
) -> None:  # fmt: skip
    """Hand out queries, and one end for each worker; kernels are compiled before a method's first.

    Processes that compile the same at once would race for the cache.
    """
    compiled: set[str] = set()
    try:
        for query in queries:
            if query.problem:
                ended.put(failed_row(query.key, WRONG_INPUT, query.problem))
                continue
            method = str(query.table.get("method", "auto"))
            if method not in compiled:
                compile_on_host([method])
                compiled.add(method)
            _put(waiting, query, stop)
        for _ in range(workers):
            _put(waiting, None, stop)
    except Stopping:
        return
    except BaseException as error:  # it belongs to the main thread
        ended.put(error)


def _put(waiting: Queue[BatchQuery | None], item: BatchQuery | None, stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            waiting.put(item, timeout=_POLL_S)
        except Full:
            continue
        return
    raise Stopping


def _work(
    worker: WorkerProcess, waiting: Queue[BatchQuery | None], ended: SimpleQueue[Any],
    target: Target, stop: threading.Event,
) -> None:  # fmt: skip
    """Let a process plan queries until there are no more."""
    try:
        while not stop.is_set():
            try:
                query = waiting.get(timeout=_POLL_S)
            except Empty:
                continue
            if query is None:
                break
            row = worker.plan(query.key, query.table)
            ended.put(store_files(row, Path(worker.settings.folder), target))
    except Stopping:
        return
    except BaseException as error:
        ended.put(error)
        return
    ended.put(None)


def store_files(row: Row, folder: Path, target: Target) -> Row:
    """Move the files of a row to where they belong; return the row, or one that says why not."""
    try:
        for file in row["files"].values():
            target.take(folder / Path(file["name"]).name, file["name"])
    except (FootfallError, OSError) as error:
        why = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
        return {**failed_row(row["key"], NOT_WRITTEN, why), "again": True}
    return row
