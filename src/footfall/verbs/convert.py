"""`convert`: one clip from file to file, on the way resampled or put on another character."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from footfall.body.clip import Clip
from footfall.errors import InputError, choices
from footfall.files.formats import (
    as_clip,
    is_folder,
    load,
    readable_suffixes,
    save,
    writable_suffixes,
)
from footfall.files.options import ReadOptions, WriteOptions
from footfall.files.results import check_results

FOOTPRINTS = ("scaled", "exact")
"""What `footprints` may be."""


def convert(
    source: str | Path | Clip,
    target: str | Path,
    *,
    scale: float | None = None,
    up: str = "y",
    fps: float | None = None,
    character: str | Path | None = None,
    footprints: str = "scaled",
    mesh: bool = True,
    read: ReadOptions | None = None,
) -> Clip:
    """Write `source` as `target` and return what was written.

    scale   metres per unit written; None is the format's custom
    up      the up axis written, "y" or "z"
    fps     the frame rate written; None keeps the clip's
    character  a file whose skeleton the motion is put on, its feet held on their footprints
    footprints  "scaled" with the character's legs, or "exact"ly where they were
    """
    if footprints not in FOOTPRINTS:
        raise InputError(f"footprints is {footprints!r}", remedy=choices(FOOTPRINTS, footprints))
    files = [None if isinstance(source, Clip) else source, character]
    check_results([target], files, force=True)
    clip = as_clip(source, read)
    if character is not None:
        from footfall.adapt.retarget.retarget import retarget

        clip = retarget(clip, load(character).skeleton, footprints)
    if fps is not None:
        from footfall.body.edit import resample

        clip = resample(clip, fps)
    save(clip, target, WriteOptions(unit_m=scale, up=up, mesh=mesh))
    return clip


def conversions(source: Path, target: Path, to: str | None) -> list[tuple[Path, Path]]:
    """Return pairs of source and target: one file, or one for each clip of a folder."""
    if not is_folder(source):
        if to is None:
            return [(source, target)]
        return [(source, target / f"{source.stem}.{_suffix(to)}")]
    if to is None:
        raise InputError(
            "is a folder of clips",
            where=str(source),
            remedy="say the format with --to, like --to glb",
        )
    suffix = _suffix(to)
    clips = clips_in(source)
    if target.resolve() != source.resolve():  # results of an earlier run are no sources
        clips = [clip for clip in clips if target.resolve() not in clip.resolve().parents]
    pairs = [(p, (target / p.relative_to(source)).with_suffix("." + suffix)) for p in clips]
    targets = Counter(there for _, there in pairs)
    # takes/walk.bvh and takes/walk.amc must not become one file.
    pairs = [
        (p, t if targets[t] == 1 else t.with_stem(f"{t.stem}_{p.suffix[1:].lower()}"))
        for p, t in pairs
    ]
    over = next((p for p, there in pairs if there.resolve() == p.resolve()), None)
    if over is not None:
        raise InputError("would be overwritten", where=str(over), remedy="name another folder")
    return pairs


def clips_in(folder: Path) -> list[Path]:
    """Return the clips in a folder and below, in order; refuse a folder without any."""
    suffixes = [s for s in readable_suffixes() if s != ".asf"]  # a skeleton that its AMCs name
    clips = sorted(p for p in folder.rglob("*") if p.suffix.lower() in suffixes and p.is_file())
    if not clips:
        raise InputError(
            "holds no clips", where=str(folder), remedy="known: " + ", ".join(suffixes)
        )
    return clips


def _suffix(to: str) -> str:
    suffix = to.lower().lstrip(".")
    valid = [s.lstrip(".") for s in writable_suffixes()]
    if suffix not in valid:
        raise InputError(f"--to is {to!r}", remedy=choices(valid, suffix))
    return suffix
