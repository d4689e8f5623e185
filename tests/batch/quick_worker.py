"""A worker that answers at once instead of planning, and does what the name of a query says.

"dies" kills the process, "sleeps" does not end, "grows" takes memory, "fills" meets a full disk.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from pathlib import Path
from typing import Any

from footfall.batch import planning, worker
from footfall.batch.inputs import hash_file

GROWN: list[bytearray] = []


def row(self: planning.QueryPlanner, key: str, table: dict[str, Any]) -> dict[str, Any]:
    """Return a row as `QueryPlanner.row` does, with a file that depends on the query alone."""
    name = table.get("name", "")
    if name == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "sleeps":
        time.sleep(600.0)
    if name == "grows":
        GROWN.append(bytearray(os.urandom(1) * (700 << 20)))
        time.sleep(600.0)
    if name == "slow":
        time.sleep(0.2)
    file = Path(self.settings.folder, f"{key}.bvh")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if name == "fills":
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        file.write_bytes(key.encode() * 1000)
    except OSError as error:
        failed = planning.failed_row(key, planning.NOT_WRITTEN, str(error))
        return {**failed, "again": True}
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    kept = {"name": planning.motion_name(file.name), "bytes": file.stat().st_size,
            "sha256": hash_file(file)}  # fmt: skip
    made = planning.failed_row(key, "found", "")
    return {**made, "frames": 1, "method": "quick", "cost": 1.0, "files": {"bvh": kept},
            "timings": {"all": time.time()}}  # fmt: skip


if __name__ == "__main__":
    planning.QueryPlanner.row = row  # type: ignore[method-assign]
    worker.main()
