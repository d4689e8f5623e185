"""The default actions: exact feet, free flight, balance, limits, cleared things, right tags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.body.feet import foot_points
from footfall.body.mass import centre_of_mass
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.gait.flow import flow
from footfall.gait.signatures import find_clip_touches
from footfall.gait.tags import find_tags, look_at, tag_names
from footfall.generate.actions.beams import beam
from footfall.generate.actions.catalogue import ACTIONS, action_clip, action_names
from footfall.generate.actions.crossing import step_over
from footfall.generate.actions.ducking import duck
from footfall.generate.actions.flights import hurdle, running_jump
from footfall.generate.actions.hopping import hop
from footfall.generate.actions.jumps import jump
from footfall.generate.actions.leaping import leap
from footfall.generate.actions.reaching import pick
from footfall.generate.actions.sitting import SEAT_TO_HIPS_M, sit, sit_and_stand, stand_up
from footfall.generate.actions.stairs import stairs, step_off, step_onto
from footfall.generate.actions.turn_steps import turn_sit
from footfall.generate.limits import beyond
from footfall.generate.performer import Performer
from footfall.library.default import default_names
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.runs import runs
from footfall.maths.signals import low_pass
from tests.clips import real_clip
from tests.generate.gait_measures import ground_residual
from tests.generate.solid import Capsule, capsules, collisions, depth, depth_in_box
from tests.generate.things import things
from tests.sweeps import cover, sample

pytestmark = pytest.mark.xdist_group("action_clips")
"""Where xdist keeps groups together one worker makes the clips, once, for all tests."""
SHOWN = {
    "jump": {"stand", "jump"},
    "running_jump": {"run", "jump"},
    "hurdle": {"run", "jump", "hurdle"},
    "leap": {"stand", "start", "walk", "stop"},
    "hop": {"stand", "hop"},
    "step_over": {"stand", "start", "walk", "step_over", "stop"},
    **{f"step_over_{n}_walking": {"walk", "step_over"} for n in ("0.15", "0.30", "0.38")},
    "step_onto": {"stand", "step", "step_up"},
    "step_off": {"stand", "step", "step_down"},
    "stairs_up": {"walk", "step_up"},
    "stairs_down": {"walk", "step_down"},
    "pass_left": {"walk", "sidestep_left"},
    "pass_right": {"walk", "sidestep_right"},
    "beam": {"stand", "start", "walk", "beam", "stop"},
    "duck": {"stand", "start", "walk", "duck", "stop"},
    "pick": {"stand", "pick"},
    "pick_1.": {"stand"},
    "sit": {"stand", "sit_down", "sit"},
    "stand_up": {"sit", "stand_up", "stand"},
    "turn_sit": {"stand", "start", "walk", "sit_down", "sit"},
    "sit_and_stand": {"stand", "sit_down", "sit", "stand_up"},
}
"""Every tag that a kind of action is to get, no more and no less. Nobody bends to take something at
breast height, so recognition takes it for a gesture …"""
_TURNS = {"turn_left", "turn_right"}
MAYBE = {"pick": {"crouch", "step"}, "duck": {"start", "crouch"}, "leap": {"jump", "run"},
         "turn_sit": _TURNS, "pass_left": _TURNS,
         "pass_right": _TURNS}  # fmt: skip
"""… but for these, which depend on how low or how far it goes: flights of short leaps are as
long as those of runners."""


def kind(name: str) -> str:
    """The longest kind that a name begins with."""
    return max((k for k in SHOWN if name.startswith(k)), key=len)


EVERY = tuple(sample(ACTIONS, 0.12, kind=kind))
IN_STRIDE = tuple(n for n in EVERY if ACTIONS[n].values.get("in_stride") or n[:5] == "pass_")
GOING = (*IN_STRIDE, *(n for n in EVERY if n.startswith(("running_jump", "hurdle"))))


@cache
def made(name: str) -> Clip:
    return action_clip(name)


def soles(clip: Clip) -> Floats:
    """(T, 2, 3, 3) heel, ball and tip of both feet."""
    poses, points = clip.world, foot_points(clip.skeleton)
    return np.stack(
        [
            np.stack(
                [
                    poses.positions[:, p.joint] + quat.rotate(poses.rotations[:, p.joint], p.offset)
                    for p in points.side(side)
                ],
                axis=1,
            )
            for side in SIDES
        ],
        axis=1,
    )


def bend(clip: Clip, joint: str) -> Floats:
    """(T, 2) degrees about the x axis of a joint of both sides."""
    turns = [clip.rotations[:, clip.skeleton.role(f"{side}_{joint}")] for side in SIDES]
    return np.degrees(np.stack([quat.to_rotation_vector(t)[:, 0] for t in turns], axis=1))


def standing(clip: Clip) -> Bools:
    """(T, 2) which feet stand, as made."""
    assert clip.contacts is not None
    return np.stack([clip.contacts[:, :2].any(axis=1), clip.contacts[:, 2:].any(axis=1)], axis=1)


@pytest.mark.parametrize("name", EVERY)
def test_planted_feet_stay_put(name: str) -> None:
    clip = made(name)
    points = soles(clip)
    assert clip.contacts is not None
    for column, (foot, point) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
        for first, stop in runs(clip.contacts[:, column]).tolist():
            track = points[first:stop, foot, point]
            assert np.linalg.norm(track - track[0], axis=1).max() < 1e-4


@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_in_the_floor(name: str) -> None:
    clip = made(name)
    assert soles(clip)[..., 1].min() > -1e-4
    assert clip.end_positions[..., 1].min() > -0.004


@pytest.mark.parametrize("name", EVERY)
def test_joints_keep_their_limits(name: str) -> None:
    clip = made(name)
    assert {joint: by for joint, by in beyond(clip).items() if by > 0.05} == {}
    assert bend(clip, "knee").min() > 0.0


@pytest.mark.parametrize("name", EVERY)
def test_no_part_of_the_body_is_in_another(name: str) -> None:
    assert [(a, b, f"{1000.0 * deep:.0f} mm") for a, b, deep, _ in collisions(made(name))] == []


@pytest.mark.parametrize("name", [n for n in EVERY if things(n)])
def test_no_part_of_the_body_is_in_what_the_action_is_about(name: str) -> None:
    boxes = things(name)
    for part in capsules(made(name)).values():
        for box in boxes:
            assert depth_in_box(part, box).max() < 0.003, part.name


@pytest.mark.parametrize("name", EVERY)
def test_joints_turn_no_faster_than_those_of_people(name: str) -> None:
    clip = made(name)
    turns = np.degrees(quat.angle_between(clip.rotations[1:], clip.rotations[:-1])) * clip.fps
    flies = not standing(clip).any(axis=1).all()
    # Feet and knees of jumpers and hurdlers who were measured reach about 1,000 degrees a second.
    assert turns.max() < (1150.0 if flies else 720.0)


def landing(clip: Clip) -> tuple[float, float]:
    """How fast, degrees per second, knees bend about the landing of the longest flight, and how
    that changes at most, per second squared."""
    places, role = clip.positions, clip.skeleton.role
    bends = []
    for side in SIDES:
        hip, knee, ankle = (places[:, role(f"{side}_{p}")] for p in ("hip", "knee", "ankle"))
        a, b = knee - hip, ankle - knee
        lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        bends.append(np.degrees(np.arccos(np.clip((a * b).sum(axis=1) / lengths, -1.0, 1.0))))
    knees = low_pass(np.stack(bends, axis=1), clip.fps, 12.0)
    rate = np.gradient(knees, 1.0 / clip.fps, axis=0)
    change = np.gradient(rate, 1.0 / clip.fps, axis=0)
    flight = max(look_at(clip).contacts.flights, key=lambda f: f.seconds)
    first, last = (round((flight.end_s + s) * clip.fps) for s in (-0.1, 0.35))
    return float(rate[first:last].max()), float(np.abs(change[first:last]).max())


@pytest.mark.mocap
@pytest.mark.parametrize(
    ("kinds", "real", "slack"),
    [
        (("jump",), ("118_06", "118_20", "118_29", "16_09"), 1.15),
        (("running_jump", "hurdle"), ("127_25", "127_27"), 1.5),
    ],
)
def test_knees_land_as_softly_as_those_of_people(
    kinds: tuple[str, ...], real: tuple[str, ...], slack: float, mocap: Path
) -> None:
    people = np.array([landing(real_clip(mocap / "cmu" / f"{name}.bvh")) for name in real])
    ours = np.array([landing(made(n)) for n in EVERY if kind(n) in kinds])
    assert (ours[:, 0] <= slack * people[:, 0].max()).all()
    assert (ours[:, 1] <= slack * 16_000.0).all()
    assert ours[:, 0].min() > 0.6 * people[:, 0].min()


@pytest.mark.parametrize("name", EVERY)
def test_flight_is_free_fall(name: str) -> None:
    clip = made(name)
    centre = centre_of_mass(clip)
    for first, stop in runs(~standing(clip).any(axis=1)).tolist():
        if stop - first > 2:
            pull = np.diff(centre[first:stop], 2, axis=0) * clip.fps**2
            assert np.abs(pull - [0.0, -9.81, 0.0]).max() < 0.02 * 9.81


@pytest.mark.parametrize("name", [n for n in EVERY if n not in GOING])
def test_bodies_begin_and_end_balanced(name: str) -> None:
    clip = made(name)
    centre, points = centre_of_mass(clip), soles(clip)
    for frame, seated in (
        (0, name.startswith("stand_up")),
        (-1, name.startswith(("sit_0", "turn_sit"))),
    ):
        if seated:
            continue
        low, high = points[frame, ..., 2].min(), points[frame, ..., 2].max()
        sides = points[frame, :, 1, 0]
        assert low < centre[frame, 2] < high
        assert sides.min() - 0.03 < centre[frame, 0] < sides.max() + 0.03
        pace = np.linalg.norm(centre[frame] - centre[1 if frame == 0 else -2]) * clip.fps
        assert pace < 0.05


def at_30_hz(clip: Clip) -> Clip:
    """Every second frame, which is what the default library holds."""
    even = slice(None, None, 2)
    return replace(
        clip, fps=30.0, root=clip.root[even], rotations=clip.rotations[even],
        **clip.labels_at(even),
    )  # fmt: skip


@pytest.mark.parametrize("name", EVERY)
def test_found_contacts_are_the_exact_ones_within_a_frame_at_30_hz(name: str) -> None:
    clip = at_30_hz(made(name))
    found, exact = look_at(clip).contacts.feet, standing(clip)
    for foot in range(2):
        a, b = runs(found[:, foot]), runs(exact[:, foot])
        assert len(a) == len(b)
        assert np.abs(a - b).max() <= 1


@pytest.mark.parametrize("name", EVERY)
def test_a_hand_touches_while_it_stays_and_a_seat_while_the_hips_do(name: str) -> None:
    clip = made(name)
    assert clip.touches is not None
    assert clip.touches[:, :2].any() == name.startswith("pick")
    assert clip.touches[:, 2].any() == name.startswith(("sit", "stand_up", "turn_sit"))
    places = clip.positions
    joints = [clip.skeleton.role(role) for role in ("left_wrist", "right_wrist", "hips")]
    for column, joint in enumerate(joints):
        for first, stop in runs(clip.touches[:, column]).tolist():
            there = places[first + 3 : stop - 3, joint]
            assert np.ptp(there, axis=0).max() < 0.02


@pytest.mark.parametrize("name", ["pick_0.50_0.35", "sit_0.45", "stand_up_0.45"])
def test_touches_are_found_where_they_are_stated(name: str) -> None:
    clip = at_30_hz(made(name))
    found = find_clip_touches(replace(clip, touches=None, contacts=None))
    assert clip.touches is not None
    for column in range(3):
        assert found[:, column].any() == clip.touches[:, column].any()
        if found[:, column].any():
            both = (found & clip.touches)[:, column].sum()
            assert both > 0.8 * clip.touches[:, column].sum()
            assert found[:, column].sum() < clip.touches[:, column].sum() + 15


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("rate", [60, 30])
def test_clips_get_their_tags_and_no_others(name: str, rate: int) -> None:
    clip = made(name)
    seen = set(tag_names(find_tags(clip if rate == 60 else at_30_hz(clip))))
    maybe = MAYBE.get(kind(name), set())
    assert seen - maybe == SHOWN[kind(name)] - maybe
    assert set(ACTIONS[name].tags) <= seen or name.startswith(("pick_1.", "leap_"))


DUNGEON = {
    "walk": 10, "run": 5, "start": 4, "stop": 4, "turn": 8, "turn_in_place": 4, "sidestep": 4,
    "back": 1, "stand": 1,
    "jump": 6, "running_jump": 6, "hurdle": 4, "hop": 3, "step_over": 6, "step_onto": 6,
    "step_off": 4, "stairs": 4, "beam": 2, "duck": 4, "pass": 2, "leap": 6,
}  # fmt: skip
"""How many clips of each kind, by the beginning of their names, Choi's dungeon is to have."""
SAFONOVA = {
    "walk": 1, "jump": 6, "step_over": 6, "step_onto": 6, "step_off": 4, "beam": 2, "duck": 4,
    "pick": 27, "sit": 6, "stand_up": 5, "leap": 6, "turn_sit": 6,
}  # fmt: skip


