"""Following paths through motion graphs: what is searched, what is played, what is finished."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapt.edit.path_edit import PathEdit, edit_path, find_path_edit
from footfall.adapt.edit.stitch import stitch
from footfall.adapt.feet.lock import lock_feet
from footfall.body.clip import Clip
from footfall.body.edit import move
from footfall.errors import InputError
from footfall.gait.path import METHODS, path_abstraction
from footfall.generate.gait.journeys import start, stop
from footfall.generate.gait.stepping import stand
from footfall.graph.abstract import abstract_paths
from footfall.graph.build import build_graph
from footfall.graph.ends import Ends, prepare_walk_ends
from footfall.graph.follow import Followed, distances_aside, follow_path
from footfall.graph.model import PIECE, TRANSITION, MotionGraph
from footfall.graph.motion import Walk, walk_clip, walk_segments
from footfall.graph.options import GraphOptions
from footfall.graph.search import draft_walk
from footfall.library.library import open_library
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.polyline import Polyline, prepare_path, rounded_corners
from footfall.maths.rounding import POSITION_M
from footfall.task import NO_CLIP, NO_PATH, OUT_OF_TIME, Follow, GoTo, Place, Query, Watch
from footfall.task.draft import Draft
from footfall.task.finish import Finished, finish
from footfall.task.method import Refusal
from tests.adapt.measures import quality
from tests.clips import steady
from tests.sweeps import examples

DEFAULTS = GraphOptions()
STRAIGHT = np.array([[0.0, 0.0], [0.0, 12.0]])
WINDING = np.array([[0.0, 0.0], [0.0, 5.0], [3.0, 9.0], [3.0, 14.0]])
ROUND_TRIP = 5.0 * np.stack(
    [1.0 - np.cos(np.linspace(0, 2 * np.pi, 90)), np.sin(np.linspace(0, 2 * np.pi, 90))], axis=1
)


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    """Five curvatures."""
    return list(open_library("default:basten"))


@pytest.fixture(scope="module")
def graph(clips: list[Clip]) -> MotionGraph:
    return build_graph(clips, percentile=2.0)


@pytest.fixture(scope="module")
def followed(graph: MotionGraph) -> Followed:
    return follow_path(graph, WINDING)


@pytest.fixture(scope="module")
def start_and_stop() -> tuple[Clip, Clip]:
    return start(1.2, fps=30.0).named("start"), stop(1.2, fps=30.0).named("stop")


def finish_walk(
    query: Query, graph: MotionGraph, options: GraphOptions = DEFAULTS, ends: Ends | None = None
) -> tuple[Draft, Finished]:
    """Draft a walk and finish it."""
    draft = draft_walk(query, graph, options, ends=ends)
    assert isinstance(draft, Draft), draft
    assert draft.complete
    return draft, finish(draft, None, query.seed)


def loop_of(clip: Clip, first: int, last: int, window: int) -> MotionGraph:
    """A graph of one clip that goes from `last` back to `first`: two nodes, two edges."""
    here = clip[last : last + window].positions.reshape(-1, 3)
    there = clip[first - window : first].positions.reshape(-1, 3)
    pose = planar.align(here, there).pose
    return MotionGraph(
        clip.skeleton, clip.fps, (clip.name,), np.array([0, len(clip)]), clip.root,
        clip.rotations, clip.contacts, window, "by hand", 1.0,
        node_frame=np.array([first, last]), edge_from=np.array([0, 1]), edge_to=np.array([1, 0]),
        edge_kind=np.array([PIECE, TRANSITION]), edge_first=np.array([first, last]),
        edge_enter=np.array([last, first]), edge_alignment=np.stack([np.zeros(3), pose]),
        edge_distance=np.zeros(2),
    )  # fmt: skip


# ---- what is searched -------------------------------------------------------------------


@pytest.mark.parametrize("abstraction", METHODS)
def test_a_piece_carries_the_path_of_its_clip_read_whole(
    graph: MotionGraph, clips: list[Clip], abstraction: str
) -> None:
    paths = abstract_paths(graph, abstraction)
    edge = int(np.flatnonzero(graph.edge_kind == PIECE)[3])
    number = graph.clip_of(int(graph.edge_first[edge]))
    first = int(graph.clip_start[number])
    span = slice(first, int(graph.clip_start[number + 1]))
    whole = Clip(graph.skeleton, graph.fps, graph.root[span], graph.rotations[span])
    begin, end = int(graph.edge_first[edge]) - first, int(graph.edge_enter[edge]) - first
    points = paths.tracks.points[paths.tracks.edge_start[edge] : paths.tracks.edge_start[edge + 1]]
    np.testing.assert_allclose(
        points, path_abstraction(whole, abstraction)[begin:end], atol=POSITION_M
    )
    assert abstract_paths(graph, abstraction) is paths


def test_a_transition_leads_from_one_clips_path_to_the_others(graph: MotionGraph) -> None:
    paths = abstract_paths(graph)
    for edge in np.flatnonzero(graph.edge_kind == TRANSITION)[:40].tolist():
        last = paths.tracks.points[paths.tracks.edge_start[edge + 1] - 1]
        there = paths.frames[graph.edge_enter[edge] - 1]
        np.testing.assert_allclose(
            last, planar.apply_to_ground(graph.edge_alignment[edge], there), atol=2.0 * POSITION_M
        )


def test_the_cost_is_that_of_the_frames_played(followed: Followed) -> None:
    off = followed.points - followed.line.at(followed.distances)
    assert followed.cost == pytest.approx(float((off**2).sum()))
    assert followed.rms_m == pytest.approx(math.sqrt(float((followed.off_m**2).mean())))
    steps = np.hypot(*np.diff(followed.points, axis=0).T)
    steps = np.maximum(steps, 0.002)
    np.testing.assert_allclose(np.diff(followed.distances), steps, atol=4.0 * POSITION_M)


@pytest.mark.parametrize("search", ["branch_and_bound", "beam"])
@pytest.mark.parametrize("abstraction", METHODS)
def test_a_walk_follows_its_path(graph: MotionGraph, abstraction: str, search: str) -> None:
    found = follow_path(graph, WINDING, abstraction=abstraction, search=search)
    assert found.complete
    assert found.rms_m < 0.25
    assert found.distances[-1] >= found.line.length_m > found.distances[-2]
    assert abs(found.distances[0]) < 0.01


def test_a_walk_ends_where_the_path_does_or_goes_on(graph: MotionGraph) -> None:
    at_goal = follow_path(graph, STRAIGHT)
    on = follow_path(graph, STRAIGHT, stop_at_goal=False)
    assert len(on) >= len(at_goal)
    np.testing.assert_array_equal(on.points[: len(at_goal)], at_goal.points)


def test_keeping_to_nodes_ends_every_search_at_a_node(graph: MotionGraph) -> None:
    found = follow_path(graph, WINDING, at_node=True, stop_at_goal=False)
    counts = graph.edge_frames[found.walk.edges]
    np.testing.assert_array_equal(found.walk.stop - found.walk.begin, counts)


@pytest.mark.parametrize("search", ["branch_and_bound", "beam"])
def test_the_same_seed_gives_the_same_walk(graph: MotionGraph, search: str) -> None:
    runs = [
        follow_path(graph, WINDING, start_node="random", seed=s, search=search) for s in (3, 3, 4)
    ]
    np.testing.assert_array_equal(runs[0].walk.edges, runs[1].walk.edges)
    assert runs[0].walk.edges[0] != runs[2].walk.edges[0]


def test_no_given_start_follows_better_than_the_best(graph: MotionGraph) -> None:
    short = STRAIGHT[:1] + np.array([[0.0, 0.0], [0.0, 2.5]])
    best = follow_path(graph, short, ahead=80, keep=80)
    for node in range(0, graph.nodes, 37):
        one = follow_path(graph, short, ahead=80, keep=80, start_node=node, stop_at_goal=False)
        whole = follow_path(graph, short, ahead=80, keep=80, stop_at_goal=False)
        assert whole.cost <= one.cost + 1e-9
    assert best.complete


def test_a_walk_begins_along_the_path_or_as_told(graph: MotionGraph) -> None:
    for heading in (None, 1.2):
        found = follow_path(graph, STRAIGHT, heading=heading)
        ahead = found.points[3] - found.points[0]
        assert math.atan2(ahead[0], ahead[1]) == pytest.approx(heading or 0.0, abs=0.1)


def test_a_closed_path_is_followed_round_and_round(graph: MotionGraph) -> None:
    line = prepare_path(ROUND_TRIP, closed=True, rounds=2)
    found = follow_path(graph, line)
    assert found.complete
    assert found.line.length_m == pytest.approx(4 * math.pi * 5.0, rel=0.01)
    assert found.rms_m < 0.3


def test_looking_on_at_a_cap_is_said(graph: MotionGraph) -> None:
    found = follow_path(graph, STRAIGHT, cap=100, start_node=0)
    assert found.cap_hits > 0
    assert found.complete


def test_no_time_gives_what_there_is_and_says_so(graph: MotionGraph) -> None:
    watch = Watch()
    watch.deadline = 0.0
    found = follow_path(graph, WINDING, watch=watch)
    assert not found.complete
    assert found.stopped
    assert "time" in found.reason


def test_progress_rises(graph: MotionGraph) -> None:
    shares: list[float] = []
    follow_path(graph, WINDING, watch=Watch(lambda news: shares.append(news.share)))
    assert shares == sorted(shares)
    assert 0.5 < shares[-1] <= 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"abstraction": "gausian"}, {"search": "best"}, {"start_node": "any"},
        {"start_node": 10**6}, {"ahead": 10, "keep": 20}, {"ahead": 0, "keep": 0},
    ],
)  # fmt: skip
def test_wrong_options_are_refused(graph: MotionGraph, wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        follow_path(graph, STRAIGHT, **wrong)  # type: ignore[arg-type]


# ---- paths ------------------------------------------------------------------------------


def test_repeated_points_change_nothing() -> None:
    line = prepare_path(np.repeat(WINDING, 3, axis=0))
    np.testing.assert_allclose(line.points, prepare_path(WINDING).points, atol=1e-9)


@pytest.mark.parametrize(
    "path",
    [np.zeros((0, 2)), np.zeros((1, 2)), np.zeros((5, 2)), [[0, 0], [0, np.nan]], [[0, 0, 0]],
     [[0, 0], [0, 1e6]]],
)  # fmt: skip
def test_a_path_that_is_none_is_refused(path: object) -> None:
    with pytest.raises(InputError):
        prepare_path(path)  # type: ignore[arg-type]


@examples(40)
@given(st.integers(0, 10**6), st.floats(0.0, 2.0))
def test_a_rounded_path_keeps_its_ends_and_stays_near(seed: int, radius: float) -> None:
    points = np.cumsum(np.random.default_rng(seed).normal(0.0, 2.0, (6, 2)), axis=0)
    line = prepare_path(points, corner_radius_m=radius)
    np.testing.assert_allclose(line.points[[0, -1]], points[[0, -1]], atol=1e-9)
    gap = nearest_m(line.points[::20], prepare_path(points).points)
    assert gap.max() <= radius + 0.02
    assert line.length_m <= prepare_path(points).length_m + 1e-9


def test_rounded_corners_turn_gently() -> None:
    arc = rounded_corners(np.array([[0.0, 0.0], [0.0, 5.0], [5.0, 5.0]]), 1.0)
    np.testing.assert_allclose(np.hypot(*(arc[1:-1] - [1.0, 4.0]).T), 1.0, atol=1e-9)


# ---- what is played ---------------------------------------------------------------------


def test_a_walk_over_a_transition_is_the_stitched_clip() -> None:
    clip = steady("walk", 1.3, 0.3, seconds=3.0, fps=30.0).named("walk")
    loop = loop_of(clip, 25, 60, 10)
    walk = Walk(np.array([0, 1, 0]), np.zeros(3), np.array([35, 10, 35]), np.stack(
        [np.zeros(3), np.zeros(3), loop.edge_alignment[1]]))  # fmt: skip
    made = walk_clip(loop, walk)
    x, z, yaw = loop.edge_alignment[1].tolist()
    whole = stitch(clip, move(clip, x, z, yaw), 60, 24, round(clip.fps / 3.0))
    whole = whole[25 : 25 + 80]
    np.testing.assert_allclose(made.root, whole.root, atol=1e-12)
    np.testing.assert_allclose(made.positions, whole.positions, atol=1e-9)
    np.testing.assert_array_equal(made.contacts, whole.contacts)


def test_a_walk_never_jumps(graph: MotionGraph, followed: Followed) -> None:
    made = walk_clip(graph, followed.walk)
    assert len(made) == len(followed)
    own = np.linalg.norm(np.diff(graph.root, axis=0), axis=1)
    inside = ~np.isin(np.arange(1, len(graph.root)), graph.clip_start)
    steps = np.linalg.norm(np.diff(made.root, axis=0), axis=1)
    assert steps.max() < 1.3 * own[inside].max()
    turns = np.abs(np.einsum("tji,tji->tj", made.rotations[1:], made.rotations[:-1]))
    assert np.degrees(2 * np.arccos(np.clip(turns, 0, 1))).max() < 30.0


def test_the_motions_own_path_is_the_one_that_was_searched(
    graph: MotionGraph, followed: Followed
) -> None:
    own = path_abstraction(walk_clip(graph, followed.walk), "gaussian")
    off = np.hypot(*(own - followed.points).T)
    assert np.median(off) < 0.03


def test_segments_cover_every_frame_once(graph: MotionGraph, followed: Followed) -> None:
    parts = walk_segments(graph, followed.walk)
    assert parts[0].first == 0
    assert parts[-1].stop == len(followed)
    assert all(a.stop == b.first for a, b in itertools.pairwise(parts))
    made = walk_clip(graph, followed.walk)
    part = next(p for p in parts if p.why == "clip" and p.stop - p.first > 5)
    source = part.sources[0]
    first = int(graph.clip_start[graph.names.index(source.clip)]) + source.frame
    frames = slice(part.first, part.stop)
    np.testing.assert_allclose(
        made.root[frames, 1], graph.root[first : first + part.stop - part.first, 1], atol=1e-12
    )


# ---- what is finished -------------------------------------------------------------------


def sway(clip: Clip) -> float:
    """Root mean square distance of the pelvis from its abstract path, sideways and along."""
    pelvis, path = path_abstraction(clip, "pelvis"), path_abstraction(clip, "gaussian")
    return float(np.sqrt(((pelvis - path) ** 2).sum(axis=1).mean()))


def largest_turn(clip: Clip) -> float:
    """The largest turn of a joint from one frame to the next, radians; toes roll as they like."""
    roles = clip.skeleton.roles
    joints = sorted({joint for role, joint in roles.items() if not role.endswith("toe")})
    turned = quat.angle_between(clip.rotations[1:, joints], clip.rotations[:-1, joints])
    return float(turned.max())


def nearest_m(points: np.ndarray, line: np.ndarray) -> np.ndarray:
    return np.array([np.sqrt(((line - point) ** 2).sum(-1).min()) for point in points])


def test_path_editing_lays_the_walk_on_the_path_and_keeps_its_sway(graph: MotionGraph) -> None:
    line = prepare_path(WINDING, corner_radius_m=1.5)
    found = follow_path(graph, line, search="beam")
    made = walk_clip(graph, found.walk)
    edited = edit_path(made, line, found.distances)
    before = nearest_m(path_abstraction(made, "gaussian"), line.points)
    after = nearest_m(path_abstraction(edited, "gaussian"), line.points)
    assert np.sqrt((after**2).mean()) < 0.035
    assert np.sqrt((after**2).mean()) < 0.7 * np.sqrt((before**2).mean())
    assert sway(edited) == pytest.approx(sway(made), rel=0.15)


def test_finished_feet_stay_put_and_nothing_pops(graph: MotionGraph) -> None:
    found = follow_path(graph, WINDING, search="beam")
    raw = walk_clip(graph, found.walk)
    made = lock_feet(edit_path(raw, found.line, found.distances))
    was, now = quality(raw, raw), quality(made, raw)
    assert now.drift_m < 0.003 < was.drift_m
    assert now.acceleration_ratio < 1.3
    assert largest_turn(made) < 1.3 * largest_turn(raw)


def test_nothing_is_done_that_is_not_asked_for(graph: MotionGraph, followed: Followed) -> None:
    options = GraphOptions(
        edit_path=False, lock_feet=False, variation=0.0, retiming=0.0, search="branch_and_bound"
    )
    _, made = finish_walk(Query(stages=Follow(WINDING)), graph, options)
    walked = walk_clip(graph, followed.walk).rotations
    np.testing.assert_allclose(made.clip.rotations, walked, atol=1e-6)  # what is stored is rounded


# ---- plans ------------------------------------------------------------------------------


def test_a_plan_from_standing_to_standing(
    graph: MotionGraph, start_and_stop: tuple[Clip, Clip]
) -> None:
    begin, end = start_and_stop
    ends = prepare_walk_ends([begin], [end], graph.fps, graph.window)
    draft, plan = finish_walk(Query(stages=Follow(WINDING)), graph, ends=ends)
    assert [draft.segments[0].why, draft.segments[-1].why] == ["start", "stop"]
    assert draft.segments[-1].stop == len(plan.clip)
    speed = np.hypot(*np.diff(plan.clip.root[:, [0, 2]], axis=0).T) * plan.clip.fps
    assert speed[:5].max() < 0.2
    assert speed[-5:].max() < 0.2
    assert np.hypot(*(plan.clip.root[-1, [0, 2]] - WINDING[-1])) < 0.3
    assert np.hypot(*(plan.clip.root[0, [0, 2]] - WINDING[0])) < 0.3
    assert len(plan.footprints) > 15
    away = nearest_m(path_abstraction(plan.clip, "gaussian"), prepare_path(WINDING).points)
    assert np.sqrt((away**2).mean()) < 0.15


def test_ends_of_the_query_are_gone_to(graph: MotionGraph) -> None:
    _, plan = finish_walk(Query(Place(1.0, 2.0), GoTo(1.0, 9.0)), graph)
    assert np.hypot(*(plan.clip.root[-1, [0, 2]] - [1.0, 9.0])) < 0.3


@pytest.mark.parametrize("length", [0.06, 0.3, 1.0, 2.0])
def test_short_paths_are_walked(
    graph: MotionGraph, length: float, start_and_stop: tuple[Clip, Clip]
) -> None:
    for starts, stops in (((), ()), (start_and_stop[:1], start_and_stop[1:])):
        path = np.array([[0.0, 0.0], [0.0, length]])
        ends = prepare_walk_ends(starts, stops, graph.fps, graph.window)
        _, plan = finish_walk(Query(stages=Follow(path)), graph, ends=ends)
        assert np.hypot(*plan.clip.root[-1, [0, 2]] - plan.clip.root[0, [0, 2]]) < length + 1.5


def test_a_path_without_length_is_no_path(graph: MotionGraph) -> None:
    made = draft_walk(Query(stages=Follow(np.zeros((4, 2)))), graph)
    assert isinstance(made, Refusal)
    assert made.status == NO_PATH
    assert "long" in made.reason


def test_what_no_clip_can_turn_is_said() -> None:
    clip = steady("walk", 1.3, seconds=3.0, fps=30.0).named("walk")
    hairpin = np.array([[0.0, 0.0], [0.0, 10.0], [0.3, 0.0]])
    for search in ("beam", "branch_and_bound"):
        made = draft_walk(
            Query(stages=Follow(hairpin)), loop_of(clip, 25, 60, 10), GraphOptions(search=search)
        )
        assert isinstance(made, Refusal)
        assert made.status == NO_CLIP
        assert "off it" in made.reason


def test_one_loop_walks_straight_on_for_a_long_way() -> None:
    clip = steady("walk", 1.3, seconds=3.0, fps=30.0).named("walk")
    loop = loop_of(clip, 25, 60, 10)
    heading = float(abstract_paths(loop).headings[25] + loop.edge_alignment[1, 2])
    far = 500.0 * np.array([[0.0, 0.0], [math.sin(heading), math.cos(heading)]])
    found = follow_path(loop, far, start_node=0)
    assert found.complete
    assert found.distances[-1] >= 500.0


def test_standing_for_ever_ends() -> None:
    """A graph that only stands still gets on by Kovar's gamma, until it is too far off."""
    clip = stand(seconds=4.0, fps=30.0).named("stand")
    loop = loop_of(clip, 30, 90, 10)
    made = draft_walk(Query(stages=Follow(np.array([[0.0, 0.0], [0.0, 1000.0]]))), loop)
    assert isinstance(made, Refusal)
    assert made.status == NO_CLIP
    short = follow_path(loop, np.array([[0.0, 0.0], [0.0, 0.5]]))
    assert short.complete
    assert len(short) >= 200


