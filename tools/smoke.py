"""Try an installed Footfall: scenes, default clips, a small plan, its files and the player's page.

python -I tools/smoke.py FOLDER_OF_THE_PROGRAM

It uses only what the environment has, writes into the current folder, and prints each command.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

LIBRARY = "default:basten_test"


def main(scripts: str) -> None:
    """Run each command and check what it gives."""
    program = shutil.which("footfall", path=scripts)
    assert program, f"there is no program footfall in {scripts}"

    def footfall(*words: str) -> dict[str, Any]:
        print("footfall", *words, flush=True)
        done = subprocess.run(
            [program, *words, "--json"], stdout=subprocess.PIPE, text=True, check=True
        )
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    examined = footfall("doctor")
    has_pages = examined["extras"]["player page"]
    assert "missing" not in examined["versions"].values(), examined["versions"]
    scenes = footfall("scene", "list")["scenes"]
    assert len(scenes) >= 10, scenes
    footfall("scene", "check", "room")
    clips = footfall("library", "list", LIBRARY)["clips"]
    assert clips, "no default clips"
    formats = "bvh,glb,npz,html" if has_pages else "bvh,glb,npz"
    footfall("plan", "--from", "0,0", "--to", "0,3", "--method", "graph", "--library", LIBRARY,
             "--formats", formats, "-o", "out/walk")  # fmt: skip
    for suffix in formats.split(","):
        assert Path(f"out/walk.{suffix}").stat().st_size > 1000, suffix
    assert footfall("inspect", "out/walk.bvh")["clips"][0]["frames"] > 30
    footfall("convert", "out/walk.bvh", "out/again.glb")
    footfall("render", "out/walk.glb", "-o", "out/walk.png", "--width", "400")
    footfall("measure", "out/walk.bvh")
    print("pages:", "built" if has_pages else "not built (Node.js was missing)")


if __name__ == "__main__":
    main(sys.argv[1])
