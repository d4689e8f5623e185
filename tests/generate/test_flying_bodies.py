"""How bodies act that leave the ground: jumps, hops, leaps and hurdles are no mirrors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.gait.tags import find_tags, tag_names
from footfall.generate.actions.catalogue import action_clip
from footfall.generate.actions.hopping import hop
from footfall.generate.actions.jumps import jump
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.runs import runs
from tests.generate.gait_measures import SIDES, feet
from tests.sweeps import THOROUGH, cover


def place(clip: Clip, role: str) -> Floats:
    """(T, 3) where a joint is."""
    return np.asarray(clip.positions[:, clip.skeleton.role(role)])


def flights(clip: Clip) -> list[tuple[int, int]]:
    """First frames in the air and on the ground again, of flights that are longer than 0.1 s."""
    found = runs(~feet(clip).any(axis=1)).tolist()
    return [(a, b) for a, b in found if b - a > 0.1 * clip.fps]


def bend(clip: Clip, upper: str, middle: str, end: str) -> Floats:
    """(T,) how far, degrees, a limb is bent."""
    a, b, c = (place(clip, role) for role in (upper, middle, end))
    turn = ((b - a) * (c - b)).sum(axis=1)
    turn /= np.linalg.norm(b - a, axis=1) * np.linalg.norm(c - b, axis=1)
    return np.asarray(np.degrees(np.arccos(np.clip(turn, -1.0, 1.0))))


def knee(clip: Clip, side: str) -> Floats:
    """(T,) how far a knee is bent, degrees."""
    return bend(clip, f"{side}_hip", f"{side}_knee", f"{side}_ankle")


def ahead(clip: Clip, role: str) -> Floats:
    """(T,) how far a joint is ahead of the middle of the shoulders, metres."""
    middle = 0.5 * (place(clip, "left_shoulder") + place(clip, "right_shoulder"))
    return np.asarray((place(clip, role) - middle)[:, 2])


def trunk_deg(clip: Clip) -> Floats:
    """(T,) how far the line from hips to shoulders leans forward."""
    low, high = (
        0.5 * (place(clip, f"left_{part}") + place(clip, f"right_{part}"))
        for part in ("hip", "shoulder")
    )
    line = high - low
    return np.asarray(np.degrees(np.arctan2(line[:, 2], line[:, 1])))


@pytest.mark.parametrize(("seed", "length_m"), cover(range(4), (0.5, 1.4)))
def test_feet_of_jumpers_land_one_after_the_other(length_m: float, seed: int) -> None:
    clip = jump(length_m, seed=seed)
    lands = [runs(feet(clip)[:, n])[-1, 0] / clip.fps for n in range(2)]
    assert abs(lands[0] - lands[1]) < 0.04
    apart = place(clip, "left_ankle")[-1, 2] - place(clip, "right_ankle")[-1, 2]
    assert 0.015 < abs(apart) < 0.04
    first = 0 if apart > 0.0 else 1
    assert lands[first] <= lands[1 - first]
    ((off, on),) = flights(clip)
    folded = [knee(clip, side)[off:on] for side in SIDES]
    assert np.abs(folded[0] - folded[1]).max() > 8.0


@pytest.mark.parametrize("length_m", [0.0, 0.8, 1.4])
def test_arms_of_jumpers_go_back_in_the_air_and_forward_after_it(length_m: float) -> None:
    clip = jump(length_m)
    ((off, on),) = flights(clip)
    for side in SIDES:
        elbow, wrist = (ahead(clip, f"{side}_{part}") for part in ("elbow", "wrist"))
        crouched = off - round(0.3 * clip.fps)
        assert elbow[crouched - 12 : crouched + 6].min() < -0.1
        assert elbow[off - 3 : off + 10].max() > 0.03
        assert elbow[on - 3 : on + 4].min() < -0.03
        # No hand is held out in front while the body rises.
        assert wrist[off:on].max() < 0.5
        assert wrist[on + round(0.45 * clip.fps) :].max() < 0.3
    high = [place(clip, f"{side}_wrist")[on : on + 30, 1] for side in SIDES]
    assert np.abs(high[0] - high[1]).max() > 0.04


def test_long_jumps_sink_further_than_short_ones() -> None:
    depths = []
    for length_m in (0.5, 1.1, 1.4):
        clip = jump(length_m)
        ((_, on),) = flights(clip)
        depths.append(clip.root[-1, 1] - clip.root[on:, 1].min())
    assert depths[0] < depths[1] - 0.02 < depths[2] - 0.02
    assert depths[2] > 0.265 * MEAN_LEG_M


@pytest.mark.parametrize(("seed", "legs"), cover(range(3), SIDES))
def test_each_hop_differs_from_the_last_and_the_row_goes_as_far_as_asked(
    legs: str, seed: int
) -> None:
    clip = hop(0.35, count=4, legs=legs, seed=seed)
    ankle = place(clip, f"{legs}_ankle")
    assert ankle[-1, 2] - ankle[0, 2] == pytest.approx(4 * 0.35, abs=0.005)
    stands = runs(feet(clip)[:, SIDES.index(legs)])
    middles = [ankle[(a + b) // 2, 2] for a, b in stands.tolist()[1:-1]]
    lengths = np.diff(middles)
    assert np.ptp(np.append(lengths, 0.35)) > 0.02
    assert np.abs(lengths - 0.35).max() < 0.25 * 0.35
    other = place(clip, f"{SIDES[1 - SIDES.index(legs)]}_ankle") - clip.root
    peaks = [other[a:b].max(axis=0) for a, b in flights(clip)]
    assert np.linalg.norm(np.diff(peaks, axis=0), axis=1).min() > 0.01


@pytest.mark.parametrize("legs", ["both", *SIDES])
def test_legs_of_hoppers_open_to_push_and_the_free_shank_swings(legs: str) -> None:
    clip = hop(0.35, legs=legs)
    for off, on in flights(clip):
        carrier = "left" if legs == "both" else legs
        assert knee(clip, carrier)[off - 3 : off + 4].min() < 30.0
        if legs != "both":
            free = knee(clip, SIDES[1 - SIDES.index(legs)])
            assert np.ptp(free[off - 6 : on + 6]) > 18.0


@pytest.mark.parametrize("name", ["leap_0.9_left", "leap_1.15_right", "leap_1.4_left"])
def test_trunks_of_who_leaps_do_not_lie_back_after_the_landing(name: str) -> None:
    clip = action_clip(name)
    ((_, on),) = flights(clip)
    back = trunk_deg(clip)[on : on + round(0.6 * clip.fps)]
    assert back.min() > -5.0
    assert back.max() < 20.0


@pytest.mark.parametrize("name", ["leap_1.15_right", "leap_1.4_left"])
def test_arms_move_through_the_flight_of_a_leap(name: str) -> None:
    clip = action_clip(name)
    ((off, on),) = flights(clip)
    front = SIDES[1 - SIDES.index(name.rsplit("_", 1)[-1])]
    hand = place(clip, f"{front}_wrist") - place(clip, f"{front}_shoulder")
    assert hand[on, 1] < hand[off, 1] - 0.06


@pytest.mark.parametrize("name", ["hurdle_0.5_right", "running_jump_1.6_left"])
def test_who_lands_to_run_on_looks_ahead_with_the_elbows_down(name: str) -> None:
    clip = action_clip(name)
    _, on = max(flights(clip), key=lambda f: f[1] - f[0])
    down = on + round(0.1 * clip.fps)
    for side in SIDES:
        drop = place(clip, f"{side}_shoulder")[down, 1] - place(clip, f"{side}_elbow")[down, 1]
        assert drop > 0.2
    neck, head = (place(clip, role)[down] for role in ("neck", "head"))
    assert np.degrees(np.arctan2((head - neck)[2], (head - neck)[1])) < 35.0


@pytest.mark.parametrize("lead", SIDES)
def test_the_leg_that_trails_opens_over_a_hurdle(lead: str) -> None:
    clip = action_clip(f"hurdle_0.5_{lead}")
    off, on = max(flights(clip), key=lambda f: f[1] - f[0])
    trail = SIDES[1 - SIDES.index(lead)]
    sign = 1.0 if trail == "left" else -1.0
    thigh = (place(clip, f"{trail}_knee") - place(clip, f"{trail}_hip"))[off:on]
    out = sign * thigh[:, 0] / np.linalg.norm(thigh, axis=1)
    assert np.degrees(np.arcsin(out.max())) > 28.0


@pytest.mark.parametrize("seed", range(8 if THOROUGH else 3))
def test_hops_of_all_seeds_are_hops(seed: int) -> None:
    clip = hop(0.35, legs=("both", *SIDES)[seed % 3], seed=seed)
    even = slice(None, None, 2)
    slow = replace(
        clip, fps=0.5 * clip.fps, root=clip.root[even], rotations=clip.rotations[even],
        **clip.labels_at(even),
    )  # fmt: skip
    assert "jump" not in tag_names(find_tags(slow))
