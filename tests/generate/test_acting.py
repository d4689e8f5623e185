"""How the bodies of the default clips act, by plain positions of their joints."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.generate.actions.catalogue import action_clip
from footfall.generate.gait.journeys import start
from footfall.generate.gait.stepping import shuffle, stand
from footfall.maths.arrays import Floats
from footfall.maths.constants import MEAN_LEG_M
from footfall.maths.runs import runs
from tests.generate.gait_measures import SIDES, feet


def places(clip: Clip, role: str) -> Floats:
    """(T, 3) where a joint is."""
    return np.asarray(clip.positions[:, clip.skeleton.role(role)])


def first_to_leave(clip: Clip) -> tuple[int, int]:
    """The foot that leaves first, and its first frame in the air."""
    air = [np.append(np.flatnonzero(~feet(clip)[:, n]), len(clip))[0] for n in range(2)]
    foot = int(np.argmin(air))
    return foot, int(air[foot])


@pytest.mark.parametrize(("gait", "speed"), [("walk", 1.0), ("walk", 1.4), ("run", 3.0)])
@pytest.mark.parametrize("foot", SIDES)
def test_heels_rise_before_the_first_foot_leaves(gait: str, speed: float, foot: str) -> None:
    clip = start(speed, foot, gait=gait)
    n, off = first_to_leave(clip)
    assert SIDES[n] == foot
    ankle, toe = (places(clip, f"{foot}_{part}") for part in ("ankle", "toe"))
    raised = (ankle - toe)[:, 1] - (ankle - toe)[0, 1]
    assert 0.02 < raised[off] < 0.09
    early = raised[off - round(0.1 * clip.fps)]
    assert 0.003 < early < raised[off]
    assert clip.contacts is not None
    assert clip.contacts[off - round(0.1 * clip.fps), 2 * n : 2 * n + 2].tolist() == [False, True]


@pytest.mark.parametrize("foot", SIDES)
def test_who_is_about_to_run_sinks_and_swings_the_other_arm(foot: str) -> None:
    clip = start(3.0, foot, gait="run")
    _, off = first_to_leave(clip)
    other = SIDES[1 - SIDES.index(foot)]
    assert 0.04 < clip.root[0, 1] - clip.root[off : off + 15, 1].min() < 0.17
    strikes = off + int(np.flatnonzero(feet(clip)[off:, SIDES.index(foot)])[0])
    near, far = (places(clip, f"{side}_wrist")[strikes, 2] for side in (foot, other))
    assert far - near > 0.15


@pytest.mark.parametrize("name", ["pick_0.50_0.70", "pick_1.30_0.50", "step_over_0.30_left",
                                  "duck_0.9_right", "duck_1.2_left"])  # fmt: skip
def test_first_steps_of_actions_are_not_marched(name: str) -> None:
    clip = action_clip(name)
    n, off = first_to_leave(clip)
    ankle = places(clip, f"{SIDES[n]}_ankle")[:, 1]
    down = off + int(np.flatnonzero(feet(clip)[off:, n])[0])
    assert 0.05 < ankle[off:down].max() - ankle[0] < 0.1


@pytest.mark.parametrize("name", ["duck_0.9_left", "duck_0.9_right", "duck_1.2_left"])
def test_arms_of_those_who_duck_stay_at_their_sides(name: str) -> None:
    clip = action_clip(name)
    low = clip.root[:, 1] < clip.root[:, 1].min() + 0.05
    for sign, side in zip((1.0, -1.0), SIDES, strict=True):
        out = sign * (places(clip, f"{side}_wrist") - clip.root)[low, 0]
        assert np.median(out) < 0.42 * MEAN_LEG_M
        assert out.max() < 0.62 * MEAN_LEG_M


@pytest.mark.parametrize("name", ["hurdle_0.5_right", "running_jump_1.6_left"])
def test_run_ups_are_upright_until_the_foot_is_planted(name: str) -> None:
    clip = action_clip(name)
    flights = runs(~feet(clip).any(axis=1))
    leap = int(flights[np.argmax(flights[:, 1] - flights[:, 0]), 0])
    planted = int(runs(feet(clip).any(axis=1)[:leap])[-1, 0])
    assert clip.root[: planted - 3, 1].min() > 0.93 * MEAN_LEG_M
    assert clip.root[planted:leap, 1].min() < clip.root[: planted - 3, 1].min() - 0.08


@pytest.mark.parametrize("seed", range(4))
def test_idling_shifts_the_weight_on_flat_feet(seed: int) -> None:
    clip = stand(6.0, seed=seed)
    assert clip.contacts is not None
    assert clip.contacts.all()
    aside = clip.root[:, 0] - clip.root[0, 0]
    assert aside.max() > 0.015
    assert aside.min() < -0.015
    assert 0.05 < np.ptp(aside) < 0.12


@pytest.mark.parametrize("seed", range(4))
def test_idling_takes_a_small_step_with_each_foot(seed: int) -> None:
    clip = shuffle(5.0, seed=seed)
    assert clip.seconds == pytest.approx(5.0, abs=0.02)
    for n, side in enumerate(SIDES):
        assert len(runs(~feet(clip)[:, n])) == 1
        ankle = places(clip, f"{side}_ankle")
        assert 0.04 < np.linalg.norm(ankle[-1] - ankle[0]) < 0.13
    shift = [places(clip, f"{side}_ankle")[[0, -1]] for side in SIDES]
    np.testing.assert_allclose(np.diff(shift[0], axis=0), np.diff(shift[1], axis=0), atol=2e-3)
