"""NumPy archives opened without trust: no pickles, no zip bombs, nothing read that is not used.

An `.npz` file is a zip of `.npy` members. Before a member is unpacked its header is read and its
shape, its type and the size the zip declares must agree; so memory is bounded by what the file
can really hold:

- at most `MAX_MEMBERS` members, `MAX_ARRAY` bytes in one of them;
- a member above `SMALL` bytes may be packed at most `MAX_RATIO` to 1 (motion packs about 1.1 to
  1; deflate can do 1,000 to 1);
- numbers, booleans and text only: Python objects would have to be unpickled, which can run code.
"""

from __future__ import annotations

import math
import tokenize
import warnings
import zipfile
import zlib
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FileFormatError
from footfall.files.intake.raw import printable
from footfall.maths.arrays import Floats, first_not_finite

MAX_MEMBERS = 1024
MAX_ARRAY = 8 << 30
SMALL = 64 << 20
MAX_RATIO = 100
ASSUMED_FPS = 30.0
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, KeyError, RuntimeError,
    NotImplementedError, OverflowError, SyntaxError, TypeError, tokenize.TokenError,
    RecursionError,
)  # fmt: skip


class NpzArchive:
    """The members of an `.npz` file by key, each read when it is asked for."""

    def __init__(self, path: Path) -> None:
        self._closing = ExitStack()
        self._zip = self._closing.enter_context(_open_zip(path))
        try:
            members = self._zip.infolist()
            if len(members) > MAX_MEMBERS:
                raise FileFormatError(
                    f"the archive has {len(members)} members", remedy=f"at most {MAX_MEMBERS}"
                )
            self._members = {m.filename.removesuffix(".npy"): m for m in members}
        except BaseException:
            self._closing.close()
            raise

    def __enter__(self) -> NpzArchive:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._closing.close()

    def __contains__(self, key: str) -> bool:
        return key in self._members

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of all members."""
        return tuple(self._members)

    def first_of(self, *keys: str) -> str | None:
        """Return the first of these keys that the archive has."""
        return next((key for key in keys if key in self._members), None)

    def array(self, key: str) -> NDArray[Any]:
        """Return the array of a key, of numbers, booleans or text."""
        if key not in self._members:
            raise FileFormatError(
                f"the file has no array {key!r}", remedy="it has " + name_list(self.keys)
            )
        member = self._members[key]
        where = f"array {key[:60]!r}"
        try:
            _check_packing(member, where)
            with self._zip.open(member) as stream:
                return _read_npy(stream, member.file_size, where)
        except FileFormatError:
            raise
        except _DAMAGE as error:
            said = " ".join(str(error).split())[:120] or type(error).__name__
            raise FileFormatError(f"it is damaged ({said})", where=where) from None

    def numbers(self, key: str, *shape: int | None) -> NDArray[Any]:
        """Numbers of `shape` (None: any length) in the type they are stored in."""
        array = self.array(key)
        where = f"array {key!r}"
        if array.dtype.kind not in "biuf":
            remedy = "numbers are needed"
            raise FileFormatError(f"it holds {array.dtype}", where=where, remedy=remedy)
        fits = len(shape) == array.ndim and all(
            want in (None, have) for want, have in zip(shape, array.shape, strict=True)
        )
        if not fits:
            wanted = "(" + ", ".join("any" if n is None else str(n) for n in shape) + ")"
            raise FileFormatError(
                f"it has shape {array.shape}", where=where, remedy=f"it must have shape {wanted}"
            )
        return array

    def floats(self, key: str, *shape: int | None) -> Floats:
        """Finite float64 of `shape` (None: any length)."""
        array = self.numbers(key, *shape)
        with np.errstate(invalid="ignore", over="ignore"):  # not finite numbers are found below
            values = np.asarray(array, dtype=np.float64)
        bad = first_not_finite(values)
        if bad is not None:
            said = f"it holds {values[bad]} at index {list(bad)}"
            raise FileFormatError(said, where=f"array {key!r}")
        return values

    def number(self, key: str) -> float:
        """Return the single number of a key, whatever its shape."""
        array = self.array(key)
        if array.size != 1 or array.dtype.kind not in "biuf":
            raise FileFormatError(
                f"it holds {array.size} values of {array.dtype}", where=f"array {key!r}",
                remedy="one number is needed",
            )  # fmt: skip
        return float(array.reshape(-1)[0])

    def fps(self, notes: list[str]) -> float:
        """Return the frame rate, by any of the names it goes by; a note if it had to be assumed."""
        key = self.first_of("fps", "mocap_framerate", "mocap_frame_rate", "framerate")
        if key is None:
            notes.append(f"it states no frame rate; {ASSUMED_FPS:g} fps was assumed.")
            return ASSUMED_FPS
        fps = self.number(key)
        if not 0.0 < fps <= 100_000.0:
            raise FileFormatError(f"the frame rate is {fps}", where=f"array {key!r}")
        return fps

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the texts of a key, flattened."""
        array = self.array(key)
        if array.dtype.kind not in "US":
            raise FileFormatError(
                f"it holds {array.dtype}", where=f"array {key!r}", remedy="text is needed"
            )
        if array.dtype.kind == "U" and array.size:
            # NumPy hands out whatever 32 bits are there; Python breaks on what is no character.
            codes = np.ascontiguousarray(array).reshape(-1).view(np.uint32)
            if ((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes < 0xE000))).any():
                raise FileFormatError("its text is damaged", where=f"array {key!r}")
        flat = array.reshape(-1).tolist()
        return tuple(t.decode("utf-8", "replace") if isinstance(t, bytes) else t for t in flat)


