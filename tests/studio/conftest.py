"""A real server on a free port of loopback, in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

PROGRAM = (
    "import sys; from footfall.cli.main import main; sys.argv = ['footfall', *sys.argv[1:]]; main()"
)


class Server:
    """A studio in a process of its own."""

    def __init__(self, work: Path, *options: str) -> None:
        self.work = work
        words = [sys.executable, "-c", PROGRAM, "studio", "--no-open", "--port", "0", "--work"]
        self.process = subprocess.Popen(
            [*words, str(work), *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        assert self.process.stdout is not None
        self.address = ""
        for line in self.process.stdout:
            if "http://" in line:
                self.address = line.split(" at ")[1].strip()
                break
        assert self.address, "the studio did not start"
        self.client = httpx.Client(base_url=self.address.partition("?")[0], timeout=120)

    @property
    def socket(self) -> str:
        return "ws" + self.address.partition("?")[0].removeprefix("http")

    def stop(self, number: int = signal.SIGINT) -> float:
        """Stop the studio; return the seconds that it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(30)
        self.client.close()
        return time.monotonic() - began

    def finish(self, job: dict[str, object]) -> dict[str, object]:
        """Wait for a job's end."""
        until = time.monotonic() + 300
        while time.monotonic() < until:
            now = self.client.get(f"/api/jobs/{job['id']}").json()
            if now["status"] not in ("waiting", "running"):
                return dict(now)
            time.sleep(0.05)
        raise AssertionError("the job does not end")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("studio"))
    yield made
    if made.process.poll() is None:
        made.stop()