def test_a_graph_that_ends_is_said() -> None:
    clip = steady("walk", 1.3, seconds=3.0, fps=30.0).named("walk")
    loop = loop_of(clip, 25, 60, 10)
    one = {n: getattr(loop, n)[:1] for n in ("edge_from", "edge_to", "edge_kind", "edge_first",
           "edge_enter", "edge_alignment", "edge_distance")}  # fmt: skip
    made = draft_walk(Query(stages=Follow(STRAIGHT)), replace(loop, **one))
    assert isinstance(made, Refusal)
    assert made.status == NO_CLIP
    empty = {n: getattr(loop, n)[:0] for n in one}
    with pytest.raises(InputError, match="no edges"):
        follow_path(replace(loop, **empty), STRAIGHT)


def test_a_figure_of_eight_is_crossed_the_right_way(graph: MotionGraph) -> None:
    t = np.linspace(0.0, 2.0 * np.pi, 200)
    eight = np.stack([4.0 * np.sin(2 * t), 8.0 * np.sin(t)], axis=1)
    _, plan = finish_walk(Query(stages=Follow(eight)), graph)
    gone = np.hypot(*np.diff(path_abstraction(plan.clip, "gaussian"), axis=0).T).sum()
    assert gone == pytest.approx(prepare_path(eight).length_m, rel=0.05)


