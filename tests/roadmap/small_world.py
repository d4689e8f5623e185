"""A few clips and a yard, small enough to build roadmaps of in a second or two."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from footfall import load_scene
from footfall.library.library import open_library
from footfall.roadmap.build import build_roadmap
from footfall.roadmap.model import Roadmap
from footfall.roadmap.moves import Moves, find_moves
from footfall.roadmap.table import MoveTable, RoadmapSettings, list_moves
from footfall.world.moving import KeyedMotion
from footfall.world.obstacles import Obstacle, yaw_rotation
from footfall.world.scene import Scene, rectangle
from tests.world.scenes import upright_box

NAMES = (
    "park_walk_1.1", "park_walk_1.1_left_0.75", "park_walk_1.1_right_0.75", "start_left_1",
    "stop_left_1", "start_right_1", "stop_right_1", "turn_in_place_left_90",
    "turn_in_place_right_90", "turn_in_place_left_180", "sidestep_left_0.3", "sidestep_right_0.3",
    "step_onto_0.30_left", "step_off_0.30_left",
)  # fmt: skip


@cache
def small_moves() -> Moves:
    """Moves that walk, turn, start and stop."""
    library = open_library("default:choi")
    return find_moves(tuple(clip for clip in library if clip.name in NAMES), 0.25)


@cache
def small_table(nodes: int = 500, more: int = 150) -> MoveTable:
    return list_moves(small_moves(), RoadmapSettings(nodes=nodes, more=more))


@cache
def choi_table() -> MoveTable:
    """All moves of the dungeon's clips."""
    moves = find_moves(tuple(open_library("default:choi")), 0.25)
    return list_moves(moves, RoadmapSettings(nodes=500, more=250))


@cache
def choi_roadmap(name: str) -> tuple[Scene, Roadmap]:
    """A built-in scene, and a roadmap of it."""
    scene = load_scene(name)
    return scene, build_roadmap(choi_table(), scene)


def named_box(name: str, x: float, z: float, size: object, **style: object) -> Obstacle:
    return replace(upright_box(x, z, size, **style), name=name)


def yard(*more: Obstacle) -> Scene:
    """7 m x 7 m, a wall with a gap of 1.2 m across it, two boxes."""
    wall = [named_box("west wall", -2.05, 0.0, (2.9, 2.0, 0.2)),
            named_box("east wall", 2.05, 0.0, (2.9, 2.0, 0.2))]  # fmt: skip
    boxes = [named_box("crate", -2.0, 2.0, (0.8, 0.8, 0.8)),
             named_box("low", 2.0, -2.0, (1.0, 0.25, 1.0), walkable=True)]  # fmt: skip
    return Scene("yard", rectangle([-3.5, -3.5], [3.5, 3.5]), obstacles=(*wall, *boxes, *more))


@cache
def yard_roadmap() -> tuple[Scene, Roadmap]:
    scene = yard()
    return scene, build_roadmap(small_table(), scene)


def carried(obstacle: Obstacle, times: object, places: object, loop: bool = False) -> Obstacle:
    """An obstacle that moves between places (K, 2: x, z) at times (K,)."""
    at = np.asarray(places, dtype=float)
    positions = np.column_stack([at[:, 0], np.zeros(len(at)), at[:, 1]])
    turns = np.tile(yaw_rotation(0.0), (len(at), 1))
    motion = KeyedMotion(np.asarray(times, dtype=float), positions, turns, loop=loop)
    return replace(obstacle, motion=motion)
