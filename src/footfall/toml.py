"""Read TOML text whose keys are bounded, since the standard parser's memory is not.

A key of N parts makes `tomllib` keep N²/2 references: one of 60,000 parts takes 12 GB.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from footfall.errors import FileFormatError

MOST_PARTS = 32
"""How many parts (`a.b.c` has three) a key may have."""

# Strings and comments, whose dots do not count. No alternative can fail after it has begun, so
# that the time is linear in the length of the text, whatever it holds.
_QUOTED = re.compile(
    r'"""(?:[^"\\]|\\(?:.|\Z)|"(?!""))*+(?:"{3,5}|\Z)'
    r"|'''(?:[^']|'(?!''))*+(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]|\\[^\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*+",
    re.DOTALL,
)
_LONG_KEY = re.compile(rf"(?<![^\n,=\[\]{{}}])(?:[^\n,=\[\]{{}}.]++\.){{{MOST_PARTS}}}")


def toml_table(text: str, where: str) -> dict[str, Any]:
    """Return the table that TOML text states; `where` names the file in errors."""
    _refuse_long_keys(text, where)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = str(error).replace(" (at ", ", ").rstrip(")")
        raise FileFormatError(f"this is not valid TOML ({problem})", where=where) from None
    except RecursionError:
        raise FileFormatError("the file is nested too deeply", where=where) from None


def _refuse_long_keys(text: str, where: str) -> None:
    found = _LONG_KEY.search(_QUOTED.sub(_blank, text))
    if found is not None:
        line = found.string.count("\n", 0, found.start()) + 1
        raise FileFormatError(
            f"a key has more than {MOST_PARTS} parts", where=f"{where}, line {line}",
            remedy=f"use at most {MOST_PARTS - 1} dots",
        )  # fmt: skip


def _blank(quoted: re.Match[str]) -> str:
    """Return a stand-in without dots for a string or comment, of as many lines."""
    text = quoted[0]
    return "" if text.startswith("#") else "s" + "\n" * text.count("\n")
