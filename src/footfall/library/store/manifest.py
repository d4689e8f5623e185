"""`library.toml`: what people read and write about a library.

Everything a person writes stays as it is, comments and all. A build only appends what is new and
rewrites two keys of each clip, `source` and `found_tags`. Reading goes through `tomllib`; writing
changes lines, then reads the result back and compares, so that a file it does not understand is
left alone rather than spoilt.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from footfall.body.clip import CONTACT_POINTS
from footfall.errors import FileFormatError, InputError, choices
from footfall.files.atomic import write_bytes_atomically
from footfall.library.build.settings import Corrections, LibrarySettings, Spans, check_read
from footfall.regular import read_regular

MAX_BYTES = 64 << 20
FORMAT = 1
_SETTINGS = ("character", "fps", "mirror", "clean", "footprints", "read")
_CLIP_KEYS = ("source", "found_tags", "tags", "contacts", "licence", "skip", "read", "note")
_OWN = ("source", "found_tags")
_HEADER = """\
# A motion library of Footfall. Edit it as you like: what you write here stays.
#
# Corrections for a clip, in its table below (then run: footfall library build THIS_FOLDER):
#   tags = ["walk", "curve_left"]    all its tags, instead of those found
#   contacts.left_heel = [[0.1, 0.6]]    when a point touches, seconds (also left_toe, right_…)
#   licence = "CC BY 4.0"    skip = true    read = { fps = 60 }    note = "anything"

"""


@dataclass(frozen=True)
class Origin:
    """Where files were fetched from, and the checksum of what came; empty if they were not."""

    url: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class SourceLine:
    """A file or folder the library is made from (relative to its folder), and its licence."""

    path: str
    licence: str = ""
    origin: Origin = Origin()


@dataclass(frozen=True)
class Manifest:
    """What `library.toml` says.

    clips  name -> what a person says about that clip
    files  name -> the file it is made from, relative to the library's folder
    """

    settings: LibrarySettings = field(default_factory=LibrarySettings)
    sources: tuple[SourceLine, ...] = ()
    clips: Mapping[str, Corrections] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> Corrections:
        return self.clips.get(name, Corrections())


def read_text(path: Path) -> str:
    """The text of a `library.toml`."""
    try:
        return read_regular(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileFormatError("is no UTF-8 text", where=path.name) from None


def parse(text: str, name: str = "library.toml") -> Manifest:
    """What the text of a `library.toml` says, checked."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FileFormatError(f"is no TOML ({error})", where=name) from None
    try:
        return _manifest(data)
    except InputError as error:
        raise error.at(name) from None


def _manifest(data: dict[str, Any]) -> Manifest:
    if data.get("format") != FORMAT:
        raise FileFormatError(
            f"format is {data.get('format')!r}", remedy=f"this version reads format = {FORMAT}"
        )
    known = ("format", "sources", "clips", *_SETTINGS)
    for key in data:
        if key not in known:
            raise InputError(f"there is no setting {key!r}", remedy=choices(known, key))
    settings = LibrarySettings(**{k: data[k] for k in _SETTINGS if k in data})
    clips, files = {}, {}
    for name, table in _table(data.get("clips", {}), "clips").items():
        try:
            clips[name] = _corrections(_table(table, "it"))
        except InputError as error:
            raise error.at(f"clip {name}") from None
        files[name] = _text(table.get("source", ""), "source")
    return Manifest(settings, _sources(data.get("sources", [])), clips, files)


def _sources(lines: object) -> tuple[SourceLine, ...]:
    if not isinstance(lines, list):
        raise InputError("sources is no list", remedy='[[sources]] with path = "folder"')
    found = []
    for line in lines:
        table = _table(line, "a source")
        path = _text(table.get("path", ""), "path")
        if not path:
            raise InputError("a source has no path", remedy='path = "folder"')
        words = {key: _text(table.get(key, ""), key) for key in ("licence", "url", "sha256")}
        found.append(SourceLine(path, words["licence"], Origin(words["url"], words["sha256"])))
    return tuple(found)


def _corrections(table: dict[str, Any]) -> Corrections:
    for key in table:
        if key not in _CLIP_KEYS:
            raise InputError(f"there is no key {key!r}", remedy=choices(_CLIP_KEYS, key))
    tags = table.get("tags")
    if tags is not None and not (isinstance(tags, list) and all(isinstance(t, str) for t in tags)):
        raise InputError(f"tags is {tags!r}", remedy='a list of texts, like ["walk"]')
    skip = table.get("skip", False)
    if not isinstance(skip, bool):
        raise InputError(f"skip is {skip!r}", remedy="true or false")
    read = table.get("read", {})
    check_read(read)
    contacts = _table(table.get("contacts", {}), "contacts")
    return Corrections(
        tags=None if tags is None else tuple(tags),
        contacts={point: _spans(point, spans) for point, spans in contacts.items()},
        licence=_text(table.get("licence", ""), "licence"),
        skip=skip,
        read=read,
    )


def _spans(point: str, spans: object) -> Spans:
    if point not in CONTACT_POINTS:
        raise InputError(f"contacts names {point!r}", remedy=choices(CONTACT_POINTS, point))
    good = isinstance(spans, list) and all(_is_span(span) for span in spans)
    if not good:
        raise InputError(
            f"contacts.{point} is no list of times", remedy="like [[0.1, 0.6], [1.2, 1.7]], seconds"
        )
    return tuple((float(a), float(b)) for a, b in spans)  # type: ignore[attr-defined]


def _is_span(span: object) -> bool:
    if not (isinstance(span, list) and len(span) == 2):
        return False
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in span)
    return numbers and all(math.isfinite(v) for v in span) and span[0] <= span[1]


