"""Opening glTF files: the binary container, buffers and accessors, every range checked.

Nothing is allocated before the bytes that should fill it are known to be there, so a small file
cannot ask for much memory. Buffers outside the file are read from its own folder alone.
"""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FileFormatError
from footfall.files.gltf.schema import Accessor, Gltf, SparsePart, parse
from footfall.maths.arrays import Floats, first_not_finite

MAX_EMPTY = 1 << 22
"""Accessors without data of their own (zeros, or sparse) hold at most this many numbers."""

_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")

_Item = TypeVar("_Item")
Octets = NDArray[np.uint8]


@dataclass
class GltfFile:
    """A parsed glTF file and the bytes it came with."""

    gltf: Gltf
    folder: Path
    chunk: Octets | None = None
    _buffers: dict[int, Octets] = field(default_factory=dict)
    _decoded: int = 0

    def floats(self, index: int, kind: str, normalise: bool = False) -> Floats:
        """Return (count,) or (count, width) float64 of an accessor that must be of `kind` ("VEC3").

        Integers are scaled to 0..1 or -1..1 where the accessor, or `normalise`, says so.
        """
        accessor = item(self.gltf.accessors, index, "accessors")
        where = f"accessors[{index}]"
        if accessor.type != kind:
            raise FileFormatError(
                f"it is of type {accessor.type}", where=where, remedy=f"use {kind}"
            )
        raw = self._elements(accessor, where)
        self._refuse_repetition(raw.size)
        with np.errstate(invalid="ignore"):  # a signalling NaN is found below
            values = raw.astype(np.float64)
        if raw.dtype.kind in "iu" and (accessor.normalized or normalise):
            values /= float(np.iinfo(raw.dtype).max)
            np.maximum(values, -1.0, out=values)
        bad = first_not_finite(values)
        if bad is not None:
            raise FileFormatError(f"element {bad[0]} is {values[bad]}", where=where)
        return values[:, 0] if kind == "SCALAR" else values

    def _refuse_repetition(self, numbers: int) -> None:
        """Many accessors over the same bytes must not turn a small file into endless work."""
        self._decoded += numbers
        loaded = sum(len(data) for data in self._buffers.values())
        if self._decoded > 4 * MAX_EMPTY + 16 * loaded:
            raise FileFormatError("its accessors read the same data over and over")

    def _elements(self, accessor: Accessor, where: str) -> NDArray[Any]:
        width, dtype = _WIDTHS[accessor.type], np.dtype(_DTYPES[accessor.componentType])
        if accessor.bufferView is not None:
            values = self._strided_view(
                accessor.bufferView, accessor.byteOffset, accessor.count, width, dtype, where
            )
        else:
            if accessor.count * width > MAX_EMPTY:
                raise FileFormatError(
                    f"it holds {accessor.count} elements but no data", where=where,
                    remedy="give it a buffer view",
                )  # fmt: skip
            values = np.zeros((accessor.count, width), dtype)
        if accessor.sparse is not None and accessor.sparse.count:
            sparse, count = accessor.sparse, accessor.sparse.count
            if count > accessor.count:
                raise FileFormatError(
                    f"it replaces {count} of {accessor.count} values", where=where
                )
            rows = self._sparse(sparse.indices, count, 1, where)[:, 0]
            if rows.dtype.kind != "u" or int(rows.max()) >= accessor.count:
                raise FileFormatError("its sparse indices do not fit", where=where)
            part = sparse.values
            changed = self._strided_view(
                part.bufferView, part.byteOffset, count, width, dtype, where
            )
            values = values.copy()
            values[rows] = changed
        return values

    def _sparse(self, part: SparsePart, count: int, width: int, where: str) -> NDArray[Any]:
        name = _DTYPES.get(part.componentType)
        if name is None:
            raise FileFormatError(f"its sparse indices have type {part.componentType}", where=where)
        dtype = np.dtype(name)
        return self._strided_view(part.bufferView, part.byteOffset, count, width, dtype, where)

    def _strided_view(
        self, view_index: int, offset: int, count: int, width: int, dtype: np.dtype[Any], where: str
    ) -> NDArray[Any]:
        """Return (count, width) elements, where the buffer view is sure to hold them all."""
        view = item(self.gltf.bufferViews, view_index, "bufferViews")
        if any(name in view.extensions for name in _MESHOPT):
            raise FileFormatError(
                "its data is compressed by meshopt", where=where, remedy="export it uncompressed"
            )
        size = width * dtype.itemsize
        stride = view.byteStride or size
        needed = offset + stride * (count - 1) + size
        if stride < size or needed > view.byteLength:
            raise FileFormatError(
                f"it needs {needed} bytes and bufferViews[{view_index}] holds {view.byteLength}",
                where=where,
            )
        data = self._buffer(view.buffer)
        if view.byteOffset + view.byteLength > len(data):
            raise FileFormatError(
                f"it ends at byte {view.byteOffset + view.byteLength} of a buffer of {len(data)}",
                where=f"bufferViews[{view_index}]",
            )
        start = view.byteOffset + offset
        table = np.lib.stride_tricks.as_strided(
            data[start : start + needed - offset], (count, size), (stride, 1), writeable=False
        )
        return np.ascontiguousarray(table).view(dtype)

    def _buffer(self, index: int) -> Octets:
        """Return the bytes of a buffer, loaded once, cut to the length it states."""
        if index not in self._buffers:
            buffer = item(self.gltf.buffers, index, "buffers")
            where = f"buffers[{index}]"
            if buffer.uri is None:
                if index != 0 or self.chunk is None:
                    raise FileFormatError("its data is missing from the file", where=where)
                data = self.chunk
            elif buffer.uri[:5].lower() == "data:":
                data = _decode_embedded(buffer.uri, where)
            else:
                data = _beside(self.folder, buffer.uri, buffer.byteLength, where)
            if len(data) < buffer.byteLength:
                raise FileFormatError(
                    f"it should hold {buffer.byteLength} bytes but holds {len(data)}", where=where,
                    remedy="the file is cut off or damaged",
                )  # fmt: skip
            self._buffers[index] = data[: buffer.byteLength]
        return self._buffers[index]


