"""`warmup`: compile every numerical kernel once, by doing a little of all real work.

The compiled kernels are kept on disk beside the package, so this is slow only the first time.
Kernels are compiled by use, not by lists of types: what a task calls is what it needs.
"""

from __future__ import annotations

import pkgutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np

from footfall.body.clip import Clip
from footfall.files.formats import load, save


@dataclass(frozen=True)
class WarmedUp:
    """What `warmup` did.

    steps     each task done and its seconds, in order
    compiled  how many kernels were compiled now      loaded  how many were there already
    modules   how many modules of kernels there are
    """

    steps: tuple[tuple[str, float], ...]
    compiled: int
    loaded: int
    modules: int

    @property
    def seconds(self) -> float:
        """All steps together."""
        return sum(seconds for _, seconds in self.steps)


def warmup(progress: Callable[[float], None] | None = None) -> WarmedUp:
    """Do a little of everything, so that later nothing waits for a kernel to be compiled.

    progress  is called with the share that is done, 0 to 1
    """
    tell = progress or (lambda fraction: None)
    modules = list(kernel_modules())
    before = _counts(modules)
    steps: list[tuple[str, float]] = []
    with TemporaryDirectory(prefix="footfall-") as folder:
        todo = _tasks(Path(folder))
        for name, work in todo:
            start = time.perf_counter()
            work()
            steps.append((name, time.perf_counter() - start))
            tell(len(steps) / len(todo))
    compiled, loaded = (b - a for a, b in zip(before, _counts(modules), strict=True))
    return WarmedUp(tuple(steps), compiled, loaded, len(modules))


def kernel_modules() -> Iterator[ModuleType]:
    """Every module of the package that holds kernels, imported."""
    import footfall

    for found in pkgutil.walk_packages(footfall.__path__, "footfall."):
        if found.name.endswith("kernels"):
            yield import_module(found.name)


def kernels_of(module: ModuleType) -> dict[str, Any]:
    """The kernels that a module defines, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if hasattr(value, "py_func") and value.py_func.__module__ == module.__name__
    }


def _counts(modules: list[ModuleType]) -> tuple[int, int]:
    """How many kernels this process has compiled and how many it has loaded from disk."""
    stats = [kernel.stats for module in modules for kernel in kernels_of(module).values()]
    compiled = sum(sum(s.cache_misses.values()) for s in stats)
    return compiled, sum(sum(s.cache_hits.values()) for s in stats)


def _tasks(folder: Path) -> list[tuple[str, Callable[[], object]]]:
    """Tasks in the order in which they need each other; each has a name for people."""
    from footfall.library.generate.gait.steady import steady

    walk = steady("walk", 1.3, seconds=1.6, fps=30.0)
    return [
        ("reading and writing files", lambda: _files(walk, folder)),
        ("kinematics", lambda: _kinematics(walk)),
        ("pictures", lambda: _pictures(walk, folder)),
        ("contacts and footprints", lambda: _gait(walk)),
        ("scenes", _world),
        ("corridors", _corridors),
        ("fitting, cleaning and retargeting", lambda: _adapt(walk)),
        ("motion graphs", _graphs),
        ("default actions", _actions),
    ]


def _files(walk: Clip, folder: Path) -> None:
    for suffix in (".bvh", ".glb", ".npz"):
        load(save(walk, folder / f"walk{suffix}"))


def _kinematics(walk: Clip) -> None:
    from footfall.body.kinematics import joint_positions, world_velocities

    joint_positions(walk)
    world_velocities(walk)


def _pictures(walk: Clip, folder: Path) -> None:
    from footfall.report.render.render import render

    render(walk, folder / "walk.png", width=320)
    render(walk, folder / "walk.gif", width=48)


def _gait(walk: Clip) -> None:
    from footfall.gait.contacts import find_contacts
    from footfall.gait.footprints import footprints

    footprints(find_contacts(walk))


def _world() -> None:
    from footfall.files.scene.read import load_scene
    from footfall.world.collision import queries

    scene = load_scene("hills")
    x, z = scene.queries[0].start.x, scene.queries[0].start.z
    ground, space, turn = [[x, z]], [[x, 1.0, z]], np.eye(3)[None]
    scene.ground.height(ground)
    scene.ground.normal(ground)
    scene.height(ground)
    scene.normal(ground)
    queries.foot_placements(scene, [[x, z, 0.0]])
    queries.body_clearance(scene, ground)
    queries.segment_hits(scene, [[[x, 1.0, z], [x, 1.0, z + 1.0]]])
    queries.box_hits(scene, space, turn, [[0.2, 0.2, 0.2]])
    queries.boxes_overlap(space, turn, [[0.2, 0.2, 0.2]], space, turn, [[0.1, 0.1, 0.1]])
    queries.is_under_water(scene, ground)


def _corridors() -> None:
    import shapely

    from footfall.world.corridor.corridor_map import build_corridor_map

    wall, post = shapely.box(3, 0, 4, 4), shapely.box(6, 5, 6.5, 6)
    corridors = build_corridor_map(shapely.box(0, 0, 8, 6), wall)
    corridors.clearances([[1.0, 1.0]])
    corridors.path((1, 1), (7, 1), radius=0.3)
    corridors.path((1, 1), (7, 1), radius=0.3, turn_radius=1.5)
    corridors.follow([(1, 1), (3.5, 3), (7, 1)], radius=0.3)
    corridors.updated(shapely.union(wall, post))


def _adapt(walk: Clip) -> None:
    from footfall.adapt.clean import clean
    from footfall.adapt.displace.constraints import hold_constraints
    from footfall.adapt.displace.displace import displace
    from footfall.adapt.fit import fit
    from footfall.adapt.online.retargeter import retarget_online
    from footfall.adapt.retarget import retarget
    from footfall.files.scene.read import load_scene
    from footfall.library.generate.skeleton import default_skeleton

    clean(walk)
    scene = load_scene("hills")
    start = scene.queries[0].start
    fit(walk, scene, (start.x, start.z, start.yaw))
    retarget(walk, default_skeleton(0.6))
    for ground in (None, scene):
        retarget_online(walk, default_skeleton(0.6), ground)
    aside = np.array([0.05, 0.0, 0.0])
    displace(walk, [replace(c, position=c.position + aside) for c in hold_constraints(walk)])


def _actions() -> None:
    from footfall.library.generate.actions.sitting import sit_and_stand

    sit_and_stand()


def _graphs() -> None:
    from footfall.graph.build import build_graph
    from footfall.graph.follow import SEARCHES, follow_path
    from footfall.library.generate.gait.steady import steady
    from footfall.pose.metrics import METRICS

    walk = steady("walk", 1.3, seconds=4.0, fps=30.0)
    for metric in METRICS:
        graph = build_graph([walk], metric=metric, percentile=20.0)
    for search in SEARCHES:
        follow_path(graph, [[0.0, 0.0], [0.0, 3.0]], search=search)
