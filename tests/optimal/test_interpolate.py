"""Segments between two of the same contact phase."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall import open_library
from footfall.adapt.feet.lock import lock_feet
from footfall.body.clip import Clip
from footfall.body.kinematics import forward_kinematics
from footfall.body.mass import mass_centres, segments
from footfall.maths.arrays import Floats
from footfall.optimal.interpolate import (
    SegmentRows,
    interpolate_edges,
    interpolated_seconds,
    row_slopes,
    segment_rows,
)
from footfall.optimal.model import PhaseGraph
from tests.clips import real_clip

from .phase_samples import own_phases

PAIRS = (
    ("park_walk_1.1", "park_walk_1.7"), ("park_walk_1.1_left_0.35", "park_walk_1.4"),
    ("jump_0.8", "jump_1.1"), ("pick_0.25_0.35", "pick_0.50_0.35"), ("sit_0.38", "sit_0.45"),
    ("step_onto_0.15_left", "step_onto_0.30_left"), ("turn_left_45", "turn_left_90"),
)  # fmt: skip
weights = st.floats(0.05, 0.95)


@cache
def clip(name: str) -> Clip:
    return open_library("default:safonova").clip(name)


@cache
def made(names: tuple[str, ...]) -> tuple[PhaseGraph, SegmentRows]:
    graph = own_phases([clip(name) for name in names])
    return graph, segment_rows(graph)


def matches(graph: PhaseGraph, known: SegmentRows) -> list[tuple[int, int]]:
    """Pairs of edges of the two clips with the same contacts before, along and after."""
    contacts = np.stack(
        [graph.state_before[graph.edge_from], known.edges["touching"],
         graph.state_signature[graph.edge_to]], axis=1,
    )  # fmt: skip
    of_first = graph.frame_clip[graph.edge_first[:-1]] == 0
    return [
        (a, b)
        for a in np.flatnonzero(of_first).tolist()
        for b in np.flatnonzero(~of_first).tolist()
        if (contacts[a] == contacts[b]).all()
        and max(known.seconds[[a, b]]) <= 1.6 * min(known.seconds[[a, b]])
    ]


def frames(graph: PhaseGraph, edge: int) -> tuple[Floats, Floats]:
    span = slice(*graph.edge_first[edge : edge + 2])
    return graph.frame_root[span], graph.frame_rotations[span]


def joints_between(
    graph: PhaseGraph, known: SegmentRows, a: int, b: int, weight: float, shares: Floats
) -> Floats:
    """(K, J, 3) where the joints are at shares of the segment between two."""
    motion = interpolate_edges(known, a, b, weight, shares)
    return forward_kinematics(graph.skeleton, *motion).positions


def same_turns(a: Floats, b: Floats) -> float:
    """How far rotations are from the same, whatever their signs."""
    return float(np.abs(1.0 - np.abs(np.einsum("...i,...i->...", a, b))).max())


@pytest.mark.parametrize("names", PAIRS)
def test_the_ends_of_the_weight_give_the_two_segments(names: tuple[str, str]) -> None:
    graph, known = made(names)
    pairs = matches(graph, known)
    assert pairs
    for a, b in pairs:
        for weight, edge in ((1.0, a), (0.0, b)):
            root, rotations = frames(graph, edge)
            got = interpolate_edges(known, a, b, weight, np.linspace(0.0, 1.0, len(root)))
            assert np.abs(got[0] - root).max() < 1e-6
            assert same_turns(got[1], rotations) < 1e-6


@pytest.mark.parametrize("names", PAIRS)
@given(weight=weights)
def test_feet_that_stand_flat_in_both_do_not_move_at_all(
    names: tuple[str, str], weight: float
) -> None:
    graph, known = made(names)
    a, b = matches(graph, known)[0]
    shares = np.linspace(0.0, 1.0, 23)
    joints = forward_kinematics(
        graph.skeleton, *interpolate_edges(known, a, b, weight, shares)
    ).positions
    for side, bit in (("left", 1), ("right", 2)):
        if known.edges["touching"][a] & bit:
            flat = np.ones(len(shares), np.bool_)
            for edge in (a, b):
                flat &= _lies(graph, edge, side, shares)
            for part in ("ankle", "toe") if flat.any() else ():
                places = joints[flat, graph.skeleton.role(f"{side}_{part}")]
                assert np.ptp(places, axis=0).max() < 2e-4


def _lies(graph: PhaseGraph, edge: int, side: str, shares: Floats) -> np.ndarray:
    """(K,) whether a foot's ankle and toe are both as low as they get, in the frames around."""
    positions = forward_kinematics(graph.skeleton, *frames(graph, edge)).positions
    low = np.ones(len(positions), np.bool_)
    for part in ("ankle", "toe"):
        place = positions[:, graph.skeleton.role(f"{side}_{part}")]
        resting = graph.skeleton.rest_positions[graph.skeleton.role(f"{side}_{part}"), 1]
        sole = graph.skeleton.rest_positions[graph.skeleton.role(f"{side}_toe"), 1]
        low &= np.abs(place[:, 1] - place[:, 1].min()) < 2e-4
        low &= np.abs(place[:, 1] - positions[:, graph.skeleton.role(f"{side}_toe"), 1]
                      - (resting - sole)) < 2e-4  # fmt: skip
    at = shares * (len(low) - 1)
    return np.asarray(low[np.floor(at).astype(int)] & low[np.ceil(at).astype(int)])


