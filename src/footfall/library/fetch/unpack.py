"""Motion files out of an archive that is not to be trusted.

Only regular files with the suffix of a clip are written, under names made of safe parts, and only
as many bytes as are allowed, counted as they come: what an archive says about itself is not
believed. Links, devices and archives within the archive are passed over. A path that leads out of
the archive, a password or a bomb ends it, and nothing stays.
"""

from __future__ import annotations

import bz2
import gzip
import io
import re
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from footfall.errors import FileFormatError, InputError
from footfall.files.formats import readable_suffixes

Progress = Callable[[float], None]

_BLOCK = 1 << 18
_MOST_IN_ONE_READ = 4 << 20
_MOST_DEPTH, _LONGEST_NAME = 32, 200
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
_KNOWN = "a zip or tar (.tar, .tar.gz, .tar.bz2) with clips in it"


@dataclass(frozen=True)
class ArchiveLimits:
    """The limits of an archive.

    clips        motion files; the largest public sets have about 15,000
    entries      files and folders of any kind
    total_bytes  of all motion files
    file_bytes   of one of them
    ratio        unpacked size against packed, beyond the first `free_bytes`; text of motion
                 packs to a fifth, standing still to a fiftieth
    directory_bytes   of a zip's list of contents, which is read at once
    """

    clips: int = 25_000
    entries: int = 100_000
    total_bytes: int = 64 << 30
    file_bytes: int = 2 << 30
    ratio: float = 200.0
    free_bytes: int = 64 << 20
    directory_bytes: int = 64 << 20


def unpack(
    archive: Path,
    folder: Path,
    progress: Progress | None = None,
    limits: ArchiveLimits | None = None,
) -> int:
    """Put the motion files of `archive` into the new folder `folder`; returns how many.

    `archive` may also be a single clip. Raises an InputError with one sentence, and leaves no
    folder, if there is anything wrong with it.
    """
    folder.mkdir(parents=True)
    try:
        with _one_sentence(archive):
            to = _Unpacking(archive, folder, limits or ArchiveLimits())
            count = _unpack(archive, to, progress)
        if not count:
            known = ", ".join(sorted(_suffixes()))
            raise InputError("holds no clips", where=archive.name, remedy=f"known: {known}")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return count


def _unpack(archive: Path, to: _Unpacking, progress: Progress | None) -> int:
    with archive.open("rb") as file:
        head = file.read(512)
        file.seek(0)
        show = progress or (lambda share: None)
        if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
            return _from_zip(file, to, show)
        if head.startswith(b"\x1f\x8b"):
            return _from_tar(gzip.GzipFile(fileobj=file), file, to, show)
        if head.startswith(b"BZh"):
            return _from_tar(bz2.BZ2File(file), file, to, show)
        if head[257:262] == b"ustar":
            return _from_tar(file, file, to, show)
        if archive.suffix.lower() in _suffixes():
            return to.put(archive.name, file)
    raise FileFormatError("is no archive", where=archive.name, remedy=f"give {_KNOWN}")


def _from_zip(file: IO[bytes], to: _Unpacking, progress: Progress) -> int:
    if _directory_size(file) > to.limits.directory_bytes:
        raise to.refusal("its list of contents is too long")
    with zipfile.ZipFile(file) as packed:
        members = packed.infolist()
        if len(members) > to.limits.entries:
            raise to.refusal(f"it holds {len(members)} files, {to.limits.entries} are allowed")
        if sum(to.wants(member.filename) for member in members) > to.limits.clips:
            raise to.too_many_clips()
        count = 0
        for number, member in enumerate(members):
            name = member.filename
            kind = stat.S_IFMT(member.external_attr >> 16)
            plain = kind in (0, stat.S_IFREG) and not member.is_dir()
            if to.wants(name) and plain:
                if member.flag_bits & 0x1:
                    raise to.refusal("it is locked with a password")
                if member.compress_type not in _METHODS:
                    raise to.refusal(f"it is packed in a way that is not known here ({name!r})")
                with packed.open(member) as content:
                    count += to.put(name, content)
            progress((number + 1) / len(members))
    return count


def _from_tar(
    content: IO[bytes] | io.IOBase, raw: IO[bytes], to: _Unpacking, progress: Progress
) -> int:
    size = max(to.archive.stat().st_size, 1)
    count = entries = 0
    with tarfile.open(fileobj=_Bounded(content, to), mode="r:") as packed:  # type: ignore[call-overload]
        for member in packed:
            entries += 1
            if entries > to.limits.entries:
                raise to.refusal(f"it holds more than {to.limits.entries} files")
            if count >= to.limits.clips:
                raise to.too_many_clips()
            if to.wants(member.name) and member.isreg() and not member.issparse():
                inner = packed.extractfile(member)
                if inner is not None:
                    count += to.put(member.name, inner, member.size)
            packed.members.clear()  # type: ignore[attr-defined]  # the reader would keep them all
            progress(min(raw.tell() / size, 1.0))
    return count


