"""What many tests need, made before the first one runs: compiled kernels, clips and models.

`python -m tests.prepare` makes it on all cores. It is kept in the user's cache, by the address of
what it is made of, and read by every worker and every process that a test starts.
"""

from __future__ import annotations

import subprocess
import sys


def prepare() -> None:
    """Compile kernels and generate the default clips that are not in the cache."""
    from footfall.library.library import open_library
    from footfall.verbs.warmup import compile_kernels
    from footfall.verbs.warmup_jobs import JOBS

    compile_kernels(JOBS)
    open_library("default")


def make_graph() -> None:
    """Build the interpolated graph of the default clips."""
    from footfall.library.library import open_library
    from footfall.optimal import store

    store.make_graph(open_library("default:safonova"))


def make_roadmaps() -> None:
    """Build roadmaps of the built-in scenes that demo, docs and examples walk through."""
    from footfall import GoTo, Place, Query, load_scene, planner
    from footfall.verbs import demo

    # That of the room is the size to which the fixture `few_footholds` limits roadmaps.
    sizes = {"dungeon": (demo._NODES, demo._MORE), "room": (600, 200)}
    for name, (nodes, more) in sizes.items():
        scene = load_scene(name)
        one = scene.queries[0]
        query = Query(Place(one.start.x, one.start.z), GoTo(one.goal.x, one.goal.z))
        planner("roadmap", scene=scene, nodes=nodes, more=more).plan(query)


MODELS = {"graph": make_graph, "roadmaps": make_roadmaps}
"""What is made side by side, each in a process of its own."""


def main(*names: str) -> None:
    """Make models by name; without names everything."""
    if not names:
        prepare()
        words = [sys.executable, "-m", "tests.prepare"]
        beside = [subprocess.Popen([*words, name]) for name in MODELS]
        if sum(process.wait() != 0 for process in beside):
            sys.exit("a model could not be made")
    for name in names:
        MODELS[name]()


if __name__ == "__main__":
    main(*sys.argv[1:])
