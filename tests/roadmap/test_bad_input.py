"""What roadmaps answer to odd questions, libraries and scenes: a sentence, never a crash."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from footfall import GoTo, Place, Plan, Query, open_library, planner
from footfall.errors import InputError
from footfall.library.library import Library, library_of
from footfall.task import FOUND, GOAL_NOT_VALID, NO_CLIP, NO_PATH, OUT_OF_TIME, START_NOT_VALID
from footfall.verbs.planner import Planner
from footfall.world.ground import NONE, Ground
from footfall.world.obstacles import Obstacle, ObstaclePart
from footfall.world.scene import Hole, Scene, Water, rectangle

NAMES = (
    "start_left_1", "start_right_1", "stop_left_1", "stop_right_1", "park_walk_1.1",
    "turn_in_place_left_90", "turn_in_place_right_90", "sidestep_left_0.3", "sidestep_right_0.3",
)  # fmt: skip
SMALL = {"nodes": 250, "more": 50, "neighbours": 40}
FLOOR = Scene("floor", rectangle([-3.0, -3.0], [3.0, 3.0]))
REFUSALS = (NO_CLIP, NO_PATH, START_NOT_VALID, GOAL_NOT_VALID)


def box(x: float, z: float, size: tuple[float, float, float], name: str = "crate") -> Obstacle:
    half = 0.5 * np.array(size)
    part = ObstaclePart("box", np.array([0.0, half[1], 0.0]), half)
    return Obstacle("box", (part,), np.array([x, 0.0, z]), name=name)


def ahead(scene: Scene = FLOOR, start=(0.0, -2.0), goal=(0.0, 2.0), **rest) -> Query:
    return Query(Place(*start), GoTo(*goal), scene=scene, **rest)


@pytest.fixture(scope="module")
def few() -> Library:
    clips = open_library("default:choi")
    return library_of(clips.clip(name) for name in NAMES)


@pytest.fixture(scope="module")
def ready(few) -> Planner:
    """One planner for many queries, whose roadmap of the plain floor is made."""
    made = planner("roadmap", library=few, scene=FLOOR, **SMALL)
    assert made.plan(ahead()).status == FOUND
    return made


def refused(made: Plan, *words: str, of: tuple[str, ...] = REFUSALS) -> None:
    """It holds no motion, and says why in a sentence with these words."""
    assert made.status in of
    assert made.clip is None
    assert len(made.reason) > 10
    for word in words:
        assert word in made.reason


# ---- options --------------------------------------------------------------------------------


@pytest.mark.parametrize("nodes", [0, -5, 10**9, 2.5, "many", None])
def test_a_roadmap_needs_a_number_of_nodes(nodes, few):
    with pytest.raises(InputError, match="nodes"):
        planner("roadmap", library=few, nodes=nodes)


@pytest.mark.parametrize("name", ["gap_weight", "change_weight", "climb_weight"])
@pytest.mark.parametrize("weight", [-1.0, -1e-9, math.nan, math.inf, "dear"])
def test_weights_below_zero_or_without_size_are_refused_by_name(name, weight, few):
    with pytest.raises(InputError, match=name):
        planner("roadmap", library=few, **{name: weight})


@pytest.mark.parametrize("name", ["stretch", "turn_deg", "rise_m", "posture_m", "sweeps", "more"])
def test_limits_below_zero_are_refused_by_name(name, few):
    with pytest.raises(InputError, match=name):
        planner("roadmap", library=few, **{name: -1})


def test_more_neighbours_than_nodes_are_as_good_as_all_of_them(few):
    made = [
        planner("roadmap", library=few, nodes=150, more=0, neighbours=many).plan(ahead())
        for many in (149, 2000)
    ]
    assert made[0].status == made[1].status
    if made[0].clip is not None:
        assert np.array_equal(made[0].clip.root, made[1].clip.root)


def test_a_single_node_is_refused_or_serves(few):
    made = planner("roadmap", library=few, nodes=1, more=0).plan(ahead())
    assert made.status == FOUND or made.reason


# ---- scenes ---------------------------------------------------------------------------------

NOWHERE = {
    "all hole": replace(FLOOR, holes=(Hole(rectangle([-3.0, -3.0], [3.0, 3.0])),)),
    "all water": replace(FLOOR, waters=(Water(1.0),)),
    "no ground": replace(FLOOR, ground=Ground(NONE, size=(0.0, 0.0))),
    "all filled": replace(FLOOR, obstacles=(box(0.0, 0.0, (6.0, 2.0, 6.0)),)),
    "a hand wide": Scene("sill", rectangle([-0.05, -0.05], [0.05, 0.05])),
}


@pytest.mark.parametrize("name", NOWHERE)
def test_a_scene_without_a_valid_foothold_is_refused(name, ready):
    refused(ready.plan(ahead(NOWHERE[name], (0.0, 0.0), (0.0, 0.01))))


def test_a_start_in_the_air_is_refused_as_such(ready):
    pit = replace(FLOOR, holes=(Hole(rectangle([-1.0, -3.0], [1.0, -1.0])),))
    refused(ready.plan(ahead(pit)), "start", of=(START_NOT_VALID,))


def test_an_obstacle_moved_onto_the_start_or_the_goal_is_noticed(ready):
    for z, status, word in ((-2.0, START_NOT_VALID, "start"), (2.0, GOAL_NOT_VALID, "goal")):
        moved = replace(FLOOR, obstacles=(box(0.0, z, (0.9, 1.0, 0.9)),))
        refused(ready.plan(ahead(moved)), word, of=(status,))


def test_the_same_planner_still_serves_the_scene_it_was_made_for(ready):
    ready.plan(ahead(replace(FLOOR, obstacles=(box(0.0, -2.0, (0.9, 1.0, 0.9)),))))
    assert ready.plan(ahead()).status == FOUND


def test_a_wall_from_side_to_side_is_no_path(ready):
    walled = replace(FLOOR, obstacles=(box(0.0, 0.0, (6.0, 2.5, 0.3), "wall"),))
    refused(ready.plan(ahead(walled)), of=(NO_PATH, NO_CLIP))


@pytest.mark.parametrize("start", [(50.0, 0.0), (-3.4, 0.0), (1e6, -1e6)])
def test_places_outside_of_the_scene_are_refused_as_such(start, ready):
    refused(ready.plan(ahead(start=start)), "start", of=(START_NOT_VALID,))
    refused(ready.plan(ahead(start=(0.0, 0.0), goal=start)), "goal", of=(GOAL_NOT_VALID,))


@pytest.mark.parametrize("odd", [math.nan, math.inf, 1e30, "here", None])
def test_places_that_are_none_are_misuse(odd):
    with pytest.raises(InputError, match="place"):
        ahead(start=(odd, 0.0))
    with pytest.raises(InputError, match="place"):
        ahead(goal=(0.0, odd))


def test_a_square_metre_is_a_scene(ready):
    tiny = Scene("tiny", rectangle([-0.5, -0.5], [0.5, 0.5]))
    for goal in ((0.0, 0.0), (0.0, 0.2), (0.4, 0.45)):
        made = ready.plan(ahead(tiny, (0.0, 0.0), goal))
        assert made.status == FOUND or made.reason


def test_going_nowhere_is_standing(ready):
    made = ready.plan(ahead(start=(0.0, 0.0), goal=(0.0, 0.0)))
    assert made.status == FOUND
    assert np.abs(made.clip.root[-1] - made.clip.root[0])[[0, 2]].max() < 0.2


def test_ten_thousand_obstacles_are_only_many(few):
    rng = np.random.default_rng(5)
    spots = rng.uniform(-30.0, 30.0, (10_000, 2))
    spots = spots[np.hypot(*spots.T) > 3.0]
    crowded = Scene(
        "crowded", rectangle([-30.0, -30.0], [30.0, 30.0]),
        obstacles=tuple(box(x, z, (0.2, 1.0, 0.2)) for x, z in spots.tolist()),
    )  # fmt: skip
    made = planner("roadmap", library=few, **SMALL).plan(
        ahead(crowded, (0.0, -1.5), (0.0, 1.5), time_s=20.0)
    )
    assert made.status == FOUND or made.reason


# ---- libraries ------------------------------------------------------------------------------


def ask_with(clips) -> Plan:
    return planner("roadmap", library=library_of(clips), **SMALL).plan(ahead())


def test_a_library_whose_feet_never_touch_is_refused(few):
    aloft = [replace(c, contacts=np.zeros((len(c), 4), np.bool_)) for c in few]
    refused(ask_with(aloft), "clip", of=(NO_CLIP,))


def test_a_library_whose_feet_never_lift_is_refused(few):
    glued = [replace(c, contacts=np.ones((len(c), 4), np.bool_)) for c in few]
    refused(ask_with(glued), of=(NO_CLIP,))


def test_clips_without_contacts_are_refused_in_a_sentence(few):
    with pytest.raises(InputError, match="contacts"):
        ask_with(replace(c, contacts=None) for c in few)


@pytest.mark.parametrize("name", ["park_walk_1.1", "start_left_1"])
def test_a_clip_that_never_stands_at_both_ends_alone_is_refused(name, few):
    refused(ask_with([few.clip(name)]), of=(NO_CLIP,))


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_clips_of_a_few_frames_are_refused(frames, few):
    refused(ask_with(c[:frames] for c in few), of=(NO_CLIP,))


def test_a_library_without_clips_is_misuse():
    with pytest.raises(InputError, match="no clips"):
        library_of([])


# ---- time -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [0.1, 1e-6])
def test_a_short_time_is_kept_to(seconds, ready):
    made = ready.plan(ahead(time_s=seconds))
    assert made.status in (FOUND, OUT_OF_TIME)
    assert made.status == FOUND or "time" in made.reason


def test_a_tenth_of_a_second_is_kept_to_while_the_roadmap_is_built(few):
    made = planner("roadmap", library=few, nodes=100_000).plan(ahead(time_s=0.1))
    assert made.status in (FOUND, OUT_OF_TIME)
