"""Foothold roadmaps: the dungeon built, asked, repaired; how it grows; the plaza; the front door.

Choi, Lee & Shin's figures were measured on one 800 MHz core. How construction grows with nodes,
and with clips, is drawn into docs/images/roadmap/scaling.png when everything is measured.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.harness import BenchRow, best_of, quick
from footfall import GoTo, Place, Plan, Query, load_scene, open_library, planner
from footfall.body.clip import Clip
from footfall.roadmap.build import build_roadmap
from footfall.roadmap.model import Roadmap
from footfall.roadmap.moves import Moves, find_moves
from footfall.roadmap.repair import repair_roadmap
from footfall.roadmap.table import MoveTable, RoadmapSettings, list_moves
from footfall.world.scene import Scene, SceneQuery
from footfall.world.scene_edit import move_obstacle

PAPER = "Choi 2003 (800 MHz)"
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "roadmap" / "scaling.png"
POSTURE_M = 0.25
DUNGEON = RoadmapSettings(nodes=3000, more=1500, neighbours=100)
SIZES = (1500, 4500, 15_000, 50_000)
MOST_S = 60.0
"""What takes longer is not tried at the next size."""
CLIPS = (
    *(f"park_walk_{speed}" for speed in ("1.1", "1.4")),
    *(f"park_walk_1.1_{side}_{turn}" for side in ("left", "right") for turn in ("0.35", "0.75")),
    *(f"walk_curve_{side}" for side in ("left", "right")),
    *("back_0.8", "back_curve_left", "back_curve_right"),
    *(f"{what}_{foot}_{speed}" for what in ("start", "stop") for foot in ("left", "right")
      for speed in ("1", "1.4")),
    *(f"{gait}_{what}_{foot}" for gait in ("back", "run") for what in ("start", "stop")
      for foot in ("left", "right")),
    *(f"turn_{side}_{turn}" for side in ("left", "right") for turn in ("45", "90")),
    *(f"sidestep_{side}_{length}" for side in ("left", "right") for length in ("0.3", "0.5")),
    *(f"turn_in_place_{side}_{turn}" for side in ("left", "right") for turn in ("45", "90", "180")),
    *("stand_1", "park_run_2.4", "jump_0.3", "jump_0.5", "jump_0.8", "jump_1.1"),
    *(f"hurdle_0.3_{foot}" for foot in ("left", "right")),
    *("hop_left", "hop_right", "hop_both", "step_onto_0.15_left", "step_off_0.15_left"),
    *(f"step_over_{height}_{foot}" for height in ("0.15", "0.30") for foot in ("left", "right")),
)  # fmt: skip
"""As many clips as the paper had in its dungeon, for about the same behaviours."""


def rows() -> list[BenchRow]:
    """Everything that was promised of roadmaps."""
    return [*_dungeon(), *_repair(), *_growth(), *_plaza(), *_front_door()]


# ---- the dungeon ---------------------------------------------------------------------------


@cache
def _clips() -> tuple[Clip, ...]:
    library = open_library("default:choi")
    assert len(CLIPS) == 58
    return tuple(library.clip(name) for name in CLIPS)


@cache
def _moves() -> Moves:
    return find_moves(_clips(), POSTURE_M)


@cache
def _table() -> MoveTable:
    return list_moves(_moves(), DUNGEON)


@cache
def _built() -> tuple[Scene, Roadmap]:
    scene = load_scene("dungeon")
    return scene, build_roadmap(_table(), scene)


def _dungeon() -> Iterator[BenchRow]:
    few = 1 if quick() else 3
    yield BenchRow("moves of 58 clips", best_of(lambda: find_moves(_clips(), POSTURE_M), few))
    yield BenchRow(
        f"{len(_moves()):,} moves listed", best_of(lambda: list_moves(_moves(), DUNGEON), few)
    )
    scene, roadmap = _built()
    edges = f"{len(roadmap.nodes):,} nodes, {len(roadmap.edges):,} edges"
    seconds = best_of(lambda: build_roadmap(_table(), scene), few, warm_up=0)
    yield BenchRow(f"dungeon roadmap: {edges}", seconds, {PAPER: 104.61}, "≤ 1 s")
    yield from _queries(scene)


def _query(asked: SceneQuery, scene: Scene) -> Query:
    start = Place(asked.start.x, asked.start.z, asked.start.yaw)
    return Query(start, GoTo(asked.goal.x, asked.goal.z, asked.goal.yaw), scene)


def _queries(scene: Scene) -> Iterator[BenchRow]:
    """The phases of the query whose motion is nearest to 300 frames."""
    stays = planner("roadmap", scene=scene)
    answered = [(q, stays.plan(_query(q, scene))) for q in scene.queries]
    found = [(q, plan) for q, plan in answered if plan.clip is not None]
    if not found:
        room = load_scene("room")
        stays, scene = planner("roadmap", scene=room), room
        found = [(q, stays.plan(_query(q, room))) for q in room.queries]
    asked, plan = min(found, key=lambda pair: abs(len(pair[1].clip or ()) - 300))
    best: dict[str, float] = {}
    for _ in range(2 if quick() else 9):
        made = stays.plan(_query(asked, scene))
        best = {k: min(v, best.get(k, v)) for k, v in made.timings.items()}
    what = f"{scene.name} “{asked.name}”, {len(plan.clip or ())} frames"
    phases = {"search": 0.03, "refining": 0.02, "motion": 0.12}
    for phase, paper in phases.items():
        yield BenchRow(f"{what}: {phase}", best[phase], {PAPER: paper})
    yield BenchRow(f"{what}: query to checked motion", best["solve"], {PAPER: 0.17}, "≤ 8 ms")
    share = f"{len(found)} of {len(scene.queries)} queries of {scene.name} answered"
    yield BenchRow(f"{share}: each of them", float(np.mean([p.timings["solve"] for _, p in found])))


def _repair() -> Iterator[BenchRow]:
    scene, roadmap = _built()
    name = "barrel 2"
    barrel = next(o for o in scene.obstacles if o.name == name)
    moved = move_obstacle(scene, name, barrel.position + np.array([0.3, 0.0, 0.2]))
    again = best_of(lambda: build_roadmap(_table(), moved), 1, warm_up=0)
    yield BenchRow(
        f"{name} moved: roadmap repaired",
        best_of(lambda: repair_roadmap(roadmap, scene, moved), 5), {"rebuilding": again},
        "≤ 5 % of rebuilding",
    )  # fmt: skip


# ---- how it grows --------------------------------------------------------------------------


def _growth() -> Iterator[BenchRow]:
    """Construction by nodes, and by clips, in the dungeon."""
    scene = load_scene("dungeon")
    by_nodes, by_clips = [], []
    for size in SIZES[: 1 if quick() else None]:
        settings = RoadmapSettings(nodes=size * 2 // 3, more=size // 3)
        table = list_moves(_moves(), settings)
        seconds, edges = _time_build(table, scene)
        by_nodes.append((size, seconds, edges))
        yield BenchRow(f"{size:,} nodes, 58 clips: {edges:,} edges", seconds)
        if seconds > MOST_S:
            break
    for count in (13, 29, 58)[: 1 if quick() else None]:
        every = _clips()[:: -(-58 // count)] if count < 58 else _clips()
        table = list_moves(find_moves(every, POSTURE_M), DUNGEON)
        seconds, edges = _time_build(table, scene)
        by_clips.append((len(every), seconds, edges))
        yield BenchRow(f"4,500 nodes, {len(every)} clips: {edges:,} edges", seconds)
    if not quick():
        _draw(by_nodes, by_clips)


def _time_build(table: MoveTable, scene: Scene) -> tuple[float, int]:
    began = time.perf_counter()
    roadmap = build_roadmap(table, scene)
    return time.perf_counter() - began, len(roadmap.edges)


Points = list[tuple[int, float, int]]


def _draw(by_nodes: Points, by_clips: Points) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    nodes, edges, clips = figure.subplots(1, 3)
    for axes, points, x, words in (
        (nodes, by_nodes, 0, "nodes"), (edges, by_nodes, 2, "edges"), (clips, by_clips, 0, "clips"),
    ):  # fmt: skip
        xs, seconds = [p[x] for p in points], [p[1] for p in points]
        axes.loglog(xs, seconds, "o-", color="#1f6fb4", label="measured")
        straight = [seconds[0] * v / xs[0] for v in xs]
        axes.loglog(xs, straight, ":", color="#86817a", label="in proportion")
        axes.set(xlabel=words, ylabel="seconds")
        axes.grid(alpha=0.3)
    nodes.legend(fontsize=8)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=110)


# ---- the plaza, and the front door ---------------------------------------------------------


def _plaza() -> Iterator[BenchRow]:
    """100 m by 100 m: the longest of its queries, end to end, once the roadmap is built."""
    scene = load_scene("plaza")
    sizes = {"nodes": 2000, "more": 0} if quick() else {"nodes": 20_000, "more": 10_000}
    stays = planner("roadmap", scene=scene, **sizes)
    plans: list[tuple[SceneQuery, Plan]] = []
    for asked in scene.queries[: 1 if quick() else None]:
        stays.plan(_query(asked, scene))
        plans.append((asked, stays.plan(_query(asked, scene))))
    for asked, plan in plans:
        state = plan.status if plan.clip is None else f"{plan.clip.seconds:.0f} s of motion"
        yield BenchRow(f"plaza “{asked.name}”: {state}", plan.timings["solve"], goal="< 1 s")


def _front_door() -> Iterator[BenchRow]:
    words = ("plan", "--method", "roadmap", "--scene", "room", "--query", "to the window", "-q")
    yield BenchRow(
        "`footfall plan` through the room from the shell, roadmap kept",
        _shell(*words), goal="≤ 1.5 s",
    )  # fmt: skip
    yield BenchRow("`footfall demo`, roadmap kept", _shell("demo", "-q"), goal="≤ 15 s")


def _shell(*words: str) -> float:
    source = Path(__file__).resolve().parents[1] / "src"
    environment = {**os.environ, "PYTHONPATH": str(source)}
    with TemporaryDirectory(prefix="footfall-") as folder:
        program = [sys.executable, "-m", "footfall.cli.main", *words, "-o", f"{folder}/out"]

        def run() -> None:
            subprocess.run(program, env=environment, check=True, stdout=subprocess.DEVNULL)

        work: Callable[[], None] = run
        return best_of(work, 3)