def _table(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{what} is no table")
    return value


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} is {value!r}", remedy="a text in quotes")
    return value


# Writing


def new_text(settings: LibrarySettings, sources: tuple[SourceLine, ...]) -> str:
    """The text of a new library without clips."""
    lines = [f"format = {FORMAT}", *_setting_lines(settings)]
    return _HEADER + "\n".join(lines) + "\n" + _source_text(sources)


def with_settings(text: str, settings: LibrarySettings, sources: tuple[SourceLine, ...]) -> str:
    """The text with other settings and sources; all tables of clips stay as they are."""
    before = parse(text)
    if (before.settings, before.sources) == (settings, sources):
        return text
    first = re.search(r"^\s*\[\s*clips\b", text, re.MULTILINE)
    tail = text[first.start() :] if first else ""
    head = text[: first.start()] if first else text
    # A person's remarks at the top stay; settings and sources are few lines and written anew.
    remarks = [line for line in head.split("\n") if line.lstrip().startswith("#")]
    body = [f"format = {FORMAT}", *_setting_lines(settings)]
    new = "\n".join([*remarks, "", *body]) + "\n" + _source_text(sources)
    new += f"\n{tail}" if tail else ""
    after = parse(new)
    if (after.settings, after.sources, after.clips, after.files) != (
        settings, sources, before.clips, before.files,
    ):  # fmt: skip
        raise InputError(
            "its settings cannot be changed automatically",
            remedy="put the settings first and the tables of clips last, or edit it by hand",
        )
    return new


def with_clips(text: str, found: Mapping[str, tuple[str, tuple[str, ...]]]) -> str:
    """The text with the clips found: name -> (source, tags). Other keys and clips stay."""
    lines = text.removesuffix("\n").split("\n")  # splitlines() would also split at U+0085
    places = _clip_places(lines)
    inserted: dict[int, list[str]] = {}
    dropped: set[int] = set()
    appended: list[str] = []
    for name, (source, tags) in found.items():
        own = [f"source = {_quoted(source)}", f"found_tags = {_list(tags)}"]
        if name not in places:
            appended += ["", f"[clips.{_quoted(name)}]", *own]
            continue
        first, stop = places[name]
        old = [n for n in range(first + 1, stop) if _key(lines[n]) in _OWN]
        if [lines[n].strip() for n in old] != own:
            dropped.update(old)
            inserted[first] = own
    kept: list[str] = []
    for number, line in enumerate(lines):
        if number not in dropped:
            kept.append(line)
        kept += inserted.get(number, [])
    new = "\n".join([*kept, *appended]) + "\n"
    return new if _says_the_same(text, new, found) else text


def _clip_places(lines: list[str]) -> dict[str, tuple[int, int]]:
    """Clip name -> its header's line and the line after its last, for tables written as such."""
    places: dict[str, tuple[int, int]] = {}
    name, first = None, 0
    for number, line in enumerate([*lines, "[end]"]):
        if not line.lstrip().startswith("["):
            continue
        try:
            header = tomllib.loads(line.strip())
        except tomllib.TOMLDecodeError:
            continue
        if name is not None:
            places[name] = (first, number)
            name = None
        clips = header.get("clips")
        if isinstance(clips, dict) and len(clips) == 1 and next(iter(clips.values())) == {}:
            name, first = next(iter(clips)), number
    return places


def _says_the_same(old: str, new: str, found: Mapping[str, tuple[str, tuple[str, ...]]]) -> bool:
    """Whether all that a person wrote is there as before, and all that was found is there."""
    before, after = tomllib.loads(old), _loads(new)
    if after is None:
        return False
    before.setdefault("clips", {})
    for name, (source, tags) in found.items():
        before["clips"].setdefault(name, {})
        before["clips"][name] |= {"source": source, "found_tags": list(tags)}
    after.setdefault("clips", {})
    return bool(before == after)


def _loads(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def write_text(path: Path, text: str) -> None:
    """Write a `library.toml`, whole or not at all."""
    write_bytes_atomically(path, text.encode())


def _key(line: str) -> str:
    found = re.match(r"\s*([A-Za-z_]+)\s*=", line)
    return found[1] if found else ""


def _setting_lines(settings: LibrarySettings) -> list[str]:
    lines = [
        f"character = {_quoted(settings.character)}",
        f"fps = {settings.fps:.10g}",
        f"mirror = {str(settings.mirror).lower()}",
        f"clean = {str(settings.clean).lower()}",
        f"footprints = {_quoted(settings.footprints)}",
    ]
    if settings.read:
        lines.append(f"read = {_inline(settings.read)}")
    return lines


def _source_text(sources: tuple[SourceLine, ...]) -> str:
    text = ""
    for source in sources:
        text += f"\n[[sources]]\npath = {_quoted(source.path)}\n"
        words = {"licence": source.licence, **vars(source.origin)}
        text += "".join(f"{key} = {_quoted(word)}\n" for key, word in words.items() if word)
    return text


def _inline(table: Mapping[str, Any]) -> str:
    parts = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            shown = _inline(value)
        elif isinstance(value, bool):
            shown = str(value).lower()
        else:
            shown = _quoted(value) if isinstance(value, str) else repr(value)
        parts.append(f"{_quoted(key)} = {shown}")
    return "{ " + ", ".join(parts) + " }"


def _list(texts: tuple[str, ...]) -> str:
    return "[" + ", ".join(_quoted(t) for t in texts) + "]"


def _quoted(text: str) -> str:
    """A basic string of TOML; JSON's escapes are a part of TOML's."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
