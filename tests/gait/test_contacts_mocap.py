"""Contacts, flight and tags on real clips."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.signal import find_peaks

from footfall.body.edit import mirror, resample
from footfall.body.mirror import swap_left_right
from footfall.gait.contacts import Contacts, find_contacts
from footfall.gait.flight import MEAN_LEG_M
from footfall.gait.foot_motion import BALL, HEEL
from footfall.gait.tags import find_tags, tag_names
from footfall.maths.arrays import Floats
from footfall.maths.signals import differentiate, low_pass
from tests.gait.conftest import Seen

pytestmark = pytest.mark.mocap

FRAME = 1.0 / 30.0
WALKS = (
    "walk_straight", "walk_start", "walk_stop", "walk_start_stop", "walk_curve_left",
    "walk_curve_right", "walk_turn_left_tight", "walk_turn_right_tight", "walk_turn_around",
    "walk_backward", "walk_backward_turn",
)  # fmt: skip
RUNS = (
    "run_straight", "run_curve_left", "run_curve_right", "run_turn_left", "run_turn_right",
    "run_start", "run_stop", "walk_to_run", "run_to_walk",
)  # fmt: skip
JUMPS = ("jump_forward", "hurdle", "jump_forward_walking")
EXPECTED = {
    "walk_straight": "walk", "walk_start": "walk start", "walk_stop": "walk stop",
    "walk_start_stop": "walk start stop",
    "walk_curve_left": "walk curve_left", "walk_curve_right": "walk curve_right",
    "walk_turn_left_tight": "walk turn_left", "walk_turn_right_tight": "walk turn_right",
    "walk_turn_around": "walk turn_right", "walk_backward": "backward",
    "walk_backward_turn": "backward turn_right walk",
    "turn_in_place_left": "turn_in_place_left", "turn_in_place_right": "turn_in_place_right",
    "sidestep_left": "sidestep_left", "sidestep_right": "sidestep_right",
    "sidestep_both": "sidestep_left sidestep_right",
    "run_straight": "run", "run_curve_left": "run curve_left",
    "run_curve_right": "run curve_right", "run_turn_left": "run turn_left",
    "run_turn_right": "run turn_right", "run_start": "run start", "run_stop": "run stop",
    "walk_to_run": "walk run", "run_to_walk": "run walk",
    "jump_forward": "jump", "jump_forward_walking": "walk jump", "hurdle": "run hurdle",
    "step_over": "step_over", "duck_under": "duck", "crouch": "walk crouch", "pick_up": "pick",
    "sit_stand": "sit stand_up", "step_placement": "step", "stairs_up": "step_up",
    "stairs_up_down": "step_up step_down", "uneven_terrain": "step_up step_down", "beam": "beam",
}  # fmt: skip
ODD_IN_PLAIN_GAIT = {
    "jump", "hop", "hurdle", "step_over", "step_up", "step_down", "beam", "duck", "crouch",
    "pick", "sit", "sidestep_left", "sidestep_right",
}  # fmt: skip


def of(seen: list[Seen], behaviours: tuple[str, ...]) -> list[Seen]:
    found = [s for s in seen if s.behaviour in behaviours]
    assert found
    return found


def duties(contacts: Contacts) -> list[tuple[float, float]]:
    """The body's pace at each strike (as of a mean body) and the share of the stride stood."""
    pace = contacts.motion.pace / np.sqrt(contacts.motion.leg_m / MEAN_LEG_M)
    return [
        (float(pace[a.first]), a.seconds / (b.begin_s - a.begin_s))
        for foot in range(2)
        for a, b in itertools.pairwise(contacts.of_foot(foot))
        if not a.open_begin
    ]


def test_walking_feet_stand_for_54_to_70_percent(seen: list[Seen]) -> None:
    """Of walking at a usual pace; slower than 0.6 m/s people stand longer."""
    shares = [d for s in of(seen, WALKS) for p, d in duties(s.sight.contacts) if 0.6 < p < 1.9]
    assert len(shares) > 150
    assert 0.58 < np.median(shares) < 0.64
    assert np.mean([(0.54 <= d <= 0.70) for d in shares]) > 0.97
    for s in of(seen, ("walk_straight", "walk_curve_left", "walk_curve_right")):
        steady = [d for p, d in duties(s.sight.contacts) if p > 0.6]
        assert all(0.54 <= d <= 0.70 for d in steady), s.file


