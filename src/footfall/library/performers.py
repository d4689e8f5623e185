"""Libraries of performers: the default clips by different people, each on their own body.

    make_library("out/old", Performer(age=70, energy=0.4))
    make_libraries("out/people", draw_performers(20), group="park")

A performer's library is a folder with a `performer.toml`, which says who it is, and the clips. It
is opened like any other; where figures were edited or the generator has changed since, the clips
are made anew. Twenty performers are twenty such folders in one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from footfall.errors import FileFormatError, InputError, choices
from footfall.files.atomic import write_bytes_atomically
from footfall.generate.performer import MEAN_PERFORMER, Performer, performer_from
from footfall.library.default import DefaultStore, default_groups, no_group
from footfall.library.library import Library
from footfall.library.store.folder import CACHE_NAME, MANIFEST_NAME, PERFORMER_NAME
from footfall.safe_open import read_regular
from footfall.toml import toml_table

FORMAT = 1
_MOST_BYTES = 1 << 20
_KEYS = ("format", "group", "seed", "performer")
_HEADER = """\
# A performer of Footfall's default clips. Edit the figures as you like: the clips are made anew
# when the library is opened next.
#   age           years, 18 to 90
#   stature_m     metres            build  body mass over stature squared, kg/m², 17 to 36
#   legs, arms, shoulders, hips     how long or wide for the stature: -2 to 2 standard deviations
#   energy        0 weary to 1 brisk        stiffness  0 loose to 1 stiff
#   mood          -1 downcast to 1 elated
#   manner        a whole number: all else that is a person's own; 0 is the mean of all

"""

Progress = Callable[[float], None]


@dataclass(frozen=True)
class PerformerFile:
    """The contents of a `performer.toml`: performer, group of the default clips, seed."""

    performer: Performer
    group: str = ""
    seed: int = 0

    def text(self) -> str:
        """Return the file's text."""
        lines = [f"format = {FORMAT}", f'group = "{self.group}"', f"seed = {self.seed}", ""]
        lines += ["[performer]", *(f"{k} = {v}" for k, v in self.performer.facts().items()), ""]
        return _HEADER + "\n".join(lines)


def make_library(
    folder: str | Path,
    performer: Performer = MEAN_PERFORMER,
    *,
    group: str = "",
    seed: int = 0,
    jobs: int | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Library:
    """Return the default clips by a performer, or one group of them, as a library in a folder.

    The same performer, group and seed give the same bytes. What is there of another performer is
    replaced only with `force`.
    """
    folder = Path(folder)
    if (folder / MANIFEST_NAME).exists():
        raise InputError(
            "is a library of other clips", where=str(folder), remedy="name another folder"
        )
    store = DefaultStore(folder / CACHE_NAME, seed, jobs, performer, shared=False)
    if group and group not in default_groups():
        raise no_group(group)
    file = folder / PERFORMER_NAME
    text = PerformerFile(performer, group, seed).text()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = file.exists()
        same = there and read_regular(file, _MOST_BYTES) == text.encode()
        if there and not (same or force):
            raise InputError(
                "is the library of another performer", where=str(folder),
                remedy="name another folder, or replace it with --force (force=True)",
            )  # fmt: skip
        if not same:
            write_bytes_atomically(file, text.encode())
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", where=str(folder)) from None
    return replace(store.open(group, progress), folder=folder)


def make_libraries(
    folder: str | Path,
    performers: Sequence[Performer],
    *,
    group: str = "",
    seed: int = 0,
    jobs: int | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> tuple[Library, ...]:
    """Return a library for each performer, in the folders 01, 02, … of one folder."""
    if not performers:
        raise InputError("there are no performers", remedy="give at least one")
    say = progress or (lambda share: None)
    digits = max(2, len(str(len(performers))))
    made = []
    for n, performer in enumerate(performers):
        own = Path(folder) / f"{n + 1:0{digits}}"

        def tell(share: float, done: int = n) -> None:
            say((done + share) / len(performers))

        library = make_library(
            own, performer, group=group, seed=seed, jobs=jobs, force=force, progress=tell
        )
        made.append(library)
        tell(1.0)
    return tuple(made)


def open_performer(folder: Path, progress: Progress | None = None) -> Library:
    """Return a performer's library, with clips made again where they differ from its file."""
    says = read_performer(folder)
    store = DefaultStore(folder / CACHE_NAME, says.seed, None, says.performer, shared=False)
    return replace(store.open(says.group, progress), folder=folder)


def performer_folders(where: object) -> tuple[Path, ...]:
    """Return the folders of performers' libraries in a folder, in order of name."""
    if not isinstance(where, str | Path) or not Path(where).is_dir():
        return ()
    return tuple(sorted(p for p in Path(where).iterdir() if (p / PERFORMER_NAME).is_file()))


def read_performer(folder: str | Path) -> PerformerFile:
    """Return what the `performer.toml` of a library says, checked."""
    file = Path(folder) / PERFORMER_NAME
    try:
        text = read_regular(file, _MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileFormatError("is no UTF-8 text", where=str(file)) from None
    data = toml_table(text, str(file))
    try:
        return _performer_file(data)
    except InputError as error:
        raise error.at(str(file)) from None


def _performer_file(data: dict[str, Any]) -> PerformerFile:
    for key in data:
        if key not in _KEYS:
            raise InputError(f"there is no key {key!r}", remedy=choices(_KEYS, key))
    if data.get("format") != FORMAT:
        raise FileFormatError(
            f"format is {data.get('format')!r}", remedy=f"this version reads format = {FORMAT}"
        )
    figures, group = data.get("performer", {}), data.get("group", "")
    if not isinstance(figures, dict) or not isinstance(group, str):
        raise InputError("performer is no table or group no text", remedy="like [performer]")
    return PerformerFile(performer_from(figures), group, data.get("seed", 0))
