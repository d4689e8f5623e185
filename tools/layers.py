"""The layers of the package, lowest first, and their table in the docs: `python -m tools.layers`.

A module imports only from lower rows, and packages of one row do not import each other
(`tests/contracts/test_layers.py`). What a package holds is the first line of its docstring.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PAGE = PROJECT / "docs" / "dev" / "architecture.md"
ROWS: tuple[tuple[str, ...], ...] = (
    ("errors", "cache_paths", "processes"),
    ("safe_open", "toml"),
    ("maths",),
    ("search",),
    ("body", "world"),
    ("files", "gait", "pose"),
    ("adapt",),
    ("generate",),
    ("library",),
    ("task",),
    ("graph", "blending", "roadmap", "optimal", "measures"),
    ("render",),
    ("plots",),
    ("verbs",),
    ("papers", "batch", "studio"),
    ("cli",),
)


def page() -> str:
    """Return the page of the architecture with the present table."""
    lines = ["| row | package | contents |", "|---|---|---|"]
    for row, names in enumerate(ROWS):
        lines += [f"| {row} | `{name}` | {_contents(name)} |" for name in names]
    table = "\n".join(("<!-- layers -->", *lines, "<!-- /layers -->"))
    text = PAGE.read_text("utf-8")
    return re.sub(r"<!-- layers -->.*?<!-- /layers -->", lambda _: table, text, flags=re.DOTALL)


def _contents(name: str) -> str:
    """Return the first sentence of a module's or a package's docstring."""
    folder = PROJECT / "src" / "footfall" / name
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ").rstrip(".")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