@pytest.mark.parametrize("names", PAIRS)
@given(weight=weights)
def test_the_centre_of_mass_is_between_those_of_the_two(
    names: tuple[str, str], weight: float
) -> None:
    graph, known = made(names)
    parts = segments(graph.skeleton)
    for a, b in matches(graph, known)[:3]:
        heights = [
            mass_centres(forward_kinematics(graph.skeleton, *found), parts)[:, 1]
            for found in (
                interpolate_edges(known, a, b, w, np.linspace(0.0, 1.0, 12))
                for w in (0.0, weight, 1.0)
            )
        ]
        wanted = weight * heights[2] + (1.0 - weight) * heights[0]
        seat = (
            0.05
            if any(known.edges[n][a] & 16 for n in ("touching", "around_start", "around_end"))
            else 2e-4
        )
        assert np.abs(heights[1] - wanted).max() < seat


@pytest.mark.parametrize("names", PAIRS)
@given(weight=weights)
def test_segments_that_follow_each_other_meet_in_the_same_pose(
    names: tuple[str, str], weight: float
) -> None:
    graph, known = made(names)
    pairs = set(matches(graph, known))
    chained = [(a, b) for a, b in pairs if (a + 1, b + 1) in pairs]
    for a, b in chained[:4]:
        root, rotations = interpolate_edges(known, a, b, weight, np.array([0.0, 1.0]))
        after = interpolate_edges(known, a + 1, b + 1, weight, np.array([0.0]))
        assert same_turns(rotations[1, 1:], after[1][0, 1:]) < 1e-9
        assert after[0][0, [0, 2]] == pytest.approx(0.0, abs=1e-5)
        assert root[1, 1] - after[0][0, 1] == pytest.approx(_rise(graph, a, b, weight), abs=1e-5)


def _rise(graph: PhaseGraph, a: int, b: int, weight: float) -> float:
    return weight * float(graph.edge_rise[a]) + (1.0 - weight) * float(graph.edge_rise[b])


@pytest.mark.parametrize(
    "names", [("pick_0.50_0.35", "pick_1.00_0.35"), ("pick_0.75_0.35", "pick_1.30_0.35")]
)
@given(weight=weights)
def test_between_a_bow_and_a_stand_on_straight_legs_knees_stay_nearly_straight(
    names: tuple[str, str], weight: float
) -> None:
    graph, known = made(names)
    skeleton, shares = graph.skeleton, np.linspace(0.0, 1.0, 30)
    for a, b in matches(graph, known):
        bends = []
        for w in (0.0, weight, 1.0):
            joints = joints_between(graph, known, a, b, w, shares)
            hip, knee, ankle = (
                joints[:, [skeleton.role(f"{s}_{part}") for s in ("left", "right")]]
                for part in ("hip", "knee", "ankle")
            )
            thigh, shank = knee - hip, ankle - knee
            long = np.linalg.norm(thigh, axis=2) * np.linalg.norm(shank, axis=2)
            bends.append(np.degrees(np.arccos((thigh * shank).sum(axis=2) / long)))
        more = bends[1] - np.maximum(bends[0], bends[2])
        assert more.max() < 15.0
        assert (
            np.abs(np.diff(bends[1], axis=0)).max()
            < 1.5 * max(np.abs(np.diff(bends[k], axis=0)).max() for k in (0, 2)) + 3.0
        )


