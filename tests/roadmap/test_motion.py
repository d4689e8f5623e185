"""Motions made of paths over footholds: feet where they were planned, bodies as in their clips.

Measured from plain joint positions, by means that share no code with what they measure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from footfall.adapt.edit.body_path import carry_body
from footfall.body.clip import Clip
from footfall.body.feet import foot_points
from footfall.body.mass import centre_of_mass
from footfall.gait.footprints import Footprint
from footfall.maths import quaternions as quat
from footfall.roadmap.build import build_roadmap
from footfall.roadmap.chain import join_moves
from footfall.roadmap.drafts import make_draft
from footfall.roadmap.model import Roadmap
from footfall.roadmap.moves import Moves
from footfall.roadmap.paths import FootholdPath, NoPath, find_path, path_prints
from footfall.roadmap.refine import straighten_path
from footfall.roadmap.table import RoadmapSettings, list_moves
from footfall.task.finish import finish
from footfall.task.stages import Place
from footfall.world.scene import Scene, rectangle
from tests.roadmap.small_world import choi_roadmap, choi_table
from tests.sweeps import THOROUGH

SCENES = ("room", "island", "hills", "stairs") if THOROUGH else ("room", "hills", "stairs")
PLAIN = Scene("plain", rectangle([-50.0, -50.0], [50.0, 50.0]))


@dataclass(frozen=True, eq=False)
class Motion:
    """A finished draft of a path, and the frames at which its moves begin."""

    clip: Clip
    footprints: tuple[Footprint, ...]
    starts: np.ndarray


SOLE_REACH = 0.2 * np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
"""Where the ground under a sole is looked at, metres from its place."""


def make_motion(
    roadmap: Roadmap, path: FootholdPath, prints: np.ndarray, starts: np.ndarray,
    scene: Scene | None,
) -> Motion:  # fmt: skip
    draft = make_draft(roadmap, scene, path, prints, starts)
    finished = finish(draft, scene)
    return Motion(finished.clip, finished.footprints, draft.made_of.starts)


@cache
def plain_roadmap() -> Roadmap:
    """A roadmap with hardly any footholds, for moves that are laid by hand."""
    small = list_moves(choi_table().moves, RoadmapSettings(nodes=5, more=0))
    return build_roadmap(small, Scene("small", rectangle([-2.0, -2.0], [2.0, 2.0])))


@cache
def made(name: str) -> tuple[tuple[Scene, FootholdPath, Motion], ...]:
    """Motions between random footholds of a scene."""
    (scene, roadmap), found = choi_roadmap(name), []
    rng = np.random.default_rng(5)
    for _ in range(40):
        a, b = roadmap.nodes[rng.integers(len(roadmap.nodes), size=2)]
        path = find_path(roadmap, scene, Place(a[0], a[2]), Place(b[0], b[2]))
        if isinstance(path, NoPath) or not 3 <= len(path) <= 15:
            continue
        path = straighten_path(roadmap, scene, path, 4)
        prints, starts = path_prints(roadmap.table, scene, path)
        found.append((scene, path, make_motion(roadmap, path, prints, starts, scene)))
        if len(found) == (3 if THOROUGH else 2):
            break
    assert found
    return tuple(found)


def soles(clip: Clip) -> np.ndarray:
    """(T, 2, 2, 3) heel and ball of both feet."""
    poses, feet = clip.world, foot_points(clip.skeleton)
    return np.stack([
        np.stack([poses.positions[:, p.joint] + quat.rotate(poses.rotations[:, p.joint], p.offset)
                  for p in feet.side(side)[:2]], axis=1)
        for side in ("left", "right")
    ], axis=1)  # fmt: skip


def standing(motion: Motion):
    """For each footprint: it, its foot's heel and ball (F, 2, 3) while flat on the ground."""
    clip, at = motion.clip, soles(motion.clip)
    for one in motion.footprints:
        first, stop = round((one.t - one.delta) * clip.fps), round((one.t + one.delta) * clip.fps)
        frames = np.arange(max(first + 1, 0), min(stop, len(clip)))
        down = clip.contacts[frames][:, 2 * one.foot : 2 * one.foot + 2].all(axis=1)
        if down.any():
            yield one, at[frames[down], one.foot]


@pytest.mark.parametrize("name", SCENES)
def test_feet_stand_where_they_were_planned(name: str) -> None:
    for _, path, motion in made(name):
        count = 0
        for one, sole in standing(motion):
            off = sole.mean(axis=1) - one.p
            assert np.hypot(off[:, 0], off[:, 2]).max() < 0.0015
            ahead = sole[:, 1] - sole[:, 0]
            turn = np.arctan2(ahead[:, 0], ahead[:, 2]) - one.yaw
            assert np.abs(np.sin(0.5 * turn)).max() < 0.5 * np.radians(0.5)
            count += 1
        assert count >= 0.5 * len(motion.footprints)
        middle = soles(motion.clip)[:, 0].mean(axis=1)
        for frame, foothold in ((0, path.footholds[0]), (-1, path.footholds[-1])):
            assert np.hypot(*(middle[frame] - foothold[:3])[[0, 2]]) < 0.001


