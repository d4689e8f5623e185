"""Walks among things that move: nothing is touched at any moment, and nobody is in a hurry.

What is checked is checked with plain joint positions, by code of its own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.roadmap.build import build_roadmap
from footfall.roadmap.legs import split_query
from footfall.roadmap.method import plan_on_roadmap
from footfall.roadmap.movers import movers_of_clips, movers_of_scene, no_movers, widen
from footfall.roadmap.paths import NoPath, find_path
from footfall.roadmap.spacetime import TimedPath, find_path_in_time
from footfall.roadmap.together import plan_together
from footfall.roadmap.waiting import wait_in_clip
from footfall.task import GoTo, Place, Plan, Query
from footfall.task.effort import STANDING_W_KG
from footfall.task.verify.people import nearest_meeting
from footfall.verbs.planner import plan
from footfall.world.scene import Scene, rectangle
from tests.roadmap.small_world import carried, named_box, small_table, yard, yard_roadmap
from tests.verifying import scene_failures

THROUGH = Place(0.0, -2.0, 0.0), GoTo(0.0, 2.0, 0.0)


def bone_points(clip: Clip) -> np.ndarray:
    """(T, P, 3) points along all bones, five on each."""
    at = clip.positions
    parents = np.asarray(clip.skeleton.parents)
    own = np.flatnonzero(parents >= 0)
    share = np.linspace(0.0, 1.0, 5)[None, None, :, None]
    between = at[:, parents[own], None] * (1.0 - share) + at[:, own, None] * share
    return between.reshape(len(at), -1, 3)


def depth_in_cart(clip: Clip, times: object, places: object, half: object) -> float:
    """How deep, at most, bones are in an upright box that is carried between places."""
    points = bone_points(clip)
    now = np.arange(len(clip)) / clip.fps
    at = np.asarray(places, float)
    middle = np.column_stack([np.interp(now, np.asarray(times, float), at[:, k]) for k in (0, 1)])
    x, y, z = half  # type: ignore[misc]
    off = points[..., [0, 2]] - middle[:, None]
    inside = np.minimum(np.minimum(x - np.abs(off[..., 0]), z - np.abs(off[..., 1])),
                        2.0 * y - points[..., 1])  # fmt: skip
    return float(inside.max())


def bones_apart(one: Clip, other: Clip) -> float:
    """How near bones of two people come; who is done stands."""
    a, b = bone_points(one), bone_points(other)
    count = max(len(a), len(b))
    least = np.inf
    for t in range(count):
        p, q = a[min(t, len(a) - 1)], b[min(t, len(b) - 1)]
        least = min(least, float(np.linalg.norm(p[:, None] - q[None], axis=-1).min()))
    return least


CART = (1.0, 1.2, 1.0)
CASES = {
    "goes away": ([0.0, 6.0, 9.0], [[0.0, 0.0], [0.0, 0.0], [2.8, 1.6]]),
    "crosses": ([0.0, 8.0], [[-2.8, 0.9], [2.8, 0.9]]),
    "comes towards it": ([0.0, 7.0, 8.0], [[0.0, 2.6], [0.0, -0.6], [-2.6, -1.5]]),
    "never stays away for long": ([0.0, 4.0, 8.0], [[-2.0, 1.0], [2.0, 1.0], [-2.0, 1.0]]),
}


@pytest.mark.parametrize("what", CASES)
def test_a_walk_keeps_clear_of_a_cart_at_every_moment(what: str) -> None:
    _, roadmap = yard_roadmap()
    times, places = CASES[what]
    loop = what.startswith("never")
    scene = yard(carried(named_box("cart", 0, 0, CART), times, places, loop))
    made = plan_on_roadmap(roadmap, Query(*THROUGH, scene))
    assert made.found, made.reason
    clip = made.clip
    assert clip is not None
    if loop:
        whole = int(np.ceil(clip.seconds / times[-1])) + 1
        places = [*places[:-1]] * whole + [places[-1]]
        times = np.arange(len(places)) * 4.0
    assert depth_in_cart(clip, times, places, np.array(CART) / 2) < 0.0
    assert scene_failures(made, scene) == ()
    assert np.hypot(*(clip.root[-1, [0, 2]] - [0.0, 2.0])) < 0.1


def test_it_waits_where_there_is_no_other_way() -> None:
    _, roadmap = yard_roadmap()
    scene = yard(carried(named_box("cart", 0, 0, CART), *CASES["goes away"]))
    made = plan_on_roadmap(roadmap, Query(*THROUGH, scene))
    clip = made.clip
    assert clip is not None
    waits = sum(s.stop - s.first for s in made.segments if s.why == "wait")
    assert waits > 2.0 * clip.fps
    assert made.segments[-1].stop == len(clip)
    firsts = [s.first for s in made.segments]
    assert firsts == sorted(firsts)
    # Nobody jumps: joints are never much faster than in the clips that are played.
    speed = np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1).max() * clip.fps
    sources = [c for c in roadmap.moves.clips
               if c.name in {x.clip for s in made.segments for x in s.sources}]  # fmt: skip
    fastest = max(np.linalg.norm(np.diff(c.positions, axis=0), axis=-1).max() * c.fps
                  for c in sources)  # fmt: skip
    assert speed < 1.5 * fastest


def test_without_movers_a_path_in_time_costs_what_the_cheapest_path_does() -> None:
    scene, roadmap = yard_roadmap()
    rng = np.random.default_rng(3)
    compared = 0
    for _ in range(8):
        a, b = rng.uniform(-3.0, 3.0, (2, 2))
        start, goal = Place(*a, 0.0), Place(*b, 1.0)
        plain = find_path(roadmap, scene, start, goal)
        split = split_query(roadmap, scene, Query(start, GoTo(*b, 1.0), scene))
        if isinstance(split, NoPath):
            continue
        starts, legs = split
        timed = find_path_in_time(roadmap, scene, starts, legs[0].goals, no_movers(), reach_m=3.75)
        assert isinstance(plain, NoPath) == isinstance(timed, NoPath)
        if isinstance(timed, TimedPath) and not isinstance(plain, NoPath):
            assert timed.cost <= plain.cost * (1.0 + 1e-9)
            assert not timed.waits.any()
            compared += 1
    assert compared >= 4


def test_the_search_finds_what_trying_every_wait_finds() -> None:
    """Along one path the only choice is how long to wait at first: the shortest that works."""
    scene, roadmap = yard_roadmap()
    cart = carried(named_box("cart", 0, 0, CART), *CASES["goes away"])
    moving = movers_of_scene(yard(cart))
    split = split_query(roadmap, scene, Query(*THROUGH, scene))
    assert not isinstance(split, NoPath)
    starts, legs = split
    timed = find_path_in_time(roadmap, scene, starts, legs[0].goals, moving)
    assert isinstance(timed, TimedPath)
    plain = find_path_in_time(roadmap, scene, starts, legs[0].goals, no_movers())
    assert isinstance(plain, TimedPath)
    waits = np.arange(0.0, 12.0, 0.2)
    later = [find_path_in_time(roadmap, scene, starts, legs[0].goals, moving, float(w))
             for w in waits]  # fmt: skip
    direct = [w for w, p in zip(waits, later, strict=True)
              if isinstance(p, TimedPath) and abs(p.cost - plain.cost) < 1e-6]  # fmt: skip
    per_second = STANDING_W_KG
    assert timed.cost <= plain.cost + per_second * direct[0] + 1e-6


def test_movers_hold_the_cart_at_every_moment() -> None:
    rng = np.random.default_rng(5)
    times = np.sort(rng.uniform(0.0, 8.0, 5))
    places = rng.uniform(-2.0, 2.0, (5, 2))
    cart = carried(named_box("cart", 0, 0, (0.6, 1.0, 1.4)), times, places)
    found = movers_of_scene(yard(cart))
    for t in rng.uniform(0.0, 9.0, 300):
        row = found.cells[min(int(t / 0.1), len(found.cells) - 1), 0]
        middle = np.array([np.interp(t, times, places[:, k]) for k in (0, 1)])
        corners = middle + np.array([[x, z] for x in (-0.3, 0.3) for z in (-0.7, 0.7)])
        off = np.abs(corners - row[:2]) - row[4:6]
        assert off.max() < 0.02


def test_movers_hold_people_at_every_moment() -> None:
    clip = small_table().moves.clips[0]
    found = movers_of_clips([(clip, 0.55)])
    points = bone_points(clip)
    for t in range(len(points)):
        rows = found.cells[min(int((0.55 + t / clip.fps) / 0.1), len(found.cells) - 1)]
        away = np.linalg.norm(points[t][:, None, [0, 2]] - rows[None, :, :2], axis=-1) - rows[:, 4]
        assert away.min(axis=1).max() < 0.0
    wider = widen(found, 0.3)
    np.testing.assert_allclose(wider.cells[..., 4], found.cells[..., 4] + 0.3)


def test_a_goal_that_something_comes_to_stay_on_is_refused_with_the_reason() -> None:
    _, roadmap = yard_roadmap()
    cart = carried(named_box("cart", 0, 0, CART), [0.0, 20.0, 30.0], [[-2, 2.8], [-2, 2.8], [0, 2]])
    scene = yard(cart)
    made = plan_on_roadmap(roadmap, Query(*THROUGH, scene))
    assert not made.found
    assert "stay at the goal" in made.reason


def test_people_who_swap_places_through_a_gap_do_not_touch() -> None:
    scene, roadmap = yard_roadmap()
    queries = [
        Query(Place(0.0, -2.0, 0.0), GoTo(0.0, 2.0, 0.0), scene),
        Query(Place(0.0, 2.0, np.pi), GoTo(0.0, -2.0, np.pi), scene),
        Query(Place(-2.5, -2.5, 0.0), GoTo(2.5, 2.5, 0.0), scene),
    ]
    plans = plan_together(roadmap, scene, queries)
    assert [p.reason for p in plans] == ["", "", ""]
    for n, one in enumerate(plans):
        assert scene_failures(one, scene) == ()
        for other in plans[:n]:
            assert one.clip is not None
            assert other.clip is not None
            assert bones_apart(one.clip, other.clip) > 0.08
            assert nearest_meeting(one.clip, other.clip).distance_m >= 0.0


def test_another_order_is_tried_where_the_first_leaves_no_way() -> None:
    """The first would stop in the only gap for good before the second has passed it."""
    scene, roadmap = yard_roadmap()
    queries = [
        Query(Place(0.0, -1.2, 0.0), GoTo(0.0, 0.0, 0.0), scene),
        Query(Place(0.3, -2.8, 0.0), GoTo(0.0, 2.0, 0.0), scene),
    ]
    plans = plan_together(roadmap, scene, queries)
    assert all(p.found for p in plans), [p.reason for p in plans]
    one, other = plans
    assert one.clip is not None
    assert other.clip is not None
    assert bones_apart(one.clip, other.clip) > 0.08


def test_nearest_meetings_are_as_near_as_bones_and_their_thickness_say() -> None:
    clip = small_table().moves.clips[0]
    other = replace(clip, root=clip.root + np.array([1.0, 0.0, 0.3]))
    gap = bones_apart(clip, other)
    found = nearest_meeting(clip, other)
    assert gap - 0.35 < found.distance_m < gap
    far = replace(clip, root=clip.root + np.array([5.0, 0.0, 0.0]))
    assert nearest_meeting(clip, far).distance_m == np.inf


def test_waiting_shows_every_frame_once_in_order_and_lasts_as_long_as_it_should() -> None:
    clip = small_table().moves.clips[0]
    longer, times = wait_in_clip(clip, [0, 20, 40], [0.5, 1.0, 0.1])
    extra = round(0.5 * clip.fps) + round(1.0 * clip.fps) + round(0.1 * clip.fps)
    assert len(longer) == len(clip) + extra
    assert (np.diff(times) >= 0.0).all()
    assert (np.diff(times) <= 1.0 + 1e-9).all()
    assert times[0] == 0.0
    assert times[-1] == len(clip) - 1
    np.testing.assert_allclose(longer.root[-1], clip.root[-1])


def test_the_front_door_plans_among_moving_obstacles() -> None:
    cart = carried(named_box("cart", 0, 0, (0.8, 1.0, 0.8)), [0.0, 4.0, 6.0],
                   [[0.0, 0.0], [0.0, 0.0], [2.0, 0.0]])  # fmt: skip
    scene = Scene("lane", rectangle([-1.0, -3.0], [3.0, 3.0]), obstacles=(cart,))
    query = Query(Place(0.0, -2.0, 0.0), GoTo(0.0, 2.0), scene)
    made = plan(query, method="roadmap", nodes=300, more=50)
    assert made.found, made.reason
    assert made.clip is not None
    assert scene_failures(made, scene) == ()


def test_a_time_budget_is_kept_and_said() -> None:
    scene = yard(carried(named_box("cart", 0, 0, CART), *CASES["crosses"]))
    made = plan(Query(*THROUGH, scene, time_s=0.001), method="roadmap")
    assert isinstance(made, Plan)
    assert not made.found
    assert made.reason


def test_a_roadmap_of_what_stands_still_serves_all_times() -> None:
    scene, roadmap = yard_roadmap()
    cart = carried(named_box("cart", 0, 0, CART), *CASES["goes away"])
    moving = yard(cart)
    late = plan_on_roadmap(roadmap, Query(*THROUGH, moving), begins_s=10.0)
    assert late.found
    assert not any(s.why == "wait" for s in late.segments)
    assert scene_failures(late, moving, 10.0) == ()
    assert scene_failures(late, moving, 0.0) != ()
    assert build_roadmap(small_table(), scene).nodes.shape == roadmap.nodes.shape
