"""python -m bench.trials run|judge|page|flow: plan generated tasks and judge the answers."""

from __future__ import annotations

import importlib
import sys

PARTS = ("run", "judge", "page", "flow")


def main(words: list[str]) -> int:
    if len(words) < 1 or words[0] not in PARTS:
        print(f"usage: python -m bench.trials {'|'.join(PARTS)} [--help]")
        return 2
    importlib.import_module(f"bench.trials.{words[0]}").main(words[1:])
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
