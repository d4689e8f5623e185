"""What runs on the workers of a Dask cluster.

A job is a text of JSON: queries, settings, and the addresses of the files that the queries name.
Files come as bytes, once for each host, and are kept in its cache by address. Planning itself is
done in a process beside Dask's worker, with the same limits as on one machine.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from footfall import __version__
from footfall.batch.inputs import InputTree, hash_file, hash_text, replace_names
from footfall.batch.local import store_files
from footfall.batch.models import find_models
from footfall.batch.planning import NOT_WRITTEN, WRONG_INPUT, failed_row
from footfall.batch.supervise import Limits, Row, WorkerProcess, compile_on_host
from footfall.batch.target import open_target
from footfall.batch.worker import WorkerSettings
from footfall.cache_paths import cache_root, make_folder

_MEMORY_SHARE, _CACHE_SHARE = 0.9, 0.5
_IDLE: dict[str, list[WorkerProcess]] = {}
_BUSY: dict[str, list[WorkerProcess]] = {}
"""The processes beside each worker of Dask, by its address."""
_LOCK = threading.Lock()
_COMPILED: set[str] = set()

Answer = tuple[str, tuple[bytes, ...]]
"""Rows, or what is missing, as JSON; and the files of the rows if the client stores them."""


@cache
def code_name() -> str:
    """Return what decides on the bytes of results: the version, and a hash of all sources."""
    import numpy as np

    package = Path(__file__).resolve().parents[1]
    sources = [f"{f.relative_to(package)} {hash_file(f)}" for f in sorted(package.rglob("*.py"))]
    code = hash_text("\n".join(sources))[:8]
    python = ".".join(map(str, sys.version_info[:2]))
    return f"Footfall {__version__} (code {code}, numpy {np.__version__}, Python {python})"


def plan_job(job: str) -> Answer:
    """Plan the queries of a job; or say which files are missing, or why the worker is refused."""
    asked, began = json.loads(job), time.time()
    if asked["code"] != code_name():
        return json.dumps({"refused": code_name(), "worker": _worker_name()}), ()
    lacking = sorted({address for query in asked["queries"] for address in _missing_files(query)})
    if lacking:
        return json.dumps({"lacking": lacking, "worker": _worker_name()}), ()
    for method in {str(query["table"].get("method", "auto")) for query in asked["queries"]}:
        with _LOCK:
            if method not in _COMPILED:
                compile_on_host([method])
                _COMPILED.add(method)
    target = open_target(asked["target"]) if asked["target"] else None
    rows: list[Row] = []
    blobs: list[bytes] = []
    with _process(asked) as process:
        folder = Path(process.settings.folder)
        for query in asked["queries"]:
            row = _plan(process, query)
            if target is not None:
                row = store_files(row, folder, target)
            else:
                blobs += _take_files(row, folder)
            rows.append(row)
    answer = {"rows": rows, "worker": _worker_name(), "models": list(find_models(began))}
    return json.dumps(answer), tuple(blobs)


def put_object(address: str, data: bytes, first: int, last: bool) -> None:
    """Keep a piece of a file; with the last one the file is complete under its address."""
    place = _object(address)
    make_folder(place.parent)
    part = place.with_name(f"{address}.{os.getpid()}.part")
    with part.open("r+b" if first else "wb") as file:
        file.seek(first)
        file.write(data)
    if last:
        if hash_file(part) == address:
            part.replace(place)
        else:
            part.unlink()


def close_processes(dask_worker: Any = None) -> None:
    """End the processes that plan for a worker of Dask, which Dask names."""
    name = str(getattr(dask_worker, "address", "here"))
    with _LOCK:
        both = [*_IDLE.pop(name, ()), *_BUSY.pop(name, ())]
    for process in both:
        process.close()
        shutil.rmtree(process.settings.folder, ignore_errors=True)


def _plan(process: WorkerProcess, query: Mapping[str, Any]) -> Row:
    trees = _trees(query)
    try:
        places = {name: str(_unpack(tree)) for name, tree in trees.items()}
    except OSError as error:
        failed = failed_row(query["key"], NOT_WRITTEN, f"{error.filename}: {error.strerror}")
        return {**failed, "again": True}
    table = replace_names(query["table"], lambda name: places.get(name, name))
    row = process.plan(query["key"], table)
    if row["status"] == WRONG_INPUT:  # sentences name files as the query does
        for name, place in places.items():
            row["reason"] = row["reason"].replace(place, name)
    return row


def _take_files(row: Row, folder: Path) -> Iterator[bytes]:
    """Yield the contents of a row's files and remove them."""
    for file in row["files"].values():
        place = folder / Path(file["name"]).name
        yield place.read_bytes()
        place.unlink()


