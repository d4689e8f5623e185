"""Names that shells complete: built-in scenes and methods. Shells add files by themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

METHODS = ("auto", "blending", "graph", "optimal", "roadmap")


def complete_scene(typed: str) -> list[str]:
    """Return the built-in scenes that begin with what was typed."""
    scenes = Path(__file__).parents[1] / "scenes"
    return sorted(file.stem for file in scenes.glob("*.toml") if file.stem.startswith(typed))


def complete_method(typed: str) -> list[str]:
    """Return the methods that begin with what was typed."""
    return [name for name in METHODS if name.startswith(typed)]


COMPLETERS: dict[str, Callable[[str], list[str]]] = {
    "scene": complete_scene,
    "method": complete_method,
}
"""By the name of the option."""