@pytest.mark.parametrize("name", SCENES)
def test_soles_lie_along_the_ground_and_do_not_slide(name: str) -> None:
    for scene, _, motion in made(name):
        clip, at = motion.clip, soles(motion.clip)
        for foot in range(2):
            for point in range(2):
                down = clip.contacts[:, 2 * foot + point]
                floor = scene.height(at[down, foot, point][:, [0, 2]])
                assert np.abs(at[down, foot, point, 1] - floor).max() < 0.003
                step = np.diff(at[:, foot, point], axis=0)[down[1:] & down[:-1]]
                assert np.linalg.norm(step, axis=1).max() < 0.001
        for one, sole in standing(motion):
            assert np.linalg.norm(sole - sole.mean(axis=0), axis=-1).max() < 0.001
            up = quat.rotate(one.q, np.array([0.0, 1.0, 0.0]))
            around = scene.normal(one.p[[0, 2]] + SOLE_REACH)
            normal = around[0]
            if (around @ normal).min() < np.cos(np.radians(5.0)):
                continue  # the sole lies across an edge
            assert float(up @ normal) > np.cos(np.radians(2.0))
            ahead = quat.rotate(one.q, np.array([0.0, 0.0, 1.0]))
            along = (sole[:, 1] - sole[:, 0]).mean(axis=0)
            assert float(ahead @ along) > np.cos(np.radians(2.0)) * np.linalg.norm(along)


def test_slopes_tilt_footprints_but_not_bodies() -> None:
    tilts, leans = [], []
    for _, _, motion in made("hills"):
        clip = motion.clip
        for one in motion.footprints:
            tilts.append(np.degrees(np.arccos(quat.rotate(one.q, np.array([0.0, 1.0, 0.0]))[1])))
        places, roles = clip.positions, clip.skeleton.roles
        trunk = (places[:, roles["chest"]] - places[:, roles["hips"]]).mean(axis=0)
        leans.append(np.degrees(np.arccos(trunk[1] / np.linalg.norm(trunk))))
    assert max(tilts) > 5.0
    assert max(leans) < 12.0


@pytest.mark.parametrize("name", SCENES)
def test_no_joint_is_half_as_fast_again_as_in_its_clips(name: str) -> None:
    moves = choi_table().moves
    worst = []
    for _, path, motion in made(name):
        speed = np.linalg.norm(np.diff(motion.clip.positions, axis=0), axis=-1)
        sources = []
        for m in path.moves.tolist():
            at = moves.clips[moves.clip[m]].positions[moves.first[m] : moves.last[m] + 1]
            sources.append(np.linalg.norm(np.diff(at, axis=0), axis=-1).max(axis=0))
        least = 0.4 / motion.clip.fps
        worst.append(float((speed.max(axis=0) / np.maximum(np.max(sources, axis=0), least)).max()))
    assert max(worst) < 1.5


def chained(moves: Moves, played: list[int], stretch: float = 1.0) -> FootholdPath:
    """Moves laid one after the other as they are, or with longer steps."""
    feet = [np.array([0.3, 0.0, -0.2, 0.4])]
    for m in played:
        a, end = feet[-1], int(moves.print_start[m + 1]) - 1
        bearing = a[3] - moves.turn_first[m]
        x, y, z = stretch * moves.places[end]
        c, s = np.cos(bearing), np.sin(bearing)
        place = [a[0] + c * x + s * z, a[1] + y, a[2] + c * z - s * x]
        feet.append(np.array([*place, bearing + moves.turn_last[m]]))
    many = len(played)
    return FootholdPath(
        np.array(feet), np.array(played, np.int32), np.zeros(many), np.full(many, -1), 0.0, 0
    )


def walk_and_stop(moves: Moves) -> list[int]:
    """From rest to rest by way of a walk."""
    names = np.array([moves.clips[c].name for c in moves.clip])
    rest = set(moves.standing.tolist())
    for a in np.flatnonzero(names == "start_left_1.4").tolist():
        for b in np.flatnonzero(names == "park_walk_1.4").tolist():
            for c in np.flatnonzero(names == "stop_left_1.4").tolist():
                if (
                    moves.begins[a] in rest and moves.ends[a] == moves.begins[b]
                    and moves.ends[b] == moves.begins[c] and moves.ends[c] in rest
                ):  # fmt: skip
                    return [a, b, c]
    raise AssertionError("there is no such walk")


