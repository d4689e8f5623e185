"""How the kernels of worlds are compiled. Import lazily: it brings in numba."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


def _without_counts() -> dict[str, Any]:
    """The option that leaves out reference counts, where this numba has it.

    A kernel that is handed arrays counts a reference for each of them on every call, and that
    would cost more than most of the work here. It may be left out because no kernel of worlds
    makes an array: memory to work in is handed to them.
    """
    option: dict[str, Any] = {"_nrt": False}
    try:
        numba.njit(**option)(lambda: 0)
    except Exception:  # an unknown option is refused in a way that differs between versions
        return {}
    return option


def _stamp() -> str:
    """A fingerprint of all modules of kernels beside this one."""
    files = sorted(Path(__file__).parent.glob("*_kernels.py"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


_COMPILE = numba.njit(**_OPTIONS, **_without_counts())
_STAMP = _stamp()


def kernel(function: Callable[..., Any]) -> Any:
    """The decorator of every kernel of worlds.

    numba's disk cache knows a function's own file alone, although the compiled code holds what
    the function calls and reads from other modules. A change there would go unnoticed and give
    wrong answers, so the cache is told to hold only as long as no module of kernels changes.
    """
    compiled: Any = _COMPILE(function)
    with suppress(AttributeError):
        compiled._cache._cache_file._source_stamp = _STAMP
    return compiled
