"""Contacts of a library's clips, read and corrected in its `library.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from footfall.errors import InputError
from footfall.library.build.settings import CONTACT_NAMES
from footfall.studio.files import Files
from footfall.studio.work import ReadOnlyError

_FEET = ("left_heel", "left_toe", "right_heel", "right_toe")


def read_contacts(files: Files, library: str, clip: str) -> dict[str, Any]:
    """Return when the points of a clip touch, in seconds."""
    from footfall.gait.contacts import find_contacts
    from footfall.maths.runs import runs

    found = files.open_library(library).clip(clip)
    touch = found.contacts if found.contacts is not None else find_contacts(found).points
    points: dict[str, list[list[float]]] = {name: [] for name in CONTACT_NAMES}
    for name, column in zip(_FEET, np.asarray(touch).T, strict=False):
        points[name] = [
            [round(a / found.fps, 4), round(b / found.fps, 4)] for a, b in runs(column).tolist()
        ]
    corrected = _corrections(files, library, clip)
    points |= {name: [list(span) for span in spans] for name, spans in corrected.items()}
    return {
        "fps": found.fps, "frames": len(found), "editable": files.is_editable(library),
        "corrected": sorted(corrected), "points": points,
    }  # fmt: skip


def _corrections(files: Files, library: str, clip: str) -> Mapping[str, Any]:
    from footfall.library.store.manifest import parse, read_text

    place = files.library_place(library)
    manifest = None if isinstance(place, str) else place / "library.toml"
    if manifest is None or not manifest.exists():
        return {}
    return parse(read_text(manifest)).of(clip).contacts


def write_contacts(
    files: Files, library: str, clip: str, points: Mapping[str, list[list[float]]]
) -> dict[str, Any]:
    """Write corrected contacts of a clip to `library.toml`, and build the library again."""
    import tomlkit

    from footfall.library.build.build import build_library
    from footfall.library.store.manifest import parse, read_text, write_text

    place = files.library_place(library)
    if isinstance(place, str):
        raise ReadOnlyError("the default clips are read-only", remedy="copy them to a library")
    entry = files.open_library(library).entry(clip)
    for name, spans in points.items():
        if any(not 0 <= a <= b <= entry.seconds + 1.0 for a, b in spans):
            raise InputError(
                f"contacts of {name} do not lie in the clip", remedy=f"0 to {entry.seconds:.2f} s"
            )
    manifest = place / "library.toml"
    if not manifest.exists():
        build_library(place, [place])
    document: Any = tomlkit.parse(read_text(manifest))
    clips = document.setdefault("clips", tomlkit.table())
    table = clips.setdefault(clip, tomlkit.table())
    table["contacts"] = {name: [list(span) for span in spans] for name, spans in points.items()}
    text = tomlkit.dumps(document)
    parse(text)
    write_text(manifest, text)
    build_library(place)
    return read_contacts(files, library, clip)


def copy_clips(files: Files, name: str, source: str, clips: list[str]) -> int:
    """Copy clips of a library into a new one of the work folder; return how many."""
    from footfall.files.formats import save
    from footfall.library.build.build import build_library

    if name == "default" or name.startswith("default:"):
        raise ReadOnlyError("the default clips are read-only", remedy="choose another name")
    folder = files.work.path("libraries", name)
    if folder.exists():
        raise ReadOnlyError(f"there is a library {name!r} already", remedy="choose another name")
    chosen = files.open_library(source).only(clips)
    folder.mkdir()
    for clip in chosen:
        save(clip, folder / f"{clip.name.replace('/', '_')}.npz")
    build_library(folder, [folder])
    return len(chosen)
