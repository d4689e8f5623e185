"""`results.jsonl`: one line per query, written as they end and put in order when all are there.

A line is complete or, after a crash, the last one and ignored. Rows of queries that ended are not
planned again as long as their files are there. The digest of a batch covers all rows in order and
the hashes of all files, but not what differs from run to run: the times that the work took.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from footfall.batch.queries import BatchQuery
from footfall.batch.target import FolderTarget, Target, remove_folder
from footfall.errors import InputError
from footfall.files.atomic import atomic_file
from footfall.library.store.folder import exclusive

Row = dict[str, Any]
RESULTS, LOCK = "results.jsonl", ".footfall-batch"
UNTIMED = ("timings",)
"""The fields of a row that differ from run to run."""
_UPLOAD_EVERY_S = 30.0


class Results:
    """The rows of a batch, on disk; in memory are their keys and places alone.

    folder    where the file is while the batch runs
    workroom  a folder on the same disk for half-written files
    """

    def __init__(self, target: Target, formats: Sequence[str], *, force: bool = False) -> None:
        self.target, self.formats = target, tuple(formats)
        self._temporary = target.folder is None
        self.folder = target.folder or Path(mkdtemp(prefix="footfall-batch-"))
        self.workroom = self.folder / f"{LOCK}-work"
        self.file = self.folder / RESULTS
        self._places: dict[bytes, tuple[int, int]] = {}
        self._out: FileIO | None = None
        self._uploaded = time.monotonic()
        self._force = force

    def open(self) -> None:
        """Read what an earlier run left, and get ready to append."""
        if self._temporary:
            earlier = self.target.get(RESULTS)
            if earlier is not None:
                self.file.write_bytes(earlier)
        remove_folder(self.workroom)
        try:
            self.workroom.mkdir(parents=True, exist_ok=True)
            if self.file.exists():
                self._read()
            self._out = self.file.open("ab", buffering=0)
        except OSError as error:
            raise _not_written(self.file, error) from None

    def close(self) -> None:
        """Close the file and remove what is temporary."""
        if self._out is not None:
            self._out.close()
            self._out = None
        remove_folder(self.workroom)
        if self._temporary:
            remove_folder(self.folder)

    def __contains__(self, key: str) -> bool:
        return bytes.fromhex(key) in self._places

    def __len__(self) -> int:
        return len(self._places)

    def row(self, key: str) -> Row:
        """Return the row of a query that has ended."""
        first, length = self._places[bytes.fromhex(key)]
        with self.file.open("rb") as file:
            file.seek(first)
            return dict(json.loads(file.read(length)))

    def append(self, row: Row) -> None:
        """Add the row of a query; it is on disk, as one whole line, when this returns."""
        assert self._out is not None
        line = json.dumps(row, allow_nan=False).encode() + b"\n"
        first = self._out.tell()
        try:
            if self._out.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            with suppress(OSError):
                self._out.truncate(first)
            raise _not_written(self.file, error) from None
        self._places[bytes.fromhex(row["key"])] = first, len(line)
        if self._temporary and time.monotonic() - self._uploaded > _UPLOAD_EVERY_S:
            self.target.put(RESULTS, self.file.read_bytes())
            self._uploaded = time.monotonic()

    def put_in_order(self, queries: Iterable[BatchQuery]) -> str:
        """Rewrite the file in the order of the queries; return the digest of the batch."""
        assert self._out is not None
        digest = hashlib.sha256()
        with (
            atomic_file(self.file) as temporary, temporary.open("wb") as out,
            self.file.open("rb") as rows,
        ):  # fmt: skip
            for query in queries:
                place = self._places.get(bytes.fromhex(query.key))
                if place is None:
                    continue
                rows.seek(place[0])
                row = label_row(json.loads(rows.read(place[1])), query)
                out.write(json.dumps(row, allow_nan=False).encode() + b"\n")
                digest.update(timeless(row).encode())
        self._out.close()
        self._out = self.file.open("ab", buffering=0)
        if self._temporary:
            self.target.put(RESULTS, self.file.read_bytes())
        return digest.hexdigest()

    def _read(self) -> None:
        """Take over the rows that still hold; cut off a line that was not finished."""
        with self.file.open("r+b") as file:
            first = 0
            for line in file:
                row = parse_row(line)
                if row is None and line.endswith(b"\n") and not self._force:
                    raise InputError(
                        "holds a line that is no result of a batch", where=str(self.file),
                        remedy="name another folder, or say --force",
                    )  # fmt: skip
                if row is not None and self._holds(row):
                    self._places[bytes.fromhex(row["key"])] = first, len(line)
                if line.endswith(b"\n"):
                    first += len(line)
            file.truncate(first)

    def _holds(self, row: Row) -> bool:
        """Return whether a query need not be planned again: it ended, and its files are there."""
        files: Mapping[str, Any] = row.get("files", {})
        if row.get("again") or (row.get("frames") and not set(self.formats) <= set(files)):
            return False
        return all(self.target.size(f["name"]) == f["bytes"] for f in files.values())


def label_row(row: Row, query: BatchQuery) -> Row:
    """Return a row with the place and name of a query; queries that are alike share the rest."""
    own = {"number": query.number, "name": query.name, "where": query.where}
    return {**own, **{k: v for k, v in row.items() if k not in own}}


def timeless(row: Row) -> str:
    """Return a row as text without what differs from run to run."""
    return json.dumps({k: v for k, v in row.items() if k not in UNTIMED}, sort_keys=True)


def read_results(file: str | Path) -> Iterator[Row]:
    """Yield the rows of a results file; an unfinished last line is left out."""
    with Path(file).open("rb") as lines:
        for line in lines:
            row = parse_row(line)
            if row is not None:
                yield row


@contextmanager
def only_one(target: Target) -> Iterator[None]:
    """Let no other batch write to the same folder in the body."""
    if not isinstance(target, FolderTarget) or target.folder is None:
        yield
        return
    lock = target.folder / LOCK
    with exclusive(lock, wait_s=0.0) as held:
        if not held:
            raise InputError("another batch is writing to it", where=target.address,
                             remedy="wait for it, or name another folder")  # fmt: skip
        yield
        lock.unlink(missing_ok=True)


def parse_row(line: bytes) -> Row | None:
    """Return the row in a line of a results file; None if it is unfinished or something else."""
    if not line.endswith(b"\n"):
        return None
    try:
        row = json.loads(line)
        bytes.fromhex(row["key"])
    except (ValueError, KeyError, TypeError):
        return None
    return row if isinstance(row, dict) and "status" in row else None


def _not_written(file: Path, error: OSError) -> InputError:
    why = error.strerror or os.strerror(error.errno or 0)
    return InputError(
        f"cannot be written ({why})", where=str(file),
        remedy="what has ended is kept; make room and run the same command again",
    )  # fmt: skip
