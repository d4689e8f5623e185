"""Put a walk on a child's skeleton: steps scaled to its legs, or exactly where they were.

python examples/retarget_to_another_character.py [CLIP] [FIGURE]
"""

from __future__ import annotations

import sys
from pathlib import Path

import footfall
from footfall.generate.gait.steady import steady


def main(clip: Path | None = None, character: Path | None = None) -> None:
    if clip is None:
        clip = footfall.save(steady("walk", 1.0, seconds=3.0), "walk.bvh")
    if character is None:
        character = footfall.save(steady("walk", 0.8, seconds=1.0, leg_m=0.55), "child.bvh")
    for footprints in ("scaled", "exact"):
        moved = footfall.convert(
            clip, f"{footprints}.glb", character=character, footprints=footprints
        )
        metres = moved.root[-1, 2] - moved.root[0, 2]
        print(f"{footprints} footprints: {metres:.2f} m in {moved.seconds:.1f} s")
        footfall.render(moved, f"{footprints}.png", views=["side"], width=900)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
