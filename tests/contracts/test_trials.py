"""Plans on trial: a flood fill and a reader of BVH files of their own judge what planners answer.

A few cheap trials; `python -m bench.trials run` plans all of them.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from bench.trials import bvh, judge, reader
from bench.trials.generate import (
    FAMILIES,
    LIBRARIES,
    PICK_HEIGHTS_M,
    Trial,
    make_anywhere,
    make_trial,
)
from bench.trials.oracle import BAD_GOAL, BAD_START, IMPOSSIBLE, LEAP, NARROW, STEP, WALK, Oracle
from bench.trials.run import query_of, read_answers, seeds_of, verify_failures
from bench.trials.world import world_of

from footfall import load_scene, planner, save
from footfall.files.scene.read import builtin_scenes, parse_scene
from footfall.task import FOUND, GOAL_NOT_VALID, NO_CLIP, START_NOT_VALID
from footfall.world.obstacles import Obstacle, ObstaclePart
from footfall.world.scene import Hole, Scene, rectangle
from tests.sweeps import THOROUGH, sample

LIBRARY = "default:choi"
SMALL = {"nodes": 500, "more": 300, "neighbours": 60}
ASKED = {
    "room": 8, "paths": 5, "island": 8, "stairs": 6, "columns": 6, "crevice": 4, "dungeon": 6,
    "course": 4, "rivers": 3, "zigzag": 4,
}  # fmt: skip

CHEAP = (12, 24, 26, 32, 40, 50, 52, 56, 78, 80, 96, 110)
"""Tuning seeds of walks that take a fraction of a second, once their clips are prepared."""


# ---- the flood fill ---------------------------------------------------------------------------


def box(x: float, z: float, size: tuple[float, float, float]) -> Obstacle:
    half = 0.5 * np.array(size)
    part = ObstaclePart("box", np.array([0.0, half[1], 0.0]), half)
    return Obstacle("box", (part,), np.array([x, 0.0, z]), name="box")


def grades(*obstacles: Obstacle, holes: tuple[Hole, ...] = ()) -> str:
    """What the flood fill says of a way across 8 m of floor with something in the middle."""
    scene = Scene("s", rectangle([-3.0, -4.0], [3.0, 4.0]), obstacles=obstacles, holes=holes)
    return Oracle(scene).grade(np.array([0.0, -3.0]), np.array([0.0, 3.0]))


@pytest.mark.parametrize(
    ("gap", "grade"), [(1.2, WALK), (0.72, STEP), (0.5, NARROW), (0.3, LEAP), (0.0, IMPOSSIBLE)]
)
def test_the_flood_fill_tells_wide_doors_from_narrow_ones(gap, grade):
    side = 3.0 - 0.5 * gap
    walls = [box(s * (0.5 * gap + 0.5 * side), 0.0, (side, 2.5, 0.3)) for s in (-1.0, 1.0)]
    assert grades(*walls) == grade


@pytest.mark.parametrize(("width", "grade"), [(0.8, LEAP), (2.0, LEAP), (4.0, IMPOSSIBLE)])
def test_the_flood_fill_leaps_gaps_but_not_every_gap(width, grade):
    pit = Hole(rectangle([-3.0, -0.5 * width], [3.0, 0.5 * width]))
    assert grades(holes=(pit,)) == grade


def test_the_flood_fill_knows_where_nobody_can_stand():
    assert grades(box(0.0, -3.0, (1.0, 2.0, 1.0))) == BAD_START
    assert grades(holes=(Hole(rectangle([-1.0, 2.0], [1.0, 4.0])),)) == BAD_GOAL


# ---- the generated trials ---------------------------------------------------------------------


def test_seeds_give_every_family_library_height_and_yaw_in_both_halves():
    for first in (0, 1):
        trials = [make_trial(seed) for seed in range(first, 224, 2)]
        assert {t.family for t in trials} == set(FAMILIES)
        assert {t.library for t in trials} == set(LIBRARIES)
        assert {t.method for t in trials} == {"auto", "graph", "blending", "roadmap", "optimal"}
        picks = {t.drawn["height_m"] for t in trials if t.family == "pick"}
        assert picks == set(PICK_HEIGHTS_M)
        turns = {t.drawn["turn_deg"] for t in trials if t.family == "chair"}
        assert turns == {45.0 * k for k in range(8)}


def test_a_seed_gives_the_same_trial_and_tuning_shares_none_with_testing():
    assert make_trial(7) == make_trial(7)
    tuning, testing = ({make_trial(s).scene for s in range(k, 224, 2)} for k in (0, 1))
    assert not tuning & testing


@pytest.mark.parametrize("number", range(len(FAMILIES)))
def test_scenes_can_be_read_and_somebody_can_stand_at_both_ends(number):
    for seed in (2 * number, 2 * number + 1):
        trial = make_trial(seed)
        query = query_of(trial)
        points = [trial.start[:2], *(s["at"] for s in trial.stages if s["do"] == "go to")]
        oracle = Oracle(query.scene)
        assert all(oracle.is_sure(np.array(point)) for point in points)


def test_seeds_can_be_listed():
    assert seeds_of("1-7:3,20") == [1, 4, 7, 20]


def test_the_last_answer_to_a_seed_counts(tmp_path):
    rows = [{"seed": 3, "status": "found"}, {"seed": 5, "status": "no path"}]
    rows.append({"seed": 3, "status": "stopped"})
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert {k: v["status"] for k, v in read_answers(tmp_path).items()} == {
        3: "stopped", 5: "no path",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("status", "start", "outcome"),
    [
        (START_NOT_VALID, (0.0, -3.0), judge.REFUSED),
        (GOAL_NOT_VALID, (0.0, -3.0), judge.FALSE_REFUSAL),
        (NO_CLIP, (2.0, -3.0), judge.FALSE_REFUSAL),
    ],
)
def test_a_refusal_is_held_to_its_reason(status, start, outcome, tmp_path):
    text = 'size = [6.0, 8.0]\n[[obstacle]]\nkind = "box"\nat = [0.0, -3.0]\nsize = [1.0, 2.0, 1.0]'
    goal = {"do": "go to", "at": [0.0, 3.0], "yaw": None}
    trial = Trial(0, "via", "auto", "default", text, (*start, None), (goal,), {}, True)
    answer = {"status": status, "reason": "for some reason"}
    assert judge.judge(trial, answer, tmp_path).outcome == outcome


# ---- the reader -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """A planned walk on a level floor, and its file."""
    clip = _rest_to_rest()
    file = tmp_path_factory.mktemp("reader") / "walk.bvh"
    save(clip, file)
    return clip, file


def _rest_to_rest():
    made = planner("roadmap", library=LIBRARY, **SMALL).plan(query_of(_level_trial()))
    assert made.status == FOUND
    return made.clip


def _level_trial() -> Trial:
    goal = {"do": "go to", "at": [0.3, 2.0], "yaw": 0.0}
    text = "size = [6.0, 8.0]"
    return Trial(0, "via", "roadmap", "default", text, (0.0, -2.0, 0.0), (goal,), {}, True)


def findings(clip, tmp_path, trial: Trial | None = None) -> str:
    """What the reader says of a clip, after it was written."""
    asked = trial or _level_trial()
    file = tmp_path / "clip.bvh"
    save(clip, file)
    world = world_of(parse_scene(asked.scene))
    return "; ".join(str(f) for f in reader.check(bvh.read_motion(file), asked, world))


def test_the_reader_places_joints_as_the_clip_has_them(straight):
    clip, file = straight
    body = bvh.read_motion(file).body
    at = clip.positions
    for role in ("hips", "left_wrist", "right_toe", "head"):
        np.testing.assert_allclose(body.at[role], at[:, clip.skeleton.role(role)], atol=2e-4)


def test_the_reader_accepts_a_sound_walk(straight, tmp_path):
    assert findings(straight[0], tmp_path) == ""


def turned(clip, joint: str, degrees: float, axis: int, frames: slice):
    """The clip with a joint turned further about its own axis."""
    rotations = np.array(clip.rotations)
    half = np.radians(degrees) / 2.0
    more = np.zeros(4)
    more[0], more[1 + axis] = np.cos(half), np.sin(half)
    w, x, y, z = np.moveaxis(rotations[frames, clip.skeleton.role(joint)], -1, 0)
    a, b, c, d = more
    product = [
        w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a,
    ]  # fmt: skip
    rotations[frames, clip.skeleton.role(joint)] = np.stack(product, axis=-1)
    return replace(clip, rotations=rotations)


@pytest.mark.parametrize(
    ("joint", "degrees", "axis", "frames", "what"),
    [
        ("left_ankle", 80.0, 1, slice(0, 40), "foot outward"),
        ("left_ankle", -80.0, 1, slice(0, 40), "foot inward"),
        ("right_knee", 60.0, 0, slice(20, 21), "knee jumps"),
        ("hips", 60.0, 1, slice(None), "turned"),
    ],
)
def test_the_reader_finds_what_was_broken(straight, joint, degrees, axis, frames, what, tmp_path):
    assert what in findings(turned(straight[0], joint, degrees, axis, frames), tmp_path)


@pytest.mark.parametrize(
    ("up_m", "frames", "is_crouch"),
    [(0.0, slice(30, 40), True), (0.5, slice(30, 40), False), (0.5, slice(30, 80), True)],
    ids=["a crouch on the ground", "a leap with legs drawn up", "a crouch that hovers"],
)
def test_the_reader_tells_crouches_from_leaps(straight, up_m, frames, is_crouch, tmp_path):
    clip = straight[0]
    for side in ("left", "right"):
        clip = turned(
            turned(clip, f"{side}_hip", -90.0, 0, frames), f"{side}_knee", 110.0, 0, frames
        )
    ankles = [clip.skeleton.role(f"{side}_ankle") for side in ("left", "right")]
    low, lower = (c.positions[frames, ankles, 1].min(axis=1) for c in (straight[0], clip))
    root = np.array(clip.root)
    root[frames, 1] += low - lower + up_m
    assert ("hips low" in findings(replace(clip, root=root), tmp_path)) == is_crouch


def test_the_reader_finds_sliding_missed_goals_and_depth(straight, tmp_path):
    clip = straight[0]
    root = np.array(clip.root)
    root[:, 0] += np.linspace(0.0, 0.4, len(root))
    found = findings(replace(clip, root=root), tmp_path)
    assert "foot drifts" in found
    assert "go to missed" in found
    assert "under the ground" in findings(
        replace(clip, root=clip.root - np.array([0.0, 0.1, 0.0])), tmp_path
    )


def test_the_reader_finds_a_body_inside_of_a_wall(straight, tmp_path):
    wall = '\n[[obstacle]]\nkind = "box"\nname = "wall"\nat = [0.1, 0.0]\nsize = [0.1, 2.0, 0.1]\n'
    trial = _level_trial()
    found = findings(straight[0], tmp_path, replace(trial, scene=trial.scene + wall))
    assert "in wall" in found


def test_the_reader_wants_stages_in_order_and_hands_at_their_place(straight, tmp_path):
    trial = _level_trial()
    root = straight[0].root
    first, later = ([float(root[f, 0]), float(root[f, 2])] for f in (30, 60))
    vias = [{"do": "via", "at": at, "within_m": 0.05} for at in (first, later)]
    assert "via" not in findings(straight[0], tmp_path, replace(trial, stages=tuple(vias)))
    backwards = replace(trial, stages=tuple(vias[::-1]))
    assert "via missed" in findings(straight[0], tmp_path, backwards)
    hand = {"do": "pick", "at": [0.0, 1.5, 0.0], "hand": "either"}
    assert "hand missed" in findings(straight[0], tmp_path, replace(trial, stages=(hand,)))


def test_the_reader_follows_paths_within_their_corridor(straight, tmp_path):
    trial = _level_trial()
    path = straight[0].root[::10, [0, 2]]
    on = {"do": "follow", "path": path.tolist(), "corridor_m": 0.2}
    beside = {**on, "path": (path + np.array([0.5, 0.0])).tolist()}
    assert "corridor" not in findings(straight[0], tmp_path, replace(trial, stages=(on,)))
    assert "corridor left" in findings(straight[0], tmp_path, replace(trial, stages=(beside,)))


# ---- plans ------------------------------------------------------------------------------------


def _kind(trial: Trial) -> str:
    return f"{trial.method} with {trial.library}"


def check_answer(trial: Trial, made, tmp_path) -> None:
    """A found plan passes both checks; a refusal is not contradicted."""
    if made.status != FOUND:
        answer = {"status": made.status, "reason": made.reason}
        judged = judge.judge(trial, answer, tmp_path)
        assert judged.outcome == judge.REFUSED, (trial.name, made.reason)
        return
    failures = verify_failures(made.clip, query_of(trial), trial.library, made.method)
    assert failures == [], trial.name
    assert findings(made.clip, tmp_path, trial) == "", trial.name


@pytest.mark.parametrize("name", sample(ASKED, 0.14))
def test_places_anywhere_are_reached_or_refused_with_a_right_reason(name, tmp_path):
    scene, text = load_scene(name), builtin_scenes()[name].read_text(encoding="utf-8")
    stays = planner("roadmap", library=LIBRARY, scene=scene, **SMALL)
    for seed in range(ASKED[name] if THOROUGH else 2):
        trial = make_anywhere(seed, text, scene.outline)
        query = replace(query_of(trial), scene=scene)
        check_answer(trial, stays.plan(query), tmp_path)


def _cheap_seeds() -> list[int]:
    """Seeds of every kind; in `make test` without CMU's clips, which take long to retarget."""
    cheap = [seed for seed in CHEAP if THOROUGH or make_trial(seed).library != "cmu"]
    return sample(cheap, 0.0, kind=lambda seed: _kind(make_trial(seed)))


@pytest.mark.parametrize("seed", _cheap_seeds())
def test_a_cheap_trial_is_solved_soundly_or_refused_with_a_right_reason(seed, tmp_path, request):
    trial = make_trial(seed)
    library = trial.library
    if library != "default":
        library = request.getfixturevalue("mocap") / library
    made = planner(trial.method, library=library).plan(query_of(trial))
    check_answer(trial, made, tmp_path)
