"""Array types and the checks that frozen values make when they are created."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]

_BLOCK = 1 << 16


def frozen_floats(values: ArrayLike, shape: tuple[int | None, ...], name: str) -> Floats:
    """Return `values` as a read-only, finite float64 array of `shape` (None: any length)."""
    array = _check_shape(_as_array(values, np.float64, name), shape, name)
    bad = first_not_finite(array)
    if bad is not None:
        raise InputError(
            f"{name} holds {array[bad]} at index {list(bad)}", remedy="it must be finite"
        )
    return array


def frozen_ints(values: ArrayLike, shape: tuple[int | None, ...], name: str) -> Ints:
    """Return `values` as a read-only int32 array of `shape` (None: any length)."""
    return _check_shape(_as_array(values, np.int32, name), shape, name)


def frozen_bools(values: ArrayLike, shape: tuple[int | None, ...], name: str) -> Bools:
    """Return `values` as a read-only boolean array of `shape` (None: any length)."""
    return _check_shape(np.asarray(values, dtype=np.bool_), shape, name)


def first_not_finite(array: Floats) -> tuple[int, ...] | None:
    """Return the index of the first NaN or infinity, searched in blocks to save memory."""
    flat = array.reshape(-1)
    for start in range(0, flat.size, _BLOCK):
        bad = ~np.isfinite(flat[start : start + _BLOCK])
        if bad.any():
            where = start + int(np.argmax(bad))
            return tuple(int(i) for i in np.unravel_index(where, array.shape))
    return None


def _as_array(values: ArrayLike, kind: type[np.generic], name: str) -> NDArray[Any]:
    try:
        return np.asarray(values, dtype=kind)
    except (TypeError, ValueError, OverflowError) as error:
        reason = str(error)[:80]
        raise InputError(f"{name} is no array of numbers ({reason})") from None


def _check_shape(array: NDArray[Any], shape: tuple[int | None, ...], name: str) -> NDArray[Any]:
    fits = array.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, array.shape, strict=False)
    )
    if not fits:
        wanted = "(" + ", ".join("any" if n is None else str(n) for n in shape) + ")"
        raise InputError(f"{name} has shape {array.shape}", remedy=f"it must have shape {wanted}")
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view
