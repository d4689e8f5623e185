"""Folders of generated clips of mixed skeletons, and what a library folder may hold."""

from __future__ import annotations

import re
from pathlib import Path

from footfall import save
from footfall.generate.skeleton import default_skeleton
from tests.clips import steady

SPEEDS = (1.0, 1.3, 1.6)


def folder_of_walks(folder: Path, count: int = 3, seconds: float = 2.4) -> Path:
    """Walks at several speeds, on figures of several sizes, as files of several formats."""
    formats = ("bvh", "glb", "npz")
    for number in range(count):
        walk = steady("walk", SPEEDS[number % 3] + 0.01 * number, seconds=seconds, fps=60.0)
        if number % 3 == 1:
            from footfall.adapt.retarget.retarget import retarget

            walk = retarget(walk, default_skeleton(0.7))
        save(walk, folder / f"walk{number}.{formats[number % 3]}", mesh=False)
    return folder


def rubbish(library: Path) -> list[str]:
    """Files in a library's folder that have no business there."""
    fine = re.compile(
        r"library\.toml|\.footfall/(lock|index\.json|clips/[0-9a-f]{40}\.safetensors)"
    )
    files = [p.relative_to(library).as_posix() for p in library.rglob("*") if p.is_file()]
    return [name for name in files if not fine.fullmatch(name)]


def cache_files(library: Path) -> list[Path]:
    return sorted((library / ".footfall" / "clips").glob("*.safetensors"))
