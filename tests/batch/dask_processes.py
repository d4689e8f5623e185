"""A Dask cluster of several processes on loopback addresses, which can be killed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
_START = """
import sys
from footfall.batch import supervise, cluster_worker
if {quick}:
    supervise.MODULE = "tests.batch.quick_worker"
    cluster_worker.compile_on_host = lambda methods: None
from distributed.cli.{program} import main
main()
"""


class Cluster:
    """A scheduler and workers, each a process of its own, on loopback addresses."""

    def __init__(self, folder: Path, quick: bool = True) -> None:
        self.folder, self.quick, self.port = folder, quick, free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = self.start_scheduler()
        self.workers: list[subprocess.Popen[bytes]] = []

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        where = ["--host", "127.0.0.1", "--port", str(self.port)]
        self.scheduler = self._start("dask_scheduler", *where, "--no-dashboard",
                                     "--dashboard-address", "127.0.0.1:0")  # fmt: skip
        end = time.monotonic() + 120.0
        while time.monotonic() < end:  # a busy machine takes its time
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
                break
            time.sleep(0.05)
        return self.scheduler

    def add_worker(self, cache: str = "shared") -> subprocess.Popen[bytes]:
        how = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
        how += ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
        how += ["--local-directory", str(self.folder), "--death-timeout", "60"]
        worker = self._start("dask_worker", self.address, *how, cache=cache)
        self.workers.append(worker)
        return worker

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start(self, program: str, *words: str, cache: str = "") -> subprocess.Popen[bytes]:
        code = _START.format(quick=self.quick, program=program)
        paths = os.pathsep.join([str(PROJECT / "src"), str(PROJECT)])
        environ = {**os.environ, "PYTHONPATH": paths}
        if cache and self.quick:
            environ["FOOTFALL_CACHE"] = str(self.folder / f"cache-{cache}")
        return subprocess.Popen(
            [sys.executable, "-c", code, *words], env=environ, cwd=self.folder,
            stdout=subprocess.DEVNULL, stderr=(self.folder / "log").open("ab"),
        )  # fmt: skip


def free_port() -> int:
    """Return a port that nothing listens to."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
