"""Pictures of a plan drawn in a process beside: it gets ready while the plan is being made.

Importing what draws takes as long as planning a short walk. The process is told what to draw by
lines of JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from footfall.processes import start_module
from footfall.task import Plan


class PictureProcess:
    """Draws maps and timelines of plans in one scene, by its name or file, beside this process."""

    def __init__(self, scene: str | None) -> None:
        self.process = start_module("footfall.plots.picture_process")
        self._send({"scene": scene})

    def begin(self, plan: Plan, files: list[Path]) -> None:
        """Let it draw the pictures, while this process does something else."""
        from footfall.plots.plan_sketch import sketch_plan

        self._send({"files": [str(file) for file in files], **sketch_plan(plan).facts()})

    def is_drawn(self) -> bool:
        """Wait for the pictures; False if that did not work, so that they have to be drawn here."""
        assert self.process.stdout is not None
        try:
            return self.process.stdout.readline().strip() == "drawn"
        except (OSError, ValueError):
            return False

    def close(self) -> None:
        """End the process."""
        with suppress(OSError):
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    pipe.close()
        self.process.terminate()
        self.process.wait()

    def _send(self, facts: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.write(json.dumps(facts) + "\n")
            self.process.stdin.flush()


def _work() -> None:
    """Get ready, then draw what is asked for line by line."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    name = json.loads(sys.stdin.readline())["scene"]
    import matplotlib.backends.backend_agg
    import matplotlib.figure  # noqa: F401

    import footfall.plots.scene_map  # noqa: F401
    from footfall.plots.anytime import save_anytime
    from footfall.plots.plan_map import save_plan_map
    from footfall.plots.plan_sketch import read_sketch
    from footfall.plots.timeline import save_timeline

    scene = None
    if name is not None:
        from footfall.files.scene.read import load_scene

        scene = load_scene(name)
    for line in sys.stdin:
        facts = json.loads(line)
        sketch = read_sketch(facts)
        for file in map(Path, facts["files"]):
            if file.stem.endswith(".map"):
                save_plan_map(sketch, file, scene)
            elif file.stem.endswith(".anytime"):
                save_anytime(sketch, file)
            else:
                save_timeline(sketch, file)
        answers.write("drawn\n")
        answers.flush()


if __name__ == "__main__":
    _work()