@pytest.mark.parametrize(("group", "parts"), [("choi", DUNGEON), ("safonova", SAFONOVA)])
def test_every_group_has_its_kinds(group: str, parts: dict[str, int]) -> None:
    names = [n.removeprefix("park_") for n in default_names(group)]
    assert len(names) >= 58
    few = {p: n for p, n in parts.items() if sum(name.startswith(p) for name in names) < n}
    assert few == {}


def test_groups_reach_over_the_characters_that_their_papers_need() -> None:
    picks = [n.split("_") for n in action_names("safonova", "pick") if "left" not in n]
    heights, ways = {float(p[1]) for p in picks}, {float(p[2]) for p in picks}
    assert (min(heights), max(heights)) == (0.0, 1.3)
    assert (min(ways), max(ways)) == (0.2, 0.7)
    assert len(set(action_names("safonova", "sit_down"))) >= 5
    both = [n for n in action_names("choi") if n.endswith(("_left", "_right"))]
    assert {n.rsplit("_", 1)[0] + "_right" for n in both} == {n for n in both if "right" in n}
    assert {"choi", "hop"} <= set(made("hop_both").tags)


def test_same_seed_same_bytes_and_another_seed_another_clip() -> None:
    for name in ("jump_0.5", "pick_0.50_0.35", "step_over_0.15_left"):
        a, b, c = (action_clip(name, seed=seed) for seed in (3, 3, 4))
        assert a.rotations.tobytes() == b.rotations.tobytes()
        assert a.root.tobytes() == b.root.tobytes()
        assert len(a) != len(c) or not np.allclose(a.rotations, c.rotations)


