"""Load a clip, look at what it holds and write it for other tools.

python examples/load_and_convert.py [CLIP]
"""

from __future__ import annotations

import sys
from pathlib import Path

import footfall
from footfall.generate.gait.steady import steady


def main(clip_file: Path | None = None) -> None:
    if clip_file is None:
        clip_file = footfall.save(steady("walk", 1.3, seconds=2.0), "walk.bvh")
    clip = footfall.load(clip_file)
    print(footfall.inspect(clip).headline)
    footfall.save(clip, "converted.glb")  # metres, with a skinned mannequin
    footfall.convert(clip, "converted.bvh", fps=30)  # centimetres, T-pose rest
    footfall.convert(clip, "converted.npz")  # arrays for learning and analysis
    again = footfall.load("converted.glb")
    furthest = abs(again.root - clip.root).max()
    print(f"read back from GLB: the root is at most {furthest * 1000:.3f} mm away")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
