"""The phase graph: what every graph promises to those who search it."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.kinematics import forward_kinematics
from footfall.body.mass import segments
from footfall.errors import InputError
from footfall.library.library import Library, open_library
from footfall.maths.rounding import POSITION_M
from footfall.optimal.build import Compression, PhaseSettings, compress_library, motion_graph
from footfall.optimal.footing import find_footing
from footfall.optimal.model import PhaseGraph
from footfall.optimal.phases import find_phases
from footfall.optimal.stops import make_stops
from footfall.optimal.store import make_graph
from tests.optimal.soles import rotated, sole_slips

G = 9.81


@pytest.fixture(scope="module")
def library() -> Library:
    return open_library("default:safonova")


FEW = (
    "park_walk_1.1", "park_walk_1.4", "start_left_1", "stop_left_1", "start_right_1",
    "stop_right_1", "stand_1", "pick_0.50_0.35", "sit_and_stand", "sit_0.45", "stand_up_0.45",
)  # fmt: skip


@pytest.fixture(scope="module")
def few(library: Library) -> Library:
    return library.only(FEW)


@pytest.fixture(scope="module")
def compression(few: Library) -> Compression:
    return compress_library(few)


@pytest.fixture(scope="module")
def graph(library: Library) -> PhaseGraph:
    """The graph of all clips that plans are made with."""
    return make_graph(library).phases


@pytest.fixture(scope="module")
def shown(graph: PhaseGraph) -> np.ndarray:
    """(F, J, 3) where joints are in all frames of all edges."""
    return forward_kinematics(graph.skeleton, graph.frame_root, graph.frame_rotations).positions


def yawed(points: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    x, z = points[..., 0], points[..., 2]
    sin, cos = np.sin(yaw)[:, None], np.cos(yaw)[:, None]
    return np.stack([x * cos + z * sin, points[..., 1], z * cos - x * sin], axis=-1)


def test_edges_lead_from_what_touches_to_a_state_before_which_it_touched(graph: PhaseGraph) -> None:
    assert np.array_equal(graph.state_signature[graph.edge_from], graph.state_before[graph.edge_to])


def test_edges_begin_and_end_exactly_in_the_poses_of_their_states(
    graph: PhaseGraph, shown: np.ndarray
) -> None:
    states = forward_kinematics(graph.skeleton, graph.state_root, graph.state_rotations).positions
    assert np.abs(shown[graph.edge_first[:-1]] - states[graph.edge_from]).max() < 5.0 * POSITION_M
    ends = yawed(states[graph.edge_to], graph.edge_move[:, 2])
    ends[..., 0] += graph.edge_move[:, :1]
    ends[..., 1] += graph.edge_rise[:, None]
    ends[..., 2] += graph.edge_move[:, 1:2]
    assert np.abs(shown[graph.edge_first[1:] - 1] - ends).max() < 5.0 * POSITION_M


def test_states_are_seen_from_the_ground_below_the_root(graph: PhaseGraph) -> None:
    assert np.abs(graph.state_root[:, [0, 2]]).max() < 1e-9
    facing = 2.0 * np.arctan2(graph.state_rotations[:, 0, 2], graph.state_rotations[:, 0, 0])
    assert np.abs(np.sin(facing)).max() < 0.2


def test_every_state_can_be_reached_from_every_other(graph: PhaseGraph) -> None:
    for tails, heads in (graph.edge_from, graph.edge_to), (graph.edge_to, graph.edge_from):
        reached = np.zeros(len(graph.state_rest), bool)
        reached[0] = True
        while not reached[heads[reached[tails]]].all():
            reached[heads[reached[tails]]] = True
        assert reached.all()


def test_costs_are_positive_and_no_two_edges_are_parallel(graph: PhaseGraph) -> None:
    assert (graph.edge_cost > 0.0).all()
    pairs = np.stack([graph.edge_from, graph.edge_to], axis=1)
    assert len(np.unique(pairs, axis=0)) == len(pairs)


def test_a_motion_may_rest_standing_and_sitting(graph: PhaseGraph) -> None:
    resting = set(graph.state_signature[graph.state_rest].tolist())
    assert {3, 19} <= resting


def test_the_graph_is_far_smaller_than_its_frames_and_transitions(compression: Compression) -> None:
    before, after = compression.sizes[0], compression.sizes[-1]
    assert before.states >= 20 * after.states
    assert before.transitions >= 50 * after.transitions
    assert after.states == len(compression.graph.state_rest)
    assert after.transitions == len(compression.graph.edge_cost)


def test_paths_hardly_cost_more_than_before_states_were_merged(compression: Compression) -> None:
    median, most = compression.dearer
    assert -0.2 < median < 0.1
    assert most < 1.5


def test_it_tells_which_behaviours_can_be_reached(compression: Compression, few: Library) -> None:
    assert compression.tags.keys() == few.tags.keys()
    left = {name: few.clip(name) for name in compression.left_out}
    for tag, (some, count) in compression.tags.items():
        assert some == count - sum(tag in clip.tags for clip in left.values())
    # What is left out is shown by another clip, frame by frame.
    whole = few.clip("sit_and_stand")
    for name, clip in left.items():
        assert name == "stand_up_0.45"
        np.testing.assert_allclose(clip.rotations, whole.rotations[-len(clip) :], atol=1e-6)


def test_feet_that_touch_stay_where_they_are(graph: PhaseGraph) -> None:
    for side in ("left", "right"):
        slips = sole_slips(graph, side)
        assert np.percentile(slips, 99) < 5e-4
        assert np.percentile(slips, 99.9) < 5e-3


def test_flights_fall_with_gravity(graph: PhaseGraph, shown: np.ndarray) -> None:
    parts = segments(graph.skeleton)
    world = forward_kinematics(graph.skeleton, graph.frame_root, graph.frame_rotations)
    flights = np.flatnonzero(graph.state_signature[graph.edge_from] == 0)
    assert len(flights) >= 5
    for edge in flights:
        span = slice(graph.edge_first[edge], graph.edge_first[edge + 1])
        masses = sum(
            part.mass_kg * (world.positions[span, part.joint]
                            + rotated(world.rotations[span, part.joint], part.centre))
            for part in parts
        )  # fmt: skip
        centre = masses / sum(part.mass_kg for part in parts)
        pull = np.diff(centre, n=2, axis=0) * graph.fps**2
        assert np.abs(pull - [0.0, -G, 0.0]).max() < 1e-3 * G


def test_no_joint_is_much_faster_than_in_the_clips_that_an_edge_is_made_of(
    graph: PhaseGraph, library: Library
) -> None:
    def speeds(rotations: np.ndarray) -> np.ndarray:
        near = np.abs(np.einsum("tji,tji->tj", rotations[1:], rotations[:-1]))
        return np.degrees(2.0 * np.arccos(np.clip(near, 0.0, 1.0))) * graph.fps

    peaks = {clip.name: speeds(clip.rotations).max(axis=0) for clip in library}
    for edge in range(0, len(graph.edge_cost), 7):
        span = slice(graph.edge_first[edge], graph.edge_first[edge + 1])
        names = {graph.names[clip] for clip in graph.frame_clip[span]}
        if names <= peaks.keys():  # not the made steps, which are no clips of the library
            most = np.max([peaks[name] for name in names], axis=0)
            fastest = speeds(graph.frame_rotations[span]).max(axis=0)
            assert (fastest <= 1.5 * np.maximum(most, 80.0) + 1e-6).all()


def test_every_clip_is_used_and_every_behaviour_is_reached_from_a_stand_and_back(
    graph: PhaseGraph, library: Library
) -> None:
    """The graph is strongly connected, so whatever is in it is reached, and left for a stand."""
    used = {graph.names[clip] for clip in np.unique(graph.frame_clip)}
    shown = {tag for name in used & set(library.names) for tag in library.entry(name).tags}
    assert set(library.tags) <= shown
    hands = graph.state_signature[(graph.state_signature & 12) > 0]
    assert {7, 11} <= set(hands.tolist())
    assert len(hands) >= 20
    seats = (graph.state_signature & 16 > 0) & (graph.state_before & 16 == 0)
    assert np.count_nonzero(seats) >= 3
    assert np.count_nonzero(graph.state_signature == 0) >= 5
    climbs = graph.edge_rise[np.abs(graph.edge_rise) > 0.01]
    assert {0.15, 0.3, 0.45, -0.15, -0.3} <= set(np.round(climbs, 3).tolist())


def test_who_walks_picks_up_ducks_and_steps_over_without_standing_still(graph: PhaseGraph) -> None:
    """From steps of a walk there are ways to hands that touch and to low hips without a rest."""
    clip_of = np.array(graph.names)[graph.frame_clip[graph.edge_first[:-1]]]
    alone = np.isin(graph.state_signature[graph.edge_from], (1, 2))
    walks = alone & np.char.startswith(clip_of, "park_walk")
    reached = np.zeros(len(graph.state_rest), bool)
    reached[graph.edge_from[walks]] = True
    while True:
        more = graph.edge_to[reached[graph.edge_from]]
        more = more[~reached[more] & ~graph.state_rest[more]]
        if not len(more):
            break
        reached[more] = True
    hands = graph.state_signature & 12 > 0
    assert reached[hands].mean() > 0.9
    assert reached[graph.state_signature == 0].all()
    assert (reached & (graph.state_root[:, 1] < 0.6) & ~hands).any()


def test_who_walks_picks_up_at_every_height_without_leaping(graph: PhaseGraph) -> None:
    """From steps of a walk every hand that touches is reached along edges on the ground."""
    clip_of = np.array(graph.names)[graph.frame_clip[graph.edge_first[:-1]]]
    reached = np.zeros(len(graph.state_rest), bool)
    reached[graph.edge_from[np.char.startswith(clip_of, "park_walk")]] = True
    grounded = (graph.state_signature != 0) & (graph.state_before != 0)
    hands = graph.state_signature & 12 > 0
    while True:
        # One pick is no way to another.
        usable = reached[graph.edge_from] & ~((graph.state_before & 12 > 0)[graph.edge_from])
        more = graph.edge_to[usable & (grounded | hands)[graph.edge_to]]
        more = more[~reached[more]]
        if not len(more):
            break
        reached[more] = True
    assert reached[hands].all()


def test_made_stops_end_in_the_stances_of_those_who_pick_up(library: Library) -> None:
    clips = [library.clip(name) for name in ("stop_left_1", "start_right_1", "pick_0.00_0.20")]
    phases = find_phases(clips)
    footing = find_footing(clips, phases)
    wide = footing.stance[phases.phase[-1]]
    made = [c for c in make_stops(clips, phases, footing) if c.name.endswith(f", {wide}")]
    assert len(made) == 2
    phases, placed = find_phases(made), footing.stances[wide]
    footing = find_footing(made, phases)
    assert np.abs(footing.stances - placed).max(axis=1).min() < 1e-3
    last, first = phases.frames.clip_start[1] - 1, phases.frames.clip_start[1]
    assert footing.stance[phases.phase[last]] == footing.stance[phases.phase[first]] >= 0


def test_stances_stay_what_they_are_when_made_steps_come_to_them(library: Library) -> None:
    names = ("stop_left_1", "jump_0.8", "pick_0.00_0.35", "pick_0.50_0.35", "pick_1.00_0.20")
    clips = [library.clip(name) for name in names]
    phases = find_phases(clips)
    footing = find_footing(clips, phases)
    made = make_stops(clips, phases, footing)
    assert made
    longer = find_phases(clips + made)
    both = find_footing(clips + made, longer, known=footing)
    assert np.array_equal(both.stance[: len(footing.stance)], footing.stance)
    assert np.array_equal(both.stances[: len(footing.stances)], footing.stances)
    ends = both.stance[longer.phase[longer.frames.clip_start[len(clips) + 1 :] - 1]]
    # They end in the very stances that they were made for.
    assert [int(clip.name.rpartition(", ")[2]) for clip in made] == ends.tolist()


def test_clips_that_cannot_be_joined_are_refused_in_one_sentence(library: Library) -> None:
    with pytest.raises(InputError, match="cannot be joined"):
        compress_library(library.only(["sit_0.45"]))


def test_every_second_costs_three_quarters_of_one_on_one_foot(library: Library) -> None:
    clips = list(library.only(["park_walk_1.1", "stand_1"]))
    free = motion_graph(clips, PhaseSettings(shifts=False, rest_share=0.0))
    paid = motion_graph(clips, PhaseSettings(shifts=False))
    fps = free.phases.frames.fps
    alone = np.isin(free.phases.signature, (1, 2))
    assert free.rest_cost == 0.0
    assert paid.rest_cost == pytest.approx(0.75 * np.median(free.effort[alone]) * fps)
    np.testing.assert_allclose(paid.effort - free.effort, paid.rest_cost / fps, rtol=1e-9)
    np.testing.assert_array_equal(paid.switch_costs, free.switch_costs)


def test_no_edge_costs_less_than_its_seconds(graph: PhaseGraph) -> None:
    seconds = (np.diff(graph.edge_first) - 1) / graph.fps
    assert graph.rest_cost > 0.0
    assert (graph.edge_cost > graph.rest_cost * (seconds - 1.5 / graph.fps)).all()
