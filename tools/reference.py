"""Write the reference pages that come from code: commands, options, formats, task files, Python.

    python -m tools.reference            # write docs/reference/
    python -m tools.reference --check    # fail if a page differs from the code

A test compares the pages, so a change of an option without its page is noticed.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import typer

import footfall
from footfall.cli.app import app
from footfall.files.formats import FORMATS
from footfall.files.options import ReadOptions, WriteOptions
from footfall.task import file as task_file
from footfall.task.method import SYSTEMS, find_method
from footfall.task.options import option_rows
from footfall.task.stages import STAGES

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
WRITTEN = "<!-- Written by `python -m tools.reference`; change the code, not this page. -->"
KEYS_OF_PLACES = {
    "at": ("required", "the place: `[x, z]`, `[x, z, heading]`, or `[x, y, z]` for a hand"),
    "within_deg": ("5", "how far the heading may differ, degrees"),
}
STAGE_KEYS = {
    "by_s": "seconds after the start by which the stage must be done",
    "corridor_m": "how far the body may be from the path, metres",
    "foot": "`left`, `right` or `either`",
    "hand": "`left`, `right` or `either`",
    "height_m": "of the seat, or of the bar, above the ground, metres",
    "path": "a name, a file, or a table of points",
    "stand": "where the feet stand meanwhile: `[x, z]` or `[x, z, heading]`",
    "within_m": "how far from the place it may be done, metres",
}
COMMON = ("--json", "--quiet", "--help")
"""Options of every command, described once."""


def main(words: list[str]) -> int:
    """Write the pages, or compare them with the code; return the exit code."""
    stale = []
    for name, make in PAGES.items():
        path, text = FOLDER / name, make()
        if words == ["--check"]:
            stale += [name] if not path.is_file() or path.read_text("utf-8") != text else []
        else:
            FOLDER.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    for name in stale:
        print(f"docs/reference/{name} differs from the code; run: python -m tools.reference")
    return 1 if stale else 0


def command_page() -> str:
    """Return the page of all commands with their arguments, options and examples."""
    lines = [
        "# Command line", WRITTEN,
        "One program, `footfall`. Each command has a Python function of the same name. Every "
        "command takes `--json` (print one JSON object on standard output, nothing else), "
        "`--quiet` (print nothing but errors) and `--help`.",
        "Exit codes: 0 success; 1 no motion found, or a check failed (the reason is printed); "
        "2 invalid input (what, where, and the valid choices); 130 stopped by Ctrl-C; "
        "143 asked to end.",
        "[Files and the command line](../howto/command_line.md) describes what is overwritten, "
        "progress, completion and environment variables.",
    ]  # fmt: skip
    for name, one in _commands(typer.main.get_command(app), ()):
        lines += [f"## {' '.join(name)}", *_command_lines(name, one)]
    return "\n\n".join(lines) + "\n"


def _commands(group: Any, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name in sorted(group.commands):
        one = group.commands[name]
        if hasattr(one, "commands"):
            yield from _commands(one, (*above, name))
        else:
            yield (*above, name), one


def _command_lines(name: tuple[str, ...], one: Any) -> Iterator[str]:
    text = inspect.cleandoc(one.help or "")
    body, _, examples = re.split(r"(\n(?:Examples?|Try):)", text + "\nTry:", maxsplit=1)
    yield from (" ".join(part.split()) for part in body.split("\n\n") if part.strip())
    shown = [line.strip() for line in examples.splitlines() if line.strip().startswith("footfall")]
    if shown:
        yield "```sh\n" + "\n".join(shown) + "\n```"
    arguments = [p for p in one.params if p.param_type_name == "argument"]
    options = [p for p in one.params if p.param_type_name == "option"]
    if arguments:
        rows = [(f"`{p.name.upper()}`", _words(p), _usual(p)) for p in arguments]
        yield _table(("argument", "meaning", "default"), rows)
    rows = [
        (_flags(p), _words(p), _usual(p)) for p in options if not set(p.opts) & set(COMMON)
    ]  # fmt: skip
    if rows:
        yield _table(("option", "meaning", "default"), rows)


def _flags(parameter: Any) -> str:
    return ", ".join(f"`{flag}`" for flag in (*parameter.opts, *parameter.secondary_opts))


def _words(parameter: Any) -> str:
    return " ".join((getattr(parameter, "help", "") or "").split()).replace("|", "\\|")


def _usual(parameter: Any) -> str:
    value = parameter.default
    if parameter.required or value is None or callable(value) or value is False:
        return ""
    if value is True:
        return "yes"
    return (
        ""
        if str(value) in ("", "()", "[]")
        else f"`{Path(value).as_posix()}`"
        if isinstance(value, Path)
        else f"`{value}`"
    )


def option_page() -> str:
    """Return the page of the options of all methods."""
    lines = [
        "# Options of the methods", WRITTEN,
        "Give them as `plan(…, name=value)`, as `--set name=value`, or under `[options]` of a task "
        "file. `footfall plan --methods` prints the same.",
    ]  # fmt: skip
    for name in SYSTEMS:
        rows = [
            (f"`{o}`", usual, text) for o, usual, text in option_rows(find_method(name).Options)
        ]
        lines += [f"## {name}", _table(("option", "default", "meaning"), rows)]
    return "\n\n".join(lines) + "\n"


def format_page() -> str:
    """Return the page of file formats with the options of reading and writing."""
    rows = [
        (f"`{suffix}`", form.name, "yes" if form.reads else "", "yes" if form.writes else "")
        for suffix, form in FORMATS.items()
    ]
    lines = [
        "# Formats and their options", WRITTEN,
        "[Files](files.md) describes what is detected, repaired and refused.",
        _table(("suffix", "format", "read", "write"), rows),
    ]  # fmt: skip
    for kind, title in ((ReadOptions, "Reading"), (WriteOptions, "Writing")):
        known = _field_help(kind)
        options = [(f"`{f.name}`", _default(f), known.get(f.name, "")) for f in fields(kind)]
        function = "load" if kind is ReadOptions else "save"
        lines += [
            f"## {title}", f"Keyword arguments of `footfall.{function}`.",
            _table(("option", "default", "meaning"), options),
        ]  # fmt: skip
    return "\n\n".join(lines) + "\n"


def task_page() -> str:
    """Return the page of task files: their keys and those of each stage."""
    keys = ", ".join(f"`{key}`" for key in task_file.KEYS)
    lines = [
        "# Task files", WRITTEN,
        "A task file is TOML: what to do, in which scene, and what answers it. "
        "`footfall plan TASK.toml` plans it, `--save-task` writes one.",
        f"Keys: {keys}. Give `path`, or `from` and `to`, or `scene` and `query`, or `stages`. "
        "Places are `[x, z]` or `[x, z, heading]`, metres and degrees.",
        "Each `[[stages]]` table names its stage with `do` and has the keys listed under it.",
    ]  # fmt: skip
    for name, stage in STAGES.items():
        first = (inspect.getdoc(stage) or "").split("\n\n")[0]
        usual = {f.name: f for f in fields(stage)}
        rows = [
            (f"`{key}`", _default(usual[key]) if key in usual else KEYS_OF_PLACES[key][0],
             KEYS_OF_PLACES[key][1] if key in KEYS_OF_PLACES else STAGE_KEYS[key])
            for key in task_file._keys(stage)
        ]  # fmt: skip
        lines += [
            f"## {name}",
            " ".join(first.split()),
            _table(("key", "default", "meaning"), rows),
        ]
    return "\n\n".join(lines) + "\n"


def python_page() -> str:
    """Return the page of the exported names."""
    lines = [
        "# Python", WRITTEN,
        "`import footfall` loads nothing heavy: each name is loaded when it is first used. "
        "`help(footfall.plan)` prints the arguments.",
    ]  # fmt: skip
    rows = []
    for name in sorted(footfall.__all__, key=str.lower):
        value = getattr(footfall, name)
        if callable(value):
            first = (inspect.getdoc(value) or "").split("\n\n")[0]
            home = f"{value.__module__}"
            rows.append((f"`{name}`", " ".join(first.split()), f"`{home}`"))
    lines.append(_table(("name", "meaning", "defined in"), rows))
    return "\n\n".join(lines) + "\n"


def _field_help(kind: type) -> dict[str, str]:
    """Return the meaning of each field, from the rows of the class's docstring."""
    found: dict[str, str] = {}
    last = ""
    for line in (inspect.getdoc(kind) or "").splitlines():
        match = re.match(r"([a-z_]\w*)\s{2,}(\S.*)", line)
        if match:
            last = match[1]
            found[last] = match[2]
        elif last and line.startswith("   "):
            found[last] += " " + line.strip()
        else:
            last = ""
    return found


def _default(field: Any) -> str:
    if field.default is MISSING:
        return "required" if field.default_factory is MISSING else ""
    return "" if field.default in (None, "") else f"`{field.default}`"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("\n", " ") for cell in row) + " |" for row in lines
    )


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": command_page,
    "options.md": option_page,
    "formats.md": format_page,
    "task_files.md": task_page,
    "python.md": python_page,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