def test_performers_of_other_sizes_do_the_same() -> None:
    makers: tuple[Callable[..., Clip], ...] = (
        jump, hop, hurdle, leap, step_over, stairs, pick, sit_and_stand, turn_sit,
    )  # fmt: skip
    for make, leg_m in cover(makers, (0.7, 0.95)):
        clip = make(who=Performer.with_legs(leg_m))
        assert soles(clip)[..., 1].min() > -1e-4
        assert bend(clip, "knee").min() > 0.0


@pytest.mark.parametrize("length_m", [0.0, 0.5, 1.1, 1.7])
def test_jumps_go_as_far_as_asked_and_crouch_before_and_after(length_m: float) -> None:
    clip = jump(length_m)
    feet = soles(clip)[:, :, 1, 2].mean(axis=1)
    assert feet[-1] - feet[0] == pytest.approx(length_m, abs=0.005)
    knees, air = bend(clip, "knee").mean(axis=1), ~standing(clip).any(axis=1)
    first, stop = runs(air)[0]
    assert knees[:first].max() > 60.0
    assert knees[stop:].max() > 40.0
    assert knees[first - 1] < 45.0


@pytest.mark.parametrize("length_m", [1.3, 1.9])
def test_running_jumps_go_from_one_foot_to_the_other(length_m: float) -> None:
    clip = running_jump(length_m)
    stand = standing(clip)
    first, stop = max(runs(~stand.any(axis=1)).tolist(), key=lambda r: r[1] - r[0])
    assert stand[first - 1].tolist() == [True, False]
    assert stand[stop].tolist() == [False, True]
    ankles = [clip.positions[:, clip.skeleton.role(f"{s}_toe"), 2] for s in SIDES]
    assert ankles[1][stop] - ankles[0][first - 1] == pytest.approx(length_m, abs=0.05)


