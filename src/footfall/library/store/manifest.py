"""`library.toml`: what people read and write about a library.

Everything a person writes stays as it is, comments and all. A build only appends what is new and
renews two keys of each clip, `source` and `found_tags`. Reading goes through `tomllib`, which is
quick; edits go through `tomlkit`, and the result is read back and compared, so that a file that
cannot be edited is left alone rather than spoilt.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from footfall.errors import FileFormatError, InputError, choices
from footfall.files.atomic import write_bytes_atomically
from footfall.library.build.settings import (
    CONTACT_NAMES,
    Corrections,
    LibrarySettings,
    Spans,
    check_read,
)
from footfall.safe_open import read_regular
from footfall.toml import toml_table

MAX_BYTES = 64 << 20
FORMAT = 1
_SETTINGS = ("character", "fps", "mirror", "clean", "footprints", "read")
_CLIP_KEYS = (
    "source",
    "found_tags",
    "tags",
    "contacts",
    "licence",
    "skip",
    "read",
    "values",
    "note",
)
_HEADER = """\
# A motion library of Footfall. Edit it as you like: what you write here stays.
#
# Corrections for a clip, in its table below (then run: footfall library build THIS_FOLDER):
#   tags = ["walk", "curve_left"]    all its tags, instead of those found
#   contacts.left_heel = [[0.1, 0.6]]    when a point touches, seconds (also left_toe, right_…,
#                                        left_hand, right_hand, seat)
#   licence = "CC BY 4.0"    skip = true    read = { fps = 60 }    note = "anything"
#   values = { load = 12 }    numbers of your own that motions can be blended by

