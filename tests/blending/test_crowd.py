"""Crowds keep clear of each other and of walls; trajectories from elsewhere get bodies."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.blending.avoidance_kernels import choose_velocities
from footfall.blending.control import Crowd
from footfall.blending.crowd import Walkers
from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.report.crowding import crowd, save_crowd
from footfall.world.corridor.free_floor import walking_corridors


def chosen(places, velocities, wishes, walls=None, radius=0.3):
    count = len(places)
    others = [[m for m in range(count) if m != n] for n in range(count)]
    starts = np.arange(count + 1) * (count - 1)
    out = np.empty((count, 2))
    free = np.tile([np.inf, 0.0, 0.0], (count, 1))
    choose_velocities(
        np.asarray(places, float), np.asarray(velocities, float), np.asarray(wishes, float),
        np.full(count, radius), np.full(count, 2.0), starts,
        np.array(others, np.int64).reshape(-1), free if walls is None else walls, 3.0, 1.0, 0.1,
        out,
    )  # fmt: skip
    return out


def test_who_is_alone_goes_as_wished():
    assert chosen([[0, 0]], [[0, 0]], [[0.3, 1.2]]) == pytest.approx(np.array([[0.3, 1.2]]))


def test_two_who_keep_to_what_they_chose_do_not_meet():
    places = np.array([[0.0, 0.0], [0.05, 6.0]])
    velocities = wishes = np.array([[0.0, 1.3], [0.0, -1.3]])
    found = chosen(places, velocities, wishes)
    gone = np.linspace(0.0, 3.0, 301)[:, None]
    apart = np.linalg.norm((places[0] + gone * found[0]) - (places[1] + gone * found[1]), axis=1)
    assert apart.min() > 0.6 - 1e-6
    assert found[0] == pytest.approx(-found[1], abs=0.05)


def test_nobody_goes_into_a_wall():
    walls = np.array([[0.5, 1.0, 0.0]])
    found = chosen([[0, 0]], [[1.0, 1.0]], [[1.3, 1.0]], walls)
    assert found[0, 0] <= 0.2 + 1e-9
    assert found[0, 1] == pytest.approx(1.0)


def test_a_ring_of_points_changes_sides(rng):
    count = 16
    angle = np.arange(count) * 2 * np.pi / count
    at = 8.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    goals, velocities, least = -at, np.zeros((count, 2)), np.inf
    for _ in range(1200):
        line = goals - at
        size = np.linalg.norm(line, axis=1, keepdims=True)
        wish = line / np.maximum(size, 1e-9) * np.minimum(1.3, 2 * size)
        velocities = chosen(at, velocities, wish + rng.normal(size=at.shape) * 0.01)
        at = at + 0.05 * velocities
        apart = np.linalg.norm(at[:, None] - at[None], axis=-1) + 9 * np.eye(count)
        least = min(least, apart.min())
    assert least > 0.55
    assert np.linalg.norm(goals - at, axis=1).max() < 0.2


def test_bodies_in_a_scene_keep_clear_and_arrive(space, rng):
    scene = load_scene("plaza")
    corridors = walking_corridors(scene)
    low, high = scene.outline.min(axis=0), scene.outline.max(axis=0)
    middle = 0.5 * (low + high)
    spots = []
    while len(spots) < 24:
        spot = middle + rng.uniform(-14.0, 14.0, 2)
        if corridors.clearances(spot[None])[0] > 0.6 and all(
            np.hypot(*(spot - s)) > 1.2 for s in spots
        ):
            spots.append(spot)
    starts, goals = np.array(spots[:12]), np.array(spots[12:])
    routes = [corridors.path(a, b, 0.4).points for a, b in zip(starts, goals, strict=True)]
    people = Walkers(Crowd(space, space.skeleton, 12, scene), scene, corridors)
    ahead = [r[min(10, len(r) - 1)] - r[0] for r in routes]
    people.place(np.column_stack([starts, [np.arctan2(*a) for a in ahead]]))
    people.send(routes, 1.3)
    for _ in range(30 * 45):
        people.step(1 / 30)
        at = people.crowd.places[:, :2]
        apart = np.linalg.norm(at[:, None] - at[None], axis=-1) + 9 * np.eye(12)
        assert apart.min() > 0.5
        assert corridors.clearances(at).min() > 0.05
        if people.arrived.all():
            break
    assert people.arrived.all()


def test_trajectories_become_bodies_that_follow_them(tmp_path):
    t = np.arange(0.0, 12.0, 0.2)
    rows = [f"a,{s:.1f},{2 * np.sin(0.3 * s):.3f},{1.2 * s:.3f}" for s in t]
    rows += [f"b,{s:.1f},5.0,{2.6 * s:.3f}" for s in t]
    file = tmp_path / "people.csv"
    file.write_text("id,t,x,z\n" + "\n".join(rows) + "\n")
    done = crowd(file)
    assert [clip.name for clip in done.motion.clips] == ["a", "b"]
    assert done.motion.off_m.max() < 0.45
    written = save_crowd(done, tmp_path / "people.glb")
    assert written[0].stat().st_size > 10_000


def test_as_many_routes_as_people(space):
    people = Walkers(Crowd(space, space.skeleton, 2))
    with pytest.raises(InputError, match="1 routes"):
        people.send([None], 1.0)