def item(things: list[_Item], index: int, name: str) -> _Item:
    """Return `things[index]`, or an error that says which list is too short."""
    if not 0 <= index < len(things):
        raise FileFormatError(
            f"the file names {name}[{index}]", remedy=f"it holds {len(things)} of them"
        )
    return things[index]


def open_gltf(path: Path) -> GltfFile:
    """Open a `.glb` or `.gltf` file; its first bytes decide which it is."""
    data: Octets = np.fromfile(path, dtype=np.uint8)
    if len(data) == 0:
        raise FileFormatError("the file is empty")
    if data[:4].tobytes() != b"glTF":
        text = data.tobytes()
        if text[:3] == b"\xef\xbb\xbf":
            text = text[3:]
        if text.lstrip()[:1] != b"{":
            raise FileFormatError(
                "it is neither a binary nor a text glTF file",
                remedy="a .glb file begins with glTF, a .gltf file with {",
            )
        return GltfFile(parse(text), path.parent)
    text, chunk = _chunks(data)
    return GltfFile(parse(text), path.parent, chunk)


def _chunks(data: Octets) -> tuple[bytes, Octets | None]:
    """Return the JSON text and the binary chunk of a GLB file."""
    if len(data) < 20:
        raise FileFormatError(f"a GLB file of {len(data)} bytes is cut off in its header")
    _, version, total = struct.unpack("<4sII", data[:12].tobytes())
    if version != 2:
        raise FileFormatError(f"the GLB version is {version}", remedy="Footfall reads version 2")
    if total > len(data):
        raise FileFormatError(
            f"the file should have {total} bytes but has {len(data)}", remedy="it is cut off"
        )
    found: list[tuple[bytes, Octets]] = []
    at = 12
    while at + 8 <= total and len(found) < 2:
        length, kind = struct.unpack("<I4s", data[at : at + 8].tobytes())
        if at + 8 + length > total:
            raise FileFormatError(f"the chunk at byte {at} ends beyond the end of the file")
        found.append((kind, data[at + 8 : at + 8 + length]))
        at += 8 + length
    if not found or found[0][0] != b"JSON":
        raise FileFormatError("the first chunk is not the JSON description")
    binary = found[1][1] if len(found) > 1 and found[1][0] == b"BIN\0" else None
    return found[0][1].tobytes(), binary


def _decode_embedded(uri: str, where: str) -> Octets:
    head, comma, body = uri.partition(",")
    if not comma or not head.endswith(";base64"):
        raise FileFormatError("its data URI is not base64", where=where)
    try:
        return np.frombuffer(base64.b64decode(unquote(body), validate=True), np.uint8)
    except (binascii.Error, ValueError):
        raise FileFormatError("its base64 data is damaged", where=where) from None


def _beside(folder: Path, uri: str, length: int, where: str) -> Octets:
    """Return a buffer from a file in `folder` or below; other URIs are refused."""
    name = unquote(uri)
    shown = name[:80]
    plain = name and "\0" not in name and ":" not in name and "\\" not in name
    if not plain or Path(name).is_absolute():
        raise FileFormatError(
            f"its data lies at {shown!r}", where=where, remedy="only files beside it are read"
        )
    try:
        home, target = folder.resolve(), (folder / name).resolve()
        inside = target.is_relative_to(home)
        if inside and target.is_file() and target.stat().st_size >= length:
            return np.fromfile(target, dtype=np.uint8, count=length)
        found = inside and target.is_file()
    except (OSError, ValueError, RuntimeError):
        inside, found = True, False
    if not inside:
        raise FileFormatError(
            f"its data lies at {shown!r}, outside the file's own folder", where=where,
            remedy="only files beside it are read",
        )  # fmt: skip
    if found:
        raise FileFormatError(f"{shown!r} holds less than {length} bytes", where=where)
    raise FileFormatError(f"there is no file {shown!r} beside it", where=where)