"""


@dataclass(frozen=True)
class SourceOrigin:
    """Where files were fetched from, and the checksum of what came; empty if they were not."""

    url: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class SourceLine:
    """A file or folder the library is made from (relative to its folder), and its licence."""

    path: str
    licence: str = ""
    origin: SourceOrigin = SourceOrigin()


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
    """Return the text of a `library.toml`."""
    try:
        return read_regular(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileFormatError("is no UTF-8 text", where=path.name) from None


def parse(text: str, name: str = "library.toml") -> Manifest:
    """Return what the text of a `library.toml` says, checked."""
    data = toml_table(text, name)
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
        if key == "figure":
            raise InputError("there is no setting 'figure'", remedy="it is called character now")
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
        found.append(
            SourceLine(path, words["licence"], SourceOrigin(words["url"], words["sha256"]))
        )
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
        values=check_values(table.get("values", {})),
    )


def check_values(values: object) -> dict[str, float]:
    """Names and numbers of a clip, checked."""
    good = isinstance(values, Mapping) and all(
        isinstance(name, str) and name.isidentifier() and _is_number(value)
        for name, value in values.items()
    )
    if not good:
        raise InputError(f"values is {values!r}", remedy="words with numbers, like { load = 12 }")
    return {name: float(value) for name, value in values.items()}  # type: ignore[attr-defined]


def _spans(point: str, spans: object) -> Spans:
    if point not in CONTACT_NAMES:
        raise InputError(f"contacts names {point!r}", remedy=choices(CONTACT_NAMES, point))
    good = isinstance(spans, list) and all(_is_span(span) for span in spans)
    if not good:
        raise InputError(
            f"contacts.{point} is no list of times", remedy="like [[0.1, 0.6], [1.2, 1.7]], seconds"
        )
    return tuple((float(a), float(b)) for a, b in spans)  # type: ignore[attr-defined]


def _is_span(span: object) -> bool:
    if not (isinstance(span, list) and len(span) == 2):
        return False
    return all(_is_number(v) for v in span) and span[0] <= span[1]


def _is_number(value: object) -> bool:
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return is_one and math.isfinite(value)  # type: ignore[arg-type]


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
    """Return the text of a new library without clips."""
    values = {"format": FORMAT, **_setting_values(settings)}
    lines = [f"{key} = {_toml(value)}\n" for key, value in values.items()]
    for source in sources:
        facts = _source_values(source).items()
        lines += ["\n[[sources]]\n", *(f"{key} = {_toml(value)}\n" for key, value in facts)]
    return _HEADER + "".join(lines)


def with_settings(text: str, settings: LibrarySettings, sources: tuple[SourceLine, ...]) -> str:
    """Return the text with other settings and sources; everything else stays as it is."""
    before = parse(text)
    if (before.settings, before.sources) == (settings, sources):
        return text
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        _edit(document, _setting_values(before.settings), _setting_values(settings))
        if before.sources != sources:
            _edit_sources(document, sources)
        new = tomlkit.dumps(document)
        after = parse(new)
    except (TOMLKitError, InputError):
        after = None
    if after != replace(before, settings=settings, sources=sources):
        raise InputError("its settings cannot be changed automatically", remedy="edit it by hand")
    return new


def with_clips(text: str, found: Mapping[str, tuple[str, tuple[str, ...]]]) -> str:
    """Return the text with the clips found: name -> (source, tags). Other keys and clips stay."""
    wanted = {n: {"source": s, "found_tags": list(tags)} for n, (s, tags) in found.items()}
    before = tomllib.loads(text)
    clips = before.setdefault("clips", {})
    news = {n: facts for n, facts in wanted.items() if n not in clips}
    edits = {n: facts for n, facts in wanted.items() if n in clips and facts != _own(clips[n])}
    new = _with_clips_edited(text, clips, edits) if edits else text
    for name, facts in news.items():
        lines = [f"{key} = {_toml(value)}\n" for key, value in facts.items()]
        new += "" if new.endswith("\n") else "\n"
        new += f"\n[clips.{_toml(name)}]\n" + "".join(lines)
    for name, facts in wanted.items():
        clips.setdefault(name, {}).update(facts)
    try:
        after = {"clips": {}, **tomllib.loads(new)}
    except tomllib.TOMLDecodeError:
        return text
    return new if after == before else text


def write_text(path: Path, text: str) -> None:
    """Write a `library.toml`, whole or not at all."""
    write_bytes_atomically(path, text.encode())


def _with_clips_edited(
    text: str, clips: dict[str, Any], edits: Mapping[str, dict[str, Any]]
) -> str:
    """Return the text with the build's keys of these clips renewed, or unchanged if that fails."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document: Any = tomlkit.parse(text)
        for name, facts in edits.items():
            _edit(document["clips"][name], _own(clips[name]), facts)
        return tomlkit.dumps(document)
    except TOMLKitError:
        return text


def _own(clip: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a clip that are the build's."""
    return {key: clip[key] for key in ("source", "found_tags") if key in clip}


def _edit(table: Any, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Change the values of a table that differ; what stays keeps its place and its remarks."""
    import tomlkit

    for key in old.keys() - new.keys():
        table.pop(key, None)
    for key, value in new.items():
        if old.get(key) != value:
            table[key] = tomlkit.value(_toml(value))


def _edit_sources(document: Any, sources: tuple[SourceLine, ...]) -> None:
    import tomlkit

    old = {str(table["path"]): table for table in document.get("sources", [])}
    tables = tomlkit.aot()
    for source in sources:
        table = old.get(source.path, tomlkit.table())
        _edit(table, table.unwrap(), _source_values(source))
        tables.append(table)
    document["sources"] = tables


def _setting_values(settings: LibrarySettings) -> dict[str, Any]:
    values = {**vars(settings), "read": dict(settings.read)}
    values["fps"] = int(settings.fps) if settings.fps == int(settings.fps) else settings.fps
    if not settings.read:
        del values["read"]
    return values


def _source_values(source: SourceLine) -> dict[str, str]:
    words = {"path": source.path, "licence": source.licence, **vars(source.origin)}
    return {key: word for key, word in words.items() if word}


def _toml(value: Any) -> str:
    """Return a plain value as TOML, on one line; the escapes of JSON are a part of TOML's."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
