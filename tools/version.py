"""The version of the project: the places that state it agree, and what changed in it.

python -m tools.version                 # print the version
python -m tools.version --check 0.2.0   # fail unless it is this one everywhere
python -m tools.version --notes         # print its section of CHANGELOG.md
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def stated_versions() -> dict[str, str]:
    """Return the version that each place states, by its name."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    patterns = {
        "src/footfall/__init__.py": r'^__version__ = "(.+)"$',
        "CITATION.cff": r"^version: (.+)$",
        "CHANGELOG.md": r"^## (\d\S+)",
    }
    found = {"pyproject.toml": str(project["version"])}
    for name, pattern in patterns.items():
        match = re.search(pattern, (PROJECT / name).read_text("utf-8"), re.M)
        found[name] = match[1] if match else "none"
    return found


def notes(version: str) -> str:
    """Return a version's section of the changelog without its heading."""
    text = (PROJECT / "CHANGELOG.md").read_text("utf-8")
    match = re.search(rf"^## {re.escape(version)}[^\n]*\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    return match[1].strip() if match else ""


def main(words: list[str]) -> int:
    """Print or check the version; return the exit code."""
    stated = stated_versions()
    version = stated["pyproject.toml"]
    if words[:1] == ["--notes"]:
        print(notes(version))
        return 0 if notes(version) else 1
    wanted = words[1] if words[:1] == ["--check"] else version
    wrong = [f"{place} states {found}" for place, found in stated.items() if found != wanted]
    print("; ".join(wrong) + f", not {wanted}" if wrong else version)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