# ---- processes --------------------------------------------------------------------------


@contextmanager
def _process(asked: Mapping[str, Any]) -> Iterator[WorkerProcess]:
    """Lend a process to one of the threads of this worker of Dask."""
    name = _worker_name()
    with _LOCK:
        idle, busy = _IDLE.setdefault(name, []), _BUSY.setdefault(name, [])
        process = idle.pop() if idle else None
    settings, limits = _settings(asked)
    if process is not None and (
        replace(process.settings, folder="") != settings or process.limits != limits
    ):
        process.close()
        process = None
    if process is None:
        folder = mkdtemp(prefix="footfall-", dir=_scratch())
        process = WorkerProcess(replace(settings, folder=folder), limits)
    busy.append(process)
    try:
        yield process
        idle.append(process)  # of no effect after `close_processes`
    except BaseException:
        process.close()
        raise
    finally:
        busy.remove(process)


def _settings(asked: Mapping[str, Any]) -> tuple[WorkerSettings, Limits]:
    given = {**asked["settings"], "formats": tuple(asked["settings"]["formats"]), "folder": ""}
    limits = Limits(**asked["limits"])
    if limits.memory_mb is None and (share := _memory_share()):
        limits = replace(limits, memory_mb=share)
        given["cache_mb"] = _CACHE_SHARE * share
    return WorkerSettings(**given), limits


def _memory_share() -> float:
    """Return the megabytes that each thread of this worker of Dask has; 0 if it has no limit."""
    worker = _dask_worker()
    manager = getattr(worker, "memory_manager", None)
    limit = float(getattr(manager, "memory_limit", None) or 0.0)
    threads = max(1, int(getattr(getattr(worker, "state", None), "nthreads", 1)))
    return _MEMORY_SHARE * limit / 1e6 / threads


def _dask_worker() -> Any:
    from distributed import get_worker

    try:
        return get_worker()
    except ValueError:
        return None


def _worker_name() -> str:
    return str(getattr(_dask_worker(), "address", "here"))


def _scratch() -> str | None:
    folder = getattr(_dask_worker(), "local_directory", None)
    return folder if folder and Path(folder).is_dir() else None


# ---- files ------------------------------------------------------------------------------


def _root() -> Path:
    return cache_root() / "batch"


def _object(address: str) -> Path:
    if not (len(address) == 64 and set(address) <= set("0123456789abcdef")):
        raise ValueError("an address has 64 hexadecimal digits")
    return _root() / "objects" / address[:2] / address


def _trees(query: Mapping[str, Any]) -> dict[str, InputTree]:
    return {
        name: InputTree(tree[0], tuple((file, address) for file, address in tree[1]))
        for name, tree in query["trees"].items()
    }


def _missing_files(query: Mapping[str, Any]) -> Iterator[str]:
    """Yield the addresses of files that this host does not have."""
    for tree in _trees(query).values():
        if not (_root() / "trees" / tree.address).is_dir():
            yield from (address for _, address in tree.files if not _object(address).is_file())


def _unpack(tree: InputTree) -> Path:
    """Return where the file or folder is that a tree stands for, made of objects at first."""
    place = _root() / "trees" / tree.address
    if not place.is_dir():
        make_folder(place.parent)
        part = Path(mkdtemp(prefix="part-", dir=place.parent))
        for name, address in tree.files:
            file = part / name
            if part not in file.resolve().parents:
                raise OSError(1, "is outside of its folder", name)
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(_object(address), file)
        with suppress(OSError):  # another process was first
            part.rename(place)
        shutil.rmtree(part, ignore_errors=True)
    return place / tree.name
