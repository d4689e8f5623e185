"""Checks of plain values that were read from a JSON file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from footfall.errors import InputError

_ADDRESS = re.compile(r"[0-9a-f]{0,64}")


def check_table(value: object, name: str) -> Mapping[str, Any]:
    """Return `value` if it is a table, or refuse it by name."""
    if not isinstance(value, Mapping):
        raise _wrong(name, value, "a table")
    return value


def check_list(value: object, name: str, length: int | None = None) -> list[Any]:
    """Return `value` if it is a list (of `length` values, if stated), or refuse it by name."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise _wrong(name, value, "a list" if length is None else f"a list of {length} values")
    return value


def check_text(value: object, name: str) -> str:
    """Return `value` if it is text, or refuse it by name."""
    if not isinstance(value, str):
        raise _wrong(name, value, "text")
    return value


def check_flag(value: object, name: str) -> bool:
    """Return `value` if it is true or false, or refuse it by name."""
    if not isinstance(value, bool):
        raise _wrong(name, value, "true or false")
    return value


def check_address(value: object, name: str) -> str:
    """Return `value` if it is the address of a cached file or empty, or refuse it by name."""
    if not isinstance(value, str) or _ADDRESS.fullmatch(value) is None:
        raise _wrong(name, value, "up to 64 hexadecimal digits")
    return value


def _wrong(name: str, value: object, wanted: str) -> InputError:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:60] + "…"
    return InputError(f"{name} is {shown}", remedy=f"it takes {wanted}")