def test_a_plan_out_of_time_gives_what_it_has(graph: MotionGraph) -> None:
    watch = Watch()
    watch.deadline = 0.0
    made = draft_walk(Query(stages=Follow(STRAIGHT)), graph, watch=watch)
    assert made.reason
    assert isinstance(made, Draft) or made.status == OUT_OF_TIME


# ---- real clips -------------------------------------------------------------------------


@pytest.mark.mocap
def test_real_clips_follow_the_zigzag(mocap: Path, tmp_path: Path) -> None:
    from footfall.files.scene.read import load_scene
    from footfall.library.build.build import build_library

    names = ("B3_Walk", "B9_WalkToTurnLeft90", "B10_WalkTurnLeft45", "B12_WalkTurnRight90",
             "B13_WalkTurnRight45", "B11_WalkTurnLeft135", "B14_WalkTurnRight135")  # fmt: skip
    files = [mocap / "accad_male1" / f"Male1_{name}.bvh" for name in names]
    library = build_library(tmp_path / "takes", files).library
    walks = build_graph(library, percentile=2.0, mirror=True)
    source = library.clip(library.names[0])
    for path in load_scene("zigzag").paths:
        _, plan = finish_walk(Query(stages=Follow(path.points)), walks)
        line = prepare_path(path.points).points
        away = nearest_m(path_abstraction(plan.clip, "gaussian"), line)
        assert np.sqrt((away**2).mean()) < 0.15
        made = quality(plan.clip, source)
        assert made.drift_m < 0.003
        assert made.acceleration_ratio < 1.3


