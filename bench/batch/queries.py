"""Mixed queries for all four methods, with default clips, on several scenes and two bodies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from footfall.batch.sampling import Sampler

METHODS = ("graph", "blending", "roadmap", "optimal")
SEARCH = {"near_enough": 3.0, "expansions": 20_000}
"""Options of `optimal` that end its search early; by default it takes seconds for each query."""
_FAR_M, _NEAR_M = (3.0, 9.0), (1.5, 3.0)
_KINDS: tuple[tuple[int, dict[str, Any], tuple[float, float]], ...] = (
    (12, {"method": "blending"}, _FAR_M),
    (12, {"method": "blending", "scene": "plaza"}, _FAR_M),
    (12, {"method": "blending", "scene": "hills"}, _FAR_M),
    (10, {"method": "blending", "character": "child.bvh"}, _FAR_M),
    (10, {"method": "graph", "speed": 1.2}, _FAR_M),
    (10, {"method": "graph", "scene": "room", "speed": 1.2}, _FAR_M),
    (10, {"method": "graph", "scene": "plaza", "speed": 1.4}, _FAR_M),
    (9, {"method": "roadmap", "scene": "room", "seed": 1}, _FAR_M),
    (9, {"method": "roadmap", "scene": "columns", "seed": 1}, _FAR_M),
    (3, {"method": "roadmap", "scene": "dungeon", "seed": 1}, _FAR_M),
    (3, {"method": "optimal", "options": SEARCH}, _NEAR_M),
)
"""Share in a hundred, what such queries have in common, and how far the goals are.

Roadmaps depend on the seed, so that queries on one share it. Strides are blended at any speed;
a graph is made of the clips near a speed, so that there are few speeds for it.
"""


def write_mixed(file: Path, count: int, methods: tuple[str, ...] = METHODS) -> Path:
    """Write queries in a mixed order; starts, goals, seeds and speeds are drawn for each."""
    from footfall import save
    from footfall.generate.gait.steady import steady

    kinds = [kind for kind in _KINDS if kind[1]["method"] in methods]
    if any("character" in table for _, table, _ in kinds):
        save(steady(seconds=1.0, leg_m=0.62), file.parent / "child.bvh")
    turns = [number for number, (share, _, _) in enumerate(kinds) for _ in range(share)]
    samplers = [_sampler(table, far, file.parent) for _, table, far in kinds]
    with file.open("w") as out:
        for n in range(count):
            which = turns[n * 37 % len(turns)]
            out.write(json.dumps(samplers[which].fill(kinds[which][1], n)) + "\n")
    return file


def _sampler(table: dict[str, Any], far: tuple[float, float], folder: Path) -> Sampler:
    drawn: dict[str, Any] = {"distance_m": list(far)}
    if table["method"] == "blending":
        drawn["speed"] = [0.9, 1.5]
    return Sampler(drawn, 26, folder)
