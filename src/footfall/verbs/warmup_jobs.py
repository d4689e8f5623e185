"""The jobs of `warmup`: a little real work of every kind, so that its kernels are compiled.

In an order in which processes that take one after the other seldom compile the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from footfall.processes import usable_cores

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.optimal.model import InterpolatedGraph


@cache
def _walk() -> Clip:
    from footfall.generate.gait.steady import steady

    return steady("walk", 1.3, seconds=4.0, fps=30.0)


def _kinematics() -> None:
    from footfall.gait.contacts import find_contacts
    from footfall.gait.footprints import footprints

    footprints(find_contacts(_walk()))


def _dynamics() -> None:
    from footfall.body.dynamics import inverse_dynamics

    inverse_dynamics(_walk())


def _files() -> None:
    from footfall.files.formats import load, save

    with TemporaryDirectory(prefix="footfall-") as folder:
        for suffix in (".bvh", ".glb", ".npz"):
            load(save(_walk(), Path(folder, f"walk{suffix}")))


def _pictures() -> None:
    from footfall.verbs.render import render

    with TemporaryDirectory(prefix="footfall-") as folder:
        render(_walk(), Path(folder, "walk.png"), width=320)
        render(_walk(), Path(folder, "walk.gif"), width=48)


def _scenes() -> None:
    from footfall.files.scene.read import load_scene
    from footfall.world.collision import queries

    scene = load_scene("hills")
    x, z = scene.queries[0].start.x, scene.queries[0].start.z
    ground = [[x, z]]
    scene.ground.height(ground)
    scene.ground.normal(ground)
    scene.height(ground)
    scene.normal(ground)
    queries.foot_placements(scene, [[x, z, 0.0]])
    queries.body_clearance(scene, ground)
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


def _fitting() -> None:
    from footfall.adapt.edit.constraints import hold_constraints
    from footfall.adapt.edit.displace import displace
    from footfall.adapt.feet.clean import clean
    from footfall.adapt.feet.fit import fit
    from footfall.adapt.feet.separation import keep_legs_apart
    from footfall.adapt.retarget.retarget import retarget
    from footfall.files.scene.read import load_scene
    from footfall.generate.skeleton import default_skeleton

    clean(_walk())
    for name in ("hills", "stairs"):  # swings have to be lifted over stairs alone
        scene = load_scene(name)
        start = scene.queries[0].start
        fit(_walk(), scene, (start.x, start.z, start.yaw))
    retarget(_walk(), default_skeleton(0.6))
    narrow = np.array(_walk().skeleton.offsets)
    narrow[[_walk().skeleton.role(f"{side}_hip") for side in ("left", "right")], 0] *= 0.1
    keep_legs_apart(replace(_walk(), skeleton=replace(_walk().skeleton, offsets=narrow)))
    aside = np.array([0.05, 0.0, 0.0])
    held = hold_constraints(_walk())
    displace(_walk(), [replace(c, position=c.position + aside) for c in held])


def _online() -> None:
    from footfall.adapt.retarget.online import retarget_online
    from footfall.generate.skeleton import default_skeleton

    retarget_online(_walk(), default_skeleton(0.6))


def _graphs() -> None:
    from footfall.graph.build import build_graph
    from footfall.graph.follow import follow_path

    graph = build_graph([_walk()], percentile=20.0)
    follow_path(graph, [[0.0, 0.0], [0.0, 3.0]], search="beam")


def _more_graphs() -> None:
    from footfall.graph.build import build_graph
    from footfall.graph.follow import SEARCHES, follow_path
    from footfall.pose.metrics import METRICS

    for metric in METRICS:
        graph = build_graph([_walk()], metric=metric, percentile=20.0)
    for search in SEARCHES:
        follow_path(graph, [[0.0, 0.0], [0.0, 3.0]], search=search)


def _roadmaps() -> None:
    from footfall.files.scene.read import load_scene
    from footfall.generate.gait.journeys import start, stop
    from footfall.roadmap.build import build_roadmap
    from footfall.roadmap.method import plan_on_roadmap
    from footfall.roadmap.moves import find_moves
    from footfall.roadmap.paths import FootholdPath, find_path
    from footfall.roadmap.refine import path_changes
    from footfall.roadmap.table import RoadmapSettings, list_moves
    from footfall.task import GoTo, Place, Query

    moves = find_moves((start(fps=30.0), _walk(), stop(fps=30.0)), 0.25)
    scene = load_scene("room")
    roadmap = build_roadmap(list_moves(moves, RoadmapSettings(700, 100, 50)), scene)
    one = scene.queries[0].start
    here, there = Place(one.x, one.z), Place(one.x, one.z + 2.0)
    plan_on_roadmap(roadmap, Query(here, GoTo(there.x, there.z), scene))
    path = find_path(roadmap, scene, here, there)
    if isinstance(path, FootholdPath):
        path_changes(roadmap.table, path)


def _changing_worlds() -> None:
    from dataclasses import replace

    from footfall.files.scene.read import load_scene
    from footfall.generate.gait.journeys import start, stop
    from footfall.roadmap.build import build_roadmap
    from footfall.roadmap.method import plan_on_roadmap
    from footfall.roadmap.moves import find_moves
    from footfall.roadmap.repair import repair_roadmap
    from footfall.roadmap.table import RoadmapSettings, list_moves
    from footfall.task import GoTo, Place, Query
    from footfall.world.moving import KeyedMotion
    from footfall.world.scene_edit import change_obstacles, move_obstacle

    scene = load_scene("room")
    moves = find_moves((start(fps=30.0), _walk(), stop(fps=30.0)), 0.25)
    roadmap = build_roadmap(list_moves(moves, RoadmapSettings(700, 100, 50)), scene)
    one = scene.queries[0].start
    moved = move_obstacle(scene, 0, [one.x, 0.0, one.z + 3.0])
    repaired = repair_roadmap(roadmap, scene, moved)
    rests = KeyedMotion(np.zeros(1), np.array([[one.x + 1.0, 0.0, one.z + 1.0]]),
                        np.array([[1.0, 0.0, 0.0, 0.0]]))  # fmt: skip
    cart = change_obstacles(moved, {0: replace(moved.obstacles[0], motion=rests)})
    query = Query(Place(one.x, one.z), GoTo(one.x, one.z + 2.0), cart)
    plan_on_roadmap(repaired, query)


def _blending() -> None:
    from footfall.adapt.steps.standing import stand_like
    from footfall.blending.build import build_space
    from footfall.blending.control import Crowd
    from footfall.blending.crowd import Walkers
    from footfall.blending.kernels import advance_time, blend_pose

    space = build_space([_walk()], stand_like(_walk()))
    space.basis.weights(space.basis.values[0])
    advance_time(0.0, 0.1, np.array([0.5, 0.5]))
    blend_pose(
        0.0, np.full(len(space), 1.0 / len(space)), space.middle, space.reference, space.vectors,
        np.empty(space.vectors.shape[2]), np.empty((len(space.skeleton), 4)),
    )  # fmt: skip
    people = Walkers(Crowd(space, space.skeleton, 2))
    people.place(np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]))
    people.send([np.array([[0.0, 0.0], [0.0, 1.0]]), None], 1.0)
    people.step(0.1)


def _search_worlds() -> None:
    from footfall.files.scene.read import load_scene
    from footfall.optimal import world, world_kernels
    from footfall.optimal.search_arrays import BodyArrays

    grids = world.pack_world(world.make_world(load_scene("course"), np.array([[0.0, -8.0]])))
    points, discs = np.zeros((1, 3, 4), np.float32), np.zeros((1, 1, 5), np.float32)
    body = BodyArrays(np.zeros((1, 2), np.int32), points, discs, np.zeros(1, np.float32))
    poses, free = np.zeros((1, 4)), np.zeros(1, np.bool_)
    world_kernels.nodes_stand(grids, body, np.zeros(1, np.int32), poses, free)


def _least_effort() -> None:
    from footfall.library.library import library_of
    from footfall.optimal.build import build_phase_graph
    from footfall.optimal.interpolate import interpolate_edges, segment_rows
    from footfall.optimal.product import build_product

    phases = build_phase_graph(library_of([_walk()]))
    interpolate_edges(segment_rows(phases), 0, 0, 0.5, np.linspace(0.0, 1.0, 3))
    _search(build_product(phases))


def _search(graph: InterpolatedGraph) -> None:
    from footfall.optimal.problem import Goals
    from footfall.optimal.search import PathSearch, SearchOptions
    from footfall.optimal.world import make_world

    nodes = len(graph.node_a)
    goals = Goals(
        np.ones((1, nodes), np.bool_), np.zeros((1, nodes, 3)), np.array([[0.0, np.nan, 2.0]]),
        np.full(1, 0.5), np.zeros((1, nodes)), np.full(1, np.nan), np.zeros(1), np.full(1, np.inf),
    )  # fmt: skip
    world = make_world(None, np.array([[0.0, 0.0], [0.0, 2.0]]))
    options = SearchOptions(epsilons=(10.0,), memory_mb=60.0)
    search = PathSearch(graph, world, goals, np.arange(nodes), np.zeros((nodes, 3)), options)
    list(search)
    search.domain.double_slots()
    search.domain.begin_lanes(10.0, 4)


def _shortest_paths() -> None:
    from footfall.search.shortest_path import SparseGraph, search_all

    graph = SparseGraph(np.array([0, 1, 1]), np.array([1]), np.ones(1))
    search_all(graph, [0])


def _actions() -> None:
    from footfall.generate.actions.sitting import sit_and_stand

    sit_and_stand()


def _default_clips() -> None:
    from footfall.library.default import default_library
    from footfall.task.method import find_method
    from footfall.verbs.demo import METHOD

    default_library(find_method(METHOD).default_clips.partition(":")[2], jobs=1)


JOBS: dict[str, Callable[[], None]] = {
    "blending": _blending,
    "scenes": _scenes,
    "roadmaps": _roadmaps,
    "least effort": _least_effort,
    "pictures": _pictures,
    "motion graphs": _graphs,
    "kinematics and contacts": _kinematics,
    "fitting, cleaning and retargeting": _fitting,
    "corridors": _corridors,
    "roadmaps in worlds that change": _changing_worlds,
    "online retargeting": _online,
    "default actions": _actions,
    "metrics and searches": _more_graphs,
    "dynamics": _dynamics,
    "files": _files,
    "shortest paths": _shortest_paths,
    "worlds of the optimal search": _search_worlds,
}
"""Every job. Those that go on at the same time share few kernels: each would compile them."""
_COMPILING_S = {"blending": 21, "scenes": 6, "roadmaps": 16, "least effort": 17}
"""CPU seconds to compile what a job adds to those before it; 2 for the others."""
DEFAULT_CLIPS = {"default clips of the dungeon": _default_clips}
"""Not of kernels: what `demo` needs as well, for a core that has none left to compile."""
_PLANNING = {
    "roadmap": ("roadmaps", "scenes"),
    "graph": ("motion graphs", "corridors"),
    "blending": ("blending", "corridors"),
    "optimal": ("least effort", "scenes", "worlds of the optimal search"),
}
"""The jobs whose kernels each method needs, beside those of every plan; the longest first."""
SHOWING = ("pictures", "files", "kinematics and contacts")
"""The jobs whose kernels reading, writing and drawing a clip needs."""


def compiling_seconds(names: Iterable[str]) -> float:
    """Return about how many seconds the usable cores need to compile the kernels of jobs."""
    return sum(_COMPILING_S.get(name, 2) for name in names) / usable_cores()


def planning_jobs(method: str) -> tuple[str, ...]:
    """Return the jobs whose kernels planning with a method needs, in an order that spreads well."""
    return _spread(method, SHOWING[1:])


def demo_jobs(method: str) -> tuple[str, ...]:
    """Return what can be done before the demo plans with a method and draws its plans."""
    return _spread(method, (*SHOWING, *DEFAULT_CLIPS))


def _spread(method: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """Put the longest job first, and last those that compile the same: by then it has done so."""
    own = _PLANNING.get(method, ())
    return (*own[:1], *others, *own[1:])
