"""Explain which real clips the tests use, where they come from, and put them into one folder.

    python -m tools.test_clips                      # what is missing, where to get it
    python -m tools.test_clips --collect FOLDER…    # copy them out of unpacked downloads

The clips go into `test-clips/` of the checkout (ignored by git), or into the folder that
FOOTFALL_MOCAP names. `tests/real_clips.csv` lists them; it is written there as INDEX.csv.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
LIST = PROJECT / "tests" / "real_clips.csv"
SOURCES = {
    "cmu": "CMU Graphics Lab Motion Capture Database as BVH: `footfall library fetch cmu_bvh`, or "
    "http://mocap.cs.cmu.edu. Free for all uses; the data may not be resold directly.",
    "cmu_asfamc": "The same as ASF/AMC: `footfall library fetch cmu`, or http://mocap.cs.cmu.edu.",
    "accad_male1": "ACCAD Open Motion, Male 1: `footfall library fetch accad_male1`, or "
    "https://accad.osu.edu/research/motion-lab/mocap-system-and-data. CC BY 3.0.",
}
ACCLAIM = ("16.asf", "16_16.amc", "16_18.amc", "16_33.amc", "16_35.amc")
CHANGED = {
    "cmu/89_06_cut.bvh": "the walk over the beam, cut out of 89_06.bvh, at its true 60 fps",
    "cmu/143_18.bvh": "143_18.bvh with a frame time of 1/60 s, which is its true rate",
}
"""Clips that differ from the files of their source."""


def clips_folder() -> Path:
    """Return the folder of real clips: FOOTFALL_MOCAP, else test-clips in the checkout."""
    named = os.environ.get("FOOTFALL_MOCAP")
    return Path(named) if named else PROJECT / "test-clips"


def needed_files() -> list[str]:
    """Return the path of every clip inside the folder."""
    with LIST.open(encoding="utf-8") as table:
        listed = [row["file"] for row in csv.DictReader(table)]
    return listed + [f"cmu_asfamc/{name}" for name in ACCLAIM]


def explain(folder: Path) -> Iterator[str]:
    """Yield lines that say what is there, what is missing, and where to get it."""
    missing = [file for file in needed_files() if not (folder / file).is_file()]
    count = len(needed_files())
    yield f"{folder}: {count - len(missing)} of {count} clips are there"
    if not missing:
        return
    yield "Tests that use real clips are skipped until all are there. They come from:"
    for name, source in SOURCES.items():
        files = [Path(file).name for file in missing if file.startswith(f"{name}/")]
        if files:
            yield f"  {name}/: {source}"
            yield f"    {' '.join(files)}"
    for file, change in CHANGED.items():
        if file in missing:
            yield f"  {file} is {change}"
    yield "Unpack the downloads, then: python -m tools.test_clips --collect FOLDER…"


def collect(downloads: Iterable[Path], folder: Path) -> list[str]:
    """Copy clips out of unpacked downloads, by name; return those that were found."""
    by_name = {path.name: path for place in downloads for path in place.rglob("*.*")}
    found = [f for f in needed_files() if Path(f).name in by_name and not (folder / f).is_file()]
    for file in found:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(by_name[Path(file).name], folder / file)
    if all((folder / file).is_file() for file in needed_files()):
        shutil.copy(LIST, folder / "INDEX.csv")
    return found


def main() -> int:
    """Collect clips if folders are given, then explain what is missing."""
    parser = argparse.ArgumentParser(prog="python -m tools.test_clips", description=__doc__)
    parser.add_argument("--collect", nargs="+", type=Path, default=[], metavar="FOLDER")
    given = parser.parse_args()
    folder = clips_folder()
    if given.collect:
        print(f"copied {len(collect(given.collect, folder))} clips")
    print("\n".join(explain(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
