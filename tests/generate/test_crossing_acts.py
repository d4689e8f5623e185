"""How bodies act that go up, down, under and along things, by plain positions of their joints."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.generate.actions.catalogue import ACTIONS
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.runs import runs
from tests.generate.gait_measures import SIDES, feet
from tests.sweeps import cover

STAIRS = [f"stairs_{way}_{side}" for way in ("up", "down") for side in SIDES]


def action_clip(name: str, seed: int = 0) -> Clip:
    """A default action, from standing to standing."""
    entry = ACTIONS[name]
    return entry.make(**{k: v for k, v in entry.values.items() if k != "in_stride"}, seed=seed)


def places(clip: Clip, role: str) -> Floats:
    """(T, 3) where a joint is."""
    return np.asarray(clip.positions[:, clip.skeleton.role(role)])


def landings(clip: Clip) -> list[tuple[int, int]]:
    """The frames in which feet land, and which foot, in order."""
    found = [(int(stop), n) for n in range(2) for _, stop in runs(~feet(clip)[:, n])]
    return sorted(found)


def head_down(clip: Clip) -> Floats:
    """(T,) how far down, degrees, the head looks against how it does at first."""
    turned = clip.world.rotations[:, clip.skeleton.role("head")]
    ahead = quat.rotate(turned, quat.rotate(quat.conjugate(turned[0]), np.array([0.0, 0.0, 1.0])))
    return np.asarray(-np.degrees(np.arcsin(np.clip(ahead[:, 1], -1.0, 1.0))))


def trunk(clip: Clip) -> Floats:
    """(T, 3) from between the hips to between the shoulders."""
    low, high = (
        0.5 * (places(clip, f"left_{part}") + places(clip, f"right_{part}"))
        for part in ("hip", "shoulder")
    )
    return np.asarray(high - low)


def leaning(clip: Clip) -> Floats:
    """(T,) how far forward the trunk leans, degrees."""
    line = trunk(clip)
    return np.asarray(np.degrees(np.arctan2(line[:, 2], line[:, 1])))


def bend(clip: Clip, side: str, parts: tuple[str, str, str]) -> Floats:
    """(T,) how far, degrees, a limb is bent."""
    a, b, c = (places(clip, f"{side}_{part}") for part in parts)
    cosine = np.sum((b - a) * (c - b), axis=1)
    cosine /= np.linalg.norm(b - a, axis=1) * np.linalg.norm(c - b, axis=1)
    return np.asarray(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


KNEE, ELBOW = ("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist")


@pytest.mark.parametrize("name", STAIRS)
def test_eyes_come_up_on_stairs_that_are_known(name: str) -> None:
    clip = action_clip(name)
    down = head_down(clip)
    on = [frame for frame, _ in landings(clip)]
    assert down[on[0] - 6] > 17.0
    assert down[on[1] : on[2]].min() < down[on[0] - 6] - 7.0
    assert down[on[4]] < down[on[0] - 6] - 10.0


@pytest.mark.parametrize("name", ["stairs_up_left", "stairs_up_right", "step_onto_0.15_left",
                                  "step_onto_0.30_right", "step_onto_0.45_left"])  # fmt: skip
def test_feet_go_up_no_higher_than_they_have_to(name: str) -> None:
    clip = action_clip(name)
    for n, side in enumerate(SIDES):
        ankle = places(clip, f"{side}_ankle")[:, 1]
        for off, on in runs(~feet(clip)[:, n]):
            most = 0.195 if on == landings(clip)[-1][0] else 0.13
            assert 0.06 < (ankle[off:on].max() - ankle[on + 8]) / MEAN_LEG_M < most


@pytest.mark.parametrize("name", ["stairs_down_left", "stairs_down_right", "step_off_0.15_left",
                                  "step_off_0.30_right"])  # fmt: skip
def test_knees_and_trunk_give_under_a_drop(name: str) -> None:
    clip = action_clip(name)
    lean = leaning(clip)
    for frame, n in landings(clip)[:-1]:
        knee = bend(clip, SIDES[n], KNEE)
        after = slice(frame, frame + round(0.3 * clip.fps))
        assert knee[after].max() - knee[frame] > 10.0
        assert lean[after].max() - lean[frame] > 0.8
    if name.startswith("step_off_0.30"):
        assert lean[after].max() - lean[frame] > 4.0
        assert knee[after].max() - knee[frame] > 24.0


@pytest.mark.parametrize("name", ["stairs_up_left", "stairs_up_right"])
def test_who_climbs_pushes_off_from_the_foot_behind(name: str) -> None:
    clip = action_clip(name)
    for frame, n in landings(clip)[:3]:
        line = places(clip, f"{SIDES[1 - n]}_toe") - places(clip, f"{SIDES[1 - n]}_ankle")
        pitch = np.degrees(np.arctan2(-line[:, 1], line[:, 2]))
        assert pitch[frame] - pitch[0] > 12.0
        # … and the toes hang while it trails.
        off = int(np.argmax(~feet(clip)[frame:, 1 - n])) + frame
        assert pitch[off + round(0.16 * clip.fps)] - pitch[0] > 28.0


@pytest.mark.parametrize("name", ["stairs_down_left", "stairs_down_right"])
def test_knees_stay_bent_from_stair_to_stair_and_shoulders_nearly_level(name: str) -> None:
    clip = action_clip(name)
    for frame, n in landings(clip)[:3]:
        knee = bend(clip, SIDES[n], KNEE)
        assert knee[frame + round(0.22 * clip.fps) : frame + round(0.37 * clip.fps)].min() > 34.0
    across = places(clip, "left_shoulder") - places(clip, "right_shoulder")
    tips = np.degrees(np.arcsin(across[:, 1] / np.linalg.norm(across, axis=1)))
    assert np.abs(tips).max() < 8.0


@pytest.mark.parametrize("name", ["step_onto_0.30_left", "step_onto_0.30_right"])
def test_arms_take_part_in_stepping_up_without_a_rest(name: str) -> None:
    clip = action_clip(name)
    (on, n), _ = landings(clip)
    apart = [places(clip, f"{SIDES[k]}_wrist")[on, 2] for k in (1 - n, n)]
    assert apart[0] - apart[1] > 0.25
    off = int(runs(~feet(clip)[:, 1 - n])[0, 0])
    assert off - on < 0.28 * clip.fps


@pytest.mark.parametrize(
    ("name", "seed"),
    cover(("duck_0.9_left", "duck_0.9_right", "duck_1.05_right", "duck_1.2_left"), (0, 3)),
)
def test_arms_of_those_who_duck_hang_and_swing_with_the_steps(name: str, seed: int) -> None:
    clip = action_clip(name, seed=seed)
    low = clip.root[:, 1] < clip.root[:, 1].min() + 0.05
    ahead = []
    for sign, side in zip((1.0, -1.0), SIDES, strict=True):
        arm = (places(clip, f"{side}_elbow") - places(clip, f"{side}_shoulder"))[low]
        aside = np.degrees(np.arctan2(sign * arm[:, 0], -arm[:, 1]))
        assert aside.max() < 38.0
        ahead.append((places(clip, f"{side}_wrist") - places(clip, "chest"))[low, 2])
    assert np.ptp(ahead[0] - ahead[1]) > 0.12
    line = trunk(clip)[low]
    assert np.ptp(np.degrees(np.arctan2(line[:, 0], line[:, 2]))) > 3.0


@pytest.mark.parametrize("name", ["duck_0.9_left", "duck_1.2_right"])
def test_who_ducked_rises_hips_first_head_last(name: str) -> None:
    clip = action_clip(name)
    top = clip.end_positions[:, 0, 1]
    middle = int(np.flatnonzero(top < top.min() + 0.05)[-1])
    hips, lean, down = clip.root[:, 1], leaning(clip), head_down(clip)
    half = [
        int(np.argmax(curve[middle:] > 0.5 * (curve[middle] + curve[-1])))
        for curve in (hips, -lean, -down)
    ]
    assert half[0] + 4 < half[1]
    assert half[1] < half[2]


@pytest.mark.parametrize(("seed", "name"), cover(range(3), ("beam_left", "beam_right")))
def test_now_and_then_an_arm_is_thrown_to_save_the_balance(name: str, seed: int) -> None:
    clip = action_clip(name, seed=seed)
    line = trunk(clip)
    aside = np.degrees(np.arctan2(line[:, 0], line[:, 1]))
    thrown = 0
    for sign, side in zip((1.0, -1.0), SIDES, strict=True):
        up = (places(clip, f"{side}_wrist") - places(clip, f"{side}_shoulder"))[:, 1] > 0.04
        stretched = bend(clip, side, ELBOW) < 20.0
        thrown += len(runs(up & stretched & (sign * aside < -9.0)))
    assert 1 <= thrown <= 4