class _Unpacking:
    """Where files are written, and how much has been written."""

    def __init__(self, archive: Path, folder: Path, limits: ArchiveLimits) -> None:
        self.archive, self.folder, self.limits = archive, folder, limits
        self.written = 0
        packed = archive.stat().st_size
        self.most = min(limits.total_bytes, int(limits.free_bytes + limits.ratio * packed))

    def wants(self, name: str) -> bool:
        """Return whether a file of this name is a clip; unsafe paths are refused in any case."""
        parts = self._parts(name)
        hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts)
        return bool(parts) and not hidden and Path(parts[-1]).suffix.lower() in _suffixes()

    def put(self, name: str, content: IO[bytes], size: int | None = None) -> int:
        """Write one file; 1."""
        target = self.folder.joinpath(*(_safe(part) for part in self._parts(name)))
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            file = target.open("xb")
        except FileExistsError:
            raise self.refusal(f"it holds two files called {name[:80]!r}") from None
        with file:
            got = 0
            while block := content.read(_BLOCK):
                got += len(block)
                self.written += len(block)
                if got > self.limits.file_bytes or self.written > self.most:
                    raise self.refusal("it unpacks to far more than it could hold of motion")
                file.write(block)
        if size is not None and got != size:
            raise FileFormatError("is cut off or damaged", where=self.archive.name)
        return 1

    def _parts(self, name: str) -> list[str]:
        flat = name.replace("\\", "/")
        parts = [part for part in flat.split("/") if part not in ("", ".")]
        if flat.startswith("/") or ".." in parts or re.match(r"[A-Za-z]:", flat) or "\0" in flat:
            raise self.refusal(f"it holds a path that leads out of it ({name[:80]!r})")
        if len(parts) > _MOST_DEPTH or any(len(p.encode()) > _LONGEST_NAME for p in parts):
            raise self.refusal(f"it holds a path that is too long ({name[:40]!r}…)")
        return parts

    def too_many_clips(self) -> InputError:
        return self.refusal(f"it holds more than {self.limits.clips} motion files")

    def refusal(self, why: str) -> InputError:
        return InputError(f"is not unpacked: {why}", where=self.archive.name)


class _Bounded(io.RawIOBase):
    """Reads on through a tar, as much as is allowed: headers that claim gigabytes end it."""

    def __init__(self, content: IO[bytes] | io.IOBase, to: _Unpacking) -> None:
        self.content, self.to, self.at = content, to, 0
        self.most = to.most + 1024 * to.limits.entries

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.at

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= _MOST_IN_ONE_READ:
            raise self.to.refusal("a header of it claims to be huge")
        parts = []
        while size > 0 and (block := self.content.read(size)):  # type: ignore[attr-defined]
            parts.append(block)
            size -= len(block)
            self.at += len(block)
            if self.at > self.most:
                raise self.to.refusal("it unpacks to far more than it could hold of motion")
        return b"".join(parts)

    def seek(self, to: int, whence: int = io.SEEK_SET) -> int:
        if whence != io.SEEK_SET:
            raise self.to.refusal("it makes no sense")
        if to < self.at:
            self.content.seek(to)
            self.at = to
        while self.at < to and self.read(min(to - self.at, _BLOCK)):
            pass
        return self.at


@contextmanager
def _one_sentence(archive: Path) -> Iterator[None]:
    """Turn the errors of archive readers into one sentence."""
    try:
        yield
    except InputError:
        raise
    except (
        zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, ValueError, struct.error,
        gzip.BadGzipFile, NotImplementedError, RuntimeError, UnicodeError, OverflowError,
    ):  # fmt: skip
        raise FileFormatError("is cut off or damaged", where=archive.name) from None
    except OSError as error:
        if error.errno is None:  # bz2 says so where data are damaged
            raise FileFormatError("is cut off or damaged", where=archive.name) from None
        raise InputError(f"cannot be unpacked ({error.strerror})", where=archive.name) from None


def _directory_size(file: IO[bytes]) -> int:
    """Return the bytes of a zip's list of contents, as its last record states; 0 if none.

    Found the way `zipfile` finds it, before that reads the list into memory.
    """
    size = file.seek(0, io.SEEK_END)
    start = max(0, size - 22 - 0xFFFF - 76)
    file.seek(start)
    tail = file.read()
    at = len(tail) - 22 if tail[-22:-18] == b"PK\x05\x06" and tail[-2:] == b"\0\0" else -1
    at = tail.rfind(b"PK\x05\x06") if at < 0 else at
    stated = 0
    if at >= 0 and len(tail) - at >= 22:
        stated = int(struct.unpack_from("<L", tail, at + 12)[0])
        if at >= 76 and tail[at - 20 : at - 16] == b"PK\x06\x07":
            stated = max(stated, int(struct.unpack_from("<Q", tail, at - 76 + 40)[0]))
    file.seek(0)
    return stated if stated != 0xFFFFFFFF else size


def _suffixes() -> set[str]:
    return {*readable_suffixes(), ".asf"}


def _safe(part: str) -> str:
    """Return a part of a path that every system takes as the name of a file."""
    name = re.sub(r'[<>:"|?*\x00-\x1f\x7f]', "_", part).rstrip(". ") or "_"
    return f"_{name}" if _RESERVED.fullmatch(name) else name