def name_list(names: tuple[str, ...]) -> str:
    """Return the first few names as text, for messages."""
    shown = ", ".join(printable(n, 30) for n in names[:6])
    return (shown + ", …" if len(names) > 6 else shown) or "none"


def _open_zip(path: Path) -> zipfile.ZipFile:
    with path.open("rb") as start:
        magic = start.read(6)
    if magic == b"\x93NUMPY":
        raise FileFormatError(
            "it is a single NumPy array (.npy)", remedy="save several with numpy.savez"
        )
    if magic[:1] == b"\x80" or magic[:2] == b"(d":
        raise FileFormatError(
            "it is a Python pickle, which can run code when it is opened",
            remedy="save its arrays with numpy.savez",
        )
    try:
        return zipfile.ZipFile(path)
    except _DAMAGE:
        raise FileFormatError(
            "it is not an .npz archive, or it is cut off", remedy="it must be made by numpy.savez"
        ) from None


def _check_packing(member: zipfile.ZipInfo, where: str) -> None:
    if member.flag_bits & 0x1:
        raise FileFormatError("it is encrypted", where=where)
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise FileFormatError(
            "its compression is unknown", where=where, remedy="use numpy.savez_compressed"
        )
    if member.file_size > MAX_ARRAY:
        raise FileFormatError(
            f"it has {member.file_size} bytes", where=where, remedy=f"at most {MAX_ARRAY}"
        )
    if member.file_size > max(SMALL, MAX_RATIO * member.compress_size):
        raise FileFormatError(
            f"{member.compress_size} bytes would unpack to {member.file_size}", where=where,
            remedy=f"at most {MAX_RATIO} to 1 is believed above {SMALL >> 20} MB",
        )  # fmt: skip


def _read_npy(stream: IO[bytes], declared: int, where: str) -> NDArray[Any]:
    """Return one `.npy` member, read only if its header agrees with the size in the zip."""
    version = np.lib.format.read_magic(stream)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # headers written by Python 2 are as good as others
        if version == (1, 0):
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
        elif version == (2, 0):
            shape, fortran, dtype = np.lib.format.read_array_header_2_0(stream)
        else:
            raise FileFormatError(f"its .npy version is {version}", where=where)
    if dtype.hasobject:
        raise FileFormatError(
            "it holds pickled Python objects, which can run code when they are opened",
            where=where, remedy="save it as numbers or text",
        )  # fmt: skip
    if dtype.kind not in "biufUS":
        raise FileFormatError(
            f"it holds {str(dtype)[:60]}", where=where, remedy="numbers or text are needed"
        )
    size = math.prod(shape) * dtype.itemsize
    present = declared - stream.tell()
    if size != present or min(shape, default=0) < 0 or len(shape) > 8:
        raise FileFormatError(
            f"its shape {str(shape)[:60]} needs {size} bytes and {present} are there", where=where
        )
    buffer = np.empty(size, np.uint8)
    if stream.readinto(buffer.data) != size:  # type: ignore[attr-defined]
        raise FileFormatError("it is cut off", where=where)
    flat = buffer.view(dtype) if dtype.itemsize else np.zeros(math.prod(shape), dtype)
    native = flat.astype(dtype.newbyteorder("="), copy=False)
    return native.reshape(shape, order="F" if fortran else "C")
