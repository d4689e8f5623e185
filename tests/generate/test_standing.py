"""How default clips stand: never square, and all clips of a performer in the same way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.generate.actions.catalogue import action_clip
from footfall.generate.gait.journeys import start, stop
from footfall.generate.gait.stepping import sidestep, stand, turn_in_place
from footfall.generate.performer import MEAN_PERFORMER, Performer, draw_performers
from tests.generate.gait_measures import SIDES

Maker = Callable[[Performer], Clip]
BEGIN: dict[str, Maker] = {
    "start left": lambda who: start(1.2, "left", who=who),
    "start right": lambda who: start(1.2, "right", who=who),
    "stand": lambda who: stand(who=who),
    "sidestep": lambda who: sidestep("left", who=who),
    "step over": lambda who: action_clip("step_over_0.30_left", who),
    "duck": lambda who: action_clip("duck_1.2_right", who),
    "pick": lambda who: action_clip("pick_0.50_0.35", who),
    "sit": lambda who: action_clip("sit_0.45", who),
}
END: dict[str, Maker] = {
    "stop left": lambda who: stop(1.2, "left", who=who),
    "stop right": lambda who: stop(1.2, "right", who=who),
    "turn": lambda who: turn_in_place(90.0, who=who),
    "stand up": lambda who: action_clip("stand_up_0.45", who),
    **{name: make for name, make in BEGIN.items() if not name.startswith(("start", "sit"))},
}
STANDS = [(name, make, 0) for name, make in BEGIN.items()]
STANDS += [(name, make, -1) for name, make in END.items()]
every_stand = pytest.mark.parametrize(("name", "make", "frame"), STANDS)


def left_ahead(clip: Clip, frame: int) -> float:
    """How far the left foot is ahead of the right one where the hips face, leg lengths."""
    at, role = clip.positions[frame], clip.skeleton.role
    across = at[role("left_hip")] - at[role("right_hip")]
    ahead = np.array([-across[2], 0.0, across[0]]) / np.hypot(across[0], across[2])
    leg = np.linalg.norm(clip.skeleton.offsets[[role("left_knee"), role("left_ankle")]], axis=1)
    feet = at[role("left_ankle")] - at[role("right_ankle")]
    return float(feet @ ahead / leg.sum())


def elbow(clip: Clip, side: str, frame: int) -> float:
    """How far an elbow is bent, degrees."""
    at = clip.positions[frame]
    upper, lower = (
        at[clip.skeleton.role(f"{side}_{b}")] - at[clip.skeleton.role(f"{side}_{a}")]
        for a, b in (("shoulder", "elbow"), ("elbow", "wrist"))
    )
    cosine = upper @ lower / (np.linalg.norm(upper) * np.linalg.norm(lower))
    return float(np.degrees(np.arccos(cosine)))


@every_stand
def test_one_foot_is_a_little_ahead_and_the_other_arm_more_bent(
    name: str, make: Maker, frame: int
) -> None:
    clip = make(MEAN_PERFORMER)
    assert 0.03 < left_ahead(clip, frame) < 0.13
    left, right = (elbow(clip, side, frame) for side in SIDES)
    assert right - left > 2.0


def test_of_several_people_some_stand_with_the_other_foot_ahead_in_all_their_clips() -> None:
    seen = set()
    for who in draw_performers(6):
        signs = {
            np.sign(left_ahead(make(who), frame))
            for name, make, frame in STANDS
            if name in ("start left", "stop right", "turn", "duck", "pick")
        }
        assert len(signs) == 1
        seen |= signs
    assert seen == {-1.0, 1.0}
