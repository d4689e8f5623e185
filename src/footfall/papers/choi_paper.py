"""What Choi, Lee & Shin (2003) printed: four experiments, Table I, and what each query showed."""

from __future__ import annotations

from dataclasses import dataclass

STRETCH, TURN_DEG = 0.25, 45.0
"""The most that moves are changed; 0.25 pi of a half angle is taken as 45 degrees."""
SWEEPS = 4
FRAMES_PER_S, FRAME_RATE = 1000.0, 30.0
"""It makes more than so many frames a second after preprocessing; a second has about so many."""

_WALKS = (
    "start_left_1", "start_right_1", "stop_left_1", "stop_right_1", "park_walk_0.8",
    "park_walk_1.1", "park_walk_1.4", "park_walk_1.1_left_0.35", "park_walk_1.1_right_0.35",
    "park_walk_1.1_left_0.75", "park_walk_1.1_right_0.75", "turn_left_90", "turn_right_90",
)  # fmt: skip
_INDOORS = (
    "start_left_1", "start_right_1", "stop_left_1", "stop_right_1", "park_walk_1.1",
    "park_walk_1.1_left_0.75", "park_walk_1.1_right_0.75", "turn_left_90", "turn_right_90",
    "turn_in_place_left_90", "turn_in_place_right_90", "sidestep_left_0.3", "sidestep_right_0.3",
)  # fmt: skip
_RUNS = (
    "run_start_left", "run_start_right", "run_stop_left", "run_stop_right", "park_run_2.4",
    "walk_to_run_left", "walk_to_run_right", "run_to_walk_left", "run_to_walk_right",
)  # fmt: skip
_JUMPS = (
    *_WALKS, *_RUNS, "park_run_2.4_left_0.45", "park_run_2.4_right_0.45", "jump_0.8", "jump_1.1",
    "jump_1.4", "running_jump_1.3_left", "running_jump_1.3_right",
)  # fmt: skip
_DUNGEON = (
    *_WALKS, *_RUNS, "walk_curve_left", "walk_curve_right", "back_0.8", "back_curve_left",
    "back_curve_right", "back_start_left", "back_start_right", "back_stop_left",
    "back_stop_right", "turn_left_180", "turn_right_180", "turn_in_place_left_45",
    "turn_in_place_right_45", "turn_in_place_left_90", "turn_in_place_right_90",
    "turn_in_place_left_180", "turn_in_place_right_180", "sidestep_left_0.3",
    "sidestep_right_0.3", "sidestep_left_0.5", "sidestep_right_0.5", "jump_0.3", "jump_0.5",
    "jump_0.8", "jump_1.1", "jump_1.4", "hop_left", "hop_right", "hop_both", "hurdle_0.3_left",
    "hurdle_0.3_right", "hurdle_0.5_left", "hurdle_0.5_right", "step_over_0.30_left",
    "step_over_0.30_right", "stand_1",
)  # fmt: skip


@dataclass(frozen=True)
class PrintedQuery:
    """A query of Table I.

    query    the scene's own query that stands for it
    clips    motion clips on its path          frames   of its motion
    search_s, refine_s, estimate_s, retarget_s   seconds
    shows    behaviours, by tag, each a choice, that its motion is said to show
    said     the same in words
    """

    query: str
    clips: int
    frames: int
    search_s: float
    refine_s: float
    estimate_s: float
    retarget_s: float
    shows: tuple[tuple[str, ...], ...] = ()
    said: str = ""


@dataclass(frozen=True)
class Experiment:
    """A column of Table I, with the scene and the default clips that stand for the paper's.

    dearness  behaviours that are preferred or not, by tag, and how dear they are
    """

    name: str
    number: int
    scene: str
    figure: int
    clips: tuple[str, ...]
    nodes: int
    more: int
    neighbours: int
    edges: int
    per_node: float
    construction_s: float
    queries: tuple[PrintedQuery, ...]
    dearness: tuple[tuple[str, float], ...] = ()


_SIDE = ("sidestep_left", "sidestep_right")
EXPERIMENTS = {
    one.name: one
    for one in (
        Experiment(
            "island", 1, "island", 8, _WALKS, 2000, 1000, 100, 88703, 28.81, 4.25,
            (PrintedQuery("across", 5, 197, 0.02, 0.02, 0.01, 0.09, (("walk",),), "walking"),),
        ),
        Experiment(
            "crevice", 2, "crevice", 9, _JUMPS, 3000, 1500, 100, 266419, 59.20, 99.05,
            (PrintedQuery("over", 28, 1139, 0.25, 0.12, 0.02, 0.67, (("jump",), ("run",)),
                          "a jump over the crevice, running on the flat"),),
            (("run", 0.7),),
        ),
        Experiment(
            "room", 3, "room", 10, _INDOORS, 2000, 1000, 100, 87617, 29.21, 38.88,
            (PrintedQuery("to the window", 14, 467, 0.06, 0.08, 0.01, 0.25, (("walk",),),
                          "walking between the furniture"),),
        ),
        Experiment(
            "dungeon", 4, "dungeon", 11, _DUNGEON, 3000, 1500, 100, 122975, 27.33, 104.61,
            (
                PrintedQuery("narrow passage", 7, 286, 0.03, 0.02, 0.01, 0.11, (_SIDE,),
                             "lateral walking in the narrow passage"),
                PrintedQuery("causeway", 5, 181, 0.03, 0.02, 0.01, 0.06,
                             (("jump", "hop"), ("walk",)),
                             "jumping and curved walking rather than jumping only"),
                PrintedQuery("second passage", 9, 304, 0.03, 0.03, 0.01, 0.11, (_SIDE,),
                             "lateral walking in the narrow passage"),
                PrintedQuery("dead end", 4, 131, 0.03, 0.01, 0.01, 0.05, (("backward",),),
                             "backward walking where there is no room to turn"),
                PrintedQuery("hurdle", 8, 293, 0.03, 0.03, 0.01, 0.11, (("hurdle",),),
                             "hurdling an obstacle"),
                PrintedQuery("columns", 11, 365, 0.03, 0.06, 0.01, 0.13, (("jump", "hop"),),
                             "over columns that are not connected"),
            ),
        ),
    )
}  # fmt: skip
