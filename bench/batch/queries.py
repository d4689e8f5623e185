"""Mixed queries for all four methods, with default clips."""

from __future__ import annotations

import json
import math
from pathlib import Path

METHODS = ("graph", "blending", "roadmap", "optimal")


def write_mixed(file: Path, count: int, methods: tuple[str, ...] = METHODS) -> Path:
    """Write queries that take the methods in turn; each has a goal and a seed of its own."""
    lines = []
    for n in range(count):
        angle, far = 2.4 * n, 2.5 + 0.1 * (n % 20)
        goal = [round(far * math.sin(angle), 3), round(far * math.cos(angle), 3)]
        task = {"from": [0, 0], "to": goal, "method": methods[n % len(methods)], "seed": n}
        if task["method"] == "roadmap":
            task |= {"scene": "room", "from": [-2.45, -2.6], "to": [2.9 - 0.01 * (n % 40), 2.3]}
        lines.append(json.dumps(task))
    file.write_text("\n".join(lines) + "\n")
    return file
