"""How those act who sit down, stand up and take things, by plain positions of their joints."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from footfall.body.capsules import body_capsules
from footfall.body.clip import Clip
from footfall.generate.actions.catalogue import ACTIONS, action_clip
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from tests.generate.gait_measures import SIDES
from tests.generate.things import value
from tests.sweeps import cover, sample

SITS = ("sit_0.30", "sit_0.45", "sit_0.60")
ALL_SITS = tuple(sample((n for n in ACTIONS if n.startswith(("sit", "turn_sit"))), 0.5))
PICKS = tuple(sample((name for name in ACTIONS if name.startswith("pick")), 0.4))
LOW = ("pick_0.00_0.20", "pick_0.00_0.35", "pick_0.00_left")
HIGH = ("pick_1.30_0.50", "pick_1.30_0.70", "pick_1.00_0.50")


@cache
def made(name: str, seed: int = 0) -> Clip:
    return action_clip(name, seed=seed)


def places(clip: Clip, role: str) -> Floats:
    """(T, 3) where a joint is."""
    return np.asarray(clip.positions[:, clip.skeleton.role(role)])


def faces(clip: Clip) -> Floats:
    """(T, 3) where the face points."""
    turns = clip.world.rotations[:, clip.skeleton.role("head")]
    return np.asarray(quat.rotate(turns, np.array([0.0, 0.0, 1.0])))


def holding(clip: Clip) -> tuple[str, int, int]:
    """The side of the hand that takes something, its first frame there, and the one after."""
    assert clip.touches is not None
    n = int(clip.touches[:, 1].any())
    frames = np.flatnonzero(clip.touches[:, n])
    return SIDES[n], int(frames[0]), int(frames[-1]) + 1


def along_thighs(clip: Clip, frame: int) -> list[float]:
    """How far along the thigh either hand lies, from the hip (0) to the knee (1)."""
    found = []
    for side in SIDES:
        hip, knee, wrist = (places(clip, f"{side}_{p}")[frame] for p in ("hip", "knee", "wrist"))
        found.append(float((wrist - hip) @ (knee - hip) / ((knee - hip) @ (knee - hip))))
    return found


def at_rest(clip: Clip, side: str, *, until: bool) -> int:
    """The last frame in which a hand is still where it is at first, or the first in which it is
    where it is at last."""
    wrist = places(clip, f"{side}_wrist")
    off = np.linalg.norm(wrist - wrist[0 if until else -1], axis=1) > 0.03
    return int(np.argmax(off)) if until else len(off) - int(np.argmax(off[::-1]))


@pytest.mark.parametrize(("name", "seed"), cover(SITS, (0, 1)))
def test_who_sits_down_looks_round_for_the_seat_first(name: str, seed: int) -> None:
    clip = made(name, seed)
    sinks = int(np.argmax(clip.root[:, 1] < clip.root[0, 1] - 0.03))
    face = faces(clip)[:sinks]
    yaw = np.degrees(np.arctan2(face[:, 0], face[:, 2]))
    best = int(np.abs(yaw).argmax())
    assert 40.0 < abs(yaw[best]) < 80.0
    assert np.degrees(np.arcsin(-face[best, 1])) > 15.0
    # … over the shoulder of the foot that stands further back.
    left, right = (places(clip, f"{side}_ankle")[0, 2] for side in SIDES)
    assert (yaw[best] > 0.0) == (left < right)


@pytest.mark.parametrize("name", [*SITS, "turn_sit_0.45_left", "turn_sit_0.45_right"])
def test_nobody_sits_as_in_a_mirror(name: str) -> None:
    clip = made(name)
    left, right = (places(clip, f"{side}_ankle")[-1] for side in SIDES)
    assert 0.03 < abs(left[2] - right[2]) < 0.08
    shares = along_thighs(clip, -1)
    assert abs(shares[0] - shares[1]) > 0.08
    assert all(0.15 < share < 0.8 for share in shares)
    there = [at_rest(clip, side, until=False) / clip.fps for side in SIDES]
    assert abs(there[0] - there[1]) > 0.25


@pytest.mark.parametrize(("name", "seed"), cover(ALL_SITS, (0, 1)))
def test_hands_that_feel_for_a_seat_stay_over_it(name: str, seed: int) -> None:
    """A seat as wide as any, from behind the hips to the hollow of the knees."""
    clip = made(name, seed)
    assert clip.touches is not None
    first = int(np.flatnonzero(clip.touches[:, 2])[0])
    sits, body = first + round(1.2 * clip.fps), body_capsules(clip.skeleton)
    hips, knees = (
        sum(places(clip, f"{side}_{part}")[sits] for side in SIDES) / 2.0
        for part in ("hip", "knee")
    )
    ahead = (knees - hips) * [1.0, 0.0, 1.0]
    hands = np.isin(body.joints, [clip.skeleton.role(f"{side}_wrist") for side in SIDES])
    ends = body.placed(clip.world)[: sits + 1, hands]
    behind = (ends - hips) @ ahead < 0.72 * (ahead @ ahead)
    lowest = ends[..., 1] - body.radii[hands, None]
    assert lowest[behind].min(initial=np.inf) > value(name, "seat_m", 0.45) - 0.01


@pytest.mark.parametrize("name", ["stand_up_0.30", "stand_up_0.45", "stand_up_0.60"])
def test_hands_leave_the_thighs_one_after_the_other(name: str) -> None:
    clip = made(name)
    left = [at_rest(clip, side, until=True) / clip.fps for side in SIDES]
    assert abs(left[0] - left[1]) > 0.15


def over_thigh(clip: Clip, side: str) -> Floats:
    """(T,) how far, metres, a wrist is from the bone of its thigh."""
    hip, knee, wrist = (places(clip, f"{side}_{p}") for p in ("hip", "knee", "wrist"))
    bone = knee - hip
    share = np.sum((wrist - hip) * bone, axis=1) / np.sum(bone * bone, axis=1)
    off = wrist - hip - np.clip(share, 0.0, 1.0)[:, None] * bone
    return np.asarray(np.linalg.norm(off, axis=1))


@pytest.mark.parametrize("name", ["stand_up_0.45", "stand_up_0.60"])
def test_hands_push_along_the_thighs_until_the_seat_is_left(name: str) -> None:
    clip = made(name)
    assert clip.touches is not None
    off = int(np.flatnonzero(clip.touches[:, 2])[-1])
    for n, side in enumerate(SIDES):
        assert np.ptp(over_thigh(clip, side)[: off - round(0.05 * clip.fps)]) < 0.03
        assert 0.1 < along_thighs(clip, off)[n] - along_thighs(clip, 0)[n] < 0.5


@pytest.mark.parametrize("name", ["sit_0.45", "sit_0.60", "turn_sit_0.45_left"])
def test_hands_of_who_sits_down_go_straight_onto_the_thighs(name: str) -> None:
    clip = made(name)
    assert clip.touches is not None
    touch = int(np.argmax(clip.touches[:, 2]))
    for side in SIDES:
        near = over_thigh(clip, side)[touch:]
        assert near.max() - near[-1] < (0.11 if name == "sit_0.60" else 0.085)
        upper = places(clip, f"{side}_elbow") - places(clip, f"{side}_shoulder")
        across = places(clip, "left_hip") - places(clip, "right_hip")
        across *= (1.0 if side == "left" else -1.0) / np.linalg.norm(across, axis=1, keepdims=True)
        out = np.sum(upper * across, axis=1) / np.linalg.norm(upper, axis=1)
        assert np.degrees(np.arcsin(out))[touch:].max() < 20.0


@pytest.mark.parametrize("name", [*SITS, "stand_up_0.30", "stand_up_0.45", "stand_up_0.60"])
def test_elbows_of_who_sits_stay_below_the_shoulders_and_near_the_body(name: str) -> None:
    clip = made(name)
    for side in SIDES:
        shoulder, elbow = (places(clip, f"{side}_{part}") for part in ("shoulder", "elbow"))
        assert (shoulder - elbow)[:, 1].min() > 0.08
        assert np.abs(shoulder - elbow)[:, 0].max() < 0.28


@pytest.mark.parametrize("name", PICKS)
def test_feet_of_who_takes_something_are_not_level(name: str) -> None:
    clip = made(name)
    for frame in (0, -1):
        left, right = (places(clip, f"{side}_ankle")[frame, 2] for side in SIDES)
        assert 0.025 < abs(left - right) < 0.085


@pytest.mark.parametrize("name", PICKS)
def test_eyes_are_at_a_thing_before_the_hand_is(name: str) -> None:
    clip = made(name)
    side, first, _ = holding(clip)
    wrist, head = places(clip, f"{side}_wrist"), places(clip, "head")
    sets_out = int(np.argmax(np.linalg.norm(wrist - wrist[0], axis=1) > 0.12))
    thing = wrist[first + 2]
    for frame, most in ((sets_out, 55.0), (first, 50.0)):
        line = thing - head[frame]
        cosine = faces(clip)[frame] @ line / np.linalg.norm(line)
        # Eyes do the rest.
        assert np.degrees(np.arccos(cosine)) < most


@pytest.mark.parametrize("name", PICKS)
def test_what_is_taken_is_drawn_in_and_carried_a_while(name: str) -> None:
    clip = made(name)
    side, _, gone = holding(clip)
    wrist = places(clip, f"{side}_wrist")
    near = np.abs((wrist - clip.root)[:, 2]) < 0.25
    middle = np.abs((wrist - clip.root)[:, 0]) < 0.2
    high = (wrist - clip.root)[:, 1] > 0.0
    carried = (near & middle & high)[gone:]
    assert carried.sum() > 0.3 * clip.fps
    speed = np.linalg.norm(np.diff(wrist[gone:], axis=0), axis=1) * clip.fps
    assert speed.max() < 2.0


@pytest.mark.parametrize("name", HIGH)
def test_hands_rise_to_what_is_high_without_haste_and_not_past_it(name: str) -> None:
    clip = made(name)
    side, first, _ = holding(clip)
    wrist = places(clip, f"{side}_wrist")
    speed = np.linalg.norm(np.diff(wrist[: first + 1], axis=0), axis=1) * clip.fps
    assert speed.max() < 1.9
    assert wrist[:first, 1].max() < wrist[first, 1] + 0.02


@pytest.mark.parametrize("name", LOW)
def test_hands_go_down_to_the_ground_not_out_and_down(name: str) -> None:
    clip = made(name)
    side, first, last = holding(clip)
    wrist, shoulder = (places(clip, f"{side}_{part}") for part in ("wrist", "shoulder"))
    ahead = (wrist - shoulder)[:first, 2]
    assert ahead.max() < 0.24
    # The heel of the foot behind comes up, the other stays down; and knees are not a mirror.
    heels = [np.ptp((places(clip, f"{s}_ankle") - places(clip, f"{s}_toe"))[:, 1]) for s in SIDES]
    assert max(heels) > 0.025
    assert min(heels) < 0.005
    middle = (first + last) // 2
    left, right = (places(clip, f"{s}_knee")[middle] for s in SIDES)
    assert abs(abs(left[0]) - abs(right[0])) > 0.02
