"""One contract that every planner keeps: what a plan holds, what is a status, what an error."""

from __future__ import annotations

import math
import os
import threading
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from footfall import GoTo, News, Place, Plan, Query, Watch, plan
from footfall.body.edit import mirror
from footfall.errors import InputError
from footfall.library.library import Library, library_of
from footfall.task import CANCELLED, FOUND, NO_CLIP, NO_METHOD, OUT_OF_TIME, Pick
from footfall.task.method import (
    Method,
    find_method,
    forget_method,
    method_names,
    refuse_stages,
    register_method,
)
from footfall.task.options import option_names, option_rows
from footfall.verbs.planner import Planner
from footfall.world.scene import Scene
from tests.contracts.quick import QUICK, quick_plan, quick_planner, shared_planner
from tests.contracts.toy_method import TOY
from tests.verifying import scene_failures

METHODS = (*method_names(), TOY.name)
pytestmark = pytest.mark.parametrize("method", METHODS)
AHEAD = Query(Place(0.0, 0.0), GoTo(0.0, 6.0))


@pytest.fixture(autouse=True)
def toy():
    register_method(TOY)
    yield
    forget_method(TOY.name)


@pytest.fixture(scope="module")
def made(walks: Library) -> dict[str, Plan]:
    """Each method's plan of a few metres."""
    register_method(TOY)
    return {m: quick_plan(AHEAD, m, walks) for m in METHODS}


def test_a_method_says_what_it_is_and_what_its_options_are(method):
    found = find_method(method)
    assert isinstance(found, Method)
    assert found.summary
    assert found.stages
    assert GoTo in found.stages
    rows = option_rows(found.Options)
    assert tuple(name for name, _, _ in rows) == option_names(found.Options)
    assert all(text for _, _, text in rows)
    assert 0.0 <= found.suits(AHEAD, None)[0] <= 1.0


def test_a_found_plan_has_a_motion_on_the_librarys_character(method, made, walks):
    found = made[method]
    assert (found.status, found.reason, found.found) == (FOUND, "", True)
    assert found.clip.skeleton == walks.character
    assert found.clip.fps == walks.fps
    assert (found.method, found.choice) == (method, "it was asked for")
    assert math.isfinite(found.cost)
    assert found.bound >= 1.0


def test_segments_cover_every_frame_and_name_clips_of_the_library(method, made, walks):
    found = made[method]
    ends = [(s.first, s.stop) for s in found.segments]
    assert ends[0][0] == 0
    assert ends[-1][1] == len(found.clip)
    assert all(a[1] == b[0] for a, b in pairwise(ends))
    for segment in found.segments:
        assert segment.why
        assert sum(source.weight for source in segment.sources) == pytest.approx(1.0)
        for source in segment.sources:
            assert source.clip in walks
            frames = walks.entry(source.clip).frames
            assert 0 <= source.frame <= source.frame + segment.stop - segment.first <= frames


def test_a_segment_shows_the_frames_it_says_it_does(method, walks):
    varies = "variation" in option_names(find_method(method).Options)
    plain = {"variation": 0.0} if varies else {}
    found = quick_planner(method, library=walks, **plain).plan(AHEAD)
    single = [s for s in found.segments if len(s.sources) == 1 and s.stop - s.first > 8]
    assert single
    for segment in single:
        source = segment.sources[0]
        middle = (segment.stop - segment.first) // 2
        clip = walks.clip(source.clip)
        if source.mirrored:
            clip = mirror(clip, keep_skeleton=True)
        # The head's own rotation is left alone by all that is done to legs and path; where strides
        # always vary, it is turned by two degrees or three.
        head = clip.skeleton.role("head")
        dot = np.abs(np.sum(
            clip.rotations[source.frame + middle, head]
            * found.clip.rotations[segment.first + middle, head]
        ))  # fmt: skip
        assert dot > 1.0 - (1e-4 if varies else 4e-4)


def test_the_motion_begins_at_the_start_and_ends_at_the_goal(method, made):
    clip = made[method].clip
    assert np.linalg.norm(clip.root[0, [0, 2]] - [0.0, 0.0]) < AHEAD.goal.within_m
    assert np.linalg.norm(clip.root[-1, [0, 2]] - [0.0, 6.0]) < AHEAD.goal.within_m


def test_the_same_seed_gives_the_same_motion(method, walks):
    query = Query(AHEAD.start, AHEAD.stages, seed=5)
    one, two = (quick_planner(method, library=walks).plan(query).clip for _ in range(2))
    assert np.array_equal(one.root, two.root)
    assert np.array_equal(one.rotations, two.rotations)


def test_timings_and_news_are_reported_and_never_go_back(method, walks):
    news: list[News] = []
    found = plan(AHEAD, method=method, library=walks, watch=news.append, **QUICK.get(method, {}))
    shares = [n.share for n in news]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert all(seconds >= 0.0 for seconds in found.timings.values())
    assert "all" in found.timings


