"""python -m bench.limits TABLE: hold motions against limits. Tables are listed below."""

from __future__ import annotations

import importlib
import sys

TABLES = ("clips", "corners", "crowds", "feet", "plans", "steering", "pages")


def main(words: list[str]) -> int:
    if len(words) < 1 or words[0] not in TABLES:
        print(f"usage: python -m bench.limits {'|'.join(TABLES)} [--every N] [--csv FILE]")
        return 2
    importlib.import_module(f"bench.limits.{words[0]}").main(words[1:])
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
