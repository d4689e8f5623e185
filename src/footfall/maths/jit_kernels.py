"""How kernels are compiled. Import lazily: it brings in numba.

Every kernel of Footfall is decorated with one of these: `kernel`; `inline_kernel`, for helpers
so small that passing arrays along costs more than they do; `lean_kernel`, for kernels that make
no arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function of arrays and numbers, once for all runs."""
    return _compiled(function, {})


def inline_kernel(function: Callable[..., Any]) -> Any:
    """Compile a helper into each kernel that calls it."""
    return _compiled(function, {"inline": "always"})


def lean_kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel that makes no arrays itself, without counting references to those it gets.

    A kernel that is handed arrays counts a reference for each of them on every call, which may
    cost more than the work. Memory to work in is handed to such kernels.
    """
    return _compiled(function, _without_counts())


def _compiled(function: Callable[..., Any], more: dict[str, Any]) -> Any:
    """The compiled function, whose disk cache holds as long as no kernel beside it changes.

    numba's disk cache knows a function's own file alone, although the compiled code holds what
    the function calls and reads from other modules. A change there would go unnoticed and give
    wrong answers.
    """
    compiled: Any = numba.njit(**_OPTIONS, **more)(function)
    with suppress(AttributeError):
        compiled._cache._cache_file._source_stamp = _stamp(
            Path(function.__code__.co_filename).parent
        )
    return compiled


@cache
def _stamp(folder: Path) -> str:
    """A fingerprint of all modules of kernels in a folder."""
    files = sorted(folder.glob("*kernels.py"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


@cache
def _without_counts() -> dict[str, Any]:
    """The option that leaves out reference counts, where this numba has it."""
    option: dict[str, Any] = {"_nrt": False}
    try:
        numba.njit(**option)(lambda: 0)
    except Exception:  # an unknown option is refused in a way that differs between versions
        return {}
    return option
