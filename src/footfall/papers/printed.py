"""The figures that papers print, from one TOML file for each paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from footfall.toml import toml_table


def printed_figures(paper: str) -> dict[str, Any]:
    """Return what a paper prints; lists become tuples."""
    file = Path(__file__).with_name(f"{paper}.toml")
    return {name: _frozen(value) for name, value in toml_table(file.read_text(), file.name).items()}


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(one) for key, one in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