# ---- what a watcher sees ----------------------------------------------------------------

HAIRPIN = np.array([[0.0, 0.0], [0.0, 5.0], [0.05, 5.0], [0.05, 0.0]])


def fastest(rotations: np.ndarray, fps: float) -> np.ndarray:
    """(J,) the greatest angular speed of each joint against its parent, radians a second."""
    turned = np.abs(np.einsum("tji,tji->tj", rotations[1:], rotations[:-1]))
    return (2.0 * np.arccos(np.clip(turned, 0.0, 1.0)) * fps).max(axis=0)


def longest_repetition_s(clip: Clip, within_s: float = 10.0) -> float:
    """The longest stretch whose joints all turn as they did not long before, within 0.5°."""
    joints = sorted({joint for joint in clip.skeleton.roles.values() if joint > 0})
    turns, longest = clip.rotations[:, joints], 0
    for lag in range(round(0.3 * clip.fps), min(round(within_s * clip.fps), len(clip) - 1)):
        same = np.abs(np.einsum("tji,tji->tj", turns[lag:], turns[:-lag])).min(axis=1)
        same = 2.0 * np.arccos(np.clip(same, 0.0, 1.0)) < math.radians(0.5)
        ends = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(int)))
        longest = max([longest, *(ends[1::2] - ends[::2]).tolist()])
    return longest / clip.fps