def test_running_feet_stand_for_22_to_48_percent(seen: list[Seen]) -> None:
    for s in of(seen, ("run_straight", "run_curve_left", "run_curve_right")):
        assert all(0.22 <= d <= 0.48 for _, d in duties(s.sight.contacts)), s.file
    # Faster than 2.4 m/s nobody is on the way between walking and running.
    shares = [d for s in of(seen, RUNS) for p, d in duties(s.sight.contacts) if p > 2.4]
    assert len(shares) > 25
    assert all(0.22 <= d <= 0.48 for d in shares)


def test_feet_take_turns_in_steady_gait(seen: list[Seen]) -> None:
    """All but one clip, whose runner brakes before his turn with two hops on the same foot."""
    for s in of(seen, (*WALKS, *RUNS)):
        pace = s.sight.contacts.motion.pace
        whole = [st for st in s.sight.contacts.stances if not st.open_begin]
        for a, b in itertools.pairwise(whole):
            going = min(pace[(x.first + x.stop) // 2] for x in (a, b)) > 0.5
            assert a.foot != b.foot or not going or s.file.endswith("16_43.bvh"), s.file


def test_every_run_and_jump_flies(seen: list[Seen]) -> None:
    for s in of(seen, (*RUNS, *JUMPS)):
        assert s.sight.contacts.flights, s.file
    pulls = [
        f.gravity for s in of(seen, JUMPS) for f in s.sight.contacts.flights if f.seconds > 0.25
    ]
    assert len(pulls) >= 8
    assert np.all(np.abs(np.array(pulls) - 9.81) < 0.2 * 9.81)
    pulls = [
        f.gravity for s in of(seen, RUNS) for f in s.sight.contacts.flights if f.seconds > 0.06
    ]
    assert len(pulls) > 30
    assert abs(np.median(pulls) - 9.81) < 0.15 * 9.81


def test_no_walk_flies_and_something_always_carries(seen: list[Seen]) -> None:
    for s in of(seen, (*WALKS, "turn_in_place_left", "turn_in_place_right", "sidestep_both")):
        assert not s.sight.contacts.flights, s.file
        assert s.sight.contacts.feet.any(axis=1).all(), s.file


def zeni(contacts: Contacts, foot: int) -> tuple[Floats, Floats]:
    """Strikes and lift-offs after Zeni et al. 2008: where heel and toes are furthest from the hips.

    Times in seconds; as far ahead as the heel goes, and as far behind as the ball does, along the
    body's way.
    """
    motion = contacts.motion
    way = low_pass(differentiate(motion.hips[:, [0, 2]], motion.fps), motion.fps, 1.0)
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
    off = (motion.points[:, foot] - motion.hips[:, None])[..., [0, 2]]
    along = np.einsum("tki,ti->tk", off, way)
    least = {"prominence": 0.1 * motion.leg_m, "distance": max(1, int(0.3 * motion.fps))}
    strikes = find_peaks(along[:, HEEL], **least)[0]
    lift_offs = find_peaks(-along[:, BALL], **least)[0]
    return strikes / motion.fps, lift_offs / motion.fps


def test_events_agree_with_zeni_s_rule_within_two_frames(seen: list[Seen]) -> None:
    """Strikes of walking and running, lift-offs of walking forwards.

    Running feet leave the ground well before they are furthest behind, so the rule says nothing
    about their lift-off.
    """
    apart: list[float] = []
    forwards = tuple(b for b in WALKS if "backward" not in b)
    for s in of(seen, (*forwards, *RUNS)):
        contacts = s.sight.contacts
        last = s.clip.seconds - 0.1
        for foot in range(2):
            rule = zeni(contacts, foot)
            mine = (contacts.strikes_s(foot), contacts.lift_offs_s(foot))
            for kind in range(2):
                for event in mine[kind]:
                    pace = contacts.motion.pace[min(round(event * s.clip.fps), len(s.clip) - 1)]
                    steady = 0.3 < pace < 1.9 or (kind == 0 and pace > 0.3)
                    if steady and 0.1 < event < last:
                        apart.append(float(np.abs(rule[kind] - event).min(initial=1.0)))
    assert len(apart) > 450
    assert np.mean(np.array(apart) <= 2.0 * FRAME + 1e-3) >= 0.95


def test_behaviours_of_the_index_get_the_right_tags(seen: list[Seen]) -> None:
    wrong = []
    for s in seen:
        names = s.tags
        if not set(EXPECTED[s.behaviour].split()) <= set(names):
            wrong.append((s.file, s.behaviour, names))
    assert len(wrong) <= 0.05 * len(seen), wrong


def test_plain_gait_gets_no_odd_tags(seen: list[Seen]) -> None:
    wrong = []
    for s in of(seen, (*WALKS, *RUNS)):
        names = set(s.tags)
        odd = names & ODD_IN_PLAIN_GAIT
        side = "right" if "left" in s.behaviour else "left"
        turns = {n for n in names if n.startswith(("turn_", "curve_"))}
        if "left" in s.behaviour or "right" in s.behaviour:
            odd |= {n for n in turns if n.endswith(side)}
        elif "turn" not in s.behaviour:
            odd |= turns
        if s.behaviour in WALKS:
            odd |= names & {"run"}
        if odd:
            wrong.append((s.file, s.behaviour, odd))
    assert not wrong


def test_the_mirror_image_is_seen_mirrored(seen: list[Seen]) -> None:
    for s in seen[::5]:
        mirrored = mirror(s.clip)
        found = find_contacts(mirrored)
        assert np.array_equal(found.points, s.sight.contacts.points[:, [2, 3, 0, 1]]), s.file
        names = {swap_left_right(n) for n in s.tags}
        assert set(tag_names(find_tags(mirrored))) == names, s.file


@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_frame_rates_agree(seen: list[Seen], fps: float) -> None:
    apart: list[float] = []
    same: list[float] = []
    for s in of(seen, (*WALKS, *RUNS, *JUMPS)):
        if s.clip.fps < 100.0:
            continue
        slower = find_contacts(resample(s.clip, fps))
        stride = round(s.clip.fps / fps)
        feet = s.sight.contacts.feet[::stride]
        same.append(float(np.mean(feet == slower.feet[: len(feet)])))
        last = s.clip.seconds - 0.1
        for foot in range(2):
            for a, b in (
                (s.sight.contacts.strikes_s(foot), slower.strikes_s(foot)),
                (s.sight.contacts.lift_offs_s(foot), slower.lift_offs_s(foot)),
            ):
                apart += [float(np.abs(b - t).min(initial=1.0)) for t in a if 0.1 < t < last]
    assert min(same) > 0.95
    assert np.mean(np.array(apart) <= FRAME) >= 0.97


def test_stairs_have_levels_of_their_own(seen: list[Seen]) -> None:
    climb = next(s for s in seen if s.file.endswith("13_35.bvh"))
    levels = np.array([s.level_m for s in climb.sight.contacts.stances])
    assert 0.55 < np.ptp(levels) < 0.75
    assert len({round(level / 0.2) for level in levels}) == 4


def test_feet_that_are_put_down_another_way_round_make_steps(seen: list[Seen]) -> None:
    """Turning in place, feet hardly lift; still they take turns, and none stands through it."""
    for s in of(seen, ("turn_in_place_left", "turn_in_place_right")):
        prints = s.sight.prints
        assert len(prints) >= 9, s.file
        turned = [abs(step.turn) for step in s.sight.steps]
        assert np.median(turned) > 0.5, s.file


def test_seats_are_found_where_people_sit_and_nowhere_else(seen: list[Seen]) -> None:
    for s in seen:
        seats = [t for t in s.sight.touches if t.part == "seat"]
        assert bool(seats) == (s.behaviour == "sit_stand"), s.file


def test_nobody_who_walks_or_runs_touches_with_a_hand(seen: list[Seen]) -> None:
    for s in of(seen, (*WALKS, *RUNS)):
        assert not s.sight.touches, s.file
