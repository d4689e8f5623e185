"""Crowds keep clear of each other and of walls; trajectories from elsewhere get bodies."""

from __future__ import annotations

import json

import numpy as np
import pytest
from bench.limits.crowds import CrowdWatch

from footfall.blending.avoidance_kernels import choose_velocity
from footfall.blending.control import Crowd
from footfall.blending.crowd import AvoidanceOptions, Walkers, new_people, pack_habits
from footfall.errors import InputError
from footfall.files.scene.read import load_scene, parse_scene
from footfall.verbs.crowd import crowd, save_crowd
from footfall.world.corridor.free_floor import walking_corridors
from tests.sweeps import THOROUGH


def chosen(places, velocities, wishes, wall=(0.0, 0.0, np.inf), radius=0.3):
    """The velocities that people choose who all mind each other."""
    count = len(places)
    people = new_people(count).view(np.recarray)
    people.place[:, :2], people.velocity, people.wish = places, velocities, wishes
    options = AvoidanceOptions(radius_m=radius, horizon_s=3.0, wall_s=1.0)
    habits = pack_habits(options, 0.3).view(np.recarray)[0]
    lines, others = np.zeros((count + 1, 4)), np.zeros((2 * count + 2, 4))
    people.near_count = count - 1
    for n in range(count):
        people.near[n, : count - 1] = [m for m in range(count) if m != n]
        choose_velocity(n, people, *wall, habits, 2.0, 0.1, lines, others)
    return people.chosen


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
    found = chosen([[0, 0]], [[1.0, 1.0]], [[1.3, 1.0]], (1.0, 0.0, 0.2))
    assert found[0, 0] <= 0.2 + 1e-9
    assert found[0, 1] == pytest.approx(1.0)


def test_a_ring_of_points_changes_sides(rng):
    count = 16
    angle = np.arange(count) * 2 * np.pi / count
    at = 8.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    goals, velocities, least = -at, np.zeros((count, 2)), np.inf
    for _ in range(500):
        line = goals - at
        size = np.linalg.norm(line, axis=1, keepdims=True)
        wish = line / np.maximum(size, 1e-9) * np.minimum(1.3, 2 * size)
        velocities = chosen(at, velocities, wish + rng.normal(size=at.shape) * 0.01)
        at = at + 0.1 * velocities
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


ALLEY = """
name = "alley"
size = [8.0, 12.0]
[[obstacle]]
kind = "box"
size = [3.5, 2.0, 4.0]
at = [-2.25, 0.0]
[[obstacle]]
kind = "box"
size = [3.5, 2.0, 4.0]
at = [2.25, 0.0]
"""


def walk_across(space, count, seconds, corridors=None, scene=None, box=7.0, seed=5):
    """People who cross a square from anywhere to anywhere, as seen by a plain measure."""
    rng = np.random.default_rng(seed)
    low, high = np.full(2, -box), np.full(2, box)
    starts, goals = (free_spots(rng, count, low, high, corridors) for _ in range(2))
    people = Walkers(Crowd(space, space.skeleton, count, scene), scene, corridors)
    line = goals - starts
    people.place(np.column_stack([starts, np.arctan2(line[:, 0], line[:, 1])]))
    people.send([np.stack(ends) for ends in zip(starts, goals, strict=True)], 1.3)
    watch = CrowdWatch(space.skeleton)
    for frame in range(round(30 * seconds)):
        people.step(1 / 30)
        watch.see(frame, people.crowd, feet_only=frame % 3 != 0)
    return people, watch


def free_spots(rng, count, low, high, corridors, apart=0.9):
    spots = []
    while len(spots) < count:
        spot = rng.uniform(low, high)
        free = corridors is None or corridors.clearances(spot[None])[0] > 0.6
        if free and all(np.hypot(*(spot - other)) > apart for other in spots):
            spots.append(spot)
    return np.array(spots)


def test_bodies_of_a_dense_crowd_keep_apart_and_their_feet_stand(space):
    count, seconds, box = (60, 40.0, 7.0) if THOROUGH else (30, 22.0, 5.0)
    people, watch = walk_across(space, count, seconds, box=box)
    assert watch.overlap_m < 0.05
    assert watch.drift_mm < 1.0
    assert people.arrived.mean() > 0.9


