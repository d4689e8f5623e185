"""The commands and programs that the README and the docs show."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]


def blocks(language: str) -> list[tuple[str, str]]:
    """Return page and text of every block of code in a language."""
    found = []
    for page in PAGES:
        for match in re.finditer(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL):
            found.append((str(page.relative_to(PROJECT)), match[1]))
    return found


def commands() -> list[str]:
    """Return every command, once however many pages show it and wherever its output goes."""
    lines = [line for _, block in blocks("console") for line in block.splitlines()]
    shown = [line.split("  #")[0].strip() for line in lines if line.startswith("footfall ")]
    return list(
        {re.sub(r"( (?:-o|--output) )[\w/]*/", r"\1", line): line for line in shown}.values()
    )


def command(begin: str) -> list[str]:
    """Return the words, after `footfall`, of the one command that begins in a way."""
    (line,) = [line for line in commands() if line.startswith(f"footfall {begin}")]
    return shlex.split(line)[1:]