@pytest.mark.parametrize("path", [HAIRPIN, WINDING], ids=["hairpin", "winding"])
def test_no_joint_is_much_faster_than_in_the_clips(graph: MotionGraph, path: np.ndarray) -> None:
    # None of these clips turns as a hairpin does: in a wide corridor editing has to bring them on.
    _, plan = finish_walk(Query(stages=Follow(path, corridor_m=4.0)), graph)
    inside = np.split(np.arange(len(graph.root)), graph.clip_start[1:-1])
    own = np.max([fastest(graph.rotations[frames], graph.fps) for frames in inside], axis=0)
    joints = sorted({j for role, j in graph.skeleton.roles.items() if not role.endswith("toe")})
    made = fastest(plan.clip.rotations, plan.clip.fps)
    assert (made / np.maximum(own, math.radians(60.0)))[joints].max() < 1.5


def test_a_long_walk_never_repeats_itself_and_differs_by_seed(graph: MotionGraph) -> None:
    far = Follow([[0.0, 0.0], [0.0, 40.0]])
    plans = [finish_walk(Query(stages=far, seed=seed), graph)[1] for seed in (0, 0, 1)]
    clips = [plan.clip for plan in plans]
    np.testing.assert_array_equal(clips[0].rotations, clips[1].rotations)
    assert all(longest_repetition_s(clip) < 1.0 for clip in clips)
    shorter = min(len(clips[0]), len(clips[2]))
    assert np.abs(clips[0].rotations[:shorter] - clips[2].rotations[:shorter]).max() > 0.02
    for clip in clips:
        assert np.abs(path_abstraction(clip)[:, 0]).max() < 0.1


