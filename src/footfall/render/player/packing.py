"""Arrays of a motion document: one compressed buffer, and where each array lies in it."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

Packed = dict[str, Any]
_STEPS = 65535


class Packing:
    """Collects arrays; `document.ts` of the viewer reads what it writes.

    Bytes of one significance lie together and rows are differences, which compresses well.
    """

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, values: ArrayLike, kind: str, *, delta: bool = False) -> Packed:
        """Add whole numbers or floats as they are: "f4", "u4", "i2", "u2", "i1" or "u1"."""
        array = np.ascontiguousarray(values).astype(f"<{kind}")
        shape = list(array.shape)
        if delta and len(array) > 1:
            array = np.concatenate([array[:1], array[1:] - array[:-1]])
        plain = array.reshape(-1).view(np.uint8).reshape(-1, array.dtype.itemsize)
        piece = plain.T.tobytes()
        packed: Packed = {"at": self._size, "type": kind, "shape": shape}
        if delta:
            packed["delta"] = True
        self._pieces.append(piece)
        self._size += len(piece)
        return packed

    def add_rounded(self, values: ArrayLike) -> Packed:
        """Add rows of floats (N, D), each column rounded to 1/65535 of its range."""
        array = np.asarray(values, dtype=np.float64)
        if len(array) == 0:
            return self.add(array, "f4")
        low, high = array.min(axis=0), array.max(axis=0)
        step = np.where(high > low, (high - low) / _STEPS, 1.0)
        packed = self.add(np.rint((array - low) / step), "u2", delta=True)
        return packed | {"scale": step.tolist(), "offset": low.tolist()}

    def add_units(self, values: ArrayLike, kind: str) -> Packed:
        """Add numbers between -1 and 1 as "i1" or "i2"."""
        most = 127 if kind == "i1" else 32767
        whole = np.rint(np.asarray(values, dtype=np.float64) * most)
        return self.add(whole, kind, delta=True) | {"scale": [1.0 / most]}

    def buffer(self) -> str:
        """Return all arrays, deflated, in base64."""
        return base64.b64encode(zlib.compress(b"".join(self._pieces), 9)).decode("ascii")
