"""Queries answered by roadmaps: where motions go, and what is said where none does."""

from __future__ import annotations

import re
import threading
from collections.abc import Generator
from dataclasses import replace

import numpy as np
import pytest

from footfall import GoTo, Place, Plan, Query, Watch, open_library, planner
from footfall.body.feet import foot_points
from footfall.files.scene.read import load_scene
from footfall.library.library import Library, library_of
from footfall.maths import quaternions as quat
from footfall.roadmap.build import build_roadmap
from footfall.roadmap.failures import highest_step, judge_failure, longest_step
from footfall.roadmap.grow import add_footholds, grow_roadmap
from footfall.roadmap.joins import Ends, standing_ends
from footfall.roadmap.method import plan_on_roadmap
from footfall.roadmap.model import Roadmap
from footfall.roadmap.options import RoadmapOptions
from footfall.roadmap.paths import FootholdPath, NoPath, find_path, nothing_closed
from footfall.roadmap.prefer import move_factors, with_wish
from footfall.roadmap.search import draft_query
from footfall.task import (
    FOUND,
    GOAL_NOT_VALID,
    NO_CLIP,
    NO_PATH,
    OUT_OF_TIME,
    START_NOT_VALID,
    StandOn,
    Via,
)
from footfall.task.draft import Draft
from footfall.task.problem import Problem
from footfall.task.verify import Finding, Report
from footfall.verbs.planner import Planner
from footfall.world.scene import Hole, Scene, Water, rectangle
from tests.roadmap.small_world import NAMES, named_box, small_table, yard, yard_roadmap

SMALL = {"nodes": 500, "more": 150, "neighbours": 60}
FLOOR = Scene("floor", rectangle([-4.0, -4.0], [4.0, 4.0]))


@pytest.fixture(scope="module")
def few() -> Library:
    clips = open_library("default:choi")
    return library_of(clip for clip in clips if clip.name in NAMES)


@pytest.fixture(scope="module")
def ready(few) -> Planner:
    return planner("roadmap", library=few, scene=FLOOR, **SMALL)


def draft_path(roadmap: Roadmap, query: Query) -> FootholdPath:
    """The path of the first draft, as it was found."""
    assert query.scene is not None
    problem = Problem(query, roadmap.moves.clips[0].skeleton)
    options = RoadmapOptions(sweeps=0)
    draft = next(draft_query(roadmap, query.scene, problem, Watch(), options))
    path: FootholdPath = draft.made_of.path
    return path


def root_distance(made: Plan, x: float, z: float) -> np.ndarray:
    assert made.clip is not None
    return np.hypot(made.clip.root[:, 0] - x, made.clip.root[:, 2] - z)


# ---- stages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [(2.5, 0.0), (-2.0, 1.5)])
def test_places_on_the_way_are_passed(at, ready):
    made = ready.plan(Query(Place(0.0, -3.0), (Via(*at), GoTo(0.0, 3.0))))
    assert made.status == FOUND, made.reason
    assert root_distance(made, *at).min() <= 0.5
    assert root_distance(made, 0.0, 3.0)[-1] <= 0.1


def test_several_goals_are_reached_in_order(ready):
    stops = ((2.0, 0.0), (-2.0, 0.5), (0.0, 3.0))
    made = ready.plan(Query(Place(0.0, -3.0), tuple(GoTo(*s) for s in stops)))
    assert made.status == FOUND, made.reason
    frames = [int(root_distance(made, *s).argmin()) for s in stops]
    assert frames == sorted(frames)
    assert all(root_distance(made, *s).min() <= 0.1 for s in stops)


@pytest.mark.parametrize("foot", ["left", "right", "either"])
def test_a_foot_is_put_on_a_foothold(foot, ready):
    made = ready.plan(Query(Place(0.0, -2.0), StandOn(0.5, 2.0, 0.3, foot=foot)))
    assert made.status == FOUND, made.reason
    own = [
        f for f in made.footprints if foot == "either" or f.foot == ("left", "right").index(foot)
    ]
    assert min(np.hypot(f.p[0] - 0.5, f.p[2] - 2.0) for f in own) <= 0.02


