"""`demo`: a clip's whole way from a file to GLB, BVH and pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from footfall.files.formats import load, save
from footfall.report.inspection import Inspection, inspect

_SPEED_M_S = 1.3


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
    written = []
    if clip is None:
        from footfall.library.generate.steady import steady

        clip = save(steady("walk", _SPEED_M_S, seconds=3.2), stem.with_name(stem.name + ".bvh"))
    tell(0.1)
    read = load(clip)
    for suffix in (".bvh", ".glb"):
        written.append(save(read, stem.with_name(stem.name + suffix)))
    tell(0.2)
    for suffix, share in ((".png", 0.5), (".gif", 1.0)):
        target = stem.with_name(stem.name + suffix)
        render(read, target)
        written.append(target)
        tell(share)
    return Shown(inspect(read), tuple(written))