def test_moves_that_fit_as_they_are_leave_the_body_as_it_is() -> None:
    moves = choi_table().moves
    path = chained(moves, walk_and_stop(moves))
    prints, starts = path_prints(choi_table(), PLAIN, path)
    chain = join_moves(moves, path, prints, starts)
    stances = chain.stances
    own = stances.source[:, :3], quat.from_yaw(stances.source[:, 3])
    same = carry_body(chain.clip, stances.times, own, own)
    assert same.root == pytest.approx(chain.clip.root, abs=1e-12)
    turned = quat.angle_between(same.rotations[:, 0], chain.clip.rotations[:, 0])
    assert turned.max() < 1e-7
    planned = stances.target[:, [0, 2]]
    assert planned == pytest.approx(stances.source[:, [0, 2]], abs=0.03)


def test_footholds_moved_rigidly_move_the_motion_rigidly() -> None:
    moves = choi_table().moves
    path = chained(moves, walk_and_stop(moves), 1.1)
    prints, starts = path_prints(choi_table(), PLAIN, path)
    before = (make_motion(plain_roadmap(), path, prints, starts, None).clip).positions
    turn, shift = quat.from_yaw(2.1), np.array([3.0, 0.25, -7.0])

    def moved(feet: np.ndarray) -> np.ndarray:
        return np.column_stack([quat.rotate(turn, feet[:, :3]) + shift, feet[:, 3] + 2.1])

    there = replace(path, footholds=moved(path.footholds))
    after = make_motion(plain_roadmap(), there, moved(prints), starts, None)
    assert after.clip.positions == pytest.approx(quat.rotate(turn, before) + shift, abs=1e-5)


@pytest.mark.parametrize("name", ["jump_0.5", "jump_1.4", "hop_both"])
def test_flights_stay_free_falls(name: str) -> None:
    moves = choi_table().moves
    rest = moves.standing
    names = np.array([moves.clips[c].name for c in moves.clip])
    whole = (names == name) & np.isin(moves.begins, rest) & np.isin(moves.ends, rest)
    path = chained(moves, [int(np.flatnonzero(whole)[0])], 1.15)
    prints, starts = path_prints(choi_table(), PLAIN, path)
    clip = make_motion(plain_roadmap(), path, prints, starts, PLAIN).clip
    air = ~clip.contacts.any(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], air, [False]]).astype(int)))
    flights = [(a, b) for a, b in edges.reshape(-1, 2) if b - a >= 5]
    assert flights
    height = centre_of_mass(clip)[:, 1]
    for a, b in flights:
        pull = -2.0 * np.polyfit(np.arange(b - a) / clip.fps, height[a:b], 2)[0]
        assert pull == pytest.approx(9.81, rel=0.01)


def test_no_stride_is_taken_twice() -> None:
    moves = choi_table().moves
    names = np.array([moves.clips[c].name for c in moves.clip])
    start, walk, stop = walk_and_stop(moves)
    same = (names == "park_walk_1.4") & (moves.begins == moves.ends)
    again = int(np.flatnonzero(same & (moves.begins == moves.begins[walk]))[0])
    path = chained(moves, [start, again, again, again, walk, stop])
    prints, starts = path_prints(choi_table(), PLAIN, path)
    motion = make_motion(plain_roadmap(), path, prints, starts, PLAIN)
    places = motion.clip.positions - motion.clip.positions[:, :1]
    length = int(moves.frames[again])
    one, other = (places[motion.starts[k] : motion.starts[k] + length] for k in (2, 3))
    yaw = quat.yaw_of(motion.clip.rotations[motion.starts[[2, 3]], 0])
    one, other = (quat.rotate(quat.from_yaw(-y), p) for y, p in zip(yaw, (one, other), strict=True))
    assert np.linalg.norm(one - other, axis=-1).max(axis=1).min() > 0.002
    twice = make_motion(plain_roadmap(), path, prints, starts, PLAIN)
    assert np.array_equal(twice.clip.rotations, motion.clip.rotations)


@pytest.mark.parametrize("more", [-1.2, -0.7, 0.7, 1.2])
@pytest.mark.parametrize("name", ["turn_in_place_right_180", "turn_in_place_left_180"])
def test_feet_stand_beside_each_other_in_turns_that_are_turned_further(
    name: str, more: float
) -> None:
    moves, rest = choi_table().moves, choi_table().moves.standing
    names = np.array([moves.clips[c].name for c in moves.clip])
    whole = (names == name) & np.isin(moves.begins, rest) & np.isin(moves.ends, rest)
    path = chained(moves, [int(np.flatnonzero(whole)[0])])
    path.footholds[-1, 3] += more
    prints, starts = path_prints(choi_table(), PLAIN, path)
    clip = make_motion(plain_roadmap(), path, prints, starts, PLAIN).clip
    both = clip.contacts[:, :2].any(axis=1) & clip.contacts[:, 2:].any(axis=1)
    shares = np.linspace(0.0, 1.0, 21)[:, None]
    for left, right in soles(clip)[both][:, :, :, [0, 2]]:
        one, other = ((1.0 - shares) * f[0] + shares * f[1] for f in (left, right))
        assert np.linalg.norm(one[:, None] - other, axis=2).min() > 0.05