def test_headings_at_both_ends_are_kept(ready):
    from footfall.adapt.edit.rests import facings

    made = ready.plan(Query(Place(0.0, -2.0, 1.2), GoTo(0.5, 2.0, -2.0)))
    assert made.status == FOUND, made.reason
    for frame, yaw in ((0, 1.2), (-1, -2.0)):
        off = (facings(made.clip)[frame] - yaw + np.pi) % (2.0 * np.pi) - np.pi
        assert abs(off) <= np.radians(5.0)


@pytest.mark.parametrize("at", [(0.0, 2.5, 0.4), (2.0, -1.0, -1.5), (-1.5, 1.0, 3.0)])
def test_first_and_last_footprints_are_where_the_path_has_them(at, few):
    """The feet themselves, frame by frame, against the footholds of the path."""
    scene, roadmap = yard_roadmap()
    start, goal = Place(0.0, -2.5, 0.0), Place(*at)
    query, options = Query(start, GoTo(*at), scene), RoadmapOptions(sweeps=0)
    made, path = plan_on_roadmap(roadmap, query, options=options), draft_path(roadmap, query)
    assert made.status == FOUND, made.reason
    heel, ball, _ = foot_points(made.clip.skeleton).side("left")
    poses = made.clip.world
    for frame, foothold in ((0, path.footholds[0]), (-1, path.footholds[-1])):
        ends = [
            poses.positions[frame, p.joint] + quat.rotate(poses.rotations[frame, p.joint], p.offset)
            for p in (heel, ball)
        ]
        middle = 0.5 * (ends[0] + ends[1])
        assert np.hypot(*(middle - foothold[:3])[[0, 2]]) < 1e-3
    for place, frame in ((start, 0), (goal, -1)):
        assert root_distance(made, place.x, place.z)[frame] <= 0.1


def test_a_style_that_no_clip_shows_is_noted(ready):
    made = ready.plan(Query(Place(0.0, -2.0), GoTo(0.0, 2.0), style="moonwalk"))
    assert made.status == FOUND, made.reason
    assert any("moonwalk" in note for note in made.notes)


def test_a_goal_that_is_not_exact_may_be_beside_an_obstacle(ready):
    blocked = replace(FLOOR, obstacles=(named_box("box", 0.0, 2.0, (0.4, 1.0, 0.4)),))
    start = Place(0.0, -2.0)
    exact = ready.plan(Query(start, GoTo(0.0, 2.0), blocked))
    assert exact.status == GOAL_NOT_VALID
    near = ready.plan(Query(start, GoTo(0.0, 2.0, within_m=1.0), blocked))
    assert near.status == FOUND, near.reason
    assert root_distance(near, 0.0, 2.0)[-1] <= 1.0


# ---- alternatives and wishes ----------------------------------------------------------------


def test_alternatives_come_dearest_first_and_differ(few):
    ready = planner("roadmap", library=few, scene=yard(), alternatives=3, apart_m=0.5, **SMALL)
    plans = list(ready.plans(Query(Place(-2.0, -2.5), GoTo(1.0, -0.8))))
    assert len(plans) > 1
    costs = [p.cost for p in plans]
    assert costs == sorted(costs, reverse=True)
    assert "dearer" in plans[-1].notes[-1]
    one = planner("roadmap", library=few, scene=yard(), **SMALL)
    alone = one.plan(Query(Place(-2.0, -2.5), GoTo(1.0, -0.8))).cost
    assert min(abs(alone - c) for c in costs) < 1e-6
    assert costs[-1] <= alone + 1e-9