NEW = [n for n in EVERY if n.startswith(("leap", "turn_sit"))]


@pytest.mark.parametrize("name", NEW)
def test_the_ground_can_give_what_leaps_and_turns_ask_for(name: str) -> None:
    assert np.sqrt((ground_residual(made(name)) ** 2).mean()) < 0.1


@pytest.mark.parametrize(("length_m", "lead"), cover((0.9, 1.15, 1.4), SIDES))
def test_leaps_go_from_one_foot_to_the_other_and_fall_freely(length_m: float, lead: str) -> None:
    clip = made(f"leap_{length_m:g}_{lead}")
    stand = standing(clip)
    ((first, stop),) = [r for r in runs(~stand.any(axis=1)).tolist() if r[1] - r[0] > 2]
    foot = SIDES.index(lead)
    assert stand[first - 1].tolist() == [foot != 0, foot != 1]
    assert stand[stop].tolist() == [foot == 0, foot == 1]
    assert 0.1 < (stop - first) / clip.fps < 0.32
    ankles = [clip.positions[:, clip.skeleton.role(f"{s}_ankle"), 2] for s in SIDES]
    there, here = ankles[foot][stop + 6], ankles[1 - foot][first - 12]
    assert there - here == pytest.approx(length_m, abs=0.01)
    centre = centre_of_mass(clip)
    pull = np.diff(centre[first:stop], 2, axis=0) * clip.fps**2
    assert np.abs(pull - [0.0, -9.81, 0.0]).max() < 0.001 * 9.81
    # The leg that lands gives way by 20 to 50 degrees within 0.2 s, and takes none at once.
    knee = bend(clip, "knee")[:, foot]
    assert 20.0 < knee[stop : stop + 12].max() - knee[stop] < 50.0
    assert np.diff(knee[stop - 2 : stop + 12]).max() * clip.fps < 900.0


