"""python -m bench.acting [--recorded FOLDER]: how bodies act in the default clips."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.acting.table import measure_default, measure_recorded


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.acting", description=__doc__)
    words.add_argument("--recorded", type=Path, help="a folder of recordings with an INDEX.csv")
    given = words.parse_args()
    real = measure_recorded(given.recorded) if given.recorded else None
    print("| | figure | least | mean | most | people | recordings: least, mean, most (clips) |")
    print("|---|---|---|---|---|---|---|")
    inside = 0
    rows = measure_default()
    for n, (figure, low, mean, high) in enumerate(rows):
        ok = figure.low <= mean <= figure.high
        inside += ok
        beside = ""
        if real is not None:
            a, b, c, count = real[n]
            beside = f"{a:.1f}, {b:.1f}, {c:.1f} ({count})"
        strong = "" if ok else "**"
        print(
            f"| {figure.group} | {figure.name} | {low:.2f} | {strong}{mean:.2f}{strong} | "
            f"{high:.2f} | {figure.low:g} to {figure.high:g} | {beside} |"
        )
    print(f"\n{inside} of {len(rows)} inside")


if __name__ == "__main__":
    main()
