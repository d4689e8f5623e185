"""Which instants are shown, and where the figure is and faces."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.body.mannequin import mannequin
from footfall.render.instants import (
    are_crowded,
    bodies_at,
    even_instants,
    even_pick,
    floor_of,
    root_path,
    spaced_instants,
)
from tests.clips import steady
from tests.render.clips import frames, moved, snake, standing, walk
from tests.sweeps import examples

STEADY = walk(4.0)
BODY = mannequin(STEADY.skeleton)


def test_a_steady_walk_is_shown_on_a_regular_clock() -> None:
    chosen = spaced_instants(STEADY, root_path(STEADY), 0.68, 14)
    assert chosen[0] == 0
    assert len(np.unique(np.diff(chosen))) == 1
    gaps = np.linalg.norm(np.diff(STEADY.root[chosen][:, [0, 2]], axis=0), axis=1)
    assert (gaps > 0.45).all()
    assert (gaps < 1.1).all()


@pytest.mark.parametrize("speed", [0.9, 1.1, 1.3, 1.45, 1.6])
def test_figures_of_a_steady_walk_show_different_phases(speed: float) -> None:
    clip = steady("walk", speed, seconds=6.0)
    chosen = spaced_instants(clip, root_path(clip), 0.68, 14)
    joints = [clip.skeleton.roles[f"{side}_ankle"] for side in ("left", "right")]
    ankles = clip.positions[:, joints][..., [0, 2]]
    apart = np.linalg.norm(ankles[:, 0] - ankles[:, 1], axis=-1)
    assert np.ptp(apart[chosen]) > 0.6 * np.ptp(apart)


def test_waiting_adds_no_figures() -> None:
    waits = frames(STEADY, np.concatenate([np.zeros(300, int), np.arange(len(STEADY))]))
    chosen = spaced_instants(waits, root_path(waits), 0.68, 14)
    gaps = np.linalg.norm(np.diff(waits.root[chosen][:, [0, 2]], axis=0), axis=1)
    assert (gaps > 0.45).all()
    assert len(chosen) <= len(spaced_instants(STEADY, root_path(STEADY), 0.68, 14)) + 1


def test_a_dash_between_slow_stretches_is_shown_in_flight() -> None:
    # Slow, then two metres in a third of a second, then slow again.
    ahead = np.concatenate([np.linspace(0, 1.5, 200), np.linspace(1.5, 3.5, 20),
                            np.linspace(3.5, 5.0, 200)])  # fmt: skip
    clip = frames(walk(10.0), np.arange(420))
    root = np.array(clip.root)
    root[:, 0], root[:, 2] = 0.0, ahead
    clip = type(clip)(clip.skeleton, 60.0, root, clip.rotations)
    chosen = spaced_instants(clip, root_path(clip), 0.68, 14)
    places = ahead[chosen]
    assert ((places > 1.7) & (places < 3.3)).any()
    assert (np.diff(places) > 0.45).all()


@given(st.integers(1, 400), st.integers(1, 40))
def test_a_pick_is_even_and_keeps_both_ends(count: int, most: int) -> None:
    values = np.arange(count)
    picked = even_pick(values, most)
    assert len(picked) == min(count, most)
    assert picked[0] == 0
    if most > 1:
        assert picked[-1] == count - 1
        assert np.ptp(np.diff(picked)) <= 1 if len(picked) > 2 else True


@given(st.integers(1, 60), st.integers(1, 12))
def test_even_instants_run_from_the_first_frame_to_the_last(count: int, wanted: int) -> None:
    clip = frames(STEADY, np.arange(count))
    chosen = even_instants(clip, wanted)
    assert len(chosen) == min(count, wanted)
    assert chosen[0] == 0
    if min(count, wanted) > 1:
        assert chosen[-1] == count - 1


@examples(15)
@given(yaw=st.floats(-3.0, 3.0), x=st.floats(-500.0, 500.0), z=st.floats(-500.0, 500.0))
def test_the_way_turns_and_moves_with_the_clip(yaw: float, x: float, z: float) -> None:
    way = root_path(moved(STEADY, (x, 0.0, z), yaw))
    assert way.straight
    assert way.direction == pytest.approx([math.sin(yaw), math.cos(yaw)], abs=0.05)
    assert way.facing.mean(axis=0) == pytest.approx([math.sin(yaw), math.cos(yaw)], abs=0.06)
    assert way.distance == pytest.approx(1.3 * 4.0, rel=0.03)


def test_a_quarter_turn_is_not_a_straight_way() -> None:
    assert not root_path(walk(4.0, turn=0.4)).straight


def test_there_and_back_is_not_straight_and_crowds_its_own_way() -> None:
    there = np.arange(len(STEADY))
    clip = frames(STEADY, np.concatenate([there, there[::-1]]))
    way = root_path(clip)
    assert not way.straight
    chosen = spaced_instants(clip, way, 0.68, 14)
    assert are_crowded(bodies_at(clip, BODY, chosen), 0.45)
    once = spaced_instants(STEADY, root_path(STEADY), 0.68, 14)
    assert not are_crowded(bodies_at(STEADY, BODY, once), 0.45)


@pytest.mark.parametrize(("lift", "level"), [(0.0, 0.0), (0.01, 0.0), (0.6, 0.6), (-0.4, -0.4)])
def test_the_floor_is_at_zero_unless_the_feet_are_elsewhere(lift: float, level: float) -> None:
    assert floor_of(moved(STEADY, (0.0, lift, 0.0)), BODY) == pytest.approx(level, abs=0.04)


def test_figures_stand_where_their_joints_are() -> None:
    figures = bodies_at(STEADY, BODY, np.array([0, 100], dtype=np.int32))
    for n in range(2):
        head = figures.poses.positions[n, STEADY.skeleton.roles["head"]]
        assert np.linalg.norm(figures.vertices[n] - head, axis=1).min() < 0.15


def test_a_turned_figure_keeps_its_root_and_its_height() -> None:
    figures = bodies_at(STEADY, BODY, np.array([50], dtype=np.int32))
    plain, turned = figures.item(0), figures.item(0, yaw=1.0, shift=np.array([1.0, 0.0, 2.0]))
    assert turned.vertices[:, 1] == pytest.approx(plain.vertices[:, 1])
    root = np.array([figures.places[0, 0], 0.0, figures.places[0, 1]])
    before = np.linalg.norm((plain.vertices - root)[:, [0, 2]], axis=1)
    after = turned.vertices - root - np.array([1.0, 0.0, 2.0])
    assert np.linalg.norm(after[:, [0, 2]], axis=1) == pytest.approx(before)


def test_a_standing_clip_faces_where_the_figure_faces() -> None:
    way = root_path(moved(standing(), yaw=2.0))
    assert way.direction == pytest.approx([math.sin(2.0), math.cos(2.0)], abs=0.1)
    assert way.extent == pytest.approx(0.0, abs=1e-9)


def test_a_skeleton_without_roles_faces_where_it_goes() -> None:
    assert root_path(snake()).facing[0] == pytest.approx([1.0, 0.0], abs=0.05)
