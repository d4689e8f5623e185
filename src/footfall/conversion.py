"""`convert`: one clip from file to file, on the way resampled or put on another figure."""

from __future__ import annotations

from pathlib import Path

from footfall.body.clip import Clip
from footfall.errors import InputError, choices
from footfall.files.formats import load, readable_suffixes, save, writable_suffixes
from footfall.files.options import ReadOptions, WriteOptions


def convert(
    source: str | Path | Clip,
    target: str | Path,
    *,
    scale: float | None = None,
    up: str = "y",
    fps: float | None = None,
    figure: str | Path | None = None,
    footprints: str = "scaled",
    mesh: bool = True,
    read: ReadOptions | None = None,
) -> Clip:
    """Write `source` as `target` and return what was written.

    scale   metres per unit written; None is the format's custom
    up      the up axis written, "y" or "z"
    fps     the frame rate written; None keeps the clip's
    figure  a file whose skeleton the motion is put on, its feet held on their footprints
    footprints  "scaled" with the figure's legs, or "exact"ly where they were
    """
    clip = source if isinstance(source, Clip) else load(source, read)
    if figure is not None:
        from footfall.adapt.retarget import retarget

        clip = retarget(clip, load(figure).skeleton, footprints)
    if fps is not None:
        from footfall.body.edit import resample

        clip = resample(clip, fps)
    save(clip, target, WriteOptions(unit_m=scale, up=up, mesh=mesh))
    return clip


def conversions(source: Path, target: Path, to: str | None) -> list[tuple[Path, Path]]:
    """The pairs of files that a command line means: one pair, or one for each clip of a folder."""
    if not source.is_dir():
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
    clips = sorted(
        p for p in source.rglob("*") if p.suffix.lower() in readable_suffixes() and p.is_file()
    )
    clips = [p for p in clips if p.suffix.lower() != ".asf"]
    if not clips:
        raise InputError(
            "holds no clips", where=str(source), remedy="known: " + ", ".join(readable_suffixes())
        )
    return [(p, (target / p.relative_to(source)).with_suffix("." + suffix)) for p in clips]


def _suffix(to: str) -> str:
    suffix = to.lower().lstrip(".")
    valid = [s.lstrip(".") for s in writable_suffixes()]
    if suffix not in valid:
        raise InputError(f"--to is {to!r}", remedy=choices(valid, suffix))
    return suffix
