"""Libraries: building, building again, listing, loading, the default one."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.test_clips import clips_folder

from bench.harness import BenchRow, best_of
from footfall import save
from footfall.generate.gait.steady import steady
from footfall.library.build.build import build_library
from footfall.library.build.settings import LibrarySettings
from footfall.library.library import open_library
from footfall.library.store import manifest as toml
from footfall.library.store.index import read_index, text_sum, write_index
from footfall.library.store.manifest import SourceLine

MANY = 2500


def rows() -> list[BenchRow]:
    with TemporaryDirectory() as name:
        place = Path(name)
        takes = _takes(place / "takes")
        return [
            *_real(place),
            *_generated(place, takes),
            *_many(place, place / "generated"),
            *_default(place / "cache"),
        ]


def _takes(folder: Path) -> Path:
    for number in range(12):
        walk = steady("walk", 0.8 + 0.1 * number, seconds=10.0, fps=120.0)
        save(walk, folder / f"walk{number}.bvh", mesh=False)
    return folder


def _real(place: Path) -> list[BenchRow]:
    mocap = clips_folder()
    found = []
    for name in ("accad_male1", "cmu"):
        if (mocap / name).is_dir():
            count = iter(range(99))
            seconds = best_of(
                lambda n=name, c=count: build_library(place / f"{n}{next(c)}", [mocap / n]),  # type: ignore[misc]
                repeats=2,
            )
            found.append(BenchRow(f"build {name}", seconds, {}, "<= 20 s"))
    return found


def _generated(place: Path, takes: Path) -> list[BenchRow]:
    count = iter(range(99))
    whole = best_of(lambda: build_library(place / f"lib{next(count)}", [takes]), repeats=2)
    build_library(place / "generated", [takes])
    again = best_of(lambda: build_library(place / "generated"), repeats=3)
    library = open_library(place / "generated")
    each = best_of(lambda: list(library), repeats=5) / len(library)
    plain = best_of(lambda: open_library(takes), repeats=5)
    return [
        BenchRow("build 12 walks of 10 s at 120 Hz", whole),
        BenchRow("build them again, nothing changed", again),
        BenchRow("load one of them", each),
        BenchRow("open their folder again, nothing changed", plain, {}, "<= 5 ms"),
    ]


def _default(cache: Path) -> list[BenchRow]:
    """The default library, generated and then read."""
    before = os.environ.get("FOOTFALL_CACHE")
    os.environ["FOOTFALL_CACHE"] = str(cache)
    try:
        made = best_of(lambda: open_library("default"), repeats=1, warm_up=0)
        kept = best_of(lambda: open_library("default"), repeats=5)
    finally:
        del os.environ["FOOTFALL_CACHE"]
        if before is not None:
            os.environ["FOOTFALL_CACHE"] = before
    return [
        BenchRow("generate the default library", made, {}, "<= 30 s"),
        BenchRow("open it again", kept),
    ]


def _many(place: Path, model: Path) -> list[BenchRow]:
    """An index of 2,500 clips, as a build writes it."""
    index = read_index(model / ".footfall" / "index.json")
    assert index is not None
    entries = [
        replace(entry, name=f"{entry.name}_{k}")
        for k in range(MANY // len(index.entries) + 1)
        for entry in index.entries
    ][:MANY]
    text = toml.new_text(LibrarySettings(), (SourceLine("takes"),))
    text = toml.with_clips(text, {e.name: (e.source, e.tags) for e in entries})
    toml.write_text(place / "many" / "library.toml", text)
    whole = replace(index, entries=tuple(entries), manifest=text_sum(text))
    write_index(place / "many" / ".footfall" / "index.json", whole)
    return [
        BenchRow(
            f"open {MANY} clips", best_of(lambda: open_library(place / "many")), {}, "<= 0.5 s"
        )
    ]