@given(weight=weights, seconds=st.tuples(st.floats(0.3, 0.6), st.floats(0.3, 0.6)))
def test_flights_between_two_fall_with_gravity(weight: float, seconds: tuple[float, float]) -> None:
    graph, known = made(("jump_0.8", "jump_1.1"))
    a, b = next(p for p in matches(graph, known) if known.edges["touching"][p[0]] == 0)
    known = segment_rows(_ballistic(graph, {a: seconds[0], b: seconds[1]}))
    total = float(interpolated_seconds(*map(np.asarray, seconds), np.asarray(weight)))
    shares = np.linspace(0.0, 1.0, 15)
    poses = forward_kinematics(graph.skeleton, *interpolate_edges(known, a, b, weight, shares))
    centre = mass_centres(poses, segments(graph.skeleton))
    falls = np.diff(centre, 2, axis=0) / (total / 14) ** 2
    assert np.abs(falls - [0.0, -9.81, 0.0]).max() < 0.001 * 9.81


def _ballistic(graph: PhaseGraph, seconds: dict[int, float]) -> PhaseGraph:
    """The graph with flights that take so long and fall exactly with g."""
    root = np.array(graph.frame_root)
    parts = segments(graph.skeleton)
    for edge, total in seconds.items():
        span = slice(*graph.edge_first[edge : edge + 2])
        centre = mass_centres(forward_kinematics(graph.skeleton, *frames(graph, edge)), parts)
        u = np.linspace(0.0, 1.0, len(centre))
        wanted = centre[0] + u[:, None] * (centre[-1] - centre[0])
        wanted[:, 1] += 0.5 * 9.81 * total**2 * u * (1.0 - u)
        root[span] += wanted - centre
    return replace(graph, frame_root=root)


@pytest.mark.mocap
@pytest.mark.parametrize(
    "files", [("cmu/16_16.bvh", "cmu/16_58.bvh"), ("cmu/16_35.bvh", "cmu/16_45.bvh")]
)
def test_real_strides_mix_with_feet_that_stand_and_bodies_that_do_not_jump(
    files: tuple[str, str], mocap: Path
) -> None:
    clips = [lock_feet(real_clip(mocap / file)).named(file) for file in files]
    graph = own_phases(clips)
    known = segment_rows(graph)
    pairs = [p for p in matches(graph, known) if known.seconds[list(p)].min() > 0.08]
    assert len(pairs) >= 4
    shares = np.linspace(0.0, 1.0, 25)
    for a, b in pairs:
        ends, middle = (
            [joints_between(graph, known, a, b, w, shares) for w in some]
            for some in ((0.0, 1.0), (0.3, 0.5, 0.7))
        )
        for joints in middle:
            # Relative to the hips every joint is where both have it, or little further off.
            for k in (0, 12, 24):
                own = [p[k] - p[k, 0] for p in ends]
                far = np.maximum(*(np.linalg.norm(p, axis=1) for p in own))
                assert (np.linalg.norm(joints[k] - joints[k, 0], axis=1) <= far + 0.03).all()
            steps = np.linalg.norm(np.diff(joints, axis=0), axis=2).max()
            assert steps <= 1.3 * max(
                np.linalg.norm(np.diff(p, axis=0), axis=2).max() for p in ends
            )
            for bit, side in ((1, "left"), (2, "right")):
                toe = graph.skeleton.role(f"{side}_toe")
                if known.edges["touching"][a] == bit:
                    still = [np.ptp(p[:, toe], axis=0).max() for p in (*ends, joints)]
                    assert still[2] <= max(still[:2]) + 1e-3


def test_time_is_scaled_by_squares() -> None:
    halfway = interpolated_seconds(np.array(0.4), np.array(0.6), np.array(0.5))
    assert halfway == pytest.approx(np.sqrt(0.26))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 9, 60])
def test_slopes_are_those_of_cubic_splines(count: int, rng: np.random.Generator) -> None:
    from scipy.interpolate import CubicSpline

    rows = rng.normal(size=(2 * count, 3))
    slopes = row_slopes(rows, np.array([0, count, 2 * count], np.int32))
    for part in (slice(0, count), slice(count, 2 * count)):
        spline = CubicSpline(np.arange(count), rows[part])
        np.testing.assert_allclose(slopes[part], spline(np.arange(count), 1), atol=1e-10)
