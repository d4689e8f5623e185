"""Run every benchmark and write what was measured into docs/dev/benchmarks.md.

python -m bench            all of them
python -m bench bvh        those whose names hold the word
"""

from __future__ import annotations

import importlib
import platform
import sys
from pathlib import Path

from tools.stamps import stamped

from bench.harness import table

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER.parent / "docs" / "dev" / "benchmarks.md"

INTRODUCTION = """# Benchmarks

`make bench` measures these in one run on one machine and writes this page: best of several runs, \
warm, peers taking turns with us. Compare ratios, not seconds.
"""


def main(words: list[str]) -> None:
    names = sorted(p.stem for p in FOLDER.glob("bench_*.py"))
    chosen = [n for n in names if not words or any(w in n for w in words)]
    sections = []
    for name in chosen:
        print(f"{name} …", flush=True)
        module = importlib.import_module(f"bench.{name}")
        title = (module.__doc__ or name).strip().splitlines()[0].rstrip(".")
        text = f"## {title}\n\n{table(module.rows())}\n"
        print(text)
        sections.append(text)
    if not words:
        machine = f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}."
        PAGE.write_text(stamped("\n".join([INTRODUCTION, machine + "\n", *sections])))
        print(f"written: {PAGE.relative_to(FOLDER.parent)}")


if __name__ == "__main__":
    main(sys.argv[1:])