def test_what_is_preferred_is_cheaper_and_played_more():
    scene, roadmap = yard_roadmap()
    wish = (None, None, (("sidestep_left", 20.0), ("sidestep_right", 20.0)))
    factors = move_factors(roadmap.moves, wish)
    tags = np.array([bool({"sidestep_left", "sidestep_right"} & set(c.tags))
                     for c in roadmap.moves.clips])[roadmap.moves.clip]  # fmt: skip
    assert tags.any()
    np.testing.assert_allclose(factors, np.where(tags, 0.05, 1.0))
    played = []
    for one in (roadmap, with_wish(roadmap, wish)):
        path = find_path(one, scene, Place(-2.5, -2.5, 0.0), Place(1.0, -2.5, 0.0))
        assert isinstance(path, FootholdPath)
        played.append(float(tags[path.moves].mean()))
    assert played[1] > played[0]


def test_a_style_and_a_speed_make_other_moves_dearer():
    moves = small_table().moves
    slow, fast = (move_factors(moves, (None, speed, ())) for speed in (0.5, 2.0))
    long = moves.chord > 1.0
    assert (slow[long] != fast[long]).any()
    assert (slow >= 1.0).all()
    style = move_factors(moves, ("turn", None, ()))
    assert (style >= 1.0).all()


# ---- failures -------------------------------------------------------------------------------

WET = replace(FLOOR, waters=(Water(1.0, rectangle([-4.0, -4.0], [4.0, -1.0])),))
PIT = replace(FLOOR, holes=(Hole(rectangle([-1.0, -3.0], [1.0, -1.0])),))
CRATE = replace(FLOOR, obstacles=(named_box("crate", 0.0, -2.0, (0.8, 1.0, 0.8)),))
TABLE_TOP = named_box("top", 0.0, -2.0, (1.0, 0.1, 1.0))


@pytest.mark.parametrize(
    ("scene", "word"), [(WET, "under water"), (PIT, "no ground"), (CRATE, "'crate' is in the way")]
)
def test_why_nobody_can_stand_is_told(scene, word, ready):
    for swap, status, name in ((False, START_NOT_VALID, "start"), (True, GOAL_NOT_VALID, "goal")):
        ends = ((0.0, 2.0), (0.0, -2.0)) if swap else ((0.0, -2.0), (0.0, 2.0))
        made = ready.plan(Query(Place(*ends[0]), GoTo(*ends[1]), scene))
        assert made.status == status
        assert name in made.reason
        assert word in made.reason


def walled(height: float = 2.2) -> Scene:
    return replace(FLOOR, obstacles=(named_box("wall", 0.0, 0.0, (8.0, height, 0.3)),))


def test_a_refusal_names_the_narrowest_place_and_what_the_moves_need(few):
    halves = tuple(named_box("wall", x, 0.0, (3.75, 2.2, 1.0)) for x in (-2.125, 2.125))
    scene = replace(FLOOR, obstacles=halves)
    query = Query(Place(0.0, -3.0, 0.0), GoTo(0.0, 3.0), scene)
    made = planner("roadmap", library=few, nodes=300, more=0, denser=0).plan(query)
    assert not made.found
    told = re.search(r"0\.50 m wide at \(0\.00, -?0\.\d\d\), .* sweeps (0\.\d\d) m", made.reason)
    assert told, made.reason
    assert 0.2 < float(told[1]) < 1.0


def split_by(width: float) -> Scene:
    hole = Hole(rectangle([-4.0, -0.5 * width], [4.0, 0.5 * width]))
    return replace(FLOOR, holes=(hole,))


def test_a_wall_from_side_to_side_is_named(ready):
    made = ready.plan(Query(Place(0.0, -2.0), GoTo(0.0, 2.0), walled()))
    assert made.status == NO_PATH
    assert "'wall' is in the way" in made.reason


def test_a_place_on_the_way_that_nobody_gets_to_is_told(ready):
    ends = Place(-2.0, -3.0), GoTo(2.0, -3.0)
    made = ready.plan(Query(ends[0], (Via(0.0, 2.0), ends[1]), walled()))
    assert made.status == NO_PATH
    assert "'wall' is in the way" in made.reason
    big = replace(FLOOR, obstacles=(named_box("crate", 0.0, 1.0, (2.0, 1.5, 2.0)),))
    made = ready.plan(Query(ends[0], (Via(0.0, 1.0), ends[1]), big))
    assert made.status == GOAL_NOT_VALID
    assert "stage 1" in made.reason
    assert "'crate'" in made.reason


