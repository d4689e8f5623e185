"""The table from suffix to format, and the functions `load` and `save`."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from footfall.body.clip import Clip, check_clip
from footfall.body.roles import load_role_overrides
from footfall.errors import InputError, check_range, choices
from footfall.files.options import ReadOptions, WriteOptions
from footfall.safe_open import MissingFileError, check_regular, open_regular

MAX_BYTES = 8 << 30
"""A larger file is refused before anything of it is read."""

_Options = TypeVar("_Options", ReadOptions, WriteOptions)


@dataclass(frozen=True)
class Format:
    """A file format: its name, the module that reads and writes it, and which of both it can."""

    name: str
    module: str
    reads: bool = True
    writes: bool = True


_GLTF = Format("glTF", "footfall.files.gltf")
_USD = Format("USD", "footfall.files.usd")
FORMATS: dict[str, Format] = {
    ".bvh": Format("BVH", "footfall.files.bvh"),
    ".amc": Format("Acclaim ASF/AMC", "footfall.files.acclaim.motion", writes=False),
    ".asf": Format("Acclaim ASF/AMC", "footfall.files.acclaim.motion", writes=False),
    ".glb": _GLTF,
    ".gltf": _GLTF,
    ".npz": Format("NPZ", "footfall.files.npz.footfall_npz"),
    ".usd": _USD,
    ".usda": _USD,
    ".usdc": _USD,
}


def readable_suffixes() -> list[str]:
    """Return the suffixes that `load` takes."""
    return [suffix for suffix, form in FORMATS.items() if form.reads]


def writable_suffixes() -> list[str]:
    """Return the suffixes that `save` takes."""
    return [suffix for suffix, form in FORMATS.items() if form.writes]


def load(path: str | Path, options: ReadOptions | None = None, **changes: Any) -> Clip:
    """Read a clip from a file of any known format.

    The clip comes back in metres, Y up, with joint roles found and a T-pose as its rest; what
    was recognised or repaired on the way stands in `clip.source.notes`. Keyword arguments are
    those of `ReadOptions`: load("walk.bvh", unit_m=0.01, first_frame="keep"); `roles` may also be
    the TOML file that states them.
    """
    from footfall.files.intake.clip import clip_from_raw

    path = _file_name(path)
    if isinstance(changes.get("roles"), str | Path):
        changes["roles"] = load_role_overrides(changes["roles"])
    options = _change_options(options or ReadOptions(), changes)
    if is_folder(path):
        raise InputError("is a folder", where=str(path), remedy="name a file in it")
    module = import_module(_format(path, readable_suffixes(), "read").module)
    _check_readable(path)
    try:
        clip = clip_from_raw(module.read(path, options), options)
    except InputError as error:
        raise (error if path.name in error.where else error.at(path.name)) from None
    except MemoryError:
        raise InputError("it does not fit into memory", where=path.name) from None
    return _named_after(clip, path)


def save(clip: Clip, path: str | Path, options: WriteOptions | None = None, **changes: Any) -> Path:
    """Write a clip in the format its suffix names; the folder is made if need be.

    Keyword arguments are those of `WriteOptions`: save(clip, "walk.glb", mesh=False).
    """
    check_clip(clip)
    path = _file_name(path)
    options = _change_options(options or WriteOptions(), changes)
    _check_write_options(options)
    module = import_module(_format(path, writable_suffixes(), "write").module)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        module.write(clip, path, options)
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror or error})", where=str(path)
        ) from None
    return path


def as_clip(clip: Clip | str | Path, read: ReadOptions | None = None) -> Clip:
    """Return a clip that is given as such or by its file."""
    return load(clip, read) if isinstance(clip, str | Path) else check_clip(clip)


def is_folder(path: Path) -> bool:
    """Return whether there is a folder of this name; a name that no file can have is none."""
    try:
        return path.is_dir()
    except OSError:  # too long, for one
        return False


def _file_name(path: object) -> Path:
    if isinstance(path, str | PathLike):
        return Path(path)
    raise InputError(
        f"this is no file name: {str(path)[:80]!r}", remedy='give text or a path, like "walk.bvh"'
    )


def _change_options(options: _Options, changes: dict[str, Any]) -> _Options:
    """Return the options with some changed; unknown ones are refused by name."""
    known = [field.name for field in fields(options)]
    for name in changes:
        if name not in known:
            raise InputError(f"there is no option {name!r}", remedy=choices(known, name))
    changed = replace(options, **changes)
    if isinstance(changed, ReadOptions) and not isinstance(changed.roles, dict | None):
        raise InputError(
            f"roles is {str(changed.roles)[:80]!r}",
            remedy='give a dictionary like {"left_ankle": "LeftFoot"}, or a TOML file',
        )
    return changed


def _format(path: Path, suffixes: list[str], what: str) -> Format:
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        said = f"Footfall cannot {what} {suffix!r} files" if suffix else "the name has no suffix"
        raise InputError(said, where=path.name or str(path), remedy=choices(suffixes, suffix))
    return FORMATS[suffix]


def _check_readable(path: Path) -> None:
    try:
        status = check_regular(path)
        open_regular(path).close()
    except MissingFileError:
        near = sorted(p.name for p in path.parent.glob("*" + path.suffix))[:200]
        remedy = choices(near, path.name) if 0 < len(near) <= 12 else "check the name"
        raise InputError("there is no such file", where=str(path), remedy=remedy) from None
    if status.st_size == 0:
        raise InputError("the file is empty", where=str(path))
    if status.st_size > MAX_BYTES:
        raise InputError(
            f"the file is {status.st_size >> 30} GB", where=str(path),
            remedy=f"at most {MAX_BYTES >> 30} GB",
        )  # fmt: skip


def _check_write_options(options: WriteOptions) -> None:
    if options.up not in ("y", "z"):
        raise InputError(f"the up axis is {options.up!r}", remedy=choices(("y", "z")))
    if options.unit_m is not None:
        check_range("the scale", options.unit_m, above=0.0, below=1e6, unit="(metres per unit)")


def _named_after(clip: Clip, path: Path) -> Clip:
    source = clip.source and replace(clip.source, file=_text(path.name))
    return clip.derive(name=_text(clip.name or path.stem), source=source)


def _text(name: str) -> str:
    """Return a file's name as text that every format can hold; names may be any bytes."""
    return name.encode("utf-8", "replace").decode("utf-8")