def test_two_who_meet_where_only_one_fits_get_past_each_other(space):
    alley = parse_scene(ALLEY)
    corridors = walking_corridors(alley)
    starts = np.array([[0.0, -4.0], [0.1, 4.0]])
    people = Walkers(Crowd(space, space.skeleton, 2, alley), alley, corridors)
    people.place(np.column_stack([starts, [0.0, np.pi]]))
    people.send([starts, starts[::-1]], 1.2)
    watch = CrowdWatch(space.skeleton, corridors.blocked)
    for frame in range(30 * 45):
        people.step(1 / 30)
        if frame % 3 == 0:
            watch.see(frame, people.crowd)
        if people.arrived.all():
            break
    assert people.arrived.all()
    assert watch.overlap_m < 0.05
    assert watch.wall_m < 0.03


def test_who_stands_in_an_alley_steps_aside(space):
    people = Walkers(Crowd(space, space.skeleton, 2))
    people.place(np.array([[0.0, 0.0, 0.0], [0.0, 3.0, np.pi]]))
    people.send([np.array([[0.0, 0.0], [0.0, 3.0]]), None], 1.2)
    for _ in range(30 * 20):
        people.step(1 / 30)
    assert people.arrived.all()


def test_trajectories_become_bodies_that_follow_them(tmp_path):
    t = np.arange(0.0, 12.0, 0.2)
    rows = [f"a,{s:.1f},{2 * np.sin(0.3 * s):.3f},{1.2 * s:.3f}" for s in t]
    rows += [f"b,{s:.1f},5.0,{2.6 * s:.3f}" for s in t]
    file = tmp_path / "people.csv"
    file.write_text("id,t,x,z\n" + "\n".join(rows) + "\n")
    done = crowd(file)
    assert [clip.name for clip in done.motion.clips] == ["a", "b"]
    assert done.motion.off_m.max() < 0.06
    assert done.motion.furthest_m.max() < 0.15
    written = save_crowd(done, tmp_path / "people.glb")
    assert written[0].stat().st_size > 10_000


def test_people_are_there_from_their_first_to_their_last_moment(tmp_path):
    rows = [f"late,{s:.1f},0,{1.3 * s:.2f}" for s in np.arange(4.0, 8.0, 0.1)]
    rows += [f"early,{s:.1f},3,{1.3 * s:.2f}" for s in np.arange(1.0, 3.0, 0.1)]
    rows += ["once,5.0,6,1"]
    file = tmp_path / "people.csv"
    file.write_text("id,t,x,z\n" + "\n".join(rows) + "\n")
    done = crowd(file)
    motion = {clip.name: clip for clip in done.motion.clips}
    assert motion["late"].seconds == pytest.approx(3.9, abs=0.02)
    assert motion["once"].root[:, [0, 2]] == pytest.approx(np.array([[6.0, 1.0]]), abs=0.05)
    assert done.motion.spans_s == pytest.approx(np.array([[3.0, 6.9], [0.0, 1.9], [4.0, 4.0]]))
    first = np.linalg.norm(np.diff(motion["early"].root[:4, [0, 2]], axis=0), axis=1) * 30
    assert first.min() > 0.9  # it is on the move as it appears
    save_crowd(done, tmp_path / "people.glb")
    animation = glb_json(tmp_path / "people.glb")["animations"][0]
    sizes = [c for c in animation["channels"] if c["target"]["path"] == "scale"]
    assert len(sizes) == 3
    assert len(glb_json(tmp_path / "people.glb")["meshes"]) == 1


def test_people_too_fast_to_be_people_are_refused(tmp_path):
    file = tmp_path / "centimetres.csv"
    file.write_text("id,t,x,z\n1,0,0,0\n1,1,130,0\n")
    with pytest.raises(InputError, match="130 m/s"):
        crowd(file)
    assert crowd(file, scale=0.01).motion.off_m.max() < 0.1


def glb_json(path):
    data = path.read_bytes()
    return json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])


def test_as_many_routes_as_people(space):
    people = Walkers(Crowd(space, space.skeleton, 2))
    with pytest.raises(InputError, match="1 routes"):
        people.send([None], 1.0)
