"""How bodies act in the default clips, beside what people do.

python -m bench.acting [--recorded FOLDER] [--keep FILE] [--page FILE [--former FILE]]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tools.stamps import stamped

from bench.acting.page import acting_page, print_table
from bench.acting.table import measure_default, measure_recorded

FORMER = Path(__file__).with_name("former.json")
"""The means of the clips whose legs acted alone."""


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.acting", description=__doc__)
    words.add_argument("--recorded", type=Path, help="a folder of recordings with an INDEX.csv")
    words.add_argument("--keep", type=Path, help="write the means to this JSON file")
    words.add_argument("--page", type=Path, help="write the page of the docs to this file")
    words.add_argument(
        "--former", type=Path, default=FORMER, help="means of a former version, for the page"
    )
    given = words.parse_args()
    rows = measure_default()
    real = measure_recorded(given.recorded) if given.recorded else None
    print_table(rows, real)
    if given.keep:
        means = {f"{f.group}: {f.name}": round(mean, 3) for f, _, mean, _ in rows}
        given.keep.write_text(json.dumps(means, ensure_ascii=False, indent=1) + "\n")
    if given.page:
        page = acting_page(rows, json.loads(given.former.read_text()), real)
        given.page.write_text(stamped(page))


if __name__ == "__main__":
    main()