# ---- edits and retries ------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [35.0, 60.0])
def test_an_edit_never_brings_a_walk_further_off_its_path(
    graph: MotionGraph, monkeypatch: pytest.MonkeyPatch, degrees: float
) -> None:
    """Also not where the edit itself is bad: it is applied in part, or not at all."""
    aside = math.sin(math.radians(degrees))
    zigzag = np.array([[2.5 * aside * (n % 2), 2.5 * n] for n in range(5)])
    query, plain = Query(stages=Follow(zigzag, corridor_m=3.0)), GraphOptions(edit_path=False)
    walked, _ = finish_walk(query, graph, plain)
    line = Polyline(zigzag)

    def stray(draft: Draft) -> float:
        return float(line.gaps(path_abstraction(draft.clip)).max())

    good = stray(finish_walk(query, graph)[0])
    assert good < stray(walked)

    def spoil(clip: Clip, *rest: object) -> PathEdit:
        edit = find_path_edit(clip, *rest)
        return replace(edit, away=edit.away + np.array([1.5, 0.0]))

    monkeypatch.setattr("footfall.graph.search.find_path_edit", spoil)
    assert stray(finish_walk(query, graph)[0]) < stray(walked) + 0.05


def test_edges_that_are_avoided_are_played_less(graph: MotionGraph) -> None:
    query = Query(stages=Follow(WINDING))
    first, _ = finish_walk(query, graph)
    played = first.made_of.found.walk.edges
    inner = played[len(played) // 3 : len(played) // 2]
    other = draft_walk(query, graph, avoid=inner)
    assert isinstance(other, Draft)
    again = np.isin(other.made_of.found.walk.edges, inner).sum()
    assert again < np.isin(played, inner).sum()


def test_a_walk_that_lags_behind_its_way_does_not_stray() -> None:
    line = Polyline(np.array([[0.0, 0.0], [0.0, 5000.0]])).resample(1.0)
    gone = np.linspace(0.0, 5000.0, 400)
    sway = 0.03 * np.sin(gone)
    lagging = np.column_stack([sway, 0.997 * gone])
    assert distances_aside(line, lagging, gone).max() < 0.05
    aside = np.column_stack([sway + 1.5, gone])
    assert distances_aside(line, aside, gone).min() > 1.4