def test_a_gap_that_no_clip_jumps_is_measured(ready):
    made = ready.plan(Query(Place(0.0, -3.0), GoTo(0.0, 3.0), split_by(3.0)))
    assert made.status == NO_CLIP
    assert "gap" in made.reason
    assert "longest jump" in made.reason
    wide = float(made.reason.split("it is ")[1].split(" m")[0])
    assert 3.0 <= wide <= 3.6


def test_a_step_that_no_clip_climbs_is_measured(ready):
    high = named_box("stage", 0.0, 2.5, (8.0, 1.5, 3.0), walkable=True)
    made = ready.plan(Query(Place(0.0, -2.0), GoTo(0.0, 3.0), replace(FLOOR, obstacles=(high,))))
    assert made.status in (NO_CLIP, NO_PATH)
    assert "1.50 m" in made.reason or "'stage'" in made.reason


def test_too_few_footholds_are_told_from_clips_that_are_missing():
    table = small_table()
    roadmap = build_roadmap(table, FLOOR)
    a, b = np.array([0.0, -2.0]), np.array([0.0, 2.0])
    assert judge_failure(roadmap, FLOOR, [a, b]).sparse
    assert not judge_failure(roadmap, walled(), [a, b]).sparse
    assert judge_failure(roadmap, split_by(0.3), [a, b]).sparse
    assert not judge_failure(roadmap, split_by(longest_step(table) + 0.4), [a, b]).sparse
    assert 0.0 < highest_step(table) < 1.0


def test_time_that_is_over_is_a_status(ready):
    far = replace(FLOOR, outline=rectangle([-9.0, -9.0], [9.0, 9.0]))
    made = ready.plan(Query(Place(0.0, -2.0), GoTo(0.0, 2.0), far, time_s=1e-3))
    assert made.status == OUT_OF_TIME


# ---- growing --------------------------------------------------------------------------------


def thin_yard(nodes: int, without: float) -> tuple[Scene, Roadmap]:
    """A roadmap with no foothold in the middle of a floor."""
    from footfall.roadmap.connect import connect
    from footfall.roadmap.footholds import neighbour_pairs, sample_footholds, sure_ground
    from footfall.roadmap.model import assemble

    table = small_table()
    feet = sample_footholds(table, FLOOR, nodes, np.random.default_rng(3))
    feet = feet[np.abs(feet[:, 2]) > without]
    sure = sure_ground(FLOOR, table.moves.foot_box)
    edges = connect(table, FLOOR, feet, feet, neighbour_pairs(feet, 60), sure=sure)
    return FLOOR, assemble(table, feet, edges, sure)


def ends_at(roadmap: Roadmap, scene: Scene, *places: Place) -> tuple[Ends, Ends]:
    found = []
    for begins, place in zip((True, False), places, strict=True):
        ends, valid = standing_ends(roadmap.table, scene, place, begins, (0.1, 0.1))
        found.append(ends.only(valid))
    return found[0], found[1]


def test_stairs_in_a_wide_scene_are_climbed():
    scene = load_scene("stairs")
    up = next(query for query in scene.queries if query.name == "up")
    ends = Place(up.start.x, up.start.z, up.start.yaw), GoTo(up.goal.x, up.goal.z, up.goal.yaw)
    made = planner("roadmap", scene=scene).plan(Query(*ends))
    assert made.found, made.reason
    assert any(source.clip.startswith("stairs_up") for s in made.segments for source in s.sources)