@pytest.mark.parametrize("length_m", [0.9, 1.4])
def test_steps_before_a_leap_are_those_of_a_walk(length_m: float) -> None:
    clip = made(f"leap_{length_m:g}_right")
    off = int(runs(~standing(clip).any(axis=1))[0, 0])
    begin, end = off - round(1.2 * clip.fps), off - round(0.6 * clip.fps)
    pace = float(clip.root[end, 2] - clip.root[begin, 2]) * clip.fps / (end - begin)
    assert 1.2 < pace < 1.6
    assert 55.0 < bend(clip, "knee")[begin:end].max() < 78.0


@pytest.mark.parametrize("name", [n for n in NEW if n.startswith("turn_sit")])
def test_who_sits_down_turns_round_head_first(name: str) -> None:
    clip, sign = made(name), 1.0 if name.endswith("left") else -1.0
    turns = clip.world.rotations
    head, hips = (
        sign * np.degrees(np.unwrap(quat.yaw_of(turns[:, clip.skeleton.role(role)])))
        for role in ("head", "hips")
    )
    assert hips[-1] == pytest.approx(180.0, abs=3.0)
    assert np.diff(hips).min() * clip.fps > -20.0
    assert np.diff(hips).max() * clip.fps < 130.0
    half = [int(np.argmax(part > 90.0)) for part in (head, hips)]
    assert half[0] < half[1] - 0.1 * clip.fps
    assert head[half[1]] - hips[half[1]] < 60.0
    assert [t for t in tag_names(find_tags(clip)) if t.startswith("turn_")] == [
        f"turn_{'left' if sign > 0.0 else 'right'}"
    ]


