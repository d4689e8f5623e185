"""`demo`: a clip's whole way from a file to GLB, BVH and pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from footfall.files.formats import load, save
from footfall.report.inspection import Inspection, inspect

_SUFFIXES = (".bvh", ".glb", ".png", ".gif")
_SPEED_M_S = 1.4
_SECONDS = 3.0
_FILM_WIDTH = 480
"""A narrower animation than `render` makes by itself: the demo should be over soon."""


@dataclass(frozen=True)
class Shown:
    """What the demo found out and what it wrote."""

    inspection: Inspection
    files: tuple[Path, ...]


def demo(
    stem: str | Path = "out/demo",
    *,
    clip: str | Path | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Shown:
    """Take a clip (the built-in walk, or yours) from its file to GLB, BVH, a sheet and a GIF.

    Files are written to `stem` with their suffixes; the built-in walk is first saved as a BVH
    file and then read like anybody's.
    """
    from footfall.report.render import render

    tell = progress or (lambda fraction: None)
    stem = Path(stem)
    targets = {suffix: stem.with_name(stem.name + suffix) for suffix in _SUFFIXES}
    if clip is None:
        from footfall.library.generate.steady import steady

        clip = save(steady("walk", _SPEED_M_S, seconds=_SECONDS), targets[".bvh"])
    tell(0.05)
    read = load(clip)
    for suffix in (".bvh", ".glb"):
        save(read, targets[suffix])
    tell(0.1)
    render(read, targets[".png"], progress=lambda share: tell(0.1 + 0.3 * share))
    render(read, targets[".gif"], width=_FILM_WIDTH, progress=lambda share: tell(0.4 + 0.6 * share))
    return Shown(inspect(read), tuple(targets.values()))
