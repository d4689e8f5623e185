"""Draw what a query file leaves open: start and goal on the free floor, speeds, seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import InputError, check_range, check_whole, choices
from footfall.files.scene.read import load_scene
from footfall.maths.arrays import Floats
from footfall.task.file import GOING, resolve_files

if TYPE_CHECKING:
    from footfall.world.scene import Scene

CLEARANCE_M = 0.45
"""How far starts and goals are from what blocks, metres: half a body and an arm's swing."""
_DISTANCE_M = (2.0, 8.0)
_MOST_TRIES, _AT_ONCE = 4000, 64
_KEYS = ("count", "distance_m", "speed", "seeds")


def check_sample(sample: Mapping[str, Any]) -> None:
    """Raise an InputError unless this is a table of what is drawn."""
    for key in sample:
        if key not in _KEYS:
            raise InputError(f"there is no key {key!r}", remedy=choices(_KEYS, key))
    check_whole("count", sample.get("count", 1), 1, 100_000_000)
    if not isinstance(sample.get("seeds", True), bool):
        raise InputError(f"seeds is {sample['seeds']!r}", remedy="it is true or false")
    for key in ("distance_m", "speed"):
        given = sample.get(key, [1.0, 1.0])
        if not isinstance(given, list) or len(given) != 2:
            raise InputError(f"{key} is {str(given)[:40]}", remedy="it is a list of two numbers")
        low, high = (check_range(key, value, above=0.0, most=1e4) for value in given)
        if high < low:
            raise InputError(f"{key} is {given}", remedy="the smaller number comes first")


class Sampler:
    """Fills the tables of queries; what is drawn depends on the seed and the query's number."""

    def __init__(self, sample: Mapping[str, Any], seed: int, folder: Path) -> None:
        self.sample, self.seed, self.folder = sample, seed, folder
        self._scenes: dict[str, Scene] = {}

    def fill(self, table: Mapping[str, Any], number: int) -> dict[str, Any]:
        """Return the table of query `number` with what is drawn for it."""
        filled = dict(table)
        if not self.sample:
            return filled
        random = np.random.default_rng([self.seed, number])
        if "seed" not in filled and self.sample.get("seeds", True):
            filled["seed"] = int(random.integers(2**31))
        if "speed" in self.sample:
            filled["speed"] = round(float(random.uniform(*self.sample["speed"])), 3)
        if not {"from", *GOING} & set(filled):
            distance = self.sample.get("distance_m", _DISTANCE_M)
            low, high = float(distance[0]), float(distance[1])
            scene = filled.get("scene")
            ends = (
                _on_plain(low, high, random) if scene is None
                else _on_floor(self._scene(str(scene)), low, high, random)
            )  # fmt: skip
            filled["from"], filled["to"] = ([round(float(v), 3) for v in end] for end in ends)
        return filled

    def _scene(self, name: str) -> Scene:
        if name not in self._scenes:
            resolved = resolve_files({"scene": name}, self.folder)["scene"]
            if len(self._scenes) >= 8:
                self._scenes.pop(next(iter(self._scenes)))
            self._scenes[name] = load_scene(resolved)
        return self._scenes[name]


def _on_plain(low: float, high: float, random: np.random.Generator) -> tuple[Floats, Floats]:
    length, angle = random.uniform(low, high), random.uniform(-math.pi, math.pi)
    return np.zeros(2), length * np.array([math.sin(angle), math.cos(angle)])


def _on_floor(
    scene: Scene, low: float, high: float, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw a start and a goal, on one island of the free floor, as far apart as asked."""
    import shapely

    from footfall.world.corridor.free_floor import walking_corridors

    corridors = walking_corridors(scene)
    islands = shapely.get_parts(corridors.free)
    left, bottom, right, top = corridors.free.bounds
    for _ in range(_MOST_TRIES // _AT_ONCE):
        points = random.uniform((left, bottom), (right, top), (2 * _AT_ONCE, 2))
        free = corridors.clearances(points) >= CLEARANCE_M
        for start, goal, clear in zip(points[::2], points[1::2],
                                      free[::2] & free[1::2], strict=True):  # fmt: skip
            if not clear or not low <= math.dist(start, goal) <= high:
                continue
            both = shapely.points([start, goal])
            if any(shapely.covers(island, both).all() for island in islands):
                return start, goal
    raise InputError(
        f"no start and goal {low:g} to {high:g} m apart are free in the scene {scene.name!r}",
        remedy="change distance_m",
    )