@pytest.mark.parametrize("name", [n for n in NEW if n.startswith("turn_sit")])
def test_feet_of_who_turns_round_do_not_cross(name: str) -> None:
    clip = made(name)
    yaw = quat.yaw_of(clip.rotations[:, 0])
    left, right = (clip.positions[:, clip.skeleton.role(f"{s}_ankle")] for s in SIDES)
    apart = (left - right)[:, 0] * np.cos(yaw) - (left - right)[:, 2] * np.sin(yaw)
    assert apart.min() > 0.03


@pytest.mark.parametrize("side", SIDES)
def test_a_body_that_passes_sideways_is_narrow_between_the_turns(side: str) -> None:
    clip = made(f"pass_{side}")
    across = np.abs(np.cos(quat.yaw_of(clip.rotations[:, 0]))) < np.sin(np.radians(15.0))
    assert across.sum() > 2.5 * clip.fps
    points = np.concatenate([clip.positions, clip.end_positions], axis=1)[across, :, 0]
    assert np.ptp(points, axis=1).max() < 0.45
    assert np.ptp(points[:, 6:]) < 0.5


@pytest.mark.parametrize("name", IN_STRIDE)
def test_actions_in_stride_begin_and_end_in_a_walk_and_never_stop(name: str) -> None:
    clip = made(name)
    pace = np.linalg.norm(np.gradient(clip.root[:, [0, 2]], 1.0 / clip.fps, axis=0), axis=1)
    pace = low_pass(pace, clip.fps, 2.0)
    ends = round(0.3 * clip.fps)
    assert 0.85 < pace[:ends].mean() < 1.35
    assert 0.85 < pace[-ends:].mean() < 1.35
    assert flow(clip).inner_stops == 0


def _over(clip: Clip, height: Callable[[Floats], Floats]) -> float:
    """How far, metres, the lowest point of the feet is over a ground that depends on z."""
    points = soles(clip)
    return float((points[..., 1] - height(points[..., 2])).min())


@pytest.mark.parametrize(("height_m", "lead"), cover((0.1, 0.25, 0.38), SIDES))
def test_feet_clear_what_is_stepped_over(height_m: float, lead: str) -> None:
    at = 1.3 * MEAN_LEG_M
    clip = step_over(height_m, depth_m=0.08, lead=lead)
    assert _over(clip, lambda z: np.where(np.abs(z - at) < 0.04, height_m, -1.0)) > 0.0


@pytest.mark.parametrize("height_m", [0.2, 0.4, 0.55])
def test_feet_clear_hurdles(height_m: float) -> None:
    at = 1.3 * MEAN_LEG_M
    clip = hurdle(height_m)
    assert _over(clip, lambda z: np.where(np.abs(z - at) < 0.02, height_m, -1.0)) > 0.0


@pytest.mark.parametrize("height_m", [0.1, 0.3, 0.45])
def test_feet_do_not_pass_through_steps(height_m: float) -> None:
    edge = 0.5 * MEAN_LEG_M
    assert _over(step_onto(height_m), lambda z: np.where(z > edge, height_m, 0.0)) > -1e-4
    if height_m <= 0.4:
        edge = 0.3 * MEAN_LEG_M
        assert _over(step_off(height_m), lambda z: np.where(z < edge, height_m, 0.0)) > -1e-4


