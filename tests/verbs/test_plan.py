"""The front door: figures, speeds, paths of all shapes, and libraries that are hard to use."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import footfall
from footfall import Follow, GoTo, Place, Query, load_scene, planner, save_scene
from footfall.errors import InputError
from footfall.files.task.paths import load_path
from footfall.library.library import library_of
from footfall.measures.deviation import nearest_distances
from footfall.task import FOUND, NO_CLIP, OUT_OF_TIME
from footfall.task.file import parse_task
from footfall.verbs.planner import plan
from footfall.world.scene import Scene, rectangle
from tests.verifying import scene_failures
from tests.world.scenes import upright_box

LINE = np.array([[0.0, 0.0], [0.0, 5.0]])


def off_path(made) -> float:
    """Metres that the pelvis is from the path, root mean square."""
    hips = made.clip.positions[:, made.clip.skeleton.role("hips")][:, [0, 2]]
    return float(np.sqrt(np.mean(nearest_distances(hips, made.path) ** 2)))


def test_the_package_is_called_plan_even_after_the_module_was_imported(walks):
    assert "footfall.verbs.planner" in sys.modules
    assert footfall.plan(Query(stages=Follow(LINE)), library=walks).found


@pytest.mark.parametrize(
    "path",
    [
        [(0, 0), (0, 3), (3, 3)],
        [(0, 0), (0, 3), (0.0, 3.0), (0.5, 6)],
        [(0, 0), (0, 4), (2, 4), (2, 2), (-2, 2)],
        [(0, 0), (0, 4), (0, 1)],
    ],
    ids=["sharp corner", "repeated points", "crosses itself", "turns back"],
)
def test_paths_of_odd_shapes_are_followed_or_told_about(walks, path):
    made = plan(Query(stages=Follow(np.array(path, float))), library=walks)
    if made.found:
        assert off_path(made) < 0.4
    else:
        assert made.status == NO_CLIP
        assert "m off" in made.reason


def test_a_closed_path_is_walked_around(walks):
    made = plan(Query(stages=Follow(load_path("circle").points)), library=walks)
    assert made.status == FOUND, made.reason
    assert off_path(made) < 0.2


def test_without_a_scene_the_way_is_the_straight_one(walks):
    made = plan(Query(Place(1, 1), GoTo(1, 6)), library=walks)
    assert made.found
    assert np.ptp(made.path[:, 0]) < 1e-9


def test_the_character_walks_its_own_steps_on_the_same_path(walks):
    child = walks.character.scaled(0.7)
    small = plan(Query(stages=Follow(LINE)), library=walks, character=child)
    large = plan(Query(stages=Follow(LINE)), library=walks)
    assert small.clip.skeleton == child
    assert off_path(small) < 0.2
    assert len(small.footprints) > len(large.footprints)


def test_a_tall_character_needs_more_room_than_a_small_one(walks):
    gap = [upright_box(x, 0.0, (4.0, 1.5, 0.4)) for x in (-2.32, 2.32)]
    scene = Scene("gap", rectangle([-5, -5], [5, 5]), obstacles=tuple(gap))
    query = Query(Place(0, -3), GoTo(0, 3), scene=scene)
    small = plan(query, method="graph", library=walks, character=walks.character.scaled(0.6))
    assert small.found, small.reason
    assert scene_failures(small, scene) == ()
    large = plan(query, method="graph", library=walks, character=walks.character.scaled(1.3))
    assert not large.found
    assert "wide" in large.reason or "touches" in large.reason


def test_a_given_path_too_close_to_something_is_led_away_from_it(walks, yard):
    path = np.array([[0.9, -4.0], [0.9, 4.0]])
    made = plan(Query(stages=Follow(path), scene=yard), library=walks)
    assert made.found, made.reason
    assert scene_failures(made, yard) == ()
    assert any("led a little further" in note for note in made.notes)
    assert any("touches box" in note for note in made.notes)


def test_a_wish_for_a_speed_no_clip_has_is_noted(walks):
    made = plan(Query(stages=Follow(LINE), speed=3.0), library=walks)
    assert made.found
    assert "no clip walks at 3.00 m/s" in made.notes[0]


def test_a_straight_walk_alone_follows_a_line_but_not_a_circle(walks):
    alone = walks.only(["straight"])
    assert plan(Query(stages=Follow(LINE)), library=alone).found
    circle = Query(stages=Follow(load_path("circle").points))
    made = plan(circle, library=alone, method="graph")
    assert made.status == NO_CLIP
    assert made.reason
    blended = plan(circle, library=alone)
    assert blended.found
    assert blended.method == "blending"
    assert f"graph found none: {made.reason}" in blended.choice


def test_clips_that_do_not_connect_are_a_status(walks):

    part = library_of([walks.clip("straight")[:31]])
    made = plan(Query(stages=Follow(LINE)), library=part)
    assert made.status == NO_CLIP
    assert "make no motion graph" in made.reason


def test_a_threshold_that_nothing_meets_is_a_status(walks):
    made = plan(Query(stages=Follow(LINE)), library=walks, threshold=1e-9)
    assert made.status == NO_CLIP
    assert "threshold" in made.reason


def test_time_that_runs_out_is_a_status(walks):
    query = Query(stages=Follow(load_path("zigzag").points), time_s=1e-3)
    made = plan(query, library=walks)
    assert made.status == OUT_OF_TIME
    assert made.reason


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"metric": "colours"}, "choose one of point_cloud"),
        ({"metric": 3}, "the option metric is '3'; it takes text"),
        ({"cap": "many"}, "it takes a whole number"),
        ({"mirror": 1}, "it takes true or false"),
        ({"percentile": 5.0, "edges": 100}, "exclude each other"),
        ({"abstraction": "palm"}, "choose one of pelvis"),
    ],
)
def test_wrong_options_are_errors(walks, options, says):
    with pytest.raises(InputError, match=says):
        plan(Query(stages=Follow(LINE)), library=walks, **options)


def test_a_task_names_queries_and_paths_of_its_scene():
    query = parse_task('scene = "room"\nquery = "to the table"\nspeed = 1.0').query
    assert (query.start.x, query.goal.x) == (-2.45, -0.7)
    assert query.speed == 1.0
    own = parse_task('scene = "zigzag"\npath = "sharp"').query
    assert len(own.points) == 7
    with pytest.raises(InputError, match="choose one of to the window"):
        parse_task('scene = "room"\nquery = "to the moon"')


@pytest.mark.mocap
def test_the_zigzag_is_followed_with_real_clips(mocap):
    from footfall.verbs.plan_results import measures_of

    made = plan(Query(stages=Follow(load_path("zigzag").points)), library=mocap / "accad_male1")
    assert made.found, made.reason
    found = measures_of(made)
    assert found["deviation_rms_cm"] <= 15.0
    assert found["drift_max_mm"] <= 3.0
    assert found["path_m"] == pytest.approx(33.0, abs=0.05)


def test_a_start_that_faces_elsewhere_turns_on_the_spot_and_walks_the_same_walk(walks):
    ahead = plan(Query(Place(0, 0, 0.0), GoTo(0, 5)), library=walks, variation=0.0)
    aside = plan(Query(Place(0, 0, 2.0), GoTo(0, 5)), library=walks, variation=0.0)
    assert aside.segments[0].why == "turn"
    turned = aside.segments[0].stop
    assert np.abs(aside.clip.root[:turned, [0, 2]]).max() < 0.2
    # The walk is laid along the path in the end, so it may as well be searched for like that.
    np.testing.assert_allclose(aside.clip.root[turned + 15 :], ahead.clip.root[15:], atol=0.02)
    assert not any("facing" in note for made in (ahead, aside) for note in made.notes)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ahead", 10**9), ("ahead", 0), ("keep", -1), ("width", 10**12), ("width", 0), ("cap", 0),
        ("rounds", 0), ("transition_cost_m2", -1.0), ("transition_cost_m2", float("nan")),
        ("corner_radius_m", float("inf")), ("window_s", float("nan")), ("edges", 0),
    ],
)  # fmt: skip
def test_options_out_of_all_bounds_are_refused_by_name(walks, name, value):
    query = Query(Place(0, 0), GoTo(0, 5))
    with pytest.raises(InputError, match=f"^{name} is .*; it must be at least"):
        plan(query, library=walks, **{name: value})


def test_a_search_that_would_fill_the_memory_is_refused(walks):
    query = Query(Place(0, 0), GoTo(0, 5))
    with pytest.raises(InputError, match="ahead times width is 100000000"):
        plan(query, library=walks, ahead=10_000, width=10_000)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"stages": "zigzag"}, "the stages are 'zigzag'; give GoTo"),
        ({"stages": [3]}, "a stage is '3'; give GoTo"),
        ({"start": (0, 0), "stages": GoTo(0, 3)}, "the start is .0, 0.; give a Place"),
        ({"stages": Follow([[0, 0], [0, 3]]), "seed": -1}, "the seed is -1; it is a whole number"),
        ({"stages": Follow([[0, 0], [0, 3]]), "seed": 1.5}, "the seed is 1.5; it is a whole"),
        ({"stages": Follow([[0, 0], [0, 3]]), "speed": "fast"}, "the speed is fast; it takes"),
        ({"stages": Follow([[0, 0], [0, 3]]), "prefer": {"run": 0}}, "prefer has 'run': 0"),
        ({"stages": Follow([[0, 0], [0, 3]]), "style": ""}, "the style is ''"),
    ],
)
def test_a_query_of_the_wrong_kind_is_refused_in_one_sentence(given, sentence):
    with pytest.raises(InputError, match=sentence):
        Query(**given)


def test_names_and_files_stand_for_scenes_and_paths(tmp_path):
    room = load_scene("room")
    save_scene(room, tmp_path / "mine.toml")
    assert Query(Place(0, 0), GoTo(1, 1), "room").scene.name == "room"
    assert len(Query(Place(0, 0), GoTo(1, 1), tmp_path / "mine.toml").scene.obstacles) == len(
        room.obstacles
    )
    assert np.array_equal(Follow("zigzag").path, load_path("zigzag").points)
    with pytest.raises(InputError, match="there is no scene 'roam'; did you mean room"):
        Query(Place(0, 0), GoTo(1, 1), "roam")
    with pytest.raises(InputError, match="zigzag"):
        Follow("zagzig")
    with pytest.raises(InputError, match="the scene is '3'"):
        Query(Place(0, 0), GoTo(1, 1), 3)
    with pytest.raises(InputError, match="there is no scene 'roam'"):
        planner(scene="roam")


def test_a_path_is_points_that_are_not_too_far_away():
    with pytest.raises(InputError, match=r"the path goes 1e.300 m away"):
        Follow([[0, 0], [1e300, 1]])


def test_a_place_takes_numbers():
    for bad in (("a", 1), (None, 1), (1e300, 0), (0, 0, "left")):
        with pytest.raises(InputError, match="it takes finite numbers"):
            Place(*bad)


def test_what_is_no_query_library_or_character_is_refused(walks):
    query = Query(Place(0, 0), GoTo(0, 5))
    with pytest.raises(InputError, match="give a Query"):
        plan("zigzag", library=walks)
    for library in (None, [], "", " "):
        with pytest.raises(InputError, match="the library is"):
            plan(query, library=library)
    with pytest.raises(InputError, match="give a skeleton"):
        plan(query, library=walks, character=next(iter(walks)))
    with pytest.raises(InputError, match="this is no clip"):
        footfall.measure(7)


def test_numbers_of_numpy_are_options_like_any(walks):
    query = Query(Place(0, 0), GoTo(0, 5), seed=np.int64(3))
    made = plan(query, library=walks, width=np.int64(50), corner_radius_m=np.float32(0.5))
    assert made.status == FOUND