def test_plans_get_no_worse(method, walks):
    to_the_end = {"near_enough": 1.0} if method == "optimal" else {}
    plans = list(quick_planner(method, library=walks, **to_the_end).plans(AHEAD))
    assert plans[-1].found
    costs = [p.cost for p in plans if p.found]
    assert all(b <= a for a, b in pairwise(costs))


def test_a_watch_that_says_no_cancels(method, walks):
    found = plan(AHEAD, method=method, library=walks, watch=lambda news: False)
    assert (found.status, found.clip) == (CANCELLED, None)


def test_what_is_cancelled_before_it_begins_makes_no_motion(method, walks):
    watch = Watch()
    watch.cancel()
    found = shared_planner(method, walks).plan(AHEAD, watch)
    assert (found.status, found.clip) == (CANCELLED, None)
    assert "cancelled" in found.reason


def test_cancelling_ends_the_work_in_its_midst(method, walks):
    ready = shared_planner(method, walks)
    ready.plan(AHEAD)
    far = Query(Place(0, 0), GoTo(0, 4000.0))
    begun, ended = threading.Event(), []
    watch = Watch(lambda news: begun.set())
    work = threading.Thread(target=lambda: ended.append(ready.plan(far, watch)))
    work.start()
    begun.wait()
    time.sleep(0.1)
    watch.cancel()
    work.join()
    assert ended[0].status == CANCELLED


def test_a_time_budget_holds(method, walks):
    ready = shared_planner(method, walks)
    ready.plan(AHEAD)
    found = ready.plan(Query(Place(0, 0), GoTo(0, 3000.0), time_s=0.05))
    assert found.status == OUT_OF_TIME
    assert "time" in found.reason


def test_closing_the_plans_ends_the_work(method, walks):
    plans = shared_planner(method, walks).plans(AHEAD)
    next(plans)
    plans.close()
    assert not [t for t in threading.enumerate() if t.name == "footfall-plan" and t.is_alive()]


def test_a_planner_answers_again_and_in_several_threads(method, walks):
    ready = shared_planner(method, walks)
    first = ready.plan(AHEAD)
    out: list[Plan] = []
    threads = [threading.Thread(target=lambda: out.append(ready.plan(AHEAD))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(out) == 2
    for again in out:
        np.testing.assert_array_equal(again.clip.root, first.clip.root)


def test_a_motion_is_checked_in_its_scene(method, walks, yard: Scene):
    query = Query(Place(0.0, -3.5), GoTo(0.0, 3.5), yard)
    found = quick_plan(query, method, walks)
    through = quick_plan(Query(query.start, query.stages), method, walks)
    assert any("touches box" in failure for failure in scene_failures(through, yard))
    if found.found:
        assert scene_failures(found, yard) == ()
    else:
        assert "box" in found.reason or "stands on something" in found.reason


def test_a_stage_that_a_method_cannot_do_is_refused_with_who_can(method, walks):
    query = Query(Place(0, 0), (Pick(0.0, 0.8, 3.0), GoTo(0, 6)))
    refusal = refuse_stages(find_method(method), query)
    if refusal is None:
        return
    found = quick_plan(query, method, walks)
    assert found.status == NO_METHOD
    assert "stage 1, 'pick'" in found.reason
    assert "can" in found.reason


def test_misuse_is_an_error_that_names_the_choices(method, walks):
    with pytest.raises(InputError, match="did you mean"):
        plan(AHEAD, method=method[:-1], library=walks)
    with pytest.raises(InputError, match=f"{method} has no option 'colour'; choose one of"):
        plan(AHEAD, method=method, library=walks, colour="red")
    with pytest.raises(InputError, match="give a Query"):
        shared_planner(method, walks).plans("zigzag")


def test_a_library_that_does_not_serve_is_a_status(method, walks):
    standing = library_of([walks.clip("start").tagged(("asleep",))])
    found = quick_plan(AHEAD, method, standing)
    assert found.status == NO_CLIP
    assert found.reason
    assert found.clip is None


def test_nothing_is_written_outside_the_cache(method, few_takes, tmp_path, monkeypatch):
    here, cache = tmp_path / "here", tmp_path / "cache"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("FOOTFALL_CACHE", str(cache))
    before = _files(few_takes)
    assert quick_planner(method, library=few_takes).plan(AHEAD).found
    assert _files(here) == []
    assert _files(few_takes) == before


def _files(folder: Path) -> list[tuple[str, int]]:
    return sorted((e.path, e.stat().st_mtime_ns) for e in os.scandir(folder))


def test_a_planner_is_shown_in_a_line(method, walks):
    assert isinstance(quick_planner(method, library=walks), Planner)
    assert "\n" not in repr(quick_planner(method, library=walks))