@pytest.mark.parametrize("rise_m", [0.12, 0.17, 0.2])
def test_feet_do_not_pass_through_stairs(rise_m: float) -> None:
    first, tread = 0.45 * MEAN_LEG_M, 0.29

    def up(z: Floats) -> Floats:
        return rise_m * np.clip(np.ceil((z - first) / tread), 0.0, 4.0)

    assert _over(stairs(rise_m), up) > -1e-4
    edge = 0.26 * MEAN_LEG_M

    def down(z: Floats) -> Floats:
        return rise_m * np.clip(4.0 - np.ceil((z - edge) / tread), 0.0, 4.0)

    assert _over(stairs(rise_m, down=True), down) > -1e-4


@pytest.mark.parametrize("head_m", [0.85, 1.1, 1.4])
def test_the_head_passes_under_the_bar(head_m: float) -> None:
    clip = duck(head_m, length_m=0.5)
    top = clip.end_positions[:, 0]
    near = np.abs(top[:, 2] - 1.75 * MEAN_LEG_M) < 0.25
    assert near.any()
    assert top[near, 1].max() < head_m


@pytest.mark.parametrize(("height_m", "reach_m"), cover((0.0, 0.4, 0.9, 1.3), (0.3, 0.65)))
def test_the_hand_stays_at_what_it_takes(height_m: float, reach_m: float) -> None:
    clip = pick(height_m, reach_m)
    wrist = clip.positions[:, clip.skeleton.role("right_wrist")]
    pace = np.linalg.norm(np.gradient(wrist, 1.0 / clip.fps, axis=0), axis=1)
    held = max(runs(pace[60:-40] < 1e-3).tolist(), key=lambda r: r[1] - r[0])
    assert held[1] - held[0] > 0.15 * clip.fps
    frame = 60 + held[0]
    hand = capsules(clip)["right_hand"]
    thing = Capsule("thing", *([np.array([[wrist[frame, 0], height_m, reach_m]])] * 2), 0.0)
    held_by = Capsule("hand", hand.a[[frame]], hand.b[[frame]], 0.0)
    assert -depth(held_by, thing)[0] < 0.05


@pytest.mark.parametrize("seat_m", [0.3, 0.45, 0.6])
def test_hips_rest_on_the_seat(seat_m: float) -> None:
    clip = sit_and_stand(seat_m)
    height = clip.root[:, 1]
    resting = np.abs(np.gradient(clip.root, 1.0 / clip.fps, axis=0)).max(axis=1) < 1e-3
    seated = resting & (height < height.min() + 0.01)
    assert seated.sum() > clip.fps
    assert height.min() == pytest.approx(seat_m + SEAT_TO_HIPS_M, abs=0.01)
    assert len(sit(seat_m)) + len(stand_up(seat_m)) == len(clip) + 1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: jump(5.0), lambda: jump(-1.0), lambda: hop(2.0), lambda: hop(legs="three"),
        lambda: hurdle(2.0), lambda: running_jump(9.0), lambda: step_over(1.0),
        lambda: step_over(0.2, lead="nose"), lambda: step_onto(1.5), lambda: step_off(-1.0),
        lambda: stairs(count=1), lambda: stairs(0.9), lambda: beam(1), lambda: duck(0.1),
        lambda: pick(3.0), lambda: pick(hand="third"), lambda: sit(2.0),
        lambda: leap(0.4), lambda: leap(3.0), lambda: leap(lead="nose"), lambda: turn_sit(2.0),
        lambda: turn_sit(side="up"), lambda: action_clip("fly"),
    ],
)  # fmt: skip
def test_what_is_not_possible_is_said_in_one_sentence(wrong: Callable[[], Clip]) -> None:
    with pytest.raises(InputError) as caught:
        wrong()
    assert "\n" not in str(caught.value)