def test_a_roadmap_that_is_too_sparse_is_made_denser_where_it_fails():
    scene, roadmap = thin_yard(400, 2.0)
    query = Query(Place(0.0, -3.0), GoTo(0.0, 3.0), scene)
    made = plan_on_roadmap(roadmap, query, options=RoadmapOptions(denser=0))
    assert "more may" in made.reason
    made = plan_on_roadmap(roadmap, query, options=RoadmapOptions(denser=3))
    assert made.status == FOUND, made.reason
    line = np.column_stack([np.zeros(61), np.linspace(-3.0, 3.0, 61)])
    grown = grow_roadmap(
        roadmap, scene, *ends_at(roadmap, scene, query.start, Place(0.0, 3.0)), line
    )
    added = grown.nodes[len(roadmap.nodes) :]
    assert len(added)
    assert (np.abs(added[:, 0]) < 2.0).all()
    np.testing.assert_array_equal(grown.nodes[: len(roadmap.nodes)], roadmap.nodes)


def test_a_start_and_a_goal_far_from_the_roadmap_are_joined_by_footholds_between():
    scene = Scene("hall", rectangle([-2.0, -9.0], [2.0, 9.0]))
    table = small_table()
    roadmap = build_roadmap(table, scene)
    near = np.abs(roadmap.nodes[:, 2]) < 3.0
    empty = replace(roadmap, nodes=roadmap.nodes[:0], edges=roadmap.edges.only(slice(0, 0)),
                    out_start=np.zeros(1, np.int64))  # fmt: skip
    middle = add_footholds(empty, scene, roadmap.nodes[near])
    start, goal = Place(0.0, -8.0, 0.0), Place(0.0, 8.0, 0.0)
    assert isinstance(find_path(middle, scene, start, goal), NoPath)
    line = np.column_stack([np.zeros(161), np.linspace(-8.0, 8.0, 161)])
    grown = middle
    for seed in range(4):
        grown = grow_roadmap(grown, scene, *ends_at(middle, scene, start, goal), line, seed)
        if not isinstance(find_path(grown, scene, start, goal), NoPath):
            return
    pytest.fail("the ends are not joined")


def test_earlier_queries_do_not_change_a_plan(few):
    sparse = {"nodes": 40, "more": 0, "neighbours": 40, "denser": 3}
    earlier = [Query(Place(0.0, -2.0), GoTo(0.0, 2.0), walled()),  # one that fails
               *(Query(Place(x, -3.0), GoTo(-x, 3.0)) for x in (-3.0, 3.0))]  # fmt: skip
    asked = Query(Place(0.0, -3.0), GoTo(0.5, 3.0))
    old = planner("roadmap", library=few, scene=FLOOR, **sparse)
    assert not old.plan(earlier[0]).found
    for query in earlier[1:]:
        old.plan(query)
    one = old.plan(asked)
    two = planner("roadmap", library=few, scene=FLOOR, **sparse).plan(asked)
    assert (one.status, one.reason) == (two.status, two.reason)
    assert one.found, one.reason
    assert one.clip.root.tobytes() == two.clip.root.tobytes()
    assert one.clip.rotations.tobytes() == two.clip.rotations.tobytes()


def test_what_is_closed_stays_closed_on_a_denser_roadmap():
    scene, roadmap = yard_roadmap()
    rng = np.random.default_rng(2)
    edges = roadmap.edges
    closed = replace(nothing_closed(roadmap), edges=rng.random(len(edges)) < 0.1)
    near = roadmap.nodes[:5] + np.array([0.02, 0.0, 0.01, 0.1])
    denser = add_footholds(roadmap, scene, near)
    after = closed.of_denser(roadmap, denser)

    def rows(of, mask):
        return set(zip(of.tail[mask].tolist(), of.head[mask].tolist(), of.move[mask].tolist(),
                       strict=True))  # fmt: skip

    assert rows(denser.edges, after.edges) == rows(edges, closed.edges)


# ---- what fails -----------------------------------------------------------------------------


def finding(frame: int, place=(0.0, 0.0), unit: str = "m", check: str = "collision") -> Finding:
    return Finding(check, "arm", frame / 60.0, frame, frame + 1, 0.1, 0.01, unit, True, place)


