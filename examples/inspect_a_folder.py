"""Tell what the clips of a folder hold, and which of them cannot be read and why.

python examples/inspect_a_folder.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import footfall
from footfall.generate.gait.steady import steady


def main(folder: Path | None = None) -> None:
    if folder is None:
        folder = Path("takes")
        for name, speed in (("walk", 1.2), ("run", 3.0)):
            footfall.save(steady(name, speed, seconds=1.5), folder / f"{name}.bvh")
        (folder / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{\n")
    for file in sorted(folder.glob("*.bvh")):
        try:
            found = footfall.inspect(file)
        except footfall.InputError as error:
            print(f"cannot read: {error}")
            continue
        print(f"{file.name}: {found.headline}")
        for note in found.notes:
            print(f"  note: {note}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
