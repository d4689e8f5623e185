"""How the kernels of worlds are compiled. Import lazily: it brings in numba."""

from __future__ import annotations

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


kernel: Any = numba.njit(**_OPTIONS, **_without_counts())
"""The decorator of every kernel of worlds."""