def reject_all(drafts, problem: Problem, failures, most: int = 200) -> tuple[list[Draft], NoPath]:
    """Reject every draft of a search with the failures that a function finds in it."""
    tried = []
    while len(tried) < most:
        try:
            tried.append(next(drafts))
        except StopIteration as ended:
            return tried, ended.value
        problem.avoid(tried[-1], Report(tuple(failures(tried[-1]))))
    raise AssertionError("the search does not end")


def yard_search(goal: GoTo, **options) -> tuple[Generator, Problem]:
    scene, roadmap = yard_roadmap()
    query = Query(Place(0.0, -2.5, 0.0), goal, scene)
    problem = Problem(query, roadmap.moves.clips[0].skeleton)
    wished = RoadmapOptions(denser=0, **options)
    return draft_query(roadmap, scene, problem, Watch(), wished), problem


def test_a_rejected_move_is_not_played_again():
    drafts, problem = yard_search(GoTo(0.0, 2.5, 0.4), sweeps=0)
    tried, ended = reject_all(drafts, problem, lambda draft: [finding(len(draft.clip) // 2)])
    assert isinstance(ended, NoPath)
    assert len(tried) > 2
    closed: list[tuple] = []
    for draft in tried:
        path = draft.made_of.path
        keys = [(*map(tuple, path.footholds[n : n + 2].tolist()), int(m))
                for n, m in enumerate(path.moves)]  # fmt: skip
        assert not set(keys) & set(closed)
        closed += [keys[n] for n in draft.made_of.moves_in([(len(draft.clip) // 2,) * 2])]


def test_the_search_ends_when_drafts_fail_at_the_same_place_again_and_again():
    drafts, problem = yard_search(GoTo(0.0, 2.5, 0.4), sweeps=0)
    tried, _ = reject_all(drafts, problem, lambda draft: [finding(10)])
    assert 2 <= len(tried) <= 20


def test_a_straightened_path_that_fails_is_tried_as_it_was_found():
    drafts, problem = yard_search(GoTo(0.0, 2.5, 0.4))
    tried, _ = reject_all(drafts, problem, lambda draft: [finding(len(draft.clip) // 2)])
    found, plain = tried[0].made_of.path, tried[1].made_of.path
    assert plain.cost >= found.cost
    assert (plain.edges[1:-1] >= 0).all()


def test_a_deadline_makes_it_faster_or_is_told_with_the_true_time(ready):
    asked = Place(0.0, -3.5), GoTo(0.0, 3.5)
    usual = ready.plan(Query(*asked))
    assert usual.found, usual.reason
    seconds = usual.clip.seconds
    enough = ready.plan(Query(asked[0], replace(asked[1], by_s=seconds + 0.5)))
    np.testing.assert_array_equal(enough.clip.root, usual.clip.root)
    never = ready.plan(Query(asked[0], replace(asked[1], by_s=0.5)))
    assert not never.found
    late = float(re.search(r"([0-9.]+) s", never.reason).group(1))
    assert 0.5 * seconds < late <= seconds + 0.5


def test_seeds_reach_sampling_and_variation(few):
    ready = planner("roadmap", library=few, scene=FLOOR, **SMALL)
    one, two = (ready.plan(Query(Place(0.0, -2.0), GoTo(0.0, 2.0), seed=seed)) for seed in (0, 1))
    assert one.found
    assert two.found
    assert not np.array_equal(one.footholds, two.footholds)


# ---- several at once ------------------------------------------------------------------------


def test_threads_asking_different_things_get_what_one_would(ready):
    queries = [Query(Place(0.0, -3.0), GoTo(x, 3.0)) for x in (-2.0, -1.0, 0.0, 1.0, 2.0)]
    alone = [ready.plan(q) for q in queries]
    together: dict[int, Plan] = {}

    def ask(n: int) -> None:
        together[n] = ready.plan(queries[n])

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(len(queries))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, one in enumerate(alone):
        assert one.status == FOUND, one.reason
        np.testing.assert_array_equal(together[n].clip.root, one.clip.root)
